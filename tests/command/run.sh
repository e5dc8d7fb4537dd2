#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run`: the command runs as without it, its report is made however it ends, and mistakes are reported before it starts.
. "$(dirname "$0")/pmu.sh"
subcommand=run
sanitizers=${TEST_SANITIZERS:-}
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT

# A sanitizer's runtime has to be the first library of a program: there only programs that are linked with libpmu are
# measured, by a command that has nothing to preload.
mkdir alone
cp "$pmu" alone/pmu
[ -z "$sanitizers" ] || pmu=$tmp/alone/pmu

cat >program.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pmu.h"

static volatile sig_atomic_t got, times;

static void note(int number)
{
	got = number;
	times++;
}

/* What a program finds when it starts: descriptors, signals. */
static int show(void)
{
	struct sigaction old;
	sigset_t mask;

	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("fd %d\n", fd);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < 32; i++) {
		sigaction(i, NULL, &old);
		if (old.sa_handler == SIG_IGN || sigismember(&mask, i))
			printf("signal %d%s%s\n", i, old.sa_handler == SIG_IGN ? " ignored" : "",
			       sigismember(&mask, i) ? " blocked" : "");
	}
	return 0;
}

/* Waits for a signal, says which; -1: for one that kills. */
static int await(int number)
{
	if (number > 0)
		signal(number, note);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 1000 && !got; i++)
		poll(NULL, 0, 10);
	poll(NULL, 0, 200);
	printf("got %d, %d times\n", (int)got, (int)times);
	return 40;
}

static void exit_past_libc(int status)
{
#if defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(231), "D"(status) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = 94, x0 __asm__("x0") = status;

	__asm__ volatile("svc #0" : : "r"(x8), "r"(x0) : "memory");
#endif
}

static int work(const char *region)
{
	pmu_region_begin(region);
	pmu_region_end(region);
	return 0;
}

static void *forget(void *arg)
{
	pmu_region_begin("in a thread");
	pthread_exit(arg);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int value = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread;

	if (!strcmp(what, "show"))
		return show();
	if (!strcmp(what, "ignoring")) { /* no shell ignores this for its children */
		signal(SIGCHLD, SIG_IGN);
		execvp(argv[2], argv + 2);
		return 41;
	}
	work("region");
	if (!strcmp(what, "await"))
		return await(value);
	if (!strcmp(what, "status"))
		return value;
	if (!strcmp(what, "signal")) {
		signal(value, SIG_DFL);
		kill(getpid(), value);
	}
	if (!strcmp(what, "parent")) {
		kill(getppid(), SIGUSR1);
		poll(NULL, 0, 300);
	}
	if (!strcmp(what, "stop"))
		raise(SIGTSTP);
	if (!strcmp(what, "_exit"))
		_exit(value);
	if (!strcmp(what, "inline")) /* as programs do that are not C's */
		exit_past_libc(value);
	if (!strncmp(what, "forget", 6)) {
		pmu_region_begin("forgotten");
		poll(NULL, 0, 2);
		if (!strcmp(what, "forget_exit"))
			_exit(value);
		if (!strcmp(what, "forget_in_thread")) {
			pthread_create(&thread, NULL, forget, NULL);
			pthread_join(thread, NULL);
			pmu_region_end("forgotten");
		}
	}
	if (!strcmp(what, "exec")) {
		execl(argv[0], argv[0], "status", argv[2], (char *)NULL);
		return 41;
	}
	if (!strcmp(what, "children"))
		for (int i = 0; i < value; i++) {
			if (!fork())
				execl(argv[0], argv[0], "status", "0", (char *)NULL);
			wait(NULL);
		}
	if (!strcmp(what, "daemon")) {
		if (!fork()) {
			work("region");
			for (int fd = 0; fd < 3; fd++)
				close(fd);
			poll(NULL, 0, 1000 * value);
		}
		poll(NULL, 0, 100);
	}
	if (!strcmp(what, "fork") && !fork())
		poll(NULL, 0, value);
	if (!strcmp(what, "hide"))
		puts(getenv("PMU_OUTPUT") ? "PMU_OUTPUT" : "nothing");
	return 0;
}
C
# shellcheck disable=SC2086 # both hold options
${TEST_CC:-cc} -D_GNU_SOURCE ${TEST_CFLAGS:-} -I"$source/include" -pthread -o program program.c -L"$build/lib/.libs" -lpmu \
	-Wl,-rpath,"$build/lib/.libs" 2>log || {
	sed 's/^/# /' log
	echo 'Bail out! the test program cannot be built'
	exit 1
}

