/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as JSON, as an event file of Intel's and as its map. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "group/intel/file.h"
#include "group/intel/map.h"
#include "group/intel/slot.h"
#include "tests/fuzz/fuzz.h"

/* Depth goes up and down by one, and never below 0; strings fit into their own place. */
static void walk(const char *text, size_t size)
{
	struct pmu_json json;
	enum pmu_json_kind kind;
	long depth = 0;
	char out[64];

	pmu_json_start(&json, text, size);
	while ((kind = pmu_json_next(&json)) != PMU_JSON_END) {
		depth += (kind == PMU_JSON_OBJECT || kind == PMU_JSON_ARRAY) -
			 (kind == PMU_JSON_OBJECT_END || kind == PMU_JSON_ARRAY_END);
		if (depth < 0 || depth > PMU_JSON_DEPTH_MAX || json.at > json.end)
			abort();
		if (kind != PMU_JSON_STRING)
			continue;
		if (json.value < text || json.value + json.len >= json.end ||
		    json.value[json.len] != '"')
			abort();
		if (pmu_json_string(&json, out, sizeof(out)) && strlen(out) > json.len)
			abort();
	}
	if ((depth != 0) > (json.error != NULL) || !pmu_json_line(&json) ||
	    pmu_json_next(&json) != PMU_JSON_END)
		abort();
}

static void look_at(const struct pmu_intel_entry *entry)
{
	const struct pmu_cpu_id skylake = {
		.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4
	};
	const struct pmu_cpu_id client = {
		.vendor = "GenuineIntel", .family = 6, .model = 0x2a, .stepping = 7
	};
	struct pmu_slot slot = { .core_types = 0 };
	bool open_filter;

	if (!entry->name[0] || !pmu_intel_file_line(entry))
		abort();
	if (!pmu_intel_core_slot(entry, NULL, &slot) &&
	    (slot.kind != PMU_SLOT_CORE || slot.config >> 48))
		abort();
	if (!pmu_intel_uncore_slot(entry, &skylake, &slot, &open_filter) &&
	    (slot.kind != PMU_SLOT_UNCORE || !memchr(slot.pmu, 0, sizeof(slot.pmu)) ||
	     slot.config >> 58))
		abort();
	(void)pmu_intel_uncore_slot(entry, &client, &slot, &open_filter);
}

static void read_events(const uint8_t *data, size_t size)
{
	struct pmu_intel_file file = { .text = malloc(size + 1),
				       .len = size,
				       .name = strdup("events.json") };

	if (file.text && file.name) {
		memcpy(file.text, data, size);
		file.text[size] = '\0';
		(void)pmu_intel_file_parse(&file, 0);
		for (uint32_t i = 0; i < file.n; i++)
			look_at(&file.entry[i]);
	}
	pmu_intel_file_free(&file);
}

static int take_row(void *arg, const struct pmu_intel_map_row *row)
{
	(void)arg;
	if (!row->file[0] || row->file[0] == '/' || strstr(row->file, "/../") ||
	    !strncmp(row->file, "../", 3) || !row->line)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pmu_cpu_id id = {
		.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4
	};

	if (!size)
		return 0;
	walk((const char *)data, size);
	read_events(data, size);
	(void)pmu_intel_map_parse("mapfile.csv", (const char *)data, size, &id, take_row, NULL);
	return 0;
}
