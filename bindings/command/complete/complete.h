/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What may stand at the end of a command line, for shells:
 *
 *	pmu complete [--] WORD...
 *
 * with the words behind "pmu", of which the last is completed; it may be empty.  Each line printed is a
 * candidate for the whole word, and behind a tab what it is; or, with a colon before it, what the
 * shell is to do besides:
 *
 *	:files      names of files, too
 *	:folders    names of folders, too
 *	:nospace    no blank behind a candidate: more may follow
 *	:command N  from the N-th word on, from 0, is the command line of another program
 */
#ifndef PMU_COMMAND_COMPLETE_H
#define PMU_COMMAND_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct pmu_complete {
	const char *command;    /* that the words are for: "run" */
	const char *word;       /* as far as it is there */
	size_t kept;            /* so much of it is none of the candidate's: "--events=a," */
	bool any_case;          /* letters of either case fit */
	struct pmu_strbuf *out; /* lines */
};

/**
 * pmu_complete_add() - a candidate, where the word may become that
 * @about: "", or what it is; its first line is taken
 */
void pmu_complete_add(struct pmu_complete *complete, const char *text, const char *about);

struct pmu_option;
/** pmu_complete_value() - what may be the value of an option */
void pmu_complete_value(struct pmu_complete *complete, const struct pmu_option *option);

/** What rows of options name: */
void pmu_complete_files(struct pmu_complete *complete);
void pmu_complete_folders(struct pmu_complete *complete);
/** names of reports and of traces, by their endings */
void pmu_complete_outputs(struct pmu_complete *complete);
void pmu_complete_traces(struct pmu_complete *complete);
/** lists */
void pmu_complete_groups(struct pmu_complete *complete);
void pmu_complete_events(struct pmu_complete *complete);
void pmu_complete_parts(struct pmu_complete *complete);
void pmu_complete_prefixes(struct pmu_complete *complete);

/** pmu_complete_operand() - what may stand where no option does; @n: operands before it */
void pmu_complete_operand(struct pmu_complete *complete, size_t n);

/** pmu_complete() - `pmu complete`.  Return: an exit status. */
int pmu_complete(int argc, char **argv);

#endif
