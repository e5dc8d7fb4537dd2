/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples belong to the region that they are marked for, whatever becomes of ring and marks meanwhile. */
#include <pthread.h>
#include <sched.h>

#include "tests/sanitized.h"
#include "tests/unit/command/sample_made.h"
#include "unit/part.h"

#define CODE   UINT64_C(0x400000)
#define OFFSET UINT64_C(0x1000)

static struct pmu_sample_sums sums;
static struct made made;

static void open_all(void)
{
	sums = (struct pmu_sample_sums){ .n_stretches = 0 };
	made_open(&made, &sums);
	made_mapping(&made, CODE, 0x10000, OFFSET, "/bin/program");
	made_look(&made);
}

static void close_all(void)
{
	made_close(&made);
	pmu_sample_maps_free(&sums.maps);
	pmu_sample_chains_free(&sums.chains);
	pmu_sample_hits_free(&sums.hits);
}

/* @path: NULL any */
static uint64_t count(uint64_t who, const char *path)
{
	uint64_t n = 0;

	for (size_t i = 0; i < sums.hits.n; i++) {
		const struct pmu_sample_hit *hit = &sums.hits.of[i];

		if (hit->who == who &&
		    (!path || !strcmp(pmu_sample_maps_path(&sums.maps, hit->at.file), path)))
			n += hit->n;
	}
	return n;
}

static uint64_t count_at(uint64_t who, uint64_t at)
{
	uint64_t n = 0;

	for (size_t i = 0; i < sums.hits.n; i++)
		if (sums.hits.of[i].who == who && sums.hits.of[i].at.at == at)
			n += sums.hits.of[i].n;
	return n;
}

static void samples_are_their_marks(void)
{
	open_all();
	made_sample(&made, CODE + 1);
	made_sample(&made, CODE + 1);
	made_mark(&made, 1);
	made_switch(&made);
	made_sample(&made, CODE + 2);
	made_mark(&made, 2);
	made_sample_in(&made, PERF_RECORD_MISC_KERNEL, UINT64_C(0xffffffff81000000));
	made_sample_in(&made, PERF_RECORD_MISC_HYPERVISOR, CODE);
	made_mark(&made, 3);
	made_look(&made);
	is_u64(count_at(1, OFFSET + 1), 2,
	       "two samples of the first region, at their place of the file");
	is_u64(count_at(2, OFFSET + 2), 1, "  one of the second, behind a switch");
	is_u64(count(3, "[kernel]"), 1, "  one of the kernel's work for the third");
	is_u64(count(3, NULL), 1, "  and none of a hypervisor's");
	is_u64(sums.hits.n, 3, "  nowhere else");
	is_u64(sums.n_stretches + sums.n_dropped, 0, "  and nothing is lost");
	close_all();
}

static void records_go_round_the_end(void)
{
	open_all();
	for (uint64_t i = 0; i < 1000; i++) {
		made_sample(&made, CODE + i % 2);
		made_mark(&made, 1 + i % 2);
		if (i % 5 == 4)
			made_look(&made);
	}
	is_u64(count_at(1, OFFSET), 500, "records that lie round the ring's end are whole");
	is_u64(count_at(2, OFFSET + 1), 500, "  each of its region");
	is_u64(sums.hits.n, 2, "  and of no other one");
	is_u64(sums.n_stretches + sums.n_dropped, 0, "  and nothing is lost");
	close_all();
}

static void loss_ends_at_a_mark(void)
{
	open_all();
	for (uint64_t i = 0; i < 7; i++) {
		for (int n = 0; n < 20; n++)
			made_sample(&made, CODE + i);
		made_mark(&made, 1 + i);
	}
	made_look(&made);
	is_u64(sums.n_stretches, 1, "a ring that was written over has lost a stretch");
	is_u64(count(1, NULL), 0, "  with what was oldest");
	is_u64(count_at(7, OFFSET + 6), 20, "  the newest region has all of its samples");
	is_u64(count_at(6, OFFSET + 5), 20, "  so has the one before");
	for (uint64_t i = 0; i < 7; i++)
		if (count(1 + i, NULL) != count_at(1 + i, OFFSET + i))
			is_u64(i, 0, "  none has another one's");
	close_all();
}

static void loss_without_marks_ends_at_the_head(void)
{
	open_all();
	for (int i = 0; i < 200; i++)
		made_sample(&made, CODE);
	made_look(&made);
	made_sample(&made, CODE + 1);
	made_mark(&made, 1);
	made_look(&made);
	is_u64(sums.n_stretches, 1, "without marks all is lost up to the head");
	is_u64(count(1, NULL), 1, "  and what comes then is not");
	close_all();
}

