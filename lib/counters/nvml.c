/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source nvml: what NVIDIA's cards count, by the library of their driver.
 *
 * Source: NVML API Reference Guide, "Device Queries": names, units, return codes.  Power, utilisation
 * and memory are values of a moment, of which a region has no share: they are left out.
 */
#include "counters/nvml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/library.h"
#include "base/room.h"
#include "counters/backend.h"
#include "counters/valgrind/valgrind.h"

/* --- NVIDIA's library --- */

struct card; /* what nvmlDevice_t points to */

struct violation_time { /* nvmlViolationTime_t */
	unsigned long long reference_us, violation_ns;
};

enum { POLICY_POWER = 0, POLICY_THERMAL = 1 }; /* nvmlPerfPolicyType_t */

static struct calls {
	int (*init)(void);
	const char *(*error_string)(int rc);
	int (*count)(unsigned int *n);
	int (*card)(unsigned int index, struct card **card);
	int (*energy)(struct card *card, unsigned long long *mj);
	int (*violation)(struct card *card, int policy, struct violation_time *time);
} calls;

static const struct pmu_library_call table[] = {
	{ "nvmlInit_v2", offsetof(struct calls, init) },
	{ "nvmlErrorString", offsetof(struct calls, error_string) },
	{ "nvmlDeviceGetCount_v2", offsetof(struct calls, count) },
	{ "nvmlDeviceGetHandleByIndex_v2", offsetof(struct calls, card) },
	{ "nvmlDeviceGetTotalEnergyConsumption", offsetof(struct calls, energy) },
	{ "nvmlDeviceGetViolationStatus", offsetof(struct calls, violation) },
};
_Static_assert(sizeof(calls) == PMU_ARRAY_LEN(table) * sizeof(void *),
	       "every function is in the table");

static pid_t begun_in; /* the process that called init(); 0: none has */

static int refuse(int rc, const char *what)
{
	return pmu_fail(ENODEV, "NVIDIA's library cannot %s: %s", what, calls.error_string(rc));
}

/*
 * Begun once and never ended: the program may use it, too.  What other threads did in it when the
 * process was forked it cannot know, and its locks may be theirs.
 * Context: the session's lock.
 */
static int begin_library(void)
{
	static struct pmu_library library = {
		.file = "libnvidia-ml.so.1",
		.needs = "counts of NVIDIA's cards need the library of "
			 "their driver",
		.calls = &calls,
		.call = table,
		.n_calls = PMU_ARRAY_LEN(table)
	};
	int rc;

	if (begun_in && begun_in != getpid())
		return pmu_fail(
			ENOTSUP,
			"NVIDIA's library is the parent process's: a forked child cannot go "
			"on with it without an exec");
	if (begun_in)
		return 0;
	rc = pmu_library_load(&library);
	if (rc)
		return rc;
	rc = calls.init();
	if (rc)
		return refuse(rc, "begin");
	begun_in = getpid();
	return 0;
}

/* --- what a card counts --- */

static int read_energy(struct card *card, uint64_t *value)
{
	unsigned long long mj = 0;
	int rc = calls.energy(card, &mj);

	*value = (uint64_t)mj * 1000;
	return rc;
}

static int read_violation(struct card *card, int policy, uint64_t *value)
{
	struct violation_time time = { 0 };
	int rc = calls.violation(card, policy, &time);

	*value = time.violation_ns;
	return rc;
}

static int read_throttled_power(struct card *card, uint64_t *value)
{
	return read_violation(card, POLICY_POWER, value);
}

static int read_throttled_thermal(struct card *card, uint64_t *value)
{
	return read_violation(card, POLICY_THERMAL, value);
}

static const struct {
	const char *what;
	int (*read)(struct card *card, uint64_t *value);
} counts[PMU_NVML_COUNTS] = {
	[PMU_NVML_ENERGY] = { "energy", read_energy },
	[PMU_NVML_THROTTLED_POWER] = { "time below its clock for power", read_throttled_power },
	[PMU_NVML_THROTTLED_THERMAL] = { "time below its clock for temperature",
					 read_throttled_thermal },
};

/* --- the session --- */

struct nvml {
	const struct pmu_plan *plan;
	unsigned int n_cards;
	struct card *card[];
};

static uint32_t nvml_slots_of(const struct pmu_plan *plan)
{
	return pmu_plan_kinds(plan, 1u << PMU_SLOT_NVML) & ~plan->absent;
}

static int find_cards(struct nvml **result)
{
	unsigned int n = 0;
	struct nvml *nvml;
	int rc = begin_library();

	if (rc)
		return rc;
	rc = calls.count(&n);
	if (rc)
		return refuse(rc, "say how many cards there are");
	if (!n)
		return pmu_fail(ENODEV, "NVIDIA's library knows no card here");
	nvml = calloc(1, sizeof(*nvml) + n * sizeof(nvml->card[0]));
	if (!nvml)
		return pmu_fail(ENOMEM, "no memory for the source nvml");
	for (; nvml->n_cards < n; nvml->n_cards++) {
		rc = calls.card(nvml->n_cards, &nvml->card[nvml->n_cards]);
		if (!rc)
			continue;
		free(nvml);
		return refuse(rc, "open a card");
	}
	*result = nvml;
	return 0;
}

/* Its sum over the cards; a sum that lacks one is none. @card: result: the one that failed */
static int add_cards(const struct nvml *nvml, uint64_t what, uint64_t *sum, unsigned int *card)
{
	uint64_t value;
	int rc;

	*sum = 0;
	for (*card = 0; *card < nvml->n_cards; ++*card) {
		rc = counts[what].read(nvml->card[*card], &value);
		if (rc)
			return rc;
		*sum += value;
	}
	return 0;
}

