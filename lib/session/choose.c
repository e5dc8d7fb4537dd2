/* SPDX-License-Identifier: BSD-3-Clause */
/* Which source counts a group, what of it has to be given up, and why. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

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

/* Errors that speak of one event rather than of the source. */
static bool speaks_of_a_slot(int error)
{
	return error == -ENOENT || error == -EINVAL || error == -EOPNOTSUPP || error == -ENOSPC;
}

static uint32_t all_slots(const struct pmu_plan *plan)
{
	return plan->n_slots ? (uint32_t)((1ull << plan->n_slots) - 1) : 0;
}

/* What is left of a group while a source is tried. */
struct fit {
	struct pmu_plan plan;
	uint32_t gone;    /* optional events given up: no column */
	struct pmu_probe first; /* the first refusal */
	char given_up[256];     /* names, for a note */
	char left_missing[256]; /* names of those that can only be missing here */
};

static void give_up(struct fit *fit, const struct pmu_group *group, unsigned int slot, bool optional)
{
	size_t len = strlen(fit->given_up);

	fit->plan.absent |= 1u << slot;
	if (optional)
		fit->gone |= 1u << slot;
	snprintf(fit->given_up + len, sizeof(fit->given_up) - len, "%s%s", len ? ", " : "",
		 group->event[slot].name);
}

/* Events that do not exist here; false where one of them cannot be done without. */
static bool drop_unknown(struct fit *fit, const struct pmu_probe *probe,
			 const struct pmu_group *group, bool asked)
{
	bool dropped = false;

	for (unsigned int i = 0; i < fit->plan.n_slots; i++) {
		if (!probe->error[i] || probe->error[i] == -ENOSPC || fit->plan.absent & (1u << i))
			continue;
		if (!group->event[i].optional && !asked)
			return false;
		give_up(fit, group, i, group->event[i].optional);
		dropped = true;
	}
	return dropped;
}

/* The last event that is still there, optional ones first. */
static bool drop_last(struct fit *fit, const struct pmu_group *group, bool asked)
{
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = fit->plan.n_slots; i-- > 0;) {
			bool optional = group->event[i].optional;

			if (fit->plan.absent & (1u << i) || (pass == 0 && !optional))
				continue;
			if (!optional && !asked)
				return false;
			give_up(fit, group, i, optional);
			return true;
		}
	}
	return false;
}

/* A source that can be used although it cannot count some slots. */
static void leave_missing(struct fit *fit, const struct pmu_probe *probe,
			  const struct pmu_group *group)
{
	for (unsigned int i = 0; i < fit->plan.n_slots; i++) {
		size_t len = strlen(fit->left_missing);

		if (!probe->error[i] || fit->plan.absent & (1u << i))
			continue;
		fit->plan.absent |= 1u << i;
		snprintf(fit->left_missing + len, sizeof(fit->left_missing) - len, "%s%s",
			 len ? ", " : "", group->event[i].name);
	}
}

/* Give up events until the source can count the rest.  0, or why it can count nothing of use. */
static int try_source(const struct pmu_backend *backend, const struct pmu_group *group, bool asked,
		      struct fit *fit)
{
	struct pmu_probe probe;
	int rc;

	for (bool first = true;; first = false) {
		memset(&probe, 0, sizeof(probe));
		rc = backend->probe(&fit->plan, &probe);
		if (first || !fit->first.why[0])
			fit->first = probe;
		if (rc == 0) {
			leave_missing(fit, &probe, group);
			return 0;
		}
		if (!speaks_of_a_slot(rc))
			return rc;
		if (!drop_unknown(fit, &probe, group, asked) &&
		    (rc != -ENOSPC || !drop_last(fit, group, asked)))
			return rc;
		if (fit->plan.absent == all_slots(&fit->plan))
			return rc;
	}
}

/* Take the optional events that were given up out of the group: they get no column. */
static void remove_gone(struct pmu_session_group *to, const struct fit *fit)
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

static void accept_fit(struct pmu_session_group *to, const struct pmu_backend *backend,
		       const struct fit *fit)
{
	char text[768];

	to->backend = backend;
	to->plan = fit->plan;
	remove_gone(to, fit);
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

static bool try_and_accept(struct pmu_session_group *group, const struct pmu_backend *backend,
			   bool asked)
{
	struct fit fit = { .plan = group->plan };

	if (try_source(backend, &group->group, asked, &fit) == 0) {
		accept_fit(group, backend, &fit);
		return true;
	}
	refuse(backend, &fit.first);
	return false;
}

/* Time alone, with what was asked for as missing columns. */
static void settle_for_time(struct pmu_session_group *group, bool asked)
{
	struct pmu_group none;

	if (!asked && pmu_group_find("TIME", &none) == 0) {
		group->group = none;
		group->plan.n_slots = 0;
	}
	group->plan.absent = all_slots(&group->plan);
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

/* Where the counters are refused, what the kernel counts can still be had; the rest stays missing. */
static bool count_software_alone(struct pmu_session_group *group)
{
	uint32_t software = software_slots(&group->plan);

	if (!software)
		return false;
	group->plan.absent |= all_slots(&group->plan) & ~software;
	return try_and_accept(group, &pmu_backend_software, true);
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
	/* What the kernel counts in software, the source for it counts best: it includes the kernel where needed. */
	if (software_slots(&group->plan) == all_slots(&group->plan) &&
	    try_and_accept(group, &pmu_backend_software, asked))
		return;
	for (int i = 0; pmu_backends[i]; i++)
		if (pmu_backends[i]->counts && pmu_backends[i] != &pmu_backend_software &&
		    try_and_accept(group, pmu_backends[i], asked))
			return;
	if (!count_software_alone(group))
		settle_for_time(group, asked);
}
