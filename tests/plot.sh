#!/bin/sh
# The scripts under plot/: their tables, pictures, messages and statuses.

. ./lib.sh

P=$SRC/plot
unset COLUMNS
all='size rounds map latency cdm sync hosts'
TMPDIR=$T/tmp
export TMPDIR
mkdir "$TMPDIR"
tab=$(printf '\t')

# script NAME ARGUMENT...: runs one of them, with its output kept.
script() {
	script=$1
	shift
	# shellcheck disable=SC2086 # a word or two
	run_with ${shell_under_test:-} "$P/$script" "$@"
}

# small NAME ARGUMENT...: likewise, with a load that takes no time.
small() {
	case $1 in
	size) script size -c 1,2 "$2" "$3" "$D" -- -r 2 ;;
	rounds) script rounds "$2" "$3" "$D" -- -c 1 -r 3 ;;
	map) script map "$2" "$3" "$D" -- -c 1 -b 64k -m 8 ;;
	latency) script latency "$2" "$3" "$D" -- -c 1 -b 4k -r 2 ;;
	cdm) script cdm "$2" "$3" "$D" -- -c 1 -r 1 ;;
	sync) script sync -p 1,2 "$2" "$3" "$D" -- -c 1 -t 0.5 ;;
	hosts) script hosts -H : -w 4 "$2" "$3" "$D" -- -c 1 ;;
	esac
}

# can NAME: whether what it needs is here.
can() {
	case $1 in
	hosts) parallel --version 2>/dev/null | grep -q GNU ;;
	map | cdm) "$G" -d -o write -c 1 -b 4k -r 1 "$D" >/dev/null 2>&1 ;;
	esac
}

# header NAME: what the header of its table is.
header() {
	case $1 in
	size) echo 'size MiB,write MB/s,read MB/s,cache MB/s,write min,write max,read min,read max,cache min,cache max,rounds' ;;
	rounds) echo 'round,seconds,write MB/s,read MB/s,cache MB/s' ;;
	map) echo 'offset MiB,write MB/s,read MB/s' ;;
	latency) echo 'percentile,write us,flush us,read us,cache us' ;;
	cdm) echo 'test,read MB/s,write MB/s,read IOPS,write IOPS,read us,write us,read min,read max,write min,write max,rounds,file MiB' ;;
	sync) echo 'processes,IOPS,MB/s,median us,99% us,rounds' ;;
	hosts) echo 'host,write MB/s,read MB/s' ;;
	esac | tr ',' '\t'
}

# firsts NAME: the first fields of its rows, as `small` makes them.
firsts() {
	case $1 in
	size) echo '1.000000 2.000000' ;;
	rounds) echo '1 2 3' ;;
	map) echo '0.000000 0.125000 0.250000 0.375000 0.500000 0.625000 0.750000 0.875000' ;;
	latency) echo '0 25 50 75 90 95 99 99.9 99.99 99.999 99.9999 100 mean dev calls' ;;
	cdm) echo 'SEQ1M Q8T1 SEQ1M Q1T1 RND4K Q32T16 RND4K Q1T1' ;;
	sync) echo '1 2' ;;
	hosts) echo "$(uname -n) total" ;;
	esac
}

# want_rows NAME: the table on standard output is of the shape it is to have.
want_rows() {
	awk -F '\t' -v header="#$(header "$1")" -v firsts="$(firsts "$1")" '
	$0 == header { found = 1; fields = NF; next }
	found && /^$/ { exit }
	/^#/ { next }
	!found { bad = "a line before the header" }
	NF != fields { bad = NF " fields in a row" }
	{
		have = have (have == "" ? "" : " ") $1
		for (i = 2; i <= NF; i++) if ($i !~ /^[0-9]+(\.[0-9]+)?$/) bad = "no number: " $i
	}
	END {
		if (!found) bad = "no header " header
		if (have != firsts) bad = "rows " have
		if (bad != "") print bad
		exit bad != ""
	}' "$T/out" >"$T/why" || fail "$1: $(cat "$T/why")"
}

# want_png FILE: it is one, of 960 by 640.
want_png() {
	[ "$(od -An -tx1 -N24 "$1" | tr -d ' \n')" = \
	    89504e470d0a1a0a0000000d49484452000003c000000280 ] || fail "$1 is no PNG of 960 by 640"
}

want_nothing_left() {
	want_empty
	want_empty "$TMPDIR"
}

# want_message NAME: standard error is one line `NAME: what: why'.
want_message() {
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$1: not one message"
	grep -q "^$1: ..*: ..*" "$T/err" || fail "$1: not a message of its own"
}

# stub: makes $T/stub, a program that notes its arguments in $T/calls and
# prints standard input's text; being asked for help, it does neither.
stub() {
	cat >"$T/canned"
	: >"$T/calls"
	cat >"$T/stub" <<END
#!/bin/sh
case " \$* " in *' -h '*) exit ;; esac
echo "\$*" >>'$T/calls'
cat '$T/canned'
END
	chmod +x "$T/stub"
}

