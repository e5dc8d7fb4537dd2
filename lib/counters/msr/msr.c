/* SPDX-License-Identifier: BSD-3-Clause */
/* The source msr: counters of each processor and socket, programmed register by register. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "counters/backend.h"
#include "counters/msr/state.h"
#include "counters/refusable.h"
#include "counters/valgrind/valgrind.h"
#include "machine/models.h"

#define RDPMC_FOR_EVERYBODY 2

/* Elsewhere there are no such registers at all, which is said first. */
#if defined(__x86_64__) || defined(__i386__)
#define IS_X86 true
#else
#define IS_X86 false
#endif

/* A thread's part. */
struct msr_thread {
	struct pmu_source_thread source;
	uint32_t all, missing; /* slots; those that its processor does not count */
	uint32_t n_slots;
	bool by_instruction;
	struct pmu_msr_totals *totals; /* NULL: counted nowhere */
	struct pmu_msr *attached;      /* NULL after detach() */
};

/* --- can it? --- */

static uint32_t foreign_slots(const struct pmu_plan *plan)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (plan->slot[i].kind == PMU_SLOT_SOFTWARE && !(plan->absent >> i & 1))
			slots |= 1u << i;
	return slots;
}

/* probe->why has what else there is to say, or nothing. */
static int refuse_foreign(const struct pmu_plan *plan, uint32_t foreign, struct pmu_probe *probe)
{
	char more[sizeof(probe->why)];

	snprintf(more, sizeof(more), "%s", probe->why);
	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (foreign >> i & 1)
			probe->error[i] = -ENOENT;
	snprintf(probe->why, sizeof(probe->why),
		 "what the kernel counts in software is in no register%s%.220s",
		 more[0] ? "; " : "", more);
	probe->mend[0] = '\0';
	return -ENOENT;
}

/* Says why no register counts a slot, whatever they hold; false: one may. */
static bool is_beyond(const struct pmu_slot *slot, const struct pmu_cpu_model *model, char *why,
		      size_t size)
{
	if (slot->kind == PMU_SLOT_UNCORE && slot->unit == PMU_UNIT_NONE)
		snprintf(why, size, "no register that is known counts what the kernel calls %.31s",
			 slot->pmu);
	else if (slot->kind == PMU_SLOT_ENERGY && model && model->rapl == PMU_RAPL_NONE)
		snprintf(why, size, "this CPU (%s) has no counters of energy",
			 model->microarchitecture);
	else
		return false;
	return true;
}

static bool wants_energy(const struct pmu_plan *plan, uint32_t wanted)
{
	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (wanted >> i & 1 && plan->slot[i].kind == PMU_SLOT_ENERGY)
			return true;
	return false;
}

/*
 * Where no slot is one for registers, the user is not told how to get at them.
 * Return: 0; -ENOENT with the sentence of the first slot.
 */
static int refuse_beyond(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	uint32_t wanted = IS_X86 ? pmu_plan_mask(plan) & ~plan->absent : 0;
	const struct pmu_cpu_model *model = NULL;
	struct pmu_cpu_id id;

	if (wants_energy(plan, wanted) && !(plan->from && plan->from->cpuid_file) &&
	    !pmu_cpu_identify(&id))
		model = pmu_cpu_model_find(&id);
	/* from the last to the first: the first one's sentence stays */
	for (unsigned int i = plan->n_slots; wanted && i-- > 0;) {
		if (!(wanted >> i & 1))
			continue;
		if (!is_beyond(&plan->slot[i], model, probe->why, sizeof(probe->why))) {
			memset(probe, 0, sizeof(*probe));
			return 0;
		}
		probe->error[i] = -ENOENT;
	}
	return wanted ? -ENOENT : 0;
}

static int msr_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	uint32_t foreign = foreign_slots(plan);
	struct pmu_plan own = *plan;
	struct pmu_msr *msr;
	int rc;

	memset(probe, 0, sizeof(*probe));
	if (plan->scope == PMU_COUNT_PROCESS) {
		snprintf(probe->why, sizeof(probe->why),
			 "registers count what processors do, whichever process runs there "
			 "(PMU_COUNT=process)");
		return -ENODEV;
	}
	rc = pmu_valgrind_refuse(plan, probe);
	if (rc)
		return rc;
	own.absent |= foreign;
	if (foreign && own.absent == pmu_plan_mask(plan))
		return refuse_foreign(plan, foreign, probe);
	if (refuse_beyond(&own, probe))
		return foreign ? refuse_foreign(plan, foreign, probe) : -ENOENT;
	msr = calloc(1, sizeof(*msr));
	if (!msr)
		return pmu_fail(ENOMEM, "no memory to look at the registers");
	rc = pmu_msr_prepare(msr, &own, probe);
	pmu_msr_release(msr);
	free(msr);
	return !rc && foreign ? refuse_foreign(plan, foreign, probe) : rc;
}

/* --- the session --- */

