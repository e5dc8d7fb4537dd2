/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the symbol table of an ELF file: of its sections, .symtab or else .dynsym. */
#include "bindings/preload/symbols/elf.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bindings/preload/keep.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif
#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

/* More than these is no file that a linker wrote for a program. */
#define SECTIONS_MAX 1000000u
#define HEADERS_MAX  1000u
#define NOTES_MAX    ((uint64_t)64 << 10)
#define TABLE_MAX    ((uint64_t)1 << 30)

#define CHUNK ((size_t)64 << 10)

struct reader {
	const struct preload_bytes *from;
	struct preload_elf *elf;
	Elf64_Ehdr head;
	uint32_t n_sections, names; /* names: index of the section with the sections' names */
};

uint64_t preload_hash(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	/* FNV-1a: its basis and its prime */
	hash = hash ? hash : 0xcbf29ce484222325u;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}

/* All of it or an error. */
static int read_at(const struct preload_bytes *from, uint64_t offset, size_t size, void *to)
{
	size_t done = 0;

	if (offset > from->size || size > from->size - offset)
		return -ENOEXEC;
	if (from->memory) {
		memcpy(to, (const char *)from->memory + offset, size);
		return 0;
	}
	while (done < size) {
		ssize_t n = pread(from->fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOEXEC;
		done += (size_t)n;
	}
	return 0;
}

int preload_crc(const struct preload_bytes *from, uint32_t *crc)
{
	unsigned char *chunk = preload_map(CHUNK);
	uint32_t value = ~0u;
	int rc = 0;

	if (!chunk)
		return -ENOMEM;
	for (uint64_t at = 0; at < from->size && !rc; at += CHUNK) {
		size_t n = from->size - at < CHUNK ? (size_t)(from->size - at) : CHUNK;

		rc = read_at(from, at, n, chunk);
		for (size_t i = 0; i < n && !rc; i++) {
			value ^= chunk[i];
			for (int bit = 0; bit < 8; bit++)
				value = value >> 1 ^ (0xedb88320u & -(value & 1));
		}
	}
	preload_unmap(chunk, CHUNK);
	*crc = ~value;
	return rc;
}

/* --- notes --- */

void preload_id_read(const void *notes, size_t size, struct preload_id *id)
{
	const unsigned char *at = notes;

	while (size >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name, all;

		memcpy(&note, at, sizeof(note));
		/* names and contents are padded to four bytes */
		name = ((uint64_t)note.n_namesz + 3) & ~(uint64_t)3;
		all = sizeof(note) + name + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
		if (sizeof(note) + name + note.n_descsz > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at + sizeof(note), "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= PRELOAD_ID_MAX) {
			id->size = note.n_descsz;
			memcpy(id->byte, at + sizeof(note) + name, note.n_descsz);
			return;
		}
		if (all >= size)
			return;
		at += all;
		size -= (size_t)all;
	}
}

static int read_notes(const struct reader *reader, const Elf64_Shdr *section)
{
	void *notes;
	int rc;

	if (reader->elf->id.size || !section->sh_size || section->sh_size > NOTES_MAX)
		return 0;
	notes = preload_map((size_t)section->sh_size);
	if (!notes)
		return -ENOMEM;
	rc = read_at(reader->from, section->sh_offset, (size_t)section->sh_size, notes);
	if (!rc)
		preload_id_read(notes, (size_t)section->sh_size, &reader->elf->id);
	preload_unmap(notes, (size_t)section->sh_size);
	return rc;
}

/* --- headers --- */

static int read_head(struct reader *reader)
{
	Elf64_Ehdr *head = &reader->head;
	int rc = read_at(reader->from, 0, sizeof(*head), head);

	if (rc)
		return rc;
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_ident[EI_DATA] != OUR_ORDER || head->e_machine != OUR_MACHINE)
		return -ENOEXEC;
	return 0;
}

static int read_program_headers(const struct reader *reader)
{
	const Elf64_Ehdr *head = &reader->head;
	Elf64_Phdr header;
	int rc = 0;

	if (head->e_phnum > HEADERS_MAX || (head->e_phnum && head->e_phentsize != sizeof(header)))
		return -ENOEXEC;
	for (uint64_t i = 0; i < head->e_phnum && !rc; i++) {
		if (head->e_phoff > reader->from->size)
			return -ENOEXEC;
		rc = read_at(reader->from, head->e_phoff + i * sizeof(header), sizeof(header),
			     &header);
		reader->elf->headers = preload_hash(reader->elf->headers, &header, sizeof(header));
	}
	return rc;
}

static int read_section(const struct reader *reader, uint32_t i, Elf64_Shdr *section)
{
	if (i >= reader->n_sections)
		return -ENOEXEC;
	/* checked: e_shoff is inside the file, and i is small */
	return read_at(reader->from, reader->head.e_shoff + (uint64_t)i * sizeof(*section),
		       sizeof(*section), section);
}

