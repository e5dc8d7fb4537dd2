/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of ranks from bytes, which any program may have made. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "reports/ranks/coding.h"

struct decoding {
	const unsigned char *at, *end;
	struct pmu_ranks *ranks;
	const char **text;
	size_t n_texts, room;
	int rc; /* the first error; nothing is read after it */
};

static void damaged(struct decoding *d)
{
	if (!d->rc)
		d->rc = -EINVAL;
	d->at = d->end;
}

static void decode_no_memory(struct decoding *d)
{
	d->rc = d->rc ? d->rc : -ENOMEM;
	d->at = d->end;
}

static uint64_t get_varint(struct decoding *d)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; d->at < d->end; shift += 7) {
		uint64_t bits = *d->at & 0x7f;

		if (shift > 63 || (shift == 63 && bits > 1))
			break;
		value |= bits << shift;
		if (!(*d->at++ & 0x80))
			return value;
	}
	damaged(d);
	return 0;
}

static uint64_t get_most(struct decoding *d, uint64_t most)
{
	uint64_t value = get_varint(d);

	if (value <= most)
		return value;
	damaged(d);
	return 0;
}

/* So many things follow, each of @size bytes at the least. */
static unsigned int get_n(struct decoding *d, uint64_t most, size_t size)
{
	uint64_t n = get_most(d, most);

	if (n <= (uint64_t)(d->end - d->at) / size)
		return (unsigned int)n;
	damaged(d);
	return 0;
}

/* Of times, never below 0; what is unknown is NaN. */
static double get_double(struct decoding *d)
{
	uint64_t bits = get_varint(d);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value >= 0 && isfinite(value) ? value : NAN;
}

static void get_number(struct decoding *d, const struct pmu_field *field, struct pmu_model_row *row)
{
	if (field->type == PMU_FIELD_DOUBLE)
		pmu_field_set(field, row, 0, get_double(d));
	else
		pmu_field_set(field, row, get_varint(d), 0);
}

static double get_positive(struct decoding *d)
{
	double value = get_double(d);

	return value > 0 ? value : 0;
}

static int64_t get_known(struct decoding *d)
{
	return (int64_t)get_most(d, INT64_MAX) - 1;
}

static uint32_t get_rank(struct decoding *d)
{
	return (uint32_t)get_most(d, INT32_MAX);
}

static const char *get_text(struct decoding *d)
{
	uint64_t number = get_most(d, d->n_texts);
	const char *text;
	unsigned int len;

	if (number)
		return d->text[number - 1];
	len = get_n(d, PMU_RANKS_MAX_TEXT, 1);
	if (d->rc)
		return "";
	if (memchr(d->at, '\0', len)) {
		damaged(d);
		return "";
	}
	text = pmu_ranks_text(d->ranks, (const char *)d->at, len);
	d->at += len;
	if (d->n_texts == d->room) {
		size_t room = d->room ? 2 * d->room : 64;
		const char **more = reallocarray(d->text, room, sizeof(*more));

		if (!more) {
			decode_no_memory(d);
			return "";
		}
		d->text = more;
		d->room = room;
	}
	d->text[d->n_texts++] = text;
	return text;
}

static void *get_room(struct decoding *d, size_t n, size_t size)
{
	void *room = pmu_block_array(&d->ranks->blocks, n, size);

	if (!room)
		decode_no_memory(d);
	return room;
}

static void get_over(struct decoding *d, struct pmu_over *over)
{
	uint64_t low;
	unsigned int n;

	over->n = get_varint(d);
	if (!over->n)
		return;
	over->sum = get_varint(d);
	low = get_varint(d);
	over->squares = (pmu_wide)get_varint(d) << 64 | low;
	over->min = get_varint(d);
	over->max = get_varint(d);
	over->min_rank = get_rank(d);
	over->max_rank = get_rank(d);
	over->min_host = get_text(d);
	over->max_host = get_text(d);
	n = get_n(d, PMU_OVER_BUCKETS, 2);
	over->bucket = get_room(d, n, sizeof(*over->bucket));
	if (d->rc)
		return;
	over->room = n;
	for (unsigned int i = 0, last = 0; i < n; i++) {
		last += (unsigned int)get_most(d, PMU_OVER_BUCKETS - 1 - last);
		if (i && last == over->bucket[i - 1].bucket)
			damaged(d);
		over->bucket[i].bucket = last;
		over->bucket[i].n = (uint32_t)get_most(d, UINT32_MAX);
		over->n_buckets = i + 1;
	}
}

static void get_row(struct decoding *d, struct pmu_ranks_section *s, unsigned int i)
{
	const char *name = get_text(d);
	uint64_t above = get_most(d, i);
	struct pmu_ranks_row *row;

	if (d->rc)
		return;
	if (pmu_ranks_add_row(d->ranks, s, name, above ? (int)(i - above) : -1, 0) < 0) {
		decode_no_memory(d);
		return;
	}
	row = &s->row[i];
	row->is.flags = (uint32_t)get_most(d, UINT32_MAX);
	row->is.missing = (uint32_t)get_most(d, UINT32_MAX);
	row->timed = get_most(d, 1);
	for (size_t k = 0; k < pmu_n_fields; k++)
		if (pmu_fields[k].of & PMU_OF_RANKS)
			get_number(d, &pmu_fields[k], &row->is);
	row->pool.n_rows = get_varint(d);
	for (size_t k = 0; k < PMU_EXACT_WORDS; k++)
		row->pool.squares.word[k] = get_varint(d);
	row->n_selfless = get_varint(d);
	row->worst_self_ns = get_varint(d);
	for (unsigned int k = 0; k < s->n_counts; k++) {
		row->is.raw[k] = get_varint(d);
		row->is.net[k] = get_varint(d);
		row->is.cost[k] = get_varint(d);
	}
	for (unsigned int k = 0; k < PMU_OVER_COUNT + s->n_counts; k++)
		get_over(d, &row->over[k]);
}

