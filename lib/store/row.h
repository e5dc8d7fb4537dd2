/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store's format, version 1: what lies in the mapped file, byte for byte.
 *
 *   0      struct pmu_store_head, PMU_STORE_HEAD_SIZE bytes
 *   2048   struct pmu_store_control, of the head
 *   4096   chunks, one after another up to head.size; each starts with struct pmu_store_chunk and
 *          is a multiple of 64 bytes long
 *
 * Native byte order and offsets only, never a pointer.  The file is written by one process (many
 * threads) and may be read at any time, also after that process was killed between any two stores.
 * Everything is zero until written.  "release" marks the store that makes what is before it valid.
 */
#ifndef PMU_STORE_ROW_H
#define PMU_STORE_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/buckets.h"
#include "base/compiler.h"
#include "base/slots.h"
#include "machine/clock.h"
#include "store/published.h"

#define PMU_STORE_MAGIC       "PMUSTORE"
#define PMU_STORE_VERSION     1u
#define PMU_STORE_BYTE_ORDER  0x01020304u
#define PMU_STORE_HEAD_SIZE   4096u
#define PMU_STORE_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define PMU_STORE_ALIGN       64u

struct pmu_store_head {
	char magic[8];
	PMU_PUBLISHED(uint32_t) version;
	PMU_PUBLISHED(uint32_t) byte_order;
	PMU_PUBLISHED(uint32_t) head_size;
	PMU_PUBLISHED(uint32_t) clock_kind; /* enum pmu_clock_kind of every time in the file */
	PMU_PUBLISHED(uint64_t) size; /* bytes of the file in use, this head included; release */
	PMU_PUBLISHED(int32_t) pid;
	PMU_PUBLISHED(uint32_t)
	nth; /* number of the program in its process: 1, after an exec 2, ... */
	PMU_PUBLISHED(uint64_t)
	start_time; /* field 22 of /proc/PID/stat: tells a pid from its next owner */
	/* inode of /proc/self/ns/pid: another namespace's pids say nothing here */
	PMU_PUBLISHED(uint64_t) pid_ns;
	char boot_id[40];                      /* /proc/sys/kernel/random/boot_id */
	PMU_PUBLISHED(uint64_t) start_unix_ns; /* CLOCK_REALTIME at point[0] */
	struct pmu_clock_point point[2];       /* [1] is renewed at slow moments; seq guards it */
	PMU_PUBLISHED(uint32_t) point_seq;     /* odd while point[1] is being renewed */
	/* 1: the program ended cleanly, or its last report is being written; 2: its report is written */
	PMU_PUBLISHED(uint32_t) ended;
	PMU_PUBLISHED(uint32_t)
	next; /* enum pmu_next: what the last checkpoint knew of what comes */
	/* 1: it has executed a program as another user, who may not keep results where it does */
	PMU_PUBLISHED(uint32_t) other_user;
};

/* The program could not remove it: the next process to list stores does. */
#define PMU_STORE_REPORTED 2u

/** What is asked for of a process that is measured: struct pmu_store_control.wanted; others are PMU_WANTED_ON. */
#define PMU_WANTED_ON  0u
#define PMU_WANTED_OFF 1u

/** What its epoch is then: no thread's, so that the next call of each leaves the fast path and looks. */
#define PMU_EPOCH_ASK 0x7ffffff9

enum pmu_control_state {
	PMU_CONTROL_NONE = 0, /* it cannot be switched */
	PMU_CONTROL_ON = 1,
	PMU_CONTROL_STOPPING = 2, /* a thread that was in a region has made no call since */
	PMU_CONTROL_OFF = 3,
};

/**
 * Where measuring is switched on and off from outside.  The only place of a store that others than its process
 * write to: @wanted, behind it @epoch (PMU_EPOCH_ASK).  The process takes any value there.
 */
