/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer of a store: chunks that never move, names stored once, rows on cache lines. */
#include "store/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"

#define FIRST_PIECE      ((uint64_t)64 << 10)
#define LARGEST_PIECE    ((uint64_t)16 << 20)
#define META_CHUNK       8192u
#define NAMES_CHUNK      4096u
#define FIRST_ROWS       4096u
#define LARGEST_ROWS     (1u << 20)
#define FIRST_HISTOGRAMS 8192u
#define FIRST_NAME_SLOTS 256u

/* A place of the hash index over names. */
struct pmu_table_name_slot {
	uint32_t hash; /* 0: free */
	uint32_t id;
	const struct pmu_store_name *name;
};

/* In a row chunk: where the thread's next chunk is, or the next free one; 0 for none. */
static uint64_t *next_of(struct pmu_store_chunk *chunk)
{
	return &chunk->reserved2[0];
}

static void *at(const struct pmu_table *table, uint64_t offset)
{
	for (size_t i = table->n_pieces; i-- > 0;) {
		const struct pmu_store_piece *piece = &table->piece[i];

		if (offset >= piece->offset)
			return (char *)(uintptr_t)piece->base + (offset - piece->offset);
	}
	return NULL;
}

static void note_why(struct pmu_table *table, const char *what, int error)
{
	if (!table->why[0])
		snprintf(table->why, sizeof(table->why), "%s: %s", what, strerror(error));
}

/* --- pieces --- */

