#!/bin/sh
# Hostile hands and places: other files in the scratch file's place, signals
# at each call, clocks, terminals and disks that misbehave.
. ./lib.sh

# $T/meddle.so: meddles with the calls on the scratch file, by these variables.
#	HOOK, HOOK_AT	a command that is run before the so manieth open by its name
#	LOSE, LOSE_BYTES	the so manieth write of so many bytes never arrives
#	LOSE_MIX	counts only writes to a file that is open for both ways
#	SLOW_US		each write takes so much longer
#	CLOCK_BACK, CLOCK_STEP	every so manieth reading is 0.3 ms back; so many ns in a step
#	NO_SPACE_KNOWN	statvfs gives zeros
#	NO_FLUSH	fsync does nothing
#	REFUSE_RDWR	open for both ways is refused with this errno, REFUSE_NOFOLLOW likewise
#	TERM_IN_REST	the signal comes just before select waits for more than a second
cat >"$T/meddle.c" <<'END'
#define _GNU_SOURCE
#include <sys/types.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long *counts; /* 0 opens, 1 writes, 2 readings of the clock; shared with the workers */

__attribute__((constructor)) static void begin(void)
{
	counts = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static long number(const char *name)
{
	const char *is = getenv(name);
	return is == NULL ? 0 : atol(is);
}

static void mark(void)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("MARK"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd >= 0 && write(fd, "x", 1) == 1)
		close(fd);
}

static int opened(const char *path, int flags, int mode)
{
	int is_ours = strncmp(path, "gbtest-", 7) == 0;
	if (is_ours && getenv("REFUSE_RDWR") && (flags & O_ACCMODE) == O_RDWR) {
		mark();
		errno = (int)number("REFUSE_RDWR");
		return -1;
	}
	if (is_ours && getenv("REFUSE_NOFOLLOW") && (flags & O_NOFOLLOW)) {
		mark();
		errno = EOPNOTSUPP;
		return -1;
	}
	if (is_ours && getenv("HOOK") && __sync_add_and_fetch(&counts[0], 1) == number("HOOK_AT")) {
		char command[4000];
		mark();
		snprintf(command, sizeof command, "unset LD_PRELOAD; f=%s; %s", path, getenv("HOOK"));
		if (system(command) == -1)
			abort();
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	int mode = va_arg(ap, int);
	va_end(ap);
	return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	int mode = va_arg(ap, int);
	va_end(ap);
	return opened(path, flags | O_LARGEFILE, mode);
}

/* Whether this write is the one to lose. */
static int is_lost(int fd, size_t len)
{
	if (number("SLOW_US") > 0)
		usleep((useconds_t)number("SLOW_US"));
	if (getenv("LOSE") == NULL || (long)len != number("LOSE_BYTES"))
		return 0;
	if (getenv("LOSE_MIX") && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR)
		return 0;
	if (__sync_add_and_fetch(&counts[1], 1) != number("LOSE"))
		return 0;
	mark();
	return 1;
}

ssize_t pwrite64(int fd, const void *p, size_t len, off64_t at)
{
	return is_lost(fd, len) ? (ssize_t)len : syscall(SYS_pwrite64, fd, p, len, at);
}

ssize_t pwrite(int fd, const void *p, size_t len, off_t at)
{
	return pwrite64(fd, p, len, at);
}

/* The program's own calls of io_submit come by here. */
long syscall(long n, ...)
{
	static long (*real)(long, ...);
	long a[6];
	int i;
	va_list ap;
	va_start(ap, n);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	if (n == SYS_io_submit && getenv("LOSE")) {
		static int null = -1;
		if (null == -1)
			null = (int)real(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY);
		for (i = 0; i < a[1]; i++) {
			char *c = ((char **)a[2])[i];
			int16_t opcode;
			uint32_t fd;
			uint64_t len;
			memcpy(&opcode, c + 16, 2);
			memcpy(&fd, c + 20, 4);
			memcpy(&len, c + 32, 8);
			if (opcode == 1 && is_lost((int)fd, (size_t)len))
				memcpy(c + 20, &null, 4);
		}
	}
	return real(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, id, t);
	int64_t ns = t->tv_sec * 1000000000LL + t->tv_nsec;
	if (number("CLOCK_BACK") > 0 && ++counts[2] % number("CLOCK_BACK") == 0)
		ns -= 300000;
	if (number("CLOCK_STEP") > 0)
		ns -= ns % number("CLOCK_STEP");
	t->tv_sec = ns / 1000000000LL;
	t->tv_nsec = ns % 1000000000LL;
	return r;
}

int statvfs64(const char *path, struct statvfs64 *v)
{
	int (*real)(const char *, struct statvfs64 *);
	*(void **)&real = dlsym(RTLD_NEXT, "statvfs64");
	if (getenv("NO_SPACE_KNOWN") == NULL)
		return real(path, v);
	memset(v, 0, sizeof *v);
	mark();
	return 0;
}

int fsync(int fd)
{
	if (getenv("NO_FLUSH") == NULL)
		return (int)syscall(SYS_fsync, fd);
	mark();
	return 0;
}

int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t)
{
	int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
	*(void **)&real = dlsym(RTLD_NEXT, "select");
	if (getenv("TERM_IN_REST") && n == 0 && counts[3]++ == 0) {
		mark();
		kill(getpid(), SIGTERM);
	}
	return real(n, r, w, e, t);
}
END

