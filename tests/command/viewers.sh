#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu report -o, pmu run -o: what other programs' viewers read, by these themselves, with the report's numbers.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_ENABLE PMU_REQUIRE PMU_ROTATE
command -v python3 >/dev/null || skip_all 'no python3, which makes the reports'
tools=$source/tests/command/viewers.py
corpus=$source/tests/fuzz/corpus/json
export HOME="$tmp" # of Go's and Chromium's settings
export PPROF_TMPDIR="$tmp"
has_zlib() { grep -q '^#define HAVE_ZLIB 1' "$build/config.h"; }
pb=pb
! has_zlib || pb=pb.gz
subcommand=report

python3 "$tools" make made >err 2>&1
result $? 'reports are made'

# --- numbers: those of the report, path by path; outermost regions have all that is below them ---

has_go=yes
go tool pprof -help >out 2>&1 || has_go=
[ -n "$has_go" ] || skip 'what pprof reads' 'no go tool pprof (on Debian: golang-go)'
for file in made/some* made/many made/sampled made/called "$corpus"/*; do
	name=$(basename "$file")
	rm -rf all && mkdir all
	"$pmu" report "$file" -o all/all.json -o all/all.folded -o all/all.speedscope.json -o all/callgrind.out.all \
		-o "all/all.$pb" >out 2>err || { result 1 "$name is written" && continue; }
	[ -z "$has_go" ] || go tool pprof -raw "all/all.$pb" >all/all.raw 2>err || { result 1 "pprof reads $name" && continue; }
	python3 "$tools" check all/all.json all >out 2>err
	result $? "$name has the report's numbers: $(cat out) compared"
done

# --- folded ---

run 0 'a team' "$corpus/teams" -o teams.folded
printf '%s\n' 'solve 325000000' 'solve;kernel 464000000' 'solve;kernel;leaf 61000000' >want
cmp -s want teams.folded
result $? 'has what all threads did, in nanoseconds'
run 0 'by a count' "$corpus/teams" --sort CYCLES -o teams.folded
[ "$(head -n 1 teams.folded)" = 'solve 325000000' ]
result $? 'has that instead'
run 1 'by no count' "$corpus/teams" --sort branches -o none.folded
has err 'there is no count of that name' 'says so'
[ ! -e none.folded ]
result $? 'and writes nothing'
run 0 'thread by thread' "$corpus/teams" --threads -o teams.folded
has teams.folded 'thread 1 (worker);solve;kernel 100000000' 'has the thread first'
run 0 'an overlap' made/overlap -o overlap.folded -o callgrind.out.overlap
printf '%s\n' 'main 75' 'main;io 10' 'main;read ~ 10' 'main;read ~;inner 5' >want
cmp -s want overlap.folded
result $? 'is in the region around the one that it outlasted, with all that it has'
run 0 'its cycles' made/overlap --sort cycles -o overlap.folded
printf '%s\n' 'main 17' 'main;io 4' 'main;read ~ 3' 'main;read ~;inner 6' >want
cmp -s want overlap.folded
result $? 'are there, too'
has callgrind.out.overlap 'shown further out' 'it is said'
run 0 'hostile names' made/hostile -o hostile.folded -o hostile.speedscope.json -o callgrind.out.hostile -o "hostile.$pb"
[ "$(perl -ne 'print if !/^(.*)\s+?(\d+(?:\.\d*)?)$/ or $1 =~ /^(.*)\s+?(\d+(?:\.\d*)?)$/ or $1 !~ /^main(;[^;]+)?$/' hostile.folded)" = '' ]
result $? 'as flamegraph.pl reads lines, each is one path and one number'
# shellcheck disable=SC1003 # it is a backslash
for name in 'a\x3bb' 'c\x2012' 'line\nfeed' '\x01\x7f' '\xff\xfe' '12' '"quotes\'; do
	grep -qF -- "main;$name " hostile.folded
	result $? "  $name"
done
if command -v flamegraph.pl >/dev/null; then
	flamegraph.pl hostile.folded >flame.svg 2>err
	grep -q '<title>line\\nfeed' flame.svg && ! [ -s err ]
	result $? 'flamegraph.pl draws it'
fi

# --- functions, by samples ---

run 0 'a sampled program' made/sampled -o sampled.folded -o callgrind.out.sampled -o sampled.pb
printf '%s\n' 'main;main 40' 'main;memcpy 7' 'main;c\x2012 3' 'main;solve;dgemm<double\x3b 3> 90' 'main;solve;memcpy 1' 'late ~;clear_page 5' | sort >want
sort sampled.folded | cmp -s - want
result $? 'has functions in its regions, by samples'
run 0 'by time' made/sampled --sort time -o sampled.folded
printf '%s\n' 'main 130' 'main;solve 60' 'late ~ 60' | sort >want
sort sampled.folded | cmp -s - want
result $? 'has regions'
has callgrind.out.sampled 'samples: estimates' 'it is said what they are'
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate --auto=no --threshold=100 callgrind.out.sampled >sampled 2>err
	[ ! -s err ] && tr -s ' ' <sampled | grep -q '^85 (58.22%) .*/src/dgemm.c:dgemm<double; 3> \[libblas.so\]'
	result $? 'callgrind_annotate has them, and where they are'
	tr -s ' ' <sampled | grep -q '^ 5 ( 3.42%) .*a.h:dgemm<double; 3>'
	result $? 'file by file'
