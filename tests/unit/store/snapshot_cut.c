/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores of running processes, in files that are cut while they are read; stores of other users. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tap.h"
#include "unit/store_build.h"

static char dir[] = "/tmp/pmu-cut-XXXXXX";
static char path[64];
static off_t cut_to; /* once it is mapped; 0: not */
static bool was_cut;

static bool is_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool is = false;

	while (maps && !is && fgets(line, sizeof(line), maps))
		is = strstr(line, path) != NULL;
	if (maps)
		fclose(maps);
	return is;
}

/*
 * In front of libc's: when the reader looks how long the file is that it has mapped, it loses its
 * end.
 */
int fstat(int fd, struct stat *st)
{
	int rc = fstatat(fd, "", st, AT_EMPTY_PATH);

	if (cut_to && is_mapped()) {
		if (truncate(path, cut_to))
			abort();
		cut_to = 0;
		was_cut = true;
	}
	return rc;
}

static void write_store(const struct build *build)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, build->bytes, sizeof(build->bytes)) != sizeof(build->bytes) ||
	    close(fd))
		abort();
}

static struct build *running(void)
{
	struct build *build = build_new();
	struct pmu_store_group *group = build_group(build, 0, "CORE", "instructions");
	uint32_t name = build_name(build, "solve");

	/* rows beyond the first page */
	for (int i = 0; i < 20; i++)
		build_row(build_thread(build, 0, group, (uint32_t)i, PMU_THREAD_LIVE, 8), group,
			  name, 0, 10, 1000);
	return build;
}

static int read_cut(const struct build *build, off_t size)
{
	struct pmu_model *model = NULL;
	int rc;

	write_store(build);
	was_cut = false;
	cut_to = size;
	rc = pmu_store_snapshot_file(path, &model);
	cut_to = 0;
	if (!rc)
		pmu_model_free(model);
	return rc;
}

static void a_file_may_become_shorter(void)
{
	struct build *build = running();
	struct sigaction before, after;
	struct pmu_model *model = NULL;

	int rc;

	sigaction(SIGBUS, NULL, &before);
	rc = read_cut(build, 4096);
	if (!was_cut) {
		skip("a store that is cut",
		     "this libc has no fstat() to stand in front of, or there is no /proc");
		free(build);
		return;
	}
	is_int(rc, -EIO, "a store that is cut while it is read is an error");
	has(pmu_error_text(), "became shorter while it was read", "which is told");
	has(pmu_error_text(), path, "of which file");
	ok(read_cut(build, 1) < 0, "also where nothing of it is left");
	sigaction(SIGBUS, NULL, &after);
	ok(before.sa_handler == after.sa_handler, "the signal's action is as it was");
	write_store(build);
	is_int(pmu_store_snapshot_file(path, &model), 0, "the next is read as ever");
	pmu_model_free(model);
	free(build);
}

/* Root may read it; its owner may do with it what they like. */
static void another_users_is_copied(void)
{
	struct build *build = running();
	int status = -1;
	pid_t pid;

	if (geteuid()) {
		skip("another user's store", "only root can become somebody else");
		free(build);
		return;
	}
	write_store(build);
	if (chown(path, 65534, 65534))
		abort();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct pmu_model *model = NULL;
		int rc;

		cut_to = 8192;
		rc = pmu_store_snapshot_file(path, &model);
		_exit(rc ? 1 : model->n_threads != 20 ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, "another user's store is read before it is cut");
	free(build);
}

int main(void)
{
	if (!mkdtemp(dir))
		return skip_all("no folder for the test's files");
	snprintf(path, sizeof(path), "%s/a.pmu", dir);
	a_file_may_become_shorter();
	another_users_is_copied();
	unlink(path);
	rmdir(dir);
	return done_testing();
}
