#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu attach`: a program that runs already is measured from outside, all of it once, and goes on as if nothing had been.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
unset PMU_OUTPUT PMU_SAMPLE PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_REPORT
children=''
# shellcheck disable=SC2154 # as pmu.sh has them
trap 'for child in $children; do kill -9 "$child" 2>/dev/null; done; rm -rf "$tmp"' EXIT

# Says what it has done by its own account: "did CPU_NS SWITCHES FAULTS", from a byte on standard input on.
cat >program.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* of lengths that nothing that happens at a steady rate can keep step with */
static unsigned int seed = 1;
static int some(int most)
{
	seed = seed * 1103515245u + 12345u;
	return (int)((unsigned long long)(seed >> 8) * (unsigned int)most >> 23);
}

__attribute__((noinline)) static void seventy(void)
{
	for (volatile int i = 0, n = some(7000); i < n; i++)
		;
}
__attribute__((noinline)) static void thirty(void)
{
	for (volatile int i = 0, n = some(3000); i < n; i++)
		;
}

static long long cpu_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void burn(clockid_t clock, long ms)
{
	for (long long since = cpu_ns(clock); cpu_ns(clock) - since < ms * 1000000ll;) {
		seventy();
		thirty();
	}
}

static void *worker(void *ms)
{
	burn(CLOCK_THREAD_CPUTIME_ID, *(long *)ms);
	return NULL;
}

static void *waiter(void *arg)
{
	pause();
	return arg;
}

static void start_threads(int n, void *(*what)(void *), long ms, int join)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread, &attr, what, &ms))
			exit(3);
		if (join)
			pthread_join(thread, NULL);
	}
}

/* program MS WAITERS WORKERS SWITCHES PAGES [PROGRAM...] */
int main(int argc, char **argv)
{
	long ms = atol(argv[1]), n_switches = atol(argv[4]), n_pages = atol(argv[5]);
	struct rusage before, after;
	long long since;
	char byte, *pages;

	start_threads(atoi(argv[2]), waiter, 0, 0);
	if (write(1, "ready\n", 6) != 6 || read(0, &byte, 1) != 1)
		return 4;
	pages = mmap(NULL, (size_t)(n_pages + 1) * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getrusage(RUSAGE_SELF, &before);
	since = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	madvise(pages, (size_t)n_pages * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n_pages; i++)
		pages[i * 4096] = 1;
	for (long i = 0; i < n_switches; i++)
		usleep(100);
	burn(CLOCK_THREAD_CPUTIME_ID, ms);
	start_threads(atoi(argv[3]), worker, ms, 1);
	getrusage(RUSAGE_SELF, &after);
	printf("did %lld %ld %ld\n", cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - since,
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw,
	       after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt);
	fflush(stdout);
	while (read(0, &byte, 1) == 1)
		;
	if (argc > 6)
		execv(argv[6], argv + 6);
	return 5;
}
END_C
${TEST_CC:-cc} -O2 -g -o program program.c -pthread >err 2>&1 || { sed 's/^/# /' err; exit 1; }
cp program other

# begin NAME ARGUMENT...: a program that waits; $pid
begin() {
	name=$1
	shift
	rm -f "$name.in"
	mkfifo "$name.in"
	: >"$name.said"
	# an end of another one's would keep that one waiting
	"./$program" "$@" <"$name.in" >"$name.said" 8>&- 9>&- &
	pid=$!
	children="$children $pid"
	case $name in
	a) exec 8>a.in ;;
	b) exec 9>b.in ;;
	esac
	until grep -q ready "$name.said"; do sleep 0.02; done
}
program=program

# watch ARGUMENT...: attaches; it waits for signals from when it counts on.  $watcher
watch() {
	"$pmu" attach "$@" >out 2>err 8>&- 9>&- &
	watcher=$!
	children="$children $watcher"
	# shellcheck disable=SC2010 # what the links say
	while kill -0 $watcher 2>/dev/null && ! ls -l /proc/$watcher/fd 2>/dev/null | grep -q signalfd; do
		sleep 0.02
	done
}

done_by() {
	until grep -q '^did ' "$1.said"; do sleep 0.02; done
}

# column FILE NAME [REGION]: of the sum of a CSV report
column() {
	awk -F, -v name="$2" -v region="${3:-program}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name || index($i, name " ") == 1) at = i; next }
		$2 == region && $5 == "all" { print $at }' "$1"
}

at_least() { [ -n "$1" ] && [ "$1" -ge "$2" ]; }
between() { at_least "$1" "$2" && at_least "$3" "$1"; }
# said NAME FIELD: of what it did
said() { sed -n 's/^did //p' "$1.said" | cut -d ' ' -f "$2"; }
# busy NAME: most of its time on a processor: the way from thread to thread is in no thread's task clock, microseconds each
busy() { echo $(($(said "$1" 1) * 9 / 10)); }

