/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which counters can count which events of Intel's cores.
 *
 * Sources: Intel SDM vol. 3B, the tables of events by microarchitecture (column "Comment"), and
 * Intel's event files (member "Counter"); libpfm4 keeps its own to itself.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "names/pfm/names.h"

/*
 * Intel's names for what the fixed counters count.  libpfm4 has them in some tables only, and
 * not always right: Sapphire Rapids' INST_RETIRED:ANY is the code of PREC_DIST there.
 */
static const struct {
	const char *name;
	bool only_unknown; /* on some CPUs it is a general event, which libpfm4 then knows */
	uint16_t config;
} fixed_names[] = {
	{ "INST_RETIRED.ANY", false, 0x00c0 },      { "CPU_CLK_UNHALTED.THREAD", false, 0x003c },
	{ "CPU_CLK_UNHALTED.CORE", false, 0x003c }, { "CPU_CLK_UNHALTED.REF_TSC", false, 0x0300 },
	{ "CPU_CLK_UNHALTED.REF", true, 0x0300 },
};

const char *pmu_pfm_fixed(const struct pmu_pfm_text *text, bool unknown, struct pmu_slot *slot)
{
	char name[64];

	if (text->n_parts != 2 || (size_t)snprintf(name, sizeof(name), "%s.%s", text->part[0],
						   text->part[1]) >= sizeof(name))
		return NULL;
	for (size_t i = 0; i < PMU_ARRAY_LEN(fixed_names); i++) {
		if (strcasecmp(fixed_names[i].name, name) != 0 ||
		    fixed_names[i].only_unknown != unknown)
			continue;
		slot->config = fixed_names[i].config;
		return fixed_names[i].name;
	}
	return NULL;
}

#define ANY_UMASK (-1)

struct limit {
	const char *table;   /* libpfm4's name, also with "_ep", "_dp", ... behind it */
	uint8_t first, last; /* event codes */
	int16_t umask;
	uint32_t counters; /* 0: any */
};

/* The first that applies counts. */
static const struct limit limits[] = {
	/* Core 2: floating point, multiplication and division */
	{ "core", 0x10, 0x10, ANY_UMASK, 0x1 },
	{ "core", 0x11, 0x13, ANY_UMASK, 0x2 },
	{ "core", 0x14, 0x14, ANY_UMASK, 0x1 },
	{ "core", 0x18, 0x18, ANY_UMASK, 0x1 },
	{ "core", 0x19, 0x19, ANY_UMASK, 0x2 },
	{ "core", 0xa1, 0xa1, ANY_UMASK, 0x1 },
	{ "core", 0xc9, 0xc9, ANY_UMASK, 0x1 },
	{ "core", 0xcb, 0xcb, ANY_UMASK, 0x1 },
	/* Nehalem, Westmere: the level 1 data cache, queues to the uncore, load latency */
	{ "nhm", 0x40, 0x43, ANY_UMASK, 0x3 },
	{ "nhm", 0x48, 0x48, ANY_UMASK, 0x3 },
	{ "nhm", 0x4c, 0x4e, ANY_UMASK, 0x3 },
	{ "nhm", 0x51, 0x53, ANY_UMASK, 0x3 },
	{ "nhm", 0x63, 0x63, ANY_UMASK, 0x3 },
	{ "nhm", 0x0b, 0x0b, 0x10, 0x8 },
	{ "nhm", 0xb7, 0xb7, ANY_UMASK, 0x4 },
	{ "wsm", 0x4c, 0x4c, ANY_UMASK, 0x3 },
	{ "wsm", 0x4e, 0x4e, ANY_UMASK, 0x3 },
	{ "wsm", 0x51, 0x52, ANY_UMASK, 0x3 },
	{ "wsm", 0x60, 0x60, ANY_UMASK, 0x1 },
	{ "wsm", 0x63, 0x63, ANY_UMASK, 0x3 },
	{ "wsm", 0xb3, 0xb3, ANY_UMASK, 0x1 },
	{ "wsm", 0x0b, 0x0b, 0x10, 0x8 },
	/* Sandy Bridge to Broadwell */
	{ "snb", 0x48, 0x48, 0x01, 0x4 },
	{ "snb", 0xa3, 0xa3, 0x02, 0x4 },
	{ "snb", 0xa3, 0xa3, 0x06, 0x4 },
	{ "snb", 0xc0, 0xc0, 0x01, 0x2 },
	{ "snb", 0xcd, 0xcd, ANY_UMASK, 0x8 },
	{ "ivb", 0x48, 0x48, 0x01, 0x4 },
	{ "ivb", 0xa3, 0xa3, 0x08, 0x4 },
	{ "ivb", 0xa3, 0xa3, 0x0c, 0x4 },
	{ "ivb", 0xc0, 0xc0, 0x01, 0x2 },
	{ "ivb", 0xcd, 0xcd, ANY_UMASK, 0x8 },
	{ "hsw", 0x48, 0x48, 0x01, 0x4 },
	{ "hsw", 0xa3, 0xa3, 0x08, 0x4 },
	{ "hsw", 0xa3, 0xa3, 0x0c, 0x4 },
	{ "hsw", 0xc0, 0xc0, 0x01, 0x2 },
	{ "hsw", 0xcd, 0xcd, 0x01, 0x8 },
	{ "bdw", 0x48, 0x48, 0x01, 0x4 },
	{ "bdw", 0xa3, 0xa3, 0x08, 0x4 },
	{ "bdw", 0xa3, 0xa3, 0x0c, 0x4 },
	{ "bdw", 0xc0, 0xc0, 0x01, 0x2 },
	{ "bdw", 0xcd, 0xcd, 0x01, 0x8 },
	{ "skl", 0xc0, 0xc0, 0x01, 0x2 },
	{ "skx", 0xc0, 0xc0, 0x01, 0x2 },
	{ "clx", 0xc0, 0xc0, 0x01, 0x2 },
	/* Ice Lake: what is about memory and the front end has the first four */
	{ "icl", 0x03, 0x0a, ANY_UMASK, 0xf },
	{ "icl", 0x1f, 0x28, ANY_UMASK, 0xf },
	{ "icl", 0x32, 0x32, ANY_UMASK, 0xf },
	{ "icl", 0x48, 0x56, ANY_UMASK, 0xf },
	{ "icl", 0x60, 0x8b, ANY_UMASK, 0xf },
	{ "icl", 0xa3, 0xa3, 0x04, 0 },
	{ "icl", 0xa3, 0xa3, 0x10, 0 },
	{ "icl", 0xa3, 0xa3, 0x14, 0 },
	{ "icl", 0xa3, 0xa3, ANY_UMASK, 0xf },
	{ "icl", 0xa8, 0xb0, ANY_UMASK, 0xf },
	{ "icl", 0xb7, 0xbd, ANY_UMASK, 0xf },
	{ "icl", 0xd0, 0xe6, ANY_UMASK, 0xf },
	{ "icl", 0xef, 0xf4, ANY_UMASK, 0xf },
	/* Golden Cove and what followed */
	{ "spr", 0x2e, 0x2e, ANY_UMASK, 0 },
	{ "spr", 0x3c, 0x3c, ANY_UMASK, 0 },
	{ "spr", 0x01, 0x8f, ANY_UMASK, 0xf },
	{ "spr", 0xa3, 0xa3, 0x04, 0 },
	{ "spr", 0xa3, 0xa3, 0x10, 0 },
	{ "spr", 0xa3, 0xa3, ANY_UMASK, 0xf },
	{ "spr", 0xa4, 0xa4, 0x04, 0x1 },
	{ "spr", 0xa4, 0xa4, 0x08, 0x1 },
	{ "spr", 0xcd, 0xcd, 0x01, 0xfe },
	{ "spr", 0xcd, 0xcd, 0x02, 0x1 },
	{ "spr", 0xce, 0xce, ANY_UMASK, 0x1 },
	{ "spr", 0xd0, 0xdf, ANY_UMASK, 0xf },
};

