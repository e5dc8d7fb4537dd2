/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu-bench --verify: which calls are right, explained or wrong, and what is found around a loop.
 */
#include "bench/verify/verify.h"

#include "bench/verify/branch.h"
#include "tap.h"

#define LOOP   1000.0 /* instructions of the loop in these */
#define AROUND 7

static const struct source thread = { .name = "thread" },
			   processor = { .name = "processor", .processor = true };
static const struct around around = { .known = true, .instructions = AROUND, .branches = 2 };

static void one_turn(struct share *share)
{
	share->state++;
}

static const struct kernel kernel = { .name = "some", .pass = one_turn };

/* A call: instructions counted beyond those known; interrupts, faults and switches in it. */
struct call {
	int more, interrupts, faults, switches;
};

static json_t *process_of(const struct call *call, size_t n)
{
	json_t *calls = json_array(), *row;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(calls,
				      json_pack("{s:[i], s:i, s:i, s:i}", "net",
						(int)LOOP + AROUND + call[i].more, "interrupts",
						call[i].interrupts, "faults", call[i].faults,
						"switches", call[i].switches));
	row = json_pack("{s:i, s:{s:f, s:f}, s:o}", "size_bytes", 4096, "facts", "instructions",
			LOOP, "branches", 100.0, "calls", calls);
	return json_pack("{s:b, s:[s], s:[o]}", "simulated", 0, "counts", "instructions", "rows",
			 row);
}

static struct tally tally_of(const struct source *source, const struct call *call, size_t n)
{
	struct block block = { .source = source, .processes = json_array() };
	struct options options = { .kernel = { &kernel }, .n_kernels = 1 };
	struct tally tally;

	json_array_append_new(block.processes, process_of(call, n));
	tally_block(&block, &options, &around);
	tally = block.row[0].tally[0];
	free(block.row);
	json_decref(block.processes);
	return tally;
}

#define TALLY(source, ...)                                     \
	tally_of(source, (const struct call[]){ __VA_ARGS__ }, \
		 sizeof((const struct call[]){ __VA_ARGS__ }) / sizeof(struct call))

static void calls_are_told_apart(void)
{
	struct tally exact = TALLY(&thread, { 0 }, { .more = 0, .interrupts = 3 });
	struct tally more = TALLY(&thread, { 0 }, { .more = 1, .interrupts = 1 },
				  { .more = 2, .interrupts = 1, .faults = 1 });
	struct tally too_many = TALLY(&thread, { 0 }, { .more = 2, .interrupts = 1 },
				      { .more = 1 });
	struct tally less = TALLY(&thread, { 0 }, { .more = -1, .interrupts = 9 });

	is_int(exact.exact, 2, "exact is exact, whatever happened");
	is_int(more.explained, 2, "no more than interrupts and faults is explained");
	is_int(too_many.wrong, 2, "more than them is wrong");
	is_int(less.wrong, 1, "less is always wrong");
	ok(less.least == LOOP + AROUND - 1 && less.most == LOOP + AROUND,
	   "the least and the most are kept");
}

static void what_every_call_has_is_not_explained(void)
{
	struct tally tally = TALLY(&thread, { .more = 1, .interrupts = 1 },
				   { .more = 1, .interrupts = 2 });

	ok(tally.wrong == 2 && tally.explained == 0,
	   "one too much in each call is wrong, interrupts or not");
}

static void others_on_the_processor_are_no_fault(void)
{
	struct tally of_processor = TALLY(&processor, { 0 }, { .more = 50000, .switches = 1 },
					  { .more = 5 });
	struct tally of_thread = TALLY(&thread, { 0 }, { .more = 50000, .switches = 1 });

	ok(of_processor.aside == 1 && of_processor.wrong == 1,
	   "a call with a switch is put aside, another is not");
	is_int(of_thread.wrong, 1, "what a thread counts has nothing to do with switches");
}

static void what_is_known(void)
{
	struct facts facts = { .instructions = LOOP,
			       .branches = 100,
			       .mispredicted = 5,
			       .loads = 10,
			       .stores = 1,
			       .lines = NAN };
	struct expected expected = expected_of("instructions", &facts);

	ok(expected.known == KNOWN_EXACT && expected.least == LOOP && expected.most > LOOP &&
		   expected.most < LOOP + 100,
	   "what nobody could look at is a range");
	facts.around = around;
	expected = expected_of("instructions", &facts);
	ok(expected.least == LOOP + AROUND && expected.most == expected.least,
	   "what was looked at is exact");
	expected = expected_of("branches", &facts);
	ok(expected.known == KNOWN_EXACT && expected.least == 102, "branches, too");
	is_int(expected_of("branch-misses", &facts).known, KNOWN_LIKE, "misses are not");
	is_int(expected_of("cycles", &facts).known, KNOWN_NOT, "cycles cannot be foretold");
}

