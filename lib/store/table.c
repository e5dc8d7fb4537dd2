/* SPDX-License-Identifier: BSD-3-Clause */
/* A store's beginning and end, and its texts: each name once. */
#include "store/table.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

static void fill_head(struct pmu_table *table, const struct pmu_process *owner, uint32_t nth,
		      enum pmu_clock_kind clock)
{
	struct pmu_store_head *head = table->head;

	head->version = PMU_STORE_VERSION;
	head->byte_order = PMU_STORE_BYTE_ORDER;
	head->head_size = PMU_STORE_HEAD_SIZE;
	head->clock_kind = clock;
	head->pid = owner->pid;
	head->nth = nth;
	head->start_time = owner->start_time;
	head->pid_ns = owner->pid_ns;
	memcpy(head->boot_id, owner->boot_id, sizeof(head->boot_id));
	head->start_unix_ns = pmu_time_now_ns(CLOCK_REALTIME);
	head->point[0] = pmu_clock_point_take(clock);
	head->point[1] = head->point[0];
	head->size = PMU_STORE_HEAD_SIZE;
	/* Written last: a file without the magic is no store. */
	memcpy(head->magic, PMU_STORE_MAGIC, sizeof(head->magic));
}

static int create_file(struct pmu_table *table, const struct pmu_process *owner, uint32_t *nth)
{
	struct stat st;
	int fd = pmu_store_create(owner, table->path, sizeof(table->path), nth);

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
	struct pmu_process owner;
	uint32_t nth = 1;
	int fd, rc;

	memset(table, 0, sizeof(*table));
	pmu_process_self(&owner);
	fd = create_file(table, &owner, &nth);
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
	fill_head(table, &owner, nth, clock);
	return 0;
}

void pmu_table_remove(struct pmu_table *table)
{
	__atomic_store_n(&table->head->ended, 1, __ATOMIC_RELAXED);
	/* a program may have changed its user or its root since */
	if (table->path[0] && unlink(table->path))
		__atomic_store_n(&table->head->ended, PMU_STORE_REPORTED, __ATOMIC_RELAXED);
	table->path[0] = '\0';
	table->file_ended = true;
	pmu_table_index_forget(&table->index);
}

/* Of a ring nobody reads a copy: what is written into it is enough. */
static uint64_t used_of(const struct pmu_table *table, const struct pmu_store_piece *piece)
{
	const struct pmu_store_chunk *chunk = piece->base;

	if (piece->offset && chunk->kind == PMU_CHUNK_TRACE)
		return sizeof(*chunk) + sizeof(struct pmu_store_trace);
	if (piece->offset + piece->size == table->end)
		return table->next > piece->offset ? table->next - piece->offset : 0;
	return piece->size;
}

