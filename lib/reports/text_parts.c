/* SPDX-License-Identifier: BSD-3-Clause */
/* What the text report says of a combined model's ranks or processes. */
#include "reports/text_parts.h"

#include <math.h>
#include <string.h>

#include "report/encode.h"
#include "report/text/longest.h"
#include "report/text/table.h"
#include "reports/combine/combine.h"
#include "reports/over_parts.h"
#include "reports/ranks/ranks.h"

#define RANGES_NAMED 8u
#define PARTS_SHOWN  16u
#define WORST_NAMED  3u

const char *pmu_text_parts_word(const struct pmu_text *t)
{
	return t->model->ranks || pmu_model_is_ranked(t->model) ? "ranks" : "processes";
}

static unsigned int n_processes(const struct pmu_model *model)
{
	return pmu_parts_processes(model->part, NULL, model->n_parts);
}

/* --- the head --- */

static bool same_host(const struct pmu_model *model, unsigned int a, unsigned int b)
{
	return !strcmp(model->part[a].host, model->part[b].host);
}

static bool on_one_host(const struct pmu_model *model)
{
	for (unsigned int i = 1; i < model->n_parts; i++)
		if (!same_host(model, 0, i))
			return false;
	return true;
}

/* Of ranks that have made their report together. */
static void title_of_ranks(struct pmu_text *t)
{
	const struct pmu_ranks_saying *hosts = &t->model->ranks->saying[PMU_SAID_HOST];
	struct pmu_cell cell;

	pmu_cell_exact(&cell, t->model->ranks->n_ranks);
	pmu_strbuf_addf(t->out, " (%s ranks", cell.number);
	if (t->model->host[0]) {
		pmu_strbuf_add(t->out, " on ");
		pmu_encode_line(t->out, t->model->host);
	} else if (hosts->n > 1) {
		pmu_strbuf_addf(t->out, " on %s%u hosts", hosts->n_more ? "more than " : "",
				hosts->n);
	}
	pmu_strbuf_add(t->out, ")");
}

void pmu_text_parts_title(struct pmu_text *t)
{
	const struct pmu_model *model = t->model;
	unsigned int n_ranks = pmu_model_is_ranked(model) ? pmu_model_n_ranks(model) : 0;
	unsigned int n = n_processes(model);

	if (!model->n_parts) {
		title_of_ranks(t);
		return;
	}
	if (n_ranks == model->n_parts)
		pmu_strbuf_addf(t->out, " (%u ranks", n_ranks);
	else
		pmu_strbuf_addf(t->out, " (%u process%s", n, n == 1 ? "" : "es");
	if (n_ranks && n_ranks < model->n_parts)
		pmu_strbuf_addf(t->out, " of %u rank%s", n_ranks, n_ranks == 1 ? "" : "s");
	if (!on_one_host(model)) {
		pmu_strbuf_add(t->out, " on several hosts");
	} else if (model->part[0].host[0]) {
		pmu_strbuf_add(t->out, " on ");
		pmu_encode_line(t->out, model->part[0].host);
	}
	pmu_strbuf_add(t->out, ")");
}

/* Gaps between the ranks that there are, and behind them. */
struct gaps {
	struct pmu_strbuf text;
	unsigned int n_ranges;
	int64_t n; /* ranks in them */
};

static void add_gap(struct gaps *gaps, int first, int last)
{
	if (last < first)
		return;
	gaps->n += (int64_t)last - first + 1;
	if (++gaps->n_ranges > RANGES_NAMED)
		return;
	pmu_strbuf_addf(&gaps->text, "%s%d", gaps->n_ranges > 1 ? ", " : "", first);
	if (last > first)
		pmu_strbuf_addf(&gaps->text, "-%d", last);
}

static void find_gaps(const struct pmu_model *model, struct gaps *gaps)
{
	int next = 0; /* no rank is above it so far */

	for (unsigned int i = 0; i < model->n_parts; i++) {
		int rank = model->part[i].rank;

		if (rank < next)
			continue;
		add_gap(gaps, next, rank - 1);
		next = rank < INT32_MAX ? rank + 1 : rank;
	}
	add_gap(gaps, next, model->n_ranks - 1);
}

