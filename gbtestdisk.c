/*
 * gbtestdisk - how fast does a program get a file onto this disk, back off
 * it, and back out of memory?
 *
 * Compile with	cc -o gbtestdisk gbtestdisk.c
 * Run with	./gbtestdisk -c 64 -v [directory]
 * Ask with	./gbtestdisk -h
 *
 * Copyright (c) 2026 the gbtestdisk authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 *
 * The story.  A run is a number of rounds, a round is one timed pass for each
 * of write, read, cache and mix that was asked for, and a pass opens the file,
 * moves its blocks, flushes if it wrote, and closes.  In a directory the file
 * is a scratch file: this process makes and removes it, and a guard process
 * removes it if this process is killed.  A file or disk that exists is only
 * read.  One worker is this process itself; with -p, and with -q where
 * asynchronous calls are missing or would wait (all but direct I/O on Linux),
 * a pass forks its workers.  In sequence each process of -p has a part of the
 * file; workers who share a part take its blocks from a number that goes round
 * in a pipe.  All report through another.
 * Before a pass that is to read from the disk the file is evicted from memory,
 * and two witnesses, mincore and getrusage, say whether it was.  A round leaves
 * a record for each column and findings that cast doubt; after the last round
 * the doubts become warnings, the records tables or a JSON object.
 *
 * Each section uses only what stands above it.
 */

/*
 * Feature-test macros: without them the headers of a system hide some of the
 * calls used below (mincore, posix_fadvise, O_DIRECT).  Where a facility is
 * missing or broken, -DNO_MINCORE, NO_MMAP, NO_FADVISE, NO_DIRECT,
 * NO_MONOTONIC, NO_STATVFS, NO_POLL, NO_PREAD, NO_AIO or NO_FORK does without
 * it; -v says what is lost.
 */
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#if defined(_AIX)
#ifndef _LARGE_FILES
#define _LARGE_FILES
#endif
#ifndef _ALL_SOURCE
#define _ALL_SOURCE
#endif
#elif defined(__hpux)
#ifndef _HPUX_SOURCE
#define _HPUX_SOURCE
#endif
#elif defined(__sun)
#ifndef __EXTENSIONS__
#define __EXTENSIONS__
#endif
#undef _POSIX_C_SOURCE	/* hides mincore, __EXTENSIONS__ or not */
#undef _XOPEN_SOURCE	/* 700 is an #error before 2010 */
#elif defined(__linux__) || defined(__CYGWIN__) || defined(__GNU__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 600
#endif
#else	/* the BSDs and macOS show all, unless they are told to be strict */
#undef _ANSI_SOURCE
#undef _POSIX_SOURCE
#undef _POSIX_C_SOURCE
#undef _XOPEN_SOURCE
#endif

#include <sys/types.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>	/* older than stdint.h, which it includes */
#include <limits.h>
#include <math.h>	/* NAN, HUGE_VAL, which need no library */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>	/* struct winsize, on some systems */
#include <time.h>
#include <unistd.h>
#ifdef __dietlibc__	/* whose inttypes.h does not */
#include <stdint.h>
#endif
#ifndef __hpux		/* 11.00 has select in sys/time.h, and no such file */
#include <sys/select.h>
#endif
#ifndef NO_MMAP
#include <sys/mman.h>
#endif
#ifndef NO_POLL
#include <poll.h>
#endif
#ifndef NO_STATVFS
#include <sys/statvfs.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#include <sys/param.h>
#include <sys/mount.h>
#endif

#ifndef SIZE_MAX
#define SIZE_MAX ((size_t)-1)
#endif
#ifndef NAN
#define NAN (HUGE_VAL - HUGE_VAL)
#endif
#ifndef PATH_MAX
#define PATH_MAX 4096
#endif
#ifndef ENOTSUP
#define ENOTSUP EINVAL
#endif
#ifndef EOPNOTSUPP
#define EOPNOTSUPP ENOTSUP
#endif

#define VERSION "1.0"

#define DEFAULT_COLUMNS "write,read,cache"
#define DEFAULT_ROUNDS "5"
#define SURE_ROUNDS 100			/* the cap of -e without -r and -t */

#define MOST_ROUNDS 1000000
#define UNLIMITED UINT64_MAX	/* rounds, with -t */
#define MOST_SECONDS 1000000000
#define MOST_REQUESTS 4096	/* processes times requests in flight of each */
#define MOST_PARTS 10000	/* of the map */
#define MOST_REPEATS 3		/* of a round that was stopped and continued */
#define MOST_NAMES 100		/* are tried for the scratch file */
#define MOST_FILE ((uint64_t)(sizeof(off_t) >= 8 ? INT64_MAX : INT32_MAX)) /* of a file */
#define MOST_BLOCK (SIZE_MAX / 4 < MOST_FILE ? SIZE_MAX / 4 : MOST_FILE)

#define PATH_BYTES 4096	/* that are shown of a path */
#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define NS 1000000000ULL

/* What is timed of a pass: its read calls (0), write calls (1), and flushes, which move no bytes. */
enum { DIRECTION_READ, DIRECTION_WRITE, DIRECTIONS, FLUSHES = DIRECTIONS, CALL_KINDS };

/* What a pass does and needs; the rest of the program asks this table. */
enum { PASS_WRITE, PASS_READ, PASS_CACHE, PASS_MIX, PASSES };
#define DOES_READ 1
#define DOES_WRITE 2
#define WANTS_COLD 4 /* the file is evicted from the cache beforehand */
#define WANTS_WARM 8 /* the file is in the cache beforehand */

static const struct pass_type {
	const char *name;
	unsigned does;
} pass_types[PASSES] = {
	{ "write", DOES_WRITE },
	{ "read", DOES_READ | WANTS_COLD },
	{ "cache", DOES_READ | WANTS_WARM },
	{ "mix", DOES_READ | DOES_WRITE | WANTS_COLD },
};

/* A column shows one kind of call of one pass; only -l has columns of flushes. */
static const struct column {
	const char *name;
	int pass, kind;
} column_types[] = {
	{ "write", PASS_WRITE, DIRECTION_WRITE },
	{ "flush", PASS_WRITE, FLUSHES },
	{ "read", PASS_READ, DIRECTION_READ },
	{ "cache", PASS_CACHE, DIRECTION_READ },
	{ "mixread", PASS_MIX, DIRECTION_READ },
	{ "mixwrite", PASS_MIX, DIRECTION_WRITE },
	{ "mixflush", PASS_MIX, FLUSHES },
};
enum { COLUMNS = sizeof column_types / sizeof *column_types };

static const struct unit {
	const char *name;	/* for -u */
	const char *label;	/* in a table's header */
	double bytes;		/* 0: count blocks */
} units[] = { { "MB", "MB/s", 1e6 }, { "MiB", "MiB/s", 1048576 }, { "IOPS", "IOPS", 0 } };
enum { UNITS = sizeof units / sizeof *units };

/* What is tested: a scratch file in a directory, or something that exists and is only read. */
enum target { TARGET_DIRECTORY, TARGET_FILE, TARGET_DISK };
static const char *const target_names[] = { "directory", "file", "disk" };

/* What keeps the requests of -q in flight. */
enum queue_kind { QUEUE_NONE, QUEUE_PROCESSES, QUEUE_ASYNC };

struct options {
	const char *operand;
	enum target target;	/* what the operand is */
	uint64_t size_bytes, block_bytes;
	uint64_t rounds, warmup;	/* rounds 0: not given */
	uint64_t processes, depth;
	uint64_t map_parts;	/* 0: no map */
	double idle_seconds;
	double seconds;		/* 0: no limit */
	double sure_percent;	/* 0: not asked for */
	double write_percent;	/* of mix; below 0: not given */
	const struct unit *unit;
	unsigned passes;	/* a bit for each pass of the list */
	int all, extra, verbose, latency;
	int random, sync, direct;
};

/* ---- numbers: no file, no clock, no state ------------------------------ */

/*
 * A bijection of 64 bits that leaves no pattern: the finalizer of SplitMix64
 * (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014).
 */
static uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* The square root of x >= 0, by Newton: libm is not linked everywhere. */
static double square_root(double x)
{
	if (!(x > 0))
		return 0;
	double root = x > 1 ? x : 1, next;
	while ((next = (root + x / root) / 2) < root)
		root = next;
	return root;
}

static int is_nan(double x)
{
	return x != x;
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Reads plain decimal digits, with at most one of the suffixes k, m, g, t in
 * either case where suffixes is set; a number without one counts in units of
 * plain.  most is below UINT64_MAX, which stands for what is larger.  Stores
 * the product and returns NULL, or returns why it cannot be had.
 */
static const char *parse_count(const char *s, int suffixes, uint64_t plain, uint64_t least,
    uint64_t most, uint64_t *value)
{
	static const char letters[] = "kmgt";
	uint64_t n = 0, scale = plain;
	if (!is_digit(*s))
		return "not a plain number";
	for (; is_digit(*s); s++)
		n = n > UINT64_MAX / 10 - 1 ? UINT64_MAX : n * 10 + (uint64_t)(*s - '0');
	const char *letter = suffixes && *s != '\0' ? strchr(letters, lower_case(*s)) : NULL;
	if (letter != NULL) {
		scale = KIB << (10 * (letter - letters));
		s++;
	}
	if (*s != '\0')
		return "not a plain number";
	if (n > most / scale)
		return "too large";
	if (n * scale < least)
		return "too small";
	*value = n * scale;
	return NULL;
}

/*
 * Reads plain decimal digits with an optional fraction ("2", "0.5"), above
 * over and at most most, a whole number.  Stores the number and returns NULL,
 * or returns why not.
 */
static const char *parse_fraction(const char *s, double over, double most, double *value)
{
	double n = 0, digits = 0, scale = 1;
	int is_more = 0;	/* than the digits that a double can hold */
	if (!is_digit(*s))
		return "not a plain number";
	for (; is_digit(*s); s++)
		n = n * 10 + (*s - '0');
	if (*s == '.' && is_digit(s[1]))
		for (s++; is_digit(*s); s++) {
			if (scale < 1e15) {
				digits = digits * 10 + (*s - '0');
				scale *= 10;
			} else
				is_more |= *s != '0';
		}
	if (*s != '\0')
		return "not a plain number";
	n += digits / scale;
	if (n > most || (n >= most && is_more))
		return "too large";
	if (n <= over)
		return "too small";
	*value = n;
	return NULL;
}

/* ---- statistics -------------------------------------------------------- */

enum { STAT_MAX, STAT_MIN, STAT_AVG, STAT_MED, STAT_DEV, STAT_TOT, STAT_CI, STATS };

/* The summary's rows; the first three are always printed, all with -x. */
static const char *const stat_names[STATS] = { "max", "min", "avg", "med", "dev", "tot", "ci" };
enum { STATS_PLAIN = STAT_AVG + 1 };

/*
 * The 97.5 % point of Student's t with n >= 1 degrees of freedom: from a
 * table, and beyond it by the expansion of Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 26.7.5, whose first 9 digits are right there.
 */
static double student_t(uint64_t n)
{
	static const double table[] = { 12.7062047362, 4.30265272975, 3.18244630528, 2.7764451052,
		2.57058183564, 2.44691185114, 2.36462425159, 2.3060041352, 2.2621571628,
		2.22813885199, 2.20098516009, 2.17881282967, 2.16036865646, 2.14478668792,
		2.13144954556, 2.11990529922, 2.10981557783, 2.10092204024, 2.09302405441,
		2.08596344727, 2.07961384473, 2.0738730679, 2.06865761042, 2.06389856163,
		2.05953855275, 2.05552943864, 2.05183051648, 2.0484071418, 2.04522964213,
		2.0422724563, 2.0395134464, 2.03693334346, 2.03451529745, 2.03224450932,
		2.03010792825, 2.02809400098, 2.02619246303, 2.02439416391, 2.02269092004,
		2.02107539031, 2.01954097044, 2.01808170282, 2.01669219923, 2.01536757444,
		2.01410338888, 2.01289559892, 2.01174051373, 2.01063475762, 2.00957523713,
		2.0085591121, 2.00758377032, 2.00664680506, 2.00574599532, 2.00487928819,
		2.00404478329, 2.00324071885, 2.00246545929, 2.00171748415, 2.00099537809,
		2.00029782201 };
	const double z = 1.959963984540054, z2 = z * z, v = (double)n;
	double g1 = z * (z2 + 1) / 4;
	double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
	double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
	double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
	if (n <= sizeof table / sizeof *table)
		return table[n - 1];
	return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Fills stats, but for STAT_TOT, from n rates, which it sorts; one nan makes each figure nan. */
static void statistics(double *rates, uint64_t n, double *stats)
{
	double sum = 0, squares = 0;
	uint64_t i;
	for (i = 0; i < n; i++)
		sum += rates[i];
	if (n == 0 || is_nan(sum)) {
		for (i = 0; i < STATS; i++)
			stats[i] = NAN;
		return;
	}
	qsort(rates, (size_t)n, sizeof *rates, compare_doubles);
	stats[STAT_MIN] = rates[0];
	stats[STAT_MAX] = rates[n - 1];
	stats[STAT_MED] = (rates[(n - 1) / 2] + rates[n / 2]) / 2;
	/* Rounding may carry the mean of equal rates past them. */
	stats[STAT_AVG] = clamp(sum / (double)n, stats[STAT_MIN], stats[STAT_MAX]);
	for (i = 0; i < n; i++)
		squares += (rates[i] - stats[STAT_AVG]) * (rates[i] - stats[STAT_AVG]);
	stats[STAT_DEV] = n < 2 ? 0 : square_root(squares / (double)(n - 1));
	stats[STAT_CI] = n < 2 ? NAN : student_t(n - 1) * stats[STAT_DEV] / square_root((double)n);
}

/* ---- latencies: a histogram whose size no number of calls changes ------ */

/*
 * Buckets of 1 ns up to 128 ns, then 64 to each power of two: the middle of a
 * bucket is within 1/128 of whatever fell into it.  The last ends at 2^48 ns,
 * more than three days.
 */
#define BUCKET_BITS 6
#define BUCKETS ((48 - BUCKET_BITS + 1) << BUCKET_BITS)

struct histogram {
	uint64_t calls, min_ns, max_ns;
	double sum_ns, squares;
	uint64_t counts[BUCKETS];
};

static size_t bucket_of(uint64_t ns)
{
	unsigned shift = 0;
	while (ns >> shift >> BUCKET_BITS > 1)	/* the shorter the call, the sooner */
		shift++;
	uint64_t bucket = ((uint64_t)shift << BUCKET_BITS) + (ns >> shift);
	return bucket < BUCKETS ? (size_t)bucket : BUCKETS - 1;
}

/* The ns in the middle of a bucket. */
static double bucket_middle(size_t bucket)
{
	uint64_t shift = bucket >> BUCKET_BITS > 0 ? (bucket >> BUCKET_BITS) - 1 : 0;
	uint64_t low = (bucket - (shift << BUCKET_BITS)) << shift;
	return (double)low + (double)(((uint64_t)1 << shift) - 1) / 2;
}

/* Counts so many calls more, but for their buckets. */
static void histogram_count(struct histogram *h, uint64_t calls, uint64_t min_ns, uint64_t max_ns,
    double sum_ns, double squares)
{
	if (h->calls == 0 || min_ns < h->min_ns)
		h->min_ns = min_ns;
	if (max_ns > h->max_ns)
		h->max_ns = max_ns;
	h->calls += calls;
	h->sum_ns += sum_ns;
	h->squares += squares;
}

static void histogram_add(struct histogram *h, uint64_t ns)
{
	histogram_count(h, 1, ns, ns, (double)ns, (double)ns * (double)ns);
	h->counts[bucket_of(ns)]++;
}

static void histogram_merge(struct histogram *h, const struct histogram *more)
{
	size_t i;
	if (more->calls == 0)
		return;
	histogram_count(h, more->calls, more->min_ns, more->max_ns, more->sum_ns, more->squares);
	for (i = 0; i < BUCKETS; i++)
		h->counts[i] += more->counts[i];
}

/*
 * The percentile by nearest rank, in ns; it is given in millionths.  The
 * minimum (0) and the maximum (1000000) are exact, the others within 1 %.  nan
 * if there was no call.
 */
static double histogram_percentile(const struct histogram *h, uint64_t millionths)
{
	/* The product of calls and millionths may be more than 64 bits hold. */
	uint64_t rank = h->calls / 1000000 * millionths +
	    (h->calls % 1000000 * millionths + 999999) / 1000000, seen = h->counts[0];
	size_t i = 0;
	if (h->calls == 0)
		return NAN;
	if (rank <= 1)
		return (double)h->min_ns;
	if (rank >= h->calls)
		return (double)h->max_ns;
	while (seen < rank)
		seen += h->counts[++i];
	return clamp(bucket_middle(i), (double)h->min_ns, (double)h->max_ns);
}

/* The mean in ns; nan if there was no call. */
static double histogram_mean(const struct histogram *h)
{
	return h->calls == 0 ? NAN :
	    clamp(h->sum_ns / (double)h->calls, (double)h->min_ns, (double)h->max_ns);
}

/* The sample standard deviation in ns, 0 for one call; nan if there was none. */
static double histogram_deviation(const struct histogram *h)
{
	double n = (double)h->calls;
	if (h->calls < 2)
		return h->calls == 0 ? NAN : 0;
	return square_root((h->squares - h->sum_ns * (h->sum_ns / n)) / (n - 1));
}

/* ---- the system: the only place that knows which one it is -------------
 *
 * This section hides which calls a system has, what they are called and how
 * far they can be believed.  Its functions return what they achieved; they
 * print nothing and never exit.
 */

#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif
#ifndef O_SYNC
#define O_SYNC O_FSYNC
#endif
#ifndef O_DSYNC
#define O_DSYNC O_SYNC
#endif
/* No two processes use one open file, so that lseek can do it. */
#ifdef NO_PREAD
static ssize_t seek_read(int fd, void *buffer, size_t len, off_t at)
{
	return lseek(fd, at, SEEK_SET) == -1 ? -1 : read(fd, buffer, len);
}

static ssize_t seek_write(int fd, const void *buffer, size_t len, off_t at)
{
	return lseek(fd, at, SEEK_SET) == -1 ? -1 : write(fd, buffer, len);
}
#define pread seek_read
#define pwrite seek_write
#endif
#ifdef NO_FORK
#define fork() (errno = ENOSYS, (pid_t)-1)
#endif

/* The flag of open for direct I/O; where it is 0, direct_enable may do it. */
#if defined(O_DIRECT) && !defined(NO_DIRECT)
#define DIRECT_FLAG O_DIRECT
#else
#define DIRECT_FLAG 0
#endif

/* On MINIX 3 fcntl.h declares posix_fadvise, but a program that calls it does not link. */
#if defined(POSIX_FADV_DONTNEED) && !defined(NO_FADVISE) && !defined(__minix)
#define HAVE_FADVISE
#endif

#define WINDOW_PAGES 1024 /* are mapped at a time: 4 MiB, mostly */
#define WINDOWS 16384 /* of a file are verified at most, evenly spaced: 64 GiB, mostly */

/* The call that the system refused last, of those that evict and verify. */
static struct {
	const char *call;	/* NULL: the last eviction had all that it asked for */
	int error;		/* its errno */
} trouble;

static void refused(const char *call, int error)
{
	trouble.call = call;
	trouble.error = error;
}

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Each system's block defines what it has of these:
 *	EVICT_BY, EVICT_NAME	its own way to drop a file's pages, besides posix_fadvise
 *	MINCORE_BYTE		what mincore stores for each page
 *	VERIFY_PREPARE		what a mapping needs before mincore
 *	CLOCK_GETHRTIME		gethrtime is the clock
 *	IS_BSD			it has setproctitle, and st_gen in struct stat
 *	BIRTH_TIME		a member of struct stat
 *	TYPE_CALL, TYPE_MEMBER	the call, and the member with the file system's name
 */
#define BY_MSYNC 1	/* msync of a mapping, with MS_INVALIDATE */
#define BY_REOPEN 2	/* an open and a read with O_DIRECT, once all others have closed the file */
#define BY_TRUNCATE 3	/* ftruncate to a byte more and back */
#define BY_DIRECTIO 4	/* a read between DIRECTIO_ON and DIRECTIO_OFF */

#if defined(__linux__)
/*
 * Linux, Android.  POSIX_FADV_DONTNEED drops clean pages that nobody maps.
 * Since 5.2 mincore says "in memory" for each page of a file that the caller
 * neither owns nor may write.  Android before 11 (API 30) kills the caller of
 * an unknown system call.  Run on ext2/3/4, xfs, btrfs, overlay, tmpfs, FUSE.
 */
#define MINCORE_BYTE unsigned char

/*
 * A file system's name by its number, from linux/magic.h and their own sources:
 * for where /proc is not, and for btrfs, whose devices are not in mountinfo.
 */
static const char *type_by_number(const struct statfs *fs)
{
	static const struct {
		unsigned long number;
		const char *name;
	} types[] = { { 0x01021994, "tmpfs" }, { 0x858458f6, "ramfs" }, { 0x65735546, "fuse" },
		{ 0x6969, "nfs" }, { 0xff534d42, "cifs" }, { 0xfe534d42, "smb3" },
		{ 0x01021997, "9p" }, { 0xef53, "ext2/ext3/ext4" }, { 0x58465342, "xfs" },
		{ 0x9123683e, "btrfs" }, { 0x2fc12fc1, "zfs" } };
	size_t i;
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].number == ((unsigned long)fs->f_type & 0xffffffffUL))
			return types[i].name;
	return "unknown";
}

#if defined(__dietlibc__) || (defined(__ANDROID__) && __ANDROID_API__ < 30)
#undef __NR_statx	/* dietlibc has no syscall() */
#undef __NR_name_to_handle_at
#undef __NR_sched_getaffinity
#endif

/*
 * Up to 2.16 glibc has clock_gettime in librt, which is not linked unless it
 * is asked for; the system call, which fills two longs, needs no library.
 * uClibc-ng says that it is glibc 2.2, but has it in its libc.
 */
#if !defined(__dietlibc__) && defined(__NR_clock_gettime) && (defined(NO_LIBRT) || \
    (defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ < 17 && !defined(__UCLIBC__)))
struct two_longs {
	long tv_sec, tv_nsec;
};
#define timespec two_longs
#define clock_gettime(id, time) syscall(__NR_clock_gettime, id, time)
#endif

/*
 * Stores the name of the directory's file system, by /proc/self/mountinfo, as
 * in "36 35 98:0 /root /mnt opts - ext3 /dev/x rw", or by its number.  Of an
 * overlay, stores also that of its upper directory, as named when mounted.
 */
static void type_names(const char *directory, char *name, char *upper_name, size_t size)
{
	static char line[16384];
	char device[48], *type, *upper;
	struct statfs fs;
	struct stat st;
	if (statfs(directory, &fs) == 0)
		snprintf(name, size, "%s", type_by_number(&fs));
	FILE *f = stat(directory, &st) == 0 ? fopen("/proc/self/mountinfo", "r") : NULL;
	if (f == NULL)
		return;
	snprintf(device, sizeof device, " %u:%u /", (unsigned)major(st.st_dev),
	    (unsigned)minor(st.st_dev));
	while (fgets(line, sizeof line, f) != NULL) {
		if (strstr(line, device) == NULL || (type = strstr(line, " - ")) == NULL)
			continue;
		type += 3;
		snprintf(name, size, "%.*s", (int)strcspn(type, " \n"), type);
		if ((upper = strstr(type, "upperdir=")) == NULL)
			continue;
		upper += 9;
		upper[strcspn(upper, ", \n")] = '\0';
		if (statfs(upper, &fs) == 0)
			snprintf(upper_name, size, "%s", type_by_number(&fs));
	}
	fclose(f);
}

#elif defined(__APPLE__)
/*
 * macOS.  msync(MS_INVALIDATE) drops a mapping's pages, whatever its
 * protection (vm_map_msync); F_NOCACHE alone still serves what is cached.
 * fsync stops at the drive's cache, so F_FULLFSYNC.  Read in its sources.
 */
#define EVICT_BY BY_MSYNC
#define EVICT_NAME "msync"
#define MINCORE_BYTE char
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME st_birthtimespec

#elif defined(__FreeBSD__)
/*
 * FreeBSD.  posix_fadvise unwires the pages of buffers (vop_stdadvise), then
 * msync frees them.  mincore sees only what is mapped in: madvise maps in all
 * that is in memory, and reads nothing (vm_map.c).  Read in its sources.
 */
#define EVICT_BY BY_MSYNC
#define EVICT_NAME "msync"
#define MINCORE_BYTE char
#define VERIFY_PREPARE(map, len) (void)madvise(map, len, MADV_WILLNEED)
#define IS_BSD
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME st_birthtimespec

#elif defined(__NetBSD__)
/*
 * NetBSD.  msync(MS_INVALIDATE) frees pages (uvm_map_clean).  mincore sees
 * nothing on tmpfs and null mounts.  Run on 6.99: FFS, ext2, LFS.
 */
#define EVICT_BY BY_MSYNC
#define EVICT_NAME "msync"
#define MINCORE_BYTE char
#define IS_BSD
#define TYPE_CALL statvfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME st_birthtimespec

#elif defined(__OpenBSD__)
/*
 * OpenBSD.  Truncating a file drops its buffers, dirty ones written first
 * (ffs_truncate, ext2fs_truncate, detrunc).  Read in its sources.
 */
#define EVICT_BY BY_TRUNCATE
#define EVICT_NAME "ftruncate"
#define IS_BSD
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME __st_birthtim

#elif defined(__DragonFly__)
/*
 * DragonFly.  posix_fadvise does nothing, msync leaves what buffers hold.
 * HAMMER2 has buffers of the device besides.  Read in its sources.
 */
#define EVICT_BY BY_MSYNC
#define EVICT_NAME "msync"
#define MINCORE_BYTE char
#define IS_BSD
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename

#elif defined(__sun)
/*
 * Solaris, illumos.  After directio(DIRECTIO_ON) on UFS, the next direct read
 * drops the file's pages (ufs_directio_read); on NFS, directio itself does,
 * while some are dirty.  It lasts, so it is turned off again.  ZFS refuses it;
 * posix_fadvise does nothing.  Read in illumos's sources.
 */
#ifdef DIRECTIO_ON
#define EVICT_BY BY_DIRECTIO
#define EVICT_NAME "directio"
#endif
#define MINCORE_BYTE char
#define CLOCK_GETHRTIME	/* clock_gettime is in librt up to Solaris 10 */
#define TYPE_CALL statvfs
#define TYPE_MEMBER f_basetype

