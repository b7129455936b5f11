# shellcheck shell=sh
# What the plot scripts share: options, running gbtestdisk, and drawing.
#
# A script sets
#	heading	the first line of the picture's title
#	header	what the header line of its table begins with
#	own	the letters of its own options that take a value
#	flags	the letters of those that take none
#	partial	not empty if a table is drawn although something failed
# and defines
#	usage	prints the help
#	own_option LETTER [VALUE]	takes one of its own options
#	measure [OPTION...]	prints the table; OPTIONs are for gbtestdisk
#	take_saved	makes the table in $tmp/table of what -f gave, if it is none,
#		prints it, and empties $saved; for a script that sets `takes'
#	draw	prints gnuplot commands that draw the files in $tmp, which is
#		gnuplot's current directory: `data' is the header and the rows
# and ends with `main "$@"'.

LC_ALL=C
export LC_ALL
set -f
here=${here:-.} heading='' header='' own='' flags=h partial='' takes=''

fail() {
	printf '%s: %s\n' "$script" "$1" >&2
	exit 1
}

usage_error() {
	printf '%s: %s: %s\n' "$script" "$1" "$2" >&2
	exit 2
}

# common_usage: the part of the help that is the same for all scripts.
common_usage() {
	cat <<'END'

  -f table    measure nothing, draw a saved table again (- is standard input)
  -o picture  draw to this file: its name ends in .png, .svg or .pdf
  -h          print this help

Options after -- are gbtestdisk's own, as in: -- -c 1g -r 3
The table goes to standard output, to be saved; its # lines say what was
tested.  Without -o the picture is drawn as text, on standard error, or with
-f on standard output.  GBTESTDISK names the program if it is not found beside
this script or in PATH.
Status: 0, or 1 if something failed, or 2 for a usage error, or gbtestdisk's.
END
}

# own_option LETTER [VALUE]: a script with options of its own defines it anew.
own_option() { :; }

take_saved() { :; }

find_tester() {
	if [ -n "$GBTESTDISK" ]; then
		tester=$GBTESTDISK
	else
		for tester in "$here/../gbtestdisk" "$here/gbtestdisk" "$here/../../bin/gbtestdisk"; do
			[ ! -f "$tester" ] || [ ! -x "$tester" ] || return 0
		done
		tester=gbtestdisk
	fi
	command -v "$tester" >/dev/null || fail "$tester: not found; set GBTESTDISK to its path"
}

# test_disk OPTION...: runs gbtestdisk, its output to $tmp/out.
test_disk() { "$tester" "$@" -- "$directory" >"$tmp/out" || exit; }

# facts [KEY...]: the # lines of $tmp/out but those KEYs, which vary.
facts() {
	awk -v keys="$*" '
	BEGIN { n = split(keys, key, " "); for (i = 1; i <= n; i++) dropped[key[i]] = 1 }
	/^# / && !($2 in dropped)' "$tmp/out"
}

# list VALUE: the members of a comma-separated list, as words.
list() { printf '%s\n' "$1" | tr ',' ' '; }

