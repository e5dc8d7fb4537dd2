/* SPDX-License-Identifier: BSD-3-Clause */
/* Where in its code a region was when it was looked at: samples, which are estimates, never counts. */
#ifndef PMU_REPORT_SAMPLES_H
#define PMU_REPORT_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/sample.h"

struct pmu_model;
struct pmu_model_object;
struct pmu_model_row;
struct pmu_model_section;

/** Below it shares are not worth a line. */
#define PMU_SAMPLES_FEW 30

/** A line of a function, or what was inlined into it there. */
struct pmu_model_line {
	const char *file;   /* as debugging information has it; "" not known */
	uint32_t line;      /* 0: not known */
	uint64_t n_samples; /* of it */
};

/** Samples that were taken at an instruction: as a rule the one behind that which took the time. */
struct pmu_model_address {
	uint64_t address; /* as nm(1) has it */
	uint64_t n_samples;
};

/** Where a function lies. */
struct pmu_model_code {
	const struct pmu_model_object *object;
	uint64_t start; /* as nm(1) has it */
	uint64_t size;  /* 0: not known */
	unsigned int n_addresses;
	const struct pmu_model_address *address; /* by address, none before @start */
};

struct pmu_model_function {
	const char *name; /* demangled; "libfoo.so.1+0x1230" where nothing names it */
	const char *
		object; /* file name of the program or library; "[kernel]", "[vdso]", "[jit]"; "" not known */
	uint64_t n_samples;
	unsigned int n_lines; /* most samples first; without debugging information 0 */
	const struct pmu_model_line *line;
	/*
	 * Most samples first.  Several where it was compiled more than once: a static one, a clone, another
	 * build.  None of what is in no file.
	 */
	unsigned int n_codes;
	const struct pmu_model_code *code;
};

/** A function that calls, or is called. */
struct pmu_model_frame {
	const char *name, *object; /* as struct pmu_model_function has them */
};

/** A function on one way to it, through those that had called each other when samples were taken. */
struct pmu_model_call {
	unsigned int
		caller; /* 1 + index of the call that it was called in, which comes before it; 0: not known */
	unsigned int frame; /* index of its function */
	uint64_t n_samples; /* that were taken in it by itself */
};

/** The name of a frame that stands for callers too far out to be known; it is in no object. */
#define PMU_SAMPLES_TRUNCATED "[truncated]"

/** In so many calls a function is at most: what a report says beyond that makes no sense. */
#define PMU_SAMPLES_DEEPEST 256u

/** A region's own samples, without those of nested regions. */
struct pmu_model_samples {
	uint64_t
		n; /* of all its functions; 0: they were of different events, and are not added up */
	struct pmu_sample_unit unit; /* between two of them; of different events all 0 */
	unsigned int n_functions;    /* most samples first, then by name */
	const struct pmu_model_function *function;
	/* Of all samples; none: callers were not asked for. */
	unsigned int n_frames, n_calls;
	const struct pmu_model_frame *frame;
	const struct pmu_model_call *call;
};

/**
 * pmu_model_samples_add() - the samples of both as one, in memory of @model
 * @a, @b: either may be NULL; of different periods the longer one is kept, of different events nothing
 * Return: NULL without memory, or where both are NULL.
 */
const struct pmu_model_samples *pmu_model_samples_add(struct pmu_model *model,
						      const struct pmu_model_samples *a,
						      const struct pmu_model_samples *b);

/** Samples of many rows on their way to be a sum's. */
struct pmu_samples_sum;

/**
 * pmu_samples_sum_add() - one more row's, which may be gone afterwards
 * @sum: NULL is made to one, for pmu_samples_sum_free()
 * Return: 0 or -ENOMEM.
 */
int pmu_samples_sum_add(struct pmu_samples_sum **sum, const struct pmu_model_samples *samples);

/** pmu_samples_sum_make() - of all, in memory of @model; NULL without it */
const struct pmu_model_samples *pmu_samples_sum_make(struct pmu_model *model,
						     const struct pmu_samples_sum *sum);

/** pmu_samples_sum_free() - @sum: may be NULL */
void pmu_samples_sum_free(struct pmu_samples_sum *sum);

/**
 * pmu_model_samples_row() - the thread's row of that who (struct pmu_model_row), of a finished model
 * @section: result: where it is
 * Return: NULL where there is none, and without memory.
 */
struct pmu_model_row *pmu_model_samples_row(struct pmu_model *model, uint64_t who,
					    struct pmu_model_section **section);

/**
 * pmu_model_samples_attach() - give a thread's row of a finished model its samples, and its sum
 *
 * A row that has some has them all afterwards.  What a thread did for another one's region
 * (PMU_ROW_TEAM) is in the sum of the path that it worked for, beside what its openers did.
 *
 * @samples: copied; with none in them nothing is done
 * Return: 0; -ENOMEM, and both are as they were.
 */
int pmu_model_samples_attach(struct pmu_model *model, struct pmu_model_section *section,
			     struct pmu_model_row *thread_row,
			     const struct pmu_model_samples *samples);

/** pmu_model_has_samples() - has any row some? */
bool pmu_model_has_samples(const struct pmu_model *model);

#endif
