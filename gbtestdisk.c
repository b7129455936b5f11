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
 * guard, the passes, the rounds, the reports, the options, main.
 */

/* What the systems want to hear before they show fsync's friends. */
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
#elif defined(__linux__) || defined(__CYGWIN__) || defined(__GNU__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 600
#endif
#endif

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef NO_STATVFS
#include <sys/statvfs.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#include <sys/param.h>
#include <sys/mount.h>
#endif
#include <sys/ioctl.h>

#define VERSION "1.0"

#define DEFAULT_COLUMNS "write,read,cache"
#define DEFAULT_SIZE "64"
#define DEFAULT_ROUNDS "5"
#define DEFAULT_BLOCK "1m"
#define DEFAULT_IDLE "0"
#define DEFAULT_UNIT "MB"

#define MOST_ROUNDS 1000000
#define MOST_SECONDS 1e9

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define NS 1000000000ULL

enum { DIRECTION_READ, DIRECTION_WRITE, DIRECTIONS };

/* What a pass does and needs; the rest of the program asks this table. */
enum { PASS_WRITE, PASS_READ, PASS_CACHE, PASSES };
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
};

/* A column is one direction of one pass. */
enum { COLUMNS = 3 };
static const struct column {
	const char *name;
	int pass, direction;
} column_types[COLUMNS] = {
	{ "write", PASS_WRITE, DIRECTION_WRITE },
	{ "read", PASS_READ, DIRECTION_READ },
	{ "cache", PASS_CACHE, DIRECTION_READ },
};

static const struct unit {
	const char *name; /* for -u */
	const char *label; /* in a table's header */
	double bytes; /* 0: count blocks */
} units[] = {
	{ "MB", "MB/s", 1e6 },
	{ "MiB", "MiB/s", 1048576 },
	{ "IOPS", "IOPS", 0 },
};
enum { UNITS = sizeof units / sizeof *units };

struct options {
	const char *directory;
	uint64_t size_bytes;
	uint64_t block_bytes;
	uint64_t rounds;
	double idle_seconds;
	const struct unit *unit;
	unsigned passes; /* a bit for each pass of the list */
	int all, extra, verbose;
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
	double root = x > 1 ? x : 1, next;

	if (!(x > 0))
		return 0;
	while ((next = (root + x / root) / 2) < root)
		root = next;
	return root;
}

/*
 * Reads plain decimal digits, with at most one of the suffixes k, m, g, t
 * where suffixes is set; a bare number counts in units of plain.  Stores the
 * product in *value and returns NULL, or returns why it cannot be had.
 */
static const char *parse_count(
    const char *s, int suffixes, uint64_t plain, uint64_t least, uint64_t most, uint64_t *value)
{
	static const char letters[] = "kmgt";
	uint64_t n = 0, scale = plain;
	const char *letter;
	int overflow = 0;

	if (*s < '0' || *s > '9')
		return "not a plain number";
	for (; *s >= '0' && *s <= '9'; s++) {
		uint64_t digit = (uint64_t)(*s - '0');

		if (n > (UINT64_MAX - digit) / 10)
			overflow = 1;
		else
			n = n * 10 + digit;
	}
	if (suffixes && *s != '\0' && (letter = strchr(letters, *s)) != NULL) {
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
 * Reads plain decimal digits with an optional fraction ("2", "0.5") up to
 * most.  Stores the number in *value and returns NULL, or returns why not.
 */
static const char *parse_fraction(const char *s, double most, double *value)
{
	double n = 0, place = 1;

	if (*s < '0' || *s > '9')
		return "not a plain number";
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (*s - '0');
	if (*s == '.' && s[1] >= '0' && s[1] <= '9')
		for (s++; *s >= '0' && *s <= '9'; s++)
			n += (*s - '0') * (place /= 10);
	if (*s != '\0')
		return "not a plain number";
	if (n > most)
		return "too large";
	*value = n;
	return NULL;
}

/* ---- statistics -------------------------------------------------------- */

enum { STAT_MAX, STAT_MIN, STAT_AVG, STAT_MED, STAT_DEV, STAT_TOT, STAT_CI, STATS };

/* The summary's rows; the first three are always printed, all with -x. */
static const char *const stat_names[STATS] = { "max", "min", "avg", "med", "dev", "tot", "ci" };
enum { STATS_PLAIN = STAT_AVG + 1 };

static double not_a_number(void)
{
	volatile double zero = 0;

	return zero / zero;
}

static int is_nan(double x)
{
	return x != x;
}

/*
 * The 97.5 % point of Student's t with n >= 1 degrees of freedom: exact to
 * six decimals up to 10, then the expansion of Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 26.7.5, whose error there is < 5e-6.
 */
static double student_t(uint64_t n)
{
	static const double exact[] = { 12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912,
		2.364624, 2.306004, 2.262157, 2.228139 };
	const double z = 1.959963985, z2 = z * z, v = (double)n;
	double g1, g2, g3, g4;

	if (n <= sizeof exact / sizeof *exact)
		return exact[n - 1];
	g1 = z * (z2 + 1) / 4;
	g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
	g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
	g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
	return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Fills stats (but for STAT_TOT) from n rates, which it sorts; rates that
 * are nan make every figure nan.
 */
static void statistics(double *rates, uint64_t n, double *stats)
{
	double sum = 0, squares = 0;
	uint64_t i;

	for (i = 0; i < n; i++)
		sum += rates[i];
	if (n == 0 || is_nan(sum)) {
		for (i = 0; i < STATS; i++)
			stats[i] = not_a_number();
		return;
	}
	qsort(rates, (size_t)n, sizeof *rates, compare_doubles);
	stats[STAT_MIN] = rates[0];
	stats[STAT_MAX] = rates[n - 1];
	stats[STAT_MED] = (rates[(n - 1) / 2] + rates[n / 2]) / 2;
	stats[STAT_AVG] = sum / (double)n;
	/* Rounding may carry the mean of equal rates past them. */
	if (stats[STAT_AVG] > stats[STAT_MAX])
		stats[STAT_AVG] = stats[STAT_MAX];
	if (stats[STAT_AVG] < stats[STAT_MIN])
		stats[STAT_AVG] = stats[STAT_MIN];
	for (i = 0; i < n; i++)
		squares += (rates[i] - stats[STAT_AVG]) * (rates[i] - stats[STAT_AVG]);
	stats[STAT_DEV] = n < 2 ? 0 : square_root(squares / (double)(n - 1));
	stats[STAT_CI] =
	    n < 2 ? not_a_number() : student_t(n - 1) * stats[STAT_DEV] / square_root((double)n);
}

/* ---- the system: the only place that knows which one it is -------------
 *
 * These functions return what they achieved and never exit.
 */

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif

enum eviction { EVICTED_NO, EVICTED_UNKNOWN, EVICTED_YES };

#if defined(CLOCK_MONOTONIC) && !defined(NO_MONOTONIC)
#define HAVE_MONOTONIC
#endif

static const char *clock_name = "gettimeofday";

/* Nanoseconds on the best clock that works here; only differences count. */
static uint64_t now_ns(void)
{
	struct timeval tv;
#if defined(__sun) && !defined(NO_MONOTONIC)
	clock_name = "gethrtime";
	return (uint64_t)gethrtime();
#elif defined(HAVE_MONOTONIC)
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) == 0) {
		clock_name = "CLOCK_MONOTONIC";
		return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
	}
#endif
	gettimeofday(&tv, NULL);
	return (uint64_t)tv.tv_sec * NS + (uint64_t)tv.tv_usec * 1000;
}

/*
 * The smallest step that the clock was seen to make, in nanoseconds, after
 * at most 20 ms and at least one step: clock_getres is not to be believed.
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

/* User and system time of this process and its ended children, in ns. */
static uint64_t cpu_ns(void)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	struct rusage ru;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof whose / sizeof *whose; i++)
		if (getrusage(whose[i], &ru) == 0)
			sum +=
			    ((uint64_t)ru.ru_utime.tv_sec + (uint64_t)ru.ru_stime.tv_sec) * NS +
			    ((uint64_t)ru.ru_utime.tv_usec + (uint64_t)ru.ru_stime.tv_usec) * 1000;
	return sum;
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
	key = mix64(key + (uint64_t)getppid());
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
 * standard output was closed.  Returns -1 if that cannot be done.
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
	struct pollfd p;

	p.fd = fd;
	p.events = 0;
	p.revents = 0;
	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

