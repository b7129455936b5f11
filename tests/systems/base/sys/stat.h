#ifndef BASE_SYS_STAT_H
#define BASE_SYS_STAT_H
#include <sys/types.h>
#include <time.h>
#ifndef SYSTEM_STAT_DEV
#define SYSTEM_STAT_DEV dev_t
#endif
#ifndef SYSTEM_STAT_INO
#define SYSTEM_STAT_INO ino_t
#endif
struct stat {
	SYSTEM_STAT_DEV st_dev;
	SYSTEM_STAT_INO st_ino;
	mode_t st_mode;
	uid_t st_uid;
	off_t st_size;
	long long st_blocks;
#ifdef SYSTEM_STAT_BIRTH
	struct timespec SYSTEM_STAT_BIRTH;
#endif
#ifdef SYSTEM_STAT_GEN
	unsigned SYSTEM_STAT_GEN;
#endif
};
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IRWXG 0070
#define S_IRWXO 0007
#define S_ISFIFO(m) (((m) & 0170000) == 0010000)
#define S_ISCHR(m) (((m) & 0170000) == 0020000)
#define S_ISBLK(m) (((m) & 0170000) == 0060000)
#define S_ISLNK(m) (((m) & 0170000) == 0120000)
#define S_ISSOCK(m) (((m) & 0170000) == 0140000)
#define S_ISREG(m) (((m) & 0170000) == 0100000)
#define S_ISDIR(m) (((m) & 0170000) == 0040000)
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
mode_t umask(mode_t);
int fstat(int, struct stat *);
#define IN_SYS_STAT
#include <system.h>
#undef IN_SYS_STAT
#endif
