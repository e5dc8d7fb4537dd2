/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives up events of a group until a source can count the rest. */
#include "group/fit.h"

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
	struct pmu_probe probe; /* the last answer */
};

static bool is_there(const struct fitting *f, unsigned int slot)
{
	return !(f->fit->plan.absent >> slot & 1);
}

static void give_up(struct fitting *f, unsigned int slot)
{
	struct pmu_fit *fit = f->fit;
	size_t len = strlen(fit->given_up);

	fit->plan.absent |= 1u << slot;
	if (f->group->event[slot].optional && !f->keep)
		fit->gone |= 1u << slot;
	if (fit->why)
		snprintf(fit->why[slot], sizeof(fit->why[slot]), "%s", f->probe.why);
	snprintf(fit->given_up + len, sizeof(fit->given_up) - len, "%s%s", len ? ", " : "",
		 f->group->event[slot].name);
}

/* Events that do not exist here; false where one of them cannot be done without. */
static bool drop_unknown(struct fitting *f)
{
	bool dropped = false;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++) {
		if (!f->probe.error[i] || f->probe.error[i] == -ENOSPC || !is_there(f, i))
			continue;
		if (!f->group->event[i].optional && !f->asked)
			return false;
		give_up(f, i);
		dropped = true;
	}
	return dropped;
}

/*
 * Events that do not fit beside those before them, if nobody insists on any of them: later ones
 * that do fit, in a counter of their own, stay.
 */
static bool drop_unfit(struct fitting *f)
{
	uint32_t unfit = 0;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++) {
		if (f->probe.error[i] != -ENOSPC || !is_there(f, i))
			continue;
		if (!f->group->event[i].optional)
			return false;
		unfit |= 1u << i;
	}
	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++)
		if (unfit >> i & 1)
			give_up(f, i);
	return unfit != 0;
}

/* Counted by the same counters? */
static bool shares_counters(const struct pmu_slot *a, const struct pmu_slot *b)
{
	if (!pmu_slot_is_socket(a) && !pmu_slot_is_socket(b))
		return true;
	return a->kind == b->kind && a->unit == b->unit && !strcmp(a->pmu, b->pmu);
}

/* Would there be more room without it?  Where it is not said what does not fit, without any. */
static bool takes_room(const struct fitting *f, unsigned int slot)
{
	bool said = false;

	for (unsigned int i = 0; i < f->fit->plan.n_slots; i++) {
		if (f->probe.error[i] != -ENOSPC || !is_there(f, i))
			continue;
		if (shares_counters(&f->fit->plan.slot[i], &f->fit->plan.slot[slot]))
			return true;
		said = true;
	}
	return !said;
}

/* The last event that is still there and in the way, optional ones first. */
static bool drop_last(struct fitting *f)
{
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = f->fit->plan.n_slots; i-- > 0;) {
			bool optional = f->group->event[i].optional;

			if (!is_there(f, i) || (pass == 0 && !optional) || !takes_room(f, i))
				continue;
			if (!optional && !f->asked)
				return false;
			give_up(f, i);
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
		size_t len = strlen(fit->left_missing);

		if (!f->probe.error[i] || !is_there(f, i))
			continue;
		fit->plan.absent |= 1u << i;
		snprintf(fit->left_missing + len, sizeof(fit->left_missing) - len, "%s%s",
			 len ? ", " : "", f->group->event[i].name);
	}
}

int pmu_fit(const struct pmu_group *group, bool asked, bool keep, pmu_fit_probe *probe, void *arg,
	    struct pmu_fit *fit)
{
	struct fitting f = { .fit = fit, .group = group, .asked = asked, .keep = keep };
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
		if (!speaks_of_a_slot(rc))
			return rc;
		if (!drop_unknown(&f) && (rc != -ENOSPC || (!drop_unfit(&f) && !drop_last(&f))))
			return rc;
		if (fit->plan.absent == pmu_plan_mask(&fit->plan))
			return rc;
	}
}
