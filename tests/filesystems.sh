#!/bin/sh
# What becomes of eviction, of direct I/O and of the warnings on each file
# system that can be had here.  Needs root, tmpfs, loop devices, and what
# makes and mounts each of them.
. ./lib.sh

disk='' zram=''
trap 'clean_up; [ -z "$zram" ] || zramctl -r "$zram"' 0

# Images are in memory, which needs no second cache to be kept away from.
[ "$(id -u)" != 0 ] || { mkdir "$T/ram" && mount -t tmpfs tmpfs "$T/ram" && disk=$T/ram/img; }
mounted=${disk:+$T/ram}
mkdir -p "$T/m" "$T/n"

# device SIZE: a new block device of that size in memory, $loop.
device() {
	truncate -s "$1" "$disk"
	loop=$(losetup --direct-io=on -f --show "$disk" 2>/dev/null) || {
		skip 'no loop device to be had'
		return 1
	}
	loops=$loop
}

# mounting COMMAND...: it has mounted something on $place.
mounting() {
	if "$@" >"$T/out" 2>"$T/err" </dev/null; then
		mounted="$place $mounted"
		return 0
	fi
	skip "cannot be mounted: $(head -n 1 "$T/err")"
	return 1
}

# kernel_disk TYPE [OPTION...]: a file system of the kernel's on $T/m.
kernel_disk() {
	kernel_type=$1 place=$T/m
	shift
	need losetup "mkfs.$kernel_type" && device 400M || return 1
	make_file_system "$kernel_type" "$loop" 2>/dev/null || { skip "mkfs.$kernel_type failed"; return 1; }
	mounting mount -t "$kernel_type" "$@" "$loop" "$T/m" || return 1
	rmdir "$T/m/lost+found" 2>/dev/null
	return 0
}

# image COMMAND...: has made an image of a read-only file system of it.
image() {
	mkdir -p "$T/source"
	echo content >"$T/source/file"
	if "$@" >/dev/null 2>&1 </dev/null; then
		loop=$(losetup -r -f --show "$disk") && loops=$loop
	else
		skip "$1 failed"
		return 1
	fi
}

