#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --sample`: each region has its own functions, whatever becomes of the program, and whoever comes to the socket.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/sampled.sh
. "$source/tests/command/sampled.sh"

subcommand=run
run 0 'a run with samples' --sample=4000 -o report.json ./program work 600 3
[ ! -s err ]
result $? 'nothing is to be said'
# begin and end are called by work(): an instruction of it may be hit in a region
only 'a region has the functions of its own' report.json main/thread/a program fa work
only 'a nested one has others' report.json main/thread/a/b program fb work
lacks report.json "were lost" 'no samples are lost'
lacks report.json '"object": "libpmu' 'what the library does itself is not among them'
run 0 'a report in text' --sample=4000 ./program work 300
grep -q '^ *~ *[0-9.]*%  fa' out err
result $? 'its regions have functions below them'
PMU_SAMPLE=4000 run 0 'PMU_SAMPLE' -o variable.json ./program work 300
only 'is as the option' variable.json main/thread/a program fa work

run 0 'a team' --sample=4000 -o team.json ./program team 300
only 'what others do for a region is sampled in it' team.json main/team/thread program fw help goes_on
run 0 'a library that another thread loads' --sample=4000 -o plug.json ./program plug 300
only 'is known by its name' plug.json main/thread/plug plugin.so fp
run 0 'one that a thread loads which is not sampled' --auto none --sample=4000 -o plug.json ./program plug 300
only '  is known, too' plug.json plug plugin.so fp
run 0 'a thread that ends after the session' --sample=4000 -o joined.json ./program join 100
only 'has its samples where it was open' joined.json main/thread joined.so fj help
run 0 'a thread that leaves its region open' --sample=4000 -o left.json ./program leave 300
only 'likewise' left.json main/thread/left program fw leave goes_on
run 137 'a program that is killed' --sample=4000 -o dead.json sh -c './program die 300; exit $?'
only 'what was open has its samples' dead.json program/main/outer/doomed program fc spin goes_on main
run 0 'another program in the same process' --sample=4000 -o exec.json ./program exec 300
only 'what was before has its own' exec.json program/main/old program fc main goes_on
only 'and so has what is after it' exec.json program/main/thread/a program fa work

run 0 'many at once' --sample=4000 -o many.json ./program work 30 64
only 'all are sampled' many.json main/thread/a program fa work
lacks many.json 'not sampled' '  each of them'
run 0 'connections that say nothing, or nonsense' --sample=4000 -o rude.json ./program rude 300
only 'change nothing for others' rude.json main/thread/a program fa work
has rude.json 'not sampled' '  and are told'
sh -c 'ulimit -n 16 && exec "$0" run --sample=4000 -o few.json ./program work 300' "$pmu" 2>err
result $? 'with hardly any descriptors'
only 'threads are sampled as with many' few.json main/thread/a program fa work
far=$tmp/place/$(printf '%0100d' 0)
mkdir -m 700 "$far"
XDG_RUNTIME_DIR=$far run 0 'a folder whose path is longer than that of a socket can be' --sample=4000 -o far.json ./program work 300
only 'is as any other' far.json main/thread/a program fa work

# What is mapped of a thread that was killed counts for what its user may lock.  Without a program of its own, which would
# be sampled, too.
cat >deaths <<'END'
./program die 20 || ./program die 20 || ./program die 20
i=0 n=9
while [ $i -lt 1000 ] && [ $n -gt 1 ]; do
	i=$((i + 1)) n=0
	while read -r line; do
		case $line in *perf_event*) n=$((n + 1)) ;; esac
	done <"/proc/$PPID/maps"
done
[ $n -le 1 ]
END
run 0 'rings of threads that were killed are let go' --sample=4000 -o deaths.json sh ./deaths
only '  behind their last samples' deaths.json program/main/outer/doomed program fc spin goes_on main

run 0 'without samples' --sample=off -o plain.json ./program work 30
lacks plain.json '"samples"' 'a report has none'
for beside in --emulate '--repeat 2' '--against true'; do
	# shellcheck disable=SC2086 # words
	run 2 "not with $beside" --sample $beside ./program work 10
	has err "not of ${beside%% *}" '  which is said'
done
run 2 'no rate' --sample=often ./program work 10
run 2 'too high a rate' --sample=1000000 ./program work 10
! find place -name samples | grep -q .
result $? 'no socket stays'

finish