static void damage_is_left_behind(void)
{
	static const size_t sizes[] = { 0, 4, 12, 2048 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		open_all();
		made_sample(&made, CODE);
		made_header(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizes[i]);
		made_put(&made, "\1\2\3\4\5\6\7", 8);
		made_look(&made);
		made_sample(&made, CODE + 1);
		made_mark(&made, 1);
		made_look(&made);
		is_u64(count(1, NULL), 2, "behind a record of no sound size reading goes on");
		is_u64(sums.n_stretches, 1, "  and it is told");
		close_all();
	}
}

static void marks_are_written_over(void)
{
	uint64_t kept = 0;

	open_all();
	for (uint64_t i = 0; i < 20; i++) {
		made_sample(&made, CODE + i);
		made_mark(&made, 1 + i);
	}
	made_look(&made);
	for (uint64_t i = 0; i < 20; i++) {
		kept += count_at(1 + i, OFFSET + i);
		if (count(1 + i, NULL) != count_at(1 + i, OFFSET + i))
			is_u64(i, 0, "a region has another one's samples");
	}
	is_u64(count(20, NULL), 1, "the last mark is there");
	ok(kept >= MADE_PLACES / 2 - 1, "half of the places are good (%d)", (int)kept);
	is_u64(kept + sums.n_dropped, 20, "  what was marked by others is dropped");
	is_u64(sums.n_stretches, 1, "  and it is told");
	close_all();
}

/* The kernel's store of a new head comes between those of the thread. */
static void marks_may_be_ahead(void)
{
	uint64_t before;

	open_all();
	made_sample(&made, CODE);
	made_mark(&made, 1);
	made_look(&made);
	before = made.head;
	made_sample(&made, CODE + 1);
	made_mark(&made, 2);
	made.marks->head = before;
	made_look(&made);
	is_u64(count(2, NULL), 0, "a mark of what was not read yet waits");
	made_sample(&made, CODE + 2);
	made_look(&made);
	is_u64(count_at(2, OFFSET + 1), 1, "  until it was");
	made_mark(&made, 3);
	made_look(&made);
	is_u64(count_at(3, OFFSET + 2), 1, "  what comes behind it is the next one's");
	is_u64(sums.n_stretches + sums.n_dropped, 0, "  and nothing is lost");
	close_all();
}

static void heads_may_be_old(void)
{
	open_all();
	made_sample(&made, CODE);
	made_look(&made);
	made.page.data_head = MADE_RESTING;
	made.marks->head = 0;
	made_look(&made);
	made_sample(&made, CODE);
	made_mark(&made, 1);
	made_look(&made);
	is_u64(count(1, NULL), 2, "a head that is older than what was read is no loss");
	is_u64(sums.n_stretches + sums.n_dropped, 0, "  nor said to be one");
	close_all();
}

static void mappings_are_replaced(void)
{
	open_all();
	made_sample(&made, CODE + 0x4800);
	made_mapping(&made, CODE + 0x4000, 0x1000, 0x70000, "/lib/plugin.so");
	made_sample(&made, CODE + 0x3fff);
	made_sample(&made, CODE + 0x4800);
	made_sample(&made, CODE + 0x5000);
	made_mapping(&made, CODE + 0x4000, 0x1000, 0, "//anon");
	made_sample(&made, CODE + 0x4800);
	made_mark(&made, 1);
	made_look(&made);
	is_u64(count(1, "/bin/program"), 3, "a mapping takes the place of what it covers");
	is_u64(count_at(1, 0x70800), 1, "  from then on");
	is_u64(count_at(1, OFFSET + 0x5000), 1, "  and what is behind it is as it was");
	is_u64(count_at(1, CODE + 0x4800), 1, "memory of no file is told by its address");
	close_all();
}

static void threads_know_of_each_other(void)
{
	static struct made other;

	open_all();
	made_open(&other, &sums);
	made_sample(&other, UINT64_C(0x900010));
	made_mark(&other, 2);
	made_mapping(&made, UINT64_C(0x900000), 0x1000, 0, "/lib/plugin.so");
	pmu_sample_ring_read(&other.ring, &other.scratch);
	is_u64(sums.n_unknown, 1, "a sample where nothing is mapped is told of");
	pmu_sample_ring_read(&made.ring, &made.scratch);
	pmu_sample_ring_mark(&other.ring);
	pmu_sample_ring_mark(&made.ring);
	is_u64(count(2, "/lib/plugin.so"), 1, "  and is where another thread has mapped a file");
	made_close(&other);
	close_all();
}

