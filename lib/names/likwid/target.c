/* SPDX-License-Identifier: BSD-3-Clause */
/* What a row of events.names lets a counter count. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/likwid/parts.h"
#include "names/pfm/pfm.h"
#include "names/sysfs/sysfs.h"
#include "plan/select.h"

#define TEXT_MAX  256
#define MATCH_BIT 16 /* where MATCH1 stands in a second register; before it MATCH0 */

/* --- codes --- */

/* "cpu b7 1 c1 i e m1a6:VALUE" */
struct code {
	char pmu[32];
	struct pmu_select select;
	uint32_t extra;
	unsigned long long value;
	bool matched; /* the second register has what the options say */
};

static bool read_code_word(const char *word, struct code *code)
{
	char *end = NULL;

	switch (word[0]) {
	case 'c':
		code->select.cmask = (uint8_t)strtoul(word + 1, &end, 16);
		return !*end;
	case 'i':
		code->select.invert = true;
		return !word[1];
	case 'e':
		code->select.edge = true;
		return !word[1];
	case 'm':
		code->extra = (uint32_t)strtoul(word + 1, &end, 16);
		code->matched = !*end;
		if (*end == ':')
			code->value = strtoull(end + 1, &end, 16);
		return !*end;
	default:
		return false;
	}
}

static int read_code(const char *text, struct code *code)
{
	unsigned int event, umask;
	int used = 0;

	*code = (struct code){ .extra = 0 };
	if (sscanf(text, "%31s %x %x%n", code->pmu, &event, &umask, &used) != 3)
		return pmu_fail(EINVAL, "\"%s\" is no code", text);
	code->select.event = (uint16_t)event;
	code->select.umask = (uint8_t)umask;
	for (char word[32]; sscanf(text + used, " %31s", word) == 1;) {
		if (!read_code_word(word, code))
			return pmu_fail(EINVAL, "\"%s\" is no word of a code", word);
		used += (int)strspn(text + used, " ");
		used += (int)strlen(word);
	}
	return 0;
}

/* Edges are of a threshold, of 1 where none is said. */
static int add_options(const struct pmu_likwid_options *options, struct pmu_select *select)
{
	if (options->any_thread || options->in_tx || options->in_tx_cp || options->state)
		return pmu_fail(EINVAL, "it is counted without such options alone");
	if (options->threshold)
		select->cmask = (uint8_t)options->threshold;
	else if (options->edge && select->cmask > 1)
		return pmu_fail(EINVAL,
				"edges of what has a threshold of %u by itself: say which with "
				"THRESHOLD=0x..",
				select->cmask);
	else if (options->edge)
		select->cmask = 1;
	select->edge |= options->edge;
	select->invert |= options->invert;
	return 0;
}

static bool is_made_by(const struct pmu_catalog *catalog, const char *vendor)
{
	const struct pmu_cpu_model *model = catalog->model ? catalog->model : pmu_pfm_own_model();

	return model && !strcmp(model->vendor, vendor);
}

static int count_core_code(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter,
			   struct code *code)
{
	bool intel = is_made_by(r->catalog, "GenuineIntel");
	struct pmu_slot *slot = &counter->counts.slot;
	uint64_t config = pmu_select_encode(intel ? PMU_SELECT_INTEL : PMU_SELECT_AMD,
					    &code->select);
	char text[TEXT_MAX];
	int rc;

	snprintf(text, sizeof(text), "r%llx%s", (unsigned long long)config,
		 counter->options.kernel ? ":uk" : "");
	rc = pmu_event_parse(text, r->catalog, &counter->counts);
	if (rc || !code->extra)
		return rc;
	slot->extra = code->extra;
	slot->extra_value = slot->config1 = code->value;
	return 0;
}

/* Event and mask where the kernel's PMUs have them; AMD's have the event's upper bits from 32 on. */
static uint64_t unit_config(const struct pmu_catalog *catalog, const struct pmu_select *select)
{
	uint64_t config = select->event | (uint64_t)select->umask << 8;

	if (!is_made_by(catalog, "AuthenticAMD") && !is_made_by(catalog, "HygonGenuine"))
		return config;
	return (config & ~UINT64_C(0xf00)) | (uint64_t)select->umask << 8 |
	       (uint64_t)(select->event >> 8) << 32;
}

static int count_unit_code(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter,
			   const struct code *code)
{
	unsigned long long config = unit_config(r->catalog, &code->select);
	const char *devices = pmu_catalog_devices(r->catalog);
	bool uncore = counter->name.unit->kind == PMU_LIKWID_UNCORE;
	struct pmu_slot *slot = &counter->counts.slot;
	char text[TEXT_MAX];

	/* the kernel says what kind of PMU it is, or that there is none */
	if (devices && (!r->catalog->keep_absent || pmu_sysfs_has(devices, code->pmu))) {
		snprintf(text, sizeof(text), "%s/config=0x%llx/", code->pmu, config);
		return pmu_event_parse(text, r->catalog, &counter->counts);
	}
	memset(&counter->counts, 0, sizeof(counter->counts));
	slot->kind = uncore ? PMU_SLOT_UNCORE : PMU_SLOT_CORE;
	slot->type = PMU_TYPE_NONE;
	slot->config = config;
	slot->user = slot->kernel = true;
	snprintf(slot->pmu, sizeof(slot->pmu), "%s", code->pmu);
	return 0;
}

static bool has_options(const struct pmu_likwid_options *options)
{
	return options->edge || options->invert || options->threshold || options->any_thread ||
	       options->in_tx || options->in_tx_cp || options->state;
}

