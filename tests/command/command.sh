#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The pmu command: usage, reports from stores and from JSON, damaged input, outputs that fail.
. "$(dirname "$0")/pmu.sh"
maker=${TEST_STORE_MAKER:-$build/tests/unit/store/snapshot}
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run"

# is_one_line FILE NAME
is_one_line() {
	[ "$(wc -l <"$1")" = 1 ]
	result $? "$2"
}

same() {
	cmp -s "$1" "$2"
	result $? "$3"
}

absent() {
	[ ! -e "$1" ]
	result $? "$2"
}

: >out
: >err
"$maker" store left.pmu || { echo "Bail out! $maker cannot make a store"; exit 1; }

# --- usage ---
run 2 'no command'
is_one_line err 'says so in a line'
run 2 'an unknown command' repport
has err "did you mean 'report'?" 'names the nearest'
run 2 'a command of odd bytes' "$(printf 'x\033[2J\n::error::\342\200\256')"
has err 'x\x1b[2J\n::error::\xe2\x80\xae' 'shows them'
ok 'and none as it is' sh -c '[ "$(wc -l <err)" = 1 ] && ! LC_ALL=C grep -q "[^ -~]" err'
run 0 'version' version
has out 'pmu (libpmu) ' 'as a command'
run 2 'version' version now
run 0 'version' --version
has out 'libpmu' 'names the library'
run 0 'doctor for programs' doctor --json
has out '"pmu_doctor": 1' 'has its version'
has out '"name": "clock"' 'its sources'
has out '"name": "kernel.perf_event_paranoid"' 'and settings'
if python3 -c 'import json' 2>/dev/null; then
	python3 -c 'import json; assert all(s["usable"] or s["why"] for s in json.load(open("out"))["sources"])' 2>err
	result $? 'it is JSON, and what is not usable has a reason'
fi
run 0 'help' help
has out 'doctor' 'lists the commands'
run 0 'help on a command' help report
has out '--threads' 'names its options'
for words in 'report --bogus --help' 'list -a --help' 'doctor x -h' 'help run --help' 'run -o --help'; do
	# shellcheck disable=SC2086 # words
	run 0 "--help in 'pmu $words'" $words
	has out "usage: pmu ${words%% *}" 'answers'
done
run 0 'the same as an option' report --help
has out '--threads' 'names its options'
for command in 'report --all' 'run --each' 'msr plan --all' 'info --json' 'list pmus' 'event cycles' 'msr restore --device x'; do
	# shellcheck disable=SC2086 # words
	run 0 "behind others: $command" $command -h
	has out "usage: pmu ${command%% *} " '  the help'
	[ ! -s err ]
	result $? '  and nothing else'
done
run 2 'a command of another name by now' plan -e cycles
has err "'pmu msr plan' now" 'says which'
run 2 'help on that' help restore
has err "'pmu msr restore' now" 'says it too'
run 2 'registers, and nothing to do with them' msr
run 2 'an option of the other' msr restore -e cycles
run 2 'help on nothing' help doctr
has err "did you mean 'doctor'?" 'names the nearest'
run 0 'the environment' help environment
for name in PMU_ENABLE PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_COUNT PMU_USER_READ PMU_PIN PMU_OUTPUT; do
	has out "$name" "has $name"
done
run 0 'the events' help events
for text in '  cycles  ' 'context-switches' 'rNNN' 'cycles:uk'; do
	has out "$text" "have $text"
done
awk 'length > 90 { exit 1 }' out
result $? 'within 90 columns'
[ "$(sed -n '/^  /s/^  [^ ]*  *//p' out | wc -l)" -gt 40 ] &&
	[ "$(awk '/^  / { match($0, /^  [^ ]+ +/); print RLENGTH }' out | sort -u | wc -l)" = 1 ]
result $? 'in columns'
run 2 'a misspelt topic' help evnets
has err "did you mean 'events'?" 'names the nearest'
run 0 'where these are' help
has out 'pmu help events' 'is said'
run 0 'every option' help report
for option in -o --output --threads --all --remove --help; do
	grep -q -e "^  .*$option" out
	result $? "$option is explained"
