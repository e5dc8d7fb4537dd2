/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives up events of a group until a source can count the rest. */
#include "session/fit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Errors that speak of one event rather than of the source. */
static bool speaks_of_a_slot(int error)
{
	return error == -ENOENT || error == -EINVAL || error == -EOPNOTSUPP || error == -ENOSPC;
}

/* One fitting while it goes on. */
struct fitting {
	struct pmu_fit *fit;
	const struct pmu_group *group;
	bool asked, keep;
	pmu_fit_probe *ask;
	void *arg;
	struct pmu_probe probe; /* the last answer */
};

static bool is_in_plan(const struct fitting *f, unsigned int slot)
{
	return !(f->fit->plan.absent >> slot & 1);
}

/* Whole names only; dots stand for those that have no room. */
static void add_lost_name(char *names, size_t size, const char *name)
{
	static const char dots[] = ", ...";
	size_t len = strlen(names);

	if (len + strlen(name) + sizeof(", ") + sizeof(dots) <= size)
		snprintf(names + len, size - len, "%s%s", len ? ", " : "", name);
	else if (len >= sizeof(dots) && strcmp(names + len - strlen(dots), dots) != 0)
		snprintf(names + len, size - len, "%s", dots);
}

static void say_why(struct pmu_fit_loss *loss, const struct pmu_probe *probe)
{
	memcpy(loss->why, probe->why, sizeof(loss->why));
	memcpy(loss->mend, probe->mend, sizeof(loss->mend));
}

static void give_slot_up(struct fitting *f, unsigned int slot)
{
	struct pmu_fit *fit = f->fit;
	struct pmu_fit_loss *loss =
		&fit->lost[f->probe.error[slot] == 0 || f->probe.error[slot] == -ENOSPC];

	fit->plan.absent |= 1u << slot;
	if (f->group->event[slot].optional && !f->keep)
		fit->gone |= 1u << slot;
	if (fit->why)
		snprintf(fit->why[slot], sizeof(fit->why[slot]), "%s", f->probe.why);
	if (!loss->names[0])
		say_why(loss, &f->probe);
	add_lost_name(loss->names, sizeof(loss->names), f->group->event[slot].name);
}

/* Events that do not exist here; false where one of them cannot be done without. */
static bool drop_unknown(struct fitting *f)
{
	bool dropped = false;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++) {
		if (!f->probe.error[i] || f->probe.error[i] == -ENOSPC || !is_in_plan(f, i))
			continue;
		if (!f->group->event[i].optional && !f->asked)
			return false;
		give_slot_up(f, i);
		dropped = true;
	}
	return dropped;
}

/*
 * Optional events that we have no right to: those with the kernel level in them, beside others
 * without.
 */
static bool drop_forbidden(struct fitting *f)
{
	bool dropped = false;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++) {
		if ((f->probe.error[i] != -EACCES && f->probe.error[i] != -EPERM) ||
		    !is_in_plan(f, i) || !f->group->event[i].optional)
			continue;
		give_slot_up(f, i);
		dropped = true;
	}
	return dropped;
}

/* Those that do not fit beside the ones before them. */
static uint32_t unfit_slots(const struct fitting *f)
{
	uint32_t unfit = 0;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++)
		if (f->probe.error[i] == -ENOSPC && is_in_plan(f, i))
			unfit |= 1u << i;
	return unfit;
}

/*
 * The last optional event without which @slot has a counter; -1: there is none.  Other optional
 * ones that do not fit must not take the place.
 */
static int in_the_way_of(const struct fitting *f, unsigned int slot)
{
	uint32_t others = f->fit->plan.absent;
	struct pmu_plan without;
	struct pmu_probe probe;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++)
		if (f->probe.error[i] && f->group->event[i].optional)
			others |= 1u << i;
	for (unsigned int i = f->fit->plan.n_slots; i-- > 0;) {
		if (!is_in_plan(f, i) || f->probe.error[i] || !f->group->event[i].optional)
			continue;
		without = f->fit->plan;
		without.absent = others | 1u << i;
		memset(&probe, 0, sizeof(probe));
		f->ask(f->arg, &without, &probe);
		if (!probe.error[slot])
			return (int)i;
	}
	return -1;
}

