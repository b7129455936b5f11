#!/bin/sh
# The command line: numbers, lists, operands, and what is said about them.
# Needs nothing; two cases need root or strace.
. ./lib.sh

tab=$(printf '\t')

# refuse VALUE ARGUMENT...: a usage error that quotes VALUE; nothing is done.
refuse() {
	quoted=$1
	shift
	run "$@"
	want_status 2
	want_one_line
	grep -qF -- "'$quoted'" "$T/err" || fail "does not quote '$quoted'"
	want_no_out
	want_empty
}

# capped ARGUMENT...: the program, which may write no more than a few KiB of
# a file: what it says before it writes can be seen of any size.
capped() {
	# shellcheck disable=SC2016
	run_with sh -c 'ulimit -f 16 && exec "$0" "$@"' "$G" "$@"
}

# columns: the columns of the summary, with their units.
columns() { grep "^#$tab" "$T/out" | tr '\t' ,; }

# ---- what no number is -------------------------------------------------

for value in '' 64MB 64KB 64Gb 64kb 64kB 64kk 64b 12junk 1e3 1E3 '64 ' ' 64' +64 -1 -0 --1 \
    0x10 0X10 0b1 '64,' 1,5 1_000 "1'000" 64x abc k .5 5. 1.2.3 1.5k 1e-1 inf nan Infinity '*' %s \
    %n '"'; do
	for option in -c -b -r -i; do
		t "$option '$value' is refused" || continue
		refuse "$value" "$option" "$value" -r 1 "$D"
		want_err "$option"
	done
done

# ---- what is not allowed here, or does not fit ---------------------------

while IFS='|' read -r option why values; do
	for value in $values; do
		t "$option $value is refused: $why" || continue
		refuse "$value" "$option" "$value" -r 1 "$D"
		[ "$why" != large ] || want_err 'too large'
	done
done <<'END'
-c|least is 1|0 00 0k 0t
-c|fraction|1.5 1.0
-c|large|8796093022208 8796093022209 17592186044416 17592186044417 9007199254740992k
-c|large|8589934592g 17179869184g 17179869185g 8388608t 16777216t
-c|large|16777217t 18446744073709551615 18446744073709551616 18446744073709551617 18446744073709551617k
-c|large|9007199254740992K 8589934592G 8388608T 340282366920938463463374607431768211457
-b|least is 1|0 000 0m
-b|fraction|1.5
-b|large|9223372036854775808 18446744073709551617 17179869185g 16777217t 16777217T
-r|least is 1|0 000
-r|fraction|1.5
-r|suffix|1k 1m 1K 1M
-r|large|1000001 2147483648 4294967296 4294967297 18446744073709551616
-r|large|18446744073709551617
-i|suffix|1k 1K 1M 1s 0.5s
-i|decimal comma|0,5
-i|large|99999999999999999999999999999999
END

# What fits a file's offset may still not fit the disk.
for value in 8796093022207 9007199254740991k 8388607t 4294967296 4294967297; do
	t "-c $value does not fit the disk" || continue
	run -c "$value" "$D"
	want_status 1
	want_failure 'No space left'
	want_no_out
done

while IFS='|' read -r value quoted; do
	t "a value with $quoted in it is refused on one line" || continue
	run -c "$(printf '%b' "$value")" "$D"
	want_status 2
	want_one_line
	grep -qF -- "'$quoted'" "$T/err" || fail "does not quote it as $quoted"
	want_no_out
	want_empty
done <<'END'
\n-5|\012-5
\t64|\01164
64\r|64\015
6\00334|6\0334
END

if t 'a value of 5000 letters is refused on one line'; then
	refused=$(printf '%5000s' '' | tr ' ' x)
	run -c "$refused" "$D"
	want_status 2
	want_one_line
	want_err xxxxxxxxxx
	want_empty
fi

if t 'a good value does not mend a bad one before it'; then
	refuse x -c x -c 1 -r 1 "$D"
fi

# Each says what would do.
while IFS='|' read -r option value wanted; do
	t "the refusal of $option says what would do" || continue
	refuse "$value" "$option" "$value" "$D"
	want_err "$wanted"
