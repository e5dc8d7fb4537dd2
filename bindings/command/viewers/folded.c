/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folded stacks: "main;solve;inner 1234", for flamegraph.pl, inferno and many others.
 *
 * Source: brendangregg/FlameGraph, flamegraph.pl: ^(.*)\s+?(\d+(?:\.\d*)?)$
 *
 * What a name has that the format gives a meaning stands as \xNN: a semicolon, and the blank before a
 * number at its end, which would be a second count.  Control characters are \n, \t or \xNN.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "bindings/command/viewers/viewers.h"
#include "report/encode.h"

/* Where a blank and a number end it; NULL: they do not. */
static const char *number_at_end(const char *text)
{
	size_t len = strlen(text), at = len;

	while (at && (isdigit((unsigned char)text[at - 1]) || text[at - 1] == '.'))
		at--;
	return at && at < len && text[at - 1] == ' ' ? text + at - 1 : NULL;
}

static void folded_put_name(struct pmu_strbuf *out, const char *name)
{
	struct pmu_strbuf line = { 0 };
	const char *text, *blank;

	pmu_encode_line(&line, name);
	text = pmu_strbuf_text(&line);
	blank = number_at_end(text);
	for (const char *at = text; *at; at++) {
		if (*at == ';' || at == blank)
			pmu_strbuf_addf(out, "\\x%02x", *at);
		else
			pmu_strbuf_add_n(out, at, 1);
	}
	out->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void folded_put_path(struct pmu_strbuf *out, const struct pmu_stacks *stacks,
			    unsigned int node)
{
	int parent = stacks->node[node].parent;

	if (parent >= 0) {
		folded_put_path(out, stacks, (unsigned int)parent);
		pmu_strbuf_add(out, ";");
	}
	folded_put_name(out, stacks->frame[stacks->node[node].frame].name);
}

static int folded_put_lane(struct pmu_strbuf *out, struct pmu_stacks *stacks, unsigned int lane,
			   unsigned int measure)
{
	struct pmu_stack_values values;
	int rc = pmu_stacks_values(stacks, lane, &values);

	for (unsigned int i = 0; i < values.n && !rc; i++) {
		uint64_t own = pmu_stack_own(&values, i, measure);

		if (!own)
			continue;
		if (lane) {
			folded_put_name(out, stacks->lane[lane].title);
			pmu_strbuf_add(out, ";");
		}
		folded_put_path(out, stacks, values.node[i]);
		pmu_strbuf_add(out, " ");
		pmu_encode_u64(out, own);
		pmu_strbuf_add(out, "\n");
	}
	pmu_stack_values_free(&values);
	return rc;
}

/* "cycles" is also that of a group, and an estimate. */
static bool is_named(const struct pmu_stacks *stacks, unsigned int m, const char *name)
{
	const struct pmu_stack_measure *measure = &stacks->measure[m];
	const struct pmu_model_section *s;

	if (!strcasecmp(name, measure->name))
		return true;
	if (measure->sampled)
		return false;
	if (measure->count < 0)
		return !strcmp(name, "self") || !strcmp(name, "time");
	s = &stacks->model->section[measure->section];
	return !strcasecmp(name, s->count[measure->count].name);
}

static int folded_find_measure(const struct pmu_stacks *stacks, const char *name,
			       unsigned int *measure)
{
	for (unsigned int m = 0; name && m < stacks->n_measures; m++)
		if (is_named(stacks, m, name)) {
			*measure = m;
			return 0;
		}
	*measure = 0;
	if (!name)
		return 0;
	return pmu_fail(
		EINVAL,
		"--sort %s: there is no count of that name; a folded report has time, or a count "
		"that was counted",
		name);
}

int pmu_viewer_folded(struct pmu_strbuf *out, struct pmu_stacks *stacks,
		      const struct pmu_text_options *options)
{
	bool threads = options && options->threads && stacks->n_lanes > 1;
	unsigned int measure;
	int rc = folded_find_measure(stacks, options ? options->sort : NULL, &measure);

	threads &= !rc && !stacks->measure[measure].estimated;
	if (!rc && !threads)
		rc = folded_put_lane(out, stacks, 0, measure);
	for (unsigned int lane = 1; threads && lane < stacks->n_lanes && !rc; lane++)
		rc = folded_put_lane(out, stacks, lane, measure);
	return rc;
}
