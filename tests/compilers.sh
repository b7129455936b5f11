#!/bin/sh
# Old dialects, small compilers and C libraries, and systems that lack
# something: nothing may vanish in silence.
# Needs the compilers, and gcc and nm for what is left out.
# shellcheck disable=SC2086 # lists of options are words
. ./lib.sh

native=$G
want_like() { fact "$1" | grep -q "^$2" || fail "$1 is $(fact "$1"), not $2"; }

# want_quiet: no message but warnings, which a disk as fast as memory may cause.
want_quiet() {
	! grep -v '^gbtestdisk: warning: ' "$T/err" || fail 'a message'
}

# ---- dialects, compilers, C libraries ------------------------------------

run_with "$native" -v -c 1 -r 1 "$D"
evicted=$(fact evicted)
run_with "$native" -d -b 64k -c 1 -r 1 "$D"
direct=$status

while read -r command_line; do
	t "compiles by $command_line, and does all it can" || continue
	need ${command_line%% *} || continue
	compiled $command_line || continue
	if ! "$T/program" -V >/dev/null 2>&1; then	# 32 bits, where the kernel has 64 only
		need qemu-i386-static || continue
		mv "$T/program" "$T/narrow"
		printf '#!/bin/sh\nexec qemu-i386-static %s "$@"\n' "$T/narrow" >"$T/program"
		chmod +x "$T/program"
	fi
	works -v -c 1 -r 2 "$D"
	want_table 3
	want_like evict 'posix_fadvise$'
	want_like verify 'mincore$'
	want_like evicted "$evicted\$"
	want_like clock 'CLOCK_MONOTONIC 0\.'
	want_like flush 'fsync$'
	works -c 1 -b 4k -R -p 2 -q 2 -w 30 -l -r 2 "$D"
	run -d -b 64k -c 1 -r 1 "$D"
	want_status "$direct"
	run -c 8388607t "$D"
	want_failure 'No space left'
	want_empty
done <<'END'
cc
c99
gcc -std=gnu99 -pedantic -Wno-variadic-macros
gcc -std=c99 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
gcc -std=c99 -Wall -Wextra -Wconversion -D_POSIX_C_SOURCE=200112L
gcc -std=c99 -Wall -Wextra -D_POSIX_C_SOURCE=200809L -D_POSIX_SOURCE
gcc -std=c99 -Wall -Wextra -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE -D_XOPEN_SOURCE=700
gcc -std=c99 -Wall -Wextra -D_XOPEN_SOURCE=500
gcc -std=c99 -Wall -Wextra -D_ISOC99_SOURCE -D_BSD_SOURCE -D_DEFAULT_SOURCE
gcc -std=c11 -Wall -Wextra
gcc -std=gnu17 -Os -DNDEBUG -Wall -Wextra
gcc -O3 -flto -Wall -Wextra
gcc -funsigned-char -fshort-enums -Wall -Wextra
clang -Wall -Wextra
clang -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
clang -std=c99 -Wall -Wextra -D_POSIX_C_SOURCE=200112L
tcc -std=c99 -Wall -D_POSIX_C_SOURCE=200112L
pcc
pcc -std=c99
diet gcc -Wall -Wextra
diet gcc -DNO_LIBRT -Wall -Wextra
gcc -std=c99 -DNO_LIBRT -Wall -Wextra
diet gcc -std=c99 -Os -Wall -Wextra -D_POSIX_C_SOURCE=200112L
musl-gcc -std=gnu99 -static -Wall -Wextra
musl-gcc -std=c99 -static -Wall -Wextra -D_POSIX_C_SOURCE=200112L
i686-linux-gnu-gcc -static -std=c99 -Wall -Wextra -Wconversion
END

# A gcc before 5 takes C99 in pieces, by default: that has to be enough.
for command_line in 'gcc -std=gnu89' 'gcc -ansi' 'clang -std=gnu89' 'clang -ansi'; do
	t "by $command_line it compiles" || continue
	if need "${command_line%% *}" && compiled $command_line -O; then
		run -c 1 -r 1 "$D"
		want_table 3
	fi
done

if t 'static and stripped with musl it is at most 128 KiB' &&
    need musl-gcc && compiled musl-gcc -Os -static -s -Wl,--gc-sections,-z,noseparate-code; then
	size=$(wc -c <"$T/program")
	[ "$size" -le 131072 ] || fail "$size bytes"
	run -c 1 -r 1 "$D"
	want_table 3
fi

# ---- what a system may lack ----------------------------------------------

# without MACRO...: $T/program does without them; the case skipped if not.
without() {
	defines=
	for macro; do defines="$defines -D$macro"; done
	need gcc nm || return 1
	compiled gcc -std=c99 -O -Wall -Wextra -Wshadow -Wconversion $defines || return 1
	nm -u "$T/program" | sed 's/.* //; s/@.*//' >"$T/names"
	works -v -c 1 -r 1 "$D"
	want_table 3
	want_empty
}

