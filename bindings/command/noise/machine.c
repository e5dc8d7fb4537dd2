/* SPDX-License-Identifier: BSD-3-Clause */
/* What makes times vary on this machine: settings, and what was seen in a short time. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "bindings/command/noise/findings.h"
#include "bindings/command/noise/noise.h"
#include "machine/mask.h"

/* From here on, as shares of the processors' time, it is worth a word; it disturbs. */
#define OTHER_KNOW     0.01
#define OTHER_DISTURBS 0.05
#define STEAL_DISTURBS 0.01
#define WAITS_KNOW     0.05
/* Of devices, a second, on one processor: with some microseconds each half a percent of its time. */
#define INTERRUPTS_KNOW 1000

/* What the judges below see. */
struct scene {
	const struct pmu_noise_sample *now;
	const struct pmu_noise_run *run;
	struct pmu_strbuf text, mend; /* of the finding that is being made */
};

/* Each fills in the text, and the mend where there is one; an empty text is no finding. */
typedef enum pmu_noise_severity judge_fn(struct scene *scene);

/* --- what happened meanwhile --- */

static enum pmu_noise_severity judge_other(struct scene *scene)
{
	double other = scene->run->other;

	if (isnan(other))
		return PMU_NOISE_QUIET;
	pmu_strbuf_add(&scene->text, "other programs and the kernel used ");
	pmu_noise_add_percent(&scene->text, other, other);
	pmu_strbuf_add(&scene->text, " of the processors' time just now");
	if (other < OTHER_KNOW)
		return PMU_NOISE_QUIET;
	pmu_strbuf_add(&scene->mend, "end them, or measure when they rest");
	return other < OTHER_DISTURBS ? PMU_NOISE_KNOW : PMU_NOISE_DISTURBS;
}

static bool was_ever_stolen(const struct pmu_noise_sample *sample, bool *known)
{
	bool stolen = false;

	*known = false;
	for (size_t i = 0; i < sample->n_cpus; i++) {
		*known |= sample->cpu[i].steal != PMU_NOISE_MISSING;
		stolen |= sample->cpu[i].steal != PMU_NOISE_MISSING && sample->cpu[i].steal > 0;
	}
	return stolen;
}

static enum pmu_noise_severity judge_steal(struct scene *scene)
{
	double steal = scene->run->steal;
	bool known, ever = was_ever_stolen(scene->now, &known);

	if (!scene->now->is_virtual || isnan(steal))
		return PMU_NOISE_QUIET;
	if (!ever) {
		pmu_strbuf_add(
			&scene->text,
			"the host has not told of time that it took from this machine (steal "
			"time); many do not tell, and it then looks like the program's own");
		return PMU_NOISE_KNOW;
	}
	pmu_strbuf_add(&scene->text, "the host took ");
	pmu_noise_add_percent(&scene->text, steal, steal);
	pmu_strbuf_add(&scene->text, " of the processors' time for others (steal time)");
	if (steal < STEAL_DISTURBS)
		return PMU_NOISE_QUIET;
	pmu_strbuf_add(&scene->mend, "measure when the host is idle, or on a machine of one's own");
	return PMU_NOISE_DISTURBS;
}

static enum pmu_noise_severity judge_waits(struct scene *scene)
{
	double pressure = scene->run->pressure;

	if (isnan(pressure))
		return PMU_NOISE_QUIET;
	pmu_strbuf_add(&scene->text, "programs waited for a processor ");
	pmu_noise_add_percent(&scene->text, pressure, pressure);
	pmu_strbuf_add(&scene->text, " of the time (pressure)");
	return pressure < WAITS_KNOW ? PMU_NOISE_QUIET : PMU_NOISE_KNOW;
}

static enum pmu_noise_severity judge_interrupts(struct scene *scene)
{
	const struct pmu_noise_run *run = scene->run;

	if (isnan(run->interrupted))
		return PMU_NOISE_QUIET;
	pmu_strbuf_addf(&scene->text, "%.0f a second by devices", run->interrupts);
	if (scene->now->n_allowed > 1 && run->interrupted >= 1)
		pmu_strbuf_addf(&scene->text, ", of them %.0f on processor %d", run->interrupted,
				run->interrupted_cpu);
	if (run->interrupted < INTERRUPTS_KNOW)
		return PMU_NOISE_QUIET;
	if (scene->now->n_allowed > 1)
		pmu_strbuf_add(&scene->mend, "bind what is measured to others: pmu run -C");
	return PMU_NOISE_KNOW;
}

static uint64_t most_throttles(const struct pmu_noise_sample *sample)
{
	uint64_t most = 0;

	for (size_t i = 0; i < sample->n_cpus; i++)
		if (sample->cpu[i].throttles != PMU_NOISE_MISSING &&
		    sample->cpu[i].throttles > most)
			most = sample->cpu[i].throttles;
	return most;
}

static enum pmu_noise_severity judge_heat(struct scene *scene)
{
	unsigned long long now = scene->run->throttles, ever = most_throttles(scene->now);

