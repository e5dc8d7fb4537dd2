/* SPDX-License-Identifier: BSD-3-Clause */
/* Lays out stores byte by byte, for tests of the reader; nothing of the writer is in
 * here. */
#ifndef PMU_TESTS_STORE_BUILD_H
#define PMU_TESTS_STORE_BUILD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_find.h"
#include "store/place.h"
#include "store/read/snapshot.h"
#include "store/row.h"

#define BUILD_SIZE (256u << 10)

/* A store in memory; offsets in it are those of the file. */
struct build {
	_Alignas(64) char bytes[BUILD_SIZE];
	uint32_t next_serial;
	uint32_t next_name;
};

static inline struct pmu_store_head *build_head(struct build *build)
{
	return (void *)build->bytes;
}

/* An empty store of this very process, in nanoseconds, that began at @start_ns. */
static inline struct build *build_new(void)
{
	struct build *build = aligned_alloc(64, sizeof(*build));
	struct pmu_store_head *head = build_head(build);
	struct pmu_process self;

	memset(build, 0, sizeof(*build));
	pmu_process_self(&self);
	memcpy(head->magic, PMU_STORE_MAGIC, 8);
	head->version = PMU_STORE_VERSION;
	head->byte_order = PMU_STORE_BYTE_ORDER;
	head->head_size = PMU_STORE_HEAD_SIZE;
	head->clock_kind = PMU_CLOCK_MONOTONIC;
	head->size = PMU_STORE_HEAD_SIZE;
	head->pid = self.pid;
	head->nth = 1;
	head->start_time = self.start_time;
	head->pid_ns = self.pid_ns;
	memcpy(head->boot_id, self.boot_id, sizeof(head->boot_id));
	head->start_unix_ns = 1700000000000000000u;
	head->point[0] = (struct pmu_clock_point){ 1000, 1000 };
	head->point[1] = (struct pmu_clock_point){ 5000000000, 5000000000 };
	return build;
}

/* As if its process had been killed: a start time that no process has. */
static inline void build_kill(struct build *build)
{
	build_head(build)->start_time = 1;
}

static inline struct pmu_store_chunk *build_chunk(struct build *build, enum pmu_store_kind kind,
						  uint32_t content)
{
	struct pmu_store_head *head = build_head(build);
	struct pmu_store_chunk *chunk = (void *)(build->bytes + head->size);
	uint32_t size = PMU_ALIGN_UP((uint32_t)sizeof(*chunk) + content, PMU_STORE_ALIGN);

	if (head->size + size > sizeof(build->bytes))
		abort();
	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->kind = kind;
	chunk->size = size;
	head->size += size;
	return chunk;
}

static inline void build_meta(struct build *build, enum pmu_meta_key key, const char *text)
{
	uint32_t len = (uint32_t)strlen(text), size = PMU_ALIGN_UP(4 + len, 8);
	struct pmu_store_chunk *chunk = build_chunk(build, PMU_CHUNK_META, size);
	struct pmu_store_meta *meta = (void *)(chunk + 1);

	meta->key = key;
	meta->len = (uint16_t)len;
	memcpy(meta->text, text, len);
	chunk->used = size;
}

static inline uint32_t build_name(struct build *build, const char *text)
{
	uint32_t len = (uint32_t)strlen(text), size = PMU_ALIGN_UP(8 + len, 8);
	struct pmu_store_chunk *chunk = build_chunk(build, PMU_CHUNK_NAMES, size);
	struct pmu_store_name *name = (void *)(chunk + 1);

	name->id = ++build->next_name;
	name->len = len;
	memcpy(name->text, text, len);
	chunk->used = size;
	return name->id;
}

/* @slots: names separated by blanks */
static inline struct pmu_store_group *build_group(struct build *build, uint32_t index,
						  const char *name, const char *slots)
{
	char list[256], *rest = list, *slot;
	struct pmu_store_chunk *chunk = build_chunk(build, PMU_CHUNK_GROUP,
						    sizeof(struct pmu_store_group) +
							    16 * sizeof(struct pmu_store_slot));
	struct pmu_store_group *group = (void *)(chunk + 1);

	chunk->group = index;
	snprintf(group->name, sizeof(group->name), "%s", name);
	snprintf(list, sizeof(list), "%s", slots);
	while ((slot = strsep(&rest, " ")))
		if (*slot)
			snprintf(group->slot[group->n_slots++].name, 64, "%s", slot);
	group->row_size = pmu_row_size(group->n_slots);
	group->bank_offset = pmu_row_bank_offset(group->n_slots);
	group->bank_size = pmu_row_bank_size(group->n_slots);
	return group;
}

/* A thread of group @index with room for @room rows. */
static inline struct pmu_store_thread *build_thread(struct build *build, uint32_t index,
						    const struct pmu_store_group *group,
						    uint32_t number,
						    enum pmu_store_thread_state state,
						    uint32_t room)
{
	struct pmu_store_chunk *chunk = build_chunk(
		build, PMU_CHUNK_THREAD, sizeof(struct pmu_store_thread) + room * group->row_size);
	struct pmu_store_thread *thread = (void *)(chunk + 1);

	chunk->owner = ++build->next_serial;
	chunk->group = index;
	chunk->first = 1;
	thread->number = number;
	thread->state = state;
	thread->tid = 100 + (int32_t)number;
	thread->cpu = -1;
	thread->start_ticks = 1000;
	thread->stop_ticks = state == PMU_THREAD_LIVE ? 0 : 1001000;
	thread->minor_faults = thread->major_faults = -1;
	thread->voluntary_switches = thread->involuntary_switches = -1;
	return thread;
}

static inline struct pmu_store_chunk *build_chunk_of(struct pmu_store_thread *thread)
{
	return (struct pmu_store_chunk *)(void *)thread - 1;
}

static inline struct pmu_store_row *build_row_at(struct pmu_store_thread *thread,
						 const struct pmu_store_group *group, uint32_t id)
{
	return (void *)((char *)(thread + 1) + (size_t)(id - 1) * group->row_size);
}

static inline struct pmu_store_bank *build_bank(struct pmu_store_row *row,
						const struct pmu_store_group *group, uint32_t which)
{
	return (void *)((char *)row + group->bank_offset + (which & 1) * group->bank_size);
}

/* The next row of a thread: @calls of @each ticks, every count @calls * @each * (slot +
 * 1).  Its id. */
static inline uint32_t build_row(struct pmu_store_thread *thread,
				 const struct pmu_store_group *group, uint32_t name,
				 uint32_t parent, uint64_t calls, uint64_t each)
{
	uint32_t id = ++build_chunk_of(thread)->used, i;
	struct pmu_store_row *row = build_row_at(thread, group, id);
	struct pmu_store_bank *bank = build_bank(row, group, 1);

	row->name = name;
	row->parent = parent;
	row->seq = calls ? 1 : 0;
	bank->calls = calls;
	bank->ticks = calls * each;
	bank->max = calls ? each : 0;
	bank->min = calls ? each + 1 : 0;
	bank->square = (double)calls * (double)each * (double)each;
	for (i = 0; i < group->n_slots; i++)
		bank->count[i] = calls * each * (i + 1);
	return id;
}

static inline int build_read(struct build *build, struct pmu_model **model)
{
	struct pmu_store_piece piece = { .base = build->bytes, .size = sizeof(build->bytes) };
	struct pmu_store_view view = { &piece, 1 };

	return pmu_store_snapshot(&view, NULL, model);
}

#endif