#elif defined(_AIX) || defined(__hpux) || defined(__sgi)
/*
 * AIX, HP-UX, IRIX.  A file that is open with O_DIRECT, and not otherwise, is
 * not cached (JFS2, EFS, XFS).  Newer HP-UX has posix_fadvise.  By manual.
 */
#define EVICT_BY BY_REOPEN
#define EVICT_NAME "O_DIRECT"
#define TYPE_CALL statvfs
#define TYPE_MEMBER f_basetype

#elif defined(__HAIKU__) || defined(__CYGWIN__)
/*
 * Haiku, Cygwin.  Opening with O_DIRECT throws the file's cache away (Haiku:
 * bfs_open, file_cache_disable; Windows: fastfat), if nobody else has it open.
 * posix_fadvise does nothing.  Read in their sources.
 */
#define EVICT_BY BY_REOPEN
#define EVICT_NAME "O_DIRECT"
#ifdef __HAIKU__
#define BIRTH_TIME st_crtim
#endif

#endif	/* Hurd, MINIX and others: posix_fadvise, where it is; on Hurd it says ENOSYS. */

/* What a block asks for and is missing, or not wanted, is left out. */
#if !defined(EVICT_BY) || defined(NO_FADVISE) || (EVICT_BY == BY_MSYNC && defined(NO_MMAP)) || \
    (EVICT_BY == BY_REOPEN && DIRECT_FLAG == 0)
#undef EVICT_BY
#undef EVICT_NAME
#define EVICT_BY 0
#ifdef HAVE_FADVISE
#define EVICT_NAME "posix_fadvise"
#else
#define EVICT_NAME "none"
#endif
#endif
#if defined(NO_MMAP) || defined(NO_MINCORE)
#undef MINCORE_BYTE
#endif
#ifdef NO_STATVFS
#undef TYPE_CALL
#endif
#if !defined(st_birthtime) && !defined(st_crtime)	/* old macOS and Haiku */
#undef BIRTH_TIME
#endif
#ifndef VERIFY_PREPARE
#define VERIFY_PREPARE(map, len) ((void)0)
#endif

/*
 * Linux counts 512 bytes each in ru_inblock.  The BSDs count transfers of any
 * size (bread, breadn, cluster_read), which shows no more than whether anything
 * was read.  There, and on macOS and Solaris, a disk can be a character device.
 */
#ifdef __linux__
enum { DEVICE_BYTES_EXACT = 1, CHARACTER_DISKS = 0 };
#else
enum { DEVICE_BYTES_EXACT = 0, CHARACTER_DISKS = 1 };
#endif

/* Whether a file cannot be evicted while another descriptor of it is open. */
enum { EVICTED_ALONE = EVICT_BY == BY_REOPEN };

/*
 * On macOS a read after direct_enable leaves nothing in the page cache
 * (F_NOCACHE), and the file system decides which flush it has.
 */
#ifdef F_FULLFSYNC
enum { UNCACHED_READ_FILLS = 0, FLUSH_NAME_FIXED = 0 };
#else
enum { UNCACHED_READ_FILLS = 1, FLUSH_NAME_FIXED = 1 };
#endif

/* Stores what the best clock that works here shows, in ns.  Returns its name. */
static const char *clock_read(uint64_t *ns)
{
#if defined(CLOCK_GETHRTIME) && !defined(NO_MONOTONIC)
	*ns = (uint64_t)gethrtime();
	return "gethrtime";
#else
#if defined(CLOCK_MONOTONIC) && !defined(NO_MONOTONIC)
	struct timespec ts;
	if (clock_gettime(CLOCK_MONOTONIC, &ts) == 0) {
		*ns = (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
		return "CLOCK_MONOTONIC";
	}
#endif
	struct timeval tv;
	gettimeofday(&tv, NULL);
	*ns = (uint64_t)tv.tv_sec * NS + (uint64_t)tv.tv_usec * 1000;
	return "gettimeofday";
#endif
}

static int clock_went_back;	/* set by now_ns, for good */

/*
 * Nanoseconds, of which only differences count; they never go back.  If the
 * clock does, by less than a second, they stand until it has caught up; if by
 * more, somebody has set it, and they go on from where they were.
 */
static uint64_t now_ns(void)
{
	static uint64_t last, set_back;
	uint64_t now;
	clock_read(&now);
	now += set_back;
	if (now < last) {
		clock_went_back = 1;
		if (last - now > NS)
			set_back += last - now;
		now = last;
	}
	return last = now;
}

static const char *clock_name(void)
{
	uint64_t ns;
	return clock_read(&ns);
}

/* The smallest step of the clock in 20 ms, in ns: clock_getres is not to be believed. */
static uint64_t clock_step_ns(void)
{
	uint64_t begin = now_ns(), last = begin, now, step = UINT64_MAX;
	int seen = 0;
	do {
		now = now_ns();
		if (now > last) {
			if (now - last < step)
				step = now - last;
			seen++;
		}
		last = now;
	} while (seen == 0 || (seen < 64 && now - begin < NS / 50));
	return step;
}

/* Seconds since 1970, for people and for the seed. */
static double wall_seconds(void)
{
	struct timeval tv;
	gettimeofday(&tv, NULL);
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* What this process has used, without its children. */
struct usage {
	int is_known;
	uint64_t cpu_ns;
	uint64_t device_bytes, written_bytes;	/* read from devices, written to files */
};

/* A CPU time in ns, or UINT64_MAX if it cannot be true: 32-bit uClibc-ng's is not the kernel's. */
static uint64_t cpu_time_ns(int64_t seconds, int64_t microseconds)
{
	if (seconds < 0 || seconds >= 1000000000 || microseconds < 0 || microseconds >= 1000000)
		return UINT64_MAX;
	return (uint64_t)seconds * NS + (uint64_t)microseconds * 1000;
}

/* What was used since before, or so far if that is NULL; all is 0 where it is not known. */
static struct usage usage_since(const struct usage *before)
{
	static const struct usage nothing = { 1, 0, 0, 0 }, unknown = { 0, 0, 0, 0 };
	const struct usage *from = before != NULL ? before : &nothing;
	struct rusage ru;
	memset(&ru, 0, sizeof ru);
	if (!from->is_known || getrusage(RUSAGE_SELF, &ru) == -1)
		return unknown;
	uint64_t user = cpu_time_ns((int64_t)ru.ru_utime.tv_sec, (int64_t)ru.ru_utime.tv_usec);
	uint64_t system = cpu_time_ns((int64_t)ru.ru_stime.tv_sec, (int64_t)ru.ru_stime.tv_usec);
	if (user == UINT64_MAX || system == UINT64_MAX)
		return unknown;
	uint64_t blocks_in = ru.ru_inblock > 0 ? (uint64_t)ru.ru_inblock : 0;
	uint64_t blocks_out = ru.ru_oublock > 0 ? (uint64_t)ru.ru_oublock : 0;
	return (struct usage){ 1, user + system - from->cpu_ns,
		blocks_in * 512 - from->device_bytes, blocks_out * 512 - from->written_bytes };
}

/* The CPU quota of a cgroup, by its path, in processors; very many if it has none. */
static double group_quota(const char *group)
{
	/* The quota and its period: version 2 has them in one file, version 1 in two. */
	static const char *const files[] = { "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us" };
	char text[PATH_MAX + 160];
	double numbers[2] = { 0, 0 };
	size_t i, n = 0;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(text, sizeof text, "%s/%s", group, files[i]);
		FILE *f = fopen(text, "r");
		if (f == NULL)
			continue;
		char *word = fgets(text, sizeof text, f) != NULL ? strtok(text, " \n") : NULL;
		for (; word != NULL && n < 2; word = strtok(NULL, " \n"))
			numbers[n++] = (double)strtol(word, NULL, 10);	/* "max" is 0 */
		fclose(f);
	}
	return numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : 1e6;
}

/*
 * How many processors this process may use at once, by its affinity or what is
 * online, and by its cgroup's CPU quota, which may be a fraction; or very many.
 */
static double processors_usable(void)
{
	char line[PATH_MAX + 64], group[PATH_MAX + 128], *end;
	double least = 1e6, quota;
#ifdef _SC_NPROCESSORS_ONLN
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	if (online > 0)
		least = (double)online;
#endif
#ifdef __NR_sched_getaffinity	/* on Linux */
	unsigned char mask[1024];
	long i, bytes = syscall(__NR_sched_getaffinity, 0, sizeof mask, mask), count = 0;
	for (i = 0; i < 8 * bytes; i++)
		count += mask[i / 8] >> i % 8 & 1;
	if (count > 0 && (double)count < least)
		least = (double)count;
#endif
	/* "0::/a/b" is a group of version 2, "4:cpu,cpuacct:/a/b" is one of version 1. */
	FILE *f = fopen("/proc/self/cgroup", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		char *list = strchr(line, ':'), *path = list != NULL ? strchr(list + 1, ':') : NULL;
		if (path == NULL)
			continue;
		int is_version_2 = path == list + 1;
		snprintf(group, sizeof group, "/sys/fs/cgroup%s%.*s", is_version_2 ? "" : "/cpu",
		    (int)strcspn(path + 1, "\n"), path + 1);
		*list = *path = ',';	/* one on either side of each word of the list */
		path[1] = '\0';
		if (!is_version_2 && strstr(list, ",cpu,") == NULL)
			continue;
		do {	/* the group, and all above it */
			if ((quota = group_quota(group)) < least)
				least = quota;
			if ((end = strrchr(group, '/')) != NULL)
				*end = '\0';
		} while (end != NULL);
	}
	if (f != NULL)
		fclose(f);
	return least;
}

/* A number that no other run has, on no machine: by time, process, place, host and /dev/urandom. */
static uint64_t run_key(void)
{
	uint64_t key = mix64((uint64_t)(wall_seconds() * 1e6)), random = 0;
	struct utsname un;
	size_t i;
	key = mix64(key + now_ns());
	key = mix64(key + (uint64_t)getpid());
	key = mix64(key + (uint64_t)(uintptr_t)&random);
	for (i = 0; uname(&un) >= 0 && un.nodename[i] != '\0'; i++)
		key = mix64(key + (unsigned char)un.nodename[i]);
	int fd = open("/dev/urandom", O_RDONLY);
	if (fd != -1) {
		(void)!read(fd, &random, sizeof random);
		close(fd);
	}
	return mix64(key + random);
}

/*
 * Opens "/", to which a write fails, for each closed standard stream, so that no
 * other file lands there.  Stores whether standard output was closed.  Returns
 * -1 with errno if that cannot be done.
 */
static int fill_standard_streams(int *out_closed)
{
	int fd;
	*out_closed = fcntl(STDOUT_FILENO, F_GETFD) == -1;
	do
		if ((fd = open("/", O_RDONLY)) == -1)
			return -1;
	while (fd <= STDERR_FILENO);
	close(fd);
	return 0;
}

/* Whether fd is a pipe or socket at whose other end nobody reads. */
static int reader_gone(int fd)
{
#ifndef NO_POLL
	struct pollfd p = { .fd = fd };
	if (poll(&p, 1, 0) == 1)
		return (p.revents & (POLLERR | POLLHUP)) != 0;
#endif
	(void)fd;
	return 0;
}

/* The columns of the terminal fd, 80 where they are not known. */
static int terminal_width(int fd)
{
#if defined(TIOCGWINSZ) && !defined(__dietlibc__)	/* which lacks the struct */
	struct winsize ws;
	if (ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
#endif
	(void)fd;
	return 80;
}

/*
 * Takes a process name that killall and pkill do not find, where it can.
 * setproctitle puts the program's name before it, but for a minus sign.
 */
static void take_process_name(char **argv, const char *name)
{
#ifdef IS_BSD
	(void)argv;
	setproctitle("-%s", name);
#else
	int i;
	for (i = 0; argv[i] != NULL; i++)
		memset(argv[i], 0, strlen(argv[i]));
#ifdef PR_SET_NAME
	prctl(PR_SET_NAME, (unsigned long)(uintptr_t)name, 0UL, 0UL, 0UL);
#endif
	(void)name;
#endif
}

/* Sets the size limit of core files to 0: one would land in the directory under test. */
static void no_core(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &limit);
	}
}

/*
 * What tells a file from all others, whatever its name.  An inode's number may
 * be given out again when its file was removed: not with the same birth time,
 * which ticks in milliseconds, and the same generation.
 */
struct identity {
	uint64_t device, inode;	/* st_dev and st_ino may have more bits than dev_t and ino_t */
	uint64_t birth, generation;	/* 0: unknown */
	unsigned mode;
	uint64_t owner;
};

/*
 * Stores the identity of the file that is open as fd or, if name is not NULL,
 * that has this name in the working directory (of a symbolic link, its own).
 * A signal handler may call it.  Returns -1 with errno, else leaves errno alone.
 */
static int identity_of(int fd, const char *name, struct identity *id)
{
	struct stat st;
	memset(id, 0, sizeof *id);
	if ((name != NULL ? lstat(name, &st) : fstat(fd, &st)) == -1)
		return -1;
	int error = errno;
	id->device = (uint64_t)st.st_dev;
	id->inode = (uint64_t)st.st_ino;
	id->mode = (unsigned)st.st_mode;
	id->owner = (uint64_t)st.st_uid;
#ifdef __linux__
	const int at = name != NULL ? AT_FDCWD : fd, empty_path = 0x1000;	/* AT_EMPTY_PATH */
	const char *path = name != NULL ? name : "";
	(void)at, (void)empty_path, (void)path;
#endif
#ifdef __NR_statx
	struct {	/* struct statx, which many C libraries lack: 256 bytes */
		uint32_t mask, to_80[19];
		int64_t seconds;
		uint32_t ns, to_256[41];
	} x;
	const unsigned btime = 0x800;	/* STATX_BTIME */
	if (syscall(__NR_statx, at, path, AT_SYMLINK_NOFOLLOW | empty_path, btime, &x) == 0 &&
	    (x.mask & btime))
		id->birth = (uint64_t)x.seconds * NS + x.ns;
#endif
#ifdef __NR_name_to_handle_at
	struct {	/* struct file_handle; of type 1 (ext2, ext3, ext4, tmpfs, f2fs) it is */
		uint32_t bytes;	/* the inode's number and generation, in either order */
		int32_t type;
		uint32_t words[32];
	} handle = { sizeof handle.words, 0, { 0 } };
	int mount;
	if (syscall(__NR_name_to_handle_at, at, path, &handle, &mount, empty_path) == 0 &&
	    handle.type == 1)
		id->generation = (uint64_t)handle.words[0] << 32 | handle.words[1];
#endif
#ifdef BIRTH_TIME
	id->birth = (uint64_t)st.BIRTH_TIME.tv_sec * NS + (uint64_t)st.BIRTH_TIME.tv_nsec;
#endif
#ifdef IS_BSD
	id->generation = (uint64_t)st.st_gen;
#endif
	errno = error;
	return 0;
}

/* Whether two of what may be unknown, 0, may be the same. */
static int may_be_same(uint64_t a, uint64_t b)
{
	return a == b || a == 0 || b == 0;
}

static int same_file(const struct identity *a, const struct identity *b)
{
	return a->device == b->device && a->inode == b->inode &&
	    may_be_same(a->birth, b->birth) && may_be_same(a->generation, b->generation);
}

/* For a descriptor whose blocks are read in random order: the system then reads nothing ahead. */
static void set_random(int fd)
{
#ifdef HAVE_FADVISE
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
#elif defined(F_RDAHEAD)
	(void)fcntl(fd, F_RDAHEAD, 0);
#endif
	(void)fd;
}

/* What came of a flush.  After FLUSH_FAILED, with errno, a second one may succeed falsely. */
enum flush {
	FLUSH_FAILED = -1,
	FLUSH_DONE,
	FLUSH_UNKNOWN,	/* the file system knows no flush */
	FLUSH_FULL	/* by F_FULLFSYNC: on macOS, fsync stops at the drive's cache */
};

/* Gets what was written to fd onto the device. */
static enum flush flush_file(int fd)
{
	int r;
#ifdef F_FULLFSYNC
	while ((r = fcntl(fd, F_FULLFSYNC)) == -1 && errno == EINTR)
		;
	if (r != -1)
		return FLUSH_FULL;
	if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY)
		return FLUSH_FAILED;
#endif
	while ((r = fsync(fd)) == -1 && errno == EINTR)
		;
	if (r == -1)
		return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? FLUSH_UNKNOWN :
		    FLUSH_FAILED;
	return FLUSH_DONE;
}

#ifdef MINCORE_BYTE
#define VERIFY_NAME "mincore"

/* Adds to count[0] how many pages a mapping has, and to count[1] how many are in memory. */
static int count_resident(void *map, size_t len, uint64_t *count)
{
	static MINCORE_BYTE seen[WINDOW_PAGES];
	size_t page = (size_t)page_bytes(), pages = (len + page - 1) / page, i;
	VERIFY_PREPARE(map, len);
	if (mincore(map, len, seen) == -1)
		return -1;
	count[0] += pages;
	for (i = 0; i < pages; i++)
		count[1] += seen[i] & 1;
	return 0;
}
#else
#define VERIFY_NAME "none"
#endif

#if defined(MINCORE_BYTE) || EVICT_BY == BY_MSYNC
/*
 * Maps fd from at to end, a window at a time, without touching it, and has its
 * pages counted or, if count is NULL, dropped.  Windows follow each other, or
 * begin every stride bytes if that is more.  Returns -1 if a call was refused.
 */
static int map_windows(int fd, uint64_t at, uint64_t end, uint64_t stride, uint64_t *count)
{
	uint64_t window = WINDOW_PAGES * page_bytes();
	while (at < end) {
		size_t len = (size_t)(end - at < window ? end - at : window);
		int r = -1, protection = count != NULL ? PROT_READ : PROT_NONE;
		void *map = mmap(NULL, len, protection, MAP_SHARED, fd, (off_t)at);
		if (map == MAP_FAILED && errno == ENOMEM && window > page_bytes()) {
			window /= 2;
			continue;
		}
		if (map == MAP_FAILED) {
			refused("mmap", errno);
			return -1;
		}
#ifdef MINCORE_BYTE
		if (count != NULL && (r = count_resident(map, len, count)) == -1)
			refused("mincore", errno);
#endif
#if EVICT_BY == BY_MSYNC
		if (count == NULL && (r = msync(map, len, MS_SYNC | MS_INVALIDATE)) == -1)
			refused("msync", errno);
#endif
		munmap(map, len);
		if (r == -1)
			return -1;
		at += len < stride ? stride : len;
	}
	return 0;
}
#endif

#if defined(MINCORE_BYTE) && defined(__linux__)
/*
 * Whether mincore is no use for fd.  If it says of a page far behind the end of
 * the file that it is in memory, it says so of all pages.  On older ZFS, reads
 * of a file that is mapped can be corrupt.
 */
static int verifier_fails(int fd, uint64_t size)
{
	struct statfs fs;
	uint64_t page = page_bytes(), behind = (size / page + WINDOW_PAGES) * page;
	uint64_t count[2] = { 0, 0 };
	if (fstatfs(fd, &fs) == 0 && strcmp(type_by_number(&fs), "zfs") == 0)
		return 1;
	if (map_windows(fd, behind, behind + page, 0, count) == -1)
		return 1;
	if (count[1] > 0)
		refused("mincore", EPERM);
	return count[1] > 0;
}
#endif

/*
 * The share, 0 to 1, of the first size bytes of fd that is in memory, or -1 if
 * that cannot be told.  Not all of a large disk is looked at, which would take
 * four seconds for each TiB.  No mapping is left: it would hinder eviction.
 */
static double resident_share(int fd, uint64_t size)
{
#ifdef MINCORE_BYTE
	uint64_t page = page_bytes(), stride = size / WINDOWS / page * page, count[2] = { 0, 0 };
#ifdef __linux__
	if (verifier_fails(fd, size))
		return -1;
#endif
	if (size > 0 && map_windows(fd, 0, size, stride, count) == 0)
		return (double)count[1] / (double)count[0];
#endif
	(void)fd;
	(void)size;
	return -1;
}

enum eviction { EVICTED_NO, EVICTED_UNKNOWN, EVICTED_YES };

/* What came of an eviction: shares that were in memory, -1 where unknown. */
struct eviction_report {
	enum eviction evicted;
	double before, after;
	double unflushed;	/* after the first try: what a flush had left dirty stays then */
};

#if EVICT_BY == BY_DIRECTIO || EVICT_BY == BY_REOPEN
/* Reads the first len bytes, at most 4096, into memory that is aligned for direct I/O. */
static void read_aligned(int fd, size_t len)
{
	static unsigned char room[2 * 4096];
	size_t odd = (size_t)((uintptr_t)room % 4096);
	(void)!pread(fd, room + (4096 - odd) % 4096, len, 0);
}
#endif

/* Asks the system to forget the pages of fd, which was flushed.  Changes it only if it may. */
static void drop_pages(int fd, uint64_t size, int may_change)
{
	(void)fd;
	(void)size;
	(void)may_change;
#ifdef HAVE_FADVISE
	/* Linux up to 2.6.5 took 0 for no bytes; a length within the last page leaves that page. */
	uint64_t page = page_bytes();
	int error = posix_fadvise(fd, 0, (off_t)((size + page - 1) / page * page),
	    POSIX_FADV_DONTNEED);
	if (error != 0)
		refused("posix_fadvise", error);
#endif
#if EVICT_BY == BY_MSYNC
	(void)map_windows(fd, 0, size, 0, NULL);
#endif
#if EVICT_BY == BY_DIRECTIO
	read_aligned(fd, 512);
	(void)directio(fd, DIRECTIO_OFF);
#endif
#if EVICT_BY == BY_TRUNCATE
	struct stat st;
	if (may_change && fstat(fd, &st) == 0 &&
	    (ftruncate(fd, st.st_size + 1) == -1 || ftruncate(fd, st.st_size) == -1))
		refused("ftruncate", errno);
#endif
}

/* Opens, flushes and drops once, for evict_file.  Returns NULL, or what failed with errno. */
static const char *evict_once(int (*open_file)(int flags), uint64_t size, int ours,
    struct eviction_report *r)
{
	int writable = ours, fd = open_file(ours ? O_RDWR : O_RDONLY);
	if (fd == -1 && ours && (errno == EACCES || errno == EPERM || errno == EROFS ||
	    errno == ENOTSUP || errno == EOPNOTSUPP)) {	/* some network file systems */
		writable = 0;
		fd = open_file(O_RDONLY);
	}
	if (fd == -1)
		return ours ? "opening the scratch file" : "opening";
	if (r->before < 0)
		r->before = resident_share(fd, size);
#if EVICT_BY == BY_DIRECTIO
	if (directio(fd, DIRECTIO_ON) == -1)
		refused("directio", errno);
#endif
	/* Some systems flush by a descriptor for writing only, and say EBADF. */
	if (flush_file(fd) == FLUSH_FAILED && ours && (writable || errno != EBADF)) {
		int error = errno;
		close(fd);
		errno = error;
		return "flushing before eviction";
	}
	drop_pages(fd, size, writable);
	r->after = resident_share(fd, size);
	if (close(fd) == -1 && errno != EINTR && writable)
		return "closing";
#if EVICT_BY == BY_REOPEN
	if ((fd = open_file(O_RDONLY | DIRECT_FLAG)) == -1)
		refused("open with O_DIRECT", errno);
	else {
		read_aligned(fd, 4096);
		close(fd);
	}
#endif
	return NULL;
}

/*
 * Evicts the first size bytes of a file from the cache, in at most three tries.
 * No descriptor of it should be open but that of open_file.  A file that is not
 * ours is only read.  Where the verifier saw nothing before, that it sees
 * nothing after proves nothing.  Returns NULL, or what failed with errno.
 */
static const char *evict_file(int (*open_file)(int flags), uint64_t size, int ours,
    struct eviction_report *r)
{
	int tries;
	refused(NULL, 0);
	*r = (struct eviction_report){ EVICTED_UNKNOWN, -1, -1, -1 };
	for (tries = 0; tries == 0 || (tries < 3 && r->after > 0); tries++) {
		const char *failed = evict_once(open_file, size, ours, r);
		if (failed != NULL)
			return failed;
		if (tries == 0 && trouble.call == NULL)
			r->unflushed = r->after;
	}
	if (r->after > 0)
		r->evicted = EVICTED_NO;
	else if (r->before > 0 && r->after >= 0)
		r->evicted = EVICTED_YES;
	return NULL;
}

/* Makes fd, opened with DIRECT_FLAG, pass the cache by.  Returns -1 with errno if it cannot. */
static int direct_enable(int fd)
{
	int r = DIRECT_FLAG != 0 ? 0 : -1;
	errno = ENOTSUP;
	(void)fd;
#if defined(F_NOCACHE) && !defined(NO_DIRECT)
	r = fcntl(fd, F_NOCACHE, 1) == -1 ? -1 : 0;
#elif defined(DIRECTIO_ON) && !defined(NO_DIRECT)
	r = directio(fd, DIRECTIO_ON);
#endif
	return r;
}

#define DIRECT_MOST 65536	/* no device is known to need more */

/* Whether len bytes of buffer can be written by fd at an offset, or read from its begin on. */
static int direct_moves(int fd, int may_write, unsigned char *buffer, size_t len, size_t at)
{
	/* Behind the end of the file a read returns 0, whatever its length. */
	return (may_write ? pwrite(fd, buffer, len, (off_t)at) : pread(fd, buffer, len, 0)) != -1;
}

/*
 * What offset and length of direct I/O on fd must be multiples of, or 0 with
 * errno: the fewest of the len aligned bytes of buffer that can be transferred,
 * by a write if the file may be changed, else by a read.  A FUSE server may take
 * so few, and refuse a block, which it hands on from an address that is odd.
 */
static uint64_t direct_multiple(int fd, int may_write, unsigned char *buffer, size_t len,
    uint64_t block_bytes)
{
	size_t n, block = block_bytes < DIRECT_MOST ? (size_t)block_bytes : DIRECT_MOST;
	if (DIRECT_FLAG == 0)
		return 1;	/* what does not fit goes through the cache */
	for (n = 512; n <= DIRECT_MOST && n <= len; n *= 2) {
		if (direct_moves(fd, may_write, buffer, n, n))
			return block > len || block % n != 0 ||
			    direct_moves(fd, may_write, buffer, block, 0) || errno != EINVAL ?
			    n : 0;
		if (errno != EINVAL)
			break;
	}
	return 0;
}

/*
 * Bytes that users may still take in the directory, for root as well: what is
 * reserved is not for measuring.  -1 if unknown, as where all numbers are 0.
 */
static double free_bytes(const char *directory)
{
#ifndef NO_STATVFS
	struct statvfs v;
	if (statvfs(directory, &v) == 0 &&
	    (v.f_blocks != 0 || v.f_bfree != 0 || v.f_bavail != 0))
		return (double)v.f_bavail * (double)(v.f_frsize > 0 ? v.f_frsize : v.f_bsize);
#endif
	(void)directory;
	return -1;
}

