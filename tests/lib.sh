# What every test file shares: sourced first, by its own directory.
#
# A case is `if t NAME; then ... fi`, or in a loop begins with
# `t NAME || continue`.  t says whether the case is asked for; it has passed
# when the next one begins, or `finish` comes, unless `fail` or `skip` was
# called in between.  t_all instead of t: only where all cases are asked for
# (make check-all), since it takes long or is one more of its kind.
#
#	G	the program under test
#	T	a directory of this file's own, removed at the end
#	D	an empty directory in it, for the program to test
#	$status, $T/out, $T/err	what the last `run` left
#
# From tests/run: TEST_CASE, the one case that is asked for; TEST_QUICK, set
# where t_all is to leave its cases out.

LC_ALL=C
export LC_ALL
unset POSIXLY_CORRECT
G=${GBTESTDISK:?is not set: run this file by tests/run}
# shellcheck disable=SC2034 # for the files that source this one
SRC=$(cd .. && pwd)
T=$(cd "${TMPDIR:-/tmp}" && pwd)/gbtestdisk-test.$$
D=$T/d
mounted='' loops='' case_name='' case_state=''

clean_up() {
	for dir in $mounted; do umount "$dir" 2>/dev/null || umount -l "$dir" 2>/dev/null; done
	for dev in $loops; do losetup -d "$dev" 2>/dev/null; done
	chattr -R -i "$T" 2>/dev/null
	rm -rf "$T"
}
trap clean_up 0
trap 'exit 1' 1 2 15
mkdir "$T" "$D" || exit 1

t() {
	case_end
	case_name=$1
	[ -z "${TEST_CASE-}" ] || [ "$TEST_CASE" = "$1" ] || return 1
	case_state=passed
	rm -rf "${D:?}"/* "$D"/.[!.]* 2>/dev/null
	return 0
}

t_all() {
	case_end
	[ -z "${TEST_QUICK-}" ] && t "$1"
}

# result KIND WHY: a line for tests/run.
result() { printf '%s\t%s\t%s\t%s\n' "$1" "${0##*/}" "$case_name" "$2" >>"$RESULTS"; }

case_end() {
	[ "$case_state" != passed ] || result passed ''
	case_state=
}

# fail WHY: the case has failed; what the program said last is shown.
fail() {
	[ "$case_state" = passed ] || return 0
	case_state=failed
	result failed "$1"
	echo "failed ${0##*/}: $case_name: $1"
	sed 's/^/	out: /; 10q' "$T/out" 2>/dev/null
	sed 's/^/	err: /; 10q' "$T/err" 2>/dev/null
}

# skip WHY: the case cannot run here.
skip() {
	[ "$case_state" = passed ] || return 0
	case_state=skipped
	result skipped "$1"
}

finish() {
	case_end
	exit 0
}

# need COMMAND...: returns 1, the case skipped, where one is missing.
need() {
	for command; do
		command -v "$command" >/dev/null 2>&1 && continue
		skip "needs $command"
		return 1
	done
}

need_root() {
	[ "$(id -u)" = 0 ] && return 0
	skip 'needs root'
	return 1
}

# run ARGUMENT...: the program, with its output kept.
run() {
	"$G" "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
}

# run_with COMMAND...: any command that runs the program, likewise.
run_with() {
	"$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
}

# nobody ARGUMENT...: the program, run by a user without rights.
nobody() {
	if [ "$(id -u)" != 0 ]; then
		run "$@"
		return 0
	fi
	need setpriv || return 1
	if ! setpriv --reuid=65534 --regid=65534 --clear-groups "$G" -V >/dev/null 2>&1; then
		skip 'a user without rights cannot run the program'
		return 1
	fi
	run_with setpriv --reuid=65534 --regid=65534 --clear-groups "$G" "$@"
}

# works ARGUMENT...: a run that ends well.
works() {
	run "$@"
	want_status 0
}

# misused ARGUMENT...: a run that is a usage error: nothing is done.
misused() {
	run "$@"
	want_status 2
	want_one_line
	want_no_out
	want_empty
}

