/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that a process leaves in place of results that it could not keep. */
#ifndef PMU_BASE_LOST_H
#define PMU_BASE_LOST_H

/** Ends the names of such files.  A sentence in it says why, unless there was no room for that either. */
#define PMU_LOST_ENDING ".lost"

/** pmu_lost_say() - leave one in @folder, once for each process.  Return: 0 or a negative errno. */
int pmu_lost_say(const char *folder, const char *sentence);

#endif
