/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * pmu.h - what your hot code does to the processor
 *
 * Put pmu_region_begin("solve") and pmu_region_end("solve") around hot code and
 * link with -lpmu; a report per region and thread is written when the program
 * exits.  Configuration comes from PMU_* environment variables (`pmu help
 * environment` lists them) or from struct pmu_options.
 *
 * Unless a function says otherwise it may be called from any thread, returns 0
 * or a negative errno, and never prints, aborts or changes errno.
 *
 * What a call does itself is in none of the regions that are open meanwhile.  Of one with several
 * arguments, or a result beside an errno, up to 20 instructions are, which put these together; all
 * of it is of pmu_thread_attach(), pmu_counters_read(), pmu_counters_start(), pmu_counters_stop(),
 * pmu_last_error(), pmu_strerror() and pmu_version().
 *
 * -DPMU_DISABLE turns every call into nothing.
 */
#ifndef PMU_H
#define PMU_H

#include <stddef.h>
#include <stdint.h>

#define PMU_VERSION_MAJOR  0
#define PMU_VERSION_MINOR  1
#define PMU_VERSION_PATCH  0
#define PMU_VERSION_STRING "0.1.0"
/** One number for comparisons: 0xMMmmpp, as pmu_version() returns it. */
#define PMU_VERSION ((PMU_VERSION_MAJOR << 16) | (PMU_VERSION_MINOR << 8) | PMU_VERSION_PATCH)

/** Longest region name, in bytes without the terminator. */
#define PMU_NAME_MAX 1023
/** Most counts that one group can hold. */
#define PMU_MAX_COUNTS 16
/** For pmu_region_read(): the calling thread. */
#define PMU_THREAD_SELF (-1)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pmu_options - configuration by the program instead of the environment
 * @size: sizeof(struct pmu_options); members beyond it are taken as NULL
 *
 * Every other member is the text of the environment variable named beside it,
 * or NULL to leave that to the environment.
 */
struct pmu_options {
	size_t size;
	const char *enable;  /* PMU_ENABLE: "0": calls return at once; "later": until `pmu on` */
	const char *group;   /* PMU_GROUP: "CORE", or several: "CORE,SOFTWARE" */
	const char *events;  /* PMU_EVENTS: "instructions,cycles:k,r10e" */
	const char *backend; /* PMU_BACKEND: "auto", "perf", "software", "clock" */
	const char *count;   /* PMU_COUNT: "thread", "cpu" or "process" */
	const char *pin;     /* PMU_PIN: "auto", "none", "compact", "scatter", "cpus:0-3,8" */
	const char *output;  /* PMU_OUTPUT: "run.json,run.csv,-" or "none" */
};

/**
 * struct pmu_region_counts - what a region did
 * @size: sizeof(struct pmu_region_counts), set by the caller; members beyond it stay untouched
 * @calls: completed begin/end pairs, recursive ones included
 * @time_ns: nanoseconds inside the region, inclusive of nested regions
 * @n_counts: how many elements of @count are in use
 * @missing: bit i set: count[i] could not be made, or not for every call; it is not 0 but unknown
 * @count: raw sums in the order of the group; pmu_count_name() tells what each is
 * @net_time_ns: an estimate: @time_ns less what such calls took when they were measured; a report's
 *	time is @time_ns
 * @net: likewise @count; 0 where the library's own work is found to be more than was counted.  Only
 *	about right for a region with others in it while it is open, and after a reset of one in it
 *	meanwhile
 */
struct pmu_region_counts {
	size_t size;
	uint64_t calls;
	uint64_t time_ns;
	uint32_t n_counts;
	uint32_t missing;
	uint64_t count[PMU_MAX_COUNTS];
	uint64_t net_time_ns;
	uint64_t net[PMU_MAX_COUNTS];
};

/** Which work pmu_counters_open() counts. */
enum pmu_scope {
	PMU_SCOPE_THREAD, /* the calling thread, wherever it runs */
	PMU_SCOPE_CPU     /* every CPU that the calling thread may run on, whatever runs there */
};

