#ifndef BASE_POLL_H
#define BASE_POLL_H
#ifdef SYSTEM_LACKS_POLL
#error "poll.h: No such file"
#endif
struct pollfd;
#ifndef SYSTEM_POLLFD
struct pollfd {
	int fd;
	short events, revents;
};
#endif
#define POLLERR 8
#define POLLHUP 16
int poll(struct pollfd *, unsigned long, int);
#define IN_POLL
#include <system.h>
#undef IN_POLL
#endif
