/* SPDX-License-Identifier: BSD-3-Clause */
/* The plain model that every writer sees: what was measured, ready to print. */
#ifndef PMU_REPORT_MODEL_H
#define PMU_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/** One column of counts. */
struct pmu_model_count {
	const char *name; /* "instructions" */
	const char *unit; /* "" or "ns", "B", ... */
};

/** One column of metrics. */
struct pmu_model_metric {
	const char *name;    /* "IPC" */
	const char *unit;    /* "" or "%" */
	const char *formula; /* see report/model/metric.h; "" in a model read from JSON */
};

enum pmu_model_row_flags {
	PMU_ROW_OVERLAP = 1, /* ended after its parent: measured, no "self" */
	/* was re-entered: time_min, time_max and time_sd speak of outermost calls */
	PMU_ROW_RECURSIVE = 2,
	/* beyond the limit of regions per thread: kept by name, without its parents */
	PMU_ROW_FLAT = 4,
	/*
	 * self values cannot be known (overlap below it, recursion; a socket's: threads side by
	 * side in nested regions)
	 */
	PMU_ROW_NO_SELF = 8,
	PMU_ROW_OPEN = 16, /* was open when the table was read */
	/*
	 * With RECURSIVE: only ever re-entered directly inside itself.  Without it a re-entry may
	 * have come by way of a nested region, which then has some of this row's time: where
	 * anything is nested in such a row, no self values are known from it down.
	 */
	PMU_ROW_DIRECT = 32,
	/*
	 * Of a combined model, and not measured itself: stands around the regions of a program's
	 * processes.  Its time and counts are those of the outermost of them, its calls the
	 * processes; comes with NO_SELF.
	 */
	PMU_ROW_PROGRAM = 64,
	/*
	 * more than a tenth of what was measured was the library's own work; see pmu_row_is_short()
	 */
	PMU_ROW_SHORT = 128,
	/*
	 * interrupts were counted in its calls: instructions may be too high by as many; made by
	 * pmu_model_finish()
	 */
	PMU_ROW_INTERRUPTED = 256,
	/*
	 * Of a thread's row: what the thread did for a region that another one had open.  Its parent
	 * is of the same kind, or the program's row, or none, and has nothing of it; a row without
	 * the flag in it is a region that the thread itself began there, and nests as usual.
	 */
	PMU_ROW_TEAM = 512,
	/* its totals changed at every look: they are not known, or of a sum those of some threads */
	PMU_ROW_TORN = 2048,
	/*
	 * its times are those of a simulation, not the program's: no report has them; made by
	 * pmu_model_finish()
	 */
	PMU_ROW_UNTIMED = 4096,
};

/** So many calls lasted about as long; which times that is: report/model/histogram.h. */
struct pmu_model_bucket {
	uint32_t bucket;
	uint64_t calls;
};

/**
 * How long calls were, with what is nested in them and what that cost; by ascending bucket, none of
 * 0 calls.
 */
struct pmu_model_histogram {
	unsigned int n;
	struct pmu_model_bucket bucket[];
};

/**
 * The least that any call counted, each count for itself: of outermost calls that have ended,
 * without the library's own work. Calls that regions overlap in, or that a checkpoint has cut, are
 * left out.
 */
struct pmu_model_least {
	uint32_t known;   /* bit i: count[i] is */
	uint64_t count[]; /* [n_counts] */
};

/**
 * How a row's calls and counts were spread over the turns of its group, where groups took turns: sums
 * over the turns in which there were calls.  Counts are as they were read.
 */
struct pmu_model_turns {
	double n, calls, calls_square;
	/* [n_counts], c being what all calls of a turn counted */
	struct {
		double sum, square, product; /* c, c^2, c * calls */
	} count[];
};

/** What all calls of a region have counted, from those that one group counted. */
struct pmu_model_estimate {
	double value;  /* NaN: nothing is known */
	double error;  /* standard; NaN: not known, like the next */
	double margin; /* half of the interval that holds the true value in 95 of 100 cases */
};

