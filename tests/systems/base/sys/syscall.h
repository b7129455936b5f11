#ifndef BASE_SYS_SYSCALL_H
#define BASE_SYS_SYSCALL_H
#ifndef SYSTEM_LINUX
#error "sys/syscall.h: nothing in it is portable"
#endif
#define __NR_sched_getaffinity 204
#define __NR_name_to_handle_at 303
#define __NR_statx 332
#define IN_SYS_SYSCALL
#include <system.h>
#undef IN_SYS_SYSCALL
#endif
