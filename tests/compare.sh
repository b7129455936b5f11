#!/bin/sh
# plot/compare: pairs, ratios and their intervals, what it says of them, and
# whom it blames.  Most cases have a stand-in for the program; the disks of
# known speed need root and a blkio cgroup of version 1.

. ./lib.sh

P=$SRC/plot
TMPDIR=$T/tmp
export TMPDIR
mkdir "$TMPDIR"
old_path=$PATH

# A gnuplot that draws nothing, where the picture is not looked at.
mkdir "$T/blind"
printf '#!/bin/sh\n' >"$T/blind/gnuplot"
chmod +x "$T/blind/gnuplot"

# The stand-in prints objects.  Its operand's last letter is a or b, and its
# n-th run there prints the rates of line n of $T/rates.a or $T/rates.b, or
# does what that line says.
cat >"$T/stand-in" <<END
#!/bin/sh
echo "\$*" >>'$T/calls'
for operand; do :; done
side=\${operand##*[!ab]}
echo >>'$T/runs.'\$side
line=\$(sed -n "\$(wc -l <'$T/runs.'\$side)p" '$T/rates.'\$side)
case \$line in
fail*) echo "gbtestdisk: writing: \$operand/gbtest-x: no space" >&2; exit "\${line#fail }" ;;
silent) exit 0 ;;
warn*) echo "gbtestdisk: warning: read: \${line##* } of it" >&2 ;;
esac
exec awk -v line="\$line" -v operand="\$operand" -v unit="\$(cat '$T/unit.'\$side)" -f '$T/object.awk'
END
cat >"$T/object.awk" <<'END'
BEGIN {
	sub(/^warn /, "", line)
	n = split(line, word, " ")
	for (i = 1; i <= n && word[i] ~ /=/; i++) {
		name = rate = word[i]
		sub(/=.*/, "", name)
		sub(/.*=/, "", rate)
		columns = columns (i > 1 ? "," : "") "\"" name "\""
		passes = passes ",\"" name "\":{\"start\":1,\"end\":2,\"bytes\":5,\"calls\":5,\"seconds\":1,\"rate\":" rate "}"
		summary = summary (i > 1 ? "," : "") "\"" name "\":{\"max\":7,\"min\":7,\"avg\":" rate ",\"med\":7}"
	}
	print "{\"program\":\"gbtestdisk\",\"version\":\"1.0\",\"time\":1796054520.1,\"host\":\"box\",\"system\":\"s\",\"directory\":\"" operand \
	    "\",\"filesystem\":\"ext4\",\"settings\":{\"size\":1048576,\"block\":4096,\"rounds\":1,\"columns\":[" columns \
	    "],\"random\":false,\"processes\":1,\"depth\":1,\"sync\":false,\"direct\":false},\"unit\":\"" unit \
	    "\",\"rounds\":[{\"round\":1,\"seconds\":1" passes "}],\"summary\":{" summary "},\"flush\":\"fsync\",\"evict\":\"posix_fadvise\"}"
}
END
chmod +x "$T/stand-in"

# rates SIDE: what the stand-in does there, a line a run, from standard input.
rates() {
	cat >"$T/rates.$1"
	rm -f "$T/runs.$1" "$T/calls"
	echo MB/s >"$T/unit.$1"
}

# both COLUMN A,A... B,B...: rates of one column on both sides.
both() {
	echo "$2" | tr ',' '\n' | sed "s/^[0-9]/$1=&/" | rates a
	echo "$3" | tr ',' '\n' | sed "s/^[0-9]/$1=&/" | rates b
}

# compare ARGUMENT...: with the stand-in and without a picture.
compare() {
	PATH=$T/blind:$path_of_case
	# shellcheck disable=SC2086 # a word or two
	GBTESTDISK=$T/stand-in run_with ${shell_under_test:-} "$P/compare" "$@"
	PATH=$path_of_case
}
path_of_case=$PATH shell_under_test=''

# real ARGUMENT...: with the program, and with gnuplot.
real() { run_with "$P/compare" "$@"; }

