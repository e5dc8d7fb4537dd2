/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of files that reports go to. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

/* Bytes of the folder's name in @path, with its last '/'; 0 for the current one. */
static size_t output_folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

struct path_out {
	char *text;
	size_t len;
	size_t size;
};

static void put_path_bytes(struct path_out *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++, out->len++)
		if (out->len + 1 < out->size)
			out->text[out->len] = text[i];
}

/* A host or a rank is part of one file's name: it names no folder. */
static void put_name(struct path_out *out, const char *name)
{
	bool only_dots = !name[strspn(name, ".")];

	for (; *name; name++)
		put_path_bytes(out, *name == '/' || only_dots ? "_" : name, 1);
}

static int end_path(struct path_out *out)
{
	if (out->size)
		out->text[out->len < out->size ? out->len : out->size - 1] = '\0';
	return out->len < out->size ? (int)out->len : -ENAMETOOLONG;
}

static void put_letter(struct path_out *out, char letter, const struct pmu_output_names *names)
{
	char number[32];

	switch (letter) {
	case 'p':
		put_path_bytes(out, number, (size_t)sprintf(number, "%ld", names->pid));
		break;
	case 'n':
		put_path_bytes(out, number, (size_t)sprintf(number, "%u", names->nth));
		break;
	case 'r':
		put_name(out, names->rank && names->rank[0] ? names->rank : "0");
		break;
	case 'h':
		put_name(out, names->host && names->host[0] ? names->host : "localhost");
		break;
	case '%':
		put_path_bytes(out, "%", 1);
		break;
	default:
		put_path_bytes(out, "%", 1);
		put_path_bytes(out, &letter, 1);
	}
}

bool pmu_output_has(const char *configured, size_t len, const char *letters)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (configured[i] == '%' && strchr(letters, configured[++i]))
			return true;
	return false;
}

bool pmu_output_is_of_one(const char *configured, size_t len)
{
	return pmu_output_has(configured, len, "prhn");
}

int pmu_output_path(const char *configured, const struct pmu_output_names *names, char *out,
		    size_t size)
{
	struct path_out path = { .text = out, .size = size };

	for (const char *c = configured; *c; c++) {
		if (*c == '%' && c[1])
			put_letter(&path, *++c, names);
		else
			put_path_bytes(&path, c, 1);
	}
	return end_path(&path);
}

int pmu_output_aside(const char *path, long pid, unsigned int nth, char *out, size_t size)
{
	struct path_out aside = { .text = out, .size = size };
	size_t folder = output_folder_len(path), len = strlen(path);
	const char *dot = strrchr(path + folder, '.');
	size_t before = dot ? (size_t)(dot - path) : len;
	char number[48];

	/* ".name" is a hidden file, not an ending, unless a format goes by it */
	if (before == folder && pmu_report_format_of(path) == PMU_REPORT_TEXT)
		before = len;
	put_path_bytes(&aside, path, before);
	put_path_bytes(&aside, number, (size_t)sprintf(number, ".%ld", pid));
	if (nth)
		put_path_bytes(&aside, number, (size_t)sprintf(number, "-%u", nth));
	put_path_bytes(&aside, path + before, len - before);
	return end_path(&aside);
}
