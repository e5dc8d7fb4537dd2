/* SPDX-License-Identifier: BSD-3-Clause */
/* What a counter of LIKWID's counts, as an event of ours. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/boxes.h"
#include "names/likwid/parts.h"
#include "plan/select.h"

#define TEXT_MAX 256
/*
 * Cn_MSR_PMON_BOX_FILTER0, state: Intel's uncore performance monitoring guides of Xeon E5 v2 and v3
 * and Xeon Scalable.  The first E5 has it one bit higher, which its format in the kernel says.
 */
#define STATE_BIT 17

/*
 * Events that have a name of their own with us.  LIKWID's energies are Joules, ours microjoules;
 * its reads and writes of a client's memory are lines of 64 bytes, ours bytes.
 */
static const struct {
	enum pmu_likwid_kind kind;
	const char *theirs, *ours;
	double per;
} known[] = {
	{ PMU_LIKWID_FIXED, "INSTR_RETIRED_ANY", "instructions", 0 },
	{ PMU_LIKWID_FIXED, "CPU_CLK_UNHALTED_CORE", "cycles", 0 },
	{ PMU_LIKWID_FIXED, "CPU_CLK_UNHALTED_REF", "ref-cycles", 0 },
	{ PMU_LIKWID_FIXED, "ACTUAL_CPU_CLOCK", "msr/aperf/", 0 },
	{ PMU_LIKWID_FIXED, "MAX_CPU_CLOCK", "msr/mperf/", 0 },
	{ PMU_LIKWID_GENERAL, "UOPS_ISSUED_USED_CYCLES", "UOPS_ISSUED.ANY:c=1", 0 },
	{ PMU_LIKWID_GENERAL, "UOPS_EXECUTED_USED_CYCLES", "UOPS_EXECUTED.THREAD:c=1", 0 },
	{ PMU_LIKWID_GENERAL, "UOPS_RETIRED_USED_CYCLES", "UOPS_RETIRED.ALL:c=1", 0 },
	{ PMU_LIKWID_GENERAL, "DTLB_LOAD_MISSES_CAUSES_A_WALK",
	  "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK", 0 },
	{ PMU_LIKWID_GENERAL, "DTLB_STORE_MISSES_CAUSES_A_WALK",
	  "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK", 0 },
	{ PMU_LIKWID_GENERAL, "ITLB_MISSES_CAUSES_A_WALK", "ITLB_MISSES.MISS_CAUSES_A_WALK", 0 },
	{ PMU_LIKWID_ENERGY, "PWR_PKG_ENERGY", "energy-pkg", 1e6 },
	{ PMU_LIKWID_ENERGY, "PWR_PP0_ENERGY", "energy-cores", 1e6 },
	{ PMU_LIKWID_ENERGY, "PWR_PP1_ENERGY", "energy-gpu", 1e6 },
	{ PMU_LIKWID_ENERGY, "PWR_DRAM_ENERGY", "energy-ram", 1e6 },
	{ PMU_LIKWID_ENERGY, "PWR_PLATFORM_ENERGY", "power/energy-psys/", 1e6 },
	{ PMU_LIKWID_ENERGY, "RAPL_PKG_ENERGY", "energy-pkg", 1e6 },
	{ PMU_LIKWID_UNCORE, "UNCORE_CLOCK", "UNC_CLOCK.SOCKET", 0 },
	{ PMU_LIKWID_UNCORE, "UNCORE_CLOCKTICKS", "UNC_CLOCK.SOCKET", 0 },
	{ PMU_LIKWID_UNCORE, "DRAM_READS", "uncore_imc/data_reads/", 64 },
	{ PMU_LIKWID_UNCORE, "DRAM_WRITES", "uncore_imc/data_writes/", 64 },
};

static bool word_is(struct pmu_likwid_span word, const char *name)
{
	return word.len == strlen(name) && !memcmp(word.at, name, word.len);
}

/* What newer processors and servers have in place of it. */
static int parse_likwid_event(struct pmu_likwid_reading *r, const char *text,
			      struct pmu_event *event)
{
	static const char *const others[][2] = {
		{ "uncore_imc/data_reads/", "uncore_imc_free_running/data_read/" },
		{ "uncore_imc/data_writes/", "uncore_imc_free_running/data_write/" },
		{ "UNC_CLOCK.SOCKET", "UNC_U_CLOCKTICKS" },
		{ "UOPS_EXECUTED.THREAD:c=1", "UOPS_DISPATCHED.THREAD:c=1" },
	};
	char why[PMU_ERROR_MAX];
	int rc = pmu_event_parse(text, r->catalog, event);

	for (size_t i = 0; rc && i < PMU_ARRAY_LEN(others); i++) {
		if (strcmp(text, others[i][0]) != 0)
			continue;
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		if (!pmu_event_parse(others[i][1], r->catalog, event))
			return 0;
		pmu_fail(EINVAL, "%s", why);
	}
	return rc;
}

