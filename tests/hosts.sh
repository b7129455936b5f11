#!/bin/sh
# plot/hosts: the reports of many hosts, through ssh and out of launchers'
# output, their table, total and picture.  Needs gnuplot, and for some cases
# GNU parallel, sshd, Slurm with munge (as root), or Open MPI.

. ./lib.sh

P=$SRC/plot
TMPDIR=$T/tmp
export TMPDIR
mkdir "$TMPDIR"
old_path=$PATH

# script ARGUMENT...: runs plot/hosts, with its output kept.
script() {
	# shellcheck disable=SC2086 # a word or two
	run_with ${shell_under_test:-} "$P/hosts" "$@"
}

# want_png FILE WIDTH HEIGHT: it is one, of that size.
want_png() {
	[ "$(od -An -tx1 -N24 "$1" | tr -d ' \n')" = \
	    "89504e470d0a1a0a0000000d49484452$(printf '%08x%08x' "$2" "$3")" ] || fail "$1 is no PNG of $2 by $3"
}

want_nothing_left() {
	want_empty
	want_empty "$TMPDIR"
}

# row NAME: a row of the table, its fields with commas between.
row() { awk -F '\t' -v name="$1" '$1 == name' "$T/out" | tr '\t' ','; }
want_row() { [ "$(row "$1")" = "$1,$2" ] || fail "row $1 is $(row "$1"), not $1,$2"; }

can_parallel() {
	parallel --version 2>/dev/null | grep -q GNU && return 0
	skip 'needs GNU parallel'
	return 1
}

# report FILE HOST BYTES START END: what -j says of one host, of two rounds.
report() {
	cat >"$1" <<END
{"program":"gbtestdisk","version":"1.0","time":5,"host":"$2","system":"x \u0022rounds\u0022:[",
"directory":"/d \u0022write\u0022:{","filesystem":"nfs","settings":{"size":$3,"block":1048576,"rounds":2,
"columns":["write","read"],"random":false,"processes":1,"depth":1,"sync":false,"direct":true},"unit":"MB/s",
"rounds":[{"round":1,"seconds":1,"write":{"start":$4,"end":$5,"bytes":$3,"calls":1,"seconds":2.0,"rate":1.0},
"read":{"start":1001,"end":1002,"bytes":$3,"calls":1,"seconds":1.0,"rate":1.0}}
,{"round":2,"seconds":1,"write":{"start":2000,"end":2004,"bytes":$3,"calls":1,"seconds":4.0,"rate":1.0},
"read":{"start":3000,"end":3001,"bytes":$3,"calls":1,"seconds":1.0,"rate":1.0}}],
"summary":{"write":{"max":7}},"flush":"fsync","evict":"none","evicted":true,"warnings":[]}
END
}

# a_parallel: puts a `parallel' into PATH that answers as that of two hosts
# and of one that fails.
a_parallel() {
	mkdir -p "$T/fake"
	cat >"$T/fake/parallel" <<END
#!/bin/sh
[ "\$1" != --version ] || { echo GNU parallel; exit; }
for host in a 'ssh -p 22 u@b'; do
	sed "s/^/\$host	/" '$T'/json."\${host##*@}"
	printf '%s\t\n%s\tstatus 0\n' "\$host" "\$host"
done
printf 'c\t\nc\tstatus 3\n'
END
	chmod +x "$T/fake/parallel"
}

report "$T/json.a" a 100000000 1000.0 1002.0
report "$T/json.b" b 300000000 1000.5 1002.5
a_parallel
printf 'a # first\n\n4/ssh -p 22 u@b\nc\nd\n' >"$T/list"

if t 'rows, totals and failures are what the reports say'; then
	PATH=$T/fake:$PATH
	script -H "$T/list" -o "$T/x.png" /d
	PATH=$old_path
	want_status 1
	# 100 MB in 2 s and 4 s; 800 MB in 2.5 s and 4 s; 800 MB in 1 s and 1 s.
	want_row a 33.333333,100.000000
	want_row u@b 100.000000,300.000000
	want_row total 123.076923,400.000000
	want_out '^# starts within 0.500000 s$'
	want_out '^# hosts 2 of 4$'
	want_out '^# filesystem nfs$'
	want_out '^# directory /d "write":{$'
	want_out '^# evicted yes$'
	want_out '^# counted 2$'
	want_err '^hosts: c: .*status 3$'
	want_err '^hosts: d: no answer$'
	! command -v gnuplot >/dev/null || want_png "$T/x.png" 960 640
fi

if t 'this host, and one that is not there' && need gnuplot; then
	if can_parallel && need ssh; then
		script -H :,no-such-host.invalid -w 5 -o "$T/x.png" "$D" -- -c 1
		want_status 1
		want_err '^hosts: no-such-host.invalid: no answer$'
		want_err '^hosts: no-such-host.invalid: ssh: .*no-such-host.invalid'
		[ "$(wc -l <"$T/err")" -eq 2 ] || fail 'not two lines on standard error'
		! grep -q "[^ -~]" "$T/err" || fail 'a control character on standard error'
		[ "$(row total)" = "$(row "$(uname -n)" | sed 's/^[^,]*/total/')" ] ||
		    fail "the total of one host is not its row"
		want_out "^$(uname -n)	"
		want_out '^total	'
		want_png "$T/x.png" 960 640
		want_nothing_left
		script -H : -w 2 "$D/missing"
		want_status 1
		want_err 'missing: No such file'
		want_err "^hosts: $(uname -n): .*status 1$"
		# One that answers late has to be told from one that took part.
		mkdir "$T/slow"
		cat >"$T/slow/parallel" <<END
