/* SPDX-License-Identifier: BSD-3-Clause */
/* A row that is read alone says what a snapshot of all of them says. */
#include "unit/part.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/model/model.h"
#include "store/bank.h"
#include "store/merge.h"
#include "store/read/one.h"
#include "store/read/snapshot.h"

#define N_SLOTS   3
#define N_NAMES   12
#define N_THREADS 40
#define MOST_ROWS 200

static struct pmu_table table;
static struct pmu_store_group *group;

static uint32_t next_random(void)
{
	static uint32_t state = 12345;

	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

/* "a", "b/b", "c\c", ...: some need a '\' in a path. */
static uint32_t some_name(uint32_t i)
{
	char letter = (char)('a' + i), name[8];
	int len = i % 3 ? snprintf(name, sizeof(name), "%c%c%c", letter, i % 3 == 1 ? '/' : '\\',
				   letter)
			: snprintf(name, sizeof(name), "%c", letter);

	return pmu_table_name(&table, name, (size_t)len);
}

static void fill_row(struct pmu_store_row *row, const struct pmu_table_rows *rows)
{
	static const uint16_t flags[] = { 0,
					  0,
					  0,
					  PMU_STORE_ROW_AFRESH,
					  PMU_STORE_ROW_MIXED,
					  PMU_STORE_ROW_PARTIAL,
					  PMU_STORE_ROW_RECURSIVE };
	struct pmu_store_bank *bank;

	row->seq = next_random() % 4;
	bank = pmu_row_bank(row, rows->n_slots, row->seq & 1);
	row->flags |= flags[next_random() % PMU_ARRAY_LEN(flags)];
	row->missing = next_random() % 5 ? 0 : 2;
	row->open = next_random() % 6 == 0;
	bank->calls = next_random() % 4 ? next_random() % 100 : 0;
	bank->ticks = bank->calls * 1000;
	for (int i = 0; i < N_SLOTS; i++)
		bank->count[i] = bank->calls * (500 + next_random() % 9000);
	for (int i = 0; i < 1 + N_SLOTS; i++)
		row->outer[i] = (uint16_t)(next_random() % 60);
}

/* Each place once. */
static void add_rows(struct pmu_table_rows *rows, uint32_t n)
{
	static bool taken_by[2 * N_THREADS][MOST_ROWS][N_NAMES];
	bool(*taken)[N_NAMES] = taken_by[rows->record->number];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = rows->n_rows ? next_random() % (rows->n_rows + 1) : 0;
		uint32_t name = next_random() % N_NAMES, id;
		if (taken[parent][name])
			continue;
		taken[parent][name] = true;
		fill_row(pmu_table_row(&table, rows, some_name(name), parent, 0, &id), rows);
	}
}

static struct pmu_table_rows add_thread(uint32_t number, enum pmu_store_thread_state state)
{
	struct pmu_table_rows rows;

	if (pmu_table_thread(&table, 0, group->n_slots, number, &rows) < 0)
		exit(1);
	rows.record->inner_ticks = 3;
	for (int i = 0; i < N_SLOTS; i++)
		rows.record->inner[i] = 5;
	rows.record->missing = number % 7 ? 0 : 4;
	rows.record->outer_shift = number > N_THREADS ? PMU_STORE_SLOW_SHIFT : 0;
	rows.record->start_ticks = 1;
	rows.record->state = state;
	add_rows(&rows, 1 + next_random() % (MOST_ROWS - 40));
	return rows;
}

static bool same_counts(const struct pmu_model_row *row, const struct pmu_region_counts *one)
{
	bool same = one->calls == row->calls && one->time_ns == row->time_ns &&
		    one->net_time_ns == row->time_ns - row->cost_ns &&
		    one->missing == row->missing && one->n_counts == N_SLOTS;

	for (int i = 0; i < N_SLOTS; i++)
		same = same && one->count[i] == row->raw[i] && one->net[i] == row->net[i];
	return same;
}

static int read_one(uint32_t number, const char *path, struct pmu_region_counts *one)
{
	*one = (struct pmu_region_counts){ 0 };
	return pmu_store_read_one(&table, 0, group->n_slots, group->absent, number, path, one);
}