/* 1: it is none of those */
static int parse_known(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(known); i++) {
		char text[TEXT_MAX];
		int rc;

		if (known[i].kind != counter->name.unit->kind ||
		    !word_is(counter->event, known[i].theirs))
			continue;
		if (counter->options.edge || counter->options.invert ||
		    counter->options.threshold || counter->options.any_thread ||
		    counter->options.state)
			return pmu_fail(EINVAL, "it is counted without options alone");
		snprintf(text, sizeof(text), "%s%s", known[i].ours,
			 counter->options.kernel ? ":uk" : "");
		rc = parse_likwid_event(r, text, &counter->counts);
		/* of a free running counter the raw count is the same lines */
		counter->per = known[i].per;
		if (!rc && known[i].per == 64 && strcmp(counter->counts.unit, "B") != 0)
			return pmu_fail(ENOTSUP, "the kernel's %s is not in bytes",
					counter->counts.name);
		return rc;
	}
	return 1;
}

/* --- options --- */

/* LIKWID has edges of a threshold, of 1 where none is said; the event may have one of its own. */
static int default_threshold(const struct pmu_event *event, struct pmu_likwid_options *options)
{
	struct pmu_select select;

	if (!options->edge || options->threshold)
		return 0;
	pmu_select_decode(PMU_SELECT_INTEL, event->slot.config, &select);
	if (select.cmask > 1)
		return pmu_fail(
			EINVAL,
			"edges of %s, which has a threshold of %u by itself: say which with "
			"THRESHOLD=0x..",
			event->name, select.cmask);
	options->threshold = 1;
	return 0;
}

static void write_options(const struct pmu_likwid_options *options, char *text, size_t size)
{
	struct pmu_strbuf out = { 0 };

	if (options->threshold)
		pmu_strbuf_addf(&out, ":c=%u", options->threshold);
	pmu_strbuf_add(&out, options->invert ? ":i" : "");
	pmu_strbuf_add(&out, options->edge ? ":e" : "");
	pmu_strbuf_add(&out, options->any_thread ? ":t" : "");
	pmu_strbuf_add(&out, options->in_tx ? ":intx" : "");
	pmu_strbuf_add(&out, options->in_tx_cp ? ":intxcp" : "");
	pmu_strbuf_add(&out, options->kernel ? ":uk" : "");
	/* the register's lower half is the kernel's config1 */
	if (options->state)
		pmu_strbuf_addf(&out, ":config1=0x%x", options->state << STATE_BIT);
	snprintf(text, size, "%s", pmu_strbuf_text(&out));
	pmu_strbuf_free(&out);
}

/* Which state of a line is meant is asked of lookups alone. */
static int check_state(const struct pmu_likwid_counter *counter)
{
	static const char lookup[] = "LLC_LOOKUP";
	size_t len = sizeof(lookup) - 1;

	if (!counter->options.state ||
	    (counter->name.unit->kind == PMU_LIKWID_UNCORE && counter->event.len > len &&
	     !memcmp(counter->event.at, lookup, len)))
		return 0;
	return pmu_fail(EINVAL, "STATE is for %s_...", lookup);
}

static int parse_named(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter)
{
	bool uncore = counter->name.unit->kind == PMU_LIKWID_UNCORE;
	char name[TEXT_MAX - 64], options[64], text[TEXT_MAX];
	int rc = pmu_likwid_spelling(r, counter->event, uncore ? counter->name.unit->pmus : NULL,
				     name, sizeof(name));

	if (!rc)
		rc = check_state(counter);
	if (!rc && counter->options.edge)
		rc = pmu_event_parse(name, r->catalog, &counter->counts);
	if (!rc)
		rc = default_threshold(&counter->counts, &counter->options);
	if (rc)
		return rc;
	write_options(&counter->options, options, sizeof(options));
	snprintf(text, sizeof(text), "%s%s", name, options);
	return pmu_event_parse(text, r->catalog, &counter->counts);
}

/* --- boxes --- */

/* Of MBOX3C0: are there boxes of uncore_imc, and is none of them uncore_imc_3? */
static void look_for_box(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter)
{
	const char *devices = pmu_catalog_devices(r->catalog);
	const char *pmu = counter->counts.slot.pmu;
	char box[sizeof(counter->counts.slot.pmu) + 16];
	size_t there;

	if (!devices || !pmu[0] || counter->name.box < 0)
		return;
	snprintf(box, sizeof(box), "%s_%d", pmu, counter->name.box);
	there = pmu_boxes_find(devices, pmu, NULL, 0);
	/* a single one may be without a number */
	counter->no_box = there && (there > 1 || counter->name.box) &&
			  !pmu_boxes_find(devices, box, NULL, 0);
}

int pmu_likwid_event(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter)
{
	const struct pmu_likwid_unit *unit = counter->name.unit;
	bool clock = unit->kind == PMU_LIKWID_UNCORE && counter->name.number < 0;
	int rc;

	if (unit->kind == PMU_LIKWID_UNKNOWN)
		return pmu_fail(ENOTSUP, "%s", unit->why);
	if (word_is(counter->event, "RAPL_CORE_ENERGY"))
		return pmu_fail(ENOTSUP, "energy is counted for sockets, not for a core");
	rc = parse_known(r, counter);
	if (rc == 1 && unit->kind == PMU_LIKWID_ENERGY)
		rc = pmu_fail(EINVAL, "there is no energy called \"%.*s\"",
			      PMU_LIKWID_SHOW(counter->event));
	if (rc == 1 && clock)
		rc = pmu_fail(ENOTSUP, "the clock of that unit has no event of its own here: use "
				       "the unit's CLOCKTICKS");
	if (rc == 1)
		rc = parse_named(r, counter);
	if (!rc)
		look_for_box(r, counter);
	return rc;
}
