/* SPDX-License-Identifier: BSD-3-Clause */
/* The doubts of the text report: the same of several regions together, in a few lines. */
#include <stdlib.h>
#include <string.h>

#include "report/encode.h"
#include "report/name.h"
#include "report/text/text.h"

#define MOST_LINES 10u
#define INDENT     4u
/* So many regions of one doubt are named, each in so much of the line. */
#define REGIONS_NAMED 3u
#define LEAST_PATH    24u

/* Doubts of one text, in the order in which they came up. */
struct group {
	const struct pmu_model_doubt **doubt;
	unsigned int n;
};

static bool has_region(const struct pmu_model_doubt *doubt)
{
	return doubt->region && doubt->region[0];
}

/* "main/solve, thread 0" */
static void put_doubt_place(struct pmu_text *t, struct pmu_strbuf *out,
			    const struct pmu_model_doubt *doubt, unsigned int width)
{
	struct pmu_strbuf path = { 0 };

	if (t->all)
		pmu_strbuf_add(&path, doubt->region ? doubt->region : "");
	else
		pmu_path_fit(&path, doubt->region ? doubt->region : "",
			     width > LEAST_PATH ? width : LEAST_PATH);
	pmu_encode_line(out, pmu_strbuf_text(&path));
	if (doubt->thread >= 0)
		pmu_strbuf_addf(out, has_region(doubt) ? ", thread %d" : "thread %d",
				doubt->thread);
	out->failed |= path.failed;
	pmu_strbuf_free(&path);
}

static void put_times(struct pmu_strbuf *out, uint64_t count)
{
	struct pmu_cell times;

	pmu_cell_exact(&times, count);
	if (count > 1)
		pmu_strbuf_addf(out, " (%s times)", times.number);
}

static void put_one(struct pmu_text *t, struct pmu_strbuf *out, const struct pmu_model_doubt *doubt)
{
	size_t len = pmu_utf8_width(doubt->text) + strlen(", thread 1000: ") + INDENT;

	put_doubt_place(t, out, doubt, t->columns > len ? t->columns - (unsigned int)len : 0);
	pmu_strbuf_add(out, has_region(doubt) || doubt->thread >= 0 ? ": " : "");
	pmu_encode_line(out, doubt->text);
	put_times(out, doubt->count);
}

/* "ended without a begin (12 times): main/solve, thread 0; main/solve, thread 1 and 7 more" */
static void put_several(struct pmu_text *t, struct pmu_strbuf *out, const struct group *group)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < group->n; i++)
		count = count > UINT64_MAX - group->doubt[i]->count
				? UINT64_MAX
				: count + group->doubt[i]->count;
	pmu_encode_line(out, group->doubt[0]->text);
	put_times(out, count);
	for (unsigned int i = 0; i < group->n && i < REGIONS_NAMED; i++) {
		pmu_strbuf_add(out, i ? "; " : ": ");
		put_doubt_place(t, out, group->doubt[i], t->columns / 2);
	}
	if (group->n > REGIONS_NAMED)
		pmu_strbuf_addf(out, " and %u more", group->n - REGIONS_NAMED);
}

/* Return: the number of lines; 0, and nothing is written, if those are more than @most. */
static unsigned int put_doubt_group(struct pmu_text *t, const struct group *group,
				    unsigned int most)
{
	struct pmu_strbuf text = { 0 };
	size_t begun = t->out->len;
	unsigned int n_lines = 0;

	if (group->n == 1)
		put_one(t, &text, group->doubt[0]);
	else
		put_several(t, &text, group);
	pmu_strbuf_add(t->out, "    ");
	pmu_text_wrap(t, pmu_strbuf_text(&text), INDENT);
	for (size_t i = begun; !t->out->failed && i < t->out->len; i++)
		n_lines += t->out->text[i] == '\n';
	if (n_lines > most && !t->out->failed) {
		t->out->len = begun;
		t->out->text[begun] = '\0';
		n_lines = 0;
	}
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return n_lines;
}

/* Takes all doubts with the text of the first one out of the list, from @at on. */
static struct group take_doubt_group(const struct pmu_model_doubt **doubt, unsigned int *n,
				     const struct pmu_model_doubt **room)
{
	struct group group = { .doubt = room };
	unsigned int kept = 0;

	for (unsigned int i = 0; i < *n; i++) {
		if (!i || (has_region(doubt[i]) && !strcmp(doubt[i]->text, room[0]->text)))
			room[group.n++] = doubt[i];
		else
			doubt[kept++] = doubt[i];
	}
	*n = kept;
	return group;
}

static void put_few(struct pmu_text *t)
{
	unsigned int n = t->model->n_doubts, left = MOST_LINES;
	const struct pmu_model_doubt **doubt = pmu_block_array(&t->scratch, n,
							       sizeof(struct pmu_model_doubt *));
	const struct pmu_model_doubt **room = pmu_block_array(&t->scratch, n,
							      sizeof(struct pmu_model_doubt *));

	t->failed |= !doubt || !room;
	for (unsigned int i = 0; !t->failed && i < n; i++)
		doubt[i] = &t->model->doubt[i];
	while (!t->failed && n) {
		unsigned int before = n, lines;
		struct group group = take_doubt_group(doubt, &n, room);

		/* the last line is for those that are not told */
		lines = put_doubt_group(t, &group, n ? left - 1 : left);
		if (!lines) {
			pmu_strbuf_addf(t->out,
					"    and %u more; PMU_REPORT=all shows all of them\n",
					before);
			return;
		}
		left -= lines;
	}
}

void pmu_text_doubts(struct pmu_text *t)
{
	if (!t->model->n_doubts)
		return;
	pmu_strbuf_add(t->out, "\n  doubts\n");
	if (!t->all) {
		put_few(t);
		return;
	}
	for (unsigned int i = 0; i < t->model->n_doubts; i++)
		put_doubt_group(
			t,
			&(struct group){ (const struct pmu_model_doubt *[]){ &t->model->doubt[i] },
					 1 },
			UINT32_MAX);
}
