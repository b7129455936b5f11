#!/bin/sh
# The load: random order, several workers, mixes, synchronous and direct I/O.
# Needs strace for what is traced, delayed or made to fail; ps to find workers.
# shellcheck disable=SC2086 # lists of options are words
. ./lib.sh

# each_once COUNT BYTES: standard input is each block's offset exactly once.
each_once() {
	sort -n | awk -v n="$1" -v b="$2" '$1 != i++ * b { bad = 1 } END { exit bad || i != n }'
}

# The workers' command line is that of their parent; the guard has none.
processes() {
	process_table | awk -v a="-test.$$" -v b=/d '$3 !~ /^Z/ && index($0, a b) { print $1 }'
}
processes_gone() { [ -z "$(processes)" ]; }
workers() { process_table | awk -v p="$pid" '$2 == p && $3 !~ /^Z/ && $4 != "scratchguard" { print $1 }'; }
# shellcheck disable=SC2317 # await calls it
workers_there() { [ "$(workers | wc -l)" -ge "$1" ]; }
alive() { ! process_gone "$pid"; }

# want_all_gone: file and processes, within two seconds.
want_all_gone() {
	gone_tries=0
	until processes_gone && scratch_gone; do
		gone_tries=$((gone_tries + 1))
		[ "$gone_tries" -le 20 ] || break
		pause
	done
	processes_gone || fail 'processes are left'
	want_empty
}

# ---- the commands that people know ---------------------------------------

while read -r columns arguments; do
	case $arguments in *'-c 256k'* | *'-c 1k'* | *-d*'-r 1' | '-p '*) which=t ;; *) which=t_all ;; esac
	$which "works: $arguments" || continue
	case $arguments in *-d*) on_direct || continue ;; esac
	works $arguments "$D"
	[ "$(awk -F '\t' '$1 == "avg" { print NF }' "$T/out")" -eq $((columns + 1)) ] ||
	    fail "not $columns columns"
	want_empty
done <<'END'
2 -d -b 1m -q 8 -c 16 -r 2
2 -d -b 1m -c 16 -r 2
2 -d -R -b 4k -q 32 -p 16 -c 4 -r 1
2 -d -R -b 4k -c 2 -r 1
1 -o write -R -b 4k -s -p 1 -l -u IOPS -c 256k -r 2
1 -o write -R -b 4k -s -p 4 -l -u IOPS -c 256k -r 2
1 -o write -R -b 4k -s -p 8 -l -u IOPS -c 256k -r 2
1 -o write -R -b 4k -s -p 16 -l -u IOPS -c 256k -r 2
2 -o mix -w 40 -R -b 4k -q 32 -p 2 -d -t 1 -l -u IOPS -c 2
5 -w 30 -q 3 -p 2 -b 64k -c 2 -r 2
5 -w 30 -R -b 4k -c 2 -r 2
4 -d -w 30 -b 64k -c 1 -r 1
3 -p 8 -q 2 -b 1m -c 4 -r 2
3 -q 64 -c 1k -b 1k -r 2
3 -R -q 4 -c 5000 -b 1999 -c 1999k -r 2
3 -p 3 -b 1000003 -c 5 -r 2
1 -o cache -R -q 2 -b 4k -c 1 -r 3
1 -o cache -p 2 -b 4k -c 1 -r 3
END

# ---- in sequence by one worker -------------------------------------------

# The kernel's clock page hides clock reads; this makes calls of them.
if t 'one worker: open, fstat, the blocks in order, fsync, close, and no fork'; then
	build clock.so -shared -fPIC <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *ts) { return (int)syscall(SYS_clock_gettime, id, ts); }