done <<'END'
-c|x|MiB
-b|x|bytes
-r|x|1.*1000000
-i|x|seconds
-o|x|write.*read.*cache
-u|x|MB.*MiB.*IOPS
END

# ---- what numbers mean ---------------------------------------------------

while IFS='|' read -r value bytes; do
	t "-c $value is $bytes bytes" || continue
	works -v -o write -r 1 -c "$value" "$D"
	want_fact size "$bytes"
	want_fact writes "$bytes"
done <<'END'
1|1048576
1k|1024
3k|3072
1m|1048576
1024k|1048576
1K|1024
3K|3072
1M|1048576
08|8388608
010|10485760
0010k|10240
0000000000000000000000000000000000000002|2097152
END

for value in 1g 1G; do
	t "-c $value is 2^30 bytes" || continue
	capped -v -c $value -r 1 "$D"
	if grep -q 'No space left' "$T/err"; then
		skip 'not a gigabyte free'
	else
		want_status 1
		want_fact size 1073741824
		want_empty
	fi
done

if t '-c 1t is 2^40 bytes, -c 8388607t the most' && memory_disk ramfs; then
	for value in 1t 1T; do
		capped -v -c $value -r 1 "$T/m"
		want_status 1
		want_fact size 1099511627776
	done
	capped -v -c 8388607t -r 1 "$T/m"
	want_status 1
	want_fact size 9223370937343148032
	want_empty "$T/m"
	memory_gone
fi

while IFS='|' read -r value size bytes; do
	t "-b $value is $bytes bytes of a file of $size" || continue
	works -v -r 1 -c "$size" -b "$value" "$D"
	want_fact block "$bytes"
	want_table 3
done <<'END'
1|1k|1
7|1k|7
010|1k|10
08|1k|8
512|16k|512
1000|16k|1000
4k|1m|4096
4K|1M|4096
0004k|1m|4096
1m|2m|1048576
1M|2m|1048576
2m|2m|2097152
3m|2m|2097152
512m|1k|1024
END

while IFS='|' read -r value number; do
	t "-r $value is $number rounds" || continue
	works -v -a -o write -c 1k -r "$value" "$D"
	want_fact rounds "$number"
	[ "$(rows)" -eq "$number" ] || fail "$(rows) rows"
done <<'END'
1|1
2|2
01|1
08|8
010|10
0000000000000000000000000000000000000003|3
100|100
END

if t '-r 1000000 is the most'; then
	capped -v -c 1 -r 1000000 "$D"
	want_status 1
	want_fact rounds 1000000
	want_empty
fi

if t 'a file has the size asked for, in blocks of the size asked for' && need strace; then
	run_with strace -f -qq -o "$T/calls" -e trace=pwrite64 \
	    "$G" -c 3k -b 1000 -o write -r 1 "$D"
	want_status 0
	calls=$(sed -n 's/.*= \([0-9]*\)$/\1/p' "$T/calls" | tr '\n' ' ')
	[ "$calls" = '1000 1000 1000 72 ' ] || fail "wrote $calls"
fi

# rest VALUE: the seconds between two rounds with -i VALUE.
rest() {
	works -a -o write -c 1k -r 2 -i "$1" "$D"
	awk '/^[12]/ { s[$1] = $2 } END { print s[2] - s[1] }' "$T/out"
}

while IFS='|' read -r value least most; do
	t "-i $value rests for $least seconds" || continue
	# A busy machine may take longer: the best of three tries.
	for try in 1 2 3; do
		rested=$(rest "$value")
		holds "$rested >= $least && $rested < $most" && break
		[ "$try" -lt 3 ] || fail "it rested for $rested"
	done
done <<'END'
0|0|0.3
00|0|0.3
0.0|0|0.3
0.4|0.4|1.5
00.400|0.4|1.5
0.04|0.04|0.39
0.00000000000000000000004|0|0.3
01|1|5
END

if t 'what is left out: 5 rounds of 64 MiB in blocks of 1 MiB, in .'; then
	(cd "$D" && exec "$G" -v) >"$T/out" 2>"$T/err" </dev/null
	status=$?
	want_status 0
	want_fact size 67108864
	want_fact block 1048576
	want_fact rounds 5
	want_fact writes 335544320
	want_fact directory "$(cd "$D" && pwd -P)"
	want_table 3
	want_empty
