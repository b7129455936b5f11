#!/bin/sh
# When a run ends: time limits (-t), warm-up (-k), sureness (-e), rests (-i).
# Needs strace for passes that take a known time.
# shellcheck disable=SC2086 # lists of options are words
. ./lib.sh

# A fast disk, so that rounds are short: memory where it may be had.
F=$D
if [ "$(id -u)" = 0 ]; then
	mkdir "$T/m" && mount -t tmpfs tmpfs "$T/m" 2>/dev/null && mounted=$T/m F=$T/m
fi

# round N FIELD: of the table of -a.
round() { awk -F '\t' -v n="$1" -v f="$2" '$1 == n && NF > 2 { print $f; exit }' "$T/out"; }
last_end() { awk -F '\t' '/^$/ { exit } /^[0-9]/ { s = $2 } END { print s }' "$T/out"; }
# covered PASS: the share that the warning says was covered, in percent.
covered() { sed -n "s/.*warning: $1: cut short .*covered \([0-9.]*\) %.*/\1/p" "$T/err"; }
overran() { sed -n "s/.*warning: $1: .*overran .* by \([0-9.]*\) s.*/\1/p" "$T/err"; }

# delayed INJECTION[/INJECTION...] ARGUMENT...: a run with these, and with its
# transfers in $T/trace.
delayed() {
	can_strace || return 1
	injections=
	for what in $(echo "$1" | tr / ' '); do injections="$injections -e inject=$what"; done
	shift
	run_with strace -f -qq -s 0 -o "$T/trace" -e trace=pread64,pwrite64,fsync $injections "$G" "$@"
}
# ---- -t ------------------------------------------------------------------

while read -r seconds arguments; do
	t_all "-t $seconds $arguments ends within a tenth of a second of that" || continue
	# A busy machine may keep it: the best of three tries.
	for try in 1 2 3; do
		works -a -t "$seconds" $arguments "$F"
		want_empty "$F"
		# Five rounds are a default only without -t.
		holds "$(rows) > 5 && $(last_end) >= $seconds - 0.1 && $(last_end) <= $seconds + 0.1" && break
		[ "$try" -lt 3 ] || fail "it ended after $(rows) rounds, $(last_end) s"
	done
done <<'END'
0.25 -c 2
0.5 -c 4 -o cache
1 -c 2 -o write,read -R -b 64k
0.7 -c 2 -q 4 -b 64k
1.25 -c 2 -p 2 -q 2 -R -b 64k -l -x
0.6 -c 2 -w 50 -b 64k
END

if t_all '-t without rounds that fit in it ends in time as well'; then
	works -a -t 0.3 -c 64 -r 1000000 "$F"
	want "$(last_end) <= 0.3 * 1.5 + 0.1"
fi

if t '-r ends the run before -t'; then
	works -a -r 3 -t 60 -c 1 "$D"
	[ "$(rows)" -eq 3 ] || fail "$(rows) rounds"
	want "$(last_end) < 10"
	! grep -q 'cut short' "$T/err" || fail 'a warning of a cut'
fi

if t '-v does not know what a run with -t will write'; then
	run -v -t 0.1 -c 1 "$D"
	want_fact writes unknown
	want_fact rounds unlimited
fi

# 128 blocks at 20 ms are 2.6 s.
if t_all 'a pass that is cut counts with its bytes and its time' &&
    delayed pread64:delay_exit=20000 -o read -a -t 0.5 -r 1 -b 16k -c 2 -l -x "$D"; then
	want_status 0
	want "$(last_end) >= 0.5 && $(last_end) <= 0.8"
	n=$(moved pread64 16384 | wc -l)
	[ "$(cell calls 2)" = "$((n)).000000" ] || fail "$(cell calls 2) calls of $n"
	want "$n >= 6 && $n <= 26"
	want "$(figure avg 1) <= 16384e-6 / 0.02 && $(figure avg 1) >= $n * 16384e-6 / 0.8"
	want "$(covered read) - 100 * $n / 128 < 0.051 && $(covered read) - 100 * $n / 128 > -0.051"
	want_err '^gbtestdisk: warning: '
fi

if t_all 'each pass has its share of the time' &&
    delayed pread64:delay_exit=20000/pwrite64:delay_exit=20000 -t 1.5 -r 1 -b 16k -c 2 -l -x "$D"; then
	want_status 0
	w=$(cell calls 2) r=$(cell calls 4) c=$(cell calls 5)
	want "$w >= 6 && $w <= 26"
	want "$r <= $w && $c <= $r && $c >= 6"
fi

