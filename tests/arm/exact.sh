#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The perf source on a machine with exact counters: an emulated arm64 one, with a cross-built
# library.  TEST_ARM=skip leaves it out; TEST_ARM_DIR is where the machine is kept, AARCH64_CC the compiler.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
out=${TEST_BUILDDIR:-.}/tests/arm/out
vm=${TEST_ARM_DIR:-${TEST_BUILDDIR:-.}/tests/arm/vm}
here=$top/tests/arm
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"

bail_out() {
	sed 's/^/# /' "$out/log"
	echo "Bail out! $*"
	exit 1
}

[ "${TEST_ARM:-}" != skip ] || skip_all "TEST_ARM=skip"
for tool in qemu-system-aarch64 "${AARCH64_CC:-aarch64-linux-gnu-gcc}"; do
	command -v "${tool%% *}" >/dev/null || skip_all "no ${tool%% *}"
done
mkdir -p "$out" || exit 1
rm -rf "$out/guest"
sh "$here/setup.sh" "$vm" >"$out/log" 2>&1
rc=$?
[ $rc -ne 77 ] || skip_all "$(tail -n 1 "$out/log")"
[ $rc -eq 0 ] || bail_out "the machine cannot be set up"
sh "$here/build.sh" "$top" "$vm/sysroot" "$out" >"$out/log" 2>&1 || bail_out "the library cannot be cross-built"

# --- in the guest ----------------------------------------------------------------------------------------

cat >"$out/job/job.sh" <<'JOB'
export PMU_BACKEND=perf PMU_EVENTS=instructions,cycles
access=/proc/sys/kernel/perf_user_access
rc=0
# What a switch in the middle of a read takes is measured, and measured wrong now and then: what is wrong twice is wrong.
twice() {
	"$@" >/tmp/once 2>&1 && {
		cat /tmp/once
		return
	}
	sed s/^/#first:/ /tmp/once
	"$@"
}
teams() {
	for threads in 1 2 4; do
		twice env PMU_OUTPUT=none ./team pool $threads || rc=1
		twice env PMU_OUTPUT=none ./team threads $threads || rc=1
		for way in threads openmp nested; do
			twice env LD_PRELOAD=/job/libpmu-preload.so PMU_OUTPUT=none ./team $way $threads || rc=1
		done
	done
}
echo 1 >$access
PMU_OUTPUT=/out/user.json ./exact user /out/user.sums || rc=1
twice env PMU_OUTPUT=none ./net 1 || rc=1
twice env PMU_OUTPUT=none ./net 3 || rc=1
PMU_OUTPUT=/out/net-asked.json PMU_USER_READ=0 ./net 1 || rc=1
twice env PMU_OUTPUT=none PMU_HISTOGRAM=1 ./net 1 || rc=1
twice env PMU_OUTPUT=none PMU_TRACE=/tmp/net.trace PMU_TRACE_SIZE=1MiB ./net 3 || rc=1
TEST_KNOWN=exact ./known || rc=1
PMU_OUTPUT=none ./reads || rc=1
teams
PMU_EVENTS= ./kernels || rc=1
# groups in turns, of what this machine counts
turns() {
	. ./rotate.sh
	rotate_groups "/out/turns-$1" cycles r08 cycles:u r11
	(cd "/out/turns-$1" && unset PMU_EVENTS && rotate_run /job/rotate "$2") || rc=1
}
turns user 1
turns threads 3
echo 0 >$access
turns read 1
PMU_OUTPUT=/out/read.json ./exact read /out/read.sums || rc=1
twice env PMU_OUTPUT=none ./net 1 || rc=1
TEST_KNOWN=exact ./known || rc=1
PMU_OUTPUT=/out/cpu.json PMU_COUNT=cpu ./exact cpu /out/cpu.sums || rc=1
PMU_OUTPUT=none PMU_COUNT=process ./process || rc=1
PMU_OUTPUT=/out/core.json PMU_EVENTS= PMU_GROUP=CORE ./exact read /out/core.sums || rc=1
teams
sh wrap.sh || rc=1
echo 1 >$access
PMU_EVENTS= PMU_GROUP=CORE ./pmu-bench --verify --size 16K --calls 3 --processes 2 >/out/verify || rc=1
exit $rc
JOB
programs=46
sh "$here/run.sh" "$vm" "$out/job" "$out/guest" "sh job.sh" >"$out/console" 2>&1
rc=$?

