/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a file of limits; what is kept of them is the same read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/check/limits.h"
#include "tests/fuzz/fuzz.h"

static void look_up(struct pmu_limits *limits)
{
	static const char *const names[] = { "", "solve", "a:b", "x=y", "[" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (int is_time = 0; is_time < 2; is_time++) {
			struct pmu_limits_value value = { names[i], names[(i + 1) % 3],
							  i % 2 ? "time" : "instructions:k",
							  is_time != 0 };
			const struct pmu_limit *limit = pmu_limits_find(limits, &value);
			unsigned int met = limit ? limit->n_met : 0;

			pmu_limits_meet(limits, &value);
			if (limit && limit->n_met != met + 1)
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_limits limits = { .n = 0 }, again = { .n = 0 };
	struct pmu_strbuf kept = { 0 };
	char *copy = malloc(size + 1);
	int rc;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	pmu_error_clear();
	rc = pmu_limits_parse(&limits, "file", copy, size);
	if (rc && ((rc != -EINVAL && rc != -ENOMEM) || !pmu_error_text()[0]))
		abort();
	if (!rc) {
		look_up(&limits);
		pmu_limits_keep(&limits, "", 0, &kept);
		if (pmu_limits_parse(&again, "kept", pmu_strbuf_text(&kept), kept.len) ||
		    again.n > limits.n)
			abort();
	}
	pmu_strbuf_free(&kept);
	pmu_limits_free(&limits);
	pmu_limits_free(&again);
	free(copy);
	return 0;
}
