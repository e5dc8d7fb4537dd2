/* SPDX-License-Identifier: BSD-3-Clause */
/* Several sources as one: who gets which slots, and what becomes of those that find no place. */
#include "counters/several.h"

#include <stdio.h>
#include <string.h>

#include "counters/nvml.h"
#include "unit/part.h"

#define ENERGY 0
#define CARDS  1
#define CYCLES 2

static struct {
	uint32_t absent; /* in the plan that it was opened with */
	int open, threads;
	void *thread;
} fake;

static int fake_open(void **state, const struct pmu_plan *plan)
{
	fake.absent = plan->absent;
	fake.open++;
	*state = &fake;
	return 0;
}

static void fake_close(void *state)
{
	fake.open -= state == &fake;
}

static uint32_t fake_read(void *thread, uint64_t *value)
{
	fake.thread = thread;
	value[CYCLES] = 7;
	return 1u << ENERGY | 1u << CARDS;
}

static int fake_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		       struct pmu_attachment *got)
{
	(void)thread;
	(void)cpu;
	fake.threads += state == &fake;
	memset(got, 0, sizeof(*got));
	got->missing = 1u << ENERGY | 1u << CARDS;
	*read = fake_read;
	return 0;
}

static void fake_describe(void *state, char *text, size_t size)
{
	snprintf(text, size, "%s", state == &fake ? "of its own" : "of none");
}

static unsigned int fake_sockets(void *state)
{
	return state == &fake ? 2 : 0;
}

static int fake_socket_of(void *state, int cpu)
{
	return state == &fake ? cpu % 2 : -1;
}

static uint32_t fake_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	value[ENERGY] = state == &fake ? 100 + socket : 0;
	return 1u << CARDS | 1u << CYCLES;
}

static const struct pmu_backend main_source = {
	.name = "fake",
	.counts = true,
	.open = fake_open,
	.close = fake_close,
	.attach = fake_attach,
	.describe = fake_describe,
	.sockets = fake_sockets,
	.socket_of = fake_socket_of,
	.read_socket = fake_read_socket,
};

static struct pmu_plan plan = {
	.n_slots = 3,
	.main = &main_source,
	.slot = { [ENERGY] = { .kind = PMU_SLOT_ENERGY },
		  [CARDS] = { .kind = PMU_SLOT_NVML, .config = PMU_NVML_ENERGY },
		  [CYCLES] = { .kind = PMU_SLOT_CORE } },
};

static void joins(const struct pmu_backend *several)
{
	is_str(several->name, "fake+nvml", "it is named after its parts");
	ok(pmu_backend_several(&main_source, 1u << PMU_SLOT_NVML) == several, "  and made once");
	ok(several->read_aside == main_source.read_aside, "what is a thread's alone is the main's");
}

static void counts_threads_as_alone(const struct pmu_backend *several, void *state)
{
	struct pmu_attachment got;
	pmu_read_fn *read = NULL;
	char thread;

	is_int(several->attach(state, &thread, -1, &read, &got), 0,
	       "a thread is the main source's");
	is_int(fake.threads, 1, "  which sees its own state");
	ok(read == fake_read, "  and whose read is not gone around");
	is_int((int)got.missing, 1 << ENERGY | 1 << CARDS, "  sockets' slots are missing there");
}

/*
 * Cards are one place, these sockets two; without cards they are nowhere.  Either way the slot is missing
 * everywhere, and a sentence says why.
 */
static void loses_what_has_no_place(const struct pmu_backend *several, void *state)
{
	uint64_t value[PMU_MAX_SLOTS];
	char text[448];

	is_int((int)several->sockets(state), 2, "sockets are the main source's");
	is_int(several->socket_of(state, 5), 1, "  and which it is");
	is_int((int)several->read_socket(state, 1, value), 1 << CARDS | 1 << CYCLES,
	       "cards, which are no socket's, are missing there");
	is_int((int)value[ENERGY], 101, "  what is the socket's is read");
	ok(several->remark(state, text, sizeof(text)), "there is something to say");
	has(text, "nvml counts nothing: ", "  of that source");
	ok(!several->remark(state, text, sizeof(text)), "  once");
}

static void test_several(void)
{
	const struct pmu_backend *several = pmu_backend_several(&main_source, 1u << PMU_SLOT_NVML);
	char text[256];
	void *state;

	joins(several);
	is_int(several->open(&state, &plan), 0, "it opens");
	is_int((int)fake.absent, 1 << CARDS, "  the main source without what is another's");
	counts_threads_as_alone(several, state);
	loses_what_has_no_place(several, state);
	several->describe(state, text, sizeof(text));
	ok(!strncmp(text, "of its own", 10), "it says what the main source says");
	several->close(state);
	is_int(fake.open, 0, "all that was opened is closed");
}

UNIT_PART(several)
{
	test_several();
	return done_testing();
}
