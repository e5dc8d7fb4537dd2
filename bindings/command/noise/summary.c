/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences on what disturbed repeated runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "bindings/command/noise/effect.h"
#include "bindings/command/noise/findings.h"
#include "bindings/command/noise/noise.h"

/* More runs than that are not listed. */
#define LISTED_MAX 6
/* USER_HZ is 100 (proc_stat(5)). */
#define TICK_S 0.01
/* A command's own processes make way for each other now and then. */
#define SWITCHES_LEAST 20

/* --- what disturbs, in numbers: NAN where it is not known --- */

/* Shares that a tick at either end may have made up are none. */
static double beyond_ticks(double share, const struct pmu_noise_run *run)
{
	return share * run->wall_s <= 2 * TICK_S ? 0 : share;
}

static double other(const struct pmu_noise_run *run)
{
	return beyond_ticks(run->other, run);
}

static double steal(const struct pmu_noise_run *run)
{
	return beyond_ticks(run->steal, run);
}

static double count_or_nan(uint64_t n)
{
	return n == PMU_NOISE_MISSING ? NAN : (double)n;
}

static double quota(const struct pmu_noise_run *run)
{
	return count_or_nan(run->quota_throttled);
}

static double heat(const struct pmu_noise_run *run)
{
	return count_or_nan(run->throttles);
}

static double disk(const struct pmu_noise_run *run)
{
	return (double)run->read_kib * 1024 / 1e6;
}

static double interrupts(const struct pmu_noise_run *run)
{
	return run->interrupted;
}

/* By second of its own time: a longer run has more of them, disturbed or not. */
static double preempted(const struct pmu_noise_run *run)
{
	if (run->involuntary < SWITCHES_LEAST)
		return 0;
	return run->own_s > 0 ? (double)run->involuntary / run->own_s : NAN;
}

static double siblings(const struct pmu_noise_run *run)
{
	return run->sibling_s / run->wall_s;
}

static const struct disturbance {
	const char *name;
	double (*value)(const struct pmu_noise_run *run);
	double least; /* from here on a run is disturbed */
	enum pmu_noise_severity severity;
	/* its value: a share of time; a count in a run, or of how often; a rate */
	enum { SHARE, COUNT, TIMES, RATE } kind;
	/* in words what it does, around the number; of TIMES with an s where that is not one */
	const char *before, *behind;
	const char *mend; /* NULL: it depends */
} disturbances[] = {
	{ "quota", quota, 1, PMU_NOISE_DISTURBS, TIMES,
	  "the time limit of the container (cgroup) was reached ", " time",
	  "raise the limit, or run fewer threads" },
	{ "heat", heat, 1, PMU_NOISE_DISTURBS, TIMES, "the processor was slowed down for heat ",
	  " time", "cool the machine better, or measure with turbo off" },
	/* a twentieth of a machine of two is a tenth of a processor */
	{ "other-load", other, 0.05, PMU_NOISE_KNOW, SHARE, "other programs and the kernel used ",
	  " of the processors' time",
	  "stop what else runs, or bind the command to processors that are left to it: -C" },
	{ "steal", steal, 0.01, PMU_NOISE_KNOW, SHARE, "the host took ",
	  " of the processors' time from this virtual machine (steal time)",
	  "measure when the host is idle, or on a machine of one's own" },
	{ "disk", disk, 1, PMU_NOISE_KNOW, COUNT, "", " MB were read from disk", NULL },
	/* some microseconds each: half a percent of a processor */
	{ "interrupts", interrupts, 1000, PMU_NOISE_KNOW, RATE,
	  "devices interrupted one of the processors ", " times a second",
	  "bind the command to other processors: -C" },
	/* the scheduler's slice is some milliseconds: a fourth of the time or more with another */
	{ "preempted", preempted, 50, PMU_NOISE_KNOW, RATE,
	  "the command's threads had to leave their processors for others ",
	  " times in a second of their time",
	  "as many threads as there are processors, and nothing else beside them" },
	{ "siblings", siblings, 0.05, PMU_NOISE_KNOW, SHARE,
	  "both processors of a core were busy at once for ", " of the time or more",
	  "bind the command to one processor of each core: -C" },
};

/* --- sentences --- */

static void add_disturbance(struct pmu_strbuf *out, const struct disturbance *of, double least,
			    double most)
{
	pmu_strbuf_add(out, of->before);
	if (of->kind == SHARE)
		pmu_noise_add_percent(out, least, most > 1 ? 1 : most);
	else if (most - least >= 1)
		pmu_strbuf_addf(out, "%.0f to %.0f", least, most);
	else
		pmu_strbuf_addf(out, "%.0f", most);
	pmu_strbuf_add(out, of->behind);
	pmu_strbuf_add(out, of->kind == TIMES && most >= 1.5 ? "s" : "");
}

