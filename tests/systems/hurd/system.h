/* GNU Hurd with glibc: no limit is put on a path's length. */
#ifndef SYSTEM_LACKS_PATH_MAX
#define SYSTEM_LACKS_PATH_MAX
#ifndef _GNU_SOURCE
#error "_GNU_SOURCE is not defined"
#endif
#define SYSTEM_WINSIZE_IN_IOCTL
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
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
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 1
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