# row NAME: a row of the tables, its fields with commas between.
row() { awk -F '\t' -v name="$1" '$1 == name' "$T/out" | tr '\t' ','; }
want_row() { [ "$(row "$1")" = "$1,$2" ] || fail "row $1 is $(row "$1"), not $1,$2"; }

# near COLUMN PAIRS RATIO LOW HIGH: the row of that column, to six figures.
near() {
	awk -F '\t' -v name="$1" -v want="$2 $3 $4 $5" '
	$1 == name {
		n = split(want, w, " ")
		for (i = 1; i <= n; i++) {
			d = $(i + 1) - w[i]
			if (d > 0.000002 || d < -0.000002) exit 1
		}
		found = 1
		exit
	}
	END { exit !found }' "$T/out" || fail "$1 is $(row "$1"), not $2 pairs, $3 ($4 to $5)"
}

want_said() { grep -qxF -- "$1" "$T/err" || fail "it does not say: $1"; }
want_nothing_left() {
	want_empty
	want_empty "$TMPDIR"
}

if t 'help'; then
	for option in -h --help; do
		real "$option"
		want_status 0
		want_no_err
		want_out '^usage: compare '
		for word in '-n pairs' '-A options' '-B options' '-e percent' '-f table' '-o picture' GBTESTDISK_A Status; do
			want_out "$word"
		done
		[ "$(awk 'length > 80' "$T/out" | wc -l)" -eq 0 ] || fail 'a line of more than 80 columns'
	done
fi

