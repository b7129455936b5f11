#!/bin/sh
# What is printed: the tables, the facts, progress; where to, and when.
# Needs nothing; progress needs util-linux's script, what is delayed strace.
# shellcheck disable=SC2016,SC2086 # what other shells are to expand
. ./lib.sh

cr=$(printf '\r')
esc=$(printf '\033')

# want_fields COLUMNS UNIT [all] [extra] [facts] [one]: the whole of standard
# output has the shape of the contract; COLUMNS are separated by commas.
want_fields() {
	awk -v columns="$1" -v unit="$2" -v words=" $* " '
	function bad(why) { if (!said) print NR ": " why; said = 1 }
	function number(s) { return s ~ /^(0|[1-9][0-9]*)\.[0-9][0-9][0-9][0-9][0-9][0-9]$/ }
	function check(from, name,    i) {
		if (NF != n + from - 1) bad(NF " fields")
		for (i = from; i <= NF; i++)
			if (name == "ci" && one) { if ($i != "nan") bad("ci is not nan") }
			else if (!number($i)) bad("no number: " $i)
			else if (name != "dev" && name != "ci" && $i <= 0) bad("not above 0: " $i)
	}
	BEGIN {
		FS = "\t"
		n = split(columns, name, ",")
		for (i = 1; i <= n; i++) header = header "\t" name[i] " " unit
		all = words ~ / all /; extra = words ~ / extra /
		facts = words ~ / facts /; one = words ~ / one /
		rows = split("max min avg" (extra ? " med dev tot ci" : ""), row, " ")
		table = all ? 0 : 1
	}
	/\r|\033/ { bad("a control character") }
	/[ \t]$/ { bad("a blank at the end") }
	/^$/ { if (++blank > 2 || table != 0 || !row_at) bad("a blank line"); next }
	blank {
		if (blank != 2) bad("not two blank lines")
		blank = 0; row_at = 0; table = 1
	}
	/^# / { if (!facts) bad("a fact"); if (row_at) bad("a fact in a table"); next }
	table == 0 && !begun { begun = 1; if ($0 != "#round\tseconds" header) bad("header " $0); next }
	table == 0 {
		if ($1 !~ /^[0-9]+$/ || $1 != ++row_at) bad("round " $1)
		if (!number($2) || $2 <= last) bad("seconds do not grow: " $2)
		last = $2
		check(3)
		next
	}
	!headed { headed = 1; if ($0 != "#" header) bad("header " $0); next }
	{
		if ($1 != row[++row_at]) bad("row " $1 " is not " row[row_at])
		check(2, $1)
	}
	END {
		if (blank) bad("blank lines at the end")
		if (!headed || row_at != rows) bad(row_at + 0 " rows in the summary")
		exit said
	}' "$T/out" >"$T/why" || fail "line $(cat "$T/why")"
}

want_keys() {
	sed -n 's/^# //p' "$T/out" | sed "s|^cpu \\(.*\\) .*|cpu-\\1|; s|^device \\(.*\\) .*|device-\\1|; s| .*||" |
	    tr '\n' ' ' >"$T/keys"
	[ "$(cat "$T/keys")" = "$1 " ] || fail "keys $(cat "$T/keys")"
}

# ---- the table -----------------------------------------------------------

if t 'the default run prints three columns of three rows'; then
	works -c 1 "$D"
	want_table 3
	want_empty
fi

while IFS='|' read -r columns unit words options; do
	t "the shape of $options" || continue
	works -c 64k $options "$D"
	want_fields "$columns" "$unit" "$words"
	want_empty
