/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as an ELF file that is searched for functions. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/keep.h"
#include "bindings/preload/symbols/elf.h"
#include "tests/fuzz/fuzz.h"

/* The library takes whole pages; here each byte beyond what was asked for is out of bounds. */
void *preload_map(size_t size)
{
	return calloc(1, size);
}

void preload_unmap(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

static void check_symbol(const struct preload_elf *elf, uint64_t address)
{
	const struct preload_elf_symbol *symbol = preload_elf_find(elf, address);

	if (!symbol)
		return;
	if (symbol->value > address || (symbol->size && address - symbol->value >= symbol->size) ||
	    symbol->name >= elf->text_size || !elf->text[symbol->name])
		abort();
}

static void check(const struct preload_elf *elf)
{
	for (size_t i = 0; i < elf->n_symbols; i++) {
		const struct preload_elf_symbol *symbol = &elf->symbol[i];

		if (i && symbol[-1].value > symbol->value)
			abort();
		if (!preload_elf_find(elf, symbol->value))
			abort();
		check_symbol(elf, symbol->value + symbol->size - 1);
		check_symbol(elf, symbol->value + symbol->size);
	}
	check_symbol(elf, 0);
	check_symbol(elf, UINT64_MAX);
	if (elf->id.size > PRELOAD_ID_MAX || strlen(elf->link) >= sizeof(elf->link))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* never NULL, which would mean a file */
	const struct preload_bytes bytes = { .fd = -1,
					     .memory = data ? (const void *)data : "",
					     .size = size };
	struct preload_id id = { 0 };
	struct preload_elf elf;
	uint32_t crc;

	preload_id_read(bytes.memory, size, &id);
	if (preload_crc(&bytes, &crc))
		abort();
	if (!preload_elf_read(&bytes, &elf))
		check(&elf);
	preload_elf_free(&elf);
	return 0;
}
