/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the events out of one of Intel's event files, or of Linux's.
 *
 * Source: intel/perfmon, README.md, "Event field names": the members of an event; all are strings.
 * Linux, tools/perf/pmu-events/README.
 */
#include "names/vendor/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "names/json.h"
#include "plan/plan.h"

#define NUMBER_LEN_MAX   64
#define COUNTERS_LEN_MAX 256
/*
 * General counters have the numbers below, fixed ones those from here on ("32" is fixed counter 0).
 */
#define FIRST_FIXED 32
#define LAST_FIXED  63

/* --- values --- */

/* What stands for "has none". */
static bool is_none(const char *text)
{
	static const char *const none[] = { "", "null", "na", "n/a", "none", "-" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(none); i++)
		if (!strcasecmp(text, none[i]))
			return true;
	return false;
}

static char *trim_blanks(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	for (len = strlen(text); len && (text[len - 1] == ' ' || text[len - 1] == '\t'); len--)
		;
	text[len] = '\0';
	return text;
}

/* "0xB7, 0xBB" is the first of them: the one that goes with the first register. */
static bool read_first_number(const char *text, uint64_t *value)
{
	char copy[NUMBER_LEN_MAX], *word;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	copy[strcspn(copy, ",")] = '\0';
	word = trim_blanks(copy);
	*value = 0;
	if (is_none(word))
		return true;
	return pmu_parse_u64(word, value) == 0;
}

static bool read_flag(const char *text, bool *flag)
{
	uint64_t value;

	if (!strcasecmp(text, "true") || !strcasecmp(text, "false")) {
		*flag = !strcasecmp(text, "true");
		return true;
	}
	if (!read_first_number(text, &value) || value > 1)
		return false;
	*flag = value;
	return true;
}

/* "0-3" */
static bool read_range(const char *word, struct pmu_vendor_entry *entry)
{
	if (strlen(word) != 3 || word[1] != '-' || word[0] < '0' || word[2] > '9' ||
	    word[0] > word[2])
		return false;
	for (int n = word[0] - '0'; n <= word[2] - '0'; n++)
		entry->counters |= UINT64_C(1) << n;
	return true;
}

static bool read_counter(const char *word, struct pmu_vendor_entry *entry)
{
	static const char fixed[] = "fixed counter ";
	uint64_t n;

	if (is_none(word))
		return true;
	if (!strcasecmp(word, "fixed")) {
		entry->fixed_uncore = true;
		return true;
	}
	if (!strncasecmp(word, fixed, strlen(fixed))) {
		if (pmu_parse_u64(word + strlen(fixed), &n) < 0 || n > LAST_FIXED - FIRST_FIXED)
			return false;
		entry->fixed = (int)n;
		entry->fixed_from_0 = !n;
		return true;
	}
	if (read_range(word, entry))
		return true;
	if (pmu_parse_u64(word, &n) < 0 || n > LAST_FIXED)
		return false;
	if (n < FIRST_FIXED) {
		entry->counters |= UINT64_C(1) << n;
	} else {
		entry->fixed = (int)n - FIRST_FIXED;
		entry->fixed_from_0 = true;
	}
	return true;
}

/* "0,1,2,3", "0-3", "Fixed counter 1", "33", "FIXED" */
static bool read_entry_counters(const char *text, struct pmu_vendor_entry *entry)
{
	char copy[COUNTERS_LEN_MAX], *rest = copy, *word;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	while ((word = strsep(&rest, ",")))
		if (!read_counter(trim_blanks(word), entry))
			return false;
	return true;
}

/* --- members --- */

enum member_kind {
	TEXT,
	NUMBER,
	FLAG,
	COUNTERS,
	UNKNOWN, /* it changes what is counted in a way that is not known here */
};

