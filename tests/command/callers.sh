#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --callers`, `pmu attach --callers`: no stack of a region has another region's functions, whatever becomes of the program.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/sampled.sh
. "$source/tests/command/sampled.sh"
command -v python3 >/dev/null || skip_all 'no python3, which reads the reports'
# of what is called by a jump nobody knows the caller
export TEST_CFLAGS="${TEST_CFLAGS:-} -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls"
compile callers "$source/tests/command/callers.c"
# a processor whose leaf functions have no frame (arm64, riscv) tells of them by a register that the kernel does not look at
case $(uname -m) in
x86_64) leaf=1 ;;
*) leaf= ;;
esac

# stacks NAME FILE PATH FUNCTION...
stacks() {
	name=$1
	shift
	evidence=why
	[ -n "$leaf" ] || { skip "$name" 'its leaf functions have no frames' && return; }
	python3 "$source/tests/command/callers.py" "$@" 2>why
	right=$?
	if [ $right -eq 2 ] && [ "${unasked:-}" ] && is_busy; then
		skip "$name" 'the machine is too busy for samples that nobody has asked for'
	else
		result $right "$name"
	fi
	evidence='err out'
}

subcommand=run
run 0 'a run with callers' --sample=997 --callers -o report.json ./callers 300
[ ! -s err ]
result $? 'nothing is to be said'
stacks 'a region has the stacks of its own functions' report.json main/first first_f first_g first_h
stacks 'and so has the next one' report.json main/second second_f second_g second_h
stacks 'what calls itself is there as often' report.json main/deep deep_f
stacks 'functions have as many samples in stacks as in all' same report.json
has report.json '"[truncated]"' 'callers beyond the limit are said to be there'
lacks report.json '"libpmu' 'the library is no caller'

subcommand=
run 0 'as text' report --callers report.json
grep -A 1 '^ *~ .*  first_h$' out | grep -q '~ .*  called by first_g$'
result $? 'functions have below them what called them'
run 0 'as text, without being asked' report report.json
lacks out 'called by' '  it is not there'
subcommand=run
run 0 'a run as text' --sample=997 --callers ./callers 300
has err 'called by first_g' '  it is there where it was asked for'
run 2 'without samples' --sample=off --callers ./callers 1
has err '--callers is of samples' '  there are no callers'
run 2 'repeated' --repeat 2 --callers ./callers 1
has err 'none are taken with --repeat' '  neither'

run 0 'without' --sample=997 -o report.json ./callers 50
lacks report.json '"callers": {' 'there are none'
PMU_CALLERS=1 run 0 'PMU_CALLERS' --sample=997 -o report.json ./callers 300
stacks 'is as the option' report.json main/first first_f first_g first_h
PMU_CALLERS=2 run 2 'anything else' true
has err 'PMU_CALLERS=2' 'is refused'

run 0 'two threads' --sample=997 --callers -o report.json ./callers 300 threads
for region in first second; do
	stacks "$region of each" report.json main/thread/$region ${region}_f ${region}_g ${region}_h
done
stacks 'both together have the same samples' same report.json

cp report.json threads.json
run 0 'a run without callers' --sample=997 -o bare.json ./callers 100 threads
subcommand=report
run 0 'two runs as one' --merge threads.json bare.json -o merged.json
stacks 'functions have as many samples in stacks as in all' same merged.json
stacks '  and no other region'\''s' merged.json main/thread/second second_f second_g second_h
run 0 'the other way round' --merge bare.json threads.json -o merged.json
stacks '  likewise' same merged.json
subcommand=run

run 137 'a program that is killed' --sample=997 --callers -o report.json \
	sh -c './callers 300 stay >said & until [ -s said ]; do sleep 0.1; done; sleep 1; kill -KILL $!; wait $!'
stacks 'has the stacks of what had ended' report.json callers/main/first first_f first_g first_h
stacks 'and of what was open' report.json callers/main/second second_f second_g second_h

run 0 'where nobody has asked for samples' --callers -o report.json ./callers 1000
unasked=yes
stacks 'those have theirs, too' report.json main/second second_f second_g second_h
unasked=

rm said
./callers 1 stay >said &
pid=$!
until [ -s said ]; do sleep 0.02; done
subcommand=attach
run 0 'what runs already' $pid --callers --for 2s -o report.json
kill -KILL $pid
stacks 'has stacks' same report.json
stacks '  of its functions' report.json all second_f second_g second_h
finish
