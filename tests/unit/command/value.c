/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as values in memory: kinds, limits of numbers, texts in their place, and what is none. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "bindings/command/json/value.h"
#include "unit/part.h"

static struct pmu_model_block *blocks;
static char *copy;
static struct pmu_value root;

static int parse(const char *text)
{
	free(copy);
	pmu_block_free(&blocks);
	copy = strdup(text);
	return pmu_value_parse(copy, strlen(text), &blocks, &root);
}

static void kinds(void)
{
	is_int(parse("{\"a\": [1, -2.5e1, \"x\", null, true, false, {}, []], \"b\": 7}"), 0,
	       "an object is read");
	const struct pmu_value *a = pmu_value_member(&root, "a");

	is_u64(pmu_value_size(a), 8, "a list has its elements");
	is_int((int)pmu_value_integer(pmu_value_at(a, 0)), 1, "a whole number");
	ok(pmu_value_number(pmu_value_at(a, 1)) == -25, "a real one");
	ok(pmu_value_number(pmu_value_at(a, 0)) == 1, "a whole one as a real");
	is_str(pmu_value_text(pmu_value_at(a, 2)), "x", "a text");
	for (unsigned int i = 3; i < 8; i++) {
		static const enum pmu_value_kind want[] = { PMU_VALUE_NULL, PMU_VALUE_TRUE,
							    PMU_VALUE_FALSE, PMU_VALUE_OBJECT,
							    PMU_VALUE_LIST };

		is_int((int)pmu_value_at(a, i)->kind, (int)want[i - 3], "what the others are");
	}
	ok(!pmu_value_at(a, 8), "nothing is behind the last");
	is_int((int)pmu_value_integer(pmu_value_member(&root, "b")), 7, "another member");
	ok(!pmu_value_member(&root, "ab") && !pmu_value_member(a, "a"), "no such member");
	ok(!pmu_value_member(NULL, "a") && !pmu_value_text(NULL) && !pmu_value_size(&root),
	   "of nothing, nothing");
}

static void numbers(void)
{
	is_int(parse("[9223372036854775807, -9223372036854775808, 9223372036854775808, 1e999, "
		     "-9223372036854775809]"),
	       0, "numbers at the limits");
	ok(pmu_value_integer(pmu_value_at(&root, 0)) == INT64_MAX, "the largest");
	ok(pmu_value_integer(pmu_value_at(&root, 1)) == INT64_MIN, "the least");
	for (unsigned int i = 2; i < 5; i++)
		is_int((int)pmu_value_at(&root, i)->kind, PMU_VALUE_REAL,
		       "beyond them they are no integers");
	ok(isinf(pmu_value_number(pmu_value_at(&root, 3))), "one that is too large is infinite");
}

static void texts(void)
{
	is_int(parse("{\"a\\\"b\": \"\\u00e4\\n\\\\x41\", \"c\": \"d\"}"), 0, "escapes are read");
	is_str(pmu_value_text(pmu_value_member(&root, "a\"b")), "\303\244\n\\x41",
	       "in a name and in a text");
	is_str(pmu_value_text(pmu_value_member(&root, "c")), "d", "and what comes after is whole");
	is_int(parse("{\"a\": 1, \"a\": 2}"), 0, "a name twice");
	is_int((int)pmu_value_integer(pmu_value_member(&root, "a")), 1, "is the first");
}

static void none(void)
{
	static const char *const bad[] = { "",    "{",        "[1,]",     "{\"a\" 1}", "[1] 2",
					   "nul", "[\"\t\"]", "\"\xff\"", "01",        "[1, 2" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_int(parse(bad[i]), -EINVAL, bad[i]);
	parse("[1,\n2,\n\n x]");
	has(pmu_error_text(), "not JSON: line 4: ", "the line is told");
}

UNIT_PART(value)
{
	kinds();
	numbers();
	texts();
	none();
	free(copy);
	pmu_block_free(&blocks);
	return done_testing();
}
