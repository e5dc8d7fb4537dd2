/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers that fail, devices that go: the program never notices, and registers are put back. */
#include <pthread.h>
#include <sys/syscall.h>

#include "loads.h"
#include "marked.h"

/* One fault in so many is tried: sanitizers take their time. */
#define STEP   (RUN_SANITIZED ? 5 : 1)
#define EVENTS "PMU_EVENTS=instructions,cycles,branches,branch-misses,uncore-clock,energy-pkg"

/* Values that a session has to put back.  Selects without EN: a counter that is off may be used. */
static void leave_traces(void)
{
	for (int cpu = 0; cpu < 4; cpu++) {
		sim_send(&sim, "set %d 0xc1 %d\nset %d 0xc2 0x7fffffff\nset %d 0x309 0x123456789a",
			 cpu, 4711 + cpu, cpu, cpu);
		sim_send(&sim, "set %d 0x38d 0\nset %d 0x38f %s", cpu, cpu,
			 cpu % 2 ? "0x0" : "0x700000003");
	}
	/* of the uncore clock, where there is one */
	sim_send(&sim, "set 0 0x395 0x123456");
	sim_send(&sim, "set 0 0xe01 0x3");
}

/* --- one register that fails --- */

#define MAX_ACCESSES 4096

struct accesses {
	size_t n;
	struct session_access at[MAX_ACCESSES];
};

static bool has_access(const struct accesses *all, const struct session_access *access)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].cpu == access->cpu && all->at[i].address == access->address &&
		    all->at[i].write == access->write)
			return true;
	return false;
}

/* Every register that a session's start reads, and writes, each once. */
static void list_accesses(struct accesses *all)
{
	struct session_access access;
	char *log = sim_log(&sim), *end = log ? strstr(log, "phase running") : NULL;

	all->n = 0;
	if (end)
		*end = '\0';
	for (const char *at = log; (at = session_next(at, &access));)
		if (all->n < MAX_ACCESSES && !has_access(all, &access))
			all->at[all->n++] = access;
	free(log);
}

/* Why a run fell short, "" where it did not. */
static const char *shortcoming(const struct run *r, const struct session_access *access,
			       const char *before)
{
	static char why[600];
	char place[64], *after = sim_state(&sim);

	snprintf(place, sizeof(place), "(%XH) on CPU %d: Input/output error", access->address,
		 access->cpu);
	snprintf(why, sizeof(why), "%s", "");
	if (!ended(r))
		snprintf(why, sizeof(why), "status %x, %.400s", (unsigned int)r->status, r->err);
	else if (!strstr(session_words(r), access->write ? "cannot write " : "cannot read ") ||
		 !strstr(session_words(r), place))
		snprintf(why, sizeof(why), "no reason: %.500s", session_words(r));
	else if (!strstr(session_words(r), "\"msr\""))
		snprintf(why, sizeof(why), "not named: %.500s", session_words(r));
	else if (strcmp(session_source(r), "clock") != 0)
		snprintf(why, sizeof(why), "the source is %s", session_source(r));
	else if (run_calls(r->json, "work") != 1)
		snprintf(why, sizeof(why), "the region is lost");
	else if (!after || strcmp(before, after) != 0)
		snprintf(why, sizeof(why), "registers differ");
	if (after && strcmp(before, after) != 0)
		session_differences(before, after);
	free(after);
	return why;
}

static void fail_each(const struct accesses *all)
{
	size_t reads = 0, writes = 0, bad = 0;
	struct run r;

	for (size_t i = 0; i < all->n; i += STEP) {
		const struct session_access *at = &all->at[i];
		char *before = sim_state(&sim);
		const char *why;

		sim_send(&sim, "fail %d 0x%x %s EIO", at->cpu, at->address,
			 at->write ? "write" : "read");
		run(&r, one_region, NULL, session_env(EVENTS, NULL));
		sim_send(&sim, "fail %d 0x%x %s 0", at->cpu, at->address,
			 at->write ? "write" : "read");
		why = shortcoming(&r, at, before);
		if (*why && bad++ < 5)
			diag("%s of %XH on CPU %d: %s", at->write ? "write" : "read", at->address,
			     at->cpu, why);
		*(at->write ? &writes : &reads) += 1;
		free(before);
		run_done(&r);
	}
	ok(reads > 60 / STEP && writes > 30 / STEP,
	   "%zu registers that a start reads fail, and %zu that it writes", reads, writes);
	is_u64(bad, 0,
	       "whichever fails: a reason with its number, all others put back, and another source");
}