# with_stub NAME ARGUMENT...: runs a script with the stub for gbtestdisk.
with_stub() {
	GBTESTDISK=$T/stub
	script "$@"
	GBTESTDISK=$G
}

# row NAME: a row of the table, its fields with commas between.
row() { awk -F '\t' -v name="$1" '$1 == name' "$T/out" | tr '\t' ','; }

want_row() { [ "$(row "$1")" = "$1,$2" ] || fail "row $1 is $(row "$1"), not $1,$2"; }

t 'help'
for name in $all; do
	for option in -h --help; do
		script "$name" "$option"
		want_status 0
		want_no_err
		want_out "^usage: $name .*"
		for word in '-f table' '-o picture' '-h ' 'GBTESTDISK' 'Status'; do
			want_out "$word"
		done
		[ "$(awk 'length > 80' "$T/out" | wc -l)" -eq 0 ] || fail "$name: a line of more than 80 columns"
	done
done

t 'bad options'
need gnuplot
for name in $all; do
	while IFS='|' read -r options what; do
		# shellcheck disable=SC2086 # options are words
		script "$name" $options
		want_status 2
		want_no_out
		want_message "$name"
		want_err "$what"
	done <<END
-Z|-Z: no such option
--files|--files: no such option
-o|-o: it needs a value
-f|-f: it needs a value
-o picture.gif|picture.gif: .*\.png, \.svg, \.pdf or \.txt
-opng|png: .*\.png, \.svg, \.pdf or \.txt
$D $D|only one directory
-f table $D|-f table: nothing is measured
-f table -- -d|-f table: nothing is measured
END
	want_nothing_left
done
while IFS='|' read -r name options what; do
	# shellcheck disable=SC2086 # options are words
	script "$name" $options "$D"
	want_status 2
	want_message "$name"
	want_err "$what"
done <<'END'
size|-c ,|-c ,: it names no size
sync|-p ,|-p ,: it names no number
cdm|-t 1s|-t 1s: it is a number
hosts||-H: no hosts
hosts|-H ,|-H ,: it names no host
hosts|-H : -w 1.5|-w 1.5: it is a number of whole seconds
END
script size -o "$T/missing/x.png" "$D"
want_status 1
want_message size
want_no_out

t 'a usage error of gbtestdisk comes through'
need gnuplot
for name in size rounds map latency cdm sync; do
	script "$name" "$D" -- -c 64MB
	[ "$name" != size ] || script size -c 64MB "$D"
	want_status 2
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail 'not one line'
	want_err 'gbtestdisk: .*64MB'
	script "$name" ''
	want_status 2
	want_err 'gbtestdisk: '
done
want_nothing_left

t 'a failure of gbtestdisk comes through'
need gnuplot
for name in size rounds map latency cdm sync; do
	script "$name" -o "$T/none.png" "$D/missing"
	want_status 1
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail 'not one line'
	want_err "gbtestdisk: .*missing: No such file"
	[ ! -e "$T/none.png" ] || fail "$name: a picture of what failed"
done
cat >"$T/stub" <<'END'
#!/bin/sh
echo 'stub: writing: it broke' >&2
exit 7
END
chmod +x "$T/stub"
for name in size rounds map latency cdm sync; do
	with_stub "$name" "$D"
	want_status 7
	want_err 'stub: writing: it broke$'
done
cat >"$T/stub" <<'END'
#!/bin/sh
printf '#round\tseconds\twrite MB/s\n1\t1.000000\t2.000000\n'
exit 7
END
with_stub rounds -o "$T/none.png" "$D"
want_status 7
want_row 1 1.000000,2.000000
[ ! -e "$T/none.png" ] || fail 'a picture of what failed half-way'
want_nothing_left

t 'what prints no table is refused, with a reason'
need gnuplot
for name in size rounds map latency cdm sync; do
	while read -r options; do
		# shellcheck disable=SC2086 # options are words
		script "$name" "$D" -- $options
		want_status 2
		want_no_out
		want_message "$name"
		want_err "^$name: -- -[hjV]: it "
	done <<'END'
-h
-j
-V
-c 1 -dvj
-m8 -r 2 -Rj
END
	stub </dev/null
	with_stub "$name" "$D" -- -o j -ej -k j
	want_status 1
	want_err 'no table'
done
want_nothing_left