if t 'bad options' && need gnuplot; then
	while IFS='|' read -r options what; do
		# shellcheck disable=SC2086 # options are words
		real $options
		want_status 2
		want_no_out
		[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$options: not one message"
		want_err "^compare: $what"
	done <<END
-Z $D|-Z: no such option
-n 1 $D|-n 1: it is a number from 2
-n 0x10 $D|-n 0x10: it is a number
-n 1000000 $D|-n 1000000: it is a number
-e 0 $D|-e 0: it is a number of percent
-e 0.0 $D|-e 0.0: it is a number of percent
-e 1.2.3 $D|-e 1.2.3: it is a number of percent
-e 1% $D|-e 1%: it is a number of percent
-n|-n: it needs a value
$D $D $D|$D: only two directories
-o picture.gif $D|picture.gif: .*\.png, \.svg, \.pdf or \.txt
-f table $D|-f table: nothing is measured
-f table $D $D|-f table: nothing is measured
END
	want_nothing_left
fi

if t 'runs are in pairs, turned in each next one, options after -- before the own'; then
	both write 100,100,100,100 110,110,110,110
	compare -n 3 -A '-b 4k  -R' -B '-p 2' "$D/a" "$D/b" -- -c 4 -r 7
	want_status 0
	sed "s|$D||" "$T/calls" | tr '\n' ';' >"$T/called"
	echo a,b,b,a,a,b | tr ',' '\n' |
	    sed 's|^a|-r 1 -c 4 -r 7 -b 4k -R -j -- /a|; s|^b|-r 1 -c 4 -r 7 -p 2 -j -- /b|' | tr '\n' ';' | cmp -s - "$T/called" ||
	    fail "called with $(cat "$T/called")"
	want_row 1 AB,100,110
	want_row 2 BA,100,110
	want_row 3 AB,100,110
	want_out "^# A is $D/a -b 4k  -R\$"
	want_out "^# B is $D/b -p 2\$"
	want_out "^# directory $D/a and $D/b\$"
	want_out '^# filesystem ext4$'
fi

if t 'one directory stands for both, and the operands may be anywhere'; then
	both write 100,100,100,100 1
	compare "$D/a" -n2 -- -c 1
	[ "$(grep -c -- "-c 1 -j -- $D/a" "$T/calls")" -eq 4 ] || fail "called with $(cat "$T/calls")"
	want_out '^# A is the same$'
	both write 100,100 110,110
	compare -n 2 "$D/a" -A -d "$D/b"
	[ "$(grep -c -- "-r 1 -d -j -- $D/a" "$T/calls")" -eq 2 ] || fail "called with $(cat "$T/calls")"
	[ "$(grep -c -- "-r 1 -j -- $D/b" "$T/calls")" -eq 2 ] || fail "called with $(cat "$T/calls")"
fi

if t 'the ratio is the geometric mean, with the interval of Student on the logarithms'; then
	both read 100,100,100,100 110,120,130,140
	compare -n 4 "$D/a" "$D/b"
	want_status 0
	near read 4 1.244977 1.055426 1.468570
	want_said 'read: B is 1.24 times as fast as A (1.06 to 1.47)'
	both read 100,100,100 50,40,60
	compare -n 3 "$D/a" "$D/b"
	near read 3 0.493242 0.297834 0.816859
	want_said 'read: B is 0.49 times as fast as A (0.30 to 0.82)'
	both read 100,100 100,101
	compare -n 2 "$D/a" "$D/b"
	near read 2 1.004988 0.943423 1.070569
	want_said 'read: no difference that 2 pairs could show (0.94 to 1.07)'
	both write 10,20,30,40,50,60,70,80,90,100,110,120,130,140,150 11,21,34,43,58,66,71,89,99,108,117,133,140,151,170
	compare -n 15 "$D/a" "$D/b"
	near write 15 1.091831 1.071876 1.112157
fi

if t 'decimals are enough to tell an interval from 1'; then
	both read 1000,1000,1000 1000.3,1000.4,1000.5
	compare -n 3 "$D/a" "$D/b"
	want_said 'read: B is 1.0004 times as fast as A (1.0002 to 1.0006)'
	both read 1000,1000,1000 1500,1500,1500
	compare -n 3 "$D/a" "$D/b"
	want_said 'read: B is 1.50 times as fast as A (1.50 to 1.50)'
	both read 1000,1000,1000 1000,1000,1000
	compare -n 3 "$D/a" "$D/b"
	want_said 'read: no difference that 3 pairs could show (1.00 to 1.00)'
	both read 1000,1000,1000 1000.1,1000,999.9
	compare -n 3 "$D/a" "$D/b"
	want_said 'read: no difference that 3 pairs could show (1.000 to 1.000)'
fi

if t 'a pair without a figure is left out of its column'; then
	rates a <<'END'
write=100 read=10
write=100 read=null
write=100 read=10
END
	rates b <<'END'
write=120 read=20
write=120 read=20
write=120 read=20
END
	compare -n 3 "$D/a" "$D/b"
	want_row 2 BA,100,120,nan,20
	near write 3 1.2 1.2 1.2
	near read 2 2 2 2
	both read null,null 10,20
	compare -n 2 "$D/a" "$D/b"
	sed 's/^null/read=null/' "$T/rates.a" >"$T/x" && rates a <"$T/x"
	rm -f "$T/runs.b"
	compare -n 2 "$D/a" "$D/b"
	want_row read 0,nan,nan,nan
	want_said 'read: no pair has both figures'
fi

if t 'columns or units that differ are an error'; then
	both write 100,100 100,100
	sed 's/$/ read=5/' "$T/rates.b" >"$T/x" && rates b <"$T/x"
	compare -n 2 "$D/a" "$D/b"
	want_status 1
	want_no_out
	want_said 'compare: the columns of A are write, of B write,read: give both the same, as in: -- -o write'
	[ "$(wc -l <"$T/calls")" -eq 2 ] || fail 'it goes on'
	both write 100,100 100,100
	echo IOPS >"$T/unit.b"
	compare -n 2 "$D/a" "$D/b"
	want_status 1
	want_no_out
	want_said 'compare: the unit of A is MB/s, of B IOPS: give both the same, as in: -- -u MB'
fi

if t 'a run that fails says whose it was and why, and the pairs before it count'; then
	both write 100,100,100 110,110,'fail 7'
	compare -n 3 "$D/a" "$D/b"
	want_status 7
	want_said "compare: B: gbtestdisk: writing: $D/b/gbtest-x: no space"
	want_said "compare: pair 3: B: gbtestdisk, testing $D/b, ended with status 7"
	[ -z "$(row 3)" ] || fail 'a row of half a pair'
	near write 2 1.1 1.1 1.1
	both write 'fail 1' 110
	compare -n 3 "$D/a" "$D/b"
	want_status 1
	want_no_out
	want_said "compare: pair 1: A: gbtestdisk, testing $D/a, ended with status 1"
	both write 100,silent 110,110
	compare -n 3 "$D/a" "$D/b"
	want_status 1
	want_said 'compare: pair 2: A: it printed no JSON object of gbtestdisk'
	both write 100,silent 110,110
	rm -f "$T/x.png"
	compare -n 3 -o "$T/x.png" "$D/a" "$D/b"
	[ ! -e "$T/x.png" ] || fail 'a picture of what failed'
	want_nothing_left
fi

if t 'a failure and a usage error of the program itself' && need gnuplot; then
	mkdir "$D/a"
	real "$D/a" "$D/missing" -- -c 1
	want_status 1
	want_no_out
	want_err '^compare: B: gbtestdisk: .*missing: No such file'
	want_err "^compare: pair 1: B: gbtestdisk, testing $D/missing, ended with status 1"
	real -B '-c 64MB' "$D/a" -- -c 1
	want_status 2
	want_err "^compare: B: gbtestdisk: .*64MB"
	real ''
	want_status 2
	rm -rf "$D/a"
	want_nothing_left
fi

if t 'a warning of a kind is shown once a side'; then
	both write '1' '1'
	for side in a b; do
		for k in 1 2 3 4; do echo "warn write=100 0.9$k"; done | rates $side
	done
	compare -n 4 "$D/a" "$D/b"
	want_status 0
	[ "$(grep -c 'A: gbtestdisk: warning: read: 0.91 of it' "$T/err")" -eq 1 ] || fail 'not the first of A'
	[ "$(grep -c 'warning' "$T/err")" -eq 2 ] || fail 'not two warnings'
fi

if t '-e goes on until the intervals are narrow, six pairs at least'; then
	both write 100,100,100,100,100,100,100 150,150,150,150,150,150,150
	compare -e 1 "$D/a" "$D/b"
	want_status 0
	near write 6 1.5 1.5 1.5
	both write "$(awk 'BEGIN { for (i = 0; i < 200; i++) printf "100,"; print 100 }')" \
	    "$(awk 'BEGIN { for (i = 0; i < 100; i++) printf "90,110,"; print 100 }')"
	compare -e 5 "$D/a" "$D/b"
	want_status 0
	pairs=$(row write | cut -d , -f 2)
	high=$(row write | cut -d , -f 5) ratio=$(row write | cut -d , -f 3)
	want "$high / $ratio <= 1.05"
	want "$pairs > 10 && $pairs < 30"
	! grep -q warning "$T/err" || fail 'a warning'
	# One pair less was not enough.
	sed "/^$pairs	/d" "$T/out" >"$T/table"
	PATH=$T/blind:$old_path
	"$P/compare" -f "$T/table" 2>"$T/err"
	PATH=$old_path
	want "$(sed -n 's/.*(.* to \(.*\)).*/\1/p' "$T/err") / $ratio > 1.045"
	rm -f "$T"/runs.*
	compare -n 7 -e 5 "$D/a" "$D/b"
	want_status 0
	[ "$(row write | cut -d , -f 2)" -eq 7 ] || fail '-n is no cap'
	want_said 'compare: warning: after 7 pairs an interval is wider than 5 %: raise -n, or give -- -c a larger file'
	rm -f "$T"/runs.*
	compare -e .1 "$D/a" "$D/b"
	[ "$(row write | cut -d , -f 2)" -eq 100 ] || fail 'no cap of 100'
fi

if t 'two builds of the program'; then
	both write 100,100,100 200,200,200
	for side in a b; do
		printf '#!/bin/sh\nexec "%s" "$@%s"\n' "$T/stand-in" "/$side" >"$T/build-$side"
		chmod +x "$T/build-$side"
	done
	PATH=$T/blind:$PATH
	(
		unset GBTESTDISK
		GBTESTDISK_A=$T/build-a GBTESTDISK_B=$T/build-b "$P/compare" -n 3 "$D" >"$T/out" 2>"$T/err"
	) || fail 'it failed'
	near write 3 2 2 2
	want_out "^# A is $T/build-a $D/a\$"
	want_out "^# B is $T/build-b $D/b\$"
	GBTESTDISK_A=$T/no-such run_with "$P/compare" -n 3 "$D"
	PATH=$old_path
	want_status 1
	want_no_out
	want_said "compare: $T/no-such: not found"
fi

if t 'the program itself: the table, a PNG, and -f' && need gnuplot; then
	mkdir "$D/a" "$D/b b"
	real -n 3 -o "$T/real.png" "$D/a" "$D/b b" -- -c 1
	want_status 0
	cp "$T/out" "$T/real.table"
	cp "$T/err" "$T/said"
	awk -F '\t' '
	NR == 1 && $0 !~ /^# version / { bad = 1 }
	/^#pair/ { at = NR; if (NF != 8 || $3 != "write A MB/s" || $8 != "cache B MB/s") bad = 2; next }
	/^#column/ { if (NR != at + 6) bad = 3; next }
	/^[0-9]/ { rows++; if (NF != 8) bad = 4; for (i = 3; i <= 8; i++) if ($i !~ /^[0-9]+\.[0-9]+$/) bad = 5 }
	/^[wrc]/ { ratios++; if (NF != 5 || $2 != 3 || $4 + 0 > $3 + 0 || $3 + 0 > $5 + 0) bad = 6 }
	END { if (rows != 3 || ratios != 3) bad = 7; exit bad }' "$T/out" || fail "the table is wrong: $?"
	for name in write read cache; do want_err "^$name: "; done
	[ "$(od -An -tx1 -N24 "$T/real.png" | tr -d ' \n')" = \
	    89504e470d0a1a0a0000000d49484452000003c000000280 ] || fail 'no PNG of 960 by 640'
	rm -rf "$D/a" "$D/b b"
	want_nothing_left
	real -f "$T/real.table" -o "$T/again.png"
	want_status 0
	want_no_out
	cmp -s "$T/real.png" "$T/again.png" || fail 'the picture is another'
	grep -v 'warning' "$T/said" | cmp -s - "$T/err" || fail 'it says something else'
	"$P/compare" -f - -o "$T/again.png" <"$T/real.table" 2>/dev/null || fail "from standard input: status $?"
	cmp -s "$T/real.png" "$T/again.png" || fail 'from standard input, it is another'
	real -f "$T/real.table" -o "$T/real.svg"
	for word in "$D/a" "$D/b b" MB/s write '>1<'; do
		grep -qF -- "$word" "$T/real.svg" || fail "no $word in the picture"
	done
	real -f "$T/real.table" -o "$T/real.pdf"
	[ "$(head -c 5 "$T/real.pdf")" = %PDF- ] || fail 'no PDF'
	real -f "$T/real.table"
	awk 'length > 80 { exit 1 }' "$T/out" || fail 'a line of more than 80 columns'
	want_out 'B/A: how many times as fast'
	want_out ' W '
fi

if t 'files that are only read' && need gnuplot; then
	for side in a b; do dd if=/dev/urandom of="$D/$side" bs=64k count=32 2>/dev/null; done
	real -n 2 -o "$T/x.png" "$D/a" "$D/b" -- -c 2
	want_status 0
	want_out "^# file $D/a and $D/b\$"
	want_out '^#pair	order	read A MB/s	read B MB/s	cache A MB/s	cache B MB/s$'
fi

if t 'a table that is not there, or of another kind' && need gnuplot; then
	real -f "$T/no such"
	want_status 1
	printf '#round\tseconds\n1\t2\n' >"$T/other"
	real -f "$T/other"
	want_status 1
	want_err 'other: holds no table that begins #pair'
	want_nothing_left
fi

if t 'names that are hard on gnuplot, awk and the shell' && need gnuplot; then
	# shellcheck disable=SC2016 # none of this is to be expanded
	name='it'\''s "a" `b` $c \d_e^f{g} %s @h & <i>'
	mkdir "$D/$name" "$D/other"
	real -n 2 -o "$T/it's \$x.svg" "$D/$name" "$D/other" -- -c 1
	want_status 0
	grep -q "\$c .*d_e^f{g} %s @h &amp; &lt;i" "$T/it's \$x.svg" || fail 'the name is not in the picture'
	rm -rf "${D:?}"/*
fi

if t 'without gnuplot the tables are there, with a message and status 1'; then
	mkdir "$T/bin"
	for tool in sh awk cat mkdir rm tr tee dirname grep sed cut mv date cp iconv wc head; do
		ln -s "$(command -v "$tool")" "$T/bin/$tool"
	done
	both write 100,100 110,110
	PATH=$T/bin
	GBTESTDISK=$T/stand-in run_with "$P/compare" -n 2 "$D/a" "$D/b"
	PATH=$old_path
	want_status 1
	want_err 'gnuplot is not installed'
	near write 2 1.1 1.1 1.1
fi

if t '^C: the pairs that are complete, what they say, nothing left, and death by the signal' && need timeout && launcher; then
	if timeout --version 2>/dev/null | grep -q GNU; then
		mkdir "$D/a"
		run_with timeout --preserve-status -s INT 3 "$T/launch" "$P/compare" -n 1000 -o "$T/none.png" "$D/a" -- -c 1
		rmdir "$D/a" 2>/dev/null
		want_signal 2
		want_out '^2	BA	'
		pairs=$(awk '/^[0-9]/ { n++ } END { print n }' "$T/out")
		[ "$(row write | cut -d , -f 2)" = "$pairs" ] || fail "not the ratio of $pairs pairs"
		[ "$(row "$pairs" | tr -cd , | wc -c)" -eq 7 ] || fail 'half a pair'
		want_err '^write: '
		[ -s "$T/none.png" ] || fail 'no picture of what there is'
		pause
		want_nothing_left
	else
		skip 'needs a timeout that signals a process group'
	fi
fi

# The runs take no time and know no INT, so that it falls between them.
if t '^C between two runs ends it as well' && need timeout && launcher; then
	if timeout --version 2>/dev/null | grep -q GNU; then
		mkdir "$D/a" "$D/b"
		both write 100 110
		GBTESTDISK=$T/stand-in "$T/stand-in" "$D/a" >"$T/a.object"
		GBTESTDISK=$T/stand-in "$T/stand-in" "$D/b" >"$T/b.object"
		cat >"$T/deaf" <<END
#!/bin/sh
trap '' 2
for operand; do :; done
cat '$T'/"\${operand##*/}.object"
END
		chmod +x "$T/deaf"
		for seconds in 0.4 0.5 0.6 0.7; do
			PATH=$T/blind:$path_of_case
			GBTESTDISK=$T/deaf run_with timeout --preserve-status -s INT -k 20 "$seconds" "$T/launch" \
			    "$P/compare" -n 99999 "$D/a" "$D/b"
			PATH=$path_of_case
			want_signal 2
			pairs=$(awk '/^[0-9]/ { n++ } END { print n + 0 }' "$T/out")
			[ "$pairs" -lt 2 ] || near write "$pairs" 1.1 1.1 1.1
			pause
			want_empty "$TMPDIR"
			rm -rf "$TMPDIR"/gbtestdisk-plot.*
		done
		rm -rf "$D/a" "$D/b"
	else
		skip 'needs a timeout that signals a process group'
	fi