fi
if [ -n "$has_go" ]; then
	go tool pprof -top sampled.pb >top 2>err
	grep -qE '^ +90 61.64% .* 90 61.64% +dgemm' top
	result $? 'pprof shows them first'
	go tool pprof -raw sampled.pb >raw 2>err
	grep -q 'libblas.so' raw
	result $? 'and knows where they are'
	grep -qF 'dgemm<double; 3> /src/dgemm.c:42 ' raw && grep -qF 'dgemm<double; 3> a.h:7 ' raw && grep -qF 'dgemm<double; 3> /src/dgemm.c:0 ' raw
	result $? 'with their lines, and without where none is known'
	go tool pprof -top -lines sampled.pb 2>err | grep -qE '^ +80 54.79% .* dgemm<double; 3> /src/dgemm.c:42$'
	result $? 'whose samples it has line by line'
	go tool pprof -top sampled.pb 2>err | grep -qE '^ +90 61.64% .* dgemm<double; 3>$'
	result $? 'and together'
	"$pmu" report "$corpus/samples_code" -o code.pb && go tool pprof -raw code.pb 2>err | grep -qE '^[0-9]+: 0x0/0x0/0x0 /\S+ c0de '
	result $? 'programs and libraries have their paths and build-ids'
fi

# --- and what called them ---

run 0 'a program of which callers are known' made/called -o called.folded -o called.speedscope.json -o callgrind.out.called -o called.pb
printf '%s\n' 'main;main 40' 'main;main;copy\x3b all;memcpy 6' 'main;memcpy 1' 'main;c\x2012 3' 'main;solve;main;dgemm<double\x3b 3> 50' \
	'main;solve;main;dgemm<double\x3b 3>;dgemm<double\x3b 3> 40' 'main;solve;main;memcpy 1' 'late ~;clear_page 5' | sort >want
sort called.folded | cmp -s - want
result $? 'has the functions of a stack, the outermost first, in its regions'
run 0 'thread by thread' made/called --threads -o called.folded
grep -qxF 'thread 1 (made);main;main 10' called.folded && grep -qxF 'thread 0 (made);main;main;copy\x3b all;memcpy 6' called.folded
result $? 'each has its own'
run 0 'without them' made/sampled -o callgrind.out.sampled
sed 's/^pid.*//' callgrind.out.called >with
sed 's/^pid.*//' callgrind.out.sampled | cmp -s - with
result $? "callgrind's format has functions as ever: a call there is a number of calls"
if [ -n "$has_go" ]; then
	go tool pprof -peek='dgemm' called.pb 2>err | tr -s ' ' | grep -qE '^ 91 100% \| main$|^ 90 .*dgemm'
	result $? 'pprof knows callers'
fi

# --- callgrind ---