# Functions for the awk programs that write gnuplot commands.
awk_lib='
function quote(s) { gsub(/\047/, "\047\047", s); return "\047" s "\047" }
# Some awks take the word nan for a number, and others for 0.
function known(x) { return x ~ /^[0-9]/ }
function times(x, factor) { return known(x) ? sprintf("%.6f", x * factor) : "nan" }
function plain(x) { return sprintf("%.10g", x) }
function word_of(column) { sub(/ .*/, "", column); return column }
function unit_of(column) { return column ~ / / ? substr(column, index(column, " ") + 1) : "" }
function axis_label(unit) {
	return unit == "IOPS" ? "rate, IOPS (blocks a second)" : "rate, " unit (unit == "MB/s" ? " (10^6 bytes a second)" : "")
}
# A column looks the same in every picture.
function style(column, i) {
	i = index(" write read cache mixread mixwrite sync mixsync ", " " column " ")
	return i == 0 ? 8 : i == 1 ? 1 : i == 7 ? 2 : i == 12 ? 3 : i == 18 ? 4 : i == 26 ? 5 : i == 35 ? 6 : 7
}
# Some awks have neither log() nor powers.
function log10(x,   n, bit) {
	for (n = 0; x >= 10; n++) x /= 10
	for (; x < 1; n--) x *= 10
	for (bit = 0.5; bit > 1e-9; bit /= 2) {
		x *= x
		if (x >= 10) { x /= 10; n += bit }
	}
	return n
}
# A logarithmic axis whose ends are ticks and whose labels are plain numbers.
function log_axis(axis, lo, hi,   decade, i, n, first, tick, below, ticks, steps) {
	if (!(lo > 0)) { print "set " axis "range [*:*]"; return }
	n = split(hi / lo > 3000 ? "1" : hi / lo > 8 ? "1 2 5" : "1 1.5 2 3 4 5 6 7 8 9", steps, " ")
	for (decade = 1; decade > lo / 10; decade /= 10) continue
	for (; decade < lo / 100; decade *= 10) continue
	for (tick = 0; tick < hi; decade *= 10)
		for (i = 1; i <= n && tick < hi; i++) {
			below = tick
			tick = steps[i] * decade
			if (tick > lo * 1.0001 && ticks == "") {
				ticks = quote(plain(below)) " " plain(below)
				first = below
			}
			if (ticks != "") ticks = ticks ", " quote(plain(tick)) " " plain(tick)
		}
	print "set logscale " axis
	print "set " axis "range [" plain(first * 0.999) ":" plain(tick * 1.001) "]"
	print "set " axis "tics (" ticks ")"
}
'

# draw_lines: gives the axis of rates, and `curves' for gnuplot to plot: one
# over column 1 for each other column.  Where their means are more than tenfold
# apart the axis is logarithmic: otherwise the slow ones lie flat on the ground.
draw_lines() {
	awk -F '\t' "$awk_lib"'
	function curve(i,   name) {
		name = word_of(column[i])
		return "\"data\" using 1:" i " with linespoints linetype " style(name) " title " quote(name)
	}
	NR == 1 {
		columns = NF
		for (i = 2; i <= columns; i++) column[i] = $i
		next
	}
	{
		for (i = 2; i <= columns; i++) {
			if ($i !~ /^[0-9]/ || $i <= 0) continue
			if (lo == "" || $i + 0 < lo) lo = $i + 0
			if ($i + 0 > hi) hi = $i + 0
			sum[i] += $i
			values[i]++
		}
	}
	END {
		print "set ylabel " quote(axis_label(unit_of(column[2])))
		for (i in sum) {
			mean = sum[i] / values[i]
			if (low == "" || mean < low) low = mean
			if (mean > high) high = mean
		}
		if (high > 10 * low) log_axis("y", lo, hi)
		else print "set yrange [0:" plain(hi * 1.1) "]"
		for (i = 2; i <= columns; i++) curves = curves (i > 2 ? ", " : "") curve(i)
		print "curves = " quote(curves)
	}' "$tmp/data"
}

