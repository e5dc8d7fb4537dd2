/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports as other programs' viewers read them. */
#ifndef PMU_COMMAND_VIEWERS_H
#define PMU_COMMAND_VIEWERS_H

#include "bindings/command/viewers/stacks.h"
#include "report/report.h"

/** A format's writer.  Return: 0; a negative errno with a sentence, which @out's own failure does not need. */
typedef int pmu_viewer_write(struct pmu_strbuf *out, struct pmu_stacks *stacks,
			     const struct pmu_text_options *options);

/** pmu_viewer_plain_len() - of a path without the .gz behind it, which compresses such a format */
size_t pmu_viewer_plain_len(const char *path);

/**
 * pmu_viewer_check() - can a path be written that has such a format?
 * Return: 0; -ENOTSUP with a sentence.
 */
int pmu_viewer_check(const char *path);

/**
 * pmu_viewer_render() - a report in that format, compressed where the path says so
 * @options: threads, and sort where a format has room for one number alone
 * Return: 0; a negative errno with a sentence.
 */
int pmu_viewer_render(struct pmu_strbuf *out, const struct pmu_model *model,
		      pmu_viewer_write *write, const char *path,
		      const struct pmu_text_options *options);

/** pmu_viewer_folded() - a line a path: "main;solve;inner 1234" */
pmu_viewer_write pmu_viewer_folded;
/** pmu_viewer_speedscope() - a profile of each measure of each thread */
pmu_viewer_write pmu_viewer_speedscope;
/** pmu_viewer_callgrind() - regions and their calls of each other, all threads together */
pmu_viewer_write pmu_viewer_callgrind;
/** pmu_viewer_pprof() - samples of each thread with a value for each measure */
pmu_viewer_write pmu_viewer_pprof;

/**
 * pmu_gzip() - compress
 * @out: gets it appended
 * Return: 0; -ENOMEM; -ENOTSUP where zlib was not built in, with a sentence.
 */
int pmu_gzip(struct pmu_strbuf *out, const char *bytes, size_t len);
/** pmu_gzip_works() - was zlib built in? */
bool pmu_gzip_works(void);

#endif
