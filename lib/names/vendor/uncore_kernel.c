/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events outside the cores against the kernel that is there: what its PMU is called, and whether
 * its format files have a place for all that the event says.
 *
 * Source: Linux, arch/x86/events/intel/uncore_snb.c, uncore_snbep.c (names and formats, which are
 * registers' own places).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/sysfs/files.h"
#include "names/sysfs/format.h"
#include "names/sysfs/sysfs.h"
#include "names/vendor/slot.h"

/* PMUs that newer kernels, or those of other processors, call otherwise. */
static const struct {
	const char *name, *other;
} renamed[] = {
	{ "uncore_mdf", "uncore_mdf_sbo" },
	{ "uncore_hbm", "uncore_mchbm" },
	{ "uncore_hac_cbox", "uncore_hac_cbo" },
};

static void find_kernel_name(const char *devices, struct pmu_slot *slot)
{
	if (pmu_sysfs_has(devices, slot->pmu))
		return;
	for (size_t i = 0; i < PMU_ARRAY_LEN(renamed); i++)
		if (!strcmp(slot->pmu, renamed[i].name) && pmu_sysfs_has(devices, renamed[i].other))
			snprintf(slot->pmu, sizeof(slot->pmu), "%s", renamed[i].other);
}

/* What stands where in config, and which terms of the kernel's mean it. */
static const struct {
	uint64_t bits;
	const char *what, *terms;
} places[] = {
	{ 0x2000ff, "event code", " event use_occ_ctr " },
	{ 0xff00, "mask", " umask occ_sel chmask " },
	{ 0x40000, "edges", " edge " },
	{ 0x800000, "inversion", " inv " },
	{ 0xff000000, "threshold", " thresh threshold cmask " },
	{ 0xffffffff00000000, "mask beyond eight bits", " umask ch_mask fc_mask " },
};

/* Bits of config that each of these has, and of config1. */
struct room {
	uint64_t place[PMU_ARRAY_LEN(places)], config1;
};

static void add_format_term(const char *term, const struct pmu_sysfs_format *format,
			    struct room *room)
{
	char word[PMU_SYSFS_NAME_MAX + 2];

	snprintf(word, sizeof(word), " %s ", term);
	if (format->config == 1)
		room->config1 |= format->bits;
	for (size_t i = 0; i < PMU_ARRAY_LEN(places) && !format->config; i++)
		if (strstr(places[i].terms, word))
			room->place[i] |= format->bits;
}

static void read_room(const struct pmu_sysfs_pmu *pmu, struct room *room)
{
	struct pmu_sysfs_names names = { 0 };
	char text[PMU_SYSFS_TEXT_MAX];
	struct pmu_sysfs_format format;

	memset(room, 0, sizeof(*room));
	pmu_sysfs_names(pmu, "format", &names);
	for (size_t i = 0; i < names.n; i++)
		if (pmu_sysfs_read(pmu, "format", names.name[i], "", text) >= 0 &&
		    !pmu_sysfs_format_parse(text, &format))
			add_format_term(names.name[i], &format, room);
	pmu_sysfs_names_free(&names);
}

static int no_room(const char *name, const struct pmu_slot *slot, const char *what, uint64_t bits)
{
	return pmu_fail(ENOTSUP,
			"%.60s: the kernel's PMU %s has no place for its %s (0x%llx): the module "
			"intel_uncore of a newer kernel may have it",
			name, slot->pmu, what, (unsigned long long)bits);
}

int pmu_intel_uncore_check(const char *devices, const char *name, struct pmu_slot *slot)
{
	struct pmu_sysfs_pmu pmu;
	struct room room;

	find_kernel_name(devices, slot);
	/* opening the event tells what the kernel lacks */
	if (!pmu_sysfs_has(devices, slot->pmu) || pmu_sysfs_open(devices, slot->pmu, &pmu))
		return 0;
	read_room(&pmu, &room);
	for (size_t i = 0; i < PMU_ARRAY_LEN(places); i++) {
		uint64_t lost = slot->config & places[i].bits & ~room.place[i];

		if (lost)
			return no_room(name, slot, places[i].what, lost);
	}
	if (slot->config1 & ~room.config1)
		return no_room(name, slot, "filter", slot->config1 & ~room.config1);
	return 0;
}