#!/bin/sh
[ "\$1" = --version ] || sleep 2
exec '$(command -v parallel)' "\$@"
END
		chmod +x "$T/slow/parallel"
		PATH=$T/slow:$PATH
		script -H : -w 0 "$D"
		PATH=$old_path
		want_status 1
		want_err 'past the common start'
		want_nothing_left
	fi
fi

# server: starts an sshd of our own, which knows nobody but $T/ssh/config.
server() {
	sshd=$(command -v sshd || ls /usr/sbin/sshd 2>/dev/null)
	if [ -z "$sshd" ]; then
		skip 'needs sshd'
		return 1
	fi
	need ssh ssh-keygen || return 1
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	mkdir "$T/ssh"
	ssh-keygen -q -t ed25519 -N '' -f "$T/ssh/host"
	ssh-keygen -q -t ed25519 -N '' -f "$T/ssh/key"
	port=$((20000 + $$ % 20000))
	cat >"$T/ssh/sshd_config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $T/ssh/host
AuthorizedKeysFile $T/ssh/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
END
	cat >"$T/ssh/config" <<END
Host one two
HostName 127.0.0.1
Port $port
IdentityFile $T/ssh/key
IdentitiesOnly yes
BatchMode yes
UserKnownHostsFile /dev/null
StrictHostKeyChecking no
LogLevel ERROR
END
	"$sshd" -D -f "$T/ssh/sshd_config" -E "$T/ssh/log" &
	server_pid=$!
	trap 'kill $server_pid 2>/dev/null; clean_up' 0
	await ssh -F "$T/ssh/config" one true 2>/dev/null && return 0
	skip "sshd does not let us in: $(tail -n 1 "$T/ssh/log")"
	return 1
}

if t 'through ssh, started on the same second, in a directory of any name' && can_parallel && server; then
	name="it's \"a\" \$b
c"
	mkdir "$D/$name"
	PARALLEL_SSH="ssh -F $T/ssh/config"
	export PARALLEL_SSH
	script -H one,two,: -w 10 -o "$T/x.png" "$D/$name" -- -c 8 -r 2 -o write,read,cache
	unset PARALLEL_SSH
	if command -v gnuplot >/dev/null; then want_status 0; fi
	for name in one two "$(uname -n)" total; do
		want_out "^$name	[0-9.na]*	[0-9.na]*	[0-9.na]*$"
	done
	within=$(sed -n 's/^# starts within \(.*\) s$/\1/p' "$T/out")
	want "${within:-9} < 1"
	find "$D" -name 'gbtest-*' >"$T/left"
	[ ! -s "$T/left" ] || fail "left: $(cat "$T/left")"
	want_empty "$TMPDIR"
	kill "$server_pid"
	wait "$server_pid" 2>/dev/null
fi

# object HOST START SECONDS [DIRECTORY [COLUMNS [WARNING [ROUNDS]]]]: what -j
# says of a host that moved 100 MB in each pass: the writes took so long, and the
# reads, which began when those ended, half of that.
object() {
	awk -v host="$1" -v start="$2" -v took="$3" -v directory="${4:-/d}" -v columns="${5:-write,read}" \
	    -v warning="${6-}" -v rounds="${7:-1}" '
	BEGIN {
		n = split(columns, column, ",")
		gsub(/,/, "\",\"", columns)
		printf "{\"program\":\"gbtestdisk\",\"version\":\"1.0\",\"time\":1796207976.975718,\"host\":\"%s\",\"system\":\"Linux\"", host
		printf ",\"directory\":\"%s\",\"filesystem\":\"nfs\",\"settings\":{\"size\":100000000,\"block\":1048576,\"rounds\":%d", directory, rounds
		printf ",\"columns\":[\"%s\"],\"random\":false,\"processes\":1,\"depth\":1,\"write_percent\":null,\"sync\":false", columns
		printf ",\"direct\":false,\"seconds\":null,\"map\":null},\"unit\":\"MB/s\",\"rounds\":["
		for (k = 1; k <= rounds; k++) {
			printf "%s{\"round\":%d,\"seconds\":1.000000", (k > 1 ? "," : ""), k
			for (i = 1; i <= n; i++) {
				long = column[i] == "write" ? took : took / 2
				printf ",\"%s\":{\"start\":%.6f,\"end\":%.6f,\"bytes\":100000000,\"calls\":96,\"seconds\":%.6f,\"rate\":%.6f}", \
				    column[i], start, start + long, long, 100 / long
				start += long
			}
			printf "}"
			start += 1
		}
		printf "],\"summary\":{"
		for (i = 1; i <= n; i++) {
			rate = 100 / (column[i] == "write" ? took : took / 2)
			printf "%s\"%s\":{\"max\":%.6f,\"min\":%.6f,\"avg\":%.6f,\"ci\":null}", (i > 1 ? "," : ""), column[i], rate, rate, rate
		}
		printf "},\"writes\":100000000,\"flush\":\"fsync\",\"evict\":\"posix_fadvise\",\"counted\":%d,\"evicted\":true", rounds
		print ",\"resident\":0.000000,\"interrupted\":null,\"warnings\":[" (warning == "" ? "" : "\"" warning "\"") "]}"
	}'
}

# launched: runs it over $T/launched, into a picture that is looked at elsewhere.
launched() { script -f "$T/launched" -o "$T/x.png"; }

