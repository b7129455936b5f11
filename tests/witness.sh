#!/bin/sh
# What the section on the system makes of systems that lie: calls that do
# nothing, see nothing or are refused, clocks that go back, and the ways to
# evict that other systems have, each acted out here.
. ./lib.sh

# world.c: the program with the system's calls replaced, each by one that does
# what `world` says.  really_drop is the one way that works here.
cat >"$T/world.c" <<'END'
#define _GNU_SOURCE
#define _XOPEN_SOURCE 600
#define _FILE_OFFSET_BITS 64
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct world {
	long long clock_ns, clock_jump_ns;	/* the jump is for one reading */
	struct rusage usage;
	int usage_error;
	int mincore_error, mincore_blind, mincore_full, mincore_calls;
	off_t resident_below, mapped_at;	/* if not 0, only what lies below is in memory */
	size_t mmap_most;			/* bytes; 0: no limit */
	int fadvise_error, fadvise_idle, fsync_error;
	int open_error, open_error_flags;
	int opened, closed, writable_opened, truncated, written;
	size_t multiple;			/* of direct I/O */
	size_t transfer_most;			/* 0: no limit */
	int direct_on, direct_opened, transfer_error, statx_error;
	struct statvfs space;
	const char *proc_cgroup, *sys_cgroup, *mountinfo, *smaps;
} world;

static int fail_with(int error)
{
	errno = error;
	return -1;
}

static void really_drop(int fd)
{
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int world_clock(clockid_t id, struct timespec *ts)
{
	long long now = (world.clock_ns += 1000) + world.clock_jump_ns;
	(void)id;
	world.clock_jump_ns = 0;
	ts->tv_sec = (time_t)(now / 1000000000);
	ts->tv_nsec = (long)(now % 1000000000);
	return 0;
}

static int world_getrusage(int who, struct rusage *ru)
{
	(void)who;
	*ru = world.usage;
	return world.usage_error != 0 ? fail_with(world.usage_error) : 0;
}

static int world_mincore(void *map, size_t len, unsigned char *seen)
{
	size_t pages = (len + (size_t)sysconf(_SC_PAGESIZE) - 1) / (size_t)sysconf(_SC_PAGESIZE);
	world.mincore_calls++;
	if (world.mincore_error != 0)
		return fail_with(world.mincore_error);
	if (world.mincore_blind || world.mincore_full) {
		memset(seen, world.mincore_full, pages);
		return 0;
	}
	if (world.resident_below != 0) {
		memset(seen, world.mapped_at < world.resident_below, pages);
		return 0;
	}
	return mincore(map, len, seen);
}

static void *world_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	if (world.mmap_most != 0 && len > world.mmap_most) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	world.mapped_at = offset;
	return mmap(at, len, protection, flags, fd, offset);
}

static int world_fadvise(int fd, off_t at, off_t len, int advice)
{
	if (world.fadvise_error != 0 || world.fadvise_idle)
		return world.fadvise_error;
	return posix_fadvise(fd, at, len, advice);
}

static int world_fsync(int fd)
{
	return world.fsync_error != 0 ? fail_with(world.fsync_error) : fsync(fd);
}

static int world_msync(void *map, size_t len, int flags)
{
	(void)map;
	(void)len;
	return flags & MS_INVALIDATE ? 0 : fail_with(EINVAL);
}

/* A direct read drops the file's pages, as on UFS, and leaves none. */
static int world_directio(int fd, int on)
{
	world.direct_on = on;
	(void)fd;
	return 0;
}

static ssize_t world_pread(int fd, void *buffer, size_t len, off_t at)
{
	if (world.transfer_error != 0)
		return fail_with(world.transfer_error);
	if (world.transfer_most != 0 && len > world.transfer_most)
		return fail_with(EINVAL);
	if (world.multiple != 0 && len % world.multiple != 0)
		return fail_with(EINVAL);
	ssize_t n = pread(fd, buffer, len, at);
	if ((world.direct_on || world.direct_opened) && len % 512 == 0 && (size_t)buffer % 512 == 0)
		really_drop(fd);
	return n;
}

static ssize_t world_pwrite(int fd, const void *buffer, size_t len, off_t at)
{
	world.written = 1;
	if (world.transfer_error != 0)
		return fail_with(world.transfer_error);
	if (world.transfer_most != 0 && len > world.transfer_most)
		return fail_with(EINVAL);
	if (world.multiple != 0 && (len % world.multiple != 0 || (size_t)at % world.multiple != 0))
		return fail_with(EINVAL);
	return pwrite(fd, buffer, len, at);
}

/* Truncating drops the file's buffers, as on OpenBSD. */
static int world_ftruncate(int fd, off_t size)
{
	struct stat st;
	if (fstat(fd, &st) == 0 && size < st.st_size)
		really_drop(fd);
	world.truncated++;
	return ftruncate(fd, size);
}

static int world_close(int fd)
{
	if (++world.closed == world.opened)
		world.direct_opened = 0;
	return close(fd);
}

static long world_syscall(long number, ...)
{
	va_list ap;
	long a, b, c, d, e;
	va_start(ap, number);
	a = va_arg(ap, long);
	b = va_arg(ap, long);
	c = va_arg(ap, long);
	d = va_arg(ap, long);
	e = va_arg(ap, long);
	va_end(ap);
#ifdef __NR_statx
	if (number == __NR_statx && world.statx_error != 0)
		return fail_with(world.statx_error);
#endif
	return syscall(number, a, b, c, d, e);
}

