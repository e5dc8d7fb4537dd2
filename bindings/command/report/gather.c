/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of ranks as one, however many there are: some threads read files, and what is in each is
 * added up, in the order of the command line, and forgotten.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/index.h"
#include "bindings/command/report/inputs.h"
#include "report/model/block.h"
#include "report/model/metric.h"

/* Adding up is one at a time, and takes a tenth of what reading takes. */
#define MOST_READERS 8

#define KEPT_FREE (64 << 20)

/** A process that is in it already. */
struct process {
	struct pmu_model_part is;
	size_t input;
};

struct work {
	struct pmu_input *input;
	size_t n;
	bool merge;
	size_t next; /* to be read; atomic */
	pthread_mutex_t lock;
	pthread_cond_t turned;
	/* under the lock: */
	size_t turn; /* the file that is added next */
	bool off;    /* these are added up in another way, if at all */
	bool differ; /* there are several ranks */
	size_t n_added;
	int first_rank;
	const char *program; /* of all of them */
	struct pmu_gathering *gathering;
	struct process *process;
	size_t n_processes, room;
	struct pmu_index index;         /* numbers of processes, from 1 */
	struct pmu_model_block *blocks; /* texts */
};

/* --- the same process twice --- */

static bool is_same_process(const void *wanted, uintptr_t number)
{
	const struct process *const *process = wanted;

	return !pmu_parts_compare(&process[0]->is, &process[1][number - 1].is);
}

static struct pmu_index_place *place_of_process(const struct work *w, const struct process *process,
						uint32_t *hash)
{
	const struct process *wanted[] = { process, w->process };

	*hash = pmu_hash_number((uint64_t)process->is.pid ^ process->is.start_unix_ns << 20);
	return pmu_index_find(&w->index, *hash, is_same_process, wanted);
}

static bool is_part_known(const struct pmu_model_part *part)
{
	return part->pid >= 0 && part->start_unix_ns;
}

/* Of hosts there are few: a text of each. */
static const char *keep_host(struct work *w, const char *host)
{
	for (size_t i = w->n_processes; i-- > 0 && i + 64 > w->n_processes;)
		if (!strcmp(w->process[i].is.host, host))
			return w->process[i].is.host;
	return pmu_block_text(&w->blocks, host, strlen(host));
}

static int keep_process(struct work *w, struct process process)
{
	size_t room = w->room ? 2 * w->room : 64;
	struct pmu_index_place *place;
	struct process *grown;
	uint32_t hash;

	if (w->n_processes == w->room) {
		grown = reallocarray(w->process, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		w->process = grown;
		w->room = room;
	}
	process.is.host = keep_host(w, process.is.host);
	if (!process.is.host || pmu_index_reserve(&w->index, 1) < 0)
		return -ENOMEM;
	place = place_of_process(w, &process, &hash);
	w->process[w->n_processes++] = process;
	if (!place->thing)
		pmu_index_take(&w->index, place, hash, w->n_processes);
	return 0;
}

static struct pmu_model_part part_of_model(const struct pmu_model *model, unsigned int i)
{
	if (model->n_parts)
		return model->part[i];
	return (struct pmu_model_part){ .host = model->host,
					.pid = model->pid,
					.nth = model->nth,
					.start_unix_ns = model->start_unix_ns };
}

/* The input that has one of its processes already; NULL: none has. */
static const struct pmu_input *find_twin(const struct work *w, const struct pmu_model *model)
{
	unsigned int n = model->n_parts ? model->n_parts : 1;
	uint32_t hash;

	for (unsigned int i = 0; i < n && w->n_processes; i++) {
		const struct process process = { .is = part_of_model(model, i) };
		const struct pmu_index_place *place = place_of_process(w, &process, &hash);

		if (is_part_known(&process.is) && place->thing)
			return &w->input[w->process[place->thing - 1].input];
	}
	return NULL;
}

static int keep_processes(struct work *w, size_t at, const struct pmu_model *model)
{
	unsigned int n = model->n_parts ? model->n_parts : 1;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < n; i++) {
		const struct process process = { part_of_model(model, i), at };

		if (is_part_known(&process.is))
			rc = keep_process(w, process);
	}
	return rc;
}

