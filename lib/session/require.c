/* SPDX-License-Identifier: BSD-3-Clause */
/* PMU_REQUIRE=1: all that was asked for is counted, or nothing is measured. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plan/resolve.h"
#include "session/require.h"
#include "session/session.h"

/* Events that its group cannot do without, of those that are not counted. */
static uint32_t find_missing(const struct pmu_session_group *group)
{
	uint32_t missing = 0;

	for (unsigned int i = 0; i < group->plan.n_slots; i++)
		if (group->plan.absent >> i & 1 &&
		    (!group->group.event[i].optional || group->group.whole))
			missing |= 1u << i;
	return missing;
}

static int refuse_required(const struct pmu_session_group *group, const char *what)
{
	return pmu_fail(ENOTSUP, "%s be counted%s%s", what, group->why[0] ? ": " : "", group->why);
}

/* "instructions, cycles"; the rest of very many is counted. */
static int refuse_events(const struct pmu_session_group *group, uint32_t missing)
{
	char names[256] = "";
	size_t len = 0;

	for (; missing; missing &= missing - 1) {
		const char *name = group->group.event[__builtin_ctz(missing)].name;

		if (len + strlen(name) + sizeof(", , and 16 more cannot") > sizeof(names)) {
			len += (size_t)snprintf(names + len, sizeof(names) - len, " and %d more",
						__builtin_popcount(missing));
			break;
		}
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					name);
	}
	snprintf(names + len, sizeof(names) - len, " cannot");
	return refuse_required(group, names);
}

/* Where nothing was named it is counts at all that are asked for, unless it is a source without. */
static int check_unnamed(const struct pmu_session_group *group)
{
	const struct pmu_backend *forced = pmu_session.config.backend;

	if ((forced && !forced->counts) || pmu_plan_mask(&group->plan) & ~group->plan.absent)
		return 0;
	return refuse_required(group, "nothing can");
}

static int check_named(const struct pmu_session_group *group, const struct pmu_group *named)
{
	uint32_t missing = find_missing(group);

	/* this processor has none of its events; TIME, which has none either, has no note */
	if (named->note[0] && (!named->n_events || named->whole))
		return pmu_fail(ENOTSUP, "%s", named->note);
	return missing ? refuse_events(group, missing) : 0;
}

int pmu_session_require(void)
{
	int rc = 0;

	for (unsigned int i = 0; i < pmu_session.n_groups && !rc && pmu_session.config.require; i++)
		rc = pmu_session.config.group_given
			     ? check_named(&pmu_session.group[i], &pmu_session.config.group[i])
			     : check_unnamed(&pmu_session.group[i]);
	return rc;
}

/* A group without events, as TIME, asks for none. */
static int require_any(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		const struct pmu_session_group *group = &pmu_session.group[i];

		if (!group->plan.n_slots || pmu_plan_mask(&group->plan) & ~group->plan.absent)
			return 0;
		n++;
	}
	return n && pmu_session.config.group_given
		       ? refuse_events(&pmu_session.group[0],
				       pmu_plan_mask(&pmu_session.group[0].plan))
		       : 0;
}

int pmu_session_foretell(enum pmu_emulation emulated, bool any)
{
	struct pmu_strbuf warnings = { 0 };
	int rc = pmu_config_load(&pmu_session.config, NULL, &warnings);

	if (rc == 0 && pmu_session.config.enable)
		rc = pmu_session_choose_groups(emulated);
	if (rc == 0)
		rc = any ? require_any() : pmu_session_require();
	pmu_session.n_groups = 0;
	pmu_resolve_close(&pmu_session.config.catalog);
	pmu_strbuf_free(&warnings);
	return rc;
}
