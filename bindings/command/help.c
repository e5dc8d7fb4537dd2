/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu help`: the commands, one of them, the environment, or the events. */
#include <string.h>

#include <stdio.h>

#include "bindings/command/command.h"
#include "plan/event.h"
#include "settings/config.h"

#define WIDTH           90
#define HELP_WIDTH      100
#define NAME_COLUMN     12
#define VARIABLE_COLUMN 23

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
			    "a measured\nprogram, 'pmu help events' what it can count, "
			    "'pmu --version' tells the version.\n");
}

static void add_environment(struct pmu_strbuf *out)
{
	const struct pmu_config_help *var;
	size_t start;

	pmu_strbuf_add(out, "What a program that uses libpmu reads from its environment:\n\n");
	for (var = pmu_config_help; var->name; var++) {
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
	pmu_strbuf_add(
		out,
		"A program can set ENABLE, GROUP, EVENTS, BACKEND, COUNT, PIN and OUTPUT itself: "
		"struct\npmu_options of pmu.h wins.  Setuid programs read none of these.\n");
}

static size_t longest_event(void)
{
	const struct pmu_event_about *event;
	size_t longest = 0;

	for (event = pmu_event_names; event->name; event++)
		if (strlen(event->name) > longest)
			longest = strlen(event->name);
	return longest;
}

static void add_event_names(struct pmu_strbuf *out)
{
	const size_t column = 2 + longest_event() + 2;
	const struct pmu_event_about *event;
	size_t start;

	pmu_strbuf_add(out, "What PMU_EVENTS can name, separated by commas; what of it can "
			    "be counted depends on\nthe processor and the kernel:\n\n");
	for (event = pmu_event_names; event->name; event++) {
		start = out->len;
		pmu_strbuf_addf(out, "  %s", event->name);
		pmu_strbuf_pad(out, start + column, ' ');
		pmu_command_wrap(out, column, WIDTH, event->about);
		pmu_strbuf_addf(out, event->unit[0] ? " [%s]\n" : "%s\n", event->unit);
	}
	pmu_strbuf_add(
		out, "\nThe processor's own events have the names of its manual, with modifiers "
		     "behind colons:\n"
		     "c=N at least N at once, i less than that, e edges, t the core's threads. "
		     "However a\n"
		     "name is spelled it is the same event: UOPS_ISSUED.ANY:c=1:i (Intel), "
		     "uops_issued.any\n"
		     "(perf), snb::UOPS_ISSUED:ANY (libpfm4), UOPS_ISSUED_ANY (LIKWID), ExRetInstr "
		     "(AMD). On\n"
		     "hybrids it is counted on both kinds of cores that have it; "
		     "cpu_core/NAME/ and\n"
		     "cpu_atom/NAME/ say one. 'pmu event NAME' tells the bits, errata and what is "
		     "deprecated.\n"
		     "A raw code rNNN names an event by hexadecimal digits: r10e. Terms between "
		     "slashes do it by\n"
		     "fields: cpu/event=0x0e,umask=0x01,cmask=1,inv/; outside the cores "
		     "uncore/.../,\n"
		     "uncore_cbox/.../, uncore_arb/.../ (Intel), amd_l3/.../; "
		     "power/energy-pkg/ is energy-pkg.\n"
		     "\n"
		     "Counted is what happens at user level, and for context-switches, "
		     "cpu-migrations\n"
		     "and interrupts also in the kernel. A modifier behind the name chooses: "
		     "cycles:u at\n"
		     "user level, cycles:k in the kernel, cycles:uk both; task-clock, "
		     "cpu-clock and\n"
		     "interrupts have none, nor has what is counted for the whole socket.\n");
}

/* Beside the commands. */
static const struct topic {
	const char *name;
	void (*add)(struct pmu_strbuf *out);
} topics[] = {
	{ "environment", add_environment },
	{ "events", add_event_names },
};

static const struct topic *find_topic(const char *name)
{
	size_t i;

	for (i = 0; i < PMU_ARRAY_LEN(topics); i++)
		if (!strcmp(topics[i].name, name))
			return &topics[i];
	return NULL;
}

/* ", did you mean 'events'?" or "" */
static const char *nearest_topic(const char *name)
{
	const char *names[PMU_ARRAY_LEN(topics) + 1] = { NULL }, *nearest;
	static char text[64];
	size_t i;

	for (i = 0; i < PMU_ARRAY_LEN(topics); i++)
		names[i] = topics[i].name;
	nearest = pmu_closest(name, names);
	if (!nearest)
		return pmu_command_nearest(name);
	snprintf(text, sizeof(text), ", did you mean '%s'?", nearest);
	return text;
}

/* "-e, --events EVENTS" */
static void label_of(const struct pmu_option *option, struct pmu_strbuf *out)
{
	out->len = 0;
	if (option->letter)
		pmu_strbuf_addf(out, "-%c, ", option->letter);
	pmu_strbuf_add(out, option->name);
	if (option->argument)
		pmu_strbuf_addf(out, "%s%s", option->argument[0] == '[' ? "" : " ",
				option->argument);
}

/* Behind the longest label. */
static size_t text_column(const struct pmu_option *option)
{
	struct pmu_strbuf label = { 0 };
	size_t longest = strlen("-h, --help");

	for (; option && option->name; option++) {
		label_of(option, &label);
		if (label.len > longest)
			longest = label.len;
	}
	pmu_strbuf_free(&label);
	return 2 + longest + 2;
}

static const char *const titles[PMU_PARTS] = {
	[PMU_PART_MORE] = "More",
	[PMU_PART_COUNTED] = "What is counted",
	[PMU_PART_OFTEN] = "How often",
	[PMU_PART_WHERE] = "Where to",
};

/* @titled: below its title, and a line apart from what comes then.  Return: is there any? */
static bool add_options_part(struct pmu_strbuf *out, const struct pmu_option *option,
			     enum pmu_option_part part, size_t column, bool titled)
{
	struct pmu_strbuf label = { 0 };
	bool any = false;

	for (; option && option->name; option++) {
		if (option->part != part)
			continue;
		if (titled && !any)
			pmu_strbuf_addf(out, "%s:\n", titles[part]);
		any = true;
		label_of(option, &label);
		pmu_command_item(out, column, HELP_WIDTH, pmu_strbuf_text(&label), option->help);
	}
	out->failed |= label.failed;
	pmu_strbuf_free(&label);
	return any;
}

static void add_command_options(struct pmu_strbuf *out, const struct pmu_command *command)
{
	const size_t column = text_column(command->options);
	bool titled = false;

	for (int part = PMU_PART_MORE + 1; part < PMU_PARTS; part++) {
		if (!add_options_part(out, command->options, part, column, true))
			continue;
		titled = true;
		pmu_strbuf_add(out, "\n");
	}
	add_options_part(out, command->options, PMU_PART_MORE, column, titled);
	pmu_command_item(out, column, HELP_WIDTH, "-h, --help", "this text");
	if (command->dashes)
		pmu_command_item(out, column, HELP_WIDTH, "--", command->dashes);
}

static int print_command(const struct pmu_command *command)
{
	struct pmu_strbuf out = { 0 };

	pmu_strbuf_addf(&out, "usage: pmu %s\n\n%s\n", command->usage, command->help);
	add_command_options(&out, command);
	if (command->more)
		pmu_strbuf_addf(&out, "\n%s", command->more);
	return pmu_command_print(&out);
}

int pmu_command_show_help(const struct pmu_command *command)
{
	int rc = print_command(command);

	return rc ? rc : PMU_EXIT_HELPED;
}

bool pmu_command_is_help(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

static int run_help(const struct pmu_command *self, int argc, char **argv)
{
	const struct topic *topic = argc == 2 ? find_topic(argv[1]) : NULL;
	const struct pmu_command *command;
	struct pmu_strbuf out = { 0 };

	if (argc > 2)
		return pmu_command_usage_error(self, "one topic at a time");
	if (argc < 2) {
		add_commands(&out);
	} else if (topic) {
		topic->add(&out);
	} else {
		command = pmu_command_find(argv[1]);
		if (!command)
			return pmu_command_usage_error(self, "there is no help on '%s'%s", argv[1],
						       nearest_topic(argv[1]));
		return print_command(command);
	}
	return pmu_command_print(&out);
}

const struct pmu_command pmu_command_help = {
	.name = "help",
	.usage = "help [COMMAND | environment | events]",
	.about = "explain a command, list the settings of a measured program, or the "
		 "events",
	.help = "Without a topic it lists the commands.\n",
	.run = run_help,
};
