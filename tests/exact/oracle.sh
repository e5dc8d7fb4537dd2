#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The oracle and counts under valgrind: two independent ways have the same for every region.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
subcommand=run
oracle=$build/tests/exact/oracle
valgrind=${TEST_VALGRIND:-valgrind}
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset VALGRIND_OPTS PMU_OUTPUT

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
"$oracle" true >out 2>err || skip_all "$(sed 's/^oracle: //' err)"

# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
for program in ways mix contexts cut; do
	compile $program "$source/tests/exact/$program.c"
done
evidence=err

# asked NAME PROG [ARG]...: the oracle, in the file NAME
asked() {
	wants=$1
	shift
	PMU_BACKEND=clock PMU_OUTPUT=none "$oracle" -o "$wants" "$@" >out 2>err
}

# judge WANTS CSV: "# about PATH" comes before what need not be exact; how long a thread waits is not known
judge() {
	report "$2" | awk -F '\t' -v wants="$1" '
		BEGIN {
			while ((getline line < wants) > 0) {
				if (line ~ /^# about /)
					about[substr(line, 9)]
				else if (match(line, /^(team )?[0-9]+ [0-9]+ /)) {
					split(line, word, " ")
					at = word[1] == "team" ? 2 : 1
					path = substr(line, RLENGTH + 1)
					key = (at == 2 ? "team " : "") path
					gsub(/"/, "", key) # report() leaves them out
					if (word[at] > 0 && !(path in about) && (at == 2 || path !~ /^outer job(\/job)?$/))
						want[key] = word[at] " " word[at + 1]
				}
			}
		}
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["thread"] !~ /^(team )?[0-9]+$/ { next }
		{
			key = ($column["thread"] ~ /^team/ ? "team " : "") $column["path"]
			calls[key] += $column["calls"]
			count[key] += $column["net:instructions"]
		}
		END {
			for (key in want) {
				n++
				if (want[key] != calls[key] " " count[key]) {
					printf "%s: %s instead of %s\n", key, calls[key] " " count[key], want[key]
					wrong++
				}
			}
			printf "%d regions, %d wrong\n", n, wrong
			exit wrong || !n
		}'
}

# regions FILE: paths that it has
regions() {
	grep -c '^[t0-9]' "$1"
}

# --- what is known beforehand ------------------------------------------------------------------------------

ok 'repeated instructions, handlers, jumps, children, another program' asked ways ./ways
# A call of each region has as many instructions as its name says.
awk '/: [0-9]+$/ { n++; if ($2 != $1 * $NF) { print; wrong++ } } END { print n " known"; exit wrong || n != 7 }' ways >known
verdict $? 'each has what its name says' known ways
grep -q '^2 12 repeated: 6$' ways && grep -q '^3 9 handler: 3$' ways && grep -q '^1 3 around/handler: 3$' ways
verdict $? 'of both programs, and of every signal' ways
[ ! -s out ] && [ ! -s err ]
result $? 'it says nothing itself'

asked status sh -c 'echo hello; echo beside >&2; exit 3'
is 'its status is not the program'\''s' $? 0
grep -q '^# ended with status 3$' status && grep -qx hello out && grep -qx beside err
verdict $? 'which is named, and whose output is its own' status out err
asked none ./nowhere
is 'without a program it says that it has failed' "$? $(grep -c nowhere err)" '125 1'

# --- and what valgrind counts ------------------------------------------------------------------------------

ok 'names, depth, recursion, overlaps' asked mix.want ./mix 1
is 'all of it is there' "$(regions mix.want)" 324
ok 'threads in contexts' asked contexts.want ./contexts 2 2
is 'those, too' "$(regions contexts.want)" 11
ok 'calls that a checkpoint has and nothing ends' asked cut.want ./cut

"$valgrind" -q --tool=none true >log 2>&1 || { skip 'as valgrind counts' 'valgrind cannot run a program'; finish; }
"$pmu" run --emulate=fast true >/dev/null 2>log
if grep -q 'built without' log; then
	skip 'as valgrind counts' "$(sed 's/^pmu: //' log)"
	finish
fi
run 0 'the same under valgrind' --emulate=fast --auto none -e instructions -o mix.csv ./mix 1
ok 'every region has as many calls and instructions' judge mix.want mix.csv
run 0 'threads' --emulate=fast --auto none -e instructions -o contexts.csv ./contexts 2 2
ok 'likewise' judge contexts.want contexts.csv
run 0 'what nothing has ended' --emulate=fast --auto none -e instructions -o cut.csv ./cut
ok 'counts up to the last checkpoint' judge cut.want cut.csv

# --- a difference is found ---------------------------------------------------------------------------------

awk '$3 == "kinds/a" { $2++ } { print }' mix.want >changed
judge changed mix.csv >log
is 'an instruction more' "$? $(grep -c 'instead of' log)" '1 1'
run 0 'a round less' --emulate=fast --auto none -e instructions -o less.csv ./contexts 2 1
judge contexts.want less.csv >log
is 'is found in each region' "$? $(tail -n 1 log)" '1 9 regions, 9 wrong'

finish
