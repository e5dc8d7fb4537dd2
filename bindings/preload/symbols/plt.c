/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relocations of the kinds JUMP_SLOT and GLOB_DAT of loaded objects (ELF gABI, chapter 5; System V
 * ABI, AMD64 supplement, section 4.4; ELF for the Arm 64-bit Architecture, section 5.7).  Both
 * architectures have them with addends only.
 */
#include "bindings/preload/symbols/plt.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/maps.h"

#if defined(__x86_64__)
#define IS_CALL    R_X86_64_JUMP_SLOT
#define IS_ADDRESS R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define IS_CALL    R_AARCH64_JUMP_SLOT
#define IS_ADDRESS R_AARCH64_GLOB_DAT
#else
#define IS_CALL    (-1u)
#define IS_ADDRESS (-1u)
#endif

/*
 * A hidden version is one that only older programs refer to (Sun's symbol versions, as the LSB has
 * them).
 */
#define VERSION_INDEX 0x7fff

bool plt_info_has(const struct dl_phdr_info *info, uintptr_t address, size_t size,
		  unsigned int rights)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = address - info->dlpi_addr - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & rights) == rights &&
		    at < segment->p_memsz && size <= segment->p_memsz - at)
			return true;
	}
	return false;
}

const char *plt_info_name(const struct dl_phdr_info *info)
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Most loaders put addresses in place of offsets; those that cannot write there do not. */
static uintptr_t pointer(const struct plt_object *object, uintptr_t value, size_t size)
{
	if (plt_info_has(object->info, value, size, PF_R))
		return value;
	value += object->base;
	return plt_info_has(object->info, value, size, PF_R) ? value : 0;
}

static bool find_dynamic(struct plt_object *object)
{
	for (int i = 0; i < object->info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->info->dlpi_phdr[i];
		uintptr_t at = object->base + segment->p_vaddr;

		if (segment->p_type != PT_DYNAMIC || at % sizeof(uintptr_t) ||
		    !plt_info_has(object->info, at, segment->p_memsz, PF_R))
			continue;
		object->dynamic = (const void *)at;
		while (object->n_dynamic < segment->p_memsz / sizeof(ElfW(Dyn)) &&
		       object->dynamic[object->n_dynamic].d_tag != DT_NULL)
			object->n_dynamic++;
		return true;
	}
	return false;
}

/* 0 where it is not there. */
static uintptr_t entry(const struct plt_object *object, ElfW(Sxword) tag)
{
	for (size_t i = 0; i < object->n_dynamic; i++)
		if (object->dynamic[i].d_tag == tag)
			return object->dynamic[i].d_un.d_ptr;
	return 0;
}

static void find_table(struct plt_object *object, size_t i, ElfW(Sxword) tag, ElfW(Sxword) size_tag)
{
	size_t size = entry(object, size_tag);
	uintptr_t at = entry(object, tag);

	if (!at || !size)
		return;
	object->tables[i].at = pointer(object, at, size);
	object->tables[i].size = object->tables[i].at % sizeof(uintptr_t) ? 0 : size;
}

bool plt_object_read(const struct dl_phdr_info *info, struct plt_object *object)
{
	uintptr_t versions;

	*object = (struct plt_object){ .info = info,
				       .base = info->dlpi_addr,
				       .name = plt_info_name(info) };
	if (!find_dynamic(object))
		return false;
	object->strings_size = entry(object, DT_STRSZ);
	object->strings = (const void *)pointer(object, entry(object, DT_STRTAB),
						object->strings_size);
	object->symbols = (const void *)pointer(object, entry(object, DT_SYMTAB),
						sizeof(ElfW(Sym)));
	if (!object->strings || !object->symbols ||
	    (uintptr_t)object->symbols % sizeof(uintptr_t) ||
	    entry(object, DT_SYMENT) != sizeof(ElfW(Sym)))
		return false;
	versions = entry(object, DT_VERSYM);
	if (versions)
		object->versions = (const void *)pointer(object, versions, sizeof(ElfW(Versym)));
	if (entry(object, DT_GNU_HASH))
		object->hash = pointer(object, entry(object, DT_GNU_HASH), 4 * sizeof(uint32_t));
	if (entry(object, DT_VERNEED)) {
		object->needs = pointer(object, entry(object, DT_VERNEED), sizeof(ElfW(Verneed)));
		object->n_needs = entry(object, DT_VERNEEDNUM);
	}
	if (entry(object, DT_PLTREL) == DT_RELA)
		find_table(object, 0, DT_JMPREL, DT_PLTRELSZ);
	if (entry(object, DT_RELAENT) == sizeof(ElfW(Rela)))
		find_table(object, 1, DT_RELA, DT_RELASZ);
	return true;
}

