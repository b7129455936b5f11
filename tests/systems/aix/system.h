/* AIX 7; OLD: 5.1. Its files are small unless _LARGE_FILES is defined. */
#ifndef SYSTEM_STATVFS_NAME
#define SYSTEM_STATVFS_NAME f_basetype
#ifdef _LARGE_FILES
#define SYSTEM_OFF_64
#else
#error "_LARGE_FILES is not defined"
#endif
#ifndef _ALL_SOURCE
#error "_ALL_SOURCE is not defined"
#endif
#define SYSTEM_TIME int
#define SYSTEM_USECONDS int
#define SYSTEM_DEV unsigned
#define SYSTEM_INO unsigned
#define SYSTEM_WINSIZE_IN_IOCTL
#define SYSTEM_POLLFD
#ifdef OLD
#define SYSTEM_LACKS_NAN
#define SYSTEM_LACKS_SIZE_MAX
#endif
#define SYSTEM_IOCTL_INT
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x400000
#define O_DIRECT 0x8000000
#ifndef OLD
#define O_NOFOLLOW 0x1000000
#define O_CLOEXEC 0x800000
#define POSIX_FADV_RANDOM 3
#define POSIX_FADV_DONTNEED 5
int posix_fadvise(int, off_t, off_t, int);
#endif
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 0x10
#define MS_SYNC 0x20
#define MS_INVALIDATE 0x40
#endif
#ifdef IN_POLL
/* The members have names of their own, which are those of POSIX by macros. */
struct pollfd {
	int fd;
	short reqevents, rtnevents;
};
#define events reqevents
#define revents rtnevents
#endif
#if defined(IN_TIME) && !defined(OLD)
#define CLOCK_MONOTONIC 10
typedef long long clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
