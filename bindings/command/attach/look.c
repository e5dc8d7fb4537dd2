/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's records, in the order of their time: threads that begin and end, an exec, what is mapped, samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "bindings/command/attach/attach.h"
#include "bindings/command/attach/machine.h"

/* Asking takes a while. */
#define MAPS_NS 50000000u

struct pmu_attach_record {
	uint64_t time;
	size_t at; /* in the bytes */
	size_t ring;
};

/* PERF_RECORD_LOST */
struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
};

/* --- a look's records --- */

static bool make_record_room(struct pmu_attach_records *records, size_t len)
{
	size_t size = records->size ? records->size : 65536, room = records->room;
	void *grown;

	while (size < records->len + len)
		size *= 2;
	if (size > records->size) {
		grown = realloc(records->bytes, size);
		if (!grown)
			return false;
		records->bytes = grown;
		records->size = size;
	}
	if (records->n < room)
		return true;
	room = room ? 2 * room : 1024;
	grown = reallocarray(records->at, room, sizeof(*records->at));
	if (!grown)
		return false;
	records->at = grown;
	records->room = room;
	return true;
}

/* In a sample it has its place; behind all others comes what sample_id_all adds, and that ends with it. */
static uint64_t time_of(const struct perf_event_header *header)
{
	uint64_t time;

	if (pmu_sample_is_record(header))
		return ((const struct pmu_sample_record *)(const void *)header)->time;
	if (header->size < sizeof(*header) + sizeof(time))
		return 0;
	memcpy(&time, (const char *)header + header->size - sizeof(time), sizeof(time));
	return time;
}

static bool keep_record(void *arg, const struct perf_event_header *header, size_t at)
{
	struct pmu_attach *attach = arg;
	struct pmu_attach_records *records = &attach->records;

	(void)at;
	if (!make_record_room(records, header->size)) {
		attach->n_lost++;
		return true;
	}
	memcpy(records->bytes + records->len, header, header->size);
	records->at[records->n++] = (struct pmu_attach_record){ time_of(header), records->len,
								attach->rings.reading };
	records->len += header->size;
	return true;
}

static int by_record_time(const void *a, const void *b)
{
	const struct pmu_attach_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* --- what they say --- */

static struct pmu_attach_process *process_of(const struct pmu_attach *attach, uint32_t pid)
{
	for (size_t i = 0; i < attach->n; i++)
		if ((uint32_t)attach->process[i].pid == pid)
			return &attach->process[i];
	return NULL;
}

bool pmu_attach_place(struct pmu_sample_sums *sums, pid_t pid, uint64_t *maps_ns,
		      const struct pmu_sample_record *record, struct pmu_sample_at *at)
{
	const uint64_t before = sums->n_unknown;
	uint64_t now_ns;

	if (!pmu_sample_place(&sums->maps, record, at, &sums->n_unknown))
		return false;
	if (sums->n_unknown == before)
		return true;
	now_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	if (now_ns - *maps_ns < MAPS_NS)
		return true;
	*maps_ns = now_ns;
	pmu_sample_maps_read_process(&sums->maps, pid);
	sums->n_unknown = before;
	return pmu_sample_place(&sums->maps, record, at, &sums->n_unknown);
}

static void look_at_sample(struct pmu_attach *attach, const struct pmu_sample_record *record)
{
	struct pmu_attach_process *process = process_of(attach, record->pid);
	struct pmu_sample_at at;
	unsigned int root;

	/* events on threads have their samples from when they are opened on */
	if (!process || !process->start_ns || record->time < process->start_ns ||
	    (process->stop_ns && record->time > process->stop_ns))
		return;
	root = pmu_attach_find(process, (pid_t)record->tid);
	if (!pmu_attach_place(&process->sums, process->pid, &process->maps_ns, record, &at))
		return;
	at.chain = pmu_sample_chains_add(&process->sums.chains, &process->sums.maps, record);
	if (!root || pmu_sample_hits_add(&process->sums.hits, root, at, 1) < 0)
		process->sums.n_dropped++;
}

static void look_at_task(struct pmu_attach *attach, const struct pmu_attach_task_record *record)
{
	struct pmu_attach_process *process = process_of(attach, record->pid);

	if (!process || record->time < process->open_ns)
		return;
	if (record->header.type == PERF_RECORD_EXIT)
		pmu_attach_end(process, (pid_t)record->tid, record->time);
	/* one that began before that has ended by then, or there was another try */
	else if (record->pid == record->ppid && record->time >= process->settled_ns)
		pmu_attach_begin(process, (pid_t)record->tid, (pid_t)record->ptid, record->time);
}

/* Another program: what it has mapped comes next. */
static void look_at_exec(struct pmu_attach *attach, const struct pmu_attach_comm_record *record,
			 uint64_t record_time)
{
	struct pmu_attach_process *process = process_of(attach, record->pid);

	if (!process || record_time < process->open_ns)
		return;
	process->n_execs++;
	process->sums.maps.n = 0;
}

static void look_at_mapping(struct pmu_attach *attach, const struct pmu_sample_mapping *mapping)
{
	struct pmu_attach_process *process = process_of(attach, mapping->pid);

	if (process)
		pmu_sample_map(&process->sums.maps, mapping);
}

static void look_at_record(struct pmu_attach *attach, const struct pmu_attach_record *at)
{
	const struct perf_event_header *header = (const void *)(attach->records.bytes + at->at);
	const void *record = header;

	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct lost_record))
		attach->n_lost += ((const struct lost_record *)record)->n;
	else if (header->type == PERF_RECORD_THROTTLE)
		attach->n_throttled++;
	else if (attach->machine)
		pmu_attach_machine_record(attach, at->ring, header, at->time);
	else if (pmu_sample_is_record(header))
		look_at_sample(attach, record);
	else if (pmu_sample_is_mapping(header))
		look_at_mapping(attach, record);
	else if ((header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT) &&
		 header->size >= sizeof(struct pmu_attach_task_record))
		look_at_task(attach, record);
	else if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC &&
		 header->size >= sizeof(struct pmu_attach_comm_record))
		look_at_exec(attach, record, at->time);
}

void pmu_attach_look(struct pmu_attach *attach)
{
	struct pmu_attach_records *records = &attach->records;

	records->n = records->len = 0;
	pmu_attach_rings_read(&attach->rings, keep_record, attach);
	if (records->n)
		qsort(records->at, records->n, sizeof(*records->at), by_record_time);
	for (size_t i = 0; i < records->n; i++)
		look_at_record(attach, &records->at[i]);
	if (attach->machine)
		pmu_attach_programs_looked(&attach->machine->programs);
}
