/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a region is open in the calling thread. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "pmu.h"
#include "region/call.h"
#include "region/slow.h"
#include "region/tree.h"
#include "session/enter.h"
#include "session/lifecycle.h"

static bool is_text_open(struct pmu_thread *self, const char *text)
{
	/* as a begin would look here */
	const struct pmu_node *node = pmu_is_literal(text) ? pmu_tree_lookup(self, text) : NULL;
	const struct pmu_name *name = node ? node->name
					   : pmu_tree_name(self, text, strlen(text), false);

	return name && name->open;
}

/* No lock where the thread has used the session before; a forked child takes up its regions first. */
static int is_open(void *name)
{
	struct pmu_thread *self = pmu_thread_self();
	int rc = 0;

	if (self && self->tree &&
	    *self->guard == PMU_GUARD_OUTSIDE(__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED)))
		pmu_session_bar();
	else
		rc = pmu_region_enter(&self);
	if (rc == 0) {
		rc = is_text_open(self, name);
		pmu_session_unbar();
	} else if (rc > 0) {
		rc = 0;
	}
	return rc;
}

/* Aside: how much comparing a text is depends on where it lies. */
PMU_API int pmu_region_is_open(const char *name)
{
	if (!name || !*name)
		return pmu_fail(EINVAL, "pmu_region_is_open() needs a name");
	if (pmu_load_relaxed(&pmu_epoch) < 0 || (!pmu_thread_self() && pmu_session_is_ours()))
		return 0;
	return pmu_call_aside(is_open, (void *)(uintptr_t)name);
}
