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
 * The sections, each using only what stands above it: numbers, statistics,
 * the system, messages and progress, the data, the scratch file and its
 * guard, the order of the blocks, the passes, the rounds, the reports, the
 * options, main.
 */

/*
 * What the systems want to hear before they show fsync's friends.  Where a
 * facility is missing or broken all the same, -DNO_MINCORE, NO_MMAP,
 * NO_FADVISE, NO_DIRECT, NO_MONOTONIC, NO_STATVFS, NO_POLL, NO_PREAD or
 * NO_FORK does without it; -v says what is lost.
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
#define DIRECT_COLUMNS "write,read"	/* with -d */
#define DEFAULT_ROUNDS "5"
#define SURE_ROUNDS 100			/* the cap of -e without -r and -t */

#define MOST_ROUNDS 1000000
#define UNLIMITED UINT64_MAX	/* rounds, with -t */
#define MOST_SECONDS 1000000000
#define MOST_WORKERS 4096	/* processes times requests of each */
#define MOST_PARTS 10000	/* of the map */
#define MOST_FILE ((uint64_t)(sizeof(off_t) >= 8 ? INT64_MAX : INT32_MAX)) /* of a file */
#define MOST_BLOCK (SIZE_MAX / 4 < MOST_FILE ? SIZE_MAX / 4 : MOST_FILE)

#define PATH_BYTES 4096	/* that are shown of a path */
#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define NS 1000000000ULL

/* What a call does; a flush has latencies, but moves no bytes. */
enum { DIRECTION_READ, DIRECTION_WRITE, DIRECTIONS, LANE_SYNC = DIRECTIONS, LANES };

/* What a pass does and needs; the rest of the program asks this table. */
enum { PASS_WRITE, PASS_READ, PASS_CACHE, PASS_MIX, PASSES };
#define DOES_READ 1
#define DOES_WRITE 2
#define WANTS_COLD 4 /* evicted beforehand; what is read is checked */
#define WANTS_WARM 8 /* in the cache beforehand */

static const struct pass_type {
	const char *name;
	unsigned does;
} pass_types[PASSES] = {
	{ "write", DOES_WRITE },
	{ "read", DOES_READ | WANTS_COLD },
	{ "cache", DOES_READ | WANTS_WARM },
	{ "mix", DOES_READ | DOES_WRITE | WANTS_COLD },
};

/* A column is one direction of one pass; of its flushes, only -l has one. */
static const struct column {
	const char *name;
	int pass, lane;
} column_types[] = {
	{ "write", PASS_WRITE, DIRECTION_WRITE },
	{ "sync", PASS_WRITE, LANE_SYNC },
	{ "read", PASS_READ, DIRECTION_READ },
	{ "cache", PASS_CACHE, DIRECTION_READ },
	{ "mixread", PASS_MIX, DIRECTION_READ },
	{ "mixwrite", PASS_MIX, DIRECTION_WRITE },
	{ "mixsync", PASS_MIX, LANE_SYNC },
};
enum { COLUMNS = sizeof column_types / sizeof *column_types };

static const struct unit {
	const char *name;	/* for -u */
	const char *label;	/* in a table's header */
	double bytes;		/* 0: count blocks */
} units[] = { { "MB", "MB/s", 1e6 }, { "MiB", "MiB/s", 1048576 }, { "IOPS", "IOPS", 0 } };
enum { UNITS = sizeof units / sizeof *units };

struct options {
	const char *directory;
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
	int random, sync, direct, json;
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

/*
 * Reads plain decimal digits, with at most one of the suffixes k, m, g, t
 * where suffixes is set; a bare number counts in units of plain.  Stores the
 * product in *value and returns NULL, or returns why it cannot be had.
 */
static const char *parse_count(const char *s, int suffixes, uint64_t plain, uint64_t least,
    uint64_t most, uint64_t *value)
{
	static const char letters[] = "kmgt";
	uint64_t n = 0, scale = plain;
	int overflow = 0;
	if (!is_digit(*s))
		return "not a plain number";
	for (; is_digit(*s); s++) {
		uint64_t digit = (uint64_t)(*s - '0');
		overflow |= n > (UINT64_MAX - digit) / 10;
		n = n * 10 + digit;
	}
	const char *letter = suffixes && *s != '\0' ? strchr(letters, *s) : NULL;
	if (letter != NULL) {
		scale = KIB << (10 * (letter - letters));
		s++;
	}
	if (*s != '\0')
		return "not a plain number";
	if (overflow || n > most / scale)
		return "too large";
	if (n * scale < least)
		return "too small";
	*value = n * scale;
	return NULL;
}

/*
 * Reads plain decimal digits with an optional fraction ("2", "0.5"), above
 * over and at most most.  Stores the number in *value and returns NULL, or
 * returns why not.
 */
static const char *parse_fraction(const char *s, double over, double most, double *value)
{
	double n = 0, digits = 0, scale = 1;
	if (!is_digit(*s))
		return "not a plain number";
	for (; is_digit(*s); s++)
		n = n * 10 + (*s - '0');
	if (*s == '.' && is_digit(s[1]))
		for (s++; is_digit(*s); s++)
			if (scale < 1e15) {
				digits = digits * 10 + (*s - '0');
				scale *= 10;
			}
	if (*s != '\0')
		return "not a plain number";
	n += digits / scale;
	if (n > most)
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
 * The 97.5 % point of Student's t with n >= 1 degrees of freedom: exact to
 * six decimals up to 10, then the expansion of Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 26.7.5, whose error there is < 5e-6.
 */
static double student_t(uint64_t n)
{
	static const double exact[] = { 12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912,
		2.364624, 2.306004, 2.262157, 2.228139 };
	if (n <= sizeof exact / sizeof *exact)
		return exact[n - 1];
	const double z = 1.959963985, z2 = z * z, v = (double)n;
	double g1 = z * (z2 + 1) / 4;
	double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
	double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
	double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
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

/* What is exact. */
struct histogram_moments {
	uint64_t calls, min_ns, max_ns;
	double sum_ns, squares;
};

struct histogram {
	struct histogram_moments moments;
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

static void moments_merge(struct histogram_moments *m, const struct histogram_moments *more)
{
	if (more->calls == 0)
		return;
	if (m->calls == 0 || more->min_ns < m->min_ns)
		m->min_ns = more->min_ns;
	if (more->max_ns > m->max_ns)
		m->max_ns = more->max_ns;
	m->calls += more->calls;
	m->sum_ns += more->sum_ns;
	m->squares += more->squares;
}

static void histogram_add(struct histogram *h, uint64_t ns)
{
	struct histogram_moments one = { 1, ns, ns, (double)ns, (double)ns * (double)ns };
	h->counts[bucket_of(ns)]++;
	moments_merge(&h->moments, &one);
}

static void histogram_merge(struct histogram *h, const struct histogram *more)
{
	size_t i;
	for (i = 0; more->moments.calls > 0 && i < BUCKETS; i++)
		h->counts[i] += more->counts[i];
	moments_merge(&h->moments, &more->moments);
}

/*
 * The percentile by nearest rank, in ns, where the percentile is given in
 * millionths: 0 is the minimum, 1000000 the maximum, both exact; the others
 * are within 1 %.  nan if there was no call.
 */
static double histogram_percentile(const struct histogram *h, uint64_t millionths)
{
	uint64_t seen;
	const struct histogram_moments *m = &h->moments;
	if (m->calls == 0)
		return NAN;
	uint64_t rank = m->calls / 1000000 * millionths +
	    (m->calls % 1000000 * millionths + 999999) / 1000000;
	if (rank <= 1)
		return (double)m->min_ns;
	if (rank >= m->calls)
		return (double)m->max_ns;
	size_t i = 0;
	for (seen = h->counts[0]; seen < rank && i < BUCKETS - 1; seen += h->counts[i])
		i++;
	return clamp(bucket_middle(i), (double)m->min_ns, (double)m->max_ns);
}

/* The mean in ns; nan if there was no call. */
static double histogram_mean(const struct histogram *h)
{
	const struct histogram_moments *m = &h->moments;
	return m->calls == 0 ? NAN :
	    clamp(m->sum_ns / (double)m->calls, (double)m->min_ns, (double)m->max_ns);
}

/* The sample standard deviation in ns, 0 for one call; nan if there was none. */
static double histogram_deviation(const struct histogram *h)
{
	const struct histogram_moments *m = &h->moments;
	double n = (double)m->calls;
	if (m->calls < 2)
		return m->calls == 0 ? NAN : 0;
	return square_root((m->squares - m->sum_ns * (m->sum_ns / n)) / (n - 1));
}

/* ---- the system: the only place that knows which one it is -------------
 *
 * This section hides which calls a system has, what they are called and how
 * far they can be believed.  First comes one block for each system, then the
 * functions that the rest of the program calls.  They return what they
 * achieved; they print nothing and never exit.
 */

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif

/* With this flag of open, each write returns when its data is on the device. */
#if defined(O_DSYNC)
#define SYNC_FLAG O_DSYNC
#elif defined(O_SYNC)
#define SYNC_FLAG O_SYNC
#else
#define SYNC_FLAG O_FSYNC
#endif

/* The flag of open for direct I/O; where it is 0, direct_enable may do it. */
#if defined(O_DIRECT) && !defined(NO_DIRECT)
#define DIRECT_FLAG O_DIRECT
#else
#define DIRECT_FLAG 0
#endif

/* MINIX 3 declares posix_fadvise, but its C library does not have it. */
#if defined(POSIX_FADV_DONTNEED) && !defined(NO_FADVISE) && !defined(__minix)
#define HAVE_FADVISE
#endif

#define WINDOW_PAGES 4096 /* are mapped at a time: 16 MiB, mostly */

/* The call of verification or eviction that was refused last, and its errno. */
static const char *refused_call;
static int refused_error;

static void refused(const char *call, int error)
{
	refused_call = call;
	refused_error = error;
}

/* The bytes of a page of memory. */
static uint64_t page_bytes(void)
{
	long page = sysconf(_SC_PAGESIZE);
	return page > 0 ? (uint64_t)page : 4096;
}

/*
 * A block defines what its system has of these:
 *	MINCORE_BYTE		what mincore stores for each page
 *	VERIFIER_FAILS		whether mincore is no use for a file
 *	VERIFY_PREPARE		what a mapping needs before mincore
 *	EVICT_BY_...		what drops a file's pages: see drop_pages and evict_once
 *	DEVICE_COUNT_EXACT	ru_inblock counts 512 bytes each, not transfers
 *	CLOCK_GETHRTIME		gethrtime is the clock
 *	HAVE_SETPROCTITLE	setproctitle changes the name that ps shows
 *	BIRTH_TIME, GENERATION	members of struct stat
 *	TYPE_CALL, TYPE_MEMBER	the call, and the member with the file system's name
 */

#if defined(__linux__)
/*
 * Linux, Android.  POSIX_FADV_DONTNEED drops clean pages that nobody maps.
 * Since 5.2 mincore says "in memory" for each page of a file that the caller
 * neither owns nor may write.  Android before 11 (API 30) kills the caller of
 * an unknown system call.  Run on ext2/3/4, xfs, btrfs, overlay, tmpfs, FUSE.
 */
#define LINUX_BLOCK
#define EVICT_BY_FADVISE
#define MINCORE_BYTE unsigned char
#define VERIFIER_FAILS verifier_fails
#define DEVICE_COUNT_EXACT

/* From linux/magic.h and the file systems' own sources. */
enum { MAGIC_TMPFS = 0x01021994, MAGIC_ZFS = 0x2fc12fc1 };
#define MAGIC_RAMFS 0x858458f6UL

static unsigned long type_number(const struct statfs *fs)
{
	return (unsigned long)fs->f_type & 0xffffffffUL;
}

#if !defined(NO_MMAP) && !defined(NO_MINCORE)
/*
 * On older ZFS, reads of a file that is mapped can be corrupt.  A page far
 * behind the end of the file cannot be in memory: where mincore says that it
 * is, it says so of all pages.
 */
static int verifier_fails(int fd, uint64_t size)
{
	struct statfs fs;
	uint64_t page = page_bytes(), behind = (size / page + WINDOW_PAGES) * page;
	unsigned char seen = 0;
	if (fstatfs(fd, &fs) == 0 && type_number(&fs) == MAGIC_ZFS)
		return 1;
	void *map = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, (off_t)behind);
	if (map == MAP_FAILED)
		return 0;
	int r = mincore(map, (size_t)page, &seen);
	if (r == -1 || (seen & 1))
		refused("mincore", r == -1 ? errno : EPERM);
	munmap(map, (size_t)page);
	return r == -1 || (seen & 1);
}
#endif

#if defined(__dietlibc__) || (defined(__ANDROID__) && __ANDROID_API__ < 30)
#undef __NR_statx	/* dietlibc has no syscall() */
#undef __NR_name_to_handle_at
#undef __NR_sched_getaffinity
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

/*
 * What a later file of the same inode number does not have: the birth time,
 * which ticks in milliseconds, and, where the file system's handles are of
 * type 1 (ext2, ext3, ext4, tmpfs, f2fs), the inode's generation, part of them.
 */
static uint64_t identity_birth(int fd, const char *name)
{
	uint64_t birth = 0;
#ifdef __NR_statx
	struct {	/* struct statx, which many C libraries lack: 256 bytes */
		uint32_t mask, to_80[19];
		int64_t birth_seconds;
		uint32_t birth_ns, to_256[41];
	} x;
	const unsigned mask = 0x800;	/* STATX_BTIME */
	if (syscall(__NR_statx, name != NULL ? AT_FDCWD : fd, name != NULL ? name : "",
		name != NULL ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH, mask, &x) == 0 && (x.mask & mask))
		birth = mix64((uint64_t)x.birth_seconds * NS + x.birth_ns);
#endif
#ifdef __NR_name_to_handle_at
	struct {	/* struct file_handle */
		uint32_t bytes;
		int32_t type;
		uint32_t words[32];
	} handle = { sizeof handle.words, 0, { 0 } };
	int mount_id;
	if (syscall(__NR_name_to_handle_at, name != NULL ? AT_FDCWD : fd, name != NULL ? name : "",
		&handle, &mount_id, name != NULL ? 0 : AT_EMPTY_PATH) == 0 && handle.type == 1)
		birth = mix64(mix64(birth ^ handle.words[0]) ^ handle.words[1]);
#endif
	(void)fd;
	(void)name;
	return birth;
}

/* A number in a cgroup's file, the second if skip; 0 if there is none, as for "max" and "-1". */
static double group_number(const char *group, const char *file, int skip)
{
	char path[PATH_MAX + 64], line[64] = "", *p = line;
	double n = 0;
	snprintf(path, sizeof path, "%s/%s", group, file);
	FILE *f = fopen(path, "r");
	if (f != NULL && fgets(line, sizeof line, f) != NULL && skip)
		p += strcspn(line, " ") + 1;
	for (; *p >= '0' && *p <= '9'; p++)
		n = 10 * n + (*p - '0');
	if (f != NULL)
		fclose(f);
	return n;
}

/* The least CPU quota of a cgroup, by its path, and of those above it, in processors. */
static double group_quota(char *group)
{
	double least = 1e6;
	char *end;
	do {
		double quota = group_number(group, "cpu.max", 0);	/* version 2 */
		double period = group_number(group, "cpu.max", 1);
		if (period <= 0) {
			quota = group_number(group, "cpu.cfs_quota_us", 0);
			period = group_number(group, "cpu.cfs_period_us", 0);
		}
		if (quota > 0 && period > 0 && quota / period < least)
			least = quota / period;
		if ((end = strrchr(group, '/')) != NULL)
			*end = '\0';
	} while (end != NULL);
	return least;
}

/* How many processors the affinity and the cgroups of this process allow it, or very many. */
static double processors_allowed(void)
{
	static const char *const lists[] = { ":cpu:", ":cpu,", ",cpu:", ",cpu,", "0::" };
	enum { BITS = 8 * sizeof(unsigned long), KINDS = sizeof lists / sizeof *lists };
	unsigned long mask[8192 / BITS] = { 0 };
	char line[PATH_MAX + 64], path[PATH_MAX + 128], *p;
	double least = 1e6, quota;
	long bytes = 0, count = 0, i;
#ifdef __NR_sched_getaffinity
	bytes = syscall(__NR_sched_getaffinity, 0, sizeof mask, mask);
#endif
	for (i = 0; i < 8 * bytes; i++)
		count += (long)(mask[i / BITS] >> i % BITS & 1);
	if (count > 0)
		least = (double)count;
	/* "4:cpu,cpuacct:/a/b" is a group of version 1, "0::/a/b" of version 2. */
	FILE *f = fopen("/proc/self/cgroup", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		for (i = 0; i < KINDS && strstr(line, lists[i]) == NULL; i++)
			;
		if (i == KINDS || (p = strchr(line, ':')) == NULL || (p = strchr(p + 1, ':')) == NULL)
			continue;
		p[strcspn(p, "\n")] = '\0';
		snprintf(path, sizeof path, "/sys/fs/cgroup%s%s", i == KINDS - 1 ? "" : "/cpu", p + 1);
		if ((quota = group_quota(path)) < least)
			least = quota;
	}
	if (f != NULL)
		fclose(f);
	return least;
}

/*
 * Stores the name that /proc/self/mountinfo gives to the file system of a
 * device, as in "36 35 98:0 /root /mnt opts - ext3 /dev/x rw".  Returns whether
 * it is an overlay whose upper directory, as named when mounted, is in memory.
 */
static int mount_look(const struct stat *st, char *name, size_t size)
{
	static char line[16384];
	char device[48], *type, *upper;
	struct statfs fs;
	int in_memory = 0;
	FILE *f = fopen("/proc/self/mountinfo", "r");
	snprintf(device, sizeof device, " %u:%u /", (unsigned)major(st->st_dev),
	    (unsigned)minor(st->st_dev));
	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		if (strstr(line, device) == NULL || (type = strstr(line, " - ")) == NULL)
			continue;
		type += 3;
		if (strncmp(type, "overlay ", 8) == 0 && (upper = strstr(type, "upperdir=")) != NULL) {
			upper += 9;
			upper[strcspn(upper, ", \n")] = '\0';
			in_memory = statfs(upper, &fs) == 0 && (type_number(&fs) == MAGIC_TMPFS ||
			    type_number(&fs) == MAGIC_RAMFS);
		}
		snprintf(name, size, "%.*s", (int)strcspn(type, " \n"), type);
	}
	if (f != NULL)
		fclose(f);
	return in_memory;
}

/* As mount_look; some are known by number, for where /proc is not, and for btrfs's devices. */
static int file_system_name(const char *directory, char *name, size_t size)
{
	static const struct {
		unsigned long number;
		const char *name;
	} known[] = { { MAGIC_TMPFS, "tmpfs" }, { MAGIC_RAMFS, "ramfs" }, { 0x65735546, "fuse" },
		{ 0x6969, "nfs" }, { 0xff534d42, "cifs" }, { 0xfe534d42, "smb3" }, { 0x01021997, "9p" },
		{ 0xef53, "ext2/ext3/ext4" }, { 0x58465342, "xfs" }, { 0x9123683e, "btrfs" } };
	struct statfs fs;
	struct stat st;
	size_t i;
	if (statfs(directory, &fs) == 0)
		for (i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i].number == type_number(&fs))
				snprintf(name, size, "%s", known[i].name);
	return stat(directory, &st) == 0 && mount_look(&st, name, size);
}

#elif defined(__APPLE__)
/*
 * macOS.  msync(MS_INVALIDATE) drops a mapping's pages, whatever its
 * protection (vm_map_msync); F_NOCACHE alone still serves what is cached.
 * fsync stops at the drive's cache, so F_FULLFSYNC.  Read in its sources.
 */
#define EVICT_BY_MSYNC
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
#define EVICT_BY_FADVISE
#define EVICT_BY_MSYNC
#define MINCORE_BYTE char
#define VERIFY_PREPARE(map, len) (void)madvise(map, len, MADV_WILLNEED)
#define HAVE_SETPROCTITLE
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME st_birthtimespec
#define GENERATION st_gen

#elif defined(__NetBSD__)
/*
 * NetBSD.  msync(MS_INVALIDATE) frees pages (uvm_map_clean).  mincore sees
 * nothing on tmpfs and null mounts.  Run on 6.99: FFS, ext2, LFS.
 */
#define EVICT_BY_MSYNC
#define MINCORE_BYTE char
#define HAVE_SETPROCTITLE
#define TYPE_CALL statvfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME st_birthtimespec
#define GENERATION st_gen

#elif defined(__OpenBSD__)
/*
 * OpenBSD.  Truncating a file drops its buffers, dirty ones written first
 * (ffs_truncate, ext2fs_truncate, detrunc).  Read in its sources.
 */
#define EVICT_BY_TRUNCATE
#define HAVE_SETPROCTITLE
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename
#define BIRTH_TIME __st_birthtim
#define GENERATION st_gen

#elif defined(__DragonFly__)
/*
 * DragonFly.  posix_fadvise does nothing, msync leaves what buffers hold.
 * mincore does not see HAMMER2's buffers of the device.  Read in its sources.
 */
#define EVICT_BY_MSYNC
#define MINCORE_BYTE char
#define VERIFIER_FAILS verifier_fails
#define HAVE_SETPROCTITLE
#define TYPE_CALL statfs
#define TYPE_MEMBER f_fstypename
#define GENERATION st_gen

#if !defined(NO_MMAP) && !defined(NO_MINCORE)
static int verifier_fails(int fd, uint64_t size)
{
	struct statfs fs;
	(void)size;
	return fstatfs(fd, &fs) == 0 && strcmp(fs.f_fstypename, "hammer2") == 0;
}
#endif

#elif defined(__sun)
/*
 * Solaris, illumos.  After directio(DIRECTIO_ON) on UFS, the next direct read
 * drops the file's pages (ufs_directio_read); on NFS, directio itself does,
 * while some are dirty.  It lasts, so it is turned off again.  ZFS refuses it;
 * posix_fadvise does nothing.  Read in illumos's sources.
 */
#ifdef DIRECTIO_ON
#define EVICT_BY_DIRECTIO
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
#define EVICT_BY_FADVISE
#define EVICT_BY_REOPEN
#define TYPE_CALL statvfs
#define TYPE_MEMBER f_basetype

#elif defined(__HAIKU__) || defined(__CYGWIN__)
/*
 * Haiku, Cygwin.  Opening with O_DIRECT throws the file's cache away (Haiku:
 * bfs_open, file_cache_disable; Windows: fastfat), if nobody else has it open.
 * posix_fadvise does nothing.  Read in their sources.
 */
#define EVICT_BY_REOPEN
#ifdef __HAIKU__
#define BIRTH_TIME st_crtim
#endif

#else
/* Hurd, MINIX, others: posix_fadvise, where it is; on Hurd it says ENOSYS. */
#define EVICT_BY_FADVISE
#endif

/* What a block asks for goes where it is missing or not wanted. */
#ifndef HAVE_FADVISE
#undef EVICT_BY_FADVISE
#endif
#if defined(NO_MMAP) || defined(NO_FADVISE)
#undef EVICT_BY_MSYNC
#endif
#if DIRECT_FLAG == 0 || defined(NO_FADVISE)
#undef EVICT_BY_REOPEN
#endif
#ifdef NO_FADVISE
#undef EVICT_BY_DIRECTIO
#undef EVICT_BY_TRUNCATE
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
#ifndef VERIFIER_FAILS
#define VERIFIER_FAILS(fd, size) 0
#endif
#ifndef VERIFY_PREPARE
#define VERIFY_PREPARE(map, len) ((void)0)
#endif

#ifdef MINCORE_BYTE
static const char verify_name[] = "mincore";
#else
static const char verify_name[] = "none";
#endif
#if defined(EVICT_BY_DIRECTIO)
static const char evict_name[] = "directio";
#elif defined(EVICT_BY_TRUNCATE)
static const char evict_name[] = "ftruncate";
#elif defined(EVICT_BY_REOPEN)
static const char evict_name[] = "O_DIRECT";
#elif defined(EVICT_BY_MSYNC)
static const char evict_name[] = "msync";
#elif defined(EVICT_BY_FADVISE)
static const char evict_name[] = "posix_fadvise";
#else
static const char evict_name[] = "none";
#endif

/*
 * Up to 2.16 glibc had clock_gettime in librt, which is not linked unless it
 * is asked for: there the system call does it, which fills two longs.
 * uClibc-ng says that it is glibc 2.2, but has clock_gettime in its libc.
 */
#if defined(__linux__) && !defined(__dietlibc__) && defined(__NR_clock_gettime) && \
    (defined(NO_LIBRT) || (defined(__GLIBC__) && !defined(__UCLIBC__) && __GLIBC__ == 2 && \
    __GLIBC_MINOR__ < 17))
#define CLOCK_BY_SYSTEM_CALL
#endif

/* Stores what the best clock that works here shows, in ns.  Returns its name. */
static const char *clock_read(uint64_t *ns)
{
#if defined(CLOCK_GETHRTIME) && !defined(NO_MONOTONIC)
	*ns = (uint64_t)gethrtime();
	return "gethrtime";
#else
	struct timeval tv;
#if defined(CLOCK_MONOTONIC) && !defined(NO_MONOTONIC) && defined(CLOCK_BY_SYSTEM_CALL)
	long ts[2];
	if (syscall(__NR_clock_gettime, CLOCK_MONOTONIC, ts) == 0) {
		*ns = (uint64_t)ts[0] * NS + (uint64_t)ts[1];
		return "CLOCK_MONOTONIC";
	}
#elif defined(CLOCK_MONOTONIC) && !defined(NO_MONOTONIC)
	struct timespec ts;
	if (clock_gettime(CLOCK_MONOTONIC, &ts) == 0) {
		*ns = (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
		return "CLOCK_MONOTONIC";
	}
#endif
	gettimeofday(&tv, NULL);
	*ns = (uint64_t)tv.tv_sec * NS + (uint64_t)tv.tv_usec * 1000;
	return "gettimeofday";
#endif
}

static int clock_went_back;	/* set by now_ns, for good */

/*
 * Nanoseconds, of which only differences count; they never go back.  Where
 * the clock went back by less than a second, they stand until it has caught up;
 * by more, somebody has set it, and they go on from where they were.
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

/* The name of the clock that now_ns reads. */
static const char *clock_name(void)
{
	uint64_t ns;
	return clock_read(&ns);
}

/*
 * The smallest step that the clock was seen to make, in ns, after at most
 * 20 ms and at least one step: clock_getres is not to be believed.
 */
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

/* What this process has used: CPU time, and bytes that were read from a device for it. */
struct usage {
	uint64_t cpu_ns, device_bytes;
};

/*
 * Linux counts 512 bytes each in ru_inblock.  The BSDs count transfers of any
 * size (bread, breadn, cluster_read): there device_bytes is far too low, and
 * shows no more than whether anything was read.
 */
#ifdef DEVICE_COUNT_EXACT
enum { DEVICE_BYTES_EXACT = 1 };
#else
enum { DEVICE_BYTES_EXACT = 0 };
#endif

/* Whether a CPU time can be true; it is stored in ns. */
static int cpu_time(int64_t seconds, int64_t microseconds, uint64_t *ns)
{
	*ns = (uint64_t)seconds * NS + (uint64_t)microseconds * 1000;
	return seconds >= 0 && seconds < 1000000000 && microseconds >= 0 && microseconds < 1000000;
}

/*
 * What this process has used so far, without its children; 0 where this is not
 * known.  32-bit uClibc-ng has a struct rusage that is not the kernel's: what
 * cannot be true makes the whole of it 0.
 */
static struct usage usage_now(void)
{
	struct usage usage = { 0, 0 };
	struct rusage ru;
	uint64_t user, system;
	memset(&ru, 0, sizeof ru);
	if (getrusage(RUSAGE_SELF, &ru) == 0 &&
	    cpu_time((int64_t)ru.ru_utime.tv_sec, (int64_t)ru.ru_utime.tv_usec, &user) &&
	    cpu_time((int64_t)ru.ru_stime.tv_sec, (int64_t)ru.ru_stime.tv_usec, &system)) {
		usage.cpu_ns = user + system;
		if (ru.ru_inblock > 0)
			usage.device_bytes = (uint64_t)ru.ru_inblock * 512;
	}
	return usage;
}

/*
 * How many processors this process may use at once: those that are online,
 * and on Linux no more than its affinity and the CPU quota of its cgroup
 * allow, which may be a fraction.  Where nothing is known, very many.
 */
static double processors_usable(void)
{
	double online = 1e6;
#ifdef _SC_NPROCESSORS_ONLN
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	if (n > 0)
		online = (double)n;
#endif
#ifdef LINUX_BLOCK
	double allowed = processors_allowed();
	if (allowed < online)
		return allowed;
#endif
	return online;
}

/* A number that no other run has: time, process, place, and what there is. */
static uint64_t run_key(void)
{
	uint64_t key = 0, extra = 0;
	struct utsname un;
	const char *p;
	int fd;
	key = mix64(key + (uint64_t)(wall_seconds() * 1e6));
	key = mix64(key + now_ns());
	key = mix64(key + (uint64_t)getpid());
	key = mix64(key + (uint64_t)(uintptr_t)&extra);
	if (uname(&un) >= 0)
		for (p = un.nodename; *p != '\0'; p++)
			key = mix64(key + (unsigned char)*p);
	if ((fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC)) >= 0) {
		if (read(fd, &extra, sizeof extra) > 0)
			key = mix64(key ^ extra);
		close(fd);
	}
	return key;
}

/*
 * Opens what stands in for a closed standard stream, so that no file lands
 * there.  "/" needs no /dev, and a write to it fails.  Sets *out_closed if
 * standard output was closed.  Returns -1 with errno if that cannot be done.
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
#ifdef NO_POLL
	(void)fd;
	return 0;
#else
	struct pollfd p;
	p.fd = fd;
	p.events = 0;
	p.revents = 0;
	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
#endif
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
 * setproctitle finds the program's own name in argv, and puts it before what
 * it is given, unless that begins with a minus sign.
 */
static void take_process_name(char **argv, const char *name)
{
#ifdef HAVE_SETPROCTITLE
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

/* Sees to it that no death of this process writes a core file into the working directory. */
static void no_core(void)
{
#ifdef RLIMIT_CORE
	struct rlimit limit;
	if (getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &limit);
	}
#endif
}

static pid_t process_fork(void)
{
#ifdef NO_FORK
	errno = ENOSYS;
	return -1;
#else
	return fork();
#endif
}

/* pread and pwrite; no two processes use one open file, so lseek will do. */
static ssize_t read_at(int fd, void *buffer, size_t len, off_t at)
{
#ifdef NO_PREAD
	return lseek(fd, at, SEEK_SET) == -1 ? -1 : read(fd, buffer, len);
#else
	return pread(fd, buffer, len, at);
#endif
}

static ssize_t write_at(int fd, const void *buffer, size_t len, off_t at)
{
#ifdef NO_PREAD
	return lseek(fd, at, SEEK_SET) == -1 ? -1 : write(fd, buffer, len);
#else
	return pwrite(fd, buffer, len, at);
#endif
}

/* By what a file is known, whatever its name: in 64 bits, since st_dev may have more than dev_t. */
struct identity {
	uint64_t device, inode;
	uint64_t birth;		/* 0: unknown; else no later file has the same */
	unsigned mode;
	uint64_t owner;
};

/*
 * Finds out which file is open as fd, or, if name is not NULL, which file has
 * that name in the working directory (of a link, the link).  A signal handler
 * may call it.  Returns -1 with errno.
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
#ifdef LINUX_BLOCK
	id->birth = identity_birth(fd, name);
#endif
#ifdef BIRTH_TIME
	id->birth = mix64((uint64_t)st.BIRTH_TIME.tv_sec * NS + (uint64_t)st.BIRTH_TIME.tv_nsec);
#endif
#ifdef GENERATION
	id->birth = mix64(id->birth ^ (uint64_t)st.GENERATION);
#endif
	errno = error;
	return 0;
}

static int same_file(const struct identity *a, const struct identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->birth == b->birth;
}

/* Whether reading from a descriptor that read_uncached was told of fills the page cache. */
#ifdef F_NOCACHE
enum { UNCACHED_READ_FILLS = 0 };
#else
enum { UNCACHED_READ_FILLS = 1 };
#endif

/* Is told of each descriptor that an uncached pass reads from. */
static void read_uncached(int fd)
{
#ifdef F_NOCACHE
	(void)fcntl(fd, F_NOCACHE, 1);
#endif
	(void)fd;
}

/* Is told of each descriptor whose blocks are read in random order: nothing is read ahead. */
static void read_random(int fd)
{
#if defined(POSIX_FADV_RANDOM) && defined(HAVE_FADVISE)
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
#elif defined(F_RDAHEAD)
	(void)fcntl(fd, F_RDAHEAD, 0);
#endif
	(void)fd;
}

/* The flush that goes to the device itself; fsync stops at the drive's cache on macOS. */
#ifdef F_FULLFSYNC
#define FLUSH_NAME_FIXED 0

static int full_flush(int fd)
{
	int r;
	while ((r = fcntl(fd, F_FULLFSYNC)) == -1 && errno == EINTR)
		;
	return r == -1 ? -1 : 0;
}
#else
#define FLUSH_NAME_FIXED 1
#endif

/*
 * Gets what was written to fd onto the device.  Returns 0; 1 where the file
 * system knows no flush; -1 with errno: then it is lost, and a second try
 * may succeed falsely.
 */
static int flush_file(int fd)
{
	int r;
#ifdef F_FULLFSYNC
	if (full_flush(fd) == 0)
		return 0;
	if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY)
		return -1;
#endif
	while ((r = fsync(fd)) == -1 && errno == EINTR)
		;
	if (r == 0)
		return 0;
	return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? 1 : -1;
}