# pieces FILE SIZE FORMAT: a long line as lines of that many bytes, each in
# awk's format.
pieces() {
	awk -v size="$2" -v format="$3" '{
		while ($0 != "") { printf format "\n", substr($0, 1, size); $0 = substr($0, size + 1) }
	}' "$1"
}

object alpha 1000 1 >"$T/alpha"
object beta 1000.1 1 >"$T/beta"
object gamma 1000 0.9 >"$T/gamma"

# want_three: the figures of these three.
want_three() {
	want_status "${1:-0}"
	want_row alpha 100.000000,200.000000
	want_row beta 100.000000,200.000000
	want_row gamma 111.111111,222.222222
	# From 1000.0 to 1001.1, and from 1000.9 to 1001.6.
	want_row total 272.727273,428.571429
	want_out '^# hosts 3 of 3$'
}

# three FORMAT: the objects of those three, each after a label of that format.
# shellcheck disable=SC2059
three() {
	{
		printf "$1" 0
		cat "$T/alpha"
		printf "$1" 1
		cat "$T/beta"
		printf "$1" 2
		cat "$T/gamma"
	} >"$T/launched"
}

if t 'a label before each object, or none' && need gnuplot; then
	# shellcheck disable=SC2059 # formats of labels
	while IFS= read -r label; do
		three "$label"
		launched
		want_three
		[ ! -s "$T/err" ] || fail "'$label': $(cat "$T/err")"
	done <<'END'

%d: 
[1,%d]<stdout>:
[1,%d]<stdout>: 
[prterun-a-17@1,%d]<stdout>: 
[%d] 
node%d\t
node%d: 
pod-%d 
[pod/pod-%d/main] 
node%d | CHANGED | rc=0 | (stdout) 
2026-12-02T10:39:3%d.123456789Z 
    
END
	grep -q "^# started 2026-12-02T10:39:36Z$" "$T/out" || fail 'the time of the objects is not the start'
	"$P/hosts" -f - -o "$T/x.png" <"$T/launched" >"$T/out" 2>"$T/err"
	status=$?
	want_three
	for name in alpha beta gamma; do
		printf '%s | CHANGED | rc=0 >>\n' "$name"
		sed "s/\$/$(printf '\r')/" "$T/$name"
	done >"$T/launched"
	launched
	want_three
	sed 's/$/ (stderr) /' "$T/alpha" "$T/beta" "$T/gamma" >"$T/launched"
	launched
	want_three
	[ ! -s "$T/err" ] || fail "an empty (stderr): $(cat "$T/err")"
	want_nothing_left
fi

if t 'the table is on standard output, and a picture as text on standard error' && need gnuplot; then
	three ''
	script -f "$T/launched"
	want_three
	want_err 'Many hosts at once'
	! grep -q 'Many hosts' "$T/out" || fail 'the picture is in the table'
	cp "$T/out" "$T/saved"
	script -f "$T/saved"
	want_status 0
	want_out 'Many hosts at once'
	want_no_err
fi

if t 'without gnuplot the table of a launcher is there, with a message and status 1'; then
	three ''
	mkdir -p "$T/none"
	for command in awk cat sed sort grep tr rm mkdir mv dirname readlink iconv date uname tee sh wc stty; do
		found=$(command -v "$command") && ln -sf "$found" "$T/none/$command"
	done
	none=$T/none
	PATH=$none
	script -f "$T/launched" -o "$T/none.png"
	PATH=$old_path
	want_three 1
	want_err 'gnuplot is not installed'
fi

if t 'srun -l breaks a line into labelled ones, and mixes them' && need gnuplot; then
	for size in 1024 300 50; do
		pieces "$T/alpha" "$size" '0: %s' >"$T/p0"
		pieces "$T/beta" "$size" '1: %s' >"$T/p1"
		pieces "$T/gamma" "$size" '2: %s' >"$T/p2"
		paste -d '\n' "$T/p0" "$T/p1" "$T/p2" | grep . >"$T/launched"
		launched
		want_three
		[ ! -s "$T/err" ] || fail "pieces of $size: $(cat "$T/err")"
	done
	# Its own words may come between.
	{
		head -n 5 "$T/p0"
		echo '0: gbtestdisk: warning: /d: it is warm'
		echo 'srun: error: node7: task 7: Exited with exit code 1'
		tail -n +6 "$T/p0"
		cat "$T/beta" "$T/gamma"
	} >"$T/launched"
	launched
	want_three
	want_err '^hosts: .*: 2 lines are no objects of gbtestdisk:$'
	want_err 'Exited with exit code 1$'
fi

if t 'mpirun puts its labels into the middle of a line' && need gnuplot; then
	for size in 700 4096; do
		{
			pieces "$T/alpha" "$size" '[1,0]<stdout>:%s' | tr -d '\n'
			echo
			pieces "$T/beta" "$size" '[1,1]<stdout>:%s' | head -n 1 | tr -d '\n'
			pieces "$T/gamma" "$size" '[1,2]<stdout>:%s' | tr -d '\n'
			echo
			pieces "$T/beta" "$size" '[1,1]<stdout>:%s' | tail -n +2 | tr -d '\n'
			echo
			echo '[1,1]<stderr>:gbtestdisk: warning: /d: it is warm'
		} >"$T/launched"
		launched
		want_three
		want_err '1 lines are no objects'
	done
fi

