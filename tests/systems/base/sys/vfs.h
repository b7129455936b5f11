#ifndef BASE_SYS_VFS_H
#define BASE_SYS_VFS_H
#ifndef SYSTEM_LINUX
#error "sys/vfs.h: No such file"
#endif
struct statfs {
	long f_type;
};
int statfs(const char *, struct statfs *);
int fstatfs(int, struct statfs *);
#endif