if t_all 'two passes share half and half' &&
    delayed pread64:delay_exit=20000 -a -o read,cache -t 1.2 -r 1 -b 16k -c 2 -l -x "$D"; then
	want "$(cell calls 2) >= 8 && $(cell calls 2) <= 31"
	want "$(cell calls 3) <= $(cell calls 2)"
	want "$(last_end) <= 1.7"
fi

# Where workers share the blocks, they take them in lots of 64 KiB: the places
# up to the first that was not written are read, so that a lot for each of
# them may be missing.  One that is held up on a busy machine makes it more:
# the best of three tries.
while read -r missing arguments; do
	t_all "after a write that was cut, read covers what was written: $arguments" || continue
	for try in 1 2 3; do
		delayed pwrite64:delay_exit=20000 -o write,read,cache -t 0.9 -r 1 -b 16k -c 8 $arguments "$D" || continue 2
		want_status 0
		case $arguments in -R*)	# without the file's layout
			sed '1,/fsync/d' "$T/trace" >"$T/passes"
			mv "$T/passes" "$T/trace"
			;;
		esac
		moved pwrite64 16384 | sort >"$T/wrote"
		moved pread64 16384 | sort >"$T/read"
		[ -z "$(uniq -d "$T/wrote")" ] || fail 'a block was written twice'
		sort -u "$T/read" >"$T/once"
		[ -z "$(comm -23 "$T/once" "$T/wrote")" ] || fail 'a block was read that was not written'
		sort "$T/once" "$T/once" | cmp -s - "$T/read" || fail 'read and cache have not read the same, once each'
		n=$(wc -l <"$T/once")
		want "$(covered write) - 100 * $n / 512 < 0.051 && $(covered write) - 100 * $n / 512 > -0.051"
		[ -z "$(covered read)" ] || fail 'read was cut'
		want_empty
		n=$(wc -l <"$T/wrote") less=$(($(wc -l <"$T/wrote") - $(wc -l <"$T/once")))
		holds "$n > 5 && $n < 512 && $less <= $missing" && break
		[ "$try" -lt 3 ] || fail "of $n blocks $less were not read"
	done
done <<'END'
0 -q 1
16 -q 4
0 -p 4
16 -q 2 -p 2
0 -R
16 -R -q 4
16 -R -q 2 -p 2
END

for seconds in 0.0000000001 0.000000001 0.000000002; do
	t "-t $seconds is a limit, too" || continue
	if need timeout; then
		run_with timeout 20 "$G" -t "$seconds" -a "$F"
		want_status 0
		[ "$(rows)" -eq 1 ] || fail "$(rows) rounds"
		want_out '^avg	nan	nan	nan$'
		want_err 'warning: write: cut short by -t in 1 of 1 round: it covered 0.0 %'
	fi
done

if t_all 'no round is begun that would end after the time, by the mean of those before' &&
    delayed fsync:delay_exit=200000 -a -o write -t 1 -c 64k "$D"; then
	want_status 0
	n=$(rows)
	want "$n >= 1 && $n <= 4"
	# Not quite all of the time after a round is in its row.
	want "$(last_end) + $(last_end) / $n > 0.9"
	[ "$n" -eq 1 ] || want "$(round $((n - 1)) 2) * $n / ($n - 1) <= 1"
	! grep -q 'cut short\|made no call' "$T/err" || fail 'a warning of a round that was cut'
	want_empty
fi

if t_all 'the time that a crew waits for its file is of its share' && can_strace; then
	# strace counts in each process: a worker opens but one file.
	run_with strace -f -qq -o /dev/null -e trace=open,openat \
	    -e inject=open,openat:delay_enter=400000:when=3+ "$G" -a -t 0.3 -o write -p 2 -b 16k -c 1 -r 1 "$D"
	want_status 0
	want_out '^avg	nan$'
	want_err 'it covered 0.0 % of its blocks'
	want_empty
fi

if t 'a round that was stopped leaves no finding behind' &&
    hold fsync 1 -o write -c 1 -b 64k -t 60 -r 1 "$D"; then
	sleep 1
	resume
	ended
	want_status 0
	want_err 'it is run again'
	! grep 'overran' "$T/err" || fail 'the time of the stopped round is said'
fi

if t 'without time left, a round that was stopped counts, and it is said' &&
    hold fsync 1 -o write -c 1 -b 64k -t 0.000001 -r 1 "$D"; then
	resume
	ended
	want_status 0
	want_err 'warning: 1 of 1 round got SIGCONT again and again and may have been stopped'
	want_err 'warning: write: cut short by -t in 1 of 1 round'
fi

