/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers: the model as text, JSON or CSV, and where that goes. */
#ifndef PMU_REPORT_REPORT_H
#define PMU_REPORT_REPORT_H

#include "base/strbuf.h"
#include "report/model/model.h"

enum pmu_report_format { PMU_REPORT_TEXT, PMU_REPORT_JSON, PMU_REPORT_CSV };

/** Regions that a table of the text has at most, unless all are asked for. */
#define PMU_TEXT_ROWS 100

/** How the text should look. */
struct pmu_text_options {
	bool threads;         /* also each thread's own rows */
	bool lines;           /* also source lines, where there are samples */
	bool callers;         /* also what called functions, where samples have that */
	unsigned int columns; /* width to aim for; 0: 100 */
	bool brief;           /* the rows alone */
	bool all;             /* every region; else the PMU_TEXT_ROWS that took the most time */
	unsigned int top;     /* so many of them; 0: as @all says */
	/* a list by "time", "cpu", "waiting", "self", "calls" or a count's name; NULL: a tree */
	const char *sort;
	/* only regions with a name or path that fnmatch() matches, and what is around them */
	const char *filter;
	bool color; /* escape sequences of a terminal around what should stand out */
};

void pmu_write_text(struct pmu_strbuf *out, const struct pmu_model *model,
		    const struct pmu_text_options *options);
void pmu_write_json(struct pmu_strbuf *out, const struct pmu_model *model);
void pmu_write_csv(struct pmu_strbuf *out, const struct pmu_model *model);

/** pmu_report_format_of() - .json and .csv by the ending (case does not count), else text. */
enum pmu_report_format pmu_report_format_of(const char *path);

/**
 * pmu_format_fit() - does a name ask for the format of these?
 * @len: of @path, as far as it counts
 * Return: bytes of the ending, of which the most decide; -1: it does not.
 */
int pmu_format_fit(const char *path, size_t len, const char *beginning, const char *ending);

/**
 * pmu_report_format_check() - is there the format that a path's ending asks for?
 *
 * Most endings ask for none and get text; those by which other formats go, and slips of ours, are
 * refused.
 *
 * Return: 0; -EINVAL with a sentence that names the formats.
 */
int pmu_report_format_check(const char *path);

/** pmu_report_render() - one of the three writers. */
void pmu_report_render(struct pmu_strbuf *out, const struct pmu_model *model,
		       enum pmu_report_format format, const struct pmu_text_options *options);

/**
 * pmu_report_write_file() - a text to a file, all or nothing
 * @path: an ordinary file is written beside its place and renamed into it (a full disk leaves the
 *        old one alone); a device or pipe is written to
 *
 * Return: 0, or a negative errno with a sentence: "cannot write /x/run.json: No such file or
 * directory; create /x first, or change PMU_OUTPUT".
 */
int pmu_report_write_file(const char *path, const char *text, size_t len);

/** What the % letters in an output path stand for. */
struct pmu_output_names {
	long pid;         /* %p */
	const char *rank; /* %r; "0" where there is none */
	const char *host; /* %h */
	unsigned int nth; /* %n: the program's number in this process, 1 for the first */
};

/** pmu_output_has() - is one of these letters behind a % in the first @len bytes? */
bool pmu_output_has(const char *configured, size_t len, const char *letters);

/** pmu_output_is_of_one() - a name that has something of a process in it is no other process's */
bool pmu_output_is_of_one(const char *configured, size_t len);

/**
 * pmu_output_path() - a configured output path as a file name
 * @out: replaces %p %r %h %n; %% is %; any other letter stays as it stands
 * Return: bytes in @out without the NUL, or -ENAMETOOLONG.
 */
int pmu_output_path(const char *configured, const struct pmu_output_names *names, char *out,
		    size_t size);

/**
 * pmu_output_aside() - a name beside one that must not be overwritten
 * @path: "dir/run.json"
 * @nth: 0: "dir/run.PID.json"; n: "dir/run.PID-n.json"
 */
int pmu_output_aside(const char *path, long pid, unsigned int nth, char *out, size_t size);

#endif
