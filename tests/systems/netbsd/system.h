/* NetBSD 6, sys/sys and include; sys/featuretest.h says what shows. */
#ifndef SYSTEM_STATVFS_NAME
#define SYSTEM_STATVFS_NAME f_fstypename
#define SYSTEM_OFF_64
#define SYSTEM_STAT_BIRTH st_birthtimespec
#define SYSTEM_STAT_GEN st_gen
#define SYSTEM_TIME long long
#define SYSTEM_USECONDS int
#define SYSTEM_DEV unsigned long long
#define SYSTEM_INO unsigned long long
#define SYSTEM_BLOCKS unsigned long long
#define SYSTEM_WINSIZE_IN_IOCTL
#if !defined(_ANSI_SOURCE) && !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE) && \
    !defined(_NETBSD_SOURCE)
#define _NETBSD_SOURCE 1
#endif
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x10000
#define O_CLOEXEC 0x400000
#ifdef _NETBSD_SOURCE
#define O_NOFOLLOW 0x100
#define O_DIRECT 0x80000
#endif
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#if defined(IN_SYS_STAT) && defined(_NETBSD_SOURCE)
#define st_birthtime st_birthtimespec.tv_sec
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#define MS_SYNC 4
#ifdef _NETBSD_SOURCE
int mincore(void *, size_t, char *);
#endif
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 3
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
#if defined(IN_STDLIB) && defined(_NETBSD_SOURCE)
void setproctitle(const char *, ...);
#endif
