/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of the text report: what ran, where, and what its numbers are made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/encode.h"
#include "report/several.h"
#include "report/text/terminal.h"
#include "report/text/text.h"

#define LABEL_LEAST 9u
#define LABEL_MOST  20u
#define MARGIN      2u
/* There are a handful of sources; a list from outside may be of any length. */
#define REFUSALS_MERGED 64u
#define NOTES_SHOWN     12u
/* What came before measuring is told from so much on, of so many parts of the whole. */
#define START_LEAST_NS   10000000u
#define START_LEAST_PART 20u

/* A line of the head: "  machine   AMD EPYC, ...", broken with a hanging indent. */
static void item(struct pmu_text *t, unsigned int label_width, const char *label, const char *text)
{
	size_t start = t->out->len;

	if (!text || !text[0])
		return;
	pmu_strbuf_addf(t->out, "  %s", label);
	if (pmu_utf8_width(label) > label_width) {
		pmu_strbuf_add(t->out, "\n");
		start = t->out->len;
	}
	pmu_strbuf_pad(t->out, start + MARGIN + label_width + 1, ' ');
	pmu_text_wrap(t, text, MARGIN + label_width + 1);
}

static bool same_reason(const struct pmu_model_refusal *a, const struct pmu_model_refusal *b)
{
	return !strcmp(a->why, b->why) && !strcmp(a->mend, b->mend);
}

/*
 * "not perf, software": every source that was refused for the same reason, beside the
 * first of them; NULL beside the others.
 */
static const char *refusal_label(struct pmu_text *t, unsigned int n)
{
	const struct pmu_model_refusal *refusal = t->model->refusal;
	unsigned int end = t->model->n_refusals;
	struct pmu_strbuf text = { 0 };
	const char *label;

	if (end > REFUSALS_MERGED)
		end = REFUSALS_MERGED;
	for (unsigned int i = 0; i < n && n < end; i++)
		if (same_reason(&refusal[i], &refusal[n]))
			return NULL;
	pmu_strbuf_addf(&text, "not %s", refusal[n].source);
	for (unsigned int i = n + 1; i < end; i++)
		if (same_reason(&refusal[i], &refusal[n]))
			pmu_strbuf_addf(&text, ", %s", refusal[i].source);
	label = pmu_text_shown(t, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return label;
}

/* Those of the refusals; NULL without memory. */
static const char **refusal_labels(struct pmu_text *t)
{
	unsigned int n = t->model->n_refusals;
	const char **label = pmu_block_array(&t->scratch, n, sizeof(*label));

	for (unsigned int i = 0; label && i < n; i++)
		label[i] = refusal_label(t, i);
	t->failed |= !label;
	return label;
}

static unsigned int label_width(const char *const *label, unsigned int n)
{
	size_t width = LABEL_LEAST;

	for (unsigned int i = 0; i < n; i++) {
		size_t len = label[i] ? pmu_utf8_width(label[i]) + 1 : 0;

		if (len > width && len <= LABEL_MOST)
			width = len;
	}
	return (unsigned int)width;
}

static uint64_t count_threads(const struct pmu_model *model)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < model->n_threads; i++)
		n += model->thread[i].n_merged ? model->thread[i].n_merged : 1;
	return n;
}

/* Threads that wait must not look busy: what of their time they were on a processor. */
static void cpu_time(struct pmu_text *t)
{
	const uint64_t ns = pmu_model_cpu_time(t->model);
	struct pmu_cell cell;

	pmu_cell_time(&cell, (double)ns);
	if (ns && ns != PMU_NOT_KNOWN)
		pmu_strbuf_addf(t->out, " with %s%s of CPU time", cell.number, cell.unit);
}

/* The line that begins at @start is broken where it is too long. */
static void wrap_title(struct pmu_text *t, size_t start)
{
	static const char pmu[] = "pmu: ";
	const size_t words = start + strlen(pmu);
	char *text = t->out->failed ? NULL : strdup(t->out->text + words);

	if (text) {
		t->out->text[t->out->len = words] = '\0';
		pmu_text_wrap(t, text, strlen(pmu));
	}
	t->failed |= !text;
	pmu_strbuf_add(t->out, t->color ? PMU_STYLE_END : "");
	free(text);
}