# meddle VARIABLE=VALUE... -- ARGUMENT...: the program with that library, for
# 20 seconds at most; skips the case where it cannot be had.  $marks says how
# often it meddled.
meddle() {
	need timeout || return 1
	if [ ! -e "$T/meddle.so" ] && ! ${CC:-cc} -shared -fPIC -o "$T/meddle.so" "$T/meddle.c" -ldl \
	    >"$T/build.log" 2>&1; then
		skip "${CC:-cc} makes no preloaded library"
		return 1
	fi
	rm -f "$T/mark"
	with="LD_PRELOAD=$T/meddle.so MARK=$T/mark"
	meddle_hook=$HOOK
	while [ "$1" != -- ]; do
		with="$with $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # a list
	HOOK=$meddle_hook run_with timeout -k 1 20 env $with "$G" "$@"
	marks=0
	[ ! -e "$T/mark" ] || marks=$(wc -c <"$T/mark")
}
HOOK=''

# meddled ...: likewise, and it must have meddled.
meddled() {
	meddle "$@" || return 1
	[ "$marks" -gt 0 ] && return 0
	skip 'the preloaded library is not used'
	return 1
}

# ---- the file ------------------------------------------------------------------

# Makes files until one has the inode number of the removed $f, which it then replaces.
cat >"$T/reuse" <<'END'
old=$(ls -i "$1" | awk '{ print $1 }')
rm "$1"
n=0
while [ $n -lt 50 ]; do
	n=$((n + 1))
	echo foreign >"$1.$n"
	if [ "$(ls -i "$1.$n" | awk '{ print $1 }')" = "$old" ]; then
		mv "$1.$n" "$1"
		: >"$2"
		exit
	fi
done
END

t 'a later file with the same inode number, in a rest, is neither written nor removed'
if loop_disk 24M ext4; then
	if start -a -c 1 -R -i 1 -r 2 -o write "$T/m"; then
		await grep -q '^1' "$T/out" || fail 'no first round'
		scratch=$(ls "$T/m"/gbtest-*)
		sh "$T/reuse" "$scratch" "$T/reused"
		ended
		if [ -e "$T/reused" ]; then
			want_status 1
			want_err 'another file has taken its name'
			[ "$(cat "$scratch")" = foreign ] || fail 'it was written or removed'
		else
			skip 'no number was given out again'
		fi
	fi
	rm -f "$T/m"/gbtest-*
fi

for load in '-o write,read' '-R -o write,read' '-R -o mix -w 50 -b 64k' '-R -d -q 2 -o write,read' '-p 2 -o read'; do
	t "a later file with the same inode number, at each open: $load"
	[ -n "$mounted" ] || skip 'no ext4'
	at=2
	while [ -n "$mounted" ] && [ $at -lt 15 ]; do
		rm -f "$T/m"/gbtest-* "$T/reused"
		# shellcheck disable=SC2016,SC2086 # the hook's own; a list
		HOOK="sh $T/reuse \$f $T/reused" meddle HOOK_AT=$at -- -c 1 -r 1 $load "$T/m" || break
		[ "$marks" -gt 0 ] || break
		at=$((at + 1))
		[ -e "$T/reused" ] || continue
		want_status 1
		[ "$(cat "$T/m"/gbtest-??????? 2>/dev/null)" = foreign ] || fail "open $at: it was written or removed"
	done
	[ "$case_state" != passed ] || [ $at -gt 3 ] || fail "only $at opens were seen"