static void every_register_of_a_start_may_fail(const char *cpu, int flags, const char *how)
{
	struct accesses *all = calloc(1, sizeof(*all));
	char *before;
	struct run r;

	machine_starts(cpu, flags);
	leave_traces();
	before = sim_state(&sim);
	run(&r, one_region, NULL, session_env(EVENTS, NULL));
	ok(ended(&r), "%s", how);
	is_str(session_source(&r), "msr", "registers count");
	is_int(session_net(&r, "work", "instructions"), 1000, "exactly");
	session_is_back(before, "and are put back");
	list_accesses(all);
	run_done(&r);
	fail_each(all);
	free(all);
	sim_stop(&sim);
}

/*
 * Not the register but the access: its like may have gone well before, and do so again when it is
 * put back.
 */
static void every_access_of_a_start_may_fail_once(void)
{
	size_t n, bad = 0;
	struct run r;

	machine_starts("core2", 0);
	leave_traces();
	run(&r, one_region, NULL,
	    session_env("PMU_EVENTS=instructions,cycles,branches,branch-misses", NULL));
	is_str(session_source(&r), "msr", "once more, on a smaller machine");
	run_done(&r);
	n = 0;
	{
		struct session_access access;
		char *log = sim_log(&sim), *end = log ? strstr(log, "phase running") : NULL;

		if (end)
			*end = '\0';
		for (const char *at = log; (at = session_next(at, &access));)
			n++;
		free(log);
	}
	for (size_t i = 1; i <= n; i += STEP) {
		char *before = sim_state(&sim), *after;

		sim_send(&sim, "at %zu error EIO", i);
		run(&r, one_region, NULL,
		    session_env("PMU_EVENTS=instructions,cycles,branches,branch-misses", NULL));
		sim_send(&sim, "at 0 error 0");
		after = sim_state(&sim);
		if ((!ended(&r) || !strstr(session_words(&r), "Input/output error") ||
		     strcmp(session_source(&r), "clock") != 0 || strcmp(before, after) != 0) &&
		    bad++ < 5) {
			diag("access %zu: status %x, source %s, %s", i, (unsigned int)r.status,
			     session_source(&r), session_words(&r));
			session_differences(before, after);
		}
		free(before);
		free(after);
		run_done(&r);
	}
	ok(n > 100, "a start is %zu accesses", n);
	is_u64(bad, 0, "whichever fails once: a reason, everything as it was, and another source");
	sim_stop(&sim);
}

/* --- while it counts --- */

static int lose_the_devices(void *arg)
{
	want_int(pmu_region_begin("before"), 0);
	sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1");
	want_int(pmu_region_end("before"), 0);
	want_int(pmu_region_begin("during"), 0);
	sim_send(&sim, "%s", (const char *)arg);
	want_int(pmu_region_end("during"), 0);
	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin("after"), 0);
		want_int(pmu_region_end("after"), 0);
	}
	return run_notes->n_failed ? 1 : 7;
}

static void devices_may_vanish_while_they_count(void)
{
	char *before, *text;
	struct run r;
	int status;

	machine_starts("skylake", 0);
	leave_traces();
	before = sim_state(&sim);
	run(&r, lose_the_devices, (char *)(uintptr_t) "vanish",
	    session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "the devices vanish: the program does not notice");
	is_str(session_source(&r), "msr", "they have counted");
	is_int(session_net(&r, "before", "instructions"), 1000, "what was before is exact");
	is_int(session_net(&r, "during", "instructions"), -1, "what they were in is missing");
	is_int(session_net(&r, "after", "instructions"), -1, "what came after too");
	is_int(run_calls(r.json, "after"), 3, "its calls and times are there");
	has(session_words(&r), "cannot be read any more", "the report says so");
	has(session_words(&r),
	    "not all registers could be put back: ", "and what is left as it was");
	has(session_words(&r), "try 'pmu msr restore'", "and what to do");
	sim_send(&sim, "appear");
	text = session_command(&r, session_env(NULL, NULL), "restore", &status);
	is_int(status, 0, "they appear again: what could not be put back then can be now");
	has(text, "registers are as they were", "the command says so");
	session_is_back(before, "and has done it");
	free(text);
	run_done(&r);
	sim_stop(&sim);
}