want_status() { [ "$status" -eq "$1" ] || fail "status $status, not $1"; }
want_out() { grep -q -- "$1" "$T/out" || fail "no '$1' on standard output"; }
want_err() { grep -q -- "$1" "$T/err" || fail "no '$1' on standard error"; }
# want_no_err: nothing but what the speed of a machine may call for.
want_no_err() {
	! grep -v ' read reached .* of cache\| steps of the clock' "$T/err" >/dev/null ||
	    fail 'something on standard error'
}
want_no_out() { [ ! -s "$T/out" ] || fail 'something on standard output'; }
want_empty() { [ -z "$(ls -A "${1:-$D}")" ] || fail "left behind: $(ls -A "${1:-$D}")"; }

# want_interrupted SIGNAL: standard error says that it ended the run; besides,
# a busy machine may have it that passes were short or reads as fast as memory.
want_interrupted() {
	grep -v -e 'requests were in flight on average: the pass is too short' \
	    -e ' read reached [0-9.]* of cache' -e 'the processors were the limit' "$T/err" >"$T/messages"
	[ "$(wc -l <"$T/messages")" -eq 1 ] || fail 'not one line on standard error'
	want_err "^gbtestdisk: warning: signal $1 ended the run: \\([0-9]* of \\)*\\(1 round is\\|[02-9] rounds are\\|[0-9][0-9][0-9]* rounds are\\) in the tables"
}

# want_one_line: standard error is one line that begins with the name.
want_one_line() {
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail 'not one line on standard error'
	want_err '^gbtestdisk: '
}

# want_failure PATTERN: what "fails well" means in the contract.
want_failure() {
	case $status in 0 | 12[89] | 1[3-9]? | 2??) fail "status $status" ;; esac
	want_one_line
	want_err "$1"
	! grep -q '^avg' "$T/out" || fail 'a figure for what failed'
	want_empty "${2:-$D}"
}

# want_table COLUMNS: a summary of max, min, avg and no more.
want_table() {
	awk -F '\t' -v n="$1" '
	/^# / { next }
	NF != n + 1 { bad = 1 }
	/^#/ { next }
	{ rows = rows $1 " "; for (i = 2; i <= NF; i++)
		if ($i !~ /^[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]$/ || $i <= 0) bad = 1 }
	END { exit bad || rows != "max min avg " }' "$T/out" || fail "not a table of $1 columns"
}

# rows: how many rows of -a there are.
rows() { awk -F '\t' '/^$/ { exit } /^[0-9]/ { n++ } END { print n + 0 }' "$T/out"; }

# figure ROW COLUMN: a number of the summary, columns from 1.
figure() { awk -F '\t' -v r="$1" -v c="$2" '$1 == r { print $(c + 1) }' "$T/out"; }

# cell ROW COLUMN: what is in the row of that name of -l or -m, fields from 1.
cell() { awk -F '\t' -v r="$1" -v c="$2" '/^#(percentile|offset)/ { on = 1 } on && $1 == r { print $c }' "$T/out"; }

# holds EXPRESSION: whether awk finds it true.
holds() { awk "BEGIN { exit !($1) }"; }
want() { holds "$1" || fail "not so: $1"; }

# fact KEY: the value of a -v line.
fact() { sed -n "s|^# $1 ||p" "$T/out"; }
want_fact() { [ "$(fact "$1")" = "$2" ] || fail "$1 is $(fact "$1"), not $2"; }

# text_of ERROR: a pattern for its text, glibc's and musl's.
text_of() {
	case $1 in
	EACCES) echo 'Permission denied' ;;
	EAGAIN) echo '.*emporarily unavailable' ;;
	EBUSY) echo '.*[Rr]esource busy' ;;
	EDQUOT) echo '.*[Qq]uota exceeded' ;;
	EFBIG) echo 'File too large' ;;
	EINTR) echo 'Interrupted system call' ;;
	EINVAL) echo 'Invalid argument' ;;
	EIO) echo 'I.*/[oO].*error' ;;
	EMFILE | ENFILE) echo '.* file' ;;
	ENOMEM) echo '.*emory' ;;
	ENOSPC) echo 'No space left on device' ;;
	ENOSYS) echo '.*unction not implemented' ;;
	EPERM) echo 'Operation not permitted' ;;
	EROFS) echo 'Read-only file system' ;;
	ESTALE) echo 'Stale' ;;
	*) echo "$1" ;;
	esac
}

