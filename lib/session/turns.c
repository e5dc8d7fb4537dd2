/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over turns, beside each row. */
#include "session/turns.h"

#include <string.h>

#include "session/session.h"
#include "store/bank.h"

#define FIRST_ROWS 64u

static size_t piece_size(uint32_t n_slots)
{
	return (1 + (size_t)n_slots) * sizeof(uint64_t);
}

void pmu_turns_forget(struct pmu_turned *turned)
{
	if (turned->piece)
		pmu_pages_free(turned->piece, turned->n * piece_size(turned->n_slots));
	if (turned->to)
		pmu_pages_free(turned->to, turned->n * sizeof(*turned->to));
	*turned = (struct pmu_turned){ .n = 0 };
}

/* For rows up to @id. */
static bool make_turns_room(struct pmu_turned *turned, uint32_t id, uint32_t n_slots)
{
	struct pmu_turned more = { .n = turned->n ? turned->n : FIRST_ROWS, .n_slots = n_slots };

	if (id < turned->n)
		return true;
	while (more.n <= id)
		more.n *= 2;
	more.piece = pmu_pages_alloc(more.n * piece_size(n_slots));
	more.to = pmu_pages_alloc(more.n * sizeof(*more.to));
	if (!more.piece || !more.to) {
		pmu_turns_forget(&more);
		return false;
	}
	if (turned->n) {
		memcpy(more.piece, turned->piece, turned->n * piece_size(n_slots));
		memcpy(more.to, turned->to, turned->n * sizeof(*more.to));
	}
	pmu_turns_forget(turned);
	*turned = more;
	return true;
}

static void store_double(double *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	__atomic_store_n((uint64_t *)(void *)to, bits, __ATOMIC_RELEASE);
}

static void add_double(double *sum, double value)
{
	store_double(sum, *sum + value);
}

/* One more turn in a row's record; @more: [1 + n_slots]: its calls, and counts. */
static void put_turn(struct pmu_store_turns *to, const uint64_t *more, uint32_t n_slots)
{
	double calls = (double)more[0];

	/* as pmu_side_clear() does it */
	PMU_PUBLISH_NEXT(to->side.seq, 1);
	add_double(&to->sum[PMU_TURNS_N], 1);
	add_double(&to->sum[PMU_TURNS_CALLS], calls);
	add_double(&to->sum[PMU_TURNS_CALLS_SQUARE], calls * calls);
	for (uint32_t i = 0; i < n_slots; i++) {
		double *sum = &to->sum[PMU_TURNS_COUNTS + i * PMU_TURNS_PER_SLOT];
		double count = (double)more[1 + i];

		add_double(&sum[PMU_TURNS_SUM], count);
		add_double(&sum[PMU_TURNS_SQUARE], count * count);
		add_double(&sum[PMU_TURNS_PRODUCT], count * calls);
	}
	PMU_PUBLISH_NEXT(to->side.seq, 1);
}

static void add_turn_row(void *arg, uint32_t id, const struct pmu_row_key *key,
			 struct pmu_store_row *row)
{
	struct pmu_thread *self = arg;
	const struct pmu_store_bank *bank = pmu_row_valid(row, self->n_slots);
	uint64_t more[1 + PMU_MAX_SLOTS], *last;

	(void)key;
	if (!make_turns_room(&self->turned, id, self->n_slots))
		return;
	last = &self->turned.piece[id * (1 + (size_t)self->n_slots)];
	if (bank->calls == last[0])
		return;
	/* a row that was set to zero goes on from there */
	if (bank->calls < last[0])
		memset(last, 0, piece_size(self->n_slots));
	more[0] = bank->calls - last[0];
	for (uint32_t i = 0; i < self->n_slots; i++)
		more[1 + i] = bank->count[i] - last[1 + i];
	last[0] = bank->calls;
	memcpy(last + 1, bank->count, self->n_slots * sizeof(*last));
	if (!self->turned.to[id])
		self->turned.to[id] = (void *)pmu_table_side(&pmu_session.table, &self->rows,
							     PMU_SIDE_TURNS, id, 1);
	if (self->turned.to[id])
		put_turn(self->turned.to[id], more, self->n_slots);
}

void pmu_turns_add(struct pmu_thread *self)
{
	if (self->n_slots)
		pmu_table_rows_walk(&self->rows, add_turn_row, self);
}
