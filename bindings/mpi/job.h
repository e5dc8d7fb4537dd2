/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks of a job leave for `pmu run` in the folder that their stores are in. */
#ifndef PMU_MPI_JOB_H
#define PMU_MPI_JOB_H

/** Rank 0's: bytes of pmu_ranks_encode(), of all ranks. */
#define MPI_JOB_REPORT "all.ranks"
/** Each rank's that is in it, with its number behind: how many ranks the job had, in digits. */
#define MPI_JOB_RANK "in-all."

#endif
