/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses what people ask to count: the kernel's generic and software events, raw codes, energy;
 * what a CPU calls its events itself is left to pfm.c and terms.c.
 */
#include "plan/event.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "names/absent.h"
#include "names/branches.h"
#include "names/native.h"
#include "names/pfm/names.h"
#include "names/pfm/pfm.h"
#include "names/simulated.h"
#include "names/terms.h"
#include "plan/catalog.h"
#include "plan/interrupts.h"
#include "plan/usual.h"

/* Longest text of one event. */
#define WORD_MAX PMU_PFM_TEXT_MAX
/* Bytes of the caller's text that a message repeats. */
#define SHOWN 60

struct modifiers {
	const char *text; /* as the column's label has it */
	bool user, kernel;
};

/* --- names --- */

static const struct pmu_event_about *find_event_name(const char *name)
{
	for (const struct pmu_event_about *about = pmu_event_names; about->name; about++) {
		if (!strcasecmp(about->name, name))
			return about;
	}
	return NULL;
}

static const char *nearest_name(const char *name)
{
	const char *names[128];
	size_t n = 0;

	for (; pmu_event_names[n].name && n + 1 < PMU_ARRAY_LEN(names); n++)
		names[n] = pmu_event_names[n].name;
	names[n] = NULL;
	return pmu_closest(name, names);
}

/* Of "page_faults" page-faults; NULL: with hyphens it is none either. */
static const char *with_hyphens(const char *name)
{
	char other[PMU_EVENT_NAME_MAX];
	const struct pmu_event_about *about;

	if ((size_t)snprintf(other, sizeof(other), "%s", name) >= sizeof(other))
		return NULL;
	for (char *at = other; *at; at++)
		*at = *at == '_' ? '-' : *at;
	about = find_event_name(other);
	return about ? about->name : NULL;
}

/* Intel and AMD join words by dots and underscores, the kernel by hyphens. */
static bool looks_native(const char *name)
{
	return strpbrk(name, "._") || strstr(name, "::");
}

/* @rc: why it is no native event either; -EINVAL: it is one, but wrongly written */
static int unknown(const char *name, int rc)
{
	const char *closest = looks_native(name) ? with_hyphens(name) : nearest_name(name);
	char why[PMU_ERROR_MAX];

	if (closest && (rc == -ENOENT || rc == -ENOTSUP))
		return pmu_fail(EINVAL, "there is no event \"%.*s\"; did you mean %s?", SHOWN, name,
				closest);
	if (rc != -ENOMEM && strpbrk(name, " \t;"))
		return pmu_fail(
			EINVAL,
			"there is no event \"%.*s\"; events are written with commas between them",
			SHOWN, name);
	snprintf(why, sizeof(why), "%s", pmu_error_text());
	return pmu_fail(rc == -ENOMEM ? ENOMEM : EINVAL, "%s", why);
}

/* r and one to sixteen hexadecimal digits: no name looks like that */
static bool parse_raw(const char *name, uint64_t *code)
{
	size_t digits;

	if (name[0] != 'r' && name[0] != 'R')
		return false;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || name[1 + digits])
		return false;
	*code = strtoull(name + 1, NULL, 16);
	return true;
}

static const struct pmu_cpu_model *model_of(const struct pmu_catalog *catalog)
{
	return catalog && catalog->model ? catalog->model : pmu_pfm_own_model();
}

static void use_model_code(const struct pmu_cpu_model *model, const char *name,
			   struct pmu_slot *slot)
{
	if (model)
		pmu_usual_own_code(model->vendor, model->family, model->model_first, name, slot);
}

static void limit_raw(const struct pmu_cpu_model *model, struct pmu_slot *slot)
{
	if (model && !strcmp(model->vendor, "GenuineIntel"))
		pmu_pfm_limit(model->pfm, slot);
}

/* 1: neither a name of ours nor a raw code */
static int parse_event_name(const char *name, struct pmu_catalog *catalog,
			    struct pmu_event_about *about, struct pmu_event *event)
{
	const struct pmu_event_about *known = find_event_name(name);
	uint64_t code;

