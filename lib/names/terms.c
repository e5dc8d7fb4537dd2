/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads events as terms between slashes: fields of an event select by name. */
#include "names/terms.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "names/pfm/names.h"
#include "names/sysfs/sysfs.h"
#include "names/terms_place.h"
#include "plan/select.h"

#define SHOWN 60

static enum pmu_select_layout place_layout_of(const struct pmu_place *place,
					      const struct pmu_cpu_model *model)
{
	bool amd = model && (!strcmp(model->vendor, "AuthenticAMD") ||
			     !strcmp(model->vendor, "HygonGenuine"));

	if (place->kind == PMU_SLOT_CORE)
		return amd ? PMU_SELECT_AMD : PMU_SELECT_INTEL;
	if (place->unit == PMU_UNIT_L3)
		return model && model->uncore == PMU_UNCORE_AMD_L3 ? PMU_SELECT_AMD_L3
								   : PMU_SELECT_AMD_L3_19H;
	return place->unit == PMU_UNIT_UNCORE ? PMU_SELECT_UNCORE_NEHALEM
					      : PMU_SELECT_UNCORE_CLIENT;
}

/* --- terms --- */

/* What is read: fields, and what is none. */
struct fields {
	struct pmu_select select;
	uint64_t offcore; /* value of a second register */
};

struct term {
	const char *name;
	size_t offset; /* in struct fields */
	size_t size;
	size_t high; /* where the second byte goes; 0: nowhere */
	bool flag;
};

#define NUMBER(text, member)                                                                       \
	{                                                                                          \
		text, offsetof(struct fields, member), sizeof(((struct fields *)NULL)->member), 0, \
			false                                                                      \
	}
#define WIDE(text, member, upper)                                                               \
	{                                                                                       \
		text, offsetof(struct fields, member), sizeof(((struct fields *)NULL)->member), \
			offsetof(struct fields, upper), false                                   \
	}
#define FLAG(text, member)                                        \
	{                                                         \
		text, offsetof(struct fields, member), 1, 0, true \
	}

/* In the order of the label. */
static const struct term terms[] = {
	NUMBER("event", select.event),
	WIDE("umask", select.umask, select.umask2),
	NUMBER("cmask", select.cmask),
	FLAG("inv", select.invert),
	FLAG("edge", select.edge),
	FLAG("any", select.any_thread),
	FLAG("pc", select.pin_control),
	FLAG("eq", select.equal),
	FLAG("in_tx", select.in_tx),
	FLAG("in_tx_cp", select.in_txcp),
	NUMBER("offcore_rsp", offcore),
	NUMBER("slicemask", select.slices),
	NUMBER("threadmask", select.threads),
	NUMBER("sliceid", select.slice),
	NUMBER("coreid", select.core),
	FLAG("enallslices", select.all_slices),
	FLAG("enallcores", select.all_cores),
};

static int no_such_term(const char *name)
{
	const char *names[PMU_ARRAY_LEN(terms) + 1] = { NULL };
	const char *near;

	for (size_t i = 0; i < PMU_ARRAY_LEN(terms); i++)
		names[i] = terms[i].name;
	near = pmu_closest(name, names);
	return pmu_fail(EINVAL, "an event has no \"%.*s\"%s%s%s", SHOWN, name,
			near ? "; did you mean " : "; it has event, umask, cmask, inv, edge",
			near ? near : "", near ? "?" : "");
}

static uint64_t largest_of_term(const struct term *term)
{
	if (term->flag)
		return 1;
	if (term->high)
		return 0xffff;
	return term->size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * term->size) - 1;
}

/* Members are of one, two or eight bytes. */
static void store(struct fields *fields, const struct term *term, uint64_t value)
{
	unsigned char *at = (unsigned char *)fields + term->offset;
	uint16_t two = (uint16_t)value;

	if (term->size == 1)
		*at = (unsigned char)value;
	else
		memcpy(at, term->size == 2 ? (const void *)&two : (const void *)&value, term->size);
	if (term->high)
		*((unsigned char *)fields + term->high) = (unsigned char)(value >> 8);
}

/* Does the register have the field, and is it wide enough? */
static bool fits(enum pmu_select_layout layout, const struct term *term, uint64_t value)
{
	struct pmu_select back;
	struct fields one;

	memset(&one, 0, sizeof(one));
	store(&one, term, value);
	if (layout == PMU_SELECT_AMD_L3_19H && !strcmp(term->name, "threadmask"))
		return value <= 0xf;
	if (layout == PMU_SELECT_AMD_L3_19H && !strcmp(term->name, "slicemask"))
		return false;
	pmu_select_decode(layout, pmu_select_encode(layout, &one.select), &back);
	return !memcmp(&back, &one.select, sizeof(back));
}

