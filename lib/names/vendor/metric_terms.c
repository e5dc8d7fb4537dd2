/* SPDX-License-Identifier: BSD-3-Clause */
/* What the names in Intel's metrics stand for: numbers of the machine, time, events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "machine/boxes.h"
#include "names/vendor/metric_parts.h"

/* --- numbers of the machine --- */

/* Each of these returns -1 where it is not known. */

static double threads_per_core(const struct pmu_catalog *catalog)
{
	unsigned int n = pmu_catalog_threads_per_core(catalog);

	return n ? (double)n : -1;
}

static double smt_on(const struct pmu_catalog *catalog)
{
	double threads = threads_per_core(catalog);

	return threads > 0 ? threads > 1 : -1;
}

static double cores_per_socket(const struct pmu_catalog *catalog)
{
	unsigned int n = pmu_catalog_cores_per_socket(catalog);

	return n ? (double)n : -1;
}

/* As many as the kernel shows; of another machine it shows nothing. */
static double chas_per_socket(const struct pmu_catalog *catalog)
{
	const char *devices = pmu_catalog_devices(catalog);
	size_t n = devices ? pmu_boxes_find(devices, "uncore_cha", NULL, 0) : 0;

	return n ? (double)n : -1;
}

/* Counts of the socket, and the time with them, are those of one. */
static double one_socket(const struct pmu_catalog *catalog)
{
	(void)catalog;
	return 1;
}

#define TICKS "(time * tsc_hz)"

/* What it stands for: an expression, or a number of the machine. */
static const struct constant {
	const char *name;
	/* the second in metrics of the top-down method, where it differs */
	const char *text, *top_down;
	double (*number)(const struct pmu_catalog *catalog);
	const char *why;
} constants[] = {
	{ "SYSTEM_TSC_FREQ", "tsc_hz", TICKS, NULL, NULL },
	{ "DURATIONTIMEINSECONDS", "time", NULL, NULL, NULL },
	{ "DURATIONTIMEINMILLISECONDS", "(time * 1000)", NULL, NULL, NULL },
	{ "SOCKET_COUNT", NULL, NULL, one_socket, "" },
	{ "HYPERTHREADING_ON", NULL, NULL, smt_on,
	  "it needs to know whether Hyper-Threading is on, which this machine does not tell" },
	{ "THREADS_PER_CORE", NULL, NULL, threads_per_core,
	  "it needs the number of threads of a core, which this machine does not tell" },
	{ "CORES_PER_SOCKET", NULL, NULL, cores_per_socket,
	  "it needs the number of a socket's cores, which is not known here" },
	{ "CHAS_PER_SOCKET", NULL, NULL, chas_per_socket,
	  "it needs the number of a socket's caching agents (uncore_cha), which the kernel does not show here" },
};

const char *const pmu_intel_constants[] = { "DURATIONTIMEINSECONDS", "DURATIONTIMEINMILLISECONDS",
					    "SYSTEM_TSC_FREQ", NULL };

static bool is_number(const char *name)
{
	return name[0] && strspn(name, "0123456789") == strlen(name) && strlen(name) < 10;
}

void pmu_intel_constant(const struct pmu_intel_metric *metric, const char *name,
			struct pmu_catalog *catalog, struct pmu_intel_term *term)
{
	if (is_number(name)) {
		term->number = (double)strtoul(name, NULL, 10);
		return;
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(constants); i++) {
		const struct constant *constant = &constants[i];

		if (strcmp(constant->name, name) != 0)
			continue;
		term->text = metric->top_down && constant->top_down ? constant->top_down
								    : constant->text;
		if (constant->number)
			term->number = constant->number(catalog);
		if (constant->number && term->number < 0)
			term->why = constant->why;
		return;
	}
	term->why = "it needs a number of the machine that is not known here";
}

/* --- events --- */

bool pmu_intel_is_time(const char *event)
{
	return !strcmp(event, "TSC");
}