/* The file is opened anew each time: no descriptor of ours waits for the program to close it. */
static int open_again(struct pmu_table *table)
{
	struct stat st;
	int fd = open(table->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || st.st_dev != table->dev || st.st_ino != table->ino) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Reserve first, then map: a full file system is an error here, not a SIGBUS later. */
static void *map_file(int fd, uint64_t offset, uint64_t size)
{
	struct rlimit most;

	/* Beyond that limit the kernel answers with a signal. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && offset + size > most.rlim_cur) {
		errno = EFBIG;
		return NULL;
	}
	if (fallocate(fd, 0, (off_t)offset, (off_t)size) < 0)
		return NULL;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		    (off_t)offset);
}

static void *map_piece(struct pmu_table *table, int fd, uint64_t size)
{
	void *base = MAP_FAILED;

	if (fd >= 0 && !table->file_ended)
		base = map_file(fd, table->end, size);
	if (base && base != MAP_FAILED)
		return base;
	if (fd >= 0 && !table->file_ended)
		note_why(table, "no room in the file system", errno);
	table->file_ended = true;
	return pmu_pages_alloc(size);
}

static int add_piece(struct pmu_table *table, int fd, uint64_t size)
{
	struct pmu_store_piece *piece = &table->piece[table->n_pieces];

	if (table->n_pieces == PMU_TABLE_MAX_PIECES)
		return -ENOMEM;
	piece->base = map_piece(table, fd, size);
	if (!piece->base)
		return -ENOMEM;
	piece->offset = table->end;
	piece->size = size;
	table->n_pieces++;
	table->end += size;
	return 0;
}

static int grow(struct pmu_table *table, uint64_t need)
{
	uint64_t size = 2 * table->piece[table->n_pieces - 1].size;
	int fd = -1, rc;

	if (size > LARGEST_PIECE)
		size = LARGEST_PIECE;
	while (size < need)
		size *= 2;
	if (!table->file_ended) {
		fd = open_again(table);
		if (fd < 0) {
			note_why(table, "the file is gone", -fd);
			table->file_ended = true;
		}
	}
	rc = add_piece(table, fd, size);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* --- chunks --- */

static struct pmu_store_chunk *place_chunk(struct pmu_table *table, uint32_t size)
{
	struct pmu_store_chunk *chunk = at(table, table->next);

	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->size = size;
	table->next += size;
	/* A reader that sees the new size sees the header. */
	__atomic_store_n(&table->head->size, table->next, __ATOMIC_RELEASE);
	return chunk;
}

/* A chunk of kind FREE; the caller fills it and sets the kind. */
static struct pmu_store_chunk *new_chunk(struct pmu_table *table, uint32_t size)
{
	uint64_t left = table->end - table->next;

	if (left < size) {
		/* Chunks follow each other without a gap: the rest becomes a free one. */
		if (left)
			place_chunk(table, (uint32_t)left);
		if (grow(table, size) < 0)
			return NULL;
	}
	return place_chunk(table, size);
}

static void set_kind(struct pmu_store_chunk *chunk, enum pmu_store_kind kind)
{
	__atomic_store_n(&chunk->kind, (uint32_t)kind, __ATOMIC_RELEASE);
}

static uint64_t offset_of(const struct pmu_table *table, const struct pmu_store_chunk *chunk)
{
	for (size_t i = 0; i < table->n_pieces; i++) {
		const struct pmu_store_piece *piece = &table->piece[i];
		uint64_t into = (uint64_t)((uintptr_t)chunk - (uintptr_t)piece->base);

		if (into < piece->size)
			return piece->offset + into;
	}
	return 0;
}

/* Room for @need more bytes of records in a META or NAMES chunk. */
static void *add_record(struct pmu_table *table, struct pmu_store_chunk **chunk,
			enum pmu_store_kind kind, uint32_t chunk_size, uint32_t need)
{
	if (!*chunk || (*chunk)->used + need > (*chunk)->size - sizeof(**chunk)) {
		struct pmu_store_chunk *fresh = new_chunk(table, chunk_size);

		if (!fresh)
			return NULL;
		set_kind(fresh, kind);
		*chunk = fresh;
	}
	return (char *)(*chunk + 1) + (*chunk)->used;
}

static void commit_record(struct pmu_store_chunk *chunk, uint32_t size)
{
	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
}

/* --- open and end --- */

static void fill_head(struct pmu_table *table, const struct pmu_store_owner *owner, uint32_t nth,
		      enum pmu_clock_kind clock)
{
	struct pmu_store_head *head = table->head;
	struct timespec now;

	head->version = PMU_STORE_VERSION;
	head->byte_order = PMU_STORE_BYTE_ORDER;
	head->head_size = PMU_STORE_HEAD_SIZE;
	head->clock_kind = clock;
	head->pid = owner->pid;
	head->nth = nth;
	head->start_time = owner->start_time;
	head->pid_ns = owner->pid_ns;
	memcpy(head->boot_id, owner->boot_id, sizeof(head->boot_id));
	clock_gettime(CLOCK_REALTIME, &now);
	head->start_unix_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	head->point[0] = pmu_clock_point_take(clock);
	head->point[1] = head->point[0];
	head->size = PMU_STORE_HEAD_SIZE;
	/* Last: without the magic it is nobody's store. */
	memcpy(head->magic, PMU_STORE_MAGIC, sizeof(head->magic));
}

static int create_file(struct pmu_table *table, const struct pmu_store_owner *owner, uint32_t *nth)
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
	struct pmu_store_owner owner;
	uint32_t nth = 1;
	int fd, rc;

	memset(table, 0, sizeof(*table));
	pmu_store_owner_self(&owner);
	fd = create_file(table, &owner, &nth);
	table->file_ended = fd < 0;
	rc = add_piece(table, fd, FIRST_PIECE);
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
	if (table->path[0])
		unlink(table->path);
	table->path[0] = '\0';
	table->file_ended = true;
}

void pmu_table_unshare(struct pmu_table *table)
{
	for (size_t i = 0; i < table->n_pieces; i++) {
		void *base = (void *)(uintptr_t)table->piece[i].base;
		size_t size = table->piece[i].size;
		void *copy = pmu_pages_alloc(size);

		if (!copy)
			continue;
		memcpy(copy, base, size);
		mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, base);
	}
}

void pmu_table_abandon(struct pmu_table *table)
{
	pmu_table_unshare(table);
	pmu_pages_free(table->name_slot, table->n_name_slots * sizeof(*table->name_slot));
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

int pmu_table_meta(struct pmu_table *table, enum pmu_meta_key key, const char *text)
{
	size_t len = strnlen(text, META_CHUNK / 2);
	uint32_t size = PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_meta) + len), 8);
	struct pmu_store_meta *meta = add_record(table, &table->meta, PMU_CHUNK_META, META_CHUNK,
						 size);

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
	struct pmu_store_chunk *chunk = new_chunk(table, PMU_ALIGN_UP(size, PMU_STORE_ALIGN));
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
	set_kind(chunk, PMU_CHUNK_GROUP);
	*out = group;
	return 0;
}

