/* SPDX-License-Identifier: BSD-3-Clause */
/* The letters behind a table's rows: what is special of them, and what is doubtful. */
#include <limits.h>
#include <string.h>

#include "base/compiler.h"
#include "report/model/rows.h"
#include "report/text/text.h"

static const struct {
	uint32_t flag;
	uint32_t legend;
	char sign;
} marks[] = {
	{ PMU_ROW_OVERLAP, PMU_LEGEND_OVERLAP, 'o' },
	{ PMU_ROW_RECURSIVE, PMU_LEGEND_RECURSIVE, 'r' },
	{ PMU_ROW_OPEN, PMU_LEGEND_OPEN, 'b' },
	{ PMU_ROW_FLAT, PMU_LEGEND_FLAT, 'f' },
	{ PMU_ROW_SHORT, PMU_LEGEND_SHORT, 's' },
	{ PMU_ROW_INTERRUPTED, PMU_LEGEND_INTERRUPTED, 'i' },
	{ PMU_ROW_TEAM, PMU_LEGEND_TEAM, 't' },
};

/* Index of the first doubt that does not come before this one. */
static unsigned int first_doubt(const struct pmu_text *t, const struct pmu_model_doubt *at)
{
	unsigned int low = 0, high = t->n_doubtful;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (pmu_text_compare_doubts(&t->doubtful[middle], at) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_doubt(const struct pmu_text *t, const char *region, int thread, int part)
{
	const struct pmu_model_doubt at = { .region = region, .thread = thread, .part = part };
	unsigned int first = first_doubt(t, &at);

	return first < t->n_doubtful && !pmu_text_compare_doubts(&t->doubtful[first], &at);
}

/*
 * @thread: number, in its part of a combined model; negative: any.  A doubt without them is about
 *	all.
 */
static bool is_place_doubtful(const struct pmu_text *t, const char *region, int thread, int part)
{
	const struct pmu_model_doubt any = { .region = region, .thread = INT_MIN, .part = INT_MIN };
	unsigned int first = first_doubt(t, &any);

	if (first == t->n_doubtful || strcmp(t->doubtful[first].region, region) != 0)
		return false;
	return thread < 0 || has_doubt(t, region, thread, part) ||
	       has_doubt(t, region, thread, -1) || has_doubt(t, region, -1, part) ||
	       has_doubt(t, region, -1, -1);
}

/* Behind the first name of a path; the path itself where there is only one. */
static const char *behind_first(const char *path)
{
	const char *at = path;

	for (; *at && *at != '/'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : path;
}

/* A path as its process knows it, without what stands around the program.  @names: how many. */
static const char *path_in_program(const struct pmu_model_section *s,
				   const struct pmu_model_row *row, int *names)
{
	const struct pmu_model_row *at = row->sum < 0 ? row : &s->row[row->sum];
	size_t len;

	for (*names = 1; at->parent >= 0; ++*names) {
		at = &s->row[at->parent];
		if (at->flags & PMU_ROW_PROGRAM)
			break;
	}
	if (!(at->flags & PMU_ROW_PROGRAM) || at == row)
		return row->path;
	--*names;
	len = strlen(at->path);
	return !strncmp(row->path, at->path, len) && row->path[len] == '/' ? row->path + len + 1
									   : row->path;
}

/*
 * Doubts know a path as its process does, without the row for the program, and of most the last
 * names alone.
 */
static bool is_row_doubtful(const struct pmu_text *t, const struct pmu_model_section *s,
			    const struct pmu_model_row *row)
{
	int n_names;
	const char *path = path_in_program(s, row, &n_names), *tail = path;
	/* a socket's number is no thread's: only doubts about all threads are its own */
	int thread = pmu_model_is_socket(t->model, row) ? INT_MAX
							: pmu_model_thread_number(t->model, row);
	int part = row->thread < 0 ? -1 : (int)t->model->thread[row->thread].part;

	if (row->flags & PMU_ROW_PROGRAM)
		return false;
	for (int names = n_names; names > PMU_MODEL_DOUBT_NAMES; names--)
		tail = behind_first(tail);
	return is_place_doubtful(t, path, thread, part) ||
	       (tail != path && is_place_doubtful(t, tail, thread, part));
}

/*
 * Several programs may have regions of one name: is the doubt about one of this sum's rows?  Where
 * rows were not kept, as of ranks, there is one program.
 */
static bool has_doubtful_part(const struct pmu_text *t, const struct pmu_model_section *s,
			      unsigned int sum)
{
	if (s->portion)
		return true;
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (s->thread_row[i].sum == (int)sum && is_row_doubtful(t, s, &s->thread_row[i]))
			return true;
	return false;
}

const char *pmu_text_marks(struct pmu_text *t, const struct pmu_model_section *s,
			   const struct pmu_model_row *row, unsigned int sum)
{
	bool doubtful = is_row_doubtful(t, s, row);
	char text[16];
	size_t n = 0;

	if (doubtful && row->thread < 0 && t->model->n_parts)
		doubtful = has_doubtful_part(t, s, sum);
	for (size_t k = 0; k < PMU_ARRAY_LEN(marks); k++) {
		if (!(row->flags & marks[k].flag))
			continue;
		text[n++] = marks[k].sign;
		t->legend |= marks[k].legend;
	}
	if (doubtful) {
		text[n++] = '?';
		t->legend |= PMU_LEGEND_DOUBT;
	}
	text[n] = '\0';
	return n ? pmu_text_shown(t, text) : "";
}
