/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A record of ranks as bytes, for the way from one rank to another: numbers of seven bits a byte,
 * the least first, and each text once.
 */
#include <string.h>

#include "base/hash.h"
#include "reports/ranks/coding.h"

struct encoding {
	struct pmu_strbuf *out;
	struct pmu_index texts; /* those that are written, by their number from 1 */
	const char **text;
	size_t n_texts, room;
};

static void put(struct encoding *e, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	pmu_strbuf_add_n(e->out, bytes, n);
}

static void put_double(struct encoding *e, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put(e, bits);
}

static void put_number(struct encoding *e, struct pmu_number number)
{
	if (number.is_double)
		put_double(e, number.real);
	else
		put(e, number.integer);
}

/* One more than it is: -1 is unknown. */
static void put_known(struct encoding *e, int64_t value)
{
	put(e, value < 0 ? 0 : (uint64_t)value + 1);
}

static bool is_text(const void *wanted, uintptr_t number)
{
	const struct encoding *e = wanted;

	return e->text[number - 1] == e->text[e->n_texts];
}

/* Its number, or 0 and the text, which has the next number from there on. */
static void put_text(struct encoding *e, const char *text)
{
	uint32_t hash = pmu_hash_number((uintptr_t)text);
	struct pmu_index_place *place;

	if (e->n_texts + 1 >= e->room) {
		size_t room = e->room ? 2 * e->room : 64;
		const char **more = reallocarray(e->text, room, sizeof(*more));

		if (!more) {
			e->out->failed = 1;
			return;
		}
		e->text = more;
		e->room = room;
	}
	text = text ? text : "";
	e->text[e->n_texts] = text;
	if (e->out->failed || pmu_index_reserve(&e->texts, 1) < 0) {
		e->out->failed = 1;
		return;
	}
	place = pmu_index_find(&e->texts, hash, is_text, e);
	put(e, place->thing);
	if (place->thing)
		return;
	put(e, strlen(text));
	pmu_strbuf_add_n(e->out, text, strlen(text));
	pmu_index_take(&e->texts, place, hash, ++e->n_texts);
}

static void put_over(struct encoding *e, const struct pmu_over *over)
{
	put(e, over->n);
	if (!over->n)
		return;
	put(e, over->sum);
	put(e, (uint64_t)over->squares);
	put(e, (uint64_t)(over->squares >> 64));
	put(e, over->min);
	put(e, over->max);
	put(e, over->min_rank);
	put(e, over->max_rank);
	put_text(e, over->min_host);
	put_text(e, over->max_host);
	put(e, over->n_buckets);
	for (unsigned int i = 0, last = 0; i < over->n_buckets; i++) {
		put(e, over->bucket[i].bucket - last);
		put(e, over->bucket[i].n);
		last = over->bucket[i].bucket;
	}
}

static void put_row(struct encoding *e, const struct pmu_ranks_section *s,
		    const struct pmu_ranks_row *row, unsigned int i)
{
	put_text(e, row->is.name);
	/* how far above it */
	put(e, row->is.parent < 0 ? 0 : i - (unsigned int)row->is.parent);
	put(e, row->is.flags);
	put(e, row->is.missing);
	put(e, row->timed);
	for (size_t k = 0; k < pmu_n_fields; k++)
		if (pmu_fields[k].of & PMU_OF_RANKS)
			put_number(e, pmu_field_get(&pmu_fields[k], &row->is));
	put(e, row->pool.n_rows);
	for (size_t k = 0; k < PMU_EXACT_WORDS; k++)
		put(e, row->pool.squares.word[k]);
	put(e, row->n_selfless);
	put(e, row->worst_self_ns);
	for (unsigned int k = 0; k < s->n_counts; k++) {
		put(e, row->is.raw[k]);
		put(e, row->is.net[k]);
		put(e, row->is.cost[k]);
	}
	for (unsigned int k = 0; k < PMU_OVER_COUNT + s->n_counts; k++)
		put_over(e, &row->over[k]);
}

static void put_section(struct encoding *e, const struct pmu_ranks_section *s)
{
	put_text(e, s->group);
	put(e, s->index);
	put_double(e, s->read_ns);
	put_double(e, s->socket_read_ns);
	put(e, s->sockets);
	put(e, s->process);
	put(e, s->n_counts);
	for (unsigned int i = 0; i < s->n_counts; i++) {
		put_text(e, s->count[i].name);
		put_text(e, s->count[i].unit);
	}
	put(e, s->n_metrics);
	for (unsigned int i = 0; i < s->n_metrics; i++) {
		put_text(e, s->metric[i].name);
		put_text(e, s->metric[i].unit);
		put_text(e, s->metric[i].formula);
	}
	put(e, s->n_dropped);
	put(e, s->n_rows);
	for (unsigned int i = 0; i < s->n_rows; i++)
		put_row(e, s, &s->row[i], i);
}

static void put_saying(struct encoding *e, const struct pmu_ranks_saying *saying)
{
	put(e, saying->n_more);
	put(e, saying->n);
	for (unsigned int i = 0; i < saying->n; i++) {
		const struct pmu_ranks_said *said = &saying->said[i];

		for (int k = 0; k < 3; k++)
			put_text(e, said->text[k]);
		put(e, said->n_ranks);
		put(e, said->count);
		put(e, said->first_rank);
	}
}

void pmu_ranks_encode(const struct pmu_ranks *ranks, struct pmu_strbuf *out)
{
	struct encoding e = { .out = out };

	pmu_strbuf_add_n(out, PMU_RANKS_MAGIC, sizeof(PMU_RANKS_MAGIC));
	put(&e, PMU_RANKS_VERSION);
	put(&e, ranks->n_ranks);
	put(&e, ranks->first_rank);
	put(&e, ranks->start_unix_ns);
	put(&e, ranks->end_unix_ns);
	put_double(&e, ranks->clock_hz);
	put(&e, ranks->n_threads);
	put(&e, ranks->time_ns);
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(ranks->usage); i++)
		put_known(&e, ranks->usage[i]);
	for (unsigned int i = 0; i < PMU_WHOLE_N; i++)
		put_over(&e, &ranks->whole[i]);
	put(&e, ranks->n_worst);
	for (unsigned int i = 0; i < ranks->n_worst; i++) {
		put(&e, ranks->worst[i].rank);
		put_text(&e, ranks->worst[i].host);
		put(&e, ranks->worst[i].compute_ns);
		put(&e, ranks->worst[i].mpi_ns);
	}
	for (unsigned int i = 0; i < PMU_SAID_KINDS; i++)
		put_saying(&e, &ranks->saying[i]);
	put(&e, ranks->n_sections);
	for (unsigned int i = 0; i < ranks->n_sections; i++)
		put_section(&e, &ranks->section[i]);
	pmu_index_free(&e.texts);
	free(e.text);
}
