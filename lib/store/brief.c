/* SPDX-License-Identifier: BSD-3-Clause */
/* A store that is written at once, of a forked child. */
/* It is made in memory of its own. */
#define PMU_STORE_READER 1
#include "store/brief.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/write.h"
#include "store/bank.h"

/* Stores of one process that are passed over: there is one for each program before it. */
#define NTH_MAX 16u

static uint32_t text_size(size_t len)
{
	return PMU_ALIGN_UP((uint32_t)(sizeof(struct pmu_store_meta) + len), 8);
}

static void put_meta(char *to, enum pmu_meta_key key, const char *text, size_t len)
{
	struct pmu_store_meta *meta = (void *)to;

	meta->key = (uint16_t)key;
	meta->len = (uint16_t)len;
	memcpy(meta->text, text, len);
}

void pmu_brief_add(struct pmu_brief_texts *texts, enum pmu_meta_key key, const char *text)
{
	size_t len = strnlen(text, PMU_BRIEF_TEXTS);

	if (!texts->bytes)
		texts->bytes = pmu_pages_alloc(PMU_BRIEF_TEXTS);
	if (!texts->bytes || texts->used + text_size(len) > PMU_BRIEF_TEXTS) {
		texts->is_short = true;
		return;
	}
	put_meta(texts->bytes + texts->used, key, text, len);
	texts->used += text_size(len);
}

/* --- what is in the file --- */

struct image {
	char *bytes;
	uint64_t used;
};

/* The next chunk, of @size bytes behind its header. */
static struct pmu_store_chunk *chunk_add(struct image *image, enum pmu_store_kind kind,
					 uint32_t size, uint32_t used)
{
	struct pmu_store_chunk *chunk = (void *)(image->bytes + image->used);

	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->kind = kind;
	chunk->size = PMU_ALIGN_UP((uint32_t)sizeof(*chunk) + size, PMU_STORE_ALIGN);
	chunk->used = used;
	image->used += chunk->size;
	return chunk;
}

static uint32_t group_size(const struct pmu_brief *brief)
{
	return (uint32_t)(sizeof(*brief->group) + brief->n_slots * sizeof(struct pmu_store_slot));
}

static uint32_t name_size(const struct pmu_brief_row *row)
{
	return PMU_ALIGN_UP((uint32_t)sizeof(struct pmu_store_name) + row->name_len, 8);
}

static uint32_t names_size(const struct pmu_brief *brief)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < brief->n_rows; i++)
		size += name_size(&brief->row[i]);
	return size;
}

#define FORKED_MAX 16u /* a pid and a NUL */

static uint64_t room_for(const struct pmu_brief *brief)
{
	return PMU_STORE_HEAD_SIZE + 4 * (sizeof(struct pmu_store_chunk) + PMU_STORE_ALIGN) +
	       brief->texts->used + text_size(FORKED_MAX) + group_size(brief) + names_size(brief) +
	       sizeof(brief->thread) + (uint64_t)brief->n_rows * pmu_row_size(brief->n_slots);
}

static void add_texts(struct image *image, const struct pmu_brief *brief)
{
	char forked[FORKED_MAX];
	size_t len = (size_t)snprintf(forked, sizeof(forked), "%" PRId32, brief->forked_from);
	uint32_t used = brief->texts->used;
	char *text = (char *)(chunk_add(image, PMU_CHUNK_META, used + text_size(len),
					used + text_size(len)) +
			      1);

	memcpy(text, brief->texts->bytes, used);
	put_meta(text + used, PMU_META_FORKED, forked, len);
}

static void add_brief_group(struct image *image, const struct pmu_brief *brief)
{
	struct pmu_store_group *group =
		(void *)(chunk_add(image, PMU_CHUNK_GROUP, group_size(brief), 0) + 1);

	memcpy(group, brief->group, group_size(brief)); /* names and units */
	group->n_slots = brief->n_slots;
	group->row_size = pmu_row_size(brief->n_slots);
	group->bank_offset = pmu_row_bank_offset(brief->n_slots);
	group->bank_size = pmu_row_bank_size(brief->n_slots);
}