static void get_columns(struct decoding *d, struct pmu_ranks_section *s)
{
	s->index = (unsigned int)get_most(d, UINT32_MAX);
	s->read_ns = get_positive(d);
	s->socket_read_ns = get_positive(d);
	s->sockets = (uint32_t)get_most(d, UINT32_MAX);
	s->process = s->sockets & (uint32_t)get_most(d, UINT32_MAX);
	s->n_counts = get_n(d, PMU_MODEL_MAX_COUNTS, 2);
	for (unsigned int i = 0; i < s->n_counts; i++) {
		s->count[i].name = get_text(d);
		s->count[i].unit = get_text(d);
	}
	s->n_metrics = get_n(d, 1024, 3);
	s->metric = get_room(d, s->n_metrics, sizeof(*s->metric));
	if (!s->metric) {
		s->n_metrics = 0;
		return;
	}
	for (unsigned int i = 0; i < s->n_metrics; i++) {
		s->metric[i].name = get_text(d);
		s->metric[i].unit = get_text(d);
		s->metric[i].formula = get_text(d);
	}
}

static void get_section(struct decoding *d)
{
	const char *group = get_text(d);
	struct pmu_ranks_section *s;
	unsigned int n;

	if (d->rc)
		return;
	s = pmu_ranks_find_section(d->ranks, group);
	if (!s || s->metric) {
		damaged(d);
		return;
	}
	get_columns(d, s);
	s->n_dropped = get_varint(d);
	n = get_n(d, PMU_RANKS_MAX_ROWS, 20);
	for (unsigned int i = 0; i < n && !d->rc; i++)
		get_row(d, s, i);
}

static void get_saying(struct decoding *d, enum pmu_said kind)
{
	uint64_t n_more = get_varint(d);
	unsigned int n = get_n(d, PMU_RANKS_MAX_SAID, 6);

	for (unsigned int i = 0; i < n && !d->rc; i++) {
		struct pmu_ranks_said said;

		for (int k = 0; k < 3; k++)
			said.text[k] = get_text(d);
		said.n_ranks = get_varint(d);
		said.count = get_varint(d);
		said.first_rank = get_rank(d);
		if (!d->rc)
			pmu_ranks_say(d->ranks, kind, &said);
	}
	d->ranks->saying[kind].n_more = n_more;
}

static void get_worst(struct decoding *d)
{
	unsigned int n = get_n(d, PMU_RANKS_WORST, 4);

	for (unsigned int i = 0; i < n && !d->rc; i++) {
		struct pmu_ranks_worst worst = { .rank = get_rank(d) };

		worst.host = get_text(d);
		worst.compute_ns = get_varint(d);
		worst.mpi_ns = get_varint(d);
		pmu_ranks_add_worst(d->ranks, &worst);
	}
}

static void get_all(struct decoding *d)
{
	struct pmu_ranks *ranks = d->ranks;
	unsigned int n;

	ranks->n_ranks = get_varint(d);
	ranks->first_rank = get_rank(d);
	ranks->start_unix_ns = get_varint(d);
	ranks->end_unix_ns = get_varint(d);
	ranks->clock_hz = get_positive(d);
	ranks->n_threads = get_varint(d);
	ranks->time_ns = get_varint(d);
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(ranks->usage); i++)
		ranks->usage[i] = get_known(d);
	for (unsigned int i = 0; i < PMU_WHOLE_N; i++)
		get_over(d, &ranks->whole[i]);
	get_worst(d);
	for (unsigned int i = 0; i < PMU_SAID_KINDS; i++)
		get_saying(d, (enum pmu_said)i);
	n = get_n(d, PMU_RANKS_MAX_SECTIONS, 8);
	for (unsigned int i = 0; i < n && !d->rc; i++)
		get_section(d);
	if (!ranks->n_ranks || d->at != d->end)
		damaged(d);
}

int pmu_ranks_decode(const void *bytes, size_t len, struct pmu_ranks **ranks)
{
	const size_t head = sizeof(PMU_RANKS_MAGIC);
	struct decoding d = { .at = bytes, .end = (const unsigned char *)bytes + len };

	if (len < head || memcmp(bytes, PMU_RANKS_MAGIC, head) != 0)
		return pmu_fail(EINVAL, "these are no results of ranks");
	d.at += head;
	if (get_varint(&d) != PMU_RANKS_VERSION)
		return pmu_fail(EINVAL, "the results of ranks are of another version of libpmu");
	d.ranks = pmu_ranks_new();
	if (d.ranks)
		get_all(&d);
	if (!d.ranks || (!d.rc && d.ranks->failed))
		d.rc = -ENOMEM;
	free(d.text);
	if (!d.rc) {
		*ranks = d.ranks;
		return 0;
	}
	pmu_ranks_free(d.ranks);
	return d.rc == -EINVAL ? pmu_fail(EINVAL, "the results of ranks are damaged")
			       : pmu_fail(ENOMEM, "no memory for the results of ranks");
}