static void another_program_is_none_of_it(void)
{
	open_all();
	made_sample(&made, CODE);
	made_mark(&made, 1);
	made_exec(&made);
	made_sample(&made, CODE);
	made_mark(&made, 2);
	made_look(&made);
	ok(made.ring.has_ended && sums.has_execed, "with an exec a ring ends");
	is_u64(count(1, NULL), 1, "  what was before it counts");
	pmu_sample_ring_finish(&made.ring, PMU_SAMPLE_OPEN(MADE_TID));
	is_u64(count(2, NULL) + count(PMU_SAMPLE_OPEN(MADE_TID), NULL), 0,
	       "  and nothing behind it");
	close_all();
}

static void what_is_pending_is_kept(void)
{
	struct pmu_sample_hits hits = { .n = 0 };
	uint64_t n = 0;

	open_all();
	for (int i = 0; i < 5000; i++) {
		made_sample(&made, CODE);
		if (i % 50 == 49)
			made_look(&made);
	}
	ok(made.ring.room <= 4096, "samples of a region that lasts take no memory each");
	ok(!pmu_sample_ring_pending(&made.ring, &hits), "what is pending can be had");
	for (size_t i = 0; i < hits.n; i++)
		n += hits.of[i].who == PMU_SAMPLE_OPEN(MADE_TID) ? hits.of[i].n : 0;
	is_u64(n, 5000, "  all of it");
	pmu_sample_hits_free(&hits);
	made_mark(&made, 1);
	made_look(&made);
	is_u64(count_at(1, OFFSET), 5000, "  and is the region's that it is marked for");
	made_sample(&made, CODE + 1);
	made_look(&made);
	pmu_sample_ring_finish(&made.ring, PMU_SAMPLE_OPEN(MADE_TID));
	is_u64(count_at(PMU_SAMPLE_OPEN(MADE_TID), OFFSET + 1), 1,
	       "what is never marked is of what was open");
	close_all();
}

/* A thread that marks nothing: before it was off its processor it may have been anywhere. */
static void open_outside(void)
{
	open_all();
	made.ring.marks = NULL;
	made_sample(&made, CODE);
	made_look(&made);
	made_switch(&made);
	made_sample(&made, CODE + 1);
	made_sample(&made, CODE + 1);
	made_look(&made);
}

static void outside_counts_since_it_was_off(void)
{
	struct pmu_sample_hits hits = { .n = 0 };

	open_outside();
	is_u64(sums.hits.n, 0, "from outside nothing is known of regions");
	ok(!pmu_sample_ring_pending(&made.ring, &hits) && hits.n == 1 && hits.of[0].n == 2,
	   "  what is pending is from behind a switch");
	pmu_sample_hits_free(&hits);
	pmu_sample_ring_finish(&made.ring, 5);
	is_u64(count(5, NULL), 2, "  and is the region's that the thread says");
	is_u64(sums.n_dropped, 1, "  what was before is nobody's");
	close_all();
	open_outside();
	made.ring.is_sure = true;
	pmu_sample_ring_finish(&made.ring, 5);
	is_u64(count(5, NULL), 3, "  where it was in no other region, that is its, too");
	close_all();
}

static void outside_without_a_switch_is_nobodys(void)
{
	struct pmu_sample_hits hits = { .n = 0 };

	open_all();
	made.ring.marks = NULL;
	for (int i = 0; i < 5000; i++) {
		made_sample(&made, CODE);
		if (i % 50 == 49)
			made_look(&made);
	}
	ok(!pmu_sample_ring_pending(&made.ring, &hits) && !hits.n,
	   "without a switch nothing is pending");
	pmu_sample_ring_finish(&made.ring, 5);
	is_u64(count(5, NULL), 0, "  nor given");
	is_u64(sums.n_dropped, 5000, "  but left out");
	close_all();
}

static void threads_end(void)
{
	open_all();
	made_sample(&made, CODE);
	made_look(&made);
	ok(!made.ring.has_ended, "a thread goes on");
	made_mark(&made, 1);
	made.marks->end = 1;
	made_look(&made);
	ok(made.ring.has_ended, "  until it says that it ends");
	is_u64(count(1, NULL), 1, "  with its last mark");
	close_all();
}

/* --- beside one that writes --- */

#define N_BESIDE 200000u
#define N_ROWS   50u

static uint64_t read_to, marked_to, last_beside;

static void wait_for_reader(void)
{
	while (made.head - __atomic_load_n(&read_to, __ATOMIC_ACQUIRE) > MADE_RING / 4 ||
	       made.marks->n - __atomic_load_n(&marked_to, __ATOMIC_ACQUIRE) > MADE_PLACES / 2)
		sched_yield();
}

