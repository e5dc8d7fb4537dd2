#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu-bench: its options, its results, and that counts by simulation are those of the models.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
suite=$build/pmu-bench
pmu=$suite
valgrind=${TEST_VALGRIND:-valgrind}
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_ENABLE VALGRIND_OPTS

case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all 'no kernels for this processor' ;;
esac

# rows FILE: kernel, size, verified, counted and expected instructions, counted and expected branches
rows() {
	awk -F '[:,]' '
		function value(text) { gsub(/[ "]/, "", text); return text }
		/"kernel":/ { kernel = value($2) }
		/"size_bytes":/ { size = value($2) }
		/"verified":/ { verified = value($2) }
		/"counted_per_iteration":/ { of = "counted" }
		/"model_per_iteration":/ { of = "model" }
		/"instructions":/ { instructions[of] = value($2) }
		/"branches":/ {
			branches[of] = value($2)
			if (of == "model")
				print kernel, size, verified, instructions["counted"], instructions["model"],
					branches["counted"], branches["model"]
		}' "$1"
}

# --- what there is ---

run 0 'the kernels' --list
sed 's/ .*//' out >kernels
[ "$(wc -l <kernels)" -ge 20 ]
result $? "there are $(wc -l <kernels)"
run 0 'help' --help
grep -oE '^  (-h, )?--[a-z]*' out | sed 's/.*--/--/' | sort -u >options
sed -n 's/^\.It Fl -\([a-z]*\).*/--\1/p' "$source/bench/suite/pmu-bench.1" | sort -u >described
diff options described >err
result $? 'pmu-bench.1 has the same options'
run 0 'version' --version

# --- what is wrong ---

run 2 'no such kernel' triads
has err 'there is no kernel triads; there are copy, scale' 'it names those that there are'
for size in x 0 -1 16X 16K..x 1M..2M.. 99999999999G; do
	run 2 "no size: $size" --size "$size"
	has err "--size $size: a size is a number" '  it says what one is'
done
run 2 'a range downwards' --size 2M..1M
has err 'the second size is smaller' '  it says so'
run 2 'half a thread' --threads 1.5
run 2 'no number of threads' --threads 0
run 2 'nor that many' --threads 99999
run 2 'no time' --time soon
run 2 'no calls' --calls 0
run 2 'no option' --frobnicate
if [ -c /dev/full ]; then
	"$suite" --calls 1 --size 4K copy >/dev/full 2>err
	[ $? = 1 ] && grep -q 'cannot write' err
	result $? 'a full disk'
fi
ASAN_OPTIONS=allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1
export ASAN_OPTIONS TSAN_OPTIONS
run 1 'more memory than there is' --size 16777216G --threads 1 --calls 1 copy
has out 'there is no memory for it' 'it says so'

# --- results ---

run 0 'every kernel, once' --calls 1 --size 20000 --threads 2 --json
rows out >rows.text
awk '{ print $1 }' rows.text >seen
diff kernels seen >err
result $? 'each is there'
! grep -v ' 20000 true ' rows.text >err
result $? 'and verified'
run 0 'sizes, doubled' --calls 2 --size 4K..16K --threads 1 copy triad
awk '$1 == "copy" || $1 == "triad" { printf "%s %s ", $1, $2 }' out >seen
[ "$(cat seen)" = 'copy 4K copy 8K copy 16K triad 4K triad 8K triad 16K ' ]
result $? 'a row each'
run 0 'beside the bare loop' --bare --time 0.01 --size 16K copy
grep -qE '^copy +16K +[0-9.]+ [kMG]?B/s +[0-9.]+ +[0-9.]+$' out
result $? 'a rate, a time and a ratio'
PMU_ENABLE=0 "$suite" --calls 1 --size 4K copy >out 2>err
result $? 'switched off'
run 0 'more threads than processors' --threads 500 --calls 1 --size 4K divide
has out 'they take turns' 'it says so'
if env --default-signal=INT true 2>err; then # a shell's background job ignores it
	env --default-signal=INT "$suite" --time 2 --size 4K --threads 1 --json copy scale >out 2>err &
	for i in $(seq 1200); do # a minute, on a busy machine
		grep -qE '^SigCgt:.*[2367abef]$' "/proc/$!/status" && break
		kill -0 $! 2>/dev/null || break
		sleep 0.05
	done
	kill -INT $!
	wait $!
	[ $? = 130 ] && grep -q '"rows"' out && ! grep -q '"scale"' out && [ "$(tail -n 1 out)" = '}' ] &&
		grep -q 'interrupted' err
	result $? 'Ctrl-C leaves what was measured'
fi
PMU_OUTPUT=run.csv "$suite" --calls 3 --size 8K --threads 2 dot >out 2>err
grep -qE '^[^,]*,dot 8K,dot 8K,[^,]*,all,6,' run.csv
result $? 'a report of its regions'
PMU_OUTPUT=least.csv "$suite" --calls 3 --size 100 --threads 2 --json copy >out 2>err
least=$(sed -n 's/.*"size_bytes": \([0-9]*\),.*/\1/p' out)
[ "$least" -gt 100 ] && grep -q "^[^,]*,copy $least," least.csv
result $? "too small a size: what is used instead is shown, $least"
PMU_EVENTS=no-such-event "$suite" --calls 1 copy >out 2>err
[ $? = 1 ] && grep -q 'no-such-event' err
result $? 'settings that are wrong'

# --- by simulation ---

if [ -n "${TEST_SANITIZERS:-}" ] || ! command -v "$valgrind" >/dev/null; then
	skip 'counts by simulation' 'no valgrind, or built with a sanitizer'
elif ! "$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null true 2>err; then
	skip 'counts by simulation' "$(head -n 1 err)"
else
	"$suite" --emulate --size 128K --json >out 2>err
	result $? 'by simulation'
	rows out >rows.text
	awk '{ print $1 }' rows.text >seen
	diff kernels seen >err
	result $? 'each is there'
	awk 'function off(got, want) { return got == "null" || want == "null" || got - want > want / 100 || want - got > want / 100 }
		off($4, $5) || off($6, $7) { print; wrong = 1 } END { exit wrong || NR < 20 }' rows.text >err
	result $? 'instructions and branches are those of the model, to one in a hundred'
	"$suite" --emulate --size 16M copy >out 2>err
	grep -qE '^copy +16M .* 0\.25[0-9]* +0\.2500$' out
	result $? 'what does not fit in the cache is missed'
	"$suite" --emulate --cache 1M --size 4M copy >out 2>err
	grep -qE '^copy +4M .* 0\.25[0-9]* +0\.2500$' out
	result $? 'in a cache of another size, too'
	run 1 'a cache that is not simulated' --emulate --cache 3M copy
	has err '1K, 2K, 4K' 'it says which are'
fi
finish