done <<'END'
write,read,cache|MB/s||-r 1
write,read,cache|MB/s||-r 3
write,read,cache|MB/s|one extra|-r 1 -x
write,read,cache|MB/s|extra|-r 3 -x
write,read,cache|MB/s|all|-r 1 -a
write,read,cache|MB/s|all|-r 12 -a
write,read,cache|MB/s|one all extra|-r 1 -ax
write,read,cache|MB/s|all extra|-r 2 -ax
write,read,cache|MB/s|facts|-r 2 -v
write,read,cache|MB/s|facts all|-r 2 -av
write,read,cache|MB/s|facts all extra|-r 2 -avx
write,read,cache|MB/s|facts one all extra|-r 1 -avx
write,read,cache|MB/s|all extra facts|-r 2 -avx -b 4k
write,read,cache|MB/s|all extra facts|-r 2 -avx -b 1000
write,read,cache|MB/s|all extra facts|-r 2 -avx -i 0.01
write,read,cache|MiB/s|all extra facts|-r 2 -avx -u MiB
write,read,cache|IOPS|all extra facts|-r 2 -avx -u IOPS
write|MB/s|all extra facts|-r 2 -avx -o write
read|MB/s|all extra facts|-r 2 -avx -o read
cache|MB/s|all extra facts|-r 2 -avx -o cache
write,read|MB/s|all extra facts|-r 2 -avx -o read,write
write,cache|MB/s|all extra facts|-r 2 -avx -o cache,write
read,cache|IOPS|all extra facts|-r 2 -avx -o cache,read -u IOPS
END

if t 'the old pipe gives three numbers'; then
	gawk=$(command -v gawk || command -v awk)
	"$G" -c 1 "$D" 2>/dev/null </dev/null | grep avg | "$gawk" '{print $2,$3,$4}' >"$T/out"
	awk 'NF != 3 { bad = 1 } { for (i = 1; i <= 3; i++) if (!($i > 0)) bad = 1 }
	END { exit bad || NR != 1 }' "$T/out" || fail 'not three numbers'
fi

if t 'gnuplot plots both tables by their index' && need gnuplot; then
	run -ax -c 64k -r 3 "$D"
	gnuplot >"$T/plot" 2>&1 <<END || fail "$(tail -n 3 "$T/plot")"
set terminal dumb
stats '$T/out' index 0 using 1:5 nooutput
print STATS_records, STATS_columns
stats '$T/out' index 1 using 2:4 nooutput
print STATS_records, STATS_columns
END
	[ "$(tr -s ' \n' '  ' <"$T/plot")" = '3 5 7 4 ' ] || fail "records and columns $(cat "$T/plot")"
fi

if t 'a rate far below one has its six decimals, and no other unit' &&
    inject fsync=delay_enter=1100000 -o write -c 4k -r 1 "$D"; then
	want_status 0
	want_fields write MB/s
	want "$(figure avg 1) <= 0.004096 / 1.1 && $(figure avg 1) > 0.0005"
fi

if t 'a rate of memory has the same unit'; then
	if [ -d /dev/shm ] && [ -w /dev/shm ]; then
		mkdir "/dev/shm/gbtestdisk.$$"
		run -a -c 16 -r 2 "/dev/shm/gbtestdisk.$$"
		rmdir "/dev/shm/gbtestdisk.$$"
		want_status 0
		want_fields write,read,cache MB/s all
		want "$(figure max 3) > 100"
	else
		skip 'needs /dev/shm'
	fi
fi

# ---- the arithmetic ------------------------------------------------------

# want_arithmetic: the summary follows from the rows of -a.
want_arithmetic() {
	awk -F '\t' '
	function bad(why) { if (!said) print "column " c - 2 ": " why; said = 1 }
	# Not every awk has sqrt and a power: busybox of Debian has neither.
	function root(x,    r, i) {
		r = x > 1 ? x : 1
		for (i = 0; x > 0 && i < 100; i++) r = (r + x / r) / 2
		return x > 0 ? r : 0
	}
	function close_to(x, y) { return x - y <= 2e-6 * (1 + y) && y - x <= 2e-6 * (1 + y) }
	/^#|^$/ { next }
	/^[0-9]/ { n++; for (c = 3; c <= NF; c++) rate[n, c] = $c; columns = NF; next }
	{ for (c = 3; c <= columns; c++) got[$1, c] = $(c - 1) }
	END {
		split("12.706205 4.302653 3.182446 2.776445 2.570582", t, " ")
		for (c = 3; c <= columns; c++) {
			sum = times = squares = 0
			for (i = 1; i <= n; i++) v[i] = rate[i, c] + 0
			for (i = 1; i <= n; i++)
				for (j = n; j > i; j--)
					if (v[j] < v[j - 1]) { x = v[j]; v[j] = v[j - 1]; v[j - 1] = x }
			for (i = 1; i <= n; i++) { sum += v[i]; times += 1 / v[i] }
			avg = sum / n
			for (i = 1; i <= n; i++) squares += (v[i] - avg) * (v[i] - avg)
			dev = n > 1 ? root(squares / (n - 1)) : 0
			if (got["max", c] + 0 != v[n]) bad("max " got["max", c] " is not " v[n])
			if (got["min", c] + 0 != v[1]) bad("min " got["min", c] " is not " v[1])
			if (!close_to(got["avg", c], avg)) bad("avg " got["avg", c] " is not " avg)
			med = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
			if (!close_to(got["med", c], med)) bad("med " got["med", c] " is not " med)
			if (!close_to(got["tot", c], n / times)) bad("tot " got["tot", c] " is not " n / times)
			if (!close_to(got["dev", c], dev)) bad("dev " got["dev", c] " is not " dev)
			ci = n > 1 ? t[n - 1] * dev / root(n) : "nan"
			if (n == 1 ? got["ci", c] != "nan" : !close_to(got["ci", c], ci))
				bad("ci " got["ci", c] " is not " ci)
		}
		if (n < 1 || columns < 3) bad("no rows")
		exit said
	}' "$T/out" >"$T/why" || fail "$(cat "$T/why")"
}