struct file_system {
	char name[64];
	int in_memory;	/* no figure is a disk's */
	int has_own_cache;	/* below the page cache: in the process that serves it, say */
	int is_network;
	int numbers_change;	/* of inodes that the kernel has forgotten */
};

/* Whether name begins with one of the words, which a bar stands between. */
static int begins_with(const char *name, const char *words)
{
	size_t len;
	for (; *words != '\0'; words += words[len] == '|' ? len + 1 : len) {
		len = strcspn(words, "|");
		if (strncmp(name, words, len) == 0)
			return 1;
	}
	return 0;
}

/* Finds out on what file system the directory is. */
static void file_system_look(const char *directory, struct file_system *fs)
{
	static const char memory[] = "tmpfs|ramfs|rootfs|devtmpfs|mfs|hugetlbfs";
	static const char network[] = "nfs|cifs|smb|9p|ceph|afs|afpfs|webdav|lustre|gpfs|beegfs|"
	    "sshfs|s3fs|glusterfs|davfs|gcsfuse|rclone|virtiofs";
	char upper_name[sizeof fs->name] = "";
	const char *kind = fs->name;
	memset(fs, 0, sizeof *fs);
	snprintf(fs->name, sizeof fs->name, "unknown");
#if defined(__linux__)
	type_names(directory, fs->name, upper_name, sizeof fs->name);
#elif defined(TYPE_CALL)
	struct TYPE_CALL type;
	if (TYPE_CALL(directory, &type) == 0)
		snprintf(fs->name, sizeof fs->name, "%s", type.TYPE_MEMBER);
#else
	(void)directory;
#endif
	fs->in_memory = begins_with(fs->name, memory) || begins_with(upper_name, memory);
	fs->has_own_cache = begins_with(fs->name, "fuse|macfuse|osxfuse|virtiofs|puffs|hammer2");
	/* FAT and exFAT have no such numbers, most FUSE servers number what they are asked for. */
	fs->numbers_change = begins_with(fs->name, "fuse|macfuse|osxfuse|vfat|msdos|exfat");
	if (strncmp(kind, "fuse.", 5) == 0)
		kind += 5;
	fs->is_network = begins_with(kind, network);
}

/*
 * Asynchronous requests of one process, by Linux's calls since 2.6: they are
 * asynchronous for direct I/O only.  The structures are those of
 * linux/aio_abi.h, a header that is missing beside some C libraries.
 */
struct queue_call {	/* struct iocb, 64 bytes */
	uint64_t tag, zero_1;
	uint16_t opcode, zero_2;	/* 0 reads, 1 writes */
	uint32_t fd;
	uint64_t bytes, len, offset;
	uint64_t zero_3[2];
};
struct queue_event {	/* struct io_event, 32 bytes */
	uint64_t tag, call;
	int64_t result, zero;	/* bytes, or -errno */
};
struct queue {
	unsigned long context;	/* 0: there is none */
	unsigned depth, in_flight, batched;
	struct queue_call *calls, **batch;
	struct queue_event *events;
};

#if defined(__linux__) && defined(__NR_io_setup) && defined(__NR_io_getevents) && \
    !defined(__dietlibc__) && !defined(NO_AIO)
#define QUEUE_CALL(number, ...) syscall(number, __VA_ARGS__)
#else
#define QUEUE_CALL(number, ...) queue_refused()

static long queue_refused(void)
{
	errno = ENOSYS;
	return -1;
}
#endif

static void queue_end(struct queue *q)
{
	if (q->context != 0)
		QUEUE_CALL(__NR_io_destroy, q->context);
	free(q->calls);
	free(q->batch);
	free(q->events);
	memset(q, 0, sizeof *q);
}

/* Makes a queue for so many requests, or returns -1 with errno; queue_end frees it. */
static int queue_begin(struct queue *q, unsigned depth)
{
	memset(q, 0, sizeof *q);
	q->depth = depth;
	q->calls = calloc(depth, sizeof *q->calls);
	q->batch = calloc(depth, sizeof(void *));
	q->events = calloc(depth, sizeof *q->events);
	if (q->calls != NULL && q->batch != NULL && q->events != NULL)
		return QUEUE_CALL(__NR_io_setup, depth, &q->context) == 0 ? 0 : -1;
	errno = ENOMEM;
	return -1;
}

/* Puts a request into the batch; its event has the same tag. */
static void queue_add(struct queue *q, unsigned tag, int fd, int write, void *bytes, size_t len,
    uint64_t offset)
{
	q->calls[tag] = (struct queue_call){ .tag = tag, .opcode = write != 0, .fd = (uint32_t)fd,
		.bytes = (uint64_t)(uintptr_t)bytes, .len = len, .offset = offset };
	q->batch[q->batched++] = &q->calls[tag];
}

/* Hands the batch in; what the system does not take yet stays in it.  Returns -1 with errno. */
static int queue_submit(struct queue *q)
{
	while (q->batched > 0) {
		long n = QUEUE_CALL(__NR_io_submit, q->context, (long)q->batched, q->batch);
		if (n == -1 && errno == EAGAIN && q->in_flight > 0)
			return 0;
		if (n == -1)
			return -1;
		q->in_flight += (unsigned)n;
		q->batched -= (unsigned)n;
		memmove(q->batch, q->batch + n, q->batched * sizeof(void *));
	}
	return 0;
}

/* Waits until a request is done.  Returns how many events came, or -1 with errno. */
static int queue_wait(struct queue *q)
{
	long n = QUEUE_CALL(__NR_io_getevents, q->context, 1L, (long)q->depth, q->events, NULL);
	if (n > 0)
		q->in_flight -= (unsigned)n;
	return (int)n;
}

/*
 * Whether the system does such requests one after the other before it takes
 * the next, as several file systems do with those that lengthen a file, and FUSE
 * with all: then handing them in takes most of their time.  Each must take longer
 * than 1 ms, since processes cost more than they gain on a fast disk.  fd is
 * read, or written, len bytes a request from its begin on; if it grows, each
 * try goes on behind the last.  One try of three that finds requests in flight
 * is enough.
 */
static int queue_waits(int fd, int write, int grows, void *bytes, size_t len)
{
	enum { REQUESTS = 8, TRIES = 3, LEAST_NS = REQUESTS * 1000000 };
	struct queue q;
	uint64_t offset = 0;
	int waits = queue_begin(&q, REQUESTS) == 0, try;
	unsigned i;
	for (try = 0; try < TRIES && waits; try++, offset += grows ? REQUESTS * len : 0) {
		for (i = 0; i < REQUESTS; i++)
			queue_add(&q, i, fd, write, bytes, len, offset + i * len);
		uint64_t begin = now_ns();
		waits = queue_submit(&q) == 0;
		uint64_t handing = now_ns() - begin;
		while (q.in_flight > 0 && queue_wait(&q) > 0)
			;
		waits = waits && handing > LEAST_NS && handing > (now_ns() - begin) / 2;
	}
	queue_end(&q);
	return waits;
}

/*
 * Memory for blocks, at a page's edge, as direct I/O wants it; NULL if there is
 * not enough.  From 2 MiB on it is in huge pages, if they are to be had: in small
 * ones, 1 MiB has more pieces than a device takes at once, and would be split.
 * There is room behind it, since the last direct read of a file asks for more.
 */
#define HUGE_PAGE (2 * MIB)
static unsigned char *memory_get(uint64_t bytes)
{
	uint64_t align = bytes < HUGE_PAGE ? 65536 : HUGE_PAGE;	/* no pages are larger */
	unsigned char *p;
	/* The last bytes are in a whole page as well. */
	bytes = (bytes + DIRECT_MOST + align - 1) / align * align;
	while ((p = bytes > SIZE_MAX / 2 - align ? NULL : malloc((size_t)(bytes + align))) == NULL)
		if ((align /= 32) < 65536)	/* small pages need less room */
			return NULL;
	p += align - (uint64_t)(uintptr_t)p % align;
#if !defined(NO_MMAP) && defined(MADV_HUGEPAGE)
	if (align == HUGE_PAGE)
		madvise(p, (size_t)bytes, MADV_HUGEPAGE);
#endif
	return p;
}

/* Stores for -v what pages the bytes at memory, which were touched, lie in, as Linux tells. */
static void memory_pages(const unsigned char *memory, uint64_t bytes, char *name, size_t size)
{
	char line[256], *after;
	uint64_t from = (uint64_t)(uintptr_t)memory, huge_kib = 0;
	int is_inside = 0, known = 0;
	FILE *f = fopen("/proc/self/smaps", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		uint64_t begin = strtoull(line, &after, 16);
		if (*after == '-')	/* a mapping begins: "7f1c00000000-7f1c00600000 rw-p ..." */
			is_inside = begin < from + bytes && strtoull(after + 1, NULL, 16) > from;
		else if (is_inside && strncmp(line, "AnonHugePages:", 14) == 0) {
			known = 1;
			huge_kib += strtoull(line + 14, NULL, 10);
		}
	}
	if (f != NULL)
		fclose(f);
	snprintf(name, size, !known ? "unknown" : huge_kib * 1024 >= bytes / 2 ? "huge pages" :
	    "pages of %.0f bytes", (double)page_bytes());
}

/* Waits until fd can be read, or written, for so many seconds at most.  Returns whether it can. */
enum readiness { READABLE, WRITABLE };
static int wait_until(enum readiness wanted, int fd, double seconds)
{
	fd_set set;
	struct timeval time;
	if (fd >= (int)FD_SETSIZE)
		return 1;	/* select cannot look at it: the call itself then waits */
	FD_ZERO(&set);
	FD_SET(fd, &set);
	time.tv_sec = (time_t)seconds;
	time.tv_usec = (int)((seconds - (double)time.tv_sec) * 1e6);
	void *sets[2] = { NULL, NULL };	/* HP-UX 11.00 declares them as pointers to int */
	sets[wanted] = &set;
	return select(fd + 1, sets[READABLE], sets[WRITABLE], NULL, &time) == 1;
}

/* ---- signals: a handler sets a flag, the loops look at it -------------- */

static const struct {
	int number;
	const char *name;
} end_signals[] = {
	{ SIGHUP, "HUP" }, { SIGINT, "INT" }, { SIGQUIT, "QUIT" }, { SIGTERM, "TERM" },
	{ SIGPIPE, "PIPE" },
};
enum { END_SIGNALS = sizeof end_signals / sizeof *end_signals };

static volatile sig_atomic_t caught;	/* the number of the signal that ends the run, or 0 */
static volatile sig_atomic_t continued;	/* SIGCONT came: the process may have been stopped */

/* Removes the scratch file, for a second signal; NULL while there is none. */
static void (*volatile remove_at_once)(void);

/*
 * The first signal asks the run to end; the second one ends it at once, but for
 * SIGPIPE, which may come of a pipe of the program's own: see pipe_write.
 */
