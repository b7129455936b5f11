# shellcheck shell=sh
# What the plot scripts share: options, running gbtestdisk, and drawing.
#
# A script sets
#	heading	the first line of the picture's title
#	header	what the header line of its table begins with, or several of them
#		with | between
#	own	the letters of its own options that take a value
#	flags	the letters of those that take none
#	refused	the letters of gbtestdisk's options that cannot follow --
#	needs	`directory' where a file or disk will not do
#	partial	not empty if a table is drawn although something failed
#	silent	not empty if nothing is drawn without -o
# and defines
#	usage	prints the help
#	own_option LETTER [VALUE]	takes one of its own options
#	measure [OPTION...]	prints the table; OPTIONs are for gbtestdisk
#	take_saved	makes the table in $tmp/table of what -f gave, if it is none,
#		prints it, and empties $saved; for a script that sets `takes'
#	finding	prints # lines on what the rows in $tmp/data say, if it likes
#	draw	prints gnuplot commands that draw the files in $tmp, which is
#		gnuplot's current directory: `data' is the header and the rows;
#		it may set heading, height (of the picture) and rows (of the
#		text), and counted where the rows tell how many rounds there were
# and ends with `main "$@"'.

LC_ALL=C
export LC_ALL
set -f
here=${here:-.} heading='' header='' own='' flags=h refused=hjV needs='' partial='' silent='' takes=''
counted='' height=640 rows=30 caught='' of='' ended=0

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
  -o picture  draw to this file: its name ends in .png, .svg, .pdf or .txt
  -h          print this help

Options after -- are gbtestdisk's own, as in: -- -c 1g -r 3
The table goes to standard output, to be saved.  Its # lines say what was
tested.  Without -o the picture is drawn as text: on standard error, or with
-f on standard output.  ^C ends the run and draws what there is.
The program is the one beside this script, or in PATH; GBTESTDISK names
another.
Status: 0, or 1 if something failed, or 2 for a usage error, or gbtestdisk's.
END
}

# help: all of it, with the name under which the script is installed.
help() {
	{ usage; common_usage; } | awk -v script="$script" '
	BEGIN { name = script; sub(/^gbtestdisk-/, "", name) }
	NR == 1 && name != script { synopsis = 1 }
	synopsis && NF {
		sub("^usage: " name, "")
		n = split($0, word, " ")
		for (i = 1; i <= n; i++) {
			# What is in brackets stays in one piece.
			piece = piece (piece == "" ? "" : " ") word[i]
			if (piece ~ /^\[/ && piece !~ /\]$/) continue
			if (line == "") line = "usage: " script
			else if (length(line) + length(piece) > 78) {
				print line
				line = sprintf("%" length(script) + 7 "s", "")
			}
			line = line " " piece
			piece = ""
		}
		next
	}
	synopsis { print line; synopsis = 0 }
	{ if (name != script) sub("^    " name " ", "    " script " "); print }'
}

# own_option LETTER [VALUE]: a script with options of its own defines it anew.
own_option() { :; }

take_saved() { :; }
finding() { :; }

find_tester() {
	if [ -n "$GBTESTDISK" ]; then
		tester=$GBTESTDISK
	else
		for tester in "$here/../gbtestdisk" "$here/gbtestdisk"; do
			[ ! -f "$tester" ] || [ ! -x "$tester" ] || return 0
		done
		tester=gbtestdisk
	fi
	command -v "$tester" >/dev/null || fail "$tester: not found; set GBTESTDISK to its path"
}

# test_disk OPTION...: runs gbtestdisk, its output to $tmp/out.  $of says which
# of several runs it is: its messages tell.  Where it was ended by a signal after
# complete rounds, $ended is not 0: show them, then `exit "$ended"'.
test_disk() {
	[ -z "$caught" ] || exit $((128 + caught))
	if [ -z "$of" ] || [ -t 2 ]; then
		# A terminal shows how far it is, so that nothing may come between.
		[ -z "$of" ] || printf '%s: %s\n' "$script" "$of" >&2
		"$tester" "$@" -- "$directory" >"$tmp/out"
		ended=$?
	else
		"$tester" "$@" -- "$directory" >"$tmp/out" 2>"$tmp/err"
		ended=$?
		while IFS= read -r message; do
			printf '%s: %s: %s\n' "$script" "$of" "$message" >&2
		done <"$tmp/err"
	fi
	[ "$ended" -eq 0 ] || { [ "$ended" -gt 128 ] && grep -q '^avg' "$tmp/out"; } || exit "$ended"
}