fi

# ---- lists and units -----------------------------------------------------

while IFS='|' read -r list columns; do
	t "-o $list has the columns $columns" || continue
	works -c 1k -r 1 -o "$list" "$D"
	[ "$(columns)" = "$columns" ] || fail "columns $(columns)"
	want_table "$(echo "$columns" | tr -cd , | wc -c)"
	want_empty
done <<'END'
write|#,write MB/s
read|#,read MB/s
cache|#,cache MB/s
write,read|#,write MB/s,read MB/s
read,write|#,write MB/s,read MB/s
cache,read|#,read MB/s,cache MB/s
cache,write|#,write MB/s,cache MB/s
write,read,cache|#,write MB/s,read MB/s,cache MB/s
cache,read,write|#,write MB/s,read MB/s,cache MB/s
read,cache,write|#,write MB/s,read MB/s,cache MB/s
END

for list in '' ',' 'write,' ,write write,,read write,write read,cache,read write,read,cache,write \
    Write WRITE writes wri w 'write read' 'write, read' ' write' 'write ' 'write;read' \
    write/read all seek none; do
	t "-o '$list' is refused" || continue
	refuse "$list" -c 1k -r 1 -o "$list" "$D"
done

while IFS='|' read -r unit label; do
	t "-u $unit is called $label" || continue
	works -c 1k -r 1 -o write -u "$unit" "$D"
	[ "$(columns)" = "#,write $label" ] || fail "columns $(columns)"
done <<'END'
MB|MB/s
MiB|MiB/s
IOPS|IOPS
mb|MB/s
Mb|MB/s
mB|MB/s
mib|MiB/s
MIB|MiB/s
iops|IOPS
Iops|IOPS
END

for unit in '' MB/s mb/s M Mi GB GiB kB mbs IOP iopss 'MB ' ' MB' MB,MiB; do
	t "-u '$unit' is refused" || continue
	refuse "$unit" -c 1k -r 1 -u "$unit" "$D"
done

# ---- the last of a repeated option wins ----------------------------------

while IFS='|' read -r options key value; do
	t "of $options the last wins" || continue
	# shellcheck disable=SC2086
	works -v -c 1k -r 1 $options "$D"
	case $key in
	columns) [ "$(columns)" = "$value" ] || fail "columns $(columns)" ;;
	*) want_fact "$key" "$value" ;;
	esac
done <<'END'
-c 5 -c 7k|size|7168
-c 1 -b 1k -b 4k|block|4096
-r 7 -r 2|rounds|2
-o write,cache -o read|columns|#,read MB/s
-o write -u IOPS -u MiB|columns|#,write MiB/s
-r 2 -i 1000 -i 0|rounds|2
END

if t 'a flag may be repeated'; then
	works -aa -a -x -x -v -v -c 1k -r 1 "$D"
	[ "$(grep -c '^# version ' "$T/out")" -eq 1 ] || fail 'not one line of version'
fi

if t 'the value of an option may stick to it, and flags to each other'; then
	works -vac2k -r2 -owrite "$D"
	want_fact size 2048
	[ "$(rows)" -eq 2 ] || fail "$(rows) rows"
fi

# ---- the operand ---------------------------------------------------------

for place in after around; do
	t "options may stand $place the operand" || continue
	case $place in
	after) run "$D" -c 1k -r 2 -a ;;
	around) run -c 1k "$D" -r 2 -a ;;
	esac
	want_status 0
	[ "$(rows)" -eq 2 ] || fail "$(rows) rows"
done

if t 'options may follow the operand with POSIXLY_CORRECT too'; then
	run_with env POSIXLY_CORRECT=1 "$G" "$D" -c 1k -r 2 -a
	want_status 0
	[ "$(rows)" -eq 2 ] || fail "$(rows) rows"
fi

if t 'a bad option after the operand is refused'; then
	refuse x "$D" -c x
fi

if t '-h after the operand is help'; then
	works "$D" -h
	want_out '^usage: '
	want_empty
fi

