/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which counts can be foretold, and what they should be: the loop's model, and what was found
 * around the loop.
 */
#include "bench/verify/verify.h"

#include <string.h>

#define AROUND 60 /* instructions, at most, where the code could not be looked at */

/* What lies between the calls beside the loop is found for these. */
static struct expected exact(double of_loop, const struct around *around, int of_around)
{
	double least = of_loop + (around->known ? of_around : 0);

	return (struct expected){ .known = KNOWN_EXACT,
				  .least = least,
				  .most = around->known ? least : least + AROUND };
}

static struct expected instructions(const struct facts *facts)
{
	return exact(facts->instructions, &facts->around, facts->around.instructions);
}

static struct expected branches(const struct facts *facts)
{
	return exact(facts->branches, &facts->around, facts->around.branches);
}

/* As valgrind counts: the models' are all conditional ones. */
static struct expected no_direct_branches(const struct facts *facts)
{
	return exact(facts->branches, &facts->around,
		     facts->around.conditional + facts->around.indirect);
}

static struct expected conditional_branches(const struct facts *facts)
{
	struct expected expected = exact(facts->branches, &facts->around,
					 facts->around.conditional);

	expected.known = KNOWN_DEFINED;
	return expected;
}

/* What lies around the loop loads and stores, too. */
static struct expected defined(double of_loop)
{
	return (struct expected){ .known = KNOWN_DEFINED,
				  .least = of_loop,
				  .most = of_loop + AROUND };
}

static struct expected loads(const struct facts *facts)
{
	return defined(facts->loads);
}

static struct expected stores(const struct facts *facts)
{
	return defined(facts->stores);
}

static struct expected mispredicted(const struct facts *facts)
{
	return (struct expected){ .known = KNOWN_LIKE,
				  .least = facts->mispredicted,
				  .most = facts->mispredicted };
}

static struct expected lines(const struct facts *facts)
{
	return (struct expected){ .known = KNOWN_LIKE,
				  .least = facts->lines,
				  .most = facts->lines };
}

static const struct {
	const char *label;
	const char *heading;
	struct expected (*of)(const struct facts *facts);
} known[] = {
	{ "instructions", "instructions", instructions },
	{ "branches", "branches", branches },
	{ "conditional and indirect branches", "cond., indirect branches", no_direct_branches },
	{ "BR_INST_RETIRED.CONDITIONAL", "conditional branches", conditional_branches },
	{ "BR_INST_RETIRED.COND", "conditional branches", conditional_branches },
	{ "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", "conditional branches", conditional_branches },
	{ "L1-dcache-loads", "loads", loads },
	{ "L1-dcache-stores", "stores", stores },
	{ "branch-misses", "mispredicted", mispredicted },
	{ "conditional and indirect branch-misses", "mispredicted", mispredicted },
	{ "cache-misses", "LL misses", lines },
};

struct expected expected_of(const char *label, const struct facts *facts)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct expected expected;

		if (strcmp(label, known[i].label) != 0)
			continue;
		expected = known[i].of(facts);
		expected.heading = known[i].heading;
		return expected;
	}
	return (struct expected){ .known = KNOWN_NOT, .least = NAN, .most = NAN };
}