int gettimeofday(struct timeval *tv, void *tz) { return (int)syscall(SYS_gettimeofday, tv, tz); }
END
	[ -z "${SANITIZED:-}" ] || skip 'with the sanitizers nothing can be preloaded'
	if [ -f "$T/clock.so" ] && can_strace; then
		# Without -f, so that no other process's calls come in between.
		run_with strace -qq -s 0 -E "LD_PRELOAD=$T/clock.so" -o "$T/trace" "$G" -c 4 -r 1 "$D"
		want_status 0
		[ "$(grep -Ec '^(clone3?|v?fork)\(' "$T/trace")" -eq 1 ] || fail 'more forks than the guard'
		# A pass: from an open of the file to its close, if it moves blocks.
		awk '/^clock_gettime|^gettimeofday/ { clocks++; if (on) s = s "c"; next }
		/^open(at)?\(.*O_NOFOLLOW/ { on = 1; s = "o"; next }
		!on { next }
		/^[a-z]*stat[a-z0-9]*\(/ { s = s "s"; next }
		/^write\(/ { s = s "g"; next }
		/^p(write|read)64\(/ { s = s substr($0, 2, 1); if ($(NF - 2) + 0 != 1048576 * n++) s = s "?"; next }
		/^fsync\(/ { s = s "f"; next }
		/^close\(/ { s = s "x"; if (n > 0) print s; on = n = 0; next }
		{ s = s "?" }
		END { if (clocks < 6) print "no clock was seen" }' "$T/trace" >"$T/calls"
		# c after open is the first call's; g tells the guard what was made.
		# The file is known by its birth as well, which other calls tell.
		sed 's/^oss*?*\(g*\)c*/os\1/; s/\([rw]\)c*\(f*\)x$/\1\2x/' "$T/calls" | tr '\n' ' ' >"$T/calls.1"
		[ "$(cat "$T/calls.1")" = 'osgwwwwfx osrrrrx osrrrrx ' ] || fail "calls: $(cat "$T/calls.1")"
	fi
fi

# ---- the order -----------------------------------------------------------

while read -r blocks rounds arguments; do
	case $arguments in *272k*) which=t ;; *) which=t_all ;; esac
	$which "$arguments: each block once in each of $rounds passes, in another order" || continue
	if traced pread64,pwrite64 -R -b 16k -r "$rounds" $arguments "$D"; then
		want_status 0
		case $arguments in *write*) call=pwrite64 ;; *) call=pread64 ;; esac
		moved $call 16384 >"$T/at"
		: >"$T/seen"
		n=0
		while [ $n -lt "$rounds" ]; do
			awk -v f=$((n * blocks)) -v b="$blocks" 'NR > f && NR <= f + b' "$T/at" >"$T/round"
			each_once "$blocks" 16384 <"$T/round" || fail "round $n is not each block once"
			! sort -n "$T/round" | cmp -s - "$T/round" || fail 'it is sorted'
			cmp -s "$T/seen" "$T/round" && fail 'the same order twice'
			cp "$T/round" "$T/seen"
			n=$((n + 1))
		done
		[ "$(wc -l <"$T/at")" -eq $((rounds * blocks)) ] || fail 'calls of no pass'
	fi
done <<'END'
64 3 -c 1 -o read
61 2 -c 976k -o read
64 2 -c 1 -o read -q 4 -p 2
200 2 -c 3200k -o read -q 16
17 2 -c 272k -o read -q 4 -p 8
END

# The file is laid out first, in calls of up to 1 MiB.
while read -r arguments; do
	t "$arguments: random writes cover each block once" || continue
	if traced pread64,pwrite64 -R -b 16k -c 1 -o write -r 1 $arguments "$D"; then
		want_status 0
		moved pwrite64 16384 >"$T/at"
		each_once 64 16384 <"$T/at" || fail 'not each block once'
		! sort -n "$T/at" | cmp -s - "$T/at" || fail 'it is sorted'
		moved pwrite64 1048576 >"$T/at"
		[ "$(cat "$T/at")" = 0 ] || fail 'the layout is not one call'
	fi
done <<'END'
-q 1
-q 4 -p 2
-q 1 -s
END

if t_all 'in sequence the requests of a process take the next blocks of its part'; then
	# Slow enough for each of them to have its turn.
	if can_strace && run_with strace -f -qq -o "$T/trace" -e trace=pread64 -e inject=pread64:delay_exit=20000 \
	    "$G" -b 16k -c 1 -o read -r 1 -q 4 "$D"; then
		moved pread64 16384 | each_once 64 16384 || fail 'not each block once'
		# Each worker goes upwards, and near the others: they share the blocks.
		moved_by pread64 16384 | awk '$1 in last && $2 <= last[$1] { bad = 1 }
		{ last[$1] = $2 } END { exit bad }' || fail 'a worker goes back'
		want "$(moved_by pread64 16384 | awk '!seen[$1]++' | wc -l) == 4"
	fi
fi

while read -r kib parts q starts; do
	t_all "-p $parts -q $q begins its parts of $kib KiB at blocks $starts" || continue
	for column in read write; do
		call=p${column}64
		traced pread64,pwrite64 -b 16k -c "${kib}k" -o $column -r 1 -p "$parts" -q "$q" "$D" || continue
		want_status 0
		moved $call 16384 | each_once $((kib / 16)) 16384 || fail "$column: not each block once"
		# In which part each worker worked, and where that part was begun.
		moved_by $call 16384 | awk -v n=$((kib / 16)) -v parts="$parts" -v want="$starts" '
		function part(b, k) { for (k = parts - 1; int(k * n / parts) > b; k--) ; return k }
		{ b = $2 / 16384; k = part(b)
		  if (($1 in of) && of[$1] != k) bad = 1
		  of[$1] = k; if (!(k in least) || b < least[k]) least[k] = b
		  if (($1 in last) && b <= last[$1]) bad = 1; last[$1] = b }
		END { for (k = 0; k < parts; k++) if (k in least) s = s (s == "" ? "" : ",") least[k]
		      exit bad || s != want }' || fail "$column: other parts"
	done
done <<'END'
256 3 1 0,5,10
160 4 1 0,2,5,7
160 4 3 0,2,5,7
112 2 4 0,3
48 5 1 0,1,2
END

if t 'a partial last block is left out of random passes, and -v says so' &&
    traced pread64,pwrite64 -v -R -b 16k -c 100k -o read -q 2 -r 1 "$D"; then
	want_status 0
	moved pread64 16384 | each_once 6 16384 || fail 'not each whole block once'
	grep -q 'pread64.* 98304)' "$T/trace" && fail 'the partial block was read'
	[ "$(fact order)" = 'random, without the last 4096 bytes' ] || fail "order $(fact order)"
fi

if t 'a partial last block is not counted in the rate of blocks'; then
	run -R -b 400k -c 1 -o cache -r 1 -l -x -u IOPS "$D"
	[ "$(cell calls 2)" = 2.000000 ] || fail 'not two calls'
fi

if t 'without a partial block -v says nothing of one'; then
	run -v -R -b 16k -c 96k -r 1 "$D"
	want_fact order random
	run -v -b 16k -c 100k -r 1 "$D"
	want_fact order sequential
fi

if t 'a block cut to the size of the file is a whole one'; then
	works -v -R -b 1m -c 100k -r 1 "$D"
	want_fact block 102400
	want_fact order random
fi

if t 'readahead is turned off in random order only' &&
    traced fadvise64 -R -b 4k -c 64k -o read -r 1 -q 3 "$D"; then
	[ "$(grep -c 'POSIX_FADV_RANDOM' "$T/trace")" -eq 3 ] || fail 'not once for each worker'
	traced fadvise64 -b 4k -c 64k -o read -r 1 -q 3 "$D"
	! grep -q 'POSIX_FADV_RANDOM' "$T/trace" || fail 'in sequence as well'
fi

# ---- mix -----------------------------------------------------------------

while read -r blocks percent writes arguments; do
	t "mix: $percent % of $blocks blocks are $writes writes ($arguments)" || continue
	works -o mix -w "$percent" -b 1k -c "${blocks}k" -r 3 -l -x $arguments "$D"
	[ "$(cell calls 3)" = "$((3 * writes)).000000" ] || fail "$(cell calls 3) writes in 3 rounds"
	[ "$(cell calls 2)" = "$((3 * (blocks - writes))).000000" ] || fail "$(cell calls 2) reads"
	want_empty
done <<'END'
200 0 0 -R
200 1 2 -R
200 33.3 67 -R
200 40 80 -R
200 99.5 199 -R
200 100 200 -R
200 33.3 67
200 33.3 67 -R -q 4 -p 2
200 0.001 1 -q 4 -p 2
1 50 1 -R
7 50 4 -R
1000 33.3 333 -R
375 17.6 66 -R
250 64.4 161 -R
END

if t 'mix writes and reads each block once between the two' &&
    traced pread64,pwrite64 -o mix -w 40 -R -b 16k -c 1 -r 1 -q 3 "$D"; then
	{ moved pread64 16384; moved pwrite64 16384; } | each_once 64 16384 || fail 'not each block once'
	[ "$(moved pwrite64 16384 | wc -l)" -eq 26 ] || fail 'not 26 writes'
fi

if t 'other blocks are written in each mix pass' &&
    traced pwrite64 -o mix -w 50 -R -b 16k -c 1 -r 2 "$D"; then
	moved pwrite64 16384 >"$T/at"
	sed 32q "$T/at" | sort -n >"$T/one"
	sed 1,32d "$T/at" | sort -n >"$T/two"
	! cmp -s "$T/one" "$T/two" || fail 'the same blocks'
fi

if t_all 'the two rates of mix add up to that of the whole pass, in its share' &&
    inject pread64,pwrite64=delay_exit=20000 -o mix -w 25 -R -b 16k -c 1 -r 1 "$D"; then
	want_status 0
	want "$(figure avg 2) / ($(figure avg 1) + $(figure avg 2)) - 0.25 < 1e-5"
	want "$(figure avg 2) / ($(figure avg 1) + $(figure avg 2)) - 0.25 > -1e-5"
	# Calls of 16 KiB that take 20 ms make 0.8192 MB/s at most.
	want "$(figure avg 1) + $(figure avg 2) <= 0.8192"
	want "$(figure avg 1) + $(figure avg 2) >= 0.8192 * 0.3"
fi

if t 'mix alone writes the share that -v announces'; then
	run -v -o mix -w 50 -R -b 16k -c 1 -r 3 -k 1 "$D"
	[ "$(fact writes)" = $((1048576 + 4 * 524288)) ] || fail "writes $(fact writes)"
fi

if t '-v announces no more bytes than the file has'; then
	run -v -o mix -w 100 -b 1m -c 1536k -r 1 "$D"
	[ "$(fact writes)" = $((2 * 1572864)) ] || fail "writes $(fact writes)"
fi

while read -r list; do
	t "usage error: $list" || continue
	misused -c 1 -r 1 $list "$D"
done <<'END'
-o mix
-o read,mix
-o read -w 50
-o write,read,cache -w 0
-w 100.1
-w -1
-w 50%
-w 1e1
-w .5
-d -o cache
-d -o write,cache
-d -o write,read,cache
-m 10001 -b 4k -c 64
-m 17 -b 64k
-m 18 -b 64k -R -c 1100k
-m 0
-m 4k
-m -1
-p 0
-q 0
-p -1
-q 1.5
-p 4294967297
-q 18446744073709551617
-p 65 -q 64
-q 4097
-p 4097
END

if t 'the value that will not do is quoted'; then
	run -m 17 -b 64k -c 1 "$D"
	want_err "'17'"
	run -q 4097 -c 1 "$D"
	want_err "'4097'"
	run -w 100.1 -c 1 "$D"
	want_err "'100.1'"
fi

if t '-m takes one part per block, and none more'; then
	works -m 16 -b 64k -c 1 -r 1 "$D"
fi

if t '-w adds mix to the default list'; then
	run -w 50 -c 1 -r 1 "$D"
	[ "$(sed -n 1p "$T/out")" = "$(printf '#\twrite MB/s\tread MB/s\tcache MB/s\tmixread MB/s\tmixwrite MB/s')" ] ||
	    fail 'not these columns'
fi

if t '-d leaves cache out of the default list' && on_direct; then
	[ "$(sed -n 1p "$T/out")" = "$(printf '#\twrite MB/s\tread MB/s')" ] || fail 'not these columns'
fi

# ---- requests in flight --------------------------------------------------

# A busy machine slows eight down more than one: the best of five tries.
for pair in '-q 8' '-p 8' '-q 4 -p 2' '-R -q 8'; do
	t_all "$pair: eight delayed requests run about eight times as fast as one" || continue
	one=0 eight=0 tries=0
	while ! holds "$one > 0 && $eight >= 6 * $one && $eight <= 9 * $one" && [ $tries -lt 5 ]; do
		inject pread64=delay_exit=40000 -o read -b 16k -c 256k -r 1 "$D" || break
		one=$(figure avg 1)
		inject pread64=delay_exit=40000 -o read -b 16k -c 1 -r 1 $pair "$D"
		want_status 0
		eight=$(figure avg 1)
		tries=$((tries + 1))
	done
	want "$eight >= 6 * $one && $eight <= 9 * $one"
done

# With a fixed share each, the one that is stopped would move 32 of them.  The
# round that has it is run again, by other workers.
if t_all 'a worker that is held up leaves its blocks to the others' && can_strace && can_ps && launcher; then
	exec "$T/launch" strace -D -f -qq -s 0 -o "$T/trace" -e trace=pread64 \
	    -e inject=pread64:delay_exit=20000 \
	    "$G" -a -o read -b 16k -c 2 -r 1 -q 4 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await workers_there 4
	worker=$(workers | sed 1q)
	kill -s STOP "$worker"
	sleep 2
	kill -s CONT "$worker"
	ended
	want_status 0
	want_err 'warning: round 1 got SIGCONT and may have been stopped: it is run again'
	moved pread64 16384 | sed 128q | each_once 128 16384 || fail 'not each block once'
	moved pread64 16384 | sed 1,128d | each_once 128 16384 || fail 'not each block once the second time'
	[ "$(moved_by pread64 16384 | grep -c "^$worker ")" -lt 28 ] || fail 'it moved its share all the same'
fi

if t_all 'the rate of a pass is all bytes over first start to last end' &&
    inject pread64=delay_exit=500000 -o read -b 1m -c 3 -r 1 -q 3 "$D"; then
	want "$(figure avg 1) <= 3.145728 / 0.5"
	want "$(figure avg 1) >= 3.145728 / 0.9"
fi

if t_all 'the time to flush counts for all workers' &&
    inject fsync=delay_enter=500000 -o write -b 256k -c 1 -r 1 -q 4 "$D"; then
	want "$(figure avg 1) <= 1.048576 / 0.5"
fi

# ---- synchronous and direct I/O ------------------------------------------

# flags_of CALL BYTES ARGUMENT...: with which flags the file was open for these
# transfers, each once; requests that io_submit hands in count as well.
flags_of() {
	flags_call=$1 flags_bytes=$2
	shift 2
	can_strace || return 1
	rm -f "$T"/trace.*
	run_with strace -ff -qq -s 64 -o "$T/trace" -e trace=openat,open,pwrite64,pread64,io_submit "$G" "$@"
	want_status 0
	awk -v call="$flags_call" -v bytes="$flags_bytes" '
	FNR == 1 { for (i in flags) delete flags[i] }
	/gbtest-/ && /open/ { split($0, part, "\", "); sub(/[,)].*/, "", part[2]); flags[$NF] = part[2] }
	index($0, call "(") == 1 && $NF == bytes { fd = $1; sub(/.*\(/, "", fd)
		if (fd + 0 in flags) print flags[fd + 0] }
	# Requests in flight: those of a call of io_submit are of one kind or the other.
	/^io_submit\(/ {
		kind = "IOCB_CMD_" toupper(substr(call, 1, length(call) - 2)) ", aio_fildes="
		for (n = split($0, request, "aio_lio_opcode="); n > 1; n--)
			if (index(request[n], kind) == 1 && request[n] ~ ("aio_nbytes=" bytes ",")) {
				fd = substr(request[n], length(kind) + 1) + 0
				if (fd in flags) print flags[fd] " by io_submit"
			}
	}' "$T"/trace.* | sort -u >"$T/flags"
	[ -s "$T/flags" ] || fail "no $flags_call was seen"
}
all_have() { ! grep -v "$1" "$T/flags" >"$T/other" || fail "without $1: $(cat "$T/other")"; }
none_has() { ! grep "$1" "$T/flags" >"$T/other" || fail "with $1: $(cat "$T/other")"; }

while read -r bytes arguments; do
	t "-s $arguments: O_DSYNC in write passes, not in others" || continue
	if flags_of pwrite64 "$bytes" -s -c 256k -b 16k -r 1 $arguments "$D"; then
		all_have O_DSYNC
		case $arguments in *mix*) continue ;; esac
		flags_of pread64 "$bytes" -s -c 256k -b 16k -r 1 $arguments "$D"
		none_has O_DSYNC
	fi
done <<'END'
16384
16384 -q 4
16384 -p 2
16384 -R
16384 -R -q 4 -p 2
16384 -R -o mix -w 50
16384 -R -o mix -w 50 -q 4
END

if t 'without -s and -d neither flag is there' &&
    flags_of pwrite64 16384 -c 256k -b 16k -r 1 "$D"; then
	none_has 'O_DSYNC\|O_SYNC\|O_DIRECT'
fi

while read -r arguments; do
	t_all "-d $arguments: O_DIRECT in all passes" || continue
	on_direct || break
	# Blocks longer than those that the file is probed with.
	for call in pwrite64 pread64; do
		flags_of $call 131072 -d -c 2m -b 128k -r 1 $arguments "$D" || break
		all_have O_DIRECT
		case $arguments in
		*-q*) all_have io_submit ;;
		*) none_has io_submit ;;
		esac
	done
