#!/bin/sh
# The latencies of calls (-l) and the map of the file (-m).
# Needs strace for the figures: it delays calls by a known time.
# shellcheck disable=SC2086 # lists of options are words
. ./lib.sh

F=$D
if [ "$(id -u)" = 0 ]; then
	mkdir "$T/m" && mount -t tmpfs tmpfs "$T/m" 2>/dev/null && mounted=$T/m F=$T/m
fi

# title KIND, table KIND: of -l, -m; the table begins with #KIND.
title() { sed -n "s/^#$1	//p" "$T/out"; }
table() { awk -v k="#$1	" 'index($0, k) == 1 { on = 1 } /^$/ { on = 0 } on' "$T/out"; }
# part N COLUMN: of the map, parts from 1.
part() { table 'offset MiB' | awk -F '\t' -v n="$1" -v c="$2" 'NR == n + 1 { print $c }'; }
parts() { table 'offset MiB' | awk 'END { print NR - 1 }'; }
tabs() { printf '%s\n' "$1" | sed 's/, */	/g'; }

# A call of 11 s runs beside the other cases.
long_name='a call of eleven seconds is not clipped'
long=
if t_all "$long_name" && can_strace >/dev/null; then
	mkdir "$T/long"
	exec strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_exit=11000000:when=2 \
	    "$G" -l -x -c 1 -b 256k -r 2 -o write "$T/long" >"$T/long.out" 2>"$T/long.err" </dev/null &
	long=$!
fi
case_state=

# want_percentiles: rows in order, never decreasing, between minimum and
# maximum, six decimals, as many fields as in the header; and, where they are
# printed, the mean between the two.
want_percentiles() {
	table percentile | awk -F '\t' '
	function bad(why) { if (!failed) print why; failed = 1 }
	NR == 1 { n = NF; next }
	NF != n { bad("row " $1 " has " NF " fields") }
	/^(mean|dev|calls)/ { extra = extra " " $1
		for (i = 2; i <= NF; i++) {
			if ($1 == "mean" && ($i < least[i] || $i > last[i])) bad("a mean outside")
			if ($1 == "dev" && ($i < 0 || (least[i] < last[i] && $i == 0))) bad("a deviation")
			if ($1 == "calls" && $i == 1 && least[i] != last[i]) bad("one call, two latencies") }
		next }
	{ rows = rows " " $1
	  for (i = 2; i <= NF; i++) {
		if ($i !~ /^[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]$/) bad("a cell of row " $1 ": " $i)
		if (NR == 2) least[i] = $i
		else if ($i < last[i]) bad("row " $1 " falls")
		last[i] = $i } }
	END { if (rows != " 0 25 50 75 90 95 99 99.9 99.99 99.999 99.9999 100") bad("rows:" rows)
	      if (extra != "" && extra != " mean dev calls") bad("rows:" extra) }' >"$T/why"
	[ ! -s "$T/why" ] || fail "$(sed 1q "$T/why")"
}

# ---- -l: the table -------------------------------------------------------

while IFS='|' read -r names arguments; do
	t "-l $arguments: columns and rows" || continue
	works -l -c 1 -b 64k -r 2 $arguments "$D"
	[ "$(title percentile)" = "$(tabs "$names")" ] || fail "header: $(title percentile)"
	want_percentiles
	case $arguments in
	*-x*) [ "$(table percentile | wc -l)" -eq 16 ] || fail 'not mean, dev, calls' ;;
	*) [ "$(table percentile | wc -l)" -eq 13 ] || fail 'rows of -x without it' ;;
	esac
done <<'END'
write us, flush us, read us, cache us|
write us, flush us, read us, cache us|-x
write us, flush us, read us, cache us|-R -q 2 -x
write us, flush us|-o write
read us|-o read
cache us|-o cache -x
write us, flush us, cache us|-o cache,write
write us, flush us, read us, cache us, mixread us, mixwrite us, mixflush us|-w 50
mixread us, mixwrite us, mixflush us|-o mix -w 50 -R -x
write us, flush us, read us, cache us|-u IOPS -a -v -x
write us, flush us, read us, cache us|-p 2 -q 2 -m 3 -s
END

if t 'the tables stand two blank lines apart: -a, summary, -l, -m'; then
	run -l -m 2 -a -c 1 -b 64k -r 2 "$D"
	awk '/^#/ { s = s blank "/" $1; blank = "" } /^$/ { blank++ }
	END { exit s != "/#round2/#2/#percentile2/#offset" }' "$T/out" ||
	    fail 'not these tables'
fi

while read -r size block; do
	t_all "-c $size -b $block: minimum, percentiles, mean, maximum in order" || continue
	for rounds in 1 2 3; do
		works -l -x -c "$size" -b "$block" -r $rounds "$F"
		want_percentiles
	done
