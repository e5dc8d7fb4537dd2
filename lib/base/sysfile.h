/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files of /proc and /sys: one open, one read, one check. */
#ifndef PMU_BASE_SYSFILE_H
#define PMU_BASE_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * pmu_sysfile_read() - a small text file, trailing white space cut off
 * @path: what to open (O_CLOEXEC)
 * @buf: receives at most @size - 1 bytes and a NUL
 *
 * Context: no allocation.
 * Return: bytes in @buf, or a negative errno (-EFBIG where the file holds more).
 */
long pmu_sysfile_read(const char *path, char *buf, size_t size);

/**
 * pmu_sysfile_u64() - a file that holds one number, decimal or 0x
 * Return: 0, -EINVAL where it holds anything else, or the errno of reading it.
 */
int pmu_sysfile_u64(const char *path, uint64_t *value);
/** pmu_sysfile_i64() - the same with a sign, decimal. */
int pmu_sysfile_i64(const char *path, int64_t *value);

/**
 * pmu_parse_u64() - all of @text is one number, decimal or 0x, without sign or space
 * Return: 0; -EINVAL; -ERANGE.
 */
int pmu_parse_u64(const char *text, uint64_t *value);

#endif
