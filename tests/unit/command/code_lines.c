/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols by their addresses, and those that are lines of a text. */
#include "bindings/command/code/lines.h"
#include "bindings/command/code/symbols.h"
#include "unit/part.h"

static void add(struct pmu_code_symbols *symbols, uint64_t start, uint64_t size, const char *name,
		size_t rank)
{
	const struct pmu_code_symbol symbol = { start, size, name, rank };

	if (pmu_code_symbols_add(symbols, &symbol))
		abort();
}

/* "-" where there is none, "" for one without a name. */
static const char *name_at(const struct pmu_code_symbols *symbols, uint64_t address)
{
	const struct pmu_code_symbol *symbol = pmu_code_symbols_find(symbols, address);

	return !symbol ? "-" : symbol->name ? symbol->name : "";
}

static void in_any_order(void)
{
	struct pmu_code_symbols symbols = { 0 };

	is_str(name_at(&symbols, 0), "-", "without symbols there is none");
	pmu_code_symbols_sort(&symbols);
	is_str(name_at(&symbols, 0), "-", "nor is there after sorting them");
	/* more than there is room for at first, the last one first */
	for (uint64_t i = 1000; i-- > 0;)
		add(&symbols, 0x1000 + 16 * i, 16, i == 777 ? "wanted" : "other", 0);
	pmu_code_symbols_sort(&symbols);
	is_u64(symbols.n, 1000, "all are kept");
	is_str(name_at(&symbols, 0x1000 + 16 * 777), "wanted", "one is found by its first byte");
	is_str(name_at(&symbols, 0x1000 + 16 * 777 + 15), "wanted", "by its last one");
	is_str(name_at(&symbols, 0x1000 + 16 * 778), "other", "behind it is the next one");
	is_str(name_at(&symbols, 0xfff), "-", "before the first one is none");
	is_str(name_at(&symbols, 0x1000 + 16 * 1000), "-", "behind the last one is none");
	pmu_code_symbols_free(&symbols);
	is_u64(symbols.n, 0, "freed ones are none");
}

static void with_and_without_size(void)
{
	struct pmu_code_symbols symbols = { 0 };

	add(&symbols, 0x100, 0x10, "sized", 0);
	add(&symbols, 0x200, 0, "open", 0);
	add(&symbols, 0x300, 0, NULL, 0);
	add(&symbols, UINT64_MAX - 1, 2, "top", 0);
	pmu_code_symbols_sort(&symbols);
	is_str(name_at(&symbols, 0x110), "-", "a gap behind one with a size is nobody's");
	is_str(name_at(&symbols, 0x2ff), "open",
	       "one without a size ends where the next one begins");
	is_str(name_at(&symbols, 0x10000), "", "one may have no name");
	is_str(name_at(&symbols, UINT64_MAX), "top", "the highest address is one");
	is_str(name_at(&symbols, 0), "-", "and does not reach to 0");
	pmu_code_symbols_free(&symbols);
}

static void one_in_another(void)
{
	struct pmu_code_symbols symbols = { 0 };

	add(&symbols, 0x1000, 0x100, "whole", 0);
	add(&symbols, 0x1010, 0x10, "part", 0);
	add(&symbols, 0x1040, 0, "label", 0);
	add(&symbols, 0x1080, 0, NULL, 0);
	pmu_code_symbols_sort(&symbols);
	is_str(name_at(&symbols, 0x1008), "whole", "before what is in it");
	is_str(name_at(&symbols, 0x1018), "part", "what is in it");
	is_str(name_at(&symbols, 0x1020), "whole", "behind what is in it");
	is_str(name_at(&symbols, 0x1048), "whole", "what has no size is a part of it");
	is_str(name_at(&symbols, 0x1088), "whole", "so is what has no name");
	is_str(name_at(&symbols, 0x1100), "-", "neither reaches beyond it");
	pmu_code_symbols_free(&symbols);
}

static void at_one_address(void)
{
	struct pmu_code_symbols symbols = { 0 };

	add(&symbols, 0x1000, 4, "low", 1);
	add(&symbols, 0x1000, 8, "high", 3);
	add(&symbols, 0x1000, 16, "middle", 2);
	add(&symbols, 0x1000, 0, NULL, 0);
	pmu_code_symbols_sort(&symbols);
	is_str(name_at(&symbols, 0x1000), "high", "of those at one address the highest one counts");
	is_str(name_at(&symbols, 0x1009), "-", "and its size");
	is_u64(symbols.n, 1, "the others are gone");
	pmu_code_symbols_free(&symbols);
}

/* Text of exactly its size, so that what reads beyond it is seen. */
static char *copy(const char *text)
{
	char *copied = malloc(strlen(text) + 1);

	if (!copied)
		abort();
	return strcpy(copied, text);
}