/* --- one after another --- */

/* Ranks of one program, or with --merge any processes of one. */
static bool belongs(struct work *w, const struct pmu_model *model)
{
	if (!model->program[0] || !(w->merge || pmu_input_is_ranked(model)))
		return false;
	if (!w->n_added) {
		w->program = pmu_block_text(&w->blocks, model->program, strlen(model->program));
		w->first_rank = pmu_input_rank(model);
	}
	w->n_added++;
	w->differ |= model->n_parts > 1 || pmu_input_rank(model) != w->first_rank;
	return w->program && !strcmp(model->program, w->program);
}

static void add_input(struct work *w, size_t at)
{
	struct pmu_input *input = &w->input[at];
	int rc;

	if (!input->model)
		return;
	if (!belongs(w, input->model)) {
		w->off = true;
		return;
	}
	input->twin = find_twin(w, input->model);
	if (input->twin)
		return;
	rc = pmu_gather_add(w->gathering, input->model);
	if (rc == -E2BIG) {
		pmu_fail(E2BIG,
			 "%s is left out: with what it counted one report would have more than %d "
			 "counts in a group, or too many threads",
			 input->path, PMU_MODEL_MAX_COUNTS);
		input->error = strdup(pmu_error_text());
		input->no_room = true;
	} else if (rc < 0 || keep_processes(w, at, input->model) < 0) {
		w->off = true;
	}
}

static void take_input(struct work *w, size_t at)
{
	struct pmu_input *input = &w->input[at];

	if (pmu_input_read(input) < 0)
		input->error = strdup(pmu_error_text());
	pthread_mutex_lock(&w->lock);
	while (w->turn != at && !w->off)
		pthread_cond_wait(&w->turned, &w->lock);
	if (!w->off)
		add_input(w, at);
	w->turn++;
	pthread_cond_broadcast(&w->turned);
	pthread_mutex_unlock(&w->lock);
	pmu_model_free(input->model);
	input->model = NULL;
}

static bool is_off(struct work *w)
{
	bool off;

	pthread_mutex_lock(&w->lock);
	off = w->off;
	pthread_mutex_unlock(&w->lock);
	return off;
}

/* Each has at most one report in memory. */
static void *read_files(void *work)
{
	struct work *w = work;
	size_t at;

	while (!is_off(w) && (at = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->n)
		take_input(w, at);
	return NULL;
}

static unsigned int n_readers(size_t n_files)
{
	unsigned int n = 1;
	cpu_set_t cpus;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		n = (unsigned int)CPU_COUNT(&cpus);
	n = n < MOST_READERS ? n : MOST_READERS;
	return n_files < n ? (unsigned int)n_files : n;
}

/* This thread is one of them; those that cannot be had are done without. */
static void read_all_inputs(struct work *w)
{
	pthread_t reader[MOST_READERS];
	unsigned int n = n_readers(w->n), started = 0;

	while (started + 1 < n && !pthread_create(&reader[started], NULL, read_files, w))
		started++;
	read_files(w);
	while (started)
		pthread_join(reader[--started], NULL);
}

int pmu_inputs_gather(struct pmu_input *input, size_t n, bool merge, bool counts,
		      struct pmu_model **model)
{
	struct work w = {
		.input = input,
		.n = n,
		.merge = merge,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turned = PTHREAD_COND_INITIALIZER,
		.gathering = pmu_gather_new(counts),
	};
	int rc = -ENOTSUP;

	/* each report takes the memory of the last one: to give it back in between costs a quarter */
	mallopt(M_MMAP_THRESHOLD, KEPT_FREE / 2);
	mallopt(M_TRIM_THRESHOLD, KEPT_FREE);
	if (w.gathering)
		read_all_inputs(&w);
	if (w.gathering && !w.off && w.n_added && (merge || w.differ))
		rc = pmu_gather_end(w.gathering, model);
	else
		pmu_gather_drop(w.gathering);
	pmu_index_free(&w.index);
	pmu_block_free(&w.blocks);
	free(w.process);
	if (!rc)
		pmu_metric_fill(*model);
	return rc;
}