# establish NAME: mounts what the table calls so, on $place, or skips.
establish() {
	[ -n "$disk" ] || { skip 'needs root and tmpfs'; return 1; }
	place=$T/n
	case $1 in
	ext2 | ext3 | ext4 | xfs | btrfs) kernel_disk "$1" ;;
	ext4-journal) kernel_disk ext4 -o data=journal ;;
	btrfs-zstd) kernel_disk btrfs -o compress-force=zstd ;;
	overlay)
		kernel_disk ext4 && mkdir "$T/m/lower" "$T/m/upper" "$T/m/work" && place=$T/n &&
		    mounting mount -t overlay overlay "$place" \
		    -o "lowerdir=$T/m/lower,upperdir=$T/m/upper,workdir=$T/m/work"
		;;
	overlay-tmpfs)
		mkdir -p "$T/ram/lower" "$T/ram/upper" "$T/ram/work" &&
		    mounting mount -t overlay overlay "$place" \
		    -o "lowerdir=$T/ram/lower,upperdir=$T/ram/upper,workdir=$T/ram/work"
		;;
	bind) kernel_disk ext4 && mkdir "$T/m/a" && place=$T/n && mounting mount --bind "$T/m/a" "$place" ;;
	tmpfs | ramfs) mounting mount -t "$1" "$1" "$place" ;;
	zram)
		need zramctl || return 1
		zram=$(zramctl -f -s 100M 2>/dev/null) || { skip 'the kernel has no zram'; return 1; }
		mkfs.ext4 -qF "$zram" && mounting mount "$zram" "$place" || return 1
		rmdir "$place/lost+found"
		;;
	fuse2fs)
		need fuse2fs && device 100M && mkfs.ext4 -qF "$loop" && mounting fuse2fs "$loop" "$place" ||
		    return 1
		rmdir "$place/lost+found"
		;;
	ntfs-3g)
		need ntfs-3g mkfs.ntfs && device 100M && mkfs.ntfs -qFf "$loop" >/dev/null 2>&1 &&
		    mounting ntfs-3g "$loop" "$place"
		;;
	exfat-fuse)
		need mount.exfat-fuse mkfs.exfat && device 100M && mkfs.exfat "$loop" >/dev/null 2>&1 &&
		    mounting mount.exfat-fuse "$loop" "$place"
		;;
	bindfs | bindfs-direct)
		need bindfs && kernel_disk ext4 && mkdir "$T/m/a" && place=$T/n || return 1
		case $1 in
		*-direct) mounting bindfs -o direct_io "$T/m/a" "$place" ;;
		*) mounting bindfs "$T/m/a" "$place" ;;
		esac
		;;
	sshfs)
		need sshfs || return 1
		[ -x /usr/lib/openssh/sftp-server ] || { skip 'no sftp-server'; return 1; }
		printf '#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n' >"$T/ssh"
		chmod +x "$T/ssh"
		kernel_disk ext4 && place=$T/n && mounting sshfs -o ssh_command="$T/ssh" "host:$T/m" "$place"
		;;
	squashfs)
		need mksquashfs && image mksquashfs "$T/source" "$disk" -quiet -no-progress &&
		    mounting mount -t squashfs "$loop" "$place"
		;;
	erofs)
		need mkfs.erofs && image mkfs.erofs "$disk" "$T/source" &&
		    mounting mount -t erofs "$loop" "$place"
		;;
	ext4-ro) kernel_disk ext4 && mounting mount -o remount,ro "$loop" "$place" ;;
	bind-ro)
		mkdir -p "$T/source" && mounting mount --bind "$T/source" "$place" &&
		    mounting mount -o remount,ro,bind "$place"
		;;
	mqueue | hugetlbfs | cgroup2) mounting mount -t "$1" "$1" "$place" ;;
	sysfs) mounting mount -t sysfs sysfs "$place" ;;
	proc) mounting mount -t proc proc "$place" ;;
	esac
}

# A FUSE daemon may take a moment to let go.
# shellcheck disable=SC2317 # await calls it
unmounted() {
	umount "$1" 2>/dev/null
	! mount | grep -q " $1 "
}
abolish() {
	for place in $mounted; do
		[ "$place" = "$T/ram" ] || await unmounted "$place"
	done
	mounted=${disk:+$T/ram}
	[ -z "$loops" ] || await losetup -d "$loops"
	loops=''
	[ -z "$zram" ] || await zramctl -r "$zram"
	zram=''
	rm -rf "$disk" "$T/ram/lower" "$T/ram/upper" "$T/ram/work" "$T/source"
}

# warnings: which there are, but for those of the ratio and the processors,
# which are a matter of speed, in the order of the alphabet.
warnings() {
	warned_of=$(sed -n -e '/ read reached /d' -e '/processors were the limit/d' -e 's/.*file system is in memory.*/memory/p; t' \
	    -e 's/.* still in memory after eviction.*/still/p; t' \
	    -e 's/.*could not be verified.*/unverified/p; t' \
	    -e 's/.*for the cache pass.*/partial/p; t' \
	    -e 's/.*direct I.O left 100\.0 %.*/leaked/p; t' \
	    -e 's/.*/other/p' "$T/err" | sort | tr '\n' ',')
	warned_of=${warned_of%,}
	echo "${warned_of:--}"
}

# FUSE hides a file that is removed while it may be in use, and lets it go
# when it has heard of the last close.
# shellcheck disable=SC2317 # await calls it
place_empty() { [ -z "$(ls -A "$place")" ]; }

