/* SPDX-License-Identifier: BSD-3-Clause */
/* What samples are taken by: "997", "auto", "branch-misses:10007". */
#include "settings/sample.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "plan/resolve.h"
#include "settings/refuse.h"

/* A prime: nothing that happens a thousand times a second is met each time, or never. */
#define SAMPLE_HZ 997u
#define LEAST_HZ  10u
#define MOST_HZ   50000u
#define SECOND_NS UINT64_C(1000000000)

/* perf_event_attr.sample_period: its highest bit may not be set. */
#define MOST_PERIOD INT64_MAX

/* --- events --- */

/*
 * For about a thousand samples a second where a program does much of it; primes, as the rate.  The kernel takes no
 * more than kernel.perf_event_max_sample_rate of counters' samples, and each takes microseconds: with shorter periods
 * than @least a processor does nothing else.
 */
static const struct period {
	const char *event;
	uint64_t usual, least;
} periods[] = {
	{ "instructions", 2000003, 10000 },
	{ "cycles", 2000003, 10000 },
	{ "ref-cycles", 2000003, 10000 },
	{ "bus-cycles", 20011, 1000 },
	{ "branches", 400009, 1000 },
	{ "branch-misses", 10007, 100 },
	{ "cache-references", 20011, 100 },
	{ "cache-misses", 10007, 100 },
	{ "page-faults", 11, 1 },
	{ "minor-faults", 11, 1 },
}, of_core = { "", 100003, 100 }, of_kernel = { "", 1, 1 };

static const struct period *period_of(const struct pmu_event *event)
{
	size_t len = strcspn(event->name, ":");

	for (size_t i = 0; i < PMU_ARRAY_LEN(periods); i++)
		if (strlen(periods[i].event) == len && !memcmp(periods[i].event, event->name, len))
			return &periods[i];
	return event->slot.kind == PMU_SLOT_SOFTWARE ? &of_kernel : &of_core;
}

static bool is_sample_clock(const struct pmu_slot *slot)
{
	return slot->type == PERF_TYPE_SOFTWARE && (slot->config == PERF_COUNT_SW_CPU_CLOCK ||
						    slot->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Of these the kernel knows the instruction; x86 alone says how late an interrupt of a counter may be. */
static uint32_t most_precise(const struct pmu_slot *slot)
{
#if defined(__x86_64__)
	(void)slot;
	return PMU_SAMPLE_PRECISE;
#else
	return slot->kind == PMU_SLOT_SOFTWARE ? PMU_SAMPLE_PRECISE : 0;
#endif
}

/* "page-faults:1", "UOPS_ISSUED.ANY:c=1:10007": digits behind the last colon.  Return: is there a period? */
static bool split_period(char *text, uint64_t *period)
{
	char *colon = strrchr(text, ':');

	if (!colon || pmu_parse_u64(colon + 1, period) < 0)
		return false;
	*colon = '\0';
	return true;
}

static int refuse_event(struct pmu_config *config, const char *text, const struct pmu_event *event)
{
	return REFUSE(
		config, text,
		"%s is not counted by thread, so there is no instruction that did it: samples "
		"are of a processor's events, as branch-misses, and of the kernel's, as "
		"page-faults",
		event->name);
}

static int refuse_period(struct pmu_config *config, const char *text, const char *of,
			 uint64_t usual, uint64_t least)
{
	return REFUSE(config, text,
		      "%" PRIu64 "%s at least from one sample to the next, and 2^63 - 1 at most; "
		      "without a period %" PRIu64,
		      least, of, usual);
}

static int take_clock(struct pmu_config *config, const char *text, bool has_period, uint64_t period)
{
	if (!has_period)
		period = SECOND_NS / SAMPLE_HZ;
	if (period < SECOND_NS / MOST_HZ || period > SECOND_NS / LEAST_HZ)
		return refuse_period(config, text, " ns", SECOND_NS / SAMPLE_HZ,
				     SECOND_NS / MOST_HZ);
	config->sample.unit.period = period;
	return 0;
}

static int take_known_event(struct pmu_config *config, const char *text,
			    const struct pmu_event *event, bool has_period, uint64_t period)
{
	const struct period *usual = period_of(event);

	if (event->slot.kind != PMU_SLOT_CORE && event->slot.kind != PMU_SLOT_SOFTWARE)
		return refuse_event(config, text, event);
	if (is_sample_clock(&event->slot))
		return take_clock(config, text, has_period, period);
	if (!has_period)
		period = usual->usual;
	if (period < usual->least || period > MOST_PERIOD)
		return refuse_period(config, text, "", usual->usual, usual->least);
	config->sample.unit.period = period;
	config->sample.unit.precise = most_precise(&event->slot);
	snprintf(config->sample.unit.event, sizeof(config->sample.unit.event), "%s", event->name);
	config->sample.slot = event->slot;
	return 0;
}

static int take_sample_event(struct pmu_config *config, const char *text)
{
	struct pmu_event events[PMU_MAX_SLOTS];
	char copy[PMU_CONFIG_TEXT_MAX];
	uint64_t period = 0;
	bool has_period;
	int n;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return pmu_fail(EINVAL, "longer than %zu bytes", sizeof(copy) - 1);
	has_period = split_period(copy, &period);
	n = pmu_resolve_event_list(copy, &config->catalog, events);
	if (n == 1)
		return take_known_event(config, text, &events[0], has_period, period);
	config->wrong_value = text;
	return n < 0 ? -EINVAL : pmu_fail(EINVAL, "samples are of one event at a time");
}

/* --- rates --- */

int pmu_config_take_sample(struct pmu_config *config, const char *text)
{
	bool is_auto = !strcmp(text, "auto");
	uint64_t hz = is_auto ? PMU_SAMPLE_AUTO_HZ : 0;

	config->sample = (struct pmu_sample_event){ .unit = { .period = 0 } };
	config->sample_late = is_auto;
	if (!is_auto && strcmp(text, "off") != 0 && pmu_parse_u64(text, &hz) < 0)
		return take_sample_event(config, text);
	if (hz == 1)
		hz = SAMPLE_HZ;
	if ((hz && hz < LEAST_HZ) || hz > MOST_HZ)
		return REFUSE(config, text,
			      "say how many a second, %u to %u; 1 for %u, 0 or off for none; auto; "
			      "or an event, as branch-misses:10007",
			      LEAST_HZ, MOST_HZ, SAMPLE_HZ);
	config->sample.unit.period = hz ? SECOND_NS / hz : 0;
	return 0;
}
