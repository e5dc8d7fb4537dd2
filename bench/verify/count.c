/* SPDX-License-Identifier: BSD-3-Clause */
/* In a process of its own: what each call of each kernel counted, and what interrupted it. */
#include "bench/verify/verify.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/common/processors.h"
#include "bench/verify/bracket.h"
#include "pmu.h"

static const struct bracket regions = { pmu_region_begin, pmu_region_end };

/* --- what happened --- */

struct happened {
	int cpu;
	double interrupts;
	struct rusage usage;
};

static void look(struct happened *happened)
{
	happened->cpu = sched_getcpu();
	happened->interrupts = interrupts_of(happened->cpu);
	getrusage(RUSAGE_THREAD, &happened->usage);
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void put_happened(json_t *call, const struct happened *before, const struct happened *after)
{
	const struct rusage *from = &before->usage, *to = &after->usage;
	bool told = before->interrupts >= 0 && after->interrupts >= 0 && before->cpu == after->cpu;

	json_object_set_new(call, "interrupts",
			    number(told ? after->interrupts - before->interrupts : NAN));
	json_object_set_new(
		call, "faults",
		json_integer(to->ru_minflt - from->ru_minflt + to->ru_majflt - from->ru_majflt));
	json_object_set_new(
		call, "switches",
		json_integer(to->ru_nvcsw - from->ru_nvcsw + to->ru_nivcsw - from->ru_nivcsw));
}

/* --- counts --- */

/* What a region had counted so far; a zero is what it had before there was one. */
static void read_counts(const char *region, struct pmu_region_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	counts->size = sizeof(*counts);
	pmu_region_read(region, PMU_THREAD_SELF, counts);
}

static void put_counts(json_t *call, const struct pmu_region_counts *before,
		       const struct pmu_region_counts *after)
{
	json_t *net = json_array(), *raw = json_array();

	for (unsigned int i = 0; pmu_count_name(i); i++) {
		uint64_t of_net = after->net[i] - before->net[i],
			 of_raw = after->count[i] - before->count[i];
		bool missing = after->missing >> i & 1;

		json_array_append_new(net,
				      missing ? json_null() : json_integer((json_int_t)of_net));
		json_array_append_new(raw,
				      missing ? json_null() : json_integer((json_int_t)of_raw));
	}
	json_object_set_new(call, "net", net);
	json_object_set_new(call, "raw", raw);
}

static json_t *one_call(const char *region, const struct kernel *kernel, struct share *share)
{
	struct pmu_region_counts before, after;
	struct happened first, last;
	json_t *call = json_object();

	read_counts(region, &before);
	look(&first);
	bracket_pass(&regions, region, kernel, share);
	look(&last);
	read_counts(region, &after);
	put_counts(call, &before, &after);
	put_happened(call, &first, &last);
	return call;
}

/* --- kernels --- */

static json_t *facts_of(const struct kernel *kernel, const struct share *share, size_t cache)
{
	struct model model;

	kernel->model(share, &model);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "instructions",
			 number(model.instructions), "branches", number(model.branches),
			 "mispredicted", number(model.mispredicted), "loads", number(model.loads),
			 "stores", number(model.stores), "lines",
			 number(lines_expected(&model, (double)share->used, (double)cache)));
}

static void run(json_t *row, const struct kernel *kernel, struct share *share, long n, size_t cache)
{
	json_t *calls = json_array();
	struct happened warm;
	char region[64];

	snprintf(region, sizeof(region), "%s %s", kernel->name, size_text(share->used));
	json_object_set_new(row, "size_bytes", json_integer((json_int_t)share->used));
	json_object_set_new(row, "facts", facts_of(kernel, share, cache));
	json_object_set_new(row, "calls", calls);
	look(&warm);
	kernel->pass(share); /* its memory is there then, and in the cache what finds room */
	for (long i = 0; i < n; i++)
		json_array_append_new(calls, one_call(region, kernel, share));
	if (!kernel->check(share, (uint64_t)n + 1))
		json_object_set_new(row, "wrong", json_string("its result is wrong"));
}

static json_t *run_kernel(const struct kernel *kernel, long calls, size_t bytes, size_t cache)
{
	struct share share = { .n_threads = 1, .bytes = bytes };
	json_t *row = json_pack("{s:s}", "kernel", kernel->name);

	share.common = kernel->common ? kernel->common(bytes, 1) : NULL;
	if ((kernel->common && !share.common) || kernel->prepare(&share) < 0)
		json_object_set_new(row, "wrong", json_string("there is no memory for it"));
	else
		run(row, kernel, &share, calls, cache);
	free(share.memory);
	free(share.common);
	return row;
}

static json_t *run_kernels(char *names, long calls, size_t bytes, size_t cache)
{
	json_t *rows = json_array();
	char *name;

	while ((name = strsep(&names, ",")))
		for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
			if (!strcmp((*kernel)->name, name))
				json_array_append_new(rows,
						      run_kernel(*kernel, calls, bytes, cache));
	return rows;
}

/* --- */

static json_t *names_of_counts(void)
{
	json_t *names = json_array();

	for (unsigned int i = 0; pmu_count_name(i); i++)
		json_array_append_new(names, json_string(pmu_count_name(i)));
	return names;
}

int count_child(char **argument)
{
	struct pmu_options quiet = { .size = sizeof(quiet), .output = "none" };
	int processors = processors_allowed(), rc = pmu_init(&quiet);
	struct surroundings where;
	size_t cache;
	json_t *said;

	if (rc == -EALREADY) /* by `pmu run` */
		rc = 0;
	if (rc == 0)
		rc = pmu_thread_attach();
	if (rc == 0)
		rc = surroundings_find(processors, &where);
	if (rc < 0) {
		fprintf(stderr, "%s\n", *pmu_last_error() ? pmu_last_error() : pmu_strerror(rc));
		return 1;
	}
	cache = strtoull(argument[2], NULL, 10);
	said = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "machine", where.machine, "detail",
			 where.source, "why_not", where.why_not, "mend", where.mend, "pinning",
			 where.pinning, "simulated", where.simulated, "counts", names_of_counts());
	json_object_set_new(said, "rows",
			    run_kernels(argument[3], strtol(argument[0], NULL, 10),
					strtoull(argument[1], NULL, 10),
					cache ? cache : where.cache));
	json_dumpf(said, stdout, JSON_PRESERVE_ORDER | JSON_COMPACT);
	json_decref(said);
	return fflush(stdout) == 0 ? 0 : 1;
}
