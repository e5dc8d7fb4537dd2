/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the files of one of the kernel's PMUs. */
#include "names/sysfs/files.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sysfile.h"
#include "names/sysfs/sysfs.h"

#define PATH_SIZE 768
#define SHOWN     60

/* --- PMUs --- */

/* PMUs that write traces or samples, or count nothing by themselves. */
static const struct {
	const char *name;
	const char *why;
} others[] = {
	{ "software", "its events have names of their own: page-faults, context-switches, ..." },
	{ "tracepoint", "it has no counters" },
	{ "breakpoint", "it has no counters" },
	{ "kprobe", "it has no counters" },
	{ "uprobe", "it has no counters" },
	{ "intel_pt", "it writes traces" },
	{ "intel_bts", "it writes traces" },
	{ "ibs_op", "it takes samples" },
	{ "ibs_fetch", "it takes samples" },
	{ "arm_spe", "it takes samples" },
	{ "cs_etm", "it writes traces" },
	{ "hisi_ptt", "it writes traces" },
};

const char *pmu_sysfs_why_not(const char *name)
{
	size_t stem = pmu_box_stem(name);

	for (size_t i = 0; i < PMU_ARRAY_LEN(others); i++)
		if (strlen(others[i].name) == stem && !strncmp(others[i].name, name, stem))
			return others[i].why;
	return NULL;
}

static bool keep_stem(char *name)
{
	name[pmu_box_stem(name)] = '\0';
	return true;
}

static bool keep_counting(char *name)
{
	return keep_stem(name) && !pmu_sysfs_why_not(name);
}

void pmu_sysfs_pmus(const char *devices, struct pmu_sysfs_names *names)
{
	pmu_sysfs_names_add(names, devices, keep_counting);
	pmu_sysfs_names_sort(names);
}

static bool find_pmu_boxes(struct pmu_sysfs_pmu *pmu, const char *name)
{
	/* a copy of what may be the PMU's own name */
	if ((size_t)snprintf(pmu->name, sizeof(pmu->name), "%s", name) >= sizeof(pmu->name))
		return false;
	pmu->n_boxes = pmu_boxes_find(pmu->devices, pmu->name, &pmu->box, 1);
	return pmu->n_boxes;
}

static bool find_ignoring_case(struct pmu_sysfs_pmu *pmu, const char *name)
{
	struct pmu_sysfs_names names = { 0 };
	const char *written;
	bool found;

	pmu_sysfs_names_add(&names, pmu->devices, NULL);
	pmu_sysfs_names_add(&names, pmu->devices, keep_stem);
	written = pmu_sysfs_names_find(&names, name);
	found = written && find_pmu_boxes(pmu, written);
	pmu_sysfs_names_free(&names);
	return found;
}

static int no_pmu(const char *devices, const char *name)
{
	struct pmu_sysfs_names names = { 0 };
	char list[200];
	const char *near;
	int rc;

	pmu_sysfs_pmus(devices, &names);
	near = pmu_sysfs_names_nearest(&names, NULL, name);
	pmu_sysfs_names_text(&names, list, sizeof(list));
	if (near)
		rc = pmu_fail(ENOENT, "the kernel shows no PMU \"%.*s\" here; did you mean %s?",
			      SHOWN, name, near);
	else
		rc = pmu_fail(
			ENOENT,
			"the kernel shows no PMU \"%.*s\" here: it has no driver for it, or a virtual "
			"machine hides it; there are: %s",
			SHOWN, name, list);
	pmu_sysfs_names_free(&names);
	return rc;
}

int pmu_sysfs_open(const char *devices, const char *name, struct pmu_sysfs_pmu *pmu)
{
	pmu->devices = devices;
	if (find_pmu_boxes(pmu, name) || find_ignoring_case(pmu, name))
		return 0;
	return no_pmu(devices, name);
}

bool pmu_sysfs_has(const char *devices, const char *name)
{
	struct pmu_sysfs_pmu pmu = { .devices = devices };

	return find_pmu_boxes(&pmu, name) || find_ignoring_case(&pmu, name);
}

/* --- files --- */

/* "data_read.scale" tells about the event data_read. */
static bool keep_event(char *name)
{
	static const char *const about[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < PMU_ARRAY_LEN(about); i++)
		if (!strcmp(dot, about[i]))
			return false;
	return true;
}