# The fourth flush is that of the eviction in the second round, whose write pass was cut.
if t 'what a signal ended says nothing of the rounds that count' && can_strace; then
	run_with strace -f -qq -o /dev/null -e trace=pwrite64,fsync -e inject=pwrite64:delay_exit=50000 \
	    -e inject=fsync:signal=TERM:when=4 "$G" -t 1.5 -c 64 "$D"
	want_err 'warning: write: cut short by -t in 1 of 1 round:'
	want_err 'warning: signal TERM ended the run: 1 round is in the tables'
	want_empty
fi

if t_all 'a round that was stopped until the time was up counts, and it is said' &&
    hold fsync 2 -a -o write -c 1 -t 1 "$D"; then
	sleep 1.2
	resume
	ended
	want_status 0
	want_err 'warning: 1 of 2 rounds got SIGCONT again and again and may have been stopped'
	[ "$(rows)" -eq 2 ] || fail "$(rows) rounds"
	want_empty
fi

if t_all 'mix is cut as well, and its rates add up' &&
    delayed pread64:delay_exit=20000/pwrite64:delay_exit=20000 -a -o mix -w 50 -R -t 0.5 -r 1 -b 16k -c 4 -l -x "$D"; then
	want_status 0
	want "$(cell calls 2) + $(cell calls 3) >= 10 && $(cell calls 2) + $(cell calls 3) <= 26"
	want "$(figure avg 1) + $(figure avg 2) <= 16384e-6 / 0.02"
	want_err 'warning: mix: cut short'
fi

if t_all 'rounds go on after one that was cut' &&
    delayed pwrite64:delay_exit=20000 -a -o write,read,cache -t 1.8 -b 16k -c 2 "$D"; then
	want_status 0
	n=$(rows)
	want "$n >= 2"
	want "$(last_end) >= 1.2 && $(last_end) <= 2.2"
	want_err "warning: write: cut short by -t in $n of $n rounds"
fi

if t_all 'a flush is never cut, and how much it overran is said' &&
    delayed fsync:delay_enter=1000000 -a -o write -t 0.5 -r 1 -c 1 "$D"; then
	want_status 0
	want "$(figure avg 1) <= 1.048576 / 1.0 && $(figure avg 1) >= 1.048576 / 1.3"
	want "$(overran write) >= 0.5 && $(overran write) <= 0.8"
fi

if t_all 'a flush of several workers is not cut either' &&
    delayed fsync:delay_enter=1000000 -a -o write -t 0.5 -r 1 -c 1 -q 4 -b 64k "$D"; then
	want_status 0
	want "$(figure avg 1) <= 1.048576 / 1.0 && $(figure avg 1) >= 1.048576 / 1.4"
	want "$(overran write) >= 0.5 && $(overran write) <= 0.9"
fi

if t 'no flush that kept its share is said to overrun'; then
	run -t 5 -r 2 -c 1 "$D"
	[ -z "$(overran write)" ] || fail 'a warning of an overrun'
fi

if t_all 'calls of a second each end at most one after the time' &&
    delayed pwrite64:delay_exit=1000000 -a -o write -t 3 -c 8 "$D"; then
	want_status 0
	n=$(moved pwrite64 1048576 | wc -l)
	want "$n == 3"
	want "$(last_end) <= 4.0"
	want "$(round 1 3) <= 1.048576 && $(round 1 3) >= $n * 1.048576 / 4"
	want_err 'warning: write: cut short'
fi

if t_all 'one call that takes far longer is waited for, and divides by its time' &&
    delayed pwrite64:delay_exit=4000000 -a -o write -t 1 -c 8 "$D"; then
	want_status 0
	want "$(moved pwrite64 1048576 | wc -l) == 1"
	want "$(rows) == 1"
	want "$(figure avg 1) <= 1.048576 / 4.0 && $(figure avg 1) >= 1.048576 / 4.6"
	[ "$(covered write)" = 12.5 ] || fail "covered $(covered write) %"
fi

if t 'a time too short for a call gives nan, a warning and no more'; then
	works -a -t 0.000001 -c 1 -b 4k "$D"
	grep -q '^avg	nan	nan	nan$' "$T/out" || fail 'no row of nan'
	want_err '^gbtestdisk: warning: write: .*nan'
	! grep -Eiq 'inf|-[0-9]' "$T/out" || fail 'a figure that is none'
	want_empty
fi

# ---- -k ------------------------------------------------------------------

