#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmarks of the example in Go: counts per operation beside the times, of work with known page faults.
# shellcheck disable=SC2317 # functions are called by ok
set -u
export LC_ALL=C

top=$(cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "built with a sanitizer, which Go's programs are not"
command -v go >/dev/null || skip_all "no Go"
tmp=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
# shellcheck source=tests/bindings/go_env.sh
. "$top/tests/bindings/go_env.sh"
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND
cd "$top/bindings/examples/go" || exit 1
evidence="$tmp/out"

# bench SETTING...: runs all benchmarks, each once and then 100 times
bench() {
	env "$@" go test -bench . -benchtime 100x >"$tmp/out" 2>&1
}
# metric NAME UNIT: of a benchmark's line in $tmp/out; nothing where there is none
metric() {
	awk -v name="^Benchmark$1(-[0-9]+)?\$" -v unit="$2/op" '
		$1 ~ name { for (i = 2; i <= NF; i++) if ($i == unit) print $(i - 1) }' "$tmp/out"
}

is "is as gofmt has it" "$(gofmt -l .)" ""
ok "go vet finds nothing" go vet ./...

ok "runs with the clock alone" bench PMU_BACKEND=clock PMU_EVENTS=instructions,cycles
ok "times are there" within "$(metric Sweep ns)" 1 1e9
is "what was not counted is not there" "$(grep -cE '(instructions|cycles)/op' "$tmp/out")" 0
is "and is named once" "$(grep -c '^Not counted: ' "$tmp/out")" 1
ok "with nothing to count too" bench PMU_BACKEND=clock
is "which is said once" "$(grep -c '^Not counted: anything but time' "$tmp/out")" 1

ok "runs with events of the kernel" bench PMU_BACKEND=software PMU_EVENTS=page-faults,context-switches,cycles \
	PMU_OUTPUT="$tmp/run.csv,$tmp/run.json"
if [ -z "$(metric Sweep page-faults)" ]; then
	skip "page faults" "they cannot be counted here: $(grep '^Not counted: ' "$tmp/out")"
	finish
fi
ok "eight fresh pages are eight page faults" within "$(metric Touch/8 page-faults)" 8 8.5
ok "64 are 64" within "$(metric Touch/64 page-faults)" 64 65
ok "what is paused is not counted" within "$(metric Paused page-faults)" 8 9
ok "another goroutine's are not counted: it is on another thread" within "$(metric Other page-faults)" 0 1
ok "what touches none has none" within "$(metric Sweep page-faults)" 0 0.5
ok "context switches are there" within "$(metric Sweep context-switches)" 0 1000
grep -q '^Not counted: cycles: .' "$tmp/out" && ! grep -q 'cycles/op' "$tmp/out"
result $? "cycles are missing, with the reason, and not 0"
ok "a region in a benchmark has a call for each operation" grep -q '^EVENTS,BenchmarkSweep/sweep,sweep,1,all,101,' "$tmp/run.csv"
ok "every region ended on the thread it began on" grep -q '"BenchmarkSweep"' "$tmp/run.json"
! grep -qE 'never (ended|begun)|not open' "$tmp/run.json"
result $? "  and the report has no doubts"
finish
