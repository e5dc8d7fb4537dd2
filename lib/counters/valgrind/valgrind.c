/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source valgrind: counters that callgrind simulates, and instructions that our own tool counts.
 *
 * What a read does is not counted: the thread's collection is off meanwhile.  Callgrind keeps a
 * signal handler's counts apart, where they cannot be asked for: in a handler a thread's own counts
 * stand still, and are missing.
 */
#include "counters/valgrind/valgrind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "counters/backend.h"
#include "counters/valgrind/log.h"
#include "counters/valgrind/request.h"

#define MEND "pmu run --emulate -- COMMAND"

/*
 * A new region is measured with more reads than that: none is begun unnoticed where collection was
 * switched.
 */
#define READS_UNCHECKED 16

/* A session's. */
struct valgrind {
	bool is_counter; /* our own tool: it answers by itself, and always */
	struct pmu_callgrind_columns columns;
	unsigned int n_slots;
	uint32_t sum[PMU_MAX_SLOTS]; /* enum pmu_callgrind_event */
	uint32_t missing;
};

/* A thread's. */
struct valgrind_thread {
	struct pmu_source_thread source;
	const struct valgrind *valgrind;
	int tid;
	int number;             /* callgrind's */
	int suspended;          /* reasons for collection to be off */
	bool asked;             /* since it is off: there is nothing new to be told */
	bool still;             /* in a signal handler */
	unsigned int unchecked; /* reads since check_suspended() */
	uint64_t part;          /* see struct pmu_callgrind_answer */
	uint64_t count[PMU_CALLGRIND_EVENTS];
};

bool pmu_valgrind_built(void)
{
	return PMU_VALGRIND_BUILT;
}

/* --- can it? --- */

static int refuse_valgrind(struct pmu_probe *probe, int error, const char *mend, const char *why)
{
	snprintf(probe->why, sizeof(probe->why), "%s", why);
	snprintf(probe->mend, sizeof(probe->mend), "%s", mend);
	return -error;
}

int pmu_valgrind_refuse(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	bool any = false;

	if (pmu_valgrind_tool() == PMU_VALGRIND_NONE)
		return 0;
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1 || plan->slot[i].kind == PMU_SLOT_SOFTWARE)
			continue;
		probe->error[i] = -ENODEV;
		any = true;
	}
	return any ? refuse_valgrind(
			     probe, ENODEV, MEND,
			     "under valgrind the processor does valgrind's work, not the program's")
		   : 0;
}

/* The tool that the plan is counted by. */
static enum pmu_valgrind_tool tool_of(const struct pmu_plan *plan)
{
	switch (plan->emulated) {
	case PMU_EMULATION_FULL:
		return PMU_VALGRIND_CALLGRIND;
	case PMU_EMULATION_FAST:
		return PMU_VALGRIND_COUNTER;
	case PMU_EMULATION_NONE:
		break;
	}
	return pmu_valgrind_tool();
}

static int look_around(const struct pmu_plan *plan, enum pmu_valgrind_tool tool,
		       struct pmu_probe *probe)
{
	if (!PMU_VALGRIND_BUILT)
		return refuse_valgrind(probe, ENOSYS,
				       "build libpmu with valgrind's headers (on Debian: valgrind)",
				       "libpmu was built without valgrind's headers");
	switch (tool) {
	case PMU_VALGRIND_NONE:
		return refuse_valgrind(probe, ENOSYS, MEND,
				       "the program does not run under valgrind");
	case PMU_VALGRIND_OTHER:
		return refuse_valgrind(probe, ENODEV, MEND,
				       "of valgrind's tools only callgrind counts, and pmu's own");
	case PMU_VALGRIND_CALLGRIND:
	case PMU_VALGRIND_COUNTER:
		break;
	}
	if (plan->scope == PMU_COUNT_PROCESS)
		return refuse_valgrind(
			probe, ENODEV, "",
			"valgrind tells each thread what that thread did, and does not tell what all of "
			"them did (PMU_COUNT=process)");
	if (plan->scope != PMU_COUNT_THREAD)
		return refuse_valgrind(probe, ENODEV, "",
				       "valgrind knows threads, not processors (PMU_COUNT=cpu)");
	return 0;
}

