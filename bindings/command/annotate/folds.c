/* SPDX-License-Identifier: BSD-3-Clause */
/* A file's lines and their instructions as rows: those that are hot, and what is around them. */
#include "bindings/command/annotate/annotate.h"
#include "bindings/command/annotate/rows.h"
#include "bindings/command/annotate/source.h"

/* Lines around one that has samples; instructions around one, and as many of a line as are shown all. */
#define LINES_NEAR 2u
#define NEAR       1u
#define BARE_NEAR  2u /* without source */
#define FEW        8u

/* --- instructions --- */

/** What is shown of a line's. */
struct chosen {
	const struct pmu_listing *listing;
	const struct pmu_listed_line *line;
	uint64_t least; /* samples */
	unsigned int near;
};

static const struct pmu_listed_instruction *instruction_of(const struct chosen *chosen,
							   unsigned int i)
{
	const struct pmu_listing *listing = chosen->listing;

	return &listing->instruction[listing->by_line[chosen->line->first + i]];
}

static bool is_near(const struct chosen *chosen, unsigned int i)
{
	unsigned int first = i > chosen->near ? i - chosen->near : 0, last = i + chosen->near;

	for (unsigned int k = first; k <= last && k < chosen->line->n_instructions; k++)
		if (instruction_of(chosen, k)->n_samples >= chosen->least)
			return true;
	return false;
}

static void end_fold(struct pmu_annotated_rows *rows, unsigned int *n, uint64_t *samples)
{
	if (*n)
		pmu_annotated_add(rows, &(struct pmu_annotated){ .kind = PMU_ANNOTATED_FOLDED_IN,
								 .n_samples = *samples });
	*n = 0;
	*samples = 0;
}

static void add_instructions(struct pmu_annotated_rows *rows, const struct chosen *chosen)
{
	unsigned int n = chosen->line->n_instructions, n_folded = 0;
	bool all = rows->all || n <= FEW;
	uint64_t folded = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct pmu_listed_instruction *in = instruction_of(chosen, i);

		if (!all && !is_near(chosen, i)) {
			folded += in->n_samples;
			n_folded++;
			continue;
		}
		end_fold(rows, &n_folded, &folded);
		pmu_annotated_add(rows,
				  &(struct pmu_annotated){ PMU_ANNOTATED_INSTRUCTION, in->n_samples,
							   in->address, in->text, in->target });
	}
	end_fold(rows, &n_folded, &folded);
}

void pmu_annotated_bare(struct pmu_annotated_rows *rows, const struct pmu_listing *listing,
			const struct pmu_annotate_hot *hot)
{
	const struct chosen chosen = { listing, &listing->file[0].line[0], hot->instruction,
				       BARE_NEAR };

	add_instructions(rows, &chosen);
}

/* --- lines --- */

/** On the way through a file, from above. */
struct walk {
	struct pmu_annotated_rows *rows;
	const struct pmu_listing *listing;
	const struct pmu_listed_file *file;
	const struct pmu_annotate_hot *hot;
	unsigned int i;  /* the next that is listed */
	uint32_t number; /* the last that is shown */
	bool has_any;    /* there is one */
};

static bool is_hot(const struct walk *walk, const struct pmu_listed_line *line)
{
	return walk->rows->all || line->n_samples >= walk->hot->line;
}

static void add_line(struct walk *walk, uint32_t number, const struct pmu_listed_line *line)
{
	const char *source = pmu_source_line(walk->file->source, number);
	const struct chosen chosen = { walk->listing, line, walk->hot->instruction, NEAR };
	uint64_t n = line ? line->n_samples : 0;

	if (!n && !source && !walk->rows->all)
		return;
	pmu_annotated_add(walk->rows, &(struct pmu_annotated){ .kind = PMU_ANNOTATED_LINE,
							       .n_samples = n,
							       .number = number,
							       .text = source ? source : "" });
	if (line && is_hot(walk, line))
		add_instructions(walk->rows, &chosen);
}

/* Up to before @first; UINT32_MAX: to the end. */
static void fold_to(struct walk *walk, uint32_t first)
{
	uint64_t folded = 0;

	while (walk->i < walk->file->n_lines && walk->file->line[walk->i].line < first)
		folded += walk->file->line[walk->i++].n_samples;
	if (folded || (walk->has_any && first != UINT32_MAX))
		pmu_annotated_add(walk->rows, &(struct pmu_annotated){ .kind = PMU_ANNOTATED_FOLD,
								       .n_samples = folded });
	walk->number = first - 1;
}

static void show_to(struct walk *walk, uint32_t last)
{
	while (walk->number < last) {
		const struct pmu_listed_line *line = NULL;

		walk->number++;
		if (walk->i < walk->file->n_lines && walk->file->line[walk->i].line == walk->number)
			line = &walk->file->line[walk->i++];
		add_line(walk, walk->number, line);
	}
	walk->has_any = true;
}

void pmu_annotated_lines(struct pmu_annotated_rows *rows, const struct pmu_listing *listing,
			 const struct pmu_listed_file *file, const struct pmu_annotate_hot *hot)
{
	uint32_t near = file->source && file->source->text ? LINES_NEAR : 0;
	struct walk walk = { .rows = rows, .listing = listing, .file = file, .hot = hot };

	/* what belongs to none */
	if (file->n_lines && !file->line[0].line && is_hot(&walk, &file->line[0]))
		add_line(&walk, 0, &file->line[walk.i++]);
	for (unsigned int i = walk.i; i < file->n_lines; i++) {
		uint32_t at = file->line[i].line, first = at > near ? at - near : 1;

		if (!is_hot(&walk, &file->line[i]) || !at || at >= UINT32_MAX - near)
			continue;
		/* a line alone takes no more room than that it is left out */
		if (!walk.has_any || first > walk.number + 2)
			fold_to(&walk, first);
		show_to(&walk, at + near);
	}
	fold_to(&walk, UINT32_MAX);
}
