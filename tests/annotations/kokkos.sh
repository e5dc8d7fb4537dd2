#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kokkos' kernels are regions under `pmu run`, in old versions and new ones, and nothing is printed that was not before.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
source=$top/tests/annotations pmu=$build/pmu tool=$build/bindings/.libs/libpmu-annotations.so
unset KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY PMU_AUTO PMU_PREFIX
export PMU_BACKEND=clock XDG_RUNTIME_DIR="$tmp"
runtime='-Wl,--no-as-needed -lstdc++ -Wl,--as-needed'
common='region 1
kernel 0 100
kernel 1 100
dot 1
sum 1
deep_copy(y; x) 1
deep_copy(Host; x) 1
Kokkos::ViewCopy 2
a 3
b 3
wait 1
main::{lambda(int)#2} 2
Functor/Tag 2
lib::Solve<double; 3> 2
Transpose<float> 2
2norm 2
3D-solve 2
Nothing 2
Zero 2
10x 2'

# under NAME COMMAND...: the program does what it does without; its regions are in report.csv
under() {
	name=$1
	shift
	"$@" >out.plain 2>err.plain
	rm -f report.csv
	"$pmu" run -o report.csv -- "$@" >out 2>err
	rc=$?
	[ $rc = 0 ] && cmp -s out out.plain && cmp -s err err.plain
	result $? "$name: it does what it does without"
}

# Kokkos is C++, so its runtime is there.
build() {
	$cc -O2 "$source/kokkos.c" -o newer -ldl -pthread $runtime &&
		$cc -O2 -DOLDER "$source/kokkos.c" -o older -ldl -pthread $runtime &&
		$cc -O2 -DOLDER -DLIBRARY -fPIC -shared "$source/kokkos.c" -o libolder.so -ldl $runtime
}
ok "programs that do with a tool what Kokkos does" build
for kind in newer older; do
	under "$kind" ./$kind
	regions_are "$kind: regions and calls" "$common"
done

# The variables are what the versions need, and no others.
cat >prints.c <<'C'
#include <stdio.h>
#include <stdlib.h>
void initialize(int *, char **) __asm__("_ZN6Kokkos10initializeERiPPc");
int main(int argc, char **argv)
{
	initialize(&argc, argv);
	puts(getenv("KOKKOS_PROFILE_LIBRARY") ? "told" : "not told");
	fflush(stdout);
	return system("exec ./newer");
}
C
ok "a program with a library of an old version" "$cc" -O2 prints.c -o prints -L. -lolder
LD_LIBRARY_PATH=. "$pmu" run -o report.csv -- ./prints >out 2>err
is "an old version in a library is told, a new one in a child of it is not" "$(cat out err)" "told
done"
is "and complains about nothing" "$(grep -c deprecated err)" 0
is "the child's regions" "$(calls 'kernel 0' all)" 100
"$pmu" run -o report.csv -- sh -c 'echo "${KOKKOS_PROFILE_LIBRARY-}"' >out 2>err
is "programs without Kokkos have the newer variable alone" "$(cat out)" ""

# --- the user's own tool, parts, prefixes; without `pmu run` ---

cat >own.c <<'C'
#include <stdint.h>
#include <stdio.h>
void kokkosp_init_library(int, uint64_t, uint32_t, void *);
void kokkosp_init_library(int order, uint64_t version, uint32_t n, void *devices)
{
	(void)order, (void)version, (void)n, (void)devices;
	puts("its own tool");
}
C
ok "a tool of the user's" shared own
for kind in newer older; do
	variable=KOKKOS_TOOLS_LIBS
	[ $kind = newer ] || variable=KOKKOS_PROFILE_LIBRARY
	under "$kind, with a tool of the user's" env $variable="$tmp/libown.so" ./$kind
	is "$kind: the user's own tool it is" "$(head -n 1 out)" "its own tool"
	env $variable="$tmp/libown.so" "$pmu" run -- ./$kind >out 2>err
	is "$kind: and the report says so" \
		"$(tr -s ' \n' ' ' <err | grep -c "Kokkos' kernels go to [^ ]*/libown.so, which $variable names")" 1
done
"$pmu" run --auto main,itt -o report.csv -- ./newer >out 2>err
is "--auto main,itt: no region" "$(regions)" ""
is "--auto main,itt: the library is not loaded" "$(head -n 1 out)" "done"
"$pmu" run --auto kokkos --prefix tool,category -o report.csv -- ./newer >out 2>err
is "--prefix tool,category" "$(calls kokkos:for:Functor/Tag all) $(calls kokkos:reduce:dot all)" "2 1"
rm -f report.csv
KOKKOS_TOOLS_LIBS=$tool LD_LIBRARY_PATH=$lib PMU_OUTPUT=report.csv ./newer >out 2>err
result $? "without pmu run"
regions_are "without pmu run: regions and calls" "$common"
KOKKOS_TOOLS_LIBS=$tool LD_LIBRARY_PATH=$lib PMU_ENABLE=0 PMU_OUTPUT=report.csv ./newer >out 2>err
is "PMU_ENABLE=0" "$(cat out err)" "done"

# --- Kokkos itself ---

kokkos=${TEST_KOKKOS:-/usr/include/trilinos}
# shellcheck disable=SC2086
if [ -e "$kokkos/Kokkos_Core.hpp" ] &&
	$cxx -std=c++14 -O1 -isystem "$kokkos" "$source/kokkos.cc" -o real -ltrilinos_kokkoscore -ldl >out 2>err; then
	under "Kokkos" ./real
	regions_are "Kokkos: regions and calls" 'Kokkos::View::initialization [x] 1' 'Kokkos::View::initialization [y] 1' \
		'axpy 5' 'dot 5' 'scan 1' 'region 1' 'section 2' 'Functor 3' 'Functor/Tag 3' 'Adder<double> 1' 'deep_copy(y; x) 1'
else
	skip "Kokkos" "it is not installed"
fi
finish
