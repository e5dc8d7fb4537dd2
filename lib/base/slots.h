/* SPDX-License-Identifier: BSD-3-Clause */
/* How many things are counted at once: what plans, rows and reports agree on. */
#ifndef PMU_BASE_SLOTS_H
#define PMU_BASE_SLOTS_H

/** Most slots of one plan: bits of a missing mask in a store row. */
#define PMU_MAX_SLOTS 16

#endif
