/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published event files, as they are: mapfile.csv and the JSON files that it names, of intel/perfmon
 * or of Linux, and the tables made of them.
 */
#ifndef PMU_NAMES_VENDOR_VENDOR_H
#define PMU_NAMES_VENDOR_VENDOR_H

#include "plan/catalog.h"
#include "plan/event.h"

/** One event of a file. */
struct pmu_vendor_event {
	const char *name;   /* "UOPS_ISSUED.ANY"; in the file's own case */
	const char *about;  /* BriefDescription */
	const char *unit;   /* of the uncore: "CBO", "iMC", ...; "" a core's */
	uint8_t core_type;  /* 0; PMU_SLOT_P, PMU_SLOT_E */
	const char *errata; /* "SKL091", numbers in Intel's specification updates; "" none */
	bool deprecated;
	/* what counts the same and is not deprecated; NULL: none, or of one among all */
	const char *successor;
	/*
	 * of the uncore: what it counts is said by config1 (:config1=0x..), which the file leaves
	 * open
	 */
	bool open_filter;
};

/**
 * pmu_vendor_open() - the files of one CPU: core (of every core type), uncore
 * @folder: with mapfile.csv, or a checkout of Linux; @id: the CPU
 *
 * Return: 0; -ENODEV: the map has no such CPU; -ENOENT: no map, or none of the CPU's files is
 * there; -EINVAL: a file that cannot be read; -ENOMEM; each with a sentence that names the file
 * (and line).  A file among several that is missing is a sentence in pmu_vendor_missing().
 */
int pmu_vendor_open(const char *folder, const struct pmu_cpu_id *id,
		    struct pmu_vendor_files **files);
void pmu_vendor_close(struct pmu_vendor_files *files);

/**
 * pmu_vendor_open_tables() - the same from the tables that the library brings along
 * @text: an event as it was written: only those that it may mean; it stays where it is; NULL all
 *
 * Return: 0; -ENODEV: there is none about that CPU; -EINVAL, -ENOMEM with a sentence.
 */
int pmu_vendor_open_tables(const struct pmu_cpu_id *id, const char *text,
			   struct pmu_vendor_files **files);
/** pmu_vendor_cpu() - the CPU that they are for */
const struct pmu_cpu_id *pmu_vendor_cpu(const struct pmu_vendor_files *files);
/** pmu_vendor_is_linux() - are they Linux's, rather than Intel's own? */
bool pmu_vendor_is_linux(const struct pmu_vendor_files *files);
/** "" or which of the map's files are not there or not used */
const char *pmu_vendor_missing(const struct pmu_vendor_files *files);

/**
 * pmu_vendor_find() - an event by name
 * @name: however it is spelled: spelling.h
 * @slot: config (event, umask, edge, inv, any, cmask, equal, umask2 in an event select's places),
 *        config1, extra and extra_value (MSRIndex, MSRValue), counters (Counter), core_types, kind;
 *        uncore: unit and pmu; untouched on error; core_types on the way in: which cores' event is
 *        wanted, 0 any
 * @about: result; may be NULL
 *
 * Where both core types have the name with different encodings, @slot has both: e_code.
 *
 * Return: 0; -ENOENT with a sentence that names the nearest; -EINVAL: several events are spelled
 * nearly so, and are named; -EINVAL, -ENOTSUP: the files have the event, but it cannot be counted by
 * what they say.
 */
int pmu_vendor_find(const struct pmu_vendor_files *files, const char *name, struct pmu_slot *slot,
		    struct pmu_vendor_event *about);

/** pmu_vendor_has() - do the files have an event of that name, however it is spelled? */
bool pmu_vendor_has(const struct pmu_vendor_files *files, const char *name);

/**
 * pmu_vendor_describe() - describe an event that has no text; those of the tables have none
 * Return: whether there is an event of that name.
 */
bool pmu_vendor_describe(struct pmu_vendor_files *files, const char *name, const char *about);

/** pmu_vendor_each() - every event, in the files' order, without its successor */
void pmu_vendor_each(const struct pmu_vendor_files *files,
		     void (*each)(void *arg, const struct pmu_vendor_event *event), void *arg);

/** pmu_vendor_whose() - the CPU that a catalog is about; false: not known */
bool pmu_vendor_whose(const struct pmu_catalog *catalog, struct pmu_cpu_id *id);

/**
 * pmu_vendor_tables_of() - the library's own tables of a catalog's CPU, read whole at the first call
 * Return: 0; what pmu_vendor_open_tables() said.
 */
int pmu_vendor_tables_of(struct pmu_catalog *catalog, const struct pmu_vendor_files **files);

/**
 * pmu_vendor_of() - the files of a catalog, read at the first call
 * Return: 0; -ENODEV: it has none that are about its CPU; what pmu_vendor_open() said.
 */
int pmu_vendor_of(struct pmu_catalog *catalog, const struct pmu_vendor_files **files);

/**
 * pmu_vendor_encode() - an event with its modifiers, as pmu_pfm_encode() takes it
 * @text: "UOPS_ISSUED.ANY:c=1:i"; c=, i, e, t, and config1= for the uncore's filters; what is given
 *        replaces what the event has by itself; u and k are not looked for
 * @slot: as for pmu_vendor_find()
 * @label: the event's name as a column has it
 *
 * Return: 0; -ENODEV: the catalog has no files about its CPU; -ENOENT: they do not have the event,
 * with a sentence; -EINVAL (also: the files are not there), -ENOTSUP.
 */
int pmu_vendor_encode(const char *text, struct pmu_catalog *catalog, struct pmu_slot *slot,
		      char *label, size_t size);

/**
 * pmu_vendor_encode_own() - the same by the library's own tables
 * Return: 0; -ENODEV: they have nothing about the CPU; -ENOENT: they do not have the event, with a
 * sentence; -EINVAL, -ENOTSUP.
 */
int pmu_vendor_encode_own(const char *text, struct pmu_catalog *catalog, struct pmu_slot *slot,
			  char *label, size_t size);

/**
 * pmu_vendor_check_kinds() - is a name the same event on all kinds of this machine's cores?
 * @cpus: a folder like /sys/devices/system/cpu
 * @catalog: where the name was found
 * @slot: what it is on the core that was asked
 *
 * Return: 0, also where there is one kind; -ENOTSUP with a sentence that names the kinds.
 */
int pmu_vendor_check_kinds(const char *text, const char *cpus, const struct pmu_catalog *catalog,
			   const struct pmu_slot *slot);

#endif