	if (known) {
		*about = *known;
		snprintf(event->name, sizeof(event->name), "%s",
			 known->alias ? known->alias : known->name);
	} else if (parse_raw(name, &code)) {
		*about = (struct pmu_event_about){
			.name = name, .unit = "", .type = PERF_TYPE_RAW, .config = code
		};
		snprintf(event->name, sizeof(event->name), "r%llx", (unsigned long long)code);
	} else {
		return 1;
	}
	snprintf(event->unit, sizeof(event->unit), "%s", about->unit);
	event->slot = (struct pmu_slot){ .kind = about->kind,
					 .type = about->type,
					 .config = about->config,
					 .unit = about->part };
	if (!known)
		limit_raw(model_of(catalog), &event->slot);
	else if (known->type == PERF_TYPE_HARDWARE)
		use_model_code(model_of(catalog), event->name, &event->slot);
	else if (pmu_slot_is_socket(&event->slot))
		pmu_terms_kernel(pmu_catalog_devices(catalog), event);
	else if (!strcmp(about->name, PMU_INTERRUPTS) &&
		 pmu_interrupts_encode(model_of(catalog), &event->slot, &about->level) < 0)
		return -EINVAL;
	else if (!strcmp(about->name, PMU_CONDITIONAL_BRANCHES) ||
		 !strcmp(about->name, PMU_TAKEN_BRANCHES))
		return pmu_branches_encode(catalog, event, &about->level);
	return 0;
}

/* --- levels --- */

static const struct modifiers known_modifiers[] = {
	{ "u", true, false }, { "k", false, true }, { "uk", true, true }, { "ku", true, true }
};

static int parse_modifiers(const char *name, const char *text, const struct modifiers **found)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(known_modifiers); i++) {
		if (!strcasecmp(text, known_modifiers[i].text)) {
			*found = &known_modifiers[i];
			return 0;
		}
	}
	return pmu_fail(EINVAL,
			"\"%.*s:%.*s\": after the colon stands u (user level), k (kernel) or uk "
			"(both)",
			SHOWN, name, SHOWN, text);
}

static int check_level(const struct pmu_event_about *about, const struct modifiers *asked)
{
	if (about->level == PMU_LEVEL_SOCKET)
		return pmu_fail(EINVAL,
				"%s belongs to the socket, which does not tell user level from "
				"kernel: write %s",
				about->name, about->name);
	if (about->level == PMU_LEVEL_NONE || about->level == PMU_LEVEL_ALL)
		return pmu_fail(EINVAL, "%s does not tell user level from kernel: write %s",
				about->name, about->name);
	if (about->level == PMU_LEVEL_KERNEL && !asked->kernel)
		return pmu_fail(EINVAL,
				"%s happen in the kernel, at user level they are always "
				"0: write %s",
				about->name, about->name);
	return 0;
}

/* The label says what differs from the event's default. */
static int apply_level(struct pmu_event *event, const struct pmu_event_about *about,
		       const struct modifiers *asked)
{
	size_t len = strlen(event->name);
	int rc;

	event->slot.user = true;
	event->slot.kernel = about->level == PMU_LEVEL_KERNEL || about->level == PMU_LEVEL_SOCKET ||
			     about->level == PMU_LEVEL_ALL;
	if (!asked)
		return 0;
	rc = check_level(about, asked);
	if (rc)
		return rc;
	if (asked->user != event->slot.user || asked->kernel != event->slot.kernel)
		snprintf(event->name + len, sizeof(event->name) - len, ":%s",
			 asked->user ? "uk" : "k");
	event->slot.user = asked->user;
	event->slot.kernel = asked->kernel;
	return 0;
}

/* --- one event, many events --- */

/* @text without the blanks around it, in a buffer of its own */
static int copy_word(const char *text, size_t len, char *word, size_t size)
{
	while (len && isspace((unsigned char)text[0]))
		text++, len--;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (!len)
		return pmu_fail(EINVAL, "an event without a name; try instructions or cycles");
	if (len >= size)
		return pmu_fail(EINVAL, "there is no event \"%.*s...\"", SHOWN, text);
	memcpy(word, text, len);
	word[len] = '\0';
	return 0;
}

/* u, k, uk; u=1, k=0 as libpfm4 writes them out.  Return: is it about a level? */
static bool parse_native_level(const char *part, struct modifiers *asked)
{
	bool value = part[0] && part[1] == '=' && !strcmp(part + 2, "1");

	for (size_t i = 0; i < PMU_ARRAY_LEN(known_modifiers); i++) {
		if (!strcasecmp(part, known_modifiers[i].text)) {
			asked->user |= known_modifiers[i].user;
			asked->kernel |= known_modifiers[i].kernel;
			return true;
		}
	}
	if (!value && (!part[0] || strcmp(part + 1, "=0") != 0))
		return false;
	asked->user |= value && (part[0] == 'u' || part[0] == 'U');
	asked->kernel |= value && (part[0] == 'k' || part[0] == 'K');
	return strchr("uUkK", part[0]);
}

