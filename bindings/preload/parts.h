/* SPDX-License-Identifier: BSD-3-Clause */
/* What regions are made of without the program's doing: words of PMU_AUTO and --auto. */
#ifndef PMU_PRELOAD_PARTS_H
#define PMU_PRELOAD_PARTS_H

#include "bindings/preload/words.h"

enum preload_part {
	PRELOAD_MAIN = 1 << 0,      /* main, and what comes between fork and the end of a child */
	PRELOAD_THREADS = 1 << 1,   /* the life of every other thread */
	PRELOAD_OPENMP = 1 << 2,    /* parallel regions, waits in them */
	PRELOAD_FUNCTIONS = 1 << 3, /* those compiled with -finstrument-functions */
	PRELOAD_WRAP = 1 << 4,      /* those of PMU_WRAP */
	/* annotations for other tools */
	PRELOAD_LIKWID = 1 << 5,
	PRELOAD_PAPI = 1 << 6,
	PRELOAD_ITT = 1 << 7,
	PRELOAD_NVTX = 1 << 8,
	PRELOAD_ROCTX = 1 << 9,
	PRELOAD_KOKKOS = 1 << 10,
	PRELOAD_CALIPER = 1 << 11,
	PRELOAD_SCOREP = 1 << 12,
	PRELOAD_TAU = 1 << 13,
	PRELOAD_GPTL = 1 << 14,
	PRELOAD_PETSC = 1 << 15,
	PRELOAD_MARKERS = (1 << 16) - PRELOAD_LIKWID, /* all of them */
	PRELOAD_LOCKS = 1 << 16,                      /* calls that wait for another thread */
};

/* Who has waited is what is around it. */
#define PRELOAD_AROUND_LOCKS (PRELOAD_LOCKS | PRELOAD_MAIN | PRELOAD_THREADS)

/** X(word, parts) for each word; "none" is no part.  Calls of MPI are libpmu-mpi's: here is what is around them. */
#define PRELOAD_WORDS(X)                  \
	X("main", PRELOAD_MAIN)           \
	X("threads", PRELOAD_THREADS)     \
	X("openmp", PRELOAD_OPENMP)       \
	X("functions", PRELOAD_FUNCTIONS) \
	X("wrap", PRELOAD_WRAP)           \
	X("markers", PRELOAD_MARKERS)     \
	X("likwid", PRELOAD_LIKWID)       \
	X("papi", PRELOAD_PAPI)           \
	X("itt", PRELOAD_ITT)             \
	X("nvtx", PRELOAD_NVTX)           \
	X("roctx", PRELOAD_ROCTX)         \
	X("kokkos", PRELOAD_KOKKOS)       \
	X("caliper", PRELOAD_CALIPER)     \
	X("scorep", PRELOAD_SCOREP)       \
	X("tau", PRELOAD_TAU)             \
	X("gptl", PRELOAD_GPTL)           \
	X("petsc", PRELOAD_PETSC)         \
	X("mpi", PRELOAD_MAIN)            \
	X("locks", PRELOAD_AROUND_LOCKS)  \
	X("none", 0)

/** preload_parts() - those that a value of PMU_AUTO names; NULL or "": all but locks */
static inline unsigned int preload_parts(const char *text)
{
#define PRELOAD_WORD(word, parts) { word, parts },
	static const struct preload_word words[] = { PRELOAD_WORDS(PRELOAD_WORD) };
#undef PRELOAD_WORD

	return text && *text ? preload_words(text, words, sizeof(words) / sizeof(words[0]))
			     : ~(unsigned int)PRELOAD_LOCKS;
}

#endif