/* Every row of a snapshot; @least: there are as many. */
static void compare(unsigned int least, const char *when)
{
	struct pmu_store_view view = pmu_table_view(&table);
	struct pmu_model *model = NULL;
	unsigned int n_same = 0, n = 0, n_net = 0;

	is_int(pmu_store_snapshot(&view, NULL, &model), 0, "a snapshot");
	for (unsigned int i = 0; model && i < model->section[0].n_thread_rows; i++) {
		const struct pmu_model_row *row = &model->section[0].thread_row[i];
		struct pmu_region_counts one;

		if (pmu_model_is_socket(model, row))
			continue;
		n++;
		n_net += row->net[0] != row->raw[0] && row->calls;
		n_same += read_one((uint32_t)model->thread[row->thread].number, row->path, &one) ==
				  0 &&
			  same_counts(row, &one);
	}
	ok(n >= least && n_net > least / 4, "%u rows, %u with some of the library's own", n, n_net);
	is_int(n_same, n, when);
	pmu_model_free(model);
}

static void rows_are_those_of_a_snapshot(void)
{
	static struct pmu_table_rows rows[N_THREADS];
	struct pmu_merge merge = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < N_THREADS; i++)
		rows[i] = add_thread(i, PMU_THREAD_LIVE);
	compare(1000, "of threads");
	for (uint32_t i = 0; i < N_THREADS; i += 3)
		add_rows(&rows[i], 20);
	compare(1000, "of threads that have more rows by now");
	for (uint32_t i = 0; i < N_THREADS; i += 2) {
		rows[i].record->state = PMU_THREAD_FINISHED;
		rc |= pmu_merge_thread(&table, &merge, N_THREADS, &rows[i]);
	}
	is_int(rc, 0, "half of them end");
	compare(500, "of those that are left, and of the set");
	for (uint32_t i = 0; i < 10; i++)
		rows[i] = add_thread(N_THREADS + 1 + i, PMU_THREAD_LIVE);
	compare(500, "of others in their place");
	pmu_merge_forget(&merge);
}

static void what_is_not_there_has_its_codes(void)
{
	struct pmu_table_rows rows, socket;
	struct pmu_region_counts one;
	uint32_t id, x = pmu_table_name(&table, "x", 1);

	pmu_table_thread(&table, 0, group->n_slots, 1000, &rows);
	is_int(read_one(1000, "x", &one), -ESRCH, "a record that is being filled");
	rows.record->state = PMU_THREAD_LIVE;
	is_int(read_one(1000, "x", &one), -ENOENT, "a thread without regions");
	pmu_table_row(&table, &rows, x, 0, 0, &id);
	is_int(read_one(1000, "x", &one), -ENOENT, "a region that was never entered");
	pmu_table_row(&table, &rows, x, id, 0, &id)->open = 1;
	is_int(read_one(1000, "x", &one), 0, "one around another that is open");
	is_int(read_one(1000, "x/x", &one), 0, "that one");
	is_int(read_one(1000, "x/x/x", &one), -ENOENT, "nothing in it");
	is_int(read_one(1000, "x/", &one), -ENOENT, "a path that ends with '/'");
	is_int(read_one(1000, "/x", &one), -ENOENT, "or begins with it");
	is_int(read_one(1000, "\\x", &one), -ENOENT, "'\\' before what needs none");
	is_int(read_one(1000, "x\\", &one), -ENOENT, "or before nothing");
	is_int(read_one(1000, "y", &one), -ENOENT, "a name that nobody used");
	pmu_table_thread(&table, 0, group->n_slots, PMU_STORE_FIRST_SOCKET, &socket);
	socket.record->flags = PMU_THREAD_SOCKET;
	socket.record->state = PMU_THREAD_LIVE;
	is_int(read_one(PMU_STORE_FIRST_SOCKET, "x", &one), -ESRCH, "a socket is no thread");
	pmu_table_thread_free(&table, &rows);
	is_int(read_one(1000, "x", &one), -ESRCH, "a thread that is gone");
}

static void a_region_beyond_the_limit_hides_none(void)
{
	struct pmu_region_counts one;
	struct pmu_table_rows rows;
	uint32_t id, name = pmu_table_name(&table, "twice", 5);

	pmu_table_thread(&table, 0, group->n_slots, 2000, &rows);
	rows.record->state = PMU_THREAD_LIVE;
	pmu_row_bank(pmu_table_row(&table, &rows, name, 0, 0, &id), rows.n_slots, 0)->calls = 5;
	pmu_row_bank(pmu_table_row(&table, &rows, name, 0, PMU_STORE_ROW_FLAT, &id), rows.n_slots,
		     0)
		->calls = 7;
	is_int(read_one(2000, "twice", &one), 0, "a name that two rows have");
	is_u64(one.calls, 5, "the one that has its place there");
}

