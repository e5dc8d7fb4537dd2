/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In the library: reports are of one process, and what they say of several is not there.  Each of
 * these stands for one that the command has.
 */
#include <math.h>

#include "report/combine/combine.h"
#include "report/several.h"
#include "report/text/text.h"

int pmu_json_parts_open(struct pmu_json_parts **parts, const struct pmu_model *model,
			const struct pmu_model_section *section)
{
	(void)model;
	(void)section;
	*parts = NULL;
	return 0;
}

void pmu_json_parts_put(struct pmu_strbuf *out, const struct pmu_json_parts *parts,
			unsigned int sum)
{
	(void)out;
	(void)parts;
	(void)sum;
}

void pmu_json_parts_close(struct pmu_json_parts *parts)
{
	(void)parts;
}

double pmu_parts_pick(const struct pmu_json_parts *parts, unsigned int sum, unsigned int what,
		      enum pmu_pick pick, int64_t *rank)
{
	(void)parts;
	(void)sum;
	(void)what;
	(void)pick;
	*rank = -1;
	return NAN;
}

void pmu_json_ranks(struct pmu_strbuf *out, const struct pmu_model *model)
{
	(void)out;
	(void)model;
}

unsigned int pmu_parts_processes(const struct pmu_model_part *part, const unsigned int *at,
				 unsigned int n)
{
	(void)part;
	(void)at;
	return n;
}

const char *pmu_text_parts_word(const struct pmu_text *t)
{
	(void)t;
	return "processes";
}

void pmu_text_parts_title(struct pmu_text *t)
{
	(void)t;
}

const char *pmu_text_parts_missing(struct pmu_text *t)
{
	(void)t;
	return "";
}

void pmu_text_over_parts(struct pmu_text *t, const struct pmu_model_section *section,
			 const unsigned int *at, unsigned int n)
{
	(void)t;
	(void)section;
	(void)at;
	(void)n;
}

void pmu_text_parts_table(struct pmu_text *t)
{
	(void)t;
}

void pmu_text_parts_close(struct pmu_text *t)
{
	(void)t;
}