void pmu_sysfs_names(const struct pmu_sysfs_pmu *pmu, const char *folder,
		     struct pmu_sysfs_names *names)
{
	char path[PATH_SIZE];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s", pmu->devices, pmu->box.name, folder) >=
	    sizeof(path))
		return;
	pmu_sysfs_names_add(names, path, !strcmp(folder, "events") ? keep_event : NULL);
	pmu_sysfs_names_sort(names);
}

static bool is_printable(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

long pmu_sysfs_read(const struct pmu_sysfs_pmu *pmu, const char *folder, const char *name,
		    const char *suffix, char text[PMU_SYSFS_TEXT_MAX])
{
	char path[PATH_SIZE];
	long len;

	text[0] = '\0';
	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s/%s%s", pmu->devices, pmu->box.name,
			     folder, name, suffix) >= sizeof(path))
		return pmu_fail(EINVAL, "the name of a file of the PMU %s is too long", pmu->name);
	len = pmu_sysfile_read(path, text, PMU_SYSFS_TEXT_MAX);
	if (len == -ENOENT)
		return len;
	if (len < 0)
		return pmu_fail(EINVAL, "cannot read %s: %s", path, strerror((int)-len));
	if (!is_printable(text, (size_t)len))
		return pmu_fail(EINVAL, "%s holds more than one line of plain text", path);
	return len;
}

bool pmu_sysfs_exists(const struct pmu_sysfs_pmu *pmu, const char *file)
{
	char path[PATH_SIZE];

	return (size_t)snprintf(path, sizeof(path), "%s/%s/%s", pmu->devices, pmu->box.name, file) <
		       sizeof(path) &&
	       !access(path, F_OK);
}

/* --- scales --- */

/* In the C locale, whatever the program's is. */
static bool read_decimal(const char *text, double *number)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char *end;

	if (!plain)
		return false;
	*number = strtod_l(text, &end, plain);
	freelocale(plain);
	return end != text && !*end && isfinite(*number) && *number > 0;
}

static const struct {
	const char *kernel, *ours;
	double factor;
} units[] = {
	{ "Joules", "uJ", 1e6 },     { "KiB", "B", 1024 },
	{ "MiB", "B", 1024 * 1024 }, { "GiB", "B", 1024.0 * 1024 * 1024 },
	{ "Bytes", "B", 1 },
};

/* As rint(), which not every compiler knows by itself.  Factors are positive and finite. */
static double whole_near(double factor)
{
	return factor < 0x1p52 ? (double)pmu_nearest(factor) : factor;
}

/* 3.814697266e-6 MiB is meant to be four bytes: the kernel's texts have some digits only. */
static double snap(double factor)
{
	double whole = whole_near(factor);

	return whole >= 1 && fabs(factor - whole) < 1e-8 * whole ? whole : factor;
}

static void convert(struct pmu_sysfs_scale *scale, const char *unit)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++) {
		if (strcmp(units[i].kernel, unit) != 0)
			continue;
		scale->factor = snap(scale->factor * units[i].factor);
		snprintf(scale->unit, sizeof(scale->unit), "%s", units[i].ours);
		return;
	}
	/* a count of events has a whole factor; that of an unknown unit is not used */
	if (scale->factor != 1 && (unit[0] || scale->factor != whole_near(scale->factor)))
		scale->factor = 1;
	else if ((size_t)snprintf(scale->unit, sizeof(scale->unit), "%s", unit) >=
		 sizeof(scale->unit))
		scale->unit[0] = '\0';
}

int pmu_sysfs_scale(const struct pmu_sysfs_pmu *pmu, const char *event,
		    struct pmu_sysfs_scale *scale)
{
	char text[PMU_SYSFS_TEXT_MAX];
	long len = pmu_sysfs_read(pmu, "events", event, ".scale", text);

	*scale = (struct pmu_sysfs_scale){ .factor = 1, .kernel = 1 };
	if (len < 0 && len != -ENOENT)
		return (int)len;
	if (len >= 0 && !read_decimal(text, &scale->kernel))
		return pmu_fail(EINVAL, "the scale of %s/%s/ is no number: \"%.*s\"", pmu->name,
				event, SHOWN, text);
	scale->factor = scale->kernel;
	len = pmu_sysfs_read(pmu, "events", event, ".unit", text);
	if (len < 0 && len != -ENOENT)
		return (int)len;
	convert(scale, text);
	if (!isfinite(scale->factor))
		return pmu_fail(EINVAL, "the scale of %s/%s/ is too large", pmu->name, event);
	return 0;
}
