/* SPDX-License-Identifier: BSD-3-Clause */
/* The same annotated loop with this library, with others and with what is least, in one run. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/common/numbers.h"
#include "bench/common/table.h"
#include "workers.h"

#define MAX_ROUNDS 1001
#define N_ROUNDS   101

static const char usage[] =
	"usage: compare [--json] [--only NAME] [--rounds N]\n"
	"\n"
	"  --json      for programs\n"
	"  --only NAME of the others, only those with this in their name\n"
	"  --rounds N  blocks of pairs of each, 1 to 1001, made odd (default 101)\n"
	"\n"
	"What a pair of begin and end around nothing takes: with libpmu, with other libraries, and with the\n"
	"bare reads that are the least.  Each runs in a process of its own on the same CPUs; their blocks\n"
	"take turns.  \"x bare\" and \"x libpmu\" are medians of the ratios of the blocks of one round.  The\n"
	"exit status is 1 where the time of libpmu or of the bare time stamps could not be taken.\n";

static enum subject { ONE, TWO, NAMED, N_SUBJECTS } const subjects[] = { ONE, TWO, NAMED };
static const char *const subject_word[] = { "one", "two", "named" }; /* as the workers have them */
static const char *const subject_text[] = { "one region", "two threads at once",
					    "100 names in rotation" };

#define ON_TIME         (1 << 0)
#define ON_FAULTS       (1 << 1)
#define ON_INSTRUCTIONS (1 << 2)
#define ON_COUNTS       (ON_FAULTS | ON_INSTRUCTIONS)

#ifdef HAVE_PAPI
#define NO_PAPI NULL
#else
#define NO_PAPI "not built: libpapi-dev is not installed"
#endif
#ifdef HAVE_LIKWID
#define NO_LIKWID NULL
#else
#define NO_LIKWID "not built: likwid is not installed"
#endif
#ifdef HAVE_CALIPER
#define NO_CALIPER NULL
#else
#define NO_CALIPER "not built: Caliper is not installed"
#endif

static const struct contender {
	const char *name, *program;
	int sections;
	const char *not_built; /* why; NULL: it is */
	enum { OTHER, BARE, OURS } is;
} contenders[] = {
	{ "two time stamps", "with_time_stamp", ON_TIME, NULL, BARE },
	{ "two read(2) of perf", "with_perf_read", ON_COUNTS, NULL, BARE },
	{ "two rdpmc", "with_perf_user", ON_INSTRUCTIONS, NULL, OTHER },
	{ "libpmu", "with_libpmu", ON_TIME | ON_COUNTS, NULL, OURS },
	{ "PAPI high level", "with_papi_hl", ON_COUNTS, NO_PAPI, OTHER },
	{ "two PAPI_read", "with_papi_read", ON_COUNTS, NO_PAPI, OTHER },
	{ "LIKWID markers", "with_likwid", ON_INSTRUCTIONS, NO_LIKWID, OTHER },
	{ "Caliper", "with_caliper", ON_TIME, NO_CALIPER, OTHER },
};
#define N_CONTENDERS (sizeof(contenders) / sizeof(*contenders))

static const struct section {
	int bit;
	const char *what; /* the workers are told */
	const char *heading;
	double target[N_SUBJECTS]; /* of libpmu, times the bare reads; 0: none */
} sections[] = {
	{ ON_TIME,
	  "time",
	  "Time alone, beside two time stamps",
	  { [ONE] = 1.10, [TWO] = 1.10, [NAMED] = 1.30 } },
	{ ON_FAULTS,
	  "page-faults",
	  "Page faults, which the kernel counts, beside two read(2) of perf",
	  { [ONE] = 1.05 } },
	{ ON_INSTRUCTIONS,
	  "instructions",
	  "Instructions, which the processor counts, beside two read(2) of perf",
	  { 0 } },
};

static struct run {
	const struct contender *contender;
	struct worker worker;
	bool ran, used;
	struct block {
		size_t n_pairs; /* 0: none */
		const char *word;
		bool shown;    /* it has this subject: it is not here for the ratios alone */
		char why[300]; /* it has, but could not be measured */
		double last;   /* ns a pair, of this round */
		double ns[MAX_ROUNDS], to_bare[MAX_ROUNDS], to_ours[MAX_ROUNDS];
		int n, n_to_bare, n_to_ours;
	} block[N_SUBJECTS];
} runs[N_CONTENDERS];

