/* SPDX-License-Identifier: BSD-3-Clause */
/* Which counters belong to which processor's or socket's totals. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "counters/msr/state.h"

static size_t count_entries(const struct pmu_msr *msr)
{
	size_t n = 0;

	for (size_t i = 0; i < msr->machine->n_cpus; i++)
		n += msr->program.n_counters[msr->machine->cpu[i].kind];
	for (size_t i = 0; i < msr->program.n_units; i++)
		n += msr->program.unit[i].n_counters;
	return n;
}

static void add_totals_entry(struct pmu_msr *msr, struct pmu_msr_totals *totals, int cpu,
			     const struct pmu_msr_counter *counter)
{
	totals->entry[totals->n_entries++] = (struct pmu_msr_entry){
		.cpu = cpu,
		.fd = pmu_msr_fd(&msr->device, cpu),
		.address = counter->address,
		.rdpmc = totals->cpu < 0 ? UINT32_MAX : counter->rdpmc,
		.bits = (uint8_t)counter->bits,
		.slot = (uint8_t)counter->slot,
		.hold = counter->hold,
	};
	totals->missing &= ~(1u << counter->slot);
}

static void begin_totals(struct pmu_msr *msr, struct pmu_msr_totals *totals, int cpu,
			 struct pmu_msr_entry *entry)
{
	totals->cpu = cpu;
	totals->entry = entry;
	totals->device = &msr->device;
	totals->machine = msr->machine;
	totals->used = cpu < 0;
	totals->all = pmu_plan_mask(&msr->plan);
	totals->missing = totals->all;
}

static struct pmu_msr_entry *fill_cpus(struct pmu_msr *msr, struct pmu_msr_entry *entry)
{
	for (size_t i = 0; i < msr->machine->n_cpus; i++) {
		const struct pmu_machine_cpu *at = &msr->machine->cpu[i];

		begin_totals(msr, &msr->processor[i], at->pu.cpu, entry);
		for (unsigned int j = 0; j < msr->program.n_counters[at->kind]; j++)
			add_totals_entry(msr, &msr->processor[i], at->pu.cpu,
					 &msr->program.counter[at->kind][j]);
		entry += msr->processor[i].n_entries;
	}
	return entry;
}

static void fill_sockets(struct pmu_msr *msr, struct pmu_msr_entry *entry)
{
	struct pmu_msr_socket_totals *socket = NULL;

	/* units of one package follow each other */
	for (size_t i = 0; i < msr->program.n_units; i++) {
		const struct pmu_msr_unit *unit = &msr->program.unit[i];

		if (!socket || socket->package != unit->package) {
			socket = &msr->socket[msr->n_sockets++];
			socket->package = unit->package;
			begin_totals(msr, &socket->totals, -1, entry);
		}
		for (unsigned int j = 0; j < unit->n_counters; j++, entry++)
			add_totals_entry(msr, &socket->totals, unit->cpu, &unit->counter[j]);
	}
}

int pmu_msr_totals_build_all(struct pmu_msr *msr)
{
	struct pmu_msr_entry *rest;

	msr->processor = calloc(msr->machine->n_cpus, sizeof(*msr->processor));
	msr->socket = calloc(msr->program.n_units + 1, sizeof(*msr->socket));
	msr->entries = calloc(count_entries(msr) + 1, sizeof(*msr->entries));
	if (!msr->processor || !msr->socket || !msr->entries)
		return pmu_fail(ENOMEM, "no memory for the counts of %zu processors",
				msr->machine->n_cpus);
	for (unsigned int i = 0; i < msr->plan.n_slots; i++)
		if (msr->plan.slot[i].kind == PMU_SLOT_ENERGY &&
		    msr->plan.slot[i].unit < PMU_ENERGY_DOMAINS)
			msr->scale[i] = msr->program.energy_uj[msr->plan.slot[i].unit];
	rest = fill_cpus(msr, msr->entries);
	fill_sockets(msr, rest);
	return 0;
}

void pmu_msr_totals_free_all(struct pmu_msr *msr)
{
	free(msr->processor);
	free(msr->socket);
	free(msr->entries);
	msr->processor = NULL;
	msr->socket = NULL;
	msr->entries = NULL;
}

static void begin_all(struct pmu_msr *msr, const uint64_t *value)
{
	uint64_t now = pmu_msr_totals_now();

	for (size_t i = 0; i < count_entries(msr); i++)
		msr->entries[i].last = value[i];
	for (size_t i = 0; i < msr->machine->n_cpus; i++)
		pmu_msr_totals_start(&msr->processor[i], now);
	for (unsigned int i = 0; i < msr->n_sockets; i++)
		pmu_msr_totals_start(&msr->socket[i].totals, now);
}

int pmu_msr_totals_start_all(struct pmu_msr *msr)
{
	size_t n_checks = pmu_msr_checks(msr), n = n_checks + count_entries(msr);
	struct pmu_msr_op *op = calloc(n + 1, sizeof(*op));
	uint64_t *value = calloc(n + 1, sizeof(*value));
	struct pmu_msr_fault fault;
	int rc = op && value ? 0 : pmu_fail(ENOMEM, "no memory to read %zu counters", n);

	if (!rc)
		pmu_msr_check_reads(msr, op);
	for (size_t i = n_checks; i < n && !rc; i++)
		op[i] = (struct pmu_msr_op){ .address = msr->entries[i - n_checks].address,
					     .cpu = msr->entries[i - n_checks].cpu,
					     .phase = PMU_MSR_READ,
					     .slot = (int8_t)msr->entries[i - n_checks].slot,
					     .socket = -1 };
	if (!rc && pmu_msr_device_run(&msr->device, op, n, value, false, &fault))
		rc = pmu_msr_say_fault(msr, &fault);
	if (!rc)
		rc = pmu_msr_check_kept(msr, value);
	if (!rc)
		begin_all(msr, value + n_checks);
	free(op);
	free(value);
	return rc;
}

static const struct pmu_machine_cpu *find_machine_cpu(const struct pmu_machine *machine, int cpu)
{
	size_t low = 0, high = machine->n_cpus;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (machine->cpu[middle].pu.cpu == cpu)
			return &machine->cpu[middle];
		if (machine->cpu[middle].pu.cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct pmu_msr_totals *pmu_msr_totals_of(const struct pmu_msr *msr, int cpu)
{
	const struct pmu_machine_cpu *at = find_machine_cpu(msr->machine, cpu);

	return at ? &msr->processor[at - msr->machine->cpu] : NULL;
}

int pmu_msr_socket_of(const struct pmu_msr *msr, int cpu)
{
	const struct pmu_machine_cpu *at = find_machine_cpu(msr->machine, cpu);

	for (unsigned int i = 0; at && i < msr->n_sockets; i++)
		if (msr->socket[i].package == at->pu.package)
			return (int)i;
	return -1;
}
