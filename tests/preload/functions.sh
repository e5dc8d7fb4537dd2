#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Functions of programs built with -finstrument-functions are regions under the preload: each by its
# name, in its place, and as often as it was called.
# shellcheck source=tests/command/pmu.sh disable=SC2154
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'

command -v gcc >/dev/null || command -v clang >/dev/null || skip_all 'neither gcc nor clang'
preload=$build/bindings/.libs/libpmu-preload.so
unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS PMU_MIN_TIME
export XDG_RUNTIME_DIR="$tmp" PMU_BACKEND=clock

# build COMPILER OPTION...: program, or program.cc's, with its plugins
build_c() {
	compiler=$1
	shift
	rm -f program
	"$compiler" -std=gnu11 "$@" -finstrument-functions -o program "$source/tests/preload/functions.c" -pthread -ldl 2>err
	result $? "$compiler $* builds the C program"
	for i in 1 2; do
		"$compiler" "$@" -finstrument-functions -DNAME="plugin_$i" -shared -fPIC \
			-o "plugin$i.so" "$source/tests/preload/functions_plugin.c" 2>err || result 1 "plugin $i"
	done
}

build_cxx() {
	compiler=$1
	shift
	rm -f program
	"$compiler" -std=c++17 "$@" -finstrument-functions -o program "$source/tests/preload/functions.cc" 2>err
	result $? "$compiler $* builds the C++ program"
}