done <<'END'
-o write,read
-q 4
-p 2
-R
-R -q 2 -p 2
-R -o mix -w 50
-o mix -w 50 -q 4
END

# Where handing requests in takes most of the time, they are not in flight.
while read -r call queue; do
	t_all "-d -q: where $call takes long, the queue is $queue" || continue
	on_direct || break
	inject "$call=delay_enter=20000" -v -d -q 8 -b 4k -c 512k -r 1 -o write,read "$D" || break
	want_status 0
	want_fact queue "$queue"
	want "$(fact 'in flight read') > 4"
done <<'END'
io_submit processes
io_getevents io_submit
END

if t '-d: what open refused is gone, even without a guard' && memory_disk ramfs; then
	if inject 'clone,?clone3,?vfork,?fork=error=EAGAIN' -d -c 1 -r 1 "$T/m"; then
		want_status 1
		want_err 'not supported'
		want_empty "$T/m"
	fi
	memory_gone
fi

if t '-d: ramfs refuses at open, and that is said' && memory_disk ramfs; then
	for arguments in -d '-d -q 4' '-d -R -b 4k' '-d -o mix -w 50'; do
		run $arguments -c 1 -r 1 "$T/m"
		want_status 1
		want_failure "direct I/O: $T/m.*: not supported" "$T/m"
	done
	memory_gone