static void one_counter_may_fail_while_it_counts(void)
{
	char *before;
	struct run r;

	machine_starts("skylake", 0);
	before = sim_state(&sim);
	run(&r, lose_the_devices, (char *)(uintptr_t) "fail 0 0x309 read EIO",
	    session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "one counter fails");
	is_int(session_net(&r, "before", "instructions"), 1000, "what was before is exact");
	is_int(session_net(&r, "after", "instructions"), -1, "what comes after is missing");
	is_int(session_net(&r, "after", "cycles"), -1,
	       "and what is counted beside it, as the library's own part is not what it was");
	is_int(session_net(&r, "before", "cycles"), 0, "which was exact before, too");
	has(session_words(&r), "MSR 309H of CPU 0 cannot be read any more (Input/output error)",
	    "it is named");
	sim_send(&sim, "fail 0 0x309 read 0");
	session_is_back(before, "registers are put back");
	run_done(&r);
	sim_stop(&sim);
}

/* By batches too: the driver does no access of a batch in which a processor is missing. */
static void a_processor_may_go_offline(int flags, const char *how)
{
	char *before;
	struct run r;

	machine_starts("skylake", flags);
	before = sim_state(&sim);
	run(&r, lose_the_devices, (char *)(uintptr_t) "offline 2",
	    session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "%s", how);
	is_int(session_net(&r, "before", "instructions"), 1000, "what others count is exact");
	is_int(session_net(&r, "after", "instructions"), 0, "and goes on");
	sim_send(&sim, "online 2");
	session_is_back(before, "the others' registers are put back");
	run_done(&r);
	sim_stop(&sim);
}

/*
 * Another program that takes our counters, as the kernel's perf does.  Net instructions of the
 * regions before and after it, and cycles after it; -1: missing.
 */
static const struct writer {
	const char *cpu, *command;
	int before, after, cycles;
	const char *words;
} writers[] = {
	{ "skylake", "set 0 0x38f 0", -1, -1, -1,
	  "another program has written IA32_PERF_GLOBAL_CTRL (38FH) of CPU 0" },
	/* of the same event, at both levels, with its interrupt, and the counter as it was */
	{ "skylake", "set 0 0x38d 0x2b", -1, -1, 0,
	  "another program has written IA32_FIXED_CTR_CTRL (38DH) of CPU 0" },
	{ "zen3", "set 0 0xc0010200 0x5300c0", -1, -1, 0,
	  "another program has written PERF_CTL0 (C0010200H) of CPU 0" },
	{ "zen4", "set 0 0xc0000301 0", -1, -1, -1,
	  "another program has written PERF_CNTR_GLOBAL_CTL (C0000301H) of CPU 0" },
	/* where the kernel lets a counter begin, by the width that it can write */
	{ "westmere", "set 0 0x309 0xffff80000001", 1000, -1, -1, "MSR 309H of CPU 0 jumped" },
	{ "skylake", "set 0 0x309 0x800000000001", 1000, -1, -1, "MSR 309H of CPU 0 jumped" },
	{ "zen3", "set 0 0xc0010201 0x800000000001", 1000, -1, -1,
	  "MSR C0010201H of CPU 0 jumped" },
	{ "zen3", "set 0 0xc0010201 0x800000000001\nset 0 0xc0010200 0x5300c0", 1000, -1, -1,
	  "MSR C0010201H of CPU 0 jumped" },
	{ "zen3", "set 0 0xc0010201 0x0", 1000, -1, -1, "MSR C0010201H of CPU 0 jumped" },
	/* fields and processors that we do not use */
	{ "skylake", "set 0 0x38d 0xb22", 1000, 0, 0, NULL },
	{ "skylake", "set 3 0x38d 0\nset 1 0x38f 0", 1000, 0, 0, NULL },
};

static void another_program_may_write_them(void)
{
	for (const struct writer *w = writers; w < writers + sizeof(writers) / sizeof(*writers);
	     w++) {
		struct run r;

		machine_starts(w->cpu, 0);
		run(&r, lose_the_devices, (char *)(uintptr_t)w->command,
		    session_env("PMU_EVENTS=instructions,cycles", NULL));
		ok(ended(&r), "%s: another program does \"%s\"", w->cpu, w->command);
		is_int(session_net(&r, "before", "instructions"), w->before, "what was before");
		is_int(session_net(&r, "during", "instructions"), w->after, "and meanwhile");
		is_int(session_net(&r, "after", "instructions"), w->after, "and what came after");
		is_int(session_net(&r, "after", "cycles"), w->cycles, "and is counted beside it");
		if (w->words)
			has(session_words(&r), w->words, "the report says so");
		else
			ok(!strstr(session_words(&r), "another program"),
			   "the report says nothing");
		run_done(&r);
		sim_stop(&sim);
	}
}

static void *be_early(void *arg)
{
	pmu_region_begin("early");
	sim_send(&sim, "count 0 0xc0 0 user 70 fixed 1");
	pmu_region_end("early");
	return arg;
}