static const char *string(const struct plt_object *object, size_t at)
{
	if (at >= object->strings_size ||
	    !memchr(object->strings + at, '\0', object->strings_size - at))
		return NULL;
	return object->strings + at;
}

unsigned int plt_object_paths(const struct plt_object *object)
{
	return (entry(object, DT_RPATH) ? PLT_RPATH : 0) |
	       (entry(object, DT_RUNPATH) ? PLT_RUNPATH : 0);
}

static bool take_slot(const struct plt_object *object, const ElfW(Rela) * relocation,
		      struct plt_slot *slot)
{
	uint32_t kind = (uint32_t)ELF64_R_TYPE(relocation->r_info);
	uintptr_t at = object->base + relocation->r_offset;
	uint8_t type;

	if ((kind != IS_CALL && kind != IS_ADDRESS) || at % sizeof(uintptr_t) ||
	    !plt_info_has(object->info, at, sizeof(uintptr_t), PF_R))
		return false;
	slot->at = (uintptr_t *)at;
	slot->is_call = kind == IS_CALL;
	slot->symbol_index = ELF64_R_SYM(relocation->r_info);
	slot->symbol = object->symbols + slot->symbol_index;
	if (!plt_info_has(object->info, (uintptr_t)slot->symbol, sizeof(*slot->symbol), PF_R))
		return false;
	type = ELF64_ST_TYPE(slot->symbol->st_info);
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	slot->name = string(object, slot->symbol->st_name);
	return slot->name && *slot->name;
}

void plt_object_slots(const struct plt_object *object,
		      void (*each)(const struct plt_object *object, const struct plt_slot *slot,
				   void *data),
		      void *data)
{
	for (size_t t = 0; t < PRELOAD_ARRAY_LEN(object->tables); t++) {
		const ElfW(Rela) *relocation = (const void *)object->tables[t].at;
		size_t n = object->tables[t].size / sizeof(*relocation);
		struct plt_slot slot;

		/*
		 * some linkers count the first table to the second one: those slots are seen twice
		 */
		for (size_t i = 0; i < n; i++)
			if (take_slot(object, &relocation[i], &slot))
				each(object, &slot, data);
	}
}

/* --- what code does with slots --- */

#if defined(__x86_64__)
/*
 * An operand relative to the next instruction (ModRM 05 + 8 * reg): of FF /2, a call, of FF /4, a
 * jump, or else.
 */
static uint8_t use_of(const uint8_t *operand)
{
	return operand[-2] == 0xff && (operand[-1] == 0x15 || operand[-1] == 0x25) ? PLT_CALLED
										   : PLT_TAKEN;
}

static void scan(const uint8_t *code, size_t size, uintptr_t first, size_t n, uint8_t *uses)
{
	for (size_t i = 2; i + sizeof(int32_t) <= size; i++) {
		uintptr_t slot;
		int32_t distance;

		memcpy(&distance, code + i, sizeof(distance));
		slot = (uintptr_t)code + i + sizeof(distance) + (uintptr_t)(intptr_t)distance -
		       first;
		if (slot < n * sizeof(uintptr_t) && slot % sizeof(uintptr_t) == 0)
			uses[slot / sizeof(uintptr_t)] |= use_of(code + i);
	}
}
#else
static void scan(const uint8_t *code, size_t size, uintptr_t first, size_t n, uint8_t *uses)
{
	(void)code;
	(void)size;
	(void)first;
	for (size_t i = 0; i < n; i++)
		uses[i] |= PLT_TAKEN;
}
#endif

void plt_slot_uses(const struct dl_phdr_info *info, const uintptr_t *first, size_t n, uint8_t *uses)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & (PF_R | PF_X)) == (PF_R | PF_X))
			scan((const uint8_t *)(info->dlpi_addr + segment->p_vaddr),
			     segment->p_filesz, (uintptr_t)first, n, uses);
	}
}

/* --- versions --- */

static const char *version_of_need(const struct plt_object *object, uintptr_t at,
				   unsigned int index)
{
	const ElfW(Verneed) *need = (const void *)at;
	uintptr_t part = at + need->vn_aux;

	for (unsigned int i = 0; i < need->vn_cnt; i++) {
		const ElfW(Vernaux) *aux = (const void *)part;

		if (part % sizeof(uint32_t) ||
		    !plt_info_has(object->info, part, sizeof(*aux), PF_R))
			return NULL;
		if ((aux->vna_other & VERSION_INDEX) == index)
			return string(object, aux->vna_name);
		if (!aux->vna_next)
			return NULL;
		part += aux->vna_next;
	}
	return NULL;
}