static int world_statvfs(const char *path, struct statvfs *v)
{
	(void)path;
	*v = world.space;
	return 0;
}

static FILE *world_fopen(const char *path, const char *mode)
{
	char other[4096];
	if (world.proc_cgroup != NULL && strcmp(path, "/proc/self/cgroup") == 0)
		return fopen(world.proc_cgroup, mode);
	if (world.mountinfo != NULL && strcmp(path, "/proc/self/mountinfo") == 0)
		return fopen(world.mountinfo, mode);
	if (world.smaps != NULL && strcmp(path, "/proc/self/smaps") == 0)
		return fopen(world.smaps, mode);
	if (world.sys_cgroup != NULL && strncmp(path, "/sys/fs/cgroup", 14) == 0) {
		snprintf(other, sizeof other, "%s%s", world.sys_cgroup, path + 14);
		return fopen(other, mode);
	}
	return fopen(path, mode);
}

#define clock_gettime world_clock
#define getrusage world_getrusage
#define mincore world_mincore
#define mmap world_mmap
#define posix_fadvise world_fadvise
#define fsync world_fsync
#define msync world_msync
#define directio world_directio
#define pread world_pread
#define pwrite world_pwrite
#define ftruncate world_ftruncate
#define close world_close
#define statvfs(path, v) world_statvfs(path, v)
#define fopen world_fopen
#define syscall world_syscall
#define main program_main
#include "gbtestdisk.c"
#undef main
#undef close

static const char *world_file = "file";

/* How evict_file opens the file: with O_DIRECT, and nobody else has it open, its pages go. */
static int world_open(int flags)
{
	int direct = flags & O_DIRECT;
	if (world.open_error != 0 && (flags & O_ACCMODE) == world.open_error_flags)
		return fail_with(world.open_error);
	int fd = open(world_file, flags & ~O_DIRECT);
	if (direct && world.opened == world.closed) {
		really_drop(fd);
		world.direct_opened = 1;
	}
	world.opened += fd != -1;
	world.writable_opened += (flags & O_ACCMODE) != O_RDONLY;
	return fd;
}

static const char *case_name;
static int case_failed;

/* Each case begins with a new world, and a file of SIZE bytes that is in memory. */
#define SIZE (9 * 1024 * 1024 + 77)

static void case_begin(const char *name)
{
	static char buffer[65536];
	size_t left = SIZE;
	if (case_name != NULL && !case_failed)
		printf("passed %s\n", case_name);
	case_name = name;
	case_failed = 0;
	memset(&world, 0, sizeof world);
	world.clock_ns = 1000000000000000;
	trouble.call = NULL;
	trouble.error = 0;
	clock_went_back = 0;
	if (name == NULL)
		return;
	int fd = open(world_file, O_RDWR | O_CREAT | O_TRUNC, 0644);
	while (left > 0) {
		ssize_t n = write(fd, buffer, left < sizeof buffer ? left : sizeof buffer);
		if (n <= 0)
			exit(1);
		left -= (size_t)n;
	}
	close(fd);
}

static void case_want(int truth, const char *what)
{
	if (!truth && !case_failed)
		printf("failed %s: not so: %s\n", case_name, what);
	if (!truth)
		case_failed = 1;
}
#define WANT(truth) case_want(truth, #truth)

static struct eviction_report evicting;
static const char *evict_failed;

static int evict_it(int ours)
{
	evict_failed = evict_file(world_open, SIZE, ours, &evicting);
	return evict_failed == NULL ? 0 : -1;
}

static void all_closed(void)
{
	struct stat st;
	WANT(world.opened > 0 && world.opened == world.closed);
	WANT(stat(world_file, &st) == 0 && st.st_size == SIZE);
}

/* One way to evict, which the compiler's flags name: it is all that works here. */
static void one_way(const char *name)
{
	case_begin(name);
	world.fadvise_idle = 1;
	WANT(evict_it(1) == 0);
	WANT(evicting.before > 0.99);
	WANT(evicting.after == 0 && evicting.evicted == EVICTED_YES);
	WANT(!world.direct_on);
	all_closed();
}

static void test_clocks(void)
{
	long long i, begin_ns, real_ns;
	uint64_t last, now;
	int back = 0;

	case_begin("time does not go back where the clock does, for a moment");
	last = now_ns();
	real_ns = world.clock_ns;
	begin_ns = (long long)last;
	for (i = 0; i < 100000; i++) {
		if (i % 100 == 99)
			world.clock_jump_ns = -300000;
		now = now_ns();
		back += now < last;
		last = now;
	}
	WANT(back == 0);
	WANT(clock_went_back);
	WANT((long long)last - begin_ns >= world.clock_ns - real_ns - 300000);
	WANT((long long)last - begin_ns <= world.clock_ns - real_ns + 300000);

	case_begin("a clock that never goes back is not said to have gone back");
	world.clock_ns = (long long)last + 1;
	last = now_ns();
	for (i = 0; i < 1000; i++)
		now_ns();
	WANT(now_ns() == last + 1001000);
	WANT(!clock_went_back);

	case_begin("time goes on where the clock was set back by an hour");
	world.clock_ns = (long long)last + 2000000;
	last = now_ns();
	world.clock_ns -= 3600LL * 1000000000;
	now = now_ns();
	WANT(now >= last && now - last < 1000000);
	WANT(clock_went_back);
	world.clock_ns += 10000000;
	now = now_ns();
	WANT(now - last >= 10000000 && now - last < 11000000);
}

