/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked reader: what it makes of torn, damaged and hostile stores. */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "store/read/raw.h"
#include "unit/part.h"
#include "unit/store/simple.h"

/* --- damage --- */

static void refuses(struct build *build, int want, const char *part, const char *name)
{
	struct pmu_model *model;

	is_int(build_read(build, &model), want, name);
	has(pmu_error_text(), part, "and says why");
}

static void foreign_heads_are_refused(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_head *head = build_head(build), good = *head;
	struct pmu_store_piece piece = { .base = build->bytes, .size = 100 };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model;

	head->magic[0] = 'X';
	refuses(build, -EINVAL, "not a store", "another magic");
	*head = good;
	head->version = 2;
	refuses(build, -ENOTSUP, "format 2", "a newer version");
	*head = good;
	head->byte_order = 0x04030201;
	refuses(build, -ENOTSUP, "byte order", "another byte order");
	*head = good;
	head->clock_kind = 9;
	refuses(build, -EUCLEAN, "damaged", "an unknown clock");
	*head = good;
	head->size = UINT64_MAX;
	refuses(build, -EUCLEAN, "damaged", "an impossible size");
	*head = good;
	is_int(pmu_store_snapshot(&view, NULL, &model), -EINVAL, "too short for a head");
	free(build);
}

static void damage_costs_what_it_hit(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *inner = build_row_at(thread, group, 2);
	struct pmu_store_chunk *chunk;
	struct pmu_model *model;

	inner->name = 77;
	model = must_read(build);
	is_u64(calls_of(model, "solve/?"), 20, "an unknown name: still counted");
	ok(model_note(model, "name is unknown"), "with a note");
	pmu_model_free(model);
	inner->name = 2;
	inner->parent = 2;
	model = must_read(build);
	is_u64(calls_of(model, "inner"), 20, "nested in itself: at the top");
	ok(model_note(model, "outer region is unknown"), "with a note");
	pmu_model_free(model);
	inner->parent = 1;
	build_chunk_of(thread)->used = 1000000;
	model = must_read(build);
	is_u64(calls_of(model, "solve/inner"), 20, "too many rows: those that fit");
	ok(model_note(model, "outside of their place"), "with a note");
	pmu_model_free(model);
	build_chunk_of(thread)->used = 2;
	chunk = build_chunk(build, PMU_CHUNK_ROWS, group->row_size);
	chunk->owner = 55;
	chunk->first = 1;
	chunk->used = 1;
	model = must_read(build);
	ok(model_note(model, "no thread"), "rows of no thread: a note");
	pmu_model_free(model);
	chunk->magic = 0;
	model = must_read(build);
	is_u64(calls_of(model, "solve/inner"), 20, "a bad chunk: all before it counts");
	ok(model_note(model, "unreadable"), "with a note");
	pmu_model_free(model);
	free(build);
}

static void bad_groups_are_left_out(void)
{
	struct pmu_store_group *group, good;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	good = *group;
	group->bank_offset = 4;
	model = must_read(build);
	is_u64(model->n_sections, 0, "banks over the row's head");
	ok(model_note(model, "impossible layout"), "a note");
	pmu_model_free(model);
	memcpy(group, &good, sizeof(good));
	group->n_slots = 17;
	model = must_read(build);
	is_u64(model->n_sections, 0, "too many slots");
	pmu_model_free(model);
	memcpy(group, &good, sizeof(good));
	group->row_size = 0;
	model = must_read(build);
	is_u64(model->n_sections, 0, "rows without a size");
	pmu_model_free(model);
	free(build);
}

/* Every bit of a store flipped, one at a time: a refusal or a report, and nothing read
 * out of bounds. */
