#!/bin/sh
# What is written cannot be made smaller, and what is read is what was written.
# Needs strace to stop the program where the file is looked at or spoilt;
# compressors for what they gain.
# shellcheck disable=SC2016,SC2034,SC2059,SC2154
. ./lib.sh

in_memory

# let_go: ends what `hold` started, and its scratch file.
let_go() {
	kill -9 "$pid" 2>/dev/null
	ended
	# The guard may need a moment.
	await sh -c '[ -z "$(ls -A "$1")" ]' sh "${hold_directory:-$D}"
}

encoded() { filefrag -v "$1" | grep -c encoded; }

if t 'a file system that compresses gains nothing'; then
	MOUNT_OPTIONS='-o compress-force=zstd'
	if need filefrag strace && loop_disk 200M btrfs; then
		dd if=/dev/zero of="$T/m/zeros" bs=64k count=16 2>/dev/null
		sync
		if [ "$(encoded "$T/m/zeros")" -eq 0 ]; then
			skip 'zeros are not compressed either'
		else
			rm "$T/m/zeros"
			hold_directory=$T/m
			if hold fadvise64 1 -c 16 -r 1 "$T/m"; then
				[ "$(encoded "$scratch")" -eq 0 ] || fail 'compressed extents'
				[ "$(filefrag -v "$scratch" | grep -c '^ *[0-9]*:')" -gt 0 ] || fail 'no extents'
				[ "$(wc -c <"$scratch")" -eq 16777216 ] || fail 'not all there'
			fi
			let_go
			hold_directory=
		fi
		loop_gone
	fi
	MOUNT_OPTIONS=
fi

# chunks BYTES FILE: a line for each piece of a file.
chunks() { od -An -v -tx8 -w"$1" "$2" | tr -d ' '; }

# Two rounds of one run, one of another at the same time.
while read -r size block; do
	t_all "no two 4 KiB are alike in files of $size by $block" || continue
	if ! od -An -v -tx8 -w512 /dev/null 2>/dev/null; then
		skip 'od has no -w'
	elif hold fsync 1+ -c "$size" -b "$block" -r 2 -o write "$D"; then
		cp "$scratch" "$T/copy1"
		resume
		held && cp "$scratch" "$T/copy2"
		first=$pid
		mkdir "$T/other"
		hold_directory=$T/other
		hold fsync 1 -c "$size" -b "$block" -r 2 -o write "$T/other" &&
		    cp "$scratch" "$T/copy3"
		let_go
		hold_directory=
		rmdir "$T/other"
		pid=$first
		let_go
		for i in 1 2 3; do chunks 4096 "$T/copy$i"; done >"$T/pieces"
		want "$(wc -l <"$T/pieces") >= 3 * 1000000 * ${size%m} / 4096"
		[ "$(sort "$T/pieces" | uniq -d | wc -l)" -eq 0 ] || fail 'some are alike'
		rm -f "$T/pieces" "$T"/copy?
	fi
done <<'END'
12m 1m
8m 8m
6m 5m
6m 3000k
2m 4k
2m 1000
END

# A mix pass leaves blocks of one writing between those of another.
while read -r flush arguments; do
	t_all "zstd gains nothing after passes that wrote in part: $arguments" || continue
	# shellcheck disable=SC2086
	if need zstd && hold fsync "$flush" $arguments "$D"; then
		want "$(zstd -q -T1 -19 --long=22 -c <"$scratch" | wc -c) > .99 * $(wc -c <"$scratch")"
		kill -9 "$pid"
		resume
		ended
	fi
done <<'END'
7 -o mix -w 50 -b 4k -c 8 -r 3
5 -o mix -w 30 -b 16k -R -c 8 -r 2
5 -o mix -w 50 -b 1m -c 16 -r 2
END

# The windows are 32 KiB, 900 KiB and 4 MiB; gzip and bzip2 look less far.
if t_all 'compressors gain nothing'; then
	if hold fadvise64 1 -c 7 -r 1 "$D"; then
		for compressor in gzip bzip2 'xz -T1 --lzma2=preset=0,dict=4MiB'; do
			if need "${compressor%% *}"; then
				want "$($compressor -c <"$scratch" | wc -c) > .99 * 7 * 1048576"
			fi
		done
	fi
	let_go
fi

# The pool repeats after 5 MiB at the least, so a window of 4 MiB is the test.
for block in 1m 3000 4m; do
	t_all "zstd gains nothing by a window of 4 MiB, in blocks of $block" || continue
	size=7m
	if need zstd && hold fadvise64 1 -c "$size" -b "$block" -o read -r 1 "$D"; then
		want "$(zstd -q -T1 -19 --long=22 -c <"$scratch" | wc -c) > .99 * $(wc -c <"$scratch")"
		let_go
	fi
done