static void test_usage(void)
{
	static const struct {
		const char *name;
		long user_s, user_us, system_s, system_us, blocks;
		double cpu, bytes;
	} cases[] = {
		{ "CPU time is that of user and system", 1, 500000, 2, 250000, 0, 3.75e9, 0 },
		{ "a block that was read is 512 bytes", 0, 1, 0, 0, 16384, 1e3, 8388608 },
		{ "less than no block read is none", 0, 1, 0, 0, -5, 1e3, 0 },
		{ "more than a million microseconds is nonsense", 0, 1000000, 0, 0, 7, 0, 0 },
		{ "less than no microsecond is nonsense", 0, 0, 0, -1, 7, 0, 0 },
		{ "less than no second is nonsense", -1, 0, 0, 0, 7, 0, 0 },
		{ "thirty years of CPU time are nonsense", 0, 0, 1000000000, 0, 7, 0, 0 },
	};
	size_t i;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		case_begin(cases[i].name);
		world.usage.ru_utime.tv_sec = cases[i].user_s;
		world.usage.ru_utime.tv_usec = cases[i].user_us;
		world.usage.ru_stime.tv_sec = cases[i].system_s;
		world.usage.ru_stime.tv_usec = cases[i].system_us;
		world.usage.ru_inblock = cases[i].blocks;
		WANT((double)usage_since(NULL).cpu_ns == cases[i].cpu);
		WANT((double)usage_since(NULL).device_bytes == cases[i].bytes);
	}
	case_begin("where getrusage fails nothing was used");
	world.usage.ru_utime.tv_sec = 3;
	world.usage_error = ENOSYS;
	WANT(usage_since(NULL).cpu_ns == 0 && usage_since(NULL).device_bytes == 0);
}

static void test_verifiers(void)
{
	int fd;

	case_begin("a file in memory is seen");
	fd = open(world_file, O_RDWR);
	WANT(resident_share(fd, SIZE) > 0.99);
	WANT(trouble.call == NULL);
	WANT(resident_share(fd, 0) == -1);

	case_begin("where mincore is refused its share is unknown, and it is said");
	world.mincore_error = EPERM;
	WANT(resident_share(fd, SIZE) == -1);
	WANT(trouble.call != NULL && strcmp(trouble.call, "mincore") == 0);
	WANT(trouble.error == EPERM);

	case_begin("a mincore that sees what cannot be is not believed");
	world.mincore_full = 1;
	WANT(resident_share(fd, SIZE) == -1);
	WANT(trouble.call != NULL && strcmp(trouble.call, "mincore") == 0);

	case_begin("where there is little room less is mapped at a time");
	world.mmap_most = 100000;
	WANT(resident_share(fd, SIZE) > 0.99);
	WANT(world.mincore_calls > 90);
	WANT(trouble.call == NULL);

	case_begin("of 64 GiB all is looked at");
	world.resident_below = (off_t)16 << 30;
	WANT(fabs(resident_share(fd, (uint64_t)64 << 30) - 0.25) < 1e-12);
	WANT(world.mincore_calls == 16384 + 1);

	case_begin("of a large disk as much, all over it");
	world.resident_below = (off_t)4 << 40;
	WANT(fabs(resident_share(fd, (uint64_t)16 << 40) - 0.25) < 0.0005);
	WANT(world.mincore_calls == 16384 + 1);
	WANT(world.mapped_at > (off_t)0xffc << 32);

	case_begin("and of one that is a little larger than that, of an odd size");
	world.resident_below = (off_t)50 << 30;
	WANT(fabs(resident_share(fd, ((uint64_t)100 << 30) + 4711) - 0.5) < 0.0005);
	WANT(world.mincore_calls <= 16384 + 2);

	case_begin("where nothing can be mapped its share is unknown");
	world.mmap_most = 1;
	WANT(resident_share(fd, SIZE) == -1);
	close(fd);
}

static void test_evictions(void)
{
	case_begin("what was seen before and is not seen after was evicted");
	WANT(evict_it(1) == 0 && evicting.evicted == EVICTED_YES);
	WANT(evicting.before > 0.99 && evicting.after == 0);
	WANT(trouble.call == NULL);
	all_closed();

	case_begin("a verifier that never saw a page is not believed");
	world.mincore_blind = 1;
	WANT(evict_it(1) == 0 && evicting.evicted == EVICTED_UNKNOWN);
	WANT(evicting.before == 0 && evicting.after == 0);

	case_begin("an eviction that does nothing is tried three times");
	world.fadvise_idle = 1;
	WANT(evict_it(1) == 0 && evicting.evicted == EVICTED_NO);
	WANT(evicting.after > 0.99 && world.opened == 3);
	all_closed();

	case_begin("an eviction that is refused is named");
	world.fadvise_error = EPERM;
	WANT(evict_it(1) == 0 && evicting.evicted == EVICTED_NO);
	WANT(trouble.call != NULL && strcmp(trouble.call, "posix_fadvise") == 0);
	WANT(trouble.error == EPERM);

	case_begin("where the verifier is refused nothing is known");
	world.mincore_error = ENOSYS;
	WANT(evict_it(1) == 0 && evicting.evicted == EVICTED_UNKNOWN);
	WANT(evicting.before == -1 && evicting.after == -1);
	WANT(trouble.call != NULL && strcmp(trouble.call, "mincore") == 0);

	case_begin("a flush that fails is an error");
	world.fsync_error = EIO;
	WANT(evict_it(1) == -1 && errno == EIO);
	WANT(strcmp(evict_failed, "flushing before eviction") == 0);
	all_closed();

	case_begin("a file that cannot be opened is an error, without a second try");
	world.open_error = EIO;
	world.open_error_flags = O_RDWR;
	WANT(evict_it(1) == -1 && errno == EIO);
	WANT(strncmp(evict_failed, "opening", 7) == 0);
	WANT(world.opened == 0);

	case_begin("a share that does not open for reading and writing is read");
	world.open_error = EOPNOTSUPP;
	world.open_error_flags = O_RDWR;
	WANT(evict_it(1) == 0 && evicting.evicted == EVICTED_YES);
	WANT(world.writable_opened == 0);
	all_closed();

	case_begin("a file that is not ours is only read, whatever its flush says");
	world.fsync_error = EBADF;
	WANT(evict_it(0) == 0 && world.writable_opened == 0 && world.truncated == 0);
	world.fsync_error = EIO;
	WANT(evict_it(0) == 0);
	world.fsync_error = 0;
	all_closed();
}