static void survives_every_flipped_bit(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_piece piece = { .base = NULL, .size = 0 };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model;
	size_t size = build_head(build)->size, bit;
	unsigned int reports = 0, refusals = 0;
	char *copy = malloc(size);

	piece.base = copy;
	piece.size = size;
	for (bit = 0; bit < 8 * size; bit++) {
		/* the head's unused part says nothing */
		if (bit == 8 * sizeof(struct pmu_store_head))
			bit = 8 * PMU_STORE_HEAD_SIZE;
		memcpy(copy, build->bytes, size);
		copy[bit / 8] ^= (char)(1 << bit % 8);
		if (pmu_store_snapshot(&view, NULL, &model)) {
			refusals++;
			continue;
		}
		reports++;
		pmu_model_free(model);
	}
	ok(refusals > 8 * 8, "some are refused (%u)", refusals);
	ok(reports > 4 * refusals, "most are reported (%u)", reports);
	free(copy);
	free(build);
}

/* A store cut at any length. */
static void survives_every_cut(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_piece piece = { .base = NULL, .size = 0 };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model;
	size_t size = build_head(build)->size, len;
	unsigned int reports = 0;
	char *copy;

	build_kill(build);
	for (len = 0; len < size; len += 8) {
		copy = malloc(len ? len : 1);
		memcpy(copy, build->bytes, len);
		piece.base = copy;
		piece.size = len;
		if (!pmu_store_snapshot(&view, NULL, &model)) {
			reports++;
			pmu_model_free(model);
		}
		free(copy);
	}
	is_u64(reports, (size - PMU_STORE_HEAD_SIZE + 7) / 8, "everything with a head is reported");
	free(build);
}

static void pieces_make_one_store(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	uint64_t cut = (uint64_t)((char *)build_chunk_of(thread) - build->bytes);
	char *second = malloc(BUILD_SIZE);
	struct pmu_store_piece piece[2] = {
		{ .base = build->bytes, .size = cut },
		{ .base = second, .offset = cut, .size = BUILD_SIZE - cut }
	};
	struct pmu_store_view view = { piece, 2 };
	struct pmu_model *model;

	memcpy(second, build->bytes + cut, BUILD_SIZE - cut);
	memset(build->bytes + cut, 0xff, BUILD_SIZE - cut);
	if (ok(!pmu_store_snapshot(&view, NULL, &model), "two pieces are read")) {
		is_u64(calls_of(model, "solve/inner"), 20,
		       "rows of the second, names of the first");
		is_u64(model->n_notes, 0, "nothing is wrong with that");
		pmu_model_free(model);
	}
	view.n_pieces = 1;
	if (ok(!pmu_store_snapshot(&view, NULL, &model), "a look at the first alone")) {
		is_u64(model->n_notes, 0, "what came later is no damage in a store that grows");
		pmu_model_free(model);
	}
	free(second);
	free(build);
}

/* --- while it is written --- */

struct writer {
	struct pmu_store_row *row;
	struct pmu_store_group *group;
	uint32_t stop;
};

/* A call takes longer than its publishing, and a reader built with sanitizers longer than either. */
#define CALL_TURNS 1000

/* Publishes totals of which every one is the same multiple of the number of calls. */
static void *write_rows(void *arg)
{
	struct writer *writer = arg;
	struct pmu_store_bank *bank;
	uint64_t n = 10;
	uint32_t seq = 1, i;

	while (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED)) {
		bank = build_bank(writer->row, writer->group, ++seq);
		__atomic_store_n(&bank->calls, ++n, __ATOMIC_RELEASE);
		__atomic_store_n(&bank->ticks, n * 1000, __ATOMIC_RELEASE);
		for (i = 0; i < writer->group->n_slots; i++)
			__atomic_store_n(&bank->count[i], n * 1000 * (i + 1), __ATOMIC_RELEASE);
		__atomic_store_n(&writer->row->seq, seq, __ATOMIC_RELEASE);
		for (i = 0; i < CALL_TURNS; i++)
			__asm__ volatile("");
	}
	return NULL;
}

static bool is_torn(const struct pmu_raw_row *row, uint32_t n_slots)
{
	bool torn = row->ticks != row->calls * 1000;
	uint32_t i;

	for (i = 0; i < n_slots; i++)
		torn = torn || row->count[i] != row->calls * 1000 * (i + 1);
	return torn;
}