for rounds in 1 2 3 4 5 6; do
	for unit in MB MiB IOPS; do
		t "the summary follows from $rounds rounds in $unit" || continue
		works -ax -c 256k -b 16k -r $rounds -u $unit "$D"
		want_arithmetic
	done
done

if t 'one round: all equal, no deviation, no interval'; then
	run -x -c 64k -r 1 "$D"
	for column in 1 2 3; do
		avg=$(figure avg $column)
		for row in max min med tot; do
			[ "$(figure $row $column)" = "$avg" ] || fail "$row is not avg"
		done
		[ "$(figure dev $column)" = 0.000000 ] || fail "dev is $(figure dev $column)"
		[ "$(figure ci $column)" = nan ] || fail "ci is $(figure ci $column)"
	done
fi

if t 'a slow round and a fast one: avg is a mean of rates, tot bytes over time' && can_strace; then
	run_with strace -qq -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=500000:when=1 \
	    "$G" -ax -o write -c 4 -r 2 "$D"
	want_status 0
	want_arithmetic
	want "$(figure min 1) <= 4.194304 / 0.5 && $(figure tot 1) < 2 * $(figure min 1)"
	want "$(figure avg 1) > $(figure tot 1)"
fi

# A clock that steps by an eighth of a second at each look makes a pass take a
# known number of steps, so that the units can be told apart to the last digit.
if t 'MB, MiB and IOPS are 10^6 bytes, 2^20 bytes and blocks a second' &&
    build clock.so -shared -fPIC <<'END'
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
static long steps;
int clock_gettime(clockid_t id, struct timespec *ts)
{
	if (steps == 0 && getenv("CLOCK_MARK"))
		fclose(fopen(getenv("CLOCK_MARK"), "w"));
	(void)id;
	steps++;
	ts->tv_sec = 1000 + steps / 8;
	ts->tv_nsec = steps % 8 * 125000000;
	return 0;
}
END
then
	rates=
	for unit in MB MiB IOPS; do
		run_with env "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0" \
		    "CLOCK_MARK=$T/mark" "LD_PRELOAD=$T/clock.so" \
		    "$G" -o write -c 4 -b 256k -r 1 -u $unit "$D"
		rates="$rates $(figure avg 1)"
	done
	if [ ! -f "$T/mark" ]; then
		skip 'the program does not take a preloaded clock'
	else
		want_status 0
		awk -v rates="$rates" 'BEGIN {
			split(rates, r, " ")
			steps = 4 * 8 / r[2]
			printf "%.6f %.6f %.6f\n", 4.194304 * 8 / steps, 4 * 8 / steps, 16 * 8 / steps
			whole = int(steps + 0.5)
			exit !(steps - whole < 1e-4 && whole - steps < 1e-4 && whole > 0)
		}' >"$T/why" || fail "$rates: not a whole number of steps"
		[ " $(cat "$T/why")" = "$rates" ] || fail "$rates are not $(cat "$T/why")"
	fi
fi

# ---- -v ------------------------------------------------------------------