if t_all '-k: warm-up rounds are run, and counted nowhere' &&
    delayed pread64:delay_exit=50000 -o read -a -k 3 -r 2 -b 256k -c 1 -l -x "$D"; then
	want_status 0
	want "$(rows) == 2 && $(round 1 1) == 1"
	# A round takes 0.2 s; with the warm-up the first would end at 0.8 s.
	want "$(round 1 2) >= 0.2 && $(round 1 2) <= 0.6"
	[ "$(moved pread64 262144 | wc -l)" -eq 20 ] || fail 'not five passes'
	[ "$(cell calls 2)" = 8.000000 ] || fail "$(cell calls 2) calls"
fi

if t_all '-k: what was slow in the warm-up is in no figure' &&
    delayed pwrite64:delay_exit=600000:when=1 -a -o write -k 1 -r 2 -b 256k -c 1 -l -m 4 -s "$D"; then
	want_status 0
	want "$(cell 100 2) < 600000"
	want "$(figure min 1) > 1.048576 / 0.6"
	want "$(awk -F '\t' '/^#offset/ { on = 1; next } on && $1 == 0 { print $2 }' "$T/out") > 0.262144 / 0.6"
	delayed pwrite64:delay_exit=600000:when=1 -o write -r 2 -b 256k -c 1 -l "$D"
	want "$(cell 100 2) >= 600000"
	want "$(figure min 1) <= 1.048576 / 0.6"
fi

if t_all '-k: the time of -t begins after the warm-up' &&
    delayed pread64:delay_exit=50000 -o read -a -k 3 -t 0.5 -b 256k -c 1 "$D"; then
	want_status 0
	want "$(rows) >= 2 && $(rows) <= 3"
	want "$(last_end) >= 0.4 && $(last_end) <= 1"
fi

if t_all '-k: a warm-up round is whole, whatever -t' &&
    delayed pread64:delay_exit=20000 -o read -k 1 -r 1 -t 0.1 -b 16k -c 512k "$D"; then
	n=$(moved pread64 16384 | wc -l)
	want "$n >= 32 + 1 && $n <= 32 + 6"
fi

if t '-k 0 is no warm-up, and -v counts the writes of one'; then
	run -v -k 0 -r 2 -c 1 "$D"
	want_fact writes 2097152
	works -v -k 3 -r 2 -c 1 "$D"
	want_fact writes 5242880
fi

if t '-k with random order, several workers and mix'; then
	works -k 2 -r 1 -R -q 2 -b 64k -c 1 -w 50 -l -x "$D"
	[ "$(cell calls 2)$(cell calls 4)$(cell calls 5)$(cell calls 6)" = 16.00000016.00000016.0000008.000000 ] || fail 'not the calls of one round'
fi

# ---- -e ------------------------------------------------------------------

if t_all '-e ends the run at the third round when the figures are sure' &&
    delayed pread64:delay_exit=80000 -a -o read -e 100 -b 256k -c 1 "$D"; then
	want_status 0
	want "$(rows) == 3"
	! grep -q 'not yet sure' "$T/err" || fail 'a warning'
fi

if t '-e: -r caps it, with a warning'; then
	works -a -e 0.0000001 -r 4 -c 1 "$D"
	want "$(rows) == 4"
	want_err '^gbtestdisk: warning: .*sure.* 4 rounds'
fi

if t '-e: one hundred rounds cap it where nothing else does'; then
	works -a -e 0.0000001 -o cache -c 64k "$D"
	want "$(rows) == 100"
	want_err '^gbtestdisk: warning: .*sure.* 100 rounds'
fi

if t_all '-e: -t caps it, past a hundred rounds, with a warning'; then
	works -a -e 0.0000001 -t 0.6 -o cache -c 64k "$F"
	want "$(last_end) >= 0.5 && $(last_end) <= 0.7"
	want "$(rows) > 100"
	want_err '^gbtestdisk: warning: .*sure'
fi

for rounds in 1 2; do
	t "-e: $rounds rounds are too few to be sure" || continue
	if delayed pread64:delay_exit=20000 -a -o read -e 100 -r $rounds -b 64k -c 1 "$D"; then
		want_status 0
		want "$(rows) == $rounds"
		want_err '^gbtestdisk: warning: .*sure'
	fi
done

if t_all '-e is reached at its cap: no warning' &&
    delayed pread64:delay_exit=80000 -o read -a -e 100 -r 3 -b 256k -c 1 "$D"; then
	want "$(rows) == 3"
	! grep -q 'sure' "$T/err" || fail 'a warning'
fi

