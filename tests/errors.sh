#!/bin/sh
# What goes wrong fails well: the calls that can fail are made to, disks are
# full, directories will not do.  faults.sh tries every call and every error.
# Needs strace for what is made to fail, root for the disks.
# shellcheck disable=SC2016 # what other shells are to expand
. ./lib.sh

# want_fault DOING ERROR: it fails well, and says all: what, which file, why.
want_fault() {
	want_status 1
	want_failure "^gbtestdisk: $1: $D/gbtest-[^/:]*: $(text_of "$2")"
}

# calls NAME: how many of them $T/calls has.
calls() { grep -c "^[0-9 ]*$1(" "$T/calls"; }

# ---- calls on the scratch file, by their number ------------------------------

# own_number CALL N: of the program's own calls.
own_number() {
	case $1 in
	pread64) own_pread "$2" ;;
	*) echo "$2" ;;
	esac
}

while IFS='|' read -r call error number doing options; do
	t "$error from $call number $number ($options): $doing" || continue
	# shellcheck disable=SC2086
	inject "$call=error=$error:when=$(own_number "$call" "$number")" -c 4 -r 1 $options "$D" ||
	    continue
	want_fault "$doing" "$error"
done <<'END'
pwrite64|EIO|1|writing|
pwrite64|ENOSPC|3+|writing|
pwrite64|EROFS|2|writing|
pwrite64|EIO|2|writing|-o read
pwrite64|EIO|2|writing|-o cache
pwrite64|ENOSPC|6|writing|-r 2
pread64|EIO|4|reading|
pread64|EIO|8|reading|
pread64|EIO|1|reading|-o cache
pread64|ESTALE|3|reading|-o read
pread64|EIO|13|reading|-r 2
fsync|EDQUOT|1|flushing|
fsync|EIO|1|flushing|-o write
fsync|EIO|1|flushing|-o cache
fsync|EDQUOT|2|flushing before eviction|-o read
fsync|EIO|3|flushing|-r 2
END

# The guard is not traced here, so that the file goes all the same.
for error in EACCES EBUSY EROFS; do
	t "$error from unlink is told, and the guard removes the file" || continue
	can_strace || continue
	run_with strace -qq -o /dev/null -e trace='?unlink,unlinkat' \
	    -e "inject=?unlink,unlinkat:error=$error" "$G" -c 1 -r 1 "$D"
	want_fault 'removing the scratch file' $error
done

if t 'a failed flush is final: it is not tried again' && can_strace; then
	run_with strace -f -qq -o "$T/calls" -e trace=fsync,fdatasync,sync,sync_file_range \
	    -e inject=fsync:error=EIO:when=1 "$G" -c 1 -r 3 "$D"
	want_fault flushing EIO
	[ "$(calls '[a-z_]*sync[a-z_]*')" -eq 1 ] || fail 'flushed again'
fi

if t 'what failed has no row, and what went before keeps its own' &&
    inject fsync=error=EIO:when=3 -a -o write -c 1 -r 5 "$D"; then
	want_fault flushing EIO
	[ "$(grep -c '^[0-9]' "$T/out")" -eq 2 ] || fail 'not two rows'
fi

# ---- what is missing is worked around, and said ------------------------------

for error in EINVAL EOPNOTSUPP; do
	t "$error from fsync: there is no flush, which is said" || continue
	inject "fsync=error=$error" -c 1 -r 2 "$D" || continue
	want_status 0
	want_table 3
	want_err '^gbtestdisk: warning: .*flush'
	want_empty
done

while IFS='|' read -r calls error; do
	t "$error from $calls: there is no guard, which is said" || continue
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

# ---- interruptions and part transfers are continued --------------------------

while IFS='|' read -r call when; do
	t "EINTR from $call ($when) is continued" || continue
	inject "$call=error=EINTR:when=$(own_number "$call" "$when")" -c 4 -r 2 "$D" || continue
	want_status 0
	want_table 3
	want_empty
done <<'END'
pwrite64|1+2
pread64|1+2
fsync|1+2
END

if t 'a short write is continued where it ended' && can_strace; then
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

if t 'a write of nothing is no endless loop' &&
    inject pwrite64=retval=0:when=2 -o write -c 4 -r 1 "$D"; then
	want_fault writing ENOSPC
fi

if t 'a file that ends early is an error' &&
    inject pread64=retval=0:when="$(own_pread 2)" -c 4 -r 1 "$D"; then
	want_failure "^gbtestdisk: reading: $D/gbtest-[^:]*: the file ends early"