static void of_a_perf_map(void)
{
	struct pmu_code_symbols symbols = { 0 };
	char *text = copy("7f0000001000 40 first\n"
			  "7F0000001040\t80 with blanks, (and) more \n"
			  "0x7f0000002000 0x10 prefixed\n"
			  "7f0000001000 40 again\n"
			  "ffffffffffffffff 1 top");

	pmu_code_read_perf_map(text, &symbols);
	is_u64(symbols.n, 4, "a perf map: each address once");
	is_str(name_at(&symbols, 0x7f000000103f), "again", "the later line is right");
	is_str(name_at(&symbols, 0x7f0000001040), "with blanks, (and) more ",
	       "all behind the size");
	is_str(name_at(&symbols, 0x7f000000200f), "prefixed",
	       "numbers may say that they are hexadecimal");
	is_str(name_at(&symbols, 0x7f0000002010), "-", "none behind the last byte");
	is_str(name_at(&symbols, UINT64_MAX), "top", "the last line needs no end");
	pmu_code_symbols_free(&symbols);
	free(text);
}

static void of_a_damaged_perf_map(void)
{
	static const char *const none[] = {
		"",          "\n",         "\n\n",
		"1000",      "1000 ",      "1000 10",
		"1000 10 ",  "1000 10\n",  "1000 0 of no size",
		"1000 name", "name",       " 1000 10 blank",
		"1000 1g x", "-1000 10 x", "+1000 10 x",
		"1000,10,x", "1000 10x",
	};
	struct pmu_code_symbols symbols = { 0 };
	char *text;

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		text = copy(none[i]);
		pmu_code_read_perf_map(text, &symbols);
		ok(symbols.n == 0, "a perf map of nothing, %zu: no symbol", i);
		pmu_code_symbols_free(&symbols);
		free(text);
	}
	text = copy("nonsense\n1000 10 good\n10 20");
	pmu_code_read_perf_map(text, &symbols);
	is_str(name_at(&symbols, 0x1000), "good", "a good line between others is read");
	pmu_code_symbols_free(&symbols);
	free(text);
}

static void of_the_kernel(void)
{
	struct pmu_code_symbols symbols = { 0 };
	char *text = copy("ffffffff81000000 T _stext\n"
			  "ffffffff81000100 t do_one_initcall\n"
			  "ffffffff81000200 d of_data\n"
			  "ffffffff81000300 W weak_one\n"
			  "ffffffffc0000000 t nf_hook\t[nf_tables]\n");

	pmu_code_read_kallsyms(text, &symbols);
	is_u64(symbols.n, 4, "kallsyms: functions alone");
	is_str(name_at(&symbols, 0xffffffff810000ff), "_stext", "up to the next one");
	is_str(name_at(&symbols, 0xffffffff81000300), "weak_one", "also weak ones");
	is_str(name_at(&symbols, 0xffffffffc0000010), "nf_hook", "without their module");
	is_str(name_at(&symbols, 0xffffffff80ffffff), "-", "none before the first one");
	pmu_code_symbols_free(&symbols);
	free(text);
}

static void of_a_damaged_or_hidden_kernel(void)
{
	/* the kernel hides addresses as 0: linux/Documentation/admin-guide/sysctl/kernel.rst, kptr_restrict */
	static const char *const none[] = {
		"0000000000000000 T _stext\n0000000000000000 t hidden\n",
		"",
		"\n",
		"ffff",
		"ffff ",
		"ffff \n t x",
		"ffff t",
		"ffff t ",
		"ffff t \t[module]",
		"ffff tt x",
		"ffff  ",
		"T _stext",
		"ffff ? x",
	};
	struct pmu_code_symbols symbols = { 0 };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		char *text = copy(none[i]);

		pmu_code_read_kallsyms(text, &symbols);
		ok(symbols.n == 0, "kallsyms of nothing, %zu: no symbol", i);
		pmu_code_symbols_free(&symbols);
		free(text);
	}
}

#define LONG_NAME 100000

static void of_long_lines(void)
{
	struct pmu_code_symbols symbols = { 0 };
	char *text = malloc(LONG_NAME + 64);
	size_t len = text ? (size_t)sprintf(text, "1000 10 ") : 0;

	if (!text)
		abort();
	memset(text + len, 'x', LONG_NAME);
	strcpy(text + len + LONG_NAME, "\n2000 10 next");
	pmu_code_read_perf_map(text, &symbols);
	is_u64(strlen(name_at(&symbols, 0x1000)), LONG_NAME, "a long name is kept as it is");
	is_str(name_at(&symbols, 0x2000), "next", "the line behind it, too");
	pmu_code_symbols_free(&symbols);
	len = (size_t)sprintf(text, "1000 t ");
	memset(text + len, 'x', LONG_NAME);
	strcpy(text + len + LONG_NAME, " [module]\n2000 t next");
	pmu_code_read_kallsyms(text, &symbols);
	is_u64(strlen(name_at(&symbols, 0x1000)), LONG_NAME, "also of the kernel's");
	is_str(name_at(&symbols, 0x2000), "next", "and the line behind it");
	pmu_code_symbols_free(&symbols);
	free(text);
}

UNIT_PART(code_lines)
{
	in_any_order();
	with_and_without_size();
	one_in_another();
	at_one_address();
	of_a_perf_map();
	of_a_damaged_perf_map();
	of_the_kernel();
	of_a_damaged_or_hidden_kernel();
	of_long_lines();
	return done_testing();
}
