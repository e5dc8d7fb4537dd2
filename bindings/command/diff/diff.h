/* SPDX-License-Identifier: BSD-3-Clause */
/* Two series of runs, region by region: what differs, by how much, and whether it is more than noise. */
#ifndef PMU_COMMAND_DIFF_H
#define PMU_COMMAND_DIFF_H

#include "bindings/command/series/series.h"
#include "plan/event.h"
#include "report/cell.h"

/** Of a family of comparisons without any difference, this share has one flagged at most. */
#define PMU_DIFF_ALPHA 0.05

enum pmu_diff_verdict {
	PMU_DIFF_SAME,    /* not more than noise, or exactly the same */
	PMU_DIFF_UNKNOWN, /* too few runs to tell, or a side has no value */
	PMU_DIFF_DIFFERS,
	PMU_DIFF_NEW, /* A has no such region */
	PMU_DIFF_GONE,
};

/** What depends on where things lie differs from this share on, and from so many. */
#define PMU_DIFF_LAYOUT_SHARE 0.01
#define PMU_DIFF_LAYOUT_COUNT 100

/** What is compared: a measure of both, by its index in each group. */
struct pmu_diff_measure {
	const char *name, *unit;
	enum pmu_series_kind kind;
	unsigned int a, b;
	bool compared; /* else its medians are shown and nothing is said of them */
	bool is_work;  /* what a program does each time: calls, instructions, branches */
	/*
	 * A simulated cache's misses, and their like: the same in each run, and others where anything
	 * in the program lies elsewhere.
	 */
	bool depends_on_layout;
};

/** One measure of one region. */
struct pmu_diff_value {
	bool is_own;                            /* what is compared is without nested regions */
	struct pmu_series_summary a, b;         /* of what is compared */
	struct pmu_series_summary all_a, all_b; /* with nested regions */
	double change;    /* B - A, of medians, in pairs the median of their changes; NAN unknown */
	double low, high; /* where the change is in 95 of 100 cases; NAN unknown */
	double p; /* of no difference, adjusted for all that was compared; NAN: no test was made */
	enum pmu_diff_verdict verdict;
};

/** CPU time of a function for each call of its region, in nanoseconds, by samples; all NAN: not known. */
struct pmu_diff_pace {
	double a, b;
	double change, low, high; /* as a value's */
};

/** A function's share of a region's own samples, of all runs together. */
struct pmu_diff_function {
	const char *name, *object; /* object "": the program itself, or not known */
	double n[2];               /* samples in A and B */
	double a, b;               /* shares */
	double change, low, high;  /* of the share, b - a */
	double p; /* of no difference, adjusted for all functions; NAN: too few samples to be tested */
	enum pmu_diff_verdict
		verdict; /* NEW, GONE: by more than noise it has no samples on one side */
	struct pmu_diff_pace time;
};

struct pmu_diff_row {
	const char *name, *path; /* of B where it has it; "" the whole command */
	int a, b;                /* indexes of regions; -1 not there */
	double weight;           /* by which rows are sorted: how much of its own came or went */
	struct pmu_diff_value *value; /* [group.n_measures] */
	bool differs;                 /* in anything, or it came or went */
	/* Where both sides have PMU_SAMPLES_FEW samples; those that differ first, most of all first. */
	size_t n_functions, n_functions_differ;
	struct pmu_diff_function *function;
	double n_samples[2];              /* of all functions, in A and B */
	char sampled[PMU_EVENT_NAME_MAX]; /* the event that these are of; "": of time */
};

struct pmu_diff_group {
	const char *name;
	const struct pmu_series_group *a, *b; /* NULL: the whole command */
	unsigned int n_measures;
	struct pmu_diff_measure *measure;
	unsigned int n_rows;
	struct pmu_diff_row *row; /* those that changed most first */
};

struct pmu_diff {
	const struct pmu_series *a, *b;
	char sampled[PMU_EVENT_NAME_MAX]; /* as in a row that has functions */
	unsigned int n_groups;
	struct pmu_diff_group *group;
	unsigned int n_notes;
	const char **note; /* what cannot be compared, and what makes doubtful */
	size_t n_pairs; /* runs of A and B that were made one after the other; 0: they were not */
	size_t n_compared; /* tests that were made: the family */
	size_t n_differs;  /* values that differ */
	size_t n_unknown;  /* that have too few runs */
	/* The same of functions, whose shares are another family. */
	size_t n_functions_compared, n_functions_differ;
	struct pmu_model_block *blocks;
};

/** Names that regions of A have in B: whole names of a path. */
struct pmu_diff_rename {
	const char *from, *to;
	size_t from_len;
};

