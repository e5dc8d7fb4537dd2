/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a sampled process: what it has mapped, and how often it was found where. */
#include "bindings/command/sample/hits.h"
#include "bindings/command/sample/maps.h"

#include <errno.h>

#include "base/hash.h"
#include "unit/part.h"

#define MANY 100000u

/* --- what is mapped --- */

static void is_at(const struct pmu_sample_maps *maps, uint64_t address, const char *path,
		  uint64_t at)
{
	struct pmu_sample_at found = pmu_sample_maps_find(maps, address);
	const char *name = pmu_sample_maps_path(maps, found.file);

	if (!ok(!strcmp(name, path) && found.at == at, "0x%" PRIx64 " is 0x%" PRIx64 " of \"%s\"",
		address, at, path))
		diag("got 0x%" PRIx64 " of \"%s\"", found.at, name);
}

/* Neighbours neither overlap nor are out of order. */
static void are_in_order(const struct pmu_sample_maps *maps, size_t n)
{
	bool good = maps->n == n;

	for (size_t i = 0; i < maps->n; i++)
		good = good && maps->map[i].start < maps->map[i].end &&
		       (!i || maps->map[i - 1].end <= maps->map[i].start);
	ok(good, "%zu mappings, in order", n);
}

static void what_can_be_executed_is_read(void)
{
	struct pmu_sample_maps maps = { 0 };

	pmu_sample_maps_read(
		&maps,
		"00400000-00401000 r--p 00000000 08:01 1234                       /bin/demo\n"
		"00401000-00405000 r-xp 00001000 08:01 1234                       /bin/demo\n"
		"00405000-00406000 rw-p 00005000 08:01 1234                       /bin/demo\n"
		"7f0000000000-7f0000002000 r-xp 00020000 08:01 9      /a dir/lib b.so\n"
		"7f0000010000-7f0000011000 r-xs 00000000 08:01 9      /tmp/gone (deleted)\n"
		"7f0000020000-7f0000021000 rwxp 00000000 00:00 0 \n"
		"7f0000030000-7f0000031000 rwxp 00000000 00:00 0\n"
		"7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0      [vdso]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]");
	are_in_order(&maps, 7);
	is_u64(maps.n_paths, 5, "files");
	is_at(&maps, 0x400fff, "", 0x400fff);
	is_at(&maps, 0x401000, "/bin/demo", 0x1000);
	is_at(&maps, 0x404fff, "/bin/demo", 0x4fff);
	is_at(&maps, 0x405000, "", 0x405000);
	is_at(&maps, 0x7f0000000010, "/a dir/lib b.so", 0x20010);
	is_at(&maps, 0x7f0000010010, "/tmp/gone (deleted)", 0x10);
	is_at(&maps, 0x7f0000020010, "", 0x7f0000020010);
	is_at(&maps, 0x7f0000030010, "", 0x7f0000030010);
	is_at(&maps, 0x7ffff7fc2fff, "[vdso]", 0x1fff);
	is_at(&maps, 0xffffffffff600400, "[vsyscall]", 0x400);
	is_at(&maps, UINT64_MAX, "", UINT64_MAX);
	is_at(&maps, 0, "", 0);
	pmu_sample_maps_free(&maps);
	is_u64(maps.n + maps.n_paths, 0, "nothing is left of them");
}

