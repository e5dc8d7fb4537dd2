/* SPDX-License-Identifier: BSD-3-Clause */
/* One metric of Intel's files: as it is written, and what its names stand for. */
#ifndef PMU_NAMES_VENDOR_METRIC_PARTS_H
#define PMU_NAMES_VENDOR_METRIC_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "names/vendor/formula.h"
#include "plan/catalog.h"
#include "plan/group.h"

/** An event or a constant, and what the formula calls it. */
struct pmu_intel_named {
	char name[96];
	char alias[32];
};

#define PMU_INTEL_METRIC_EVENTS    128
#define PMU_INTEL_METRIC_CONSTANTS 16

/** A metric as the file has it. */
struct pmu_intel_metric {
	char name[96], legacy[160];
	char about[512]; /* BriefDescription, perhaps cut */
	char unit[32], domain[32];
	char formula[PMU_INTEL_FORMULA_MAX];
	/*
	 * It has a BaseFormula: part of the top-down method, where "tsc" is the ticks of the
	 * measured time; elsewhere SYSTEM_TSC_FREQ is ticks per second.
	 */
	bool top_down;
	const char *why_not; /* NULL, or what did not fit in here */
	unsigned int n_events, n_constants;
	struct pmu_intel_named event[PMU_INTEL_METRIC_EVENTS];
	struct pmu_intel_named constant[PMU_INTEL_METRIC_CONSTANTS];
};

/**
 * pmu_intel_metrics_read() - every metric of a file
 * @name: of the file, for sentences
 * @room: what each is read into
 * @metric: called for each; what it returns ends the walk where it is not 0
 * Return: 0; what @metric returned; -EINVAL with a sentence that names the line.
 */
int pmu_intel_metrics_read(const char *name, const char *text, size_t len,
			   struct pmu_intel_metric *room,
			   int (*metric)(void *arg, struct pmu_intel_metric *metric), void *arg);

/**
 * pmu_intel_metric_group() - a metric as a group
 * @core_type: PMU_SLOT_P or PMU_SLOT_E: what its file is about; 0 any core
 * @group: name, about and the metric's name and unit are set in any case
 * Return: 0; -ENOTSUP with a sentence: it cannot be one; -ENOMEM.
 */
int pmu_intel_metric_group(const struct pmu_intel_metric *metric, uint8_t core_type,
			   struct pmu_catalog *catalog, struct pmu_group *group);

/** The note of a metric with shares in PERF_METRICS in its formula. */
#define PMU_INTEL_BY_GENERAL "by general counters in place of PERF_METRICS"

/** pmu_intel_has_shares() - is one of its events a share in PERF_METRICS? */
bool pmu_intel_has_shares(const struct pmu_intel_metric *metric);

/**
 * pmu_intel_replace_shares() - general counters' events in place of its shares
 * @metric: why_not is set where it gets too large
 *
 * Shares that no event stands for are left; so are all where it is not known what counts them.
 * Return: is that known of the CPU?
 */
bool pmu_intel_replace_shares(struct pmu_intel_metric *metric, const struct pmu_catalog *catalog);

/**
 * pmu_intel_constant() - what a name of a constant stands for
 * @term: text or number, or why it cannot be had; alias is the caller's
 */
void pmu_intel_constant(const struct pmu_intel_metric *metric, const char *name,
			struct pmu_catalog *catalog, struct pmu_intel_term *term);
/** Names of constants that formulas use without naming them first; ends with NULL. */
extern const char *const pmu_intel_constants[];

/** pmu_intel_is_time() - "TSC": no event of a core's counters but the ticks of the time */
bool pmu_intel_is_time(const char *event);

/**
 * pmu_intel_metric_event() - one of its events by our lookup
 * @name: with Intel's modifiers behind colons
 * Return: 0; -ENOTSUP with a sentence.
 */
int pmu_intel_metric_event(const struct pmu_intel_metric *metric, const char *name,
			   struct pmu_catalog *catalog, struct pmu_event *event);

#endif