static int terminal_width(int fd)
{
#ifdef TIOCGWINSZ
	struct winsize ws;

	if (ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
#endif
	(void)fd;
	return 80;
}

/* Takes a process name that killall and pkill do not find, where it can. */
static void take_process_name(char **argv, const char *name)
{
	int i;

	for (i = 0; argv[i] != NULL; i++)
		memset(argv[i], 0, strlen(argv[i]));
#if defined(__linux__) && defined(PR_SET_NAME)
	prctl(PR_SET_NAME, name, 0, 0, 0);
#elif defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
	setproctitle("%s", name);
#else
	(void)name;
#endif
}

/*
 * Gets what was written to fd onto the device.  Returns 0; 1 where the file
 * system knows no flush; -1 with errno: then it is lost, and a second try
 * may succeed falsely.  Plain fsync stops at the drive's cache on macOS.
 */
static const char *flush_name = "fsync";

static int flush_file(int fd)
{
	int r;

#ifdef F_FULLFSYNC
	flush_name = "F_FULLFSYNC";
	while ((r = fcntl(fd, F_FULLFSYNC)) == -1 && errno == EINTR)
		;
	if (r != -1)
		return 0;
	if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY)
		return -1;
	flush_name = "fsync";
#endif
	while ((r = fsync(fd)) == -1 && errno == EINTR)
		;
	if (r == 0)
		return 0;
	return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? 1 : -1;
}

#define WINDOW_PAGES 4096 /* looked at in one mapping: 16 MiB */

static uint64_t page_bytes(void)
{
	long page = sysconf(_SC_PAGESIZE);

	return page > 0 ? (uint64_t)page : 4096;
}

/* mincore is told by its constants' neighbours: each of these has it. */
#if !defined(NO_MINCORE) && (defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || \
				defined(__NetBSD__) || defined(__DragonFly__) || defined(__sun))
static const char verify_name[] = "mincore";

/*
 * The share, 0 to 1, of the first size bytes of fd that is in memory, or -1
 * if that cannot be told.  The mapping is never touched, and gone before
 * return: a page that was mapped and touched would not be evicted.
 */
static double resident_share(int fd, uint64_t size)
{
	static unsigned char in_core[WINDOW_PAGES];
	uint64_t page = page_bytes(), window = WINDOW_PAGES * page;
	uint64_t at, pages = 0, resident = 0, i;

	for (at = 0; at < size; at += window) {
		uint64_t len = size - at < window ? size - at : window;
		void *map = mmap(NULL, (size_t)len, PROT_READ, MAP_SHARED, fd, (off_t)at);
		int r;

		if (map == MAP_FAILED)
			return -1;
#if defined(__linux__)
		r = mincore(map, (size_t)len, in_core);
#else
		r = mincore((void *)map, (size_t)len, (char *)in_core);
#endif
		munmap(map, (size_t)len);
		if (r == -1)
			return -1;
		for (i = 0; i < (len + page - 1) / page; i++, pages++)
			resident += in_core[i] & 1;
	}
	return pages == 0 ? -1 : (double)resident / (double)pages;
}
#else
static const char verify_name[] = "none";

static double resident_share(int fd, uint64_t size)
{
	(void)fd;
	(void)size;
	return -1;
}
#endif

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__DragonFly__)
/* Throws the clean pages of fd's first size bytes away by msync. */
static void invalidate_mapping(int fd, uint64_t size, int flags)
{
	uint64_t window = WINDOW_PAGES * page_bytes(), at;

	for (at = 0; at < size; at += window) {
		uint64_t len = size - at < window ? size - at : window;
		void *map = mmap(NULL, (size_t)len, PROT_NONE, MAP_SHARED, fd, (off_t)at);

		if (map == MAP_FAILED)
			return;
		msync(map, (size_t)len, flags);
		munmap(map, (size_t)len);
	}
}
#endif

/*
 * drop_pages asks the system to forget the flushed file's pages; whether it
 * did is for resident_share to say.  open_uncached is told of each
 * descriptor that an uncached pass reads from.
 */
#if defined(NO_FADVISE)
static const char evict_name[] = "none";

static void drop_pages(int fd, uint64_t size)
{
	(void)fd;
	(void)size;
}
#elif defined(__APPLE__)
static const char evict_name[] = "msync";

static void drop_pages(int fd, uint64_t size)
{
	invalidate_mapping(fd, size, MS_INVALIDATE);
}
#elif defined(__FreeBSD__) || defined(__DragonFly__)
static const char evict_name[] = "msync";

static void drop_pages(int fd, uint64_t size)
{
#ifdef POSIX_FADV_DONTNEED
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
#endif
	invalidate_mapping(fd, size, MS_INVALIDATE);
}
#elif defined(__NetBSD__)
static const char evict_name[] = "msync";

static void drop_pages(int fd, uint64_t size)
{
	invalidate_mapping(fd, size, MS_SYNC | MS_INVALIDATE);
}
#elif defined(__sun) && defined(DIRECTIO_ON)
static const char evict_name[] = "directio";

/* Per file, and it lasts: so it is turned off again. */
static void drop_pages(int fd, uint64_t size)
{
	(void)size;
	directio(fd, DIRECTIO_ON);
	directio(fd, DIRECTIO_OFF);
}
#elif defined(POSIX_FADV_DONTNEED)
static const char evict_name[] = "posix_fadvise";

/*
 * Linux before 2.6.6 took a length of 0 for no bytes, and a length that ends
 * inside the last page leaves that page: so the size, rounded up.
 */
static void drop_pages(int fd, uint64_t size)
{
	uint64_t page = page_bytes();

	(void)posix_fadvise(fd, 0, (off_t)((size + page - 1) / page * page), POSIX_FADV_DONTNEED);
}
#else
static const char evict_name[] = "none";

static void drop_pages(int fd, uint64_t size)
{
	(void)fd;
	(void)size;
}
#endif

static void open_uncached(int fd)
{
#ifdef F_NOCACHE
	(void)fcntl(fd, F_NOCACHE, 1);
#endif
	(void)fd;
}

/*
 * Flushes fd, open for writing, and evicts its first size bytes from the
 * cache, in at most three tries.  *share becomes what is in memory after
 * that, or -1 if this cannot be told.  A verifier that saw nothing before
 * is not believed when it sees nothing after.  Returns -1 with errno if the
 * flush failed.
 */
static int evict_file(int fd, uint64_t size, enum eviction *result, double *share)
{
	double before = resident_share(fd, size);
	int tries;

	for (tries = 0; tries < 3; tries++) {
		if (flush_file(fd) == -1)
			return -1;
		drop_pages(fd, size);
		*share = resident_share(fd, size);
		if (*share <= 0)
			break;
	}
	if (*share > 0)
		*result = EVICTED_NO;
	else
		*result = *share == 0 && before > 0 ? EVICTED_YES : EVICTED_UNKNOWN;
	return 0;
}

/* Bytes that a file in the directory may still take, or -1 if unknown. */
static double free_bytes(const char *directory)
{
#ifndef NO_STATVFS
	struct statvfs v;

	if (statvfs(directory, &v) == 0 && v.f_blocks > 0)
		return (double)(geteuid() == 0 ? v.f_bfree : v.f_bavail) *
		       (double)(v.f_frsize > 0 ? v.f_frsize : v.f_bsize);
#else
	(void)directory;
#endif
	return -1;
}

#if defined(__linux__)
/*
 * Copies the type that /proc/self/mountinfo gives for device dev, as
 * "36 35 98:0 /root /mnt opts - ext3 /dev/x rw".  Returns 0 if it has none.
 */
static int mounted_type(dev_t dev, char *name, size_t size)
{
	char line[4096], *type;
	unsigned major_id, minor_id;
	int found = 0;
	FILE *f = fopen("/proc/self/mountinfo", "r");

	if (f == NULL)
		return 0;
	while (fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "%*d %*d %u:%u", &major_id, &minor_id) == 2 &&
		    major_id == (unsigned)major(dev) && minor_id == (unsigned)minor(dev) &&
		    (type = strstr(line, " - ")) != NULL) {
			type += 3;
			type[strcspn(type, " \n")] = '\0';
			snprintf(name, size, "%s", type);
			found = 1;
		}
	fclose(f);
	return found;
}

