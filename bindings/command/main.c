/* SPDX-License-Identifier: BSD-3-Clause */
/* The pmu command: finds the command that was asked for. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/write.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "report/encode.h"
#include "report/report.h"

const struct pmu_command *const pmu_commands[] = {
	&pmu_command_run,    &pmu_command_attach, &pmu_command_report,  &pmu_command_live,
	&pmu_command_on,     &pmu_command_off,    &pmu_command_diff,    &pmu_command_check,
	&pmu_command_doctor, &pmu_command_info,   &pmu_command_msr,     &pmu_command_list,
	&pmu_command_event,  &pmu_command_help,   &pmu_command_version, NULL,
};

const struct pmu_command *pmu_command_find(const char *name)
{
	const struct pmu_command *const *command;

	for (command = pmu_commands; *command; command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

/* Commands that have another name by now. */
static const struct {
	const char *name, *now;
} renamed[] = { { "plan", "msr plan" }, { "restore", "msr restore" } };

const char *pmu_command_nearest(const char *name)
{
	static char text[64];
	const char *names[24], *nearest;
	size_t i;

	for (i = 0; i < PMU_ARRAY_LEN(renamed); i++) {
		if (strcmp(name, renamed[i].name) != 0)
			continue;
		snprintf(text, sizeof(text), ": it is 'pmu %s' now", renamed[i].now);
		return text;
	}
	for (i = 0; i + 1 < PMU_ARRAY_LEN(names) && pmu_commands[i]; i++)
		names[i] = pmu_commands[i]->name;
	names[i] = NULL;
	nearest = pmu_closest(name, names);
	if (!nearest)
		return "";
	snprintf(text, sizeof(text), ", did you mean '%s'?", nearest);
	return text;
}

/*
 * In one piece, and as errors at most: what becomes of this text must not change what becomes of
 * the command.
 */
static void print_error(const char *usage, const char *fmt, va_list args)
{
	struct pmu_strbuf line = { 0 };
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	pmu_strbuf_add(&line, "pmu: ");
	/* names in it may hold anything */
	pmu_encode_line(&line, text ? text : "no memory to say what went wrong");
	pmu_strbuf_add(&line, "\n");
	if (usage)
		pmu_strbuf_addf(&line, "usage: pmu %s\n", usage);
	pmu_write_message(STDERR_FILENO, pmu_strbuf_text(&line), line.len, true);
	pmu_strbuf_free(&line);
	free(text);
}

void pmu_command_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_error(NULL, fmt, args);
	va_end(args);
}

int pmu_command_usage_error(const struct pmu_command *command, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_error(command->usage, fmt, args);
	va_end(args);
	return PMU_EXIT_USAGE;
}

int pmu_command_print(struct pmu_strbuf *out)
{
	int rc = out->failed ? -ENOMEM
			     : pmu_write_all(STDOUT_FILENO, pmu_strbuf_text(out), out->len);

	pmu_strbuf_free(out);
	if (!rc || rc == -EPIPE)
		return 0;
	pmu_command_error("cannot write to standard output: %s", strerror(-rc));
	return PMU_EXIT_FAILED;
}

/*
 * Whatever else is asked for, and however wrong.  Behind "--" and, for 'pmu run' and 'pmu top', from
 * the first word on that is no option, the words are others'.
 */
static bool asks_for_help(const struct pmu_command *command, char *const *argv)
{
	for (char *const *arg = argv; *arg && strcmp(*arg, "--") != 0; arg++) {
		if ((command == &pmu_command_run || command == &pmu_command_live) &&
		    (*arg)[0] != '-')
			return false;
		if (pmu_command_is_help(*arg))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const struct pmu_command *command;
	const char *name = argc > 1 ? argv[1] : NULL;
	int rc;

	if (!name) {
		pmu_command_error("say what to do; 'pmu help' lists what there is");
		return PMU_EXIT_USAGE;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		return pmu_command_version.run(&pmu_command_version, argc - 1, argv + 1);
	if (pmu_command_is_help(name))
		return pmu_command_help.run(&pmu_command_help, argc - 1, argv + 1);
	/* for shells, so not among those that help lists */
	if (!strcmp(name, "complete"))
		return pmu_complete(argc - 1, argv + 1);
	command = pmu_command_find(name);
	if (!command) {
		pmu_command_error("there is no command '%s'%s; 'pmu help' lists what there is",
				  name, pmu_command_nearest(name));
		return PMU_EXIT_USAGE;
	}
	rc = asks_for_help(command, argv + 2) ? pmu_command_show_help(command)
					      : command->run(command, argc - 1, argv + 1);
	return rc == PMU_EXIT_HELPED ? 0 : rc;
}
