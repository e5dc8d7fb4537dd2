#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# find_package(pmu) in projects in C, C++ and Fortran, with an installation that was moved, and with libpmu.a alone.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
command -v cmake >/dev/null || skip_all 'no cmake'
# shellcheck source=tests/package/installed.sh
. "$source/tests/package/installed.sh"
cc=${TEST_CC:-cc}
fortran=
[ ! -e "$libdir/libpmu_fortran.a" ] || fortran=Fortran
heat=$source/bindings/examples/heat
version=$("$pmu" --version | sed 's/.* //')
minor=${version%.*}
evidence='out err'

# configured WANT NAME OPTION...: status 0 or 1 of cmake, of the project in the folder project
configured() {
	want=$1 name=$2
	shift 2
	rm -rf built
	cmake -S project -B built -DCMAKE_C_COMPILER="${cc%% *}" ${TEST_CXX:+-DCMAKE_CXX_COMPILER="$TEST_CXX"} \
		${fortran:+-DCMAKE_Fortran_COMPILER="${TEST_FC%% *}"} "$@" >out 2>err
	got=$?
	[ "$got" = "$want" ]
	result $? "$name (status $got, want $want)"
}

mkdir project
cat >project/CMakeLists.txt <<S
cmake_minimum_required(VERSION 3.16)
project(heat LANGUAGES C ${TEST_CXX:+CXX} $fortran)
set(name mine)
set(prefix mine)
find_package(pmu $minor REQUIRED COMPONENTS \${wanted})
if(NOT "\${name} \${prefix}" STREQUAL "mine mine")
	message(FATAL_ERROR "find_package changes variables of its caller")
endif()
find_package(pmu REQUIRED)
if(NOT targets)
	set(targets pmu::pmu)
endif()
add_executable(heat_c "$heat.c")
target_link_libraries(heat_c PRIVATE \${targets} m)
S
[ -z "${TEST_CXX:-}" ] || cat >>project/CMakeLists.txt <<S
add_executable(heat_cc "$heat.cc")
target_compile_features(heat_cc PRIVATE cxx_std_17)
target_link_libraries(heat_cc PRIVATE \${targets})
S
[ -z "$fortran" ] || cat >>project/CMakeLists.txt <<S
add_executable(heat_f "$heat.f90")
target_link_libraries(heat_f PRIVATE pmu::fortran)
add_executable(heat_f_source "$heat.f90" "\${pmu_FORTRAN_SOURCE}")
target_link_libraries(heat_f_source PRIVATE pmu::pmu)
S
cat >>project/CMakeLists.txt <<'S'
if(TARGET pmu::preload)
	add_executable(annotated annotated.c)
	target_compile_definitions(annotated PRIVATE LIKWID_PERFMON)
	target_link_libraries(annotated PRIVATE pmu::likwid pmu::papi)
	add_custom_target(files ALL ${CMAKE_COMMAND} -E echo $<TARGET_FILE:pmu::preload> $<TARGET_FILE:pmu::command> VERBATIM)
endif()
S
cat >project/annotated.c <<'C'
#include <likwid-marker.h>
#include <papi.h>

int main(void)
{
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_START("likwid");
	LIKWID_MARKER_STOP("likwid");
	return PAPI_hl_region_begin("papi") || PAPI_hl_region_end("papi");
}
C

# builds NAME: and runs all programs of the project
builds() {
	cmake --build built -j 2 >out 2>err
	result $? "$1"
	for program in built/heat_*; do
		echo "# ${program##*/}"
		regions "$program"
	done
}

configured 0 'an installation that was moved is found' -DCMAKE_PREFIX_PATH="$installed" \
	-Dwanted="preload;command;likwid;papi;mpi${fortran:+;fortran}"
builds 'programs in each language are built'
ok 'what they load is what was found' sh -c "ldd built/heat_c | grep -q '$libdir/libpmu.so.0'"
PMU_OUTPUT=annotated.csv PMU_BACKEND=clock built/annotated
is 'programs annotated for other libraries are, too' "$? $(grep -cE ',(likwid|papi),0,all,1,' annotated.csv)" '0 2'
cmake --build built --target files >out 2>err
ok 'what is preloaded has a name' grep -qF "$libdir/libpmu-preload.so $installed/bin/pmu" out

configured 1 'a component that is not installed' -DCMAKE_PREFIX_PATH="$installed" -Dwanted=static
has err 'without the component static' '  is named'
sed -i "s/^find_package(pmu $minor /find_package(pmu 1000 /" project/CMakeLists.txt
configured 1 'a later version is not' -DCMAKE_PREFIX_PATH="$installed"
has err "version: $version" '  and it says which one is there'
for asked in "$version EXACT" "$version...<1000" 0.0...1000; do
	sed -i "s/^find_package(pmu .* REQUIRED COMPONENTS/find_package(pmu $asked REQUIRED COMPONENTS/" project/CMakeLists.txt
	configured 0 "'$asked' is found" -DCMAKE_PREFIX_PATH="$installed"
done
for asked in "0.0.9 EXACT" 0.0 "1000...1001" "0.0...<$version"; do
	sed -i "s/^find_package(pmu .* REQUIRED COMPONENTS/find_package(pmu $asked REQUIRED COMPONENTS/" project/CMakeLists.txt
	configured 1 "'$asked' is not" -DCMAKE_PREFIX_PATH="$installed"
done
sed -i "s/^find_package(pmu .* REQUIRED COMPONENTS/find_package(pmu $minor REQUIRED COMPONENTS/" project/CMakeLists.txt

# An installation with the static library alone.
if [ -e "$build/lib/libpmu.a" ]; then
	cp "$build/lib/libpmu.a" "$libdir"
	configured 0 'beside the shared library the static one is a component' -DCMAKE_PREFIX_PATH="$installed" -Dwanted=static -Dtargets=pmu::static
	cmake --build built --target heat_c >out 2>err
	is '  and is linked where it is asked for' "$? $(ldd built/heat_c | grep -c libpmu)" '0 0'
	rm "$libdir"/libpmu*.so*
	unset LD_LIBRARY_PATH
	configured 0 'an installation of libpmu.a alone is found' -DCMAKE_PREFIX_PATH="$installed" -Dwanted=static
	builds '  and programs are built'
	rm "$libdir/libpmu.a"
	configured 1 'one without any library is not' -DCMAKE_PREFIX_PATH="$installed"
	has err 'neither libpmu.so nor libpmu.a' '  which is said'
else
	skip 'an installation of libpmu.a alone is found' 'no libpmu.a: make check makes it'
fi
finish
