/* SPDX-License-Identifier: BSD-3-Clause */
/* LIKWID's names of counters: a unit, its box, a number. */
#include <ctype.h>
#include <string.h>

#include "base/compiler.h"
#include "names/likwid/parts.h"

#define CORE(text, what)                   \
	{                                  \
		.name = text, .kind = what \
	}
#define UNCORE(text, names)                                            \
	{                                                              \
		.name = text, .kind = PMU_LIKWID_UNCORE, .pmus = names \
	}
#define UNKNOWN(text, reason)                                           \
	{                                                               \
		.name = text, .kind = PMU_LIKWID_UNKNOWN, .why = reason \
	}
#define TEMPERATURE "a temperature is a level at a moment, nothing that is counted"
#define NO_KERNEL   "the kernel has no PMU for these counters"

/*
 * Names that begin another one stand behind it.  Which of a unit's PMUs is meant the processor's
 * tables say: they have the event of one.
 */
static const struct pmu_likwid_unit units[] = {
	CORE("FIXC", PMU_LIKWID_FIXED),
	CORE("PMC", PMU_LIKWID_GENERAL),
	CORE("PWR", PMU_LIKWID_ENERGY),
	CORE("APERF", PMU_LIKWID_FIXED),
	CORE("MPERF", PMU_LIKWID_FIXED),
	CORE("PPERF", PMU_LIKWID_FIXED),
	UNCORE("CBOX", "uncore_cha uncore_cbox"),
	UNCORE("MBOX", "uncore_imc"),
	UNCORE("HBM", "uncore_hbm uncore_mchbm"),
	UNCORE("BBOX", "uncore_ha uncore_m2m uncore_b2cmi"),
	UNCORE("M2M", "uncore_m2m"),
	UNCORE("QBOX", "uncore_qpi uncore_upi"),
	UNCORE("UPI", "uncore_upi"),
	UNCORE("SBOX", "uncore_sbox uncore_qpi uncore_upi uncore_m3upi"),
	UNCORE("RBOX", "uncore_r3qpi uncore_m3upi uncore_b2upi"),
	UNCORE("PBOX", "uncore_r2pcie uncore_m2pcie uncore_b2cxl"),
	UNCORE("IBOX", "uncore_irp"),
	UNCORE("IRP", "uncore_irp"),
	UNCORE("IIO", "uncore_iio"),
	UNCORE("WBOX", "uncore_pcu"),
	UNCORE("PCU", "uncore_pcu"),
	UNCORE("UBOX", "uncore_ubox uncore_arb"),
	UNCORE("MDF", "uncore_mdf"),
	UNCORE("EUBOX", "uncore_edc_uclk"),
	UNCORE("EDBOX", "uncore_edc_eclk"),
	UNCORE("UPMC", "uncore"),
	UNCORE("CPMC", "amd_l3"),
	UNCORE("DFC", "amd_df"),
	UNCORE("UMC", "amd_umc"),
	CORE("TMA", PMU_LIKWID_GENERAL),
	UNKNOWN("TMP", TEMPERATURE),
	UNKNOWN("VTG", "a voltage is a level at a moment, nothing that is counted"),
	UNKNOWN("IBAND", NO_KERNEL),
	UNKNOWN("IUTIL", NO_KERNEL),
	UNKNOWN("MDEV", NO_KERNEL),
	UNKNOWN("TCBOX", NO_KERNEL),
	UNCORE("SCF", "nvidia_scf_pmu"),
	UNKNOWN("CNV", "the kernel's PMU nvidia_cnvlink_pmu has other names: 'pmu list'"),
	UNKNOWN("NV", "the kernel's PMU nvidia_nvlink_c2c has other names: 'pmu list'"),
	UNKNOWN("PCIE", "the kernel's PMU nvidia_pcie_pmu has other names: 'pmu list'"),
	UNKNOWN("PURR", NO_KERNEL),
	UNKNOWN("GPU", "counters of graphics processors are not counted here"),
};

static const struct pmu_likwid_unit *find_unit(struct pmu_likwid_span text)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++) {
		size_t len = strlen(units[i].name);

		if (text.len >= len && !memcmp(text.at, units[i].name, len) &&
		    (text.len == len || !islower((unsigned char)text.at[len])))
			return &units[i];
	}
	return NULL;
}

/* At most three digits.  Return: how many; 0: it is no number. */
static size_t scan_digits(const char *at, size_t len, int *value)
{
	size_t n = 0;

	*value = 0;
	while (n < len && n < 3 && at[n] >= '0' && at[n] <= '9')
		*value = *value * 10 + (at[n++] - '0');
	return n < len && at[n] >= '0' && at[n] <= '9' ? 0 : n;
}

/* MBOX0TMP1: DRAM's temperature */
static const struct pmu_likwid_unit *temperature(void)
{
	static const struct pmu_likwid_unit unit = UNKNOWN("TMP", TEMPERATURE);

	return &unit;
}

/* What stands behind the box's number: C<n>, FIX. */
static bool rest_of(const char *at, size_t len, struct pmu_likwid_name *name)
{
	if (len > 1 && at[0] == 'C')
		return scan_digits(at + 1, len - 1, &name->number) == len - 1;
	if (len > 3 && !memcmp(at, "TMP", 3)) {
		name->unit = temperature();
		return scan_digits(at + 3, len - 3, &name->number) == len - 3;
	}
	return len == 3 && !memcmp(at, "FIX", 3);
}

bool pmu_likwid_name(struct pmu_likwid_span text, struct pmu_likwid_name *name)
{
	const char *at;
	size_t len, digits;

	*name = (struct pmu_likwid_name){ .unit = find_unit(text), .box = -1, .number = -1 };
	if (!name->unit)
		return false;
	at = text.at + strlen(name->unit->name);
	len = text.len - strlen(name->unit->name);
	/* what cannot be counted need not be taken apart */
	if (name->unit->kind == PMU_LIKWID_UNKNOWN)
		return true;
	if (len == 3 && !memcmp(at, "FIX", 3))
		return name->unit->kind == PMU_LIKWID_UNCORE;
	/* a register of its own: APERF */
	if (!len)
		return strlen(name->unit->name) > 4 && name->unit->kind == PMU_LIKWID_FIXED;
	digits = scan_digits(at, len, &name->number);
	if (!digits)
		return false;
	if (digits == len)
		return true;
	name->box = name->number;
	name->number = -1;
	return name->unit->kind == PMU_LIKWID_UNCORE && rest_of(at + digits, len - digits, name);
}
