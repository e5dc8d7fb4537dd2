/* SPDX-License-Identifier: BSD-3-Clause */
/* Ceilings as a table for people. */
#include <stdio.h>

#include "bench/ceilings/ceilings.h"
#include "bench/suite/suite.h"
#include "pmu.h"

static void number(double value, int width)
{
	value /= 1e9;
	printf(" %*.*f", width, value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3, value);
}

/* "1 thread", "2 threads" over @width columns. */
static void threads(const struct ceilings *ceilings, enum team team, int width)
{
	char text[32];
	int n = ceilings->n_threads[team];

	snprintf(text, sizeof(text), "%d thread%s", n, n > 1 ? "s" : "");
	printf(" %*s", width, text);
}

static void print_flops(const struct ceilings *ceilings)
{
	const char *precision = "";

	printf("\n%-25s", "GFLOP/s");
	for (enum team team = 0; team < N_TEAMS; team++)
		threads(ceilings, team, 12);
	puts("");
	for (size_t i = 0; i < ceilings->n_flops; i++) {
		const struct flops_kernel *kernel = ceilings->flops[i];
		char width[16] = "scalar";

		if (kernel->vector_bits)
			snprintf(width, sizeof(width), "%d bits", kernel->vector_bits);
		printf("%-8s%-9s%-8s", kernel->precision == precision ? "" : kernel->precision,
		       width, kernel->fused ? "fused" : "");
		precision = kernel->precision;
		for (enum team team = 0; team < N_TEAMS; team++)
			number(ceilings->flops_rate[i][team].median, 12);
		puts("");
	}
}

static void print_level(const struct ceilings *ceilings, const struct level *level)
{
	printf("%-8s%-8s", level->name, level->cache ? size_text(level->cache) : "");
	for (enum team team = 0; team < N_TEAMS; team++) {
		printf(" %8s", size_text(level->total[team]));
		for (size_t k = 0; k < ceilings->n_kinds; k++)
			number(level->rate[k][team].median, 7);
	}
	puts("");
}

static void print_bandwidth(const struct ceilings *ceilings)
{
	printf("\n%-16s", "GB/s");
	for (enum team team = 0; team < N_TEAMS; team++)
		threads(ceilings, team, 8 + 8 * (int)ceilings->n_kinds);
	printf("\n%-16s", "");
	for (enum team team = 0; team < N_TEAMS; team++) {
		printf(" %8s", "data");
		for (size_t k = 0; k < ceilings->n_kinds; k++)
			printf(" %7s", ceilings->kind[k]->kind);
	}
	puts("");
	for (size_t i = 0; i < ceilings->n_levels; i++)
		print_level(ceilings, &ceilings->level[i]);
}

void ceilings_print(const struct ceilings *ceilings)
{
	printf("pmu-bench --ceilings: medians of %d runs of %g ms; libpmu %s\n", CEILINGS_RUNS,
	       CEILINGS_RUN_NS / 1e6, PMU_VERSION_STRING);
	printf("  machine  %s\n", ceilings->machine);
	if (ceilings->n_disturbed)
		printf("  busy     %d of %d numbers are from runs that other work disturbed; measure again "
		       "when there is less\n",
		       ceilings->n_disturbed, ceilings->n_rates);
	print_flops(ceilings);
	print_bandwidth(ceilings);
}
