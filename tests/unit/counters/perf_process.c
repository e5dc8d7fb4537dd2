/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole processes by the source perf, on a kernel and a list of threads that the test makes up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "counters/backend.h"
#include "counters/perf/perf.h"
#include "unit/counters/perf_fake.h"
#include "unit/part.h"

static const struct pmu_backend *const perf = &pmu_backend_perf;

/* --- threads --- */

/* What each look finds, the last one for ever: numbers that end with 0, or an error. */
static const pid_t (*looks)[4];
static unsigned int n_looks, n_looked;

static int fake_threads(pid_t **tid)
{
	const pid_t *now = looks[n_looked < n_looks ? n_looked : n_looks - 1];
	int n = 0;

	n_looked++;
	*tid = NULL;
	if (now[0] < 0)
		return now[0];
	*tid = malloc(4 * sizeof(**tid));
	if (!*tid)
		abort();
	while (now[n]) {
		(*tid)[n] = now[n];
		n++;
	}
	return n;
}

static struct pmu_plan two_events(void)
{
	struct pmu_plan plan = { .n_slots = 2, .scope = PMU_COUNT_PROCESS };

	for (uint64_t i = 0; i < 2; i++)
		plan.slot[i] =
			(struct pmu_slot){ .kind = PMU_SLOT_CORE, .config = i, .user = true };
	return plan;
}

/* What the next read of each of a thread's events gives. */
static void give(pid_t pid, uint64_t first, uint64_t second, uint64_t enabled, uint64_t running)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < fake_n; i++) {
		const uint64_t packet[] = { n ? second : first, enabled, running };

		if (fake_event[i].pid != pid || fake_event[i].end < 0)
			continue;
		n++;
		if (write(fake_event[i].end, packet, sizeof(packet)) != sizeof(packet))
			abort();
	}
}

static int open_with(const pid_t (*these)[4], unsigned int n, struct pmu_plan *plan, void **state)
{
	looks = these;
	n_looks = n;
	n_looked = 0;
	fake_forget();
	return perf->open(state, plan);
}

/* --- tests --- */

static void every_thread_has_events_that_are_inherited(void)
{
	static const pid_t these[][4] = { { 10, 11 } };
	struct pmu_plan plan = two_events();
	uint64_t value[PMU_MAX_SLOTS];
	void *state;

	is_int(open_with(these, 1, &plan, &state), 0, "two threads");
	is_int((int)fake_n, 4, "have two events each");
	for (unsigned int i = 0; i < fake_n; i++) {
		const struct perf_event_attr *attr = &fake_event[i].attr;

		ok(attr->inherit && attr->inherit_thread && !attr->pinned &&
			   !(attr->read_format & PERF_FORMAT_GROUP),
		   "inherited by threads alone, not pinned, read by itself");
		is_int(fake_event[i].pid, i < 2 ? 10 : 11, "whose it is");
	}
	is_int((int)perf->sockets(state), 1, "there is one place");
	is_int(perf->socket_of(state, 5), 0, "whatever the CPU");
	give(10, 5, 7, 100, 100);
	give(11, 30, 40, 50, 50);
	is_int((int)perf->read_socket(state, 0, value), 0, "all of it is known");
	is_int((long long)value[0], 35, "the sum");
	is_int((long long)value[1], 47, "of each event");
	perf->close(state);
}

static void what_did_not_count_all_the_time_is_missing(void)
{
	static const pid_t these[][4] = { { 10, 11 } };
	struct pmu_plan plan = two_events();
	uint64_t value[PMU_MAX_SLOTS];
	char text[320];
	void *state;

	is_int(open_with(these, 1, &plan, &state), 0, "two threads");
	ok(!perf->remark(state, text, sizeof(text)), "nothing to say");
	give(10, 5, 7, 100, 100);
	give(11, 30, 40, 50, 49);
	is_int((int)perf->read_socket(state, 0, value), 3, "one was off its counter");
	give(10, 5, 7, 100, 100);
	give(11, 30, 40, 50, 50);
	is_int((int)perf->read_socket(state, 0, value), 3, "and stays missing");
	ok(perf->remark(state, text, sizeof(text)), "it says so");
	has(text, "given to something else while one of the threads ran", "and why");
	ok(!perf->remark(state, text, sizeof(text)), "once");
	perf->close(state);
}

