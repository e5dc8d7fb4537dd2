/* SPDX-License-Identifier: BSD-3-Clause */
/* What PMU_SAMPLE may say. */
#include "unit/part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "settings/config.h"

/* "EVENT PERIOD"; "time 1003009", "none"; or the sentence that says why not. */
static const char *sample_of(const char *text)
{
	static struct pmu_config config;
	static char said[1024];
	struct pmu_strbuf warnings = { 0 };
	const struct pmu_sample_unit *unit = &config.sample.unit;

	pmu_error_clear();
	setenv("PMU_SAMPLE", text, 1);
	if (pmu_config_load(&config, NULL, &warnings))
		snprintf(said, sizeof(said), "%s", pmu_error_text());
	else if (!unit->period)
		snprintf(said, sizeof(said), "none");
	else
		snprintf(said, sizeof(said), "%s %" PRIu64 "%s",
			 pmu_sample_is_time(unit) ? "time" : unit->event, unit->period,
			 config.sample_late ? ", late" : "");
	pmu_strbuf_free(&warnings);
	return said;
}

static void rates_and_events_are_taken(void)
{
	static const struct {
		const char *text, *want;
	} taken[] = {
		{ "0", "none" },
		{ "off", "none" },
		{ "1", "time 1003009" },
		{ "4000", "time 250000" },
		{ "auto", "time 5025125, late" },
		{ "instructions", "instructions 2000003" },
		{ "instructions:100000", "instructions 100000" },
		{ "branch-misses:uk", "branch-misses:uk 10007" },
		{ "branch-misses:uk:20011", "branch-misses:uk 20011" },
		{ "r10e", "r10e 100003" },
		{ "R10E:k:1000", "r10e:k 1000" },
		{ "faults", "page-faults 11" },
		{ "page-faults:1", "page-faults 1" },
		{ "cs", "context-switches 1" },
		{ "cpu-clock", "time 1003009" },
		{ "task-clock:2000000", "time 2000000" },
		{ "cycles:9223372036854775807", "cycles 9223372036854775807" },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(taken); i++)
		is_str(sample_of(taken[i].text), taken[i].want, taken[i].text);
}

static void others_are_refused(void)
{
	static const struct {
		const char *text, *part;
	} refused[] = {
		{ "5", "10 to 50000" },
		{ "1000000", "10 to 50000" },
		{ "often", "there is no event \"often\"" },
		{ "instructions:9999", "10000 at least from one sample to the next" },
		{ "branch-misses:99", "100 at least" },
		{ "page-faults:0", "1 at least" },
		{ "cycles:9223372036854775808", "2^63 - 1 at most" },
		{ "cpu-clock:19999", "20000 ns at least" },
		{ "cpu-clock:100000001", "20000 ns at least" },
		{ "cycles,instructions", "one event at a time" },
		{ "energy-pkg", "is not counted by thread" },
		{ "context-switches:u", "happen in the kernel" },
		{ ":10007", "an event without a name" },
		{ "instructions:", "after the colon stands" },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(refused); i++) {
		const char *said = sample_of(refused[i].text);

		if (!ok(strstr(said, refused[i].part) != NULL, "%s: '%s'", refused[i].text,
			refused[i].part))
			diag("%s", said);
	}
}

UNIT_PART(sample)
{
	rates_and_events_are_taken();
	others_are_refused();
	unsetenv("PMU_SAMPLE");
	return done_testing();
}
