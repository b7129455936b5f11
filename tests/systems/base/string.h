#ifndef BASE_STRING_H
#define BASE_STRING_H
#include <stdlib.h>
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t);
char *strcpy(char *, const char *);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int);
char *strdup(const char *);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
char *strtok(char *, const char *);
size_t strcspn(const char *, const char *);
size_t strspn(const char *, const char *);
char *strerror(int);
#define IN_STRING
#include <system.h>
#undef IN_STRING
#endif