/* Other names for tables with the same restrictions. */
static bool applies(const char *table, const char *name)
{
	static const char *const same[][2] = {
		{ "icx", "icl" }, { "emr", "spr" }, { "gnr", "spr" }, { "adl_glc", "spr" }
	};
	size_t len = strlen(table);

	for (size_t i = 0; i < PMU_ARRAY_LEN(same); i++)
		if (!strcmp(name, same[i][0]))
			name = same[i][1];
	return !strncmp(name, table, len) && (!name[len] || name[len] == '_');
}

static uint32_t limited_counters(const char *table, unsigned int code, unsigned int umask)
{
	for (const struct limit *l = limits; l < limits + PMU_ARRAY_LEN(limits); l++)
		if (code >= l->first && code <= l->last &&
		    (l->umask == ANY_UMASK || (unsigned int)l->umask == umask) &&
		    applies(l->table, table))
			return l->counters;
	return 0;
}

/*
 * Code 00H says which fixed counter, from 1 on, counts the event (Intel's event files, and the
 * kernel after them); what the first two count has a code for the general counters too.
 * INST_RETIRED.PREC_DIST shares fixed counter 0 and its code with INST_RETIRED.ANY from Ice Lake
 * on: what is counted is the same.
 */
void pmu_pfm_limit(const char *table, struct pmu_slot *slot)
{
	static const uint16_t general[] = { 0xc0, 0x3c };
	unsigned int code = slot->config & 0xff, umask = slot->config >> 8 & 0xff;

	if (code)
		slot->counters = limited_counters(table, code, umask);
	else if (umask >= 1 && umask <= PMU_ARRAY_LEN(general))
		slot->config = (slot->config & ~UINT64_C(0xffff)) | general[umask - 1];
}

/*
 * libpfm4 4.13.0 has no hybrids, but it has Sapphire Rapids, with the core that the first hybrids
 * have as P core.
 */
void pmu_pfm_limit_core(const struct pmu_cpu_model *model, struct pmu_slot *slot)
{
	static const char *const golden_coves[] = { "Golden Cove and ", "Raptor Cove and " };
	const char *table = slot->core_types == PMU_SLOT_E ? model->pfm_e : model->pfm;

	for (size_t i = 0;
	     i < PMU_ARRAY_LEN(golden_coves) && !table[0] && slot->core_types == PMU_SLOT_P; i++)
		if (!strncmp(model->microarchitecture, golden_coves[i], strlen(golden_coves[i])))
			table = "spr";
	pmu_pfm_limit(table, slot);
}
