/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a store: chunks that never move, each name once, rows on cache lines of their own. */
#include "store/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/time.h"
#include "base/write.h"

#define FIRST_PIECE      ((uint64_t)64 << 10)
#define LARGEST_PIECE    ((uint64_t)16 << 20)
#define META_CHUNK       8192u
#define NAMES_CHUNK      4096u
#define FIRST_ROWS       4096u
#define LARGEST_ROWS     (1u << 20)
#define FIRST_HISTOGRAMS 8192u
#define FIRST_LEASTS     4096u
#define FIRST_TURNS      8192u

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

/* The file is opened anew each time: with no descriptor kept, the program cannot close it. */
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
	int rc = pmu_write_reserve(fd, 0, (off_t)offset, (off_t)size);

	if (rc) {
		errno = -rc;
		return NULL;
	}
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		    (off_t)offset);
}

static void *map_piece(struct pmu_table *table, int fd, uint64_t size)
{
	void *base = MAP_FAILED;

	if (fd >= 0 && !table->file_ended)
		base = map_file(fd, table->file_end, size);
	if (base && base != MAP_FAILED)
		return base;
	if (fd >= 0 && !table->file_ended)
		note_why(table, "no room in the file system", errno);
	table->file_ended = true;
	return pmu_pages_alloc(size);
}

static void push_piece(struct pmu_table *table, const void *base, uint64_t size)
{
	table->piece[table->n_pieces++] = (struct pmu_store_piece){ base, table->file_end, size };
	table->file_end += size;
}

static int add_piece(struct pmu_table *table, int fd, uint64_t size)
{
	struct pmu_store_piece *piece = &table->piece[table->n_pieces];

	if (table->n_pieces == PMU_TABLE_MAX_PIECES)
		return -ENOMEM;
	piece->base = map_piece(table, fd, size);
	if (!piece->base)
		return -ENOMEM;
	push_piece(table, piece->base, size);
	table->last_size = size;
	table->next = table->file_end - size;
	table->end = table->file_end;
	table->in_hole = false;
	return 0;
}

