#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --emulate=fast`: what our own tool of valgrind's counts for a region is what callgrind counts, to the instruction.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
subcommand=run
valgrind=${TEST_VALGRIND:-valgrind}
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset VALGRIND_OPTS PMU_OUTPUT

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
command -v "$valgrind" >/dev/null || skip_all 'no valgrind here'
"$pmu" run --emulate=fast true >/dev/null 2>log
grep -q 'built without' log && skip_all "$(sed 's/^pmu: //' log)"
"$valgrind" -q --tool=none true 2>log || skip_all "valgrind cannot run a program: $(head -n 1 log)"

# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
compile net "$source/tests/exact/net.c"
compile work "$source/tests/valgrind/work.c"
compile kernels "$source/tests/valgrind/kernels.c"
compile leave "$source/tests/valgrind/leave.c"

# --- known counts ------------------------------------------------------------------------------------------

run 0 'regions in every way that they can be used' --emulate=fast --auto none -e instructions -o net.csv ./net 1 7
list net.csv >wants
ok 'each did what the program says, to the instruction, and is in the report' as_listed net.csv wants
run 0 'the same once more' --emulate=fast --auto none -e instructions -o again.csv ./net 1 7
counts net.csv >net.counts
counts again.csv >again.counts
ok 'all counts are the same in two runs' diff net.counts again.counts
run 0 'on four threads' --emulate=fast --auto none -e instructions -o threads.csv ./net 4 3
export PMU_TRACE=net.trace PMU_TRACE_SIZE=1MiB
run 0 'and traced' --emulate=fast --auto none -e instructions -o traced.csv ./net 1 7
unset PMU_TRACE PMU_TRACE_SIZE
ok 'keeping each call is in no count' as_listed traced.csv wants
run 0 'within main, which is a region of what is preloaded' --emulate=fast -e instructions -o main.csv ./net 1 7
# a thread that it begins is in main, too
sed "s, ,&main/,; s,main/opener's,main/thread/opener's," wants >main.wants
ok 'to the instruction, too' as_listed main.csv main.wants

# --- the same as callgrind ---------------------------------------------------------------------------------

# per_call FILE: instructions of each region that has any, for a call; what a timer says is how often signals' are called
per_call() {
	report "$1" | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["thread"] == "all" {
			n = $at["net:instructions"]
			print $at["path"], n == "" ? "none" : n / $at["calls"]
		}' | sort
}

run 0 'work on threads, under signals, in a child' --emulate=fast --auto none -e instructions -o 'fast-%p.csv' ./work
run 0 'the same by callgrind' --emulate --auto none -e instructions -o 'full-%p.csv' ./work
for tool in fast full; do
	for file in "$tool"-*.csv; do per_call "$file"; done | sort >$tool.counts
done
[ "$(grep -c . fast.counts)" -ge 14 ] && grep -q '^child [0-9]' fast.counts
result $? 'both have all regions, the child its own'
ok 'each has the same instructions a call' diff fast.counts full.counts
[ "$(grep -c 'handler none' fast.counts)" = 2 ]
result $? 'and in signal handlers none'

# agrees KERNEL: three calls, each of them an instruction
agrees() {
	PMU_ENABLE=0 "$valgrind" --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$1" ./kernels 3 2>log || return
	want=$(($(sed -n 's/^==[0-9]*== Collected : //p' log) + 3))
	got=$(value kernels.csv "$1" all net:instructions)
	echo "$got, callgrind says $want"
	# clang puts an argument where it is wanted in one more or less
	case ${TEST_CC:-cc} in *clang*) [ $((got - want)) -ge -3 ] && [ $((got - want)) -le 3 ] ;; *) [ "$got" = "$want" ] ;; esac
}
run 0 'functions that are regions' --emulate=fast --auto none -e instructions -o kernels.csv ./kernels 3
for kernel in sort spread sum all; do
	ok "callgrind says the same of kernel_$kernel" agrees "kernel_$kernel"
done

# --- signal handlers ---------------------------------------------------------------------------------------

# same_work FILE: all regions have the instructions of the first one
same_work() {
	for region in before left 'left another stack' after; do
		value "$1" "$region" all net:instructions
	done | tee work.counts
	[ "$(grep -c . work.counts)" = 4 ] && [ "$(sort -u work.counts | grep -c .)" = 1 ] && [ "$(head -n 1 work.counts)" -ge 10000 ]
}
run 0 'handlers that are left by siglongjmp' --emulate=fast --auto none -e instructions -o leave.csv ./leave
ok 'regions after them have all that they did' same_work leave.csv

