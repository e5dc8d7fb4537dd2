/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files of whatever length, as a user names them. */
#ifndef PMU_BASE_TEXTFILE_H
#define PMU_BASE_TEXTFILE_H

#include <stddef.h>

/**
 * pmu_textfile_read() - all of an ordinary file, with a NUL behind it
 * @most: bytes that it may have
 * @text: receives it, for free(); NULL where it cannot be read
 *
 * Does not block on a pipe without a writer.
 * Return: 0, or a negative errno: -ENOTSUP where it is no ordinary file, -EFBIG where it has more.
 */
int pmu_textfile_read(const char *path, size_t most, char **text, size_t *len);

/** pmu_textfile_read_open() - the same of what is open already, from where it stands, also of a pipe */
int pmu_textfile_read_open(int fd, size_t most, char **text, size_t *len);

#endif
