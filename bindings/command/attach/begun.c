/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that begin and end while their process is watched: in whose numbers they are, and how long they ran. */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "bindings/command/attach/attach.h"
#include "report/model/model.h"

struct looked_for {
	const struct pmu_attach_process *process;
	pid_t tid;
};

static bool is_tid(const void *arg, uintptr_t thing)
{
	const struct looked_for *wanted = arg;
	const struct pmu_attach_process *process = wanted->process;
	size_t i = thing - 1;

	return (i < process->n ? process->thread[i].tid : process->begun[i - process->n].tid) ==
	       wanted->tid;
}

static struct pmu_index_place *place_of(const struct pmu_attach_process *process, pid_t tid)
{
	const struct looked_for wanted = { process, tid };

	return pmu_index_find(&process->index, pmu_hash_number((uint64_t)tid), is_tid, &wanted);
}

void pmu_attach_index(struct pmu_attach_process *process, pid_t tid, size_t number)
{
	struct pmu_index_place *place = place_of(process, tid);

	if (place->thing)
		place->thing = 1 + number;
	else
		pmu_index_take(&process->index, place, pmu_hash_number((uint64_t)tid), 1 + number);
}

unsigned int pmu_attach_find(const struct pmu_attach_process *process, pid_t tid)
{
	const struct pmu_index_place *place = place_of(process, tid);

	if (!place->thing)
		return 0;
	return place->thing <= process->n ? (unsigned int)place->thing
					  : 1 + process->begun[place->thing - 1 - process->n].root;
}

static bool make_begun_room(struct pmu_attach_process *process)
{
	size_t room = process->room ? 2 * process->room : 64;
	struct pmu_attach_begun *grown;

	if (process->n_begun < process->room)
		return true;
	grown = reallocarray(process->begun, room, sizeof(*grown));
	if (!grown)
		return false;
	process->begun = grown;
	process->room = room;
	return true;
}

/* Its number may be that of one that has ended, whose place it takes then. */
static struct pmu_attach_begun *place_begun(struct pmu_attach_process *process, pid_t tid)
{
	struct pmu_index_place *place;

	if (!make_begun_room(process) || pmu_index_reserve(&process->index, 1) < 0)
		return NULL;
	place = place_of(process, tid);
	if (place->thing > process->n)
		return &process->begun[place->thing - 1 - process->n];
	/* of before it was attached to */
	if (place->thing && !process->thread[place->thing - 1].has_ended)
		return NULL;
	process->begun[process->n_begun++] = (struct pmu_attach_begun){ .tid = tid };
	pmu_attach_index(process, tid, process->n + process->n_begun - 1);
	return &process->begun[process->n_begun - 1];
}

static void end_begun(struct pmu_attach_process *process, struct pmu_attach_begun *begun,
		      uint64_t now_ns, uint64_t queued_ns)
{
	struct pmu_attach_thread *root = &process->thread[begun->root];

	if (!begun->start_ns)
		return;
	root->begun_ns += now_ns > begun->start_ns ? now_ns - begun->start_ns : 0;
	root->begun_queued_ns = queued_ns == PMU_NOT_KNOWN || root->begun_queued_ns == PMU_NOT_KNOWN
					? PMU_NOT_KNOWN
					: root->begun_queued_ns + queued_ns;
	begun->start_ns = 0;
}

void pmu_attach_begin(struct pmu_attach_process *process, pid_t tid, pid_t by, uint64_t now_ns)
{
	unsigned int root = pmu_attach_find(process, by);
	struct pmu_attach_begun *begun = root ? place_begun(process, tid) : NULL;

	if (!begun)
		return;
	end_begun(process, begun, now_ns, PMU_NOT_KNOWN);
	*begun = (struct pmu_attach_begun){ tid, root - 1,
					    now_ns > process->start_ns ? now_ns
								       : process->start_ns };
	process->thread[root - 1].n_begun++;
}

void pmu_attach_end(struct pmu_attach_process *process, pid_t tid, uint64_t now_ns)
{
	const struct pmu_index_place *place = place_of(process, tid);
	struct pmu_attach_thread *thread;

	if (place->thing > process->n)
		end_begun(process, &process->begun[place->thing - 1 - process->n], now_ns,
			  PMU_NOT_KNOWN);
	if (!place->thing || place->thing > process->n)
		return;
	thread = &process->thread[place->thing - 1];
	thread->stop_ns = now_ns;
	thread->has_ended = true;
}

void pmu_attach_end_begun(struct pmu_attach_process *process, uint64_t now_ns)
{
	for (size_t i = 0; i < process->n_begun; i++) {
		struct pmu_attach_begun *begun = &process->begun[i];

		if (begun->start_ns)
			end_begun(process, begun, now_ns,
				  pmu_attach_usage(process->pid, begun->tid).queued_ns);
	}
}
