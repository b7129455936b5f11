#ifndef BASE_SYS_WAIT_H
#define BASE_SYS_WAIT_H
#include <sys/types.h>
#define WNOHANG 1
#define WIFSIGNALED(status) (((status) & 0177) != 0)
pid_t waitpid(pid_t, int *, int);
#define IN_SYS_WAIT
#include <system.h>
#undef IN_SYS_WAIT
#endif