/* A level against another, or against all of the time, is one of everything that was counted. */
static bool all_levels(const struct pmu_intel_metric *metric)
{
	for (unsigned int i = 0; i < metric->n_events; i++) {
		const char *name = metric->event[i].name;

		if (strstr(name, ":SUP") || strstr(name, ":USER") || pmu_intel_is_time(name))
			return true;
	}
	return false;
}

/* "u0xfc": the mask instead of the event's own; -1: it is none */
static int umask_of(const char *modifier)
{
	uint64_t mask;

	if (modifier[0] != 'u' || modifier[1] != '0' || pmu_parse_u64(modifier + 1, &mask) ||
	    mask > 0xff)
		return -1;
	return (int)mask;
}

/* What is written behind the name, and the mask. */
struct modifiers {
	char text[64];
	bool level;
	int umask;
};

static int take_modifier(const char *event, const char *modifier, struct modifiers *taken)
{
	size_t len = strlen(taken->text), room = sizeof(taken->text) - len;
	uint64_t number;

	if (modifier[0] && strchr("ceit", modifier[0]) && !pmu_parse_u64(modifier + 1, &number) &&
	    number < 256 && room > 8) {
		snprintf(taken->text + len, room, ":%c=%u", modifier[0], (unsigned int)number);
		return 0;
	}
	if ((!strcmp(modifier, "SUP") || !strcmp(modifier, "USER")) && !taken->level && room > 8) {
		snprintf(taken->text + len, room, ":%c", modifier[0] == 'S' ? 'k' : 'u');
		taken->level = true;
		return 0;
	}
	/* the slots of which the kernel's fractions are: the event as it is */
	if (!strcmp(modifier, "perf_metrics"))
		return 0;
	if (taken->umask < 0 && umask_of(modifier) >= 0) {
		taken->umask = umask_of(modifier);
		return 0;
	}
	return pmu_fail(ENOTSUP, "its event %s has \":%.40s\" to it, which events here cannot have",
			event, modifier);
}

static int replace_umask(struct pmu_event *event, int umask)
{
	size_t len = strlen(event->name);

	if (event->slot.kind != PMU_SLOT_CORE || event->slot.type != PERF_TYPE_RAW ||
	    event->slot.extra || !(event->slot.config & 0xff) || len + 8 > sizeof(event->name))
		return pmu_fail(ENOTSUP, "its event %s cannot be counted with another mask",
				event->name);
	event->slot.config = (event->slot.config & ~UINT64_C(0xff00)) | (uint64_t)umask << 8;
	if (event->slot.e_code.is_set)
		event->slot.e_code.config = (event->slot.e_code.config & ~UINT64_C(0xff00)) |
					    (uint64_t)umask << 8;
	snprintf(event->name + len, sizeof(event->name) - len, ":u0x%02x", (unsigned int)umask);
	return 0;
}

int pmu_intel_metric_event(const struct pmu_intel_metric *metric, const char *name,
			   struct pmu_catalog *catalog, struct pmu_event *event)
{
	char copy[sizeof(metric->event[0].name)], text[sizeof(copy) + 80], why[256];
	struct modifiers modifiers = { .umask = -1 };
	char *rest = copy, *base, *modifier;
	bool outside;

	snprintf(copy, sizeof(copy), "%s", name);
	base = strsep(&rest, ":");
	while ((modifier = strsep(&rest, ":"))) {
		int rc = take_modifier(base, modifier, &modifiers);

		if (rc)
			return rc;
	}
	if (!strncmp(base, "PERF_METRICS.", 13))
		return pmu_fail(
			ENOTSUP,
			"its event %s is a share of the pipeline's slots, and what general counters "
			"count in its place is not known for this CPU",
			base);
	outside = !strncmp(base, "UNC_", 4);
	snprintf(text, sizeof(text), "%s%s%s", base, modifiers.text,
		 !outside && !modifiers.level && all_levels(metric) ? ":uk" : "");
	if (pmu_event_parse(text, catalog, event)) {
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		return pmu_fail(ENOTSUP, "%s", why);
	}
	return modifiers.umask < 0 ? 0 : replace_umask(event, modifiers.umask);
}
