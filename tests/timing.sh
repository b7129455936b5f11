#!/bin/sh
# What the clock runs over, and what is made of it.
. ./lib.sh

# In memory nothing is slow but what is made so.
fast=/dev/shm/gbtestdisk-test.$$
trap 'rm -rf "$fast"; clean_up' 0
mkdir -m 700 "$fast" 2>/dev/null || fast=$D

finite() {
	! grep -i 'inf\|nan\|-[0-9]' "$T/out" >/dev/null || fail 'a number that is none'
}

# Each call takes 0.25 s: a pass of 2 MiB that has one cannot reach 8.4 MB/s,
# one that has none can reach hundreds.
while read -r call write read cache; do
	t "a slow $call counts in: ${write#fast} ${read#fast} ${cache#fast}"
	if inject "$call=delay_enter=250000" -c 2 -b 2m -r 1 "$fast"; then
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

t 'the write figure is the size over the time with the flush'
if inject fsync=delay_enter=500000 -c 16 -r 1 "$fast"; then
	want "$(figure avg 1) <= 33.554432 && $(figure avg 1) > 16"
	want "$(figure avg 2) > 34"
fi
for unit in MB:33.554432 MiB:32 IOPS:128; do
	t "the figure in ${unit%:*} is what its name says"
	if inject fsync=delay_enter=500000 -c 16 -b 256k -o write -u "${unit%:*}" -r 1 "$fast"; then
		want "$(figure avg 1) <= ${unit#*:} && $(figure avg 1) > ${unit#*:} * .7"
	fi
done

t 'the shortest passes have finite figures'
i=0
while [ "$i" -lt 25 ]; do
	run -c 1 -r 3 -a "$fast"
	want_status 0
	finite
	run -c 1 -b 1k -r 1 "$fast"
	want_status 0
	want_table 3
	run -c 1k -b 1 -r 1 "$fast"
	want_status 0
	want_table 3
	i=$((i + 1))
done

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

t 'a pass that takes no time by the clock is nan, and it is said'
if on_coarse_clock 500000000 -v -c 1k -r 1 "$fast"; then
	want_status 0
	[ "$(figure avg 3)" = nan ] || fail "cache $(figure avg 3)"
	want_err 'warning: cache: .*raise -c'
	! grep -i 'inf' "$T/out" || fail 'infinite'
fi
t 'a pass of few steps of the clock is said to be coarse'
if on_coarse_clock 1000000 -v -c 16 -r 1 "$fast"; then
	want_status 0
	want_err 'warning: cache: .*100 steps of the clock.*raise -c'
fi
t 'a pass of many steps is not'
run -c 32 -r 1 "$fast"
! grep 'raise -c' "$T/err" || fail 'a warning'

# A clock that is set back by 30 s again and again, where there is no other.
t 'a clock that is set back makes no figure of another size'
if build back -O2 -DNO_MONOTONIC -DPROGRAM="\"$SRC/gbtestdisk.c\"" <<'END'
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
	run -a -l -x -c 1 -b 16k -r 4 -t 20 "$fast"
	G=$right
	want_status 0
	awk -F '\t' '/^[^#]/ { for (i = 2; i <= NF; i++) if ($i > 1e7 || $i ~ /-/ || $i == "") bad = 1; rows++ }
	    END { exit bad || rows < 20 }' "$T/out" || fail 'a figure that cannot be'
fi

t 'rests are in no figure, and there is none after the last round'
since=$(date +%s)
run -a -c 1 -r 3 -i 0.6 "$fast"
want "$(date +%s) - $since < 3"
want_status 0
# With a rest in it a pass of 1 MiB would be at 1.7 MB/s.
want "$(figure min 1) > 3.5 && $(figure min 2) > 3.5 && $(figure min 3) > 3.5"
awk -F '\t' '/^[0-9]/ { if ($1 > 1 && $2 - last < .6) bad = 1; last = $2; n++ }
    END { exit bad || n != 3 }' "$T/out" || fail 'the rounds are not 0.6 s apart'
since=$(date +%s)
run -a -c 1 -r 1 -i 5 "$fast"
want "$(date +%s) - $since < 4"

# room MIB: whether memory and /dev/shm have so much.
room() {
	[ "$fast" != "$D" ] || { skip 'no /dev/shm'; return 1; }
	if [ "$(df -Pk "$fast" | awk 'NR == 2 { print $4 }')" -lt $(($1 * 1024)) ] ||
	    [ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -lt $(($1 * 1024)) ]; then
		skip "needs $1 MiB of memory"
		return 1
	fi
}

# want_continuous: more than 4 GiB at the speed of less.  A counter of 32 bits
# would show 4 MiB.
want_continuous() {
	run -c 128 -r 1 -o write,read "$fast"
	small1=$(figure avg 1) small2=$(figure avg 2)
	run -j -c 4100 -r 1 -o write,read "$fast"
	want_status 0
	# What was moved, and the mean: of write, then of read.
	tr , '\n' <"$T/out" | tr '{' '\n' >"$T/members"
	moved=$(sed -n 's/^"bytes"://p' "$T/members" | tr '\n' ' ')
	[ "$moved" = '4299161600 4299161600 ' ] || fail "moved $moved"
	big1=$(sed -n 's/^"avg"://p' "$T/members" | sed -n 1p)
	big2=$(sed -n 's/^"avg"://p' "$T/members" | sed -n 2p)
	want "$big1 > $small1 / 8 && $big1 < $small1 * 8"
	want "$big2 > $small2 / 8 && $big2 < $small2 * 8"
	want_empty "$fast"
}