# ready FILE: waits until it has that word
ready() {
	tries=0
	while [ $tries -lt 100 ] && ! grep -q ready "$1"; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

# The folders of runs, by the number.
folders() {
	find place/pmu -name 'run-*' | wc -l
}

swept() {
	[ "$(folders)" = 0 ]
	result $? "$1"
}

left() {
	[ "$(folders)" = 1 ]
	result $? "$1"
}

# same WAY NAME: with and without pmu run, a program says and does the same; $before sets its scene
before=
same() {
	eval "$before PMU_OUTPUT=none ./program $1" >plain.out 2>plain.err
	want=$?
	eval "$before \"\$pmu\" run -o report.txt ./program $1" >out 2>err
	got=$?
	cmp -s plain.out out && cmp -s plain.err err && [ "$got" = "$want" ]
	result $? "$2 (status $got, want $want)"
	rm -f report.txt
}

# --- as without it ---
same 'status 0' 'a clean end'
same 'status 7' 'a status'
same '_exit 9' '_exit'
same 'exec 3' 'another program in its place'
same show 'descriptors and signals'
before='exec 3<program.c;'
same show 'a descriptor more'
exec 3<&-
before='trap "" INT USR1;'
same show 'ignored signals'
trap - INT USR1
before=
PMU_OUTPUT=none ./program ignoring ./program show >plain.out
./program ignoring "$pmu" run -o report.txt ./program show >out 2>err
cmp -s plain.out out && [ -e report.txt ]
result $? 'a parent that waits for nobody'
./program ignoring "$pmu" run -o report.txt ./program status 7
[ $? = 7 ]
result $? 'and is told the status'
PMU_OUTPUT=none ./program show <&- >plain.out 2>&-
"$pmu" run ./program show <&- >out 2>&-
cmp -s plain.out out
result $? 'closed standard files stay closed'
run 0 'PMU_OUTPUT' -o report.txt env PMU_OUTPUT= ./program hide
PMU_OUTPUT=report.txt run 0 'PMU_OUTPUT' ./program hide
has out nothing 'is not for the command'
has report.txt 'region' 'but for us'
rm -f report.txt
PMU_OUTPUT=none run 0 'PMU_OUTPUT=none' ./program
[ ! -s err ]
result $? 'is no report'

# --- ends ---
for number in 1 2 3 6 9 11 13 15; do
	rm -f report.json
	# the shell's own words on the death go elsewhere
	("$pmu" run -o report.json ./program signal "$number" >out 2>err; echo $? >got) 2>words
	[ "$(cat got)" = $((128 + number)) ]
	result $? "signal $number ends us alike"
	has report.json "\"signal\": $number" 'the report says so'
	has report.json '"name": "region"' 'and has what ended before'
done
if command -v bash >/dev/null; then
	(ulimit -c unlimited; bash -c '"$0" run -o report.txt ./program signal 6; :' "$pmu") >out 2>&1
	has out 'Aborted' 'a death that leaves a core'
	lacks out 'core dumped' 'leaves none of ours'
fi
rm -f core*
run 7 'a status' -o report.txt ./program status 7
has report.txt 'status 7, ' 'is in the report'
has report.txt ' user, ' 'with the time of the processor'
run 0 'a program in its place' -o report.json ./program exec 0
[ "$(grep -c '"pid": ' report.json)" = 3 ]
result $? 'both are in the report'
has report.json "\"command\": \"./program exec 0\"" 'which has the command line that was run'
run 0 'a program in its place' -o report.txt ./program exec 0
has report.txt 'pmu: program (1 process on ' 'is the same process'
swept 'nothing is left over'

run 0 'lengths of calls' --histogram -o report.json ./program
has report.json '"histogram"' 'have a histogram'
for event in page-faults context-switches; do
	printf '[group]\nabout = %s\n[events]\nE = %s\n' $event $event >$event.group
done
PMU_GROUP_PATH=$PWD run 0 'groups in turns' --rotate -g page-faults,context-switches -o report.json ./program
[ "$(grep -c '"main"' report.json)" = 0 ]
result $? 'have no main around them'
run 0 'one group in turns' --rotate -g SOFTWARE -o report.json ./program
has report.json 'groups do not rotate: fewer than two of them can' 'stays, which the report says'
run 0 'all that can be counted' --all-metrics -o report.json ./program
grep -q '"name": "SOFTWARE"' report.json
result $? 'has what the kernel counts, at the least'
run 2 'all and one' --all-metrics -g CORE ./program
run 0 'quietly' -q ./program
grep -q '^  region ' err && ! grep -q '^pmu: ' err && ! grep -q machine err
result $? 'has the rows alone'
PMU_REPORT=brief run 0 'by the variable' ./program
[ "$(sed -n 1p err | cut -c 1-8)" = '  region' ]
result $? 'too'

run 0 'a list of calls' -q --sort calls --top 1 --filter 'reg*' ./program
grep -qE '^  (main/)?region +1 ' err
result $? 'has what was asked for'

# --- on a terminal ---
# terminal COLUMNS COMMAND...: its output, where all of it is a terminal
cat >terminal.py <<'P'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 25, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
os.waitpid(pid, 0)
P
esc=$(printf '\033')
narrow() { # of lines without escape sequences none is wider
	tr -d '\r' <out | sed "s/$esc\[[0-9]*m//g" >plain
	grep -q '^pmu: program' plain && [ "$(awk '{ if (length > n) n = length } END { print n }' plain)" -le "$1" ]
	result $? "$2"
}
if python3 -c 'import pty' 2>/dev/null; then
	TERM=xterm NO_COLOR='' python3 terminal.py 70 "$pmu" run ./program >out 2>err
	narrow 70 'text fits a terminal'
	has out "$esc[1m" 'and is in colour'
	TERM=xterm NO_COLOR=1 python3 terminal.py 70 "$pmu" run ./program >out 2>err
	narrow 70 'also'
	lacks out "$esc" 'without'
	TERM=dumb python3 terminal.py 160 "$pmu" run ./program >out 2>err
	lacks out "$esc" 'a dumb terminal has none'
	TERM=xterm NO_COLOR='' python3 terminal.py 70 ./program >out 2>err
	narrow 70 'at exit, too'
	has out "$esc[1m" 'it is in colour'
else
	skip 'terminals' 'no python3 with pty'
fi

# --- top-down analysis is groups that take turns ---
if "$pmu" run --require -g TMA1 -o none true 2>err; then
	"$pmu" run --topdown -o none env >out 2>err
	has out 'PMU_GROUP=TMA2' 'to level 2'
	has out 'PMU_ROTATE=1' 'whose groups take turns'
	"$pmu" run --topdown=1 -o none env >out 2>err
	has out 'PMU_GROUP=TMA1' 'level 1'
	lacks out 'PMU_ROTATE' 'is one group'
else
	for level in '' =1 =3; do
		! "$pmu" run --topdown$level sh -c ': >started' >out 2>err && [ ! -e started ]
		result $? "top-down analysis$level where nothing of it can be counted is refused"
		has err 'nothing was run' '  and told why'
		lacks err 'rotation' '  without what groups do inside'
	done
fi

# --- mistakes are told before the start ---
# refused STATUS NAME TEXT ARGUMENT...
refused() {
	want=$1 name=$2 text=$3
	shift 3
	rm -f started
	"$pmu" run "$@" sh -c ': >started' >out 2>err
	got=$?
	[ "$got" = "$want" ] && [ ! -e started ] && grep -qF -- "$text" err
	result $? "$name (status $got, want $want)"
}
refused 2 'an unknown group' '-g: there is no group "CROE"; did you mean CORE?' -g CROE
refused 2 'an unknown event' 'did you mean instructions?' -e instruction
refused 2 'events and a group' 'not both' -e cycles -g CORE
refused 2 'top-down analysis and a group' 'neither -g nor -e' --topdown -g CORE
refused 2 'top-down analysis and events' 'neither -g nor -e' --topdown=1 -e cycles
refused 2 'a level that is none' 'to which level? 1, 2, 3 or 4' --topdown=5
command -v "${TEST_VALGRIND:-valgrind}" >/dev/null && for group in TOPDOWN TMA2; do
	refused 125 "$group by valgrind" 'valgrind simulates' --emulate -g $group
done
refused 2 'an unknown scope' '--scope teams: say thread or team' --scope teams
refused 2 'an unknown source' '--source clok: ' --source clok
refused 2 'an unknown scope' '--count core: say thread, cpu or process' --count core
refused 2 'an unknown policy' '--pin: ' --pin compcat
refused 2 'a CPU that is not there' '-C 8000: CPU 8000 is not among' -C 8000
refused 2 'no list of CPUs' '-C 0-: no list' -C 0-
refused 2 'a CPU to pin to that is not there' '--pin: CPU 8000' --pin cpus:8000
refused 2 'an unknown part' "did you mean threads; choose" --auto main,thread
refused 2 'no duration' '--min-time 10: ' --min-time 10
refused 2 'nothing to wrap' "'dgemm_' is not LIBRARY:FUNCTION" --wrap libz:*,dgemm_
refused 2 'no number of regions' '--top few: ' --top few
refused 2 'none' '--top 0: ' --top 0
refused 2 'an unknown option' 'did you mean --threads?' --thread
PMU_AUTO='main, thread' refused 2 'an unknown part of the environment' "PMU_AUTO: there is no 'thread', did you mean threads"
PMU_MIN_TIME=10 refused 2 'no duration of the environment' 'PMU_MIN_TIME=10: that is no duration'
PMU_WRAP=dgemm_ refused 2 'nothing to wrap in the environment' "PMU_WRAP: 'dgemm_' is not LIBRARY:FUNCTION"
PMU_AUTO=foo run 0 'an option in its place' --auto main -o report.txt ./program
PMU_AUTO=' main, threads' PMU_MIN_TIME='10 us' run 0 'blanks in the environment' -o report.txt ./program
refused 125 'a source without counts' '--require: instructions cannot be counted: clock: it has times' --require --source clock -e instructions
refused 125 'a source for other events' '--require: instructions cannot be counted: software: ' --require --source software -e instructions
refused 125 'one event of two' '--require: instructions cannot be counted: ' --require --source software -e page-faults,instructions
[ "$(wc -l <err)" = 1 ]
result $? 'in one line'
PMU_REQUIRE=1 refused 125 'the variable' 'instructions cannot be counted' --source software -e instructions
PMU_REQUIRE=1 run 0 'the variable, and what can be counted' -e page-faults -o report.txt ./program
PMU_REQUIRE=0 run 0 'without it the program runs' --source software -e instructions -o report.txt ./program
PMU_ENABLE=0 refused 125 'nothing that is measured' 'PMU_ENABLE=0 switches measuring off' --require
run 0 'what can be counted' --require -e page-faults -o report.txt ./program
has report.txt 'region' 'is measured'
run 0 'times are all that is asked for' --require -g TIME -o report.txt ./program
run 0 'a source without counts, and no event' --require --source clock -o report.txt ./program
case ${TEST_CFLAGS:-} in
*-fsanitize*) ;;
*)
	printf 'int main(void) { return 0; }\n' >fixed.c
	if ${TEST_CC:-cc} -static -o fixed fixed.c 2>log; then
		run 125 'a static program' --require -g TIME ./fixed
		has err 'fixed is statically linked; nothing was run' 'has nothing that can be measured'
	fi
	;;