/* Of the code that runs here: a kernel with one loop, and what leads to it. */
static void around_a_loop(void)
{
	const struct kernel *divide = NULL;
	struct around found, again;

	for (const struct kernel *const *k = kernels; *k; k++)
		if (!strcmp((*k)->name, "divide"))
			divide = *k;
	around_find(divide, 4096, &found);
	if (!found.known) {
		skip("around a loop", "processes cannot be traced here");
		return;
	}
	around_find(divide, 4096, &again);
	ok(found.instructions > 2 && found.instructions < 200, "around a loop: %d instructions",
	   found.instructions);
	ok(found.branches >= 2 && found.branches <= found.instructions,
	   "of them branches: %d, a call and a return at least", found.branches);
	ok(found.indirect >= 0 && found.instructions == again.instructions &&
		   found.branches == again.branches,
	   "the same once more");
}

#if defined(__x86_64__)
static void branches_are_known_by_their_bytes(void)
{
	static const struct {
		const char *name;
		unsigned char code[16];
		enum branch branch;
		int length, distance; /* of a conditional one, to its target */
	} cases[] = {
		{ "jne", { 0x75, 0xfe }, BRANCH_CONDITIONAL, 2, 0 },
		{ "jne, far", { 0x0f, 0x85, 0x10, 0, 0, 0 }, BRANCH_CONDITIONAL, 6, 22 },
		{ "ja, with a prefix", { 0x3e, 0x77, 0x04 }, BRANCH_CONDITIONAL, 3, 7 },
		{ "jmp", { 0xeb, 0x04 }, BRANCH_DIRECT, 0, 0 },
		{ "call", { 0xe8, 1, 2, 3, 4 }, BRANCH_DIRECT, 0, 0 },
		{ "call *%rax", { 0xff, 0xd0 }, BRANCH_INDIRECT, 0, 0 },
		{ "call *%r12", { 0x41, 0xff, 0xd4 }, BRANCH_INDIRECT, 0, 0 },
		{ "notrack jmp *%rax", { 0x3e, 0xff, 0xe0 }, BRANCH_INDIRECT, 0, 0 },
		{ "ret", { 0xc3 }, BRANCH_RETURN, 0, 0 },
		{ "push", { 0xff, 0x30 }, BRANCH_NONE, 0, 0 },
		{ "add", { 0x48, 0x01, 0xd8 }, BRANCH_NONE, 0, 0 },
		{ "sete", { 0x0f, 0x94, 0xc0 }, BRANCH_NONE, 0, 0 },
	};
#else
static void branches_are_known_by_their_bytes(void)
{
	static const struct {
		const char *name;
		uint32_t code[4];
		enum branch branch;
		int length, distance;
	} cases[] = {
		{ "b.ne back", { 0x54ffffe1 }, BRANCH_CONDITIONAL, 4, -4 },
		{ "cbnz", { 0xb5000040 }, BRANCH_CONDITIONAL, 4, 8 },
		{ "tbz back", { 0x3607ffe0 }, BRANCH_CONDITIONAL, 4, -4 },
		{ "b", { 0x14000001 }, BRANCH_DIRECT, 0, 0 },
		{ "bl", { 0x94000001 }, BRANCH_DIRECT, 0, 0 },
		{ "br x1", { 0xd61f0020 }, BRANCH_INDIRECT, 0, 0 },
		{ "blr x1", { 0xd63f0020 }, BRANCH_INDIRECT, 0, 0 },
		{ "ret", { 0xd65f03c0 }, BRANCH_RETURN, 0, 0 },
		{ "add", { 0x8b010000 }, BRANCH_NONE, 0, 0 },
		{ "nop", { 0xd503201f }, BRANCH_NONE, 0, 0 },
	};
#endif
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const unsigned char *code = (const unsigned char *)cases[i].code;
		uintptr_t target = 0;
		unsigned int length = 0;
		enum branch branch = branch_at(code, &length, &target);

		ok(branch == cases[i].branch, "%s", cases[i].name);
		if (cases[i].branch == BRANCH_CONDITIONAL)
			ok((int)length == cases[i].length &&
				   target ==
					   (uintptr_t)code + (uintptr_t)(intptr_t)cases[i].distance,
			   "  its length, and where it goes");
	}
}

int main(void)
{
	calls_are_told_apart();
	what_every_call_has_is_not_explained();
	others_on_the_processor_are_no_fault();
	what_is_known();
	around_a_loop();
	branches_are_known_by_their_bytes();
	return done_testing();
}
