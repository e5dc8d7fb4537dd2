/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas of a group's file: written over aliases, kept over the names of columns. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "names/file/parts.h"
#include "plan/formula.h"

struct pmu_group_alias *pmu_group_alias_find(struct pmu_group_aliases *aliases,
					     struct pmu_group_span name)
{
	for (size_t i = 0; i < aliases->n; i++)
		if (strlen(aliases->alias[i].name) == name.len &&
		    !memcmp(aliases->alias[i].name, name.at, name.len))
			return &aliases->alias[i];
	return NULL;
}

/* Names of ours that stand for no value: what is left of them in a formula is no call. */
static bool is_function(const char *name)
{
	return !strcmp(name, "min") || !strcmp(name, "max") || !strcmp(name, "if");
}

static int look_up(void *arg, const char *name, double *value)
{
	struct pmu_group_span span = { name, strlen(name) };

	*value = NAN;
	if (is_function(name))
		return -1;
	return pmu_group_name_is_ours(span) || pmu_group_alias_find(arg, span) ? 0 : -1;
}

static void add_alias_column(struct pmu_strbuf *out, const char *column)
{
	size_t plain = 0;

	while (pmu_starts_word(column[plain]) ||
	       (plain && (pmu_is_digit(column[plain]) || column[plain] == '.')))
		plain++;
	if (column[plain] || pmu_group_name_is_ours((struct pmu_group_span){ column, plain }))
		pmu_strbuf_addf(out, "\"%s\"", column);
	else
		pmu_strbuf_add(out, column);
}

/* false: an alias is not counted here */
static bool rewrite_aliases(const char *text, struct pmu_group_aliases *aliases,
			    const struct pmu_group *group, struct pmu_strbuf *out)
{
	struct pmu_group_span name;

	while (pmu_group_name_next(text, &name)) {
		bool quoted = name.at > text && name.at[-1] == '"';
		const struct pmu_group_alias *alias = pmu_group_alias_find(aliases, name);

		if (alias && alias->event < 0)
			return false;
		pmu_strbuf_add_n(out, text, (size_t)(name.at - text) - (quoted ? 1 : 0));
		if (alias)
			add_alias_column(out, group->event[alias->event].name);
		else
			pmu_strbuf_add_n(out, name.at, name.len);
		text = name.at + name.len + (quoted ? 1 : 0);
	}
	pmu_strbuf_add(out, text);
	return true;
}

int pmu_group_formula(const char *text, struct pmu_group_aliases *aliases,
		      const struct pmu_group *group, char *formula, size_t size)
{
	struct pmu_strbuf out = { 0 };
	double value;
	int rc = pmu_metric_eval(text, look_up, aliases, &value);

	if (rc)
		return rc;
	rc = rewrite_aliases(text, aliases, group, &out);
	if (out.failed)
		rc = pmu_fail(ENOMEM, "no memory for a formula");
	else if (rc && out.len >= size)
		rc = pmu_fail(
			EINVAL,
			"a formula that is longer than %zu bytes with the names of its events",
			size - 1);
	else if (rc)
		memcpy(formula, pmu_strbuf_text(&out), out.len + 1);
	pmu_strbuf_free(&out);
	return rc;
}