done
HOOK=''
[ -z "$mounted" ] || loop_gone

# shellcheck disable=SC2016 # the hook's own
for load in '-R -r 1 -b 64k -o write,read,cache,mix -w 50' '-r 1 -p 2 -o write,read'; do
	for kind in 'mkfifo $f' 'mkdir $f' 'ln -s $T/victim $f' 'ln $T/victim $f' 'ln -s /dev/zero $f' \
	    'ln -s $T/fifo $f' 'cp $T/socket $f' 'mknod $f c 1 5'; do
		case $kind in
		cp*) continue ;;
		mknod*) [ "$(id -u)" = 0 ] || continue ;;
		esac
		t "in its place at each open, $load: $kind"
		echo victim >"$T/victim"
		[ -p "$T/fifo" ] || mkfifo "$T/fifo"
		at=2
		while [ "$case_state" = passed ] && [ $at -lt 15 ]; do
			rm -rf "$D"/gbtest-*
			# shellcheck disable=SC2086 # a list
			HOOK="rm -f \$f; T=$T; $kind" meddle HOOK_AT=$at -- -c 1 $load "$D" || break
			[ "$marks" -gt 0 ] || break
			[ "$status" -eq 1 ] || fail "open $at: status $status"
			# Of two workers, the other one may find nothing while it is put there.
			grep -q 'No such file' "$T/err" || ls -d "$D"/gbtest-??????? >/dev/null 2>&1 ||
			    fail "open $at: what was put there is gone"
			[ "$(cat "$T/victim")" = victim ] || fail "open $at: another file was written"
			at=$((at + 1))
		done
		[ "$case_state" != passed ] || [ $at -gt 3 ] || fail "only $at opens were seen"
		rm -rf "$D"/gbtest-*
	done
done
HOOK=''

for load in '-R' '-R -o read' '-o read' '-o write' '-p 2 -o read'; do
	t "the last removal is refused: $load"
	# shellcheck disable=SC2086 # a list
	inject unlink,unlinkat=error=EPERM -c 1 -r 1 $load "$D" && {
		want_status 1
		want_err '^gbtestdisk: removing the scratch file: .*not permitted'
	}
done

t 'the directory becomes immutable before the last removal'
if need_root && need chattr && start -a -c 1 -R -o write -i 1 -r 2 "$D"; then
	await grep -q '^1' "$T/out" || fail 'no first round'
	if chattr +i "$D" 2>/dev/null; then
		ended
		chattr -i "$D"
		want_status 1
		want_one_line
		want_out '^avg'
	else
		ended
		skip 'the file system knows no immutable directory'
	fi
fi

# 16 blocks; what is lost is found by the read or mix pass that comes next.
# They are larger than the requests by which the program looks at the queue.
for load in '-R -o read,mix -w 50' '-o read,mix -w 50' '-p 2 -R -o read,mix -w 70' \
    '-d -q 4 -R -o read,mix -w 50' '-d -q 4 -p 2 -o read,mix -w 50'; do
	for lose in 1 5; do
		t "write $lose of the mix passes is lost: $load"
		# shellcheck disable=SC2086 # a list
		if meddled LOSE=$lose LOSE_BYTES=131072 LOSE_MIX=1 -- -c 2 -b 128k -r 6 $load "$D"; then
			want_failure 'what was written at offset [0-9]* is not what was read back'
		fi
	done
done
for load in '' '-p 2' '-d -q 2'; do
	t "a lost write of a pass that -t cut is found: $load"
	# shellcheck disable=SC2086 # a list
	if meddled LOSE=5 LOSE_BYTES=131072 SLOW_US=8000 -- -c 8 -b 128k -R -t 0.5 -o write,read $load "$D"; then
		want_failure 'what was written at offset [0-9]* is not what was read back'
	fi
done

