#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu top's view, on a terminal of tmux's: sort, filter, pause, help, list, sizes, a program that ends, and the way out.
. "$(dirname "$0")/pmu.sh"
live=${TEST_LIVE:-$build/tests/command/live}
command -v tmux >/dev/null || skip_all 'there is no tmux'
grep -q '^NCURSES_LIBS = *[^ ]' "$build/Makefile" || skip_all 'built without ncurses'
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run" PMU_BACKEND=software PMU_OUTPUT=none
# The shell by which tmux starts its commands; else the user's own, which may be nologin.
export SHELL=/bin/sh
unset PMU_STORE TMUX NO_COLOR
evidence=screen

server=0
tmux() {
	command tmux -S "$tmp/tmux$server" -f /dev/null "$@"
}

# on COLUMNS ROWS COMMAND: on a terminal of that size; then "left with" and its status
on() {
	server=$((server + 1))
	tmux new-session -d -x "$1" -y "$2" "LC_ALL=C.UTF-8 $3; echo left with \$?; exec sleep 60"
}

# sees PATTERN NAME: it comes to the screen within 20 s; what follows would wait as long each
sees() {
	for _ in $(seq 200); do
		tmux capture-pane -p >screen 2>/dev/null
		if grep -Eq -- "$1" screen; then
			result 0 "$2"
			return
		fi
		sleep 0.1
	done
	result 1 "$2"
	finish
}

# sees_no PATTERN NAME: it goes within 20 s
sees_no() {
	for _ in $(seq 200); do
		tmux capture-pane -p >screen
		grep -Eq -- "$1" screen || break
		sleep 0.1
	done
	! grep -Eq -- "$1" screen
	result $? "$2"
}

press() {
	tmux send-keys "$@"
}

is_narrow() {
	! grep -q '.\{81\}' screen
	result $? "$1"
}
trap 'tmux kill-server 2>/dev/null; : >"$tmp/stop"; rm -rf "$tmp"' EXIT
: >screen

# --- a program that comes; those of other tests may be there, too ---
on 100 50 "'$pmu' top -i 200ms --filter assemble"
sees '^pmu top .* every 0.2 s' 'looks'
"$live" stop >live.out 2>&1 &
pid=$!
sees "^live +pid $pid +running" 'a program that comes is there'
press q
sees 'left with 0' 'until q'
tmux kill-server

# --- one alone ---
on 80 24 "'$pmu' top -i 200ms $pid"
sees '^ +solve +[1-9]' 'with its regions'
sees '^region.* calls/s +% time .* open' 'below their titles'
sees '[0-9.]+ s *$' 'how long something is open'
sees '^q quit +. help' 'and what keys there are'
is_narrow 'in 80 columns'
grep -qF 'odd \x1b]0;' screen
result $? 'a name that would control the terminal is spelled'
[ "$(tmux display-message -p '#{pane_title}')" != title ]
result $? 'and does not'

# --- keys ---
press '>'
sees 'every 0.2 s  by [a-zA-Z]' 'sorted by another column'
sees_no 'by share$' 'which is said'
press '<'
sees 'by share$' 'and back'
press r
sees 'by share, least first' 'the other way round'
press r
press t
sees '^  main/solve/assemble ' 'a list has paths'
press t
sees '^      assemble ' 'a tree has names'
press / a s s e m
sees '^filter: assem' 'a filter is typed'
press Enter
sees "only 'assem'" 'and taken'
sees_no '^ +idle' 'what does not match goes'
sees '^    solve' 'what is around it stays'
press Escape
sees '^ +idle' 'and all come back'
press / x y z Escape
sees_no "only 'xyz'|^filter" 'a filter that is given up is none'
press '?'
sees 'this help' 'help'
is_narrow 'fits'
press x
sees '^live +pid' 'any key leaves it'
press Space
sees 'PAUSED' 'a pause'
cp screen before
sleep 0.6
tmux capture-pane -p >screen
sed 's/..:..:..//' before >before.text
sed 's/..:..:..//' screen | cmp -s - before.text
result $? 'stands still'
press Space
sees_no 'PAUSED' 'and goes on'
press + 
sees 'every 0.4 s' 'half as often'
press -- -
sees 'every 0.2 s' 'and as often as before'

# --- sizes ---
press Right
press Left
tmux resize-window -x 200 -y 50
sees ' a call .* since start .*|calls +% time +self +a call' 'a wide one has more columns'
sees 'task-clock' 'and counts'
tmux resize-window -x 40 -y 8
sees '^region' 'a tiny one still has titles'
press Down Down PageDown End Home Up
sees '^live +pid' 'and is scrolled'
tmux resize-window -x 80 -y 24
sees '^q quit' 'back'
is_narrow 'as it was'

# --- the end ---
: >stop
sees '^live +pid .* ended after' 'a program that has ended stays, and is said to'
sees '^The program has ended' 'below, too'
press q
sees 'left with 0' 'q leaves'
tmux kill-server

# --- a command: without sanitizers, which the preloaded library cannot have ---
[ -z "${TEST_SANITIZERS:-}" ] || finish
rm -f stop
on 100 30 "'$pmu' top -i 200ms -- '$live' stop"
sees '^live +pid .* running' 'a command'
sees 'software: SOFTWARE' 'is measured'
grep -q goodbye screen
is 'what it prints is not on the screen' $? 1
: >stop
sees 'The command has ended' 'its end is told'
press q
sees 'left with 3' 'its status is ours'
sees 'says goodbye' 'what it printed comes then'
tmux kill-server
on 80 24 "TERM=nothing '$pmu' top"
sees 'terminal is not known' 'a terminal that nobody knows is refused'
finish