fi

# sectors_of_4k: such a disk on $T/m, the same for all these cases.
four_k=
sectors_of_4k() {
	[ -z "$four_k" ] || return 0
	loop_disk 64M ext4 --sector-size 4096 && four_k=1
}
while read -r word arguments; do
	t "-d on sectors of 4096 bytes: $arguments is $word" || continue
	sectors_of_4k || continue
	run -d -r 1 $arguments "$T/m"
	if [ "$word" = measured ]; then
		want_status 0
		want_table 2
		want_empty "$T/m"
	else
		want_status 1
		want_failure 'multiple of 4096' "$T/m"
	fi
done <<'END'
refused -b 512 -c 64k
refused -b 1024 -c 64k
refused -b 512 -c 64k -R -q 4
refused -b 4095 -c 64k
refused -c 1025k
refused -c 1025k -b 4k
refused -c 1025k -b 4k -R
measured -b 4096 -c 64k
measured -b 4k -c 1 -R -q 4
measured -b 1m -c 4
measured -b 12k -c 100k
END
if t 'buffered I/O on sectors of 4096 bytes takes any size' && sectors_of_4k; then
	works -b 512 -c 65k -r 1 "$T/m"
fi
[ -z "$four_k" ] || loop_gone

# ---- faults of workers ---------------------------------------------------