/* Counts that do not fit into the header are in the first section's (gABI, "ELF Header"). */
static int count_sections(struct reader *reader)
{
	const Elf64_Ehdr *head = &reader->head;
	Elf64_Shdr first;
	int rc;

	if (!head->e_shoff)
		return 0;
	if (head->e_shentsize != sizeof(first) || head->e_shoff > reader->from->size)
		return -ENOEXEC;
	rc = read_at(reader->from, head->e_shoff, sizeof(first), &first);
	if (rc)
		return rc;
	if (!head->e_shnum && first.sh_size > SECTIONS_MAX)
		return -ENOEXEC;
	reader->n_sections = head->e_shnum ? head->e_shnum : (uint32_t)first.sh_size;
	reader->names = head->e_shstrndx == SHN_XINDEX ? first.sh_link : head->e_shstrndx;
	return 0;
}

/* --- symbols --- */

/* What others call it before what only its own file does; names that are meant to be seen first. */
static uint32_t rank_of(const Elf64_Sym *symbol, const char *name)
{
	static const uint32_t by_binding[16] = {
		[STB_GLOBAL] = 0, [STB_WEAK] = 2, [STB_LOCAL] = 4
	};

	return by_binding[ELF64_ST_BIND(symbol->st_info)] + (name[0] == '_' && name[1] != 'Z');
}

static bool is_function(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_value;
}

static void add_symbols(struct preload_elf *elf, const Elf64_Sym *symbol, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = elf->text + symbol[i].st_name;

		if (!is_function(&symbol[i]) || symbol[i].st_name >= elf->text_size || !*name)
			continue;
		elf->symbol[elf->n_symbols++] = (struct preload_elf_symbol){
			.value = symbol[i].st_value,
			.size = symbol[i].st_size,
			.name = symbol[i].st_name,
			.rank = rank_of(&symbol[i], name),
		};
	}
}

static bool is_before(const struct preload_elf_symbol *a, const struct preload_elf_symbol *b)
{
	if (a->value != b->value)
		return a->value < b->value;
	return a->rank != b->rank ? a->rank < b->rank : a->name < b->name;
}

static void sift(struct preload_elf_symbol *symbol, size_t at, size_t n)
{
	struct preload_elf_symbol moved = symbol[at];

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && is_before(&symbol[child], &symbol[child + 1]))
			child++;
		if (!is_before(&moved, &symbol[child]))
			break;
		symbol[at] = symbol[child];
	}
	symbol[at] = moved;
}

/*
 * In place: qsort() may call malloc(), which the program may have interrupted, or have written
 * itself.
 */
static void sort(struct preload_elf_symbol *symbol, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(symbol, i, n);
	while (n-- > 1) {
		struct preload_elf_symbol last = symbol[n];

		symbol[n] = symbol[0];
		symbol[0] = last;
		sift(symbol, 0, n);
	}
}

static int read_text(const struct reader *reader, const Elf64_Shdr *table)
{
	struct preload_elf *elf = reader->elf;
	Elf64_Shdr text;
	int rc = read_section(reader, table->sh_link, &text);

	if (rc)
		return rc;
	if (text.sh_type != SHT_STRTAB || !text.sh_size || text.sh_size > TABLE_MAX ||
	    text.sh_flags & SHF_COMPRESSED)
		return -ENOEXEC;
	if (text.sh_offset > reader->from->size ||
	    text.sh_size > reader->from->size - text.sh_offset)
		return -ENOEXEC;
	elf->text = preload_map((size_t)text.sh_size);
	if (!elf->text)
		return -ENOMEM;
	elf->text_size = (size_t)text.sh_size;
	rc = read_at(reader->from, text.sh_offset, elf->text_size, elf->text);
	elf->text[elf->text_size - 1] = '\0';
	return rc;
}

static int read_entries(const struct reader *reader, const Elf64_Shdr *table)
{
	struct preload_elf *elf = reader->elf;
	size_t n = (size_t)(table->sh_size / sizeof(Elf64_Sym)), most = CHUNK / sizeof(Elf64_Sym);
	Elf64_Sym *chunk;
	int rc = 0;

	elf->symbols_size = n * sizeof(*elf->symbol);
	elf->symbol = preload_map(elf->symbols_size);
	if (!elf->symbol)
		return -ENOMEM;
	chunk = preload_map(CHUNK);
	if (!chunk)
		return -ENOMEM;
	for (size_t at = 0; at < n && !rc; at += most) {
		size_t some = n - at < most ? n - at : most;

		rc = read_at(reader->from, table->sh_offset + at * sizeof(*chunk),
			     some * sizeof(*chunk), chunk);
		if (!rc)
			add_symbols(elf, chunk, some);
	}
	preload_unmap(chunk, CHUNK);
	sort(elf->symbol, elf->n_symbols);
	return rc;
}

