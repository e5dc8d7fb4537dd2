#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --auto locks: calls that wait for another thread are regions, as often as they do; calls that need not are none,
# locks do what they do without, and where the word is not given nothing is different.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
cc=${TEST_CC:-cc} cxx=${TEST_CXX:-c++} valgrind=${TEST_VALGRIND:-valgrind}
preload=$build/bindings/.libs/libpmu-preload.so
unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS PMU_OUTPUT LD_PRELOAD
export XDG_RUNTIME_DIR="$tmp" PMU_BACKEND=clock TEST_PLUGIN="$tmp/plugin.so"
evidence='err out diff.list got.list'
: >diff.list
: >got.list

# build_program OPTION...
build_program() {
	$cc -std=gnu11 -O2 "$@" -o program "$source/tests/preload/locks.c" -pthread -ldl >err 2>&1
}

# sum: NAME CALLS of what is CALLS NAME
sum() {
	awk '{ n[substr($0, index($0, " ") + 1)] += $1 } END { for (name in n) print name, n[name] }' "$1" | sort
}

# waits: NAME CALLS of all waits in run.csv
waits() {
	awk -F, '$5 == "all" && $3 ~ /^wait / { print $6, $3 }' run.csv >waits.list
	sum waits.list
}

# same NAME PART...: with locks as regions it says the same and ends the same, and each wait is one
same() {
	name=$1
	shift
	TEST_CALLS=want.calls ./program "$@" >want.out 2>err
	want=$?
	TEST_CALLS=got.calls "$pmu" run --auto locks -o run.csv -o run.txt -- ./program "$@" >out 2>err
	got=$?
	[ $want = 7 ] && [ $got = 7 ] && cmp -s want.out out && ! [ -s err ]
	result $? "$name: same output and status"
	sum got.calls >want.list
	waits >got.list
	diff want.list got.list >diff.list
	result $? "$name: what waits is a region, nothing else"
	: >diff.list
}

# --- every kind of lock, in every way to be linked ------------------------------------------------------------

$cc -std=gnu11 -O2 -fPIC -shared -o plugin.so "$source/tests/preload/locks_plugin.c" -pthread >err 2>&1
result $? 'a plugin is built'
all='mutexes rwlocks conditions semaphores joins c11 barriers kinds cancellations signals plugins'
for how in '-Wl,-z,lazy' '-Wl,-z,now' '-fno-pie -no-pie' '-fno-plt'; do
	# shellcheck disable=SC2086 # holds options
	if build_program $how; then
		same "$how" $all
	else
		skip "$how" 'cannot be built'
	fi
done
build_program
for part in $all; do
	same "$part" "$part"
done

# What was cancelled is over when the program cleans up.
same 'cancellations once more' cancellations
awk -F, '$5 == "all" && $3 == "wait (mutex) clean_up" && $2 ~ /thread\/wait \(mutex\) clean_up$/ { n++ }
	END { exit n != 1 }' run.csv
result $? 'what was cancelled is over when the program cleans up'

same 'signals once more' signals
awk -F, '$5 == "all" && $3 ~ /^wait \(mutex\) lock_plain$/ && $2 ~ /thread\/wait \(mutex\) lock_plain$/ { n++ }
	END { exit n != 1 }' run.csv
result $? 'so is what a signal handler has left'

./program forks >want.out
run 7 'a child' run --auto locks -o run.csv -o run.txt -- ./program forks
cmp -s want.out out
result $? 'a child: same output'
waits >got.list
is 'a child: its waits' "$(paste -s -d , got.list)" \
	'wait (mutex) lock_clock 1,wait (mutex) lock_plain 3,wait (mutex) lock_timed 1'

./program many >want.out
for again in 1 2 3; do
	run 7 "many threads, $again" run --auto locks -o run.csv -- ./program many
	cmp -s want.out out
	result $? "many threads, $again: same output"
done
grep -q ',wait (condition) hurry,' run.csv
result $? 'many threads: waits'

# --- who asks for it ------------------------------------------------------------------------------------------

run 7 'without the word' run -o run.csv -- ./program mutexes
is 'without the word: no waits' "$(waits)" ''
PMU_AUTO=locks PMU_OUTPUT=run.csv LD_PRELOAD=$preload ./program mutexes >out 2>err
is 'by its variable' "$(waits | paste -s -d ,)" \
	'wait (mutex) lock_clock 1,wait (mutex) lock_plain 3,wait (mutex) lock_timed 1'
