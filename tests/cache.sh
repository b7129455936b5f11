#!/bin/sh
# Uncached reads come from the device, cached ones do not, and what could not
# be made so is said.  Needs root for the disks, strace for the faults.
# shellcheck disable=SC2016,SC2086
. ./lib.sh

# A file of 8 MiB is 16384 sectors; the slack is for what the file system
# reads for itself.
while read -r files arguments; do
	t "$arguments reads $files files from the device" || continue
	if [ -z "$loop" ]; then
		loop_disk 128M ext4 --direct-io=on || break
	fi
	can_count || break
	before=$(moved_sectors 6)
	run -c 8 $arguments "$T/m"
	after=$(moved_sectors 6)
	want_status 0
	want "$after - $before >= $files * 16384"
	want "$after - $before <= $files * 16384 * 1.1 + 512"
	want_empty "$T/m"
done <<'END'
3 -r 3
3 -r 3 -b 4k
1 -r 1 -b 1000003
3 -r 3 -o read
3 -r 3 -o write,read
2 -r 2 -o read,cache
0 -r 3 -o write,cache
0 -r 3 -o cache
0 -r 3 -o write
1 -R -b 4k -r 1 -o read
2 -R -b 4k -r 2 -q 2 -p 2
1 -R -b 4k -r 1 -o read -d -q 4
1 -R -b 4k -r 1 -o mix -w 0 -q 4
END
[ -z "$mounted" ] || loop_gone

if t 'the directory is not /tmp but where one is'; then
	(cd "$D" && TMPDIR=/tmp "$G" -v -c 1 -r 1) >"$T/out" 2>"$T/err"
	want_fact directory "$D"
fi

while read -r what arguments; do
	t "where fadvise has $what it says that read is of memory, with $arguments" || continue
	if on_disk && inject "fadvise64=$what" -v -c 2 $arguments "$D"; then
		want_status 0
		want_fact evicted no
		want "$(fact resident) > 0.99"
		want_err 'warning: .*still in memory after eviction'
		want_empty
	fi
done <<'END'
error=EPERM -r 1
error=ENOSYS -r 1
error=EINVAL -r 3
retval=0 -r 2
error=EPERM -r 2 -o read
error=EPERM:when=2..4 -r 3
END

if t 'without a write pass, it is not said that write measures memory' &&
    on_disk && inject fadvise64=retval=0 -c 2 -r 1 -o read "$D"; then
	want_err '100.0 % of the file was still in memory after eviction: read measures memory: -d'
fi

# Of a file that -t cut, what there is of it counts, not -c.
while read -r arguments; do
	t "what stays in memory is a share of what was written, with $arguments" || continue
	if on_disk && can_strace; then
		run_with strace -f -qq -o /dev/null -e trace=fadvise64,pwrite64 -e inject=fadvise64:retval=0 \
		    -e inject=pwrite64:delay_exit=20000 "$G" -v -o write,read -r 1 -t 0.5 -b 16k -c 4 $arguments "$D"
		want_status 0
		want "$(fact resident) > 0.99"
		want_err 'write: cut short'
		want_err '100.0 % of the file was still in memory'
	fi
done <<'END'
-q 1
-p 2
-p 2 -q 2
END

if t 'eviction is tried again' &&
    on_disk && inject fadvise64=retval=0:when=1 -v -c 2 -r 2 "$D"; then
	want_status 0
	want_fact evicted yes
	! grep 'after eviction' "$T/err" || fail 'a warning'
fi

if t 'where mincore fails, the share that came from a device shows the eviction' &&
    on_disk && inject mincore=error=ENOSYS -v -c 2 -r 2 "$D"; then
	want_status 0
	want_table 3
	want_fact resident nan
	if [ "$(fact evicted)" = yes ]; then
		want "$(fact 'device read') >= 0.95 && $(fact 'device cache') < 0.05"
		! grep 'could not be verified' "$T/err" || fail 'a false warning'
	else
		want_fact evicted unverified
		want_err 'warning: .*eviction could not be verified, as mincore was refused (Function not implemented)'
	fi
	want_empty
fi