static uint32_t add_row(struct pmu_table_rows *rows, const char *name, uint32_t parent,
			uint16_t flags, uint64_t calls)
{
	uint32_t id;
	struct pmu_store_row *row = pmu_table_row(
		&table, rows, pmu_table_name(&table, name, strlen(name)), parent, flags, &id);

	pmu_row_bank(row, rows->n_slots, 0)->calls = calls;
	pmu_row_bank(row, rows->n_slots, 0)->ticks = 10 * calls;
	return id;
}

static uint64_t calls_of(const char *path)
{
	struct pmu_region_counts one;
	int rc = read_one(3000, path, &one);

	return rc ? (uint64_t)rc : one.calls;
}

static void what_was_begun_for_others_is_its_own(void)
{
	struct pmu_table_rows rows;
	uint32_t own, solve, deep, again;

	pmu_table_thread(&table, 0, group->n_slots, 3000, &rows);
	rows.record->state = PMU_THREAD_LIVE;
	solve = add_row(&rows, "solve", 0, PMU_STORE_ROW_TEAM, 1000);
	is_u64(calls_of("solve"), (uint64_t)-ENOENT, "work for another's region");
	add_row(&rows, "kernel", solve, 0, 3);
	is_u64(calls_of("solve/kernel"), 3, "a region that was begun there");
	own = add_row(&rows, "solve", 0, 0, 7);
	is_u64(calls_of("solve"), 7, "own calls beside it");
	add_row(&rows, "kernel", own, 0, 20);
	deep = add_row(&rows, "kernel", solve, PMU_STORE_ROW_TEAM, 1000);
	is_u64(calls_of("solve/kernel"), 23, "in either, without more work for another's");
	add_row(&rows, "leaf", deep, 0, 100);
	is_u64(calls_of("solve/kernel/leaf"), 100, "further down");
	is_u64(calls_of("solve/leaf"), (uint64_t)-ENOENT, "and not elsewhere");
	again = add_row(&rows, "solve", 0, PMU_STORE_ROW_TEAM, 1000);
	add_row(&rows, "kernel", again, 0, 1000);
	is_u64(calls_of("solve/kernel"), 1023, "where it came to work for it while it did so, too");
	is_u64(calls_of("solve"), 7, "which is no call of its own");
	is_u64(calls_of("solve/kernel/"), (uint64_t)-ENOENT, "a path that ends with '/'");
}

/* A thousand threads and more: none is lost when others go. */
static void any_number_of_threads_is_found(void)
{
	static struct pmu_table_rows rows[3000];
	struct pmu_region_counts one;
	int n_found = 0, n_gone = 0;

	for (uint32_t i = 0; i < 3000; i++) {
		if (pmu_table_thread(&table, 0, group->n_slots, 5000 + i, &rows[i]) < 0)
			exit(1);
		rows[i].record->state = PMU_THREAD_LIVE;
	}
	for (uint32_t i = 0; i < 3000; i += 1 + next_random() % 3)
		pmu_table_thread_free(&table, &rows[i]);
	for (uint32_t i = 0; i < 3000; i++) {
		bool is_gone = !rows[i].record;

		n_gone += is_gone;
		n_found += read_one(5000 + i, "a", &one) == (is_gone ? -ESRCH : -ENOENT);
	}
	ok(n_gone > 1000, "%d are gone", n_gone);
	is_int(n_found, 3000, "and the others are not");
}

UNIT_PART(read_one)
{
	char dir[] = "/tmp/pmu-test-XXXXXX", folder[64];

	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_RUNTIME_DIR", dir, 1);
	is_int(pmu_table_open(&table, PMU_CLOCK_MONOTONIC), 0, "a table");
	is_int(pmu_table_group(&table, 0, "SOME", N_SLOTS, &group), 0, "a group");
	rows_are_those_of_a_snapshot();
	what_is_not_there_has_its_codes();
	a_region_beyond_the_limit_hides_none();
	what_was_begun_for_others_is_its_own();
	any_number_of_threads_is_found();
	pmu_table_remove(&table);
	ok(!table.index.place, "nothing of the index is left");
	snprintf(folder, sizeof(folder), "%s/pmu", dir);
	rmdir(folder);
	rmdir(dir);
	return done_testing();
}