static void add_brief_names(struct image *image, const struct pmu_brief *brief)
{
	uint32_t size = names_size(brief);
	char *at = (char *)(chunk_add(image, PMU_CHUNK_NAMES, size, size) + 1);

	for (uint32_t i = 0; i < brief->n_rows; i++) {
		struct pmu_store_name *name = (void *)at;

		name->id = i + 1;
		name->len = brief->row[i].name_len;
		memcpy(name->text, brief->row[i].name, name->len);
		at += name_size(&brief->row[i]);
	}
}

static void fill_brief_row(struct pmu_store_row *row, uint32_t id, const struct pmu_brief *brief)
{
	const struct pmu_brief_row *from = &brief->row[id - 1];
	struct pmu_store_bank *bank = (void *)((char *)row + pmu_row_bank_offset(brief->n_slots));

	memcpy(row->outer, from->like->outer, (brief->n_slots + 1) * sizeof(from->like->outer[0]));
	row->seq = 2; /* the first bank */
	row->name = id;
	row->parent = id - 1;
	row->flags = (uint16_t)(PMU_STORE_ROW_INHERITED |
				(from->ended ? 0 : PMU_STORE_ROW_PARTIAL));
	row->open = !from->ended;
	if (from->ended)
		pmu_bank_add_time(bank, bank, from->ticks);
	else
		bank->ticks = from->ticks;
}

static void add_brief_thread(struct image *image, const struct pmu_brief *brief)
{
	uint32_t row_size = pmu_row_size(brief->n_slots);
	struct pmu_store_chunk *chunk = chunk_add(
		image, PMU_CHUNK_THREAD, (uint32_t)sizeof(brief->thread) + brief->n_rows * row_size,
		brief->n_rows);
	struct pmu_store_thread *thread = (void *)(chunk + 1);

	chunk->owner = 1;
	chunk->first = 1;
	*thread = brief->thread;
	for (uint32_t i = 0; i < brief->n_rows; i++)
		fill_brief_row((void *)((char *)(thread + 1) + (size_t)i * row_size), i + 1, brief);
}

static void fill_image(struct image *image, struct pmu_brief *brief)
{
	image->used = PMU_STORE_HEAD_SIZE;
	add_texts(image, brief);
	add_brief_group(image, brief);
	add_brief_names(image, brief);
	add_brief_thread(image, brief);
	brief->head.size = image->used;
	memcpy(image->bytes, &brief->head, sizeof(brief->head));
}

/* --- the file --- */

static int create_brief(struct pmu_brief *brief, const char *beside, char *path, size_t size)
{
	const char *slash = strrchr(beside, '/');
	int fd = -ENOENT;

	for (brief->head.nth = 1; slash && brief->head.nth < NTH_MAX; brief->head.nth++) {
		int n = snprintf(path, size, "%.*s/%" PRId32 "-%" PRIu64 "-%" PRIu32 ".pmu",
				 (int)(slash - beside), beside, brief->head.pid,
				 brief->head.start_time, brief->head.nth);

		if (n < 0 || (size_t)n >= size)
			return -ENAMETOOLONG;
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int write_image(const struct image *image, int fd)
{
	int rc;

	/* whatever the umask */
	if (fchmod(fd, 0600))
		return -errno;
	rc = pmu_write_at(fd, image->bytes, image->used, 0);
	return rc;
}

int pmu_brief_write(struct pmu_brief *brief, const char *beside, char *path, size_t size)
{
	uint64_t room = room_for(brief);
	struct image image = { .bytes = pmu_pages_alloc(room) };
	int fd = image.bytes ? create_brief(brief, beside, path, size) : -ENOMEM, rc = fd;

	if (fd >= 0) {
		fill_image(&image, brief);
		rc = write_image(&image, fd);
		close(fd);
		if (rc < 0)
			unlink(path);
	}
	if (rc < 0)
		path[0] = '\0';
	pmu_pages_free(image.bytes, room);
	return rc < 0 ? rc : 0;
}
