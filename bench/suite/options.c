/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/suite/suite.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

static const char usage[] =
	"usage: pmu-bench [OPTION]... [KERNEL]...\n"
	"\n"
	"Runs loops of known behaviour, each within regions of libpmu, and prints their rates and, where there are counts,\n"
	"what was counted beside what the loop is known to do.  Without a KERNEL all of them are run.\n"
	"\n"
	"  --size SIZE        of the data, of all threads together: 16K, 1M, 2G; each kernel has one of its own,\n"
	"                     and a least one, which it takes, and shows, in place of a smaller one\n"
	"  --size FROM..TO    from one size to another, doubled each time\n"
	"  --threads N        one for each processor without it\n"
	"  --time S           seconds for each row: 0.5\n"
	"  --calls N          instead of a time: N regions of one pass over the data each\n"
	"  --bare             each loop without regions too, in turns: what the library costs it\n"
	"  --emulate          under valgrind, which counts in place of the processor: times are left out,\n"
	"                     on one thread, 256K and 3 calls where nothing else is said\n"
	"  --verify           are counts of instructions and branches exact here?  By each source that works, beside\n"
	"                     what is known of the loop; 5 calls each on 256K where nothing else is said\n"
	"  --processes N      for --verify: so many of each; 3\n"
	"  --cache SIZE       the last-level cache that misses are reckoned with; else this machine's\n"
	"  --ceilings         what this machine computes and moves at most, in some 3 s: the ceilings that\n"
	"                     'pmu report --roofline' puts regions under; each a median, on one thread and on all\n"
	"  -o, --output FILE  for --ceilings: not where 'pmu report' looks for them\n"
	"  --json             for programs\n"
	"  --list             the kernels\n"
	"  -h, --help         this text\n"
	"  --version\n"
	"\n"
	"What is counted, and how threads are pinned, is chosen by the PMU_ variables (pmu help environment); with\n"
	"PMU_OUTPUT there is a report of the regions, too.  The status is 1 where a result is wrong; of --verify also where\n"
	"a count is, and 3 where nothing can be counted.\n";

static int wrong(const char *option, const char *text, const char *want)
{
	fprintf(stderr, "pmu-bench: %s %s: %s\n", option, text, want);
	return -1;
}

/* A number with K, M or G behind it; at most what fits in an address space. */
static bool read_size(const char *text, char **end, size_t *size)
{
	static const char units[] = "KMG";
	unsigned long long value;
	unsigned int shift = 0;

	errno = 0;
	value = strtoull(text, end, 10);
	if (!isdigit((unsigned char)*text) || errno)
		return false;
	if (**end) {
		const char *unit = strchr(units, toupper((unsigned char)**end));

		if (unit) {
			shift = 10 * (unsigned int)(unit - units + 1);
			++*end;
		}
	}
	*size = (size_t)value << shift;
	return value > 0 && value <= (SIZE_MAX >> 8 >> shift);
}

static int parse_sizes(const char *text, struct options *options)
{
	char *end;

	if (read_size(text, &end, &options->from)) {
		options->to = options->from;
		if (!strncmp(end, "..", 2) && !read_size(end + 2, &end, &options->to))
			end = (char *)(uintptr_t) "?";
		if (!*end && options->from > options->to)
			return wrong("--size", text, "the second size is smaller than the first");
		if (!*end)
			return 0;
	}
	return wrong(
		"--size", text,
		"a size is a number, with K, M or G: 16K; two with .. between them are a range: 16K..1G");
}

static int parse_number(const char *option, const char *text, double least, double most,
			double *value)
{
	char *end, want[100];

	*value = strtod(text, &end);
	if (isdigit((unsigned char)*text) && !*end && *value >= least && *value <= most &&
	    (least < 1 || *value == floor(*value)))
		return 0;
	snprintf(want, sizeof(want), "a %snumber from %g to %.7g", least < 1 ? "" : "whole ", least,
		 most);
	return wrong(option, text, want);
}

static int add_kernel(const char *name, struct options *options)
{
	for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
		if (strcmp((*kernel)->name, name) != 0)
			continue;
		if (options->n_kernels == SUITE_MAX_KERNELS)
			return wrong("kernel", name, "more of them than one run takes");
		options->kernel[options->n_kernels++] = *kernel;
		return 0;
	}
	fprintf(stderr, "pmu-bench: there is no kernel %s; there are", name);
	for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
		fprintf(stderr, "%s %s", kernel == kernels ? "" : ",", (*kernel)->name);
	fputs("\n", stderr);
	return -1;
}

static enum options_result list(void)
{
	for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
		printf("%-18s %5s  %s\n", (*kernel)->name, size_text((*kernel)->bytes),
		       (*kernel)->about);
	return OPTIONS_DONE;
}