/** How long threads of a team were at work, those that came after each other as one. */
struct pmu_model_side {
	bool is_known; /* when each of them lived */
	bool is_timed; /* and how long it was at work */
	uint32_t n;
	uint64_t sum_ns, most_ns;
};

struct pmu_model_team;
struct pmu_model_samples;

/** What wrote a thread's row, and another one that was folded into it. */
struct pmu_model_writer {
	uint64_t who; /* as struct pmu_model_row has it */
	const struct pmu_model_writer *next;
};

/** A number that is not known; nor is what it is added to, as sums stop at the most there is. */
#define PMU_NOT_KNOWN UINT64_MAX

/** A region on one path, of one thread or of all. */
struct pmu_model_row {
	const char *name;
	const char *path; /* names joined by '/'; '/' and '\' in a name are escaped by '\' */
	/* index of the row it is nested in, -1 for none; always before this row */
	int parent;
	/*
	 * index of the row that has this one's time and counts in its own: its parent, but for a row
	 * of a team; -1 for none
	 */
	int holder;
	/*
	 * Of a PMU_ROW_PROGRAM row without a parent: 1 + the index of the row of another process that
	 * its sum stands below, always before this row; 0 for none.  That row has nothing of it.
	 */
	unsigned int below;
	int depth; /* 0 for a row without parent */
	/* regions of its path, from the outermost, that another thread had open; of a sum 0 */
	int team_depth;
	int thread;         /* index into threads; -1: the sum over threads (and sockets) */
	int sum;            /* of a thread's row: index into section.row of its sum; else -1 */
	uint32_t n_threads; /* threads that have this row */
	uint32_t flags;     /* enum pmu_model_row_flags */
	uint64_t calls;     /* what else is here is of these */
	/*
	 * A sum's, made by pmu_model_finish(): those of its path in all sections.  Groups that take
	 * turns have a part of them each.
	 */
	uint64_t all_calls;
	/*
	 * Likewise, what the estimates are of: those of all groups that take turns, where this one
	 * does, else all of its own.
	 */
	uint64_t whole_calls;
	/* inclusive, as the clock has it; 0 where pmu_model_time_known() says no */
	uint64_t time_ns;
	/* about so much of it was the library's own work; 0 in a report that does not say */
	uint64_t cost_ns;
	/* parts of time_ns: on a processor; blocked; runnable, and waiting for one; or PMU_NOT_KNOWN */
	uint64_t cpu_ns, blocked_ns, queued_ns;
	uint64_t self_ns;     /* without nested regions; 0 where pmu_model_self_known() says no */
	uint64_t self_cpu_ns; /* of it on a processor; or PMU_NOT_KNOWN */
	uint64_t min_ns;      /* shortest and longest single call; 0 and 0 where there was none */
	uint64_t max_ns;
	double sd_ns; /* standard deviation of one call (population's); NaN: unknown */
	/* of outermost calls that have ended; NULL: was not asked for */
	const struct pmu_model_histogram *histogram;
	const struct pmu_model_least *least; /* NULL: was not asked for */
	/* NULL: groups did not take turns, or it is not known */
	const struct pmu_model_turns *turns;
	/* [n_counts] a sum's that has a part of whole_calls; made by pmu_model_finish(); else NULL */
	struct pmu_model_estimate *estimate;
	/*
	 * A sum's: of its section's whole.  A thread's row: of that thread's measured time.  0 to 1;
	 * NaN: unknown, also where the row has more than that (damaged data).
	 */
	double share;
	uint32_t missing;      /* bit i: raw[i], net[i] and self[i] are unknown */
	uint32_t self_missing; /* bit i: self[i] is: as missing, or missing in a nested region */
	uint64_t *raw;         /* [n_counts] as read */
	uint64_t *net;         /* [n_counts] without the library's own cost */
	uint64_t *self;        /* [n_counts] net, without nested regions */
	double *metric;        /* [n_metrics]; NaN: missing */
	/*
	 * per-call cost of the library inside this row, already out of net; for the share removed
	 */
	uint64_t *cost;     /* [n_counts] total removed */
	uint32_t n_open;    /* begins without end so far */
	bool open_at_exec;  /* of a thread's row: in it the process went on as another program */
	uint64_t socket_ns; /* a sum's: time of its sockets' rows */
	/* a sum's, where rows of a team are known in its section; else NULL */
	struct pmu_model_team *team;
	/*
	 * Where its own time goes, of a sum also that of rows of a team; NULL: none were taken
	 * (report/model/samples.h)
	 */
	const struct pmu_model_samples *samples;
	/*
	 * Of a thread's row: the serial of the thread's record in the store in the high half, its id
	 * there in the low half; 0: not known, or several threads'
	 */
	uint64_t who;
	const struct pmu_model_writer *writers; /* others that are in it, too; NULL: none */
};

