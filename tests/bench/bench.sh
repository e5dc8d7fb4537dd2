# SPDX-License-Identifier: BSD-3-Clause
# For the tests of bench/: sourced with the program's name in $program; in a temporary folder of its own from then on.
# shellcheck shell=sh disable=SC2034,SC2154 # what is set here is used there, and the other way round
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
bench=$build/bench
pmu=$bench/$program # what run runs
export XDG_RUNTIME_DIR="$tmp"

# Ten times as slow; threads share nothing here but the library, which has tests of its own for that.
case ${TEST_SANITIZERS:-} in
*thread*) skip_all 'built with the thread sanitizer' ;;
esac
[ "${TEST_SLOW:-}" != skip ] || skip_all TEST_SLOW=skip

# status WANT ARGUMENT...: of the program
status() {
	want=$1
	shift
	"$pmu" "$@" >out 2>err
	got=$?
	[ "$got" = "$want" ] && return
	echo "status $got, not $want"
	cat err out
	return 1
}

# refused ARGUMENT...: for the last one, in a line that has it
refused() {
	status 2 "$@" && [ ! -s out ] || return
	for wrong; do :; done
	[ "$(wc -l <err)" = 1 ] && grep -qF -e "$wrong" err && grep -q "^$program: .*; try $program --help$" err && return
	cat err
	return 1
}

helps() {
	status 0 --help && grep -q "^usage: $program" out && [ ! -s err ]
}
