/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu list` shows: rows in sections, found by find.c and shown by view.c. */
#ifndef PMU_COMMAND_LIST_H
#define PMU_COMMAND_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "plan/catalog.h"

enum pmu_list_kind { PMU_LIST_EVENTS, PMU_LIST_GROUPS, PMU_LIST_PMUS, PMU_LIST_KINDS };

struct pmu_list_row {
	char *name;
	char *about;
	char *unit; /* "" */
	char *note; /* what a group gives up here; "" */
	char *why;  /* it cannot be had, and why; "" */
};

struct pmu_list_section {
	enum pmu_list_kind kind;
	char *title; /* a line for people */
	char *from;  /* a word for programs: "generic", "libpfm4", "intel", "kernel", "file" */
	size_t n_rows, room;
	struct pmu_list_row *row;
};

struct pmu_list {
	bool wanted[PMU_LIST_KINDS];
	const char *pattern;     /* NULL: everything */
	char cpu[64];            /* "GenuineIntel-6-55"; "" unknown */
	bool elsewhere;          /* another CPU than this one */
	struct pmu_strbuf notes; /* lines: what could not be read */
	size_t n_sections;
	struct pmu_list_section section[32];
	bool failed; /* no memory */
};

/** pmu_list_find() - everything that the catalog knows and the pattern is in */
void pmu_list_find(struct pmu_list *list, struct pmu_catalog *catalog);
void pmu_list_free(struct pmu_list *list);

struct pmu_group;
/**
 * pmu_list_fit_elsewhere() - what of a group a CPU of which only the model is known cannot count
 * @given_up: what is said of events that it has to do without, or that the kernel has to have
 * @why: "", or why nothing can be counted
 */
void pmu_list_fit_elsewhere(const struct pmu_cpu_model *model, const struct pmu_group *group,
			    struct pmu_strbuf *given_up, char *why, size_t size);

/** pmu_list_text() - for people, @width columns wide */
void pmu_list_text(const struct pmu_list *list, size_t width, struct pmu_strbuf *out);

/** pmu_list_json() - for programs. */
void pmu_list_json(const struct pmu_list *list, struct pmu_strbuf *out);

#endif