struct pmu_command;
/**
 * pmu_diff_take_rename() - what --map says, behind the @n that there are
 * @text: "old=new", which stays
 * Return: 0, or PMU_EXIT_USAGE after a message.
 */
int pmu_diff_take_rename(const struct pmu_command *self, const char *text,
			 struct pmu_diff_rename *rename, size_t *n);

struct pmu_diff_request {
	const struct pmu_diff_rename *rename;
	size_t n_renames;
	const char *metric; /* also compared; NULL none */
	bool paired;        /* the first run of A and the first of B are a pair, and so on */
	bool whole;         /* regions are compared with what is nested in them */
	bool functions;     /* functions are compared where there are samples */
	/* Is that value one to be tested, of metrics too?  NULL: all are, and of metrics that one */
	bool (*wants)(const void *arg, const struct pmu_diff_row *row,
		      const struct pmu_diff_measure *measure);
	const void *arg;
};

/** pmu_diff_is_work() - is what is the same in all runs of a side compared to the last one? */
bool pmu_diff_is_work(const struct pmu_series_measure *measure);

/**
 * pmu_diff_make() - compare
 * @a, @b: finished, with runs; they stay as long as the result
 * Return: 0; -ENOMEM with a sentence; for pmu_diff_free() in both cases.
 */
int pmu_diff_make(const struct pmu_series *a, const struct pmu_series *b,
		  const struct pmu_diff_request *request, struct pmu_diff *diff);
void pmu_diff_free(struct pmu_diff *diff);

/** pmu_diff_verdict_name() - "differs" */
const char *pmu_diff_verdict_name(enum pmu_diff_verdict verdict);

/** pmu_diff_function_differs() - by more than noise? */
bool pmu_diff_function_differs(const struct pmu_diff_function *function);

/** pmu_diff_functions_shown() - how many functions of a region are worth a line, the first ones */
size_t pmu_diff_functions_shown(const struct pmu_diff_row *row, bool all);

/** pmu_diff_pace_name() - "slower", "faster", "same" by its interval; "" not known */
const char *pmu_diff_pace_name(const struct pmu_diff_pace *time);

/** pmu_diff_note() - one more sentence */
void pmu_diff_note(struct pmu_diff *diff, const char *fmt, ...) PMU_PRINTF(2, 3);

/** pmu_diff_percent() - the change as "+12.3%" of A's median; "" where there is none */
void pmu_diff_percent(const struct pmu_diff_value *value, double change, char *text, size_t size);

/** pmu_diff_shown() - is it worth a line of its own: where it differs, and where its region is new? */
bool pmu_diff_shown(const struct pmu_diff_group *group, const struct pmu_diff_row *row,
		    unsigned int measure, bool all);

/** pmu_diff_number() - a value of a measure for people */
void pmu_diff_number(struct pmu_cell *cell, const struct pmu_diff_measure *measure, double value);

/**
 * pmu_diff_function_cells() - A, B, change, from, to, verdict of a function's share, changes in points
 * pmu_diff_pace_cells() - of its time, as a known one
 */
void pmu_diff_function_cells(const struct pmu_diff_function *function, struct pmu_cell cell[6]);
void pmu_diff_pace_cells(const struct pmu_diff_pace *time, struct pmu_cell cell[6]);

/** pmu_diff_summary() - one sentence: "3 of 120 values differ by more than noise" */
void pmu_diff_summary(const struct pmu_diff *diff, struct pmu_strbuf *out);

/*
 * Writers.  @options: all: also what does not differ, which JSON and CSV always have.  Return: 0 or
 * -ENOMEM.
 */
int pmu_diff_write_text(struct pmu_strbuf *out, const struct pmu_diff *diff,
			const struct pmu_text_options *options);
int pmu_diff_write_json(struct pmu_strbuf *out, const struct pmu_diff *diff,
			const struct pmu_text_options *options);
int pmu_diff_write_csv(struct pmu_strbuf *out, const struct pmu_diff *diff,
		       const struct pmu_text_options *options);
/** At most 100 lines, if not all. */
int pmu_diff_write_markdown(struct pmu_strbuf *out, const struct pmu_diff *diff,
			    const struct pmu_text_options *options);

/** pmu_diff_plain() - names are data: what means something in Markdown or in HTML does not here */
void pmu_diff_plain(struct pmu_strbuf *out, const char *text);
/** pmu_diff_escape() - the same for what pmu_encode_line() has made */
void pmu_diff_escape(struct pmu_strbuf *out, const char *line);

/**
 * pmu_diff_side() - the runs of files, of all reports in folders, and of what patterns match
 * @series: all zero; finished afterwards
 * Return: 0; a negative errno after a message.
 */
int pmu_diff_side(char *const *name, size_t n, struct pmu_series *series);

#endif
