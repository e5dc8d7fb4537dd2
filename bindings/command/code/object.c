/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program's or library's file, by elfutils' libdwfl: symbols of the file or of its separate debugging file, lines of
 * DWARF, and where a stripped function begins from what unwinders are told.
 *
 * libelf maps files: one that becomes shorter while it is read ends the command, as it ends any debugger.
 */
#include "bindings/command/code/object.h"

#include <dwarf.h>
#include <endian.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/code/libdw.h"
#include "bindings/command/code/symbols.h"

/* Of a file's program header table, which may say anything. */
#define MOST_SEGMENTS 256

/* Bytes: linkers make 20 at most, users may say any. */
#define LONGEST_ID 64

struct segment {
	uint64_t offset, size, address;
};

struct pmu_code_object {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* libdwfl's addresses over the file's */
	struct segment segment[MOST_SEGMENTS];
	size_t n_segments;
	struct pmu_code_symbols symbols;
	struct pmu_code_symbols units; /* of DWARF: .rank is where its entry stands */
	Dwarf *dwarf;
	uint64_t dwarf_bias; /* libdwfl's addresses over DWARF's */
	bool has_units;
	const char *raw; /* the file */
	size_t raw_size;
	char build_id[2 * LONGEST_ID + 1];
};

/* Separate files are looked for on this machine alone: see pmu_code_new(). */
static char *debug_path;

static const struct pmu_libdw_calls *dw;
static Dwfl_Callbacks callbacks;

static bool load_library(void)
{
	if (dw)
		return true;
	dw = pmu_libdw_load();
	if (!dw)
		return false;
	callbacks = (Dwfl_Callbacks){
		.find_elf = dw->dwfl_build_id_find_elf,
		.find_debuginfo = dw->dwfl_standard_find_debuginfo,
		.section_address = dw->dwfl_offline_section_address,
		.debuginfo_path = &debug_path,
	};
	return true;
}

const char *pmu_code_object_why(void)
{
	return load_library() ? "" : pmu_error_text();
}

/* --- what is where --- */

static void read_segments(struct pmu_code_object *object, Elf *elf)
{
	size_t n = 0;

	if (dw->elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && object->n_segments < MOST_SEGMENTS; i++) {
		GElf_Phdr header;

		if (!dw->gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		object->segment[object->n_segments++] =
			(struct segment){ header.p_offset, header.p_filesz, header.p_vaddr };
	}
}

static uint64_t address_of(const struct pmu_code_object *object, uint64_t offset)
{
	for (size_t i = 0; i < object->n_segments; i++) {
		const struct segment *segment = &object->segment[i];

		if (offset - segment->offset < segment->size)
			return offset - segment->offset + segment->address;
	}
	return offset;
}

/* What has a size before labels, global names before others, and of those what users write: malloc, not __libc_malloc. */
static size_t rank_of(const GElf_Sym *symbol, const char *name)
{
	static const size_t of_binding[] = { [STB_LOCAL] = 1, [STB_GLOBAL] = 3, [STB_WEAK] = 2 };
	unsigned int binding = GELF_ST_BIND(symbol->st_info);

	return (symbol->st_size ? 16u : 8u) + (name[0] != '_' ? 4u : 0u) +
	       (binding <= STB_WEAK ? of_binding[binding] : 0);
}

static bool is_function(const GElf_Sym *symbol, GElf_Word section, const char *name)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);

	if (!name || !name[0] || section == SHN_UNDEF)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && symbol->st_size);
}

static void read_symbols(struct pmu_code_object *object)
{
	int n = dw->dwfl_module_getsymtab(object->module);

	for (int i = 0; i < n; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name = dw->dwfl_module_getsym_info(object->module, i, &symbol, &address,
							       &section, NULL, NULL);

		if (is_function(&symbol, section, name) &&
		    pmu_code_symbols_add(&object->symbols,
					 &(struct pmu_code_symbol){ address - object->bias,
								    symbol.st_size, name,
								    rank_of(&symbol, name) }))
			return;
	}
}

/* --- functions without a symbol --- */

/* LSB 5.0 Core, 10.6: an encoding, sorted pairs of a function's beginning and its description. */
struct frame_header {
	unsigned char version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t count;
};
struct frame_entry {
	int32_t start, description;
};

#define FRAME_VERSION           1
#define ENCODING_UDATA4         0x03
#define ENCODING_SORTED         0x3b /* signed, of 4 bytes, from the header's own address on */
#define IS_FOUR_BYTES(encoding) (((encoding)&0x07) == 0x03)

