/* SPDX-License-Identifier: BSD-3-Clause */
/* Which source counts a group, what of it has to be given up, and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "counters/several.h"
#include "plan/resolve.h"
#include "plan/simulated.h"
#include "plan/usual.h"
#include "session/choose.h"
#include "session/describe.h"
#include "session/fit.h"
#include "session/session.h"

static void tell_note(const char *text)
{
	pmu_session_tell(PMU_META_NOTE, text);
}

/* The first refusal is the best source's: that reason is the one the report tells. */
static void keep_reason(struct pmu_session_group *group, const struct pmu_backend *backend,
			const char *why, const char *mend)
{
	if (!group->why[0])
		snprintf(group->why, sizeof(group->why), "%s: %s%s%s", backend->name, why,
			 mend[0] ? "; to fix it: " : "", mend);
}

static void refuse_backend(struct pmu_session_group *group, const struct pmu_backend *backend,
			   const struct pmu_probe *probe)
{
	char text[sizeof(probe->why) + sizeof(probe->mend) + 32];

	snprintf(text, sizeof(text), "%s\t%s\t%s", backend->name, probe->why, probe->mend);
	pmu_session_tell(PMU_META_REFUSAL, text);
	keep_reason(group, backend, probe->why, probe->mend);
}

/*
 * Columns are named after what a simulation counts.  A rule of thumb for cycles is no count: it is there
 * where all that can be had was asked for.
 */
static void say_simulated(struct pmu_session_group *to)
{
	pmu_group_simulated(&to->group, to->plan.absent);
	if (to->group.is_folded && pmu_group_estimate_cycles(&to->group, to->plan.absent))
		tell_note(
			"estimated cycles are instructions + 10 (mispredicted branches + misses of the first "
			"level) + 100 misses of the last: a rule of thumb, which no processor follows");
}

/* "perf cannot count A, B here: why" */
static void note_lost_events(const struct pmu_backend *backend, const struct pmu_fit_loss *loss)
{
	char text[768];

	if (!loss->names[0])
		return;
	snprintf(text, sizeof(text), "%s cannot count %.*s here: %s", backend->name,
		 (int)sizeof(loss->names) - 1, loss->names, loss->why);
	tell_note(text);
}

/* The same for events that are not optional. */
static void keep_loss(struct pmu_session_group *group, const struct pmu_backend *backend,
		      const struct pmu_fit_loss *loss)
{
	for (unsigned int i = 0; i < group->plan.n_slots; i++)
		if (group->plan.absent >> i & 1 && !group->group.event[i].optional &&
		    strstr(loss->names, group->group.event[i].name))
			keep_reason(group, backend, loss->why, loss->mend);
}

static void tell_losses(struct pmu_session_group *to, const struct pmu_backend *backend,
			const struct pmu_fit *fit)
{
	char text[768];

	for (size_t i = 0; i < PMU_ARRAY_LEN(fit->lost); i++)
		keep_loss(to, backend, &fit->lost[i]);
	keep_loss(to, backend, &fit->missing);
	for (size_t i = 0; i < PMU_ARRAY_LEN(fit->lost); i++)
		note_lost_events(backend, &fit->lost[i]);
	if (!fit->missing.why[0])
		return;
	snprintf(text, sizeof(text), "%s%s%s", fit->missing.names,
		 fit->missing.names[0] ? " missing: " : "", fit->missing.why);
	tell_note(text);
}

static void accept_fit(struct pmu_session_group *to, const struct pmu_backend *backend,
		       const struct pmu_fit *fit)
{
	to->backend = backend;
	pmu_fit_take(fit, &to->group, &to->plan);
	if (backend->simulated)
		say_simulated(to);
	tell_losses(to, backend, fit);
}

/* On another machine's behalf (PMU_CPUID_FILE) only sources that go by registers can count. */
static bool reads_other_machine(const struct pmu_backend *backend, struct pmu_probe *probe)
{
	if (!pmu_session.config.from.cpuid_file || !backend->here_alone)
		return false;
	snprintf(probe->why, sizeof(probe->why),
		 "PMU_CPUID_FILE describes another machine than this one");
	return true;
}

static int probe_source(void *arg, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	const struct pmu_backend *backend = arg;

	return pmu_backend_probe(backend, plan, probe);
}

/*
 * What a source that does not exist here has told the parent process: a forked child need not probe
 * again, and begins its first region sooner.
 */
static struct refusal {
	const struct pmu_backend *backend;
	bool asked;
	int rc;
	struct pmu_group group;
	struct pmu_plan plan;
	struct pmu_fit fit;
} * refusals[4];

static bool is_absent_error(int rc)
{
	return rc == -ENODEV || rc == -ENOSYS || rc == -ENOENT;
}

/*
 * Byte for byte: what is alike in padding, too, is the same request.  One that differs there alone
 * is taken for another, and costs what it costs without a refusal: its source is asked.
 */
