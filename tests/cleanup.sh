#!/bin/sh
# No scratch file and no process stay behind, however the run ends.
# Needs cc for a launcher; strace to stop the program at a call, ps and pgrep
# to look at its guard.
# shellcheck disable=SC2005,SC2012,SC2015,SC2016,SC2086,SC3045
. ./lib.sh

ulimit -c 0 2>/dev/null

out_has() { [ "$(grep -c -- "$1" "$T/out")" -ge "${2:-1}" ]; }
# want_end SECONDS SINCE: it ended in time, by a clock of whole seconds.
want_end() { want "$(date +%s) - $2 <= $1 + 1"; }

# want_mean: the summary is that of the rows before it, all of them.
want_mean() {
	awk -F '\t' -v ok=0 '
	/^[0-9]/ { for (i = 3; i <= NF; i++) { s[i] += $i
		if (n == 0 || $i > max[i]) max[i] = $i
		if (n == 0 || $i < min[i]) min[i] = $i }
		n++ }
	/^max/ { for (i = 3; i < 6; i++) if ($(i - 1) != max[i]) exit }
	/^min/ { for (i = 3; i < 6; i++) if ($(i - 1) != min[i]) exit }
	/^avg/ { ok = NF == 4; for (i = 3; i < 6; i++) { d = $(i - 1) - s[i] / n
		if (d > .00001 || d < -.00001) ok = 0 } }
	END { exit !ok }' "$T/out" || fail 'the summary is not that of the rows'
}

while read -r arguments; do
	t "nothing stays after $arguments" || continue
	works $arguments "$D"
	want_empty
done <<'END'
-c 8 -r 3
-c 2 -r 2 -v
-c 2 -r 2 -a -x
-c 2 -r 2 -o write
-c 2 -r 2 -o read
-c 2 -r 2 -o cache
-c 2 -r 2 -o write,cache
-c 2 -r 2 -b 4k -u IOPS
-c 2 -r 2 -i 0.1
END

# The delays hit different passes.
few='1 3 8'
[ -z "${TEST_QUICK-}" ] || few=3
for signal in HUP:1 INT:2 QUIT:3 TERM:15; do
	t "${signal%:*} ends the run with the summary of its complete rounds" || continue
	for rounds in $few; do
		start -a -c 2 -r 100000 "$D" || break
		await out_has '^[0-9]' "$rounds"
		since=$(date +%s)
		kill -s "${signal%:*}" "$pid"
		ended
		want_end 5 "$since"
		want_signal "${signal#*:}"
		want_interrupted "${signal%:*}"
		want_mean
		want_empty
	done
done

for signal in HUP:1 INT:2 QUIT:3 TERM:15; do
	t "${signal%:*} before a round is complete prints no table" || continue
	if hold fadvise64 1 -a -x -c 1 -r 3 "$D"; then
		kill -s "${signal%:*}" "$pid"
		resume
		ended
		want_signal "${signal#*:}"
		! grep -q '^[^#]' "$T/out" || fail 'a figure'
		want_one_line
		want_err 'no round was complete'
		want_empty
	fi
done

if t 'a signal ends a rest at once' && start -a -c 1 -r 2 -i 50 "$D"; then
	await out_has '^1'
	since=$(date +%s)
	kill -s TERM "$pid"
	ended
	want_end 5 "$since"
	want_signal 15
	want_mean
	want_empty
fi

if t 'a second signal ends it at once, without a summary'; then
	for pair in 'INT TERM' 'HUP QUIT' 'TERM HUP'; do
		start -a -c 4 -r 100000 "$D" || break
		await out_has '^1'
		await scratch_there
		kill -s STOP "$pid"
		# Not by the shell's own kill, which may continue what it ends.
		for signal in $pair CONT; do sh -c 'kill -s "$1" "$2"' sh "$signal" "$pid"; done
		ended
		[ "$status" -gt 128 ] || fail "status $status"
		! out_has '^avg' || fail 'a summary'
		want_gone_soon
	done
fi

