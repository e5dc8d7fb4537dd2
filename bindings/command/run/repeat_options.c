/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a command is run, and what it is compared with. */
#include <string.h>

#include "base/sysfile.h"
#include "bindings/command/command.h"
#include "bindings/command/quantity.h"
#include "bindings/command/run/repeat.h"

/* Of a command: more are taken for a mistake. */
#define MAX_RUNS 100000u
/* Of each command, where two are compared: differences of 20 pairs can be told among thousands of values. */
#define RUNS_AGAINST 20u

#define PRECISION 0.01
#define LIMIT_NS  60000000000u

/* Of runs.  Return: 0, or an exit status after a message. */
static int take_run_count(const struct pmu_command *self, const char *option, const char *text,
			  unsigned int least, unsigned int *number)
{
	uint64_t value;

	if (!text)
		return 0;
	if (pmu_parse_u64(text, &value) < 0 || value < least || value > MAX_RUNS)
		return pmu_command_usage_error(self, "%s %s: how many runs? From %u to %u%s",
					       option, text, least, MAX_RUNS,
					       least ? ", or auto" : "");
	*number = (unsigned int)value;
	return 0;
}

static int take_precision(const struct pmu_command *self, const char *text,
			  struct pmu_run_request *request)
{
	struct pmu_quantity quantity;

	request->precision = PRECISION;
	if (!text)
		return 0;
	if (!pmu_quantity_parse(text, strlen(text), &quantity) || quantity.sign ||
	    quantity.unit != PMU_QUANTITY_SHARE || quantity.value <= 0)
		return pmu_command_usage_error(
			self,
			"--precision %s: how wide an interval of the median? Say it as in 1%%",
			text);
	request->precision = quantity.value;
	return 0;
}

static int take_time_limit(const struct pmu_command *self, const char *text,
			   struct pmu_run_request *request)
{
	struct pmu_quantity quantity;

	request->limit_ns = LIMIT_NS;
	if (!text)
		return 0;
	if (!pmu_quantity_parse(text, strlen(text), &quantity) || quantity.sign ||
	    quantity.unit != PMU_QUANTITY_TIME || quantity.value < 1 || quantity.value > 1e18)
		return pmu_command_usage_error(
			self, "--limit %s: after what time to stop? Say it as in 60s, 10min", text);
	request->limit_ns = (uint64_t)quantity.value;
	return 0;
}

/* As the shell splits them, with its quotes and variables, without starting anything. */
static int take_against(const struct pmu_command *self, const char *text,
			struct pmu_run_request *request)
{
	wordexp_t words = { .we_wordc = 0 };
	int rc;

	if (!text)
		return 0;
	rc = wordexp(text, &words, WRDE_NOCMD);
	if (!rc && words.we_wordc) {
		request->against = words;
		return 0;
	}
	if (!rc || rc == WRDE_NOSPACE)
		wordfree(&words);
	if (rc == WRDE_BADCHAR || rc == WRDE_CMDSUB)
		return pmu_command_usage_error(
			self,
			"--against '%s': for a pipe and the like give it to a shell: "
			"--against \"sh -c '...'\"",
			text);
	return pmu_command_usage_error(self, "--against '%s': %s", text,
				       rc == WRDE_SYNTAX ? "a quote is not closed"
				       : rc              ? "no memory"
							 : "against what? A command is missing");
}

int pmu_run_repeat_parse(const struct pmu_command *self, struct pmu_run_request *request)
{
	const struct pmu_run_said *said = &request->said;
	int rc = 0;

	request->until_precise = said->repeat && !strcmp(said->repeat, "auto");
	if (request->until_precise)
		request->repeat = MAX_RUNS;
	else
		rc = take_run_count(self, "--repeat", said->repeat, 1, &request->repeat);
	if (!rc && said->against && !said->repeat)
		request->repeat = RUNS_AGAINST;
	if (!rc)
		rc = take_run_count(self, "--warmup", said->warmup, 0, &request->warmup);
	if (rc)
		return rc;
	if (said->warmup && !request->repeat)
		return pmu_command_usage_error(self, "--warmup comes before --repeat's runs");
	if ((said->precision || said->limit) && !request->until_precise)
		return pmu_command_usage_error(self, "%s is --repeat auto's",
					       said->precision ? "--precision" : "--limit");
	if (request->n_renames && !said->against)
		return pmu_command_usage_error(self, "--map names regions of what --against says");
	if (request->metric && !request->until_precise && !said->against)
		return pmu_command_usage_error(
			self,
			"--metric says what is to be precise, of --repeat auto, or what is compared "
			"too, of --against");
	rc = take_precision(self, said->precision, request);
	if (!rc)
		rc = take_time_limit(self, said->limit, request);
	return rc ? rc : take_against(self, said->against, request);
}