static const struct member {
	const char *name;
	enum member_kind kind;
	size_t offset;
} members[] = {
	{ "EventName", TEXT, offsetof(struct pmu_vendor_entry, name) },
	{ "BriefDescription", TEXT, offsetof(struct pmu_vendor_entry, about) },
	{ "ArchStdEvent", TEXT, offsetof(struct pmu_vendor_entry, standard) },
	{ "MetricName", TEXT, offsetof(struct pmu_vendor_entry, metric) },
	{ "Unit", TEXT, offsetof(struct pmu_vendor_entry, unit) },
	{ "Filter", TEXT, offsetof(struct pmu_vendor_entry, filter) },
	{ "CounterType", TEXT, offsetof(struct pmu_vendor_entry, counter_type) },
	{ "Errata", TEXT, offsetof(struct pmu_vendor_entry, errata) },
	{ "EventCode", NUMBER, offsetof(struct pmu_vendor_entry, code) },
	{ "ConfigCode", NUMBER, offsetof(struct pmu_vendor_entry, config) },
	{ "UMask", NUMBER, offsetof(struct pmu_vendor_entry, umask) },
	{ "UMaskExt", NUMBER, offsetof(struct pmu_vendor_entry, umask_ext) },
	{ "CounterMask", NUMBER, offsetof(struct pmu_vendor_entry, cmask) },
	{ "MSRIndex", NUMBER, offsetof(struct pmu_vendor_entry, msr_index) },
	{ "MSRValue", NUMBER, offsetof(struct pmu_vendor_entry, msr_value) },
	{ "PortMask", NUMBER, offsetof(struct pmu_vendor_entry, port_mask) },
	{ "FCMask", NUMBER, offsetof(struct pmu_vendor_entry, fc_mask) },
	{ "FILTER_VALUE", NUMBER, offsetof(struct pmu_vendor_entry, filter_value) },
	{ "ExtSel", NUMBER, offsetof(struct pmu_vendor_entry, ext_sel) },
	{ "RdWrMask", NUMBER, offsetof(struct pmu_vendor_entry, rd_wr_mask) },
	{ "SliceId", NUMBER, offsetof(struct pmu_vendor_entry, slice) },
	{ "ThreadMask", NUMBER, offsetof(struct pmu_vendor_entry, thread_mask) },
	{ "EnAllSlices", FLAG, offsetof(struct pmu_vendor_entry, all_slices) },
	{ "EnAllCores", FLAG, offsetof(struct pmu_vendor_entry, all_cores) },
	{ "EventidCode", UNKNOWN, 0 },
	{ "NodeType", UNKNOWN, 0 },
	{ "Invert", FLAG, offsetof(struct pmu_vendor_entry, invert) },
	{ "EdgeDetect", FLAG, offsetof(struct pmu_vendor_entry, edge) },
	{ "AnyThread", FLAG, offsetof(struct pmu_vendor_entry, any) },
	{ "Equal", FLAG, offsetof(struct pmu_vendor_entry, equal) },
	{ "Deprecated", FLAG, offsetof(struct pmu_vendor_entry, deprecated) },
	{ "Counter", COUNTERS, 0 },
	/* with hyperthreading off there are more of them */
	{ "CounterHTOff", COUNTERS, 0 },
};

_Static_assert(PMU_ARRAY_LEN(members) <= 64, "each has a bit in entry->given");

static bool has_member(const struct pmu_vendor_entry *entry, const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(members); i++)
		if (!strcmp(members[i].name, name))
			return entry->given >> i & 1;
	return false;
}

static const struct member *find_member(const char *key, size_t len)
{
	for (const struct member *m = members; m < members + PMU_ARRAY_LEN(members); m++)
		if (m->name[0] == key[0] && strlen(m->name) == len && !memcmp(m->name, key, len))
			return m;
	return NULL;
}

/*
 * Puts a NUL where the value ends, which the walk has passed.  One line, so that lines can still be
 * counted.
 */
static const char *cut_out(const struct pmu_json *json, struct pmu_vendor_file *file)
{
	char *text = file->text + (json->value - file->text);

	pmu_json_string(json, text, json->len + 1);
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
	return text;
}

static void take_value(const struct pmu_json *json, enum pmu_json_kind kind,
		       const struct member *member, struct pmu_vendor_file *file,
		       struct pmu_vendor_entry *entry)
{
	char *place = (char *)entry + member->offset;
	char bare[NUMBER_LEN_MAX] = "";
	const char *text = bare;
	bool fine = false;

