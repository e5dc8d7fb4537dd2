/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the pmu command share. */
#ifndef PMU_COMMAND_H
#define PMU_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/** Exit statuses: the work failed; the command line makes no sense. */
#define PMU_EXIT_FAILED 1
#define PMU_EXIT_USAGE  2
/** For main(): the help that was asked for is all there is to do. */
#define PMU_EXIT_HELPED (-1)

struct pmu_command;
struct pmu_complete;

/** Under which title help has an option; of a command that has all under one, there is none. */
enum pmu_option_part {
	PMU_PART_MORE, /* comes last */
	PMU_PART_COUNTED,
	PMU_PART_OFTEN,
	PMU_PART_WHERE,
	PMU_PARTS
};

/** One option of a command. */
struct pmu_option {
	const char *name;     /* "--events" */
	char letter;          /* 'e' for -e; 0 none */
	const char *argument; /* "EVENTS"; "[=LEVEL]": not without --name=; NULL: it has none */
	const char *help;     /* a few words, or a sentence */
	enum pmu_option_part part;
	/* Offset in the command's request: of a bool without an argument, of a const char * with one */
	size_t at;
	const char *says; /* without an argument, a const char *: what it gets */
	/* of one that may come any number of times: offset of a size_t; then @at is of a const char **, with room for them */
	size_t number;
	/* or what takes it; @value: NULL without one.  Return: 0, or PMU_EXIT_USAGE after a message. */
	int (*take)(const struct pmu_command *self, void *request, const char *value);
	/* What the argument may be, for shells: these, with blanks between, */
	const char *words;
	const char *setting; /* or what the variable may be that this is as, */
	void (*complete)(struct pmu_complete *complete); /* or what this finds */
	/* Is it that?  @said: the option, or the setting.  NULL: the library says.  Return: as take() */
	int (*check)(const char *said, const char *value);
};

/** The place of a row's bool, or text. */
#define PMU_OPTION_FLAG(type, member) \
	.at = offsetof(type, member) + 0 * sizeof(&((type *)0)->member == (bool *)0)
#define PMU_OPTION_TEXT(type, member) \
	.at = offsetof(type, member) + 0 * sizeof(&((type *)0)->member == (const char **)0)

/** The place of a row's texts, and of their number. */
#define PMU_OPTION_TEXTS(type, member, n_member)                                              \
	.at = offsetof(type, member) + 0 * sizeof(&((type *)0)->member == (const char ***)0), \
	.number = offsetof(type, n_member) + 0 * sizeof(&((type *)0)->n_member == (size_t *)0)

struct pmu_command {
	const char *name;
	const char *usage;  /* behind "pmu " */
	const char *about;  /* a few words */
	const char *help;   /* a paragraph or several, with their newlines; its options follow, */
	const char *dashes; /* what stands behind "--"; NULL: that is none of its words */
	const char *more;   /* and this comes then; NULL: nothing */
	const struct pmu_option *options; /* ends with a NULL name; NULL none */
	int (*run)(const struct pmu_command *self, int argc, char **argv); /* argv[0]: its name */
};

/** In the order of `pmu help`; ends with NULL. */
extern const struct pmu_command *const pmu_commands[];

extern const struct pmu_command pmu_command_attach;
extern const struct pmu_command pmu_command_run;
extern const struct pmu_command pmu_command_report;
extern const struct pmu_command pmu_command_check;
extern const struct pmu_command pmu_command_diff;
extern const struct pmu_command pmu_command_doctor;
extern const struct pmu_command pmu_command_event;
extern const struct pmu_command pmu_command_info;
extern const struct pmu_command pmu_command_help;
extern const struct pmu_command pmu_command_list;
extern const struct pmu_command pmu_command_live;
extern const struct pmu_command pmu_command_msr;
extern const struct pmu_command pmu_command_off;
extern const struct pmu_command pmu_command_on;
extern const struct pmu_command pmu_command_version;

/** pmu_command_find() - by name; NULL. */
const struct pmu_command *pmu_command_find(const char *name);

/** pmu_command_nearest() - ", did you mean 'report'?", what it is called now, or "", for a name that is none. */
const char *pmu_command_nearest(const char *name);

/** pmu_command_error() - "pmu: ..." on standard error, with a newline. */
void pmu_command_error(const char *fmt, ...) PMU_PRINTF(1, 2);

/** pmu_command_usage_error() - the same and the command's usage.  Return: PMU_EXIT_USAGE.
 */
int pmu_command_usage_error(const struct pmu_command *command, const char *fmt, ...)
	PMU_PRINTF(2, 3);

/**
 * pmu_command_print() - a text on standard output
 *
 * A reader that went away is no error.  Frees @out.  Return: 0 or PMU_EXIT_FAILED, after
 * a message.
 */
int pmu_command_print(struct pmu_strbuf *out);

