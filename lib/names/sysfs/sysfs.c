/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the kernel's PMUs: terms by their format files, named events with their scales. */
#include "names/sysfs/sysfs.h"

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
#include "base/sysfile.h"
#include "machine/models.h"
#include "names/sysfs/files.h"
#include "names/sysfs/format.h"

#define MOST_TERMS 32
#define SHOWN      60

struct term {
	char name[PMU_SYSFS_NAME_MAX];
	struct pmu_sysfs_format format;
	uint64_t value;
	bool user;    /* was written by hand, not in the named event's file */
	bool changes; /* and says something else than that file */
};

struct query {
	struct pmu_sysfs_pmu pmu;
	struct pmu_sysfs_names formats, events;
	char event[PMU_SYSFS_NAME_MAX]; /* "" none */
	struct term term[MOST_TERMS];
	unsigned int n_terms;
	char text[2 * PMU_SYSFS_TEXT_MAX]; /* what was written between the slashes */
};

/* --- what is asked of which PMU --- */

static int check_sysfs_pmu(const struct pmu_sysfs_pmu *pmu)
{
	const char *why = pmu_sysfs_why_not(pmu->name);

	if (why)
		return pmu_fail(EINVAL, "the PMU %s is not there to count: %s", pmu->name, why);
	if (strlen(pmu->name) >= sizeof(((struct pmu_slot *)NULL)->pmu))
		return pmu_fail(EINVAL, "the name of the PMU %s is too long", pmu->name);
	if (pmu->box.cut)
		return pmu_fail(EINVAL, "the PMU %s counts on more processors than can be added up",
				pmu->name);
	if (pmu->n_boxes > 1 && !pmu->box.n_cpus)
		return pmu_fail(EINVAL,
				"%s are %zu PMUs of different processors: name one of them, %s",
				pmu->name, pmu->n_boxes, pmu->box.name);
	return 0;
}

/* --- terms --- */

static int no_pmu_term(const struct query *q, const char *word, bool valued)
{
	const char *near = pmu_sysfs_names_nearest(&q->formats, valued ? NULL : &q->events, word);
	char formats[120], events[160];

	if (near)
		return pmu_fail(ENOENT, "the PMU %s has no \"%.*s\"; did you mean %s?", q->pmu.name,
				SHOWN, word, near);
	pmu_sysfs_names_text(&q->formats, formats, sizeof(formats));
	pmu_sysfs_names_text(&q->events, events, sizeof(events));
	return pmu_fail(ENOENT, "the PMU %s has no \"%.*s\"; its terms: %s; its events: %s",
			q->pmu.name, SHOWN, word, formats, events);
}

