#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Regions of other tools' annotations count what regions by hand do, but for the way from the one to the other.
# shellcheck source=tests/annotations/common.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/annotations/common.sh"

can_count || skip_all 'no valgrind'
source=$source/tests/annotations
build_both() {
	# shellcheck disable=SC2086
	$cc $warn -O2 -fPIC -shared "$source/counts_lib.c" -o libcounts.so &&
		$cc $warn -O2 -I"$source" "$source/counts.c" -o annotated -L. -Wl,-rpath,"$tmp" -lcounts -ldl &&
		$cc $warn -O2 -DNATIVE -Wno-unused -I"$source" -I"$source/../../include" "$source/counts.c" -o native -L. \
			-Wl,-rpath,"$tmp" -lcounts -ldl -L"$build/lib/.libs" -lpmu
}
ok "programs" build_both
for kind in annotated native; do
	count $kind.csv ./$kind
	is "$kind: it runs" "$(cat out)" "done"
done
# within them the other libraries' functions, and the calls that go on to them
beside TAU "tau's" 32
beside GPTL "gptl's" 8
beside Score-P "scorep's" 8
beside Kokkos "kokkos'" 8
beside Caliper "caliper's" 80
finish