/**
 * A region with all that threads did for it: the calls of its openers, and the PMU_ROW_TEAM
 * rows at it and at any depth below it.  Each piece of work is in one of these, so nothing counts
 * twice.
 */
struct pmu_model_team {
	/* another thread worked for it; else it is of several threads, each with calls of its own */
	bool has_others;
	bool time_known; /* that of each part of it is */
	/*
	 * Of all of them together the time that they spent in it, waiting included, cost_ns, share,
	 * missing, raw, net, metric; of flags what goes for the others' rows: PMU_ROW_OPEN,
	 * PMU_ROW_INTERRUPTED.  Nothing else is there.
	 */
	struct pmu_model_row all;
	/* most of its threads that lived at the same time; 0: not known, some are merged */
	uint32_t n_threads;
	/*
	 * How much longer than the mean the slowest thread was at work for it, of those that did not
	 * open it, or of its openers where there were no others; threads that came after each other
	 * count as one.  NaN: less than two, or not known.
	 */
	double imbalance;
	double efficiency; /* of n_threads times its openers' time, 0 to 1; NaN: not known */
	struct pmu_model_side openers, workers; /* what these two are made of */
	/* what all.cpu_ns and all.time_ns have of regions called "wait (...)"; or PMU_NOT_KNOWN */
	uint64_t wait_cpu_ns, wait_time_ns;
};

/** What one part has of a sum: where threads' rows were added up as they came, and not kept. */
struct pmu_model_portion {
	unsigned int sum;  /* index into section.row */
	unsigned int part; /* index into part */
	bool of_socket;    /* its sockets', else its threads' */
	uint64_t time_ns;
	const uint64_t *net; /* [n_counts]; NULL: not asked for */
};

/** In place of a socket's number: what all threads of a process did, wherever they ran. */
#define PMU_MODEL_PROCESS (-2)

/** What sums are ordered by and shares are of: report/model/measure.h says which where. */
enum pmu_model_measure { PMU_BY_TIME, PMU_BY_CPU, PMU_BY_COUNT };

