/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any text as a formula. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plan/formula.h"

static int look_up(void *arg, const char *name, double *value)
{
	(void)arg;
	*value = name[0] == 'm' ? NAN : (double)strlen(name);
	return name[0] == 'u' ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *formula = malloc(size + 1);
	double value = 1;
	int rc;

	if (!formula)
		return 0;
	if (size)
		memcpy(formula, data, size);
	formula[size] = '\0';
	pmu_error_clear();
	rc = pmu_metric_eval(formula, look_up, NULL, &value);
	/* a number or missing, never infinite; a refusal has a sentence */
	if ((rc && rc != -EINVAL) || isinf(value) || (rc && !isnan(value)) ||
	    (rc && !pmu_error_text()[0]))
		abort();
	free(formula);
	return 0;
}
