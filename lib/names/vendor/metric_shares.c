/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel's metrics over PERF_METRICS, by events of general counters.
 *
 * PERF_METRICS has shares of the slots in steps of 1/255, since it was last written (Intel SDM vol.
 * 3B, "Performance Metrics"): nothing that two reads have a difference of.  Each metric sets a
 * share against the sum of the four of level 1, which are all slots.  So that sum becomes the slots,
 * and a share what counts the same slots one by one.  What a metric adds to or takes off a share
 * (INT_MISC.UOP_DROPPING, INT_MISC.CLEARS_COUNT) stays as it is written.
 *
 * Which events: Intel's TMA spreadsheet 5.1 (intel/perfmon, TMA_Metrics-full.csv), and the event
 * files of these cores there, for their names.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/compiler.h"
#include "base/strbuf.h"
#include "names/vendor/metric_parts.h"
#include "names/vendor/vendor.h"

#define PREFIX "PERF_METRICS."
#define SLOTS  "TOPDOWN.SLOTS"
/* Aliases of events that are added; Intel's are letters. */
#define ADDED "_%u"

enum family { ICE_LAKE, GOLDEN_COVE, LION_COVE, FAMILIES };

/* How the names of their cores begin, see names/models.c; P cores come first. */
static const struct {
	const char *core;
	enum family family;
} cores[] = {
	{ "Sunny Cove", ICE_LAKE },     { "Cypress Cove", ICE_LAKE },
	{ "Willow Cove", ICE_LAKE },    { "Golden Cove", GOLDEN_COVE },
	{ "Raptor Cove", GOLDEN_COVE }, { "Redwood Cove", GOLDEN_COVE },
	{ "Lion Cove", LION_COVE },
};

/*
 * In slots.  Ice Lake's PERF_METRICS has level 1 alone.  BAD_SPECULATION is what remains, here as in
 * the spreadsheet, where formulas before Lion Cove say so themselves.
 */
static const struct share {
	const char *name;
	bool of_sum; /* one of the four that are all slots */
	const char *text[FAMILIES];
} shares[] = {
	{ "RETIRING", true, { "UOPS_RETIRED.SLOTS", "UOPS_RETIRED.SLOTS", "UOPS_RETIRED.SLOTS" } },
	{ "BAD_SPECULATION",
	  true,
	  { NULL, NULL,
	    "max(TOPDOWN.SLOTS - UOPS_RETIRED.SLOTS - IDQ_BUBBLES.CORE - "
	    "TOPDOWN.BACKEND_BOUND_SLOTS, 0)" } },
	{ "FRONTEND_BOUND",
	  true,
	  { "IDQ_UOPS_NOT_DELIVERED.CORE", "IDQ_BUBBLES.CORE", "IDQ_BUBBLES.CORE" } },
	{ "BACKEND_BOUND",
	  true,
	  { "TOPDOWN.BACKEND_BOUND_SLOTS", "TOPDOWN.BACKEND_BOUND_SLOTS",
	    "TOPDOWN.BACKEND_BOUND_SLOTS" } },
	{ "HEAVY_OPERATIONS", false, { NULL, "UOPS_RETIRED.HEAVY", "UOPS_RETIRED.HEAVY" } },
	{ "BRANCH_MISPREDICTS",
	  false,
	  { NULL, "TOPDOWN.BR_MISPREDICT_SLOTS", "TOPDOWN.BR_MISPREDICT_SLOTS" } },
	/* six slots a cycle; Lion Cove's event counts cycles, which are set against cycles */
	{ "FETCH_LATENCY",
	  false,
	  { NULL, "6 * IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE",
	    "TOPDOWN.SLOTS * IDQ_BUBBLES.FETCH_LATENCY / CPU_CLK_UNHALTED.THREAD" } },
	{ "MEMORY_BOUND",
	  false,
	  { NULL, "TOPDOWN.MEMORY_BOUND_SLOTS", "TOPDOWN.MEMORY_BOUND_SLOTS" } },
};

#define ALL_OF_SUM 15U /* bits of the first four */

/* A formula on its way to one without shares. */
struct rewrite {
	struct pmu_intel_metric *metric;
	enum family family;
	unsigned int n_added;
	struct pmu_strbuf out;
};

static enum family core_family_of(const struct pmu_catalog *catalog)
{
	const struct pmu_cpu_model *model = NULL;
	struct pmu_cpu_id id;

	if (pmu_vendor_whose(catalog, &id))
		model = pmu_cpu_model_find(&id);
	for (size_t i = 0; model && i < PMU_ARRAY_LEN(cores); i++)
		if (!strncmp(model->microarchitecture, cores[i].core, strlen(cores[i].core)))
			return cores[i].family;
	return FAMILIES;
}

