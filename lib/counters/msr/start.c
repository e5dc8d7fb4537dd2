/* SPDX-License-Identifier: BSD-3-Clause */
/* The msr source of one group: from nothing to counting, and back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "counters/msr/poller.h"
#include "counters/msr/registers.h"
#include "counters/msr/state.h"
#include "counters/perf/why.h"
#include "machine/cpuid.h"
#include "machine/perfmon.h"

/* Twice a minute and more: one that is late is still in time.  Wide counters alone have time. */
#define POLL_MS      20000
#define POLL_WIDE_MS (PMU_MSR_WIDE_NS / 1000000)

/* --- up to the first write --- */

/* What speaks of the whole source must not be taken for the refusal of one event. */
static int of_the_source(int rc)
{
	return rc == -ENOENT || rc == -EINVAL || rc == -EOPNOTSUPP || rc == -ENOSPC ? -ENODEV : rc;
}

static int refuse_probe(struct pmu_probe *probe, const struct pmu_machine_from *from, int rc)
{
	snprintf(probe->why, sizeof(probe->why), "%s", pmu_error_text());
	snprintf(probe->mend, sizeof(probe->mend), "%s", pmu_msr_device_mend(from, rc));
	return of_the_source(rc);
}

/*
 * A hypervisor that hides the PMU may take writes all the same: on AMD no CPUID leaf tells.  The
 * kernel has tried it when it started.
 */
static bool kernel_found_none(void)
{
#if defined(__x86_64__) || defined(__i386__)
	static const char *const found[] = { "/sys/bus/event_source/devices/cpu",
					     "/sys/bus/event_source/devices/cpu_core" };
	struct pmu_cpu_id id;

	if (pmu_cpu_identify(&id) || !id.hypervisor ||
	    access("/sys/bus/event_source/devices/software", F_OK))
		return false;
	for (size_t i = 0; i < PMU_ARRAY_LEN(found); i++)
		if (!access(found[i], F_OK))
			return false;
	return true;
#else
	return false;
#endif
}

/* Before a device is asked for that would be of no use. */
static int check_live_pmu(void)
{
	struct pmu_perfmon perfmon;
	struct pmu_cpuid cpuid;
	int rc = pmu_cpuid_live(&cpuid);

	if (rc == -ENODEV)
		return pmu_fail(ENOSYS, "registers are programmed on x86 only");
	if (rc)
		return pmu_fail(rc, "cannot find out what this CPU can count: %s", strerror(-rc));
	pmu_perfmon_decode(&cpuid, &perfmon);
	pmu_cpuid_free(&cpuid);
	return perfmon.family == PMU_PERFMON_NONE
		       ? pmu_fail(ENODEV, "there is no PMU that registers program: %s", perfmon.why)
		       : 0;
}

static bool is_other_machine(const struct pmu_machine_from *from)
{
	return from && (from->cpuid_file || from->msr_device);
}

/* Registers are programmed by the rules of one machine: never another's by a dump's. */
static int check_from(const struct pmu_machine_from *from)
{
	int rc = 0;

	if (from && from->cpuid_file && !from->msr_device)
		return pmu_fail(
			ENODEV,
			"PMU_CPUID_FILE describes another machine than this one: PMU_MSR_DEVICE "
			"must say where its registers are");
	if (!from || !from->cpuid_file)
		rc = check_live_pmu();
	return rc ? rc : pmu_msr_device_try(from);
}

static int reach_registers(struct pmu_msr *msr, const struct pmu_machine_from *from)
{
	int rc = check_from(from);

	if (!rc)
		rc = pmu_machine_load(from, &msr->machine);
	if (!rc)
		rc = pmu_msr_device_open(&msr->device, msr->machine, from);
	if (!rc)
		rc = pmu_msr_device_lock(&msr->device, msr->machine);
	/* What cannot be put back is found in use below, and left alone. */
	if (!rc)
		pmu_msr_journal_restore(&msr->device, msr->machine, NULL);
	return rc;
}

int pmu_msr_say_fault(const struct pmu_msr *msr, const struct pmu_msr_fault *fault)
{
	char name[64];

	pmu_msr_name(msr->machine, fault->op.address, name, sizeof(name));
	return pmu_fail(fault->error, "cannot %s %s (%XH) on CPU %d: %s",
			fault->op.write ? "write" : "read", name, fault->op.address, fault->op.cpu,
			strerror(-fault->error));
}

/* What the registers hold, in the order of the LOOK operations; for free(). */
static int look_at_registers(struct pmu_msr *msr, uint64_t **found)
{
	/* too large for the stack of a program's thread */
	struct pmu_msr_program *program = calloc(1, sizeof(*program));
	struct pmu_msr_fault fault;
	int rc;

	*found = NULL;
	if (!program)
		return pmu_fail(ENOMEM, "no memory to look at the registers");
	rc = pmu_msr_program_look(msr->machine, &msr->plan, program);
	if (!rc)
		*found = calloc(program->n_ops + 1, sizeof(**found));
	if (!rc && !*found)
		rc = pmu_fail(ENOMEM, "no memory to look at the registers");
	if (!rc &&
	    pmu_msr_device_run(&msr->device, program->op, program->n_ops, *found, false, &fault))
		rc = pmu_msr_say_fault(msr, &fault);
	pmu_msr_program_free(program);
	free(program);
	return rc;
}

