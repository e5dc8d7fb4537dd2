/* SPDX-License-Identifier: BSD-3-Clause */
/* What was sampled of a process, as functions and lines of its report's rows. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/command/code/code.h"
#include "bindings/command/sample/collector.h"
#include "report/model/model.h"
#include "report/model/objects.h"
#include "report/model/samples.h"

#define KERNEL_NS 100000000u

/** A hit, with what stands there. */
struct named {
	uint64_t who, n;
	struct pmu_code_place place;
};

struct giving {
	struct pmu_model *model;
	uint64_t period_ns;
	struct named *of; /* [n] by row */
	size_t n;
	/* room for a row's: one of each for each; the model adds up those that are the same */
	struct pmu_model_function *function;
	struct pmu_model_line *line;
	struct pmu_model_code *code;
	struct pmu_model_address *address;
};

/* --- what stands where --- */

/* What the library does itself is no more the region's than what it counts. */
static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "libpmu.so", 9) || !strncmp(name, "libpmu-", 7);
}

/* The list of the kernel's symbols takes as long as that: not for less of its time. */
static bool is_kernel_little(const struct pmu_sample_hits *hits, uint64_t period_ns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < hits->n; i++)
		n += hits->of[i].at.file == PMU_SAMPLE_KERNEL ? hits->of[i].n : 0;
	return n < KERNEL_NS / period_ns;
}

/* Of a container files are as it sees them; behind chroot(2) some are as they are seen from here. */
static bool is_below(const char *root, const char *file, char *path, size_t size)
{
	return root[0] && (size_t)snprintf(path, size, "%s%s", root, file) < size &&
	       !access(path, R_OK);
}

static void name_all(struct giving *giving, struct pmu_code *code, int64_t pid, const char *root,
		     const struct pmu_sample_sums *sums)
{
	const struct pmu_code_place in_kernel = pmu_code_named("[kernel]", "[kernel]");
	const struct pmu_sample_hits *hits = &sums->hits;
	bool is_little = is_kernel_little(hits, giving->period_ns);

	for (size_t i = 0; i < hits->n; i++) {
		const struct pmu_sample_hit *hit = &hits->of[i];
		const char *file = pmu_sample_maps_path(&sums->maps, hit->at.file);
		char path[2 * PATH_MAX];
		struct pmu_code_at at = {
			.path = file,
			.offset = hit->at.at,
			.address = hit->at.at,
			.pid = pid,
		};

		if (!hit->who || is_library(at.path))
			continue;
		if (file[0] == '/' && is_below(root, file, path, sizeof(path)))
			at.path = path;
		giving->of[giving->n++] = (struct named){ hit->who, hit->n,
							  is_little && hit->at.file ==
										  PMU_SAMPLE_KERNEL
								  ? in_kernel
								  : pmu_code_find(code, &at) };
	}
}

/* --- rows --- */

static bool is_deeper(const struct pmu_model_row *row, const struct pmu_model_row *than)
{
	if (!than)
		return true;
	return row->team_depth != than->team_depth ? row->team_depth > than->team_depth
						   : row->depth > than->depth;
}

/* The row that the thread had open innermost; of what it did for another one, that. */
static struct pmu_model_row *find_open(struct pmu_model *model, uint32_t tid,
				       struct pmu_model_section **section)
{
	struct pmu_model_row *found = NULL;

	for (unsigned int i = 0; i < model->n_sections; i++) {
		struct pmu_model_section *s = &model->section[i];

		for (unsigned int k = 0; k < s->n_thread_rows; k++) {
			struct pmu_model_row *row = &s->thread_row[k];

			if (!(row->flags & PMU_ROW_OPEN) || row->thread < 0 ||
			    (unsigned int)row->thread >= model->n_threads ||
			    model->thread[row->thread].tid != (int64_t)tid ||
			    !is_deeper(row, found))
				continue;
			found = row;
			*section = s;
		}
	}
	return found;
}