static struct pmu_table_name_slot *find_name(struct pmu_table *table, uint32_t hash,
					     const char *text, size_t len)
{
	size_t mask = table->n_name_slots - 1, i = hash & mask;

	for (;; i = (i + 1) & mask) {
		struct pmu_table_name_slot *slot = &table->name_slot[i];

		if (!slot->hash)
			return slot;
		if (slot->hash == hash && slot->name->len == len &&
		    !memcmp(slot->name->text, text, len))
			return slot;
	}
}

/* At most half full, so that a search ends. */
static int grow_names(struct pmu_table *table)
{
	size_t n_old = table->n_name_slots, n = n_old ? 2 * n_old : FIRST_NAME_SLOTS;
	struct pmu_table_name_slot *old = table->name_slot;

	if (2 * ((size_t)table->n_names + 1) <= n_old)
		return 0;
	table->name_slot = pmu_pages_alloc(n * sizeof(*old));
	if (!table->name_slot) {
		table->name_slot = old;
		return -ENOMEM;
	}
	table->n_name_slots = n;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].hash)
			*find_name(table, old[i].hash, old[i].name->text,
				   old[i].name->len) = old[i];
	pmu_pages_free(old, n_old * sizeof(*old));
	return 0;
}

uint32_t pmu_table_name(struct pmu_table *table, const char *text, size_t len)
{
	uint32_t size = PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_name) + len), 8);
	/* 0 marks a free place of the index. */
	uint32_t hash = pmu_hash_text(text, len) | 1u << 31;
	struct pmu_table_name_slot *slot;
	struct pmu_store_name *name;

	if (grow_names(table) < 0)
		return 0;
	slot = find_name(table, hash, text, len);
	if (slot->hash)
		return slot->id;
	name = add_record(table, &table->names, PMU_CHUNK_NAMES, NAMES_CHUNK, size);
	if (!name)
		return 0;
	name->id = ++table->n_names;
	name->len = (uint32_t)len;
	memcpy(name->text, text, len);
	commit_record(table->names, size);
	*slot = (struct pmu_table_name_slot){ .hash = hash, .id = name->id, .name = name };
	return name->id;
}

/* --- threads and rows --- */

static unsigned int size_class(uint32_t size)
{
	return 31u - (unsigned int)__builtin_clz(size);
}

/* Sizes are powers of two, so that a chunk given back fits the next that asks for as much. */
static struct pmu_store_chunk *rows_chunk(struct pmu_table *table, uint32_t size)
{
	uint64_t *head = &table->free_chunk[size_class(size)];
	struct pmu_store_chunk *chunk;

	if (!*head)
		return new_chunk(table, size);
	chunk = at(table, *head);
	*head = *next_of(chunk);
	memset(&chunk->used, 0, size - offsetof(struct pmu_store_chunk, used));
	return chunk;
}

static uint32_t rows_before(const struct pmu_store_chunk *chunk)
{
	return (uint32_t)(sizeof(*chunk) +
			  (chunk->kind == PMU_CHUNK_THREAD ? sizeof(struct pmu_store_thread) : 0));
}

static struct pmu_store_row *row_at(struct pmu_store_chunk *chunk, uint32_t row_size, uint32_t i)
{
	return (void *)((char *)chunk + rows_before(chunk) + (size_t)row_size * i);
}

int pmu_table_thread(struct pmu_table *table, uint32_t group_index,
		     const struct pmu_store_group *group, struct pmu_table_rows *rows)
{
	struct pmu_store_chunk *chunk = rows_chunk(table, FIRST_ROWS);

	if (!chunk)
		return -ENOMEM;
	*rows = (struct pmu_table_rows){
		.record = (void *)(chunk + 1),
		.chunk = chunk,
		.first_chunk = offset_of(table, chunk),
		.serial = ++table->n_serials,
		.group = group_index,
		.row_size = group->row_size,
		.bank_offset = group->bank_offset,
		.bank_size = group->bank_size,
	};
	chunk->owner = rows->serial;
	chunk->group = group_index;
	chunk->first = 1;
	set_kind(chunk, PMU_CHUNK_THREAD);
	return 0;
}

static void free_chunks(struct pmu_table *table, uint64_t first)
{
	for (uint64_t offset = first; offset;) {
		struct pmu_store_chunk *chunk = at(table, offset);
		uint64_t *head = &table->free_chunk[size_class(chunk->size)];
		uint64_t next = *next_of(chunk);

		set_kind(chunk, PMU_CHUNK_FREE);
		*next_of(chunk) = *head;
		*head = offset;
		offset = next;
	}
}

