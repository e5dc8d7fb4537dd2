/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which programs ran on the machine's processors: processes come and go, and are looked at when they are first sampled.
 *
 * What one that was begun meanwhile has mapped is told by records; what there was before, by /proc, or by the process
 * that forked it.  One that ends gives its samples to those of its name, so that a machine that starts programs
 * without end takes no more memory for it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/time.h"
#include "bindings/command/attach/machine.h"

/* A process still runs for a moment when it has told its end, and is sampled there. */
#define LOOKS_LEFT 2u

/* Beyond these a name is PMU_ATTACH_OTHERS; processes that have ended, with a root, or code at run time, of their own. */
#define MOST_NAMES 4096u
#define MOST_ENDED 4096u

/* --- names --- */

struct looked_for {
	const struct pmu_attach_programs *programs;
	const char *text;
};

static bool is_name(const void *arg, uintptr_t thing)
{
	const struct looked_for *wanted = arg;

	return !strcmp(wanted->programs->name[thing - 1].text, wanted->text);
}

static bool make_name_room(struct pmu_attach_programs *programs)
{
	size_t room = programs->room ? 2 * programs->room : 64;
	struct pmu_attach_program *grown;

	if (programs->n_names < programs->room)
		return true;
	grown = reallocarray(programs->name, room, sizeof(*grown));
	if (!grown)
		return false;
	programs->name = grown;
	programs->room = room;
	return true;
}

static bool add_program(struct pmu_attach_programs *programs, const char *text)
{
	struct pmu_attach_program name = { .n_samples = NULL };

	if (!make_name_room(programs) || pmu_index_reserve(&programs->index, 1) < 0)
		return false;
	snprintf(name.text, sizeof(name.text), "%s", text);
	name.n_samples = calloc(programs->n_cpus + 1, sizeof(*name.n_samples));
	name.n_processes = calloc(programs->n_cpus + 1, sizeof(*name.n_processes));
	if (!name.n_samples || !name.n_processes) {
		free(name.n_samples);
		free(name.n_processes);
		return false;
	}
	programs->name[programs->n_names++] = name;
	return true;
}

/* Return: 1 + index, 0 without memory. */
static size_t find_name(struct pmu_attach_programs *programs, const char *text)
{
	const uint32_t hash = pmu_hash_text(text, strlen(text));
	const struct looked_for wanted = { programs, text };
	struct pmu_index_place *place;

	if (pmu_index_reserve(&programs->index, 1) < 0)
		return 0;
	place = pmu_index_find(&programs->index, hash, is_name, &wanted);
	if (place->thing)
		return place->thing;
	/* the last one is for those that find no room */
	if (programs->n_names + 1 >= MOST_NAMES && strcmp(text, PMU_ATTACH_OTHERS) != 0)
		return find_name(programs, PMU_ATTACH_OTHERS);
	if (!add_program(programs, text))
		return 0;
	place = pmu_index_find(&programs->index, hash, is_name, &wanted);
	pmu_index_take(&programs->index, place, hash, programs->n_names);
	return programs->n_names;
}

/* --- processes --- */

static struct pmu_attach_seen **seen_bucket(struct pmu_attach_programs *programs, pid_t pid)
{
	return &programs->bucket[(uint32_t)pid % PMU_ATTACH_BUCKETS];
}

static struct pmu_attach_seen *find_seen(struct pmu_attach_programs *programs, pid_t pid)
{
	struct pmu_attach_seen *process = *seen_bucket(programs, pid);

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct pmu_attach_seen *add_seen(struct pmu_attach_programs *programs, pid_t pid)
{
	struct pmu_attach_seen **bucket = seen_bucket(programs, pid),
			       *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pid = pid;
	process->root_fd = -1;
	process->next = *bucket;
	*bucket = process;
	return process;
}

static void free_process(struct pmu_attach_seen *process)
{
	pmu_sample_maps_free(&process->sums.maps);
	pmu_sample_hits_free(&process->sums.hits);
	if (process->root_fd >= 0)
		close(process->root_fd);
	free(process);
}

/* Its files are those that are seen here, and no compiler at run time says what is in none (code/symbols.c). */
static bool is_plain_process(const struct pmu_attach_seen *process)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", process->pid);
	return process->root_fd < 0 && access(path, F_OK) < 0;
}

