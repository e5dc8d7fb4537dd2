/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel's ITT: a client finds this by INTEL_LIBITTNOTIFY64, and calls __itt_api_init() once for each
 * static part in the process: libomp's, TBB's, oneDNN's, the program's own.
 */
#include "bindings/annotations/itt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/door.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/symbols.h"
#include "pmu.h"

/* --- tasks: of a thread, nested within their domain --- */

/* The first of its name in its domain, or without one. */
static __attribute__((noinline)) void task_begin_first(struct itt_domain *domain,
						       struct itt_string *string)
{
	struct itt_known_domain *known = itt_domain(domain);

	if (known)
		annotation_push(known, itt_name(known, string));
}

ASIDE_HERE(void, itt_task_begin,
	   (struct itt_domain * domain, struct itt_id id, struct itt_id parent,
	    struct itt_string *string),
	   6)
{
	const struct itt_named *named;

	(void)id;
	(void)parent;
	named = annotation_likely(string) ? __atomic_load_n(&string->extra2, __ATOMIC_ACQUIRE)
					  : NULL;
	if (annotation_likely(domain && named &&
			      named->domain == __atomic_load_n(&domain->extra2, __ATOMIC_RELAXED)))
		annotation_push(named->domain, named->name);
	else
		task_begin_first(domain, string);
}

ASIDE_HERE(void, itt_task_begin_fn,
	   (struct itt_domain * domain, struct itt_id id, struct itt_id parent, void *function), 6)
{
	struct itt_known_domain *known = itt_domain(domain);

	(void)id;
	(void)parent;
	if (known)
		annotation_push(known, itt_name_of_function(known, function));
}

ASIDE_HERE(void, itt_task_end, (struct itt_domain * domain), 0)
{
	struct itt_known_domain *known = itt_domain(domain);

	if (known)
		annotation_pop(known);
}

/* With a clock of the client's: what is counted is from the call on, not from that time. */
ASIDE_HERE(void, itt_task_begin_ex,
	   (struct itt_domain * domain, void *clock, unsigned long long time, struct itt_id id,
	    struct itt_id parent, struct itt_string *string),
	   6)
{
	(void)clock;
	(void)time;
	itt_task_begin_aside(domain, id, parent, string);
}

ASIDE_HERE(void, itt_task_begin_fn_ex,
	   (struct itt_domain * domain, void *clock, unsigned long long time, struct itt_id id,
	    struct itt_id parent, void *function),
	   6)
{
	(void)clock;
	(void)time;
	itt_task_begin_fn_aside(domain, id, parent, function);
}

ASIDE_HERE(void, itt_task_end_ex,
	   (struct itt_domain * domain, void *clock, unsigned long long time), 0)
{
	(void)clock;
	(void)time;
	itt_task_end_aside(domain);
}

/* --- overlapped tasks, and regions: by their ids --- */

static void begin_by_id(enum itt_kind kind, struct itt_domain *domain, const struct itt_id *id,
			struct itt_string *string)
{
	struct itt_known_domain *known = itt_domain(domain);

	if (known)
		itt_range_begin(kind, known, id, itt_name(known, string));
}

static void end_by_id(enum itt_kind kind, struct itt_domain *domain, const struct itt_id *id)
{
	struct itt_known_domain *known = itt_domain(domain);

	if (known)
		itt_range_end(kind, known, id);
}

ASIDE_HERE(void, itt_task_begin_overlapped,
	   (struct itt_domain * domain, struct itt_id id, struct itt_id parent,
	    struct itt_string *string),
	   6)
{
	(void)parent;
	begin_by_id(ITT_TASK, domain, &id, string);
}

ASIDE_HERE(void, itt_task_end_overlapped, (struct itt_domain * domain, struct itt_id id), 3)
{
	end_by_id(ITT_TASK, domain, &id);
}

ASIDE_HERE(void, itt_task_begin_overlapped_ex,
	   (struct itt_domain * domain, void *clock, unsigned long long time, struct itt_id id,
	    struct itt_id parent, struct itt_string *string),
	   6)
{
	(void)clock;
	(void)time;
	itt_task_begin_overlapped_aside(domain, id, parent, string);
}

