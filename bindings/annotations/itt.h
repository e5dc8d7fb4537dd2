/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel's ITT: what a client's static part and a collector know of each other.
 *
 * Source: ittnotify_types.h, ittnotify_config.h and ittnotify_static.h of github.com/intel/ittapi;
 * layouts are those of its versions 3.15 to 3.26, on Linux, packed to 8 bytes.
 */
#ifndef PMU_ANNOTATIONS_ITT_H
#define PMU_ANNOTATIONS_ITT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "bindings/annotations/thread.h"

#pragma GCC visibility push(hidden)

struct itt_id {
	unsigned long long d1, d2, d3;
};

/* extra1 and extra2 are the collector's, and 0 where the static part has made the object. */
struct itt_domain {
	volatile int flags; /* 0: clients' macros make no call for it */
	const char *name;
	void *name_wide;
	int extra1;
	void *extra2;
	struct itt_domain *next;
};

struct itt_string {
	const char *text;
	void *text_wide;
	int extra1;
	void *extra2;
	struct itt_string *next;
};

/* A function as clients call it: by the pointer at @pointer. */
struct itt_entry {
	const char *name; /* NULL: the list's end */
	void **pointer;
	void *init;
	void *none; /* for what we have not: NULL or the client's own */
	int group;
};

/* As far as all versions have it alike. */
struct itt_global {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	volatile long is_initialized, is_mutex_initialized, atomic_counter;
	pthread_mutex_t mutex;
	void *library, *error_handler;
	const char **path;
	struct itt_entry *entry;
};
#define ITT_MAGIC "\xED\xAB\xAB\xEC\x0D\xEE\xDA\x30"

/* --- objects.c: names behind the handles that clients have --- */

/** A domain by its name: clients may have several objects of one name. */
struct itt_known_domain {
	struct itt_known_domain *next;
	const char *name;
	struct itt_domain object; /* what our domain_create() gives */
	bool is_openmp;           /* libomp's: OMPT reports its regions */
	bool is_said;             /* that its frames were handed over afterwards */
};

struct itt_known_domain *itt_domain_find(struct itt_domain *domain);

/** itt_domain() - of a client's object.  Return: NULL without one, or without memory. */
static inline struct itt_known_domain *itt_domain(struct itt_domain *domain)
{
	struct itt_known_domain *known = annotation_likely(domain)
						 ? __atomic_load_n(&domain->extra2,
								   __ATOMIC_ACQUIRE)
						 : NULL;

	return annotation_likely(known) ? known : itt_domain_find(domain);
}

/** itt_domain_create(), itt_string_create() - the same object for the same name; NULL for none */
struct itt_domain *itt_domain_create(const char *name);
struct itt_string *itt_string_create(const char *text);

/** What a string is called in a domain; they hang at its extra2. */
struct itt_named {
	struct itt_named *next;
	const struct itt_known_domain *domain;
	const char *name;
};

const char *itt_name_find(const struct itt_known_domain *domain, struct itt_string *string);

/** itt_name() - the region's.  @string: NULL: the domain's own */
static inline const char *itt_name(const struct itt_known_domain *domain, struct itt_string *string)
{
	const struct itt_named *named = annotation_likely(string)
						? __atomic_load_n(&string->extra2, __ATOMIC_ACQUIRE)
						: NULL;

	return annotation_likely(named && named->domain == domain) ? named->name
								   : itt_name_find(domain, string);
}

/** itt_name_of_function() - of a task that is a function */
const char *itt_name_of_function(const struct itt_known_domain *domain, const void *function);

/** What an id is of. */
enum itt_kind {
	ITT_TASK,
	ITT_REGION,
};

/**
 * itt_range_begin(), itt_range_end() - a region that is ended by the client's own id
 *
 * As annotation_range_start() and its stop, with fewer of them; of several with the same id, as that of
 * all zeros, any is ended.
 */
void itt_range_begin(enum itt_kind kind, const struct itt_known_domain *domain,
		     const struct itt_id *id, const char *name);
void itt_range_end(enum itt_kind kind, const struct itt_known_domain *domain,
		   const struct itt_id *id);

#pragma GCC visibility pop

#endif
