/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads mapfile.csv.
 *
 * Source: intel/perfmon, mapfile.csv and README.md, "Performance monitoring database directory
 * structure"; the names of CPUs are those of Linux, tools/perf/arch/.../util/header.c,
 * get_cpuid_str().
 */
#include "names/vendor/map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "base/textfile.h"

#define MAP_NAME     "mapfile.csv"
#define LINE_LEN_MAX 1000
#define FILE_LEN_MAX (32u << 20)
#define SHOWN        80

enum column { MODEL, VERSION, FILE_NAME, TYPE, CORE_TYPE, NATIVE, ROLE, COLUMNS };

/* --- patterns --- */

/*
 * A pattern is matched against all places of the text at once: bit i of a set stands for "what came
 * before takes the first i characters".  Names of CPUs are shorter than a set has bits.
 */
#define CPU_LEN_MAX 63
/* Parentheses within parentheses that are followed. */
#define MAX_NESTED 2

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

#define XDIGIT "[:xdigit:]"

/* Nothing but letters, digits, hyphens, classes of them, alternatives in parentheses and "+". */
static bool is_understood(const char *pattern)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	unsigned int nested = 0;
	bool repeatable = false;

	for (; *pattern; pattern++) {
		if (strchr(plain, *pattern)) {
			repeatable = true;
		} else if (*pattern == '[') {
			pattern++;
			if (!strncmp(pattern, XDIGIT, strlen(XDIGIT)))
				pattern += strlen(XDIGIT);
			pattern += strspn(pattern, plain);
			if (*pattern != ']')
				return false;
			repeatable = true;
		} else if (*pattern == '(' && nested < MAX_NESTED) {
			nested++;
			repeatable = false;
		} else if (*pattern == ')' && nested) {
			nested--;
			repeatable = true;
		} else if (*pattern == '+' && repeatable) {
			repeatable = false;
		} else if (*pattern == '|') {
			repeatable = false;
		} else {
			return false;
		}
	}
	return !nested;
}

/* "[[:xdigit:]5-9]", of which the end is known to be there */
static const char *class_end(const char *at)
{
	at++;
	if (!strncmp(at, XDIGIT, strlen(XDIGIT)))
		at += strlen(XDIGIT);
	return strchr(at, ']') + 1;
}

static bool in_class(const char *at, char c)
{
	const char *p = at + 1;
	bool found = false;

	if (!strncmp(p, XDIGIT, strlen(XDIGIT))) {
		p += strlen(XDIGIT);
		found = is_hex_digit(c);
	}
	for (; *p != ']'; p++) {
		char low = upper(*p), high = low;

		if (p[1] == '-' && p[2] != ']') {
			high = upper(p[2]);
			p += 2;
		}
		found |= c >= low && c <= high;
	}
	return found;
}

static uint64_t match_any(const char **at, const char *text, uint64_t from);

/* One letter, class or pair of parentheses. */
static uint64_t match_one(const char **at, const char *text, uint64_t from)
{
	const char *start = *at;
	uint64_t to = 0;

	++*at;
	if (*start == '(') {
		to = match_any(at, text, from);
		++*at;
		return to;
	}
	for (; from; from &= from - 1) {
		char c = upper(text[__builtin_ctzll(from)]);

		if (c && (*start == '[' ? in_class(start, c) : upper(*start) == c))
			to |= (from & -from) << 1;
	}
	if (*start == '[')
		*at = class_end(start);
	return to;
}

/* Alternatives, up to their end. */
static uint64_t match_any(const char **at, const char *text, uint64_t from)
{
	uint64_t now = from, found = 0;

	for (;;) {
		const char *start = *at;

		if (!*start || *start == ')')
			return found | now;
		if (*start == '|') {
			found |= now;
			now = from;
			++*at;
			continue;
		}
		now = match_one(at, text, now);
		if (**at != '+')
			continue;
		for (uint64_t before = 0; before != now;) {
			const char *again = start;

			before = now;
			now |= match_one(&again, text, now);
		}
		++*at;
	}
}

