#!/bin/sh
# What exists already, a file or a disk, is only read: what it is, what is said
# of it, and that nothing can change it.  Needs strace for the proofs, root for
# the disks, the users and the file systems, and what makes and mounts those.
# shellcheck disable=SC2015,SC2016,SC2034,SC2086,SC2154,SC2317 # what awk expands; lists; what lib.sh and await use and set
. ./lib.sh

E=$T/e
F=$E/f
fuse=''
mkdir "$E" "$T/n"
chmod 755 "$T" "$E"

# unmounted DIRECTORY: whether it is; a FUSE daemon may take a moment to let go.
unmounted() {
	umount "$1" 2>/dev/null
	! mount | grep -q " $1 "
}

# abolish: what a case has mounted and attached, the last first.
abolish() {
	for place in $mounted; do await unmounted "$place"; done
	mounted=''
	[ -z "$fuse" ] || kill "$fuse" 2>/dev/null
	fuse=''
	for dev in $loops; do await losetup -d "$dev"; done
	loops=''
	rm -rf "$T/img" "$T/mapper"
}
trap '[ -z "$fuse" ] || kill "$fuse" 2>/dev/null; clean_up' 0

# content BYTES [FILE]: a file of that size that cannot be compressed, on the disk.
content() {
	head -c "$1" /dev/urandom >"${2:-$F}"
	chmod 644 "${2:-$F}"
	sync
}

# want_read_only WORD: the whole of standard output says that it was a WORD
# that was read, and how; nothing speaks of a scratch file.
want_read_only() {
	want_status 0
	want_fact "$1" "$2"
	[ -z "$(fact directory)" ] || fail "directory is $(fact directory)"
	want_fact data 'existing, not checked'
	want_fact writes 0
	want_fact flush none
	! grep -qi 'scratch\|guard' "$T/out" "$T/err" || fail 'a word of a scratch file or a guard'
}

# ---- what is said ---------------------------------------------------------------

if t 'a file: read and cache, and what it is'; then
	content 700000
	run -v -r 2 "$F"
	want_read_only file "$F"
	want_table 2
	want_no_err
	want_fact size 700000
	want_fact block 700000
	grep -q '^#	read MB/s	cache MB/s$' "$T/out" || fail 'other columns'
	want_empty
	[ "$(ls "$E")" = f ] || fail "beside it: $(ls "$E")"
fi

while IFS='|' read -r columns size arguments; do
	t "a file with $arguments: columns $columns, size $size" || continue
	[ -f "$F" ] || content 700000
	case $arguments in *-d*) on_direct || continue ;; esac
	run -v -r 2 $arguments "$F"
	want_read_only file "$F"
	want_fact size "$size"
	[ "$(sed -n '/^#	/{s/ MB.s//g;s/^#	//;s/	/,/g;p;}' "$T/out")" = "$columns" ] || fail 'other columns'
done <<'END'
read|700000|-o read
cache|700000|-o cache
read,cache|700000|-o cache,read
read|700000|-d -b 4k
read|700000|-d -b 4k -q 4 -p 2
read,cache|700000|-c 1000t
read,cache|65536|-c 64k
read,cache|700000|-R -b 4k
read,cache|700000|-k 1 -i 0.01 -e 50
END

while read -r state arguments; do
	t "a $state file with $arguments is evicted for each round, which is known" || continue
	on_disk && on_direct || continue
	content 700000
	"$G" -o read -d -b 4k -r 1 "$F" >/dev/null
	[ "$state" = cold ] || cat "$F" >/dev/null
	run -v $arguments "$F"
	want_read_only file "$F"
	want_fact evicted yes
	want "$(fact 'device read') >= 0.95"
	! grep -q 'could not be verified' "$T/err" || fail 'a warning of it'
done <<'END'
warm -d -b 4k -r 3
cold -d -b 4k -r 3
warm -r 3
cold -r 3
cold -r 1
cold -o read -r 3
END

