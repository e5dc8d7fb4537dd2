/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events that LIKWID's groups have, on every processor that it has groups for: each is counted by
 * what tests/data/likwid.csv says, or refused with a reason.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/pfm/pfm.h"
#include "tests/likwid/cpus.h"
#include "unit/part.h"

#define SHOWN 10 /* wrong ones */

static struct pmu_group group;

/* "0xc0" behind what is known by a code alone. */
static bool is_counted_by(const char *ours)
{
	const char *code = strchr(ours, '@');
	size_t len = code ? (size_t)(code - ours) : strlen(ours);

	if (!strcmp(ours, "."))
		return !group.n_events;
	return group.n_events && strlen(group.event[0].name) == len &&
	       !memcmp(group.event[0].name, ours, len) &&
	       (!code || strtoull(code + 1, NULL, 16) == group.event[0].slot.config);
}

static bool row_is_right(const char *counter, const char *event, const char *ours,
			 struct pmu_catalog *catalog)
{
	bool taken;

	pmu_error_clear();
	taken = likwid_counts(counter, event, catalog, &group);
	if (*ours == '-')
		return !taken && (group.note[0] || pmu_error_text()[0]);
	return taken && is_counted_by(ours + (*ours == '~'));
}

/* "PMC0,CPU_CLOCKS_UNHALTED,ls_not_halted_cyc,zen zen2" */
static bool split_row(char *line, char *cell[4])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 4; i++)
		cell[i] = strsep(&line, ",");
	return cell[3] && *cell[0] != '#';
}

static bool is_about(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += len)
		if ((at == names || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static int check_cpu(const struct likwid_cpu *cpu, FILE *file, bool pfm, int *wrong)
{
	struct pmu_catalog catalog = likwid_catalog(cpu);
	char line[1024], *cell[4];
	int rows = 0;

	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		/* what libpfm4's tables alone have */
		if (!split_row(line, cell) || !is_about(cell[3], cpu->name) ||
		    (*cell[2] == '~' && !pfm))
			continue;
		rows++;
		if (row_is_right(cell[0], cell[1], cell[2], &catalog) || ++*wrong > SHOWN)
			continue;
		diag("%s: %s %s is %s, not %s: %s", cpu->name, cell[0], cell[1],
		     group.n_events ? group.event[0].name : "nothing", cell[2], group.note);
	}
	pmu_catalog_close(&catalog);
	return rows;
}

static bool has_pfm(void)
{
	static const struct pmu_cpu_id id = { .vendor = "GenuineIntel",
					      .family = 6,
					      .model = 0x17 };
	struct pmu_slot slot = { .kind = PMU_SLOT_CORE };
	char label[64];

	return !pmu_pfm_encode("L2_RQSTS:SELF", pmu_cpu_model_find(&id), &slot, label,
			       sizeof(label));
}

static void every_name_is_taken_or_has_a_reason(void)
{
	FILE *file = fopen(TEST_SRCDIR "/tests/data/likwid.csv", "r");
	bool pfm = has_pfm();
	int wrong = 0;

	if (!ok(file != NULL, "tests/data/likwid.csv"))
		return;
	for (size_t i = 0; i < PMU_ARRAY_LEN(likwid_cpus); i++) {
		const struct likwid_cpu *cpu = &likwid_cpus[i];
		int before = wrong, rows = check_cpu(cpu, file, pfm, &wrong);

		ok(rows && wrong == before, "%d names on %s", rows, cpu->name);
	}
	fclose(file);
}

UNIT_PART(likwid_names)
{
	every_name_is_taken_or_has_a_reason();
	return done_testing();
}
