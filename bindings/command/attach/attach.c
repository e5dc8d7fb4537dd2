/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu attach`: measures programs that run already, from outside, and leaves them as they were. */
#include "bindings/command/attach/attach.h"
#include "bindings/command/attach/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sysfile.h"
#include "bindings/command/code/code.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/output.h"
#include "bindings/command/quantity.h"
#include "report/model/metric.h"
#include "report/model/model.h"
#include "reports/combine/combine.h"

#define SECOND_NS 1e9
#define LEAST_NS  1e6
#define MOST_NS   (366 * 86400e9)

/** The command line. */
struct request {
	pid_t *pid;
	size_t n_pids;
	const char *duration, *group, *events, *sample, *cgroup;
	bool all; /* of the machine */
	const char **output;
	size_t n_outputs;
	struct pmu_text_options text;
	const char *top;
	uint64_t for_ns; /* 0: until they end */
	bool dash_dash;
};

/* --- the command line --- */

static int take_attach_sample(const struct pmu_command *self, void *arg, const char *rate)
{
	struct request *request = arg;

	(void)self;
	request->sample = !rate ? "1" : !strcmp(rate, "off") ? "0" : rate;
	return 0;
}

static const struct pmu_option attach_options[] = {
	{ "--all-cpus", 'a', PMU_OPTION_FLAG(struct request, all),
	  .help = "in place of processes the whole machine: what its processors count, and which programs run there" },
	{ "--cgroup", .argument = "PATH", PMU_OPTION_TEXT(struct request, cgroup),
	  .complete = pmu_complete_files,
	  .help = "in place of processes all those of a cgroup: a folder below /sys/fs/cgroup, as system.slice/nginx.service" },
	{ "--for", .argument = "TIME", PMU_OPTION_TEXT(struct request, duration),
	  .help = "so long: 10s, 500ms; without it until they have all ended, or Ctrl-C" },
	{ "--group", 'g', "GROUP", PMU_OPTION_TEXT(struct request, group), .setting = "PMU_GROUP",
	  .complete = pmu_complete_groups, .part = PMU_PART_COUNTED,
	  .help = "as in PMU_GROUP: count this group: 'pmu list groups'" },
	{ "--events", 'e', "EVENTS", PMU_OPTION_TEXT(struct request, events),
	  .setting = "PMU_EVENTS", .part = PMU_PART_COUNTED,
	  .help = "as in PMU_EVENTS: count these events: 'pmu list events'" },
	{ "--sample", .argument = "[=RATE|EVENT]", .take = take_attach_sample,
	  .words = "997 4000 off branch-misses cache-misses instructions page-faults:1",
	  .part = PMU_PART_COUNTED,
	  .help = "so many samples a second of CPU time, 997 without it: where in its code each program spends its time, by function and line; =off: none; an event: where that happens, one sample each PERIOD of it" },
	{ "--callers", PMU_OPTION_FLAG(struct request, text.callers), .setting = "PMU_CALLERS",
	  .part = PMU_PART_COUNTED,
	  .help = "as PMU_CALLERS=1: also what called the functions that samples see, by frame pointers" },
	{ "--output", 'o', "OUT", PMU_OPTION_TEXTS(struct request, output, n_outputs),
	  .complete = pmu_complete_outputs, .part = PMU_PART_WHERE,
	  .help = "a report, any number of times; by its ending .json, .csv, .html (a page for a browser), .folded (flame graphs), .speedscope.json, .pb (pprof) or callgrind.out.NAME (KCachegrind), else text; '-' is standard output; without -o text on standard error" },
	PMU_TEXT_OPTIONS(struct request, text, top),
	{ 0 },
};

static int take_duration(const struct pmu_command *self, struct request *request)
{
	const char *text = request->duration;
	struct pmu_quantity quantity = { .value = 0 };
	double value;

	if (!text)
		return 0;
	if (!pmu_quantity_parse(text, strlen(text), &quantity) || quantity.sign ||
	    quantity.unit == PMU_QUANTITY_SHARE)
		return pmu_command_usage_error(self, "--for %s: no time, as in 10s or 500ms", text);
	value = quantity.unit == PMU_QUANTITY_TIME ? quantity.value : quantity.value * SECOND_NS;
	if (value < LEAST_NS || value > MOST_NS)
		return pmu_command_usage_error(self, "--for %s: 1ms at least, a year at most",
					       text);
	request->for_ns = (uint64_t)value;
	return 0;
}

static int take_pid(const struct pmu_command *self, struct request *request, const char *text)
{
	uint64_t pid;

	if (pmu_parse_u64(text, &pid) || !pid || pid > INT32_MAX)
		return pmu_command_usage_error(
			self, "'%s' is no process's number; 'pgrep %s' may find one", text, text);
	for (size_t i = 0; i < request->n_pids; i++)
		if (request->pid[i] == (pid_t)pid)
			return 0;
	request->pid[request->n_pids++] = (pid_t)pid;
	return 0;
}

static int check_attach(const struct pmu_command *self, struct request *request)
{
	if (request->n_pids + request->all + (request->cgroup != NULL) == 0)
		return pmu_command_usage_error(self,
					       "attach to what? A process's number is missing");
	if ((request->n_pids != 0) + request->all + (request->cgroup != NULL) > 1)
		return pmu_command_usage_error(self, "processes, --cgroup or --all-cpus?");
	if (request->text.callers && !request->n_pids)
		return pmu_command_usage_error(
			self, "--callers are those of processes' functions: of which?");
	if (request->group && request->events)
		return pmu_command_usage_error(self, "--group or --events?");
	for (size_t i = 0; i < request->n_outputs; i++)
		if (pmu_output_check(request->output[i], PMU_OF_REPORT))
			return pmu_command_usage_error(self, "%s", pmu_error_text());
	return take_duration(self, request);
}

static int parse_attach(const struct pmu_command *self, int argc, char **argv,
			struct request *request)
{
	int rc = 0;

	request->pid = calloc((size_t)argc, sizeof(*request->pid));
	request->output = calloc((size_t)argc + 1, sizeof(*request->output));
	if (!request->pid || !request->output) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (int i = 1; i < argc && !rc; i++) {
		if (request->dash_dash || argv[i][0] != '-')
			rc = take_pid(self, request, argv[i]);
		else if (!strcmp(argv[i], "--"))
			request->dash_dash = true;
		else
			rc = pmu_command_option(self, attach_options, request, argv, &i);
	}
	if (!rc)
		rc = pmu_command_top(self, request->top, &request->text);
	return rc ? rc : check_attach(self, request);
}

/* --- what is counted --- */

/*
 * Settings of measured programs say what is counted, as 'pmu run' takes them.  What they say of another machine, or of
 * where programs write their own reports, is none of this.
 */
static int load_settings(const struct request *request, struct pmu_config *config)
{
	struct pmu_strbuf warnings = { 0 };
	int rc;

	unsetenv("PMU_ENABLE");
	unsetenv("PMU_CPUID_FILE");
	unsetenv("PMU_OUTPUT");
	if (request->group || request->events) {
		unsetenv("PMU_GROUP");
		unsetenv("PMU_EVENTS");
	}
	if (request->group)
		setenv("PMU_GROUP", request->group, 1);
	if (request->events)
		setenv("PMU_EVENTS", request->events, 1);
	setenv("PMU_SAMPLE", request->sample ? request->sample : "1", request->sample != NULL);
	if (request->text.callers)
		setenv("PMU_CALLERS", "1", 1);
	rc = pmu_config_take(config, NULL, &warnings);
	pmu_strbuf_free(&warnings);
	return rc;
}

/* The library's sentence, about the option where there is one. */
static int tell_setting(const struct request *request, const struct pmu_config *config)
{
	const struct pmu_config_var *wrong = config ? config->wrong : NULL;
	const char *value = wrong ? config->wrong_value : NULL;
	const struct {
		const char *variable, *option;
		bool is_given;
	} options[] = { { "PMU_GROUP", "-g", request->group },
			{ "PMU_EVENTS", "-e", request->events },
			{ "PMU_SAMPLE", "--sample", request->sample } };
	const char *name = wrong ? wrong->name : NULL;

	for (size_t i = 0; wrong && i < PMU_ARRAY_LEN(options); i++)
		if (options[i].is_given && !strcmp(options[i].variable, wrong->name))
			name = options[i].option;
	if (name)
		pmu_command_error("%s%s%s: %s", name, value ? "=" : "", value ? value : "",
				  pmu_error_text());
	else
		pmu_command_error("%s", pmu_error_text());
	return PMU_EXIT_USAGE;
}

/* Return: 0, or an exit status after a message. */
static int choose_counts(const struct request *request, struct pmu_attach_plan *plan)
{
	struct pmu_config *config = calloc(1, sizeof(*config));
	int rc = config ? load_settings(request, config) : pmu_fail(ENOMEM, "no memory");

	if (!rc)
		rc = pmu_attach_choose(config, plan);
	if (rc)
		rc = tell_setting(request, config);
	if (config) {
		pmu_catalog_close(&config->catalog);
		pmu_config_free(config);
	}
	free(config);
	return rc;
}

/* --- watching --- */

/* Each thread has a descriptor for each processor, and for each event. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_attached(struct pmu_attach *attach, struct pmu_attach_process *process, pid_t pid)
{
	int rc = pmu_attach_check(pid);

	*process = (struct pmu_attach_process){ .pid = pid, .fd = -1, .root_fd = -1 };
	if (rc)
		return rc;
	process->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process->fd < 0)
		return pmu_fail(errno, "cannot attach to process %d: %s", pid, strerror(errno));
	process->root_fd = pmu_attach_root(pid);
	pmu_attach_name(pid, pid, process->name, sizeof(process->name));
	pmu_attach_command(pid, process->command, sizeof(process->command));
	rc = pmu_attach_open(attach, process);
	if (rc)
		pmu_attach_close(attach, process);
	return rc;
}

/* Those that are gone are told of; any other refusal ends it.  Return: 0; an exit status after a message. */
static int open_all_attached(struct pmu_attach *attach, const struct request *request)
{
	attach->process = calloc(request->n_pids, sizeof(*attach->process));
	if (!attach->process) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (size_t i = 0; i < request->n_pids; i++) {
		int rc = open_attached(attach, &attach->process[attach->n], request->pid[i]);

		if (rc)
			pmu_command_error("%s", pmu_error_text());
		if (rc && rc != -ESRCH)
			return PMU_EXIT_FAILED;
		attach->n += !rc;
	}
	return attach->n ? 0 : PMU_EXIT_FAILED;
}

/* Each has a row of its own. */
static void name_regions(struct pmu_attach *attach)
{
	for (size_t i = 0; i < attach->n; i++) {
		struct pmu_attach_process *process = &attach->process[i];
		unsigned int n = 0;

		for (size_t k = 0; k < attach->n; k++)
			n += !strcmp(attach->process[k].name, process->name);
		if (n == 1)
			snprintf(process->region, sizeof(process->region), "%s", process->name);
		else
			snprintf(process->region, sizeof(process->region), "%s (%d)", process->name,
				 process->pid);
	}
}

/* Return: 0; an exit status after a message. */
static int start_processes(struct pmu_attach *attach, const struct request *request)
{
	if (open_all_attached(attach, request))
		return PMU_EXIT_FAILED;
	name_regions(attach);
	for (size_t i = 0; i < attach->n; i++)
		pmu_attach_start(&attach->process[i]);
	return 0;
}

static int start_machine(struct pmu_attach *attach)
{
	if (pmu_attach_machine_open(attach)) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	pmu_attach_machine_start(attach);
	return 0;
}

static int watch_attached(struct pmu_attach *attach, const struct request *request)
{
	int rc = attach->machine ? start_machine(attach) : start_processes(attach, request);

	if (rc)
		return rc;
	rc = pmu_attach_watch(attach, request->for_ns);
	if (rc)
		pmu_command_error("%s", pmu_error_text());
	return rc ? PMU_EXIT_FAILED : 0;
}

/* --- the report --- */

static int render_attached(struct pmu_strbuf *out, const void *what, const char *path,
			   const struct pmu_text_options *options)
{
	const struct pmu_page_beside beside = { 0 };

	return pmu_output_report(out, what, path, &beside, options);
}

static struct pmu_model *combine_models(struct pmu_model **model, size_t n)
{
	struct pmu_model *combined;

	if (pmu_model_combine(model, (unsigned int)n, PMU_COMBINE_RANKS, &combined)) {
		pmu_command_error("the reports of %zu processes cannot be combined: %s", n,
				  pmu_error_text());
		return NULL;
	}
	pmu_metric_fill(combined);
	return combined;
}

/* Each process's; NULL after a message. */
static struct pmu_model *report_processes(struct pmu_attach *attach, struct pmu_code *code)
{
	struct pmu_model **model = calloc(attach->n, sizeof(*model)), *report = NULL;
	size_t n = 0;

	while (model && n < attach->n &&
	       (model[n] = pmu_attach_model(attach, &attach->process[n], code)))
		n++;
	if (n < attach->n) {
		pmu_command_error("no memory for the report");
	} else if (n > 1) {
		report = combine_models(model, n);
	} else {
		report = model[0];
		n = 0;
	}
	while (n > 0)
		pmu_model_free(model[--n]);
	free(model);
	return report;
}

static struct pmu_model *make_report(struct pmu_attach *attach)
{
	struct pmu_code *code = attach->plan.sample.unit.period ? pmu_code_new() : NULL;
	struct pmu_model *report = attach->machine ? pmu_attach_machine_model(attach, code)
						   : report_processes(attach, code);

	if (attach->machine && !report)
		pmu_command_error("no memory for the report");
	pmu_code_free(code);
	return report;
}

static void close_attached(struct pmu_attach *attach)
{
	while (attach->n > 0)
		pmu_attach_close(attach, &attach->process[--attach->n]);
	if (attach->machine)
		pmu_attach_machine_close(attach);
	pmu_attach_rings_close(&attach->rings);
	free(attach->records.bytes);
	free(attach->records.at);
	free(attach->process);
	free(attach->plan.cpu);
	free(attach);
}

/* Counts of a whole machine are those of its processors. */
static int choose_cpus(struct pmu_attach *attach, const struct request *request)
{
	struct pmu_attach_plan *plan = &attach->plan;

	plan->scope = PMU_COUNT_PROCESS;
	if (!request->all && !request->cgroup)
		return 0;
	attach->machine = pmu_attach_machine_new(request->cgroup);
	plan->scope = PMU_COUNT_CPU;
	plan->with_idle = request->all;
	plan->cpu = calloc(attach->rings.n + 1, sizeof(*plan->cpu));
	if (!plan->cpu)
		return pmu_fail(ENOMEM, "no memory");
	for (size_t i = 0; i < attach->rings.n; i++)
		plan->cpu[plan->n_cpus++] = attach->rings.of[i].cpu;
	return attach->machine ? 0 : -ENOENT;
}

/* Return: 0; an exit status after a message. */
static int open_rings_first(struct pmu_attach *attach, const struct request *request)
{
	int rc = pmu_attach_rings_open(&attach->rings);

	if (!rc)
		rc = choose_cpus(attach, request);
	if (rc)
		pmu_command_error("%s", pmu_error_text());
	return rc ? PMU_EXIT_FAILED : 0;
}

static int attach_to(struct request *request)
{
	struct pmu_attach *attach = calloc(1, sizeof(*attach));
	struct pmu_model *report = NULL;
	int rc;

	if (!attach) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	raise_limit();
	rc = open_rings_first(attach, request);
	if (!rc)
		rc = choose_counts(request, &attach->plan);
	request->text.callers |= attach->plan.callers;
	if (!rc)
		rc = watch_attached(attach, request);
	if (!rc)
		report = make_report(attach);
	close_attached(attach);
	if (!report)
		return rc ? rc : PMU_EXIT_FAILED;
	rc = pmu_output_write(request->output, request->n_outputs, &request->text, render_attached,
			      report)
		     ? 0
		     : PMU_EXIT_FAILED;
	pmu_model_free(report);
	return rc;
}

static int run_attach(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { 0 };
	int rc = parse_attach(self, argc, argv, &request);

	if (!rc)
		rc = attach_to(&request);
	free(request.pid);
	free(request.output);
	return rc;
}

const struct pmu_command pmu_command_attach = {
	.name = "attach",
	.usage =
		"attach PID... | --cgroup PATH | -a [--for TIME] [-g GROUP | -e EVENTS] [-o OUT]... [OPTION]...",
	.about = "measure programs that run already",
	.help = "Measures processes as they run, without putting anything into them and without stopping them: what all\n"
		"their threads count, how long these were on a processor and waited for one, and which functions they\n"
		"were in.  Ends after --for, at Ctrl-C, or when all of them have ended; then the report is made.\n",
	.dashes = "what follows are processes",
	.options = attach_options,
	.more = "A thread that begins meanwhile is counted with the one that began it.  Processes that are forked are\n"
		"not measured.  Other users' processes take root, or CAP_PERFMON with CAP_SYS_PTRACE.\n"
		"A machine and a cgroup take root, CAP_PERFMON, or kernel.perf_event_paranoid at 0: there everything is\n"
		"in it, also what begins and ends meanwhile; counts are of all together, and programs have their samples.\n",
	.run = run_attach,
};