fi

# tables FILE: draws 100 tables of ten pairs of A against A, each of five
# columns, and counts in $told the columns of which a difference is said.
# FILE, if any, holds recorded rates, one a line, to draw from; else rates
# drift, are disturbed now and then, and vary by a few percent.  The numbers
# are drawn by a generator of our own, the same everywhere.
tables() {
	told=0 tables=0
	mkdir -p "$T/tables"
	awk -v dir="$T/tables" '
	function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
	function normal(  i, sum) { for (i = 0; i < 12; i++) sum += uniform(); return sum - 6 }
	function rate() {
		if (recorded) return record[1 + int(uniform() * recorded)]
		return base * (uniform() < 0.05 ? 0.8 : 1) * (1 + 0.03 * normal())
	}
	{ record[++recorded] = $1 }
	END {
		seed = 20261
		for (t = 1; t <= 100; t++) {
			file = dir "/" t
			printf "#pair\torder" >file
			for (c = 1; c <= 5; c++) printf "\tc%d A MB/s\tc%d B MB/s", c, c >file
			printf "\n" >file
			for (p = 1; p <= 10; p++) {
				printf "%d\t%s", p, p % 2 ? "AB" : "BA" >file
				for (c = 1; c <= 5; c++) {
					base = c * 100 * (1 - 0.03 * p)
					printf "\t%.6f\t%.6f", rate(), rate() >file
				}
				printf "\n" >file
			}
			close(file)
		}
	}' "${1:-/dev/null}"
	PATH=$T/blind:$old_path
	while [ "$tables" -lt 100 ]; do
		tables=$((tables + 1))
		"$P/compare" -f "$T/tables/$tables" 2>>"$T/told"
	done
	PATH=$old_path
	[ "$(grep -c '^c[1-5]: ' "$T/told")" -eq 500 ] || fail 'not 500 sentences'
	told=$(grep -c ' times as fast as A' "$T/told")
	rm -rf "$T/tables" "$T/told"
}

