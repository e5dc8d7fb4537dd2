/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PMU of the kernel's and terms for it.  The first lines are its files: formats of event, x and
 * y, the event NAME, its scale and unit, the cpumask; an empty line is no file.  What follows is
 * asked for.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/boxes.h"
#include "machine/models.h"
#include "names/sysfs/format.h"
#include "names/sysfs/sysfs.h"
#include "plan/catalog.h"
#include "tests/fuzz/fuzz.h"

static const char *const files[] = { "format/event", "format/x",          "format/y",
				     "events/name",  "events/name.scale", "events/name.unit",
				     "cpumask" };
#define N_FILES (sizeof(files) / sizeof(files[0]))

static char folder[64];

static void path_of(const char *file, char path[256])
{
	snprintf(path, 256, "%s/cpu/%s", folder, file);
}

static void clean(void)
{
	char path[256];

	for (size_t i = 0; i < N_FILES; i++) {
		path_of(files[i], path);
		unlink(path);
	}
	path_of("type", path);
	unlink(path);
	path_of("format", path);
	rmdir(path);
	path_of("events", path);
	rmdir(path);
	path_of("", path);
	rmdir(path);
	rmdir(folder);
}

static void write_file(const char *file, const char *text, size_t len)
{
	char path[256];
	int fd;

	path_of(file, path);
	unlink(path);
	if (!len)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	close(fd);
}

/* Writes only what differs: most inputs have all lines but one from the input before. */
static void update_file(size_t which, const char *text, size_t len)
{
	static char *there[N_FILES];

	if (there[which] && strlen(there[which]) == len && !memcmp(there[which], text, len))
		return;
	write_file(files[which], text, len);
	free(there[which]);
	there[which] = strndup(text, len);
}

static void make_folder(void)
{
	char path[256];

	snprintf(folder, sizeof(folder), "%s/pmu-terms-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder))
		abort();
	path_of("", path);
	mkdir(path, 0700);
	path_of("format", path);
	mkdir(path, 0700);
	path_of("events", path);
	mkdir(path, 0700);
	write_file("type", "4\n", 2);
	atexit(clean);
}

static void check_format(const char *text)
{
	uint64_t config[PMU_SYSFS_CONFIGS] = { 1, 2, 4 };
	struct pmu_sysfs_format format;

	if (pmu_sysfs_format_parse(text, &format))
		return;
	if (!format.bits || format.config >= PMU_SYSFS_CONFIGS)
		abort();
	pmu_sysfs_format_put(&format, pmu_sysfs_format_max(&format), config);
	if ((config[format.config] & format.bits) != format.bits)
		abort();
}

static void check_event(const struct pmu_event *event)
{
	if (!event->name[0] || !memchr(event->name, '\0', sizeof(event->name)) ||
	    !memchr(event->unit, '\0', sizeof(event->unit)) ||
	    !memchr(event->slot.pmu, '\0', sizeof(event->slot.pmu)))
		abort();
	for (const char *c = event->name; *c; c++)
		if (*c < ' ' || *c > '~')
			abort();
	if (!isfinite(event->slot.scale) || event->slot.scale < 0)
		abort();
}

static void ask(const char *terms)
{
	static const struct pmu_cpu_model model = { .vendor = "GenuineIntel",
						    .microarchitecture = "x",
						    .pfm = "skx",
						    .pfm_e = "",
						    .pfm_uncore = "" };
	static struct pmu_catalog catalog = { .model = &model,
					      .sysfs = folder,
					      .keep_tables = true };
	struct pmu_event event;
	struct pmu_box box;
	char text[300];

	if (!pmu_sysfs_event(folder, "cpu", terms, &event))
		check_event(&event);
	snprintf(text, sizeof(text), "cpu/%.280s/", terms);
	if (!pmu_event_parse(text, &catalog, &event))
		check_event(&event);
	if (pmu_boxes_find(folder, "cpu", &box, 1) && box.n_cpus > PMU_BOX_MAX_CPUS)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text;

	if (!text)
		return 0;
	if (!folder[0])
		make_folder();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < N_FILES; i++) {
		char *line = rest ? strsep(&rest, "\n") : NULL;

		if (line)
			check_format(line);
		update_file(i, line ? line : "", line ? strlen(line) : 0);
	}
	ask(rest ? rest : "name");
	free(text);
	return 0;
}
