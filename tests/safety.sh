#!/bin/sh
# No file but the scratch file is ever written, truncated or removed.
# Needs cc and preloaded libraries for what is planted, strace to stop the
# program where something is swapped, root for the disks.
# shellcheck disable=SC2012,SC2015,SC2016,SC2034,SC2154
. ./lib.sh

# A library that runs $PLANT at the first $PLANTS of the program's exclusive
# creations, with the name in $NAME: another user who guessed it.
planter() {
	[ -f "$T/plant.so" ] || build plant.so -shared -fPIC -ldl <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
static int planted(const char *symbol, const char *path, int flags, mode_t mode)
{
	static int done;
	int (*next)(const char *, int, ...);

	if ((flags & O_EXCL) && done < atoi(getenv("PLANTS"))) {
		done++;
		unsetenv("LD_PRELOAD");
		setenv("NAME", path, 1);
		if (system(getenv("PLANT")) != 0)
			_exit(99);
	}
	*(void **)&next = dlsym(RTLD_NEXT, symbol);
	return next(path, flags, mode);
}
#define INTERPOSE(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list ap; \
		mode_t mode = 0; \
		if (flags & O_CREAT) { \
			va_start(ap, flags); \
			mode = va_arg(ap, mode_t); \
			va_end(ap); \
		} \
		return planted(#name, path, flags, mode); \
	}
INTERPOSE(open)
INTERPOSE(open64)
END
}

# plant TIMES COMMAND ARGUMENT...: the program, with that done to its names.
plant() {
	planter || return 1
	plants=$1 planting=$2
	shift 2
	run_with env PLANT="$planting" PLANTS="$plants" VICTIM="$T/victim" LD_PRELOAD="$T/plant.so" \
	    ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0" "$G" "$@"
	[ -n "$(ls -A "$D")" ] && return 0
	skip 'LD_PRELOAD does not reach the program'
	return 1
}

new_victim() {
	rm -f "$T/victim"
	echo precious >"$T/victim"
	chmod 444 "$T/victim"
	touch -t 200102030405 "$T/victim"
	before=$(ls -ln "$T/victim" | cut -c 1-10,12-)
}
want_victim() {
	[ "$(cat "$T/victim")" = precious ] || fail 'the other file was written to'
	after=$(ls -ln "$T/victim" | cut -c 1-10,12-)
	[ -n "$1" ] || [ "$after" = "$before" ] || fail "the other file: $before, then $after"
}

while read -r kind planting; do
	t "with $kind in its place it takes another name" || continue
	new_victim
	if plant 1 "$planting" -c 2 -r 2 "$D"; then
		want_status 0
		want_table 3
		[ "$(ls -A "$D" | wc -l)" -eq 1 ] || fail "in the directory: $(ls -A "$D")"
		planted=$D/$(ls -A "$D")
		case $kind in
		file) [ "$(cat "$planted")" = mine ] || fail 'it was written to' ;;
		directory) [ -d "$planted" ] || fail 'it is no directory any more' ;;
		fifo) [ -p "$planted" ] || fail 'it is no FIFO any more' ;;
		*link) [ -h "$planted" ] || [ "$kind" = hardlink ] || fail 'it is no link any more' ;;
		esac
		want_victim "$([ "$kind" != hardlink ] || echo links)"
		[ ! -e "$T/victim.nothing" ] || fail 'a dangling link was followed'
	fi
done <<'END'
file echo mine >"$NAME"; chmod 400 "$NAME"
hardlink ln "$VICTIM" "$NAME"
symlink ln -s "$VICTIM" "$NAME"
dangling-link ln -s "$VICTIM.nothing" "$NAME"
directory mkdir "$NAME"
fifo mkfifo "$NAME"
END

# Directories that all may write to are where such names get planted.
for mode in 777 1777; do
	t "a link planted in a directory of mode $mode is not followed" || continue
	new_victim
	chmod "$mode" "$D"
	if plant 3 'ln -s "$VICTIM" "$NAME"' -c 1 -r 1 "$D"; then
		want_status 0
		[ "$(ls -A "$D" | wc -l)" -eq 3 ] || fail "in the directory: $(ls -A "$D")"
		want_victim
	fi
	chmod 755 "$D"
done

if t '-d: the file that is made first takes another name as well' && on_direct; then
	new_victim
	if plant 3 'ln -s "$VICTIM" "$NAME"' -d -c 1 -r 1 "$D"; then
		want_status 0
		[ "$(ls -A "$D" | wc -l)" -eq 3 ] || fail "in the directory: $(ls -A "$D")"
		want_victim
	fi
fi

if t '-p: workers get to know the other name'; then
	new_victim
	if plant 3 'ln -s "$VICTIM" "$NAME"' -p 2 -c 1 -r 1 "$D"; then
		want_status 0
		[ "$(ls -A "$D" | wc -l)" -eq 3 ] || fail "in the directory: $(ls -A "$D")"
		want_victim
	fi
