/* SPDX-License-Identifier: BSD-3-Clause */
/* What was sampled of a process, as functions and lines of its report's rows. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/command/code/code.h"
#include "bindings/command/sample/collector.h"
#include "report/model/model.h"
#include "report/model/objects.h"
#include "report/model/samples.h"

/* The list of the kernel's symbols takes as long as that: not for less of its time. */
#define KERNEL_NS      100000000u
#define KERNEL_SAMPLES 100u /* likewise, of an event that comes about a thousand times a second */

/** A hit, with what stands there. */
struct named {
	uint64_t who, n;
	uint32_t chain; /* of struct pmu_sample_at */
	struct pmu_code_place place;
};

/** A call, with what stands there. */
struct named_call {
	struct pmu_model_frame frame; /* no name: it is left out */
	uint32_t of_row, at; /* the row that has it last, and 1 + where among that one's calls */
};

/* What to do about it is worth a note from one sample in so many on. */
#define NAMELESS_PART 10u

struct giving {
	struct pmu_model *model;
	struct pmu_code *code;
	int64_t pid;
	const char *root;
	const struct pmu_sample_sums *sums;
	const struct pmu_sample_unit *unit;
	struct named *of; /* [n] by row */
	size_t n;
	struct named_call *caller; /* [sums->chains.n] */
	uint32_t n_rows;           /* given so far */
	uint64_t n_samples,
		n_nameless; /* all; of code that is in no file, and that nothing names */
	/* room for a row's: one of each for each; the model adds up those that are the same */
	struct pmu_model_function *function;
	struct pmu_model_line *line;
	struct pmu_model_code *code_of;
	struct pmu_model_address *address;
	/* a row's calls, each with a frame of its own; likewise */
	struct pmu_model_frame *frame;
	struct pmu_model_call *call;
	unsigned int n_calls;
};

/* --- what stands where --- */

/* What the library does itself is no more the region's than what it counts. */
static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "libpmu.so", 9) || !strncmp(name, "libpmu-", 7);
}

uint64_t pmu_sample_n_kernel(const struct pmu_sample_hits *hits)
{
	uint64_t n = 0;

	for (size_t i = 0; i < hits->n; i++)
		n += hits->of[i].at.file == PMU_SAMPLE_KERNEL ? hits->of[i].n : 0;
	return n;
}

bool pmu_sample_is_kernel_little(uint64_t n, const struct pmu_sample_unit *unit)
{
	return n < (pmu_sample_is_time(unit) ? KERNEL_NS / unit->period : KERNEL_SAMPLES);
}

/* Of a container files are as it sees them; behind chroot(2) some are as they are seen from here. */
static bool is_below(const char *root, const char *file, char *path, size_t size)
{
	return root[0] && (size_t)snprintf(path, size, "%s%s", root, file) < size &&
	       !access(path, R_OK);
}

static struct pmu_code_place find_hit_place(const struct giving *giving,
					    const struct pmu_sample_at *of)
{
	const char *file = pmu_sample_maps_path(&giving->sums->maps, of->file);
	char path[2 * PATH_MAX];
	struct pmu_code_at at = {
		.path = file, .offset = of->at, .address = of->at, .pid = giving->pid
	};

	if (file[0] == '/' && is_below(giving->root, file, path, sizeof(path)))
		at.path = path;
	return pmu_code_find(giving->code, &at);
}

static void name_all(struct giving *giving)
{
	const struct pmu_code_place in_kernel = pmu_code_named("[kernel]", "[kernel]");
	const struct pmu_sample_hits *hits = &giving->sums->hits;
	bool is_little = !pmu_code_has_kernel(giving->code) &&
			 pmu_sample_is_kernel_little(pmu_sample_n_kernel(hits), giving->unit);

	for (size_t i = 0; i < hits->n; i++) {
		const struct pmu_sample_hit *hit = &hits->of[i];

		if (!hit->who ||
		    is_library(pmu_sample_maps_path(&giving->sums->maps, hit->at.file)))
			continue;
		giving->of[giving->n] =
			(struct named){ hit->who, hit->n, hit->at.chain,
					is_little && hit->at.file == PMU_SAMPLE_KERNEL
						? in_kernel
						: find_hit_place(giving, &hit->at) };
		giving->n_samples += hit->n;
		if (!*pmu_sample_maps_path(&giving->sums->maps, hit->at.file) &&
		    !giving->of[giving->n].place.object[0])
			giving->n_nameless += hit->n;
		giving->n++;
	}
}

/* --- callers --- */

static int by_place(const void *a, const void *b, void *arg)
{
	const struct pmu_sample_at *call = arg, *x = &call[*(const uint32_t *)a],
				   *y = &call[*(const uint32_t *)b];

	return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
				  : (x->at > y->at) - (x->at < y->at);
}