/** All rows of one group of events. */
struct pmu_model_section {
	const char *group; /* "CORE"; "TIME" without counts */
	/* of the group among those configured; groups never counted have no section */
	unsigned int index;
	/* what one read of the counters takes, twice a call; 0: nothing, or unknown */
	double read_ns;
	/*
	 * what one read of a socket's counters takes, at the first begin and the last end there; 0
	 * likewise
	 */
	double socket_read_ns;
	/* it takes turns with others that do: what one of them has of a path is a sample of all */
	bool in_turns;
	/*
	 * 1 + the index of the count that rows are ordered by, and have their shares of: what a
	 * simulation has in place of time; 0: time; made by pmu_model_finish()
	 */
	unsigned int ranked;
	/* bit i: count i is a socket's, while any thread was in the region there, */
	uint32_t sockets;
	uint32_t process; /* or, of those, the whole process's: it stands as one more socket */
	unsigned int n_counts;
	struct pmu_model_count *count;
	unsigned int n_metrics;
	struct pmu_model_metric *metric;
	/*
	 * Sums over threads in tree order (a row, then what is nested in it), but for rows of a
	 * team; made by pmu_model_finish().
	 */
	unsigned int n_rows;
	struct pmu_model_row *row;
	/* Likewise: what siblings are ordered by, and what all threads have of it; 0: none */
	enum pmu_model_measure measure;
	uint64_t whole;
	/* Each thread's rows, thread after thread, in tree order. */
	unsigned int n_thread_rows;
	struct pmu_model_row *thread_row;
	/* Instead of them in a model of pmu_gather_end(): sum by sum, part by part. */
	unsigned int n_portions;
	struct pmu_model_portion *portion;
};

/** One of the processes that a combined model is of. */
struct pmu_model_part {
	const char *label; /* "rank 3"; "gcc 4711" */
	const char *program;
	const char *command;
	const char *host;
	int64_t pid;
	int64_t forked_from; /* as in struct pmu_model */
	int rank;            /* MPI rank, -1 for none */
	uint32_t nth;        /* number of the program in its process, from 1 */
	uint64_t start_unix_ns;
	uint64_t duration_ns;
	const char *died; /* as in struct pmu_model */
};

struct pmu_model_thread {
	int number;        /* 0 is the first thread that used the library; of its part */
	unsigned int part; /* of a combined model: index into part */
	const char *name;  /* as the system knows it; "" unknown */
	int64_t tid;
	int cpu; /* OS number of the CPU we pinned it to, -1 for none */
	/*
	 * hybrid: kinds of core it ran on: "P", "E", "P+E"; "" or NULL: not known, or no such thing
	 */
	const char *core_type;
	uint32_t n_merged; /* 0, or how many finished threads these rows are the sum of */
	bool finished;
	uint64_t time_ns; /* from its first region to its end or this report */
	/* when that was, since its part's start; -1 unknown, as of merged ones */
	int64_t start_ns;
	int64_t stop_ns;
	/* what the kernel says of this thread; -1 unknown */
	int64_t minor_faults;
	int64_t major_faults;
	int64_t voluntary_switches;
	int64_t involuntary_switches;
	int64_t cpu_ns; /* on a processor, user and kernel; of a set, of all threads together */
	/*
	 * Made by pmu_model_finish(): what its outermost regions took; not all of it where one is
	 * open.
	 */
	uint64_t in_regions_ns;
	bool in_part;
};

/** Names of a path that stand with a doubt: the last ones. */
#define PMU_MODEL_DOUBT_NAMES 8

/** A reason not to trust something blindly. */
struct pmu_model_doubt {
	const char *text; /* "ended without a begin" */
	/* its path, of which the last 8 names; "" where it is about the session or a thread */
	const char *region;
	int thread;     /* number, -1 for all */
	uint64_t count; /* how often; 0: not countable */
	/* of a combined model: index into part; -1 for several, and in any other model */
	int part;
	unsigned int n_parts; /* of several, but not all of them: in ascending order; else 0 */
	const unsigned int *parts;
};

/** A source that was not used, and why. */
struct pmu_model_refusal {
	const char *source; /* "perf" */
	const char *why;
	const char *mend; /* "" where nothing would */
};

/** How the command that `pmu run` started has ended. */
struct pmu_model_run {
	int status;             /* exit status; -1 where a signal killed it */
	int signal;             /* which, 0 none */
	uint64_t start_unix_ns; /* when it was started, before it was measured; 0: not known */
	uint64_t elapsed_ns;
	uint64_t user_ns; /* of it and of all processes that were waited for in it */
	uint64_t system_ns;
	uint64_t max_rss; /* bytes: of the largest of them */
};

struct pmu_ranks;
struct pmu_several;
struct pmu_samples_place;

