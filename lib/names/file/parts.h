/* SPDX-License-Identifier: BSD-3-Clause */
/* What reading a group's file is made of: for file.c, file_parse.c and their neighbours. */
#ifndef PMU_NAMES_FILE_PARTS_H
#define PMU_NAMES_FILE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "names/file/file.h"
#include "plan/formula_names.h"

/* --- files --- */

/** A file of a folder with groups. */
struct pmu_group_text {
	char name[PMU_GROUP_NAME_MAX]; /* the group's, as the file has it */
	char *path, *text;
	size_t len; /* at most PMU_GROUP_FILE_MAX */
};

/**
 * pmu_group_text_load() - a group's file by name, in the user's own folders
 * @name: case does not count; @ending: of the file, ".group"
 * @text: result; pmu_group_text_free() ends it
 * Return: 0; -ENOENT: there is none, without a sentence; -EINVAL: it cannot be read.
 */
int pmu_group_text_load(const char *name, const char *ending, struct pmu_group_text *text);
void pmu_group_text_free(struct pmu_group_text *text);

/** pmu_group_text_each() - every such file that can be read, the one that wins for each name */
void pmu_group_text_each(const char *ending,
			 void (*each)(void *arg, const char *name,
				      const struct pmu_group_text *text),
			 void *arg);

/* --- lines --- */

enum pmu_group_line_kind { PMU_GROUP_LINE_EMPTY, PMU_GROUP_LINE_SECTION, PMU_GROUP_LINE_KEY };

/** A line without comment, line end and blanks around its parts. */
struct pmu_group_line {
	enum pmu_group_line_kind kind;
	struct pmu_group_span key; /* or what stands between the brackets */
	struct pmu_group_span value;
};

struct pmu_group_scan {
	const char *text;
	size_t len, at;
	unsigned int number; /* of the line read last, from 1 on */
	const char *origin;
};

/** pmu_group_scan_line() - Return: 1, 0 at the end, -EINVAL with a sentence. */
int pmu_group_scan_line(struct pmu_group_scan *scan, struct pmu_group_line *line);

/** pmu_group_scan_fail() - "FILE:LINE: " and what is wrong.  Return: -EINVAL. */
int pmu_group_scan_fail(const struct pmu_group_scan *scan, const char *fmt, ...) PMU_PRINTF(2, 3);

/** For "%.*s". */
#define PMU_GROUP_SHOW(span) (int)(span).len, (span).at

/* --- CPUs --- */

/**
 * pmu_group_cpu_known() - does any CPU bear the name, and is it that of @model (NULL: of no
 * model's)?
 */
bool pmu_group_cpu_known(struct pmu_group_span name, const struct pmu_cpu_model *model,
			 bool *is_this);

/** pmu_group_cpu_nearest() - the name that looks most like it, or NULL */
const char *pmu_group_cpu_nearest(struct pmu_group_span name);

/* --- formulas --- */

/** An alias and its event. */
struct pmu_group_alias {
	char name[PMU_GROUP_KEY_MAX + 1];
	int event; /* index in the group; -1: of other CPUs' sections alone, or left out */
};

struct pmu_group_aliases {
	size_t n;
	struct pmu_group_alias alias[PMU_GROUP_MAX_ALIASES];
};

struct pmu_group_alias *pmu_group_alias_find(struct pmu_group_aliases *aliases,
					     struct pmu_group_span name);

/**
 * pmu_group_formula() - a formula over aliases as one over columns
 * Return: 1; 0: an alias of it is not counted here; -EINVAL with a sentence that names the column.
 */
int pmu_group_formula(const char *text, struct pmu_group_aliases *aliases,
		      const struct pmu_group *group, char *formula, size_t size);

/* --- the file while it is read --- */

#define PMU_GROUP_MAX_KEYS 64 /* of one section */

enum pmu_group_section_kind {
	PMU_GROUP_ABOUT,
	PMU_GROUP_EVENTS,
	PMU_GROUP_METRICS,
	PMU_GROUP_SECTION_KINDS
};

struct pmu_group_section {
	enum pmu_group_section_kind kind;
	bool names_cpu, is_for_this;
	unsigned int line;
};

struct pmu_group_reading {
	struct pmu_group_scan scan;
	struct pmu_catalog *catalog;
	const struct pmu_cpu_model *model; /* see pmu_group_reading_model() */
	bool model_known;
	struct pmu_group_span about;
	struct pmu_group *group;
	int n_sections;
	struct pmu_group_section section[PMU_GROUP_MAX_SECTIONS];
	int current;                         /* section, -1 before the first */
	int chosen[PMU_GROUP_SECTION_KINDS]; /* section, -1: none is for this CPU */
	unsigned int n_keys;                 /* of the section that is looked at */
	struct pmu_group_span key[PMU_GROUP_MAX_KEYS];
	struct pmu_group_aliases aliases;
	struct pmu_strbuf left_out; /* events, as they are written */
	char why[192];              /* of the first */
};

/**
 * pmu_group_look() - the whole file once: what it consists of
 * Return: 0; -EINVAL with a sentence.
 */
int pmu_group_look(struct pmu_group_reading *r);

/**
 * pmu_group_reading_model() - the CPU that the group is read for; NULL: no table has it.  Asks
 * CPUID, if that has to be.
 */
const struct pmu_cpu_model *pmu_group_reading_model(struct pmu_group_reading *r);

/**
 * pmu_group_file_about() - what a file says of itself.  Return: 0; -EINVAL with a sentence,
 * -ENOMEM.
 */
int pmu_group_file_about(const char *text, size_t len, const char *origin, char *about,
			 size_t size);

#endif