# 25 of 500 are expected; more than 40 or less than 12 come once in a thousand.
if t 'A against A: a difference is said in about 5 of 100, by simulation'; then
	tables
	want "$told >= 12 && $told <= 40"
	[ -z "${LAB_FIGURES-}" ] || echo "	$told of 500"
fi

# The rounds of a machine are what they are: with outliers the interval is
# wider than need be, never much narrower.
if t_all 'A against A: a difference is said in at most about 5 of 100, by recorded rounds'; then
	run -a -c 1 -r 60 -o write "$D"
	awk '/^$/ { exit } /^[0-9]/ { print $3 }' "$T/out" >"$T/record"
	tables "$T/record"
	want "$told <= 45"
	[ -z "${LAB_FIGURES-}" ] || echo "	$told of 500"
fi

if t 'a difference of 3 percent is found under a noise of 3'; then
	awk 'BEGIN {
		seed = 7
		print "#pair\torder\twrite A MB/s\twrite B MB/s"
		for (p = 1; p <= 40; p++) {
			for (s = 0; s < 2; s++) {
				sum = 0
				for (i = 0; i < 12; i++) { seed = (seed * 16807) % 2147483647; sum += seed / 2147483647 }
				rate[s] = 100 * (1 + 0.03 * s) * (1 + 0.03 * (sum - 6))
			}
			print p "\tAB\t" rate[0] "\t" rate[1]
		}
	}' >"$T/table"
	PATH=$T/blind:$old_path
	run_with "$P/compare" -f "$T/table"
	PATH=$old_path
	want_err '^write: B is 1\.0[1-5] times as fast as A (1\.0[0-4]* to 1\.0[2-6]*)$'
