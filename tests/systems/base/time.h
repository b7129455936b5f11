#ifndef BASE_TIME_H
#define BASE_TIME_H
#include <sys/types.h>
struct tm {
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year;
};
struct timespec {
	time_t tv_sec;
	long tv_nsec;
};
struct tm *gmtime(const time_t *);
size_t strftime(char *, size_t, const char *, const struct tm *);
#define IN_TIME
#include <system.h>
#undef IN_TIME
#endif