done
run 0 'options of run, what is asked for most first' help run
[ "$(sed '/^More:/,$d' out | wc -l)" -le 40 ] && grep -q '^More:' out
result $? 'in forty lines'
run 2 'an unknown option' report --thread left.pmu
has err 'did you mean --threads?' 'names the nearest'
run 2 'an output without a name' report left.pmu -o
run 2 'an output without a file' report -o x.json
run 2 'two files into one' report left.pmu left.pmu -o x.json
has err '%p' 'says how to tell them apart'
absent x.json 'nothing is written'
run 2 'an argument of doctor' doctor now

# --- event ---
run 0 'an event of another CPU' event --cpu 6-2A UOPS_ISSUED.ANY
has out '0x0041010E' 'its select'
has out 'event 0EH, umask 01H, USR, EN' 'its fields'
has out 'Sandy Bridge (06_2AH)' 'whose it is'
has out 'type 4, config 0x10e, exclude_kernel' 'what the kernel is told'
cp out first
for cpu in 06_2AH GenuineIntel-6-2A 6-2a-7; do
	run 0 "the same CPU as $cpu" event "--cpu=$cpu" snb::UOPS_ISSUED:ANY
	same out first 'is the same'
done
run 0 'its own prefix names the CPU' event snb::UOPS_ISSUED:ANY
same out first 'is the same'
run 0 'one event on three CPUs: Core 2' event --cpu 6-17 DTLB_MISSES.ANY
has out '0x00410108' '08H/01H'
run 0 'Nehalem' event --cpu 6-1A DTLB_MISSES.ANY
has out '0x00410149' '49H/01H'
run 0 'Westmere, and more' event --cpu 6-2C DTLB_MISSES.ANY CPU_CLK_UNHALTED.TOTAL_CYCLES:uk
has out '0x00410149' '49H/01H'
has out '0x02C3003C' 'CMASK 2 and INV'
run 0 'fields and counters' event --cpu 6-2A L1D_PEND_MISS.PENDING:k:t UNHALTED_REFERENCE_CYCLES cycles
has out 'OS, ANY, EN' 'kernel, all threads'
has out 'general counter 2' 'one counter'
has out 'counted by   fixed counter 2' 'a fixed one'
has out 'fixed counter 1, any general counter' 'both'
run 0 'AMD, and what belongs to the socket' event --cpu AuthenticAMD-23-31 cpu/event=0x1c7/ \
	amd_l3/event=4,umask=0xff/ energy-pkg page-faults
has out '0x00000001004100C7' 'twelve bits of event'
has out '0xFF0F00000040FF04' 'all slices and threads'
has out 'energy-pkg [uJ]' 'a unit'
has out 'the kernel' 'no register'
run 0 "AMD's own names" event --cpu AuthenticAMD-26-2 ls_dispatch.ld_dispatch:c=1 L3_LOOKUP_STATE.L3_MISS umc_cas_cmd.rd
has out '0x01410129' 'its select'
has out '0x0F00C00000400104' 'of the cache'
has out 'type of amd_umc, config 0x10a' "of the memory's controllers"
run 0 "Arm's" event --cpu 0x413fd0c1 L1D_CACHE_REFILL:uk
has out 'Neoverse N1' 'whose it is'
has out 'type 4, config 0x3' 'what the kernel is told'
has out 'the kernel alone programs' 'and that no register is'
run 0 'outside of the cores of that' event --cpu 0x00000000480fd010 FLUX_RD
has out 'type of hisi_sccl,ddrc, config 0x1' 'its PMU and its code'
run 1 'with a modifier' event --cpu 0x413fd0c1 L1D_CACHE:c=1
has err 'L1D_CACHE has no c=: events of this processor have none' 'it is refused'
run 1 'a slip' event --cpu 0x413fd0c1 L1D_CACH
has err 'did you mean L1D_CACHE?' 'the nearest is named'
run 0 'JSON' event --json --cpu 6-2A L1D_PEND_MISS.PENDING:c=1
for text in '"select": "0x1410148"' '"cmask": 1' '"microarchitecture": "Sandy Bridge"' '"config": "0x1000148"'; do
	has out "$text" "has $text"
done
for name in uops_issued.any UOPS_ISSUED_ANY UopsIssuedAny; do
	run 0 "$name" event --cpu 6-2A $name
	same out first 'is the same'
