/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads events as terms between slashes: fields of an event select by name. */
#include "group/terms.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "counters/msr/select.h"
#include "group/pfm_names.h"

#define SHOWN 60

/* --- where --- */

struct place {
	const char *name;
	enum pmu_slot_kind kind;
	uint8_t unit;
	uint8_t core_types;
	bool numbered; /* "uncore_cbox_3": boxes are counted together, whichever is named */
	uint32_t layouts; /* UNCORE: bits by enum pmu_uncore_layout */
};

#define CLIENT (1u << PMU_UNCORE_SANDY_BRIDGE | 1u << PMU_UNCORE_SKYLAKE | 1u << PMU_UNCORE_ICE_LAKE)
#define L3     (1u << PMU_UNCORE_AMD_L3 | 1u << PMU_UNCORE_AMD_L3_19H)

static const struct place places[] = {
	{.name = "cpu", .kind = PMU_SLOT_CORE},
	{.name = "cpu_core", .kind = PMU_SLOT_CORE, .core_types = PMU_SLOT_P},
	{.name = "cpu_atom", .kind = PMU_SLOT_CORE, .core_types = PMU_SLOT_E},
	{.name = "uncore", .kind = PMU_SLOT_UNCORE, .unit = PMU_UNIT_UNCORE, .layouts = 1u << PMU_UNCORE_NEHALEM},
	{.name = "uncore_cbox", .kind = PMU_SLOT_UNCORE, .unit = PMU_UNIT_CBO, .numbered = true, .layouts = CLIENT},
	{.name = "uncore_arb", .kind = PMU_SLOT_UNCORE, .unit = PMU_UNIT_ARB, .numbered = true, .layouts = CLIENT},
	{.name = "uncore_clock", .kind = PMU_SLOT_UNCORE, .unit = PMU_UNIT_CLOCK,
	 .layouts = CLIENT | 1u << PMU_UNCORE_NEHALEM},
	{.name = "amd_l3", .kind = PMU_SLOT_UNCORE, .unit = PMU_UNIT_L3, .layouts = L3},
	{.name = "power", .kind = PMU_SLOT_ENERGY},
};

static bool is_name_of(const struct place *place, const char *name)
{
	size_t len = strlen(place->name);

	if (strncasecmp(name, place->name, len) != 0)
		return false;
	if (!name[len])
		return true;
	return place->numbered && name[len] == '_' && isdigit((unsigned char)name[len + 1]) &&
	       strspn(name + len + 1, "0123456789") == strlen(name + len + 1);
}

static int no_place(const char *name)
{
	const char *names[PMU_ARRAY_LEN(places) + 1] = {NULL};
	const char *near;

	for (size_t i = 0; i < PMU_ARRAY_LEN(places); i++)
		names[i] = places[i].name;
	near = pmu_closest(name, names);
	if (near)
		return pmu_fail(EINVAL, "nothing counts \"%.*s/.../\"; did you mean %s/.../?", SHOWN, name, near);
	return pmu_fail(EINVAL, "nothing counts \"%.*s/.../\"; there are cpu, uncore, uncore_cbox, uncore_arb, "
				"uncore_clock, amd_l3 and power",
			SHOWN, name);
}

static int find_place(const char *name, const struct pmu_cpu_model *model, const struct place **found)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(places); i++) {
		const struct place *place = &places[i];

		if (!is_name_of(place, name))
			continue;
		if (model && place->layouts && !(place->layouts >> model->uncore & 1))
			return pmu_fail(EINVAL, "%s has no %s", model->microarchitecture, place->name);
		*found = place;
		return 0;
	}
	return no_place(name);
}

static enum pmu_select_layout layout_of(const struct place *place, const struct pmu_cpu_model *model)
{
	bool amd = model && (!strcmp(model->vendor, "AuthenticAMD") || !strcmp(model->vendor, "HygonGenuine"));