t 'no false alarm, whatever the blocks and the share'
for load in '-w 1 -R -b 2300' '-w 10 -R -b 700 -p 3' '-w 50 -b 100 -c 64k' '-w 50 -R -b 3 -c 20k' \
    '-w 99 -R -b 2300 -p 3 -q 5 -c 256k' '-w 99 -b 700 -t 0.2 -r 40' '-w 50 -R -b 2300 -t 0.1 -r 40' \
    '-w 10 -R -d -b 4k -q 5 -p 3' '-w 50 -d -b 4k -q 5 -p 3' '-w 50 -b 4k -q 5 -p 7' '-w 50 -d -b 4k -q 5' '-w 1 -R -b 2300 -r 70 -c 64k' \
    '-w 50 -R -d -b 4k -q 5 -t 0.1 -r 40' '-w 50 -R -b 3 -c 20k -p 3 -t 0.1 -r 40'; do
	# shellcheck disable=SC2086 # a list
	run_with timeout 20 "$G" -c 512k -r 8 -o read,mix $load "$D"
	[ "$status" -eq 0 ] || grep -q 'direct I/O' "$T/err" || fail "$load: status $status"
done

t 'blocks beyond 2^40 are what they are'
if build far -I "$SRC" <<'END'
#define main gbtestdisk_main
#include "gbtestdisk.c"
#undef main
int main(void)
{
	uint64_t block = ((uint64_t)1 << 40) + 12345, generation;
	struct outcome o;
	struct plan p;
	memset(&p, 0, sizeof p);
	memset(&o, 0, sizeof o);
	p.block_bytes = 1;
	p.blocks = p.size_bytes = (uint64_t)5 << 40;
	p.depth = 4;
	p.workers = 1;
	uint64_t end = p.blocks;
	p.cover.parts = 1;
	p.cover.ends = &end;
	p.writes = 1;
	p.check = 1;
	struct worker w;
	memset(&w, 0, sizeof w);
	if (data_make(1, 4, 7) == -1 || (w.buffers = malloc(4)) == NULL || worker_ready(&p, &w, &o) == -1)
		return 77;
	for (generation = 1; generation < 9; generation++, block += 511) {
		p.writing.generation = file.newest = generation;
		file.writings[generation % HISTORY] = p.writing;
		file.writings[generation % HISTORY].is_whole = 1;
		unsigned tag = w.idle[w.idle_count - 1];
		request_make(&p, &w, block);
		struct request *r = &w.requests[tag];
		if (r->block != block || r->offset != block || r->len != 1)
			return 1;
		if (block_check(&p, r->bytes, block, 1, &o) == -1)
			return 2;
		w.idle[w.idle_count++] = tag;
	}
	return 0;
}
END
then
	run_with "$T/far"
	[ "$status" -ne 77 ] || skip 'no asynchronous calls'
	want_status 0
fi

# ---- figures -------------------------------------------------------------------

for load in '-o read' '-o mix -w 20'; do
	t "random blocks smaller than a page have a warning: $load"
	# shellcheck disable=SC2086 # a list
	run -c 256k -R -b 512 -r 1 $load "$D"
	want_status 0
	want_err 'warning: .*blocks of 512 bytes are smaller than a page of [0-9]*, .*-d'
	# shellcheck disable=SC2086
	run -c 1 -R -b 64k -r 1 $load "$D"
	! grep -q 'smaller than a page' "$T/err" || fail 'a warning of whole pages'
	# shellcheck disable=SC2086
	run -c 256k -b 512 -r 1 $load "$D"
	! grep -q 'smaller than a page' "$T/err" || fail 'a warning in sequence'
done

