/* SPDX-License-Identifier: BSD-3-Clause */
/* What the doors of libpmu-annotations.so share: functions by which a program finds it. */
#ifndef PMU_ANNOTATIONS_DOOR_H
#define PMU_ANNOTATIONS_DOOR_H

#include <stdbool.h>

#include "bindings/preload/parts.h"

/** What a program looks up here by its name. */
#define ANNOTATION_DOOR __attribute__((visibility("default")))

/**
 * annotation_door_open() - are annotations of this kind wanted, and is this process measured?
 *
 * Starts the session where there is none yet: programs also come here without `pmu run`.  Threads
 * are then bound to processors only where that is asked for.
 *
 * Context: any thread; the first call allocates.
 */
__attribute__((visibility("hidden"))) bool annotation_door_open(enum preload_part part);

#endif