# facts [KEY...]: the # lines of $tmp/out but those KEYs, which vary.
facts() {
	awk -v keys="$*" '
	BEGIN { n = split(keys, key, " "); for (i = 1; i <= n; i++) dropped[key[i]] = 1 }
	/^# / && !($2 in dropped)' "$tmp/out"
}

# list VALUE: the members of a comma-separated list, as words.
list() { printf '%s\n' "$1" | tr ',' ' '; }

# check_list LETTER LIST WHAT [OPTION...]: has gbtestdisk look at each member, so
# that nothing is measured before a mistake is found.
check_list() {
	letter=$1 members=$(list "$2")
	# shellcheck disable=SC2086 # words
	[ -n "$(printf '%s' $members)" ] || usage_error "-$letter $2" "it names no $3"
	shift 3
	for member in $members; do
		"$tester" "$@" "-$letter" "$member" -h >/dev/null || exit
	done
}

# refuse OPTION...: gbtestdisk's, that a script cannot do with.
refuse() {
	OPTIND=1
	while getopts :ab:c:de:hi:jk:lm:o:p:q:Rr:st:u:Vvw:x option; do
		case $option in
		*[!$refused]*) ;;
		j) usage_error '-- -j' "it prints an object, and $script reads the tables" ;;
		[hV]) usage_error "-- -$option" 'it measures nothing' ;;
		*) usage_error "-- -$option" "$script chooses that itself" ;;
		esac
	done
}

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
	# Tables of old have the closing flushes as sync and mixsync.
	if (column ~ /sync$/) column = column == "sync" ? "flush" : "mixflush"
	i = index(" write read cache mixread mixwrite flush mixflush ", " " column " ")
	return i == 0 ? 8 : i == 1 ? 1 : i == 7 ? 2 : i == 12 ? 3 : i == 18 ? 4 : i == 26 ? 5 : i == 35 ? 6 : 7
}
function short(x) { return x < 100 ? plain(int(x * 10 + 0.5) / 10) : sprintf("%.0f", x) }
function bytes(n,   i) {
	n += 0 # numbers of a table may be compared as strings
	for (i = 0; n >= 1024 && (n % 1024 == 0 || n >= 1e5) && i < 4; i++) n /= 1024
	return (n == int(n) ? plain(n) : short(n)) " " substr("B  KiBMiBGiBTiB", 3 * i + 1, i ? 3 : 1)
}
# A text for gnuplot in lines of that many columns at most.
function folded(s, columns,   n, word, i, line, all) {
	n = split(s, word, " ")
	for (i = 1; i <= n; i++)
		if (line == "") line = word[i]
		else if (length(line) + length(word[i]) < columns) line = line " " word[i]
		else { all = all quote(line) " . \"\\n\" . "; line = word[i] }
	return all quote(line)
}
# The label of x; below it, room for the key.
function x_label(s) { print "set xlabel " folded(s, width - 12) " . \"\\n \"" }
# Ticks of x, n places in order with their names; one whose name would run into
# the one before has no name.
function x_ticks(place, name, n, lo, hi, logarithmic,   i, at, end, all, columns) {
	columns = width - 12
	if (logarithmic) { lo = log10(lo); hi = log10(hi) }
	end = -columns
	for (i = 1; i <= n; i++) {
		if (i > 1 && place[i] + 0 == place[i - 1] + 0) continue
		at = ((logarithmic ? log10(place[i]) : place[i]) - lo) / (hi > lo ? hi - lo : 1) * columns
		if (at - length(name[i]) / 2 < end + 1) all = all ", \"\" " plain(place[i])
		else {
			all = all ", " quote(name[i]) " " plain(place[i])
			end = at + length(name[i]) / 2
		}
	}
	print "set xtics (" substr(all, 3) ")"
}
# An axis of x from 0 to hi.
function plain_axis(hi,   step, factor, n, place, names) {
	hi += 0
	if (!(hi > 0)) hi = 1
	for (step = 1; step > hi / 10; step /= 10) continue
	for (; hi / step > (width < 60 ? 5 : 8); n++) step *= n % 3 == 1 ? 2.5 : 2
	for (n = 0; n * step <= hi * 1.000001; n++) {
		place[n + 1] = n * step
		names[n + 1] = plain(n * step)
	}
	print "set xrange [0:" plain(hi) "]"
	x_ticks(place, names, n, 0, hi, 0)
}
# An axis of x in MiB from 0 to hi, with ticks at powers of two.
function mib_axis(what, hi, more,   unit, name, per, step, n, place, names) {
	per = 1
	unit = "MiB"
	if (hi >= 16384) { per = 1024; unit = "GiB" }
	if (hi >= 16384 * 1024) { per = 1024 * 1024; unit = "TiB" }
	if (!(hi > 0)) hi = 1
	for (step = per / 1048576; hi / step > (width < 60 ? 4 : 8); step *= 2) continue
	for (n = 0; n * step <= hi * 1.000001; n++) {
		place[n + 1] = n * step
		names[n + 1] = plain(n * step / per)
	}
	x_label(what ", " unit more)
	print "set xrange [0:" plain(hi) "]"
	x_ticks(place, names, n, 0, hi, 0)
	return unit " " per
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

# draw_lines: gives the axis of rates, and `curves' for gnuplot to plot:
# one over column 1 for each other column.  Where their means are more than
# tenfold apart the axis is logarithmic: otherwise the slow ones lie flat on the
# ground.  Many rows are drawn as the mean and the range of several, in $tmp/bins:
# `# each N' says of how many.  Rows of which some have no figure are drawn as
# points.  $tmp/notes may hold lines, a column
# and what the key says of it.
draw_lines() {
	awk -F '\t' -v text="$text" -v width="$width" -v bins_file="$tmp/bins" -v notes_file="$tmp/notes" "$awk_lib"'
	function curve(i,   name, title, look, k) {
		name = word_of(column[i])
		title = name note[name]
		k = 2 + 3 * (i - 2)
		# Parts without a figure: there are few samples in the others as well.
		if (gaps[i] > 0.05 * rows)
			return sprintf("\"data\" using 1:%d with points linetype %d pointsize %s title %s",
			    i, style(name), (rows > 1000 ? "0.3" : rows > 100 ? "0.6" : "1"), quote(title))
		if (!each) {
			look = rows <= (text ? 30 : 60) ? "linespoints" : "lines"
			# Dashes would look like gaps where there is but one curve.
			return sprintf("\"data\" using 1:%d with %s linetype %d%s title %s", i, look, style(name),
			    (columns == 2 ? " dashtype 1" : ""), quote(title))
		}
		return (text ? "" : sprintf("\"bins\" using 1:%d:%d with filledcurves linetype %d fillstyle transparent solid 0.2 noborder notitle, ",
		    k + 1, k + 2, style(name))) \
		    sprintf("\"bins\" using 1:%d with lines linetype %d title %s", k, style(name),
		    quote(title))
	}
	BEGIN {
		while ((getline line <notes_file) > 0)
			note[substr(line, 1, index(line, "\t") - 1)] = substr(line, index(line, "\t") + 1)
	}
	NR == 1 {
		columns = NF
		for (i = 2; i <= columns; i++) column[i] = $i
		next
	}
	{
		rows++
		x[rows] = $1
		for (i = 2; i <= columns; i++) {
			y[rows, i] = $i
			if (!known($i) || $i <= 0) { gaps[i]++; continue }
			if (lo == "" || $i + 0 < lo) lo = $i + 0
			if ($i + 0 > hi) hi = $i + 0
			sum[i] += $i
			values[i]++
		}
	}
	END {
		if (rows > (text ? 2 * width : 500)) {
			each = int(rows / (text ? width : 250))
			for (k = 1; k <= rows; k += each) {
				line = ""
				for (i = 2; i <= columns; i++) {
					n = total = 0
					for (m = k; m < k + each && m <= rows; m++) {
						if (!known(y[m, i])) continue
						if (!n || y[m, i] + 0 < least) least = y[m, i] + 0
						if (!n || y[m, i] + 0 > most) most = y[m, i] + 0
						total += y[m, i]
						n++
					}
					line = line (n ? "\t" plain(total / n) "\t" plain(least) "\t" plain(most) : "\tnan\tnan\tnan")
				}
				m = k + each - 1 > rows ? rows : k + each - 1
				print plain((x[k] + x[m]) / 2) line >bins_file
			}
			close(bins_file)
			for (i in sum) if (gaps[i] <= 0.05 * rows) binned = 1
			if (binned) print "# each " each
		}
		print "set datafile missing \"\""
		print "set ylabel " quote(axis_label(unit_of(column[2])))
		for (i in sum) {
			mean = sum[i] / values[i]
			if (low == "" || mean < low) low = mean
			if (mean > high) high = mean
		}
		if (high > 10 * low) log_axis("y", lo, hi)
		else print "set yrange [0:" plain((hi > 0 ? hi : 1) * 1.1) "]"
		for (i = 2; i <= columns; i++) {
			# What was not measured at all has no place in the key.
			if (!(i in sum)) continue
			curves = curves (curves == "" ? "" : ", ") curve(i)
		}
		print "curves = " quote(curves == "" ? "NaN notitle" : curves)
	}' "$tmp/data"
}

# titles: the picture's title, out of the # lines of the table.
titles() {
	awk -F '\t' -v heading="$heading" -v width="$width" -v counted="$counted" -v terminal="$text" "$awk_lib"'
	function many(n, what) { return n " " what (n == 1 ? "" : what ~ /s$/ ? "es" : "s") }
	function add(what) {
		if (line == "") line = what
		else if (length(line) + length(what) + 2 <= width) line = line ", " what
		else { text = text "\n" line ","; line = what }
	}
	# What was done: the column of rounds, or else the counted ones.
	FILENAME ~ /data$/ && FNR == 1 {
		for (i = 2; i <= NF; i++) if ($i == "rounds") rounds = i
		if (unit_of($2) ~ /^(us|IOPS|MB\/s|MiB\/s)$/) unit = unit_of($2)
		next
	}
	FILENAME ~ /data$/ {
		if (!rounds || !known($rounds)) next
		if (fewest == "" || $rounds + 0 < fewest) fewest = $rounds + 0
		if ($rounds + 0 > most) most = $rounds + 0
		next
	}
	/^# [^ ]+ ./ {
		key = value = substr($0, 3)
		sub(/ .*/, "", key)
		sub(/^[^ ]+ /, "", value)
		if (!(key in is)) is[key] = value
	}
	END {
		place = is["directory"] is["file"] is["disk"]
		if (fewest != "") counted = fewest == most ? most : fewest " to " most
		if (counted == "") counted = is["counted"]
		if (counted == "") counted = is["rounds"]
		if (length(place) > width / 2) {
			place = substr(place, length(place) - int(width / 2) + 1)
			sub(/^[^\/]*/, "...", place)
		}
		n = split(heading, part, " ")
		for (i = 1; i <= n; i++)
			if (line == "" || length(line) + length(part[i]) < width) line = line (line == "" ? "" : " ") part[i]
			else { text = text line "\n"; line = part[i] }
		text = text line
		line = ""
		if (place != "") add(place (is["filesystem"] == "" ? "" : " (" is["filesystem"] ")"))
		if (place != "" && is["host"] != "") add("on " is["host"])
		if ("hosts" in is) add(is["hosts"] " hosts")
		if ("started" in is) add(substr(is["started"], 1, 10))
		text = text "\n" line
		line = ""
		if ("size" in is) add(bytes(is["size"]) (is["disk"] != "" ? " of the disk" : is["file"] != "" ? " of the file" : " file"))
		if ("block" in is) add(bytes(is["block"]) " blocks")
		if ("order" in is) add(is["order"] ~ /^random/ ? "random order" : "in sequence")
		if ("processes" in is) add(many(is["processes"], "process"))
		if ("depth" in is) add("depth " is["depth"])
		if (counted ~ /^[0-9]/) add(many(counted, "round"))
		if (is["evict"] ~ /direct/) add("direct I/O")
		if (is["flush"] ~ /synchronous/) add("synchronous writes")
		# The text terminal draws no label of a vertical axis.
		if (terminal && unit != "") add("in " unit)
		print text "\n" line
	}' "$tmp/data" "$tmp/table" | {
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
	*.[pP][nN][gG]) cat <<END
