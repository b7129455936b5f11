#!/bin/sh
# The man page and the README say what the program does: its options and their
# defaults, the keys of -v and -j, its messages; their commands run.  Needs
# nothing; the page's form mandoc, the scripts' commands gnuplot, those of many
# hosts GNU parallel, a static build musl.
# shellcheck disable=SC2016 # what awk and other shells are to expand
. ./lib.sh

PAGE=$SRC/gbtestdisk.1
README=$SRC/README

# ---- what stands where -------------------------------------------------------

# section NAME [PART]: the page's source of that .Sh, and of that .Ss in it.
section() {
	awk -v name="$1" -v part="${2-}" '
	/^\.Sh / { on = substr($0, 5) == name; here = part == "" }
	/^\.Ss / && part != "" { here = substr($0, 5) == part }
	on && here && !/^\.S[hs] /' "$PAGE"
}

# tags: of the source on standard input, the tags of its lists, one a line.
tags() {
	awk '/^\.It / {
		n = split(substr($0, 5), tag, " , ")
		for (i = 1; i <= n; i++) { gsub(/\\-/, "-", tag[i]); print tag[i] }
	}'
}

# commands: of the source on standard input, the commands of its displays: one
# a line, with what continues it after tabs.
commands() {
	awk '
	/^\.Bd -literal/ { on = 1; next }
	/^\.Ed/ { on = 0 }
	!on { next }
	{ gsub(/\\-/, "-"); gsub(/\\e/, "\\") }
	/^ *\$ / { if (line != "") print line; line = $0; sub(/^ *\$ /, "", line); next }
	line != "" && /^> / { line = line "\t" substr($0, 3); next }
	line != "" { print line; line = "" }
	END { if (line != "") print line }'
}

