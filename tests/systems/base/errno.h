#ifndef BASE_ERRNO_H
#define BASE_ERRNO_H
extern int errno;
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ECHILD 10
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EINVAL 22
#define ENOTTY 25
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define ESTALE 70
#define ENOSYS 78
#define EWOULDBLOCK EAGAIN
#ifndef SYSTEM_LACKS_ENOTSUP
#ifndef SYSTEM_ENOTSUP
#define SYSTEM_ENOTSUP 91
#endif
#define ENOTSUP SYSTEM_ENOTSUP
#endif
#ifndef SYSTEM_LACKS_ENOTSUP
#define EOPNOTSUPP 102
#endif
#define IN_ERRNO
#include <system.h>
#undef IN_ERRNO
#endif
