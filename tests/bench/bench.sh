# SPDX-License-Identifier: BSD-3-Clause
# For the tests of bench/: sourced with the program's name in $program; in a temporary folder of its own from then on.
# shellcheck shell=sh disable=SC2034,SC2154 # what is set here is used there, and the other way round
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
bench=$build/bench
pmu=$bench/$program # what run runs
export XDG_RUNTIME_DIR="$tmp"

# Ten times as slow, and their threads share nothing but the library, whose own tests are about that.
case ${TEST_SANITIZERS:-} in
*thread*)
	echo "1..0 # SKIP built with the thread sanitizer"
	exit 0
	;;
esac

if [ "${TEST_SLOW:-}" = skip ]; then
	echo "1..0 # SKIP TEST_SLOW=skip"
	exit 0
fi

# ok NAME COMMAND...: holds where the command succeeds
ok() {
	name=$1
	shift
	"$@" >log 2>&1
	rc=$?
	[ $rc = 0 ] || cp log out
	result $rc "$name"
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

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
