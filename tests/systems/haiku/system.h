/* Haiku, headers/posix; OLD: R1 alpha, before posix_fadvise. */
#ifndef SYSTEM_OFF_64
#define SYSTEM_OFF_64
#define SYSTEM_DEV int
#define SYSTEM_INO long long
#define SYSTEM_BLOCKS long long
#define SYSTEM_USECONDS int
#define SYSTEM_O_SYNC 0x10000
#define SYSTEM_SIGXFSZ 29
#define SYSTEM_ITIMER_REAL 1
#define SYSTEM_ENOTSUP (-2147454936)
#define SYSTEM_STAT_BIRTH st_crtim
#endif
#ifdef IN_SYS_IOCTL
#include <termios.h>
#endif
#ifdef IN_FCNTL
#define O_CLOEXEC 0x40
#define O_DSYNC 0x40000
#define O_NOFOLLOW 0x80000
#define O_NOCACHE 0x100000
#define O_DIRECT O_NOCACHE
#ifndef OLD
#define POSIX_FADV_RANDOM 2
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#endif
#ifdef IN_SYS_STAT
#define st_crtime st_crtim.tv_sec
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_SYNC 2
#define MS_INVALIDATE 4
#endif
#ifdef IN_SYS_TIME
#include <sys/select.h>
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC ((clockid_t)0)
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
