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

/*
 * From the first to the last read-only segment; linkers put literals into any of them.
 */
static struct pmu_literals span(const ElfW(Phdr) * phdr, size_t n, uintptr_t bias)
{
	uintptr_t first = UINTPTR_MAX, last = 0;

	for (size_t i = 0; i < n; i++) {
		if (phdr[i].p_type != PT_LOAD || phdr[i].p_flags & PF_W)
			continue;
		if (phdr[i].p_vaddr < first)
			first = phdr[i].p_vaddr;
		if (phdr[i].p_vaddr + phdr[i].p_filesz > last)
			last = phdr[i].p_vaddr + phdr[i].p_filesz;
	}
	/* with a writable segment between them they are not one range */
	for (size_t i = 0; i < n; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_W && phdr[i].p_vaddr < last &&
		    phdr[i].p_vaddr + phdr[i].p_memsz > first)
			return (struct pmu_literals){ 0 };
	if (first >= last)
		return (struct pmu_literals){ 0 };
	return (struct pmu_literals){ bias + first, last - first };
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
	if (phdr)
		pmu_literals = span(phdr, n, bias);
}
