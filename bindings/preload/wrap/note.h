/* SPDX-License-Identifier: BSD-3-Clause */
/* What PMU_WRAP asked for and did not get. */
#ifndef PMU_PRELOAD_WRAP_NOTE_H
#define PMU_PRELOAD_WRAP_NOTE_H

#include "bindings/preload/wrap/list.h"

/** Why functions were not wrapped, with a name as an example. */
struct wrap_notes {
	unsigned int n_left_out; /* more functions than can be wrapped */
	unsigned int n_taken;    /* slots with a value that is used otherwise */
	char taken[64], taken_by[64];
	int write_error; /* the errno of a slot that could not be written */
	char write_failed[64];
	char allocator[64]; /* no function stands in for what it calls; "" none */
};

/** wrap_notes_say() - lines for the report's head */
void wrap_notes_say(const struct wrap_notes *notes, const struct wrap_list *list);

#endif
