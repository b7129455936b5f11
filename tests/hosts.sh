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

t 'rows, totals and failures are what the reports say'
report "$T/json.a" a 100000000 1000.0 1002.0
report "$T/json.b" b 300000000 1000.5 1002.5
a_parallel
printf 'a # first\n\n4/ssh -p 22 u@b\nc\nd\n' >"$T/list"
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

t 'this host, and one that is not there'
if need gnuplot; then
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

t 'through ssh, started on the same second, in a directory of any name'
if can_parallel && server; then
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

# same: with this shell and this awk, all is as with others.
same() {
	PATH=$T/fake:$PATH
	script -H "$T/list" -o "$T/x.png" /d
	want_row total 123.076923,400.000000
	want_err '^hosts: d: no answer$'
	PATH=$path_of_case
	want_empty "$TMPDIR"
}

path_of_case=$PATH
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

finish