begin a 100 0 0 0 0
"$pmu" attach $pid --for 10ms >out 2>err || { grep -q 'is refused here' err && skip_all "$(head -n 1 err)"; }
exec 8>&-

# --- what it did, by its own account and from outside ---

begin a 400 2 3 50 300
watch $pid -g SOFTWARE -o a.csv -o a.json -o a.txt -o a.html -o a.folded -o a.pb
echo >&8
done_by a
kill -INT $watcher
wait $watcher
is 'a signal ends the watching, and its report is written' $? 0
kill -0 $pid
result $? '  the program goes on'
exec 8>&-
wait $pid
is '  and ends as it would have' $? 5
total=$(column a.csv cpu_ns)
ok 'time on a processor is that of all threads, also of those that began meanwhile' between "$total" "$(busy a)" $(($(said a 1) + 400000000))
ok '  and so is the task clock' between "$(column a.csv net:task-clock)" "$(busy a)" "$((total + 1000000))"
# a thread that ends is switched off once more, or is not; at user level the kernel has none
if [ "$(column a.csv net:context-switches)" ]; then
	ok 'context switches are as many as it had' at_least "$(column a.csv net:context-switches)" $(($(said a 2) - 10))
else
	skip 'context switches' 'this user may not count what the kernel does'
fi
ok 'page faults are as many as it had' at_least "$(column a.csv net:page-faults)" "$(said a 3)"
is 'its row has three threads, and as calls three that began' "$(column a.csv calls)" 6
rows=$(awk -F, '$2 == "program" && $5 != "all"' a.csv | wc -l)
is '  one row a thread that was there' "$rows" 3
has a.txt 'program (pid '"$pid" 'the report is its program'\''s'
has a.txt 'was watched for' '  and says that it was watched'
has a.txt 'a thread began meanwhile' '  and where threads are that began'
lacks a.txt 'given to something else' '  nothing was taken away from it'
has a.json '"attached": true' '  JSON says that it was attached to'
grep -q '^program;seventy [0-9]' a.folded
result $? '  viewers have its functions'
ok '  a page is made' test -s a.html
run 0 'the JSON report is read again' report a.json
has out 'was watched for' '  and says the same'

# --- functions ---

share() { # FUNCTION: percent of all samples
	awk -v name="$1" '{ n = $NF; all += n; if ($0 ~ ";" name " ") some += n } END { print int(100 * some / all) }' b.folded
}
begin b 1500 0 0 0 0
watch $pid -o b.folded -o b.csv -o b.txt
echo >&9
done_by b
exec 9>&-
wait $watcher
is 'it ends when the program does' $? 0
# how many are taken is up to how busy the machine is
if [ "$(awk '{ n += $NF } END { print n + 0 }' b.folded)" -ge 300 ]; then
	ok 'a function with 70 % of the time has more samples than one with 30 %' at_least "$(share seventy)" "$(($(share thirty) + 1))"
else
	skip 'functions by samples' 'there are too few of them'
fi
has b.txt 'until it ended' '  and the report says that it ended'

begin a 300 0 0 0 0
watch $pid --sample=off -o c.txt -o c.folded
echo >&8
done_by a
kill -TERM $watcher
wait $watcher
is 'without samples it is measured, too' $? 0
lacks c.txt 'seventy' '  and has no functions'
exec 8>&-

# --- several, of one name and of others ---

begin a 300 0 0 0 0
first=$pid
program=other begin b 200 0 0 0 0
watch "$first" "$pid" -o two.csv -o two.json
echo >&8
echo >&9
done_by a
done_by b
kill -INT $watcher
wait $watcher
is 'two processes make one report' $? 0
ok '  with a row for each' between "$(column two.csv cpu_ns)" "$(busy a)" 600000000
ok '  by its name' between "$(column two.csv cpu_ns other)" "$(busy b)" 600000000
exec 8>&- 9>&-
begin a 100 0 0 0 0
first=$pid
begin b 100 0 0 0 0
watch "$first" "$pid" --for 20ms -o same.csv
wait $watcher
is 'two of the same name, for a time' $? 0
cut -d, -f2 same.csv | grep -qx "program ($first)" && cut -d, -f2 same.csv | grep -qx "program ($pid)"
result $? '  have a row each'
"$pmu" attach "$first" 99999999 --for 20ms -o - >out 2>err
is 'one that is gone is told of' "$(grep -c 'no process 99999999' err)" 1
has out 'program (pid' '  and the others are measured'
exec 8>&- 9>&-

