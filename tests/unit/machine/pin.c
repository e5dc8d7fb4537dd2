/* SPDX-License-Identifier: BSD-3-Clause */
/* Pinning: what is asked for, and where threads end up. */
#include "machine/pin.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/mask.h"
#include "machine/pinned.h"
#include "unit/part.h"

static struct pmu_mask all; /* the process's mask */
static char dir[] = "/tmp/pmu-pin-XXXXXX";

static int open_pinning(struct pmu_pinning **pinning, const struct pmu_pin_request *request,
			const char *folder)
{
	struct pmu_process self;

	pmu_process_self(&self);
	return pmu_pinning_open(pinning, request, folder, &self);
}

/* --- what is asked for --- */

static void understands_policies(void)
{
	struct pmu_pin_request request = { .n_cpus = 77 };

	is_int(pmu_pin_parse("none", &request), 0, "none");
	is_int(request.policy, PMU_PIN_NONE, "is a policy");
	is_u64(request.n_cpus, 0, "without a list");
	ok(!pmu_pin_parse("auto", &request) && request.policy == PMU_PIN_AUTO, "auto");
	ok(!pmu_pin_parse("compact", &request) && request.policy == PMU_PIN_COMPACT, "compact");
	ok(!pmu_pin_parse("scatter", &request) && request.policy == PMU_PIN_SCATTER, "scatter");
	is_int(pmu_pin_parse("cpus:5,0-2,8191", &request), 0, "a list");
	ok(request.policy == PMU_PIN_LIST && request.n_cpus == 5, "of five CPUs");
	ok(request.cpu[0] == 5 && request.cpu[1] == 0 && request.cpu[3] == 2 &&
		   request.cpu[4] == 8191,
	   "in its order");
}

static void names_what_is_wrong(void)
{
	static const struct {
		const char *text, *part;
	} row[] = {
		{ "compct", "compact" },
		{ "", "auto, none, compact" },
		{ "AUTO2", "did you mean auto" },
		{ "cpus", "cpus:0-3,8" },
		{ "cpu:1", "cpus:" },
		{ "0-3", "cpus:0-3,8" },
		{ "cpus:", "''" },
		{ "cpus:1,,2", "''" },
		{ "cpus:1,", "''" },
		{ "cpus:a", "'a'" },
		{ "cpus:-1", "'-1'" },
		{ "cpus:1-", "'1-'" },
		{ "cpus:1-2-3", "'1-2-3'" },
		{ "cpus:3-1", "3-1" },
		{ "cpus:8192", "8192" },
		{ "cpus:99999999999999999999999", "9999" },
		{ "cpus:0-18446744073709551615", "0-18446744073709551615" },
		{ "cpus:0-3,2", "CPU 2 is listed twice" },
		{ "cpus:0-1024", "1024" },
		{ "cpus:1111111111111111111111111111111111111111111111111111111111", "1111..." },
	};
	struct pmu_pin_request request = { .policy = PMU_PIN_SCATTER };

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		pmu_error_clear();
		is_int(pmu_pin_parse(row[i].text, &request), -EINVAL, row[i].text);
		has(pmu_error_text(), row[i].part, "says what is wrong");
	}
	is_int(request.policy, PMU_PIN_SCATTER, "the request stays as it was");
}

static void refuses_cpus_that_are_not_allowed(void)
{
	struct pmu_pin_request request = { .policy = PMU_PIN_LIST, .n_cpus = 1 };
	struct pmu_pinning *pinning = (struct pmu_pinning *)&request;
	char allowed[128];

	request.cpu[0] = PMU_MASK_CPUS - 1;
	is_int(open_pinning(&pinning, &request, NULL), -EINVAL, "a CPU that is not there");
	ok(!pinning, "no pinning");
	pmu_mask_format(&all, allowed, sizeof(allowed));
	has(pmu_error_text(), "CPU 8191", "is named");
	has(pmu_error_text(), allowed, "with those that are");
}

/* --- where threads end up; each scene in a process of its own --- */

static bool scene(void (*play)(void), const char *name)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		play();
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return ok(status == 0, "%s", name);
}

