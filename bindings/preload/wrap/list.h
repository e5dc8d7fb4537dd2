/* SPDX-License-Identifier: BSD-3-Clause */
/* PMU_WRAP: which functions of which libraries are wrapped. */
#ifndef PMU_PRELOAD_WRAP_LIST_H
#define PMU_PRELOAD_WRAP_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define WRAP_RULES_MAX 64
#define WRAP_TEXT_MAX  4096

/** "libblas.so:dgemm_" */
struct wrap_rule {
	const char *text;     /* as it was given */
	const char *library;  /* start of a file's name, or a pattern; NULL: every library */
	const char *function; /* a pattern */
	bool cxx;             /* of names as a C++ programmer writes them */
	int best;             /* wrap_rule_library() of the best of the loaded ones */
	bool used;            /* a call is wrapped by it */
	bool refused;         /* one could have been: a function that must not be */
};

struct wrap_list {
	struct wrap_rule rule[WRAP_RULES_MAX];
	size_t n;
	char text[2 * WRAP_TEXT_MAX]; /* what the rules point to */
	const char *wrong;            /* the first word that is no rule, NULL: none */
	bool too_long;                /* more than fits: the rest is left out */
};

/** wrap_list_parse() - words with commas between them; @list is all zero before */
void wrap_list_parse(struct wrap_list *list, const char *text);

/**
 * wrap_rule_library() - is it meant?
 * @file: a library's file name without folders
 * Return: 0 no; 1 by the start of its name, up to a '.', '-' or the like; 2 by its name or by a
 * pattern
 */
int wrap_rule_library(const struct wrap_rule *rule, const char *file);

/**
 * wrap_rule_function() - is it meant?
 * @name: the linker's name
 * @demangled: the C++ programmer's, where @name is such a one; NULL where it is not known
 */
bool wrap_rule_function(const struct wrap_rule *rule, const char *name, const char *demangled);

/** wrap_starts() - is it the start of a file's name, up to a '.', '-' or the like? */
bool wrap_starts(const char *start, const char *file);

/**
 * wrap_matches() - does a pattern with * ? [a-z] [!a-z] match all of a text?  In bytes, whatever
 * the locale.
 */
bool wrap_matches(const char *pattern, const char *text);

/**
 * wrap_is_refused() - functions that do not come back as they were called, or look at their
 * caller
 */
bool wrap_is_refused(const char *name);

#endif
