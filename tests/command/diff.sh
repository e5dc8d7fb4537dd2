#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu diff`: names what differs, and nothing else; says what cannot be compared.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/series.sh
. "$source/tests/command/series.sh"
evidence='out err a.json b.json'

# differing: regions and measures that differ
differing() {
	awk -F, '$4 == "differs" { printf "%s%s %s", n++ ? "; " : "", $2, $3 }' out.csv
}

series a.json 20 1
series same.json 20 2
series slow.json 20 3 17 3
series more.json 20 4 -1 0 5 1
series both.json 20 5 17 3 5 1
run 0 "two sets of the same" diff a.json same.json -o out.csv -o out
is "nothing differs" "$(differing)" ''
has out 'nothing differs by more than noise' "which is said"
run 0 "one region 3 % slower" diff a.json slow.json -o out.csv -o out
is "it alone is named" "$(differing)" 'work/r17 time'
ok "by how much" grep -Eq '^ +time +[0-9.]+ [mu]s +1.0[0-9]+ ms +\+[23]\.[0-9]+% +\+[23]\.[0-9]+% +\+[23]\.[0-9]+%  differs' out
run 0 "one instruction more" diff a.json more.json -o out.csv -o out
is "its region alone is named" "$(differing)" 'work/r5 instructions'
ok "and how many" grep -Eq '^ +instructions +1,000 +1,001 +\+0.10%' out
run 0 "both" diff a.json both.json -o out.csv -o out.json -o out.md -o -
is "both are named, what took most time first" "$(differing)" 'work/r17 time; work/r5 instructions'
ok "in JSON" grep -q '"summary": "2 values differ by more than noise"' out.json
ok "in Markdown" grep -q '^| work/r17 | time | .* | differs |$' out.md
run 0 "all" diff a.json both.json --all --filter 'r2?' -q
is "all of the filter's regions" "$(grep -c '^  work/r2[0-9]$' out)" 10
if command -v python3 >/dev/null; then
	ok "the JSON is valid" python3 -m json.tool out.json
else
	skip "the JSON is valid" "no python3"
fi

# --- how sure it is ---

series a3.json 3 1
series slow3.json 3 3 17 3
series both3.json 3 5 17 3 5 1
run 0 "three runs each" diff a3.json slow3.json -o out.csv -o out
is "are too few" "$(differing)" ''
has out 'too few to tell a change from noise' "which is said"
run 0 "three, and one instruction" diff a3.json both3.json -o out.csv
is "are enough for it" "$(differing)" 'work/r5 instructions'
series a1.json 1 1
series slow1.json 1 3 17 50
run 0 "single runs" diff a1.json slow1.json -o out.csv -o out
is "say nothing of it" "$(differing)" ''
has out 'each side has one run: whether a change is noise cannot be told' "and why"
flagged=0
for seed in 11 12 13 14 15 16 17 18 19 20; do
	series x.json 10 "$seed"
	series y.json 10 "1$seed"
	"$pmu" diff x.json y.json -o out.csv
	[ -z "$(differing)" ] || flagged=$((flagged + 1))
done
ok "of ten comparisons of the same hardly one names anything" test "$flagged" -le 2

# --- what came, went and was renamed ---

sed 's/"r7"/"r7b"/; s,"work/r7","work/r7b",' a.json >renamed.json
run 0 "a new name" diff a.json renamed.json -o out.csv -o out
is "one came, one went" "$(awk -F, '$3 == "time" && $4 ~ /new|gone/ { print $2, $4 }' out.csv | sort | tr '\n' ' ')" \
	'work/r7 gone work/r7b new '
has out '1 region is new, 1 is gone' "which is said"
run 0 "the same by --map" diff --map r7=r7b a.json renamed.json -o out
has out 'nothing differs by more than noise' "nothing did"
! grep -q 'new\|gone' out
result $? "nor came, nor went"

# --- what `pmu run` puts around ---

