/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds up the rows that threads have of the same path, and makes the paths. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/finish.h"
#include "report/model/measure.h"
#include "report/name.h"

static uint64_t *new_sum_zeros(struct pmu_model *model, unsigned int n)
{
	return pmu_block_array(&model->blocks, n, sizeof(uint64_t));
}

static uint64_t hash_name(uint64_t hash, const char *name, bool flat)
{
	hash = (hash ^ (flat ? 0x9e3779b97f4a7c15u : '/')) * 0x100000001b3u;
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return hash;
}

struct wanted {
	const struct pmu_finishing *f;
	int parent;
	uint64_t hash;
	const char *name;
};

static bool is_wanted_sum(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct pmu_summing *sum = &wanted->f->summing[number - 1];

	return sum->hash == wanted->hash && sum->parent == wanted->parent &&
	       (sum->name == wanted->name || !strcmp(sum->name, wanted->name));
}

/* Flat rows have sums of their own, by another hash. */
int pmu_sums_find(struct pmu_finishing *f, int parent, const char *name, bool flat)
{
	uint64_t hash = hash_name(parent < 0 ? 0xcbf29ce484222325u : f->summing[parent].hash, name,
				  flat);
	uint32_t short_hash = (uint32_t)(hash ^ (hash >> 32));
	const struct wanted wanted = { f, parent, hash, name };
	struct pmu_index_place *place = pmu_index_find(&f->index, short_hash, is_wanted_sum,
						       &wanted);

	if (place->thing)
		return (int)place->thing - 1;
	f->summing[f->section->n_rows] = (struct pmu_summing){ .parent = parent,
							       .name = name,
							       .hash = hash,
							       .last_thread = -1,
							       .made = f->section->n_rows };
	f->section->n_rows++;
	pmu_index_take(&f->index, place, short_hash, f->section->n_rows);
	return (int)f->section->n_rows - 1;
}

/* Index of the sum that a row belongs to. */
static int find_sum(struct pmu_finishing *f, unsigned int i)
{
	struct pmu_model_row *row = &f->section->thread_row[i];
	int parent = row->parent < 0 ? -1 : f->section->thread_row[row->parent].sum;

	if (row->parent >= 0 || row->below > i)
		row->below = 0;
	if (row->below)
		parent = f->section->thread_row[row->below - 1].sum;

	return pmu_sums_find(f, parent, pmu_row_name(row), row->flags & PMU_ROW_FLAT);
}

int pmu_sums_row(struct pmu_finishing *f, unsigned int sum)
{
	struct pmu_model_section *s = f->section;
	struct pmu_model_row *row = &s->row[sum];

	*row = (struct pmu_model_row){
		.name = f->summing[sum].name,
		.parent = f->summing[sum].parent,
		.thread = -1,
		.sum = -1,
		.raw = new_sum_zeros(f->model, s->n_counts),
		.net = new_sum_zeros(f->model, s->n_counts),
	};
	return pmu_rows_give_arrays(f->model, s, row) < 0 || !row->raw || !row->net ? -ENOMEM : 0;
}

static int make_sum_rows(struct pmu_finishing *f)
{
	struct pmu_model_section *s = f->section;
	int rc = 0;

	s->row = pmu_block_array(&f->model->blocks, s->n_rows, sizeof(*s->row));
	if (!s->row)
		return -ENOMEM;
	for (unsigned int i = 0; !rc && i < s->n_rows; i++)
		rc = pmu_sums_row(f, i);
	return rc;
}

static const struct pmu_model_thread *thread_of(const struct pmu_finishing *f, int thread)
{
	if (thread < 0 || (unsigned int)thread >= f->model->n_threads + f->model->n_sockets)
		return NULL;
	return &f->model->thread[thread];
}

