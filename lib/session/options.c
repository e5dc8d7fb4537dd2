/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that a program gave, for the sessions of the children it forks. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "pmu.h"
#include "session/options.h"
#include "session/session.h"

/* Every member behind the size is a text. */
#define N_TEXTS \
	((sizeof(struct pmu_options) - offsetof(struct pmu_options, enable)) / sizeof(char *))

static struct pmu_options kept;

static const char **texts_of(struct pmu_options *options)
{
	return &options->enable;
}

void pmu_options_keep(const struct pmu_options *options)
{
	struct pmu_options given = { 0 };

	for (size_t i = 0; i < N_TEXTS; i++)
		free((char *)(uintptr_t)texts_of(&kept)[i]);
	kept = (struct pmu_options){ 0 };
	if (!options)
		return;
	memcpy(&given, options, options->size < sizeof(given) ? options->size : sizeof(given));
	for (size_t i = 0; i < N_TEXTS; i++)
		if (texts_of(&given)[i])
			texts_of(&kept)[i] = strdup(texts_of(&given)[i]);
	kept.size = sizeof(kept);
}

const struct pmu_options *pmu_options_kept(void)
{
	return kept.size ? &kept : NULL;
}
