/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample's callers: whatever a record says of them, and however many there are. */
#include "base/compiler.h"
#include "tests/unit/command/sample_made.h"
#include "unit/part.h"

#define CODE   UINT64_C(0x400000)
#define OFFSET UINT64_C(0x1000)
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static struct pmu_sample_sums sums;
static struct made made;

static void open_made(void)
{
	sums = (struct pmu_sample_sums){ .n_stretches = 0 };
	made_open(&made, &sums);
	made_mapping(&made, CODE, 0x10000, OFFSET, "/bin/program");
	made_look(&made);
}

static void close_made(void)
{
	made_close(&made);
	pmu_sample_maps_free(&sums.maps);
	pmu_sample_chains_free(&sums.chains);
	pmu_sample_hits_free(&sums.hits);
}

/* @said: how many there are, as the record has it */
static void sample_called(unsigned int mode, uint64_t address, uint64_t said, const uint64_t *word,
			  size_t n)
{
	const uint64_t rest[] = { address, UINT64_C(77) << 32 | 76, 123456789, said };

	made_header(&made, PERF_RECORD_SAMPLE, mode,
		    sizeof(struct perf_event_header) + sizeof(rest) + n * sizeof(*word));
	made_put(&made, rest, sizeof(rest));
	made_put(&made, word, n * sizeof(*word));
}

static void sample_in_user(uint64_t address, const uint64_t *word, size_t n)
{
	sample_called(PERF_RECORD_MISC_USER, address, n, word, n);
}

/* The calls of the @hit'th, the innermost first: offsets in the file. */
static void has_calls(size_t hit, const uint64_t *at, size_t n)
{
	uint32_t chain = hit < sums.hits.n ? sums.hits.of[hit].at.chain : UINT32_MAX;
	size_t i = 0;

	for (; chain && chain <= sums.chains.n; i++) {
		const struct pmu_sample_at *call = &sums.chains.call[chain - 1];

		if (i < n)
			is_u64(call->at, at[i], "a call");
		ok(call->chain < chain, "its caller is before it");
		chain = call->chain;
	}
	is_u64(chain, 0, "the last has no caller");
	is_u64(i, n, "so many are known");
}

static void callers_are_told_apart(void)
{
	const uint64_t from_b[] = { USER, CODE + 1, CODE + 0x200, CODE + 0x100 };
	const uint64_t from_c[] = { USER, CODE + 1, CODE + 0x300, CODE + 0x100 };

	open_made();
	sample_in_user(CODE + 1, from_b, 4);
	sample_in_user(CODE + 1, from_c, 4);
	sample_in_user(CODE + 1, from_b, 4);
	made_mark(&made, 7);
	made_look(&made);
	is_u64(sums.hits.n, 2, "one place, called from two");
	is_u64(sums.hits.of[0].n, 2, "the first twice");
	has_calls(0, (const uint64_t[]){ OFFSET + 0x1ff, OFFSET + 0xff }, 2);
	has_calls(1, (const uint64_t[]){ OFFSET + 0x2ff, OFFSET + 0xff }, 2);
	is_u64(sums.chains.n, 3, "what they have in common is there once");
	close_made();
}

static void the_kernel_was_called_by_the_program(void)
{
	const uint64_t word[] = { KERNEL, 0xffffffff81000000, USER, CODE + 0x40, CODE + 0x80 };

	open_made();
	sample_called(PERF_RECORD_MISC_KERNEL, 0xffffffff81000010, 5, word, 5);
	made_mark(&made, 7);
	made_look(&made);
	has_calls(0, (const uint64_t[]){ OFFSET + 0x3f, OFFSET + 0x7f }, 2);
	close_made();
}

static void what_is_no_code_ends_them(void)
{
	const uint64_t wild[] = { USER, CODE + 1, CODE + 0x200, 0x10, CODE + 0x100 };
	const uint64_t null[] = { USER, CODE + 1, 0, CODE + 0x100 };
	const uint64_t last[] = { USER, CODE + 1, CODE + 0x200, KERNEL, CODE + 0x100 };

	open_made();
	sample_in_user(CODE + 1, wild, 5);
	sample_in_user(CODE + 2, null, 4);
	sample_in_user(CODE + 3, last, 5);
	made_mark(&made, 7);
	made_look(&made);
	has_calls(0, (const uint64_t[]){ OFFSET + 0x1ff }, 1);
	has_calls(1, NULL, 0);
	has_calls(2, (const uint64_t[]){ OFFSET + 0x1ff }, 1);
	is_u64(sums.n_unknown, 0, "nobody looks for it in the process's maps");
	close_made();
}

