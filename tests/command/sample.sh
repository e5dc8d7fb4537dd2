#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --sample`: each region has its own functions, whatever becomes of the program, and whoever comes to the socket.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT PMU_SAMPLE PMU_TRACE PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_PIN

cat >plugin.c <<'END'
void fp(void);
void fp(void)
{
	for (volatile int i = 0; i < 40000; i++)
		;
}
END
cat >program.c <<'END'
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "pmu.h"

/* of equal ones compilers make one */
#define BURN(name, n)                                   \
	__attribute__((noinline)) static void name(void) \
	{                                               \
		for (volatile int i = 0; i < (n); i++)  \
			;                               \
	}
BURN(fa, 20000)
BURN(fb, 40000)
BURN(fc, 30000)
BURN(fw, 35000)

static long ms;
static pmu_context_t context;
static void (*plugged)(void);

/* of the thread's own time: a busy machine has samples as a quiet one */
static int goes_on(long *since)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	if (*since < 0)
		*since = now.tv_sec * 1000 + now.tv_nsec / 1000000;
	return now.tv_sec * 1000 + now.tv_nsec / 1000000 - *since < ms;
}

static void *work(void *unused)
{
	for (long since = -1; goes_on(&since);) {
		pmu_region_begin("a");
		fa();
		pmu_region_begin("b");
		fb();
		pmu_region_end("b");
		fa();
		pmu_region_end("a");
	}
	return unused;
}

static void *help(void *unused)
{
	pmu_context_enter(context);
	for (long since = -1; goes_on(&since);)
		fw();
	pmu_context_leave();
	return unused;
}

static void *plug(void *unused)
{
	pmu_region_begin("before");
	fc();
	pmu_region_end("before");
	while (!__atomic_load_n(&plugged, __ATOMIC_ACQUIRE))
		usleep(1000);
	for (long since = -1; goes_on(&since);) {
		pmu_region_begin("plug");
		plugged();
		pmu_region_end("plug");
	}
	return unused;
}

static void start(void *(*function)(void *), int n)
{
	pthread_t thread[64];

	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, function, NULL);
	if (function == plug) {
		usleep(50000);
		__atomic_store_n(&plugged, (void (*)(void))dlsym(dlopen("./plugin.so", RTLD_NOW), "fp"), __ATOMIC_RELEASE);
	}
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

/* may perf_event_open(2) be used? */
static int probe(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000, .exclude_kernel = 1, .exclude_hv = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0;
}

/* Comes, and says nothing, or nonsense. */
static void be_rude(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char nonsense[300];

	memset(nonsense, 0x41, sizeof(nonsense));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/samples", getenv("PMU_STORE"));
	for (int i = 0; i < 300; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

		if (connect(fd, (const void *)&address, sizeof(address)))
			perror("connect");
		if (i % 3)
			send(fd, nonsense, (size_t)i, MSG_NOSIGNAL);
		if (i % 2)
			close(fd);
	}
}

int main(int argc, char **argv)
{
	const char *how = argv[1];

	ms = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(how, "probe"))
		return probe();
	if (!strcmp(how, "rude"))
		be_rude();
	if (!strcmp(how, "work") || !strcmp(how, "rude"))
		start(work, argc > 3 ? atoi(argv[3]) : 1);
	if (!strcmp(how, "plug"))
		start(plug, 1);
	if (!strcmp(how, "team")) {
		pmu_region_begin("team");
		context = pmu_context_get();
		start(help, 2);
		pmu_region_end("team");
	}
	if (!strcmp(how, "exec")) {
		pmu_region_begin("old");
		for (long since = -1; goes_on(&since);)
			fc();
		execl(argv[0], argv[0], "work", argv[2], NULL);
	}
	if (!strcmp(how, "die")) {
		pmu_region_begin("outer");
		pmu_region_begin("doomed");
		for (long since = -1; goes_on(&since);)
			fc();
		raise(SIGKILL);
	}
	return 0;
}
END
compile program program.c
# shellcheck disable=SC2086 # flags are words
${TEST_CC:-cc} ${TEST_CFLAGS:-} -shared -fPIC -o plugin.so plugin.c || exit 1
./program probe || skip_all 'perf_event_open(2) may not be used here'

# sampled FILE PATH: lines "FUNCTION OBJECT SAMPLES" of a region's own in a report of all threads
sampled() {
	awk -v path="$2" '
		/"path": "/ { at = $0; sub(/.*"path": "/, "", at); sub(/".*/, "", at) }
		/^ *"samples": {/ && at == path && !seen++ {
			while (match($0, /{"name": "[^"]*", "object": "[^"]*", "n": [0-9]+/)) {
				split(substr($0, RSTART, RLENGTH), part, "\"")
				print part[4], part[8], substr(part[11], 3)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$1"
}

# only NAME FILE PATH OBJECT FUNCTION...: of the object's samples the first function has 30 at least, no other than these any
only() {
	name=$1 object=$4
	sampled "$2" "$3" | grep " $object " >seen
	shift 4
	evidence='seen err'
	awk -v functions="$*" '
		BEGIN { n = split(functions, may, " "); for (i = 1; i <= n; i++) is[may[i]] = 1 }
		$1 == may[1] { first += $3 }
		!($1 in is) { wrong += $3 }
		END { exit !(first >= 30 && !wrong) }' seen
	result $? "$name"
}

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
run 137 'a program that is killed' --sample=4000 -o dead.json sh -c './program die 300; exit $?'
only 'what was open has its samples' dead.json program/main/outer/doomed program fc main goes_on
run 0 'another program in the same process' --sample=4000 -o exec.json ./program exec 300
only 'what was before has its own' exec.json program/main/old program fc main goes_on
only 'and so has what is after it' exec.json program/main/thread/a program fa work

run 0 'many at once' --sample=4000 -o many.json ./program work 30 64
only 'all are sampled' many.json main/thread/a program fa work
lacks many.json 'not sampled' '  each of them'
run 0 'connections that say nothing, or nonsense' --sample=4000 -o rude.json ./program rude 300
only 'change nothing for others' rude.json main/thread/a program fa work
has rude.json 'not sampled' '  and are told'
sh -c 'ulimit -n 12 && exec "$0" run --sample=4000 -o few.json ./program work 300' "$pmu" 2>err
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
only '  behind their last samples' deaths.json program/main/outer/doomed program fc main goes_on

run 0 'without samples' -o plain.json ./program work 30
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
