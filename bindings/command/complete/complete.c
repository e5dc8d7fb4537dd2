/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu complete`: finds out what the last word of a command line is, and prints what it may become. */
#include "bindings/command/complete/complete.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bindings/command/command.h"

/* --- candidates --- */

void pmu_complete_add(struct pmu_complete *complete, const char *text, const char *about)
{
	const char *begun = complete->word + complete->kept;
	size_t len = strlen(begun);

	if ((complete->any_case ? strncasecmp(text, begun, len) : strncmp(text, begun, len)) != 0 ||
	    strpbrk(text, "\t\n"))
		return;
	pmu_strbuf_addf(complete->out, "%.*s%s", (int)complete->kept, complete->word, text);
	if (*about)
		pmu_strbuf_addf(complete->out, "\t%.*s", (int)strcspn(about, "\t\n"), about);
	pmu_strbuf_add(complete->out, "\n");
}

/* --- options --- */

/* "--name", or "-n" and whatever follows.  NULL: there is none. */
static const struct pmu_option *find_option(const struct pmu_command *command, const char *word,
					    size_t len)
{
	const struct pmu_option *option = command->options;

	for (; option && option->name; option++)
		if ((len == 2 && word[0] == '-' && word[1] == option->letter) ||
		    (strlen(option->name) == len && !strncmp(option->name, word, len)))
			return option;
	return NULL;
}

/* The option that takes the next word as its value; NULL: none. */
static const struct pmu_option *takes_next(const struct pmu_command *command, const char *word)
{
	const struct pmu_option *option = find_option(command, word, strlen(word));

	return option && option->argument && option->argument[0] != '[' ? option : NULL;
}

static void complete_options(struct pmu_complete *complete, const struct pmu_command *command)
{
	const struct pmu_option *option = command->options;

	for (; option && option->name; option++)
		pmu_complete_add(complete, option->name, option->help);
	pmu_complete_add(complete, "--help", "explain the command");
}

/* --- the line --- */

/* An option's value in the same word: "--events=c", "-ec". */
static bool complete_joined(struct pmu_complete *complete, const struct pmu_command *command)
{
	const char *word = complete->word, *equal = strchr(word, '=');
	bool is_long = !strncmp(word, "--", 2);
	const struct pmu_option *option;

	if (word[0] != '-' || (is_long ? !equal : strlen(word) < 3))
		return false;
	option = find_option(command, word, is_long ? (size_t)(equal - word) : 2);
	if (!option || !option->argument)
		return false;
	complete->kept = is_long ? (size_t)(equal + 1 - word) : 2;
	pmu_complete_value(complete, option);
	return true;
}

static bool runs(const char *command)
{
	return !strcmp(command, "run") || !strcmp(command, "top");
}

/*
 * @first: the word behind the command's name; @at: the one that is completed
 */
static void complete_command(struct pmu_complete *complete, const struct pmu_command *command,
			     char **word, size_t first, size_t at)
{
	const struct pmu_option *option;
	size_t operands = 0, i;

	complete->command = command->name;
	for (i = first; i < at; i++) {
		bool border = !strcmp(word[i], "--");

		if (border && !strcmp(command->name, "check")) {
			complete_command(complete, &pmu_command_run, word, i + 1, at);
			return;
		}
		if (runs(command->name) && (border || word[i][0] != '-')) {
			pmu_strbuf_addf(complete->out, ":command %zu\n", border ? i + 1 : i);
			return;
		}
		option = takes_next(command, word[i]);
		if (option && ++i == at) {
			pmu_complete_value(complete, option);
			return;
		}
		operands += word[i][0] != '-';
	}
	if (complete_joined(complete, command))
		return;
	if (complete->word[0] != '-') {
		size_t len = complete->out->len;

		if (runs(command->name))
			pmu_strbuf_addf(complete->out, ":command %zu\n", at);
		else
			pmu_complete_operand(complete, operands);
		if (complete->out->len > len)
			return;
	}
	complete_options(complete, command);
}

int pmu_complete(int argc, char **argv)
{
	size_t first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1, n = (size_t)argc - first;
	struct pmu_strbuf out = { 0 };
	struct pmu_complete complete = { .command = "", .word = "", .out = &out };
	char **word = argv + first;

	if (argc > (int)first && n == 1) {
		complete.word = word[0];
		for (const struct pmu_command *const *command = pmu_commands; *command; command++)
			pmu_complete_add(&complete, (*command)->name, (*command)->about);
		pmu_complete_add(&complete, "--version", pmu_command_version.about);
		pmu_complete_add(&complete, "--help", pmu_command_help.about);
	} else if (argc > (int)first) {
		const struct pmu_command *command = pmu_command_find(word[0]);

		complete.word = word[n - 1];
		if (!command && !strcmp(word[0], "--version"))
			command = &pmu_command_version;
		if (command)
			complete_command(&complete, command, word, 1, n - 1);
	}
	return pmu_command_print(&out);
}
