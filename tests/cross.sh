#!/bin/sh
# Other processors: built static by Debian's cross compilers, run by qemu's
# user mode.  Needs those, and strace.  TARGETS names some of them (default: the first six), or all.
# shellcheck disable=SC2016,SC2086 # what other shells are to expand
. ./lib.sh

# Its name, its compiler, its qemu (where it does not run as it is), its bits.
targets='
i686     i686-linux-gnu          i386    32
armhf    arm-linux-gnueabihf     arm     32
mips     mips-linux-gnu          mips    32
m68k     m68k-linux-gnu          m68k    32
s390x    s390x-linux-gnu         s390x   64
riscv64  riscv64-linux-gnu       riscv64 64
arm64    aarch64-linux-gnu       aarch64 64
armel    arm-linux-gnueabi       arm     32
mipsel   mipsel-linux-gnu        mipsel  32
mips64el mips64el-linux-gnuabi64 mips64el 64
powerpc  powerpc-linux-gnu       ppc     32
ppc64    powerpc64-linux-gnu     ppc64   64
ppc64el  powerpc64le-linux-gnu   ppc64le 64
sparc64  sparc64-linux-gnu       sparc64 64
hppa     hppa-linux-gnu          hppa    32
alpha    alpha-linux-gnu         alpha   64'
case ${TARGETS:=i686 armhf mips m68k s390x riscv64} in
all) TARGETS=$(echo "$targets" | awk '{ print $1 }') ;;
esac
# The test files that are run besides what is here: as they take long, on one
# processor of each order of bytes, or on each if SUITE names them.
suite_of() {
	case $1 in
	i686 | mips) echo "${SUITE-args.sh}" ;;
	*) echo "${SUITE-}" ;;
	esac
}

native=$G
shm=/dev/shm/gbtestdisk-cross.$$
trap 'rm -rf "$shm"; clean_up' 0

# What the pure parts answer, which no processor may answer in another way.
cat >"$T/pure.c" <<'END'
#define main program_main
#include "gbtestdisk.c"
#undef main

static void number(const char *name, uint64_t n)
{
	printf("%s %08lx%08lx\n", name, (unsigned long)(n >> 32), (unsigned long)(n & 0xffffffffUL));
}

static void counts(void)
{
	static const char *const words[] = { "1", "2047", "2048", "2049", "4095", "4096", "4097",
		"8796093022207", "8796093022208", "4194305k", "5g", "8388607t", "8388608t", "0", "" };
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++) {
		uint64_t n = 0;
		const char *why = parse_count(words[i], 1, MIB, 1, INT64_MAX, &n);

		printf("%s %s ", words[i], why != NULL ? why : "good");
		number("", n);
	}
}

static void orders(void)
{
	static const uint64_t sizes[] = { 1, 2, 3, 1000, 4097, 65536, (1ULL << 32) + 5, 1ULL << 52 };
	size_t i, j;

	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct order o = order_make(sizes[i], 42 + i);
		uint64_t sum = 0;

		for (j = 0; j < 5000; j++)
			sum = mix64(sum ^ order_at(&o, j * (sizes[i] / 5000 + 1) % sizes[i]));
		number("order", sum);
	}
}

static void stamps(void)
{
	static const size_t blocks[] = { 1, 7, 511, 512, 513, 1000, 4096 };
	static const uint64_t offsets[] = { 0, 1, 505, 4294967295ULL, 4294967296ULL * 1000 + 3 };
	static unsigned char buffer[4096 + 1];
	uint64_t found, wrong;
	size_t i, j;

	data.key = mix64(7);
	for (i = 0; i < sizeof blocks / sizeof *blocks; i++)
		for (j = 0; j < sizeof offsets / sizeof *offsets; j++) {
			/* At an odd address, too: blocks lie one after the other. */
			unsigned char *b = buffer + (i + j) % 2;

			memset(buffer, 0, sizeof buffer);
			stamp(b, offsets[j], blocks[i], 3);
			number("whole", stamps_check(b, offsets[j], blocks[i], 3, &found));
			/* Another generation shows in the upper bytes of a stamp. */
			if (blocks[i] >= STAMP_BYTES)
				number("older", stamps_check(b, offsets[j], blocks[i], 4, &found));
			b[blocks[i] / 2] ^= 1;
			wrong = stamps_check(b, offsets[j], blocks[i], 3, &found);
			number("wrong", wrong);
			number("origin", stamp_origin(stamp_word(offsets[j] / SECTOR, 5)));
		}
}

static void latencies(void)
{
	static struct histogram h;
	uint64_t ns;
	int i;

	for (i = 0; i < 48; i++)
		for (ns = 1ULL << i; ns < 3ULL << i; ns += (1ULL << i) / 3 + 1)
			histogram_add(&h, ns);
	for (i = 0; i <= 1000000; i += 62500)
		printf("%d %.6f\n", i, histogram_percentile(&h, (uint64_t)i));
	for (ns = 1; ns < 300; ns += 7)
		printf("t %.6f\n", student_t(ns));
}