# titles: the picture's title, out of the # lines of the table.
titles() {
	awk -v heading="$heading" -v width="$width" "$awk_lib"'
	function bytes(n,   i) {
		for (i = 0; n >= 1024 && n % 1024 == 0 && i < 4; i++) n /= 1024
		return plain(n) " " substr("B  KiBMiBGiBTiB", 3 * i + 1, i ? 3 : 1)
	}
	function many(n, what) { return n " " what (n == 1 ? "" : what ~ /s$/ ? "es" : "s") }
	function add(what) {
		if (line == "") line = what
		else if (length(line) + length(what) + 2 <= width) line = line ", " what
		else { text = text "\n" line ","; line = what }
	}
	/^# / && NF > 2 {
		value = $0
		sub(/^# [^ ]+ /, "", value)
		if (!($2 in is)) is[$2] = value
	}
	END {
		place = is["directory"]
		if (length(place) > width / 2) {
			place = substr(place, length(place) - int(width / 2) + 1)
			sub(/^[^\/]*/, "...", place)
		}
		text = heading
		if (place != "") add(place " (" is["filesystem"] ")" (is["host"] == "" ? "" : " on " is["host"]))
		if ("hosts" in is) add(is["hosts"] " hosts")
		if ("started" in is) add(substr(is["started"], 1, 10))
		text = text "\n" line
		line = ""
		if ("size" in is) add(bytes(is["size"]) " file")
		if ("block" in is) add(bytes(is["block"]) " blocks")
		if ("order" in is) add(is["order"] ~ /^random/ ? "random order" : "in sequence")
		if ("processes" in is) add(many(is["processes"], "process"))
		if ("depth" in is) add("depth " is["depth"])
		if (is["rounds"] ~ /^[0-9]/) add(many(is["rounds"], "round"))
		if (is["evict"] ~ /direct/) add("direct I/O")
		if (is["flush"] ~ /synchronous/) add("synchronous writes")
		print text "\n" line
	}' "$tmp/table" | {
		# A name may hold bytes that are no UTF-8, and none of gnuplot may see them.
		iconv -c -f UTF-8 -t UTF-8 2>/dev/null || :
	} | awk "$awk_lib"'
	{ line[NR] = quote($0) }
	END {
		printf "set title %s", line[1]
		for (i = 2; i <= NR; i++) printf " . \"\\n\" . %s", line[i]
		print ""
	}'
}

# prelude: what all pictures have in common.
prelude() {
	case $picture in
	*.png) cat <<'END'
if (strstrt(GPVAL_TERMINALS, " pngcairo ")) {
	set terminal pngcairo size 960,640 font 'sans,11' noenhanced background rgb 'white'
} else {
	set terminal png size 960,640 noenhanced
}
END
		;;
	*.svg) echo "set terminal svg size 960,640 font 'sans,14' noenhanced background rgb 'white'" ;;
	*.pdf) cat <<'END'
if (strstrt(GPVAL_TERMINALS, " pdfcairo ")) {
	set terminal pdfcairo size 24cm,16cm font 'sans,11' noenhanced
} else {
	set terminal pdf size 24cm,16cm noenhanced
}
END
		;;
	*) echo 'set terminal dumb 79 30 noenhanced' ;;
	esac
	cat <<'END'
set encoding utf8
set datafile separator "\t"
set datafile missing "nan"
set linetype 1 linecolor rgb '#0072b2' linewidth 2 dashtype 1 pointtype 7
set linetype 2 linecolor rgb '#d55e00' linewidth 2 dashtype 2 pointtype 5
set linetype 3 linecolor rgb '#009e73' linewidth 2 dashtype '-.' pointtype 9
set linetype 4 linecolor rgb '#000000' linewidth 2 dashtype 3 pointtype 13
set linetype 5 linecolor rgb '#cc79a7' linewidth 2 dashtype 5 pointtype 11
set linetype 6 linecolor rgb '#56b4e9' linewidth 2 dashtype '_-' pointtype 6
set linetype 7 linecolor rgb '#e69f00' linewidth 2 dashtype '-..' pointtype 4
set linetype 8 linecolor rgb '#777777' linewidth 2 dashtype '..- ' pointtype 8
set key outside bottom center horizontal maxcols 3 samplen 5
set tics nomirror
set border 3
set format '%.10g'
END
	[ -n "$picture" ] || echo 'set key width 1'
	[ -z "$picture" ] || echo "set grid linecolor rgb '#d8d8d8' linewidth 1 dashtype 1"
	titles
}

