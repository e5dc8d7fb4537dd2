/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a job: the ranks' results go over MPI itself, in a tree, to the first one.
 *
 * Only libpmu uses this communicator.  A rank that is not measured, as where a script measures
 * only some, makes none: the others notice within PMU_MPI_WAIT, before anything is sent.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "bindings/mpi/mpi.h"
#include "reports/ranks/ranks.h"

#define TAG 7
/* Of a message; far beyond what records of PMU_RANKS_MAX_ROWS regions have. */
#define MOST_BYTES ((uint64_t)INT_MAX)
#define WAIT_S     60.0

struct job {
	struct mpi_library mpi;
	mpi_word comm;
	int rank, n_ranks;
	struct pmu_ranks *ranks;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* PMU_MPI_WAIT: so many seconds at most; 0: for ever. */
static double patience_s(void)
{
	const char *text = secure_getenv("PMU_MPI_WAIT");
	char *end;
	double s = text ? strtod(text, &end) : WAIT_S;

	return text && (end == text || *end || !(s >= 0)) ? WAIT_S : s;
}

/* All ranks are at their end, or they are not all of us. */
static bool come_together(struct job *job)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	double patience = patience_s(), start = now_s();
	mpi_word request = 0;
	int done = 0;

	if (job->mpi.idup(job->mpi.world, &job->comm, &request))
		return false;
	for (;;) {
		if (job->mpi.test(&request, &done, job->mpi.status_ignore))
			return false;
		if (done)
			break;
		if (patience > 0 && now_s() - start > patience) {
			mpi_job_say("not all ranks came to MPI_Finalize measured within %.0f s: "
				    "each has a report of its own (PMU_MPI_WAIT waits longer)",
				    patience);
			return false;
		}
		nanosleep(&moment, NULL);
	}
	return !job->mpi.set_errhandler(job->comm, job->mpi.errors_return);
}

/* --- messages --- */

/* Their size goes ahead; 0: there is nothing. */
static int send_record(struct job *job, int to)
{
	struct pmu_strbuf bytes = { 0 };
	uint64_t size;
	int rc;

	if (job->ranks)
		pmu_ranks_encode(job->ranks, &bytes);
	size = bytes.failed || bytes.len > MOST_BYTES ? 0 : bytes.len;
	rc = job->mpi.send(&size, (int)sizeof(size), job->mpi.byte, to, TAG, job->comm);
	if (!rc && size)
		rc = job->mpi.send(bytes.text, (int)size, job->mpi.byte, to, TAG, job->comm);
	pmu_strbuf_free(&bytes);
	return rc;
}

static void merge(struct job *job, const void *bytes, size_t size)
{
	struct pmu_ranks *from = NULL;

	if (pmu_ranks_decode(bytes, size, &from)) {
		mpi_job_say("results of some ranks are missing: %s", pmu_error_text());
		return;
	}
	if (!job->ranks) {
		job->ranks = from;
		return;
	}
	if (pmu_ranks_merge(job->ranks, from)) {
		mpi_job_say("results of some ranks are missing: %s", pmu_error_text());
		pmu_ranks_free(job->ranks);
		job->ranks = NULL;
	}
	pmu_ranks_free(from);
}

static int receive_record(struct job *job, int from)
{
	uint64_t size = 0;
	void *bytes;
	int rc = job->mpi.receive(&size, (int)sizeof(size), job->mpi.byte, from, TAG, job->comm,
				  job->mpi.status_ignore);

	if (rc || !size)
		return rc;
	bytes = size <= MOST_BYTES ? malloc(size) : NULL;
	if (!bytes)
		return -ENOMEM;
	rc = job->mpi.receive(bytes, (int)size, job->mpi.byte, from, TAG, job->comm,
			      job->mpi.status_ignore);
	if (!rc)
		merge(job, bytes, size);
	free(bytes);
	return rc;
}

/* --- the tree --- */

/* Each rank hears from those that have one more bit than it, below its lowest. */
static int reduce(struct job *job)
{
	int rc = 0;

	for (int bit = 1; !rc && bit < job->n_ranks; bit *= 2) {
		if (job->rank & bit)
			return send_record(job, job->rank - bit);
		if (job->rank + bit < job->n_ranks)
			rc = receive_record(job, job->rank + bit);
	}
	return rc;
}

/* The way back: has the first one written it? */
static int tell(struct job *job, unsigned char *written)
{
	int bit = 1, rc = 0;

	while (bit < job->n_ranks && !(job->rank & bit))
		bit *= 2;
	if (job->rank)
		rc = job->mpi.receive(written, 1, job->mpi.byte, job->rank - bit, TAG, job->comm,
				      job->mpi.status_ignore);
	for (bit /= 2; bit; bit /= 2)
		if (job->rank + bit < job->n_ranks)
			rc |= job->mpi.send(written, 1, job->mpi.byte, job->rank + bit, TAG,
					    job->comm);
	return rc;
}

static void finish(struct job *job)
{
	unsigned char written = 0;

	job->ranks = mpi_job_own((uint32_t)job->rank);
	if (reduce(job))
		mpi_job_say("results of some ranks are missing: MPI could not send them");
	if (!job->rank && job->ranks) {
		written = mpi_job_write(job->ranks);
		job->ranks = NULL;
	}
	if (!tell(job, &written) && written)
		mpi_job_written((uint32_t)job->rank, (uint64_t)job->n_ranks);
	pmu_ranks_free(job->ranks);
}

void mpi_job_finish(void)
{
	static bool done;
	struct job job = { .n_ranks = 0 };
	int saved = errno, on = 0, over = 0;
	const char *why;

	if (__atomic_exchange_n(&done, true, __ATOMIC_RELAXED) || !mpi_job_is_wanted())
		return;
	why = mpi_library_open(&job.mpi);
	if (why) {
		mpi_job_say("no report of all ranks: %s", why);
	} else if (!job.mpi.initialized(&on) && on && !job.mpi.finalized(&over) && !over &&
		   !job.mpi.rank(job.mpi.world, &job.rank) &&
		   !job.mpi.size(job.mpi.world, &job.n_ranks) && job.n_ranks > 1 &&
		   come_together(&job)) {
		finish(&job);
	}
	errno = saved;
}