static int read_term_value(const struct term *term, const char *text, const char *word,
			   uint64_t *value)
{
	*value = 1;
	if (!text && term->flag)
		return 0;
	if (!text || pmu_parse_u64(text, value) < 0 || *value > largest_of_term(term))
		return pmu_fail(EINVAL, "\"%.*s\": %s=%s", SHOWN, word, term->name,
				term->flag ? "0 or 1" : "NUMBER, decimal or 0x");
	return 0;
}

static int read_term(char *word, const struct pmu_place *place, enum pmu_select_layout layout,
		     struct fields *fields, uint32_t *seen)
{
	char *equals = strchr(word, '=');
	uint64_t value;
	int rc;

	if (equals)
		*equals = '\0';
	for (size_t i = 0; i < PMU_ARRAY_LEN(terms); i++) {
		if (strcasecmp(terms[i].name, word) != 0)
			continue;
		rc = read_term_value(&terms[i], equals ? equals + 1 : NULL, word, &value);
		if (rc)
			return rc;
		if (*seen >> i & 1)
			return pmu_fail(EINVAL, "%s/.../: %s stands there twice", place->name,
					terms[i].name);
		*seen |= 1u << i;
		if (!fits(layout, &terms[i], value))
			return pmu_fail(EINVAL, "%s/.../: its events have no %s=%s", place->name,
					terms[i].name, equals ? equals + 1 : "1");
		store(fields, &terms[i], value);
		return 0;
	}
	return no_such_term(word);
}

/* --- the event --- */

static void write_terms_label(const struct pmu_place *place, const struct fields *fields,
			      char *label, size_t size)
{
	struct pmu_strbuf out = { 0 };
	const char *comma = "";

	pmu_strbuf_addf(&out, "%s/", place->name);
	for (size_t i = 0; i < PMU_ARRAY_LEN(terms); i++) {
		const unsigned char *at = (const unsigned char *)fields + terms[i].offset;
		uint64_t value = 0;
		uint16_t two;

		memcpy(terms[i].size == 2 ? (void *)&two : (void *)&value, at, terms[i].size);
		if (terms[i].size == 2)
			value = two;
		else if (terms[i].size == 1)
			value = *at;
		if (terms[i].high)
			value |= (uint64_t)((const unsigned char *)fields)[terms[i].high] << 8;
		if (!value && i)
			continue;
		pmu_strbuf_addf(&out, terms[i].flag ? "%s%s" : "%s%s=0x%llx", comma, terms[i].name,
				(unsigned long long)value);
		comma = ",";
	}
	pmu_strbuf_add(&out, "/");
	if ((size_t)snprintf(label, size, "%s", pmu_strbuf_text(&out)) >= size)
		label[size - 2] = '~';
	pmu_strbuf_free(&out);
}

static void fill_terms_core(const struct pmu_cpu_model *model, const struct fields *fields,
			    struct pmu_slot *slot)
{
	slot->type = PERF_TYPE_RAW;
	slot->config1 = fields->offcore;
	if (fields->offcore) {
		/*
		 * Intel SDM vol. 4: MSR_OFFCORE_RSP_0 goes with B7H (from Golden Cove on 2AH), _1
		 * with BBH (2BH)
		 */
		slot->extra = fields->select.event == 0xbb || fields->select.event == 0x2b ? 0x1a7
											   : 0x1a6;
		slot->extra_value = fields->offcore;
	}
	if (model && !strcmp(model->vendor, "GenuineIntel"))
		pmu_pfm_limit_core(model, slot);
}

static void fill_terms_event(const struct pmu_place *place, const struct pmu_cpu_model *model,
			     struct fields *fields, struct pmu_event *event)
{
	enum pmu_select_layout layout = place_layout_of(place, model);
	struct pmu_slot *slot = &event->slot;

	write_terms_label(place, fields, event->name, sizeof(event->name) - 3);
	if (place->unit == PMU_UNIT_L3 && place->kind == PMU_SLOT_UNCORE && !fields->select.threads)
		fields->select.slices = fields->select.threads = 0xff;
	*slot = (struct pmu_slot){ .kind = place->kind,
				   .type = PMU_TYPE_NONE,
				   .unit = place->unit,
				   .core_types = place->core_types,
				   .config = pmu_select_encode(layout, &fields->select) };
	if (place->kind == PMU_SLOT_CORE)
		fill_terms_core(model, fields, slot);
}

static bool is_clock(const char *words)
{
	return !strcasecmp(words, "clockticks") || !strcasecmp(words, "event=0xff");
}

