/* SPDX-License-Identifier: BSD-3-Clause */
/* A store's beginning and end, and its texts: each name once. */
#include "store/table.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/time.h"
#include "store/chunks.h"

#define FIRST_PIECE ((uint64_t)64 << 10)
#define META_CHUNK  8192u
#define NAMES_CHUNK 4096u

/* --- open and end --- */

void pmu_store_fill_head(struct pmu_store_head *head, const struct pmu_process *owner,
			 enum pmu_clock_kind clock, uint64_t start_unix_ns,
			 const struct pmu_clock_point *start)
{
	PMU_PUBLISH(head->version, PMU_STORE_VERSION);
	PMU_PUBLISH(head->byte_order, PMU_STORE_BYTE_ORDER);
	PMU_PUBLISH(head->head_size, PMU_STORE_HEAD_SIZE);
	PMU_PUBLISH(head->clock_kind, clock);
	PMU_PUBLISH(head->pid, owner->pid);
	PMU_PUBLISH(head->start_time, owner->start_time);
	PMU_PUBLISH(head->pid_ns, owner->pid_ns);
	memcpy(head->boot_id, owner->boot_id, sizeof(head->boot_id));
	PMU_PUBLISH(head->start_unix_ns, start_unix_ns);
	head->point[0] = head->point[1] = *start;
	PMU_PUBLISH(head->size, PMU_STORE_HEAD_SIZE);
	/* Written last: a file without the magic is no store. */
	memcpy(head->magic, PMU_STORE_MAGIC, sizeof(head->magic));
}

/*
 * The user who started a program owns its store, and may write to it. Where the kernel lets them neither
 * trace the program nor write to its memory, results are not theirs to change either.
 * Return: NULL: they may.
 */
static const char *why_private(void)
{
	if (getauxval(AT_SECURE))
		return "it was started with more rights than its user has";
	/* a change of its effective user or group makes it so, too: prctl(2), PR_SET_DUMPABLE */
	if (prctl(PR_GET_DUMPABLE) != 1)
		return "it is not dumpable, as it itself or a change of its user has made it";
	return NULL;
}

static int create_file(struct pmu_table *table)
{
	const char *private = why_private();
	struct stat st;
	int fd = private ? pmu_fail(EACCES, "other programs may not see this one: %s", private)
			 : pmu_store_create(&table->owner, table->path, sizeof(table->path),
					    &table->nth);

	if (fd < 0) {
		snprintf(table->why, sizeof(table->why), "%s", pmu_error_text());
		table->path[0] = '\0';
		return -1;
	}
	if (fstat(fd, &st) == 0) {
		table->dev = st.st_dev;
		table->ino = st.st_ino;
	}
	return fd;
}

int pmu_table_open(struct pmu_table *table, enum pmu_clock_kind clock)
{
	int fd, rc;

	memset(table, 0, sizeof(*table));
	table->piece = pmu_arena_alloc(&table->arena, PMU_TABLE_MAX_PIECES * sizeof(*table->piece),
				       8);
	if (!table->piece)
		return -ENOMEM;
	pmu_process_self(&table->owner);
	table->nth = 1;
	fd = create_file(table);
	table->file_ended = fd < 0;
	rc = pmu_piece_add(table, fd, FIRST_PIECE);
	if (fd >= 0)
		close(fd);
	if (table->path[0] && table->file_ended) {
		unlink(table->path);
		table->path[0] = '\0';
	}
	if (rc < 0)
		return rc;
	table->head = (void *)(uintptr_t)table->piece[0].base;
	table->next = PMU_STORE_HEAD_SIZE;
	table->clock = clock;
	table->start_unix_ns = pmu_time_now_ns(CLOCK_REALTIME);
	table->start = pmu_clock_point_take(clock);
	PMU_PUBLISH(table->head->nth, table->nth);
	pmu_store_fill_head(table->head, &table->owner, clock, table->start_unix_ns, &table->start);
	return 0;
}

void pmu_table_remove(struct pmu_table *table)
{
	PMU_PUBLISH(table->head->ended, 1);
	/* a program may have changed its user or its root since */
	if (table->path[0] && unlink(table->path))
		PMU_PUBLISH(table->head->ended, PMU_STORE_REPORTED);
	table->path[0] = '\0';
	table->file_ended = true;
	pmu_table_index_forget(&table->index);
}

/* Bytes to copy: of a ring its heads alone, for no reader looks into a child's copy of it. */
static uint64_t used_of_piece(const struct pmu_table *table, const struct pmu_store_piece *piece)
{
	if (piece->rings)
		return sizeof(struct pmu_store_chunk) + sizeof(struct pmu_store_trace);
	if (piece->offset + piece->size == table->end)
		return table->next > piece->offset ? table->next - piece->offset : 0;
	return piece->size;
}

void pmu_table_unshare(struct pmu_table *table)
{
	for (size_t i = 0; i < table->n_pieces; i++) {
		void *base = (void *)(uintptr_t)table->piece[i].base;
		uint64_t size = table->piece[i].size;
		uint64_t used = used_of_piece(table, &table->piece[i]);
		void *copy = pmu_pages_alloc(size);

		if (!copy)
			continue;
		/* the rest is zero in both; copying it would make pages for nothing */
		memcpy(copy, base, used < size ? used : size);
		mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, base);
	}
}

void pmu_table_abandon(struct pmu_table *table)
{
	pmu_table_unshare(table);
	pmu_table_index_forget(&table->index);
	pmu_index_free(&table->name_index);
	memset(table, 0, sizeof(*table));
}

uint64_t pmu_table_ns(const struct pmu_table *table, uint64_t ticks)
{
	struct pmu_clock_point now = pmu_clock_point_take(table->clock);
	double hz = pmu_clock_hz(table->clock, &table->start, &now);

	return hz > 0 ? (uint64_t)((double)ticks * 1e9 / hz) : 0;
}

