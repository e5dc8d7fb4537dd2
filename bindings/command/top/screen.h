/* SPDX-License-Identifier: BSD-3-Clause */
/* The view on a terminal. */
#ifndef PMU_COMMAND_TOP_SCREEN_H
#define PMU_COMMAND_TOP_SCREEN_H

#include "bindings/command/top/child.h"
#include "bindings/command/top/order.h"
#include "bindings/command/top/watch.h"

/* Bytes of a filter, with its terminator. */
#define PMU_TOP_FILTER_MAX 128

struct pmu_top_screen {
	struct pmu_top_watch *watch;
	struct pmu_top_child *child; /* its pid 0: none */
	struct pmu_top_order order;
	uint64_t interval_ns;
	uint64_t count; /* looks, then it ends by itself; 0: it does not */
};

/** pmu_top_screen_why_not() - "" or why there is no such view here */
const char *pmu_top_screen_why_not(void);

/**
 * pmu_top_screen_run() - until its user has seen enough
 * Return: 0; a negative errno with a sentence.
 */
int pmu_top_screen_run(const struct pmu_top_screen *screen);

#endif