before='version started host system directory filesystem size block order'
before="$before processes depth queue rounds writes flush evict verify data buffers clock"
while IFS='|' read -r options cpu; do
	t "the keys of -v $options" || continue
	works -v -c 64k -r 2 $options "$D"
	device=$(echo "$cpu" | tr ' ' '\n' | sed -n 's/cpu-\(read\|cache\)/device-\1/p' | tr '\n' ' ')
	want_keys "$before counted evicted resident ${device}read/cache$cpu"
	! grep '^# ' "$T/out" | grep -qv '^# [a-z/]* .' || fail 'a key without a value'
done <<'END'
| cpu-write cpu-read cpu-cache
-a| cpu-write cpu-read cpu-cache
-x -u IOPS| cpu-write cpu-read cpu-cache
-o write| cpu-write
-o read| cpu-read
-o write,cache| cpu-write cpu-cache
END

if t 'the facts of -v are true'; then
	run -v -c 2 -b 64k -r 3 "$D"
	while IFS='|' read -r key value; do
		[ "$(fact "$key")" = "$value" ] || fail "$key is $(fact "$key"), not $value"
	done <<END
host|$(uname -n)
system|$(uname -srm)
directory|$(cd "$D" && pwd -P)
size|2097152
block|65536
processes|1
depth|1
rounds|3
writes|6291456
END
	want "$(fact read/cache) - $(figure avg 2) / $(figure avg 3) < 1e-5"
	want "$(figure avg 2) / $(figure avg 3) - $(fact read/cache) < 1e-5"
	case $(fact evicted) in yes | no | unverified) ;; *) fail "evicted $(fact evicted)" ;; esac
	fact clock | grep -q '^[A-Za-z_]* 0\.[0-9]*$' || fail "clock $(fact clock)"
	for pass in write read cache; do
		want "$(fact "cpu $pass") >= 0 && $(fact "cpu $pass") < 2"
	done
fi

if t 'the settings come before the first table, the findings before the summary'; then
	run -av -c 64k -r 1 "$D"
	awk '/^# clock/ { clock = NR } /^#round/ { all = NR } /^# evicted/ { evicted = NR }
	/^$/ { blank = NR } /^#\t/ { summary = NR }
	END { exit !(clock && clock < all && all < blank && blank < evicted && evicted < summary) }' \
	    "$T/out" || fail 'another order'
fi

if t 'writes: a file that is laid out once counts once'; then
	run -v -c 64k -r 5 -o read,cache "$D"
	want_fact writes 65536
fi

if t 'read/cache is unchecked without both'; then
	run -v -c 64k -r 1 -o write,read "$D"
	want_fact read/cache unchecked
fi

if t 'a directory of newlines and backslashes stays on its line'; then
	dir=$D/$(printf 'a\nb\\c\td\033e\177f"g h')
	mkdir "$dir"
	works -v -c 64k -r 1 "$dir"
	want_fields write,read,cache MB/s facts one
	want_keys "$before counted evicted resident device-read device-cache read/cache cpu-write cpu-read cpu-cache"
	grep -qF 'a\012b\134c\011d\033e\177f"g h' "$T/out" || fail 'not escaped'
	want_empty "$dir"
fi

if t 'and so it does in a message'; then
	dir=$D/$(printf 'no\nsuch\\dir\033[31m')
	run -c 64k -r 1 "$dir"
	want_failure 'No such file'
	grep -qF 'no\012such\134dir\033[31m' "$T/err" || fail 'not escaped'
fi

if t 'a long path is whole'; then
	dir=$D/$(printf '%0200d/%0200d/%0200d' 1 2 3)
	mkdir -p "$dir"
	works -v -c 64k -r 1 "$dir"
	[ "$(fact directory)" = "$(cd "$dir" && pwd -P)" ] || fail "directory $(fact directory)"
fi

# ---- languages -----------------------------------------------------------

# in_language NAME COMMAND...: runs it in a language made here.
in_language() {
	language=$1
	shift
	env LC_ALL="$language.UTF-8" LANG="$language.UTF-8" LANGUAGE="${language%_*}" \
	    LOCPATH="$T/locale" "$@"
}

