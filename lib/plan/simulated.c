/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group of simulated events: what its columns are called, and what can be estimated from them.
 */
#include "plan/simulated.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "plan/formula_names.h"

#define BPU_MISS (PERF_COUNT_HW_CACHE_BPU | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

/* Generic events that are another thing here. */
static const struct {
	uint32_t type;
	uint64_t config;
	const char *name;
} renamed[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  "conditional and indirect branches" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  "conditional and indirect branch-misses" },
	{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_BPU, "conditional and indirect branch-loads" },
	{ PERF_TYPE_HW_CACHE, BPU_MISS, "conditional and indirect branch-load-misses" },
};

static const char *name_of(const struct pmu_event *event)
{
	const struct pmu_slot *slot = &event->slot;

	for (size_t i = 0; i < PMU_ARRAY_LEN(renamed); i++)
		if (slot->kind == PMU_SLOT_CORE && slot->type == renamed[i].type &&
		    slot->config == renamed[i].config)
			return renamed[i].name;
	return NULL;
}

static bool span_is(struct pmu_group_span span, const char *name)
{
	return span.len == strlen(name) && !memcmp(span.at, name, span.len);
}

/* In quotes, wherever the formula has the name. */
static void replace_name(struct pmu_metric_text *metric, const char *from, const char *to)
{
	const char *rest = metric->formula;
	struct pmu_group_span span;
	struct pmu_strbuf out = { 0 };

	while (pmu_group_name_next(rest, &span)) {
		bool quoted = span.at[span.len] == '"', found = span_is(span, from);

		pmu_strbuf_add_n(&out, rest, (size_t)(span.at - rest) - (found && quoted));
		if (found)
			pmu_strbuf_addf(&out, "\"%s\"", to);
		else
			pmu_strbuf_add_n(&out, span.at, span.len + quoted);
		rest = span.at + span.len + quoted;
	}
	pmu_strbuf_add(&out, rest);
	/* a formula that cannot be had is missing: no syntax, no value */
	if (out.failed || out.len >= sizeof(metric->formula))
		metric->formula[0] = '\0';
	else
		memcpy(metric->formula, pmu_strbuf_text(&out), out.len + 1);
	pmu_strbuf_free(&out);
}

static void rename_event(struct pmu_group *group, struct pmu_event *event, const char *name)
{
	for (unsigned int i = 0; i < group->n_metrics; i++)
		replace_name(&group->metric[i], event->name, name);
	snprintf(event->name, sizeof(event->name), "%s", name);
}

/* The event of that code, NULL where it is not counted. */
static const struct pmu_event *find_event_of_code(const struct pmu_group *group, uint32_t absent,
						  uint64_t config)
{
	for (unsigned int i = 0; i < group->n_events; i++) {
		const struct pmu_slot *slot = &group->event[i].slot;

		if (!(absent >> i & 1) && slot->kind == PMU_SLOT_CORE &&
		    slot->type == PERF_TYPE_HARDWARE && slot->config == config && slot->user &&
		    !slot->kernel)
			return &group->event[i];
	}
	return NULL;
}

static bool has_metric(const struct pmu_group *group, const char *name)
{
	for (unsigned int i = 0; i < group->n_metrics; i++)
		if (!strcmp(group->metric[i].name, name))
			return true;
	return false;
}

void pmu_group_simulated(struct pmu_group *group, uint32_t absent)
{
	for (unsigned int i = 0; i < group->n_events; i++) {
		const char *name = absent >> i & 1 ? NULL : name_of(&group->event[i]);

		if (name)
			rename_event(group, &group->event[i], name);
	}
}

/* A reference of the last level is a miss of the first. */
bool pmu_group_estimate_cycles(struct pmu_group *group, uint32_t absent)
{
	static const char name[] = "estimated cycles";
	const struct pmu_event *instructions = find_event_of_code(group, absent,
								  PERF_COUNT_HW_INSTRUCTIONS);
	const struct pmu_event *mispredicted = find_event_of_code(group, absent,
								  PERF_COUNT_HW_BRANCH_MISSES);
	const struct pmu_event *l1_misses = find_event_of_code(group, absent,
							       PERF_COUNT_HW_CACHE_REFERENCES);
	const struct pmu_event *ll_misses = find_event_of_code(group, absent,
							       PERF_COUNT_HW_CACHE_MISSES);
	struct pmu_metric_text *metric;

	if (!instructions || !mispredicted || !l1_misses || !ll_misses ||
	    group->n_metrics == PMU_GROUP_MAX_METRICS || has_metric(group, name))
		return false;
	metric = &group->metric[group->n_metrics++];
	*metric = (struct pmu_metric_text){ .unit = "" };
	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->formula, sizeof(metric->formula),
		 "\"%s\" + 10 * \"%s\" + 10 * \"%s\" + 100 * \"%s\"", instructions->name,
		 mispredicted->name, l1_misses->name, ll_misses->name);
	return true;
}