esac
PMU_GROUP=CROE refused 2 'a group of the environment' 'PMU_GROUP: there is no group "CROE"'
PMU_GROUP=CROE run 0 'an option in its place' -g TIME -o report.txt ./program
refused 125 'a folder that is not there' "create $tmp/no first" -o "$tmp/no/report.json"
refused 125 'a folder as a file' 'Is a directory' -o "$tmp"
refused 125 'a file as a folder' 'Not a directory' -o program/report.json
refused 125 'the second output' 'cannot write no/b' -o a -o no/b
PMU_OUTPUT=no/b refused 125 'PMU_OUTPUT' 'cannot write no/b'
mkdir locked && chmod 500 locked
if [ "$(id -u)" != 0 ]; then
	refused 125 'a locked folder' 'Permission denied' -o locked/report.json
fi
run 2 'no command' -o report.txt
run 125 'a format that there is not' -o report.xml ./program
has err '.json or .csv' 'names those there are'
PMU_OUTPUT=report.xml run 125 'in the environment' ./program
PMU_OUTPUT=a.json,report.xml ./program >out 2>err
result $? 'without the command the program runs'
has err '.json or .csv' 'and they are named'
[ ! -e report.xml ]
result $? 'nothing of that name is written'
run 2 'nothing behind --' --
run 127 'no such command' no-such-command
has err 'no such command in PATH' 'is said'
run 127 'no such file' ./no-such-command
run 126 'a file that cannot be executed' ./program.c
run 126 'a folder' "$tmp"
has err 'Is a directory' 'is said'
printf '#!/no/such/interpreter\n' >script && chmod +x script
run 127 'no such interpreter' ./script
has err 'is its interpreter there?' 'is asked'
[ "$(wc -l <err)" = 1 ]
result $? 'in one line'
XDG_RUNTIME_DIR='' TMPDIR=/nonexistent run 0 'another place for stores' -o report.txt ./program
swept 'nothing is left over'

