/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as totals that grow: wraps, gaps, failures, files that take a descriptor's place. */
#include "counters/msr/totals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/msr/poller.h"
#include "unit/part.h"

#define ADDRESS_40 0x100
#define ADDRESS_48 0x108
#define CONTROL    0x80 /* of both */
#define SECOND     1000000000ull

static char path[] = "/tmp/pmu-totals-XXXXXX";
static int file; /* the test's own way to the registers */
static struct pmu_msr_place place;
static struct pmu_msr_device device = { .n_cpus = 1, .at = &place };
static struct pmu_msr_entry entry[2];
static struct pmu_msr_totals totals;
/* the low half of the control says what they count */
static const struct pmu_msr_hold hold[PMU_MSR_HOLDS] = { { 0, 0, 0 },
							 { CONTROL, UINT32_MAX, 0x4100c0 } };
static struct pmu_machine machine;

static void set(off_t address, uint64_t value)
{
	if (pwrite(file, &value, sizeof(value), address) != sizeof(value))
		exit(1);
}

/* Slot 0: 40 bits; slot 1: 48. */
static void begin(uint64_t narrow, uint64_t wide)
{
	close(place.file.fd);
	place.file.fd = open(path, O_RDWR);
	if (pmu_fd_identify(place.file.fd, &place.file.identity))
		exit(1);
	set(ADDRESS_40, narrow);
	set(ADDRESS_48, wide);
	set(CONTROL, 0xfe004100c0);
	entry[0] = (struct pmu_msr_entry){ .fd = place.file.fd,
					   .address = ADDRESS_40,
					   .rdpmc = UINT32_MAX,
					   .bits = 40,
					   .slot = 0,
					   .hold = hold,
					   .last = narrow };
	entry[1] = (struct pmu_msr_entry){ .fd = place.file.fd,
					   .address = ADDRESS_48,
					   .rdpmc = UINT32_MAX,
					   .bits = 48,
					   .slot = 1,
					   .hold = hold,
					   .last = wide };
	totals = (struct pmu_msr_totals){ .cpu = -1,
					  .all = 7,
					  .missing = 4,
					  .n_entries = 2,
					  .entry = entry,
					  .device = &device,
					  .machine = &machine };
	pmu_msr_totals_start(&totals, 0);
}

static uint32_t read_at(uint64_t now_ns, uint64_t total[PMU_MAX_SLOTS])
{
	enum pmu_source_lost lost;

	return pmu_msr_totals_read(&totals, now_ns, false, total, &lost);
}

static void adds_up_differences(void)
{
	uint64_t total[PMU_MAX_SLOTS];

	begin(5, 1000);
	set(ADDRESS_40, 15);
	set(ADDRESS_48, 1003);
	is_u64(read_at(1, total), 4, "the slot that is not counted here is missing");
	is_u64(total[0], 10, "what was there before does not count");
	is_u64(total[1], 3, "in any of them");
	set(ADDRESS_40, 115);
	read_at(2, total);
	is_u64(total[0], 110, "the total grows");
}

static void comes_round(void)
{
	uint64_t total[PMU_MAX_SLOTS];

	begin((1ull << 40) - 3, (1ull << 48) - 1);
	set(ADDRESS_40, 5);
	set(ADDRESS_48, 0);
	read_at(1, total);
	is_u64(total[0], 8, "at 40 bits");
	is_u64(total[1], 1, "at 48 bits");
	set(ADDRESS_40, (1ull << 40) - 1);
	read_at(2, total);
	set(ADDRESS_40, 1);
	read_at(3, total);
	is_u64(total[0], 8 + (1ull << 40) - 6 + 2, "and once more");
}

static void a_narrow_counter_is_not_left_alone(void)
{
	uint64_t total[PMU_MAX_SLOTS];
	char text[256];

	begin(0, 0);
	ok(totals.narrow, "it is known for one");
	is_u64(read_at(60 * SECOND, total), 4, "after a minute it is still good");
	is_u64(read_at(121 * SECOND, total), 5, "after more it is missing");
	is_u64(read_at(122 * SECOND, total), 5, "for good");
	ok(pmu_msr_totals_trouble(&totals, text, sizeof(text)), "which is worth a remark");
	has(text, "MSR 100H of CPU 0 was not read for too long", "that says why");
	ok(!pmu_msr_totals_trouble(&totals, text, sizeof(text)), "once");
	is_u64(read_at(122 * SECOND + 8192 * SECOND, total), 5, "a wide one bears hours");
	is_u64(read_at(123 * SECOND + 2 * 8192 * SECOND + 1, total), 7, "but not days");
	is_u64(read_at(0, total), 7, "a time from before the last read is no gap");
}

