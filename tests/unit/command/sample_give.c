/* SPDX-License-Identifier: BSD-3-Clause */
/* What was sampled of a process becomes functions of its report's rows. */
#include "bindings/command/sample/collector.h"

#include <string.h>
#include <unistd.h>

#include "bindings/command/code/code.h"
#include "report/model/samples.h"
#include "unit/model_find.h"
#include "unit/model_sample.h"
#include "unit/part.h"

#define STORE     "1-2-3.pmu"
#define PERIOD_NS 1003009u

static const uint64_t ms = 1000000;

/* As the collector has them: files by their paths, addresses as offsets in them. */
static void hit(struct pmu_sample_process *process, uint64_t who, const char *path, uint64_t at,
		uint64_t n)
{
	struct pmu_sample_maps *maps = &process->sums.maps;
	uint64_t start = (uint64_t)(maps->n + 1) << 32;
	struct pmu_sample_at place = { .file = PMU_SAMPLE_NO_FILE, .at = at };

	if (path[0]) {
		if (pmu_sample_maps_add(maps, start, start + 1, 0, path))
			abort();
		place.file = pmu_sample_maps_find(maps, start).file;
	}
	if (pmu_sample_hits_add(&process->sums.hits, who, place, n))
		abort();
}

static struct pmu_samples_collector *begin_collector(struct pmu_sample_process **process)
{
	struct pmu_samples_collector *collector = calloc(1, sizeof(*collector));

	*process = calloc(1, sizeof(**process));
	if (!collector || !*process || pthread_mutex_init(&collector->lock, NULL))
		abort();
	strcpy((*process)->store, STORE);
	(*process)->pid = getpid();
	(*process)->unit.period = PERIOD_NS;
	collector->processes = *process;
	return collector;
}

static void end_collector(struct pmu_samples_collector *collector)
{
	struct pmu_sample_process process;

	while (collector->processes) {
		pmu_sample_take_process(collector, collector->processes->store, true, &process);
		pmu_sample_process_free(&process);
	}
	pmu_code_free(collector->code);
	pthread_mutex_destroy(&collector->lock);
	free(collector);
}

/* Thread 0: main, and solve in it, both open.  Thread 1: idle, in which it works for solve, and kernel there, all open. */
static struct pmu_model *make_team(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_row(model, s, 0, -1, "main", 1, 500 * ms)->who = 1ull << 32 | 1;
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms)->who = 1ull << 32 | 2;
	sample_row(model, s, 1, -1, "main", 0, 0)->flags = PMU_ROW_TEAM;
	sample_row(model, s, 1, 2, "solve", 2, 300 * ms)->flags = PMU_ROW_TEAM;
	s->thread_row[3].who = 2ull << 32 | 2;
	sample_row(model, s, 1, 3, "kernel", 8, 250 * ms)->who = 2ull << 32 | 3;
	sample_row(model, s, 1, -1, "idle", 8, 250 * ms)->who = 2ull << 32 | 4;
	s->thread_row[0].flags |= PMU_ROW_OPEN;
	s->thread_row[1].flags |= PMU_ROW_OPEN;
	s->thread_row[3].flags |= PMU_ROW_OPEN;
	s->thread_row[4].flags |= PMU_ROW_OPEN;
	s->thread_row[5].flags |= PMU_ROW_OPEN;
	is_int(pmu_model_finish(model), 0, "finished");
	return model;
}

static const struct pmu_model_samples *samples_of_row(const struct pmu_model *model,
						      const char *path)
{
	const struct pmu_model_row *row = model_row(model, path);

	return row ? row->samples : NULL;
}

static uint64_t of_writer(struct pmu_model *model, uint64_t who)
{
	struct pmu_model_section *section;
	const struct pmu_model_row *row = pmu_model_samples_row(model, who, &section);

	return row && row->samples ? row->samples->n : 0;
}

static void has_samples(const struct pmu_model *model, const char *path, uint64_t n)
{
	const struct pmu_model_samples *samples = samples_of_row(model, path);

	if (!ok((samples ? samples->n : 0) == n, "%s has %" PRIu64 " samples", path, n))
		diag("got %" PRIu64, samples ? samples->n : 0);
}

