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

static void encode_varint(struct encoding *e, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	pmu_strbuf_add_n(e->out, bytes, n);
}

static void encode_double(struct encoding *e, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	encode_varint(e, bits);
}

static void encode_number(struct encoding *e, struct pmu_number number)
{
	if (number.is_double)
		encode_double(e, number.real);
	else
		encode_varint(e, number.integer);
}

/* One more than it is: -1 is unknown. */
static void encode_known(struct encoding *e, int64_t value)
{
	encode_varint(e, value < 0 ? 0 : (uint64_t)value + 1);
}

static bool is_last_text(const void *wanted, uintptr_t number)
{
	const struct encoding *e = wanted;

	return e->text[number - 1] == e->text[e->n_texts];
}

/* Its number, or 0 and the text, which has the next number from there on. */
static void encode_text(struct encoding *e, const char *text)
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
	place = pmu_index_find(&e->texts, hash, is_last_text, e);
	encode_varint(e, place->thing);
	if (place->thing)
		return;
	encode_varint(e, strlen(text));
	pmu_strbuf_add_n(e->out, text, strlen(text));
	pmu_index_take(&e->texts, place, hash, ++e->n_texts);
}

static void encode_over(struct encoding *e, const struct pmu_over *over)
{
	encode_varint(e, over->n);
	if (!over->n)
		return;
	encode_varint(e, over->sum);
	encode_varint(e, (uint64_t)over->squares);
	encode_varint(e, (uint64_t)(over->squares >> 64));
	encode_varint(e, over->min);
	encode_varint(e, over->max);
	encode_varint(e, over->min_rank);
	encode_varint(e, over->max_rank);
	encode_text(e, over->min_host);
	encode_text(e, over->max_host);
	encode_varint(e, over->n_buckets);
	for (unsigned int i = 0, last = 0; i < over->n_buckets; i++) {
		encode_varint(e, over->bucket[i].bucket - last);
		encode_varint(e, over->bucket[i].n);
		last = over->bucket[i].bucket;
	}
}

static void encode_row(struct encoding *e, const struct pmu_ranks_section *s,
		       const struct pmu_ranks_row *row, unsigned int i)
{
	encode_text(e, row->is.name);
	/* how far above it */
	encode_varint(e, row->is.parent < 0 ? 0 : i - (unsigned int)row->is.parent);
	encode_varint(e, row->is.flags);
	encode_varint(e, row->is.missing);
	encode_varint(e, row->timed);
	for (size_t k = 0; k < pmu_n_fields; k++)
		if (pmu_fields[k].of & PMU_OF_RANKS)
			encode_number(e, pmu_field_get(&pmu_fields[k], &row->is));
	encode_varint(e, row->pool.n_rows);
	for (size_t k = 0; k < PMU_EXACT_WORDS; k++)
		encode_varint(e, row->pool.squares.word[k]);
	encode_varint(e, row->n_selfless);
	encode_varint(e, row->worst_self_ns);
	for (unsigned int k = 0; k < s->n_counts; k++) {
		encode_varint(e, row->is.raw[k]);
		encode_varint(e, row->is.net[k]);
		encode_varint(e, row->is.cost[k]);
	}
	for (unsigned int k = 0; k < PMU_OVER_COUNT + s->n_counts; k++)
		encode_over(e, &row->over[k]);
}

static void encode_section(struct encoding *e, const struct pmu_ranks_section *s)
{
	encode_text(e, s->group);
	encode_varint(e, s->index);
	encode_double(e, s->read_ns);
	encode_double(e, s->socket_read_ns);
	encode_varint(e, s->sockets);
	encode_varint(e, s->process);
	encode_varint(e, s->n_counts);
	for (unsigned int i = 0; i < s->n_counts; i++) {
		encode_text(e, s->count[i].name);
		encode_text(e, s->count[i].unit);
	}
	encode_varint(e, s->n_metrics);
	for (unsigned int i = 0; i < s->n_metrics; i++) {
		encode_text(e, s->metric[i].name);
		encode_text(e, s->metric[i].unit);
		encode_text(e, s->metric[i].formula);
	}
	encode_varint(e, s->n_dropped);
	encode_varint(e, s->n_rows);
	for (unsigned int i = 0; i < s->n_rows; i++)
		encode_row(e, s, &s->row[i], i);
}

static void encode_saying(struct encoding *e, const struct pmu_ranks_saying *saying)
{
	encode_varint(e, saying->n_more);
	encode_varint(e, saying->n);
	for (unsigned int i = 0; i < saying->n; i++) {
		const struct pmu_ranks_said *said = &saying->said[i];

		for (int k = 0; k < 3; k++)
			encode_text(e, said->text[k]);
		encode_varint(e, said->n_ranks);
		encode_varint(e, said->count);
		encode_varint(e, said->first_rank);
	}
}

void pmu_ranks_encode(const struct pmu_ranks *ranks, struct pmu_strbuf *out)
{
	struct encoding e = { .out = out };

	pmu_strbuf_add_n(out, PMU_RANKS_MAGIC, sizeof(PMU_RANKS_MAGIC));
	encode_varint(&e, PMU_RANKS_VERSION);
	encode_varint(&e, ranks->n_ranks);
	encode_varint(&e, ranks->first_rank);
	encode_varint(&e, ranks->start_unix_ns);
	encode_varint(&e, ranks->end_unix_ns);
	encode_double(&e, ranks->clock_hz);
	encode_varint(&e, ranks->n_threads);
	encode_varint(&e, ranks->time_ns);
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(ranks->usage); i++)
		encode_known(&e, ranks->usage[i]);
	for (unsigned int i = 0; i < PMU_WHOLE_N; i++)
		encode_over(&e, &ranks->whole[i]);
	encode_varint(&e, ranks->n_worst);
	for (unsigned int i = 0; i < ranks->n_worst; i++) {
		encode_varint(&e, ranks->worst[i].rank);
		encode_text(&e, ranks->worst[i].host);
		encode_varint(&e, ranks->worst[i].compute_ns);
		encode_varint(&e, ranks->worst[i].mpi_ns);
	}
	for (unsigned int i = 0; i < PMU_SAID_KINDS; i++)
		encode_saying(&e, &ranks->saying[i]);
	encode_varint(&e, ranks->n_sections);
	for (unsigned int i = 0; i < ranks->n_sections; i++)
		encode_section(&e, &ranks->section[i]);
	pmu_index_free(&e.texts);
	free(e.text);
}