if t '-j: file holds the path, directory is null'; then
	[ -f "$F" ] || content 700000
	run -j -r 1 "$F"
	want_status 0
	for member in "\"directory\":null" "\"file\":\"$F\"" '"columns":\["read","cache"\]' '"writes":0' \
	    '"flush":"none"' '"data":"existing, not checked"' '"evict":"'; do
		want_out "$member"
	done
	! grep -q '"disk":\|"filesystem":null' "$T/out" || fail 'a member of a disk'
	if command -v jq >/dev/null; then
		[ "$(jq -r '.file, .directory, .settings.size' "$T/out" | tr '\n' ' ')" = "$F null 700000 " ] ||
		    fail 'jq finds something else'
	fi
fi

if t 'a link to a file is followed, by what it is'; then
	[ -f "$F" ] || content 700000
	ln -s "$F" "$D/link"
	run -v -r 1 "$D/link"
	want_read_only file "$F"
fi

# ---- what would write is a usage error --------------------------------------------

# want_unread: the trace has no reading of the file, nor of its pages.
want_unread() {
	! grep -q "\\(read\\|fadvise\\|mmap\\|fsync\\|io_submit\\).*<$F>" "$T/trace" || fail 'it was read'
}

while IFS='|' read -r why arguments; do
	t "a file with $arguments is a usage error" || continue
	[ -f "$F" ] || content 4096
	misused $arguments "$F"
	want_err "^gbtestdisk: usage: '$F' is a file, which is only read: $why"
done <<'END'
-o can have read and cache|-o write
-o can have read and cache|-o write,read
-o can have read and cache|-o mix -w 0
-o can have read and cache|-d -o read,write
-w would write|-w 0
-w would write|-w 100
-s would write|-s
-s would write|-s -o read
-s would write|-d -s
END

for arguments in '-o write' '-o mix -w 5' '-w 5' -s; do
	t_all "with $arguments nothing is read before the usage error" || continue
	[ -f "$F" ] || content 4096
	can_strace || continue
	run_with strace -f -y -o "$T/trace" "$G" $arguments "$F"
	want_status 2
	grep -q "openat*(.*\"$F\"" "$T/trace" || fail 'it was not looked at'
	want_unread
done

# ---- what is neither is refused ---------------------------------------------------

# refused NAME WHY: at once, with the reason, and nothing is done.
refused() {
	if command -v timeout >/dev/null; then
		run_with timeout 10 "$G" "$1"
	else
		run "$1"
	fi
	want_status 1
	want_failure "^gbtestdisk: looking at what is to be tested: $1: $2"
	want_no_out
}

while IFS='|' read -r kind make why; do
	t "refused: $kind" || continue
	it=$E/it
	rm -rf "$it"
	eval "$make" >/dev/null 2>&1 || { skip "$kind cannot be made here"; continue; }
	refused "$it" "$why"
	rm -rf "$it"
done <<'END'
a FIFO|mkfifo "$it"|it is a FIFO, not
a link to a FIFO|mkfifo "$T/fifo" && ln -s "$T/fifo" "$it"|it is a FIFO, not
a dangling link|ln -s nothing "$it"|No such file
a link to itself|ln -s it "$it"|.*symbolic links
nothing|true|No such file
an empty file|: >"$it"|it is empty
END

for it in /dev/zero /dev/null /dev/full /dev/random; do
	t "refused: $it" || continue
	[ -c "$it" ] || { skip "no $it"; continue; }
	refused "$it" 'it is \(a character device\|no disk\|.*no end\)'
done

if t 'refused: a name behind a file'; then
	[ -f "$F" ] || content 4096
	refused "$F/f" 'Not a directory'
fi

