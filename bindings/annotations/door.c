/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether to make regions of what comes in here. */
#include "bindings/annotations/door.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bindings/annotations/aside.h"
#include "pmu.h"

static unsigned int parts;

static bool is_off(void)
{
	static const char *const off[] = { "0", "no", "off", "false" };
	const char *enable = getenv("PMU_ENABLE");

	for (size_t i = 0; enable && i < sizeof(off) / sizeof(off[0]); i++)
		if (!strcasecmp(enable, off[i]))
			return true;
	return false;
}

static void start(void)
{
	const char *pin = getenv("PMU_PIN"), *source = getenv("PMU_BACKEND");
	bool asked = (pin && *pin) || (source && !strcmp(source, "msr"));
	struct pmu_options options = { .size = sizeof(options), .pin = asked ? NULL : "none" };
	int rc;

	if (is_off())
		return;
	rc = pmu_init(&options);
	if (rc && rc != -EALREADY)
		return;
	aside_know(&pmu_aside);
	parts = preload_parts(getenv("PMU_AUTO"));
}

bool annotation_door_open(enum preload_part part)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int saved = errno;

	pthread_once(&once, start);
	errno = saved;
	return parts & (unsigned int)part;
}