fi

if t 'where every name is taken it gives up, and removes nothing'; then
	new_victim
	if plant 1000 'ln -s "$VICTIM" "$NAME"' -c 1 -r 1 "$D"; then
		want_status 1
		want_one_line
		want_no_out
		[ "$(find "$D" -type l | wc -l)" -eq "$(ls -A "$D" | wc -l)" ] || fail "something that is no link"
		[ "$(ls -A "$D" | wc -l)" -ge 2 ] || fail 'gave up at once'
		want_victim
	fi
fi

# What stands there when the program wants its file back, or out of the way.
# The path is $scratch; it is stopped after the write pass.
while read -r what fault swap; do
	swap=$(echo "$swap" | sed "s|VICTIM|$T/victim|g")
	for end in resume KILL INT; do
		case $end in INT) which=t_all ;; *) which=t ;; esac
		$which "$what instead of the scratch file is left alone, by $end" || continue
		new_victim
		if hold fadvise64 1 -c 1 -r 2 "$D"; then
			rm "$scratch"
			eval "$swap"
			[ "$end" = resume ] || kill -s "$end" "$pid"
			resume
			ended
			if [ "$end" = resume ]; then
				want_status 1
				want_err "$(echo "$fault" | tr _ " ")"
				! grep -q '^avg' "$T/out" || fail 'a figure'
			fi
			# The guard may need a moment.
			pause
			pause
			[ -h "$scratch" ] || [ -e "$scratch" ] || fail 'it was removed'
			want_victim "$([ "$what" != a-hard-link ] || echo links)"
		fi
	done
done <<'END'
a-file another_file_has_taken_its_name cp -p VICTIM "$scratch"
a-hard-link another_file_has_taken_its_name ln VICTIM "$scratch"
a-link opening_the_scratch_file ln -s VICTIM "$scratch"
a-directory opening_the_scratch_file mkdir "$scratch"
END

if t 'what took the name of the scratch file is left alone by a second signal too'; then
	new_victim
	if hold fadvise64 1 -c 1 -r 2 "$D"; then
		rm "$scratch"
		cp -p "$T/victim" "$scratch"
		kill -INT "$pid"
		kill -TERM "$pid"
		resume
		ended
		[ "$status" -gt 128 ] || fail "status $status"
		[ -e "$scratch" ] || fail 'it was removed'
		want_victim
	fi
fi

# The directory is another one's, or goes by another name, meanwhile.
while read -r what change; do
	for end in resume KILL TERM; do
		case $end in KILL) which=t ;; *) which=t_all ;; esac
		$which "the file is found when the directory $what meanwhile, by $end" || continue
		rm -rf "$T/place" "$T/elsewhere"
		mkdir "$T/place" "$T/elsewhere" "$T/place/d"
		ln -s d "$T/place/link"
		hold_directory=$T/place/d
		if hold fadvise64 1 -c 1 -r 2 "$T/$(echo "$what" | awk '{ print /link/ ? "place/link" : "place/d" }')"; then
			(cd "$T" && eval "$change")
			[ "$end" = resume ] || kill -s "$end" "$pid"
			resume
			ended
			[ "$end" != resume ] || want_status 0
			# The guard may need a moment.
			pause
			pause
			left=$(find "$T/place" "$T/elsewhere" -name 'gbtest-*')
			[ -z "$left" ] || fail "left behind: $left"
		fi
		hold_directory=''
	done
done <<'END'
is-renamed mv place/d place/e
is-moved mv place/d elsewhere/d
link-leads-elsewhere rm place/link; ln -s ../elsewhere place/link
END

if t 'a scratch file that somebody removed is an error' && hold fadvise64 1 -c 1 -r 2 "$D"; then
	rm "$scratch"
	# The pass that comes next opens it by name.
	resume
	ended
	want_failure 'opening the scratch file: .*No such file or directory'
fi

if t 'the files that were there stay as they were'; then
	echo one >"$D/gbtest-aaaaaaa"
	echo two >"$D/gbtestdisk"
	mkdir "$D/gbtest-bbbbbbb"
	echo three >"$D/.hidden"
	touch -t 200102030405 "$D"/gbtest* "$D/.hidden"
	before=$(cd "$D" && ls -Alni && cat gbtest-aaaaaaa gbtestdisk .hidden)
	works -c 2 -r 3 "$D"
	after=$(cd "$D" && ls -Alni && cat gbtest-aaaaaaa gbtestdisk .hidden)
	[ "$before" = "$after" ] || fail "$before, then $after"
fi

for mask in 000 022 077; do
	t "the scratch file is of mode 0600 under umask $mask" || continue
	umask "$mask"
	if hold fadvise64 1 -c 1 -r 1 "$D"; then
		[ -n "$(find "$scratch" -type f -perm 600 -links 1)" ] || fail "$(ls -l "$scratch")"
		resume
		ended
	fi
	umask 022