/* A scene's checks: the first that fails ends it. */
#define must(holds)                                                  \
	do {                                                         \
		if (!(holds)) {                                      \
			printf("# line %d: " #holds "\n", __LINE__); \
			fflush(stdout);                              \
			_exit(1);                                    \
		}                                                    \
	} while (0)

static struct pmu_pinning *pinning;
static char why[96];

static void open_as(const char *text, const char *folder)
{
	struct pmu_pin_request request;

	must(!pmu_pin_parse(text, &request));
	must(!open_pinning(&pinning, &request, folder));
}

static int single(void)
{
	struct pmu_mask mask;

	must(!pmu_mask_of_thread(0, &mask));
	return pmu_mask_single(&mask);
}

static int nth(int n)
{
	int cpu = pmu_mask_next(&all, 0);

	while (n--)
		cpu = pmu_mask_next(&all, cpu + 1);
	return cpu;
}

static bool described_as(const char *part)
{
	char text[256];

	pmu_pinning_describe(pinning, text, sizeof(text));
	if (strstr(text, part))
		return true;
	printf("# \"%s\" is not in \"%s\"\n", part, text);
	return false;
}

/* A thread that takes a place, and one that gives it back. */
static void *take(void *arg)
{
	int *cpu = arg;

	pmu_mask_apply(&all);
	*cpu = pmu_pinning_thread(pinning, why, sizeof(why));
	must(*cpu == single());
	return NULL;
}

static int thread_takes(void)
{
	pthread_t thread;
	int cpu = -2;

	must(!pthread_create(&thread, NULL, take, &cpu));
	pthread_join(thread, NULL);
	return cpu;
}

static void auto_pins_every_thread_elsewhere(void)
{
	unsigned int n = pmu_mask_count(&all);
	struct pmu_mask seen = { { 0 } };
	char text[128];
	int cpu = -1;

	open_as("auto", NULL);
	must(described_as("auto"));
	for (unsigned int i = 0; i < n; i++) {
		cpu = i ? thread_takes() : pmu_pinning_thread(pinning, why, sizeof(why));
		must(cpu >= 0 && !why[0] && !pmu_mask_has(&seen, cpu));
		pmu_mask_set(&seen, cpu);
	}
	must(thread_takes() == -1);
	must(!strcmp(why, "more threads than processors"));
	must(described_as("; 1 thread not pinned: more threads than processors"));
	must(thread_takes() == -1);
	must(described_as("; 2 threads not pinned: more threads than processors"));
	cpu = pmu_mask_next(&all, 0);
	if (pmu_mask_has(&all, cpu + (int)n - 1)) {
		snprintf(text, sizeof(text), "auto: %u threads on CPUs %d-%d; 2", n, cpu,
			 cpu + (int)n - 1);
		must(described_as(text));
	}
	pmu_pinning_release(pinning, cpu);
	must(thread_takes() == cpu);
	pmu_pinning_release(pinning, -1);
	pmu_pinning_release(pinning, 1 << 20);
	pmu_pinning_close(pinning);
}

static void others_wrap(void)
{
	char list[40];

	snprintf(list, sizeof(list), "cpus:%d,%d", nth(1), nth(0));
	open_as(list, NULL);
	must(thread_takes() == nth(1));
	must(thread_takes() == nth(0));
	must(thread_takes() == nth(1));
	must(described_as("3 threads on CPUs"));
	pmu_pinning_close(pinning);
	open_as("compact", NULL);
	for (int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < pmu_mask_count(&all); i++)
			must(thread_takes() >= 0);
	pmu_pinning_close(pinning);
	open_as("scatter", NULL);
	must(thread_takes() != thread_takes());
	pmu_pinning_close(pinning);
}

static void bound_threads_are_left_alone(void)
{
	struct pmu_mask one = { { 0 } };

	pmu_mask_set(&one, nth(1));
	must(!pmu_mask_apply(&one));
	open_as("auto", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) == nth(1) && !why[0]);
	must(single() == nth(1));
	must(!pmu_pin_original(0, sizeof(one), &one)); /* it was not we */
	must(described_as("1 thread bound before on CPU"));
	must(thread_takes() != nth(1));
	pmu_pinning_close(pinning);
	open_as("none", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) == nth(1));
	pmu_pinning_close(pinning);
}

