#!/bin/sh
# What goes wrong fails well: each call that can fail is made to.
# shellcheck disable=SC2016 # what other shells are to expand
. ./lib.sh

# Glibc's words and musl's.
text_of() {
	case $1 in
	EIO) echo 'I.*/[oO].*error' ;;
	ENOSPC) echo 'No space left on device' ;;
	EDQUOT) echo '.*[Qq]uota exceeded' ;;
	EFBIG) echo 'File too large' ;;
	EROFS) echo 'Read-only file system' ;;
	EACCES) echo 'Permission denied' ;;
	EPERM) echo 'Operation not permitted' ;;
	EMFILE | ENFILE) echo '.* file' ;;
	EBUSY) echo '.*[Rr]esource busy' ;;
	ESTALE) echo 'Stale' ;;
	*) echo "$1" ;;
	esac
}

# want_fault DOING ERROR: it fails well, and says all: what, which file, why.
want_fault() {
	want_status 1
	want_failure "^gbtestdisk: $1: $D/gbtest-[^/:]*: $(text_of "$2")"
}

# calls NAME: how many of them $T/calls has.
calls() { grep -c "^[0-9 ]*$1(" "$T/calls"; }

# ---- every call on the scratch file, by its number -------------------------

# The loader may read by pread64 as well; number N is the program's own N-th.
loader_reads=0
if command -v strace >/dev/null 2>&1; then
	strace -qq -o "$T/calls" -e trace=pread64 "$G" -V >/dev/null 2>&1
	loader_reads=$(calls pread64)
fi
number_of() {
	case $1 in
	pread64) echo $((${2%%+*} + loader_reads))"${2#"${2%%+*}"}" ;;
	*) echo "$2" ;;
	esac
}

while IFS='|' read -r call error number doing options; do
	t "$error from $call number $number ($options): $doing"
	# shellcheck disable=SC2086
	inject "$call=error=$error:when=$(number_of "$call" "$number")" -c 4 -r 1 $options "$D" ||
	    continue
	want_fault "$doing" "$error"
done <<'END'
pwrite64|EIO|1|writing|
pwrite64|EIO|4|writing|
pwrite64|ENOSPC|1|writing|
pwrite64|ENOSPC|3+|writing|
pwrite64|EDQUOT|3+|writing|
pwrite64|EFBIG|2|writing|
pwrite64|EROFS|2|writing|
pwrite64|EIO|2|writing|-o read
pwrite64|EIO|2|writing|-o cache
pwrite64|ENOSPC|6|writing|-r 2
pread64|EIO|1|reading|
pread64|EIO|4|reading|
pread64|EIO|5|reading|
pread64|EIO|8|reading|
pread64|EIO|1|reading|-o cache
pread64|ESTALE|3|reading|-o read
pread64|EIO|13|reading|-r 2
fsync|EIO|1|flushing|
fsync|ENOSPC|1|flushing|
fsync|EDQUOT|1|flushing|
fsync|EIO|1|flushing|-o write
fsync|EIO|1|flushing|-o cache
fsync|EIO|2|flushing before eviction|
fsync|EDQUOT|2|flushing before eviction|-o read
fsync|EIO|3|flushing|-r 2
END