	if (kind == PMU_JSON_STRING)
		text = cut_out(json, file);
	else if (json->len < sizeof(bare))
		memcpy(bare, json->value, json->len);
	switch (member->kind) {
	case TEXT:
		if (kind == PMU_JSON_STRING)
			*(const char **)(void *)place = text;
		fine = kind == PMU_JSON_STRING || kind == PMU_JSON_WORD;
		break;
	case NUMBER:
		fine = read_first_number(text, (uint64_t *)(void *)place);
		break;
	case FLAG:
		fine = read_flag(text, (bool *)place);
		break;
	case COUNTERS:
		fine = read_entry_counters(text, entry);
		break;
	case UNKNOWN:
		break;
	}
	entry->given |= UINT64_C(1) << (member - members);
	if (!fine && !entry->wrong)
		entry->wrong = member->name;
}

/* --- events --- */

/* An event: the object that @json has just entered. */
static void read_vendor_event(struct pmu_json *json, struct pmu_vendor_file *file,
			      struct pmu_vendor_entry *entry)
{
	enum pmu_json_kind kind;

	*entry = (struct pmu_vendor_entry){
		.name = "",
		.about = "",
		.unit = "",
		.filter = "",
		.counter_type = "",
		.standard = "",
		.metric = "",
		.errata = "",
		.fixed = -1,
		.file = file,
		.wrong = NULL,
		.at = (size_t)(json->at - json->text),
		.code = UINT64_MAX,
	};
	while ((kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		const struct member *member = find_member(json->key, json->key_len);

		if (kind == PMU_JSON_OBJECT || kind == PMU_JSON_ARRAY) {
			if (member && !entry->wrong)
				entry->wrong = member->name;
			pmu_json_skip(json);
		} else if (member) {
			take_value(json, kind, member, file, entry);
		}
	}
	if (is_none(entry->errata) || !strcmp(entry->errata, "0"))
		entry->errata = "";
	if (entry->code == UINT64_MAX && !entry->wrong && !file->is_linux)
		entry->wrong = "EventCode";
	file->zero_based |= entry->fixed_from_0;
}

static struct pmu_vendor_entry *entry_room(struct pmu_vendor_file *file, uint32_t *size)
{
	struct pmu_vendor_entry *more;

	if (file->n == PMU_VENDOR_MAX_EVENTS) {
		pmu_fail(EINVAL, "%s: more than %d events", file->name, PMU_VENDOR_MAX_EVENTS);
		return NULL;
	}
	if (file->n < *size)
		return &file->entry[file->n];
	*size = *size ? 2 * *size : 512;
	more = realloc(file->entry, *size * sizeof(*more));
	if (!more) {
		pmu_fail(ENOMEM, "no memory for the events of %s", file->name);
		return NULL;
	}
	file->entry = more;
	return &more[file->n];
}

/* The array that @json has just entered. */
static int read_vendor_events(struct pmu_json *json, struct pmu_vendor_file *file,
			      uint8_t core_type)
{
	enum pmu_json_kind kind;
	uint32_t size = file->n;

	while ((kind = pmu_json_next(json)) != PMU_JSON_ARRAY_END && kind != PMU_JSON_END) {
		struct pmu_vendor_entry *entry;

		if (kind == PMU_JSON_ARRAY)
			pmu_json_skip(json);
		if (kind != PMU_JSON_OBJECT)
			continue;
		entry = entry_room(file, &size);
		if (!entry)
			return file->n == PMU_VENDOR_MAX_EVENTS ? -EINVAL : -ENOMEM;
		read_vendor_event(json, file, entry);
		entry->core_type = core_type;
		file->n += entry->name[0] ||
			   (file->is_linux && (entry->standard[0] || entry->metric[0]));
	}
	return 0;
}

/* Old files are an array of events, newer ones an object with one as its member Events. */
static int read_outermost(struct pmu_json *json, struct pmu_vendor_file *file, uint8_t core_type)
{
	enum pmu_json_kind kind = pmu_json_next(json);
	int rc = 0;

	if (kind == PMU_JSON_ARRAY)
		return read_vendor_events(json, file, core_type);
	if (kind != PMU_JSON_OBJECT && kind != PMU_JSON_END)
		return pmu_fail(EINVAL, "%s: no object and no array of events", file->name);
	while (!rc && (kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		if (kind == PMU_JSON_ARRAY && json->key_len == 6 && !memcmp(json->key, "Events", 6))
			rc = read_vendor_events(json, file, core_type);
		else if (kind == PMU_JSON_ARRAY || kind == PMU_JSON_OBJECT)
			pmu_json_skip(json);
	}
	return rc;
}

int pmu_vendor_file_parse(struct pmu_vendor_file *file, uint8_t core_type)
{
	struct pmu_json json;
	int rc;

	pmu_json_start(&json, file->text, file->len);
	rc = read_outermost(&json, file, core_type);
	if (!rc)
		pmu_json_next(&json); /* nothing behind it */
	if (!rc && json.error)
		rc = pmu_fail(EINVAL, "%s:%u: %s", file->name, pmu_json_line(&json), json.error);
	return rc;
}

/* --- Linux's --- */

static void take_member(struct pmu_vendor_entry *entry, const struct pmu_vendor_entry *from,
			const struct member *member)
{
	void *to = (char *)entry + member->offset;
	const void *at = (const char *)from + member->offset;

	switch (member->kind) {
	case TEXT:
		*(const char **)to = *(const char *const *)at;
		break;
	case NUMBER:
		*(uint64_t *)to = *(const uint64_t *)at;
		break;
	case FLAG:
		*(bool *)to = *(const bool *)at;
		break;
	case COUNTERS:
	case UNKNOWN:
		break;
	}
}

/* What the event has itself stays as it is. */
static void complete(struct pmu_vendor_entry *entry, const struct pmu_vendor_entry *from)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(members); i++)
		if (from->given >> i & 1 && !(entry->given >> i & 1))
			take_member(entry, from, &members[i]);
	entry->given |= from->given;
	if (!entry->wrong)
		entry->wrong = from->wrong;
}

