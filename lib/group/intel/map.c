/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads mapfile.csv.
 *
 * Source: intel/perfmon, mapfile.csv and README.md, "Performance monitoring database directory
 * structure"; the names of CPUs are those of Linux, tools/perf/arch/x86/util/header.c,
 * get_cpuid_str().
 */
#include "group/intel/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sysfile.h"

#define MAP_NAME     "mapfile.csv"
#define LINE_LEN_MAX 1000
#define FILE_LEN_MAX (32u << 20)
#define SHOWN        80

enum column { MODEL, VERSION, FILE_NAME, TYPE, CORE_TYPE, NATIVE, ROLE, COLUMNS };

/* --- patterns --- */

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* "[5-9A-F]" at *@at, of which the end is known to be there; *@at is then behind it. */
static bool in_class(const char **at, char c)
{
	const char *end = strchr(*at, ']'), *p = *at + 1;
	bool found = false;

	for (; p < end; p++) {
		char low = upper(*p), high = low;

		if (p[1] == '-' && p + 2 < end) {
			high = upper(p[2]);
			p += 2;
		}
		found |= c >= low && c <= high;
	}
	*at = end + 1;
	return found;
}

/* Nothing but letters, digits, hyphens and classes of them. */
static bool is_understood(const char *pattern)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

	for (;;) {
		pattern += strspn(pattern, plain);
		if (!*pattern)
			return true;
		if (*pattern++ != '[')
			return false;
		pattern += strspn(pattern, plain);
		if (*pattern++ != ']')
			return false;
	}
}

/* How much of @text the whole pattern takes; 0: it does not fit. */
static size_t match(const char *pattern, const char *text)
{
	const char *start = text;

	while (*pattern) {
		char c = upper(*text);
		bool fits;

		if (*pattern == '[')
			fits = in_class(&pattern, c);
		else
			fits = upper(*pattern++) == c;
		if (!fits || !c)
			return 0;
		text++;
	}
	return (size_t)(text - start);
}

/* The whole name, or all of it but the stepping. */
static bool is_about(const char *pattern, const struct pmu_cpu_id *id)
{
	char cpu[64];
	size_t with, without, len;

	if (!is_understood(pattern))
		return false;
	with = (size_t)snprintf(cpu, sizeof(cpu), "%s-%u-%X-%X", id->vendor, id->family, id->model,
				id->stepping);
	without = (size_t)(strrchr(cpu, '-') - cpu);
	len = match(pattern, cpu);
	if (len == with || len == without)
		return true;
	/* a model below 10H is written with one digit or two */
	with = (size_t)snprintf(cpu, sizeof(cpu), "%s-%u-%02X-%X", id->vendor, id->family,
				id->model, id->stepping);
	without = (size_t)(strrchr(cpu, '-') - cpu);
	len = match(pattern, cpu);
	return len == with || len == without;
}

/* --- rows --- */

/* Relative, and without a way up. */
static bool stays_inside(const char *file)
{
	for (const char *at = file; *at;) {
		size_t len = strcspn(at, "/");

		if (len == 2 && at[0] == '.' && at[1] == '.')
			return false;
		at += len + (at[len] == '/');
	}
	return *file;
}

static bool read_optional(const char *text, unsigned int *value)
{
	uint64_t number = 0;

	if (*text && (pmu_parse_u64(text, &number) < 0 || number > UINT32_MAX))
		return false;
	*value = (unsigned int)number;
	return true;
}

static int read_row(const char *name, char *line, struct pmu_intel_map_row *row,
		    const struct pmu_cpu_id *id)
{
	char *column[COLUMNS];
	char *rest = line;

	for (int i = 0; i < COLUMNS; i++)
		column[i] = rest ? strsep(&rest, ",") : (char *)"";
	if (!is_about(column[MODEL], id))
		return 0;
	row->file = column[FILE_NAME] + strspn(column[FILE_NAME], "/");
	row->type = column[TYPE];
	if (!stays_inside(row->file))
		return pmu_fail(EINVAL, "%s:%u: \"%.*s\" is no file of that folder", name,
				row->line, SHOWN, column[FILE_NAME]);
	if (!read_optional(column[CORE_TYPE], &row->core_type) ||
	    !read_optional(column[NATIVE], &row->native))
		return pmu_fail(EINVAL,
				"%s:%u: core type \"%.*s\", native model \"%.*s\": no numbers",
				name, row->line, SHOWN, column[CORE_TYPE], SHOWN, column[NATIVE]);
	return 1;
}