static void damaged_lines_are_left_out(void)
{
	struct pmu_sample_maps maps = { 0 };
	char *text = malloc(8192 + 256);

	if (!text)
		abort();
	pmu_sample_maps_read(&maps, "1000-2000 r-xp 00000000 08:01 1 /old\n");
	pmu_sample_maps_read(&maps, "\n\nthis is none\n"
				    "1000-\n"
				    "1000-2000\n"
				    "1000-2000 r-xp\n"
				    "1000-2000 r-xp 0\n"
				    "1000-2000 r-xp zero 08:01 1 /zero\n"
				    "2000-1000 r-xp 00000000 08:01 1 /backwards\n"
				    "3000-3000 r-xp 00000000 08:01 1 /empty\n"
				    "4000-5000 r-xp 00000000 08:01 1 /good");
	are_in_order(&maps, 1);
	is_at(&maps, 0x1800, "", 0x1800);
	is_at(&maps, 0x4000, "/good", 0);
	/* longer than any path, and a good one behind it */
	memset(text, 'a', 8192);
	memcpy(text, "1000-2000 r-xp 00000000 08:01 1 /", 33);
	strcpy(text + 8192, "\n3000-4000 r-xp 00000000 08:01 1 /behind\n");
	pmu_sample_maps_read(&maps, text);
	are_in_order(&maps, 1);
	is_at(&maps, 0x3000, "/behind", 0);
	pmu_sample_maps_read(&maps, "");
	are_in_order(&maps, 0);
	is_at(&maps, 0x3000, "", 0x3000);
	free(text);
	pmu_sample_maps_free(&maps);
}

static void nothing_is_known_of_nothing(void)
{
	struct pmu_sample_maps maps = { 0 };

	is_at(&maps, 0, "", 0);
	is_at(&maps, 0x1000, "", 0x1000);
	is_str(pmu_sample_maps_path(&maps, PMU_SAMPLE_KERNEL), "[kernel]", "the kernel's number");
	is_str(pmu_sample_maps_path(&maps, PMU_SAMPLE_FILES), "", "one that no file has");
	is_str(pmu_sample_maps_path(&maps, UINT32_MAX), "", "nor this one");
	pmu_sample_maps_free(&maps);
}

static void map(struct pmu_sample_maps *maps, uint64_t start, uint64_t end, uint64_t offset,
		const char *path)
{
	if (pmu_sample_maps_add(maps, start, end, offset, path))
		abort();
}

/* Three, with a gap behind the first one. */
static struct pmu_sample_maps three(void)
{
	struct pmu_sample_maps maps = { 0 };

	map(&maps, 0x5000, 0x6000, 0x100, "/c");
	map(&maps, 0x1000, 0x2000, 0x300, "/a");
	map(&maps, 0x4000, 0x5000, 0x200, "/b");
	return maps;
}

static void one_more_takes_no_room(void)
{
	struct pmu_sample_maps maps = three();

	are_in_order(&maps, 3);
	map(&maps, 0x2000, 0x4000, 0x10000, "/new");
	are_in_order(&maps, 4);
	is_at(&maps, 0xfff, "", 0xfff);
	is_at(&maps, 0x1000, "/a", 0x300);
	is_at(&maps, 0x1fff, "/a", 0x12ff);
	is_at(&maps, 0x2000, "/new", 0x10000);
	is_at(&maps, 0x3fff, "/new", 0x11fff);
	is_at(&maps, 0x4000, "/b", 0x200);
	is_at(&maps, 0x5fff, "/c", 0x10ff);
	is_at(&maps, 0x6000, "", 0x6000);
	map(&maps, 0x7000, 0x7000, 0, "/none");
	map(&maps, 0x7000, 0x6000, 0, "/none");
	are_in_order(&maps, 4);
	pmu_sample_maps_free(&maps);
}

static void one_covers_another(void)
{
	struct pmu_sample_maps maps = three();

	map(&maps, 0x4000, 0x5000, 0, "/new");
	are_in_order(&maps, 3);
	is_at(&maps, 0x4000, "/new", 0);
	is_at(&maps, 0x4fff, "/new", 0xfff);
	is_at(&maps, 0x5000, "/c", 0x100);
	map(&maps, 0x800, 0x2800, 0, "/larger");
	are_in_order(&maps, 3);
	is_at(&maps, 0x1000, "/larger", 0x800);
	is_at(&maps, 0x27ff, "/larger", 0x1fff);
	pmu_sample_maps_free(&maps);
}