# --- outputs ---
rm -f report.*
run 0 'three outputs' -o report.json -o report.csv -o - ./program
grep -q '"pmu_report": 1' report.json && head -n 1 report.csv | grep -q ',calls,' && grep -q '^pmu: program' out
result $? 'each in its format'
run 0 'for each process' -o 'each-%p.json' ./program children 3
[ "$(find . -name 'each-*.json' | wc -l)" -ge 4 ]
result $? 'a file'
rm -f each-*
run 0 'all in one' -o all.json ./program children 3
has all.json '"parts"' 'tells them apart'
run 0 'one after the other' --each -o all.txt ./program children 3
[ "$(grep -c '^pmu: program' all.txt)" -ge 4 ]
result $? 'each has its head'
rm -f all.json
run 0 'one after the other' --each -o all.json ./program children 3
[ "$(find . -name 'all*.json' | wc -l)" -ge 4 ] && ! grep -q '"parts": \[$' all.json
result $? 'JSON and CSV in a file each'
rm -f all*
OMPI_COMM_WORLD_RANK=5 run 0 'an MPI rank' -o 'rank-%r.json' ./program
[ -e rank-5.json ]
result $? 'names a file'
run 0 'no rank at all' -o 'rank-%r.json' ./program
[ -e rank-0.json ]
result $? 'is 0'
if [ -e /dev/full ]; then
	run 4 'a full disk' -o /dev/full -o report.txt ./program status 4
	has err 'cannot write /dev/full: No space left on device' 'is said'
	kept=$(sed -n "s/.*'pmu report \(.*\) -o OUT'.*/\1/p" err)
	has report.txt 'status 4' 'others are written'
	subcommand=report run 0 'the list of what there is'
	grep -qF "$kept" out && grep -q ' kept ' out
	result $? 'has what is kept'
	subcommand=report run 0 'what is kept' "$kept"
	has out 'status 4, ' 'has everything'
	rm -f "$kept"