/** What comes after a pmu_checkpoint(). */
enum pmu_next {
	PMU_NEXT_GOES_ON, /* nothing special */
	PMU_NEXT_EXIT,    /* _exit(): a clean end */
	PMU_NEXT_EXEC,    /* another program in this process */
	PMU_NEXT_SIGNAL,  /* death by a signal */
	PMU_NEXT_STOP,    /* the same, where its parent wanted it: SIGTERM */
	/*
	 * Goes on; but the report at the end is made already, with others in it: by libpmu-mpi.
	 * Only files with something of this process in their names are written then.
	 */
	PMU_NEXT_REPORTED,
	/*
	 * Goes on, as a child that was forked just now: what was open goes on from here, and the store is
	 * made when it is needed, at the latest by the next call with another value.  Return: 1; 0
	 * where pmu_thread_attach() has to begin at once, because counters are read.
	 */
	PMU_NEXT_FORKED
};

/**
 * What makes work on another thread count for a region of this one; 0: there is none.
 *
 * A plain word: it can be stored, copied and handed over as the task is that it belongs to.
 */
typedef uint64_t pmu_context_t;

/** A set of counters that the program starts, stops and reads by hand. */
struct pmu_counters;

#ifndef PMU_DISABLE

/*
 * Called by way of the address that the loader put in a table, bound when the program starts: no
 * detour by the linker's table of jumps.  Its instructions, and its search for the function at the
 * first call, would be counted in the region.
 */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define PMU_DIRECT_ __attribute__((noplt))
#endif
#endif
#ifndef PMU_DIRECT_
#define PMU_DIRECT_
#endif

/**
 * pmu_init() - start measuring now rather than at the first begin
 * @options: what differs from the environment; NULL for nothing
 *
 * Optional.  In a running session it changes nothing and returns -EALREADY.
 *
 * Return: 0 (also where PMU_ENABLE=0 switches everything off); -EINVAL for an
 * unknown event, group, source, policy or CPU; -ENOTSUP where PMU_REQUIRE=1 and something
 * that was asked for cannot be counted; -ENOMEM.  After an error, which is also
 * printed once to standard error, begins and ends return 0 and measure nothing.
 */
int pmu_init(const struct pmu_options *options);

/**
 * pmu_region_begin() - enter a region on the calling thread
 * @name: NUL-terminated text, 1 to PMU_NAME_MAX bytes; copied; equal text is the same region
 *
 * Regions nest, and a region's totals include those of the regions in it.  A name that is already
 * open on this thread is re-entered: the call counts, and its time and counts grow once, when the
 * outermost one ends.
 *
 * A forked child that uses regions reports for itself; regions that were open at the fork go on in
 * it from zero.
 *
 * Context: takes no lock and calls no kernel once the thread has seen the
 * region (a source that cannot be read in user space excepted).
 * The first call in a process starts the session and allocates memory: where that could happen in a
 * signal handler, call pmu_init() before.
 *
 * Return: 0; -EINVAL for a NULL or empty name; -ENAMETOOLONG; -EBUSY in a signal
 * handler that interrupted this library; -ENOMEM; -ENOSPC at the limit of regions.  The call that
 * starts the session may return what pmu_init() would.
 */
PMU_DIRECT_ int pmu_region_begin(const char *name);

/**
 * pmu_region_begin_once() - pmu_region_begin(), unless the region is open already
 * @name: as there
 *
 * For markers that know no recursion, as LIKWID's.  It takes longer; what it does is in no region.
 *
 * Return: as pmu_region_begin(), and -EALREADY where the region is open on this thread: it goes on, and nothing else
 * happens.
 */
PMU_DIRECT_ int pmu_region_begin_once(const char *name);

/**
 * pmu_region_end() - leave a region on the calling thread
 * @name: the text its begin was given
 *
 * Ending a region below the innermost one is allowed.  Those above it can still end: the report
 * marks them as overlapping and has no self values for them.  Beginning one of them again forgets
 * the call that was open, which the report then names as never ended.
 *
 * Return: as pmu_region_begin(), and -ENOENT where the region is not open on
 * this thread; the report then names it under "doubts".
 */
PMU_DIRECT_ int pmu_region_end(const char *name);

/**
 * pmu_region_begin_n(), pmu_region_end_n() - the same for text without terminator
 * @name: @len bytes; none of them may be NUL
 * @len: 1 to PMU_NAME_MAX
 *
 * For other languages, where texts have a length.
 *
 * Return: as pmu_region_begin() and pmu_region_end(), and -EINVAL for a NUL in the name.
 */
PMU_DIRECT_ int pmu_region_begin_n(const char *name, size_t len);
PMU_DIRECT_ int pmu_region_end_n(const char *name, size_t len);

/**
 * pmu_thread_attach() - pin the calling thread and open its counters now
 *
 * Optional: the thread's first begin does it.  Useful before a timed section.
 *
 * Return: 0; -EINVAL where the session could not be started; -ENOMEM; -EBUSY as pmu_region_begin().
 */