while read -r call what column; do
	t "$what of $call in a worker ends the run ($column)" || continue
	case $what in
	KILL) how=signal=KILL why='killed' ;;
	EIO) how=error=EIO why='Input/output error' ;;
	ENOSPC) how=error=ENOSPC why='No space left' ;;
	esac
	if inject "$call=$how:when=5" -o "$column" -w 50 -R -b 4k -c 1 -r 1 -q 4 "$D"; then
		want_status 1
		want_failure "$why"
		processes_gone || fail 'processes are left'
	fi
done <<'END'
pread64 EIO read,mix
pread64 EIO mix
pwrite64 EIO mix
pwrite64 ENOSPC mix
pread64 KILL read,mix
END

for arguments in '-q 4' '-p 4' '-q 2 -p 3'; do
	t_all "$arguments: a write and a flush that fail" || continue
	for call in pwrite64 fsync; do
		inject "$call=error=EIO" -o write -b 64k -c 2 -r 1 $arguments "$D" || break
		want_status 1
		want_failure 'Input/output error'
		processes_gone || fail 'processes are left'
	done
done

# One worker gets a signal, nobody else: only one that cannot be ignored ends
# the run, since then the pass has not moved all.  -l counts what it has moved.
for name in TERM INT HUP KILL; do
	while IFS='|' read -r calls moved arguments; do
		case $name in
		KILL) t_all "KILL to one of two workers is an error, and soon: $arguments" || continue ;;
		*) t_all "$name to one of two workers changes nothing: $arguments" || continue ;;
		esac
		: >"$T/trace"
		if can_strace && can_ps && can_wait && launcher; then
			exec "$T/launch" strace -D -f -qq -o "$T/trace" -e trace="$calls" \
			    -e "inject=$calls:delay_exit=20000" \
			    "$G" $arguments -l -x -b 4k -c 1 -r 1 -p 2 "$D" >"$T/out" 2>"$T/err" </dev/null &
			pid=$!
			await workers_there 2
			pause
			kill -s "$name" "$(workers | head -n 1)" 2>/dev/null || fail 'there is no worker'
			sent=$(date +%s)
			ended
			if [ "$name" = KILL ]; then
				want "$(date +%s) - $sent <= 2"
				want_status 1
				sed '/^strace: /d' "$T/err" >"$T/said"
				mv "$T/said" "$T/err"
				want_failure 'one of them was killed'
			else
				want_status 0
				[ "$(awk '/^calls/ { for (i = 2; i <= NF; i++) s += $i; print s }' "$T/out")" = "$moved" ] ||
				    fail 'not all blocks were moved'
				! grep 'run again' "$T/err" || fail 'the round was repeated'
			fi
			want_all_gone
		fi
	done <<'END'
