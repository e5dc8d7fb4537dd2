/* SPDX-License-Identifier: BSD-3-Clause */
/* What is counted: a group by its name, or events, as far as perf_event can have them here. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/attach/attach.h"
#include "counters/backend.h"
#include "session/fit.h"
#include "session/sample_event.h"

static void add_note(struct pmu_attach_plan *out, const char *text)
{
	if (out->n_notes < PMU_ARRAY_LEN(out->note) && text[0])
		snprintf(out->note[out->n_notes++], sizeof(out->note[0]), "%s", text);
}

/* As pmu_fit() takes it; the scope of processes is that of a whole one, for events that new threads inherit. */
static int probe_perf(void *arg, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	(void)arg;
	return pmu_backend_probe(&pmu_backend_perf, plan, probe);
}

static void note_losses(struct pmu_attach_plan *out, const struct pmu_fit *fit)
{
	char text[768];

	for (size_t i = 0; i < PMU_ARRAY_LEN(fit->lost); i++) {
		const struct pmu_fit_loss *loss = &fit->lost[i];

		if (!loss->names[0])
			continue;
		snprintf(text, sizeof(text), "perf cannot count %.*s here: %s",
			 (int)sizeof(loss->names) - 1, loss->names, loss->why);
		add_note(out, text);
	}
	if (!fit->missing.why[0])
		return;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)sizeof(fit->missing.names) - 1,
		 fit->missing.names, fit->missing.names[0] ? " missing: " : "", fit->missing.why);
	add_note(out, text);
}

/* Those that need a right to the kernel's work. */
static uint32_t kernel_slots(const struct pmu_plan *plan)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		slots |= (uint32_t)plan->slot[i].kernel << i;
	return slots;
}

/* On a processor these go on also where it is idle. */
static uint32_t clock_slots(const struct pmu_plan *plan)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++) {
		const struct pmu_slot *slot = &plan->slot[i];
		const bool is_clock = slot->type == PERF_TYPE_SOFTWARE &&
				      (slot->config == PERF_COUNT_SW_TASK_CLOCK ||
				       slot->config == PERF_COUNT_SW_CPU_CLOCK);

		slots |= (uint32_t)is_clock << i;
	}
	return slots;
}

/* What belongs to a socket is counted by sessions alone (PMU_COUNT), a row for each. */
static void set_scope(const struct pmu_attach_plan *out, struct pmu_plan *plan)
{
	plan->scope = out->scope;
	plan->cpu = out->cpu;
	plan->n_cpus = out->n_cpus;
	if (out->scope == PMU_COUNT_CPU)
		plan->absent = pmu_plan_sockets(plan) | (out->with_idle ? clock_slots(plan) : 0);
}

/* @absent: slots that are not tried.  Return: as pmu_fit(); the group is left alone where it fails. */
static int fit_perf(struct pmu_attach_plan *out, bool asked, uint32_t absent)
{
	struct pmu_fit fit = { .why = NULL };
	uint32_t kernel;
	int rc;

	pmu_group_plan(&out->group, &fit.plan);
	set_scope(out, &fit.plan);
	absent |= fit.plan.absent;
	fit.plan.absent = absent;
	rc = pmu_fit(&out->group, asked, out->group.whole, probe_perf, NULL, &fit);
	kernel = absent | kernel_slots(&fit.plan);
	if (rc == -EACCES && kernel != absent && kernel != pmu_plan_mask(&fit.plan)) {
		add_note(out, fit.first.why);
		fit = (struct pmu_fit){ .plan = fit.plan };
		fit.plan.absent = kernel;
		rc = pmu_fit(&out->group, asked, out->group.whole, probe_perf, NULL, &fit);
	}
	if (!rc) {
		pmu_fit_take(&fit, &out->group, &out->plan);
		note_losses(out, &fit);
	} else if (!out->why[0]) {
		snprintf(out->why, sizeof(out->why), "%s", fit.first.why);
		snprintf(out->mend, sizeof(out->mend), "%s", fit.first.mend);
	}
	return rc;
}

/* What was asked for by name and cannot be had is a column without counts. */
static void fit_asked(struct pmu_attach_plan *out)
{
	struct pmu_plan plan;
	uint32_t others;

	if (!out->group.n_events || !fit_perf(out, true, 0))
		return;
	pmu_group_plan(&out->group, &plan);
	others = pmu_plan_mask(&plan) & ~pmu_plan_kinds(&plan, 1u << PMU_SLOT_SOFTWARE);
	if (others != pmu_plan_mask(&plan) && !fit_perf(out, true, others))
		return;
	out->plan = plan;
	set_scope(out, &out->plan);
	out->plan.absent = pmu_plan_mask(&plan);
}

/* Where the processor has no counters to offer, what the kernel counts. */
static int fit_usual(struct pmu_config *config, struct pmu_attach_plan *out)
{
	static const char *const names[] = { "CORE", "SOFTWARE" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++) {
		int rc = pmu_group_find(names[i], &config->catalog, &out->group);

		if (rc && rc != -ENOTSUP)
			return rc;
		if (!rc && !fit_perf(out, false, 0))
			return 0;
	}
	out->group.n_events = out->group.n_metrics = out->plan.n_slots = 0;
	snprintf(out->group.name, sizeof(out->group.name), "TIME");
	return 0;
}

int pmu_attach_choose(struct pmu_config *config, struct pmu_attach_plan *out)
{
	char why[PMU_SAMPLE_WHY_MAX];

	out->sample = config->sample;
	/* programs' times are their shares of them */
	if (out->n_cpus && !pmu_sample_is_time(&out->sample.unit))
		return pmu_fail(EINVAL, "--sample=%s: of a machine or a cgroup samples are of time",
				out->sample.unit.event);
	if (!pmu_sample_is_time(&out->sample.unit) && pmu_sample_event_check(&out->sample, why))
		return pmu_fail(ENOENT, "%s", why);
	out->callers = out->sample.unit.period && config->callers;
	if (config->n_groups > 1)
		return pmu_fail(
			EINVAL,
			"%s, %s and so on would have to take turns, between calls that nobody sees from "
			"outside: pmu attach counts one group",
			config->group[0].name, config->group[1].name);
	if (!config->n_groups)
		return fit_usual(config, out);
	out->group = config->group[0];
	add_note(out, out->group.note);
	fit_asked(out);
	return 0;
}
