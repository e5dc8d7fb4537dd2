# SPDX-License-Identifier: BSD-3-Clause
# For the tests of `pmu run --emulate`: programs with known counts, and reports that have them.  Sourced behind pmu.sh.
# shellcheck shell=sh disable=SC2154 # what is used here is set there

# compile NAME FILE
compile() {
	# shellcheck disable=SC2086 # flags are words
	${TEST_CC:-cc} -fno-plt -D_GNU_SOURCE ${TEST_CFLAGS:-} -I"$source/include" -I"$source/tests" -o "$1" "$2" \
		-L"$build/lib/.libs" -lpmu -Wl,-rpath,"$build/lib/.libs" -pthread 2>log && return
	sed 's/^/# /' log
	echo "Bail out! $1 cannot be built"
	exit 1
}

# report FILE: a CSV report with tabs between its columns; names may have commas
report() {
	awk '{
		row = ""
		for (quoted = 0; match($0, /[",]/); $0 = substr($0, RSTART + 1)) {
			row = row substr($0, 1, RSTART - 1)
			if (substr($0, RSTART, 1) == "\"")
				quoted = !quoted
			else
				row = row (quoted ? "," : "\t")
		}
		print row $0
	}' "$1"
}

# value FILE PATH THREAD COLUMN: of a row in a report, by the column's name
value() {
	report "$1" | awk -F '\t' -v path="$2" -v thread="$3" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["path"] == path && $at["thread"] == thread { print $at[column] }'
}

# as_listed CSV WANTS: has every region the instructions that the program lists?
as_listed() {
	report "$1" | awk -F '\t' -v wants="$2" '
		BEGIN {
			while ((getline line < wants) > 0) {
				at = index(line, " ")
				want[substr(line, at + 1)] = substr(line, 1, at - 1)
				n++
			}
		}
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["thread"] != "all" || !($column["path"] in want) { next }
		{
			seen++
			if ($column["net:instructions"] == want[$column["path"]])
				next
			printf "%s: %s instructions, want %s\n", $column["path"], $column["net:instructions"], want[$column["path"]]
			wrong++
		}
		END {
			printf "%d regions listed, %d in the report, %d wrong\n", n, seen, wrong
			exit wrong || seen != n || n < 500
		}'
}

# What the opener does between its begins and ends is to wait for others: how many instructions that takes is theirs to say.
# The program knows, and judges all regions but these by itself.
waits="^(main/thread/)?opener's(/inner)?\$"

# counts FILE: its rows without times
# Where the numbers in the names of folders have got a digit more, the stack lies elsewhere: misses, of branches too, may be
# others then.
counts() {
	report "$1" | awk -F '\t' -v waits="$waits" '
		NR == 1 {
			for (i = 1; i <= NF; i++) {
				column[$i] = i
				if ($i ~ /^(path|thread|calls|raw:.*|net:.*)$/ && $i !~ /miss|cache/) keep[++n] = i
			}
		}
		$column["path"] ~ waits && $column["thread"] != "team 0" { next }
		{ for (i = 1; i <= n; i++) printf "%s\t", $keep[i]; print "" }' | sort
}

# list FILE: instructions and path of all regions that the program judges by itself
list() {
	report "$1" | awk -F '\t' -v waits="$waits" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["thread"] == "all" && $column["path"] !~ waits && !($column["path"] in seen) {
			seen[$column["path"]]
			print $column["net:instructions"], $column["path"]
		}'
}
