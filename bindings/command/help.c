/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu help`: the commands, one of them, or the environment. */
#include <string.h>

#include "bindings/command/command.h"
#include "session/config.h"

#define WIDTH		90
#define NAME_COLUMN	12
#define VARIABLE_COLUMN 18

static void add_commands(struct pmu_strbuf *out)
{
	const struct pmu_command *const *command;
	size_t start;

	pmu_strbuf_add(out, "usage: pmu COMMAND ...\n\n");
	for (command = pmu_commands; *command; command++) {
		start = out->len;
		pmu_strbuf_addf(out, "  %s", (*command)->name);
		pmu_strbuf_pad(out, start + NAME_COLUMN, ' ');
		pmu_strbuf_addf(out, "%s\n", (*command)->about);
	}
	pmu_strbuf_add(out, "\n'pmu help COMMAND' says more, 'pmu help environment' "
			    "lists the settings of "
			    "a measured\nprogram, 'pmu --version' tells the version.\n");
}

static void add_environment(struct pmu_strbuf *out)
{
	const struct pmu_config_var *var;
	size_t start;

	pmu_strbuf_add(out,
		       "What a program that uses libpmu reads from its environment:\n\n");
	for (var = pmu_config_vars; var->name; var++) {
		start = out->len;
		pmu_strbuf_addf(out, "  %s", var->name);
		pmu_strbuf_pad(out, start + VARIABLE_COLUMN, ' ');
		pmu_strbuf_addf(out, "%s\n", var->values);
		start = out->len;
		pmu_strbuf_pad(out, start + VARIABLE_COLUMN, ' ');
		pmu_command_wrap(out, VARIABLE_COLUMN, WIDTH, var->about);
		pmu_strbuf_add(out, "\n");
		start = out->len;
		pmu_strbuf_pad(out, start + VARIABLE_COLUMN, ' ');
		pmu_strbuf_addf(out, "default: %s\n\n", var->fallback);
	}
	pmu_strbuf_add(out, "struct pmu_options of pmu.h says the same from within the "
			    "program, and wins.\n"
			    "Setuid programs read none of these.\n");
}

static int run_help(const struct pmu_command *self, int argc, char **argv)
{
	const struct pmu_command *command;
	struct pmu_strbuf out = {0};

	if (argc > 2)
		return pmu_command_usage_error(self, "one topic at a time");
	if (argc < 2) {
		add_commands(&out);
	} else if (!strcmp(argv[1], "environment")) {
		add_environment(&out);
	} else {
		command = pmu_command_find(argv[1]);
		if (!command)
			return pmu_command_usage_error(self, "there is no help on '%s'%s",
						       argv[1],
						       pmu_command_nearest(argv[1]));
		pmu_strbuf_addf(&out, "usage: pmu %s\n\n%s", command->usage,
				command->help);
	}
	return pmu_command_print(&out);
}

const struct pmu_command pmu_command_help = {
	.name = "help",
	.usage = "help [COMMAND | environment]",
	.about = "explain a command, or list the settings of a measured program",
	.help = "Without a topic it lists the commands.\n",
	.run = run_help,
};
