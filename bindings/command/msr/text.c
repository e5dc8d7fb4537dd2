/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu msr plan` for people: processors that do the same share a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "bindings/command/command.h"
#include "bindings/command/msr/plan.h"
#include "counters/msr/registers.h"
#include "machine/mask.h"

#define WIDTH      110
#define MAX_COLUMN 40

static const char *const phase_about[PMU_MSR_PHASES] = {
	[PMU_MSR_LOOK] = "who is there, and what is put back at the end",
	[PMU_MSR_STOP] = "our bits of the global controls, the fixed control and EN are cleared",
	[PMU_MSR_CLEAR] = "overflow status",
	[PMU_MSR_SELECT] = "what is counted, not enabled yet",
	[PMU_MSR_ZERO] = "the counters",
	[PMU_MSR_ENABLE] = "the global controls last",
	[PMU_MSR_READ] = "at each begin and end of a region",
	[PMU_MSR_RESTORE] = "at the end: stopped, then everything as it was",
};

void pmu_plan_kind_name(const struct pmu_machine *machine, unsigned int kind, char *name,
			size_t size)
{
	enum pmu_core_type type = machine->kind[kind].core_type;
	unsigned int number = 1;

	for (unsigned int k = 0; k < kind; k++)
		number += machine->kind[k].core_type == type;
	snprintf(name, size, "%score", type == PMU_CORE_P ? "P " : type == PMU_CORE_E ? "E " : "");
	if (number > 1)
		snprintf(name + strlen(name), size - strlen(name), " %u", number);
}

/* --- lines of operations --- */

/** What some processors do alike. */
struct line {
	const struct pmu_msr_op *op; /* the first of them */
	uint64_t value;              /* written, or found */
	unsigned int nth;            /* of those on its register, on one processor in one phase */
	bool shared;
	struct pmu_mask cpus, sockets;
	size_t next; /* index + 1; 0: the last */
};

struct lines {
	const struct pmu_plan_shown *shown;
	struct line *line;
	size_t n, room;
	size_t first, last; /* index + 1 */
	/* index + 1: a machine may have as many lines as registers */
	struct pmu_index same, variant; /* all; the last line of each register */
	bool failed;
};

/* The line of an operation. */
struct wanted {
	const struct lines *lines;
	const struct pmu_msr_op *op;
	uint64_t value;
	unsigned int nth;
};

static bool is_variant(const void *wanted, uintptr_t at)
{
	const struct wanted *is = wanted;
	const struct line *line = &is->lines->line[at - 1];

	return line->op->address == is->op->address && line->nth == is->nth &&
	       line->shared == (is->op->socket >= 0);
}

static bool is_same_line(const void *wanted, uintptr_t at)
{
	const struct wanted *is = wanted;
	const struct line *line = &is->lines->line[at - 1];

	return is_variant(wanted, at) && line->value == is->value &&
	       line->op->mask == is->op->mask && line->op->slot == is->op->slot;
}

static uint32_t mix(uint32_t hash, uint64_t value)
{
	return pmu_hash_number(hash ^ value);
}

/* A new line behind another one. */
static struct line *insert(struct lines *lines, size_t behind)
{
	struct line *line;

	if (lines->n == lines->room) {
		size_t room = lines->room ? 2 * lines->room : 64;
		struct line *grown = realloc(lines->line, room * sizeof(*grown));

		if (!grown) {
			lines->failed = true;
			return NULL;
		}
		lines->line = grown;
		lines->room = room;
	}
	line = &lines->line[lines->n++];
	memset(line, 0, sizeof(*line));
	line->next = behind ? lines->line[behind - 1].next : 0;
	*(behind ? &lines->line[behind - 1].next : &lines->first) = lines->n;
	if (behind == lines->last)
		lines->last = lines->n;
	return line;
}

static void begin_line(struct line *line, const struct pmu_msr_op *op, uint64_t value,
		       unsigned int nth)
{
	line->op = op;
	line->value = value;
	line->nth = nth;
	line->shared = op->socket >= 0;
}

/* The operation's line, behind the last one of its register. */
static struct line *find_line(struct lines *lines, const struct pmu_msr_op *op, uint64_t value,
			      unsigned int nth)
{
	const struct wanted wanted = { lines, op, value, nth };
	uint32_t variant_hash = mix(mix(nth, op->address), op->socket >= 0);
	uint32_t same_hash = mix(mix(mix(variant_hash, value), op->mask), (uint64_t)op->slot);
	struct pmu_index_place *same, *variant;
	struct line *line;

	if (pmu_index_reserve(&lines->same, 1) < 0 || pmu_index_reserve(&lines->variant, 1) < 0) {
		lines->failed = true;
		return NULL;
	}
	same = pmu_index_find(&lines->same, same_hash, is_same_line, &wanted);
	if (same->thing)
		return &lines->line[same->thing - 1];
	variant = pmu_index_find(&lines->variant, variant_hash, is_variant, &wanted);
	line = insert(lines, variant->thing ? variant->thing : lines->last);
	if (!line)
		return NULL;
	begin_line(line, op, value, nth);
	pmu_index_take(&lines->same, same, same_hash, lines->n);
	if (variant->thing)
		variant->thing = lines->n;
	else
		pmu_index_take(&lines->variant, variant, variant_hash, lines->n);
	return line;
}

/* @apart: it has a line of its own, at the end */
static void fold(struct lines *lines, const struct pmu_msr_op *op, uint64_t value, unsigned int nth,
		 bool apart)
{
	struct line *line;

	line = apart ? insert(lines, lines->last) : find_line(lines, op, value, nth);
	if (!line)
		return;
	if (apart)
		begin_line(line, op, value, nth);
	pmu_mask_set(&line->cpus, op->cpu);
	if (op->socket >= 0)
		pmu_mask_set(&line->sockets, op->socket);
}

/* How many operations before this one had its register, on its processor in its phase. */
static unsigned int count_before(const struct pmu_msr_program *program, size_t first, size_t at)
{
	unsigned int n = 0;

	for (size_t i = at; i-- > first && program->op[i].cpu == program->op[at].cpu &&
			    program->op[i].socket == program->op[at].socket;)
		n += program->op[i].address == program->op[at].address;
	return n;
}

static void fold_phase(struct lines *lines, enum pmu_msr_phase phase, bool all)
{
	const struct pmu_msr_program *program = &lines->shown->program;
	size_t first = program->first[phase];

	for (size_t i = first; i < program->first[phase + 1] && !lines->failed; i++) {
		const struct pmu_msr_op *op = &program->op[i];
		uint64_t value = phase == PMU_MSR_LOOK && lines->shown->found
					 ? lines->shown->found[i]
					 : op->value;

		fold(lines, op, value, all ? 0 : count_before(program, first, i), all);
	}
}

/* "CPU 0-11", "sockets 0-1 by CPU 0,6" */
static void add_who(struct pmu_strbuf *out, const struct line *line)
{
	char cpus[64], sockets[64];

	pmu_mask_format(&line->cpus, cpus, sizeof(cpus));
	pmu_mask_format(&line->sockets, sockets, sizeof(sockets));
	if (line->shared)
		pmu_strbuf_addf(out, "socket %s by CPU %s", sockets, cpus);
	else
		pmu_strbuf_addf(out, "CPU %s", cpus);
}

static void add_op_value(struct pmu_strbuf *out, const struct pmu_plan_shown *shown,
			 const struct line *line)
{
	const struct pmu_msr_op *op = line->op;
	struct pmu_strbuf fields = { 0 };

	if (op->slot >= 0)
		pmu_strbuf_addf(out, " -> %s", shown->group.event[op->slot].name);
	if (!op->write && !(op->phase == PMU_MSR_LOOK && shown->found))
		return;
	pmu_strbuf_addf(out, " %s %016" PRIX64, op->write ? "<-" : "=", line->value);
	if (op->write && op->mask != UINT64_MAX)
		pmu_strbuf_addf(out, " in bits %" PRIX64 "H", op->mask);
	pmu_msr_fields(shown->machine, op->address, line->value, &fields);
	if (fields.len)
		pmu_strbuf_addf(out, "  %s", fields.text);
	pmu_strbuf_free(&fields);
}

static void add_op_line(struct pmu_strbuf *out, const struct pmu_plan_shown *shown,
			const struct line *line, size_t column, size_t name_column)
{
	size_t start = out->len;
	char name[64];

	pmu_msr_name(shown->machine, line->op->address, name, sizeof(name));
	pmu_strbuf_add(out, "  ");
	add_who(out, line);
	pmu_strbuf_pad(out, start + 2 + column, ' ');
	pmu_strbuf_addf(out, "  %s", name);
	/* a register without a name is its number */
	if (strncmp(name, "MSR ", 4) != 0)
		pmu_strbuf_addf(out, " (%XH)", line->op->address);
	pmu_strbuf_pad(out, start + 2 + column + 2 + name_column, ' ');
	add_op_value(out, shown, line);
	/* no blanks at the end */
	while (out->len && out->text && out->text[out->len - 1] == ' ')
		out->text[--out->len] = '\0';
	pmu_strbuf_add(out, "\n");
}

/* The widest first and second column of a phase, within reason. */
static void measure_lines(const struct lines *lines, size_t *column, size_t *name_column)
{
	*column = *name_column = 0;
	for (size_t i = 0; i < lines->n; i++) {
		struct pmu_strbuf who = { 0 };
		char name[64];
		size_t len;

		add_who(&who, &lines->line[i]);
		if (who.len > *column && who.len <= MAX_COLUMN)
			*column = who.len;
		pmu_strbuf_free(&who);
		pmu_msr_name(lines->shown->machine, lines->line[i].op->address, name, sizeof(name));
		len = strlen(name) +
		      (size_t)snprintf(NULL, 0, " (%XH)", lines->line[i].op->address);
		if (len > *name_column && len <= MAX_COLUMN)
			*name_column = len;
	}
}

static void add_phase(struct pmu_strbuf *out, const struct pmu_plan_shown *shown,
		      enum pmu_msr_phase phase, bool all)
{
	struct lines lines = { .shown = shown };
	size_t column, name_column;
	size_t n = shown->program.first[phase + 1] - shown->program.first[phase];

	fold_phase(&lines, phase, all);
	measure_lines(&lines, &column, &name_column);
	pmu_strbuf_addf(out, "\n%s: %s (%zu operation%s)\n", pmu_msr_phase_name(phase),
			phase_about[phase], n, n == 1 ? "" : "s");
	for (size_t at = lines.first; at; at = lines.line[at - 1].next)
		add_op_line(out, shown, &lines.line[at - 1], column, name_column);
	if (lines.failed)
		out->failed = 1;
	pmu_index_free(&lines.same);
	pmu_index_free(&lines.variant);
	free(lines.line);
}

/* --- the head --- */

static void add_number_of(struct pmu_strbuf *out, size_t n, const char *what)
{
	pmu_strbuf_addf(out, ", %zu %s%s", n, what, n == 1 ? "" : "s");
}

static void add_plan_machine(struct pmu_strbuf *out, const struct pmu_machine *machine)
{
	if (machine->id.brand[0])
		pmu_strbuf_addf(out, "%s ", machine->id.brand);
	pmu_strbuf_addf(out, "(%s-%u-%u-%u", machine->id.vendor, machine->id.family,
			machine->id.model, machine->id.stepping);
	if (machine->model)
		pmu_strbuf_addf(out, ", %s", machine->model->microarchitecture);
	pmu_strbuf_add(out, ")");
	add_number_of(out, machine->n_cpus, "processor");
	add_number_of(out, machine->n_cores, "core");
	add_number_of(out, machine->n_packages, "socket");
	pmu_strbuf_add(out, "\n");
}

static void add_looked(struct pmu_strbuf *out, const struct pmu_plan_shown *shown)
{
	if (shown->found) {
		pmu_strbuf_add(out, "The registers were looked at.\n");
		return;
	}
	pmu_strbuf_add(out, "Planned as if no other program was counting: ");
	pmu_command_wrap(out, 0, WIDTH, shown->unlooked);
	pmu_strbuf_add(out, "\n");
}

static size_t longest_name(const struct pmu_plan_shown *shown)
{
	size_t longest = 0;

	for (unsigned int i = 0; i < shown->group.n_events; i++)
		if (strlen(shown->group.event[i].name) > longest)
			longest = strlen(shown->group.event[i].name);
	return longest;
}

static const struct pmu_msr_counter *on_core(const struct pmu_msr_program *program,
					     unsigned int kind, int slot)
{
	for (unsigned int i = 0; i < program->n_counters[kind]; i++)
		if (program->counter[kind][i].slot == slot)
			return &program->counter[kind][i];
	return NULL;
}

static void add_plan_counter(struct pmu_strbuf *out, const struct pmu_machine *machine,
			     const struct pmu_msr_counter *counter)
{
	char name[64];

	pmu_msr_name(machine, counter->address, name, sizeof(name));
	pmu_strbuf_addf(out, "%s, %u bits", name, counter->bits);
}

/* A socket's counters of one slot, those of its first socket: the others are like it. */
static void add_socket_counters(struct pmu_strbuf *out, const struct pmu_plan_shown *shown,
				int slot)
{
	const struct pmu_msr_program *program = &shown->program;
	const struct pmu_msr_counter *first = NULL, *last = NULL;
	unsigned int n = 0;

	for (size_t u = 0;
	     u < program->n_units && program->unit[u].package == program->unit[0].package; u++) {
		for (unsigned int i = 0; i < program->unit[u].n_counters; i++) {
			if (program->unit[u].counter[i].slot != slot)
				continue;
			last = &program->unit[u].counter[i];
			if (!n++)
				first = last;
		}
	}
	if (!first)
		return;
	pmu_strbuf_add(out, "each socket: ");
	add_plan_counter(out, shown->machine, first);
	if (n > 1 && last->address == first->address)
		pmu_strbuf_addf(out, ", on %u processors, summed", n);
	else if (n > 1)
		pmu_strbuf_addf(out, ", and %u like it, summed", n - 1);
}

static bool same_counter(const struct pmu_msr_counter *a, const struct pmu_msr_counter *b)
{
	return a && b ? a->address == b->address && a->bits == b->bits : a == b;
}

/* Kinds of core that count it alike share a word. */
static void add_core_counters(struct pmu_strbuf *out, const struct pmu_plan_shown *shown, int slot)
{
	const struct pmu_machine *machine = shown->machine;

	for (unsigned int k = 0, next; k < machine->n_kinds; k = next) {
		const struct pmu_msr_counter *counter = on_core(&shown->program, k, slot);
		char name[32];

		for (next = k + 1; next < machine->n_kinds; next++)
			if (!same_counter(counter, on_core(&shown->program, next, slot)))
				break;
		pmu_strbuf_add(out, k ? "; " : "");
		for (unsigned int each = k; each < next && next - k < machine->n_kinds; each++) {
			pmu_plan_kind_name(machine, each, name, sizeof(name));
			pmu_strbuf_addf(out, "%s%s", each > k ? ", " : "", name);
		}
		pmu_strbuf_add(out, next - k == machine->n_kinds ? "each core: " : ": ");
		if (counter)
			add_plan_counter(out, machine, counter);
		else
			pmu_strbuf_add(out, "missing");
	}
}

static void add_event(struct pmu_strbuf *out, const struct pmu_plan_shown *shown, unsigned int slot,
		      size_t column)
{
	size_t start = out->len;

	pmu_strbuf_addf(out, "  %s", shown->group.event[slot].name);
	pmu_strbuf_pad(out, start + column, ' ');
	if (pmu_slot_is_socket(&shown->fit.plan.slot[slot]))
		add_socket_counters(out, shown, (int)slot);
	else
		add_core_counters(out, shown, (int)slot);
	pmu_strbuf_add(out, "\n");
}

static void add_left_out(struct pmu_strbuf *out, const struct pmu_plan_shown *shown,
			 unsigned int slot, size_t column)
{
	size_t start = out->len;

	pmu_strbuf_addf(out, "  %s", shown->group.event[slot].name);
	pmu_strbuf_pad(out, start + column, ' ');
	pmu_strbuf_add(out, "left out: ");
	pmu_command_wrap(out, column, WIDTH, shown->fit.why[slot]);
	pmu_strbuf_add(out, "\n");
}

static void add_plan_events(struct pmu_strbuf *out, const struct pmu_plan_shown *shown)
{
	size_t column = 2 + longest_name(shown) + 2;

	pmu_strbuf_addf(out, "\nevents of %s\n", shown->group.name);
	for (unsigned int i = 0; i < shown->fit.plan.n_slots; i++)
		if (!(shown->fit.plan.absent >> i & 1))
			add_event(out, shown, i, column);
	for (unsigned int i = 0; i < shown->fit.plan.n_slots; i++)
		if (shown->fit.plan.absent >> i & 1)
			add_left_out(out, shown, i, column);
	if (shown->group.note[0]) {
		pmu_strbuf_add(out, "  ");
		pmu_command_wrap(out, 2, WIDTH, shown->group.note);
		pmu_strbuf_add(out, "\n");
	}
}

static void add_taken_registers(struct pmu_strbuf *out, const struct pmu_plan_shown *shown)
{
	const char *at = shown->program.taken ? shown->program.taken : "";

	if (*at)
		pmu_strbuf_add(out, "\nleft alone\n");
	while (*at) {
		size_t len = strcspn(at, "\n");

		pmu_strbuf_add(out, "  ");
		pmu_strbuf_add_n(out, at, len);
		pmu_strbuf_add(out, "\n");
		at += len + (at[len] == '\n');
	}
}

void pmu_plan_text(const struct pmu_plan_shown *shown, bool all, struct pmu_strbuf *out)
{
	add_plan_machine(out, shown->machine);
	add_looked(out, shown);
	add_plan_events(out, shown);
	add_taken_registers(out, shown);
	for (unsigned int phase = 0; phase < PMU_MSR_PHASES; phase++)
		add_phase(out, shown, (enum pmu_msr_phase)phase, all);
}