# run_it [NAME=VALUE...] ARGUMENT...: reports in run.json (with %p: of each process) and out
run_it() {
	rm -f ./*.json
	env LD_PRELOAD="$preload" PMU_OUTPUT="${output:-run.json}" \
		TEST_PLUGIN_1="$tmp/plugin1.so" TEST_PLUGIN_2="$tmp/plugin2.so" "$@" >out 2>err
}

# what FILE: "CALLS PATH FLAGS" of each region
what() {
	awk '
		/^    {"name": / {
			path = $0
			sub(/.*, "path": "/, "", path)
			sub(/", "group": .*/, "", path)
		}
		/^     "calls": / && path != "" {
			flags = $0
			sub(/.*"flags": \[/, "", flags)
			sub(/\].*/, "", flags)
			gsub(/[",]/, "", flags)
			calls = $2
			sub(/,/, "", calls)
			print calls " " path " " flags
			path = ""
		}' "$1"
}

# regions NAME FILE 'CALLS PATH'...: each of these is there, whatever its flags; on err what is
regions() {
	name=$1 file=$2
	shift 2
	what "$file" >what 2>err
	bad=0
	for line in "$@"; do
		awk -v want="$line" 'index($0, want " ") == 1 { found = 1 } END { exit !found }' what || {
			bad=1
			echo "no: $line" >>err
		}
	done
	[ "$bad" = 0 ] || cat what >>err
	result $bad "$name"
}

# lacks_name NAME FILE TEXT
lacks_name() {
	what "$2" >what 2>err
	[ -s what ] && ! grep -qF -- "$3" what || { cat what >>err && false; }
	result $? "$1"
}

# no_doubts NAME FILE: every end met its beginning; what time stamps leave over is not asked here
no_doubts() {
	sed -n '/"doubts"/,$p' "$2" | grep '"text": ' >>err
	[ -s "$2" ] && [ ! -s err ]
	result $? "$1"
}

plain_calls() {
	run_it ./program calls
	regions "$how: every call is counted" run.json '1 main' '1 main/deed_calls' '11 main/deed_calls/outer' \
		'33 main/deed_calls/outer/inner' '66 main/deed_calls/outer/inner/leaf' '177 main/deed_calls/fib'
	regions "$how: before main too" run.json '1 before_main' '1 before_main/leaf'
	no_doubts "$how: and there is no doubt" run.json
}

deep() {
	run_it ./program depth
	regions "$how: deep recursion of two" run.json '2501 main/deed_depth/is_even' '2500 main/deed_depth/is_even/is_odd'
}

jumps() {
	run_it ./program jump
	at=main/deed_jump/jumper
	regions "$how: what longjmp() jumps over has ended" run.json "50 $at" "50 $at/far_1/far_2/far_3/far_4/far_5" \
		"50 $at/large" "50 $at/large/leaf" "50 $at/outer" "150 $at/outer/inner" '1 main/deed_jump/outer'
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program handler_jump
	at=main/deed_handler_jump/catcher
	regions "$how: siglongjmp() out of a handler on another stack" run.json "20 $at" "20 $at/raiser" \
		"20 $at/raiser/jump_out" "20 $at/raiser/jump_out/leaf" "20 $at/large" '1 main/deed_handler_jump/outer'
	no_doubts "$how: and there is no doubt" run.json
}

others() {
	run_it ./program handler
	regions "$how: signal handlers" run.json '100 main/deed_handler/interrupted/handler/leaf' \
		'100 main/deed_handler/interrupted/leaf'
	run_it ./program coroutine
	at=main/deed_coroutine/scheduler
	regions "$how: a coroutine goes on while others run" run.json "1 $at" "1 $at/coroutine" "10 $at/coroutine/step" \
		'1 main/deed_coroutine/outer'
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program given_up
	at=main/deed_given_up/never_resumed
	regions "$how: coroutines that never go on" run.json "6 $at" "6 $at/step_away" "6 $at/step_away/leaf"
	lacks_name "$how: and have ended where the next has its stack" run.json recursive
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program setcontext
	at=main/deed_setcontext
	regions "$how: what setcontext() leaves has ended" run.json "5 $at/go_back" "5 $at/go_back/leaf" "1 $at/large" \
		"1 $at/inner"
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program leave
	regions "$how: what a thread does after it has left its functions" run.json \
		'1 main/deed_leave/thread/quit_inside' '1 main/deed_leave/thread/wait_inside' \
		'2 main/deed_leave/thread/tidy' '2 main/deed_leave/thread/tidy/large'
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program threads
	work=main/deed_threads/thread/work
	regions "$how: threads, whichever way they end" run.json "4 $work" "4000 $work/inner" \
		"8000 $work/inner/leaf" "1 $work/quit_inside" "1 $work/quit_inside/leaf" \
		"1 $work/wait_inside"
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program exit
	regions "$how: exit() ends what is open" run.json '1 main/deed_exit/quit' '1 last_words/leaf'
	no_doubts "$how: and there is no doubt" run.json
	output='%p.json' run_it ./program fork
	set -- ./*.json
	for file in "$@"; do
		what "$file"
	done >both
	grep -q '^2 main/deed_fork/outer ' both && grep -q '^1 main/deed_fork/inner ' both
	result $? "$how: a forked child goes on"
	run_it ./program plugins
	regions "$how: objects that come and go" run.json '6 main/deed_plugins/run' '6 main/deed_plugins/run/plugin_1' \
		'6 main/deed_plugins/run/plugin_2'
	sed 's/^/# plugins had /' out
}

# ends_anywhere DEED: however a begin or end is interrupted that never goes on, what is around it is there
ends_anywhere() {
	good=0
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		rm -f run.csv
		"$pmu" run -o run.csv ./program "$1" >out 2>err
		awk -F , '
			$2 == "main" && $5 == "all" { main = $6 == 1 && $7 >= 4e6 }
			$2 == "main/deed_alarm/tiny" || $2 == "main/deed_alarm_exit/deed_alarm/tiny" { tiny = $6 > 0 }
			$2 ~ /deed_alarm$/ && $5 == "all" { around = $6 == 1 && $7 >= 4e6 }
			END { exit !(main && tiny && around) }' run.csv && good=$((good + 1))
	done
	[ $good = 16 ] || cat run.csv >>err
	[ $good = 16 ]
	result $? "$how: $1: what was open is there ($good of 16)"
}

without_names() {
	cp program named
	strip program
	run_it ./program jump
	outer=$(nm named | awk '$3 == "outer" { sub(/^0+/, "", $1); print $1 }')
	leaf=$(nm named | awk '$3 == "leaf" { sub(/^0+/, "", $1); print $1 }')
	[ "$(what run.json | awk -v name="/program+0x$outer" 'substr($2, length($2) - length(name) + 1) == name { n += $1 }
		END { print n }')" = 51 ]
	result $? "$how, stripped: object and address"
	regions "$how, stripped: main is main" run.json '1 main'
	[ "$(what run.json | awk -v name="/program+0x$leaf" 'substr($2, length($2) - length(name) + 1) == name { n += $1 }
		END { print n }')" = 357 ]
	result $? "$how, stripped: every call is counted"
	objcopy --only-keep-debug named program.debug && objcopy --add-gnu-debuglink=program.debug program
	run_it ./program jump
	regions "$how, stripped: names from the file beside it" run.json '50 main/deed_jump/jumper/outer'
	objcopy --only-keep-debug named other.debug
	printf 'x' >>program.debug
	mv named program
	run_it ./program jump
	regions "$how: its own names are there again" run.json '50 main/deed_jump/jumper/outer'
}

exceptions() {
	run_it ./program
	at='main/catcher()/past_1()'
	regions "$how: what an exception passes has ended" run.json '10 main/catcher()' "10 $at" "10 $at/past_2()" \
		"10 $at/past_2()/past_3()" "40 $at/past_2()/past_3()/ns::thrower(int)" \
		'10 main/catcher()/ns::over(int, char)' '10 main/catcher()/ns::over(int)'
	regions "$how: names" run.json '10 main/int ns::twice<int>(int)' '10 main/double ns::twice<double>(double)' \
		"10 $at/ns::thing::thing(int)" '1 main/ns::thing::thing(int)'
	[ "$(what run.json | grep -c 'ns::thing::operator\\\\*/(int) const')" = 1 ]
	result $? "$how: an operator's name"
	no_doubts "$how: and there is no doubt" run.json
	run_it ./program once
	regions "$how: a loop in main that catches" run.json '40 main/quick(int)' '1 main/worker()' '1 main/large_worker()'
	lacks_name "$how: and ends each time" run.json recursive
	no_doubts "$how: and there is no doubt" run.json
	what run.json | grep -q '^1 main/void long_named<.*>::own_name(' ||
		what run.json | grep -q '^1 main/long_named<.*>::own_name('
	result $? "$how: a name that is too long keeps its own part"
	run_it ./program by turns
	regions "$how: two by turns from one place" run.json '60 main/quick(int)' '20 main/other_quick(int)' '1 main/worker()' \
		'1 main/large_worker()'
	lacks_name "$how: and ends each time" run.json recursive
	no_doubts "$how: and there is no doubt" run.json
	run_it PMU_FUNCTIONS='!catcher' ./program
	at='main/past_1()'
	regions "$how: the catcher left out" run.json "10 $at" "10 $at/past_2()/past_3()" '10 main/ns::over(int, char)' \
		'10 main/ns::over(int)'
	no_doubts "$how: and there is no doubt" run.json
	run_it PMU_FUNCTIONS='*::over,catcher' ./program
	regions "$how: patterns without parameters" run.json '10 main/catcher()/ns::over(int, char)' \
		'10 main/catcher()/ns::over(int)'
	lacks_name "$how: and nothing else" run.json past
}

filters() {
	run_it PMU_FUNCTIONS='outer, in*' ./program calls
	regions "only some" run.json '11 main/outer' '33 main/outer/inner'
	lacks_name "no others" run.json leaf
	run_it PMU_FUNCTIONS='!leaf,!is_*' ./program calls
	regions "all but some" run.json '33 main/deed_calls/outer/inner' '177 main/deed_calls/fib'
	lacks_name "not leaf" run.json leaf
	lacks_name "not is_odd" run.json is_odd
	run_it PMU_FUNCTIONS='*e*,!inner,[i]nner' ./program calls
	regions "the last match wins" run.json '33 main/deed_calls/outer/inner'
	lacks_name "what none matches" run.json fib
	run_it PMU_FUNCTIONS='nothing_like_it' ./program calls
	grep -q 'PMU_FUNCTIONS=nothing_like_it matches none of the [0-9]* instrumented functions' run.json
	result $? "a pattern that matches nothing is told"
	lacks_name "and nothing is a region" run.json outer
	run_it PMU_AUTO=main ./program calls
	lacks_name "PMU_AUTO without functions" run.json outer
	regions "PMU_AUTO=main" run.json '1 main'
	run_it PMU_AUTO=functions ./program calls
	regions "PMU_AUTO=functions: main is a function" run.json '1 main/deed_calls' '11 main/deed_calls/outer'
	run_it PMU_MIN_TIME=2us ./program times
	regions "long ones stay, with all calls" run.json '1500 main/deed_times/long_one'
	lacks_name "short ones are left out" run.json inner
	lacks_name "recursive ones too" run.json short_recursive
	grep -q 'PMU_MIN_TIME=2us left out .*leaf' run.json
	result $? "and named"
	run_it PMU_MIN_TIME=soon ./program times
	grep -q 'PMU_MIN_TIME=soon is no time' run.json
	result $? "a time that is none is told"
	regions "and nothing is left out" run.json '1500 main/deed_times/long_one/inner'
	run_it PMU_ENABLE=0 ./program calls
	[ ! -e run.json ] && [ ! -s err ]
	result $? "switched off"
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for level in -O0 -O2; do
		how="$compiler $level"
		build_c $compiler $level -g
		plain_calls
		deep
		jumps
		others
		ends_anywhere alarm
		ends_anywhere alarm_exit
		[ $level = -O0 ] || without_names
	done
done
filters
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for level in -O0 -O2; do
		how="$compiler $level"
		build_cxx $compiler $level
		exceptions
	done
done
build_c "${TEST_CC:-cc}" -O1 -no-pie
how='not position independent'
plain_calls
finish
