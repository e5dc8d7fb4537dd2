/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodings of events: a table of known ones against Intel's files and libpfm4. */
#include <errno.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "unit/part.h"

enum {
	VENDOR,
	FAMILY,
	MODEL,
	STEPPING,
	EVENT,
	CONFIG,
	EXTRA,
	EXTRA_VALUE,
	COUNTERS,
	SOURCE,
	LIBPFM4,
	COLUMNS
};

/* A number of the table, "" is 0. */
static uint64_t number(const char *text, int base)
{
	return strtoull(text, NULL, base);
}

static bool read_row(char *line, char *column[COLUMNS])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < COLUMNS; i++)
		column[i] = line ? strsep(&line, ",") : NULL;
	return column[COLUMNS - 1] && !line;
}

static struct pmu_catalog catalog_of(char *column[COLUMNS], const char *folder)
{
	struct pmu_catalog catalog = { .event_files = folder };

	snprintf(catalog.id.vendor, sizeof(catalog.id.vendor), "%s", column[VENDOR]);
	catalog.id.family = (uint32_t)number(column[FAMILY], 16);
	catalog.id.model = (uint32_t)number(column[MODEL], 16);
	catalog.id.stepping = (uint32_t)number(column[STEPPING], 16);
	catalog.model = pmu_cpu_model_find(&catalog.id);
	return catalog;
}

/* The first difference between the event and its row; NULL: there is none. */
static const char *difference(char *column[COLUMNS], const struct pmu_slot *slot)
{
	if (slot->config != number(column[CONFIG], 16))
		return "config";
	if (slot->extra != number(column[EXTRA], 16))
		return "second register";
	if (slot->extra_value != number(column[EXTRA_VALUE], 16) ||
	    slot->config1 != slot->extra_value)
		return "second register's value";
	if (column[COUNTERS][0] && slot->counters != number(column[COUNTERS], 16))
		return "counters";
	if (slot->kind != PMU_SLOT_CORE)
		return "kind";
	return NULL;
}

static void check_row(char *column[COLUMNS], struct pmu_catalog *catalog)
{
	struct pmu_event event;
	const char *wrong;

	if (!ok(!pmu_event_parse(column[EVENT], catalog, &event), "%s-%s-%s %s", column[FAMILY],
		column[MODEL], column[STEPPING], column[EVENT])) {
		diag("%s", pmu_error_text());
		return;
	}
	wrong = difference(column, &event.slot);
	if (!ok(!wrong, "  is %s by %s%s%s", column[CONFIG], column[SOURCE],
		column[LIBPFM4][0] ? ", which " : "",
		column[LIBPFM4][0] ? "libpfm4 has otherwise" : ""))
		diag("%s: config %#llx, counters %#x, %#x=%#llx", wrong,
		     (unsigned long long)event.slot.config, event.slot.counters, event.slot.extra,
		     (unsigned long long)event.slot.extra_value);
}

/* Every row that has its files in the folder. */
static void comes_out_as_stated(const char *folder, bool whole)
{
	FILE *table = fopen(TEST_SRCDIR "/tests/data/encodings.csv", "re");
	char line[512], *column[COLUMNS];
	unsigned int n = 0, left_out = 0;

	if (!ok(table && fgets(line, sizeof(line), table), "there is a table of encodings"))
		return;
	while (fgets(line, sizeof(line), table)) {
		struct pmu_catalog catalog;
		struct pmu_event event;

		if (!read_row(line, column)) {
			ok(false, "row %u: %s", n, line);
			continue;
		}
		catalog = catalog_of(column, folder);
		/* a part of the files, as they are: what it lacks is another test's */
		if (whole && (strcmp(column[SOURCE], "file") != 0 ||
			      (pmu_event_parse(column[EVENT], &catalog, &event) &&
			       catalog.files_error == -ENOENT))) {
			left_out++;
		} else {
			check_row(column, &catalog);
			n++;
		}
		pmu_catalog_close(&catalog);
	}
	fclose(table);
	ok(n > (whole ? 40 : 500), "%u rows, %u left out", n, left_out);
}

static void whole_files_say_the_same(void)
{
	const char *folder = getenv("TEST_PERFMON");

	if (!folder)
		skip("whole files of intel/perfmon say the same",
		     "TEST_PERFMON names no checkout of it");
	else
		comes_out_as_stated(folder, true);
}

UNIT_PART(encodings)
{
	comes_out_as_stated(TEST_SRCDIR "/tests/data/perfmon", false);
	whole_files_say_the_same();
	return done_testing();
}
