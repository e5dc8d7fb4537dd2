/* SPDX-License-Identifier: BSD-3-Clause */
/* Below a region the functions in which its own time goes, by samples. */
#include "report/text/samples.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "report/cell.h"
#include "report/encode.h"
#include "report/model/samples.h"

/* Of a region that many at most, each with that share of the region's samples at least. */
#define MOST_SHOWN  10
#define LEAST_SHARE 0.01

/* Of a function that many callers at most, each with that share of the function's samples at least. */
#define MOST_CALLERS       3
#define LEAST_CALLER_SHARE 0.1

/** Of a table: what is little of it all is not worth a line, however much of its own region it is. */
struct all {
	uint64_t n;      /* samples */
	bool has_enough; /* some region has, for shares */
};

/** Lines below a row, on their way. */
struct lines {
	struct pmu_text *t;
	const struct pmu_model_samples *samples;
	const struct all *all;
	struct pmu_table_line *line;
	unsigned int n;
};

static double share_of(const struct lines *l, uint64_t n)
{
	return (double)n / (double)l->samples->n;
}

static bool is_shown(const struct lines *l, uint64_t n)
{
	return share_of(l, n) >= LEAST_SHARE && (double)n >= LEAST_SHARE * (double)l->all->n;
}

static void add_share_line(struct lines *l, unsigned int depth, uint64_t n, const char *name,
			   const char *of)
{
	struct pmu_cell share;
	char text[sizeof(share.number) + sizeof(share.unit)];

	pmu_cell_share(&share, share_of(l, n));
	snprintf(text, sizeof(text), "%s%s", share.number, share.unit);
	l->line[l->n++] = (struct pmu_table_line){ depth, pmu_text_shown(l->t, text), name, of };
}

/* Its folder says little, and takes much room. */
static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash && slash[1] ? slash + 1 : file;
}

static void add_lines(struct lines *l, const struct pmu_model_function *function)
{
	char number[32];

	for (unsigned int i = 0; i < function->n_lines && i < MOST_SHOWN; i++) {
		const struct pmu_model_line *line = &function->line[i];
		struct pmu_strbuf name = { 0 };

		if (!is_shown(l, line->n_samples))
			break;
		snprintf(number, sizeof(number), ":%u", line->line);
		pmu_strbuf_addf(&name, "%s%s", line->file[0] ? base_name(line->file) : "?",
				line->line ? number : "");
		add_share_line(l, 2, line->n_samples, pmu_text_shown(l->t, pmu_strbuf_text(&name)),
			       "");
		l->t->failed |= name.failed;
		pmu_strbuf_free(&name);
	}
}

/* What the head says needs no words, nor what stands in a name that is an address. */
static const char *shown_object(struct pmu_text *t, const char *name, const char *object)
{
	size_t len = strlen(object);

	if (!strcmp(object, t->model->program) || (!strncmp(name, object, len) && name[len] == '+'))
		return "";
	return pmu_text_shown(t, object);
}

static bool is_frame_of(const struct pmu_model_frame *frame,
			const struct pmu_model_function *function)
{
	return !strcmp(frame->name, function->name) && !strcmp(frame->object, function->object);
}

/* What called a function for the first of its calls that are around this one; NULL: not known. */
static const struct pmu_model_call *find_caller(const struct pmu_model_samples *samples,
						const struct pmu_model_call *call)
{
	const struct pmu_model_call *caller = call;

	do
		caller = caller->caller ? &samples->call[caller->caller - 1] : NULL;
	while (caller && caller->frame == call->frame);
	if (caller && !strcmp(samples->frame[caller->frame].name, PMU_SAMPLES_TRUNCATED))
		return NULL;
	return caller;
}

/* @n: [n_frames] of those of @function what each has called it for; zeros before */
static void count_callers(const struct pmu_model_samples *samples,
			  const struct pmu_model_function *function, uint64_t *n)
{
	for (unsigned int i = 0; i < samples->n_calls; i++) {
		const struct pmu_model_call *call = &samples->call[i], *caller;

		if (!call->n_samples || !is_frame_of(&samples->frame[call->frame], function))
			continue;
		caller = find_caller(samples, call);
		if (caller)
			n[caller->frame] += call->n_samples;
	}
}

static void add_callers(struct lines *l, const struct pmu_model_function *function)
{
	const struct pmu_model_samples *samples = l->samples;
	uint64_t *n = pmu_block_array(&l->t->scratch, (size_t)samples->n_frames + 1, sizeof(*n));

	l->t->failed |= !n;
	if (!n)
		return;
	count_callers(samples, function, n);
	for (unsigned int shown = 0; shown < MOST_CALLERS; shown++) {
		const struct pmu_model_frame *frame = samples->frame;
		struct pmu_strbuf name = { 0 };
		unsigned int most = 0;

		for (unsigned int i = 0; i < samples->n_frames; i++)
			most = n[i] > n[most] ? i : most;
		if (!samples->n_frames || !is_shown(l, n[most]) ||
		    (double)n[most] < LEAST_CALLER_SHARE * (double)function->n_samples)
			return;
		pmu_strbuf_addf(&name, "called by %s", frame[most].name);
		add_share_line(l, 2, n[most], pmu_text_shown(l->t, pmu_strbuf_text(&name)),
			       shown_object(l->t, frame[most].name, frame[most].object));
		n[most] = 0;
		l->t->failed |= name.failed;
		pmu_strbuf_free(&name);
	}
}