for name in $all; do
	t "$name: the table, and a PNG"
	rm -f "$T"/picture.*
	if need gnuplot; then
		if ! can "$name"; then
			skip 'needs GNU parallel, or direct I/O'
			continue
		fi
		small "$name" -o "$T/picture.png"
		want_status 0
		grep -v '^\([a-z]*: [^:]*: \)*gbtestdisk: warning: ' "$T/err" >"$T/other"
		[ ! -s "$T/other" ] || fail "on standard error: $(cat "$T/other")"
		want_rows "$name"
		want_png "$T/picture.png"
		want_nothing_left
		cp "$T/out" "$T/$name.table"

		t "$name: -f draws the same picture, and others"
		script "$name" -f "$T/$name.table" -o "$T/again.png"
		want_status 0
		want_no_out
		want_no_err
		cmp -s "$T/picture.png" "$T/again.png" || fail 'the picture is another'
		"$P/$name" -f - -o "$T/again.png" <"$T/$name.table" || fail "from standard input: status $?"
		cmp -s "$T/picture.png" "$T/again.png" || fail 'from standard input, it is another'
		script "$name" -f "$T/$name.table" -o "$T/picture.svg"
		grep -q '<svg' "$T/picture.svg" || fail 'no SVG'
		for word in "$D" "($(awk '/^# filesystem/ { print $3 }' "$T/$name.table"))" MB/s; do
			[ "$word $name" != 'MB/s latency' ] || word=microseconds
			grep -qF -- "$word" "$T/picture.svg" || fail "no $word in the picture"
		done
		script "$name" -f "$T/$name.table" -o "$T/picture.pdf"
		[ "$(head -c 5 "$T/picture.pdf")" = %PDF- ] || fail 'no PDF'

		t "$name: as text"
		script "$name" -f "$T/$name.table"
		want_status 0
		want_no_err
		want_out "$D"
		awk 'length > 80 { exit 1 }' "$T/out" || fail 'a line of more than 80 columns'
		awk 'NF { n++ } END { exit n < 20 }' "$T/out" || fail 'less than 20 lines'
		want_nothing_left
	fi
done

t 'without -o the text is on standard error, and the table alone on standard output'
if need gnuplot; then
	script rounds "$D" -- -c 1 -r 3
	want_status 0
	want_rows rounds
	want_err 'time since the start, s'
	! grep -q 'time since' "$T/out" || fail 'the picture is in the table'
fi

t 'a table that is not there, or of another kind'
if need gnuplot; then
	script size -f "$T/no such"
	want_status 1
	want_message size
	printf '#round\tseconds\n1\t2\n' >"$T/other"
	script size -f "$T/other"
	want_status 1
	want_message size
	want_err 'other: holds no table that begins #size MiB'
	: >"$T/other"
	script size -f "$T/other"
	want_status 1
	want_nothing_left
fi

t 'a picture that cannot be written'
if need gnuplot && [ -e "$T/size.table" ]; then
	mkdir "$T/is.png"
	script size -f "$T/size.table" -o "$T/is.png"
	want_status 1
	want_message size
	want_nothing_left
fi

t 'standard output that is full'
if [ -c /dev/full ]; then
	"$P/size" -c 1 "$D" -- -r 1 >/dev/full 2>"$T/err"
	status=$?
	want_status 1
	want_err '^size: standard output: it cannot be written'
	want_nothing_left
else
	skip 'needs /dev/full'
fi

t 'without gnuplot the table is there, with a message and status 1'
mkdir "$T/bin"
for tool in sh awk cat mkdir rm tr tee dirname grep sed cut mv date cp iconv; do
	ln -s "$(command -v "$tool")" "$T/bin/$tool"
done
old_path=$PATH
PATH=$T/bin
script size -c 1,2 "$D" -- -r 2
PATH=$old_path
want_status 1
want_message size
want_err 'gnuplot is not installed'
want_rows size
printf '#size MiB\twrite MB/s\twrite min\twrite max\n1\t2\t1\t3\n' >"$T/other"
PATH=$T/bin
script size -f "$T/other"
PATH=$old_path
want_status 1
want_message size
want_err 'gnuplot is not installed'
want_nothing_left

