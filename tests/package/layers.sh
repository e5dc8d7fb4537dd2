#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The layers of the library: a file uses its own room and those in lines above its own, no other.
# Looked at twice: what files include, and which symbols objects need, whatever was declared where.
set -u
export LC_ALL=C

# Lowest first.  A file belongs to the longest entry that its path starts with; rooms on one line
# stand side by side and do not know each other.
layers='
base/ bindings/likwid/ bindings/papi/ bindings/preload/keep
machine/ bindings/annotations/
bindings/preload/
plan/
report/ counters/ store/
reports/ counters/valgrind/
store/read/ counters/perf/
counters/msr/ counters/software.c counters/nvml.c
counters/backend.c
counters/several.c
names/ settings/
session/
region/
api/ bindings/mpi/
bindings/command/
'
top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TEST_BUILDDIR:-.}

# check NUMBER NAME: "FILE FILE WHAT" in each line on stdin; the first knows of the second one
check() {
	awk -v name="$1 - $2" -v layers="$layers" '
	BEGIN {
		n = split(layers, line, "\n")
		for (i = 1; i <= n; i++)
			for (r = split(line[i], room, " "); r > 0; r--)
				height[room[r]] = i
	}
	function room_of(file, entry, best) {
		best = ""
		for (entry in height)
			if (index(file, entry) == 1 && length(entry) > length(best))
				best = entry
		return best
	}
	{
		from = room_of($1)
		to = room_of($2)
		if (from == "" || to == "" || (from != to && height[from] <= height[to]))
			up[$1 " -> " $2] = up[$1 " -> " $2] " " $3
	}
	END {
		for (arrow in up) {
			print "# not down: " arrow up[arrow]
			bad = 1
		}
		# Far fewer than there are: they were not found, or not understood.
		if (NR < 500 && (bad = 1))
			print "# only " NR " were looked at"
		print (bad ? "not ok " : "ok ") name
		exit bad
	}'
}

includes() {
	(cd "$top/lib" && find . ../bindings/preload ../bindings/mpi ../bindings/command \
		-name '*.[ch]' \
		-exec grep -HE '^[[:space:]]*#[[:space:]]*include "[a-z_]+/' {} +) |
		sed -E 's,^(\./|\.\./)([^:]*):.*"(lib/)?(.*)".*,\2 \4,'
}

# The object of each source, in the shared library's form where there is one: what came from
# sources that are gone is left out, and what a link takes in another's place.  Callers of functions that stand in for libc's mean libc's.
# TEST_NM may be a command with options.
symbols() {
	(cd "$top/lib" && find . -name '*.c' ! -name '*_here.c' ! -name '*_none.c') | while read -r source; do
		folder=$build/lib/${source%/*} name=${source##*/}
		for object in "$folder"/.libs/libpmu_*_la-"${name%.c}.o" "$folder"/libpmu_*_la-"${name%.c}.o"; do
			[ -e "$object" ] && echo "$object" && break
		done
	done | xargs ${TEST_NM:-nm} -gA | sed -E 's,^.*/lib/\./([^:]*)\.o:, \1.c ,; s,\.libs/,,; s,libpmu_[a-z]*_la-,,' |
		awk 'NR == FNR { libc[$1]; next }
		NF == 4 && !($4 in libc) { at[$4] = $1 }
		NF == 3 && $2 == "U" { need[$1 " " $3] = $3 }
		END { for (i in need) { split(i, one, " "); if (need[i] in at) print one[1], at[need[i]], need[i] } }' \
		"$top/tests/data/interposed.txt" -
}

failed=0
includes | check 1 "what files include lies below" || failed=1
symbols | check 2 "what objects need lies below" || failed=1
echo "1..2"
exit $failed
