/* SPDX-License-Identifier: BSD-3-Clause */
/* What options and commands take, for shells. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "bindings/annotations/prefix.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/list/list.h"
#include "bindings/command/output.h"
#include "bindings/preload/parts.h"
#include "plan/catalog.h"
#include "settings/config.h"

typedef void put_values(struct pmu_complete *complete);

/* --- lists --- */

/* What is before the last comma is there already. */
static void begin_list(struct pmu_complete *complete)
{
	const char *comma = strrchr(complete->word + complete->kept, ',');

	if (comma)
		complete->kept = (size_t)(comma + 1 - complete->word);
	pmu_strbuf_add(complete->out, ":nospace\n");
}

static void add_words(struct pmu_complete *complete, const char *words)
{
	char word[64];

	while (*words) {
		size_t len = strcspn(words, " ");

		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		pmu_complete_add(complete, word, "");
		words += len + strspn(words + len, " ");
	}
}

/* Of "auto, none, cpus:0-3,8" those that are words: the others are examples. */
static void add_variable(struct pmu_complete *complete, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	const struct pmu_config_help *var = pmu_config_help;
	char word[64];

	while (var->name && strcmp(var->name, name) != 0)
		var++;
	for (const char *at = var->name ? var->values : ""; *at;) {
		size_t len = strspn(at, letters);

		snprintf(word, sizeof(word), "%.*s", (int)len, at);
		if (len && (!at[len] || at[len] == ',' || at[len] == ';'))
			pmu_complete_add(complete, word, "");
		at += strcspn(at, ",;");
		at += strspn(at, ",; ");
	}
}

#define PART(word, parts) pmu_complete_add(complete, word, "");

void pmu_complete_parts(struct pmu_complete *complete)
{
	begin_list(complete);
	PRELOAD_WORDS(PART)
}

void pmu_complete_prefixes(struct pmu_complete *complete)
{
	begin_list(complete);
	ANNOTATION_PREFIX_WORDS(PART)
}

static void complete_rows(struct pmu_complete *complete, const struct pmu_list *list)
{
	for (size_t i = 0; i < list->n_sections && !list->failed; i++)
		for (size_t r = 0; r < list->section[i].n_rows; r++)
			pmu_complete_add(complete, list->section[i].row[r].name,
					 list->section[i].row[r].about);
}

/*
 * Names of events are the same in capitals and not: where none is written as it was begun, the others.
 * Both at once have no beginning in common, and shells would take back what was typed.
 */
static void add_listed(struct pmu_complete *complete, enum pmu_list_kind kind)
{
	struct pmu_catalog catalog = { .keep_absent = true,
				       .event_files = pmu_command_event_files(NULL) };
	/* elsewhere: what of a group can be counted takes longer than a keystroke */
	struct pmu_list list = { .elsewhere = true };
	struct pmu_strbuf pattern = { 0 };
	size_t len = complete->out->len;

	for (const char *c = complete->word + complete->kept; *c; c++)
		pmu_strbuf_addf(&pattern, strchr("*?[]\\", *c) ? "\\%c" : "%c", *c);
	pmu_strbuf_add(&pattern, "*");
	list.pattern = pmu_strbuf_text(&pattern);
	list.wanted[kind] = true;
	pmu_list_find(&list, &catalog);
	complete_rows(complete, &list);
	complete->any_case = complete->out->len == len;
	if (complete->any_case)
		complete_rows(complete, &list);
	pmu_list_free(&list);
	pmu_catalog_close(&catalog);
	pmu_strbuf_free(&pattern);
}

void pmu_complete_groups(struct pmu_complete *complete)
{
	begin_list(complete);
	add_listed(complete, PMU_LIST_GROUPS);
}

static void put_event(struct pmu_complete *complete)
{
	add_listed(complete, PMU_LIST_EVENTS);
}

void pmu_complete_events(struct pmu_complete *complete)
{
	begin_list(complete);
	put_event(complete);
}

/* --- files --- */

void pmu_complete_files(struct pmu_complete *complete)
{
	pmu_strbuf_add(complete->out, ":files\n");
}

void pmu_complete_folders(struct pmu_complete *complete)
{
	pmu_strbuf_add(complete->out, ":folders\n");
}

/* "run" may become "run.json", "run.h" "run.html". */
static void add_endings(struct pmu_complete *complete, unsigned int of, const char *more)
{
	const char *word = complete->word + complete->kept, *slash = strrchr(word, '/');
	const char *name = slash ? slash + 1 : word, *dot = strchr(name, '.');
	size_t stem = dot ? (size_t)(dot - complete->word) : strlen(complete->word);

	pmu_complete_files(complete);
	if (!*name || dot == name)
		return;
	complete->kept = stem;
	for (const struct pmu_format *format = pmu_formats; format->ending; format++)
		if (format->offered & of)
			pmu_complete_add(complete, format->ending, "");
	if (more)
		pmu_complete_add(complete, more, "");
}

void pmu_complete_outputs(struct pmu_complete *complete)
{
	if (!strcmp(complete->command, "diff"))
		add_endings(complete, PMU_OF_DIFF, NULL);
	else
		add_endings(complete, PMU_OF_REPORT, ".txt");
}

void pmu_complete_traces(struct pmu_complete *complete)
{
	add_endings(complete, PMU_OF_TRACE, NULL);
}

void pmu_complete_value(struct pmu_complete *complete, const struct pmu_option *option)
{
	if (option->words)
		add_words(complete, option->words);
	if (option->complete)
		option->complete(complete);
	else if (option->setting)
		add_variable(complete, option->setting);
}

/* --- operands --- */

static void put_topics(struct pmu_complete *complete)
{
	for (const struct pmu_command *const *command = pmu_commands; *command; command++)
		pmu_complete_add(complete, (*command)->name, (*command)->about);
	pmu_complete_add(complete, "environment", "the settings of a measured program");
	pmu_complete_add(complete, "events", "what can be counted");
}

static void put_kinds(struct pmu_complete *complete)
{
	add_words(complete, "events groups pmus");
}

static void put_registers(struct pmu_complete *complete)
{
	add_words(complete, "plan restore");
}

/* Programs of this user: of others' and the kernel's the link to the program cannot be read. */
static void put_attachable(struct pmu_complete *complete)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char path[sizeof(entry->d_name) + 16], name[64];

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/exe", entry->d_name);
		if (readlink(path, name, sizeof(name)) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (pmu_sysfile_read(path, name, sizeof(name)) > 0)
			pmu_complete_add(complete, entry->d_name, name);
	}
	if (folder)
		closedir(folder);
}

void pmu_complete_operand(struct pmu_complete *complete, size_t n)
{
	static const struct {
		const char *command;
		size_t most; /* so many of them; 0: any number */
		put_values *put;
	} operands[] = {
		{ "attach", 0, put_attachable },     { "check", 0, pmu_complete_files },
		{ "diff", 0, pmu_complete_files },   { "event", 0, put_event },
		{ "help", 1, put_topics },           { "list", 1, put_kinds },
		{ "report", 0, pmu_complete_files }, { "msr", 1, put_registers },
		{ "on", 0, put_attachable },         { "off", 0, put_attachable },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(operands); i++)
		if (!strcmp(operands[i].command, complete->command) &&
		    (!operands[i].most || n < operands[i].most))
			operands[i].put(complete);
}
