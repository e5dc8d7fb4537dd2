/* SPDX-License-Identifier: BSD-3-Clause */
/* Every PMU_* variable; the table of them is config_vars.h. */
#ifndef PMU_SETTINGS_CONFIG_H
#define PMU_SETTINGS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "machine/machine.h"
#include "machine/pin.h"
#include "plan/catalog.h"
#include "plan/group.h"
#include "plan/plan.h"
#include "plan/sample.h"
#include "report/report.h"

struct pmu_options;
struct pmu_backend;

struct pmu_config;

/** Each, as PMU_CONFIG_PMU_GROUP; how many there are. */
enum pmu_config_id {
#define VAR(name, values, fallback, about, member, take) PMU_CONFIG_##name,
#include "settings/vars.h"
	PMU_CONFIG_VARS
};

/** Samples a second of CPU time where nobody has asked for them: a prime, as the other. */
#define PMU_SAMPLE_AUTO_HZ 199u

/** One variable, for pmu_config_load(). */
struct pmu_config_var {
	const char *name;
	size_t option; /* offset in struct pmu_options, or 0 */
	/*
	 * NULL: it is read where it matters: groups are looked for in names/file/file.c, stores are
	 * made in store/place.c, and what regions are made of without markers is known to what is
	 * preloaded.
	 */
	int (*take)(struct pmu_config *config, const char *text);
};

/** All of them, by their number; ends with a NULL name. */
extern const struct pmu_config_var pmu_config_vars[];

/** The same one, for `pmu help environment`. */
struct pmu_config_help {
	const char *name;
	const char *values;
	const char *fallback; /* what holds without it */
	const char *about;
};

/** All of them; ends with a NULL name.  Only the command has it, not the library. */
extern const struct pmu_config_help pmu_config_help[];

#define PMU_CONFIG_MAX_GROUPS 32
#define PMU_CONFIG_TEXT_MAX   4096

/** What a session is to do. */
struct pmu_config {
	const struct pmu_config_var *wrong; /* what could not be taken in; NULL: none of them */
	const char *wrong_value;            /* its value, where the sentence is about all of it */
	bool enable;
	bool later;                        /* but switched off until `pmu on` */
	bool group_given;                  /* by PMU_GROUP or PMU_EVENTS */
	unsigned int n_groups;             /* 0 without a request */
	const struct pmu_backend *backend; /* NULL: auto */
	enum pmu_count_scope count;
	bool teams;         /* work for another thread's region counts there, by contexts */
	bool require;       /* all that was asked for is counted, or nothing is measured */
	bool rotate;        /* groups take turns by themselves, */
	uint64_t rotate_ns; /* each for so long at least */
	bool user_read;     /* perf: a thread reads its counters by itself, where it can */
	struct pmu_pin_request pin;
	bool pin_given;
	struct pmu_text_options report;
	unsigned int max_threads;
	unsigned int max_regions;
	bool histogram;        /* how long calls were, not just how long on average */
	uint32_t trace_bytes;  /* of each thread's ring */
	uint64_t trace_min_ns; /* shorter calls are left out */
	bool trace_first;      /* when it is full the first calls stay, not the newest */
	/* the least that calls count, and the interrupts that may have added to it */
	bool exact;
	bool wait;        /* threads notice when they are off their processor */
	bool sample_late; /* samples are of threads alone that have run for a while */
	bool callers;     /* samples have their callers */
	/* what they are taken by; of period 0: none are */
	struct pmu_sample_event sample;
	/*
	 * Another machine than this one, for the source msr; its members point to the texts below
	 * or are NULL.
	 */
	struct pmu_machine_from from;
	struct pmu_cpu_id id;       /* of the dump */
	struct pmu_catalog catalog; /* names of events: of the dump, or of this machine */
	/*
	 * What follows is large, and left as it is until it is needed: a page that is written to is
	 * a page to be had.
	 */
	char output[PMU_CONFIG_TEXT_MAX]; /* "" for text on standard error */
	char cpuid_file[PMU_CONFIG_TEXT_MAX], msr_device[256], msr_batch[256];
	char topology[PMU_CONFIG_TEXT_MAX]; /* HWLOC_XMLFILE, where there is a dump */
	char event_files[PMU_CONFIG_TEXT_MAX];
	char trace[PMU_CONFIG_TEXT_MAX]; /* the file that every call goes to; "" none */
	struct pmu_group *group;         /* [PMU_CONFIG_MAX_GROUPS] from the first request on */
};

/**
 * pmu_config_load() - from the environment and options, which win
 * @config: all zero, or as it was loaded before
 * @options: may be NULL
 * @warnings: lines to print, each with its newline; the caller frees it
 *
 * The environment is read by secure_getenv(): setuid programs see none of it.
 * Return: 0; -EINVAL with a sentence that names the variable and the nearest valid choice.
 */
int pmu_config_load(struct pmu_config *config, const struct pmu_options *options,
		    struct pmu_strbuf *warnings);

/**
 * pmu_config_take() - the same, but the sentence does not name the variable: @config->wrong is that
 *
 * For the command, where it may be an option's.
 */
int pmu_config_take(struct pmu_config *config, const struct pmu_options *options,
		    struct pmu_strbuf *warnings);

/** pmu_config_free() - what it has allocated; names of events are pmu_catalog_close()'s */
void pmu_config_free(struct pmu_config *config);

#endif
