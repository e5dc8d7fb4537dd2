/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters without regions, as a program uses them. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmu.h"
#include "tests/tap.h"

#define PAGES 64

/* each a fault at user level */
static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (at == MAP_FAILED)
		return;
	madvise(at, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)at)[i * page] = 1;
	munmap(at, PAGES * page);
}

/* false: skipped, with the library's own reason */
static bool opens(const char *events, enum pmu_scope scope, struct pmu_counters **counters,
		  const char *name)
{
	int rc = pmu_counters_open(events, scope, counters);

	if (rc)
		skip(name, "%s", pmu_last_error());
	return !rc;
}

static void counts_between_start_and_stop(void)
{
	struct pmu_counters *counters;
	uint64_t value[2] = { 9, 9 };
	uint32_t missing = 9;

	if (!opens("page-faults,task-clock", PMU_SCOPE_THREAD, &counters, "start and stop"))
		return;
	is_int(pmu_counters_read(counters, value, 2, &missing), 2, "two events");
	is_u64(value[0], 0, "  at zero");
	is_int((int)missing, 0, "  none missing");
	touch_pages();
	pmu_counters_read(counters, value, 2, NULL);
	is_u64(value[0], 0, "  still: they have not been started");
	is_int(pmu_counters_start(counters), 0, "started");
	touch_pages();
	is_int(pmu_counters_stop(counters), 0, "stopped");
	pmu_counters_read(counters, value, 2, NULL);
	ok(value[0] >= PAGES, "a fault for each page");
	ok(value[1] > 0, "some time");
	pmu_counters_close(counters);
}

static void goes_on_and_goes_back_to_zero(void)
{
	struct pmu_counters *counters;
	uint64_t first, second, third;

	if (!opens("page-faults", PMU_SCOPE_THREAD, &counters, "going on"))
		return;
	pmu_counters_start(counters);
	touch_pages();
	pmu_counters_stop(counters);
	pmu_counters_read(counters, &first, 1, NULL);
	touch_pages();
	pmu_counters_read(counters, &second, 1, NULL);
	is_u64(second, first, "held while stopped");
	pmu_counters_start(counters);
	touch_pages();
	pmu_counters_read(counters, &third, 1, NULL);
	ok(third >= second + PAGES, "goes on from there, read while it runs");
	pmu_counters_stop(counters);
	is_int(pmu_counters_reset(counters), 0, "reset");
	pmu_counters_read(counters, &third, 1, NULL);
	is_u64(third, 0, "  to zero");
	pmu_counters_close(counters);
}

static void counts_every_allowed_cpu(void)
{
	struct pmu_counters *counters;
	uint64_t value = 0;
	uint32_t missing = 1;

	if (!opens("page-faults", PMU_SCOPE_CPU, &counters, "CPUs"))
		return;
	is_int(pmu_counters_start(counters), 0, "started on each CPU");
	touch_pages();
	is_int(pmu_counters_stop(counters), 0, "stopped");
	is_int(pmu_counters_read(counters, &value, 1, &missing), 1, "read");
	is_int((int)missing, 0, "  on each of them");
	ok(value >= PAGES, "  this thread's faults are among them");
	pmu_counters_close(counters);
}

static void hardware_counts_or_says_why_not(void)
{
	struct pmu_counters *counters = NULL;
	uint64_t value[2] = { 0, 0 };
	int rc = pmu_counters_open("instructions,cycles", PMU_SCOPE_THREAD, &counters);

	if (rc) {
		ok(strlen(pmu_last_error()) > 20, "%s", pmu_last_error());
		has(pmu_last_error(), "instructions,cycles", "  names what was asked for");
		ok(!counters, "  and gives nothing");
		return;
	}
	pmu_counters_start(counters);
	touch_pages();
	pmu_counters_read(counters, value, 2, NULL);
	ok(value[0] > PAGES && value[1] > 0, "instructions and cycles");
	pmu_counters_close(counters);
}

static void refuses_nonsense(void)
{
	struct pmu_counters *counters = NULL;
	uint64_t value[2] = { 9, 9 };

	is_int(pmu_counters_open("page-fault", PMU_SCOPE_THREAD, &counters), -EINVAL, "page-fault");
	has(pmu_last_error(), "page-faults", "  is nearly page-faults");
	is_int(pmu_counters_open("", PMU_SCOPE_THREAD, &counters), -EINVAL, "no event");
	is_int(pmu_counters_open(NULL, PMU_SCOPE_THREAD, &counters), -EINVAL, "NULL events");
	is_int(pmu_counters_open("cycles", PMU_SCOPE_THREAD, NULL), -EINVAL, "NULL result");
	is_int(pmu_counters_open("cycles", (enum pmu_scope)2, &counters), -EINVAL, "scope 2");
	is_int(pmu_counters_start(NULL), -EINVAL, "start NULL");
	is_int(pmu_counters_stop(NULL), -EINVAL, "stop NULL");
	is_int(pmu_counters_reset(NULL), -EINVAL, "reset NULL");
	is_int(pmu_counters_read(NULL, value, 2, NULL), -EINVAL, "read NULL");
	pmu_counters_close(NULL);
	ok(!counters, "nothing was opened");
	if (!opens("page-faults,task-clock", PMU_SCOPE_THREAD, &counters, "too little room"))
		return;
	is_int(pmu_counters_read(counters, value, 1, NULL), -EINVAL, "room for one of two");
	is_u64(value[0], 9, "  nothing is written");
	is_int(pmu_counters_read(counters, NULL, 2, NULL), -EINVAL, "read into NULL");
	pmu_counters_close(counters);
}

static void keeps_errno(void)
{
	struct pmu_counters *counters = NULL;

	errno = 1234;
	(void)pmu_counters_open("page-faults:k,cycles,r999", PMU_SCOPE_CPU, &counters);
	pmu_counters_close(counters);
	is_int(errno, 1234, "errno is the program's");
}

/* A program that closes everything cannot close what it still counts with: what is gone
 * is missing. */
static void closed_descriptors_are_missing(void)
{
	struct pmu_counters *counters;
	uint64_t value = 9;
	uint32_t missing = 0;

	if (!opens("page-faults", PMU_SCOPE_THREAD, &counters, "closing everything"))
		return;
	for (int fd = 3; fd < 1 << 17; fd++)
		close(fd);
	is_int(pmu_counters_read(counters, &value, 1, &missing), 1,
	       "read after closing everything");
	is_int((int)missing, 1, "  the count is missing");
	is_u64(value, 9, "  and left alone");
	ok(pmu_counters_start(counters) < 0, "  starting fails");
	pmu_counters_close(counters);
}

int main(void)
{
	counts_between_start_and_stop();
	goes_on_and_goes_back_to_zero();
	counts_every_allowed_cpu();
	hardware_counts_or_says_why_not();
	refuses_nonsense();
	keeps_errno();
	closed_descriptors_are_missing();
	return done_testing();
}
