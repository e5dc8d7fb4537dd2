/* SPDX-License-Identifier: BSD-3-Clause */
/* Says in the report what of PMU_WRAP came to nothing. */
#include "bindings/preload/wrap/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bindings/preload/preload.h"
#include "bindings/preload/wrap/call.h"

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pmu_note(text);
}

static void note_unused(const struct wrap_rule *rule)
{
	if (rule->refused)
		note("PMU_WRAP=%.100s: not wrapped, because it does not return like a function or looks at its caller",
		     rule->text);
	else if (!rule->best)
		note("PMU_WRAP=%.100s: no library of that name was loaded", rule->text);
	else
		note("PMU_WRAP=%.100s: nothing was found that calls such a function of another library",
		     rule->text);
}

#define NOTES_MAX 8

void wrap_notes_say(const struct wrap_notes *notes, const struct wrap_list *list)
{
	unsigned int n = 0;

	if (list->wrong)
		note("PMU_WRAP: '%.100s' is not LIBRARY:FUNCTION", list->wrong);
	if (list->too_long)
		note("PMU_WRAP holds more than %d words or %d bytes: the rest was left out",
		     WRAP_RULES_MAX, WRAP_TEXT_MAX);
	for (size_t i = 0; i < list->n; i++)
		if (!list->rule[i].used && n++ < NOTES_MAX)
			note_unused(&list->rule[i]);
	if (n > NOTES_MAX)
		note("PMU_WRAP: %u more words have wrapped nothing", n - NOTES_MAX);
	if (notes->n_taken)
		note("PMU_WRAP: calls of %s from %s are not seen, or not all, because it uses the function's address%s",
		     notes->taken, notes->taken_by, notes->n_taken > 1 ? "; so with others" : "");
	if (notes->n_left_out)
		note("PMU_WRAP: only the first %u functions were wrapped", wrap_call_max());
	if (notes->write_error)
		note("calls from %s are not seen: %s", notes->write_failed,
		     strerror(notes->write_error));
	if (notes->allocator[0])
		note("what %s waits for is not seen, because it has a malloc() of its own, which libpmu calls",
		     notes->allocator);
}