static int read_symbols(const struct reader *reader, const Elf64_Shdr *table)
{
	int rc;

	if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_size > TABLE_MAX ||
	    table->sh_flags & SHF_COMPRESSED || table->sh_offset > reader->from->size ||
	    table->sh_size > reader->from->size - table->sh_offset)
		return -ENOEXEC;
	if (table->sh_size < sizeof(Elf64_Sym))
		return 0;
	rc = read_text(reader, table);
	return rc ? rc : read_entries(reader, table);
}

/* --- the whole --- */

static void read_link(const struct reader *reader, const Elf64_Shdr *section,
		      const Elf64_Shdr *names)
{
	static const char wanted[] = ".gnu_debuglink";
	struct preload_elf *elf = reader->elf;
	char name[sizeof(wanted)], link[sizeof(elf->link) + 8] = "";
	size_t len;

	if (names->sh_type != SHT_STRTAB || section->sh_name >= names->sh_size ||
	    section->sh_size < 8 || section->sh_size > sizeof(link) ||
	    names->sh_offset > reader->from->size ||
	    read_at(reader->from, names->sh_offset + section->sh_name, sizeof(name), name) ||
	    memcmp(name, wanted, sizeof(name)) != 0)
		return;
	if (read_at(reader->from, section->sh_offset, (size_t)section->sh_size, link))
		return;
	/* a name with its NUL, padding to four bytes, the CRC */
	len = strnlen(link, (size_t)section->sh_size);
	if (!len || len >= sizeof(elf->link) || (len + 4) / 4 * 4 + 4 > section->sh_size ||
	    strchr(link, '/'))
		return;
	memcpy(elf->link, link, len + 1);
	memcpy(&elf->link_crc, link + (len + 4) / 4 * 4, 4);
}

static int read_sections(const struct reader *reader)
{
	Elf64_Shdr section, names = { 0 }, all = { 0 }, dynamic = { 0 };
	int rc = 0;

	if (reader->names)
		rc = read_section(reader, reader->names, &names);
	for (uint32_t i = 1; i < reader->n_sections && !rc; i++) {
		rc = read_section(reader, i, &section);
		if (rc)
			break;
		if (section.sh_type == SHT_SYMTAB && !all.sh_size)
			all = section;
		else if (section.sh_type == SHT_DYNSYM && !dynamic.sh_size)
			dynamic = section;
		else if (section.sh_type == SHT_NOTE)
			rc = read_notes(reader, &section);
		else if (section.sh_type == SHT_PROGBITS)
			read_link(reader, &section, &names);
	}
	if (rc)
		return rc;
	reader->elf->full = all.sh_size > 0;
	if (!all.sh_size && !dynamic.sh_size)
		return 0;
	return read_symbols(reader, all.sh_size ? &all : &dynamic);
}

int preload_elf_read(const struct preload_bytes *from, struct preload_elf *elf)
{
	struct reader reader = { .from = from, .elf = elf };
	int rc;

	*elf = (struct preload_elf){ 0 };
	rc = read_head(&reader);
	if (!rc)
		rc = read_program_headers(&reader);
	if (!rc)
		rc = count_sections(&reader);
	if (!rc && reader.n_sections)
		rc = read_sections(&reader);
	if (rc)
		preload_elf_free(elf);
	return rc;
}

void preload_elf_free(struct preload_elf *elf)
{
	if (elf->symbol)
		preload_unmap(elf->symbol, elf->symbols_size);
	if (elf->text)
		preload_unmap(elf->text, elf->text_size);
	*elf = (struct preload_elf){ 0 };
}

/* How many symbols there are up to an address. */
static size_t n_up_to(const struct preload_elf *elf, uint64_t address)
{
	size_t low = 0, high = elf->n_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (elf->symbol[middle].value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct preload_elf_symbol *preload_elf_find(const struct preload_elf *elf, uint64_t address)
{
	const struct preload_elf_symbol *found = NULL;
	size_t i = n_up_to(elf, address), nearest;

	if (!i)
		return NULL;
	nearest = i;
	/*
	 * Functions may lie in others; those that end before the address are passed by, but not all
	 * of them.
	 */
	for (int patience = 64; i > 0 && patience > 0; i--, patience--) {
		const struct preload_elf_symbol *symbol = &elf->symbol[i - 1];

		if (found && symbol->value != found->value)
			break;
		if (symbol->size ? address - symbol->value < symbol->size
				 : symbol->value == elf->symbol[nearest - 1].value)
			found = symbol;
	}
	return found;
}
