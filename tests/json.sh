#!/bin/sh
# -j: one object that any reader of JSON takes, with the facts of the tables.
# Needs jq, or python3 for a part of it.
. ./lib.sh

# parsed: whether each reader that is here takes the output as one object of
# strict JSON in UTF-8.
parsed() {
	if command -v jq >/dev/null; then
		jq -e -s 'length == 1 and (.[0] | type == "object")' <"$T/out" >"$T/jq" 2>&1 ||
		    fail "jq does not take it: $(head -c 200 "$T/jq")"
	fi
	if command -v python3 >/dev/null; then
		python3 -c '
import json, sys
def refuse(word): raise ValueError(word)
def unique(pairs):
    if len(dict(pairs)) < len(pairs): raise ValueError("a key is there twice")
    return dict(pairs)
json.loads(sys.stdin.buffer.read().decode("utf-8"), parse_constant=refuse,
    object_pairs_hook=unique)' <"$T/out" 2>"$T/python" ||
		    fail "python3 does not take it: $(tail -n 1 "$T/python")"
	fi
}

can_parse() {
	command -v jq >/dev/null || command -v python3 >/dev/null || {
		skip 'needs jq or python3'
		return 1
	}
}

# is EXPRESSION: whether jq finds it true of the object.
is() { jq -e "$1" <"$T/out" >/dev/null 2>&1 || fail "not so: $1"; }

# For jq: whether two figures agree within so much.
# shellcheck disable=SC2016 # here and below, $ is jq's
near='def near($a; $b; $most): ($a - $b) | fabs <= $most;'

if t 'the object has the members it is to have, and no other output is there' && need jq; then
	works -j -c 1 -r 2 -a -x -v "$D"
	want_no_err
	parsed
	is '[keys_unsorted[]] == ["program", "version", "time", "host", "system", "directory",
	    "filesystem", "settings", "unit", "rounds", "summary", "writes", "flush", "evict", "verify",
	    "data", "queue", "buffers", "clock", "counted", "evicted", "resident", "device",
	    "read_cache", "cpu", "in_flight", "sure", "interrupted", "warnings"]'
	is '.settings | keys_unsorted == ["size", "block", "rounds", "columns", "random",
	    "processes", "depth", "write_percent", "sync", "direct", "seconds", "warmup",
	    "sure_percent", "idle", "map"]'
	is '.settings == {"size": 1048576, "block": 1048576, "rounds": 2,
	    "columns": ["write", "read", "cache"], "random": false, "processes": 1, "depth": 1,
	    "write_percent": null, "sync": false, "direct": false, "seconds": null, "warmup": 0,
	    "sure_percent": null, "idle": 0, "map": null}'
	is '.program == "gbtestdisk" and .unit == "MB/s" and .sure == null and .interrupted == null'
	is '[.rounds[].round] == [1, 2]'
	is '[.rounds[] | keys_unsorted] | unique == [["round", "seconds", "write", "read", "cache"]]'
	is '[.rounds[] | .write, .read, .cache | keys_unsorted] | unique ==
	    [["start", "end", "bytes", "calls", "seconds", "rate"]]'
	is '[.summary[] | keys_unsorted] | unique == [["max", "min", "avg", "med", "dev", "tot", "ci"]]'
	is '.summary | keys_unsorted == ["write", "read", "cache"]'
	[ "$(tail -c 1 "$T/out" | od -An -c | tr -d ' ')" = '\n' ] || fail 'no newline at the end'
fi

if t 'what -v says is what it says' && need jq; then
	run -v -c 1 -r 1 "$D"
	for key in version host system directory filesystem; do
		eval "fact_$key=\$(fact $key)"
	done
	run -j -c 1 -r 1 "$D"
	for key in version host system directory filesystem; do
		value=
		eval "value=\$fact_$key"
		[ "$(jq -r ".$key" <"$T/out")" = "$value" ] || fail "$key is not $value"
	done
	is ".time - $(date +%s) | fabs < 60"
	is '.rounds[0].write.start >= .time - 1 and .rounds[0].cache.end - .time < 60'
fi

