/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads a process has now: a look at the heads of its store's chunks. */
#define PMU_STORE_READER 1
#include "store/read/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/retry.h"
#include "store/read/check.h"
#include "store/read/snapshot.h"

/* More than any process makes: a damaged store is not gone through for minutes. */
#define MOST_CHUNKS (1u << 20)

static void see_chunk(int fd, uint64_t offset, const struct pmu_chunk_copy *copy, pmu_live_fn *see,
		      void *arg)
{
	const size_t head = sizeof(struct pmu_store_chunk);
	struct pmu_store_thread record;
	struct pmu_live_thread thread;

	if (copy->kind != PMU_CHUNK_THREAD || copy->size < head + sizeof(record) ||
	    PMU_RETRY(pread(fd, &record, sizeof(record), (off_t)(offset + head))) !=
		    (ssize_t)sizeof(record))
		return;
	thread = (struct pmu_live_thread){ record.tid, copy->owner, record.flags };
	if (record.state == PMU_THREAD_LIVE && !(thread.flags & PMU_THREAD_SOCKET))
		see(arg, &thread);
}

static int end_of_store(int fd, uint64_t *end)
{
	struct pmu_store_head head;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0 ||
	    PMU_RETRY(pread(fd, &head, sizeof(head), 0)) != (ssize_t)sizeof(head) ||
	    pmu_store_check_head(&head, (uint64_t)st.st_size))
		return -EINVAL;
	*end = head.size < (uint64_t)st.st_size ? head.size : (uint64_t)st.st_size;
	return 0;
}

int pmu_store_each_live_of(int fd, pmu_live_fn *see, void *arg)
{
	uint64_t offset = PMU_STORE_HEAD_SIZE, end = 0;
	int rc = end_of_store(fd, &end);
	struct pmu_chunk_copy copy;

	for (unsigned int i = 0; !rc && i < MOST_CHUNKS && offset < end; i++) {
		if (!pmu_chunk_read(fd, offset, end, &copy))
			break;
		see_chunk(fd, offset, &copy, see, arg);
		offset += copy.size;
	}
	return rc;
}

int pmu_store_each_live(const char *path, pmu_live_fn *see, void *arg)
{
	int fd = PMU_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)), rc;

	if (fd < 0)
		return -errno;
	rc = pmu_store_each_live_of(fd, see, arg);
	close(fd);
	return rc;
}
