#!/bin/sh
# What exists already, a file or a disk, is only read: what it is, what is said
# of it, and that nothing can change it.  Needs strace for the proofs, root for
# the disks, the users and the file systems, and what makes and mounts those.
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # what awk expands; lists; what lib.sh uses and sets
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

# The rounds after the first see no page before the eviction, nor after it.
if t 'a file that was in the cache is evicted, and stays so through the rounds of -d' && on_disk && on_direct; then
	content 700000
	cat "$F" >/dev/null
	run -v -d -b 4k -r 3 "$F"
	want_read_only file "$F"
	want_fact evicted yes
	! grep -q 'could not be verified' "$T/err" || fail 'a warning of it'
fi

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
	refused "$E/it" '\(it is a socket, not\|.*[Nn]o such device\|.*not supported\)'
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

finish