static void none_pins_nobody(void)
{
	struct pmu_mask mask;

	open_as("none", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) == -1 && !why[0]);
	pmu_mask_of_thread(0, &mask);
	must(pmu_mask_equal(&mask, &all));
	must(described_as("none"));
	pmu_pinning_close(pinning);
}

static void a_thread_stays_within_its_mask(void)
{
	char list[20];

	snprintf(list, sizeof(list), "cpus:%d", nth(0));
	open_as(list, NULL);
	if (pmu_mask_count(&all) > 2) {
		struct pmu_mask two = all;

		pmu_mask_clear(&two, nth(0));
		must(!pmu_mask_apply(&two));
		must(pmu_pinning_thread(pinning, why, sizeof(why)) == -1);
		must(strstr(why, "none of the listed"));
	}
	pmu_pinning_close(pinning);
	must(!pmu_mask_apply(&all));
}

static void lifting_gives_the_original_mask(void)
{
	struct pmu_mask mask;
	int cpu;

	pmu_pin_lift(); /* not pinned: nothing */
	pmu_pin_restore();
	open_as("auto", NULL);
	cpu = pmu_pinning_thread(pinning, why, sizeof(why));
	must(single() == cpu);
	must(pmu_pin_original(0, sizeof(mask), &mask) && pmu_mask_equal(&mask, &all));
	must(pmu_pin_original(getpid(), sizeof(mask), &mask));
	errno = 4711;
	pmu_pin_lift();
	pmu_mask_of_thread(0, &mask);
	must(pmu_mask_equal(&mask, &all));
	pmu_pin_lift();
	pmu_pin_restore();
	must(single() != cpu); /* the inner pair changes nothing */
	pmu_pin_restore();
	must(errno == 4711);
	must(single() == cpu);
	pmu_pin_restore(); /* one too many */
	must(single() == cpu);
	pmu_pinning_close(pinning);
	pmu_pin_lift();
	must(single() != cpu); /* a pin outlives its session, and so does this */
	pmu_pin_restore();
	must(single() == cpu);
}

static void originals_fill_any_size(void)
{
	unsigned char big[2 * sizeof(struct pmu_mask)], small[8];

	open_as("auto", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) >= 0);
	memset(big, 0xff, sizeof(big));
	must(pmu_pin_original(0, sizeof(big), big));
	must(!memcmp(big, &all, sizeof(all)));
	for (size_t i = sizeof(all); i < sizeof(big); i++)
		must(!big[i]);
	must(pmu_pin_original(0, sizeof(small), small));
	must(!memcmp(small, &all, sizeof(small)));
	pmu_pinning_close(pinning);
}

static void what_is_set_while_lifted_stays(void)
{
	struct pmu_mask one = { { 0 } };
	int cpu;

	open_as("auto", NULL);
	cpu = pmu_pinning_thread(pinning, why, sizeof(why));
	pmu_pin_lift();
	pmu_mask_set(&one, cpu == nth(0) ? nth(1) : nth(0));
	pmu_mask_apply(&one);
	pmu_pin_restore();
	must(single() >= 0 && single() != cpu);
	pmu_pinning_close(pinning);
}

static void what_the_program_binds_stays_bound(void)
{
	struct pmu_mask one = { { 0 } }, mask;
	int cpu;

	open_as("auto", NULL);
	cpu = pmu_pinning_thread(pinning, why, sizeof(why));
	pmu_mask_set(&one, cpu == nth(0) ? nth(1) : nth(0));
	pmu_mask_apply(&one); /* as libnuma does: by system call */
	must(!pmu_pin_original(0, sizeof(mask), &mask));
	pmu_pin_lift();
	must(single() >= 0 && single() != cpu);
	pmu_pin_restore();
	must(single() >= 0 && single() != cpu);
	pmu_pinning_close(pinning);
	open_as("auto", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) == single());
	must(described_as("bound before"));
	pmu_pinning_close(pinning);
}

static void the_next_session_places_anew(void)
{
	struct pmu_mask mask;

	open_as("auto", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) >= 0);
	pmu_pinning_close(pinning);
	open_as("compact", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) == single());
	must(described_as("compact: 1 thread on CPU"));
	must(pmu_pin_original(0, sizeof(mask), &mask) && pmu_mask_equal(&mask, &all));
	pmu_pinning_close(pinning);
}

