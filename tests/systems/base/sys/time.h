#ifndef BASE_SYS_TIME_H
#define BASE_SYS_TIME_H
#include <sys/types.h>
struct timeval {
	time_t tv_sec;
	SYSTEM_USECONDS tv_usec;
};
struct itimerval {
	struct timeval it_interval, it_value;
};
#ifndef SYSTEM_ITIMER_REAL
#define SYSTEM_ITIMER_REAL 0
#endif
#define ITIMER_REAL SYSTEM_ITIMER_REAL
int gettimeofday(struct timeval *, void *);
int getitimer(int, struct itimerval *);
#ifdef SYSTEM_SETITIMER_LOOSE
int setitimer(int, struct itimerval *, struct itimerval *);
#else
int setitimer(int, const struct itimerval *, struct itimerval *);
#endif
#define IN_SYS_TIME
#include <system.h>
#undef IN_SYS_TIME
#endif