static void one_covers_a_beginning_or_an_end(void)
{
	struct pmu_sample_maps maps = three();

	map(&maps, 0x800, 0x1800, 0, "/first");
	map(&maps, 0x5800, 0x6800, 0, "/last");
	are_in_order(&maps, 5);
	is_at(&maps, 0x17ff, "/first", 0xfff);
	is_at(&maps, 0x1800, "/a", 0xb00);
	is_at(&maps, 0x1fff, "/a", 0x12ff);
	is_at(&maps, 0x57ff, "/c", 0x8ff);
	is_at(&maps, 0x5800, "/last", 0);
	map(&maps, 0x4000, 0x4010, 0, "/same start");
	map(&maps, 0x4ff0, 0x5000, 0, "/same end");
	are_in_order(&maps, 7);
	is_at(&maps, 0x400f, "/same start", 0xf);
	is_at(&maps, 0x4010, "/b", 0x210);
	is_at(&maps, 0x4fef, "/b", 0x11ef);
	is_at(&maps, 0x4ff0, "/same end", 0);
	is_at(&maps, 0x5000, "/c", 0x100);
	pmu_sample_maps_free(&maps);
}

static void one_splits_another(void)
{
	struct pmu_sample_maps maps = three();

	map(&maps, 0x4400, 0x4800, 0x40, "/middle");
	are_in_order(&maps, 5);
	is_at(&maps, 0x4000, "/b", 0x200);
	is_at(&maps, 0x43ff, "/b", 0x5ff);
	is_at(&maps, 0x4400, "/middle", 0x40);
	is_at(&maps, 0x47ff, "/middle", 0x43f);
	is_at(&maps, 0x4800, "/b", 0xa00);
	is_at(&maps, 0x4fff, "/b", 0x11ff);
	is_at(&maps, 0x5000, "/c", 0x100);
	pmu_sample_maps_free(&maps);
}

static void one_covers_several(void)
{
	struct pmu_sample_maps maps = three();

	map(&maps, 0x1800, 0x5800, 0, "/wide");
	are_in_order(&maps, 3);
	is_at(&maps, 0x17ff, "/a", 0xaff);
	is_at(&maps, 0x1800, "/wide", 0);
	is_at(&maps, 0x57ff, "/wide", 0x3fff);
	is_at(&maps, 0x5800, "/c", 0x900);
	map(&maps, 0, UINT64_MAX, 0, "//anon");
	are_in_order(&maps, 1);
	is_at(&maps, 0x1800, "", 0x1800);
	pmu_sample_maps_free(&maps);
}

static void a_file_keeps_its_number(void)
{
	struct pmu_sample_maps maps = three();
	uint32_t file = pmu_sample_maps_find(&maps, 0x4000).file;

	map(&maps, 0x10000, 0x11000, 0, "/b");
	is_u64(pmu_sample_maps_find(&maps, 0x10000).file, file, "mapped twice it has one number");
	pmu_sample_maps_read(&maps, "9000-a000 r-xp 00000000 08:01 1 /z\n"
				    "a000-b000 r-xp 00000000 08:01 1 /b\n");
	is_u64(pmu_sample_maps_find(&maps, 0xa000).file, file, "and the same in another text");
	is_u64(maps.n_paths, 4, "one more than before");
	is_str(pmu_sample_maps_path(&maps, file), "/b", "its name");
	pmu_sample_maps_free(&maps);
}

/* As many as a compiler at run time makes: the oldest stay, and nothing is written beyond them. */
static void there_may_be_too_many(void)
{
	struct pmu_sample_maps maps = { 0 };
	int rc = 0;

	for (uint64_t i = 1; i <= MANY && !rc; i++)
		rc = pmu_sample_maps_add(&maps, i << 12, (i << 12) + 0x800, 0, "/one");
	is_int(rc, -ENOMEM, "there is an end");
	are_in_order(&maps, maps.n);
	is_at(&maps, 0x1000, "/one", 0);
	pmu_sample_maps_free(&maps);
}

