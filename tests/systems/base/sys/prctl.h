#ifndef BASE_SYS_PRCTL_H
#define BASE_SYS_PRCTL_H
#ifndef SYSTEM_LINUX
#error "sys/prctl.h: No such file"
#endif
#define PR_SET_NAME 15
int prctl(int, ...);
#endif
