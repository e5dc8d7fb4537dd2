/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel has mapped where. */
#ifndef PMU_PRELOAD_MAPS_H
#define PMU_PRELOAD_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/** A part of the address space with the same rights. */
struct preload_mapping {
	uintptr_t first, end;
	int protection; /* PROT_READ and so on */
};

/**
 * preload_mapping_find() - the mapping that an address lies in, from /proc/self/maps
 * @mapping: result; untouched where there is none
 *
 * Context: async-signal-safe; no cancellation point; a descriptor is open meanwhile.
 */
bool preload_mapping_find(uintptr_t address, struct preload_mapping *mapping);

/** preload_page_readable() - may the byte at an address be read?  One system call. */
bool preload_page_readable(uintptr_t address);

#endif