/* Where the section stands in the file is anywhere, so nothing in it is aligned. */
static void read_frames(struct pmu_code_object *object, const GElf_Shdr *section,
			const Elf_Data *data)
{
	struct frame_header header;
	struct frame_entry entry;
	const char *at = data->d_buf;
	size_t room;

	if (!at || data->d_size < sizeof(header))
		return;
	memcpy(&header, at, sizeof(header));
	if (header.version != FRAME_VERSION || !IS_FOUR_BYTES(header.frame_encoding) ||
	    header.count_encoding != ENCODING_UDATA4 || header.table_encoding != ENCODING_SORTED)
		return;
	at += sizeof(header);
	room = (data->d_size - sizeof(header)) / sizeof(entry);
	for (size_t i = 0; i < header.count && i < room; i++, at += sizeof(entry)) {
		struct pmu_code_symbol function = { .name = NULL };

		memcpy(&entry, at, sizeof(entry));
		function.start = section->sh_addr + (uint64_t)(int64_t)entry.start;
		if (pmu_code_symbols_add(&object->symbols, &function))
			return;
	}
}

/* What functions of other libraries are called by: .plt, .plt.sec, .plt.got.  Most of it has frames, and no name. */
static void add_stubs(struct pmu_code_object *object, const GElf_Shdr *section)
{
	const struct pmu_code_symbol stubs = { section->sh_addr, section->sh_size, "[plt]", 1 };

	if (section->sh_flags & SHF_EXECINSTR && section->sh_size)
		pmu_code_symbols_add(&object->symbols, &stubs);
}

/* What sections tell of functions that have no symbol. */
static void read_sections(struct pmu_code_object *object, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (dw->elf_getshdrstrndx(elf, &names))
		return;
	while ((section = dw->elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!dw->gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = dw->elf_strptr(elf, names, header.sh_name);
		if (name && !strncmp(name, ".plt", 4))
			add_stubs(object, &header);
		if (name && !strcmp(name, ".eh_frame_hdr")) {
			const Elf_Data *data = dw->elf_rawdata(section, NULL);

			if (data)
				read_frames(object, &header, data);
		}
	}
}

/* --- its life --- */

/* Programs and libraries of this machine: libdwfl would also unpack archives and kernels, and relocate objects. */
static bool is_program(int fd)
{
	const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	struct {
		unsigned char ident[EI_NIDENT];
		uint16_t type; /* in both classes */
	} head;

	return pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	       !memcmp(head.ident, ELFMAG, SELFMAG) && head.ident[EI_DATA] == order &&
	       (head.type == ET_EXEC || head.type == ET_DYN);
}

static int open_program(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_program(fd))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* One that is longer is none. */
static void read_build_id(struct pmu_code_object *object)
{
	const unsigned char *id;
	GElf_Addr where;
	int n = dw->dwfl_module_build_id(object->module, &id, &where);

	for (int i = 0; i < n && n <= LONGEST_ID; i++)
		snprintf(object->build_id + 2 * i, 3, "%02x", id[i]);
}

static bool load(struct pmu_code_object *object, const char *path)
{
	int fd = open_program(path);
	GElf_Addr bias = 0;
	Elf *elf;

	if (fd < 0)
		return false;
	object->dwfl = dw->dwfl_begin(&callbacks);
	object->module = object->dwfl ? dw->dwfl_report_offline(object->dwfl, path, path, fd)
				      : NULL;
	if (!object->module) {
		close(fd);
		return false;
	}
	dw->dwfl_report_end(object->dwfl, NULL, NULL);
	elf = dw->dwfl_module_getelf(object->module, &bias);
	if (!elf)
		return false;
	object->bias = bias;
	object->raw = dw->elf_rawfile(elf, &object->raw_size);
	read_build_id(object);
	read_segments(object, elf);
	read_symbols(object);
	read_sections(object, elf);
	pmu_code_symbols_sort(&object->symbols);
	return true;
}

struct pmu_code_object *pmu_code_object_open(const char *path)
{
	struct pmu_code_object *object = load_library() ? calloc(1, sizeof(*object)) : NULL;

	if (object && load(object, path))
		return object;
	pmu_code_object_close(object);
	return NULL;
}

void pmu_code_object_close(struct pmu_code_object *object)
{
	if (!object)
		return;
	pmu_code_symbols_free(&object->symbols);
	pmu_code_symbols_free(&object->units);
	if (object->dwfl)
		dw->dwfl_end(object->dwfl);
	free(object);
}

/* --- an address --- */

static int add_unit(struct pmu_code_object *object, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dw->dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		const struct pmu_code_symbol range = { .start = start,
						       .size = end - start,
						       .rank = dw->dwarf_dieoffset(unit) };

		if (end > start && pmu_code_symbols_add(&object->units, &range))
			return -1;
	}
	return 0;
}