/* Stores the name of the directory's file system, or "unknown". */
static void file_system_name(const char *directory, char *name, size_t size)
{
	/* From linux/magic.h and the file systems' own sources. */
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{ 0xef53, "ext2/ext3/ext4" },
		{ 0x58465342, "xfs" },
		{ 0x9123683e, "btrfs" },
		{ 0x01021994, "tmpfs" },
		{ 0x858458f6, "ramfs" },
		{ 0x794c7630, "overlay" },
		{ 0x2fc12fc1, "zfs" },
		{ 0x6969, "nfs" },
		{ 0x65735546, "fuse" },
		{ 0x4d44, "vfat" },
		{ 0x2011bab0, "exfat" },
		{ 0xf2f52010, "f2fs" },
		{ 0xff534d42, "cifs" },
		{ 0xfe534d42, "smb2" },
		{ 0x00c36400, "ceph" },
		{ 0x0bd00bd0, "lustre" },
		{ 0x01021997, "9p" },
		{ 0xca451a4e, "bcachefs" },
		{ 0x24051905, "ubifs" },
		{ 0x72b6, "jffs2" },
		{ 0x52654973, "reiserfs" },
		{ 0x3153464a, "jfs" },
	};
	struct statfs fs;
	struct stat st;
	size_t i;

	snprintf(name, size, "unknown");
	if (statfs(directory, &fs) == 0)
		for (i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i].magic == ((unsigned long)fs.f_type & 0xffffffffUL))
				snprintf(name, size, "%s", known[i].name);
	if (stat(directory, &st) == 0)
		(void)mounted_type(st.st_dev, name, size);
}
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
static void file_system_name(const char *directory, char *name, size_t size)
{
	struct statfs fs;

	snprintf(name, size, "%s", statfs(directory, &fs) == 0 ? fs.f_fstypename : "unknown");
}
#elif defined(__NetBSD__) && !defined(NO_STATVFS)
static void file_system_name(const char *directory, char *name, size_t size)
{
	struct statvfs fs;

	snprintf(name, size, "%s", statvfs(directory, &fs) == 0 ? fs.f_fstypename : "unknown");
}
#elif (defined(__sun) || defined(_AIX) || defined(__hpux)) && !defined(NO_STATVFS)
static void file_system_name(const char *directory, char *name, size_t size)
{
	struct statvfs fs;

	snprintf(name, size, "%s", statvfs(directory, &fs) == 0 ? fs.f_basetype : "unknown");
}
#else
static void file_system_name(const char *directory, char *name, size_t size)
{
	(void)directory;
	snprintf(name, size, "unknown");
}
#endif

/* Whether a file system of this name lives in memory. */
static int in_memory(const char *file_system)
{
	static const char *const kinds[] = { "tmpfs", "ramfs", "rootfs", "devtmpfs", "mfs",
		"hugetlbfs" };
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(file_system, kinds[i]) == 0)
			return 1;
	return 0;
}

/* ---- signals: a handler sets a flag, the loops look at it -------------- */

static const struct {
	int number;
	const char *name;
} end_signals[] = {
	{ SIGHUP, "HUP" },
	{ SIGINT, "INT" },
	{ SIGQUIT, "QUIT" },
	{ SIGTERM, "TERM" },
	{ SIGPIPE, "PIPE" },
};
enum { END_SIGNALS = sizeof end_signals / sizeof *end_signals };

static volatile sig_atomic_t caught; /* the signal that ends the run */
static volatile sig_atomic_t continued; /* the process had been stopped */
static volatile sig_atomic_t tick; /* time to draw the progress */

/* What a second signal removes; NULL while there is no file. */
static const char *volatile remove_at_once;

static void on_end(int number)
{
	const char *path = remove_at_once;

	if (caught != 0) {
		if (path != NULL)
			unlink(path);
		signal(number, SIG_DFL);
		raise(number);
	}
	caught = number;
}

static void on_continue(int number)
{
	(void)number;
	continued = 1;
}

static void on_tick(int number)
{
	(void)number;
	tick = 1;
}

/* Installs handler for number, unless it was ignored from the start. */
static void catch_signal(int number, void (*handler)(int))
{
	struct sigaction sa, old;

	memset(&sa, 0, sizeof sa);
	sa.sa_handler = handler;
	sigemptyset(&sa.sa_mask);
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(number, &sa, NULL);
}

static void signals_catch(void)
{
	int i;

	for (i = 0; i < END_SIGNALS; i++)
		catch_signal(end_signals[i].number, on_end);
	catch_signal(SIGCONT, on_continue);
	/* So that a file too large is an error of write, not a death. */
	signal(SIGXFSZ, SIG_IGN);
}

static const char *signal_name(int number)
{
	int i;

	for (i = 0; i < END_SIGNALS; i++)
		if (end_signals[i].number == number)
			return end_signals[i].name;
	return "?";
}

/* Sleeps for so many ns, or until a signal ends the run. */
static void rest_ns(uint64_t ns)
{
	uint64_t end = now_ns() + ns, now;
	struct timeval tv;

	while (!caught && (now = now_ns()) < end) {
		tv.tv_sec = (time_t)((end - now) / NS);
		tv.tv_usec = (suseconds_t)((end - now) % NS / 1000);
		select(0, NULL, NULL, NULL, &tv);
	}
}

/* ---- messages and progress: all that goes to standard error ------------ */

/* Prints s with its control characters and backslashes as \ooo. */
static void print_escaped(FILE *f, const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == '\\' || *s == 127)
			fprintf(f, "\\%03o", (unsigned)(unsigned char)*s);
		else
			putc(*s, f);
}

/* What of the run is to be shown while it goes on. */
static struct {
	int on; /* standard error is a terminal */
	int drawn; /* characters that stand there now */
	uint64_t start_ns; /* of the run */
	uint64_t pass_ns; /* start of the pass */
	uint64_t rounds, rounds_done;
	int passes, passes_done; /* in a round; in this round */
	const char *pass;
	double pass_bytes; /* that it will move */
	uint64_t rounds_done_ns; /* when the last round had ended */
} progress;

static void progress_clear(void)
{
	if (progress.drawn > 0)
		fprintf(stderr, "\r%*s\r", progress.drawn, "");
	progress.drawn = 0;
}

/* Stores seconds as h:mm:ss. */
static void format_duration(double seconds, char *s, size_t size)
{
	double minutes = (double)(uint64_t)(seconds / 60);

	snprintf(s, size, "%.0f:%02.0f:%02.0f", (double)(uint64_t)(minutes / 60),
	    minutes - 60 * (double)(uint64_t)(minutes / 60),
	    (double)(uint64_t)(seconds - 60 * minutes));
}

/*
 * Redraws the line: bytes of the pass are done, doing is what it does now.
 * Time left comes from the rounds so far, in the first from its passes.
 */
static void progress_draw(double bytes, const char *doing)
{
	static const char hashes[] = "####################";
	uint64_t now = now_ns();
	double share, done, elapsed, left, pass_seconds;
	char line[160], time_left[32];
	int width = terminal_width(STDERR_FILENO) - 1, bar = sizeof hashes - 1;

	tick = 0;
	if (!progress.on || now - progress.start_ns < NS)
		return;
	elapsed = (double)(now - progress.start_ns) / 1e9;
	pass_seconds = (double)(now - progress.pass_ns) / 1e9;
	share = progress.pass_bytes > 0 ? bytes / progress.pass_bytes : 0;
	done = ((double)progress.rounds_done +
		   ((double)progress.passes_done + share) / progress.passes) /
	       (double)progress.rounds;
	if (progress.rounds_done > 0)
		left = (double)(progress.rounds_done_ns - progress.start_ns) / 1e9 /
			   (double)progress.rounds_done * (double)progress.rounds -
		       elapsed;
	else
		left = done > 0 ? elapsed * (1 - done) / done : 0;
	format_duration(left > 0 ? left : 0, time_left, sizeof time_left);
	snprintf(line, sizeof line, "round %.0f/%.0f %-8s [%-*.*s] %3.0f%% %8.1f MB/s %s left",
	    (double)progress.rounds_done + 1, (double)progress.rounds, doing, bar,
	    (int)(share * bar), hashes, share * 100,
	    pass_seconds > 0 ? bytes / 1e6 / pass_seconds : 0, time_left);
	if (width < (int)sizeof line)
		line[width > 0 ? width : 0] = '\0';
	progress_clear();
	progress.drawn = fprintf(stderr, "%s", line);
}

/* Starts to show progress, four times a second, if there is a terminal. */
static void progress_start(uint64_t rounds, int passes)
{
	struct itimerval quarter;

	progress.rounds = rounds;
	progress.passes = passes;
	progress.start_ns = now_ns();
	if (!(progress.on = isatty(STDERR_FILENO)))
		return;
	catch_signal(SIGALRM, on_tick);
	memset(&quarter, 0, sizeof quarter);
	quarter.it_interval.tv_usec = quarter.it_value.tv_usec = 250000;
	setitimer(ITIMER_REAL, &quarter, NULL);
}