for pair in 1:20k 2:20k 7:60k 8:60k 100:1m 511:1m 512:1m 513:1m 520:1m 1000:999k 3000:2 4096:2 \
    4097:4095k 65535:3 1000003:6 1m:5 1m:1000k 3m:8 4m:8 5m:12 8m:17 9m:9; do
	block=${pair%:*} size=${pair#*:}
	t "blocks of $block in a file of $size are read back right" || continue
	works -b "$block" -c "$size" -r 2 "$M"
	want_table 3
	want_empty "$M"
done

# overwrite OFFSET BYTE...: puts these, in octal, into the scratch file.
overwrite() {
	overwrite_at=$1
	shift
	for byte; do printf "\\$byte"; done |
	    dd of="$scratch" bs=1 seek="$overwrite_at" conv=notrunc 2>/dev/null
}

# octal_not OFFSET: another byte than stands there.
octal_not() {
	od -An -v -tu1 -j "$1" -N 1 "$scratch" |
	    awk '{ printf "%03o\n", ($1 + 1) % 256 }'
}

# want_corrupt OFFSET [TEXT]: the one fault is named.
want_corrupt() {
	resume_to_end
	want_status 1
	want_failure "^gbtestdisk: checking what was read: $scratch: .*offset $1[^0-9]"
	[ -z "$2" ] || want_err "$2"
}

# In each block size a stamp at a block's edge too; the byte is one of eight.
while read -r block size offset byte; do
	case $block in 1m | 513) which=t ;; *) which=t_all ;; esac
	$which "a wrong byte at $offset + $byte is found in blocks of $block" || continue
	if hold fadvise64 1 -c "$size" -b "$block" -r 2 "$D"; then
		overwrite $((offset + byte)) "$(octal_not $((offset + byte)))"
		want_corrupt "$offset"
	fi
done <<'END'
1m 4 0 0
1m 4 1536 7
1m 4 1048064 3
1m 4 1048576 0
1m 4 4193792 7
4k 1 4096 4
1 4k 1024 0
1 4k 1024 5
7 16k 512 0
7 16k 512 3
7 16k 15872 7
511 1m 260096 0
511 1m 260096 2
511 1m 260096 3
511 1m 260096 7
513 1m 261632 6
3000 1m 9216 1
1000003 3 1000448 0
8m 16 8388608 1
9m 9 9436672 1
END

# The same stamp on any other place, or of any other age, is as wrong.
while read -r block size to from; do
	t "a sector of $from at $to is found in blocks of $block, and named" || continue
	if hold fadvise64 1 -c "$size" -b "$block" -r 1 "$D"; then
		dd if="$scratch" of="$T/sector" bs=512 skip=$((from / 512)) count=1 2>/dev/null
		dd if="$T/sector" of="$scratch" bs=512 seek=$((to / 512)) conv=notrunc 2>/dev/null
		want_corrupt "$to" "data of offset $from\$"
	fi
done <<'END'
1m 4 0 512
1m 4 1048576 4193792
1m 4 2097152 0
513 1m 51200 102400
3000 1m 512 1048064
END

# In sequence each round makes a new file: what it shows of the last is stale.
if t 'data of an earlier round is found, and named' &&
    hold fadvise64 1+ -c 1 -r 3 -o write,read "$D"; then
	cp "$scratch" "$T/old"
	# It stops again for each try at eviction, too.
	while cmp -s "$T/old" "$scratch"; do
		resume
		held || break
	done
	if [ -f "$scratch" ]; then
		dd if="$T/old" of="$scratch" bs=4096 skip=5 seek=5 count=1 conv=notrunc 2>/dev/null
		resume_to_end
		want_status 1
		want_err "checking what was read: $scratch: .*offset 20480 .*data of offset 20480 of an earlier"
		want_empty
	fi
fi

if t 'data of another run is found'; then
	mkdir "$T/other"
	hold_directory=$T/other
	if hold fadvise64 1 -c 1 -r 1 "$T/other"; then
		cp "$scratch" "$T/old"
		let_go
		hold_directory=
		if hold fadvise64 1 -c 1 -r 1 "$D"; then
			dd if="$T/old" of="$scratch" bs=512 skip=9 seek=9 count=3 conv=notrunc 2>/dev/null
			want_corrupt 4608
			! grep 'data of' "$T/err" || fail 'it is said to be of this run'
		fi
	fi
	hold_directory=
fi

if t 'what is wrong from the second round on is found' && hold fadvise64 2 -c 1 -r 3 "$D"; then
	overwrite 1024 "$(octal_not 1024)"
	want_corrupt 1024
fi

if t 'a wrong byte is found where the file is laid out once' &&
    hold fadvise64 2 -c 1 -r 3 -o read "$D"; then
	overwrite 1024 "$(octal_not 1024)"
	want_corrupt 1024
fi

# Filling a block anew would cost several times the copy into memory.
if t_all 'making the data does not slow writing'; then
	if [ "$M" = "$D" ]; then
		skip 'no /dev/shm'
	elif [ "$(df -Pk "$M" | awk 'NR == 2 { print $4 }')" -lt 400000 ]; then
		skip 'too little room in /dev/shm'
	else
		best=0
		for i in 1 2 3; do
			rate=$(dd if=/dev/zero of="$M/zeros" bs=1048576 count=128 2>&1 |
			    sed -n 's/.*, \([0-9.e-]*\) s,.*/\1/p')
			rm -f "$M/zeros"
			[ -n "$rate" ] || continue
			best=$(awk "BEGIN { r = 134.217728 / $rate; print (r > $best) ? r : $best }")
		done
		if [ "$best" = 0 ]; then
			skip 'dd tells no time'
		else
			works -c 128 -r 4 -o write "$M"
			want "$(figure max 1) > $best / 3"
		fi
	fi
fi

finish
