/* No system: what is left when each facility that can be missing is. */
#ifndef SYSTEM_LACKS_SYS_MMAN
#define SYSTEM_LACKS_ENOTSUP
#define SYSTEM_LACKS_NPROCESSORS
#define SYSTEM_LACKS_NAN
#define SYSTEM_LACKS_PATH_MAX
#define SYSTEM_LACKS_SIGINFO
#define SYSTEM_LACKS_SIGXFSZ
#define SYSTEM_LACKS_SIZE_MAX
#define SYSTEM_LACKS_SYS_MMAN
#define SYSTEM_WINSIZE_IN_IOCTL
#endif
