/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread records of all groups become the model's threads. */
#define PMU_STORE_READER 1
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/read/convert.h"

static const char *const doubt_text[PMU_DOUBT_COUNT] = {
	[PMU_DOUBT_INTERRUPTED] =
		"a signal handler's call that interrupted the library was not counted",
	[PMU_DOUBT_BAD_NAME] = "a region's name was NULL, empty or too long",
	[PMU_DOUBT_LIMIT] = "a region beyond the limit could not be kept",
	[PMU_DOUBT_NO_MEMORY] = "a call was not counted for want of memory",
	[PMU_DOUBT_FORKED_INSIDE] =
		"the process was forked while this thread was inside the library",
	[PMU_DOUBT_SOURCE_LOST] =
		"the program closed our descriptors: nothing was counted from then on",
	[PMU_DOUBT_MOVED] = "pinned, and found on another processor at its end",
	[PMU_DOUBT_SOURCE_TAKEN] = "our counters were taken: nothing was counted from then on",
	[PMU_DOUBT_OTHER_GROUP] =
		"a task came from a region that another group of events counted: its work is in no region's team",
	[PMU_DOUBT_STALE_CONTEXT] =
		"a task came from a region that had ended: its work is in no region's team",
};

static bool is_merged_set(const struct pmu_raw_thread *thread)
{
	return thread->record.state == PMU_THREAD_MERGED;
}

/*
 * Threads by number, the set of merged ones behind them all, behind those the sockets; groups of
 * one thread side by side.
 */
static int by_thread_number(const void *a, const void *b)
{
	const struct pmu_raw_thread *const *x = a, *const *y = b;

	if (pmu_raw_is_socket(*x) != pmu_raw_is_socket(*y))
		return pmu_raw_is_socket(*x) ? 1 : -1;
	if (is_merged_set(*x) != is_merged_set(*y))
		return is_merged_set(*x) ? 1 : -1;
	if ((*x)->record.number != (*y)->record.number && !is_merged_set(*x))
		return (*x)->record.number < (*y)->record.number ? -1 : 1;
	if ((*x)->group != (*y)->group)
		return (*x)->group < (*y)->group ? -1 : 1;
	return (*x)->serial < (*y)->serial ? -1 : (*x)->serial > (*y)->serial;
}

static bool same_thread(const struct pmu_raw_thread *a, const struct pmu_raw_thread *b)
{
	if (is_merged_set(a) != is_merged_set(b) || pmu_raw_is_socket(a) != pmu_raw_is_socket(b))
		return false;
	return is_merged_set(a) || a->record.number == b->record.number;
}

/* Ticks that the outermost regions of a thread are known to have taken; a team's are in no other. */
static uint64_t outermost_ticks(const struct pmu_raw_thread *thread)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < thread->n_rows; i++)
		if (!thread->row[i].parent || thread->row[i].flags & PMU_STORE_ROW_TEAM)
			sum += thread->row[i].ticks;
	return sum;
}

/* How long one record's thread was measured in its group. */
static uint64_t record_ticks(const struct pmu_convert *convert, const struct pmu_raw_thread *thread)
{
	uint64_t start = thread->record.start_ticks, stop = thread->record.stop_ticks;
	uint64_t ticks, least;

	if (thread->record.state == PMU_THREAD_LIVE || !stop)
		stop = convert->last_ticks;
	ticks = start && stop > start ? stop - start : 0;
	if (convert->state == PMU_PROGRAM_RUNS || thread->record.state != PMU_THREAD_LIVE)
		return ticks;
	/* When it was killed is not known; it ran at least as long as its regions did. */
	least = outermost_ticks(thread);
	return ticks > least ? ticks : least;
}

static int64_t add_known_time(int64_t sum, int64_t more)
{
	if (more < 0 || more > INT64_MAX / 4)
		return sum;
	return sum < 0 ? more : sum > INT64_MAX / 2 ? sum : sum + more;
}

/* A socket's number; -1: it is not known which. */
static int socket_number(uint32_t number)
{
	number -= number >= PMU_STORE_FIRST_SOCKET ? PMU_STORE_FIRST_SOCKET : 0;
	return number < PMU_STORE_NO_SOCKET ? (int)number : -1;
}

