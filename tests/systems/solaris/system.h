/*
 * illumos, uts/common/sys and head; OLD: Solaris 8, which has no stdint.h,
 * O_NOFOLLOW, O_CLOEXEC or posix_fadvise.
 */
#ifndef SYSTEM_STATVFS_NAME
#define SYSTEM_STATVFS_NAME f_basetype
#define SYSTEM_MMAP_CADDR
#define SYSTEM_O_SYNC 0x10
#define SYSTEM_O_NONBLOCK 0x80
#define SYSTEM_SIGXFSZ 31
#define SYSTEM_SETITIMER_LOOSE
#define SYSTEM_IOCTL_INT
#ifdef OLD
#define SYSTEM_LACKS_SIZE_MAX
#define SYSTEM_LACKS_NAN
#endif
#ifndef __EXTENSIONS__
#error "__EXTENSIONS__ is not defined"
#endif
/* As in 2006: a later standard than is known is taken for an old one. */
#if defined(OLD) && _XOPEN_SOURCE > 600
#error "Compiler or options invalid for pre-UNIX 03 X/Open applications"
#endif
#endif
#ifdef IN_FCNTL
#define O_DSYNC 0x40
#define DIRECTIO_OFF (0)
#define DIRECTIO_ON (1)
int directio(int, int);
#ifndef OLD
#define O_NOFOLLOW 0x20000
#define O_CLOEXEC 0x800000
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#endif
#ifdef IN_SYS_MMAN
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#define MS_SYNC 4
#if (_POSIX_C_SOURCE > 2)
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int msync(void *, size_t, int);
#else
caddr_t mmap(caddr_t, size_t, int, int, int, off_t);
int munmap(caddr_t, size_t);
int msync(caddr_t, size_t, int);
int mincore(caddr_t, size_t, char *);
#endif
#endif
#ifdef IN_SYS_TIME
typedef long long hrtime_t;
hrtime_t gethrtime(void);
#include <sys/select.h>
#endif
#ifdef IN_TIME
/* In librt, up to Solaris 10. */
#define CLOCK_MONOTONIC 4
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