int pmu_thread_attach(void);

/**
 * pmu_region_read() - what a region has done so far
 * @region: with PMU_THREAD_SELF a region's name, summed over every path on which the
 *          calling thread reached it; with a thread number one path, names joined by '/'
 *          ('/' and '\\' inside a name are written with a '\\' before them), of regions
 *          that this thread has begun: what it did for another's is in that one's team
 * @thread: PMU_THREAD_SELF, or the number a report gives the thread, from 0
 * @counts: result; the caller sets counts->size
 *
 * Calls that have not ended are not included.  It takes longer the more regions are nested in this
 * one, whatever others there are.
 *
 * Return: 0; -ENOENT for a region never entered; -ESRCH for an unknown thread;
 * -EINVAL; -ENODEV without a session; -EBUSY as pmu_region_begin().
 */
int pmu_region_read(const char *region, int thread, struct pmu_region_counts *counts);

/**
 * pmu_region_reset() - forget what a region has done on the calling thread
 * @name: the region's name; every path that leads to it is reset
 *
 * What is counted for a whole socket starts again from zero for all threads there.  Its next raw
 * counts have what the library did in regions nested in it before, as much as is taken off again
 * for net counts.
 *
 * Return: 0; -ENOENT for a region never entered here; -EBUSY while it is open.
 */
int pmu_region_reset(const char *name);

/**
 * pmu_region_is_open() - whether the calling thread is inside a region
 * @name: the region's name
 *
 * In a forked child, those that were open at the fork are.
 *
 * Return: 1 or 0; -EINVAL; -EBUSY as pmu_region_begin().
 */
int pmu_region_is_open(const char *name);

/**
 * pmu_context_get() - what the calling thread has open, for a task that another one will do
 *
 * Of the innermost open region.  It is valid until that region's call ends; after pmu_context_enter()
 * and with no region begun since, it is the one that was entered.  With PMU_SCOPE=thread there is
 * none.
 *
 * Context: async-signal-safe but for the first call in a region; takes no lock and allocates nothing
 * but then.
 * Return: the context; 0 where nothing is open or measured.
 */
pmu_context_t pmu_context_get(void);

/**
 * pmu_context_enter() - what the calling thread does from now on is done for that region
 * @context: of pmu_context_get(), by any thread of this process
 *
 * It counts for the region's team, and for no region that the calling thread has open itself: they
 * go on with pmu_context_leave().  Regions begun meanwhile are nested in the context's, and are to
 * end before it is left.  Contexts can be entered within each other.
 *
 * Where the region is the calling thread's own, or its context is entered already, nothing changes;
 * nor with 0.  A context is refused once its region has ended, and the report says so.  In each of
 * these cases too a pmu_context_leave() is due.
 *
 * Return: as pmu_region_begin().
 */
int pmu_context_enter(pmu_context_t context);

/**
 * pmu_context_leave() - the task is done
 *
 * Regions that were begun in it and are open are given up.
 *
 * Return: as pmu_region_end(); 0 also where nothing was entered.
 */
int pmu_context_leave(void);

/**
 * pmu_group_next() - count the next group of PMU_GROUP from now on, the first after the last
 *
 * With PMU_ROTATE=1 groups take turns by themselves, and this call has no part in it.
 *
 * Return: 0; -EALREADY where groups take turns by themselves; -EBUSY while any thread has a region
 * open; -ENOENT where only one group is configured, or PMU_ROTATE=1 found fewer than two for it;
 * -ENODEV without a session.
 */
int pmu_group_next(void);

/**
 * pmu_count_name() - what count[slot] is
 * @slot: 0 to n_counts - 1
 *
 * Return: the label of the report's column, valid until pmu_fini() or
 * pmu_group_next(); NULL for a slot that does not exist.
 */
const char *pmu_count_name(unsigned int slot);

/**
 * pmu_report() - write a report of everything that has ended so far
 * @path: a file: its ending chooses the format (.json, .csv, anything else is text),
 *        "-" for text on standard output, NULL for text on standard error
 *
 * Context: prints; not for signal handlers.  Other threads may go on measuring.
 * Return: 0; the errno of a file that cannot be written; -EINVAL for an ending that asks for a
 * format there is not (.xml); -ENODEV without a session; -EBUSY as pmu_region_begin().
 */
int pmu_report(const char *path);

