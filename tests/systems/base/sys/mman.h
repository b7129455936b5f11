#ifndef BASE_SYS_MMAN_H
#define BASE_SYS_MMAN_H
#include <sys/types.h>
#ifdef SYSTEM_LACKS_SYS_MMAN
#error "sys/mman.h: No such file"
#endif
#define PROT_NONE 0
#define PROT_READ 1
#define MAP_SHARED 1
#define MAP_FAILED ((void *)-1)
#ifndef SYSTEM_MMAP_CADDR
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int msync(void *, size_t, int);
#endif
#define IN_SYS_MMAN
#include <system.h>
#undef IN_SYS_MMAN
#endif
