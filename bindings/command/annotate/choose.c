/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions are listed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/annotate/annotate.h"
#include "report/name.h"

/* Of a region that was asked for, and of one that was not; each with that share of its samples at least, and not too few. */
#define MOST_OF_REGION 20u
#define MOST_UNASKED   5u
#define LEAST_SHARE    0.01

/* Regions that a function is listed in. */
#define MOST_REGIONS 5u

/* Of all regions. */
#define MOST_IN_PAGE 100u

struct choosing {
	struct pmu_model_block **blocks;
	struct pmu_annotate_choice *of;
	unsigned int n, room;
	bool failed;
};

/* As it is, as reports shorten it, or without what a compiler has put behind it: "solve.constprop.0". */
static bool is_called(const char *name, const char *of)
{
	size_t len = strlen(of);
	struct pmu_strbuf shorter = { 0 };
	bool is = !strcmp(name, of) || (!strncmp(name, of, len) && name[len] == '.');

	for (int how = 0; !is && how < PMU_NAME_WAYS; how++) {
		shorter.len = 0;
		pmu_name_shorten(&shorter, name, (enum pmu_name_shorter)how);
		is = !strcmp(pmu_strbuf_text(&shorter), of);
	}
	/* the barest without its template, too */
	is |= !strncmp(pmu_strbuf_text(&shorter), of, len) &&
	      !strcmp(pmu_strbuf_text(&shorter) + len, "<>");
	pmu_strbuf_free(&shorter);
	return is;
}

static void choose_function(struct choosing *choosing, const struct pmu_model_section *section,
			    const struct pmu_model_row *row,
			    const struct pmu_model_function *function)
{
	struct pmu_annotate_choice *grown;
	unsigned int room = choosing->room ? 2 * choosing->room : 16;

	if (choosing->n == choosing->room) {
		grown = pmu_block_array(choosing->blocks, room, sizeof(*grown));
		choosing->failed |= !grown;
		if (!grown)
			return;
		if (choosing->n)
			memcpy(grown, choosing->of, choosing->n * sizeof(*grown));
		choosing->of = grown;
		choosing->room = room;
	}
	choosing->of[choosing->n++] = (struct pmu_annotate_choice){ section, row, function };
}

static void choose_region(struct choosing *choosing, const struct pmu_model_section *section,
			  const struct pmu_model_row *row, unsigned int most)
{
	const struct pmu_model_samples *samples = row->samples;

	for (unsigned int i = 0; i < samples->n_functions && i < most; i++) {
		uint64_t of_it = samples->function[i].n_samples;

		if ((double)of_it < LEAST_SHARE * (double)samples->n ||
		    (i && of_it < PMU_SAMPLES_FEW))
			break;
		choose_function(choosing, section, row, &samples->function[i]);
	}
}

static void choose_in_region(struct choosing *choosing, const struct pmu_model_section *section,
			     const struct pmu_model_row *row, const char *of)
{
	for (unsigned int i = 0; i < row->samples->n_functions; i++)
		if (is_called(row->samples->function[i].name, of))
			choose_function(choosing, section, row, &row->samples->function[i]);
}

static bool is_region_called(const struct pmu_model_row *row, const char *of)
{
	return !strcmp(row->path, of) || !strcmp(row->name, of);
}

/** A way to choose: what it does for each row that has samples. */
enum way { WAY_REGION, WAY_FUNCTION, WAY_ALL };

static void choose_by(struct choosing *choosing, const struct pmu_model *model, enum way way,
		      const char *of)
{
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++) {
			const struct pmu_model_row *row = &model->section[s].row[i];

			if (!row->samples || !row->samples->n)
				continue;
			if (way == WAY_FUNCTION)
				choose_in_region(choosing, &model->section[s], row, of);
			else if (way == WAY_ALL)
				choose_region(choosing, &model->section[s], row, MOST_UNASKED);
			else if (is_region_called(row, of))
				choose_region(choosing, &model->section[s], row, MOST_OF_REGION);
		}
}

static void choose_most(struct choosing *choosing, const struct pmu_model *model)
{
	const struct pmu_model_section *section = NULL;
	const struct pmu_model_row *most = NULL;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++) {
			const struct pmu_model_row *row = &model->section[s].row[i];

			if (!row->samples || (most && row->samples->n <= most->samples->n))
				continue;
			most = row;
			section = &model->section[s];
		}
	if (most)
		choose_region(choosing, section, most, MOST_UNASKED);
}

static int by_choice(const void *a, const void *b)
{
	const struct pmu_annotate_choice *x = a, *y = b;

	if (x->row != y->row && x->row->samples->n != y->row->samples->n)
		return x->row->samples->n < y->row->samples->n ? 1 : -1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* Those in which it has most samples. */
static int by_function_samples(const void *a, const void *b)
{
	const struct pmu_annotate_choice *x = a, *y = b;

	if (x->function->n_samples != y->function->n_samples)
		return x->function->n_samples < y->function->n_samples ? 1 : -1;
	return by_choice(a, b);
}

static int tell_nothing(const struct pmu_model *model, const char *of)
{
	if (!pmu_model_has_samples(model))
		return pmu_fail(ENODATA,
				"the report has no samples to annotate by: 'pmu run --sample "
				"-o run.json COMMAND' takes some");
	if (!of)
		return pmu_fail(ENOENT, "no function has a hundredth of a region's samples: say "
					"--annotate=FUNCTION");
	return pmu_fail(ENOENT,
			"no region and no function that was sampled is called %s: the report has "
			"their names below its regions",
			of);
}

int pmu_annotate_choose(const struct pmu_model *model, const char *of,
			struct pmu_model_block **blocks, struct pmu_annotate_choice **choice,
			unsigned int *n)
{
	struct choosing choosing = { .blocks = blocks };

	if (!of)
		choose_most(&choosing, model);
	for (enum way way = WAY_REGION; of && !choosing.n && way <= WAY_FUNCTION; way++)
		choose_by(&choosing, model, way, of);
	if (choosing.failed)
		return -ENOMEM;
	if (!choosing.n)
		return tell_nothing(model, of);
	if (of && !is_region_called(choosing.of->row, of)) {
		qsort(choosing.of, choosing.n, sizeof(*choosing.of), by_function_samples);
		if (choosing.n > MOST_REGIONS)
			choosing.n = MOST_REGIONS;
	}
	qsort(choosing.of, choosing.n, sizeof(*choosing.of), by_choice);
	*choice = choosing.of;
	*n = choosing.n;
	return 0;
}

int pmu_annotate_choose_for_page(const struct pmu_model *model, const char *of,
				 struct pmu_model_block **blocks,
				 struct pmu_annotate_choice **choice, unsigned int *n)
{
	struct choosing choosing = { .blocks = blocks };

	if (of)
		return pmu_annotate_choose(model, of, blocks, choice, n);
	choose_by(&choosing, model, WAY_ALL, NULL);
	if (choosing.failed)
		return -ENOMEM;
	if (!choosing.n)
		return tell_nothing(model, of);
	qsort(choosing.of, choosing.n, sizeof(*choosing.of), by_function_samples);
	*choice = choosing.of;
	*n = choosing.n < MOST_IN_PAGE ? choosing.n : MOST_IN_PAGE;
	return 0;
}