static void has_function(const struct pmu_model *model, const char *path, unsigned int i,
			 const char *name, const char *object, uint64_t n)
{
	const struct pmu_model_samples *samples = samples_of_row(model, path);

	if (!ok(samples && i < samples->n_functions, "%s has a function %u", path, i))
		return;
	is_str(samples->function[i].name, name, "its name");
	is_str(samples->function[i].object, object, "where it is");
	is_u64(samples->function[i].n_samples, n, "its samples");
}

static void functions_are_given_to_their_rows(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	hit(process, 1ull << 32 | 1, "/nonexistent/libone.so", 0x10, 3);
	hit(process, 1ull << 32 | 2, "/nonexistent/libone.so", 0x10, 5);
	hit(process, 1ull << 32 | 2, "/nonexistent/libtwo.so", 0x10, 9);
	hit(process, 1ull << 32 | 2, "/nonexistent/libone.so", 0x20, 5);
	hit(process, 2ull << 32 | 2, "/nonexistent/libone.so", 0x10, 6);
	hit(process, 2ull << 32 | 3, "/nonexistent/libtwo.so", 0x30, 7);
	hit(process, 0, "/nonexistent/libtwo.so", 0x40, 1000);
	hit(process, 9ull << 32 | 1, "/nonexistent/libtwo.so", 0x40, 1000);
	hit(process, 1ull << 32 | 9, "/nonexistent/libtwo.so", 0x40, 1000);
	pmu_sample_give(collector, "/run/user/1000/pmu/" STORE, model, true);
	has_samples(model, "main", 3);
	has_samples(model, "main/solve", 25);
	has_samples(model, "main/solve/kernel", 7);
	has_samples(model, "idle", 0);
	has_function(model, "main", 0, "libone.so+0x10", "libone.so", 3);
	has_function(model, "main/solve", 0, "libone.so+0x10", "libone.so", 11);
	has_function(model, "main/solve", 1, "libtwo.so+0x10", "libtwo.so", 9);
	has_function(model, "main/solve", 2, "libone.so+0x20", "libone.so", 5);
	has_function(model, "main/solve/kernel", 0, "libtwo.so+0x30", "libtwo.so", 7);
	is_u64(of_writer(model, 1ull << 32 | 2), 19, "a thread's row has the thread's");
	is_u64(of_writer(model, 2ull << 32 | 2), 6, "and the other's the other's");
	is_u64(samples_of_row(model, "main")->unit.period, PERIOD_NS, "their period");
	ok(!collector->processes, "what has ended is given once");
	pmu_sample_give(collector, STORE, model, true);
	has_samples(model, "main", 3);
	pmu_model_free(model);
	end_collector(collector);
}

static void our_own_code_is_no_regions(void)
{
	static const char *const ours[] = { "/usr/lib/libpmu.so.0", "/usr/lib/libpmu.so",
					    "/nonexistent/libpmu-preload.so" };
	static const char *const others[] = { "/libpmu.so/libother.so", "/usr/lib/libpmu2.so",
					      "/usr/lib/mylibpmu.so" };
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	for (size_t i = 0; i < 3; i++) {
		hit(process, 1ull << 32 | 1, ours[i], 0x10, 100);
		hit(process, 1ull << 32 | 1, others[i], 0x10, 1);
	}
	pmu_sample_give(collector, STORE, model, true);
	has_samples(model, "main", 3);
	pmu_model_free(model);
	end_collector(collector);
}

static void write_symbols(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs("1000 100 jit_one\n1100 100 jit_two\n", file) < 0 || fclose(file))
		abort();
}

/* What a compiler at run time has made has names, too. */
static void places_of_a_function_are_one(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_symbols(path);
	for (uint64_t i = 0; i < 0x100; i++) {
		hit(process, 1ull << 32 | 1, "", 0x11ff - i, 2);
		hit(process, 1ull << 32 | 1, "", 0x1000 + i, 1);
	}
	hit(process, 1ull << 32 | 1, "/nonexistent/libone.so", 0x10, 300);
	pmu_sample_give(collector, STORE, model, true);
	unlink(path);
	has_samples(model, "main", 1068);
	is_u64(samples_of_row(model, "main")->n_functions, 3, "functions");
	has_function(model, "main", 0, "jit_two", "[jit]", 512);
	has_function(model, "main", 1, "libone.so+0x10", "libone.so", 300);
	has_function(model, "main", 2, "jit_one", "[jit]", 256);
	pmu_model_free(model);
	end_collector(collector);
}