static bool is_known_refusal(const struct refusal *refusal, const struct pmu_session_group *group,
			     const struct pmu_backend *backend, bool asked)
{
	return refusal && refusal->backend == backend && refusal->asked == asked &&
	       !memcmp(&refusal->group, &group->group, sizeof(group->group)) &&
	       !memcmp(&refusal->plan, &group->plan, sizeof(group->plan));
}

static void keep_refusal(const struct pmu_session_group *group, const struct pmu_backend *backend,
			 bool asked, int rc, const struct pmu_fit *fit)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(refusals); i++) {
		struct refusal **refusal = &refusals[i];

		if (*refusal && !is_known_refusal(*refusal, group, backend, asked))
			continue;
		if (!*refusal)
			*refusal = malloc(sizeof(**refusal));
		if (*refusal)
			**refusal = (struct refusal){ backend,      asked,       rc,
						      group->group, group->plan, *fit };
		return;
	}
}

/* A group that has a layout keeps all of its columns, and so does one that is to be whole. */
static bool keeps_columns(const struct pmu_session_group *group)
{
	return group->layout || group->group.whole;
}

/* As pmu_fit(). */
static int fit_source(const struct pmu_session_group *group, const struct pmu_backend *backend,
		      bool asked, struct pmu_fit *fit)
{
	int rc;

	for (size_t i = 0; pmu_session.in_child && i < PMU_ARRAY_LEN(refusals); i++) {
		if (!is_known_refusal(refusals[i], group, backend, asked))
			continue;
		*fit = refusals[i]->fit;
		return refusals[i]->rc;
	}
	rc = pmu_fit(&group->group, asked, keeps_columns(group), probe_source,
		     (void *)(uintptr_t)backend, fit);
	if (is_absent_error(rc) && !group->layout)
		keep_refusal(group, backend, asked, rc, fit);
	return rc;
}

static bool try_and_accept(struct pmu_session_group *group, const struct pmu_backend *backend,
			   bool asked)
{
	struct pmu_fit fit = { .plan = group->plan };
	int rc;

	if (reads_other_machine(backend, &fit.first)) {
		refuse_backend(group, backend, &fit.first);
		return false;
	}
	rc = fit_source(group, backend, asked, &fit);
	if (rc == 0)
		accept_fit(group, backend, &fit);
	/* Without PMU_BACKEND, a source that most machines do not have is not worth a refusal. */
	else if (rc != -ENOSYS || !backend->rare || pmu_session.config.backend)
		refuse_backend(group, backend, &fit.first);
	return rc == 0;
}

/*
 * The two groups that are used where nothing was asked for. What was read of them is kept: a forked
 * child uses the same as its parent.
 */
int pmu_session_usual_group(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	static struct pmu_group *kept[2];
	int rc;

	for (size_t i = 0; pmu_session.in_child && i < PMU_ARRAY_LEN(kept); i++) {
		if (kept[i] && !strcmp(kept[i]->name, name)) {
			*group = *kept[i];
			return 0;
		}
	}
	rc = pmu_usual_group(name, catalog, group) ? 0 : pmu_resolve_group(name, catalog, group);
	for (size_t i = 0; !rc && !pmu_session.in_child && i < PMU_ARRAY_LEN(kept); i++) {
		if (!kept[i] || !strcmp(kept[i]->name, name)) {
			if (!kept[i])
				kept[i] = malloc(sizeof(*kept[i]));
			if (kept[i])
				*kept[i] = *group;
			break;
		}
	}
	return rc;
}

/* Time only; what was asked for becomes missing columns. */
static void settle_for_time(struct pmu_session_group *group, bool asked)
{
	if (!asked && pmu_session_usual_group("TIME", NULL, &group->group) == 0)
		group->plan.n_slots = 0;
	group->plan.absent = pmu_plan_mask(&group->plan);
	group->backend = pmu_backend_time();
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
	return try_and_accept(group, pmu_backend_fallback(), true);
}

static uint32_t wanted_sockets(const struct pmu_plan *plan)
{
	return pmu_plan_sockets(plan) & ~plan->absent;
}

/* A source that counts beside others is dealt its slots later. */
static bool counts_any_socket(const struct pmu_backend *backend)
{
	return backend->sockets && !backend->beside;
}

/* Does the source count all slots of the plan that belong to sockets? */
static bool counts_sockets(const struct pmu_session_group *group, const struct pmu_backend *backend,
			   bool asked, struct pmu_fit *fit)
{
	*fit = (struct pmu_fit){ .plan = group->plan };
	return counts_any_socket(backend) && !reads_other_machine(backend, &fit->first) &&
	       !pmu_fit(&group->group, asked, keeps_columns(group), probe_source,
			(void *)(uintptr_t)backend, fit) &&
	       !(fit->plan.absent & wanted_sockets(&group->plan));
}