for language in de_DE tr_TR; do
	t_all "the output is the same in $language" || continue
	need localedef locale || continue
	mkdir -p "$T/locale"
	localedef -i "$language" -f UTF-8 "$T/locale/$language.UTF-8" >/dev/null 2>&1
	if [ "$(in_language "$language" locale decimal_point 2>/dev/null)" != , ]; then
		skip "the language $language is not to be had"
		continue
	fi
	run_with in_language "$language" "$G" -avx -c 64k -r 2 -i 0.05 -o write,cache -u MiB "$D"
	want_status 0
	want_fields write,cache MiB/s all extra facts
	run -h
	in_language "$language" "$G" -h >"$T/help" 2>&1
	cmp -s "$T/help" "$T/out" || fail 'another help'
	run_with in_language "$language" "$G" -i 0,5 -c 64k -r 1 "$D"
	want_status 2
	want_err "'0,5'"
	run_with in_language "$language" "$G" -c 64k -r 1 "$D/no"
	want_err 'No such file or directory'
done

# ---- closed and full outputs ---------------------------------------------

if t 'standard output closed is a failure'; then
	"$G" -c 64k -r 1 "$D" >&- 2>"$T/err" </dev/null
	status=$?
	: >"$T/out"
	want_status 1
	want_failure 'standard output'
fi

if t 'standard error closed is none'; then
	"$G" -c 64k -r 1 "$D" >"$T/out" 2>&- </dev/null
	status=$?
	: >"$T/err"
	want_status 0
	want_table 3
	want_empty
fi

if t 'standard input closed is none'; then
	"$G" -c 64k -r 1 "$D" >"$T/out" 2>"$T/err" <&-
	status=$?
	want_status 0
	want_table 3
	want_empty
fi

if t 'all three closed is a failure'; then
	"$G" -c 64k -r 1 "$D" <&- >&- 2>&-
	status=$?
	want_status 1
	want_empty
fi

if t 'the scratch file is on no standard stream' && can_strace; then
	for closed in '<&-' '2>&-' '<&- 2>&-'; do
		run_with strace -f -qq -o "$T/calls" -e trace="?open,openat" \
		    sh -c "exec \"\$0\" -c 64k -r 2 \"\$1\" $closed" "$G" "$D"
		want_status 0
		want_table 3
		sed -n 's/.*gbtest-.* = \([0-9]*\)$/\1/p' "$T/calls" >"$T/fds"
		[ -s "$T/fds" ] || fail 'no scratch file was seen'
		! grep -q '^[012]$' "$T/fds" || fail "on descriptor $(sort -u "$T/fds") with $closed"
	done
	want_empty
fi

if t 'a warning does not land in the file of a process without standard error' &&
    memory_disk tmpfs -o size=4m; then
	"$G" -c 1 -r 2 "$T/m" >"$T/out" 2>&- <&-
	status=$?
	: >"$T/err"
	want_status 0
	want_table 3
	want_empty "$T/m"
	memory_gone
fi

for options in '' -v -a -av -j; do
	t "a full device on standard output is a failure ($options)" || continue
	if [ -c /dev/full ]; then
		: >"$T/out"
		"$G" $options -c 64k -r 2 "$D" >/dev/full 2>"$T/messages" </dev/null
		status=$?
		grep -v '^gbtestdisk: warning: ' "$T/messages" >"$T/err"
		want_status 1
		want_failure 'standard output: No space left'
	else
		skip 'needs /dev/full'
	fi
done