# Name, the type shown, whether the file is evicted, the warnings, and those
# with -d, or why it is refused.  To open a file on bindfs is to drop what the
# cache has of it, so that eviction has nothing to do, and the verifier never
# sees a page.  With direct_io it cannot be mapped.  That a file system is in
# memory explains all that could be warned of.
while read -r name type evicted warned direct; do
	for mode in '' -d; do
		# Without -d the name says what is to come, with it likewise.
		case $mode in
		-d) t "$name: $direct with -d" ;;
		*) t "$name: evicted $evicted, warnings $warned" ;;
		esac || continue
		if establish "$name"; then
			run -v $mode -c 32 -r 2 "$place"
			await place_empty
			want_empty "$place"
			case $mode$direct in
			-drefused)
				want_status 1
				want_failure "^gbtestdisk: direct I/O: $place/gbtest-[^:]*: not supported" "$place"
				;;
			-d*)
				want_status 0
				want_table 2
				[ "$(warnings)" = "$direct" ] || fail "warnings $(warnings)"
				;;
			*)
				want_status 0
				want_table 3
				want_fact filesystem "$type"
				want_fact verify mincore
				want_fact evicted "$evicted"
				case $evicted,$name in
				yes,* | *,bindfs | *,fuse2fs | *,sshfs | *,ntfs-3g | *,exfat-fuse) want "$(fact resident) == 0" ;;
				no,*) want "$(fact resident) == 1" ;;
				*) want_fact resident nan ;;
				esac
				[ "$(warnings)" = "$warned" ] || fail "warnings $(warnings)"
				;;
			esac
		fi
		abolish
	done
done <<'END'
ext2 ext2 yes - -
ext3 ext3 yes - -
ext4 ext4 yes - -
ext4-journal ext4 yes - leaked
xfs xfs yes - -
btrfs btrfs yes - -
btrfs-zstd btrfs yes - -
overlay overlay yes - -
overlay-tmpfs overlay no memory memory
bind ext4 yes - -
zram ext4 yes - -
tmpfs tmpfs no memory memory
ramfs ramfs no memory refused
fuse2fs fuse.ext4 unverified unverified unverified
ntfs-3g fuseblk unverified unverified unverified
exfat-fuse fuseblk unverified unverified unverified
sshfs fuse.sshfs unverified unverified unverified
bindfs fuse unverified unverified unverified
bindfs-direct fuse unverified unverified unverified
END

# A server that hears of the last close while it removes the file leaves it under
# another name; it did so in one run of twenty, and in one kill of five.
if t 'fuse2fs: nothing is left behind by 200 runs' && establish fuse2fs; then
	for i in $(seq 200); do works -d -o write -c 1 -r 2 "$place"; done
	await place_empty
	want_empty "$place"
	abolish
fi

if t 'fuse2fs: nothing is left behind by 100 runs that are killed' && establish fuse2fs; then
	for i in $(seq 100); do
		start -p 3 -d -c 3 -r 99 "$place" || break
		sleep "0.0$((i % 9 + 1))"
		kill -9 "$pid"
		ended
	done
	await place_empty
	want_empty "$place"
	abolish
fi

# sshfs numbers a file anew when the kernel has forgotten it, as it does when
# memory is short.  forgetful SECONDS: while the program runs, for so long at most.
forgetful() {
	for i in $(seq "${1}0"); do
		kill -0 "$pid" 2>/dev/null || break
		echo 2 >/proc/sys/vm/drop_caches
		pause
	done
}

while read -r target arguments; do
	t "sshfs: $target whose inode was forgotten is the same, with $arguments" || continue
	if establish sshfs; then
		dd if=/dev/zero of="$T/m/existing" bs=1M count=4 2>/dev/null
		case $target in file) target=$place/existing ;; *) target=$place ;; esac
		# shellcheck disable=SC2086
		if start $arguments -r 3 -i 0.3 "$target"; then
			forgetful 30
			ended
			want_status 0
			[ "$(ls -A "$place")" = existing ] || fail "there is $(ls -A "$place")"
		fi
		abolish
	fi
done <<'END'
directory -R -c 4 -b 64k
directory -R -p 2 -c 4 -b 64k -o read
file -c 4
END

