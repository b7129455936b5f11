#!/bin/sh
# What the field found: the first round, orders, maps, shares of processors,
# signals that were ignored, what is shown while one waits, odd shares.
. ./lib.sh

# ---- figures -------------------------------------------------------------------

# The program asks for its usage before and after each pass.
t 'the first round has no page faults that later ones have not'
if build faults.so -shared -fPIC -ldl <<'END'
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int getrusage(int who, struct rusage *u)
{
	int r = (int)syscall(SYS_getrusage, who, u);
	char line[50];
	int fd = open(getenv("FAULTS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(fd, line, (size_t)snprintf(line, sizeof line, "%ld\n", u->ru_minflt)) > 0)
		close(fd);
	return r;
}
END
then
	run_with env LD_PRELOAD="$T/faults.so" FAULTS="$T/faults" "$G" -c 8 -r 3 -l -m 8 -o write,read "$D"
	want_status 0
	if [ -s "$T/faults" ] && [ "$(wc -l <"$T/faults")" -ge 12 ]; then
		# The passes are the last twelve, two to a pass.
		tail -n 12 "$T/faults" | awk 'NR % 2 { a = $1; next } { n[NR / 2] = $1 - a }
		    END { print n[1], n[2], n[3], n[4], n[5], n[6]; exit n[1] > n[3] + 40 || n[2] > n[4] + 40 }' \
		>"$T/faulted" || fail "faults in write and read of each round: $(cat "$T/faulted")"
	else
		skip 'usage is asked for in another way'
	fi
fi

for load in '-p 64' '-q 64' '-p 8 -q 2 -b 1m'; do
	t "processes without a block have a warning: $load"
	# shellcheck disable=SC2086 # a list
	run -c 4 -r 1 -o write $load "$D"
	want_status 0
	want_err 'warning: .*only 4 of [0-9]* processes had a block to move'
done

t '-h says what read and cache are'
run -h
want_out '^ *read  .*[a-z]'
want_out '^ *cache  .*[a-z]'

# orders TRACE BLOCK: of each pass its kind, its calls, and how many neighbours
# in its order were neighbours in the order of the pass before.
orders() {
	sed -n 's/^[0-9 ]*\(p[a-z]*64\)(.*, \([0-9]*\), \([0-9]*\)) *= [0-9]* *.*/\1 \2 \3/p' "$1" | awk -v block="$2" '
	function ending(i, near) {
		for (i = 1; i < n; i++)
			if ((at[i] in before) && (at[i + 1] in before) &&
			    (before[at[i]] - before[at[i + 1]]) ^ 2 == 1) near++
		if (n > 0) print kind, n, near + 0
		split("", before)
		for (i in seen) before[i] = seen[i]
		split("", seen); n = 0
	}
	$2 != block { next }
	$1 != kind || ($3 in seen) { ending() }
	{ kind = $1; seen[$3] = ++n; at[n] = $3 }
	END { ending() }'
}
for load in '-o write,read,cache -r 3' '-o write,read -p 2 -r 2' '-o write,read -t 0.6' \
    '-o write,read,cache -t 0.9 -p 2'; do
	t "no random pass has the order of the one before: $load"
	can_strace || continue
	delay=''
	case $load in *-t*) delay='-e inject=pwrite64:delay_exit=5000' ;; esac
	# shellcheck disable=SC2086 # lists
	run_with strace -f -qq -o "$T/trace" -e trace=pread64,pwrite64 $delay "$G" -c 1024k -b 8k -R $load "$D"
	want_status 0
	orders "$T/trace" 8192 >"$T/orders"
	# Chance has two neighbours or so; one order had twice would have them all.
	awk '$2 > 10 { passes++ } $2 > 10 && $3 > 8 + $2 / 16 { bad = 1 } END { exit bad || passes < 2 }' \
	    "$T/orders" || fail "calls and neighbours of each pass: $(tr '\n' ';' <"$T/orders")"
done

# neighbours CALL TRACE LAYOUT: of the calls of 4 KiB in a trace, how many there
# are, and how many of them lie on the disk just behind the one before, by what
# filefrag -v printed.
neighbours() {
	sed -n "s/^[0-9 ]*$1(.*, 4096, \([0-9]*\)) *= 4096.*/\1/p" "$2" | awk -v layout="$3" '
	BEGIN {
		while ((getline line <layout) > 0)
			if (split(line, field, /[.: ]+/) > 6 && line ~ /^ *[0-9]+:/) {
				first = line ~ /^ / ? 3 : 2
				for (k = 0; k <= field[first + 1] - field[first]; k++)
					place[field[first] + k] = field[first + 2] + k
			}
	}
	{
		at = place[$1 / 4096]
		n++
		near += n > 1 && at == last + 1
		last = at
	}
	END { print n + 0, near + 0 }'
}
if t 'on btrfs, which lays out in the order of writing, random reads are random on the disk' && can_strace && need filefrag &&
    loop_disk 256M btrfs; then
	strace -f -qq -o "$T/trace" -e trace=pread64,pwrite64 \
	    "$G" -a -d -R -b 4k -c 4 -r 2 -i 5 -o write,read "$T/m" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	if await grep -q '^1	' "$T/out"; then
		cp "$T/trace" "$T/round"
		sync -f "$T/m"
		filefrag -v "$T/m"/gbtest-* >"$T/layout"
		neighbours pwrite64 "$T/round" "$T/layout" >"$T/written"
		neighbours pread64 "$T/round" "$T/layout" >"$T/was-read"
		awk '{ exit !($1 >= 1024 && $2 > 700) }' "$T/written" ||
		    fail "not laid out in the order of writing: $(cat "$T/written")"
		# Chance has one of 1,024 behind the one before.
		awk '{ exit !($1 == 1024 && $2 < 20) }' "$T/was-read" ||
		    fail "reads, and those that lie behind the one before: $(cat "$T/was-read")"
	else
		fail 'no first round'
	fi
	kill -s TERM "$pid"
	ended
	loop_gone
fi

# With a delay in each call the time of the calls is that of the pass.
for load in '-o write,read' '-o write,read -R' '-o mix -w 30 -R' '-o mix -w 50' '-o write,read -p 2' \
    '-o mix -w 30 -R -q 2' '-o mix -w 30 -R -d' '-o write,read -d'; do
	t "the parts of the map, weighed by their time, give the summary: $load"
	can_strace || continue
	# shellcheck disable=SC2086 # a list
	run_with strace -f -qq -o /dev/null -e trace=pread64,pwrite64 -e inject=pread64,pwrite64:delay_exit=4000 \
	    "$G" -c 1 -b 16k -s -r 1 -m 4 $load "$D"
	case $load in *-d) grep -q 'direct I/O:' "$T/err" && { skip 'no direct I/O here'; continue; } ;; esac
	want_status 0
	workers=1
	case $load in *'-p 2' | *'-q 2') workers=2 ;; esac
	# Equal parts of the file: the time of each is its bytes over its rate.
	awk -F '\t' -v arguments="$load" -v workers="$workers" '
	/^avg/ { for (i = 2; i <= NF; i++) avg[i - 1] = $i; columns = NF - 1 }
	/^#offset/ { map = 1; next }
	map && NF > 1 { parts++; sum = 0
		for (i = 2; i <= NF; i++) { sum += $i; inverse[i - 1] += 1 / ($i + 1e-9) }
		mixed += 1 / sum }
	END {
		if (parts != 4) exit 1
		if (index(arguments, "mix")) {
			r = 4 / mixed / (avg[1] + avg[2])
			print r; exit !(r > .8 / workers && r < 1.3)
		}
		for (i = 1; i <= columns; i++) {
			r = 4 / inverse[i] / avg[i]
			print r
			if (r < .8 / workers || r > 1.3) exit 1
		}
	}' "$T/out" >"$T/ratio" || fail "map over summary: $(tr '\n' ' ' <"$T/ratio")"