static void test_identities(void)
{
	struct identity id, other, link;
	struct statfs fs;
	struct {
		unsigned bytes, rest[33];
	} handle = { 0, { 0 } };
	int fd, i, generation, known, taken = 0;

	case_begin("a file has one identity, by its name and open");
	fd = open(world_file, O_RDWR);
	WANT(identity_of(fd, NULL, &id) == 0 && identity_of(-1, world_file, &other) == 0);
	WANT(same_file(&id, &other) && id.owner == geteuid() && S_ISREG(id.mode));
	WANT(write(fd, "x", 1) == 1);
	WANT(identity_of(fd, NULL, &other) == 0 && same_file(&id, &other));
	close(fd);

	case_begin("a link is not followed");
	WANT(symlink(world_file, "link") == 0);
	WANT(identity_of(-1, "link", &link) == 0 && S_ISLNK(link.mode) && !same_file(&id, &link));
	unlink("link");
	WANT(identity_of(-1, "link", &link) == -1 && errno == ENOENT);

	case_begin("errno is left alone");
	errno = EXDEV;
	world.statx_error = ENOSYS;
	WANT(identity_of(-1, world_file, &other) == 0 && errno == EXDEV);

	handle.bytes = 128;
	fd = open(world_file, O_RDONLY);
	known = fstatfs(fd, &fs) == 0 && fs.f_type == 0xef53 &&	/* ext2, ext3, ext4 */
	    syscall(__NR_name_to_handle_at, fd, "", &handle, &i, 0x1000) == 0;
	close(fd);
	for (generation = 0; generation < 2; generation++) {
		case_begin(generation ? "so it is by its generation, where that is known" :
					"a later file with the same inode number is another");
		world.statx_error = generation ? ENOSYS : 0;
		for (i = 0; i < 300; i++) {
			fd = open("later", O_RDWR | O_CREAT | O_EXCL, 0600);
			identity_of(fd, NULL, &other);
			taken += i > 0 && same_file(&id, &other) && (other.birth | other.generation) != 0;
			id = other;
			close(fd);
			unlink("later");
		}
		WANT(taken == 0);
		WANT((id.birth | id.generation) != 0 || !known);
	}
}

static void test_space(void)
{
	case_begin("free is what users may take");
	world.space.f_blocks = 1000;
	world.space.f_bfree = 500;
	world.space.f_bavail = 400;
	world.space.f_frsize = 4096;
	WANT(free_bytes(".") == 400 * 4096);
	world.space.f_bavail = 0;
	WANT(free_bytes(".") == 0);

	case_begin("where no block is known of, what is free is unknown");
	world.space.f_frsize = 4096;
	WANT(free_bytes(".") == -1);
}

static void test_direct(void)
{
	static unsigned char buffer[65536];
	int fd;

	case_begin("the multiple of direct I/O is found by writing");
	fd = open(world_file, O_RDWR);
	world.multiple = 4096;
	WANT(direct_multiple(fd, 1, buffer, sizeof buffer, 8192) == 4096);

	case_begin("of a file that is not ours it is found by reading");
	world.multiple = 2048;
	WANT(direct_multiple(fd, 0, buffer, sizeof buffer, 512) == 2048 && !world.written);

	case_begin("nor is direct I/O of use where it refuses whole blocks");
	world.multiple = 512;
	world.transfer_most = 4096;
	WANT(direct_multiple(fd, 1, buffer, sizeof buffer, 4096) == 512);
	WANT(direct_multiple(fd, 1, buffer, sizeof buffer, 8192) == 0 && errno == EINVAL);
	WANT(direct_multiple(fd, 0, buffer, sizeof buffer, 8192) == 0 && errno == EINVAL);

	case_begin("what is always refused has no multiple");
	world.multiple = 1 << 20;
	WANT(direct_multiple(fd, 1, buffer, sizeof buffer, 512) == 0 && errno == EINVAL);
	world.transfer_error = EIO;
	WANT(direct_multiple(fd, 0, buffer, sizeof buffer, 512) == 0 && errno == EIO);
	close(fd);
}