pread64|256|-o cache
pread64,pwrite64|514|-o write,read
pread64,pwrite64|514|-R -o write,read
pread64,pwrite64|258|-R -o mix -w 50
END
done

if t_all 'a crew whose signals were ignored from the start ends by another one' &&
    can_strace && can_ps && can_wait && launcher; then
	: >"$T/out"
	exec "$T/launch" sh -c 'trap "" TERM USR1; exec "$@"' sh strace -D -f -qq -o /dev/null -e trace=pwrite64 \
	    -e inject=pwrite64:delay_exit=100000 "$G" -b 4k -c 1 -o write -r 1 -p 2 "$D" \
	    >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await workers_there 2
	pause
	kill -s HUP "$pid"
	sent=$(date +%s)
	ended
	want "$(date +%s) - $sent <= 2"
	want_signal 1
	want_all_gone
fi

if t_all 'workers that are gone when their turn to report comes are an error' && can_strace; then
	run_with strace -qq -o "$T/trace" -e trace=write "$G" -o cache -c 4 -r 1 -p 2 "$D"
	want_status 0
	turn=$(awk '/^write/ { n++ } /, 1\) *= 1$/ { last = n } END { print last }' "$T/trace")
	run_with strace -qq -o "$T/trace" -e trace=write -e "inject=write:error=EPIPE:when=$turn" \
	    "$G" -o cache -c 4 -r 1 -p 2 "$D"
	want_status 1
	want_failure 'one of them was killed'
	want_empty
