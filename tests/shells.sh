#!/bin/sh
# The tests themselves, in other shells and with other awks: each must count
# the cases that this shell and this awk count.  FILES names other test files.
# Names that pass are not compared: echo reads a backslash in its own ways.
# Needs the shells and awks.
. ./lib.sh

FILES=${FILES:-args.sh output.sh}

# cases SHELL [DIRECTORY]: runs the files in that shell, with the directory
# first in the path, and prints how many pass, and what does not, sorted.
cases() {
	: >"$T/results"
	for file in $FILES; do
		# shellcheck disable=SC2086 # a shell may be two words
		RESULTS=$T/results TMPDIR=$T GBTESTDISK=$G TEST_CASE='' TEST_QUICK=1 PATH=${2:+$2:}$PATH \
		    TEST_SHELL=$1 $1 "./$file" >"$T/log" 2>&1 </dev/null ||
		    printf 'failed\t%s\tto its end\t%s\n' "$file" "$(tail -n 1 "$T/log")" >>"$T/results"
	done
	echo "$(grep -c '^passed' "$T/results") passed"
	grep -v '^passed' "$T/results" | cut -f 1-3 | sort
}

# compare WORD...: the cases that `cases WORD...` has end as they do here.
compare() {
	cases "$@" >"$T/there"
	# What comes and goes with the load of the machine is tried once more.
	if ! cmp -s "$T/here" "$T/there"; then
		cases "$@" >"$T/there"
		cmp -s "$T/here" "$T/there" || fail "$(diff "$T/here" "$T/there" | grep '^[<>]' | head -n 3)"
	fi
	[ "$(sed -n 's/ passed$//p' "$T/there")" -gt 50 ] || fail "only $(head -n 1 "$T/there")"
}

here() { [ -s "$T/here" ] || cases "${TEST_SHELL:-sh}" >"$T/here"; }

# Each shell with an awk of its own, so that both are tried at once.
while IFS='|' read -r shell awk; do
	t "in $shell with $awk" || continue
	need "${shell%% *}" "${awk%% *}" || continue
	mkdir -p "$T/bin"
	printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$T/bin/awk"
	chmod +x "$T/bin/awk"
	here
	compare "$shell" "$T/bin"
done <<'END'
dash|mawk
busybox sh|busybox awk
mksh|original-awk
posh|gawk
yash|gawk --posix
ksh93|mawk
END

finish
