#!/bin/sh
# Every call, every error, at every place: it fails well, or it is no failure.
# And disks that lie.  Needs strace for the calls, cc and preloaded libraries
# for the lies, root for the device.
# shellcheck disable=SC2086 # lists of options are words
. ./lib.sh

place=$D
# Each thing is let go after what stands on it.
# shellcheck disable=SC2317 # the trap calls it
at_end() {
	for dir in "$T/n" "$T/f"; do umount "$dir" 2>/dev/null || umount -l "$dir" 2>/dev/null; done
	for dev in $loops; do losetup -d "$dev" 2>/dev/null; done
	loops=''
	for dir in $nbds; do
		# shellcheck disable=SC2015 # a wait that fails does no harm
		umount "$dir" 2>/dev/null && wait || umount -l "$dir" 2>/dev/null
	done
	clean_up
}
nbds=''
trap at_end 0

# The file system under test is in memory where that can be had: there are
# many runs, and each of them flushes.
mkdir "$T/f"
if [ "$(id -u)" = 0 ] && mkdir "$T/ram" && mount -t tmpfs tmpfs "$T/ram" 2>/dev/null; then
	mounted=$T/ram
	truncate -s 64M "$T/ram/img"
	if mkfs.ext4 -qF "$T/ram/img" 2>/dev/null &&
	    loops=$(losetup --direct-io=on -f --show "$T/ram/img" 2>/dev/null) &&
	    mount "$loops" "$T/f" 2>/dev/null; then
		mounted="$T/f $mounted"
		rmdir "$T/f/lost+found"
		place=$T/f
	fi
fi

# $T/alone COMMAND...: runs it, and waits for all that it leaves running: ends
# with 125 if that does not end.
build alone <<'END'
#define _GNU_SOURCE
#include <sys/types.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
int main(int argc, char **argv)
{
	struct timespec ms = { 0, 1000000 };
	int status = 0, other, tries;
	pid_t pid, r;

#ifdef PR_SET_CHILD_SUBREAPER
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
	signal(SIGALRM, SIG_DFL);
	alarm(30);
	if (argc < 2 || (pid = fork()) == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	for (tries = 0; (r = waitpid(-1, &other, WNOHANG)) >= 0 && tries < 3000; tries++)
		if (r == 0)
			nanosleep(&ms, 0);
	if (r >= 0)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
END

# ---- the matrix ----------------------------------------------------------------

errors='EIO ENOSPC EDQUOT EFBIG EINTR EAGAIN ENOSYS EINVAL EACCES EMFILE ENOMEM'

# What of the calls belongs to what, from a trace: "call number context", for
# each call after the program has begun to open its standard streams.
contexts() {
	awk '
	!/^[a-z]/ { next }
	{ call = $1; sub(/\(.*/, "", call); n[call]++ }
	/^openat\(.* "\/", / { begun = 1 }
	!begun { next }
	{ what = "other" }
	call == "openat" { what = / "\/", / ? "stand-in" : /O_CREAT/ ? "create" : /gbtest-/ ? "open" : "other" }
	call ~ /^(pwrite64|pread64|unlink)$/ { what = "scratch" }
	call == "close" { what = /gbtest-/ ? "scratch" : /pipe:/ ? "" : "other" }
	call == "fsync" { what = ++fsyncs % 2 ? "pass" : "evict" }
	call == "pipe2" { what = n[call] <= 2 ? "guard" : "memory" }
	call == "mmap" { what = /MAP_SHARED/ ? "map" : "memory" }
	call == "newfstatat" { what = /gbtest-.*NOFOLLOW/ ? "remove" : /gbtest-/ ? "scratch" : / "\/|AT_EMPTY_PATH/ ? "directory" : "other" }
	# Memory is handed through a pipe in pieces of 4096 bytes, which may fail.
	call ~ /^(read|write)$/ { what = /pipe:/ ? (/, 4096\)/ ? "" : "guard") : /\(1</ ? "out" : "other" }
	what != "" { print call, n[call], what }' "$T/calls"
}

# places: the first, the middle and the last of each context.
places() {
	awk '{ key = $1 " " $3; if (!(key in n)) order[++keys] = key; at[key, ++n[key]] = $2 }
	END { for (k = 1; k <= keys; k++) { key = order[k]; c = n[key]; m = int((c + 1) / 2)
		printf "%s %s", key, at[key, 1]
		if (m > 1) printf " %s", at[key, m]
		if (c > m) printf " %s", at[key, c]
		print "" } }'
}

# right CONTEXT ERROR: what is right, as $doing if it is to fail, as $warns if
# it is a warning, nothing if it is to make no difference; "?" says that both
# no difference and a failure that names the error will do.
right() {
	doing='' warns=''
	case $1 in
	*-evict,EINVAL | *-evict,ENOSYS) ;;
	fsync-pass,EINVAL | fsync-pass,ENOSYS) warns='cannot flush' ;;
	openat-stand-in,EINTR) doing='?' ;;
	write-out,EINTR | write-out,EAGAIN) ;;
	openat-stand-in,*) doing='opening a stand-in for a closed standard stream: /' ;;
	openat-create,EINTR | openat-open,EINTR | close-scratch,EINTR | fsync-*,EINTR) ;;
	newfstatat-remove,EINTR) ;;
	unlink-*,EINTR | pwrite64-*,EINTR | pread64-*,EINTR | write-*,EINTR | read-*,EINTR) ;;
	mincore-*) warns='?' ;;
	pipe2-guard,* | clone-*) warns='no guard process could be started' ;;
	*-other | pipe2-memory,*) ;;
	# What may not be opened to be written is opened to be read, where that will do.
	openat-open,EACCES) doing='?' ;;
	openat-create,*) doing='creating the scratch file' ;;
	openat-open,*) doing='opening the scratch file' ;;
	pwrite64-*) doing=writing ;;
	pread64-*) doing=reading ;;
	fsync-pass,*) doing=flushing ;;
	fsync-evict,*) doing='flushing before eviction' ;;
	close-scratch,*) doing=closing ;;
	unlink-*) doing='removing the scratch file' ;;
	newfstatat-remove,*) doing='removing the scratch file' ;;
	newfstatat-directory,* | newfstatat-scratch,* | *-memory,*) doing='?' ;;
	write-out,*) doing='writing the results: standard output' ;;
	write-guard,* | read-guard,*) warns='the guard process is gone' ;;
	mmap-map,*) warns='?' ;;
	esac
}

