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

/* --- what the help says of an option: behind "  -g, --group GROUP    " --- */

static const char *find_help(const char *help, const char *option, char *about, size_t size)
{
	size_t len = strlen(option);
	const char *end;

	about[0] = '\0';
	for (const char *line = help; *line; line = *end ? end + 1 : end) {
		const char *found = memmem(line, strcspn(line, "\n"), option, len), *text;

		end = line + strcspn(line, "\n");
		if (strncmp(line, "  -", 3) != 0 || !found || found[-1] != ' ' ||
		    !strchr(" [=\n", found[len]))
			continue;
		text = memmem(found, (size_t)(end - found), "  ", 2);
		if (text)
			snprintf(about, size, "%.*s", (int)(end - text - strspn(text, " ")),
				 text + strspn(text, " "));
		break;
	}
	return about;
}

/* --- options, as the commands themselves have them --- */

struct known {
	struct {
		const char *name;
		char letter;
		bool valued; /* its value may be the next word */
		bool both;   /* a flag, and --name=VALUE */
	} option[PMU_OPTIONS_MAX];
	size_t n;
};

static void know(void *arg, const struct pmu_option *option)
{
	struct known *known = arg;

	if (known->n == PMU_ARRAY_LEN(known->option))
		return;
	known->option[known->n].name = option->name;
	known->option[known->n].letter = option->letter;
	known->option[known->n].valued = !option->flag;
	known->option[known->n].both = option->flag && option->value;
	known->n++;
}

/* "--name", or "-n" and whatever follows.  Return: its number; known->n none. */
static size_t option_of(const struct known *known, const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < known->n; i++)
		if (len == 2 && word[0] == '-' && word[1] == known->option[i].letter)
			break;
		else if (strlen(known->option[i].name) == len &&
			 !strncmp(known->option[i].name, word, len))
			break;
	return i;
}

static bool takes_next(const struct known *known, const char *word)
{
	size_t i = option_of(known, word, strlen(word));

	return i < known->n && known->option[i].valued;
}

static void add_options(struct pmu_complete *complete, const struct known *known, const char *help)
{
	char about[128];

	for (size_t i = 0; i < known->n; i++) {
		const char *name = known->option[i].name;

		pmu_complete_add(complete, name, find_help(help, name, about, sizeof(about)));
	}
	pmu_complete_add(complete, "--help", "explain the command");
}

/* --- the line --- */

/* An option's value in the same word: "--events=c", "-ec". */
static bool complete_joined(struct pmu_complete *complete, const struct known *known)
{
	const char *word = complete->word, *equal = strchr(word, '=');
	bool is_long = !strncmp(word, "--", 2);
	size_t i;

	if (word[0] != '-' || (is_long ? !equal : strlen(word) < 3))
		return false;
	i = option_of(known, word, is_long ? (size_t)(equal - word) : 2);
	if (i == known->n || (!known->option[i].valued && !known->option[i].both))
		return false;
	complete->kept = is_long ? (size_t)(equal + 1 - word) : 2;
	pmu_complete_value(complete, known->option[i].name);
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
	struct known known = { .n = 0 };
	size_t operands = 0, i;

	complete->command = command->name;
	pmu_command_options(command, know, &known);
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
		if (takes_next(&known, word[i]) && ++i == at) {
			pmu_complete_value(
				complete,
				known.option[option_of(&known, word[i - 1], strlen(word[i - 1]))]
					.name);
			return;
		}
		operands += word[i][0] != '-';
	}
	if (complete_joined(complete, &known))
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
	add_options(complete, &known, command->help);
}

/* What of the tables no line says: for the test. */
static void check_tables(struct pmu_strbuf *out)
{
	for (const struct pmu_command *const *command = pmu_commands; *command; command++) {
		struct known known = { .n = 0 };

		pmu_command_options(*command, know, &known);
		for (size_t i = 0; i < known.n; i++)
			if ((known.option[i].valued || known.option[i].both) &&
			    pmu_complete_unknown((*command)->name, known.option[i].name))
				pmu_strbuf_addf(out, "%s %s\n", (*command)->name,
						known.option[i].name);
	}
}

int pmu_complete(int argc, char **argv)
{
	size_t first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1, n = (size_t)argc - first;
	struct pmu_strbuf out = { 0 };
	struct pmu_complete complete = { .command = "", .word = "", .out = &out };
	char **word = argv + first;

	if (argc == 2 && !strcmp(argv[1], "--check-tables")) {
		check_tables(&out);
	} else if (argc > (int)first && n == 1) {
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
