/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slots through which a loaded object calls functions of others.  Nothing in the object is
 * trusted.
 */
#ifndef PMU_PRELOAD_PLT_H
#define PMU_PRELOAD_PLT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/preload/maps.h"

/** An object as the loader has it in memory. */
struct plt_object {
	const struct dl_phdr_info *info;
	uintptr_t base;
	const char *name; /* file name without folders, "" the program */
	const ElfW(Dyn) * dynamic;
	size_t n_dynamic;
	const ElfW(Sym) * symbols;
	const char *strings;
	size_t strings_size;
	const ElfW(Versym) * versions; /* NULL: none */
	uintptr_t needs;               /* ElfW(Verneed), 0: none */
	size_t n_needs;
	uintptr_t hash; /* DT_GNU_HASH, 0: none */
	struct {
		uintptr_t at;
		size_t size;
	} tables[2]; /* of ElfW(Rela) */
};

/** A slot that holds the address of a function. */
struct plt_slot {
	uintptr_t *at;
	const char *name;
	const ElfW(Sym) * symbol; /* as the object refers to it */
	size_t symbol_index;
	/* of the procedure linkage: only called, and may be bound at the first call */
	bool is_call;
};

/**
 * plt_object_read() - where the tables of an object are
 * @object: result; refers to @info
 * Return: false where it has none.
 */
bool plt_object_read(const struct dl_phdr_info *info, struct plt_object *object);

/** plt_object_slots() - each() for every slot. */
void plt_object_slots(const struct plt_object *object,
		      void (*each)(const struct plt_object *object, const struct plt_slot *slot,
				   void *data),
		      void *data);

/** How code uses a slot. */
enum {
	PLT_CALLED = 1, /* calls of and jumps to what it holds */
	PLT_TAKEN = 2,  /* anything else: its value may go anywhere, and be compared */
};

/**
 * plt_slot_uses() - what an object's code does with slots that hold addresses
 * @first: the first of @n slots in a row
 * @uses: a byte for each slot, zero before; PLT_CALLED and PLT_TAKEN are added
 *
 * It looks at every byte of the code, so that it finds too much rather than too little.  On arm64,
 * where a call through such a slot (-fno-plt) looks like any other use, all are taken and none is
 * called.
 */
void plt_slot_uses(const struct dl_phdr_info *info, const uintptr_t *first, size_t n,
		   uint8_t *uses);

/** plt_object_version() - the version that a reference asks for, NULL for none */
const char *plt_object_version(const struct plt_object *object, size_t symbol_index);

/**
 * plt_object_definitions() - how often it defines a symbol, once for each version
 * @unversioned: result: one of them is without; may be NULL
 * Return: 0 also where it cannot be told.
 */
size_t plt_object_definitions(const struct plt_object *object, const char *name, bool *unversioned);

#define PLT_RPATH   1u
#define PLT_RUNPATH 2u

/** plt_object_paths() - which of the two says where to search for what it needs */
unsigned int plt_object_paths(const struct plt_object *object);

/** plt_info_has() - does an address lie in a segment with these rights (PF_X and so on)? */
bool plt_info_has(const struct dl_phdr_info *info, uintptr_t address, size_t size,
		  unsigned int rights);

/** plt_info_name() - its file's name without folders */
const char *plt_info_name(const struct dl_phdr_info *info);

/**
 * plt_slot_write() - put a value into a slot that may be write-protected
 * @mapping: of the last call, all zero at the first one
 *
 * Return: 0; -EAGAIN where the object is still being loaded; -EACCES; the errno of mprotect().
 */
int plt_slot_write(const struct dl_phdr_info *info, uintptr_t *slot, uintptr_t value,
		   struct preload_mapping *mapping);

#endif
