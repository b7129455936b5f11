#ifndef BASE_SYS_TYPES_H
#define BASE_SYS_TYPES_H
#include <system.h>
#ifndef SYSTEM_TIME
#define SYSTEM_TIME long
#endif
#ifndef SYSTEM_USECONDS
#define SYSTEM_USECONDS long
#endif
#ifndef SYSTEM_DEV
#define SYSTEM_DEV unsigned long
#endif
#ifndef SYSTEM_INO
#define SYSTEM_INO unsigned long
#endif
#ifndef SYSTEM_BLOCKS
#define SYSTEM_BLOCKS unsigned long
#endif
typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;
#if defined(SYSTEM_OFF_64) || _FILE_OFFSET_BITS == 64
typedef long long off_t;
#else
typedef int off_t;
#endif
typedef int pid_t;
typedef unsigned uid_t, gid_t, mode_t;
typedef SYSTEM_TIME time_t;
typedef SYSTEM_DEV dev_t;
typedef SYSTEM_INO ino_t;
typedef SYSTEM_BLOCKS fsblkcnt_t;
typedef char *caddr_t;
#define IN_SYS_TYPES
#include <system.h>
#undef IN_SYS_TYPES
#endif
