/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of a job are together: sums over all of them, and how each number is spread over
 * them.
 *
 * A record is as large as there are different regions, however many ranks it is of, and two of them
 * are merged into one in any order with the same result: so a job of P ranks makes its report in
 * log2(P) steps.  All is exact: sums, sums of squares, the least and the most with the rank that
 * has it (of several the lowest).  Only the sketch of how a number is spread is of buckets.
 */
#ifndef PMU_REPORTS_RANKS_RANKS_H
#define PMU_REPORTS_RANKS_RANKS_H

#include "base/buckets.h"
#include "base/index.h"
#include "base/strbuf.h"
#include "report/model/fields.h"
#include "report/several.h"

/** A bucket is at most an eighth of its first number wide. */
#define PMU_OVER_BITS    3u
#define PMU_OVER_BUCKETS PMU_BUCKETS(PMU_OVER_BITS, 64u)

/** Regions of one group on different paths; beyond them they are left out, which a note says. */
#define PMU_RANKS_MAX_ROWS 20000u
/** Different texts of a kind, as hosts and notes; beyond them they are counted. */
#define PMU_RANKS_MAX_SAID 64u
/** Ranks that are named as those that compute longest. */
#define PMU_RANKS_WORST 8u

__extension__ typedef unsigned __int128 pmu_wide;

struct pmu_over_bucket {
	uint32_t bucket; /* pmu_bucket_of() */
	uint32_t n;
};

/** One number of each rank. */
struct pmu_over {
	uint64_t n;       /* ranks that have it */
	uint64_t sum;     /* these two stop at the most they hold */
	pmu_wide squares; /* sum of squares */
	uint64_t min, max;
	uint32_t min_rank, max_rank;
	const char *min_host, *max_host;
	unsigned int n_buckets, room;
	struct pmu_over_bucket *bucket; /* ascending */
};

/** Numbers of a rank as a whole. */
enum pmu_ranks_whole {
	PMU_WHOLE_TIME,    /* in outermost regions, of all threads */
	PMU_WHOLE_MPI,     /* of it in calls of MPI */
	PMU_WHOLE_COMPUTE, /* the rest of it */
	PMU_WHOLE_N,
};

/** A region of all ranks. */
struct pmu_ranks_row {
	/* name, parent, flags, missing, raw, net, cost, and what is PMU_OF_RANKS */
	struct pmu_model_row is;
	struct pmu_pool pool;   /* of its calls */
	bool timed;             /* its time is known in some rank */
	struct pmu_over *over;  /* [PMU_OVER_COUNT + n_counts] */
	uint64_t n_selfless;    /* ranks that have it without knowing its self time */
	uint64_t worst_self_ns; /* of the rank that computes longest */
};

struct pmu_ranks_section {
	const char *group;
	unsigned int index;
	double read_ns, socket_read_ns;
	uint32_t sockets, process; /* as struct pmu_model_section has them */
	unsigned int n_counts, n_metrics, n_rows, room;
	struct pmu_model_count *count;   /* [PMU_MODEL_MAX_COUNTS] */
	struct pmu_model_metric *metric; /* [n_metrics] */
	struct pmu_ranks_row *row;       /* a row behind that around it */
	uint64_t n_dropped;              /* regions that found no place */
	struct pmu_index by_path;        /* rows, from 1 */
};

/** What a head, a note or a doubt says, and of how many ranks. */
enum pmu_said {
	PMU_SAID_PROGRAM,
	PMU_SAID_COMMAND,
	PMU_SAID_HOST,
	PMU_SAID_MACHINE,
	PMU_SAID_CPU,
	PMU_SAID_SOURCE,
	PMU_SAID_DETAIL,
	PMU_SAID_CLOCK,
	PMU_SAID_PINNING,
	PMU_SAID_VERSION,
	PMU_SAID_DIED,
	PMU_SAID_NOTE,
	PMU_SAID_DOUBT,   /* text, region */
	PMU_SAID_REFUSAL, /* source, why, mend */
	PMU_SAID_KINDS,
};

struct pmu_ranks_said {
	const char *text[3];
	uint64_t n_ranks, count;
	uint32_t first_rank;
};

struct pmu_ranks_saying {
	unsigned int n;
	uint64_t n_more;             /* beyond the limit; the same one may be in it several times */
	struct pmu_ranks_said *said; /* [PMU_RANKS_MAX_SAID] or NULL */
};

struct pmu_ranks_worst {
	uint32_t rank;
	const char *host;
	uint64_t compute_ns, mpi_ns;
};