# plot: has gnuplot draw $tmp/table.
plot() {
	# shellcheck disable=SC2034 # text is for draw
	if [ -n "$picture" ]; then width=110 text=0; else width=76 text=1; fi
	{
		prelude
		draw
	} >"$tmp/script" || exit 1
	# Where the locale has no UTF-8, gnuplot warns about a degree sign nobody draws.
	(cd "$tmp" && gnuplot script >picture 2>messages) || {
		cat "$tmp/messages" >&2
		fail 'drawing: gnuplot failed'
	}
	if [ -n "$picture" ]; then
		{ cat "$tmp/picture" >"$picture"; } 2>/dev/null || fail "$picture: it cannot be written"
	elif [ -n "$saved" ]; then
		cat "$tmp/picture"
	else
		cat "$tmp/picture" >&2
	fi
}

# keep_rows SOURCE: $tmp/data becomes the table without its # lines.
keep_rows() {
	awk -v header="#$header" '
	!found && index($0, header) == 1 { found = 1; print substr($0, 2); next }
	found && /^$/ { exit }
	found && !/^#/ { rows++; print }
	END { exit rows == 0 }' "$tmp/table" >"$tmp/data" || fail "$1: holds no table that begins #$header"
}

stop() {
	rm -rf "$tmp"
	trap - 0 "$1"
	kill -"$1" $$
}

main() {
	picture='' saved='' operands=0 directory=.
	while [ $# -gt 0 ]; do
		case $1 in
		--)
			shift
			break
			;;
		-h | --help)
			usage
			common_usage
			exit 0
			;;
		-[$flags]) own_option "${1#-}" ;;
		-[fo$own]*)
			option=${1#-}
			value=${option#?}
			option=${option%"$value"}
			if [ -z "$value" ]; then
				[ -n "$2" ] || usage_error "-$option" 'it needs a value'
				shift
				value=$1
			fi
			case $option in
			f) saved=$value ;;
			o) picture=$value ;;
			*) own_option "$option" "$value" ;;
			esac
			;;
		-?*) usage_error "$1" "no such option; for gbtestdisk's own, put -- before them" ;;
		*)
			operands=$((operands + 1))
			directory=$1
			;;
		esac
		shift
	done
	[ "$operands" -le 1 ] || usage_error "$directory" 'only one directory can be tested'
	case $picture in
	'' | *.png | *.svg | *.pdf) ;;
	*) usage_error "$picture" "a picture's name ends in .png, .svg or .pdf" ;;
	esac
	[ -z "$saved" ] || [ $((operands + $#)) -eq 0 ] ||
	    usage_error "-f $saved" 'nothing is measured, so no directory and no option can be given'

	[ -z "$picture" ] || [ -d "$(dirname -- "$picture")" ] || fail "$picture: its directory does not exist"
	[ -z "$saved" ] || [ "$saved" = - ] || [ -r "$saved" ] || fail "$saved: it cannot be read"

	drawn=yes
	if ! command -v gnuplot >/dev/null; then
		drawn=''
		[ -z "$saved" ] || [ -n "$takes" ] || fail 'drawing: gnuplot is not installed'
		printf '%s: drawing: gnuplot is not installed; save the table, and -f draws it later\n' \
		    "$script" >&2
	fi
	tmp=${TMPDIR:-/tmp}/gbtestdisk-plot.$$
	trap 'rm -rf "$tmp"' 0
	trap 'stop 1' 1
	trap 'stop 2' 2
	trap 'stop 15' 15
	(umask 077 && mkdir "$tmp") || exit 1

	if [ -n "$saved" ]; then
		status=0
		if [ "$saved" = - ]; then cat; else cat <"$saved"; fi >"$tmp/table" || exit 1
		take_saved
		keep_rows "${saved:-gbtestdisk}"
	else
		find_tester
		{
			(measure "$@")
			echo $? >"$tmp/status"
		} | tee "$tmp/table" || fail 'standard output: it cannot be written'
		read -r status <"$tmp/status"
		[ "$status" -eq 0 ] || {
			[ -n "$partial" ] && grep -q "^#$header" "$tmp/table"
		} || exit "$status"
		keep_rows 'gbtestdisk'
	fi
	[ -n "$drawn" ] || exit 1
	plot
	exit "$status"
}

script=${0##*/}
