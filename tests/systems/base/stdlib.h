#ifndef BASE_STDLIB_H
#define BASE_STDLIB_H
#ifndef NULL
#define NULL ((void *)0)
#endif
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
double strtod(const char *, char **);
long strtol(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
char *realpath(const char *, char *);
__attribute__((noreturn)) void exit(int);
#define IN_STDLIB
#include <system.h>
#undef IN_STDLIB
#endif