/* What is wrong with a slot; 0: it can be counted. */
static int judge_slot(const struct pmu_slot *slot, const struct pmu_callgrind_columns *columns)
{
	uint32_t sum = pmu_callgrind_sum(slot);

	if (!sum)
		return -EOPNOTSUPP;
	return sum & ~columns->known ? -ENODATA : 0;
}

static void explain_tool(struct pmu_probe *probe, enum pmu_valgrind_tool tool, int error)
{
	if (tool == PMU_VALGRIND_COUNTER)
		refuse_valgrind(
			probe, 0, error == -ENODATA ? MEND : "",
			error == -ENODATA
				? "--emulate=fast counts instructions alone; --emulate counts caches and branches, too"
				: "--emulate=fast counts instructions at user level and nothing else");
	else if (error == -ENODATA)
		refuse_valgrind(
			probe, 0, MEND,
			"callgrind counts caches and branches with --cache-sim=yes and --branch-sim=yes");
	else
		refuse_valgrind(
			probe, 0, "",
			"valgrind simulates instructions, caches and branch prediction at user level, no cycles "
			"and nothing else");
}

/* One that cannot be counted is missing, as long as another can. */
static int judge_slots(const struct pmu_plan *plan, enum pmu_valgrind_tool tool,
		       const struct pmu_callgrind_columns *columns, struct pmu_probe *probe)
{
	bool counted = false;
	int refused = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1)
			continue;
		probe->error[i] = judge_slot(&plan->slot[i], columns);
		counted |= !probe->error[i];
		/* the reason that the user can do something about is told */
		if (probe->error[i] && refused != -ENODATA)
			refused = probe->error[i];
	}
	if (refused)
		explain_tool(probe, tool, refused);
	return counted ? 0 : refused;
}

/* What the tool counts. */
static int find_columns(enum pmu_valgrind_tool tool, struct pmu_callgrind_columns *columns,
			char *why, size_t size)
{
	if (tool == PMU_VALGRIND_CALLGRIND)
		return pmu_callgrind_log_open(columns, why, size);
	columns->known = 1u << PMU_CALLGRIND_IR;
	return 0;
}

static int valgrind_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	/* as `pmu run --emulate` starts it, callgrind has all of them */
	struct pmu_callgrind_columns columns = { .known = UINT32_MAX };
	enum pmu_valgrind_tool tool = tool_of(plan);
	int rc;

	memset(probe, 0, sizeof(*probe));
	rc = look_around(plan, tool, probe);
	if (!rc && plan->emulated != PMU_EMULATION_FULL)
		rc = find_columns(tool, &columns, probe->why, sizeof(probe->why));
	if (!rc)
		return judge_slots(plan, tool, &columns, probe);
	if (!probe->mend[0])
		snprintf(probe->mend, sizeof(probe->mend), "%s", MEND);
	return rc;
}

/* --- the session --- */

static int valgrind_open(void **state, const struct pmu_plan *plan)
{
	struct valgrind *valgrind = calloc(1, sizeof(*valgrind));
	enum pmu_valgrind_tool tool = tool_of(plan);
	char why[320];
	int rc;

	if (!valgrind)
		return pmu_fail(ENOMEM, "no memory for the source valgrind");
	valgrind->is_counter = tool == PMU_VALGRIND_COUNTER;
	rc = find_columns(tool, &valgrind->columns, why, sizeof(why));
	if (rc) {
		free(valgrind);
		return pmu_fail(-rc, "%s", why);
	}
	valgrind->n_slots = plan->n_slots;
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1 || judge_slot(&plan->slot[i], &valgrind->columns))
			valgrind->missing |= 1u << i;
		else
			valgrind->sum[i] = pmu_callgrind_sum(&plan->slot[i]);
	}
	*state = valgrind;
	return 0;
}

