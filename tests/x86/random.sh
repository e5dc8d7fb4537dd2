#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random programs on machines with exact counters: what their regions count, by each source, is what an oracle says that
# has executed them here, one instruction after the other.
#
#   random.sh [FROM-TO]    which ones; else twenty
. "$(dirname "$0")/guest.sh"

prepare
python=${TEST_PYTHON:-python3}
oracle=$(cd "$build" && pwd)/tests/exact/oracle
"$oracle" true >/dev/null 2>"$out/log"
[ $? -ne 77 ] || skip_all "$(head -n 1 "$out/log")"
random() {
	TEST_SRCDIR=$top TEST_BUILDDIR=$build PYTHONDONTWRITEBYTECODE=1 "$python" "$top/tests/exact/random/run.py" --seeds "$seeds" \
		--oracle "$oracle" --cases "$top/tests/exact/cases" "$@"
}
seeds=${1:-0-19}
mkdir "$out/job/cases"
random --make "$out/job" >"$out/log" 2>&1 || bail_out "the programs cannot be made"
cp "$here/job_random.sh" "$out/job/"
cat >"$out/machines" <<'MACHINES'
Haswell --cpu Haswell --smp 2
Genoa --cpu Genoa --smp 2
MACHINES
boots "sh job_random.sh" <"$out/machines"

while read -r name options; do
	[ "$(cat "$out/$name.rc")" -eq 0 ]
	result $? "$name ($options): it ran to its end"
	grep ': status' "$out/$name.log" | head -n 5 | sed 's/^/# /'
	for source in rdpmc read msr; do
		random --judge "$out/$name" --source "$source" --made "$out/job" >"$out/$name.$source" 2>&1
		result $? "$name, $source: $(sed -n 's/^# sum: //p' "$out/$name.$source")"
		grep -v '^# sum' "$out/$name.$source" | head -n 20
	done
done <"$out/machines"
finish
