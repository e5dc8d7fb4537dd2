/* SPDX-License-Identifier: BSD-3-Clause */
/* Which source counts a group, what of it has to be given up, and why. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "group/fit.h"
#include "group/simulated.h"
#include "session/session.h"

static void note(const char *text)
{
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

static void refuse(const struct pmu_backend *backend, const struct pmu_probe *probe)
{
	char text[sizeof(probe->why) + sizeof(probe->mend) + 32];

	snprintf(text, sizeof(text), "%s\t%s\t%s", backend->name, probe->why, probe->mend);
	pmu_table_meta(&pmu_session.table, PMU_META_REFUSAL, text);
}

/* Take the optional events that were given up out of the group: they get no column. */
static void remove_gone(struct pmu_session_group *to, const struct pmu_fit *fit)
{
	unsigned int kept = 0;
	uint32_t absent = 0;

	for (unsigned int i = 0; i < fit->plan.n_slots; i++) {
		if (fit->gone & (1u << i))
			continue;
		to->group.event[kept] = to->group.event[i];
		to->plan.slot[kept] = fit->plan.slot[i];
		absent |= (fit->plan.absent >> i & 1u) << kept;
		kept++;
	}
	to->group.n_events = to->plan.n_slots = kept;
	to->plan.absent = absent;
}

/* Columns are called what is counted, and the times are none of the program's. */
static void say_simulated(struct pmu_session_group *to)
{
	pmu_group_simulated(&to->group, to->plan.absent);
	if (to == pmu_session.group)
		note("times are those of the simulation, in which a program takes some 50 times as long");
}

static void accept_fit(struct pmu_session_group *to, const struct pmu_backend *backend,
		       const struct pmu_fit *fit)
{
	char text[768];

	to->backend = backend;
	to->plan = fit->plan;
	remove_gone(to, fit);
	if (backend == &pmu_backend_valgrind)
		say_simulated(to);
	if (fit->left_missing[0]) {
		snprintf(text, sizeof(text), "%s missing: %s", fit->left_missing, fit->first.why);
		note(text);
	} else if (fit->given_up[0]) {
		snprintf(text, sizeof(text), "%s cannot count %s here: %s", backend->name,
			 fit->given_up, fit->first.why);
		note(text);
	} else if (fit->first.why[0]) {
		note(fit->first.why);
	}
}

/* Of another machine's counters only registers speak: perf's are those of this one. */
static bool is_elsewhere(const struct pmu_backend *backend, struct pmu_probe *probe)
{
	if (!pmu_session.config.from.cpuid_file || backend != &pmu_backend_perf)
		return false;
	snprintf(probe->why, sizeof(probe->why),
		 "PMU_CPUID_FILE describes another machine than this one");
	return true;
}

static int probe_source(void *arg, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	const struct pmu_backend *backend = arg;

	return backend->probe(plan, probe);
}

static bool try_and_accept(struct pmu_session_group *group, const struct pmu_backend *backend,
			   bool asked)
{
	struct pmu_fit fit = { .plan = group->plan };
	int rc;

	if (is_elsewhere(backend, &fit.first)) {
		refuse(backend, &fit.first);
		return false;
	}
	/* A group that has a layout keeps all of its columns. */
	rc = pmu_fit(&group->group, asked, group->layout != NULL, probe_source,
		     (void *)(uintptr_t)backend, &fit);
	if (rc == 0)
		accept_fit(group, backend, &fit);
	/*
	 * Who asked for no source in particular need not hear of one that this kind of processor
	 * never has, nor of valgrind.
	 */
	else if (rc != -ENOSYS ||
		 (backend != &pmu_backend_msr && backend != &pmu_backend_valgrind) ||
		 pmu_session.config.backend)
		refuse(backend, &fit.first);
	return rc == 0;
}

/* Time alone, with what was asked for as missing columns. */
static void settle_for_time(struct pmu_session_group *group, bool asked)
{
	if (!asked && pmu_group_find("TIME", NULL, &group->group) == 0)
		group->plan.n_slots = 0;
	group->plan.absent = pmu_plan_mask(&group->plan);
	group->backend = &pmu_backend_clock;
}

/* The slots that the kernel counts without a PMU. */
static uint32_t software_slots(const struct pmu_plan *plan)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (plan->slot[i].kind == PMU_SLOT_SOFTWARE)
			slots |= 1u << i;
	return slots;
}

/*
 * Where the counters are refused, what the kernel counts can still be had; the rest stays missing.
 */
static bool count_software_alone(struct pmu_session_group *group)
{
	uint32_t software = software_slots(&group->plan);

	if (!software)
		return false;
	group->plan.absent |= pmu_plan_mask(&group->plan) & ~software;
	return try_and_accept(group, &pmu_backend_software, true);
}

/* Does it count all that belongs to sockets? */
static bool counts_sockets(const struct pmu_session_group *group, const struct pmu_backend *backend,
			   bool asked, struct pmu_fit *fit)
{
	*fit = (struct pmu_fit){ .plan = group->plan };
	return backend->sockets && !is_elsewhere(backend, &fit->first) &&
	       !pmu_fit(&group->group, asked, group->layout != NULL, probe_source,
			(void *)(uintptr_t)backend, fit) &&
	       !(fit->plan.absent & pmu_plan_sockets(&group->plan));
}

/*
 * Sources differ in what they have of sockets: the first with all of it, if there is one; a better
 * one says why not.
 */
static bool accept_for_sockets(struct pmu_session_group *group, bool asked)
{
	const struct pmu_backend *better = NULL;
	struct pmu_probe why;
	struct pmu_fit fit;

	for (int i = 0; pmu_plan_sockets(&group->plan) && pmu_backends[i]; i++) {
		if (counts_sockets(group, pmu_backends[i], asked, &fit)) {
			if (better)
				refuse(better, &why);
			return try_and_accept(group, pmu_backends[i], asked);
		}
		if (pmu_backends[i]->sockets && !better) {
			better = pmu_backends[i];
			why = fit.first;
		}
	}
	return false;
}

void pmu_session_choose(struct pmu_session_group *group, bool asked)
{
	const struct pmu_backend *forced = pmu_session.config.backend;

	if (forced && forced->counts && group->plan.n_slots) {
		if (!try_and_accept(group, forced, true))
			settle_for_time(group, asked);
		return;
	}
	if (forced || !group->plan.n_slots) {
		settle_for_time(group, asked && group->plan.n_slots);
		return;
	}
	/*
	 * What the kernel counts in software, the source for it counts best: it includes the kernel
	 * where needed.
	 */
	if (software_slots(&group->plan) == pmu_plan_mask(&group->plan) &&
	    try_and_accept(group, &pmu_backend_software, asked))
		return;
	if (accept_for_sockets(group, asked))
		return;
	for (int i = 0; pmu_backends[i]; i++)
		if (pmu_backends[i]->counts && pmu_backends[i] != &pmu_backend_software &&
		    try_and_accept(group, pmu_backends[i], asked))
			return;
	if (!count_software_alone(group))
		settle_for_time(group, asked);
}

void pmu_session_choose_next(struct pmu_session_group *group)
{
	bool behind = false;

	group->plan.absent = 0;
	for (int i = 0; pmu_backends[i] && !pmu_session.config.backend; i++) {
		if (behind && pmu_backends[i]->counts && pmu_backends[i] != &pmu_backend_software &&
		    try_and_accept(group, pmu_backends[i], true))
			return;
		behind |= pmu_backends[i] == group->backend;
	}
	if (pmu_session.config.backend || group->backend == &pmu_backend_software ||
	    !count_software_alone(group))
		settle_for_time(group, true);
}
