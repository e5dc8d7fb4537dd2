/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports in which not all calls were measured: what is shown of them, and what comes back. */
#include "tap.h"

#include <errno.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "group/metric.h"
#include "report/combine/combine.h"
#include "report/model/over_parts.h"
#include "report/model/turns.h"
#include "report/ranks/ranks.h"
#include "report/report.h"
#include "unit/model_sample.h"

static const uint64_t ms = 1000000;

/* Each call a turn; that of every second one counted a tenth more, of the others less. */
static void give_turns(struct pmu_model *model, const struct pmu_model_section *s,
		       struct pmu_model_row *row)
{
	struct pmu_model_turns *turns = pmu_model_turns_new(model, s->n_counts);
	double n = (double)row->calls;

	turns->n = turns->calls = turns->calls_square = n;
	for (unsigned int i = 0; i < s->n_counts; i++) {
		double mean = (double)row->raw[i] / n;

		turns->count[i].sum = turns->count[i].product = (double)row->raw[i];
		turns->count[i].square = n * mean * mean * 1.01;
	}
	row->turns = turns;
}

static struct pmu_model_row *sampled_row(struct pmu_model *model, struct pmu_model_section *s,
					 int thread, int parent, const char *name, uint64_t calls,
					 uint64_t unmeasured, uint64_t time_ns)
{
	struct pmu_model_row *row = sample_row(model, s, thread, parent, name, calls, time_ns);

	row->unmeasured_calls = unmeasured;
	if (calls)
		give_turns(model, s, row);
	return row;
}

/*
 * Two threads in main, all of it measured, as is leaf; 100 of 1,003 calls of kernel were, and of init
 * none.
 */
static struct pmu_model *sampled_unfinished(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	model->nth = 1;
	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, 16);
	s = model->section;
	sample_core(model, s);
	for (int i = 0; i < 2; i++) {
		int main = (int)s->n_thread_rows;

		sampled_row(model, s, i, -1, "main", 1, 0, 900 * ms);
		sampled_row(model, s, i, main, "kernel", 60 - 20 * (uint64_t)i,
			    440 + 23 * (uint64_t)i, (60 - 20 * (uint64_t)i) * ms);
		sampled_row(model, s, i, main + 1, "leaf", 500, 0, 100 * ms);
		sampled_row(model, s, i, main, "solve", 3, 0, 90 * ms);
		if (i)
			sampled_row(model, s, i, main, "init", 0, 12, 0);
	}
	return model;
}

static struct pmu_model *sampled_model(void)
{
	struct pmu_model *model = sampled_unfinished();

	if (pmu_model_finish(model))
		abort();
	pmu_metric_fill(model);
	return model;
}

