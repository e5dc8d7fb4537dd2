#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run` without a word of samples: threads that run for a while are sampled, from outside at first, and others pay
# nothing for that.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/sampled.sh
. "$source/tests/command/sampled.sh"

# shellcheck disable=SC2034 # only() reads it
unasked=yes
subcommand=run
run 0 'a run as it is' -o report.json ./program work 1500 2
[ ! -s err ]
result $? 'nothing is to be said'
only 'a region has the functions of its own' report.json main/thread/a program fa work
only 'a nested one has others' report.json main/thread/a/b program fb work
lacks report.json '"object": "libpmu' 'what the library does itself is not among them'
run 0 'a program that has main alone' -o main.json ./program spin 1000
only 'is sampled from outside' main.json main program fc spin goes_on main
! grep -q '"period_ns"' main.json || grep -q '"period_ns": 5025125' main.json
result $? '  199 times a second'
run 0 'a report in text' ./program spin 1000
if grep -q '^ *~ *[0-9.]*%  fc' out err || ! is_busy; then
	grep -q '^ *~ *[0-9.]*%  fc' out err
	result $? 'main has functions below it'
else
	skip 'functions in text' 'the machine is too busy'
fi
run 0 'a region that is open all the time' -o team.json ./program team 1000
only 'is its own, in those who work for it' team.json main/team/thread program fw help goes_on
run 137 'a program that is killed' -o dead.json sh -c './program die 1000; exit $?'
only 'what was open has its samples' dead.json program/main/outer/doomed program fc spin goes_on main
run 0 'another program in the same process' -o exec.json ./program exec 1000
only 'what is behind it has its own' exec.json program/main/thread/a program fa work

run 0 'threads that are switched off all the time' -o storm.json ./program storm 0
lacks storm.json '"samples"' 'are not sampled'
has storm.json 'not sampled, at least not all the time' 'and the report says so'
run 0 'one that is so after a while' -o late.json ./program storm 1000
only 'was sampled before' late.json main/calm program fc storm goes_on main
sed -n '/"path": "main\/storm"/,/}/p' late.json | grep -q '"blocked_ns": [1-9]'
result $? '  and what it waits is known still'

run 0 'a short program' -o short.json ./program work 5
lacks short.json '"samples"' 'has no samples'
run 0 '  in text' ./program work 5
! grep -q '~ ' out err
result $? 'no line says how few'
for off in --sample=off --exact '--repeat 2'; do
	# shellcheck disable=SC2086 # words
	run 0 "$off" $off -o off.json ./program spin 300
	lacks off.json '"samples"' 'takes none'
done
PMU_SAMPLE=0 run 0 'PMU_SAMPLE=0' -o off.json ./program spin 300
lacks off.json '"samples"' 'takes none'
PMU_WAIT=0 run 0 'where threads do not notice when they are off' -o off.json ./program spin 300
lacks off.json '"samples"' 'none are taken'
! find place -name samples | grep -q .
result $? 'no socket stays'

finish
