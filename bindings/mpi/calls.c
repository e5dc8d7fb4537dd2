/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's functions that ours stand in for, by its profiling interface; C's names and Fortran's. */
#include "bindings/mpi/mpi.h"

/*
 * What is behind ours may be another tool's.  Fortran's call C's, under its name or that with a P,
 * and the job ends once.
 */
#define FINALIZE(name)                                                      \
	MPI_STANDS_IN int name(mpi_word error);                             \
	MPI_STANDS_IN int name(mpi_word error)                              \
	{                                                                   \
		int (*next)(mpi_word) = (int (*)(mpi_word))mpi_find(#name); \
                                                                            \
		mpi_job_finish();                                           \
		return next ? next(error) : 1;                              \
	}

FINALIZE(MPI_Finalize)
FINALIZE(mpi_finalize)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize__)
FINALIZE(MPI_FINALIZE)
FINALIZE(mpi_finalize_f08_)