run 0 'for callgrind_annotate' "$corpus/teams" -o callgrind.out.teams
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate --auto=no --threshold=100 callgrind.out.teams >exclusive 2>err
	result $? 'callgrind_annotate reads it'
	[ ! -s err ]
	result $? 'and complains of nothing'
	callgrind_annotate --auto=no --threshold=100 --inclusive=yes callgrind.out.teams >inclusive 2>err
	callgrind_annotate --auto=no --threshold=100 --tree=both callgrind.out.teams >calls 2>err
	tr -s ' ' <exclusive | grep -q '^850,000,000 (100.0%) 2,550,000,000 (100.0%) .* PROGRAM TOTALS'
	result $? 'totals are those of the outermost region, with its team'
	tr -s ' ' <exclusive | grep -q '^464,000,000 (54.59%) .*:kernel '
	result $? 'exclusive'
	tr -s ' ' <inclusive | grep -q '^ *525,000,000 (61.76%) .*:kernel '
	result $? 'inclusive'
	grep -q 'kernel (7x)' calls
	result $? 'calls'
	callgrind_annotate --auto=no --threshold=100 callgrind.out.hostile >hostile 2>err
	[ ! -s err ] && grep -qF '???:line\nfeed' hostile && grep -qF '???:(2) x' hostile
	result $? 'hostile names are names'
else
	skip 'callgrind_annotate' 'it is not here (on Debian: valgrind)'
fi

# --- pprof ---

run 0 'for pprof' "$corpus/teams" -o "teams.$pb" -o teams.pb
if [ -n "$has_go" ]; then
	go tool pprof -top teams.pb >top 2>err
	result $? 'pprof reads it'
	grep -qE '^ +464ms 54.59% .* 525ms 61.76% +kernel$' top
	result $? 'time is what it shows'
	go tool pprof -sample_index=instructions -top "teams.$pb" 2>err | grep -qE '^ *975000000 38.24% .* 2550000000 +100% +solve$'
	result $? 'counts are there, too'
	go tool pprof -sample_index=calls -top teams.pb 2>err | grep -qE '^ +3 .* leaf$'
	result $? 'and calls'
	go tool pprof -tagfocus='thread=thread 1' -top teams.pb 2>err | grep -qE '^ +100ms .* kernel$'
	result $? 'threads are tags'
	go tool pprof -comments teams.pb 2>err | grep -qF 'machine: AMD EPYC'
	result $? 'the head is in comments'
fi

# --- speedscope ---

speedscope=${TEST_NODE_MODULES:+$TEST_NODE_MODULES/speedscope/dist/release}
run 0 'for speedscope' "$corpus/teams" -o teams.speedscope.json
if [ ! -e "$speedscope/index.html" ]; then
	skip 'speedscope reads it' 'TEST_NODE_MODULES is no folder of npm packages with speedscope'
elif ! python3 -c 'import jsonschema' 2>/dev/null; then
	skip "speedscope's schema" 'no jsonschema for Python (on Debian: python3-jsonschema)'
else
	for file in teams hostile; do
		python3 -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
			$file.speedscope.json "$speedscope/file-format-schema.json" >out 2>err
		result $? "$file is what speedscope's schema says"
	done
fi

# open_in_speedscope FILE: its page, with the table of regions, in the file page
open_in_speedscope() {
	printf 'speedscope.loadFileFromBase64("%s", "%s")' "$1" "$(base64 -w0 <"$1")" >load.js
	XDG_CONFIG_HOME="$tmp/config" timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --user-data-dir="$tmp/chromium" \
		--virtual-time-budget=5000 --dump-dom "file://$speedscope/index.html#localProfilePath=$tmp/load.js&view=sandwich" \
		2>chromium.log | sed 's/></>\n</g' >page
}

if [ "${TEST_SLOW:-}" = skip ] || [ -n "${TEST_SANITIZERS:-}" ]; then
	: # once is enough
elif [ ! -e "$speedscope/index.html" ] || ! command -v chromium >/dev/null; then
	skip 'speedscope in a browser' 'no chromium, or no speedscope in TEST_NODE_MODULES'
