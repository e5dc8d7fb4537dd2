/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a command line, by a table. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/sysfile.h"
#include "bindings/command/command.h"
#include "bindings/command/quantity.h"
#include "report/report.h"

/* Of one command, among which the nearest is looked for. */
#define OPTIONS_MAX 64

static bool has_option_letter(const struct pmu_option *option, const char *arg)
{
	return option->letter && arg[0] == '-' && arg[1] == option->letter;
}

/*
 * The value of "-eVALUE", "-e VALUE", "--name=VALUE" or "--name VALUE"; NULL for other arguments,
 * "" where it is missing.
 */
static const char *option_value(const struct pmu_option *option, char **argv, int *i)
{
	const char *arg = argv[*i];
	size_t len = strlen(option->name);

	if (has_option_letter(option, arg)) {
		if (arg[2])
			return arg + 2;
	} else if (strncmp(arg, option->name, len) != 0) {
		return NULL;
	} else if (arg[len] == '=') {
		return arg + len + 1;
	} else if (arg[len]) {
		return NULL;
	}
	return argv[*i + 1] ? argv[++*i] : "";
}

static int unknown(const struct pmu_command *self, const struct pmu_option *options,
		   const char *arg)
{
	const char *names[OPTIONS_MAX + 2] = { "--help" }, *nearest;

	for (size_t n = 0; options[n].name && n < OPTIONS_MAX; n++)
		names[n + 1] = options[n].name;
	nearest = arg[0] == '-' ? pmu_closest(arg, names) : NULL;
	return pmu_command_usage_error(self, "%s takes no '%s'%s%s%s", self->name, arg,
				       nearest ? ", did you mean " : "", nearest ? nearest : "",
				       nearest ? "?" : "");
}

/* Return: was it "--name" or "-n", or "--name=VALUE" where that may be? */
static bool is_flag(const struct pmu_option *option, const char *arg, const char **value)
{
	size_t len = strlen(option->name);

	*value = NULL;
	if (option->argument && !strncmp(arg, option->name, len) && arg[len] == '=') {
		*value = arg + len + 1;
		return true;
	}
	return !strcmp(arg, option->name) || (has_option_letter(option, arg) && !arg[2]);
}

static int take_option(const struct pmu_command *self, const struct pmu_option *option,
		       void *request, const char *value)
{
	void *place = (char *)request + option->at;
	size_t *number = option->number ? (void *)((char *)request + option->number) : NULL;

	if (option->take)
		return option->take(self, request, value);
	if (number)
		(*(const char ***)place)[(*number)++] = value;
	else if (option->argument || option->says)
		*(const char **)place = option->says ? option->says : value;
	else
		*(bool *)place = true;
	return 0;
}

int pmu_command_option(const struct pmu_command *self, const struct pmu_option *options,
		       void *request, char **argv, int *i)
{
	const char *arg = argv[*i];

	for (const struct pmu_option *option = options; option->name; option++) {
		const char *value;

		if (!option->argument || option->argument[0] == '[') {
			if (is_flag(option, arg, &value))
				return take_option(self, option, request, value);
			continue;
		}
		value = option_value(option, argv, i);
		if (!value)
			continue;
		if (!*value)
			return pmu_command_usage_error(self, "%s needs a value", arg);
		return take_option(self, option, request, value);
	}
	return pmu_command_is_help(arg) ? pmu_command_show_help(self) : unknown(self, options, arg);
}

int pmu_command_top(const struct pmu_command *self, const char *number,
		    struct pmu_text_options *text)
{
	uint64_t value;

	if (!number)
		return 0;
	if (pmu_parse_u64(number, &value) < 0 || !value || value > UINT_MAX)
		return pmu_command_usage_error(self, "--top %s: say how many regions", number);
	text->top = (unsigned int)value;
	return 0;
}

#define SECOND_NS 1e9
#define LEAST_NS  1e7
#define MOST_NS   86400e9

int pmu_command_interval(const struct pmu_command *self, const char *text, uint64_t *ns)
{
	struct pmu_quantity quantity = { .value = 1 };
	double value;

	if (text && (!pmu_quantity_parse(text, strlen(text), &quantity) || quantity.sign ||
		     quantity.unit == PMU_QUANTITY_SHARE))
		return pmu_command_usage_error(self, "--interval %s: no time, as in 1s or 200ms",
					       text);
	value = quantity.unit == PMU_QUANTITY_TIME ? quantity.value : quantity.value * SECOND_NS;
	if (value != 0 && (value < LEAST_NS || value > MOST_NS))
		return pmu_command_usage_error(self, "--interval %s: 10ms at least, a day at most",
					       text);
	*ns = (uint64_t)value;
	return 0;
}