static void file_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static void quota_case(const char *name, const char *groups, double processors_wanted)
{
	case_begin(name);
	world.proc_cgroup = "cgroup";
	world.sys_cgroup = "sys";
	file_put("cgroup", groups);
	WANT(processors_usable() == processors_wanted);
}

static void test_quotas(void)
{
	double all = processors_usable();
	case_begin(NULL);
	mkdir("sys", 0700);
	mkdir("sys/a", 0700);
	mkdir("sys/a/b", 0700);
	mkdir("sys/cpu", 0700);
	mkdir("sys/cpu/c", 0700);
	file_put("sys/cpu.max", "max 100000\n");
	file_put("sys/a/cpu.max", "25000 100000\n");
	file_put("sys/a/b/cpu.max", "max 100000\n");
	file_put("sys/cpu/c/cpu.cfs_quota_us", "15000\n");
	file_put("sys/cpu/c/cpu.cfs_period_us", "100000\n");
	mkdir("sys/cpu/x,cpu,y", 0700);
	file_put("sys/cpu/x,cpu,y/cpu.cfs_quota_us", "15000\n");
	file_put("sys/cpu/x,cpu,y/cpu.cfs_period_us", "100000\n");
	file_put("sys/cpu/cpu.cfs_quota_us", "-1\n");
	file_put("sys/cpu/cpu.cfs_period_us", "100000\n");
	quota_case("the quota of a cgroup counts", "0::/a\n", 0.25);
	quota_case("that of a group above it counts", "0::/a/b\n", 0.25);
	quota_case("no quota is none", "0::/\n", all);
	quota_case("a group that is not seen here has none", "0::/elsewhere\n", all);
	quota_case("that of version 1 counts", "9:pids:/\n4:cpu,cpuacct:/c\n", 0.15);
	quota_case("a group of another controller does not", "9:cpuset:/c\n4:cpu:/\n", all);
	quota_case("nor one that is only called like it", "9:xcpu,memory:/c\n8:memory:/x,cpu,y\n", all);
	quota_case("lines that make no sense have none", "\n:cpu\n0:\n,cpu,\n", all);
	case_begin("without /proc there is at least one processor");
	world.proc_cgroup = "nothing";
	WANT(processors_usable() == all && all > 0);
}

static void pages_case(const char *name, const char *maps, const char *wanted)
{
	const unsigned char *memory = (const unsigned char *)0x7f0000200000;
	char pages[64];
	case_begin(name);
	world.smaps = "smaps";
	file_put("smaps", maps);
	memory_pages(memory, 4096 * 1024, pages, sizeof pages);
	WANT(strcmp(pages, wanted) == 0);
}

static void test_pages(void)
{
	char small[64];
	snprintf(small, sizeof small, "pages of %ld bytes", sysconf(_SC_PAGESIZE));
	pages_case("memory is in huge pages if half of it is", "7f0000000000-7f0000800000 rw-p 0 0:0 0\n"
		"Rss: 8192 kB\nAnonHugePages: 2048 kB\n", "huge pages");
	pages_case("huge pages before and behind it do not count", "7f0000000000-7f0000200000 rw-p 0 0:0 0\n"
		"AnonHugePages: 8192 kB\n7f0000200000-7f0000600000 rw-p 0 0:0 0\n"
		"AnonHugePages: 2046 kB\n7f0000600000-7f0000800000 rw-p 0 0:0 0\n"
		"AnonHugePages: 8192 kB\n", small);
	pages_case("its mappings count together", "7f0000200000-7f0000400000 rw-p 0 0:0 0\n"
		"AnonHugePages: 1024 kB\n7f0000400000-7f0000600000 rw-p 0 0:0 0\n"
		"AnonHugePages: 1024 kB\n", "huge pages");
	pages_case("where the kernel says nothing of it its pages are unknown",
		"7f0000000000-7f0000200000 rw-p 0 0:0 0\nAnonHugePages: 8192 kB\n"
		"7f0000200000-7f0000600000 rw-p 0 0:0 0\nRss: 8192 kB\n", "unknown");
}

static void test_file_systems(void)
{
	static const struct {
		const char *type, *name;
		int in_memory, has_own_cache, is_network;
	} cases[] = {
		{ "ext4 /dev/x rw", "ext4", 0, 0, 0 },
		{ "tmpfs tmpfs rw", "tmpfs", 1, 0, 0 },
		{ "nfs4 a:/b rw", "nfs4", 0, 0, 1 },
		{ "cifs //a/b rw", "cifs", 0, 0, 1 },
		{ "9p a rw", "9p", 0, 0, 1 },
		{ "fuseblk /dev/x rw", "fuseblk", 0, 1, 0 },
		{ "fuse.sshfs a: rw", "fuse.sshfs", 0, 1, 1 },
		{ "fuse.bindfs a: rw", "fuse.bindfs", 0, 1, 0 },
		{ "overlay o rw,lowerdir=/l,upperdir=/proc,workdir=/w", "overlay", 0, 0, 0 },
		{ "overlay o rw,lowerdir=/l,upperdir=/nowhere,workdir=/w", "overlay", 0, 0, 0 },
		{ "overlay o rw,lowerdir=/l,upperdir=/dev/shm,workdir=/w", "overlay", 1, 0, 0 },
	};
	struct file_system fs;
	struct stat st;
	struct statfs shm;
	char line[500], name[100];
	size_t i;
	stat(".", &st);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(name, sizeof name, "what %.40s is", cases[i].type);
		if (strstr(name, "dev/shm") != NULL &&
		    (statfs("/dev/shm", &shm) != 0 || shm.f_type != 0x01021994))
			continue;
		case_begin(NULL);
		case_begin(name);
		world.mountinfo = "mountinfo";
		snprintf(line, sizeof line, "1 1 0:9999 / / rw - proc proc rw\n"
		    "36 35 %u:%u / /mnt rw shared:1 - %s\n", major(st.st_dev), minor(st.st_dev),
		    cases[i].type);
		file_put("mountinfo", line);
		file_system_look(".", &fs);
		WANT(strcmp(fs.name, cases[i].name) == 0);
		WANT(fs.in_memory == cases[i].in_memory && fs.has_own_cache == cases[i].has_own_cache);
		WANT(fs.is_network == cases[i].is_network);
		case_begin(NULL);
	}
}