if t 'sshfs: kill -9 leaves no file whose inode was forgotten' && establish sshfs; then
	if start -R -c 4 -b 64k -r 2 -i 99 -o read "$place"; then
		sleep 1
		[ -n "$(ls -A "$place")" ] || fail 'there was no file'
		forgetful 1
		kill -9 "$pid"
		ended
		await place_empty
		want_empty "$place"
	fi
	abolish
fi

# As NFS does of root's files; the first file of a run tells whose they are.
if t 'bindfs: a file that the server gives another owner is not left by kill -9' && can_strace && launcher &&
    establish bindfs && umount "$place" && mounting bindfs --force-user=nobody "$T/m/a" "$place"; then
	exec "$T/launch" strace -D -f -o /dev/null -e trace=openat -e inject=openat:delay_exit=100000 \
	    "$G" -d -o write -c 1 -r 3 "$place" >"$T/out" 2>"$T/err" </dev/null &
	pid=$! first=''
	# The second file is there, and the program does not know it yet.
	while kill -0 "$pid" 2>/dev/null; do
		name=$(ls -A "$place")
		first=${first:-$name}
		case $name in '' | "$first" | .fuse*) ;; *) break ;; esac
	done
	kill -9 "$pid" || fail 'it has ended'
	ended
	await place_empty
	want_empty "$place"
	abolish
fi

if t 'ext4-journal: writes alone by -d say that they went through the cache' && establish ext4-journal; then
	works -d -o write -c 4 -r 1 "$place"
	[ "$(warnings)" = leaked ] || fail "warnings $(warnings)"
	want_err 'direct I/O left 100.0 % of the file in memory'
	abolish
fi

if t 'ext4-journal: of a file that -t cut, all that was written' && establish ext4-journal; then
	if inject pwrite64=delay_exit=20000 -d -o write -c 4 -b 64k -t 0.2 -r 1 "$place"; then
		want_err 'write: cut short'
		want_err 'direct I/O left 100.0 % of the file in memory'
	fi
	abolish
fi

want_empty_of_ours() {
	for file in "$place"/gbtest-*; do [ ! -e "$file" ] || fail "left behind: $file"; done
}

# Where nothing can be written, that is what is said.
while read -r name why; do
	t "$name: $why" || continue
	if establish "$name"; then
		for option in -a -d; do
			run "$option" -c 4 -r 1 "$place"
			want_status 1
			want_one_line
			want_err "^gbtestdisk: [a-zA-Z /]*: ${place}[^:]*: .*$why"
			want_no_out
			want_empty_of_ours
		done
	fi
	abolish
done <<'END'
squashfs Read-only file system
erofs Read-only file system
ext4-ro Read-only file system
bind-ro Read-only file system
proc No such file or directory
sysfs Permission denied
cgroup2 Permission denied
mqueue [A-Z]
hugetlbfs [A-Z]
END

# ---- a cache below the page cache -------------------------------------------------

# What is evicted here is still in the cache of the file that the disk is.
t 'a disk whose backing file is cached: evicted, as far as can be seen'
case $(df -P "$T" | awk 'NR == 2 { print $1 }') in
tmpfs | ramfs) skip 'the test directory is in memory' ;;
*)
	if loop_disk 200M ext4 && can_count; then
		mounted="$T/m $mounted"
		before=$(moved_sectors 6)
		works -v -c 32 -r 3 -b 64k "$T/m"
		want_fact evicted yes
		want "$(moved_sectors 6) - $before >= 3 * 65536"
		[ "$(warnings)" = - ] || fail "warnings $(warnings)"
		# The ratio is all that can tell, and the warning goes by it.
		if holds "$(fact read/cache) >= 0.8"; then
			want_err 'read reached [0-9.]* of cache'
		else
			! grep -q 'read reached' "$T/err" || fail 'a warning without cause'
		fi
		loop_gone
		mounted=${disk:+$T/ram}
	fi
	;;
esac

finish