t 'gbtestdisk is found beside the script, in PATH, and by GBTESTDISK'
need gnuplot
mkdir -p "$T/tree/plot" "$T/path"
cp "$P"/* "$T/tree/plot"
stub <<END
#round${tab}seconds${tab}write MB/s
1${tab}1.000000${tab}9.000000
END
unset GBTESTDISK
for place in "$T/tree/gbtestdisk $T/tree/plot" "$T/tree/plot/gbtestdisk $T/tree/plot"; do
	cp "$T/stub" "${place% *}"
	: >"$T/calls"
	run_with "${place#* }/rounds" -o "$T/x.png" "$D"
	want_row 1 1.000000,9.000000
	[ -s "$T/calls" ] || fail "not found: ${place% *}"
	rm "${place% *}"
done
cp "$T/stub" "$T/path/gbtestdisk"
: >"$T/calls"
(cd "$T/tree/plot" && PATH=$T/path:$PATH sh rounds -o "$T/x.png" "$D") >/dev/null 2>&1
[ -s "$T/calls" ] || fail 'not found in PATH'
run_with "$T/tree/plot/rounds" "$D"
want_status 1
want_message rounds
want_err 'gbtestdisk: not found'
GBTESTDISK=$T/no-such
export GBTESTDISK
script rounds "$D"
want_status 1
want_err 'no-such: not found'
GBTESTDISK=$G
ln -s "$P/rounds" "$T/link"
run_with "$T/link" -h
want_status 0

t 'size: the figures are those of gbtestdisk, and options after -- go to it'
stub <<END
# version 1.0
# directory /d
# size 3145728
# counted 6
# cpu write 0.5
#	write MB/s	cache MB/s
max	30.000000	300.000000
min	10.000000	100.000000
avg	20.000000	200.000000
END
with_stub size -c 3,4k -o "$T/x.png" /d -- -R -r 7
[ "$(grep -c '^3.000000' "$T/out")" -eq 2 ] || fail 'not a row for each size'
sed '$d' "$T/out" >"$T/other" && mv "$T/other" "$T/out"
want_row 3.000000 20.000000,200.000000,10.000000,30.000000,100.000000,300.000000,6
[ "$(cat "$T/calls")" = "-v -R -r 7 -c 3 -- /d
-v -R -r 7 -c 4k -- /d" ] || fail "called with $(cat "$T/calls")"
want_out '^# directory /d$'
! grep -q '^# \(size\|rounds\|counted\|cpu\)' "$T/out" || fail 'a fact that varies'
[ "$(grep -c '^#size' "$T/out")" -eq 1 ] || fail 'not one header'

t 'cdm: the median of the rounds, its range, IOPS and median latencies'
stub <<END
# block 4096
# size 1073741824
# counted 5
#	write MB/s	read MB/s
max	50.000000	90.000000
min	10.000000	20.000000
avg	2.000000	2.000000
med	40.960000	81.920000
dev	1.000000	1.000000
tot	2.000000	2.000000


#percentile	write us	flush us	read us
25	1.000000	1.000000	1.000000
50	111.000000	5.000000	222.000000
75	333.000000	5.000000	333.000000
END
with_stub cdm -o "$T/x.png" /d
want_row 'RND4K Q32T16' 81.920000,40.960000,20000.000000,10000.000000,222.000000,111.000000,20.000000,90.000000,10.000000,50.000000,5,1024.000000
want_rows cdm
[ "$(cat "$T/calls")" = '-v -d -c 1g -r 5 -b 1m -q 8 -p 1 -l -x -u MB -o write,read -- /d
-v -d -c 1g -r 5 -b 1m -q 1 -p 1 -l -x -u MB -o write,read -- /d
-v -d -c 1g -r 5 -b 4k -R -q 32 -p 16 -l -x -u MB -o write,read -- /d
-v -d -c 1g -r 5 -b 4k -R -q 1 -p 1 -l -x -u MB -o write,read -- /d' ] || fail 'called otherwise'

if t 'latency: a single call of each column is drawn' && need gnuplot; then
	script latency -o "$T/x.png" "$D" -- -c 1 -b 1m -r 1
	want_status 0
	want_no_err
	want_png "$T/x.png"
fi

if t 'rounds: a row whose time is no number is left out, and it is said' && need gnuplot; then
	printf '#round\tseconds\twrite MB/s\n1\t0.5\t10\n2\tfoo\t20\n' >"$T/table"
	script rounds -f "$T/table" -o "$T/x.png"
	want_status 0
	want_message rounds
	want_err '1 of 2 rows are left out'
	want_png "$T/x.png"
fi

t 'cdm: what could not be measured is nan in the table, and no bar'
stub <<END
# block 4096
#	write MB/s	read MB/s
max	50.000000	nan
min	1.000000	nan
avg	2.000000	nan
med	40.960000	nan


#percentile	write us	flush us	read us
50	111.000000	5.000000	nan
END
with_stub cdm -o "$T/x.png" /d
want_row 'RND4K Q32T16' nan,40.960000,nan,10000.000000,nan,111.000000,nan,nan,1.000000,50.000000,nan,nan
want_png "$T/x.png"

t 'sync: what could not be measured is nan in the table, and no point'
stub <<END
# block 4096
#	write IOPS
avg	nan
tot	nan


#percentile	write us	flush us
50	nan	5.000000
99	nan	5.000000
END
with_stub sync -p 1,2 -o "$T/x.png" /d
want_row 2 nan,nan,nan,nan,nan
{
	printf '#processes\tIOPS\tMB/s\tmedian us\t99%% us\n'
	printf '1\t1000.000000\t4.096000\t111.000000\t999.000000\n'
	printf '2\tnan\tnan\tnan\tnan\n'
} >"$T/table"
script sync -f "$T/table" -o "$T/x.png"
want_png "$T/x.png"

t 'sync: the sustained rate, median and 99 %'
stub <<END
# block 4096
# counted 3
#	write IOPS
avg	1.000000
tot	1000.000000


#percentile	write us	flush us
50	111.000000	5.000000
99	999.000000	5.000000
END
with_stub sync -o "$T/x.png" /d
want_row 16 1000.000000,4.096000,111.000000,999.000000,3
[ "$(sed -n 2p "$T/calls")" = '-v -c 64 -R -b 4k -t 10 -s -l -x -o write -u IOPS -p 4 -- /d' ] ||
    fail 'called otherwise'

# cliff RATES: what map says of a map of these rates.
cliff() {
	{
		printf '#offset MiB\twrite MB/s\tread MB/s\n'
		awk -v rates="$1" 'BEGIN {
			n = split(rates, rate, " ")
			for (i = 1; i <= n; i++) {
				if (rate[i] != "nan") rate[i] = sprintf("%.6f", rate[i])
				printf "%.6f\t%s\tnan\n", (i - 1) * 10, rate[i]
			}
		}'
	} | stub
	with_stub map -o "$T/x.png" "$D"
	grep '^# cliff' "$T/out"
}

t 'map: the cliff, where the rate drops by half for good'
while IFS='|' read -r rates said; do
	have=$(cliff "$rates")
	case $have in
	"# cliff write $said"*) ;;
	*) fail "of $rates it says: $have" ;;
	esac
done <<'END'
100 100 100 100 100 50 50 50 50 50|50.000000 MiB: 100.000000 MB/s before, 50.000000 after
100 110 90 100 40 45 35 40 41 39 40|40.000000 MiB
100 100 40 100 100 100 40 40 40 40|60.000000 MiB
nan 100 100 nan 100 50 50 nan 50 50|50.000000 MiB: 100.000000 MB/s before, 50.000000 after
100 100 100 100 100 60 60 60 60 60|none
100 100 100 100 100 100 100 100 100 100|none
100 100 20 20 20 20 100 100 100 100|none
20 20 20 20 100 100 100 100 100 100|none
100 100 100 100 100 100 100 100 100 1|none
100 100 100 100 20 20 100 20 20 20|none
100|none
END

t 'latency: no point beyond what the calls can tell, and the slowest at its place'
if need gnuplot; then
	{
		printf '#percentile\twrite us\n'
		for p in 0 25 50 75 90 95 99 99.9 99.99; do printf '%s\t10.000000\n' "$p"; done
		printf '100\t999.000000\nmean\t1\ndev\t1\ncalls\t100.000000\n'
	} >"$T/other"
	script latency -f "$T/other" -o "$T/x.svg"
	want_status 0
	grep -q 'n = 100)' "$T/x.svg" || fail 'the number of calls is not said'
	grep -q '>99</' "$T/x.svg" || grep -q '>99<' "$T/x.svg" || fail 'no tick at 99'
	! grep -q '>99.9<' "$T/x.svg" || fail 'a tick at 99.9, of a hundred calls'
fi

t 'names that are hard on gnuplot, awk and the shell'
if need gnuplot; then
	# shellcheck disable=SC2016 # none of this is to be expanded
	name='it'\''s "a" `b` $c \d_e^f{g} %s @h & <i>'
	mkdir "$D/$name"
	script rounds -o "$T/x.svg" "$D/$name" -- -c 1 -r 2
	want_status 0
	grep -q "it's .*\`b\` \$c .*d_e^f{g} %s @h &amp; &lt;i" "$T/x.svg" || fail 'the name is not in the title'
	script rounds -o "$T/it's \$x.png" "$D/$name" -- -c 1 -r 2
	want_status 0
	want_png "$T/it's \$x.png"
	mkdir "$D/-r"
	(cd "$D" && "$P/rounds" -o -x.png ./-r -- -c 1 -r 2) >"$T/out" 2>"$T/err" || fail 'a picture -x.png'
	[ -s "$D/-x.png" ] || fail 'no picture -x.png'
fi

t 'bytes that are no UTF-8'
if need gnuplot && [ -e "$T/rounds.table" ]; then
	{
		printf '# directory /a\377b\303\244c\n'
		grep -v '^# directory' "$T/rounds.table"
	} >"$T/other"
	script rounds -f "$T/other" -o "$T/x.svg"
	want_status 0
	iconv -f UTF-8 -t UTF-8 "$T/x.svg" >/dev/null 2>&1 || fail 'the SVG is no UTF-8'
	grep -q "$(printf 'b\303\244c')" "$T/x.svg" || fail 'the rest of the name is gone'
fi

t '^C: the rows so far, nothing left, and death by the signal'
if need timeout && launcher; then
	if timeout --version 2>/dev/null | grep -q GNU; then
		run_with timeout --preserve-status -s INT 2 "$T/launch" "$P/rounds" -o "$T/none2.png" "$D" -- -c 1 -i 0.2 -r 100
		want_signal 2
		want_out '^3	'
		want_out '^# drift write '
		want_err 'signal INT ended the run'
		want_png "$T/none2.png"
		pause
		want_nothing_left
	else
		skip 'needs a timeout that signals a process group'
	fi
fi

# A gnuplot that shows what it is given.
mkdir "$T/shown"
cat >"$T/shown/gnuplot" <<'END'
#!/bin/sh
for file in "$1" data curves; do [ ! -e "$file" ] || cat "$file"; done
END
chmod +x "$T/shown/gnuplot"

# shown NAME: what gnuplot is given for a saved table.
shown() {
	PATH=$T/shown:$PATH
	script "$1" -f "$T/$1.table"
	PATH=$path_of_case
}

# drifting ROUNDS PERCENT: a table of rounds that go from 100 to so much of it,
# with a scatter of 2 % to both sides.
drifting() {
	printf '# rounds 1000\n# counted %d\n#round\tseconds\twrite MB/s\n' "$1"
	awk -v n="$1" -v end="$2" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "%d\t%.6f\t%.6f\n", i, i, 100 + (n > 1 ? (end - 100) * (i - 1) / (n - 1) : 0) + (i % 2 ? 2 : -2)
	}'
}

if t 'rounds: the last tenth against the first, and whether it is more than the scatter' && need gnuplot; then
	while read -r rounds end from to words; do
		drifting "$rounds" "$end" | stub
		with_stub rounds -o "$T/x.svg" "$D"
		want_status 0
		want_out "^# drift write .*: .*$words"
		change=$(sed -n 's/^# drift write \([-0-9.a-z]*\) %.*/\1/p' "$T/out")
		[ "$from" = nan ] || want "$change >= $from && $change <= $to"
		grep -q "$rounds rounds" "$T/x.svg" || fail 'the title does not say how many rounds were counted'
		[ "$from" = nan ] || grep -q '[0-9] to [0-9.]*; last tenth ' "$T/x.svg" || fail 'the key does not tell the drift'
	done <<'END'
