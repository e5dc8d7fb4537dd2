/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can stand in front of an event's terms: places that registers count in, by the kernel's
 * names.
 */
#ifndef PMU_NAMES_TERMS_PLACE_H
#define PMU_NAMES_TERMS_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/models.h"
#include "plan/plan.h"

/** One of them. */
struct pmu_place {
	const char *name;
	enum pmu_slot_kind kind;
	uint8_t unit;
	uint8_t core_types;
	bool numbered;    /* "uncore_cbox_3": boxes are counted together, whichever is named */
	uint32_t layouts; /* UNCORE: bits by enum pmu_uncore_layout */
};

/** pmu_place_of() - by name, ignoring case; NULL: none that registers know */
const struct pmu_place *pmu_place_of(const char *name);

/**
 * pmu_place_of_unit() - where an UNCORE slot of this unit is counted; NULL: nowhere that registers
 * know
 */
const struct pmu_place *pmu_place_of_unit(uint8_t unit);

/** pmu_place_exists() - does a CPU have it? */
bool pmu_place_exists(const struct pmu_cpu_model *model, const struct pmu_place *place);

/**
 * pmu_place_find() - as pmu_place_of(), for one CPU
 * @devices: folder of the kernel's PMUs, for the nearest of them; NULL: none
 * @model: NULL: none that is known, which may have all
 * Return: 0; -EINVAL with a sentence.
 */
int pmu_place_find(const char *name, const char *devices, const struct pmu_cpu_model *model,
		   const struct pmu_place **found);

#endif