struct pmu_model {
	const char *program; /* file name of the executable */
	const char *command; /* its command line, cut to a sensible length; "" unknown */
	const char *host;
	int64_t pid;
	/* the process that forked it, from which open regions went on; 0: none, or not known */
	int64_t forked_from;
	int rank;    /* MPI rank, -1 for none */
	int n_ranks; /* that its launcher started; 0: not known */
	/* number of the program in its process: 1, after an exec 2, ...; 0: not known */
	uint32_t nth;
	uint64_t start_unix_ns;
	uint64_t duration_ns;
	uint64_t off_ns; /* of it, measuring was switched off; a note says so, too */
	bool is_off;     /* it is so now, or was at the end */
	/* from outside, `pmu attach`: it ran before that, and maybe goes on; duration_ns is of the watching */
	bool is_attached;
	const char *machine;       /* "AMD EPYC, 2 cores, 1 socket, virtual machine (KVM)" */
	const char *cpu;           /* "AuthenticAMD-26-2-1" */
	const char *source;        /* "perf", "software", "clock" */
	const char *source_detail; /* "user level, read in user space" */
	const char *clock;         /* "time stamp counter" */
	double clock_hz;
	const char *pinning; /* "auto: 2 threads on 2 cores" */
	const char *version; /* of the library that measured */
	/* NULL for a clean end, else "the program did not end cleanly: ..." */
	const char *died;
	const struct pmu_model_run *run; /* NULL: `pmu run` has not made this report */
	/* Of a combined model: the processes it is of, by rank or start; else 0 and NULL. */
	unsigned int n_parts;
	struct pmu_model_part *part;
	/*
	 * Of a report that the ranks of a job made together: how all is spread over them, rows as
	 * the sums (reports/ranks/ranks.h); else NULL.
	 */
	const struct pmu_ranks *ranks;
	const struct pmu_several *several; /* where it has either of them (report/several.h) */
	bool is_damaged; /* parts of the store it was read from are left out, or may be here twice */
	/* optional events that were given up, unknown settings and the like: whole sentences */
	unsigned int n_notes;
	const char **note;
	unsigned int n_refusals;
	struct pmu_model_refusal *refusal;
	unsigned int n_threads;
	unsigned int n_sockets;
	/*
	 * [n_threads + n_sockets]: behind the threads the sockets, each by its number, -1 where it
	 * is not known, PMU_MODEL_PROCESS where it is the process. A socket's rows have the counts that are the socket's, and no others; calls
	 * are the times that it came to be occupied.  A sum has these from the sockets' rows and
	 * everything else from the threads'.
	 */
	struct pmu_model_thread *thread;
	unsigned int n_sections;
	struct pmu_model_section *section;
	unsigned int n_doubts;
	struct pmu_model_doubt *doubt;
	/* rows by who wrote them, once they were asked for; private to samples.c */
	struct pmu_samples_place *written;
	size_t n_written;
	struct pmu_model_objects *objects; /* NULL: none; private to objects.c */
	struct pmu_model_block *blocks;    /* memory of all of the above; private to model.c */
};

/** pmu_model_new() - an empty model: strings "", counters 0.  Return: NULL without memory. */
struct pmu_model *pmu_model_new(void);
void pmu_model_free(struct pmu_model *model);

/** pmu_model_alloc() - zeroed memory that lives as long as the model; NULL without memory. */
void *pmu_model_alloc(struct pmu_model *model, size_t size);
/** pmu_model_text() - a copy of @len bytes with a NUL; "" without memory. */
const char *pmu_model_text(struct pmu_model *model, const char *text, size_t len);
/** pmu_model_textf() - formatted. */
const char *pmu_model_textf(struct pmu_model *model, const char *fmt, ...) PMU_PRINTF(2, 3);

/*
 * The texts are copied.  Lists that grow by these three are filled by them alone.
 * Return: 0 or -ENOMEM.
 */
