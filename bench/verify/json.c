/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict as one JSON object, with every call.  What is missing is null. */
#include "bench/verify/verify.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "pmu.h"

static const char *const words[] = {
	[KNOWN_NOT] = "no",
	[KNOWN_LIKE] = "like the model",
	[KNOWN_DEFINED] = "as the event is defined",
	[KNOWN_EXACT] = "exactly",
};

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
	json_t *made = value && *value ? json_string(value) : NULL;

	return made ? made : json_null();
}

static json_t *event(const struct tally *tally)
{
	const struct expected *expected = &tally->expected;
	bool told = tally->calls && !isnan(expected->least);
	double least = told ? tally_error(expected, tally->least) : NAN,
	       most = told ? tally_error(expected, tally->most) : NAN;

	return json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:i}",
		"name", tally->label, "known", words[expected->known], "expected",
		number(expected->least), "expected_at_most", number(expected->most),
		"counted_least", number(tally->calls ? tally->least : NAN), "counted_most",
		number(tally->calls ? tally->most : NAN), "error_least", number(least),
		"error_most", number(most), "error_relative",
		number(fmax(fabs(least), fabs(most)) / expected->least), "repeatable",
		tally->calls && tally->least == tally->most, "calls", tally->calls, "exact",
		tally->exact, "explained", tally->explained, "aside", tally->aside, "wrong",
		tally->wrong);
}

static json_t *kernel(const struct row *row, const struct around *around)
{
	json_t *events = json_array();

	for (size_t i = 0; i < row->n_tallies; i++)
		json_array_append_new(events, event(&row->tally[i]));
	return json_pack("{s:s, s:I, s:o, s:o, s:o}", "kernel", row->kernel->name, "size_bytes",
			 (json_int_t)row->bytes, "wrong", text(row->wrong), "instructions_around",
			 around->known ? json_integer(around->instructions) : json_null(), "events",
			 events);
}

static json_t *block_of(const struct verdict *verdict, const struct block *block)
{
	json_t *rows = json_array();

	for (size_t k = 0; k < block->n_rows; k++)
		json_array_append_new(rows, kernel(&block->row[k], &verdict->around[k]));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:O}", "source",
			 block->source->name, "setting", block->group, "detail",
			 text(block->detail), "why_not", text(block->why_not), "mend",
			 text(block->mend), "calls", block->calls, "calls_met", block->met,
			 "interrupts", number(block->interrupts), "page_faults",
			 number(block->faults), "kernels", rows, "processes", block->processes);
}

void verify_json(const struct verdict *verdict)
{
	json_t *blocks = json_array(), *root;
	const char *machine = NULL;
	struct utsname system;

	for (size_t i = 0; i < verdict->n_blocks; i++) {
		if (!machine && *verdict->block[i].machine)
			machine = verdict->block[i].machine;
		json_array_append_new(blocks, block_of(verdict, &verdict->block[i]));
	}
	root = json_pack(
		"{s:i, s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "pmu_bench_verify",
		1, "version", PMU_VERSION_STRING, "machine", text(machine), "system",
		uname(&system) == 0
			? json_sprintf("%s %s, %s", system.sysname, system.release, system.machine)
			: json_null(),
		"processes", verdict->processes, "calls", verdict->calls, "exact", verdict->right,
		"explained", verdict->explained, "aside", verdict->aside, "wrong", verdict->wrong,
		"results_wrong", verdict->spoilt, "blocks", blocks);
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(root);
}