static void on_end(int number)
{
	if (caught == 0)
		caught = number;
	else if (number != SIGPIPE) {
		if (remove_at_once != NULL)
			remove_at_once();
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void on_continue(int number)
{
	(void)number;
	continued = 1;
}

/* Installs a handler for a signal, with these flags, unless it was ignored from the start. */
static void catch_signal(int number, void (*handler)(int), int flags)
{
	struct sigaction sa, old;
	memset(&sa, 0, sizeof sa);
	sa.sa_handler = handler;
	sa.sa_flags = flags;
	sigemptyset(&sa.sa_mask);
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(number, &sa, NULL);
}

static void signals_catch(void)
{
	int i;
	for (i = 0; i < END_SIGNALS; i++)
		catch_signal(end_signals[i].number, on_end, 0);
	/* SA_RESTART: a system call that SIGCONT interrupts goes on. */
	catch_signal(SIGCONT, on_continue, SA_RESTART);
	/* If SIGCHLD is inherited as ignored, waitpid cannot tell how a worker ended. */
	signal(SIGCHLD, SIG_DFL);
	/* With SIGXFSZ ignored, a file that grows too large is an error of write. */
#ifdef SIGXFSZ
	signal(SIGXFSZ, SIG_IGN);
#endif
}

/* Has a child process outlive whatever signal ends its parent. */
static void signals_ignore(void)
{
	int i;
	for (i = 0; i < END_SIGNALS; i++)
		signal(end_signals[i].number, SIG_IGN);
	remove_at_once = NULL;
}

static const char *signal_name(int number)
{
	int i = 0;
	while (end_signals[i].number != number)
		i++;
	return end_signals[i].name;
}

/* ---- pipes and child processes ----------------------------------------- */

/*
 * Writes all of len bytes to a pipe of the program's own.  Returns -1 if
 * nobody reads it, or if it is full and does not wait.  The SIGPIPE of such a
 * pipe is not one of standard output, so it does not end the run.
 */
static int pipe_write(int fd, const void *buffer, size_t len)
{
	const char *p = buffer;
	sig_atomic_t before = caught;
	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n == -1 && errno == EPIPE && caught == SIGPIPE)
			caught = before;
		if (n == 0 || (n == -1 && errno != EINTR))
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Reads all of len bytes from a pipe.  Returns -1 if it ends early. */
static int pipe_read(int fd, void *buffer, size_t len)
{
	char *p = buffer;
	while (len > 0) {
		ssize_t n = read(fd, p, len);
		if (n == 0 || (n == -1 && errno != EINTR))
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Descriptor 0 is standard input and never a pipe, so that 0 says that there is none. */
static void pipe_close(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = 0;
}

static void pipes_close(int fds[2])
{
	pipe_close(&fds[0]);
	pipe_close(&fds[1]);
}

static void process_wait(pid_t pid)
{
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		;
}

/* ---- the progress line: drawn by a process of its own ------------------ */

/*
 * The ticker is a child process that draws one line on the terminal.  It
 * hears through a pipe what the run does, so that the line goes on while a
 * flush takes its time, and a terminal that takes no output (^S) delays
 * nobody but the ticker: what does not fit into the pipe is left out.
 */
struct note {
	/* The step of the run that begins, "" if the line is to be erased, NULL if some of it is done. */
	const char *step;	/* a literal: it has the same address in both processes */
	double bytes;		/* that it will move (0: no share is known), or that were moved */
	int workers;		/* that move them, or that begin to flush */
	int rounds_done, passes_done;	/* passes of the round under way */
	uint64_t rounds_ns;	/* when the first round that counts began; 0: not yet */
};

static struct {
	pid_t pid;		/* 0: there is none */
	int notes, answers;	/* this process's ends of the pipes to and from it */
	double rounds, seconds;	/* asked for; 0: no limit */
	int passes;		/* of a round */
	struct note now;	/* the last one */
	/* What only the ticker knows. */
	uint64_t step_ns;	/* when the step, or its flush, began */
	double moved;		/* bytes of the step */
	int flushing;		/* workers that have begun to flush */
	int is_silent;		/* no note tells how far the step is */
	uint64_t due_ns[2];	/* no line is drawn before; [1]: of a silent step */
	int drawn;		/* characters that stand there now */
} ticker;

/* Stores seconds as h:mm:ss. */
static void format_duration(double seconds, char *s, size_t size)
{
	unsigned long n = (unsigned long)clamp(seconds, 0, MOST_SECONDS);
	snprintf(s, size, "%lu:%02lu:%02lu", n / 3600, n / 60 % 60, n % 60);
}

/* The seconds that are left, by the passes so far and the share of this one; -1: unknown. */
static double ticker_left(double share, uint64_t now)
{
	double elapsed = (double)(now - ticker.now.rounds_ns) / 1e9, left = -1;
	double rounds = ticker.now.rounds_done + (ticker.now.passes_done + share) / ticker.passes;
	if (ticker.now.rounds_ns == 0)
		return -1;
	if (ticker.rounds > 0 && rounds > 0)
		left = elapsed * (ticker.rounds - rounds) / rounds;
	if (ticker.seconds > 0 && (left < 0 || left > ticker.seconds - elapsed))
		left = clamp(ticker.seconds - elapsed, 0, ticker.seconds);
	return left;
}

static void ticker_erase_line(void)
{
	if (ticker.drawn > 0)
		fprintf(stderr, "\r%*s\r", ticker.drawn, "");
	fflush(stderr);
	ticker.drawn = 0;
}

/*
 * Draws the line, at most a few times a second; that of a silent step, which
 * may take long, is drawn as it begins.
 */
static void ticker_draw(void)
{
	static const char hashes[] = "####################";
	char line[200], of[32] = "", done[80], time[32], left[48] = "";
	int width = terminal_width(STDERR_FILENO) - 1, bar = sizeof hashes - 1;
	uint64_t now = now_ns(), *due = &ticker.due_ns[ticker.is_silent];
	if (ticker.now.step[0] == '\0' || now < *due)
		return;
	*due = now + NS / 4;
	double share = ticker.now.bytes > 0 ? clamp(ticker.moved / ticker.now.bytes, 0, 1) : 0;
	double seconds = (double)(now - ticker.step_ns) / 1e9, left_seconds = ticker_left(share, now);
	format_duration(seconds, time, sizeof time);
	snprintf(done, sizeof done, "for %s", time);
	if (!ticker.is_silent && seconds > 0)
		snprintf(done, sizeof done, "[%-*.*s] %3.0f%% %8.1f MB/s", bar, (int)(share * bar),
		    hashes, share * 100, ticker.moved / 1e6 / seconds);
	if (ticker.rounds > 0)
		snprintf(of, sizeof of, "/%.0f", ticker.rounds);
	format_duration(left_seconds, time, sizeof time);
	if (left_seconds >= 0)
		snprintf(left, sizeof left, " %s left", time);
	snprintf(line, sizeof line, "round %d%s %-8s %s%s", ticker.now.rounds_done + 1, of,
	    ticker.now.step, done, left);
	ticker_erase_line();
	ticker.drawn = fprintf(stderr, "%.*s", width, line);
	fflush(stderr);
}

/* Takes a note in.  Returns -1 if no more will come. */
static int ticker_hear(int notes, int answers)
{
	struct note note;
	if (pipe_read(notes, &note, sizeof note) == -1)
		return -1;
	if (note.step != NULL) {
		ticker.now = note;
		ticker.moved = 0;
		ticker.flushing = 0;
		ticker.is_silent = note.bytes <= 0;
		ticker.step_ns = now_ns();
	} else {
		ticker.moved += note.bytes;
		ticker.flushing += note.workers;
	}
	if (ticker.flushing == ticker.now.workers && !ticker.is_silent) {
		ticker.now.step = "flushing";
		ticker.is_silent = 1;
		ticker.step_ns = now_ns();
	}
	if (ticker.now.step[0] != '\0')
		return 0;
	ticker_erase_line();
	return pipe_write(answers, "", 1);
}

/* Ends the ticker, also one that the terminal holds up. */
static void ticker_stop(void)
{
	pid_t pid = ticker.pid;
	ticker.pid = 0;
	pipe_close(&ticker.notes);
	pipe_close(&ticker.answers);
	if (pid > 0) {
		kill(pid, SIGKILL);
		process_wait(pid);
	}
}

/* Starts the ticker, if standard error is a terminal; rounds or seconds are 0 without a limit. */
static void ticker_start(double rounds, double seconds, int passes)
{
	int notes[2] = { 0, 0 }, answers[2] = { 0, 0 };
	if (!isatty(STDERR_FILENO))
		return;
	ticker.rounds = rounds;
	ticker.seconds = seconds;
	ticker.passes = passes;
	ticker.now.step = "";
	ticker.due_ns[0] = ticker.due_ns[1] = now_ns() + NS;
	ticker.pid = pipe(notes) == -1 || pipe(answers) == -1 ? -1 : fork();
	if (ticker.pid == 0) {
		signals_ignore();
		close(notes[1]);
		close(answers[0]);
		while (!wait_until(READABLE, notes[0], 0.25) || ticker_hear(notes[0], answers[1]) == 0)
			ticker_draw();
		ticker_erase_line();
		_exit(0);
	}
	pipe_close(&notes[0]);
	pipe_close(&answers[1]);
	ticker.notes = notes[1];
	ticker.answers = answers[0];
	if (ticker.pid == -1)
		ticker_stop();
	else
		fcntl(ticker.notes, F_SETFL, O_NONBLOCK);
}

/* Sends a note to the ticker, if there is one. */
static void ticker_note(const char *step, double bytes, int workers)
{
	ticker.now.step = step;
	ticker.now.bytes = bytes;
	ticker.now.workers = workers;
	if (ticker.pid > 0)
		pipe_write(ticker.notes, &ticker.now, sizeof ticker.now);
}

/* Erases the line before something else is printed.  A ticker that is held up is ended. */
static void ticker_erase(void)
{
	char byte;
	ticker_note("", 0, 0);
	if (ticker.pid > 0 && (!wait_until(READABLE, ticker.answers, 0.5) ||
	    pipe_read(ticker.answers, &byte, 1) == -1))
		ticker_stop();
}

/* ---- messages and warnings --------------------------------------------- */

/*
 * The length of the UTF-8 character at s, or 0 if the bytes there are none: the
 * Unicode Standard's table 3-7, in which the second byte's range bars forms
 * that are longer than needed, surrogates, and what is above U+10FFFF.
 */
static size_t utf8_length(const unsigned char *s)
{
	size_t i, len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
	unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
	if (s[0] > 0xf4 || (len > 1 && (s[1] < low || s[1] > high)))
		return 0;
	for (i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/*
 * Whether a terminal could take the character at s, or a byte that belongs to
 * none, for a command: control characters, and U+0080 to U+009F in either form.
 */
static int is_control(const unsigned char *s)
{
	size_t len = utf8_length(s);
	return len == 1 ? s[0] < ' ' || s[0] == 127 : len == 0 ? s[0] < 0xa0 :
	    s[0] == 0xc2 && s[1] < 0xa0;
}

/* Stores s with its control characters and backslashes as \ooo, cut to size. */
static void escape(const char *s, char *to, size_t size)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t used = 0;
	while (*p != '\0' && used + 16 < size) {
		const char *format = *p == '\\' || is_control(p) ? "\\%03o" : "%c";
		size_t len = utf8_length(p);
		do
			used += (size_t)snprintf(to + used, size - used, format, *p++);
		while (len-- > 1);
	}
	to[used] = '\0';
}

/* Prints "gbtestdisk: what: which: why"; which and why may be NULL. */
static void message(const char *what, const char *which, const char *why)
{
	char shown[PATH_BYTES + 64] = "";
	ticker_erase();
	if (which != NULL)
		escape(which, shown, sizeof shown);
	fprintf(stderr, "gbtestdisk: %s%s%s%s%s\n", what, which != NULL ? ": " : "", shown,
	    why != NULL ? ": " : "", why != NULL ? why : "");
}

/* The warnings so far, for -j. */
static struct {
	char **list;
	size_t count;
} warnings;

/* Warns, and says what it means for the figures and what helps. */
static void warn(const char *which, const char *format, ...)
{
	char why[600], text[1400];
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	message("warning", which, why);
	snprintf(text, sizeof text, "%.700s%s%s", which != NULL ? which : "",
	    which != NULL ? ": " : "", why);
	char **list = realloc(warnings.list, (warnings.count + 1) * sizeof *list);
	if (list == NULL)
		return;
	warnings.list = list;
	if ((list[warnings.count] = strdup(text)) != NULL)
		warnings.count++;
}

/* ---- the data: made beforehand, incompressible, stamped ---------------- */

#define SECTOR 512
#define STAMP_BYTES 8
#define STAMP_STEP 0x9e3779b97f4a7c15ULL /* odd, so that it has an inverse modulo 2^64 */
#define GENERATION_SHIFT 36 /* a stamp is made of a sector's number below, a generation above */
#define COMPRESSOR_WINDOW (4 * MIB) /* how far back a compressor may look */
#define NO_MISMATCH UINT64_MAX

/*
 * A pool of random bytes, cut into slots of one block; block n is written
 * from slot n mod slot_count.  The pool is larger than 4 MiB, so that its
 * repetition is out of a compressor's window.  A generation is one writing of
 * the file.  Each 512 bytes of the file begin with a stamp that no other
 * sector, generation or run has (up to 32 TiB, where the sectors' numbers end).
 */
static struct {
	unsigned char *slots;
	unsigned char *buffers;	/* what is read lands here: a block for each request */
	size_t block_bytes;
	uint64_t slot_count;
	uint64_t key;
	char pages[64];		/* what memory they lie in, for -v */
} data;

/* The stamp of a sector: a bijection of both, whose bytes look random. */
static uint64_t stamp_word(uint64_t sector, uint64_t generation)
{
	return data.key + STAMP_STEP * (sector + (generation << GENERATION_SHIFT));
}

/* What stamp_word was made of: sector + (generation << GENERATION_SHIFT). */
static uint64_t stamp_origin(uint64_t word)
{
	int i;
	uint64_t inverse = 1;
	/* Newton's iteration modulo 2^64: each step doubles the bits that are right. */
	for (i = 0; i < 6; i++)
		inverse *= 2 - STAMP_STEP * inverse;
	return (word - data.key) * inverse;
}

/*
 * A stamp begins at place at of len bytes, before the first of them if at is
 * below 0.  Returns how many bytes of it are among them, and stores how many
 * are before them.
 */
static size_t stamp_part(int64_t at, size_t len, size_t *before)
{
	uint64_t left = (uint64_t)((int64_t)len - at);
	size_t end = left < STAMP_BYTES ? (size_t)left : STAMP_BYTES;
	*before = at < 0 ? (size_t)-at : 0;
	return end > *before ? end - *before : 0;
}

/* Stamps the len bytes that are to be written at offset. */
static void stamp(unsigned char *buffer, uint64_t offset, size_t len, uint64_t generation)
{
	uint64_t word = stamp_word(offset / SECTOR, generation);
	int64_t at = -(int64_t)(offset % SECTOR);
	for (; at < (int64_t)len; at += SECTOR, word += STAMP_STEP) {
		size_t before, n = stamp_part(at, len, &before);
		if (n == STAMP_BYTES)	/* the compiler knows how many: faster */
			memcpy(buffer + at, &word, STAMP_BYTES);
		else if (n > 0)
			memcpy(buffer + (at + (int64_t)before), (unsigned char *)&word + before, n);
	}
}

/*
 * Whether the len bytes at offset, of whole sectors, have all their stamps.  It is
 * a loop without a branch, so that the processor fetches many sectors at once: on
 * a fast disk a pass would otherwise wait for the memory.
 */
static int stamps_right(const unsigned char *buffer, uint64_t offset, size_t len,
    uint64_t generation)
{
	uint64_t word = stamp_word(offset / SECTOR, generation), difference = 0, there;
	size_t at;
	for (at = 0; at < len; at += SECTOR, word += STAMP_STEP) {
		memcpy(&there, buffer + at, STAMP_BYTES);
		difference |= there ^ word;
	}
	return difference == 0;
}

/*
 * Checks that the len bytes read from offset have the stamps of a generation.
 * Returns NO_MISMATCH, or the file offset of the first sector that is wrong,
 * with what stands there in *found (0 if only a part of its stamp was read).
 */
static uint64_t stamps_check(const unsigned char *buffer, uint64_t offset, size_t len,
    uint64_t generation, uint64_t *found)
{
	uint64_t word = stamp_word(offset / SECTOR, generation);
	int64_t at = -(int64_t)(offset % SECTOR);
	if (at == 0 && len % SECTOR == 0 && stamps_right(buffer, offset, len, generation))
		return NO_MISMATCH;
	for (; at < (int64_t)len; at += SECTOR, word += STAMP_STEP) {
		size_t before, n = stamp_part(at, len, &before);
		const unsigned char *part = (unsigned char *)&word + before;
		if (n == STAMP_BYTES ? memcmp(buffer + at, &word, STAMP_BYTES) == 0 :
		    n == 0 || memcmp(buffer + (at + (int64_t)before), part, n) == 0)
			continue;
		*found = 0;
		if (n == STAMP_BYTES)
			memcpy(found, buffer + at, STAMP_BYTES);
		return offset + (uint64_t)at;
	}
	return NO_MISMATCH;
}

/* The generation that the first whole stamp in these bytes claims; 0 if there is none. */
static uint64_t stamps_generation(const unsigned char *buffer, uint64_t offset, size_t len)
{
	uint64_t sector = (offset + SECTOR - 1) / SECTOR, word;
	size_t at = (size_t)(sector * SECTOR - offset);
	if (at + STAMP_BYTES > len)
		return 0;
	memcpy(&word, buffer + at, STAMP_BYTES);
	return (stamp_origin(word) - sector) >> GENERATION_SHIFT;
}

/*
 * Hands memory through a pipe once, so that no pass pays for its first use:
 * neither for pages that are not there yet, nor for what a virtual machine's
 * host does when the kernel first copies from them.
 */
static void memory_warm(unsigned char *memory, uint64_t bytes)
{
	enum { PIECE = 4096 };	/* fits into any pipe */
	int fds[2];
	uint64_t i;
	if (pipe(fds) == -1)
		return;
	for (i = 0; i < bytes; i += PIECE) {
		size_t len = bytes - i < PIECE ? (size_t)(bytes - i) : PIECE;
		if (pipe_write(fds[1], memory + i, len) == -1 ||
		    pipe_read(fds[0], memory + i, len) == -1)
			break;
	}
	close(fds[0]);
	close(fds[1]);
}

/*
 * Makes the pool for blocks of so many bytes, and buffers for so many
 * requests, which begin at a multiple of 4096 as direct I/O wants it.  If the
 * pool has only one slot, a single request reads into that: reading back what
 * was written changes no more than the stamps.  Where memory is short, the
 * pool has fewer slots.  Returns -1 if there is not even memory for one.
 */
static int data_make(uint64_t block_bytes, uint64_t requests, uint64_t key)
{
	uint64_t i, state = key, bytes;
	data.key = mix64(key);
	data.block_bytes = (size_t)block_bytes;
	data.slot_count = COMPRESSOR_WINDOW / block_bytes + 1;
	for (;; data.slot_count /= 2) {
		int reads_into_slot = data.slot_count == 1 && requests == 1;
		uint64_t pool_bytes = (data.slot_count * block_bytes + 4095) / 4096 * 4096;
		bytes = pool_bytes + (reads_into_slot ? 0 : requests * block_bytes);
		data.slots = data.slot_count + requests < SIZE_MAX / block_bytes ?
		    memory_get(bytes) : NULL;
		if (data.slots != NULL) {
			data.buffers = data.slots + (reads_into_slot ? 0 : pool_bytes);
			break;
		}
		if (data.slot_count == 1)
			return -1;
	}
	for (i = 0; i < bytes; i += sizeof state) {
		uint64_t word = mix64(state += STAMP_STEP), left = bytes - i;
		memcpy(data.slots + i, &word, left < sizeof word ? (size_t)left : sizeof word);
	}
	memory_warm(data.slots, bytes);
	memory_pages(data.slots, bytes, data.pages, sizeof data.pages);
	return 0;
}

/*
 * The slot that a block is written from, whatever the generation: otherwise
 * a file that a mix pass has written in part could hold the same slot twice
 * within a compressor's window.
 */
static uint64_t data_slot(uint64_t block)
{
	return block % data.slot_count;
}

static unsigned char *data_block(uint64_t block)
{
	return data.slots + (size_t)data_slot(block) * data.block_bytes;
}

/* ---- the order of the blocks ------------------------------------------- */

/*
 * A keyed permutation of 0 .. count - 1 without a table: a Feistel network
 * over the least power of two that holds them, walked until it is back among
 * them (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
 */
struct order {
	uint64_t count, key;
	unsigned low_bits, high_bits;
};

static struct order order_make(uint64_t count, uint64_t key)
{
	unsigned bits = 0;
	while (bits < 63 && (uint64_t)1 << bits < count)
		bits++;
	return (struct order){ count, key, bits / 2, bits - bits / 2 };
}

/* What stands at a place below count. */
static uint64_t order_at(const struct order *o, uint64_t place)
{
	int i;
	uint64_t low_mask = ((uint64_t)1 << o->low_bits) - 1;
	uint64_t high_mask = ((uint64_t)1 << o->high_bits) - 1;
	do {
		uint64_t low = place & low_mask, high = place >> o->low_bits, key = o->key;
		for (i = 0; i < 3; i++) {
			uint64_t f = (high + key) * STAMP_STEP;
			low ^= (f ^ f >> 29) >> 20 & low_mask;
			key = key << 21 | key >> 43;
			f = (low + key) * STAMP_STEP;
			high ^= (f ^ f >> 29) >> 20 & high_mask;
			key = key << 21 | key >> 43;
		}
		place = high << o->low_bits | low;
	} while (place >= o->count);
	return place;
}

/*
 * The blocks that a pass covers, or has covered.  In sequence each process
 * has a part of the file, and a part is covered from its begin to its end.
 * In random order there is one part, and the places below its end are looked
 * up in the orders, the last one first: each pass has an order of its own,
 * and where -t cut the pass before, it is one of the places that were done.
 */
struct coverage {
	int parts;
	/* Of each part: the first place that is not covered.  A plan's are its round's: cut one, cut both. */
	uint64_t *ends;
	struct order orders[PASSES];
	int order_count;
};

/* Where a part of n blocks begins: floor(k n / parts), which does not overflow. */
static uint64_t part_begin(uint64_t n, int parts, int k)
{
	uint64_t all = (uint64_t)parts, part = (uint64_t)k;
	return part * (n / all) + part * (n % all) / all;
}

/* Makes c cover all n blocks. */
static void coverage_all(struct coverage *c, uint64_t n)
{
	int k;
	for (k = 0; k < c->parts; k++)
		c->ends[k] = part_begin(n, c->parts, k + 1);
	c->order_count = 0;
}

static void coverage_copy(struct coverage *to, const struct coverage *from)
{
	memcpy(to->ends, from->ends, (size_t)from->parts * sizeof *from->ends);
	memcpy(to->orders, from->orders, sizeof to->orders);
	to->order_count = from->order_count;
}

/* How many of the n blocks c covers. */
static uint64_t coverage_blocks(const struct coverage *c, uint64_t n)
{
	int k;
	uint64_t sum = 0;
	for (k = 0; k < c->parts; k++)
		sum += c->ends[k] - part_begin(n, c->parts, k);
	return sum;
}

/* The block at a place. */
static uint64_t coverage_at(const struct coverage *c, uint64_t place)
{
	int i;
	for (i = c->order_count; i > 0; i--)
		place = order_at(&c->orders[i - 1], place);
	return place;
}

/* ---- the file under test ----------------------------------------------- */

/* How a pass, or what is done beside the passes, has ended, from good to bad: of two the worse counts. */
enum ending {
	ENDED_WHOLE,
	ENDED_CUT,		/* the time of -t was up before all blocks were done */
	ENDED_SIGNAL,		/* a signal wants the run to end */
	ENDED_FAILED
};

#define NO_PLACE UINT64_MAX

/* What came of a pass, by one worker or by all.  Times are by now_ns. */
struct outcome {
	enum ending ending;
	const char *what;	/* failed: a literal, which a worker's parent has at the same address */
	char why[240];
	uint64_t start_ns, end_ns;	/* before the open, after the close */
	uint64_t moving_start_ns, moving_end_ns;	/* the calls that move blocks, all of them */
	uint64_t bytes[DIRECTIONS], calls[DIRECTIONS];
	int part;		/* that the worker had a share in */
	uint64_t undone;	/* its first place that was handed out and not done, or NO_PLACE */
	double in_flight_ns;	/* the sum of the times that requests were in flight */
	double calls_ns;	/* the sum of the latencies, where calls are timed */
	struct usage used;
	int flush_unknown;	/* the file system knows no flush */
	int was_continued;	/* the worker got SIGCONT */
};

/*
 * Notes what failed, and why, and keeps errno.  A call that a signal has
 * interrupted for good has not failed: the run is to end.  Returns -1.
 */
static int outcome_fail(struct outcome *o, const char *what, const char *format, ...)
{
	int error = errno;
	va_list ap;
	va_start(ap, format);
	vsnprintf(o->why, sizeof o->why, format, ap);
	va_end(ap);
	o->what = what;
	o->ending = error == EINTR && caught ? ENDED_SIGNAL : ENDED_FAILED;
	errno = error;
	return -1;
}

static uint64_t calls_of(const struct outcome *o)
{
	return o->calls[DIRECTION_READ] + o->calls[DIRECTION_WRITE];
}

static int outcome_no_memory(struct outcome *o)
{
	errno = ENOMEM;
	return outcome_fail(o, "preparing a pass", "cannot allocate: %s", strerror(errno));
}

#define OTHER_FILE "another file has taken its name"
#define NAME_PREFIX "gbtest-"
#define NAME_LETTERS 7 /* 14 in all: the least that any file system takes */
#define NAME_BYTES (sizeof NAME_PREFIX + NAME_LETTERS)

/* One writing of the file: all of its blocks, or those that a mix pass writes. */
struct writing {
	uint64_t generation;
	int is_mix;
	struct order choice;	/* a mix pass writes the blocks whose place in it is */
	uint64_t choices;	/* below this */
	int is_whole;		/* not cut short: every one of them was written */
};
#define HISTORY 32 /* writings that are remembered */

static struct {
	int is_ours;		/* a scratch file; else it exists and is only read */
	int wants_hold;		/* see hold_open */
	char *path;		/* for messages */
	char *name;		/* it is opened by: of ours the end of the path */
	struct identity id;	/* inode 0: there is no file */
	uint64_t newest;	/* generation in it */
	struct writing writings[HISTORY];	/* that of generation g at g mod HISTORY */
	int is_warm;		/* all its blocks were read since it was made */
	int flush_unknown;	/* the file system knows no flush */
	int was_counted;	/* the kernel has counted what was written to it */
} file;

/* ---- the guard: removes the scratch file when this process cannot ------ */

enum tell {
	TELL_GONE,	/* there is no file */
	TELL_NAME,	/* a file of this name is about to be made: is the name free? */
	TELL_MADE	/* the file of this name is that one */
};
struct told {
	enum tell kind;
	struct identity id;
	char name[NAME_BYTES];
};

static struct {
	pid_t pid;		/* 0: there is none */
	int tell, heard;	/* ends of the pipes to and from it */
} guard;

/*
 * Opens what has the name, where the file has to be open until it is removed;
 * else, or if that fails, returns -1.
 * - On some file systems an inode that the kernel forgets, as it does when memory
 *   is short, has another number afterwards: the file would seem to be another.
 * - A FUSE server hears of the last close after close has returned.  libfuse gives
 *   a file that is removed while it is open the name .fuse_hidden..., and removes
 *   that at the last close.  If it hears of that in between, the hidden file stays.
 */
static int hold_open(const char *name)
{
	return file.wants_hold ? open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) : -1;
}

/*
 * The guard's life: it hears what happens to the file, and has it open from the
 * making on.  When the pipe ends before it heard that the file is gone, it
 * removes that file and no other.
 */
static void guard_run(int listen, int answer)
{
	struct told now;
	struct identity there;
	uint64_t owner = (uint64_t)geteuid();
	char is_free = 0;
	int held = -1;
	memset(&now, 0, sizeof now);
	while (pipe_read(listen, &now, sizeof now) == 0) {
		if (held != -1)
			close(held);
		held = now.kind == TELL_MADE ? hold_open(now.name) : -1;
		if (now.kind == TELL_MADE)	/* a server may make files another user's */
			owner = now.id.owner;
		if (now.kind != TELL_NAME)
			continue;
		is_free = identity_of(-1, now.name, &there) == -1 && errno == ENOENT;
		if (pipe_write(answer, &is_free, 1) == -1)
			break;
	}
	if (is_free && now.kind != TELL_GONE) {
		if (now.kind == TELL_NAME)
			hold_open(now.name);
		if (identity_of(-1, now.name, &there) == 0 && S_ISREG(there.mode) &&
		    (now.kind == TELL_NAME ? there.owner == owner :
		    same_file(&there, &now.id)))
			unlink(now.name);
	}
	_exit(0);
}

/* Forgets the guard, in a worker: the guard's pipe has to end with the parent. */
static void guard_leave(void)
{
	pipe_close(&guard.tell);
	pipe_close(&guard.heard);
	guard.pid = 0;
}

/* Ends the guard, which then removes the file if it was not told that it is gone. */
static void guard_stop(void)
{
	pid_t pid = guard.pid;
	guard_leave();
	/* Without a file it has nothing to do; it need not see the end of its pipe. */
	if (pid > 0 && file.id.inode == 0 && remove_at_once == NULL)
		kill(pid, SIGKILL);
	if (pid > 0)
		process_wait(pid);
}

/*
 * Starts the guard, in the directory under test.  It must outlive whatever
 * ends this process: it makes a session of its own, ignores what can be
 * ignored, and takes another name.  Returns -1 with errno if it cannot.
 */
static int guard_start(char **argv)
{
	int fd, down[2] = { 0, 0 }, up[2] = { 0, 0 };
	guard.pid = pipe(down) == -1 || pipe(up) == -1 ? -1 : fork();
	if (guard.pid == 0) {
		signals_ignore();
		setsid();
		for (fd = 0; fd <= STDERR_FILENO; fd++)
			close(fd);
		close(down[1]);
		close(up[0]);
		take_process_name(argv, "scratchguard");
		guard_run(down[0], up[1]);
	}
	pipe_close(&down[0]);
	pipe_close(&up[1]);
	guard.tell = down[1];
	guard.heard = up[0];
	if (guard.pid > 0)
		return 0;
	guard_leave();
	return -1;
}

/* Stores whether the name that the guard was told is free.  Returns -1 if it does not answer. */
static int guard_answer(char *is_free)
{
	uint64_t begin = now_ns();
	while (!wait_until(READABLE, guard.heard, 1))
		if (now_ns() - begin > 10 * NS)	/* it was stopped, and nobody continues it */
			return -1;
	return pipe_read(guard.heard, is_free, 1);
}

/* Tells the guard, if it still lives.  Returns whether the name that it was told is free. */
static int guard_tell(enum tell kind)
{
	struct told now;
	char is_free = 1;
	if (guard.pid == 0)
		return 1;
	memset(&now, 0, sizeof now);
	now.kind = kind;
	now.id = file.id;
	snprintf(now.name, sizeof now.name, "%s", file.name);
	if (pipe_write(guard.tell, &now, sizeof now) == 0 &&
	    (kind != TELL_NAME || guard_answer(&is_free) == 0))
		return is_free;
	/* A guard that was told nothing of late could remove what is still in use. */
	kill(guard.pid, SIGKILL);
	guard_stop();
	warn(file.path, "the guard process is gone: if this process is killed, the file stays");
	return 1;
}

/* ---- opening, making and removing the file ----------------------------- */

/*
 * Opens the file by its name, again after a signal that does not end the
 * run.  O_NONBLOCK, or a FIFO that was put in its place would hold it up.
 * A file system that refuses O_NOFOLLOW is asked without: what was opened
 * is looked at before it is used.  Returns -1 with errno.
 */
static int open_name(int flags)
{
	int fd, no_follow = file.is_ours ? O_NOFOLLOW : 0;
	flags |= O_NONBLOCK | O_NOCTTY;
	do {
		fd = open(file.name, flags | no_follow, S_IRUSR | S_IWUSR);
		if (fd == -1 && errno == EOPNOTSUPP && no_follow != 0) {
			no_follow = 0;
			errno = EINTR;
		}
	} while (fd == -1 && errno == EINTR && !caught);
	return fd;
}

/* Whether what has the file's name is the file; if nothing has it, errno is ENOENT. */
static int file_is_there(void)
{
	struct identity there;
	return identity_of(-1, file.name, &there) == 0 && (file.id.inode == 0 ?
	    S_ISREG(there.mode) : same_file(&there, &file.id));
}

/* Removes the file, and none that took its name.  Returns -1 with errno, 0 for another file. */
static int file_unlink(void)
{
	int held = hold_open(file.name);
	errno = 0;
	int r = file_is_there() ? unlink(file.name) : -1, error = errno;
	if (held != -1)
		close(held);
	errno = error;
	return r;
}

/* The same for a second signal's handler. */
static void file_drop(void)
{
	file_unlink();
}

/* Readies a name that nobody has, as far as the guard sees, for a file that is about to be made. */
static void file_ready_name(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	static uint64_t state;
	int tries = 0, i;
	if (state == 0)
		state = run_key();
	do {
		char *p = file.name + sizeof NAME_PREFIX - 1;
		uint64_t word = mix64(state += STAMP_STEP);
		memcpy(file.name, NAME_PREFIX, sizeof NAME_PREFIX - 1);
		for (i = 0; i < NAME_LETTERS; i++, word >>= 5)
			*p++ = letters[word & 31];
		*p = '\0';
	} while (!guard_tell(TELL_NAME) && ++tries < MOST_NAMES);
}

/*
 * Makes the file by its ready name, or by another if somebody took that
 * meanwhile, and stores when.  Returns a descriptor, or -1 with errno and why in
 * *o.
 */
static int file_create(int flags, struct outcome *o)
{
	static const char what[] = "creating the scratch file";
	int fd, tries = 0;
	do {
		if (tries > 0)
			file_ready_name();
		o->start_ns = now_ns();
		fd = open_name(flags | O_CREAT | O_EXCL);
	} while (fd == -1 && errno == EEXIST && ++tries < MOST_NAMES);
	if (fd == -1)
		return outcome_fail(o, what, "%s", strerror(errno));
	remove_at_once = file_drop;
	if (identity_of(fd, NULL, &file.id) == -1) {
		outcome_fail(o, what, "%s", strerror(errno));
		close(fd);
		return -1;
	}
	guard_tell(TELL_MADE);
	return fd;
}

/* Opens the file, no other.  Returns a descriptor, or -1 with errno and why in *o. */
static int file_open(int flags, struct outcome *o)
{
	const char *what = file.is_ours ? "opening the scratch file" : "opening";
	struct identity opened;
	int fd = open_name(flags);
	if (fd == -1)
		return outcome_fail(o, what, "%s", strerror(errno));
	int error = identity_of(fd, NULL, &opened) == -1 ? errno : 0;
	if (error == 0 && same_file(&opened, &file.id))
		return fd;
	close(fd);
	errno = error == 0 ? ESTALE : error;
	return outcome_fail(o, what, "%s", error == 0 ? OTHER_FILE : strerror(error));
}

/* Closes fd; after EINTR it is closed as well.  Returns -1 with why in *o. */
static int file_close(int fd, struct outcome *o)
{
	if (close(fd) == 0 || errno == EINTR)
		return 0;
	return outcome_fail(o, "closing", "%s", strerror(errno));
}

/* Removes the scratch file, and none that took its name.  Returns NULL, or why it is still there. */
static const char *file_remove(void)
{
	int r;
	if (remove_at_once == NULL)
		return NULL;
	do
		r = file_unlink();
	while (r == -1 && errno == EINTR);
	const char *why = r == 0 || errno == ENOENT ? NULL :
	    errno == 0 ? OTHER_FILE : strerror(errno);
	if (why != NULL)
		return why;
	remove_at_once = NULL;
	file.id.inode = 0;
	guard_tell(TELL_GONE);
	return NULL;
}

/* ---- the ways out ------------------------------------------------------ */

/*
 * Leaves no file, no guard and no line of progress.  Returns whether the
 * file is gone; a message says so if it is not.
 */
static int clean_up(void)
{
	const char *why = file_remove();
	if (why != NULL)
		message("removing the scratch file", file.path, why);
	ticker_erase();
	ticker_stop();
	guard_stop();
	return why == NULL;
}

/* Says what failed, where and why, cleans up, and ends with status 1. */
static void fatal(const char *what, const char *which, const char *why)
{
	message(what, which, why);
	clean_up();
	exit(1);
}

/* Returns what was allocated, or ends the run if it was not. */
static void *must_have(void *memory, const char *what)
{
	if (memory == NULL)
		fatal(what, NULL, strerror(ENOMEM));
	return memory;
}

/* Ends the process by the signal that it caught, so that the shell knows. */
static void die_by_signal(int number)
{
	clean_up();
	signal(number, SIG_DFL);
	if (raise(number) == 0)	/* the signal is blocked */
		exit(128 + number);
}

/* Ends the run if what is in *o has failed.  Returns whether a signal has ended it. */
static int outcome_stops(const struct outcome *o)
{
	if (o->ending >= ENDED_FAILED)
		fatal(o->what, file.path, o->why);
	return o->ending == ENDED_SIGNAL;
}

/* Goes to the directory, and readies the path of the files there, without a name as yet. */
static void file_place(const char *directory)
{
	size_t len = strlen(directory), most = len + 1 + NAME_BYTES;
	file.is_ours = 1;
	free(file.path);
	file.path = must_have(malloc(most), "making the file's name");
	snprintf(file.path, most, "%s%s", directory, directory[len - 1] == '/' ? "" : "/");
	file.name = file.path + strlen(file.path);
	/* From here on the file is found, whatever becomes of the directory's name. */
	if (chdir(directory) == -1)
		fatal("looking at the directory", directory, strerror(errno));
}

/* Removes the file, or ends the run. */
static void file_must_go(void)
{
	const char *why = file_remove();
	if (why == NULL)
		return;
	remove_at_once = NULL;	/* so that no second message says the same */
	fatal("removing the scratch file", file.path, why);
}

/* ---- standard output --------------------------------------------------- */

/*
 * Results are collected here and written by out_flush.  stdio would lose
 * what it holds when a write is interrupted, or would have to wait.
 */
static struct {
	char bytes[8192];
	size_t used;
	int error;		/* errno of the write that failed, or 0 */
	int json;		/* the results are one object, not tables (-j) */
	int comma;		/* of JSON: one stands before the next member */
} out;

static void out_flush(void)
{
	size_t done = 0;
	while (done < out.used && out.error == 0) {
		ssize_t n = write(STDOUT_FILENO, out.bytes + done, out.used - done);
		if (n > 0)
			done += (size_t)n;
		else if (n == -1 && (errno == EAGAIN || errno == EWOULDBLOCK) && caught != SIGPIPE)
			wait_until(WRITABLE, STDOUT_FILENO, 1);
		else if (n == 0 || errno != EINTR || caught)
			out.error = n == 0 ? EIO : errno;
	}
	out.used = 0;
}

static void out_bytes(const char *bytes, size_t len)
{
	size_t i;
	for (i = 0; i < len; i++) {
		if (out.used == sizeof out.bytes)
			out_flush();
		out.bytes[out.used++] = bytes[i];
	}
}

static void out_text(const char *text)
{
	out_bytes(text, strlen(text));
}

/* Prints as printf does, a few hundred bytes at most.  Returns their number. */
static int out_print(const char *format, ...)
{
	char text[600];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	out_text(text);
	return (int)strlen(text);
}

/* Sends what was printed on its way; a reader that left ends the run. */
static void flush_output(void)
{
	out_flush();
	if (caught == SIGPIPE || (caught && out.error != 0))
		die_by_signal(caught);
	if (out.error != 0)
		fatal("writing the results", "standard output", strerror(out.error));
}

/* ---- the passes -------------------------------------------------------- */

/* How often the clock is read in a pass. */
enum clock_use { CLOCK_PASS, CLOCK_AFTER_CALLS, CLOCK_AROUND_CALLS };

/* A part of the map: what its calls have moved, and the sum of the times that they took. */
struct map_part {
	uint64_t bytes[DIRECTIONS], calls[DIRECTIONS];
	double ns;
};

/* What -l and -m keep of a pass. */
struct detail {
	struct histogram latency[CALL_KINDS];
	struct map_part map[];	/* as many as -m asks for */
};

/* What a pass is to do: these blocks, in this order, by these workers. */
struct plan {
	int pass;
	uint64_t size_bytes, block_bytes, blocks;
	uint64_t batch;		/* blocks in a call: above 1 only where nobody times it */
	int create;		/* a new file */
	int reads, writes, cold, check, random, sync, direct;
	uint64_t multiple;	/* that the length of a direct read has to be of */
	struct writing writing;	/* what its writes are; in mix, which blocks they are */
	struct coverage cover;
	int part;		/* of the cover: the one that a single worker does */
	int workers;		/* processes; 1: this one */
	int depth;		/* requests that each has in flight by asynchronous calls; 1: none */
	uint64_t lot;		/* places that a worker takes at once */
	uint64_t share_ns;	/* no call begins after that; 0: no limit */
	enum clock_use clock;
	struct detail *detail;	/* NULL: nothing is kept */
	uint64_t map_parts;
};

#define MOST_PER_CALL ((size_t)1 << 30)	/* macOS refuses 2^31 */
#define HEARTBEAT_BYTES 65536	/* moved between two looks at the parent and at the ticker */

/* A request in flight. */
struct request {
	uint64_t block, offset, begin_ns;
	unsigned char *bytes;
	size_t len, done;
	int write;
	unsigned char *slot_busy;	/* of the slot that it writes from, or NULL */
};

/* One worker: where it takes its places from, and what it works with. */
struct worker {
	int part;
	pid_t parent;		/* 0: this process is no child that works for another */
	/* The ends of the pipe that holds the part's next place; 0: the part is its own. */
	int place_pipe[2];
	uint64_t next, lot_end;	/* the places that it has taken and not done */
	int copies;		/* the pool is its parent's: a stamp would copy a page of it */
	unsigned char *buffers;	/* a block for each request in flight */
	struct queue queue;
	struct request *requests;
	unsigned *idle, idle_count;	/* numbers of those that are not in flight */
	unsigned char *slots_busy;	/* for each slot of the pool: a write from it is in flight */
	int fd;
	uint64_t last_ns;	/* when the last call, or what followed it, ended */
	uint64_t counted_ns;	/* up to then in_flight_ns has been summed up */
	uint64_t deadline_ns;	/* no call begins after that; 0: no limit */
	uint64_t heartbeat_bytes;	/* moved since the last one */
	uint64_t told_bytes, told_ns;	/* not yet told to the ticker; when it was told */
};

/*
 * Moves len bytes between buffer and offset of fd; short transfers and
 * interruptions are continued.  A direct read may ask for more than there
 * is to come: at least len of ask bytes are moved.  Returns the bytes moved,
 * fewer than len at the end of the file, or -1 with errno (EINTR: a signal
 * wants the run to end).
 */
static ssize_t transfer(int fd, unsigned char *buffer, size_t len, size_t ask, uint64_t offset,
    int write)
{
	size_t done = 0;
	while (done < len) {
		size_t want = ask - done < MOST_PER_CALL ? ask - done : MOST_PER_CALL;
		off_t at = (off_t)(offset + done);
		ssize_t n = write ? pwrite(fd, buffer + done, want, at) :
				    pread(fd, buffer + done, want, at);
		if (n == 0 && !write)
			break;
		if (n == 0)
			errno = ENOSPC;
		if (n == 0 || (n == -1 && (errno != EINTR || caught)))
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)(done < len ? done : len);
}

/* The bytes of count blocks at offset: fewer at the end of the file. */
static size_t blocks_length(const struct plan *p, uint64_t offset, uint64_t count)
{
	uint64_t want = count * p->block_bytes, left = p->size_bytes - offset;
	return (size_t)(left < want ? left : want);
}

/* How many bytes to ask for so that len come: what is direct wants whole multiples. */
static size_t ask_length(const struct plan *p, size_t len, int write)
{
	uint64_t over = p->multiple > 0 && !write ? len % p->multiple : 0;
	return over == 0 ? len : len + (size_t)(p->multiple - over);
}

/* Whether the writing w writes a block. */
static int writes_block(const struct writing *w, uint64_t block)
{
	return !w->is_mix || order_at(&w->choice, block) < w->choices;
}

/* Whether the pass writes this block; else it reads it. */
static int is_write(const struct plan *p, uint64_t block)
{
	return p->writes && writes_block(&p->writing, block);
}

/* Makes the bytes of a block that is to be written, in its slot, or in a buffer if one is given. */
static unsigned char *block_make(const struct plan *p, uint64_t block, uint64_t offset, size_t len,
    unsigned char *buffer)
{
	unsigned char *bytes = data_block(block);
	if (buffer != NULL && buffer != bytes)
		bytes = memcpy(buffer, bytes, len);
	stamp(bytes, offset, len, p->writing.generation);
	return bytes;
}

/* Notes that at this offset of the file another stamp was found. */
static int outcome_mismatch(const struct plan *p, struct outcome *o, uint64_t at, uint64_t found)
{
	uint64_t origin = stamp_origin(found), generation = origin >> GENERATION_SHIFT;
	uint64_t offset = (origin - (generation << GENERATION_SHIFT)) * SECTOR;
	char whose[80] = "";
	if (offset < p->size_bytes && generation <= file.newest)
		snprintf(whose, sizeof whose, ": it has the data of offset %.0f%s", (double)offset,
		    offset == at ? " of an earlier pass" : "");
	return outcome_fail(o, "checking what was read",
	    "what was written at offset %.0f is not what was read back%s", (double)at, whose);
}

/*
 * Checks that a block that was read is what was last written there.  The
 * newest writing that wrote the block tells which generation it must have.
 * A mix pass that -t cut short may or may not have written it.  A block that
 * none of the remembered writings wrote has the generation of an older one,
 * as its stamp says.  Returns 0, or -1 with what is wrong in *o.
 */
static int block_check(const struct plan *p, const unsigned char *bytes, uint64_t block,
    size_t len, struct outcome *o)
{
	uint64_t offset = block * p->block_bytes, g, wanted = 0, found;
	int is_whole = 0;
	for (g = file.newest; g > 0 && !is_whole && file.newest - g < HISTORY; g--) {
		const struct writing *w = &file.writings[g % HISTORY];
		if (!writes_block(w, block))
			continue;
		if (stamps_check(bytes, offset, len, g, &found) == NO_MISMATCH)
			return 0;
		if (wanted == 0)
			wanted = g;
		is_whole = w->is_whole;
	}
	uint64_t claimed = stamps_generation(bytes, offset, len);	/* 0: too short for a stamp */
	if (!is_whole && g > 0 && claimed <= g && (claimed == 0 ||
	    stamps_check(bytes, offset, len, claimed, &found) == NO_MISMATCH))
		return 0;
	if (wanted == 0)
		wanted = claimed > 0 && claimed <= g ? claimed : file.newest;
	uint64_t at = stamps_check(bytes, offset, len, wanted, &found);
	return at == NO_MISMATCH ? 0 : outcome_mismatch(p, o, at, found);
}

/* Counts calls that moved len bytes from this block on, and keeps that they took ns. */
static void calls_keep(const struct plan *p, uint64_t block, int write, size_t len, uint64_t calls,
    uint64_t ns, struct outcome *o)
{
	o->bytes[write] += len;
	o->calls[write] += calls;
	o->calls_ns += (double)ns;
	if (p->detail == NULL)
		return;
	histogram_add(&p->detail->latency[write], ns);
	if (p->map_parts > 0) {
		struct map_part *part = p->detail->map + block * p->map_parts / p->blocks;
		part->bytes[write] += len;
		part->calls[write]++;
		part->ns += (double)ns;
	}
}

/* Notes that a block could not be moved.  Returns -1. */
static int outcome_move_failed(struct outcome *o, int write, uint64_t offset, int error)
{
	errno = error;
	return outcome_fail(o, write ? "writing" : "reading", "%s at offset %.0f",
	    error != 0 ? strerror(error) : "the file ends early", (double)offset);
}

/*
 * Counts bytes that a worker has moved.  Each time there are enough, the worker
 * ends if its parent has died, and tells the ticker how far it is.
 */
static void worker_heartbeat(struct worker *w, uint64_t bytes)
{
	w->heartbeat_bytes += bytes;
	if (w->heartbeat_bytes < HEARTBEAT_BYTES)
		return;
	w->told_bytes += w->heartbeat_bytes;
	w->heartbeat_bytes = 0;
	if (w->parent != 0 && getppid() != w->parent)
		_exit(1);
	if (ticker.pid > 0 && now_ns() - w->told_ns > NS / 5) {
		ticker_note(NULL, (double)w->told_bytes, 0);
		w->told_bytes = 0;
		w->last_ns = w->told_ns = now_ns();
	}
}

/* Takes the next lot of the part's places.  Returns 0 if there is none. */
static int lot_take(const struct plan *p, struct worker *w)
{
	uint64_t end = p->cover.ends[w->part], next;
	if (w->place_pipe[0] == 0) {
		next = w->lot_end;	/* all of it: the part is its own */
		w->lot_end = end;
		return next < end;
	}
	if (pipe_read(w->place_pipe[0], &w->next, sizeof w->next) == -1)
		return 0;
	next = p->lot < end - w->next ? w->next + p->lot : end;
	if (pipe_write(w->place_pipe[1], &next, sizeof next) == -1)
		return 0;
	w->lot_end = next;
	if (p->clock != CLOCK_PASS)
		w->last_ns = now_ns();
	return w->next < w->lot_end;
}

/*
 * Takes the next place to do, or NO_PLACE.  If there is one but the time is
 * up, notes it as the first that is not done.
 */
static uint64_t worker_place(const struct plan *p, struct worker *w, struct outcome *o)
{
	if (w->next == w->lot_end && !lot_take(p, w))
		return NO_PLACE;
	if (w->deadline_ns > 0 && w->last_ns >= w->deadline_ns) {
		o->ending = ENDED_CUT;
		o->undone = w->next;
		return NO_PLACE;
	}
	return w->next++;
}

/* How many blocks one call moves from this block on: more than one only in an untimed layout. */
static uint64_t batch_at(const struct plan *p, const struct worker *w, uint64_t block)
{
	if (p->batch <= 1)
		return 1;
	/* As far as the slots lie one after the other. */
	uint64_t n = data.slot_count - data_slot(block);
	/* Up to a multiple of the batch, so that the cache can keep the file in large pieces. */
	if (n > p->batch - block % p->batch)
		n = p->batch - block % p->batch;
	return n < w->lot_end - block ? n : w->lot_end - block;
}

/* Moves the worker's places one after the other, each by a call that waits. */
static void move_by_calls(const struct plan *p, struct worker *w, struct outcome *o)
{
	uint64_t place;
	while (!caught && (place = worker_place(p, w, o)) != NO_PLACE) {
		uint64_t block = p->random ? coverage_at(&p->cover, place) : place;
		uint64_t offset = block * p->block_bytes, count = batch_at(p, w, block);
		size_t len = blocks_length(p, offset, count);
		int write = is_write(p, block);
		unsigned char *bytes = w->buffers;
		w->next = place + count;
		if (write)
			bytes = block_make(p, block, offset, len, w->copies ? w->buffers : NULL);
		/* One reading of the clock for each unchecked read will do: the last one's end. */
		uint64_t begin = w->last_ns;
		if (p->clock == CLOCK_AROUND_CALLS && (write || p->check))
			begin = now_ns();
		ssize_t n = transfer(w->fd, bytes, len, ask_length(p, len, write), offset, write);
		if (n != (ssize_t)len) {
			outcome_move_failed(o, write, offset, n == -1 ? errno : 0);
			return;
		}
		if (p->clock != CLOCK_PASS)
			w->last_ns = now_ns();
		o->in_flight_ns += (double)(w->last_ns - begin);
		calls_keep(p, block, write, len, count, w->last_ns - begin, o);
		if (p->check && !write && block_check(p, bytes, block, len, o) == -1)
			return;
		worker_heartbeat(w, len);
	}
}

/* Puts what is left of a request into the batch. */
static void request_add(const struct plan *p, struct worker *w, unsigned tag,
    const struct request *r)
{
	queue_add(&w->queue, tag, w->fd, r->write, r->bytes + r->done,
	    ask_length(p, r->len, r->write) - r->done, r->offset + r->done);
}

/*
 * Readies an idle request for the block at a place.  It writes from the
 * block's slot, which must not be stamped anew before the write is done;
 * where another one is in flight from there, or w->copies is set, it writes
 * from a copy.
 */
static void request_make(const struct plan *p, struct worker *w, uint64_t place)
{
	unsigned tag = w->idle[--w->idle_count];
	struct request *r = &w->requests[tag];
	unsigned char *own = w->buffers + tag * p->block_bytes;
	memset(r, 0, sizeof *r);
	r->block = p->random ? coverage_at(&p->cover, place) : place;
	r->offset = r->block * p->block_bytes;
	r->len = blocks_length(p, r->offset, 1);
	r->write = is_write(p, r->block);
	r->bytes = own;
	if (r->write) {
		unsigned char *busy = &w->slots_busy[data_slot(r->block)];
		int copies = w->copies || *busy || data.slot_count == 1;
		r->bytes = block_make(p, r->block, r->offset, r->len, copies ? own : NULL);
		if (!copies)
			*(r->slot_busy = busy) = 1;
	}
	request_add(p, w, tag, r);
}

/* Takes in that a request has moved result bytes, or failed with -result. */
static void request_moved(const struct plan *p, struct worker *w,
    const struct queue_event *event, struct outcome *o)
{
	unsigned tag = (unsigned)event->tag;
	struct request *r = &w->requests[tag];
	if (event->result > 0)
		r->done += (size_t)event->result;
	if (event->result == -EINTR || (event->result > 0 && r->done < r->len)) {
		request_add(p, w, tag, r);
		return;
	}
	w->idle[w->idle_count++] = tag;
	if (r->slot_busy != NULL)
		*r->slot_busy = 0;
	if (event->result <= 0) {
		outcome_move_failed(o, r->write, r->offset, event->result < 0 ?
		    (int)-event->result : r->write ? ENOSPC : 0);
		return;
	}
	calls_keep(p, r->block, r->write, r->len, 1, w->last_ns - r->begin_ns, o);
	if (p->check && !r->write)
		block_check(p, r->bytes, r->block, r->len, o);
}

/*
 * Hands the batch in and takes what is done by then.  fresh requests are in
 * the batch for the first time.  The time in which requests were in flight
 * is summed up as it passes; while a batch is being handed in, only one of
 * it counts, as some file systems do the whole of it before they return.
 * Returns -1 if nothing is in flight any more.
 */
static int flight_turn(const struct plan *p, struct worker *w, unsigned fresh, struct outcome *o)
{
	struct queue *q = &w->queue;
	uint64_t begin = now_ns(), bytes = o->bytes[DIRECTION_READ] + o->bytes[DIRECTION_WRITE];
	unsigned i, before = q->in_flight, handing = q->batched > 0;
	for (i = 0; i < fresh; i++)	/* they stand where they were taken from */
		w->requests[w->idle[w->idle_count + i]].begin_ns = begin;
	if (queue_submit(q) == -1) {
		outcome_fail(o, "handing in requests", "%s", strerror(errno));
		q->batched = 0;
	}
	uint64_t handed = now_ns();
	o->in_flight_ns += (double)(begin - w->counted_ns) * before +
	    (double)(handed - begin) * (before + handing);
	w->last_ns = w->counted_ns = handed;
	if (q->in_flight == 0)
		return -1;
	unsigned waiting = q->in_flight;
	int done = queue_wait(q);
	w->last_ns = w->counted_ns = now_ns();
	o->in_flight_ns += (double)(w->counted_ns - handed) * waiting;
	if (done == -1 && errno != EINTR)
		return outcome_fail(o, "waiting for requests", "%s", strerror(errno));
	for (i = 0; done > 0 && i < (unsigned)done; i++)
		request_moved(p, w, &q->events[i], o);
	worker_heartbeat(w, o->bytes[DIRECTION_READ] + o->bytes[DIRECTION_WRITE] - bytes);
	return 0;
}

/* Moves the worker's places with as many requests in flight as it may have. */
static void move_in_flight(const struct plan *p, struct worker *w, struct outcome *o)
{
	unsigned idle;
	do {
		uint64_t place;
		idle = w->idle_count;
		while (w->idle_count > 0 && o->ending == ENDED_WHOLE && !caught &&
		    (place = worker_place(p, w, o)) != NO_PLACE)
			request_make(p, w, place);
	} while (flight_turn(p, w, idle - w->idle_count, o) == 0);
}

/* Flushes what the pass has written, and closes its file. */
static void worker_close(const struct plan *p, struct worker *w, struct outcome *o)
{
	if (p->writes && o->ending <= ENDED_CUT && !caught) {
		ticker_note(NULL, (double)(w->told_bytes + w->heartbeat_bytes), 1);
		uint64_t begin = now_ns();
		enum flush flushed = flush_file(w->fd);
		if (flushed == FLUSH_FAILED)
			outcome_fail(o, "flushing", "%s", strerror(errno));
		if (p->detail != NULL)
			histogram_add(&p->detail->latency[FLUSHES], now_ns() - begin);
		o->flush_unknown = flushed == FLUSH_UNKNOWN;
	}
	if (o->ending <= ENDED_CUT)
		file_close(w->fd, o);
	else
		close(w->fd);
}

/* Moves all places that the worker can get, and sums up how long requests were in flight. */
static void worker_move(const struct plan *p, struct worker *w, struct outcome *o)
{
	uint64_t begin = w->last_ns = w->counted_ns = w->told_ns = o->moving_start_ns = now_ns();
	if (p->depth > 1)
		move_in_flight(p, w, o);
	else
		move_by_calls(p, w, o);
	o->moving_end_ns = now_ns();
	/* Where calls were not timed, one was in flight nearly all of the time. */
	if (p->depth == 1 && p->clock != CLOCK_AROUND_CALLS && calls_of(o) > 0)
		o->in_flight_ns = (double)(o->moving_end_ns - begin);
}

/*
 * One worker's pass: opens the file, moves blocks, flushes and closes, all
 * timed.  start_ns is when the pass began, if that was before, or 0.
 */
static void worker_run(const struct plan *p, struct worker *w, uint64_t start_ns,
    struct outcome *o)
{
	int flags = (p->sync ? O_DSYNC : 0) | (p->direct ? DIRECT_FLAG : 0);
	struct usage before = usage_since(NULL);
	flags |= p->writes && p->reads ? O_RDWR : p->writes ? O_WRONLY : O_RDONLY;
	o->undone = NO_PLACE;
	o->start_ns = now_ns();
	w->deadline_ns = p->share_ns > 0 ? (start_ns > 0 ? start_ns : o->start_ns) + p->share_ns :
	    0;
	/* The parent of several workers has made the file for them. */
	w->fd = p->create && w->parent == 0 ? file_create(flags, o) : file_open(flags, o);
	if (w->fd != -1) {
		if ((p->direct || (p->cold && !UNCACHED_READ_FILLS)) &&
		    direct_enable(w->fd) == -1 && p->direct)
			outcome_fail(o, "turning direct I/O on", "%s", strerror(errno));
		if (p->random)
			set_random(w->fd);
		if (o->ending == ENDED_WHOLE)
			worker_move(p, w, o);
		worker_close(p, w, o);
	}
	o->end_ns = now_ns();
	if (caught && o->ending < ENDED_SIGNAL)
		o->ending = ENDED_SIGNAL;
	o->used = usage_since(&before);
}

/* Gets what a worker needs before the clock starts.  Returns -1 with what is wrong in *o. */
static int worker_ready(const struct plan *p, struct worker *w, struct outcome *o)
{
	unsigned i, depth = (unsigned)p->depth;
	w->next = w->lot_end = part_begin(p->blocks, p->cover.parts, w->part);
	if (depth == 1)
		return 0;
	w->requests = calloc(depth, sizeof *w->requests);
	w->idle = calloc(depth, sizeof *w->idle);
	w->slots_busy = calloc((size_t)data.slot_count, 1);
	if (w->requests == NULL || w->idle == NULL || w->slots_busy == NULL)
		return outcome_no_memory(o);
	for (i = 0; i < depth; i++)	/* the first one is taken first */
		w->idle[i] = depth - 1 - i;
	w->idle_count = depth;
	if (queue_begin(&w->queue, depth) == -1)
		return outcome_fail(o, "preparing the queue of requests", "%s", strerror(errno));
	return 0;
}

/* Frees what worker_ready has got. */
static void worker_done(const struct plan *p, struct worker *w)
{
	if (p->depth > 1)
		queue_end(&w->queue);
	free(w->requests);
	free(w->idle);
	free(w->slots_busy);
}

/* ---- several workers: processes that share the work through pipes ------ */

/* What lets a worker begin: which file the parent made, by what name, and when the pass began. */
struct start {
	struct identity id;
	char name[NAME_BYTES];
	uint64_t pass_ns;
};

/* The crew of a pass, as its parent sees it. */
struct crew {
	pid_t *pids;		/* 0: it has ended */
	int started;
	int start[2];		/* a struct start for each worker lets it begin */
	int turn[2];		/* a byte lets one worker that is done report */
	int results[2];
};

/* Adds a worker's outcome to that of the pass; the first fault is kept. */
static void outcome_merge(struct outcome *o, const struct outcome *one)
{
	int d;
	if (one->ending > o->ending) {
		o->ending = one->ending;
		o->what = one->what;
		memcpy(o->why, one->why, sizeof o->why);
	}
	if (one->start_ns < o->start_ns)
		o->start_ns = one->start_ns;
	if (one->end_ns > o->end_ns)
		o->end_ns = one->end_ns;
	for (d = 0; d < DIRECTIONS; d++) {
		o->bytes[d] += one->bytes[d];
		o->calls[d] += one->calls[d];
	}
	if (calls_of(one) > 0 && one->moving_start_ns < o->moving_start_ns)
		o->moving_start_ns = one->moving_start_ns;
	if (calls_of(one) > 0 && one->moving_end_ns > o->moving_end_ns)
		o->moving_end_ns = one->moving_end_ns;
	o->in_flight_ns += one->in_flight_ns;
	o->calls_ns += one->calls_ns;
	o->used.is_known &= one->used.is_known;
	o->used.cpu_ns += one->used.cpu_ns;
	o->used.device_bytes += one->used.device_bytes;
	o->used.written_bytes += one->used.written_bytes;
	o->flush_unknown |= one->flush_unknown;
}

/* Adds what -l and -m keep. */
static void detail_merge(struct detail *d, const struct detail *more, uint64_t map_parts)
{
	int kind, i;
	uint64_t part;
	for (kind = 0; kind < CALL_KINDS; kind++)
		histogram_merge(&d->latency[kind], &more->latency[kind]);
	for (part = 0; part < map_parts; part++) {
		for (i = 0; i < DIRECTIONS; i++) {
			d->map[part].bytes[i] += more->map[part].bytes[i];
			d->map[part].calls[i] += more->map[part].calls[i];
		}
		d->map[part].ns += more->map[part].ns;
	}
}

static size_t detail_bytes(uint64_t map_parts)
{
	return sizeof(struct detail) + (size_t)map_parts * sizeof(struct map_part);
}

/*
 * A worker process: gets ready, waits for the start, works, waits for its turn,
 * and reports: its outcome, then what it kept for -l and -m.
 */
static void crew_member(struct plan p, struct crew *c, int part, const int place_pipe[2],
    pid_t parent)
{
	struct worker w = { .part = part, .parent = parent,
	    .place_pipe = { place_pipe[0], place_pipe[1] } };
	struct outcome o;
	struct start start;
	char turn;
	signals_ignore();
	guard_leave();
	close(c->start[1]);
	close(c->turn[1]);
	close(c->results[0]);
	continued = 0;
	memset(&o, 0, sizeof o);
	o.part = part;
	w.copies = data.slot_count > 1;
	uint64_t bytes = (uint64_t)p.depth * p.block_bytes;
	w.buffers = w.copies || p.depth > 1 ? memory_get(bytes) : data.slots;
	if (w.buffers == NULL)
		outcome_no_memory(&o);
	else if (worker_ready(&p, &w, &o) == 0)
		memory_warm(w.buffers, bytes);
	if (p.detail != NULL)	/* so that its pages are this process's own by now */
		memset(p.detail, 0, detail_bytes(p.map_parts));
	if (pipe_read(c->start[0], &start, sizeof start) == -1)
		_exit(1);
	file.id = start.id;
	if (p.create)
		memcpy(file.name, start.name, sizeof start.name);
	o.start_ns = o.end_ns = now_ns();
	if (o.ending == ENDED_WHOLE)
		worker_run(&p, &w, start.pass_ns, &o);
	if (pipe_read(c->turn[0], &turn, 1) == -1)
		_exit(1);
	o.was_continued = continued;
	if (pipe_write(c->results[1], &o, sizeof o) == -1 || (p.detail != NULL &&
	    pipe_write(c->results[1], p.detail, detail_bytes(p.map_parts)) == -1))
		_exit(1);
	_exit(0);
}

static int crew_fail(const struct plan *p, const struct crew *c, struct outcome *o)
{
	return outcome_fail(o, "starting the worker processes", "%.0f of %.0f could be started: %s",
	    (double)c->started, (double)p->workers, strerror(errno));
}

/*
 * Starts the workers of a part.  If there are several, the number of the
 * next place goes round among them in a pipe: a worker reads it, puts it back
 * increased by the places that it takes, and so no place is taken twice.
 * Returns -1 with what is wrong in *o.
 */
static int crew_start_part(const struct plan *p, struct crew *c, int part, struct outcome *o)
{
	int i, place_pipe[2] = { 0, 0 }, workers = p->workers / p->cover.parts;
	uint64_t first = part_begin(p->blocks, p->cover.parts, part);
	pid_t parent = getpid();
	if (workers > 1 && (pipe(place_pipe) == -1 ||
	    pipe_write(place_pipe[1], &first, sizeof first) == -1)) {
		crew_fail(p, c, o);
		pipes_close(place_pipe);
		return -1;
	}
	for (i = 0; i < workers; i++) {
		pid_t pid = fork();
		if (pid == 0)
			crew_member(*p, c, part, place_pipe, parent);
		if (pid == -1) {
			crew_fail(p, c, o);
			break;
		}
		c->pids[c->started++] = pid;
	}
	pipes_close(place_pipe);
	return i < workers ? -1 : 0;
}

/* Starts the crew of a pass; all wait.  Returns -1 with what is wrong in *o. */
static int crew_start(const struct plan *p, struct crew *c, struct outcome *o)
{
	int part, result = 0;
	if ((c->pids = calloc((size_t)p->workers, sizeof *c->pids)) == NULL)
		return outcome_no_memory(o);
	if (pipe(c->start) == -1 || pipe(c->turn) == -1 || pipe(c->results) == -1)
		return crew_fail(p, c, o);
	/* While it forks, no second signal may have a worker remove the file; the guard would. */
	void (*remove_now)(void) = remove_at_once;
	remove_at_once = NULL;
	for (part = 0; part < p->cover.parts && result == 0; part++)
		result = crew_start_part(p, c, part, o);
	remove_at_once = remove_now;
	return result;
}

/* Kills all workers that still are there: the file and the guard are not theirs. */
static void crew_kill(const struct crew *c)
{
	int i;
	for (i = 0; i < c->started; i++)
		if (c->pids[i] > 0)
			kill(c->pids[i], SIGKILL);
}

static int crew_lost(struct outcome *o)
{
	errno = 0;
	return outcome_fail(o, "waiting for the worker processes", "one of them was killed");
}

/* Sees which workers have ended: the pass has failed if one was killed. */
static void crew_look(struct crew *c, struct outcome *o)
{
	int i, status;
	for (i = 0; i < c->started; i++) {
		if (c->pids[i] == 0 || waitpid(c->pids[i], &status, WNOHANG) <= 0)
			continue;
		c->pids[i] = 0;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			crew_lost(o);
	}
}

/*
 * Reads len bytes that workers send.  Returns -1 if a signal wants the run to
 * end or a worker was killed: what it held or had begun to send is lost.
 */
static int crew_read(struct crew *c, void *buffer, size_t len, struct outcome *o)
{
	char *p = buffer;
	while (len > 0) {
		if (caught)
			o->ending = ENDED_SIGNAL;
		if (o->ending > ENDED_CUT)
			return -1;
		if (!wait_until(READABLE, c->results[0], 0.1)) {
			crew_look(c, o);
			continue;
		}
		ssize_t n = read(c->results[0], p, len);
		if (n == 0)
			return crew_lost(o);
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Hears all workers out, one after the other; the first fault or a signal ends them all. */
static void crew_collect(struct plan *p, struct crew *c, struct outcome *o)
{
	struct outcome one;
	struct detail *heard = NULL;
	int i;
	char turn = 0;
	if (p->detail != NULL && (heard = malloc(detail_bytes(p->map_parts))) == NULL)
		outcome_no_memory(o);
	for (i = 0; i < p->workers && o->ending <= ENDED_CUT; i++) {
		/* No worker is left that reads it, but for those that have reported. */
		if (pipe_write(c->turn[1], &turn, 1) == -1) {
			crew_lost(o);
			break;
		}
		if (crew_read(c, &one, sizeof one, o) == -1)
			break;
		outcome_merge(o, &one);
		if (one.was_continued)	/* it may have been stopped */
			continued = 1;
		if (heard != NULL && crew_read(c, heard, detail_bytes(p->map_parts), o) == -1)
			break;
		if (one.undone < p->cover.ends[one.part])
			p->cover.ends[one.part] = one.undone;
		if (heard != NULL)
			detail_merge(p->detail, heard, p->map_parts);
	}
	free(heard);
}

/* The pass by several workers: makes its file, timed, starts them and hears them out. */
static void crew_run(struct plan *p, struct outcome *o)
{
	int i;
	struct crew c;
	struct start start;
	memset(&c, 0, sizeof c);
	memset(&start, 0, sizeof start);
	o->moving_start_ns = UINT64_MAX;
	o->used.is_known = 1;
	if (crew_start(p, &c, o) == 0) {
		pipe_close(&c.start[0]);
		pipe_close(&c.turn[0]);
		pipe_close(&c.results[1]);
		start.pass_ns = now_ns();
		o->start_ns = UINT64_MAX;	/* of a file that is there, the first worker's */
		int fd = p->create ? file_create(O_WRONLY, o) : -1;
		start.id = file.id;
		if (p->create)
			memcpy(start.name, file.name, sizeof start.name);
		for (i = 0; o->ending == ENDED_WHOLE && i < p->workers; i++)
			pipe_write(c.start[1], &start, sizeof start);
		if (o->ending == ENDED_WHOLE)
			crew_collect(p, &c, o);
		/* By now each worker has had it open: its inode was never forgotten. */
		if (fd != -1 && o->ending <= ENDED_CUT)
			file_close(fd, o);
		else if (fd != -1)
			close(fd);
	}
	if (o->ending > ENDED_CUT)
		crew_kill(&c);
	pipes_close(c.start);
	pipes_close(c.turn);
	pipes_close(c.results);
	for (i = 0; i < c.started; i++)
		if (c.pids[i] > 0)
			process_wait(c.pids[i]);
	free(c.pids);
}

/*
 * Runs a pass, with the clock around it all.  One worker is this process
 * itself.  What -t cut short is taken from the plan's coverage, and so the round's.
 */
static struct outcome pass_run(struct plan *p)
{
	struct worker self = { .part = p->part, .buffers = data.buffers };
	struct outcome o;
	memset(&o, 0, sizeof o);
	if (p->workers > 1)
		crew_run(p, &o);
	else {
		if (worker_ready(p, &self, &o) == 0)
			worker_run(p, &self, 0, &o);
		if (o.ending == ENDED_CUT)
			p->cover.ends[p->part] = o.undone;
		worker_done(p, &self);
	}
	return o;
}

/* ---- the rounds: what is prepared, measured and remembered ------------- */

/* What is kept of a pass for each of its columns. */
struct record {
	uint64_t start_ns, end_ns;
	uint64_t bytes, calls;
	uint64_t round_ns;	/* when its round had ended, since results.start_ns */
};

/* A mean that grows by one rate at a time (Welford, Technometrics 4, 1962). */
struct running {
	uint64_t n;
	double mean, squares;
};

/* What casts doubt on the figures of a pass, over all rounds. */
struct pass_findings {
	int is_short;		/* it took too few steps of the clock */
	uint64_t cut_rounds, overrun_ns;	/* by -t; by the last calls and the flush */
	double least_done;	/* share of the blocks, where it was cut */
	uint64_t cpu_ns, elapsed_ns, moving_ns;	/* sums */
	double in_flight_ns, calls_ns;
	double device;		/* share that came from a device: lowest if cold, else highest; or nan */
};

/* What casts doubt on all of them. */
struct findings {
	struct pass_findings pass[PASSES];
	enum eviction evicted;	/* the worst, by the page verifier alone */
	int verifier_saw;	/* pages of this file, at any time */
	double resident;	/* most that was left after an eviction; nan, as below: not known */
	double unflushed;	/* most that was not on the device after a flush */
	double leaked;		/* most that direct I/O left in the cache */
	double cached;		/* least that was in memory for a cache pass */
	int device_counts;	/* the kernel was seen to count transfers from and to a device */
	uint64_t stopped;	/* rounds that count although they were stopped */
};

/* The rows of -l, in us: percentiles, and with -x mean, dev and the number of calls. */
static const char *const latency_names[] = { "0", "25", "50", "75", "90", "95", "99", "99.9",
	"99.99", "99.999", "99.9999", "100", "mean", "dev", "calls" };
enum { FIGURES = sizeof latency_names / sizeof *latency_names, PERCENTILES = FIGURES - 3 };

/* Where the run takes place. */
struct machine {
	char path[PATH_BYTES];	/* of what is tested */
	struct file_system fs;
	double on_disk;		/* share of an existing file that has blocks, or nan */
	double processors;	/* that may be used at once */
	double start_wall;	/* seconds since 1970, at start_ns */
	uint64_t start_ns, clock_step_ns;
	uint64_t multiple;	/* that direct I/O demands, in bytes; 0: not asked for */
	enum queue_kind queue[PASSES];
	const char *flush;	/* the call that flushes a file */
};

static struct {
	uint64_t rounds;	/* complete ones that count */
	int passes, columns, call_columns;	/* call_columns: those of -l */
	const struct column *column[COLUMNS], *call_column[COLUMNS];
	struct record *records;	/* rounds by columns */
	struct running running[COLUMNS];
	double summary[COLUMNS][FIGURES];	/* the first STATS of them: see report_figures */
	struct detail *detail[PASSES];	/* of all rounds; NULL: nothing is kept */
	struct findings found;
	struct machine machine;
	uint64_t start_ns;	/* when the first round began that counts */
	int sure;		/* -e was reached */
} results;

/* The round under way. */
struct round {
	struct coverage written;	/* what a pass that writes covers, and what it has written */
	struct coverage readable;	/* the same of passes that only read */
	struct detail *detail[PASSES];
	uint64_t share_ns;	/* of -t, that a pass of any round may take; 0: no limit */
};

/* Whether rounds have this pass. */
static int has_pass(const struct options *opt, int pass)
{
	return (opt->passes & 1u << pass) != 0;
}

/* The blocks of a pass. */
static uint64_t blocks_of(const struct options *opt)
{
	uint64_t tail = opt->size_bytes % opt->block_bytes;
	return opt->size_bytes / opt->block_bytes + (tail > 0 && !opt->random);
}

/*
 * How many blocks a mix pass writes: those places of the order that are below
 * the share, which no rounding of a decimal fraction may add one to.
 */
static uint64_t mix_writes(const struct options *opt)
{
	double places = (double)blocks_of(opt) * opt->write_percent / 100;
	uint64_t down = places > 0 ? (uint64_t)places : 0;
	return places - (double)down > 1e-12 * places ? down + 1 : down;
}

/* Whether -w leaves a pass no block to move in this direction. */
static int mix_lacks(const struct options *opt, int pass, int kind)
{
	if (pass != PASS_MIX || kind == FLUSHES)
		return 0;
	return mix_writes(opt) == (kind == DIRECTION_WRITE ? 0 : blocks_of(opt));
}

/* Whether each round writes a file of its own. */
static int file_is_per_round(const struct options *opt)
{
	return has_pass(opt, PASS_WRITE) && !opt->random;
}

/* Processes of a pass; where there is no other queue, each request of -q has one. */
static int workers_of(const struct options *opt, int pass)
{
	return (int)(opt->processes *
	    (results.machine.queue[pass] == QUEUE_PROCESSES ? opt->depth : 1));
}

static void findings_clear(void)
{
	struct findings *f = &results.found;
	int pass;
	memset(f, 0, sizeof *f);
	f->evicted = EVICTED_YES;
	f->resident = f->unflushed = f->leaked = f->cached = NAN;
	for (pass = 0; pass < PASSES; pass++)
		f->pass[pass].device = f->pass[pass].least_done = NAN;
}

/* Keeps the highest or the lowest share of all; what is below 0 is not known. */
static void keep(double *worst, double share, int lowest)
{
	if (share >= 0 && (is_nan(*worst) || (lowest ? share < *worst : share > *worst)))
		*worst = share;
}

/* What was moved in so many ns, as a rate in unit; nan if it took no time. */
static double rate_of(uint64_t bytes, uint64_t calls, double ns, const struct unit *unit)
{
	double moved = unit->bytes > 0 ? (double)bytes / unit->bytes : (double)calls;
	return ns > 0 ? moved / (ns / 1e9) : NAN;
}

static double rate(const struct record *r, const struct unit *unit)
{
	uint64_t ns = r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0;
	return rate_of(r->bytes, r->calls, (double)ns, unit);
}

static struct record *record_at(uint64_t round, int column)
{
	return results.records + round * (uint64_t)results.columns + column;
}

static void running_add(struct running *r, double x)
{
	double from_mean = x - r->mean;
	r->n++;
	r->mean += from_mean / (double)r->n;
	r->squares += from_mean * (x - r->mean);
}

/*
 * Whether the 95 % confidence interval of every mean is within percent of
 * it, from the third round on.  A column with a nan is left out.
 */
static int sure_enough(const struct running *r, int columns, double percent)
{
	int known = 0;
	for (; columns > 0; columns--, r++) {
		double n = (double)r->n;
		if (is_nan(r->mean))
			continue;
		known = 1;
		if (r->n < 3 || student_t(r->n - 1) * square_root(r->squares / (n - 1) / n) >
		    r->mean * percent / 100)
			return 0;
	}
	return known;
}

/*
 * Plans a measured pass.  It covers what the passes before it in the round
 * have covered, in an order of its own: many disks put blocks beside each
 * other that were written one after the other, so that reading them in the
 * order of writing would be sequential.
 */
static struct plan plan_make(const struct options *opt, struct round *r, int pass)
{
	unsigned does = pass_types[pass].does;
	int writes = (does & DOES_WRITE) != 0, only_writes = writes && !(does & DOES_READ);
	uint64_t blocks = blocks_of(opt);
	static uint64_t planned;
	uint64_t key = mix64(data.key + planned++), lot = 65536 / opt->block_bytes;
	struct coverage *cover = writes ? &r->written : &r->readable;
	/* The places of a pass that was not cut are all blocks, in whatever order. */
	if (coverage_blocks(cover, blocks) == blocks)
		cover->order_count = 0;
	if (opt->random)
		cover->orders[cover->order_count++] = order_make(cover->ends[0], key);
	struct plan p = {
		.pass = pass,
		.size_bytes = opt->size_bytes,
		.block_bytes = opt->block_bytes,
		.blocks = blocks,
		.batch = 1,
		.writes = writes,
		.reads = (does & DOES_READ) != 0,
		.cold = (does & WANTS_COLD) != 0,
		.check = (does & WANTS_COLD) && file.is_ours,
		.create = only_writes && !opt->random,
		.random = opt->random,
		.sync = writes && opt->sync,
		.direct = opt->direct,
		.multiple = results.machine.multiple,
		.writing = { file.newest + 1, !only_writes, order_make(blocks, mix64(key)),
		    mix_writes(opt), 1 },
		.cover = *cover,
		.workers = workers_of(opt, pass),
		.depth = results.machine.queue[pass] == QUEUE_ASYNC ? (int)opt->depth : 1,
		.share_ns = r->share_ns,
		.clock = r->detail[pass] != NULL ? CLOCK_AROUND_CALLS :
		    r->share_ns > 0 ? CLOCK_AFTER_CALLS : CLOCK_PASS,
		.detail = r->detail[pass],
		.map_parts = opt->map_parts,
	};
	/* 64 KiB cost no time to take; but every worker is to have some of the part. */
	uint64_t fair = blocks / (4 * (uint64_t)p.workers);
	p.lot = lot < fair ? lot : fair;
	p.lot = p.lot > 0 ? p.lot : 1;
	return p;
}

/* Runs a pass, or ends the run if it fails.  A new file's name is readied before the clock starts. */
static struct outcome pass_measure(struct plan *p, const char *step)
{
	double blocks = (double)coverage_blocks(&p->cover, p->blocks);
	if (p->create)
		file_ready_name();
	ticker_note(step, blocks * (double)p->block_bytes, p->workers);
	struct outcome o = pass_run(p);
	if (outcome_stops(&o))
		return o;
	file.flush_unknown |= o.flush_unknown;
	file.was_counted |= o.used.written_bytes > 0;
	if (p->writes) {
		/* If a write pass was cut, nothing but what it wrote is read until the next one. */
		p->writing.is_whole = !p->writing.is_mix || o.ending == ENDED_WHOLE;
		file.newest = p->writing.generation;
		file.writings[file.newest % HISTORY] = p->writing;
	}
	return o;
}

/*
 * A pass that is in no figure, by one worker: lays the whole file out, in order
 * (PASS_WRITE), or reads all that the round can read (PASS_CACHE).
 */
static void pass_untimed(const struct options *opt, struct round *r, int pass)
{
	struct plan p = plan_make(opt, r, pass);
	uint64_t end = (opt->size_bytes + opt->block_bytes - 1) / opt->block_bytes;
	p.workers = p.depth = 1;
	p.sync = 0;
	p.share_ns = 0;
	p.clock = CLOCK_PASS;
	p.detail = NULL;
	if (p.writes) {
		p.random = 0;
		p.create = 1;
		p.blocks = end;
		p.batch = MIB / opt->block_bytes;
		p.cover.parts = 1;
		p.cover.ends = &end;
	}
	for (; p.part < p.cover.parts && !caught; p.part++)
		pass_measure(&p, p.writes ? "layout" : "warming");
}

/* Opens the file for evict_file, which wants nothing but a descriptor or errno. */
static int open_to_evict(int flags)
{
	struct outcome o;
	memset(&o, 0, sizeof o);
	return file_open(flags, &o);
}

/* Of a share of the file's size: what it is of the blocks that c covers; below 0 it is unknown. */
static double share_of(const struct options *opt, const struct coverage *c, double share)
{
	double blocks = (double)blocks_of(opt), covered = (double)coverage_blocks(c, blocks_of(opt));
	return covered > 0 ? clamp(share * blocks / covered, -1, 1) : share;
}

/* Evicts what is tested from the cache, untimed. */
static void file_evict(const struct options *opt, const struct round *r)
{
	struct findings *f = &results.found;
	struct eviction_report seen;
	ticker_note("evicting", 0, 1);
	const char *failed = evict_file(open_to_evict, opt->size_bytes, file.is_ours, &seen);
	if (failed != NULL) {
		if (errno != EINTR || !caught)
			fatal(failed, file.path, errno == ESTALE ? OTHER_FILE : strerror(errno));
		return;
	}
	/* There was nothing to evict, as after direct I/O: see evicted_known. */
	if (seen.before == 0 && seen.after == 0)
		seen.evicted = EVICTED_YES;
	f->verifier_saw |= seen.before > 0;
	if (seen.evicted < f->evicted)
		f->evicted = seen.evicted;
	/* If -t cut the write pass, there is no more of the file than it wrote. */
	keep(&f->unflushed, share_of(opt, &r->written, seen.unflushed), 0);
	keep(&f->resident, share_of(opt, &r->written, seen.after), 0);
}

/* The share of the first size bytes that is in memory, or below 0 where that is unknown. */
static double file_resident(uint64_t size)
{
	struct outcome o;
	double share = -1;
	memset(&o, 0, sizeof o);
	int fd = file_open(O_RDONLY, &o);
	if (fd != -1) {
		share = resident_share(fd, size);
		file_close(fd, &o);
	}
	outcome_stops(&o);
	results.found.verifier_saw |= share > 0;
	return share;
}

/* Has the file in the cache, untimed. */
static void file_cache(const struct options *opt, struct round *r)
{
	uint64_t blocks = blocks_of(opt);
	if (!UNCACHED_READ_FILLS || (!has_pass(opt, PASS_READ) && !file.is_warm))
		pass_untimed(opt, r, PASS_CACHE);
	file.is_warm = 1;
	/* Of a file that is covered in part, no share can be asked for. */
	if (caught || coverage_blocks(&r->readable, blocks) < blocks)
		return;
	/* In random order a block that is not whole is never read. */
	keep(&results.found.cached,
	    file_resident(opt->random ? blocks * opt->block_bytes : opt->size_bytes), 1);
}

/* Keeps what came of a pass: its records, and the trust that they deserve. */
static void pass_keep(const struct plan *p, const struct outcome *o, double done)
{
	const struct file_system *fs = &results.machine.fs;
	struct pass_findings *f = &results.found.pass[p->pass];
	uint64_t elapsed = o->end_ns - o->start_ns, read = o->bytes[DIRECTION_READ];
	uint64_t end_ns = calls_of(o) > 0 ? o->end_ns : o->start_ns;	/* no call: no rate */
	int i;
	for (i = 0; i < results.columns; i++) {
		const struct column *c = results.column[i];
		if (c->pass == p->pass)
			*record_at(results.rounds, i) = (struct record){ o->start_ns, end_ns,
			    o->bytes[c->kind], o->calls[c->kind], 0 };
	}
	f->is_short |= elapsed < 100 * results.machine.clock_step_ns;
	if (o->used.is_known) {
		f->cpu_ns += o->used.cpu_ns;
		f->elapsed_ns += elapsed;
	}
	if (o->used.is_known && read > 0)
		keep(&f->device, (double)o->used.device_bytes / (double)read, p->cold);
	/* The kernel counts a write when it comes to the cache: a server may still lack a device. */
	results.found.device_counts |= o->used.device_bytes > 0 ||
	    (file.was_counted && !fs->has_own_cache && !fs->is_network);
	if (o->moving_end_ns > o->moving_start_ns)
		f->moving_ns += o->moving_end_ns - o->moving_start_ns;
	f->in_flight_ns += o->in_flight_ns;
	f->calls_ns += o->calls_ns;
	if (p->writes && p->share_ns > 0 && elapsed > p->share_ns + f->overrun_ns)
		f->overrun_ns = elapsed - p->share_ns;
	if (o->ending == ENDED_CUT) {
		f->cut_rounds++;
		keep(&f->least_done, done, 1);
	}
}

/* Prepares and runs a pass of the round, unless a signal wants the run to end. */
static void round_pass(const struct options *opt, struct round *r, int pass)
{
	if (pass_types[pass].does & WANTS_COLD)
		file_evict(opt, r);
	if (!caught && pass_types[pass].does & WANTS_WARM)
		file_cache(opt, r);
	if (caught)
		return;
	struct plan p = plan_make(opt, r, pass);
	double planned = (double)coverage_blocks(&p.cover, p.blocks);
	struct outcome o = pass_measure(&p, pass_types[pass].name);
	if (caught)
		return;
	pass_keep(&p, &o, planned > 0 ? (double)coverage_blocks(&p.cover, p.blocks) / planned : 1);
	if (opt->direct)
		keep(&results.found.leaked, share_of(opt, &p.cover, file_resident(opt->size_bytes)), 0);
	if (p.reads && p.writes)
		file.is_warm = o.ending == ENDED_WHOLE;
	else if (p.writes)
		coverage_copy(&r->readable, &r->written);
	ticker.now.passes_done++;
}

/* Runs a round. */
static void round_run(const struct options *opt, struct round *r)
{
	uint64_t done = results.rounds, row = (uint64_t)results.columns * sizeof *results.records;
	int pass;
	/* The room for the records doubles whenever it is full. */
	if ((done & (done - 1)) == 0)
		results.records = must_have(realloc(results.records,
		    (size_t)((done > 0 ? 2 * done : 1) * row)), "keeping the results");
	continued = 0;
	coverage_all(&r->written, blocks_of(opt));
	coverage_all(&r->readable, blocks_of(opt));
	for (pass = 0; pass < PASSES; pass++) {
		if (r->detail[pass] != NULL)
			memset(r->detail[pass], 0, detail_bytes(opt->map_parts));
		if (has_pass(opt, pass) && !caught)
			round_pass(opt, r, pass);
	}
	if (file_is_per_round(opt)) {
		file.is_warm = 0;
		ticker_note("removing", 0, 1);
		file_must_go();
	}
	ticker.now.passes_done = 0;
}

/* The seconds since the first round began that counts. */
static double seconds_spent(void)
{
	return (double)(now_ns() - results.start_ns) / 1e9;
}

/*
 * Runs a round, and again if it was stopped and continued meanwhile, a few
 * times and as long as there is time: then it counts, and a warning says so.
 */
static void round_complete(const struct options *opt, struct round *r)
{
	struct findings before = results.found;
	int repeats = MOST_REPEATS;
	round_run(opt, r);
	while (continued && !caught && repeats-- > 0 &&
	    (r->share_ns == 0 || seconds_spent() < opt->seconds)) {
		results.found = before;
		warn(NULL, "round %.0f got SIGCONT and may have been stopped: it is run again",
		    (double)results.rounds + 1);
		round_run(opt, r);
	}
	if (caught)	/* the round does not count: neither does what it found */
		results.found = before;
	else
		results.found.stopped += continued != 0;
}

/* Keeps a round that counts. */
static void round_keep(const struct options *opt, const struct round *r)
{
	int i, pass;
	uint64_t now = now_ns();
	for (i = 0; i < results.columns; i++) {
		struct record *record = record_at(results.rounds, i);
		record->round_ns = now - results.start_ns;
		running_add(&results.running[i], rate(record, opt->unit));
	}
	for (pass = 0; pass < PASSES; pass++)
		if (r->detail[pass] != NULL)
			detail_merge(results.detail[pass], r->detail[pass], opt->map_parts);
	results.rounds++;
	ticker.now.rounds_done++;
	results.sure = opt->sure_percent > 0 &&
	    sure_enough(results.running, results.columns, opt->sure_percent);
}

/*
 * Whether another round is to be run; rests before all but the first.  With -t
 * no round is run that would end too late: a round and the rest before it are
 * expected to take the mean of those so far.
 */
static int round_next(const struct options *opt)
{
	double spent = seconds_spent(), idle = opt->idle_seconds;
	if (caught || results.sure || results.rounds == opt->rounds)
		return 0;
	if (results.rounds == 0)
		return 1;
	if (opt->seconds > 0 && spent + (spent + idle) / (double)results.rounds > opt->seconds)
		return 0;
	uint64_t now = now_ns(), end = now + (uint64_t)(idle * 1e9);
	if (idle > 0)
		ticker_note("resting", 0, 1);
	for (; !caught && now < end; now = now_ns()) {
		/* Not all of it at once: the signal may come just before it is waited for. */
		struct timeval most = { 0, (int)(end - now < NS / 10 ? (end - now) / 1000 : 100000) };
		select(0, NULL, NULL, NULL, &most);
	}
	return !caught;
}

/* Finds out what direct I/O by fd, or -1 with errno, demands, and refuses what does not fit. */
static void direct_check(const struct options *opt, int fd)
{
	char why[200];
	size_t ready = (size_t)data.slot_count * data.block_bytes;
	uint64_t multiple = fd == -1 || direct_enable(fd) == -1 ? 0 :
	    direct_multiple(fd, file.is_ours, data.slots, ready, opt->block_bytes);
	int error = errno;
	if (multiple == 0) {
		snprintf(why, sizeof why, error == EINVAL || error == ENOTSUP ||
		    error == EOPNOTSUPP || error == ENOTTY ?
		    "not supported by this file system (%s)" : "%s", strerror(error));
		fatal("direct I/O", file.path, why);
	}
	results.machine.multiple = multiple;
	/* A block that was cut to the file's size is not what was asked for. */
	int block_fits = opt->block_bytes % multiple == 0 || opt->block_bytes == opt->size_bytes;
	if (block_fits && (!file.is_ours || opt->size_bytes % multiple == 0))
		return;
	snprintf(why, sizeof why, "%s of %.0f bytes is not a multiple of %.0f, which it needs",
	    block_fits ? "a file" : "a block",
	    (double)(block_fits ? opt->size_bytes : opt->block_bytes), (double)multiple);
	fatal("direct I/O", opt->operand, why);
}

/*
 * Finds out for which passes of the run processes keep more requests in flight
 * than io_submit, by fd.  A file of ours is lengthened in any case, so that
 * there is something to write over and to read.
 */
static void queue_probe(const struct options *opt, int fd)
{
	enum queue_kind *queue = results.machine.queue;
	size_t len = opt->block_bytes < DIRECT_MOST ? (size_t)opt->block_bytes : DIRECT_MOST;
	int is_per_round = file_is_per_round(opt);
	int writes_over = has_pass(opt, PASS_MIX) || (has_pass(opt, PASS_WRITE) && !is_per_round);
	int lengthening = file.is_ours && queue_waits(fd, 1, 1, data.slots, len);
	int writing = writes_over && queue_waits(fd, 1, 0, data.slots, len);
	if (is_per_round ? lengthening : writing)
		queue[PASS_WRITE] = QUEUE_PROCESSES;
	if (writing)
		queue[PASS_MIX] = QUEUE_PROCESSES;
	if (has_pass(opt, PASS_READ) && queue_waits(fd, 0, 0, data.buffers, len))
		queue[PASS_READ] = QUEUE_PROCESSES;
}

/* Finds out what only an open file can tell: how it is flushed, what direct I/O demands. */
static void file_probe(const struct options *opt)
{
	struct outcome o;
	int fd, has_async = results.machine.queue[PASS_READ] == QUEUE_ASYNC;
	results.machine.flush = file.is_ours ? "fsync" : "none";
	if (!opt->direct && (FLUSH_NAME_FIXED || !file.is_ours))
		return;
	memset(&o, 0, sizeof o);
	if (file.is_ours) {
		file_ready_name();
		fd = file_create(O_WRONLY, &o);
		if (outcome_stops(&o))
			return;
		if (flush_file(fd) == FLUSH_FULL)
			results.machine.flush = "F_FULLFSYNC";
		close(fd);
	}
	/* Where open refuses O_DIRECT it may have made the file all the same: so it is made before. */
	if (opt->direct) {
		fd = file_open((!file.is_ours ? O_RDONLY : has_async ? O_RDWR : O_WRONLY) |
		    DIRECT_FLAG, &o);
		if (fd != -1 || errno == EINVAL || errno == ENOTSUP || errno == EOPNOTSUPP)
			direct_check(opt, fd);
		outcome_stops(&o);
		if (fd != -1 && has_async)
			queue_probe(opt, fd);
		if (fd != -1)
			close(fd);
	}
	file_must_go();
}

/* Whether the run is to end, as nobody reads its results any more. */
static int nobody_reads(void)
{
	if (!reader_gone(STDOUT_FILENO))
		return 0;
	if (raise(SIGPIPE) == 0 && !caught)	/* it is ignored */
		fatal("writing the results", "standard output", strerror(EPIPE));
	return 1;
}

/* Runs the rounds, until they are done or a signal ends them. */
static void measure(const struct options *opt, void (*round_report)(const struct options *))
{
	int pass, parts = opt->random ? 1 : (int)opt->processes;
	static struct round round;
	uint64_t i;
	round.written.parts = round.readable.parts = parts;
	round.written.ends = must_have(calloc(2 * (size_t)parts, sizeof(uint64_t)),
	    "planning the passes");
	round.readable.ends = round.written.ends + parts;
	for (pass = 0; pass < PASSES && (opt->latency || opt->map_parts > 0); pass++)
		if (has_pass(opt, pass)) {
			const char *what = "making the latencies and the map";
			round.detail[pass] = must_have(malloc(detail_bytes(opt->map_parts)), what);
			results.detail[pass] = must_have(calloc(1, detail_bytes(opt->map_parts)),
			    what);
		}
	if (file.is_ours && !file_is_per_round(opt))
		pass_untimed(opt, &round, PASS_WRITE);
	for (i = 0; i < opt->warmup && !caught && !nobody_reads(); i++)
		round_run(opt, &round);
	findings_clear();
	results.start_ns = ticker.now.rounds_ns = now_ns();
	if (opt->seconds > 0)
		round.share_ns = 1 + (uint64_t)(opt->seconds * 1e9) / (uint64_t)results.passes;
	while (round_next(opt) && !nobody_reads()) {
		round_complete(opt, &round);
		if (caught)
			break;
		round_keep(opt, &round);
		round_report(opt);
	}
}

/* ---- the reports: what is concluded from the rounds -------------------- */

/* The mean rate of a pass; nan if it was not run, made no call, or took no time by the clock. */
static double mean_rate(int pass)
{
	int i;
	for (i = 0; i < results.columns; i++)
		if (results.column[i]->pass == pass)
			return results.running[i].mean;
	return NAN;
}

static double read_by_cache(void)
{
	return mean_rate(PASS_READ) / mean_rate(PASS_CACHE);
}

/* The pass whose figure depends on the eviction: read, without it mix, if there is one. */
static int cold_pass(const struct options *opt)
{
	return has_pass(opt, PASS_READ) ? PASS_READ : PASS_MIX;
}

/* The share of what a pass has read that came from a device, or nan if the kernel does not say. */
static double device_share(int pass)
{
	return DEVICE_BYTES_EXACT && results.found.device_counts ? results.found.pass[pass].device :
	    NAN;
}

/*
 * Whether the file was evicted, by both witnesses.  The page verifier alone
 * says no.  Its yes does not stand where the device was not asked for
 * anything: small files of btrfs lie in its metadata, for example.  Where the
 * verifier saw no page before the eviction, as of a file that was not in
 * memory, the device's share proves it or leaves it unknown.
 */
static enum eviction evicted_known(const struct options *opt)
{
	const struct findings *f = &results.found;
	double cold = device_share(cold_pass(opt)), warm = device_share(PASS_CACHE);
	double on_disk = results.machine.on_disk < 1 ? results.machine.on_disk : 1;
	if (f->evicted == EVICTED_NO)
		return EVICTED_NO;
	if (results.machine.fs.has_own_cache)
		return EVICTED_UNKNOWN;
	if (f->evicted == EVICTED_YES && f->verifier_saw && !is_nan(f->resident))
		return cold < 0.05 && on_disk >= 0.05 ? EVICTED_UNKNOWN : EVICTED_YES;
	return cold >= 0.95 * on_disk && !(warm >= 0.05) ? EVICTED_YES : EVICTED_UNKNOWN;
}

/* The mean number of requests in flight while a pass moved its blocks, or nan. */
static double in_flight(int pass)
{
	const struct pass_findings *f = &results.found.pass[pass];
	return f->moving_ns > 0 ? f->in_flight_ns / (double)f->moving_ns : NAN;
}

static double cpu_share(int pass)
{
	const struct pass_findings *f = &results.found.pass[pass];
	return f->elapsed_ns > 0 ? (double)f->cpu_ns / (double)f->elapsed_ns : NAN;
}

static const char *plural(double n)
{
	return n == 1 ? "" : "s";
}

/* ---- the warnings after the rounds ------------------------------------- */

/* Warns of an eviction that has failed, or that nothing proves. */
static void doubt_eviction(const struct options *opt, const char *cold)
{
	const struct findings *f = &results.found;
	const char *where = opt->operand, *helps = opt->direct ?
	    " raise -c beyond the size of the memory" : " -d bypasses the cache";
	if (f->evicted == EVICTED_NO && trouble.call != NULL)
		warn(where, "%.1f %% of the file was still in memory after eviction, as %s was refused "
		    "(%s): %s measures memory:%s", 100 * f->resident, trouble.call,
		    strerror(trouble.error), cold, helps);
	else if (f->evicted == EVICTED_NO && has_pass(opt, PASS_WRITE))
		warn(where, "%.1f %% of the file was still in memory after eviction: %s measures "
		    "memory, and so may write:%s", 100 * f->resident, cold,
		    opt->direct ? helps : " -d or -s shows the disk");
	else if (f->evicted == EVICTED_NO && file.is_ours)
		warn(where, "%.1f %% of the file was still in memory after eviction: %s measures "
		    "memory:%s", 100 * f->resident, cold, helps);
	else if (f->evicted == EVICTED_NO)
		warn(where, "%.1f %% of it was still in memory after eviction (something else may "
		    "use it): %s measures memory:%s", 100 * f->resident, cold, helps);
	else if (trouble.call != NULL)
		warn(where, "eviction could not be verified, as %s was refused (%s): %s may "
		    "measure memory:%s", trouble.call, strerror(trouble.error), cold, helps);
	else if (results.machine.fs.is_network)
		warn(where, "eviction could not be verified: on %s the figures are the network's "
		    "and the server's, whose cache may hold the file:%s", results.machine.fs.name,
		    opt->direct ? " raise -c beyond its size" : " compare with -d");
	else if (device_share(cold_pass(opt)) < 0.05)
		warn(where, "eviction could not be verified, as nothing was read from a device: "
		    "%s may measure memory: raise -c", cold);
	else
		warn(where, "eviction could not be verified: %s may measure memory:%s", cold,
		    opt->direct ? helps : " compare with -d");
}

/* Warns of what the cache and the file system make doubtful; the cause alone where one explains two. */
static void doubt_cache(const struct options *opt)
{
	const struct findings *f = &results.found;
	const char *where = opt->operand;
	int cold = cold_pass(opt);
	int is_uncached = f->verifier_saw && f->cached < 0.95;	/* the cache pass, in part */
	if (file.flush_unknown)
		warn(where, "its file system cannot flush a file: no figure includes what had not "
		    "reached the device");
	if (results.machine.fs.in_memory) {
		warn(where, "its file system is in memory (%s): no figure is a disk's: give a "
		    "directory on a disk", results.machine.fs.name);
		return;
	}
	if (results.machine.on_disk < 0.9)
		warn(where, "only %.1f %% of it lies on the disk (it has holes or is compressed): "
		    "reading the rest costs the disk nothing", 100 * results.machine.on_disk);
	if (f->unflushed > 0.5 && has_pass(opt, PASS_WRITE) && evicted_known(opt) != EVICTED_NO)
		warn(where, "%.1f %% of the file was not on the device when its flush had ended: "
		    "write may measure memory: -d or -s shows the disk", 100 * f->unflushed);
	/* Of a btrfs file, the first read goes through the cache, and what it reads ahead. */
	if (f->leaked > 0.1)
		warn(where, "direct I/O left %.1f %% of the file in memory: this file system uses "
		    "the cache all the same", 100 * f->leaked);
	if (!mix_lacks(opt, cold, DIRECTION_READ) && !is_nan(mean_rate(cold)) &&
	    evicted_known(opt) != EVICTED_YES)
		doubt_eviction(opt, pass_types[cold].name);
	else if (read_by_cache() >= 0.8 && !is_uncached &&
	    !(device_share(PASS_CACHE) > 0.05))
		warn(where, "read reached %.2f of cache: something below the page cache may hold "
		    "the file: raise -c beyond its size", read_by_cache());
	if (is_uncached)
		warn(where, "only %.1f %% of the file was in memory for the cache pass: cache "
		    "measures the disk in part: lower -c", 100 * f->cached);
	else if (device_share(PASS_CACHE) > 0.05)
		warn(where, "%.1f %% of the cache pass came from the device: cache measures the "
		    "disk in part: lower -c", 100 * device_share(PASS_CACHE));
}

/* Whether a column of the map has figures: buffered writes reach the device when they are flushed. */
static int map_knows(const struct options *opt, const struct column *c)
{
	return c->kind != DIRECTION_WRITE || opt->sync || opt->direct;
}

static const struct histogram *histogram_of(const struct column *c)
{
	return &results.detail[c->pass]->latency[c->kind];
}

/* What helps a column that made no call: to raise something, unless -w leaves it no block. */
static const char *no_call_helps(const struct options *opt, const struct column *c,
    const char *raise)
{
	return mix_lacks(opt, c->pass, c->kind) ? " -w leaves it no block" : raise;
}

/* Warns of what the latencies and the map lack. */
static void doubt_detail(const struct options *opt)
{
	int i;
	uint64_t part;
	double step = (double)results.machine.clock_step_ns;
	for (i = 0; opt->latency && i < results.call_columns; i++) {
		const struct column *c = results.call_column[i];
		if (histogram_of(c)->calls == 0)
			warn(c->name, "it made no call, so its latencies are nan:%s",
			    no_call_helps(opt, c, " raise -c or -t"));
		else if (histogram_percentile(histogram_of(c), 500000) < step)
			warn(c->name, "its median latency is below the clock's step (%.9f s), so "
			    "that its percentiles are coarse: raise -b", step / 1e9);
	}
	if (opt->map_parts > 0 && !opt->sync && !opt->direct &&
	    (has_pass(opt, PASS_WRITE) || has_pass(opt, PASS_MIX)))
		warn(opt->operand, "buffered writes are as fast as memory until the flush, so that "
		    "their map is nan: give -d or -s");
	for (i = 0; opt->map_parts > 0 && i < results.columns; i++) {
		const struct column *c = results.column[i];
		double gaps = 0;
		for (part = 0; part < opt->map_parts && map_knows(opt, c); part++)
			gaps += results.detail[c->pass]->map[part].calls[c->kind] == 0;
		if (gaps > 0)
			warn(c->name, "no call fell into %.0f part%s of the map, so that they are "
			    "nan:%s", gaps, plural(gaps),
			    no_call_helps(opt, c, " lower -m or raise -t"));
	}
}

/* Warns of a pass that was too short, that -t cut, or whose limit may have been the program. */
static void doubt_pass(const struct options *opt, int pass)
{
	const struct pass_findings *f = &results.found.pass[pass];
	const char *name = pass_types[pass].name;
	double rounds = (double)results.rounds, workers = workers_of(opt, pass);
	double asked = (double)(opt->processes * opt->depth);
	double most = clamp(workers, 0, results.machine.processors);
	int is_of_memory = pass == PASS_CACHE || results.machine.fs.in_memory ||
	    evicted_known(opt) == EVICTED_NO;
	if (is_nan(mean_rate(pass)))
		warn(name, "a pass made no call in its time, or took none by the clock, so its "
		    "figure is nan: raise -c or -t");
	else if (f->is_short)
		warn(name, "a pass took less than 100 steps of the clock (%.9f s each), so its "
		    "figure is coarse: raise -c", (double)results.machine.clock_step_ns / 1e9);
	if (f->cut_rounds > 0)
		warn(name, "cut short by -t in %.0f of %.0f round%s: it covered %.1f %% of its "
		    "blocks at least: raise -t or lower -c", (double)f->cut_rounds, rounds,
		    plural(rounds), 100 * f->least_done);
	if (f->overrun_ns > NS / 1000)
		warn(name, "its last calls and its flush overran its share of -t by %.3f s",
		    (double)f->overrun_ns / 1e9);
	if (is_nan(mean_rate(pass)))
		return;
	if (opt->depth > 1 && (double)blocks_of(opt) >= workers && in_flight(pass) < asked / 2)
		warn(name, "%.1f of %.0f requests were in flight on average: the pass is too "
		    "short (raise -c), or the system does one after the other%s", in_flight(pass),
		    asked, pass == PASS_WRITE && file_is_per_round(opt) ?
		    ", as the file grows (-R writes one that has its size)" : "");
	if (!is_of_memory && cpu_share(pass) >= 0.9 * most)
		warn(name, "the processors were the limit (%.2f of %.2f at work): a faster disk "
		    "would show no more: raise -b, or -p if there are idle ones", cpu_share(pass),
		    most);
}

/* Warns of what the run as a whole makes doubtful. */
static void doubt_run(const struct options *opt)
{
	double rounds = (double)results.rounds, stopped = (double)results.found.stopped;
	double asked = opt->rounds == UNLIMITED ? rounds : (double)opt->rounds;
	double workers = 0, blocks = (double)blocks_of(opt);
	char of[48] = "";
	int pass;
	for (pass = 0; pass < PASSES; pass++)
		if (has_pass(opt, pass) && workers < workers_of(opt, pass))
			workers = workers_of(opt, pass);
	if (clock_went_back)
		warn(NULL, "the clock went back between two readings: times are wrong by that much");
	if (blocks < workers)
		warn(opt->operand, "only %.0f of %.0f processes had a block to move: raise -c or "
		    "lower -b", blocks, workers);
	if (opt->random && !opt->direct && opt->block_bytes < page_bytes() &&
	    (has_pass(opt, PASS_READ) || has_pass(opt, PASS_MIX)))
		warn(opt->operand, "blocks of %.0f bytes are smaller than a page of %.0f, so that "
		    "most of those read in random order come from memory: give -d, or -b of a "
		    "page", (double)opt->block_bytes, (double)page_bytes());
	if (stopped > 0)
		warn(NULL, "%.0f of %.0f round%s got SIGCONT again and again and may have been "
		    "stopped: the time of that is in the figures", stopped, rounds, plural(rounds));
	if (opt->rounds != UNLIMITED)
		snprintf(of, sizeof of, " of %.0f", asked);
	if (caught)
		warn(NULL, "signal %s ended the run: %.0f%s round%s %s in the %s",
		    signal_name(caught), rounds, of, plural(asked), asked == 1 ? "is" : "are",
		    out.json ? "object" : "tables");
	else if (opt->sure_percent > 0 && !results.sure)
		warn(NULL, "the figures are not yet sure to %g %% after %.0f round%s: raise -r or "
		    "-t", opt->sure_percent, rounds, plural(rounds));
}

/* ---- the facts: lines of -v, members of the object of -j ---------------- */

/* Prints a string; bytes that are not UTF-8 become U+FFFD. */
static void json_string(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	out_text("\"");
	while (*s != '\0') {
		size_t len = utf8_length(s);
		if (len == 0)
			out_text("\\ufffd");
		else if (is_control(s) || *s == '"' || *s == '\\')
			out_print("\\u%04x", (unsigned)(len == 2 ? s[1] : s[0]));
		else
			out_bytes((const char *)s, len);
		s += len > 0 ? len : 1;
	}
	out_text("\"");
}

/*
 * Begins a member; key is NULL in an array.  Without -j there is no object:
 * returns 0, and none of the functions json_... prints anything.
 */
static int json_key(const char *key)
{
	if (!out.json)
		return 0;
	if (out.comma)
		out_text(",");
	out.comma = 1;
	if (key != NULL)
		out_print("\"%s\":", key);
	return 1;
}

static void json_open(const char *key, const char *bracket)
{
	if (json_key(key))
		out_text(bracket);
	out.comma = 0;
}

static void json_close(const char *bracket)
{
	if (out.json)
		out_text(bracket);
	out.comma = 1;
}

/* A string, or null. */
static void json_text(const char *key, const char *text)
{
	if (json_key(key) && text != NULL)
		json_string(text);
	else if (out.json)
		out_text("null");
}

/* A number, null where it is nan. */
static void json_number(const char *key, int decimals, double x)
{
	if (json_key(key))
		out_print(is_nan(x) ? "null" : "%.*f", decimals, x);
}

/* A truth, null where flag is below 0. */
static void json_flag(const char *key, int flag)
{
	if (json_key(key))
		out_text(flag < 0 ? "null" : flag ? "true" : "false");
}

/* Prints "# key value", the value on one line whatever it holds, or a member. */
static void fact(const char *key, const char *format, ...)
{
	char value[PATH_BYTES + 64], shown[sizeof value];
	va_list ap;
	va_start(ap, format);
	vsnprintf(value, sizeof value, format, ap);
	va_end(ap);
	json_text(key, value);
	if (out.json)
		return;
	escape(value, shown, sizeof shown);
	out_print("# %s ", key);
	out_text(shown);
	out_text("\n");
}

/* A fact that is a number; nan is the word in a line of -v. */
static void fact_number(const char *key, int decimals, double x, const char *word)
{
	if (out.json)
		json_number(key, decimals, x);
	else if (is_nan(x))
		fact(key, "%s", word);
	else
		fact(key, "%.*f", decimals, x);
}

/* A number for each pass, or for each that reads: lines of -v, or an object. */
static void fact_passes(const struct options *opt, const char *name, int only_reads,
    double (*value)(int))
{
	int pass;
	json_open(name, "{");
	for (pass = 0; pass < PASSES; pass++) {
		const struct pass_type *type = &pass_types[pass];
		char key[48];
		if (!has_pass(opt, pass) || (only_reads && !(type->does & DOES_READ)))
			continue;
		snprintf(key, sizeof key, "%s %s", name, type->name);
		fact_number(out.json ? type->name : key, 6, value(pass), "unknown");
	}
	json_close("}");
}

static double rounds_known(const struct options *opt)
{
	return opt->rounds == UNLIMITED ? NAN : (double)opt->rounds;
}

/* Bytes that the run will write in all, or nan if that cannot be known. */
static double planned_writes(const struct options *opt)
{
	uint64_t blocks = blocks_of(opt), mixed = has_pass(opt, PASS_MIX) ? mix_writes(opt) : 0;
	double block = (double)opt->block_bytes, size = (double)opt->size_bytes;
	double whole = opt->random ? (double)blocks * block : size;
	if (!file.is_ours)
		return 0;
	/* The last block may be short, and a mix pass writes it or not. */
	if (opt->seconds > 0 || opt->sure_percent > 0 ||
	    (mixed > 0 && mixed < blocks && (double)blocks * block > whole))
		return NAN;
	double per_round = mixed < blocks ? (double)mixed * block : whole;
	if (has_pass(opt, PASS_WRITE))
		per_round += whole;
	return per_round * (double)(opt->rounds + opt->warmup) +
	    (file_is_per_round(opt) ? 0 : size);
}

/* What is tested, when and where. */
static void facts_place(const struct options *opt)
{
	const struct machine *m = &results.machine;
	time_t now = (time_t)m->start_wall;
	const struct tm *utc = gmtime(&now);
	struct utsname un;
	char started[64];
	memset(&un, 0, sizeof un);
	uname(&un);
	fact("version", "%s", VERSION);
	json_number("time", 6, m->start_wall);
	if (!out.json && utc != NULL &&
	    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", utc) > 0)
		fact("started", "%s", started);
	fact("host", "%s", un.nodename);
	fact("system", "%s %s %s", un.sysname, un.release, un.machine);
	if (opt->target != TARGET_DIRECTORY)
		json_text("directory", NULL);
	fact(target_names[opt->target], "%s", m->path);
	if (opt->target != TARGET_DISK)
		fact("filesystem", "%s", m->fs.name);
	else
		json_text("filesystem", NULL);
}

/* What keeps the requests of -q in flight, and where it is another. */
static void fact_queue(const struct options *opt)
{
	static const char *const names[] = { "none", "processes", "io_submit" };
	const enum queue_kind *queue = results.machine.queue;
	enum queue_kind first = QUEUE_NONE;
	char others[80] = "";
	int pass;
	for (pass = 0; pass < PASSES; pass++)
		if (has_pass(opt, pass) && queue[pass] > first)
			first = queue[pass];
	for (pass = 0; pass < PASSES; pass++)
		if (has_pass(opt, pass) && queue[pass] < first)
			snprintf(others + strlen(others), sizeof others - strlen(others), " (%s: %s)",
			    pass_types[pass].name, names[queue[pass]]);
	fact("queue", "%s%s", names[first], others);
}

/* How it is tested. */
static void facts_how(const struct options *opt)
{
	const struct machine *m = &results.machine;
	double step = (double)m->clock_step_ns / 1e9;
	if (!out.json) {
		fact_queue(opt);
		fact_number("rounds", 0, rounds_known(opt), "unlimited");
	}
	fact_number("writes", 0, planned_writes(opt), "unknown");
	fact("flush", "%s%s", m->flush, opt->sync ? ", synchronous writes" : "");
	fact("evict", "%s%s", EVICT_NAME, opt->direct ? ", direct I/O" : "");
	fact("verify", "%s", VERIFY_NAME);
	fact("data", file.is_ours ? "random pool of %.0f bytes, a stamp in every %d" :
	    "existing, not checked", (double)data.slot_count * (double)data.block_bytes, SECTOR);
	if (out.json)
		fact_queue(opt);
	fact("buffers", "%s", data.pages);
	if (!out.json)
		fact("clock", "%s %.9f", clock_name(), step);
	json_open("clock", "{");
	json_text("name", clock_name());
	json_number("step", 9, step);
	json_close("}");
}

/* How far the figures can be trusted. */
static void facts_trust(const struct options *opt)
{
	static const char *const words[] = { "no", "unverified", "yes" };
	enum eviction evicted = evicted_known(opt);
	fact_number("counted", 0, (double)results.rounds, NULL);
	json_flag("evicted", evicted == EVICTED_UNKNOWN ? -1 : evicted == EVICTED_YES);
	if (!out.json)
		fact("evicted", "%s", words[evicted]);
	fact_number("resident", 6, results.found.resident, "nan");
	fact_passes(opt, "device", 1, device_share);
	fact_number(out.json ? "read_cache" : "read/cache", 6, read_by_cache(), "unchecked");
	fact_passes(opt, "cpu", 0, cpu_share);
	if (opt->depth > 1)
		fact_passes(opt, out.json ? "in_flight" : "in flight", 0, in_flight);
	else
		json_text("in_flight", NULL);
}

/* -v, before the first table. */
static void report_settings(const struct options *opt)
{
	uint64_t tail = opt->random ? opt->size_bytes % opt->block_bytes : 0;
	facts_place(opt);
	fact_number("size", 0, (double)opt->size_bytes, NULL);
	fact_number("block", 0, (double)opt->block_bytes, NULL);
	fact("order", tail > 0 ? "random, without the last %.0f bytes" :
	    opt->random ? "random" : "sequential", (double)tail);
	fact_number("processes", 0, (double)opt->processes, NULL);
	fact_number("depth", 0, (double)opt->depth, NULL);
	facts_how(opt);
}

/* ---- the tables -------------------------------------------------------- */

/* A figure in the row of a table, or a member. */
static void figure(const char *name, double x)
{
	json_number(name, 6, x);
	if (!out.json)
		out_print(is_nan(x) ? "\tnan" : "\t%.6f", x);
}

/* Prints a table's header, which there is without -j: what comes first, then columns in a unit. */
static void print_header(const char *first, const struct column *const *column, int columns,
    const char *unit)
{
	int i;
	if (out.json)
		return;
	out_text(first);
	for (i = 0; i < columns; i++)
		out_print("\t%s %s", column[i]->name, unit);
	out_text("\n");
}

/* -a: the header before the first round, then a row as each round ends. */
static void report_round(const struct options *opt)
{
	int i;
	const struct record *r = record_at(results.rounds - 1, 0);
	if (!opt->all || out.json)
		return;
	ticker_erase();
	if (results.rounds == 1)
		print_header("#round\tseconds", results.column, results.columns,
		    opt->unit->label);
	out_print("%.0f", (double)results.rounds);
	figure("seconds", (double)r->round_ns / 1e9);
	for (i = 0; i < results.columns; i++)
		figure(results.column[i]->name, rate(r + i, opt->unit));
	out_text("\n");
	flush_output();
}

/* Fills the summary of each column from all rounds. */
static void summarize(const struct options *opt)
{
	int i;
	uint64_t round;
	double *rates = must_have(malloc((size_t)results.rounds * sizeof *rates),
	    "making the summary");
	for (i = 0; i < results.columns; i++) {
		struct record total = { 0 };
		for (round = 0; round < results.rounds; round++) {
			const struct record *r = record_at(round, i);
			rates[round] = rate(r, opt->unit);
			total.bytes += r->bytes;
			total.calls += r->calls;
			total.end_ns += r->end_ns - r->start_ns;
		}
		statistics(rates, results.rounds, results.summary[i]);
		results.summary[i][STAT_TOT] = rate(&total, opt->unit);
	}
	free(rates);
}

/* Figures of each column: a row of a table for each name, or an object for each column. */
static void report_figures(const char *key, const struct column *const *column, int columns,
    const char *const *names, int rows, double (*figures)[FIGURES])
{
	int i, row;
	for (row = 0; row < rows && !out.json; row++) {
		out_text(names[row]);
		for (i = 0; i < columns; i++)
			figure(names[row], figures[i][row]);
		out_text("\n");
	}
	json_open(key, "{");
	for (i = 0; i < columns && out.json; i++) {
		json_open(column[i]->name, "{");
		for (row = 0; row < rows; row++)
			json_number(names[row], strcmp(names[row], "calls") == 0 ? 0 : 6,
			    figures[i][row]);
		json_close("}");
	}
	json_close("}");
}

/* -l: the latencies of each kind of call. */
static void report_latency(const struct options *opt)
{
	static const uint64_t millionths[PERCENTILES] = { 0, 250000, 500000, 750000, 900000, 950000,
		990000, 999000, 999900, 999990, 999999, 1000000 };
	double us[COLUMNS][FIGURES];
	int i, row;
	for (i = 0; i < results.call_columns; i++) {
		const struct histogram *h = histogram_of(results.call_column[i]);
		for (row = 0; row < PERCENTILES; row++)
			us[i][row] = histogram_percentile(h, millionths[row]) / 1e3;
		us[i][row++] = histogram_mean(h) / 1e3;
		us[i][row++] = histogram_deviation(h) / 1e3;
		us[i][row] = (double)h->calls;
	}
	print_header("\n\n#percentile", results.call_column, results.call_columns, "us");
	report_figures("latency_us", results.call_column, results.call_columns, latency_names,
	    opt->extra || out.json ? FIGURES : PERCENTILES, us);
}

/* The first block of a part of the map. */
static uint64_t map_block(const struct options *opt, uint64_t part)
{
	uint64_t blocks = blocks_of(opt), parts = opt->map_parts;
	/* The product of part and blocks may be more than 64 bits hold. */
	return part * (blocks / parts) + (part * (blocks % parts) + parts - 1) / parts;
}

/*
 * The rate of a column in a part of the map, or nan.  A part's time is the
 * sum of its calls' times over the mean number of calls in flight: so the
 * times of all parts add up to that of the pass, and a part's directions, as
 * those of the summary, to what was done there in its time.
 */
static double map_rate(const struct options *opt, const struct column *c, uint64_t part)
{
	const struct map_part *m = &results.detail[c->pass]->map[part];
	const struct pass_findings *f = &results.found.pass[c->pass];
	if (!map_knows(opt, c) || m->calls[c->kind] == 0 || !(f->calls_ns > 0))
		return NAN;
	double part_ns = m->ns * ((double)f->moving_ns / f->calls_ns);
	return rate_of(m->bytes[c->kind], m->calls[c->kind], part_ns, opt->unit);
}

/* -m: the rate in each part of the file, a row or an object for each. */
static void report_map(const struct options *opt)
{
	uint64_t part;
	int i;
	json_open("map", "[");
	print_header("\n\n#offset MiB", results.column, results.columns, opt->unit->label);
	for (part = 0; part < opt->map_parts; part++) {
		double at = (double)map_block(opt, part) * (double)opt->block_bytes;
		json_open(NULL, "{");
		json_number("offset", 0, at);
		if (!out.json)
			out_print("%.6f", at / (double)MIB);
		for (i = 0; i < results.columns; i++)
			figure(results.column[i]->name, map_rate(opt, results.column[i], part));
		json_close("}");
		if (!out.json)
			out_text("\n");
	}
	json_close("]");
}

/* ---- the object for programs ------------------------------------------- */

static void json_settings(const struct options *opt)
{
	int i;
	json_open("settings", "{");
	json_number("size", 0, (double)opt->size_bytes);
	json_number("block", 0, (double)opt->block_bytes);
	json_number("rounds", 0, rounds_known(opt));
	json_open("columns", "[");
	for (i = 0; i < results.columns; i++)
		json_text(NULL, results.column[i]->name);
	json_close("]");
	json_flag("random", opt->random);
	json_number("processes", 0, (double)opt->processes);
	json_number("depth", 0, (double)opt->depth);
	json_number("write_percent", 6, opt->write_percent < 0 ? NAN : opt->write_percent);
	json_flag("sync", opt->sync);
	json_flag("direct", opt->direct);
	json_number("seconds", 6, opt->seconds > 0 ? opt->seconds : NAN);
	json_number("warmup", 0, (double)opt->warmup);
	json_number("sure_percent", 6, opt->sure_percent > 0 ? opt->sure_percent : NAN);
	json_number("idle", 6, opt->idle_seconds);
	json_number("map", 0, opt->map_parts > 0 ? (double)opt->map_parts : NAN);
	json_close("}");
}

/* Every round: when it ended, what each column moved, and when by the wall's clock. */
static void json_rounds(const struct options *opt)
{
	const struct machine *m = &results.machine;
	double clock_zero = m->start_wall - (double)m->start_ns / 1e9;
	uint64_t round;
	int i;
	json_open("rounds", "[");
	for (round = 0; round < results.rounds; round++) {
		const struct record *r = record_at(round, 0);
		json_open(NULL, "{");
		json_number("round", 0, (double)round + 1);
		json_number("seconds", 6, (double)r->round_ns / 1e9);
		for (i = 0; i < results.columns; i++, r++) {
			json_open(results.column[i]->name, "{");
			json_number("start", 6, clock_zero + (double)r->start_ns / 1e9);
			json_number("end", 6, clock_zero + (double)r->end_ns / 1e9);
			json_number("bytes", 0, (double)r->bytes);
			json_number("calls", 0, (double)r->calls);
			json_number("seconds", 6, (double)(r->end_ns - r->start_ns) / 1e9);
			json_number("rate", 6, rate(r, opt->unit));
			json_close("}");
		}
		json_close("}");
	}
	json_close("]");
}

/* The object of -j from its facts on. */
static void json_end(const struct options *opt)
{
	size_t i;
	facts_how(opt);
	facts_trust(opt);
	json_flag("sure", opt->sure_percent > 0 ? results.sure : -1);
	json_text("interrupted", caught ? signal_name(caught) : NULL);
	json_open("warnings", "[");
	for (i = 0; i < warnings.count; i++)
		json_text(NULL, warnings.list[i]);
	json_close("]");
	json_close("}");
	out_text("\n");
}

/* All that is said after the last round: the doubts, then tables or the object. */
static void report_all(const struct options *opt)
{
	int pass;
	summarize(opt);
	ticker_erase();
	doubt_cache(opt);
	doubt_detail(opt);
	for (pass = 0; pass < PASSES; pass++)
		if (has_pass(opt, pass))
			doubt_pass(opt, pass);
	doubt_run(opt);
	if (out.json) {
		json_open(NULL, "{");
		json_text("program", "gbtestdisk");
		facts_place(opt);
		json_settings(opt);
		json_text("unit", opt->unit->label);
		json_rounds(opt);
	} else {
		if (opt->all)
			out_text("\n\n");
		if (opt->verbose)
			facts_trust(opt);
		print_header("#", results.column, results.columns, opt->unit->label);
	}
	report_figures("summary", results.column, results.columns, stat_names,
	    opt->extra || out.json ? STATS : STATS_PLAIN, results.summary);
	if (opt->latency)
		report_latency(opt);
	if (opt->map_parts > 0)
		report_map(opt);
	if (out.json)
		json_end(opt);
	flush_output();
}

/* ---- the options ------------------------------------------------------- */

static struct options options;

/*
 * In the order of the synopsis; usage and getopt's string are made from it.
 * Where the value of an option goes says of what kind it is; those of -o, -u,
 * -h and -V are their own.
 */
static const struct option {
	char letter;
	const char *argument;	/* NULL if it takes none */
	const char *help, *standard;
	int *flag;
	uint64_t *count, bytes, least, most;	/* bytes of a bare number; 0: no suffix */
	double *fraction, over;	/* the value is above over and at most most */
	const char *wanted;	/* NULL: from least to most */
} option_list[] = {
	{ 'a', NULL, "print all rounds, a row for each", NULL, .flag = &options.all },
	{ 'b', "block", "bytes per call, or a number with k, m, g, t", "1m",
	    .count = &options.block_bytes, .bytes = 1, .least = 1, .most = MOST_BLOCK,
	    .wanted = "a number of bytes, or a number with k, m, g or t" },
	{ 'c', "size", "MiB of the file, or a number with k, m, g, t", "64",
	    .count = &options.size_bytes, .bytes = MIB, .least = 1, .most = MOST_FILE,
	    .wanted = "a number of MiB, or a number with k, m, g or t" },
	{ 'd', NULL, "direct I/O: bypass the cache of the system", NULL, .flag = &options.direct },
	{ 'e', "percent", "stop when each mean is known to this percentage", NULL,
	    .fraction = &options.sure_percent, .over = 0, .most = 100,
	    .wanted = "a percentage above 0, like 2 or 0.5" },
	{ 'h', NULL, "print this help", NULL, .flag = NULL },
	{ 'i', "seconds", "idle between rounds", "0",
	    .fraction = &options.idle_seconds, .over = -1, .most = MOST_SECONDS,
	    .wanted = "seconds, like 2 or 0.5" },
	{ 'j', NULL, "print one JSON object instead of tables", NULL, .flag = &out.json },
	{ 'k', "rounds", "warm-up rounds, which do not count", "0",
	    .count = &options.warmup, .least = 0, .most = MOST_ROUNDS },
	{ 'l', NULL, "print latency percentiles", NULL, .flag = &options.latency },
	{ 'm', "parts", "print a map: the rate in each part of the file", NULL,
	    .count = &options.map_parts, .least = 1, .most = MOST_PARTS },
	{ 'o', "list", "columns, of write, read, cache, mix", DEFAULT_COLUMNS,
	    .wanted = "some of write, read, cache, mix, with commas" },
	{ 'p', "procs", "processes at work at once", "1",
	    .count = &options.processes, .least = 1, .most = MOST_REQUESTS },
	{ 'q', "depth", "requests in flight per process", "1",
	    .count = &options.depth, .least = 1, .most = MOST_REQUESTS },
	{ 'R', NULL, "blocks in random order, each once", NULL, .flag = &options.random },
	{ 'r', "rounds", "number of rounds", DEFAULT_ROUNDS,
	    .count = &options.rounds, .least = 1, .most = MOST_ROUNDS },
	{ 's', NULL, "synchronous writes", NULL, .flag = &options.sync },
	{ 't', "seconds", "time limit: no round and no call begins after it", NULL,
	    .fraction = &options.seconds, .over = 0, .most = MOST_SECONDS,
	    .wanted = "seconds above 0, like 60 or 0.5" },
	{ 'u', "unit", "MB, MiB (a second) or IOPS", "MB", .wanted = "MB, MiB or IOPS" },
	{ 'V', NULL, "print the version", NULL, .flag = NULL },
	{ 'v', NULL, "say what was tested and how", NULL, .flag = &options.verbose },
	{ 'w', "percent", "share of writes in the mix pass", NULL,
	    .fraction = &options.write_percent, .over = -1, .most = 100,
	    .wanted = "a percentage from 0 to 100" },
	{ 'x', NULL, "print extra rows: med, dev, tot, ci", NULL, .flag = &options.extra },
};
enum { OPTIONS = sizeof option_list / sizeof *option_list };

static void print_usage(void)
{
	int i, column = out_print("usage: gbtestdisk [-");
	for (i = 0; i < OPTIONS; i++)
		if (option_list[i].argument == NULL)
			column += out_print("%c", option_list[i].letter);
	column += out_print("]");
	for (i = 0; i <= OPTIONS; i++) {
		const struct option *o = &option_list[i];
		char word[32] = "[directory | file | disk]";
		if (i < OPTIONS && o->argument == NULL)
			continue;
		if (i < OPTIONS)
			snprintf(word, sizeof word, "[-%c %s]", o->letter, o->argument);
		if (column + 1 + (int)strlen(word) > 79)
			column = out_print("\n%17s", "");
		column += out_print(" %s", word);
	}
	out_text("\n");
	out_print("\nMeasures how fast a program writes and reads a file in the directory (. if\n"
	    "none is given).  A file or disk that exists is only read.  The columns:\n"
	    "  write     write a new file and flush it to the device\n"
	    "  read      read it back after it was evicted from memory\n"
	    "  cache     read it once more from memory\n"
	    "  mixread, mixwrite  read and write blocks of it in one pass (-w)\n\n");
	for (i = 0; i < OPTIONS; i++) {
		const struct option *o = &option_list[i];
		out_print("  -%c %-8s %s", o->letter, o->argument != NULL ? o->argument : "", o->help);
		if (o->standard != NULL)
			out_print(" (%s)", o->standard);
		out_text("\n");
	}
	out_print("\nRates are in MB/s: 10^6 bytes a second. See gbtestdisk(1).\n");
}

/* One line on what was wrong in the command, and status 2. */
static void usage_error(const char *format, ...)
{
	char text[2048], shown[sizeof text + 64];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	escape(text, shown, sizeof shown);
	fprintf(stderr, "gbtestdisk: usage: %s (-h for help)\n", shown);
	exit(2);
}

/* Stores a bit for each pass that the list names.  Returns NULL, or why not. */
static const char *parse_passes(const char *list, unsigned *passes)
{
	for (*passes = 0;; list++) {
		size_t len = strcspn(list, ",");
		int pass = 0;
		while (pass < PASSES && (strlen(pass_types[pass].name) != len ||
		    strncmp(pass_types[pass].name, list, len) != 0))
			pass++;
		if (pass == PASSES)
			return "not a list of columns";
		if (*passes & 1u << pass)
			return "a column is named twice";
		*passes |= 1u << pass;
		list += len;
		if (*list == '\0')
			return NULL;
	}
}

/* Stores the unit of this name, in either case.  Returns NULL, or why not. */
static const char *parse_unit(const char *name, const struct unit **unit)
{
	int i;
	size_t n;
	for (i = 0; i < UNITS; i++)
		for (n = 0; lower_case(units[i].name[n]) == lower_case(name[n]); n++) {
			if (name[n] != '\0')
				continue;
			*unit = &units[i];
			return NULL;
		}
	return "not a unit";
}

/* Takes one option with its value, or ends with a usage error. */
static void option_take(int letter, const char *value)
{
	const struct option *o = option_list;
	const char *why = NULL;
	char range[80];
	while (o->letter != letter)
		o++;
	if (letter == 'h' || letter == 'V') {
		if (letter == 'h')
			print_usage();
		else
			out_print("gbtestdisk %s\n", VERSION);
		flush_output();
		exit(0);
	}
	if (letter == 'o')
		why = parse_passes(value, &options.passes);
	else if (letter == 'u')
		why = parse_unit(value, &options.unit);
	else if (o->count != NULL)
		why = parse_count(value, o->bytes > 0, o->bytes > 0 ? o->bytes : 1, o->least,
		    o->most, o->count);
	else if (o->fraction != NULL)
		why = parse_fraction(value, o->over, (double)o->most, o->fraction);
	else
		*o->flag = 1;
	snprintf(range, sizeof range, "a number from %.0f to %.0f", (double)o->least,
	    (double)o->most);
	if (why != NULL)
		usage_error("-%c '%s': %s: give %s", letter, value, why,
		    o->wanted != NULL ? o->wanted : range);
}

/* Explains what getopt did not like; word is what it had before it. */
static void option_error(const char *word)
{
	int i;
	for (i = 0; i < OPTIONS; i++)
		if (option_list[i].letter == optopt)
			usage_error("-%c: give its %s", optopt, option_list[i].argument);
	/* optopt can be one byte of a UTF-8 character: then the whole word is shown. */
	if (strncmp(word, "--", 2) == 0 || optopt < 0 || optopt > 127)
		usage_error("'%s': no such option", word);
	usage_error("-%c: no such option", optopt);
}

/*
 * Fills the options from the command line.  They may follow the operand, so
 * getopt is called again after each; the plus keeps glibc from sorting.
 */
static void options_parse(int argc, char **argv)
{
	int i, ended = 0;
	char letters[2 * OPTIONS + 2] = "+", *p = letters + 1;
	for (i = 0; i < OPTIONS; i++) {
		const struct option *o = &option_list[i];
		*p++ = o->letter;
		if (o->argument != NULL)
			*p++ = ':';
		/* What -o and -r are without being given depends on other options. */
		if (o->standard != NULL && o->letter != 'o' && o->letter != 'r')
			option_take(o->letter, o->standard);
	}
	options.write_percent = -1;
	opterr = 0;
	while (optind < argc) {
		const char *word = argv[optind];
		int before = optind;
		if (!ended && strcmp(word, "--help") == 0)
			option_take('h', NULL);
		if (!ended && strcmp(word, "--version") == 0)
			option_take('V', NULL);
		int letter = ended ? -1 : getopt(argc, argv, letters);
		if (letter == '?' || letter == '+')
			option_error(word);
		if (letter != -1)
			option_take(letter, optarg);
		else if (optind > before)	/* it stepped over a -- */
			ended = 1;
		else if (options.operand != NULL)
			usage_error("'%s': give one directory, file or disk only", word);
		else
			options.operand = argv[optind++];
	}
}

/* Refuses options that contradict each other, whatever is tested. */
static void options_check(struct options *opt)
{
	unsigned mix = 1u << PASS_MIX;
	if (opt->operand == NULL)
		opt->operand = ".";
	if (opt->operand[0] == '\0')
		usage_error("'': the name of what is to be tested is empty");
	if ((opt->passes & mix) && opt->write_percent < 0)
		usage_error("-o mix: the share of writes is missing: give it with -w");
	if (opt->passes != 0 && !(opt->passes & mix) && opt->write_percent >= 0)
		usage_error("-w is the share of writes in mix, which -o leaves out");
	if (opt->direct && has_pass(opt, PASS_CACHE))
		usage_error("-d bypasses the cache, so that -o cannot have cache");
	if (opt->processes * opt->depth > MOST_REQUESTS)
		usage_error("-p %.0f times -q %.0f is more than %d requests in flight",
		    (double)opt->processes, (double)opt->depth, MOST_REQUESTS);
}

/*
 * Sets what depends on what is tested, and refuses options that would write to
 * something that exists; there are have_bytes of a file or disk.
 */
static void options_complete(struct options *opt, uint64_t have_bytes)
{
	int exists = opt->target != TARGET_DIRECTORY, has_list = opt->passes != 0;
	const char *writes = has_pass(opt, PASS_WRITE) || has_pass(opt, PASS_MIX) ?
	    " -o can have read and cache" : opt->write_percent >= 0 ? " -w would write" :
	    opt->sync ? " -s would write" : NULL;
	if (exists && writes != NULL)
		usage_error("'%s' is a %s, which is only read:%s", opt->operand,
		    target_names[opt->target], writes);
	if (exists && opt->size_bytes > have_bytes)
		opt->size_bytes = have_bytes;
	if (!has_list)
		parse_passes(DEFAULT_COLUMNS, &opt->passes);
	if (!has_list && exists)
		opt->passes &= ~(1u << PASS_WRITE);
	if (!has_list && opt->direct)
		opt->passes &= ~(1u << PASS_CACHE);
	if (opt->write_percent >= 0)
		opt->passes |= 1u << PASS_MIX;
	if (opt->block_bytes > opt->size_bytes)
		opt->block_bytes = opt->size_bytes;
	if (opt->map_parts > blocks_of(opt))
		usage_error("-m '%.0f': too large: the file has %.0f blocks",
		    (double)opt->map_parts, (double)blocks_of(opt));
	if (opt->rounds == 0 && opt->seconds > 0)
		opt->rounds = UNLIMITED;
	else if (opt->rounds == 0 && opt->sure_percent > 0)
		opt->rounds = SURE_ROUNDS;
	else if (opt->rounds == 0)
		parse_count(DEFAULT_ROUNDS, 0, 1, 1, MOST_ROUNDS, &opt->rounds);
}

/* ---- main -------------------------------------------------------------- */

/* Stores a size as people read it. */
static void format_size(double bytes, char *s, size_t size)
{
	static const char *const units_of[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	int i = 0;
	for (; bytes >= 1024 && i < 6; i++)
		bytes /= 1024;
	snprintf(s, size, "%.*f %s", i > 0, bytes, units_of[i]);
}

/*
 * The size of what is open at fd, which is a disk: where lseek does not tell
 * it, the last sector that can be read is looked for, in steps that double as
 * long as there is more and then halve.  Returns UINT64_MAX if there is no end.
 */
static uint64_t disk_size(int fd)
{
	char sector[DIRECT_MOST];
	size_t len = SECTOR;	/* of a sector: what a disk without a cache does not refuse */
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t sectors = 0, step = 1, most;
	int doubles = 1;
	if (end > 0)
		return (uint64_t)end;
	while (len < DIRECT_MOST && pread(fd, sector, len, 0) == -1 && errno == EINVAL)
		len *= 2;
	most = MOST_FILE / len / 2;
	while (step > 0) {
		off_t at = (off_t)((sectors + step - 1) * len);
		if (sectors + step >= most)
			return UINT64_MAX;
		if (pread(fd, sector, len, at) == (ssize_t)len)
			sectors += step;
		else
			doubles = 0;
		step = doubles ? 2 * step : step / 2;
	}
	return sectors * len;
}

/* Says what kind of file cannot be tested, or NULL. */
static const char *wrong_kind(const struct stat *st, int fd)
{
	if (S_ISFIFO(st->st_mode))
		return "it is a FIFO, not a directory, a file or a disk";
	if (S_ISSOCK(st->st_mode))
		return "it is a socket, not a directory, a file or a disk";
	if (S_ISCHR(st->st_mode) && (isatty(fd) || !CHARACTER_DISKS))
		return "it is a character device, not a directory, a file or a disk";
	return NULL;
}

/*
 * Looks at what is to be tested, on the open descriptor, and refuses what
 * cannot be.  Returns the bytes of a file or disk that exists, 0 for a
 * directory.
 */
static uint64_t target_look(struct options *opt)
{
	const char *what = "looking at what is to be tested";
	struct stat st;
	uint64_t size = 0;
	file.path = file.name = must_have(strdup(opt->operand), what);
	results.machine.on_disk = NAN;
	int fd = open_name(O_RDONLY), error = errno;
	/* A socket cannot be opened; a directory that may be entered only need not be. */
	if ((fd == -1 ? stat(opt->operand, &st) : fstat(fd, &st)) == -1)
		fatal(what, opt->operand, strerror(fd == -1 ? error : errno));
	const char *why = wrong_kind(&st, fd);
	if (fd == -1 && why == NULL && !S_ISDIR(st.st_mode))
		why = strerror(error);
	opt->target = S_ISDIR(st.st_mode) ? TARGET_DIRECTORY : S_ISREG(st.st_mode) ? TARGET_FILE :
	    TARGET_DISK;
	if (why == NULL && opt->target != TARGET_DIRECTORY) {
		size = opt->target == TARGET_FILE ? (uint64_t)st.st_size : disk_size(fd);
		why = size == UINT64_MAX ? "it has no end, so it is no disk" :
		    size == 0 ? "it is empty" : NULL;
	}
	if (why != NULL)
		fatal(what, opt->operand, why);
	if (opt->target != TARGET_DIRECTORY && identity_of(fd, NULL, &file.id) == -1)
		fatal(what, opt->operand, strerror(errno));
	if (opt->target == TARGET_FILE)
		results.machine.on_disk = (double)st.st_blocks * 512 / (double)st.st_size;
	/* The last close of a disk that is not mounted would empty its cache; of a file see hold_open. */
	if (fd != -1 && (opt->target == TARGET_DIRECTORY ||
	    (opt->target == TARGET_FILE && EVICTED_ALONE)))
		close(fd);
	return size;
}

/* Refuses a directory in which the file cannot be made, before anything is written. */
static void directory_check(const struct options *opt)
{
	char why[200], takes[32], has[32];
	if (access(opt->operand, W_OK) == -1 && errno == EROFS)
		fatal("looking at the directory", opt->operand, strerror(errno));
	double left = free_bytes(opt->operand);
	if (left < 0 || left >= (double)opt->size_bytes)
		return;
	format_size((double)opt->size_bytes, takes, sizeof takes);
	format_size(left, has, sizeof has);
	snprintf(why, sizeof why, "%s: the file takes %s, %s are free for users: lower -c",
	    strerror(ENOSPC), takes, has);
	fatal("looking for space", opt->operand, why);
}

/* Notes where the run takes place, for the reports. */
static void machine_look(const struct options *opt, struct machine *m)
{
	char path[PATH_MAX > PATH_BYTES ? PATH_MAX : PATH_BYTES];
	snprintf(m->path, sizeof m->path, "%s",
	    realpath(opt->operand, path) != NULL ? path : opt->operand);
	if (opt->target != TARGET_DISK)
		file_system_look(opt->operand, &m->fs);
	m->processors = processors_usable();
	m->clock_step_ns = clock_step_ns();
	m->start_wall = wall_seconds();
	m->start_ns = now_ns();
}

/* What is to keep the requests of -q in flight; asynchronous calls where they can be had. */
static enum queue_kind queue_choose(const struct options *opt)
{
	struct queue q;
	if (opt->depth == 1)
		return QUEUE_NONE;
	if (!opt->direct)
		return QUEUE_PROCESSES;
	int is_async = queue_begin(&q, (unsigned)opt->depth) == 0;
	queue_end(&q);
	return is_async ? QUEUE_ASYNC : QUEUE_PROCESSES;
}

/* Readies all that the rounds need, and refuses what cannot work. */
static void prepare(const struct options *opt, char **argv)
{
	struct machine *m = &results.machine;
	enum queue_kind queue = queue_choose(opt);
	int i, pass;
	machine_look(opt, m);
	for (i = 0; i < COLUMNS; i++)
		if (has_pass(opt, column_types[i].pass)) {
			results.call_column[results.call_columns++] = &column_types[i];
			if (column_types[i].kind != FLUSHES)
				results.column[results.columns++] = &column_types[i];
		}
	for (pass = 0; pass < PASSES; pass++) {
		results.passes += has_pass(opt, pass);
		m->queue[pass] = queue;
	}
	ticker_start(opt->rounds == UNLIMITED ? 0 : (double)opt->rounds, opt->seconds,
	    results.passes);
	if (opt->target == TARGET_DIRECTORY) {
		directory_check(opt);
		file_place(opt->operand);
		file.wants_hold = m->fs.numbers_change;
		if (guard_start(argv) == -1)
			warn(NULL, "no guard process could be started (%s): if this process is "
			    "killed, its file stays", strerror(errno));
	}
	/* After the guard was started, or each page of the data would be copied at its first use. */
	uint64_t requests = queue == QUEUE_ASYNC && opt->processes == 1 ? opt->depth : 1;
	if (data_make(opt->block_bytes, requests, run_key()) == -1)
		fatal("cannot allocate a block of this size", NULL, strerror(ENOMEM));
	file_probe(opt);
}

int main(int argc, char **argv)
{
	int out_closed;
	if (fill_standard_streams(&out_closed) == -1)
		fatal("opening a stand-in for a closed standard stream", "/", strerror(errno));
	umask(S_IRWXG | S_IRWXO);	/* an inherited one could take the owner's bits of the file */
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);	/* so that a message arrives whole */
	no_core();
	options_parse(argc, argv);
	options_check(&options);
	if (out_closed)
		fatal("writing the results", "standard output", strerror(EBADF));
	options_complete(&options, target_look(&options));
	signals_catch();
	prepare(&options, argv);
	if (options.verbose && !out.json && !caught) {
		ticker_erase();
		report_settings(&options);
		flush_output();
	}
	measure(&options, report_round);
	if (results.rounds > 0 && caught != SIGPIPE)
		report_all(&options);
	else if (caught != SIGPIPE)
		message("no round was complete", NULL, signal_name(caught));
	int is_clean = caught || clean_up();
	if (caught)	/* perhaps only while it cleaned up */
		die_by_signal(caught);
	return is_clean ? 0 : 1;
}
