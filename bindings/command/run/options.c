/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `pmu run`, and whether its settings make sense. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "bindings/annotations/prefix.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/diff/diff.h"
#include "bindings/command/run/repeat.h"
#include "bindings/preload/parts.h"
#include "counters/backend.h"
#include "machine/mask.h"
#include "session/require.h"
#include "session/sample_event.h"
#include "settings/config.h"

/* --- what is preloaded takes these in; @said: the option or the variable that says it --- */

#define WORD_TEXT(word, parts) word,

static int refuse_word(const char *said, const char *word, const char *near,
		       const char *const *words)
{
	struct pmu_strbuf choice = { 0 };

	for (size_t i = 0; words[i]; i++)
		pmu_strbuf_addf(&choice, "%s%s", i ? ", " : "", words[i]);
	pmu_command_error("%s: there is no '%s'%s%s; choose among %s", said, word,
			  near ? ", did you mean " : "", near ? near : "",
			  pmu_strbuf_text(&choice));
	pmu_strbuf_free(&choice);
	return PMU_EXIT_USAGE;
}

/* Words with commas between. */
static int check_words(const char *said, const char *text, const char *const *words)
{
	char word[16];

	for (;;) {
		size_t len, i = 0;

		text += strspn(text, " ");
		len = strcspn(text, ", ");
		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		while (words[i] && (strlen(words[i]) != len || strncmp(text, words[i], len) != 0))
			i++;
		if (!words[i]) {
			return refuse_word(said, word, pmu_closest(word, words), words);
		}
		text += len + strspn(text + len, " ");
		if (!*text)
			return 0;
		text += *text == ',';
	}
}

static int check_auto(const char *said, const char *text)
{
	static const char *const words[] = { PRELOAD_WORDS(WORD_TEXT) NULL };

	return check_words(said, text, words);
}

static int check_prefix(const char *said, const char *text)
{
	static const char *const words[] = { ANNOTATION_PREFIX_WORDS(WORD_TEXT) NULL };

	return check_words(said, text, words);
}

static int check_min_time(const char *said, const char *text)
{
	static const char *const units[] = { "", "ns", "us", "ms", "s", NULL };
	const char *number = text + strspn(text, " \t");
	size_t digits = strspn(number, "0123456789.");
	const char *unit = number + digits + strspn(number + digits, " \t");

	for (int i = 0; digits && number[0] != '.' && units[i]; i++)
		if (!strcmp(unit, units[i]) && (units[i][0] || (digits == 1 && number[0] == '0')))
			return 0;
	pmu_command_error("%s%c%s: that is no duration; say it as in 500ns, 10us, 1ms", said,
			  said[0] == '-' ? ' ' : '=', text);
	return PMU_EXIT_USAGE;
}

/* "LIBRARY:FUNCTION", more with commas. */
static int check_wrap(const char *said, const char *text)
{
	for (const char *item = text;; item++) {
		size_t len = strcspn(item, ","), name = strcspn(item, ":,");

		if (!name || name + 1 >= len) {
			pmu_command_error(
				"%s: '%.*s' is not LIBRARY:FUNCTION, as in libblas.so:dgemm_", said,
				(int)len, item);
			return PMU_EXIT_USAGE;
		}
		item += len;
		if (!*item)
			return 0;
	}
}

/* --- the command line --- */

/* Levels of top-down analysis; those of several groups, which take turns. */
static const struct {
	const char *level, *group;
	bool several;
} topdown[] = {
	{ "1", "TMA1", false }, { "2", "TMA2", true }, { "3", "TMA3", true }, { "4", "TMA4", true }
};

#define TOPDOWN_DEFAULT "2"

static int take_topdown(const struct pmu_command *self, void *arg, const char *level)
{
	struct pmu_run_request *request = arg;

	if (!level)
		level = TOPDOWN_DEFAULT;
	for (size_t i = 0; i < PMU_ARRAY_LEN(topdown); i++) {
		if (strcmp(level, topdown[i].level) != 0)
			continue;
		request->topdown = topdown[i].group;
		if (topdown[i].several)
			PMU_RUN_SETTING(request, PMU_ROTATE) = "1";
		return 0;
	}
	return pmu_command_usage_error(
		self, "--topdown=%s: to which level? 1, 2, 3 or 4; 2 without a number", level);
}