static int grow(struct pmu_table *table, uint64_t need)
{
	uint64_t size = 2 * table->last_size;
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

/* Pairs with the acquire of a reader: who sees the new size sees the header. */
static void set_size(struct pmu_table *table, uint64_t size)
{
	__atomic_store_n(&table->head->size, size, __ATOMIC_RELEASE);
}

static struct pmu_store_chunk *place_chunk(struct pmu_table *table, uint32_t size)
{
	struct pmu_store_chunk *chunk = at(table, table->next);

	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->size = size;
	table->next += size;
	set_size(table, table->next);
	return chunk;
}

/* The room is one free chunk: what is left of it is one before the other gets its size. */
static struct pmu_store_chunk *part_hole(struct pmu_table *table, uint32_t size)
{
	struct pmu_store_chunk *chunk = at(table, table->next), *rest;

	table->next += size;
	if (table->next < table->end) {
		rest = at(table, table->next);
		rest->magic = PMU_STORE_CHUNK_MAGIC;
		rest->size = (uint32_t)(table->end - table->next);
	}
	/* Pairs with the acquire in pmu_chunk_check(). */
	__atomic_store_n(&chunk->size, size, __ATOMIC_RELEASE);
	return chunk;
}

/* A chunk of kind FREE; the caller fills it and sets the kind. */
static struct pmu_store_chunk *new_chunk(struct pmu_table *table, uint32_t size)
{
	uint64_t left = table->end - table->next;

	if (left < size) {
		/* Chunks have no gaps between them: the rest becomes a free chunk. */
		if (left && !table->in_hole)
			place_chunk(table, (uint32_t)left);
		if (grow(table, size) < 0)
			return NULL;
	}
	return table->in_hole ? part_hole(table, size) : place_chunk(table, size);
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

/* --- threads and rows --- */

static unsigned int size_class(uint32_t size)
{
	return 31u - (unsigned int)__builtin_clz(size);
}

/*
 * Sizes are powers of two, so that a chunk that was given back fits the next request of its size.
 */
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

struct pmu_store_row *pmu_table_row_at(struct pmu_store_chunk *chunk, uint32_t row_size, uint32_t i)
{
	return (void *)((char *)chunk + rows_before(chunk) + (size_t)row_size * i);
}

struct pmu_store_chunk *pmu_table_next_chunk(const struct pmu_table *table,
					     struct pmu_store_chunk *chunk)
{
	uint64_t next = *next_of(chunk);

	return next ? at(table, next) : NULL;
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

int pmu_table_thread(struct pmu_table *table, uint32_t group_index,
		     const struct pmu_store_group *group, uint32_t number,
		     struct pmu_table_rows *rows)
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
	rows->record->number = number;
	set_kind(chunk, PMU_CHUNK_THREAD);
	if (pmu_table_index_add(&table->index, number, group_index, chunk) < 0) {
		free_chunks(table, rows->first_chunk);
		memset(rows, 0, sizeof(*rows));
		return -ENOMEM;
	}
	return 0;
}

void pmu_table_thread_free(struct pmu_table *table, struct pmu_table_rows *rows)
{
	pmu_table_index_remove(&table->index, rows->record->number, at(table, rows->first_chunk));
	free_chunks(table, rows->first_chunk);
	for (int which = 0; which < PMU_SIDES; which++)
		free_chunks(table, rows->side[which].first);
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
	row = pmu_table_row_at(chunk, rows->row_size, chunk->used);
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
			each(arg, chunk->first + i, pmu_table_row_at(chunk, rows->row_size, i));
		offset = *next_of(chunk);
	}
}

/* --- records beside rows --- */

static int add_sides_chunk(struct pmu_table *table, struct pmu_table_rows *rows,
			   enum pmu_side which)
{
	struct pmu_store_chunk *last = rows->side[which].newest, *chunk;
	static const uint32_t firsts[PMU_SIDES] = {
		[PMU_SIDE_HISTOGRAM] = FIRST_HISTOGRAMS,
		[PMU_SIDE_LEAST] = FIRST_LEASTS,
		[PMU_SIDE_TURNS] = FIRST_TURNS,
	};
	uint32_t first = firsts[which];
	uint32_t size = !last ? first : last->size < LARGEST_ROWS ? 2 * last->size : LARGEST_ROWS;

	chunk = rows_chunk(table, size);
	if (!chunk)
		return -ENOMEM;
	chunk->owner = rows->serial;
	chunk->group = rows->group;
	set_kind(chunk, (enum pmu_store_kind)pmu_side_chunk(which));
	if (last)
		*next_of(last) = offset_of(table, chunk);
	else
		rows->side[which].first = offset_of(table, chunk);
	rows->side[which].newest = chunk;
	return 0;
}

static struct pmu_store_side *side_at(struct pmu_store_chunk *chunk, enum pmu_side which,
				      uint32_t i)
{
	return (void *)((char *)(chunk + 1) + (size_t)pmu_side_size(which) * i);
}

struct pmu_store_side *pmu_table_side(struct pmu_table *table, struct pmu_table_rows *rows,
				      enum pmu_side which, uint32_t row, uint32_t n_banks)
{
	struct pmu_store_chunk *chunk = rows->side[which].newest;
	struct pmu_store_side *side;

	if (!chunk ||
	    (chunk->used + n_banks) * pmu_side_size(which) > chunk->size - sizeof(*chunk)) {
		if (add_sides_chunk(table, rows, which) < 0)
			return NULL;
		chunk = rows->side[which].newest;
	}
	for (uint32_t i = 0; i < n_banks; i++) {
		side = side_at(chunk, which, chunk->used + i);
		side->row = row;
		side->bank = i;
	}
	side = side_at(chunk, which, chunk->used);
	__atomic_store_n(&chunk->used, chunk->used + n_banks, __ATOMIC_RELEASE);
	return side;
}

void pmu_table_sides_walk(struct pmu_table *table, const struct pmu_table_rows *rows,
			  enum pmu_side which, void (*each)(void *arg, struct pmu_store_side *side),
			  void *arg)
{
	for (uint64_t offset = rows->side[which].first; offset;) {
		struct pmu_store_chunk *chunk = at(table, offset);

		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, side_at(chunk, which, i));
		offset = *next_of(chunk);
	}
}

/* --- rings --- */

static struct pmu_store_trace *trace_of(struct pmu_store_chunk *chunk)
{
	return (void *)(chunk + 1);
}