const char *pmu_text_parts_missing(struct pmu_text *t)
{
	struct gaps gaps = { .n = 0 };
	struct pmu_strbuf text = { 0 };
	const char *shown = "";
	unsigned int n;

	if (!pmu_model_is_ranked(t->model))
		return "";
	find_gaps(t->model, &gaps);
	n = pmu_model_n_ranks(t->model);
	if (gaps.n) {
		pmu_strbuf_addf(&text, "%u of %s%lld: ", n, t->model->n_ranks ? "" : "at least ",
				(long long)(n + gaps.n));
		if (gaps.n_ranges <= RANGES_NAMED)
			pmu_strbuf_addf(&text, "rank%s %s %s no report", gaps.n > 1 ? "s" : "",
					pmu_strbuf_text(&gaps.text), gaps.n > 1 ? "have" : "has");
		else
			pmu_strbuf_addf(&text, "%lld ranks have no report", (long long)gaps.n);
		shown = pmu_text_shown(t, pmu_strbuf_text(&text));
	}
	t->failed |= text.failed || gaps.text.failed;
	pmu_strbuf_free(&text);
	pmu_strbuf_free(&gaps.text);
	return shown;
}

/* --- regions over the parts --- */

enum over_column { N_HAVE, MEAN, LEAST, MOST, IMBALANCE, EXPLAINS, WHERE, N_OVER };

/* One table: of the time, or of a count. */
struct over {
	struct pmu_text *t;
	const struct pmu_model_section *s;
	/* of ranks, where that is known, or of parts by their rows */
	const struct pmu_ranks *ranks;
	const struct pmu_ranks_section *of_ranks;
	struct pmu_over_parts parts;
	const unsigned int *at;
	unsigned int n;
	int count;
	unsigned int n_all; /* ranks or processes that there are */
	const char *word;   /* what they are */
	bool has_parts;
	bool spread, differ; /* some region is in several; not in all */
	bool by_ranks;       /* what is a socket's is known of parts alone */
	bool explained;      /* some region's part of the imbalance is known */
	struct pmu_cell *cell[N_OVER];
	struct pmu_spread *spread_of; /* [n] */
	double largest;               /* of all */
};

static uint64_t whole(double value)
{
	return value >= 0x1p63 ? UINT64_MAX : (uint64_t)(value + 0.5);
}

static void put_spread_value(const struct over *o, struct pmu_cell *cell, double value)
{
	const char *unit = o->count < 0 ? "ns" : o->s->count[o->count].unit;

	if (unit && !strcmp(unit, "ns"))
		pmu_cell_time(cell, value);
	else if (unit && !strcmp(unit, "uJ"))
		pmu_cell_energy(cell, whole(value));
	else
		pmu_cell_count(cell, whole(value), whole(o->largest));
}

static const struct pmu_over *over_of(const struct over *o, unsigned int i)
{
	const struct pmu_ranks_row *row = &o->of_ranks->row[o->at ? o->at[i] : i];

	return &row->over[o->count < 0 ? PMU_OVER_TIME_NS : PMU_OVER_COUNT + o->count];
}

/* As it is of parts: missing where any rank has not counted it. */
static bool spread_over_ranks(const struct over *o, unsigned int i, struct pmu_spread *spread)
{
	const struct pmu_over *over = over_of(o, i);

	*spread = (struct pmu_spread){
		.n = (unsigned int)over->n,
		.sum = (double)over->sum,
		.min = (double)over->min,
		.max = (double)over->max,
		.mean = pmu_over_mean(over),
		.imbalance = pmu_over_imbalance(over),
	};
	return over->n &&
	       (o->count < 0 || !(o->s->row[o->at ? o->at[i] : i].missing >> o->count & 1));
}

static void find_spreads(struct over *o)
{
	o->largest = 0;
	o->by_ranks = o->ranks && !(o->count >= 0 && o->s->sockets >> o->count & 1);
	for (unsigned int i = 0; i < o->n; i++) {
		struct pmu_spread *spread = &o->spread_of[i];

		if (!(o->by_ranks ? spread_over_ranks(o, i, spread)
				  : o->has_parts && pmu_over_parts(&o->parts, o->at ? o->at[i] : i,
								   o->count, spread)))
			spread->n = 0;
		else if (spread->max > o->largest)
			o->largest = spread->max;
	}
}