static int take_emulate(const struct pmu_command *self, void *arg, const char *how)
{
	struct pmu_run_request *request = arg;

	request->emulate = true;
	request->fast |= how != NULL;
	if (!how || !strcmp(how, "fast"))
		return 0;
	return pmu_command_usage_error(
		self,
		"--emulate=%s: how? --emulate=fast counts instructions alone, --emulate all that "
		"is simulated",
		how);
}

static int take_sample_rate(const struct pmu_command *self, void *arg, const char *rate)
{
	struct pmu_run_request *request = arg;

	(void)self;
	PMU_RUN_SETTING(request, PMU_SAMPLE) = rate ? rate : "1";
	return 0;
}

static bool says_rate(const char *sample)
{
	return sample && *sample && strcmp(sample, "auto") != 0 && strcmp(sample, "off") != 0 &&
	       strcmp(sample, "0") != 0;
}

static int take_run_annotate(const struct pmu_command *self, void *arg, const char *of)
{
	struct pmu_run_request *request = arg;

	(void)self;
	request->annotate =
		(struct pmu_annotate_request){ .of = of,
					       .source_dir = request->annotate.source_dir,
					       .is_asked = true,
					       .is_below = true };
	/* at the usual rate, where nothing says another one: 199 a second would be few for lines */
	if (!PMU_RUN_SETTING(request, PMU_SAMPLE) && !says_rate(getenv("PMU_SAMPLE")))
		PMU_RUN_SETTING(request, PMU_SAMPLE) = "1";
	return 0;
}

static int take_run_rename(const struct pmu_command *self, void *arg, const char *text)
{
	struct pmu_run_request *request = arg;

	return pmu_diff_take_rename(self, text, request->rename, &request->n_renames);
}

#define FLAG(member) PMU_OPTION_FLAG(struct pmu_run_request, member)
#define TEXT(member) PMU_OPTION_TEXT(struct pmu_run_request, member)

