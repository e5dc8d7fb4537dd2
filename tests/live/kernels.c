/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of the benchmark suite: what they compute is right at any size, and where there is a
 * PMU what is counted in them is what their models say, to one in a hundred.
 */
#include <pmu.h>

#include "tap.h"

#if (!defined(__x86_64__) && !defined(__aarch64__)) || !defined(__LP64__)
int main(void)
{
	return skip_all("no kernels for this processor");
}
#else
#include "bench/kernels/kernel.h"

#define BYTES 100000 /* no kernel's own size, nor a power of two */
#define CALLS 3

/* Shares of @n_threads, one after another on this thread. */
struct team {
	const struct kernel *kernel;
	struct share share[3];
	int n;
	void *common;
};

static bool prepare_team(struct team *team, const struct kernel *kernel, size_t bytes,
			 int n_threads)
{
	bool done = true;

	*team = (struct team){ .kernel = kernel, .n = n_threads };
	if (kernel->common)
		team->common = kernel->common(bytes, n_threads);
	for (int i = 0; i < n_threads; i++) {
		team->share[i] = (struct share){ .thread = i,
						 .n_threads = n_threads,
						 .bytes = bytes / (size_t)n_threads,
						 .common = team->common };
		done = done && kernel->prepare(&team->share[i]) == 0;
	}
	return done && (team->common || !kernel->common);
}

static bool is_right(const struct team *team, uint64_t passes)
{
	for (int i = 0; i < team->n; i++) {
		if (!team->kernel->check(&team->share[i], passes)) {
			diag("%s: the share of thread %d of %d, %zu bytes, is wrong after %" PRIu64
			     " passes",
			     team->kernel->name, i, team->n, team->share[i].bytes, passes);
			return false;
		}
	}
	return true;
}

static void pass(struct team *team)
{
	for (int i = 0; i < team->n; i++)
		team->kernel->pass(&team->share[i]);
}

static void forget(struct team *team)
{
	for (int i = 0; i < team->n; i++)
		free(team->share[i].memory);
	free(team->common);
}

static bool computes(const struct kernel *kernel, size_t bytes, int n_threads)
{
	struct team team;
	bool right = prepare_team(&team, kernel, bytes, n_threads);

	for (uint64_t passes = 0; right && passes <= 5; passes++) {
		right = is_right(&team, passes);
		pass(&team);
	}
	forget(&team);
	return right;
}

/* A loop that does nothing is found out. */
static bool notices(const struct kernel *kernel)
{
	struct team team;
	bool seen = prepare_team(&team, kernel, BYTES, 1) && !kernel->check(&team.share[0], 1);

	forget(&team);
	return seen;
}

static void results_are_right(void)
{
	static const size_t bytes[] = { 1, 64, 4096, 4104, 12345, BYTES, 1 << 20 };

	for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
		int wrong = 0;

		for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
			for (int n_threads = 1; n_threads <= 3; n_threads++)
				wrong += !computes(*kernel, bytes[i], n_threads);
		ok(wrong == 0, "%s: the result is right at every size", (*kernel)->name);
		ok(notices(*kernel), "  and wrong before there is one");
	}
}

/* --- counts --- */

static int slot_named(const char *name)
{
	const char *label;

	for (unsigned int slot = 0; (label = pmu_count_name(slot)); slot++)
		if (!strcmp(label, name))
			return (int)slot;
	return -1;
}

static void is_counted(const struct kernel *kernel, const char *name, double expected)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	int slot = slot_named(name);
	double got;

	if (slot < 0)
		return;
	pmu_region_read(kernel->name, PMU_THREAD_SELF, &counts);
	got = (double)counts.net[slot];
	ok(counts.calls == CALLS && !(counts.missing >> slot & 1) &&
		   fabs(got - expected) <= 0.01 * expected,
	   "%s: %s as in its model", kernel->name, name);
	if (fabs(got - expected) > 0.01 * expected)
		diag("%.0f instead of %.0f", got, expected);
}

static void counts_are_those_of_the_model(const struct kernel *kernel)
{
	struct model model;
	struct team team;

	if (!prepare_team(&team, kernel, BYTES, 1)) {
		ok(false, "%s: memory", kernel->name);
		return;
	}
	kernel->model(&team.share[0], &model);
	for (int i = 0; i < CALLS; i++) {
		pmu_region_begin(kernel->name);
		pass(&team);
		pmu_region_end(kernel->name);
	}
	is_counted(kernel, "instructions", CALLS * model.instructions);
#if defined(__x86_64__) /* on arm64 "branches" are jumps that are taken on some models */
	is_counted(kernel, "branches", CALLS * model.branches);
#endif
	forget(&team);
}

int main(void)
{
	struct pmu_options options = { .size = sizeof(options),
				       .events = "instructions",
				       .backend = "perf",
				       .output = "none" };
	struct pmu_counters *counters;

	results_are_right();
	if (pmu_counters_open("instructions,branches", PMU_SCOPE_THREAD, &counters) == 0) {
		options.events = "instructions,branches";
		pmu_counters_close(counters);
	}
	unsetenv("PMU_GROUP");
	if (pmu_counters_open(options.events, PMU_SCOPE_THREAD, &counters) < 0) {
		skip("counts", "%s", pmu_last_error());
		return done_testing();
	}
	pmu_counters_close(counters);
	if (pmu_init(&options) < 0) {
		skip("counts", "%s", pmu_last_error());
		return done_testing();
	}
	for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
		counts_are_those_of_the_model(*kernel);
	return done_testing();
}
#endif