done <<'END'
1 1m
1 4k
4 1m
4 4k
64 1m
64 100k
1k 1
END

if t 'a single call: all rows are equal, and its deviation is 0'; then
	works -l -x -c 64k -b 64k -r 1 "$D"
	for column in 2 3 4 5; do
		for p in 25 50 75 90 95 99 99.9 99.99 99.999 99.9999 100 mean; do
			[ "$(cell $p $column)" = "$(cell 0 $column)" ] || fail "row $p of column $column"
		done
		[ "$(cell dev $column)" = 0.000000 ] || fail "deviation $(cell dev $column)"
		[ "$(cell calls $column)" = 1.000000 ] || fail "$(cell calls $column) calls"
	done
fi

while read -r calls flushes arguments; do
	t "$arguments: $calls calls and $flushes flushes are counted" || continue
	works -l -x $arguments "$D"
	[ "$(cell calls 2)" = "$calls.000000" ] || fail "$(cell calls 2) writes"
	[ "$(cell calls 3)" = "$flushes.000000" ] || fail "$(cell calls 3) flushes"
	[ "$(cell calls 4)" = "$calls.000000" ] || fail "$(cell calls 4) reads"
	[ "$(cell calls 5)" = "$calls.000000" ] || fail "$(cell calls 5) cached reads"
	want_percentiles
done <<'END'
16 1 -c 1 -b 64k -r 1
48 3 -c 1 -b 64k -r 3
34 2 -c 1025k -b 64k -r 2
32 2 -c 1025k -b 64k -r 2 -R
48 24 -c 1 -b 64k -r 3 -q 4 -p 2
48 24 -c 1 -b 64k -r 3 -q 4 -p 2 -R
1024 4 -c 1 -b 1k -r 1 -p 4
3000 3 -c 1000k -b 1k -r 3 -k 2
END

# ---- -l: the figures -----------------------------------------------------

while read -r call column arguments; do
	t_all "a delay of 5 ms of $call is the median of column $column ($arguments)" || continue
	# A busy machine adds to it: the best of four tries.
	for try in 1 2 3 last; do
		inject "$call=delay_exit=5000" -l -x -b 64k -c 1 -r 1 $arguments "$F" || continue 2
		want_status 0
		want_percentiles
		want "$(cell 0 "$column") >= 5000"
		want "$(cell mean "$column") >= 5000"
		! holds "$(cell 50 "$column") < 6000" || break
		[ "$try" != last ] || fail "the median is $(cell 50 "$column")"
	done
done <<'END'
pread64 2 -o read
pread64 2 -o cache
pread64 4
pwrite64 2
pwrite64 2 -s -R
pwrite64 3 -o mix -w 50 -R
pread64 2 -o mix -w 50 -R
pread64 2 -o read -q 4 -p 2
pwrite64 2 -o write -q 4
fsync 3 -o write
fsync 4 -o mix -w 50
END

if t 'a delay of another call is in no column' &&
    inject pread64=delay_exit=30000 -l -b 256k -c 1 -r 1 "$F"; then
	want "$(cell 25 2) < 30000 && $(cell 0 3) < 30000"
	want "$(cell 0 4) >= 30000 && $(cell 0 5) >= 30000"
fi

# 20 calls, the ninth of 0.1 s: in rank 20 only.
if t 'one slow call is the maximum, and its rank is right' &&
    inject pwrite64=delay_exit=100000:when=9 -l -x -o write -b 4k -c 80k -r 1 "$F"; then
	want "$(cell 100 2) >= 100000 && $(cell 100 2) < 200000"
	want "$(cell 95 2) < 100000"
	want "$(cell 99 2) == $(cell 100 2)"
	want "$(cell mean 2) >= 5000 && $(cell mean 2) <= 100000"
	# One of n values that stands out: the deviation is its distance by the root of n.
	want "$(cell dev 2) >= 100000 / 4.4722 * 0.7 && $(cell dev 2) <= 200000 / 4.4722"
fi

if t_all 'every other call is slow: the quartiles tell' &&
    inject pwrite64=delay_exit=20000:when=1+2 -l -o write -b 4k -c 80k -r 1 "$F"; then
	want "$(cell 25 2) < 20000"
	want "$(cell 75 2) >= 20000 && $(cell 75 2) < 40000"
fi

if t_all 'all rounds are in one table' &&
    inject pwrite64=delay_exit=100000:when=5 -l -x -o write -b 16k -c 32k -r 4 "$F"; then
	[ "$(cell calls 2)" = 8.000000 ] || fail "$(cell calls 2) calls"
	want "$(cell 100 2) >= 100000 && $(cell 75 2) < 100000"