static bool may_use_instruction(const struct pmu_plan *plan)
{
	uint64_t value;

	if (plan->from && (plan->from->cpuid_file || plan->from->msr_device))
		return false;
	return !pmu_sysfile_u64("/sys/bus/event_source/devices/cpu/rdpmc", &value) &&
	       value == RDPMC_FOR_EVERYBODY;
}

/*
 * All that are not freed, the last first.  A thread that never ends keeps its state, and a forked
 * child the parent's: leak checkers find them here.  Context: the session's lock.
 */
static struct pmu_msr *living;

static int msr_open(void **state, const struct pmu_plan *plan)
{
	struct pmu_msr *msr = calloc(1, sizeof(*msr));
	struct pmu_plan own = *plan;
	struct pmu_probe probe;
	int rc;

	if (!msr)
		return pmu_fail(ENOMEM, "no memory for the registers of this machine");
	own.absent |= foreign_slots(plan);
	memset(&probe, 0, sizeof(probe));
	rc = pmu_msr_prepare(msr, &own, &probe);
	if (!rc)
		rc = pmu_msr_start(msr);
	if (rc) {
		pmu_msr_release(msr);
		free(msr);
		return rc;
	}
	msr->refs = 1;
	msr->older = living;
	living = msr;
	msr->by_instruction = may_use_instruction(plan);
	*state = msr;
	return 0;
}

static void unref(struct pmu_msr *msr)
{
	struct pmu_msr **at = &living;

	if (--msr->refs)
		return;
	while (*at != msr)
		at = &(*at)->older;
	*at = msr->older;
	pmu_msr_release(msr);
	free(msr);
}

static int msr_put_back(void *state)
{
	struct pmu_msr *msr = state;
	int rc;

	if (!msr || msr->pid != getpid())
		return 0;
	pmu_msr_keeper_rest();
	for (size_t i = 0; i < msr->machine->n_cpus; i++)
		pmu_msr_totals_stop(&msr->processor[i]);
	for (unsigned int i = 0; i < msr->n_sockets; i++)
		pmu_msr_totals_stop(&msr->socket[i].totals);
	rc = pmu_msr_restore(msr);
	/* another session has done it */
	return rc == -ESTALE ? 0 : rc;
}

static void msr_close(void *state)
{
	struct pmu_msr *msr = state;

	if (!msr)
		return;
	/* a forked child has copies of descriptors, and must not touch the registers */
	if (msr->pid != getpid()) {
		pmu_msr_device_drop(&msr->device);
		return;
	}
	msr_put_back(msr);
	pmu_msr_device_unlock(&msr->device);
	unref(msr);
}

static void msr_child(void *state)
{
	struct pmu_msr *msr = state;

	if (msr && msr->pid != getpid())
		pmu_msr_device_drop(&msr->device);
}

/* --- threads --- */

static size_t msr_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return sizeof(struct msr_thread);
}

static uint32_t read_nothing(void *thread, uint64_t *value)
{
	const struct msr_thread *self = thread;

	(void)value;
	return self->all;
}

static PMU_HOT uint32_t read_totals(void *thread, uint64_t *value)
{
	struct msr_thread *self = thread;
	enum pmu_source_lost lost;
	uint64_t total[PMU_MAX_SLOTS];
	uint32_t missing;

	if (unlikely(self->source.lost))
		return self->all;
	missing = pmu_msr_totals_read(self->totals, pmu_msr_totals_now(), self->by_instruction,
				      total, &lost);
	if (unlikely(lost))
		__atomic_store_n(&self->source.lost, lost, __ATOMIC_RELAXED);
	memcpy(value, total, self->n_slots * sizeof(*value));
	return missing | self->missing;
}

/* On a hybrid, which kind of core totals are of; 0: all are alike. */
static uint32_t core_types(const struct pmu_msr *msr, const struct pmu_msr_totals *totals)
{
	const struct pmu_machine *machine = msr->machine;

	switch (machine->kind[machine->cpu[totals - msr->processor].kind].core_type) {
	case PMU_CORE_P:
		return PMU_SLOT_P;
	case PMU_CORE_E:
		return PMU_SLOT_E;
	default:
		return 0;
	}
}

static bool counts_cores(const struct pmu_plan *plan)
{
	return pmu_plan_mask(plan) & ~plan->absent & ~pmu_plan_sockets(plan);
}

