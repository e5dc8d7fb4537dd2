/* SPDX-License-Identifier: BSD-3-Clause */
/* Hands out pieces of large blocks. */
#include "report/model/block.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

#define BLOCK_SIZE  ((size_t)16 << 10)
#define FIRST_BLOCK (BLOCK_SIZE / 4) /* a process of many with a region or two has enough */

struct pmu_model_block {
	struct pmu_model_block *next;
	size_t used;
	size_t size;
	_Alignas(max_align_t) char data[];
};

static struct pmu_model_block *block_new(size_t size)
{
	struct pmu_model_block *block = calloc(1, sizeof(*block) + size);

	if (block)
		block->size = size;
	return block;
}

/* Large pieces get a block of their own behind the first: the rest of that stays in use. */
static void *alloc_alone(struct pmu_model_block **blocks, size_t size)
{
	struct pmu_model_block *block = block_new(size);

	if (!block)
		return NULL;
	block->used = size;
	if (*blocks) {
		block->next = (*blocks)->next;
		(*blocks)->next = block;
	} else {
		*blocks = block;
	}
	return block->data;
}

static void *alloc_aligned(struct pmu_model_block **blocks, size_t size, size_t align)
{
	struct pmu_model_block *block = *blocks;
	size_t at;

	if (size > PTRDIFF_MAX / 2)
		return NULL;
	at = block ? PMU_ALIGN_UP(block->used, align) : 0;
	if (!block || at > block->size || size > block->size - at) {
		if (size > BLOCK_SIZE / 4)
			return alloc_alone(blocks, size);
		block = block_new(*blocks ? BLOCK_SIZE : FIRST_BLOCK);
		if (!block)
			return NULL;
		block->next = *blocks;
		*blocks = block;
		at = 0;
	}
	block->used = at + size;
	return block->data + at;
}

void *pmu_block_alloc(struct pmu_model_block **blocks, size_t size)
{
	return alloc_aligned(blocks, size ? size : 1, _Alignof(max_align_t));
}

void *pmu_block_array(struct pmu_model_block **blocks, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return pmu_block_alloc(blocks, bytes);
}

char *pmu_block_text(struct pmu_model_block **blocks, const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? alloc_aligned(blocks, len + 1, 1) : NULL;

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *pmu_block_vtextf(struct pmu_model_block **blocks, const char *fmt, va_list args)
{
	char *text = NULL, *copy;
	int len = vasprintf(&text, fmt, args);

	if (len < 0)
		return NULL;
	copy = pmu_block_text(blocks, text, (size_t)len);
	free(text);
	return copy;
}

void pmu_block_join(struct pmu_model_block **blocks, struct pmu_model_block **from)
{
	while (*blocks)
		blocks = &(*blocks)->next;
	*blocks = *from;
	*from = NULL;
}

void pmu_block_free(struct pmu_model_block **blocks)
{
	while (*blocks) {
		struct pmu_model_block *next = (*blocks)->next;

		free(*blocks);
		*blocks = next;
	}
}
