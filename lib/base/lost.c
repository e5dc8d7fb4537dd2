/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that stand for results that could not be kept. */
#include "base/lost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/retry.h"
#include "base/write.h"

int pmu_lost_say(const char *folder, const char *sentence)
{
	char path[512];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%d" PMU_LOST_ENDING, folder, (int)getpid()) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = PMU_RETRY(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	pmu_write_all(fd, sentence, strlen(sentence));
	close(fd);
	return 0;
}