/*
 * Sources differ in which slots of sockets they count: the first one that counts all of them is
 * taken, if there is one; better ones say why they do not.
 */
static bool accept_for_sockets(struct pmu_session_group *group, bool asked)
{
	const struct pmu_backend *better = NULL;
	struct pmu_probe why;
	struct pmu_fit fit;

	for (int i = 0; wanted_sockets(&group->plan) && pmu_backends[i]; i++) {
		if (counts_sockets(group, pmu_backends[i], asked, &fit)) {
			if (better)
				refuse_backend(group, better, &why);
			return try_and_accept(group, pmu_backends[i], asked);
		}
		if (counts_any_socket(pmu_backends[i]) && !better) {
			better = pmu_backends[i];
			why = fit.first;
		}
	}
	return false;
}

/* As if the source were alone; a source that counts beside others has no turn. */
static bool is_main(const struct pmu_backend *backend)
{
	return backend->counts && !backend->fallback && !backend->beside;
}

static void choose_main(struct pmu_session_group *group, bool asked)
{
	const struct pmu_backend *forced = pmu_session.config.backend;

	if (forced && forced->counts && group->plan.n_slots) {
		if (!try_and_accept(group, forced, true))
			settle_for_time(group, asked);
		return;
	}
	if (forced || !group->plan.n_slots) {
		if (forced)
			keep_reason(group, forced, "it has times and no counts", "");
		settle_for_time(group, asked && group->plan.n_slots);
		return;
	}
	/*
	 * What the kernel counts in software is best counted by the software source: it includes
	 * the kernel's own part where needed.
	 */
	if (!(pmu_plan_mask(&group->plan) & ~group->plan.absent & ~software_slots(&group->plan)) &&
	    try_and_accept(group, pmu_backend_fallback(), asked))
		return;
	if (accept_for_sockets(group, asked))
		return;
	for (int i = 0; pmu_backends[i]; i++)
		if (is_main(pmu_backends[i]) && try_and_accept(group, pmu_backends[i], asked))
			return;
	if (!count_software_alone(group))
		settle_for_time(group, asked);
}

/* Columns stay: the group has been fitted to its main source.  Return: does it count any? */
static bool try_beside(struct pmu_session_group *group, const struct pmu_backend *backend,
		       uint32_t slots)
{
	struct pmu_fit fit = { .plan = group->plan };

	fit.plan.absent = pmu_plan_mask(&group->plan) & ~slots;
	if (reads_other_machine(backend, &fit.first) ||
	    pmu_fit(&group->group, true, true, probe_source, (void *)(uintptr_t)backend, &fit)) {
		refuse_backend(group, backend, &fit.first);
		return false;
	}
	group->plan.absent &= ~(slots & ~fit.plan.absent);
	tell_losses(group, backend, &fit);
	return true;
}

/* Deals the slots that were left out to the sources that count them beside the one that is chosen. */
static void add_sources_beside(struct pmu_session_group *group)
{
	const struct pmu_backend *main = group->backend->counts ? group->backend : NULL;
	uint32_t taken = 0;

	for (int i = 0; pmu_backends[i]; i++) {
		uint32_t slots = pmu_plan_kinds(&group->plan, pmu_backends[i]->beside);

		if (!slots || !try_beside(group, pmu_backends[i], slots))
			continue;
		if (main)
			taken |= pmu_backends[i]->beside;
		else
			main = pmu_backends[i];
	}
	if (!main)
		return;
	group->backend = taken ? pmu_backend_several(main, taken) : main;
	group->plan.main = taken ? main : NULL;
}

void pmu_session_choose(struct pmu_session_group *group, bool asked)
{
	uint32_t beside = pmu_session.config.backend ? 0 : pmu_backend_beside(NULL, &group->plan);

	group->plan.absent |= beside;
	if (beside && group->plan.absent == pmu_plan_mask(&group->plan))
		settle_for_time(group, true);
	else
		choose_main(group, asked);
	if (beside)
		add_sources_beside(group);
}

void pmu_session_choose_next(struct pmu_session_group *group)
{
	const struct pmu_backend *failed = group->plan.main ? group->plan.main : group->backend;
	uint32_t beside = failed->beside ? 0 : pmu_backend_beside(NULL, &group->plan);
	bool behind = false, found = failed->beside;

	group->plan.main = NULL;
	group->plan.absent = beside;
	for (int i = 0; pmu_backends[i] && !pmu_session.config.backend && !found; i++) {
		found = behind && is_main(pmu_backends[i]) &&
			try_and_accept(group, pmu_backends[i], true);
		behind |= pmu_backends[i] == failed;
	}
	if (!found &&
	    (pmu_session.config.backend || failed->fallback || !count_software_alone(group)))
		settle_for_time(group, true);
	if (beside)
		add_sources_beside(group);
}
