#ifndef BASE_TERMIOS_H
#define BASE_TERMIOS_H
#ifndef SYSTEM_WINSIZE_IN_IOCTL
#define TIOCGWINSZ 0x5468
struct winsize {
	unsigned short ws_row, ws_col;
};
#endif
#define IN_TERMIOS
#include <system.h>
#undef IN_TERMIOS
#endif