for place in before after around; do
	t "-- $place the operand ends the options" || continue
	case $place in
	before) run -c 1k -r 1 -- "$D" ;;
	after) run -c 1k -r 1 "$D" -- ;;
	around) run -c 1k -r 1 -- "$D" -- ;;
	esac
	case $place in
	around)
		want_status 2
		want_one_line
		;;
	*)
		want_status 0
		want_table 3
		;;
	esac
	want_empty
done

for name in -c -h -- --help - -r1; do
	t "-- makes a directory of $name" || continue
	mkdir -- "$D/$name"
	(cd "$D" && exec "$G" -v -c 1k -r 1 -- "$name") >"$T/out" 2>"$T/err" </dev/null
	status=$?
	want_status 0
	want_table 3
	want_fact directory "$(cd "$D" && pwd -P)/$name"
	want_empty "$D/$name"
done

if t '- is a directory like any other'; then
	(cd "$D" && exec "$G" -c 1k -r 1 -) >"$T/out" 2>"$T/err" </dev/null
	status=$?
	want_status 1
	want_failure 'No such file'
	mkdir "$D/-"
	(cd "$D" && exec "$G" -v -c 1k -r 1 - ) >"$T/out" 2>"$T/err" </dev/null
	status=$?
	want_status 0
	want_fact directory "$(cd "$D" && pwd -P)/-"
fi

if t 'after -- an option is an operand'; then
	refuse -r -c 1k -- "$D" -r
fi

while read -r quoted operands; do
	t "$operands is one operand too many, or an empty one" || continue
	eval "refuse $quoted $operands"
done <<'END'
"$D" "$T" "$D"
args "$D" -r 1 args -c 1
"$D" "$D" "$D"
'' ''
END

if t 'an empty operand before a good one is refused'; then
	misused '' "$D"
fi

if t 'a trailing slash and a link change nothing'; then
	mkdir "$D/a"
	ln -s a "$D/b"
	for dir in "$D/a" "$D/a/" "$D/a///" "$D/./a/." "$D/b" "$D/b/"; do
		works -v -c 1k -r 1 "$dir"
		want_fact directory "$(cd "$D" && pwd -P)/a"
		want_empty "$D/a"
	done
fi

# ---- unknown options and missing arguments -------------------------------

while IFS='|' read -r word named; do
	t "$word is no option" || continue
	run "$word" "$D"
	want_status 2
	want_one_line
	grep -qF -e "$named" "$T/err" || fail "does not name $named"
	want_no_out
	want_empty
done <<'END'
-Z|-Z
-z|-z
-1|-1
-?|-?
-:|-:
-aZ|-Z
--nosuch|--nosuch
--help=all|--help=all
--helpme|--helpme
--ver|--ver
---|---
-+|-+
END

for option in b c i o r u; do
	t "-$option needs an argument" || continue
	for flags in '' -a; do
		run ${flags:+"$flags"} "-$option"
		want_status 2
		want_one_line
		want_err "-$option"
		want_no_out
	done
	misused "$D" "-a$option"
done

if t 'what is needed may look like an option'; then
	refuse -r -c -r "$D"
	refuse -- -c -- "$D"
	refuse --help -c --help "$D"
fi

# ---- help and version ----------------------------------------------------

for word in -h --help; do
	t "$word is help on standard output" || continue
	works "$word"
	want_no_err
	[ "$(head -n 1 "$T/out" | cut -c 1-21)" = 'usage: gbtestdisk [-a' ] || fail 'no usage'
	awk 'length > 80 { exit 1 }' "$T/out" || fail 'lines over 80'
	! grep -q "$tab" "$T/out" || fail 'tabs'
done

if t 'help says what MB and MiB are, and the defaults'; then
	run -h
	want_out '10^6'
	for default in 64 5 1m 0 MB write,read,cache; do
		want_out "($default)"
	done
fi

for word in -V --version; do
	t "$word is the version on standard output" || continue
	works "$word"
	want_no_err
	[ "$(wc -l <"$T/out")" -eq 1 ] || fail 'not one line'
	want_out '^gbtestdisk [0-9][0-9.]*$'
done

if t '-V says what -v says'; then
	version=$("$G" -V)
	run -v -c 1k -r 1 "$D"
	[ "gbtestdisk $(fact version)" = "$version" ] || fail "$(fact version) is not $version"
fi