# $T/terminal stop|read COMMAND...: runs it with a terminal on standard error,
# stopped by ^S, or read to standard output.
build terminal <<'END'
#define _GNU_SOURCE
#include <sys/ioctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char bytes[1000];
	struct winsize size = { 24, 100, 0, 0 };
	int status, master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	pid_t pid;
	ssize_t n;

	if (argc < 3 || master == -1 || grantpt(master) == -1 || unlockpt(master) == -1 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) == -1)
		return 99;
	ioctl(slave, TIOCSWINSZ, &size);
	if ((pid = fork()) == 0) {
		dup2(slave, 2);
		close(slave);
		close(master);
		execvp(argv[2], argv + 2);
		_exit(98);
	}
	if (strcmp(argv[1], "stop") == 0)
		tcflow(slave, TCOOFF);
	else {
		close(slave);
		while ((n = read(master, bytes, sizeof bytes)) > 0)
			if (write(1, bytes, (size_t)n) == -1)
				break;
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
END

t 'a terminal that ^S has stopped delays no pass'
if [ -x "$T/terminal" ] && can_strace; then
	for where in read stop; do
		timeout 30 "$T/terminal" $where strace -qq -f -o /dev/null -e trace=pwrite64 \
		    -e inject=pwrite64:delay_exit=100000 "$G" -c 1 -b 64k -r 2 -o write "$D" \
		    >"$T/out" 2>"$T/err" </dev/null || fail "$where: status $?"
		# What a terminal shows is in between.
		tr '\r' '\n' <"$T/out" | grep '^max' >"$T/$where" || grep -a '^max' "$T/out" >"$T/$where"
	done
	[ "$case_state" != passed ] || awk -F '\t' '{ rate[NR] = $2 } END { exit !(rate[2] > .7 * rate[1]) }' \
	    "$T/read" "$T/stop" || fail "$(cat "$T/read" "$T/stop")"
else
	skip 'no terminal to be had'
fi

for load in '-l -m 4 -b 4k' '-l -p 2 -b 4k' '-l -d -q 4 -b 4k -o write,read' '-t 0.3 -b 4k'; do
	t "a clock that goes back: $load"
	# shellcheck disable=SC2086 # a list
	if meddle CLOCK_BACK=7 -- -c 1 -r 2 $load "$D"; then
		if grep -q 'direct I/O' "$T/err"; then
			skip 'no direct I/O here'
		else
			want_status 0
			want_err 'the clock went back'
			awk -F '\t' '!/^#/ { for (i = 2; i <= NF; i++)
				if ($i != "nan" && ($i < 0 || $i > 1e9) && (1 && !/^(max|min|avg)/)) exit 1 }' "$T/out" || fail 'figures of no time'
		fi
	fi
done

t 'a clock that ticks in 10 ms: latencies below its step are said to be'
if meddle CLOCK_STEP=10000000 -- -c 8 -b 4k -l -r 1 -o write,read "$D"; then
	want_status 0
	want_err "warning: read: .*median latency is below the clock's step"
fi

t 'a short last block counts as a call in the map, of a mix pass'
run -j -c 100k -b 60k -r 1 -o mix -w 50 -s -u IOPS -m 1 "$D"
want_status 0
sed -n 's/.*"map":\[{"offset":0,"mixread":\([0-9.]*\),"mixwrite":\([0-9.]*\)}.*/\1 \2/p' "$T/out" >"$T/map"
awk 'NF != 2 || $1 <= 0 || $1 != $2 { bad = 1 } END { exit bad || NR != 1 }' "$T/map" ||
    fail "reads and writes: $(cat "$T/map")"

t 'a worker that was stopped and continued is noticed'
if can_strace && launcher; then
	exec "$T/launch" strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_exit=60000 \
	    "$G" -c 1 -b 64k -p 2 -r 1 -o write "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	# shellcheck disable=SC2317 # await calls it
	worker_there() {
		worker=$(ps -A -o pid= -o ppid= -o args= | awk -v d="$D" '
		    index($0, d) && !/strace|awk/ { p[$1] = $2 } END { for (i in p) if (p[i] in p) { print i; exit } }')
		[ -n "$worker" ]
	}
	if await worker_there; then
		pause
		kill -s STOP "$worker"
		kill -s CONT "$worker"
		ended
		want_status 0
		want_err 'round 1 got SIGCONT'
	else
		ended
		skip 'no worker to be found'
	fi
fi

t 'what lies in the metadata of btrfs is not said to have been evicted'
if loop_disk 128M btrfs; then
	run -c 2k -v -r 3 "$T/m"
	want_status 0
	[ "$(fact evicted)" != yes ] || fail 'evicted yes'
	want_err 'eviction'
	loop_gone
fi

t 'where the flush does nothing, write is doubted as well'
if meddled NO_FLUSH=1 -- -c 1 -r 1 "$D"; then
	want_status 0
	if grep -q 'still in memory' "$T/err"; then
		want_err 'read measures memory, and so may write: -d or -s'
	else
		want_err 'not on the device when its flush had ended: write may measure memory'
	fi
fi

t 'an overlay that is mounted volatile: write is doubted as well'
if loop_disk 64M ext4; then
	mkdir "$T/m/l" "$T/m/u" "$T/m/w" "$T/o"
	if mount -t overlay -o "volatile,lowerdir=$T/m/l,upperdir=$T/m/u,workdir=$T/m/w" overlay "$T/o" 2>/dev/null; then
		mounted="$T/o $mounted"
		run -c 1 -r 1 "$T/o"
		want_status 0
		if grep -q 'still in memory' "$T/err"; then
			want_err 'read measures memory, and so may write: -d or -s'
		else
			want_err 'not on the device when its flush had ended: write may measure memory'
		fi
		umount "$T/o"
	else
		skip 'no volatile overlay'
	fi
	loop_gone
fi

for rounds in 12 13; do
	t "ci is right to six digits at $rounds rounds"
	run -x -c 1 -b 64k -o cache -r $rounds "$D"
	want_status 0
	want "($(figure ci 1) * sqrt($rounds) / $(figure dev 1) / (($rounds == 12) ? 2.200985160 : 2.178812830) - 1) ^ 2 < 1e-13"
done

# ---- ends ----------------------------------------------------------------------

stop_and_go() {
	while kill -s STOP "$pid" 2>/dev/null; do
		sleep 0.05
		kill -s CONT "$pid" 2>/dev/null || break
		sleep 0.05
	done &
	stopper=$!
	await dead
	kill $stopper 2>/dev/null
	kill -s CONT "$pid" 2>/dev/null
	wait $stopper 2>/dev/null
}
dead() { ! kill -0 "$pid" 2>/dev/null; }

for load in '-t 1 -c 64' '-r 2'; do
	t "stopped and continued every 50 ms it ends: $load" || continue
	# A round of 200 ms at the speed of this disk: longer than a stop.
	run -c 1 -b 16k -o write -s -r 1 "$D"
	load="$load -b 16k -o write -s"
	case $load in *-c*) ;; *) load="$load -c $(awk -v s="$(figure avg 1)" 'BEGIN { print int(200 * s + 16) "k" }')" ;; esac
	# shellcheck disable=SC2086 # options
	if start $load "$D"; then
		stop_and_go
		dead || { fail 'it does not end'; kill -s KILL "$pid"; }
		ended
		want_status 0
		want_out '^avg'
		[ "$(grep -c 'run again' "$T/err")" -le 8 ] || fail 'run again without end'
		want_err 'again and again'
		pause
		want_empty
	fi