static bool on_several_hosts(const struct pmu_ranks *ranks)
{
	return ranks->saying[PMU_SAID_HOST].n > 1;
}

/* "rank 37 on node2" */
static const char *rank_text(struct pmu_text *t, const struct pmu_ranks *ranks, uint32_t rank,
			     const char *host)
{
	struct pmu_strbuf text = { 0 };
	const char *shown;

	pmu_strbuf_addf(&text, "rank %u", rank);
	if (host[0] && on_several_hosts(ranks))
		pmu_strbuf_addf(&text, " on %s", host);
	shown = pmu_text_shown(t, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return shown;
}

static const char *part_of_most(const struct over *o, unsigned int i,
				const struct pmu_spread *spread)
{
	const struct pmu_over *over;

	if (!o->by_ranks)
		return pmu_text_shown(o->t, o->t->model->part[spread->part_max].label);
	over = over_of(o, i);
	return rank_text(o->t, o->ranks, over->max_rank, over->max_host);
}

static void put_explained(struct over *o, unsigned int i)
{
	double part = o->ranks && o->count < 0 && o->ranks->whole[PMU_WHOLE_MPI].sum
			      ? pmu_ranks_explains(o->ranks,
						   &o->of_ranks->row[o->at ? o->at[i] : i])
			      : NAN;
	char *number;

	pmu_cell_text(&o->cell[EXPLAINS][i], "");
	if (isnan(part))
		return;
	o->explained = true;
	pmu_cell_share(&o->cell[EXPLAINS][i], fabs(part));
	/* a region that the slowest rank is faster in makes up for some of it */
	number = o->cell[EXPLAINS][i].number;
	if (part < 0 && number[0] != '<' && strlen(number) + 1 < sizeof(o->cell[0]->number)) {
		memmove(number + 1, number, strlen(number) + 1);
		number[0] = '-';
	}
}

static void fill_over(struct over *o)
{
	find_spreads(o);
	for (unsigned int i = 0; i < o->n; i++) {
		const struct pmu_spread spread = o->spread_of[i];

		for (unsigned int c = 0; c < N_OVER; c++)
			pmu_cell_none(&o->cell[c][i]);
		if (!spread.n) {
			o->t->legend |= PMU_LEGEND_UNKNOWN;
			continue;
		}
		o->spread |= spread.n > 1;
		o->differ |= spread.n != o->n_all;
		pmu_cell_exact(&o->cell[N_HAVE][i], spread.n);
		put_spread_value(o, &o->cell[MEAN][i], spread.mean);
		put_spread_value(o, &o->cell[LEAST][i], spread.min);
		put_spread_value(o, &o->cell[MOST][i], spread.max);
		pmu_cell_text(&o->cell[IMBALANCE][i], "");
		pmu_cell_text(&o->cell[WHERE][i], "");
		if (spread.n > 1 && spread.mean > 0)
			pmu_cell_share(&o->cell[IMBALANCE][i], spread.imbalance);
		if (spread.max > 0)
			pmu_cell_text(&o->cell[WHERE][i], part_of_most(o, i, &spread));
		put_explained(o, i);
	}
}

static void print_over(struct over *o)
{
	const char *titles[N_OVER] = { o->word,     "mean",     "min",    "max",
				       "imbalance", "explains", "most in" };
	struct pmu_text *t = o->t;
	struct pmu_table table = { .n_rows = o->n, .color = t->color };

	table.label = pmu_block_array(&t->scratch, o->n, sizeof(*table.label));
	table.column = pmu_block_array(&t->scratch, N_OVER, sizeof(*table.column));
	t->failed |= !table.label || !table.column;
	if (t->failed)
		return;
	for (unsigned int i = 0; i < o->n; i++) {
		const struct pmu_model_row *row = &o->s->row[o->at ? o->at[i] : i];

		table.label[i].name = pmu_text_row_name(t, row);
		table.label[i].depth = t->sort ? 0 : (unsigned int)row->depth;
	}
	for (unsigned int c = 0; c < N_OVER; c++)
		if ((c != N_HAVE || o->differ) && (c != EXPLAINS || o->explained))
			table.column[table.n_columns++] = (struct pmu_table_column){
				.title = titles[c], .kind = "region", .cell = o->cell[c]
			};
	pmu_strbuf_addf(t->out, "\n  over %u %s: ", o->n_all, o->word);
	if (o->count < 0)
		pmu_strbuf_add(t->out, "time");
	else
		pmu_encode_line(t->out, o->s->count[o->count].name);
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->scratch) < 0;
	if (table.too_deep)
		t->legend |= PMU_LEGEND_DEEP;
}