static int msr_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		      struct pmu_attachment *got)
{
	struct msr_thread *self = thread;
	struct pmu_msr *msr = state;

	memset(self, 0, sizeof(*self));
	memset(got, 0, sizeof(*got));
	self->all = self->missing = pmu_plan_mask(&msr->plan);
	self->n_slots = msr->plan.n_slots;
	self->totals = cpu < 0 ? NULL : pmu_msr_totals_of(msr, cpu);
	self->attached = msr;
	msr->refs++;
	*read = read_nothing;
	if (cpu < 0 && counts_cores(&msr->plan))
		snprintf(got->note, sizeof(got->note),
			 "a thread that is not pinned has no counts by msr, which counts whole "
			 "processors: PMU_PIN=auto, or pmu run --pin auto");
	else if (cpu >= 0 && !self->totals)
		snprintf(got->note, sizeof(got->note), "CPU %d is not counted", cpu);
	if (self->totals) {
		self->totals->used = true;
		self->missing = self->totals->all & pmu_msr_totals_read(self->totals,
									pmu_msr_totals_now(), false,
									NULL, NULL);
		self->by_instruction = msr->by_instruction;
		if (self->by_instruction)
			pmu_refusable_guard();
		self->source.core_types = core_types(msr, self->totals);
		*read = read_totals;
	}
	got->missing = self->missing;
	got->user_read = self->by_instruction && self->missing != self->all;
	return 0;
}

static uint32_t msr_spoiled(void *thread)
{
	struct msr_thread *self = thread;

	if (!self->attached || self->attached->pid != getpid() || !self->totals)
		return 0;
	return pmu_msr_totals_check(self->totals);
}

static void msr_detach(void *state, void *thread)
{
	struct msr_thread *self = thread;
	struct pmu_msr *msr = self->attached;

	(void)state;
	self->attached = NULL;
	if (msr && msr->pid == getpid())
		unref(msr);
}

/* --- sockets --- */

static unsigned int msr_sockets(void *state)
{
	const struct pmu_msr *msr = state;

	return msr->n_sockets;
}

static int msr_socket_of(void *state, int cpu)
{
	return pmu_msr_socket_of(state, cpu);
}

static uint32_t msr_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	struct pmu_msr *msr = state;
	uint64_t total[PMU_MAX_SLOTS];
	uint32_t missing;

	if (socket >= msr->n_sockets)
		return pmu_plan_mask(&msr->plan);
	missing = pmu_msr_totals_read(&msr->socket[socket].totals, pmu_msr_totals_now(), false,
				      total, NULL);
	/* from the sum of all counts: what is rounded off never adds up */
	for (unsigned int i = 0; i < msr->plan.n_slots; i++)
		value[i] = msr->scale[i] > 0 ? (uint64_t)((double)total[i] * msr->scale[i])
					     : total[i];
	return missing;
}

static uint32_t msr_spoiled_socket(void *state, unsigned int socket)
{
	struct pmu_msr *msr = state;

	return socket < msr->n_sockets ? pmu_msr_totals_check(&msr->socket[socket].totals) : 0;
}

/* --- words --- */

static void msr_describe(void *state, char *text, size_t size)
{
	const struct pmu_msr *msr = state;

	if (!counts_cores(&msr->plan)) {
		snprintf(text, size, "whole sockets, one pread(2) per counter");
		return;
	}
	snprintf(
		text, size,
		"whatever runs on a thread's processor (it must be pinned), %s, %s at each begin and end",
		pmu_plan_levels(&msr->plan),
		msr->by_instruction ? "rdpmc" : "one pread(2) per counter");
}

/* A device that fails does so on all processors as a rule: one is reported, the others counted. */
static bool first_trouble(struct pmu_msr *msr, char *text, size_t size)
{
	unsigned int others = 0;
	char other[240];
	size_t len;

	text[0] = '\0';
	for (size_t i = 0; i < msr->machine->n_cpus + msr->n_sockets; i++) {
		struct pmu_msr_totals *totals =
			i < msr->machine->n_cpus ? &msr->processor[i]
						 : &msr->socket[i - msr->machine->n_cpus].totals;

		/* before the registers are put back, whatever threads there have not detached yet */
		if (totals->used)
			pmu_msr_totals_check(totals);
		if (!text[0])
			pmu_msr_totals_trouble(totals, text, size);
		else
			others += pmu_msr_totals_trouble(totals, other, sizeof(other));
	}
	len = strlen(text);
	if (others)
		snprintf(text + len, size - len, " (the like of %u more processors or sockets)",
			 others);
	return len > 0;
}

static bool msr_remark(void *state, char *text, size_t size)
{
	struct pmu_msr *msr = state;

	if (msr->remark[0]) {
		snprintf(text, size, "%s", msr->remark);
		msr->remark[0] = '\0';
		return true;
	}
	return first_trouble(msr, text, size);
}

const struct pmu_backend pmu_backend_msr = {
	.name = "msr",
	.about = "counters of each processor, programmed by model-specific registers",
	.counts = true,
	.exclusive = true,
	.counts_cpu = true,
	.rare = true,
	.probe = msr_probe,
	.open = msr_open,
	.close = msr_close,
	.put_back = msr_put_back,
	.thread_size = msr_thread_size,
	.attach = msr_attach,
	.spoiled = msr_spoiled,
	.detach = msr_detach,
	.describe = msr_describe,
	.sockets = msr_sockets,
	.socket_of = msr_socket_of,
	.read_socket = msr_read_socket,
	.spoiled_socket = msr_spoiled_socket,
	.remark = msr_remark,
	.child = msr_child,
	.end = pmu_msr_keeper_stop,
};