struct pmu_store_control {
	/*
	 * What every begin and end compares (session/thread.h): the process sees this page where its own pmu_epoch
	 * lies.  Nothing that changes is in the same line.
	 */
	int32_t epoch;
	uint32_t apart[15];
	uint32_t wanted;
	PMU_PUBLISHED(uint32_t) state; /* enum pmu_control_state; release */
	PMU_PUBLISHED(uint32_t) n_off; /* how often it was switched off, or began so */
	PMU_PUBLISHED(uint32_t)
	n_cut; /* calls that were open then: they have what was until then */
	PMU_PUBLISHED(uint64_t) off_ticks; /* in which it was off and is on again */
	PMU_PUBLISHED(uint64_t) off_since; /* ticks; 0: it is on */
};
#define PMU_STORE_CONTROL 2048u
_Static_assert(sizeof(struct pmu_store_head) <= PMU_STORE_CONTROL &&
		       PMU_STORE_CONTROL + sizeof(struct pmu_store_control) <= PMU_STORE_HEAD_SIZE,
	       "both are in the first page");

/** pmu_store_control() - of a store's head, with the whole page of which it starts */
static inline struct pmu_store_control *pmu_store_control(const struct pmu_store_head *head)
{
	return (struct pmu_store_control *)((uintptr_t)head + PMU_STORE_CONTROL);
}

enum pmu_store_kind {
	PMU_CHUNK_FREE = 0,       /* not in use (any more) */
	PMU_CHUNK_META = 1,       /* struct pmu_store_meta records */
	PMU_CHUNK_NAMES = 2,      /* struct pmu_store_name records */
	PMU_CHUNK_GROUP = 3,      /* one struct pmu_store_group */
	PMU_CHUNK_THREAD = 4,     /* one struct pmu_store_thread, then rows */
	PMU_CHUNK_ROWS = 5,       /* more rows of the thread with the serial in owner */
	PMU_CHUNK_HISTOGRAMS = 6, /* struct pmu_store_histogram of that thread's rows */
	PMU_CHUNK_LEASTS = 7,     /* struct pmu_store_least of that thread's rows */
	PMU_CHUNK_TURNS = 8,      /* struct pmu_store_turns of that thread's rows */
	PMU_CHUNK_TRACE = 9,      /* one struct pmu_store_trace, then its records */
	PMU_CHUNK_WAITS = 10,     /* struct pmu_store_waits of that thread's rows */
};

struct pmu_store_chunk {
	PMU_PUBLISHED(uint32_t) magic;
	PMU_PUBLISHED(uint32_t) kind; /* enum pmu_store_kind; release */
	PMU_PUBLISHED(uint32_t) size; /* with this header; multiple of PMU_STORE_ALIGN */
	PMU_PUBLISHED(uint32_t)
	used; /* META, NAMES: bytes of records; else their number; release */
	/* from THREAD on: serial of the thread record, unique in the file; TRACE: 0 for no thread */
	PMU_PUBLISHED(uint32_t) owner;
	PMU_PUBLISHED(uint32_t) group; /* from GROUP on: index of the group */
	PMU_PUBLISHED(uint32_t)
	first; /* THREAD, ROWS: id of the chunk's first row; ids start at 1 */
	uint32_t reserved;
	uint64_t reserved2[4];
};
_Static_assert(sizeof(struct pmu_store_chunk) == 64, "chunk headers keep rows on cache lines");

/** One piece of text about the session; records follow each other on multiples of 8 bytes. */
struct pmu_store_meta {
	PMU_PUBLISHED(uint16_t) key; /* enum pmu_meta_key; unknown ones are skipped */
	PMU_PUBLISHED(uint16_t) len; /* bytes of text, without terminator */
	char text[];
};

enum pmu_meta_key {
	PMU_META_PROGRAM = 1, /* file name of the executable */
	PMU_META_COMMAND = 2, /* command line, blanks between the words */
	PMU_META_HOST = 3,
	PMU_META_MACHINE = 4,
	PMU_META_CPU = 5,
	PMU_META_SOURCE = 6,
	PMU_META_SOURCE_DETAIL = 7,
	PMU_META_PINNING = 8, /* the last record counts */
	PMU_META_VERSION = 9,
	PMU_META_NOTE = 10,    /* any number */
	PMU_META_REFUSAL = 11, /* any number: source, why, mend separated by tabs */
	PMU_META_METRIC = 12,  /* any number: group index, name, unit, formula separated by tabs */
	PMU_META_OUTPUT = 13,  /* where the report was to go; for recovery */
	PMU_META_RANK = 14,    /* MPI rank, decimal */
	PMU_META_RANKS = 15,   /* how many of them there are */
	PMU_META_FORKED = 16,  /* pid of the parent, if its open regions went on here, decimal */
	PMU_META_TURNS = 17,   /* any number: index of a group that takes turns with others */
};

