/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the names of events are looked up: for which CPU, in the kernel's PMUs, in event files. */
#ifndef PMU_PLAN_CATALOG_H
#define PMU_PLAN_CATALOG_H

#include "machine/models.h"

struct pmu_vendor_event;
struct pmu_vendor_files;

/** NULL in place of one: this machine, its sysfs, no event files. */
struct pmu_catalog {
	const struct pmu_cpu_model *model; /* NULL: the CPU we run on */
	/* with a model: family, model and stepping, for mapfile.csv */
	struct pmu_cpu_id id;
	/* a folder like the default; NULL: PMU_SYSFS_DEVICES of this machine; "" none */
	const char *sysfs;
	/* a folder like a checkout of intel/perfmon or Linux's tools/perf/pmu-events; NULL: none */
	const char *event_files;
	/* For Intel's metrics; 0: as this machine has it, of another one (model) not known. */
	unsigned int threads_per_core, cores_per_socket;
	/*
	 * an event of a PMU that the kernel lacks is one that nothing counts, rather than an error
	 */
	bool keep_absent;
	/*
	 * The library's own tables are read whole and kept until pmu_catalog_close(), for many names;
	 * else of each name what it may mean.
	 */
	bool keep_tables;
	struct pmu_vendor_files *tables;
	int tables_error; /* there are none */
	/*
	 * Result: what kept files and tables say, beside its code, of the event that was looked up
	 * last; NULL: not wanted.
	 */
	struct pmu_vendor_event *said;
	/* Read at the first name that needs it; kept until pmu_catalog_close(). */
	struct pmu_vendor_files *files;
	int files_error; /* it could not be read: told once */
};

#define PMU_SYSFS_DEVICES "/sys/bus/event_source/devices"

/**
 * pmu_catalog_devices() - the folder of the kernel's PMUs; NULL: none, it is another machine than
 * this one
 */
const char *pmu_catalog_devices(const struct pmu_catalog *catalog);

/** pmu_catalog_threads_per_core() - 0: it is not known */
unsigned int pmu_catalog_threads_per_core(const struct pmu_catalog *catalog);
/** pmu_catalog_cores_per_socket() - 0: it is not known */
unsigned int pmu_catalog_cores_per_socket(const struct pmu_catalog *catalog);

/** pmu_catalog_forget_tables() - of what was read the library's own tables */
void pmu_catalog_forget_tables(struct pmu_catalog *catalog);
/** pmu_catalog_close() - forget what was read */
void pmu_catalog_close(struct pmu_catalog *catalog);

#endif