static bool is_any_counted(const struct over *o)
{
	for (unsigned int i = 0; i < o->n && o->count >= 0; i++)
		if (!(o->s->row[o->at ? o->at[i] : i].missing >> o->count & 1))
			return true;
	return o->count < 0 && !pmu_model_is_simulated(o->t->model);
}

/* --- each rank as a whole --- */

/* What of its time each rank computes, and what it is in MPI. */
static void print_whole(struct pmu_text *t, const struct pmu_ranks *ranks)
{
	static const enum pmu_ranks_whole what[] = { PMU_WHOLE_COMPUTE, PMU_WHOLE_MPI };
	static const char *const titles[] = { "mean", "min", "max", "imbalance", "most in" };
	struct pmu_table table = { .n_rows = 2, .n_columns = 5, .color = t->color };
	struct pmu_table_label label[2] = { { .name = "computing" }, { .name = "in MPI" } };
	struct pmu_table_column column[5];
	struct pmu_cell cell[5][2];

	for (unsigned int i = 0; i < table.n_rows; i++) {
		const struct pmu_over *over = &ranks->whole[what[i]];

		pmu_cell_time(&cell[0][i], pmu_over_mean(over));
		pmu_cell_time(&cell[1][i], (double)over->min);
		pmu_cell_time(&cell[2][i], (double)over->max);
		pmu_cell_share(&cell[3][i], pmu_over_imbalance(over));
		pmu_cell_text(&cell[4][i], rank_text(t, ranks, over->max_rank, over->max_host));
	}
	for (unsigned int c = 0; c < 5; c++)
		column[c] = (struct pmu_table_column){ .title = titles[c],
						       .kind = "each rank",
						       .cell = cell[c] };
	table.label = label;
	table.column = column;
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->scratch) < 0;
}

/* The ranks that compute longest, by number and host. */
static void add_worst(struct pmu_text *t, const struct pmu_ranks *ranks, struct pmu_strbuf *text)
{
	unsigned int n = t->all || ranks->n_worst < WORST_NAMED ? ranks->n_worst : WORST_NAMED;
	struct pmu_cell cell;

	pmu_strbuf_add(text, "computing longest: ");
	for (unsigned int i = 0; i < n; i++) {
		pmu_cell_time(&cell, (double)ranks->worst[i].compute_ns);
		pmu_strbuf_addf(text, "%s%s (%s%s)", i ? ", " : "",
				rank_text(t, ranks, ranks->worst[i].rank, ranks->worst[i].host),
				cell.number, cell.unit);
	}
}

