#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu list: names of events, groups and PMUs, of this machine and others.
. "$(dirname "$0")/pmu.sh"
subcommand=list
# no groups but the shipped ones
HOME=$tmp
export HOME
unset XDG_CONFIG_HOME PMU_GROUP_PATH PMU_EVENT_FILES

# names: those that out lists, one a line
names() {
	awk '/^  [^ ]/ { print $1 }' out
}

# row NAME TEXT: what the lines of that name say, joined
row() {
	awk -v name="$1" '
		/^  [^ ]/ { on = $1 == name }
		/^[^ ]/ || /^$/ { on = 0 }
		on { sub(/^ +/, ""); text = text " " $0 }
		END { print text }' out >row
	grep -qF -- "$2" row
	result $? "$1: $2"
}

run 0 "everything"
[ ! -s err ]
result $? "  without a complaint"
has out "Groups" "  groups"
has out "Events of every CPU" "  events of every CPU"
row instructions "instructions retired"
row task-clock "[ns] time the thread was on a CPU"
row energy-pkg "[uJ] energy of the whole socket"
row TIME "Time only"
awk 'length > 80' out >long
[ -s long ]
result $? "  in a file no line is cut"
if command -v script >script.path 2>&1; then
	SHELL=/bin/sh script -qec "stty cols 80; $pmu list" /dev/null </dev/null >screen 2>err
	tr -d '\r' <screen | awk 'length > 80 && NF > 1' >long
	[ -s screen ] && [ ! -s long ]
	result $? "  on a terminal none is longer than that"
else
	skip 'on a terminal' 'no script(1) for a terminal'
fi

# --- another CPU's ---

run 0 "events of Sandy Bridge" events --cpu 6-2A
row UOPS_ISSUED.ANY "Number of uops issued"
has out "by libpfm4 (snb)" "  by libpfm4"
has out "by libpfm4 (snb_unc_cbo0)" "  outside its cores too"
lacks out "this kernel" "  nothing of this kernel's PMUs"
lacks out "Groups" "  no groups"
# a table of libpfm4 has one name that stands for two masks
names | grep -v '^MEM_LOAD_UOPS_LLC_MISS_RETIRED$' >listed
[ "$(wc -l <listed)" -gt 300 ] && xargs "$pmu" event --cpu 6-2A --json <listed >out 2>err
result $? "  every one of them can be asked for"
has listed interrupts "  interrupts are one of them"
run 0 "events of Skylake" events --cpu 6-5E
row interrupts "interrupts that the processor took"

run 0 "events of Zen 5" events --cpu AuthenticAMD-26-2
row ls_dispatch.ld_dispatch ls_dispatch
has out "By this library's tables, outside the cores: UMCPMC" "  their units have a heading"
row umc_cas_cmd.rd umc_cas
run 0 "events of Neoverse V1" events --cpu 0x411fd401
row SVE_INST_SPEC SVE_INST
lacks out "outside the cores:" "  it has no units"
run 0 "groups of Zen 3" groups --cpu AuthenticAMD-25-21
row CORE "Instructions, cycles, branches"
lacks out "Events of" "  no events"
has out "without energy-ram, energy-gpu" "  energy that it does not count"
has out "group TOPDOWN has no events of this CPU (Zen 3)" "  nor what it has no events for"

run 0 "groups of Skylake-SP" groups MEM --cpu 6-55-4
has out "by the kernel's PMU uncore_imc" "  the PMU that they need"
run 0 "groups of Nehalem" groups ENERGY --cpu 6-1A
has out "no table says that Nehalem counts energy-pkg" "  it counts no energy"

run 0 "groups of Diamond Rapids" groups --cpu 13-1
row BRANCH "by the architecture's events alone"
row L2 "group L2 has no events of this CPU (Panther Cove)"

sed 's/: 000706E5/: 000F06E5/' "$data/cpuid/icelake-i7-1065g7.txt" >later
PMU_CPUID_FILE=$tmp/later
export PMU_CPUID_FILE
run 0 "groups of a later processor" groups
row BRANCH "by the architecture's events alone"
row CACHE "by the architecture's events alone"
row UOPS "group UOPS has no events of this CPU"
unset PMU_CPUID_FILE

