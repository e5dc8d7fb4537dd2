#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs not linked with libpmu, with it loaded into them: they do what they did, and main and thread
# are measured whichever way they end.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'

program=$build/tests/preload/preloaded
preload=$build/bindings/.libs/libpmu-preload.so
stores=$tmp/stores
unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS
export XDG_RUNTIME_DIR="$tmp"
mkdir "$tmp/cores"
# shellcheck disable=SC3045 # where there is no such limit, there is no core either way
ulimit -c unlimited 2>/dev/null # the mark in the status needs a core

# watch PRELOAD DEED...: how it ended in how, what it said in out and err
watch() {
	(
		cd "$tmp/cores" || exit
		TEST_PRELOAD=$1
		[ -z "$1" ] || export TEST_PRELOAD
		shift
		# to its end: that of a daemon too
		"$program" watch "$program" "$@" 2>"$tmp/err" | cat >"$tmp/out"
	)
	rm -f "$tmp/cores/"*
}

# what_stores: each region in each store that is left: its name, its calls, "open"
what_stores() {
	for store in "$stores"/*.pmu; do
		[ -f "$store" ] || continue
		"$pmu" report -o "$tmp/store.json" "$store" 2>>"$tmp/err"
		awk '
			/^    {"name": .* "path":/ { name = $2; gsub(/[",]/, "", name) }
			/^     "calls":/ && name {
				calls = $2
				sub(/,/, "", calls)
				print name " " calls ($0 ~ /"open"\]/ ? " open" : "")
				name = ""
			}' "$tmp/store.json"
		rm -f "$store" "$tmp/store.json"
	done | sort | paste -s -d , | sed 's/,/, /g'
}

# ends REGIONS DEED...: it ends as without us and says the same; what is in the stores
ends() {
	want=$1
	shift
	watch '' "$@"
	mv out plain.out
	mv err plain.err
	rm -rf "$stores"
	mkdir -m 700 "$stores"
	PMU_STORE=$stores watch "$preload" "$@"
	cat out err >>both
	[ -s out ] && cmp -s plain.out out && cmp -s plain.err err
	result $? "$1${2:+ $2}: ends and speaks as without us ($(tail -n 1 plain.out))"
	got=$(what_stores)
	echo "got: $got" >>out
	[ "$got" = "$want" ]
	result $? "$1${2:+ $2}: $want"
}

# sees DEED: what it prints is the same
sees() {
	"$program" "$@" >plain.out 2>&1
	PMU_OUTPUT=none LD_PRELOAD=$preload "$program" "$@" >out 2>&1
	diff plain.out out >err && [ -s out ]
	result $? "$1: the same lines ($(wc -l <out))"
}

"${TEST_READELF:-readelf}" -d "$preload" >out 2>err
grep -q 'NEEDED.*\[libc\.so' out && ! grep 'NEEDED' out | grep -qv -e '\[libc\.so' -e '\[libm\.so' -e '\[ld-linux'
result $? 'it needs nothing but libc'

# --- ends ---
ends 'main 1' return
ends 'main 1' exit
ends 'main 1, thread 1' thread
ends 'main 1' _exit
ends 'main 1' _Exit
ends 'main 1' quick_exit
ends 'main 1' exit_group
ends 'main 1' exit_syscall
ends 'main 1' err
ends 'main 1 open' abort
ends 'main 1 open' fault
ends 'main 0 open' overflow # there is no room for a handler
ends 'main 1' exit_in_handler
ends 'main 1, thread 1' pthread_exit
for signal in 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 64; do
	ends 'main 1 open' kill $signal
done
for signal in 17 18 23 28; do
	ends 'main 1' kill $signal # by default these do nothing
done
ends 'main 0 open' kill 9
ends 'main 0 open, thread 1 open' kill_in_thread 15
ends 'main 1 open' default_again 15
ends 'main 1 open' default_again 11
ends 'main 1 open' default_by_signal 15
trap '' HUP
ends 'main 1' kill 1 # ignored from the start
trap - HUP
# what it forbids itself is forbidden to us
for how in return _exit exit_syscall kill kill_default; do
	ends 'main 1' prctl $how
	ends 'main 1' seccomp $how
done
ends 'main 1' strict
ends 'main 1' tsc
# nor is anything asked of the kernel where nothing is measured
export PMU_ENABLE=0
ends '' prctl exit_syscall
ends '' strict
unset PMU_ENABLE

# --- children and other programs ---
ends 'main 1, main 1' exec "$program" return
ends 'main 1, main 1' stop # by its parent: not a death
ends 'main 1' exec /nowhere/at/all
ends 'main 1, main 1' execl
ends 'main 1' exec_that_fails
ends 'main 1, main 1' fork_child
ends 'main 1, main 1' fork_cleared
ends 'main 1, main 1' fork__exit
ends 'main 1, thread 1, thread 1' fork_thread
ends 'main 1, main 1, main 1' fork_exec
ends 'main 1, main 1 open' fork_killed
ends 'main 1, main 1' vfork_exec
ends 'main 1' vfork__exit
ends 'main 1' vfork_killed
ends 'main 0 open' vfork_then_die # the child has not ended what is the parent's
ends 'main 1, main 1' by_system
ends 'main 1, main 1' by_daemon

# --- programs with an exec of their own ---
for library in "$preload" "$build/lib/.libs/libpmu.so.0"; do
	PMU_OUTPUT=none LD_PRELOAD=$library "$build/tests/preload/preloaded_own" >out 2>err
	status=$?
	[ $status = 23 ] && [ "$(cat out)" = 'execv execvp execve' ]
	result $? "functions of the program's own, made of other ones of libc, with ${library##*/} ($status: $(cat out))"
