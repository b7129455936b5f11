/* FreeBSD 13, sys/sys and include; OLD: 8, before posix_fadvise. */
#ifndef SYSTEM_STATFS_NAME
#define SYSTEM_STATFS_NAME f_fstypename
#define SYSTEM_OFF_64
#define SYSTEM_SIG_ATOMIC long
#define SYSTEM_SI_USER 0x10001
#define SYSTEM_STAT_GEN st_gen
#define SYSTEM_ENOTSUP 45
#ifdef OLD
#define SYSTEM_STAT_BIRTH st_birthtimespec
#else
#define SYSTEM_STAT_BIRTH st_birthtim
#endif
#ifdef OLD
#define SYSTEM_DEV unsigned
#define SYSTEM_INO unsigned
#endif
#define SYSTEM_WINSIZE_IN_IOCTL
#define BSD_VISIBLE (!defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE))
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
#define O_FSYNC 0x80
#define O_NOFOLLOW 0x100
#if BSD_VISIBLE
#define O_DIRECT 0x10000
#endif
#ifndef OLD
#define O_CLOEXEC 0x100000
#define O_DSYNC 0x1000000
#define F_RDAHEAD 16
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#endif
#if defined(IN_SYS_STAT) && BSD_VISIBLE
#ifdef OLD
#define st_birthtime st_birthtimespec.tv_sec
#else
#define st_birthtime st_birthtim.tv_sec
#define st_birthtimespec st_birthtim
#endif
#endif
#ifdef IN_SYS_MMAN
#define MS_SYNC 0
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#if BSD_VISIBLE
int mincore(const void *, size_t, char *);
#define MADV_WILLNEED 3
int madvise(void *, size_t, int);
#endif
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 4
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
#if defined(IN_UNISTD) && BSD_VISIBLE
void setproctitle(const char *, ...);
#endif