fi

if t_all 'a worker that has no memory for its latencies ends the run' && need timeout; then
	run_with timeout 20 sh -c 'ulimit -v 300000 && exec "$@"' sh \
	    "$G" -d -p 2 -q 32 -b 16m -c 64m -r 1 -o read -l "$D"
	want_status 1
	want_failure 'cannot allocate'
	want_empty
fi

if t 'the workers count in cpu, even if SIGCHLD was ignored from the start'; then
	run_with sh -c 'trap "" CHLD; exec "$@"' sh "$G" -v -c 32 -b 4k -p 2 -o write -r 3 "$D"
	want_status 0
	want "$(fact 'cpu write') > 0.1"
fi

if t_all 'a worker that is killed ends the run' && can_ps &&
    start -a -o cache -R -b 512 -c 8 -r 100000 -q 4 "$D"; then
	await workers_there 1
	tries=0
	while alive && [ $tries -lt 200 ]; do
		for worker in $(workers); do
			kill -9 "$worker" 2>/dev/null && break
		done
		tries=$((tries + 1))
		pause
	done
	alive && kill -9 "$pid"
	ended
	want_status 1
	want_failure 'one of them was killed'
	want_all_gone
fi

for arguments in '-q 4' '-p 4' '-R -q 2 -p 2'; do
	t "$arguments: a fork that fails is an error before anything is measured" || continue
	if inject 'clone,?clone3,?vfork,?fork=error=EAGAIN:when=3' -a -c 1 -r 2 -o write $arguments "$D"; then
		want_status 1
		want_failure '1 of 4 could be started: Resource temporarily unavailable'
		want_no_out
		processes_gone || fail 'processes are left'
	fi