if t 'each row is on its way before the next round' && can_strace; then
	strace -qq -s 200 -o "$T/calls" -e trace="?open,openat",write \
	    "$G" -a -c 64k -r 3 "$D" 2>"$T/err" </dev/null | cat >"$T/out"
	want_fields write,read,cache MB/s all
	order=$(sed -n 's/.*gbtest-.*O_CREAT.*/file/p; s/^write(1, "\([0-9]\).*/\1/p
	    s/^write(1, "#round.*\\n\([0-9]\).*/\1/p
	    s/^write(1, "\\n\\n.*/summary/p' "$T/calls" | tr '\n' ' ')
	[ "$order" = 'file 1 file 2 file 3 summary ' ] || fail "the order was $order"
fi

if t 'the settings are on their way before the first round' && can_strace; then
	strace -qq -s 200 -o "$T/calls" -e trace="?open,openat",write \
	    "$G" -v -c 64k -r 1 "$D" 2>"$T/err" </dev/null | cat >"$T/out"
	order=$(sed -n 's/.*gbtest-.*O_CREAT.*/file/p; s/^write(1, .*/out/p' "$T/calls" | tr '\n' ' ')
	[ "$order" = 'out file out ' ] || fail "the order was $order"
fi

# ---- progress ------------------------------------------------------------

want_no_progress() {
	! grep -q "$cr" "$1" || fail "a carriage return in $1"
	! grep -q "$esc" "$1" || fail "an escape sequence in $1"
}

if t_all 'off a terminal there is no progress' &&
    inject pwrite64=delay_exit=700000 -v -a -o write -c 3 -r 1 "$D"; then
	want_status 0
	want_no_err
	want_no_progress "$T/out"
fi

# on_terminal COMMAND: what standard error gets where it is a terminal;
# standard output goes to $T/out.  $D and $G stand for themselves.
on_terminal() {
	need script || return 1
	case $(script --version 2>/dev/null) in
	*util-linux*) ;;
	*)
		skip "needs util-linux's script"
		return 1
		;;
	esac
	cat >"$T/command" <<END
stty cols 100 2>/dev/null
G='$G' D='$D' T='$T'
$1
echo \$? >"\$T/status"
END
	rm -f "$T/status"
	script -q -c "sh '$T/command'" "$T/typescript" >/dev/null 2>&1 </dev/null
	[ -s "$T/status" ] || { skip 'script has no terminal to give'; return 1; }
	status=$(cat "$T/status")
	grep -Ev '^Script (started|done)' "$T/typescript" | tr -d '\n' >"$T/err"
}

# screen: what stands on the last line in the end.
screen() {
	tr '\r' '\n' <"$T/err" | awk '{
		for (i = 1; i <= length($0); i++)
			line[i] = substr($0, i, 1)
		if (length($0) > most) most = length($0)
	}
	END { for (i = 1; i <= most; i++) printf "%s", line[i] }' | sed 's/ *$//'
}

if t 'on a terminal a line shows the round, the pass, the flush, and is erased' &&
    can_strace && on_terminal \
    'strace -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_exit=300000 \
	"$G" -o write -c 3 -r 2 "$D" >"$T/out"'; then
	want_status 0
	want_table 1
	tr '\r' '\n' <"$T/err" | grep . | grep '[^ ]' >"$T/lines"
	want_line() { grep -q "$1" "$T/lines" || fail "no '$1' in the progress"; }
	want_line 'round 2/2'
	want_line write
	want_line 'flushing for 0:00:0[0-9]'
	want_line '\[#*[# ]*\]'
	want_line 'MB/s'
	want_line '[0-9]:[0-5][0-9] left'
	[ "$(wc -l <"$T/lines")" -ge 2 ] || fail 'drawn once'
	[ "$(wc -l <"$T/lines")" -le 16 ] || fail "drawn $(wc -l <"$T/lines") times in 2 s"
	awk 'length > 99 { exit 1 }' "$T/lines" || fail 'wider than the terminal'
	[ -z "$(screen)" ] || fail "left on the screen: $(screen)"
	! grep -q "$esc" "$T/err" || fail 'an escape sequence'
	want_empty
fi

for load in '-p 2' '-p 2 -q 2' '-R -q 4'; do
	t_all "several workers show how far they are together, and the flush: $load" || continue
	if can_strace && on_terminal \
	    'strace -f -qq -o /dev/null -e trace=pwrite64,fsync -e inject=pwrite64:delay_exit=200000 \
		-e inject=fsync:delay_exit=600000 \
		"$G" -o write -b 64k -c 4 -r 1 '"$load"' "$D" >"$T/out"'; then
		want_status 0
		tr '\r' '\n' <"$T/err" | sed -n 's/.*round 1\/1 \([a-z]*\) *\[.*\] *\([0-9]*\)% *\([0-9.]*\) .*/\1 \2 \3/p' >"$T/lines"
		awk '$2 < last { exit 1 } { last = $2 }' "$T/lines" || fail 'the share shrank'
		awk '$1 == "write" && $2 > 10 && $2 < 90 && $3 > 0 { seen[$2] = 1 }
		    END { for (s in seen) n++; exit n < 2 }' "$T/lines" || fail 'no share between 10 and 90 %'
		tr '\r' '\n' <"$T/err" | grep -q '^round 1/1 flushing for 0:00:0[0-9]' || fail 'no flush'
		want_empty
	fi
done