fi
run 0 'standard output without a reader' -o - ./program
"$pmu" run -o - ./program | true
run 0 'a source that counts processors' -g CORE --source msr -o report.txt env
lacks out 'PMU_PIN=' 'lets the library pin threads'
run 0 'a source that counts threads' -g TIME --source clock -o report.txt env
has out 'PMU_PIN=none' 'leaves them alone'
run 0 'a scope' -g TIME --source clock --scope thread -o report.txt env
has out 'PMU_SCOPE=thread' 'is the library'\''s to know'
run 0 'some options' -g TIME --source clock --threads --all -o report.txt ./program
has report.txt '  thread' 'are for the text'

# --- signals ---
# sent SIGNAL NUMBER: to us alone
sent() {
	: >out
	"$pmu" run -o report.txt ./program await "$2" >out 2>err &
	ready out
	kill "-$1" $!
	wait $!
	[ $? = 40 ] && grep -q "got $2, 1 times" out
	result $? "$1 is passed on"
}
sent TERM 15
sent HUP 1
sent USR1 10
sent USR2 12
run 0 'a signal to the parent' -o report.txt ./program parent
# a terminal of its own: what is typed reaches both
if command -v script >/dev/null; then
	# typed KEY COMMAND: a shell that takes Ctrl-C itself does not end at once, whichever it is
	typed() {
		(
			ready screen
			printf '%b' "$1"
			sleep 1
		) | SHELL=/bin/sh script -qec "trap : INT; $2" /dev/null >screen 2>&1
	}
	: >screen
	typed '\003' "$pmu run -o ctrl-c.json ./program await 2; echo status \$?"
	has screen 'got 2' 'Ctrl-C reaches the command'
	has screen 'status 40' 'which may end as it likes'
	has screen '1 times' 'is not passed on to it once more'
	has ctrl-c.json '"status": 40' 'and has a report'
	: >screen
	typed '\003' "$pmu run -o ctrl-c.json ./program await -1"
	has ctrl-c.json '"signal": 2' 'Ctrl-C ends a command'
	# job control
	cat >job.sh <<-JOB
		set -m
		$pmu run -o job.txt ./program await 10
		echo "stopped \$?"
		kill -USR1 %1
		fg >/dev/null
		echo "status \$?"
		$pmu run -o job.txt ./program stop
		echo "stopped itself \$?"
		kill -CONT "\$(jobs -p)"
		wait "\$(jobs -p)"
		echo "its status \$?"
	JOB
	if command -v bash >/dev/null; then
		: >screen
		typed '\032' 'bash job.sh'
		has screen 'stopped 148' 'Ctrl-Z stops both'
		has screen 'status 40' 'and both go on'
		has screen 'got 10' 'the command too'
		grep -q 'stopped itself 14[78]' screen && grep -q 'its status 0' screen
		result $? 'a command that stops itself stops both'
	else
		skip 'stopped and going on' 'no bash for job control'
	fi
else
	skip 'on a terminal' 'no script(1) for a terminal'
fi

# What waits for others does not lead, be it a child that was forked and begins no region.
run 0 'a shell of a shell' -o forked.csv -o forked.json -- sh -c '(sleep 0.2; true); exit 0'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$5 != "all" && $2 ~ /^sh/ { n++; known += $at["cpu_ns"] != ""; much += $at["cpu_ns"] * 2 > $at["time_ns"] }
	END { print n + 0, known + 0, much + 0 }' forked.csv >known.txt
read -r rows known much <known.txt
if [ -n "$sanitizers" ]; then
	is 'nothing is known of what no library is in' "$rows" 0
	skip 'by which all of them are ordered' "a sanitizer's runtime cannot be preloaded"
elif [ "$rows" -gt 0 ] && [ "$known" = 0 ]; then
	skip 'of each it is known what it was on a processor' 'of none it is here'
	skip 'by which all of them are ordered' 'of none it is here'
else
	is 'of each it is known what it was on a processor' "$known $much" "$rows 0"
	grep -q '"share_of": "cpu_ns"' forked.json
	result $? 'by which all of them are ordered'
fi

# --- processes that outlive it ---
run 0 'a daemon' -o report.json ./program daemon 2
elapsed=$(sed -n 's/.*"elapsed_ns": \([0-9]*\).*/\1/p' report.json)
lasted=$(sed -n 's/^  "duration_ns": \([0-9]*\).*/\1/p' report.json)
[ "$lasted" -gt 0 ] && [ "$lasted" -lt $((elapsed + 1000000000)) ]
result $? 'is measured until the command'"'"'s end'
run 0 'one that leaves nothing' -o report.txt sh -c \
	'env -u LD_PRELOAD sleep 2 & until read -r name </proc/$!/comm && [ "$name" = sleep ]; do :; done; ./program; exit 0'