if t 'pieces without labels, as far as they can be told' && need gnuplot; then
	# A B A B, as srun without -l writes them.
	half_of() { awk -v size=700 -v half="$2" '{ printf "%s", half == 1 ? substr($0, 1, size) : substr($0, size + 1) }' "$T/$1"; }
	{
		half_of alpha 1
		half_of gamma 1
		half_of alpha 2
		echo
		half_of gamma 2
		echo
		cat "$T/beta"
	} >"$T/launched"
	launched
	want_status 0
	want_three
	# Both second halves fit both first ones, but for the means of the rounds.
	{
		sed 's/\],"summary".*//' "$T/gamma" | tr -d '\n'
		sed 's/\],"summary".*//' "$T/beta"
		sed 's/.*\(\],"summary"\)/\1/' "$T/gamma" "$T/beta"
		cat "$T/alpha"
	} >"$T/launched"
	launched
	want_three
	# Words of the launcher come between.
	{
		sed 's/,"writes".*//' "$T/alpha"
		echo 'srun: error: node7: task 7: Exited with exit code 1'
		sed 's/.*\(,"writes"\)/\1/' "$T/alpha"
		cat "$T/beta" "$T/gamma"
	} >"$T/launched"
	launched
	want_three
	want_err 'Exited with exit code 1$'
	# What cannot be told apart is not guessed at: halves that fit both.
	object beta 1000.1 1 /e >"$T/other"
	cut -c 1-900 "$T/beta" >"$T/b1"
	cut -c 1-900 "$T/other" >"$T/o1"
	{
		tr -d '\n' <"$T/b1"
		cat "$T/o1"
		cut -c 901- "$T/beta"
		cut -c 901- "$T/other"
		cat "$T/alpha"
	} >"$T/launched"
	launched
	want_status 1
	want_row alpha 100.000000,200.000000
	want_out '^# hosts 1 of 3$'
	[ "$(grep -c '^hosts: beta: its object is broken' "$T/err")" -eq 2 ] || fail 'not both are named as broken'
fi

if t 'an object that is cut off' && need gnuplot; then
	for length in 40 500 900; do
		{
			printf '0: '
			cut -c "1-$length" "$T/alpha"
			printf '0: '
			cat "$T/beta"
			printf '1: '
			cat "$T/gamma"
		} >"$T/launched"
		launched
		want_status 1
		want_out '^# hosts 2 of 3$'
		want_row beta 100.000000,200.000000
		want_err 'its object is broken'
		! grep -q '^alpha' "$T/out" || fail "figures of half an object"
	done
fi

if t 'lines that are no objects are counted and shown, and one that tells of a failure fails' && need gnuplot; then
	three '%d: '
	{
		echo 'Welcome to the cluster'
		echo
		echo '{"program":"other","x":1}'
		cat "$T/launched"
	} >"$T/more"
	script -f "$T/more" -o "$T/x.png"
	want_three
	want_err '^hosts: .*/more: 2 lines are no objects of gbtestdisk:$'
	want_err '^	Welcome to the cluster$'
	{
		cat "$T/more"
		awk 'BEGIN { for (i = 1; i <= 30; i++) print "line " i }'
	} >"$T/launched"
	launched
	want_three
	want_err ': 32 lines are'
	want_err '^	... and 12 more$'
	{
		cat "$T/more"
		echo '3: gbtestdisk: writing: /d: No space left on device'
	} >"$T/launched"
	launched
	want_three 1
	want_err 'No space left'
fi

if t 'what holds no object' && need gnuplot; then
	for text in '' 'Welcome' '{"program":"gbtestdisk"'; do
		printf '%s\n' "$text" >"$T/launched"
		launched
		want_status 1
		want_no_out
		want_err '^hosts: .*: holds no table that begins #host, and no whole object of gbtestdisk -j$'
	done
	three ''
	script -f "$T/launched" -H a
	want_status 2
	want_err '^hosts: -f .*: nothing is measured, so -H'
	want_nothing_left
fi

if t 'hosts of one name are told apart, and names sort by their numbers' && need gnuplot; then
	for i in 10 9 2; do
		printf 'rank%s ' "$i"
		object box 1000 1
	done >"$T/launched"
	launched
	[ "$(awk -F '\t' '/^box/ { printf "%s ", $1 }' "$T/out")" = 'box:rank2 box:rank9 box:rank10 ' ] ||
	    fail "names: $(cut -f 1 "$T/out" | tail -n 4)"
	for i in 10 9 2; do object "box$i" 1000 1; done >"$T/launched"
	launched
	[ "$(awk -F '\t' '/^box/ { printf "%s ", $1 }' "$T/out")" = 'box2 box9 box10 ' ] || fail 'not in order'
	for i in 1 2 3; do object box 1000 1; done >"$T/launched"
	launched
	for i in 1 2 3; do want_row "box:$i" 100.000000,200.000000; done
	want_row total 300.000000,600.000000
	# One may be called as the last row is.
	{
		object total 1000 1
		object '#host' 1000 1
	} >"$T/launched"
	script -f "$T/launched" -o "$T/x.svg"
	want_status 0
	[ "$(grep -c '^total	100\|^total	200' "$T/out")" -eq 2 ] || fail 'not two rows total'
fi

