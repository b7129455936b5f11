#ifndef BASE_FCNTL_H
#define BASE_FCNTL_H
#include <sys/types.h>
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#ifndef SYSTEM_O_NONBLOCK
#define SYSTEM_O_NONBLOCK 4
#endif
#define O_NONBLOCK SYSTEM_O_NONBLOCK
#ifndef SYSTEM_LACKS_O_SYNC
#ifndef SYSTEM_O_SYNC
#define SYSTEM_O_SYNC 0x80
#endif
#define O_SYNC SYSTEM_O_SYNC
#endif
#define O_CREAT 0x200
#define O_NOCTTY 0x8000
#define O_EXCL 0x800
#define F_GETFD 1
#define F_SETFL 4
int open(const char *, int, ...);
int fcntl(int, int, ...);
#define IN_FCNTL
#include <system.h>
#undef IN_FCNTL
#endif
