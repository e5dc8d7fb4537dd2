/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: remarks, which parts they are of, and the head. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "reports/combine/combining.h"

#define RANGES_NAMED 8u
#define PARTS_NAMED  3u
#define TEXTS_NAMED  3u
/* Rates of one clock differ by this factor at most, measured in each process. */
#define SAME_HZ 1.01

/* --- which parts --- */

/* "3 of 4 ranks" */
static void put_part_count(const struct pmu_combining *c, struct pmu_strbuf *out,
			   const unsigned int *part, unsigned int n)
{
	const struct pmu_model_part *parts = c->model->part;

	if (c->own_ranks)
		pmu_strbuf_addf(out, "%u of %u ranks", n, c->n_parts);
	else
		pmu_strbuf_addf(out, "%u of %u processes", pmu_parts_processes(parts, part, n),
				pmu_parts_processes(parts, NULL, c->n_parts));
}

static void put_ranks(const struct pmu_combining *c, struct pmu_strbuf *out,
		      const unsigned int *part, unsigned int n)
{
	unsigned int end;

	pmu_strbuf_add(out, n > 1 ? "ranks " : "rank ");
	for (unsigned int i = 0; i < n; i = end) {
		int first = c->model->part[part[i]].rank, last = first;

		for (end = i + 1; end < n && c->model->part[part[end]].rank == last + 1; end++)
			last++;
		pmu_strbuf_addf(out, "%s%d", i ? ", " : "", first);
		if (last > first)
			pmu_strbuf_addf(out, last > first + 1 ? "-%d" : ", %d", last);
	}
}

static unsigned int count_ranges(const struct pmu_combining *c, const unsigned int *part,
				 unsigned int n)
{
	unsigned int ranges = 0;

	for (unsigned int i = 0; i < n; i++)
		ranges += !i ||
			  c->model->part[part[i]].rank != c->model->part[part[i - 1]].rank + 1;
	return ranges;
}

