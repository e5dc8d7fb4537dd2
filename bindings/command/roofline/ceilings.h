/* SPDX-License-Identifier: BSD-3-Clause */
/* What a machine computes and moves at most, as `pmu-bench --ceilings` has written it. */
#ifndef PMU_COMMAND_ROOFLINE_CEILINGS_H
#define PMU_COMMAND_ROOFLINE_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_CEILINGS_MAX_FLOPS  32
#define PMU_CEILINGS_MAX_LEVELS 8
#define PMU_CEILINGS_MEMORY     "memory" /* the name of the level behind all caches */

enum pmu_precision { PMU_DOUBLE, PMU_SINGLE, PMU_N_PRECISIONS };

/** A second, of all threads together. */
struct pmu_ceilings_rate {
	double one; /* one thread */
	double all; /* one on each of pmu_ceilings.threads processors */
};

struct pmu_ceilings_flops {
	enum pmu_precision precision;
	unsigned int vector_bits; /* 0: one element at a time */
	struct pmu_ceilings_rate rate;
};

struct pmu_ceilings_level {
	char name[16];  /* "L1", "memory" */
	uint64_t bytes; /* of a cache; 0: memory */
	/* whichever of reading, copying and a triad moves most */
	struct pmu_ceilings_rate rate;
};

struct pmu_ceilings {
	char machine[200], host[256], cpu[100]; /* any bytes */
	int64_t unix_s;                         /* when it was measured */
	unsigned int threads;
	unsigned int disturbed; /* numbers that are too low: other work was there */
	unsigned int n_flops, n_levels;
	struct pmu_ceilings_flops flops[PMU_CEILINGS_MAX_FLOPS];
	struct pmu_ceilings_level level[PMU_CEILINGS_MAX_LEVELS];
};

/**
 * pmu_ceilings_parse() - of a file's text
 * @text: @len untrusted bytes; they are written to
 * @ceilings: result; undefined after an error
 * Return: 0; -EINVAL (no JSON, or not that), -ENOTSUP (a newer schema), -ENOMEM; each with a sentence.
 */
int pmu_ceilings_parse(char *text, size_t len, struct pmu_ceilings *ceilings);

/**
 * pmu_ceilings_read() - from a file
 * @path: NULL: where pmu-bench writes those of @host and @cpu
 * Return: as above, or a negative errno with a sentence; -ENOENT: there is none.
 */
int pmu_ceilings_read(const char *path, const char *host, const char *cpu,
		      struct pmu_ceilings *ceilings);

/**
 * pmu_ceilings_of() - what @threads threads reach at most: each what one does, and all together what
 * all do
 */
double pmu_ceilings_of(const struct pmu_ceilings *ceilings, const struct pmu_ceilings_rate *rate,
		       unsigned int threads);

/** pmu_ceilings_peak() - the best of a precision; NULL: there is none. */
const struct pmu_ceilings_flops *pmu_ceilings_peak(const struct pmu_ceilings *ceilings,
						   enum pmu_precision precision);
#define PMU_FLOPS_NAME_MAX 64
/** pmu_ceilings_flops_name() - "double precision, 256 bits" */
void pmu_ceilings_flops_name(const struct pmu_ceilings_flops *flops, char *name, size_t size);
/** pmu_ceilings_memory() - NULL: there is none. */
const struct pmu_ceilings_level *pmu_ceilings_memory(const struct pmu_ceilings *ceilings);

#endif
