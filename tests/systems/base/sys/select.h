#ifndef BASE_SYS_SELECT_H
#define BASE_SYS_SELECT_H
#ifdef SYSTEM_LACKS_SYS_SELECT
#error "sys/select.h: No such file"
#endif
#include <sys/time.h>
typedef struct {
	long fds_bits[16];
} fd_set;
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
#define IN_SYS_SELECT
#include <system.h>
#undef IN_SYS_SELECT
#endif
