#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu report --annotate`: source and instructions beside each other, and what is said where something of it is missing.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/apart.sh
. "$source/tests/command/apart.sh"

# All time goes to the line with HOT.  Its comment would colour a terminal.
write_program() {
	printf '#include <stdio.h>
__attribute__((noinline)) static unsigned long burn(unsigned long n, unsigned long by)
{
	unsigned long sum = n;

	while (n--) sum = sum / by + n; /* HOT \033[31m\302\233 */
	return sum;
}

int main(void)
{
	printf("%%lu\\n", burn(20000000, %s));
	return 0;
}
' "$2" >"$1"
}
mkdir folder
write_program folder/program.c 3
hot=$(grep -n HOT folder/program.c | cut -d: -f1)

# build_c NAME SOURCE FLAG...
build_c() {
	name=$1 from=$2
	shift 2
	# shellcheck disable=SC2086 # flags are words
	${TEST_CC:-cc} ${TEST_CFLAGS:-} -O1 -Wl,--build-id=sha1 "$@" -o "$name" "$from" || exit 1
}
build_c program folder/program.c -g
subcommand=run
"$pmu" run --sample=4000 -o report.json ./program >out 2>err
grep -q '"samples"' report.json || skip_all 'nothing is sampled here'
grep -q '"lines"' report.json || skip_all 'this pmu was built without elfutils'

subcommand=report
run 0 'the region with most samples' report.json --annotate
capstone=yes
grep -q 'instructions need capstone' out && capstone=

# The line, and the share, of most samples.
hottest() {
	awk 'substr($0, 15, 6) ~ /^ *[0-9]+$/ && substr($0, 1, 7) + 0 > most { most = substr($0, 1, 7) + 0; line = substr($0, 15, 6) + 0 }
		END { print line, (most >= 90 ? "most" : most) }' "$1"
}
is 'has the line that takes the time' "$(hottest out)" "$hot most"
has out 'while (n--) sum = sum / by + n; /* HOT' '  with its text'
! LC_ALL=C grep -q "$(printf '[\033\302]')" out
result $? '  in which nothing is for a terminal'
has out '\x1b[31m' '  but to be read'
grep -Eq '^  ~[0-9.]+%  burn  program  [0-9,]+ samples$' out
result $? 'the function has its share of the region'
has out '  ~  estimated: shares of the region' 'shares are estimates'
! grep -q '.\{101\}' out
result $? 'no line is longer than others are'
cp out whole
run 0 'a region by its name' report.json --annotate=main
cmp -s out whole
result $? '  the same'
run 0 'a function by its name' report.json --annotate=burn
is '  has its line' "$(hottest out)" "$hot most"
run 1 'what is not there' report.json --annotate=nothing
has err 'is called nothing' '  is said'

instructions() {
	[ -n "$capstone" ] || { skip "$1" 'no capstone'; return; }
	awk 'substr($0, 27, 12) ~ /^[0-9a-f]+  [a-z]/ && substr($0, 8, 7) + 0 > 0 { n++ } END { exit !n }' out
	result $? "$1"
}
run 0 'all of it' report.json --annotate=burn --all
instructions 'instructions have shares of their own'

