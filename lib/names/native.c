/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU's own names for its events: which sources are asked, and which one is right. */
#include "names/native.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "names/pfm/names.h"
#include "names/pfm/pfm.h"
#include "names/terms.h"
#include "names/vendor/vendor.h"
#include "plan/catalog.h"

#define WORD_MAX PMU_PFM_TEXT_MAX

/* -ENODEV: there are neither files nor tables about the CPU. */
static int ask_tables(const char *word, struct pmu_catalog *catalog, struct pmu_slot *slot,
		      char *label, size_t size)
{
	int rc = pmu_vendor_encode(word, catalog, slot, label, size);

	return rc == -ENODEV ? pmu_vendor_encode_own(word, catalog, slot, label, size) : rc;
}

/* Is what libpfm4 has for several masks together made of what the tables have for each? */
static bool masks_agree(char *full, struct pmu_catalog *catalog, const struct pmu_slot *slot)
{
	char *masks = strchr(full, ':'), *mask, name[2 * WORD_MAX], label[PMU_EVENT_NAME_MAX];

	if (!masks)
		return true;
	*masks++ = '\0';
	while ((mask = strsep(&masks, ":"))) {
		struct pmu_slot one = { .core_types = slot->core_types };

		snprintf(name, sizeof(name), "%s.%s", full, mask);
		if (strchr(mask, '=') || ask_tables(name, catalog, &one, label, sizeof(label)))
			continue;
		if ((one.config & 0xff) != (slot->config & 0xff) || one.extra != slot->extra ||
		    (!one.extra && one.config & 0xff00 & ~slot->config) ||
		    one.extra_value & ~slot->extra_value)
			return false;
	}
	return true;
}

/*
 * libpfm4 knows the event under a name of its own.  Where that is short for one that the tables
 * have (BR_INST_RETIRED for BR_INST_RETIRED.ALL_BRANCHES), theirs is the code.
 */
static int compare_with_tables(const char *word, struct pmu_catalog *catalog,
			       struct pmu_event *event, size_t size)
{
	struct pmu_slot slot = { .user = event->slot.user, .kernel = event->slot.kernel };
	char full[WORD_MAX], label[PMU_EVENT_NAME_MAX] = "";
	int rc;

	if (pmu_pfm_spell_out(word, catalog ? catalog->model : NULL, full, sizeof(full)))
		return 0;
	rc = ask_tables(full, catalog, &slot, label, size);
	if (!rc) {
		event->slot = slot;
		memcpy(event->name, label, sizeof(label));
		return 0;
	}
	if (rc == -ENOENT && !masks_agree(full, catalog, &event->slot))
		return pmu_fail(
			ENOTSUP,
			"%s: libpfm4 has another code for one of its masks than the tables; "
			"name one event of theirs",
			event->name);
	return 0;
}

/*
 * Intel's files, where the catalog has some, are asked first, the library's own tables next, and
 * libpfm4 for what neither has.
 */
int pmu_native_encode(const char *word, struct pmu_catalog *catalog, struct pmu_event *event)
{
	size_t size = sizeof(event->name) - 3; /* room for ":uk" is kept */
	char why[PMU_ERROR_MAX];
	int rc = ask_tables(word, catalog, &event->slot, event->name, size), pfm;

	if (rc != -ENOENT && rc != -ENODEV)
		return rc;
	snprintf(why, sizeof(why), "%s", pmu_error_text());
	pfm = pmu_pfm_encode(word, catalog ? catalog->model : NULL, &event->slot, event->name,
			     size);
	if (!pfm && rc == -ENOENT)
		pfm = compare_with_tables(word, catalog, event, size);
	if (!pfm)
		pmu_terms_kernel_unit(
			pmu_catalog_devices(catalog),
			catalog && catalog->model ? catalog->model : pmu_pfm_own_model(), event);
	if (rc == -ENOENT && (pfm == -ENOENT || pfm == -ENOTSUP) && why[0])
		return pmu_fail(ENOENT, "%s", why);
	return pfm;
}
