#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The version is configure.ac's in every file that has it, and what a released version promised is kept.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
version=$(sed -n 's/^AC_INIT(\[libpmu\], \[\(.*\)\])$/\1/p' "$source/configure.ac")
IFS=. read -r major minor patch <<S
$version
S
ok 'configure.ac says three numbers' sh -c 'printf %s "$1" | grep -qxE "[0-9]+\.[0-9]+\.[0-9]+"' sh "$version"

# FILE, what finds the version there, what it has to be
while read -r file want pattern; do
	is "$file has it" "$(sed -n "s/$pattern/\\1/p" "$source/$file" | sort -u | tr '\n' ' ')" "$want "
done <<S
include/pmu.h $version ^#define PMU_VERSION_STRING "\(.*\)"$
include/pmu.h $major ^#define PMU_VERSION_MAJOR *\([0-9]*\)$
include/pmu.h $minor ^#define PMU_VERSION_MINOR *\([0-9]*\)$
include/pmu.h $patch ^#define PMU_VERSION_PATCH *\([0-9]*\)$
include/pmu.3 $version ^\.Os libpmu \(.*\)$
include/pmu.7 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-attach.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-check.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-diff.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-events.7 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-msr.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-on.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-report.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-run.1 $version ^\.Os libpmu \(.*\)$
bindings/command/pmu-top.1 $version ^\.Os libpmu \(.*\)$
bench/suite/pmu-bench.1 $version ^\.Os libpmu \(.*\)$
bindings/python/pyproject.toml $version ^version = "\(.*\)"$
bindings/examples/rust/Cargo.toml $version ^version = "\(.*\)"$
README.md $version .*  libpmu \([0-9][0-9.]*\)$
bench/README.md $version .*; libpmu \([0-9][0-9.]*\)$
S
newest=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' "$source/CHANGELOG.md" | head -n 1)
is 'CHANGELOG.md begins with it' "$newest" "$version"
is 'find_package of CMake, and pkg-config, get it from configure' \
	"$(cd "$source" && grep -l '@PACKAGE_VERSION@' lib/pmu.pc.in bindings/*/*.pc.in bindings/cmake/pmu-config-version.cmake.in | wc -l | tr -d ' ')" 4
is 'the command tells it' "$("$pmu" --version)" "pmu (libpmu) $version"

# --- nodes of the library's symbols ---

nodes() {
	awk -f "$source/lib/abi/nodes.awk" "$1" | LC_ALL=C sort
}
# kept RELEASED MAP: is each node of the release there, with what it had, no more and no less?
kept() {
	sort -u "$1" | grep . >released || return 0
	cut -d ' ' -f 1 released | sort -u >names
	nodes "$2" | awk 'NR == FNR { old[$1]; next } $1 in old' names - >now
	LC_ALL=C sort released | diff - now
}
map=$source/lib/libpmu.map
nodes "$map" >err
newest=$(cut -d ' ' -f 1 err | sort -uV | tail -n 1)
is 'no node is of a later version than this one' "$(printf '%s\n' "$newest" "LIBPMU_$major.$minor" | sort -V | tail -n 1)" "LIBPMU_$major.$minor"
ok 'nodes of releases are as they were' kept "$source/lib/abi/released-nodes" "$map"

# What would be noticed.
cat >old.map <<'S'
A_1 {
global:
	one; two; /* of
	             the first */
};
A_2 {
	three;
} A_1;
S
nodes old.map >old
is 'a map is read' "$(tr '\n' ';' <old)" 'A_1 one;A_1 two;A_2 < A_1;A_2 three;'
{
	cat old.map
	echo 'A_3 { four; } A_2;'
} >new.map
ok 'a new node is allowed' kept old new.map
for change in 's/two; //' 's/three;/three; four;/' 's/^} A_1/}/' 's/A_2/A_3/' 's/one; two;/two;/'; do
	sed "$change" old.map >new.map
	kept old new.map >tap.log
	is "but not $change" "$?" 1
done
finish
