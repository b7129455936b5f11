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
typedef struct {
	long fds_bits[32];
} fd_set;
#define FD_SETSIZE 2048
#define FD_ZERO(set) ((set)->fds_bits[0] = 0)
#define FD_SET(fd, set) ((set)->fds_bits[0] |= 1L << (fd))
#define FD_ISSET(fd, set) (((set)->fds_bits[0] >> (fd)) & 1)
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