/* What is looked at, for one disturbance. */
struct view {
	size_t n; /* runs */
	double *time, *value;
	bool *disturbed;
	size_t n_disturbed;
	double least, most; /* of those that are */
};

/* Return: whether all runs tell it. */
static bool look_at_runs(struct view *view, const struct disturbance *of,
			 const struct pmu_noise_run *runs)
{
	bool known = true;

	view->n_disturbed = 0;
	for (size_t i = 0; i < view->n; i++) {
		double value = of->value(&runs[i]);

		known = known && !isnan(value);
		view->value[i] = value;
		view->disturbed[i] = value >= of->least;
		if (!view->disturbed[i])
			continue;
		if (!view->n_disturbed || value < view->least)
			view->least = value;
		if (!view->n_disturbed || value > view->most)
			view->most = value;
		view->n_disturbed++;
	}
	return known;
}

/* "runs 3, 7 and 9-12", "all 20 runs", "17 of 20 runs". */
static void add_run_numbers(struct pmu_strbuf *out, const struct view *view)
{
	size_t told = 0;

	if (view->n == 1) {
		pmu_strbuf_add(out, "the run");
		return;
	}
	if (view->n_disturbed == view->n || view->n_disturbed > LISTED_MAX) {
		if (view->n_disturbed == view->n)
			pmu_strbuf_addf(out, "all %zu runs", view->n);
		else
			pmu_strbuf_addf(out, "%zu of %zu runs", view->n_disturbed, view->n);
		return;
	}
	pmu_strbuf_add(out, view->n_disturbed > 1 ? "runs " : "run ");
	for (size_t i = 0; i < view->n; i++) {
		if (!view->disturbed[i])
			continue;
		told++;
		pmu_strbuf_addf(out, "%s%zu",
				told == 1                   ? ""
				: told == view->n_disturbed ? " and "
							    : ", ",
				i + 1);
	}
}

static void add_effect(struct pmu_strbuf *out, enum pmu_noise_effect effect, double longer)
{
	if (effect == PMU_NOISE_UNCLEAR)
		return;
	pmu_strbuf_add(out, effect == PMU_NOISE_OF_SET
				    ? ", which took "
				    : "; the half of the runs with more of it took ");
	pmu_noise_add_percent(out, longer, longer);
	pmu_strbuf_add(out, effect == PMU_NOISE_OF_SET ? " longer than the rest" : " longer");
}

/* What was read from disk, the first time only. */
static bool is_first(const struct view *view)
{
	return view->n > 1 && view->n_disturbed == 1 && view->disturbed[0];
}

static void tell_disturbance(const struct disturbance *of, const struct view *view, bool known,
			     struct pmu_noise_findings *out)
{
	struct pmu_strbuf text = { 0 };
	enum pmu_noise_effect effect = PMU_NOISE_UNCLEAR;
	double longer = 0;
	const char *mend = of->mend;

	if (known)
		effect = pmu_noise_effect(view->time, view->value, view->disturbed, view->n,
					  &longer);
	add_disturbance(&text, of, view->least, view->most);
	pmu_strbuf_add(&text, (of->kind == COUNT || of->kind == TIMES) && view->n_disturbed > 1
				      ? " in each of "
				      : " in ");
	add_run_numbers(&text, view);
	add_effect(&text, effect, longer);
	if (!mend)
		mend = is_first(view) ? "--warmup 1 leaves the first run out"
				      : "keep the files in memory, as on a tmpfs";
	pmu_noise_find_more(out, effect ? PMU_NOISE_DISTURBS : of->severity, of->name,
			    pmu_strbuf_text(&text), mend);
	out->no_memory |= text.failed;
	pmu_strbuf_free(&text);
}

int pmu_noise_summarize(const struct pmu_noise_run *runs, size_t n, struct pmu_noise_findings *out)
{
	struct view view = { .n = n };

	if (!n)
		return 0;
	view.time = calloc(n, sizeof(*view.time));
	view.value = calloc(n, sizeof(*view.value));
	view.disturbed = calloc(n, sizeof(*view.disturbed));
	out->no_memory |= !view.time || !view.value || !view.disturbed;
	for (size_t i = 0; i < n && !out->no_memory; i++)
		view.time[i] = (double)runs[i].elapsed_ns;
	for (size_t i = 0; i < PMU_ARRAY_LEN(disturbances) && !out->no_memory; i++) {
		bool known = look_at_runs(&view, &disturbances[i], runs);

		if (view.n_disturbed)
			tell_disturbance(&disturbances[i], &view, known, out);
	}
	pmu_noise_findings_sort(out);
	free(view.time);
	free(view.value);
	free(view.disturbed);
	return out->no_memory ? -ENOMEM : 0;
}
