/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a ring: whatever is in them, nothing is read beyond them. */
#include "bindings/command/sample/record.h"

#include <string.h>

bool pmu_sample_records(const char *copy, size_t n, pmu_sample_take *take, void *arg)
{
	size_t at = 0;

	while (at < n) {
		const struct perf_event_header *header = (const void *)(copy + at);

		if (n - at < sizeof(*header) || header->size < sizeof(*header) ||
		    header->size % 8 || header->size > n - at)
			return false;
		if (!take(arg, header, at))
			return true;
		at += header->size;
	}
	return true;
}

bool pmu_sample_is_record(const struct perf_event_header *header)
{
	return header->type == PERF_RECORD_SAMPLE &&
	       header->size >= sizeof(struct pmu_sample_record);
}

bool pmu_sample_is_mapping(const struct perf_event_header *header)
{
	return header->type == PERF_RECORD_MMAP2 &&
	       header->size > sizeof(struct pmu_sample_mapping);
}

int pmu_sample_map(struct pmu_sample_maps *maps, const struct pmu_sample_mapping *mapping)
{
	size_t room = mapping->header.size - sizeof(*mapping);

	if (!memchr(mapping->path, '\0', room))
		return 0;
	return pmu_sample_maps_add(maps, mapping->address, mapping->address + mapping->len,
				   mapping->offset, mapping->path);
}

bool pmu_sample_place(const struct pmu_sample_maps *maps, const struct pmu_sample_record *record,
		      struct pmu_sample_at *at, uint64_t *n_unknown)
{
	switch (record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		*at = (struct pmu_sample_at){ .file = PMU_SAMPLE_KERNEL, .at = record->ip };
		return true;
	case PERF_RECORD_MISC_USER:
		*at = pmu_sample_maps_find(maps, record->ip);
		/* else it is found, and need not be looked for once more */
		if (at->file == PMU_SAMPLE_NO_FILE)
			*n_unknown += !pmu_sample_maps_has(maps, record->ip);
		return true;
	default:
		return false;
	}
}
