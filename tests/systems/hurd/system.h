/* GNU Hurd with glibc: no limit is put on a path's length. */
#ifndef SYSTEM_LACKS_PATH_MAX
#define SYSTEM_LACKS_PATH_MAX
#ifndef _GNU_SOURCE
#error "_GNU_SOURCE is not defined"
#endif
#define SYSTEM_WINSIZE_IN_IOCTL
#define SYSTEM_O_SYNC 0x400
#define SYSTEM_O_NONBLOCK 8
/* On i386, st_dev has 64 bits, dev_t has 32. */
#define SYSTEM_DEV unsigned
#define SYSTEM_STAT_DEV unsigned long long
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_SYS_STAT
struct statx {
	unsigned stx_mask;
};
int statx(int, const char *, int, unsigned, struct statx *);
#endif
#ifdef IN_FCNTL
#define O_FSYNC O_SYNC
#define O_DSYNC O_SYNC
#define O_NOFOLLOW 0x100000
#define O_CLOEXEC 0x400000
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#ifdef IN_SYS_MMAN
#define MS_SYNC 0
#define MS_ASYNC 1
#define MS_INVALIDATE 2
int mincore(void *, size_t, unsigned char *);
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 1
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