100 70 -29 -26 slower
40 130 20 32 faster
100 100 -1 1 neither slower nor faster than
20 99 -4 4 neither slower nor faster than
3 50 nan nan too few
END
fi

if t 'titles tell the rounds that were counted, not those that were asked for' && need gnuplot; then
	{
		printf '# rounds 5\n#test\tread MB/s\twrite MB/s\tread IOPS\twrite IOPS\tread us\twrite us\tread min\tread max\twrite min\twrite max\trounds\tfile MiB\n'
		printf 'SEQ1M Q8T1\t9\t9\t9\t9\t9\t9\t8\t10\t8\t10\t2\t1024\nSEQ1M Q1T1\t9\t9\t9\t9\t9\t9\t8\t10\t8\t10\t1\t1024\n'
	} >"$T/other"
	script cdm -f "$T/other" -o "$T/x.svg"
	grep -q '1 to 2 rounds' "$T/x.svg" || fail 'cdm: not 1 to 2 rounds'
	printf '# rounds 1000\n# counted 1\n#percentile\twrite us\n0\t1.0\n50\t2.0\n100\t3.0\ncalls\t9\n' >"$T/other"
	script latency -f "$T/other" -o "$T/x.svg"
	grep -q '[^0-9]1 round<' "$T/x.svg" || fail 'latency: not 1 round'