const struct pmu_option pmu_run_options[] = {
#define VAR(...)
#define VALUED(variable, values, fallback, about, member, take_in, option, key, value, test, find, \
	       in, text)                                                                           \
	{ option,                                                                                  \
	  key,                                                                                     \
	  value,                                                                                   \
	  .help = "as in " #variable ": " text,                                                    \
	  TEXT(setting[PMU_CONFIG_##variable]),                                                    \
	  .setting = #variable,                                                                    \
	  .check = test,                                                                           \
	  .complete = find,                                                                        \
	  .part = PMU_PART_##in },
#define SWITCH(variable, values, fallback, about, member, take_in, option, in, text) \
	{ option,                                                                    \
	  .help = "as " #variable "=1: " text,                                       \
	  .setting = #variable,                                                      \
	  .says = "1",                                                               \
	  .part = PMU_PART_##in,                                                     \
	  TEXT(setting[PMU_CONFIG_##variable]) },
#include "settings/vars.h"
	{ "--topdown", .argument = "[=LEVEL]", .take = take_topdown, .words = "1 2 3 4",
	  .part = PMU_PART_COUNTED,
	  .help = "where the processor's slots went: a tree of LEVEL 1 to 4, else 2; groups take turns" },
	{ "--idle", .setting = "PMU_ENABLE", .says = "later", .part = PMU_PART_MORE,
	  TEXT(setting[PMU_CONFIG_PMU_ENABLE]),
	  .help = "as PMU_ENABLE=later: measure nothing until 'pmu on'" },
	{ "--cpus", 'C', "CPUS", TEXT(cpus), .help = "bind the command to these: 0-3,8" },
	{ "--emulate", .argument = "[=fast]", .take = take_emulate, .words = "fast",
	  .part = PMU_PART_COUNTED,
	  .help = "under valgrind, which counts in place of the processor, the same each time: some 50 times slower; =fast: instructions alone, 10 times" },
	{ "--sample", .argument = "[=RATE|EVENT]", .take = take_sample_rate,
	  .words = "997 4000 off branch-misses cache-misses instructions page-faults:1",
	  .part = PMU_PART_MORE,
	  .help = "where in its code each region spends its time, by function and line: so many samples a second of CPU time, 997 without it; estimates, beside which counts stay as exact as without; without this option 199, of threads that run for 50 ms; off: none; branch-misses:10007: where that event happens, one each so many" },
	{ "--repeat", .argument = "N", TEXT(said.repeat), .words = "auto", .part = PMU_PART_OFTEN,
	  .help = "run it N times and report the medians, their intervals and how runs differ; auto: as often as it takes until the median's interval is narrower than --precision, or --limit is over" },
	{ "--precision", .argument = "P%", TEXT(said.precision), .part = PMU_PART_OFTEN,
	  .help = "with --repeat auto: 1% of the median without it" },
	{ "--limit", .argument = "TIME", TEXT(said.limit),
	  .help = "with --repeat auto: no run begins later after the start: 60s without it" },
	{ "--metric", .argument = "NAME", TEXT(metric),
	  .help = "what is to be so precise; time: the command's; IPC; solve:instructions" },
	{ "--warmup", .argument = "N", TEXT(said.warmup),
	  .help = "so many runs before those, which are not reported" },
	{ "--against", .argument = "COMMAND", TEXT(said.against), .part = PMU_PART_OFTEN,
	  .help = "run the two in turns, 20 times each if not --repeat says how often; the report is what 'pmu diff' says of them" },
	{ "--map", .argument = "OLD=NEW", .take = take_run_rename,
	  .help = "a region that is called OLD there and NEW here" },
	{ "--no-aslr", FLAG(no_aslr),
	  .help = "the same addresses in each run: where memory lies moves times, some by much" },
	{ "--output", 'o', "OUT", PMU_OPTION_TEXTS(struct pmu_run_request, output, n_outputs),
	  .complete = pmu_complete_outputs, .part = PMU_PART_WHERE,
	  .help = "a report, any number of times; by its ending .json, .csv, .html (a page for a browser), .folded (flame graphs), .speedscope.json, .pb (pprof) or callgrind.out.NAME (KCachegrind), else text; '-' is standard output; %p in the name makes a report for each process, %r for each MPI rank, %h for each host; without -o PMU_OUTPUT, else text on standard error" },
	{ "--each", FLAG(each),
	  .help = "the reports of several processes one after another, not combined" },
	{ "--tree", FLAG(tree),
	  .help = "a program that came by fork and exec stands below the region that did so" },
	PMU_TEXT_OPTIONS(struct pmu_run_request, text, top),
	PMU_ANNOTATE_OPTIONS(struct pmu_run_request, annotate, take_run_annotate),
	{ "--all-metrics", FLAG(all_metrics), .part = PMU_PART_COUNTED,
	  .help = "all groups that can be counted here, in turns" },
	{ "--roofline", FLAG(roofline),
	  .help = "what regions compute beside what the machine can, given how much they move: counts FLOPS_DP, FLOPS_SP and MEM, or CACHE, in turns, where -g says nothing else; by the ceilings that 'pmu-bench --ceilings' has measured; an OUT that ends in .svg is a picture" },
	{ "--ceilings", .argument = "FILE", TEXT(ceilings), .complete = pmu_complete_files,
	  .help = "those in this file" },
	{ 0 },
};

/* What an option that is as a setting says; NULL: it does not stand there. */
static const char *given(const struct pmu_run_request *request, const struct pmu_option *option)
{
	return *(const char *const *)((const char *)request + option->at);
}

/* What is to be counted is said in one way. */
static int take_counts(const struct pmu_command *self, struct pmu_run_request *request)
{
	const char *events = PMU_RUN_SETTING(request, PMU_EVENTS);
	const char *group = PMU_RUN_SETTING(request, PMU_GROUP);

	if (events && group)
		return pmu_command_usage_error(self, "events or a group, not both");
	if (request->topdown && (events || group))
		return pmu_command_usage_error(
			self, "--topdown has groups of its own: neither -g nor -e beside it");
	if (request->all_metrics && (events || group || request->topdown))
		return pmu_command_usage_error(
			self, "--all-metrics has all groups: no -g, -e or --topdown beside it");
	if (request->topdown)
		PMU_RUN_SETTING(request, PMU_GROUP) = request->topdown;
	return 0;
}

/* Its file may be named by PMU_TRACE; what else is said of a trace needs one. */
static int take_trace(const struct pmu_command *self, struct pmu_run_request *request)
{
	static const char prefix[] = "--trace-";
	const char *path = getenv("PMU_TRACE");

	if (!PMU_RUN_SETTING(request, PMU_TRACE) && path && *path)
		PMU_RUN_SETTING(request, PMU_TRACE) = path;
	for (const struct pmu_option *option = pmu_run_options; option->name; option++)
		if (!PMU_RUN_SETTING(request, PMU_TRACE) &&
		    !strncmp(option->name, prefix, strlen(prefix)) && given(request, option))
			return pmu_command_usage_error(self, "%s is of --trace", option->name);
	return 0;
}

/* Where no -o says it: PMU_OUTPUT, which the command does not get. */
static int take_outputs(struct pmu_run_request *request)
{
	const char *list = getenv("PMU_OUTPUT");
	char *rest, *path;
	size_t n = 1;

	if (request->n_outputs == 1 && !strcmp(request->output[0], "none")) {
		request->n_outputs = 0;
		request->no_report = true;
	}
	if (request->no_report || request->n_outputs || !list || !*list)
		return 0;
	request->no_report = !strcmp(list, "none");
	if (request->no_report)
		return 0;
	for (const char *c = list; *c; c++)
		n += *c == ',';
	free(request->output);
	request->output = calloc(n, sizeof(*request->output));
	request->output_list = rest = strdup(list);
	if (!request->output || !rest) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	while ((path = strsep(&rest, ",")))
		if (*path)
			request->output[request->n_outputs++] = path;
	return 0;
}

int pmu_run_parse(const struct pmu_command *self, int argc, char **argv,
		  struct pmu_run_request *request)
{
	int i, rc;

	request->output = calloc((size_t)argc, sizeof(*request->output));
	request->rename = calloc((size_t)argc, sizeof(*request->rename));
	if (!request->output || !request->rename) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	/* what follows the command is its own */
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		rc = pmu_command_option(self, pmu_run_options, request, argv, &i);
		if (rc)
			return rc;
	}
	if (i >= argc)
		return pmu_command_usage_error(self, "run what? A command is missing");
	rc = pmu_command_top(self, request->top, &request->text);
	if (!rc)
		rc = pmu_run_repeat_parse(self, request);
	if (rc)
		return rc;
	request->command = argv + i;
	if (request->tree && request->each)
		return pmu_command_usage_error(self, "--tree or --each?");
	if (request->repeat && request->each)
		return pmu_command_usage_error(self, "--repeat or --each?");
	if (request->repeat && request->roofline)
		return pmu_command_usage_error(self, "--roofline is of one run, not of --repeat");
	if (request->ceilings && !request->roofline)
		return pmu_command_usage_error(self, "--ceilings is of --roofline");
	rc = take_trace(self, request);
	if (!rc)
		rc = take_counts(self, request);
	return rc ? rc : take_outputs(request);
}

void pmu_run_request_free(struct pmu_run_request *request)
{
	free(request->output);
	free(request->output_list);
	free(request->all_groups);
	free(request->rename);
	if (request->against.we_wordv)
		wordfree(&request->against);
}

/* --- settings --- */

/* The option that says what a setting is; NULL: none does. */
static const struct pmu_option *option_for(const struct pmu_run_request *request,
					   const char *setting)
{
	for (const struct pmu_option *option = pmu_run_options; option->name; option++)
		if (option->setting && !strcmp(option->setting, setting))
			return given(request, option) ? option : NULL;
	return NULL;
}

/* The library's sentence, about the option where there is one. */
static int tell_config_error(const struct pmu_run_request *request, const struct pmu_config *config)
{
	const struct pmu_config_var *wrong = config ? config->wrong : NULL;
	const struct pmu_option *option = wrong ? option_for(request, wrong->name) : NULL;
	const char letter[] = { '-', option ? option->letter : '\0', '\0' };
	const char *name, *value, *between = option ? " " : "=";

	if (!wrong) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_USAGE;
	}
	name = !option ? wrong->name : option->letter ? letter : option->name;
	value = config->wrong_value;
	pmu_command_error("%s%s%s: %s", name, value ? between : "", value ? value : "",
			  pmu_error_text());
	return PMU_EXIT_USAGE;
}

/* What takes no samples, or would have them of another run than the one that is told of. */
static const char *beside_samples(const struct pmu_run_request *request)
{
	return request->emulate            ? "--emulate"
	       : request->against.we_wordv ? "--against"
	       : request->repeat           ? "--repeat"
					   : NULL;
}

static int check_samples(const struct pmu_run_request *request)
{
	const char *beside = beside_samples(request);

	if (!request->samples && PMU_RUN_SETTING(request, PMU_CALLERS) && !request->switched_off) {
		pmu_command_error("--callers is of samples, and none are taken%s%s",
				  beside ? " with " : "", beside ? beside : "");
		return PMU_EXIT_USAGE;
	}
	if (!request->samples || request->late_ns || !beside)
		return 0;
	pmu_command_error("--sample is of one run as it is, not of %s", beside);
	return PMU_EXIT_USAGE;
}

/* Lines. */
static void tell_warnings(char *rest)
{
	char *line;

	while (rest && *rest && (line = strsep(&rest, "\n")))
		pmu_command_error("%s", line);
}

static bool is_pinning(const struct pmu_config *config)
{
	/* registers count processors, not threads: that source pins by itself */
	if (config->backend && config->backend->exclusive)
		return !config->pin_given || config->pin.policy != PMU_PIN_NONE;
	return config->pin_given && config->pin.policy != PMU_PIN_NONE;
}

/*
 * Where a program spends its time is the next question after how long it takes, and most have no regions that would
 * tell it.  Not where each instruction or interrupt counts, nor where several runs make a result.
 */
static bool suits_samples(const struct pmu_run_request *request, const struct pmu_config *config)
{
	return request->may_sample && config->enable && config->wait && !config->exact &&
	       !request->exact_branches && !request->emulate && !request->repeat &&
	       !request->against.we_wordv && config->count != PMU_COUNT_PROCESS &&
	       !(config->backend && config->backend->exclusive);
}

/* Within another 'pmu run' it is as in that one. */
static void take_sampling(struct pmu_run_request *request, const struct pmu_config *config)
{
	const char *said = getenv("PMU_SAMPLE");
	bool is_asked = said && *said && !config->sample_late;

	request->samples = is_asked ? config->sample.unit.period != 0
				    : suits_samples(request, config);
	if (is_asked)
		return;
	if (request->samples)
		request->late_ns = UINT64_C(1000000000) / PMU_SAMPLE_AUTO_HZ;
	if (request->samples || (said && *said))
		PMU_RUN_SETTING(request, PMU_SAMPLE) = request->samples ? "auto" : "off";
}

/* Said before the start: samples of another event than was asked for would be none at all. */
static int check_sample_event(const struct pmu_run_request *request, struct pmu_config *config)
{
	char why[PMU_SAMPLE_WHY_MAX];

	if (!request->samples || pmu_sample_is_time(&config->sample.unit) ||
	    beside_samples(request))
		return 0;
	if (config->backend && config->backend->exclusive &&
	    config->sample.slot.kind == PMU_SLOT_CORE)
		snprintf(why, sizeof(why), "%s", PMU_SAMPLE_REGISTERS);
	else if (!pmu_sample_event_check(&config->sample, why))
		return 0;
	pmu_command_error("%s", why);
	return PMU_EXIT_USAGE;
}

/* All that the library would find before its first region. */
static int check_library(struct pmu_run_request *request)
{
	struct pmu_config *config = calloc(1, sizeof(*config));
	struct pmu_strbuf warnings = { 0 };
	int rc = config ? pmu_config_take(config, NULL, &warnings) : pmu_fail(ENOMEM, "no memory");

	if (rc)
		rc = tell_config_error(request, config);
	if (!rc) {
		request->switched_off = !config->enable;
		request->pins = config->enable && is_pinning(config);
		take_sampling(request, config);
		rc = check_sample_event(request, config);
		if (config->require)
			PMU_RUN_SETTING(request, PMU_REQUIRE) = "1";
		request->text.threads |= config->report.threads;
		request->text.all |= config->report.all;
		request->text.brief |= config->report.brief;
		request->text.callers |= config->callers;
		tell_warnings(warnings.text);
	}
	pmu_strbuf_free(&warnings);
	if (config) {
		pmu_catalog_close(&config->catalog);
		pmu_config_free(config);
	}
	free(config);
	return rc;
}

/* --- all or nothing --- */

static int refuse_target(const struct pmu_run_request *request, const char *why)
{
	if (request->exact_branches)
		pmu_command_error("--exact-branches: %s; nothing was run%s", why,
				  request->emulate
					  ? ""
					  : ". Where no processor counts, valgrind does: pmu "
					    "check --exact-branches ... -- --emulate COMMAND");
	else
		pmu_command_error("--require: %s; nothing was run", why);
	return PMU_EXIT_NOT_STARTED;
}

enum pmu_emulation pmu_run_emulation(const struct pmu_run_request *request)
{
	if (!request->emulate)
		return PMU_EMULATION_NONE;
	return request->fast ? PMU_EMULATION_FAST : PMU_EMULATION_FULL;
}

/* Under valgrind all takes fifty times as long: not for nothing. */
static int check_simulated(const struct pmu_run_request *request)
{
	if (!request->emulate || request->switched_off ||
	    !pmu_session_foretell(pmu_run_emulation(request), true))
		return 0;
	pmu_command_error("--emulate: %s; nothing was run", pmu_error_text());
	return PMU_EXIT_NOT_STARTED;
}

/* Said before the start, or the command's work would be for nothing. */
static int check_required(const struct pmu_run_request *request)
{
	if (!PMU_RUN_SETTING(request, PMU_REQUIRE))
		return check_simulated(request);
	if (request->switched_off)
		return refuse_target(request, "PMU_ENABLE=0 switches measuring off");
	return pmu_session_foretell(pmu_run_emulation(request), false)
		       ? refuse_target(request, pmu_error_text())
		       : 0;
}

int pmu_run_check_target(const struct pmu_run_request *request, const struct pmu_run_target *target)
{
	return PMU_RUN_SETTING(request, PMU_REQUIRE) && target->why[0]
		       ? refuse_target(request, target->why)
		       : 0;
}

/* What is preloaded takes them in, and the library knows nothing of them. */
static int check_preloaded(const struct pmu_run_request *request)
{
	int rc = 0;

	for (const struct pmu_option *option = pmu_run_options; !rc && option->name; option++) {
		const char *variable;

		if (!option->check)
			continue;
		variable = getenv(option->setting);
		if (given(request, option))
			rc = option->check(option->name, given(request, option));
		else if (variable && *variable)
			rc = option->check(option->setting, variable);
	}
	return rc;
}

int pmu_run_check_settings(struct pmu_run_request *request)
{
	char **environment = pmu_run_environment(request, NULL, NULL), **ours = environ;
	int rc;

	if (!environment) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	environ = environment;
	rc = check_library(request);
	if (!rc)
		rc = check_required(request);
	if (!rc)
		rc = check_samples(request);
	environ = ours;
	pmu_run_environment_free(environment);
	return rc ? rc : check_preloaded(request);
}