if (strstrt(GPVAL_TERMINALS, " pngcairo ")) {
	set terminal pngcairo size 960,$height font 'sans,11' noenhanced background rgb 'white'
} else {
	set terminal png size 960,$height noenhanced
}
END
		;;
	*.[sS][vV][gG]) echo "set terminal svg size 960,$height font 'sans,14' noenhanced background rgb 'white'" ;;
	*.[pP][dD][fF]) cat <<END
if (strstrt(GPVAL_TERMINALS, " pdfcairo ")) {
	set terminal pdfcairo size 24cm,$((height / 40))cm font 'sans,11' noenhanced
} else {
	set terminal pdf size 24cm,$((height / 40))cm noenhanced
}
END
		;;
	*) echo "set terminal dumb $((width + 3)) $rows noenhanced" ;;
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
	if [ "$text" -eq 1 ]; then
		echo 'set key width 1'
		[ "$width" -ge 60 ] || echo 'set key maxcols 1 samplen 3'
	else
		echo "set grid linecolor rgb '#d8d8d8' linewidth 1 dashtype 1"
	fi
	titles
}

# text_width: the columns of the terminal that a text goes to.
text_width() {
	columns=${COLUMNS:-}
	[ -z "$picture" ] || columns=80
	if [ -z "$columns" ] && [ -n "$saved" ]; then
		columns=$(stty size <&1 2>/dev/null)
	elif [ -z "$columns" ]; then
		columns=$(stty size <&2 2>/dev/null)
	fi
	columns=${columns#* }
	case $columns in '' | *[!0-9]* | ?????*) columns=80 ;; esac
	[ "$columns" -gt 0 ] && [ "$columns" -lt 80 ] || columns=80
	[ "$columns" -ge 30 ] || columns=30
	width=$((columns - 4)) text=1
}

