/*
 * uClibc-ng: it says that it is glibc 2.2, and has clock_gettime in its libc.
 * NEWEST: a processor whose Linux has no system call of 32-bit time.
 */
#ifndef SYSTEM_LINUX
#define SYSTEM_LINUX
#define __UCLIBC__ 1
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 2
#define SYSTEM_TIME long long
#ifndef _GNU_SOURCE
#error "_GNU_SOURCE is not defined"
#endif
#endif
#if defined(IN_SYS_SYSCALL) && !defined(NEWEST)
#define __NR_clock_gettime 265
#define SYS_clock_gettime __NR_clock_gettime
#endif
#ifdef IN_UNISTD
long syscall(long, ...);
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x1000
#define O_DIRECT 0x4000
#define O_NOFOLLOW 0x20000
#define O_CLOEXEC 0x80000
#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
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
