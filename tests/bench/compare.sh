#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/compare: which programs it measures, and what it says of those that it cannot.  How long anything takes is
# no matter here.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=tests/bench/bench.sh
program=compare
. "$(dirname "$0")/bench.sh"
compare=$pmu
mkdir -m 700 run empty alone
export XDG_RUNTIME_DIR="$tmp/run"

# field NAME: of the rows on standard input, one a line; null where it has no value
field() {
	sed -n 's/.*"'"$1"'": "\{0,1\}\([^",}]*\).*/\1/p'
}

# rows PART SUBJECT: those with a part and a subject that begin so
rows() {
	grep "^  {\"part\": \"$1[^\"]*\", \"subject\": \"$2" all.json
}

# has PART SUBJECT...: a row for each
has() {
	part=$1
	shift
	for subject; do
		rows "$part" "$subject" >/dev/null && continue
		echo "no row of $subject in $part"
		return 1
	done
}

# measured ROWS...: all have a value, of at least 0.1 ns
measured() {
	[ -s "$1" ] || return
	awk -v values="$(field value <"$1" | tr '\n' ' ')" \
		'BEGIN { n = split(values, v, " "); for (i = 1; i <= n; i++) if (!(v[i] + 0 >= 0.1)) exit 1; exit n == 0 }' ||
		{ cat "$1"; return 1; }
}

times_taken() {
	rows Time 'two time stamps: one' >some && measured some || return
	[ "$(field ratio_bare <some)" = 1 ] || { cat some; return 1; }
	rows Time 'libpmu: one' >some && measured some || return
	[ "$(field ratio_libpmu <some) $(field target <some)" = "1 1.1" ] || { cat some; return 1; }
	rows Time 'libpmu: 100 names' >some && measured some && [ "$(field ratio_bare <some)" != null ]
}

# What the kernel allows the bare reads, it allows libpmu.
faults_counted() {
	if rows Page 'two read(2) of perf: one' >some; then
		measured some && rows Page 'libpmu: one' >some && measured some
	else
		rows Page 'two read(2) of perf"' | grep 'perf_event_open' >&2
	fi
}

reasons_given() {
	grep '"value": null' all.json | grep '"note": ""'
	[ $? = 1 ]
}

# built PROGRAM WORDS: it says that something is not built where that is so, and only there
built() {
	if [ -x "$bench/$1" ]; then
		! grep "\"note\": \"not built: $2" all.json
	else
		grep -q "\"note\": \"not built: $2" all.json
	fi
}

well_formed() {
	"${TEST_PYTHON:-python3}" -c 'import json, sys
document = json.load(open("all.json"))
assert document["version"] == 1
assert all(row["subject"] and row["unit"] == "ns" for row in document["rows"])'
}

only_papi() {
	status 0 --rounds 1 --only papi || return
	grep -q '^PAPI' out && grep -q '^libpmu: one' out && grep -q '^two time stamps: one' out &&
		! grep -E '^(LIKWID|Caliper|two rdpmc)' out
}

settings_of_users() {
	PMU_ENABLE=0 PMU_EVENTS=nonsense PAPI_EVENTS=nonsense CALI_CONFIG=nonsense "$compare" --rounds 1 --json >all.json
}

# worker WHAT QUESTION...: what with_libpmu answers
worker() {
	what=$1
	shift
	printf '%s\n' "$@" | "$bench/with_libpmu" "$what" 2>err
}

answers() {
	worker time 'size one' 'one 50' 'named 100' check nonsense 'one 0' >out
	cat out err
	sed -E '1s/^ready libpmu [0-9.]+$/ready/; 2s/^[1-9][0-9]*$/size/; 3,4s/^[0-9]+\.[0-9]+$/ns/' out >seen
	printf '%s\n' ready size ns ns good 'cannot understand this' 'cannot count so many pairs' | cmp - seen
}

switched_off() {
	PMU_ENABLE=0 worker time 'one 50' check >out
	cat out err
	grep -q '^cannot ' out
}

not_for_people() {
	"$bench/with_libpmu" </dev/null >out 2>err
	[ $? = 2 ] && [ -s err ]
}

# Alone in its folder, it has no program to measure.
alone() {
	cp "$compare" alone/ || return
	alone/compare --rounds 1 >out 2>err
	got=$?
	cat out err
	[ "$got" = 1 ] && grep -q '^libpmu .*not measured: .*cannot run .*alone/with_libpmu: No such file' out
}

ok "--help" helps
for arguments in --nonsense nonsense --rounds "--rounds 0" "--rounds 1002" "--rounds 3x" --only "--only nobody"; do
	# shellcheck disable=SC2086 # an option and its argument
	ok "refused: $arguments" refused $arguments
done

cd empty || exit 1
"$compare" --rounds 3 --json >../all.json 2>../err
got=$?
cd .. || exit 1
ok "a run of three rounds" test "$got" = 0
ok "it says nothing beside its table" test ! -s err
ok "it leaves no files" test -z "$(ls empty)"
ok "nor stores" test -z "$(find run -name '*.pmu')"
if "${TEST_PYTHON:-python3}" -c 'import json' 2>/dev/null; then
	ok "its JSON is well formed" well_formed
else
	skip "its JSON is well formed" "no Python to read it"
fi
ok "whose time is taken" has Time 'two time stamps' libpmu Caliper
ok "who has page faults counted" has Page 'two read(2) of perf' libpmu 'PAPI high level' 'two PAPI_read'
ok "who has instructions counted" has Instructions 'two read(2) of perf' 'two rdpmc' libpmu 'PAPI high level' \
	'two PAPI_read' 'LIKWID markers'
ok "libpmu and the bare time stamps have times, ratios and target" times_taken
ok "libpmu counts page faults where perf does" faults_counted
ok "what has no value has a reason" reasons_given
ok "what is not built: PAPI" built with_papi_hl libpapi-dev
ok "what is not built: LIKWID" built with_likwid likwid
ok "what is not built: Caliper" built with_caliper Caliper
ok "--only" only_papi
ok "settings of the user's are not measured" settings_of_users
ok "and libpmu's times are there" times_taken
ok "a worker's answers" answers
ok "a library that records nothing is not measured" switched_off
ok "a worker is not for people" not_for_people
ok "workers that are not there" alone
finish