# on_disk: skips the case where the test directory is in memory: all warn there.
on_disk() {
	case $(df -P "$D" 2>/dev/null | awk 'NR == 2 { print $1 }') in
	tmpfs | ramfs) skip 'the test directory is in memory'; return 1 ;;
	esac
}

# on_direct: skips the case where the test directory knows no direct I/O.
on_direct() {
	run -d -c 64k -b 64k -r 1 "$D"
	[ "$status" -eq 0 ] && return 0
	skip 'no direct I/O in the test directory'
	return 1
}

# in_memory: $M is a directory in memory, or else $D; `t` does not empty it.
in_memory() {
	M=/dev/shm/gbtestdisk-test.$$
	trap 'rm -rf "/dev/shm/gbtestdisk-test.$$"; clean_up' 0
	mkdir -m 700 "$M" 2>/dev/null || M=$D
}

# has_memory MIB, room MIB: whether so much is free, and in $M as well.
has_memory() {
	[ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo 2>/dev/null || echo 0)" -ge $(($1 * 1024)) ] && return 0
	skip "needs $1 MiB of memory"
	return 1
}
room() {
	[ "$M" != "$D" ] || { skip 'needs /dev/shm'; return 1; }
	[ "$(df -Pk "$M" | awk 'NR == 2 { print $4 }')" -ge $(($1 * 1024)) ] && has_memory "$1" && return 0
	skip "needs $1 MiB in /dev/shm"
	return 1
}

# make_file_system TYPE DEVICE
make_file_system() {
	case $1 in
	ext*) mkfs."$1" -qF "$2" ;;
	*) mkfs."$1" -qf "$2" >/dev/null ;;
	esac
}

# loop_disk SIZE TYPE [OPTION...]: a new file system of that type and size on
# a loop device, mounted on $T/m; OPTIONs go to losetup.  $loop is the device.
loop_disk() {
	loop_size=$1 loop_type=$2
	shift 2
	need_root && need losetup "mkfs.$loop_type" || return 1
	truncate -s "$loop_size" "$T/img"
	loop=$(losetup "$@" -f --show "$T/img" 2>/dev/null) || {
		skip 'no loop device to be had'
		return 1
	}
	loops="$loops $loop"
	make_file_system "$loop_type" "$loop" || { skip "mkfs.$loop_type failed"; return 1; }
	mkdir -p "$T/m"
	# shellcheck disable=SC2086 # a list
	mount $MOUNT_OPTIONS "$loop" "$T/m" 2>"$T/err" || {
		skip "the kernel does not mount $loop_type"
		return 1
	}
	mounted="$T/m $mounted"
	rmdir "$T/m/lost+found" 2>/dev/null
	return 0
}

# moved_sectors FIELD: what the kernel has counted of $loop: 6 read, 10 written.
moved_sectors() { awk -v d="${loop##*/}" -v f="$1" '$3 == d { print $f }' /proc/diskstats; }
can_count() {
	[ -r /proc/diskstats ] && [ -n "$(moved_sectors 6)" ] && return 0
	skip 'needs the counts of /proc/diskstats'
	return 1
}

loop_gone() {
	umount "$T/m"
	losetup -d "$loop"
	mounted='' loops=''
	rm -f "$T/img"
}

# memory_disk TYPE [OPTION...]: a tmpfs or ramfs mounted on $T/m.
memory_disk() {
	need_root || return 1
	memory_type=$1
	shift
	mkdir -p "$T/m"
	mount -t "$memory_type" "$@" "$memory_type" "$T/m" 2>"$T/err" || {
		skip "the kernel does not mount $memory_type"
		return 1
	}
	mounted="$T/m $mounted"
}

memory_gone() {
	umount "$T/m"
	mounted=
}

can_strace() {
	need strace || return 1
	strace -o /dev/null true 2>/dev/null && return 0
	skip 'strace may not trace here'
	return 1
}