void pmu_table_unshare(struct pmu_table *table)
{
	for (size_t i = 0; i < table->n_pieces; i++) {
		void *base = (void *)(uintptr_t)table->piece[i].base;
		uint64_t size = table->piece[i].size;
		uint64_t used = used_of(table, &table->piece[i]);
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

void pmu_table_point(struct pmu_table *table)
{
	struct pmu_store_head *head = table->head;
	struct pmu_clock_point now = pmu_clock_point_take(head->clock_kind);
	uint32_t seq = head->point_seq;

	__atomic_store_n(&head->point_seq, seq + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&head->point[1].ticks, now.ticks, __ATOMIC_RELEASE);
	__atomic_store_n(&head->point[1].mono_ns, now.mono_ns, __ATOMIC_RELEASE);
	__atomic_store_n(&head->point_seq, seq + 2, __ATOMIC_RELEASE);
}

struct pmu_store_view pmu_table_view(const struct pmu_table *table)
{
	return (struct pmu_store_view){ .piece = table->piece, .n_pieces = table->n_pieces };
}

/* --- texts --- */

/* Room for @need more bytes of records in a META or NAMES chunk. */
static void *add_record(struct pmu_table *table, struct pmu_store_chunk **chunk,
			enum pmu_store_kind kind, uint32_t chunk_size, uint32_t need)
{
	if (!*chunk || (*chunk)->used + need > (*chunk)->size - sizeof(**chunk)) {
		struct pmu_store_chunk *fresh = pmu_chunk_new(table, chunk_size);

		if (!fresh)
			return NULL;
		pmu_chunk_set_kind(fresh, kind);
		*chunk = fresh;
	}
	return (char *)(*chunk + 1) + (*chunk)->used;
}

static void commit_record(struct pmu_store_chunk *chunk, uint32_t size)
{
	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
}

int pmu_table_meta(struct pmu_table *table, enum pmu_meta_key key, const char *text)
{
	size_t len = strnlen(text, META_CHUNK / 2);
	uint32_t size = PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_meta) + len), 8);
	struct pmu_store_meta *meta = table->head ? add_record(table, &table->meta, PMU_CHUNK_META,
							       META_CHUNK, size)
						  : NULL;

	if (!meta)
		return -ENOMEM;
	meta->key = (uint16_t)key;
	meta->len = (uint16_t)len;
	memcpy(meta->text, text, len);
	commit_record(table->meta, size);
	return 0;
}

int pmu_table_group(struct pmu_table *table, uint32_t index, const char *name, uint32_t n_slots,
		    struct pmu_store_group **out)
{
	uint32_t size = (uint32_t)(sizeof(struct pmu_store_chunk) + sizeof(**out) +
				   n_slots * sizeof(struct pmu_store_slot));
	struct pmu_store_chunk *chunk = pmu_chunk_new(table, PMU_ALIGN_UP(size, PMU_STORE_ALIGN));
	struct pmu_store_group *group;

	if (!chunk)
		return -ENOMEM;
	group = (void *)(chunk + 1);
	snprintf(group->name, sizeof(group->name), "%s", name);
	group->n_slots = n_slots;
	group->row_size = pmu_row_size(n_slots);
	group->bank_offset = pmu_row_bank_offset(n_slots);
	group->bank_size = pmu_row_bank_size(n_slots);
	chunk->group = index;
	pmu_chunk_set_kind(chunk, PMU_CHUNK_GROUP);
	*out = group;
	return 0;
}

struct wanted_name {
	const char *text;
	size_t len;
};

static bool is_name(const void *arg, uintptr_t thing)
{
	const struct pmu_store_name *name = (const void *)thing;
	const struct wanted_name *wanted = arg;

	return name->len == wanted->len && !memcmp(name->text, wanted->text, wanted->len);
}

uint32_t pmu_table_find_name(struct pmu_table *table, const char *text, size_t len)
{
	const struct wanted_name wanted = { text, len };
	const struct pmu_index_place *place;

	if (!table->n_names)
		return 0;
	place = pmu_index_find(&table->name_index, pmu_hash_text(text, len), is_name, &wanted);
	return place->thing ? ((const struct pmu_store_name *)place->thing)->id : 0;
}

uint32_t pmu_table_name(struct pmu_table *table, const char *text, size_t len)
{
	uint32_t size = PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_name) + len), 8);
	const struct wanted_name wanted = { text, len };
	uint32_t hash = pmu_hash_text(text, len);
	struct pmu_index_place *place;
	struct pmu_store_name *name;

	if (pmu_index_reserve(&table->name_index, 1) < 0)
		return 0;
	place = pmu_index_find(&table->name_index, hash, is_name, &wanted);
	if (place->thing)
		return ((const struct pmu_store_name *)place->thing)->id;
	name = add_record(table, &table->names, PMU_CHUNK_NAMES, NAMES_CHUNK, size);
	if (!name)
		return 0;
	name->id = ++table->n_names;
	name->len = (uint32_t)len;
	memcpy(name->text, text, len);
	commit_record(table->names, size);
	pmu_index_take(&table->name_index, place, hash, (uintptr_t)name);
	return name->id;
}
