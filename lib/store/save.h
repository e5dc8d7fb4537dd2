/* SPDX-License-Identifier: BSD-3-Clause */
/* A store with its rings as an ordinary file. */
#ifndef PMU_STORE_SAVE_H
#define PMU_STORE_SAVE_H

#include "store/view.h"

/** The copy ends where the file did. */
#define PMU_STORE_CUT 1

/**
 * pmu_store_save() - copy a store
 * @from: its file; calls that end meanwhile are in the copy whole or not at all
 * @view: of the process that writes it, which has in memory what the file had no room for; NULL: another process
 * @to: what is there stays until the copy is whole, and where there is an error; but what a link leads to
 *	is written over
 *
 * Places of rings that have no record are left out: the copy has holes there.
 * Return: 0, or PMU_STORE_CUT where the copy has only the chunks up to one that is not there, or makes no sense; a
 * negative errno.
 */
int pmu_store_save(const char *from, const struct pmu_store_view *view, const char *to);

#endif