int main(void)
{
	counts();
	orders();
	stamps();
	latencies();
	return 0;
}
END

# What comes later needs its answers.
only=$TEST_CASE TEST_CASE=
if t 'the pure parts compile here'; then
	if ${CC:-cc} -I "$SRC" -o "$T/pure" "$T/pure.c" 2>"$T/err"; then
		"$T/pure" >"$T/pure.native" || fail 'it fails'
		[ "$(wc -l <"$T/pure.native")" -gt 200 ] || fail 'too few answers'
	else
		fail 'it does not compile'
	fi
fi
[ -z "$only" ] || case_state=
TEST_CASE=$only

# native_too ARGUMENT...: ends as it ends here, direct I/O that is refused too.
native_too() {
	run_with "$native" "$@"
	expected=$status
	run "$@"
	want_status "$expected"
	want_empty
}

# writes SIZE ARGUMENT...: with write calls that are skipped, so that the file
# takes no room, the bytes and offsets that are written go to $T/offsets.
writes() {
	size=$1
	shift
	run_with strace -f -qq -s 0 -o "$T/calls" -e trace=pwrite64 \
	    -e inject=pwrite64:retval=1048576 $runner "$binary" -v -c "$size" -o write -r 1 "$@"
	want_status 0
	awk -F '[ ,)]+' '{
		for (i = 1; i < NF; i++)
			if ($i == "=") { print $(i - 2), $(i - 1); break }
	}' "$T/calls" >"$T/offsets"
}

big_files() {
	sizes='2049 4097'
	[ -z "$(suite_of "$name")" ] || sizes='2047 2048 2049 4095 4096 4097'
	for size in $sizes; do
		t "$name: a file of $size MiB is right to the byte" || continue
		can_strace || return
		bytes=$(awk "BEGIN { printf \"%.0f\", $size * 1048576 }")
		writes "$size" "$shm"
		want_fact size "$bytes"
		want_fact writes "$bytes"
		awk '{ if ($1 != 1048576 || $2 != (NR - 1) * 1048576) bad = 1 }
		END { printf "%.0f\n", bad ? -1 : $2 + $1 }' "$T/offsets" >"$T/end"
		[ "$(cat "$T/end")" = "$bytes" ] || fail "written as far as $(cat "$T/end")"
	done
}

random_offsets() {
	t "$name: random offsets reach past 4 GiB, each once" || return
	can_strace || return
	writes 5g -R "$shm"
	awk 'NR > 5120 { n++; seen[$2]++; past += $2 >= 4294967296; if ($2 % 1048576) bad = 1
		sorted += $2 == last + 1048576; last = $2 }
	END { for (i in seen) kinds++
		print n, kinds, past, bad + 0, sorted < 100 }' "$T/offsets" >"$T/found"
	[ "$(cat "$T/found")" = '5120 5120 1024 0 1' ] || fail "calls: $(cat "$T/found")"
}

# small_cases: what a processor may do in its own way: order of bytes,
# alignment, the size of a word, calls and structures of the system.
small_cases() {
	if t "$name: the default run"; then
		works -v -c 1 -r 2 "$D"
		want_table 3
		want_empty
		run_with "$native" -v -c 1 -r 2 "$D"
		evicted=$(fact evicted) type=$(fact filesystem) writes=$(fact writes)
		run -v -c 1 -r 2 "$D"
		want_fact evicted "$evicted"
		want_fact filesystem "$type"
		want_fact writes "$writes"
		want_fact host "$(uname -n)"
		fact clock | grep -q '^CLOCK_MONOTONIC 0\.' || fail "clock $(fact clock)"
	fi

	while read -r block size; do
		t "$name: blocks of $block in a file of $size are read back right" || continue
		works -b "$block" -c "$size" -r 2 "$D"
		want_table 3
		want_empty
	done <<'END'
1 4k
7 16k
511 256k
513 256k
1000 999k
4097 4095k
65535 3
1000003 3
5m 6
END

	while read -r options; do
		t "$name: $options" || continue
		native_too $options "$D"
	done <<'END'
-c 1 -b 4k -R -r 2
-c 1 -b 4k -p 3 -r 2
-c 1 -b 4k -q 4 -r 2
-c 1 -b 4k -p 2 -q 2 -R -w 30 -r 2
-c 1 -b 4k -d -r 1
-c 1 -b 4k -d -R -q 2 -r 1
-c 1 -b 4k -s -r 1
-c 8k -b 4k -t 0.2
-c 8388608t
-b 17179869185g
END

	if t "$name: latencies, a map and JSON"; then
		works -c 1 -b 4k -r 2 -q 2 -l -x -m 4 -s "$D"
		awk -F '\t' '/^#percentile/ { l = NF } /^calls/ { calls = $2 }
		/^#offset/ { m = NF; rows = 0 } m { rows++ }
		END { exit l != 5 || calls != 512 || m != 4 || rows != 5 }' "$T/out" ||
		    fail 'another shape'
		works -j -l -m 4 -c 1 -b 4k -r 2 "$D"
		want_out '"size":1048576,"block":4096,"rounds":2,'
		want_out '"write":{"start":[0-9.]*,"end":[0-9.]*,"bytes":1048576,"calls":256,'
		tr -cd '{}[]"' <"$T/out" | sed 's/""//g' >"$T/shape"
		while sed 's/{}//g; s/\[\]//g' "$T/shape" >"$T/less" && ! cmp -s "$T/shape" "$T/less"; do
			mv "$T/less" "$T/shape"
		done
		[ ! -s "$T/shape" ] || fail "unbalanced: $(cat "$T/shape")"
	fi

	if t "$name: an interrupt ends it, file removed"; then
		"$G" -c 1 -r 1000000 "$D" >"$T/out" 2>"$T/err" </dev/null &
		pid=$!
		await sh -c '[ -n "$(ls -A "$1")" ]' sh "$D"
		kill -TERM "$pid"
		ended
		want_signal 15
		want_empty
	fi
}