/* Does the pattern take all of the text, or the first @or_so_many characters? */
static bool match(const char *pattern, const char *text, size_t or_so_many)
{
	uint64_t ends = match_any(&pattern, text, 1);

	return ends >> strlen(text) & 1 || ends >> or_so_many & 1;
}

/* --- CPUs --- */

/* What patterns are matched with: made once for all lines of a map. */
struct called {
	const struct pmu_cpu_id *id;
	unsigned int n;
	struct {
		char text[CPU_LEN_MAX + 1];
		size_t enough; /* so many characters of it will do */
	} name[2];
};

/* "GenuineIntel-6-55-4", or all of it but the stepping */
static void call_x86(struct called *called, int digits)
{
	const struct pmu_cpu_id *id = called->id;
	char *text = called->name[called->n].text;
	size_t len = (size_t)snprintf(text, CPU_LEN_MAX + 1, "%s-%u-%0*X", id->vendor, id->family,
				      digits, id->model);

	snprintf(text + len, CPU_LEN_MAX + 1 - len, "-%X", id->stepping);
	called->name[called->n++].enough = len;
}

/* mvendorid, marchid and mimpid as /proc/cpuinfo has them */
static void call_riscv(struct called *called)
{
	const struct pmu_cpu_id *id = called->id;

	called->name[called->n++].enough = (size_t)snprintf(
		called->name[0].text, CPU_LEN_MAX + 1, "0x%x-0x%llx-0x%llx", id->family,
		(unsigned long long)id->march, (unsigned long long)id->mimp);
}

static void call_cpu(struct called *called, const struct pmu_cpu_id *id)
{
	called->id = id;
	called->n = 0;
	switch (pmu_cpu_arch(id)) {
	case PMU_ARCH_X86:
		call_x86(called, 1);
		/* a model below 10H is written with one digit or two */
		if (id->model < 0x10)
			call_x86(called, 2);
		break;
	case PMU_ARCH_RISCV:
		call_riscv(called);
		break;
	case PMU_ARCH_ARM:
		break;
	}
}

/*
 * MIDR_EL1 of which variant [23:20] and revision [3:0] are the first ones that are meant; they
 * are 0 for all of them.
 */
static bool is_arm_pattern(const char *pattern, const struct pmu_cpu_id *id)
{
	struct pmu_cpu_id of;
	uint64_t midr;

	if (pmu_parse_u64(pattern, &midr) < 0)
		return false;
	pmu_cpu_midr(midr, &of);
	return of.family == id->family && of.model == id->model && of.stepping <= id->stepping;
}

void pmu_vendor_cpu_name(const struct pmu_cpu_id *id, char *name, size_t size)
{
	switch (pmu_cpu_arch(id)) {
	case PMU_ARCH_X86:
		snprintf(name, size, "%s-%u-%X (stepping %u)", id->vendor, id->family, id->model,
			 id->stepping);
		break;
	case PMU_ARCH_ARM:
		snprintf(name, size, "0x%02x%xf%03x%x", id->family, id->stepping >> 4, id->model,
			 id->stepping & 0xf);
		break;
	case PMU_ARCH_RISCV:
		snprintf(name, size, "0x%x-0x%llx-0x%llx", id->family,
			 (unsigned long long)id->march, (unsigned long long)id->mimp);
		break;
	}
}