static void test_others(void)
{
	struct rlimit before, after;
	case_begin("no core file is written, and it may be allowed again");
	getrlimit(RLIMIT_CORE, &before);
	before.rlim_cur = before.rlim_max;
	setrlimit(RLIMIT_CORE, &before);
	no_core();
	getrlimit(RLIMIT_CORE, &after);
	WANT(after.rlim_cur == 0 && after.rlim_max == before.rlim_max);
}

int main(int argc, char **argv)
{
	if (argc > 2) {	/* what a user without rights sees of a file */
		int fd = open(argv[2], O_RDONLY);
		struct stat st;
		if (fd == -1 || fstat(fd, &st) == -1)
			return 1;
		printf("%f\n", resident_share(fd, (uint64_t)st.st_size));
		return 0;
	}
	if (argc > 1) {
		printf("%f\n", processors_usable());
		return 0;
	}
#if EVICT_BY == BY_DIRECTIO
	one_way("directio works by the direct read after it");
#elif EVICT_BY == BY_REOPEN
	one_way("an open with O_DIRECT works if the file is not open otherwise");
#elif EVICT_BY == BY_TRUNCATE
	one_way("truncating works, and leaves the size");
	case_begin("a file that is not ours is not truncated");
	WANT(evict_it(0) == 0 && world.truncated == 0 && world.writable_opened == 0);
#elif defined(F_FULLFSYNC)
	case_begin("the name of the flush is that of the one that works");
	int fd = open(world_file, O_RDWR);
	WANT(FLUSH_NAME_FIXED == 0 && flush_file(fd) == FLUSH_FULL);
	close(fd);
#elif defined(BIRTH_TIME)
	case_begin("two births within a second are two files");
	struct timespec born[2] = { { 1, 5 }, { 1, 5 } };
	struct identity id, other;
	world.statx_error = ENOSYS;
	WANT(utimensat(AT_FDCWD, world_file, born, 0) == 0 && identity_of(-1, world_file, &id) == 0);
	WANT(identity_of(-1, world_file, &other) == 0 && same_file(&id, &other));
	born[1].tv_nsec = 6;
	WANT(utimensat(AT_FDCWD, world_file, born, 0) == 0 && identity_of(-1, world_file, &other) == 0);
	WANT(!same_file(&id, &other));
#else
	case_begin("elsewhere the flush is fsync");
	int fd = open(world_file, O_RDWR);
	WANT(FLUSH_NAME_FIXED == 1 && flush_file(fd) == FLUSH_DONE);
	world.fsync_error = EINVAL;
	WANT(flush_file(fd) == FLUSH_UNKNOWN);
	close(fd);
	test_clocks();
	test_usage();
	test_verifiers();
	test_evictions();
	test_identities();
	test_space();
	test_direct();
	test_quotas();
	test_pages();
	test_file_systems();
	test_others();
#endif
	case_begin(NULL);
	return 0;
}
END

# world FLAG...: builds $T/world so, and takes its cases.
world() {
	case_wanted=${TEST_CASE-} TEST_CASE=
	t "the world compiles with ${*:-no flags}"
	# shellcheck disable=SC2086 # CC may hold flags
	${CC:-cc} "$@" -I "$SRC" -o "$T/world" "$T/world.c" >"$T/out" 2>&1 || {
		fail 'it does not'
		return 1
	}
	(cd "$D" && "$T/world") >"$T/cases" 2>"$T/err" || fail 'it ends early'
	[ -s "$T/cases" ] || fail 'it has no case'
	TEST_CASE=$case_wanted
	while read -r word name; do
		t "${name%%: *}" || continue
		[ "$word" = passed ] || fail "${name#*: }"
	done <"$T/cases"
}

# Where nothing can be evicted, nothing of this can be seen.
can_evict() {
	run -v -c 8 -r 1 -o read "$D"
	[ "$(fact evicted)" = yes ] && return 0
	skip 'nothing can be evicted here'
	return 1
}

case_wanted=${TEST_CASE-} TEST_CASE=
t 'other worlds can be acted out here'
if [ "$(uname -s)" != Linux ]; then
	skip 'only on Linux'
	finish
elif can_evict && echo 'int main(void) { return 0; }' | build nothing; then
	TEST_CASE=$case_wanted
	world -DEVICT_BY=BY_DIRECTIO '-DEVICT_NAME="directio"' -DDIRECTIO_ON=1 -DDIRECTIO_OFF=0
	world -DEVICT_BY=BY_REOPEN '-DEVICT_NAME="O_DIRECT"'
	world -DEVICT_BY=BY_TRUNCATE '-DEVICT_NAME="ftruncate"'
	world -DF_FULLFSYNC=F_GETFD
	world -DBIRTH_TIME=st_mtim -Dst_birthtime
	world