/** One region name, stored once; records follow each other on multiples of 8 bytes. */
struct pmu_store_name {
	PMU_PUBLISHED(uint32_t) id; /* 1, 2, 3, ... in file order */
	PMU_PUBLISHED(uint32_t) len;
	char text[];
};

struct pmu_store_slot {
	char name[64]; /* label of the column */
	char unit[16];
};

/** A group of events and the layout of the rows that hold it. */
struct pmu_store_group {
	char name[32];
	PMU_PUBLISHED(uint32_t) n_slots;
	PMU_PUBLISHED(uint32_t) row_size;    /* multiple of PMU_STORE_ALIGN */
	PMU_PUBLISHED(uint32_t) bank_offset; /* of bank 0 in a row */
	PMU_PUBLISHED(uint32_t) bank_size;   /* bank 1 follows bank 0 */
	uint32_t absent;     /* slots that the source does not count: missing everywhere */
	uint32_t read_ticks; /* what one read of the counters takes; 0: not measured */
	struct pmu_store_slot slot[];
};

enum pmu_store_thread_state {
	PMU_THREAD_FREE = 0,
	PMU_THREAD_LIVE = 1,
	PMU_THREAD_FINISHED = 2,
	PMU_THREAD_MERGED = 3, /* the set that finished threads beyond the limit are added to */
};

/** What went wrong without belonging to one region; see pmu_store_doubt(). */
enum pmu_thread_doubt {
	/* a signal handler's call that interrupted the library was not counted */
	PMU_DOUBT_INTERRUPTED,
	PMU_DOUBT_BAD_NAME, /* NULL, empty or too long */
	PMU_DOUBT_LIMIT,    /* a region beyond the limit could not be kept at all */
	PMU_DOUBT_NO_MEMORY,
	/* the process was forked while this thread was inside the library */
	PMU_DOUBT_FORKED_INSIDE,
	/* descriptors were closed by the program: nothing was counted from then on */
	PMU_DOUBT_SOURCE_LOST,
	PMU_DOUBT_MOVED, /* pinned, and found on another processor at its end */
	/* the counters were given to something else: nothing was counted from then on */
	PMU_DOUBT_SOURCE_TAKEN,
	/* a context was entered after its region had ended: no team has what was done there */
	PMU_DOUBT_STALE_CONTEXT,
	/* a context of another group's region was entered: no team has what was done there */
	PMU_DOUBT_OTHER_GROUP,
	PMU_DOUBT_COUNT,
};
#define PMU_DOUBTS_FIRST 8u

enum pmu_store_thread_flags {
	PMU_THREAD_USER_READ = 1, /* counts were read in user space */
	PMU_THREAD_FLAT = 2,      /* reached the limit of regions */
	PMU_THREAD_FORKED = 4,    /* goes on from a thread of the parent process */
	/*
	 * Not a thread but a socket: its rows hold what it counted while any thread was in the
	 * region there; calls are how often that came about.
	 */
	PMU_THREAD_SOCKET = 8,
	/*
	 * hybrid: kinds of core on which it was counted; neither: not known, or all cores are alike
	 */
	PMU_THREAD_CORE_P = 16,
	PMU_THREAD_CORE_E = 32,
	/* reading counters in user space was forbidden: nothing was counted from then on */
	PMU_THREAD_REFUSED = 64,
	PMU_THREAD_SETTLED = 128, /* slept when the program ended: what it was in was over */
	/*
	 * SOCKET: it is no socket but the process, all threads of it; of a thread: @sockets are the
	 * slots that are counted so
	 */
	PMU_THREAD_PROCESS = 256,
	/* it noticed when it was off its processor: a row without struct pmu_store_waits has not waited */
	PMU_THREAD_WAITS = 512,
	PMU_THREAD_QUEUES = 1024, /* and what part of that it waited for a processor */
	/* its rows are as long as it is: what it was on a processor is what each of them was */
	PMU_THREAD_WHOLE = 2048,
	/* it was to be sampled and could not be: it does not say in which regions it is */
	PMU_THREAD_UNSAMPLED = 4096,
};