if t 'no total where the passes did not overlap for the greater part' && need gnuplot; then
	# Passes of 1 s and 0.5 s: 0.49 s apart is the half, 0.51 s is not.
	for apart in 0.24 0.26 0.49 0.51 3; do
		{
			object alpha 1000 1
			object beta "$(awk "BEGIN { print 1000 + $apart }")" 1
		} >"$T/launched"
		launched
		want_status 0
		write=nan read=nan
		if holds "$apart < 0.5"; then write=$(awk "BEGIN { printf \"%.6f\", 200 / (1 + $apart) }"); fi
		if holds "$apart < 0.25"; then read=$(awk "BEGIN { printf \"%.6f\", 200 / (0.5 + $apart) }"); fi
		want_row total "$write,$read"
		want_row alpha 100.000000,200.000000
		[ "$(grep -c '^hosts: warning: .*the total is unknown: .* raise -c' "$T/err")" -eq \
		    "$(row total | grep -o nan | wc -l)" ] || fail 'not a warning for each'
	done
	want_err '^hosts: warning: write: .*they started within 3.000 s, and the shortest took 1.000 s): raise -c, and see'
	# A host that is slow from the same start on is part of the total.
	{
		object alpha 1000 1
		object beta 1000 10
	} >"$T/launched"
	launched
	want_row total 20.000000,nan
	# In the second round they are apart.
	{
		object alpha 1000 1 /d write '' 2
		object beta 1000 1.8 /d write '' 2
	} >"$T/launched"
	launched
	want_row total nan
	want_err 'in round 2 the passes.*give -r 1, or raise -c'
	# In ssh's run there is -w, too.
	report "$T/json.a" a 100000000 1000.0 1002.0
	report "$T/json.b" b 300000000 1001.5 1003.5
	PATH=$T/fake:$PATH
	script -H "$T/list" -o "$T/x.png" /d
	PATH=$old_path
	want_row total nan,400.000000
	want_err '^hosts: warning: write: .*: raise -c, or -w of hosts$'
	report "$T/json.b" b 300000000 1000.5 1002.5
fi

if t 'one host: the total is its row' && need gnuplot; then
	# The clock's seconds and those between start and end differ.
	object alpha 1000 1 | sed 's/"end":1001.000000/"end":1001.300000/' >"$T/launched"
	launched
	want_row alpha 100.000000,200.000000
	want_row total 100.000000,200.000000
fi

if t 'what differs between hosts' && need gnuplot; then
	{
		object alpha 1000 1
		object beta 1000 1 /e
		object gamma 1000 1 /d write,read,cache
		object delta 1000 1 | sed 's/"block":1048576/"block":4096/'
	} >"$T/launched"
	launched
	want_status 1
	want_out '^# hosts 3 of 4$'
	want_out '^# directory /d and others$'
	want_out '^# size 100000000$'
	! grep -q '^# block' "$T/out" || fail 'a block size that is not that of all'
	want_err '^hosts: gamma: it has the columns write,read,cache, and alpha write,read$'
	want_err '^hosts: warning: block: alpha has 1048576, and delta 4096$'
	{
		object alpha 1000 1 /d write,read '' 2
		object beta 1000 1 /d write,read '' 3
	} >"$T/launched"
	launched
	want_status 0
	want_out '^# counted 2$'
	want_err 'warning: the hosts ran 2 to 3 rounds: the total is of the first 2$'
	want_row total 200.000000,400.000000
	object alpha 1000 1 | sed 's/"evicted":true/"evicted":null/' >"$T/launched"
	launched
	want_out '^# evicted unverified$'
	object beta 1000 1 | sed 's/"evicted":true/"evicted":false/' >>"$T/launched"
	launched
	want_out '^# evicted no$'
	object alpha 1000 1 | sed 's|"directory":"/d","filesystem":"nfs"|"directory":null,"disk":"/dev/x","filesystem":null|' \
	    >"$T/launched"
	launched
	want_out '^# disk /dev/x$'
	! grep -q '^# directory\|^# filesystem' "$T/out" || fail 'a directory or file system of a disk'
fi

if t 'the warnings in the objects are told, each kind once' && need gnuplot; then
	{
		object alpha 1000 1 /d write,read '/d: 77 % of it was \\u0022hot\\u0022'
		object beta 1000 1 /d write,read '/d: 78 % of it was \\u0022hot\\u0022'
	} >"$T/launched"
	launched
	want_status 0
	[ "$(grep -c hot "$T/err")" -eq 1 ] || fail 'not one line'
	want_err '^hosts: alpha: gbtestdisk: warning: /d: 77 % of it was "hot" (and of 1 more)$'
fi

if t 'a file that exists is only read' && need gnuplot && can_parallel; then
	head -c 2097152 /dev/zero >"$D/file"
	cksum <"$D/file" >"$T/sum"
	script -H : -w 3 -o "$T/x.svg" "$D/file"
	want_status 0
	want_out '^#host	read MB/s$'
	want_out "^# file $D/file\$"
	grep -q "$D/file" "$T/x.svg" || fail 'the title does not name the file'
	[ "$(cksum <"$D/file")" = "$(cat "$T/sum")" ] || fail 'the file has changed'
	rm -f "$D/file"
	want_nothing_left
fi

# many N FORMAT: a table of so many hosts.
many() {
	awk -v n="$1" -v format="$2" 'BEGIN {
		print "# started 2026-12-02T10:00:00Z\n# hosts " n " of " n "\n# directory /mnt/shared\n# filesystem nfs4"
		print "# size 1073741824\n# block 1048576\n# order sequential\n# processes 1\n# depth 1\n# counted 1"
		print "#host\twrite MB/s\tread MB/s"
		for (h = 1; h <= n; h++) printf format "\t%.6f\t%.6f\n", h, 100 + h * 37 % 100, 300 + h * 61 % 200
		print "total\t1000.000000\t2000.000000"
	}' >"$T/many"
}

