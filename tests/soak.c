/*
 * Runs the program again and again, ends it by signals at random moments, and
 * looks at what stays: soak ROUNDS SEED DIRECTORY PROGRAM.  The directory must
 * be empty.  Prints what was wrong, and how often; status 1 if anything was.
 */
#define _GNU_SOURCE
#include <sys/types.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define MOST_ARGUMENTS 12

static const char *const modes[][MOST_ARGUMENTS] = {
	{ "-r", "100000" },
	{ "-a", "-r", "100000", "-b", "64k" },
	{ "-r", "100000", "-p", "2" },
	{ "-r", "100000", "-q", "3", "-b", "16k" },
	{ "-r", "100000", "-R", "-w", "30", "-p", "2", "-b", "4k" },
	{ "-r", "100000", "-s", "-l", "-m", "4", "-b", "256k" },
	{ "-r", "100000", "-o", "cache", "-i", "0.001" },
	{ "-r", "100000", "-j", "-o", "read", "-k", "2" },
	{ "-t", "5", "-e", "0.0001" },
};
enum { MODES = sizeof modes / sizeof *modes };

static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGKILL, SIGSEGV };
enum { SIGNALS = sizeof signals / sizeof *signals };

static unsigned long state;

static unsigned below(unsigned n)
{
	state = state * 1103515245 + 12345;
	return (unsigned)(state >> 16 & 0x7fff) % n;
}

static void rest_us(long us)
{
	struct timespec ts;

	ts.tv_sec = us / 1000000;
	ts.tv_nsec = us % 1000000 * 1000;
	while (nanosleep(&ts, &ts) == -1 && errno == EINTR)
		;
}

static long wrongs;

static void wrong(long round, int mode, const char *format, ...)
{
	va_list ap;
	int i;

	wrongs++;
	printf("round %ld:", round);
	for (i = 0; i < MOST_ARGUMENTS && modes[mode][i] != NULL; i++)
		printf(" %s", modes[mode][i]);
	printf(": ");
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static pid_t start(char *program, int mode, char *directory)
{
	char *argv[MOST_ARGUMENTS + 5];
	int i, n = 0, null;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	null = open("/dev/null", O_RDWR);
	for (i = 0; i < 3; i++)
		dup2(null, i);
	close(null);
	argv[n++] = program;
	argv[n++] = "-c";
	argv[n++] = "1";
	for (i = 0; i < MOST_ARGUMENTS && modes[mode][i] != NULL; i++)
		argv[n++] = (char *)modes[mode][i];
	argv[n++] = directory;
	argv[n] = NULL;
	execv(program, argv);
	_exit(126);
}

/* Waits up to so many ms for a process, or any with -1; 0 if none ended. */
static pid_t ended(pid_t pid, int *status, int ms)
{
	pid_t r;
	int i;

	for (i = 0; (r = waitpid(pid, status, WNOHANG)) == 0 && i < 2 * ms; i++)
		rest_us(500);
	return r;
}

/* The name of what is in the directory, or NULL. */
static const char *what_is_in(const char *directory)
{
	static char name[300];
	struct dirent *entry;
	DIR *dir = opendir(directory);
	const char *found = NULL;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			snprintf(name, sizeof name, "%s", entry->d_name);
			found = name;
		}
	if (dir != NULL)
		closedir(dir);
	return found;
}

static void one_round(long round, char *directory, char *program)
{
	int mode = (int)below(MODES), number = signals[below(SIGNALS)], second = 0, status = 0;
	pid_t pid = start(program, mode, directory), r;
	const char *name;

	rest_us((long)below(below(4) == 0 ? 32768 : 12000));
	if (below(4) == 0) {
		kill(pid, SIGSTOP);
		rest_us((long)below(2000));
		kill(pid, SIGCONT);
		rest_us((long)below(4000));
	}
	kill(pid, number);
	if (below(4) == 0) {
		rest_us((long)below(1000));
		kill(pid, second = signals[below(SIGNALS)]);
	}
	if (ended(pid, &status, 20000) != pid) {
		wrong(round, mode, "still there 20 s after signal %d", number);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	} else if (!WIFSIGNALED(status) ||
	    (WTERMSIG(status) != number && WTERMSIG(status) != second))
		wrong(round, mode, "status %x after signals %d, %d", (unsigned)status, number, second);
	/* The guard and the workers are this process's now. */
	while ((r = ended(-1, &status, 5000)) > 0)
		;
	if (r == 0)
		wrong(round, mode, "a process stays after signals %d, %d", number, second);
	if ((name = what_is_in(directory)) != NULL) {
		wrong(round, mode, "%s stays after signals %d, %d", name, number, second);
		if (chdir(directory) == 0)
			unlink(name);
	}
}

int main(int argc, char **argv)
{
	long round, rounds;
	int i;

	/* Before the first fork, so that no signal comes too early. */
	for (i = 1; i < 32; i++)
		if (i != SIGCHLD)
			signal(i, SIG_DFL);
	if (argc != 5)
		return 2;
	rounds = atol(argv[1]);
	state = strtoul(argv[2], NULL, 10);
#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
	for (round = 1; round <= rounds; round++)
		one_round(round, argv[3], argv[4]);
	printf("%ld of %ld\n", wrongs, rounds);
	return wrongs > 0;
}