int pmu_intel_map_parse(const char *name, const char *text, size_t len, const struct pmu_cpu_id *id,
			int (*take)(void *arg, const struct pmu_intel_map_row *row), void *arg)
{
	char line[LINE_LEN_MAX + 1];
	struct pmu_intel_map_row row = { .line = 0 };
	int n = 0, rc;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, len -= 3;
	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t n_line = newline ? (size_t)(newline - text) : len, n_text = n_line;

		row.line++;
		if (n_text && text[n_text - 1] == '\r')
			n_text--;
		if (n_text > LINE_LEN_MAX || memchr(text, '\0', n_text))
			return pmu_fail(EINVAL,
					"%s:%u: a line longer than %d bytes or with a NUL in it",
					name, row.line, LINE_LEN_MAX);
		memcpy(line, text, n_text);
		line[n_text] = '\0';
		text += n_line + !!newline;
		len -= n_line + !!newline;
		rc = read_row(name, line, &row, id);
		if (rc > 0) {
			n++;
			rc = take(arg, &row);
		}
		if (rc)
			return rc;
	}
	return n;
}

/* --- files --- */

static int read_all(int fd, char **text, size_t *len)
{
	struct stat st;
	size_t done = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > (off_t)FILE_LEN_MAX)
		return -EFBIG;
	*text = malloc((size_t)st.st_size + 1);
	if (!*text)
		return -ENOMEM;
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, *text + done, (size_t)st.st_size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			free(*text);
			*text = NULL;
			return -error;
		}
		if (!n)
			break;
		done += (size_t)n;
	}
	(*text)[done] = '\0';
	*len = done;
	return 0;
}

static int read_path(const char *path, char **text, size_t *len)
{
	/* not waiting for the other end of a pipe */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd < 0) {
		rc = errno;
		return pmu_fail(rc == ENOTDIR ? ENOENT : rc, "cannot open %s: %s", path,
				strerror(rc));
	}
	rc = read_all(fd, text, len);
	close(fd);
	if (rc == -EINVAL)
		return pmu_fail(EINVAL, "%s is no regular file", path);
	if (rc == -EFBIG)
		return pmu_fail(EFBIG, "%s is larger than %u MiB", path, FILE_LEN_MAX >> 20);
	return rc ? pmu_fail(rc, "cannot read %s: %s", path, strerror(-rc)) : 0;
}

/* Paths are not on the stack: a program's thread may have a small one. */
static char *path_of(const char *folder, const char *file)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, file) >= 0)
		return path;
	pmu_fail(ENOMEM, "no memory for the path of %.*s", SHOWN, file);
	return NULL;
}

int pmu_intel_read(const char *folder, const char *file, char **text, size_t *len)
{
	char *path = path_of(folder, file);
	int rc = path ? read_path(path, text, len) : -ENOMEM;

	free(path);
	return rc;
}

int pmu_intel_map_each(const char *folder, const struct pmu_cpu_id *id,
		       int (*take)(void *arg, const struct pmu_intel_map_row *row), void *arg)
{
	char *name, *text = NULL;
	size_t len = 0;
	int rc = pmu_intel_read(folder, MAP_NAME, &text, &len);

	if (rc == -ENOENT)
		return pmu_fail(ENOENT,
				"there is no %.*s/" MAP_NAME
				": the folder of Intel's event files has one, as a "
				"checkout of intel/perfmon does",
				300, folder);
	if (rc)
		return rc;
	name = path_of(folder, MAP_NAME);
	rc = name ? pmu_intel_map_parse(name, text, len, id, take, arg) : -ENOMEM;
	free(name);
	free(text);
	return rc;
}
