#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --emulate`: what callgrind counts for a region is what the region did, and nothing of the library's.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
subcommand=run
valgrind=${TEST_VALGRIND:-valgrind}
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset VALGRIND_OPTS PMU_OUTPUT

[ "${TEST_SLOW:-}" != skip ] || skip_all TEST_SLOW=skip
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
command -v "$valgrind" >/dev/null || skip_all 'no valgrind here'
"$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null true 2>log ||
	skip_all "callgrind cannot run a program: $(head -n 1 log)"
"$pmu" run --emulate true >/dev/null 2>log
grep -q 'without valgrind.s headers' log && skip_all 'built without valgrind headers'

# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
compile net "$source/tests/exact/net.c"
compile work "$source/tests/valgrind/work.c"
compile kernels "$source/tests/valgrind/kernels.c"

# --- known counts ------------------------------------------------------------------------------------------

run 0 'regions in every way that they can be used' --emulate --auto none -e instructions,branches -o net.csv ./net 1 7
list net.csv >wants
ok 'each did what the program says, to the instruction, and is in the report' as_listed net.csv wants
run 0 'the same once more' --emulate --auto none -e instructions,branches -o again.csv ./net 1 7
counts net.csv >net.counts
counts again.csv >again.counts
ok 'all counts but misses are the same in two runs' diff net.counts again.counts
export PMU_TRACE=net.trace PMU_TRACE_SIZE=1MiB
run 0 'and traced' --emulate --auto none -e instructions,branches -o traced.csv ./net 1 7
unset PMU_TRACE PMU_TRACE_SIZE
ok 'keeping each call is in no count' as_listed traced.csv wants
run 0 'within main, which is a region of what is preloaded' --emulate -e instructions,branches -o main.csv ./net 1 7
# a thread that it begins is in main, too
sed "s, ,&main/,; s,main/opener's,main/thread/opener's," wants >main.wants
ok 'to the instruction, too' as_listed main.csv main.wants

# same_calls FILE: of nearly all regions each call does the same: the least is the mean
same_calls() {
	report "$1" | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["thread"] == "all" && $column["least:instructions"] != "" {
			same += $column["least:instructions"] * $column["calls"] == $column["net:instructions"]
			n++
		}
		END { printf "%d of %d\n", same, n; exit same < 500 }'
}
run 0 'with the least that calls counted' --exact --emulate --auto none -e instructions -o exact.csv ./net 1 7
ok 'keeping that is in no count' as_listed exact.csv wants
ok 'and where all calls do the same, the least is the mean' same_calls exact.csv

events=instructions,branches,L1-dcache-loads,L1-dcache-stores
branches='conditional and indirect branches'

