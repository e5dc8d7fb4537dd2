/* SPDX-License-Identifier: BSD-3-Clause */
/* A listing's lines of source, by file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/annotate/parts.h"

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static int name_file(struct pmu_annotate *annotate, struct pmu_listed_file *file,
		     const struct pmu_annotate_object *object)
{
	if (!file->name[0])
		return 0;
	file->source = pmu_source_find(&annotate->sources, file->name, annotate->source_dir,
				       object ? object->of->path : "");
	if (!file->source)
		return -ENOMEM;
	file->is_newer = file->source->text &&
			 (object && object->written.tv_sec
				  ? is_later(&file->source->written, &object->written)
				  : pmu_annotate_is_after_run(annotate, &file->source->written));
	return 0;
}

static int by_file_samples(const void *a, const void *b)
{
	const struct pmu_listed_file *x = a, *y = b;

	if (x->n_samples != y->n_samples)
		return x->n_samples < y->n_samples ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int name_files(struct pmu_annotate *annotate, struct pmu_listing *listing,
		      const struct pmu_annotate_object *object)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < listing->n_files; i++)
		rc = name_file(annotate, &listing->file[i], object);
	if (listing->n_files)
		qsort(listing->file, listing->n_files, sizeof(*listing->file), by_file_samples);
	return rc;
}

static bool make_room(struct pmu_annotate *annotate, struct pmu_listing *listing, unsigned int most,
		      struct pmu_listed_line **line)
{
	listing->file = pmu_block_array(&annotate->blocks, most, sizeof(*listing->file));
	*line = pmu_block_array(&annotate->blocks, most, sizeof(**line));
	return listing->file && *line;
}

/* The one that @file is, after those that come before it by name; @line: where its lines begin. */
static struct pmu_listed_file *take_file(struct pmu_listing *listing, const char *name,
					 struct pmu_listed_line *line)
{
	struct pmu_listed_file *last = listing->n_files ? &listing->file[listing->n_files - 1]
							: NULL;

	if (last && !strcmp(last->name, name))
		return last;
	last = &listing->file[listing->n_files++];
	*last = (struct pmu_listed_file){ .name = name, .line = line };
	return last;
}

/* --- of instructions --- */

static int by_line(const void *a, const void *b, void *arg)
{
	const struct pmu_listed_instruction *of = arg, *x = &of[*(const unsigned int *)a],
					    *y = &of[*(const unsigned int *)b];
	int order = strcmp(x->file, y->file);

	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : (x->address > y->address) - (x->address < y->address);
}

/* What is in a function by inlining was compiled in the same folder. */
static void put_folder(struct pmu_annotate *annotate, struct pmu_listing *listing)
{
	const char *folder = NULL;

	for (unsigned int i = 0; !folder && i < listing->n_instructions; i++)
		folder = listing->instruction[i].folder;
	for (unsigned int i = 0; folder && i < listing->n_files; i++) {
		struct pmu_listed_file *file = &listing->file[i];

		if (file->name[0] && file->name[0] != '/')
			file->name = pmu_annotate_said(annotate, "%s/%s", folder, file->name);
	}
}

static void take_instruction_line(struct pmu_listing *listing, unsigned int i,
				  struct pmu_listed_line **next)
{
	const struct pmu_listed_instruction *in = &listing->instruction[listing->by_line[i]];
	struct pmu_listed_file *file = take_file(listing, in->file, *next);

	if (!file->n_lines || file->line[file->n_lines - 1].line != in->line) {
		file->line[file->n_lines++] = (struct pmu_listed_line){ .line = in->line,
									.first = i };
		(*next)++;
	}
	file->line[file->n_lines - 1].n_instructions++;
	file->line[file->n_lines - 1].n_samples += in->n_samples;
	file->n_samples += in->n_samples;
}

int pmu_annotate_lines(struct pmu_annotate *annotate, struct pmu_listing *listing,
		       const struct pmu_annotate_object *object)
{
	unsigned int n = listing->n_instructions;
	struct pmu_listed_line *next;

	listing->by_line = pmu_block_array(&annotate->blocks, n, sizeof(*listing->by_line));
	if (!listing->by_line || !make_room(annotate, listing, n, &next))
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++)
		listing->by_line[i] = i;
	qsort_r(listing->by_line, n, sizeof(*listing->by_line), by_line, listing->instruction);
	for (unsigned int i = 0; i < n; i++)
		take_instruction_line(listing, i, &next);
	put_folder(annotate, listing);
	return name_files(annotate, listing, object);
}

/* --- of what the report has --- */

static int by_model_line(const void *a, const void *b)
{
	const struct pmu_model_line *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

int pmu_annotate_only_lines(struct pmu_annotate *annotate, struct pmu_listing *listing)
{
	const struct pmu_model_function *function = listing->function;
	unsigned int n = function->n_lines;
	struct pmu_model_line *sorted = pmu_block_array(&annotate->blocks, n, sizeof(*sorted));
	struct pmu_listed_line *next;

	if (!sorted || !make_room(annotate, listing, n, &next))
		return -ENOMEM;
	if (n) {
		memcpy(sorted, function->line, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_model_line);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct pmu_listed_file *file = take_file(listing, sorted[i].file, next);

		*next++ = (struct pmu_listed_line){ .line = sorted[i].line,
						    .n_samples = sorted[i].n_samples };
		file->n_lines++;
		file->n_samples += sorted[i].n_samples;
		listing->n_samples += sorted[i].n_samples;
	}
	return name_files(annotate, listing, NULL);
}
