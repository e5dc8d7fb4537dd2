/* SPDX-License-Identifier: BSD-3-Clause */
/* What a catalog stands for where it says nothing, and its end. */
#include "plan/catalog.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sysfile.h"
#include "machine/mask.h"
#include "names/vendor/vendor.h"

#define SYSFS_CPUS "/sys/devices/system/cpu"
#define LIST_SIZE  4096

const char *pmu_catalog_devices(const struct pmu_catalog *catalog)
{
	if (catalog && catalog->sysfs)
		return catalog->sysfs[0] ? catalog->sysfs : NULL;
	/* of another machine than this one the kernel shows nothing */
	return !catalog || (!catalog->model && !catalog->id.vendor[0]) ? PMU_SYSFS_DEVICES : NULL;
}

/*
 * How many processors one of the topology's files lists for the one that we are on; 0: not known.
 */
static unsigned int count_list(const char *name)
{
	struct pmu_mask mask;
	/* not on the stack: a program's thread may have a small one */
	char path[128], *text = malloc(LIST_SIZE);
	unsigned int n = 0;

	snprintf(path, sizeof(path), SYSFS_CPUS "/cpu%d/topology/%s", sched_getcpu(), name);
	if (text && pmu_sysfile_read(path, text, LIST_SIZE) > 0 && !pmu_mask_parse(text, &mask))
		n = pmu_mask_count(&mask);
	free(text);
	return n;
}

unsigned int pmu_catalog_threads_per_core(const struct pmu_catalog *catalog)
{
	if (catalog->threads_per_core || catalog->model)
		return catalog->threads_per_core;
	return count_list("thread_siblings_list");
}

unsigned int pmu_catalog_cores_per_socket(const struct pmu_catalog *catalog)
{
	unsigned int threads;

	if (catalog->cores_per_socket || catalog->model)
		return catalog->cores_per_socket;
	threads = count_list("thread_siblings_list");
	return threads ? count_list("core_siblings_list") / threads : 0;
}

void pmu_catalog_forget_tables(struct pmu_catalog *catalog)
{
	pmu_vendor_close(catalog->tables);
	catalog->tables = NULL;
	catalog->tables_error = 0;
}

void pmu_catalog_close(struct pmu_catalog *catalog)
{
	pmu_catalog_forget_tables(catalog);
	pmu_vendor_close(catalog->files);
	catalog->files = NULL;
	catalog->files_error = 0;
}
