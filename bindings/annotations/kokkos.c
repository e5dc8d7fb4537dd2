/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kokkos Tools: kernels, regions, sections, fences and deep copies are regions of the thread that
 * asks for them.  A kernel that runs on threads of OpenMP counts its team like any other region.
 *
 * The callbacks are those of Kokkos_Profiling_C_Interface.h, interface versions 20210225 (Kokkos
 * 3.4) to 20240906 (4.5 and later); what is not here Kokkos does without.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/door.h"
#include "bindings/annotations/functor.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "pmu.h"

#define TOOL "kokkos"

/* By value, as Kokkos passes them. */
struct kokkos_space {
	char name[64];
};

struct kokkos_settings {
	bool requires_global_fencing;
	bool padding[255];
};

typedef void begin_function(const char *name, uint32_t device, uint64_t *id);
typedef void end_function(uint64_t id);

void kokkosp_init_library(int order, uint64_t version, uint32_t n_devices, void *devices);
void kokkosp_request_tool_settings(uint32_t n, struct kokkos_settings *settings);
begin_function kokkosp_begin_parallel_for, kokkosp_begin_parallel_reduce,
	kokkosp_begin_parallel_scan, kokkosp_begin_fence;
end_function kokkosp_end_parallel_for, kokkosp_end_parallel_reduce, kokkosp_end_parallel_scan,
	kokkosp_end_fence;
void kokkosp_push_profile_region(const char *name);
void kokkosp_pop_profile_region(void);
void kokkosp_create_profile_section(const char *name, uint32_t *id);
void kokkosp_start_profile_section(uint32_t id);
void kokkosp_stop_profile_section(uint32_t id);
void kokkosp_destroy_profile_section(uint32_t id);
void kokkosp_begin_deep_copy(struct kokkos_space to_space, const char *to, const void *to_data,
			     struct kokkos_space from_space, const char *from,
			     const void *from_data, uint64_t bytes);
void kokkosp_end_deep_copy(void);

/* Written at Kokkos::initialize(), before all else. */
static bool wanted;

/* An end belongs to the last begin of its kind on the thread; only the addresses are used. */
static const char kernels, fences, pushed, copies;

/* --- start --- */

ANNOTATION_DOOR void kokkosp_init_library(int order, uint64_t version, uint32_t n_devices,
					  void *devices)
{
	(void)order;
	(void)version;
	(void)n_devices;
	(void)devices;
	wanted = annotation_door_open(PRELOAD_KOKKOS);
}

/* Else Kokkos would fence before and after each kernel: the program would be another one. */
ANNOTATION_DOOR void kokkosp_request_tool_settings(uint32_t n, struct kokkos_settings *settings)
{
	(void)n;
	settings->requires_global_fencing = false;
}

/* --- kernels --- */

/* Their ends come on the same thread, the innermost first: the number tells nothing more. */
#define KERNELS(kind)                                                                     \
	ASIDE(void, kokkosp_begin_parallel_##kind,                                        \
	      (const char *name, uint32_t device, uint64_t *id))                          \
	{                                                                                 \
		(void)device;                                                             \
		*id = wanted;                                                             \
		if (wanted)                                                               \
			annotation_push(&kernels, annotation_functor(TOOL, #kind, name)); \
	}                                                                                 \
	ASIDE(void, kokkosp_end_parallel_##kind, (uint64_t id))                           \
	{                                                                                 \
		if (id)                                                                   \
			annotation_pop(&kernels);                                         \
	}

KERNELS(for)
KERNELS(reduce)
KERNELS(scan)

/* --- fences: those that another tool has Kokkos do around its callbacks are not the program's --- */

ASIDE(void, kokkosp_begin_fence, (const char *name, uint32_t device, uint64_t *id))
{
	(void)device;
	*id = wanted && name && !strstr(name, "Kokkos Profile Tool Fence");
	if (*id)
		annotation_push(&fences, annotation_name(TOOL, NULL, "fence", name));
}

ASIDE(void, kokkosp_end_fence, (uint64_t id))
{
	if (id)
		annotation_pop(&fences);
}

/* --- regions --- */

ASIDE(void, kokkosp_push_profile_region, (const char *name))
{
	if (wanted)
		annotation_push(&pushed, annotation_name(TOOL, NULL, "region", name));
}

ASIDE(void, kokkosp_pop_profile_region, (void))
{
	if (wanted)
		annotation_pop(&pushed);
}

/* --- sections: they may overlap, and are named by a number of ours --- */

#define N_SECTIONS 65536
#define NO_SECTION 0

static struct section {
	_Atomic(const char *) name;
	_Atomic uint64_t range; /* of annotation_range_start(); 0: it does not run */
} sections[N_SECTIONS];         /* pages that are not used are never there */

static struct section *section(uint32_t id)
{
	return wanted && id != NO_SECTION && id < N_SECTIONS && sections[id].name ? &sections[id]
										  : NULL;
}

/* Programs make sections again and again: the numbers of those that were destroyed come back. */
ASIDE(void, kokkosp_create_profile_section, (const char *name, uint32_t *id))
{
	static _Atomic uint32_t last;
	const char *known = wanted ? annotation_name(TOOL, NULL, "section", name) : NULL, *none;
	uint32_t tried = 0;

	for (*id = NO_SECTION; known && *id == NO_SECTION && tried < N_SECTIONS; tried++) {
		uint32_t place = (atomic_fetch_add(&last, 1) + 1) % N_SECTIONS;

		none = NULL;
		if (place != NO_SECTION &&
		    atomic_compare_exchange_strong(&sections[place].name, &none, known))
			*id = place;
	}
}

ASIDE(void, kokkosp_start_profile_section, (uint32_t id))
{
	struct section *its = section(id);

	if (its && !its->range)
		its->range = annotation_range_start(its->name);
}

ASIDE(void, kokkosp_stop_profile_section, (uint32_t id))
{
	struct section *its = section(id);
	uint64_t range = its ? atomic_exchange(&its->range, 0) : 0;

	if (range)
		annotation_range_stop(range);
}

ASIDE(void, kokkosp_destroy_profile_section, (uint32_t id))
{
	struct section *its = section(id);

	if (!its)
		return;
	kokkosp_stop_profile_section_aside(id);
	its->name = NULL;
}

/* --- deep copies --- */

static const char *label(const char *name, const struct kokkos_space *space, int *len)
{
	if (name && *name) {
		*len = (int)strnlen(name, PMU_NAME_MAX);
		return name;
	}
	*len = (int)strnlen(space->name, sizeof(space->name));
	return space->name;
}

/* As it is written in the program: deep_copy(to, from). */
ASIDE_WIDE(void, kokkosp_begin_deep_copy,
	   (struct kokkos_space to_space, const char *to, const void *to_data,
	    struct kokkos_space from_space, const char *from, const void *from_data,
	    uint64_t bytes),
	   16)
{
	char text[PMU_NAME_MAX + 1];
	int to_len, from_len;

	(void)to_data;
	(void)from_data;
	(void)bytes;
	if (!wanted)
		return;
	to = label(to, &to_space, &to_len);
	from = label(from, &from_space, &from_len);
	snprintf(text, sizeof(text), "deep_copy(%.*s, %.*s)", to_len, to, from_len, from);
	annotation_push(&copies, annotation_name(TOOL, NULL, "copy", text));
}

ASIDE(void, kokkosp_end_deep_copy, (void))
{
	if (wanted)
		annotation_pop(&copies);
}