/* Of what can be read again, and has an address that JSON can have. */
static bool put_code(const struct giving *giving, size_t i, const struct named *from)
{
	const struct pmu_code_place *place = &from->place;
	struct pmu_model_code *code = &giving->code[i];

	if (!place->path[0] || place->address > INT64_MAX || place->start > place->address)
		return false;
	*code = (struct pmu_model_code){
		.object = pmu_model_object(giving->model, place->path, place->build_id),
		.start = place->start,
		.size = place->size <= INT64_MAX ? place->size : 0,
		.n_addresses = 1,
		.address = &giving->address[i],
	};
	giving->address[i] = (struct pmu_model_address){ place->address, from->n };
	return code->object;
}

static void give_row(const struct giving *giving, const struct named *first, size_t n)
{
	struct pmu_model_samples samples = { .period_ns = giving->period_ns,
					     .n_functions = (unsigned int)n,
					     .function = giving->function };
	struct pmu_model_section *section;
	struct pmu_model_row *row;

	row = PMU_SAMPLE_IS_OPEN(first->who)
		      ? find_open(giving->model, PMU_SAMPLE_OPEN_TID(first->who), &section)
		      : pmu_model_samples_row(giving->model, first->who, &section);
	if (!row)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct pmu_code_place *place = &first[i].place;

		giving->line[i] = (struct pmu_model_line){ place->file, place->line, first[i].n };
		giving->function[i] = (struct pmu_model_function){
			.name = place->function,
			.object = place->object,
			.n_samples = first[i].n,
			.n_lines = place->line != 0,
			.line = &giving->line[i],
			.n_codes = put_code(giving, i, &first[i]),
			.code = &giving->code[i],
		};
		samples.n += first[i].n;
	}
	pmu_model_samples_attach(giving->model, section, row, &samples);
}

static int by_who(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->who > y->who) - (x->who < y->who);
}

static void give_all(const struct giving *giving)
{
	size_t next;

	for (size_t i = 0; i < giving->n; i = next) {
		for (next = i + 1; next < giving->n && giving->of[next].who == giving->of[i].who;
		     next++)
			;
		give_row(giving, giving->of + i, next - i);
	}
}

void pmu_sample_give_sums(struct pmu_code *code, int64_t pid, const char *root, uint64_t period_ns,
			  const struct pmu_sample_sums *sums, struct pmu_model *model)
{
	size_t n = sums->hits.n + 1;
	struct giving giving = {
		.model = model,
		.period_ns = period_ns,
		.of = calloc(n, sizeof(*giving.of)),
		.function = calloc(n, sizeof(*giving.function)),
		.line = calloc(n, sizeof(*giving.line)),
		.code = calloc(n, sizeof(*giving.code)),
		.address = calloc(n, sizeof(*giving.address)),
	};

	if (giving.of && giving.function && giving.line && giving.code && giving.address) {
		name_all(&giving, code, pid, root, sums);
		qsort(giving.of, giving.n, sizeof(*giving.of), by_who);
		give_all(&giving);
	}
	free(giving.of);
	free(giving.function);
	free(giving.line);
	free(giving.code);
	free(giving.address);
}

void pmu_sample_give(struct pmu_samples_collector *collector, const char *path,
		     struct pmu_model *model, bool ended)
{
	const char *slash = strrchr(path, '/');
	struct pmu_sample_process process;
	bool found;

	if (!collector || !model)
		return;
	pthread_mutex_lock(&collector->lock);
	pmu_sample_drain(collector);
	found = pmu_sample_take_process(collector, slash ? slash + 1 : path, ended, &process);
	pthread_mutex_unlock(&collector->lock);
	if (!found)
		return;
	if (!collector->code)
		collector->code = pmu_code_new();
	/* rings are read on meanwhile: symbols take their time */
	if (collector->code)
		pmu_sample_give_sums(collector->code, process.pid, "", process.period_ns,
				     &process.sums, model);
	pmu_sample_process_free(&process);
}
