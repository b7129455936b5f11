#ifndef BASE_UNISTD_H
#define BASE_UNISTD_H
#include <sys/types.h>
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_END 2
#define STDIN_FILENO 0
#define _SC_PAGESIZE 47
#ifndef SYSTEM_LACKS_NPROCESSORS
#define _SC_NPROCESSORS_ONLN 58
#endif
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
off_t lseek(int, off_t, int);
#ifndef SYSTEM_LACKS_PREAD
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
#endif
#define W_OK 2
int access(const char *, int);
int chdir(const char *);
int close(int);
int unlink(const char *);
int pipe(int *);
int fsync(int);
int ftruncate(int, off_t);
int isatty(int);
long sysconf(int);
#ifndef SYSTEM_LACKS_FORK
pid_t fork(void);
#endif
pid_t getpid(void);
pid_t getppid(void);
uid_t geteuid(void);
pid_t setsid(void);
__attribute__((noreturn)) void _exit(int);
#define IN_UNISTD
#include <system.h>
#undef IN_UNISTD
#endif
