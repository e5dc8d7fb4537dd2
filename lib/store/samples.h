/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of where a thread is in its code, and how they come to belong to regions.
 *
 * Each thread has a sampling event of the kernel's, with a ring of the kernel's (perf_event_open(2)): the
 * kernel alone writes it, over what is oldest, whether it is read or not.  At a boundary of a region the
 * thread compares the ring's head with what it was at the last one.  Where it has moved, it leaves a mark:
 * what lies between the two heads was taken in the region that was open.  Who collects gets both from the
 * thread as it begins, by the socket in the folder where stores lie, and so has them whatever becomes of
 * the thread.
 */
#ifndef PMU_STORE_SAMPLES_H
#define PMU_STORE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "plan/sample.h"

/** The socket's name in the folder; SOCK_SEQPACKET of unix(7). */
#define PMU_SAMPLES_SOCKET "samples"

#define PMU_SAMPLES_VERSION 3
#define PMU_SAMPLES_STORE   128
#define PMU_SAMPLES_PASSED  2

/**
 * CPU time from which on a thread is attached late, at a boundary, and may be sampled from outside: later, so that it
 * is attached at the first boundary at which it could be.
 */
#define PMU_SAMPLES_LATE_NS    50000000u
#define PMU_SAMPLES_OUTSIDE_NS 60000000u

/**
 * Each time that a thread is switched off and on its event's timer is stopped and started, which takes some 2 us of a
 * virtual machine's time: where nobody has asked for samples, of threads that are switched more often than that, a
 * second of CPU time, none are taken.  pmu_samples_switches_often() is for the two who look.
 */
#define PMU_SAMPLES_SWITCHES 1000u

static inline bool pmu_samples_switches_often(uint64_t switches, uint64_t ran_ns)
{
	return switches >
	       PMU_SAMPLES_SWITCHES / 10 + PMU_SAMPLES_SWITCHES * (ran_ns / 1000000u) / 1000u;
}

/** What a thread sends once, with two descriptors (SCM_RIGHTS): the event's, that of its marks' memory. */
struct pmu_samples_hello {
	uint32_t version;
	uint32_t ring_size; /* bytes of the ring, without the page before it */
	uint32_t n_places;  /* of marks, a power of 2 */
	uint32_t tid;       /* as the process sees it */
	struct pmu_sample_unit unit;
	uint64_t
		resting; /* what stands for the ring's head in its page; see struct pmu_samples_marks */
	/*
	 * Whose is what was sampled of the thread from outside, since it was off its processor; as in struct
	 * pmu_samples_mark.  For so long it was in no other region: what is from then is the same one's.
	 */
	uint64_t before, alone_ns;
	char store[PMU_SAMPLES_STORE]; /* file name of the process's store */
};

/** What comes back, when what is mapped in the process is known: a byte. */
#define PMU_SAMPLES_TAKEN 1

/**
 * What was written into the ring between the mark before and @head belongs to @who: the serial number of the
 * thread's record in the store in the high half, its row in the low one, as in struct pmu_trace_record; 0: to no
 * region.
 */
struct pmu_samples_mark {
	uint64_t head;
	uint64_t who;
};

/**
 * Memory that the thread writes and who collects reads, at the beginning of its descriptor's.  A mark goes to
 * place @n of them, counted round; then @n is released.  One that is read is valid if @n has not come
 * round to it meanwhile.
 *
 * The thread learns from the ring's page that something was added: it leaves @resting where the kernel stores
 * the head.  So where that is found there, the head is @head here, or what was found before if that is more.
 */
struct pmu_samples_marks {
	uint64_t n;
	uint64_t head; /* up to which the thread has looked; released behind its mark */
	uint64_t end;  /* nothing more comes; released */
	uint64_t reserved;
	struct pmu_samples_mark mark[];
};

/**
 * pmu_samples_address() - of the socket in @folder
 * @folder_fd: the folder, open: a longer path than an address has room for (unix(7)) goes through it, and is good as
 *	long as it is open
 */
void pmu_samples_address(struct sockaddr_un *address, const char *folder, int folder_fd);

struct perf_event_attr;
/**
 * pmu_samples_fill() - an event that takes samples, of time as that runs while a thread is on a processor; with what is
 * mapped and what program it is (bindings/command/sample/record.h reads what it writes)
 */
void pmu_samples_fill(struct perf_event_attr *attr, const struct pmu_sample_event *event);

/** Frames of a sample that has its callers, with the one that it was taken in. */
#define PMU_SAMPLES_FRAMES 64u

/** pmu_samples_fill_callers() - each sample also has where its function was called from, by frame pointers */
void pmu_samples_fill_callers(struct perf_event_attr *attr);

/**
 * pmu_samples_less_precise() - the event was refused: is it worth another try, which is less precise?
 * @event: it is that then
 * @error: errno
 */
bool pmu_samples_less_precise(struct pmu_sample_event *event, int error);

/**
 * pmu_samples_open() - a thread's event
 * @tid: 0: the calling one
 * @event: as precise as it is taken by the kernel afterwards, and so tried at once the next time
 * @callers: each with its callers
 * Return: a descriptor, or -1 with errno.
 */
int pmu_samples_open(int32_t tid, struct pmu_sample_event *event, bool callers);

/**
 * pmu_samples_pages() - that the ring of the @number'th thread gets, a power of 2; see perf_event_open(2)
 * @late: it is sampled at a low rate, and its user may want to sample something else
 */
unsigned int pmu_samples_pages(uint32_t number, bool late);

#endif
