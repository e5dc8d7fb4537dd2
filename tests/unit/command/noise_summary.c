/* SPDX-License-Identifier: BSD-3-Clause */
/* What the report says of disturbed runs: what that did to their times, where it is clear. */
#include "bindings/command/noise/effect.h"
#include "bindings/command/noise/noise.h"
#include "unit/part.h"

#define RUNS 20

static struct pmu_noise_run run[RUNS];
static struct pmu_noise_findings findings;

/* 1 s to 1.01 s each, of which nothing else is known. */
static void start(void)
{
	for (int i = 0; i < RUNS; i++)
		run[i] = (struct pmu_noise_run){
			.elapsed_ns = 1000000000u + (uint64_t)(i * 7 % RUNS) * 500000,
			.wall_s = 1.02,
			.own_s = 1,
			.other_s = NAN,
			.other = NAN,
			.steal_s = NAN,
			.steal = NAN,
			.sibling_s = NAN,
			.interrupts = NAN,
			.interrupted_cpu = -1,
			.interrupted = NAN,
			.pressure = NAN,
			.khz_min = PMU_NOISE_MISSING,
			.khz_max = PMU_NOISE_MISSING,
			.throttles = PMU_NOISE_MISSING,
			.quota_throttled = PMU_NOISE_MISSING,
			.quota_throttled_s = NAN,
		};
}

static void says(size_t n, const char *text, const char *mend, const char *name)
{
	pmu_noise_findings_free(&findings);
	is_int(pmu_noise_summarize(run, n, &findings), 0, name);
	if (!is_u64(findings.n, text ? 1 : 0, "  so many sentences") || !text)
		return;
	is_str(findings.finding[0].text, text, "  in these words");
	is_str(findings.finding[0].mend ? findings.finding[0].mend : "", mend, "  with a way out");
}

#define STOP "stop what else runs, or bind the command to processors that are left to it: -C"

static void test_other_load(void)
{
	start();
	for (int i = 0; i < RUNS; i++)
		run[i].other = 0.01;
	run[2].other = 0.37;
	run[6].other = 0.12;
	says(10,
	     "other programs and the kernel used 12 to 37 % of the processors' time in runs 3 and 7",
	     STOP, "runs that are disturbed and take no longer");
	is_int(findings.finding[0].severity, PMU_NOISE_KNOW, "  is worth knowing");
	run[2].elapsed_ns = run[6].elapsed_ns = 1125000000;
	says(10,
	     "other programs and the kernel used 12 to 37 % of the processors' time in runs 3 and 7, "
	     "which took 12 % longer than the rest",
	     STOP, "runs that are disturbed and take longer");
	is_int(findings.finding[0].severity, PMU_NOISE_DISTURBS, "  disturbs");
	says(4, "other programs and the kernel used 37 % of the processors' time in run 3", STOP,
	     "three others are too few to compare with");
	run[2].wall_s = 0.05;
	says(4, NULL, NULL, "what two ticks may have made up is not told");
	says(1, NULL, NULL, "nothing is said of a quiet run");
	says(0, NULL, NULL, "nor of none");
}

static void test_all(void)
{
	start();
	for (int i = 0; i < RUNS; i++) {
		run[i].other = 0.06 + 0.01 * (i * 3 % RUNS);
		run[i].elapsed_ns = (uint64_t)(1e9 * (1 + run[i].other));
	}
	says(RUNS,
	     "other programs and the kernel used 6 to 25 % of the processors' time in all 20 runs; the "
	     "half of the runs with more of it took 9 % longer",
	     STOP, "all are disturbed, and the more the longer");
	run[0].other = NAN;
	says(RUNS,
	     "other programs and the kernel used 7 to 25 % of the processors' time in 19 of 20 runs",
	     STOP, "where one run does not tell, nothing is compared");
}

static void test_first(void)
{
	start();
	run[0].read_kib = 120000;
	says(10, "123 MB were read from disk in run 1", "--warmup 1 leaves the first run out",
	     "the first run reads from disk");
	run[0].elapsed_ns = 1302500000;
	says(10, "123 MB were read from disk in run 1, which took 30 % longer than the rest",
	     "--warmup 1 leaves the first run out", "and takes longer");
	run[4].read_kib = 3000;
	says(10, "3 to 123 MB were read from disk in each of runs 1 and 5",
	     "keep the files in memory, as on a tmpfs", "others do so too");
}

static void test_order(void)
{
	start();
	run[1].steal = 0.04;
	run[3].quota_throttled = 3;
	run[5].throttles = 1;
	run[5].involuntary = 200;
	says(0, NULL, NULL, "none before");
	pmu_noise_summarize(run, RUNS, &findings);
	is_u64(findings.n, 4, "four sentences");
	is_str(findings.finding[0].text,
	       "the time limit of the container (cgroup) was reached 3 times in run 4",
	       "what disturbs comes first");
	is_str(findings.finding[1].text, "the processor was slowed down for heat 1 time in run 6",
	       "also the second");
	is_str(findings.finding[2].text,
	       "the host took 4 % of the processors' time from this virtual machine (steal time) in "
	       "run 2",
	       "then what is worth knowing");
	is_str(findings.finding[3].name, "preempted", "and has a name for programs");
	pmu_noise_findings_free(&findings);
}

static uint64_t seed = 1;

/* In (0, 1); with a long tail, as times have it. */
static double random_share(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Chance makes some disturbed runs longer: the report says so of few. */
static void test_chance(void)
{
	double time[RUNS], value[RUNS], longer;
	bool disturbed[RUNS];
	int n_told = 0, n_found = 0;

	for (int trial = 0; trial < 2000; trial++) {
		size_t n = 6 + (size_t)(15 * random_share()),
		       n_disturbed = 1 + n * (size_t)trial / 4000;

		for (size_t i = 0; i < n; i++) {
			time[i] = 1 / (1 - 0.1 * random_share()) + 0.02 / random_share() * 0.01;
			value[i] = random_share();
			disturbed[i] = i < n_disturbed;
		}
		n_told += pmu_noise_effect(time, value, disturbed, n, &longer) != PMU_NOISE_UNCLEAR;
		for (size_t i = 0; i < n; i++)
			time[i] *= disturbed[i] ? 1.3 : 1;
		n_found += pmu_noise_effect(time, value, disturbed, n, &longer) == PMU_NOISE_OF_SET;
	}
	if (!ok(n_told <= 40, "of 2000 that are disturbed by nothing, at most 40 are told"))
		diag("%d", n_told);
	if (!ok(n_found >= 1200, "of 2000 that take 30 %% longer, most are told"))
		diag("%d", n_found);
	diag("%d by chance, %d of those that are", n_told, n_found);
}

UNIT_PART(noise_summary)
{
	test_other_load();
	test_all();
	test_first();
	test_order();
	test_chance();
	pmu_noise_findings_free(&findings);
	return done_testing();
}