/** Options of what text shows, which several commands have; @number: for pmu_command_top() */
#define PMU_TEXT_OPTIONS(type, text, number)                                                  \
	{ "--threads", PMU_OPTION_FLAG(type, text.threads),                                   \
	  .help = "the text also has each thread's own rows, how calls' times are spread, "   \
		  "and counts over ranks" },                                                  \
		{ "--lines", PMU_OPTION_FLAG(type, text.lines),                               \
		  .help = "the text also has the source lines of functions, where samples "   \
			  "were taken" },                                                     \
		{ "--all", PMU_OPTION_FLAG(type, text.all),                                   \
		  .help = "the text has every region, also beyond the 100 with the most "     \
			  "time, and how counts are spread over ranks" },                     \
		{ "--sort", .argument = "KEY", PMU_OPTION_TEXT(type, text.sort),              \
		  .words = "time cpu waiting self calls",                                     \
		  .help = "a list instead of a tree: by time, cpu, waiting, self, calls or "  \
			  "the name of a count" },                                            \
		{ "--top", .argument = "N", PMU_OPTION_TEXT(type, number),                    \
		  .help = "the text has the N regions with the most time, or with most of "   \
			  "that" },                                                           \
		{ "--filter", .argument = "GLOB", PMU_OPTION_TEXT(type, text.filter),         \
		  .help = "the text has only regions whose name or path matches: 'solve*'" }, \
	{                                                                                     \
		"--quiet", 'q', PMU_OPTION_FLAG(type, text.brief),                            \
			.help = "the text has the rows alone"                                 \
	}

struct pmu_text_options;
/**
 * pmu_command_top() - takes what --top says, NULL for nothing.  Return: 0, or PMU_EXIT_USAGE after
 * a message.
 */
int pmu_command_top(const struct pmu_command *self, const char *number,
		    struct pmu_text_options *text);

/**
 * pmu_command_interval() - takes what --interval says: seconds, or a time with its unit; NULL: a second
 * @ns: result; 0 where it says so
 * Return: 0, or PMU_EXIT_USAGE after a message.
 */
int pmu_command_interval(const struct pmu_command *self, const char *text, uint64_t *ns);

/**
 * pmu_command_option() - take argv[*i] for one of @options, which end with a NULL name
 * @options: of @self, or of the command that it hands its words to
 * @request: what the rows have their places in
 * @i: moved to the value where that is an argument of its own
 * Return: 0; PMU_EXIT_USAGE after a message that names the nearest option; PMU_EXIT_HELPED, or the
 * status of a failure, for --help and -h, which all commands have.
 */
int pmu_command_option(const struct pmu_command *self, const struct pmu_option *options,
		       void *request, char **argv, int *i);

/**
 * pmu_command_show_help() - what `pmu help COMMAND` prints.  Return: PMU_EXIT_HELPED or
 * PMU_EXIT_FAILED.
 */
int pmu_command_show_help(const struct pmu_command *command);

/** pmu_command_is_help() - "--help" or "-h" */
bool pmu_command_is_help(const char *arg);

struct pmu_machine_from;
/**
 * pmu_command_machine() - the machine of PMU_CPUID_FILE, PMU_MSR_DEVICE and their like, as a
 * measured program reads them
 * Return: whether there is any; all members are NULL otherwise.
 */
bool pmu_command_machine(struct pmu_machine_from *from);

/** pmu_command_machine_else() - that machine, but for what the command line has put there */
void pmu_command_machine_else(struct pmu_machine_from *from);

struct pmu_machine;
struct pmu_catalog;
/**
 * pmu_command_machine_numbers() - threads of a core and cores of a socket, where the machine's
 * topology is known
 */
void pmu_command_machine_numbers(const struct pmu_machine *machine, struct pmu_catalog *catalog);

/**
 * pmu_command_event_files() - the folder of event files: what --event-files gave, else
 * PMU_EVENT_FILES; NULL none
 */
const char *pmu_command_event_files(const char *given);

struct pmu_cpu_model;
struct pmu_cpu_id;
/**
 * pmu_command_cpu() - the model that "6-2A", "06_2AH", "GenuineIntel-6-2A" or "0x410fd490" stands
 * for, and @id; NULL after a message: no table has it
 */
const struct pmu_cpu_model *pmu_command_cpu(const struct pmu_command *self, const char *text,
					    struct pmu_cpu_id *id);

/** pmu_command_wrap() - words up to column @width, further lines indented by @indent. */
void pmu_command_wrap(struct pmu_strbuf *out, size_t indent, size_t width, const char *text);

/** pmu_command_item() - a line "  label   text", the text from @column on and wrapped behind it */
void pmu_command_item(struct pmu_strbuf *out, size_t column, size_t width, const char *label,
		      const char *text);

#endif
