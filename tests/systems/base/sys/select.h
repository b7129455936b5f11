#ifndef BASE_SYS_SELECT_H
#define BASE_SYS_SELECT_H
#ifdef SYSTEM_LACKS_SYS_SELECT
#error "sys/select.h: No such file"
#endif
#include <sys/time.h>
typedef struct {
	long fds_bits[16];
} fd_set;
#define FD_SETSIZE 1024
#define FD_ZERO(set) ((set)->fds_bits[0] = 0)
#define FD_SET(fd, set) ((set)->fds_bits[0] |= 1L << (fd))
#define FD_ISSET(fd, set) (((set)->fds_bits[0] >> (fd)) & 1)
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
#define IN_SYS_SELECT
#include <system.h>
#undef IN_SYS_SELECT
#endif