/* As formula.c has them.  0: no name begins here. */
static size_t name_length(const char *at)
{
	size_t len = 0;

	while (pmu_starts_word(at[len]) ||
	       (len && ((at[len] >= '0' && at[len] <= '9') || at[len] == '.')))
		len++;
	return len;
}

/* Index in shares[]; -1: the name is something else's. */
static int share_index(const struct pmu_intel_metric *metric, const char *alias, size_t len)
{
	for (unsigned int i = 0; i < metric->n_events; i++) {
		const struct pmu_intel_named *event = &metric->event[i];

		if (strlen(event->alias) != len || memcmp(event->alias, alias, len) != 0 ||
		    strncmp(event->name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		for (size_t k = 0; k < PMU_ARRAY_LEN(shares); k++)
			if (!strcmp(event->name + strlen(PREFIX), shares[k].name))
				return (int)k;
	}
	return -1;
}

/* What the formula calls an event, which is added where the metric does not have it yet. */
static void add_formula_event(struct rewrite *r, const char *name, size_t len)
{
	struct pmu_intel_metric *metric = r->metric;
	struct pmu_intel_named *event;

	for (unsigned int i = 0; i < metric->n_events; i++) {
		event = &metric->event[i];
		if (!strncmp(event->name, name, len) &&
		    (!event->name[len] || !strcmp(event->name + len, ":perf_metrics"))) {
			pmu_strbuf_add(&r->out, event->alias);
			return;
		}
	}
	if (metric->n_events == PMU_ARRAY_LEN(metric->event)) {
		metric->why_not = "it has more events than could be counted at once";
		return;
	}
	event = &metric->event[metric->n_events++];
	snprintf(event->name, sizeof(event->name), "%.*s", (int)len, name);
	snprintf(event->alias, sizeof(event->alias), ADDED, r->n_added++);
	pmu_strbuf_add(&r->out, event->alias);
}

static void add_slots_of(struct rewrite *r, const char *text)
{
	pmu_strbuf_add(&r->out, "( ");
	while (*text) {
		size_t len = name_length(text);

		if (len && text[len] != '(')
			add_formula_event(r, text, len);
		else
			pmu_strbuf_add_n(&r->out, text, len ? len : 1);
		text += len ? len : 1;
	}
	pmu_strbuf_add(&r->out, " )");
}

/* "( a + b + c + d )" of the four shares of level 1, in any order.  Return: its length; 0: it is none. */
static size_t sum_length(const struct pmu_intel_metric *metric, const char *text)
{
	const char *at = text + 1;
	unsigned int seen = 0;

	if (*text != '(')
		return 0;
	for (int i = 0; i < 4; i++) {
		size_t len;
		int share;

		at += strspn(at, " ");
		len = name_length(at);
		share = share_index(metric, at, len);
		if (share < 0 || !shares[share].of_sum)
			return 0;
		seen |= 1U << share;
		at += len;
		at += strspn(at, " ");
		if (*at++ != (i < 3 ? '+' : ')'))
			return 0;
	}
	return seen == ALL_OF_SUM ? (size_t)(at - text) : 0;
}

static void rewrite_shares(struct rewrite *r, const char *text)
{
	while (*text) {
		size_t sum = sum_length(r->metric, text), len = sum ? 0 : name_length(text);
		int share = len ? share_index(r->metric, text, len) : -1;

		if (sum)
			add_formula_event(r, SLOTS, strlen(SLOTS));
		else if (share >= 0 && shares[share].text[r->family])
			add_slots_of(r, shares[share].text[r->family]);
		else
			pmu_strbuf_add_n(&r->out, text, len ? len : 1);
		text += sum ? sum : len ? len : 1;
	}
}

bool pmu_intel_has_shares(const struct pmu_intel_metric *metric)
{
	for (unsigned int i = 0; i < metric->n_events; i++)
		if (!strncmp(metric->event[i].name, PREFIX, strlen(PREFIX)))
			return true;
	return false;
}

bool pmu_intel_replace_shares(struct pmu_intel_metric *metric, const struct pmu_catalog *catalog)
{
	struct rewrite r = { .metric = metric, .family = core_family_of(catalog) };

	if (r.family == FAMILIES)
		return false;
	rewrite_shares(&r, metric->formula);
	if (r.out.failed || r.out.len >= sizeof(metric->formula))
		metric->why_not = "its formula is too long by events of general counters";
	else
		strcpy(metric->formula, pmu_strbuf_text(&r.out));
	pmu_strbuf_free(&r.out);
	return true;
}
