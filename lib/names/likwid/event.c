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
	rc = pmu_likwid_by_rows(r, counter);
	if (rc == 1 && unit->kind == PMU_LIKWID_ENERGY)
		rc = pmu_fail(EINVAL, "there is no energy called \"%.*s\"",
			      PMU_LIKWID_SHOW(counter->event));
	if (rc == 1 && clock)
		rc = pmu_fail(ENOTSUP, "the clock of that unit has no event of its own here: use "
				       "the unit's CLOCKTICKS");
	if (rc == 1)
		rc = parse_named(r, counter);
	if (!rc && (counter->options.match0 || counter->options.match1) && !counter->matched)
		rc = pmu_fail(ENOTSUP, "the options MATCH0 and MATCH1 are for registers that are "
				       "not set here; an uncore event takes :config1=0x..");
	if (!rc)
		look_for_box(r, counter);
	return rc;
}
