/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code names.  A model of a processor has one or several; which, libcpuid tells by the brand, the
 * cores and the caches.  It always tells something, what fits its tables best: libcpuid 0.6.2 calls
 * Arrow Lake "Pentium II (Deschutes)".  So it is believed where it names one of the model's.
 */
#include "bindings/command/info/codename.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

#define INTEL "GenuineIntel"
#define AMD   "AuthenticAMD"

/* model, stepping_first, stepping_last */
#define ANY(model)                model, 0, 15
#define STEPS(model, first, last) model, first, last

/*
 * Where libcpuid 0.6.2 is wrong or does not know, for processors of its public dumps; the first
 * that fits.  Sources: Intel ARK ("Products formerly ..."), unless noted.
 */
static const struct correction {
	const char *vendor;
	uint32_t family, model, stepping_first, stepping_last;
	const char *brand;    /* in the brand; "" any */
	const char *codename; /* "" the model's: nothing tells which */
} corrections[] = {
	/* it says Conroe-L (Allendale) for E6750, Conroe for E2160 */
	{ INTEL, 0x06, ANY(0x0f), "Duo CPU E6", "Conroe" },
	{ INTEL, 0x06, ANY(0x0f), "Dual CPU E2", "Allendale" },
	/* Wolfdale for mobile P8400 */
	{ INTEL, 0x06, ANY(0x17), "Duo CPU P", "Penryn" },
	/* Lynnfield for mobile Q 820, Skylake for i5-750 */
	{ INTEL, 0x06, ANY(0x1e), "CPU Q ", "Clarksfield" },
	{ INTEL, 0x06, ANY(0x1e), "CPU X ", "Clarksfield" },
	{ INTEL, 0x06, ANY(0x1e), "i5 CPU 7", "Lynnfield" },
	/* Gulftown for all: that is the Core i7 */
	{ INTEL, 0x06, ANY(0x2c), "Xeon", "Westmere-EP" },
	/* Pentium II (Dixon) */
	{ INTEL, 0x06, ANY(0x26), "CPU E6", "Tunnel Creek" },
	{ INTEL, 0x06, ANY(0x26), "CPU Z6", "Lincroft" },
	/* Pentium M (Dothan); C2xx8 has the accelerator that Avoton lacks */
	{ INTEL, 0x06, ANY(0x4d), "8 @", "Rangeley" },
	{ INTEL, 0x06, ANY(0x4d), "0 @", "Avoton" },
	/* Haswell, or an unknown Atom; x5-E8000 is a Braswell, too */
	{ INTEL, 0x06, ANY(0x4c), "Celeron", "Braswell" },
	{ INTEL, 0x06, ANY(0x4c), "Pentium", "Braswell" },
	{ INTEL, 0x06, ANY(0x4c), "x5-Z", "Cherry Trail" },
	{ INTEL, 0x06, ANY(0x4c), "x7-Z", "Cherry Trail" },
	/* Haswell, Cedarview */
	{ INTEL, 0x06, ANY(0x5c), "Celeron", "Apollo Lake" },
	{ INTEL, 0x06, ANY(0x5c), "Pentium", "Apollo Lake" },
	{ INTEL, 0x06, ANY(0x5c), "Processor E39", "Apollo Lake" },
	/* Whiskey Lake-U for i3-10110U; Y-processors of the 10th generation are Amber Lake */
	{ INTEL, 0x06, STEPS(0x8e, 12, 12), "Y CPU", "Amber Lake-Y" },
	{ INTEL, 0x06, STEPS(0x8e, 12, 12), "i3-10110U", "Comet Lake-U" },
	/* Skylake, Coffee Lake */
	{ INTEL, 0x06, ANY(0xbe), "i3-N30", "Alder Lake-N" },
	{ INTEL, 0x06, ANY(0xbe), "Core(TM) 3 N35", "Twin Lake" },
	/* Pentium 4 (Prescott) */
	{ INTEL, 0x0f, ANY(0x04), "Pentium(R) D", "Smithfield" },
	/* Dempsey; Intel Xeon 7100 Series Specification Update, CPUID 00000F68H */
	{ INTEL, 0x0f, STEPS(0x06, 8, 8), "Xeon", "Tulsa" },
	/* engineering samples: Cedar Mill for Presler and Tulsa */
	{ INTEL, 0x0f, ANY(0x06), "Genuine", "" },
	/* Abu Dhabi, Deneb, Kuma; AMD 41322, Revision Guide for family 10h */
	{ AMD, 0x10, ANY(0x02), "Opteron", "Barcelona" },
	{ AMD, 0x10, ANY(0x04), "Opteron", "Shanghai" },
	{ AMD, 0x10, STEPS(0x08, 0, 0), "Opteron", "Istanbul" },
	{ AMD, 0x10, STEPS(0x08, 1, 1), "Opteron", "Lisbon" },
	/* Zambezi, Trinity; AMD 55370, Revision Guide for family 15h models 60h-6Fh */
	{ AMD, 0x15, ANY(0x60), "Radeon", "Carrizo" },
	{ AMD, 0x15, ANY(0x60), "RADEON", "Carrizo" },
	/* Rembrandt; AMD's product pages */
	{ AMD, 0x1a, ANY(0x44), "HX", "Fire Range" },
	{ AMD, 0x1a, ANY(0x44), "-Core Processor", "Granite Ridge" },
};

static const struct correction *find_correction(const struct pmu_cpu_id *id)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(corrections); i++) {
		const struct correction *row = &corrections[i];

		if (row->family == id->family && row->model == id->model &&
		    row->stepping_first <= id->stepping && id->stepping <= row->stepping_last &&
		    !strcmp(row->vendor, id->vendor) && strstr(id->brand, row->brand))
			return row;
	}
	return NULL;
}

/* Whether a text has a name as words: "Conroe" is not in "Conroe-L". */
static bool has_as_words(const char *text, const char *name, size_t len)
{
	const char *at = text;

	for (; (at = memmem(at, strlen(at), name, len)); at++) {
		bool begins = at == text || !isalnum((unsigned char)at[-1]);

		if (begins && !isalnum((unsigned char)at[len]) && at[len] != '-')
			return true;
	}
	return false;
}

/*
 * The one of the model's names that is said.  Where they are segments of one ("Alder Lake-S, -HX")
 * libcpuid has too few to tell.
 */
static size_t find_said(const char *all, const char *said, const char **name)
{
	size_t len, best = 0;

	if (strstr(all, ", -"))
		return 0;
	for (const char *at = all; *at; at += len, at += strspn(at, ", ")) {
		size_t word = 0;

		len = strcspn(at, ",");
		/* "(rev. C)" is no part of it */
		while (word < len && strncmp(at + word, " (", 2) != 0)
			word++;
		if (word > best && has_as_words(said, at, word)) {
			*name = at;
			best = word;
		}
	}
	return best;
}

void pmu_info_codename(const struct pmu_cpu_id *id, const struct pmu_cpu_model *model,
		       const char *said, char *name, size_t size)
{
	const struct correction *correction = find_correction(id);
	const char *all = model ? model->codename : "", *one = all;
	size_t len = 0;

	if (correction && correction->codename[0])
		one = correction->codename;
	else if (!correction)
		len = find_said(all, said, &one);
	if (len)
		snprintf(name, size, "%.*s", (int)len, one);
	else
		snprintf(name, size, "%s", one);
}