void pmu_combining_parts(const struct pmu_combining *c, struct pmu_strbuf *out,
			 const unsigned int *part, unsigned int n)
{
	if (c->own_ranks && count_ranges(c, part, n) <= RANGES_NAMED) {
		put_ranks(c, out, part, n);
		return;
	}
	if (n > PARTS_NAMED) {
		put_part_count(c, out, part, n);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		pmu_strbuf_addf(out, "%s%s",
				!i          ? ""
				: c->ranked ? "; "
					    : ", ",
				c->model->part[part[i]].label);
}

/* --- who says the same --- */

static bool same_remark(const struct pmu_remark *a, const struct pmu_remark *b)
{
	return a->text[0] == b->text[0] && a->text[1] == b->text[1] && a->text[2] == b->text[2];
}

static int by_remark_text(const void *a, const void *b)
{
	const struct pmu_remark *x = a, *y = b;

	for (size_t i = 0; i < PMU_ARRAY_LEN(x->text); i++)
		if (x->text[i] != y->text[i])
			return (uintptr_t)x->text[i] < (uintptr_t)y->text[i] ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int by_first(const void *a, const void *b)
{
	const struct pmu_remark *x = a, *y = b;

	if (x->nth != y->nth)
		return x->nth < y->nth ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

int pmu_remarks_open(struct pmu_remarks *s, struct pmu_combining *c, size_t n)
{
	*s = (struct pmu_remarks){ .c = c };
	s->remark = n < INT_MAX ? calloc(n + 1, sizeof(*s->remark)) : NULL;
	s->part = calloc(n + 1, sizeof(*s->part));
	return s->remark && s->part ? 0 : -ENOMEM;
}

void pmu_remarks_close(struct pmu_remarks *s)
{
	free(s->remark);
	free(s->part);
}

struct pmu_remark *pmu_remarks_add(struct pmu_remarks *s, unsigned int part, const char *a,
				   const char *b, const char *d)
{
	struct pmu_remark *remark = &s->remark[s->n];

	*remark = (struct pmu_remark){
		.text = { pmu_combining_text(s->c, a), pmu_combining_text(s->c, b),
			  pmu_combining_text(s->c, d) },
		.part = part,
		.nth = s->n++,
		.thread = -1,
		.doubt_part = -1,
	};
	return remark;
}

void pmu_remarks_sort(struct pmu_remarks *s)
{
	unsigned int end;

	qsort(s->remark, s->n, sizeof(*s->remark), by_remark_text);
	for (unsigned int i = 0; i < s->n; i = end) {
		unsigned int first = s->remark[i].nth;

		for (end = i + 1; end < s->n && same_remark(&s->remark[end], &s->remark[i]); end++)
			first = s->remark[end].nth < first ? s->remark[end].nth : first;
		for (unsigned int k = i; k < end; k++)
			s->remark[k].nth = first;
	}
	qsort(s->remark, s->n, sizeof(*s->remark), by_first);
}

/* Return: index of the first remark behind @i that is not equal to it. */
unsigned int pmu_remarks_end(const struct pmu_remarks *s, unsigned int i)
{
	unsigned int end = i + 1;

	while (end < s->n && same_remark(&s->remark[end], &s->remark[i]))
		end++;
	return end;
}

/* " (ranks 0-2)"; nothing where all say so. */
void pmu_remarks_who(struct pmu_remarks *s, struct pmu_strbuf *out, unsigned int i,
		     unsigned int end)
{
	unsigned int n = 0;

	if (s->remark[end - 1].part == PMU_PART_TOLD)
		return;
	for (; i < end; i++)
		if (!n || s->part[n - 1] != s->remark[i].part)
			s->part[n++] = s->remark[i].part;
	if (n == s->c->n_parts)
		return;
	pmu_strbuf_add(out, " (");
	pmu_combining_parts(s->c, out, s->part, n);
	pmu_strbuf_add(out, ")");
}

/* --- the head --- */

/* Of which input a part is. */
static const struct pmu_model *input_of(const struct pmu_combining *c, unsigned int part)
{
	return c->from[c->origin[part].from];
}

/*
 * A text of the head: "perf (ranks 0-6); clock (rank 7)" where the parts differ.
 * @listed: else it is "" then
 */
static const char *common(struct pmu_combining *c, size_t member, bool listed)
{
	struct pmu_strbuf out = { 0 };
	const char *text = "";
	struct pmu_remarks s;
	unsigned int n = 0;

	c->failed |= pmu_remarks_open(&s, c, c->n_parts) < 0;
	for (unsigned int i = 0; !c->failed && i < c->n_parts; i++)
		pmu_remarks_add(&s, i,
				*(const char *const *)((const char *)input_of(c, i) + member), NULL,
				NULL);
	pmu_remarks_sort(&s);
	for (unsigned int i = 0; i < s.n; i = pmu_remarks_end(&s, i), n++) {
		if (n == TEXTS_NAMED)
			pmu_strbuf_add(&out, "; and others");
		if (n >= TEXTS_NAMED)
			continue;
		pmu_strbuf_addf(&out, "%s%s", n ? "; " : "",
				s.remark[i].text[0][0] ? s.remark[i].text[0] : "not known");
		pmu_remarks_who(&s, &out, i, pmu_remarks_end(&s, i));
	}
	if (n == 1)
		text = s.remark[0].text[0];
	else if (listed)
		text = pmu_combining_text(c, pmu_strbuf_text(&out));
	c->failed |= out.failed;
	pmu_strbuf_free(&out);
	pmu_remarks_close(&s);
	return text;
}

static const char *common_of_parts(const struct pmu_combining *c, size_t member)
{
	const char *first = NULL;

	for (unsigned int i = 0; i < c->n_parts; i++) {
		const char *text = *(const char *const *)((const char *)&c->model->part[i] +
							  member);

		if (!first)
			first = text;
		/* one copy of each text: equal ones are the same pointer */
		if (text != first)
			return "";
	}
	return first ? first : "";
}

/* From the first start to the last end; for different clocks, the duration of the longest part. */
static void set_times(struct pmu_combining *c)
{
	struct pmu_model *model = c->model;
	uint64_t longest = 0, last = 0;
	bool known = c->one_host;

	model->start_unix_ns = UINT64_MAX;
	for (unsigned int i = 0; i < c->n_parts; i++) {
		const struct pmu_model_part *part = &model->part[i];

		known &= part->start_unix_ns > 0;
		if (part->start_unix_ns < model->start_unix_ns)
			model->start_unix_ns = part->start_unix_ns;
		if (pmu_part_end_ns(part) > last)
			last = pmu_part_end_ns(part);
		if (part->duration_ns > longest)
			longest = part->duration_ns;
	}
	model->duration_ns = known ? last - model->start_unix_ns : longest;
}

static void set_clock_range(struct pmu_combining *c)
{
	double least = 0, most = 0;

	for (unsigned int i = 0; i < c->n_from; i++) {
		double hz = c->from[i]->clock_hz;

		least = !i || hz < least ? hz : least;
		most = !i || hz > most ? hz : most;
	}
	/* the median: unlike a sum it does not depend on the order */
	if (least > 0 && most <= SAME_HZ * least)
		c->model->clock_hz = least + (most - least) / 2;
}

/* "ranks 1-3"; "sort 4711, sort 4712 and 7 more" */
static void put_some(const struct pmu_combining *c, struct pmu_strbuf *out,
		     const unsigned int *part, unsigned int n)
{
	if (c->own_ranks && count_ranges(c, part, n) <= RANGES_NAMED) {
		put_ranks(c, out, part, n);
		return;
	}
	for (unsigned int i = 0; i < n && i < RANGES_NAMED; i++)
		pmu_strbuf_addf(out, "%s%s", i ? ", " : "", c->model->part[part[i]].label);
	if (n > RANGES_NAMED)
		pmu_strbuf_addf(out, " and %u more", n - RANGES_NAMED);
}

static void set_died_parts(struct pmu_combining *c)
{
	unsigned int *part = calloc(c->n_parts, sizeof(*part)), n = 0;
	struct pmu_strbuf text = { 0 };

	c->failed |= !part;
	for (unsigned int i = 0; part && i < c->n_parts; i++)
		if (c->model->part[i].died)
			part[n++] = i;
	if (n > 1) {
		put_part_count(c, &text, part, n);
		pmu_strbuf_add(&text, " did not end cleanly: ");
		put_some(c, &text, part, n);
		pmu_strbuf_add(&text, "; ");
	}
	if (n) {
		pmu_strbuf_addf(&text, "%s: %s", c->model->part[part[0]].label,
				c->model->part[part[0]].died);
		c->model->died = pmu_combining_text(c, pmu_strbuf_text(&text));
	}
	c->failed |= text.failed;
	pmu_strbuf_free(&text);
	free(part);
}

static void set_attached(struct pmu_combining *c)
{
	c->model->is_attached = true;
	for (unsigned int i = 0; i < c->n_from; i++)
		c->model->is_attached &= c->from[i]->is_attached;
}

static void set_ranks(struct pmu_combining *c)
{
	struct pmu_model *model = c->model;

	if (!c->ranked)
		return;
	for (unsigned int i = 0; i < c->n_from; i++)
		if (c->from[i]->n_ranks > model->n_ranks)
			model->n_ranks = c->from[i]->n_ranks;
	if (model->n_ranks && model->n_ranks <= model->part[c->n_parts - 1].rank)
		model->n_ranks = 0;
}

void pmu_combining_head(struct pmu_combining *c)
{
	struct pmu_model *model = c->model;
	bool one = c->n_parts == 1;

	model->pid = one ? model->part[0].pid : -1;
	model->rank = one ? model->part[0].rank : -1;
	model->nth = one ? model->part[0].nth : 0;
	model->program = common_of_parts(c, offsetof(struct pmu_model_part, program));
	model->command = common_of_parts(c, offsetof(struct pmu_model_part, command));
	model->host = common_of_parts(c, offsetof(struct pmu_model_part, host));
	model->machine = common(c, offsetof(struct pmu_model, machine), true);
	model->cpu = common(c, offsetof(struct pmu_model, cpu), false);
	model->source = common(c, offsetof(struct pmu_model, source), true);
	model->source_detail = common(c, offsetof(struct pmu_model, source_detail), false);
	model->clock = common(c, offsetof(struct pmu_model, clock), true);
	model->pinning = common(c, offsetof(struct pmu_model, pinning), true);
	model->version = common(c, offsetof(struct pmu_model, version), true);
	set_clock_range(c);
	set_times(c);
	set_ranks(c);
	set_attached(c);
	set_died_parts(c);
}