/* The kernel, and the thread: as pmu_samples_mark() of lib/session/samples.c. */
static void *write_beside(void *unused)
{
	for (uint64_t i = 0; i < N_BESIDE; i++) {
		uint64_t who = 1 + made.marks->n % N_ROWS;
		struct pmu_samples_mark *mark = &made.marks->mark[made.marks->n % MADE_PLACES];

		wait_for_reader();
		made_sample_at(&made, CODE + who);
		__atomic_store_n(&made.page.data_head, made.head, __ATOMIC_RELEASE);
		if (i % 3 == 1)
			continue;
		__atomic_store_n(&made.page.data_head, MADE_RESTING, __ATOMIC_RELEASE);
		if (i % 7 == 0)
			sched_yield();
		__atomic_thread_fence(__ATOMIC_RELEASE);
		__atomic_store_n(&mark->head, made.head, __ATOMIC_RELAXED);
		__atomic_store_n(&mark->who, who, __ATOMIC_RELAXED);
		__atomic_store_n(&made.marks->n, made.marks->n + 1, __ATOMIC_RELEASE);
		__atomic_store_n(&made.marks->head, made.head, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&last_beside, 1, __ATOMIC_RELEASE);
	return unused;
}

static void nothing_is_lost_beside_a_writer(void)
{
	uint64_t n = 0, wrong = 0;
	pthread_t writer;
	bool last;

	open_all();
	read_to = made.ring.position;
	if (pthread_create(&writer, NULL, write_beside, NULL))
		abort();
	do {
		last = __atomic_load_n(&last_beside, __ATOMIC_ACQUIRE);
		made_look(&made);
		__atomic_store_n(&read_to, made.ring.position, __ATOMIC_RELEASE);
		__atomic_store_n(&marked_to, made.ring.n_marks, __ATOMIC_RELEASE);
	} while (!last);
	pthread_join(writer, NULL);
	pmu_sample_ring_finish(&made.ring, PMU_SAMPLE_OPEN(MADE_TID));
	for (size_t i = 0; i < sums.hits.n; i++) {
		n += sums.hits.of[i].n;
		if (sums.hits.of[i].who < UINT32_MAX &&
		    sums.hits.of[i].at.at != OFFSET + sums.hits.of[i].who)
			wrong += sums.hits.of[i].n;
	}
	is_u64(n, N_BESIDE, "all samples of one that writes meanwhile are there");
	is_u64(wrong, 0, "  each of its region");
	is_u64(sums.n_stretches + sums.n_dropped, 0, "  and none is said to be lost");
	close_all();
}

static void maps_are_read(void)
{
	struct pmu_sample_maps maps = { .n = 0 };
	struct pmu_sample_at at;

	pmu_sample_maps_read(&maps, "00400000-00401000 r--p 00000000 08:01 12    /bin/a b\n"
				    "00401000-00402000 r-xp 00001000 08:01 12    /bin/a b\n"
				    "nonsense\n"
				    "00500000-00400000 r-xp 00000000 08:01 12    /bin/backwards\n"
				    "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
				    "7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0    [vdso]");
	is_u64(maps.n, 3, "of a process's mappings those count that can be executed");
	at = pmu_sample_maps_find(&maps, 0x401010);
	is_str(pmu_sample_maps_path(&maps, at.file), "/bin/a b", "  a file, with all of its name");
	is_u64(at.at, 0x1010, "  and its offset");
	at = pmu_sample_maps_find(&maps, UINT64_C(0x7f0000000010));
	ok(at.file == PMU_SAMPLE_NO_FILE && at.at == UINT64_C(0x7f0000000010) &&
		   pmu_sample_maps_has(&maps, at.at),
	   "  memory of no file, by its address");
	at = pmu_sample_maps_find(&maps, UINT64_C(0x7ffd00000fff));
	is_str(pmu_sample_maps_path(&maps, at.file), "[vdso]", "  and what has no end of line");
	ok(!pmu_sample_maps_has(&maps, 0x400010) && !pmu_sample_maps_has(&maps, 0x402000),
	   "others do not");
	pmu_sample_maps_free(&maps);
}

UNIT_PART(sample_ring)
{
	samples_are_their_marks();
	records_go_round_the_end();
	loss_ends_at_a_mark();
	loss_without_marks_ends_at_the_head();
	damage_is_left_behind();
	marks_are_written_over();
	marks_may_be_ahead();
	heads_may_be_old();
	mappings_are_replaced();
	threads_know_of_each_other();
	another_program_is_none_of_it();
	what_is_pending_is_kept();
	outside_counts_since_it_was_off();
	outside_without_a_switch_is_nobodys();
	threads_end();
	/* bytes of the ring are the kernel's, of which ThreadSanitizer knows nothing */
	if (!TEST_SANITIZED)
		nothing_is_lost_beside_a_writer();
	maps_are_read();
	return done_testing();
}