/**
 * pmu_report_text() - the same report as a text in memory
 * @format: "json", "csv" or "text"
 * @text: result, NUL-terminated, for free()
 *
 * Return: 0; -EINVAL for another format; -ENOMEM; -ENODEV without a session; -EBUSY as
 * pmu_region_begin().
 */
int pmu_report_text(const char *format, char **text);

/**
 * pmu_note() - a line for the report's head: what its reader should know of this run
 * @text: one sentence, at most 255 bytes; copied; the same line is kept once
 *
 * Return: 0; -EINVAL; -ENODEV without a session; -EBUSY as pmu_region_begin().
 */
int pmu_note(const char *text);

/**
 * pmu_checkpoint() - what the calling thread's open regions have done so far counts from now on
 * @next: what the caller knows of what comes
 *
 * For what ends a program without exit(): _exit(), exec, a signal.  The results stay behind in the
 * store, and `pmu run` or `pmu report` makes the report from it; regions that are open then have
 * what was counted up to here.  Where the program goes on after all, its regions go on too, and
 * nothing is counted twice.
 *
 * In a signal handler that interrupted a begin or an end, PMU_NEXT_EXIT, PMU_NEXT_SIGNAL and
 * PMU_NEXT_STOP save what is open around the region that it was of, and the program must not go on
 * then.
 *
 * Context: async-signal-safe; not in a child of vfork().
 * Return: 0, also where nothing is measured here; -EBUSY as pmu_region_begin(), but in that case.
 */
int pmu_checkpoint(enum pmu_next next);

/**
 * pmu_fini() - end the session: write its reports, stop counting
 *
 * Optional: exit does it.  What was to come with exit comes now: the report of PMU_OUTPUT, or text
 * on standard error.  Begins and ends after it do nothing; pmu_init() afterwards starts afresh.
 * The calling thread may run anywhere again; other threads that were pinned stay so until they end.
 *
 * Return: 0; -ENODEV without a session; -EBUSY as pmu_region_begin(); the error of the first output
 * that failed.
 */
int pmu_fini(void);

/**
 * pmu_counters_open() - counters without regions
 * @events: as in PMU_EVENTS: "instructions,cycles"
 * @scope: which work to count
 * @counters: result; stopped, at zero; for pmu_counters_close()
 *
 * A group is never time-sliced: what does not fit is refused.  A set may be used by
 * the thread that opened it (PMU_SCOPE_THREAD) or by one thread at a time (PMU_SCOPE_CPU).
 *
 * Return: 0; -EINVAL for an unknown event; -ENODEV, -ENOENT, -ENOSPC, -EACCES and
 * others as the kernel gives them; pmu_last_error() says more.
 */
int pmu_counters_open(const char *events, enum pmu_scope scope, struct pmu_counters **counters);

/** pmu_counters_start() - go on counting.  Return: 0 or a negative errno. */
int pmu_counters_start(struct pmu_counters *counters);

/** pmu_counters_stop() - hold the counts.  Return: 0 or a negative errno. */
int pmu_counters_stop(struct pmu_counters *counters);

/**
 * pmu_counters_read() - the counts so far, running or stopped
 * @counters: the set
 * @value: one element per event, in the order they were given; a missing one is left as it is
 * @n_values: elements of @value
 * @missing: bit i set: value[i] could not be read; may be NULL
 *
 * Return: the number of events; -EINVAL where @n_values is smaller.
 */
int pmu_counters_read(struct pmu_counters *counters, uint64_t *value, size_t n_values,
		      uint32_t *missing);

/** pmu_counters_reset() - back to zero.  Return: 0 or a negative errno. */
int pmu_counters_reset(struct pmu_counters *counters);

/** pmu_counters_close() - give everything back; NULL is allowed. */
void pmu_counters_close(struct pmu_counters *counters);

/**
 * pmu_last_error() - one sentence on the calling thread's last error
 *
 * Return: what was tried, on what, why it failed and what would help; "" before any error.
 * Valid until the thread's next call into the library.
 */
const char *pmu_last_error(void);

/**
 * pmu_strerror() - words for a code
 *
 * Return: text for what this library returned, positive or negative.
 */
const char *pmu_strerror(int code);

/** pmu_version() - which library is loaded.  Return: its PMU_VERSION, as one number: 0xMMmmpp. */
int pmu_version(void);

#else /* PMU_DISABLE: every call is nothing; arguments are not evaluated */

/* A statement expression, because as a statement of its own a plain value draws a warning. */
#if defined(__GNUC__)
#define PMU_NOTHING_(argument, value)   \
	__extension__({                 \
		(void)sizeof(argument); \
		value;                  \
	})
