#!/bin/sh
# What the clock runs over, and what is made of it.
# Needs strace for what is late, cc for clocks that are coarse or set back.
. ./lib.sh

# In memory nothing is slow but what is made so.
in_memory

finite() {
	! grep -i 'inf\|nan\|-[0-9]' "$T/out" >/dev/null || fail 'a number that is none'
}

# Each call takes 0.25 s: a pass of 2 MiB that has one cannot reach 8.4 MB/s,
# one that has none can reach hundreds.
while read -r call write read cache; do
	t "a slow $call counts in: ${write#fast} ${read#fast} ${cache#fast}" || continue
	if inject "$call=delay_enter=250000" -c 2 -b 2m -r 1 "$M"; then
		want_status 0
		want_table 3
		for column in "1 $write" "2 $read" "3 $cache"; do
			case $column in
			*fast) want "$(figure min "${column% *}") > 16.8" ;;
			*) want "$(figure max "${column% *}") < 8.4" ;;
			esac
		done
	fi
done <<'END'
fsync write fast fast
pwrite64 write fast fast
pread64 fast read cache
openat,?open write read cache
close write read cache
fadvise64 fast fast fast
mincore fast fast fast
unlink,?unlinkat fast fast fast
END

if t 'the shortest passes have finite figures'; then
	i=0
	while [ "$i" -lt 25 ]; do
		works -c 1 -r 3 -a "$M"
		finite
		works -c 1 -b 1k -r 1 "$M"
		want_table 3
		works -c 1k -b 1 -r 1 "$M"
		want_table 3
		i=$((i + 1))
	done
fi

# A clock that stands still for $STEP_NS at a time.
coarse_clock() {
	[ -f "$T/clock.so" ] || build clock.so -shared -fPIC -ldl <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*next)(clockid_t, struct timespec *);
	static long long step;
	long long ns;
	int r;

	if (next == 0) {
		*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
		step = atoll(getenv("STEP_NS"));
	}
	r = next(id, ts);
	ns = (ts->tv_sec * 1000000000LL + ts->tv_nsec) / step * step;
	ts->tv_sec = ns / 1000000000;
	ts->tv_nsec = ns % 1000000000;
	return r;
}
END
}

# on_coarse_clock NS ARGUMENT...: whether the program ran by such a clock.
on_coarse_clock() {
	coarse_clock || return 1
	step=$1
	shift
	run_with env STEP_NS="$step" LD_PRELOAD="$T/clock.so" \
	    ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0" "$G" "$@"
	holds "$(fact clock | sed 's/.* //') + 0 > 0.0009" && return 0
	skip 'LD_PRELOAD does not reach the program'
	return 1
}

if t 'a pass that takes no time by the clock is nan, and it is said' &&
    on_coarse_clock 500000000 -v -c 1k -r 1 "$M"; then
	want_status 0
	[ "$(figure avg 3)" = nan ] || fail "cache $(figure avg 3)"
	want_err 'warning: cache: .*raise -c'
	! grep -i 'inf' "$T/out" || fail 'infinite'
fi
if t 'a pass of few steps of the clock is said to be coarse' &&
    on_coarse_clock 1000000 -v -c 16 -r 1 "$M"; then
	want_status 0
	want_err 'warning: cache: .*100 steps of the clock.*raise -c'
fi
if t 'a pass of many steps is not'; then
	run -c 32 -r 1 "$M"
	! grep 'raise -c' "$T/err" || fail 'a warning'
fi

# A clock that is set back by 30 s again and again, where there is no other.
if t 'a clock that is set back makes no figure of another size' &&
    build back -O2 -DNO_MONOTONIC -DPROGRAM="\"$SRC/gbtestdisk.c\"" <<'END'
#define _GNU_SOURCE
#define _XOPEN_SOURCE 600
#define _FILE_OFFSET_BITS 64
#include <stddef.h>
#include <sys/time.h>
static int fake_time(struct timeval *tv, void *zone)
{
	static int calls;

	(void)zone;
	gettimeofday(tv, NULL);
	tv->tv_sec -= ++calls / 50 * 30;
	return 0;
}
#define gettimeofday(tv, zone) fake_time(tv, zone)
#include PROGRAM
END
then
	right=$G
	G=$T/back
	run -a -l -x -c 1 -b 16k -r 4 -t 20 "$M"
	G=$right
	want_status 0
	awk -F '\t' '/^[^#]/ { for (i = 2; i <= NF; i++) if ($i > 1e7 || $i ~ /-/ || $i == "") bad = 1; rows++ }
	    END { exit bad || rows < 20 }' "$T/out" || fail 'a figure that cannot be'
fi

# want_continuous: more than 4 GiB at the speed of less.  A counter of 32 bits
# would show 4 MiB: a thousandth.
want_continuous() {
	run -c 128 -r 1 -o write,read "$M"
	small1=$(figure avg 1) small2=$(figure avg 2)
	works -j -c 4100 -r 1 -o write,read "$M"
	# What was moved, and the mean: of write, then of read.
	tr , '\n' <"$T/out" | tr '{' '\n' >"$T/members"
	moved=$(sed -n 's/^"bytes"://p' "$T/members" | tr '\n' ' ')
	[ "$moved" = '4299161600 4299161600 ' ] || fail "moved $moved"
	big1=$(sed -n 's/^"avg"://p' "$T/members" | sed -n 1p)
	big2=$(sed -n 's/^"avg"://p' "$T/members" | sed -n 2p)
	want "$big1 > $small1 / 60 && $big1 < $small1 * 60"
	want "$big2 > $small2 / 60 && $big2 < $small2 * 60"
	want_empty "$M"
}

# Where words have 32 bits it is harder.
if t 'past 4 GiB the figures go on' && room 5000; then
	wide=$G
	if command -v i686-linux-gnu-gcc >/dev/null 2>&1 &&
	    i686-linux-gnu-gcc -static -O2 -o "$T/narrow" "$SRC/gbtestdisk.c" 2>"$T/err" &&
	    "$T/narrow" -V >/dev/null 2>&1; then
		G=$T/narrow
	fi
	want_continuous
	G=$wide
fi

if t 'rounds add up past 4 GiB' && room 500; then
	run -x -c 256 -b 8m -o cache -r 36 "$M"
	want "$(figure tot 1) >= $(figure min 1) && $(figure tot 1) <= $(figure max 1)"
fi

if t 'blocks of a byte until the time is up have finite figures'; then
	works -t 0.3 -c 16k -b 1 -a "$M"
	finite
	want "$(grep -c '^[0-9]' "$T/out") >= 1"
fi

if t 'it finishes as the least of all processes, and takes no other rank' &&
    can_strace && need nice ionice; then
	run_with strace -f -o "$T/trace" -e trace=setpriority,ioprio_set,sched_setscheduler,sched_setaffinity \
	    nice -n 19 ionice -c 3 "$G" -c 4 -p 2 -r 2 "$D"
	want_status 0
	want_table 3
	# One call each of nice and ionice.
	[ "$(grep -c 'setpriority\|ioprio_set\|sched_set' "$T/trace")" -eq 2 ] || fail 'it changes its rank'
fi

finish
