/* SPDX-License-Identifier: BSD-3-Clause */
/* Dumps of CPUID leaves as text: read, and written. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "machine/cpuid.h"

/* A dump on its way: one processor after the other. */
struct parser {
	struct pmu_cpuid_dump *dump;
	size_t cpus_room, entries_room; /* entries: of the last processor */
	size_t line;                    /* from 1 */
};

/* One line without its end; never NUL-terminated. */
struct text {
	const char *at, *end;
};

static bool skip(struct text *text, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(text->end - text->at) < len || memcmp(text->at, word, len) != 0)
		return false;
	text->at += len;
	return true;
}

static void skip_blanks(struct text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

/* 1 to @digits digits of base 10 or 16. */
static bool number(struct text *text, unsigned int base, unsigned int digits, uint32_t *value)
{
	unsigned int n = 0;

	for (*value = 0; n < digits && text->at < text->end; n++, text->at++) {
		char c = *text->at;
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned int)(c - 'A') + 10;
		else
			break;
		if (digit >= base)
			break;
		*value = *value * base + digit;
	}
	return n > 0;
}

/* Four hexadecimal numbers. */
static bool registers(struct text *text, const char *between, struct pmu_cpuid_regs *regs)
{
	uint32_t value[4];

	for (size_t i = 0; i < PMU_ARRAY_LEN(value); i++)
		if ((i && !skip(text, between)) || !number(text, 16, 8, &value[i]))
			return false;
	*regs = (struct pmu_cpuid_regs){ value[0], value[1], value[2], value[3] };
	return true;
}

static int by_leaf(const void *a, const void *b)
{
	const struct pmu_cpuid_entry *s = a, *t = b;

	if (s->leaf != t->leaf)
		return s->leaf < t->leaf ? -1 : 1;
	return (s->subleaf > t->subleaf) - (s->subleaf < t->subleaf);
}

/* Leaves that number the processor: a thread that moved while it made the dump got two answers. */
static bool numbers_processors(uint32_t leaf)
{
	return leaf == 0x0b || leaf == 0x1f;
}

/*
 * The same leaf twice is no harm while both say the same: the arrays of libcpuid's format repeat
 * subleaf 0.
 */
static int finish_cpu(struct parser *parser)
{
	struct pmu_cpuid *cpu;
	size_t n = 0;

	if (!parser->dump->n_cpus)
		return 0;
	cpu = &parser->dump->cpu[parser->dump->n_cpus - 1];
	if (!cpu->n)
		return pmu_fail(EINVAL, "line %zu: the processor before it has no CPUID leaf",
				parser->line);
	qsort(cpu->entry, cpu->n, sizeof(*cpu->entry), by_leaf);
	for (size_t i = 0; i < cpu->n; i++) {
		const struct pmu_cpuid_entry *entry = &cpu->entry[i];

		if (!n || by_leaf(&cpu->entry[n - 1], entry) != 0)
			cpu->entry[n++] = *entry;
		else if (!numbers_processors(entry->leaf) &&
			 memcmp(&cpu->entry[n - 1].regs, &entry->regs, sizeof(entry->regs)) != 0)
			return pmu_fail(EINVAL,
					"line %zu: the processor before it has leaf %08" PRIX32
					"H, subleaf %" PRIu32 ", twice, with different contents",
					parser->line, entry->leaf, entry->subleaf);
	}
	cpu->n = n;
	return 0;
}

/* @array: of elements of @size bytes; room for one more. */
static int grow(void **array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 8;
	void *moved;

	if (n < *room)
		return 0;
	moved = realloc(*array, more * size);
	if (!moved)
		return pmu_fail(ENOMEM, "no memory for a CPUID dump");
	*array = moved;
	*room = more;
	return 0;
}

