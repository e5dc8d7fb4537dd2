/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's high-level API by pmu.h: what papi.h and the preload library have in common. */
#ifndef PMU_PAPI_H
#define PMU_PAPI_H

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pmu.h>

/* PAPI's codes, as its own papi.h numbers them. */
enum {
	PMU_PAPI_OK = 0,
	PMU_PAPI_EINVAL = -1,
	PMU_PAPI_ENOMEM = -2,
	PMU_PAPI_ENOEVNT = -7,
	PMU_PAPI_ENOTRUN = -9,
	PMU_PAPI_EMISC = -14
};

#ifdef __cplusplus
extern "C" {
#endif

/* One for all files of a program: weak, so that a header can define it. */
#ifndef PMU_PAPI_SHARED
#define PMU_PAPI_SHARED __attribute__((weak, visibility("default")))
extern int pmu_papi_state;
extern __thread int pmu_papi_running;
#endif
/* 0; the number of the process that starts; PMU_PAPI_STARTED */
PMU_PAPI_SHARED int pmu_papi_state;
/* The calling thread has begun a region, and not stopped since. */
PMU_PAPI_SHARED __thread int pmu_papi_running;
#define PMU_PAPI_STARTED (-1)

/* Other functions in the preload library. */
#ifndef PMU_PAPI_BEGIN
#define PMU_PAPI_BEGIN(name) pmu_region_begin(name)
#define PMU_PAPI_END(name)   pmu_region_end(name)
#endif

/* Settings are nothing for privileged programs.  stdlib.h declares it for _GNU_SOURCE alone. */
extern char *pmu_papi_getenv_(const char *name) __asm__("secure_getenv");

/* --- words --- */

/** pmu_papi_strerror() - words for a code of PAPI's; NULL for a number that is none */
static inline char *pmu_papi_strerror(int code)
{
	/* from 0 downwards: PAPI 7.0's papi.h */
	static const char *const errors[] = {
		"no error",
		"invalid argument, or a region that is not open",
		"no memory, or no room for another region",
		"a call to the system failed",
		"not supported by this component",
		"access to the counters was lost",
		"internal error",
		"no such event, or nothing was started",
		"the event cannot be counted together with the others",
		"nothing is being counted",
		"counting already",
		"no such set of events",
		"not a preset event",
		"no counters in the hardware",
		"unknown error",
		"not permitted",
		"not initialized",
		"no component",
		"not supported",
		"not implemented",
		"a buffer is too small",
		"not in this domain",
		"wrong or missing attributes",
		"too many events or attributes",
		"features that do not go together",
		"the component is switched off",
		"the component starts later",
		"more than one pass would be needed",
	};

	if (code > 0 || code <= -(int)(sizeof(errors) / sizeof(errors[0])))
		return NULL;
	return (char *)(size_t)errors[-code];
}

/* --- PAPI_EVENTS --- */

struct pmu_papi_preset {
	const char *preset;
	const char *event;
	int is_like; /* not quite the same: the report says what is counted */
	int intel;   /* is that preset on Intel's CPUs alone */
};

/*
 * Presets that have a generic event of ours.  What presets mean: papiStdEventDefs.h and
 * papi_avail(1) of PAPI 7.0; which native events they are on a CPU: its papi_events.csv.  There
 * PAPI_BR_MSP is all mispredicted branches on most CPUs, PAPI_L1_DCM of Intel is L1D.REPLACEMENT,
 * which Linux counts as L1-dcache-load-misses (arch/x86/events/intel/core.c), and PAPI_L3_TCM and
 * PAPI_L3_TCA are the architectural LLC events, which cache-misses and cache-references are on
 * Intel alone.
 */
static inline const struct pmu_papi_preset *pmu_papi_presets(void)
{
	static const struct pmu_papi_preset presets[] = {
		{ "PAPI_TOT_INS", "instructions", 0, 0 },
		{ "PAPI_TOT_CYC", "cycles", 0, 0 },
		{ "PAPI_REF_CYC", "ref-cycles", 0, 0 },
		{ "PAPI_BR_INS", "branches", 0, 0 },
		{ "PAPI_BR_MSP", "branch-misses", 1, 0 },
		{ "PAPI_L1_DCM", "L1-dcache-load-misses", 1, 0 },
		{ "PAPI_L1_LDM", "L1-dcache-load-misses", 0, 0 },
		{ "PAPI_L1_STM", "L1-dcache-store-misses", 0, 0 },
		{ "PAPI_L1_DCR", "L1-dcache-loads", 0, 0 },
		{ "PAPI_L1_DCW", "L1-dcache-stores", 0, 0 },
		{ "PAPI_LD_INS", "L1-dcache-loads", 1, 0 },
		{ "PAPI_SR_INS", "L1-dcache-stores", 1, 0 },
		{ "PAPI_L1_ICM", "L1-icache-load-misses", 0, 0 },
		{ "PAPI_L1_ICR", "L1-icache-loads", 0, 0 },
		{ "PAPI_L3_TCM", "cache-misses", 0, 1 },
		{ "PAPI_L3_TCA", "cache-references", 0, 1 },
		{ "PAPI_L3_LDM", "LLC-load-misses", 1, 0 },
		{ "PAPI_L3_STM", "LLC-store-misses", 1, 0 },
		{ "PAPI_L3_DCR", "LLC-loads", 1, 0 },
		{ "PAPI_L3_DCW", "LLC-stores", 1, 0 },
		{ "PAPI_TLB_DM", "dTLB-load-misses", 1, 0 },
		{ "PAPI_TLB_IM", "iTLB-load-misses", 0, 0 },
		{ NULL, NULL, 0, 0 }
	};

	return presets;
}

/* What becomes of PAPI_EVENTS. */
struct pmu_papi_plan {
	char events[768]; /* for PMU_EVENTS; empty: none is left, or asked for */
	char like[160];   /* "PAPI_BR_MSP is branch-misses, ..." */
	char left_out[160];
};

/* One more in a list, which does not grow past its room. */
static inline int pmu_papi_add(char *list, size_t size, const char *between, const char *text)
{
	size_t len = strlen(list);

	if (len + strlen(between) + strlen(text) >= size)
		return -ENOSPC;
	snprintf(list + len, size - len, "%s%s", len ? between : "", text);
	return 0;
}

static inline int pmu_papi_has(const char *list, const char *text)
{
	size_t len = strlen(text);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == len && !memcmp(list, text, len))
			return 1;
	return 0;
}

