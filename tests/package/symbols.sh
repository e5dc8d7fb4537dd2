#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the shared library exports: the functions of pmu.h under a version, those that stand in
# for libc's without one, and nothing else.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
lib=${TEST_BUILDDIR:-.}/lib/.libs/libpmu.so
nm=${TEST_NM:-nm}
readelf=${TEST_READELF:-readelf}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# same NAME WANT GOT: two sorted lists
same() {
	comm -23 "$2" "$3" | sed 's/^/missing: /' >"$tmp/different"
	comm -13 "$2" "$3" | sed 's/^/too much: /' >>"$tmp/different"
	[ -s "$2" ] || echo 'nothing is asked for: the list is empty' >>"$tmp/different"
	! [ -s "$tmp/different" ]
	verdict $? "$1" "$tmp/different"
}

[ -e "$lib" ] || skip_all "no $lib: configured with --disable-shared"

# Declarations outside the PMU_DISABLE parts; comments, macros and inline helpers are none.
${TEST_CC:-cc} -E -P -I"$top/include" - >"$tmp/header.i" <<'C'
#include "pmu.h"
C
tr '\n' ' ' <"$tmp/header.i" | sed 's/{[^{}]*}/;/g' | tr ';' '\n' |
	sed -n '/static/d; s/.*[ *]\(pmu_[a-z0-9_]*\) *(.*/\1/p' | sort >"$tmp/header"
sed 's|/\*.*\*/||; /\/\*/,/\*\//d' "$top/lib/libpmu.map" |
	sed -n 's/^[[:space:]]*\([a-z_0-9]*\);$/\1/p' | sort >"$tmp/map"
sed -n 's/#.*//; /^[a-zA-Z_]/p' "$top/tests/data/interposed.txt" | sort >"$tmp/interposed"

# nm prints NAME@@VERSION for a version's default; the version's own name is an absolute symbol.  ASan puts a symbol of its own
# beside each exported variable.
$nm -D --defined-only --with-symbol-versions "$lib" |
	awk '$(NF - 1) != "A" && $NF !~ /^__odr_asan/ { print $NF }' | sort >"$tmp/exported"
sed -n 's/@@*LIBPMU_.*//p' "$tmp/exported" | sort >"$tmp/versioned"
grep -v '@' "$tmp/exported" >"$tmp/all"
grep -v '^pmu_' "$tmp/all" >"$tmp/unversioned"
grep '^pmu_' "$tmp/all" >"$tmp/held"

same "the map lists the functions of pmu.h" "$tmp/header" "$tmp/map"
same "the functions of pmu.h are exported under a version" "$tmp/map" "$tmp/versioned"
same "what stands in for libc's has no version" "$tmp/interposed" "$tmp/unversioned"
is "nor has what libpmu-preload may hold in its stead, and what it takes" \
	"$(tr '\n' ' ' <"$tmp/held")" "pmu_aside_1 pmu_nobody_2 pmu_own_1 "
is "nothing is exported under another version" "$(grep '@' "$tmp/exported" | grep -v '@@LIBPMU_' | tr '\n' ' ')" ""

$readelf -dW "$lib" >"$tmp/dynamic"
is "threads' variables are in the initial block" "$(grep -c 'STATIC_TLS' "$tmp/dynamic")" 1
is "and none is looked up by a call" "$($readelf -rW "$lib" | grep -cE 'DTPMOD|DTPOFF|TLSDESC')" 0
# What the loader keeps free for libraries that come by dlopen() is some 1,600 bytes, for all of them.
tls=$($readelf -lW "$lib" | awk '$1 == "TLS" { print $6 }')
is "and takes little of it" "$([ $((tls)) -le 24 ] && echo yes || echo "$((tls)) bytes")" yes
# What only some programs use is mapped when they do.  A sanitizer adds its own.
if [ -z "${TEST_SANITIZERS:-}" ]; then
	bss=$($readelf -SW "$lib" | sed -n 's/^ *\[ *[0-9]*\] \.bss *NOBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	is "its variables that begin as zero are 48 KiB at most" \
		"$([ $((0x${bss:-ffffff})) -le 49152 ] && echo yes || echo "$((0x${bss:-ffffff})) bytes")" yes
fi
is "never unloaded" "$(grep -c 'NODELETE' "$tmp/dynamic")" 1
is "all symbols are resolved at start" "$(grep -c 'FLAGS_1.*NOW' "$tmp/dynamic")" 1
is "a program loads nothing for it but libc: the rest comes when it is needed" \
	"$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$tmp/dynamic" | grep -Ev '^(libc|ld-linux|lib[abltu]*san)[-.]' | tr '\n' ' ')" ""
is "its name" "$(sed -n 's/.*(SONAME) *//p' "$tmp/dynamic")" "Library soname: [libpmu.so.0]"

# What annotated programs load by themselves has their doors, and takes as little.
doors=${TEST_BUILDDIR:-.}/bindings/.libs/libpmu-annotations.so
is "libpmu-annotations exports the functions that programs look up, and nothing else" \
	"$($nm -D --defined-only "$doors" | awk '{ print $NF }' | grep -vE '^kokkosp_' | sort | tr '\n' ' ')" \
	"InitializeInjectionNvtx2 __itt_api_init "
tls=$($readelf -lW "$doors" | awk '$1 == "TLS" { print $6 }')
is "and takes little of threads' initial block" "$([ $((tls)) -le 8 ] && echo yes || echo "$((tls)) bytes")" yes
is "it finds libpmu beside itself" "$($readelf -dW "$doors" | sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p')" "\$ORIGIN"
finish
