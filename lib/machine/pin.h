/* SPDX-License-Identifier: BSD-3-Clause */
/* Pinning: which thread goes on which logical processor. */
#ifndef PMU_MACHINE_PIN_H
#define PMU_MACHINE_PIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/process.h"
#include "machine/topology.h"

enum pmu_pin_policy {
	PMU_PIN_NONE,
	PMU_PIN_AUTO,    /* a PU of its own per thread, whole cores first, unclaimed by other
			 sessions */
	PMU_PIN_COMPACT, /* in hwloc's order: siblings of a core, then the next core */
	PMU_PIN_SCATTER, /* as far apart as possible */
	PMU_PIN_LIST,    /* the CPUs of a list, in its order */
};

/** A policy as it was asked for. */
struct pmu_pin_request {
	enum pmu_pin_policy policy;
	int cpu[1024]; /* PMU_PIN_LIST: OS numbers in order, each once */
	unsigned int n_cpus;
	/*
	 * Not 0: the processors are another machine's (HWLOC_XMLFILE's, or that many).  Threads get
	 * numbers of them by the same policies, one that the program has bound to a processor that
	 * processor's; nothing is bound, nothing claimed.
	 */
	unsigned int elsewhere;
};

/**
 * pmu_pin_parse() - PMU_PIN's text
 * @text: auto, none, compact, scatter, cpus:0-3,8
 * Return: 0; -EINVAL with a sentence that names the nearest choice, or the part of a list
 * that is wrong.
 */
int pmu_pin_parse(const char *text, struct pmu_pin_request *request);

/**
 * pmu_pin_check() - may the calling thread use each CPU of a list?
 * Return: 0, also for other policies; -EINVAL with a sentence that has those it may use.
 */
int pmu_pin_check(const struct pmu_pin_request *request);

struct pmu_pinning; /* a session's pinning */

/**
 * pmu_pinning_open() - get ready
 * @request: policy; for PMU_PIN_LIST every CPU must be one that the calling thread may
 * use
 * @dir: an existing folder of this user alone, where sessions tell each other which CPUs
 * they have taken (machine/claims.h); NULL: this session neither asks nor tells.  Copied.
 * @self: this process
 *
 * Loads the topology at the first thread that needs it, not here.
 * Return: 0; -EINVAL with a sentence for a CPU that is not there or not allowed (names
 * those that are); -ENOMEM.
 */
int pmu_pinning_open(struct pmu_pinning **pinning, const struct pmu_pin_request *request,
		     const char *dir, const struct pmu_process *self);

/** pmu_pinning_close() - give the claims back; threads stay where they are.  NULL is
 * allowed. */
void pmu_pinning_close(struct pmu_pinning *pinning);

/**
 * pmu_pinning_abandon() - in a forked child: the claims are the parent's, and so is the
 * pin
 *
 * Nothing is freed: the child of a raw fork cannot know in which state malloc is.  If it
 * was made without our fork(), the calling thread gets its original mask here.  NULL is
 * allowed.
 */
void pmu_pinning_abandon(struct pmu_pinning *pinning);

/**
 * pmu_pinning_thread() - pin the calling thread by the policy
 * @why: result: "" or why it was not pinned, a clause ("more threads than processors")
 *
 * A thread that is already bound to one PU is left alone and its PU reported, under every
 * policy.  Others are placed within their own mask, in order of arrival: auto gives each
 * a PU of its own while there are any; the others use each PU of theirs as often as any
 * other, so that thread k goes to the (k mod n)th.  A PU given back by
 * pmu_pinning_release() is used again.  A thread that an earlier session pinned is placed
 * anew.
 *
 * Context: the session's lock is held.  May load the topology (malloc).
 * Return: OS number of the CPU, or -1 where the thread was not pinned.
 */
int pmu_pinning_thread(struct pmu_pinning *pinning, char *why, size_t size);

/** pmu_pinning_release() - a thread that was given @cpu has finished; its PU is free
 * again.  -1 is allowed. */
void pmu_pinning_release(struct pmu_pinning *pinning, int cpu);

/**
 * pmu_pinning_describe() - one clause for the report's head: "auto: 2 threads on CPUs
 * 0,1"
 *
 * Every thread that was ever placed is in it, those that have finished too.
 */
void pmu_pinning_describe(const struct pmu_pinning *pinning, char *text, size_t size);

/*
 * A pin is not inherited.  Code that starts a thread or a process does it between these
 * two: the calling thread has the mask in between that it had before we pinned it.
 * Both keep errno, are async-signal-safe, may be nested and called in a child of vfork,
 * and cost nothing in a thread we did not pin.  A mask that the program has set since
 * then (also by a system call) is never undone.
 */
void pmu_pin_lift(void);
void pmu_pin_restore(void);

/**
 * pmu_pin_original() - 1 and the original mask (a cpu_set_t of @size bytes) if we pinned
 * thread @tid, else 0
 *
 * @tid: 0 for the calling thread.  Only while the thread still is where we put it.
 * Async-signal-safe.
 */
int pmu_pin_original(int tid, size_t size, void *mask);

#endif