static int add_cpu(struct parser *parser)
{
	struct pmu_cpuid_dump *dump = parser->dump;
	void *array = dump->cpu;
	int rc = finish_cpu(parser);

	if (rc)
		return rc;
	if (dump->n_cpus == PMU_CPUID_MAX_CPUS)
		return pmu_fail(E2BIG, "line %zu: more than %d processors", parser->line,
				PMU_CPUID_MAX_CPUS);
	rc = grow(&array, dump->n_cpus, &parser->cpus_room, sizeof(*dump->cpu));
	dump->cpu = array;
	if (rc)
		return rc;
	memset(&dump->cpu[dump->n_cpus++], 0, sizeof(*dump->cpu));
	parser->entries_room = 0;
	return 0;
}

static int add_entry(struct parser *parser, const struct pmu_cpuid_entry *entry)
{
	struct pmu_cpuid *cpu;
	void *array;
	int rc;

	if (!parser->dump->n_cpus) {
		rc = add_cpu(parser);
		if (rc)
			return rc;
	}
	cpu = &parser->dump->cpu[parser->dump->n_cpus - 1];
	if (cpu->n == PMU_CPUID_MAX_ENTRIES)
		return pmu_fail(E2BIG, "line %zu: more than %d leaves of one processor",
				parser->line, PMU_CPUID_MAX_ENTRIES);
	array = cpu->entry;
	rc = grow(&array, cpu->n, &parser->entries_room, sizeof(*cpu->entry));
	cpu->entry = array;
	if (!rc)
		cpu->entry[cpu->n++] = *entry;
	return rc;
}

/* Some dumps just repeat a leaf for its subleaves. */
static uint32_t next_subleaf(const struct parser *parser, uint32_t leaf)
{
	const struct pmu_cpuid *cpu;

	if (!parser->dump->n_cpus)
		return 0;
	cpu = &parser->dump->cpu[parser->dump->n_cpus - 1];
	return cpu->n && cpu->entry[cpu->n - 1].leaf == leaf ? cpu->entry[cpu->n - 1].subleaf + 1
							     : 0;
}

/* " 0000000A: 07300403-00000040-00000000-00000603 [SL 00] [a remark]" */
static bool leaf_line(const struct parser *parser, struct text *text, struct pmu_cpuid_entry *entry)
{
	skip_blanks(text);
	if (!number(text, 16, 8, &entry->leaf) || !skip(text, ":"))
		return false;
	skip_blanks(text);
	if (!registers(text, "-", &entry->regs))
		return false;
	skip_blanks(text);
	if (skip(text, "[SL "))
		return number(text, 16, 8, &entry->subleaf) && skip(text, "]");
	entry->subleaf = next_subleaf(parser, entry->leaf);
	return true;
}

/* Arrays of libcpuid's format: the index is the leaf, or the subleaf of one. */
static const struct {
	const char *name;
	uint32_t leaf;
	bool subleaf;
} arrays[] = {
	{ "basic_cpuid[", 0x00000000, false },    { "ext_cpuid[", 0x80000000, false },
	{ "intel_fn4[", 0x00000004, true },       { "intel_fn11[", 0x0000000b, true },
	{ "intel_fn12h[", 0x00000012, true },     { "intel_fn14h[", 0x00000014, true },
	{ "amd_fn8000001dh[", 0x8000001d, true }, { "amd_fn80000026h[", 0x80000026, true },
};

/* "10]=07300403 00000040 00000000 00000603" */
static bool array_line(struct text *text, size_t array, struct pmu_cpuid_entry *entry)
{
	uint32_t index;

	if (!number(text, 10, 4, &index) || !skip(text, "]=") ||
	    !registers(text, " ", &entry->regs))
		return false;
	entry->leaf = arrays[array].leaf + (arrays[array].subleaf ? 0 : index);
	entry->subleaf = arrays[array].subleaf ? index : 0;
	return true;
}

static bool is_heading(const struct text *text)
{
	static const char words[] = "Logical CPU #";

	return text->end - text->at >= 2 &&
	       (!memcmp(text->at, "--", 2) || !memcmp(text->at, "__", 2)) &&
	       memmem(text->at, (size_t)(text->end - text->at), words, strlen(words));
}

