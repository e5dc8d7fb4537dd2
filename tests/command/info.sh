#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu info: recorded processors and this one, for people and for programs.
. "$(dirname "$0")/pmu.sh"

# line LABEL VALUE: a line of the text, whatever its column
line() {
	awk -v label="$1" -v value="$2" '
		{ text = $0; sub(/^ +/, "", text) }
		index(text, label " ") == 1 {
			text = substr(text, length(label) + 1); sub(/^ +/, "", text)
			if (text == value) found = 1
		}
		END { exit !found }' out
	result $? "$1: $2"
}

# json PATH VALUE: what stands there, as jq would say it
json() {
	path=$1 want=$2
	got=$("$tmp/pick" "$path" <out)
	[ "$got" = "$want" ]
	result $? "$path is $want (got $got)"
}

: >out
: >err

# A member's value by its path; an element of an array has no name.
cat >pick <<'EOF'
#!/usr/bin/awk -f
BEGIN { want = ARGV[1]; ARGV[1] = "" }
{ text = text $0 }
END {
	while (match(text, /"([^"\\]|\\.)*"|[][{}:,]|[^][{}:," ]+/)) {
		last = token
		token = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (found) { print token; exit }
		if (token ~ /^[[{]$/) name[++depth] = ""
		if (token ~ /^[]}]$/) depth--
		if (token != ":") continue
		name[depth] = substr(last, 2, length(last) - 2)
		path = name[1]
		for (i = 2; i <= depth; i++) path = path "." name[i]
		found = path == want
	}
}
EOF
chmod +x pick

libcpuid='' # whether it is here: it reads its raw format, and writes it
"$pmu" info --json --cpuid "$data/cpuid/westmere-ep-x5667.txt" | grep -q '"libcpuid": {' && libcpuid=yes

# --- a recorded machine ---
run 0 'Westmere-EP' info --cpuid "$data/cpuid/westmere-ep-x5667.txt" \
	--topology "$data/topologies/westmere-ep-2s6c2t.xml"
line name 'Intel(R) Xeon(R) CPU X5667 @ 3.07GHz'
line 'family and model' '06_2CH (family 6, model 44), stepping 1'
line microarchitecture 'Westmere, 32 nm'
line 'code name' Westmere-EP
line sockets 2
line cores 12
line 'logical processors' 24
line SMT yes
line version '3 (architectural)'
line 'general counters' '4 x 48 bits'
line 'fixed counters' '3 x 48 bits: 0 (instructions), 1 (core cycles), 2 (reference cycles)'
line AnyThread yes
line 'full-width writes' 'no, going by the model'
for event in core_cycles instructions llc_references llc_misses branches branch_misses; do
	line "$event" yes
done
line reference_cycles no
[ ! -s err ]
result $? 'nothing on standard error'
awk 'length > 100 { exit 1 }' out
result $? 'within 100 columns'
run 0 'the same for programs' info --json --cpuid="$data/cpuid/westmere-ep-x5667.txt" \
	--topology="$data/topologies/westmere-ep-2s6c2t.xml"
json vendor '"GenuineIntel"'
json family 6
json model 44
json stepping 1
json brand '"Intel(R) Xeon(R) CPU X5667 @ 3.07GHz"'
json microarchitecture '"Westmere"'
json codename '"Westmere-EP"'
json perfmon.version 3
json perfmon.general.count 4
json perfmon.general.bits 48
json perfmon.fixed.count 3
json perfmon.fixed.bits 48
json perfmon.fixed.bitmap 7
for event in core_cycles instructions llc_references llc_misses branches branch_misses; do
	json "perfmon.events.$event" true
done
json perfmon.events.reference_cycles false
json perfmon.full_width_writes false
json topology.sockets 2
json topology.cores 12
json topology.logical_processors 24