#else
#define PMU_NOTHING_(argument, value) ((void)sizeof(argument), value)
#endif
#define PMU_NO_DEVICE_ (-19) /* -ENODEV */

#define pmu_init(options)             PMU_NOTHING_(options, 0)
#define pmu_region_begin(name)        PMU_NOTHING_(name, 0)
#define pmu_region_begin_once(name)   PMU_NOTHING_(name, 0)
#define pmu_region_end(name)          PMU_NOTHING_(name, 0)
#define pmu_region_begin_n(name, len) PMU_NOTHING_(name, PMU_NOTHING_(len, 0))
#define pmu_region_end_n(name, len)   PMU_NOTHING_(name, PMU_NOTHING_(len, 0))
#define pmu_thread_attach()           PMU_NOTHING_(0, 0)
#define pmu_region_read(region, thread, counts) \
	PMU_NOTHING_(region, PMU_NOTHING_(thread, PMU_NOTHING_(counts, PMU_NO_DEVICE_)))
#define pmu_region_reset(name)        PMU_NOTHING_(name, 0)
#define pmu_region_is_open(name)      PMU_NOTHING_(name, 0)
#define pmu_context_get()             PMU_NOTHING_(0, (pmu_context_t)0)
#define pmu_context_enter(context)    PMU_NOTHING_(context, 0)
#define pmu_context_leave()           PMU_NOTHING_(0, 0)
#define pmu_group_next()              PMU_NOTHING_(0, 0)
#define pmu_count_name(slot)          PMU_NOTHING_(slot, (const char *)0)
#define pmu_report(path)              PMU_NOTHING_(path, 0)
#define pmu_report_text(format, text) PMU_NOTHING_(format, PMU_NOTHING_(text, PMU_NO_DEVICE_))
#define pmu_note(text)                PMU_NOTHING_(text, 0)
#define pmu_checkpoint(next)          PMU_NOTHING_(next, 0)
#define pmu_fini()                    PMU_NOTHING_(0, 0)
#define pmu_counters_open(events, scope, counters) \
	PMU_NOTHING_(events, PMU_NOTHING_(scope, PMU_NOTHING_(counters, PMU_NO_DEVICE_)))
#define pmu_counters_start(counters) PMU_NOTHING_(counters, PMU_NO_DEVICE_)
#define pmu_counters_stop(counters)  PMU_NOTHING_(counters, PMU_NO_DEVICE_)
#define pmu_counters_read(counters, value, n, missing) \
	PMU_NOTHING_(counters,                         \
		     PMU_NOTHING_(value, PMU_NOTHING_(n, PMU_NOTHING_(missing, PMU_NO_DEVICE_))))
#define pmu_counters_reset(counters) PMU_NOTHING_(counters, PMU_NO_DEVICE_)
#define pmu_counters_close(counters) PMU_NOTHING_(counters, (void)0)
#define pmu_last_error()             PMU_NOTHING_(0, "")
#define pmu_strerror(code)           PMU_NOTHING_(code, "")
#define pmu_version()                PMU_NOTHING_(0, PMU_VERSION)

#endif /* PMU_DISABLE */

/**
 * PMU_REGION() - a region that lasts to the end of the enclosing block
 * @name: a string that lives as long as the block
 *
 * However the block is left: by its end, return, break or goto, in C++ also by an exception.  Needs
 * the cleanup attribute (gcc, clang).
 */
#if defined(PMU_DISABLE)
#define PMU_REGION(name) ((void)sizeof(name))
#elif defined(__GNUC__)
/* with -finstrument-functions they would be regions themselves */
__attribute__((no_instrument_function)) static __inline__ const char *pmu_region_scope_begin_(
	const char *name)
{
	(void)pmu_region_begin(name);
	return name;
}
__attribute__((no_instrument_function)) static __inline__ void pmu_region_scope_end_(
	const char *const *name)
{
	(void)pmu_region_end(*name);
}
#define PMU_REGION_CAT2_(a, b) a##b
#define PMU_REGION_CAT_(a, b)  PMU_REGION_CAT2_(a, b)
#define PMU_REGION(name)                                                                           \
	__attribute__((cleanup(pmu_region_scope_end_), unused)) const char *const PMU_REGION_CAT_( \
		pmu_region_scope_, __LINE__) = pmu_region_scope_begin_(name)
#endif

#ifdef __cplusplus
}
#endif

#endif
