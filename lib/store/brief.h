/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store that is written at once: of a forked child in which nothing was measured but what was open
 * when it was forked.
 */
#ifndef PMU_STORE_BRIEF_H
#define PMU_STORE_BRIEF_H

#include <stdbool.h>

#include "store/row.h"

/** The deepest that regions are in one. */
#define PMU_BRIEF_ROWS 16u

/** Of one region, in that of the row before it. */
struct pmu_brief_row {
	const char *name;
	uint32_t name_len;
	const struct pmu_store_row *like; /* the parent process's: what a pair of it costs */
	uint64_t ticks;
	bool ended; /* else it is open, and this is what it has done up to now */
};

/** What a process's children may write such stores from, in memory of its own. */
struct pmu_brief_texts {
	char *bytes; /* [PMU_BRIEF_TEXTS] once there are any */
	uint32_t used;
	bool is_short; /* of some of them: there is no store of this kind */
};
#define PMU_BRIEF_TEXTS 8192u

struct pmu_brief {
	const struct pmu_brief_texts *texts;
	int32_t forked_from;
	struct pmu_store_head head; /* all but size and nth */
	struct pmu_store_thread thread;
	const struct pmu_store_group *group;
	uint32_t n_slots; /* of it */
	struct pmu_brief_row row[PMU_BRIEF_ROWS];
	uint32_t n_rows;
};

/** pmu_brief_add() - a text for the stores of children; see pmu_table_meta() */
void pmu_brief_add(struct pmu_brief_texts *texts, enum pmu_meta_key key, const char *text);

/**
 * pmu_brief_write() - a store of that, in a new file
 * @beside: path of a store in the same folder
 * @path: result; "" on error
 *
 * Context: async-signal-safe.
 * Return: 0 or a negative errno.
 */
int pmu_brief_write(struct pmu_brief *brief, const char *beside, char *path, size_t size);

#endif