# inject SYSCALLS=WHAT ARGUMENT...: runs the program under strace, which
# does WHAT to those calls; skips the case where strace cannot.
inject() {
	can_strace || return 1
	calls=${1%%=*} what=${1#*=}
	shift
	run_with strace -f -qq -o /dev/null -e "trace=$calls" -e "inject=$calls:$what" "$G" "$@"
	# strace says so if a process is killed while one of its calls is tampered with.
	grep -v '^strace: Failed to tamper' "$T/err" >"$T/err.own"
	mv "$T/err.own" "$T/err"
}

# traced CALLS ARGUMENT...: a run, with those calls of all its processes in
# $T/trace.
traced() {
	can_strace || return 1
	traced_calls=$1
	shift
	run_with strace -f -qq -s 0 -o "$T/trace" -e "trace=$traced_calls" "$G" "$@"
}

# moved_by CALL BYTES: who moved so many bytes where, in order, from $T/trace.
# strace knows the offset of a write as it begins, of a read when it is done.
moved_by() {
	case $1 in
	pwrite64) sed -n "s/^\([0-9]*\) .*pwrite64(.*, $2, \([0-9][0-9]*\)[ )].*/\1 \2/p" "$T/trace" ;;
	*) sed -n "/pread64/s/^\([0-9]*\) .*, $2, \([0-9][0-9]*\)) *= $2.*/\1 \2/p" "$T/trace" ;;
	esac
}
moved() { moved_by "$1" "$2" | sed 's/.* //'; }

# own_pread N: the number of the program's own N-th pread64 (N may end in +):
# the loader may read by such calls as well.
own_pread() {
	if [ ! -f "$T/loader" ]; then
		: >"$T/loader"
		strace -f -qq -o "$T/loader" -e trace=pread64 "$G" -V >/dev/null 2>&1
	fi
	echo $((${1%%+*} + $(grep -c pread64 "$T/loader")))"${1#"${1%%+*}"}"
}

# can_be_alone: $alone COMMAND... runs it where it sees no other process.
can_be_alone() {
	need unshare || return 1
	for alone in 'unshare -p -f --mount-proc' 'unshare -r -p -f --mount-proc'; do
		$alone true 2>/dev/null && return 0
	done
	skip 'no process numbers of its own to be had'
	return 1
}

# pause: a tenth of a second; a whole one where sleep knows no fractions.
pause() { sleep 0.1 2>/dev/null || sleep 1; }

# await COMMAND...: whether it succeeds within about ten seconds.
await() {
	await_tries=0
	until "$@"; do
		await_tries=$((await_tries + 1))
		[ "$await_tries" -le 100 ] || return 1
		pause
	done
}

# shellcheck disable=SC2317 # await calls these
scratch_there() { [ -n "$(ls -A "$D")" ]; }
scratch_gone() { [ -z "$(ls -A "$D")" ]; }

# want_gone_soon: the guard has a second to remove the file.
want_gone_soon() {
	gone_tries=0
	until scratch_gone; do
		gone_tries=$((gone_tries + 1))
		[ "$gone_tries" -le 10 ] || break
		pause
	done
	want_empty
}

# process_table: number, parent, state, name and arguments of every process.
process_table() { ps -A -o pid= -o ppid= -o stat= -o comm= -o args= 2>/dev/null; }
can_ps() {
	process_table | grep -q "^ *$$ " && return 0
	need ps && skip 'ps does not know -A and -o'
	return 1
}

# children PID: those that have not ended.
children() { process_table | awk -v p="$1" '$2 == p && $3 !~ /^Z/ { print $1 }'; }
# A process that ended and that nobody waited for is no process.
process_gone() { process_table | awk -v p="$1" '$1 == p && $3 !~ /^Z/ { found = 1 } END { exit found }'; }

# build NAME [FLAG...]: compiles standard input, a C program, to $T/NAME;
# skips the case where that cannot be done.
build() {
	build_name=$1
	shift
	cat >"$T/$build_name.c"
	# shellcheck disable=SC2086 # CC may hold flags
	${CC:-cc} "$@" -o "$T/$build_name" "$T/$build_name.c" >"$T/build.log" 2>&1 && return 0
	skip "${CC:-cc} does not compile ${build_name}.c"
	return 1
}

# launcher: makes $T/launch, which runs a command with every signal at its
# default, as a terminal does and a script's background does not.  The alarm
# ends what hangs.
launcher() {
	[ -x "$T/launch" ] || build launch <<'END'
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	sigset_t none;
	int number;

	for (number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, 0);
	alarm(60);
	if (argc > 1)
		execvp(argv[1], argv + 1);
	return 127;
}
END
}