int pmu_model_add_note(struct pmu_model *model, const char *text);
int pmu_model_add_doubt(struct pmu_model *model, const char *text, const char *region, int thread,
			uint64_t count);
/* The same refusal of the same source is kept once. */
int pmu_model_add_refusal(struct pmu_model *model, const char *source, const char *why,
			  const char *mend);

/** Most counts of a section: bits of a missing mask. */
#define PMU_MODEL_MAX_COUNTS 32
/** A longer path keeps its beginning and its last name; a hash of all of it stands for the rest. */
#define PMU_MODEL_PATH_MAX 4096

/**
 * pmu_model_finish() - everything that follows from the threads' rows
 * @model: threads, sections with thread_row in any order in which a parent stands before its
 *         children (name, parent, thread, flags, calls, times in ns, raw, net, cost, missing,
 *         n_open set)
 *
 * Sorts each thread's rows into tree order (siblings by time, longest first; sums by their section's
 * measure), makes paths, self values, shares, and the sums over threads: rows of the same path, flat
 * ones apart.  Metrics get room and are left missing.  Where there are rows of a team, sums have
 * struct pmu_model_team beside their own values.  self = inclusive - nested; never below zero: where
 * it would be it is 0 with a doubt (the rounding of times, 1 ns a row, excepted).  A parent that does
 * not stand before its row or belongs to another thread is taken as none, and so is one that is not
 * of a team where the row is.
 *
 * Return: 0; -ENOMEM; -E2BIG with more than PMU_MODEL_MAX_COUNTS counts.
 */
int pmu_model_finish(struct pmu_model *model);

/** pmu_model_is_simulated() - was it valgrind that counted, whose times are not the program's? */
bool pmu_model_is_simulated(const struct pmu_model *model);

/** pmu_model_is_machine() - of no process: what ran on a machine's processors, which stand for threads */
static inline bool pmu_model_is_machine(const struct pmu_model *model)
{
	return model->is_attached && !model->pid && model->n_parts <= 1;
}

/** pmu_model_cpu_time() - of all threads together; PMU_NOT_KNOWN where that of one is */
uint64_t pmu_model_cpu_time(const struct pmu_model *model);

/**
 * pmu_model_shares_sockets() - has one socket entries of several parts?  Its counts are not added
 * up in sums then.
 */
bool pmu_model_shares_sockets(const struct pmu_model *model);

/** pmu_model_is_socket() - is it a socket's row rather than a thread's or a sum? */
static inline bool pmu_model_is_socket(const struct pmu_model *model,
				       const struct pmu_model_row *row)
{
	return row->thread >= 0 && (unsigned int)row->thread >= model->n_threads &&
	       (unsigned int)row->thread < model->n_threads + model->n_sockets;
}

/**
 * pmu_model_time_known() - is any of a row's time known?
 *
 * What a call has done is known when it ends, or up to a checkpoint.  A row that is open and has
 * had neither knows nothing, of its counts either.
 */
static inline bool pmu_model_time_known(const struct pmu_model_row *row)
{
	return row->time_ns || !row->n_open;
}

/** pmu_model_is_timed() - and are its times the program's? */
static inline bool pmu_model_is_timed(const struct pmu_model_row *row)
{
	return pmu_model_time_known(row) && !(row->flags & PMU_ROW_UNTIMED);
}

/** pmu_model_cpu_known() - and how much of it was on a processor? */
static inline bool pmu_model_cpu_known(const struct pmu_model_row *row)
{
	return pmu_model_is_timed(row) && row->cpu_ns <= row->time_ns;
}

/** pmu_model_self_known() - are self_ns and, but for self_missing, self[] of a row known? */
static inline bool pmu_model_self_known(const struct pmu_model_row *row)
{
	return !(row->flags & (PMU_ROW_OVERLAP | PMU_ROW_NO_SELF)) && pmu_model_time_known(row);
}

#endif
