/* SPDX-License-Identifier: BSD-3-Clause */
/* Dumps of CPUID leaves as text: a line per leaf; libcpuid reads its own raw format. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "machine/cpuid.h"
#include "machine/libcpuid/libcpuid.h"

/* A dump on its way: one processor after the other. */
struct parser {
	struct pmu_cpuid_dump *dump;
	size_t line; /* from 1 */
	size_t cpu;  /* the next leaves are of this one, from 1; 0: none yet */
	bool behind; /* its raw format has ended: now come leaves that libcpuid does not keep */
	struct pmu_libcpuid_text raw; /* what libcpuid reads */
};

/* One line without its end; never NUL-terminated. */
struct text {
	const char *at, *end;
};

static bool skip_text(struct text *text, const char *word)
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

/* 1 to 8 hexadecimal digits. */
static bool read_hex_number(struct text *text, uint32_t *value)
{
	unsigned int n = 0;

	for (*value = 0; n < 8 && text->at < text->end; n++, text->at++) {
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
		*value = *value << 4 | digit;
	}
	return n > 0;
}

/* Four hexadecimal numbers. */
static bool registers(struct text *text, struct pmu_cpuid_regs *regs)
{
	uint32_t value[4];

	for (size_t i = 0; i < PMU_ARRAY_LEN(value); i++)
		if ((i && !skip_text(text, "-")) || !read_hex_number(text, &value[i]))
			return false;
	*regs = (struct pmu_cpuid_regs){ value[0], value[1], value[2], value[3] };
	return true;
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
static int finish_cpu(struct pmu_cpuid *cpu, size_t number)
{
	size_t n = 0;

	/* of all that libcpuid read, nothing is in range or not 0 */
	if (!cpu->n)
		return pmu_fail(EINVAL, "processor %zu has no CPUID leaf", number);
	pmu_cpuid_sort(cpu);
	for (size_t i = 0; i < cpu->n; i++) {
		const struct pmu_cpuid_entry *entry = &cpu->entry[i], *last = &cpu->entry[n - !!n];

		if (!n || last->leaf != entry->leaf || last->subleaf != entry->subleaf)
			cpu->entry[n++] = *entry;
		else if (!numbers_processors(entry->leaf) &&
			 memcmp(&last->regs, &entry->regs, sizeof(entry->regs)) != 0)
			return pmu_fail(EINVAL,
					"processor %zu has leaf %08" PRIX32 "H, subleaf %" PRIu32
					", twice, with different contents",
					number, entry->leaf, entry->subleaf);
	}
	cpu->n = n;
	return 0;
}

/* @array: of @n elements of @size bytes; room for one more. */
static int grow_array(void **array, size_t n, size_t size)
{
	void *moved;

	/* it grows at 0, 8, 16, 32, ... */
	if (n && (n < 8 || (n & (n - 1))))
		return 0;
	moved = realloc(*array, (n ? n * 2 : 8) * size);
	if (!moved)
		return pmu_fail(ENOMEM, "no memory for a CPUID dump");
	*array = moved;
	return 0;
}

static int end_cpu(const struct parser *parser)
{
	/* what libcpuid reads of it is not there yet */
	if (parser->cpu > parser->raw.n_cpus && !parser->behind &&
	    !parser->dump->cpu[parser->cpu - 1].n)
		return pmu_fail(EINVAL, "line %zu: the processor before it has no CPUID leaf",
				parser->line);
	return 0;
}

/* The next processor; behind the raw format's end the first again, and so on. */
static int next_cpu(struct parser *parser)
{
	struct pmu_cpuid_dump *dump = parser->dump;
	void *array = dump->cpu;
	int rc = end_cpu(parser);

	if (rc)
		return rc;
	if (parser->behind && parser->cpu < dump->n_cpus) {
		parser->cpu++;
		return 0;
	}
	if (dump->n_cpus == PMU_CPUID_MAX_CPUS)
		return pmu_fail(E2BIG, "line %zu: more than %d processors", parser->line,
				PMU_CPUID_MAX_CPUS);
	rc = grow_array(&array, dump->n_cpus, sizeof(*dump->cpu));
	dump->cpu = array;
	if (rc)
		return rc;
	memset(&dump->cpu[dump->n_cpus++], 0, sizeof(*dump->cpu));
	parser->cpu = dump->n_cpus;
	return 0;
}

/* Leaves before any heading are of the first processor. */
static int begin_cpu(struct parser *parser)
{
	return parser->cpu ? 0 : next_cpu(parser);
}

static int add_cpuid_entry(void *context, size_t index, const struct pmu_cpuid_entry *entry)
{
	struct parser *parser = context;
	struct pmu_cpuid *cpu = &parser->dump->cpu[index];
	void *array = cpu->entry;
	int rc;

	if (cpu->n == PMU_CPUID_MAX_ENTRIES)
		return pmu_fail(E2BIG, "line %zu: more than %d leaves of one processor",
				parser->line, PMU_CPUID_MAX_ENTRIES);
	rc = grow_array(&array, cpu->n, sizeof(*cpu->entry));
	cpu->entry = array;
	if (!rc)
		cpu->entry[cpu->n++] = *entry;
	return rc;
}

/* Some dumps just repeat a leaf for its subleaves. */
static uint32_t next_subleaf(const struct parser *parser, uint32_t leaf)
{
	const struct pmu_cpuid *cpu = &parser->dump->cpu[parser->cpu - 1];

	return cpu->n && cpu->entry[cpu->n - 1].leaf == leaf ? cpu->entry[cpu->n - 1].subleaf + 1
							     : 0;
}

/* " 0000000A: 07300403-00000040-00000000-00000603 [SL 00] [a remark]" */
static bool leaf_line(const struct parser *parser, struct text *text, struct pmu_cpuid_entry *entry)
{
	skip_blanks(text);
	if (!read_hex_number(text, &entry->leaf) || !skip_text(text, ":"))
		return false;
	skip_blanks(text);
	if (!registers(text, &entry->regs))
		return false;
	skip_blanks(text);
	if (skip_text(text, "[SL "))
		return read_hex_number(text, &entry->subleaf) && skip_text(text, "]");
	entry->subleaf = next_subleaf(parser, entry->leaf);
	return true;
}

static int add_leaf(struct parser *parser, struct text *text)
{
	struct pmu_cpuid_entry entry;
	int rc = begin_cpu(parser);

	if (rc)
		return rc;
	if (!leaf_line(parser, text, &entry))
		return pmu_fail(EINVAL, PMU_CPUID_NO_LEAF, parser->line);
	return add_cpuid_entry(parser, parser->cpu - 1, &entry);
}

/* Lines that libcpuid reads. */
static int add_raw(struct parser *parser, const struct text *text)
{
	size_t len = (size_t)(text->end - text->at);
	int rc = begin_cpu(parser);

	return rc ? rc
		  : pmu_libcpuid_add(&parser->raw, parser->cpu - 1, text->at, len, parser->line);
}

static bool is_heading(const struct text *text)
{
	static const char words[] = "Logical CPU #", older[] = "CPUID Registers (CPU #";
	size_t len = (size_t)(text->end - text->at);

	if (len >= strlen(older) && !memcmp(text->at, older, strlen(older)))
		return true;
	return len >= 2 && (!memcmp(text->at, "--", 2) || !memcmp(text->at, "__", 2)) &&
	       memmem(text->at, len, words, strlen(words));
}

/* 80 dashes: libcpuid reads no further. */
static bool is_dump_end(const struct text *text)
{
	static const char dashes[] = "----------------------------------------";
	size_t half = strlen(dashes);

	return (size_t)(text->end - text->at) == 2 * half && !memcmp(text->at, dashes, half) &&
	       !memcmp(text->at + half, dashes, half);
}

/* A line of any other kind is a remark. */
static int add_line(struct parser *parser, struct text text)
{
	if (is_heading(&text))
		return next_cpu(parser);
	if (skip_text(&text, "CPUID "))
		return add_leaf(parser, &text);
	if (parser->behind)
		return 0;
	if (pmu_libcpuid_knows(text.at, (size_t)(text.end - text.at)))
		return add_raw(parser, &text);
	if (parser->cpu && is_dump_end(&text)) {
		int rc = end_cpu(parser);

		parser->behind = true;
		parser->cpu = 0;
		return rc;
	}
	return 0;
}

static int read_lines(struct parser *parser, const char *text, size_t len)
{
	const char *end = text + len;
	int rc = 0;

	while (text < end && !rc) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline ? newline : end;

		parser->line++;
		rc = add_line(parser, (struct text){ text, line_end });
		text = newline ? newline + 1 : end;
	}
	parser->line++;
	return rc ? rc : end_cpu(parser);
}