/* Takes the levels out of "UOPS_ISSUED.ANY:u:c=1"; true: there were some. */
static bool take_levels(char *word, struct modifiers *asked)
{
	char *from = strstr(word, "::"), *to, *part;
	bool any = false;

	from = strchr(from ? from + 2 : word, ':');
	if (!from)
		return false;
	to = from++;
	while ((part = strsep(&from, ":"))) {
		size_t len = strlen(part);

		if (parse_native_level(part, asked)) {
			any = true;
			continue;
		}
		*to++ = ':';
		memmove(to, part, len);
		to += len;
	}
	*to = '\0';
	return any;
}

/*
 * PERF_METRICS holds shares of 255 of the slots since it was last written, for one thread at a time
 * (Intel SDM vol. 3B, Performance Metrics): no count that two reads have a difference of.  perf's topdown-... are
 * made of it.
 */
static int refuse_shares(const char *word)
{
	if (strncasecmp(word, "PERF_METRICS", strlen("PERF_METRICS")) != 0 &&
	    strncasecmp(word, "topdown-", strlen("topdown-")) != 0)
		return 0;
	return pmu_fail(EINVAL,
			"\"%.*s\" is a share in PERF_METRICS and no count: take TOPDOWN.SLOTS and "
			"UOPS_RETIRED.SLOTS, or the group TOPDOWN",
			SHOWN, word);
}

static int parse_native(char *word, struct pmu_catalog *catalog, struct pmu_event *event)
{
	struct modifiers asked = { .user = false };
	bool any = take_levels(word, &asked);
	struct pmu_event_about about = { .name = event->name, .unit = "" };
	int rc = refuse_shares(word);

	if (rc)
		return rc;
	rc = pmu_native_encode(word, catalog, event);
	if (rc)
		return unknown(word, rc);
	event->slot.simulated = pmu_simulated_native(word);
	if (pmu_slot_is_socket(&event->slot))
		about.level = PMU_LEVEL_SOCKET;
	if (any && !asked.user && !asked.kernel)
		return pmu_fail(EINVAL, "%.*s: neither user level nor kernel is left", SHOWN, word);
	return apply_level(event, &about, any ? &asked : NULL);
}

/* @colon: what follows the name: ":k"; "" nothing */
static int apply_modifiers(struct pmu_event *event, const struct pmu_event_about *about,
			   const char *colon)
{
	const struct modifiers *asked = NULL;
	int rc = 0;

	if (*colon)
		rc = parse_modifiers(about->name, colon + (*colon == ':'), &asked);
	return rc ? rc : apply_level(event, about, asked);
}

static int parse_plain(char *word, struct pmu_catalog *catalog, struct pmu_event *event)
{
	struct pmu_event_about about = { .unit = "" };
	char name[PMU_EVENT_NAME_MAX];
	size_t len = strcspn(word, ":");
	int rc = 1;

	if (len < sizeof(name)) {
		memcpy(name, word, len);
		name[len] = '\0';
		rc = parse_event_name(name, catalog, &about, event);
	}
	if (rc <= 0)
		return rc ? rc : apply_modifiers(event, &about, word + len);
	return parse_native(word, catalog, event);
}

/* "cpu_atom/cycles/" is cycles of those cores alone. */
static int name_core_type(uint8_t types, struct pmu_event *event)
{
	char name[PMU_EVENT_NAME_MAX], *level;

	if (!types || event->slot.core_types == types)
		return 0;
	if (event->slot.core_types)
		return pmu_fail(EINVAL, "%s is no event of these cores", event->name);
	pmu_slot_narrow(&event->slot, types);
	snprintf(name, sizeof(name), "%s", event->name);
	level = strchr(name, ':');
	if (level)
		*level++ = '\0';
	snprintf(event->name, sizeof(event->name), "%s/%.40s/%s%.8s",
		 types == PMU_SLOT_E ? "cpu_atom" : "cpu_core", name, level ? ":" : "",
		 level ? level : "");
	return 0;
}