# turns FILE PATH THREAD TURNS: beyond what is around no turn at all, each call has so many: 4 instructions, a branch, a load
# and a store a turn
turns() {
	calls=$(value "$1" "$2" "$3" calls)
	for count in '4 instructions' "1 $branches" '1 L1-dcache-loads' '1 L1-dcache-stores'; do
		column=${count#* }
		base=$(value "$work" 'alone 0' all "net:$column")
		got=$(value "$1" "$2" "$3" "net:$column")
		want=$((calls * (${base:-0} / 3 + ${count%% *} * $4)))
		echo "$2: $calls calls, ${got:-no} $column, want $want"
		[ "${calls:-0}" -gt 0 ] && [ -n "$base" ] && [ "$got" = "$want" ] || return
	done
}

run 0 'work on threads, under signals, in a child' --emulate --auto none -e $events -o 'work-%p.csv' ./work
work=$(grep -l '^[^,]*,once,' work-*.csv)
child=$(grep -l '^[^,]*,child,' work-*.csv)
[ -n "$work" ] && [ -n "$child" ] && [ "$work" != "$child" ]
result $? 'the child has a report of its own'
for number in 1 2 10 1000 1000000; do
	ok "$number turns" turns "$work" "alone $number" all $number
done
ok 'a region that is entered once' turns "$work" once all 7
ok 'three hundred calls deep' turns "$work" deep all 100
ok 'two threads together' turns "$work" thread all 1000
ok 'the one' turns "$work" thread 1 1000
ok 'and the other' turns "$work" thread 2 1000
ok 'under signals, without what their handler does' turns "$work" signals all 20000
ok 'and where it has a region of its own' turns "$work" regions all 20000
[ "$(value "$work" regions/handler all calls)" -gt 0 ] && [ -z "$(value "$work" regions/handler all net:instructions)" ]
result $? 'which has no counts'
ok 'beside a child' turns "$work" parent all 1000
ok 'in the child' turns "$child" child all 1000
[ "$(value "$work" handler all calls)" = 10 ] && [ -z "$(value "$work" handler all net:instructions)" ]
result $? 'in a signal handler: calls, and no counts rather than wrong ones'
around=$(value "$work" 'alone 0' all net:instructions)
[ "$((${around:-999} / 3))" -le 20 ]
result $? "around no turn at all there are a few instructions ($((${around:-999} / 3)))"

# --- the same as callgrind says of functions ---------------------------------------------------------------------

# close_to WHAT GOT WANT: by one in a hundred, or by ten a call where there are few
close_to() {
	difference=$(($2 - $3))
	echo "$1: $2, callgrind says $3"
	[ ${difference#-} -le $(($3 / 100 + 30)) ]
}

is_clang() {
	case ${TEST_CC:-cc} in *clang*) ;; *) return 1 ;; esac
}

# agrees KERNEL: three calls, each of them an instruction that stores where it returns to
agrees() {
	PMU_ENABLE=0 "$valgrind" --tool=callgrind --cache-sim=yes --branch-sim=yes --callgrind-out-file=/dev/null \
		--toggle-collect="$1" ./kernels 3 2>log || return
	kernel=$1
	# Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim; zeros at the end are left out
	# shellcheck disable=SC2046 # words
	set -- $(sed -n 's/^==[0-9]*== Collected : //p' log) 0 0 0 0 0 0 0 0 0 0 0 0
	[ $# -gt 12 ] || return
	for count in "instructions $(($1 + call))" "$branches $((${10} + ${12}))" "L1-dcache-stores $(($3 + stored))"; do
		got=$(value kernels.csv "$kernel" all "net:${count% *}")
		echo "${count% *}: $got, callgrind says ${count##* }"
		# clang puts an argument where it is wanted in one more or less
		[ "$got" = "${count##* }" ] || { [ "${count%% *}" = instructions ] && is_clang &&
			[ $((got - ${count##* })) -ge -3 ] && [ $((got - ${count##* })) -le 3 ]; } || return
	done
	close_to mispredictions "$(value kernels.csv "$kernel" all "net:conditional and indirect branch-misses")" $((${11} + ${13})) &&
		close_to 'last level misses' "$(value kernels.csv "$kernel" all net:cache-misses)" $(($7 + $8 + $9)) &&
		close_to 'first level misses' "$(value kernels.csv "$kernel" all net:cache-references)" $(($4 + $5 + $6))
}
call=3 stored=3
[ "$(uname -m)" = x86_64 ] || stored=0

# The last level small enough for work that takes a second.
export VALGRIND_OPTS='--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64'
run 0 'functions that are regions' --emulate --auto none -o kernels.csv \
	-e instructions,branches,branch-misses,cache-references,cache-misses,L1-dcache-stores ./kernels 3
for kernel in sort spread sum all; do
	ok "callgrind says the same of kernel_$kernel" agrees "kernel_$kernel"
done
misses=$(value kernels.csv kernel_spread all net:cache-misses)
[ "${misses:-0}" -gt 10000 ]
result $? 'memory in no order misses the last level'
unset VALGRIND_OPTS

# --- counters that the program itself dumps, resets or switches -----------------------------------------------------

# taken WHAT WHERE REGION MISSING [WORDS]: is told, and the counts of a region are not wrong ones
taken() {
	"$pmu" run --emulate --auto none -e instructions -o taken.csv -o taken.txt ./taken "$1" "$2" "$3" || return
	cat taken.csv taken.txt
	[ -n "$4" ] && [ -z "$(value taken.csv "$4" all calls)$(value taken.csv "$4" all net:instructions)" ] && return 1
	[ -z "$4" ] || [ -z "$(value taken.csv "$4" all net:instructions)" ] || return
	grep -qF "${5:-our counters were taken}" taken.txt
}

# untouched OPTION...: what callgrind is told elsewhere changes nothing
untouched() {
	"$pmu" run --emulate --auto none -e instructions -o none.csv -o none.txt ./taken none within after || return
	VALGRIND_OPTS="$*" "$pmu" run --emulate --auto none -e instructions -o some.csv ./taken none within after || return
	counts none.csv >none.counts
	counts some.csv >some.counts
	cat some.csv
	[ -n "$(value some.csv around all net:instructions)" ] && diff none.counts some.counts &&
		! grep -qF 'were taken' none.txt
}

if echo '#include <valgrind/callgrind.h>' | ${TEST_CC:-cc} -E - >/dev/null 2>&1; then
	compile taken "$source/tests/valgrind/taken.c"
	ls /dev >dev.before
	ok 'counters dumped within a region are missing' taken dump within after around
	ok 'and from then on' taken dump between after after
	ls /dev | diff dev.before - >err
	result $? 'and what was dumped is nowhere else'
	ok 'counters set to zero within a region are missing' taken zero within after around
	ok 'and from then on' taken zero between after after
	ok 'collection switched: a new region has no counts' taken toggle between after after
	ok 'and a known one has a doubt' taken toggle between before ''
	ok 'the first region in a handler' taken handler between after after 'was in a signal handler'
	ok 'options of collection at the start are taken back' untouched --instr-atstart=no --collect-atstart=no
else
	skip 'counters that somebody turns' 'no valgrind/callgrind.h'
fi
for option in --toggle-collect=main '-v --callgrind:toggle-collect=work*'; do
	export VALGRIND_OPTS="$option"
	run 2 "functions in place of regions: $option" --emulate true
	has err 'toggle-collect in VALGRIND_OPTS' 'it says where'
done
unset VALGRIND_OPTS
echo '--toggle-collect=main' >.valgrindrc
run 2 'in a file' --emulate true
has err 'toggle-collect in ./.valgrindrc' 'it says in which'
chmod o+w .valgrindrc
run 0 'in a file that valgrind does not take' --emulate true
rm .valgrindrc

# --- the report ---------------------------------------------------------------------------------------------------

run 0 'the default group' --emulate -o core.json -o core.csv -o core.txt ./kernels
has core.txt 'valgrind: simulated by valgrind' 'the head says what it is'
has core.txt "under valgrind, which is not the program's time" 'and how long that took'
[ -z "$(sed '/^  took/,/^  machine/d' core.txt | grep -E '[0-9] (s|ms|us|ns)\b')" ]
result $? 'which is the only time there'
has core.txt 'cycles, ref-cycles missing: valgrind simulates' 'and what there is not'
lacks core.txt 'as valgrind has it' 'the machine is'
"$pmu" run -o native.txt true
is '  that which it runs on' "$(sed -n 's/^  machine *//p' core.txt)" "$(sed -n 's/^  machine *//p' native.txt)"
grep -q 'region  *calls  *instructions  *% instr\.  *per call  *self$' core.txt
result $? 'instructions stand in the place of time'
! grep -qE 'deviation|CPU time|in regions|waited|waiting' core.txt
result $? 'and no time of any kind'
is 'in the order of their instructions' "$(awk '$2 ~ /^[0-9]/ && /kernel_/ { print $1 }' core.txt | head -n 4 | tr '\n' ' ')" \
	'kernel_all kernel_sort kernel_spread kernel_sum '
is '  of CSV, too' "$(awk -F, '$5 == "all" && /kernel_/ { print $3 }' core.csv | tr '\n' ' ')" \
	'kernel_all kernel_sort kernel_spread kernel_sum '
[ -z "$(value core.csv main all time_ns)$(value core.csv main all self_ns)$(value core.csv main all own_ns)" ]
result $? 'which has no times'
is 'all is in main' "$(value core.csv main all share)" 1
"$pmu" report core.json >read.txt
diff core.txt read.txt >diff.txt
is 'the JSON report says the same' "$(grep -c '^[<>]   *\(main\|kernel\)' diff.txt)" 0
! grep -q '"time_ns": [0-9]' core.json
result $? 'and has no times of regions and threads'
has core.json '"detail": "simulated by valgrind' 'so does JSON'
has core.json '"cycles": null' 'cycles are missing there'
lacks core.json '"name": "estimated cycles"' 'and not estimated'
run 0 'all that callgrind counts' --emulate --auto none -o all.csv -e "instructions,conditional-branches,\
conditional-branch-misses,indirect-branches,indirect-branch-misses,L1-icache-load-misses,L1-dcache-load-misses,\
L1-dcache-store-misses,LLC-loads,LLC-load-misses,LLC-stores,LLC-store-misses" ./kernels
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^net:/) keep[++n] = i; next }
	{ for (i = 1; i <= n; i++) missing += $keep[i] == "" } END { exit n != 12 || missing }' all.csv
result $? 'each has a count'
run 0 'groups that would take turns' --emulate --rotate -g CORE,BRANCH -o turns.csv -o turns.txt ./kernels
has turns.txt 'all at once: they take no turns' 'take none here'
lacks turns.txt 'estimates ' 'so that nothing is estimated'
is 'each call is counted' "$(value turns.csv main/kernel_spread all calls)" "$(value core.csv main/kernel_spread all calls)"
[ "$(value turns.csv main/kernel_spread all net:instructions)" = "$(value core.csv main/kernel_spread all net:instructions)" ]
result $? 'as much as where one group is asked for'
has turns.txt 'main ' 'what is called once is a region'
tr -s ' \n' '  ' <turns.txt | grep -q 'of them it cannot count cycles, '
result $? 'what it cannot count of them is named'
run 0 'all metrics' --emulate --all-metrics -o turns.txt ./kernels
has turns.txt '+CACHE+' 'are those that valgrind counts'
if [ "$(uname -m)" = x86_64 ]; then
	lacks turns.txt 'groups in turns' 'all of them at once'
	tr -s ' \n' '  ' <turns.txt | grep -qF 'estimated cycles are instructions + 10 (mispredicted branches'
	result $? 'with cycles by a rule of thumb, and that rule'
fi
run 0 'what it cannot count' --emulate -e page-faults,instructions:k,r10e,instructions -o none.txt ./kernels
has none.txt 'page-faults, instructions:k, r10e missing' 'is missing, and named'

# --- caches -----------------------------------------------------------------------------------------------------------

# Twice through an array of structures, each a line, of four times as much as the last level has.
cat >lines.c <<'C'
#include <stdlib.h>
#include "pmu.h"

struct line {
	long value;
	char rest[56];
};

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)atol(argv[1]) : 0;
	struct line *line = aligned_alloc(64, n * sizeof(*line));
	long sum = 0;

	for (size_t i = 0; i < n; i++)
		line[i].value = (long)i;
	for (int i = 0; i < 2; i++) {
		pmu_region_begin("walk");
		for (size_t k = 0; k < n; k++)
			sum += *(volatile long *)&line[k].value;
		pmu_region_end("walk");
	}
	return sum < 0;
}
C
compile lines lines.c
counts=instructions,L1-dcache-load-misses,LLC-load-misses

# walks LL MISSES: so many of the last level in two walks over 131,072 lines, 8 MiB; each misses the first level.  The library's own
# misses are a few.
walks() {
	VALGRIND_OPTS="--D1=32768,8,64 --LL=$1,16,64" "$pmu" run --emulate --auto none -e $counts -o lines.csv -o lines.txt \
		./lines 131072 || return
	first=$(value lines.csv walk all net:L1-dcache-load-misses)
	last=$(value lines.csv walk all net:LLC-load-misses)
	echo "$first misses of the first level, $last of the last, want 262144 and $2"
	[ $((first - 262144)) -ge 0 ] && [ $((first - 262144)) -le 64 ] && [ $((last - $2)) -ge 0 ] && [ $((last - $2)) -le 64 ]
}
ok 'each line misses a last level that is a quarter of the array' walks 2097152 262144
tr -s ' \n' '  ' <lines.txt | grep -qF 'D1 32 KiB 8-way, LL 2 MiB 16-way'
result $? 'whose size is in the head, as VALGRIND_OPTS has it'
ok 'and none misses one that holds it' walks 16777216 0

run 0 'caches that nothing is told of' --emulate --auto none -e instructions -o own.txt ./lines 100
data=/sys/devices/system/cpu/cpu0/cache/index0
if [ "$(cat $data/type 2>/dev/null)" = Data ] && [ "$(nproc)" = "$(nproc --all)" ]; then
	size=$(sed 's/K$/ KiB/' $data/size)
	tr -s ' \n' '  ' <own.txt | grep -qF "D1 $size $(cat $data/ways_of_associativity)-way, LL "
	result $? "are the machine's: $size"
fi
tr -s ' \n' '  ' <own.txt | grep -qE 'user level: I1 .*, D1 .*, LL '
result $? 'all of them are named'

# machine NAME WORDS: the caches that are simulated on one of those that hwloc has described
machine() {
	HWLOC_XMLFILE="$source/tests/data/topologies/$1.xml" "$pmu" run --emulate --auto none -e instructions -o own.txt \
		./lines 100 || return
	cat own.txt
	tr -s ' \n' '  ' <own.txt | grep -qF "$2"
}
ok 'those of another machine' machine nehalem-ep-2s4c2t 'D1 32 KiB 8-way, LL 8 MiB 16-way'
ok 'a number of sets that valgrind has not: the same size' machine haswell-ep-cpu0-offline \
	'LL 30 MiB 30-way (the machine'"'"'s: 30 MiB 20-way)'
ok 'what hwloc does not know, valgrind finds' machine icelake-1s4c2t 'LL as valgrind finds it'

# --- branches that repeat ------------------------------------------------------------------------------------------

cat >jumps.c <<'C'
#include <stdlib.h>
#include "pmu.h"

int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++) {
		long n = argc > 1 ? atol(argv[1]) : 0;

		pmu_region_begin("jumps");
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
		pmu_region_end("jumps");
	}
	return 0;
}
C
if [ "$(uname -m)" = x86_64 ]; then
	compile jumps jumps.c
	run 0 'a loop of known branches' --emulate --auto none -e conditional-branches -o jumps.csv ./jumps 1234
	is 'all of them' "$(value jumps.csv jumps all net:conditional-branches)" 12340
	gate() { "$pmu" check --exact-branches --baseline jumps.json "$@" >out 2>err; status=$?; }
	gate --update -- --emulate ./jumps 1234
	is 'a baseline' "$status" 0
	gate -- --emulate ./jumps 1234
	is 'is repeated to the last' "$status" 0
	gate -- --emulate --repeat 1 ./jumps 1235
	is 'one more in each call is found' "$status" 1
	has out 'main/jumps: conditional-branches, own, 12,340 -> 12,350 (+10), limit +0: they repeat' 'and named'
fi

# --- programs, and what is none -----------------------------------------------------------------------------------------

run 4 'a script' --emulate -o script.txt sh -c 'echo hello; ./kernels; exit 4'
has out hello 'its output is its own'
has script.txt 'kernel_sum' 'what it starts is measured'
run 127 'a command that is not there' --emulate no-such-command
has err 'there is no such command in PATH' 'it says so'
run 127 'nor there' --emulate ./no-such-command
run 126 'no program' --emulate "$source/README.md"
cp /bin/true setuid && chmod u+s setuid
run 126 'a program with rights of its own' --emulate ./setuid
has err 'valgrind runs no setuid program' 'it says so'
run 2 'another source' --emulate --source perf true
has err 'valgrind, not from perf' 'it says which'
mkdir empty
PATH="$tmp/empty" "$pmu" run --emulate /bin/true >out 2>err
[ $? = 127 ] && grep -q 'no valgrind in PATH' err
result $? 'without valgrind'
ls place/pmu/run-* >out 2>&1
[ -s out ] && grep -q 'No such file' out
result $? 'no run left a folder behind'

# elsewhere NAME TEXT COMMAND...: what the report of a program by hand says
elsewhere() {
	name=$1 text=$2
	shift 2
	"$@" >out 2>err
	grep -qF "$text" err
	result $? "$name"
}
export PMU_BACKEND=valgrind
elsewhere 'on a processor it counts nothing, and says why' 'the program does not run under valgrind' ./kernels
elsewhere 'nor under another of its tools' 'only callgrind counts' "$valgrind" -q --tool=none ./kernels
elsewhere 'nor without a log' 'PMU_VALGRIND_LOG' "$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null ./kernels
PMU_VALGRIND_LOG="$tmp/log.%p"
export PMU_VALGRIND_LOG
elsewhere 'nor with another log than it says' 'is that valgrind' env PMU_VALGRIND_LOG="$tmp/net" "$valgrind" -q \
	--tool=callgrind --vgdb=no --callgrind-out-file=/dev/null --log-file="$tmp/other" ./kernels
elsewhere 'by hand, what callgrind was not told to count is missing' 'with --cache-sim=yes and --branch-sim=yes' \
	"$valgrind" -q --tool=callgrind --vgdb=no --callgrind-out-file=/dev/null --log-file="$tmp/log.%p" ./kernels
unset PMU_BACKEND
elsewhere 'of itself it is taken where callgrind runs' 'valgrind: simulated by valgrind' "$valgrind" -q --tool=callgrind \
	--cache-sim=yes --branch-sim=yes --vgdb=no --callgrind-out-file=/dev/null --log-file="$tmp/log.%p" ./kernels

finish