fi

if t_all 'the calls of all workers are in one table' &&
    inject pread64=delay_exit=30000:when=2 -l -x -o read -b 16k -c 1 -r 1 -q 4 -p 2 "$F"; then
	[ "$(cell calls 2)" = 64.000000 ] || fail "$(cell calls 2) calls"
	# Each worker's second call: at most eight of the 64.
	want "$(cell 100 2) >= 30000 && $(cell 75 2) < 30000"
	want "$(cell mean 2) >= 30000 / 64"
	want_percentiles
fi

# ---- -m ------------------------------------------------------------------

while IFS='|' read -r offsets arguments; do
	t "-m: the parts of $arguments" || continue
	works -o read -r 1 $arguments "$D"
	[ "$(title 'offset MiB')" = 'read MB/s' ] || fail 'not this header'
	[ "$(table 'offset MiB' | sed '1d; s/	.*//' | tr '\n' ' ')" = "$offsets " ] ||
	    fail "parts: $(table 'offset MiB' | sed '1d; s/	.*//' | tr '\n' ' ')"
	! table 'offset MiB' | grep -q nan || fail 'nan in a part'
done <<'END'
0.000000|-c 1 -b 64k -m 1
0.000000 0.250000 0.500000 0.750000|-c 1 -b 64k -m 4
0.000000 0.375000 0.687500|-c 1 -b 64k -m 3
0.000000 1.000000|-c 2 -m 2
0.000000 0.062500|-c 100k -b 64k -m 2
0.000000 0.500000|-c 1 -b 64k -m 2 -R -q 2
0.000000 0.500000|-c 1100k -b 512k -m 2 -R
END

if t '-m: as many parts as blocks, each of one'; then
	works -c 1 -b 16k -m 64 -r 1 -o read "$D"
	want "$(parts) == 64"
	[ "$(part 64 1)" = 0.984375 ] || fail "the last part begins at $(part 64 1)"
fi

if t_all '-m 10000'; then
	works -c 10000k -b 1k -m 10000 -r 1 -R -q 2 "$D"
	want "$(parts) == 10000"
	table 'offset MiB' | awk -F '\t' '$3 == "nan" || $4 == "nan" { bad = 1 } END { exit bad }' || fail 'nan in a part'
fi

while read -r slow arguments; do
	t_all "-m: a slow second half shows in the parts from $slow on ($arguments)" || continue
	if inject "pread64=delay_exit=10000:when=$(own_pread 33+)" -o read -b 16k -c 1 -r 1 $arguments "$F"; then
		want_status 0
		n=1
		while [ $n -le "$(parts)" ]; do
			if [ $n -lt "$slow" ]; then
				want "$(part $n 2) > 2 * 1.6384"
			else
				want "$(part $n 2) <= 1.6384 && $(part $n 2) >= 1.6384 * 0.1"
			fi
			n=$((n + 1))
		done
	fi
done <<'END'
2 -m 2
3 -m 4
33 -m 64
9 -m 16
END

# 22 blocks in the first part, 21 in the others: block 32 is in the second.
if t_all '-m: in a part half of which is slow, the time is that of all of its calls' &&
    inject "pread64=delay_exit=10000:when=$(own_pread 33+)" -o read -b 16k -c 1 -r 1 -m 3 "$F"; then
	want "$(part 1 2) > 2 * 1.6384"
	want "$(part 2 2) <= 21 / 11 * 1.6384 && $(part 2 2) >= 21 / 11 * 1.6384 * 0.1"
	want "$(part 3 2) <= 1.6384 && $(part 3 2) >= 1.6384 * 0.1"
fi

if t_all '-m: the rates are those of all rounds' &&
    inject pwrite64=delay_exit=10000:when=1..16 -s -o write -b 64k -c 1 -r 2 -m 2 "$F"; then
	# Slow in the first of two rounds.
	want "$(part 1 2) <= 2 * 6.5536 && $(part 1 2) >= 6.5536 * 0.6"
	want "$(part 2 2) <= 2 * 6.5536 && $(part 2 2) >= 6.5536 * 0.6"
fi

for pair in '-q 4' '-p 4' '-q 2 -p 2 -R'; do
	t_all "-m: requests in flight add up ($pair)" || continue
	if inject pread64=delay_exit=20000 -o read -b 16k -c 1 -r 1 -m 2 $pair "$F"; then
		want_status 0
		for n in 1 2; do
			want "$(part $n 2) <= 4 * 0.8192 && $(part $n 2) >= 4 * 0.8192 * 0.4"
		done
	fi
done