/* A code has LIKWID's name in the report, for want of another. */
static void name_code(struct pmu_likwid_counter *counter, const struct code *code)
{
	struct pmu_event *event = &counter->counts;
	const char *level = event->slot.kind == PMU_SLOT_CORE && !event->slot.pmu[0] &&
					    counter->options.kernel
				    ? ":uk"
				    : "";
	const struct pmu_likwid_options *options = &counter->options;
	char value[40] = "";
	int room;

	if (code->matched)
		snprintf(value, sizeof(value), ":0x%llx", code->value);
	else if (has_options(options))
		snprintf(value, sizeof(value), ":c=%u%s%s", code->select.cmask,
			 code->select.invert ? ":i" : "", code->select.edge ? ":e" : "");
	room = (int)(sizeof(event->name) - strlen(level) - strlen(value)) - 1;
	snprintf(event->name, sizeof(event->name), "%.*s%s%s",
		 (int)counter->event.len < room ? (int)counter->event.len : room, counter->event.at,
		 value, level);
}

static int count_code(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter,
		      const char *text)
{
	struct code code;
	int rc = read_code(text, &code);

	if (rc)
		return rc;
	if (code.matched)
		code.value = counter->options.match0 | (unsigned long long)counter->options.match1
							       << MATCH_BIT;
	counter->matched = code.matched;
	rc = add_options(&counter->options, &code.select);
	if (rc)
		return rc;
	rc = strcmp(code.pmu, "cpu") != 0 ? count_unit_code(r, counter, &code)
					  : count_core_code(r, counter, &code);
	if (!rc)
		name_code(counter, &code);
	return rc;
}

/* --- formulas --- */

/* The next of the names in quotes.  Return: whether there is one. */
static bool next_quoted(struct pmu_likwid_span *rest, char *name, size_t size)
{
	const char *open = memchr(rest->at, '"', rest->len), *close;
	size_t left = open ? rest->len - (size_t)(open + 1 - rest->at) : 0;

	close = left ? memchr(open + 1, '"', left) : NULL;
	if (!close)
		return false;
	snprintf(name, size, "%.*s", (int)(close - open - 1), open + 1);
	rest->len = left - (size_t)(close - open);
	rest->at = close + 1;
	return true;
}

/* = "UOPS_RETIRED.SLOTS" / "TOPDOWN.SLOTS" */
static int count_parts(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter,
		       struct pmu_likwid_span formula)
{
	struct pmu_likwid_span rest = formula;
	char name[TEXT_MAX - 8], text[TEXT_MAX];
	int first = r->n_parts;

	while (next_quoted(&rest, name, sizeof(name))) {
		int rc;

		if (r->n_parts == PMU_LIKWID_MAX_PARTS)
			return pmu_fail(ENOTSUP, "more than %d counts in place of others",
					PMU_LIKWID_MAX_PARTS);
		snprintf(text, sizeof(text), "%s%s", name, counter->options.kernel ? ":uk" : "");
		rc = pmu_event_parse(text, r->catalog, &r->part[r->n_parts].counts);
		if (rc) {
			r->n_parts = first;
			return rc;
		}
		r->part[r->n_parts++].slot = -1;
	}
	counter->first_part = first;
	counter->n_parts = r->n_parts - first;
	counter->stands_for = formula;
	/* the boxes of a unit are known to be alike by the first of them */
	counter->counts = r->part[first].counts;
	return 0;
}

/* --- rows --- */

static int count_event(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter,
		       const struct pmu_likwid_row *row)
{
	char text[TEXT_MAX];
	int rc;

	snprintf(text, sizeof(text), "%.*s%s", PMU_LIKWID_SHOW(row->ours),
		 counter->options.kernel ? ":uk" : "");
	rc = pmu_event_parse(text, r->catalog, &counter->counts);
	/* of a free running counter the raw count is the same lines */
	counter->per = row->per;
	if (!rc && row->per == 64 && strcmp(counter->counts.unit, "B") != 0)
		return pmu_fail(ENOTSUP, "the kernel's %s is not in bytes", counter->counts.name);
	return rc;
}

static int count_row(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter,
		     const struct pmu_likwid_row *row)
{
	struct pmu_likwid_span ours = row->ours, behind = { ours.at + 2, ours.len - 2 };
	char text[TEXT_MAX];

	if (*ours.at == '-')
		return pmu_fail(ENOTSUP, "%.*s", (int)behind.len, behind.at);
	if (*ours.at == '.') {
		counter->nothing = true;
		return 0;
	}
	if (*ours.at != '=' && memchr(ours.at, ' ', ours.len)) {
		snprintf(text, sizeof(text), "%.*s", (int)ours.len, ours.at);
		return count_code(r, counter, text);
	}
	if (has_options(&counter->options))
		return pmu_fail(EINVAL, "it is counted without options alone");
	return *ours.at == '=' ? count_parts(r, counter, behind) : count_event(r, counter, row);
}

int pmu_likwid_by_rows(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter)
{
	char why[PMU_ERROR_MAX] = "";
	struct pmu_likwid_row row;
	int rc = 1;

	for (unsigned int n = 0; rc && pmu_likwid_row(r->catalog, counter, n, &row); n++) {
		rc = count_row(r, counter, &row);
		if (rc == -ENOMEM)
			return rc;
		/* of names that are tried the first one's reason, unless a row has one */
		if (rc && (!why[0] || *row.ours.at == '-'))
			snprintf(why, sizeof(why), "%s", pmu_error_text());
	}
	return rc < 0 ? pmu_fail(-rc, "%s", why) : rc;
}