struct opening {
	const struct pmu_plan *plan;
	struct pmu_probe *probe; /* NULL: they are only opened */
	struct nvml *nvml;
};

static int try_nvml_slots(const struct opening *o)
{
	int refused = 0;

	for (uint32_t left = nvml_slots_of(o->plan); left; left &= left - 1) {
		unsigned int slot = (unsigned int)__builtin_ctz(left), card;
		uint64_t what = o->plan->slot[slot].config, sum;
		int rc = add_cards(o->nvml, what, &sum, &card);

		if (!rc)
			continue;
		if (!refused)
			snprintf(o->probe->why, sizeof(o->probe->why),
				 "card %u does not tell its %s: %s", card, counts[what].what,
				 calls.error_string(rc));
		refused = o->probe->error[slot] = -ENOENT;
	}
	return refused;
}

static int try_nvml(void *argument)
{
	struct opening *o = argument;
	int rc = find_cards(&o->nvml);

	if (rc || !o->probe)
		return rc;
	rc = try_nvml_slots(o);
	free(o->nvml);
	return rc;
}

static int refuse_all(struct pmu_probe *probe, int rc, const char *why)
{
	snprintf(probe->why, sizeof(probe->why), "%s", why);
	return rc;
}

static int nvml_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	uint32_t others = pmu_plan_mask(plan) & ~plan->absent & ~nvml_slots_of(plan);
	struct opening o = { .plan = plan, .probe = probe };
	int rc;

	memset(probe, 0, sizeof(*probe));
	for (uint32_t left = others; left; left &= left - 1)
		probe->error[__builtin_ctz(left)] = -EINVAL;
	if (others)
		return refuse_all(probe, -EINVAL, "it counts what NVIDIA's cards do");
	if (plan->scope == PMU_COUNT_PROCESS)
		return refuse_all(probe, -ENOTSUP,
				  "what cards do is no process's (PMU_COUNT=process)");
	if (plan->emulated)
		return refuse_all(probe, -ENODEV, "a simulation has no cards");
	rc = pmu_valgrind_refuse(plan, probe);
	if (rc)
		return rc;
	rc = pmu_with_room(try_nvml, &o);
	if (rc && !probe->why[0])
		return refuse_all(probe, rc, pmu_error_text());
	return rc;
}

static int nvml_open(void **state, const struct pmu_plan *plan)
{
	struct opening o = { .plan = plan };
	int rc = pmu_with_room(try_nvml, &o);

	if (rc)
		return rc;
	o.nvml->plan = plan;
	*state = o.nvml;
	return 0;
}

static void nvml_close(void *state)
{
	free(state);
}

/* --- threads, which have nothing of their own --- */

struct nvml_thread {
	struct pmu_source_thread source;
	uint32_t all;
};

static size_t nvml_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return sizeof(struct nvml_thread);
}

static uint32_t read_no_card(void *thread, uint64_t *value)
{
	const struct nvml_thread *self = thread;

	(void)value;
	return self->all;
}

static int nvml_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		       struct pmu_attachment *got)
{
	const struct nvml *nvml = state;
	struct nvml_thread *self = thread;

	(void)cpu;
	memset(got, 0, sizeof(*got));
	*self = (struct nvml_thread){ .all = pmu_plan_mask(nvml->plan) };
	got->missing = self->all;
	*read = read_no_card;
	return 0;
}

static void nvml_detach(void *state, void *thread)
{
	(void)state;
	(void)thread;
}

/* --- the machine, which is one place with every CPU --- */

static unsigned int nvml_sockets(void *state)
{
	const struct nvml *nvml = state;

	return nvml_slots_of(nvml->plan) != 0;
}

static int nvml_socket_of(void *state, int cpu)
{
	(void)state;
	(void)cpu;
	return 0;
}

struct reading {
	const struct nvml *nvml;
	uint64_t *value;
	uint32_t missing;
};

static int read_cards(void *argument)
{
	struct reading *r = argument;
	unsigned int card;

	for (uint32_t left = nvml_slots_of(r->nvml->plan); left; left &= left - 1) {
		int slot = __builtin_ctz(left);

		if (!add_cards(r->nvml, r->nvml->plan->slot[slot].config, &r->value[slot], &card))
			r->missing &= ~(1u << slot);
	}
	return 0;
}

/* NVIDIA's library takes what stack it likes. */
static uint32_t nvml_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	const struct nvml *nvml = state;
	struct reading reading = { nvml, value, pmu_plan_mask(nvml->plan) };
	int saved = errno;

	(void)socket;
	if (begun_in == getpid())
		pmu_with_room(read_cards, &reading);
	errno = saved;
	return reading.missing;
}

static void nvml_describe(void *state, char *text, size_t size)
{
	const struct nvml *nvml = state;

	snprintf(text, size,
		 "%u of NVIDIA's cards, added up, whichever program uses them; read as socket 0's",
		 nvml->n_cards);
}

const struct pmu_backend pmu_backend_nvml = {
	.name = "nvml",
	.about = "energy and other counts of NVIDIA's cards",
	.counts = true,
	.here_alone = true,
	.beside = 1u << PMU_SLOT_NVML,
	.default_group = "GPU",
	.probe = nvml_probe,
	.open = nvml_open,
	.close = nvml_close,
	.thread_size = nvml_thread_size,
	.attach = nvml_attach,
	.detach = nvml_detach,
	.describe = nvml_describe,
	.sockets = nvml_sockets,
	.socket_of = nvml_socket_of,
	.read_socket = nvml_read_socket,
};
