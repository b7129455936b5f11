#!/bin/sh
# plot/history: a log of runs, and whether the last one was slower.  Needs gnuplot
# for the pictures.
. ./lib.sh

P=$SRC/plot
export TMPDIR="$T"
GBTESTDISK=$G
export GBTESTDISK

# history ARGUMENT...
history() { run_with sh "$P/history" "$@"; }

# object DAY HOST WRITE READ [WARNING]: a line of a log.
object() {
	printf '{"program":"gbtestdisk","version":"1.0","time":%s.5,"host":"%s","system":"L","directory":"/mnt",' \
	    $((1796000000 + $1 * 86400)) "$2"
	printf '"filesystem":"ext4","settings":{"size":67108864,"block":1048576,"rounds":5,"columns":["write","read"],'
	printf '"random":false,"processes":1,"depth":1,"sync":false,"direct":false},"unit":"MB/s","rounds":[],'
	printf '"summary":{"write":{"max":9,"avg":%s},"read":{"max":9,"avg":%s}},"flush":"fsync",' "$3" "$4"
	printf '"evict":"posix_fadvise","warnings":[%s]}\n' "${5:+\"$5\"}"
}

# days LAST-WRITE: eight runs, the last of this rate.
days() {
	for day in 1 2 3 4 5 6 7; do object $day a $((100 + day % 3)) 200; done
	object 8 a "$1" 200
}

rows() { grep -c '^[0-9]' "$T/out"; }

if t_all 'a row per run, in the order of time, with its date'; then
	{ object 2 a 11 22; object 1 a 33 44; } >"$T/log"
	history -w 50 "$T/log"
	want_status 0
	[ "$(grep '^[0-9]' "$T/out" | tr '\t' ' ')" = '1796086400.5 2026-12-01T00:53:20Z 33 44
1796172800.5 2026-12-02T00:53:20Z 11 22' ] || fail 'other rows'
	want_out '1 run before the last, and less than 5'
fi

if t_all 'a slower last run has a status of its own, and is said to be out of the spread'; then
	days 79 >"$T/log"
	history -w 20 "$T/log"
	want_status 3
	want_err 'history: a:/mnt: write: 79.0 MB/s .* is 21.8 % slower than the median of the 7 runs before (101.0), and slower than each of them (100.0 to 102.0)'
	! grep -q 'read: ' "$T/err" || fail 'read is as fast as ever'
	history -w 22 "$T/log"
	want_status 0
	want_no_err
fi

if t_all 'a slower run within the spread is told so, fewer than five before are no alarm'; then
	{ object 0 a 50 200; days 60; } >"$T/log"
	history -w 20 "$T/log"
	want_status 3
	want_err 'write: 60.0 .* within their spread (50.0 to 102.0)'
	history -w 20 -k 5 "$T/log"
	want_status 0
	[ "$(rows)" -eq 5 ] || fail "$(rows) rows"
	want_out 'write: 4 runs before the last, and less than 5 are no measure'
fi

if t_all 'what was measured in memory is left out and counted'; then
	{ days 100; object 9 a 9999 9999 '/mnt: 100.0 % of the file was still in memory after eviction: read measures memory'; } >"$T/log"
	history -w 20 "$T/log"
	want_status 0
	[ "$(rows)" -eq 8 ] || fail "$(rows) rows"
	want_out '# left out 1, which measured memory'
	want_err 'the last run measured memory and is left out'
fi

if t_all 'lines that are cut off or foreign are named and passed over'; then
	{ days 100; echo hello; object 9 a 1 1 | cut -c 1-200; } >"$T/log"
	history -w 20 "$T/log"
	want_status 0
	want_err 'line 9: it is no object of gbtestdisk: passed over'
	want_err 'line 10: it is cut off: passed over'
	[ "$(rows)" -eq 8 ] || fail "$(rows) rows"
	echo hello >"$T/log"
	history -w 20 "$T/log"
	want_status 1
	want_err 'no line of it is an object of gbtestdisk'
fi

if t_all 'hosts are series of their own, and pictures are drawn of them' && need gnuplot; then
	{ days 50; for day in 1 2 3 4 5 6; do object $day b 300 400; done; } >"$T/log"
	history -f "$T/log" -o "$T/x.svg"
	want_status 0
	want_no_err
	[ "$(grep -c '^# series' "$T/out")" -eq 2 ] || fail 'not two series'
	for curve in 'write: a' 'read: a' 'write: b' 'read: b'; do
		grep -q ">$curve<" "$T/x.svg" || fail "no curve $curve"
	done
	grep -q '>2026-12-0[1-8]<' "$T/x.svg" || fail 'no dates'
	history -w 20 "$T/log"
	want_status 3
	want_err 'history: a: write'
fi

if t_all 'the program fills a log, from standard input it is drawn as text' && need gnuplot; then
	{ "$G" -j -c 1 -r 2 "$D"; "$G" -j -c 1 -r 2 "$D"; } >"$T/log" 2>/dev/null
	# shellcheck disable=SC2016 # the other shell's
	run_with sh -c 'sh "$0" <"$1"' "$P/history" "$T/log"
	want_status 0
	[ "$(rows)" -eq 2 ] || fail "$(rows) rows"
	want_err 'date of the run'
	want_empty
fi

if t_all 'usage errors'; then
	for arguments in '-w 0' '-w x' '-k 0' '-z' '-o x.gif'; do
		# shellcheck disable=SC2086 # an option and its value
		history $arguments "$T/log"
		want_status 2
	done
	history "$T/not there"
	want_status 1
	want_err 'not there: it cannot be read'
fi

for awk in mawk gawk original-awk 'busybox awk'; do
	t_all "the same by $awk" || continue
	if need "${awk%% *}"; then
		days 79 >"$T/log"
		rm -rf "$T/awk"
		mkdir "$T/awk"
		ln -s "$(command -v "${awk%% *}")" "$T/awk/awk"
		run_with env PATH="$T/awk:$PATH" sh "$P/history" -w 20 "$T/log"
		want_status 3
		want_err 'is 21.8 % slower than the median of the 7 runs before (101.0)'
	fi
done

finish
