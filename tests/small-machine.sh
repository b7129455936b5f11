#!/bin/sh
# A machine smaller than the file: user-mode Linux with 48 MB and a disk of
# its own; its root is this machine's.  Needs root and linux.uml.
. ./lib.sh

needed() { need_root && need linux.uml truncate mkfs.ext4 timeout setarch; }

# boot TYPE MEMORY ARGUMENT...: runs the program on the disk of such a machine,
# with a file system of that type; the most memory that it was seen to take is
# $peak, in KiB.
boot() {
	type=$1 memory=$2
	shift 2
	rm -f "$T/out" "$T/err" "$T/status" "$T/peak"
	mkdir -p "$T/mounted"
	truncate -s 300M "$T/disk"
	case $type in
	vfat) mkfs.vfat "$T/disk" >"$T/log" ;;
	*) mkfs.ext4 -qF "$T/disk" ;;
	esac || fail 'no disk can be made'
	cat >"$T/init" <<END
#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
if [ $type = vfat ]; then
	for module in fat/fat fat/vfat nls/nls_cp437 nls/nls_iso8859-1 nls/nls_ascii; do
		busybox insmod /usr/lib/uml/modules/*/kernel/fs/\$module.ko
	done
	# The kernel forgets each inode that nobody has open.
	while sleep 0.02; do echo 2 >/proc/sys/vm/drop_caches; done &
fi 2>/dev/null
mount -t $type /dev/ubda '$T/mounted'
rmdir '$T/mounted/lost+found' 2>/dev/null
'$G' $* '$T/mounted' >'$T/out' 2>'$T/err' </dev/null &
pid=\$!
while kill -0 \$pid 2>/dev/null; do
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/\$pid/status
	sleep 0.2
done >'$T/peak' 2>/dev/null
wait \$pid
echo \$? >'$T/status'
ls -A '$T/mounted' >'$T/left'
umount '$T/mounted'
sync
echo o >/proc/sysrq-trigger
sleep 10
END
	chmod +x "$T/init"
	# Where addresses are random, so is the memory that is left.
	timeout -k 5 120 setarch -R linux.uml "mem=$memory" root=/dev/root rootfstype=hostfs rootflags=/ rw \
	    "init=$T/init" "ubd0=$T/disk" con=null con0=null,fd:1 quiet >"$T/log" 2>&1 </dev/null
	if [ ! -f "$T/status" ]; then
		skip "it does not boot here: $(tail -n 1 "$T/log")"
		return 1
	fi
	status=$(cat "$T/status")
	peak=$(sort -n "$T/peak" | tail -n 1)
	[ ! -s "$T/left" ] || fail "left behind: $(cat "$T/left")"
}

if t 'in 48 MB, 100 MB are measured, and cache is said to be the disk' &&
    needed && boot ext4 48M -v -c 100 -r 2; then
	want_status 0
	want_table 3
	want_fact size 104857600
	want_fact filesystem ext4
	want_fact evicted yes
	want_err '^gbtestdisk: warning: .*only [0-9.]* % of the file was in memory for the cache pass'
	share=$(sed -n 's/.*only \([0-9.]*\) % of the file was.*/\1/p' "$T/err")
	want "$share < 48"
	want "${peak:-0} > 500 && ${peak:-0} < 10240"
fi

if t 'in 48 MB, 4 MB are measured, and cache is memory' && needed && boot ext4 48M -v -c 4 -r 2; then
	want_status 0
	want_table 3
	! grep -q 'of the file was in memory' "$T/err" || fail 'a warning'
fi

if t 'in 48 MB, four workers in random order take no more' &&
    needed && boot ext4 48M -c 100 -r 1 -R -q 4 -b 64k -w 50; then
	want_status 0
	want_table 5
	want "${peak:-0} > 500 && ${peak:-0} < 10240"
fi

if t 'in 48 MB, a block that memory does not hold is an error' &&
    needed && boot ext4 48M -c 200 -r 1 -b 200m; then
	[ "$status" -ne 0 ] || fail 'it measured'
	! grep -q '^avg' "$T/out" || fail 'a figure'
	want_err '^gbtestdisk: cannot allocate a block of this size: '
fi

# FAT has no numbers of inodes: a file gets one when the kernel looks it up.
if t 'on FAT, a file that the kernel has forgotten is the same' &&
    needed && need mkfs.vfat busybox && boot vfat 48M -v -p 3 -c 8 -r 5; then
	want_status 0
	want_table 3
	want_fact filesystem vfat
	want_fact evicted yes
fi

finish