# The first of two workers has one block of three; a worker that flushes is not all of them.
if t 'while one worker of two flushes the share is shown; the flush of all keeps the time left' &&
    can_strace && on_terminal \
    'strace -f -qq -o /dev/null -e trace=pwrite64,fsync -e inject=pwrite64:delay_exit=1300000 \
	-e inject=fsync:delay_enter=1200000 "$G" -o write,read -c 3 -p 2 -r 1 "$D" >"$T/out"'; then
	want_status 0
	tr '\r' '\n' <"$T/err" | grep '[^ ]' >"$T/lines"
	[ "$(grep -c 'write *\[.*\] *67%' "$T/lines")" -ge 2 ] || fail "$(cat "$T/lines")"
	grep -q 'flushing for 0:00:0[0-9] [0-9:]* left' "$T/lines" || fail "$(cat "$T/lines")"
fi

if t_all 'a message on a terminal stands on a line of its own' && can_strace && on_terminal \
    'strace -qq -o /dev/null -e trace=pwrite64,fsync -e inject=pwrite64:delay_exit=400000 \
	-e inject=fsync:error=EIO "$G" -o write -c 4 -r 1 "$D" >"$T/out"'; then
	want_status 1
	grep -q "round 1/1" "$T/err" || fail 'no progress'
	screen | grep -q '^gbtestdisk: flushing: .*error$' || fail "on the screen: $(screen)"
	want_empty
fi

if t_all 'rows on a terminal stand on lines of their own, below no progress' &&
    can_strace && on_terminal \
    'strace -qq -o /dev/null -e trace=fsync -e inject=fsync:delay_exit=1300000 \
	"$G" -a -o write -c 1 -r 2 "$D"'; then
	want_status 0
	grep -q 'flushing' "$T/err" || fail 'no progress'
	grep -v '^Script' "$T/typescript" | tr -d '\r' >"$T/out"
	# What is drawn last before a row is spaces, which erase what stood there.
	tr '\r' '\n' <"$T/typescript" | grep -c '^[0-9][0-9]*	[0-9.]*	[0-9.]*$' >"$T/rows"
	[ "$(cat "$T/rows")" -eq 2 ] || fail 'not two rows on lines of their own'
	tr '\r' '\n' <"$T/typescript" | grep -q '^#round	seconds	write MB/s$' || fail 'the header is not on a line of its own'
fi

if t_all 'an alarm that somebody sends ends the program, on a terminal as elsewhere'; then
	rm -f "$T/alive"
	if on_terminal '"$G" -o write -c 4 -b 4k -s -r 100000 "$D" >"$T/out" & pid=$!
	sleep 2
	kill -s ALRM "$pid"
	sleep 1
	kill -9 "$pid" 2>/dev/null && : >"$T/alive"
	wait'; then
		grep -q 'round' "$T/err" || fail 'no progress'
		[ ! -e "$T/alive" ] || fail 'it went on'
		pause
		pause
		want_empty
	fi
fi

if t 'a control character above 127 is escaped, the letters beside it are not'; then
	# Some shells do not hold such bytes: no word of theirs has any.
	printf 'a\302\233b\303\251\n' >"$T/name"
	printf '^# directory .*/a\\\\302\\\\233b\303\251$\n' >"$T/pattern"
	(cd "$D" && xargs mkdir && xargs "$G" -v -c 1 -r 1 <"$T/name") <"$T/name" >"$T/out" 2>"$T/err"
	grep -q -f "$T/pattern" "$T/out" || fail 'not so escaped'
fi

if t 'under a second nothing is drawn' && on_terminal '"$G" -a -c 64k -r 2 "$D" >"$T/out"'; then
	want_status 0
	if holds "$(awk '/^2/ { print $2 }' "$T/out") > 0.8"; then
		skip 'the machine is too slow for two small rounds in a second'
	fi
	! grep -q 'round' "$T/err" || fail 'progress'
fi

if t_all 'a terminal on standard output alone gets no progress' && can_strace && on_terminal \
    'strace -qq -o /dev/null -e trace=fsync -e inject=fsync:delay_exit=600000 \
	"$G" -o write -c 1 -r 2 "$D" 2>"$T/messages"'; then
	want_status 0
	! grep -q round "$T/err" || fail 'progress'
	[ ! -s "$T/messages" ] || fail "$(cat "$T/messages")"
fi

finish