void pmu_table_point(struct pmu_table *table)
{
	struct pmu_store_head *head = table->head;
	struct pmu_clock_point now = pmu_clock_point_take(table->clock);

	PMU_PUBLISH_LAST(head->point_seq, ++table->point_seq);
	__atomic_store_n(&head->point[1].ticks, now.ticks, __ATOMIC_RELEASE);
	__atomic_store_n(&head->point[1].mono_ns, now.mono_ns, __ATOMIC_RELEASE);
	PMU_PUBLISH_LAST(head->point_seq, ++table->point_seq);
}

struct pmu_store_view pmu_table_view(const struct pmu_table *table)
{
	return (struct pmu_store_view){ .piece = table->piece, .n_pieces = table->n_pieces };
}

/* --- texts --- */

/* Room for @need more bytes of records in a META or NAMES chunk. */
static void *add_text_record(struct pmu_table *table, struct pmu_chunk **chunk,
			     enum pmu_store_kind kind, uint32_t chunk_size, uint32_t need)
{
	if (!*chunk || (*chunk)->used + need > (*chunk)->size - sizeof(struct pmu_store_chunk)) {
		struct pmu_chunk *fresh = pmu_chunk_new(table, chunk_size);

		if (!fresh)
			return NULL;
		pmu_chunk_set_kind(fresh->at, kind);
		*chunk = fresh;
	}
	return (char *)((*chunk)->at + 1) + (*chunk)->used;
}

static void commit_record(struct pmu_chunk *chunk, uint32_t size)
{
	chunk->used += size;
	PMU_PUBLISH_LAST(chunk->at->used, chunk->used);
}

int pmu_table_meta(struct pmu_table *table, enum pmu_meta_key key, const char *text)
{
	size_t len = strnlen(text, META_CHUNK / 2);
	uint32_t size = PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_meta) + len), 8);
	struct pmu_store_meta *meta = table->head
					      ? add_text_record(table, &table->meta, PMU_CHUNK_META,
								META_CHUNK, size)
					      : NULL;

	if (!meta)
		return -ENOMEM;
	PMU_PUBLISH(meta->key, key);
	PMU_PUBLISH(meta->len, len);
	memcpy(meta->text, text, len);
	commit_record(table->meta, size);
	return 0;
}

int pmu_table_group(struct pmu_table *table, uint32_t index, const char *name, uint32_t n_slots,
		    struct pmu_store_group **out)
{
	uint32_t size = (uint32_t)(sizeof(struct pmu_store_chunk) + sizeof(**out) +
				   n_slots * sizeof(struct pmu_store_slot));
	struct pmu_chunk *chunk = pmu_chunk_new(table, PMU_ALIGN_UP(size, PMU_STORE_ALIGN));
	struct pmu_store_group *group;

	if (!chunk)
		return -ENOMEM;
	group = (void *)(chunk->at + 1);
	snprintf(group->name, sizeof(group->name), "%s", name);
	PMU_PUBLISH(group->n_slots, n_slots);
	PMU_PUBLISH(group->row_size, pmu_row_size(n_slots));
	PMU_PUBLISH(group->bank_offset, pmu_row_bank_offset(n_slots));
	PMU_PUBLISH(group->bank_size, pmu_row_bank_size(n_slots));
	PMU_PUBLISH(chunk->at->group, index);
	pmu_chunk_set_kind(chunk->at, PMU_CHUNK_GROUP);
	*out = group;
	return 0;
}

/** A name as its writer knows it. */
struct pmu_table_name {
	uint32_t id;
	uint32_t len;
	char text[];
};

struct wanted_name {
	const char *text;
	size_t len;
};

static bool is_wanted_name(const void *arg, uintptr_t thing)
{
	const struct pmu_table_name *name = (const void *)thing;
	const struct wanted_name *wanted = arg;

	return name->len == wanted->len && !memcmp(name->text, wanted->text, wanted->len);
}

uint32_t pmu_table_find_name(struct pmu_table *table, const char *text, size_t len)
{
	const struct wanted_name wanted = { text, len };
	const struct pmu_index_place *place;

	if (!table->n_names)
		return 0;
	place = pmu_index_find(&table->name_index, pmu_hash_text(text, len), is_wanted_name,
			       &wanted);
	return place->thing ? ((const struct pmu_table_name *)place->thing)->id : 0;
}

uint32_t pmu_table_name(struct pmu_table *table, const char *text, size_t len)
{
	uint32_t size = PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_name) + len), 8);
	const struct wanted_name wanted = { text, len };
	uint32_t hash = pmu_hash_text(text, len);
	struct pmu_index_place *place;
	struct pmu_table_name *name;
	struct pmu_store_name *published;

	if (pmu_index_reserve(&table->name_index, 1) < 0)
		return 0;
	place = pmu_index_find(&table->name_index, hash, is_wanted_name, &wanted);
	if (place->thing)
		return ((const struct pmu_table_name *)place->thing)->id;
	name = pmu_arena_alloc(&table->arena, sizeof(*name) + len, 8);
	published = name ? add_text_record(table, &table->names, PMU_CHUNK_NAMES, NAMES_CHUNK, size)
			 : NULL;
	if (!published)
		return 0;
	name->id = ++table->n_names;
	name->len = (uint32_t)len;
	memcpy(name->text, text, len);
	PMU_PUBLISH(published->id, name->id);
	PMU_PUBLISH(published->len, len);
	memcpy(published->text, text, len);
	commit_record(table->names, size);
	pmu_index_take(&table->name_index, place, hash, (uintptr_t)name);
	return name->id;
}
