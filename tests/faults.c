/*
 * A preloaded library that makes a disk lie, in one of these ways, by the
 * variable FAULT, with a number behind its name where there is an "=":
 *
 *	short		every transfer moves a part of what is wanted
 *	interrupt	every second transfer is interrupted
 *	unreadable=N	what was written cannot be read at offset N
 *	unwritable=N	nothing can be written at offset N
 *	corrupt=N	the byte at offset N comes back changed
 *	zeros=N		what comes back from offset N on is zeros
 *	lost=N		what is written to the 512 bytes at N never arrives
 *	frozen		what is written a second time never arrives
 *	swapped=N	512 bytes at N and those behind it change places
 *	wrap=N		offset N is offset 0 again: a small disk that claims more
 *	memory=N	the N-th piece of memory that is asked for is not to be had
 *	clock		there is no clock but gettimeofday
 *
 * FAULT_IN=worker leaves the first process alone.  FAULT_MARK is a file that
 * is made when a fault has happened.
 */
#define _GNU_SOURCE
#include <sys/types.h>
#include <sys/stat.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef ssize_t (*mover)(int, void *, size_t, off64_t);

static pid_t first;

__attribute__((constructor)) static void begin(void)
{
	first = getpid();
}

/* The number behind a fault's name, or -1 if FAULT is another. */
static int64_t fault(const char *name)
{
	const char *is = getenv("FAULT"), *where = getenv("FAULT_IN");
	size_t len = strlen(name);

	if (is == NULL || strncmp(is, name, len) != 0 || (is[len] != '\0' && is[len] != '='))
		return -1;
	if (where != NULL && getpid() == first)
		return -1;
	return is[len] == '=' ? atoll(is + len + 1) : 0;
}

static void mark(void)
{
	const char *path = getenv("FAULT_MARK");
	int fd = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT, 0600);

	if (fd != -1)
		close(fd);
}

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found == NULL)
		abort();
	return found;
}

/* Whether the len bytes at offset at have offset n among them. */
static int has(int64_t n, off64_t at, size_t len)
{
	return n >= at && n < at + (int64_t)len;
}

/* Whether the file behind fd, which may be open for writing alone, has a byte there. */
static int was_written(int fd, off64_t at)
{
	char path[32], byte;
	struct stat st;
	mover reads;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) == -1 || at >= st.st_size || (fd = open(path, O_RDONLY)) == -1)
		return 0;
	*(void **)&reads = next("pread64");
	at = reads(fd, &byte, 1, at);
	close(fd);
	return at == 1;
}

static ssize_t moved(int fd, void *p, size_t len, off64_t at, int write)
{
	static unsigned long turn;
	mover real;
	int64_t n;
	unsigned char sector[512];

	*(void **)&real = next(write ? "pwrite64" : "pread64");
	if (fault("short") >= 0 && len > 1) {
		mark();
		turn = turn * 1103515245 + 12345;
		return real(fd, p, (turn >> 16) % 5 == 0 ? 1 : 1 + (turn >> 16) % len, at);
	}
	if (fault("interrupt") >= 0 && turn++ % 2 == 0) {
		mark();
		errno = EINTR;
		return -1;
	}
	if (!write && (n = fault("unreadable")) >= 0 && has(n, at, len)) {
		mark();
		errno = EIO;
		return -1;
	}
	if (write && (n = fault("unwritable")) >= 0 && has(n, at, len)) {
		mark();
		errno = EIO;
		return -1;
	}
	if ((n = fault("wrap")) > 0) {
		if (at >= n)
			mark();
		at %= n;
		return real(fd, p, (int64_t)len < n - at ? len : (size_t)(n - at), at);
	}
	if (write && (n = fault("lost")) >= 0 && has(n, at, len)) {
		mark();
		if (n > at && real(fd, p, (size_t)(n - at), at) != n - at)
			return -1;
		if (at + (int64_t)len > n + 512 &&
		    real(fd, (char *)p + (n + 512 - at), len - (size_t)(n + 512 - at), n + 512) < 0)
			return -1;
		return (ssize_t)len;
	}
	if (write && fault("frozen") >= 0 && was_written(fd, at)) {
		mark();
		return (ssize_t)len;
	}
	len = (size_t)real(fd, p, len, at);
	if (write || (ssize_t)len <= 0)
		return (ssize_t)len;
	if ((n = fault("corrupt")) >= 0 && has(n, at, len)) {
		mark();
		((unsigned char *)p)[n - at] ^= 1;
	}
	if ((n = fault("zeros")) >= 0 && n < at + (int64_t)len) {
		mark();
		n = n > at ? n - at : 0;
		memset((char *)p + n, 0, len - (size_t)n);
	}
	if ((n = fault("swapped")) >= 0 && has(n, at, len) && has(n + 1023, at, len)) {
		unsigned char *q = (unsigned char *)p + (n - at);

		mark();
		memcpy(sector, q, 512);
		memcpy(q, q + 512, 512);
		memcpy(q + 512, sector, 512);
	}
	return (ssize_t)len;
}

ssize_t pread64(int fd, void *p, size_t len, off64_t at) { return moved(fd, p, len, at, 0); }
ssize_t pread(int fd, void *p, size_t len, off_t at) { return moved(fd, p, len, at, 0); }
ssize_t pwrite64(int fd, const void *p, size_t len, off64_t at)
{
	return moved(fd, (void *)p, len, at, 1);
}
ssize_t pwrite(int fd, const void *p, size_t len, off_t at)
{
	return moved(fd, (void *)p, len, at, 1);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int (*real)(clockid_t, struct timespec *);

	if (fault("clock") >= 0) {
		mark();
		errno = EINVAL;
		return -1;
	}
	*(void **)&real = next("clock_gettime");
	return real(id, ts);
}

#ifdef __GLIBC__
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

/* Whether this piece is the one. */
static int refused(void)
{
	static int64_t asked, refuse = -2;

	if (first == 0)
		return 0;
	if (refuse == -2)
		refuse = fault("memory");
	if (refuse <= 0 || ++asked != refuse)
		return 0;
	mark();
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n) { return refused() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return refused() ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return refused() ? NULL : __libc_realloc(p, n); }
#endif