# names_in PATTERN HEIGHT: how many texts of that kind the SVG has, and whether
# they lie over each other or leave the picture.
names_in() {
	awk -v pattern="^$1\$" -v height="$2" '
	match($0, /translate\([-0-9.]+,[-0-9.]+\)/) { split(substr($0, RSTART + 10, RLENGTH - 11), at, ",") }
	{
		gsub(/<[^>]*>/, "")
		gsub(/^[ \t]+/, "")
		if ($0 !~ pattern) next
		if (n && at[2] - before < 11) bad = 1
		before = at[2]
		if (at[2] < 0 || at[2] > height) bad = 1
		n++
	}
	END { print n + 0 (bad ? " too close" : "") }' "$T/x.svg"
}

for case in '1 1 640' '2 2 640' '10 10 640' '60 60 1400' '100 100 2200' '101 51 1210' '1000 50 1600'; do
	t_all "a picture of ${case%% *} hosts" || continue
	need gnuplot || continue
	set -f
	# shellcheck disable=SC2086 # three words
	set -- $case
	set +f
	many "$1" 'node%04d.cluster.example.org'
	script -f "$T/many" -o "$T/x.svg"
	want_status 0
	want_no_err
	label='node[0-9]*'
	[ "$1" -gt 1 ] || label='node[0-9]*[.]cluster[.]example[.]org'
	found=$(names_in "$label" "$3")
	# Few stand side by side.
	[ "$1" -gt 8 ] || found=${found% too close}
	[ "$found" = "$2" ] || fail "$found names, not $2"
	[ "$1" -eq 1 ] || grep -q 'Many hosts at once: \*\.cluster\.example\.org' "$T/x.svg" ||
	    fail 'what all names share is not in the title'
	script -f "$T/many" -o "$T/x.png"
	want_png "$T/x.png" 960 "$3"
	script -f "$T/many" -o "$T/x.pdf"
	want_status 0
done

if t 'many hosts as text, at 79 and at 40 columns' && need gnuplot; then
	for n in 2 10 60 1000; do
		many "$n" 'node%04d.cluster.example.org'
		for columns in 79 40; do
			COLUMNS=$columns
			export COLUMNS
			script -f "$T/many"
			unset COLUMNS
			want_status 0
			awk -v columns="$columns" 'length > columns { exit 1 }' "$T/out" || fail "$n hosts: more than $columns columns"
			# Two stand side by side.
			names=$(grep -o 'node[0-9][0-9]*' "$T/out" | sort -u | wc -l)
			expected=$n
			[ "$n" -lt 1000 ] || expected=50
			[ "$names" -eq "$expected" ] || fail "$n hosts at $columns columns: $names names"
			want_out 'write (all.*1000'
			want_out 'read (all.*2000'
		done
	done
	# Each host's bars, one below the other, are as long as its rates, and hosts
	# are three lines apart.
	many 10 'node%04d'
	COLUMNS=79
	export COLUMNS
	script -f "$T/many"
	unset COLUMNS
	awk -F '\t' '
	NR == FNR { if (/^node/) { rate[$1, 1] = $2; rate[$1, 2] = $3; n++ } next }
	/^ node/ {
		split($0, word, " ")
		host = word[1]
		i = 1
		if (before && FNR - before != 3) uneven = 1
		before = FNR
	}
	host != "" && i <= 2 {
		line = $0
		bar = gsub(i == 1 ? "[*]" : "#", "", line)
		per = rate[host, i] / bar
		if (!least || per < least) least = per
		if (per > greatest) greatest = per
		bars++
		i++
	}
	END { exit !(!uneven && bars == 2 * n && n == 10 && greatest < least * 1.1) }' "$T/many" "$T/out" || fail 'bars are not as long as the rates'
fi

if t 'names of sixty characters' && need gnuplot; then
	for format in 'department-of-physics-rack-17-node-%04d-ib.cluster.example.org' \
	    '%04d-a-name-that-goes-on-for-all-of-the-sixty-characters-it-has'; do
		many 10 "$format"
		script -f "$T/many" -o "$T/x.svg"
		want_status 0
		[ "$(names_in '00[01][0-9](-ib)?' 640)" = 10 ] || fail "not the ten short names"
		grep -q 'Many hosts at once: .*\*' "$T/x.svg" || fail 'what all share is not in the title'
	done
	# Those that share nothing lose their middle.
	awk 'BEGIN { print "#host\twrite MB/s"
		for (h = 0; h < 10; h++) printf "%c-a-name-that-goes-on-for-all-of-the-sixty-characters-it-has-%c\t%d\n", 97 + h, 106 - h, 100 + h
		print "total\t1000" }' >"$T/many"
	script -f "$T/many" -o "$T/x.svg"
	want_status 0
	[ "$(names_in '[a-j]-a-name.*[.][.].*-it-has-[a-j]' 640)" = 10 ] || fail 'not ten names'
	for columns in 79 40; do
		COLUMNS=$columns
		export COLUMNS
		script -f "$T/many"
		unset COLUMNS
		[ "$(grep -c '^ [a-j]-a-.*[.][.].*-[a-j] ' "$T/out")" -eq 10 ] || fail "not ten names at $columns columns"
		[ "$(grep -c '[*][*]' "$T/out")" -ge 10 ] || fail 'not ten bars'
	done
fi

