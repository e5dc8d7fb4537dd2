#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu report with several files: ranks become one report; what does not belong to them, and what cannot be read.
. "$(dirname "$0")/pmu.sh"
pairs=${TEST_PAIRS:-$build/tests/api/pairs}
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run"
export PMU_PIN=none
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_RANK PMI_SIZE MV2_COMM_WORLD_RANK SLURM_PROCID \
	SLURM_STEP_NUM_TASKS MPI_LOCALRANKID

# measure RANK OUTPUT PAIRS: a process that a launcher of 4 has made RANK; 100 pairs more than said
measure() {
	OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=4 PMU_OUTPUT=$2 "$pairs" "$3" || echo "# $2: status $?"
}

# is_rank RANK NAME SETTING...: the rank that a program with these settings reports
is_rank() {
	want=$1 name=$2
	shift 2
	rm -f env-*.json
	env "$@" PMU_OUTPUT=env-%r.json "$pairs" 10
	file=env-$want.json
	[ "$want" = null ] && file=env-0.json
	grep -q "^  \"rank\": $want,\$" "$file" 2>err
	result $? "$name"
	ls env-*.json >out
}

# --- which rank a launcher's environment says ---
is_rank null 'none without a launcher'
is_rank 3 'Open MPI' OMPI_COMM_WORLD_RANK=3
is_rank 4 'PMIx' PMIX_RANK=4
is_rank 5 'MPICH and its like' PMI_RANK=5
is_rank 6 'MVAPICH2' MV2_COMM_WORLD_RANK=6
is_rank 7 'Slurm' SLURM_PROCID=7 SLURM_STEP_NUM_TASKS=8
is_rank null 'a Slurm batch script is no rank' SLURM_PROCID=0 SLURM_NTASKS=8
is_rank null 'nor is a step of one task' SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1
is_rank 5 'mpirun in a step' SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 OMPI_COMM_WORLD_RANK=5
is_rank null 'a rank on its host is none' MPI_LOCALRANKID=3 SLURM_LOCALID=2 OMPI_COMM_WORLD_LOCAL_RANK=1
is_rank null 'nor is what is no number' OMPI_COMM_WORLD_RANK=-1
is_rank null 'nor one beyond all numbers' OMPI_COMM_WORLD_RANK=99999999999
is_rank 1 'the next launcher counts then' OMPI_COMM_WORLD_RANK=x PMI_RANK=1

# --- ranks ---
for rank in 0 1 2 3; do
	measure $rank rank-%r.json $((rank * 1000))
done
run 0 'four ranks' report rank-*.json
has out 'pmu: pairs (4 ranks on ' 'are one report'
[ "$(grep -c '^pmu: ' out)" = 1 ]
result $? 'and no other'
awk '$1 == "fifteen" && $3 == "6,400" { found = 1 } END { exit !found }' out
result $? 'calls are added up'
has out 'over 4 ranks: time' 'time is spread'
: >empty
cmp -s err empty
result $? 'without a word'
run 0 'in any order' report rank-3.json rank-0.json rank-2.json rank-1.json -o order.json
run 0 'the same' report rank-*.json -o all.json
cmp -s order.json all.json
result $? 'is the same'
run 0 'one by one' report --each rank-*.json
[ "$(grep -c '^pmu: ' out)" = 4 ]
result $? 'four reports'
lacks out 'over 4 ranks' 'not of all'
run 0 'into files of their own, and of all' report rank-*.json -o one-%r.csv -o all.csv
[ -s one-0.csv ] && [ -s one-3.csv ] && [ -s all.csv ]
result $? 'are written'
has one-3.csv 'TIME,fifteen letters,fifteen letters,0,all,3100,' 'one has its own calls'
has all.csv 'TIME,fifteen letters,fifteen letters,0,all,6400,' 'the other all'
run 0 'without one' report rank-0.json rank-1.json rank-3.json
has out '3 of 4: rank 2 has no report' 'says which'
run 0 'without the last' report rank-[0-2].json
has out '3 of 4: rank 3 has no report' 'says which, too'
run 0 'those of all and one more' report --merge all.json
has out '(4 ranks on ' 'one that is merged stays so'
run 2 'both ways' report --merge --each rank-*.json
run 2 'no files' report --merge
run 1 'one name for all' report --each rank-*.json -o x-%h.csv
has err "is another report's already" 'is not written over'
run 0 'each in its own' report --each rank-*.json -o y-%r.csv
[ "$(ls y-*.csv | wc -l)" = 4 ]
result $? 'is'

# --- what is wrong with some ---
head -c 700 rank-1.json >cut.json
run 1 'a cut file among them' report rank-0.json cut.json rank-2.json rank-3.json
has err 'cannot read cut.json: not JSON' 'is named'
has out 'pmu: pairs (3 ranks on ' 'the others are merged'
run 1 'one that is not there' report rank-0.json nowhere.json rank-2.json
has out 'pmu: pairs (2 ranks on ' 'the others are merged'
cp rank-1.json copy.json
run 1 'one twice' report rank-*.json copy.json
has err 'copy.json is left out: rank-1.json is of the same process' 'is left out once'
has out 'pmu: pairs (4 ranks on ' 'the others are merged'
run 1 'one that is in a merged one' report all.json rank-2.json
has err 'rank-2.json is left out: all.json is of the same process' 'is left out'