# want_stop PERCENT: it ended at the first round, from the third on, at which
# the interval of the one column was within so much of the mean; 10 are the cap.
want_stop() {
	awk -F '\t' -v percent="$1" '
	# Not every awk has sqrt.
	function root(x,    r, i) {
		r = x > 1 ? x : 1
		for (i = 0; x > 0 && i < 100; i++) r = (r + x / r) / 2
		return x > 0 ? r : 0
	}
	BEGIN { split("12.706205 4.302653 3.182446 2.776445 2.570582 2.446912 2.364624 2.306004 2.262157", t, " ") }
	/^$/ { exit }
	/^[0-9]/ {
		rate[++n] = $3
		mean = (mean * (n - 1) + $3) / n
		for (i = squares = 0; i++ < n; )
			squares += (rate[i] - mean) * (rate[i] - mean)
		if (!sure && n > 2 && t[n - 1] * root(squares / (n - 1) / n) <= mean * percent / 100)
			sure = n
	}
	END { exit n != (sure ? sure : 10) }' "$T/out" || fail "$1 %: it ended at another round"
}

# Rounds of 0.2 s after one of 0.4 s: half widths of 86, 45, 31 and 23 %.  On a
# busy machine others stand out as well, or this one does not.
if t_all '-e goes on as long as a round stands out'; then
	for try in 1 2 3; do
		delayed pwrite64:delay_exit=50000/fsync:delay_exit=200000:when=1 \
		    -a -x -o write -e 25 -r 10 -b 256k -c 1 "$F" || break
		want_status 0
		want_stop 25
		grep -q 'not yet sure' "$T/err" || want "$(figure ci 1) <= $(figure avg 1) * 0.25"
		first=$(rows)
		delayed pwrite64:delay_exit=50000/fsync:delay_exit=200000:when=1 \
		    -a -x -o write -e 60 -r 10 -b 256k -c 1 "$F"
		want_stop 60
		holds "$first > $(rows) && $(rows) > 3" && break
		[ "$try" -lt 3 ] || fail "it ended at $first and at $(rows) rounds"
	done
fi

if t_all '-e: every column has to be sure, and -x shows it'; then
	works -a -x -e 20 -t 20 -c 4 "$D"
	if ! grep -q 'not yet sure' "$T/err"; then
		for column in 1 2 3; do
			want "$(figure ci $column) <= $(figure avg $column) * 0.2"
		done
	fi
fi

# ---- -i ------------------------------------------------------------------

if t_all '-i rests between rounds, and counts in no rate'; then
	works -a -i 0.5 -r 3 -o cache -c 1 "$D"
	want "$(round 1 2) < 0.4"
	want "$(round 2 2) - $(round 1 2) >= 0.5 && $(round 2 2) - $(round 1 2) <= 0.8"
	want "$(round 3 2) - $(round 2 2) >= 0.5 && $(round 3 2) - $(round 2 2) <= 0.8"
	want "$(figure min 1) > 1.048576 / 0.4"
fi

if t_all '-i does not rest after the last round'; then
	since=$(date +%s)
	run -i 30 -r 1 -c 1 "$D"
	want "$(date +%s) - $since <= 5"
	run -i 30 -t 1 -c 1 "$D"
	want "$(date +%s) - $since <= 10"
fi

if t_all '-i: nor after the round that was sure' && can_strace; then
	since=$(date +%s)
	delayed pread64:delay_exit=80000 -i 1 -o read -a -e 100 -b 256k -c 1 "$D"
	want "$(rows) == 3"
	want "$(round 3 2) >= 2 + 3 * 0.32 && $(date +%s) - $since <= 6"
fi

if t_all '-i: nor between warm-up rounds and after them'; then
	works -a -i 30 -k 2 -r 1 -c 1 "$D"
	want "$(round 1 2) < 10"
fi

if t_all '-i: a rest that would pass -t ends the run'; then
	works -a -t 1 -i 0.4 -o cache -c 1 "$F"
	want "$(rows) == 3"
	want "$(last_end) >= 0.8 && $(last_end) <= 1"
	run -a -t 1 -i 1.5 -c 1 "$F"
	want "$(rows) == 1"
fi

# ---- together ------------------------------------------------------------

if t_all 'all limits at once'; then
	works -a -x -l -k 1 -e 90 -t 20 -i 0.1 -r 50 -c 1 -R -q 2 -b 64k "$D"
	want "$(round 3 2) >= 0.2"
	want_empty
fi

if t 'a signal ends a run with limits, with what there is' &&
    start -a -e 0.0000001 -t 100 -i 0.1 -k 1 -c 1 "$D"; then
	await grep -q '^2' "$T/out"
	kill -s TERM "$pid"
	ended
	want_signal 15
	want_out '^avg'
	want_interrupted TERM
	want_empty
fi

finish