fi
TEST_CASE=$case_wanted

if t 'of a file that one may neither write nor owns, nothing is known' &&
    need_root && need setpriv && [ -x "$T/world" ]; then
	chmod 755 "$T" "$D" "$T/world"
	dd if=/dev/zero of="$D/file" bs=64k count=16 2>"$T/err"
	chmod 644 "$D/file"
	[ "$("$T/world" share "$D/file")" = 1.000000 ] || fail 'its owner does not know'
	run_with setpriv --reuid=65534 --regid=65534 --clear-groups "$T/world" share "$D/file"
	want_out '^-1.000000$'
	chmod 666 "$D/file"
	run_with setpriv --reuid=65534 --regid=65534 --clear-groups "$T/world" share "$D/file"
	want_out '^1.000000$'
fi

if t 'an affinity counts' && [ -x "$T/world" ] && need taskset; then
	run_with taskset -c 0 "$T/world" processors
	want "$(cat "$T/out") <= 1 && $(cat "$T/out") > 0"
fi

group=/sys/fs/cgroup/cpu/gbtestdisk.$$
if t 'the quota of a cgroup of this machine counts' && [ -x "$T/world" ]; then
	if ! mkdir "$group" 2>/dev/null; then
		skip 'no cgroup of version 1 can be made'
	else
		mkdir "$group/below"
		echo 30000 >"$group/cpu.cfs_quota_us"
		period=$(cat "$group/cpu.cfs_period_us")
		# shellcheck disable=SC2016 # the inner shell's
		run_with sh -c 'echo $$ >"$0/below/cgroup.procs" && exec "$1" processors' "$group" "$T/world"
		rmdir "$group/below" "$group"
		want "$(cat "$T/out") == 30000 / $period"
	fi
fi

# The whole program, with a library before it that sees, does and counts
# wrongly, by the words of WITNESS.
case_wanted=${TEST_CASE-} TEST_CASE=
t 'witness.so compiles'
cat >"$T/witness.c" <<'END'
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/resource.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int is(const char *word)
{
	const char *words = getenv("WITNESS");
	return words != NULL && strstr(words, word) != NULL;
}

int mincore(void *map, size_t len, unsigned char *seen)
{
	int (*real)(void *, size_t, unsigned char *) =
	    (int (*)(void *, size_t, unsigned char *))dlsym(RTLD_NEXT, "mincore");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (is("mincore-refused")) {
		errno = EPERM;
		return -1;
	}
	if (!is("blind"))
		return real(map, len, seen);
	memset(seen, 0, (len + page - 1) / page);
	return 0;
}

static int advise(int advice)
{
	return advice == POSIX_FADV_DONTNEED && is("fadvise-refused") ? EPERM :
	    advice == POSIX_FADV_DONTNEED && is("fadvise-idle") ? 0 : -1;
}

int posix_fadvise(int fd, off_t at, off_t len, int advice)
{
	int (*real)(int, off_t, off_t, int) =
	    (int (*)(int, off_t, off_t, int))dlsym(RTLD_NEXT, "posix_fadvise");
	return advise(advice) >= 0 ? advise(advice) : real(fd, at, len, advice);
}

int posix_fadvise64(int fd, off64_t at, off64_t len, int advice)
{
	int (*real)(int, off64_t, off64_t, int) =
	    (int (*)(int, off64_t, off64_t, int))dlsym(RTLD_NEXT, "posix_fadvise64");
	return advise(advice) >= 0 ? advise(advice) : real(fd, at, len, advice);
}

#if defined(__GLIBC__) && defined(__USE_GNU)
int getrusage(__rusage_who_t who, struct rusage *ru)
#else
int getrusage(int who, struct rusage *ru)
#endif
{
	int (*real)(int, struct rusage *) = (int (*)(int, struct rusage *))dlsym(RTLD_NEXT, "getrusage");
	int r = real((int)who, ru);
	if (is("unread") || is("uncounted"))
		ru->ru_inblock = 0;
	if (is("uncounted"))
		ru->ru_oublock = 0;
	if (is("nonsense")) {
		ru->ru_utime.tv_sec = 4711LL << 32;
		ru->ru_utime.tv_usec = 123456789;
		ru->ru_inblock = ru->ru_oublock = -77;
	}
	return r;
}
END
# shellcheck disable=SC2086 # CC may hold flags
${CC:-cc} -shared -fPIC -o "$T/witness.so" "$T/witness.c" -ldl >"$T/err" 2>&1 ||
    skip "${CC:-cc} does not compile it"
dynamic=1
LD_PRELOAD=$T/witness.so WITNESS=mincore-refused "$G" -v -c 1 -r 1 "$D" 2>/dev/null |
    grep -q '^# resident nan' || dynamic=
TEST_CASE=$case_wanted

# witnessed WORDS ARGUMENT...: the program so; the case skipped where it cannot.
witnessed() {
	words=$1
	shift
	if [ -z "$dynamic" ]; then
		skip 'nothing can be put before this program'
		return 1
	fi
	can_evict || return 1
	run_with env LD_PRELOAD="$T/witness.so" WITNESS="$words" "$G" "$@"
	want_status 0
	want_empty
}