done
run 0 'an event with errata' event --cpu 6-55 BR_INST_RETIRED.COND
has out 'errata       SKL091' 'names them'
run 0 'a deprecated event' event --cpu 6-8F ARITH.DIVIDER_ACTIVE
has out 'deprecated   the same is ARITH.DIV_ACTIVE' 'names its successor'
run 0 'both in JSON' event --json --cpu 6-8F ARITH.DIVIDER_ACTIVE
has out '"successor": "ARITH.DIV_ACTIVE"' 'likewise'
run 0 'an event of both kinds of cores' event --cpu 6-97 UOPS_ISSUED.ANY
has out '0x004101AE' 'has the P cores code'
has out '0x0041000E' 'and that of the E cores'
run 1 'an event that there is not' event --cpu 6-2A UOPS_ISSUE.ANY
has err 'did you mean UOPS_ISSUED.ANY?' 'names the nearest'
is_one_line err 'in a line'
run 2 'a CPU that there is not' event --cpu 6-ZZ cycles
has err '6-2A, 06_2AH' 'says how to write it'
run 2 'no event' event
run 2 'two CPUs' event --cpu 6-2A --cpuid x cycles
run 2 'an unknown option' event --cpus 6-2A cycles
run 1 'a dump that is not there' event --cpuid nowhere cycles
has err 'nowhere' 'is named'
run 0 'of a recorded CPU' event --cpuid "$source/tests/data/cpuid/core2-q9450.txt" MUL instructions
has out '0x00410012' 'its select'
has out 'counted by   general counter 1' 'the counter it has'
has out 'fixed counter 0, any general counter' 'and those for another'
run 0 'this machine' event cycles

# --- doctor ---
run 0 'doctor' doctor
for name in perf software clock perf_event_paranoid; do
	has out "$name" "speaks of $name"
done

run 0 'doctor on noise' doctor --noise
for name in 'Noise, looked at for 1' ' ms of work, done ' 'processors '; do
	has out "$name" "speaks of '$name'"
done
run 0 'doctor on noise for programs' doctor --noise --json
if python3 -c 'import json' 2>/dev/null; then
	python3 - >err 2>&1 <<'PY'
import json, os
noise = json.load(open("out"))["noise"]
work = noise["work"]
assert 0 < work["least_ns"] <= work["median_ns"] <= work["p99_ns"] <= work["most_ns"], work
assert work["cpu"] in os.sched_getaffinity(0), work
assert noise["settings"]["allowed"] == len(os.sched_getaffinity(0)), noise["settings"]
assert noise["seen"]["seconds"] >= 1 and 0 <= noise["seen"]["other"] <= 1, noise["seen"]
assert any(f["name"] == "processors" for f in noise["findings"]), noise["findings"]
assert all(f["severity"] in ("quiet", "worth knowing", "disturbs") and f["text"] for f in noise["findings"])
PY
	result $? 'it is JSON, and its numbers make sense'
fi

# the kernel's tally of migrations comes by perf_event alone
strace=${TEST_STRACE:-strace}
if "$strace" -f -o trace -e trace=perf_event_open -e inject=perf_event_open:error=EPERM \
	"$pmu" doctor >out 2>err && grep -q INJECTED trace; then
	has out 'counts of SOFTWARE: task-clock, page-faults' 'what getrusage has is counted'
	grep -q '^ *not: cpu-migrations: perf_event_open is forbidden' out
	result $? 'what it has not is named, with the reason'
	[ "$(grep -c 'cpu-migrations' out)" = 1 ]
	result $? 'and not listed as counted'
else
	skip 'without perf_event_open' 'no strace that works'
fi

# --- stores ---
run 0 'a left-over store as text' report left.pmu
has out 'solve' 'has its regions'
has out 'did not end cleanly' 'says that the program died'
has err '--remove left.pmu' 'says how to remove it'
[ -e left.pmu ]
result $? 'keeps it'
run 0 'into three files' report left.pmu -o a.json -oa.csv --output=a.txt
same out /dev/null 'and nothing on standard output'
run 0 'each thread' report --threads left.pmu
has out 'thread 1' 'has threads'
run 0 'two files on standard output' report left.pmu a.json
[ "$(grep -c 'did not end cleanly' out)" = 2 ]
result $? 'one report after the other'
pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' a.json)
run 0 'a name with the process' report left.pmu left.pmu -o 'r.%p.json'
same a.json "r.$pid.json" 'is written by that name'
cp left.pmu gone.pmu
run 2 'a format that there is not' report left.pmu -o a.xml
has err '.json or .csv' 'names those there are'
run 0 'removing' report --remove gone.pmu -o gone.txt
absent gone.pmu 'removes'
same a.txt gone.txt 'after the report'
cp left.pmu stays.pmu
run 1 'a failed report' report --remove stays.pmu -o /dev/full
[ -e stays.pmu ]
result $? 'removes nothing'
run 1 'removing a JSON report' report --remove a.json -o /dev/null
[ -e a.json ]
result $? 'is refused'