/* The log stays open: a forked child's session goes on with it. */
static void valgrind_close(void *state)
{
	free(state);
}

/* --- threads --- */

static size_t valgrind_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return sizeof(struct valgrind_thread);
}

static void add_up(const struct valgrind *valgrind, const uint64_t *count, uint64_t *value)
{
	for (unsigned int i = 0; i < valgrind->n_slots; i++) {
		value[i] = 0;
		for (uint32_t left = valgrind->sum[i]; left; left &= left - 1)
			value[i] += count[__builtin_ctz(left)];
	}
}

static void lose(struct valgrind_thread *self, enum pmu_source_lost why)
{
	__atomic_store_n(&self->source.lost, (uint32_t)why, __ATOMIC_RELAXED);
}

/*
 * By the program, or by an option of callgrind's: there is less than before, or they were written
 * out in between.
 */
static bool was_zeroed(const struct valgrind_thread *self,
		       const struct pmu_callgrind_answer *answer)
{
	for (int event = 0; event < PMU_CALLGRIND_EVENTS; event++)
		if (answer->count[event] < self->count[event])
			return true;
	return answer->part != self->part;
}

/*
 * Between two reads at least the way out of the one and into the other is counted: where nothing
 * was, it is a signal handler that reads.
 */
static void take_answer(struct valgrind_thread *self, const struct pmu_callgrind_answer *answer)
{
	if (was_zeroed(self, answer))
		lose(self, PMU_SOURCE_TAKEN);
	self->still = answer->count[PMU_CALLGRIND_IR] == self->count[PMU_CALLGRIND_IR];
	memcpy(self->count, answer->count, sizeof(self->count));
}

/* Return: whether there was an answer. */
static bool ask_tool(struct valgrind_thread *self)
{
	struct pmu_callgrind_answer answer = { .thread = self->number };
	enum pmu_callgrind_lost lost;
	int saved = errno;

	lost = pmu_callgrind_ask(&self->valgrind->columns, self->tid, &answer);
	errno = saved;
	if (lost == PMU_CALLGRIND_CLOSED)
		lose(self, PMU_SOURCE_CLOSED);
	if (!lost)
		take_answer(self, &answer);
	return !lost;
}

/*
 * Where the program, or an option of callgrind's, has turned collection round, our turns are the
 * wrong way: what the library does is counted in place of what the program does.  Then there is
 * more the second time.
 */
static void check_suspended(struct valgrind_thread *self)
{
	uint64_t instructions = self->count[PMU_CALLGRIND_IR];
	bool still = self->still;

	self->unchecked = 0;
	if (!ask_tool(self))
		return;
	if (self->count[PMU_CALLGRIND_IR] != instructions)
		lose(self, PMU_SOURCE_TAKEN);
	self->still = still;
}

static bool ask_and_check(struct valgrind_thread *self)
{
	if (self->source.lost || !ask_tool(self))
		return false;
	if (++self->unchecked >= READS_UNCHECKED)
		check_suspended(self);
	return true;
}

/* In a signal handler what is written is what was counted before it: differences are 0. */
static uint32_t read_uncounted(struct valgrind_thread *self, uint64_t *value)
{
	const struct valgrind *valgrind = self->valgrind;

	if (!self->asked)
		self->asked = ask_and_check(self);
	add_up(valgrind, self->count, value);
	if (!self->asked || self->still || self->source.lost)
		return (1u << valgrind->n_slots) - 1;
	return valgrind->missing;
}

static inline void stop_tool(const struct valgrind_thread *self)
{
	if (self->valgrind->is_counter)
		pmu_counter_ask(PMU_COUNTER_PAUSE, NULL);
	else
		pmu_callgrind_toggle();
}

