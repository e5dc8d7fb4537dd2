#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh TOP SYSROOT OUT: cross-builds the library and the test programs of this folder from the
# sources in TOP into OUT.  AARCH64_CC is the compiler.
set -eu

[ $# -eq 3 ] || {
	echo "usage: build.sh TOP SYSROOT OUT" >&2
	exit 2
}
top=$(cd "$1" && pwd)
sysroot=$(cd "$2" && pwd)
mkdir -p "$3/o" "$3/job"
out=$(cd "$3" && pwd)
libs=$sysroot/usr/lib/aarch64-linux-gnu

# Paths of this machine must not change what the programs contain.
cc=${AARCH64_CC:-aarch64-linux-gnu-gcc}
compile="$cc -std=gnu11 -D_GNU_SOURCE -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wshadow
	-ffile-prefix-map=$top=. -I$top/lib -I$top/include -I$top/tests
	-I$sysroot/usr/include -I$sysroot/usr/include/aarch64-linux-gnu"
link="-L$libs -Wl,-rpath-link,$libs:$sysroot/lib/aarch64-linux-gnu -Wl,-z,now -Wl,--as-needed"

cd "$top"
awk -f lib/group/data/embed.awk lib/group/data/*.group >"$out/shipped.c"
{
	find lib -name '*.c' ! -path lib/group/shipped.c | sort
	echo "$out/shipped.c"
} >"$out/sources"
# shellcheck disable=SC2016 # the inner shell's
xargs -P 2 -I @ sh -c '$1 -c "$2" -o "$3/$(echo "$2" | tr / -).o"' sh "$compile" @ "$out/o" <"$out/sources"
objects=$(tr / - <"$out/sources" | sed "s|.*|$out/o/&.o|")
# shellcheck disable=SC2086 # lists of words
{
	$cc -shared -Wl,-soname,libpmu.so.0 -Wl,--version-script=lib/libpmu.map -Wl,-z,nodelete \
		$objects -o "$out/job/libpmu.so.0" $link -lhwloc -linih -lm
	$compile tests/arm/exact.c -o "$out/job/exact" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile tests/arm/net.c -o "$out/job/net" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile -I. tests/live/kernels.c bench/kernels/*.c -o "$out/job/kernels" "$out/job/libpmu.so.0" $link \
		-Wl,-rpath,/job -lm
	$compile tests/live/known.c -o "$out/job/known" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile tests/arm/reads.c -o "$out/job/reads" $objects $link -lhwloc -linih -lm
}

# What is preloaded, and a library with its callers for it; bound at the first call, and at the start.
own="$cc -std=gnu11 -D_GNU_SOURCE -O2 -fPIC -Wall -Wextra
	-I$sysroot/usr/include -I$sysroot/usr/include/aarch64-linux-gnu"
# shellcheck disable=SC2086
{
	$compile -ftls-model=initial-exec -shared bindings/preload/*.c bindings/preload/*.S \
		-o "$out/job/libpmu-preload.so" -Wl,-z,nodelete $link
	$own -fno-inline -fexceptions -shared -Wl,-soname,libwrapped.so tests/api/wrapped_lib.c \
		-o "$out/job/libwrapped.so" $link
	for number in 0 1; do
		$own -shared -DNUMBER=$((number + 3)) tests/api/wrapped_plugin.c \
			-o "$out/job/wrapped_plugin$number.so" -L"$out/job" -lwrapped $link
	done
	$own tests/api/wrapped.c -o "$out/job/wrapped-now" -L"$out/job" -lwrapped $link
	$own tests/api/wrapped.c -o "$out/job/wrapped-lazy" -L"$out/job" -lwrapped $link -Wl,-z,lazy
	$own -fno-pie -no-pie tests/api/wrapped.c -o "$out/job/wrapped-fixed" -L"$out/job" -lwrapped $link -Wl,-z,lazy
}
cp tests/arm/wrap.sh "$out/job/"
