/* SPDX-License-Identifier: BSD-3-Clause */
/* What an output's name asks for. */
#ifndef PMU_COMMAND_OUTPUT_H
#define PMU_COMMAND_OUTPUT_H

#include <stddef.h>

#include "bindings/command/annotate/annotate.h"
#include "bindings/command/diff/diff.h"
#include "bindings/command/page/page.h"
#include "bindings/command/roofline/roofline.h"
#include "bindings/command/series/series.h"
#include "bindings/command/trace/timeline.h"
#include "bindings/command/viewers/viewers.h"
#include "report/report.h"

/** What is written. */
enum pmu_output_of {
	PMU_OF_REPORT = 1,
	PMU_OF_ROOFLINE = 2,
	PMU_OF_SERIES = 4,
	PMU_OF_DIFF = 8,
	PMU_OF_TRACE = 16,
};

/** pmu_output_of_report() - what outputs of a report are of; @roofline: the picture, where they have it */
static inline unsigned int pmu_output_of_report(bool roofline)
{
	return PMU_OF_REPORT | (roofline ? PMU_OF_ROOFLINE : 0u);
}

/** A row of report/formats.h: a format, and its writers by what they write. */
struct pmu_format {
	const char *beginning, *ending; /* of a file's name */
	enum pmu_report_format library; /* its writer of a report; text: none */
	int (*report)(struct pmu_strbuf *out, const struct pmu_model *model,
		      const struct pmu_page_beside *beside);
	pmu_viewer_write *viewer; /* of a report, too */
	pmu_roofline_write *picture;
	int (*series)(struct pmu_strbuf *out, const struct pmu_series *series);
	int (*diff)(struct pmu_strbuf *out, const struct pmu_diff *diff,
		    const struct pmu_text_options *options);
	const struct pmu_timeline_format *trace;
	unsigned int offered; /* to complete a name with, of these; 0: another name of a row's */
};

/** All of them; the last one has no ending. */
extern const struct pmu_format pmu_formats[];

/**
 * pmu_output_format() - the format that a name asks for
 * @path: NULL and "-" ask for none
 * @of: what can be written; formats of other things do not count
 * Return: NULL: text.
 */
const struct pmu_format *pmu_output_format(const char *path, unsigned int of);

/** pmu_output_check() - is there what a report's name asks for?  Return: 0; a negative errno with a sentence. */
int pmu_output_check(const char *path, unsigned int of);

/** pmu_output_list() - "text, .json, .csv or .html": the formats of something */
void pmu_output_list(enum pmu_output_of of, char *list, size_t size);

/*
 * What a name asks for, written.  @path: NULL: text.  Return: 0; -ENOMEM, also as @out->failed; a
 * negative errno with a sentence.
 */

/** @beside: roofline: not the report but that, in formats that have it */
int pmu_output_report(struct pmu_strbuf *out, const struct pmu_model *model, const char *path,
		      const struct pmu_page_beside *beside, const struct pmu_text_options *options);
int pmu_output_series(struct pmu_strbuf *out, const struct pmu_series *series, const char *path,
		      const struct pmu_text_options *options);
int pmu_output_diff(struct pmu_strbuf *out, const struct pmu_diff *diff, const char *path,
		    const struct pmu_text_options *options);

/** What an output of that path has of @what: one of the three above, as a rule. */
typedef int pmu_output_render(struct pmu_strbuf *out, const void *what, const char *path,
			      const struct pmu_text_options *options);

/**
 * pmu_output_write() - where it is to go; text on standard error where nothing of that can be written
 * @output: [n] paths, "-" for standard output; with none of them to standard error
 * Return: whether all of it was written; what was not is told.
 */
bool pmu_output_write(const char *const *output, size_t n, const struct pmu_text_options *options,
		      pmu_output_render *render, const void *what);

/**
 * pmu_output_path_of() - pmu_output_path() for a report
 * @model: NULL: of no one process; this one's number stands for it
 */
int pmu_output_path_of(const char *configured, const struct pmu_model *model, char *path,
		       size_t size);

#endif
