/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's samples: its event, its marks, and who collects both. */
#include "session/samples.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/time.h"
#include "counters/valgrind/request.h"
#include "machine/switches.h"
#include "session/sample_event.h"
#include "session/samples_hand.h"
#include "session/session.h"
#include "store/place.h"
#include "store/samples.h"

/* 0.4 s at 10,000 samples a second. */
#define N_PLACES   4096u
#define MARKS_SIZE (sizeof(struct pmu_samples_marks) + N_PLACES * sizeof(struct pmu_samples_mark))

/* As often is it looked whether a thread that was attached late is switched too often by now. */
#define MANY_OFF 1024u

#ifndef MFD_ALLOW_SEALING
#define MFD_ALLOW_SEALING 2U
#endif

/* What a process is not sampled for; once that has been found, it is not tried again. */
enum refusal {
	NOT_REFUSED,
	OF_PROCESS,
	OF_REGISTERS,
	NO_COLLECTOR,
	NO_EVENT,
	NO_RING,
	NO_MEMORY,
	NO_ANSWER,
};

static const char *const sentences[] = {
	[NOT_REFUSED] = "",
	[OF_PROCESS] =
		"no samples were taken: with PMU_COUNT=process what a look takes would be in its counts, at "
		"any time",
	[OF_REGISTERS] = PMU_SAMPLE_REGISTERS,
	[NO_COLLECTOR] =
		"no samples were taken: PMU_SAMPLE is for programs that 'pmu run' starts, which "
		"collects them",
	[NO_EVENT] =
		"no samples were taken: perf_event_open(2) is refused here; kernel.perf_event_paranoid=2 "
		"allows it, and in a container a seccomp profile that has it",
	[NO_RING] = "some threads were not sampled: there is no memory for their rings; a larger "
		    "kernel.perf_event_mlock_kb allows it",
	[NO_MEMORY] = "some threads were not sampled: there was no memory for it",
	[NO_ANSWER] = "no samples were taken: 'pmu run' did not take them",
};

static enum refusal refused;
static char event_why[PMU_SAMPLE_WHY_MAX]; /* NO_EVENT, of an event */

const char *pmu_samples_why(const struct pmu_thread *self)
{
	if (self->samples.head || pmu_session.config.sample_late)
		return "";
	return refused == NO_EVENT && event_why[0] ? event_why : sentences[refused];
}

/* --- the ring --- */

/*
 * Whoever maps a ring first says whether the kernel waits for its reader: of one that may only be read it
 * writes over what is oldest.  The thread stores into the page all the same.
 */
static bool map_event(struct pmu_samples *samples, int fd, size_t page, size_t n)
{
	size_t size = (1 + n) * page;
	void *first = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), *at;

	if (first == MAP_FAILED)
		return false;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	munmap(first, size);
	if (at == MAP_FAILED)
		return false;
	samples->page = at;
	samples->ring = (const char *)at + page;
	samples->ring_size = size - page;
	return true;
}

static bool make_ring(struct pmu_samples *samples, int fd, uint32_t number)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t n = pmu_samples_pages(number, pmu_session.config.sample_late); n; n /= 2)
		if (map_event(samples, fd, page, n))
			return true;
	return false;
}

/* --- the marks --- */