/* The library's own frames are left out: a region is a place in the stack already. */
static struct pmu_model_frame name_call(const struct giving *giving,
					const struct pmu_sample_at *call)
{
	struct pmu_code_place place;

	if (is_library(pmu_sample_maps_path(&giving->sums->maps, call->file)))
		return (struct pmu_model_frame){ NULL, NULL };
	if (call->file == PMU_SAMPLE_NO_FILE && !call->at)
		return (struct pmu_model_frame){ PMU_SAMPLES_TRUNCATED, "" };
	place = find_hit_place(giving, call);
	return (struct pmu_model_frame){ place.function, place.object };
}

/* Each place once: it takes a while, and is in the callers of many. */
static int name_calls(struct giving *giving)
{
	const struct pmu_sample_chains *chains = &giving->sums->chains;
	uint32_t *order = calloc((size_t)chains->n + 1, sizeof(*order));

	giving->caller = calloc((size_t)chains->n + 1, sizeof(*giving->caller));
	for (uint32_t i = 0; order && i < chains->n; i++)
		order[i] = i;
	if (order && chains->n)
		qsort_r(order, chains->n, sizeof(*order), by_place, chains->call);
	for (uint32_t i = 0; order && giving->caller && i < chains->n; i++)
		giving->caller[order[i]].frame =
			i && !by_place(&order[i - 1], &order[i], chains->call)
				? giving->caller[order[i - 1]].frame
				: name_call(giving, &chains->call[order[i]]);
	free(order);
	return order && giving->caller ? 0 : -1;
}

static unsigned int add_row_call(struct giving *giving, unsigned int caller,
				 struct pmu_model_frame frame, uint64_t n_samples)
{
	unsigned int i = giving->n_calls++;

	giving->frame[i] = frame;
	giving->call[i] = (struct pmu_model_call){ caller, i, n_samples };
	return i + 1;
}

/* Return: 1 + the index of the row's call; 0: none is known.  No chain is longer than a record may have it. */
static unsigned int row_call(struct giving *giving, uint32_t chain)
{
	struct named_call *caller = chain ? &giving->caller[chain - 1] : NULL;
	unsigned int above;

	if (!caller)
		return 0;
	if (caller->of_row == giving->n_rows)
		return caller->at;
	above = row_call(giving, giving->sums->chains.call[chain - 1].chain);
	caller->of_row = giving->n_rows;
	caller->at = caller->frame.name ? add_row_call(giving, above, caller->frame, 0) : above;
	return caller->at;
}

/* --- rows --- */

static bool is_deeper(const struct pmu_model_row *row, const struct pmu_model_row *than)
{
	if (!than)
		return true;
	return row->team_depth != than->team_depth ? row->team_depth > than->team_depth
						   : row->depth > than->depth;
}

/* The row that the thread had open innermost; of what it did for another one, that. */
static struct pmu_model_row *find_open(struct pmu_model *model, uint32_t tid,
				       struct pmu_model_section **section)
{
	struct pmu_model_row *found = NULL;

	for (unsigned int i = 0; i < model->n_sections; i++) {
		struct pmu_model_section *s = &model->section[i];

		for (unsigned int k = 0; k < s->n_thread_rows; k++) {
			struct pmu_model_row *row = &s->thread_row[k];

			if (!(row->flags & PMU_ROW_OPEN) || row->thread < 0 ||
			    (unsigned int)row->thread >= model->n_threads ||
			    model->thread[row->thread].tid != (int64_t)tid ||
			    !is_deeper(row, found))
				continue;
			found = row;
			*section = s;
		}
	}
	return found;
}

/* Of what can be read again, and has an address that JSON can have. */
static bool put_code(const struct giving *giving, size_t i, const struct named *from)
{
	const struct pmu_code_place *place = &from->place;
	struct pmu_model_code *code = &giving->code_of[i];

	if (!place->path[0] || place->address > INT64_MAX || place->start > place->address)
		return false;
	*code = (struct pmu_model_code){
		.object = pmu_model_object(giving->model, place->path, place->build_id),
		.start = place->start,
		.size = place->size <= INT64_MAX ? place->size : 0,
		.n_addresses = 1,
		.address = &giving->address[i],
	};
	giving->address[i] = (struct pmu_model_address){ place->address, from->n };
	return code->object;
}

static void add_row_calls(struct giving *giving, const struct named *first, size_t n)
{
	giving->n_rows++;
	giving->n_calls = 0;
	for (size_t i = 0; i < n && giving->sums->chains.n; i++) {
		const struct pmu_model_frame frame = { first[i].place.function,
						       first[i].place.object };

		add_row_call(giving, row_call(giving, first[i].chain), frame, first[i].n);
	}
}

