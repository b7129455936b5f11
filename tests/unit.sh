#!/bin/sh
# The pure functions, tested from inside the program: see unit.c.
# shellcheck disable=SC2154
. ./lib.sh

t 'unit.c compiles'
# shellcheck disable=SC2086 # CC may hold flags
if ${CC:-cc} -o "$T/unit" unit.c >"$T/out" 2>&1; then
	run_with "$T/unit"
	[ "$status" -eq 0 ] || fail "it ended with status $status"
	cp "$T/out" "$T/cases"
	: >"$T/out"
	[ -s "$T/cases" ] || fail 'it has no case'
	while read -r word name; do
		t "${name%%: *}"
		[ "$word" = passed ] || fail "${name#*: }"
	done <"$T/cases"
elif echo 'int main(void) { return 0; }' | build nothing; then
	fail 'it does not compile'
fi

finish