static inline void resume_tool(const struct valgrind_thread *self)
{
	if (self->valgrind->is_counter)
		pmu_counter_ask(PMU_COUNTER_RESUME, NULL);
	else
		pmu_callgrind_toggle();
}

/*
 * Callgrind's request turns a thread's collection round.  A signal handler begins with a collection
 * of its own, which is on, and what was before comes back at its end: whichever of these lines it
 * comes between, its turns are in pairs.  Our own tool takes none of a handler's requests.
 */
static __attribute__((noinline)) int valgrind_suspend(void *thread, int more)
{
	struct valgrind_thread *self = thread;
	int before = self->suspended, now = before + more;

	if (!more)
		return before;
	self->asked = false;
	if (!before)
		stop_tool(self);
	pmu_compiler_barrier();
	self->suspended = now;
	pmu_compiler_barrier();
	if (!now)
		resume_tool(self);
	return before;
}

/* What is done outside the two requests is the same every time. */
static __attribute__((noinline)) uint32_t valgrind_read(void *thread, uint64_t *value)
{
	struct valgrind_thread *self = thread;
	uint32_t missing;

	if (self->suspended)
		return read_uncounted(self, value);
	pmu_callgrind_toggle();
	self->asked = false;
	missing = read_uncounted(self, value);
	self->asked = false;
	pmu_callgrind_toggle();
	return missing;
}

/*
 * Of our own tool: one request, whether it counts now or not.  What is done around that is the same
 * every time.
 */
static __attribute__((noinline)) uint32_t counter_read(void *thread, uint64_t *value)
{
	const struct valgrind_thread *self = thread;
	const struct valgrind *valgrind = self->valgrind;
	struct pmu_counter_answer answer = { .in_handler = 1 };

	pmu_counter_ask(PMU_COUNTER_READ, &answer);
	for (unsigned int i = 0; i < valgrind->n_slots; i++)
		value[i] = answer.instructions;
	return answer.in_handler ? (1u << valgrind->n_slots) - 1 : valgrind->missing;
}

/* A call that has suspended it around this goes on with what it knows. */
static void valgrind_look(void *thread)
{
	struct valgrind_thread *self = thread;
	bool asked = self->asked;

	if (self->source.lost || self->valgrind->is_counter)
		return;
	valgrind_suspend(self, 1);
	asked = asked || ask_tool(self);
	if (asked)
		check_suspended(self);
	valgrind_suspend(self, -1);
	self->asked = asked && self->suspended;
}

/* Misses depend on what was done before: the same work has more of them or fewer. */
static uint32_t unsteady_slots(const struct valgrind *valgrind)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < valgrind->n_slots; i++)
		if (valgrind->sum[i] & PMU_CALLGRIND_MISSES)
			slots |= 1u << i;
	return slots;
}

/* Where its counts stand still all the same, it is a signal handler that asks. */
static enum pmu_callgrind_lost turn_on(struct valgrind_thread *self,
				       struct pmu_callgrind_answer *answer)
{
	uint64_t before = answer->count[PMU_CALLGRIND_IR];
	enum pmu_callgrind_lost lost;

	pmu_callgrind_toggle();
	lost = pmu_callgrind_ask(&self->valgrind->columns, self->tid, answer);
	self->still = answer->count[PMU_CALLGRIND_IR] == before;
	if (self->still)
		pmu_callgrind_toggle();
	return lost;
}

/*
 * A thread with its collection off has counted nothing more the second time: its session before has
 * left it off, or the user, who asked callgrind for other functions alone.
 */
static enum pmu_callgrind_lost ask_at_first(struct valgrind_thread *self,
					    struct pmu_callgrind_answer *answer)
{
	const struct pmu_callgrind_columns *columns = &self->valgrind->columns;
	enum pmu_callgrind_lost lost = pmu_callgrind_ask(columns, self->tid, answer);
	uint64_t first = answer->count[PMU_CALLGRIND_IR];

