/* SPDX-License-Identifier: BSD-3-Clause */
/* A listing as rows: what is to be said of it, then file by file. */
#include "bindings/command/annotate/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/annotate/annotate.h"
#include "bindings/command/annotate/source.h"

void pmu_annotated_add(struct pmu_annotated_rows *rows, const struct pmu_annotated *row)
{
	unsigned int room = rows->room ? 2 * rows->room : 64;
	struct pmu_annotated *grown;

	if (rows->n == rows->room) {
		grown = pmu_block_array(rows->blocks, room, sizeof(*grown));
		rows->failed |= !grown;
		if (!grown)
			return;
		if (rows->n)
			memcpy(grown, rows->of, rows->n * sizeof(*grown));
		rows->of = grown;
		rows->room = room;
	}
	rows->of[rows->n++] = *row;
}

static void remark_on(struct pmu_annotated_rows *rows, const char *text)
{
	if (text[0])
		pmu_annotated_add(rows, &(struct pmu_annotated){ .kind = PMU_ANNOTATED_REMARK,
								 .text = text });
}

/* Does what is known of the function have samples that are not in the listing? */
static void add_lost(struct pmu_annotated_rows *rows, const struct pmu_listing *listing)
{
	uint64_t all = listing->function->n_samples;
	char text[128];
	const char *copy;
	int len;

	if (!listing->n_instructions || listing->n_samples >= all || listing->function->n_codes > 1)
		return;
	len = snprintf(text, sizeof(text), "%" PRIu64 " of its samples have no address among these",
		       all - listing->n_samples);
	copy = pmu_block_text(rows->blocks, text, (size_t)len);
	rows->failed |= !copy;
	remark_on(rows, copy ? copy : "");
}

static const char *why_no_source(const struct pmu_listed_file *file)
{
	if (!file->source || file->source->text)
		return "";
	return file->source->error == ENOENT
		       ? "it is not here: lines have their numbers alone (--srcdir DIR says where "
			 "to look)"
		       : strerror(file->source->error);
}

static void add_listed_file(struct pmu_annotated_rows *rows, const struct pmu_listing *listing,
			    const struct pmu_listed_file *file, const struct pmu_annotate_hot *hot)
{
	pmu_annotated_add(rows,
			  &(struct pmu_annotated){
				  .kind = PMU_ANNOTATED_FILE,
				  .n_samples = listing->n_files > 1 ? file->n_samples : 0,
				  .text = file->name[0] ? file->name : "code without lines" });
	remark_on(rows, why_no_source(file));
	if (file->is_newer)
		remark_on(
			rows,
			"it was written since: lines may be others than those that were compiled");
	pmu_annotated_lines(rows, listing, file, hot);
}

static bool has_hot(const struct pmu_listed_file *file, const struct pmu_annotate_hot *hot)
{
	for (unsigned int i = 0; i < file->n_lines; i++)
		if (file->line[i].n_samples >= hot->line)
			return true;
	return false;
}

static void add_listed_files(struct pmu_annotated_rows *rows, const struct pmu_listing *listing,
			     const struct pmu_annotate_hot *hot)
{
	struct pmu_annotated others = { .kind = PMU_ANNOTATED_OTHERS };

	for (unsigned int i = 0; i < listing->n_files; i++) {
		const struct pmu_listed_file *file = &listing->file[i];

		if (rows->all || has_hot(file, hot)) {
			add_listed_file(rows, listing, file, hot);
			continue;
		}
		others.n_samples += file->n_samples;
		others.number++;
	}
	if (others.n_samples)
		pmu_annotated_add(rows, &others);
}

int pmu_annotated_make(struct pmu_annotated_rows *rows, const struct pmu_listing *listing)
{
	bool is_bare = listing->n_files == 1 && !listing->file[0].name[0];
	struct pmu_annotate_hot hot;

	if (pmu_annotate_find_hot(listing, rows->blocks, &hot) < 0)
		return -ENOMEM;
	remark_on(rows, listing->why);
	remark_on(rows, listing->doubt);
	if (listing->function->n_samples < PMU_SAMPLES_FEW)
		remark_on(rows, "so few samples say little of its lines");
	add_lost(rows, listing);
	if (is_bare && listing->n_instructions) {
		remark_on(rows,
			  "no debugging information: without lines of source (cc -g has them)");
		pmu_annotated_bare(rows, listing, &hot);
	} else {
		add_listed_files(rows, listing, &hot);
	}
	return rows->failed ? -ENOMEM : 0;
}