static void progress_stop(void)
{
	struct itimerval never;

	progress_clear();
	if (progress.on) {
		memset(&never, 0, sizeof never);
		setitimer(ITIMER_REAL, &never, NULL);
	}
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
#define GENERATION_SHIFT 43 /* sectors below, generations above */
#define WINDOW_BYTES (4 * MIB) /* what a compressor may look back */
#define NO_MISMATCH UINT64_MAX

/*
 * Random bytes, made once: so many slots of a block each that what repeats
 * is further back than a compressor looks.  A generation is one writing of
 * the file; block and generation choose the slot, and every 512 bytes of the
 * file begin with a stamp that no other sector, generation or run has.
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
	uint64_t inverse = 1;
	int i;

	/* Newton modulo 2^64: each step doubles the bits that are right. */
	for (i = 0; i < 6; i++)
		inverse *= 2 - STAMP_STEP * inverse;
	return (word - data.key) * inverse;
}

/*
 * The part of the stamp at file offset sector * SECTOR that lies in the len
 * bytes at offset: how many bytes, the first in the buffer, in the stamp.
 */
static size_t stamp_overlap(
    uint64_t sector, uint64_t offset, size_t len, size_t *in_buffer, size_t *in_stamp)
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
	uint64_t sector = offset / SECTOR;
	uint64_t word = stamp_word(sector, generation);
	size_t at = 0, from, n;

	if (offset % SECTOR == 0)
		for (; at + STAMP_BYTES <= len; at += SECTOR) {
			memcpy(buffer + at, &word, STAMP_BYTES);
			word += STAMP_STEP;
			sector++;
		}
	for (; sector * SECTOR < offset + len; sector++, word += STAMP_STEP) {
		n = stamp_overlap(sector, offset, len, &at, &from);
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
	uint64_t age;
	size_t at, from, n;

	for (; sector * SECTOR < offset + len; sector++, word += STAMP_STEP) {
		n = stamp_overlap(sector, offset, len, &at, &from);
		if (memcmp(buffer + at, (unsigned char *)&word + from, n) == 0)
			continue;
		if (n < STAMP_BYTES) {
			if (low != high)
				continue;
			*found = 0;
			return sector * SECTOR;
		}
		memcpy(found, buffer + at, STAMP_BYTES);
		age = (stamp_origin(*found) - sector) >> GENERATION_SHIFT;
		if (*found != stamp_word(sector, age) || age < low || age > high)
			return sector * SECTOR;
	}
	return NO_MISMATCH;
}

/* malloc, at a page's edge: the device may fetch it from there itself. */
static unsigned char *allocate_aligned(uint64_t bytes)
{
	uint64_t page = page_bytes(), align = page > 4096 ? page : 4096;
	unsigned char *p;

	if (bytes > SIZE_MAX - align || (p = malloc((size_t)(bytes + align))) == NULL)
		return NULL;
	return p + (align - (uint64_t)(uintptr_t)p % align) % align;
}

/*
 * Makes the pool for blocks of so many bytes, and a block to read into.
 * Blocks longer than the window are one slot, which serves to read into as
 * well: what comes back is what it holds, but for the stamps.  Where memory
 * is short, fewer slots have to do.  Returns -1 if not even a block fits.
 */
static int data_make(uint64_t block_bytes, uint64_t key)
{
	uint64_t state = key, i, bytes;

	data.key = mix64(key);
	data.block_bytes = (size_t)block_bytes;
	data.slot_count = WINDOW_BYTES / block_bytes + 1;
	for (;;) {
		bytes = data.slot_count * block_bytes;
		if (data.slot_count > 1)
			bytes += block_bytes;
		if ((data.slots = allocate_aligned(bytes)) != NULL)
			break;
		if (data.slot_count == 1)
			return -1;
		data.slot_count /= 2;
	}
	data.buffer = data.slot_count > 1 ? data.slots + data.slot_count * block_bytes : data.slots;
	for (i = 0; i < bytes; i += sizeof state) {
		uint64_t word = mix64(state += STAMP_STEP);
		uint64_t left = bytes - i;

		memcpy(data.slots + i, &word, left < sizeof word ? (size_t)left : sizeof word);
	}
	return 0;
}

/* Where a block of a generation lies ready, but for its stamps. */
static unsigned char *data_block(uint64_t block, uint64_t generation)
{
	return data.slots + (size_t)((block + generation) % data.slot_count) * data.block_bytes;
}

/* ---- the scratch file and its guard ------------------------------------ */

/* What can go wrong in a pass; a worker hands this on to who prints it. */
enum fault {
	FAULT_NONE,
	FAULT_EXISTS,
	FAULT_CREATE,
	FAULT_OPEN,
	FAULT_OTHER_FILE,
	FAULT_WRITE,
	FAULT_READ,
	FAULT_SHORT,
	FAULT_DATA,
	FAULT_FLUSH,
	FAULT_CLOSE,
	FAULT_EVICT
};
static const char *const fault_texts[] = { NULL, "creating the scratch file",
	"creating the scratch file", "opening the scratch file", "opening the scratch file",
	"writing", "reading", "reading", "checking what was read", "flushing", "closing",
	"flushing before eviction" };

#define NAME_PREFIX "gbtest-"
#define NAME_LETTERS 7 /* 14 in all: the least that any file system takes */

static struct {
	char *path;
	size_t directory_len; /* of the path, its slash included */
	int named; /* path is complete, and the guard knows it */
	int exists;
	dev_t device;
	ino_t inode;
	uint64_t size_bytes;
	/* The generations that its blocks may hold. */
	uint64_t oldest, newest;
	int flush_unknown; /* the file system knows no flush */
} scratch;

/* What is told to the guard; a name follows its first. */
enum { TELL_NAME, TELL_MADE, TELL_GONE };
struct told {
	int kind;
	dev_t device;
	ino_t inode;
	size_t name_len;
};

static struct {
	pid_t pid; /* 0 if there is none */
	int tell, heard; /* ends of the pipes to and from it */
} guard;

