#!/bin/sh
# The branches for other systems are compiled: against stand-ins for their
# headers (see systems/README), and for macOS against its own, if zig is here.
. ./lib.sh

source=$SRC/gbtestdisk.c
cc=
for compiler in gcc clang; do
	command -v "$compiler" >/dev/null 2>&1 && cc=$compiler && break
done

# compile SYSTEM FLAG...: compiles to $T/SYSTEM.o, as the flags say.
compile() {
	system=$1
	shift
	"$cc" -nostdinc -isystem "systems/$system" -isystem systems/base -U__linux__ -U__linux \
	    -U__gnu_linux__ -Ulinux -Wall -Wextra -Werror "$@" -o "$T/$system.o" "$source" \
	    >"$T/err" 2>&1 || {
		fail "$cc fails with $*"
		return 1
	}
}

# compile_names SYSTEM FLAG...: and its unknown names, in $T/names.
compile_names() {
	compile "$@" -c && nm -u "$T/$system.o" | awk '{ print $NF }' >"$T/names"
}

# want_names WORD...: what is called; after !, what is not.
want_names() {
	sense=
	for name; do
		case $name in
		!) sense=$name ;;
		*)
			if grep -qx "$name" "$T/names"; then
				[ -z "$sense" ] || fail "$name is called"
			else
				[ -n "$sense" ] || fail "$name is not called"
			fi
			;;
		esac
	done
}

# want_text WORD...: names of -v that are in the object; after !, that are not.
want_text() {
	sense=
	for name; do
		case $name in
		!) sense=$name ;;
		*)
			if tr -c '[:alnum:]_%-' '\n' <"$T/$system.o" | grep -qx -e "$name"; then
				[ -z "$sense" ] || fail "-v would say $name"
			else
				[ -n "$sense" ] || fail "-v would not say $name"
			fi
			;;
		esac
	done
}

while IFS='|' read -r system flags names text; do
	case $system in '#'* | '') continue ;; esac
	t "it compiles for $system ($flags)" || continue
	[ -n "$cc" ] || { skip 'needs gcc or clang'; continue; }
	need nm || continue
	# shellcheck disable=SC2086 # lists
	if compile_names "$system" -std=c99 -D_POSIX_C_SOURCE=200112L $flags &&
	    compile "$system" -fsyntax-only -std=gnu11 $flags; then
		want_names $names
		want_text $text
	fi