done

t 'no more processors are at work than there are'
for load in '-q 64' '-p 8 -q 8' '-q 1'; do
	# shellcheck disable=SC2086 # a list
	run -v -c 16 -b 64k -r 2 -o cache $load "$D"
	want_status 0
	want "$(fact 'cpu cache') <= $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 64) * 1.05 + .05"
done

# ---- signals -------------------------------------------------------------------

# kept_from NUMBER LOAD COMMAND...: the program, begun by that command, gets a
# signal in its first rest and ends as if there were none.
kept_from() {
	kept_number=$1 kept_load=$2
	shift 2
	: >"$T/out"
	# shellcheck disable=SC2086 # a list
	"$@" "$G" -a -i 0.2 -c 1 -b 64k -r 3 -o write,read $kept_load "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await grep -q '^1' "$T/out"
	kill -s "$kept_number" "$pid"
	ended
	want_status 0
	want_out '^avg'
	want_empty
}
for load in '' '-p 2'; do
	for number in ALRM CHLD USR1 CONT PIPE; do
		t "$number, ignored from the start, stays ignored: ${load:-one worker}" || continue
		# shellcheck disable=SC2016 # the inner shell's own
		kept_from $number "$load" sh -c 'trap "" $1; shift; exec "$@"' sh $number
	done
done
can_block() {
	env --block-signal="$1" true 2>/dev/null && return 0
	skip 'needs an env that blocks signals'
	return 1
}
for load in '' '-p 2 -q 2'; do
	for number in ALRM CHLD USR1 CONT PIPE INT TERM; do
		t "$number, blocked from the start, waits: ${load:-one worker}" && can_block $number &&
		    kept_from $number "$load" env --block-signal=$number
	done
done
if t 'with PIPE blocked, a reader that went away is an error' && can_block PIPE; then
	{
		env --block-signal=PIPE "$G" -a -c 1 -b 64k -r 2000 "$D" 2>"$T/err" </dev/null
		echo $? >"$T/status"
	} | head -n 1 >"$T/out"
	[ "$(cat "$T/status")" = 1 ] || fail "status $(cat "$T/status")"
	want_err '^gbtestdisk: writing the results: standard output: Broken pipe$'
	want_empty
