/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a formula. */
#include <string.h>

#include "base/compiler.h"
#include "plan/formula_names.h"

static bool starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_number_digit(char c)
{
	return c >= '0' && c <= '9';
}

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
	while (is_number_digit(*at) || *at == '.')
		at++;
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
	}
	while (is_number_digit(*at))
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
		if (is_number_digit(*at) || *at == '.') {
			at = skip_number(at);
		} else if (starts_name(*at)) {
			*name = (struct pmu_group_span){ at, 0 };
			while (starts_name(*at) || is_number_digit(*at) || *at == '.')
				at++;
			name->len = (size_t)(at - name->at);
			return true;
		} else {
			at++;
		}
	}
	return false;
}
