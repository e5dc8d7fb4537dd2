/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program keeps its string literals. */
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "session/thread.h"

struct pmu_literals pmu_literals;

/* The kernel tells where the program's headers are: no loader lock, and never unloaded. */
static const ElfW(Phdr) * headers(size_t *n, uintptr_t *bias)
{
	uintptr_t at = getauxval(AT_PHDR);
	const ElfW(Phdr) *phdr = (const void *)at;

	*n = getauxval(AT_PHNUM);
	for (size_t i = 0; phdr && i < *n; i++) {
		if (phdr[i].p_type == PT_PHDR) {
			*bias = at - phdr[i].p_vaddr;
			return phdr;
		}
	}
	return NULL;
}

void pmu_literals_find(void)
{
	const ElfW(Phdr) * phdr;
	static bool done;
	uintptr_t bias = 0;
	size_t n = 0;

	if (done)
		return;
	done = true;
	phdr = headers(&n, &bias);
	/* The last read-only segment without code: .rodata comes after .text. */
	for (size_t i = 0; phdr && i < n; i++)
		if (phdr[i].p_type == PT_LOAD && !(phdr[i].p_flags & (PF_W | PF_X)))
			pmu_literals = (struct pmu_literals){ bias + phdr[i].p_vaddr,
							      phdr[i].p_filesz };
}