# One numbering for all programs; their plans become a check.
tr -d '\r' <"$out/console" | awk -v programs=$programs -v rc=$rc '
	/^1\.\.[0-9]+$/ { plans++; planned += substr($0, 4); next }
	/^ok [0-9]+/ { sub(/^ok [0-9]+/, "ok " ++n) }
	/^not ok [0-9]+/ { sub(/^not ok [0-9]+/, "not ok " ++n); failed++ }
	/^(not )?ok |^#/ { print; next }
	{ print "# " $0 }
	END {
		ended = plans == programs && planned == n && (rc == 0 || failed)
		printf "%sok %d - %d programs in the guest ran to their end\n", ended ? "" : "not ", n + 1, programs
		if (!ended)
			printf "# %d plans, %d checks planned, %d made, status %d\n", plans, planned, n, rc
	}' >"$out/tap"
cat "$out/tap"
n=$(grep -cE '^(not )?ok ' "$out/tap")
[ $rc -eq 0 ] && ! grep -q '^not ok ' "$out/tap" || failed=1
[ $rc -ne 125 ] || finish

# --- what they left --------------------------------------------------------------------------------------

# regions MODE: has its report the sums of every region that the program read itself?
regions() {
	tr '\n' ' ' <"$out/guest/$1.json" | sed 's/{"name": /\n&/g' >"$out/$1.regions"
	[ "$(wc -l <"$out/guest/$1.sums")" -eq 8 ] || return
	while read -r calls instructions cycles name; do
		grep -F "{\"name\": \"$name\", \"path\": \"$name\", " "$out/$1.regions" |
			grep -qE "\"calls\": $calls, [^{]*\"raw\": \{\"instructions\": $instructions, \"cycles\": $cycles\}" &&
			continue
		echo "# not in $1.json: $calls calls of $name with $instructions instructions, $cycles cycles"
		return 1
	done <"$out/guest/$1.sums"
}

# metrics FILE: is the IPC of every row that has one its instructions by its cycles?
metrics() {
	tr '\n' ' ' <"$1" | sed 's/"raw": /\n&/g' | awk '
		!/^"raw": {"instructions": [0-9]+, "cycles": [0-9]+}/ || !/"IPC": [0-9]/ { next }
		{
			split($0, count, /[^0-9]+/)
			match($0, /"IPC": [0-9.e+-]+/)
			ipc = substr($0, RSTART + 7, RLENGTH - 7)
			want = count[2] / count[3]
			rows++
			if (ipc - want > 1e-9 * want || want - ipc > 1e-9 * want) {
				printf "# IPC %s of %s instructions in %s cycles\n", ipc, count[2], count[3]
				wrong++
			}
		}
		END { exit wrong || rows < 8 }'
}

for mode in user read cpu core; do
	regions $mode
	result $? "$mode: the report written at exit has the same sums"
done
grep -q '"detail": "[^"]*user level, read in user space' "$out/guest/user.json"
result $? "user: it says that counts were read in user space"
grep -q '"detail": "[^"]*read(2)[^"]*perf_user_access is 0' "$out/guest/read.json"
result $? "read: it says that they were read by the kernel, and why"
grep -q '"detail": "[^"]*read(2)[^"]*PMU_USER_READ=0' "$out/guest/net-asked.json"
result $? "asked: read by the kernel where it was asked for, and it says so"
grep -q '"detail": "whatever runs on' "$out/guest/cpu.json"
result $? "cpu: it says whose work was counted"
# shellcheck source=tests/exact/rotate.sh
. "$top/tests/exact/rotate.sh"
for mode in user:500 threads:1500 read:500; do
	rotate_compare "$out/guest/turns-${mode%:*}" "${mode#*:}"
	result $? "turns, ${mode%:*}: 12 groups in one run count what they do in one each, to the instruction"
done
metrics "$out/guest/core.json"
result $? "core: the IPC of every region is its instructions by its cycles"
grep -q '"perf cannot count branches, branch-misses, cache-misses, cache-references, ref-cycles here' \
	"$out/guest/core.json" && ! grep -q '"branches": [0-9]' "$out/guest/core.json"
result $? "core: what this machine does not count is named, and no count"
grep -q '^Right: all 360 counts' "$out/guest/verify"
result $? "verify: every call of every kernel, by each way of reading, is exact to the instruction"
for words in 'read in user space' 'read by read(2)' 'whatever runs on the processor'; do
	grep -A40 "^CORE: perf, $words\$" "$out/guest/verify" | grep -m1 '^  instructions: ' | grep -q ': 120 of 120 calls exact; the same in all calls'
	result $? "verify: $words"
done
finish
