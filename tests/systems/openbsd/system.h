/* OpenBSD, sys/sys and include: no posix_fadvise, mincore, O_DIRECT. */
#ifndef SYSTEM_STATFS_NAME
#define SYSTEM_STATFS_NAME f_fstypename
#define SYSTEM_OFF_64
#define SYSTEM_STAT_BIRTH __st_birthtim
#define SYSTEM_STAT_GEN st_gen
#define SYSTEM_TIME long long
#define SYSTEM_DEV int
#define SYSTEM_INO unsigned long long
#define SYSTEM_BLOCKS unsigned long long
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
#define O_DSYNC O_SYNC
#define O_FSYNC O_SYNC
#ifndef _POSIX_SOURCE
#define O_NOFOLLOW 0x100
#endif
#define O_CLOEXEC 0x10000
#endif
#if defined(IN_SYS_STAT) && !defined(_POSIX_C_SOURCE)
#define st_birthtime __st_birthtim.tv_sec
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_SYNC 2
#define MS_INVALIDATE 4
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 3
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
#if defined(IN_STDLIB) && !defined(_POSIX_C_SOURCE)
void setproctitle(const char *, ...);
#endif