void pmu_table_thread_free(struct pmu_table *table, struct pmu_table_rows *rows)
{
	free_chunks(table, rows->first_chunk);
	free_chunks(table, rows->first_histograms);
	memset(rows, 0, sizeof(*rows));
}

static int add_rows_chunk(struct pmu_table *table, struct pmu_table_rows *rows)
{
	uint32_t size = rows->chunk->size < LARGEST_ROWS ? 2 * rows->chunk->size : LARGEST_ROWS;
	struct pmu_store_chunk *chunk = rows_chunk(table, size);

	if (!chunk)
		return -ENOMEM;
	chunk->owner = rows->serial;
	chunk->group = rows->group;
	chunk->first = rows->n_rows + 1;
	set_kind(chunk, PMU_CHUNK_ROWS);
	*next_of(rows->chunk) = offset_of(table, chunk);
	rows->chunk = chunk;
	return 0;
}

struct pmu_store_row *pmu_table_row(struct pmu_table *table, struct pmu_table_rows *rows,
				    uint32_t name, uint32_t parent, uint16_t flags, uint32_t *id)
{
	struct pmu_store_chunk *chunk = rows->chunk;
	struct pmu_store_row *row;

	if ((chunk->used + 1) * rows->row_size > chunk->size - rows_before(chunk)) {
		if (add_rows_chunk(table, rows) < 0)
			return NULL;
		chunk = rows->chunk;
	}
	row = row_at(chunk, rows->row_size, chunk->used);
	row->name = name;
	row->parent = parent;
	row->flags = flags;
	*id = ++rows->n_rows;
	__atomic_store_n(&chunk->used, chunk->used + 1, __ATOMIC_RELEASE);
	return row;
}

void pmu_table_rows_walk(struct pmu_table *table, const struct pmu_table_rows *rows,
			 void (*each)(void *arg, uint32_t id, struct pmu_store_row *row), void *arg)
{
	for (uint64_t offset = rows->first_chunk; offset;) {
		struct pmu_store_chunk *chunk = at(table, offset);

		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, chunk->first + i, row_at(chunk, rows->row_size, i));
		offset = *next_of(chunk);
	}
}

/* --- lengths of calls --- */

static int add_histograms_chunk(struct pmu_table *table, struct pmu_table_rows *rows)
{
	struct pmu_store_chunk *last = rows->histograms, *chunk;
	uint32_t size = !last                       ? FIRST_HISTOGRAMS
			: last->size < LARGEST_ROWS ? 2 * last->size
						    : LARGEST_ROWS;

	chunk = rows_chunk(table, size);
	if (!chunk)
		return -ENOMEM;
	chunk->owner = rows->serial;
	chunk->group = rows->group;
	set_kind(chunk, PMU_CHUNK_HISTOGRAMS);
	if (last)
		*next_of(last) = offset_of(table, chunk);
	else
		rows->first_histograms = offset_of(table, chunk);
	rows->histograms = chunk;
	return 0;
}

static struct pmu_store_histogram *histogram_at(struct pmu_store_chunk *chunk, uint32_t i)
{
	return (struct pmu_store_histogram *)(void *)(chunk + 1) + i;
}

struct pmu_store_histogram *pmu_table_histogram(struct pmu_table *table,
						struct pmu_table_rows *rows, uint32_t row,
						uint32_t n_banks)
{
	struct pmu_store_chunk *chunk = rows->histograms;
	struct pmu_store_histogram *histogram;

	if (!chunk || (chunk->used + n_banks) * sizeof(*histogram) > chunk->size - sizeof(*chunk)) {
		if (add_histograms_chunk(table, rows) < 0)
			return NULL;
		chunk = rows->histograms;
	}
	histogram = histogram_at(chunk, chunk->used);
	for (uint32_t i = 0; i < n_banks; i++) {
		histogram[i].row = row;
		histogram[i].bank = i;
	}
	__atomic_store_n(&chunk->used, chunk->used + n_banks, __ATOMIC_RELEASE);
	return histogram;
}

void pmu_table_histograms_walk(struct pmu_table *table, const struct pmu_table_rows *rows,
			       void (*each)(void *arg, struct pmu_store_histogram *histogram),
			       void *arg)
{
	for (uint64_t offset = rows->first_histograms; offset;) {
		struct pmu_store_chunk *chunk = at(table, offset);

		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, histogram_at(chunk, i));
		offset = *next_of(chunk);
	}
}
