#ifndef BASE_SIGNAL_H
#define BASE_SIGNAL_H
#include <system.h>
#ifndef SYSTEM_SIG_ATOMIC
#define SYSTEM_SIG_ATOMIC int
#endif
typedef SYSTEM_SIG_ATOMIC sig_atomic_t;
typedef unsigned long sigset_t;
#include <sys/types.h>
#ifndef SYSTEM_LACKS_SIGINFO
typedef struct {
	int si_signo, si_code;
	pid_t si_pid;
} siginfo_t;
#define SA_SIGINFO 64
#ifndef SYSTEM_SI_USER
#define SYSTEM_SI_USER 0
#endif
#define SI_USER SYSTEM_SI_USER
#endif
struct sigaction {
	void (*sa_handler)(int);
#ifdef SA_SIGINFO
	void (*sa_sigaction)(int, siginfo_t *, void *);
#endif
	sigset_t sa_mask;
	int sa_flags;
};
#define SA_RESTART 4
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCONT 19
#define SIGCHLD 20
#define SIGUSR1 30
#define SIG_UNBLOCK 2
#ifndef SYSTEM_LACKS_SIGXFSZ
#ifndef SYSTEM_SIGXFSZ
#define SYSTEM_SIGXFSZ 25
#endif
#define SIGXFSZ SYSTEM_SIGXFSZ
#endif
void (*signal(int, void (*)(int)))(int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigemptyset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigprocmask(int, const sigset_t *, sigset_t *);
int raise(int);
int kill(pid_t, int);
#define IN_SIGNAL
#include <system.h>
#undef IN_SIGNAL
#endif
