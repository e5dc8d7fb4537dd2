/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a list of events of several CPUs and as the name of a group. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/models.h"
#include "plan/catalog.h"
#include "plan/group.h"
#include "settings/config.h"
#include "settings/sample.h"
#include "tests/fuzz/fuzz.h"

#define N_MODELS 6

static const struct pmu_cpu_model *model_of(const char *pfm)
{
	for (const struct pmu_cpu_model *model = pmu_cpu_models; model->vendor; model++)
		if (!strcmp(model->pfm, pfm))
			return model;
	abort();
}

/* Each keeps its tables from input to input; the first is this machine's. */
static struct pmu_catalog *catalogs(void)
{
	static const char *const models[N_MODELS] = {
		"core", "wsm_dp", "snb", "spr", "amd64_fam17h_zen2", "amd64_fam19h_zen3"
	};
	static struct pmu_catalog catalog[1 + N_MODELS] = { { .keep_tables = true } };

	for (size_t i = 0; i < N_MODELS && !catalog[1 + i].model; i++) {
		const struct pmu_cpu_model *model = model_of(models[i]);
		struct pmu_cpu_id *id = &catalog[1 + i].id;

		catalog[1 + i].model = model;
		catalog[1 + i].keep_tables = true;
		snprintf(id->vendor, sizeof(id->vendor), "%s", model->vendor);
		id->family = model->family;
		id->model = model->model_first;
		id->stepping = model->stepping_first;
	}
	return catalog;
}

static void parse(const char *text, struct pmu_catalog *catalog)
{
	static struct pmu_group group;
	struct pmu_plan plan;

	if (pmu_group_from_events(text, catalog, &group))
		return;
	pmu_group_plan(&group, &plan);
	if (plan.n_slots < 1 || plan.n_slots > PMU_MAX_SLOTS)
		abort();
	for (unsigned int i = 0; i < plan.n_slots; i++)
		if (!memchr(group.event[i].name, '\0', sizeof(group.event[i].name)) ||
		    !group.event[i].name[0])
			abort();
}

/* The same as what samples are taken by, with a period behind it. */
static void sample(const char *text, struct pmu_catalog *catalog)
{
	static struct pmu_config config;

	config.catalog = *catalog;
	if (pmu_config_take_sample(&config, text)) {
		if (config.sample.unit.period)
			abort();
	} else if (config.sample.unit.period && !pmu_sample_is_sound(&config.sample.unit)) {
		abort();
	}
	*catalog = config.catalog; /* with what was read for it */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmu_group group;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	parse(text, &catalogs()[size % (1 + N_MODELS)]);
	sample(text, &catalogs()[size % (1 + N_MODELS)]);
	(void)pmu_group_find(text, NULL, &group);
	free(text);
	return 0;
}