/*
 * Can the list be counted?  A source that is not there at all is none of the list's business: the
 * session says which one it takes instead, and why.
 */
static inline int pmu_papi_can_count(const char *events)
{
	struct pmu_counters *counters = NULL;
	int rc = pmu_counters_open(events, PMU_SCOPE_THREAD, &counters);

	if (rc == 0)
		pmu_counters_close(counters);
	return rc != -EINVAL && rc != -ENOENT && rc != -ENOSPC && rc != -EOPNOTSUPP;
}

static inline int pmu_papi_is_intel(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_cpu_init();
	return __builtin_cpu_is("intel");
#else
	return 0;
#endif
}

static inline void pmu_papi_leave_out(struct pmu_papi_plan *plan, const char *name)
{
	if (pmu_papi_add(plan->left_out, sizeof(plan->left_out) - 4, ", ", name) < 0 &&
	    !strstr(plan->left_out, "..."))
		strcat(plan->left_out, "...");
}

static inline void pmu_papi_say_like(struct pmu_papi_plan *plan,
				     const struct pmu_papi_preset *preset)
{
	char text[64];

	snprintf(text, sizeof(text), "%s is %s", preset->preset, preset->event);
	(void)pmu_papi_add(plan->like, sizeof(plan->like), ", ", text);
}

/* One name of PAPI_EVENTS: a preset, or a native event that has the same name here. */
static inline void pmu_papi_take(struct pmu_papi_plan *plan, const char *name)
{
	const struct pmu_papi_preset *preset = pmu_papi_presets();
	size_t before = strlen(plan->events);
	const char *event = name;

	if (!strncmp(name, "PAPI_", 5)) {
		while (preset->preset && strcmp(preset->preset, name))
			preset++;
		event = preset->intel && !pmu_papi_is_intel() ? NULL : preset->event;
	} else {
		preset = NULL;
	}
	if (event && !pmu_papi_has(plan->events, event) &&
	    (pmu_papi_add(plan->events, sizeof(plan->events), ",", event) < 0 ||
	     !pmu_papi_can_count(plan->events))) {
		plan->events[before] = '\0';
		event = NULL;
	}
	if (!event)
		pmu_papi_leave_out(plan, name);
	else if (preset && preset->is_like)
		pmu_papi_say_like(plan, preset);
}

static inline const char *pmu_papi_env(const char *name)
{
	const char *text = pmu_papi_getenv_(name);

	return text && *text ? text : NULL;
}

/** pmu_papi_make_plan() - what PAPI_EVENTS asks for; nothing where PMU_EVENTS or PMU_GROUP does */
static inline void pmu_papi_make_plan(struct pmu_papi_plan *plan)
{
	const char *text = pmu_papi_env("PAPI_EVENTS");
	char name[128];

	memset(plan, 0, sizeof(*plan));
	if (!text || pmu_papi_env("PMU_EVENTS") || pmu_papi_env("PMU_GROUP"))
		return;
	while (*text) {
		size_t len;

		text += strspn(text, ", \t\n");
		len = strcspn(text, ", \t\n");
		snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name)),
			 text);
		if (*name)
			pmu_papi_take(plan, name);
		text += len;
	}
}