if t 'refused: a socket' && need python3; then
	(cd "$E" && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("it")')
	refused "$E/it" 'it is a socket, not'
	rm -f "$E/it"
fi

if t 'refused: a terminal' && need script; then
	printf 'tty >"%s/name"\n"%s" "$(tty)" >"%s/out" 2>"%s/err" </dev/null; echo $? >"%s/status"\n' \
	    "$T" "$G" "$T" "$T" "$T" >"$T/in"
	timeout 10 script -qc "sh '$T/in'" /dev/null >/dev/null 2>&1 </dev/null
	if [ -s "$T/status" ]; then
		status=$(cat "$T/status")
		want_status 1
		want_failure "^gbtestdisk: looking at what is to be tested: $(cat "$T/name"): it is a character device"
	else
		skip 'script makes no terminal'
	fi
fi

if t 'refused: a file without the right to read it'; then
	content 4096 "$E/it"
	chmod 200 "$E/it"
	nobody "$E/it" && {
		want_status 1
		want_failure "^gbtestdisk: looking at what is to be tested: $E/it: Permission denied"
	}
	rm -f "$E/it"
fi

if t 'refused: a file in a directory that may not be entered'; then
	mkdir "$E/closed"
	content 4096 "$E/closed/it"
	chmod 0 "$E/closed"
	nobody "$E/closed/it" && {
		want_status 1
		want_failure "^gbtestdisk: looking at what is to be tested: $E/closed/it: Permission denied"
	}
	chmod 700 "$E/closed"
	rm -rf "$E/closed"
fi

if t 'to read it is right enough'; then
	content 700000 "$E/it"
	chmod 444 "$E/it"
	nobody -v -r 1 "$E/it" && want_read_only file "$E/it"
	rm -f "$E/it"
fi

if t 'two of them are a usage error'; then
	[ -f "$F" ] || content 4096
	misused "$F" "$F"
fi

# ---- no call can change it --------------------------------------------------------

# proof ARGUMENT...: the program under strace, all calls of all its processes
# kept in $T/trace.  $INJECT holds options of strace.
proof() { run_with $LIMIT strace -f -y -qq -s 0 $INJECT -o "$T/trace" "$G" "$@"; }
INJECT='' LIMIT=''

# want_harmless: no call of the trace can change a file, or what is known of it.
# What is opened is opened for reading, what is written goes to a pipe or to
# standard output and error, and what names the file is a question or a read.
want_harmless() {
	awk -v file="$F" -v out="$T/out" -v err="$T/err" '
	function bad(why) { if (!said++) print why ": " substr($0, 1, 200) }
	{ sub(/^[0-9]+ +/, "") }
	/^(\+\+\+|---|<\.\.\.)/ { next }
	{ call = $0; sub(/\(.*/, "", call); calls++ }
	call ~ /^open/ {
		if ($0 !~ /O_RDONLY/ || /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/) bad("opened to change")
	}
	call ~ /^(creat|truncate|ftruncate|unlink|rename|link|symlink|mkdir|rmdir|mknod|utime|futime|chmod|fchmod)/ ||
	call ~ /^(chown|fchown|lchown|setxattr|fsetxattr|removexattr|fallocate|sync_file_range|pwrite|pwritev)/ ||
	call ~ /^(copy_file_range|sendfile|splice|vmsplice|lsetxattr|io_uring|mount|umount|flock|sync$|syncfs)/ {
		bad("can change a file")
	}
	call ~ /^ioctl/ && !/TCGETS|TIOCGWINSZ|TIOCGPGRP/ { bad("an ioctl") }
	call ~ /^writev?$/ {
		what = $0
		sub(/^[a-z]+\([0-9]+</, "", what)
		sub(/>,.*/, "", what)
		if (what !~ /^pipe:/ && what != out && what != err) bad("written")
	}
	call == "io_submit" && /IOCB_CMD_(PWRITE|FSYNC|FDSYNC)/ { bad("an asynchronous write") }
	call == "mmap" && /MAP_SHARED/ && /PROT_WRITE/ && !/MAP_ANONYMOUS/ { bad("mapped to be written") }
	call == "mprotect" && /PROT_WRITE/ && index($0, file) { bad("made writable") }
	call == "setsid" { bad("a guard") }
	index($0, file) && call !~ /^(execve|open|openat|close|read|pread64|preadv|lseek|_llseek|fstat|stat|lstat|newfstatat|fstatat64|fstat64|stat64|lstat64|statx|statfs|statfs64|fstatfs|fstatfs64|fadvise64|fadvise64_64|fsync|mmap|mmap2|io_submit|readlink|readlinkat|access|faccessat|faccessat2|name_to_handle_at|fcntl|fcntl64)$/ {
		bad("an unknown call on it")
	}
	END { if (calls < 20) bad("a trace of " calls + 0 " calls"); exit said > 0 }' "$T/trace" >"$T/why" ||
	    fail "$* $(cat "$T/why")"
}

# facts_of FILE: what must not change.
facts_of() {
	stat -c '%i %s %b %a %u %y %z' "$1"
	cksum <"$1"
}

# known: a new file, and what it is.
known() {
	need stat || return 1
	content "$1"
	facts_of "$F" >"$T/known"
}
want_unchanged() {
	facts_of "$F" >"$T/now"
	cmp -s "$T/known" "$T/now" || fail "$* changed: $(cat "$T/known"), now $(cat "$T/now")"
	[ "$(ls -A "$E")" = f ] || fail "$* beside it: $(ls -A "$E")"
}

# Each line is a list of alternatives; a run takes one of each.
for columns in 'default' '-o read' '-o cache' '-d' '-w 5' '-s' '-o write'; do
	t_all "no call can change it: all combinations with $columns" || continue
	can_strace && known 150000 || continue
	for order in '' -R; do
		for workers in '' '-p 2' '-q 2' '-p 2 -q 2'; do
			for how in '' '-j -l -m 3 -x' '-a -v -t 0.05 -i 0.01 -u IOPS' '-k 1 -e 50 -r 4 -c 100k'; do
				proof ${columns#default} $order $workers -b 8k $how "$F"
				# What -d demands of the size of a block or the file is for errors.sh.
				case $columns,$status in
				-[ws]*,2 | *write,2 | [!-]*,0 | -d,[01] | -o\ [rc]*,0) ;;
				*) fail "status $status of $order $workers $how" ;;
				esac
				want_harmless "$order $workers $how:"
			done
		done
	done
	want_unchanged
done

while read -r what; do
	t_all "no call can change it: $what" || continue
	can_strace && known 150000 || continue
	for options in '-a' '-R -l -p 2 -o read' '-d -q 2 -j' '-t 0.3 -m 5 -v'; do
		INJECT="-e trace=all -e inject=$what"
		proof $options -b 4k -r 3 "$F"
		INJECT=''
		want_harmless "$options:"
	done
	want_unchanged
done <<'END'
pread64:signal=INT:when=30
pread64:signal=TERM:when=30
pread64:signal=HUP:when=3
pread64:signal=QUIT:when=50
pread64:signal=PIPE:when=40
pread64:signal=INT:when=30+
pread64:signal=KILL:when=30
pread64:signal=SEGV:when=30
fadvise64:signal=INT
mincore:signal=TERM:when=2
io_submit:signal=INT:when=3
close:signal=INT:when=7
pread64:error=EIO:when=30
pread64:error=EINVAL:when=30+
pread64:retval=0:when=30
pread64:error=EINTR:when=30
fadvise64:error=EPERM
fadvise64:retval=0
mincore:error=ENOSYS
fsync:error=EIO
fsync:error=EBADF
io_setup:error=ENOSYS
io_submit:error=EAGAIN:when=5
clone:error=EAGAIN
mmap:error=ENOMEM:when=40+
openat:error=EMFILE:when=5+
openat:error=EACCES:when=6
openat:error=EINVAL:when=6
openat:error=EOPNOTSUPP:when=6
close:error=EIO:when=7+
write:error=ENOSPC
write:error=EPIPE
END

if t_all 'one run forks nothing, and says no word of a guard' && can_strace; then
	known 150000
	proof -v -r 2 -b 4k "$F"
	want_read_only file "$F"
	! grep -q '^[0-9]* *\(clone\|fork\|vfork\|clone3\)(' "$T/trace" || fail 'it forks'
fi

# The options of run N of seed S: a number for each choice.
random_options() {
	awk -v seed="$1" 'function one(list,  n, a) { n = split(list, a, "|"); print a[1 + int(rand() * n)] }
	BEGIN { srand(seed); rand()
		one("|||-o read|-o cache|-o read,cache|-d"); one("|-R"); one("|-p 2|-p 5"); one("|-q 3|-q 8")
		one("-b 2k|-b 4k|-b 64k|-b 1000|-b 3m|"); one("-c 32k|-c 100t|-c 1|-c 12345|")
		one("-r 1|-r 2|-r 3|-t 0.01"); one("|-a|-x|-j|-v|-l|-m 2|-m 7"); one("|-k 1|-e 30|-i 0.001|-u IOPS")
		one("||||||||||-o write|-s|-w 3|-o mix -w 3") }' | tr '\n' ' '
}

if t_all '1000 random runs change nothing' && known 60001; then
	seed=$(date +%s) n=0
	while [ $n -lt 1000 ]; do
		n=$((n + 1))
		options=$(random_options $((seed + n)))
		# Every fourth gets a signal, or loses its reader, wherever it is.
		case $((n % 8)),$(command -v timeout) in
		1,?*) timeout -s INT 0.01 "$G" $options "$F" ;;
		3,?*) timeout -s TERM 0.005 "$G" $options "$F" ;;
		5,?*) timeout -s KILL 0.01 "$G" $options "$F" ;;
		7,*) "$G" -a $options "$F" | head -n 1 ;;
		*) "$G" $options "$F" ;;
		esac >"$T/out" 2>"$T/err" </dev/null
		[ $((n % 100)) -ne 0 ] || want_unchanged "seed $seed, at run $n:"
	done
	want_unchanged "seed $seed:"