begin a 100 0 0 0 0
first=$pid
begin b 100 0 0 0 0
watch "$first" "$pid" -o ended.txt -o ended.json
echo >&8
done_by a
exec 8>&-
wait "$first"
sleep 0.3
exec 9>&-
wait $watcher
is 'the watching goes on while one of them does' $? 0
is '  and both are in its report' "$(grep -c '"label": "program ' ended.json)" 2
tr ',' '\n' <ended.json | sed -n 's/.*"duration_ns": \([0-9]*\).*/\1/p' >durations
ok '  each for as long as it ran' awk 'NR == 1 || $1 < least { least = $1 } $1 > most { most = $1 }
	END { exit !(NR > 1 && most - least >= 200000000) }' durations

# --- another program, and another tool ---

begin a 50 0 0 0 0 ./other 200 0 0 0 0
watch $pid -o exec.txt -o exec.folded
echo >&8
done_by a
exec 8>&-
wait $watcher
is 'one that executes another program is watched on' $? 0
tr -s '\n ' '  ' <exec.txt >exec.words
has exec.words 'went on as another program' '  and the report says so'

if [ -z "${TEST_SANITIZERS:-}" ]; then
	rm -f run.in
	mkfifo run.in
	"$pmu" run -o run.json -- ./program 200 1 1 0 0 <run.in >run.said 2>run.err 8>&- 9>&- &
	children="$children $!"
	exec 9>run.in
	until grep -q ready run.said; do sleep 0.02; done
	pid=$(pgrep -P $! | head -n 1)
	watch "$pid" -o both.csv
	echo >&9
	until grep -q '^did ' run.said; do sleep 0.02; done
	exec 9>&-
	wait $watcher
	is 'a program that pmu run measures is attached to all the same' $? 0
	ok '  and has its time' at_least "$(column both.csv cpu_ns)" "$(busy run)"
	until [ -s run.json ]; do sleep 0.02; done
	has run.json '"main"' '  and pmu run has its own'
fi

# --- many threads, few descriptors ---

begin a 10 1000 0 0 0
watch $pid --sample=off -o many.csv --for 10ms
wait $watcher
is 'a thousand threads are attached to' $? 0
is '  each has its row' "$(awk -F, '$2 == "program" && $5 != "all"' many.csv | wc -l)" 1001
# shellcheck disable=SC3045 # dash, bash and busybox have it
(ulimit -n 200 && "$pmu" attach $pid --for 10ms) >out 2>err
is 'where there are too few descriptors nothing is measured' $? 1
grep -q 'threads need [0-9]* descriptors.*limit is 200' err
result $? '  and it says how many it takes'
exec 8>&-

# --- what cannot be ---

run 2 'which process?' attach
run 2 'a name is no number' attach program
has err "'pgrep program' may find one" '  but there is a way to it'
run 1 'no such process' attach 99999999
has err 'there is no process 99999999 here' '  is said'
run 2 'no such event' attach $$ -e nosuch
has err '-e: ' '  is said of the option'
run 2 'groups that take turns' attach $$ -g CORE,SOFTWARE
run 2 'no such time' attach $$ --for soon
run 2 'no such rate' attach $$ --sample=3
has err '--sample=3: ' '  is said of the option'
begin a 10 2 0 0 0
run 1 'a thread is no process' attach "$(ls /proc/$pid/task | tail -n 1)"
has err "is a thread of process $pid" '  and it says whose it is'
exec 8>&-
(sleep 0 & echo $! >child; exec sleep 60) &
parent=$!
children="$children $parent"
until [ -s child ] && grep -q '^State:	Z' "/proc/$(cat child)/status" 2>/dev/null; do sleep 0.02; done
run 1 'one that has ended' attach "$(cat child)"
has err "has ended" '  is said'
kill $parent
if [ "$(id -u)" = 0 ] && su -s /bin/sh nobody -c "test -x '$pmu' && '$pmu' version" >/dev/null 2>&1; then
	run 1 'the kernel'\''s threads' attach 2
	chmod 755 "$tmp"
	if ${TEST_CC:-cc} -O2 -static -o inside program.c -pthread 2>/dev/null && mkdir root && cp inside root/ &&
		chroot root /inside 1 0 0 0 0 </dev/null >/dev/null 2>&1 || [ $? = 4 ]; then
		mkfifo c.in
		chroot root /inside 300 0 0 0 0 <c.in >c.said &
		pid=$!
		children="$children $pid"
		exec 8>c.in
		until grep -q ready c.said; do sleep 0.02; done
		watch $pid -o inside.folded
		echo >&8
		done_by c
		exec 8>&-
		wait $watcher
		grep -q '^inside;seventy [0-9]' inside.folded
		result $? 'a program with another root has the functions of its own files, also when it has ended'
	fi
	begin a 10 0 0 0 0
	su -s /bin/sh nobody -c "'$pmu' attach $pid --for 10ms" >out 2>err
	is 'another user'\''s process is refused' $? 1
	has err "may not be looked at from here" '  and it says why'
	exec 8>&-
fi
finish
