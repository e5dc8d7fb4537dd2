/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads whole files. */
#include "base/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/retry.h"

#define FIRST_ROOM 65536u

/* Of a file all at once; one byte more shows that this was all, and is the NUL's. */
static size_t first_room(int fd, size_t most)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return most < FIRST_ROOM ? most + 1 : FIRST_ROOM;
	return (uint64_t)st.st_size < most ? (size_t)st.st_size + 1 : most + 1;
}

static int grow_text(char **text, size_t *room, size_t most)
{
	size_t larger = *room > most / 2 ? most + 1 : *room * 2;
	char *moved;

	if (*room > most)
		return -EFBIG;
	moved = realloc(*text, larger);
	if (!moved)
		return -ENOMEM;
	*text = moved;
	*room = larger;
	return 0;
}

int pmu_textfile_read_open(int fd, size_t most, char **text, size_t *len)
{
	size_t room = first_room(fd, most);
	int rc = 0;

	*len = 0;
	*text = malloc(room);
	if (!*text)
		return -ENOMEM;
	while (!rc) {
		ssize_t got = read(fd, *text + *len, room - *len);

		if (!got) {
			(*text)[*len] = '\0';
			return 0;
		}
		if (got < 0 && errno != EINTR)
			rc = -errno;
		*len += got > 0 ? (size_t)got : 0;
		if (*len == room)
			rc = grow_text(text, &room, most);
	}
	free(*text);
	*text = NULL;
	return rc;
}

int pmu_textfile_read(const char *path, size_t most, char **text, size_t *len)
{
	int fd = PMU_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), rc;
	struct stat st;

	*text = NULL;
	*len = 0;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -ENOTSUP;
	else
		rc = pmu_textfile_read_open(fd, most, text, len);
	close(fd);
	return rc;
}
