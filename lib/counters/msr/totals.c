/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of one processor or socket, as totals that grow. */
#include "counters/msr/totals.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/time.h"
#include "counters/msr/registers.h"
#include "counters/refusable.h"

uint64_t pmu_msr_totals_now(void)
{
	struct timespec now;

	/*
	 * libc's own way there, in the vDSO, starts over where the time changes meanwhile, which
	 * regions would count
	 */
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &now);
	return pmu_time_ns(now);
}

/* --- one at a time --- */

/* A holder that was preempted gets the processor, whatever the waiter's priority. */
static PMU_COLD void yield_to_holder(unsigned int turn)
{
	static const struct timespec pause = { .tv_nsec = 20000 };
	int saved = errno;

	if (turn > 100)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	errno = saved;
}

static void lock_totals(struct pmu_msr_totals *totals)
{
	for (unsigned int turn = 0; __atomic_exchange_n(&totals->lock, 1, __ATOMIC_ACQUIRE); turn++)
		yield_to_holder(turn);
}

static void unlock_totals(struct pmu_msr_totals *totals)
{
	__atomic_store_n(&totals->lock, 0, __ATOMIC_RELEASE);
}

/* --- one counter --- */

static uint64_t width_mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* Counts a second are fewer than 2^35: more than a core gives. */
#define MOST_BITS 35
#define SECOND_NS 1000000000u

/* How long a counter may be left alone: a narrow one a minute; wide ones until they may come round. */
static uint64_t patience_ns(unsigned int bits)
{
	if (bits < PMU_MSR_WIDE_BITS)
		return PMU_MSR_NARROW_NS;
	return bits - MOST_BITS >= 32 ? UINT64_MAX : (1ull << (bits - MOST_BITS)) * SECOND_NS;
}

/* By how much it can have grown: the time is right to some milliseconds, or a second at most. */
static uint64_t most_growth(uint64_t idle_ns)
{
	uint64_t seconds = idle_ns / SECOND_NS + 2;

	return seconds >> (64 - MOST_BITS) ? UINT64_MAX : seconds << MOST_BITS;
}

/*
 * The instruction reads the counter of whatever processor the thread is on: before and after it
 * must be this one.
 */
static bool read_here(const struct pmu_msr_totals *totals, const struct pmu_msr_entry *entry,
		      uint64_t *raw)
{
	if (entry->rdpmc == UINT32_MAX || sched_getcpu() != totals->cpu)
		return false;
#if defined(__x86_64__) || defined(__i386__)
	*raw = pmu_rdpmc(entry->rdpmc);
#else
	*raw = 0;
#endif
	return sched_getcpu() == totals->cpu;
}

static bool is_our_descriptor(const struct pmu_msr_totals *totals,
			      const struct pmu_msr_entry *entry)
{
	struct pmu_msr_file file;

	for (size_t i = 0; i < totals->device->n_cpus; i++) {
		if (totals->device->at[i].cpu != entry->cpu)
			continue;
		file = totals->device->at[i].file;
		file.fd = entry->fd;
		return pmu_msr_file_is_ours(&file);
	}
	return false;
}

/*
 * From then on.  Regions with missing counts are ended on another path, which other counters of the
 * processor count: all of them are missing.
 */
static PMU_COLD void miss(struct pmu_msr_totals *totals, const struct pmu_msr_entry *entry)
{
	totals->missing |= totals->cpu < 0 ? 1u << entry->slot : totals->all;
}

static PMU_COLD void give_up_entry(struct pmu_msr_totals *totals, const struct pmu_msr_entry *entry,
				   const char *why)
{
	miss(totals, entry);
	if (!totals->trouble[0])
		snprintf(totals->trouble, sizeof(totals->trouble),
			 "MSR %XH of CPU %d %s; its counts are missing from then on",
			 entry->address, entry->cpu, why);
}

static PMU_COLD void entry_read_failed(struct pmu_msr_totals *totals,
				       const struct pmu_msr_entry *entry, int rc)
{
	int saved = errno;
	char why[96];

	if (!is_our_descriptor(totals, entry)) {
		totals->lost = PMU_SOURCE_CLOSED;
	} else {
		snprintf(why, sizeof(why), "cannot be read any more (%s)", strerror(-rc));
		give_up_entry(totals, entry, why);
	}
	errno = saved;
}

/*
 * A file of the program's that has taken a descriptor's place gives eight bytes too, but hardly
 * such as these.
 */
static PMU_COLD bool is_strange(const struct pmu_msr_totals *totals,
				const struct pmu_msr_entry *entry)
{
	int saved = errno;
	bool ours = is_our_descriptor(totals, entry);

	errno = saved;
	return !ours;
}

static void advance_entry(struct pmu_msr_totals *totals, struct pmu_msr_entry *entry,
			  uint64_t idle_ns, bool by_instruction)
{
	uint64_t mask = width_mask(entry->bits), raw, delta;
	int rc = 0;

	if (!by_instruction || !read_here(totals, entry, &raw))
		rc = pmu_msr_read_fd(entry->fd, entry->address, &raw);
	if (by_instruction && unlikely(pmu_refusable_was())) {
		give_up_entry(totals, entry,
			      "cannot be read by RDPMC any more, which has been forbidden");
		return;
	}
	if (unlikely(rc)) {
		entry_read_failed(totals, entry, rc);
		return;
	}
	delta = (raw - entry->last) & mask;
	if (unlikely((raw & ~mask || delta > mask / 2 || delta > most_growth(idle_ns)) &&
		     is_strange(totals, entry))) {
		totals->lost = PMU_SOURCE_CLOSED;
		return;
	}
	if (unlikely(idle_ns > patience_ns(entry->bits))) {
		give_up_entry(totals, entry,
			      "was not read for too long and may have come round unseen");
		return;
	}
	if (unlikely(delta > most_growth(idle_ns) && entry->bits >= PMU_MSR_WIDE_BITS)) {
		totals->settled |= 1u << entry->slot;
		give_up_entry(
			totals, entry,
			"jumped: another program has written it, or the processor was asleep or offline");
		return;
	}
	entry->last = raw & mask;
	totals->total[entry->slot] += delta;
}