static void title_place(struct pmu_text *t)
{
	const struct pmu_model *model = t->model;
	const bool has_pid = !pmu_model_is_machine(model);

	if (has_pid)
		pmu_strbuf_addf(t->out, " (pid %lld", (long long)model->pid);
	if (model->host && model->host[0]) {
		pmu_strbuf_add(t->out, has_pid ? " on " : " (on ");
		pmu_encode_line(t->out, model->host);
	} else if (!has_pid) {
		return;
	}
	pmu_strbuf_add(t->out, ")");
}

/* Return: whether the library's version found room at the line's end. */
static bool title(struct pmu_text *t)
{
	const struct pmu_model *model = t->model;
	size_t start, width, n_version = strlen("libpmu ");
	const char *version = pmu_text_shown(t, model->version);
	uint64_t n_threads = count_threads(model);
	bool several = model->n_parts > 1 || model->ranks;
	struct pmu_cell cell;

	pmu_strbuf_add(t->out, t->color ? PMU_STYLE_HEAD : "");
	start = t->out->len;
	pmu_strbuf_add(t->out, "pmu: ");
	if (model->program && model->program[0])
		pmu_encode_line(t->out, model->program);
	else
		pmu_strbuf_add(t->out, several ? "several programs" : "(unknown program)");
	if (several) {
		model->several->title(t);
	} else {
		title_place(t);
	}
	pmu_cell_time(&cell, (double)model->duration_ns);
	/* when a program was killed is not known */
	if (!pmu_model_is_simulated(model))
		pmu_strbuf_addf(
			t->out, " %s %s%s%s", model->is_attached ? "was watched for" : "ran",
			model->died && model->died[0] ? "at least " : "", cell.number, cell.unit);
	pmu_cell_exact(&cell, n_threads);
	if (n_threads)
		pmu_strbuf_addf(t->out, ", %s %s%s", cell.number,
				pmu_model_is_machine(model) ? "processor" : "thread",
				n_threads == 1 ? "" : "s");
	cpu_time(t);
	width = t->out->failed ? 0 : pmu_utf8_width(t->out->text + start);
	n_version += pmu_utf8_width(version);
	if (!version[0] || width + 2 + n_version > t->columns) {
		wrap_title(t, start);
		return !version[0];
	}
	pmu_strbuf_pad(t->out, t->out->len + t->columns - width - n_version, ' ');
	pmu_strbuf_addf(t->out, "libpmu %s%s\n", version, t->color ? PMU_STYLE_END : "");
	return true;
}

/* "time stamp counter, 2.596 GHz"; a clock that counts nanoseconds needs no rate */
static void clock_words(struct pmu_text *t, struct pmu_strbuf *text, bool named)
{
	const char *name = pmu_text_shown(t, t->model->clock);
	double hz = t->model->clock_hz;
	struct pmu_cell rate;

	if (pmu_model_is_simulated(t->model))
		return;
	if (!named)
		pmu_strbuf_add(text, name);
	if (!(hz > 0) || hz == 1e9)
		return;
	pmu_cell_hz(&rate, hz);
	pmu_strbuf_addf(text, "%s%s%s", !named && name[0] ? ", " : "", rate.number, rate.unit);
}

static void source(struct pmu_text *t, unsigned int width)
{
	const struct pmu_model *model = t->model;
	const char *detail = pmu_text_shown(t, model->source_detail);
	const char *clock = pmu_text_shown(t, model->clock);
	struct pmu_strbuf text = { 0 }, times = { 0 };
	bool is_clock = model->source && !strcmp(model->source, "clock");

	pmu_encode_line(&text, model->source);
	if (is_clock && !detail[0])
		detail = "time and calls, no counts";
	if (detail[0])
		pmu_strbuf_addf(&text, ": %s", detail);
	clock_words(t, &times, clock[0] && strstr(detail, clock));
	/* the program died before it had one */
	if (times.len && !text.len)
		pmu_strbuf_add(&text, "unknown");
	if (times.len)
		pmu_strbuf_addf(&text, is_clock ? " (%s)" : "; times: %s", pmu_strbuf_text(&times));
	item(t, width, "source", pmu_strbuf_text(&text));
	t->failed |= text.failed || times.failed;
	pmu_strbuf_free(&text);
	pmu_strbuf_free(&times);
}