/* Which flush works on fd, a new file open for writing; with FLUSH_NAME_FIXED fd is not looked at. */
static const char *flush_name(int fd)
{
#ifdef F_FULLFSYNC
	if (full_flush(fd) == 0)
		return "F_FULLFSYNC";
#endif
	(void)fd;
	return "fsync";
}

#if defined(MINCORE_BYTE) || defined(EVICT_BY_MSYNC)
/*
 * Maps the first size bytes of fd, a window at a time, never touches them, and
 * has look look at each window.  The window becomes smaller where there is too
 * little room.  Returns -1 if a call was refused.
 */
static int map_windows(int fd, uint64_t size, int protection,
    int (*look)(void *map, size_t len, uint64_t *result), uint64_t *result)
{
	uint64_t page = page_bytes(), window = WINDOW_PAGES * page, at = 0;
	while (at < size) {
		size_t len = (size_t)(size - at < window ? size - at : window);
		void *map = mmap(NULL, len, protection, MAP_SHARED, fd, (off_t)at);
		if (map == MAP_FAILED && errno == ENOMEM && window > page) {
			window /= 2;
			continue;
		}
		if (map == MAP_FAILED) {
			refused("mmap", errno);
			return -1;
		}
		int r = look(map, len, result);
		munmap(map, len);
		if (r == -1)
			return -1;
		at += len;
	}
	return 0;
}
#endif

#ifdef MINCORE_BYTE
/* Adds to *resident how many of a mapping's pages are in memory. */
static int count_resident(void *map, size_t len, uint64_t *resident)
{
	static MINCORE_BYTE seen[WINDOW_PAGES];
	size_t page = (size_t)page_bytes(), i;
	VERIFY_PREPARE(map, len);
	if (mincore(map, len, seen) == -1) {
		refused("mincore", errno);
		return -1;
	}
	for (i = 0; i < (len + page - 1) / page; i++)
		*resident += seen[i] & 1;
	return 0;
}
#endif

/*
 * The share, 0 to 1, of the first size bytes of fd that is in memory, or -1
 * if that cannot be told.  No mapping is left: it would stand against eviction.
 */
static double resident_share(int fd, uint64_t size)
{
#ifdef MINCORE_BYTE
	uint64_t page = page_bytes(), resident = 0;
	if (size > 0 && !VERIFIER_FAILS(fd, size) &&
	    map_windows(fd, size, PROT_READ, count_resident, &resident) == 0)
		return (double)resident / (double)((size + page - 1) / page);
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
};

static const char *evict_what;	/* what was being done when evict_file failed */

#ifdef EVICT_BY_MSYNC
static int invalidate(void *map, size_t len, uint64_t *result)
{
	(void)result;
	if (msync(map, len, MS_SYNC | MS_INVALIDATE) == 0)
		return 0;
	refused("msync", errno);
	return -1;
}
#endif

#if defined(EVICT_BY_DIRECTIO) || defined(EVICT_BY_REOPEN)
/* Reads the first len bytes, at most 4096, into memory that is aligned for direct I/O. */
static void read_aligned(int fd, size_t len)
{
	static unsigned char room[2 * 4096];
	size_t odd = (size_t)((uintptr_t)room % 4096);
	(void)!read_at(fd, room + (4096 - odd) % 4096, len, 0);
}
#endif

/* Asks the system to forget the pages of fd, which was flushed.  Changes it only if it may. */
static void drop_pages(int fd, uint64_t size, int may_change)
{
	(void)fd;
	(void)size;
	(void)may_change;
#ifdef EVICT_BY_FADVISE
	/* Linux up to 2.6.5 took 0 for no bytes; a length within the last page leaves that page. */
	uint64_t page = page_bytes();
	int error = posix_fadvise(fd, 0, (off_t)((size + page - 1) / page * page),
	    POSIX_FADV_DONTNEED);
	if (error != 0)
		refused("posix_fadvise", error);
#endif
#ifdef EVICT_BY_MSYNC
	(void)map_windows(fd, size, PROT_NONE, invalidate, NULL);
#endif
#ifdef EVICT_BY_DIRECTIO
	read_aligned(fd, 512);
	(void)directio(fd, DIRECTIO_OFF);
#endif
#ifdef EVICT_BY_TRUNCATE
	struct stat st;
	if (may_change && fstat(fd, &st) == 0 &&
	    (ftruncate(fd, st.st_size + 1) == -1 || ftruncate(fd, st.st_size) == -1))
		refused("ftruncate", errno);
#endif
}