/* To those of its name: the same file has another number there. */
static void give_hit(struct pmu_attach_programs *programs, struct pmu_attach_seen *process,
		     const struct pmu_sample_hit *hit)
{
	struct pmu_sample_sums *sums = &programs->name[(hit->who - 1) / programs->n_cpus].sums;
	struct pmu_sample_at at = hit->at;
	const char *path = pmu_sample_maps_path(&process->sums.maps, at.file);

	if ((at.file >= PMU_SAMPLE_FILES && pmu_sample_maps_file(&sums->maps, path, &at.file)) ||
	    pmu_sample_hits_add(&sums->hits, hit->who, at, hit->n) < 0)
		programs->n_nameless += hit->n;
}

static void end_process(struct pmu_attach_programs *programs, struct pmu_attach_seen **link)
{
	struct pmu_attach_seen *process = *link;
	const struct pmu_sample_hits *hits = &process->sums.hits;
	bool is_plain = hits->n && is_plain_process(process);

	*link = process->next;
	if (hits->n && !is_plain && programs->n_ended < MOST_ENDED) {
		process->next = programs->ended;
		programs->ended = process;
		programs->n_ended++;
		return;
	}
	if (is_plain && process->name_number)
		programs->name[process->name_number - 1].sums.n_unknown += process->sums.n_unknown;
	for (size_t i = 0; i < hits->n; i++) {
		if (is_plain)
			give_hit(programs, process, &hits->of[i]);
		else
			programs->n_nameless += hits->of[i].n;
	}
	free_process(process);
}

static void end_pid(struct pmu_attach_programs *programs, pid_t pid)
{
	struct pmu_attach_seen **link = seen_bucket(programs, pid);

	while (*link && (*link)->pid != pid)
		link = &(*link)->next;
	if (*link)
		end_process(programs, link);
}

void pmu_attach_programs_looked(struct pmu_attach_programs *programs)
{
	for (size_t i = 0; i < PMU_ATTACH_BUCKETS; i++) {
		struct pmu_attach_seen **link = &programs->bucket[i];

		while (*link) {
			if ((*link)->n_looks_left && !--(*link)->n_looks_left)
				end_process(programs, link);
			else
				link = &(*link)->next;
		}
	}
}

void pmu_attach_programs_end(struct pmu_attach_programs *programs)
{
	for (size_t i = 0; i < PMU_ATTACH_BUCKETS; i++)
		while (programs->bucket[i])
			end_process(programs, &programs->bucket[i]);
}

/* --- many of them --- */

size_t pmu_attach_programs_count(const struct pmu_attach_programs *programs)
{
	size_t n = 0;

	for (size_t i = 0; i < programs->n_names; i++)
		for (size_t cpu = 0; cpu < programs->n_cpus; cpu++)
			n += programs->name[i].n_samples[cpu] != 0;
	return n;
}

static uint64_t samples_of(const struct pmu_attach_programs *programs,
			   const struct pmu_attach_program *program)
{
	uint64_t n = 0;

	for (size_t cpu = 0; cpu < programs->n_cpus; cpu++)
		n += program->n_samples[cpu];
	return n;
}

static void move_program(struct pmu_attach_programs *programs, struct pmu_attach_program *from,
			 struct pmu_attach_program *to)
{
	programs->n_nameless += samples_of(programs, from);
	for (size_t cpu = 0; cpu < programs->n_cpus; cpu++) {
		to->n_samples[cpu] += from->n_samples[cpu];
		to->n_processes[cpu] += from->n_processes[cpu];
		from->n_samples[cpu] = from->n_processes[cpu] = 0;
	}
	pmu_sample_hits_free(&from->sums.hits);
}

