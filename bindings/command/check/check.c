/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu check`: is a run within the limits of its baseline? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/textfile.h"
#include "base/write.h"
#include "bindings/command/check/judge.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/run/repeat.h"

/* What could not be checked is neither within limits nor beyond. */
#define EXIT_UNCHECKED PMU_EXIT_USAGE
/* Of a new baseline, where nothing says how many. */
#define RUNS          10u
#define RUNS_EMULATED 3u
/* So many tell whether counts repeat. */
#define RUNS_EXACT 3u

struct request {
	const char *baseline, *limits_path, *summary;
	char *own_limits_path; /* beside the baseline */
	bool update, annotate, quiet, exact;
	struct pmu_limits said;   /* on the command line */
	struct pmu_limits limits; /* all: of the file, then those */
	char **name;              /* of reports; else: */
	size_t n_names;
	int argc;    /* of what follows --, and what stands before it */
	char **argv; /* NULL: there is none */
};

/* --- the command line --- */

static int take_check_limit(const struct pmu_command *self, void *arg, const char *text)
{
	struct request *request = arg;

	if (!pmu_limits_add(&request->said, text, strlen(text)))
		return 0;
	return pmu_command_usage_error(self, "--limit: %s", pmu_error_text());
}

static const struct pmu_option check_options[] = {
	{ "--baseline", 'b', "BASE", PMU_OPTION_TEXT(struct request, baseline),
	  .complete = pmu_complete_files, .help = "a report as JSON, of several runs" },
	{ "--limit", .argument = "LIMIT", .take = take_check_limit, .help = "any number of times" },
	{ "--limits", .argument = "FILE", PMU_OPTION_TEXT(struct request, limits_path),
	  .complete = pmu_complete_files,
	  .help = "a limit a line, '#' begins a comment; without it base.limits beside base.json" },
	{ "--exact-branches", PMU_OPTION_FLAG(struct request, exact),
	  .help = "count conditional branches (on Arm taken ones), which repeat to the last on real processors, and fail on one more in a region; without a limit nothing else is checked; three runs where the baseline is one or new" },
	{ "--update", PMU_OPTION_FLAG(struct request, update),
	  .help = "write the baseline anew, from RUN or the command, and add limits that are said here to the file of limits; nothing is checked" },
	{ "--summary", .argument = "FILE", PMU_OPTION_TEXT(struct request, summary),
	  .complete = pmu_complete_files,
	  .help = "append it as Markdown: \"$GITHUB_STEP_SUMMARY\"" },
	{ "--annotate", PMU_OPTION_FLAG(struct request, annotate),
	  .help = "also print GitHub's workflow commands, which mark the job" },
	{ "--quiet", 'q', PMU_OPTION_FLAG(struct request, quiet),
	  .help = "print what is beyond its limit alone" },
	{ 0 },
};

/* "base.json" has its limits in "base.limits". */
static int place_limits(struct request *request)
{
	size_t len = strlen(request->baseline);

	if (len > 5 && !strcasecmp(request->baseline + len - 5, ".json"))
		len -= 5;
	if (asprintf(&request->own_limits_path, "%.*s.limits", (int)len, request->baseline) < 0) {
		request->own_limits_path = NULL;
		pmu_command_error("no memory");
		return EXIT_UNCHECKED;
	}
	if (!request->limits_path)
		request->limits_path = request->own_limits_path;
	return 0;
}

static int parse_check(const struct pmu_command *self, int argc, char **argv,
		       struct request *request)
{
	request->name = calloc((size_t)argc, sizeof(*request->name));
	if (!request->name) {
		pmu_command_error("no memory");
		return EXIT_UNCHECKED;
	}
	for (int i = 1; i < argc && !request->argv; i++) {
		int rc = 0;

		if (!strcmp(argv[i], "--")) {
			request->argv = argv + i;
			request->argc = argc - i;
		} else if (argv[i][0] == '-') {
			rc = pmu_command_option(self, check_options, request, argv, &i);
		} else {
			request->name[request->n_names++] = argv[i];
		}
		if (rc)
			return rc;
	}
	if (!request->baseline)
		return pmu_command_usage_error(self, "check with what? --baseline is missing");
	if (!request->n_names == !request->argv)
		return pmu_command_usage_error(self, "check what? %s",
					       request->argv
						       ? "Reports, or a command behind --, not both"
						       : "A report, or -- and a command");
	return place_limits(request);
}

/* --- runs --- */

/* What is to be checked: from reports, or of a command that runs now. */
struct subject {
	struct pmu_series of_files;
	struct pmu_run *run;
	struct pmu_run_turns turns;
	const struct pmu_series *series;
};

static int refuse_options(const struct pmu_command *self, const struct pmu_run_request *request)
{
	if (request->against.we_wordv)
		return pmu_command_usage_error(
			self,
			"--against is of pmu run: here the baseline is what is compared with");
	if (request->each)
		return pmu_command_usage_error(self, "--each makes no report of all processes");
	return 0;
}

static unsigned int default_runs(const struct pmu_run_request *request,
				 const struct pmu_series *base)
{
	if (base->n_runs > 1)
		return (unsigned int)base->n_runs;
	if (request->exact_branches)
		return RUNS_EXACT;
	return request->emulate ? RUNS_EMULATED : RUNS;
}

/* What the command fails with is no breach. */
static int run_command(const struct pmu_command *self, const struct request *request,
		       const struct pmu_series *base, struct subject *subject)
{
	struct pmu_run *run = subject->run = calloc(1, sizeof(*run));
	int rc;

	if (!run) {
		pmu_command_error("no memory");
		return EXIT_UNCHECKED;
	}
	run->request.exact_branches = request->exact;
	if (pmu_run_prepare(self, request->argc, request->argv, run))
		return EXIT_UNCHECKED;
	if (refuse_options(self, &run->request))
		return EXIT_UNCHECKED;
	if (!run->request.repeat)
		run->request.repeat = default_runs(&run->request, base);
	run->request.no_report = false;
	subject->turns.run[0] = run;
	rc = pmu_run_turns_make(&subject->turns);
	if (rc) {
		pmu_command_error("nothing was checked: %s did not run to its end each time",
				  run->request.command[0]);
		return EXIT_UNCHECKED;
	}
	subject->series = pmu_run_repeated_finish(subject->turns.repeated[0]);
	if (subject->series && run->request.n_outputs)
		pmu_run_repeated_write(subject->turns.repeated[0]);
	return subject->series ? 0 : EXIT_UNCHECKED;
}

static int take_subject(const struct pmu_command *self, const struct request *request,
			const struct pmu_series *base, struct subject *subject)
{
	if (request->argv)
		return run_command(self, request, base, subject);
	if (pmu_diff_side(request->name, request->n_names, &subject->of_files))
		return EXIT_UNCHECKED;
	subject->series = &subject->of_files;
	return 0;
}

static void free_subject(struct subject *subject)
{
	pmu_series_free(&subject->of_files);
	pmu_run_turns_free(&subject->turns);
	if (subject->run)
		pmu_run_request_free(&subject->run->request);
	free(subject->run);
}

/* --- a new baseline --- */

static int write_check_file(const char *path, const struct pmu_strbuf *text)
{
	if (!text->failed && !pmu_report_write_file(path, pmu_strbuf_text(text), text->len))
		return 0;
	pmu_command_error("%s", text->failed ? "no memory" : pmu_error_text());
	return EXIT_UNCHECKED;
}

/* The file of limits stays as it is, but for those that are new. */
static int keep_limits(const struct request *request)
{
	struct pmu_strbuf text = { 0 };
	char *before;
	size_t len;
	int rc;

	if (!request->said.n)
		return 0;
	rc = pmu_textfile_read(request->limits_path, PMU_LIMITS_FILE - 1, &before, &len);
	if (rc && rc != -ENOENT) {
		pmu_command_error("cannot read %s: %s", request->limits_path, strerror(-rc));
		return EXIT_UNCHECKED;
	}
	pmu_limits_keep(&request->said, before ? before : "", len, &text);
	rc = write_check_file(request->limits_path, &text);
	pmu_strbuf_free(&text);
	free(before);
	return rc;
}

static int update(const struct request *request, const struct pmu_series *now)
{
	struct pmu_strbuf text = { 0 };
	size_t n = 0;
	int rc;

	for (unsigned int g = 0; g < now->n_groups; g++)
		n += now->group[g].n_regions;
	if (pmu_series_write_json(&text, now))
		text.failed = true;
	rc = write_check_file(request->baseline, &text);
	if (!rc)
		rc = keep_limits(request);
	if (!rc && !request->quiet)
		printf("pmu: %s: %zu run%s, %zu region%s, %zu limit%s\n", request->baseline,
		       now->n_runs, now->n_runs == 1 ? "" : "s", n, n == 1 ? "" : "s",
		       request->limits.n, request->limits.n == 1 ? "" : "s");
	pmu_strbuf_free(&text);
	return rc;
}

/* --- what is said --- */

static int append(const char *path, const struct pmu_strbuf *text)
{
	int fd = PMU_RETRY(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
	int rc = fd < 0 ? -errno : pmu_write_all(fd, pmu_strbuf_text(text), text->len);

	if (fd >= 0)
		close(fd);
	if (!rc)
		return 0;
	pmu_command_error("cannot append to --summary %s: %s", path, strerror(-rc));
	return EXIT_UNCHECKED;
}

static int write_summary(const char *path, const struct pmu_check *check)
{
	const struct pmu_diff_request any = { .metric = NULL };
	struct pmu_strbuf out = { 0 };
	struct pmu_diff all;
	int rc = pmu_diff_make(check->base, check->now, &any, &all);

	if (!rc)
		pmu_check_write_markdown(check, &all, &out);
	if (rc || out.failed) {
		pmu_command_error("no memory for --summary");
		rc = EXIT_UNCHECKED;
	} else {
		rc = append(path, &out);
	}
	pmu_diff_free(&all);
	pmu_strbuf_free(&out);
	return rc;
}

static int tell_check(const struct request *request, const struct pmu_check *check)
{
	struct pmu_strbuf out = { 0 };
	int rc = request->summary ? write_summary(request->summary, check) : 0;

	pmu_check_write_text(check, request->quiet, &out);
	if (request->annotate)
		pmu_check_write_annotations(check, &out);
	return pmu_command_print(&out) ? EXIT_UNCHECKED : rc;
}

static bool has_exact(const struct pmu_series *series)
{
	for (unsigned int g = 0; g < series->n_groups; g++)
		for (unsigned int m = 0; m < series->group[g].n_measures; m++)
			if (pmu_check_is_exact(series->group[g].measure[m].name))
				return true;
	return false;
}

static bool is_valgrind_series(const struct pmu_series *series)
{
	return !strcmp(series->text[PMU_SERIES_SOURCE], "valgrind");
}

/* Why nothing was checked. */
static const char *why_nothing(const struct request *request, const struct pmu_series *base,
			       const struct pmu_series *now)
{
	if (request->exact && !has_exact(base))
		return ": it has no branches that repeat; --exact-branches --update makes one that has";
	if (request->exact && !has_exact(now))
		return ": what is checked has no branches that repeat; a command behind -- has, or a "
		       "report of pmu run -e conditional-branches";
	if (request->exact && is_valgrind_series(base) != is_valgrind_series(now))
		return ": valgrind's simulation counts branches otherwise than a processor; make one "
		       "like the other, with --emulate or without";
	if (request->exact)
		return ": no region has branches of both that compare";
	if (base->n_runs < 2)
		return ": one run has no spread; --repeat makes more, --limit says what is allowed";
	return "";
}

static int judge_series(const struct request *request, const struct pmu_series *base,
			const struct pmu_series *now, struct pmu_limits *limits)
{
	struct pmu_check check;
	int rc = pmu_check_make(base, now, limits, request->exact, &check);

	bool nothing;

	if (rc) {
		pmu_command_error("%s", pmu_error_text());
		rc = EXIT_UNCHECKED;
	} else {
		nothing = !check.n_checked && (request->exact || !check.n_breaches);
		rc = nothing && request->exact ? 0 : tell_check(request, &check);
		if (!rc && nothing) {
			pmu_command_error("%s: there was nothing to check%s", request->baseline,
					  why_nothing(request, base, now));
			rc = EXIT_UNCHECKED;
		}
		if (!rc && check.n_breaches)
			rc = PMU_EXIT_FAILED;
	}
	pmu_check_free(&check);
	return rc;
}

/* --- all of it --- */

static int read_limits(struct request *request)
{
	bool is_own = request->limits_path == request->own_limits_path;
	int rc = 0;

	if (!is_own && access(request->limits_path, F_OK))
		rc = pmu_fail(errno, "cannot read the limits in %s: %s", request->limits_path,
			      strerror(errno));
	if (!rc)
		rc = pmu_limits_read(&request->limits, request->limits_path);
	for (size_t i = 0; !rc && i < request->said.n; i++)
		rc = pmu_limits_add(&request->limits, request->said.limit[i].text,
				    strlen(request->said.limit[i].text));
	if (rc)
		pmu_command_error("%s", pmu_error_text());
	return rc ? EXIT_UNCHECKED : 0;
}

static int read_baseline(const struct request *request, struct pmu_series *base)
{
	char *const name[] = { (char *)request->baseline };

	if (request->update && access(request->baseline, F_OK) && errno == ENOENT)
		return 0;
	/* whatever is wrong with one that is to be replaced goes with it */
	if (pmu_diff_side(name, 1, base) && !request->update)
		return EXIT_UNCHECKED;
	return 0;
}

static int run_check(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .baseline = NULL };
	struct subject subject = { .run = NULL };
	struct pmu_series base = { .n_runs = 0 };
	int rc = parse_check(self, argc, argv, &request);

	if (!rc)
		rc = read_limits(&request);
	if (!rc)
		rc = read_baseline(&request, &base);
	if (!rc)
		rc = take_subject(self, &request, &base, &subject);
	if (!rc)
		rc = request.update
			     ? update(&request, subject.series)
			     : judge_series(&request, &base, subject.series, &request.limits);
	free_subject(&subject);
	pmu_series_free(&base);
	pmu_limits_free(&request.said);
	pmu_limits_free(&request.limits);
	free(request.own_limits_path);
	free(request.name);
	return rc;
}

const struct pmu_command pmu_command_check = {
	.name = "check",
	.usage = "check --baseline BASE [--limit LIMIT]... [OPTION]... RUN... | -- COMMAND...",
	.about = "is a run within the limits of its baseline?",
	.help = "RUN are reports as JSON, of one run or of 'pmu run --repeat'; or the command behind -- is run,\n"
		"as often as the baseline was, with options of pmu run before its name: -- --emulate ./prog.\n"
		"\n"
		"Each limit is for a region, by its name or path or a pattern for them, and a count, metric, time\n"
		"or calls: solve:instructions=+0.5%, '*:time=+5%', solve:IPC=-3%, main/read:page-faults=+100,\n"
		"command:elapsed=+2ms.  With + more is too much, with - less, without a sign either; none takes\n"
		"a value out.  Of several the last one counts.  They are for a region with all that is in it.\n"
		"Where none is said, a region's own time, calls and counts may be more than the baseline's median\n"
		"by as much as its runs differed, times by 5 % at least.  Nothing is too much that may be noise,\n"
		"as far as there are runs enough to tell (see pmu diff).\n",
	.options = check_options,
	.more = "The exit status is 0 where all is within its limits, 1 where something is beyond, a region has\n"
		"gone, or a limit could not be checked; 2 where nothing was checked.\n",
	.run = run_check,
};