/* Another program that counts here, unlike the kernel's watchdog, may not know of us. */
static void tell_strangers(const struct pmu_msr_program *program, char *text, size_t size)
{
	char taken[240];

	text[0] = '\0';
	if (!program->stranger)
		return;
	pmu_msr_program_taken(program->stranger, taken, sizeof(taken));
	snprintf(text, size, "another program counts on this machine, and is left alone: %s",
		 taken);
}

int pmu_msr_prepare(struct pmu_msr *msr, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	uint64_t *found = NULL;
	int rc;

	memset(msr, 0, sizeof(*msr));
	msr->device.batch.fd = msr->device.lock.fd = -1;
	msr->plan = *plan;
	/* in perf's words: it is the same refusal */
	if (!is_other_machine(plan->from) && kernel_found_none()) {
		pmu_perf_explain(plan, -ENODEV, 0, probe);
		return pmu_fail(ENODEV, "%s", probe->why);
	}
	msr->pid = getpid();
	rc = reach_registers(msr, plan->from);
	/* a machine without a PMU, or one that a hypervisor hides, has nothing to look at */
	if (!rc)
		rc = look_at_registers(msr, &found);
	if (rc) {
		rc = refuse_probe(probe, plan->from, rc);
	} else {
		rc = pmu_msr_program_make(msr->machine, &msr->plan, found, &msr->program, probe);
		if (!rc)
			tell_strangers(&msr->program, probe->why, sizeof(probe->why));
		else
			pmu_fail(rc, "%s%s%s", probe->why, probe->mend[0] ? "; " : "", probe->mend);
	}
	free(found);
	return rc;
}

/* --- counting --- */

static int run_phase(struct pmu_msr *msr, unsigned int phase)
{
	const struct pmu_msr_program *program = &msr->program;
	size_t first = program->first[phase], n = program->first[phase + 1] - first;
	struct pmu_msr_fault fault;
	int rc;

	if (!pmu_msr_signals_hold())
		return pmu_fail(EINTR, "a signal is ending the program");
	msr->n_written = first + n;
	rc = n ? pmu_msr_device_run(&msr->device, program->op + first, n, NULL, false, &fault) : 0;
	if (rc) {
		msr->n_written = first + fault.at;
		pmu_msr_say_fault(msr, &fault);
	}
	pmu_msr_signals_let_go();
	return rc;
}

static void poll_all(void *arg)
{
	struct pmu_msr *msr = arg;

	for (size_t i = 0; i < msr->machine->n_cpus; i++)
		pmu_msr_totals_poll(&msr->processor[i], pmu_msr_totals_now());
	for (unsigned int i = 0; i < msr->n_sockets; i++)
		pmu_msr_totals_poll(&msr->socket[i].totals, pmu_msr_totals_now());
}

/* Of the process that started it. */
static struct {
	pid_t pid;
	struct pmu_msr_poller poller;
} keeper;

static bool is_kept(void)
{
	return keeper.pid == getpid();
}

void pmu_msr_keeper_rest(void)
{
	if (is_kept())
		pmu_msr_poller_rest(&keeper.poller);
}

void pmu_msr_keeper_stop(void)
{
	if (is_kept())
		pmu_msr_poller_stop(&keeper.poller);
}

static void start_keeper(struct pmu_msr *msr)
{
	bool narrow = false;
	int rc;

	for (size_t i = 0; i < msr->machine->n_cpus; i++)
		narrow |= msr->processor[i].narrow;
	for (unsigned int i = 0; i < msr->n_sockets; i++)
		narrow |= msr->socket[i].totals.narrow;
	keeper.poller.runs = keeper.poller.runs && is_kept();
	keeper.pid = getpid();
	rc = pmu_msr_poller_start(&keeper.poller, narrow ? POLL_MS : POLL_WIDE_MS, poll_all, msr);
	if (rc)
		snprintf(
			msr->remark, sizeof(msr->remark),
			"no thread to keep up with counters (%s): regions longer than %s may miss counts",
			strerror(-rc), narrow ? "a minute" : "two hours");
}

static void arm(struct pmu_msr *msr)
{
	const struct pmu_msr_program *program = &msr->program;

	msr->rescue = (struct pmu_msr_rescue){
		.pid = msr->pid,
		.device = &msr->device,
		.journal = &msr->journal,
		.op = program->op + program->first[PMU_MSR_RESTORE],
		.n_ops = program->first[PMU_MSR_RESTORE + 1] - program->first[PMU_MSR_RESTORE],
	};
	pmu_msr_signals_arm(&msr->rescue);
}