# texts FILE: the strings of a C source, adjacent ones joined, after the name
# of the function or table that they stand in, and a tab.
texts() {
	awk '
	function out() { if (have) print where "\t" text; have = 0; text = "" }
	/^[a-z].*\(/ && !/;$/ { where = $0; sub(/\(.*/, "", where); sub(/.*[ *]/, "", where) }
	/^[}a-z].*\[\].*= [{]/ { where = $0; sub(/\[.*/, "", where); sub(/.*[ *]/, "", where) }
	/^#define [A-Z_]* ".* .* / { print "define\t" $0; next }
	/^#/ { next }
	{
		for (line = $0; line != ""; ) {
			if (comment) {
				if ((i = index(line, "*/")) == 0) break
				line = substr(line, i + 2)
				comment = 0
			} else if (match(line, /^[ \t]+/))
				line = substr(line, RLENGTH + 1)
			else if (substr(line, 1, 2) == "/*") {
				comment = 1
				line = substr(line, 3)
			} else if (match(line, /^"([^"\\]|\\.)*"/)) {
				text = text substr(line, 2, RLENGTH - 2)
				have = 1
				line = substr(line, RLENGTH + 1)
			} else {
				out()
				line = substr(line, 2)
			}
		}
	}
	END { out() }' "$1"
}

# messages FILE: those strings that go into messages, as a reader sees them: N
# for a number, ... for a word.
messages() {
	texts "$1" | awk -F '\t' '
	$1 ~ /^(memory_pages|ticker_draw|facts_(how|trust)|report_(settings|latency)|option_list|print_usage|usage_error|option_take)$/ { next }
	$2 ~ /^(standard output|a file|a block|open with O_DIRECT|%s at offset %.0f)$/ { next }
	$2 ~ /^( |, )/ { next }		# goes on with what has a tag
	$1 == "define" { sub(/^[^"]*"/, "", $2); sub(/"$/, "", $2) }
	$2 !~ /[a-z]+ [a-z]+/ && $2 !~ /^(writing|reading|flushing|closing|opening|direct I.O|cannot allocate: %s)$/ { next }
	{
		sub(/^: /, "", $2)
		gsub(/%%/, "\001", $2)
		gsub(/(part|round)%s/, "&s", $2)
		gsub(/%ss/, "s", $2)
		gsub(/%[.0-9]*[fgd]/, "N", $2)
		gsub(/%s/, "...", $2)
		gsub(/\001/, "%", $2)
		print $1 "\t" $2
	}' | sort -u
}

# want_tags MESSAGES TAGS: each message begins with a tag, perhaps after what
# it quotes, and each tag begins a message.
want_tags() {
	awk -F '\t' '
	function begins(text, tag,    rest) {
		rest = text
		while (1) {
			if (index(rest, tag) == 1) return 1
			if (!match(rest, /^([^ ]+: |\047[^\047]*\047 |-o mix: |-m \047N\047: too large: )/)) return 0
			rest = substr(rest, RLENGTH + 1)
		}
	}
	FNR == 1 { file++ }
	file == 1 { tag[++tags] = $0; next }
	{
		found = 0
		for (i = 1; i <= tags; i++) if (begins($2, tag[i])) { used[i] = 1; found = 1 }
		if (!found) print "no tag: " $2
	}
	END { for (i = 1; i <= tags; i++) if (!used[i]) print "no message: " tag[i] }' "$2" "$1" >"$T/wrong"
	[ -s "$2" ] && [ -s "$1" ] || echo 'nothing was found' >>"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")"
}

# ---- the page and the program ------------------------------------------------

if t 'each message is a tag of DIAGNOSTICS, and each tag a message'; then
	messages "$SRC/gbtestdisk.c" >"$T/messages"
	section DIAGNOSTICS | tags >"$T/tags"
	want_tags "$T/messages" "$T/tags"
fi

if t_all 'warnings are among the warnings, usage errors among the usage errors'; then
	messages "$SRC/gbtestdisk.c" | grep '^\(doubt_[a-z]*\|round_complete\|guard_tell\)	' >"$T/messages"
	echo 'prepare	no guard process could be started' >>"$T/messages"
	section DIAGNOSTICS Warnings | tags >"$T/tags"
	want_tags "$T/messages" "$T/tags"
	messages "$SRC/gbtestdisk.c" | grep '^\(parse_[a-z]*\|option[a-z_]*\)	' >"$T/messages"
	section DIAGNOSTICS 'Usage errors' | tags >"$T/tags"
	want_tags "$T/messages" "$T/tags"
fi

# Of -v, the keys of a directory with each column, of a file and of a disk.
if t 'each key of -v is explained, and no other'; then
	truncate -s 1m "$D/file" 2>/dev/null || head -c 1048576 /dev/zero >"$D/file"
	{
		"$G" -c 1 -r 1 -w 50 -q 2 -v "$D" 2>/dev/null
		"$G" -r 1 -v "$D/file" 2>/dev/null
		echo '# disk x'
	} >"$T/out"
	section OUTPUT 'What was tested: Fl v' | tags | sort -u >"$T/tags"
	sed -n 's/^# //p' "$T/out" | awk '
	/^(device|cpu) / { print $1 " " $2; next }
	/^in flight / { print $1 " " $2 " " $3; next }
	{ print $1 }' | sort -u >"$T/keys"
	cmp -s "$T/tags" "$T/keys" || fail "$(diff "$T/keys" "$T/tags")"
fi

if t_all 'the names in the object of -j are those that the page shows'; then
	works -j -c 1 -r 1 -l -m 1 "$D"
	names() { grep -o '"[a-z][a-z_]*":' | sort -u; }
	section OUTPUT 'JSON: Fl j' | names >"$T/tags"
	names <"$T/out" >"$T/keys"
	cmp -s "$T/tags" "$T/keys" || fail "$(diff "$T/keys" "$T/tags")"
fi

if t 'each default that -h shows is that of the page'; then
	works -h
	sed -n 's/^  -\([a-zA-Z]\) .*(\([^ ()]*\))$/\1 \2/p' "$T/out" >"$T/defaults"
	[ "$(wc -l <"$T/defaults")" -ge 8 ] || fail 'no defaults in -h'
	while read -r letter value; do
		section OPTIONS | awk -v letter="$letter" -v value="$value" '
		/^\.It / { on = $3 == letter }
		on && (index($0, "default is " value) || ($0 ~ "^\\.Cm " value "$")) { found = 1 }
		END { exit !found }' || fail "-$letter: not said: the default is $value"
	done <"$T/defaults"
fi

if t_all 'mandoc has nothing to say of the page'; then
	if need mandoc; then
		mandoc -T lint -W warning "$PAGE" >"$T/out" 2>&1
		grep -v 'outdated mandoc.db' "$T/out" >"$T/err"
		[ ! -s "$T/err" ] || fail 'it has'
	fi
fi

if t_all 'the table of systems is no wider than 78 columns'; then
	if need mandoc; then
		mandoc -T ascii "$PAGE" 2>/dev/null | sed "s/.$(printf '\b')//g" |
		    awk '/^ *System  *Evicts/ { on = 1 } on && NF == 0 { exit } on { n++; if (length > 78) bad = 1 }
		    END { exit bad || n < 10 }' || fail 'it is, or it is not there'
	fi
fi

if t_all 'groff can break each line of the page'; then
	if need groff; then
		groff -ww -mdoc -T ascii "$PAGE" 2>"$T/err" >/dev/null
		! grep -q 'break' "$T/err" || fail 'it cannot'
	fi
fi

# ---- the commands ------------------------------------------------------------

# The commands find the programs by the names under which they are installed.
# A launcher that is not here, and other hosts, are played by this one.
BIN=$T/bin
mkdir "$BIN"
ln -s "$G" "$BIN/gbtestdisk"
for script in "$SRC"/plot/*; do
	[ "${script##*/}" = lib.sh ] || ln -s "$script" "$BIN/gbtestdisk-${script##*/}"
done
cat >"$BIN/srun" <<'END'
#!/bin/sh
# srun -N 3 -l COMMAND...: three times at once, each line with its number.
[ "$1 $2 $3" = '-N 3 -l' ] || exit 2
shift 3
for rank in 0 1 2; do "$@" | sed "s/^/$rank: /" & done
wait
END
cat >"$BIN/mpirun" <<'END'
#!/bin/sh
# mpirun -host a,b,c COMMAND...
[ "$1 $2" = '-host a,b,c' ] || exit 2
shift 2
for rank in 0 1 2; do "$@" & done
wait
END
chmod +x "$BIN/srun" "$BIN/mpirun"

# smaller: of the commands on standard input, files and times as small as a
# test wants them, and what they name put into $D.
smaller() {
	sed "s|/mnt/\([ab]\)|$D/\1|g
	s|/mnt/shared|$D|g; s|/media/stick|$D|g; s|/mnt\( \|$\)|$D\1|g
	s|/dev/sda|$D/disk|g; s|-H a,b,c|-H :|
	s/-c 32g/-c 128/; s/-c \(28g\|1g\|256\|22\)\( \|$\)/-c 4\2/g; s/-c \\\$size/-c 1/
	s/-b 4k,64k,1m,8m/-b 64k,1m/
	s/-r 100 -i 10/-r 3 -i 0.1/; s/-m 500\( \|$\)/-m 50\1/; s/-m 200\( \|$\)/-m 20\1/
	s/-t 600/-t 2/; s/-t 120/-t 2/; s/-t 60/-t 1/; s/-t [1-3][05]/-t 0.5/g
	s/^gbtestdisk-sync$/gbtestdisk-sync -p 1,2 -- -c 1 -t 0.5/
	s/^\(gbtestdisk-cdm.*\)/\1 -- -c 4/; s/-n 10/-n 5/
	s/^\(gbtestdisk-size -o size.png .*\)/\1 -- -c 1 -r 1/"
}

# want_commands: those in $T/list work, in a directory that has what they name.
want_commands() {
	[ -s "$T/list" ] || fail 'no command was found'
	mkdir -p "$D/a" "$D/b" "$T/home"
	head -c 64000000 /dev/urandom >"$D/disk"
	cp "$D/disk" "$D/dump.sql"
	smaller <"$T/list" >"$T/small"
	while read -r line; do
		printf '%s\n' "$line" | tr '\t' '\n' >"$T/command"
		begin=$(date +%s)
		(cd "$D" && PATH=$BIN:$PATH GBTESTDISK=$G run_with sh "$T/command"; echo "$status" >"$T/status")
		status=$(cat "$T/status")
		[ "$status" -eq 0 ] || fail "status $status of $(cat "$T/command")"
		[ -s "$T/out" ] || [ -n "$(ls "$D"/*.png 2>/dev/null)" ] || case $line in
		*awk*) ;;
		*) fail "nothing came of $(cat "$T/command")" ;;
		esac
		[ $(($(date +%s) - begin)) -le 60 ] || fail "more than a minute: $(cat "$T/command")"
		# What warns of a small file, or of this machine, is no fault of the command.
		! grep -q ': usage: ' "$T/err" || fail "a usage error of $(cat "$T/command")"
	done <"$T/small"
	[ -z "$(find "$D" -name 'gbtest-*')" ] || fail 'a scratch file is left'
}

# can_direct: skips the case where commands with -d cannot run.
can_direct() { on_disk && on_direct; }

if t 'the commands of the page and of the README have no usage error'; then
	{
		section EXAMPLES | commands
		sed -n 's/^    \(gbtestdisk.*\)/\1/p' "$README"
	} | tr '\t' ' ' | sed 's/|.*//; s/ >.*//' | grep '^gbtestdisk ' >"$T/list"
	[ "$(wc -l <"$T/list")" -ge 20 ] || fail 'where are they?'
	# Each is a usage error as soon as an option is added that is none: that one, and no other.
	head -c 1000000 /dev/zero >"$D/disk"
	smaller <"$T/list" | while read -r line; do
		case $line in *'$'*) continue ;; esac
		# shellcheck disable=SC2086 # words
		(cd "$D" && set -- ${line#gbtestdisk} && "$G" "$@" -? >/dev/null 2>"$T/err" </dev/null)
		grep -q -- "'\\{0,1\\}-?'\\{0,1\\}: no such option" "$T/err" || echo "$line: $(cat "$T/err")"
	done >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")"
fi

if t 'the questions of the README have the commands of the page'; then
	awk '/^Questions and commands/ { on = 1 } /^Using it/ { on = 0 }
	on && /^    gbtestdisk/ { sub(/^ */, ""); print }' "$README" | sort >"$T/readme"
	section EXAMPLES | commands | tr '\t' '\n' | sort >"$T/page"
	[ "$(wc -l <"$T/readme")" -ge 10 ] || fail 'few questions'
	comm -23 "$T/readme" "$T/page" >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "only in the README: $(cat "$T/wrong")"
fi

if t_all 'the commands of the page that need nothing but the program'; then
	if can_direct; then
		section EXAMPLES | commands | grep '^gbtestdisk ' | grep -v 'jq\|gbtestdisk-' >"$T/list"
		want_commands
	fi
fi

if t_all 'the one that reads the object'; then
	if need jq; then
		section EXAMPLES | commands | grep jq >"$T/list"
		want_commands
		want_out '^[0-9.]*$'
	fi
fi

if t_all 'the one that fails a deployment, for each reason'; then
	section EXAMPLES Deployments | commands | head -n 1 | tr '\t' '\n' >"$T/command"
	mkdir "$T/stub"
	for rates in '100 200 0' '99.9 200 1' '100 199.9 1' 'none none 1'; do
		# shellcheck disable=SC2086 # words
		set -- $rates
		printf '#!/bin/sh\n[ %s = none ] || printf "avg\\t%s\\t%s\\n"\n' "$1" "$1" "$2" >"$T/stub/gbtestdisk"
		chmod +x "$T/stub/gbtestdisk"
		(PATH=$T/stub:$PATH run_with sh "$T/command"; echo "$status" >"$T/status")
		[ "$(cat "$T/status")" = "$3" ] || fail "status $(cat "$T/status") at $1 and $2"
	done
fi

if t_all 'the commands of the page that run the scripts'; then
	if need gnuplot && can_direct; then
		section EXAMPLES | commands | grep '^gbtestdisk-\|gbtestdisk-map' |
		    grep -v 'history\|hosts' >"$T/list"
		want_commands
	fi
fi

if t_all 'the drawing without the scripts'; then
	if need gnuplot; then
		section EXAMPLES Pictures | commands | grep '^for \|^gnuplot' >"$T/list"
		want_commands
		want_out write
	fi
fi

# The log is that of the line for cron, which has a line for each week.
if t_all 'the line for cron fills the log that gbtestdisk-history reads'; then
	if need gnuplot; then
		section EXAMPLES 'From month to month' | sed -n 's/^0 4 \* \* 0 //p' |
		    sed 's|/usr/local/bin|$BIN|; s|-c 1g /mnt|-c 1 -r 1 "$D"|' >"$T/cron"
		[ -s "$T/cron" ] || fail 'no line for cron'
		export BIN D
		for week in 1 2 3 4 5 6; do
			(cd "$D" && run_with sh "$T/cron"; echo "$status" >"$T/status")
			[ "$(cat "$T/status")" = 0 ] || fail "week $week"
		done
		[ "$(grep -c '^{.*}$' "$D/disk.log")" = 6 ] || fail 'not six objects'
		section EXAMPLES 'From month to month' | commands | sed 's/-w 20/-w 99/' >"$T/list"
		want_commands
	fi
fi

if t_all 'the commands of many hosts'; then
	if need gnuplot parallel; then
		section EXAMPLES | commands | grep 'hosts -H\|^srun\|^mpirun' >"$T/list"
		[ "$(wc -l <"$T/list")" -ge 4 ] || fail 'not all were found'
		want_commands
	fi
fi

# Ten times as short, the durations that are promised are kept: what is not
# promised, the flush and the file that is there before, is small here.
if t_all 'the questions are answered in the time that is said'; then
	if need gnuplot && can_direct; then
		section EXAMPLES | awk '
		/^\.Bd -literal/ { on = 1; next }
		/^\.Ed/ { on = 0 }
		!on { next }
		/\? .* [0-9]+ (s|min)$/ { said = $(NF - 1) * ($NF == "min" ? 60 : 1); next }
		/^ *\$ / && said { sub(/^ *\$ /, ""); print said "\t" $0 }
		{ said = 0 }' >"$T/list"
		[ "$(wc -l <"$T/list")" -ge 5 ] || fail 'few durations'
		while read -r said line; do
			[ "$said" -lt 600 ] || said=60 line=$(echo "$line" | sed 's/-t 600/-t 60/')
			line=$(printf '%s\n' "$line" | sed 's/-t \([0-9]*\)0\( \|$\)/-t \1\2/; s/-t 15/-t 1.5/; s/-c 1g/-c 16/
			s/^gbtestdisk-sync$/gbtestdisk-sync -- -t 1/')
			begin=$(date +%s)
			# shellcheck disable=SC2086 # words
			(cd "$D" && PATH=$BIN:$PATH GBTESTDISK=$G run_with $line; echo "$status" >"$T/status")
			took=$(($(date +%s) - begin))
			[ "$(cat "$T/status")" = 0 ] || fail "status $(cat "$T/status") of $line"
			[ "$took" -le $((said / 10 + said / 30 + 10)) ] || fail "$took s, not $((said / 10)): $line"
		done <"$T/list"
	fi
fi

# ---- the README --------------------------------------------------------------

if t 'the README has the two commands that are run for each change'; then
	[ "$(grep -c '^    make && \./gbtestdisk -c 64 -v$\|^    make check$' "$README")" = 2 ] || fail 'it has not'
	[ ! -f "$SRC/.ci/run" ] || grep -q "^readme='make && ./gbtestdisk -c 64 -v && make check'$" "$SRC/.ci/run" ||
	    fail 'others are run'
fi

if t 'a topic of the README is no longer than two screens, of 80 columns'; then
	awk '
	function ends() { if (lines > 49) print name ": " lines " lines" }
	length > 80 { print "wide: " $0 }
	/^-+$/ { lines--; ends(); name = last; lines = 1 }
	{ lines++; last = $0 }
	END { ends() }' "$README" >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")"
fi

if t_all 'the example of the README that goes on until it is sure'; then
	sed -n 's/^    \(gbtestdisk -c 1g -e .*\)/\1 -t 5/p' "$README" >"$T/list"
	want_commands
fi

if t_all 'what the README says of other boxes'; then
	mkdir "$T/tree"
	cp "$SRC/Makefile" "$SRC/gbtestdisk.c" "$T/tree"
	awk '/^Building for other boxes/ { on = 1 } /^Faults/ { on = 0 }
	on && /^    / { line = line substr($0, 5); if (sub(/\\$/, "", line)) next; print line; line = "" }' "$README" >"$T/list"
	[ "$(wc -l <"$T/list")" = 3 ] || fail 'not three commands'
	while read -r line; do
		case $line in
		*musl-gcc*) command -v musl-gcc >/dev/null || { skip 'needs musl-gcc'; break; } ;;
		esac
		rm -f "$T/tree/gbtestdisk"
		(cd "$T/tree" && sh -c "$line") >"$T/err" 2>&1 || fail "failed: $line"
		run_with "$T/tree/gbtestdisk" -c 1 -r 1 "$D"
		want_status 0
		kbytes=$(($(wc -c <"$T/tree/gbtestdisk") / 1000))
		case $line in
		*-Os*) [ "$kbytes" -lt 160 ] || fail "$kbytes kB: $line" ;;
		*-static*) [ "$kbytes" -lt 200 ] || fail "$kbytes kB: $line" ;;
		esac
	done <"$T/list"
	# Each of the things that can be left out is known to the source.
	grep -o 'DNO_[A-Z]*' "$README" | sed 's/^D//' | while read -r word; do
		grep -q "defined($word)\|ifn*def $word$" "$SRC/gbtestdisk.c" || echo "$word is nothing"
	done >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")"
fi

finish