grep -qE 'running when the command had ended, and not in this report: sleep [0-9]+$' report.txt
result $? 'is named'
run 0 'one that ends a moment later' -o report.txt sh -c './program fork 20 & exit 0'
lacks report.txt 'not in this report' 'is waited for'
sleep 2.5
run 0 'a run after their end' -o report.txt ./program
swept 'takes their folder away'
run 0 'a daemon' -o report.txt ./program daemon 5
has report.txt 'still running' 'is reported as it is'
left 'its folder is left to it'
run 0 'the next run' -o report.txt ./program
left 'leaves it, too'
sleep 6
run 0 'a run after its end' -o report.txt ./program
swept 'takes it away'
"$pmu" run -o report.txt ./program await 10 >out 2>err &
ready out
kill -KILL $!
wait $! 2>/dev/null
kill -KILL "$(sed -n 's/^\([0-9]*\)-.*/\1/p' <<-LIST
	$(cd place/pmu/run-* && ls)
LIST
)"
sleep 0.5
subcommand=report run 0 'what a run that was killed has left'
has out 'program' 'is listed'
swept 'among what other killed programs left'
rm -f place/pmu/*.pmu
"$pmu" run -o report.txt ./program await 10 >out 2>err &
ready out
kill -KILL $!
wait $! 2>/dev/null
run 0 'a run after one that was killed' -o report.txt ./program
left 'leaves the folder while the command runs'
kill -USR1 "$(sed -n 's/^\([0-9]*\)-.*/\1/p' <<-LIST
	$(cd place/pmu/run-* && ls)
