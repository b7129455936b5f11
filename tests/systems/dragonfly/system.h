/* DragonFly, sys/sys and include: posix_fadvise is there, and does nothing. */
#ifndef SYSTEM_STATFS_NAME
#define SYSTEM_STATFS_NAME f_fstypename
#define SYSTEM_OFF_64
#define SYSTEM_STAT_GEN st_gen
#define SYSTEM_DEV unsigned
#define SYSTEM_WINSIZE_IN_IOCTL
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
#define O_FSYNC 0x80
#ifndef _POSIX_SOURCE
#define O_NOFOLLOW 0x100
#endif
#define O_DIRECT 0x10000
#define O_CLOEXEC 0x20000
#define POSIX_FADV_RANDOM 2
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#ifdef IN_SYS_MMAN
#define MS_SYNC 0
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#ifndef _POSIX_SOURCE
int mincore(const void *, size_t, char *);
#endif
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 4
typedef unsigned long clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
#ifdef IN_UNISTD
void setproctitle(const char *, ...);
#endif