if t_all '^C twice leaves nothing'; then
	for delay in 1 2 3; do
		start -c 16 -r 100000 "$D" || break
		await scratch_there
		kill -s INT "$pid"
		[ "$delay" -ne 2 ] || pause
		kill -s INT "$pid" 2>/dev/null
		ended
		want_signal 2
		want_gone_soon
	done
fi

moments='0 1 2'
[ -z "${TEST_QUICK-}" ] || moments=1
for signal in KILL:9 SEGV:11 ABRT:6 BUS:7 ALRM:14 USR1:10 PIPE:13; do
	t "nothing stays after ${signal%:*}" || continue
	for moment in $moments; do
		start -c 16 -r 100000 "$D" || break
		await scratch_there
		i=0
		while [ "$i" -lt "$moment" ]; do pause; i=$((i + 1)); done
		kill -s "${signal%:*}" "$pid"
		ended
		# BUS and USR1 have other numbers elsewhere.
		[ "$status" -gt 128 ] || fail "status $status"
		! out_has '^avg' || fail 'a summary'
		want_gone_soon
	done
done

if t_all 'kill -9 at random moments leaves nothing'; then
	i=0
	while [ "$i" -lt 25 ]; do
		start -c 1 -b 64k -r 100000 "$D" || break
		# Processes are as random as anything that every system has.
		awk -v seed="$i" 'BEGIN { srand(seed); n = rand() * 200000; while (n-- > 0) x += n }'
		kill -9 "$pid"
		ended
		want_gone_soon
		i=$((i + 1))
	done
fi

for call in pwrite64 fsync fadvise64 mincore pread64 unlink; do
	case $call in pwrite64 | unlink) which=t ;; *) which=t_all ;; esac
	$which "kill -9 at $call leaves nothing" || continue
	# The loader's own reads come before the scratch file's.
	when=1
	[ "$call" != pread64 ] || when=6
	if hold "$call" "$when" -c 8 -r 2 "$D"; then
		kill -9 "$pid"
		ended
		want_signal 9
		want_gone_soon
	fi
done

if t 'kill -9 with a relative directory leaves nothing' && launcher; then
	exec "$T/launch" sh -c 'cd "$1" && exec "$2" -c 4 -r 100000 d' sh "$T" "$G" >"$T/out" 2>"$T/err" &
	pid=$!
	await scratch_there
	kill -9 "$pid"
	ended
	want_gone_soon
fi

if t 'kill -9 of the guard is said, and nothing stays' &&
    can_ps && hold fadvise64 1 -c 1 -r 2 "$D"; then
	for guard in $(children "$pid"); do kill -9 "$guard"; done
	resume
	ended
	want_status 0
	want_table 3
	want_err 'warning: .*guard process is gone'
	want_empty
fi

# named_copy: one of the program whose name nobody else has.
named_copy() {
	name=gbt$$
	launcher || return 1
	# A guard that has yet to end may still run it.
	[ -x "$T/$name" ] || { cp "$G" "$T/$name" && chmod 755 "$T/$name"; }
}

for how in -x -f; do
	t "the guard is not found by name: pgrep $how" || continue
	need pgrep && can_ps && can_wait && named_copy || continue
	exec "$T/launch" "$T/$name" -c 8 -r 100000 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await scratch_there
	guard=$(children "$pid")
	found=$(pgrep "$how" "$name" | tr '\n' ' ')
	kill -9 "$pid"
	ended
	want_gone_soon
	# Some look at the first argument alone, which is a path.
	[ "$found" ] || { skip "pgrep $how does not find the program either"; continue; }
	[ -n "$guard" ] && [ "$found" = "$pid " ] || fail "found $found, the guard is $guard"
done