# can_wait: skips the case where the shell's `wait` does not tell how a process
# ended that has ended before.
can_wait() {
	if [ -z "${wait_tells-}" ]; then
		sh -c 'exit 7' &
		pause
		wait $!
		wait_tells=$?
	fi
	[ "$wait_tells" -eq 7 ] && return 0
	skip "the shell's wait loses the status"
	return 1
}

# start ARGUMENT...: the program in the background, as $pid.
start() {
	can_wait && launcher || return 1
	: >"$T/out" # so that what an earlier run said is not taken for this one's
	exec "$T/launch" "$G" "$@" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
}

# ended: waits for what was started; some shells' wait returns too early.
ended() {
	ended_tries=0
	while :; do
		wait "$pid" 2>/dev/null
		status=$?
		ended_tries=$((ended_tries + 1))
		kill -0 "$pid" 2>/dev/null || break
		[ "$ended_tries" -le 600 ] || break
		pause
	done
}

# want_signal NUMBER: it died by that; shells add 128, 256 or 384.
want_signal() {
	if [ "$status" -le 128 ] || [ $((status % 128)) -ne "$1" ]; then
		fail "status $status, not signal $1"
	fi
}

# hold CALL WHEN ARGUMENT...: starts the program so that it stops itself at
# that system call: the first if WHEN is 1, each if it is 1+, as strace
# counts.  It has stopped once on return, for `held` or `resume` to go on.
hold() {
	can_strace && can_wait && launcher || return 1
	hold_call=$1 hold_when=$2 hold_count=0
	shift 2
	: >"$T/trace"
	exec "$T/launch" strace -D -f -o "$T/trace" -e "trace=$hold_call" \
	    -e "inject=$hold_call:signal=STOP:when=$hold_when" \
	    "$G" "$@" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	held
}

hold_reached() { [ "$(grep -c 'stopped by SIGSTOP' "$T/trace")" -ge "$hold_count" ]; }

# held: waits until the program has stopped itself once more.
held() {
	hold_count=$((hold_count + 1))
	await hold_reached || {
		fail 'the program did not come to the call it is to stop at'
		kill -9 "$pid" 2>/dev/null
		return 1
	}
	# shellcheck disable=SC2012 # the program's names are plain
	scratch=$(ls -A "${hold_directory:-$D}" 2>/dev/null | head -n 1)
	scratch=${hold_directory:-$D}/$scratch
}

resume() { kill -s CONT "$pid" 2>/dev/null; }

# resume_to_end: as often as it stops itself again, and no oftener, since a
# round that was continued is run again.
resume_to_end() {
	resume
	hold_count=$((hold_count + 1))
	while kill -0 "$pid" 2>/dev/null; do
		if hold_reached; then
			resume
			hold_count=$((hold_count + 1))
		fi
		pause
	done &
	ended
	wait
}

# compiled COMMAND...: whether that, with a name and the source added, builds
# $T/program; a word of the compiler fails the case.  What the linker says of
# the libraries' own making (to pcc and dietlibc) is no word on the program.
compiled() {
	"$@" -o "$T/program" "$SRC/gbtestdisk.c" >"$T/log" 2>&1 || {
		fail "$(head -n 3 "$T/log")"
		return 1
	}
	grep -i 'gbtestdisk\.c.*\(warning\|error\)' "$T/log" | grep -v '(\.text' >"$T/words"
	[ ! -s "$T/words" ] || fail "$(head -n 3 "$T/words")"
	G=$T/program
}

# unit_cases FILE: compiles it with the program inside, and takes each line
# "passed NAME" or "failed NAME: WHY" that it prints as a case.
unit_cases() {
	unit_case=${TEST_CASE-} TEST_CASE=
	t "$1 compiles"
	# shellcheck disable=SC2086 # CC may hold flags
	if ${CC:-cc} -o "$T/unit" "$1" >"$T/out" 2>&1; then
		run_with "$T/unit"
		[ "$status" -eq 0 ] || fail "it ended with status $status"
		cp "$T/out" "$T/cases"
		: >"$T/out"
		[ -s "$T/cases" ] || fail 'it has no case'
		TEST_CASE=$unit_case
		while read -r word name; do
			t "${name%%: *}" || continue
			[ "$word" = passed ] || fail "${name#*: }"
		done <"$T/cases"
	elif echo 'int main(void) { return 0; }' | build nothing; then
		fail 'it does not compile'
	fi
}
