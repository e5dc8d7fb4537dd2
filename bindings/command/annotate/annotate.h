/* SPDX-License-Identifier: BSD-3-Clause */
/* Source and instructions of functions beside each other, with what was sampled at each. */
#ifndef PMU_COMMAND_ANNOTATE_H
#define PMU_COMMAND_ANNOTATE_H

#include "bindings/command/annotate/listing.h"
#include "bindings/command/command.h"
#include "report/model/block.h"
#include "report/report.h"

/** What is asked for. */
struct pmu_annotate_request {
	/*
	 * A region's name or path: the functions that it was in; else a function's name: in each region; NULL: the
	 * region with most samples.
	 */
	const char *of;
	const char
		*source_dir; /* where to look for source first; NULL: where the compiler saw it */
	bool is_asked;
	bool is_below; /* of the report's text, which is there, too */
};

/** Options that commands have for it. */
#define PMU_ANNOTATE_OPTIONS(type, member, take_it)                                                    \
	{ "--annotate", .argument = "[=NAME]", .take = (take_it),                                      \
	  .help = "source and instructions of functions beside each other, with what was sampled "     \
		  "at each: those of a region, or a function wherever it was sampled; without a name " \
		  "those of the region with most samples; in a page, too" },                           \
	{                                                                                              \
		"--srcdir",                                                                            \
			.argument = "DIR", PMU_OPTION_TEXT(type, member.source_dir),                   \
			.complete = pmu_complete_folders,                                              \
			.help = "with --annotate: where source is, if not where it was compiled"       \
	}

/** A function in a region. */
struct pmu_annotate_choice {
	const struct pmu_model_section *section;
	const struct pmu_model_row *row; /* a sum */
	const struct pmu_model_function *function;
};

/**
 * pmu_annotate_choose() - what is asked for, those of a region together, most samples first
 * @blocks: memory of the result
 * Return: 0; -ENODATA, -ENOENT with a sentence: nothing was sampled, nothing is called so; -ENOMEM.
 */
int pmu_annotate_choose(const struct pmu_model *model, const char *of,
			struct pmu_model_block **blocks, struct pmu_annotate_choice **choice,
			unsigned int *n);

/** pmu_annotate_choose_for_page() - the same, but without @of all that are hot in any region, most samples first */
int pmu_annotate_choose_for_page(const struct pmu_model *model, const char *of,
				 struct pmu_model_block **blocks,
				 struct pmu_annotate_choice **choice, unsigned int *n);

/**
 * pmu_annotate_text() - listings of what is asked for
 * Return: 0; a negative errno with a sentence, -ENOMEM also as @out->failed.
 */
int pmu_annotate_text(struct pmu_strbuf *out, const struct pmu_model *model,
		      const struct pmu_annotate_request *request,
		      const struct pmu_text_options *options);

/** Of a function's samples at which lines and instructions are shown, with those around them. */
struct pmu_annotate_hot {
	uint64_t line, instruction; /* so many at least */
};

/** pmu_annotate_find_hot() - @blocks: for a while.  Return: 0 or -ENOMEM. */
int pmu_annotate_find_hot(const struct pmu_listing *listing, struct pmu_model_block **blocks,
			  struct pmu_annotate_hot *hot);

#endif