run 7 'with wrapped functions' run --auto locks,wrap --wrap libc:sem_init -o run.csv -- ./program semaphores
is 'with wrapped functions: both' "$(waits | paste -s -d ,) $(awk -F, '$5 == "all" && $3 == "sem_init" { print $6 }' run.csv)" \
	'wait (semaphore) take 1,wait (semaphore) take_timed 2 1'

# --- other languages, tools and allocators -----------------------------------------------------------------------

if command -v "${cxx%% *}" >/dev/null && $cxx -O2 -o cxx "$source/tests/preload/locks.cc" -pthread 2>err; then
	run 0 'C++' run --auto locks -o run.csv -- ./cxx
	is 'C++: same output' "$(cat out)" 200
	waits | grep -q '^wait (condition) '
	result $? 'C++: its waits'
else
	skip 'C++' 'no compiler'
fi

build_program -fsanitize=thread -g && ./program many >want.out 2>err
if [ $? = 7 ]; then
	run 7 'under ThreadSanitizer' run --auto locks -o run.csv -- ./program conditions many
	lacks err 'ThreadSanitizer' 'under ThreadSanitizer: no report'
	waits >got.list
	if ldd ./program | grep -q libtsan; then
		grep -q '^wait (condition) too_late 2$' got.list
		result $? 'under ThreadSanitizer: waits'
	else
		skip 'under ThreadSanitizer: waits' 'its functions stand in the program, which calls them without a slot'
	fi
else
	skip 'under ThreadSanitizer' 'it does not run here'
fi

# What names regions may need memory while an allocator holds a lock of its own.
cat >allocator.c <<'C'
#include <pthread.h>
#include <stddef.h>
void *__libc_malloc(size_t size);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void *malloc(size_t size)
{
	void *memory;

	pthread_mutex_lock(&mutex);
	memory = __libc_malloc(size);
	pthread_mutex_unlock(&mutex);
	return memory;
}
C
if build_program && $cc -O2 -fPIC -shared -o allocator.so allocator.c -pthread >err 2>&1; then
	LD_PRELOAD=./allocator.so run 7 'an allocator' run --auto locks -o run.csv -o run.txt -- ./program mutexes
	has run.txt 'what allocator.so waits for is not seen' 'an allocator: it says so'
	is "an allocator: the program's waits" "$(waits | paste -s -d ,)" \
		'wait (mutex) lock_clock 1,wait (mutex) lock_plain 3,wait (mutex) lock_timed 1'
else
	skip 'an allocator' 'cannot be built'
fi

if command -v "$valgrind" >/dev/null; then
	for tool in helgrind drd; do
		LD_PRELOAD=$preload PMU_AUTO=locks "$valgrind" --tool=$tool ./program many >out 2>err
		has err 'ERROR SUMMARY: 0 errors' "under $tool: nothing to say"
		has err "under helgrind and drd no wait" "under $tool: the report says so"
	done
else
	skip 'under helgrind' 'no valgrind'
fi

# --- what it costs ------------------------------------------------------------------------------------------------

cat >pairs.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}
C

# instructions VARIABLE...: of 1,000 pairs
instructions() {
	for pairs in 1000 2000; do
		env "$@" "$valgrind" --tool=callgrind --callgrind-out-file=/dev/null ./pairs $pairs 2>&1 |
			awk '/Collected/ { print $4 }'
	done | paste -s -d ' ' | awk '{ print $2 - $1 }'
}

if command -v "$valgrind" >/dev/null && $cc -O2 -o pairs pairs.c -pthread >err 2>&1; then
	plain=$(instructions PMU_OUTPUT=none)
	same=$(instructions PMU_OUTPUT=none LD_PRELOAD="$preload")
	# all that the library does beside may be some instructions more or less
	ok 'without the word: not an instruction more' within $((same - plain)) -999 999
	locks=$(instructions PMU_OUTPUT=none PMU_AUTO=locks LD_PRELOAD="$preload")
	echo "# $plain instructions of 1,000 pairs, $locks with locks as regions"
	ok 'with it: some instructions more' within $((locks - plain)) -30000 30000
else
	skip 'what it costs' 'no valgrind'
fi

finish