# What kills by name is let loose only where it sees no process but these.
cat >"$T/by_name" <<'END'
"$1/launch" "$1/$2" -c 8 -r 100000 "$3" </dev/null &
pid=$!
tries=0
until [ -n "$(ls -A "$3")" ] || [ "$tries" -ge 10 ]; do tries=$((tries + 1)); sleep 1; done
$4 "$2"
wait "$pid"
status=$?
# When this ends, so does all that is in here: the guard has its time before.
tries=0
while [ -n "$(ls -A "$3")" ] && [ "$tries" -lt 3 ]; do tries=$((tries + 1)); sleep 1; done
exit "$status"
END
for killer in 'pkill -9 -x' 'pkill -9 -f' 'killall -9'; do
	t_all "nothing stays after $killer" || continue
	need "${killer%% *}" && can_be_alone && named_copy || continue
	if "${killer%% *}" --help 2>&1 | grep -q BusyBox; then
		skip "BusyBox's ${killer%% *} finds all that run one file, whatever their names"
		continue
	fi
	run_with $alone sh "$T/by_name" "$T" "$name" "$D" "$killer"
	want_signal 9
	want_empty
done

if t 'the guard has its own session and no standard stream' &&
    can_ps && start -c 8 -r 100000 "$D"; then
	await scratch_there
	guard=$(children "$pid")
	[ -n "$guard" ] && [ "$(echo "$guard" | wc -l)" -eq 1 ] || fail "children: $guard"
	[ "$(ps -A -o pid= -o sid= 2>/dev/null | awk -v g="$guard" '$1 == g { print $2 }')" = "$guard" ] || fail 'not its own session'
	if [ -d "/proc/$guard/fd" ]; then
		for fd in 0 1 2; do
			[ ! -e "/proc/$guard/fd/$fd" ] && [ ! -L "/proc/$guard/fd/$fd" ] || fail "has $fd"
		done
	fi
	kill -s TERM "$pid"
	ended
	process_gone "$guard" || fail 'the guard is still there'
fi

if t_all 'a reader of the output does not wait for the guard' && launcher; then
	since=$(date +%s)
	echo "$("$T/launch" sh -c '"$1" -c 4 -r 100000 "$2" & sleep 1; kill -9 $!' sh "$G" "$D" 2>&1)" >/dev/null
	want_end 3 "$since"
	want_gone_soon
fi

while read -r signal arguments; do
	case $signal in end | KILL) which=t ;; *) which=t_all ;; esac
	$which "no process stays after $signal" || continue
	if can_ps && start $arguments "$D"; then
		await scratch_there
		guard=$(children "$pid")
		[ "$signal" = end ] || kill -s "$signal" "$pid"
		ended
		[ -n "$guard" ] && await process_gone "$guard" || fail "the guard ($guard) is still there"
		! kill -0 "$pid" 2>/dev/null || fail 'the program is still there'
		want_gone_soon
	fi
done <<'END'
end -c 64 -b 4k -r 2
INT -c 4 -r 100000
HUP -c 4 -r 100000
QUIT -c 4 -r 100000
PIPE -c 4 -r 100000
KILL -c 4 -r 100000
SEGV -c 4 -r 100000
END

for signal in HUP INT QUIT TERM; do
	t_all "$signal stays ignored where it was" || continue
	: >"$T/out"
	exec sh -c 'trap "" "$1"; shift; exec "$@"' sh "$signal" "$G" -a -c 8 -r 4 -i 0.2 "$D" \
	    >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await out_has '^1'
	kill -s "$signal" "$pid"
	ended
	want_status 0
	out_has '^4' || fail 'not four rounds'
	want_mean
	want_empty
done

if t 'goes on under nohup' && need nohup; then
	: >"$T/out"
	exec nohup "$G" -a -c 8 -r 4 -i 0.2 "$D" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	await out_has '^1'
	kill -s HUP "$pid"
	ended
	want_status 0
	want_mean
	want_empty
fi

# piped COMMAND ARGUMENT...: the program, ended by what reads its output.
piped() {
	reader=$1
	shift
	rm -f "$T/status"
	since=$(date +%s)
	{
		"$@" 2>"$T/err" </dev/null
		echo $? >"$T/status"
	} | $reader >"$T/out"
	# Some shells wait for the reader only.
	await test -s "$T/status"
	status=$(cat "$T/status")
	want_end 5 "$since"
	want_empty
}

while read -r arguments; do
	for reader in 'head -n 1' true; do
		case $arguments in *-i*) which=t_all ;; *) which=t ;; esac
		$which "| $reader ends $arguments by PIPE" || continue
		if launcher; then
			piped "$reader" "$T/launch" "$G" $arguments "$D"
			want_signal 13
			want_no_err
		fi
	done