fi

# ---- disks --------------------------------------------------------------------

# disk BYTES [OPTION...]: a disk of random content, $loop; OPTIONs go to losetup.
disk() {
	need_root && need losetup || return 1
	content "$1" "$T/img"
	shift
	loop=$(losetup "$@" --direct-io=on -f --show "$T/img" 2>"$T/err") || {
		skip "no such loop device to be had: $(head -n 1 "$T/err")"
		return 1
	}
	loops="$loop $loops"
}

# reads_of FILE ARGUMENT...: a run that reads it once, with offset and length of
# each of its reads, made after the eviction, in $T/reads, in their order.
reads_of() {
	can_strace || return 1
	reads_file=$1
	shift
	run_with strace -f -qq -s 0 -P "$reads_file" -e trace=pread64,fadvise64 -o "$T/trace" \
	    "$G" -o read -r 1 "$@" "$reads_file"
	awk '/fadvise64/ { n = 0 }
	/pread64/ && match($0, /, [0-9]+, [0-9]+\) += [0-9]+$/) {
		split(substr($0, RSTART + 2), part, /[^0-9]+/)
		read[++n] = part[2] " " part[3]
	}
	END { for (i = 1; i <= n; i++) print read[i] }' "$T/trace" >"$T/reads"
}

# want_once BYTES: those reads, in their order, are of each byte once.
want_once() {
	awk -v size="$1" '$1 != at + 0 { print "at " $1 ", not " at + 0; exit 1 } { at += $2 }
	END { if (at != size) { print "up to " at + 0; exit 1 } }' "$T/reads" >"$T/why" || fail "reads $(cat "$T/why")"
}

