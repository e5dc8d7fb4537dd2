#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu check`: what is beyond its limit is named and fails, and nothing else does.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/series.sh
. "$source/tests/command/series.sh"
subcommand=check
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND

# breaches: lines of out that name any
breaches() {
	sed -n '/^pmu: /d; /^  note  /d; s/^  //p' out
}

series base.json 10 1
series same.json 10 2
series slow.json 10 3 17 20
series slower.json 10 7 17 3
series more.json 10 4 -1 0 5 1
series fast.json 10 5 17 -20
series one.json 1 6 -1 0 5 1

# --- without limits: by the baseline's own spread ---

run 0 "the same" --baseline base.json same.json
has out 'pmu: 93 values are within their limits' "all are"
is "nothing is named" "$(breaches)" ''
run 1 "a region a fifth slower" --baseline base.json slow.json
ok "it alone is named, with before, after and limit" \
	grep -Eq '^  work/r17: time, own, [0-9.]* [mu]s -> 1\.[0-9]* ms \(\+(19|20|21)\.[0-9]*%\), limit \+5\.00%$' out
is "no other" "$(breaches | wc -l)" 1
run 0 "3 % are within 5" --baseline base.json slower.json
run 1 "one instruction more where there was never any" --baseline base.json more.json
is "it is named" "$(breaches)" \
	'work/r5: instructions, own, 1,000 -> 1,001 (+0.10%), limit +0: the same in all 10 runs of the baseline'
run 1 "in a single run, too" --baseline base.json one.json
is "and nothing of its times" "$(breaches | grep -c time)" 0
run 0 "faster is no harm" --baseline base.json fast.json
sed 's/"cpu": "c"/"cpu": "another"/' slow.json >elsewhere.json
run 0 "times of another processor" --baseline base.json elsewhere.json
has out 'the baseline is of another processor' "are not checked, which is said"
sed 's/"cpu": "c"/"cpu": "another"/' more.json >elsewhere.json
run 1 "instructions are" --baseline base.json elsewhere.json

# --- limits ---

run 0 "a limit lets pass" --baseline base.json --limit '*:time=+25%' --limit 'work:time=none' slow.json
run 1 "or does not" --baseline base.json --limit 'r17:time=+10%' slow.json
ok "it says which" grep -Eq '^  work/r17: time [0-9.]* [mu]s -> 1\.[0-9]* ms \(.*\), limit \+10%$' out
run 1 "of time" --baseline base.json --limit 'work/r17:time=+100us' slow.json
run 0 "a longer one" --baseline base.json --limit 'work/r17:time=+300us' slow.json
run 0 "the last one counts" --baseline base.json --limit '*:instructions=+0%' --limit 'r5:instructions=+1' \
	--limit 'work:instructions=+1' more.json
run 1 "a limit is of a region with all that is in it" --baseline base.json --limit 'work:instructions=+0' \
	--limit 'r5:instructions=none' more.json
is "as one line says" "$(breaches)" 'work: instructions 30,000 -> 30,001 (+0.003%), limit +0'
run 1 "less than" --baseline base.json --limit 'r17:time=-10%' fast.json
run 0 "is no harm without a limit for it" --baseline base.json --limit 'r17:time=+10%' fast.json
run 1 "either way" --baseline base.json --limit 'r17:time=10%' fast.json
run 0 "beyond a limit by no more than noise" --baseline base.json --limit '*:time=+0%' same.json
has out 'by what may be noise' "is said"
run 1 "a limit that is for nothing" --baseline base.json --limit 'r99:time=+5%' same.json
has out 'limit r99:time=+5% is for no value that the baseline has' "is no success"
run 1 "nor is one of a time for a count" --baseline base.json --limit 'r5:instructions=+5ms' same.json

# --- what came and went ---

sed 's/"r7"/"r7b"/; s,"work/r7","work/r7b",' same.json >renamed.json
run 1 "a region that has gone" --baseline base.json renamed.json
is "is named" "$(breaches)" "work/r7: gone; it was in the baseline's 10 runs"
sed 's/"name": "instructions"/"name": "cycles"/' same.json >other.json
run 1 "a count that is gone, with a limit" --baseline base.json --limit 'r5:instructions=+1%' other.json
run 0 "without one" --baseline base.json other.json
has out 'only A has instructions' "is said"

# --- where limits are kept ---

