/*
 * The least that a program can do: open, write ready buffers, fsync, close;
 * open, read, close.  What gbtestdisk adds is measured against it.
 *
 *	bare FILE BYTES BLOCK ROUNDS [random]
 *
 * prints, as rounds of the write, the evicted read and the cached read, a
 * line of bytes a second each.  With random, the reads are in random order.
 *
 *	bare queue FILE BLOCK DEPTH read|write|mix SECONDS [sequence]
 *
 * keeps so many direct requests in flight on a file that is there, in random
 * order, by io_submit in batches, from huge pages, and prints the requests and
 * the bytes a second.  What it wrote is flushed within the time.
 *
 *	bare run COMMAND...
 *
 * prints on standard error when the command was started and when it had ended,
 * in seconds since 1970.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POOL 5242880 /* as large as gbtestdisk's data: the same caches are missed */

static double now_by(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double now(void)
{
	return now_by(CLOCK_MONOTONIC);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static double write_pass(const char *file, char *pool, size_t bytes, size_t block)
{
	size_t slots = POOL / block > 0 ? POOL / block : 1;
	double begin = now();
	int fd = open(file, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd == -1)
		fail(file);
	for (size_t i = 0; i < bytes / block; i++)
		if (pwrite(fd, pool + i % slots * block, block, (off_t)(i * block)) !=
		    (ssize_t)block)
			fail("write");
	if (fsync(fd) == -1 || close(fd) == -1)
		fail("fsync");
	return (double)bytes / (now() - begin);
}

static double read_pass(const char *file, char *buffer, size_t bytes, size_t block, int random)
{
	unsigned long long state = 1, n = bytes / block;
	double begin = now();
	int fd = open(file, O_RDONLY);

	if (fd == -1)
		fail(file);
	if (random)
		posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		if (random) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			at = (size_t)((state >> 33) % n);
		}
		if (pread(fd, buffer, block, (off_t)(at * block)) != (ssize_t)block)
			fail("read");
	}
	close(fd);
	return (double)bytes / (now() - begin);
}

static int queue(const char *file, size_t block, int depth, const char *does, double seconds,
    int in_sequence)
{
	static struct iocb calls[4096], *batch[4096];
	static struct io_event events[4096];
	size_t huge = 2097152, bytes = (block * (size_t)depth + huge - 1) / huge * huge;
	unsigned long long state = 1, done = 0, next = 0;
	aio_context_t context = 0;
	struct stat st;
	int fd = open(file, O_RDWR | O_DIRECT), batched = 0, n;
	char *pool = aligned_alloc(huge, bytes);

	if (fd == -1 || fstat(fd, &st) == -1 || syscall(SYS_io_setup, depth, &context) == -1)
		fail(file);
	madvise(pool, bytes, MADV_HUGEPAGE);
	for (size_t i = 0; i < bytes; i++)
		pool[i] = (char)rand();
	double begin = now();
	for (n = 0; n < depth; n++) {
		events[n].data = (unsigned long long)n;
		events[n].res = 0;
	}
	while (n > 0 && now() - begin < seconds) {
		batched = 0;
		for (int i = 0; i < n; i++) {
			struct iocb *c = &calls[events[i].data];

			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			c->aio_data = events[i].data;
			c->aio_lio_opcode = does[0] == 'w' || (does[0] == 'm' && state >> 40 & 1) ?
			    IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
			c->aio_fildes = (unsigned)fd;
			c->aio_buf = (unsigned long long)(pool + events[i].data * block);
			c->aio_nbytes = block;
			c->aio_offset = (long long)((in_sequence ? next++ : state >> 20) %
			    ((unsigned long long)st.st_size / block) * block);
			batch[batched++] = c;
		}
		if (syscall(SYS_io_submit, context, (long)batched, batch) != batched)
			fail("io_submit");
		n = (int)syscall(SYS_io_getevents, context, 1L, (long)depth, events, NULL);
		done += n > 0 ? (unsigned long long)n : 0;
	}
	if (does[0] != 'r' && fsync(fd) == -1)
		fail("fsync");
	double rate = (double)done / (now() - begin);
	printf("%.0f %.0f\n", rate, rate * (double)block);
	return 0;
}

static int run(char **command)
{
	double begin = now_by(CLOCK_REALTIME);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(command[0], command);
		fail(command[0]);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		fail(command[0]);
	fprintf(stderr, "%.6f %.6f\n", begin, now_by(CLOCK_REALTIME));
	return status != 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "run") == 0)
		return run(argv + 2);
	if (argc > 6 && strcmp(argv[1], "queue") == 0)
		return queue(argv[2], strtoull(argv[3], NULL, 10), atoi(argv[4]), argv[5], atof(argv[6]),
		    argc > 7);
	if (argc < 5)
		return 2;
	size_t bytes = strtoull(argv[2], NULL, 10), block = strtoull(argv[3], NULL, 10);
	char *pool = NULL, *buffer = NULL;

	if (posix_memalign((void **)&pool, 4096, POOL > block ? POOL : block) != 0 ||
	    posix_memalign((void **)&buffer, 4096, block) != 0)
		return 1;
	for (size_t i = 0; i < (POOL > block ? POOL : block); i++)
		pool[i] = (char)rand();
	memset(buffer, 1, block);
	for (int r = atoi(argv[4]); r > 0; r--) {
		double w = write_pass(argv[1], pool, bytes, block), c, u;
		int fd = open(argv[1], O_RDWR);

		fsync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
		u = read_pass(argv[1], buffer, bytes, block, argc > 5);
		c = read_pass(argv[1], buffer, bytes, block, argc > 5);
		printf("%.0f %.0f %.0f\n", w, u, c);
		unlink(argv[1]);
	}
	return 0;
}