# launch_mpi ARGUMENT...: four processes of the program, as mpirun starts them.
launch_mpi() {
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
	    OMPI_MCA_btl=self OMPI_MCA_plm=isolated OMPI_MCA_orte_tmpdir_base=$TMPDIR \
	    timeout 60 mpirun -n 4 "$@" >"$T/launched" 2>"$T/messages" </dev/null
}
can_mpi() {
	need mpirun timeout gnuplot || return 1
	launch_mpi true && return 0
	skip "mpirun does not start: $(grep . "$T/messages" | head -n 1)"
	return 1
}

# want_all N: so many hosts, each with what its own object says, and a total
# that is nan or between the slowest host and the sum of all.
want_all() {
	want_status 0
	want_out "^# hosts $1 of $1\$"
	want_out "^# directory $D\$"
	awk -F '\t' -v n="$1" -v name="$(uname -n)" '
	/^#/ { next }
	$1 == "total" {
		for (i = 2; i <= NF; i++)
			if ($i != "nan" && ($i + 0 < least[i] * 0.999 || $i + 0 > sum[i] * 1.001)) bad = "total " $i
		totals++
		next
	}
	{
		rows++
		if ($1 !~ ("^" name ":[0-9]+$")) bad = "name " $1
		for (i = 2; i <= NF; i++) {
			if ($i !~ /^[0-9]+[.][0-9]+$/ || $i + 0 <= 0) bad = "rate " $i
			sum[i] += $i
			if (!(i in least) || $i + 0 < least[i]) least[i] = $i + 0
		}
	}
	END {
		if (rows != n || totals != 1) bad = rows " rows"
		print bad
		exit bad != ""
	}' "$T/out" >"$T/why" || fail "$(cat "$T/why")"
	! grep 'broken\|no object' "$T/err" >/dev/null || fail 'an object is broken'
}

if t_all 'mpirun --tag-output' && can_mpi; then
	launch_mpi --tag-output "$G" -j -r 1 -c 4 -o write,read "$D" || fail 'mpirun failed'
	launched
	want_all 4
	for rank in 0 1 2 3; do want_out "^$(uname -n):$rank	"; done
	# Objects longer than what it passes on at once.
	launch_mpi --tag-output "$G" -j -r 6 -l -m 64 -c 4 -b 64k "$D" || fail 'mpirun failed'
	[ "$(awk '{ n = gsub(/<stdout>:/, "") } n > 1 { split_lines++ } END { print split_lines + 0 }' "$T/launched")" -gt 0 ] ||
	    fail 'no label is within a line: the case proves nothing'
	launched
	want_all 4
	# The rate of a row is that of its object.
	for rank in 0 1 2 3; do
		awk '{ gsub(/\[1,[0-9]\]<stdout>:/, "\n&"); print }' "$T/launched" | sed -n "s/^\\[1,$rank\\]<stdout>://p" |
		    tr -d '\n' | grep -o '"tot":[0-9.]*' | head -n 1 | cut -d : -f 2
		awk -F '\t' -v name="$(uname -n):$rank" '$1 == name { print $2 }' "$T/out"
	done | awk 'NR % 2 { tot = $1; next } { if ($1 < tot * 0.999 || $1 > tot * 1.001) exit 1 }' ||
	    fail 'a rate is not that of its object'
	launch_mpi "$G" -j -r 1 -c 4 -o write,read "$D" || fail 'mpirun failed'
	launched
	want_all 4
	launch_mpi --tag-output "$G" -j -r 1 -c 4 "$D/missing"
	cat "$T/messages" >>"$T/launched"
	launched
	want_status 1
	want_err 'missing: No such file'
	want_nothing_left
fi

# cluster: a Slurm of three nodes on this machine, with daemons, ports and keys
# of its own, that SLURM_CONF names.
cluster() {
	need gnuplot timeout || return 1
	PATH=$PATH:/usr/sbin:/sbin
	need munged slurmctld slurmd srun && need_root || return 1
	C=$T/slurm
	mkdir -m 755 "$C" "$C/state"
	chmod 755 "$T"
	head -c 128 /dev/urandom >"$C/key"
	chmod 400 "$C/key"
	munged --key-file="$C/key" --socket="$C/socket" --pid-file="$C/munged.pid" --log-file="$C/munged.log" \
	    --seed-file="$C/seed" --num-threads=2 >"$C/said" 2>&1 || {
		skip "munged does not start: $(head -n 1 "$C/said")"
		return 1
	}
	port=$((20000 + $$ % 10000 * 4))
	cat >"$C/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$(uname -n)(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$C/socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=$port
SlurmctldPidFile=$C/slurmctld.pid
SlurmdPidFile=$C/%n.pid
SlurmdSpoolDir=$C/%n
StateSaveLocation=$C/state
SlurmctldLogFile=$C/slurmctld.log
SlurmdLogFile=$C/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=one NodeHostname=$(uname -n) NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=two NodeHostname=$(uname -n) NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
NodeName=three NodeHostname=$(uname -n) NodeAddr=127.0.0.1 Port=$((port + 3)) CPUs=1
PartitionName=all Nodes=one,two,three Default=YES State=UP
END
	SLURM_CONF=$C/slurm.conf
	export SLURM_CONF
	trap 'cluster_gone; clean_up' 0
	if slurmctld >"$C/said" 2>&1; then
		for node in one two three; do
			mkdir "$C/$node"
			slurmd -N "$node" >>"$C/said" 2>&1
		done
		cluster_tries=0
		until launch_slurm true; do
			cluster_tries=$((cluster_tries + 1))
			[ "$cluster_tries" -le 5 ] || break
		done
		[ "$cluster_tries" -gt 5 ] || return 0
	fi
	skip "Slurm does not start: $(cat "$C/said" "$T/messages" "$C/slurmctld.log" 2>/dev/null | grep . | head -n 1)"
	return 1
}

