/* IRIX 6.5, fcntl(2), fcntl(5) and clock_gettime(2). */
#ifndef SYSTEM_STATVFS_NAME
#define SYSTEM_STATVFS_NAME f_basetype
#define SYSTEM_LACKS_NAN
#define SYSTEM_LACKS_SIZE_MAX
#define SYSTEM_DEV unsigned
#define SYSTEM_IOCTL_INT
#define SYSTEM_LACKS_NPROCESSORS
#define SYSTEM_INO unsigned long long
#endif
#ifdef IN_SYS_IOCTL
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x20
#define FDIRECT 0x8000
#define O_DIRECT FDIRECT
#define F_DIOINFO 30
struct dioattr {
	unsigned d_mem, d_miniosz, d_maxiosz;
};
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#define MS_SYNC 4
#endif
#ifdef IN_TIME
#define CLOCK_REALTIME 1
#define CLOCK_SGI_CYCLE 2
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
