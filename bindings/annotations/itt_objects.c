/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ITT's domains, strings and ids.  Clients have made some of their objects before they found us,
 * and several clients are in one process: what is known of an object hangs at its extra2.
 */
#include <stdint.h>
#include <string.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/itt.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"
#include "pmu.h"

/* --- domains --- */

#define DOMAINS_MAX 65536

static struct itt_known_domain *domains; /* grows at its head; release */
static size_t n_domains;                 /* preload_lock() */

static struct itt_known_domain *find_domain(const char *name)
{
	struct itt_known_domain *known = __atomic_load_n(&domains, __ATOMIC_ACQUIRE);

	while (known && strcmp(known->name, name) != 0)
		known = known->next;
	return known;
}

/* preload_lock() */
static struct itt_known_domain *add_domain(const char *name)
{
	struct itt_known_domain *known = find_domain(name);

	if (known || n_domains >= DOMAINS_MAX)
		return known;
	known = preload_keep(sizeof(*known));
	if (!known || !(known->name = preload_keep_text(name, strlen(name))))
		return NULL;
	/* "main$omp$parallel:4@heat.c:12:1" */
	known->is_openmp = strstr(name, "$omp$") != NULL;
	known->object.flags = !known->is_openmp;
	known->object.name = known->name;
	known->object.extra2 = known;
	known->next = domains;
	__atomic_store_n(&domains, known, __ATOMIC_RELEASE);
	n_domains++;
	return known;
}

static struct itt_known_domain *domain_of(const char *name)
{
	struct itt_known_domain *known = find_domain(name);

	if (known || !preload_lock())
		return known;
	known = add_domain(name);
	preload_unlock();
	return known;
}

struct itt_known_domain *itt_domain_find(struct itt_domain *domain)
{
	struct itt_known_domain *known;

	if (!domain)
		return NULL;
	known = domain_of(domain->name ? domain->name : "");
	if (known && known->is_openmp)
		domain->flags = 0;
	__atomic_store_n(&domain->extra2, known, __ATOMIC_RELEASE);
	return known;
}

struct itt_domain *itt_domain_create(const char *name)
{
	struct itt_known_domain *known = name ? domain_of(name) : NULL;

	return known ? &known->object : NULL;
}

/* --- strings --- */

#define NAMED_MAX 16 /* domains that one string is known in */

/* A string of ours, found again by its text. */
struct known_string {
	struct known_string *next;
	struct itt_string object;
};
#define STRING_BUCKETS 1024
#define STRINGS_MAX    (1u << 20)

static struct known_string *strings[STRING_BUCKETS]; /* grow at their heads; release */
static size_t n_strings;                             /* preload_lock() */

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 16777619u;
	return hash;
}

static struct known_string *find_string(struct known_string **bucket, const char *text)
{
	struct known_string *known = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);

	while (known && strcmp(known->object.text, text) != 0)
		known = known->next;
	return known;
}

/* preload_lock() */
static struct known_string *add_string(struct known_string **bucket, const char *text)
{
	struct known_string *known = find_string(bucket, text);

	if (known || n_strings >= STRINGS_MAX)
		return known;
	known = preload_keep(sizeof(*known));
	if (!known || !(known->object.text = preload_keep_text(text, strlen(text))))
		return NULL;
	known->next = *bucket;
	__atomic_store_n(bucket, known, __ATOMIC_RELEASE);
	n_strings++;
	return known;
}

struct itt_string *itt_string_create(const char *text)
{
	struct known_string **bucket, *known;

	if (!text)
		return NULL;
	bucket = &strings[hash_of(text) % STRING_BUCKETS];
	known = find_string(bucket, text);
	if (!known && preload_lock()) {
		known = add_string(bucket, text);
		preload_unlock();
	}
	return known ? &known->object : NULL;
}

/* In the next begin it is found. */
static void keep_named(const struct itt_known_domain *domain, struct itt_string *string,
		       const char *name)
{
	struct itt_named *named, *first;
	int n = 0;

	if (!name || !preload_lock())
		return;
	first = string->extra2;
	for (named = first; named && named->domain != domain; named = named->next)
		n++;
	if (!named && n < NAMED_MAX && (named = preload_keep(sizeof(*named)))) {
		*named = (struct itt_named){ first, domain, name };
		__atomic_store_n(&string->extra2, named, __ATOMIC_RELEASE);
	}
	preload_unlock();
}

const char *itt_name_find(const struct itt_known_domain *domain, struct itt_string *string)
{
	const struct itt_named *named;
	const char *name;

	if (!string)
		return annotation_name("itt", domain->name, NULL, NULL);
	for (named = __atomic_load_n(&string->extra2, __ATOMIC_ACQUIRE); named; named = named->next)
		if (named->domain == domain)
			return named->name;
	name = annotation_name("itt", domain->name, NULL, string->text);
	keep_named(domain, string, name);
	return name;
}

/* --- functions --- */

struct known_function {
	const void *function;
	const struct itt_known_domain *domain;
	const char *name;
};
#define FUNCTIONS      1024
#define FUNCTION_TRIES 16

static struct known_function *functions[FUNCTIONS]; /* release; never changes once it is there */

