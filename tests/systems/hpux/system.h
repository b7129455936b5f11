/*
 * HP-UX 11i; OLD: 11.00, without sys/select.h and stdint.h.  It has
 * clock_gettime, but of no monotonic clock, and no direct I/O by open.
 */
#ifndef SYSTEM_STATVFS_NAME
#define SYSTEM_STATVFS_NAME f_basetype
#ifndef _HPUX_SOURCE
#error "_HPUX_SOURCE is not defined"
#endif
#define SYSTEM_DEV int
#define SYSTEM_IOCTL_INT
#define SYSTEM_LACKS_NPROCESSORS
#define SYSTEM_LACKS_NAN
#ifdef OLD
#define SYSTEM_LACKS_SYS_SELECT
#define SYSTEM_LACKS_SIZE_MAX
#endif
#endif
#ifdef IN_SYS_IOCTL
#define FIONREAD 0x4004667f
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x80000
#endif
#ifdef IN_SYS_MMAN
#define MS_SYNC 1
#define MS_ASYNC 2
#define MS_INVALIDATE 4
#endif
#ifdef IN_SYS_TIME
#ifdef OLD
int select(size_t, int *, int *, int *, const struct timeval *);
#else
#include <sys/select.h>
#endif
#endif
#ifdef IN_TIME
#define CLOCK_REALTIME 1
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