static void a_failing_register_is_missing_from_then_on(void)
{
	uint64_t total[PMU_MAX_SLOTS];
	char text[256];

	begin(0, 0);
	set(ADDRESS_40, 9);
	/* the file ends between the two: the second gives no eight bytes */
	if (ftruncate(file, ADDRESS_48))
		exit(1);
	is_u64(read_at(1, total), 6, "its slot is missing");
	is_u64(total[0], 9, "the other one counts on");
	set(ADDRESS_48, 50);
	is_u64(read_at(2, total), 6,
	       "also when it answers again: nobody knows what was in between");
	ok(pmu_msr_totals_trouble(&totals, text, sizeof(text)), "there is a remark");
	has(text, "MSR 108H of CPU 0 cannot be read any more", "that names it");
}

static void another_file_is_not_believed(void)
{
	uint64_t total[PMU_MAX_SLOTS], text[64];
	enum pmu_source_lost lost;
	char other[] = "/tmp/pmu-totals-other-XXXXXX";
	int fd = mkstemp(other);

	memset(text, 'x', sizeof(text));
	begin(0, 0);
	if (write(fd, text, sizeof(text)) < 0 || dup2(fd, place.file.fd) < 0)
		exit(1);
	is_u64(pmu_msr_totals_read(&totals, 1, false, total, &lost), 7,
	       "text in place of registers");
	is_int(lost, PMU_SOURCE_CLOSED, "means that the descriptor was replaced");
	begin(100, 100);
	memset(text, 0, sizeof(text));
	if (pwrite(fd, text, sizeof(text), 0) < 0 || dup2(fd, place.file.fd) < 0)
		exit(1);
	is_u64(pmu_msr_totals_read(&totals, 1, false, total, &lost), 7, "zeroes too");
	is_int(lost, PMU_SOURCE_CLOSED, "likewise");
	begin(100, 100);
	close(place.file.fd);
	errno = 77;
	is_u64(pmu_msr_totals_read(&totals, 1, false, total, &lost), 7, "one that was closed");
	is_int(lost, PMU_SOURCE_CLOSED, "likewise");
	is_int(errno, 77, "errno is kept");
	unlink(other);
	close(fd);
}

static void a_counter_that_went_back_is_missing(void)
{
	uint64_t total[PMU_MAX_SLOTS];
	char text[256];

	begin(0, 0);
	set(ADDRESS_48, 1000);
	is_u64(read_at(SECOND, total), 4, "counts");
	set(ADDRESS_48, 10);
	is_u64(read_at(2 * SECOND, total), 6, "lower than before: it was not round, but written");
	is_u64(total[1], 1000, "what was counted stays as it is");
	ok(pmu_msr_totals_trouble(&totals, text, sizeof(text)), "there is a remark");
	has(text, "MSR 108H of CPU 0 jumped", "that names it");
	begin(0, 0);
	set(ADDRESS_48, 0xffff80000000);
	is_u64(read_at(SECOND, total), 6, "as others set it, to overflow soon");
	begin(0, 1000000);
	set(ADDRESS_48, 0x800000000001);
	is_u64(read_at(SECOND, total), 6, "or late, which is forwards");
	begin(0, 0);
	set(ADDRESS_48, 1ull << 36);
	is_u64(read_at(SECOND, total), 4, "what two seconds may bring has been counted");
}

/* What else a processor counts has the library's own work in it, which is another then. */
static void a_processor_counts_all_or_nothing(void)
{
	uint64_t total[PMU_MAX_SLOTS];

	begin(0, 1000);
	totals.cpu = 0;
	set(ADDRESS_40, 7);
	set(ADDRESS_48, 10);
	is_u64(read_at(SECOND, total), 7,
	       "one of a processor's counters went back: none is read any more");
	is_u64(total[0], 7, "what the others counted stays");
	set(CONTROL, 0);
	is_u64(pmu_msr_totals_check(&totals), 0, "and is not doubted for what is written later");
}

static void what_another_has_controlled_is_spoiled(void)
{
	uint64_t total[PMU_MAX_SLOTS];
	char text[256];

	begin(0, 0);
	is_u64(pmu_msr_totals_check(&totals), 0, "what controls them is as it was");
	set(CONTROL, 0x4100c0);
	is_u64(pmu_msr_totals_check(&totals), 0, "also where other bits change");
	is_u64(read_at(1, total), 4, "they count");
	set(CONTROL, 0x5300c0);
	set(ADDRESS_48, 1ull << 47);
	read_at(2, total);
	is_u64(pmu_msr_totals_check(&totals), 1,
	       "what counts something else is spoiled, but for what has jumped");
	is_u64(read_at(3, total), 7, "and missing from then on");
	set(CONTROL, 0x4100c0);
	is_u64(pmu_msr_totals_check(&totals), 1, "for good");
	ok(pmu_msr_totals_trouble(&totals, text, sizeof(text)), "there is a remark");
	begin(0, 0);
	set(CONTROL, 0);
	pmu_msr_totals_check(&totals);
	pmu_msr_totals_trouble(&totals, text, sizeof(text));
	has(text, "another program has written ", "that says so");
	has(text, "(80H) of CPU 0", "and names the register");
	begin(0, 0);
	set(CONTROL, 0);
	pmu_msr_totals_stop(&totals);
	is_u64(pmu_msr_totals_check(&totals), 0,
	       "nothing is looked at once registers are put back");
}