if t 'figures agree with each other as in the tables' && need jq; then
	run -j -c 3 -b 4k -r 3 "$D"
	parsed
	is "$near"'[.rounds[] | .write, .read, .cache |
	    .bytes == 3145728 and .calls == 768 and
	    near(.end - .start; .seconds; 1e-5) and
	    near(.rate; .bytes / .seconds / 1e6; .rate * 1e-6 / .seconds)] | all'
	is '[.rounds[] | .write.end <= .read.start and .read.end <= .cache.start] | all'
	is '.rounds[0].cache.end <= .rounds[1].write.start and .rounds[0].seconds < .rounds[1].seconds'
	# shellcheck disable=SC2016
	is "$near"'. as $o | ["write", "read", "cache"] | map(. as $c |
	    [$o.rounds[][$c].rate] as $rates | $o.summary[$c] as $s | ($rates | add / 3) as $avg |
	    ([$rates[] | (. - $avg) * (. - $avg)] | add / 2 | sqrt) as $dev |
	    $s.max == ($rates | max) and $s.min == ($rates | min) and
	    $s.med == ($rates | sort | .[1]) and
	    near($s.avg; $avg; 2e-6) and near($s.dev; $dev; 1e-5) and
	    near($s.ci; 4.302653 * $dev / (3 | sqrt); 1e-5 * (1 + $s.ci)) and
	    near($s.tot; ([$o.rounds[][$c].bytes] | add) / ([$o.rounds[][$c].seconds] | add) / 1e6;
	        $s.tot * 2e-3)) | all'
fi

if t 'units' && need jq; then
	for unit in MB:1000000 MiB:1048576 IOPS:4096; do
		run -j -u "${unit%:*}" -c 1 -b 4k -r 1 "$D"
		parsed
		case $unit in IOPS*) label=IOPS ;; *) label=${unit%:*}/s ;; esac
		is ".unit == \"$label\""
		is "$near"'.rounds[0].write | near(.rate; .bytes / .seconds / '"${unit#*:}"'; .rate * 2e-6 / .seconds)'
	done
fi

if t_all 'every option by itself' && can_parse; then
	while read -r options; do
		# shellcheck disable=SC2086 # options are words
		run -j -c 1 -r 2 $options "$D"
		[ "$status" -eq 0 ] || fail "$options: status $status"
		parsed
		[ "$case_state" = passed ] || break
	done <<'END'
-a
-b 4k
-b 100
-c 2
-d
-e 50
-i 0.1
-k 1
-l
-l -x
-m 1
-o cache
-o read
-o write
-p 2 -b 4k
-q 3 -b 4k
-R -b 4k
-r 1
-s
-t 5
-u IOPS
-v
-w 50 -b 4k
-x
-d -l -m 16 -R -b 4k -p 2 -q 2 -w 30 -s -k 1 -e 90 -t 9 -i 0.01 -a -x -v -u MiB
END
fi

if t 'the settings are those given' && need jq; then
	works -j -c 1 -r 3 -b 4k -R -p 2 -q 3 -w 30 -s -d -t 20 -k 1 -e 99.5 -i 0.01 -m 8 "$D"
	is '.settings == {"size": 1048576, "block": 4096, "rounds": 3,
	    "columns": ["write", "read", "mixread", "mixwrite"], "random": true, "processes": 2,
	    "depth": 3, "write_percent": 30, "sync": true, "direct": true, "seconds": 20,
	    "warmup": 1, "sure_percent": 99.5, "idle": 0.01, "map": 8}'
	is '.sure | type == "boolean"'
	run -j -c 1 -t 0.2 "$D"
	is '.settings.rounds == null and .settings.seconds == 0.2 and (.rounds | length > 0)'
fi

if t 'latencies' && need jq; then
	run -j -l -c 1 -b 4k -r 2 -w 25 "$D"
	parsed
	is '.latency_us | keys_unsorted == ["write", "flush", "read", "cache", "mixread", "mixwrite", "mixflush"]'
	is '[.latency_us[] | keys_unsorted] | unique == [["0", "25", "50", "75", "90", "95", "99",
	    "99.9", "99.99", "99.999", "99.9999", "100", "mean", "dev", "calls"]]'
	is '[.latency_us[].calls] == [512, 2, 512, 512, 384, 128, 2]'
	is '[.latency_us[] | [.["0"], .["25"], .["50"], .["75"], .["90"], .["99"], .["99.9999"], .["100"]] |
	    . == sort] | all'
	is '[.latency_us[] | .["0"] <= .mean and .mean <= .["100"]] | all'
fi