done

if t 'a limit on processes is an error before anything is measured' &&
    need_root && need prlimit setpriv; then
	cp "$G" "$T/copy"
	chmod 755 "$T/copy"
	mkdir -m 777 "$D/u"
	# An account that nobody has: the program, its guard, two workers.
	run_with setpriv --reuid=64321 --regid=64321 --clear-groups \
	    prlimit --nproc=4 "$T/copy" -a -c 1 -r 2 -q 4 "$D/u"
	want_status 1
	want_failure '2 of 4 could be started: Resource temporarily unavailable' "$D/u"
	want_no_out
	run_with setpriv --reuid=64321 --regid=64321 --clear-groups \
	    prlimit --nproc=6 "$T/copy" -c 1 -r 2 -q 4 "$D/u"
	want_status 0
	want_empty "$D/u"
fi

# ---- what is left --------------------------------------------------------

# No loop that reads: in one, posh forgets how a background process ended.
for case in \
    'INT 2 -q 8 -o cache -R -b 512' \
    'TERM 15 -q 8 -o cache -R -b 512' \
    'HUP 1 -q 8 -o cache -R -b 512' \
    'KILL 9 -q 8 -o cache -R -b 512' \
    'INT 2 -q 8 -b 64k' \
    'TERM 15 -q 4 -p 2 -b 64k' \
    'KILL 9 -q 8 -o write,read -R -b 64k' \
    'KILL 9 -q 8 -o mix -w 50 -b 64k'; do
	set -- $case
	signal=$1 number=$2
	shift 2
	case $*,$signal in '-q 8 -o cache'*INT | *write,read*KILL) which=t ;; *) which=t_all ;; esac
	$which "$signal at $*: workers and file are gone" || continue
	if can_ps && start -a -c 8 -r 100000 "$@" "$D"; then
		await grep -q '^2' "$T/out"
		await workers_there 1
		kill -s "$signal" "$pid"
		ended
		want_signal "$number"
		if [ "$signal" != KILL ]; then
			processes_gone || fail 'processes are left'
			want_empty
			want_out '^avg'
			want_interrupted "$signal"
		else
			want_no_err
		fi
		want_all_gone
	fi
done

# Unwatched, each would be busy for ten seconds more.
if t_all 'KILL in a long pass: workers and file are gone' && can_strace && can_ps && launcher; then
	exec "$T/launch" strace -D -f -qq -o /dev/null -e trace=pread64 \
	    -e inject=pread64:delay_exit=100000 \
	    "$G" -o read -b 64k -c 64 -r 1 -q 8 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await workers_there 8
	kill -s KILL "$pid"
	ended
	want_all_gone
	left=$(processes)
	[ -z "$left" ] || kill -9 $left 2>/dev/null
fi

# Signals of a terminal go to all of its processes.
if t '^C to the whole group ends it once, with the summary' && need setsid && can_ps && can_wait && launcher; then
	: >"$T/out"
	exec setsid "$T/launch" "$G" -a -q 8 -c 8 -R -b 512 -o cache -r 100000 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await grep -q '^2' "$T/out"
	kill -s INT -- "-$pid" 2>/dev/null || kill -s INT "$pid"
	ended
	want_signal 2
	want_interrupted INT
	want_out '^avg'
	want_all_gone
fi

if t 'workers leave the file alone when a second signal ends them' && can_ps &&
    start -q 8 -o cache -R -b 512 -c 32 -r 100000 "$D"; then
	tries=0 hit=
	# A worker that was just made may be met before there is a file to remove.
	await scratch_there
	while [ -z "$hit" ] && [ $tries -lt 50 ]; do
		tries=$((tries + 1))
		await workers_there 1 || break
		kill -s STOP "$pid"
		scratch_there && for worker in $(workers); do
			kill -s STOP "$worker" && kill -s TERM "$worker" && kill -s INT "$worker" &&
			    kill -s CONT "$worker" && hit=$worker
		done 2>/dev/null
		[ -n "$hit" ] || kill -s CONT "$pid"
	done
	pause
	[ -n "$hit" ] || fail 'no worker was met'
	alive || fail 'the program has ended'
	! alive || ! scratch_gone || fail 'a worker has removed the file'
	kill -s CONT "$pid"
	kill -s TERM "$pid" 2>/dev/null
	ended
	want_all_gone
fi

finish
