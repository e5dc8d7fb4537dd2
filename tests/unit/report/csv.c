/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV report, read back cell by cell. */
#include "unit/part.h"

#include "report/encode.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "unit/model_sample.h"

enum { MAX_ROWS = 64, MAX_CELLS = 64 };

struct sheet {
	char *text; /* cells point into it */
	char *cell[MAX_ROWS][MAX_CELLS];
	int n_cells[MAX_ROWS];
	int n_rows;
};

/* One cell at *from by RFC 4180; the character behind it is returned. */
static char read_cell(char **from, char **cell)
{
	char *in = *from, *out = *from, behind;

	*cell = out;
	if (*in == '"') {
		for (in++; *in && !(in[0] == '"' && in[1] != '"'); in++) {
			*out++ = *in;
			in += *in == '"';
		}
		in += *in == '"';
	} else {
		while (*in && *in != ',' && *in != '\n')
			*out++ = *in++;
	}
	behind = *in;
	*from = behind ? in + 1 : in;
	*out = '\0';
	return behind;
}

static void read_sheet(const struct pmu_model *model, struct sheet *sheet)
{
	struct pmu_strbuf out = { 0 };
	char *from;

	memset(sheet, 0, sizeof(*sheet));
	pmu_write_csv(&out, model);
	ok(!out.failed, "rendered");
	from = sheet->text = out.text;
	while (*from && sheet->n_rows < MAX_ROWS) {
		int *n = &sheet->n_cells[sheet->n_rows];

		while (*n < MAX_CELLS &&
		       read_cell(&from, &sheet->cell[sheet->n_rows][(*n)++]) == ',')
			;
		sheet->n_rows++;
	}
	for (int i = 1; i < sheet->n_rows; i++)
		if (sheet->n_cells[i] != sheet->n_cells[0])
			ok(false, "row %d has as many cells as the header", i);
}

static const char *cell_of(const struct sheet *sheet, int row, const char *column)
{
	for (int i = 0; i < sheet->n_cells[0]; i++)
		if (!strcmp(sheet->cell[0][i], column))
			return sheet->cell[row][i];
	return "(no such column)";
}

/* The row of a region (its name as it is written) and thread. */
static int row_of(const struct sheet *sheet, const char *name, const char *thread)
{
	for (int i = 1; i < sheet->n_rows; i++)
		if (!strcmp(cell_of(sheet, i, "name"), name) &&
		    !strcmp(cell_of(sheet, i, "thread"), thread))
			return i;
	ok(false, "there is a row of %s, %s", name, thread);
	return 0;
}

static void each_region_has_a_row_for_all_and_for_each_thread(void)
{
	struct pmu_model *model = sample_model();
	struct sheet sheet;
	int row;

	pmu_metric_fill(model);
	read_sheet(model, &sheet);
	is_int(sheet.n_rows, 1 + 8 + 11, "header, sums, threads' rows");
	is_str(sheet.cell[0][0], "group", "the columns' order");
	is_str(sheet.cell[0][12], "share", "of those that are always there");
	is_str(sheet.cell[0][13], "own_ns", "the library's own time");
	is_str(sheet.cell[0][14], "cpu_ns", "on a processor");
	is_str(sheet.cell[0][16], "runnable_ns", "and not");
	is_str(sheet.cell[0][17], "self_cpu_ns", "its own part of that");
	is_str(sheet.cell[0][18], "part", "which process");
	is_str(sheet.cell[0][20], "raw:instructions", "then counts");
	is_str(sheet.cell[0][23], "net:instructions", "raw and net");
	is_str(sheet.cell[0][27], "LLC miss rate [%]", "then metrics with their unit");
	is_int(sheet.n_cells[0], 28, "and no more");
	row = row_of(&sheet, "solve", "1");
	is_str(cell_of(&sheet, row, "path"), "main/solve", "path");
	is_str(cell_of(&sheet, row, "depth"), "1", "depth");
	is_str(cell_of(&sheet, row, "calls"), "30", "calls");
	is_str(cell_of(&sheet, row, "time_ns"), "600000000", "time");
	is_str(cell_of(&sheet, row, "self_ns"), "500000000", "self");
	is_str(cell_of(&sheet, row, "min_ns"), "10000000", "min");
	is_str(cell_of(&sheet, row, "mean_ns"), "20000000", "mean");
	is_str(cell_of(&sheet, row, "max_ns"), "40000000", "max");
	is_str(cell_of(&sheet, row, "sd_ns"), "2500000", "deviation");
	is_str(cell_of(&sheet, row, "share"), "0.6", "share");
	is_str(cell_of(&sheet, row, "raw:cycles"), "600001200", "raw");
	is_str(cell_of(&sheet, row, "net:cycles"), "600000000", "net");
	is_str(cell_of(&sheet, row, "IPC"), "3", "metric");
	row = row_of(&sheet, "solve", "all");
	is_str(cell_of(&sheet, row, "calls"), "40", "the sum");
	free(sheet.text);
	sample_sum(model, "solve")->calls = 1;
	sample_sum(model, "solve")->time_ns = 2300492756;
	read_sheet(model, &sheet);
	is_str(cell_of(&sheet, row_of(&sheet, "solve", "all"), "mean_ns"), "2300492756",
	       "a mean has all its digits");
	free(sheet.text);
	pmu_model_free(model);
}

