/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of PMU_EVERY. */
#include "session/every.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/stars.h"
#include "base/strbuf.h"
#include "base/sysfile.h"

#define BLANKS " \t"

static int refuse(const char *rule, size_t len)
{
	return pmu_fail(
		EINVAL,
		"PMU_EVERY=%.*s: say a region and one call in how many is measured, from 1 to %u, as kernel:10; "
		"'*' stands for any text",
		(int)(len > 200 ? 200 : len), rule, PMU_EVERY_MOST);
}

static int take_rule(const char *rule, size_t len, struct pmu_every_rules *rules)
{
	const char *colon = memrchr(rule, ':', len);
	size_t name_len = colon ? (size_t)(colon - rule) : 0;
	size_t number_len = colon ? len - name_len - 1 : 0;
	char number[16] = "";
	uint64_t value;

	if (!name_len || name_len >= PMU_EVERY_MAX_NAME || number_len >= sizeof(number))
		return refuse(rule, len);
	memcpy(number, colon + 1, number_len);
	if (pmu_parse_u64(number, &value) < 0 || value < 1 || value > PMU_EVERY_MOST)
		return refuse(rule, len);
	if (rules->n == PMU_EVERY_MAX_RULES)
		return pmu_fail(EINVAL, "PMU_EVERY: more than %d rules", PMU_EVERY_MAX_RULES);
	memcpy(rules->rule[rules->n].pattern, rule, name_len);
	rules->rule[rules->n].pattern[name_len] = '\0';
	rules->rule[rules->n++].one_in = (uint32_t)value;
	return 0;
}

int pmu_every_parse(const char *text, struct pmu_every_rules *rules)
{
	int rc = 0;

	rules->n = 0;
	text += strspn(text, BLANKS);
	while (rc == 0 && *text) {
		size_t len = strcspn(text, ",");

		rc = take_rule(text, len, rules);
		text += len + (text[len] == ',');
		text += strspn(text, BLANKS);
	}
	if (rc < 0)
		rules->n = 0;
	return rc;
}

static bool is_same(const char **pattern, char byte)
{
	return *(*pattern)++ == byte;
}

uint32_t pmu_every_one_in(const struct pmu_every_rules *rules, const char *name)
{
	for (unsigned int i = 0; i < rules->n; i++)
		if (pmu_stars_match(rules->rule[i].pattern, name, is_same))
			return rules->rule[i].one_in;
	return 1;
}

void pmu_every_text(const struct pmu_every_rules *rules, char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	for (unsigned int i = 0; i < rules->n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len,
					i ? ", of %s one in %u"
					  : "of %s one call in %u was measured",
					rules->rule[i].pattern, rules->rule[i].one_in);
}