if t 'where mincore sees nothing, the device proves the eviction' && witnessed blind -v -c 8 -r 2 "$D"; then
	[ "$(fact evicted)" = yes ] || fail "evicted $(fact evicted)"
	want "$(fact 'device read') >= 0.95"
	want "$(fact 'device cache') < 0.05"
	! grep 'in memory for the cache pass' "$T/err" || fail 'a false warning of the cache pass'
	! grep 'could not be verified' "$T/err" || fail 'a false warning of the eviction'
fi

if t 'where mincore sees nothing and nothing is evicted, it is not said that it was' && witnessed 'blind fadvise-idle' -v -c 8 -r 2 "$D"; then
	[ "$(fact evicted)" != yes ] || fail 'evicted yes'
	want "$(fact 'device read') < 0.95"
	want_err '^gbtestdisk: warning: .*evict'
	! grep 'in memory for the cache pass' "$T/err" || fail 'a false warning of the cache pass'
fi

for words in 'blind uncounted' 'blind nonsense'; do
	if t "where nobody sees or counts ($words), eviction is unverified" && witnessed "$words" -v -c 8 -r 2 "$D"; then
		[ "$(fact evicted)" = unverified ] || fail "evicted $(fact evicted)"
		want_err '^gbtestdisk: warning: .*eviction could not be verified'
		! grep 'in memory for the cache pass' "$T/err" || fail 'a false warning of the cache pass'
	fi
	if t "where nobody sees or counts ($words), with -d too" && witnessed "$words" -d -v -b 64k -c 8 -r 2 -o read "$D"; then
		[ "$(fact evicted)" = unverified ] || fail "evicted $(fact evicted)"
		want_err 'read may measure memory: raise -c'
	fi
	if t "where nobody sees or counts ($words), a pass that reads nothing needs no eviction" &&
	    witnessed "$words" -o mix -w 100 -c 8 -r 2 "$D"; then
		! grep -q evict "$T/err" || fail 'a warning of the eviction'
	fi
done

for words in uncounted nonsense; do
	if t "what is not counted ($words) does not make a true yes a no" && witnessed "$words" -v -c 8 -r 2 "$D"; then
		[ "$(fact evicted)" = yes ] || fail "evicted $(fact evicted)"
		! grep -e 'evict' -e 'in memory' "$T/err" || fail 'a false warning'
	fi
done

if t 'where writes are counted and no read is, an eviction is not believed' && witnessed unread -v -c 8 -r 2 "$D"; then
	[ "$(fact evicted)" = unverified ] || fail "evicted $(fact evicted)"
	want_err '^gbtestdisk: warning: .*eviction could not be verified'
fi

if t 'CPU time that cannot be is not shown' && witnessed nonsense -v -c 8 -r 2 "$D"; then
	sed -n 's/^# cpu [a-z]* //p' "$T/out" | sort | uniq -c >"$T/cpu"
	grep -qx ' *3 unknown' "$T/cpu" || fail "cpu $(tr '\n' ' ' <"$T/cpu")"
fi

while read -r words call; do
	if t "an eviction that cannot be had says why ($words)" && witnessed "$words" -v -c 8 -r 1 -o read "$D"; then
		[ "$(fact evicted)" != yes ] || [ "$call" = mincore ] || fail 'evicted yes'
		[ "$(fact evicted)" = yes ] || want_err "^gbtestdisk: warning: .*$call.*not permitted"
	fi
done <<'END'
fadvise-refused posix_fadvise
mincore-refused mincore
END

# On macOS the flush is known when a file is there: here F_GETFD stands for it.
if t 'the flush that -v and -j name is the one that works' && echo 'int main(void) { return 0; }' | build nothing; then
	# shellcheck disable=SC2086 # CC may hold flags
	if ${CC:-cc} -DF_FULLFSYNC=F_GETFD -o "$T/full" "$SRC/gbtestdisk.c" >"$T/err" 2>&1; then
		run_with "$T/full" -v -c 1 -r 1 "$D"
		[ "$(fact flush)" = F_FULLFSYNC ] || fail "flush $(fact flush)"
		run_with "$T/full" -j -c 1 -r 1 "$D"
		want_out '"flush":"F_FULLFSYNC"'
		want_empty
	else
		fail 'it does not compile'
	fi
	# Refused, it is fsync.
	# shellcheck disable=SC2086
	${CC:-cc} -DF_FULLFSYNC=0x7ffffff0 -o "$T/full" "$SRC/gbtestdisk.c" >"$T/err" 2>&1
	run_with "$T/full" -v -c 1 -r 1 "$D"
	[ "$(fact flush)" = fsync ] || fail "flush $(fact flush)"
fi

# Where cores go to a program or another directory, this shows nothing.
if t 'a death by QUIT writes no core file into the directory that is tested'; then
	case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
	'|'* | */*) skip 'core files go elsewhere here' ;;
	*) launcher ;;
	esac && {
		# shellcheck disable=SC3045 # where there is no ulimit -c there may be no core
		(ulimit -c unlimited 2>/dev/null; cd "$D" && exec "$T/launch" "$G" -c 1 -r 1000000 .) \
		    >"$T/out" 2>"$T/err" </dev/null &
		pid=$!
		# shellcheck disable=SC2016 # the inner shell's
		await sh -c '[ -n "$(ls -A "$1")" ]' sh "$D"
		kill -QUIT "$pid"
		ended
		want_empty
	}
fi

finish