# --- by libcpuid ---
if [ "$libcpuid" ]; then
	lacks out '"avx2"' 'no feature that it lacks'
	has out '"sse4_2"' 'its features'
	has out '"codename": "Gulftown (Xeon)"' 'what libcpuid says'
	run 0 'for people' info --cpuid "$data/cpuid/arrowlake-ultra9-285h.txt"
	has out '  features              fpu vme' 'its features'
	lacks out Deschutes 'no code name that cannot be'
	awk 'length > 100 { exit 1 }' out
	result $? 'within 100 columns'
	for dump in "$data"/cpuid/*.txt; do
		"$pmu" info --cpuid "$dump" >before
		run 0 "$(basename "$dump") is written" info --cpuid "$dump" --raw again.txt
		[ ! -s out ] && [ ! -s err ]
		result $? 'without a word'
		grep -q '^basic_cpuid\[31\]=' again.txt
		result $? "in libcpuid's format"
		run 0 'is read again' info --cpuid again.txt
		cmp -s before out
		result $? 'is the same machine'
	done
	has again.txt "CPUID 80000022: " 'leaves that libcpuid does not keep follow its end'
	run 0 'this machine is written' info --raw here.txt
	if grep -q '^basic_cpuid\[0\]=' here.txt; then
		"$pmu" info >before
		run 0 'is read again' info --cpuid here.txt
		for label in name vendor 'family and model' 'code name' hypervisor features version 'general counters'; do
			[ "$(grep -A9 "^  $label " before | awk 'NR == 1 || /^   /')" = "$(grep -A9 "^  $label " out | awk 'NR == 1 || /^   /')" ]
			result $? "has the same $label"
		done
		processors=$(grep -c 'Logical CPU' here.txt)
		run 0 'on standard output' info --raw -
		[ "$(grep -c 'Logical CPU' out)" = "$processors" ]
		result $? 'as many processors'
		cmp -s out here.txt
		result $? 'the same'
	fi
	run 1 'a file that cannot be written' info --raw nowhere/dump.txt
	has err 'nowhere/dump.txt' 'names it'
else
	run 1 'nothing is written without libcpuid' info --raw again.txt
	has err libcpuid 'says what it needs'
fi

# --- others ---
run 0 'without a topology' info --cpuid "$data/cpuid/sandybridge-i5-2400-8gp.txt"
line 'general counters' '8 x 48 bits'
line 'full-width writes' 'yes, going by the model'
has out '4 in the dump' 'says what is not known'
run 0 'for programs, too' info --json --cpuid "$data/cpuid/sandybridge-i5-2400-8gp.txt"
json topology.cores null
run 0 'a hybrid' info --cpuid "$data/cpuid/arrowlake-ultra9-285h.txt"
has out 'performance cores (processors 0,1,10-13)' 'its P cores'
has out 'efficiency cores (processors 2-9)' 'its E cores'
has out 'efficiency cores (processors 14,15)' 'its low-power cores'
has out '6 x 48 bits: 0 (instructions), 1 (core cycles), 2 (reference cycles), 4' 'fixed counters with a hole'
run 0 'for programs, too' info --json --cpuid "$data/cpuid/arrowlake-ultra9-285h.txt"
json perfmon.general.count 10
json perfmon.fixed.bitmap 15
has out '"bitmap": 119' 'the E cores are among the kinds'
run 0 'one without a PMU' info --cpuid "$data/cpuid/pentium4-no-leaf-0ah.txt"
has out 'no architectural performance monitoring' 'says why'
run 0 'AMD' info --cpuid "$data/cpuid/zen4-8700g.txt"
line version '2 (PerfMonV2)'
line 'general counters' '6 x 48 bits'
run 0 'for programs, too' info --json --cpuid "$data/cpuid/zen4-8700g.txt"
json perfmon.events.core_cycles null

# --- this machine ---
run 0 'this machine' info
has out 'Performance monitoring' 'has a PMU or none'
run 0 'for programs, too' info --json
json recorded false

# --- mistakes ---
run 1 'a dump that is not there' info --cpuid nowhere.txt
has err 'nowhere.txt' 'names it'
echo 'basic_cpuid[0]=zzz' >bad.txt
run 1 'a damaged dump' info --cpuid bad.txt
if [ "$libcpuid" ]; then
	has err 'line 1' 'names the line'
else
	has err libcpuid 'says what it needs'
fi
run 1 'a topology that is none' info --topology bad.txt
has err 'bad.txt' 'names it'
run 2 'an unknown option' info --jso
has err 'did you mean --json?' 'names the nearest'
run 2 'an option without its file' info --cpuid
run 2 'an argument' info westmere
run 0 'help' info --help
for option in --cpuid --topology --json --raw; do
	has out "  $option" "explains $option"
done

finish