ended='{"status": 0, "signal": null, "start_unix_ns": 1, "elapsed_ns": 9, "user_ns": 0, "system_ns": 5, "max_rss_bytes": 7}'
# around NAME FILE: of a series that `pmu run` has made, with that region around all others
around() {
	sed '/^{"name": "work"/ {
		h
		s/work/'"$1"'/g
		p
		g
		s/"parent": null/"parent": "'"$1"'"/
	}
	s,"path": "work,"path": "'"$1"'/work,; s,"parent": "work","parent": "'"$1"'/work",; s/"end": null/"end": '"$ended"'/' "$2"
}
around main slow.json >under.json
run 0 "one side by itself, the other under pmu run" diff a.json under.json -o out.csv -o out
is "regions are compared below what that puts around them" "$(differing)" 'main/work/r17 time'
! grep -q 'new\|gone' out
result $? "none came or went"
has out 'only B was made by pmu run, which puts "main" around regions' "which is said"
run 0 "the other way" diff under.json a.json -o out.csv -o out
is "as well" "$(differing)" 'work/r17 time'
has out 'only A was made by pmu run' "which is said"
run 0 "with a new name" diff --map r7=r7b under.json renamed.json -o out
! grep -q 'new\|gone' out
result $? "that is found as well"
around main a.json >both.json
run 0 "both under it" diff both.json under.json -o out -o out.csv
is "are compared as they are" "$(differing)" 'main/work/r17 time'
lacks out 'around regions' "there is nothing to say"
around other a.json | sed "s/\"end\": {[^}]*}/\"end\": null/" >other.json
run 0 "a region of the program's own around them, on one side" diff a.json other.json -o out
has out 'new' "is a change"
sed 's/other/main/g' other.json >own.json
run 0 "which is called main" diff a.json own.json -o out
has out 'new' "is one as well"
lacks out 'around regions' "and nothing that pmu run has put there"

# --- sides ---

mkdir old new
for seed in 1 2 3 4 5 6; do
	series "old/$seed.json" 1 "$seed"
	series "new/$seed.json" 1 "2$seed" 3 50
done
for how in 'old new' 'old/*.json new/*.json' 'old/1.json old/2.json old/[3-6].json -- new'; do
	# shellcheck disable=SC2086 # words, and patterns as they are
	(set -f && "$pmu" diff $how -o out.csv -o out 2>err)
	is "$how: status" $? 0
	ok "$how: six runs each" grep -q '^  B  6 runs of' out
done
is "what got half as slow again" "$(differing)" ''
has out '6 and 6 runs are too few' "takes more runs among so many values"
series new/7.json 9 77 3 50
series old/7.json 9 78
run 0 "more, of several at once" diff old new -o out.csv -o out
has out '  A  15 runs of' "are added"
is "and it is named" "$(differing)" 'work/r3 time'

sed 's/"source": "perf"/"source": "valgrind"/' a.json >simulated.json
run 0 "another source" diff a.json simulated.json
has out 'source differs: A perf, B valgrind' "is said first"
has out 'only calls are compared' "and what follows"
long='::error::longer-than-is-left-of-the-line-when-the-others-are-there-and-longer-still'
sed "s/\"source\": \"perf\"/\"source\": \"$long\"/" a.json >long.json
run 0 "a source that is a command to a runner" diff a.json long.json
has out "B $long" "is not where a line begins"

# of r5's instructions, now a cache's misses: 1000 and 1001, and 1000 and 1200
for extra in 1 200; do
	series layout.json 4 4 -1 0 5 $extra
	series base.json 4 5
	for file in layout base; do
		sed -i 's/"source": "perf"/"source": "valgrind"/; s/"name": "instructions"/"name": "cache-misses"/' $file.json
	done
	run 0 "misses that are simulated, $extra more" diff base.json layout.json -o out.csv
	[ $extra = 1 ] && want='' || want='work/r5 cache-misses'
	is "$([ $extra = 1 ] && echo 'may be of where things lie' || echo 'are more')" "$(differing)" "$want"
done

# --- what makes no sense ---

run 2 "one name" diff a.json
run 2 "three names" diff a.json b.json c.json
run 2 "a name for no other" diff --map r7 a.json same.json
run 1 "a file that is not there" diff a.json nowhere.json
has err 'nowhere.json: there is no such report' "it says which"
head -c 3000 a.json >broken.json
run 1 "a broken file" diff a.json broken.json
has err 'cannot read broken.json: not JSON' "a sentence"
finish