# cluster_gone: ends its daemons, those that wrote their numbers.
# shellcheck disable=SC2317 # the trap calls it
cluster_gone() {
	for name in one two three slurmctld munged; do
		[ ! -s "$T/slurm/$name.pid" ] || kill "$(cat "$T/slurm/$name.pid")" 2>/dev/null
	done
	await cluster_ended || :
}
# shellcheck disable=SC2317
cluster_ended() {
	for name in one two three slurmctld munged; do
		if [ -s "$T/slurm/$name.pid" ] && kill -0 "$(cat "$T/slurm/$name.pid")" 2>/dev/null; then return 1; fi
	done
}

launch_slurm() { timeout 30 srun -N 3 "$@" >"$T/launched" 2>"$T/messages" </dev/null; }

if t_all 'srun on a Slurm of three nodes' && cluster; then
	launch_slurm -l "$G" -j -r 1 -c 4 -o write,read "$D" || fail "srun failed: $(head -n 1 "$T/messages")"
	launched
	want_all 3
	# It breaks lines after 1024 bytes.
	launch_slurm -l "$G" -j -r 6 -l -m 64 -c 4 -b 64k "$D" || fail "srun failed: $(head -n 1 "$T/messages")"
	[ "$(wc -l <"$T/launched")" -gt 3 ] || fail 'no line is broken: the case proves nothing'
	launched
	want_all 3
	for task in 0 1 2; do want_out "^$(uname -n):$task	"; done
	for task in 0 1 2; do
		sed -n "s/^$task: //p" "$T/launched" | tr -d '\n' | grep -o '"tot":[0-9.]*' | head -n 1 | cut -d : -f 2
		awk -F '\t' -v name="$(uname -n):$task" '$1 == name { print $2 }' "$T/out"
	done | awk 'NR % 2 { tot = $1; next } { if ($1 < tot * 0.999 || $1 > tot * 1.001) exit 1 }' ||
	    fail 'a rate is not that of its object'
	# A pipe, as the manual has it; one node fails.
	# shellcheck disable=SC2016 # for the other shell
	timeout 30 srun -N 3 -l sh -c '[ "$SLURM_PROCID" != 1 ] || set -- "$1" "$2/missing"; exec "$1" -j -r 1 -c 4 -o write,read "$2"' \
	    sh "$G" "$D" 2>&1 </dev/null | "$P/hosts" -f - -o "$T/x.png" >"$T/out" 2>"$T/err"
	status=$?
	want_status 1
	want_out '^# hosts 2 of 2$'
	want_err '^	1: gbtestdisk: .*missing: No such file'
	cluster_gone
	want_empty
fi

if t_all 'sixty at once by parallel --tag' && need gnuplot && can_parallel; then
	seq 60 | parallel -j 60 --tag "$G" -j -r 1 -c 1 -o write,read "$D" '#' >"$T/launched" 2>"$T/messages" ||
	    fail "parallel failed: $(head -n 1 "$T/messages")"
	script -f "$T/launched" -o "$T/x.png"
	want_all 60
	want_png "$T/x.png" 960 1400
fi

# same: with this shell and this awk, all is as with others.
same() {
	PATH=$T/fake:$PATH
	script -H "$T/list" -o "$T/x.png" /d
	want_row total 123.076923,400.000000
	want_err '^hosts: d: no answer$'
	PATH=$path_of_case
	if command -v gnuplot >/dev/null; then
		for file in "$T"/same.*; do
			script -f "$file"
			cat "$T/err" >>"$T/out"
			[ -e "$T/expected.${file##*.}" ] || cp "$T/out" "$T/expected.${file##*.}"
			cmp -s "$T/out" "$T/expected.${file##*.}" || fail "$file: $(diff "$T/out" "$T/expected.${file##*.}" | head -n 4)"
		done
	fi
	want_empty "$TMPDIR"
}

path_of_case=$PATH
{
	pieces "$T/alpha" 300 '0: %s'
	pieces "$T/beta" 300 '1: %s'
	echo '2: gbtestdisk: writing: it broke'
	object beta 1000.1 1 /d write,read 'it was \\u0022hot\\u0022'
	cut -c 1-900 "$T/beta"
} >"$T/same.pieces"
{
	cut -c 1-700 "$T/alpha" | tr -d '\n'
	cut -c 1-700 "$T/beta" | tr -d '\n'
	cut -c 701- "$T/alpha"
	cut -c 701- "$T/beta"
} >"$T/same.mixed"
many 60 'node%04d.cluster.example.org'
cp "$T/many" "$T/same.many"
many 10 '%04d-a-name-that-goes-on-for-all-of-the-sixty-characters-it-has'
cp "$T/many" "$T/same.long"
if command -v gnuplot >/dev/null; then
	for file in "$T"/same.*; do
		"$P/hosts" -f "$file" >"$T/out" 2>"$T/err"
		cat "$T/out" "$T/err" >"$T/expected.${file##*.}"
	done
fi

for shell in dash 'busybox sh' mksh posh yash ksh93 bash; do
	t "the same by $shell" || continue
	# shellcheck disable=SC2086 # a word or two
	if need ${shell%% *}; then
		shell_under_test=$shell
		same
		shell_under_test=
	fi
done
for awk in mawk gawk original-awk "busybox awk"; do
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

finish
