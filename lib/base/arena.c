/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is given back all at once. */
#include "base/arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/compiler.h"

#define FIRST_BLOCK  ((size_t)16 << 10)
#define LARGEST_STEP ((size_t)1 << 20)
#define FIRST_PAGES  ((size_t)512 << 10)

struct pmu_arena_block {
	struct pmu_arena_block *older;
	size_t size; /* with this header */
};

static void *map(size_t size)
{
	int saved = errno;
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return pages == MAP_FAILED ? NULL : pages;
}

/*
 * A session's first pages, mapped at once: each is given out one time, and unmapped by itself.
 * Those that are never used take no memory.
 */
static void *take_first_pages(size_t size)
{
	static char *first;
	static size_t used;
	size_t at;

	if (size > FIRST_PAGES / 4 || __atomic_load_n(&used, __ATOMIC_RELAXED) >= FIRST_PAGES)
		return NULL;
	at = __atomic_fetch_add(&used, PMU_ALIGN_UP(size, getauxval(AT_PAGESZ)), __ATOMIC_ACQ_REL);
	if (at == 0)
		__atomic_store_n(&first, map(FIRST_PAGES), __ATOMIC_RELEASE);
	if (!__atomic_load_n(&first, __ATOMIC_ACQUIRE) || at + size > FIRST_PAGES)
		return NULL;
	return first + at;
}

void *pmu_pages_alloc(size_t size)
{
	void *pages = take_first_pages(size);

	return pages ? pages : map(size);
}

void pmu_pages_free(void *pages, size_t size)
{
	int saved = errno;

	if (pages)
		munmap(pages, size);
	errno = saved;
}

/* LeakSanitizer's, where the program has it: by itself it looks into globals, stacks and malloc's memory alone. */
void __lsan_register_root_region(const void *memory, size_t size) __attribute__((weak));
void __lsan_unregister_root_region(const void *memory, size_t size) __attribute__((weak));

void *pmu_roots_alloc(size_t size)
{
	void *pages = pmu_pages_alloc(size);

	if (pages && __lsan_register_root_region)
		__lsan_register_root_region(pages, size);
	return pages;
}

void pmu_roots_free(void *pages, size_t size)
{
	if (pages && __lsan_unregister_root_region)
		__lsan_unregister_root_region(pages, size);
	pmu_pages_free(pages, size);
}

static int add_block(struct pmu_arena *arena, size_t need)
{
	struct pmu_arena_block *block;
	size_t size = arena->block ? 2 * arena->block->size : FIRST_BLOCK;

	if (size > LARGEST_STEP)
		size = LARGEST_STEP;
	if (size < need + sizeof(*block))
		size = PMU_ALIGN_UP(need + sizeof(*block), 4096);
	block = pmu_pages_alloc(size);
	if (!block)
		return -ENOMEM;
	block->older = arena->block;
	block->size = size;
	arena->block = block;
	arena->used = sizeof(*block);
	return 0;
}

void *pmu_arena_alloc(struct pmu_arena *arena, size_t size, size_t align)
{
	size_t at;

	if (size > SIZE_MAX / 4)
		return NULL;
	if (arena->block) {
		at = PMU_ALIGN_UP(arena->used, align);
		if (at <= arena->block->size && size <= arena->block->size - at) {
			arena->used = at + size;
			return (char *)arena->block + at;
		}
	}
	if (add_block(arena, size + align) < 0)
		return NULL;
	at = PMU_ALIGN_UP(arena->used, align);
	arena->used = at + size;
	return (char *)arena->block + at;
}

void pmu_arena_drop(void *memory, size_t size)
{
	uintptr_t page = getauxval(AT_PAGESZ), at = (uintptr_t)memory;
	uintptr_t from = PMU_ALIGN_UP(at, page), to = (at + size) & ~(page - 1);
	int saved = errno;

	if (memory && from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
	errno = saved;
}

struct pmu_arena_mark pmu_arena_mark(const struct pmu_arena *arena)
{
	return (struct pmu_arena_mark){ arena->block, arena->used };
}

void pmu_arena_rewind(struct pmu_arena *arena, struct pmu_arena_mark mark)
{
	if (arena->block != mark.block || !mark.block)
		return;
	memset((char *)mark.block + mark.used, 0, arena->used - mark.used);
	arena->used = mark.used;
}

void pmu_arena_reset(struct pmu_arena *arena)
{
	struct pmu_arena_block *block = arena->block;

	if (!block)
		return;
	while (block->older) {
		struct pmu_arena_block *older = block->older;

		pmu_pages_free(block, block->size);
		block = older;
	}
	arena->block = block;
	/* What is handed out is zero: clear what was used, or all of it once it was
	 * outgrown. */
	memset((char *)block + sizeof(*block), 0, block->size - sizeof(*block));
	arena->used = sizeof(*block);
}