# unknown NAME...: the program calls none of them.
unknown() {
	for name; do
		! grep -qx "$name\(64\)*" "$T/names" || fail "it calls $name"
	done
}

for macro in NO_MINCORE NO_MMAP; do
	t "without what $macro names, the device's count alone shows the eviction" || continue
	without "$macro" || continue
	unknown mincore
	[ "$macro" = NO_MINCORE ] || unknown mmap munmap
	want_like evict 'posix_fadvise$'
	want_like verify 'none$'
	want_like resident 'nan$'
	if [ "$(fact evicted)" = yes ]; then
		want "$(fact 'device read') >= 0.95 && $(fact 'device cache') < 0.05"
		! grep 'could not be verified' "$T/err" || fail 'a false warning'
	else
		want_like evicted 'unverified$'
		want_err '^gbtestdisk: warning: .*eviction could not be verified'
	fi
	run -j -c 1 -r 1 "$D"
	want_out '"evicted":[a-z]*,"resident":null'
done

if t 'without what NO_FADVISE names, nothing is evicted' && without NO_FADVISE; then
	unknown posix_fadvise
	want_like evict 'none$'
	want_like verify 'mincore$'
	want_like evicted 'no$'
	want_like resident '1\.000000$'
	want_err '^gbtestdisk: warning: .*100.0 % of the file was still in memory after eviction'
	run -j -c 1 -r 1 -R -b 4k "$D"
	want_out '"evicted":false,"resident":1.000000'
fi

if t 'without what NO_MONOTONIC names, the clock is that of the day' && without NO_MONOTONIC; then
	unknown clock_gettime
	want_like clock 'gettimeofday 0\.00000'
	want "$(fact clock | sed 's/.* //') >= 0.000001"
	! grep -v -e 'steps of the clock' -e 'the processors were the limit' "$T/err" || fail 'another warning'
fi

if t 'where clock_gettime is in a library apart, the call is made without it' &&
    without NO_LIBRT; then
	unknown clock_gettime
	want_like clock 'CLOCK_MONOTONIC 0\.'
	want_quiet
fi

if t 'without what NO_FORK names, there is one worker and no guard' && without NO_FORK; then
	unknown fork vfork
	[ "$(grep -c guard "$T/err")" -eq 1 ] || fail 'not one warning of it'
	want_err '^gbtestdisk: warning: no guard process could be started (Function not implemented)'
	for options in '-p 2' '-q 2' '-p 2 -q 2 -R' '-q 2 -b 4k -w 50'; do
		run -c 1 -b 64k -r 1 $options "$D"
		want_status 1
		want_err '^gbtestdisk: starting the worker processes: .*0 of [24] could be started: Function not'
		want_no_out
		want_empty
	done
	works -p 1 -q 1 -c 1 -r 1 "$D"
fi

if t 'without what NO_STATVFS names, space is not looked at first' && without NO_STATVFS; then
	unknown statvfs
	want_quiet
	run_with "$native" -c 8 "$D"
	want_status 0
	if memory_disk tmpfs -o size=2m; then
		G=$native
		run -c 8 "$T/m"
		want_failure 'looking for space: .*No space left' "$T/m"
		G=$T/program
		run -c 8 "$T/m"
		want_failure 'writing: .*No space left' "$T/m"
		memory_gone
	fi
fi

if t 'without what NO_DIRECT names, -d is refused' && without NO_DIRECT; then
	want_quiet
	run -d -b 64k -c 1 "$D"
	want_status 1
	want_failure 'direct I/O: .*not supported'
fi

if t 'without what NO_PREAD names, seeking does' && without NO_PREAD; then
	unknown pread pwrite
	want_quiet
	while read -r options; do
		works -r 2 $options "$D"
		want_quiet
		want_empty
	done <<'END'
-c 1 -b 4k -R
-c 1 -b 4k -p 3
-c 2 -b 64k -p 2 -q 2 -R -w 50
-c 1 -b 4k -q 4 -l
-c 60k -b 513
-c 1 -b 64k -t 0.3
END
fi

if t 'without what NO_POLL names, a reader that left is found in writing' && without NO_POLL; then
	unknown poll
	want_quiet
	if can_strace; then
		{
			strace -f -qq -o "$T/calls" -e trace=none "$G" -a -c 64k -r 1000000 "$D" 2>"$T/err"
			echo $? >"$T/status"
		} | head -n 1 >"$T/out"
		[ "$(cat "$T/status")" -gt 128 ] || fail "status $(cat "$T/status")"
		want_quiet
		want_empty
	fi
fi

if t 'without all of them it still measures' &&
    without NO_MINCORE NO_MMAP NO_FADVISE NO_MONOTONIC NO_FORK NO_STATVFS NO_DIRECT NO_PREAD NO_POLL; then
	unknown mincore mmap posix_fadvise clock_gettime fork statvfs pread pwrite poll
	want_like evict 'none$'
	want_like verify 'none$'
	want_like evicted 'unverified$'
	want_like clock gettimeofday
	want_err 'no guard process'
	want_err 'could not be verified'
fi

finish
