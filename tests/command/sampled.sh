# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# For the tests of samples: a program whose regions call functions of their own, and what a report says of them.
# shellcheck disable=SC2154 # source, tmp, pmu: of who reads this
# shellcheck source=tests/command/apart.sh
. "$source/tests/command/apart.sh"

cat >plugin.c <<'END'
void fp(void);
void fp(void)
{
	for (volatile int i = 0; i < 40000; i++)
		;
}
END
# a thread that its library waits for when the session has ended
cat >joined.c <<'END'
#include <pthread.h>
#include <time.h>

static volatile int is_over;
static pthread_t thread;

__attribute__((noinline)) static void fj(void)
{
	for (volatile int i = 0; i < 40000; i++)
		;
}

static void *help(void *unused)
{
	struct timespec now;

	do {
		fj();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (!is_over || (!now.tv_sec && now.tv_nsec < 100000000));
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_create(&thread, NULL, help, NULL);
}

__attribute__((destructor)) static void end(void)
{
	is_over = 1;
	pthread_join(thread, NULL);
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

static void *leave(void *unused)
{
	pmu_region_begin("left");
	for (long since = -1; goes_on(&since);)
		fw();
	pthread_exit(unused);
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

/* in main alone, off the processor now and then */
static void spin(void)
{
	for (long since = -1, i = 0; goes_on(&since); i++) {
		fc();
		if (i % 1024 == 0)
			usleep(1);
	}
}

static int there[2], back[2];

static void *answer(void *unused)
{
	char c;

	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			break;
	return unused;
}

/* in calm first, then off the processor all the time */
static void storm(void)
{
	pthread_t thread;
	char c = 0;

	if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, answer, NULL))
		return;
	pmu_region_begin("calm");
	for (long since = -1; goes_on(&since);)
		fc();
	pmu_region_end("calm");
	for (int i = 0; i < 40000; i++) {
		pmu_region_begin("storm");
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			break;
		pmu_region_end("storm");
	}
	close(there[1]);
	pthread_join(thread, NULL);
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
	if (!strcmp(how, "join") && dlopen("./joined.so", RTLD_NOW))
		work(NULL);
	if (!strcmp(how, "leave"))
		start(leave, 1);
	if (!strcmp(how, "spin"))
		spin();
	if (!strcmp(how, "storm"))
		storm();
	if (!strcmp(how, "die")) {
		pmu_region_begin("outer");
		pmu_region_begin("doomed");
		spin();
		raise(SIGKILL);
	}
	return 0;
}
END
compile program program.c
# shellcheck disable=SC2086 # flags are words
${TEST_CC:-cc} ${TEST_CFLAGS:-} -shared -fPIC -o plugin.so plugin.c || exit 1
# shellcheck disable=SC2086
${TEST_CC:-cc} ${TEST_CFLAGS:-} -shared -fPIC -o joined.so joined.c -lpthread || exit 1
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

# With more to do than processors threads are switched off all the time, and may be let alone where nobody has asked.
is_busy() { awk -v n="$(nproc)" '{ exit !($1 >= n) }' /proc/loadavg; }

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
		END { exit wrong ? 1 : first >= 30 ? 0 : 2 }' seen
	right=$?
	if [ $right -eq 2 ] && [ "${unasked:-}" ] && is_busy; then
		skip "$name" 'the machine is too busy for samples that nobody has asked for'
	else
		result $right "$name"
	fi
}
