/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu-bench --verify: is what is counted here right?  Each source and group counts in processes of
 * their own.
 */
#include "bench/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/common/child.h"
#include "bench/common/report.h"

static const struct source sources[] = {
	{ "perf-user", "perf, read in user space", "PMU_BACKEND=perf", "PMU_USER_READ=1",
	  "read in user space", false },
	{ "perf-read", "perf, read by read(2)", "PMU_BACKEND=perf", "PMU_USER_READ=0", NULL,
	  false },
	{ "perf-cpu", "perf, whatever runs on the processor", "PMU_BACKEND=perf", "PMU_COUNT=cpu",
	  NULL, true },
	{ "msr", "registers of the processor", "PMU_BACKEND=msr", NULL, NULL, true },
};

static const struct source simulation = { "valgrind", "valgrind", "PMU_BACKEND=valgrind",
					  NULL,       NULL,       false };

/* What of it can be foretold is in one of these. */
static const char *const groups[] = { "PMU_GROUP=CORE", "PMU_GROUP=BRANCH",
				      "PMU_EVENTS=instructions,L1-dcache-loads,L1-dcache-stores" };
#define N_SOURCES (sizeof(sources) / sizeof(*sources))
#define N_GROUPS  (sizeof(groups) / sizeof(*groups))

/* --- one process --- */

struct request {
	const struct verdict *verdict;
	char calls[16], bytes[24], cache[24];
	char kernels[SUITE_MAX_KERNELS * 24];
	const char *tool[9]; /* words that end with NULL; none: the program by itself */
	char command[4096 + 8];
	char group[4096]; /* that the user chose */
};

static void write_request(struct request *request, const struct verdict *verdict)
{
	const struct options *options = verdict->options;
	size_t len = 0;

	request->verdict = verdict;
	snprintf(request->calls, sizeof(request->calls), "%d", verdict->calls);
	snprintf(request->bytes, sizeof(request->bytes), "%zu", verdict->bytes);
	snprintf(request->cache, sizeof(request->cache), "%zu", options->cache);
	for (size_t i = 0; i < options->n_kernels && len < sizeof(request->kernels); i++)
		len += (size_t)snprintf(request->kernels + len, sizeof(request->kernels) - len,
					"%s%s", i ? "," : "", options->kernel[i]->name);
}

/* Does it count as it was to?  If not, the block says why. */
static bool take_source(struct block *block, const json_t *said)
{
	const struct source *source = block->source;
	const char *backend = strchr(source->backend, '=') + 1;
	bool other;

	report_text(block->detail, sizeof(block->detail), json_object_get(said, "detail"));
	report_text(block->machine, sizeof(block->machine), json_object_get(said, "machine"));
	other = strncmp(block->detail, backend, strlen(backend)) != 0 ||
		json_array_size(json_object_get(said, "counts")) == 0;
	if (!other && !(source->must_say && !strstr(block->detail, source->must_say)))
		return true;
	if (other) {
		report_text(block->why_not, sizeof(block->why_not),
			    json_object_get(said, "why_not"));
		report_text(block->mend, sizeof(block->mend), json_object_get(said, "mend"));
	}
	if (!*block->why_not)
		snprintf(block->why_not, sizeof(block->why_not), "what there is, is %s",
			 block->detail);
	return false;
}

/* Return: what it wrote; NULL where it failed: the block says why. */
static json_t *run_process(const struct request *request, struct block *block)
{
	const char *settings[] = { block->group, block->source->backend, block->source->setting,
				   NULL };
	struct child child = { .tool = *request->tool ? request->tool : NULL,
			       .settings = settings,
			       .argument = { "count", request->calls, request->bytes,
					     request->cache, request->kernels } };
	json_t *said = NULL;

	if (child_run(&child) == 0)
		said = json_loads(child.out, 0, NULL);
	if (!said)
		snprintf(block->why_not, sizeof(block->why_not), "%s",
			 *child.why ? child.why : "what it wrote is no JSON");
	child_free(&child);
	if (!said || take_source(block, said))
		return said;
	json_decref(said);
	return NULL;
}

