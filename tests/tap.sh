# SPDX-License-Identifier: BSD-3-Clause
# TAP for scripts, which source it.  Its own variables begin with tap_, so that a caller's loops keep theirs.
# shellcheck shell=sh disable=SC2034 # what is set here is used there
n=0 failed=0
evidence='' # files that show why, where something does not hold

# skip_all REASON: nothing can be tested here
skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# verdict STATUS NAME FILE...: it holds where STATUS is 0
verdict() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
		return
	fi
	failed=1
	echo "not ok $n - $2"
	shift 2
	for tap_file; do
		[ ! -s "$tap_file" ] || head -n 60 "$tap_file" | sed "s|^|# ${tap_file##*/}: |"
	done
}

# result STATUS NAME
result() {
	# shellcheck disable=SC2086 # a list of words
	verdict "$1" "$2" $evidence
}

# ok NAME COMMAND...: holds where the command succeeds; what it says goes into $tmp
ok() {
	tap_name=$1
	shift
	"$@" >"$tmp/tap.log" 2>&1
	# shellcheck disable=SC2086
	verdict $? "$tap_name" "$tmp/tap.log" $evidence
}

# is NAME GOT WANT
is() {
	[ "$2" = "$3" ]
	result $? "$1"
	[ "$2" = "$3" ] || echo "# got \"$2\", want \"$3\""
}

# within VALUE LOW HIGH: for ok
within() {
	awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(v != "" && v >= low && v <= high) }'
}

# skip NAME REASON
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

finish() {
	echo "1..$n"
	exit $failed
}
