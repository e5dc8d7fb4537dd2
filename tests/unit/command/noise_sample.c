/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines by their /proc and /sys in tests/data/noise, at two times a second apart. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/command/noise/noise.h"
#include "unit/part.h"

static char folder[] = "/tmp/pmu-noise-XXXXXX";
static struct pmu_noise_sample before, after;
static struct pmu_noise_run run;
static struct pmu_noise_findings findings;

/* --- a machine's files --- */

static FILE *create(const char *time, const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s/%s/%s", folder, time, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	return fopen(full, "w");
}

/* Lines "=== 1/proc/stat" begin a file of the first time, "*" of both. */
static bool unpack(const char *machine)
{
	char path[512], line[512];
	FILE *from, *to[2] = { NULL, NULL };

	snprintf(path, sizeof(path), "rm -rf %s/*", folder);
	if (system(path))
		return false;
	snprintf(path, sizeof(path), "%s/tests/data/noise/%s.txt", TEST_SRCDIR, machine);
	from = fopen(path, "r");
	while (from && fgets(line, sizeof(line), from)) {
		if (strncmp(line, "=== ", 4) != 0) {
			for (int i = 0; i < 2; i++)
				if (to[i])
					fputs(line, to[i]);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		for (int i = 0; i < 2; i++) {
			if (to[i])
				fclose(to[i]);
			to[i] = line[4] == '*' || line[4] == '1' + i
					? create(i ? "2" : "1", line + 6)
					: NULL;
		}
	}
	for (int i = 0; i < 2; i++)
		if (to[i])
			fclose(to[i]);
	return from && !fclose(from);
}

static void take(const char *machine, double user_s)
{
	struct rusage own = { .ru_utime = {
				      .tv_sec = (time_t)user_s,
				      .tv_usec = (suseconds_t)(1e6 * (user_s - (time_t)user_s)) } };
	char root[64];

	ok(unpack(machine), "%s", machine);
	pmu_noise_sample_free(&before);
	pmu_noise_sample_free(&after);
	pmu_noise_findings_free(&findings);
	snprintf(root, sizeof(root), "%s/1", folder);
	is_int(pmu_noise_sample(&before, root), 0, "  is looked at");
	snprintf(root, sizeof(root), "%s/2", folder);
	is_int(pmu_noise_sample(&after, root), 0, "  twice");
	after.time_ns = before.time_ns + 1000000000;
	is_int(pmu_noise_between(&before, &after, &own, 1000000000, &run), 0, "  and compared");
	is_int(pmu_noise_machine(&after, &run, &findings), 0, "  and judged");
}

static void is_near(double got, double want, const char *name)
{
	if (!ok(fabs(got - want) < 1e-9, "%s", name))
		diag("got %.12g, want %.12g", got, want);
}

/* All findings, in their order; @said ends with NULL. */
static void says(const char *const *said, const char *name)
{
	struct pmu_strbuf got = { 0 }, want = { 0 };

	for (size_t i = 0; i < findings.n; i++)
		pmu_strbuf_addf(&got, "%s %s\n",
				pmu_noise_severity_name(findings.finding[i].severity),
				findings.finding[i].name);
	for (; *said; said++)
		pmu_strbuf_addf(&want, "%s\n", *said);
	is_str(pmu_strbuf_text(&got), pmu_strbuf_text(&want), name);
	pmu_strbuf_free(&got);
	pmu_strbuf_free(&want);
}

static void explains(const char *finding, const char *words, const char *mend)
{
	for (size_t i = 0; i < findings.n; i++)
		if (!strcmp(findings.finding[i].name, finding)) {
			has(findings.finding[i].text, words, finding);
			has(findings.finding[i].mend ? findings.finding[i].mend : "none", mend,
			    "  with a way out");
			return;
		}
	ok(false, "%s is spoken of", finding);
}

static void has_settings(const char *line)
{
	struct pmu_strbuf out = { 0 };

	pmu_noise_settings(&after, &out);
	is_str(pmu_strbuf_text(&out), line, "the settings that stay");
	pmu_strbuf_free(&out);
}

/* --- the machines --- */

static void test_bare(void)
{
	static const char *const said[] = {
		"disturbs other-load",      "disturbs heat",       "disturbs smt",
		"worth knowing governor",   "worth knowing turbo", "worth knowing waits",
		"worth knowing interrupts", "worth knowing swap",  "worth knowing aslr",
		"worth knowing huge-pages", "quiet processors",    NULL
	};

	take("bare", 0.95);
	is_u64(after.n_cpus, 4, "four processors");
	is_u64(after.n_allowed, 4, "all allowed");
	is_int(after.cpu[2].core, 0, "0 and 2 are siblings");
	is_int(after.cpu[3].core, 1, "1 and 3 too");
	is_u64(after.cpu[0].device_interrupts, 52509, "what has a number is a device's interrupt");
	is_u64(after.cpu[0].interrupts, 52509 + 1 + 400250, "others count for the whole");
	is_near(run.own_s, 0.95, "the command's time");
	is_near(run.other_s, 1.92 - 0.95, "the rest is others'");
	is_near(run.other, 0.97 / 4, "as a share of four processors");
	is_near(run.steal, 0, "nothing is stolen");
	is_near(run.sibling_s, 0.91, "so long both processors of a core were busy at least");
	is_near(run.interrupted, 2500, "interrupts on the processor with most");
	is_int(run.interrupted_cpu, 0, "which is the first");
	is_near(run.pressure, 0.08, "waiting");
	is_u64(run.khz_min, 800000, "the lowest frequency seen");
	is_u64(run.khz_max, 3400000, "the highest");
	is_u64(run.throttles, 2, "slowed down for heat");
	is_u64(run.quota_throttled, PMU_NOISE_MISSING, "no limit");
	says(said, "what is said");
	explains("governor", "powersave (intel_pstate)", "frequency-set -g performance");
	explains("turbo", "0.80 to 3.40 GHz", "intel_pstate/no_turbo");
	explains("smt", "was so for 91 % of the time", "pmu run -C 0,1");
	explains("swap", "512 MB", "swapoff");
	explains("heat", "9 times since the machine started, 2 of them just now", "turbo");
	explains("interrupts", "of them 2500 on processor 0", "pmu run -C");
	has_settings("governor powersave, turbo on, SMT on, ASLR on");
}

static void test_vm(void)
{
	static const char *const said[] = { "disturbs steal",   "worth knowing host",
					    "quiet other-load", "quiet smt",
					    "quiet processors", "quiet interrupts",
					    "quiet swap",       "quiet aslr",
					    "quiet huge-pages", NULL };

	take("vm", 0.9);
	is_near(run.steal_s, 0.11, "time that the host took");
	is_near(run.steal, 0.055, "as a share");
	is_near(run.other_s, 0.01, "it is not others' load");
	is_u64(run.khz_min, PMU_NOISE_MISSING, "frequencies are missing");
	is_u64(run.throttles, PMU_NOISE_MISSING, "throttling too");
	ok(isnan(run.pressure), "and pressure");
	says(said, "what is said");
	explains("steal", "5.5 %", "host is idle");
	has_settings("virtual machine, SMT off, ASLR off");
}

static void test_container(void)
{
	static const char *const said[] = { "disturbs quota", "quiet other-load",
					    "quiet processors", NULL };

	take("container", 0.48);
	is_u64(after.n_allowed, 4, "half of the processors are allowed");
	is_near(after.quota, 0.5, "the tightest limit counts");
	is_u64(run.quota_throttled, 5, "periods in which it was reached");
	is_near(run.quota_throttled_s, 0.25, "and for how long");
	ok(isnan(run.interrupted) && isnan(after.load), "what has no file is missing");
	is_int(after.smt, -1, "also settings");
	says(said, "what is said");
	explains("quota",
		 "the time of 0.5 processors; a program that wants more stands still until "
		 "its next period: 5 times just now",
		 "cpu.max");
	has_settings("limited to the time of 0.5 processors");
}

static void test_old(void)
{
	static const char *const said[] = { "worth knowing quota", "worth knowing processors",
					    "quiet other-load", "quiet interrupts", NULL };

	take("old", 0.9);
	is_u64(after.n_cpus, 3, "three are online");
	ok(pmu_noise_find(&after, 2) && !pmu_noise_find(&after, 1), "and found by their numbers");
	is_u64(pmu_noise_find(&after, 3)->device_interrupts, 3, "columns are those online");
	is_u64(after.cpu[0].steal, PMU_NOISE_MISSING, "steal has no column");
	ok(isnan(run.steal), "so it is missing");
	is_near(after.quota, 1.5, "a limit of version 1, where the container's root is");
	is_u64(after.quota_throttled_ns, 1000000000, "its times are nanoseconds");
	says(said, "what is said");
	explains("quota", "not now, 2 times since it was made", "cpu.max");
}

static void test_nothing(void)
{
	struct pmu_noise_sample none = { .n_cpus = 0 };
	struct rusage own = { .ru_nivcsw = 3 };

	pmu_noise_findings_free(&findings);
	is_int(pmu_noise_sample(&none, "/nonexistent"), 0, "a machine that tells nothing");
	is_int(pmu_noise_between(&none, &none, &own, 1, &run), -EINVAL, "no time between");
	after.time_ns = none.time_ns + 1000000000;
	pmu_noise_sample_free(&after);
	after = none;
	after.time_ns += 1000000000;
	is_int(pmu_noise_between(&none, &after, &own, 1000000000, &run), 0, "is compared");
	ok(isnan(run.other) && isnan(run.steal) && isnan(run.pressure) && isnan(run.interrupts),
	   "everything is missing");
	is_u64(run.involuntary, 3, "but what the command's end told");
	is_int(pmu_noise_machine(&after, &run, &findings), 0, "is judged");
	is_u64(findings.n, 0, "nothing is said");
	pmu_noise_sample_free(&none);
}

/* Ticks of 10 ms say nothing of a short run. */
static void test_short(void)
{
	struct rusage own = { .ru_nivcsw = 0 };

	take("bare", 0.1);
	after.time_ns = before.time_ns + 40000000;
	is_int(pmu_noise_between(&before, &after, &own, 40000000, &run), 0, "a run of 40 ms");
	ok(isnan(run.other) && isnan(run.steal), "has no shares");
	ok(run.other_s > 0, "but times");
}

/* -C */
static void test_bound(void)
{
	char root[64];

	ok(unpack("bare"), "a command that is bound");
	snprintf(root, sizeof(root), "%s/1", folder);
	pmu_noise_sample_free(&before);
	before.cpus = "2-3";
	is_int(pmu_noise_sample(&before, root), 0, "is looked at");
	is_u64(before.n_allowed, 2, "it may use these");
	ok(before.cpu[2].allowed && !before.cpu[0].allowed, "and no others");
	is_u64(before.cpu[0].khz, PMU_NOISE_MISSING, "whose frequencies are not asked for");
	before.cpus = "many";
	is_int(pmu_noise_sample(&before, root), 0, "a list that is none");
	is_u64(before.n_allowed, 0, "allows nothing");
}

UNIT_PART(noise_sample)
{
	char clean[64];

	if (!mkdtemp(folder))
		return 1;
	test_bare();
	test_vm();
	test_container();
	test_old();
	test_short();
	test_bound();
	test_nothing();
	pmu_noise_sample_free(&before);
	pmu_noise_findings_free(&findings);
	snprintf(clean, sizeof(clean), "rm -rf %s", folder);
	ok(!system(clean), "the files are gone again");
	return done_testing();
}