/* uncore_clock/clockticks/ */
static int fill_clock(const char *devices, struct pmu_event *event)
{
	snprintf(event->name, sizeof(event->name), "uncore-clock");
	event->slot = (struct pmu_slot){ .kind = PMU_SLOT_UNCORE,
					 .type = PMU_TYPE_NONE,
					 .unit = PMU_UNIT_CLOCK };
	pmu_terms_kernel(devices, event);
	return 0;
}

static int parse_words(char *words, const struct pmu_place *place,
		       const struct pmu_cpu_model *model, struct pmu_event *event)
{
	struct fields fields;
	uint32_t seen = 0;
	char *word;

	memset(&fields, 0, sizeof(fields));
	while ((word = strsep(&words, ","))) {
		int rc = read_term(word, place, place_layout_of(place, model), &fields, &seen);

		if (rc)
			return rc;
	}
	if (!(seen & 1))
		return pmu_fail(EINVAL, "%s/.../: say which event: event=0x..", place->name);
	fill_terms_event(place, model, &fields, event);
	return 0;
}

/* What stands between the slashes, which are gone, and where the second one was. */
struct cut {
	char *words, *end;
};

/* NULL: it is no PMU of energy, or nothing is near. */
static const char *nearest_energy(const struct pmu_place *place, const char *word)
{
	const char *names[PMU_ENERGY_DOMAINS + 1] = { NULL };
	size_t n = 0;

	for (const struct pmu_event_about *about = pmu_event_names; about->name; about++)
		if (about->kind == PMU_SLOT_ENERGY && n < PMU_ENERGY_DOMAINS)
			names[n++] = about->name;
	return place->kind == PMU_SLOT_ENERGY ? pmu_closest(word, names) : NULL;
}