	if (place->kind == PMU_SLOT_CORE)
		return amd ? PMU_SELECT_AMD : PMU_SELECT_INTEL;
	if (place->unit == PMU_UNIT_L3)
		return model && model->uncore == PMU_UNCORE_AMD_L3 ? PMU_SELECT_AMD_L3 : PMU_SELECT_AMD_L3_19H;
	return place->unit == PMU_UNIT_UNCORE ? PMU_SELECT_UNCORE_NEHALEM : PMU_SELECT_UNCORE_CLIENT;
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

#define NUMBER(text, member) {text, offsetof(struct fields, member), sizeof(((struct fields *)NULL)->member), 0, false}
#define WIDE(text, member, upper) \
	{text, offsetof(struct fields, member), sizeof(((struct fields *)NULL)->member), \
	 offsetof(struct fields, upper), false}
#define FLAG(text, member)   {text, offsetof(struct fields, member), 1, 0, true}

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

static int no_term(const char *name)
{
	const char *names[PMU_ARRAY_LEN(terms) + 1] = {NULL};
	const char *near;

	for (size_t i = 0; i < PMU_ARRAY_LEN(terms); i++)
		names[i] = terms[i].name;
	near = pmu_closest(name, names);
	return pmu_fail(EINVAL, "an event has no \"%.*s\"%s%s%s", SHOWN, name,
			near ? "; did you mean " : "; it has event, umask, cmask, inv, edge", near ? near : "",
			near ? "?" : "");
}

static uint64_t largest(const struct term *term)
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

static int read_value(const struct term *term, const char *text, const char *word, uint64_t *value)
{
	*value = 1;
	if (!text && term->flag)
		return 0;
	if (!text || pmu_parse_u64(text, value) < 0 || *value > largest(term))
		return pmu_fail(EINVAL, "\"%.*s\": %s=%s", SHOWN, word, term->name,
				term->flag ? "0 or 1" : "NUMBER, decimal or 0x");
	return 0;
}

static int read_term(char *word, const struct place *place, enum pmu_select_layout layout, struct fields *fields,
		     uint32_t *seen)
{
	char *equals = strchr(word, '=');
	uint64_t value;
	int rc;

	if (equals)
		*equals = '\0';
	for (size_t i = 0; i < PMU_ARRAY_LEN(terms); i++) {
		if (strcasecmp(terms[i].name, word) != 0)
			continue;
		rc = read_value(&terms[i], equals ? equals + 1 : NULL, word, &value);
		if (rc)
			return rc;
		if (*seen >> i & 1)
			return pmu_fail(EINVAL, "%s/.../: %s stands there twice", place->name, terms[i].name);
		*seen |= 1u << i;
		if (!fits(layout, &terms[i], value))
			return pmu_fail(EINVAL, "%s/.../: its events have no %s=%s", place->name, terms[i].name,
					equals ? equals + 1 : "1");
		store(fields, &terms[i], value);
		return 0;
	}
	return no_term(word);
}

/* --- the event --- */

static void write_label(const struct place *place, const struct fields *fields, char *label, size_t size)
{
	struct pmu_strbuf out = {0};
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
		if (!value)
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

static void fill_core(const struct pmu_cpu_model *model, const struct fields *fields, struct pmu_slot *slot)
{
	slot->type = PERF_TYPE_RAW;
	slot->config1 = fields->offcore;
	if (fields->offcore) {
		/* Intel SDM vol. 4: MSR_OFFCORE_RSP_0 goes with B7H (from Golden Cove on 2AH), _1 with BBH (2BH) */
		slot->extra = fields->select.event == 0xbb || fields->select.event == 0x2b ? 0x1a7 : 0x1a6;
		slot->extra_value = fields->offcore;
	}
	if (model && !strcmp(model->vendor, "GenuineIntel"))
		pmu_pfm_limit(slot->core_types == PMU_SLOT_E ? model->pfm_e : model->pfm, slot);
}

static void fill(const struct place *place, const struct pmu_cpu_model *model, struct fields *fields,
		struct pmu_event *event)
{
	enum pmu_select_layout layout = layout_of(place, model);
	struct pmu_slot *slot = &event->slot;

	write_label(place, fields, event->name, sizeof(event->name) - 3);
	if (place->unit == PMU_UNIT_L3 && place->kind == PMU_SLOT_UNCORE && !fields->select.threads)
		fields->select.slices = fields->select.threads = 0xff;
	*slot = (struct pmu_slot){.kind = place->kind, .type = PMU_TYPE_NONE, .unit = place->unit,
				  .core_types = place->core_types,
				  .config = pmu_select_encode(layout, &fields->select)};
	if (place->kind == PMU_SLOT_CORE)
		fill_core(model, fields, slot);
}

/* uncore_clock/clockticks/ */
static int fill_clock(const char *words, struct pmu_event *event)
{
	if (strcasecmp(words, "clockticks") != 0 && strcasecmp(words, "event=0xff") != 0)
		return pmu_fail(EINVAL, "uncore_clock counts nothing but clockticks: write uncore-clock");
	snprintf(event->name, sizeof(event->name), "uncore-clock");
	event->slot = (struct pmu_slot){.kind = PMU_SLOT_UNCORE, .type = PMU_TYPE_NONE, .unit = PMU_UNIT_CLOCK};
	return 0;
}

static int parse_words(char *words, const struct place *place, const struct pmu_cpu_model *model,
		       struct pmu_event *event)
{
	struct fields fields;
	uint32_t seen = 0;
	char *word;

	memset(&fields, 0, sizeof(fields));
	while ((word = strsep(&words, ","))) {
		int rc = read_term(word, place, layout_of(place, model), &fields, &seen);

		if (rc)
			return rc;
	}
	if (!(seen & 1))
		return pmu_fail(EINVAL, "%s/.../: say which event: event=0x..", place->name);
	fill(place, model, &fields, event);
	return 0;
}

/* "cpu/cycles/k" is cycles:k, "power/energy-pkg/" energy-pkg. */
static int refer(const struct place *place, char *words, char *end, char **rest)
{
	bool energy = !strncasecmp(words, "energy-", 7);

	if (place->kind == PMU_SLOT_UNCORE)
		return pmu_fail(EINVAL, "%s/%.*s/: say which event: event=0x..", place->name, SHOWN, words);
	if (energy != (place->kind == PMU_SLOT_ENERGY))
		return pmu_fail(EINVAL, "%s counts no %.*s", place->name, SHOWN, words);
	if (end[1] == ':')
		memmove(end, end + 1, strlen(end + 1) + 1);
	else if (end[1])
		*end = ':';
	*rest = words;
	return 1;
}

int pmu_terms_parse(char *text, const struct pmu_cpu_model *model, struct pmu_event *event, char **rest)
{
	char *words = strchr(text, '/'), *end = words ? strchr(words + 1, '/') : NULL;
	const struct place *place = NULL;
	int rc;

	if (!end)
		return pmu_fail(EINVAL, "\"%.*s\": a second slash is missing", SHOWN, text);
	*words++ = '\0';
	*end = '\0';
	*rest = end + 1;
	rc = find_place(text, model, &place);
	if (rc)
		return rc;
	if (place->unit == PMU_UNIT_CLOCK && place->kind == PMU_SLOT_UNCORE)
		return fill_clock(words, event);
	if (place->kind == PMU_SLOT_ENERGY || (*words && !strpbrk(words, "=,")))
		return refer(place, words, end, rest);
	return parse_words(words, place, model, event);
}