static int n_rounds = N_ROUNDS;
static const char *only;

/* --- measuring --- */

static bool ask_number(struct run *run, const char *word, const char *argument, double *number)
{
	char question[64], answer[300], *end;

	snprintf(question, sizeof(question), "%s %s", word, argument);
	if (!worker_ask(&run->worker, question, answer, sizeof(answer)))
		return false;
	*number = strtod(answer, &end);
	return end != answer && !*end;
}

/*
 * How many pairs a block has.  What knows no names is measured with one where the others are
 * compared with it.
 */
static void size_block(struct run *run, enum subject subject)
{
	struct block *block = &run->block[subject];
	double n_pairs = 0;

	*run->worker.why = '\0';
	block->word = subject_word[subject];
	block->shown = true;
	if (!ask_number(run, "size", block->word, &n_pairs)) {
		snprintf(block->why, sizeof(block->why), "%s", run->worker.why);
		block->shown = *block->why; /* else it has no such subject */
		if (block->shown || run->contender->is != BARE)
			return;
		block->word = subject_word[ONE];
		n_pairs = (double)run->block[ONE].n_pairs;
	}
	block->n_pairs = (size_t)n_pairs;
}

static void time_block(struct run *run, struct block *block)
{
	char number[24];

	block->last = 0;
	if (!block->n_pairs || !run->worker.pid)
		return;
	snprintf(number, sizeof(number), "%zu", block->n_pairs);
	if (!ask_number(run, block->word, number, &block->last) || block->last <= 0) {
		snprintf(block->why, sizeof(block->why), "%s",
			 *run->worker.why ? run->worker.why : "its time is unreadable");
		block->n_pairs = 0;
		block->last = 0;
	}
}

static double last_of(int is, enum subject subject)
{
	for (size_t i = 0; i < N_CONTENDERS; i++)
		if (runs[i].used && (int)contenders[i].is == is)
			return runs[i].block[subject].last;
	return 0;
}

static void keep_round(enum subject subject)
{
	double bare = last_of(BARE, subject), ours = last_of(OURS, subject);

	for (size_t i = 0; i < N_CONTENDERS; i++) {
		struct block *block = &runs[i].block[subject];

		if (!runs[i].used || block->last <= 0)
			continue;
		block->ns[block->n++] = block->last;
		if (bare > 0)
			block->to_bare[block->n_to_bare++] = block->last / bare;
		if (ours > 0)
			block->to_ours[block->n_to_ours++] = block->last / ours;
	}
}

static void measure_subject(enum subject subject)
{
	for (size_t i = 0; i < N_CONTENDERS; i++)
		if (runs[i].worker.pid)
			size_block(&runs[i], subject);
	/* in the first, everything is met for the first time */
	for (int round = -1; round < n_rounds; round++) {
		for (size_t i = 0; i < N_CONTENDERS; i++) {
			/* rotated: none always runs after the same one, with its caches */
			struct run *run = &runs[(i + (size_t)(round + 1)) % N_CONTENDERS];

			time_block(run, &run->block[subject]);
		}
		if (round >= 0)
			keep_round(subject);
	}
}

/* A library that recorded something else than what was done has not been measured. */
static void check(struct run *run)
{
	char answer[300];

	if (!run->worker.pid || worker_ask(&run->worker, "check", answer, sizeof(answer)))
		return;
	for (size_t s = 0; s < N_SUBJECTS; s++) {
		run->block[s].n = 0;
		if (!*run->block[s].why)
			snprintf(run->block[s].why, sizeof(run->block[s].why), "%s",
				 run->worker.why);
	}
}

/* --- rows --- */

static double median(double *number, int n)
{
	sort_numbers(number, (size_t)n);
	return n ? number[n / 2] : -1;
}