/* Its threads were killed: what no mark was for is of what each had open innermost. */
static void the_open_row_has_the_rest(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	hit(process, 1ull << 32 | 2, "/nonexistent/libone.so", 0x10, 4);
	hit(process, PMU_SAMPLE_OPEN(4242), "/nonexistent/libone.so", 0x10, 8);
	hit(process, PMU_SAMPLE_OPEN(4243), "/nonexistent/libone.so", 0x20, 16);
	hit(process, PMU_SAMPLE_OPEN(4244), "/nonexistent/libone.so", 0x30, 32);
	pmu_sample_give(collector, STORE, model, true);
	has_samples(model, "main", 0);
	has_samples(model, "main/solve", 12);
	has_function(model, "main/solve", 0, "libone.so+0x10", "libone.so", 12);
	has_samples(model, "main/solve/kernel", 16);
	has_samples(model, "idle", 0);
	pmu_model_free(model);
	end_collector(collector);
}

static uint32_t call_at(struct pmu_sample_process *process, uint32_t caller, const char *path,
			uint64_t at)
{
	struct pmu_sample_chains *chains = &process->sums.chains;
	struct pmu_sample_maps *maps = &process->sums.maps;
	uint64_t start = (uint64_t)(maps->n + 1) << 32;

	chains->call = reallocarray(chains->call, chains->n + 1, sizeof(*chains->call));
	if (!chains->call || pmu_sample_maps_add(maps, start, start + 1, 0, path))
		abort();
	chains->call[chains->n] = (struct pmu_sample_at){
		.file = path[0] ? pmu_sample_maps_find(maps, start).file : PMU_SAMPLE_NO_FILE,
		.chain = caller,
		.at = at,
	};
	return ++chains->n;
}

static void hit_called(struct pmu_sample_process *process, uint64_t who, uint32_t chain,
		       uint64_t at, uint64_t n)
{
	struct pmu_sample_at place = { .file = PMU_SAMPLE_FILES, .chain = chain, .at = at };

	if (pmu_sample_hits_add(&process->sums.hits, who, place, n))
		abort();
}

static void has_call(const struct pmu_model_samples *samples, unsigned int i, const char *name,
		     unsigned int caller, uint64_t n)
{
	if (!ok(samples && i < samples->n_calls, "there is a call %u", i))
		return;
	is_str(samples->frame[samples->call[i].frame].name, name, "of the function");
	is_u64(samples->call[i].caller, caller, "by the caller");
	is_u64(samples->call[i].n_samples, n, "with its samples");
}

/* outer -> one -> leaf and outer -> libpmu -> leaf: the library is no caller. */
static void callers_are_given_with_them(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();
	const struct pmu_model_samples *samples;
	uint32_t outer, one, ours, cut;

	hit(process, 1ull << 32 | 1, "/nonexistent/libleaf.so", 0x10, 3);
	outer = call_at(process, 0, "/nonexistent/libouter.so", 0x10);
	one = call_at(process, outer, "/nonexistent/libone.so", 0x20);
	ours = call_at(process, outer, "/usr/lib/libpmu.so.0", 0x20);
	cut = call_at(process, 0, "", 0);
	hit_called(process, 1ull << 32 | 2, one, 0x10, 5);
	hit_called(process, 1ull << 32 | 2, ours, 0x10, 6);
	hit_called(process, 2ull << 32 | 2, one, 0x10, 7);
	hit_called(process, 2ull << 32 | 2, cut, 0x10, 1);
	pmu_sample_give(collector, STORE, model, true);
	has_samples(model, "main", 3);
	has_samples(model, "main/solve", 19);
	is_u64(samples_of_row(model, "main/solve")->n_functions, 1, "one function");
	has_function(model, "main/solve", 0, "libleaf.so+0x10", "libleaf.so", 19);
	samples = samples_of_row(model, "main/solve");
	is_u64(samples->n_calls, 6, "calls of both threads");
	has_call(samples, 0, "libouter.so+0x10", 0, 0);
	has_call(samples, 1, "libone.so+0x20", 1, 0);
	has_call(samples, 2, "libleaf.so+0x10", 2, 12);
	has_call(samples, 3, "libleaf.so+0x10", 1, 6);
	has_call(samples, 4, "[truncated]", 0, 0);
	has_call(samples, 5, "libleaf.so+0x10", 5, 1);
	has_call(samples_of_row(model, "main"), 0, "libleaf.so+0x10", 0, 3);
	pmu_model_free(model);
	end_collector(collector);
}