done <<'END'
macos|-D__APPLE__|mincore msync statfs clock_gettime fcntl setrlimit ! posix_fadvise directio setproctitle ftruncate|msync mincore F_FULLFSYNC CLOCK_MONOTONIC
macos|-D__APPLE__ -DOLD|mincore msync statfs fcntl ! clock_gettime|msync mincore F_FULLFSYNC gettimeofday ! CLOCK_MONOTONIC
freebsd|-D__FreeBSD__|mincore madvise msync posix_fadvise statfs setproctitle clock_gettime|msync mincore -%s
freebsd|-D__FreeBSD__ -DOLD|mincore madvise msync statfs setproctitle ! posix_fadvise|msync mincore -%s
dragonfly|-D__DragonFly__|mincore msync statfs setproctitle ! madvise|msync mincore hammer2 -%s
netbsd|-D__NetBSD__|mincore msync setproctitle statvfs ! statfs madvise|msync mincore -%s
openbsd|-D__OpenBSD__|statfs setproctitle clock_gettime ftruncate ! mincore msync mmap posix_fadvise|ftruncate none -%s ! mincore msync
solaris|-D__sun|directio pread mincore gethrtime statvfs posix_fadvise ! clock_gettime msync|directio mincore gethrtime
solaris|-D__sun -DOLD -D_XOPEN_SOURCE=700|directio pread mincore gethrtime statvfs ! clock_gettime posix_fadvise|directio mincore gethrtime
aix|-D_AIX|posix_fadvise clock_gettime statvfs poll ! mincore mmap|O_DIRECT none
aix|-D_AIX -DOLD|gettimeofday statvfs ! mincore posix_fadvise clock_gettime|O_DIRECT none ! posix_fadvise CLOCK_MONOTONIC
hpux|-D__hpux|gettimeofday statvfs ! clock_gettime mincore posix_fadvise|none gettimeofday ! CLOCK_MONOTONIC O_DIRECT
irix|-D__sgi|statvfs ! clock_gettime mincore posix_fadvise|O_DIRECT none gettimeofday
haiku|-D__HAIKU__|posix_fadvise clock_gettime statvfs ! mincore mmap|O_DIRECT none
haiku|-D__HAIKU__ -DOLD|clock_gettime ! posix_fadvise mincore|O_DIRECT none ! posix_fadvise
cygwin|-D__CYGWIN__|posix_fadvise clock_gettime statvfs ! mincore mmap|O_DIRECT none
hurd|-D__GNU__ -Wconversion|posix_fadvise clock_gettime realpath ! mincore statx|posix_fadvise none
minix|-D__minix|clock_gettime statvfs ! posix_fadvise mincore|none ! posix_fadvise
android|-D__linux__ -D__ANDROID__ -D__ANDROID_API__=24 -Wconversion|posix_fadvise mincore clock_gettime ! statx|posix_fadvise mincore
android|-D__linux__ -D__ANDROID__ -D__ANDROID_API__=30|posix_fadvise mincore syscall ! statx|posix_fadvise mincore
uclibc|-D__linux__|posix_fadvise mincore clock_gettime|posix_fadvise mincore CLOCK_MONOTONIC
uclibc|-D__linux__ -DNEWEST|posix_fadvise mincore clock_gettime|posix_fadvise mincore CLOCK_MONOTONIC
bare|-DNO_MMAP -DNO_POLL -DNO_PREAD -DNO_STATVFS -DNO_FORK|lseek ! fork mmap pread pwrite poll statvfs clock_gettime posix_fadvise|none gettimeofday
# What each can do is left out there, too.
macos|-D__APPLE__ -DNO_MMAP|fcntl ! mmap mincore msync|none ! msync mincore
macos|-D__APPLE__ -DNO_MINCORE|msync ! mincore|msync none
macos|-D__APPLE__ -DNO_FADVISE -DNO_MONOTONIC -DNO_DIRECT|mincore ! msync clock_gettime|none mincore
freebsd|-D__FreeBSD__ -DNO_MMAP|posix_fadvise ! mmap mincore msync madvise|posix_fadvise ! msync mincore
freebsd|-D__FreeBSD__ -DNO_FADVISE -DNO_DIRECT|mincore ! msync posix_fadvise|none mincore
netbsd|-D__NetBSD__ -DNO_MMAP -DNO_STATVFS|setproctitle ! mmap mincore msync statvfs|none
openbsd|-D__OpenBSD__ -DNO_FADVISE|statfs ! ftruncate|none ! ftruncate
dragonfly|-D__DragonFly__ -DNO_MINCORE|msync ! mincore|msync none
solaris|-D__sun -DNO_FADVISE -DNO_DIRECT -DNO_MONOTONIC|mincore gettimeofday ! directio gethrtime|none mincore
solaris|-D__sun -DNO_MMAP -DNO_STATVFS|directio ! mincore mmap statvfs|directio none
irix|-D__sgi -DNO_DIRECT -DNO_STATVFS|pread ! statvfs|none ! O_DIRECT
haiku|-D__HAIKU__ -DNO_FADVISE|clock_gettime ! posix_fadvise|none ! O_DIRECT
END

# 11.00 has select without sys/select.h, with int pointers.
if t 'it compiles for hpux (-D__hpux -DOLD)'; then
	if [ -n "$cc" ]; then
		need nm && compile_names hpux -std=gnu99 -D__hpux -DOLD && want_names select
	else
		skip 'needs gcc or clang'
	fi
fi

# zig brings the headers and the library stubs of macOS: these are linked.
zig=$(command -v zig) || zig=${ZIG:-}
for target in x86_64-macos aarch64-macos; do
	t "it compiles and links for $target" || continue
	if [ -z "$zig" ]; then
		skip 'needs zig, in the path or named by ZIG'
		continue
	fi
	for flags in '' -DNO_MMAP -DNO_MONOTONIC -D_POSIX_C_SOURCE=200112L; do
		rm -f "$T/macos"
		# shellcheck disable=SC2086 # none or one
		ZIG_GLOBAL_CACHE_DIR=${ZIG_GLOBAL_CACHE_DIR:-$T/zig} \
		    ZIG_LOCAL_CACHE_DIR=${ZIG_LOCAL_CACHE_DIR:-$T/zig} \
		    "$zig" cc -target "$target" -std=c99 -O2 -Wall -Wextra -Werror $flags \
		    -o "$T/macos" "$source" >"$T/err" 2>&1 || fail "$flags"
		[ "$(od -An -tx1 -N 4 "$T/macos" | tr -d ' ')" = cffaedfe ] || fail 'not a Mach-O file'
	done
done

finish