/** Numbers of records of sockets start here, clear of those of threads. */
#define PMU_STORE_FIRST_SOCKET 0x40000000u
/** The socket of threads that were found on none that is counted. */
#define PMU_STORE_NO_SOCKET 0xffffu

struct pmu_store_thread {
	PMU_PUBLISHED(uint32_t) number; /* in order of arrival, from 0; the same in every group */
	PMU_PUBLISHED(uint32_t) state;  /* enum pmu_store_thread_state; release */
	int32_t tid;
	int32_t cpu;   /* OS number it is pinned to, -1 */
	char name[16]; /* comm, NUL-padded */
	uint64_t start_ticks;
	uint64_t stop_ticks; /* 0 while live */
	/*
	 * MERGED: serial of the thread that was added last << 32 | sequence; the sequence's low bit
	 * names the valid bank of every row of the set.  A record with that serial is already in
	 * it.  release
	 */
	PMU_PUBLISHED(uint64_t) merged;
	PMU_PUBLISHED(uint32_t) n_merged;
	uint32_t flags;                   /* enum pmu_store_thread_flags */
	uint32_t doubt[PMU_DOUBTS_FIRST]; /* by enum pmu_thread_doubt; more of them: below */
	uint32_t missing;                 /* slots that this thread cannot count */
	/* slots that are counted for whole sockets: missing here for that reason alone */
	uint32_t sockets;
	int64_t minor_faults; /* while it was attached; -1 unknown, like the next three */
	int64_t major_faults;
	int64_t voluntary_switches;
	int64_t involuntary_switches;
	/* What an empty region costs: ticks, then one per slot; all 0: not measured. */
	uint32_t inner_ticks;
	uint32_t inner[PMU_MAX_SLOTS];
	uint32_t read_ticks; /* SOCKET: what one read of its counters takes; 0: not measured */
	uint64_t last_end;   /* ticks at the end of its last region, 0 before one */
	/* on a processor while it was attached; 0 not known, -1 not of all of a set */
	int64_t cpu_ns;
	PMU_PUBLISHED(uint32_t)
	outer_shift;            /* outer[0] of its rows is in units of 1 << outer_shift ticks */
	uint32_t doubt_more[4]; /* from PMU_DOUBTS_FIRST on */
	char reserved2[256 - 244];
};

/** More is taken for damage. */
#define PMU_STORE_MAX_SHIFT 16u
/**
 * Where a simulation takes milliseconds for a pair: outer[0] then reaches up to 7 of them at 2.4
 * GHz.
 */
#define PMU_STORE_SLOW_SHIFT 8u

_Static_assert(sizeof(struct pmu_store_thread) == 256, "a thread record is four cache lines");
_Static_assert(PMU_DOUBT_COUNT <= PMU_DOUBTS_FIRST + 4, "doubts fit their arrays");

/** pmu_store_doubt() - how often it was doubted */
#define pmu_store_doubt(thread, which)                        \
	((which) < PMU_DOUBTS_FIRST ? &(thread)->doubt[which] \
				    : &(thread)->doubt_more[(which)-PMU_DOUBTS_FIRST])

