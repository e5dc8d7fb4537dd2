/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of the same command, or of two in turns, which become one report. */
#ifndef PMU_COMMAND_RUN_REPEAT_H
#define PMU_COMMAND_RUN_REPEAT_H

#include "bindings/command/run/once.h"
#include "bindings/command/series/series.h"

/** pmu_run_repeat_parse() - what is @request->said.  Return: 0, or PMU_EXIT_USAGE after a message. */
int pmu_run_repeat_parse(const struct pmu_command *self, struct pmu_run_request *request);

/** Runs of one command. */
struct pmu_run_repeated;

/** pmu_run_repeated_new() - for pmu_run_repeated_free(); NULL without memory */
struct pmu_run_repeated *pmu_run_repeated_new(const struct pmu_run_request *request);
void pmu_run_repeated_free(struct pmu_run_repeated *repeated);

/** pmu_run_repeated_begin() - before each run, also of those that warm up: it reads what the first did */
void pmu_run_repeated_begin(struct pmu_run_repeated *repeated);

/**
 * pmu_run_repeated_end() - after each run that is reported, before its results are written anywhere
 * @parts: one at least; what it has may be gone then
 * Return: 0; a negative errno after a message.
 */
int pmu_run_repeated_end(struct pmu_run_repeated *repeated, struct pmu_run_parts *parts,
			 const struct pmu_run_end *end);

/** pmu_run_repeated_series() - those that have ended so far, not finished */
struct pmu_series *pmu_run_repeated_series(struct pmu_run_repeated *repeated);

/**
 * pmu_run_repeated_finish() - after the last run
 * Return: its series, finished, which stays until pmu_run_repeated_free(); NULL without any run, or
 * after a message.
 */
struct pmu_series *pmu_run_repeated_finish(struct pmu_run_repeated *repeated);

/** pmu_run_repeated_write() - the report of those runs, finished */
void pmu_run_repeated_write(const struct pmu_run_repeated *repeated);

/** Runs of one command or of two, with requests that are the same but for that. */
struct pmu_run_turns {
	struct pmu_run *run[2]; /* the second: NULL, or what is compared with the first */
	struct pmu_run_repeated *repeated[2];
	const struct pmu_run *last; /* what ran last; NULL nothing */
};

/**
 * pmu_run_turns_make() - all runs, of two commands A B B A A B..., so that what drifts hits both
 * @turns: runs set, all else zero; for pmu_run_turns_free()
 * Return: 0, or an exit status after a message; pmu_run_turns_status() has the commands'.
 */
int pmu_run_turns_make(struct pmu_run_turns *turns);
/** pmu_run_turns_status() - what we end with, if with anything.  @rc: of pmu_run_turns_make() */
int pmu_run_turns_status(const struct pmu_run_turns *turns, int rc);
void pmu_run_turns_free(struct pmu_run_turns *turns);

/** How well what is to be precise is known. */
struct pmu_run_precision {
	bool found;         /* there is a value of that name */
	const char *name;   /* of what it is: "time", or a region's */
	const char *region; /* its path; "" the whole command */
	size_t n;           /* runs, or pairs of runs, that have it */
	double width;       /* of the interval, as a share of the median; NAN: too few runs */
	/*
	 * Likewise, of the change at the level that its verdict takes among all that is compared: a
	 * change that is larger is found.  0: it is compared to the last one.
	 */
	double told;
};

/**
 * pmu_run_precision() - of the median of @a, or of the change from @a to @b in pairs
 * @a: with runs; @b: NULL, or the other command's
 * @metric: NULL or "time": the command's; a measure's name, of the outermost region with most time;
 *	"REGION:NAME", by its name or path
 * Return: 0 or -ENOMEM.
 */
int pmu_run_precision(const struct pmu_series *a, const struct pmu_series *b, const char *metric,
		      struct pmu_run_precision *out);

/** pmu_run_against() - A and B in turns; the report is how they differ.  Return: an exit status. */
int pmu_run_against(struct pmu_run *run);

#endif