static void start_model_thread(struct pmu_convert *convert, const struct pmu_raw_thread *from,
			       struct pmu_model_thread *to)
{
	const struct pmu_store_thread *record = &from->record;

	*to = (struct pmu_model_thread){
		.number = record->number < INT_MAX ? (int)record->number : INT_MAX,
		.tid = record->tid,
		.cpu = record->cpu < 0 ? -1 : record->cpu,
		.finished = true,
		.start_ns = -1,
		.stop_ns = -1,
		.minor_faults = -1,
		.major_faults = -1,
		.voluntary_switches = -1,
		.involuntary_switches = -1,
		.cpu_ns = -1,
	};
	if (pmu_raw_is_socket(from))
		to->number = record->flags & PMU_THREAD_PROCESS ? PMU_MODEL_PROCESS
								: socket_number(record->number);
	to->name = pmu_model_text(convert->model, record->name,
				  pmu_text_field(record->name, sizeof(record->name)));
}

static const char *core_type_name(uint32_t flags)
{
	static const char *const name[] = { "", "P", "E", "P+E" };

	return name[(flags & PMU_THREAD_CORE_P ? 1 : 0) | (flags & PMU_THREAD_CORE_E ? 2 : 0)];
}

/* Of all groups it was counted in. */
static void add_core_types(struct pmu_model_thread *to, uint32_t flags)
{
	static const uint32_t both = PMU_THREAD_CORE_P | PMU_THREAD_CORE_E;

	if (to->core_type && *to->core_type && core_type_name(flags)[0] &&
	    strcmp(to->core_type, core_type_name(flags)) != 0)
		to->core_type = core_type_name(both);
	else if (!to->core_type || !*to->core_type)
		to->core_type = core_type_name(flags);
}

/* From the start of its first record to the end of its last one; not known of a set. */
static void add_life(const struct pmu_convert *convert, const struct pmu_raw_thread *from,
		     struct pmu_model_thread *to)
{
	uint64_t start = from->record.start_ticks;
	int64_t start_ns, stop_ns;

	if (is_merged_set(from) || !start)
		return;
	start = start > convert->first_ticks ? start - convert->first_ticks : 0;
	start_ns = (int64_t)pmu_convert_ns(convert, start);
	stop_ns = start_ns + (int64_t)pmu_convert_ns(convert, record_ticks(convert, from));
	if (to->start_ns < 0 || start_ns < to->start_ns)
		to->start_ns = start_ns;
	if (stop_ns > to->stop_ns)
		to->stop_ns = stop_ns;
}

static void add_thread_record(struct pmu_convert *convert, const struct pmu_raw_thread *from,
			      struct pmu_model_thread *to)
{
	const struct pmu_store_thread *record = &from->record;

	add_life(convert, from, to);
	add_core_types(to, record->flags);
	to->finished = to->finished && record->state != PMU_THREAD_LIVE;
	to->time_ns += pmu_convert_ns(convert, record_ticks(convert, from));
	if (is_merged_set(from) && record->n_merged > to->n_merged)
		to->n_merged = record->n_merged;
	to->minor_faults = add_known_time(to->minor_faults, record->minor_faults);
	to->major_faults = add_known_time(to->major_faults, record->major_faults);
	to->voluntary_switches = add_known_time(to->voluntary_switches, record->voluntary_switches);
	to->involuntary_switches = add_known_time(to->involuntary_switches,
						  record->involuntary_switches);
	if (record->cpu_ns > 0)
		to->cpu_ns = add_known_time(to->cpu_ns, record->cpu_ns);
}

/* "this thread could not count cycles, branches" */
static int doubt_missing(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			 int number)
{
	const struct pmu_group_copy *group = &convert->raw->group[thread->group];
	uint32_t missing = thread->record.missing & ~(group->absent | thread->record.sockets), i;
	const char *list = "";

	for (i = 0; i < group->n_slots; i++)
		if (missing & 1u << i)
			list = pmu_model_textf(
				convert->model, "%s%s%.*s", list, *list ? ", " : "",
				(int)pmu_text_field(group->group->slot[i].name,
						    sizeof(group->group->slot[i].name)),
				group->group->slot[i].name);
	if (!*list)
		return 0;
	return pmu_convert_doubt(
		convert, pmu_model_textf(convert->model, "this thread could not count %s", list),
		"", number, 0);
}