/* What the perf command understands beside the PMU's own terms. */
static bool is_of_perf(const char *name)
{
	static const char *const names[] = {
		"period",       "freq",          "name",    "time",       "call-graph",
		"stack-size",   "max-stack",     "inherit", "no-inherit", "overwrite",
		"no-overwrite", "driver-config", "percore", "aux-output", "aux-sample-size",
		"metric-id",    "branch_type",   "raw",
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		if (!strcasecmp(names[i], name))
			return true;
	return false;
}

/* config, config1, config2: all of a word */
static bool is_config(const char *name, struct pmu_sysfs_format *format)
{
	if (strncasecmp(name, "config", 6) != 0 ||
	    (name[6] && (name[6] < '1' || name[6] > '2' || name[7])))
		return false;
	format->config = name[6] ? (uint8_t)(name[6] - '0') : 0;
	format->bits = UINT64_MAX;
	return true;
}

static int read_format(const struct query *q, const char *name, struct pmu_sysfs_format *format)
{
	char text[PMU_SYSFS_TEXT_MAX];
	long len = pmu_sysfs_read(&q->pmu, "format", name, "", text);
	int rc;

	if (len == -ENOENT)
		return pmu_fail(EINVAL, "the PMU %s: its format %s has disappeared", q->pmu.name,
				name);
	if (len < 0)
		return (int)len;
	rc = pmu_sysfs_format_parse(text, format);
	if (rc == -ENOTSUP)
		return pmu_fail(EINVAL, "the PMU %s: %s goes to %.*s, which cannot be set here",
				q->pmu.name, name, (int)strcspn(text, ":"), text);
	if (rc)
		return pmu_fail(EINVAL, "the PMU %s: its format of %s is not understood: \"%.*s\"",
				q->pmu.name, name, SHOWN, text);
	return 0;
}

/* The term's name as the kernel writes it, and its place. */
static int find_pmu_term(const struct query *q, const char *word, bool valued, struct term *term)
{
	const char *name = pmu_sysfs_names_find(&q->formats, word);

	if (name) {
		snprintf(term->name, sizeof(term->name), "%s", name);
		return read_format(q, name, &term->format);
	}
	if (is_of_perf(word))
		return pmu_fail(
			EINVAL,
			"%s/.../: %s is for perf's samples and reports, nothing that is counted",
			q->pmu.name, word);
	if (!valued || !is_config(word, &term->format))
		return no_pmu_term(q, word, valued);
	for (size_t i = 0; i <= strlen(word); i++)
		term->name[i] = (char)tolower((unsigned char)word[i]);
	return 0;
}

static int read_term_number(const struct query *q, const char *text, struct term *term)
{
	uint64_t most = pmu_sysfs_format_max(&term->format);

	term->value = 1;
	if (text && pmu_parse_u64(text, &term->value) < 0)
		return pmu_fail(EINVAL, "%s/.../: %s=NUMBER, decimal or 0x, not \"%.*s\"",
				q->pmu.name, term->name, SHOWN, text);
	if (term->value > most)
		return pmu_fail(EINVAL, "%s/.../: %s is at most 0x%llx", q->pmu.name, term->name,
				(unsigned long long)most);
	return 0;
}

static struct term *of_user(struct query *q, const char *name)
{
	for (unsigned int i = 0; i < q->n_terms; i++)
		if (q->term[i].user && !strcmp(q->term[i].name, name))
			return &q->term[i];
	return NULL;
}

/* Two terms that are the same bits would depend on their order. */
static int add_pmu_term(struct query *q, const struct term *term)
{
	for (unsigned int i = 0; i < q->n_terms; i++) {
		const struct term *other = &q->term[i];

		if (!strcmp(other->name, term->name))
			return pmu_fail(EINVAL, "%s/.../: %s stands there twice", q->pmu.name,
					term->name);
		if (other->format.config == term->format.config &&
		    other->format.bits & term->format.bits)
			return pmu_fail(EINVAL, "%s/.../: %s and %s are the same bits", q->pmu.name,
					other->name, term->name);
	}
	if (q->n_terms == MOST_TERMS)
		return pmu_fail(EINVAL, "%s/.../: more than %d terms", q->pmu.name, MOST_TERMS);
	q->term[q->n_terms++] = *term;
	return 0;
}

/* A word between the commas, and what follows its '='; NULL for none. */
static char *cut_word(char **text, char **value)
{
	char *word = strsep(text, ",");

	while (isspace((unsigned char)*word))
		word++;
	for (size_t len = strlen(word); len && isspace((unsigned char)word[len - 1]);)
		word[--len] = '\0';
	*value = strchr(word, '=');
	if (*value)
		*(*value)++ = '\0';
	return word;
}

static int read_user_terms(struct query *q, char *text)
{
	for (bool first = true; text; first = false) {
		struct term term = { .user = true };
		char *value, *word = cut_word(&text, &value);
		const char *event = first && !value ? pmu_sysfs_names_find(&q->events, word) : NULL;
		int rc;

		if (event) {
			snprintf(q->event, sizeof(q->event), "%s", event);
			continue;
		}
		rc = find_pmu_term(q, word, value, &term);
		if (!rc)
			rc = read_term_number(q, value, &term);
		if (!rc)
			rc = add_pmu_term(q, &term);
		if (rc)
			return rc;
	}
	return 0;
}

/* --- named events --- */

static int read_event_term(struct query *q, const char *word, const char *value)
{
	struct term term = { .user = false }, *mine;
	int rc = find_pmu_term(q, word, value, &term);

	if (rc)
		return rc;
	mine = of_user(q, term.name);
	if (value && !strcmp(value, "?")) {
		if (!mine)
			return pmu_fail(EINVAL, "%s/%s/: say which %s: %s=NUMBER", q->pmu.name,
					q->event, term.name, term.name);
		mine->changes = true;
		return 0;
	}
	rc = read_term_number(q, value, &term);
	if (rc || !mine)
		return rc ? rc : add_pmu_term(q, &term);
	mine->changes = mine->value != term.value;
	mine->user = mine->changes;
	return 0;
}

static int read_sysfs_event(struct query *q)
{
	char text[PMU_SYSFS_TEXT_MAX], why[PMU_ERROR_MAX], *at = text;
	long len;
	int rc = 0;

	if (!q->event[0])
		return 0;
	len = pmu_sysfs_read(&q->pmu, "events", q->event, "", text);
	if (len == -ENOENT)
		return pmu_fail(EINVAL, "%s/%s/ has disappeared", q->pmu.name, q->event);
	if (len < 0)
		return (int)len;
	while (at && !rc) {
		char *value, *word = cut_word(&at, &value);

		rc = read_event_term(q, word, value);
	}
	if (rc != -ENOENT)
		return rc;
	snprintf(why, sizeof(why), "%s", pmu_error_text());
	return pmu_fail(EINVAL, "the kernel's event %s/%s/ is not understood: %s", q->pmu.name,
			q->event, why);
}

/* A PMU that has a term "event" counts nothing without it. */
static int check_event(const struct query *q)
{
	char list[200];

	if (!q->event[0] && pmu_sysfs_names_find(&q->formats, "event")) {
		for (unsigned int i = 0; i < q->n_terms; i++)
			if (!strcmp(q->term[i].name, "event") || !strcmp(q->term[i].name, "config"))
				return 0;
		pmu_sysfs_names_text(&q->events, list, sizeof(list));
		return pmu_fail(EINVAL,
				"%s/.../: say which event: event=0x.. or one of its names: %s",
				q->pmu.name, list);
	}
	return 0;
}

/* --- the result --- */

/* The order of a label: as people write an event select; others by name. */
static size_t rank(const char *name)
{
	static const char *const order[] = { "config", "config1", "config2", "event", "umask",
					     "cmask",  "inv",     "edge",    "any",   "pc",
					     "eq",     "in_tx",   "in_tx_cp" };
	size_t i = 0;

	while (i < PMU_ARRAY_LEN(order) && strcmp(order[i], name) != 0)
		i++;
	return i;
}

static int compare_terms(const void *a, const void *b)
{
	const struct term *x = a, *y = b;
	size_t rank_x = rank(x->name), rank_y = rank(y->name);

	return rank_x != rank_y ? (rank_x < rank_y ? -1 : 1) : strcmp(x->name, y->name);
}

static bool is_term_shown(const struct query *q, const struct term *term)
{
	if (!term->user)
		return false;
	return term->value || term->changes || (!q->event[0] && rank(term->name) <= rank("event"));
}

/* "uncore_imc/cas_count_read,thresh=0x2/" */
static void write_sysfs_label(struct query *q, char *label, size_t size)
{
	struct pmu_strbuf out = { 0 };
	const char *comma = q->event[0] ? "," : "";

	pmu_strbuf_addf(&out, "%s/%s", q->pmu.name, q->event);
	qsort(q->term, q->n_terms, sizeof(q->term[0]), compare_terms);
	for (unsigned int i = 0; i < q->n_terms; i++) {
		const struct term *term = &q->term[i];
		bool flag = pmu_sysfs_format_max(&term->format) == 1 && term->value;

		if (!is_term_shown(q, term))
			continue;
		pmu_strbuf_addf(&out, flag ? "%s%s" : "%s%s=0x%llx", comma, term->name,
				(unsigned long long)term->value);
		comma = ",";
	}
	pmu_strbuf_add(&out, "/");
	if ((size_t)snprintf(label, size, "%s", pmu_strbuf_text(&out)) >= size)
		label[size - 2] = '~';
	pmu_strbuf_free(&out);
}

static bool is_core(const struct pmu_sysfs_pmu *pmu)
{
	return pmu->box.type == PERF_TYPE_RAW || !strcmp(pmu->name, "cpu") ||
	       pmu_sysfs_exists(pmu, "cpus");
}

static void fill_kind(const struct query *q, bool energy, struct pmu_slot *slot)
{
	const struct pmu_sysfs_pmu *pmu = &q->pmu;

	slot->kind = PMU_SLOT_CORE;
	if (pmu->box.n_cpus) {
		energy = energy && !strcmp(pmu->name, "power");
		slot->kind = energy ? PMU_SLOT_ENERGY : PMU_SLOT_UNCORE;
		slot->unit = energy ? PMU_ENERGY_DOMAINS : PMU_UNIT_NONE;
	} else if (is_core(pmu)) {
		return;
	}
	snprintf(slot->pmu, sizeof(slot->pmu), "%.*s", (int)sizeof(slot->pmu) - 1, pmu->name);
}

static int fill_scale(const struct query *q, struct pmu_event *event)
{
	struct pmu_sysfs_scale scale;
	bool socket = q->pmu.box.n_cpus;
	int rc = pmu_sysfs_scale(&q->pmu, q->event, &scale);

	if (rc)
		return rc;
	if (!socket && scale.kernel != 1)
		return pmu_fail(
			EINVAL,
			"%s/%s/ is a count that is to be multiplied by %g, which is not done for what "
			"a core counts: write the terms of the event itself",
			q->pmu.name, q->event, scale.kernel);
	snprintf(event->unit, sizeof(event->unit), "%s", scale.unit);
	event->slot.scale = scale.factor == 1 ? 0 : scale.factor;
	return 0;
}

static int check_snapshot(const struct query *q)
{
	char text[PMU_SYSFS_TEXT_MAX];

	if (pmu_sysfs_read(&q->pmu, "events", q->event, ".snapshot", text) < 0 ||
	    strcmp(text, "1") != 0)
		return 0;
	return pmu_fail(EINVAL, "%s/%s/ is a level at a moment, nothing that is counted",
			q->pmu.name, q->event);
}

static int fill_sysfs_event(struct query *q, struct pmu_event *event)
{
	uint64_t config[PMU_SYSFS_CONFIGS] = { 0 };
	int rc = 0;

	memset(event, 0, sizeof(*event));
	if (q->event[0]) {
		rc = check_snapshot(q);
		if (!rc)
			rc = fill_scale(q, event);
	}
	if (rc)
		return rc;
	for (unsigned int i = 0; i < q->n_terms; i++)
		pmu_sysfs_format_put(&q->term[i].format, q->term[i].value, config);
	event->slot.type = q->pmu.box.type;
	event->slot.config = config[0];
	event->slot.config1 = config[1];
	event->slot.config2 = config[2];
	fill_kind(q, !strcmp(event->unit, "uJ"), &event->slot);
	/* room for a level is kept */
	write_sysfs_label(q, event->name, sizeof(event->name) - 3);
	return 0;
}

static int ask_sysfs(struct query *q, const char *devices, const char *pmu, struct pmu_event *event)
{
	int rc = pmu_sysfs_open(devices, pmu, &q->pmu);

	if (!rc)
		rc = check_sysfs_pmu(&q->pmu);
	if (rc)
		return rc;
	pmu_sysfs_names(&q->pmu, "format", &q->formats);
	pmu_sysfs_names(&q->pmu, "events", &q->events);
	rc = read_user_terms(q, q->text);
	if (!rc)
		rc = read_sysfs_event(q);
	if (!rc)
		rc = check_event(q);
	if (!rc)
		rc = fill_sysfs_event(q, event);
	pmu_sysfs_names_free(&q->formats);
	pmu_sysfs_names_free(&q->events);
	return rc;
}

int pmu_sysfs_event(const char *devices, const char *pmu, const char *terms,
		    struct pmu_event *event)
{
	/* not on the stack: a program's thread may have a small one */
	struct query *q = calloc(1, sizeof(*q));
	int rc;

	if (!q)
		return pmu_fail(ENOMEM, "no memory for the terms of %.*s", SHOWN, pmu);
	if ((size_t)snprintf(q->text, sizeof(q->text), "%s", terms) >= sizeof(q->text))
		rc = pmu_fail(EINVAL, "%.*s/.../: too many terms", SHOWN, pmu);
	else
		rc = ask_sysfs(q, devices, pmu, event);
	free(q);
	return rc;
}