fi

if t 'a file cut short by somebody else is an error' &&
    hold pread64 "$(own_pread 1)" -c 4 -r 1 -o read "$D"; then
	: >"$scratch"
	resume
	ended
	want_failure "^gbtestdisk: reading: $D/gbtest-[^:]*: the file ends early"
fi

# ---- no space, no quota, no room ----------------------------------------------

if t 'what cannot fit is refused before the first byte' && memory_disk tmpfs -o size=4m; then
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
	works -c 4 -r 1 "$T/m"
	want_table 3
	memory_gone
fi

if t 'a disk that fills up meanwhile' && memory_disk tmpfs -o size=4m; then
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

if t 'a disk without room for another file' && memory_disk tmpfs -o size=4m,nr_inodes=1; then
	run -c 1 -r 1 "$T/m"
	want_failure "^gbtestdisk: creating the scratch file: $T/m/gbtest-[^:]*: No space left" "$T/m"
	memory_gone
fi

if t 'a quota' && need btrfs && loop_disk 160M btrfs; then
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
if t 'a device that fails under its file system' &&
    need losetup mkfs.ext2 && memory_disk tmpfs -o size=6m; then
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

for size in 8 1m; do
	for trap in '' "trap '' XFSZ; "; do
		t "the limit of a file's size (-c $size) ${trap:+with XFSZ ignored}" || continue
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

if t 'few descriptors: it works, or it fails well'; then
	for most in 3 4 5 6 7 8 9 10 11 12 64; do
		run_with sh -c 'ulimit -n "$0" && exec "$@"' "$most" "$G" -c 64k -r 1 "$D"
		[ "$status" -eq 127 ] && continue
		if [ "$status" -eq 0 ]; then
			want_table 3
			want_empty
			[ "$most" -lt 8 ] || ! grep -q guard "$T/err" || fail "$most: without its guard"
			[ "$most" -gt 5 ] || want_err 'warning: no guard process'
		else
			want_status 1
			grep -v '^gbtestdisk: warning: ' "$T/err" >"$T/errors"
			mv "$T/errors" "$T/err"
			want_failure "$(text_of EMFILE)"
		fi
	done
	want_status 0
fi

# ---- directories that will not do ---------------------------------------------

if t 'a directory mounted read-only' && need_root; then
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

if t 'an immutable directory' && need_root && need chattr; then
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
	t "a directory of mode $mode: $dir" || continue
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

if t 'what is not there is refused, and not made'; then
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
fi

if t 'a ring of links is refused'; then
	ln -s b "$D/a"
	ln -s a "$D/b"
	run -c 1 "$D/a"
	want_status 1
	want_one_line
	want_err ": $D/a: .*[Ll]"
fi

if t 'a name that is too long is refused'; then
	run -c 1 "$D/$(printf '%0300d' 0)"
	want_status 1
	want_one_line
	want_err 'ame too long'
fi

if t 'a directory removed from under the program'; then
	mkdir "$D/a"
	(cd "$D/a" && rmdir "$D/a" && exec "$G" -c 64k -r 1) >"$T/out" 2>"$T/err" </dev/null
	status=$?
	want_failure 'No such file or directory'
fi

# ---- large calls --------------------------------------------------------------

for block in 2047m 2048m 2049m 4g 5000m 1t; do
	t "-b $block: too large, or cut to the file" || continue
	run -v -b $block -c 64k -r 1 "$D"
	if [ "$status" -eq 2 ]; then
		want_one_line
		want_err 'too large'
	else
		want_status 0
		want_fact block 65536
		want_table 3
	fi
	want_empty
done

if t_all 'a block of more than 2 GiB is written whole' && can_strace && has_memory 6000 &&
    memory_disk tmpfs -o size=2200m; then
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

# The signal comes during the first call of eight that take 0.8 s each.
for signal in 2 15; do
	t "signal $signal during a slow call ends the run when that call ends" || continue
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

if t 'a letter of two bytes is no option, and is not cut in two'; then
	printf '\055\303\251\n' >"$T/word"
	run_with sh -c 'xargs "$0" <"$1"' "$G" "$T/word"
	want_status 123 # of xargs
	want_one_line
	printf "'\055\303\251': no such option\n" >"$T/pattern"
	grep -q -f "$T/pattern" "$T/err" || fail 'the letter is cut'
fi

finish
