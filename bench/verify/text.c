/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict as a page for people. */
#include "bench/verify/verify.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "pmu.h"

#define EXPECTED 11 /* columns of a number */
#define COUNTED  15

static const char *number_text(double value, const char *format, char room[32])
{
	snprintf(room, 32, value == 0 ? "%.0f" : format, value);
	return room;
}

/* --- the head --- */

static const char *machine_of(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_blocks; i++)
		if (*verdict->block[i].machine)
			return verdict->block[i].machine;
	return NULL;
}

static bool all_known(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->options->n_kernels; i++)
		if (!verdict->around[i].known)
			return false;
	return true;
}

static void head(const struct verdict *verdict)
{
	size_t n = verdict->options->n_kernels;
	struct utsname system;

	printf("pmu-bench --verify: %zu kernel%s of %s, %d call%s in each of %d process%s; libpmu %s\n",
	       n, n > 1 ? "s" : "", size_text(verdict->bytes), verdict->calls,
	       verdict->calls > 1 ? "s" : "", verdict->processes,
	       verdict->processes > 1 ? "es" : "", PMU_VERSION_STRING);
	if (machine_of(verdict))
		printf("  machine   %s\n", machine_of(verdict));
	if (uname(&system) == 0)
		printf("  system    %s %s, %s\n", system.sysname, system.release, system.machine);
	printf("  expected  of a call: the loop's model, and %s\n",
	       all_known(verdict)
		       ? "the instructions around it, looked at one by one"
		       : "up to 60 instructions around it: processes cannot be traced here");
}

/* --- a block: a line for each kernel --- */

/* PMU_GROUP=CORE is CORE. */
static const char *group_name(const char *setting)
{
	return strchr(setting, '=') + 1;
}

/* What has a place in the table; the first row is like the others. */
static bool has_column(const struct tally *tally)
{
	return tally->expected.known != KNOWN_NOT && tally->calls > 0;
}

static void headings(const struct row *row)
{
	printf("  %-17s", "");
	for (size_t i = 0; i < row->n_tallies; i++)
		if (has_column(&row->tally[i]))
			printf("  %*s", EXPECTED + 1 + COUNTED, row->tally[i].expected.heading);
	printf("\n  %-17s", "kernel");
	for (size_t i = 0; i < row->n_tallies; i++)
		if (has_column(&row->tally[i]))
			printf("  %*s %*s", EXPECTED, "expected", COUNTED,
			       tally_counts(&row->tally[i]) ? "error" : "counted");
	printf("\n");
}

/* Of the least and the most; one number where they are the same. */
static const char *range(double least, double most, const char *format, char room[80])
{
	char one[32], other[32];

	if (least == most)
		snprintf(room, 80, "%s", number_text(least, format, one));
	else
		snprintf(room, 80, "%s..%s", number_text(least, format, one),
			 number_text(most, format, other));
	return room;
}

static void cell(const struct tally *tally)
{
	const struct expected *expected = &tally->expected;
	char number[32], text[80];

	printf("  %*s", EXPECTED,
	       isnan(expected->least) ? "" : number_text(expected->least, "%.0f", number));
	if (tally->calls == 0)
		printf(" %*s", COUNTED, "");
	else if (!tally_counts(tally))
		printf(" %*s", COUNTED, range(tally->least, tally->most, "%.0f", text));
	else if (tally_error(expected, tally->least) == 0 &&
		 tally_error(expected, tally->most) == 0)
		printf(" %*s", COUNTED, "0");
	else
		printf(" %*s", COUNTED,
		       range(tally_error(expected, tally->least),
			     tally_error(expected, tally->most), "%+.0f", text));
}

/* All of what has to be exact is. */
static bool is_exact(const struct row *row)
{
	for (size_t i = 0; i < row->n_tallies; i++)
		if (tally_counts(&row->tally[i]) && row->tally[i].exact < row->tally[i].calls)
			return false;
	return !*row->wrong;
}

static void line(const struct row *row)
{
	bool wrong = false;

	printf("  %-17s", row->kernel->name);
	if (*row->wrong) {
		printf("  %s\n", row->wrong);
		return;
	}
	for (size_t i = 0; i < row->n_tallies; i++) {
		wrong |= tally_counts(&row->tally[i]) && row->tally[i].wrong;
		if (has_column(&row->tally[i]))
			cell(&row->tally[i]);
	}
	printf("%s\n", wrong ? " *" : "");
}

/* The first source that counts a group has every kernel; what is exact of another's is the same. */
static void table(const struct verdict *verdict, const struct block *block)
{
	bool first = true, any = false;

	for (const struct block *other = verdict->block; other < block; other++)
		first = first && (*other->why_not || strcmp(other->group, block->group) != 0);
	for (size_t k = 0; k < block->n_rows; k++)
		any |= !is_exact(&block->row[k]);
	if (first || any)
		headings(block->row);
	for (size_t k = 0; k < block->n_rows; k++)
		if (first || !is_exact(&block->row[k]))
			line(&block->row[k]);
}

