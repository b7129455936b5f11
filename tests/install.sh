#!/bin/sh
# It is installed and taken away by make, and runs with nothing around it.
# Needs make and cc; root, chroot and a static C library for the bare root.
. ./lib.sh

if t 'runs alone in a root directory, as nobody, with no environment' &&
    need_root && need chroot; then
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
		want_fact directory /
		[ "$(ls -A "$D/root")" = gbtestdisk ] || fail "in it: $(ls -A "$D/root")"
		! grep 'guard' "$T/err" || fail 'without its guard'
		there=$(grep -v '^# ' "$T/out" | awk -F '\t' '{ print $1, NF }')
		keys=$(sed -n 's/^# \([a-z]*\).*/\1/p' "$T/out")
		run -v -x -a -c 2 -r 2 "$D"
		[ "$(grep -v '^# ' "$T/out" | awk -F '\t' '{ print $1, NF }')" = "$there" ] || fail 'other tables'
		[ "$(sed -n 's/^# \([a-z]*\).*/\1/p' "$T/out")" = "$keys" ] || fail 'other facts'
	fi
fi

if t 'runs in the directory it may not read' && need_root; then
	mkdir "$D/drop"
	chmod 755 "$T" "$D"
	chmod 333 "$D/drop"
	if nobody -c 1 -r 1 "$D/drop"; then
		want_status 0
		want_table 3
		want_empty "$D/drop"
	fi
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
# What is installed, the scripts under a number: all that are in plot/.
main_files() {
	(cd "$1" && find . -type f | sort | awk '
	sub(/\/gbtestdisk-[a-z]*$/, "") { scripts[$0]++; next }
	{ print }
	END { for (dir in scripts) print dir "/" scripts[dir] }' | tr '\n' ' ')
}
scripts=$(find "$SRC/plot" -type f ! -name lib.sh | wc -l | tr -d ' ')

for make in make bmake; do
	t "$make builds, installs, uninstalls and cleans" || continue
	if need "$make" && tree; then
		before=$(files "$T/tree")
		run_with env -u MAKEFLAGS -u MAKELEVEL "$make" -C "$T/tree"
		want_status 0
		[ -x "$T/tree/gbtestdisk" ] || fail 'nothing was built'
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root"
		want_status 0
		[ "$(main_files "$T/root")" = "./usr/local/bin/gbtestdisk ./usr/local/libexec/gbtestdisk/lib.sh ./usr/local/share/man/man1/gbtestdisk.1 ./usr/local/bin/$scripts " ] ||
		    fail "installed: $(files "$T/root")"
		[ -n "$(find "$T/root/usr/local/bin/gbtestdisk" -perm 755)" ] || fail 'the program is not of mode 755'
		[ -n "$(find "$T/root/usr/local/share/man/man1/gbtestdisk.1" -perm 644)" ] || fail 'the page is not of mode 644'
		[ "$("$T/root/usr/local/bin/gbtestdisk" -V)" = "$("$T/tree/gbtestdisk" -V)" ] || fail 'another program'
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" uninstall "DESTDIR=$T/root"
		want_status 0
		[ -z "$(files "$T/root")" ] || fail "left: $(files "$T/root")"
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root" PREFIX=/opt/x
		[ "$(main_files "$T/root")" = "./opt/x/bin/gbtestdisk ./opt/x/libexec/gbtestdisk/lib.sh ./opt/x/share/man/man1/gbtestdisk.1 ./opt/x/bin/$scripts " ] ||
		    fail "installed: $(files "$T/root")"
		rm -r "$T/root"
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root" BINDIR=/b MANDIR=/m LIBEXECDIR=/l
		[ "$(main_files "$T/root")" = "./b/gbtestdisk ./l/gbtestdisk/lib.sh ./m/man1/gbtestdisk.1 ./b/$scripts " ] || fail "installed: $(files "$T/root")"
		run_with env -u MAKEFLAGS "$make" -C "$T/tree" clean
		want_status 0
		[ "$(files "$T/tree")" = "$before" ] || fail "left: $(files "$T/tree")"
	fi
done

# lib.sh is found wherever it is, and the program beside the scripts.
for make in make bmake; do
	t "$make installs scripts that run, under any PREFIX" || continue
	if need "$make" && tree; then
		cp "$G" "$T/tree/gbtestdisk"
		touch "$T/tree/gbtestdisk"
		while IFS='|' read -r prefix libexec; do
			rm -rf "$T/root" "$T/place"
			set -- "PREFIX=$T/place$prefix" ${libexec:+"LIBEXECDIR=$T/place$libexec"}
			run_with env -u MAKEFLAGS "$make" -C "$T/tree" install "DESTDIR=$T/root" "$@"
			want_status 0
			mv "$T/root$T/place" "$T/place"
			for script in "$SRC"/plot/*; do
				[ "${script##*/}" != lib.sh ] || continue
				script=gbtestdisk-${script##*/}
				[ -n "$(find "$T/place$prefix/bin/$script" -perm 755)" ] || fail "$script is not of mode 755"
				run_with env -u GBTESTDISK "$T/place$prefix/bin/$script" -h
				want_status 0
				want_no_err
				want_out "^usage: $script "
				[ "$(awk 'length > 80' "$T/out" | wc -l)" -eq 0 ] || fail "$script: a line of more than 80 columns"
				[ "$script" = gbtestdisk-sync ] || ! grep "^    ${script#gbtestdisk-} " "$T/out" || fail 'an example without its name'
				run_with "$T/place$prefix/bin/$script" -Z
				want_err "^$script: -Z: no such option"
			done
			# The program beside them, not the one that is tested.
			printf '#!/bin/sh\nprintf "#round\\tseconds\\twrite MB/s\\n1\\t1.000000\\t9.000000\\n"\n' \
			    >"$T/place$prefix/bin/gbtestdisk"
			run_with env -u GBTESTDISK "$T/place$prefix/bin/gbtestdisk-rounds" "$D"
			want_out '^1	1.000000	9.000000$'
			mkdir -p "$T/links"
			ln -sf "$T/place$prefix/bin/gbtestdisk-rounds" "$T/links/drift"
			run_with env -u GBTESTDISK "$T/links/drift" "$D"
			want_out '^1	1.000000	9.000000$'
			mkdir -p "$T/root$T"
			mv "$T/place" "$T/root$T/place"
			run_with env -u MAKEFLAGS "$make" -C "$T/tree" uninstall "DESTDIR=$T/root" "$@"
			[ -z "$(files "$T/root")" ] || fail "left: $(files "$T/root")"
		done <<'END'
/usr|
/a b's &c|
/usr|/lib/x
END
	fi
done

if t 'make honours CC, CFLAGS and LDFLAGS' && need make && tree; then
	cat >"$T/compiler" <<'END'
#!/bin/sh
echo "called with $*"
END
	chmod 755 "$T/compiler"
	run_with env -u MAKEFLAGS make -C "$T/tree" "CC=$T/compiler" CFLAGS=-a-flag LDFLAGS=-b-flag LDLIBS=-c-flag
	want_out '^called with -a-flag -b-flag -o gbtestdisk gbtestdisk.c -c-flag$'
fi

finish