static int read_raw(struct parser *parser)
{
	int rc = parser->raw.n_lines ? pmu_libcpuid_read(&parser->raw, add_cpuid_entry, parser) : 0;

	if (rc == -ENOTSUP)
		pmu_fail(ENOTSUP, "it is in libcpuid's raw format: %s", pmu_error_text());
	return rc;
}

static int finish_dump(const struct pmu_cpuid_dump *dump)
{
	int rc = 0;

	if (!dump->n_cpus)
		return pmu_fail(EINVAL,
				"there is no CPUID leaf in it: lines are \"CPUID 0000000A: "
				"07300403-00000040-00000000-00000603\" or \"basic_cpuid[10]=...\"");
	for (size_t i = 0; i < dump->n_cpus && !rc; i++)
		rc = finish_cpu(&dump->cpu[i], i);
	return rc;
}

int pmu_cpuid_parse(const char *text, size_t len, struct pmu_cpuid_dump *dump)
{
	struct parser parser = { .dump = dump };
	int rc;

	memset(dump, 0, sizeof(*dump));
	if (len > PMU_CPUID_MAX_BYTES)
		return pmu_fail(E2BIG, "a CPUID dump of more than %u MiB",
				PMU_CPUID_MAX_BYTES >> 20);
	rc = read_lines(&parser, text, len);
	if (!rc)
		rc = read_raw(&parser);
	if (!rc)
		rc = finish_dump(dump);
	pmu_libcpuid_text_free(&parser.raw);
	if (rc)
		pmu_cpuid_dump_free(dump);
	return rc;
}

void pmu_cpuid_dump_free(struct pmu_cpuid_dump *dump)
{
	for (size_t i = 0; i < dump->n_cpus; i++)
		pmu_cpuid_free(&dump->cpu[i]);
	free(dump->cpu);
	memset(dump, 0, sizeof(*dump));
}