/* Counts a self value below zero, and notes its thread; -1: a socket's. */
static void add_negative(struct pmu_finishing *f, int i)
{
	const struct pmu_model_row *row = &f->section->thread_row[i];
	struct pmu_summing *sum = &f->summing[row->sum];
	const struct pmu_model_thread *thread = thread_of(f, row->thread);

	if (!f->nested[i].negative)
		return;
	sum->n_negative++;
	sum->negative_thread = thread && !pmu_model_is_socket(f->model, row) ? thread->number : -1;
}

static uint64_t whole_of_thread(const struct pmu_finishing *f, const struct pmu_model_row *row)
{
	return thread_of(f, row->thread) ? f->thread_whole[row->thread] : 0;
}

void pmu_sums_add_socket(struct pmu_finishing *f, unsigned int sum, const struct pmu_model_row *row,
			 const struct pmu_columns *columns)
{
	struct pmu_model_row *to = &f->section->row[sum];

	pmu_row_add_counts(to, row, columns,
			   f->section->sockets & pmu_columns_all(f->section->n_counts));
	to->flags |= row->flags & PMU_ROW_FLAT;
	to->socket_ns = pmu_add_capped(to->socket_ns, row->time_ns);
	f->summing[sum].by_socket = true;
}

void pmu_sums_add(struct pmu_finishing *f, unsigned int sum, const struct pmu_model_row *row,
		  const struct pmu_columns *columns, int thread)
{
	struct pmu_model_row *to = &f->section->row[sum];
	struct pmu_summing *about = &f->summing[sum];

	about->unmeasured |= pmu_measure_of(f->section, row, pmu_measure_of_threads(f->section)) &&
			     isnan(row->share);
	pmu_row_add(to, &about->pool, row, PMU_OF_ROW);
	/* a row without any time yet would make counts of the others missing */
	if (pmu_model_time_known(row)) {
		pmu_row_add_counts(to, row, columns,
				   ~f->section->sockets & pmu_columns_all(f->section->n_counts));
		about->counted = true;
	}
	to->flags |= row->flags;
	about->indirect |= (row->flags & (PMU_ROW_RECURSIVE | PMU_ROW_DIRECT)) == PMU_ROW_RECURSIVE;
	if (about->last_thread == thread)
		return;
	about->last_thread = thread;
	to->n_threads++;
}

static void add_to_sum(struct pmu_finishing *f, int i)
{
	struct pmu_model_row *row = &f->section->thread_row[i];
	const struct pmu_columns columns = { .n = f->section->n_counts };
	const bool is_socket = pmu_model_is_socket(f->model, row);
	const bool is_team = row->flags & PMU_ROW_TEAM;

	row->share = pmu_measure_share(f->section, row, pmu_measure_of_threads(f->section),
				       whole_of_thread(f, row));
	row->n_threads = !is_socket || is_team;
	add_negative(f, i);
	/* what was done for another thread's region is not its own: see pmu_teams_make() */
	if (is_team)
		return;
	if (is_socket)
		pmu_sums_add_socket(f, (unsigned int)row->sum, row, &columns);
	else
		pmu_sums_add(f, (unsigned int)row->sum, row, &columns, row->thread);
}

static void close_sums(struct pmu_finishing *f)
{
	const struct pmu_model_section *s = f->section;

	for (unsigned int i = 0; i < s->n_rows; i++) {
		struct pmu_model_row *row = &s->row[i];

		row->sd_ns = pmu_pool_sd(&f->summing[i].pool, row);
		/* What was not counted is missing, not 0. */
		if (!f->summing[i].by_socket)
			row->missing |= f->section->sockets;
		if (f->shared_sockets)
			row->missing |= f->section->sockets & ~f->section->process;
		if (!row->n_threads || !pmu_model_time_known(row))
			row->missing |= ~f->section->sockets;
		row->self_missing |= row->missing;
		if (f->summing[i].indirect)
			row->flags &= ~(uint32_t)PMU_ROW_DIRECT;
		if (!pmu_model_self_known(row)) {
			row->self_ns = 0;
			row->self_cpu_ns = PMU_NOT_KNOWN;
			row->self_missing = UINT32_MAX;
		}
	}
	/* what the whole is made of is known by now */
	pmu_measure_choose(f->model, f->section);
	for (unsigned int i = 0; i < s->n_rows; i++)
		s->row[i].share = f->summing[i].unmeasured
					  ? NAN
					  : pmu_measure_share(s, &s->row[i], s->measure, s->whole);
}