/* Opens, flushes and drops once, for evict_file. */
static int evict_once(int (*open_file)(int flags), uint64_t size, int ours,
    struct eviction_report *r, int first)
{
	int writable = ours, fd = open_file(ours ? O_RDWR : O_RDONLY);
	evict_what = "opening to evict";
	if (fd == -1 && ours && (errno == EACCES || errno == EPERM || errno == EROFS ||
	    errno == ENOTSUP || errno == EOPNOTSUPP)) {	/* some network file systems */
		writable = 0;
		fd = open_file(O_RDONLY);
	}
	if (fd == -1)
		return -1;
	if (first)
		r->before = resident_share(fd, size);
#ifdef EVICT_BY_DIRECTIO
	if (directio(fd, DIRECTIO_ON) == -1)
		refused("directio", errno);
#endif
	/* Some systems flush by a descriptor for writing only, and say EBADF. */
	if (flush_file(fd) == -1 && ours && (writable || errno != EBADF)) {
		int error = errno;
		evict_what = "flushing before eviction";
		close(fd);
		errno = error;
		return -1;
	}
	drop_pages(fd, size, writable);
	r->after = resident_share(fd, size);
	evict_what = "closing";
	if (close(fd) == -1 && errno != EINTR && writable)
		return -1;
#ifdef EVICT_BY_REOPEN
	if ((fd = open_file(O_RDONLY | DIRECT_FLAG)) == -1)
		refused("open with O_DIRECT", errno);
	else {
		read_aligned(fd, 4096);
		close(fd);
	}
#endif
	return 0;
}

/*
 * Evicts the first size bytes of a file from the cache, in at most three
 * tries.  open_file opens it with these flags, or returns -1 with errno; no
 * other descriptor of it should be open.  A file that is not ours is only
 * read.  Fills *r, in which the verifier alone decides: where it saw nothing
 * before, that it sees nothing after proves nothing.  Returns -1 with errno
 * if the file could not be opened, flushed or closed: evict_what says which.
 */
static int evict_file(int (*open_file)(int flags), uint64_t size, int ours,
    struct eviction_report *r)
{
	int tries;
	refused(NULL, 0);
	r->evicted = EVICTED_UNKNOWN;
	r->before = r->after = -1;
	for (tries = 0; tries < 3; tries++) {
		if (evict_once(open_file, size, ours, r, tries == 0) == -1)
			return -1;
		if (r->after <= 0)
			break;
	}
	if (r->after > 0)
		r->evicted = EVICTED_NO;
	else if (r->before > 0 && r->after >= 0)
		r->evicted = EVICTED_YES;
	return 0;
}

/*
 * Makes fd, opened with DIRECT_FLAG, pass the cache by.  Returns -1 with
 * errno where this system or file system cannot.
 */
static int direct_enable(int fd)
{
#if DIRECT_FLAG != 0
	(void)fd;
	return 0;
#elif defined(F_NOCACHE) && !defined(NO_DIRECT)
	return fcntl(fd, F_NOCACHE, 1) == -1 ? -1 : 0;
#elif defined(DIRECTIO_ON) && !defined(NO_DIRECT)
	return directio(fd, DIRECTIO_ON);
#else
	(void)fd;
	errno = ENOTSUP;
	return -1;
#endif
}

#define DIRECT_MOST 65536	/* no device is known to need more */

/*
 * What offset and length of direct I/O on fd must be multiples of, in bytes,
 * or 0 with errno.  It is the least transfer of the len aligned bytes of buffer
 * that is not refused: a write if the file may be changed, else a read.
 */
static uint64_t direct_multiple(int fd, int may_write, unsigned char *buffer, size_t len)
{
	size_t n;
	if (DIRECT_FLAG == 0)
		return 1;	/* what does not fit goes through the cache */
	for (n = 512; n <= DIRECT_MOST && n <= len; n *= 2) {
		/* Behind the end of the file a read returns 0, whatever its length. */
		if (may_write ? write_at(fd, buffer, n, (off_t)n) == (ssize_t)n :
				read_at(fd, buffer, n, 0) >= 0)
			return n;
		if (errno != EINVAL)
			break;
	}
	return 0;
}

/*
 * Bytes that ordinary users may still take in the directory (for root as well:
 * what is reserved is not for measuring), or -1 if unknown, as where all is 0.
 */
static double free_bytes(const char *directory)
{
#ifndef NO_STATVFS
	struct statvfs v;
	if (statvfs(directory, &v) == 0 &&
	    (v.f_blocks != 0 || v.f_bfree != 0 || v.f_bavail != 0))
		return (double)v.f_bavail * (double)(v.f_frsize > 0 ? v.f_frsize : v.f_bsize);
#else
	(void)directory;
#endif
	return -1;
}

struct file_system {
	char name[64];
	int in_memory;	/* no figure is a disk's */
	int has_server;	/* a process serves it, which may have a cache of its own */
	int is_network;
};

/* Whether name begins with one of count words. */
static int begins_with(const char *name, const char *const *words, size_t count)
{
	size_t i;
	for (i = 0; i < count; i++)
		if (strncmp(name, words[i], strlen(words[i])) == 0)
			return 1;
	return 0;
}