void pmu_attach_programs_fold(struct pmu_attach_programs *programs, size_t most)
{
	const size_t others = find_name(programs, PMU_ATTACH_OTHERS);

	for (uint64_t few = 1; others && few < UINT64_MAX / 2; few *= 2) {
		if (pmu_attach_programs_count(programs) <= most)
			return;
		for (size_t i = 0; i < programs->n_names; i++)
			if (i != others - 1 && samples_of(programs, &programs->name[i]) <= few)
				move_program(programs, &programs->name[i],
					     &programs->name[others - 1]);
	}
}

void pmu_attach_programs_free(struct pmu_attach_programs *programs)
{
	struct pmu_attach_seen *process;

	pmu_attach_programs_end(programs);
	while ((process = programs->ended)) {
		programs->ended = process->next;
		free_process(process);
	}
	for (size_t i = 0; i < programs->n_names; i++) {
		struct pmu_attach_program *name = &programs->name[i];

		pmu_sample_maps_free(&name->sums.maps);
		pmu_sample_hits_free(&name->sums.hits);
		free(name->n_samples);
		free(name->n_processes);
	}
	free(programs->name);
	pmu_index_free(&programs->index);
}

/* --- what is known of one --- */

/* It may have ended by now, or be the kernel's: then it is asked again where a sample is at none of these, once in a while. */
static void ask_maps(struct pmu_attach_seen *process)
{
	process->maps_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	process->has_maps = true;
	pmu_sample_maps_read_process(&process->sums.maps, process->pid);
}

static void ask_name(struct pmu_attach_seen *process)
{
	pmu_attach_name(process->pid, process->pid, process->name, sizeof(process->name));
}

/* "kworker/3:1-events", "ksoftirqd/3": there are many of these for each processor. */
static void shorten_kernel_name(struct pmu_attach_seen *process)
{
	char *slash = strchr(process->name, '/');

	if (slash && pmu_attach_is_kernel(process->pid))
		*slash = '\0';
}

static bool ask_process(struct pmu_attach_programs *programs, struct pmu_attach_seen *process,
			size_t cpu)
{
	if (!process->has_maps)
		ask_maps(process);
	if (!process->name[0])
		ask_name(process);
	if (!process->name[0])
		snprintf(process->name, sizeof(process->name), "%s", PMU_ATTACH_OTHERS);
	if (!process->name_number) {
		shorten_kernel_name(process);
		process->name_number = find_name(programs, process->name);
	}
	if (!process->name_number)
		return false;
	if (!process->is_counted) {
		process->is_counted = true;
		if (process->root_fd < 0)
			process->root_fd = pmu_attach_root(process->pid);
		programs->name[process->name_number - 1].n_processes[cpu]++;
	}
	return true;
}

/* --- records --- */

/* 0: of another namespace of pids than ours; -1: it is about to end. */
static bool has_pid(uint32_t pid)
{
	return pid && pid <= INT32_MAX;
}

static void add_other(struct pmu_attach_programs *programs, size_t cpu)
{
	size_t number = find_name(programs, PMU_ATTACH_OTHERS);

	if (number)
		programs->name[number - 1].n_samples[cpu]++;
}

static void take_seen_sample(struct pmu_attach_programs *programs, size_t cpu,
			     const struct pmu_sample_record *record)
{
	struct pmu_attach_seen *process;
	struct pmu_sample_at at;

	process = has_pid(record->pid) ? find_seen(programs, (pid_t)record->pid) : NULL;
	if (!process && has_pid(record->pid))
		process = add_seen(programs, (pid_t)record->pid);
	if (!process || !ask_process(programs, process, cpu)) {
		add_other(programs, cpu);
		return;
	}
	if (!pmu_attach_place(&process->sums, process->pid, &process->maps_ns, record, &at))
		return;
	programs->name[process->name_number - 1].n_samples[cpu]++;
	if (pmu_sample_hits_add(&process->sums.hits,
				pmu_attach_machine_who(programs, process->name_number - 1, cpu), at,
				1) < 0)
		programs->n_nameless++;
}