/* Paths: made once for a sum, shared with its threads' rows. */

static int make_path(struct pmu_model *model, struct pmu_model_row *row, const char *around,
		     uint64_t hash)
{
	size_t n_name = strlen(row->name), n_around = around ? strlen(around) : 0;
	char *text = malloc(n_around + 2 * n_name + 32);
	size_t len = n_around;
	const char *path;

	if (!text)
		return -ENOMEM;
	memcpy(text, around ? around : "", n_around);
	if (around && n_around + n_name > PMU_MODEL_PATH_MAX) {
		/* what stands before an earlier hash is enough of a beginning */
		const char *cut = strstr(around, "/...");

		len = cut ? (size_t)(cut - around) : n_around;
		len += (size_t)sprintf(text + len, "/...%016llx", (unsigned long long)hash);
	}
	if (around)
		text[len++] = '/';
	len += pmu_path_add(text + len, row->name);
	path = pmu_block_text(&model->blocks, text, len);
	free(text);
	if (!path)
		return -ENOMEM;
	row->path = path;
	return 0;
}

static int make_paths(struct pmu_finishing *f)
{
	struct pmu_model_section *s = f->section;

	for (unsigned int i = 0; i < s->n_rows; i++) {
		int p = s->row[i].parent; /* before it since the rows were sorted */

		if (make_path(f->model, &s->row[i], p < 0 ? NULL : s->row[p].path,
			      f->summing[i].hash) < 0)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		s->thread_row[i].path = s->row[s->thread_row[i].sum].path;
	return 0;
}

/* Sums into tree order; what points to them follows. */
static int sort_sums(struct pmu_finishing *f)
{
	struct pmu_model_section *s = f->section;
	struct pmu_summing *old = malloc((s->n_rows + 1) * sizeof(*old));
	int *moved = malloc((s->n_rows + 1) * sizeof(*moved));
	int rc = -ENOMEM;

	if (old && moved)
		rc = pmu_rows_sort(s, s->row, (int)s->n_rows, s->measure, moved);
	if (!rc && s->n_rows) {
		memcpy(old, f->summing, s->n_rows * sizeof(*old));
		for (unsigned int i = 0; i < s->n_rows; i++)
			f->summing[moved[i]] = old[i];
		for (unsigned int i = 0; i < s->n_thread_rows; i++)
			s->thread_row[i].sum = moved[s->thread_row[i].sum];
	}
	free(old);
	free(moved);
	return rc;
}

static int tell_negative(struct pmu_finishing *f)
{
	for (unsigned int i = 0; i < f->section->n_rows; i++) {
		const struct pmu_summing *sum = &f->summing[i];
		int rc;

		if (!sum->n_negative)
			continue;
		rc = pmu_model_add_doubt(f->model, "self came out below zero and is shown as 0",
					 f->section->row[i].path,
					 sum->n_negative == 1 ? sum->negative_thread : -1,
					 sum->n_negative);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int pmu_sums_close(struct pmu_finishing *f)
{
	int rc;

	close_sums(f);
	rc = sort_sums(f);
	if (!rc)
		rc = make_paths(f);
	return rc < 0 ? rc : tell_negative(f);
}

int pmu_sums_make(struct pmu_finishing *f)
{
	struct pmu_model_section *s = f->section;
	int rc;

	s->n_rows = 0;
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		s->thread_row[i].sum = find_sum(f, i);
	rc = make_sum_rows(f);
	if (rc < 0)
		return rc;
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		add_to_sum(f, (int)i);
	return pmu_sums_close(f);
}
