/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that come and go while they are watched: which are shown, and which cannot be read. */
#include "bindings/command/top/watch.h"

#include <sys/stat.h>

#include "../store/simple.h"
#include "unit/part.h"

static char folder[64], path[96];

/* A program of that process, which runs, or has ended; in the same file, as where an inode is used again. */
static void put(int32_t pid, uint64_t start_unix_ns, bool ended)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_head *head = build_head(build);
	struct pmu_process process;

	pmu_process_self(&process);
	head->pid = pid;
	head->start_time = process.start_time;
	head->start_unix_ns = start_unix_ns;
	head->ended = ended;
	if (write_store(path, build, head->size))
		abort();
	free(build);
}

static void look(struct pmu_top_watch *watch)
{
	if (pmu_top_watch_look(watch))
		abort();
}

static void another_program_has_an_ended_ones_inode(void)
{
	struct pmu_top_watch watch = { .wanted = { .pid = getpid() } };

	put(getpid(), 1000, false);
	look(&watch);
	is_u64(watch.n_shown, 1, "a program");
	is_u64(watch.n_running, 1, "runs");
	put(getpid(), 1000, true);
	look(&watch);
	is_u64(watch.n_running, 0, "it has ended");
	look(&watch);
	is_u64(watch.n_shown, 1, "and is shown, once");
	put(getpid(), 2000, false);
	look(&watch);
	is_u64(watch.n_running, 1, "another one in a file of its inode is seen");
	is_u64(watch.n_shown, 2, "beside it");
	pmu_top_watch_free(&watch);
}

static void change_head(size_t at, uint32_t value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, &value, sizeof(value), (off_t)at) != (ssize_t)sizeof(value))
		abort();
	close(fd);
}

static void what_cannot_be_read_is_said(void)
{
	struct pmu_top_watch watch = { .wanted = { .pid = getpid() } };

	put(getpid(), 3000, false);
	look(&watch);
	change_head(offsetof(struct pmu_store_head, head_size), 5);
	look(&watch);
	is_u64(watch.n_running, 1, "what makes no sense once may do so later");
	ok(strstr(watch.why, path) && strstr(watch.why, "damaged"), "and it is known: %s",
	   watch.why);
	for (int i = 0; i < 10; i++)
		look(&watch);
	is_u64(watch.n_running, 0, "it is not waited for for ever");
	is_u64(watch.n_unread, 1, "that one is unread is said");
	change_head(offsetof(struct pmu_store_head, head_size), PMU_STORE_HEAD_SIZE);
	look(&watch);
	is_u64(watch.n_running, 1, "it may come back");
	is_u64(watch.n_unread, 0, "and is read");
	change_head(offsetof(struct pmu_store_head, version), PMU_STORE_VERSION + 1);
	look(&watch);
	is_u64(watch.n_unread, 1, "another version is known at once");
	pmu_top_watch_free(&watch);
}

UNIT_PART(watch)
{
	strcpy(folder, "/tmp/pmu-watch-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	setenv("XDG_RUNTIME_DIR", folder, 1);
	snprintf(path, sizeof(path), "%s/pmu", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/pmu/%d-1-1.pmu", folder, (int)getpid());
	another_program_has_an_ended_ones_inode();
	what_cannot_be_read_is_said();
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(folder);
	return done_testing();
}