struct pmu_ranks {
	uint64_t n_ranks;
	uint32_t first_rank;
	uint64_t start_unix_ns, end_unix_ns;
	double clock_hz;
	uint64_t n_threads, time_ns; /* of threads, from their first region on */
	int64_t usage[5]; /* as in struct pmu_model_thread, from minor faults on; -1: unknown */
	struct pmu_over whole[PMU_WHOLE_N];
	unsigned int n_worst;
	struct pmu_ranks_worst worst[PMU_RANKS_WORST]; /* longest first */
	struct pmu_ranks_saying saying[PMU_SAID_KINDS];
	unsigned int n_sections;
	struct pmu_ranks_section *section; /* [PMU_RANKS_MAX_SECTIONS] */
	struct pmu_index texts;            /* one copy of each */
	struct pmu_model_block *blocks;
	bool failed; /* no memory */
};

#define PMU_RANKS_MAX_SECTIONS 64u

void pmu_ranks_free(struct pmu_ranks *ranks);

/**
 * pmu_ranks_of() - of a finished model: of one process, or of several that all have ranks
 * @rank: of the one; not used with several
 *
 * The rows of a section are as the model's sums, in their order.
 * Return: 0; -ENOMEM; -EINVAL where a part has no rank; each with a sentence.
 */
int pmu_ranks_of(const struct pmu_model *model, uint32_t rank, struct pmu_ranks **ranks);

/**
 * pmu_ranks_merge() - add @from's ranks, which are others
 * Return: 0 or -ENOMEM with a sentence; @ranks is of no use then.
 */
int pmu_ranks_merge(struct pmu_ranks *ranks, const struct pmu_ranks *from);

/** pmu_ranks_encode() - as bytes, appended */
void pmu_ranks_encode(const struct pmu_ranks *ranks, struct pmu_strbuf *out);

/** What such bytes begin with. */
#define PMU_RANKS_MAGIC "pmurank"

/**
 * pmu_ranks_decode() - from bytes, of which none is trusted
 * Return: 0; -EINVAL; -ENOMEM; each with a sentence.
 */
int pmu_ranks_decode(const void *bytes, size_t len, struct pmu_ranks **ranks);

/**
 * pmu_ranks_model() - as a report
 * @ranks: given up, whatever comes of it: it is the model's, as @model->ranks, with rows as the sums
 *
 * The threads of all ranks are one merged one.
 * Return: 0; -ENOMEM, -E2BIG with a sentence.
 */
int pmu_ranks_model(struct pmu_ranks *ranks, struct pmu_model **model);

/**
 * pmu_ranks_keep() - a record becomes the model's
 * @ranks: given up; rows of each section in the order of the model's sums
 */
void pmu_ranks_keep(struct pmu_ranks *ranks, struct pmu_model *model);

/**
 * pmu_ranks_match() - put a record's sections and rows in the order of a finished model's
 *
 * Sums that it does not know are of no rank.  Return: 0; -EINVAL: it has other counts; -ENOMEM.
 */
int pmu_ranks_match(struct pmu_ranks *ranks, const struct pmu_model *model);

/**
 * pmu_ranks_for() - what a report of ranks says of them together: the model's, or made of its rows
 * @made: result: for pmu_ranks_free(); NULL where the model has it
 * Return: NULL where it is not of several ranks with a process each, or its rows are gone.
 */
const struct pmu_ranks *pmu_ranks_for(const struct pmu_model *model, struct pmu_ranks **made);

/** pmu_over_add() - one more rank's; @host: stays where it is */
int pmu_over_add(struct pmu_over *over, struct pmu_model_block **blocks, uint64_t value,
		 uint32_t rank, const char *host);
double pmu_over_mean(const struct pmu_over *over);
/** pmu_over_variance() - the population's */
double pmu_over_variance(const struct pmu_over *over);
/** pmu_over_imbalance() - the most over the mean, less 1; NaN: unknown */
double pmu_over_imbalance(const struct pmu_over *over);
/** pmu_over_quantile() - right to a 16th; from 0 to 1, the least and the most are exact */
uint64_t pmu_over_quantile(const struct pmu_over *over, double part);

/**
 * pmu_ranks_explains() - what part of the imbalance of computing a region's own time makes
 *
 * Of the rank that computes longest: how much longer than the mean it does, and how much of that is
 * in this region without those nested in it.  All regions that are no calls of MPI together are 1.
 * Return: NaN where it is not known, or nothing is out of balance.
 */
double pmu_ranks_explains(const struct pmu_ranks *ranks, const struct pmu_ranks_row *row);

/** pmu_ranks_is_mpi() - by its name: a call of MPI */
bool pmu_ranks_is_mpi(const char *name);

#endif