for word in -h --help -V --version; do
	for place in /dev/full nowhere; do
		t "$word fails with standard output to $place" || continue
		case $place in
		nowhere) "$G" "$word" >&- 2>"$T/err" ;;
		*)
			[ -c "$place" ] || { skip "needs $place"; continue; }
			"$G" "$word" >"$place" 2>"$T/err"
			;;
		esac
		status=$?
		want_status 1
		want_one_line
		[ "$place" = nowhere ] || want_err 'No space left'
	done
done

# ---- the three lists of options ------------------------------------------

# words: a synopsis as one line.
words() { tr -s ' \t\n' '   ' | sed 's/^ *\(usage: \)*//; s/ *$//'; }

# pieces: "a" for each flag and "b block" for each option of a synopsis line.
pieces() {
	awk '{
		while (match($0, /\[[^]]*\]/)) {
			piece = substr($0, RSTART + 1, RLENGTH - 2)
			$0 = substr($0, RSTART + RLENGTH)
			if (piece !~ /^-/)
				continue
			piece = substr(piece, 2)
			if (piece ~ / /)
				print piece
			else for (i = 1; i <= length(piece); i++)
				print substr(piece, i, 1)
		}
	}'
}

"$G" -h | sed '/^$/q' | words >"$T/synopsis"
pieces <"$T/synopsis" | sort >"$T/options"

if t 'the synopsis is sorted'; then
	for kind in '^.$' '^. '; do
		pieces <"$T/synopsis" | grep "$kind" | cut -c 1 >"$T/have"
		awk '{ print tolower($0) ($0 ~ /[a-z]/), $0 }' "$T/have" | sort |
		    awk '{ print $2 }' >"$T/sorted"
		cmp -s "$T/have" "$T/sorted" || fail "$(tr -d '\n' <"$T/have") is not sorted"
	done
	[ "$(wc -l <"$T/options")" -ge 11 ] || fail 'options are missing'
fi

if t 'help has a line for each option of the synopsis, and no other'; then
	"$G" -h | awk '/^  -/ { print substr($1, 2) (substr($0, 6, 1) == " " ? "" : " " $2) }' |
	    sort >"$T/have"
	cmp -s "$T/have" "$T/options" || fail "$(diff "$T/options" "$T/have")"
fi

if t 'the program takes the options of the synopsis, and no other'; then
	while read -r letter argument; do
		case $letter in [hV]) continue ;; esac
		if [ "$argument" ]; then
			run "-$letter"
			want_err "-$letter.* $argument"
		else
			run "-$letter" ''
			want_err "''"
		fi
		want_status 2
	done <"$T/options"
	for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z \
	    A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 0 9; do
		grep -q "^$letter" "$T/options" && continue
		run "-$letter" ''
		want_status 2
		want_err "-$letter"
		! grep -q "''" "$T/err" || fail "took -$letter"
	done
fi

if t 'the man page has the same synopsis'; then
	awk '/^\.Sh/ { here = $2 == "SYNOPSIS"; next }
	here && /^\.Nm/ { print "gbtestdisk" }
	here && /^\.Op/ {
		text = ""
		for (i = 2; i <= NF; i++)
			if ($i == "Fl") { i++; text = text " -" $i }
			else if ($i != "Ar") text = text " " $i
		print "[" substr(text, 2) "]"
	}' "$SRC/gbtestdisk.1" 2>/dev/null | words >"$T/have"
	cmp -s "$T/have" "$T/synopsis" || fail "$(diff "$T/synopsis" "$T/have")"
fi

if t 'the man page describes each option, and no other'; then
	awk '/^\.It Fl / {
		text = $3
		for (i = 4; i <= NF; i++)
			if ($i == "Ar") text = text " " $(i + 1)
		print text
	}' "$SRC/gbtestdisk.1" 2>/dev/null | sort -u >"$T/have"
	cmp -s "$T/have" "$T/options" || fail "$(diff "$T/options" "$T/have")"
fi

if t 'the README has the same synopsis'; then
	awk '/gbtestdisk \[-/ { here = 1 } here && NF == 0 { exit } here' "$SRC/README" 2>/dev/null |
	    words >"$T/have"
	cmp -s "$T/have" "$T/synopsis" || fail "$(diff "$T/synopsis" "$T/have")"
fi

finish