done

# Counted from the first call on a run that is not meddled with.
if t 'a signal that interrupts a call ends it with the tables of complete rounds, at each call' && can_strace; then
	for load in '-R -r 3 -o write,read,mix -w 50 -b 256k' '-r 3 -a' ; do
		# shellcheck disable=SC2086 # a list
		strace -f -qq -o "$T/all" -e trace=openat,unlink,close,fsync,newfstatat,statx "$G" -c 1 $load "$D" >/dev/null 2>&1
		main=$(awk '{ print $1; exit }' "$T/all")
		for call in openat unlink close fsync statx newfstatat; do
			# shellcheck disable=SC2046 # numbers
			set -- $(awk -v p="$main" -v c="$call" '$1 == p && $2 ~ "^" c "[(]" { n++
			    if (begun) print n } /^[0-9]+ openat.*gbtest-/ { begun = 1 }' "$T/all")
			# Up to a dozen of them, the first and the last among them.
			all=$#
			for at; do
				turn=$((turn + 1))
				[ "$all" -le 12 ] || [ "$turn" -ge "$all" ] || [ $((turn % ((all + 9) / 10))) -eq 1 ] || continue
				# shellcheck disable=SC2086
				inject "$call=error=EINTR:signal=TERM:when=$at" -c 1 $load "$D" || break
				want_signal 15
				grep -q '^avg' "$T/out" || grep -q 'no round was complete' "$T/err" ||
				    fail "$load: $call $at: no tables"
				[ "$case_state" = passed ] || { echo "	at $call $at of $all, $load"; break 3; }
				rm -f "$D"/gbtest-*
			done
			turn=0
		done
	done
fi

child_of() { ps -e -o pid= -o ppid= | awk -v p="$1" '$2 == p { print $1; exit }'; }

for number in 1 2 15; do
	t "with a dead guard signal $number ends it with the tables"
	if start -a -c 1 -i 2 -r 3 -o write,read "$D"; then
		await grep -q '^1' "$T/out" || fail 'no first round'
		the_guard=$(child_of "$pid")
		[ -n "$the_guard" ] && kill -s KILL "$the_guard"
		kill -s "$number" "$pid" 2>/dev/null || kill "-$number" "$pid"
		ended
		want_signal "$number"
		want_out '^avg'
		want_empty
	fi
done
t 'with a dead guard and a file that stays between rounds likewise'
if start -a -c 1 -R -i 2 -r 3 -o write,read "$D"; then
	await grep -q '^1' "$T/out" || fail 'no first round'
	the_guard=$(child_of "$pid")
	[ -n "$the_guard" ] && kill -s KILL "$the_guard"
	kill "$pid"
	ended
	want_signal 15
	want_out '^avg'
	want_empty
