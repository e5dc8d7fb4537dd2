/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads a process has, by a look at its store's file. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/read/live.h"
#include "unit/part.h"
#include "unit/store/simple.h"

static struct pmu_live_thread seen[8];
static unsigned int n_seen;

static void see(void *arg, const struct pmu_live_thread *thread)
{
	is_str(arg, "arg", "each is seen");
	if (n_seen < 8)
		seen[n_seen] = *thread;
	n_seen++;
}

static int look(const struct build *build, size_t size)
{
	char arg[] = "arg";
	int fd = memfd_create("store", MFD_CLOEXEC), rc;

	if (fd < 0 || write(fd, build->bytes, size) != (ssize_t)size)
		abort();
	n_seen = 0;
	rc = pmu_store_each_live_of(fd, see, arg);
	close(fd);
	return rc;
}

UNIT_PART(live)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *first, *other;
	struct build *build = simple(&group, &first);
	uint64_t whole;

	first->tid = 4711;
	first->flags = PMU_THREAD_WAITS;
	build_thread(build, 0, group, 1, PMU_THREAD_FINISHED, 1)->tid = 1;
	build_thread(build, 0, group, PMU_STORE_FIRST_SOCKET, PMU_THREAD_LIVE, 1)->flags =
		PMU_THREAD_SOCKET;
	other = build_thread(build, 0, group, 2, PMU_THREAD_LIVE, 1);
	other->tid = 4712;
	whole = build_head(build)->size;
	is_int(look(build, whole), 0, "a store is looked at");
	is_u64(n_seen, 2, "threads that have ended and sockets are none");
	is_int(seen[0].tid, 4711, "a thread's number");
	is_u64(seen[0].serial, 1, "  its record's");
	is_u64(seen[0].flags, PMU_THREAD_WAITS, "  its flags");
	is_int(seen[1].tid, 4712, "the other one is behind what is none");
	is_u64(seen[1].serial, 4, "  and has its own record");

	is_int(look(build, whole - 64), 0, "a file that was cut");
	is_u64(n_seen, 1, "  is looked at as far as it goes");
	((struct pmu_store_chunk *)(void *)other)[-1].magic = 0;
	is_int(look(build, whole), 0, "damage ends a look");
	is_u64(n_seen, 1, "  behind what is whole");
	build_head(build)->magic[0] = 'X';
	is_int(look(build, whole), -EINVAL, "what is no store is not looked at");
	is_int(pmu_store_each_live("/nonexistent/a.pmu", see, NULL), -ENOENT, "nor is no file");
	free(build);
	return done_testing();
}