static const struct pmu_vendor_entry *find_standard(const char *name,
						    const struct pmu_vendor_file *standard,
						    unsigned int n_standard)
{
	for (unsigned int i = 0; i < n_standard; i++)
		for (uint32_t k = 0; k < standard[i].n; k++) {
			const struct pmu_vendor_entry *entry = &standard[i].entry[k];

			if (!strcasecmp(entry->name[0] ? entry->name : entry->metric, name))
				return entry;
		}
	return NULL;
}

/*
 * tools/perf/pmu-events/jevents.py: without EventCode it is 0, ConfigCode is all of config, kinds of
 * cores are units.
 */
static void settle_entry(struct pmu_vendor_entry *entry)
{
	bool p = !strcasecmp(entry->unit, "cpu_core"), e = !strcasecmp(entry->unit, "cpu_atom");

	entry->whole = has_member(entry, "ConfigCode");
	if (entry->whole)
		entry->code = entry->config;
	else if (!has_member(entry, "EventCode"))
		entry->code = 0;
	if (p || e) {
		entry->core_type = p ? PMU_SLOT_P : PMU_SLOT_E;
		entry->unit = "";
	}
	/* terms of the kernel's PMU */
	if (entry->filter[0] && !entry->wrong)
		entry->wrong = "Filter";
}

void pmu_vendor_file_settle(struct pmu_vendor_file *file, const struct pmu_vendor_file *standard,
			    unsigned int n_standard)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < file->n; i++) {
		struct pmu_vendor_entry *entry = &file->entry[i];
		const struct pmu_vendor_entry *from = NULL;

		if (entry->standard[0]) {
			from = find_standard(entry->standard, standard, n_standard);
			if (from)
				complete(entry, from);
			else if (!entry->wrong)
				entry->wrong = "ArchStdEvent";
			if (!from && !entry->name[0])
				entry->name = entry->standard;
		}
		if (!entry->name[0])
			continue;
		settle_entry(entry);
		file->entry[n++] = *entry;
	}
	file->n = n;
}

void pmu_vendor_file_free(struct pmu_vendor_file *file)
{
	for (uint32_t i = 0; file->entry && i < file->n; i++)
		if (file->entry[i].described)
			free((char *)file->entry[i].about);
	free(file->text);
	free(file->name);
	free(file->relative);
	free(file->entry);
}

unsigned int pmu_vendor_file_line(const struct pmu_vendor_entry *entry)
{
	unsigned int line = 1;

	if (entry->file->is_table)
		return (unsigned int)entry->at;
	for (size_t i = 0; i < entry->at; i++)
		line += entry->file->text[i] == '\n';
	return line;
}
