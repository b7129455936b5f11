/* Cygwin 3, newlib/libc/include and winsup/cygwin/include. */
#ifndef SYSTEM_OFF_64
#define SYSTEM_OFF_64
#define SYSTEM_O_SYNC 0x2000
#define SYSTEM_O_NONBLOCK 0x4000
#define SYSTEM_DEV unsigned
#define SYSTEM_INO unsigned long long
#ifndef _GNU_SOURCE
#error "_GNU_SOURCE is not defined"
#endif
#define SYSTEM_IOCTL_INT
#define SYSTEM_STAT_BIRTH st_birthtim
#endif
#ifdef IN_SYS_STAT
#define st_birthtime st_birthtim.tv_sec
#endif
#ifdef IN_SYS_IOCTL
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x2000
#define O_CLOEXEC 0x40000
#define O_DIRECT 0x80000
#define O_NOFOLLOW 0x100000
#define POSIX_FADV_RANDOM 2
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_SYNC 2
#define MS_INVALIDATE 4
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC ((clockid_t)4)
typedef unsigned long clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
#ifdef IN_UNISTD
void setproctitle(const char *, ...);
#endif