static unsigned int version_index(const struct plt_object *object, size_t symbol_index)
{
	if (!object->versions ||
	    !plt_info_has(object->info, (uintptr_t)&object->versions[symbol_index],
			  sizeof(ElfW(Versym)), PF_R))
		return VER_NDX_GLOBAL;
	return object->versions[symbol_index] & VERSION_INDEX;
}

const char *plt_object_version(const struct plt_object *object, size_t symbol_index)
{
	unsigned int index = version_index(object, symbol_index);
	uintptr_t at = object->needs;

	if (index <= VER_NDX_GLOBAL)
		return NULL;
	for (size_t i = 0; i < object->n_needs; i++) {
		const ElfW(Verneed) *need = (const void *)at;
		const char *version;

		if (!at || at % sizeof(uint32_t) ||
		    !plt_info_has(object->info, at, sizeof(*need), PF_R))
			return NULL;
		version = version_of_need(object, at, index);
		if (version || !need->vn_next)
			return version;
		at += need->vn_next;
	}
	return NULL;
}

/* --- definitions --- */

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = 33 * hash + (unsigned char)*name;
	return hash;
}

static bool word_at(const struct plt_object *object, uintptr_t at, uint32_t *word)
{
	if (at % sizeof(*word) || !plt_info_has(object->info, at, sizeof(*word), PF_R))
		return false;
	*word = *(const uint32_t *)at;
	return true;
}

static bool is_defined(const struct plt_object *object, size_t symbol_index, const char *name)
{
	const ElfW(Sym) *symbol = object->symbols + symbol_index;
	const char *is;

	if (!plt_info_has(object->info, (uintptr_t)symbol, sizeof(*symbol), PF_R) ||
	    symbol->st_shndx == SHN_UNDEF)
		return false;
	is = string(object, symbol->st_name);
	return is && !strcmp(is, name);
}

/*
 * The table is four words (buckets, first symbol, words of the filter, its shift), the filter, the
 * buckets and a word for each symbol: its hash, with the lowest bit set on the last one of a
 * bucket.
 */
size_t plt_object_definitions(const struct plt_object *object, const char *name, bool *unversioned)
{
	uint32_t n_buckets, first, n_filter, symbol, is, hash = hash_of(name);
	uintptr_t at = object->hash, words;
	size_t n = 0;

	if (!at || !word_at(object, at, &n_buckets) || !word_at(object, at + 4, &first) ||
	    !word_at(object, at + 8, &n_filter) || !n_buckets)
		return 0;
	words = at + 16 + (uintptr_t)n_filter * sizeof(uintptr_t);
	if (!word_at(object, words + (uintptr_t)(hash % n_buckets) * sizeof(hash), &symbol) ||
	    symbol < first)
		return 0;
	words += (uintptr_t)n_buckets * sizeof(hash);
	for (;; symbol++) {
		if (!word_at(object, words + (uintptr_t)(symbol - first) * sizeof(hash), &is))
			return 0;
		if ((is | 1) == (hash | 1) && is_defined(object, symbol, name)) {
			n++;
			if (unversioned)
				*unversioned |= version_index(object, symbol) <= VER_NDX_GLOBAL;
		}
		if (is & 1)
			return n;
	}
}

/* --- writing --- */

/*
 * What the loader protects once it has filled it: whole pages (PT_GNU_RELRO; glibc:
 * _dl_protect_relro()).
 */
static bool is_protected(const struct dl_phdr_info *info, uintptr_t page, uintptr_t size)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t first = (info->dlpi_addr + segment->p_vaddr) & -size;
		uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz) & -size;

		if (segment->p_type == PT_GNU_RELRO && page >= first && page < end)
			return true;
	}
	return false;
}

int plt_slot_write(const struct dl_phdr_info *info, uintptr_t *slot, uintptr_t value,
		   struct preload_mapping *mapping)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)slot, page = at & -size;
	bool closed = is_protected(info, page, size);

	if (!closed && !plt_info_has(info, at, sizeof(at), PF_W))
		return -EACCES;
	if (closed) {
		if (at - mapping->first >= mapping->end - mapping->first &&
		    !preload_mapping_find(at, mapping))
			*mapping = (struct preload_mapping){ page, page + size, PROT_READ };
		/* another thread is loading it, and will call this itself */
		if (mapping->protection & PROT_WRITE)
			return -EAGAIN;
		if (mprotect((void *)page, size, mapping->protection | PROT_WRITE) < 0)
			return -errno;
	}
	/* Other threads call through it meanwhile, one way or the other. */
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (closed && mprotect((void *)page, size, mapping->protection) < 0)
		return -errno;
	return 0;
}
