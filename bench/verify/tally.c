/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processes of one source and group counted, beside what it should be. */
#include "bench/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/common/report.h"

/* Within what processors are known to count too much a call. */
struct happened {
	double interrupts; /* NAN: unknown */
	double faults, switches;
};

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct happened happened_in(const json_t *call)
{
	return (struct happened){ number(call, "interrupts"), number(call, "faults"),
				  number(call, "switches") };
}

static struct facts facts_of(const json_t *row, const struct around *around)
{
	const json_t *facts = json_object_get(row, "facts");

	return (struct facts){ .instructions = number(facts, "instructions"),
			       .branches = number(facts, "branches"),
			       .mispredicted = number(facts, "mispredicted"),
			       .loads = number(facts, "loads"),
			       .stores = number(facts, "stores"),
			       .lines = number(facts, "lines"),
			       .around = *around };
}

double tally_error(const struct expected *expected, double counted)
{
	if (counted < expected->least)
		return counted - expected->least;
	return counted > expected->most ? counted - expected->most : 0;
}

/* --- one call --- */

static void judge(struct tally *tally, double counted, const struct happened *happened,
		  bool processor)
{
	double error = tally_error(&tally->expected, counted);
	double met = (isnan(happened->interrupts) ? 0 : happened->interrupts) + happened->faults;

	tally->calls++;
	tally->least = fmin(tally->least, counted);
	tally->most = fmax(tally->most, counted);
	if (error == 0)
		tally->exact++;
	else if (processor && happened->switches > 0)
		tally->aside++;
	else if (error > 0 && error <= met)
		tally->explained++;
	else
		tally->wrong++;
}

static void take_call(struct block *block, struct row *row, const json_t *call, bool simulated)
{
	const json_t *net = json_object_get(call, "net");
	struct happened happened = happened_in(call);

	if (simulated) /* a simulated processor is not interrupted */
		happened = (struct happened){ 0 };
	block->calls++;
	block->met += happened.interrupts > 0 || happened.faults > 0;
	block->interrupts += happened.interrupts;
	block->faults += happened.faults;
	for (size_t i = 0; i < row->n_tallies; i++) {
		const json_t *counted = json_array_get(net, i);

		if (json_is_integer(counted))
			judge(&row->tally[i], json_number_value(counted), &happened,
			      block->source->processor);
	}
}

/* --- a kernel --- */

/* An excess that every call has is not an interrupt or a fault. */
static void settle(struct tally *tally)
{
	if (tally->exact == 0) {
		tally->wrong += tally->explained;
		tally->explained = 0;
	}
}

static void begin_row(struct row *row, const json_t *process, const json_t *from,
		      const struct kernel *kernel, const struct around *around)
{
	const json_t *counts = json_object_get(process, "counts");
	struct facts facts = facts_of(from, around);

	row->kernel = kernel;
	row->bytes = (size_t)json_integer_value(json_object_get(from, "size_bytes"));
	row->n_tallies = json_array_size(counts) < VERIFY_MAX_COUNTS ? json_array_size(counts)
								     : VERIFY_MAX_COUNTS;
	for (size_t i = 0; i < row->n_tallies; i++) {
		struct tally *tally = &row->tally[i];

		report_text(tally->label, sizeof(tally->label), json_array_get(counts, i));
		tally->expected = expected_of(tally->label, &facts);
		tally->least = INFINITY;
		tally->most = -INFINITY;
	}
}

static void take_row(struct block *block, struct row *row, const json_t *process,
		     const json_t *from)
{
	const json_t *calls = json_object_get(from, "calls");
	bool simulated = json_is_true(json_object_get(process, "simulated"));

	if (json_object_get(from, "wrong"))
		report_text(row->wrong, sizeof(row->wrong), json_object_get(from, "wrong"));
	for (size_t i = 0; i < json_array_size(calls); i++)
		take_call(block, row, json_array_get(calls, i), simulated);
}

void tally_block(struct block *block, const struct options *options, const struct around *around)
{
	block->row = calloc(options->n_kernels, sizeof(*block->row));
	if (!block->row) {
		snprintf(block->why_not, sizeof(block->why_not),
			 "there is no memory for what was counted");
		return;
	}
	block->n_rows = options->n_kernels;
	for (size_t k = 0; k < block->n_rows; k++) {
		struct row *row = &block->row[k];

		for (size_t i = 0; i < json_array_size(block->processes); i++) {
			const json_t *process = json_array_get(block->processes, i);
			const json_t *from = json_array_get(json_object_get(process, "rows"), k);

			if (i == 0)
				begin_row(row, process, from, options->kernel[k], &around[k]);
			take_row(block, row, process, from);
		}
		for (size_t i = 0; i < row->n_tallies; i++)
			settle(&row->tally[i]);
	}
}