static void a_thread_that_begins_meanwhile_starts_it_anew(void)
{
	static const pid_t these[][4] = { { 10 }, { 10, 12 }, { 10, 12 }, { 10, 12 }, { 10, 12 } };
	static const pid_t ends[][4] = { { 10, 11 }, { 10 } };
	static const pid_t unsure[][4] = { { 10, 11 }, { -EAGAIN }, { 10, 11 } };
	struct pmu_plan plan = two_events();
	void *state;

	is_int(open_with(these, 5, &plan, &state), 0, "one begins behind the first look");
	is_int((int)n_looked, 4, "four looks");
	is_int((int)fake_n, 6, "everything opened again");
	is_int(fake_descriptors(), 4, "and nothing twice");
	perf->close(state);
	is_int(open_with(ends, 2, &plan, &state), 0, "one ends");
	is_int((int)n_looked, 2, "which is no reason");
	perf->close(state);
	is_int(open_with(unsure, 3, &plan, &state), 0, "a look that was not sure");
	is_int((int)n_looked, 4, "is one again");
	perf->close(state);
}

static void what_never_rests_is_refused(void)
{
	static const pid_t never[][4] = { { -EAGAIN } };
	static const pid_t other[][4] = { { -ESRCH } };
	static const pid_t hidden[][4] = { { -ENOENT } };
	struct pmu_plan plan = two_events();
	void *state;

	is_int(open_with(never, 1, &plan, &state), -EAGAIN, "never sure");
	has(pmu_error_text(), "call pmu_init() before they do", "says what would help");
	is_int(open_with(other, 1, &plan, &state), -ESRCH, "numbers that are not its own");
	has(pmu_error_text(), "another pid namespace's", "says whose they are");
	is_int(open_with(hidden, 1, &plan, &state), -ENOENT, "no /proc");
	has(pmu_error_text(), "/proc/self/task cannot be listed: No such file", "says so");
	is_int(fake_descriptors(), 0, "nothing stays open");
}

static int refuse_second(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->pid == 11 ? -ESRCH : 0;
}

static int refuse_many(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->pid == 11 ? -EMFILE : 0;
}

static int refuse_inherit(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->attr.inherit_thread ? -EINVAL : 0;
}

static void refusals_are_told_apart(void)
{
	static const pid_t these[][4] = { { 10, 11 } };
	struct pmu_plan plan = two_events();
	struct pmu_probe probe;
	void *state;

	fake_forget();
	looks = these;
	n_looks = 1;
	fake_refuse = refuse_second;
	is_int(perf->open(&state, &plan), 0, "a thread that has ended has nothing to add");
	is_int((int)fake_n, 2, "the other is counted");
	perf->close(state);
	fake_forget();
	fake_refuse = refuse_many;
	is_int(perf->open(&state, &plan), -EMFILE, "no descriptor left");
	has(pmu_error_text(), "2 threads with 2 descriptors each", "says how many it would take");
	is_int(fake_descriptors(), 0, "nothing stays open");
	fake_forget();
	fake_refuse = refuse_inherit;
	is_int(perf->probe(&plan, &probe), -EXDEV, "a kernel that does not know inherit_thread");
	has(probe.why, "before Linux 5.13", "says which would");
	fake_forget();
}

/* A thread that begins others meanwhile may take a leader along. */
static void events_apart_need_no_leader(void)
{
	struct pmu_perf_where where = { .pid = 12, .cpu = -1, .inherit = true, .apart = true };
	struct pmu_plan plan = two_events();
	struct pmu_perf_group group;
	unsigned int failed;

	fake_forget();
	is_int(pmu_perf_group_open(&group, &plan, &where, &failed), 0, "two events apart");
	for (unsigned int i = 0; i < fake_n; i++)
		ok(fake_event[i].leader == fake_event[i].id && !fake_event[i].attr.disabled &&
			   fake_event[i].attr.inherit,
		   "leads itself, and counts at once");
	pmu_perf_group_close(&group);
	fake_forget();
}

UNIT_PART(perf_process)
{
	fake_system.devices = fake_system.cpus = "/nonexistent";
	fake_system.threads = fake_threads;
	pmu_perf_system = &fake_system;
	every_thread_has_events_that_are_inherited();
	what_did_not_count_all_the_time_is_missing();
	a_thread_that_begins_meanwhile_starts_it_anew();
	what_never_rests_is_refused();
	refusals_are_told_apart();
	events_apart_need_no_leader();
	return done_testing();
}