fi

# ---- slow drives and odd shares ------------------------------------------------

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

# shown DELAYED ARGUMENT...: what a terminal shows, a line each, of a run whose
# calls DELAYED take 1.7 s longer each.
shown() {
	[ -x "$T/terminal" ] || { skip 'no terminal to be had'; return 1; }
	can_strace || return 1
	delayed=$1
	shift
	timeout 40 "$T/terminal" read strace -f -qq -o /dev/null -e "trace=$delayed" \
	    -e "inject=$delayed:delay_enter=1700000" "$G" "$@" >"$T/screen" 2>"$T/err" </dev/null
	status=$?
	tr '\r' '\n' <"$T/screen" | grep '[^ ]' >"$T/out"
}

t 'a flush that takes long is named, and how long it takes'
if shown fsync -c 1 -r 1 -o write "$D"; then
	want_status 0
	want_out 'round 1/1 flushing *for 0:00:01'
fi
t 'laying the file out is named'
if shown pwrite64 -c 2 -r 1 -o read "$D"; then
	want_status 0
	want_out 'round 1/1 layout'
fi
t 'evicting is named'
if shown fadvise64 -c 1 -r 1 -o read "$D"; then
	want_status 0
	want_out 'round 1/1 evicting *for 0:00:01'
fi
t 'removing is named'
if shown unlink -c 1 -r 1 -o write "$D"; then
	want_status 0
	want_out 'removing *for 0:00:01'
fi
t 'resting is named'
if shown nanosleep -c 64k -r 2 -i 2 -o write "$D"; then
	want_status 0
	want_out 'round 2/2 resting *for 0:00:01'
fi
t 'short rounds show the round, the pass and the time left'
if shown nanosleep -c 64k -b 4k -t 2.5 -o write,read "$D"; then
	want_status 0
	want_out 'round [0-9]* [a-z]* .*0:00:0[012] left'
fi
t 'a run of less than a second draws nothing'
if shown nanosleep -c 64k -r 2 "$D"; then
	want_status 0
	! grep -q '^round' "$T/out" || fail 'it draws'
fi

# $T/odd.so: a share that refuses what REFUSED names, with the errno ERROR.
t 'odd shares can be made'
build odd.so -shared -fPIC -ldl <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int opened(const char *path, int flags, int mode)
{
	const char *what = getenv("REFUSED");
	if (strncmp(path, "gbtest-", 7) == 0 && ((strcmp(what, "RDWR") == 0 &&
	    (flags & O_ACCMODE) == O_RDWR) || (strcmp(what, "NOFOLLOW") == 0 && (flags & O_NOFOLLOW)))) {
		errno = atoi(getenv("ERROR"));
		return -1;
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
END
for load in '' '-R' '-p 2' '-d'; do
	for refused in 'RDWR ERROR=95' 'RDWR ERROR=13' 'RDWR ERROR=1' 'NOFOLLOW ERROR=95'; do
		t "a share that refuses $refused: ${load:-in sequence}"
		[ -e "$T/odd.so" ] || { skip 'no preloaded library'; continue; }
		# shellcheck disable=SC2086 # lists
		run_with env LD_PRELOAD="$T/odd.so" REFUSED=$refused "$G" -c 1 -r 2 $load "$D"
		want_status 0
		want_empty
	done
done

for call in fadvise64 mincore; do
	name=posix_fadvise
	[ $call = fadvise64 ] || name=mincore
	for error in EPERM ENOSYS; do
		t "$name that is refused is named, and why: $error"
		# Where the device's count proves the eviction, nothing is to be said.
		if inject "$call,getrusage=error=$error" -c 1 -r 1 "$D"; then
			want_status 0
			want_err "warning: .*$name was refused (.*-d"
		fi
	done
done

# ---- words ---------------------------------------------------------------------

t 'appends of 2300 bytes, each flushed'
run -o write -b 2300 -s -c 230k -r 1 -l -u IOPS "$D"
want_status 0
awk -F '\t' '$1 == "99" && $2 > 0 { found = 1 } END { exit !found }' "$T/out" || fail 'no 99th percentile'

t 'the page has both examples'
grep -q -- '-b 2300' "$SRC/gbtestdisk.1" || fail 'no example of appends'
grep -q 'exit' "$SRC/gbtestdisk.1" || fail 'no example that ends with a status'

t 'the page is no wider than 80 columns'
if need mandoc; then
	mandoc -T ascii "$SRC/gbtestdisk.1" 2>/dev/null | sed "s/.$(printf '\b')//g" | awk 'length > 80 { exit 1 }' ||
	    fail 'a longer line'
fi

t 'dietlibc compiles it without librt'
if need diet; then
	diet gcc -DNO_LIBRT -o "$T/small" "$SRC/gbtestdisk.c" >"$T/err" 2>&1 || fail 'it does not compile'
fi

finish