static void run_block(const struct request *request, struct block *block)
{
	block->processes = json_array();
	for (int i = 0; i < request->verdict->processes && !*block->why_not; i++) {
		json_t *said = run_process(request, block);

		if (said)
			json_array_append_new(block->processes, said);
	}
	if (!*block->why_not)
		tally_block(block, request->verdict->options, request->verdict->around);
}

/* --- all of them --- */

static void add_block(struct verdict *verdict, const struct request *request,
		      const struct source *source, const char *group)
{
	struct block *block = &verdict->block[verdict->n_blocks++];

	*block = (struct block){ .source = source, .group = group };
	run_block(request, block);
	for (size_t k = 0; k < block->n_rows; k++) {
		verdict->spoilt += *block->row[k].wrong != '\0';
		for (size_t i = 0; i < block->row[k].n_tallies; i++) {
			const struct tally *tally = &block->row[k].tally[i];

			if (!tally_counts(tally))
				continue;
			verdict->right += tally->exact;
			verdict->explained += tally->explained;
			verdict->aside += tally->aside;
			verdict->wrong += tally->wrong;
		}
	}
}

/* A group that the user chose, as a setting for a child; NULL: all of ours. */
static const char *chosen_group(char *room, size_t size)
{
	static const char *const names[] = { "PMU_GROUP", "PMU_EVENTS" };

	for (int i = 0; i < 2; i++) {
		const char *value = getenv(names[i]);

		if (value && *value) {
			snprintf(room, size, "%s=%s", names[i], value);
			return room;
		}
	}
	return NULL;
}

/* As `pmu run --emulate` runs it. */
static void choose_simulation(struct request *request)
{
	static const char *const words[] = { "run", "--emulate", "--auto", "none",
					     "-o",  "none",      "--" };

	request->tool[0] = emulate_command(request->command, sizeof(request->command));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		request->tool[i + 1] = words[i];
}

static void run_all(struct verdict *verdict, struct request *request)
{
	const char *chosen = chosen_group(request->group, sizeof(request->group));
	bool simulated = verdict->options->emulate;
	size_t n = simulated ? 1 : N_SOURCES, n_groups = chosen ? 1 : N_GROUPS;

	if (simulated)
		choose_simulation(request);
	for (size_t i = 0; i < n; i++)
		for (size_t g = 0; g < n_groups; g++)
			add_block(verdict, request, simulated ? &simulation : &sources[i],
				  chosen ? chosen : groups[g]);
}

static int status_of(const struct verdict *verdict)
{
	if (verdict->wrong || verdict->spoilt)
		return VERIFY_WRONG;
	return verdict->right ? 0 : VERIFY_NOTHING;
}

int verify(struct options *options)
{
	bool simulated = options->emulate;
	struct block block[N_SOURCES * N_GROUPS];
	struct around around[SUITE_MAX_KERNELS];
	struct verdict verdict = { .options = options,
				   .processes = options->processes ? options->processes
						: simulated        ? 1
								   : VERIFY_PROCESSES,
				   .calls = options->calls ? (int)options->calls
					    : simulated    ? 2
							   : VERIFY_CALLS,
				   .bytes = options->from ? options->from : VERIFY_BYTES,
				   .around = around,
				   .block = block };
	struct request request = { 0 };

	if (simulated && !emulate_cache(options))
		return VERIFY_WRONG;
	for (size_t i = 0; i < options->n_kernels; i++)
		around_find(options->kernel[i], verdict.bytes, &around[i]);
	write_request(&request, &verdict);
	run_all(&verdict, &request);
	(options->json ? verify_json : verify_text)(&verdict);
	for (size_t i = 0; i < verdict.n_blocks; i++) {
		free(block[i].row);
		json_decref(block[i].processes);
	}
	return status_of(&verdict);
}