static void what_is_unknown_is_blank(void)
{
	struct pmu_model *model = sample_model();
	struct sheet sheet;
	int row;

	sample_sum(model, "main")->flags |= PMU_ROW_NO_SELF;
	sample_sum(model, "main")->sd_ns = NAN;
	sample_sum(model, "solve")->calls = 0;
	read_sheet(model, &sheet);
	row = row_of(&sheet, "assemble", "all");
	is_str(cell_of(&sheet, row, "raw:LLC-misses"), "", "a missing count, raw");
	is_str(cell_of(&sheet, row, "net:LLC-misses"), "", "and net");
	is_str(cell_of(&sheet, row, "IPC"), "", "a metric that was not made");
	is_str(cell_of(&sheet, row_of(&sheet, "assemble", "0"), "net:LLC-misses"), "100000000",
	       "the thread that counted it has it");
	row = row_of(&sheet, "main", "all");
	is_str(cell_of(&sheet, row, "self_ns"), "", "self");
	is_str(cell_of(&sheet, row, "sd_ns"), "", "deviation");
	is_str(cell_of(&sheet, row_of(&sheet, "solve", "all"), "min_ns"), "",
	       "shortest of no call");
	free(sheet.text);
	*sample_sum(model, "solve") = (struct pmu_model_row){ .name = "solve",
							      .path = "solve",
							      .thread = -1,
							      .n_open = 1,
							      .sd_ns = NAN,
							      .share = NAN,
							      .missing = UINT32_MAX };
	read_sheet(model, &sheet);
	row = row_of(&sheet, "solve", "all");
	is_str(cell_of(&sheet, row, "calls"), "0", "a first call that has not ended");
	is_str(cell_of(&sheet, row, "time_ns"), "", "its time");
	is_str(cell_of(&sheet, row, "self_ns"), "", "its self");
	is_str(cell_of(&sheet, row, "own_ns"), "", "the library's part of that");
	is_str(cell_of(&sheet, row, "share"), "", "its share");
	free(sheet.text);
	pmu_model_free(model);
}

static void odd_names_come_back(void)
{
	struct pmu_model *model = sample_model();
	struct sheet sheet;
	char *path;

	read_sheet(model, &sheet);
	row_of(&sheet, "\"q\",x\\x0a", "0");
	path = strdup(cell_of(&sheet, row_of(&sheet, "\\xff\\xfe", "0"), "path"));
	pmu_decode(path);
	is_str(path, "main/solve/\xff\xfe", "bytes that are not UTF-8");
	free(path);
	free(sheet.text);
	pmu_model_free(model);
}