printf '# of the nightly runs\n\nr17:time = +25%%\n' >base.limits
run 0 "they stand beside the baseline" --baseline base.json slow.json
run 1 "and give way to those of the command line" --baseline base.json --limit 'r17:time=+1%' slow.json
run 0 "or elsewhere" --baseline base.json --limits base.limits slow.json
run 2 "which must be there" --baseline base.json --limits nowhere slow.json
run 0 "--update writes both" --baseline base.json --update --limit 'r17:time = +25%' --limit 'r3:time=none' slow.json
is "it says what" "$(cat out)" 'pmu: base.json: 10 runs, 31 regions, 3 limits'
is "limits that were there stay" "$(cat base.limits)" "$(printf '# of the nightly runs\n\nr17:time = +25%%\nr3:time=none')"
run 0 "the baseline is the new one" --baseline base.json slow.json
run 0 "a new one" --baseline new.json --update same.json slow.json
has out 'new.json: 20 runs, 31 regions, 0 limits' "of several reports"
ok "and no file of limits that nobody said" test ! -e new.limits
rm base.limits
series base.json 10 1

# --- branches that repeat ---

# branches FILE NAME...: of three runs each, in which regions have so many more than in the first, NAME=MORE,MORE,MORE
branches() {
	file=$1
	shift
	series all.json 3 1
	sed 's/"name": "instructions"/"name": "conditional-branches"/' all.json >"$file"
	for more; do
		name=${more%=*}
		more=${more#*=}
		r=$(echo "$more" | awk -F, '{ print 22700000 + $1 ", " 22700000 + $2 ", " 22700000 + $3 }')
		sed -i "/\"name\": \"$name\"/s/\"runs\": \[1000, 1000, 1000\]/\"runs\": [$r]/g" "$file"
	done
}

rm base.limits 2>/dev/null
branches exact.json r5=0,0,0 r6=0,0,0 r7=0,8,0
run 0 "branches as they were" --exact-branches --baseline exact.json exact.json
has out 'pmu: 31 values are within their limits' "are checked in each region, and nothing else is"
has out 'note  1 value is not the same in all runs' "one that does not repeat is told"
branches more.json r5=1,1,1 r6=0,0,0 r7=0,8,8
run 1 "one more" --exact-branches --baseline exact.json more.json
is "is named with both counts" "$(breaches)" \
	'work/r5: conditional-branches, own, 22,700,000 -> 22,700,001 (+1), limit +0: they repeat'
run 1 "in a table, too" --exact-branches --baseline exact.json --summary exact.md more.json
ok "with all digits" grep -q '^| work/r5 | conditional.*branches | 22,700,000 | 22,700,001 | +1 | ' exact.md
lacks out 'too few' "there are no statistics"
branches varied.json r5=0,0,1 r6=0,0,0 r7=9,9,12
run 1 "beyond what a region had in any run" --exact-branches --baseline exact.json varied.json
is "it alone is more" "$(breaches)" \
	"work/r7: conditional-branches, own, 22,700,008 -> 22,700,009 (+1), limit +0 beyond the most of the baseline's runs"
branches fewer.json r5=-1,-1,-1 r6=0,0,0 r7=0,8,0
run 0 "one less" --exact-branches --baseline exact.json fewer.json
has out 'note  1 value is less than in the baseline: --update takes that in' "is no breach, and told"
run 0 "a limit lets pass" --exact-branches --baseline exact.json --limit 'r5:conditional-branches=+1' more.json
sed 's/"pmu_series": 1/&/; s,"work/r9","work/r9b",' exact.json >renamed.json
run 1 "a region that has gone" --exact-branches --baseline exact.json renamed.json
series exact1.json 1 1
sed -i 's/"name": "instructions"/"name": "taken-branches"/' exact1.json
run 0 "one run is enough, and taken branches are" --exact-branches --baseline exact1.json exact1.json
run 2 "not beside conditional ones" --exact-branches --baseline exact.json exact1.json
run 2 "a baseline without them" --exact-branches --baseline base.json exact.json
has err 'no branches that repeat; --exact-branches --update makes one' "says how to make one"
run 2 "a report without them" --exact-branches --baseline exact.json base.json
has err 'pmu run -e conditional-branches' "likewise"
sed 's/"source": "perf"/"source": "valgrind"/' exact.json >simulated.json
run 2 "simulated and not" --exact-branches --baseline simulated.json exact.json
has err "valgrind's simulation counts branches otherwise" "are not compared"
run 2 "another event" --exact-branches --baseline exact.json -- -e instructions true
has err 'says what is counted' "is refused"
run 2 "without a counter" --exact-branches --baseline exact.json -- --source clock true
has err '--exact-branches: conditional-branches cannot be counted' "it says so"
has err 'nothing was run. Where no processor counts, valgrind does: pmu check --exact-branches ... -- --emulate COMMAND' "and what does"

# --- for a runner ---

series more.json 10 4 -1 0 5 1

echo before >summary
run 1 "a summary and annotations" --baseline base.json --summary summary --annotate more.json
is "is appended" "$(head -n 1 summary)" before
has summary 'p: 1 of 93 values is beyond its limit' "what is wrong"
ok "in a table" grep -q '^| work/r5 | instructions | 1,000 | 1,001 | +0.10% | ' summary
has summary '<details><summary>All that differs' "all that differs is there"
has out '::error title=pmu check::work/r5: instructions, own, 1,000 -> 1,001 (+0.10%25), limit' "as GitHub wants it"
run 0 "with nothing wrong" --baseline base.json --summary summary --annotate -q same.json
is "no annotation, no word" "$(cat out)" ''
# shellcheck disable=SC2016 # no expansion is meant
evil='a|<img src=x>`x`%0A::error::[l](u)'
sed "s,\"r5\",\"$evil\",; s,\"work/r5\",\"work/$evil\"," base.json >evil.json
sed "s,\"r5\",\"$evil\",; s,\"work/r5\",\"work/$evil\"," more.json >evil_more.json
: >summary
run 1 "names that mean something to others" --baseline evil.json --summary summary --annotate evil_more.json
lacks summary '<img' "are data in Markdown"
is "and one line each as annotations" "$(grep -c '^::' out)" 1
has out '%250A' "with no line of their own"

evil='::stop-commands::##vso[x]\u001b'
evil=$(printf '%s' "$evil" | sed 's/\\/\\\\/g')
sed "s,\"work,\"$evil,g" base.json >evil.json
sed "s,\"work,\"$evil,g" more.json >evil_more.json
: >summary
run 1 "names that are commands to a runner" --baseline evil.json --summary summary evil_more.json
has out '  \x3a:stop-commands::\x23#vso[x]\x1b/r5: ' "begin no line, and are in none"
is "in text" "$(grep -c '^ *::\|##vso' out)" 0
lacks summary '5cx' "nothing is shown twice over in Markdown"

# --- of a command ---

unset XDG_RUNTIME_DIR
if [ -z "${TEST_SANITIZERS:-}" ]; then
	run 0 "a command makes a baseline" --baseline run.json --update -- --repeat 3 true
	has out 'run.json: 3 runs' "as often as is said"
	run 0 "and is checked" --baseline run.json --limit 'command:elapsed=+100000%' -- true
	run 2 "one that fails is no breach" --baseline run.json -- false
	has err 'nothing was checked: false did not run' "it says so"
	run 2 "nor is one that is not there" --baseline run.json -- ./not-there
	run 2 "against has no place here" --baseline run.json -- --against true true
fi

# --- what makes no sense ---

run 2 "no baseline" same.json
run 2 "nothing to check" --baseline base.json
run 2 "both" --baseline base.json same.json -- true
run 2 "a baseline that is not there" --baseline nowhere.json same.json
run 2 "a report that is not there" --baseline base.json nowhere.json
head -c 3000 base.json >broken.json
run 2 "a baseline that is cut off" --baseline broken.json same.json
has err 'cannot read broken.json: not JSON' "it says so"
sed 's/"pmu_series": 1/"pmu_series": 9/' base.json >later.json
run 2 "of a later version" --baseline later.json same.json
has err 'schema 9' "it says so"
sed 's/"runs": \[1000, /"runs": [-1, /' base.json >broken.json
run 2 "with values that are none" --baseline broken.json same.json
run 2 "one run without a limit" --baseline one.json same.json
has err 'one run has no spread' "has nothing to be checked by"
for limit in time 'time=+5%' 'r5:=+5%' ':time=+5%' 'r5:time' 'r5:time=' 'r5:time=much' 'r5:time=5furlongs' 'r5:time=+-5%' \
	'r5:time=1e9%' 'r5:time=+5%5'; do
	run 2 "no limit: $limit" --baseline base.json --limit "$limit" same.json
	ok "a sentence" grep -q '^pmu: --limit: limit ' err
done
printf 'r5:time=+5%%\n\nr6:time\n' >base.limits
run 2 "a file with one that is none" --baseline base.json same.json
has err 'base.limits:3: limit' "it says where"
run 2 "a folder" --baseline base.json --limits . same.json
finish