/* --- what controls it --- */

static void spoil(struct pmu_msr_totals *totals, const struct pmu_msr_entry *entry,
		  const struct pmu_msr_hold *hold)
{
	char name[64];

	totals->spoiled |= 1u << entry->slot;
	miss(totals, entry);
	if (totals->trouble[0])
		return;
	pmu_msr_name(totals->machine, hold->address, name, sizeof(name));
	snprintf(
		totals->trouble, sizeof(totals->trouble),
		"another program has written %s (%XH) of CPU %d while it was ours: counts by it are missing, those "
		"from before too",
		name, hold->address, entry->cpu);
}

/* Return: false where the descriptors are not ours any more. */
static bool check_entry(struct pmu_msr_totals *totals, const struct pmu_msr_entry *entry)
{
	uint64_t value;

	if ((totals->settled | totals->spoiled) >> entry->slot & 1)
		return true;
	for (int i = 0; i < PMU_MSR_HOLDS; i++) {
		const struct pmu_msr_hold *hold = &entry->hold[i];

		if (!hold->address || pmu_msr_read_fd(entry->fd, hold->address, &value) ||
		    (value & hold->bits) == hold->value)
			continue;
		if (!is_our_descriptor(totals, entry))
			return false;
		spoil(totals, entry, hold);
		break;
	}
	return true;
}

/* Once none of a processor's counts is any more they stay as they are. */
static PMU_COLD void check_all(struct pmu_msr_totals *totals, uint32_t missing_before)
{
	int saved = errno;
	bool ours = true;

	for (unsigned int i = 0; i < totals->n_entries && ours; i++)
		ours = check_entry(totals, &totals->entry[i]);
	if (ours && totals->cpu >= 0 && totals->missing != missing_before)
		totals->settled = totals->all;
	errno = saved;
}

/* --- all of them --- */

void pmu_msr_totals_start(struct pmu_msr_totals *totals, uint64_t now_ns)
{
	for (unsigned int i = 0; i < totals->n_entries; i++) {
		totals->entry[i].last &= width_mask(totals->entry[i].bits);
		totals->narrow |= totals->entry[i].bits < PMU_MSR_WIDE_BITS;
	}
	totals->read_ns = now_ns;
}

static uint64_t idle_since(const struct pmu_msr_totals *totals, uint64_t now_ns)
{
	/* another thread may have read since the caller took the time */
	return now_ns > totals->read_ns ? now_ns - totals->read_ns : 0;
}

uint32_t pmu_msr_totals_read(struct pmu_msr_totals *totals, uint64_t now_ns, bool by_instruction,
			     uint64_t *total, enum pmu_source_lost *lost)
{
	uint32_t missing;
	uint64_t idle_ns;

	lock_totals(totals);
	idle_ns = idle_since(totals, now_ns);
	if (likely(!totals->stopped && totals->lost != PMU_SOURCE_CLOSED)) {
		missing = totals->missing;
		for (unsigned int i = 0; i < totals->n_entries && totals->lost != PMU_SOURCE_CLOSED;
		     i++)
			if (!(missing >> totals->entry[i].slot & 1))
				advance_entry(totals, &totals->entry[i], idle_ns, by_instruction);
		totals->read_ns += idle_ns;
		if (unlikely(totals->missing != missing && totals->lost != PMU_SOURCE_CLOSED))
			check_all(totals, missing);
	}
	missing = totals->stopped || totals->lost == PMU_SOURCE_CLOSED ? totals->all
								       : totals->missing;
	if (total)
		memcpy(total, totals->total, sizeof(totals->total));
	if (lost)
		*lost = totals->lost;
	unlock_totals(totals);
	return missing;
}

uint32_t pmu_msr_totals_check(struct pmu_msr_totals *totals)
{
	uint32_t spoiled;

	lock_totals(totals);
	if (!totals->stopped)
		check_all(totals, totals->missing);
	spoiled = totals->spoiled;
	unlock_totals(totals);
	return spoiled;
}

void pmu_msr_totals_poll(struct pmu_msr_totals *totals, uint64_t now_ns)
{
	uint64_t idle_ns;

	lock_totals(totals);
	idle_ns = idle_since(totals, now_ns);
	unlock_totals(totals);
	if (totals->narrow || idle_ns >= PMU_MSR_WIDE_NS)
		pmu_msr_totals_read(totals, now_ns, false, NULL, NULL);
}

void pmu_msr_totals_stop(struct pmu_msr_totals *totals)
{
	lock_totals(totals);
	totals->stopped = true;
	unlock_totals(totals);
}

bool pmu_msr_totals_trouble(struct pmu_msr_totals *totals, char *text, size_t size)
{
	bool any;

	lock_totals(totals);
	any = totals->trouble[0] && !totals->told;
	if (any)
		snprintf(text, size, "%s", totals->trouble);
	totals->told |= any;
	unlock_totals(totals);
	return any;
}
