#!/bin/sh
# It compiles by one line, wherever, and runs with nothing around it.
. ./lib.sh

# runs PROGRAM: it is built and does its work.
runs() {
	G=$1
	run -c 1 -r 1 "$D"
	want_status 0
	want_table 3
	want_empty
}

# compiled COMMAND...: whether that, with a name and the source added, has
# built $T/program, and has said nothing.
compiled() {
	if "$@" -o "$T/program" "$SRC/gbtestdisk.c" >"$T/log" 2>&1; then
		[ ! -s "$T/log" ] || fail "$(head -n 3 "$T/log")"
		return 0
	fi
	fail "$(head -n 3 "$T/log")"
	return 1
}

while read -r command_line; do
	t "compiles by $command_line"
	# shellcheck disable=SC2086
	if need ${command_line%% *} && compiled $command_line; then
		runs "$T/program"
	fi
done <<'END'
cc
c99
gcc -Wall -Wextra
gcc -std=c99 -pedantic -Werror
gcc -std=c99 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
gcc -std=c99 -D_POSIX_C_SOURCE=200112L -Werror=implicit-function-declaration
gcc -std=c99 -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE -D_XOPEN_SOURCE=700 -Werror
gcc -std=c11 -Werror
gcc -std=gnu17 -Werror
gcc -Os -DNDEBUG -Werror
clang -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
clang -std=c99 -D_POSIX_C_SOURCE=200112L -Werror=implicit-function-declaration
clang -Werror
tcc -Wall
musl-gcc -static -std=c99 -Wall -Wextra -Werror
i686-linux-gnu-gcc -static -std=c99 -Wall -Wextra -Wconversion -Werror
END

# Where a system has no such thing: the switches stand for such systems.
while read -r switch key value warning; do
	t "without what ${switch} names it runs, and says so"
	if need cc && compiled cc -std=c99 "-D$switch"; then
		runs "$T/program"
		run -v -c 1 -r 1 "$D"
		fact "$key" | grep -q "^$value" || fail "$key $(fact "$key")"
		[ -z "$warning" ] || want_err "$(echo "$warning" | tr _ ' ')"
	fi
done <<'END'
NO_FADVISE evict none still_in_memory
NO_MINCORE verify none
NO_MONOTONIC clock gettimeofday
NO_FORK processes 1 no_guard_process
NO_STATVFS filesystem .
END
G=$GBTESTDISK

t 'runs alone in a root directory, as nobody, with no environment'
if need_root && need chroot setpriv; then
	for compiler in musl-gcc gcc cc; do
		command -v "$compiler" >/dev/null 2>&1 &&
		    "$compiler" -static -O2 -o "$T/program" "$SRC/gbtestdisk.c" 2>/dev/null && break
		compiler=
	done
	if [ -z "$compiler" ]; then
		skip 'no static program can be built'
	else
		mkdir "$D/root"
		cp "$T/program" "$D/root/gbtestdisk"
		chmod 777 "$D/root"
		run_with env -i "$(command -v chroot)" --userspec=65534:65534 "$D/root" \
		    /gbtestdisk -v -x -a -c 2 -r 2 /
		want_status 0
		[ "$(grep -c '^[0-9]' "$T/out")" -eq 2 ] || fail 'not two rounds'
		[ "$(fact directory)" = / ] || fail "directory $(fact directory)"
		[ "$(ls -A "$D/root")" = gbtestdisk ] || fail "in it: $(ls -A "$D/root")"
		! grep 'guard' "$T/err" || fail 'without its guard'
		there=$(grep -v '^# ' "$T/out" | awk -F '\t' '{ print $1, NF }')
		keys=$(sed -n 's/^# \([a-z]*\).*/\1/p' "$T/out")
		run -v -x -a -c 2 -r 2 "$D"
		[ "$(grep -v '^# ' "$T/out" | awk -F '\t' '{ print $1, NF }')" = "$there" ] || fail 'other tables'
		[ "$(sed -n 's/^# \([a-z]*\).*/\1/p' "$T/out")" = "$keys" ] || fail 'other facts'
	fi
fi

t 'runs in the directory it may not read'
if need_root && need setpriv; then
	mkdir "$D/drop"
	cp "$G" "$T/program"
	chmod 755 "$T/program" "$T" "$D"
	chmod 333 "$D/drop"
	run_with setpriv --reuid 65534 --regid 65534 --clear-groups "$T/program" -c 1 -r 1 "$D/drop"
	want_status 0
	want_table 3
	want_empty "$D/drop"
fi

# A copy of what is published; make may leave nothing in the original.
tree() {
	rm -rf "$T/tree" "$T/root"
	mkdir "$T/tree"
	for file in Makefile gbtestdisk.c gbtestdisk.1; do
		cp "$SRC/$file" "$T/tree" || { fail "no $file"; return 1; }
	done
	[ ! -d "$SRC/plot" ] || cp -R "$SRC/plot" "$T/tree"
}
files() { (cd "$1" && find . -type f | sort | tr '\n' ' '); }
# What is installed beside the program and its page.
main_files() { (cd "$1" && find . -type f ! -path '*/libexec/*' | sort | tr '\n' ' '); }

for make in make bmake; do
	t "$make builds, installs, uninstalls and cleans"
	if need "$make" && tree; then
		before=$(files "$T/tree")
		run_with env -u MAKEFLAGS -u MAKELEVEL "$make" -C "$T/tree"
		want_status 0
		[ -x "$T/tree/gbtestdisk" ] || fail 'nothing was built'
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root"
		want_status 0
		[ "$(main_files "$T/root")" = './usr/local/bin/gbtestdisk ./usr/local/share/man/man1/gbtestdisk.1 ' ] ||
		    fail "installed: $(files "$T/root")"
		[ -n "$(find "$T/root/usr/local/bin/gbtestdisk" -perm 755)" ] || fail 'the program is not of mode 755'
		[ -n "$(find "$T/root/usr/local/share/man/man1/gbtestdisk.1" -perm 644)" ] || fail 'the page is not of mode 644'
		[ "$("$T/root/usr/local/bin/gbtestdisk" -V)" = "$("$T/tree/gbtestdisk" -V)" ] || fail 'another program'
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" uninstall "DESTDIR=$T/root"
		want_status 0
		[ -z "$(files "$T/root")" ] || fail "left: $(files "$T/root")"
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root" PREFIX=/opt/x
		[ "$(main_files "$T/root")" = './opt/x/bin/gbtestdisk ./opt/x/share/man/man1/gbtestdisk.1 ' ] ||
		    fail "installed: $(files "$T/root")"
		rm -r "$T/root"
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root" BINDIR=/b MANDIR=/m
		[ "$(main_files "$T/root")" = './b/gbtestdisk ./m/man1/gbtestdisk.1 ' ] || fail "installed: $(files "$T/root")"
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" clean
		want_status 0
		[ "$(files "$T/tree")" = "$before" ] || fail "left: $(files "$T/tree")"
	fi
done

t 'make honours CC, CFLAGS and LDFLAGS'
if need make && tree; then
	cat >"$T/compiler" <<'END'
#!/bin/sh
echo "called with $*"
END
	chmod 755 "$T/compiler"
	run_with env -u MAKEFLAGS make -C "$T/tree" "CC=$T/compiler" CFLAGS=-a-flag LDFLAGS=-b-flag LDLIBS=-c-flag
	want_out '^called with -a-flag -b-flag -o gbtestdisk gbtestdisk.c -c-flag$'
fi

finish
