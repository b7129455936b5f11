#ifndef BASE_SYS_STATVFS_H
#define BASE_SYS_STATVFS_H
#include <sys/types.h>
#ifdef SYSTEM_LACKS_SYS_STATVFS
#error "sys/statvfs.h: No such file"
#endif
struct statvfs {
	unsigned long f_bsize, f_frsize;
	fsblkcnt_t f_blocks, f_bfree, f_bavail;
#ifdef SYSTEM_STATVFS_NAME
	char SYSTEM_STATVFS_NAME[16];
#endif
};
int statvfs(const char *, struct statvfs *);
#define IN_SYS_STATVFS
#include <system.h>
#undef IN_SYS_STATVFS
#endif
