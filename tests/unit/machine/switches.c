/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's word: it tells each time the thread was off its processor, and whoever else uses it is left in peace. */
#include "machine/switches.h"

#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/part.h"

static struct pmu_switch_mark mark __attribute__((aligned(32)));
static struct pmu_switches switches;

static void sleep_a_moment(void)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	nanosleep(&moment, NULL);
}

static long switches_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Looked so often, it was off so often. */
static int looks(int n)
{
	int off = 0;

	for (int i = 0; i < n; i++) {
		if (!pmu_switch_was_off(switches.word, &mark))
			continue;
		pmu_switch_watch(switches.word, &mark);
		off++;
	}
	return off;
}

static bool attach(void)
{
	pmu_switches_attach(&switches, &mark);
	return switches.word;
}

/* It is also cleared where the kernel has other work to do on the thread's way back to the program. */
#define OTHER_WORK 20

static void tells(const char *by)
{
	long before = switches_now();
	int off, sleeps = 0, missed = 0;

	ok(pmu_switches_told(&switches), "%s: it is told", by);
	pmu_switch_watch(switches.word, &mark);
	off = looks(1000000);
	ok(off <= switches_now() - before + OTHER_WORK, "hardly more often than it was off");
	for (int i = 0; i < 200; i++) {
		bool was_off;

		pmu_switch_watch(switches.word, &mark);
		before = switches_now();
		sleep_a_moment();
		was_off = switches_now() != before;
		sleeps += was_off;
		missed += was_off && !looks(1);
	}
	ok(sleeps > 0 && !missed, "of each sleep");
	*switches.word = 0;
	ok(looks(1) == 1, "where another had the word, it may have been off");
}

static void gives_back(void)
{
	uint64_t *word = switches.word;
	bool is_own = word == &switches.own.section;

	pmu_switches_detach(&switches, &mark);
	ok(!switches.word && !pmu_switches_told(&switches), "then it is told no more");
	if (is_own)
		ok(switches.own.cpu_id < 0 && !switches.own.section, "the kernel has let go of it");
}

/* By whatever comes first here. */
static void of_this_machine(void)
{
	if (!attach()) {
		skip("what tells a thread", "nothing does here");
		return;
	}
	tells("first");
	gives_back();
	ok(attach(), "once more");
	pmu_switches_detach(&switches, &mark);
}

static void forgets_its_own(void)
{
	struct pmu_switch_mark anothers;
	uint64_t word;

	pmu_switch_watch(&word, &mark);
	pmu_switch_forget(&word, &mark);
	is_u64(word, 0, "what was left in the word is taken away");
	pmu_switch_watch(&word, &anothers);
	pmu_switch_forget(&word, &mark);
	ok(word == (uintptr_t)&anothers, "what another has left there stays");
}

#if defined(SYS_rseq) && (defined(__x86_64__) || defined(__aarch64__))
/* The area that it has now, where that is libc's. */
static struct pmu_switch_area *libcs(void)
{
	struct pmu_switch_area *area = NULL;

	if (attach() && switches.word != &switches.own.section &&
	    (uintptr_t)switches.word % 32 == offsetof(struct pmu_switch_area, section))
		area = (void *)((char *)switches.word - offsetof(struct pmu_switch_area, section));
	return area;
}

static bool unregister(struct pmu_switch_area *area)
{
	return syscall(SYS_rseq, area, sizeof(*area), 1, mark.signature) == 0;
}

static void another_of_our_own(void)
{
	int status = -1;
	pid_t child;

	if (!attach() || switches.word != &switches.own.section) {
		skip("an area of our own", "not to be had here");
		pmu_switches_detach(&switches, &mark);
		return;
	}
	tells("an area of our own");
	child = fork();
	if (!child) {
		struct pmu_switches childs;

		pmu_switches_shed(&switches);
		pmu_switches_attach(&childs, &mark);
		_exit(childs.word != &childs.own.section || !pmu_switches_told(&childs));
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "a child has one, too");
	gives_back();
}

static void unregistered(void)
{
	struct pmu_switch_area *area = libcs();

	if (!area || !unregister(area)) {
		skip("libc's area", "not to be had here");
		pmu_switches_detach(&switches, &mark);
		return;
	}
	ok(!pmu_switches_told(&switches), "where the program unregisters it, it is told no more");
	pmu_switches_detach(&switches, &mark);
	another_of_our_own();
	*area = (struct pmu_switch_area){ .cpu_id = -1 };
	is_int((int)syscall(SYS_rseq, area, sizeof(*area), 0, mark.signature), 0,
	       "the program can have it again");
	ok(libcs() == area, "then it is the one");
	pmu_switches_detach(&switches, &mark);
}

/* Of another library that had it first: by what is left. */
static void anothers(void)
{
	static struct pmu_switch_area theirs = { .cpu_id = -1 };
	struct pmu_switch_area *area = libcs();

	if (area)
		unregister(area);
	pmu_switches_detach(&switches, &mark);
	if (syscall(SYS_rseq, &theirs, sizeof(theirs), 0, mark.signature) != 0) {
		skip("another's area", "not to be had here");
		return;
	}
	if (!attach())
		skip("a page", "perf_event_open is not allowed here");
	else
		tells("a page");
	ok(switches.word != &switches.own.section && theirs.cpu_id >= 0 && !theirs.section,
	   "another's area is left alone");
	if (switches.word) {
		pid_t child = fork();
		int status = -1;

		if (!child) {
			bool is_hole = pmu_switches_to_shed(&switches);

			pmu_switches_shed(&switches);
			pmu_switches_shed(&switches);
			_exit(!is_hole || looks(1) != 1 || looks(1) != 0);
		}
		waitpid(child, &status, 0);
		is_int(status, 0, "a child can look there");
	}
	gives_back();
	unregister(&theirs);
}
#else
static void unregistered(void)
{
}

static void anothers(void)
{
}
#endif

UNIT_PART(switches)
{
	pmu_switch_mark_fill(&mark);
	forgets_its_own();
	of_this_machine();
	unregistered();
	anothers();
	return done_testing();
}