# --- JSON ---
run 0 'a JSON report as everything' report a.json -o b.json -o b.csv -o b.txt
same a.json b.json 'as JSON it is the same'
same a.csv b.csv 'as CSV it is the same'
same a.txt b.txt 'as text it is the same'
"$pmu" report --threads left.pmu >a.threads 2>err
run 0 'with threads' report --threads a.json
same a.threads out 'it is the same'
cp "$source/tests/fuzz/corpus/json/teams" teams.json
run 0 'one with teams' report teams.json -o teams-2.json -o teams.csv -o -
same teams.json teams-2.json 'as JSON it is the same'
has out 'teams: a region with all that other threads did for it' 'as text it has a table of them'
has teams.csv ',team_threads,imbalance,efficiency,team_depth,' 'as CSV columns'
has teams.csv 'CORE,solve,solve,0,team,,850000000,' 'and lines'
for change in 's/"team_depth": 2/"team_depth": 9/' 's/"flags": \["team"\]/"flags": []/' \
	's/"team_depth": 1, "calls": 2, "time_ns": 5000000,/"calls": 2, "time_ns": 5000000,/'; do
	sed "$change" teams.json >changed.json
	cmp -s teams.json changed.json && echo "# $change changes nothing"
	"$pmu" report changed.json >out 2>err
	rc=$?
	[ $rc = 1 ] && grep -q 'not a report' err
	result $? "one changed by $change"
done
sed 's/"pmu_report": 1/"pmu_report": 2/' a.json >new.json
run 1 'a newer schema' report new.json
has err 'schema 2' 'is named'
has err 'newer pmu' 'with a way out'
head -c 700 a.json >cut.json
run 1 'a JSON report that was cut' report cut.json
has err 'not JSON' 'is none'
is_one_line err 'in one line'
echo '{"other": 1}' >other.json
run 1 'another JSON' report other.json
has err 'pmu_report' 'says what is missing'
for change in 's/"calls": 63/"calls": -1/' 's/"calls": 63, "time_ns": 15000/"calls": "63", "time_ns": 15000/' \
	's/"depth": 1/"depth": 5/' 's/"thread": 1, "calls"/"thread": 99, "calls"/' \
	's/"name": "solve"/"name": 7/' 's/"parent": "solve"/"parent": "x"/' \
	's/"threads": \[$/"threads": 3, "x": [/' 's/"group": "CORE"/"group": "NONE"/'; do
	sed "$change" a.json >changed.json
	cmp -s a.json changed.json && echo "# $change changes nothing"
	"$pmu" report changed.json >out 2>err
	rc=$?
	# sums are worked out anew: only the threads' own values must be right
	case $change in
	*63*) [ $rc = 0 ] && grep -q '63' out ;;
	*) [ $rc = 1 ] && grep -q 'not a report' err ;;
	esac
	result $? "a report changed by $change"
done

# --- what is neither ---
run 1 'no such file' report nothing.pmu
has err 'nothing.pmu: No such file' 'is named'
run 1 'a folder' report "$tmp"
has err 'not an ordinary file' 'is none'
: >empty
run 1 'an empty file' report empty
has err 'empty' 'says so'
echo 'hello' >text
run 1 'a text' report text
has err 'neither a store nor a JSON report' 'is neither'
for begun in 1-1-1.pmu 1-1-2.pmu; do
	head -c 65536 /dev/zero >$begun
	: >1-1-2.pmu
	run 1 'a store of a program that was killed while it started' report $begun
	has err "there is nothing in it; 'pmu report --remove' removes it" 'says what to do'
	run 0 'that is done' report --remove $begun
	absent $begun 'removes it'