/** pmu_papi_say() - into the report's head: what became of PAPI's variables */
static inline void pmu_papi_say(const struct pmu_papi_plan *plan)
{
	char note[256];

	if (*plan->left_out) {
		snprintf(note, sizeof(note), "PAPI_EVENTS: not counted here: %s", plan->left_out);
		(void)pmu_note(note);
	}
	if (*plan->like) {
		snprintf(note, sizeof(note), "PAPI_EVENTS: what comes nearest is counted: %s",
			 plan->like);
		(void)pmu_note(note);
	}
	if (pmu_papi_env("PAPI_REPORT") || pmu_papi_env("PAPI_OUTPUT_DIRECTORY"))
		(void)pmu_note(
			"PAPI_REPORT and PAPI_OUTPUT_DIRECTORY are not followed: PMU_OUTPUT says where reports go");
	if (pmu_papi_env("PAPI_MULTIPLEX"))
		(void)pmu_note("PAPI_MULTIPLEX is not followed: no group is time-sliced");
}

/* --- the session --- */

static inline void pmu_papi_start_session(void)
{
	struct pmu_papi_plan plan;
	struct pmu_options options;

	pmu_papi_make_plan(&plan);
	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	if (*plan.events)
		options.events = plan.events;
	if (pmu_init(&options) == -EALREADY && *plan.events)
		(void)pmu_note(
			"PAPI_EVENTS is not followed: what is counted was chosen before the first PAPI_hl_region_begin");
	else
		pmu_papi_say(&plan);
}

/**
 * pmu_papi_start() - before the first region: the session, with the events of PAPI_EVENTS
 *
 * Threads that come meanwhile wait.  A child forked in between finds another process's number, and
 * starts by itself.
 */
static inline void pmu_papi_start(void)
{
	int self, was, tries = 0;

	if (__atomic_load_n(&pmu_papi_state, __ATOMIC_ACQUIRE) == PMU_PAPI_STARTED)
		return;
	self = (int)getpid();
	while ((was = __atomic_load_n(&pmu_papi_state, __ATOMIC_ACQUIRE)) != PMU_PAPI_STARTED &&
	       tries++ < 100000) {
		if (was == self) {
			sched_yield();
			continue;
		}
		if (!__atomic_compare_exchange_n(&pmu_papi_state, &was, self, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			continue;
		pmu_papi_start_session();
		__atomic_store_n(&pmu_papi_state, PMU_PAPI_STARTED, __ATOMIC_RELEASE);
	}
}

/* --- regions --- */

static inline int pmu_papi_code(int rc)
{
	switch (rc) {
	case 0:
		return PMU_PAPI_OK;
	case -ENOMEM:
	case -ENOSPC:
		return PMU_PAPI_ENOMEM;
	case -EINVAL:
	case -ENAMETOOLONG:
	case -ENOENT: /* not open: as PAPI 7.0 has it */
		return PMU_PAPI_EINVAL;
	default:
		return PMU_PAPI_EMISC;
	}
}

static inline int pmu_papi_begin(const char *region)
{
	int rc = PMU_PAPI_BEGIN(region);

	if (rc == 0)
		pmu_papi_running = 1;
	return pmu_papi_code(rc);
}

static inline int pmu_papi_end(const char *region)
{
	return pmu_papi_running ? pmu_papi_code(PMU_PAPI_END(region)) : PMU_PAPI_ENOTRUN;
}

/**
 * pmu_papi_read() - the report has regions from begin to end: of a read it has that it was made, as
 * an empty region
 */
static inline int pmu_papi_read(const char *region)
{
	char name[PMU_NAME_MAX + 32];
	int rc;

	if (!pmu_papi_running)
		return PMU_PAPI_ENOTRUN;
	rc = pmu_region_is_open(region);
	if (rc <= 0)
		return rc ? pmu_papi_code(rc) : PMU_PAPI_EINVAL;
	(void)pmu_note(
		"PAPI_hl_read: what it read is not kept, only how often: regions named PAPI_hl_read(REGION)");
	if (snprintf(name, sizeof(name), "PAPI_hl_read(%s)", region) > PMU_NAME_MAX)
		strcpy(name, "PAPI_hl_read");
	rc = PMU_PAPI_BEGIN(name);
	return pmu_papi_code(rc ? rc : PMU_PAPI_END(name));
}

/**
 * pmu_papi_stop() - for the calling thread alone; its counters stay open, and the report comes when
 * the program ends
 */
static inline int pmu_papi_stop(void)
{
	if (!pmu_papi_running)
		return PMU_PAPI_ENOEVNT;
	pmu_papi_running = 0;
	return PMU_PAPI_OK;
}

#ifdef __cplusplus
}
#endif

#endif