static void a_raw_fork_can_disown_the_pin(void)
{
	struct pmu_mask mask;
	int status = -1;
	pid_t pid;

	open_as("auto", NULL);
	must(pmu_pinning_thread(pinning, why, sizeof(why)) >= 0);
#ifdef SYS_fork
	pid = (pid_t)syscall(SYS_fork);
#else
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
	if (!pid) {
		must(single() >= 0);
		pmu_pin_lift(); /* what it starts inherits nothing even before */
		must(single() < 0);
		pmu_pin_restore();
		must(single() >= 0);
		pmu_pinning_abandon(pinning);
		pmu_mask_of_thread(0, &mask);
		must(pmu_mask_equal(&mask, &all));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	must(!status);
	pmu_pinning_abandon(pinning); /* in the parent: nothing */
	must(single() >= 0);
	pmu_pinning_close(pinning);
}

/* Another session that holds a claim until the pipe closes. */
static pid_t neighbour(int *cpu, int *keep)
{
	int to[2], from[2];
	pid_t pid;

	must(!pipe(to) && !pipe(from));
	pid = fork();
	if (!pid) {
		char c;

		close(to[1]);
		open_as("auto", dir);
		*cpu = pmu_pinning_thread(pinning, why, sizeof(why));
		(void)!write(from[1], cpu, sizeof(*cpu));
		(void)!read(to[0], &c, 1);
		_exit(0); /* dies without giving anything back */
	}
	close(to[0]);
	must(read(from[0], cpu, sizeof(*cpu)) == sizeof(*cpu));
	close(from[0]);
	close(from[1]);
	*keep = to[1];
	return pid;
}

static void sessions_share_the_machine(void)
{
	int cpu, keep, n = (int)pmu_mask_count(&all);
	struct pmu_mask seen = { { 0 } };
	pid_t pid = neighbour(&cpu, &keep);

	pmu_mask_set(&seen, cpu);
	open_as("auto", dir);
	for (int i = 1; i < n; i++) {
		cpu = thread_takes();
		must(cpu >= 0 && !pmu_mask_has(&seen, cpu));
		pmu_mask_set(&seen, cpu);
	}
	must(thread_takes() == -1);
	must(!strcmp(why, "other sessions have claimed every free processor"));
	close(keep);
	waitpid(pid, NULL, 0);
	must(thread_takes() >= 0);
	pmu_pinning_close(pinning);
}

static void short_lived_threads_leave_nothing_behind(void)
{
	open_as("auto", NULL);
	for (int i = 0; i < 3 * PMU_PINNED_MAX / 2; i++) {
		int cpu = thread_takes();

		must(cpu >= 0);
		pmu_pinning_release(pinning, cpu);
	}
	pmu_pinning_close(pinning);
}

static void *query(void *arg)
{
	struct pmu_mask mask;

	while (!__atomic_load_n((int *)arg, __ATOMIC_ACQUIRE)) {
		if (pmu_pin_original(getpid(), sizeof(mask), &mask))
			must(pmu_mask_equal(&mask, &all));
		pmu_pinned_drop(1);
	}
	return NULL;
}

static void asking_needs_no_lock(void)
{
	pthread_t thread;
	int stop = 0;

	open_as("compact", NULL);
	must(!pthread_create(&thread, NULL, query, &stop));
	for (int i = 0; i < 200; i++) {
		must(pmu_pinning_thread(pinning, why, sizeof(why)) >= 0);
		must(thread_takes() >= 0);
		pmu_pin_lift();
		pmu_pin_restore();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	pmu_pinning_close(pinning);
}

static void remove_dir(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/claims", dir);
	unlink(path);
	rmdir(dir);
}

/* --- another machine's processors --- */

static void places(const char *policy, unsigned int elsewhere, const char *want, const char *name)
{
	struct pmu_pin_request request;
	struct pmu_pinning *theirs;
	struct pmu_mask now;
	char got[128] = "", reason[96];

	pmu_pin_parse(policy, &request);
	request.elsewhere = elsewhere;
	if (!ok(!open_pinning(&theirs, &request, dir), "%s elsewhere", policy))
		return;
	for (int i = 0; i < 5; i++) {
		size_t len = strlen(got);

		snprintf(got + len, sizeof(got) - len, "%s%d", i ? "," : "",
			 pmu_pinning_thread(theirs, reason, sizeof(reason)));
	}
	is_str(got, want, name);
	pmu_mask_of_thread(0, &now);
	ok(pmu_mask_equal(&now, &all), "nobody is bound");
	pmu_pinning_close(theirs);
}

/* A machine of four numbers, then one of two sockets by its topology. */
static void numbers_of_another_machine(void)
{
	char path[512];
	const char *source = getenv("TEST_SRCDIR");

	places("auto", 4, "0,1,2,3,-1", "each a processor of its own, while there are any");
	places("compact", 4, "0,1,2,3,0", "or in turn");
	places("none", 4, "-1,-1,-1,-1,-1", "or none");
	places("cpus:3,1", 4, "3,1,3,1,3", "or those of a list");
	places("cpus:9", 4, "-1,-1,-1,-1,-1", "of which the machine must have one");
	snprintf(path, sizeof(path), "%s/tests/data/topologies/westmere-ep-2s6c2t.xml",
		 source ? source : ".");
	setenv("HWLOC_XMLFILE", path, 1);
	places("compact", 24, "0,12,1,13,2", "siblings together, by its own topology");
	places("scatter", 24, "0,6,3,9,1", "or both sockets");
	unsetenv("HWLOC_XMLFILE");
}

/* As on a real machine: a thread that has bound itself stays there, also beside placed ones. */
static void bound_on_another_machine(void)
{
	struct pmu_pin_request request;
	struct pmu_pinning *theirs;
	struct pmu_mask one = { { 0 } };
	char text[160];
	int last = pmu_mask_next(&all, 0);

	for (int cpu = last; cpu >= 0; cpu = pmu_mask_next(&all, cpu + 1))
		last = cpu;
	pmu_mask_set(&one, last);
	pmu_pin_parse("compact", &request);
	request.elsewhere = (unsigned int)last + 4;
	if (!ok(!open_pinning(&theirs, &request, dir), "a machine with that processor"))
		return;
	is_int(pmu_pinning_thread(theirs, why, sizeof(why)), 0, "the first is placed");
	pmu_mask_apply(&one);
	is_int(pmu_pinning_thread(theirs, why, sizeof(why)), last, "one that is bound stays");
	pmu_mask_apply(&all);
	pmu_pinning_describe(theirs, text, sizeof(text));
	ok(strstr(text, "1 of them bound before"), "and the report says so: %s", text);
	pmu_pinning_close(theirs);
}

UNIT_PART(pin)
{
	unsetenv("HWLOC_XMLFILE");
	pmu_mask_of_thread(0, &all);
	understands_policies();
	names_what_is_wrong();
	refuses_cpus_that_are_not_allowed();
	if (pmu_mask_count(&all) < 2) {
		skip("threads on CPUs", "only one CPU is allowed here");
		return done_testing();
	}
	if (!ok(mkdtemp(dir) != NULL, "a folder for claims"))
		return done_testing();
	scene(none_pins_nobody, "none pins nobody");
	scene(auto_pins_every_thread_elsewhere, "auto pins every thread elsewhere");
	scene(others_wrap, "the other policies wrap");
	scene(bound_threads_are_left_alone, "bound threads are left alone");
	scene(a_thread_stays_within_its_mask, "a thread stays within its mask");
	scene(lifting_gives_the_original_mask, "lifting gives the original mask");
	scene(originals_fill_any_size, "originals fill any size");
	scene(what_is_set_while_lifted_stays, "what is set while lifted stays");
	scene(what_the_program_binds_stays_bound, "what the program binds stays bound");
	scene(the_next_session_places_anew, "the next session places anew");
	scene(a_raw_fork_can_disown_the_pin, "a raw fork can disown the pin");
	scene(sessions_share_the_machine, "sessions share the machine");
	scene(short_lived_threads_leave_nothing_behind, "short-lived threads leave nothing behind");
	scene(asking_needs_no_lock, "asking needs no lock");
	numbers_of_another_machine();
	bound_on_another_machine();
	remove_dir();
	return done_testing();
}