done
head -c 65536 /dev/zero >$$-$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)-1.pmu
run 1 'a store of one that has just started' report --remove $$-*.pmu
has err 'its process still runs' 'is kept'
rm $$-*.pmu
head -c 65536 /dev/zero >zero.pmu
run 1 'something else of zeros' report --remove zero.pmu
[ -e zero.pmu ]
result $? 'is not removed'
run 1 'a store that was never begun' report zero.pmu
has err 'killed while it started' 'says whose it may be'
head -c 100 left.pmu >short.pmu
run 1 'a store cut in its head' report short.pmu
has err 'short.pmu' 'is named'
is_one_line err 'in one line'
head -c 5000 left.pmu >half.pmu
run 0 'a store cut behind it' report half.pmu
has out 'lost' 'says that something is lost'
{ head -c 8 left.pmu; printf '\377\000\000\000'; tail -c +13 left.pmu; } >newer.pmu
run 1 'a newer format' report newer.pmu
has err 'format 255' 'is named'
{ head -c 12 left.pmu; printf '\001\002\003\004'; tail -c +17 left.pmu; } >order.pmu
{ head -c 12 left.pmu; printf '\004\003\002\001'; tail -c +17 left.pmu; } >order2.pmu
cmp -s left.pmu order.pmu && mv order2.pmu order.pmu
run 1 'another byte order' report order.pmu
has err 'byte order' 'says so'
run 1 'one bad file' report nothing.pmu left.pmu
has out 'solve' 'does not keep the others from being reported'

# every byte of the first chunks and of some rows, turned over: a report or a refusal, never a crash
size=$(wc -c <left.pmu)
at=0 crashed=0
while [ $at -lt "$size" ]; do
	{ head -c $at left.pmu; printf '\377'; tail -c +$((at + 2)) left.pmu; } >flip.pmu
	"$pmu" report flip.pmu >out 2>err
	[ $? -le 1 ] || crashed=$((crashed + 1))
	at=$((at + (at < 232 ? 3 : at < 4096 ? 4096 : 211)))
done
[ $crashed = 0 ]
result $? 'flipped bytes crash nothing'

# --- outputs that fail ---
run 1 'a missing directory' report left.pmu -o nowhere/a.json -o after.json
has err 'create nowhere first' 'says what would help'
is_one_line err 'in one line'
same a.json after.json 'and the other output is written'
run 1 'a full disk' report left.pmu -o /dev/full -o after2.json
has err 'No space left' 'says so'
is_one_line err 'in one line'
same a.json after2.json 'and the other output is written'
"$pmu" report left.pmu >/dev/full 2>err
[ $? = 1 ]
result $? 'a full disk behind standard output'
has err 'No space left' 'says so'
("$pmu" report left.pmu 2>err; echo $? >status) | :
has status 0 'a reader that went away is no error'
! grep -q 'Broken pipe' err
result $? 'and no message'

# --- listing ---
mkdir -p -m 700 "$tmp/run/pmu"
cp left.pmu "$tmp/run/pmu/$pid-1-1.pmu"
run 0 'the list of stores' report
has out "$tmp/run/pmu/$pid-1-1.pmu" 'has the path'
grep -F "$tmp/run" out >line
has line 'left over' 'the state'
has line 'solver' 'the program'
has line "$pid" 'the process'
has line '2023-11-14 22:13:20' 'and when it began'
run 0 'doctor beside a store' doctor
has out "folder      $tmp/run/pmu" 'names the folder'
has out 'now         1 left over, 0 of running programs; ' 'counts its stores'
mkdir -p -m 700 "$tmp/other/pmu-$(id -u)"
cp left.pmu "$tmp/other/pmu-$(id -u)/$pid-1-1.pmu"
cp left.pmu "$tmp/other/pmu-$(id -u)/$pid-1-2.pmu"
TMPDIR="$tmp/other" run 0 'doctor beside stores in another folder' doctor
has out 'now         1 left over, 0 of running programs; ' 'counts those of its folder'
grep -q '^  elsewhere   [2-9][0-9]* left over, .* in other folders of yours' out ||
	grep -q '^  elsewhere   1[0-9][0-9]* left over, .* in other folders of yours' out
result $? 'and those of others apart'

finish