if t 'the map, in bytes' && need jq; then
	run -j -m 4 -d -c 1 -b 4k -r 1 "$D"
	if [ "$status" -eq 1 ]; then
		skip 'no direct I/O here'
	else
		parsed
		is '[.map[].offset] == [0, 262144, 524288, 786432]'
		is '[.map[] | keys_unsorted] | unique == [["offset", "write", "read"]]'
		is '[.map[] | .write > 0 and .read > 0] | all'
	fi
fi

if t 'what is nan in a table is null' && need jq; then
	works -j -m 2 -c 2 -r 1 "$D"
	parsed
	is '[.map[].write] == [null, null] and (.map[0].read > 0)'
	is '[.summary[].ci] == [null, null, null] and [.summary[].dev] == [0, 0, 0]'
	run -j -o cache -c 1 -r 1 "$D"
	is '.summary | keys == ["cache"]'
fi

if t 'the nan of a map comes with a warning'; then
	works -j -m 2 -c 2 -r 1 -o write "$D"
	want_err '^gbtestdisk: warning: '
	run -j -m 2 -c 2 -r 1 -o read "$D"
	want_no_err
fi

if t 'a file that stays in memory, or nobody knows' && need jq && memory_disk tmpfs -o size=8m; then
	works -j -c 1 -r 1 "$T/m"
	parsed
	is '.filesystem == "tmpfs" and .evicted != true and (.resident == null or .resident > 0.9)'
	memory_gone
fi

if t 'a directory of quotes, backslashes, a newline and bytes that are no UTF-8'; then
	name=$(printf 'a"b\\c\nd\te\177f\001\303\244\360\237\222\276-\377\300\257\355\240\200=\303.')
	if can_parse; then
		if [ "$(printf '%s' "$name" | wc -c)" -eq 28 ] && mkdir "$D/$name" 2>/dev/null; then
			works -j -c 1 -r 1 "$D/$name"
			parsed
			# An ill-formed sequence is one U+FFFD for each of its bytes.
			printf '%s/a"b\\c\nd\te\177f\001\303\244\360\237\222\276-' "$D" >"$T/expected"
			for _ in 1 2 3 4 5 6; do printf '\357\277\275'; done >"$T/bad"
			{ cat "$T/expected" "$T/bad"; printf '=\357\277\275.'; } >"$T/want"
			if command -v jq >/dev/null; then
				jq -j .directory <"$T/out" >"$T/have"
				cmp -s "$T/want" "$T/have" || fail "jq reads $(od -An -c "$T/have")"
			fi
			if command -v python3 >/dev/null; then
				python3 -c 'import json, sys
sys.stdout.buffer.write(json.load(sys.stdin.buffer)["directory"].encode())' \
				    <"$T/out" >"$T/have"
				cmp -s "$T/want" "$T/have" || fail "python3 reads $(od -An -c "$T/have")"
			fi
			want_empty "$D/$name"
		else
			skip 'no such name can be made by this shell or on this file system'
		fi
	fi
fi

if t 'an interrupted run has the rounds that are complete' &&
    need jq && start -j -c 1 -i 0.2 -r 1000 "$D"; then
	sleep 1
	kill -INT "$pid"
	ended
	want_signal 2
	parsed
	is '.interrupted == "INT" or .interrupted == "SIGINT"'
	is '.rounds | length >= 2 and length < 100'
	# shellcheck disable=SC2016
	is '(.rounds | length) as $n | [.rounds[].round] == [range(1; $n + 1)]'
	is '([.rounds[].write.rate] | max) == .summary.write.max'
	is '.settings.rounds == 1000'
	want_err 'rounds are in the object$'
	want_empty
fi

if t_all 'interrupted before a round is complete, there is none' && start -j -c 1 -k 100000 "$D"; then
	sleep 1
	kill -INT "$pid"
	ended
	want_signal 2
	want_no_out
	want_empty
fi

if t 'on failure there is no object'; then
	run -j -c 1 "$D/missing"
	want_status 1
	want_no_out
	want_one_line
	run -j -c 0 "$D"
	want_status 2
	want_no_out
fi

if t 'a write that fails in a later round leaves no object' &&
    inject fsync=error=EIO:when=3+ -j -c 1 -r 5 "$D"; then
	want_status 1
	want_err 'Input/output error'
	want_no_out
fi

finish
