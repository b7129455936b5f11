#ifndef BASE_SYS_UTSNAME_H
#define BASE_SYS_UTSNAME_H
struct utsname {
	char sysname[256], nodename[256], release[256], machine[256];
};
int uname(struct utsname *);
#define IN_SYS_UTSNAME
#include <system.h>
#undef IN_SYS_UTSNAME
#endif
