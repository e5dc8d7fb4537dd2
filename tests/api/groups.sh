#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Groups of the user's own, in a program that is measured.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
mkdir -p home/.config/pmu/groups mine
HOME=$tmp/home
export HOME
unset XDG_CONFIG_HOME
evidence=err

# run STATUS NAME VARIABLE=VALUE...: what the program writes to standard error in err.  It ends with 1 where
# it is not measured.
run() {
	want=$1 name=$2
	shift 2
	env "$@" "$build/tests/api/pairs" 1000 >out 2>err
	got=$?
	[ "$got" = "$want" ]
	result $? "$name (status $got, want $want)"
}

# has TEXT NAME
has() {
	grep -qF -- "$1" err
	result $? "$2"
}

# counts TEXT N NAME
counts() {
	[ "$(grep -cF -- "$1" err)" = "$2" ]
	result $? "$3"
}

cat >mine/FAULTS.group <<'INI'
[group]
about = Page faults
[events]
F = page-faults
N = NO_SUCH_EVENT ?
[metrics]
faults and one [x] = (F + 1) / max(F + 1, 1)
never              = N
INI
run 0 "a program with a group of its user's" PMU_GROUP=faults PMU_GROUP_PATH="$tmp/nowhere:$tmp/mine"
has "  FAULTS" "  has the group's name"
counts "FAULTS without NO_SUCH_EVENT: " 1 "  what does not exist is named, once"
run 0 "its table" PMU_GROUP=faults PMU_GROUP_PATH="$tmp/mine" PMU_OUTPUT=table.csv
cat table.csv >>err
has "page-faults" "  has the event"
has "faults and one" "  and its metric"
counts "never" 0 "  but not what is made of what does not exist"

cp mine/FAULTS.group home/.config/pmu/groups
run 0 "one with a group in ~/.config" PMU_GROUP=FAULTS
has "  FAULTS" "  has it, too"

echo '[events Knights Corner]
C = cycles' >mine/PHI.group
run 0 "one whose group is for other processors" PMU_GROUP=PHI PMU_GROUP_PATH="$tmp/mine"
counts "group PHI has no events of this CPU" 1 "  is told so, once"
has "fifteen letters" "  and measures the time"

echo '[events]
C = cycels' >mine/WRONG.group
run 1 "one whose group is wrong" PMU_GROUP=WRONG PMU_GROUP_PATH="$tmp/mine"
[ "$(wc -l <err)" = 1 ]
result $? "  is told in one line"
has "PMU_GROUP: $tmp/mine/WRONG.group:2: there is no event \"cycels\"; did you mean cycles?" "  which names file and line"
has "the program runs unmeasured" "  and what happens"

run 1 "one whose group does not exist" PMU_GROUP=FAULT PMU_GROUP_PATH="$tmp/mine"
has 'there is no group "FAULT"; did you mean FAULTS?' "  is told the nearest, of its user's as well"
run 0 "names with blanks between them" PMU_GROUP="TIME , faults " PMU_GROUP_PATH="$tmp/mine"
has "fifteen letters" "  are groups all the same"
cp mine/FAULTS.group "mine/my own.group"
run 1 "a group with a blank in its name" PMU_GROUP="my own" PMU_GROUP_PATH="$tmp/mine"
has '"my own" is no name for a group' "  is told why it is none"

printf 'EVENTSET\nFIXC0 INSTR_RETIRED_ANY\nPMC0\n' >mine/BAD.txt
run 1 "LIKWID's group with a line that is none" PMU_GROUP=likwid:bad PMU_GROUP_PATH="$tmp/mine"
has "PMU_GROUP: $tmp/mine/BAD.txt:3: \"PMC0\" is not COUNTER EVENT" "  is told file, line and reason"
run 1 "one that is not there" PMU_GROUP=likwid:NONE PMU_GROUP_PATH="$tmp/mine"
has "no folder of PMU_GROUP_PATH has a file NONE.txt" "  is told which file"
printf 'EVENTSET\nTMP0 TEMP_CORE\n' >mine/HEAT.txt
run 0 "one that can be counted nowhere" PMU_GROUP=likwid:HEAT PMU_GROUP_PATH="$tmp/mine"
counts "HEAT.txt:2: a" 1 "  is told so, once"
has "fifteen letters" "  and measures the time"
run 1 "and is refused" PMU_GROUP=likwid:HEAT PMU_GROUP_PATH="$tmp/mine" PMU_REQUIRE=1
has "PMU_REQUIRE=1: " "  where all is required"

finish