static void print_block(const struct section *section, struct run *run, enum subject subject)
{
	struct block *block = &run->block[subject], *bare = NULL;
	char name[80] = "";
	struct row row = row_for(name, "ns");

	snprintf(name, sizeof(name), "%s: %s", run->contender->name, subject_text[subject]);
	for (size_t i = 0; i < N_CONTENDERS; i++)
		if (runs[i].used && contenders[i].is == BARE && runs[i].block[subject].n)
			bare = &runs[i].block[subject];
	row.threads = subject == TWO ? 2 : 1;
	row.optional = run->contender->is == OTHER || section->bit != ON_TIME || subject == TWO;
	if (run->contender->is == OURS && section->target[subject] > 0) {
		row.target_of = OF_BARE;
		row.target = section->target[subject];
	}
	row.note = *block->why ? block->why : *run->worker.version ? run->worker.version : NULL;
	if (block->n) {
		row.value = median(block->ns, block->n);
		row.min = block->ns[0];
		row.max = block->ns[block->n - 1];
		row.bare = bare ? median(bare->ns, bare->n) : -1;
		row.ratio_bare = median(block->to_bare, block->n_to_bare);
		row.ratio_ours = median(block->to_ours, block->n_to_ours);
	}
	table_row(&row);
}

/* One row for what could not run at all. */
static void print_absent(const struct section *section, const struct run *run)
{
	struct row row = row_for(run->contender->name, "ns");

	row.optional = run->contender->is == OTHER || section->bit != ON_TIME;
	row.note = run->worker.why;
	table_row(&row);
}

static void print_section(const struct section *section)
{
	table_heading_ours(section->heading);
	for (size_t s = 0; s < N_SUBJECTS; s++)
		for (size_t i = 0; i < N_CONTENDERS; i++)
			if (runs[i].used && runs[i].ran && runs[i].block[s].shown)
				print_block(section, &runs[i], subjects[s]);
	for (size_t i = 0; i < N_CONTENDERS; i++)
		if (runs[i].used && !runs[i].ran)
			print_absent(section, &runs[i]);
}

static bool is_chosen(const struct contender *contender)
{
	return !only || contender->is != OTHER || strcasestr(contender->name, only);
}

static void measure_section(const struct section *section)
{
	memset(runs, 0, sizeof(runs));
	for (size_t i = 0; i < N_CONTENDERS; i++) {
		struct run *run = &runs[i];

		run->contender = &contenders[i];
		run->used = (contenders[i].sections & section->bit) && is_chosen(&contenders[i]);
		if (run->used && contenders[i].not_built)
			snprintf(run->worker.why, sizeof(run->worker.why), "%s",
				 contenders[i].not_built);
		else if (run->used)
			run->ran = worker_start(&run->worker, contenders[i].program, section->what);
	}
	for (size_t s = 0; s < N_SUBJECTS; s++)
		measure_subject(subjects[s]);
	for (size_t i = 0; i < N_CONTENDERS; i++) {
		check(&runs[i]);
		if (runs[i].ran)
			worker_end(&runs[i].worker);
	}
	print_section(section);
}

/* --- the command --- */

static bool knows(const char *name)
{
	for (size_t i = 0; i < N_CONTENDERS; i++)
		if (strcasestr(contenders[i].name, name))
			return true;
	fprintf(stderr, "compare: nothing here is called %s; try compare --help\n", name);
	return false;
}

static bool parse_rounds(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text || n < 1 || n > MAX_ROUNDS) {
		fprintf(stderr, "compare: --rounds %s: a number from 1 to %d; try compare --help\n",
			text, MAX_ROUNDS);
		return false;
	}
	n_rounds = (int)n | 1; /* the median is one of them */
	return true;
}

/* Return: false after a message. */
static bool parse(char **argument, bool *json)
{
	for (; *argument; argument++) {
		bool takes = !strcmp(*argument, "--only") || !strcmp(*argument, "--rounds");

		if (!strcmp(*argument, "--json")) {
			*json = true;
		} else if (takes && !argument[1]) {
			fprintf(stderr, "compare: %s wants a value; try compare --help\n",
				*argument);
			return false;
		} else if (!strcmp(*argument, "--only")) {
			only = *++argument;
			if (!knows(only))
				return false;
		} else if (takes) {
			if (!parse_rounds(*++argument))
				return false;
		} else {
			fprintf(stderr, "compare: there is no option %s; try compare --help\n",
				*argument);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	bool json = false;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (!parse(argv + 1, &json))
		return 2;
	signal(SIGPIPE, SIG_IGN); /* a worker may end at any time */
	table_begin(json);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		measure_section(&sections[i]);
	return table_end() ? 1 : 0;
}