static int parse_terms(char *word, struct pmu_catalog *catalog, struct pmu_event *event)
{
	struct pmu_event_about about = { .unit = "" };
	const char *devices = pmu_catalog_devices(catalog);
	char copy[WORD_MAX], *rest;
	uint8_t types;
	int rc;

	snprintf(copy, sizeof(copy), "%s", word);
	rc = pmu_terms_parse(word, devices, model_of(catalog), event, &rest);
	if (rc < 0 && catalog && catalog->keep_absent && devices &&
	    !pmu_absent_event(copy, devices, event, &rest)) {
		pmu_error_clear();
		rc = 0;
	}
	if (rc < 0)
		return rc;
	if (rc) {
		types = event->slot.core_types;
		rc = parse_plain(rest, catalog, event);
		return rc ? rc : name_core_type(types, event);
	}
	about.name = event->name;
	if (pmu_slot_is_socket(&event->slot))
		about.level = PMU_LEVEL_SOCKET;
	else if (event->slot.pmu[0])
		about.level = PMU_LEVEL_ALL;
	return apply_modifiers(event, &about, rest);
}

/* Of "nvml/energy/:k" and "nvml/power/": names of ours that have slashes begin as it does. */
static const struct pmu_event_about *find_slashed(const char *word, size_t len)
{
	for (const struct pmu_event_about *about = pmu_event_names; about->name; about++)
		if (strchr(about->name, '/') && !strncasecmp(about->name, word, len))
			return about;
	return NULL;
}

/* 1: no source of ours has such a name: it is the kernel's, or a core's */
static int parse_slashed(char *word, struct pmu_catalog *catalog, struct pmu_event *event)
{
	size_t place = strcspn(word, "/") + 1, len = strcspn(word, ":");
	const struct pmu_event_about *about = find_slashed(word, place);

	if (!about)
		return 1;
	about = find_slashed(word, len);
	if (about && !about->name[len])
		return parse_plain(word, catalog, event);
	return pmu_fail(EINVAL, "\"%.*s\" is no count of %.*s's: 'pmu list events %.*s' has them",
			SHOWN, word, (int)place - 1, word, (int)place - 1, word);
}

static int parse_part(const char *text, size_t len, struct pmu_catalog *catalog,
		      struct pmu_event *event)
{
	char word[WORD_MAX];
	int rc = copy_word(text, len, word, sizeof(word));

	if (rc)
		return rc;
	memset(event, 0, sizeof(*event));
	if (!strchr(word, '/'))
		return parse_plain(word, catalog, event);
	rc = parse_slashed(word, catalog, event);
	return rc <= 0 ? rc : parse_terms(word, catalog, event);
}

int pmu_event_parse(const char *text, struct pmu_catalog *catalog, struct pmu_event *event)
{
	return parse_part(text, strlen(text), catalog, event);
}

static bool same_slot_code(const struct pmu_slot_code *a, const struct pmu_slot_code *b)
{
	return a->is_set == b->is_set && a->config == b->config && a->config1 == b->config1 &&
	       a->extra == b->extra && a->extra_value == b->extra_value;
}

bool pmu_event_same_slot(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->kind == b->kind && a->unit == b->unit && a->type == b->type &&
	       a->config == b->config && a->user == b->user && a->kernel == b->kernel &&
	       a->core_types == b->core_types && a->extra == b->extra &&
	       a->extra_value == b->extra_value && a->config1 == b->config1 &&
	       a->config2 == b->config2 && same_slot_code(&a->e_code, &b->e_code) &&
	       !strcmp(a->pmu, b->pmu);
}

static int check_twice(const struct pmu_event *events, int n)
{
	for (int i = 0; i < n; i++) {
		if (pmu_event_same_slot(&events[i].slot, &events[n].slot))
			return strcmp(events[i].name, events[n].name) != 0
				       ? pmu_fail(EINVAL,
						  "%s is %s by another name: name one of them",
						  events[n].name, events[i].name)
				       : pmu_fail(EINVAL, "%s is named twice", events[n].name);
		/* only where a name was too long for a column */
		if (!strcmp(events[i].name, events[n].name))
			return pmu_fail(EINVAL,
					"two events are called %s as far as a column has room",
					events[n].name);
	}
	return 0;
}

/* Up to the next comma that does not stand between slashes. */
static size_t part_length(const char *text)
{
	bool slashes = false;
	size_t len = 0;

	for (; text[len] && (slashes || text[len] != ','); len++)
		slashes ^= text[len] == '/';
	return len;
}

int pmu_event_list_parse(const char *text, struct pmu_catalog *catalog, struct pmu_event *events)
{
	int n = 0, rc;

	for (;;) {
		size_t len = part_length(text);

		if (n == PMU_MAX_SLOTS)
			return pmu_fail(E2BIG, "more than %d events in one group", PMU_MAX_SLOTS);
		rc = parse_part(text, len, catalog, &events[n]);
		if (!rc)
			rc = check_twice(events, n);
		if (rc)
			return rc;
		n++;
		if (!text[len])
			return n;
		text += len + 1;
	}
}