while IFS='|' read -r size setup arguments covered; do
	t_all "a disk of $size bytes ${setup:+by $setup }with $arguments: each byte once" || continue
	if disk 3149312 $setup; then
		reads_of "$loop" $arguments -v
		want_read_only disk "$loop"
		[ -z "$(fact filesystem)" ] || fail 'it has a file system'
		want_fact size "$size"
		case $arguments in *-[pR]*) sort -n "$T/reads" >"$T/sorted" && mv "$T/sorted" "$T/reads" ;; esac
		want_once "${covered:-$size}"
	fi
	abolish
done <<'END'
3149312||-b 1m|
3149312||-b 4k|
3149312||-b 5000|
3149312||-c 100t -b 64k|
3149312||-b 64k -p 3|
3149312||-b 64k -R|3145728
3149312||-d -b 512 -p 2|
3149312||-d -b 1m|
3149312||-d -b 64k|
3149312||-d -b 64k -R|3145728
3149312||-d -c 8m -b 8m|
3145728|--sizelimit 3145728 -b 4096|-d -b 4k|
3145728|--sizelimit 3145728 -b 4096|-d -b 1m|
3145728|--sizelimit 3145728 -b 4096|-b 1000|
3145728|--sizelimit 3145728 -b 4096|-d -b 40k|
3147776|-o 1536|-b 4k|
3147776|-o 1536|-d -b 512|
3147776|-o 1536|-d -b 64k|
1049088|-o 1536 --sizelimit 1049088|-d -b 4k|
1049088|-o 1536 --sizelimit 1049088|-b 4k|
512|--sizelimit 512|-d|
512|--sizelimit 512|-b 1|
END