int pmu_msr_start(struct pmu_msr *msr)
{
	char why[PMU_ERROR_MAX];
	int rc = pmu_msr_totals_build_all(msr);

	if (rc)
		return rc;
	if (msr->program.first[PMU_MSR_STOP] != msr->program.first[PMU_MSR_READ]) {
		pmu_msr_journal_write(&msr->journal, &msr->device, &msr->program);
		if (msr->journal.why[0])
			snprintf(
				msr->remark, sizeof(msr->remark),
				"were the program killed, its registers would stay as they are: no journal (%s)",
				msr->journal.why);
		arm(msr);
		msr->touched = true;
	}
	for (unsigned int phase = PMU_MSR_STOP; phase <= PMU_MSR_ENABLE && !rc; phase++)
		rc = run_phase(msr, phase);
	if (!rc)
		rc = pmu_msr_totals_start_all(msr);
	if (rc) {
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		pmu_msr_restore(msr);
		return pmu_fail(rc, "%s%s%s", why,
				pmu_msr_device_mend(msr->plan.from, rc)[0] ? "; " : "",
				pmu_msr_device_mend(msr->plan.from, rc));
	}
	start_keeper(msr);
	return 0;
}

/* --- and back --- */

/*
 * The program may have closed our descriptors, and the lock with them: then another session may
 * have come since, and have put everything back first.
 */
static int regain(struct pmu_msr *msr)
{
	bool held = pmu_msr_device_holds(&msr->device);
	int rc = 0;

	/* before its number may be another descriptor's */
	if (!held)
		pmu_msr_device_unlock(&msr->device);
	if (pmu_msr_device_check(&msr->device))
		rc = pmu_msr_device_reopen(&msr->device);
	if (rc || held)
		return rc;
	rc = pmu_msr_device_lock(&msr->device, NULL);
	if (!rc && msr->journal.path[0] && !pmu_msr_journal_is_there(&msr->journal))
		rc = -ESTALE;
	return rc;
}

static uint64_t key_of_op(const struct pmu_msr_op *op)
{
	return (uint64_t)(uint32_t)op->cpu << 32 | op->address;
}

static int by_key(const void *a, const void *b)
{
	const uint64_t *s = a, *t = b;

	return (*s > *t) - (*s < *t);
}

/* After a failed start: all of it is tried, but only what had been written can be left wrong. */
static int put_back_some(struct pmu_msr *msr)
{
	size_t first = msr->program.first[PMU_MSR_STOP], n = msr->n_written - first;
	uint64_t *key = calloc(n + 1, sizeof(*key)), value;
	int rc = 0;

	for (size_t i = 0; i < n && key; i++)
		key[i] = key_of_op(&msr->program.op[first + i]);
	if (key)
		qsort(key, n, sizeof(*key), by_key);
	for (size_t i = 0; i < msr->rescue.n_ops; i++) {
		const struct pmu_msr_op *op = &msr->rescue.op[i];
		uint64_t own = key_of_op(op);
		int error = pmu_msr_device_run_one(&msr->device, op, &value);

		if (error && !rc && (!key || bsearch(&own, key, n, sizeof(*key), by_key)))
			rc = pmu_msr_say_fault(
				msr, &(struct pmu_msr_fault){ .error = error, .op = *op });
	}
	free(key);
	return rc;
}

static int put_back_all(struct pmu_msr *msr)
{
	struct pmu_msr_fault fault;

	if (!pmu_msr_device_run(&msr->device, msr->rescue.op, msr->rescue.n_ops, NULL, true,
				&fault))
		return 0;
	return pmu_msr_say_fault(msr, &fault);
}

/*
 * A handler that has begun in another thread ends the process in the middle of whatever is done
 * here: what it has put back must not be stopped once more.
 */
static int put_registers_back(struct pmu_msr *msr)
{
	int rc;

	if (!pmu_msr_signals_hold())
		return pmu_fail(EINTR, "a signal is ending the program");
	rc = msr->n_written < msr->program.first[PMU_MSR_READ] ? put_back_some(msr)
							       : put_back_all(msr);
	pmu_msr_signals_let_go();
	return rc;
}

int pmu_msr_restore(struct pmu_msr *msr)
{
	int rc, error;

	if (!msr->touched)
		return 0;
	/* with what can be reached, whatever cannot */
	rc = regain(msr);
	if (rc != -EBUSY && rc != -ESTALE) {
		error = put_registers_back(msr);
		rc = error ? error : rc;
	}
	pmu_msr_signals_disarm();
	if (!rc || rc == -ESTALE)
		pmu_msr_journal_remove(&msr->journal);
	msr->touched = false;
	return rc;
}

void pmu_msr_release(struct pmu_msr *msr)
{
	pmu_msr_device_unlock(&msr->device);
	pmu_msr_device_close(&msr->device);
	pmu_msr_totals_free_all(msr);
	pmu_msr_program_free(&msr->program);
	pmu_machine_free(msr->machine);
	msr->machine = NULL;
}