enum pmu_store_row_flags {
	PMU_STORE_ROW_OVERLAP = 1,
	PMU_STORE_ROW_RECURSIVE = 2,
	PMU_STORE_ROW_FLAT = 4,
	/* re-entered from inside another region: what that one did counts in both */
	PMU_STORE_ROW_MUTUAL = 8,
	/* open, and its totals have what the open call has done up to a checkpoint */
	PMU_STORE_ROW_PARTIAL = 32,
	/* SOCKET: two regions nested in it were occupied at once: each has what both did */
	PMU_STORE_ROW_CROWDED = 16,
	/* a region nested in it was reset: its calls before that are still in these counts */
	PMU_STORE_ROW_MIXED = 64,
	/* it was reset: calls of regions nested in it may be from before */
	PMU_STORE_ROW_AFRESH = 256,
	/* was open when the process was forked: the parent began its first call */
	PMU_STORE_ROW_INHERITED = 128,
	/*
	 * A region that another thread had open, for which this one worked: by way of a context
	 * (pmu_context_enter()).  Its totals are what the thread did there, calls how often it came;
	 * regions it was in meanwhile, around, have none of that.  Its parent, of the same kind, is
	 * the region around it there, and has none of it either.  Rows without the flag below it are
	 * regions that this thread began in it, and in its totals as usual.  Without calls it only
	 * stands on the way to one.  A thread may have a row of the same name and parent without the
	 * flag.
	 */
	PMU_STORE_ROW_TEAM = 512,
	/* TEAM: at least once the thread was still there when the region had ended */
	PMU_STORE_ROW_OUTLIVED = 1024,
	/* open, and the region it was begun in has ended, with what a whole pair of it adds */
	PMU_STORE_ROW_DETACHED = 2048,
};
#define PMU_STORE_ROW_KNOWN 4095
/** What tells rows of one name and parent apart. */
#define PMU_STORE_ROW_KINDS PMU_STORE_ROW_TEAM

/** One region on one path of one thread; two banks follow at group.bank_offset. */
struct pmu_store_row {
	PMU_PUBLISHED(uint32_t)
	seq; /* number of publications; the low bit names the valid bank; release */
	PMU_PUBLISHED(uint32_t) name;   /* id of its name */
	PMU_PUBLISHED(uint32_t) parent; /* id of the row around it, smaller than its own; 0: none */
	PMU_PUBLISHED(uint16_t) flags;  /* enum pmu_store_row_flags */
	uint16_t missing;               /* slots that were unreadable in at least one call */
	PMU_PUBLISHED(uint32_t) open;   /* begins that have not ended */
	uint32_t unended;               /* begins that never ended and were given up */
	uint32_t unbegun;               /* ends without a begin */
	uint16_t moved; /* calls that changed CPU where that matters; stays at 65535 */
	/*
	 * What a begin/end pair of this region adds to the region around it: ticks, in units that
	 * its thread's record has, then one per slot.  One that does not fit is UINT16_MAX: at
	 * least as much.
	 */
	uint16_t outer[];
};
#define PMU_ROW_HEAD_SIZE 30u /* where outer[] starts */
_Static_assert(offsetof(struct pmu_store_row, outer) == PMU_ROW_HEAD_SIZE, "no hole before outer");

/** Totals of a row. */
struct pmu_store_bank {
	uint64_t calls;
	uint64_t ticks;   /* inclusive */
	uint64_t min;     /* 1 + ticks of the shortest single outermost call; 0: none has ended */
	uint64_t max;     /* ticks of the longest */
	double square;    /* sum of squared ticks of outermost calls */
	uint64_t count[]; /* [n_slots] */
};

/**
 * How records start that stand beside rows: in chunks of their own, and only where that was asked
 * for.
 */
struct pmu_store_side {
	PMU_PUBLISHED(uint32_t) row;  /* id of its row */
	PMU_PUBLISHED(uint32_t) bank; /* of a MERGED record: the bank that it goes with; else 0 */
	/* odd while it is being emptied: until then it has nothing to say; release */
	PMU_PUBLISHED(uint32_t) seq;
	uint32_t reserved;
};

/*
 * Lengths of a row's calls, as long as each was from its outermost begin to its end, in buckets an
 * eighth of their first number wide.  A length beyond the last bucket (20 days at 2.6 GHz) is in
 * it.
 */
#define PMU_HISTOGRAM_BITS    3u
#define PMU_HISTOGRAM_BUCKETS PMU_BUCKETS(PMU_HISTOGRAM_BITS, 52u)

/**
 * How many of a row's calls took how long.
 *
 * Each bucket is written by the row's thread alone and read at any time, each for itself: a reader
 * may find a call there that is not in the row's totals yet, and the other way round.
 */