LIST
)"
sleep 0.5
run 0 'a run after its end' -o report.txt ./program
swept 'takes it away'
subcommand=report run 0 'its results'
has out 'program' 'are kept as those of any killed program'
dead="place/pmu/run-999999999-1-$(stat -Lc %i /proc/self/ns/pid)"
mkdir -p "$dead"
run 0 'what a dead run left' -o report.txt ./program
swept 'goes'
mkdir -m 700 "$dead"
PMU_STORE=$tmp/$dead ./program
for i in $(seq 40); do
	cp "$dead"/*-1.pmu "$dead/$i-1-2.pmu"
done
run 0 'forty results of a dead run' -o report.txt ./program
[ "$(find place/pmu -name '*.pmu' | wc -l)" -ge 40 ]
result $? 'are kept like those of other killed programs'
PMU_KEEP_MIB=1 ./program >out 2>err
[ "$(find place/pmu -name '*.pmu' | wc -l)" -lt 40 ] && [ "$(du -k place/pmu | tail -n 1 | cut -f 1)" -lt 2048 ]
result $? 'up to as many MiB'
PMU_KEEP_DAYS=0 ./program >out 2>err
has err 'PMU_KEEP_DAYS=0: say a number from 1 to 36500' 'settings are looked at'
rm -f place/pmu/*.pmu
# an empty file can be made there, a store cannot; nor what a sanitizer writes
if [ -z "$sanitizers" ]; then
	run 3 'no room for results' -o report.txt sh -c '(ulimit -f 0; ./program; exec ./program); exit 3'
	has report.txt 'results of 2 processes are missing: there was no room for them in' 'is said'
	run 0 'nor for any' -o report.txt sh -c 'ulimit -f 0; exec ./program'
	has report.txt 'results of 1 process are missing' 'is said'
fi

# --- nested, CPUs ---
run 3 'one in another' -o outer.json "$pmu" run -o inner.json ./program status 3
has inner.json '"program": "program"' 'has its command'
lacks outer.json '"program": "program"' 'for itself'
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
	run 0 'a CPU' -C 1 -o report.txt sh -c 'taskset -p $$'
	has out 'mask: 2' 'is the command'"'s"
fi

# --- where memory lies ---
cat >stack.c <<'C'
#include <stdio.h>

int main(void)
{
	int here;

	return printf("%p %p\n", (void *)&here, (void *)main) < 0;
}
C
cat >refusing.c <<'C'
#include <unistd.h>
#include "tests/refuse.h"

int main(int argc, char **argv)
{
	return argc < 2 || refuse_call(SYS_personality, EPERM) || execv(argv[1], argv + 1);
}
C
${TEST_CC:-cc} -pie -fPIE -o stack stack.c && ${TEST_CC:-cc} -D_GNU_SOURCE -I"$source" -o refusing refusing.c ||
	echo 'Bail out! the programs that look at addresses cannot be built'
if [ "$(cat /proc/sys/kernel/randomize_va_space)" != 2 ] || ! setarch "$(uname -m)" -R true 2>log; then
	skip 'addresses are the same in each run' 'addresses are fixed here anyway, or setarch -R is refused'
else
	for times in 1 2 3; do
		"$pmu" run -o none --no-aslr -- ./stack >>fixed.txt 2>>fixed.err
		"$pmu" run -o none --no-aslr -- sh -c './stack' >>below.txt 2>>fixed.err
		"$pmu" run -o none -- ./stack >>moving.txt 2>>fixed.err
	done
	evidence='fixed.txt below.txt moving.txt fixed.err'
	is 'addresses are the same in each run with --no-aslr, also of what the command starts; without it they are not' \
		"$(sort -u fixed.txt | wc -l) $(sort -u below.txt | wc -l) $(sort -u moving.txt | wc -l)" '1 1 3'
	evidence='err out'
fi
./refusing "$pmu" run -o none --no-aslr -- ./stack >out 2>err
is 'where a container refuses --no-aslr, the command runs' $? 0
is 'and a line says so' "$(cat err)" 'pmu: --no-aslr: the kernel refuses it here (personality(2): Operation not permitted), as in many containers; addresses differ from run to run'

# --- what cannot be measured from inside ---
if echo 'int main(void) { return 5; }' | ${TEST_CC:-cc} -static -x c - -o static 2>/dev/null; then
	run 5 'a static program' -o report.txt ./static
	has report.txt 'is statically linked' 'is named'
	has report.txt 'pmu attach PID' 'and how it can be measured'
	has report.txt 'status 5, ' 'its times are told'
	printf '#!%s/static\n' "$tmp" >script
	run 5 'a script of it' -o report.txt ./script
	has report.txt 'is statically linked' 'too'
fi
if [ -n "${AARCH64_CC:-}" ] && [ "$(uname -m)" = x86_64 ] &&
	echo 'int main(void) { return 5; }' | $AARCH64_CC -x c - -o arm 2>/dev/null; then
	got=$("$pmu" run -o report.txt ./arm 2>err; echo $?)
	[ "$got" = 5 ] || [ "$got" = 126 ]
	result $? "another processor's program is not taken for a script (status $got)"
fi
if [ "$(id -u)" = 0 ] && [ -z "$sanitizers" ]; then
	cp program other && chown 65534 other && chmod 4755 other
	run 0 'a setuid program' -o report.txt ./other
	has report.txt 'is setuid' 'is named'
	chown 0:65534 other && chmod 2755 other
	run 0 'a setgid program' -o report.txt ./other
	has report.txt 'is setgid' 'is named'
fi
head -c 64 program >cut && chmod +x cut
run 126 'half of a program' -o report.txt ./cut
: >nothing && chmod +x nothing
run 0 'an empty script' -o report.txt ./nothing
PMU_ENABLE=0 run 0 'switched off' -o report.txt ./program
has report.txt 'PMU_ENABLE=0' 'is said'

# --- with what is preloaded ---
if [ -n "$sanitizers" ]; then
	skip 'with what is preloaded' "a sanitizer's runtime cannot be preloaded"
else
	run 3 'a shell' -o report.json sh -c './program; ./program status 3; exit 3'
	has report.json '"program": "sh"' 'is in the report'
	has report.json '"program": "program"' 'and what it started'
	lacks err 'ld.so' 'no complaint of the loader'
	run 0 'a region that is never ended' -o report.txt ./program forget
	has report.txt 'main/forgotten, thread 0: still open when the program ended' 'is a doubt'
	grep -q '^    forgotten .* ms .*  b?$' report.txt
	result $? 'with the time that it had'
	run 0 'a region that a thread never ends' -o report.txt ./program forget_in_thread
	has report.txt 'main/forgotten/thread/in a thread, thread 1: begun but never ended' 'is a doubt'
	run 5 'a program that leaves by a system call of its own' -o report.txt ./program inline 5
	lacks report.txt 'did not end cleanly' 'has ended'
	has report.txt 'ended by a system call of its own' 'and is told how'
	run 3 'a region that _exit() ends' -o report.txt ./program forget_exit 3
	lacks report.txt 'still open' 'is none'
	run 0 'a program without a rank' -o 'some-%r.json' env OMPI_COMM_WORLD_RANK=3 ./program
	[ -e some-3.json ] && [ ! -e some-0.json ] &&
		[ "$(grep -c 'what 1 process did before it had an MPI rank is not in some-%r.json' err)" = 1 ]
	result $? 'is left out where others have one'
	run 0 'programs without a rank' -o 'some-%r.json' \
		sh -c '(OMPI_COMM_WORLD_RANK=1 exec ./program) & (OMPI_COMM_WORLD_RANK=2 exec ./program) & wait'
	has err 'pmu: 1 process without an MPI rank is not in some-%r.json' 'are of one process where others go on with one'
	printf 'exit 6\n' >plain && chmod +x plain
	run 6 'a script without an interpreter' -o report.txt ./plain
	has report.txt 'main' 'is measured'
	run 0 'its own preload' -o report.txt env LD_PRELOAD=/none.so sh -c 'echo "$LD_PRELOAD"'
	LD_PRELOAD=libm.so.6 run 0 'a preload before' -o report.txt sh -c 'echo "$LD_PRELOAD"'
	has out ':libm.so.6' 'stays behind ours'
	run 0 'one in another' "$pmu" run -o report.txt sh -c 'echo "$LD_PRELOAD"'
	[ "$(tr ':' '\n' <out | grep -c preload)" = 1 ]
	result $? 'preloads once'
	run 0 'pinning' --pin compact -o report.txt sh -c 'echo "$LD_PRELOAD"'
	has out 'libpmu.so.0' 'needs the library itself'
	has report.txt 'compact' 'and is done'
	run 0 'without pinning' -o report.txt sh -c 'echo "$LD_PRELOAD"'
	lacks out 'libpmu.so.0' 'it does not'
	# an installation somewhere else, with a blank in its name
	mkdir -p 'a place/bindings/.libs' 'a place/lib/.libs'
	cp "$build/pmu" 'a place/'
	cp "$build/bindings/.libs/libpmu-preload.so" 'a place/bindings/.libs/'
	cp "$build/lib/.libs/libpmu.so.0" 'a place/lib/.libs/'
	pmu="$tmp/a place/pmu" run 0 'a path with a blank' -o report.txt sh -c 'echo x'
	has report.txt 'main' 'is no obstacle'
	lacks err 'ld.so' 'no complaint of the loader'
	mkdir 'run time' && chmod 700 'run time'
	XDG_RUNTIME_DIR="$tmp/run time" pmu="$tmp/a place/pmu" run 0 'one everywhere' -o report.txt sh -c 'echo x'
	has report.txt 'there is a blank' 'is named'
	if echo 'int main(void) { return 5; }' | ${TEST_CC:-cc} -fsanitize=address -x c - -o checked 2>/dev/null &&
		./checked; [ $? = 5 ]; then
		run 5 'a program with AddressSanitizer' -o report.txt ./checked
		has report.txt 'main' 'is measured'
		lacks err 'ASan runtime' 'and does not refuse to run'
	fi
	pmu=$tmp/alone/pmu run 0 'without the library' -o report.txt sh -c 'echo x'
	has report.txt 'libpmu-preload.so is not in' 'that is named'
	for limit in 0 1 8; do
		(ulimit -f $limit && "$pmu" run -o limited.json sh -c 'exit 3' >out 2>err)
		[ $? = 3 ]
		result $? "the command's own status where files have $limit blocks at most"
	done
	# as under fakeroot(1): libc's geteuid() has another answer than the kernel
	cat >fake.c <<'C'
#include <unistd.h>
uid_t geteuid(void) { return 54321; }
C
	${TEST_CC:-cc} -shared -fPIC -o fake.so fake.c
	LD_PRELOAD=$tmp/fake.so "$pmu" run -o report.json ./program status 3 >out 2>err
	[ $? = 3 ]
	result $? 'a preloaded geteuid() is not asked'
	has report.json '"path": "main"' 'and the command is measured'
	# another user owns all folders for stores; the command runs as one that /etc/passwd lacks
	chmod 755 .
	other='setpriv --reuid 54321 --clear-groups'
	if [ "$(id -u)" = 0 ] && $other test -x "$pmu" 2>err && mkdir /dev/shm/pmu-54321 2>err; then
		mkdir -m 1777 taken && mkdir taken/pmu-54321
		$other env -u XDG_RUNTIME_DIR TMPDIR="$tmp/taken" \
			"$pmu" run -o taken/report.json true >out 2>err
		result $? 'no folder for stores serves'
		rmdir /dev/shm/pmu-54321
		has taken/report.json '"path": "main"' 'the run has one of its own'
		[ "$(ls -A taken | tr '\n' ' ')" = 'pmu-54321 report.json ' ]
		result $? 'and leaves nothing of it'
	else
		skip 'names that others have taken' "only root can take another user's names, with setpriv, and where that user can reach pmu"
	fi
	# at once, and in a child
	for how in "$other id -u" "sh -c '$other id -u; true'"; do
		if $other test -x "$pmu" 2>/dev/null; then
			run 0 'a program that another user goes on with' -o report.txt sh -c "exec $how"
			has report.txt 'executed here as another user' 'is named'
			has report.txt 'try pmu run as that user' 'with what would help'
			is 'and has printed nothing more' "$(cat out err)" 54321
		else
			skip 'a program that another user goes on with' 'only root can become one, with setpriv'
		fi
	done
	# stores are taken up while the command runs
	run 0 'many processes' -o report.json sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done
		sleep 0.7; ls "$PMU_STORE" | wc -l'
	[ "$(cat out)" -lt 100 ]
	result $? 'do not pile up'
	has report.json '"path": "true/main"' 'and are all there'
fi
swept 'nothing is left over'

run 0 'an option of the command' -o report.txt sh -c 'echo "$1"' sh --help
grep -qx -e --help out
result $? 'is not ours'
run 0 'help' --help
for option in -g -e -C -o --pin --source --count --no-aslr --each --threads --all --auto --functions --min-time --wrap; do
	grep -q -e "^  .*$option" out
	result $? "$option is explained"
done
awk 'length > 100 { exit 1 }' out
result $? 'within 100 columns'

finish
