/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report or a comparison as a page: one file that needs nothing else, with the data as JSON in it.
 *
 * page.html is the frame, page.css and the .js files, in the order of local.mk, are put into it by
 * `make`.  The page's policy allows that style and that script alone, by their hashes.
 */
#ifndef PMU_COMMAND_PAGE_H
#define PMU_COMMAND_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct pmu_annotate_request;
struct pmu_model;

/** pmu_page_begin() - what stands before the data */
void pmu_page_begin(struct pmu_strbuf *out);

/**
 * pmu_page_data() - a block of data, any number of them
 * @id: what the script finds it by: "report", "diff"
 * @json: a JSON text; nothing in it can end the block or become markup
 */
void pmu_page_data(struct pmu_strbuf *out, const char *id, const struct pmu_strbuf *json);

/** pmu_page_end() - what stands behind the data */
void pmu_page_end(struct pmu_strbuf *out);

/** pmu_page_write() - a page of one block.  Return: 0 or -ENOMEM. */
int pmu_page_write(struct pmu_strbuf *out, const char *id, const struct pmu_strbuf *json);

/** What a report's page has beside the report. */
struct pmu_page_beside {
	/* a file of the roofline's; NULL: those of the report's machine, where there are any */
	const char *ceilings;
	bool roofline; /* was it asked for?  Then it is said why there is none. */
	/* [n_stores] what the report is of: where any has a trace, the page has a timeline */
	const char *const *store;
	size_t n_stores;
	const struct pmu_annotate_request *annotate; /* NULL: not asked for */
};

/**
 * pmu_page_report() - of a report
 * Return: 0; -ENOMEM; what is wrong with the ceilings, with a sentence.
 */
int pmu_page_report(struct pmu_strbuf *out, const struct pmu_model *model,
		    const struct pmu_page_beside *beside);

struct pmu_series;
/** pmu_page_series() - of repeated runs.  Return: 0 or -ENOMEM. */
int pmu_page_series(struct pmu_strbuf *out, const struct pmu_series *series);

struct pmu_diff;
struct pmu_text_options;
/** pmu_page_diff() - of a comparison.  Return: 0 or -ENOMEM. */
int pmu_page_diff(struct pmu_strbuf *out, const struct pmu_diff *diff,
		  const struct pmu_text_options *options);

/** Lines of the page around its data, each with its newline; end with NULL. */
extern const char *const pmu_page_before[], *const pmu_page_after[];

#endif