/* read or write all of len bytes on a pipe.  Returns -1 if it ends early. */
static int pipe_read(int fd, void *buffer, size_t len)
{
	char *p = buffer;
	ssize_t n;

	while (len > 0) {
		n = read(fd, p, len);
		if (n == 0 || (n == -1 && errno != EINTR))
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int pipe_write(int fd, const void *buffer, size_t len)
{
	const char *p = buffer;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n == -1 && errno != EINTR)
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/*
 * The guard's life: it hears the name before the file is made, answers
 * whether that name was free, hears what was made and when it is gone, and
 * removes what is there when the pipe ends before it heard that it is gone.
 */
static void guard_run(int listen, int answer)
{
	struct told now, made;
	struct stat st;
	char *path = NULL, free_name = 0;
	int known = 0;

	memset(&made, 0, sizeof made);
	while (pipe_read(listen, &now, sizeof now) == 0) {
		known = now.kind == TELL_MADE;
		made = now;
		if (now.kind != TELL_NAME)
			continue;
		free(path);
		path = malloc(now.name_len + 1);
		if (path == NULL || pipe_read(listen, path, now.name_len) == -1)
			_exit(1);
		path[now.name_len] = '\0';
		free_name = lstat(path, &st) == -1;
		if (pipe_write(answer, &free_name, 1) == -1)
			break;
	}
	if (path != NULL && free_name && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    (!known || (st.st_dev == made.device && st.st_ino == made.inode)))
		unlink(path);
	_exit(0);
}

/*
 * Starts the guard.  It must outlive whatever ends this process, so it
 * leaves the session, ignores what can be ignored, and takes another name.
 * Returns -1 with errno if it cannot be had.
 */
static int guard_start(char **argv)
{
	int down[2], up[2], i;

#ifdef NO_FORK
	(void)argv;
	(void)down;
	(void)up;
	(void)i;
	(void)guard_run;
	(void)take_process_name;
	errno = ENOSYS;
	return -1;
#else
	if (pipe(down) == -1)
		return -1;
	if (pipe(up) == -1) {
		close(down[0]);
		close(down[1]);
		return -1;
	}
	if ((guard.pid = fork()) == 0) {
		for (i = 0; i < END_SIGNALS; i++)
			signal(end_signals[i].number, SIG_IGN);
		setsid();
		for (i = 0; i <= STDERR_FILENO; i++)
			close(i);
		close(down[1]);
		close(up[0]);
		take_process_name(argv, "scratchguard");
		guard_run(down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	guard.tell = down[1];
	guard.heard = up[0];
	if (guard.pid > 0)
		return 0;
	guard.pid = 0;
	close(guard.tell);
	close(guard.heard);
	return -1;
#endif
}

/* Ends the guard, which knows of no file any more. */
static void guard_stop(void)
{
	if (guard.pid == 0)
		return;
	close(guard.tell);
	close(guard.heard);
	while (waitpid(guard.pid, NULL, 0) == -1 && errno == EINTR)
		;
	guard.pid = 0;
}

/* Tells the guard; if it has died, goes on without it, and says so. */
static int guard_tell(int kind)
{
	int caught_before = caught, r;
	struct told now;
	char was_free = 1;

	if (guard.pid == 0)
		return 1;
	memset(&now, 0, sizeof now);
	now.kind = kind;
	now.device = scratch.device;
	now.inode = scratch.inode;
	now.name_len = strlen(scratch.path);
	r = pipe_write(guard.tell, &now, sizeof now);
	if (r == 0 && kind == TELL_NAME &&
	    (r = pipe_write(guard.tell, scratch.path, now.name_len)) == 0)
		r = pipe_read(guard.heard, &was_free, 1);
	if (r == 0)
		return was_free;
	if (caught == SIGPIPE) /* the guard's pipe, not standard output */
		caught = caught_before;
	guard_stop();
	warn(scratch.path, "the guard process is gone: if this process is "
			   "killed, the file stays");
	return 1;
}

/* Readies a name in the directory that nobody has.  -1: out of tries. */
static int scratch_name(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	static uint64_t state;
	int tries, i;

	if (scratch.named)
		return 0;
	if (state == 0)
		state = run_key();
	for (tries = 0; tries < 100; tries++) {
		char *p = scratch.path + scratch.directory_len;
		uint64_t word = mix64(state += STAMP_STEP);

		memcpy(p, NAME_PREFIX, sizeof NAME_PREFIX - 1);
		p += sizeof NAME_PREFIX - 1;
		for (i = 0; i < NAME_LETTERS; i++, word >>= 5)
			*p++ = letters[word & 31];
		*p = '\0';
		if (guard_tell(TELL_NAME)) {
			scratch.named = 1;
			return 0;
		}
	}
	return -1;
}

/* Takes the directory; returns -1 if there is no memory for the path. */
static int scratch_place(const char *directory, uint64_t size_bytes)
{
	size_t len = strlen(directory);

	scratch.size_bytes = size_bytes;
	scratch.path = malloc(len + 1 + sizeof NAME_PREFIX + NAME_LETTERS);
	if (scratch.path == NULL)
		return -1;
	memcpy(scratch.path, directory, len);
	if (directory[len - 1] != '/')
		scratch.path[len++] = '/';
	scratch.path[len] = '\0';
	scratch.directory_len = len;
	return 0;
}

/*
 * Creates the file, which must not exist, under the name that is ready.
 * Returns a descriptor, or -1 with errno and *fault set.
 */
static int scratch_create(int flags, enum fault *fault)
{
	struct stat st;
	int fd = open(
	    scratch.path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);

	if (fd == -1) {
		*fault = errno == EEXIST ? FAULT_EXISTS : FAULT_CREATE;
		return -1;
	}
	remove_at_once = scratch.path;
	scratch.exists = 1;
	if (fstat(fd, &st) == -1) {
		*fault = FAULT_CREATE;
		close(fd);
		return -1;
	}
	scratch.device = st.st_dev;
	scratch.inode = st.st_ino;
	guard_tell(TELL_MADE);
	return fd;
}

/*
 * Opens the file again, and makes sure that it is the one that was made.
 * Returns a descriptor, or -1 with errno and *fault set.
 */
static int scratch_open(int flags, enum fault *fault)
{
	struct stat st;
	int fd = open(scratch.path, flags | O_NOFOLLOW | O_CLOEXEC);

	if (fd == -1) {
		*fault = FAULT_OPEN;
		return -1;
	}
	if (fstat(fd, &st) == -1 || st.st_dev != scratch.device || st.st_ino != scratch.inode) {
		*fault = FAULT_OTHER_FILE;
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Removes the file if there is one, and nothing that took its name.
 * Returns -1 with errno if it is still there.
 */
static int scratch_remove(void)
{
	struct stat st;
	int r = 0;

	if (!scratch.exists)
		return 0;
	if (lstat(scratch.path, &st) == -1)
		r = errno == ENOENT ? 0 : -1;
	else if (scratch.inode != 0 &&
		 (st.st_dev != scratch.device || st.st_ino != scratch.inode)) {
		errno = EEXIST;
		r = -1;
	} else
		r = unlink(scratch.path);
	scratch.exists = 0;
	remove_at_once = NULL;
	scratch.inode = 0;
	if (r == 0)
		guard_tell(TELL_GONE);
	return r;
}

/* The one way out: no file, no guard, no line of progress is left. */
static void clean_up(void)
{
	progress_stop();
	if (scratch_remove() == -1)
		message("removing the scratch file", scratch.path, strerror(errno));
	guard_stop();
}

/* Says what failed, where and why, cleans up, and ends with status 1. */
static void fatal(const char *what, const char *which, const char *why)
{
	message(what, which, why);
	clean_up();
	exit(1);
}

/* Ends the process by the signal that it caught, so that the shell knows. */
static void die_by_signal(int number)
{
	clean_up();
	signal(number, SIG_DFL);
	raise(number);
	exit(128 + number);
}

/* Sends what was printed on its way; a reader that left ends the run. */
static void flush_output(void)
{
	int r = fflush(stdout), error = errno;

	if (caught == SIGPIPE)
		die_by_signal(SIGPIPE);
	if (r != 0 || ferror(stdout))
		fatal("writing the results", "standard output", strerror(error));
}

/* ---- the passes -------------------------------------------------------- */

/* What a pass is to do: these blocks of the file, in this order. */
struct plan {
	const struct pass_type *type;
	uint64_t size_bytes, block_bytes, blocks;
	uint64_t generation; /* that its writes get */
	int create; /* a new file */
};

/* What came of it.  Times are by now_ns. */
struct outcome {
	uint64_t start_ns, end_ns;
	uint64_t bytes[DIRECTIONS], calls[DIRECTIONS];
	enum fault fault;
	int error; /* errno of the fault */
	uint64_t at, found; /* FAULT_DATA: the offset, the stamp there */
};

#define MOST_PER_CALL ((size_t)1 << 30) /* macOS refuses 2^31 */

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
		ssize_t n = write ? pwrite(fd, buffer + done, want, at)
				  : pread(fd, buffer + done, want, at);

		if (n == -1) {
			if (errno != EINTR || caught)
				return -1;
		} else if (n == 0) {
			if (!write)
				break;
			errno = ENOSPC;
			return -1;
		} else
			done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Moves one block.  Returns 0, or -1 with the fault in *o. */
static int block_move(const struct plan *p, int fd, uint64_t block, int write, struct outcome *o)
{
	uint64_t offset = block * p->block_bytes;
	size_t len = (size_t)(p->size_bytes - offset < p->block_bytes ? p->size_bytes - offset
								      : p->block_bytes);
	unsigned char *buffer = write ? data_block(block, p->generation) : data.buffer;
	ssize_t n;

	if (write)
		stamp(buffer, offset, len, p->generation);
	n = transfer(fd, buffer, len, offset, write);
	if (n != (ssize_t)len) {
		o->error = errno;
		o->fault = write ? FAULT_WRITE : n == -1 ? FAULT_READ : FAULT_SHORT;
		return -1;
	}
	o->bytes[write] += len;
	o->calls[write]++;
	if ((p->type->does & WANTS_COLD) &&
	    (o->at = stamps_check(
		 buffer, offset, len, scratch.oldest, scratch.newest, &o->found)) != NO_MISMATCH) {
		o->fault = FAULT_DATA;
		return -1;
	}
	return 0;
}

/* Flushes and closes what the pass has written, or closes what it read. */
static void pass_close(const struct plan *p, int fd, struct outcome *o)
{
	int r;

	if ((p->type->does & DOES_WRITE) && o->fault == FAULT_NONE && !caught) {
		if (progress.on)
			progress_draw((double)p->size_bytes, "flushing");
		if ((r = flush_file(fd)) == -1) {
			o->fault = FAULT_FLUSH;
			o->error = errno;
		} else if (r == 1)
			scratch.flush_unknown = 1;
	}
	/* After EINTR the descriptor is gone: closing again is a mistake. */
	if (close(fd) == -1 && errno != EINTR && o->fault == FAULT_NONE) {
		o->fault = FAULT_CLOSE;
		o->error = errno;
	}
}

/* Opens, moves every block, flushes, closes; the clock runs around it all. */
static void pass_run(const struct plan *p, struct outcome *o)
{
	int write = (p->type->does & DOES_WRITE) != 0, fd;
	uint64_t block;

	memset(o, 0, sizeof *o);
	o->start_ns = now_ns();
	fd = p->create ? scratch_create(O_RDWR, &o->fault) : scratch_open(O_RDONLY, &o->fault);
	if (fd == -1) {
		o->error = errno;
		return;
	}
	if (p->type->does & WANTS_COLD)
		open_uncached(fd);
	for (block = 0; block < p->blocks && !caught; block++) {
		if (block_move(p, fd, block, write, o) == -1)
			break;
		if (tick)
			progress_draw((double)o->bytes[write], p->type->name);
	}
	pass_close(p, fd, o);
	o->end_ns = now_ns();
}

/* Ends the run because of what went wrong in a pass. */
static void fault_fatal(const struct outcome *o)
{
	char why[200];

	switch (o->fault) {
	case FAULT_OTHER_FILE: snprintf(why, sizeof why, "another file has taken its name"); break;
	case FAULT_SHORT: snprintf(why, sizeof why, "the file ends early"); break;
	case FAULT_DATA: {
		uint64_t origin = stamp_origin(o->found);
		uint64_t sector = origin & (((uint64_t)1 << GENERATION_SHIFT) - 1);

		snprintf(why, sizeof why,
		    "what was written at offset %.0f is "
		    "not what was read back",
		    (double)o->at);
		if (sector < scratch.size_bytes / SECTOR &&
		    origin >> GENERATION_SHIFT <= scratch.newest)
			snprintf(why + strlen(why), sizeof why - strlen(why),
			    ": it has the data of offset %.0f%s", (double)sector * SECTOR,
			    sector * SECTOR == o->at ? " of an earlier round" : "");
		break;
	}
	default: snprintf(why, sizeof why, "%s", strerror(o->error));
	}
	fatal(fault_texts[o->fault], scratch.path, why);
}

/* ---- the rounds: what is prepared, measured and remembered ------------- */

/* What is kept of a pass. */
struct record {
	uint64_t start_ns, end_ns;
	uint64_t bytes, calls;
};

static struct {
	uint64_t rounds; /* complete ones */
	uint64_t allocated;
	int columns;
	const struct column *column[COLUMNS];
	struct record *records; /* rounds by columns */
	uint64_t *ended_ns; /* since start_ns, a round each */
	uint64_t start_ns, clock_step_ns;
	uint64_t cpu_ns[PASSES], busy_ns[PASSES];
	enum eviction evicted;
	double resident; /* worst share left after eviction, or -1 */
	double cached; /* least share before a cache pass, or -1 */
	unsigned short_passes; /* took too few steps of the clock */
	unsigned untimed; /* took no time at all by the clock */
	char file_system[64];
} results;

/* The rate of a record in unit, or nan. */
static double rate(const struct record *r, const struct unit *unit)
{
	double seconds = (double)(r->end_ns - r->start_ns) / 1e9;

	if (r->end_ns <= r->start_ns)
		return not_a_number();
	return (unit->bytes > 0 ? (double)r->bytes / unit->bytes : (double)r->calls) / seconds;
}

/* Makes room for one more round; a failure ends the run. */
static void results_grow(void)
{
	uint64_t n = results.allocated ? results.allocated * 2 : 16;
	size_t row = (size_t)results.columns * sizeof *results.records;
	void *records, *ended;

	if (results.rounds < results.allocated)
		return;
	if ((records = realloc(results.records, (size_t)n * row)) != NULL)
		results.records = records;
	ended = realloc(results.ended_ns, (size_t)n * sizeof(uint64_t));
	if (ended != NULL)
		results.ended_ns = ended;
	if (records == NULL || ended == NULL)
		fatal("keeping the results", NULL, strerror(ENOMEM));
	results.allocated = n;
}

/* Plans a pass over the whole file. */
static void plan_make(const struct options *opt, int pass, struct plan *p)
{
	p->type = &pass_types[pass];
	p->size_bytes = opt->size_bytes;
	p->block_bytes = opt->block_bytes;
	p->blocks = (opt->size_bytes + opt->block_bytes - 1) / opt->block_bytes;
	p->create = (p->type->does & DOES_WRITE) != 0;
	p->generation = scratch.newest + 1;
	progress.pass = p->type->name;
	progress.pass_bytes = (double)opt->size_bytes;
}

/*
 * Runs a pass; a fault ends the program.  The name of a new file is readied
 * before the clock starts, and another one if somebody took it meanwhile.
 */
static void pass_measure(const struct plan *p, struct outcome *o)
{
	int tries = 0;

	do {
		if (p->create && scratch_name() == -1)
			fatal(fault_texts[FAULT_CREATE], scratch.path, "no free name was found");
		progress.pass_ns = now_ns();
		pass_run(p, o);
		if (o->fault == FAULT_EXISTS)
			scratch.named = 0;
	} while (o->fault == FAULT_EXISTS && ++tries < 100);
	if (o->fault != FAULT_NONE && !caught)
		fault_fatal(o);
	if (p->create)
		scratch.oldest = scratch.newest = p->generation;
}

/* Runs a pass that nobody times: the file is laid out, or read once. */
static void pass_unmeasured(const struct options *opt, int pass)
{
	struct outcome o;
	struct plan p;

	plan_make(opt, pass, &p);
	pass_measure(&p, &o);
}

/* Evicts the file before an uncached pass, and keeps how that went. */
static void evict_measure(const struct options *opt)
{
	struct outcome o;
	enum eviction evicted = EVICTED_UNKNOWN;
	double share = -1;
	int fd;

	memset(&o, 0, sizeof o);
	if ((fd = scratch_open(O_RDWR, &o.fault)) == -1 ||
	    evict_file(fd, opt->size_bytes, &evicted, &share) == -1) {
		o.error = errno;
		if (o.fault == FAULT_NONE)
			o.fault = FAULT_EVICT;
		fault_fatal(&o);
	}
	close(fd);
	if (evicted < results.evicted)
		results.evicted = evicted;
	if (share > results.resident)
		results.resident = share;
}

/* Looks how much of the file is in memory before a cached pass. */
static void warm_measure(const struct options *opt)
{
	struct outcome o;
	double share;
	int fd;

	memset(&o, 0, sizeof o);
	if ((fd = scratch_open(O_RDWR, &o.fault)) == -1) {
		o.error = errno;
		fault_fatal(&o);
	}
	share = resident_share(fd, opt->size_bytes);
	close(fd);
	if (share >= 0 && (results.cached < 0 || share < results.cached))
		results.cached = share;
}

/* Brings the file into the state that the pass is to find, untimed. */
static void pass_prepare(const struct options *opt, int pass)
{
	unsigned does = pass_types[pass].does;

	if (!(does & DOES_WRITE) && !scratch.exists)
		pass_unmeasured(opt, PASS_WRITE);
	if (caught)
		return;
	if (does & WANTS_COLD)
		evict_measure(opt);
	if (does & WANTS_WARM) {
		if (!(opt->passes & 1u << PASS_READ))
			pass_unmeasured(opt, PASS_CACHE);
		if (!caught)
			warm_measure(opt);
	}
}

/* Keeps a pass's outcome in its columns of the round under way. */
static void pass_keep(const struct options *opt, int pass, const struct outcome *o, uint64_t cpu)
{
	uint64_t elapsed = o->end_ns - o->start_ns;
	int i;

	for (i = 0; i < results.columns; i++) {
		const struct column *c = results.column[i];
		struct record *r = results.records + results.rounds * (uint64_t)results.columns + i;

		if (c->pass != pass)
			continue;
		r->start_ns = o->start_ns;
		r->end_ns = o->end_ns;
		r->bytes = o->bytes[c->direction];
		r->calls = o->calls[c->direction];
		if (is_nan(rate(r, opt->unit)))
			results.untimed |= 1u << pass;
	}
	if (elapsed < 100 * results.clock_step_ns)
		results.short_passes |= 1u << pass;
	results.cpu_ns[pass] += cpu;
	results.busy_ns[pass] += elapsed;
}

/*
 * Runs one round.  Returns 1 if it counts, 0 if a signal ended it or the
 * process was stopped while it ran.
 */
static int round_run(const struct options *opt)
{
	struct outcome o;
	struct plan p;
	uint64_t cpu;
	int pass;

	results_grow();
	continued = 0;
	progress.passes_done = 0;
	for (pass = 0; pass < PASSES && !caught; pass++) {
		if (!(opt->passes & 1u << pass))
			continue;
		pass_prepare(opt, pass);
		if (caught)
			break;
		plan_make(opt, pass, &p);
		cpu = cpu_ns();
		pass_measure(&p, &o);
		pass_keep(opt, pass, &o, cpu_ns() - cpu);
		progress.passes_done++;
	}
	if ((opt->passes & 1u << PASS_WRITE) && scratch_remove() == -1)
		fatal("removing the scratch file", scratch.path, strerror(errno));
	return !caught && !continued;
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
	uint64_t round = results.rounds - 1;
	int i;

	if (!opt->all)
		return;
	if (round == 0)
		print_header("round\tseconds", opt->unit->label);
	printf("%.0f", (double)results.rounds);
	print_number((double)results.ended_ns[round] / 1e9);
	for (i = 0; i < results.columns; i++)
		print_number(
		    rate(results.records + round * (uint64_t)results.columns + i, opt->unit));
	putchar('\n');
	flush_output();
}

/* Fills stats of column i over all rounds. */
static void column_statistics(const struct options *opt, int i, double *rates, double *stats)
{
	struct record total;
	uint64_t round;

	memset(&total, 0, sizeof total);
	for (round = 0; round < results.rounds; round++) {
		const struct record *r = results.records + round * (uint64_t)results.columns + i;

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
	char value[4096 + 64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(value, sizeof value, format, ap);
	va_end(ap);
	printf("# %s ", key);
	print_escaped(stdout, value);
	putchar('\n');
}

/* -v, before the first table: what is tested and how. */
static void report_settings(const struct options *opt)
{
	struct utsname un;
	char started[64] = "unknown", path[4096 + 1];
	time_t now = time(NULL);
	double files = opt->passes & 1u << PASS_WRITE ? (double)opt->rounds : 1;

	strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	if (uname(&un) == -1)
		memset(&un, 0, sizeof un);
	print_fact("version", "%s", VERSION);
	print_fact("started", "%s", started);
	print_fact("host", "%s", un.nodename);
	print_fact("system", "%s %s %s", un.sysname, un.release, un.machine);
	print_fact(
	    "directory", "%s", realpath(opt->directory, path) != NULL ? path : opt->directory);
	print_fact("filesystem", "%s", results.file_system);
	print_fact("size", "%.0f", (double)opt->size_bytes);
	print_fact("block", "%.0f", (double)opt->block_bytes);
	print_fact("order", "sequential");
	print_fact("processes", "1");
	print_fact("depth", "1");
	print_fact("rounds", "%.0f", (double)opt->rounds);
	print_fact("writes", "%.0f", files * (double)opt->size_bytes);
	print_fact("flush", "%s", flush_name);
	print_fact("evict", "%s", evict_name);
	print_fact("verify", "%s", verify_name);
	print_fact("data", "random pool of %.0f bytes, a stamp in every %d",
	    (double)data.slot_count * (double)data.block_bytes, SECTOR);
	print_fact("clock", "%s %.9f", clock_name, (double)results.clock_step_ns / 1e9);
}

/* The share of cache that read has reached on average, or nan. */
static double read_to_cache(double stats[][STATS])
{
	double avg[PASSES];
	int i;

	for (i = 0; i < PASSES; i++)
		avg[i] = not_a_number();
	for (i = 0; i < results.columns; i++)
		avg[results.column[i]->pass] = stats[i][STAT_AVG];
	return avg[PASS_READ] / avg[PASS_CACHE];
}

/* -v, before the summary: how far the figures can be trusted. */
static void report_findings(double ratio)
{
	static const char *const evicted[] = { "no", "unverified", "yes" };
	char key[32];
	int pass;

	print_fact(
	    "evicted", "%s", evicted[results.resident < 0 ? EVICTED_UNKNOWN : results.evicted]);
	if (results.resident < 0)
		print_fact("resident", "nan");
	else
		print_fact("resident", "%.6f", results.resident);
	if (is_nan(ratio))
		print_fact("read/cache", "unchecked");
	else
		print_fact("read/cache", "%.6f", ratio);
	for (pass = 0; pass < PASSES; pass++)
		if (results.busy_ns[pass] > 0) {
			snprintf(key, sizeof key, "cpu %s", pass_types[pass].name);
			print_fact(key, "%.6f",
			    (double)results.cpu_ns[pass] / (double)results.busy_ns[pass]);
		}
}

/* Every doubt about the figures, with what it means for them. */
static void report_doubts(const struct options *opt, double ratio)
{
	int pass;

	if (in_memory(results.file_system))
		warn(opt->directory,
		    "its file system is in memory (%s): "
		    "no figure is a disk's",
		    results.file_system);
	if (scratch.flush_unknown)
		warn(opt->directory, "its file system cannot flush a file: "
				     "write leaves out what had not reached the device");
	if (opt->passes & 1u << PASS_READ) {
		if (results.evicted == EVICTED_NO)
			warn(opt->directory,
			    "%.1f %% of the file was still in "
			    "memory after eviction: read measures memory",
			    100 * results.resident);
		else if (results.evicted == EVICTED_UNKNOWN)
			warn(opt->directory, "eviction could not be verified: "
					     "read may measure memory");
		else if (ratio >= 0.8)
			warn(opt->directory,
			    "read reached %.2f of cache: "
			    "something below the page cache may hold the file",
			    ratio);
	}
	if (results.cached >= 0 && results.cached < 0.95)
		warn(opt->directory,
		    "only %.1f %% of the file was in memory "
		    "for the cache pass: cache measures the disk in part",
		    100 * results.cached);
	for (pass = 0; pass < PASSES; pass++)
		if (results.untimed & 1u << pass)
			warn(pass_types[pass].name, "a pass took no time by "
						    "the clock, so its figures are nan: raise -c");
		else if (results.short_passes & 1u << pass)
			warn(pass_types[pass].name,
			    "a pass took less than "
			    "100 steps of the clock (%.9f s each), so its "
			    "figures are coarse: raise -c",
			    (double)results.clock_step_ns / 1e9);
}

/* The summary, with the doubts before it. */
static void report_summary(const struct options *opt)
{
	double stats[COLUMNS][STATS], *rates, ratio;
	int i, row;

	rates = malloc((size_t)results.rounds * sizeof *rates);
	if (rates == NULL)
		fatal("making the summary", NULL, strerror(ENOMEM));
	for (i = 0; i < results.columns; i++)
		column_statistics(opt, i, rates, stats[i]);
	free(rates);
	ratio = read_to_cache(stats);
	report_doubts(opt, ratio);
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
	flush_output();
}

/* ---- the options ------------------------------------------------------- */

/* In the order of the synopsis; getopt's string is made from it. */
static const struct option {
	char letter;
	const char *argument; /* NULL if it takes none */
	const char *help, *standard;
} option_list[] = {
	{ 'a', NULL, "print all rounds, a row for each", NULL },
	{ 'b', "block", "bytes per call, or with k, m, g, t", DEFAULT_BLOCK },
	{ 'c', "size", "MiB of the file, or with k, m, g, t", DEFAULT_SIZE },
	{ 'h', NULL, "print this help", NULL },
	{ 'i', "seconds", "idle between rounds", DEFAULT_IDLE },
	{ 'o', "list", "columns, of write, read, cache", DEFAULT_COLUMNS },
	{ 'r', "rounds", "number of rounds", DEFAULT_ROUNDS },
	{ 'u', "unit", "MB, MiB (a second) or IOPS", DEFAULT_UNIT },
	{ 'V', NULL, "print the version", NULL },
	{ 'v', NULL, "say what was tested and how", NULL },
	{ 'x', NULL, "print extra rows: med, dev, tot, ci", NULL },
};
enum { OPTIONS = sizeof option_list / sizeof *option_list };

static void synopsis(FILE *f)
{
	char word[32];
	int i, column, len;

	column = fprintf(f, "usage: gbtestdisk [-");
	for (i = 0; i < OPTIONS; i++)
		if (option_list[i].argument == NULL)
			column += fprintf(f, "%c", option_list[i].letter);
	column += fprintf(f, "]");
	for (i = 0; i <= OPTIONS; i++) {
		if (i < OPTIONS && option_list[i].argument == NULL)
			continue;
		len = i == OPTIONS ? snprintf(word, sizeof word, "[directory]")
				   : snprintf(word, sizeof word, "[-%c %s]", option_list[i].letter,
					 option_list[i].argument);
		if (column + 1 + len > 79)
			column = fprintf(f, "\n%17s", "");
		column += fprintf(f, " %s", word);
	}
	putc('\n', f);
}

static void usage(void)
{
	int i;

	synopsis(stdout);
	printf("\nTimes writing, reading and rereading a file in the directory "
	       "(. if absent).\n\n");
	for (i = 0; i < OPTIONS; i++) {
		const struct option *o = &option_list[i];

		printf("  -%c %-8s %s", o->letter, o->argument != NULL ? o->argument : "", o->help);
		if (o->standard != NULL)
			printf(" (%s)", o->standard);
		putchar('\n');
	}
	printf("\nRates are in MB/s: 10^6 bytes a second. See gbtestdisk(1).\n");
	flush_output();
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

/* Ends with a usage error if why is set: the value will not do. */
static void value_check(int letter, const char *value, const char *why, const char *wanted)
{
	if (why != NULL)
		usage_error("-%c '%s': %s: give %s", letter, value, why, wanted);
}

/* The bits of the passes that the list names. */
static unsigned parse_passes(const char *list)
{
	const char *item = list, *why = NULL;
	unsigned passes = 0;
	size_t len;
	int pass;

	for (; why == NULL; item += len + 1) {
		len = strcspn(item, ",");
		for (pass = 0; pass < PASSES; pass++)
			if (strlen(pass_types[pass].name) == len &&
			    strncmp(pass_types[pass].name, item, len) == 0)
				break;
		if (pass == PASSES)
			why = "not a list of columns";
		else if (passes & 1u << pass)
			why = "a column is named twice";
		else
			passes |= 1u << pass;
		if (item[len] == '\0')
			break;
	}
	value_check('o', list, why, "some of write, read, cache, with commas");
	return passes;
}

static const struct unit *parse_unit(const char *name)
{
	int i;

	for (i = 0; i < UNITS; i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	value_check('u', name, "not a unit", "MB, MiB or IOPS");
	return NULL;
}

/* The largest file that off_t can name. */
static uint64_t most_bytes(void)
{
	return sizeof(off_t) >= 8 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX;
}

/* Takes one option with its value. */
static void option_take(struct options *opt, int letter, const char *value)
{
	static const char size_wanted[] =
	    "a number of MiB, or a number with k, m, g or t, of 1k or more";

	switch (letter) {
	case 'a': opt->all = 1; break;
	case 'b':
		value_check('b', value,
		    parse_count(value, 1, 1, 1,
			SIZE_MAX / 4 < most_bytes() ? SIZE_MAX / 4 : most_bytes(),
			&opt->block_bytes),
		    "a number of bytes, or a number with k, m, g or t");
		break;
	case 'c':
		value_check('c', value,
		    parse_count(value, 1, MIB, 1, most_bytes(), &opt->size_bytes), size_wanted);
		break;
	case 'i':
		value_check('i', value, parse_fraction(value, MOST_SECONDS, &opt->idle_seconds),
		    "seconds, like 2 or 0.5");
		break;
	case 'o': opt->passes = parse_passes(value); break;
	case 'r':
		value_check('r', value, parse_count(value, 0, 1, 1, MOST_ROUNDS, &opt->rounds),
		    "a number from 1 to 1000000");
		break;
	case 'u': opt->unit = parse_unit(value); break;
	case 'v': opt->verbose = 1; break;
	case 'x': opt->extra = 1; break;
	case 'h': usage(); exit(0);
	case 'V':
		printf("gbtestdisk %s\n", VERSION);
		flush_output();
		exit(0);
	}
}

/* Explains what getopt did not like; word is what it had before it. */
static void option_error(const char *word)
{
	int i;

	for (i = 0; i < OPTIONS; i++)
		if (option_list[i].letter == optopt)
			usage_error("-%c: give its %s", optopt, option_list[i].argument);
	if (strncmp(word, "--", 2) == 0)
		usage_error("'%s': no such option", word);
	usage_error("-%c: no such option", optopt);
}

/*
 * Fills *opt from the command line.  Options may follow the operand, so
 * getopt is called again after each; the plus keeps glibc from sorting.
 */
static void options_parse(struct options *opt, int argc, char **argv)
{
	char letters[2 * OPTIONS + 2] = "+", *p = letters + 1;
	int i, letter;

	for (i = 0; i < OPTIONS; i++) {
		*p++ = option_list[i].letter;
		if (option_list[i].argument != NULL)
			*p++ = ':';
	}
	*p = '\0';
	for (i = 0; i < OPTIONS; i++)
		if (option_list[i].standard != NULL)
			option_take(opt, option_list[i].letter, option_list[i].standard);
	opterr = 0;
	while (optind < argc) {
		const char *word = argv[optind];
		int before = optind, ended = 0;

		if (strcmp(word, "--help") == 0)
			option_take(opt, 'h', NULL);
		if (strcmp(word, "--version") == 0)
			option_take(opt, 'V', NULL);
		if ((letter = getopt(argc, argv, letters)) != -1) {
			if (letter == '?' || letter == '+')
				option_error(word);
			option_take(opt, letter, optarg);
			continue;
		}
		ended = optind > before; /* it stepped over a -- */
		for (; optind < argc; optind++) {
			if (opt->directory != NULL)
				usage_error("'%s': one directory is enough", argv[optind]);
			opt->directory = argv[optind];
			if (!ended) {
				optind++;
				break;
			}
		}
	}
}

/* What the options mean together. */
static void options_check(struct options *opt)
{
	if (opt->directory == NULL)
		opt->directory = ".";
	if (opt->directory[0] == '\0')
		usage_error("'': the directory's name is empty");
	if (opt->block_bytes > opt->size_bytes)
		opt->block_bytes = opt->size_bytes;
}

/* ---- main -------------------------------------------------------------- */

/* Refuses what cannot work, before anything is written. */
static void check_place(const struct options *opt)
{
	struct stat st;
	double left;
	char why[200];

	if (stat(opt->directory, &st) == -1)
		fatal("looking at the directory", opt->directory, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		fatal("looking at the directory", opt->directory, strerror(ENOTDIR));
	left = free_bytes(opt->directory);
	if (left >= 0 && left < (double)opt->size_bytes) {
		snprintf(why, sizeof why,
		    "%s: the file takes %.0f bytes, "
		    "%.0f are free",
		    strerror(ENOSPC), (double)opt->size_bytes, left);
		fatal("looking for space", opt->directory, why);
	}
}

static void prepare(const struct options *opt, char **argv)
{
	int i;

	check_place(opt);
	file_system_name(opt->directory, results.file_system, sizeof results.file_system);
	results.clock_step_ns = clock_step_ns();
	results.evicted = EVICTED_YES;
	results.resident = results.cached = -1;
	for (i = 0; i < COLUMNS; i++)
		if (opt->passes & 1u << column_types[i].pass)
			results.column[results.columns++] = &column_types[i];
	if (data_make(opt->block_bytes, run_key()) == -1)
		fatal("cannot allocate a block of this size", NULL, strerror(ENOMEM));
	if (scratch_place(opt->directory, opt->size_bytes) == -1)
		fatal("making the file's name", NULL, strerror(ENOMEM));
	if (guard_start(argv) == -1)
		warn(NULL,
		    "no guard process could be started (%s): if this "
		    "process is killed, its file stays",
		    strerror(errno));
}

/* Runs the rounds, until they are done or a signal ends them. */
static void measure(const struct options *opt)
{
	int passes = 0, pass;

	for (pass = 0; pass < PASSES; pass++)
		passes += (opt->passes & 1u << pass) != 0;
	if (!(opt->passes & 1u << PASS_WRITE))
		pass_unmeasured(opt, PASS_WRITE);
	results.start_ns = now_ns();
	progress_start(opt->rounds, passes);
	while (results.rounds < opt->rounds && !caught) {
		if (reader_gone(STDOUT_FILENO))
			raise(SIGPIPE);
		if (!round_run(opt)) {
			if (!caught)
				warn(NULL,
				    "round %.0f was stopped and "
				    "continued: it is run again",
				    (double)results.rounds + 1);
			continue;
		}
		results.ended_ns[results.rounds] = now_ns() - results.start_ns;
		results.rounds++;
		progress.rounds_done = results.rounds;
		progress.rounds_done_ns = now_ns();
		report_round(opt);
		if (results.rounds < opt->rounds)
			rest_ns((uint64_t)(opt->idle_seconds * 1e9));
	}
	progress_stop();
}

int main(int argc, char **argv)
{
	struct options opt;
	int out_closed;

	if (fill_standard_streams(&out_closed) == -1)
		fatal("opening a stand-in for a closed standard stream", "/", strerror(errno));
	memset(&opt, 0, sizeof opt);
	options_parse(&opt, argc, argv);
	options_check(&opt);
	if (out_closed)
		fatal("writing the results", "standard output", strerror(EBADF));
	signals_catch();
	prepare(&opt, argv);
	if (opt.verbose) {
		report_settings(&opt);
		flush_output();
	}
	measure(&opt);
	if (results.rounds > 0 && caught != SIGPIPE)
		report_summary(&opt);
	else if (caught != SIGPIPE)
		message("no round was complete", NULL, signal_name(caught));
	if (caught)
		die_by_signal(caught);
	clean_up();
	return 0;
}