fi

if t 'tables of old, with sync us for the flush, are drawn alike' && need gnuplot && [ -e "$T/latency.table" ]; then
	sed 's/flush us/sync us/' "$T/latency.table" >"$T/other"
	script latency -f "$T/latency.table" -o "$T/a.svg"
	script latency -f "$T/other" -o "$T/b.svg"
	want_status 0
	sed 's/sync (n/flush (n/' "$T/b.svg" >"$T/c.svg"
	grep -q 'flush (n' "$T/a.svg" || fail 'no flush in the picture'
	[ "$(grep -o 'stroke=.[^ ]*' "$T/a.svg")" = "$(grep -o 'stroke=.[^ ]*' "$T/c.svg")" ] || fail 'in other colours'
fi

if t 'size: a list of blocks makes the same table over block sizes' && need gnuplot; then
	stub <<END
# size 4194304
# block 4096
# counted 2
#	write MB/s
max	30.000000
min	10.000000
avg	20.000000
END
	with_stub size -b 4k,64k -o "$T/x.svg" /d
	want_status 0
	want_out "^#block KiB	write MB/s	write min	write max	rounds$"
	want_row 4.000000 "20.000000,10.000000,30.000000,2
4.000000,20.000000,10.000000,30.000000,2"
	[ "$(cat "$T/calls")" = "-v -c 256 -b 4k -- /d
-v -c 256 -b 64k -- /d" ] || fail "called with $(cat "$T/calls")"
	want_out '^# size 4194304$'
	! grep -q '^# block' "$T/out" || fail 'a fact that varies'
	grep -q 'Speed against block size' "$T/x.svg" || fail 'another heading'
	grep -q '>.*4 KiB<' "$T/x.svg" || fail 'no tick at 4 KiB'
	script size -b 4k,8k -c 1,2 "$D"
	want_status 2
	want_message size
fi

if t 'lists are looked at before anything runs' && need gnuplot; then
	while read -r name options; do
		# shellcheck disable=SC2086 # options are words
		script "$name" $options "$D"
		want_status 2
		want_no_out
		[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$name $options: not one line"
		want_err "'x'"
	done <<'END'
size -c 1,x
size -b 4k,x
sync -p 1,x
END
	want_nothing_left
fi

if t 'what writes needs a directory' && need gnuplot; then
	: >"$T/a file"
	for name in size cdm sync; do
		script "$name" "$T/a file"
		want_status 2
		want_no_out
		want_message "$name"
		want_err 'directory'
	done
fi

if t 'cdm: -t is the time of all four tests, and messages say which one they are of' && need gnuplot; then
	stub <<'END'
# block 4096
# size 1073741824
#	write MB/s	read MB/s
max	1.000000	1.000000
min	1.000000	1.000000
avg	1.000000	1.000000
med	1.000000	1.000000
tot	100.000000	1.000000


#percentile	write us	flush us	read us
50	1.000000	5.000000	2.000000
END
	printf 'echo gbtestdisk: warning: a word >&2\n' >>"$T/stub"
	with_stub cdm -t 40 -o "$T/x.png" /d
	want_status 0
	# 1 GiB at 100 MB/s takes 10.7 s to lay out: of a share of 10 to 20 s, at most a half.
	while read -r number least most; do
		line=$(sed -n "${number}p" "$T/calls")
		time=$(echo "$line" | sed -n 's/.* -t \([0-9.]*\) .*/\1/p')
		case $line in *' -R '*) layout=$(echo "$line" | sed -n 's/.* -c \([0-9]*\) -l.*/\1/p') ;; *) layout=0 ;; esac
		[ -n "$layout" ] || layout=1024
		want "$time + $layout * 1.048576 / 100 >= $least && $time + $layout * 1.048576 / 100 <= $most"
		want "$layout * 1.048576 / 100 <= $most / 2 + 0.1"
	done <<'END'