if t_all 'a disk of sectors of 4096 bytes refuses direct I/O of less, and names them'; then
	if disk 3145728 -b 4096; then
		run -d -b 512 "$loop"
		want_failure "^gbtestdisk: direct I/O: $loop: a block of 512 bytes is not a multiple of 4096"
	fi
	abolish
fi

if t_all '-j: disk holds the path, directory and filesystem are null'; then
	if disk 1048576; then
		run -j -r 1 "$loop"
		want_status 0
		for member in '"directory":null' "\"disk\":\"$loop\"" '"filesystem":null' '"data":"existing, not checked"'; do
			want_out "$member"
		done
		! grep -q '"file":' "$T/out" || fail 'a member of a file'
	fi
	abolish
fi

if t_all 'a disk with -w, -s or -o write is a usage error, and no run changes it'; then
	if disk 1048576 && can_count; then
		cksum <"$T/img" >"$T/known"
		before=$(moved_sectors 10)
		for arguments in -s '-w 5' '-o write' '-o mix -w 0'; do
			misused $arguments "$loop"
			want_err "'$loop' is a disk, which is only read"
		done
		for arguments in '' -d '-R -b 4k -p 2' '-t 0.1' '-k 1 -j' '-d -q 4 -b 4k'; do
			works $arguments "$loop"
		done
		[ "$(moved_sectors 10)" = "$before" ] || fail 'sectors were written'
		cksum <"$T/img" | cmp -s - "$T/known" || fail 'it has changed'
	fi
	abolish
fi

if t_all 'each round of a disk comes from the device, and its cache pass does not'; then
	if disk 4194304 && can_count; then
		before=$(moved_sectors 6)
		works -v -r 3 "$loop"
		want "$(moved_sectors 6) - $before >= 3 * 8192"
		want "$(moved_sectors 6) - $before <= 3 * 8192 * 1.1"
		want_fact evicted yes
		want_fact resident 0.000000
	fi
	abolish
fi

if t_all 'a mounted disk keeps blocks of its own in memory, and how much is said'; then
	if loop_disk 64M ext4 --direct-io=on; then
		content 8388608 "$T/m/f"
		run -v -r 1 -c 100t "$loop"
		want_read_only disk "$loop"
		if holds "$(fact resident) > 0"; then
			want_fact evicted no
			want_err 'warning: .*of it was still in memory after eviction (something else may use it)'
		else
			want_fact evicted yes
		fi
		want "$(fact resident) < 0.5"
		cat "$T/m/f" >/dev/null || fail 'the file system has suffered'
	fi
	abolish
fi

# ---- the size that lseek does not tell ---------------------------------------------

for size in 512 3149312 1048576; do
	t_all "where lseek does not tell the size of a disk, $size bytes are found by reading" || continue
	if can_strace && disk "$size"; then
		run_with strace -qq -P "$loop" -e trace=lseek,pread64,fadvise64 -e inject=lseek:retval=0 -o "$T/trace" \
		    "$G" -v -r 1 "$loop"
		want_status 0
		want_fact size "$size"
		[ "$(awk '/fadvise64/ { exit } /pread64/ { n++ } END { print n + 0 }' "$T/trace")" -le 40 ] || fail 'more than forty reads'
	fi
	abolish
done

