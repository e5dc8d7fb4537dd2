#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu msr plan: recorded machines as text and JSON, registers that are in use, events that do not fit.
. "$(dirname "$0")/pmu.sh"
subcommand='msr plan'

# order TEXT...: lines of out that hold them follow each other so
order() {
	name=$1 at=0 good=0
	shift
	for text; do
		next=$(tail -n +$((at + 1)) out | grep -nF -- "$text" | head -n 1 | cut -d: -f1)
		[ -n "$next" ] || { good=1; echo "# not there or too early: $text"; break; }
		at=$((at + next))
	done
	result $good "$name"
}

: >out
: >err

# --- two sockets of Westmere ---
westmere="--cpuid $data/cpuid/westmere-ep-x5667.txt --topology $data/topologies/westmere-ep-2s6c2t.xml"
run 0 'a Westmere' $westmere
has out '24 processors, 12 cores, 2 sockets' 'its places come from the topology'
has out 'as if no other program was counting' 'nobody looked'
order 'the founding order' 'look:' 'stop:' 'CPU 0-23  IA32_PERF_GLOBAL_CTRL (38FH) <- 0000000000000000' 'clear:' \
	'IA32_PERF_GLOBAL_OVF_CTRL (390H) <- 000000070000000F' 'select:' \
	'CPU 0-23  IA32_PERFEVTSEL0 (186H) <- 00000000000100C4  event C4H, umask 00H, USR' 'zero:' 'IA32_PMC0 (C1H)' \
	'enable:' 'IA32_PERFEVTSEL0 (186H)      <- 00000000004100C4  event C4H, umask 00H, USR, EN' \
	'IA32_FIXED_CTR_CTRL (38DH)   <- 0000000000000222  FIXED0 USR, FIXED1 USR, FIXED2 USR' \
	'CPU 0-23  IA32_PERF_GLOBAL_CTRL (38FH) <- 000000070000000F' 'read:' '-> instructions' 'restore:' \
	'IA32_PERF_GLOBAL_CTRL (38FH)     <- 0000000000000000 in bits 70000000FH' \
	'IA32_PERF_GLOBAL_CTRL (38FH)     <- 0000000000000000 in bits 70000000FH'
[ "$(grep -c 'IA32_PMC0 (C1H)' out)" = 4 ]
result $? 'processors that do the same share a line'
run 0 'each operation by itself' --all $westmere
[ "$(grep -c 'IA32_PMC0 (C1H)' out)" = $((4 * 24)) ]
result $? 'has a line'
run 0 'its uncore' $westmere -e instructions,uncore-clock,uncore/event=0x01,umask=0x01/
has out 'socket 0,1 by CPU 0,6  MSR_UNCORE_PERFEVTSEL0 (3C0H)' 'once a socket'
has out 'OCC_CTR_RST' 'its queue is reset'
run 0 'an event by its name' $westmere -e UOPS_ISSUED.ANY:c=1:i
has out '<- 0000000001C1010E  event 0EH, umask 01H, USR, EN, INV, CMASK 1' 'with every field'

# --- for programs ---
run 0 'JSON' --json $westmere
for text in '"pmu_plan": 1' '"looked": false' '"sockets": 2' '"phase": "enable"' '"register": "IA32_PERF_GLOBAL_CTRL"' \
	'"value": "000000070000000F"' '"mask": "000000070000000F"' '"fields": "event C4H, umask 00H, USR, EN"' \
	'"event": "instructions"'; do
	has out "$text" "has $text"
done
[ "$(grep -c '"phase":' out)" = 1584 ]
result $? 'every operation'

# --- other machines ---
run 0 'a hybrid' --cpuid "$data/cpuid/arrowlake-ultra9-285h.txt" -e instructions,r400
has out 'instructions  each core: IA32_FIXED_CTR0' 'every kind of core counts instructions'
has out 'r400          P core: IA32_FIXED_CTR3, 48 bits; E core, E core 2: missing' 'one kind counts slots'
run 0 'Sandy Bridge' --cpuid "$data/cpuid/sandybridge-i7-2600k.txt" --topology "$data/topologies/sandybridge-1s4c2t.xml" \
	-e uncore_cbox/event=0x34,umask=0x0f/,energy-pkg,energy-ram
has out 'MSR_UNC_CBO_0_PERFCTR0, 44 bits, and 3 like it, summed' 'slices are added up'
has out 'left out: on this CPU no register that is known counts the energy of the' 'what it lacks is named'
mkdir likwid
cat >likwid/MINE.txt <<'TXT'
SHORT Slices of the last level cache

