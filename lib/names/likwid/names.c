/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what events.names says of an event: rows of the sections of one processor. */
#include <stdlib.h>
#include <string.h>

#include "names/likwid/parts.h"
#include "names/pfm/pfm.h"

#define PER " per="

static struct pmu_likwid_span span_up_to(struct pmu_likwid_span *rest, char separator)
{
	const char *end = memchr(rest->at, separator, rest->len);
	struct pmu_likwid_span word = { rest->at, end ? (size_t)(end - rest->at) : rest->len };
	size_t gone = word.len + !!end;

	rest->at += gone;
	rest->len -= gone;
	return word;
}

/* "[Zen, Zen+, Zen 2]" */
static bool is_section_of(struct pmu_likwid_span line, const char *microarchitecture)
{
	struct pmu_likwid_span rest = { line.at + 1, line.len - 2 };

	while (rest.len) {
		struct pmu_likwid_span name = span_up_to(&rest, ',');

		if (pmu_likwid_is(name, "*") || pmu_likwid_is(name, microarchitecture))
			return true;
		if (rest.len && *rest.at == ' ')
			rest.at++, rest.len--;
	}
	return false;
}

static bool is_row_about(struct pmu_likwid_span *row, const struct pmu_likwid_counter *counter)
{
	struct pmu_likwid_span unit = span_up_to(row, ' '), event = span_up_to(row, ' ');

	return pmu_likwid_is(unit, counter->name.unit->name) &&
	       pmu_likwid_is_same(event, counter->event);
}

static void cut_per(struct pmu_likwid_row *row)
{
	size_t len = strlen(PER);

	row->per = 0;
	for (size_t i = 0; i + len < row->ours.len; i++)
		if (!memcmp(row->ours.at + i, PER, len)) {
			row->per = strtod(row->ours.at + i + len, NULL);
			row->ours.len = i;
		}
}

/* NULL: it was the last. */
static const char *next_section(const char *at)
{
	const char *end = strstr(at, "\n[");

	return end ? end + 1 : NULL;
}

/* The rows of one section.  Return: whether the @n-th is among them; else @n is less those that are. */
static bool find_in_section(struct pmu_likwid_span rest, const struct pmu_likwid_counter *counter,
			    unsigned int *n, struct pmu_likwid_row *row)
{
	while (rest.len) {
		struct pmu_likwid_span line = span_up_to(&rest, '\n');

		if (!is_row_about(&line, counter) || (*n)--)
			continue;
		row->ours = line;
		cut_per(row);
		return true;
	}
	return false;
}

bool pmu_likwid_row(const struct pmu_catalog *catalog, const struct pmu_likwid_counter *counter,
		    unsigned int n, struct pmu_likwid_row *row)
{
	const struct pmu_cpu_model *model = catalog->model ? catalog->model : pmu_pfm_own_model();
	const char *next;

	for (const char *at = pmu_likwid_names; at; at = next) {
		struct pmu_likwid_span head = { at, strcspn(at, "\n") };
		const char *rows = at + head.len + 1;

		next = next_section(at);
		if (is_section_of(head, model ? model->microarchitecture : "") &&
		    find_in_section((struct pmu_likwid_span){ rows, next ? (size_t)(next - rows)
									 : strlen(rows) },
				    counter, &n, row))
			return true;
	}
	return false;
}
