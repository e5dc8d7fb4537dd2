/* SPDX-License-Identifier: BSD-3-Clause */
/* This library's regions. */
#include "pmu.h"

#include <string.h>

#include "worker.h"

static const char *const event[] = {
	[TIME] = "time", [PAGE_FAULTS] = "page-faults", [INSTRUCTIONS] = "instructions"
};
static unsigned int n_counts; /* in a region */

static bool start(enum what what, char why[WHY_LEN])
{
	static const struct pmu_options options[] = {
		[TIME] = { .size = sizeof(options[0]), .backend = "clock", .output = "none" },
		[PAGE_FAULTS] = { .size = sizeof(options[0]),
				  .backend = "software",
				  .events = "page-faults",
				  .output = "none" },
		[INSTRUCTIONS] = { .size = sizeof(options[0]),
				   .backend = "perf",
				   .events = "instructions",
				   .output = "none" },
	};
	int rc = pmu_init(&options[what]);

	if (rc < 0)
		return because(why, "%s", *pmu_last_error() ? pmu_last_error() : pmu_strerror(rc));
	if (what == TIME)
		return true;
	n_counts = 1;
	return (pmu_count_name(0) && !strcmp(pmu_count_name(0), event[what])) ||
	       because(why, "libpmu does not count %s here", event[what]);
}

/* What cannot be counted is missing in the regions; the session goes on with the time. */
static bool attach(enum what what, char why[WHY_LEN])
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	int rc = pmu_thread_attach();

	if (rc < 0)
		return because(why, "pmu_thread_attach: %s", pmu_strerror(rc));
	pmu_region_begin("attached");
	pmu_region_end("attached");
	rc = pmu_region_read("attached", PMU_THREAD_SELF, &counts);
	if (rc < 0)
		return because(why, "pmu_region_read: %s", pmu_strerror(rc));
	return !counts.missing || because(why, "libpmu cannot count %s here", event[what]);
}

static void one(size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		pmu_region_begin(THE_NAME);
		pmu_region_end(THE_NAME);
	}
}

static void named(size_t n_rounds)
{
	for (size_t i = 0; i < n_rounds; i++) {
		for (size_t k = 0; k < N_NAMES; k++) {
			pmu_region_begin(names[k]);
			pmu_region_end(names[k]);
		}
	}
}

static bool has(const char *name, size_t calls, char why[WHY_LEN])
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	int rc = calls ? pmu_region_read(name, PMU_THREAD_SELF, &counts) : 0;

	if (rc < 0)
		return because(why, "pmu_region_read of %s: %s", name, pmu_strerror(rc));
	if (counts.calls != calls)
		return because(why, "%s has %llu calls, not %zu", name,
			       (unsigned long long)counts.calls, calls);
	return !calls || (counts.n_counts == n_counts && !counts.missing) ||
	       because(why, "%s lacks a count", name);
}

static bool check(const struct done *done, char why[WHY_LEN])
{
	for (size_t k = 0; k < N_NAMES; k++)
		if (!has(names[k], done->named, why))
			return false;
	return has(THE_NAME, done->one, why);
}

static const char *version(void)
{
	static char text[40];
	int number = pmu_version();

	snprintf(text, sizeof(text), "libpmu %d.%d.%d", number >> 16, number >> 8 & 0xff,
		 number & 0xff);
	return text;
}

/* Its results are on a file until then. */
static void end(void)
{
	pmu_fini();
}

const struct contender contender = { .start = start,
				     .attach = attach,
				     .one = one,
				     .named = named,
				     .check = check,
				     .version = version,
				     .end = end };