# A disk as the BSDs have them: a character device, without a cache.
whole_sectors() {
	[ -f "$T/sectors.so" ] || build sectors.so -shared -fPIC -ldl <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>
#define PREAD(name, type) \
	ssize_t name(int fd, void *to, size_t len, type at) \
	{ \
		ssize_t (*next)(int, void *, size_t, type); \
		*(void **)&next = dlsym(RTLD_NEXT, #name); \
		if (len % 4096 == 0 && at % 4096 == 0) \
			return next(fd, to, len, at); \
		errno = EINVAL; \
		return -1; \
	}
PREAD(pread, off_t)
PREAD(pread64, off64_t)
off_t lseek(int fd, off_t at, int from) { (void)fd; (void)from; return at; }
off64_t lseek64(int fd, off64_t at, int from) { (void)fd; (void)from; return at; }
END
}
if t_all 'where a disk refuses reads of less than its sectors, the size is found all the same'; then
	if disk 3149824 && whole_sectors; then
		run_with env LD_PRELOAD="$T/sectors.so" "$G" -v -r 1 -c 3m "$loop"
		want_status 0
		want_fact size 3145728
		run_with env LD_PRELOAD="$T/sectors.so" "$G" -v -r 1 -c 2m "$loop"
		want_fact size 2097152
	fi
	abolish
fi

if t_all 'where disks are character devices, what has no end or is empty is refused'; then
	sed 's/CHARACTER_DISKS = 0/CHARACTER_DISKS = 1/' "$SRC/gbtestdisk.c" >"$T/character.c"
	if ${CC:-cc} -o "$T/character" "$T/character.c" >"$T/log" 2>&1; then
		own=$G G=$T/character
		refused /dev/zero 'it has no end, so it is no disk'
		refused /dev/null 'it is empty'
		G=$own
	else
		skip 'it does not compile'
	fi
fi

# ---- sizes of files ----------------------------------------------------------------

while IFS='|' read -r size arguments; do
	t_all "a file of $size bytes with $arguments: each byte once" || continue
	content "$size"
	reads_of "$F" $arguments -v || continue
	want_read_only file "$F"
	case $arguments in *-[pR]*) sort -n "$T/reads" >"$T/sorted" && mv "$T/sorted" "$T/reads" ;; esac
	want_once "$size"
done <<'END'
524288|-b 1m
524288|-b 4k
524288|-R -b 4k
1|-b 1m
1|-R
4097|-b 4k
1000003|-b 4k -p 3
1000003|-b 999
1000003|-d -b 4k
1000003|-d -b 512 -p 2
1000003|-c 100t
END

# Calls that strace makes for the program: no disk has so much.
# huge SIZE: a file without a block, of so many bytes.
huge() {
	need_root && need losetup mkfs.xfs && loop_disk 400M xfs || return 1
	truncate -s "$1" "$T/m/huge" 2>"$T/err" && return 0
	skip "no file of $1 to be had"
	return 1
}
if t_all 'a sparse file of 16 TiB: each byte once, and a warning'; then
	if can_strace && huge 16T; then
		run_with strace -qq -s 0 -P "$T/m/huge" -e trace=pread64 -e inject=pread64:retval=1073741824 -o "$T/trace" \
		    "$G" -v -o read -r 1 -b 1g -c 100t "$T/m/huge"
		want_read_only file "$T/m/huge"
		want_fact size 17592186044416
		sed -n 's/.*, \([0-9]*\), \([0-9]*\)) *= .*/\2 \1/p' "$T/trace" >"$T/reads"
		want_once 17592186044416
		want_err 'warning: .*only 0.0 % of it lies on the disk'
	fi
	abolish
fi
if t_all 'a sparse file of 1 TiB by random samples: all of it'; then
	if huge 1T; then
		run -R -b 4k -c 100t -t 1 -r 1 -o read -m 4 "$T/m/huge"
		want_status 0
		[ "$(awk '/^#offset/ { on = 1 } on && /^[0-9]/ && $2 > 0 { print $1 }' "$T/out" | tr '\n' ' ')" = \
		    '0.000000 262144.000000 524288.000000 786432.000000 ' ] || fail 'a part without a sample'
		want_err 'only 0.0 % of it lies on the disk'
	fi
	abolish
fi

finish