static int doubt_thread(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			int number, bool others_read_in_user_space)
{
	const struct pmu_store_thread *record = &thread->record;
	unsigned int i;
	int rc = 0;

	for (i = 0; i < PMU_DOUBT_COUNT && !rc; i++) {
		uint32_t count = *pmu_store_doubt(record, i);

		if (count)
			rc = pmu_convert_doubt(convert, doubt_text[i], "", number, count);
	}
	if (!rc && record->flags & PMU_THREAD_FLAT)
		rc = pmu_convert_doubt(convert,
				       "reached the limit of regions: those beyond it are kept by "
				       "name, without the regions around them",
				       "", number, 0);
	if (!rc && others_read_in_user_space && !is_merged_set(thread) &&
	    !(record->flags & PMU_THREAD_USER_READ))
		rc = pmu_convert_doubt(convert,
				       "counts were read by system calls, unlike those of other "
				       "threads: short regions look longer",
				       "", number, 0);
	if (!rc && record->flags & PMU_THREAD_REFUSED)
		rc = pmu_convert_doubt(
			convert,
			"reading the counters in user space was forbidden while the program ran, or it was "
			"moved to a core that lacks one: nothing was counted from then on",
			"", number, 0);
	return rc ? rc : doubt_missing(convert, thread, number);
}

/* Regions of threads that were on no socket that is counted lack a part of it. */
static int doubt_socket(struct pmu_convert *convert, const struct pmu_raw_thread *thread)
{
	if (socket_number(thread->record.number) >= 0)
		return 0;
	return pmu_convert_doubt(
		convert,
		"regions were entered on processors whose socket is not counted: what sockets "
		"count is missing there",
		"", -1, 0);
}

static int doubt_threads(struct pmu_convert *convert)
{
	const struct pmu_raw *raw = convert->raw;
	const struct pmu_raw_thread *thread;
	bool user[PMU_STORE_MAX_GROUPS] = { false };
	size_t i;
	int rc = 0;

	for (i = 0; i < raw->n_threads; i++)
		if (raw->thread[i].record.flags & PMU_THREAD_USER_READ &&
		    raw->group[raw->thread[i].group].n_slots)
			user[raw->thread[i].group] = true;
	for (i = 0; i < raw->n_threads && !rc; i++) {
		thread = &raw->thread[i];
		if (pmu_raw_is_socket(thread)) {
			rc = doubt_socket(convert, thread);
			continue;
		}
		rc = doubt_thread(convert, thread,
				  convert->model->thread[convert->thread_of[i]].number,
				  user[thread->group]);
	}
	return rc;
}

static int make_threads(struct pmu_convert *convert, const struct pmu_raw_thread **order)
{
	struct pmu_raw *raw = convert->raw;
	struct pmu_model *model = convert->model;
	struct pmu_model_thread *thread = NULL;
	unsigned int n = 0;
	size_t i;

	model->thread = pmu_model_alloc(model, raw->n_threads * sizeof(*model->thread));
	if (!model->thread)
		return -ENOMEM;
	for (i = 0; i < raw->n_threads; i++) {
		if (!i || !same_thread(order[i - 1], order[i])) {
			thread = &model->thread[n++];
			start_model_thread(convert, order[i], thread);
			if (pmu_raw_is_socket(order[i]))
				model->n_sockets++;
			else
				model->n_threads++;
		}
		add_thread_record(convert, order[i], thread);
		convert->thread_of[order[i] - raw->thread] = n - 1;
	}
	return 0;
}

int pmu_convert_threads(struct pmu_convert *convert)
{
	struct pmu_raw *raw = convert->raw;
	const struct pmu_raw_thread **order;
	size_t i;
	int rc;

	if (!raw->n_threads)
		return 0;
	order = calloc(raw->n_threads, sizeof(*order));
	convert->thread_of = calloc(raw->n_threads, sizeof(*convert->thread_of));
	if (!order || !convert->thread_of) {
		free(order);
		return -ENOMEM;
	}
	for (i = 0; i < raw->n_threads; i++)
		order[i] = &raw->thread[i];
	qsort(order, raw->n_threads, sizeof(*order), by_thread_number);
	rc = make_threads(convert, order);
	free(order);
	return rc ? rc : doubt_threads(convert);
}
