#ifndef BASE_SYS_RESOURCE_H
#define BASE_SYS_RESOURCE_H
#include <sys/time.h>
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
struct rusage {
	struct timeval ru_utime, ru_stime;
};
int getrusage(int, struct rusage *);
#define IN_SYS_RESOURCE
#include <system.h>
#undef IN_SYS_RESOURCE
#endif