# fault CALL WHICH WHAT ARGUMENT...: does WHAT to the process's WHICH-th CALL
# on the scratch file; only the first run can tell which number that has.
fault() {
	fault_call=$1 fault_which=$2 fault_what=$3
	shift 3
	can_strace || return 1
	strace -qq -o "$T/calls" -e trace=openat,close "$G" "$@" >/dev/null 2>&1 </dev/null
	number=$(awk -v call="$fault_call" -v which="$fault_which" '
	/^openat\(/ { n["openat"]++; fd = /gbtest-/ ? $NF : fd }
	/^openat\(.*gbtest-/ && call == "openat" && ++seen == which { print n[call]; exit }
	/^close\(/ {
		n["close"]++
		split($0, part, /[()]/)
		if (part[2] == fd && fd != "") {
			fd = ""
			if (call == "close" && ++seen == which) { print n[call]; exit }
		}
	}' "$T/calls")
	if [ -z "$number" ]; then
		skip "no $fault_call of the scratch file was seen"
		return 1
	fi
	run_with strace -qq -o "$T/calls" -e trace=openat,close \
	    -e "inject=$fault_call:$fault_what:when=$number" "$G" "$@"
	awk '/^openat\(.*gbtest-/ { fd = $NF; open = /INJECTED/ }
	/^close\(/ { split($0, part, /[()]/) }
	/INJECTED/ && (open || part[2] == fd) { hit = 1 }
	END { exit !hit }' "$T/calls" && return 0
	skip 'the calls have other numbers in a second run'
	return 1
}

while IFS='|' read -r call which error doing; do
	t "$error from $call number $which on the file: $doing"
	fault "$call" "$which" "error=$error" -c 1 -r 1 "$D" || continue
	want_fault "$doing" "$error"
done <<'END'
openat|1|EIO|creating the scratch file
openat|1|ENOSPC|creating the scratch file
openat|1|EDQUOT|creating the scratch file
openat|1|EROFS|creating the scratch file
openat|1|EACCES|creating the scratch file
openat|1|EMFILE|creating the scratch file
openat|1|ENFILE|creating the scratch file
openat|2|EIO|opening the scratch file
openat|3|EIO|opening the scratch file
openat|3|EMFILE|opening the scratch file
openat|4|EACCES|opening the scratch file
openat|5|EIO|opening the scratch file
close|1|EIO|closing
close|1|ENOSPC|closing
close|1|EDQUOT|closing
close|2|EIO|closing
close|3|EIO|closing
close|4|EIO|closing
close|5|ESTALE|closing
END

t 'a name that is taken meanwhile is left alone, and another one found'
if fault openat 1 error=EEXIST -c 1 -r 1 "$D"; then
	want_status 0
	want_table 3
	want_empty
fi

# The guard is not traced here, so that the file goes all the same.
for error in EACCES EPERM EBUSY EIO EROFS; do
	t "$error from unlink is told, and the guard removes the file"
	can_strace || continue
	run_with strace -qq -o /dev/null -e trace='?unlink,unlinkat' \
	    -e "inject=?unlink,unlinkat:error=$error" "$G" -c 1 -r 1 "$D"
	want_fault 'removing the scratch file' $error
done

t 'a failed flush is final: it is not tried again'
if can_strace; then
	run_with strace -f -qq -o "$T/calls" -e trace=fsync,fdatasync,sync,sync_file_range \
	    -e inject=fsync:error=EIO:when=1 "$G" -c 1 -r 3 "$D"
	want_fault flushing EIO
	[ "$(calls '[a-z_]*sync[a-z_]*')" -eq 1 ] || fail 'flushed again'
fi

t 'what failed has no row, and what went before keeps its own'
if inject fsync=error=EIO:when=3 -a -o write -c 1 -r 5 "$D"; then
	want_fault flushing EIO
	[ "$(grep -c '^[0-9]' "$T/out")" -eq 2 ] || fail 'not two rows'
fi

# ---- what is missing is worked around, and said ------------------------------

for error in EINVAL ENOSYS EOPNOTSUPP; do
	t "$error from fsync: there is no flush, which is said"
	inject "fsync=error=$error" -c 1 -r 2 "$D" || continue
	want_status 0
	want_table 3
	want_err '^gbtestdisk: warning: .*flush'
	want_empty
done

while IFS='|' read -r calls error evicted warning; do
	t "$error from $calls is worked around"
	inject "$calls=error=$error" -v -c 1 -r 2 "$D" || continue
	want_status 0
	want_table 3
	[ "$(fact evicted)" = "$evicted" ] || fail "evicted $(fact evicted)"
	want_err "^gbtestdisk: warning: .*$warning"
	want_empty
done <<'END'
?fadvise64,?arm_fadvise64_64|ENOSYS|no|still in memory
?fadvise64,?arm_fadvise64_64|EINVAL|no|still in memory
mincore|ENOSYS|unverified|could not be verified
mincore|EPERM|unverified|could not be verified
END

while IFS='|' read -r calls error; do
	t "$error from $calls: there is no guard, which is said"
	inject "$calls=error=$error" -c 1 -r 2 "$D" || continue
	want_status 0
	want_table 3
	want_err '^gbtestdisk: warning: .*guard'
	want_empty
done <<'END'
clone,?clone3,?fork|EAGAIN
clone,?clone3,?fork|ENOMEM
?pipe,pipe2|EMFILE
END

t 'ENOSYS from statfs is worked around'
if inject '?statfs,?statfs64=error=ENOSYS' -v -c 1 -r 1 "$D"; then
	want_status 0
	want_table 3
	want_empty
fi

# ---- interruptions and part transfers are continued --------------------------

while IFS='|' read -r call when; do
	t "EINTR from $call ($when) is continued"
	inject "$call=error=EINTR:when=$(number_of "$call" "$when")" -c 4 -r 2 "$D" || continue
	want_status 0
	want_table 3
	want_empty
done <<'END'
pwrite64|1+2
pread64|1+2
fsync|1+2
END

for call in openat close; do
	for which in 1 2 3 4 5; do
		t "EINTR from $call number $which on the file is continued"
		fault $call $which error=EINTR -c 1 -r 1 "$D" || continue
		want_status 0
		want_table 3
		want_empty
	done
done

t 'a short write is continued where it ended'
if can_strace; then
	run_with strace -f -qq -o "$T/calls" -e trace=pwrite64 \
	    -e inject=pwrite64:retval=4096:when=2 "$G" -o write -c 4 -r 1 "$D"
	want_status 0
	sed -n 's/.*pwrite64.*, \([0-9]*\), \([0-9]*\)) *= \([0-9]*\).*/\1 at \2 gave \3/p' \
	    "$T/calls" >"$T/have"
	cmp -s "$T/have" - <<'END' || fail "$(cat "$T/have")"
1048576 at 0 gave 1048576
1048576 at 1048576 gave 4096
1044480 at 1052672 gave 1044480
1048576 at 2097152 gave 1048576
1048576 at 3145728 gave 1048576
END
fi

t 'a write of nothing is no endless loop'
if inject pwrite64=retval=0:when=2 -o write -c 4 -r 1 "$D"; then
	want_fault writing ENOSPC
fi

t 'short reads and writes are continued, whatever their length'
if build short.so -shared -fPIC -ldl <<'END'
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* Moves at most half of what is wanted, by an odd number of bytes. */
static size_t less(size_t n)
{
	static int begun;

	if (!begun++)
		fclose(fopen(getenv("SHORT_MARK"), "w"));
	return n > 2 ? (n / 2) | 1 : n;
}
typedef ssize_t (*mover)(int, const void *, size_t, off_t);
static ssize_t move(const char *name, int fd, const void *p, size_t n, off_t at)
{
	void *found = dlsym(RTLD_NEXT, name);
	mover real = *(mover *)&found;

	return real(fd, p, less(n), at);
}
#ifdef __GLIBC__
#define BIG "64"
#else
#define BIG ""
#endif
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { return move("pwrite" BIG, fd, p, n, at); }
ssize_t pread(int fd, void *p, size_t n, off_t at) { return move("pread" BIG, fd, p, n, at); }
END
then
	for block in 512 1000 64k 1m; do
		rm -f "$T/mark"
		run_with env "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0" \
		    "SHORT_MARK=$T/mark" "LD_PRELOAD=$T/short.so" \
		    "$G" -u IOPS -ax -c 96k -b $block -r 2 "$D"
		if [ ! -f "$T/mark" ]; then
			skip 'the program takes no preloaded calls'
			break
		fi
		want_status 0
		! grep -v '^gbtestdisk: warning: ' "$T/err" >/dev/null || fail 'an error'
		want_empty
	done
fi

t 'a file that ends early is an error'
if inject pread64=retval=0:when="$(number_of pread64 2)" -c 4 -r 1 "$D"; then
	want_failure "^gbtestdisk: reading: $D/gbtest-[^:]*: the file ends early"
fi

t 'a read that gives something else is an error that names the offset'
if inject pread64=retval=1048576:when="$(number_of pread64 3)" -c 4 -r 1 "$D"; then
	want_failure "^gbtestdisk: checking what was read: $D/gbtest-[^:]*: .*offset 2097152 "
fi

t 'a file cut short by somebody else is an error'
if hold pread64 "$(number_of pread64 1)" -c 4 -r 1 -o read "$D"; then
	: >"$scratch"
	resume
	ended
	want_failure "^gbtestdisk: reading: $D/gbtest-[^:]*: the file ends early"
fi

t 'a file removed by somebody else is an error'
if hold fsync 1 -c 1 -r 1 "$D"; then
	rm -f "$scratch"
	resume
	ended
	want_failure "^gbtestdisk: opening the scratch file: $D/gbtest-[^:]*: No such file"
fi

# ---- no space, no quota, no room ----------------------------------------------

t 'what cannot fit is refused before the first byte'
if memory_disk tmpfs -o size=4m; then
	for size in 64 5 4097k; do
		run -c $size -r 2 "$T/m"
		want_status 1
		want_failure "$T/m: No space left" "$T/m"
		want_no_out
	done
	if need strace; then
		run_with strace -f -qq -o "$T/calls" -e trace='?open,openat' "$G" -c 5 "$T/m"
		! grep -q O_CREAT "$T/calls" || fail 'a file was made'
	fi
	run -c 4 -r 1 "$T/m"
	want_status 0
	want_table 3
	memory_gone
fi

t 'a disk that fills up meanwhile'
if memory_disk tmpfs -o size=4m; then
	before=$(df -Pk "$T/m" | awk 'END { print $3 }')
	hold_directory=$T/m
	if hold pwrite64 1 -c 4 -r 1 "$T/m"; then
		dd if=/dev/zero of="$T/m/other" bs=1024k count=2 2>/dev/null
		resume
		ended
		want_status 1
		rm -f "$T/m/other"
		want_failure "^gbtestdisk: writing: $T/m/gbtest-[^:]*: No space left" "$T/m"
		want "$(df -Pk "$T/m" | awk 'END { print $3 }') == $before"
	fi
	hold_directory=
	memory_gone
fi

t 'a disk without room for another file'
if memory_disk tmpfs -o size=4m,nr_inodes=1; then
	run -c 1 -r 1 "$T/m"
	want_failure "^gbtestdisk: creating the scratch file: $T/m/gbtest-[^:]*: No space left" "$T/m"
	memory_gone
fi

t 'a quota'
if need btrfs && loop_disk 160M btrfs; then
	mkdir "$T/m/q"
	if btrfs quota enable "$T/m" 2>/dev/null && btrfs qgroup limit 8M "$T/m" 2>/dev/null; then
		run -c 32 -r 2 "$T/m/q"
		want_status 1
		want_failure "^gbtestdisk: [a-z]*: $T/m/q/gbtest-[^:]*: $(text_of EDQUOT)" "$T/m/q"
	else
		skip 'btrfs has no quota here'
	fi
	loop_gone
fi

# The file system has room, but the file that its device is has none: every
# write is taken, and only the flush can tell.
t 'a device that fails under its file system'
if need losetup mkfs.ext2 && memory_disk tmpfs -o size=6m; then
	truncate -s 64m "$T/m/img"
	mkfs.ext2 -qF "$T/m/img"
	mkdir -p "$T/n"
	if loop=$(losetup -f --show "$T/m/img" 2>/dev/null) && mount "$loop" "$T/n"; then
		loops=$loop mounted="$T/n $mounted"
		rmdir "$T/n/lost+found"
		run -c 24 -r 2 "$T/n"
		want_status 1
		want_failure "^gbtestdisk: flushing: $T/n/gbtest-[^:]*: .*[a-z]" "$T/n"
		umount "$T/n"
		losetup -d "$loop"
		loops=
	else
		skip 'no loop device to be had'
		[ -z "$loop" ] || losetup -d "$loop"
	fi
	mounted=$T/m
	memory_gone
fi

for size in 8 1m 2m; do
	for trap in '' "trap '' XFSZ; "; do
		t "the limit of a file's size (-c $size) ${trap:+with XFSZ ignored}"
		if [ "$trap" ] && ! (eval "$trap") 2>/dev/null; then
			skip 'the shell does not know XFSZ'
			continue
		fi
		# 1 MiB less a bit, in units of 512 or 1024 bytes: within a block.
		run_with sh -c "${trap}ulimit -f 1023 && exec \"\$0\" \"\$@\"" "$G" -b 700k -c $size -r 1 "$D"
		[ "$size" = 1m ] && [ "$status" = 0 ] && continue
		want_status 1
		want_failure "^gbtestdisk: writing: $D/gbtest-[^:]*: File too large"
	done
done

t 'few descriptors: it works, or it fails well'
for most in 3 4 5 6 7 8 9 10 11 12; do
		run_with sh -c 'ulimit -n "$0" && exec "$@"' $most "$G" -c 64k -r 1 "$D"
	[ "$status" -eq 127 ] && continue
	if [ "$status" -eq 0 ]; then
		want_table 3
		want_empty
	else
		want_status 1
		grep -v '^gbtestdisk: warning: ' "$T/err" >"$T/errors"
		mv "$T/errors" "$T/err"
		want_failure "$(text_of EMFILE)"
	fi
done
want_status 0

# ---- directories that will not do ---------------------------------------------

t 'a directory mounted read-only'
if need_root; then
	mkdir -p "$T/m" "$D/a"
	if mount --bind "$D/a" "$T/m" && mounted=$T/m && mount -o remount,ro,bind "$T/m"; then
		run -c 1 "$T/m"
		want_failure "^gbtestdisk: [a-z ]*: $T/m: Read-only file system" "$T/m"
		umount "$T/m"
		mounted=
	else
		skip 'no bind mount to be had'
	fi
fi

t 'an immutable directory'
if need_root && need chattr; then
	mkdir "$D/a"
	if chattr +i "$D/a" 2>/dev/null; then
		run -c 1 "$D/a"
		chattr -i "$D/a"
		want_failure "^gbtestdisk: [a-z ]*: $D/a/.*: Operation not permitted" "$D/a"
	else
		skip 'the file system knows no immutable directories'
	fi
fi

while IFS='|' read -r mode dir; do
	t "a directory of mode $mode: $dir"
	mkdir -p "$D/a/b"
	chmod 777 "$D/a/b"
	chmod "$mode" "$D/a"
	nobody -c 1 "$D/$dir"
	ran=$?
	chmod 700 "$D/a"
	[ $ran -eq 0 ] || continue
	want_failure "^gbtestdisk: [a-z ]*: $D/$dir.*: Permission denied" "$D/a/b"
done <<'END'
555|a
000|a
444|a
666|a
666|a/b
000|a/b
END

t 'what is no directory is refused, and left as it was'
mkfifo "$D/fifo"
echo precious >"$D/file"
ln -s file "$D/link"
ls -la "$D" >"$T/before"
for dir in "$D/fifo" "$D/file" "$D/link" "$D/file/" "$D/file/." /dev/null /dev/zero; do
	run -c 1 -r 1 "$dir"
	want_status 1
	want_one_line
	want_err ": $dir: Not a directory"
	want_no_out
done
ls -la "$D" >"$T/after"
cmp -s "$T/before" "$T/after" || fail "$(diff "$T/before" "$T/after")"
[ "$(cat "$D/file")" = precious ] || fail 'the file is not what it was'

t 'what is not there is refused, and not made'
ln -s nowhere "$D/dangling"
ls -la "$D" >"$T/before"
for dir in /nonexistent/dir /nonexistent /dev/nosuch "$D/no" "$D/no/such" "$D/dangling"; do
	run -c 1 -r 1 "$dir"
	want_status 1
	want_one_line
	want_err ": $dir: No such file or directory"
	want_no_out
done
ls -la "$D" >"$T/after"
cmp -s "$T/before" "$T/after" || fail "$(diff "$T/before" "$T/after")"
for made in /nonexistent /dev/nosuch "$D/nowhere"; do
	[ ! -e "$made" ] || fail "$made was made"
done

t 'a ring of links is refused'
ln -s b "$D/a"
ln -s a "$D/b"
run -c 1 "$D/a"
want_status 1
want_one_line
want_err ": $D/a: .*[Ll]"

t 'a name that is too long is refused'
run -c 1 "$D/$(printf '%0300d' 0)"
want_status 1
want_one_line
want_err 'ame too long'

t 'a directory removed from under the program'
mkdir "$D/a"
(cd "$D/a" && rmdir "$D/a" && exec "$G" -c 64k -r 1) >"$T/out" 2>"$T/err" </dev/null
status=$?
want_failure 'No such file or directory'

# ---- large calls --------------------------------------------------------------

for block in 2047m 2048m 2049m 4g 5000m 1t; do
	t "-b $block: too large, or cut to the file"
	run -v -b $block -c 64k -r 1 "$D"
	if [ "$status" -eq 2 ]; then
		want_one_line
		want_err 'too large'
	else
		want_status 0
		[ "$(fact block)" = 65536 ] || fail "block $(fact block)"
		want_table 3
	fi
	want_empty
done

t 'a block of more than 2 GiB is written whole'
if [ -z "${TEST_LARGE-}" ]; then
	skip 'takes 5 GB of memory and half a minute: set TEST_LARGE'
elif need strace && memory_disk tmpfs -o size=2200m; then
	run_with strace -f -qq -o "$T/calls" -e trace=pwrite64 \
	    "$G" -o write -b 2100m -c 2100m -r 1 "$T/m"
	want_status 0
	sed -n 's/.*pwrite64.*, \([0-9]*\), [0-9]*) *= \([0-9]*\).*/\1 \2/p' "$T/calls" >"$T/have"
	want "$(awk '{ sum += $2 } END { printf "%.0f", sum }' "$T/have") == 2202009600"
	awk '$1 >= 2147483648 { exit 1 }' "$T/have" || fail 'a call of 2^31'
	want_empty "$T/m"
	memory_gone
fi

# ---- a disk that is stuck -----------------------------------------------------

# shellcheck disable=SC2317 # await calls it
scratch_there() { [ -n "$(ls -A "$D")" ]; }

# The signal comes during the first call of eight that take 0.8 s each.
for signal in 2 15; do
	t "signal $signal during a slow call ends the run when that call ends"
	can_strace || continue
	launcher || continue
	exec "$T/launch" strace -D -f -qq -o "$T/calls" -e trace=pwrite64,fsync \
	    -e inject=pwrite64:delay_enter=800000 -e inject=fsync:delay_enter=5000000 \
	    "$G" -c 8 -r 1 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await scratch_there
	pause
	kill -$signal "$pid"
	ended
	want_signal $signal
	[ "$(calls pwrite64)" -le 2 ] || fail "$(calls pwrite64) calls"
	[ "$(calls fsync)" -eq 0 ] || fail 'it flushed'
	want_no_out
	want_one_line
	want_err 'no round'
	want_empty
done

t 'a letter of two bytes is no option, and is not cut in two'
run "$(printf '\055\303\251')"
want_status 2
want_one_line
want_err "$(printf "'\055\303\251': no such option")"

finish
