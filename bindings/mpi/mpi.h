/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of libpmu-mpi.so share.  It is one library for every MPI there is: it is built
 * without any, and finds the one that the program has.  Handles of MPI's are pointers in one and
 * numbers in another; both go through registers as words do.
 */
#ifndef PMU_MPI_H
#define PMU_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPI_STANDS_IN __attribute__((visibility("default")))

/** A handle, or an argument of any other kind but a floating point number. */
typedef uintptr_t mpi_word;

/** The program's MPI. */
struct mpi_library {
	mpi_word world, byte, errors_return, status_ignore;
	int (*initialized)(int *flag);
	int (*finalized)(int *flag);
	int (*rank)(mpi_word comm, int *rank);
	int (*size)(mpi_word comm, int *size);
	int (*idup)(mpi_word comm, mpi_word *copy, mpi_word *request);
	int (*test)(mpi_word *request, int *flag, mpi_word status);
	int (*set_errhandler)(mpi_word comm, mpi_word handler);
	int (*send)(const void *buffer, int n, mpi_word type, int to, int tag, mpi_word comm);
	int (*receive)(void *buffer, int n, mpi_word type, int from, int tag, mpi_word comm,
		       mpi_word status);
};

/**
 * mpi_find() - a function behind ours, or another symbol of the program's MPI
 *
 * MPI may be a library that a module of an interpreter has brought along, where RTLD_NEXT does not
 * look.
 */
void *mpi_find(const char *name);

/** mpi_library_open() - Return: NULL, or why we cannot speak with it. */
const char *mpi_library_open(struct mpi_library *mpi);

/** mpi_pmu() - a function of the libpmu that measures this process; NULL: none does */
void *mpi_pmu(const char *name);

/** mpi_has_preload() - is the program one that is measured as it is? */
bool mpi_has_preload(void);

/** mpi_job_finish() - before the program's MPI ends: all ranks' results become one report; once */
void mpi_job_finish(void);

struct pmu_ranks;
/** mpi_job_own() - this rank's results; NULL where there are none */
struct pmu_ranks *mpi_job_own(uint32_t rank);

/**
 * mpi_job_write() - rank 0: the report of all, given up
 * Return: whether it is where it was to be.
 */
bool mpi_job_write(struct pmu_ranks *ranks);

/** mpi_job_written() - on each rank: the others have our results, and the report is written */
void mpi_job_written(uint32_t rank, uint64_t n_ranks);

/** mpi_job_say() - a line on standard error, and a note in this rank's report */
void mpi_job_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** mpi_job_is_wanted() - is there anything to report, and PMU_MPI not against it? */
bool mpi_job_is_wanted(void);

#endif
