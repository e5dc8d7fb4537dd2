/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a store's parts: head, chunk headers, layouts, records. */
#define PMU_STORE_READER 1
#include "store/read/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "store/read/snapshot.h"

int pmu_store_check_head(const struct pmu_store_head *head, uint64_t size)
{
	if (size < PMU_STORE_HEAD_SIZE || memcmp(head->magic, PMU_STORE_MAGIC, 8))
		return pmu_fail(EINVAL, "not a store of this library");
	if (head->byte_order == __builtin_bswap32(PMU_STORE_BYTE_ORDER))
		return pmu_fail(ENOTSUP,
				"the store was written on a machine of the other byte order; "
				"report it there");
	if (head->byte_order != PMU_STORE_BYTE_ORDER || !head->version)
		return pmu_fail(EUCLEAN, "the head of the store is damaged");
	if (head->version > PMU_STORE_VERSION)
		return pmu_fail(ENOTSUP,
				"the store has format %u and this version reads up to %u; "
				"use the pmu command of the library that wrote it",
				head->version, PMU_STORE_VERSION);
	if (head->head_size != PMU_STORE_HEAD_SIZE || head->clock_kind < PMU_CLOCK_MONOTONIC ||
	    head->clock_kind > PMU_CLOCK_CNTVCT || head->size < PMU_STORE_HEAD_SIZE ||
	    head->size > PMU_STORE_MAX_SIZE)
		return pmu_fail(EUCLEAN, "the head of the store is damaged");
	return 0;
}

bool pmu_chunk_check(const struct pmu_store_chunk *chunk, uint64_t room,
		     struct pmu_chunk_copy *copy)
{
	if (room < sizeof(*chunk))
		return false;
	/* Pairs with the release that gives a chunk its kind: what else the header says
	 * is older. */
	copy->kind = __atomic_load_n(&chunk->kind, __ATOMIC_ACQUIRE);
	/* Pairs with the release that parts a free chunk: the next one has a header. */
	copy->size = __atomic_load_n(&chunk->size, __ATOMIC_ACQUIRE);
	copy->owner = __atomic_load_n(&chunk->owner, __ATOMIC_RELAXED);
	copy->group = __atomic_load_n(&chunk->group, __ATOMIC_RELAXED);
	copy->first = __atomic_load_n(&chunk->first, __ATOMIC_RELAXED);
	/* Pairs with the release behind a new record or row: it is complete. */
	copy->used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&chunk->magic, __ATOMIC_RELAXED) == PMU_STORE_CHUNK_MAGIC &&
	       copy->size >= sizeof(*chunk) && copy->size % PMU_STORE_ALIGN == 0 &&
	       copy->size <= room;
}

bool pmu_chunk_read(int fd, uint64_t offset, uint64_t end, struct pmu_chunk_copy *copy)
{
	struct pmu_store_chunk chunk;

	return PMU_RETRY(pread(fd, &chunk, sizeof(chunk), (off_t)offset)) ==
		       (ssize_t)sizeof(chunk) &&
	       pmu_chunk_check(&chunk, end - offset, copy);
}

bool pmu_group_check(const void *bytes, size_t size, struct pmu_group_copy *copy)
{
	const struct pmu_store_group *group = bytes;

	if (size < sizeof(*group))
		return false;
	*copy = (struct pmu_group_copy){ .n_slots = group->n_slots,
					 .row_size = group->row_size,
					 .bank_offset = group->bank_offset,
					 .bank_size = group->bank_size,
					 .absent = group->absent,
					 .group = group };
	if (copy->n_slots > PMU_MAX_SLOTS ||
	    size - sizeof(*group) < copy->n_slots * sizeof(struct pmu_store_slot))
		return false;
	return copy->row_size % PMU_STORE_ALIGN == 0 && copy->row_size <= 65536 &&
	       copy->bank_offset % 8 == 0 && copy->bank_size % 8 == 0 &&
	       copy->bank_offset >= PMU_ROW_HEAD_SIZE + 2 * (1 + copy->n_slots) &&
	       copy->bank_offset <= copy->row_size && copy->bank_size <= copy->row_size &&
	       copy->bank_size >= pmu_row_bank_size(copy->n_slots) &&
	       copy->bank_offset + 2 * copy->bank_size <= copy->row_size;
}

/* The text of a record of @head bytes and @len of text at @pos; records lie on multiples
 * of 8. */
static int record_text(const char *bytes, size_t used, size_t *pos, size_t head, size_t len,
		       struct pmu_record *record)
{
	if (len > used - *pos - head)
		return -1;
	record->text = bytes + *pos + head;
	record->len = (uint32_t)len;
	*pos = PMU_ALIGN_UP(*pos + head + len, 8);
	return memchr(record->text, 0, len) ? -1 : 1;
}

int pmu_meta_next(const char *bytes, size_t used, size_t *pos, struct pmu_record *record)
{
	struct pmu_store_meta meta;

	if (*pos >= used)
		return 0;
	if (used - *pos < sizeof(meta))
		return -1;
	memcpy(&meta, bytes + *pos, sizeof(meta));
	record->id = meta.key;
	return record_text(bytes, used, pos, sizeof(meta), meta.len, record);
}

int pmu_name_next(const char *bytes, size_t used, size_t *pos, struct pmu_record *record)
{
	struct pmu_store_name name;

	if (*pos >= used)
		return 0;
	if (used - *pos < sizeof(name))
		return -1;
	memcpy(&name, bytes + *pos, sizeof(name));
	record->id = name.id;
	if (!name.len || name.len > PMU_STORE_NAME_MAX)
		return -1;
	return record_text(bytes, used, pos, sizeof(name), name.len, record);
}

size_t pmu_text_field(const char *field, size_t size)
{
	return strnlen(field, size);
}