done <<'END'
-c 4 -r 100000 -v
-c 4 -r 100000 -a
-c 4 -r 100000 -a -v -i 1
END

for arguments in '-c 1 -r 100000 -v' '-c 1 -r 100000 -a' '-c 1 -r 10' '-c 1 -r 100000'; do
	t "| true with PIPE ignored is an error of $arguments" || continue
	if need timeout; then
		piped true timeout 20 sh -c 'trap "" PIPE; exec "$@"' sh "$G" $arguments "$D"
		want_status 1
		want_one_line
		want_err 'standard output: Broken pipe'
	fi
done

if t 'a round that was stopped and continued is run again' && hold fsync 3 -a -c 1 -r 3 "$D"; then
	pause
	resume
	ended
	want_status 0
	want_err 'warning: round 2 got SIGCONT and may have been stopped: it is run again'
	[ "$(grep -c 'run again' "$T/err")" -eq 1 ] || fail 'not said once'
	[ "$(sed -n 's/^\([0-9]*\)	.*/\1/p' "$T/out" | tr '\n' ' ')" = '1 2 3 ' ] || fail 'not rounds 1 2 3'
	want_mean
	# A pass of 1 MiB that held the stop would have taken 0.1 s.
	want "$(figure min 1) > 10.5"
	want_empty
fi

if t 'a warm-up round that was stopped counts nowhere, so it is not run again' &&
    hold fsync 1 -k 1 -c 1 -r 1 "$D"; then
	resume
	ended
	want_status 0
	! grep 'run again' "$T/err" || fail 'it is run again'
	want_empty
fi

if t 'each round may be stopped and continued' && hold fadvise64 1+ -a -c 1 -r 2 "$D"; then
	resume
	held && resume
	held && kill -s TERM "$pid"
	resume
	ended
	want_signal 15
	! out_has '^[0-9]' || fail 'a stopped round counted'
	[ "$(grep -c 'round 1 got SIGCONT' "$T/err")" -eq 2 ] || fail 'not said twice'
	want_empty
fi

if t_all 'a stop between rounds spoils none' && start -a -c 1 -r 2 -i 1 "$D"; then
	await out_has '^1'
	kill -s STOP "$pid"
	pause
	kill -s CONT "$pid"
	ended
	want_status 0
	want_no_err
	want_mean
fi

if t 'a signal while it is stopped ends it when it goes on' && start -a -c 4 -r 100000 "$D"; then
	await out_has '^2'
	kill -s STOP "$pid"
	kill -s TERM "$pid"
	kill -s CONT "$pid"
	ended
	want_signal 15
	want_mean
	want_empty
fi

if t 'kill -9 while it is stopped leaves nothing' && start -c 4 -r 100000 "$D"; then
	await scratch_there
	kill -s STOP "$pid"
	kill -9 "$pid"
	ended
	want_signal 9
	want_gone_soon
fi

if t 'four at once in one directory do not meet'; then
	pids=
	for i in 1 2 3 4; do
		exec "$G" -c 4 -r 4 "$D" >"$T/out.$i" 2>"$T/err.$i" </dev/null &
		pids="$pids $!"
	done
	most=0
	while kill -0 "${pids##* }" 2>/dev/null; do
		n=$(ls -A "$D" | wc -l)
		[ "$n" -le "$most" ] || most=$n
	done
	for pid in $pids; do
		ended
		want_status 0
	done
	for i in 1 2 3 4; do
		cp "$T/out.$i" "$T/out"
		want_table 3
	done
	want "$most >= 2 && $most <= 4"
	want_empty
fi

if t 'two that have the same process number, as in containers, do not meet' && can_be_alone; then
	pids=
	for i in 1 2; do
		$alone "$G" -c 4 -r 20 "$D" >"$T/out.$i" 2>"$T/err.$i" </dev/null &
		pids="$pids $!"
	done
	for pid in $pids; do
		ended
		want_status 0
	done
	for i in 1 2; do
		cp "$T/out.$i" "$T/out"
		want_table 3
	done
	want_empty
fi

finish