1 9.9 10
2 12.9 13.4
3 19 20.01
4 38 40.01
END
	for name in 'SEQ1M Q8T1' 'SEQ1M Q1T1' 'RND4K Q32T16' 'RND4K Q1T1'; do
		want_err "^cdm: $name: gbtestdisk: warning: a word$"
	done
	script cdm -t 0 "$D"
	want_status 2
	want_message cdm
fi

if t 'a signal: the rows of the complete rounds are printed and drawn' && need gnuplot && launcher; then
	stub <<'END'
# size 1048576
# counted 2
#	write MB/s
max	3.000000
min	1.000000
avg	2.000000
END
	# shellcheck disable=SC2016 # for the stub to expand
	printf 'kill -INT $$\n' >>"$T/stub"
	GBTESTDISK=$T/stub
	run_with "$T/launch" "$P/size" -c 1,2 -o "$T/signal.png" /d
	GBTESTDISK=$G
	want_signal 2
	want_row 1.000000 2.000000,1.000000,3.000000,2
	[ "$(wc -l <"$T/calls")" -eq 1 ] || fail 'it went on'
	want_png "$T/signal.png"
	want_nothing_left
fi

# mapped RATES [SIZE]: a table of map, of parts of 64 MiB with these rates.
mapped() {
	printf '# size %s\n#offset MiB\tread MB/s\n' "${2:-0}"
	awk -v rates="$1" 'BEGIN {
		n = split(rates, rate, " ")
		for (i = 1; i <= n; i++) printf "%.6f\t%s\n", (i - 1) * 64, rate[i]
	}'
}

if t 'map: the axis ends with the file, has ticks at powers of two, and labels go where there is room' &&
    need gnuplot; then
	path_before=$PATH
	PATH=$T/shown:$PATH
	nines='9 9 9 9 9 9 9 9 9 9'
	fours='4 4 4 4 4 4 4 4 4 4'
	mapped "$nines $nines $nines 4 4" >"$T/table"
	script map -f "$T/table" -o "$T/x.svg"
	want_no_err
	cat "$T/x.svg" >"$T/out"
	want_out '^set xrange \[0:2048\]$'
	want_out '^set xtics .*"0" 0\|^set xtics .*.256. 256, .512. 512'
	want_out "^set label 'read drops at 1920 MiB' at 1920.000000, graph 0.97 right "
	mapped "9 $fours $fours $fours 4" >"$T/table"
	script map -f "$T/table" -o "$T/x.svg"
	cat "$T/x.svg" >"$T/out"
	want_out "^set label 'read drops at 64 MiB' at 64.000000, graph 0.97 left "
	# A label's band is above all that is drawn: 9 is at most 0.94 of the height.
	top=$(sed -n 's/^set yrange \[0:\(.*\)\]/\1/p' "$T/x.svg")
	want "9 / $top < 0.94"
	mapped '9 nan 9 9 nan 9 9 9' >"$T/table"
	script map -f "$T/table" -o "$T/x.svg"
	grep -q 'with points' "$T/x.svg" || fail 'no points where parts have no figure'
	mapped "$nines" >"$T/table"
	script map -f "$T/table" -o "$T/x.svg"
	grep -q 'with linespoints' "$T/x.svg" || fail 'no marks on few parts'
	mapped "$(awk 'BEGIN { for (i = 0; i < 10000; i++) printf "9 " }')" >"$T/table"
	script map -f "$T/table" -o "$T/x.svg"
	grep -q '"bins" using 1:2 with lines ' "$T/x.svg" || fail 'each of many parts is drawn'
	! grep -q 'linespoints' "$T/x.svg" || fail 'marks on many parts'
	PATH=$path_before