static void a_poller_reads_wide_counters_now_and_then(void)
{
	uint64_t total[PMU_MAX_SLOTS];

	begin(0, 0);
	totals.narrow = false;
	entry[0].bits = 48;
	for (int minutes = 1; minutes <= 600; minutes++) {
		set(ADDRESS_48, (uint64_t)minutes * 1000000000000u & 0xffffffffffff);
		pmu_msr_totals_poll(&totals, (uint64_t)minutes * 60 * SECOND);
	}
	is_u64(read_at(601 * 60 * SECOND, total), 4,
	       "ten hours without a region's end are not too long");
	is_u64(total[1], 600000000000000u, "and the counter came round twice");
}

static void stopped_totals_give_nothing(void)
{
	uint64_t total[PMU_MAX_SLOTS];

	begin(0, 0);
	pmu_msr_totals_stop(&totals);
	set(ADDRESS_40, 12345);
	is_u64(read_at(1, total), 7, "every slot is missing");
	is_u64(totals.total[0], 0, "nothing is read");
}

/* --- several at once --- */

static uint64_t steps;

static void *reader(void *arg)
{
	uint64_t total[PMU_MAX_SLOTS], last = 0;
	bool *grows = arg;

	*grows = true;
	for (int i = 0; i < 2000; i++) {
		read_at(1, total);
		*grows &= total[0] >= last;
		last = total[0];
	}
	return NULL;
}

static void step(void *arg)
{
	(void)arg;
	set(ADDRESS_40, ++steps % (1ull << 40));
	read_at(1, NULL);
}

static void threads_and_poller_share_it(void)
{
	struct pmu_msr_poller poller = { .runs = false };
	pthread_t thread[3];
	bool grows[3];
	uint64_t total[PMU_MAX_SLOTS];

	begin(0, 0);
	is_int(pmu_msr_poller_start(&poller, 1, step, NULL), 0, "a poller runs");
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, reader, &grows[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	for (total[0] = 0; total[0] < 3; usleep(1000))
		read_at(1, total);
	pmu_msr_poller_stop(&poller);
	ok(grows[0] && grows[1] && grows[2], "totals only grow, whoever reads");
	read_at(1, total);
	is_u64(total[0], steps, "and nothing is counted twice");
}

static void *other_work;

static void take(void *arg)
{
	__atomic_store_n(&other_work, arg, __ATOMIC_RELAXED);
}

static int thread_of(struct pmu_msr_poller *poller)
{
	int tid;

	pthread_mutex_lock(&poller->lock);
	tid = poller->tid;
	pthread_mutex_unlock(&poller->lock);
	return tid;
}

static void a_poller_gets_other_work(void)
{
	struct pmu_msr_poller poller = { .runs = false };
	int first;

	is_int(pmu_msr_poller_start(&poller, 60000, step, NULL), 0,
	       "a poller that sleeps for a minute");
	while (!(first = thread_of(&poller)))
		usleep(1000);
	is_int(pmu_msr_poller_start(&poller, 1, take, &poller), 0, "has other work, sooner");
	while (!__atomic_load_n(&other_work, __ATOMIC_RELAXED))
		usleep(1000);
	is_int(thread_of(&poller), first, "and does it as the same thread");
	pmu_msr_poller_rest(&poller);
	__atomic_store_n(&other_work, NULL, __ATOMIC_RELAXED);
	usleep(5000);
	ok(!__atomic_load_n(&other_work, __ATOMIC_RELAXED), "none while it rests");
	pmu_msr_poller_stop(&poller);
}

UNIT_PART(msr_totals)
{
	file = mkstemp(path);
	if (file < 0)
		return 1;
	place.file.fd = -1;
	adds_up_differences();
	comes_round();
	a_narrow_counter_is_not_left_alone();
	a_failing_register_is_missing_from_then_on();
	another_file_is_not_believed();
	a_counter_that_went_back_is_missing();
	a_processor_counts_all_or_nothing();
	what_another_has_controlled_is_spoiled();
	a_poller_reads_wide_counters_now_and_then();
	stopped_totals_give_nothing();
	threads_and_poller_share_it();
	a_poller_gets_other_work();
	unlink(path);
	return done_testing();
}