for midr in 0x410fd4f0 0x00000000410fd4f0; do
	run 0 "groups of Neoverse V2: $midr" groups --cpu $midr
	row TOPDOWN "Top-down, level 1"
	has out "group MEM has no events of this CPU (Neoverse V2)" "  no memory"
done
run 2 "eight digits that are no core" groups --cpu 0x12345678
has err "or MIDR_EL1 of Arm" "  how to write it"

run 1 "PMUs of another CPU" pmus --cpu 6-2A
has err "PMUs are those of this machine's kernel" "  are none"

# --- a user's own group ---

mkdir mine
echo 'I = instructions' >mine/BROKEN.group
printf '[group]\nabout = odd \302\233 \342\200\256 words\n[events]\nF = page-faults\n' >mine/ODD.group
PMU_GROUP_PATH=$tmp/mine
export PMU_GROUP_PATH
run 0 "a group's file with a mistake" groups
row BROKEN "$tmp/mine/BROKEN.group:1: this stands in no section"
[ "$(grep -o 'this stands in no section' row | wc -l)" = 1 ]
result $? "  is told it once"
has out 'odd \xc2\x9b \xe2\x80\xae words' "what cannot be seen in another is shown"
unset PMU_GROUP_PATH

# --- patterns ---

run 0 "a part of a name" events stlb_HIT --cpu 6-2A
[ "$(names | wc -l)" -gt 1 ] && [ -z "$(names | grep -v STLB_HIT)" ]
result $? "  whatever its case"
run 0 "a part of a description" events "mispredicted branches"
has out "branch-misses" "  finds the name"
run 0 "a pattern is a whole name" events "dtlb-*-Misses"
[ "$(names | tr '\n' ' ')" = "dTLB-load-misses dTLB-store-misses dTLB-prefetch-misses " ]
result $? "  just those"
run 0 "the first word that is no kind is a pattern" "page faults"
has out "minor-faults" "  of events"
run 1 "nothing has it" nonsensical-name
has err "nothing that can be listed has 'nonsensical-name' in it" "  is said"
[ ! -s out ]
result $? "  on standard error alone"

# --- Intel's files ---

run 0 "with event files" events UNC_CHA --cpu 6-55-4 --event-files "$data/perfmon"
has out "By Intel's files, outside the cores: CHA" "  their events have a heading"
has out "UNC_CHA_CLOCKTICKS" "  and are there"
run 0 "metrics" groups intel: --cpu 6-55-4 "--event-files=$data/perfmon"
row intel:cpi "[per instruction] Cycles per"
row intel:Bottleneck_Mispredictions "it counts 18 events, and a group has at most 16"
row intel:Info_System_Socket_CLKS '":one_unit"'
has out "Hyper-Threading on" "  what was taken for granted is said"
PMU_EVENT_FILES=$data/perfmon
export PMU_EVENT_FILES
run 0 "the same by the environment" groups "intel:cp*" --cpu GenuineIntel-6-55-4
[ "$(names | tr '\n' ' ')" = "intel:cpi intel:cpu_operating_frequency intel:cpu_utilization " ]
result $? "  its metrics"
unset PMU_EVENT_FILES
run 0 "a folder that is not there" events instructions --event-files "$tmp/none"
has out "$tmp/none" "  is named, and the rest is listed"
row instructions "instructions retired"

# --- for programs ---

run 0 "JSON" --json --cpu 6-55-4 --event-files "$data/perfmon" cpi
has out '"cpu": "GenuineIntel-6-55"' "  says whose"
has out '"name": "intel:cpi"' "  has names"
has out '"unit": "per instruction"' "  units"
has out '"from": "intel"' "  where they come from"
has out '"why_not": null' "  and why not"
has out '"pmus": []' "  what there is none of is empty"
run 0 "JSON of nothing" --json nonsensical-name
has out '"events": []' "  is empty lists"

# --- command lines ---

run 2 "two patterns" one two
run 2 "an option that is none" --jsn
has err "did you mean --json?" "  gets the nearest"
run 2 "an option without its value" --cpu
run 2 "a CPU that no table has" --cpu 6-FFFF
has err "no table has a CPU '6-FFFF'" "  is named"

{
	"$pmu" list 2>err
	echo $? >status
} | head -n 1 >out
[ ! -s err ] && [ "$(cat status)" = 0 ]
result $? "a reader that goes away is no error"

finish
