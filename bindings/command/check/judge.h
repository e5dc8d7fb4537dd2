/* SPDX-License-Identifier: BSD-3-Clause */
/* A run beside its baseline: which values are beyond their limits. */
#ifndef PMU_COMMAND_CHECK_JUDGE_H
#define PMU_COMMAND_CHECK_JUDGE_H

#include "bindings/command/check/limits.h"
#include "bindings/command/diff/diff.h"

/** Of times without a limit, this share more is let pass: two builds of the same differ by as much. */
#define PMU_CHECK_TIME 0.05

enum pmu_check_kind {
	PMU_CHECK_BEYOND,
	PMU_CHECK_GONE,      /* a region of all runs of the baseline is in none */
	PMU_CHECK_UNCHECKED, /* a limit was said, and there is no such value */
};

/** What makes the check fail. */
struct pmu_check_breach {
	enum pmu_check_kind kind;
	const struct pmu_limit *limit; /* NULL: by the baseline's own spread */
	/* NULL where the kind does not have them: */
	const struct pmu_diff_row *row;
	const struct pmu_diff_measure *measure;
	const struct pmu_diff_value *value;
	double allowed;        /* by the spread, in the unit of the measure */
	bool noise_is_unknown; /* too few runs to tell it from noise */
	bool is_exact;         /* each run has more than any of the baseline */
};

struct pmu_check {
	const struct pmu_series *base, *now;
	struct pmu_limits *limits;
	/* Values without a limit are compared by their own work, those with one as a whole. */
	struct pmu_diff own, whole;
	struct pmu_check_breach *breach;
	size_t n_breaches, room;
	size_t n_checked;      /* values */
	size_t n_within_noise; /* beyond their limit, but by no more than noise */
	bool exact; /* branches that repeat are judged, to the last, and without a limit nothing else */
	size_t n_fewer;  /* exact: less in each run than in any of the baseline */
	size_t n_varied; /* exact: not the same in all runs of one side */
	bool same_cpu, no_memory;
};

/**
 * pmu_check_make() - judge
 * @base, @now: finished, with runs; they and @limits stay as long as the result
 *
 * A value breaks its limit where its median does, and the change is more than noise or there are too
 * few runs to tell.  Without a limit of its own it may be larger than the median of the baseline by
 * what is between the least and the most of the baseline's runs; that needs two runs, and more than
 * noise.  With @exact it is branches that repeat instead, of which no run may have more than the
 * baseline's had at most.
 *
 * Return: 0; -ENOMEM with a sentence; for pmu_check_free() in both cases.
 */
int pmu_check_make(const struct pmu_series *base, const struct pmu_series *now,
		   struct pmu_limits *limits, bool exact, struct pmu_check *check);
void pmu_check_free(struct pmu_check *check);

/** pmu_check_is_exact() - is it a count that repeats to the last? */
bool pmu_check_is_exact(const char *measure);

/* Writers. */
void pmu_check_write_text(const struct pmu_check *check, bool quiet, struct pmu_strbuf *out);
/** For a step's summary.  @all: how the two differ. */
void pmu_check_write_markdown(const struct pmu_check *check, const struct pmu_diff *all,
			      struct pmu_strbuf *out);
/** Workflow commands, ten at most: GitHub shows no more. */
void pmu_check_write_annotations(const struct pmu_check *check, struct pmu_strbuf *out);

#endif