static char *render(const struct pmu_model *model, enum pmu_report_format format, bool threads)
{
	const struct pmu_text_options options = { .columns = 100, .threads = threads };
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, &options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

static void hasnt(const char *text, const char *part, const char *name)
{
	if (!ok(!strstr(text, part), "%s", name))
		diag("there is \"%s\"", part);
}

static void comes_back(const struct pmu_model *model, const char *name)
{
	char *text = render(model, PMU_REPORT_JSON, false), *again = strdup(text);
	struct pmu_model *read = NULL;

	is_int(pmu_json_read(again, strlen(again), &read), 0, name);
	free(again);
	if (!read) {
		diag("%s", pmu_error_text());
		free(text);
		return;
	}
	pmu_metric_fill(read);
	again = render(read, PMU_REPORT_JSON, false);
	is_str(again, text, name);
	free(again);
	free(text);
	text = render(model, PMU_REPORT_TEXT, true);
	again = render(read, PMU_REPORT_TEXT, true);
	is_str(again, text, "and so does its text");
	free(again);
	free(text);
	pmu_model_free(read);
}

static void a_part_is_not_shown_as_the_whole(void)
{
	struct pmu_model *model = sampled_model();
	const struct pmu_model_row *kernel = sample_sum(model, "kernel");
	char *text = render(model, PMU_REPORT_TEXT, false);

	diag("%s", text);
	has(text, "100  1,003", "so many of so many");
	has(text, "~50.1%", "a share is an estimate");
	has(text, "~1.003 s", "and so is the time of all");
	has(text, "of  so many calls", "which is explained");
	has(text, "~   estimated", "and so is that");
	has(text, "0     12", "none of twelve");
	free(text);
	is_u64(kernel->calls, 100, "those that were measured");
	is_u64(kernel->all_calls, 1003, "of all");
	is_u64(sample_sum(model, "main")->self_missing & 7, 7, "no self counts around them");
	ok(strcmp(model->section->row[1].name, "kernel") == 0,
	   "by the time of all its calls it comes before what took more of those measured");
	pmu_model_free(model);
}

static void what_is_measured_each_time_is_as_ever(void)
{
	struct pmu_model *model = sample_model();
	char *text = render(model, PMU_REPORT_JSON, false);

	hasnt(text, "unmeasured", "no member for what there is none of");
	hasnt(text, "estimated", "nothing is estimated");
	hasnt(text, "in_turns", "no group takes turns");
	free(text);
	text = render(model, PMU_REPORT_CSV, false);
	hasnt(text, "unmeasured", "no column");
	hasnt(text, "estimated", "of either kind");
	free(text);
	text = render(model, PMU_REPORT_TEXT, true);
	hasnt(text, "PMU_EVERY", "nothing to explain");
	free(text);
	pmu_model_free(model);
}

static void it_comes_back_from_json(void)
{
	struct pmu_model *model = sampled_model();
	char *text = render(model, PMU_REPORT_JSON, false);

	has(text, "\"unmeasured_calls\": 903", "the number");
	has(text, "\"all_calls\": 1003", "with the others");
	has(text, "\"estimated_calls\": 1003, \"estimated_time_ns\": {\"value\": 1003000000,",
	    "what all took");
	has(text, "\"calls\": 0, \"unmeasured_calls\": 12, \"all_calls\": 12, \"time_ns\": null",
	    "of none nothing is known");
	free(text);
	comes_back(model, "as it was");
	pmu_model_free(model);
}

/* The cell of a line in the column of that title; until the next call. */
static const char *cell_of(const char *csv, const char *line, const char *title)
{
	static char cell[64];
	const char *end, *at = strstr(csv, title), *from = strstr(csv, line);
	int column = 0;

	if (!at || !from || at > strchr(csv, '\n'))
		return "(none)";
	for (end = csv; end < at; end++)
		column += *end == ',';
	for (; column; column--)
		from = strchr(from, ',') + 1;
	snprintf(cell, sizeof(cell), "%.*s", (int)strcspn(from, ",\n"), from);
	return cell;
}

static void it_has_columns_in_csv(void)
{
	struct pmu_model *model = sampled_model();
	char *csv = render(model, PMU_REPORT_CSV, false);
	static const char kernel[] = "CORE,main/kernel,kernel,1,all";

	is_str(cell_of(csv, kernel, "unmeasured_calls"), "903", "those that were not measured");
	is_str(cell_of(csv, kernel, "estimated_time_ns"), "1003000000", "what all took");
	is_str(cell_of(csv, kernel, "share"), "", "no share");
	is_str(cell_of(csv, "CORE,main/init,init,1,all", "time_ns"), "", "no time of none");
	is_str(cell_of(csv, "CORE,main/init,init,1,all", "estimated_time_ns"), "", "nor of all");
	is_str(cell_of(csv, "CORE,main/solve,solve,1,all", "unmeasured_calls"), "0", "0 is 0");
	is_str(cell_of(csv, "CORE,main/solve,solve,1,all", "share"), "0.09", "a share of all");
	for (const char *line = csv; *line; line = strchr(line, '\n') + 1) {
		size_t n = 0, want = 0;

		for (const char *at = csv; *at != '\n'; at++)
			want += *at == ',';
		for (const char *at = line; *at != '\n'; at++)
			n += *at == ',';
		if (n != want)
			ok(false, "a line has %zu cells of %zu", n + 1, want + 1);
	}
	free(csv);
	pmu_model_free(model);
}

static struct pmu_model *of_rank(int rank)
{
	struct pmu_model *model = sampled_model();

	model->rank = rank;
	model->n_ranks = 3;
	model->pid = 100 + rank;
	return model;
}

/* Added up as they come, they say the same. */
static void ranks_are_added_up(void)
{
	struct pmu_gathering *gathering = pmu_gather_new(true);
	struct pmu_model *part[3], *model = NULL, *gathered = NULL;
	struct pmu_ranks *ranks = NULL;
	struct pmu_over_parts over;
	struct pmu_spread spread;
	char *text, *again;

	for (int i = 0; i < 3; i++) {
		part[i] = of_rank(i);
		is_int(pmu_gather_add(gathering, part[i]), 0, "gathered");
	}
	is_int(pmu_gather_end(gathering, &gathered), 0, "all of them");
	is_int(pmu_model_combine(part, 3, PMU_COMBINE_RANKS, &model), 0, "combined");
	pmu_metric_fill(model);
	pmu_metric_fill(gathered);
	is_u64(sample_sum(model, "kernel")->calls, 300, "calls that were measured");
	is_u64(sample_sum(model, "kernel")->unmeasured_calls, 3 * 903, "and those that were not");
	ok(fabs(sample_sum(model, "kernel")->whole_time->value - 3009e6) < 1, "time of all");
	text = render(model, PMU_REPORT_TEXT, false);
	again = render(gathered, PMU_REPORT_TEXT, false);
	is_str(again, text, "the same text");
	has(text, "~3.009 s", "with what all took");
	free(text);
	free(again);
	is_int(pmu_over_parts_open(&over, model, model->section), 0, "over ranks");
	ok(!pmu_over_parts(&over, 1, -1, &spread), "samples are not compared with each other");
	ok(pmu_over_parts(&over, 0, -1, &spread), "what is measured each time is");
	pmu_over_parts_close(&over);
	is_int(pmu_ranks_of(model, 0, &ranks), -ENOTSUP, "there is no record of them");
	has(pmu_error_text(), "not all calls", "and it is said why");
	comes_back(model, "of ranks");
	for (int i = 0; i < 3; i++)
		pmu_model_free(part[i]);
	pmu_model_free(model);
	pmu_model_free(gathered);
}

static void a_program_is_known_if_all_in_it_is(void)
{
	struct pmu_model *part[2] = { sampled_model(), sampled_unfinished() }, *model = NULL;
	const struct pmu_model_row *program;

	part[1]->program = "other";
	part[1]->pid = 7;
	/* outermost in it, and a sample */
	part[1]->section->thread_row[0].unmeasured_calls = 4;
	is_int(pmu_model_finish(part[1]), 0, "finished");
	is_int(pmu_model_combine(part, 2, PMU_COMBINE_PROGRAMS, &model), 0, "combined");
	pmu_metric_fill(model);
	program = sample_sum(model, "demo");
	ok(pmu_model_time_known(program), "all of main of the one");
	is_u64(program->time_ns, 1800 * ms, "is the program's");
	program = sample_sum(model, "other");
	ok(!pmu_model_time_known(program), "some of main of the other");
	is_u64(program->missing & 7, 7, "is no program's");
	comes_back(model, "of programs");
	for (int i = 0; i < 2; i++)
		pmu_model_free(part[i]);
	pmu_model_free(model);
}

static void a_team_is_known_if_all_of_it_is(void)
{
	struct pmu_model *model = sample_team();
	const struct pmu_model_team *team;

	model->section->thread_row[2].unmeasured_calls = 5;
	is_int(pmu_model_finish(model), 0, "finished once more");
	pmu_metric_fill(model);
	team = sample_sum(model, "solve")->team;
	ok(team && !team->time_known, "no time of all threads");
	is_u64(team ? team->missing & 7 : 0, 7, "no counts");
	ok(team && isnan(team->share) && isnan(team->efficiency), "and nothing that follows");
	comes_back(model, "of teams");
	pmu_model_free(model);
}

static void reports_of_earlier_versions_take_turns(void)
{
	struct pmu_model *model = sampled_unfinished();

	for (unsigned int i = 0; i < model->section->n_thread_rows; i++)
		model->section->thread_row[i].unmeasured_calls = 0;
	is_int(pmu_model_finish(model), 0, "finished");
	ok(model->section->in_turns, "turns, and every call measured: groups had them");
	pmu_model_free(model);
	model = sampled_model();
	ok(!model->section->in_turns, "else they are calls'");
	pmu_model_free(model);
}

int main(void)
{
	a_part_is_not_shown_as_the_whole();
	what_is_measured_each_time_is_as_ever();
	it_comes_back_from_json();
	it_has_columns_in_csv();
	ranks_are_added_up();
	a_program_is_known_if_all_in_it_is();
	a_team_is_known_if_all_of_it_is();
	reports_of_earlier_versions_take_turns();
	return done_testing();
}
