#ifndef BASE_SYS_MOUNT_H
#define BASE_SYS_MOUNT_H
#ifndef SYSTEM_STATFS_NAME
#error "sys/mount.h: nothing in it is portable"
#endif
#include <sys/types.h>
struct statfs {
	char SYSTEM_STATFS_NAME[16];
};
int statfs(const char *, struct statfs *);
int fstatfs(int, struct statfs *);
#define IN_SYS_MOUNT
#include <system.h>
#undef IN_SYS_MOUNT
#endif