if t 'a verifier that saw nothing before is not believed after, without a count of the device' &&
    on_disk && can_strace; then
	run_with strace -f -qq -o /dev/null -e trace=mincore,getrusage -e inject=mincore:error=ENOSYS:when=1 \
	    -e inject=getrusage:error=ENOSYS "$G" -v -c 2 -r 1 "$D"
	want_status 0
	want_fact evicted unverified
	want_err 'warning: .*eviction could not be verified'
fi

if t 'a failing flush before eviction is an error' &&
    inject fsync=error=EIO:when=2 -c 1 -r 1 "$D"; then
	want_status 1
	want_failure 'Input/output error'
fi

# One letter per run of like calls on the scratch file: W write, F flush, E
# evict, R read; the numbers behind W and R are the bytes, that behind E is
# from where to where.
in_order() {
	can_strace || return 1
	run_with strace -f -y -o "$T/trace" -e trace=pwrite64,fsync,fdatasync,fadvise64,pread64 \
	    "$G" "$@"
	order=$(awk -v d="$D/" '
	index($0, d) == 0 { next }
	{ call = $2; sub(/\(.*/, "", call); result = $NF }
	call == "fadvise64" { match($0, />, [0-9]+, [0-9]+,/)
		split(substr($0, RSTART + 3, RLENGTH - 4), a, ", ")
		result = result == 0 ? a[1] "-" a[2] : "bad" }
	call ~ /sync/ && result != 0 { call = "bad" }
	{ letter = call == "pwrite64" ? "W" : call == "pread64" ? "R" : call == "fadvise64" ? "E" : \
	    call ~ /sync/ ? "F" : "?" }
	letter == last && letter ~ /[WRF]/ { sum += result; next }
	{ put(); last = letter; sum = result }
	function put() { if (last != "") printf "%s%s ", last, last == "F" ? "" : sum }
	END { put() }' "$T/trace")
}

# The read before the last R of cache is one plain read beforehand.
while read -r arguments right; do
	t "calls of -o $arguments in order" || continue
	if on_disk && in_order -c 1 -b 64k -r 1 -o "$arguments" "$D"; then
		want_status 0
		[ "$order" = "$right " ] || fail "$order, not $right"
	fi
done <<'END'
write,read,cache W1048576 F E0-1048576 R2097152
write,read W1048576 F E0-1048576 R1048576
read W1048576 F E0-1048576 R1048576
cache W1048576 F R2097152
write,cache W1048576 F R2097152
write W1048576 F
END

if t 'eviction covers the last part of a page' &&
    on_disk && in_order -c 1001k -b 999 -r 1 -o read "$D"; then
	size=$((1001 * 1024)) end=${order##*E0-}
	end=${end%% *}
	[ "$end" -eq 0 ] || [ "$end" -ge "$size" ] || fail "only to $end"
fi
if t 'an odd tail is evicted' && on_disk; then
	run -v -c 1001k -b 999 -r 1 "$D"
	want_fact evicted yes
	want "$(fact resident) == 0"
fi

# Equal delays make read as slow as cache.
if t 'read as fast as cache is doubted' &&
    on_disk && inject pread64=delay_enter=100000 -v -c 4 -r 1 "$D"; then
	want_status 0
	want_err 'warning: .*read reached [0-9.]* of cache'
	want "$(fact read/cache) >= 0.8"
fi
# The loader may take a few of these, so some of read's calls are without.
if t 'read slower than cache is not doubted' &&
    on_disk && inject pread64=delay_enter=100000:when=1..8 -v -c 8 -r 1 "$D"; then
	want_status 0
	! grep 'of cache' "$T/err" || fail 'a warning'
	want "$(fact read/cache) < 0.8"
fi
if t 'without cache the ratio is unchecked'; then
	run -v -c 1 -r 1 -o write,read "$D"
	want_fact read/cache unchecked
fi

if t 'the rest of a file that random order leaves out is not missed in the cache' && on_disk; then
	for arguments in '-c 100k -b 64k' '-c 100k -b 64k -q 2' '-c 1100k -b 512k -o read,cache' '-c 100k -b 64k -w 50'; do
		works -R -r 2 $arguments "$D"
		! grep 'cache pass' "$T/err" || fail "a warning without cause: $arguments"
	done
fi

finish
