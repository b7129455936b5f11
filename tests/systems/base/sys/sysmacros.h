#ifndef BASE_SYS_SYSMACROS_H
#define BASE_SYS_SYSMACROS_H
#ifndef SYSTEM_LINUX
#error "sys/sysmacros.h: No such file"
#endif
#define major(device) ((unsigned)((device) >> 8))
#define minor(device) ((unsigned)((device) & 255))
#endif