struct pmu_store_histogram {
	struct pmu_store_side side;
	uint64_t bucket[PMU_HISTOGRAM_BUCKETS]; /* calls, by pmu_bucket_of(their ticks) */
};
_Static_assert(sizeof(struct pmu_store_histogram) == 16 + 8 * 400, "a histogram is 3.2 kB");

/**
 * The least that any of a row's calls counted, each count for itself: of a call that has ended,
 * outermost where the region is entered again, and without the library's own work.  Written and
 * read as a histogram is.
 */
struct pmu_store_least {
	struct pmu_store_side side;
	uint64_t count[PMU_MAX_SLOTS]; /* 1 + the least; 0: no call that it is known of */
};

/** Sums over the turns that a row's group has had: of doubles, by which index. */
enum pmu_turns_sum {
	PMU_TURNS_N,            /* turns in which there were calls */
	PMU_TURNS_CALLS,        /* calls of each */
	PMU_TURNS_CALLS_SQUARE, /* calls^2 of each */
	PMU_TURNS_COUNTS,       /* from here on for each slot: */
};
/** What all calls of a turn have counted, c, as read: c, c^2, c * calls. */
enum pmu_turns_count { PMU_TURNS_SUM, PMU_TURNS_SQUARE, PMU_TURNS_PRODUCT, PMU_TURNS_PER_SLOT };
#define PMU_TURNS_VALUES (PMU_TURNS_COUNTS + PMU_TURNS_PER_SLOT * PMU_MAX_SLOTS)

/**
 * How different a row's turns were, where groups take turns: what an estimate of all calls is worth.
 * Doubles, written by the row's thread as its turn ends; @side.seq is odd meanwhile.
 */
struct pmu_store_turns {
	struct pmu_store_side side;
	double sum[PMU_TURNS_VALUES];
};

/**
 * How long a row's thread was off its processor while the row's region was open, all in ns.  Only of
 * rows that have waited.  Each number is written by the thread alone and read at any time, for itself:
 * a call that is still open is in it already.
 */
struct pmu_store_waits {
	struct pmu_store_side side;
	uint64_t off;
	uint64_t queued; /* of it, waiting for a processor */
};
#define PMU_WAITS_VALUES 2u

/**
 * A thread's calls, one by one: a ring of records of one size, with a place more than it keeps.
 *
 * The thread fills the next place and then counts @n up (release): so the records of calls @n -
 * (n_places - 1) to @n - 1 are whole at every moment, that of call i in place i % n_places.  With
 * @first it keeps the first n_places - 1 instead, and those after them all go to the last place,
 * which readers skip.
 */
struct pmu_store_trace {
	PMU_PUBLISHED(uint32_t) record_size; /* sizeof(struct pmu_trace_record) + 8 * n_counts */
	PMU_PUBLISHED(uint32_t) n_counts;    /* room for the slots of any group */
	PMU_PUBLISHED(uint32_t) n_places;
	PMU_PUBLISHED(uint32_t) first;     /* 1: the first calls are kept, 0: the newest */
	PMU_PUBLISHED(uint64_t) min_ticks; /* shorter calls have no record */
	PMU_PUBLISHED(uint64_t) n;         /* calls with a record so far; release */
	/* records of threads that had the ring before; their rows are in the merged set */
	PMU_PUBLISHED(uint64_t) dropped;
	/* of a copy: calls that came while it was made; they may be in the oldest places */
	uint64_t overrun;
	PMU_PUBLISHED(uint64_t) n_waits; /* of the @n, that are no calls */
	uint64_t reserved;
};
_Static_assert(sizeof(struct pmu_store_trace) == 64, "records start at a cache line");

/** One call that has ended. */
struct pmu_trace_record {
	/* @begin is later than the call's own by what it stood still; as of totals, never end < begin */
	uint64_t begin, end; /* ticks */
	/*
	 * id of its row, with enum pmu_trace_flags; in the high half the serial of the thread's record
	 * in the group that counted it
	 */
	uint64_t who;
	uint64_t count[]; /* as read; [n_slots] of that group */
};