fi

# ---- disks of known speed --------------------------------------------------------

throttle=/sys/fs/cgroup/blkio/blkio.throttle
limited=''

# limit DEVICE SPEED: bytes a second, both ways; 0 for none.
limit() { echo "$1 $2" >"$throttle.write_bps_device" && echo "$1 $2" >"$throttle.read_bps_device"; }
disks_gone() {
	for device in $limited; do limit "$device" 0; done
	limited=
	for dir in $mounted; do umount "$dir" 2>/dev/null; done
	for dev in $loops; do losetup -d "$dev" 2>/dev/null; done
	[ ! -d "$T/ram" ] || umount "$T/ram" 2>/dev/null
	mounted='' loops=''
}
trap 'disks_gone; clean_up' 0

# disk NAME SPEED: one that is as fast as that in both ways, on $T/NAME.
disk() {
	need_root && need losetup mkfs.ext4 || return 1
	if [ ! -w "$throttle.write_bps_device" ]; then
		skip 'no blkio cgroup of version 1'
		return 1
	fi
	if [ -z "$mounted" ]; then
		mkdir -p "$T/ram"
		mount -t tmpfs tmpfs "$T/ram" 2>/dev/null || { skip 'needs a tmpfs of its own'; return 1; }
		mounted=$T/ram
	fi
	truncate -s 300M "$T/ram/$1"
	mkfs.ext4 -qF "$T/ram/$1"
	dev=$(losetup --direct-io=on -f --show "$T/ram/$1" 2>/dev/null) || {
		skip 'no loop device to be had'
		disks_gone
		return 1
	}
	loops="$loops $dev"
	mkdir -p "$T/$1"
	mount "$dev" "$T/$1" || { skip 'the kernel does not mount it'; disks_gone; return 1; }
	mounted="$T/$1 $mounted"
	sync
	device=$(cat "/sys/class/block/${dev##*/}/dev")
	limited="$limited $device"
	limit "$device" "$2" || { skip 'the blkio cgroup takes no limits'; disks_gone; return 1; }
}