	self->number = answer->thread;
	if (!lost)
		lost = pmu_callgrind_ask(columns, self->tid, answer);
	if (!lost && answer->count[PMU_CALLGRIND_IR] == first)
		lost = turn_on(self, answer);
	return lost;
}

/* What the library's own work counts as cannot be measured there. */
static void refuse_handler(const struct valgrind *valgrind, struct pmu_attachment *got)
{
	got->missing = (1u << valgrind->n_slots) - 1;
	snprintf(got->note, sizeof(got->note),
		 "a thread's first region was in a signal handler, where %s has no counts",
		 valgrind->is_counter ? "valgrind" : "callgrind");
}

/* A session before may have left it paused. */
static void attach_counter(struct valgrind_thread *self, pmu_read_fn **read,
			   struct pmu_attachment *got)
{
	struct pmu_counter_answer answer = { .in_handler = 1 };

	*read = counter_read;
	pmu_counter_ask(PMU_COUNTER_RESUME, NULL);
	pmu_counter_ask(PMU_COUNTER_READ, &answer);
	if (answer.in_handler)
		refuse_handler(self->valgrind, got);
}

static void attach_callgrind(struct valgrind_thread *self, pmu_read_fn **read,
			     struct pmu_attachment *got)
{
	struct pmu_callgrind_answer answer = { .thread = 0 };
	const struct valgrind *valgrind = self->valgrind;
	enum pmu_callgrind_lost lost;

	*read = valgrind_read;
	got->unsteady = unsteady_slots(valgrind);
	lost = ask_at_first(self, &answer);
	memcpy(self->count, answer.count, sizeof(self->count));
	self->part = answer.part;
	if (lost) {
		lose(self, PMU_SOURCE_CLOSED);
		got->missing = (1u << valgrind->n_slots) - 1;
		snprintf(got->note, sizeof(got->note),
			 "callgrind did not tell the counts of a thread");
	} else if (self->still) {
		refuse_handler(valgrind, got);
	}
}

static int valgrind_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
			   struct pmu_attachment *got)
{
	struct valgrind_thread *self = thread;
	struct valgrind *valgrind = state;

	(void)cpu;
	*self = (struct valgrind_thread){ .valgrind = valgrind, .tid = (int)syscall(SYS_gettid) };
	got->missing = valgrind->missing;
	if (valgrind->is_counter)
		attach_counter(self, read, got);
	else
		attach_callgrind(self, read, got);
	return 0;
}

/* A session that is ended by the thread itself, in the middle of a call that has suspended it. */
static void valgrind_detach(void *state, void *thread)
{
	struct valgrind_thread *self = thread;

	(void)state;
	if (self->suspended && self->tid == (int)syscall(SYS_gettid))
		valgrind_suspend(self, -self->suspended);
}

static void valgrind_describe(void *state, char *text, size_t size)
{
	const char *caches = secure_getenv(PMU_SIM_CACHES_VARIABLE);
	const struct valgrind *valgrind = state;

	if (valgrind->is_counter)
		snprintf(text, size, "instructions counted by pmu's tool, user level");
	else
		snprintf(text, size, "simulated by valgrind, user level: %s",
			 caches && *caches ? caches : "caches as valgrind finds them");
}

const struct pmu_backend pmu_backend_valgrind = {
	.name = "valgrind",
	.about = "counts that valgrind's tool callgrind simulates, where no PMU can be had",
	.counts = true,
	.simulated = true,
	.rare = true,
	.probe = valgrind_probe,
	.open = valgrind_open,
	.close = valgrind_close,
	.thread_size = valgrind_thread_size,
	.attach = valgrind_attach,
	.detach = valgrind_detach,
	.describe = valgrind_describe,
	.suspend = valgrind_suspend,
	.look = valgrind_look,
};
