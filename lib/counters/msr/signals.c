/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers are put back before SIGINT or SIGTERM ends the program. */
#include "counters/msr/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"

static const int signals[] = { SIGINT, SIGTERM };

static const struct pmu_msr_rescue *armed;
static int at_work;  /* handlers that may be using it */
static bool ending;  /* a handler is putting registers back */
static pid_t writer; /* the thread that is programming them; 0: none */
static pid_t armed_by;

/* The thread that is waited for gets the processor, whatever the waiter's priority. */
static void yield_to_writer(void)
{
	static const struct timespec pause = { .tv_nsec = 20000 };

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

static pid_t current_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/*
 * Each side says first what it is about to do, then looks at the other: at least one of them sees
 * the other.
 */
bool pmu_msr_signals_hold(void)
{
	__atomic_store_n(&writer, current_tid(), __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&ending, __ATOMIC_SEQ_CST))
		return true;
	pmu_msr_signals_let_go();
	return false;
}

void pmu_msr_signals_let_go(void)
{
	__atomic_store_n(&writer, 0, __ATOMIC_SEQ_CST);
}

/* A writer that this handler has interrupted never goes on. */
static void wait_for_writer(void)
{
	pid_t self = current_tid(), other;

	__atomic_store_n(&ending, true, __ATOMIC_SEQ_CST);
	while ((other = __atomic_load_n(&writer, __ATOMIC_SEQ_CST)) != 0 && other != self)
		yield_to_writer();
}

static void rescue_registers(const struct pmu_msr_rescue *rescue)
{
	uint64_t value;
	int failed = 0;

	wait_for_writer();
	/* The batch's room may be in use by what was interrupted: one by one. */
	pmu_msr_device_check(rescue->device);
	for (size_t i = 0; i < rescue->n_ops; i++)
		failed |= pmu_msr_device_run_one(rescue->device, &rescue->op[i], &value);
	if (!failed)
		pmu_msr_journal_remove(rescue->journal);
}

static void handle_signal(int number)
{
	const struct pmu_msr_rescue *rescue;
	struct sigaction usual;
	int saved = errno;

	__atomic_add_fetch(&at_work, 1, __ATOMIC_SEQ_CST);
	rescue = __atomic_load_n(&armed, __ATOMIC_SEQ_CST);
	if (rescue && rescue->pid == getpid())
		rescue_registers(rescue);
	__atomic_sub_fetch(&at_work, 1, __ATOMIC_SEQ_CST);
	memset(&usual, 0, sizeof(usual));
	usual.sa_handler = SIG_DFL;
	sigaction(number, &usual, NULL);
	/* blocked until this returns */
	raise(number);
	errno = saved;
}

void pmu_msr_signals_arm(const struct pmu_msr_rescue *rescue)
{
	struct sigaction now, ours;

	/* the first process of a container: by default the kernel lets neither signal end it */
	if (rescue->pid == 1)
		return;
	/*
	 * a handler that was at work in another thread when this process was forked is the parent's
	 */
	if (armed_by != rescue->pid)
		__atomic_store_n(&at_work, 0, __ATOMIC_SEQ_CST);
	armed_by = rescue->pid;
	__atomic_store_n(&ending, false, __ATOMIC_SEQ_CST);
	__atomic_store_n(&armed, rescue, __ATOMIC_SEQ_CST);
	memset(&ours, 0, sizeof(ours));
	ours.sa_handler = handle_signal;
	ours.sa_flags = SA_ONSTACK | SA_RESTART;
	sigfillset(&ours.sa_mask);
	for (size_t i = 0; i < PMU_ARRAY_LEN(signals); i++)
		if (!sigaction(signals[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == SIG_DFL)
			sigaction(signals[i], &ours, NULL);
}

void pmu_msr_signals_disarm(void)
{
	struct sigaction now, usual;

	memset(&usual, 0, sizeof(usual));
	usual.sa_handler = SIG_DFL;
	for (size_t i = 0; i < PMU_ARRAY_LEN(signals); i++)
		if (!sigaction(signals[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == handle_signal)
			sigaction(signals[i], &usual, NULL);
	__atomic_store_n(&armed, NULL, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&at_work, __ATOMIC_SEQ_CST))
		yield_to_writer();
}