ASIDE_HERE(void, itt_task_end_overlapped_ex,
	   (struct itt_domain * domain, void *clock, unsigned long long time, struct itt_id id), 3)
{
	(void)clock;
	(void)time;
	itt_task_end_overlapped_aside(domain, id);
}

/* Without a name it is a message on its way through a graph of TBB's, from one thread to another. */
ASIDE_HERE(void, itt_region_begin,
	   (struct itt_domain * domain, struct itt_id id, struct itt_id parent,
	    struct itt_string *string),
	   6)
{
	(void)parent;
	if (string)
		begin_by_id(ITT_REGION, domain, &id, string);
}

ASIDE_HERE(void, itt_region_end, (struct itt_domain * domain, struct itt_id id), 3)
{
	end_by_id(ITT_REGION, domain, &id);
}

/* --- frames: their domain is their name --- */

/* Beside the domain's tasks. */
static const void *frames_of(const struct itt_known_domain *known)
{
	return &known->name;
}

ASIDE_HERE(void, itt_frame_begin, (struct itt_domain * domain, struct itt_id *id), 0)
{
	struct itt_known_domain *known = itt_domain(domain);

	(void)id;
	if (known && !known->is_openmp)
		annotation_push(frames_of(known), annotation_name("itt", NULL, NULL, known->name));
}

ASIDE_HERE(void, itt_frame_end, (struct itt_domain * domain, struct itt_id *id), 0)
{
	struct itt_known_domain *known = itt_domain(domain);

	(void)id;
	if (known && !known->is_openmp)
		annotation_pop(frames_of(known));
}

/* They are over: what they did was not counted. */
ASIDE_HERE(void, itt_frame_submit,
	   (struct itt_domain * domain, struct itt_id *id, unsigned long long begin,
	    unsigned long long end),
	   0)
{
	struct itt_known_domain *known = itt_domain(domain);
	char line[256];

	(void)id;
	(void)begin;
	(void)end;
	if (!known || known->is_openmp ||
	    __atomic_exchange_n(&known->is_said, true, __ATOMIC_RELAXED))
		return;
	snprintf(
		line, sizeof(line),
		"frames of %.80s are handed over when they have ended (__itt_frame_submit_v3): they have no "
		"counts and are no regions",
		known->name);
	(void)pmu_note(line);
}