/* Until it executes another program it is as the one that forks it, also when neither can be asked any more. */
static void fork_process(struct pmu_attach_programs *programs, pid_t pid, pid_t ppid)
{
	struct pmu_attach_seen *process = add_seen(programs, pid),
			       *parent = find_seen(programs, ppid);

	if (!parent && has_pid((uint32_t)ppid))
		parent = add_seen(programs, ppid);
	if (!process || !parent)
		return;
	if (!parent->has_maps)
		ask_maps(parent);
	if (!parent->name[0])
		ask_name(parent);
	memcpy(process->name, parent->name, sizeof(process->name));
	process->has_maps = parent->has_maps;
	for (size_t i = 0; i < parent->sums.maps.n; i++) {
		const struct pmu_sample_map *map = &parent->sums.maps.map[i];

		pmu_sample_maps_add(&process->sums.maps, map->start, map->end, map->offset,
				    pmu_sample_maps_path(&parent->sums.maps, map->file));
	}
}

/* A thread is no process; a process's number may have been another's. */
static void take_task(struct pmu_attach_programs *programs,
		      const struct pmu_attach_task_record *record)
{
	const bool is_fork = record->header.type == PERF_RECORD_FORK;
	struct pmu_attach_seen *process;

	if (!has_pid(record->pid) || record->pid != record->tid ||
	    (is_fork && record->pid == record->ppid))
		return;
	if (is_fork) {
		end_pid(programs, (pid_t)record->pid);
		fork_process(programs, (pid_t)record->pid, (pid_t)record->ppid);
		return;
	}
	process = find_seen(programs, (pid_t)record->pid);
	if (process && !process->n_looks_left)
		process->n_looks_left = LOOKS_LEFT;
}

/* Another program, or another name for it. */
static void take_comm(struct pmu_attach_programs *programs,
		      const struct pmu_attach_comm_record *record)
{
	const bool is_exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC;
	struct pmu_attach_seen *process;
	const char *name = (const char *)(record + 1);
	size_t room = record->header.size - sizeof(*record);

	if (!has_pid(record->pid) || (record->pid != record->tid && !is_exec) ||
	    !memchr(name, '\0', room))
		return;
	process = find_seen(programs, (pid_t)record->pid);
	if (!process && is_exec)
		process = add_seen(programs, (pid_t)record->pid);
	if (!process)
		return;
	/* it may have been asked for its name when it had executed that already */
	if (strncmp(process->name, name, sizeof(process->name) - 1) != 0)
		process->is_counted = false;
	snprintf(process->name, sizeof(process->name), "%s", name);
	process->name_number = 0;
	if (!is_exec)
		return;
	process->has_maps = true;
	process->sums.maps.n = 0;
}

static void take_mapping(struct pmu_attach_programs *programs,
			 const struct pmu_sample_mapping *mapping)
{
	struct pmu_attach_seen *process = has_pid(mapping->pid)
						  ? find_seen(programs, (pid_t)mapping->pid)
						  : NULL;

	if (process && process->has_maps)
		pmu_sample_map(&process->sums.maps, mapping);
}

void pmu_attach_machine_record(struct pmu_attach *attach, size_t cpu,
			       const struct perf_event_header *header, uint64_t time)
{
	struct pmu_attach_programs *programs = &attach->machine->programs;
	const struct pmu_attach_machine_cpu *on = &attach->machine->cpu[cpu];
	const void *record = header;

	if (pmu_sample_is_record(header)) {
		if (on->start_ns && time >= on->start_ns && (!on->stop_ns || time <= on->stop_ns))
			take_seen_sample(programs, cpu, record);
	} else if (pmu_sample_is_mapping(header)) {
		take_mapping(programs, record);
	} else if ((header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT) &&
		   header->size >= sizeof(struct pmu_attach_task_record)) {
		take_task(programs, record);
	} else if (header->type == PERF_RECORD_COMM &&
		   header->size > sizeof(struct pmu_attach_comm_record)) {
		take_comm(programs, record);
	}
}