static void print_worst(struct pmu_text *t, const struct pmu_ranks *ranks, bool explained)
{
	const struct pmu_over *compute = &ranks->whole[PMU_WHOLE_COMPUTE];
	struct pmu_strbuf text = { 0 };
	struct pmu_cell cell;

	if (!ranks->whole[PMU_WHOLE_MPI].sum)
		pmu_strbuf_add(&text,
			       "no call of MPI is a region, and waiting for other ranks is in "
			       "these times; PMU_AUTO=mpi tells it apart");
	else
		add_worst(t, ranks, &text);
	if (explained) {
		pmu_cell_time(&cell, (double)compute->max - pmu_over_mean(compute));
		pmu_strbuf_addf(&text,
				"; \"explains\": what part of the %s%s that %s computes beyond "
				"the mean is in a region, without those in it",
				cell.number, cell.unit,
				rank_text(t, ranks, ranks->worst[0].rank, ""));
	}
	pmu_strbuf_add(t->out, "\n  ");
	if (!text.failed && !t->failed)
		pmu_text_wrap(t, text.text, 2);
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static const struct pmu_ranks *ranks_of(struct pmu_text *t)
{
	if (!t->sought_ranks)
		t->ranks = pmu_ranks_for(t->model, &t->made_ranks);
	t->sought_ranks = true;
	return t->ranks;
}

void pmu_text_parts_close(struct pmu_text *t)
{
	pmu_ranks_free(t->made_ranks);
}

/* Once, below the times of the first group. */
static void tell_whole(struct over *o)
{
	if (!o->ranks || o->t->told_ranks || o->ranks->n_ranks < 2)
		return;
	o->t->told_ranks = true;
	if (o->ranks->whole[PMU_WHOLE_MPI].sum)
		print_whole(o->t, o->ranks);
	print_worst(o->t, o->ranks, o->explained);
}

static void print_each(struct over *o, int end)
{
	const int ranked = (int)o->s->ranked - 1;

	for (o->count = PMU_OVER_TIME; o->count < end || o->count <= ranked; o->count++) {
		o->differ = o->explained = false;
		if (o->t->failed || !is_any_counted(o) || (o->count >= end && o->count != ranked))
			continue;
		fill_over(o);
		/* of processes that have nothing in common there is nothing to compare */
		if (!o->spread)
			break;
		print_over(o);
		if (o->count == PMU_OVER_TIME)
			tell_whole(o);
	}
}

void pmu_text_over_parts(struct pmu_text *t, const struct pmu_model_section *section,
			 const unsigned int *at, unsigned int n)
{
	struct over o = { .t = t, .s = section, .at = at, .n = n, .n_all = t->model->n_parts };
	int end = t->all || t->threads ? (int)section->n_counts : 0;

	/*
	 * Programs that have started each other are no ranks: what the one did says nothing of the
	 * other.
	 */
	o.ranks = ranks_of(t);
	if (!o.ranks && !pmu_model_is_ranked(t->model) && !end)
		return;
	if (o.ranks)
		o.of_ranks = &o.ranks->section[section - t->model->section];
	for (unsigned int c = 0; c < N_OVER; c++) {
		o.cell[c] = pmu_block_array(&t->scratch, n, sizeof(struct pmu_cell));
		t->failed |= !o.cell[c];
	}
	o.spread_of = pmu_block_array(&t->scratch, n, sizeof(*o.spread_of));
	t->failed |= !o.spread_of;
	if (t->failed)
		return;
	o.has_parts = t->model->n_parts > 0;
	if (o.has_parts && pmu_over_parts_open(&o.parts, t->model, section) < 0) {
		t->failed = true;
		return;
	}
	o.word = pmu_text_parts_word(t);
	if (o.ranks)
		o.n_all = (unsigned int)o.ranks->n_ranks;
	else if (o.parts.ranked)
		o.n_all = pmu_model_n_ranks(t->model);
	/* a process that was several is as many of what is compared here */
	else if (n_processes(t->model) < t->model->n_parts)
		o.word = "programs";
	print_each(&o, end);
	if (o.has_parts)
		pmu_over_parts_close(&o.parts);
}

/* --- the parts themselves --- */

enum part_column {
	HOST,
	PID,
	PROGRAM,
	TIME,
	CPU_TIME,
	THREADS,
	IN_REGIONS,
	FAULTS,
	SWITCHES,
	END,
	N_PART_COLUMNS
};

static const char *const part_titles[N_PART_COLUMNS] = { "host",       "pid",      "program",
							 "time",       "CPU time", "threads",
							 "in regions", "faults",   "switches",
							 "end" };

/* What a part's threads are together. */
struct part_sum {
	uint64_t n_threads, time_ns, in_regions_ns;
	bool open;
	int64_t faults, switches, cpu_ns; /* -1: not known of all */
};

static void add_known_pair(int64_t *sum, int64_t a, int64_t b)
{
	if (*sum < 0 || a < 0 || b < 0 || __builtin_add_overflow(*sum, a, sum) ||
	    __builtin_add_overflow(*sum, b, sum))
		*sum = -1;
}

static void sum_threads(const struct pmu_text *t, struct part_sum *sum)
{
	for (unsigned int i = 0; i < t->model->n_threads; i++) {
		const struct pmu_model_thread *thread = &t->model->thread[i];
		struct part_sum *part = &sum[thread->part];

		part->n_threads += thread->n_merged ? thread->n_merged : 1;
		part->time_ns += thread->time_ns;
		part->in_regions_ns += thread->in_regions_ns;
		part->open |= thread->in_part;
		add_known_pair(&part->faults, thread->minor_faults, thread->major_faults);
		add_known_pair(&part->cpu_ns, thread->cpu_ns, 0);
		add_known_pair(&part->switches, thread->voluntary_switches,
			       thread->involuntary_switches);
	}
}

static void put_part_cell(struct pmu_cell *cell, int64_t value, int64_t largest)
{
	if (value < 0)
		pmu_cell_none(cell);
	else
		pmu_cell_count(cell, (uint64_t)value, (uint64_t)largest);
}

static void find_largest(const struct part_sum *sum, unsigned int n, struct part_sum *largest)
{
	for (unsigned int i = 0; i < n; i++) {
		if (sum[i].faults > largest->faults)
			largest->faults = sum[i].faults;
		if (sum[i].switches > largest->switches)
			largest->switches = sum[i].switches;
	}
}

/* @i: row of the table */
static void fill_part(struct pmu_text *t, const struct pmu_model_part *part, unsigned int i,
		      const struct part_sum *sum, const struct part_sum *largest,
		      struct pmu_cell *const cell[N_PART_COLUMNS])
{
	struct pmu_strbuf pid = { 0 };

	if (part->pid >= 0)
		pmu_strbuf_addf(&pid, "%lld", (long long)part->pid);
	pmu_cell_text(&cell[HOST][i], pmu_text_shown(t, part->host));
	pmu_cell_text(&cell[PID][i], pmu_strbuf_text(&pid));
	pmu_cell_text(&cell[PROGRAM][i], pmu_text_shown(t, part->program));
	pmu_cell_time(&cell[TIME][i], (double)part->duration_ns);
	pmu_cell_time(&cell[CPU_TIME][i], sum->cpu_ns < 0 ? NAN : (double)sum->cpu_ns);
	pmu_cell_exact(&cell[THREADS][i], sum->n_threads);
	pmu_cell_share(&cell[IN_REGIONS][i],
		       sum->open ? NAN : (double)sum->in_regions_ns / (double)sum->time_ns);
	put_part_cell(&cell[FAULTS][i], sum->faults, largest->faults);
	put_part_cell(&cell[SWITCHES][i], sum->switches, largest->switches);
	pmu_cell_text(&cell[END][i], part->died ? "not cleanly" : "");
	t->failed |= pid.failed;
	pmu_strbuf_free(&pid);
}

/* Another one of the same program, the first or the second of them; NULL: there is none. */
static const struct pmu_model_part *namesake(const struct pmu_model *model,
					     const struct pmu_model_part *part)
{
	for (unsigned int i = 0; i < model->n_parts; i++)
		if (&model->part[i] != part && !strcmp(model->part[i].program, part->program))
			return &model->part[i];
	return NULL;
}

static bool has_word(const char *text, const char *word, size_t len)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (n == len && !strncmp(text, word, len))
			return true;
		text += n + strspn(text + n, " ");
	}
	return false;
}

