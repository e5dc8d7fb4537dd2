/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions by their addresses: of an object, of the kernel, of what was compiled at run time. */
#ifndef PMU_COMMAND_CODE_SYMBOLS_H
#define PMU_COMMAND_CODE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct pmu_code_symbol {
	uint64_t start, size; /* 0: up to the next one; a part of one with a size around it */
	const char *name;     /* NULL: a function that has none */
	size_t rank;          /* of those at one address the highest one is right */
};

struct pmu_code_symbols {
	struct pmu_code_symbol *of;
	size_t n, room;
};

/** pmu_code_symbols_add() - one more.  Return: 0 or -ENOMEM. */
int pmu_code_symbols_add(struct pmu_code_symbols *symbols, const struct pmu_code_symbol *symbol);

/** pmu_code_symbols_sort() - behind the last one, before the first is looked for */
void pmu_code_symbols_sort(struct pmu_code_symbols *symbols);

/** pmu_code_symbols_find() - the one that has @address in it; NULL: none */
struct pmu_code_symbol *pmu_code_symbols_find(const struct pmu_code_symbols *symbols,
					      uint64_t address);

void pmu_code_symbols_free(struct pmu_code_symbols *symbols);

#endif
