/* MINIX 3: posix_fadvise is declared, but its C library does not have it. */
#ifndef SYSTEM_OFF_64
#define SYSTEM_OFF_64
#define SYSTEM_DEV unsigned
#define SYSTEM_INO unsigned long long
#define SYSTEM_TIME long long
#define SYSTEM_USECONDS int
#define SYSTEM_WINSIZE_IN_IOCTL
#endif
#ifdef IN_SYS_IOCTL
#define TIOCGWINSZ 0x40087468UL
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#ifdef IN_FCNTL
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_DONTNEED 4
int posix_fadvise(int, off_t, off_t, int);
#endif
#ifdef IN_TIME
#define CLOCK_MONOTONIC 3
typedef int clockid_t;
int clock_gettime(clockid_t, struct timespec *);
#endif
