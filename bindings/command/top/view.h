/* SPDX-License-Identifier: BSD-3-Clause */
/* The view's state, and what its parts share. */
#ifndef PMU_COMMAND_TOP_VIEW_H
#define PMU_COMMAND_TOP_VIEW_H

#include <curses.h>

#include "bindings/command/top/screen.h"
#include "bindings/command/top/table.h"

enum pmu_top_color { PMU_TOP_PLAIN, PMU_TOP_WARN, PMU_TOP_BAD };

struct pmu_top_view {
	const struct pmu_top_screen *of;
	struct pmu_top_watch *watch;
	struct pmu_top_order order;
	char *by_name, *by_unit; /* texts of @order, once a key has changed it; NULL else */
	struct pmu_top_layout layout;
	struct pmu_top_line *line;
	size_t n_lines, first; /* that there are; the first one that is shown */
	unsigned int first_value;
	uint64_t interval_ns, next_ns;
	char filter[PMU_TOP_FILTER_MAX], typed[PMU_TOP_FILTER_MAX];
	bool is_typing, is_paused, is_helping, is_done;
	bool is_utf8, is_colored;
	const char *message; /* NULL: the keys */
};

/** A key, or some, and what it does. */
struct pmu_top_key {
	int key[3];
	void (*act)(struct pmu_top_view *v);
	const char *label, *help; /* NULL: another key's line has it */
};
/** Ends with a key that does nothing. */
extern const struct pmu_top_key pmu_top_keys[];

/** pmu_top_take_key() - what getch() returned */
void pmu_top_take_key(struct pmu_top_view *v, int key);

/** pmu_top_room() - lines of the table that there is room for */
size_t pmu_top_room(void);
unsigned int pmu_top_width(void);
/** pmu_top_is_sorted_by() - by that column? */
bool pmu_top_is_sorted_by(const struct pmu_top_view *v, const struct pmu_top_field *field);
/** pmu_top_draw() - all of it */
void pmu_top_draw(const struct pmu_top_view *v);

#endif