# plot: has gnuplot draw $tmp/table.
plot() {
	case $picture in
	*.[pP][nN][gG] | *.[sS][vV][gG] | *.[pP][dD][fF]) width=110 text=0 ;;
	*) text_width ;;
	esac
	draw >"$tmp/drawing" || exit 1
	{
		prelude
		cat "$tmp/drawing"
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
	awk -v header="$header" '
	BEGIN { n = split(header, begins, "|") }
	!found { for (i = 1; i <= n; i++) if (index($0, "#" begins[i]) == 1) found = 1; if (found) print substr($0, 2); next }
	/^$/ { exit }
	!/^#/ { rows++; print }
	END { exit rows == 0 }' "$tmp/table" >"$tmp/data" ||
	    fail "$1: holds no table that begins #$(printf '%s' "$header" | sed 's/|/ or #/g')"
}

stop() {
	rm -rf "$tmp"
	trap - 0 "$1"
	kill -"$1" $$
}

# catch: signals wait until what gbtestdisk prints after them is drawn.
catch() {
	trap 'caught=1' 1
	trap 'caught=2' 2
	trap 'caught=15' 15
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
			help
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
	'' | *.[pP][nN][gG] | *.[sS][vV][gG] | *.[pP][dD][fF] | *.[tT][xX][tT]) ;;
	*) usage_error "$picture" "a picture's name ends in .png, .svg, .pdf or .txt" ;;
	esac
	[ -z "$saved" ] || [ $((operands + $#)) -eq 0 ] ||
	    usage_error "-f $saved" 'nothing is measured, so no directory and no option can be given'
	refuse "$@"
	[ -z "$needs" ] || [ -n "$saved" ] || [ ! -e "$directory" ] || [ -d "$directory" ] ||
	    usage_error "$directory" "$script writes, so that it needs a directory"

	[ -z "$picture" ] || [ -d "$(dirname -- "$picture")" ] || fail "$picture: its directory does not exist"
	[ -z "$saved" ] || [ "$saved" = - ] || [ -r "$saved" ] || fail "$saved: it cannot be read"

	drawn=yes
	if [ -n "$silent" ] && [ -z "$picture" ]; then
		drawn=no
	elif ! command -v gnuplot >/dev/null; then
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
		catch
		{
			catch
			(
				catch
				measure "$@"
			)
			echo $? >"$tmp/status"
		} | (
			trap '' 1 2 15
			exec tee "$tmp/table"
		) || fail 'standard output: it cannot be written'
		read -r status <"$tmp/status"
		# Shells add 128, 256 or 384 to the number of a signal.
		case $status in 129 | 130 | 143 | 257 | 258 | 271 | 385 | 386 | 399) caught=$((status % 128)) ;; esac
		if [ "$status" -ne 0 ]; then
			[ -n "$caught$partial" ] || exit "$status"
			awk -v header="$header" '
			BEGIN { n = split(header, begins, "|") }
			found && !/^#/ { rows++ }
			{ for (i = 1; i <= n; i++) if (index($0, "#" begins[i]) == 1) found = 1 }
			END { exit !rows }' "$tmp/table" || {
				[ -z "$caught" ] || stop "$caught"
				exit "$status"
			}
		fi
		keep_rows 'gbtestdisk'
		finding | tee -a "$tmp/table" || fail 'standard output: it cannot be written'
		trap 'stop 1' 1
		trap 'stop 2' 2
		trap 'stop 15' 15
	fi
	case $drawn in yes) plot ;; '') status=1 ;; esac
	[ -z "$caught" ] || stop "$caught"
	exit "$status"
}

script=${0##*/}