if t_all 'disks of 20 and 30 MB/s: 1.50 within 3 percent' && disk slow 20000000 && disk quick 30000000; then
	if need gnuplot; then
		# Other work on this machine makes a disk slower at times.
		for try in 1 2 3; do
			real -n 2 -o "$T/x.png" "$T/slow" "$T/quick" -- -c 120 -o write,read
			want_status 0
			write=$(row write | cut -d , -f 3) read=$(row read | cut -d , -f 3)
			[ -z "${LAB_FIGURES-}" ] || echo "	try $try: $write $read"
			holds "${write:-0} > 1.455 && ${write:-0} < 1.545 && ${read:-0} > 1.455 && ${read:-0} < 1.545" && break
		done
		want "${write:-0} > 1.455 && ${write:-0} < 1.545"
		want "${read:-0} > 1.455 && ${read:-0} < 1.545"
		want_err '^read: '
	fi
	disks_gone
fi
disks_gone

if t_all 'two directories on one disk of known speed: no difference beyond 3 percent' && disk same 25000000; then
	mkdir "$T/same/a" "$T/same/b"
	real -n 4 -o "$T/x.png" "$T/same/a" "$T/same/b" -- -c 60 -o write,read
	for name in write read; do
		ratio=$(row $name | cut -d , -f 3)
		want "${ratio:-0} > 0.97 && ${ratio:-0} < 1.03"
		[ -z "${LAB_FIGURES-}" ] || row $name
	done
	disks_gone
