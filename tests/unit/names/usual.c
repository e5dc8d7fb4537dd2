/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups that need no reader of files are what their files say, on every processor. */
#include "plan/usual.h"

#include <stdlib.h>

#include "base/error.h"
#include "machine/models.h"
#include "names/file/file.h"
#include "unit/part.h"

static struct pmu_group from_file, usual;

static bool same(const char *name, const struct pmu_cpu_model *model)
{
	struct pmu_catalog catalog = { .model = model, .sysfs = "" };

	if (pmu_group_shipped_find(name, &catalog, &from_file) != 0 ||
	    !pmu_usual_group(name, &catalog, &usual))
		return false;
	for (unsigned int i = 0; i < usual.n_events; i++)
		if (strcmp(usual.event[i].name, from_file.event[i].name) != 0 ||
		    usual.event[i].optional != from_file.event[i].optional ||
		    !pmu_event_same_slot(&usual.event[i].slot, &from_file.event[i].slot))
			return false;
	for (unsigned int i = 0; i < usual.n_metrics; i++)
		if (strcmp(usual.metric[i].name, from_file.metric[i].name) != 0 ||
		    strcmp(usual.metric[i].unit, from_file.metric[i].unit) != 0 ||
		    strcmp(usual.metric[i].formula, from_file.metric[i].formula) != 0)
			return false;
	return !strcmp(usual.name, from_file.name) && !strcmp(usual.about, from_file.about) &&
	       !usual.note[0] && usual.n_events == from_file.n_events &&
	       usual.n_metrics == from_file.n_metrics;
}

static void are_what_their_files_say(void)
{
	unsigned int n = 0, n_same = 0;

	for (const struct pmu_cpu_model *model = pmu_cpu_models; model->vendor; model++) {
		n++;
		n_same += same("CORE", model) && same("TIME", model);
		if (n_same < n) {
			is_int((int)n, (int)n_same, model->microarchitecture);
			return;
		}
	}
	ok(n > 100, "CORE and TIME on all processors");
	ok(same("CORE", NULL), "and on this one");
}

/* By numbers, without the table, exactly those that the table calls so. */
static void reference_cycles_have_a_code_of_their_own(void)
{
	unsigned int n_wrong = 0, n_own = 0;

	for (const struct pmu_cpu_model *model = pmu_cpu_models; model->vendor; model++) {
		bool zen = !strncmp(model->microarchitecture, "Zen 4", 5) ||
			   !strncmp(model->microarchitecture, "Zen 5", 5);

		for (uint32_t i = model->model_first; i <= model->model_last; i++) {
			struct pmu_slot slot = { .config = 9 };

			pmu_usual_own_code(model->vendor, model->family, i, "ref-cycles", &slot);
			n_own += slot.config == 0x100000120;
			n_wrong += (slot.config == 0x100000120) != zen;
		}
	}
	ok(n_own > 50, "reference cycles by a code of their own");
	is_int((int)n_wrong, 0, "on Zen 4 and 5 alone");
}

static void others_are_looked_up(void)
{
	ok(!pmu_usual_group("SOFTWARE", NULL, &usual), "another group");
	setenv("PMU_GROUP_PATH", "/somewhere", 1);
	ok(!pmu_usual_group("CORE", NULL, &usual), "where the user may have a CORE.group");
	unsetenv("PMU_GROUP_PATH");
	setenv("XDG_CONFIG_HOME", "/proc/self/cwd/tests", 1);
	ok(pmu_usual_group("CORE", NULL, &usual), "not where the user's folder is not there");
}

UNIT_PART(usual)
{
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("PMU_GROUP_PATH");
	are_what_their_files_say();
	reference_cycles_have_a_code_of_their_own();
	others_are_looked_up();
	return done_testing();
}