fi

if t 'PIPE from outside ends it, also while it writes to a pipe of its own' && can_strace; then
	for load in '-r 2 -o write,read' '-r 2 -p 2 -o write,read'; do
		for at in 1 2 3 4 5 6; do
			# shellcheck disable=SC2086 # a list
			inject "write=signal=PIPE:when=$at" -c 1 $load "$D"
			# The last writes are the tables, the guard's and the workers' ignore it.
			[ "$status" -eq 0 ] || want_signal 13
			[ "$at" -gt 3 ] || want_signal 13
			[ "$case_state" = passed ] || { echo "	at write $at, $load"; break; }
		done
		pause
		want_empty
	done
fi

t 'a signal that comes just before a rest begins ends the rest'
if meddled TERM_IN_REST=1 -- -c 1 -r 2 -i 1000 -o write "$D"; then
	want_signal 15
	want_out '^avg'
fi

t 'a standard output that does not block is waited for'
if build nonblocking <<'END'
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static char bytes[1000];
	int fds[2], status;
	ssize_t n;

	if (argc < 2 || pipe(fds) == -1)
		return 99;
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	if (fork() == 0) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execvp(argv[1], argv + 1);
		_exit(98);
	}
	close(fds[1]);
	sleep(1);
	while ((n = read(fds[0], bytes, sizeof bytes)) > 0)
		if (write(1, bytes, (size_t)n) == -1)
			return 97;
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
END
then
	run_with "$T/nonblocking" "$G" -c 5000k -b 512 -m 10000 -r 1 -o cache "$D"
	want_status 0
	[ "$(grep -c '^[0-9]' "$T/out")" -eq 10000 ] || fail 'rows are missing'
fi

t 'what is reserved for root is not measured with'
if loop_disk 24M ext4; then
	umount "$T/m"
	mkfs.ext4 -qF -m 50 "$loop"
	mount "$loop" "$T/m"
	run -c 14 -r 1 "$T/m"
	want_status 1
	want_err 'No space left on device: the file takes 14.0 MiB, .* free for users'
	if unshare -Ur true 2>/dev/null; then
		run_with unshare -Ur "$G" -c 14 -r 1 "$T/m"
		want_status 1
		want_err 'free for users: lower -c'
	fi
	loop_gone
fi

t 'where a file system reports no space at all nothing is refused'
if meddled NO_SPACE_KNOWN=1 -- -c 1 -r 1 "$D"; then
	want_status 0
fi

t 'an empty file has no warning of eviction'
run -t 0.0000001 "$D"
want_status 0
! grep -q 'eviction' "$T/err" || fail 'a warning of eviction'

# shellcheck disable=SC3045 # a shell without -v makes no difference
t 'with little address space the verifier stays'
# shellcheck disable=SC2016 # the other shell's
run_with sh -c 'ulimit -v 9000 2>/dev/null || exit 77; exec "$0" -v -c 1 -b 64k -r 1 "$1"' "$G" "$D"
if [ "$status" -eq 77 ] || grep -q 'shared librar' "$T/err"; then
	skip 'no limit of address space'
else
	want_status 0
	case $(fact verify) in
	mincore) [ "$(fact resident)" != unknown ] || fail 'resident unknown' ;;
	*) skip 'no mincore' ;;
	esac
fi

t 'control characters of eight bits do not reach the terminal, by -v nor -j'
raw=$(printf '\233') two=$(printf '\302\233')
for name in "$raw" "$two"; do
	mkdir "$D/a${name}b" 2>/dev/null || { skip 'no such names here'; break; }
	for option in -v -j; do
		run $option -c 64k -r 1 -o write "$D/a${name}b"
		want_status 0
		! grep -qaF "$name" "$T/out" || fail "$option lets it through"
		! grep -qaF "$name" "$T/err" || fail "$option: the warning lets it through"
	done
	rmdir "$D/a${name}b"
done

t 'digits beyond the fifteenth count'
run -w 100.0000000000000001 "$D"
want_status 2
run -w 100.0000000000000000 -c 64k -r 1 -o mix "$D"
want_status 0

t 'one round is no rounds'
run -e 0.000001 -r 1 -c 64k -o write "$D"
want_err 'after 1 round:'

finish