/* The file system keeps half of what it has free for rows and for others. */
static void *map_ring(struct pmu_table *table, uint32_t bytes)
{
	struct statvfs room;
	int fd = open_again(table), error = 0;
	void *base = NULL;

	if (fd < 0) {
		pmu_fail(-fd, "%s: %s", table->path, strerror(-fd));
		return NULL;
	}
	if (fstatvfs(fd, &room) == 0 && room.f_bavail * room.f_frsize / 2 < bytes) {
		error = ENOSPC;
	} else {
		base = map_file(fd, table->file_end, bytes);
		error = !base || base == MAP_FAILED ? errno : 0;
	}
	close(fd);
	if (!error)
		return base;
	pmu_fail(error, "%u MiB beside %s: %s", bytes >> 20, table->path, strerror(error));
	return NULL;
}

/* What is left of the room that rows had is theirs later on. */
static void leave_hole(struct pmu_table *table)
{
	uint64_t next = table->next;

	if (table->in_hole)
		return;
	if (next < table->end)
		place_chunk(table, (uint32_t)(table->end - next));
	table->next = next;
	table->in_hole = true;
}

static struct pmu_store_chunk *new_ring(struct pmu_table *table, uint32_t bytes)
{
	struct pmu_store_chunk *chunk;

	if (table->file_ended || !table->path[0] || table->n_pieces >= PMU_TABLE_MAX_RINGS) {
		pmu_fail(ENOSPC, "%s",
			 table->file_ended ? table->why : "there are too many threads");
		return NULL;
	}
	chunk = map_ring(table, bytes);
	if (!chunk)
		return NULL;
	leave_hole(table);
	push_piece(table, chunk, bytes);
	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->size = bytes;
	set_size(table, table->file_end);
	return chunk;
}

struct pmu_store_trace *pmu_table_trace(struct pmu_table *table, uint32_t serial, uint32_t n_counts,
					uint32_t bytes)
{
	struct pmu_store_chunk *chunk = table->free_ring ? at(table, table->free_ring)
							 : new_ring(table, bytes);
	struct pmu_store_trace *trace;

	if (!chunk)
		return NULL;
	if (table->free_ring)
		table->free_ring = *next_of(chunk);
	trace = trace_of(chunk);
	trace->n_counts = n_counts;
	trace->record_size = (uint32_t)(sizeof(struct pmu_trace_record) + 8 * (size_t)n_counts);
	trace->n_places = (uint32_t)((chunk->size - sizeof(*chunk) - sizeof(*trace)) /
				     trace->record_size);
	__atomic_store_n(&chunk->owner, serial, __ATOMIC_RELEASE);
	set_kind(chunk, PMU_CHUNK_TRACE);
	return trace;
}

static struct pmu_store_chunk *chunk_of(struct pmu_store_trace *trace)
{
	return (struct pmu_store_chunk *)(void *)trace - 1;
}

static void keep_ring(struct pmu_table *table, struct pmu_store_chunk *chunk)
{
	*next_of(chunk) = table->free_ring;
	table->free_ring = offset_of(table, chunk);
}

/* As rings of threads that did little are: theirs end where they have stopped. */
void pmu_table_trace_end(struct pmu_table *table, struct pmu_store_trace *trace)
{
	struct pmu_store_chunk *chunk = chunk_of(trace), *rest;
	uint64_t used = sizeof(*chunk) + sizeof(*trace) + (trace->n + 1) * trace->record_size;
	uint32_t size;

	if (used > chunk->size / 4)
		return;
	size = PMU_ALIGN_UP((uint32_t)used, PMU_STORE_ALIGN);
	rest = (void *)((char *)chunk + size);
	rest->magic = PMU_STORE_CHUNK_MAGIC;
	rest->size = chunk->size - size;
	__atomic_store_n(&trace->n_places, (uint32_t)trace->n + 1, __ATOMIC_RELEASE);
	/* Pairs with the acquire in pmu_chunk_check(): the next one has a head. */
	__atomic_store_n(&chunk->size, size, __ATOMIC_RELEASE);
	keep_ring(table, rest);
}

void pmu_table_trace_free(struct pmu_table *table, struct pmu_store_trace *trace)
{
	struct pmu_store_chunk *chunk = chunk_of(trace);

	/* without an owner its records are nobody's, and those that are lost stay known */
	__atomic_store_n(&chunk->owner, 0, __ATOMIC_RELEASE);
	trace->dropped += trace->n;
	__atomic_store_n(&trace->n, 0, __ATOMIC_RELEASE);
	keep_ring(table, chunk);
}
