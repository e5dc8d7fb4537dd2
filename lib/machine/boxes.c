/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the boxes of the kernel's PMUs in sysfs. */
#include "machine/boxes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sysfile.h"
#include "machine/mask.h"

/* More than any machine has; those beyond are not looked at. */
#define MOST_BOXES 1024
#define PATH_SIZE  512
/* Digits of a box's number: the value fits. */
#define MOST_DIGITS 9
/* Of a list of processors: what is longer has more of them than a box keeps. */
#define TEXT_SIZE 1024

size_t pmu_box_stem(const char *name)
{
	size_t len = strlen(name), digits = 0;

	while (digits < len && isdigit((unsigned char)name[len - 1 - digits]))
		digits++;
	if (!digits || digits > MOST_DIGITS || len - digits < 2 || name[len - digits - 1] != '_')
		return len;
	return len - digits - 1;
}

/* --- numbers --- */

struct numbers {
	uint32_t number[MOST_BOXES];
	size_t n;
	bool more;
};

/* Of two numbers each has so many bits of one. */
#define HALF 16

/* One of two numbers at the front of *@name, which is then behind it. */
static bool take_box_number(const char **name, uint32_t *number)
{
	char *end;
	unsigned long value = strtoul(*name, &end, 10);

	*number = *number << HALF | (uint32_t)value;
	return isdigit((unsigned char)**name) && value >> HALF == 0 && (*name = end);
}

/* "hisi_scclX_ddrcY" is a box of "hisi_sccl,ddrc". */
static bool two_numbers_of(const char *name, const char *pmu, size_t comma, uint32_t *number)
{
	size_t rest = strlen(pmu + comma + 1);

	if (strncmp(name, pmu, comma) != 0)
		return false;
	name += comma;
	*number = 0;
	if (!take_box_number(&name, number) || *name != '_' ||
	    strncmp(name + 1, pmu + comma + 1, rest) != 0)
		return false;
	name += 1 + rest;
	return take_box_number(&name, number) && !*name;
}

/* "uncore_imc_3" has number 3 of "uncore_imc". */
static bool box_number_of(const char *name, const char *pmu, uint32_t *number)
{
	size_t len = strlen(pmu), comma = strcspn(pmu, ",");

	if (pmu[comma])
		return two_numbers_of(name, pmu, comma, number);
	if (pmu_box_stem(name) != len || !name[len] || memcmp(name, pmu, len) != 0)
		return false;
	*number = (uint32_t)strtoul(name + len + 1, NULL, 10);
	return true;
}

static int compare_box_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void list_numbers(const char *devices, const char *pmu, struct numbers *numbers)
{
	DIR *folder = opendir(devices);
	const struct dirent *entry;

	numbers->n = 0;
	numbers->more = false;
	if (!folder)
		return;
	while (!numbers->more && (entry = readdir(folder))) {
		uint32_t number;

		if (!box_number_of(entry->d_name, pmu, &number))
			continue;
		numbers->more = numbers->n == MOST_BOXES;
		if (!numbers->more)
			numbers->number[numbers->n++] = number;
	}
	closedir(folder);
	qsort(numbers->number, numbers->n, sizeof(numbers->number[0]), compare_box_numbers);
}

/* --- one box --- */

static long read_device_file(const char *devices, const char *name, const char *file, char *text,
			     size_t size)
{
	char path[PATH_SIZE];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s", devices, name, file) >= sizeof(path))
		return -ENAMETOOLONG;
	return pmu_sysfile_read(path, text, size);
}

/* Digits up to the next that is none.  Return: where that is; NULL for no number of a CPU. */
static const char *read_cpu(const char *text, int *cpu)
{
	if (!isdigit((unsigned char)*text))
		return NULL;
	for (*cpu = 0; isdigit((unsigned char)*text); text++) {
		*cpu = *cpu * 10 + (*text - '0');
		if (*cpu >= PMU_MASK_CPUS)
			return NULL;
	}
	return text;
}

/* "0,28" or "0-3,8", ascending as the kernel writes it */
static bool parse_cpumask(const char *text, struct pmu_box *box)
{
	int first, last, before = -1;

	for (;; text++) {
		text = read_cpu(text, &first);
		last = first;
		if (text && *text == '-')
			text = read_cpu(text + 1, &last);
		if (!text || first <= before || last < first)
			return false;
		for (int cpu = first; cpu <= last; cpu++) {
			if (box->n_cpus == PMU_BOX_MAX_CPUS) {
				box->cut = true;
				return true;
			}
			box->cpu[box->n_cpus++] = cpu;
		}
		before = last;
		if (*text != ',')
			return !*text;
	}
}

/* false: no such folder, or nothing that could be counted through it */
static bool read_box(const char *devices, const char *name, struct pmu_box *box)
{
	char text[TEXT_SIZE];
	uint64_t type;
	long len;

	memset(box, 0, sizeof(*box));
	if ((size_t)snprintf(box->name, sizeof(box->name), "%s", name) >= sizeof(box->name))
		return false;
	if (read_device_file(devices, name, "type", text, sizeof(text)) < 0 ||
	    pmu_parse_u64(text, &type) < 0 || type >= UINT32_MAX)
		return false;
	box->type = (uint32_t)type;
	len = read_device_file(devices, name, "cpumask", text, sizeof(text));
	if (len == -ENOENT)
		return true;
	/* what was read of a longer one ends the parser before its own end */
	if (len == -EFBIG)
		return parse_cpumask(text, box) && box->cut;
	return len > 0 && strlen(text) == (size_t)len && parse_cpumask(text, box);
}

/* --- all boxes --- */

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static void write_box_name(const char *pmu, uint32_t number, char name[PMU_BOX_NAME_MAX + 16])
{
	int comma = (int)strcspn(pmu, ",");

	if (pmu[comma])
		snprintf(name, PMU_BOX_NAME_MAX + 16, "%.*s%u_%.*s%u", comma, pmu, number >> HALF,
			 PMU_BOX_NAME_MAX / 2, pmu + comma + 1, number & ((1u << HALF) - 1));
	else
		snprintf(name, PMU_BOX_NAME_MAX + 16, "%.*s_%u", PMU_BOX_NAME_MAX, pmu, number);
}

static size_t find_numbered(const char *devices, const char *pmu, struct pmu_box *box, size_t room)
{
	/* not on the stack: a program's thread may have a small one */
	struct numbers *numbers = malloc(sizeof(*numbers));
	struct pmu_box one;
	size_t n = 0;

	if (!numbers)
		return 0;
	list_numbers(devices, pmu, numbers);
	for (size_t i = 0; i < numbers->n; i++) {
		char name[PMU_BOX_NAME_MAX + 16];

		if (i && numbers->number[i] == numbers->number[i - 1])
			continue;
		write_box_name(pmu, numbers->number[i], name);
		if (!read_box(devices, name, &one))
			continue;
		one.cut |= numbers->more;
		if (n < room)
			box[n] = one;
		n++;
	}
	free(numbers);
	return n;
}

size_t pmu_boxes_find(const char *devices, const char *pmu, struct pmu_box *box, size_t room)
{
	struct pmu_box one;

	if (!is_plain_name(pmu))
		return 0;
	if (!read_box(devices, pmu, &one))
		return find_numbered(devices, pmu, box, room);
	if (room)
		*box = one;
	return 1;
}