# Where words have 32 bits it is harder.
t 'past 4 GiB the figures go on'
if room 5000; then
	wide=$G
	if command -v i686-linux-gnu-gcc >/dev/null 2>&1 &&
	    i686-linux-gnu-gcc -static -O2 -o "$T/narrow" "$SRC/gbtestdisk.c" 2>"$T/err" &&
	    "$T/narrow" -V >/dev/null 2>&1; then
		G=$T/narrow
	fi
	want_continuous
	G=$wide
fi

t 'rounds add up past 4 GiB'
if room 500; then
	run -x -c 256 -b 8m -o cache -r 36 "$fast"
	want "$(figure tot 1) >= $(figure min 1) && $(figure tot 1) <= $(figure max 1)"
fi

t 'blocks of a byte until the time is up have finite figures'
run -t 0.3 -c 16k -b 1 -a "$fast"
want_status 0
finite
want "$(grep -c '^[0-9]' "$T/out") >= 1"

t 'it finishes as the least of all processes, and takes no other rank'
if can_strace && need nice ionice; then
	run_with strace -f -o "$T/trace" -e trace=setpriority,ioprio_set,sched_setscheduler,sched_setaffinity \
	    nice -n 19 ionice -c 3 "$G" -c 4 -p 2 -r 2 "$D"
	want_status 0
	want_table 3
	# One call each of nice and ionice.
	[ "$(grep -c 'setpriority\|ioprio_set\|sched_set' "$T/trace")" -eq 2 ] || fail 'it changes its rank'
fi

t 'one round is enough'
run -c 4 -r 1 "$fast"
want_status 0
want_table 3
finite
for column in 1 2 3; do
	[ "$(figure min "$column")" = "$(figure avg "$column")" ] || fail 'min is not avg'
	[ "$(figure max "$column")" = "$(figure avg "$column")" ] || fail 'max is not avg'
done
t 'one round has no spread, in as many columns'
run -x -c 4 -r 1 "$fast"
for column in 1 2 3; do
	[ "$(figure dev "$column")" = 0.000000 ] || fail "dev $(figure dev "$column")"
	[ "$(figure ci "$column")" = nan ] || fail "ci $(figure ci "$column")"
	[ "$(figure med "$column")" = "$(figure avg "$column")" ] || fail 'med is not avg'
	[ "$(figure tot "$column")" = "$(figure avg "$column")" ] || fail 'tot is not avg'
done
shape=$(awk -F '\t' '{ print $1, NF }' "$T/out")
run -x -c 4 -r 2 "$fast"
[ "$(awk -F '\t' '{ print $1, NF }' "$T/out")" = "$shape" ] || fail 'two rounds look otherwise'

has_option() { "$G" -h | grep -q "^  -$1 "; }

t 'a limit of time is kept to within one call, and the time is the real one'
if ! has_option t; then
	skip 'there is no -t'
else
	since=$(date +%s)
	if inject pwrite64=delay_enter=400000 -t 1 -c 16 -o write "$fast"; then
		want "$(date +%s) - $since <= 3"
		want_status 0
		want "$(figure max 1) < 2.7 && $(figure max 1) > 1.3"
		want_err 'warning: write: cut short by -t in 1 of 1 rounds'
	fi
fi
t 'a limit of time is kept to within one call that is longer'
if ! has_option t; then
	skip 'there is no -t'
else
	since=$(date +%s)
	if inject pwrite64=delay_enter=3000000 -t 1 -c 16 -o write "$fast"; then
		want "$(date +%s) - $since <= 5"
		want "$(figure max 1) < 0.36"
	fi
fi

# The first and the slowest round are as good as any: none is dropped.
t 'a round that is slow has its row, and is the minimum'
if inject pwrite64=delay_enter=300000:when=3 -a -c 1 -b 1m -r 6 "$fast"; then
	[ "$(grep -c '^[0-9]' "$T/out")" -eq 6 ] || fail 'not six rows'
	slow=$(awk -F '\t' '$1 == 3 { print $3 }' "$T/out")
	want "$slow < 3.5"
	[ "$(figure min 1)" = "$slow" ] || fail "min $(figure min 1), not $slow"
	want "$(figure max 1) > 7"
	awk -F '\t' '/^[0-9]/ { s += $3; n++ } /^avg/ { d = s / n - $2 }
	    END { exit d > .0001 || d < -.0001 }' "$T/out" || fail 'avg is not the mean of all rows'
fi

t 'ten rounds have ten rows from the first on'
run -a -c 1 -r 10 "$fast"
[ "$(sed -n 's/^\([0-9]*\)	.*/\1/p' "$T/out" | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 9 10 ' ] || fail 'not ten rows'

finish
