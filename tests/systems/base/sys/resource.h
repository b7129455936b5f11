#ifndef BASE_SYS_RESOURCE_H
#define BASE_SYS_RESOURCE_H
#include <sys/time.h>
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
struct rusage {
	struct timeval ru_utime, ru_stime;
	long ru_inblock, ru_oublock;
};
typedef unsigned long rlim_t;
struct rlimit {
	rlim_t rlim_cur, rlim_max;
};
#define RLIMIT_CORE 4
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int getrusage(int, struct rusage *);
#define IN_SYS_RESOURCE
#include <system.h>
#undef IN_SYS_RESOURCE
#endif