if t_all '-m: a partial last block counts with its bytes' &&
    inject pread64=delay_exit=20000 -o read -b 64k -c 80k -r 2 -m 2 "$F"; then
	want "$(part 1 2) <= 3.2768 && $(part 1 2) >= 3.2768 * 0.5"
	want "$(part 2 2) <= 0.8192 && $(part 2 2) >= 0.8192 * 0.5"
fi

if t_all '-m: blocks a second count a partial block of each round' &&
    inject pread64=delay_exit=20000 -u IOPS -o read -b 64k -c 80k -r 4 -m 2 "$F"; then
	want "$(part 1 2) <= 50 && $(part 1 2) >= 50 * 0.5"
	want "$(part 2 2) <= 50 && $(part 2 2) >= 50 * 0.5"
fi

# Reads of 0.1 s each: the rate of a part is what so many at once reach, no more
# than there are blocks.
for workers in '-q 16' '-p 8' '-R -q 8 -p 2'; do
	t_all "-m: workers that have no block do not count: $workers" || continue
	if inject pread64=delay_exit=100000 -o read -c 4 -b 1m -m 2 -r 1 $workers "$D"; then
		want_status 0
		for n in 1 2; do want "$(part $n 2) > 0.5 * $(figure avg 1) && $(part $n 2) < 1.1 * 4 * 1.048576 / 0.1"; done
	fi
done

if t '-m: parts that no call of a column fell into are nan, and it is said'; then
	works -s -m 16 -b 64k -c 1 -o mix -w 10 -r 1 "$D"
	gaps=$(awk -F '\t' '/^#offset/ { map = 1 } map && $3 == "nan" { n++ } END { print n + 0 }' "$T/out")
	want "$gaps >= 14"
	want_err "warning: mixwrite: no call fell into $gaps parts of the map"
fi

if t '-l: a column without a call is nan, and it is said'; then
	works -l -o mix -w 0 -c 1 -r 1 "$D"
	want_out '^50	[0-9.]*	nan	[0-9.]*$'
	want_err 'warning: mixwrite: it made no call, .*: -w leaves it no block'
fi

if t '-m: with -w 100 there is no part that mix reads, and it is said'; then
	works -s -m 4 -o mix -w 100 -c 1 -b 64k -r 1 "$D"
	want_err 'warning: mixread: no call fell into 4 parts of the map, .*: -w leaves it no block'
fi

while read -r known arguments; do
	t "-m: figures of writes are $known with $arguments" || continue
	case $arguments in *-d*)
		run -d -c 64k -b 64k -r 1 "$D"
		[ "$status" -eq 0 ] || { skip 'no direct I/O in the test directory'; continue; }
	esac
	works -m 4 -b 64k -c 1 -r 1 $arguments "$D"
	for n in 1 2 3 4; do
		case $known in
		there) [ "$(part $n 2)" != nan ] || fail "nan in part $n" ;;
		*) [ "$(part $n 2)" = nan ] || fail "$(part $n 2) in part $n" ;;
		esac
		case $arguments in *write,read*) want "$(part $n 3) > 0" ;; esac
	done
	grep -Ec '^gbtestdisk: warning: .*(nan|map|-m)' "$T/err" >"$T/warnings"
	case $known in
	there) [ "$(cat "$T/warnings")" = 0 ] || fail 'a warning of nan' ;;
	*) [ "$(cat "$T/warnings")" = 1 ] || fail 'no warning of nan' ;;
	esac
done <<'END'
nan -o write,read
nan -o write
nan -o write,read -q 4 -R
there -o write,read -s
there -o write,read -d
there -o write -s -q 4 -R
END

if t '-m: without a write column there is nothing to warn of'; then
	run -m 4 -b 64k -c 1 -r 1 -o read,cache "$D"
	! grep -q nan "$T/err" || fail 'a warning of nan'
fi

if t '-m: mix has its own columns'; then
	works -m 2 -s -o mix -w 50 -b 16k -c 1 -r 1 -R "$D"
	[ "$(title 'offset MiB')" = "$(tabs 'mixread MB/s, mixwrite MB/s')" ] || fail 'not this header'
	want "$(part 1 2) > 0 && $(part 1 3) > 0 && $(part 2 2) > 0 && $(part 2 3) > 0"
fi

# ---- the long call -------------------------------------------------------

if t_all "$long_name" && [ -n "$long" ]; then
	wait "$long"
	status=$?
	cp "$T/long.out" "$T/out"
	cp "$T/long.err" "$T/err"
	want_status 0
	want "$(cell 100 2) >= 11000000 && $(cell 100 2) < 13000000"
	want "$(cell 75 2) < 1000000"
	want "$(cell mean 2) >= 11000000 / 8 && $(cell mean 2) < 13000000 / 8"
	want "$(figure min 1) <= 1.048576 / 11"
	want_empty "$T/long"
fi

finish