static void nothing_is_open_in_the_end(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	for (unsigned int i = 0; i < model->section[0].n_thread_rows; i++)
		model->section[0].thread_row[i].flags &= ~(unsigned int)PMU_ROW_OPEN;
	hit(process, PMU_SAMPLE_OPEN(4242), "/nonexistent/libone.so", 0x10, 8);
	pmu_sample_give(collector, STORE, model, true);
	ok(!pmu_model_has_samples(model), "nobody has them");
	pmu_model_free(model);
	end_collector(collector);
}

static void one_that_goes_on_keeps_its(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	hit(process, 1ull << 32 | 1, "/nonexistent/libone.so", 0x10, 3);
	hit(process, 1ull << 32 | 1, "/nonexistent/libtwo.so", 0x10, 2);
	pmu_sample_give(collector, STORE, model, false);
	has_samples(model, "main", 5);
	pmu_model_free(model);
	model = make_team();
	hit(process, 1ull << 32 | 1, "/nonexistent/libtwo.so", 0x10, 5);
	pmu_sample_give(collector, "another.pmu", model, true);
	ok(!pmu_model_has_samples(model), "another process has none");
	pmu_sample_give(collector, "/" STORE, model, true);
	has_samples(model, "main", 10);
	has_function(model, "main", 0, "libtwo.so+0x10", "libtwo.so", 7);
	has_function(model, "main", 1, "libone.so+0x10", "libone.so", 3);
	pmu_model_free(model);
	end_collector(collector);
}

static void what_was_lost_is_accounted_for(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	process->sums.n_stretches = 2;
	process->sums.n_dropped = 30;
	is_u64(pmu_sample_account(collector).n_stretches, 2, "of one that goes on");
	is_u64(pmu_sample_account(collector).n_dropped, 30, "too");
	pmu_sample_give(collector, STORE, model, false);
	is_u64(pmu_sample_account(collector).n_stretches, 2, "and does so");
	pmu_sample_give(collector, STORE, model, true);
	is_u64(pmu_sample_account(collector).n_stretches, 2, "of one that has ended");
	is_u64(pmu_sample_account(collector).n_dropped, 30, "too");
	is_u64(pmu_sample_account(NULL).n_dropped, 0, "where nothing is collected");
	pmu_sample_give(NULL, STORE, model, true);
	ok(!pmu_model_has_samples(model), "nothing is given");
	pmu_model_free(model);
	end_collector(collector);
}

static unsigned int notes_on_code(const struct pmu_model *model)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < model->n_notes; i++)
		n += strstr(model->note[i], "/tmp/perf-PID.map") != NULL;
	return n;
}

/* What would name it is said once, where there is enough of it and it is mapped. */
static void code_without_a_file_is_told_of(void)
{
	struct pmu_sample_process *process;
	struct pmu_samples_collector *collector = begin_collector(&process);
	struct pmu_model *model = make_team();

	hit(process, 1ull << 32 | 1, "", 0x10, 40);
	hit(process, 1ull << 32 | 1, "/nonexistent/libone.so", 0x10, 500);
	pmu_sample_give(collector, STORE, model, false);
	is_u64(notes_on_code(model), 0, "a small part without a file is no matter");
	hit(process, 1ull << 32 | 1, "", 0x20, 40);
	process->sums.n_unknown = 60;
	process->is_over = true; /* or it would be asked what that is */
	pmu_sample_give(collector, STORE, model, false);
	is_u64(notes_on_code(model), 0, "  nor is what is mapped nowhere");
	process->sums.n_unknown = 0;
	pmu_sample_give(collector, STORE, model, false);
	pmu_sample_give(collector, STORE, model, false);
	is_u64(notes_on_code(model), 1, "a larger one is told of, once");
	pmu_model_free(model);
	end_collector(collector);
}

UNIT_PART(sample_give)
{
	functions_are_given_to_their_rows();
	our_own_code_is_no_regions();
	places_of_a_function_are_one();
	callers_are_given_with_them();
	the_open_row_has_the_rest();
	nothing_is_open_in_the_end();
	one_that_goes_on_keeps_its();
	what_was_lost_is_accounted_for();
	code_without_a_file_is_told_of();
	return done_testing();
}
