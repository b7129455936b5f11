#!/bin/sh
# With little memory, few processes, few descriptors, small files.
# shellcheck disable=SC2016
. ./lib.sh

group=
trap '[ -z "$group" ] || rmdir "$group" 2>/dev/null; clean_up' 0

# peak ARGUMENT...: the program's largest share of memory, as $peak in KiB.
peak() {
	[ -x "$T/peak" ] || build peak <<'END' || return 1
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct rusage ru;
	int status = 1;
	FILE *f;

	if (fork() == 0) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	wait(&status);
	getrusage(RUSAGE_CHILDREN, &ru);
	if (argc > 2 && (f = fopen(argv[1], "w")) != NULL) {
		fprintf(f, "%ld\n", (long)ru.ru_maxrss);
		fclose(f);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
END
	run_with "$T/peak" "$T/kib" "$G" "$@"
	want_status 0
	peak=$(cat "$T/kib")
}

# A sanitizer's shadow is neither little nor the program's.
plain() {
	! grep -q '__asan\|__msan\|__tsan' "$G" || { skip 'built with a sanitizer'; return 1; }
	[ "$(uname)" = Linux ] || { skip 'ru_maxrss is in KiB on Linux only'; return 1; }
}

# The promise is 8 MiB and a block; 3 MiB are for the C library.
t 'memory is little, whatever the size of the file'
if plain && peak -c 4 -r 1 "$D"; then
	small=$peak
	want "$small < 12 * 1024"
	peak -c 400 -r 1 -o write,read "$D"
	want "$peak < $small + 256"
fi
while read -r kib arguments; do
	t "memory is at most $kib KiB with $arguments"
	# shellcheck disable=SC2086
	if plain && peak $arguments "$D"; then
		want "$peak <= $kib"
	fi
done <<'END'
11300 -c 200k -r 1 -b 1
11300 -c 16 -r 1 -b 4k
13300 -c 16 -r 1 -b 2m
15300 -c 16 -r 1 -b 4m
27700 -c 32 -r 1 -b 16m
11600 -c 1k -r 2000 -a
END

limited() {
	sh -c 'ulimit "$1" "$2"' sh "$1" "$2" 2>/dev/null || { skip "sh has no ulimit $1"; return 1; }
	ulimit_option=$1 ulimit_value=$2
	shift 2
	run_with sh -c 'ulimit "$1" "$2" && shift 2 && exec "$@"' sh "$ulimit_option" "$ulimit_value" "$G" "$@"
}

for kib in 65536 16384; do
	t "runs in $kib KiB of address space"
	if plain && limited -v "$kib" -c 16 -r 1 "$D"; then
		want_status 0
		want_table 3
		want_empty
	fi
done
t 'has less ready data where there is less memory'
if plain && limited -v 131072 -c 8 -b 40m -r 1 "$D"; then
	want_status 0
	want_table 3
fi
t 'a block larger than memory is refused'
if plain && limited -v 65536 -c 100 -b 100m -r 1 "$D"; then
	want_status 1
	want_failure 'cannot allocate'
	want_no_out
fi

t 'without a guard it warns and measures'
if inject 'clone,?clone3,?fork,?vfork=error=EAGAIN' -c 2 -r 2 "$D"; then
	want_status 0
	want_table 3
	[ "$(grep -c 'warning: no guard process.*Resource temporarily unavailable' "$T/err")" -eq 1 ] || fail 'not said once'
	want_empty
fi
t 'without a guard the file is removed as well after a signal'
if need strace && launcher; then
	: >"$T/out"
	exec "$T/launch" strace -D -f -qq -o "$T/trace" -e 'trace=clone,?clone3,?fork,?vfork' \
	    -e 'inject=clone,?clone3,?fork,?vfork:error=EAGAIN' \
	    "$G" -a -c 1 -r 100000 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await grep -q '^1' "$T/out"
	kill -s TERM "$pid"
	ended
	want_signal 15
	want_out '^avg'
	want_empty
fi

t 'where the user may have no more processes it warns and measures'
if need_root && need setpriv prlimit; then
	cp "$G" "$T/program"
	chmod 755 "$T/program" "$T"
	chmod 777 "$D"
	user=$((40000 + $$ % 20000))
	run_with prlimit --nproc=1 setpriv --reuid "$user" --regid "$user" --clear-groups \
	    "$T/program" -c 2 -r 1 "$D"
	want_status 0
	want_table 3
	want_err 'warning: no guard process'
	want_empty
	chmod 755 "$D"
fi

for n in 64 8 5 4; do
	t "runs with $n descriptors"
	if limited -n "$n" -c 2 -r 2 "$D"; then
		want_status 0
		want_table 3
		want_empty
		[ "$n" -lt 8 ] || ! grep -q 'guard' "$T/err" || fail 'without its guard'
		[ "$n" -gt 5 ] || want_err 'warning: no guard process'
	fi
done

for trapped in '' "trap '' XFSZ; "; do
	t "a limit on files is an error, ${trapped}"
	# Blocks of 512 bytes, or 1024.
	run_with sh -c "${trapped}"'ulimit -f 2048 && exec "$@"' sh "$G" -c 8 -r 2 "$D"
	want_status 1
	want_failure 'writing: .*File too large'
	want_empty
done
t 'a file below the limit is none'
run_with sh -c 'ulimit -f 4096 && exec "$@"' sh "$G" -c 2 -r 2 "$D"
want_status 0
want_table 3

memory=/sys/fs/cgroup/memory
t 'a file larger than the memory of its group is written and read'
if need_root; then
	if [ -w "$memory/memory.limit_in_bytes" ] && mkdir "$memory/gbtestdisk-$$" 2>/dev/null; then
		group=$memory/gbtestdisk-$$
		echo 24M >"$group/memory.limit_in_bytes"
		while read -r columns arguments; do
			# shellcheck disable=SC2086
			run_with sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" \
			    "$G" -c 100 -r 1 $arguments "$D"
			want_status 0
			want_table "$columns"
			want_empty
		done <<'END'
3
3 -s
1 -R -o cache
2 -o write,read -q 2
END
	else
		skip 'no memory cgroup of version 1'
	fi
fi

finish
