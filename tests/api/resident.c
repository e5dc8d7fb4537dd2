/* SPDX-License-Identifier: BSD-3-Clause */
/* What regions take of a process's memory: resident pages before and after many more, the mapped store included. */
#include <sys/prctl.h>

#include "run.h"

#define FIRST 1000
#define MORE  10000

/* In the file of all mappings the pages are counted; others have estimates. */
static long resident_bytes(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	long kib = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Rss: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib < 0 ? -1 : 1024 * kib;
}

static int use(int from, int to)
{
	char name[16];
	int rc = 0;

	for (int i = from; i < to; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		rc |= pmu_region_begin(name) | pmu_region_end(name);
	}
	return rc;
}

/* @most: bytes of one.  Of the first ones pages are shared with what the process has anyway. */
static int many_more(void *most)
{
	long before, after;
	double each;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a huge page is there as a whole */
	want_int(use(0, FIRST), 0);
	before = resident_bytes();
	want_int(use(FIRST, FIRST + MORE), 0);
	after = resident_bytes();
	each = (double)(after - before) / MORE;
	printf("%.0f\n", each);
	return !want(before > 0 && each > 0 && each <= *(double *)most);
}

static void takes(const char *what, double most, const char *const *env)
{
	struct run r;
	char name[128];

	run(&r, many_more, &most, env);
	snprintf(name, sizeof(name), "a region of a thread, %s: at most %.0f bytes", what, most);
	run_good(&r, name);
	diag("%s: %.0f bytes", what, r.out ? strtod(r.out, NULL) : -1);
	run_done(&r);
}

int main(void)
{
	static const char *const clock[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					     "PMU_MAX_REGIONS=20000", NULL };
	static const char *const counts[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					      "PMU_EVENTS=page-faults,context-switches",
					      "PMU_MAX_REGIONS=20000", NULL };

	if (TEST_SANITIZED)
		return skip_all("sanitizers have memory of their own beside it");
	if (resident_bytes() < 0)
		return skip_all("no /proc/self/smaps_rollup");
	takes("times alone", 520, clock);
	takes("with two counts", 650, counts);
	return done_testing();
}