static void add_functions(struct lines *l)
{
	const struct pmu_model_samples *samples = l->samples;
	uint64_t left = samples->n;
	struct pmu_cell more;
	unsigned int i;
	char text[40];

	for (i = 0; i < samples->n_functions && i < MOST_SHOWN; i++) {
		const struct pmu_model_function *function = &samples->function[i];

		if (!is_shown(l, function->n_samples))
			break;
		add_share_line(l, 1, function->n_samples, pmu_text_shown(l->t, function->name),
			       shown_object(l->t, function->name, function->object));
		if (l->t->callers)
			add_callers(l, function);
		if (l->t->lines)
			add_lines(l, function);
		left -= function->n_samples < left ? function->n_samples : left;
	}
	if (!is_shown(l, left) || i == samples->n_functions)
		return;
	pmu_cell_exact(&more, samples->n_functions - i);
	snprintf(text, sizeof(text), "%s more", more.number);
	add_share_line(l, 1, left, pmu_text_shown(l->t, text), "");
}

/* Too few of them tell nothing but that. */
static void add_few(struct lines *l)
{
	char text[40];

	snprintf(text, sizeof(text), "%u sample%s", (unsigned int)l->samples->n,
		 l->samples->n == 1 ? "" : "s");
	l->line[l->n++] = (struct pmu_table_line){ 1, pmu_text_shown(l->t, text), "", "" };
}

static void fill_below(struct pmu_text *t, const struct all *all,
		       const struct pmu_model_samples *samples, struct pmu_table_below *below)
{
	const size_t most = MOST_SHOWN * (1 + MOST_CALLERS + MOST_SHOWN) + 1;
	struct lines l = { t, samples, all, pmu_block_array(&t->scratch, most, sizeof(*l.line)),
			   0 };

	t->failed |= !l.line;
	if (!l.line)
		return;
	if (samples->n < PMU_SAMPLES_FEW)
		add_few(&l);
	else
		add_functions(&l);
	t->has_mixed_samples |= !pmu_sample_unit_add(&t->sample, &samples->unit);
	t->legend |= PMU_LEGEND_SAMPLES;
	*below = (struct pmu_table_below){ l.n, l.line };
}

static struct all add_all(const struct pmu_model_row *row, unsigned int n)
{
	struct all all = { 0, false };

	for (unsigned int i = 0; i < n; i++) {
		if (!row[i].samples)
			continue;
		all.n += row[i].samples->n;
		all.has_enough |= row[i].samples->n >= PMU_SAMPLES_FEW;
	}
	return all;
}

void pmu_text_samples(struct pmu_text *t, struct pmu_table *table, const struct pmu_model_row *row,
		      unsigned int n)
{
	const struct all all = add_all(row, n);
	struct pmu_table_below *below = NULL;

	for (unsigned int i = 0; i < n && !t->failed; i++) {
		if (!all.has_enough || !row[i].samples ||
		    (double)row[i].samples->n < LEAST_SHARE * (double)all.n)
			continue;
		if (!below)
			below = pmu_block_array(&t->scratch, n, sizeof(*below));
		t->failed |= !below;
		if (below)
			fill_below(t, &all, row[i].samples, &below[i]);
	}
	table->below = below;
}

/* As an event's interrupt may be late: perf_event_open(2), precise_ip. */
static const char *const skid[] = { "with skid", "constant skid", "precise", "precise" };
_Static_assert(PMU_ARRAY_LEN(skid) == PMU_SAMPLE_PRECISE + 1, "one for each");

void pmu_text_add_period(struct pmu_strbuf *out, const struct pmu_sample_unit *unit)
{
	struct pmu_cell period;

	if (!unit->period)
		return;
	if (pmu_sample_is_time(unit)) {
		pmu_cell_time(&period, (double)unit->period);
		pmu_strbuf_addf(out, ", one each %s%s of CPU time", period.number, period.unit);
		return;
	}
	pmu_cell_exact(&period, unit->period);
	pmu_strbuf_addf(out, ", one each %s ", period.number);
	pmu_encode_line(out, unit->event);
	pmu_strbuf_addf(out, " (%s)", skid[unit->precise]);
}

const char *pmu_text_sampled_what(const struct pmu_sample_unit *unit)
{
	return pmu_sample_is_time(unit) ? "time" : unit->event;
}

const char *pmu_text_sampled(struct pmu_text *t)
{
	struct pmu_strbuf text = { 0 };
	const char *shown;

	pmu_strbuf_addf(&text, "estimated: shares of the samples of a region's own %s",
			t->has_mixed_samples ? "time, or of another event"
					     : pmu_text_sampled_what(&t->sample));
	if (!t->has_mixed_samples)
		pmu_text_add_period(&text, &t->sample);
	shown = pmu_text_shown(t, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return shown;
}
