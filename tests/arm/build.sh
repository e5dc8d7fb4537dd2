#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh TOP SYSROOT OUT: cross-builds the library and its test programs from the
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
compile="$cc -std=gnu11 -D_GNU_SOURCE -O2 -fno-math-errno -ffunction-sections -fdata-sections -fPIC -fvisibility=hidden -Wall -Wextra -Wshadow
	-ffile-prefix-map=$top=. -DPMU_LIBDIR=\"/job\" -I$top/lib -I$top/include -I$top/tests
	-I$sysroot/usr/include -I$sysroot/usr/include/aarch64-linux-gnu"
link="-L$libs -Wl,-rpath-link,$libs:$sysroot/lib/aarch64-linux-gnu -Wl,-z,now -Wl,--as-needed -Wl,--gc-sections"

cd "$top"
awk -f lib/names/data/embed.awk lib/names/data/*.group >"$out/shipped.c"
awk -f lib/names/tables/embed.awk lib/names/tables/intel/* >"$out/tables.c"
awk -f lib/names/likwid/embed.awk lib/names/likwid/events.names >"$out/likwid.c"
{
	# libcpuid is for x86
	find lib -name '*.[cS]' ! -path lib/names/shipped.c ! -path lib/names/tables/all.c ! -path lib/names/likwid/all.c ! -path 'lib/machine/libcpuid/*' | sort
	echo lib/machine/libcpuid/none.c
	echo lib/machine/libcpuid/text.c
	echo "$out/shipped.c"
	echo "$out/tables.c"
	echo "$out/likwid.c"
} >"$out/sources"
# shellcheck disable=SC2016 # the inner shell's
xargs -P 2 -I @ sh -c '$1 -c "$2" -o "$3/$(echo "$2" | tr / -).o"' sh "$compile" @ "$out/o" <"$out/sources"
# objects LIST...: of the lists in lib/local.mk
objects() {
	for list; do
		sed -n "/^%C%_libpmu_${list}_la_SOURCES/,/[^\\\\]\$/s/.*%D%\/\(.*\.[cS]\)[ \\\\]*\$/lib\/\1/p" lib/local.mk
	done | tr / - | sed "s|.*|$out/o/&.o|"
}
# libcpuid_sources, a list of two kinds there
below="$(objects base machine plan) $out/o/lib-machine-libcpuid-none.c.o"
measure="$below $(objects counters store report settings session region api)"
names=$(objects names)
made="$out/o/$(echo "$out/shipped.c" | tr / -).o $out/o/$(echo "$out/tables.c" | tr / -).o $out/o/$(echo "$out/likwid.c" | tr / -).o"
load=$out/o/lib-machine-events_load.c.o
several=$(objects reports)
here=$out/o/lib-names-resolve_here.c.o
# shellcheck disable=SC2086 # lists of words
{
	$cc -shared -Wl,-soname,libpmu.so.0 -Wl,--version-script=lib/libpmu.map -Wl,-z,nodelete \
		$measure $load -o "$out/job/libpmu.so.0" $link
	$cc -shared -Wl,-z,nodelete -Wl,-z,defs $below $names $here $made \
		-o "$out/job/libpmu-events.so" $link
	$compile tests/arm/exact.c -o "$out/job/exact" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile tests/exact/net.c -o "$out/job/net" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile -fopenmp tests/exact/team.c -o "$out/job/team" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile tests/exact/process.c -o "$out/job/process" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile tests/exact/rotate.c -o "$out/job/rotate" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile -I. tests/live/kernels.c bench/kernels/*.c -o "$out/job/kernels" "$out/job/libpmu.so.0" $link \
		-Wl,-rpath,/job -lm
	$compile -I. bench/ceilings/*.c bench/kernels/*.c bench/suite/*.c bench/verify/*.c bindings/command/roofline/place.c \
		bench/common/child.c bench/common/numbers.c \
		bench/common/report.c -o "$out/job/pmu-bench" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job -ljansson -lhwloc -lm
	$compile tests/live/known.c -o "$out/job/known" "$out/job/libpmu.so.0" $link -Wl,-rpath,/job
	$compile tests/arm/reads.c -o "$out/job/reads" $measure $several $names $made "$here" $link
}

# What is preloaded, and a library with its callers for it; bound at the first call, and at the start.
own="$cc -std=gnu11 -D_GNU_SOURCE -O2 -fPIC -Wall -Wextra
	-I$sysroot/usr/include -I$sysroot/usr/include/aarch64-linux-gnu"
annotations=$(sed -n '/^annotation_sources/,/[^\\]$/s/.*%D%\/\(annotations\/.*\.c\)[ \\]*$/bindings\/\1/p' bindings/local.mk)
base=$(sed -n 's/^[[:space:]]*\(lib\/base\/[a-z]*\.c\)[ \]*$/\1/p' bindings/local.mk | sort -u)
# shellcheck disable=SC2086
{
	$compile -I. -ftls-model=initial-exec -shared bindings/preload/*.c bindings/preload/*/*.c bindings/preload/*/*.S $annotations $base \
		-o "$out/job/libpmu-preload.so" -Wl,-z,nodelete $link
	$own -fno-inline -fexceptions -shared -Wl,-soname,libwrapped.so tests/preload/wrapped_lib.c \
		-o "$out/job/libwrapped.so" $link
	for number in 0 1; do
		$own -shared -DNUMBER=$((number + 3)) tests/preload/wrapped_plugin.c \
			-o "$out/job/wrapped_plugin$number.so" -L"$out/job" -lwrapped $link
	done
	$own tests/preload/wrapped.c -o "$out/job/wrapped-now" -L"$out/job" -lwrapped $link
	$own tests/preload/wrapped.c -o "$out/job/wrapped-lazy" -L"$out/job" -lwrapped $link -Wl,-z,lazy
	$own -fno-pie -no-pie tests/preload/wrapped.c -o "$out/job/wrapped-fixed" -L"$out/job" -lwrapped $link -Wl,-z,lazy
}
cp tests/arm/wrap.sh tests/exact/rotate.sh "$out/job/"
