#ifndef BASE_STDIO_H
#define BASE_STDIO_H
#include <stdarg.h>
#include <stdlib.h>
#define BUFSIZ 1024
#define _IOLBF 1
typedef struct stream FILE;
extern FILE *stdout, *stderr;
FILE *fopen(const char *, const char *);
char *fgets(char *, int, FILE *);
int fclose(FILE *);
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int vsnprintf(char *, size_t, const char *, va_list);
int putc(int, FILE *);
int putchar(int);
int fputs(const char *, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int fflush(FILE *);
int ferror(FILE *);
int setvbuf(FILE *, char *, int, size_t);
#define IN_STDIO
#include <system.h>
#undef IN_STDIO
#endif
