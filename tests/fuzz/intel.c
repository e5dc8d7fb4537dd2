/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as JSON, as an event file of Intel's or Linux's, and as their maps. */
#include <stdlib.h>
#include <string.h>

#include "names/json.h"
#include "names/vendor/file.h"
#include "names/vendor/map.h"
#include "names/vendor/slot.h"
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

static void look_at(const struct pmu_vendor_entry *entry)
{
	const struct pmu_cpu_id skylake = {
		.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4
	};
	const struct pmu_cpu_id client = {
		.vendor = "GenuineIntel", .family = 6, .model = 0x2a, .stepping = 7
	};
	struct pmu_slot slot = { .core_types = 0 };
	bool open_filter;

	if (!entry->name[0] || !pmu_vendor_file_line(entry))
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

static const struct pmu_cpu_id others[] = {
	{ .vendor = "AuthenticAMD", .family = 0x17, .model = 0x31 },
	{ .vendor = "AuthenticAMD", .family = 0x19, .model = 0x11 },
	{ .vendor = "ARM", .family = 0x41, .model = 0xd0c, .stepping = 0x31 },
	{ .vendor = "RISC-V", .family = 0x489, .march = UINT64_C(0x8000000000000007) },
};

static void look_at_linux(const struct pmu_vendor_entry *entry)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct pmu_slot slot = { .core_types = 0 };

		if (!pmu_linux_slot(entry, &others[i], &slot) &&
		    (slot.kind != (entry->unit[0] ? PMU_SLOT_UNCORE : PMU_SLOT_CORE) ||
		     !memchr(slot.pmu, 0, sizeof(slot.pmu)) || !slot.pmu[0] != !entry->unit[0]))
			abort();
	}
}

/* Every file is the standard of itself: events may refer to those before and behind them. */
static void read_events(const uint8_t *data, size_t size, bool is_linux)
{
	struct pmu_vendor_file file = { .text = malloc(size + 1),
					.len = size,
					.name = strdup("events.json"),
					.is_linux = is_linux };

	if (file.text && file.name) {
		memcpy(file.text, data, size);
		file.text[size] = '\0';
		(void)pmu_vendor_file_parse(&file, 0);
		if (is_linux)
			pmu_vendor_file_settle(&file, &file, 1);
		for (uint32_t i = 0; i < file.n; i++) {
			look_at(&file.entry[i]);
			if (is_linux)
				look_at_linux(&file.entry[i]);
		}
	}
	pmu_vendor_file_free(&file);
}

static int take_row(void *arg, const struct pmu_vendor_map_row *row)
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
	read_events(data, size, false);
	read_events(data, size, true);
	(void)pmu_vendor_map_parse("mapfile.csv", (const char *)data, size, &id, take_row, NULL);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		(void)pmu_vendor_map_parse("mapfile.csv", (const char *)data, size, &others[i],
					   take_row, NULL);
	return 0;
}