/* --- hits --- */

static struct pmu_sample_at place(uint32_t file, uint64_t at)
{
	return (struct pmu_sample_at){ .file = file, .at = at };
}

static void the_same_place_is_one_hit(void)
{
	struct pmu_sample_hits hits = { 0 };

	is_int(pmu_sample_hits_add(&hits, 7, place(2, 0x10), 1), 0, "a hit");
	is_int(pmu_sample_hits_add(&hits, 8, place(2, 0x10), 2), 0, "another row's");
	is_int(pmu_sample_hits_add(&hits, 7, place(3, 0x10), 4), 0, "in another file");
	is_int(pmu_sample_hits_add(&hits, 7, place(2, 0x11), 8), 0, "elsewhere");
	is_int(pmu_sample_hits_add(&hits, 7, place(2, 0x10), 16), 0, "and the first again");
	is_u64(hits.n, 4, "are four");
	is_u64(hits.of[0].n, 17, "the first has both of its");
	is_u64(hits.of[1].n, 2, "and no other's");
	is_u64(hits.of[2].n, 4, "which are their own");
	is_u64(hits.of[3].n, 8, "too");
	pmu_sample_hits_free(&hits);
	is_u64(hits.n, 0, "none is left");
	is_int(pmu_sample_hits_add(&hits, 7, place(2, 0x10), 1), 0, "one comes anew");
	is_u64(hits.n == 1 ? hits.of[0].n : 0, 1, "without what was before");
	pmu_sample_hits_free(&hits);
}

static void many_are_told_apart(void)
{
	struct pmu_sample_hits hits = { 0 };
	unsigned int wrong = 0;
	uint64_t all = 0;

	for (unsigned int times = 0; times < 2; times++)
		for (uint64_t i = 0; i < MANY; i++)
			wrong += pmu_sample_hits_add(&hits, i % 7, place(i % 3, i * 16), i + 1) !=
				 0;
	is_u64(wrong, 0, "all were taken");
	is_u64(hits.n, MANY, "each once");
	for (size_t i = 0; i < hits.n; i++) {
		all += hits.of[i].n;
		wrong += hits.of[i].n != 2 * (i + 1) || hits.of[i].at.at != i * 16;
	}
	is_u64(wrong, 0, "each has what was added");
	is_u64(all, (uint64_t)MANY * (MANY + 1), "and so have all");
	pmu_sample_hits_free(&hits);
}

/* Two numbers that far apart have the same hash, whatever they are: it is their factor's inverse. */
static void rows_of_the_same_hash_are_told_apart(void)
{
	struct pmu_sample_hits hits = { 0 };
	uint64_t factor = 0x9e3779b97f4a7c15u, apart = factor;

	for (unsigned int i = 0; i < 6; i++)
		apart *= 2 - factor * apart;
	is_u64(pmu_hash_number(0), pmu_hash_number(apart), "the same hash");
	is_int(pmu_sample_hits_add(&hits, 0, place(0, 0x10), 1), 0, "one");
	is_int(pmu_sample_hits_add(&hits, apart, place(0, 0x10), 1), 0, "another");
	is_u64(hits.n, 2, "are two");
	pmu_sample_hits_free(&hits);
}

UNIT_PART(sample_sums)
{
	what_can_be_executed_is_read();
	damaged_lines_are_left_out();
	nothing_is_known_of_nothing();
	one_more_takes_no_room();
	one_covers_another();
	one_covers_a_beginning_or_an_end();
	one_splits_another();
	one_covers_several();
	a_file_keeps_its_number();
	there_may_be_too_many();
	the_same_place_is_one_hit();
	many_are_told_apart();
	rows_of_the_same_hash_are_told_apart();
	return done_testing();
}
