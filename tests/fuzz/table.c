/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of events: the first line is a group of names or empty, then one table, "%", the next. */
#include <stdlib.h>
#include <string.h>

#include "names/tables/table.h"
#include "names/vendor/slot.h"
#include "tests/fuzz/fuzz.h"

#define MAX_TABLES 6

static struct pmu_table table[MAX_TABLES];
static char names[MAX_TABLES][2] = { "a", "b", "c", "d", "e", "f" };
static int n_tables;

static bool find(const char *name, struct pmu_table *found)
{
	for (int i = 0; i < n_tables; i++)
		if (!strcmp(table[i].name, name)) {
			*found = table[i];
			return true;
		}
	return false;
}

/* What a table has may be nonsense: it is refused or it is a slot. */
static void make_slots(const struct pmu_vendor_entry *entry)
{
	static const struct pmu_cpu_id cpus[] = {
		{ .vendor = "AuthenticAMD", .family = 0x17, .model = 0x31 },
		{ .vendor = "AuthenticAMD", .family = 0x1a, .model = 0x02 },
		{ .vendor = "HiSilicon", .family = 0x48, .model = 0xd01 },
		{ .vendor = "RISC-V", .family = 0x489 },
	};

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct pmu_slot slot = { .core_types = 0 };

		if (!pmu_linux_slot(entry, &cpus[i], &slot) && !slot.pmu[0] != !entry->unit[0])
			abort();
	}
}

static void check(const struct pmu_vendor_file *file)
{
	for (uint32_t i = 0; i < file->n; i++) {
		const struct pmu_vendor_entry *e = &file->entry[i];

		if (!e->name[0] || strlen(e->name) + strlen(e->unit) + strlen(e->filter) > 4096 ||
		    e->counters >> 32 || e->fixed > 31 || e->file != file)
			abort();
		make_slots(e);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_vendor_file file = { .n = 0 };
	char *text = malloc(size + 1), *rest = text, *group;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	group = strsep(&rest, "\n");
	for (n_tables = 0; rest && n_tables < MAX_TABLES; n_tables++) {
		char *one = strsep(&rest, "%");

		table[n_tables] = (struct pmu_table){ names[n_tables], one, strlen(one) };
	}
	if (!pmu_table_read("a", find, group && group[0] ? group : NULL, 0, &file))
		check(&file);
	pmu_vendor_file_free(&file);
	free(text);
	return 0;
}
