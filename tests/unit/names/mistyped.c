/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events with one letter wrong: the right one is proposed. */
#include <ctype.h>

#include "base/error.h"
#include "names/vendor/vendor.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "unit/part.h"

#define N_WORDS   200
#define MIN_RIGHT 190

static const uint32_t models[] = { 0x1a, 0x3c, 0x55, 0x8f, 0x97, 0xcc };
#define N_MODELS (sizeof(models) / sizeof(models[0]))

/* The same numbers in each run (Knuth, MMIX). */
static uint32_t next_number(uint32_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

struct names {
	uint32_t n;
	const char *name[4096];
};

static void add(void *arg, const struct pmu_vendor_event *event)
{
	struct names *names = arg;

	if (names->n < sizeof(names->name) / sizeof(names->name[0]))
		names->name[names->n++] = event->name;
}

enum slip { LEFT_OUT, TOO_MANY, ANOTHER, SWAPPED, SLIPS };

/* A slip of the hand at a letter of the name; false: there is none that could slip so. */
static bool mistype(const char *name, char *out, size_t size)
{
	uint32_t len = (uint32_t)strlen(name), at = next_number(len);
	char letter = (char)('A' + next_number(26));

	snprintf(out, size, "%s", name);
	if (!isalpha((unsigned char)name[at]))
		return false;
	switch ((enum slip)next_number(SLIPS)) {
	case LEFT_OUT:
		memmove(out + at, out + at + 1, len - at);
		break;
	case TOO_MANY:
		memmove(out + at + 1, out + at, len - at + 1);
		out[at] = letter;
		break;
	case ANOTHER:
		out[at] = letter;
		break;
	default:
		out[at] = name[at + 1];
		out[at + 1] = name[at];
		return isalpha((unsigned char)name[at + 1]);
	}
	return true;
}

struct machine {
	struct pmu_catalog catalog;
	struct names names;
};

static void open_machine(uint32_t model, struct machine *machine)
{
	struct pmu_event event;

	memset(machine, 0, sizeof(*machine));
	machine->catalog = (struct pmu_catalog){
		.id = { .vendor = "GenuineIntel", .family = 6, .model = model, .stepping = 4 },
		.keep_tables = true
	};
	machine->catalog.model = pmu_cpu_model_find(&machine->catalog.id);
	pmu_event_parse("UOPS_ISSUED.ANY", &machine->catalog, &event);
	if (machine->catalog.tables)
		pmu_vendor_each(machine->catalog.tables, add, &machine->names);
	ok(machine->names.n > 300, "6-%X has %u names", model, machine->names.n);
}

/* The sentence ends with the proposal: "...; did you mean UOPS_ISSUED.ANY?" */
static bool is_proposed(const char *name)
{
	char want[PMU_ERROR_MAX];

	snprintf(want, sizeof(want), "; did you mean %s?", name);
	return strstr(pmu_error_text(), want) != NULL;
}

static void the_right_name_is_proposed(void)
{
	static struct machine machine[N_MODELS];
	unsigned int n = 0, right = 0;

	for (size_t i = 0; i < N_MODELS; i++)
		open_machine(models[i], &machine[i]);
	while (n < N_WORDS) {
		struct machine *at = &machine[next_number(N_MODELS)];
		const char *name = at->names.name[next_number(at->names.n)];
		struct pmu_event event;
		char word[256];

		/* what is another event's name is no slip that could be seen */
		if (!mistype(name, word, sizeof(word)) ||
		    !pmu_event_parse(word, &at->catalog, &event))
			continue;
		n++;
		if (is_proposed(name))
			right++;
		else
			diag("%s for %s: %s", word, name, pmu_error_text());
	}
	ok(right >= MIN_RIGHT, "of %u mistyped names %u are proposed first", n, right);
	for (size_t i = 0; i < N_MODELS; i++)
		pmu_catalog_close(&machine[i].catalog);
}

UNIT_PART(mistyped)
{
	the_right_name_is_proposed();
	return done_testing();
}
