/* SPDX-License-Identifier: BSD-3-Clause */
/* Of several processes of a job: which one is this? */
#ifndef PMU_SESSION_RANK_H
#define PMU_SESSION_RANK_H

/**
 * pmu_session_rank() - this process's MPI rank as its launcher's environment has it, digits; NULL:
 * none.
 */
const char *pmu_session_rank(void);
/** pmu_session_ranks() - how many ranks the launcher has started, likewise. */
const char *pmu_session_ranks(void);

#endif
