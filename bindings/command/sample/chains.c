/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sample's callers.  Of code that keeps no frame pointers what the kernel finds may be anything: what lies in no
 * mapping that can be executed ends it.
 */
#include "bindings/command/sample/chains.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "store/samples.h"

struct wanted_call {
	const struct pmu_sample_chains *chains;
	const struct pmu_sample_at *call;
};

static bool is_call(const void *arg, uintptr_t thing)
{
	const struct wanted_call *wanted = arg;
	const struct pmu_sample_at *call = &wanted->chains->call[thing - 1];

	return call->at == wanted->call->at && call->chain == wanted->call->chain &&
	       call->file == wanted->call->file;
}

static bool make_calls_room(struct pmu_sample_chains *chains)
{
	uint32_t room = chains->room ? 2 * chains->room : 64;
	struct pmu_sample_at *grown;

	if (chains->n < chains->room)
		return true;
	grown = room > PMU_SAMPLE_MOST_CALLS ? NULL
					     : reallocarray(chains->call, room, sizeof(*grown));
	if (!grown)
		return false;
	chains->call = grown;
	chains->room = room;
	return true;
}

/* Return: 1 + its number; 0: there is no room. */
static uint32_t intern_call(struct pmu_sample_chains *chains, struct pmu_sample_at call)
{
	const struct wanted_call wanted = { chains, &call };
	uint32_t hash = pmu_hash_number(
		call.at ^ (uint64_t)pmu_hash_number((uint64_t)call.chain << 32 | call.file) << 32);
	struct pmu_index_place *place;

	if (pmu_index_reserve(&chains->index, 1) < 0)
		return 0;
	place = pmu_index_find(&chains->index, hash, is_call, &wanted);
	if (!place->thing) {
		if (!make_calls_room(chains))
			return 0;
		chains->call[chains->n] = call;
		pmu_index_take(&chains->index, place, hash, ++chains->n);
	}
	return (uint32_t)place->thing;
}

/* --- what a record says --- */

struct chain {
	const uint64_t *at; /* [n] addresses of user code, the innermost first */
	uint64_t n;
};

/* perf_event_open(2): a number, then so many addresses; what is above PERF_CONTEXT_MAX tells whose they are. */
static struct chain find_callchain(const struct pmu_sample_record *record)
{
	const uint64_t *word = (const void *)(record + 1);
	uint64_t n_words = (record->header.size - sizeof(*record)) / sizeof(*word), n, i = 0;
	struct chain chain = { NULL, 0 };

	if (!n_words)
		return chain;
	n = word[0] < n_words - 1 ? word[0] : n_words - 1;
	word++;
	while (i < n && word[i] != PERF_CONTEXT_USER)
		i++;
	if (i == n)
		return chain;
	chain.at = word + i + 1;
	for (i++; i < n && word[i] < PERF_CONTEXT_MAX; i++)
		chain.n++;
	return chain;
}

/* It returns behind the call, where another function may begin.  Return: false: that is no code. */
static bool find_call(const struct pmu_sample_maps *maps, uint64_t address,
		      struct pmu_sample_at *call)
{
	*call = pmu_sample_maps_find(maps, address - 1);
	return address && (call->file != PMU_SAMPLE_NO_FILE || pmu_sample_maps_has(maps, call->at));
}

uint32_t pmu_sample_chains_add(struct pmu_sample_chains *chains, const struct pmu_sample_maps *maps,
			       const struct pmu_sample_record *record)
{
	struct pmu_sample_at call[PMU_SAMPLES_FRAMES];
	struct chain chain = find_callchain(record);
	uint32_t last = 0, n = 0;
	/* of user code the first is the sample itself; of the kernel's work that which has called it, to return there */
	bool in_user = (record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		       PERF_RECORD_MISC_USER;

	for (uint64_t i = in_user; i < chain.n && n < PMU_SAMPLES_FRAMES; i++, n++)
		if (!find_call(maps, chain.at[i], &call[n]))
			break;
	/* the kernel has gone no further; or there is more than there is place for */
	if (chain.n >= PMU_SAMPLES_FRAMES && n + in_user >= PMU_SAMPLES_FRAMES) {
		last = intern_call(chains, (struct pmu_sample_at){ .file = PMU_SAMPLE_NO_FILE });
		if (!last)
			goto leave_out;
	}
	while (n) {
		call[--n].chain = last;
		last = intern_call(chains, call[n]);
		if (!last)
			goto leave_out;
	}
	return last;
leave_out:
	chains->n_left_out++;
	return 0;
}

int pmu_sample_chains_copy(struct pmu_sample_chains *to, const struct pmu_sample_chains *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		if (!intern_call(to, from->call[i]))
			return -ENOMEM;
	return 0;
}

void pmu_sample_chains_free(struct pmu_sample_chains *chains)
{
	free(chains->call);
	pmu_index_free(&chains->index);
	*chains = (struct pmu_sample_chains){ 0 };
}