fi
disks_gone

# ---- shells and awks -------------------------------------------------------------

# same: the tables, and what is said, are as with others.
same() {
	both write 100,200,300,400 111,215,336,444
	compare -n 4 -e 0.5 "$D/a" "$D/b" -- -c 1
	want_status 0
	grep -v '^# started' "$T/out" >"$T/now"
	cat "$T/err" >>"$T/now"
	both write 100,'fail 3' 110,110
	compare -n 4 "$D/a" "$D/b"
	want_status 3
	grep -v '^# started' "$T/out" >>"$T/now"
	cat "$T/err" >>"$T/now"
	compare -Z
	want_status 2
	cat "$T/err" >>"$T/now"
	if [ -e "$T/first" ]; then
		cmp -s "$T/first" "$T/now" || fail "it differs: $(diff "$T/first" "$T/now" | head -n 4)"
	else
		mv "$T/now" "$T/first"
	fi
	want_empty "$TMPDIR"
}

for shell in dash 'busybox sh' mksh posh yash ksh93 bash; do
	t "the same by $shell" || continue
	if need "${shell%% *}"; then
		shell_under_test=$shell
		same
		shell_under_test=
	fi
done
for awk in mawk gawk original-awk 'busybox awk'; do
	t "the same by $awk" || continue
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

if t 'shellcheck has nothing to say' && need shellcheck; then
	(cd "$P" && shellcheck -x -s sh compare) >"$T/out" 2>&1 || fail 'it has'
fi

finish