/*
 * libdwfl finds units by .debug_aranges alone before elfutils 0.191, which clang does not write; the units say themselves
 * where they are.
 */
static void read_units(struct pmu_code_object *object)
{
	Dwarf_Off at = 0, next;
	Dwarf_Addr bias = 0;
	size_t head;

	object->has_units = true;
	object->dwarf = dw->dwfl_module_getdwarf(object->module, &bias);
	object->dwarf_bias = bias;
	for (; object->dwarf &&
	       !dw->dwarf_nextcu(object->dwarf, at, &next, &head, NULL, NULL, NULL) && next > at;
	     at = next) {
		Dwarf_Die unit;

		if (dw->dwarf_offdie(object->dwarf, at + head, &unit) && add_unit(object, &unit))
			break;
	}
	pmu_code_symbols_sort(&object->units);
}

static void find_source_line(struct pmu_code_object *object, struct pmu_code_found *found)
{
	uint64_t address = found->address + object->bias - object->dwarf_bias;
	const struct pmu_code_symbol *range;
	Dwarf_Attribute folder;
	Dwarf_Line *line;
	Dwarf_Die unit;
	int number = 0;

	range = pmu_code_symbols_find(&object->units, address);
	if (!range || !dw->dwarf_offdie(object->dwarf, range->rank, &unit))
		return;
	line = dw->dwarf_getsrc_die(&unit, address);
	if (!line || dw->dwarf_lineno(line, &number) || number <= 0)
		return;
	found->file = dw->dwarf_linesrc(line, NULL, NULL);
	found->folder = dw->dwarf_formstring(dw->dwarf_attr(&unit, DW_AT_comp_dir, &folder));
	found->line = (uint32_t)number;
}

static const struct segment *segment_at(const struct pmu_code_object *object, uint64_t address)
{
	for (size_t i = 0; i < object->n_segments; i++)
		if (address - object->segment[i].address < object->segment[i].size)
			return &object->segment[i];
	return NULL;
}

/* One without a size goes up to the next one, or to where its segment ends. */
static uint64_t size_of(const struct pmu_code_object *object, const struct pmu_code_symbol *symbol)
{
	const struct segment *segment = segment_at(object, symbol->start);
	const struct pmu_code_symbol *next = symbol + 1;
	uint64_t left = segment ? segment->size - (symbol->start - segment->address) : 0;

	if (symbol->size)
		return symbol->size;
	if (next < object->symbols.of + object->symbols.n && next->start - symbol->start < left)
		return next->start - symbol->start;
	return left;
}

struct pmu_code_found pmu_code_object_find_address(struct pmu_code_object *object, uint64_t address)
{
	struct pmu_code_found found = { .address = address };
	const struct pmu_code_symbol *symbol = pmu_code_symbols_find(&object->symbols, address);

	if (symbol) {
		found.name = symbol->name;
		found.start = symbol->start;
		found.size = size_of(object, symbol);
		found.has_start = true;
	}
	if (!object->has_units)
		read_units(object);
	find_source_line(object, &found);
	return found;
}

struct pmu_code_found pmu_code_object_find(struct pmu_code_object *object, uint64_t offset)
{
	return pmu_code_object_find_address(object, address_of(object, offset));
}

/* --- what the file has --- */

const char *pmu_code_object_build_id(const struct pmu_code_object *object)
{
	return object->build_id;
}

/* In the same place in both classes, and of this machine's order: is_program(). */
unsigned int pmu_code_object_machine(const struct pmu_code_object *object)
{
	uint16_t machine = 0;

	if (object->raw && object->raw_size >= sizeof(Elf32_Ehdr))
		memcpy(&machine, object->raw + offsetof(Elf32_Ehdr, e_machine), sizeof(machine));
	return machine;
}

const unsigned char *pmu_code_object_bytes(const struct pmu_code_object *object, uint64_t address,
					   uint64_t *n)
{
	const struct segment *segment = segment_at(object, address);
	uint64_t into = segment ? address - segment->address : 0;

	if (!segment || !object->raw || segment->offset > object->raw_size ||
	    object->raw_size - segment->offset <= into)
		return NULL;
	*n = object->raw_size - segment->offset - into;
	if (*n > segment->size - into)
		*n = segment->size - into;
	return (const unsigned char *)object->raw + segment->offset + into;
}
