/* SPDX-License-Identifier: BSD-3-Clause */
/* The source that counts nothing but time. */
#include <stdio.h>
#include <string.h>

#include "counters/backend.h"

static int clock_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	(void)plan;
	memset(probe, 0, sizeof(*probe));
	return 0;
}

/* The plan itself is all there is to remember. */
static int clock_open(void **state, const struct pmu_plan *plan)
{
	*state = (void *)plan;
	return 0;
}

static void clock_close(void *state)
{
	(void)state;
}

static size_t clock_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return 0;
}

static int clock_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
			struct pmu_attachment *got)
{
	const struct pmu_plan *plan = state;

	(void)thread;
	(void)cpu;
	memset(got, 0, sizeof(*got));
	got->missing = pmu_plan_mask(plan);
	*read = NULL;
	return 0;
}

static void clock_detach(void *state, void *thread)
{
	(void)state;
	(void)thread;
}

static void clock_describe(void *state, char *text, size_t size)
{
	(void)state;
	snprintf(text, size, "time only");
}

const struct pmu_backend pmu_backend_clock = {
	.name = "clock",
	.about = "time only; works everywhere",
	.counts = false,
	.default_group = "TIME",
	.probe = clock_probe,
	.open = clock_open,
	.close = clock_close,
	.thread_size = clock_thread_size,
	.attach = clock_attach,
	.detach = clock_detach,
	.describe = clock_describe,
};