	if (scene->run->throttles == PMU_NOISE_MISSING)
		return PMU_NOISE_QUIET;
	if (!ever) {
		pmu_strbuf_add(&scene->text,
			       "no processor was slowed down for heat since the machine started");
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_addf(
		&scene->text,
		"a processor was slowed down for heat %llu times since the machine started, "
		"%llu of them just now",
		ever, now);
	pmu_strbuf_add(&scene->mend, "cool it better, or measure with turbo off");
	return now ? PMU_NOISE_DISTURBS : PMU_NOISE_KNOW;
}

/* --- limits --- */

static enum pmu_noise_severity judge_quota(struct scene *scene)
{
	const struct pmu_noise_sample *now = scene->now;
	unsigned long long throttled = scene->run->quota_throttled;

	if (isnan(now->quota) || (now->n_cpus && now->quota >= (double)now->n_cpus))
		return PMU_NOISE_QUIET;
	pmu_strbuf_addf(&scene->text,
			"the container (cgroup) has the time of %.3g processor%s; a program that "
			"wants more stands still until its next period",
			now->quota, now->quota == 1 ? "" : "s");
	if (throttled && scene->run->quota_throttled != PMU_NOISE_MISSING)
		pmu_strbuf_addf(&scene->text, ": %llu time%s just now", throttled,
				throttled > 1 ? "s" : "");
	else if (now->quota_throttled != PMU_NOISE_MISSING && now->quota_throttled)
		pmu_strbuf_addf(&scene->text, ": not now, %llu times since it was made",
				(unsigned long long)now->quota_throttled);
	pmu_strbuf_add(&scene->mend, "raise the limit (cpu.max), or run no more threads than that");
	return throttled && scene->run->quota_throttled != PMU_NOISE_MISSING ? PMU_NOISE_DISTURBS
									     : PMU_NOISE_KNOW;
}

static enum pmu_noise_severity judge_few(struct scene *scene)
{
	const struct pmu_noise_sample *now = scene->now;

	if (!now->n_allowed || !now->n_cpus)
		return PMU_NOISE_QUIET;
	if (now->n_allowed == 1) {
		pmu_strbuf_addf(
			&scene->text,
			"this process may use one of %zu processors, which what is measured "
			"shares with what measures it",
			now->n_cpus);
		if (now->n_cpus > 1)
			pmu_strbuf_add(&scene->mend, "allow it a second one: taskset");
		return PMU_NOISE_KNOW;
	}
	pmu_strbuf_addf(&scene->text, "this process may use %u of %zu processors", now->n_allowed,
			now->n_cpus);
	return PMU_NOISE_QUIET;
}

static enum pmu_noise_severity judge_swap(struct scene *scene)
{
	uint64_t used = scene->now->swap_used_kib;

	if (used == PMU_NOISE_MISSING)
		return PMU_NOISE_QUIET;
	if (!used) {
		pmu_strbuf_add(&scene->text, "nothing is swapped out");
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_addf(
		&scene->text,
		"%.0f MB are swapped out: what comes back from there does so at a disk's pace",
		(double)used * 1024 / 1e6);
	pmu_strbuf_add(&scene->mend, "more memory, fewer programs, or swapoff -a");
	return PMU_NOISE_KNOW;
}

/* --- settings --- */

static enum pmu_noise_severity judge_host(struct scene *scene)
{
	if (!scene->now->is_virtual || scene->now->governor[0])
		return PMU_NOISE_QUIET;
	pmu_strbuf_add(&scene->text,
		       "of this virtual machine: it chooses frequencies and neighbours, "
		       "and neither can be seen from here");
	return PMU_NOISE_KNOW;
}

static enum pmu_noise_severity judge_governor(struct scene *scene)
{
	const struct pmu_noise_sample *now = scene->now;

	if (!now->governor[0])
		return PMU_NOISE_QUIET;
	if (!strcmp(now->governor, "performance")) {
		pmu_strbuf_add(&scene->text, "performance: frequencies are as high as they may be");
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_addf(
		&scene->text,
		"%s%s%s%s: the frequency follows the load, and the first milliseconds of a run "
		"are slow",
		now->governor, now->driver[0] ? " (" : "", now->driver, now->driver[0] ? ")" : "");
	pmu_strbuf_add(&scene->mend, "cpupower frequency-set -g performance");
	return PMU_NOISE_KNOW;
}

static enum pmu_noise_severity judge_turbo(struct scene *scene)
{
	const struct pmu_noise_sample *now = scene->now;