fi

if t 'texts fit a terminal of 40 columns, and name the unit' && need gnuplot; then
	for name in $all; do
		[ -e "$T/$name.table" ] || continue
		[ "$name" != hosts ] || continue
		run_with env COLUMNS=40 "$P/$name" -f "$T/$name.table"
		want_status 0
		want_no_err
		sed 's/ *$//' "$T/out" | awk 'length > 39 { print length ": " $0; bad = 1 } END { exit bad }' >"$T/long" || fail "$name: a line of more than 39 columns: $(head -n 1 "$T/long")"
		want_out 'MB/s\|us$\|us  '
		case $name in rounds | map | size | latency) want_out '\(write\|\*\).* \*\**\|\*G\*' ;; esac
	done
fi

if t 'names of pictures in either case, and a text in a file' && need gnuplot && [ -e "$T/rounds.table" ]; then
	script rounds -f "$T/rounds.table" -o "$T/x.PNG"
	want_status 0
	want_png "$T/x.PNG"
	script rounds -f "$T/rounds.table" -o "$T/x.Txt"
	want_status 0
	want_no_out
	grep -q 'time since the start, s' "$T/x.Txt" || fail 'no text'
fi

path_of_case=$PATH
for name in $all; do
	[ -e "$T/$name.table" ] || continue
	shown "$name"
	cp "$T/out" "$T/$name.shown"
done

# same: with this shell and this awk, all is as with others.
same() {
	for name in $all; do
		[ -e "$T/$name.shown" ] || continue
		shown "$name"
		want_status 0
		want_no_err
		cmp -s "$T/out" "$T/$name.shown" || fail "$name -f: it differs"
	done
	PATH=$T/shown:$PATH
	stub <<'END'
# size 3145728
# block 4096
#	write MB/s	read MB/s
max	40.960000	81.920000
min	1.000000	1.000000
avg	2.000000	2.000000
med	4.096000	8.192000


#percentile	write us	flush us	read us
50	111.000000	5.000000	222.000000
99	333.000000	5.000000	333.000000
END
	with_stub size -c 3 -o "$T/x.png" /d
	want_row 3.000000 2.000000,2.000000,1.000000,40.960000,1.000000,81.920000,nan
	with_stub cdm -o "$T/x.png" /d
	want_row 'RND4K Q1T1' 8.192000,4.096000,2000.000000,1000.000000,222.000000,111.000000,1.000000,81.920000,1.000000,40.960000,nan,3.000000
	[ "$(cliff '9 9 9 9 4 4 4 4 4 4')" = '# cliff write 40.000000 MiB: 9.000000 MB/s before, 4.000000 after' ] ||
	    fail 'map: the cliff differs'
	script size -Z
	want_status 2
	want_message size
	PATH=$path_of_case
	want_empty "$TMPDIR"
}

for shell in dash 'busybox sh' mksh posh yash ksh93 bash; do
	t "the same by $shell"
	# shellcheck disable=SC2086 # a word or two
	if need ${shell%% *}; then
		shell_under_test=$shell
		same
		shell_under_test=
	fi
done
for awk in mawk gawk original-awk "busybox awk"; do
	t "the same by $awk"
	if need "${awk%% *}"; then
		rm -rf "$T/awk"
		mkdir "$T/awk"
		ln -s "$(command -v "${awk%% *}")" "$T/awk/awk"
		path_of_case=$T/awk:$old_path
		PATH=$path_of_case
		same
		PATH=$old_path
		path_of_case=$PATH
	fi
done

t 'the pipe of the README, as written but for the sizes'
if need gbplot gawk gnuplot; then
	# gbplot opens a window: here it is drawn as text.
	mkdir "$T/dumb"
	cat >"$T/dumb/gnuplot" <<END
#!/bin/sh
[ "\$1" = -persist ] || exec '$(command -v gnuplot)' "\$@"
cat "\$2" >'$T/commands'
sed 's/^set term .*/set term dumb/' "\$2" | '$(command -v gnuplot)'
END
	chmod +x "$T/dumb/gnuplot"
	ln -s "$G" "$T/dumb/gbtestdisk"
	sed -n '/^    for size in 16 32 64 128 256; do$/,/^$/p' "$SRC/README" |
	    sed 's/^    //; s/16 32 64 128 256/1 2 4 8/' >"$T/pipe"
	(cd "$D" && PATH=$T/dumb:$PATH && run_with sh "$T/pipe")
	for word in write read cache; do
		grep -q "title '$word'" "$T/commands" || fail "no curve of $word"
	done
	want_out MiB
	[ "$(grep -c '[AGEICFB*#$]' "$T/out")" -ge 5 ] || fail 'no curves'
	want_empty
fi

t 'shellcheck has nothing to say'
if need shellcheck; then
	# shellcheck disable=SC2086 # words
	(cd "$P" && shellcheck -x -s sh lib.sh $all) >"$T/out" 2>&1 || fail 'it has'
fi

finish