enum pmu_trace_flags {
	/* inside another call of the same region: it counts as a call, without time and counts */
	PMU_TRACE_AGAIN = 1u << 31,
	/* no call: what one had done when a checkpoint came; the rest is in a later record */
	PMU_TRACE_PART = 1u << 30,
	/*
	 * no call: what the thread had waited, blocked or for a processor, when it found out at
	 * @begin, with the row's region the innermost one that was open; @end: ns; without counts
	 */
	PMU_TRACE_BLOCKED = 1u << 29,
	PMU_TRACE_RUNNABLE = 1u << 28,
};
#define PMU_TRACE_WAITED   (PMU_TRACE_BLOCKED | PMU_TRACE_RUNNABLE)
#define PMU_TRACE_ROW_MASK (PMU_TRACE_RUNNABLE - 1)

#ifdef PMU_STORE_READER
/** pmu_trace_at() - the record in a place */
static inline struct pmu_trace_record *pmu_trace_at(struct pmu_store_trace *trace, uint64_t place)
{
	return (void *)((char *)(trace + 1) + place * trace->record_size);
}
#endif

/** Kinds of records beside rows. */
enum pmu_side { PMU_SIDE_HISTOGRAM, PMU_SIDE_LEAST, PMU_SIDE_TURNS, PMU_SIDE_WAITS, PMU_SIDES };

/** pmu_side_values() - how many numbers follow the record's head */
static inline uint32_t pmu_side_values(enum pmu_side which)
{
	static const uint32_t values[PMU_SIDES] = {
		[PMU_SIDE_HISTOGRAM] = PMU_HISTOGRAM_BUCKETS,
		[PMU_SIDE_LEAST] = PMU_MAX_SLOTS,
		[PMU_SIDE_TURNS] = PMU_TURNS_VALUES,
		[PMU_SIDE_WAITS] = PMU_WAITS_VALUES,
	};

	return values[which];
}

static inline uint32_t pmu_side_size(enum pmu_side which)
{
	return (uint32_t)sizeof(struct pmu_store_side) + 8 * pmu_side_values(which);
}

/** pmu_side_chunk() - the kind of chunk that they are in */
static inline uint32_t pmu_side_chunk(enum pmu_side which)
{
	static const uint32_t kinds[PMU_SIDES] = {
		[PMU_SIDE_HISTOGRAM] = PMU_CHUNK_HISTOGRAMS,
		[PMU_SIDE_LEAST] = PMU_CHUNK_LEASTS,
		[PMU_SIDE_TURNS] = PMU_CHUNK_TURNS,
		[PMU_SIDE_WAITS] = PMU_CHUNK_WAITS,
	};

	return kinds[which];
}

/** pmu_side_of_chunk() - which of them are in a chunk of that kind; PMU_SIDES: none */
static inline enum pmu_side pmu_side_of_chunk(uint32_t kind)
{
	uint32_t which = 0;

	while (which < PMU_SIDES && pmu_side_chunk((enum pmu_side)which) != kind)
		which++;
	return (enum pmu_side)which;
}

/** pmu_side_value() - its numbers: buckets, or counts */
static inline uint64_t *pmu_side_value(struct pmu_store_side *side)
{
	return (uint64_t *)(void *)(side + 1);
}

/*
 * With 8 slots: 48 bytes of head, two banks of 104: 256 bytes.  The head grows with the slots.
 */
static inline uint32_t pmu_row_bank_offset(uint32_t n_slots)
{
	return PMU_ALIGN_UP(PMU_ROW_HEAD_SIZE + 2 * (1 + n_slots), 8);
}

static inline uint32_t pmu_row_bank_size(uint32_t n_slots)
{
	return (uint32_t)(sizeof(struct pmu_store_bank) + 8 * (size_t)n_slots);
}

static inline uint32_t pmu_row_size(uint32_t n_slots)
{
	return PMU_ALIGN_UP(pmu_row_bank_offset(n_slots) + 2 * pmu_row_bank_size(n_slots),
			    PMU_STORE_ALIGN);
}

#endif