/* A line of any other kind is somebody's remark. */
static int add_line(struct parser *parser, struct text text)
{
	struct pmu_cpuid_entry entry;
	bool good;

	if (is_heading(&text))
		return add_cpu(parser);
	if (skip(&text, "CPUID ")) {
		good = leaf_line(parser, &text, &entry);
		goto add;
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(arrays); i++) {
		if (!skip(&text, arrays[i].name))
			continue;
		good = array_line(&text, i, &entry);
		goto add;
	}
	return 0;
add:
	if (!good)
		return pmu_fail(
			EINVAL,
			"line %zu is no CPUID leaf: a leaf has four registers in hexadecimal digits",
			parser->line);
	return add_entry(parser, &entry);
}

int pmu_cpuid_parse(const char *text, size_t len, struct pmu_cpuid_dump *dump)
{
	struct parser parser = { .dump = dump };
	const char *end = text + len;
	int rc = 0;

	memset(dump, 0, sizeof(*dump));
	if (len > PMU_CPUID_MAX_BYTES)
		return pmu_fail(E2BIG, "a CPUID dump of more than %u MiB",
				PMU_CPUID_MAX_BYTES >> 20);
	while (text < end && !rc) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline ? newline : end;

		parser.line++;
		rc = add_line(&parser, (struct text){ text, line_end });
		text = newline ? newline + 1 : end;
	}
	parser.line++;
	if (!rc)
		rc = finish_cpu(&parser);
	if (!rc && !dump->n_cpus)
		rc = pmu_fail(EINVAL,
			      "there is no CPUID leaf in it: lines are \"CPUID 0000000A: "
			      "07300403-00000040-00000000-00000603\" or \"basic_cpuid[10]=...\"");
	if (rc)
		pmu_cpuid_dump_free(dump);
	return rc;
}

/* A whole file, up to a byte more than a dump may have.  @text is for free(). */
static int read_file(int fd, char **text, size_t *len)
{
	size_t room = 0;
	ssize_t got;

	*text = NULL;
	*len = 0;
	for (;;) {
		if (*len == room) {
			char *moved = realloc(*text, room ? room * 2 : 65536);

			if (!moved)
				return -ENOMEM;
			*text = moved;
			room = room ? room * 2 : 65536;
		}
		got = read(fd, *text + *len, room - *len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		*len += (size_t)got;
		if (!got || *len > PMU_CPUID_MAX_BYTES)
			return 0;
	}
}

int pmu_cpuid_load(const char *path, struct pmu_cpuid_dump *dump)
{
	/* a pipe nobody writes to holds up no one */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *text;
	size_t len;
	int rc;

	memset(dump, 0, sizeof(*dump));
	if (fd < 0)
		return pmu_fail(errno, "cannot open the CPUID dump '%s': %s", path,
				strerror(errno));
	rc = read_file(fd, &text, &len);
	close(fd);
	if (rc) {
		pmu_fail(rc, "cannot read the CPUID dump '%s': %s", path, strerror(-rc));
	} else {
		rc = pmu_cpuid_parse(text, len, dump);
		if (rc)
			pmu_fail(rc, "CPUID dump '%s': %s", path, pmu_error_text());
	}
	free(text);
	return rc;
}

void pmu_cpuid_dump_free(struct pmu_cpuid_dump *dump)
{
	for (size_t i = 0; i < dump->n_cpus; i++)
		pmu_cpuid_free(&dump->cpu[i]);
	free(dump->cpu);
	memset(dump, 0, sizeof(*dump));
}

void pmu_cpuid_print(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out)
{
	for (size_t i = 0; i < dump->n_cpus; i++) {
		const struct pmu_cpuid *cpu = &dump->cpu[i];

		pmu_strbuf_addf(out, "------[ Logical CPU #%zu ]------\n", i);
		for (size_t j = 0; j < cpu->n; j++) {
			const struct pmu_cpuid_entry *entry = &cpu->entry[j];
			const struct pmu_cpuid_regs *regs = &entry->regs;

			pmu_strbuf_addf(out,
					"CPUID %08" PRIX32 ": %08" PRIX32 "-%08" PRIX32
					"-%08" PRIX32 "-%08" PRIX32 " [SL %02" PRIX32 "]\n",
					entry->leaf, regs->eax, regs->ebx, regs->ecx, regs->edx,
					entry->subleaf);
		}
	}
}