else
	open_in_speedscope teams.speedscope.json
	grep -qF 'time, all threads' page && grep -qF 'cycles, thread 1 (worker)' page
	result $? 'speedscope shows a profile of each count of each thread'
	sed -n 's/<td class="[^"]*">\([0-9.]*ms ([0-9.]*%)\).*/\1/p; s/<.span>\(.*\)<.td>/\1/p' page | paste -sd' ' >line
	grep -qF '525.00ms (62%) 464.00ms (55%) kernel' line
	result $? 'with total and self'
	open_in_speedscope hostile.speedscope.json
	grep -qF '&lt;b&gt;&amp;amp;' page && ! grep -q '<b>' page
	result $? 'hostile names are names'
	open_in_speedscope teams.folded
	grep -qF 'kernel</td>' page
	result $? 'it reads folded stacks, too'
	open_in_speedscope callgrind.out.teams
	grep -qF 'kernel</td>' page && grep -qF 'Instructions' page
	result $? "and callgrind's format"
	open_in_speedscope "teams.$pb"
	grep -qF 'kernel</td>' page && grep -qF '525.00ms' page
	result $? "and pprof's"
fi

# --- names of files ---

if has_zlib; then
	run 0 'compressed' "$corpus/teams" -o teams.folded -o teams.folded.gz -o teams.speedscope.json.gz -o callgrind.out.teams.gz -o teams.PB.GZ
	gzip -dc teams.folded.gz | cmp -s - teams.folded
	result $? 'folded stacks'
	gzip -dc teams.speedscope.json.gz | cmp -s - teams.speedscope.json
	result $? "speedscope's"
	gzip -dc callgrind.out.teams.gz | cmp -s - callgrind.out.teams
	result $? "callgrind's"
	gzip -dc teams.PB.GZ | cmp -s - teams.pb
	result $? "and pprof's"
else
	run 2 'compressed' "$corpus/teams" -o teams.pb.gz
	has err 'built without zlib' 'says why not'
fi
run 0 'a folder with such a name' "$corpus/teams" -o "$tmp/made/callgrind.out.1"
head -n 1 made/callgrind.out.1 | grep -q '^# callgrind format'
result $? 'is none of it'
run 0 'a name that begins so and ends otherwise' "$corpus/teams" -o callgrind.out.json
has callgrind.out.json '"pmu_report"' 'gets what the ending says'
run 0 'a name that is none of them' "$corpus/teams" -o callgrind.out.
has callgrind.out. 'all threads together' 'gets text'
run 1 'a folder that is not there' "$corpus/teams" -o none/teams.folded
has err 'create none first' 'says so'
run 0 'several processes' "$corpus/programs" "$corpus/teams" --each -o '%p.folded'
[ -e 99.folded ]
result $? 'have a file each'
PMU_OUTPUT="$tmp/library.folded" "$build/tests/api/pairs" 1 >out 2>err
has err 'pmu report' "the library leaves it to the command"

# --- run ---

subcommand=run
run 2 'repeated' --repeat 2 -o run.folded -- true
has err "--repeat's are text, .json, .csv or .html" 'says why not'
if [ -n "${TEST_SANITIZERS:-}" ]; then
	skip 'commands' 'what is preloaded has a sanitizer'
else
	run 0 'a command' --auto main -o run.folded -o run.speedscope.json -o callgrind.out.run -o "run.$pb" -o run.json -- true
	grep -qE '^main [0-9]+$' run.folded
	result $? 'has its region'
	[ -e run.speedscope.json ] && [ -e callgrind.out.run ] && [ -e "run.$pb" ]
	result $? 'in all formats'
	run 0 'several commands' --auto main --each -o each.folded -- sh -c 'true; sleep 0'
	[ "$(find . -maxdepth 1 -name 'each*.folded' | wc -l)" -ge 2 ]
	result $? 'with a file each'
	run 0 'runs' --repeat 2 -o series.json -- true
	subcommand=report
	run 1 'a report of theirs' series.json -o series.folded
	has err 'is of repeated runs' 'is of no one tree'
fi
finish
