/*
 * Android, bionic of a new NDK for an old system: 32-bit, where st_dev and
 * st_ino have 64 bits and dev_t and ino_t 32.  statx is declared from API 30 on,
 * its structure and its constants always are.
 */
#ifndef SYSTEM_LINUX
#define SYSTEM_LINUX
#define SYSTEM_DEV unsigned
#define SYSTEM_INO unsigned
#define SYSTEM_STAT_DEV unsigned long long
#define SYSTEM_STAT_INO unsigned long long
#define SYSTEM_O_SYNC 0x101000
#define SYSTEM_O_NONBLOCK 0x800
#ifndef _GNU_SOURCE
#error "_GNU_SOURCE is not defined"
#endif
#endif
#ifdef IN_SYS_STAT
#define STATX_DIOALIGN 0x2000
struct statx {
	unsigned stx_mask, stx_dio_mem_align, stx_dio_offset_align;
};
#if __ANDROID_API__ >= 30
int statx(int, const char *, int, unsigned, struct statx *);
#endif
#endif
#ifdef IN_SYS_SYSCALL
#define __NR_clock_gettime 263
#endif
#ifdef IN_UNISTD
long syscall(long, ...);
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x1000
#define O_DIRECT 0x10000
#define O_NOFOLLOW 0x8000
#define O_CLOEXEC 0x80000
#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_EMPTY_PATH 0x1000
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#define MS_SYNC 4
int mincore(void *, size_t, unsigned char *);
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 1
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