static void never_sees_a_torn_row(void)
{
	struct build *build = build_new();
	struct pmu_store_group *group = build_group(build, 0, "WIDE",
						    "a b c d e f g h i j k l m n o p");
	struct pmu_store_thread *thread = build_thread(build, 0, group, 0, PMU_THREAD_LIVE, 1);
	struct pmu_store_piece piece = { .base = build->bytes, .size = BUILD_SIZE };
	struct pmu_store_view view = { &piece, 1 };
	unsigned int i, torn = 0, older = 0, skipped = 0, moved = 0;
	struct writer writer = { NULL, group, 0 };
	struct pmu_raw raw;
	uint64_t last = 0;
	pthread_t id;

	build_row(thread, group, build_name(build, "busy"), 0, 10, 1000);
	writer.row = build_row_at(thread, group, 1);
	pthread_create(&id, NULL, write_rows, &writer);
	/* as long as it takes for reader and writer to meet often */
	for (i = 0; i < 200000 && moved < 20000; i++) {
		pmu_raw_read(&view, true, &raw);
		if (raw.n_threads != 1 || raw.thread[0].n_rows != 1 || raw.thread[0].row[0].torn) {
			skipped++;
		} else {
			torn += is_torn(&raw.thread[0].row[0], group->n_slots);
			older += raw.thread[0].row[0].calls < last;
			moved += raw.thread[0].row[0].calls > last;
			last = raw.thread[0].row[0].calls;
		}
		pmu_raw_free(&raw);
	}
	__atomic_store_n(&writer.stop, 1, __ATOMIC_RELAXED);
	pthread_join(id, NULL);
	ok(moved > 1, "the writer wrote meanwhile");
	is_u64(torn, 0, "no total belongs to another call");
	is_u64(older, 0, "none goes back");
	is_u64(skipped, 0, "none is skipped");
	free(build);
}

/* --- files --- */

static void reads_files(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model = NULL;
	size_t size = build_head(build)->size;
	char dir[] = "/tmp/pmu-snapshot-XXXXXX", path[64], link[64];

	if (!mkdtemp(dir))
		exit(1);
	snprintf(path, sizeof(path), "%s/a.pmu", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	write_store(path, build, size);
	is_int(pmu_store_snapshot_file(path, &model), 0, "a store of a running process");
	is_u64(calls_of(model, "solve"), 10, "its rows");
	ok(!model->died, "which has not died");
	pmu_model_free(model);
	build_kill(build);
	write_store(path, build, size);
	is_int(pmu_store_snapshot_file(path, &model), 0, "a left-over store");
	has(model->died, "did not end cleanly", "which says so");
	pmu_model_free(model);
	write_store(path, build, size - 64);
	is_int(pmu_store_snapshot_file(path, &model), 0, "a file that was cut");
	ok(model_note(model, "ends before the store does"), "a note says so");
	pmu_model_free(model);
	write_store(path, build, 100);
	is_int(pmu_store_snapshot_file(path, &model), -EINVAL, "cut in its head");
	is_int(symlink(path, link), 0, "a symbolic link");
	is_int(pmu_store_snapshot_file(link, &model), -ELOOP, "is not followed");
	is_int(pmu_store_snapshot_file(dir, &model), -EINVAL, "a folder is no store");
	unlink(path);
	is_int(pmu_store_snapshot_file(path, &model), -ENOENT, "no file");
	has(pmu_error_text(), path, "is named");
	is_int(mkfifo(path, 0600), 0, "a pipe nobody writes to");
	is_int(pmu_store_snapshot_file(path, &model), -EINVAL, "is refused without waiting");
	unlink(path);
	unlink(link);
	rmdir(dir);
	free(build);
}

UNIT_PART(damage)
{
	foreign_heads_are_refused();
	damage_costs_what_it_hit();
	bad_groups_are_left_out();
	survives_every_flipped_bit();
	survives_every_cut();
	pieces_make_one_store();
	never_sees_a_torn_row();
	reads_files();
	return done_testing();
}
