/* SPDX-License-Identifier: BSD-3-Clause */
/* A store with its rings as an ordinary file. */
#ifndef PMU_STORE_SAVE_H
#define PMU_STORE_SAVE_H

/**
 * pmu_store_save() - copy a store
 * @from: its file; calls that end meanwhile are in the copy whole or not at all
 * @to: what is there stays until the copy is whole, and where there is an error; but what a link leads to
 *	is written over
 *
 * Places of rings that have no record are left out: the copy has holes there.
 * Return: 0 or a negative errno, -EUCLEAN where its chunks make no sense.
 */
int pmu_store_save(const char *from, const char *to);

#endif