/* Finds out on what file system the directory is; the name is "unknown" if it cannot be told. */
static void file_system_look(const char *directory, struct file_system *fs)
{
	static const char *const memory[] = { "tmpfs", "ramfs", "rootfs", "devtmpfs", "mfs",
		"hugetlbfs" };
	static const char *const server[] = { "fuse", "virtiofs", "puffs" };
	static const char *const network[] = { "nfs", "cifs", "smb", "9p", "ceph", "afs", "afpfs",
		"webdav", "lustre", "gpfs", "beegfs", "sshfs", "s3fs", "glusterfs", "davfs", "gcsfuse",
		"rclone", "virtiofs" };
	const char *kind = fs->name;
	memset(fs, 0, sizeof *fs);
	snprintf(fs->name, sizeof fs->name, "unknown");
#if defined(LINUX_BLOCK)
	fs->in_memory = file_system_name(directory, fs->name, sizeof fs->name);
#elif defined(TYPE_CALL)
	struct TYPE_CALL type;
	if (TYPE_CALL(directory, &type) == 0)
		snprintf(fs->name, sizeof fs->name, "%s", type.TYPE_MEMBER);
#else
	(void)directory;
#endif
	if (strncmp(kind, "fuse.", 5) == 0)
		kind += 5;
	fs->in_memory |= begins_with(fs->name, memory, sizeof memory / sizeof *memory);
	fs->has_server = begins_with(fs->name, server, sizeof server / sizeof *server);
	fs->is_network = begins_with(kind, network, sizeof network / sizeof *network);
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

static volatile sig_atomic_t caught;	/* the signal that ends the run */
static volatile sig_atomic_t continued;	/* the process had been stopped */
static volatile sig_atomic_t tick;	/* time to draw the progress */
static volatile sig_atomic_t child_ended;

/* Removes the scratch file, for a second signal; NULL while there is none. */
static void (*volatile remove_at_once)(void);

static void on_end(int number)
{
	if (caught == 0) {
		caught = number;
		return;
	}
	void (*remove_now)(void) = remove_at_once;
	if (remove_now != NULL)
		remove_now();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_event(int number)
{
	if (number == SIGCONT)
		continued = 1;
	else if (number == SIGCHLD)
		child_ended = 1;
	else
		tick = 1;
}

/* The progress timer's; sent by somebody else, the signal does what it did before. */
#ifdef SA_SIGINFO
static void on_alarm(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info != NULL && info->si_code == SI_USER) {
		signal(number, SIG_DFL);
		raise(number);
	}
	tick = 1;
}
#endif

/* Installs handler for number, with these flags, unless it was ignored from the start. */
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

static void catch_alarm(void)
{
#ifdef SA_SIGINFO
	struct sigaction sa;
	memset(&sa, 0, sizeof sa);
	sa.sa_sigaction = on_alarm;
	sa.sa_flags = SA_SIGINFO;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
#else
	catch_signal(SIGALRM, on_event, 0);
#endif
}

static void signals_catch(void)
{
	int i;
	for (i = 0; i < END_SIGNALS; i++)
		catch_signal(end_signals[i].number, on_end, 0);
	/* Whoever writes to a pipe or terminal need not hear of it. */
	catch_signal(SIGCONT, on_event, SA_RESTART);
	/* Ignored, it would have the system forget the children's times. */
	signal(SIGCHLD, SIG_DFL);
	/* So that a file too large is an error of write, not a death. */
#ifdef SIGXFSZ
	signal(SIGXFSZ, SIG_IGN);
#endif
}

static const char *signal_name(int number)
{
	int i;
	for (i = 0; i < END_SIGNALS; i++)
		if (end_signals[i].number == number)
			return end_signals[i].name;
	return "?";
}

/* ---- messages and progress: all that goes to standard error ------------ */

/* The bytes of the control character or backslash at s; 0 if there is another. */
static int control_bytes(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	if (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0)	/* U+0080 to U+009F */
		return 2;
	return u[0] < ' ' || u[0] == '\\' || u[0] == 127;
}

/* Prints s with its control characters and backslashes as \ooo. */
static void print_escaped(FILE *f, const char *s)
{
	while (*s != '\0') {
		int bytes = control_bytes(s);
		if (bytes == 0)
			putc(*s++, f);
		for (; bytes > 0; bytes--)
			fprintf(f, "\\%03o", (unsigned)(unsigned char)*s++);
	}
}

/* What of the run is to be shown while it goes on. */
static struct {
	int on;			/* standard error is a terminal */
	int drawn;		/* characters that stand there now */
	uint64_t start_ns, pass_ns;	/* of the run, of the pass */
	uint64_t rounds, rounds_done;
	uint64_t rounds_done_ns;	/* when the last round had ended */
	double seconds;		/* the run's time, or 0 */
	int passes, passes_done;	/* in a round; in this round */
	double pass_bytes;	/* that it will move */
	double crew_bytes;	/* that several workers said they have moved */
} progress;

static void progress_clear(void)
{
	if (progress.drawn > 0)
		fprintf(stderr, "\r%*s\r", progress.drawn, "");
	fflush(stderr);
	progress.drawn = 0;
}

/* Stores seconds as h:mm:ss. */
static void format_duration(double seconds, char *s, size_t size)
{
	double minutes = (double)(uint64_t)(seconds / 60), hours = (double)(uint64_t)(minutes / 60);
	snprintf(s, size, "%.0f:%02.0f:%02.0f", hours, minutes - 60 * hours,
	    (double)(uint64_t)(seconds - 60 * minutes));
}

/*
 * The seconds left after those elapsed, where share of the pass is done: what
 * the time allows, or as the rounds so far, or as the passes of the first.
 */
static double progress_left(double elapsed, double share)
{
	double rounds = (double)progress.rounds, done = (double)progress.rounds_done, left;
	if (done > 0)
		left = (double)(progress.rounds_done_ns - progress.start_ns) / 1e9 / done * rounds -
		    elapsed;
	else {
		done = (progress.passes_done + share) / progress.passes / rounds;
		left = done > 0 ? elapsed * (1 - done) / done : 0;
	}
	if (progress.seconds > 0 && (left > progress.seconds - elapsed || done <= 0))
		left = progress.seconds - elapsed;
	return left > 0 ? left : 0;
}

/* Redraws the line: bytes of the pass are done, doing is what it does now. */
static void progress_draw(double bytes, const char *doing)
{
	static const char hashes[] = "####################";
	char line[160], time_left[32], of[32] = "";
	int width = terminal_width(STDERR_FILENO) - 1, bar = sizeof hashes - 1;
	uint64_t now = now_ns();
	tick = 0;
	if (!progress.on || now - progress.start_ns < NS)
		return;
	double elapsed = (double)(now - progress.start_ns) / 1e9;
	double pass_seconds = (double)(now - progress.pass_ns) / 1e9;
	double share = progress.pass_bytes > 0 ? bytes / progress.pass_bytes : 0;
	format_duration(progress_left(elapsed, share), time_left, sizeof time_left);
	if (progress.seconds <= 0)
		snprintf(of, sizeof of, "/%.0f", (double)progress.rounds);
	snprintf(line, sizeof line, "round %.0f%s %-8s [%-*.*s] %3.0f%% %8.1f MB/s %s left",
	    (double)progress.rounds_done + 1, of, doing, bar, (int)(share * bar), hashes,
	    share * 100, pass_seconds > 0 ? bytes / 1e6 / pass_seconds : 0, time_left);
	if (width < (int)sizeof line)
		line[width > 0 ? width : 0] = '\0';
	progress_clear();
	progress.drawn = fprintf(stderr, "%s", line);
	fflush(stderr);
}

/* Lets the progress be drawn every so many us; 0: no more. */
static void progress_timer(long us)
{
	struct itimerval timer;
	memset(&timer, 0, sizeof timer);
	timer.it_interval.tv_usec = timer.it_value.tv_usec = (int)us;
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Clears the line and stops the timer while results are printed, or has it go on. */
static void progress_pause(int pause)
{
	progress_clear();
	if (progress.on)
		progress_timer(pause ? 0 : 250000);
}

/* Starts to show progress, four times a second, if there is a terminal. */
static void progress_start(uint64_t rounds, int passes, double seconds)
{
	struct itimerval timer;
	progress.rounds = rounds;
	progress.passes = passes;
	progress.seconds = seconds;
	progress.start_ns = now_ns();
	/* An alarm that was set before the start is not the program's to take. */
	progress.on = isatty(STDERR_FILENO) && getitimer(ITIMER_REAL, &timer) == 0 &&
	    timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0;
	if (progress.on)
		catch_alarm();
	progress_pause(0);
}

static void progress_stop(void)
{
	progress_pause(1);
	progress.on = 0;
}

/* Prints "gbtestdisk: what: which: why", without what is NULL. */
static void message(const char *what, const char *which, const char *why)
{
	progress_clear();
	fprintf(stderr, "gbtestdisk: %s", what);
	if (which != NULL) {
		fprintf(stderr, ": ");
		print_escaped(stderr, which);
	}
	if (why != NULL)
		fprintf(stderr, ": %s", why);
	putc('\n', stderr);
}

/* Warns, and says what it means for the numbers. */
static void warn(const char *which, const char *format, ...)
{
	char why[400];
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	message("warning", which, why);
}

/* ---- the data: ready, incompressible, stamped -------------------------- */

#define SECTOR 512
#define STAMP_BYTES 8
#define STAMP_STEP 0x9e3779b97f4a7c15ULL /* odd: has an inverse */
#define GENERATION_SHIFT 36 /* sectors below, generations above */
#define WINDOW_BYTES (4 * MIB) /* what a compressor may look back */
#define NO_MISMATCH UINT64_MAX

/*
 * Random bytes, made once: so many slots of a block each that what repeats
 * is further back than a compressor looks.  The block chooses the slot; a
 * generation is one writing of the file, and every 512 bytes of the file begin
 * with a stamp that no other sector, generation or run has.
 */
static struct {
	unsigned char *slots, *buffer;
	size_t block_bytes;
	uint64_t slot_count;
	uint64_t key;
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
	/* Newton modulo 2^64: each step doubles the bits that are right. */
	for (i = 0; i < 6; i++)
		inverse *= 2 - STAMP_STEP * inverse;
	return (word - data.key) * inverse;
}

/*
 * The part of the stamp at file offset sector * SECTOR that lies in the len
 * bytes at offset: how many bytes, the first in the buffer, in the stamp.
 */
static size_t stamp_overlap(uint64_t sector, uint64_t offset, size_t len, size_t *in_buffer,
    size_t *in_stamp)
{
	uint64_t from = sector * SECTOR, to = from + STAMP_BYTES;
	uint64_t low = from > offset ? from : offset;
	uint64_t high = to < offset + len ? to : offset + len;
	*in_buffer = (size_t)(low - offset);
	*in_stamp = (size_t)(low - from);
	return low < high ? (size_t)(high - low) : 0;
}

/* Stamps the len bytes that go to offset. */
static void stamp(unsigned char *buffer, uint64_t offset, size_t len, uint64_t generation)
{
	uint64_t sector = offset / SECTOR, word = stamp_word(sector, generation);
	size_t at = 0;
	if (offset % SECTOR == 0)
		for (; at + STAMP_BYTES <= len; at += SECTOR, sector++, word += STAMP_STEP)
			memcpy(buffer + at, &word, STAMP_BYTES);
	for (; sector * SECTOR < offset + len; sector++, word += STAMP_STEP) {
		size_t from, n = stamp_overlap(sector, offset, len, &at, &from);
		memcpy(buffer + at, (unsigned char *)&word + from, n);
	}
}

/*
 * Checks the stamps of the len bytes read from offset, where each sector may
 * be of any generation from low to high.  Returns NO_MISMATCH, or the file
 * offset of the first sector that is wrong, with what stands there in *found.
 * A stamp across two blocks is passed over if its halves may differ in age.
 */
static uint64_t stamps_check(const unsigned char *buffer, uint64_t offset, size_t len, uint64_t low,
    uint64_t high, uint64_t *found)
{
	uint64_t sector = offset / SECTOR, word = stamp_word(sector, high);
	size_t good = 0;
	if (offset % SECTOR == 0)
		for (; good + STAMP_BYTES <= len && memcmp(buffer + good, &word, STAMP_BYTES) == 0;
		     good += SECTOR, sector++)
			word += STAMP_STEP;
	for (; sector * SECTOR < offset + len; sector++, word += STAMP_STEP) {
		size_t at, from, n = stamp_overlap(sector, offset, len, &at, &from);
		if (memcmp(buffer + at, (unsigned char *)&word + from, n) == 0)
			continue;
		if (n < STAMP_BYTES) {
			if (low != high)
				continue;
			*found = 0;
			return sector * SECTOR;
		}
		memcpy(found, buffer + at, STAMP_BYTES);
		uint64_t age = (stamp_origin(*found) - sector) >> GENERATION_SHIFT;
		if (*found != stamp_word(sector, age) || age < low || age > high)
			return sector * SECTOR;
	}
	return NO_MISMATCH;
}

/* malloc, at a page's edge: the device may fetch it from there itself. */
static unsigned char *allocate_aligned(uint64_t bytes)
{
	uint64_t page = page_bytes(), align = page > 4096 ? page : 4096;
	unsigned char *p = bytes > SIZE_MAX - align ? NULL : malloc((size_t)(bytes + align));
	return p == NULL ? NULL : p + (align - (uint64_t)(uintptr_t)p % align) % align;
}

/*
 * Makes the pool for blocks of so many bytes, and a block to read into.
 * Blocks longer than the window are one slot, which serves to read into as
 * well: what comes back is what it holds, but for the stamps.  Where memory
 * is short, fewer slots have to do.  Returns -1 if not even a block fits.
 */
static int data_make(uint64_t block_bytes, uint64_t key)
{
	uint64_t i, state = key, bytes;
	data.key = mix64(key);
	data.block_bytes = (size_t)block_bytes;
	data.slot_count = WINDOW_BYTES / block_bytes + 1;
	for (;; data.slot_count /= 2) {
		bytes = (data.slot_count + (data.slot_count > 1)) * block_bytes;
		if ((data.slots = allocate_aligned(bytes)) != NULL)
			break;
		if (data.slot_count == 1)
			return -1;
	}
	data.buffer = data.slots + bytes - block_bytes;
	for (i = 0; i < bytes; i += sizeof state) {
		uint64_t word = mix64(state += STAMP_STEP), left = bytes - i;
		memcpy(data.slots + i, &word, left < sizeof word ? (size_t)left : sizeof word);
	}
	return 0;
}

/*
 * Where a block lies ready, but for its stamps.  Its generation must not count:
 * in a file that a mix pass has written in part, neighbours would be alike.
 */
static unsigned char *data_block(uint64_t block)
{
	return data.slots + (size_t)(block % data.slot_count) * data.block_bytes;
}

/* Makes a worker's memory its own, so that no pass pays for its pages. */
static void data_touch(unsigned char *buffer, uint64_t bytes)
{
	uint64_t i;
	volatile unsigned char *p = buffer;
	uint64_t page = page_bytes();
	for (i = 0; i < bytes; i += page) {
		unsigned char same = p[i];
		p[i] = same;
	}
}

/* ---- the scratch file and its guard ------------------------------------ */

/* What came of a pass, by one worker or by all.  Times are by now_ns. */
struct outcome {
	uint64_t start_ns, end_ns;
	uint64_t bytes[DIRECTIONS], calls[DIRECTIONS];
	const char *what;	/* went wrong, NULL: nothing; a literal, so that forks share it */
	char why[240];
	int name_taken;		/* the new file's, meanwhile */
	int cut;		/* the time was up before the blocks were done */
	int flush_unknown;	/* the file system knows no flush */
};

static double outcome_bytes(const struct outcome *o)
{
	return (double)(o->bytes[DIRECTION_READ] + o->bytes[DIRECTION_WRITE]);
}

/* Notes what went wrong, and why.  Returns -1, with errno as it was. */
static int outcome_fail(struct outcome *o, const char *what, const char *format, ...)
{
	int error = errno;
	va_list ap;
	va_start(ap, format);
	vsnprintf(o->why, sizeof o->why, format, ap);
	va_end(ap);
	o->what = what;
	errno = error;
	return -1;
}

#define OTHER_FILE "another file has taken its name"
#define NAME_PREFIX "gbtest-"
#define NAME_LETTERS 7 /* 14 in all: the least that any file system takes */

static struct {
	char *path;
	char *name;		/* in the path, after its last slash: what it is opened by */
	struct identity id;	/* all 0: there is none */
	uint64_t size_bytes;
	uint64_t oldest, newest;	/* the generations that its blocks may hold */
	int warm;		/* its blocks have been read since it was made */
	int flush_unknown;	/* the file system knows no flush */
} scratch;

/*
 * What is told to the guard: a name that a file is about to get (it follows,
 * and whether it is free is the answer); which file was made; that it is gone.
 */
enum tell { TELL_GONE, TELL_NAME, TELL_MADE };
struct told {
	enum tell kind;
	struct identity id;
	size_t name_len;
};

static struct {
	pid_t pid;		/* 0 if there is none */
	int tell, heard;	/* ends of the pipes to and from it */
} guard;

/* Reads or writes all of len bytes on a pipe.  Returns -1 if it ends early. */
static int pipe_move(int fd, int direction, void *buffer, size_t len)
{
	char *p = buffer;
	while (len > 0) {
		ssize_t n = direction == DIRECTION_WRITE ? write(fd, p, len) : read(fd, p, len);
		if (n == 0 || (n == -1 && errno != EINTR))
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int pipe_read(int fd, void *buffer, size_t len)
{
	return pipe_move(fd, DIRECTION_READ, buffer, len);
}

static int pipe_write(int fd, void *buffer, size_t len)
{
	return pipe_move(fd, DIRECTION_WRITE, buffer, len);
}

/* No pipe is 0, as standard input is open: so that says that there is none. */
static void pipe_close(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = 0;
}

static void process_wait(pid_t pid)
{
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		;
}

/*
 * The guard's life: it hears what happens to the file, and when the pipe
 * ends before it heard that the file is gone, removes it, and nothing else.
 */
static void guard_run(int listen, int answer)
{
	struct told now;
	struct identity id;
	char *path = NULL, is_free = 0;
	memset(&now, 0, sizeof now);
	while (pipe_read(listen, &now, sizeof now) == 0) {
		if (now.kind != TELL_NAME)
			continue;
		free(path);
		path = malloc(now.name_len + 1);
		if (path == NULL || pipe_read(listen, path, now.name_len) == -1)
			_exit(1);
		path[now.name_len] = '\0';
		is_free = identity_of(-1, path, &id) == -1;
		if (pipe_write(answer, &is_free, 1) == -1)
			break;
	}
	if (path != NULL && is_free && now.kind != TELL_GONE && identity_of(-1, path, &id) == 0 &&
	    S_ISREG(id.mode) && (now.kind == TELL_NAME ? id.owner == geteuid() :
	    same_file(&id, &now.id)))
		unlink(path);
	_exit(0);
}

/* Forgets the guard: a worker, which it must not take for what it guards. */
static void guard_leave(void)
{
	pipe_close(&guard.tell);
	pipe_close(&guard.heard);
	guard.pid = 0;
}

/* Ends the guard, which knows of no file any more. */
static void guard_stop(void)
{
	pid_t pid = guard.pid;
	guard_leave();
	if (pid > 0)
		process_wait(pid);
}

/*
 * Starts the guard.  It must outlive whatever ends this process, so it makes
 * a session of its own, ignores what can be ignored, and takes another name.
 * Returns -1 with errno if it cannot be had.
 */
static int guard_start(char **argv)
{
	int i, fd;
	int down[2] = { 0, 0 }, up[2] = { 0, 0 };
	guard.pid = pipe(down) == -1 || pipe(up) == -1 ? -1 : process_fork();
	if (guard.pid == 0) {
		for (i = 0; i < END_SIGNALS; i++)
			signal(end_signals[i].number, SIG_IGN);
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

/* Tells the guard, if it still lives, and returns whether the name that it was told is free. */
static int guard_tell(enum tell kind)
{
	int caught_before = caught;
	struct told now;
	char is_free = 1;
	if (guard.pid == 0)
		return 1;
	memset(&now, 0, sizeof now);
	now.kind = kind;
	now.id = scratch.id;
	now.name_len = strlen(scratch.name);
	if (pipe_write(guard.tell, &now, sizeof now) == 0 && (kind != TELL_NAME ||
	    (pipe_write(guard.tell, scratch.name, now.name_len) == 0 &&
	    pipe_read(guard.heard, &is_free, 1) == 0)))
		return is_free;
	if (caught == SIGPIPE) /* the guard's pipe, not standard output */
		caught = caught_before;
	guard_stop();
	warn(scratch.path, "the guard process is gone: if this process is killed, the file stays");
	return 1;
}

/* Opens the file by its name, again after a signal that does not end the run. */
static int open_name(int flags)
{
	int fd;
	do
		fd = open(scratch.name, flags | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	while (fd == -1 && errno == EINTR && !caught);
	return fd;
}

/* Whether what has the file's name is the file: lstat's errno is left if nothing has. */
static int scratch_is_there(void)
{
	struct identity id;
	return identity_of(-1, scratch.name, &id) == 0 &&
	       (scratch.id.inode == 0 || same_file(&id, &scratch.id));
}

/* What a signal handler may do: removes the file, and none that took its name. */
static void scratch_drop(void)
{
	if (scratch_is_there())
		unlink(scratch.name);
}

/* Creates the file by its ready name.  Returns a descriptor, or -1 with errno and why in *o. */
static int scratch_create(int flags, struct outcome *o)
{
	static const char what[] = "creating the scratch file";
	struct identity id;
	int fd = open_name(flags | O_CREAT | O_EXCL);
	o->name_taken = fd == -1 && errno == EEXIST;
	if (fd == -1)
		return outcome_fail(o, what, "%s", strerror(errno));
	remove_at_once = scratch_drop;
	if (identity_of(fd, NULL, &id) == -1) {
		outcome_fail(o, what, "%s", strerror(errno));
		close(fd);
		return -1;
	}
	scratch.id = id;
	guard_tell(TELL_MADE);
	return fd;
}

/* Opens the file that was made, no other.  Returns a descriptor, or -1 with why in *o. */
static int scratch_open(int flags, struct outcome *o)
{
	static const char what[] = "opening the scratch file";
	struct identity id;
	int fd = open_name(flags);
	if (fd == -1)
		return outcome_fail(o, what, "%s", strerror(errno));
	const char *why = identity_of(fd, NULL, &id) == -1 ? strerror(errno) :
	    same_file(&id, &scratch.id) ? NULL : OTHER_FILE;
	if (why == NULL)
		return fd;
	close(fd);
	return outcome_fail(o, what, "%s", why);
}

/* Closes fd; after EINTR it is gone, and closing again a mistake.  Returns -1 with why in *o. */
static int scratch_close(int fd, struct outcome *o)
{
	if (close(fd) == 0 || errno == EINTR)
		return 0;
	return outcome_fail(o, "closing", "%s", strerror(errno));
}

/* Removes the file, and none that took its name.  Returns NULL, or why it is still there. */
static const char *scratch_remove(void)
{
	const char *why = NULL;
	if (remove_at_once == NULL)
		return NULL;
	errno = 0;
	if (scratch_is_there() ? unlink(scratch.name) == -1 : errno != ENOENT)
		why = errno == 0 ? OTHER_FILE : strerror(errno);
	scratch.id.inode = 0;
	remove_at_once = NULL;
	if (why == NULL)
		guard_tell(TELL_GONE);
	return why;
}

/* The one way out: no file, no guard, no line of progress is left. */
static void clean_up(void)
{
	progress_stop();
	const char *why = scratch_remove();
	if (why != NULL)
		message("removing the scratch file", scratch.path, why);
	guard_stop();
}

/* Says what failed, where and why, cleans up, and ends with status 1. */
static void fatal(const char *what, const char *which, const char *why)
{
	message(what, which, why);
	clean_up();
	exit(1);
}

static void no_memory(const char *what)
{
	fatal(what, NULL, strerror(ENOMEM));
}

/* Returns what was allocated, or ends the run if it was not. */
static void *must_have(void *memory, const char *what)
{
	if (memory == NULL)
		no_memory(what);
	return memory;
}

/* Ends the process by the signal that it caught, so that the shell knows. */
static void die_by_signal(int number)
{
	clean_up();
	signal(number, SIG_DFL);
	if (raise(number) == 0)	/* it is blocked */
		exit(128 + number);
}

/* Sends what was printed on its way; a reader that left ends the run. */
static void flush_output(void)
{
	int r = fflush(stdout), error = errno;
	if (caught == SIGPIPE || (caught && (r != 0 || ferror(stdout))))
		die_by_signal(caught);
	if (r != 0 || ferror(stdout))
		fatal("writing the results", "standard output", strerror(error != 0 ? error : EIO));
}

/* Goes to the directory, and makes the path of the files there, without a name as yet. */
static void scratch_place(const char *directory, uint64_t size_bytes)
{
	size_t len = strlen(directory), most = len + 1 + sizeof NAME_PREFIX + NAME_LETTERS;
	scratch.size_bytes = size_bytes;
	scratch.path = must_have(malloc(most), "making the file's name");
	snprintf(scratch.path, most, "%s%s", directory, directory[len - 1] == '/' ? "" : "/");
	scratch.name = scratch.path + strlen(scratch.path);
	/* From here on the file is found, whatever becomes of the directory's name. */
	if (chdir(directory) == -1)
		fatal("looking at the directory", directory, strerror(errno));
}

/* Readies a name that nobody has for a file that is about to be made, or ends the run. */
static void scratch_name(void)
{
	int tries, i;
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	static uint64_t state;
	if (state == 0)
		state = run_key();
	for (tries = 0; tries < 100; tries++) {
		char *p = scratch.name + sizeof NAME_PREFIX - 1;
		uint64_t word = mix64(state += STAMP_STEP);
		memcpy(scratch.name, NAME_PREFIX, sizeof NAME_PREFIX - 1);
		for (i = 0; i < NAME_LETTERS; i++, word >>= 5)
			*p++ = letters[word & 31];
		*p = '\0';
		if (guard_tell(TELL_NAME))
			return;
	}
	fatal("creating the scratch file", scratch.path, "no free name was found");
}

/* Removes the file, or ends the run. */
static void file_remove(void)
{
	const char *why = scratch_remove();
	if (why != NULL)
		fatal("removing the scratch file", scratch.path, why);
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

/* Blocks from <= i < to, or places of the order; part is whose they are. */
struct span {
	uint64_t from, to;
	int part;
};

/* A list of spans that grows. */
struct spans {
	struct span *list;
	size_t count, allocated;
};

/* Appends a span.  Returns -1 if there is no memory. */
static int spans_add(struct spans *s, uint64_t from, uint64_t to, int part)
{
	if (from >= to)
		return 0;
	if (s->count == s->allocated) {
		size_t n = s->allocated > 0 ? 2 * s->allocated : 16;
		struct span *list = realloc(s->list, n * sizeof *list);
		if (list == NULL)
			return -1;
		s->list = list;
		s->allocated = n;
	}
	s->list[s->count++] = (struct span){ from, to, part };
	return 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

/*
 * Makes *kept what is in s but not in undone, which it sorts; s is sorted and
 * each undone span lies in one of its spans.  Returns -1 if out of memory.
 */
static int spans_subtract(const struct spans *s, struct spans *undone, struct spans *kept)
{
	size_t i, j = 0;
	kept->count = 0;
	if (undone->count > 1)
		qsort(undone->list, undone->count, sizeof *undone->list, compare_spans);
	for (i = 0; i < s->count; i++) {
		struct span left = s->list[i];
		for (; j < undone->count && undone->list[j].from < left.to; j++) {
			if (spans_add(kept, left.from, undone->list[j].from, left.part) == -1)
				return -1;
			left.from = undone->list[j].to;
		}
		if (spans_add(kept, left.from, left.to, left.part) == -1)
			return -1;
	}
	return 0;
}

static uint64_t spans_blocks(const struct spans *s)
{
	size_t i;
	uint64_t n = 0;
	for (i = 0; i < s->count; i++)
		n += s->list[i].to - s->list[i].from;
	return n;
}

/* Makes s the spans of n blocks: each process's own part, or one for all. */
static void spans_whole(struct spans *s, uint64_t n, int parts)
{
	uint64_t k, from = 0, all = (uint64_t)parts;
	s->count = 0;
	for (k = 1; k <= all; k++) {
		uint64_t to = k * (n / all) + k * (n % all) / all;
		if (spans_add(s, from, to, (int)k - 1) == -1)
			no_memory("planning a pass");
		from = to;
	}
}

static void spans_copy(struct spans *to, const struct spans *from)
{
	size_t i;
	to->count = 0;
	for (i = 0; i < from->count; i++)
		if (spans_add(to, from->list[i].from, from->list[i].to, from->list[i].part) == -1)
			no_memory("planning a pass");
}

/* ---- the passes -------------------------------------------------------- */

/* How often the clock is read in a pass. */
enum { CLOCK_PASS, CLOCK_AFTER_CALLS, CLOCK_AROUND_CALLS };

/* What a pass is to do: these blocks, in this order, by these workers. */
struct plan {
	int pass;
	uint64_t size_bytes, block_bytes, blocks;
	uint64_t batch;		/* blocks in a call: above 1 only where nobody times it */
	uint64_t generation;	/* that its writes get */
	int create;		/* a new file */
	int writes, reads, check;
	int random, sync, direct;
	struct order order, direction;	/* of the blocks; in mix, which are written */
	uint64_t write_places;	/* those below it in direction */
	const struct spans *spans;	/* sorted; a part's spans belong to its workers */
	int parts, workers;
	uint64_t busy;		/* workers that have a block at once */
	uint64_t share_ns;	/* no call begins after that; 0: no limit */
	int clock, latency;
	uint64_t map_parts;
};

/* How long the calls of the round under way took, where that is wanted. */
static struct histogram round_latency[PASSES][LANES];
/* For each part of the map: its bytes, and ns shared among the workers. */
static uint64_t *round_map[PASSES][DIRECTIONS];
/* What the pass under way had to leave when its time was up. */
static struct spans undone;

/* One worker: where it takes its blocks from, and what it works with. */
struct worker {
	int part;
	int tokens;		/* a pipe, or 0: all spans of the part */
	size_t next_span;
	unsigned char *buffer;
	int copies;		/* what it writes is made in buffer */
	int fd;
	pid_t parent;		/* 0: this is it */
	uint64_t unwatched_bytes;	/* moved since it was seen to live */
	int results;		/* the pipe to it */
	uint64_t untold_bytes;	/* moved since it was told */
	double tell_bytes;	/* after which it is told */
	uint64_t last_ns;	/* when the last call ended */
	uint64_t pass_ns;	/* when the pass began, where that was before it did */
	uint64_t deadline_ns;
};

#define MOST_PER_CALL ((size_t)1 << 30)	/* macOS refuses 2^31 */
#define WATCH_BYTES 65536
#define TELLINGS 16	/* of a worker's progress in a pass */

/*
 * Moves len bytes between buffer and offset of fd; short transfers and
 * interruptions are continued.  Returns the bytes moved, fewer at the end of
 * the file, or -1 with errno (EINTR: a signal wants the run to end).
 */
static ssize_t transfer(int fd, unsigned char *buffer, size_t len, uint64_t offset, int write)
{
	size_t done = 0;
	while (done < len) {
		size_t want = len - done < MOST_PER_CALL ? len - done : MOST_PER_CALL;
		off_t at = (off_t)(offset + done);
		ssize_t n = write ? write_at(fd, buffer + done, want, at) :
				    read_at(fd, buffer + done, want, at);
		if (n == 0 && !write)
			break;
		if (n == 0)
			errno = ENOSPC;
		if (n == 0 || (n == -1 && (errno != EINTR || caught)))
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)done;
}

/* Adds a call that took ns to the latencies and to the map. */
static void call_keep(const struct plan *p, uint64_t block, int write, size_t len, uint64_t ns)
{
	if (p->latency)
		histogram_add(&round_latency[p->pass][write], ns);
	if (p->map_parts > 0) {
		uint64_t *part = round_map[p->pass][write];
		part += 2 * (block * p->map_parts / p->blocks);
		part[0] += len;
		part[1] += p->busy > 1 ? ns / p->busy : ns;
	}
}

/* Notes that at this offset of the file another stamp was found. */
static int outcome_mismatch(struct outcome *o, uint64_t at, uint64_t found)
{
	uint64_t origin = stamp_origin(found), generation = origin >> GENERATION_SHIFT;
	uint64_t offset = (origin - (generation << GENERATION_SHIFT)) * SECTOR;
	char whose[80] = "";
	if (offset < scratch.size_bytes && generation <= scratch.newest)
		snprintf(whose, sizeof whose, ": it has the data of offset %.0f%s", (double)offset,
		    offset == at ? " of an earlier pass" : "");
	return outcome_fail(o, "checking what was read",
	    "what was written at offset %.0f is not what was read back%s", (double)at, whose);
}

/* Moves count blocks in one call.  Returns 0, or -1 with what is wrong in *o. */
static int blocks_move(const struct plan *p, struct worker *w, uint64_t block, uint64_t count,
    int write, struct outcome *o)
{
	uint64_t offset = block * p->block_bytes, want = count * p->block_bytes;
	size_t len = (size_t)(p->size_bytes - offset < want ? p->size_bytes - offset : want);
	unsigned char *buffer = w->buffer;
	if (write) {
		if (w->copies)
			memcpy(buffer, data_block(block), len);
		else
			buffer = data_block(block);
		stamp(buffer, offset, len, p->generation);
	}
	/* Nothing stands between unchecked reads: one begins when the last one ended. */
	uint64_t begin = w->last_ns;
	if (p->clock == CLOCK_AROUND_CALLS && (write || p->check))
		begin = now_ns();
	ssize_t n = transfer(w->fd, buffer, len, offset, write);
	if (n != (ssize_t)len)
		return outcome_fail(o, write ? "writing" : "reading", "%s",
		    n == -1 ? strerror(errno) : "the file ends early");
	if (p->clock != CLOCK_PASS) {
		w->last_ns = now_ns();
		call_keep(p, block, write, len, w->last_ns - begin);
	}
	o->bytes[write] += len;
	o->calls[write] += count;
	if (!p->check || write)
		return 0;
	uint64_t found;
	uint64_t at = stamps_check(buffer, offset, len, scratch.oldest, scratch.newest, &found);
	return at == NO_MISMATCH ? 0 : outcome_mismatch(o, at, found);
}

/* What a worker process sends to its parent: 512 bytes at most, so that each arrives in one piece. */
enum { PARCEL_COUNTS, PARCEL_MOMENTS, PARCEL_MAP, PARCEL_UNDONE, PARCEL_DONE,
	PARCEL_OUTCOME };
#define PARCEL_NUMBERS 56
struct parcel {
	int kind, lane;
	uint64_t first, count;	/* which numbers they are, and how many */
	union {
		uint64_t numbers[PARCEL_NUMBERS];
		struct histogram_moments moments;
		struct span undone;
		uint64_t done_bytes;	/* since the last one */
		struct outcome outcome;
	} u;
};
typedef char parcel_fits[sizeof(struct parcel) <= 512 ? 1 : -1];

static void parcel_send(int fd, struct parcel *parcel, int kind, int lane)
{
	parcel->kind = kind;
	parcel->lane = lane;
	if (pipe_write(fd, parcel, sizeof *parcel) == -1)
		_exit(1);	/* nobody is there to hear it */
}

/* Tells the parent, if anybody watches, how far a worker process is. */
static void worker_tell(struct worker *w)
{
	struct parcel parcel;
	memset(&parcel, 0, sizeof parcel);
	parcel.u.done_bytes = w->untold_bytes;
	w->untold_bytes = 0;
	if (progress.on)
		parcel_send(w->results, &parcel, PARCEL_DONE, 0);
}

/* What a worker process does now and then.  Returns whether its parent has died: then it ends. */
static int worker_heartbeat(struct worker *w, uint64_t bytes)
{
	if (w->parent == 0)
		return 0;
	w->untold_bytes += bytes;
	if ((double)w->untold_bytes > w->tell_bytes)
		worker_tell(w);
	if ((w->unwatched_bytes += bytes) < WATCH_BYTES)
		return 0;
	w->unwatched_bytes = 0;
	return getppid() != w->parent;
}

static int outcome_no_memory(struct outcome *o)
{
	return outcome_fail(o, "preparing a pass", "cannot allocate: %s", strerror(ENOMEM));
}

/* Remembers what the pass leaves.  Returns 0, or -1 with what is wrong in *o. */
static int leave_undone(struct span s, struct outcome *o)
{
	return spans_add(&undone, s.from, s.to, s.part) == -1 ? outcome_no_memory(o) : 0;
}

/* Moves a span's blocks; what -t leaves of it is in undone.  Returns -1 if the pass is to end. */
static int span_run(const struct plan *p, struct worker *w, struct span s, struct outcome *o)
{
	uint64_t n;
	for (n = 1; s.from < s.to; s.from += n) {
		uint64_t block = p->random ? order_at(&p->order, s.from) : s.from;
		int write = p->writes;
		if (caught)
			return -1;
		if (w->deadline_ns > 0 && w->last_ns >= w->deadline_ns) {
			o->cut = 1;
			return leave_undone(s, o);
		}
		if (p->writes && p->reads)
			write = order_at(&p->direction, block) < p->write_places;
		if (p->batch > 1) {
			/* No further than they lie ready one after the other. */
			n = data.slot_count - block % data.slot_count;
			/* Aligned, so that the cache can keep it in large pieces. */
			n = n < p->batch - block % p->batch ? n : p->batch - block % p->batch;
			n = n < s.to - block ? n : s.to - block;
		}
		if (blocks_move(p, w, block, n, write, o) == -1 ||
		    worker_heartbeat(w, p->block_bytes))
			return -1;
		if (tick && w->parent == 0) {
			progress_draw(outcome_bytes(o), pass_types[p->pass].name);
			if (p->clock != CLOCK_PASS)
				w->last_ns = now_ns();
		}
	}
	return 0;
}

/* A token is a run of blocks: the first in its upper 40 bits, their number in its lower 24. */
#define TOKEN_BITS 24
#define TOKEN_MOST (((uint64_t)1 << TOKEN_BITS) - 1)

static struct span token_span(uint64_t token, int part)
{
	uint64_t from = token >> TOKEN_BITS;
	return (struct span){ from, from + (token & TOKEN_MOST), part };
}

/* Takes the next blocks that a worker is to move.  Returns 0 if all are. */
static int worker_next(const struct plan *p, struct worker *w, struct span *s)
{
	if (w->tokens > 0) {
		uint64_t token;
		if (pipe_read(w->tokens, &token, sizeof token) == -1)
			return 0;
		*s = token_span(token, w->part);
		return 1;
	}
	while (w->next_span < p->spans->count && p->spans->list[w->next_span].part != w->part)
		w->next_span++;
	if (w->next_span == p->spans->count)
		return 0;
	*s = p->spans->list[w->next_span++];
	return 1;
}

/* Moves all blocks that the worker can get, until its time is up. */
static void worker_move(const struct plan *p, struct worker *w, struct outcome *o)
{
	struct span s;
	w->last_ns = now_ns();
	uint64_t begin = w->pass_ns > 0 ? w->pass_ns : o->start_ns;
	w->deadline_ns = p->share_ns > 0 ? begin + p->share_ns : 0;
	while (!caught && o->what == NULL && worker_next(p, w, &s)) {
		if (o->cut) {
			leave_undone(s, o);
			continue;
		}
		if (w->tokens > 0 && p->clock != CLOCK_PASS)
			w->last_ns = now_ns();
		if (span_run(p, w, s, o) == -1 || (o->cut && w->tokens > 0))
			break;
	}
}

/* Flushes and closes what the pass has written, or closes what it read. */
static void worker_close(const struct plan *p, struct worker *w, struct outcome *o)
{
	if (p->writes && o->what == NULL && !caught) {
		if (w->parent != 0)
			worker_tell(w);
		else if (progress.on)
			progress_draw(outcome_bytes(o), "flushing");
		uint64_t begin = p->latency ? now_ns() : 0;
		int r = flush_file(w->fd);
		if (r == -1)
			outcome_fail(o, "flushing", "%s", strerror(errno));
		if (p->latency)
			histogram_add(&round_latency[p->pass][LANE_SYNC], now_ns() - begin);
		o->flush_unknown = r == 1;
	}
	if (o->what == NULL)
		scratch_close(w->fd, o);
	else
		close(w->fd);
}

/* One worker's pass: opens, moves blocks, flushes, closes, all timed. */
static void worker_run(const struct plan *p, struct worker *w, struct outcome *o)
{
	int flags = (p->sync ? SYNC_FLAG : 0) | (p->direct ? DIRECT_FLAG : 0);
	o->start_ns = now_ns();
	/* A crew's file was made by its parent. */
	w->fd = p->create && w->parent == 0 ? scratch_create(O_RDWR | flags, o) :
	    scratch_open((p->writes ? O_RDWR : O_RDONLY) | flags, o);
	if (w->fd == -1)
		return;
	if (p->direct && direct_enable(w->fd) == -1)
		outcome_fail(o, "turning direct I/O on", "%s", strerror(errno));
	if (p->check)
		read_uncached(w->fd);
	if (p->random)
		read_random(w->fd);
	worker_move(p, w, o);
	worker_close(p, w, o);
	o->end_ns = now_ns();
}

/* ---- several workers: processes, fed and collected through pipes ------- */

/* Sends the numbers that are not 0, in as few parcels as hold them. */
static void numbers_send(int fd, int kind, int lane, const uint64_t *numbers, size_t count)
{
	struct parcel parcel;
	size_t i, n;
	memset(&parcel, 0, sizeof parcel);
	for (i = 0; i < count; i += n) {
		n = 1;
		if (numbers[i] == 0)
			continue;
		n = count - i < PARCEL_NUMBERS ? count - i : PARCEL_NUMBERS;
		parcel.first = i;
		parcel.count = n;
		memcpy(parcel.u.numbers, numbers + i, n * sizeof *numbers);
		parcel_send(fd, &parcel, kind, lane);
	}
}

/* Sends all that a worker has found out, the outcome last. */
static void worker_report(const struct plan *p, int fd, const struct outcome *o)
{
	int lane, d;
	size_t i;
	struct parcel parcel;
	memset(&parcel, 0, sizeof parcel);
	for (lane = 0; p->latency && lane < LANES; lane++) {
		const struct histogram *h = &round_latency[p->pass][lane];
		numbers_send(fd, PARCEL_COUNTS, lane, h->counts, BUCKETS);
		parcel.u.moments = h->moments;
		parcel_send(fd, &parcel, PARCEL_MOMENTS, lane);
	}
	for (d = 0; p->map_parts > 0 && d < DIRECTIONS; d++)
		numbers_send(fd, PARCEL_MAP, d, round_map[p->pass][d], 2 * (size_t)p->map_parts);
	for (i = 0; i < undone.count; i++) {
		parcel.u.undone = undone.list[i];
		parcel_send(fd, &parcel, PARCEL_UNDONE, 0);
	}
	parcel.u.outcome = *o;
	parcel_send(fd, &parcel, PARCEL_OUTCOME, 0);
}

/* Adds a worker's outcome to that of the pass; its first fault is kept. */
static void outcome_merge(struct outcome *o, const struct outcome *one)
{
	int d;
	for (d = 0; d < DIRECTIONS; d++) {
		o->bytes[d] += one->bytes[d];
		o->calls[d] += one->calls[d];
	}
	if (one->start_ns < o->start_ns)
		o->start_ns = one->start_ns;
	if (one->end_ns > o->end_ns)
		o->end_ns = one->end_ns;
	o->cut |= one->cut;
	o->flush_unknown |= one->flush_unknown;
	if (o->what == NULL && one->what != NULL) {
		o->what = one->what;
		memcpy(o->why, one->why, sizeof o->why);
	}
}

/* Takes one parcel in.  Returns 1 if it was a worker's last. */
static int parcel_merge(const struct plan *p, const struct parcel *parcel, struct outcome *o)
{
	uint64_t i;
	struct histogram *h = &round_latency[p->pass][parcel->lane];
	int is_map = parcel->kind == PARCEL_MAP;
	uint64_t *numbers = is_map ? round_map[p->pass][parcel->lane] : h->counts;
	switch (parcel->kind) {
	case PARCEL_COUNTS:
	case PARCEL_MAP:
		for (i = 0; i < parcel->count; i++)
			numbers[parcel->first + i] += parcel->u.numbers[i];
		return 0;
	case PARCEL_MOMENTS:
		moments_merge(&h->moments, &parcel->u.moments);
		return 0;
	case PARCEL_UNDONE:
		leave_undone(parcel->u.undone, o);
		return 0;
	case PARCEL_DONE:
		progress.crew_bytes += (double)parcel->u.done_bytes;
		return 0;
	default:
		outcome_merge(o, &parcel->u.outcome);
		return 1;
	}
}

/* Which file the parent made for its crew, and when the pass had begun. */
struct made {
	struct identity id;
	uint64_t start_ns;
};

/* The crew of a pass, as its parent sees it. */
struct crew {
	pid_t *pids;
	int started;
	int *tokens;		/* a pipe's reading end for each part, or 0 */
	int start[2];		/* its close lets all of them go */
	int made[2];		/* then, what was made and when: a copy for each */
	int results[2];
};

/*
 * Writes all runs of a part's blocks into a pipe, which must take them
 * without a reader.  In random order, long runs come first and short ones
 * last, so that nobody is waited for.  Returns -1 if they do not fit.
 */
static int tokens_write(const struct plan *p, int fd, int part, uint64_t least)
{
	size_t i;
	uint64_t tokens[512 / sizeof(uint64_t)], left = 0;
	size_t n = 0;
	for (i = 0; i < p->spans->count; i++)
		if (p->spans->list[i].part == part)
			left += p->spans->list[i].to - p->spans->list[i].from;
	for (i = 0; i < p->spans->count; i++) {
		struct span s = p->spans->list[i];
		while (s.part == part && s.from < s.to) {
			uint64_t run = p->random ? left / (2 * (uint64_t)p->workers) : 1;
			run = run > least ? run : least;
			run = run < s.to - s.from ? run : s.to - s.from;
			run = run < TOKEN_MOST ? run : TOKEN_MOST;
			tokens[n++] = s.from << TOKEN_BITS | run;
			s.from += run;
			left -= run;
			if (n < sizeof tokens / sizeof *tokens)
				continue;
			if (write(fd, tokens, sizeof tokens) != (ssize_t)sizeof tokens)
				return -1;
			n = 0;
		}
	}
	n *= sizeof *tokens;
	return n > 0 && write(fd, tokens, n) != (ssize_t)n ? -1 : 0;
}

/* Makes a pipe of a part's tokens; runs grow until they fit.  Returns its end to read, or -1. */
static int tokens_pipe(const struct plan *p, int part)
{
	uint64_t least;
	for (least = 1; least <= TOKEN_MOST; least *= 2) {
		int fds[2];
		if (pipe(fds) == -1)
			return -1;
		fcntl(fds[1], F_SETFL, O_NONBLOCK);
		int r = tokens_write(p, fds[1], part, least);
		close(fds[1]);
		if (r == 0)
			return fds[0];
		close(fds[0]);
	}
	errno = EFBIG;
	return -1;
}

/* By which the parent ends a worker: nobody else has had a say in how it is taken. */
#define CREW_SIGNAL SIGUSR1

/* Has the parent's signal heard, whatever was ignored or blocked from the start. */
static void crew_signal_catch(void)
{
	sigset_t set;
	signal(CREW_SIGNAL, SIG_DFL);
	catch_signal(CREW_SIGNAL, on_end, 0);
	sigemptyset(&set);
	sigaddset(&set, CREW_SIGNAL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A worker process: waits for the start, works, reports, and ends. */
static void crew_member(const struct plan *p, struct crew *c, int index, pid_t parent)
{
	int i;
	struct worker w = { .parent = parent, .part = index / (p->workers / p->parts),
	    .results = c->results[1], .tell_bytes = progress.pass_bytes / p->workers / TELLINGS };
	struct outcome o = { 0 };
	struct made made;
	char byte;
	crew_signal_catch();
	guard_leave();
	close(c->start[1]);
	close(c->made[1]);
	close(c->results[0]);
	w.tokens = c->tokens[w.part];
	for (i = 0; i < p->parts; i++)
		if (i != w.part)
			pipe_close(&c->tokens[i]);
	w.copies = data.slot_count > 1;
	w.buffer = w.copies ? allocate_aligned(p->block_bytes) : data.slots;
	if (w.buffer == NULL)
		outcome_no_memory(&o);
	else
		data_touch(w.buffer, p->block_bytes);
	while (read(c->start[0], &byte, 1) == -1 && errno == EINTR)
		;
	if (p->create && pipe_read(c->made[0], &made, sizeof made) == -1)
		_exit(1);
	if (p->create) {
		scratch.id = made.id;
		w.pass_ns = made.start_ns;
	}
	if (o.what == NULL && !caught)
		worker_run(p, &w, &o);
	else
		o.start_ns = o.end_ns = now_ns();
	if (o.what == NULL && caught)	/* the parent may know nothing of it */
		outcome_fail(&o, "working side by side", "a worker process got a signal: %s",
		    signal_name(caught));
	worker_report(p, c->results[1], &o);
	_exit(0);
}

static int crew_fail(const struct plan *p, const struct crew *c, struct outcome *o)
{
	return outcome_fail(o, "starting the worker processes", "%.0f of %.0f could be started: %s",
	    (double)c->started, (double)p->workers, strerror(errno));
}

/* Starts the crew of a pass; all wait.  Returns -1 with what is wrong in *o. */
static int crew_start(const struct plan *p, struct crew *c, struct outcome *o)
{
	int i;
	pid_t parent = getpid();
	c->pids = calloc((size_t)p->workers, sizeof *c->pids);
	c->tokens = calloc((size_t)p->parts, sizeof *c->tokens);
	if (c->pids == NULL || c->tokens == NULL)
		return outcome_no_memory(o);
	for (i = 0; i < p->parts && p->workers > p->parts; i++)
		if ((c->tokens[i] = tokens_pipe(p, i)) == -1)
			return crew_fail(p, c, o);
	if (pipe(c->start) == -1 || pipe(c->made) == -1 || pipe(c->results) == -1)
		return crew_fail(p, c, o);
	/* No signal may have a worker remove the file; the guard will, if need be. */
	void (*remove_now)(void) = remove_at_once;
	remove_at_once = NULL;
	for (; c->started < p->workers; c->started++) {
		pid_t pid = process_fork();
		if (pid == 0)
			crew_member(p, c, c->started, parent);
		if (pid == -1)
			break;
		c->pids[c->started] = pid;
	}
	int failed = c->started < p->workers ? crew_fail(p, c, o) : 0;
	remove_at_once = remove_now;
	return failed;
}

static int crew_lost(struct outcome *o)
{
	return outcome_fail(o, "waiting for the worker processes", "one of them was killed");
}

static void crew_signal(const struct crew *c)
{
	int i;
	for (i = 0; i < c->started; i++)
		if (c->pids[i] > 0)
			kill(c->pids[i], CREW_SIGNAL);
}

/* Sees which children have ended: a worker that a signal ended fails the pass. */
static void crew_look(struct crew *c, struct outcome *o)
{
	pid_t pid;
	int i, status;
	child_ended = 0;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (i = 0; i < c->started; i++)
			if (c->pids[i] == pid) {
				c->pids[i] = 0;
				if (WIFSIGNALED(status) && o->what == NULL)
					crew_lost(o);
			}
}

/* Hears all workers out, and ends them early if one fails or a signal says so. */
static void crew_collect(const struct plan *p, struct crew *c, struct outcome *o)
{
	struct parcel parcel;
	size_t have = 0;
	int heard = 0, told = 0, flushes = 0;
	catch_signal(SIGCHLD, on_event, 0);
	for (child_ended = 1;;) {
		if (child_ended)
			crew_look(c, o);
		if ((caught || o->what != NULL) && !told++)
			crew_signal(c);
		/* The last block of a file may be short. */
		int flushing = p->writes && progress.on &&
		    progress.crew_bytes + (double)p->block_bytes > progress.pass_bytes;
		if (tick || (flushing && !flushes++))
			progress_draw(progress.crew_bytes,
			    flushing ? "flushing" : pass_types[p->pass].name);
		ssize_t n = read(c->results[0], (char *)&parcel + have, sizeof parcel - have);
		if (n == 0 || (n == -1 && errno != EINTR))
			break;
		have += n > 0 ? (size_t)n : 0;
		if (have == sizeof parcel) {
			heard += parcel_merge(p, &parcel, o);
			have = 0;
		}
	}
	signal(SIGCHLD, SIG_DFL);
	if (heard < p->workers && o->what == NULL)
		crew_lost(o);
}

/* Takes what is left in the token pipes, and ends and frees the crew. */
static void crew_end(const struct plan *p, struct crew *c, struct outcome *o)
{
	int i;
	for (i = 0; i < 2; i++) {
		pipe_close(&c->start[i]);
		pipe_close(&c->made[i]);
		pipe_close(&c->results[i]);
	}
	for (i = 0; i < c->started; i++)
		if (c->pids[i] > 0)
			process_wait(c->pids[i]);
	for (i = 0; c->tokens != NULL && i < p->parts && c->tokens[i] > 0; i++) {
		uint64_t token;
		while (o->cut && pipe_read(c->tokens[i], &token, sizeof token) == 0)
			leave_undone(token_span(token, i), o);
		pipe_close(&c->tokens[i]);
	}
	free(c->pids);
	free(c->tokens);
}

/* The pass by several workers: makes its file, timed, tells them of it, and hears them out. */
static void crew_run(const struct plan *p, struct outcome *o)
{
	int i;
	struct crew c = { 0 };
	if (crew_start(p, &c, o) == -1) {
		crew_signal(&c);
		crew_end(p, &c, o);
		return;
	}
	pipe_close(&c.results[1]);
	o->start_ns = p->create ? now_ns() : UINT64_MAX;	/* else the first worker's */
	int fd = p->create ? scratch_create(O_RDWR, o) : -1;
	if (fd != -1)
		scratch_close(fd, o);
	if (o->what != NULL)
		crew_signal(&c);
	pipe_close(&c.start[1]);
	struct made made = { scratch.id, o->start_ns };
	for (i = 0; p->create && o->what == NULL && i < p->workers; i++)
		pipe_write(c.made[1], &made, sizeof made);
	pipe_close(&c.made[1]);
	crew_collect(p, &c, o);
	crew_end(p, &c, o);
}

/* Runs a pass, with the clock around it all.  One worker is this process itself. */
static struct outcome pass_run(const struct plan *p)
{
	struct worker self = { .buffer = data.buffer };
	struct outcome o = { 0 };
	undone.count = 0;
	if (p->workers > 1)
		crew_run(p, &o);
	else
		worker_run(p, &self, &o);
	return o;
}

/* ---- the rounds: what is prepared, measured and remembered ------------- */

/* What is kept of a pass, for each of its columns. */
struct record {
	uint64_t start_ns, end_ns;
	uint64_t bytes, calls;
	uint64_t round_ns;	/* when its round had ended, since the start */
};

/* A mean that grows by one rate at a time (Welford, Technometrics 4, 1962). */
struct running {
	uint64_t n;
	double mean, squares;
};

/* What casts doubt on the figures, gathered on the way. */
struct findings {
	enum eviction evicted;
	double resident;	/* worst share left after eviction, or nan */
	double leaked;		/* most that direct I/O left in the cache */
	double cached;		/* least share before a cache pass, or nan */
	unsigned short_passes;	/* took too few steps of the clock */
	unsigned untimed;	/* no figure: no time by the clock, or no call */
	uint64_t cut_rounds[PASSES], overrun_ns[PASSES];
	double least_done[PASSES];	/* share of the blocks, where cut */
	uint64_t cpu_ns[PASSES], busy_ns[PASSES];
};

/* Where the run takes place. */
struct machine {
	char host[256], system[768], directory[PATH_BYTES];
	struct file_system fs;
	const char *flush;
	double processors;
	double start_wall;	/* seconds since 1970, at start_ns */
	uint64_t start_ns;
};

static struct {
	uint64_t rounds;	/* complete ones that count */
	uint64_t allocated;
	int passes, columns, lanes;	/* lanes: the columns of -l */
	const struct column *column[COLUMNS], *lane[COLUMNS];
	struct record *records;	/* rounds by columns */
	struct running running[COLUMNS];
	struct histogram latency[PASSES][LANES];
	uint64_t *map[PASSES][DIRECTIONS];
	struct findings found;
	struct machine machine;
	uint64_t start_ns, clock_step_ns;
	uint64_t rounds_ns;	/* of the rounds that count, without the rests */
	uint64_t begun;		/* rounds of any kind */
	int sure;		/* -e was reached */
} results;

/* What a round has to cover: all, what is written, what was read from it. */
static struct spans whole, written, readable;

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

/* Whether each round writes a file of its own. */
static int file_is_per_round(const struct options *opt)
{
	return has_pass(opt, PASS_WRITE) && !opt->random;
}

static void findings_clear(void)
{
	results.found = (struct findings){ .evicted = EVICTED_YES, .resident = NAN, .cached = NAN };
}

/* The rate of a record in unit, or nan. */
static double rate(const struct record *r, const struct unit *unit)
{
	double seconds = (double)(r->end_ns - r->start_ns) / 1e9;
	if (r->end_ns <= r->start_ns)
		return NAN;
	return (unit->bytes > 0 ? (double)r->bytes / unit->bytes : (double)r->calls) / seconds;
}

static struct record *record_at(uint64_t round, int column)
{
	return results.records + round * (uint64_t)results.columns + column;
}

/* Makes room for one more round; a failure ends the run. */
static void results_grow(void)
{
	size_t row = (size_t)results.columns * sizeof *results.records;
	if (results.rounds < results.allocated)
		return;
	results.allocated = results.allocated > 0 ? results.allocated * 2 : 16;
	results.records = must_have(realloc(results.records, (size_t)results.allocated * row),
	    "keeping the results");
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

/* Plans a measured pass over what it is to cover in this round. */
static struct plan plan_make(const struct options *opt, int pass, uint64_t share_ns)
{
	unsigned does = pass_types[pass].does;
	int writes = (does & DOES_WRITE) != 0, only_writes = writes && !(does & DOES_READ);
	uint64_t blocks = blocks_of(opt), key = mix64(data.key + results.begun);
	uint64_t workers = opt->processes * opt->depth;
	return (struct plan){
		.pass = pass,
		.size_bytes = opt->size_bytes,
		.block_bytes = opt->block_bytes,
		.blocks = blocks,
		.batch = 1,
		.generation = scratch.newest + 1,
		.writes = writes,
		.reads = (does & DOES_READ) != 0,
		.check = (does & WANTS_COLD) != 0,
		.create = only_writes && !opt->random,
		.random = opt->random,
		.sync = writes && opt->sync,
		.direct = opt->direct,
		.order = order_make(blocks, key),
		.direction = order_make(blocks, mix64(key)),
		.write_places = mix_writes(opt),
		.spans = does & WANTS_WARM ? &readable : only_writes ? &whole : &written,
		.parts = opt->random ? 1 : (int)opt->processes,
		.workers = (int)workers,
		.busy = workers < blocks ? workers : blocks,
		.share_ns = share_ns,
		.map_parts = opt->map_parts,
		.latency = opt->latency,
		.clock = opt->latency || opt->map_parts > 0 ? CLOCK_AROUND_CALLS :
		    share_ns > 0 ? CLOCK_AFTER_CALLS : CLOCK_PASS,
	};
}

/*
 * Runs a pass, or ends the run.  The name of a new file is readied before the
 * clock starts, and another one if somebody took it meanwhile.
 */
static struct outcome pass_measure(const struct plan *p)
{
	struct outcome o;
	int tries = 0;
	progress.pass_bytes = (double)spans_blocks(p->spans) * (double)p->block_bytes;
	do {
		if (p->create)
			scratch_name();
		progress.pass_ns = now_ns();
		progress.crew_bytes = 0;
		o = pass_run(p);
	} while (o.name_taken && ++tries < 100);
	if (o.what != NULL && !caught)
		fatal(o.what, scratch.path, o.why);
	scratch.flush_unknown |= o.flush_unknown;
	if (p->writes)
		scratch.newest = p->generation;
	if (p->create || (p->writes && !p->reads && !o.cut))
		scratch.oldest = p->generation;
	return o;
}

/*
 * A pass that nobody times, by one worker: lays the whole file out (write),
 * in order, or reads what there is once (cache).
 */
static void pass_untimed(const struct options *opt, int pass)
{
	size_t i;
	struct plan p = plan_make(opt, pass, 0);
	struct spans all = { NULL, 0, 0 };
	p.parts = p.workers = 1;
	p.sync = 0;
	p.clock = CLOCK_PASS;
	p.latency = 0;
	p.map_parts = 0;
	p.spans = &all;
	if (p.writes) {
		p.random = 0;
		p.create = 1;
		p.blocks = (opt->size_bytes + opt->block_bytes - 1) / opt->block_bytes;
		p.batch = MIB / opt->block_bytes;
		spans_whole(&all, p.blocks, 1);
	} else {
		spans_copy(&all, &written);
		for (i = 0; i < all.count; i++)
			all.list[i].part = 0;
	}
	pass_measure(&p);
	free(all.list);
}

/* Opens the file beside the passes, or ends the run.  Stores its size. */
static int file_look(uint64_t *size)
{
	struct outcome o = { 0 };
	struct stat st;
	int fd = scratch_open(O_RDWR, &o);
	if (fd == -1)
		fatal(o.what, scratch.path, o.why);
	*size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	return fd;
}

/* Closes what file_look has opened, or ends the run. */
static void file_looked(int fd)
{
	struct outcome o = { 0 };
	if (scratch_close(fd, &o) == -1)
		fatal(o.what, scratch.path, o.why);
}

static int open_for_eviction(int flags)
{
	struct outcome o = { 0 };
	return scratch_open(flags, &o);
}

/* Evicts the file from the cache, untimed. */
static void file_evict(const struct options *opt)
{
	struct findings *f = &results.found;
	struct eviction_report report;
	uint64_t size;
	file_looked(file_look(&size));
	if (evict_file(open_for_eviction, size, 1, &report) == -1)
		fatal(strcmp(evict_what, "opening to evict") == 0 ? "opening the scratch file" :
		    evict_what, scratch.path, strerror(errno));
	double share = report.after;
	enum eviction evicted = share == 0 && opt->direct ? EVICTED_YES : report.evicted;
	if (evicted == EVICTED_YES && results.machine.fs.has_server)
		evicted = EVICTED_UNKNOWN;
	if (evicted < f->evicted)
		f->evicted = evicted;
	if (share >= 0 && (is_nan(f->resident) || share > f->resident))
		f->resident = share;
}

/* Sees what a pass by direct I/O has left in the cache, untimed. */
static void file_leaks(void)
{
	uint64_t size;
	int fd = file_look(&size);
	double share = resident_share(fd, size);
	file_looked(fd);
	if (share > results.found.leaked)
		results.found.leaked = share;
}

/* Has the file in the cache, untimed. */
static void file_cache(const struct options *opt)
{
	double *least = &results.found.cached;
	uint64_t size;
	if (!UNCACHED_READ_FILLS || (!has_pass(opt, PASS_READ) && !scratch.warm))
		pass_untimed(opt, PASS_CACHE);
	scratch.warm = 1;
	/* Of a file that is covered in part, no share can be asked for. */
	if (spans_blocks(&readable) < spans_blocks(&whole))
		return;
	int fd = file_look(&size);
	/* In random order a block that is not whole is never read. */
	double share = resident_share(fd, opt->random ? blocks_of(opt) * opt->block_bytes : size);
	file_looked(fd);
	if (share >= 0 && (is_nan(*least) || share < *least))
		*least = share;
}

/* Keeps a pass's outcome in its columns of the round under way. */
static void pass_keep(const struct options *opt, const struct plan *p, const struct outcome *o,
    uint64_t cpu)
{
	int i;
	struct findings *f = &results.found;
	uint64_t elapsed = o->end_ns - o->start_ns;
	int moved = o->calls[0] + o->calls[1] > 0;
	for (i = 0; i < results.columns; i++) {
		const struct column *c = results.column[i];
		struct record *r = record_at(results.rounds, i);
		if (c->pass != p->pass)
			continue;
		r->start_ns = o->start_ns;
		r->end_ns = moved ? o->end_ns : o->start_ns;
		r->bytes = o->bytes[c->lane];
		r->calls = o->calls[c->lane];
		if (is_nan(rate(r, opt->unit)))
			f->untimed |= 1u << p->pass;
	}
	if (elapsed < 100 * results.clock_step_ns)
		f->short_passes |= 1u << p->pass;
	f->cpu_ns[p->pass] += cpu;
	f->busy_ns[p->pass] += elapsed;
	uint64_t overrun = p->share_ns > 0 && elapsed > p->share_ns ? elapsed - p->share_ns : 0;
	if (p->writes && overrun > f->overrun_ns[p->pass])
		f->overrun_ns[p->pass] = overrun;
}

/* Keeps what a pass's time left undone; the passes after it cover the rest. */
static void pass_cover(const struct plan *p, const struct outcome *o)
{
	int is_mix = p->reads && p->writes;
	struct spans *covered = is_mix ? NULL : p->writes ? &written : &readable;
	double all = (double)spans_blocks(p->spans), *least = &results.found.least_done[p->pass];
	if (o->cut) {
		double done = all > 0 ? 1 - (double)spans_blocks(&undone) / all : 1;
		if (results.found.cut_rounds[p->pass]++ == 0 || done < *least)
			*least = done;
		if (covered != NULL && spans_subtract(p->spans, &undone, covered) == -1)
			no_memory("planning a pass");
	}
	if (covered == &written)
		spans_copy(&readable, &written);
	if (is_mix)
		scratch.warm = !o->cut;
}

/* Clears the latencies and the map of a round, or adds them to the run's. */
static void round_details(const struct options *opt, int keep)
{
	int pass, lane, d;
	uint64_t i;
	for (pass = 0; pass < PASSES; pass++) {
		for (lane = 0; opt->latency && lane < LANES; lane++) {
			struct histogram *h = &round_latency[pass][lane];
			if (keep)
				histogram_merge(&results.latency[pass][lane], h);
			else if (h->moments.calls > 0)
				memset(h, 0, sizeof *h);
		}
		for (d = 0; opt->map_parts > 0 && d < DIRECTIONS; d++)
			for (i = 0; i < 2 * opt->map_parts; i++)
				if (keep)
					results.map[pass][d][i] += round_map[pass][d][i];
				else
					round_map[pass][d][i] = 0;
	}
}

/* User and system time of this process and its ended children, in ns. */
static uint64_t cpu_ns(void)
{
	struct rusage ru;
	uint64_t sum = usage_now().cpu_ns, user, system;
	if (getrusage(RUSAGE_CHILDREN, &ru) == 0 &&
	    cpu_time((int64_t)ru.ru_utime.tv_sec, (int64_t)ru.ru_utime.tv_usec, &user) &&
	    cpu_time((int64_t)ru.ru_stime.tv_sec, (int64_t)ru.ru_stime.tv_usec, &system))
		sum += user + system;
	return sum;
}

/* Runs a round, each pass for share_ns at most (0: no limit).  Returns whether it counts. */
static int round_run(const struct options *opt, uint64_t share_ns)
{
	int pass;
	results_grow();
	round_details(opt, 0);
	continued = 0;
	results.begun++;
	progress.passes_done = 0;
	spans_copy(&written, &whole);
	spans_copy(&readable, &whole);
	for (pass = 0; pass < PASSES; pass++) {
		if (!has_pass(opt, pass))
			continue;
		if (pass_types[pass].does & WANTS_COLD)
			file_evict(opt);
		if (pass_types[pass].does & WANTS_WARM)
			file_cache(opt);
		if (caught)
			break;
		struct plan p = plan_make(opt, pass, share_ns);
		uint64_t cpu = cpu_ns();
		struct outcome o = pass_measure(&p);
		if (caught)
			break;
		pass_keep(opt, &p, &o, cpu_ns() - cpu);
		pass_cover(&p, &o);
		if (opt->direct)
			file_leaks();
		progress.passes_done++;
	}
	if (file_is_per_round(opt)) {
		scratch.warm = 0;
		file_remove();
	}
	return !caught && !continued;
}

/* The time that a pass may take, in ns; 0 without -t. */
static uint64_t full_share_ns(const struct options *opt)
{
	uint64_t share = (uint64_t)(opt->seconds * 1e9) / (uint64_t)results.passes;
	return share > 0 || opt->seconds <= 0 ? share : 1;
}

/*
 * The time that each pass of the next round may take, in ns; 0 without -t.
 * A round that would end more than a twentieth of the time too late gets
 * what is left, and UINT64_MAX says that this is too little for a round.
 */
static uint64_t round_share_ns(const struct options *opt)
{
	uint64_t all = (uint64_t)(opt->seconds * 1e9), spent = now_ns() - results.start_ns;
	if (opt->seconds <= 0 || results.rounds == 0)
		return full_share_ns(opt);
	if (spent >= all)
		return UINT64_MAX;
	uint64_t left = all - spent, mean = results.rounds_ns / results.rounds;
	if (mean <= left + all / 20)
		return full_share_ns(opt);
	return left < mean / 4 ? UINT64_MAX : left / (uint64_t)results.passes;
}

/* Whether each pass of the round under way has a figure. */
static int round_has_figures(const struct options *opt)
{
	int i;
	for (i = 0; i < results.columns; i++)
		if (is_nan(rate(record_at(results.rounds, i), opt->unit)))
			return 0;
	return 1;
}

/*
 * Runs a round, again as long as it was stopped and continued meanwhile.
 * Returns whether it counts: not if a signal ended it, or if the little that
 * -t had left for it was up before each pass had moved something.
 */
static int round_complete(const struct options *opt, uint64_t share_ns)
{
	struct findings before = results.found;
	while (share_ns != UINT64_MAX) {
		int whole_round = round_run(opt, share_ns);
		if (whole_round && (share_ns >= full_share_ns(opt) || round_has_figures(opt)))
			return 1;
		results.found = before;
		if (whole_round || caught)
			break;
		share_ns = share_ns > 0 ? round_share_ns(opt) : 0;
		warn(NULL, "round %.0f was stopped and continued: it %s",
		    (double)results.rounds + 1,
		    share_ns == UINT64_MAX ? "does not count" : "is run again");
	}
	return 0;
}

/* Keeps a round that counts. */
static void round_keep(const struct options *opt, uint64_t begin)
{
	int i;
	uint64_t now = now_ns();
	for (i = 0; i < results.columns; i++) {
		struct record *r = record_at(results.rounds, i);
		r->round_ns = now - results.start_ns;
		running_add(&results.running[i], rate(r, opt->unit));
	}
	round_details(opt, 1);
	results.rounds_ns += now - begin;
	results.rounds++;
	progress.rounds_done = results.rounds;
	progress.rounds_done_ns = now;
	results.sure = opt->sure_percent > 0 &&
	    sure_enough(results.running, results.columns, opt->sure_percent);
}

/* Rests between rounds, or until a signal.  Returns 0 if the rest would pass the time. */
static int round_rest(const struct options *opt)
{
	uint64_t now = now_ns(), end = now + (uint64_t)(opt->idle_seconds * 1e9);
	double spent = (double)(now - results.start_ns) / 1e9;
	if (opt->idle_seconds > 0 && opt->seconds > 0 && spent + opt->idle_seconds >= opt->seconds)
		return 0;
	for (; !caught && now < end; now = now_ns()) {
		struct timeval left;
		left.tv_sec = (time_t)((end - now) / NS);
		left.tv_usec = (int)((end - now) % NS / 1000);
		select(0, NULL, NULL, NULL, &left);
	}
	return 1;
}

/* Finds out what direct I/O demands here, and refuses what does not fit. */
static void direct_check(const struct options *opt)
{
	struct outcome o = { 0 };
	char why[200];
	scratch_name();
	/* Where open refuses direct I/O, it may have made the file all the same. */
	int made = scratch_create(O_RDWR, &o);
	int fd = made == -1 ? -1 : scratch_open(O_RDWR | DIRECT_FLAG, &o);
	if (fd == -1 && errno != EINVAL && errno != ENOTSUP)
		fatal(o.what, scratch.path, o.why);
	size_t ready = (size_t)data.slot_count * data.block_bytes;
	uint64_t multiple = fd == -1 || direct_enable(fd) == -1 ? 0 :
	    direct_multiple(fd, 1, data.slots, ready);
	if (multiple == 0) {
		int refused = errno == EINVAL || errno == ENOTSUP || errno == ENOTTY;
		snprintf(why, sizeof why, refused ? "not supported by this file system (%s)" : "%s",
		    strerror(errno));
		fatal("direct I/O", scratch.path, why);
	}
	close(fd);
	close(made);
	file_remove();
	/* A block that was cut to the file's size is not what was asked for. */
	int block_fits = opt->block_bytes % multiple == 0 || opt->block_bytes == opt->size_bytes;
	if (block_fits && opt->size_bytes % multiple == 0)
		return;
	snprintf(why, sizeof why, "%s of %.0f bytes is not a multiple of %.0f, which it needs",
	    block_fits ? "a file" : "a block",
	    (double)(block_fits ? opt->size_bytes : opt->block_bytes), (double)multiple);
	fatal("direct I/O", opt->directory, why);
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
	uint64_t i;
	spans_whole(&whole, blocks_of(opt), opt->random ? 1 : (int)opt->processes);
	if (!file_is_per_round(opt))
		pass_untimed(opt, PASS_WRITE);
	progress_start(opt->rounds, results.passes, opt->seconds);
	findings_clear();
	for (i = 0; i < opt->warmup && !caught && !nobody_reads(); i++)
		round_complete(opt, 0);
	findings_clear();
	results.start_ns = progress.start_ns = now_ns();
	while (results.rounds < opt->rounds && !caught && !results.sure && !nobody_reads()) {
		uint64_t begin = now_ns();
		if (!round_complete(opt, round_share_ns(opt)))
			break;
		round_keep(opt, begin);
		progress_pause(1);
		round_report(opt);
		progress_pause(0);
		if (results.rounds < opt->rounds && !results.sure && !round_rest(opt))
			break;
	}
	progress_stop();
}

/* ---- the reports: all that goes to standard output --------------------- */

static void print_number(double x)
{
	if (is_nan(x))
		printf("\tnan");
	else
		printf("\t%.6f", x);
}

/* Prints a table's header: its first names, then each column with its unit. */
static void print_header(const char *first, const char *unit)
{
	int i;
	printf("#%s", first);
	for (i = 0; i < results.columns; i++)
		printf("\t%s %s", results.column[i]->name, unit);
	putchar('\n');
}

/* -a: the header before the first round, then a row as each round ends. */
static void report_round(const struct options *opt)
{
	int i;
	const struct record *r = record_at(results.rounds - 1, 0);
	if (!opt->all || opt->json)
		return;
	if (results.rounds == 1)
		print_header("round\tseconds", opt->unit->label);
	printf("%.0f", (double)results.rounds);
	print_number((double)r->round_ns / 1e9);
	for (i = 0; i < results.columns; i++)
		print_number(rate(r + i, opt->unit));
	putchar('\n');
	flush_output();
}

/* Fills stats of column i over all rounds. */
static void column_statistics(const struct options *opt, int i, double *rates, double *stats)
{
	uint64_t round;
	struct record total = { 0 };
	for (round = 0; round < results.rounds; round++) {
		const struct record *r = record_at(round, i);
		rates[round] = rate(r, opt->unit);
		total.bytes += r->bytes;
		total.calls += r->calls;
		total.end_ns += r->end_ns - r->start_ns;
	}
	statistics(rates, results.rounds, stats);
	stats[STAT_TOT] = rate(&total, opt->unit);
}

/* Prints "# key value", the value on one line whatever it holds. */
static void print_fact(const char *key, const char *format, ...)
{
	char value[PATH_BYTES + 64];
	va_list ap;
	va_start(ap, format);
	vsnprintf(value, sizeof value, format, ap);
	va_end(ap);
	printf("# %s ", key);
	print_escaped(stdout, value);
	putchar('\n');
}

/* Prints a fact that is a number, or the word for nan. */
static void print_figure(const char *key, int decimals, double x, const char *word)
{
	if (is_nan(x))
		print_fact(key, "%s", word);
	else
		print_fact(key, "%.*f", decimals, x);
}

static double rounds_known(const struct options *opt)
{
	return opt->rounds == UNLIMITED ? NAN : (double)opt->rounds;
}

/* The bytes that a mix pass writes, nan if it depends on which blocks these are. */
static double mix_bytes(const struct options *opt)
{
	uint64_t writes = mix_writes(opt), blocks = blocks_of(opt);
	if (writes > 0 && writes < blocks && !opt->random && opt->size_bytes % opt->block_bytes > 0)
		return NAN;
	double all = (double)writes * (double)opt->block_bytes;
	return opt->random || all < (double)opt->size_bytes ? all : (double)opt->size_bytes;
}

/* Bytes that the run will write in all, or nan if that cannot be known. */
static double planned_writes(const struct options *opt)
{
	double all = (double)opt->size_bytes, per_round = 0;
	if (opt->seconds > 0 || opt->sure_percent > 0)
		return NAN;
	if (has_pass(opt, PASS_WRITE))
		per_round += opt->random ? (double)blocks_of(opt) * (double)opt->block_bytes : all;
	if (has_pass(opt, PASS_MIX))
		per_round += mix_bytes(opt);
	return per_round * (double)(opt->rounds + opt->warmup) + (file_is_per_round(opt) ? 0 : all);
}

/* -v, before the first table: what is tested and how. */
static void report_settings(const struct options *opt)
{
	const struct machine *m = &results.machine;
	time_t now = (time_t)m->start_wall;
	const struct tm *utc = gmtime(&now);
	uint64_t tail = opt->random ? opt->size_bytes % opt->block_bytes : 0;
	print_fact("version", "%s", VERSION);
	if (utc != NULL)
		print_fact("started", "%04d-%02d-%02dT%02d:%02d:%02dZ", utc->tm_year + 1900,
		    utc->tm_mon + 1, utc->tm_mday, utc->tm_hour, utc->tm_min, utc->tm_sec);
	print_fact("host", "%s", m->host);
	print_fact("system", "%s", m->system);
	print_fact("directory", "%s", m->directory);
	print_fact("filesystem", "%s", m->fs.name);
	print_figure("size", 0, (double)opt->size_bytes, NULL);
	print_figure("block", 0, (double)opt->block_bytes, NULL);
	if (tail > 0)
		print_fact("order", "random, without the last %.0f bytes", (double)tail);
	else
		print_fact("order", "%s", opt->random ? "random" : "sequential");
	print_figure("processes", 0, (double)opt->processes, NULL);
	print_figure("depth", 0, (double)opt->depth, NULL);
	print_figure("rounds", 0, rounds_known(opt), "unlimited");
	print_figure("writes", 0, planned_writes(opt), "unknown");
	print_fact("flush", "%s%s", results.machine.flush, opt->sync ? ", synchronous writes" : "");
	print_fact("evict", "%s%s", evict_name, opt->direct ? ", direct I/O" : "");
	print_fact("verify", "%s", verify_name);
	print_fact("data", "random pool of %.0f bytes, a stamp in every %d",
	    (double)data.slot_count * (double)data.block_bytes, SECTOR);
	print_fact("clock", "%s %.9f", clock_name(), (double)results.clock_step_ns / 1e9);
}

/* The share of cache that read has reached on average, or nan. */
static double read_to_cache(double stats[][STATS])
{
	int i;
	double avg[PASSES] = { NAN, NAN, NAN, NAN };
	for (i = 0; i < results.columns; i++)
		avg[results.column[i]->pass] = stats[i][STAT_AVG];
	return avg[PASS_READ] / avg[PASS_CACHE];
}

static enum eviction evicted_known(void)
{
	return is_nan(results.found.resident) ? EVICTED_UNKNOWN : results.found.evicted;
}

/* -v, before the summary: how far the figures can be trusted. */
static void report_findings(double ratio)
{
	int pass;
	static const char *const evicted[] = { "no", "unverified", "yes" };
	const struct findings *f = &results.found;
	print_fact("evicted", "%s", evicted[evicted_known()]);
	print_figure("resident", 6, f->resident, "nan");
	print_figure("read/cache", 6, ratio, "unchecked");
	for (pass = 0; pass < PASSES; pass++)
		if (f->busy_ns[pass] > 0) {
			char key[32];
			snprintf(key, sizeof key, "cpu %s", pass_types[pass].name);
			print_fact(key, "%.6f", (double)f->cpu_ns[pass] / (double)f->busy_ns[pass]);
		}
}

/* What the cache and the file system make doubtful. */
static void doubt_cache(const struct options *opt, double ratio)
{
	const struct findings *f = &results.found;
	const char *where = opt->directory, *cold = has_pass(opt, PASS_READ) ? "read" :
	    has_pass(opt, PASS_MIX) ? "mix" : NULL;
	if (results.machine.fs.in_memory)
		warn(where, "its file system is in memory (%s): no figure is a disk's",
		    results.machine.fs.name);
	if (scratch.flush_unknown)
		warn(where, "its file system cannot flush a file: no figure includes what had not "
		    "reached the device");
	/* Of a btrfs file, the first read goes through the cache, and what it reads ahead. */
	if (f->leaked > 0.1)
		warn(where, "direct I/O left %.1f %% of the file in memory: this file system uses "
		    "the cache all the same", 100 * f->leaked);
	if (cold != NULL && f->evicted == EVICTED_NO)
		warn(where, "%.1f %% of the file was still in memory after eviction: %s measures "
		    "memory", 100 * f->resident, cold);
	else if (cold != NULL && f->evicted == EVICTED_UNKNOWN)
		warn(where, "eviction could not be verified: %s may measure memory", cold);
	else if (cold != NULL && ratio >= 0.8)
		warn(where, "read reached %.2f of cache: something below the page cache may hold "
		    "the file", ratio);
	if (opt->map_parts > 0 && !opt->sync && !opt->direct &&
	    (has_pass(opt, PASS_WRITE) || has_pass(opt, PASS_MIX)))
		warn(where, "buffered writes are as fast as memory until the flush: their map is "
		    "nan: give -d or -s");
	if (f->cached < 0.95)
		warn(where, "only %.1f %% of the file was in memory for the cache pass: cache "
		    "measures the disk in part", 100 * f->cached);
}

static const struct histogram *histogram_of(const struct column *c)
{
	return &results.latency[c->pass][c->lane];
}

/* How many parts of the map ought to have a figure of the column, but no call fell there. */
static uint64_t map_gaps(const struct options *opt, const struct column *c)
{
	uint64_t part, gaps = 0;
	for (part = 0; part < opt->map_parts; part++)
		gaps += results.map[c->pass][c->lane][2 * part] == 0;
	return c->lane == DIRECTION_WRITE && !opt->sync && !opt->direct ? 0 : gaps;
}

/* What the clock, the time limits and the order of the calls make doubtful. */
static void doubt_time(const struct options *opt)
{
	int pass, i;
	const struct findings *f = &results.found;
	double rounds = (double)results.rounds;
	for (pass = 0; pass < PASSES; pass++) {
		const char *name = pass_types[pass].name;
		if (f->untimed & 1u << pass)
			warn(name, "a pass made no call in its time, or took none by the clock, so "
			    "its figure is nan: raise -c or -t");
		else if (f->short_passes & 1u << pass)
			warn(name, "a pass took less than 100 steps of the clock (%.9f s each), so "
			    "its figure is coarse: raise -c", (double)results.clock_step_ns / 1e9);
		if (f->cut_rounds[pass] > 0)
			warn(name, "cut short by -t in %.0f of %.0f rounds: it covered %.1f %% of "
			    "its blocks at least", (double)f->cut_rounds[pass], rounds,
			    100 * f->least_done[pass]);
		if (f->overrun_ns[pass] > NS / 1000)
			warn(name, "its last calls and its flush overran its share of -t by %.3f s",
			    (double)f->overrun_ns[pass] / 1e9);
	}
	for (i = 0; opt->latency && i < results.lanes; i++)
		if (histogram_of(results.lane[i])->moments.calls == 0)
			warn(results.lane[i]->name, "it made no call, so its latencies are nan");
	for (i = 0; opt->map_parts > 0 && i < results.columns; i++) {
		uint64_t parts = map_gaps(opt, results.column[i]);
		if (parts > 0)
			warn(results.column[i]->name, "no call fell into %.0f parts of the map, so "
			    "they are nan", (double)parts);
	}
	if (opt->sure_percent > 0 && !results.sure && !caught)
		warn(NULL, "the figures are not yet sure to %g %% after %.0f rounds: raise -r or "
		    "-t", opt->sure_percent, rounds);
}

/* The rows of -l, in us: percentiles, and with -x what sums them up. */
static const struct latency_row {
	const char *name;
	uint64_t millionths;
	double (*sum)(const struct histogram *);	/* instead, or NULL */
} latency_rows[] = {
	{ "0", 0, NULL }, { "25", 250000, NULL }, { "50", 500000, NULL }, { "75", 750000, NULL },
	{ "90", 900000, NULL }, { "95", 950000, NULL }, { "99", 990000, NULL },
	{ "99.9", 999000, NULL }, { "99.99", 999900, NULL }, { "99.999", 999990, NULL },
	{ "99.9999", 999999, NULL }, { "100", 1000000, NULL },
	{ "mean", 0, histogram_mean }, { "dev", 0, histogram_deviation },
};
enum { LATENCY_ROWS = sizeof latency_rows / sizeof *latency_rows, PERCENTILES = LATENCY_ROWS - 2 };

static double latency_us(const struct latency_row *row, const struct column *c)
{
	const struct histogram *h = histogram_of(c);
	return (row->sum != NULL ? row->sum(h) : histogram_percentile(h, row->millionths)) / 1e3;
}

/* -l: percentiles, and with -x what sums them up, the calls last. */
static void report_latency(const struct options *opt)
{
	int i, row;
	printf("\n\n#percentile");
	for (i = 0; i < results.lanes; i++)
		printf("\t%s us", results.lane[i]->name);
	for (row = 0; row < (opt->extra ? LATENCY_ROWS : PERCENTILES); row++) {
		printf("\n%s", latency_rows[row].name);
		for (i = 0; i < results.lanes; i++)
			print_number(latency_us(&latency_rows[row], results.lane[i]));
	}
	if (opt->extra)
		printf("\ncalls");
	for (i = 0; opt->extra && i < results.lanes; i++)
		print_number((double)histogram_of(results.lane[i])->moments.calls);
	putchar('\n');
}

/* The first block of a part of the map. */
static uint64_t map_block(const struct options *opt, uint64_t part)
{
	uint64_t blocks = blocks_of(opt), parts = opt->map_parts;
	return part * (blocks / parts) + (part * (blocks % parts) + parts - 1) / parts;
}

/* The rate of a column in a part of the map, or nan. */
static double map_rate(const struct options *opt, const struct column *c, uint64_t part)
{
	const uint64_t *sums = results.map[c->pass][c->lane] + 2 * part;
	uint64_t first = map_block(opt, part), end = map_block(opt, part + 1);
	uint64_t from = first * opt->block_bytes, to = end * opt->block_bytes;
	if (c->lane == DIRECTION_WRITE && !opt->sync && !opt->direct)
		return NAN;
	if (to > opt->size_bytes)
		to = opt->size_bytes;
	/* The last block may be short, so that bytes do not tell calls; whole passes do. */
	double passes = (double)sums[0] / (double)(to - from);
	struct record r = { .end_ns = sums[1], .bytes = sums[0],
	    .calls = (uint64_t)(passes * (double)(end - first) + 0.5) };
	return rate(&r, opt->unit);
}

/* -m: the rate in each part of the file. */
static void report_map(const struct options *opt)
{
	uint64_t part;
	int i;
	printf("\n\n");
	print_header("offset MiB", opt->unit->label);
	for (part = 0; part < opt->map_parts; part++) {
		double at = (double)map_block(opt, part) * (double)opt->block_bytes;
		printf("%.6f", at / (double)MIB);
		for (i = 0; i < results.columns; i++)
			print_number(map_rate(opt, results.column[i], part));
		putchar('\n');
	}
}

/* The tables after the rounds. */
static void report_tables(const struct options *opt, double stats[][STATS], double ratio)
{
	int row, i;
	if (opt->all)
		printf("\n\n");
	if (opt->verbose)
		report_findings(ratio);
	print_header("", opt->unit->label);
	for (row = 0; row < (opt->extra ? STATS : STATS_PLAIN); row++) {
		printf("%s", stat_names[row]);
		for (i = 0; i < results.columns; i++)
			print_number(stats[i][row]);
		putchar('\n');
	}
	if (opt->latency)
		report_latency(opt);
	if (opt->map_parts > 0)
		report_map(opt);
}

/* ---- the report for programs ------------------------------------------- */

/*
 * The length of the UTF-8 character at s, or 0 if the bytes there are none:
 * not continued, longer than needed, a surrogate, or above U+10FFFF.
 */
static size_t utf8_length(const unsigned char *s)
{
	size_t i;
	static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	unsigned long c = len > 1 ? s[0] & (0x7fu >> len) : s[0];
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	int surrogate = c >= 0xd800 && c < 0xe000;
	return s[0] >= 0xf8 || len == 0 || c < least[len] || surrogate || c > 0x10ffff ? 0 : len;
}

/* Prints a string; bytes that are not UTF-8 become U+FFFD. */
static void json_string(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	putchar('"');
	while (*s != '\0') {
		size_t len = utf8_length(s);
		if (len == 0)
			fputs("\\ufffd", stdout);
		else if (*s < ' ' || *s == '"' || *s == '\\' || *s == 127)
			printf("\\u%04x", (unsigned)*s);
		else
			fwrite(s, 1, len, stdout);
		s += len > 0 ? len : 1;
	}
	putchar('"');
}

/* Whether no comma stands before the next member. */
static int json_fresh = 1;

/* Begins a member; key is NULL in an array. */
static void json_key(const char *key)
{
	if (!json_fresh)
		putchar(',');
	json_fresh = 0;
	if (key != NULL)
		printf("\"%s\":", key);
}

static void json_open(const char *key, int bracket)
{
	json_key(key);
	putchar(bracket);
	json_fresh = 1;
}

static void json_close(int bracket)
{
	putchar(bracket);
	json_fresh = 0;
}

/* A string, or null. */
static void json_text(const char *key, const char *text)
{
	json_key(key);
	if (text == NULL)
		fputs("null", stdout);
	else
		json_string(text);
}

/* A number, null where it is nan. */
static void json_number(const char *key, int decimals, double x)
{
	json_key(key);
	if (is_nan(x))
		fputs("null", stdout);
	else
		printf("%.*f", decimals, x);
}

/* A truth, null where flag is below 0. */
static void json_flag(const char *key, int flag)
{
	json_key(key);
	fputs(flag < 0 ? "null" : flag ? "true" : "false", stdout);
}

static void json_settings(const struct options *opt)
{
	int i;
	json_open("settings", '{');
	json_number("size", 0, (double)opt->size_bytes);
	json_number("block", 0, (double)opt->block_bytes);
	json_number("rounds", 0, rounds_known(opt));
	json_open("columns", '[');
	for (i = 0; i < results.columns; i++)
		json_text(NULL, results.column[i]->name);
	json_close(']');
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
	json_close('}');
}

/* What the wall's clock showed at a time by now_ns. */
static double wall_at(uint64_t ns)
{
	return results.machine.start_wall + (double)(ns - results.machine.start_ns) / 1e9;
}

/* Every round: when it ended, what each column moved, and when by the wall's clock. */
static void json_rounds(const struct options *opt)
{
	uint64_t round;
	int i;
	json_open("rounds", '[');
	for (round = 0; round < results.rounds; round++) {
		const struct record *r = record_at(round, 0);
		json_open(NULL, '{');
		json_number("round", 0, (double)round + 1);
		json_number("seconds", 6, (double)r->round_ns / 1e9);
		for (i = 0; i < results.columns; i++, r++) {
			json_open(results.column[i]->name, '{');
			json_number("start", 6, wall_at(r->start_ns));
			json_number("end", 6, wall_at(r->end_ns));
			json_number("bytes", 0, (double)r->bytes);
			json_number("calls", 0, (double)r->calls);
			json_number("seconds", 6, (double)(r->end_ns - r->start_ns) / 1e9);
			json_number("rate", 6, rate(r, opt->unit));
			json_close('}');
		}
		json_close('}');
	}
	json_close(']');
}

static void json_summary(double stats[][STATS])
{
	int i, row;
	json_open("summary", '{');
	for (i = 0; i < results.columns; i++) {
		json_open(results.column[i]->name, '{');
		for (row = 0; row < STATS; row++)
			json_number(stat_names[row], 6, stats[i][row]);
		json_close('}');
	}
	json_close('}');
}

static void json_latency(void)
{
	int i, row;
	json_open("latency_us", '{');
	for (i = 0; i < results.lanes; i++) {
		const struct column *c = results.lane[i];
		json_open(c->name, '{');
		for (row = 0; row < LATENCY_ROWS; row++)
			json_number(latency_rows[row].name, 6, latency_us(&latency_rows[row], c));
		json_number("calls", 0, (double)histogram_of(c)->moments.calls);
		json_close('}');
	}
	json_close('}');
}

static void json_map(const struct options *opt)
{
	uint64_t part;
	int i;
	json_open("map", '[');
	for (part = 0; part < opt->map_parts; part++) {
		json_open(NULL, '{');
		json_number("offset", 0, (double)(map_block(opt, part) * opt->block_bytes));
		for (i = 0; i < results.columns; i++) {
			const struct column *c = results.column[i];
			json_number(c->name, 6, map_rate(opt, c, part));
		}
		json_close('}');
	}
	json_close(']');
}

/* -j: all of it in one object. */
static void report_json(const struct options *opt, double stats[][STATS])
{
	const struct machine *m = &results.machine;
	enum eviction evicted = evicted_known();
	json_open(NULL, '{');
	json_text("program", "gbtestdisk");
	json_text("version", VERSION);
	json_number("time", 6, m->start_wall);
	json_text("host", m->host);
	json_text("system", m->system);
	json_text("directory", m->directory);
	json_text("filesystem", m->fs.name);
	json_settings(opt);
	json_text("unit", opt->unit->label);
	json_rounds(opt);
	json_summary(stats);
	if (opt->latency)
		json_latency();
	if (opt->map_parts > 0)
		json_map(opt);
	json_flag("evicted", evicted == EVICTED_UNKNOWN ? -1 : evicted == EVICTED_YES);
	json_number("resident", 6, results.found.resident);
	json_flag("sure", opt->sure_percent > 0 ? results.sure : -1);
	json_text("interrupted", caught ? signal_name(caught) : NULL);
	json_close('}');
	putchar('\n');
}

/* All that is said after the last round, the doubts first. */
static void report(const struct options *opt)
{
	int i;
	double stats[COLUMNS][STATS];
	size_t bytes = (size_t)results.rounds * sizeof(double);
	double *rates = must_have(malloc(bytes), "making the summary");
	for (i = 0; i < results.columns; i++)
		column_statistics(opt, i, rates, stats[i]);
	free(rates);
	double ratio = read_to_cache(&stats[0]);
	doubt_cache(opt, ratio);
	doubt_time(opt);
	if (opt->json)
		report_json(opt, stats);
	else
		report_tables(opt, stats, ratio);
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
	double *fraction, over, limit;
	const char *wanted;	/* NULL: from least to most */
} option_list[] = {
	{ 'a', NULL, "print all rounds, a row for each", NULL, .flag = &options.all },
	{ 'b', "block", "bytes per call, or a number with k, m, g, t", "1m",
	    .count = &options.block_bytes, .bytes = 1, .least = 1, .most = MOST_BLOCK,
	    .wanted = "a number of bytes, or a number with k, m, g or t" },
	{ 'c', "size", "MiB of the file, or a number with k, m, g, t", "64",
	    .count = &options.size_bytes, .bytes = MIB, .least = 1, .most = MOST_FILE,
	    .wanted = "a number of MiB, or a number with k, m, g or t" },
	{ 'd', NULL, "direct I/O: pass the cache by", NULL, .flag = &options.direct },
	{ 'e', "percent", "stop when the figures are this sure", NULL,
	    .fraction = &options.sure_percent, .over = 0, .limit = 100,
	    .wanted = "a percentage above 0, like 2 or 0.5" },
	{ 'h', NULL, "print this help", NULL, .flag = NULL },
	{ 'i', "seconds", "idle between rounds", "0",
	    .fraction = &options.idle_seconds, .over = -1, .limit = MOST_SECONDS,
	    .wanted = "seconds, like 2 or 0.5" },
	{ 'j', NULL, "print one JSON object instead of tables", NULL, .flag = &options.json },
	{ 'k', "rounds", "warm-up rounds, not counted", "0",
	    .count = &options.warmup, .least = 0, .most = MOST_ROUNDS },
	{ 'l', NULL, "print latency percentiles", NULL, .flag = &options.latency },
	{ 'm', "parts", "print a map: the rate in each part of the file", NULL,
	    .count = &options.map_parts, .least = 1, .most = MOST_PARTS },
	{ 'o', "list", "columns, of write, read, cache, mix", DEFAULT_COLUMNS,
	    .wanted = "some of write, read, cache, mix, with commas" },
	{ 'p', "procs", "processes at work at once", "1",
	    .count = &options.processes, .least = 1, .most = MOST_WORKERS },
	{ 'q', "depth", "requests in flight per process", "1",
	    .count = &options.depth, .least = 1, .most = MOST_WORKERS },
	{ 'R', NULL, "blocks in random order, each once", NULL, .flag = &options.random },
	{ 'r', "rounds", "number of rounds", DEFAULT_ROUNDS,
	    .count = &options.rounds, .least = 1, .most = MOST_ROUNDS },
	{ 's', NULL, "synchronous writes", NULL, .flag = &options.sync },
	{ 't', "seconds", "start no round after this time", NULL,
	    .fraction = &options.seconds, .over = 0, .limit = MOST_SECONDS,
	    .wanted = "seconds above 0, like 60 or 0.5" },
	{ 'u', "unit", "MB, MiB (a second) or IOPS", "MB", .wanted = "MB, MiB or IOPS" },
	{ 'V', NULL, "print the version", NULL, .flag = NULL },
	{ 'v', NULL, "say what was tested and how", NULL, .flag = &options.verbose },
	{ 'w', "percent", "share of writes in the mix pass", NULL,
	    .fraction = &options.write_percent, .over = -1, .limit = 100,
	    .wanted = "a percentage from 0 to 100" },
	{ 'x', NULL, "print extra rows: med, dev, tot, ci", NULL, .flag = &options.extra },
};
enum { OPTIONS = sizeof option_list / sizeof *option_list };

static void usage(void)
{
	int i, column = printf("usage: gbtestdisk [-");
	for (i = 0; i < OPTIONS; i++)
		if (option_list[i].argument == NULL)
			column += printf("%c", option_list[i].letter);
	column += printf("]");
	for (i = 0; i <= OPTIONS; i++) {
		const struct option *o = &option_list[i];
		char word[32] = "[directory]";
		if (i < OPTIONS && o->argument == NULL)
			continue;
		if (i < OPTIONS)
			snprintf(word, sizeof word, "[-%c %s]", o->letter, o->argument);
		if (column + 1 + (int)strlen(word) > 79)
			column = printf("\n%17s", "");
		column += printf(" %s", word);
	}
	putchar('\n');
	printf("\nTimes writing, reading and rereading a file in the directory (. if absent).\n\n");
	for (i = 0; i < OPTIONS; i++) {
		const struct option *o = &option_list[i];
		printf("  -%c %-8s %s", o->letter, o->argument != NULL ? o->argument : "", o->help);
		if (o->standard != NULL)
			printf(" (%s)", o->standard);
		putchar('\n');
	}
	printf("\nRates are in MB/s: 10^6 bytes a second. See gbtestdisk(1).\n");
}

/* One line on what was wrong in the command, and status 2. */
static void usage_error(const char *format, ...)
{
	char text[4096];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	fprintf(stderr, "gbtestdisk: usage: ");
	print_escaped(stderr, text);
	fprintf(stderr, " (-h for help)\n");
	exit(2);
}

/* Stores a bit for each pass that the list names.  Returns NULL, or why not. */
static const char *parse_passes(const char *list, unsigned *passes)
{
	const char *item;
	unsigned named = 0;
	for (item = list;; item++) {
		size_t len = strcspn(item, ",");
		int pass = 0;
		while (pass < PASSES && (strlen(pass_types[pass].name) != len ||
		    strncmp(pass_types[pass].name, item, len) != 0))
			pass++;
		if (pass == PASSES)
			return "not a list of columns";
		if (named & 1u << pass)
			return "a column is named twice";
		named |= 1u << pass;
		item += len;
		if (*item == '\0')
			break;
	}
	*passes = named;
	return NULL;
}

/* Stores the unit of this name.  Returns NULL, or why not. */
static const char *parse_unit(const char *name, const struct unit **unit)
{
	int i;
	for (i = 0; i < UNITS; i++)
		if (strcmp(units[i].name, name) == 0) {
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
			usage();
		else
			printf("gbtestdisk %s\n", VERSION);
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
		why = parse_fraction(value, o->over, o->limit, o->fraction);
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
	/* Half of a character is no letter. */
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
	int i;
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
		if (strcmp(word, "--help") == 0)
			option_take('h', NULL);
		if (strcmp(word, "--version") == 0)
			option_take('V', NULL);
		int letter = getopt(argc, argv, letters);
		if (letter == '?' || letter == '+')
			option_error(word);
		if (letter != -1) {
			option_take(letter, optarg);
			continue;
		}
		int ended = optind > before; /* it stepped over a -- */
		while (optind < argc) {
			if (options.directory != NULL)
				usage_error("'%s': one directory is enough", argv[optind]);
			options.directory = argv[optind++];
			if (!ended)
				break;
		}
	}
}

/* What the options mean together: defaults that depend on others, conflicts. */
static void options_check(struct options *opt)
{
	unsigned listed = opt->passes, mix = 1u << PASS_MIX;
	if (opt->directory == NULL)
		opt->directory = ".";
	if (opt->directory[0] == '\0')
		usage_error("'': the directory's name is empty");
	if (listed == 0) {
		parse_passes(opt->direct ? DIRECT_COLUMNS : DEFAULT_COLUMNS, &opt->passes);
		opt->passes |= opt->write_percent >= 0 ? mix : 0;
	} else if ((listed & mix) && opt->write_percent < 0)
		usage_error("-o mix: the share of writes is missing: give it with -w");
	else if (!(listed & mix) && opt->write_percent >= 0)
		usage_error("-w is the share of writes in mix, which -o leaves out");
	if (opt->direct && has_pass(opt, PASS_CACHE))
		usage_error("-d passes the cache by, so that -o cannot have cache");
	if (opt->processes * opt->depth > MOST_WORKERS)
		usage_error("-p %.0f times -q %.0f is more than %d workers", (double)opt->processes,
		    (double)opt->depth, MOST_WORKERS);
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

/* Refuses what cannot work, before anything is written. */
static void check_place(const struct options *opt)
{
	struct stat st;
	if (stat(opt->directory, &st) == -1)
		fatal("looking at the directory", opt->directory, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		fatal("looking at the directory", opt->directory, strerror(ENOTDIR));
	if (access(opt->directory, W_OK) == -1 && errno == EROFS)
		fatal("looking at the directory", opt->directory, strerror(errno));
	double left = free_bytes(opt->directory);
	if (left >= 0 && left < (double)opt->size_bytes) {
		char why[200];
		snprintf(why, sizeof why, "%s: the file takes %.0f bytes, %.0f are free",
		    strerror(ENOSPC), (double)opt->size_bytes, left);
		fatal("looking for space", opt->directory, why);
	}
}

/* Notes where the run takes place, for the reports. */
static void machine_look(const struct options *opt, struct machine *m)
{
	char path[PATH_MAX > PATH_BYTES ? PATH_MAX : PATH_BYTES];
	struct utsname un;
	if (uname(&un) >= 0) {
		snprintf(m->host, sizeof m->host, "%s", un.nodename);
		snprintf(m->system, sizeof m->system, "%s %s %s", un.sysname, un.release,
		    un.machine);
	}
	snprintf(m->directory, sizeof m->directory, "%s",
	    realpath(opt->directory, path) != NULL ? path : opt->directory);
	file_system_look(opt->directory, &m->fs);
	m->processors = processors_usable();
	m->start_wall = wall_seconds();
	m->start_ns = now_ns();
}

/* A pair of sums for each part. */
static uint64_t *map_make(uint64_t parts)
{
	return must_have(calloc((size_t)parts, 2 * sizeof(uint64_t)), "making the map");
}

/* Readies all that the rounds need, and refuses what cannot work. */
static void prepare(const struct options *opt, char **argv)
{
	int i, pass, d;
	check_place(opt);
	machine_look(opt, &results.machine);
	results.clock_step_ns = clock_step_ns();
	for (i = 0; i < COLUMNS; i++)
		if (has_pass(opt, column_types[i].pass)) {
			results.lane[results.lanes++] = &column_types[i];
			if (column_types[i].lane != LANE_SYNC)
				results.column[results.columns++] = &column_types[i];
		}
	for (pass = 0; pass < PASSES; pass++)
		results.passes += has_pass(opt, pass);
	for (pass = 0; opt->map_parts > 0 && pass < PASSES; pass++)
		for (d = 0; d < DIRECTIONS; d++) {
			round_map[pass][d] = map_make(opt->map_parts);
			results.map[pass][d] = map_make(opt->map_parts);
		}
	if (data_make(opt->block_bytes, run_key()) == -1)
		no_memory("cannot allocate a block of this size");
	scratch_place(opt->directory, opt->size_bytes);
	if (guard_start(argv) == -1)
		warn(NULL, "no guard process could be started (%s): if this process is killed, "
		    "its file stays", strerror(errno));
	if (opt->direct)
		direct_check(opt);
	results.machine.flush = flush_name(-1);
	if (!FLUSH_NAME_FIXED && (opt->verbose || opt->json)) {
		struct outcome o = { 0 };
		scratch_name();
		int fd = scratch_create(O_RDWR, &o);
		if (fd == -1)
			fatal(o.what, scratch.path, o.why);
		results.machine.flush = flush_name(fd);
		close(fd);
		file_remove();
	}
}

int main(int argc, char **argv)
{
	int out_closed;
	if (fill_standard_streams(&out_closed) == -1)
		fatal("opening a stand-in for a closed standard stream", "/", strerror(errno));
	umask(S_IRWXG | S_IRWXO);	/* or it might take the owner's bits of the file */
	no_core();
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);	/* so that a message arrives whole */
	options_parse(argc, argv);
	options_check(&options);
	if (out_closed)
		fatal("writing the results", "standard output", strerror(EBADF));
	signals_catch();
	prepare(&options, argv);
	if (options.verbose && !options.json) {
		report_settings(&options);
		flush_output();
	}
	measure(&options, report_round);
	if (results.rounds > 0 && caught != SIGPIPE)
		report(&options);
	else if (caught != SIGPIPE)
		message("no round was complete", NULL, signal_name(caught));
	if (caught)
		die_by_signal(caught);
	clean_up();
	return 0;
}
