#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No two functions of the library have the same name, nor two of the command: a breakpoint, a profile or a search that names
# one is about that one, although most are static.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Files with functions that stand in for those of other files, and when: the build, or the linker, takes one of the two.
stand_ins='
lib/machine/events_load.c loads libpmu-events, which has them itself
lib/machine/libcpuid/none.c without libcpuid
lib/session/spawn_none.c where nothing stands in for libc
bindings/command/top/screen_none.c without ncurses
bindings/command/code/object_none.c without elfutils
bindings/command/annotate/disassemble_none.c without capstone
'

# shared FOLDER: "NAME FILE:LINE FILE:LINE" for each name that is defined twice, but for alternatives: branches of one #if, and
# what stands in.  A definition is a head that ends with a parameter list, and a brace at the line's start.
shared() {
	# shellcheck disable=SC2016 # awk has them
	find "$1" -name '*.[ch]' | sort | xargs awk -v stand_ins="$stand_ins" '
	BEGIN {
		for (n = split(stand_ins, line, "\n"); n > 0; n--)
			stands_in[substr(line[n], 1, index(line[n], " ") - 1)] = 1
	}
	function name_of(head, at, open, c) {
		gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", head)
		sub(/[ \t]+$/, "", head)
		if (head !~ /\)$/ || head ~ /=/)
			return ""
		for (at = length(head); at > 0; at--) {
			c = substr(head, at, 1)
			open += (c == ")") - (c == "(")
			if (!open)
				break
		}
		head = substr(head, 1, at - 1)
		return match(head, /[A-Za-z_][A-Za-z_0-9]*$/) ? substr(head, RSTART) : ""
	}
	# In branches of one #if that exclude each other; a and b: "CHAIN:BRANCH " for each #if that it is in, outermost first
	function excluded(a, b, x, y, p, q, n, m, i) {
		n = split(a, x, " ")
		m = split(b, y, " ")
		for (i = 1; i <= n && i <= m && x[i] == y[i]; i++)
			;
		if (i > n || i > m)
			return 0
		split(x[i], p, ":")
		split(y[i], q, ":")
		return p[1] == q[1]
	}
	function alternatives(name, i, k) {
		if (excluded(branch[name, i], branch[name, k]))
			return 1
		return name ~ /^pmu_/ && (file_of[name, i] in stands_in) != (file_of[name, k] in stands_in)
	}
	FNR == 1 { depth = 0; head = "" }
	/^[ \t]*#[ \t]*if/ { chain[++depth] = ++n_chains; part[depth] = 0 }
	/^[ \t]*#[ \t]*el/ { part[depth]++ }
	/^[ \t]*#[ \t]*endif/ { depth-- }
	/^\{$/ && (name = name_of(head)) ~ /[a-z]/ {
		i = ++n_of[name]
		n_functions++
		file_of[name, i] = FILENAME
		place[name, i] = FILENAME ":" FNR
		for (d = 1; d <= depth; d++)
			branch[name, i] = branch[name, i] chain[d] ":" part[d] " "
	}
	/^[ \t]*$/ || /^[#}{]/ || /^ ?\*/ || /^\/\*/ || /;$/ { head = ""; next }
	{ head = head " " $0 }
	END {
		for (name in n_of)
			for (i = 1; i <= n_of[name]; i++)
				for (k = i + 1; k <= n_of[name]; k++)
					if (!alternatives(name, i, k)) {
						print name, place[name, i], place[name, k]
						break
					}
		print n_functions + 0 >"/dev/stderr"
	}' 2>"$tmp/number" | sort
}

# unique NAME FOLDER LEAST: at least so many functions were seen
unique() {
	shared "$2" >"$tmp/shared"
	[ ! -s "$tmp/shared" ] && [ "$(cat "$tmp/number")" -ge "$3" ]
	verdict $? "$1" "$tmp/shared" "$tmp/number"
	echo "# $2: $(cat "$tmp/number") functions"
}

mkdir "$tmp/some"
printf 'static int find(int a)\n{\n}\n\n#if A\nint one(void)\n{\n}\n#else\nint one(void)\n{\n}\n#endif\n' >"$tmp/some/a.c"
printf '/* A reason. */\nPMU_PRINTF(1, 2) static int *find(int a,\n\tint (*b)(int)) /* c */\n{\n}\n' >"$tmp/some/b.c"
is 'two of a name are found, alternatives are none' "$(shared "$tmp/some" | sed "s|$tmp/||g")" 'find some/a.c:2 some/b.c:4'
unique 'each function of the library has a name of its own' lib 3000
unique 'each function of the command has a name of its own' bindings/command 1000
finish
