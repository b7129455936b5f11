#!/bin/sh
# What looks inside the program while it runs, and what tires it out.
# Needs valgrind and clang; cc for the soak.
#
# SOAK=10000 is how many rounds of signals there are; SOAK_SEED begins them.
# shellcheck disable=SC2086 # lists of options are words
. ./lib.sh

# shellcheck disable=SC3045 # where there is none, a core is no harm
ulimit -c 0 2>/dev/null
soak=${SOAK:-50}

# ---- while it runs ------------------------------------------------------------------

while read -r arguments; do
	t "valgrind has nothing to say of $arguments" || continue
	need valgrind || break
	if grep -q '__asan\|__ubsan' "$G"; then
		skip 'built with a sanitizer'
		break
	fi
	run_with valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
	    --errors-for-leak-kinds=definite --track-fds=no --child-silent-after-fork=yes \
	    "$G" $arguments "$D"
	want_status 0
	! grep '^==' "$T/err" >/dev/null || fail 'it has'
	want_empty
done <<'END'
-c 256k -b 4k -r 3 -v -a -x -l -m 8
-c 100k -b 999 -r 2 -R -w 40 -u IOPS -l
-c 128k -b 16k -r 2 -p 2 -q 2 -l -m 4 -x
-c 64k -b 4k -r 3 -j -s -e 50 -l -m 2
-c 128k -b 4k -r 2 -o write,read -d
-c 256k -b 1k -r 2 -t 0.2 -k 1 -i 0.01
END

if t 'libFuzzer finds nothing in the options and numbers' && need clang; then
	mkdir -p "$T/corpus"
	flags='-g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined'
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >"$T/none.c"
	if ! clang $flags -o "$T/none" "$T/none.c" 2>/dev/null; then
		skip 'clang has no libFuzzer'
	elif ! clang $flags -o "$T/fuzz" fuzz.c 2>"$T/err"; then
		fail 'fuzz.c does not compile'
	else
		n=0
		while read -r seed; do
			n=$((n + 1))
			printf '%b' "$seed" >"$T/corpus/$n"
		done <<'END'
\\001-c\\00064\\000-r\\0005\\000-v\\000
\\001-o\\000write,read,cache,mix\\000-w\\00050\\000
\\001-de\\0002.5\\000dir\\000-x\\000
\\001-t\\0000.5\\000--\\000-x\\000
\\001-Rp4\\000-q2\\000-um\\000-i0.1\\000
\\001--help\\000
\\00018446744073709551615
\\00017592186044415g
\\00012.5
END
		(cd "$T" && exec ./fuzz -close_fd_mask=2 -max_total_time="${FUZZ_SECONDS:-5}" corpus) \
		    >"$T/out" 2>"$T/err" </dev/null
		status=$?
		want_status 0
		want_err '^Done [0-9]* runs'
	fi
fi

# ---- soaked ---------------------------------------------------------------------------

if t "$soak rounds of signals at random moments leave nothing"; then
	if ${CC:-cc} -o "$T/soak" soak.c >"$T/err" 2>&1; then
		run_with "$T/soak" "$soak" "${SOAK_SEED:-$$}" "$D" "$G"
		[ "$status" -eq 0 ] || fail "with SOAK_SEED=${SOAK_SEED:-$$}: $(tail -n 1 "$T/out")"
		want_empty
	else
		skip "${CC:-cc} does not compile soak.c"
	fi
fi

# A run of many rounds has at its end what it had at its
# beginning: as many descriptors, and no child but its guard.
descriptors() { find "/proc/$pid/fd" -type l 2>/dev/null | wc -l; }
# Those that have ended count: nobody waits for a zombie.
children_of() { process_table | awk -v p="$1" '$2 == p { n++ } END { print n + 0 }'; }
# shellcheck disable=SC2317 # await calls it
round_done() { awk -v n="$1" '/^[0-9]/ { r = $1 } END { exit r < n }' "$T/out"; }
while read -r arguments; do
	t "no descriptor and no zombie is left over after $((soak * 2)) rounds of $arguments" || continue
	can_ps || break
	[ -d "/proc/$$/fd" ] || { skip 'needs /proc'; break; }
	start -a -c 64k -r 1000000 $arguments "$D" || break
	if await round_done 3; then
		kill -s STOP "$pid"
		before=$(descriptors)
		kill -s CONT "$pid"
		most=$((soak * 2))
		until round_done "$most"; do
			kill -0 "$pid" 2>/dev/null || break
			pause
		done
		high=0
		for _ in 1 2 3 4 5; do
			now=$(descriptors)
			[ "$now" -le "$high" ] || high=$now
			pause
		done
		# A pass may be under way: its pipes are no loss.
		want "$high <= $before + 12"
		want "$(children_of "$pid") <= 5"
	else
		fail 'no three rounds were done'
	fi
	kill -s TERM "$pid"
	ended
	want_signal 15
	want_empty
done <<'END'
-b 16k
-b 4k -p 2 -q 2 -l -m 2
END

finish
