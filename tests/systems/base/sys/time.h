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
#define ITIMER_REAL 0
int gettimeofday(struct timeval *, void *);
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *, struct itimerval *);
#define IN_SYS_TIME
#include <system.h>
#undef IN_SYS_TIME
#endif