	if (now->turbo < 0)
		return PMU_NOISE_QUIET;
	if (!now->turbo) {
		pmu_strbuf_add(&scene->text, "off: no frequency above the nominal one");
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_add(&scene->text,
		       "on: how far frequencies rise depends on heat, and on how many cores work");
	if (scene->run->khz_max != PMU_NOISE_MISSING)
		pmu_strbuf_addf(&scene->text, "; %.2f to %.2f GHz were seen",
				(double)scene->run->khz_min / 1e6,
				(double)scene->run->khz_max / 1e6);
	pmu_strbuf_add(&scene->mend,
		       !strncmp(now->driver, "intel", 5)
			       ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
			       : "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
	return PMU_NOISE_KNOW;
}

/* The first processor of each core that we may use. */
static void add_one_of_each(struct pmu_strbuf *out, const struct pmu_noise_sample *sample)
{
	struct pmu_mask mask = { { 0 } };
	char list[64];

	for (size_t i = 0; i < sample->n_cpus; i++)
		if (sample->cpu[i].allowed && sample->cpu[i].core == sample->cpu[i].cpu)
			pmu_mask_set(&mask, sample->cpu[i].cpu);
	pmu_mask_format(&mask, list, sizeof(list));
	if (list[0] && !strstr(list, "..."))
		pmu_strbuf_addf(out, ": pmu run -C %s", list);
}

static enum pmu_noise_severity judge_smt(struct scene *scene)
{
	double shared = scene->run->sibling_s / scene->run->wall_s;

	if (scene->now->smt < 0)
		return PMU_NOISE_QUIET;
	if (!scene->now->smt) {
		pmu_strbuf_addf(&scene->text, "off: each processor is a core%s",
				scene->now->is_virtual ? ", as far as the host shows" : "");
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_add(&scene->text, "on: two processors share a core, and each is slower while "
				     "the other is busy");
	if (shared >= OTHER_KNOW) {
		pmu_strbuf_add(&scene->text, ", which was so for ");
		pmu_noise_add_percent(&scene->text, shared > 1 ? 1 : shared,
				      shared > 1 ? 1 : shared);
		pmu_strbuf_add(&scene->text, " of the time just now or more");
	}
	pmu_strbuf_add(&scene->mend, "use one processor of each core");
	add_one_of_each(&scene->mend, scene->now);
	return shared >= OTHER_DISTURBS ? PMU_NOISE_DISTURBS : PMU_NOISE_KNOW;
}

static enum pmu_noise_severity judge_aslr(struct scene *scene)
{
	if (scene->now->aslr < 0)
		return PMU_NOISE_QUIET;
	if (!scene->now->aslr) {
		pmu_strbuf_add(&scene->text, "off: addresses are the same in each run");
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_add(
		&scene->text,
		"on: memory lies elsewhere in each run, which moves times, of some programs by much");
	pmu_strbuf_add(&scene->mend, "pmu run --no-aslr, for all that is compared; or many runs");
	return PMU_NOISE_KNOW;
}

/* Documentation/admin-guide/mm/transhuge.rst */
static enum pmu_noise_severity judge_huge_pages(struct scene *scene)
{
	const char *choice = scene->now->huge_pages;

	if (!choice[0])
		return PMU_NOISE_QUIET;
	if (strcmp(choice, "always") != 0) {
		pmu_strbuf_addf(&scene->text, "%s: no memory gets huge pages unasked", choice);
		return PMU_NOISE_QUIET;
	}
	pmu_strbuf_add(&scene->text, "always: which memory has huge pages depends on what is free, "
				     "and with it page faults and TLB misses");
	pmu_strbuf_add(&scene->mend, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
	return PMU_NOISE_KNOW;
}

static enum pmu_noise_severity judge_isolated(struct scene *scene)
{
	const char *list = scene->now->isolated;

	if (!list[0])
		return PMU_NOISE_QUIET;
	pmu_strbuf_addf(&scene->text, "processors %s are kept free of other programs (isolcpus)",
			list);
	if (scene->now->tickless[0])
		pmu_strbuf_addf(&scene->text, ", %s of ticks (nohz_full)", scene->now->tickless);
	if (!strstr(list, "..."))
		pmu_strbuf_addf(&scene->mend, "measure there: pmu run -C %s", list);
	return PMU_NOISE_QUIET;
}

static const struct {
	const char *name;
	judge_fn *judge;
} judges[] = {
	{ "quota", judge_quota },
	{ "other-load", judge_other },
	{ "steal", judge_steal },
	{ "host", judge_host },
	{ "heat", judge_heat },
	{ "smt", judge_smt },
	{ "governor", judge_governor },
	{ "turbo", judge_turbo },
	{ "processors", judge_few },
	{ "isolated", judge_isolated },
	{ "waits", judge_waits },
	{ "interrupts", judge_interrupts },
	{ "swap", judge_swap },
	{ "aslr", judge_aslr },
	{ "huge-pages", judge_huge_pages },
};

int pmu_noise_machine(const struct pmu_noise_sample *now, const struct pmu_noise_run *run,
		      struct pmu_noise_findings *out)
{
	struct scene scene = { .now = now, .run = run };

	for (size_t i = 0; i < PMU_ARRAY_LEN(judges); i++) {
		enum pmu_noise_severity severity = judges[i].judge(&scene);
		const char *text = pmu_strbuf_text(&scene.text);

		if (text[0])
			pmu_noise_find_more(out, severity, judges[i].name, text,
					    pmu_strbuf_text(&scene.mend));
		out->no_memory |= scene.text.failed | scene.mend.failed;
		pmu_strbuf_free(&scene.text);
		pmu_strbuf_free(&scene.mend);
	}
	pmu_noise_findings_sort(out);
	return out->no_memory ? -ENOMEM : 0;
}