/*
 * Sources count as many events as they can, earlier ones first: what they say does not fit is all
 * that has to go.  Only an event that is needed may take an optional one's place.
 */
static bool drop_unfit(struct fitting *f)
{
	uint32_t unfit = unfit_slots(f);

	for (uint32_t left = unfit; left; left &= left - 1) {
		unsigned int slot = (unsigned int)__builtin_ctz(left);
		int other;

		if (f->group->event[slot].optional)
			continue;
		other = in_the_way_of(f, slot);
		if (other < 0 && !f->asked)
			return false;
		give_slot_up(f, other < 0 ? slot : (unsigned int)other);
		return true;
	}
	for (uint32_t left = unfit; left; left &= left - 1)
		give_slot_up(f, (unsigned int)__builtin_ctz(left));
	return unfit != 0;
}

/*
 * Where it is not said what does not fit: the last event that is still there, optional ones first.
 */
static bool drop_last(struct fitting *f)
{
	for (int pass = 0; pass < 2 && !unfit_slots(f); pass++) {
		for (unsigned int i = f->fit->plan.n_slots; i-- > 0;) {
			bool optional = f->group->event[i].optional;

			if (!is_in_plan(f, i) || (pass == 0 && !optional))
				continue;
			if (!optional && !f->asked)
				return false;
			give_slot_up(f, i);
			return true;
		}
	}
	return false;
}

/* A source that can be used although it cannot count some slots. */
static void leave_missing(struct fitting *f)
{
	struct pmu_fit *fit = f->fit;

	for (unsigned int i = 0; i < fit->plan.n_slots; i++) {
		if (!f->probe.error[i] || !is_in_plan(f, i))
			continue;
		fit->plan.absent |= 1u << i;
		add_lost_name(fit->missing.names, sizeof(fit->missing.names),
			      f->group->event[i].name);
	}
	say_why(&fit->missing, &f->probe);
}

int pmu_fit(const struct pmu_group *group, bool asked, bool keep, pmu_fit_probe *probe, void *arg,
	    struct pmu_fit *fit)
{
	struct fitting f = {
		.fit = fit, .group = group, .asked = asked, .keep = keep, .ask = probe, .arg = arg
	};
	int rc;

	for (bool first = true;; first = false) {
		memset(&f.probe, 0, sizeof(f.probe));
		rc = probe(arg, &fit->plan, &f.probe);
		if (first || !fit->first.why[0])
			fit->first = f.probe;
		if (rc == 0) {
			leave_missing(&f);
			return 0;
		}
		if (!speaks_of_a_slot(rc) && !drop_forbidden(&f))
			return rc;
		if (speaks_of_a_slot(rc) && !drop_unknown(&f) &&
		    (rc != -ENOSPC || (!drop_unfit(&f) && !drop_last(&f))))
			return rc;
		if (fit->plan.absent == pmu_plan_mask(&fit->plan))
			return rc;
	}
}

void pmu_fit_take(const struct pmu_fit *fit, struct pmu_group *group, struct pmu_plan *plan)
{
	unsigned int kept = 0;
	uint32_t absent = 0;

	*plan = fit->plan;
	for (unsigned int i = 0; i < fit->plan.n_slots; i++) {
		if (fit->gone & (1u << i))
			continue;
		group->event[kept] = group->event[i];
		plan->slot[kept] = fit->plan.slot[i];
		absent |= (fit->plan.absent >> i & 1u) << kept;
		kept++;
	}
	group->n_events = plan->n_slots = kept;
	plan->absent = absent;
}

void pmu_group_plan(const struct pmu_group *group, struct pmu_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->n_slots = group->n_events;
	for (unsigned int i = 0; i < group->n_events; i++)
		plan->slot[i] = group->event[i].slot;
}