/* "cpu/cycles/k" is cycles:k, "power/energy-pkg/" energy-pkg. */
static int refer(const struct pmu_place *place, char *words, char *end, struct pmu_event *event,
		 char **rest)
{
	bool energy = !strncasecmp(words, "energy-", 7);
	const char *near;

	if (place->kind == PMU_SLOT_UNCORE)
		return pmu_fail(EINVAL, "%s/%.*s/: say which event: event=0x..", place->name, SHOWN,
				words);
	if (energy != (place->kind == PMU_SLOT_ENERGY)) {
		near = nearest_energy(place, words);
		return pmu_fail(EINVAL, "%s counts no %.*s%s%s%s", place->name, SHOWN, words,
				near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	}
	if (end[1] == ':')
		memmove(end, end + 1, strlen(end + 1) + 1);
	else if (end[1])
		*end = ':';
	event->slot.core_types = place->core_types;
	*rest = words;
	return 1;
}

/* --- the kernel's PMUs --- */

static bool is_event_name(const char *name)
{
	for (const struct pmu_event_about *about = pmu_event_names; about->name; about++)
		if (!strcasecmp(about->name, name))
			return true;
	return false;
}

/* Second registers of a core's events, see pmu_pfm_encode(). */
static void find_extra(struct pmu_slot *slot)
{
	static const struct {
		uint8_t event;
		uint16_t address;
	} extras[] = { { 0xb7, 0x1a6 }, { 0xbb, 0x1a7 }, { 0x2a, 0x1a6 },
		       { 0x2b, 0x1a7 }, { 0xc6, 0x3f7 }, { 0xcd, 0x3f6 } };

	for (size_t i = 0; i < PMU_ARRAY_LEN(extras) && slot->config1; i++) {
		if (extras[i].event == (slot->config & 0xff)) {
			slot->extra = extras[i].address;
			slot->extra_value = slot->config1;
		}
	}
}

/* config= may say more than the terms: the levels, the interrupt and the enable bit are ours. */
#define OURS (UINT64_C(1) << 16 | UINT64_C(1) << 17 | UINT64_C(1) << 20 | UINT64_C(1) << 22)

static void finish_core(const struct pmu_place *place, const struct pmu_cpu_model *model,
			struct pmu_slot *slot)
{
	/* of a hybrid the kind of core says which of its PMUs */
	slot->type = PERF_TYPE_RAW;
	slot->core_types = place->core_types;
	slot->config &= ~OURS;
	if (!model || strcmp(model->vendor, "GenuineIntel") != 0)
		return;
	find_extra(slot);
	pmu_pfm_limit_core(model, slot);
}

/* What registers need, where they count the same as the kernel does. */
static void finish_slot(const struct pmu_place *place, const struct pmu_cpu_model *model,
			struct pmu_slot *slot)
{
	bool fixed = (slot->config & 0xff) == 0xff; /* the kernel's code of the uncore's clock */

	if (place->kind == PMU_SLOT_CORE && slot->kind == PMU_SLOT_CORE)
		finish_core(place, model, slot);
	if (place->kind != PMU_SLOT_UNCORE || slot->kind != PMU_SLOT_UNCORE || slot->config1 ||
	    slot->config2 || strcmp(slot->pmu, place->name) != 0 || !model ||
	    !pmu_place_exists(model, place))
		return;
	slot->unit = fixed && place->unit != PMU_UNIT_L3 ? PMU_UNIT_CLOCK : place->unit;
}

void pmu_terms_kernel(const char *devices, struct pmu_event *event)
{
	static const char *const clocks[] = { "uncore_clock", "uncore_cbox_0", "uncore" };
	bool energy = event->slot.kind == PMU_SLOT_ENERGY;
	size_t n = energy ? 1 : PMU_ARRAY_LEN(clocks);
	struct pmu_event found;

	if (!devices || (!energy && event->slot.unit != PMU_UNIT_CLOCK))
		return;
	for (size_t i = 0; i < n; i++) {
		const char *pmu = energy ? "power" : clocks[i];

		if (!pmu_sysfs_has(devices, pmu) ||
		    pmu_sysfs_event(devices, pmu, energy ? event->name : "clockticks", &found) ||
		    found.slot.kind != event->slot.kind || strcmp(found.unit, event->unit) != 0)
			continue;
		found.slot.unit = event->slot.unit;
		event->slot = found.slot;
		return;
	}
	pmu_error_clear();
}

void pmu_terms_kernel_unit(const char *devices, const struct pmu_cpu_model *model,
			   struct pmu_event *event)
{
	struct pmu_slot *slot = &event->slot;
	const struct pmu_place *place = slot->kind == PMU_SLOT_UNCORE
						? pmu_place_of_unit(slot->unit)
						: NULL;
	char label[256], *words;
	struct fields fields;
	struct pmu_event found;
	uint32_t counters = slot->counters;

	if (!devices || !place || place->unit == PMU_UNIT_CLOCK ||
	    !pmu_sysfs_has(devices, place->name))
		return;
	memset(&fields, 0, sizeof(fields));
	pmu_select_decode(place_layout_of(place, model), slot->config, &fields.select);
	write_terms_label(place, &fields, label, sizeof(label));
	words = strchr(label, '/') + 1;
	words[strcspn(words, "/")] = '\0';
	if (pmu_sysfs_event(devices, place->name, words, &found) ||
	    found.slot.kind != PMU_SLOT_UNCORE) {
		pmu_error_clear();
		return;
	}
	*slot = found.slot;
	slot->unit = place->unit;
	slot->counters = counters;
}

/* The kernel has the PMU. */
static int ask_kernel(const char *devices, const char *name, const struct cut *cut,
		      const struct pmu_cpu_model *model, struct pmu_event *event, char **rest)
{
	const struct pmu_place *place = pmu_place_of(name);
	bool word = *cut->words && !strpbrk(cut->words, "=,");
	int rc;

	if (word && place && place->kind != PMU_SLOT_UNCORE && is_event_name(cut->words))
		return refer(place, cut->words, cut->end, event, rest);
	rc = pmu_sysfs_event(devices, name, cut->words, event);
	if (rc == -ENOENT && word && place && place->kind == PMU_SLOT_CORE)
		return refer(place, cut->words, cut->end, event, rest);
	if (!rc && place)
		finish_slot(place, model, &event->slot);
	return rc == -ENOENT ? -EINVAL : rc;
}

int pmu_terms_parse(char *text, const char *devices, const struct pmu_cpu_model *model,
		    struct pmu_event *event, char **rest)
{
	struct cut cut = { .words = strchr(text, '/') };
	const struct pmu_place *place = NULL;
	int rc;

	cut.end = cut.words ? strchr(cut.words + 1, '/') : NULL;
	if (!cut.end)
		return pmu_fail(EINVAL, "\"%.*s\": a second slash is missing", SHOWN, text);
	*cut.words++ = '\0';
	*cut.end = '\0';
	*rest = cut.end + 1;
	place = pmu_place_of(text);
	if (place && place->kind == PMU_SLOT_UNCORE && place->unit == PMU_UNIT_CLOCK &&
	    is_clock(cut.words))
		return fill_clock(devices, event);
	if (devices && pmu_sysfs_has(devices, text))
		return ask_kernel(devices, text, &cut, model, event, rest);
	rc = pmu_place_find(text, devices, model, &place);
	if (rc)
		return rc;
	if (place->kind == PMU_SLOT_UNCORE && place->unit == PMU_UNIT_CLOCK)
		return pmu_fail(EINVAL,
				"uncore_clock counts nothing but clockticks: write uncore-clock");
	if (place->kind == PMU_SLOT_ENERGY || (*cut.words && !strpbrk(cut.words, "=,")))
		return refer(place, cut.words, cut.end, event, rest);
	return parse_words(cut.words, place, model, event);
}