static void groups_share_one_header(void)
{
	struct pmu_model *model = sample_head();
	static struct pmu_model_count more[] = { { "cycles", "" }, { "task-clock", "ns" } };
	struct sheet sheet;

	sample_threads(model, 1, 1000);
	sample_sections(model, 3, 1);
	sample_core(model, &model->section[0]);
	model->section[1].group = "OTHER";
	model->section[1].count = more;
	model->section[1].n_counts = 2;
	for (int i = 0; i < 3; i++)
		sample_row(model, &model->section[i], 0, -1, i == 2 ? "last" : "r", 1, 100);
	pmu_model_finish(model);
	read_sheet(model, &sheet);
	is_int(sheet.n_rows, 1 + 6, "one header");
	is_int(sheet.n_cells[0], 20 + 4 + 4 + 2, "a count of two groups has one column");
	is_str(cell_of(&sheet, 1, "group"), "CORE", "the first group");
	is_str(cell_of(&sheet, 1, "net:cycles"), "100", "has cycles second");
	is_str(cell_of(&sheet, 1, "net:task-clock [ns]"), "", "and lacks the other's");
	is_str(cell_of(&sheet, 3, "group"), "OTHER", "the second group");
	is_str(cell_of(&sheet, 3, "net:cycles"), "300", "has cycles first");
	is_str(cell_of(&sheet, 3, "raw:task-clock [ns]"), "140", "and its own");
	is_str(cell_of(&sheet, 3, "net:instructions"), "", "and lacks the first's");
	is_str(cell_of(&sheet, 5, "net:cycles"), "", "a group without counts has none");
	free(sheet.text);
	pmu_model_free(model);
}

static void teams_have_lines_of_their_own(void)
{
	struct pmu_model *model = sample_team();
	struct sheet sheet;
	int row;

	pmu_metric_fill(model);
	read_sheet(model, &sheet);
	is_int(sheet.n_cells[0], 20 + 4 + 3 + 3 + 2, "columns of teams");
	is_int(sheet.n_rows, 1 + 3 + 2 + 11, "a line for each sum, team and row");
	row = row_of(&sheet, "solve", "all");
	is_str(cell_of(&sheet, row, "time_ns"), "580000000", "the region's own time");
	is_str(cell_of(&sheet, row, "team_threads"), "", "of which no team is told");
	row = row_of(&sheet, "solve", "team");
	is_str(cell_of(&sheet, row, "time_ns"), "850000000", "its team's");
	is_str(cell_of(&sheet, row, "calls"), "", "without calls");
	is_str(cell_of(&sheet, row, "net:cycles"), "850000000", "counts");
	is_str(cell_of(&sheet, row, "IPC"), "3", "metrics");
	is_str(cell_of(&sheet, row, "part"), "all", "of all");
	is_str(cell_of(&sheet, row, "team_threads"), "3", "threads");
	is_str(cell_of(&sheet, row, "team_depth"), "", "a team has no depth");
	row = row_of(&sheet, "kernel", "team 2");
	is_str(cell_of(&sheet, row, "time_ns"), "50000000", "work for another thread's region");
	is_str(cell_of(&sheet, row, "team_depth"), "2", "in a region that is another's, too");
	is_str(cell_of(&sheet, row_of(&sheet, "kernel", "1"), "team_depth"), "1",
	       "a region that was begun at such work");
	is_str(cell_of(&sheet, row_of(&sheet, "kernel", "0"), "team_depth"), "0",
	       "and one that was not");
	free(sheet.text);
	pmu_model_free(model);
}

static void an_empty_model_has_a_header(void)
{
	struct pmu_model *model = pmu_model_new();
	struct pmu_strbuf out = { 0 };

	pmu_write_csv(&out, model);
	is_str(pmu_strbuf_text(&out),
	       "group,path,name,depth,thread,calls,time_ns,self_ns,min_ns,mean_ns,max_ns,sd_ns,"
	       "share,own_ns,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,part,rank\n",
	       "only that");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

UNIT_PART(csv)
{
	each_region_has_a_row_for_all_and_for_each_thread();
	what_is_unknown_is_blank();
	odd_names_come_back();
	groups_share_one_header();
	teams_have_lines_of_their_own();
	an_empty_model_has_a_header();
	return done_testing();
}