# listed: "ADDRESS LINE" of each instruction
listed() {
	awk 'substr($0, 15, 6) ~ /^ *([0-9]+|-)$/ { line = substr($0, 15, 6) + 0 }
		substr($0, 27, 12) ~ /^[0-9a-f]+  [a-z.]/ { print $(substr($0, 8, 7) ~ /%/ ? 2 : 1), line }' out | sort
}
if [ -n "$capstone" ] && command -v objdump >/dev/null; then
	objdump -d -l --no-show-raw-insn program | awk '
		/^[0-9a-f]+ <burn/ { inside = 1 }
		/^$/ { inside = 0 }
		inside && /^[^ ].*:[0-9]+( \(.*)?$/ { sub(/ \(.*/, ""); sub(/.*:/, ""); line = $0 }
		inside && /^ +[0-9a-f]+:\t/ { sub(/:/, "", $1); print $1, line }' | sort >theirs
	listed >ours
	# a line 0 says that there is none, where objdump has the last one
	awk 'NR == FNR { line[$1] = $2; n++; next }
		!($1 in line) || (line[$1] && line[$1] != $2) { wrong = 1 }
		END { exit !n || n != FNR || wrong }' ours theirs
	evidence='ours theirs out'
	result $? 'addresses and their lines are those of objdump'
	evidence='err out'
fi

# Two reports are one.
number() { awk '/^  ~.*  burn  / { gsub(",", ""); print $(NF - 1) }' out; }
run 0 'a report' --annotate=burn report.json
one=$(number)
"$pmu" run --sample=4000 -o other.json ./program >out 2>err
run 0 'of another process' --annotate=burn other.json
other=$(number)
run 0 'both' --merge --annotate=burn report.json other.json
is '  have the samples of both' "$(number)" "$((one + other))"
is '  at the same line' "$(hottest out)" "$hot most"

# Without this and that.
build_c bare folder/program.c -g0
"$pmu" run --sample=4000 -o bare.json ./bare >out 2>err
run 0 'without debugging information' bare.json --annotate
has out 'burn  bare' '  functions have their names'
[ -z "$capstone" ] || has out 'no debugging information' '  and no lines, which is said'
instructions '  but instructions'
cp bare stripped && ${TEST_STRIP:-strip} stripped
"$pmu" run --sample=4000 -o stripped.json ./stripped >out 2>err
run 0 'without symbols' stripped.json --annotate
has out 'stripped+0x' '  functions are where they begin'
instructions '  and have instructions'

mv folder elsewhere
run 0 'without source' report.json --annotate
has out 'it is not here' '  which is said'
is '  lines have their numbers' "$(hottest out)" "$hot most"
mkdir other && mv elsewhere other/folder
run 0 'source that was moved' report.json --annotate --srcdir other
has out 'while (n--) sum = ' '  is found'
mv other/folder .
touch -d '1 hour' folder/program.c
run 0 'newer source' report.json --annotate
has out 'it was written since' '  is said to be'
touch -d '1 hour ago' folder/program.c

write_program folder/program.c 7
cp program kept
build_c program folder/program.c -g
run 0 'another build' report.json --annotate
has out 'has changed since (its build-id was' '  is said to be'
has out 'it was written since' '  and so is its source'
is '  lines are those that were sampled' "$(hottest out)" "$hot most"
rm program
run 0 'no program' report.json --annotate
has out "cannot read $tmp/program: No such file" '  is said'
cp kept program

build_c unnamed folder/program.c -g -Wl,--build-id=none
"$pmu" run --sample=4000 -o unnamed.json ./unnamed >out 2>err
touch -d '1 hour ago' unnamed
run 0 'without a build-id' unnamed.json --annotate
has out 'has no build-id' '  doubt is said'
touch -d '1 hour' unnamed
run 0 'and written since' unnamed.json --annotate
has out 'written after the run' '  it is another one'

# Reports of older versions.
sed 's/, "code": \[\({"object": [0-9]*, "start": [0-9]*, "size": [0-9a-z]*, "addresses": \[[][0-9,]*\]}\(, \)*\)*\]//g; s/"objects"/"unknown"/' \
	report.json >old.json
lacks old.json '"code"' 'a report without addresses'
run 0 '  is shown' old.json --annotate
has out 'record again' '  what to do is said'
is '  lines have their samples' "$(hottest out)" "$hot most"

# In other places.
subcommand=run
run 0 'a run at once' --sample=4000 --annotate=burn ./program
has err ', annotated' '  below its report'
grep -q '^  region ' err
result $? '  which is there, too'
run 0 'without --sample' --annotate -o run.txt ./program
is '  it is taken' "$(hottest run.txt)" "$hot most"
run 2 'not of what has no samples' --annotate --emulate ./program
PMU_SAMPLE=off run 0 'whatever PMU_SAMPLE says' --annotate -o said.txt ./program
has said.txt '  ~  estimated' '  there are samples'
run 0 'a report without samples' --sample=off -o plain.json ./program
subcommand=report
run 1 '  has nothing to show' plain.json --annotate
has err 'pmu run --sample' '  what to do is said'
run 2 'a folder for nothing' report.json --srcdir .
run 2 'two things at once' report.json --annotate --roofline
run 0 'nothing but the listing' report.json --annotate --quiet
lacks out 'estimated' '  no words'

if command -v "${TEST_CXX:-g++}" >/dev/null; then
	cat >inlined.cc <<'END'
#include <cstdio>

namespace work {
struct number { unsigned long of; };
static inline void next(number &a, unsigned long n) { a.of = a.of / 3 + n; } /* HOT */

__attribute__((noinline)) unsigned long solve(unsigned long n)
{
	number a = { n };

	while (n--)
		next(a, n);
	return a.of;
}
}

int main()
{
	std::printf("%lu\n", work::solve(40000000));
}
END
	# shellcheck disable=SC2086 # flags are words
	${TEST_CXX:-g++} ${TEST_CXXFLAGS:-} -O2 -g -o inlined inlined.cc || exit 1
	"$pmu" run --sample=4000 -o inlined.json ./inlined >out 2>err
	run 0 'a function by the end of its name' inlined.json --annotate=solve
	has out 'work::solve(unsigned long)' '  has all of it'
	has out 'static inline void next(number &a' '  lines that were inlined are there'
fi
finish