# suite FILE: another test file; what comes and goes is tried once more.
suite() {
	t "$name: $1 passes" || return
	for try in 1 2; do
		: >"$T/results"
		RESULTS=$T/results TMPDIR=$T GBTESTDISK=$G TEST_CASE='' ${TEST_SHELL:-sh} "./$1" >"$T/out" 2>"$T/err" \
		    </dev/null && [ -s "$T/results" ] && ! grep '^failed' "$T/results" >"$T/err" && return
	done
	fail "$(head -n 3 "$T/err"), tried $try times"
}

# target NAME: all of the above for one of them.
target() {
	name=$1
	case ${TEST_CASE:-$name:} in "$name:"*) ;; *) return ;; esac
	line=$(echo "$targets" | awk -v name="$name" '$1 == name')
	[ -n "$line" ] || { t "$name"; fail 'no such target'; return; }
	set -- $line
	triple=$2 qemu=qemu-$3-static bits=$4 link=-static runner='' binary=$T/$name.bin
	# It is compiled for whichever case is asked for.
	only=$TEST_CASE TEST_CASE=
	t "$name: it compiles without a warning, static"
	need "$triple-gcc" "$qemu" || return
	# Debian has no static C library for it that works.
	[ "$name" != alpha ] || link='' runner="$qemu -L /usr/$triple"
	[ -n "$runner" ] || runner=$qemu
	"$triple-gcc" -std=c99 -O2 -Wall -Wextra -Wshadow -Werror $link -o "$binary" \
	    "$SRC/gbtestdisk.c" 2>"$T/err" || { fail 'it does not compile'; return; }
	! "$binary" -V >/dev/null 2>&1 || runner=
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$runner" "$binary" >"$T/$name"
	chmod +x "$T/$name"
	G=$T/$name
	"$G" -V >"$T/out" 2>"$T/err" || { skip 'it does not run here'; return; }
	[ -z "$only" ] || case_state=
	TEST_CASE=$only

	if t "$name: the pure parts answer as they do here"; then
		"$triple-gcc" -O $link -I "$SRC" -o "$T/pure.$name" "$T/pure.c" 2>"$T/err" ||
		    fail 'they do not compile'
		$runner "$T/pure.$name" >"$T/out" 2>>"$T/err" || fail 'they fail'
		cmp -s "$T/pure.native" "$T/out" || fail "$(diff "$T/pure.native" "$T/out" | head -n 4)"
	fi

	if t "$name: the unit tests pass"; then
		if [ ! -f unit.c ]; then
			skip 'there are none'
		else
			"$triple-gcc" $link -o "$T/unit.$name" unit.c 2>"$T/err" || fail 'they do not compile'
			$runner "$T/unit.$name" >"$T/out" 2>>"$T/err" || fail 'they end early'
			[ "$(grep -c '^passed' "$T/out")" -gt 10 ] || fail 'too few cases'
			! grep '^failed' "$T/out" >>"$T/err" || fail 'some fail'
		fi
	fi

	small_cases
	for file in $(suite_of "$name"); do
		suite "$file"
	done
	[ "$bits" = 64 ] || big_files
	random_offsets
}

mkdir -m 700 "$shm" 2>/dev/null || shm=$D
for name in $TARGETS; do
	target "$name"
done

# Without any trick: 4 GiB are written, stamped and checked.
if t 'i686: a file of 4097 MiB is read back right, in random order too'; then
	G=$T/i686
	if [ ! -x "$T/i686.bin" ]; then
		skip 'it is not built here'
	elif [ "$shm" = "$D" ] || [ "$(df -Pk "$shm" | awk 'NR == 2 { print $4 }')" -lt 6000000 ] ||
	    [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo 2>/dev/null)" -lt 8000000 ]; then
		skip 'too little memory'
	else
		works -j -c 4097 -r 1 -o write,read "$shm"
		want_out '"read":{"start":[0-9.]*,"end":[0-9.]*,"bytes":4296015872,"calls":4097,'
		works -c 4097 -b 3m -R -r 1 -o read "$shm"
		want_empty "$shm"
	fi
fi

finish