const char *itt_name_of_function(const struct itt_known_domain *domain, const void *function)
{
	uint64_t mixed = ((uintptr_t)function ^ (uintptr_t)domain) * UINT64_C(0x9E3779B97F4A7C15);
	struct known_function *known, *none;
	const char *name;
	size_t at = 0;

	for (int i = 0; i < FUNCTION_TRIES; i++) {
		at = (size_t)((mixed >> 40) + (uint64_t)i) % FUNCTIONS;
		known = __atomic_load_n(&functions[at], __ATOMIC_ACQUIRE);
		if (!known)
			break;
		if (known->function == function && known->domain == domain)
			return known->name;
	}
	name = annotation_name("itt", domain->name, NULL, preload_symbol(function));
	if (!name || !preload_lock())
		return name;
	known = preload_keep(sizeof(*known));
	preload_unlock();
	none = NULL;
	if (known) {
		*known = (struct known_function){ function, domain, name };
		__atomic_compare_exchange_n(&functions[at], &none, known, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	}
	return name;
}

/* --- ids --- */

/*
 * Places by the hash of kind, domain and id, without a lock: a place's word is FREE, BUSY, or that
 * hash with FULL.  The thread that makes it BUSY has the place alone until its next release store.
 */
struct itt_kept {
	uint64_t word;
	enum itt_kind kind;
	const struct itt_known_domain *domain;
	struct itt_id id;
	const char *name; /* NULL: nothing was begun */
};
#define RANGES_KEPT 1024 /* few are open at a time, and those that were touched stay in caches */
#define RANGE_TRIES 256
#define FREE        UINT64_C(0)
#define BUSY        UINT64_C(1)
#define FULL        UINT64_C(2)
#define STATE       UINT64_C(3)

static struct itt_kept *kept; /* of the first use on */

static struct itt_kept *all_kept(void)
{
	const size_t size = RANGES_KEPT * sizeof(*kept);
	struct itt_kept *there = __atomic_load_n(&kept, __ATOMIC_ACQUIRE), *made;

	if (annotation_likely(there) || !(made = preload_map(size)))
		return there;
	if (__atomic_compare_exchange_n(&kept, &there, made, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return made;
	preload_unmap(made, size);
	return there;
}

static uint64_t full_word(enum itt_kind kind, const struct itt_known_domain *domain,
			  const struct itt_id *id)
{
	const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t mixed = (uintptr_t)domain + kind;

	mixed = (mixed ^ id->d1) * odd;
	mixed = (mixed ^ mixed >> 32 ^ id->d2) * odd;
	mixed = (mixed ^ mixed >> 32 ^ id->d3) * odd;
	return (mixed & ~STATE) | FULL;
}

/* Whether the place was as @word says, and is the caller's now. */
static bool take_place(struct itt_kept *place, uint64_t word, uint64_t busy)
{
	return __atomic_load_n(&place->word, __ATOMIC_RELAXED) == word &&
	       __atomic_compare_exchange_n(&place->word, &word, busy, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/*
 * By words, as clients write them: a processor waits where it is to read at once what has just been
 * written in parts, and compilers would.
 */
static inline struct itt_id words_of(const struct itt_id *id)
{
	return (struct itt_id){ __atomic_load_n(&id->d1, __ATOMIC_RELAXED),
				__atomic_load_n(&id->d2, __ATOMIC_RELAXED),
				__atomic_load_n(&id->d3, __ATOMIC_RELAXED) };
}

static bool is_same(const struct itt_id *place, const struct itt_id *id)
{
	struct itt_id there = words_of(place);

	return there.d1 == id->d1 && there.d2 == id->d2 && there.d3 == id->d3;
}

static void put_id(struct itt_id *place, const struct itt_id *id)
{
	__atomic_store_n(&place->d1, id->d1, __ATOMIC_RELAXED);
	__atomic_store_n(&place->d2, id->d2, __ATOMIC_RELAXED);
	__atomic_store_n(&place->d3, id->d3, __ATOMIC_RELAXED);
}

void itt_range_begin(enum itt_kind kind, const struct itt_known_domain *domain,
		     const struct itt_id *by, const char *name)
{
	struct itt_id id = words_of(by);
	uint64_t word = full_word(kind, domain, &id);
	struct itt_kept *all = all_kept();

	for (size_t i = 0; all && i < RANGE_TRIES; i++) {
		struct itt_kept *place = &all[((word >> 40) + i) % RANGES_KEPT];

		if (!take_place(place, FREE, BUSY))
			continue;
		if (__atomic_load_n(&annotation_paused, __ATOMIC_RELAXED))
			name = NULL;
		place->kind = kind;
		place->domain = domain;
		put_id(&place->id, &id);
		place->name = name;
		__atomic_store_n(&place->word, word, __ATOMIC_RELEASE);
		if (name)
			(void)aside.begin(name);
		return;
	}
}

void itt_range_end(enum itt_kind kind, const struct itt_known_domain *domain,
		   const struct itt_id *by)
{
	struct itt_id id = words_of(by);
	uint64_t word = full_word(kind, domain, &id);
	struct itt_kept *all = __atomic_load_n(&kept, __ATOMIC_ACQUIRE);

	for (size_t i = 0; all && i < RANGE_TRIES; i++) {
		struct itt_kept *place = &all[((word >> 40) + i) % RANGES_KEPT];
		const char *name;

		if (!take_place(place, word, BUSY))
			continue;
		if (place->kind == kind && place->domain == domain && is_same(&place->id, &id)) {
			name = place->name;
			__atomic_store_n(&place->word, FREE, __ATOMIC_RELEASE);
			if (name)
				(void)aside.end(name);
			return;
		}
		/* the same hash of something else */
		__atomic_store_n(&place->word, word, __ATOMIC_RELEASE);
	}
}
