#ifndef BASE_SIGNAL_H
#define BASE_SIGNAL_H
typedef int sig_atomic_t;
typedef unsigned long sigset_t;
struct sigaction {
	void (*sa_handler)(int);
	sigset_t sa_mask;
	int sa_flags;
};
#define SA_RESTART 4
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCONT 19
#ifndef SYSTEM_LACKS_SIGXFSZ
#define SIGXFSZ 25
#endif
#include <sys/types.h>
void (*signal(int, void (*)(int)))(int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigemptyset(sigset_t *);
int raise(int);
int kill(pid_t, int);
#define IN_SIGNAL
#include <system.h>
#undef IN_SIGNAL
#endif
