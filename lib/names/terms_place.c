/* SPDX-License-Identifier: BSD-3-Clause */
/* Places that registers count in. */
#include "names/terms_place.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "names/sysfs/sysfs.h"

#define SHOWN 60
/* Names of a list in a sentence, in characters. */
#define SHOWN_LIST 200

#define CLIENT \
	(1u << PMU_UNCORE_SANDY_BRIDGE | 1u << PMU_UNCORE_SKYLAKE | 1u << PMU_UNCORE_ICE_LAKE)
#define L3 (1u << PMU_UNCORE_AMD_L3 | 1u << PMU_UNCORE_AMD_L3_19H)

static const struct pmu_place places[] = {
	{ .name = "cpu", .kind = PMU_SLOT_CORE },
	{ .name = "cpu_core", .kind = PMU_SLOT_CORE, .core_types = PMU_SLOT_P },
	{ .name = "cpu_atom", .kind = PMU_SLOT_CORE, .core_types = PMU_SLOT_E },
	{ .name = "uncore",
	  .kind = PMU_SLOT_UNCORE,
	  .unit = PMU_UNIT_UNCORE,
	  .layouts = 1u << PMU_UNCORE_NEHALEM },
	{ .name = "uncore_cbox",
	  .kind = PMU_SLOT_UNCORE,
	  .unit = PMU_UNIT_CBO,
	  .numbered = true,
	  .layouts = CLIENT },
	{ .name = "uncore_arb",
	  .kind = PMU_SLOT_UNCORE,
	  .unit = PMU_UNIT_ARB,
	  .numbered = true,
	  .layouts = CLIENT },
	{ .name = "uncore_clock",
	  .kind = PMU_SLOT_UNCORE,
	  .unit = PMU_UNIT_CLOCK,
	  .layouts = CLIENT | 1u << PMU_UNCORE_NEHALEM },
	{ .name = "amd_l3", .kind = PMU_SLOT_UNCORE, .unit = PMU_UNIT_L3, .layouts = L3 },
	{ .name = "power", .kind = PMU_SLOT_ENERGY },
};

static bool is_name_of_place(const struct pmu_place *place, const char *name)
{
	size_t len = strlen(place->name);

	if (strncasecmp(name, place->name, len) != 0)
		return false;
	if (!name[len])
		return true;
	return place->numbered && name[len] == '_' && isdigit((unsigned char)name[len + 1]) &&
	       strspn(name + len + 1, "0123456789") == strlen(name + len + 1);
}

bool pmu_place_exists(const struct pmu_cpu_model *model, const struct pmu_place *place)
{
	return !model || !place->layouts || place->layouts >> model->uncore & 1;
}

const struct pmu_place *pmu_place_of(const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(places); i++)
		if (is_name_of_place(&places[i], name))
			return &places[i];
	return NULL;
}

const struct pmu_place *pmu_place_of_unit(uint8_t unit)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(places); i++)
		if (places[i].kind == PMU_SLOT_UNCORE && places[i].unit == unit)
			return &places[i];
	return NULL;
}

static int no_place(const char *name, const char *devices, const struct pmu_cpu_model *model)
{
	const char *names[PMU_ARRAY_LEN(places) + 1] = { NULL }, *near;
	struct pmu_sysfs_names pmus = { 0 };
	struct pmu_strbuf list = { 0 };
	size_t n = 0;
	int rc;

	if (devices)
		pmu_sysfs_pmus(devices, &pmus);
	/*
	 * of this machine the kernel knows, of another one its model alone; kinds of cores are a
	 * hybrid's
	 */
	for (size_t i = 0; i < PMU_ARRAY_LEN(places); i++) {
		if (devices ? !pmu_sysfs_has(devices, places[i].name)
			    : !pmu_place_exists(model, &places[i]) ||
				      (places[i].core_types && model && !model->pfm_e[0]))
			continue;
		names[n++] = places[i].name;
		pmu_strbuf_addf(&list, "%s%s", n > 1 ? ", " : "", places[i].name);
	}
	for (size_t i = 0; i < pmus.n && list.len < SHOWN_LIST; i++)
		if (!pmu_place_of(pmus.name[i]))
			pmu_strbuf_addf(&list, "%s%s", list.len ? ", " : "", pmus.name[i]);
	near = pmu_closest(name, names);
	if (!near)
		near = pmu_sysfs_names_nearest(&pmus, NULL, name);
	if (near)
		rc = pmu_fail(EINVAL, "nothing counts \"%.*s/.../\" here; did you mean %s/.../?",
			      SHOWN, name, near);
	else
		rc = pmu_fail(
			EINVAL, "nothing counts \"%.*s/.../\" here%s; there are %s", SHOWN, name,
			devices ? ": the kernel has no driver for it, or a virtual machine hides it"
				: "",
			pmu_strbuf_text(&list));
	pmu_strbuf_free(&list);
	pmu_sysfs_names_free(&pmus);
	return rc;
}

int pmu_place_find(const char *name, const char *devices, const struct pmu_cpu_model *model,
		   const struct pmu_place **found)
{
	*found = pmu_place_of(name);
	if (!*found)
		return no_place(name, devices, model);
	if (!pmu_place_exists(model, *found))
		return pmu_fail(EINVAL, "%s has no %s", model->microarchitecture, (*found)->name);
	return 0;
}