# --- read by several threads and forgotten, or kept ---
mkdir many
cp rank-*.json many/
mkdir -m 700 many/kept
for rank in 10 11 12 13 14 15; do
	measure $rank many/rank-$rank.json $((rank * 100))
	OMPI_COMM_WORLD_RANK=$((rank + 10)) PMU_STORE="$tmp/many/kept" "$pairs" 10
done
run 0 'stores and reports' report many/*.json many/kept/*.pmu --all
cp out gathered
lacks err 'cannot read' 'all are read'
has out 'pmu: pairs (16 ranks on ' 'all are in it'
if command -v taskset >/dev/null; then
	taskset -c "$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\)[^0-9]*/\1/')" \
		"$pmu" report many/*.json many/kept/*.pmu --all >out 2>err
	cmp -s out gathered
	result $? 'the same on one processor'
else
	skip 'the same on one processor' 'no taskset'
fi
run 0 'kept' report many/*.json many/kept/*.pmu -o kept.json
run 0 'and shown' report kept.json --all
cmp -s out gathered
result $? 'the same again'
store=$(ls many/kept/*.pmu | head -n 1)
head -c 2000 "$store" >many/short.pmu
cp "$store" many/version.pmu
printf '\143' | dd of=many/version.pmu bs=1 seek=8 conv=notrunc 2>/dev/null
sed 's/"pmu_report": 1,/"pmu_report": 99,/' rank-1.json >many/version.json
sed 's/"depth": 0/"depth": 7/' rank-1.json >many/wrong.json
head -c 3000 /dev/urandom | tr -d 'P{ \t\r\n\000' >many/noise.json
: >many/nothing.json
run 1 'damaged ones among them' report many/*.json many/*.pmu many/kept/*.pmu --all
for file in short.pmu version.pmu version.json wrong.json noise.json nothing.json; do
	has err "many/$file" "$file is named"
done
[ "$(grep -c 'cannot read' err)" = 6 ]
result $? 'and no other'
cmp -s out gathered
result $? 'the report is of the others'

measure 1 again.json 500
run 0 'two processes of a rank' report rank-*.json again.json
has out '(5 processes of 4 ranks on ' 'are counted'
has out 'rank 1: several processes, which are added up' 'and named'
has out 'over 4 ranks' 'the ranks are compared'

PMU_OUTPUT=none.json "$pairs" 10
run 0 'one of no rank' report rank-*.json none.json
has err 'not merged: none.json is of no rank' 'says so'
[ "$(grep -c '^pmu: ' out)" = 5 ]
result $? 'and they follow each other'
run 0 'merged all the same' report --merge rank-*.json none.json
has out '(5 processes on ' 'are processes'
run 2 'into one file' report rank-*.json none.json -o x.json
has err '--merge' 'asks for the option'
[ ! -e x.json ]
result $? 'and writes nothing'
run 0 'two of no rank' report none.json none.json
cmp -s err empty
result $? 'need no explanation'

cp "$pairs" other 2>err || cp "$build/tests/api/.libs/pairs" other
if head -c 4 other | grep -q ELF; then
	measured=./other
else
	cp "$build/tests/api/.libs/pairs" other
	measured="env LD_LIBRARY_PATH=$build/lib/.libs ./other"
fi
# shellcheck disable=SC2086 # words
OMPI_COMM_WORLD_RANK=4 PMU_OUTPUT=other.json $measured 10
run 0 'another program' report rank-*.json other.json
has err 'not merged: rank-0.json is of pairs and other.json of other' 'says so'
run 0 'merged all the same' report --merge rank-*.json other.json
has out 'pmu: several programs (5 ranks on ' 'has no program of all'
has out '  pairs (4 processes)  ' 'has a row for each'
run 0 'as JSON' report --merge rank-*.json other.json -o programs.json
run 0 'and from that' report programs.json -o programs-2.json
cmp -s programs.json programs-2.json
result $? 'the same again'

OMPI_COMM_WORLD_RANK=1 PMU_BACKEND=software PMU_EVENTS=page-faults PMU_OUTPUT=counts.json "$pairs" 10
if grep -q '"name": "page-faults"' counts.json; then
	run 0 'other counts' report rank-0.json counts.json
	has out 'pmu: pairs (2 ranks on ' 'are merged, too'
	has out 'software' 'and each source is named'
	has out 'TIME, all ranks together' 'each group has its table'
fi

# --- stores ---
mkdir -m 700 kept
for rank in 0 1 2 3; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 PMU_STORE="$tmp/kept" "$pairs" 10
done
run 0 'stores' report kept/*.pmu
has out 'pmu: pairs (4 ranks on ' 'are merged'
has err 'so is 1 more' 'and kept'
run 0 'a store and a report' report rank-0.json "$(ls kept/*.pmu | tail -n 1)"
has out '(2 ranks on ' 'go together'
run 0 'removed' report --remove kept/*.pmu
[ -z "$(ls kept)" ]
result $? 'all of them'

finish