done

# --- threads ---
ends 'main 1, thread 4' join_four
ends 'main 1, thread 1' join_early
ends 'main 1, thread 1' join_cancelled
ends 'main 1, thread 1' detach
ends 'main 1, thread 1' join_small
ends 'main 1, thread 1' join_c11
ends 'main 1' cannot_start
ends 'main 1, thread 1' errno_in_thread
rm -rf "$stores"
mkdir -m 700 "$stores"
PMU_STORE=$stores watch "$preload" join_named
"$pmu" report -o out.json "$stores"/*.pmu 2>err
grep -q '"thread": 1, "name": "worker 7"' out.json
result $? 'a thread has the name that it took'
PMU_AUTO=main ends 'main 1' join_four
PMU_AUTO=threads ends 'thread 4' join_four
PMU_AUTO=main,threads ends 'main 1, thread 4' join_four
PMU_AUTO=none ends '' join_four

# --- with libpmu itself, which the program may be linked with, or which pins ---
both="$preload $build/lib/.libs/libpmu.so.0"
rm -rf "$stores"
mkdir -m 700 "$stores"
PMU_STORE=$stores PMU_PIN=compact watch "$both" join_four
got=$(what_stores)
[ "$(cat out)" = 'exit 4' ] && [ "$got" = 'main 1, thread 4' ]
result $? "both libraries are preloaded: $got"
PMU_PIN=compact PMU_OUTPUT=none LD_PRELOAD=$both nproc >out
nproc >plain.out
cmp plain.out out >err
result $? 'pinned, and told of all processors'
mkdir -m 700 "$tmp/linked"
LD_PRELOAD=$preload PMU_STORE=$tmp/linked "$build/tests/api/pairs" 10 >out 2>err
set -- "$tmp/linked"/*
[ $# = 1 ] && "$pmu" report -o out.csv "$1" 2>err && grep -q '^[A-Z]*,main,main,0,all,1,' out.csv &&
	grep -q '^[A-Z]*,main/fifteen letters,[^,]*,1,all,110,' out.csv
result $? 'regions of the program are inside main, in one session'

# --- what a program can ask ---
sees ask
sees set
sees set_by_others
sees interrupt
sees ask_errno

# --- what it leaves of the static TLS block for libraries with initial-exec variables ---
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW);

	puts(library ? "loaded" : dlerror());
	return !library;
}
C
echo '__thread char room[SIZE] __attribute__((tls_model("initial-exec"))); char *get(void) { return room; }' >room.c
cc=${TEST_CC:-cc}
if $cc -o opens opens.c -ldl 2>err; then
	for size in 500 1100 1300; do
		$cc -shared -fPIC -DSIZE=$size -o room.so room.c 2>>err
		./opens ./room.so >plain.out 2>&1
		PMU_OUTPUT=none LD_PRELOAD=$preload ./opens ./room.so >out 2>err
		cmp -s plain.out out
		result $? "a library with $size bytes of them is loaded as without us ($(head -n 1 plain.out))"
	done
fi

# --- switched off, closed, missing ---
PMU_ENABLE=0 ends '' join_four
LD_PRELOAD=$preload PMU_ENABLE=0 "$program" watch cat /proc/self/maps >out
! grep -q 'libpmu\.so' out && grep -q 'libpmu-preload\.so' out
result $? 'PMU_ENABLE=0: libpmu is not loaded'
for descriptors in '2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
	eval "PMU_OUTPUT=none LD_PRELOAD=\$preload \"\$program\" return $descriptors"
	[ $? = 3 ]
	result $? "with $descriptors the program is itself"
done
mkdir elsewhere
cp "$preload" elsewhere
LD_PRELOAD=$tmp/elsewhere/libpmu-preload.so LD_LIBRARY_PATH='' "$program" return >out 2>err
status=$?
if [ "$status" = 3 ] && [ ! -s err ]; then
	skip 'without libpmu' 'it is installed here'
else
	[ "$status" = 3 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
		grep -q '^pmu: .*libpmu\.so\.0.*; the program runs unmeasured$' err
	result $? 'without libpmu: one line, and the program is itself'
fi
: >elsewhere/libpmu.so.0
LD_PRELOAD=$tmp/elsewhere/libpmu-preload.so "$program" return >out 2>err
[ $? = 3 ] && { [ ! -s err ] || [ "$(wc -l <err)" = 1 ]; }
result $? 'with a libpmu that is none: one line, and the program is itself'

finish
