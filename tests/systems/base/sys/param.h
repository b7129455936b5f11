#ifndef BASE_SYS_PARAM_H
#define BASE_SYS_PARAM_H
#ifndef SYSTEM_STATFS_NAME
#error "sys/param.h: nothing in it is portable"
#endif
#define IN_SYS_PARAM
#include <system.h>
#undef IN_SYS_PARAM
#endif