EVENTSET
FIXC0 INSTR_RETIRED_ANY
PMC0:EDGEDETECT UOPS_ISSUED_ANY
PWR0 PWR_PKG_ENERGY
TMP0 TEMP_CORE
CBOX0C0 CACHE_LOOKUP_ANY_MESI
CBOX1C0 CACHE_LOOKUP_ANY_MESI
CBOX2C0 CACHE_LOOKUP_ANY_MESI
CBOX3C0 CACHE_LOOKUP_ANY_MESI

METRICS
Lookups [1/s] (CBOX0C0+CBOX1C0+CBOX2C0+CBOX3C0)/time
Power [W] PWR0/time
Temperature [C] TMP0

LONG
TXT
export PMU_GROUP_PATH="$tmp/likwid"
run 0 "LIKWID's group" --cpuid "$data/cpuid/sandybridge-i7-2600k.txt" --topology "$data/topologies/sandybridge-1s4c2t.xml" \
	-g likwid:MINE
has out 'UOPS_ISSUED.ANY:c=1:e' 'its events have our names'
has out 'MSR_UNC_CBO_0_PERFCTR0, 44 bits, and 3 like it, summed' 'its slices are added up'
has out 'MINE.txt:7: a temperature' 'what it lacks is named with its line'
run 1 'one that is not there' $westmere -g likwid:OTHER
has err 'OTHER.txt' 'is named'
unset PMU_GROUP_PATH
run 0 'Zen 3' --cpuid "$data/cpuid/zen3-5950x.txt" --topology "$data/topologies/zen3-1s16c2t-2ccx.xml" \
	-e cycles,amd_l3/event=0x04,umask=0xff/
has out 'socket 0 by CPU 0,8  L3_PERF_CTL0 (C0010230H)' 'a level 3 cache each'
has out 'on 2 processors, summed' 'added up'
lacks out 'GLOBAL' 'no global control'
run 0 'a Core 2' --cpuid "$data/cpuid/core2-q9450.txt"
has out 'left out: 5 of 7 events fit the counters at the same time' 'says what does not fit'
run 1 'a Pentium 4' --cpuid "$data/cpuid/pentium4-no-leaf-0ah.txt"
has err 'no architectural performance monitoring' 'says why not'
run 1 'nothing that it counts' --cpuid "$data/cpuid/core2-q9450.txt" -e energy-pkg
has err 'energy' 'says why not'

# --- registers that can be looked at: byte 186H on is a select ---
cpus=$(seq 0 23)
for cpu in $cpus; do
	head -c 4096 /dev/zero >"msr$cpu"
done
printf '\074\000\123' | dd of=msr5 bs=1 seek=390 conv=notrunc 2>/dev/null
export PMU_CPUID_FILE="$data/cpuid/westmere-ep-x5667.txt" HWLOC_XMLFILE="$data/topologies/westmere-ep-2s6c2t.xml"
export PMU_MSR_DEVICE="$tmp/msr%d"
run 0 'registers of a machine that the environment describes'
has out 'The registers were looked at.' 'are read'
has out 'general counter 0 is in use on CPU 5: event 3CH, umask 00H, USR, OS, INT' 'one is in use'
has out 'cache-references  left out: 6 of 7 events fit the counters at the same time; general counter 0' 'so less fits'
has out 'CPU 5         IA32_PERFEVTSEL0 (186H)        = 000000000053003C  event 3CH' 'what was found is shown'
lacks out 'IA32_PERFEVTSEL0 (186H) <-' 'and not written'
for cpu in $cpus; do
	od -An -v -tx1 "msr$cpu"
done | cksum >after
{
	for cpu in $cpus; do
		head -c 4096 /dev/zero >"new$cpu"
	done
	printf '\074\000\123' | dd of=new5 bs=1 seek=390 conv=notrunc 2>/dev/null
	for cpu in $cpus; do
		od -An -v -tx1 "new$cpu"
	done
} | cksum >before
cmp -s before after
result $? 'no register is written'
rm msr7
run 0 'a processor whose registers cannot be opened'
has out 'as if no other program was counting' 'planned blindly'
has out 'msr7' 'which is said with the reason'
unset PMU_CPUID_FILE HWLOC_XMLFILE PMU_MSR_DEVICE

# --- usage ---
run 2 'an unknown option' --jsn
has err "did you mean --json?" 'names the nearest'
run 2 'an argument' westmere
run 2 'events and a group' -e cycles -g CORE
run 2 'an option without its value' --cpuid
run 1 'an unknown group' -g KORE $westmere
has err 'CORE' 'names the nearest'
run 1 'a group without events' -g TIME $westmere
run 1 'an unknown event' -e cyclse $westmere
has err 'cycles' 'names the nearest'
run 1 'no such dump' --cpuid nothing.txt
has err 'nothing.txt' 'is named'

finish
