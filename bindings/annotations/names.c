/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names, each once: in a table that only grows, and in front of it what the calling thread has
 * asked for lately.
 */
#include "bindings/annotations/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/annotations/prefix.h"
#include "bindings/annotations/thread.h"
#include "bindings/preload/keep.h"
#include "pmu.h"

#define BUCKETS 4096

static struct annotation_known *table[BUCKETS]; /* release: what is found is whole */
static unsigned int n_names;                    /* preload_lock() */

/* --- the prefix --- */

#define UNREAD (~0u)

unsigned int annotation_prefix_wanted(void)
{
	static unsigned int parts = UNREAD;
	unsigned int now = __atomic_load_n(&parts, __ATOMIC_RELAXED);

	if (__builtin_expect(now == UNREAD, 0)) {
		now = annotation_prefix(getenv("PMU_PREFIX"));
		__atomic_store_n(&parts, now, __ATOMIC_RELAXED);
	}
	return now;
}

/* --- a name of its parts --- */

struct composed {
	size_t len, text_at;
	char name[PMU_NAME_MAX + 1];
};

/* A character of UTF-8 is there as a whole or not at all. */
static size_t cut(const char *text, size_t most)
{
	size_t len = strnlen(text, most + 1), at;

	if (len <= most)
		return len;
	for (at = most; at > 0 && most - at < 4 && ((unsigned char)text[at] & 0xC0) == 0x80; at--)
		;
	return ((unsigned char)text[at] & 0xC0) == 0x80 ? most : at;
}

static void add(struct composed *out, const char *text)
{
	size_t len = cut(text, PMU_NAME_MAX - out->len);

	memcpy(out->name + out->len, text, len);
	out->len += len;
}

static bool is_there(const char *text)
{
	return text && *text;
}

static void compose(struct composed *out, const struct annotation_cached *of)
{
	const struct {
		unsigned int part;
		const char *text;
	} front[] = {
		{ ANNOTATION_TOOL, of->tool },
		{ ANNOTATION_DOMAIN, of->domain },
		{ ANNOTATION_CATEGORY, of->category },
	};
	unsigned int wanted = annotation_prefix_wanted();

	out->len = 0;
	for (size_t i = 0; i < sizeof(front) / sizeof(front[0]); i++) {
		if (!(wanted & front[i].part) || !is_there(front[i].text))
			continue;
		if (out->len)
			add(out, ":");
		add(out, front[i].text);
	}
	if (out->len && is_there(of->text))
		add(out, ":");
	out->text_at = out->len;
	if (is_there(of->text))
		add(out, of->text);
	else if (!out->len && is_there(of->tool))
		add(out, of->tool);
	out->name[out->len] = '\0';
}

/* --- the table --- */

/* FNV-1a */
static uint32_t hash_of(const struct composed *name)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < name->len; i++)
		hash = (hash ^ (unsigned char)name->name[i]) * 16777619u;
	return hash;
}

static struct annotation_known *find(const struct composed *name, uint32_t hash)
{
	struct annotation_known *known = __atomic_load_n(&table[hash % BUCKETS], __ATOMIC_ACQUIRE);

	while (known &&
	       (known->hash != hash || known->len != name->len || known->text_at != name->text_at ||
		memcmp(known->name, name->name, name->len)))
		known = known->next;
	return known;
}

static struct annotation_known *insert(const struct composed *name, uint32_t hash)
{
	struct annotation_known *known;

	if (n_names >= ANNOTATION_NAMES)
		return NULL;
	known = preload_keep(sizeof(*known) + name->len + 1);
	if (!known)
		return NULL;
	known->next = table[hash % BUCKETS];
	known->hash = hash;
	known->len = (uint16_t)name->len;
	known->text_at = (uint16_t)name->text_at;
	memcpy(known->name, name->name, name->len + 1);
	__atomic_store_n(&table[hash % BUCKETS], known, __ATOMIC_RELEASE);
	n_names++;
	return known;
}

static const struct annotation_known *look_up(const struct annotation_cached *of)
{
	struct annotation_known *known;
	struct composed name;
	uint32_t hash;

	compose(&name, of);
	hash = hash_of(&name);
	known = find(&name, hash);
	if (known || !preload_lock())
		return known;
	known = find(&name, hash);
	if (!known)
		known = insert(&name, hash);
	preload_unlock();
	return known;
}

const char *annotation_name_make(const char *tool, const char *domain, const char *category,
				 const char *text)
{
	const struct annotation_cached asked = { tool, domain, category, text, NULL };
	struct annotation_thread *self = annotation_thread();
	const struct annotation_known *known = look_up(&asked);
	struct annotation_cached *place;

	if (!known)
		return NULL;
	/* an empty text has nothing to be confirmed by */
	if (self && is_there(text)) {
		place = annotation_cached_at(self, domain, text);
		*place = asked;
		place->known = known;
	}
	return known->name;
}
