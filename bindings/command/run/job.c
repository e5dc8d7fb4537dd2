/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank of an MPI job: what its library, libpmu-mpi.so, has left beside the store. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/sysfile.h"
#include "bindings/command/run/run.h"
#include "bindings/mpi/job.h"
#include "report/model/metric.h"
#include "reports/ranks/ranks.h"
#include "session/rank.h"

/* Names of programs that start ranks begin so; a distribution may add which MPI it is of. */
static const char *const launchers[] = { "mpirun", "mpiexec", "orterun", "prterun",
					 "srun",   "aprun",   "jsrun" };

/* "mpi" among the words of --auto. */
static bool asks_for_calls(const struct pmu_run_request *request)
{
	const char *text = PMU_RUN_SETTING(request, PMU_AUTO);

	if (!text)
		text = getenv("PMU_AUTO");
	for (; text && *text; text += strcspn(text, ", "), text += strspn(text, ", "))
		if (strcspn(text, ", ") == 3 && !strncmp(text, "mpi", 3))
			return true;
	return false;
}

bool pmu_run_is_mpi(const struct pmu_run_request *request, const struct pmu_run_target *target)
{
	const char *slash = strrchr(request->command[0], '/');
	const char *name = slash ? slash + 1 : request->command[0];

	if (pmu_session_rank() || target->is_mpi || asks_for_calls(request))
		return true;
	for (size_t i = 0; i < PMU_ARRAY_LEN(launchers); i++) {
		size_t len = strlen(launchers[i]);

		if (!strncmp(name, launchers[i], len) && (!name[len] || name[len] == '.'))
			return true;
	}
	return false;
}

static int open_in(const struct pmu_run_folder *folder, const char *name, struct stat *st)
{
	char path[PMU_PLACE_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	fd = PMU_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* How many ranks its job had; 0: it says nothing that makes sense. */
static unsigned long ranks_of_job(const struct pmu_run_folder *folder, const char *name)
{
	char text[32] = "";
	struct stat st;
	int fd = open_in(folder, name, &st);

	if (fd < 0)
		return 0;
	if (PMU_RETRY(read(fd, text, sizeof(text) - 1)) < 0)
		text[0] = '\0';
	close(fd);
	return strtoul(text, NULL, 10);
}

static void take_report(const struct pmu_run_folder *folder, struct pmu_run_parts *parts)
{
	struct pmu_ranks *ranks = NULL;
	struct stat st;
	int fd = open_in(folder, MPI_JOB_REPORT, &st);
	char *bytes = fd >= 0 && st.st_size <= INT_MAX ? malloc((size_t)st.st_size + 1) : NULL;
	ssize_t n = bytes ? PMU_RETRY(pread(fd, bytes, (size_t)st.st_size, 0)) : -1;

	if (n >= 0 && !pmu_ranks_decode(bytes, (size_t)n, &ranks) &&
	    !pmu_ranks_model(ranks, &parts->job))
		pmu_metric_fill(parts->job);
	else if (fd >= 0)
		pmu_run_note(parts, "the report of all ranks could not be read: %s",
			     n < 0 ? "no memory" : pmu_error_text());
	parts->in_job = fd < 0 || parts->job;
	free(bytes);
	if (fd >= 0)
		close(fd);
}

/*
 * Where all ranks of the job have left their results here, as where the command is mpirun itself,
 * they are merged, with all else that it has started.
 */
void pmu_run_take_job(const struct pmu_run_folder *folder, struct pmu_run_parts *parts)
{
	DIR *dir = opendir(folder->path);
	unsigned long n = 0, n_ranks = 0;
	struct dirent *file;

	while (dir && (file = readdir(dir))) {
		if (strncmp(file->d_name, MPI_JOB_RANK, strlen(MPI_JOB_RANK)) != 0)
			continue;
		n++;
		n_ranks = ranks_of_job(folder, file->d_name);
	}
	if (dir)
		closedir(dir);
	if (n && n < n_ranks)
		take_report(folder, parts);
}