/* What its command line has and the other's has not, an option only where there is nothing else. */
static const char *own_word(const char *command, const char *other)
{
	const char *word = command + strcspn(command, " "), *found = "";
	size_t len;

	for (word += strspn(word, " "); *word; word += len + strspn(word + len, " ")) {
		len = strcspn(word, " ");
		if ((*found && *word == '-') || has_word(other, word, len))
			continue;
		found = word;
		if (*word != '-')
			break;
	}
	return found;
}

/* "cc1 4711 solve.c": those of the same program are told apart. */
static const char *part_name(struct pmu_text *t, const struct pmu_model_part *part)
{
	const struct pmu_model_part *other = namesake(t->model, part);
	const char *word = other ? own_word(part->command, other->command) : "";
	struct pmu_strbuf text = { 0 };
	const char *shown;

	pmu_strbuf_add(&text, part->label);
	if (*word) {
		pmu_strbuf_add(&text, " ");
		pmu_strbuf_add_n(&text, word, strcspn(word, " "));
	}
	shown = pmu_text_shown(t, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return shown;
}

/* A column that says the same in all rows, or what the labels say, is left out. */
static bool is_worth(const struct pmu_text *t, enum part_column column, const struct pmu_cell *cell,
		     unsigned int n)
{
	const struct pmu_model *model = t->model;
	bool own_ranks = pmu_model_is_ranked(model) && pmu_model_n_ranks(model) == model->n_parts;
	bool any = false, differ = false;

	for (unsigned int i = 0; i < n; i++) {
		any |= cell[i].number[0] && strcmp(cell[i].number, "-") != 0;
		differ |= strcmp(cell[i].number, cell[0].number) != 0;
	}
	if (column == TIME || column == CPU_TIME || column == IN_REGIONS)
		return any && !pmu_model_is_simulated(model);
	if (column == PID || column == PROGRAM || column == HOST)
		return own_ranks && any && (differ || column == PID);
	return any;
}

static const char *left_out_word(const struct pmu_text *t, unsigned int n)
{
	if (n > 1)
		return pmu_text_parts_word(t);
	return pmu_model_is_ranked(t->model) ? "rank" : "process";
}

/* Of many parts those that computed most; where that is not known, that ran longest. */
static bool choose_parts(struct pmu_text *t, const struct part_sum *sum, bool by_cpu,
			 struct pmu_longest *longest)
{
	unsigned int n = t->model->n_parts;
	uint64_t *time = pmu_block_array(&t->scratch, n, sizeof(*time));

	for (unsigned int i = 0; time && i < n; i++)
		time[i] = by_cpu ? (uint64_t)sum[i].cpu_ns : t->model->part[i].duration_ns;
	t->failed |= !time || pmu_longest(longest, time, n, t->threads || t->all ? n : PARTS_SHOWN,
					  &t->scratch) < 0;
	return !t->failed;
}

void pmu_text_parts_table(struct pmu_text *t)
{
	struct part_sum *sum = pmu_block_array(&t->scratch, t->model->n_parts, sizeof(*sum)),
			largest = { .faults = 0 };
	struct pmu_table table = { .color = t->color };
	struct pmu_cell *cell[N_PART_COLUMNS];
	struct pmu_longest longest;
	const bool by_cpu = pmu_model_cpu_time(t->model) != PMU_NOT_KNOWN;
	unsigned int n;

	t->failed |= !sum;
	if (t->failed)
		return;
	sum_threads(t, sum);
	if (!choose_parts(t, sum, by_cpu, &longest))
		return;
	table.n_rows = n = longest.n;
	table.label = pmu_block_array(&t->scratch, n, sizeof(*table.label));
	table.column = pmu_block_array(&t->scratch, N_PART_COLUMNS, sizeof(*table.column));
	t->failed |= !table.label || !table.column;
	for (unsigned int c = 0; c < N_PART_COLUMNS; c++) {
		cell[c] = pmu_block_array(&t->scratch, n, sizeof(*cell[c]));
		t->failed |= !cell[c];
	}
	if (t->failed)
		return;
	find_largest(sum, t->model->n_parts, &largest);
	for (unsigned int i = 0; i < n; i++) {
		const struct pmu_model_part *part = &t->model->part[longest.at[i]];

		table.label[i].name = part_name(t, part);
		fill_part(t, part, i, &sum[longest.at[i]], &largest, cell);
	}
	for (unsigned int c = 0; c < N_PART_COLUMNS; c++)
		if (is_worth(t, (enum part_column)c, cell[c], n))
			table.column[table.n_columns++] = (struct pmu_table_column){
				.title = part_titles[c],
				.kind = pmu_model_is_ranked(t->model) ? "rank" : "process",
				.cell = cell[c]
			};
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->scratch) < 0;
	if (longest.n_left)
		pmu_text_left_out(t, longest.n_left, left_out_word(t, longest.n_left),
				  longest.most_left, by_cpu ? " of CPU time" : "", "all");
}
