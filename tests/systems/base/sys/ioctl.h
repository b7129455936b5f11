#ifndef BASE_SYS_IOCTL_H
#define BASE_SYS_IOCTL_H
#include <sys/types.h>
#ifdef SYSTEM_IOCTL_INT
int ioctl(int, int, ...);
#else
int ioctl(int, unsigned long, ...);
#endif
#define IN_SYS_IOCTL
#include <system.h>
#undef IN_SYS_IOCTL
#endif