/* --- what is to be said of a block --- */

static double relative(const struct tally *tally)
{
	double least = fabs(tally_error(&tally->expected, tally->least)),
	       most = fabs(tally_error(&tally->expected, tally->most));

	return tally->calls ? fmax(least, most) / tally->expected.least : 0;
}

/* All kernels together. */
static void say_exact(const struct block *block, size_t event)
{
	struct tally sum = { 0 };
	double worst = 0;
	bool varies = false;

	for (size_t k = 0; k < block->n_rows; k++) {
		const struct tally *tally = &block->row[k].tally[event];

		sum.calls += tally->calls;
		sum.exact += tally->exact;
		sum.explained += tally->explained;
		sum.aside += tally->aside;
		sum.wrong += tally->wrong;
		worst = fmax(worst, relative(tally));
		varies |= tally->calls && tally->least != tally->most;
	}
	printf("  %s: %d of %d calls exact", block->row[0].tally[event].label, sum.exact,
	       sum.calls);
	if (sum.explained)
		printf(", %d more by what interrupts and faults may add", sum.explained);
	if (sum.aside)
		printf(", %d while something else ran on the processor", sum.aside);
	if (sum.wrong)
		printf(", %d WRONG", sum.wrong);
	if (worst > 0)
		printf(", off by up to %.2g %%", 100 * worst);
	printf("; %s\n", varies ? "not the same in all calls" : "the same in all calls");
}

static void say_unknown(const struct row *row)
{
	int n = 0;

	for (size_t i = 0; i < row->n_tallies; i++)
		if (row->tally[i].expected.known == KNOWN_NOT && row->tally[i].calls)
			printf("%s%s", n++ ? ", " : "  not to be foretold: ", row->tally[i].label);
	if (n)
		printf("\n");
}

static void say_met(const struct block *block)
{
	if (block->met == 0 && !isnan(block->interrupts))
		return;
	printf("  %d of %d calls met interrupts (", block->met, block->calls);
	if (isnan(block->interrupts))
		printf("how many is not known here");
	else
		printf("%.0f in all", block->interrupts);
	printf(") or page faults (%.0f)\n", block->faults);
}

/* No other group of the source's was refused in the same words just before. */
static bool is_told(const struct verdict *verdict, size_t i)
{
	const struct block *block = &verdict->block[i];

	return i > 0 && *block->why_not && block[-1].source == block->source &&
	       !strcmp(block[-1].why_not, block->why_not);
}

static void show_block(const struct verdict *verdict, const struct block *block)
{
	const struct row *first = block->row;

	if (*block->why_not) {
		printf("\n%s\n", block->source->about);
		printf("  not here: %s\n", block->why_not);
		if (*block->mend)
			printf("            -> %s\n", block->mend);
		return;
	}
	printf("\n%s: %s\n", group_name(block->group), block->source->about);
	if (block == verdict->block || block[-1].source != block->source || *block[-1].why_not)
		printf("  %s\n", block->detail);
	table(verdict, block);
	for (size_t i = 0; i < first->n_tallies; i++)
		if (tally_counts(&first->tally[i]) && first->tally[i].calls)
			say_exact(block, i);
	say_unknown(first);
	say_met(block);
}

/* --- the end --- */

static void verdict_line(const struct verdict *verdict)
{
	int judged = verdict->right + verdict->explained + verdict->aside + verdict->wrong;

	if (verdict->spoilt)
		printf("A kernel's result is wrong: what is computed here cannot be relied on.\n");
	if (verdict->wrong)
		printf("WRONG: %d of %d counts of instructions and branches (*).\n", verdict->wrong,
		       judged);
	else if (judged == 0)
		printf("Nothing can be counted here: there is nothing to verify.\n");
	else if (verdict->right == judged)
		printf("Right: all %d counts of instructions and branches are exact.\n", judged);
	else
		printf("Right: of %d counts of instructions and branches %d are exact, the others explained.\n",
		       judged, verdict->right);
}

void verify_text(const struct verdict *verdict)
{
	bool met = false, any = false;

	head(verdict);
	for (size_t i = 0; i < verdict->n_blocks; i++) {
		if (!is_told(verdict, i))
			show_block(verdict, &verdict->block[i]);
		met |= verdict->block[i].met > 0;
		any |= verdict->block[i].calls > 0;
	}
	printf("\n");
	if (met)
		printf("Many processors count an instruction or a branch more for each interrupt, and for each\n"
		       "page fault, that a call meets: so much is explained, where other calls of the kernel are exact.\n");
	if (any)
		printf("Instructions and branches have to be exact.  Misses are like the model's where the processor\n"
		       "is like the model's; loads, stores and kinds of branches depend on how the processor's event defines\n"
		       "them.\n");
	verdict_line(verdict);
}
