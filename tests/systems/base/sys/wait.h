#ifndef BASE_SYS_WAIT_H
#define BASE_SYS_WAIT_H
#include <sys/types.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WIFEXITED(status) (((status) & 0177) == 0)
#define WEXITSTATUS(status) (((status) >> 8) & 0377)
#define WIFSTOPPED(status) (((status) & 0377) == 0177)
#define WTERMSIG(status) ((status) & 0177)
#define WIFSIGNALED(status) (((status) & 0177) != 0)
pid_t waitpid(pid_t, int *, int);
#define IN_SYS_WAIT
#include <system.h>
#undef IN_SYS_WAIT
#endif
