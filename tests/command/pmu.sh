# SPDX-License-Identifier: BSD-3-Clause
# For the tests of the pmu command: sourced, in a temporary folder of its own from then on.
# shellcheck shell=sh disable=SC2034 # what is set here is used there
set -u
export LC_ALL=C TZ=UTC

build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
source=$(cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
data=$source/tests/data
. "$source/tests/tap.sh"
pmu=${TEST_PMU:-$build/pmu}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
subcommand='' # put before the arguments of run
evidence='err out'
: >out
: >err

# run STATUS NAME ARGUMENT...: standard output in out, standard error in err
run() {
	want=$1 name=$2
	shift 2
	# shellcheck disable=SC2086 # words
	"$pmu" $subcommand "$@" >out 2>err
	got=$?
	[ "$got" = "$want" ]
	result $? "$name (status $got, want $want)"
}

# has FILE TEXT NAME
has() {
	grep -qF -- "$2" "$1"
	result $? "$3"
}

# lacks FILE TEXT NAME
lacks() {
	! grep -qF -- "$2" "$1"
	result $? "$3"
}
