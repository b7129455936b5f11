/* macOS 13 as in its SDK; OLD: 10.5 to 10.11, without clock_gettime. */
#ifndef SYSTEM_STATFS_NAME
#define SYSTEM_STATFS_NAME f_fstypename
#define SYSTEM_OFF_64
#define SYSTEM_SI_USER 0x10001
#define SYSTEM_STAT_GEN st_gen
#ifndef OLD
#define SYSTEM_STAT_BIRTH st_birthtimespec
#endif
#define SYSTEM_USECONDS int
#define SYSTEM_DEV int
#define SYSTEM_INO unsigned long long
#define SYSTEM_BLOCKS unsigned
#define SYSTEM_WINSIZE_IN_IOCTL
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
#define FIONREAD 0x4004667fUL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
#define O_NOFOLLOW 0x100
#ifndef OLD
#define O_CLOEXEC 0x1000000
#define O_DSYNC 0x400000
#endif
#if !defined(_POSIX_C_SOURCE) || defined(_DARWIN_C_SOURCE)
#define F_RDAHEAD 45
#define F_NOCACHE 48
#define F_FULLFSYNC 51
#endif
#endif
#if defined(IN_SYS_STAT) && !defined(OLD) && !defined(_POSIX_C_SOURCE)
#define st_birthtime st_birthtimespec.tv_sec
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 0x1
#define MS_INVALIDATE 0x2
#define MS_SYNC 0x10
#if !defined(_POSIX_C_SOURCE) || defined(_DARWIN_C_SOURCE)
#ifdef OLD
int mincore(caddr_t, size_t, char *);
#else
int mincore(const void *, size_t, char *);
#endif
#endif
#endif
#ifdef IN_SYS_TIME
#include <sys/select.h>
#endif
#if defined(IN_TIME) && !defined(OLD)
typedef enum { CLOCK_REALTIME = 0,
#define CLOCK_MONOTONIC CLOCK_MONOTONIC
	CLOCK_MONOTONIC = 6 } clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