static void give_row(struct giving *giving, const struct named *first, size_t n)
{
	struct pmu_model_samples samples = { .unit = *giving->unit,
					     .n_functions = (unsigned int)n,
					     .function = giving->function,
					     .frame = giving->frame,
					     .call = giving->call };
	struct pmu_model_section *section;
	struct pmu_model_row *row;

	row = PMU_SAMPLE_IS_OPEN(first->who)
		      ? find_open(giving->model, PMU_SAMPLE_OPEN_TID(first->who), &section)
		      : pmu_model_samples_row(giving->model, first->who, &section);
	if (!row)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct pmu_code_place *place = &first[i].place;

		giving->line[i] = (struct pmu_model_line){ place->file, place->line, first[i].n };
		giving->function[i] = (struct pmu_model_function){
			.name = place->function,
			.object = place->object,
			.n_samples = first[i].n,
			.n_lines = place->line != 0,
			.line = &giving->line[i],
			.n_codes = put_code(giving, i, &first[i]),
			.code = &giving->code_of[i],
		};
		samples.n += first[i].n;
	}
	add_row_calls(giving, first, n);
	samples.n_frames = samples.n_calls = giving->n_calls;
	pmu_model_samples_attach(giving->model, section, row, &samples);
}

static int by_who(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->who > y->who) - (x->who < y->who);
}

static void give_all(struct giving *giving)
{
	size_t next;

	for (size_t i = 0; i < giving->n; i = next) {
		for (next = i + 1; next < giving->n && giving->of[next].who == giving->of[i].who;
		     next++)
			;
		give_row(giving, giving->of + i, next - i);
	}
}

/* Nothing is known of what is mapped nowhere: its process was gone before it was asked. */
static void note_nameless(const struct giving *giving, uint64_t n_unknown)
{
	static const char text[] =
		"code without a file is what a compiler at run time has made; it has names where that "
		"writes /tmp/perf-PID.map: java -XX:+UnlockDiagnosticVMOptions "
		"-XX:+DumpPerfMapAtExit, or of one that runs jcmd PID Compiler.perfmap (JDK 17); "
		"node --perf-basic-prof; python3 -X perf (3.12)";
	const struct pmu_model *model = giving->model;

	if (giving->n_nameless < n_unknown + PMU_SAMPLES_FEW ||
	    giving->n_nameless - n_unknown < giving->n_samples / NAMELESS_PART)
		return;
	for (unsigned int i = 0; i < model->n_notes; i++)
		if (!strcmp(model->note[i], text))
			return;
	pmu_model_add_note(giving->model, text);
}

void pmu_sample_give_sums(struct pmu_code *code, int64_t pid, const char *root,
			  const struct pmu_sample_unit *unit, const struct pmu_sample_sums *sums,
			  struct pmu_model *model)
{
	size_t n = sums->hits.n + 1, n_calls = n + sums->chains.n;
	struct giving giving = {
		.model = model,
		.code = code,
		.pid = pid,
		.root = root,
		.sums = sums,
		.unit = unit,
		.of = calloc(n, sizeof(*giving.of)),
		.function = calloc(n, sizeof(*giving.function)),
		.line = calloc(n, sizeof(*giving.line)),
		.code_of = calloc(n, sizeof(*giving.code_of)),
		.address = calloc(n, sizeof(*giving.address)),
		.frame = calloc(n_calls, sizeof(*giving.frame)),
		.call = calloc(n_calls, sizeof(*giving.call)),
	};

	if (giving.of && giving.function && giving.line && giving.code_of && giving.address &&
	    giving.frame && giving.call && !name_calls(&giving)) {
		name_all(&giving);
		qsort(giving.of, giving.n, sizeof(*giving.of), by_who);
		give_all(&giving);
		note_nameless(&giving, sums->n_unknown);
	}
	free(giving.of);
	free(giving.caller);
	free(giving.function);
	free(giving.line);
	free(giving.code_of);
	free(giving.address);
	free(giving.frame);
	free(giving.call);
}

void pmu_sample_give(struct pmu_samples_collector *collector, const char *path,
		     struct pmu_model *model, bool ended)
{
	const char *slash = strrchr(path, '/');
	struct pmu_sample_process process;
	bool found;

	if (!collector || !model)
		return;
	pthread_mutex_lock(&collector->lock);
	pmu_sample_drain(collector);
	found = pmu_sample_take_process(collector, slash ? slash + 1 : path, ended, &process);
	pthread_mutex_unlock(&collector->lock);
	if (!found)
		return;
	if (!collector->code)
		collector->code = pmu_code_new();
	/* rings are read on meanwhile: symbols take their time */
	if (collector->code)
		pmu_sample_give_sums(collector->code, process.pid, "", &process.unit, &process.sums,
				     model);
	pmu_sample_process_free(&process);
}