done

for mask in 777 400 200; do
	t "a mask of $mask keeps nobody from opening his file again" || continue
	chmod 777 "$D"
	umask "$mask"
	if nobody -c 1 -r 1 -p 2 "$D"; then
		umask 022
		want_status 0
		want_table 3
		want_empty
	fi
	umask 022
	chmod 755 "$D"
done

if t 'no two runs take the same name' && hold fadvise64 1 -c 1 -r 1 "$D"; then
	first=$scratch
	resume
	ended
	if hold fadvise64 1 -c 1 -r 1 "$D"; then
		[ "$first" != "$scratch" ] || fail "twice $scratch"
		resume
		ended
	fi
fi

if t 'it is created exclusively, and no link is followed'; then
	if need strace && strace -o /dev/null true 2>/dev/null; then
		run_with strace -f -o "$T/trace" -e trace=open,openat,creat,truncate,ftruncate,rename,link \
		    "$G" -c 1 -r 2 "$D"
		grep -F gbtest- "$T/trace" >"$T/calls"
		[ -s "$T/calls" ] || fail 'no call names the file'
		! grep -v 'O_NOFOLLOW' "$T/calls" || fail 'a call follows links'
		! grep 'O_CREAT\|creat(' "$T/calls" | grep -v 'O_EXCL.*, 0600)' || fail 'a file is made otherwise'
		! grep 'O_TRUNC\|truncate' "$T/calls" || fail 'a file is truncated'
	else
		skip 'strace may not trace here'
	fi
fi

# want_not_directory PATH
want_not_directory() {
	run -c 1 -r 1 "$1"
	want_status 1
	# Where disks are character devices, the error says it of a terminal that is not there.
	want_failure "looking at what is to be tested: $1: \(it is a .*not a directory\|No such device\)"
	want_no_out
}

if t 'a disk is only read' && need_root && need losetup; then
	dd if=/dev/zero of="$T/img" bs=65536 count=16 2>/dev/null
	echo boot | dd of="$T/img" conv=notrunc 2>/dev/null
	cp "$T/img" "$T/img.before"
	if loop=$(losetup -f --show "$T/img" 2>/dev/null); then
		loops=$loop
		run -c 1 -r 1 "$loop"
		want_status 0
		want_table 2
		[ -b "$loop" ] || fail "$loop is no block device any more"
		losetup -d "$loop"
		loops=
		cmp -s "$T/img" "$T/img.before" || fail 'it was written to'
	else
		skip 'no loop device to be had'
	fi
	rm -f "$T/img"
fi

for device in /dev/null /dev/zero /dev/tty /dev/ptmx; do
	t "$device is refused" || continue
	if [ -c "$device" ]; then
		before=$(ls -lL "$device")
		want_not_directory "$device"
		[ "$(ls -lL "$device" | cut -c 1-10)" = "$(echo "$before" | cut -c 1-10)" ] || fail 'it was replaced'
	else
		skip "no $device"
	fi
done

for kind in file link fifo; do
	t "a $kind in place of a directory is not changed" || continue
	new_victim
	case $kind in
	file) place=$T/victim ;;
	link) place=$T/link; rm -f "$place"; ln -s victim "$place" ;;
	fifo) place=$T/fifo; rm -f "$place"; mkfifo "$place" ;;
	esac
	if [ "$kind" = fifo ]; then
		want_not_directory "$place"
	else
		run -r 1 "$place"
		want_status 0
		want_table 2
	fi
	want_victim
done

# A link on a large file system to a small one, and the other way round.
if t 'space is looked at where a link leads'; then
	rm -f "$T/small" "$T/large"
	if memory_disk tmpfs -o size=6m; then
		mkdir "$T/m/sub"
		ln -s m/sub "$T/small"
		for place in "$T/small" "$T/small/" "$T/m/../small"; do
			run -c 32 -r 1 "$place"
			want_status 1
			want_failure "looking for space: $place: No space left on device"
			want_empty "$T/m/sub"
			works -c 2 -r 1 "$place"
		done
		ln -s "$D" "$T/m/large"
		works -c 32 -r 1 "$T/m/large"
		(cd "$T/m/sub" && "$G" -c 32 -r 1 ../large/) >"$T/out" 2>"$T/err"
		status=$?
		want_status 0
		want_empty
		want_empty "$T/m/sub"
		memory_gone
	fi
fi

if t 'the file is where the link leads'; then
	rm -f "$T/link"
	ln -s d "$T/link"
	if hold fadvise64 1 -c 1 -r 1 "$T/link"; then
		[ -f "$scratch" ] && [ "$(wc -c <"$scratch")" -eq 1048576 ] || fail 'no file in the target'
		resume
		ended
		want_status 0
		[ -h "$T/link" ] || fail 'the link is gone'
		want_empty
	fi
fi

finish
