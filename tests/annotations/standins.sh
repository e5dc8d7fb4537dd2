# SPDX-License-Identifier: BSD-3-Clause
# For the tests of functions that wrap another library's and call them: sourced after markers.sh.
# shellcheck shell=sh disable=SC2154 # markers.sh sets these

# regions: NAME CALLS of all threads, but of main and threads; a comma in a name is a semicolon
regions() {
	awk -F, '{ while (match($0, /"[^"]*"/)) {
			text = substr($0, RSTART + 1, RLENGTH - 2)
			gsub(/,/, ";", text)
			$0 = substr($0, 1, RSTART - 1) text substr($0, RSTART + RLENGTH)
		} }
		/^group,/ || $5 != "all" || $3 ~ /^(main|thread)$/ { next }
		{ n[$3] += $6 } END { for (name in n) print name, n[name] }' report.csv | sort
}

# regions_are NAME 'REGION CALLS'...: these are all
regions_are() {
	name=$1
	shift
	printf '%s\n' "$@" | sort >want
	regions >got
	diff want got >diff.log
	verdict $? "$name" diff.log
}

# measured NAME SETTING... PROGRAM: under the preload it prints what it does without; the report is report.csv
measured() {
	name=$1
	shift
	env LD_LIBRARY_PATH=. "$@" >out.plain 2>err.plain
	rc=$?
	rm -f report.csv
	env LD_LIBRARY_PATH=. PMU_BACKEND=clock PMU_OUTPUT=report.csv LD_PRELOAD="$preload" "$@" >out 2>err
	[ $? = $rc ] && cmp -s out out.plain && cmp -s err err.plain
	result $? "$name: it does what it does without"
}

# shared NAME OPTION...: libNAME.so of NAME.c
shared() {
	stub=$1
	shift
	# shellcheck disable=SC2086
	$cc -O2 -fPIC -shared "$stub.c" -o "lib$stub.so" "$@"
}
