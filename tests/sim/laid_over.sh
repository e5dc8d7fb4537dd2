# SPDX-License-Identifier: BSD-3-Clause
# For scripts that let others' tools read a simulated Westmere: sourced, it starts the script once more in a mount
# namespace of its own, where the machine's files lie over /dev/cpu.
# shellcheck shell=sh disable=SC2034 # what is set here is used there
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
top=$(cd "${TEST_SRCDIR:-$build}" && pwd) || exit 1

if [ "${1:-}" != inside ]; then
	[ -x "$build/tests/sim/machine" ] || skip_all "built without FUSE (on Debian libfuse3-dev)"
	command -v rdmsr >/dev/null || skip_all "rdmsr is not installed (on Debian msr-tools)"
	[ -d /dev/cpu ] || mkdir /dev/cpu 2>/dev/null || skip_all "there is no folder /dev/cpu to lay anything over"
	unshare -m true 2>/dev/null || skip_all "this user cannot have a mount namespace"
	unshare -m sh "$0" inside
	status=$?
	rmdir /dev/cpu 2>/dev/null # where it is empty it was ours
	exit $status
fi

tmp=$(mktemp -d) || exit 1
mkdir "$tmp/machine" && mkfifo "$tmp/hold" "$tmp/ready" || exit 1
"$build/tests/sim/machine" --cpu westmere --topology "$top/tests/data/topologies/westmere-ep-2s6c2t.xml" \
	"$tmp/machine" <"$tmp/hold" >"$tmp/ready" 2>"$tmp/err" &
exec 3>"$tmp/hold"
read -r line <"$tmp/ready"
# shellcheck disable=SC2317 # called by trap
clean_up() {
	umount /dev/cpu 2>/dev/null
	exec 3>&- 4>&-
	wait
	rm -rf "$tmp"
}
trap clean_up EXIT
[ "$line" = ready ] || skip_all "$line"
mount --bind "$tmp/machine/cpu" /dev/cpu 2>"$tmp/err" || skip_all "$(head -n 1 "$tmp/err")"
