/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of ours that outlive a process. */
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "base/retry.h"

int pmu_place_path(size_t nth, char path[PMU_PLACE_MAX])
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	const char *tmp = secure_getenv("TMPDIR");
	int n;

	/* Relative ones would move with the program's working directory. */
	if (!tmp || tmp[0] != '/')
		tmp = "/tmp";
	/*
	 * 'sudo -E' and su hand on another user's; the XDG specification has it passed over.
	 */
	if (nth == 0 && (!runtime || runtime[0] != '/' || !pmu_owner_is_self(runtime)))
		return -ENOENT;
	if (nth == 0)
		n = snprintf(path, PMU_PLACE_MAX, "%s/pmu", runtime);
	else
		n = snprintf(path, PMU_PLACE_MAX, "%s/pmu-%u", nth == 1 ? "/dev/shm" : tmp,
			     (unsigned int)pmu_owner_self());
	return n < PMU_PLACE_MAX ? 0 : -ENOENT;
}

int pmu_place_open(const char *path, int create, const char **why)
{
	struct stat st;
	int fd, rc;

	if (create && mkdir(path, 0700) && errno != EEXIST) {
		*why = strerror(errno);
		return -errno;
	}
	fd = PMU_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (fd < 0) {
		rc = -errno;
		*why = rc == -ELOOP || rc == -ENOTDIR ? "not a directory" : strerror(-rc);
		return rc;
	}
	rc = pmu_owner_stat(fd, &st);
	if (rc)
		*why = "cannot be examined";
	else if (st.st_uid != pmu_owner_self())
		*why = "belongs to another user";
	else if (st.st_mode & 077)
		*why = "is open to other users (chmod 700 would mend that)";
	else
		return fd;
	close(fd);
	return rc ? rc : -EPERM;
}
