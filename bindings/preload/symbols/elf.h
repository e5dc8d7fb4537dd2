/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the functions in an ELF file, by address.  Nothing in the file is trusted. */
#ifndef PMU_PRELOAD_ELF_H
#define PMU_PRELOAD_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRELOAD_ID_MAX 64

/**
 * Where the bytes are: a file, read piece by piece so that one cut short meanwhile is no SIGBUS, or
 * memory.
 */
struct preload_bytes {
	int fd; /* where memory is NULL */
	const void *memory;
	uint64_t size;
};

/** A build id as the linker wrote it; size 0: none. */
struct preload_id {
	size_t size;
	unsigned char byte[PRELOAD_ID_MAX];
};

struct preload_elf_symbol {
	uint64_t value, size; /* size 0: not said, up to the next one */
	uint32_t name;        /* in the text */
	uint32_t rank;        /* of several names for one address the lowest is taken */
};

/** All zero is one without symbols. */
struct preload_elf {
	struct preload_elf_symbol *symbol; /* by value, then rank */
	size_t n_symbols, symbols_size;    /* size: bytes mapped */
	char *text;
	size_t text_size;
	bool full; /* all symbols, not just those for the dynamic linker */
	struct preload_id id;
	uint64_t headers; /* preload_hash() of the program headers */
	char link[256];   /* name of the file with the symbols that were stripped, "" none */
	uint32_t link_crc;
};

/** preload_hash() - go on with a hash (0 at first) over some bytes */
uint64_t preload_hash(uint64_t hash, const void *bytes, size_t size);

/**
 * preload_crc() - CRC-32 of all of it, as .gnu_debuglink has it.  Return: 0 or a negative errno.
 */
int preload_crc(const struct preload_bytes *from, uint32_t *crc);

/**
 * preload_id_read() - the build id among notes
 * @notes: a note segment or section
 * @id: result; untouched where there is none
 */
void preload_id_read(const void *notes, size_t size, struct preload_id *id);

/**
 * preload_elf_read() - what a file of this machine's kind says
 * @elf: result, for preload_elf_free(), also where there are no symbols
 *
 * Context: no malloc(), no lock.
 * Return: 0; -ENOEXEC: not ELF for this machine, or broken; -ENOMEM; the errno of reading.
 */
int preload_elf_read(const struct preload_bytes *from, struct preload_elf *elf);
void preload_elf_free(struct preload_elf *elf);

/** preload_elf_find() - the function that an address (as in the file) lies in, or NULL */
const struct preload_elf_symbol *preload_elf_find(const struct preload_elf *elf, uint64_t address);

#endif