static bool is_about(const char *pattern, const struct called *cpu)
{
	if (pmu_cpu_arch(cpu->id) == PMU_ARCH_ARM)
		return is_arm_pattern(pattern, cpu->id);
	if (!is_understood(pattern))
		return false;
	for (unsigned int i = 0; i < cpu->n; i++)
		if (match(pattern, cpu->name[i].text, cpu->name[i].enough))
			return true;
	return false;
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

static int read_map_row(const char *name, char *line, struct pmu_vendor_map_row *row,
			const struct called *cpu)
{
	char *column[COLUMNS];
	char *rest = line;

	for (int i = 0; i < COLUMNS; i++)
		column[i] = rest ? strsep(&rest, ",") : (char *)"";
	if (!is_about(column[MODEL], cpu))
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

int pmu_vendor_map_parse(const char *name, const char *text, size_t len,
			 const struct pmu_cpu_id *id,
			 int (*take)(void *arg, const struct pmu_vendor_map_row *row), void *arg)
{
	char line[LINE_LEN_MAX + 1];
	struct pmu_vendor_map_row row = { .line = 0 };
	struct called cpu;
	int n = 0, rc;

	call_cpu(&cpu, id);
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
		rc = read_map_row(name, line, &row, &cpu);
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

static int read_vendor_path(const char *path, char **text, size_t *len)
{
	int rc = pmu_textfile_read(path, FILE_LEN_MAX, text, len);

	if (rc == -ENOTSUP)
		return pmu_fail(EINVAL, "%s is no regular file", path);
	if (rc == -EFBIG)
		return pmu_fail(EFBIG, "%s is larger than %u MiB", path, FILE_LEN_MAX >> 20);
	if (rc)
		return pmu_fail(rc == -ENOTDIR ? ENOENT : -rc, "cannot open %s: %s", path,
				strerror(-rc));
	return 0;
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

int pmu_vendor_read(const char *folder, const char *file, char **text, size_t *len)
{
	char *path = path_of(folder, file);
	int rc = path ? read_vendor_path(path, text, len) : -ENOMEM;

	free(path);
	return rc;
}

/* Where Linux has the map of a CPU's architecture, from several folders on. */
static const char *const *folders_of(const struct pmu_cpu_id *id)
{
#define BELOW(arch)                                                              \
	{                                                                        \
		"", arch, "arch/" arch, "tools/perf/pmu-events/arch/" arch, NULL \
	}
	static const char *const x86[] = BELOW("x86"), *const arm[] = BELOW("arm64"),
				 *const riscv[] = BELOW("riscv");

	switch (pmu_cpu_arch(id)) {
	case PMU_ARCH_X86:
		return x86;
	case PMU_ARCH_ARM:
		return arm;
	case PMU_ARCH_RISCV:
		return riscv;
	}
	return x86;
}

/* @found: its folder, malloc'ed; -ENOENT: none of them has one */
static int read_map(const char *folder, const struct pmu_cpu_id *id, char **found, char **text,
		    size_t *len)
{
	int rc = -ENOENT;

	for (const char *const *below = folders_of(id); *below && rc == -ENOENT; below++) {
		*found = **below ? path_of(folder, *below) : strdup(folder);
		rc = *found ? pmu_vendor_read(*found, MAP_NAME, text, len)
			    : pmu_fail(ENOMEM, "no memory for the path of %.*s", SHOWN, folder);
		if (rc)
			free(*found);
	}
	return rc;
}

/* Adds to each row the folder that its map is in. */
struct walk {
	const char *folder;
	int (*take)(void *arg, const struct pmu_vendor_map_row *row);
	void *arg;
};

static int take_with_folder(void *arg, const struct pmu_vendor_map_row *row)
{
	const struct walk *walk = arg;
	struct pmu_vendor_map_row whole = *row;

	whole.folder = walk->folder;
	return walk->take(walk->arg, &whole);
}

int pmu_vendor_map_each(const char *folder, const struct pmu_cpu_id *id,
			int (*take)(void *arg, const struct pmu_vendor_map_row *row), void *arg)
{
	struct walk walk = { .take = take, .arg = arg };
	char *name, *found, *text = NULL;
	size_t len = 0;
	int rc = read_map(folder, id, &found, &text, &len);

	if (rc == -ENOENT)
		return pmu_fail(ENOENT,
				"there is no %.*s/" MAP_NAME
				": the folder of Intel's event files has one, as a "
				"checkout of intel/perfmon does; Linux's tools/perf/pmu-events has "
				"one for each architecture",
				300, folder);
	if (rc)
		return rc;
	walk.folder = found;
	name = path_of(found, MAP_NAME);
	rc = name ? pmu_vendor_map_parse(name, text, len, id, take_with_folder, &walk) : -ENOMEM;
	free(name);
	free(found);
	free(text);
	return rc;
}