/* Who collects must not find a shorter one than it was told. */
static int make_marks(struct pmu_samples *samples)
{
	int fd = memfd_create("pmu-samples", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *at = MAP_FAILED;

	if (fd < 0)
		return fd;
	if (!ftruncate(fd, (off_t)MARKS_SIZE) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		at = mmap(NULL, MARKS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		close(fd);
		return -1;
	}
	/* a forked child that goes on where a mark was being made must not add to the parent's */
	madvise(at, MARKS_SIZE, MADV_DONTFORK);
	samples->marks = at;
	return fd;
}

static const char *own_store(void)
{
	const char *slash = strrchr(pmu_session.table.path, '/');

	return slash ? slash + 1 : "";
}

static uint64_t who_of(const struct pmu_thread *thread, uint32_t row)
{
	return row ? (uint64_t)thread->rows.serial << 32 | row : 0;
}

static bool hand_to_collector(struct pmu_thread *self, const char *folder, int event_fd,
			      int marks_fd)
{
	const int passed[PMU_SAMPLES_PASSED] = { event_fd, marks_fd };
	struct pmu_samples_hello hello = {
		.version = PMU_SAMPLES_VERSION,
		.ring_size = (uint32_t)self->samples.ring_size,
		.n_places = N_PLACES,
		.tid = (uint32_t)self->tid,
		.unit = pmu_session.config.sample.unit,
		.resting = (uintptr_t)&self->mark,
		.before = self->samples.before,
		.alone_ns = self->samples.alone_ns,
	};

	snprintf(hello.store, sizeof(hello.store), "%s", own_store());
	return pmu_samples_hand(folder, &hello, passed);
}

/* --- a thread's life --- */

void pmu_samples_hold_signals(sigset_t *before)
{
	if (pmu_session.config.sample.unit.period)
		pmu_signals_hold(before);
}

void pmu_samples_release_signals(const sigset_t *before)
{
	if (pmu_session.config.sample.unit.period)
		pmu_signals_release(before);
}

static size_t mapped_size(const struct pmu_samples *samples)
{
	return (size_t)(samples->ring - (const char *)samples->page) + samples->ring_size;
}

static void unmap(struct pmu_samples *samples)
{
	if (samples->page)
		munmap(samples->page, mapped_size(samples));
	if (samples->marks)
		munmap(samples->marks, MARKS_SIZE);
	samples->page = NULL;
	samples->marks = NULL;
	samples->head = NULL;
}

static enum refusal sample_by(struct pmu_thread *self, const char *folder, int event_fd)
{
	struct pmu_samples *samples = &self->samples;
	bool taken;
	int fd;

	if (!make_ring(samples, event_fd, self->number))
		return NO_RING;
	fd = make_marks(samples);
	if (fd < 0)
		return NO_MEMORY;
	taken = hand_to_collector(self, folder, event_fd, fd);
	close(fd);
	return taken ? NOT_REFUSED : NO_ANSWER;
}

static bool is_counter_taken(void)
{
	bool is_taken = false;

	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		is_taken |= pmu_session.group[i].backend->exclusive;
	return is_taken && pmu_session.config.sample.slot.kind == PMU_SLOT_CORE &&
	       !pmu_sample_is_time(&pmu_session.config.sample.unit);
}

static int open_sample_event(void)
{
	struct pmu_sample_event *event = &pmu_session.config.sample;

	return pmu_sample_is_time(&event->unit)
		       ? pmu_samples_open(0, event, pmu_session.config.callers)
		       : pmu_sample_event_open(0, event, pmu_session.config.callers, event_why);
}

static enum refusal begin_samples(struct pmu_thread *self)
{
	const char *folder = pmu_store_kept();
	enum refusal refusal;
	int fd;

	if (pmu_session.config.count == PMU_COUNT_PROCESS)
		return OF_PROCESS;
	if (is_counter_taken())
		return OF_REGISTERS;
	if (!folder || !pmu_session.table.path[0])
		return NO_COLLECTOR;
	fd = open_sample_event();
	if (fd < 0)
		return NO_EVENT;
	refusal = sample_by(self, folder, fd);
	close(fd); /* what is mapped keeps the event */
	if (refusal)
		unmap(&self->samples);
	return refusal;
}

/* A thread that gives its room back makes some for the next one. */
static bool is_final(enum refusal refusal)
{
	return refusal != NOT_REFUSED && refusal != NO_RING && refusal != NO_MEMORY;
}

static void begin_now(struct pmu_thread *self)
{
	struct pmu_samples *samples = &self->samples;
	int state;

	/* the program's thread must not be cancelled in here */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	refused = begin_samples(self);
	pthread_setcancelstate(state, NULL);
	if (!samples->page)
		return;
	samples->head = (uint64_t *)&samples->page->data_head;
	pmu_samples_mark(self, 0, false);
}

void pmu_samples_attach(struct pmu_thread *self)
{
	const struct pmu_config *config = &pmu_session.config;

	self->samples = (struct pmu_samples){ 0 };
	if (!config->sample.unit.period || is_final(refused) ||
	    pmu_valgrind_tool() != PMU_VALGRIND_NONE)
		return;
	if (config->sample_late)
		self->samples.is_late = true;
	else
		begin_now(self);
}

static uint64_t ran_ns(void)
{
	return pmu_time_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t n_switches(void)
{
	struct rusage usage = { .ru_nvcsw = 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* Who collects is told that the thread does not say in which regions it is. */
static void give_up(struct pmu_thread *self)
{
	self->samples.is_late = false;
	pmu_thread_flag(self, PMU_THREAD_UNSAMPLED);
}

bool pmu_samples_are_due(struct pmu_thread *self)
{
	uint64_t ran;

	if (!self->samples.is_late)
		return false;
	ran = ran_ns();
	if (ran < PMU_SAMPLES_LATE_NS)
		return false;
	/* twice as often as who collects lets it be: one that is sampled from outside is attached as a rule */
	if (pmu_samples_switches_often(n_switches() / 2, ran))
		give_up(self);
	return self->samples.is_late;
}

void pmu_samples_attach_late(struct pmu_thread *self, uint32_t row, uint64_t alone_ns)
{
	sigset_t before;

	pmu_signals_hold(&before);
	pmu_session_lock();
	self->samples.is_late = false;
	self->samples.before = who_of(self, row);
	self->samples.alone_ns = alone_ns;
	begin_now(self);
	self->samples.n_off = 0;
	self->samples.ran_ns = ran_ns();
	if (self->samples.head)
		pmu_waits_attach_again(self);
	else
		give_up(self);
	pmu_session_unlock();
	pmu_signals_release(&before);
}

bool pmu_samples_are_costly(struct pmu_thread *self)
{
	struct pmu_samples *samples = &self->samples;
	uint64_t before = samples->ran_ns;

	if (!samples->head || !pmu_session.config.sample_late || ++samples->n_off < MANY_OFF)
		return false;
	samples->n_off = 0;
	samples->ran_ns = ran_ns();
	return pmu_samples_switches_often(MANY_OFF / 2, samples->ran_ns - before);
}

void pmu_samples_leave(struct pmu_thread *self)
{
	sigset_t before;

	pmu_signals_hold(&before);
	pmu_session_lock();
	/* what it compares is memory that stays, before the ring is gone */
	self->switched = pmu_waits_hidden(&self->waits);
	pmu_samples_detach(self);
	pmu_waits_attach_again(self);
	give_up(self);
	pmu_session_unlock();
	pmu_signals_release(&before);
}

/* --- a mark --- */

/* One of the records was taken away while it was looked at, or all of them: anything may have been. */
static bool look_at_record(const struct pmu_samples *samples, uint64_t at, uint64_t head,
			   struct perf_event_header *record)
{
	memcpy(record, samples->ring + at % samples->ring_size, sizeof(*record));
	return record->size >= sizeof(*record) && record->size % 8 == 0 &&
	       record->size <= head - at;
}

struct found {
	bool sample, was_off;
};

static struct found look_at_records(const struct pmu_samples *samples, uint64_t head)
{
	struct found found = { false, false };
	struct perf_event_header record;
	uint64_t at = samples->seen;

	if (head - at > samples->ring_size)
		return (struct found){ true, true };
	for (; at < head; at += record.size) {
		if (!look_at_record(samples, at, head, &record))
			return (struct found){ true, true };
		found.sample |= record.type == PERF_RECORD_SAMPLE;
		found.was_off |= record.type == PERF_RECORD_SWITCH;
	}
	return found;
}

static void put_mark(struct pmu_samples_marks *marks, uint64_t head, uint64_t who)
{
	struct pmu_samples_mark *mark = &marks->mark[marks->n % N_PLACES];

	/*
	 * The stores into the place must not become visible before the release of @n that made another
	 * mark's place of it.  Pairs with the loads of who collects.
	 */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&mark->head, head, __ATOMIC_RELAXED);
	__atomic_store_n(&mark->who, who, __ATOMIC_RELAXED);
	__atomic_store_n(&marks->n, marks->n + 1, __ATOMIC_RELEASE);
}

/* In one instruction: the kernel may store a new head at any time. */
static uint64_t take_head(struct pmu_thread *thread, bool other)
{
	uint64_t resting = (uintptr_t)&thread->mark, head;

	head = other ? __atomic_load_n(thread->samples.head, __ATOMIC_ACQUIRE)
		     : __atomic_exchange_n(thread->samples.head, resting, __ATOMIC_ACQUIRE);
	return head == resting ? thread->samples.seen : head;
}

/* Behind its mark, if there is one: who collects knows then how far the ring is. */
static void tell_head(struct pmu_samples *samples, uint64_t head)
{
	samples->seen = head;
	__atomic_store_n(&samples->marks->head, head, __ATOMIC_RELEASE);
}

bool pmu_samples_mark(struct pmu_thread *thread, uint32_t row, bool other)
{
	struct pmu_samples *samples = &thread->samples;
	struct found found;
	uint64_t head;

	if (!samples->head)
		return true;
	head = take_head(thread, other);
	found = look_at_records(samples, head);
	if (found.sample)
		put_mark(samples->marks, head, who_of(thread, row));
	tell_head(samples, head);
	return found.was_off;
}

void pmu_samples_detach(struct pmu_thread *self)
{
	struct pmu_samples *samples = &self->samples;

	samples->is_late = false;
	if (!samples->head)
		return;
	if (samples->stays_open)
		tell_head(samples, take_head(self, false));
	else
		pmu_samples_mark(self, 0, false);
	__atomic_store_n(&samples->marks->end, 1, __ATOMIC_RELEASE);
	unmap(samples);
}

void pmu_samples_shed(const struct pmu_samples *samples)
{
	if (!samples->head)
		return;
	pmu_switches_fill(samples->page, mapped_size(samples));
	pmu_switches_fill(samples->marks, MARKS_SIZE);
}
