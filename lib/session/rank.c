/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI rank this process is, as its launcher says. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "session/rank.h"
#include "session/session.h"

/*
 * The launchers' variables, those of an MPI library first: whatever started mpirun has its own in
 * the environment too, and they are the same in all ranks then.  A rank on a host (MPI_LOCALRANKID,
 * SLURM_LOCALID) is none here.
 * Source: the lists of variables in the manuals of Open MPI (mpirun), MPICH (Hydra), MVAPICH2 and
 * Slurm (srun).
 */
static const struct launcher {
	const char *rank;
	const char *ranks; /* how many there are; NULL: it does not say */
	/*
	 * Slurm numbers the tasks of every step, also of one that runs a script; and a batch script
	 * itself has SLURM_PROCID=0 without a step. Only where there are several tasks is a task
	 * taken for a rank.
	 */
	bool several;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false },
	{ "PMIX_RANK", NULL, false },
	{ "PMI_RANK", "PMI_SIZE", false },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", false },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true },
};

/* Digits; NULL for anything else. */
static const char *digits_of(const char *name)
{
	const char *text = name ? secure_getenv(name) : NULL;
	size_t len = text ? strlen(text) : 0;

	return len && len < 10 && strspn(text, "0123456789") == len ? text : NULL;
}

static const struct launcher *find_launcher(void)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(launchers); i++) {
		const char *ranks = digits_of(launchers[i].ranks);

		if (!digits_of(launchers[i].rank))
			continue;
		if (!launchers[i].several || (ranks && atoi(ranks) > 1))
			return &launchers[i];
	}
	return NULL;
}

const char *pmu_session_rank(void)
{
	const struct launcher *launcher = find_launcher();

	return launcher ? digits_of(launcher->rank) : NULL;
}

const char *pmu_session_ranks(void)
{
	const struct launcher *launcher = find_launcher();
	const char *ranks = launcher ? digits_of(launcher->ranks) : NULL;

	return ranks && atoi(ranks) > atoi(digits_of(launcher->rank)) ? ranks : NULL;
}