# judge WHERE: whether what came out is right.
judge() {
	[ -z "$(ls -A "$place")" ] || { fail "$1: left behind: $(ls -A "$place")"; rm -f "$place"/*; }
	lines=$(grep -vc '^gbtestdisk: warning: ' "$T/err")
	case $status in
	0)
		case $doing in '' | '?') ;; *) fail "$1: no failure" ;; esac
		want_table "$columns"
		[ "$lines" -eq 0 ] || fail "$1: an error, but status 0"
		case $warns in
		'') ! grep -v ' read reached \| were the limit' "$T/err" >"$T/warnings" || [ "$doing" = '?' ] ||
		    fail "$1: a warning: $(cat "$T/warnings")" ;;
		'?') [ ! -s "$T/err" ] || grep -q 'could not be verified\| read reached \| were the limit' "$T/err" ||
		    fail "$1: a warning" ;;
		*) grep -q "^gbtestdisk: warning: .*$warns" "$T/err" || fail "$1: no warning" ;;
		esac
		;;
	1)
		case $doing in
		'') fail "$1: a failure" ;;
		'?') grep -q "^gbtestdisk: .*$text" "$T/err" || fail "$1: the cause is not said" ;;
		*) grep -q "^gbtestdisk: $doing.*: .*$text" "$T/err" || fail "$1: the message" ;;
		esac
		[ "$lines" -eq 1 ] || fail "$1: not one error"
		! grep -q '^avg' "$T/out" || [ "${doing%%:*}" = 'writing the results' ] ||
		    fail "$1: a figure for what failed"
		;;
	125) fail "$1: a process stays" ;;
	*) fail "$1: status $status" ;;
	esac
}

traced_calls='openat,pwrite64,pread64,fsync,close,fadvise64,mmap,mincore,munmap,statfs,fstatfs,clone,
pipe2,unlink,newfstatat,write,read,poll,wait4,uname,getrusage'
traced_calls=$(echo "$traced_calls" | tr -d '\n')
arguments='-c 192k -b 64k -r 1 -v'

# The calls of a run are looked at first: where each of them can be hit.
: >"$T/places"
if [ -x "$T/alone" ] && case_state='' can_strace; then
	run_with strace -qq -y -o "$T/calls" -e trace="$traced_calls" "$G" $arguments "$place"
	contexts | places | grep -v '^write ' >"$T/places"
	# A warning, of a machine that is busy, is one write more: a run without one counts.
	for _ in 1 2 3 4 5; do
		run_with strace -qq -y -o "$T/calls" -e trace="$traced_calls" "$G" $arguments -o write,read "$place"
		[ -s "$T/err" ] || break
	done
	contexts | places | grep '^write ' >>"$T/places"
fi
if t 'the calls of a run' && can_strace && [ "$(wc -l <"$T/places")" -le 20 ]; then
	skip 'this machine has other system calls'
fi
[ "$(wc -l <"$T/places")" -gt 20 ] || : >"$T/places"

# A warning is a write too: so that there is none, no cache where writes are
# counted.  A close that is made to fail does not close: so the pipes are left out.
while read -r call context numbers; do
	columns=3 list=write,read,cache
	[ "$call" != write ] || columns=2 list=write,read
	for error in $errors; do
		t "$error from $call ($context)" || continue
		text=$(text_of "$error")
		right "$call-$context,$error"
		for number in $numbers; do
			run_with "$T/alone" strace -qq -y -o "$T/calls" -e trace="$call" \
			    -e inject="$call:error=$error:when=$number" "$G" $arguments -o $list "$place"
			# What the machine has mounted is read in more or fewer calls.
			[ "$call-$context" != read-guard ] ||
			    grep 'INJECTED' "$T/calls" | grep -q 'pipe:' || continue
			judge "number $number"
		done
	done
done <"$T/places"

# ---- a reader that is slow --------------------------------------------------------

# slowly ARGUMENT...: starts the program, which writes into a pipe that nobody
# reads for now; $T/rows is what comes out of it when "read" is made.
slowly() {
	launcher || return 1
	rm -f "$T/fifo" "$T/read" "$T/rows"
	mkfifo "$T/fifo"
	(exec <"$T/fifo"; until [ -f "$T/read" ]; do pause; done; exec cat >"$T/rows") &
	reader=$!
	exec "$T/launch" "$G" "$@" >"$T/fifo" 2>"$T/err" </dev/null &
	pid=$!
	await blocked
}
# The numbers that write has on different processors.
# shellcheck disable=SC2317 # await calls it
blocked() {
	grep -Eq '^(1|4|64) 0x1 ' "/proc/$pid/syscall" 2>/dev/null
}
if t 'a process that goes on while it waits for its reader loses no row'; then
	: >"$T/out"
	if [ ! -r "/proc/$$/syscall" ]; then
		skip 'needs /proc/PID/syscall'
	elif slowly -a -c 1k -r 3000 "$place"; then
		kill -s CONT "$pid"
		pause
		: >"$T/read"
		ended
		wait "$reader"
		want_status 0
		want "$(grep -c '^[0-9]' "$T/rows") == 3000"
		! grep -v '^gbtestdisk: warning' "$T/err" >/dev/null || fail 'an error'
		want_empty "$place"
	fi
fi

for signal in INT:2 TERM:15; do
	t "${signal%:*} while it waits for its reader ends it by that signal" || continue
	if [ ! -r "/proc/$$/syscall" ]; then
		skip 'needs /proc/PID/syscall'
	elif slowly -a -c 1k -r 100000 "$place"; then
		kill -s "${signal%:*}" "$pid"
		pause
		: >"$T/read"
		ended
		wait "$reader"
		want_signal "${signal#*:}"
		want_empty "$place"
	fi
done

# ---- disks that lie --------------------------------------------------------------

# lie FAULT ARGUMENT...: the program on a disk that lies so; told_lie says
# whether it came to the fault, lie skips the case if not.
${CC:-cc} -shared -fPIC -o "$T/faults.so" faults.c -ldl >"$T/err" 2>&1
told_lie() {
	rm -f "$T/mark"
	lie_fault=$1
	shift
	run_with "$T/alone" env FAULT="$lie_fault" FAULT_MARK="$T/mark" LD_PRELOAD="$T/faults.so" \
	    ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" "$G" "$@" "$place"
	[ -f "$T/mark" ]
}
lie() {
	if [ ! -f "$T/faults.so" ]; then
		skip "${CC:-cc} does not compile faults.c"
		return 1
	fi
	told_lie "$@" && return 0
	skip 'the program takes no preloaded calls'
	return 1
}

for kind in short interrupt; do
	for mode in '-b 64k' '-b 1000' '-b 1m' '-R -b 4k -w 50' '-p 2 -q 2 -b 16k' '-s -b 100k' \
	    '-l -m 3 -b 7k'; do
		t "$kind transfers are continued, with $mode" || continue
		lie $kind -c 256k -r 2 $mode || continue
		want_status 0
		want_out '^avg'
		! grep -v '^gbtestdisk: warning: ' "$T/err" >/dev/null || fail 'an error'
		want_empty "$place"
	done
done
if t 'without a clock there is gettimeofday' && lie clock -v -c 256k -r 1; then
	want_status 0
	want_table 3
	case $(fact clock) in gettimeofday*) ;; *) fail "clock $(fact clock)" ;; esac
fi

# Without a piece of memory it goes on, or fails well; each piece is tried.
while read -r arguments; do
	t "memory is not to be had, with $arguments" || continue
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		told_lie "memory=$n" $arguments || break
		case $status in
		0) want_out '^avg' ;;
		*)
			want_status 1
			grep -v '^gbtestdisk: warning: ' "$T/err" >"$T/errors"
			mv "$T/errors" "$T/err"
			want_failure 'emory' "$place"
			;;
		esac
		want_empty "$place"
	done
	[ "$n" -gt 4 ] || skip 'the program takes no preloaded calls'
done <<'END'
-c 64k -b 4k -r 20 -x -l -m 4
-c 64k -b 4k -r 2 -R -w 30
-c 64k -b 4k -r 1 -p 2 -q 2
-c 64k -b 4k -r 1 -o write,read -d
-c 64k -b 4k -r 2 -t 0.05 -p 2
END

# In sequence and with one worker, the offset is known.
while IFS='|' read -r kind doing why; do
	if t "a disk with $kind" && lie "$kind" -c 256k -r 2 -b 64k; then
		want_status 1
		want_failure "^gbtestdisk: $doing: $place/gbtest-[^:]*: .*$why" "$place"
	fi
	for mode in '-b 4k' '-R -b 4k' '-p 2 -b 16k' '-q 3 -b 16k' '-o read' '-o mix -w 10 -b 8k -r 4' '-s' \
	    '-l -m 4 -b 64k' '-d' \
	    '-R -b 4k -p 2 -q 2' '-b 1000 -q 4' '-b 8m'; do
		case $kind,$mode in
		unwritable*,-d | wrap*,'-o mix'*) continue ;;
		# Here other bytes are in one call, or others are meant by the number.
		[!c]*,*'-q 2' | [!c]*,'-b 1000'* | [!c]*,'-b 8m') continue ;;
		esac
		t "a disk with $kind, with $mode" || continue
		lie "$kind" -c 256k -r 2 $mode || continue
		if [ "$mode" = -d ] && grep -q 'not supported by this' "$T/err"; then
			skip 'no direct I/O here'
			continue
		fi
		want_status 1
		[ "$doing" = reading ] || [ "$doing" = writing ] || why='what was written at offset [0-9]* is not'
		want_failure "^gbtestdisk: $doing: $place/gbtest-[^:]*: .*$why" "$place"
	done
done <<'END'
unreadable=100000|reading|/[oO].*error
unwritable=100000|writing|/[oO].*error
corrupt=98304|checking what was read|offset 98304 is not what was read back
zeros=131072|checking what was read|offset 131072 is not
lost=131072|checking what was read|offset 131072 is not
swapped=65536|checking what was read|offset 65536 is not .*: it has the data of offset 66048
wrap=131072|checking what was read|offset 0 is not .*: it has the data of offset 131072
END
if t 'a disk on which nothing can be written a second time'; then
	if lie frozen -R -c 256k -r 2 -b 4k; then
		want_status 1
		want_failure "^gbtestdisk: checking what was read: .* it has the data of .* an earlier pass" "$place"
	fi
fi

for kind in unreadable=1 unwritable=1 unwritable=250000 corrupt=512; do
	t "a worker on a disk with $kind: one message" || continue
	# shellcheck disable=SC2097,SC2098
	FAULT_IN=worker
	export FAULT_IN
	if lie $kind -c 256k -r 2 -p 2 -q 2 -b 16k; then
		want_status 1
		want_failure "^gbtestdisk: [a-z ]*: $place/gbtest-[^:]*: " "$place"
	fi
	unset FAULT_IN
done

# ---- devices that fail -------------------------------------------------------------

hold_directory=$place

if t 'a sector that is rotten on the disk itself: its offset is named'; then
	if [ "$place" = "$D" ]; then
		skip 'needs a loop device over tmpfs'
	elif need filefrag && hold pread64 "$(own_pread 1)" -c 4 -r 1 "$place"; then
		# The first call has been made, and what was read ahead of it.
		sector=$(filefrag -b512 -v "$scratch" | awk -F '[ .:]+' -v at=6144 '
		    $2 ~ /^[0-9]+$/ && $3 <= at && $4 >= at { print $5 + at - $3; exit }')
		printf 'rotten!!' | dd of="$T/ram/img" bs=512 seek="${sector:-0}" conv=notrunc 2>/dev/null
		resume
		ended
		want_status 1
		want_failure "^gbtestdisk: checking what was read: .* at offset 3145728 is not" "$place"
	fi
fi

# nbd_disk TYPE SIZE FILTER ARGUMENT...: nbdkit's, with a filter, mounted on $T/n.
nbd_disk() {
	need nbdkit nbdfuse "mkfs.$1" losetup && need_root || return 1
	nbd_type=$1 nbd_size=$2 nbd_filter=$3
	shift 3
	mkdir -p "$T/nbd" "$T/n"
	nbdfuse "$T/nbd/disk" [ nbdkit --exit-with-parent --filter="$nbd_filter" memory "$nbd_size" \
	    "$@" ] >"$T/nbd.log" 2>&1 &
	nbds=$T/nbd
	if ! await test -s "$T/nbd/disk"; then
		skip 'nbdfuse does not mount'
		return 1
	fi
	make_file_system "$nbd_type" "$T/nbd/disk"
	if ! nbd=$(losetup --direct-io=on -f --show "$T/nbd/disk") || ! mount "$nbd" "$T/n"; then
		skip 'the device cannot be mounted'
		return 1
	fi
	loops="$loops $nbd" mounted="$T/n $mounted"
	rm -rf "$T/n/lost+found"
}

nbd_gone() {
	umount "$T/n"
	losetup -d "$nbd"
	mounted=${mounted#"$T/n "} loops=${loops%" $nbd"}
	await umount "$T/nbd" 2>/dev/null
	nbds=''
}

if t 'a device that cannot read what it took'; then
	hold_directory=$T/n
	rm -f "$T/bad"
	if nbd_disk ext2 48M error error=EIO error-pread-rate=100% error-file="$T/bad"; then
		if hold pread64 "$(own_pread 3)" -c 8 -r 1 -b 1m "$T/n"; then
			touch "$T/bad"
			resume
			ended
			rm -f "$T/bad"
			want_status 1
			want_failure "^gbtestdisk: reading: $T/n/gbtest-[^:]*: .*/[oO].*error" "$T/n"
		fi
		nbd_gone
	fi
fi

# ---- slow disks --------------------------------------------------------------

# The kernel does what lengthens a file one after the other, btrfs all writes.
while read -r type arguments; do
	t_all "on a slow disk with $type $arguments, processes write what io_submit would wait for" ||
	    continue
	nbd_disk "$type" 400M delay rdelay=3ms wdelay=3ms || break
	run -v -d -q 8 -b 16k -c 2 -r 1 -o write,read $arguments "$T/n"
	want_status 0
	want_fact queue 'io_submit (write: processes)'
	want "$(fact 'in flight write') > 5"
	want "$(fact 'in flight read') > 5"
	want_empty "$T/n"
	nbd_gone
done <<'EOF'
xfs
btrfs
btrfs -R
EOF
if t_all 'on a slow disk with xfs -R, io_submit does all' &&
    nbd_disk xfs 400M delay rdelay=3ms wdelay=3ms; then
	run -v -d -q 8 -b 16k -c 2 -r 1 -R -o write,read "$T/n"
	want_status 0
	want_fact queue 'io_submit'
	want "$(fact 'in flight write') > 5"
	nbd_gone
fi

finish