static int write_in_between(void *arg)
{
	pthread_t thread;

	want_int(pthread_create(&thread, NULL, be_early, NULL), 0);
	pthread_join(thread, NULL);
	want_int(pmu_region_begin("main"), 0);
	sim_send(&sim, "count 0 0xc0 0 user 30 fixed 1");
	want_int(pmu_region_end("main"), 0);
	sim_send(&sim, "set 0 0x38d 0xb2\nset 0 0x394 0");
	/* back to what it was, with the next group's */
	if (arg)
		want_int(pmu_group_next(), 0);
	return run_notes->n_failed ? 1 : 7;
}

/* Looked at when a thread ends, when a group does, and for a report. */
static void who_has_ended_before_keeps_counts(void)
{
	struct run r;

	machine_starts("skylake", 0);
	run(&r, write_in_between, NULL,
	    session_env("PMU_EVENTS=cycles,instructions,uncore-clock", "PMU_PIN=cpus:0", NULL));
	ok(ended(&r), "another program takes the cycles when a thread has ended");
	is_int(session_net(&r, "early", "cycles"), 0, "whose counts are counts");
	is_int(session_net(&r, "main", "cycles"), -1, "the other's are missing");
	is_int(session_net(&r, "main", "instructions"), 30, "but for those of another counter");
	is_int(session_net(&r, "main", "uncore-clock"), -1, "and the socket's");
	run_done(&r);
	run(&r, write_in_between, (char *)(uintptr_t) "",
	    session_env("PMU_GROUP=CORE,BRANCH", "PMU_PIN=cpus:0", NULL));
	ok(ended(&r), "the same before the next group's turn");
	is_int(session_net(&r, "early", "cycles"), 0, "the thread that has ended has its counts");
	is_int(session_net(&r, "main", "cycles"), -1, "the other's are missing");
	run_done(&r);
	sim_stop(&sim);
}

/* As where a hypervisor takes writes and does nothing, or msr-safe's list keeps bits back. */
static void a_register_may_keep_nothing(void)
{
	char *before;
	struct run r;

	machine_starts("skylake", 0);
	before = sim_state(&sim);
	sim_send(&sim, "fail all 0x186 write ignored");
	run(&r, one_region, NULL, session_env("PMU_EVENTS=branches", NULL));
	ok(ended(&r), "what is written is not there");
	is_str(session_source(&r), "clock", "nothing is counted by it: no count is better than 0");
	has(session_words(&r),
	    "IA32_PERFEVTSEL0 (186H) on CPU 0 does not keep what is written to it: 4100C4H became 0H",
	    "the report says so");
	session_is_back(before, "registers are put back");
	run_done(&r);
	sim_stop(&sim);
}

static int close_everything(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("before"), 0);
	sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1");
	want_int(pmu_region_end("before"), 0);
	/* ours lie at the top of the range */
	want_int(syscall(SYS_close_range, 3, ~0u, 0), 0);
	want_int(pmu_region_begin("after"), 0);
	sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1");
	want_int(pmu_region_end("after"), 0);
	return run_notes->n_failed ? 1 : 7;
}

static void the_program_may_close_everything(void)
{
	char *before;
	struct run r;

	machine_starts("skylake", 0);
	before = sim_state(&sim);
	run(&r, close_everything, NULL, session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "a program that closes all descriptors");
	is_int(session_net(&r, "before", "instructions"), 1000, "what was before is exact");
	is_int(session_net(&r, "after", "instructions"), -1, "what comes after is missing");
	ok(strstr(session_words(&r), "closed") != NULL, "the report says so: %s",
	   session_words(&r));
	session_is_back(before, "registers are put back all the same");
	run_done(&r);
	sim_stop(&sim);
}

int main(void)
{
	int rc = sim_start(&sim, "core2", 0);

	if (rc > 0)
		return skip_all(sim.why);
	sim_stop(&sim);
	every_register_of_a_start_may_fail("skylake", 0, "a machine whose registers all work");
	every_register_of_a_start_may_fail("skylake", SIM_BATCH, "the same by batches");
	every_access_of_a_start_may_fail_once();
	devices_may_vanish_while_they_count();
	one_counter_may_fail_while_it_counts();
	a_processor_may_go_offline(0, "a processor goes offline");
	a_processor_may_go_offline(SIM_BATCH, "the same by batches");
	another_program_may_write_them();
	who_has_ended_before_keeps_counts();
	a_register_may_keep_nothing();
	the_program_may_close_everything();
	return done_testing();
}