enum {
	SIZE = 256,
	THREADS,
	TIME,
	CALLS,
	CACHE,
	BARE,
	EMULATE,
	VERIFY,
	PROCESSES,
	CEILINGS,
	JSON,
	LIST,
	VERSION
};

static const struct option long_options[] = {
	{ "size", required_argument, NULL, SIZE },
	{ "threads", required_argument, NULL, THREADS },
	{ "time", required_argument, NULL, TIME },
	{ "calls", required_argument, NULL, CALLS },
	{ "cache", required_argument, NULL, CACHE },
	{ "bare", no_argument, NULL, BARE },
	{ "emulate", no_argument, NULL, EMULATE },
	{ "json", no_argument, NULL, JSON },
	{ "verify", no_argument, NULL, VERIFY },
	{ "processes", required_argument, NULL, PROCESSES },
	{ "ceilings", no_argument, NULL, CEILINGS },
	{ "output", required_argument, NULL, 'o' },
	{ "list", no_argument, NULL, LIST },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, VERSION },
	{ NULL, 0, NULL, 0 },
};

static int take(int option, const char *text, struct options *options)
{
	double number = 0;
	char *end;
	int rc = 0;

	switch (option) {
	case SIZE:
		return parse_sizes(text, options);
	case THREADS:
		rc = parse_number("--threads", text, 1, SUITE_MAX_THREADS, &number);
		options->n_threads = (int)number;
		return rc;
	case TIME:
		return parse_number("--time", text, 0.001, 3600, &options->seconds);
	case CALLS:
		rc = parse_number("--calls", text, 1, 1e6, &number);
		options->calls = (uint64_t)number;
		return rc;
	case CACHE:
		if (read_size(text, &end, &options->cache) && !*end)
			return 0;
		return wrong("--cache", text, "a size is a number, with K, M or G: 8M");
	case BARE:
		options->bare = true;
		return 0;
	case EMULATE:
		options->emulate = true;
		return 0;
	case VERIFY:
		options->verify = true;
		return 0;
	case PROCESSES:
		rc = parse_number("--processes", text, 1, SUITE_MAX_PROCESSES, &number);
		options->processes = (int)number;
		return rc;
	case CEILINGS:
		options->ceilings = true;
		return 0;
	case 'o':
		options->output = text;
		return 0;
	case JSON:
		options->json = true;
		return 0;
	default:
		fputs("try pmu-bench --help\n", stderr);
		return -1;
	}
}

/* It is about counts, of one size on one thread. */
static int check_verify(const struct options *options)
{
	if (options->processes && !options->verify)
		return wrong("--processes", "without --verify", "there is one process");
	if (!options->verify)
		return 0;
	if (options->n_threads > 1)
		return wrong("--threads", "with --verify", "it is about one thread");
	if (options->bare)
		return wrong("--bare", "with --verify", "it is not about time");
	if (options->from != options->to)
		return wrong("--size", "with --verify", "it is about one size");
	if (options->calls > SUITE_MAX_VERIFIED_CALLS)
		return wrong("--calls", "with --verify", "each is written down: at most 1000");
	return 0;
}

/* It has loops, sizes and times of its own. */
static int check_ceilings(const struct options *options)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {
		{ "a kernel", options->n_kernels > 0 },  { "--size", options->from > 0 },
		{ "--threads", options->n_threads > 0 }, { "--calls", options->calls > 0 },
		{ "--cache", options->cache > 0 },       { "--bare", options->bare },
		{ "--emulate", options->emulate },       { "--verify", options->verify },
	};

	if (!options->ceilings)
		return options->output ? wrong("--output", "without --ceilings",
					       "PMU_OUTPUT says where a report goes")
				       : 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].given)
			return wrong(others[i].name, "with --ceilings",
				     "it has loops and sizes of its own");
	return 0;
}

enum options_result options_parse(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options){ .seconds = 0.5 };
	while ((option = getopt_long(argc, argv, "ho:", long_options, NULL)) >= 0) {
		if (option == 'h') {
			fputs(usage, stdout);
			return OPTIONS_DONE;
		}
		if (option == LIST)
			return list();
		if (option == VERSION) {
			puts("pmu-bench " PMU_VERSION_STRING);
			return OPTIONS_DONE;
		}
		if (take(option, optarg, options) < 0)
			return OPTIONS_WRONG;
	}
	for (; optind < argc; optind++)
		if (add_kernel(argv[optind], options) < 0)
			return OPTIONS_WRONG;
	if (check_verify(options) < 0 || check_ceilings(options) < 0)
		return OPTIONS_WRONG;
	if (options->n_kernels == 0)
		while (kernels[options->n_kernels] && options->n_kernels < SUITE_MAX_KERNELS) {
			options->kernel[options->n_kernels] = kernels[options->n_kernels];
			options->n_kernels++;
		}
	return OPTIONS_GO;
}
