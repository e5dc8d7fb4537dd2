/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a formula. */
#include <string.h>

#include "base/ascii.h"
#include "base/compiler.h"
#include "plan/formula_names.h"

bool pmu_group_name_is_ours(struct pmu_group_span name)
{
	static const char *const names[] = { "time", "calls", "tsc_hz", "min", "max", "if" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		if (strlen(names[i]) == name.len && !memcmp(names[i], name.at, name.len))
			return true;
	return false;
}

/* A number's exponent is no name: 1e9 */
static const char *skip_number(const char *at)
{
	while (pmu_is_digit(*at) || *at == '.')
		at++;
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
	}
	while (pmu_is_digit(*at))
		at++;
	return at;
}

bool pmu_group_name_next(const char *formula, struct pmu_group_span *name)
{
	const char *at = formula;

	while (*at) {
		if (*at == '"') {
			*name = (struct pmu_group_span){ at + 1, strcspn(at + 1, "\"") };
			return true;
		}
		if (pmu_is_digit(*at) || *at == '.') {
			at = skip_number(at);
		} else if (pmu_starts_word(*at)) {
			*name = (struct pmu_group_span){ at, 0 };
			while (pmu_starts_word(*at) || pmu_is_digit(*at) || *at == '.')
				at++;
			name->len = (size_t)(at - name->at);
			return true;
		} else {
			at++;
		}
	}
	return false;
}