static unsigned long long timestamp(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

/* --- events: the oldest of them --- */

#define EVENTS_MAX 4096

static const char *events[EVENTS_MAX]; /* names of regions; the first that is NULL is not in use */

/* Numbers begin with 1. */
ASIDE_HERE(int, itt_event_create, (const char *name, int len), 0)
{
	char text[PMU_NAME_MAX + 1];
	const char *region, *there;
	int saved = errno;

	if (!name || len < 0)
		return 0;
	snprintf(text, sizeof(text), "%.*s", len, name);
	region = annotation_name("itt", NULL, NULL, text);
	errno = saved;
	for (int i = 0; region && i < EVENTS_MAX; i++) {
		there = NULL;
		if (__atomic_compare_exchange_n(&events[i], &there, region, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED) ||
		    there == region)
			return i + 1;
	}
	return 0;
}

ASIDE_HERE(int, itt_event_start, (int event), 0)
{
	if (event < 1 || event > EVENTS_MAX)
		return -1;
	annotation_push(&events[event - 1], __atomic_load_n(&events[event - 1], __ATOMIC_RELAXED));
	return 0;
}

ASIDE_HERE(int, itt_event_end, (int event), 0)
{
	if (event < 1 || event > EVENTS_MAX)
		return -1;
	annotation_pop(&events[event - 1]);
	return 0;
}

/* --- the rest --- */

static void pause_all(void)
{
	annotation_pause("__itt_pause");
}

/* Those of another device are not ours. */
#define SCOPE_OFFLOAD 2

static void pause_scoped(int scope)
{
	if (scope != SCOPE_OFFLOAD)
		annotation_pause("__itt_pause_scoped");
}

static void resume_scoped(int scope)
{
	if (scope != SCOPE_OFFLOAD)
		annotation_resume();
}

static void detach(void)
{
	annotation_pause("__itt_detach");
}

/* Clients take ITT as absent where this is. */
static const char *api_version(void)
{
	return "libpmu " PMU_VERSION_STRING;
}

/*
 * What is not here is left out on purpose: a client calls what it finds and believes it, and makes
 * its locks slower for the sake of __itt_sync_*.
 */
static const struct {
	const char *name; /* behind "__itt_" */
	void *function;
} ours[] = {
	{ "api_version", (void *)api_version },
	{ "domain_create", (void *)itt_domain_create },
	{ "string_handle_create", (void *)itt_string_create },
	{ "task_begin", (void *)itt_task_begin },
	{ "task_begin_fn", (void *)itt_task_begin_fn },
	{ "task_end", (void *)itt_task_end },
	{ "task_begin_ex", (void *)itt_task_begin_ex },
	{ "task_begin_fn_ex", (void *)itt_task_begin_fn_ex },
	{ "task_end_ex", (void *)itt_task_end_ex },
	{ "task_begin_overlapped", (void *)itt_task_begin_overlapped },
	{ "task_begin_overlapped_ex", (void *)itt_task_begin_overlapped_ex },
	{ "task_end_overlapped", (void *)itt_task_end_overlapped },
	{ "task_end_overlapped_ex", (void *)itt_task_end_overlapped_ex },
	{ "region_begin", (void *)itt_region_begin },
	{ "region_end", (void *)itt_region_end },
	{ "frame_begin_v3", (void *)itt_frame_begin },
	{ "frame_end_v3", (void *)itt_frame_end },
	{ "frame_submit_v3", (void *)itt_frame_submit },
	{ "get_timestamp", (void *)timestamp },
	{ "event_create", (void *)itt_event_create },
	{ "event_start", (void *)itt_event_start },
	{ "event_end", (void *)itt_event_end },
	{ "pause", (void *)pause_all },
	{ "resume", (void *)annotation_resume },
	{ "pause_scoped", (void *)pause_scoped },
	{ "resume_scoped", (void *)resume_scoped },
	{ "detach", (void *)detach },
};

static void *function_of(const char *name)
{
	static const char front[] = "__itt_";

	if (strncmp(name, front, sizeof(front) - 1) != 0)
		return NULL;
	name += sizeof(front) - 1;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(name, ours[i].name))
			return ours[i].function;
	return NULL;
}

/* LLVM's and Intel's OpenMP: their regions are known by OMPT, and their frames cost at each join. */
static bool is_openmp(const void *inside)
{
	static const char *const names[] = { "libomp.so", "libomp5.so", "libiomp5.so" };
	const char *path = preload_object_path(inside, NULL), *slash;

	if (!path)
		return false;
	slash = strrchr(path, '/');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(slash ? slash + 1 : path, names[i], strlen(names[i])))
			return true;
	return false;
}

/* More than any list has: one without an end is none of ITT's. */
#define ENTRIES_MAX 4096

ANNOTATION_DOOR void __itt_api_init(struct itt_global *global, int groups);

/* The client holds its own lock.  What it did not find before it finds null, or what it had. */
ANNOTATION_DOOR void __itt_api_init(struct itt_global *global, int groups)
{
	bool wanted;

	(void)groups;
	if (!global || memcmp(global->magic, ITT_MAGIC, sizeof(global->magic)) != 0 ||
	    global->version_major != 3 || !global->entry)
		return;
	wanted = annotation_door_open(PRELOAD_ITT) && !is_openmp(global->entry[0].pointer);
	for (size_t i = 0; i < ENTRIES_MAX && global->entry[i].name; i++) {
		const struct itt_entry *entry = &global->entry[i];
		void *function = wanted ? function_of(entry->name) : NULL;

		if (entry->pointer)
			__atomic_store_n(entry->pointer, function ? function : entry->none,
					 __ATOMIC_RELEASE);
	}
}
