#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rdmsr and wrmsr, written by others, see in /dev/cpu what a session has programmed, and a session sees what
# they have: the simulated files lie over /dev/cpu in a mount namespace of our own.
. "$(dirname "$0")/laid_over.sh"
mkdir -m 700 "$tmp/xdg" && mkfifo "$tmp/go" "$tmp/in" || exit 1

evidence="$tmp/out $tmp/err"

gives() { # gives OUTPUT NAME COMMAND...
	want=$1 name=$2
	shift 2
	got=$("$@" 2>"$tmp/err") || got="status $?: $got"
	is "$name" "$got" "$want"
}

# shellcheck disable=SC2317 # called by gives
everywhere() { # everywhere ADDRESS: what processors have there, each value once
	rdmsr -a "$1" | sort -u | tr '\n' ' '
}

start() { # start EVENTS: a measured program, which stays in its region
	env PMU_EVENTS="$1" PMU_MSR_DEVICE=/dev/cpu/%d/msr \
		PMU_CPUID_FILE="$top/tests/data/cpuid/westmere-ep-x5667.txt" \
		HWLOC_XMLFILE="$top/tests/data/topologies/westmere-ep-2s6c2t.xml" \
		XDG_RUNTIME_DIR="$tmp/xdg" PMU_OUTPUT="$tmp/run.json" \
		"$build/tests/sim/held" <"$tmp/go" >"$tmp/in" 2>"$tmp/out" 3>&- &
	held=$!
	exec 4>"$tmp/go"
	read -r line <"$tmp/in"
	gives in "a program is in its region" echo "$line"
}

stop() {
	exec 4>&-
	wait "$held"
	status=$?
	gives 7 "it has ended by itself" echo "$status"
}

: >"$tmp/out"
before=$(rdmsr -a 0x38f)
gives "" "a counter is started by wrmsr" wrmsr -p 5 0x187 0x43003c
gives "" "with a value" wrmsr -p 5 0xc2 777

start instructions,cycles,branches,uncore-clock
gives 4100c4 "rdmsr sees an event select: branches, user level, enabled" rdmsr -p 3 0x186
gives "4100c4 " "on every processor" everywhere 0x186
gives "22 " "fixed counters 0 and 1 at user level" everywhere 0x38d
gives 1 "the general counter is enabled" rdmsr -p 3 -f 0:0 0x38f
gives 3 "and the fixed ones" rdmsr -p 3 -f 33:32 0x38f
gives 1 "the uncore clock too, on one socket" rdmsr -p 0 -f 32:32 0x391
gives 1 "and on the other" rdmsr -p 23 -f 32:32 0x391
echo "count 3 0xc4 0 user 1000 fixed 1" >"$tmp/machine/ctl"
gives 1000 "what happens is counted there" rdmsr -p 3 -d 0xc1
gives 1000 "and there" rdmsr -p 3 -d 0x309
gives 43003c "the counter started by wrmsr is left alone" rdmsr -p 5 0x187
gives 777 "and its value" rdmsr -p 5 -d 0xc2
gives 0 "its like on other processors is not used" rdmsr -p 3 0x187
stop
gives "0 " "selects are as they were" everywhere 0x186
gives "0 " "so are the fixed counters' controls" everywhere 0x38d
gives "$before" "and the global controls" rdmsr -a 0x38f
gives 0 "and the uncore's" rdmsr -p 0 0x391
gives 43003c "the counter started by wrmsr goes on" rdmsr -p 5 0x187
gives 777 "with its value" rdmsr -p 5 -d 0xc2
ok "the report names it" grep -q \
	'general counter 1 is in use on CPU 5: event 3CH, umask 00H, USR, OS' "$tmp/run.json"
ok "registers have counted" grep -q '"source": {"name": "msr"' "$tmp/run.json"

rm -f "$tmp/run.json"
gives "" "wrmsr stops it" wrmsr -p 5 0x187 0
start instructions
stop
ok "nothing is in use then" sh -c "! grep -q 'is in use' '$tmp/run.json'"
finish
