/* SPDX-License-Identifier: BSD-3-Clause */
/* A function's instructions and lines, with what was sampled at each. */
#ifndef PMU_COMMAND_LISTING_H
#define PMU_COMMAND_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "report/model/model.h"
#include "report/model/samples.h"

struct pmu_source;
struct pmu_code_object;

struct pmu_listed_instruction {
	uint64_t address;
	uint32_t size;
	const char *text;
	const char *target; /* where it jumps to, as "pack+0x10"; "" nowhere, or not known */
	const char *file;   /* "" not known */
	uint32_t line;      /* 0: not known */
	const char *folder; /* that it was compiled in; NULL: not known */
	uint64_t n_samples;
};

struct pmu_listed_line {
	uint32_t line;      /* 0: what belongs to none */
	uint64_t n_samples; /* of all its instructions */
	unsigned int first; /* of struct pmu_listing.by_line */
	unsigned int n_instructions;
};

struct pmu_listed_file {
	const char
		*name; /* with its folder, where that is known; "" without debugging information */
	uint64_t n_samples;
	const struct pmu_source *source; /* NULL without a name */
	bool is_newer; /* the source, than the object, or than the run where that cannot be used */
	unsigned int n_lines;
	struct pmu_listed_line *line; /* by number */
};

/** All of it lives as long as its struct pmu_annotate. */
struct pmu_listing {
	const struct pmu_model_function *function;
	const struct pmu_model_code *code; /* NULL: of lines alone */
	const char *why;    /* there are no instructions: a sentence; "": there are */
	bool is_checked;    /* the object is the one that was measured */
	const char *doubt;  /* of the instructions: a sentence; "": none */
	uint64_t n_samples; /* of what is listed */
	unsigned int n_instructions;
	struct pmu_listed_instruction *instruction; /* by address */
	unsigned int *by_line;                      /* [n_instructions] those of a line together */
	unsigned int n_files;
	struct pmu_listed_file *file; /* most samples first */
};

/** pmu_annotate_is_worth() - has this piece of a function's code a part of its samples that is worth a listing? */
bool pmu_annotate_is_worth(const struct pmu_model_function *function, unsigned int nth);

/** What is open for one report. */
struct pmu_annotate;

/** pmu_annotate_new() - @source_dir: of pmu_source_find(), or NULL; NULL without memory */
struct pmu_annotate *pmu_annotate_new(const struct pmu_model *model, const char *source_dir);
void pmu_annotate_free(struct pmu_annotate *annotate);

/**
 * pmu_annotate_list() - of one piece of a function's code
 * @nth: which of function->code; 0 also where there is none: then of what is known of its lines
 * Return: 0 or -ENOMEM.
 */
int pmu_annotate_list(struct pmu_annotate *annotate, const struct pmu_model_function *function,
		      unsigned int nth, struct pmu_listing *listing);

#endif
