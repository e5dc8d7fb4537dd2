#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Valgrind's tools for races have nothing to say about the library in a program that has no race, and go on finding the
# program's own.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
valgrind=${TEST_VALGRIND:-valgrind}
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place" PMU_OUTPUT=none PMU_PIN=none
unset VALGRIND_OPTS
evidence=log

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
command -v "$valgrind" >/dev/null || skip_all 'no valgrind here'
for header in HELGRIND DRD; do
	grep -q "^#define HAVE_VALGRIND_${header}_H 1" "$build/config.h" || skip_all "built without valgrind's headers"
done

# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
compile threads "$source/tests/valgrind/threads.c"

# under TOOL ARGUMENT...: what the tool says of the program goes into log.  Its threads take turns in the order that they come
# in, so that each of them gets on.
under() {
	tool=$1
	shift
	"$valgrind" -q --tool="$tool" --fair-sched=try ./threads "$@" >out 2>log
}

# there TOOL NAME: can it be used?
there() {
	"$valgrind" -q --tool="$1" true 2>log && return
	skip "$1: $2" "$(head -n 1 log)"
	return 1
}

# quiet TOOL NAME [VARIABLE=VALUE...]
quiet() {
	tool=$1 name=$2
	shift 2
	there "$tool" "$name" || return 0
	(
		for setting; do export "${setting?}"; done
		under "$tool"
	) && ! grep -q '^==' log
	result $? "$tool: $name"
}

# finds TOOL
finds() {
	there "$1" "a race of the program's own" || return 0
	under "$1" race
	grep -q ": race (" log && ! grep -q 'libpmu' log
	result $? "$1: a race of the program's own is found, and no other"
}

for tool in helgrind drd; do
	quiet "$tool" 'threads at once and one after another, a child, two sessions'
	quiet "$tool" 'every call is kept, and its length' PMU_TRACE=threads.trace PMU_TRACE_SIZE=64KiB PMU_HISTOGRAM=1 PMU_EXACT=1
	quiet "$tool" 'groups take turns' PMU_BACKEND=software PMU_GROUP=SOFTWARE,TIME PMU_ROTATE=1 PMU_ROTATE_MIN=0
	finds "$tool"
done

finish