# --- the report --------------------------------------------------------------------------------------------

run 0 'the default group' --emulate=fast -o core.json -o core.txt ./kernels
has core.txt "valgrind: instructions counted by pmu's tool" 'the head says what counted'
has core.txt "under valgrind, which is not the program's time" 'and how long that took'
grep -q 'region  *calls  *instructions  *% instr\.  *per call  *self$' core.txt
result $? 'instructions stand in the place of time'
has core.json 'missing: --emulate=fast counts instructions alone; --emulate counts caches' 'and what there is not, and where it is'
has core.json '"cycles": null' 'that is missing in JSON'
grep -q '"instructions": [1-9]' core.json
result $? 'instructions are there'
grep -q '"name": "kernels' core.json && ! grep -q '"name": "pmu-' core.json
result $? 'its thread has the name of the program'
run 0 'what valgrind never counts' --emulate=fast -e page-faults,instructions:k,instructions -o none.txt ./kernels
has none.txt 'page-faults, instructions:k missing: --emulate=fast counts instructions at user level' 'is missing, and named'
run 125 'nothing of it can be counted' --emulate=fast --require -e cache-misses touch ran
has err '--emulate=fast counts instructions alone' 'is told before the start'
[ ! -e ran ]
result $? 'and nothing was run'
run 0 'runs that are one report' --emulate=fast --auto none -e instructions --repeat 3 -o repeat.txt ./kernels
[ "$(grep -c 'kernel_.* =  *0.0%' repeat.txt)" = 4 ]
result $? 'all counts are the same in each'
[ "$(grep -cE '[0-9] (s|ms|us|ns)\b' repeat.txt)" = "$(grep -c '^  took' repeat.txt)" ]
result $? 'and no time is there but how long valgrind took'
run 0 'a folded stack' --emulate=fast --auto none -e instructions -o k.folded -o k.csv ./kernels
is 'is of instructions' "$(sed -n 's/^kernel_sort //p' k.folded)" "$(value k.csv kernel_sort all net:instructions)"
run 0 'runs until they are precise' --emulate=fast --auto none -e instructions --repeat auto -o auto.txt ./kernels
has auto.txt 'pmu: kernels, 6 runs' 'which is of instructions, not of how long valgrind took'
run 0 'two reports' --emulate=fast -e instructions --repeat 2 -o two.json ./kernels
"$pmu" diff two.json two.json >diff.txt
has diff.txt "times are of valgrind's simulation: they are not compared" 'times are not compared'
run 0 'one of a processor' -e instructions --repeat 2 -o real.json ./kernels
"$pmu" diff real.json two.json >diff.txt
has diff.txt 'one side was simulated by valgrind and the other was not' 'which is told where it is the other side'
run 0 'the longest come first, of many' --emulate=fast --auto none -e instructions -o top.txt --top 2 --sort time ./kernels
has top.txt "sorted by instructions: there is no 'time' here" 'times cannot be sorted by'
run 4 'a script' --emulate=fast -o script.txt sh -c 'echo hello; ./kernels; exit 4'
has script.txt 'kernel_sum' 'what it starts is measured'
PMU_BACKEND=valgrind VALGRIND_LIB="$build/bindings/valgrind/lib" "$valgrind" -q --tool=pmu ./kernels >out 2>err
has err "counted by pmu's tool" 'by hand'

# --- what is not there -------------------------------------------------------------------------------------

run 2 'another way' --emulate=slow true
has err '--emulate=slow: how?' 'is none'
run 2 'no way' --emulate= true
run 2 'another source' --emulate=fast --source perf true
mkdir -p away/bindings/valgrind/lib
cp "$pmu" away/pmu
pmu=$tmp/away/pmu
if "$pmu" run --emulate=fast true 2>err; then
	skip 'without the tool' 'it is installed'
else
	run 125 'without the tool' --emulate=fast true
	has err 'a tool of valgrind' 'it says what is missing'
fi
cp "$build"/bindings/valgrind/lib/pmu-*64-linux away/bindings/valgrind/lib
run 125 'without what valgrind preloads' --emulate=fast true
has err 'valgrind has moved since' 'it says why'
ls place/pmu/run-* >out 2>&1
[ -s out ] && grep -q 'No such file' out
result $? 'no run left a folder behind'

finish
