/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated machine: registers, which processors share them, what accesses do. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Index of the register at @address, or of the place where it would go. */
static size_t search(const struct sim_machine *machine, uint32_t address)
{
	size_t low = 0, high = machine->n_registers;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (machine->reg[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct sim_register *find(const struct sim_machine *machine, uint32_t address)
{
	size_t i = search(machine, address);

	return i < machine->n_registers && machine->reg[i].address == address ? &machine->reg[i]
									      : NULL;
}

static struct sim_register *insert(struct sim_machine *machine, uint32_t address)
{
	size_t i = search(machine, address);

	if (machine->n_registers == machine->room) {
		size_t room = machine->room ? 2 * machine->room : 128;
		struct sim_register *reg = realloc(machine->reg, room * sizeof(*reg));

		if (!reg) {
			machine->no_memory = true;
			return NULL;
		}
		machine->reg = reg;
		machine->room = room;
	}
	memmove(&machine->reg[i + 1], &machine->reg[i],
		(machine->n_registers - i) * sizeof(*machine->reg));
	memset(&machine->reg[i], 0, sizeof(*machine->reg));
	machine->reg[i].address = address;
	machine->n_registers++;
	return &machine->reg[i];
}

void sim_add(struct sim_machine *machine, int kind, uint32_t address, enum sim_scope scope,
	     struct sim_rule rule)
{
	struct sim_register *reg = find(machine, address);

	if (!reg)
		reg = insert(machine, address);
	if (!reg)
		return;
	reg->scope = scope;
	for (int k = 0; k < SIM_KINDS; k++)
		if (kind < 0 || kind == k)
			reg->rule[k] = rule;
}

static size_t place_of(const struct sim_machine *machine, int cpu)
{
	size_t i = 0;

	while (i < machine->n_places && machine->place[i].cpu != cpu)
		i++;
	return i;
}

static bool shares(const struct sim_place *a, const struct sim_place *b, enum sim_scope scope)
{
	switch (scope) {
	case SIM_CORE:
		return a->core == b->core;
	case SIM_L3:
		return a->l3 == b->l3;
	case SIM_PACKAGE:
		return a->package == b->package;
	default:
		return a->cpu == b->cpu;
	}
}

/* The first place that has its @scope in common with this one. */
static size_t owner(const struct sim_machine *machine, size_t place, enum sim_scope scope)
{
	size_t i = 0;

	while (i < place && !shares(&machine->place[i], &machine->place[place], scope))
		i++;
	return i;
}

static const struct sim_rule *rule_of(const struct sim_machine *machine, size_t place,
				      const struct sim_register *reg)
{
	return &reg->rule[machine->place[place].efficient];
}

uint64_t *sim_cell(struct sim_machine *machine, size_t place, uint32_t address)
{
	struct sim_register *reg = find(machine, address);

	if (!reg || rule_of(machine, place, reg)->action == SIM_ABSENT)
		return NULL;
	return &machine->value[owner(machine, place, reg->scope) * machine->n_registers +
			       (size_t)(reg - machine->reg)];
}

uint64_t sim_value(struct sim_machine *machine, size_t place, uint32_t address)
{
	const uint64_t *cell = sim_cell(machine, place, address);

	return cell ? *cell : 0;
}

const struct sim_core *sim_core_of(const struct sim_machine *machine, size_t place)
{
	return &machine->cpu->core[machine->place[place].efficient];
}

bool sim_advance(uint64_t *counter, unsigned int bits, uint64_t n)
{
	uint64_t sum = *counter + n;
	bool wraps = sum < n || (bits < 64 && sum >> bits);

	*counter = sum & SIM_LOW(bits);
	return wraps;
}

uint64_t sim_condition(uint64_t select, uint64_t cmask, uint64_t n)
{
	bool invert = select & SIM_BIT(23);

	if (!cmask) /* INV has no effect then: SDM, "IA32_PERFEVTSELx", INV */
		return n;
	return (cmask == 1) != invert ? n : 0;
}

/* --- made and gone --- */

static void reset(struct sim_machine *machine, size_t place, enum sim_scope scope)
{
	for (size_t r = 0; r < machine->n_registers; r++)
		if (machine->reg[r].scope <= scope)
			machine->value[place * machine->n_registers + r] =
				rule_of(machine, place, &machine->reg[r])->reset;
}

static void add_registers(struct sim_machine *machine)
{
	static const struct sim_rule plain = { SIM_STORE, ~UINT64_C(0), 0, 0, 0 };

	sim_add(machine, -1, 0x10, SIM_THREAD, plain); /* time stamp counter: stands still */
	if (machine->cpu->vendor == SIM_AMD) {
		sim_add_amd(machine);
	} else {
		for (int kind = 0; kind < SIM_KINDS; kind++)
			sim_add_core(machine, kind);
		sim_add_uncore(machine);
	}
	if (machine->cpu->unit_address)
		sim_add(machine, -1, machine->cpu->unit_address, SIM_PACKAGE,
			(struct sim_rule){ SIM_CONST, 0, 0, machine->cpu->unit, 0 });
	for (const struct sim_energy_counter *e = machine->cpu->energy; e && e->domain; e++)
		sim_add(machine, -1, e->address, e->scope,
			(struct sim_rule){ SIM_CONST, 0, 0, 0, 0 });
}

struct sim_machine *sim_machine_new(const struct sim_cpu *cpu, const struct sim_place *place,
				    size_t n)
{
	struct sim_machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return NULL;
	machine->cpu = cpu;
	machine->n_places = n;
	machine->place = calloc(n, sizeof(*machine->place));
	machine->offline = calloc(n, sizeof(*machine->offline));
	if (machine->place && machine->offline) {
		memcpy(machine->place, place, n * sizeof(*place));
		/* Without E cores in the model all cores are alike, whatever their places say. */
		for (size_t i = 0; i < n; i++)
			machine->place[i].efficient &= cpu->core[1].n_general > 0;
		add_registers(machine);
		machine->value = calloc(n * machine->n_registers, sizeof(*machine->value));
	}
	if (!machine->value || machine->no_memory) {
		sim_machine_free(machine);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		reset(machine, i, SIM_PACKAGE);
	return machine;
}

void sim_machine_free(struct sim_machine *machine)
{
	if (!machine)
		return;
	free(machine->place);
	free(machine->offline);
	free(machine->reg);
	free(machine->value);
	free(machine);
}

int sim_offline(struct sim_machine *machine, int cpu, bool offline)
{
	size_t place = place_of(machine, cpu);

	if (place == machine->n_places)
		return -ENXIO;
	if (machine->offline[place] && !offline)
		reset(machine, place, SIM_THREAD);
	machine->offline[place] = offline;
	return 0;
}

bool sim_is_offline(const struct sim_machine *machine, int cpu)
{
	size_t place = place_of(machine, cpu);

	return place == machine->n_places || machine->offline[place];
}

/* --- faults --- */

int sim_fail(struct sim_machine *machine, int cpu, uint32_t address, bool reads, bool writes,
	     int error)
{
	size_t i = 0;

	while (i < machine->n_faults &&
	       (machine->fault[i].cpu != cpu || machine->fault[i].address != address))
		i++;
	if (i == SIM_MAX_FAULTS)
		return -ENOSPC;
	if (i == machine->n_faults)
		machine->n_faults++;
	machine->fault[i] = (struct sim_fault){ cpu, address, reads, writes, error };
	return 0;
}

static int fault_of(const struct sim_machine *machine, int cpu, uint32_t address, bool write)
{
	for (size_t i = 0; i < machine->n_faults; i++) {
		const struct sim_fault *fault = &machine->fault[i];

		if (fault->error && fault->address == address &&
		    (fault->cpu < 0 || fault->cpu == cpu) && (write ? fault->writes : fault->reads))
			return fault->error;
	}
	return 0;
}

/* --- access --- */

/* The register of an access, or why there is none. */
static int reach(struct sim_machine *machine, int cpu, uint32_t address, bool write, size_t *place,
		 const struct sim_rule **rule)
{
	const struct sim_register *reg = find(machine, address);
	int error = fault_of(machine, cpu, address, write);

	*place = place_of(machine, cpu);
	if (*place == machine->n_places || machine->offline[*place])
		return -ENXIO;
	if (error)
		return error;
	if (!reg)
		return -EIO;
	*rule = rule_of(machine, *place, reg);
	return (*rule)->action == SIM_ABSENT ? -EIO : 0;
}

static uint64_t read_rule(struct sim_machine *machine, size_t place, uint32_t address,
			  const struct sim_rule *rule)
{
	switch (rule->action) {
	case SIM_ALIAS:
	case SIM_MIRROR:
		return sim_value(machine, place, rule->target);
	case SIM_INUSE:
		return sim_inuse(machine, place);
	default:
		return sim_value(machine, place, address);
	}
}

int sim_read(struct sim_machine *machine, int cpu, uint32_t address, uint64_t *value)
{
	const struct sim_rule *rule;
	size_t place;
	int rc = reach(machine, cpu, address, false, &place, &rule);

	if (!rc)
		*value = read_rule(machine, place, address, rule);
	return rc;
}

static int write_rule(struct sim_machine *machine, size_t place, uint32_t address,
		      const struct sim_rule *rule, uint64_t value)
{
	uint64_t *cell = sim_cell(machine, place, rule->target ? rule->target : address);
	bool reserved = value & ~(rule->writable | rule->once);

	if (!cell || rule->action == SIM_CONST || rule->action == SIM_INUSE)
		return -EIO;
	if (reserved && rule->action != SIM_MASK && rule->action != SIM_SIGN &&
	    rule->action != SIM_MIRROR)
		return -EIO;
	switch (rule->action) {
	case SIM_SIGN:
		*cell = (uint64_t)(int64_t)(int32_t)(uint32_t)value & rule->writable;
		return 0;
	case SIM_MIRROR:
		return write_rule(machine, place, rule->target,
				  rule_of(machine, place, find(machine, rule->target)), value);
	case SIM_CLEAR:
		*cell &= ~value;
		return 0;
	case SIM_SET:
		*cell |= value;
		return 0;
	default:
		*cell = value & rule->writable;
		return 0;
	}
}

int sim_write(struct sim_machine *machine, int cpu, uint32_t address, uint64_t value)
{
	const struct sim_rule *rule;
	size_t place;
	int rc = reach(machine, cpu, address, true, &place, &rule);

	if (rc == SIM_IGNORED)
		return 0;
	return rc ? rc : write_rule(machine, place, address, rule, value);
}

int sim_poke(struct sim_machine *machine, int cpu, uint32_t address, uint64_t value)
{
	const struct sim_register *reg = find(machine, address);
	size_t place = place_of(machine, cpu);
	uint64_t *cell;

	if (place == machine->n_places)
		return -ENXIO;
	if (!reg)
		return -EIO;
	if (rule_of(machine, place, reg)->target)
		address = rule_of(machine, place, reg)->target;
	cell = sim_cell(machine, place, address);
	if (!cell)
		return -EIO;
	*cell = value;
	return 0;
}

void sim_each(struct sim_machine *machine,
	      void (*each)(void *context, int cpu, uint32_t address, uint64_t value), void *context)
{
	for (size_t place = 0; place < machine->n_places; place++)
		for (size_t r = 0; r < machine->n_registers; r++) {
			const struct sim_register *reg = &machine->reg[r];
			const struct sim_rule *rule = rule_of(machine, place, reg);

			if (rule->action != SIM_ABSENT)
				each(context, machine->place[place].cpu, reg->address,
				     read_rule(machine, place, reg->address, rule));
		}
}

/* --- what happens --- */

int sim_count(struct sim_machine *machine, int cpu, const struct sim_event *event)
{
	size_t place = place_of(machine, cpu);

	if (place == machine->n_places || machine->offline[place])
		return -ENXIO;
	if (machine->cpu->vendor == SIM_AMD) {
		sim_count_amd(machine, place, event);
		return 0;
	}
	for (size_t i = 0; i < machine->n_places; i++)
		if (!machine->offline[i] && machine->place[i].core == machine->place[place].core)
			sim_count_core(machine, i, i != place, event);
	return 0;
}

int sim_count_uncore(struct sim_machine *machine, int cpu, const char *unit, uint16_t event,
		     uint8_t umask, uint64_t n)
{
	size_t place = place_of(machine, cpu);

	if (place == machine->n_places)
		return -ENXIO;
	if (machine->cpu->vendor == SIM_AMD)
		return strcmp(unit, "l3") ? -EINVAL : sim_count_l3(machine, place, event, umask, n);
	if (machine->cpu->nehalem_uncore)
		return sim_count_nehalem(machine, place, unit, event, umask, n);
	if (machine->cpu->client)
		return sim_count_client(machine, place, unit, event, umask, n);
	return -EINVAL;
}

int sim_energy(struct sim_machine *machine, int cpu, const char *domain, uint64_t raw)
{
	size_t place = place_of(machine, cpu);

	if (place == machine->n_places)
		return -ENXIO;
	for (const struct sim_energy_counter *e = machine->cpu->energy; e && e->domain; e++)
		if (!strcmp(e->domain, domain)) {
			sim_advance(sim_cell(machine, place, e->address), 32, raw);
			return 0;
		}
	return -EINVAL;
}
