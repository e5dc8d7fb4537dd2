/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads small text files and the numbers in them. */
#include "base/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/retry.h"

/* read(2) that a signal does not cut short: bytes, 0 at the end of the file, or a
 * negative errno. */
static ssize_t read_once(int fd, char *buf, size_t size)
{
	ssize_t n = PMU_RETRY(read(fd, buf, size));

	return n < 0 ? -errno : n;
}

/* A read of a file of /proc or /sys that has more to give fills a page, but for one line's room. */
#define LAST_READ 2048

/* All of the file, or the first @size bytes of it and -EFBIG. */
static ssize_t read_whole(int fd, char *buf, size_t size, size_t *len)
{
	char beyond;
	ssize_t n;

	while (*len < size) {
		n = read_once(fd, buf + *len, size - *len);
		if (n <= 0)
			return n;
		*len += (size_t)n;
		if (n < LAST_READ && *len < size)
			return 0;
	}
	n = read_once(fd, &beyond, 1);
	return n > 0 ? -EFBIG : n;
}

static int is_space_char(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

long pmu_sysfile_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t rc;
	int fd;

	if (!size)
		return -EINVAL;
	buf[0] = '\0';
	fd = PMU_RETRY(open(path, O_RDONLY | O_CLOEXEC));
	if (fd < 0)
		return -errno;
	rc = read_whole(fd, buf, size - 1, &len);
	close(fd);
	while (len && is_space_char(buf[len - 1]))
		len--;
	buf[len] = '\0';
	return rc < 0 ? rc : (long)len;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* At least one digit and nothing else. */
static int parse_digits(const char *text, unsigned int base, uint64_t *value)
{
	uint64_t sum = 0;
	int rc = *text ? 0 : -EINVAL;

	for (; *text; text++) {
		unsigned int digit = (unsigned int)digit_value(*text);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			rc = -ERANGE; /* unless a later character makes it no number at
					 all */
	}
	if (!rc)
		*value = sum;
	return rc;
}

int pmu_parse_u64(const char *text, uint64_t *value)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_digits(text + 2, 16, value);
	return parse_digits(text, 10, value);
}

static int parse_i64(const char *text, int64_t *value)
{
	int negative = text[0] == '-';
	uint64_t magnitude;
	int rc = parse_digits(text + negative, 10, &magnitude);

	if (rc)
		return rc;
	if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return -ERANGE;
	*value = negative && magnitude ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
	return 0;
}

/* Room for the longest number there is; more is not a number. */
static int read_number_text(const char *path, char *buf, size_t size)
{
	long len = pmu_sysfile_read(path, buf, size);

	if (len == -EFBIG)
		return -EINVAL;
	if (len < 0)
		return (int)len;
	return strlen(buf) == (size_t)len ? 0 : -EINVAL;
}

int pmu_sysfile_u64(const char *path, uint64_t *value)
{
	char buf[64];
	int rc = read_number_text(path, buf, sizeof(buf));

	if (!rc && pmu_parse_u64(buf, value))
		rc = -EINVAL;
	return rc;
}

int pmu_sysfile_i64(const char *path, int64_t *value)
{
	char buf[64];
	int rc = read_number_text(path, buf, sizeof(buf));

	if (!rc && parse_i64(buf, value))
		rc = -EINVAL;
	return rc;
}