static void records_may_say_anything(void)
{
	const uint64_t word[] = { USER, CODE + 1, CODE + 0x200 };

	open_made();
	sample_called(PERF_RECORD_MISC_USER, CODE + 1, UINT64_MAX, word, 3);
	sample_called(PERF_RECORD_MISC_USER, CODE + 2, 2, word, 3);
	sample_called(PERF_RECORD_MISC_USER, CODE + 3, 3, word, 0);
	sample_called(PERF_RECORD_MISC_USER, CODE + 4, 1, word, 1);
	sample_called(PERF_RECORD_MISC_USER, CODE + 5, 2, word + 1, 2);
	made_mark(&made, 7);
	made_look(&made);
	is_u64(sums.hits.n, 5, "each counts");
	has_calls(0, (const uint64_t[]){ OFFSET + 0x1ff }, 1);
	for (size_t i = 1; i < 5; i++)
		has_calls(i, NULL, 0);
	is_u64(sums.n_stretches, 0, "none is taken for damage");
	close_made();
}

/* As many as the kernel gives: what is further out nobody knows. */
static void deep_ones_are_cut(void)
{
	uint64_t word[1 + 2 * PMU_SAMPLES_FRAMES] = { USER }, chain;

	for (size_t i = 1; i < PMU_ARRAY_LEN(word); i++)
		word[i] = CODE + 0x10 * i;
	open_made();
	sample_in_user(CODE + 1, word, PMU_SAMPLES_FRAMES);
	sample_in_user(CODE + 2, word, 1 + PMU_SAMPLES_FRAMES);
	sample_in_user(CODE + 3, word, 1 + 2 * PMU_SAMPLES_FRAMES);
	sample_called(PERF_RECORD_MISC_KERNEL, 0xffffffff81000010, 1 + PMU_SAMPLES_FRAMES, word,
		      1 + PMU_SAMPLES_FRAMES);
	made_mark(&made, 7);
	made_look(&made);
	for (size_t i = 0; i < 4; i++) {
		unsigned int n = 0;
		bool is_cut = false;

		for (chain = sums.hits.of[i].at.chain; chain;
		     chain = sums.chains.call[chain - 1].chain) {
			const struct pmu_sample_at *call = &sums.chains.call[chain - 1];

			is_cut |= call->file == PMU_SAMPLE_NO_FILE && !call->at;
			n++;
		}
		is_int(is_cut, i > 0, "is it cut?");
		ok(n <= PMU_SAMPLES_FRAMES + 1, "%u calls", n);
	}
	close_made();
}

/* What finds no room counts all the same. */
static void there_is_an_end(void)
{
	struct pmu_sample_chains chains = { .n = 0 };
	struct pmu_sample_maps maps = { .n = 0 };
	struct {
		struct pmu_sample_record record;
		uint64_t word[4];
	} sample = { .record.header = { .misc = PERF_RECORD_MISC_USER, .size = sizeof(sample) },
		     .word = { 3, USER, CODE } };
	uint32_t first;

	if (pmu_sample_maps_add(&maps, CODE, UINT64_C(1) << 40, 0, "/bin/program"))
		abort();
	for (uint32_t i = 0; i < PMU_SAMPLE_MOST_CALLS; i++) {
		sample.word[3] = CODE + 1 + i;
		if (pmu_sample_chains_add(&chains, &maps, &sample.record) != i + 1)
			break;
	}
	is_u64(chains.n, PMU_SAMPLE_MOST_CALLS, "so many are told apart");
	sample.word[3]++;
	is_u64(pmu_sample_chains_add(&chains, &maps, &sample.record), 0, "no more");
	is_u64(chains.n_left_out, 1, "which is told");
	sample.word[3] = CODE + 1;
	first = pmu_sample_chains_add(&chains, &maps, &sample.record);
	is_u64(first, 1, "those that are there are found");
	pmu_sample_chains_free(&chains);
	pmu_sample_maps_free(&maps);
}

static void a_copy_has_the_same_numbers(void)
{
	const uint64_t word[] = { USER, CODE + 1, CODE + 0x200, CODE + 0x100 };
	struct pmu_sample_chains copy = { .n = 0 };

	open_made();
	sample_in_user(CODE + 1, word, 4);
	made_look(&made);
	is_int(pmu_sample_chains_copy(&copy, &sums.chains), 0, "a copy");
	is_u64(copy.n, 2, "of both");
	for (uint32_t i = 0; i < copy.n; i++)
		ok(copy.call[i].at == sums.chains.call[i].at &&
			   copy.call[i].chain == sums.chains.call[i].chain,
		   "each is where it was");
	pmu_sample_chains_free(&copy);
	close_made();
}

UNIT_PART(sample_chains)
{
	callers_are_told_apart();
	the_kernel_was_called_by_the_program();
	what_is_no_code_ends_them();
	records_may_say_anything();
	deep_ones_are_cut();
	there_is_an_end();
	a_copy_has_the_same_numbers();
	return done_testing();
}