static void refusal(struct pmu_text *t, unsigned int width, const char *label,
		    const struct pmu_model_refusal *refused)
{
	unsigned int indent = MARGIN + width + 1;

	item(t, width, label, pmu_text_shown(t, refused->why));
	if (!refused->mend[0])
		return;
	pmu_strbuf_pad(t->out, t->out->len + indent, ' ');
	pmu_strbuf_add(t->out, "-> ");
	pmu_text_wrap(t, pmu_text_shown(t, refused->mend), indent + 3);
}

/* Nothing was asked for by name: what could be had is no news in each report. */
static bool is_unasked(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (model->section[i].n_counts)
			return false;
	return model->n_sections > 0 && model->n_refusals > 0;
}

/* The best source's reason; `pmu doctor` has them all, with what would help. */
static void refused_unasked(struct pmu_text *t, unsigned int width, const char *label)
{
	const char *why = pmu_text_shown(t, t->model->refusal[0].why);
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_addf(&text, "%s; 'pmu doctor' says more", why);
	item(t, width, label, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void refusals(struct pmu_text *t, unsigned int width, const char *const *label)
{
	if (is_unasked(t->model) && !t->all) {
		refused_unasked(t, width, label[0]);
		return;
	}
	for (unsigned int i = 0; i < t->model->n_refusals; i++)
		if (label[i])
			refusal(t, width, label[i], &t->model->refusal[i]);
}

static void caution(struct pmu_text *t, unsigned int width)
{
	if (!t->model->died || !t->model->died[0])
		return;
	pmu_strbuf_add(t->out, t->color ? PMU_STYLE_WARN : "");
	item(t, width, "caution", pmu_text_shown(t, t->model->died));
	pmu_strbuf_add(t->out, t->color ? PMU_STYLE_END : "");
}

/* Only a command that says more than the program's name. */
static void command(struct pmu_text *t, unsigned int width)
{
	const char *text = t->model->command;

	if (text && strchr(text, ' '))
		item(t, width, "command", pmu_text_shown(t, text));
}

/* "status 3, 1.234 s elapsed, ..."; a plain end needs no word */
static void run_outcome(struct pmu_text *t, unsigned int width)
{
	const bool simulated = pmu_model_is_simulated(t->model);
	const struct pmu_model_run *end = t->model->run;
	const struct {
		uint64_t ns;
		const char *what;
	} times[] = { { end ? end->elapsed_ns : 0,
			simulated ? "under valgrind, which is not the program's time" : "elapsed" },
		      { end ? end->user_ns : 0, "user" },
		      { end ? end->system_ns : 0, "system" } };
	const char *name = end && end->signal ? sigabbrev_np(end->signal) : NULL;
	struct pmu_strbuf text = { 0 };
	struct pmu_cell cell;

	if (!end)
		return;
	if (name)
		pmu_strbuf_addf(&text, "killed by SIG%s, ", name);
	else if (end->signal)
		pmu_strbuf_addf(&text, "killed by signal %d, ", end->signal);
	else if (end->status)
		pmu_strbuf_addf(&text, "status %d, ", end->status);
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(times); i++) {
		pmu_cell_time(&cell, (double)times[i].ns);
		pmu_strbuf_addf(&text, "%s%s%s %s", i ? ", " : "", cell.number, cell.unit,
				times[i].what);
	}
	pmu_strbuf_addf(&text, ", %.1f MiB peak memory", (double)end->max_rss / (1 << 20));
	item(t, width, simulated ? "took" : "run", pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* Where loading it took long: what is measured begins behind it. */
static void start(struct pmu_text *t, unsigned int width)
{
	const struct pmu_model_run *run = t->model->run;
	struct pmu_strbuf text = { 0 };
	struct pmu_cell cell;
	uint64_t before_ns;

	if (!run || !run->start_unix_ns || t->model->start_unix_ns < run->start_unix_ns ||
	    pmu_model_is_simulated(t->model))
		return;
	before_ns = t->model->start_unix_ns - run->start_unix_ns;
	if (before_ns > run->elapsed_ns || before_ns < START_LEAST_NS ||
	    before_ns < run->elapsed_ns / START_LEAST_PART)
		return;
	pmu_cell_time(&cell, (double)before_ns);
	pmu_strbuf_addf(
		&text,
		"%s%s passed before measuring began: the program and its libraries were loaded",
		cell.number, cell.unit);
	item(t, width, "start", pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static bool has_energy(const struct pmu_model_section *s)
{
	for (unsigned int i = 0; i < s->n_counts; i++)
		if (s->sockets >> i & 1 && !strcmp(s->count[i].unit ? s->count[i].unit : "", "uJ"))
			return true;
	return false;
}

/*
 * What uncore counts are of, and what they cost; nothing where there are none.  Intel SDM vol.
 * 3B, "RAPL Interfaces": energy is updated about every millisecond; AMD's is too.
 */
static void sockets(struct pmu_text *t, unsigned int width)
{
	struct pmu_strbuf text = { 0 };
	bool counted = false, energy = false;
	double read_ns = 0;
	struct pmu_cell cell;

	for (unsigned int i = 0; i < t->model->n_sections; i++) {
		const struct pmu_model_section *s = &t->model->section[i];

		if (!(s->sockets & ~s->process))
			continue;
		counted = true;
		energy |= has_energy(s);
		read_ns = s->socket_read_ns > read_ns ? s->socket_read_ns : read_ns;
	}
	if (!counted)
		return;
	pmu_strbuf_add(
		&text,
		"uncore and energy counts are the socket's, while at least one thread was in "
		"the region there");
	pmu_cell_time(&cell, read_ns);
	if (read_ns > 0)
		pmu_strbuf_addf(
			&text,
			"; reading the socket's counters takes %s%s at the first entry and last "
			"exit of a region",
			cell.number, cell.unit);
	if (energy)
		pmu_strbuf_add(
			&text,
			"; energy moves in steps of a millisecond or more: shorter stays have none of it or too much");
	item(t, width, "sockets", pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* What the process's counts are of, and what they cost; nothing where there are none. */
static void process(struct pmu_text *t, unsigned int width)
{
	struct pmu_strbuf text = { 0 };
	bool counted = false;
	double read_ns = 0;
	struct pmu_cell cell;

	for (unsigned int i = 0; i < t->model->n_sections; i++) {
		const struct pmu_model_section *s = &t->model->section[i];

		counted |= s->process != 0;
		if (s->process && s->socket_read_ns > read_ns)
			read_ns = s->socket_read_ns;
	}
	if (!counted)
		return;
	pmu_strbuf_add(&text, "counts are of the whole process, while at least one thread was in "
			      "the region: regions that are open at the same time count the same "
			      "work, the library's own included");
	pmu_cell_time(&cell, read_ns);
	if (read_ns > 0)
		pmu_strbuf_addf(&text,
				"; reading them takes %s%s when the first thread enters a region "
				"and when the last one leaves it",
				cell.number, cell.unit);
	item(t, width, "process", pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* Of very many processes each may have its own. */
static const char *left_out_notes(struct pmu_text *t, unsigned int n)
{
	struct pmu_strbuf text = { 0 };
	const char *shown;

	pmu_strbuf_addf(&text, "and %u more notes, all of them in a JSON report", n);
	shown = pmu_text_shown(t, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return shown;
}

void pmu_text_head(struct pmu_text *t)
{
	const struct pmu_model *model = t->model;
	const char *const *not_used = refusal_labels(t);
	unsigned int width;

	if (!not_used)
		return;
	width = label_width(not_used, model->n_refusals);
	if (!title(t)) {
		pmu_strbuf_add(t->out, "  library  ");
		pmu_strbuf_pad(t->out, t->out->len + width - 8, ' ');
		pmu_strbuf_addf(t->out, "libpmu %s\n", pmu_text_shown(t, model->version));
	}
	if (model->n_parts > 1)
		item(t, width, model->several->word(t), model->several->missing(t));
	caution(t, width);
	command(t, width);
	run_outcome(t, width);
	start(t, width);
	item(t, width, "machine", pmu_text_shown(t, model->machine));
	source(t, width);
	refusals(t, width, not_used);
	sockets(t, width);
	process(t, width);
	item(t, width, "pinning", pmu_text_shown(t, model->pinning));
	for (unsigned int i = 0; i < model->n_notes && (i < NOTES_SHOWN || !model->n_parts); i++)
		item(t, width, "note", pmu_text_shown(t, model->note[i]));
	if (model->n_notes > NOTES_SHOWN && model->n_parts)
		item(t, width, "note", left_out_notes(t, model->n_notes - NOTES_SHOWN));
}
