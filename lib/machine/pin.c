/* SPDX-License-Identifier: BSD-3-Clause */
/* Pinning: which thread goes on which logical processor. */
#include "machine/pin.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "machine/claims.h"
#include "machine/mask.h"
#include "machine/pinned.h"
#include "machine/places.h"

static const char *const policy_names[] = {
	[PMU_PIN_NONE] = "none",       [PMU_PIN_AUTO] = "auto", [PMU_PIN_COMPACT] = "compact",
	[PMU_PIN_SCATTER] = "scatter", [PMU_PIN_LIST] = "cpus", NULL,
};

/* Processors that the first thread's core is looked for among, before the topology is asked. */
#define FIRST_TRIES 8

#define CHOICES "auto, none, compact, scatter or cpus:0-3,8"

struct pmu_pinning {
	struct pmu_pinning *older; /* in the list of abandoned ones */
	struct pmu_pin_request request;
	struct pmu_topology *topology; /* NULL until it is needed, or where loading it failed */
	bool topology_failed;
	struct pmu_places places;  /* empty until it is needed */
	struct pmu_mask elsewhere; /* the processors of another machine */
	/* For pmu_pinning_describe(). */
	struct pmu_mask cpus;
	unsigned int n_pinned;
	unsigned int n_bound;
	unsigned int n_not_pinned;
	char why_not[96]; /* of the last that was not */
	struct pmu_claims claims;
};

/* One "8" or "0-3" of a list.  Return: 0, or -EINVAL with a sentence. */
static int parse_range(char *item, struct pmu_pin_request *request, struct pmu_mask *seen)
{
	char *dash = strchr(item, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (pmu_parse_u64(item, &first) || pmu_parse_u64(dash ? dash + 1 : item, &last)) {
		if (dash)
			*dash = '-';
		return pmu_fail(EINVAL,
				"'%s' in the list of CPUs is not a number or a range; "
				"write it as in cpus:0-3,8",
				item);
	}
	if (first > last || last >= PMU_MASK_CPUS)
		return pmu_fail(EINVAL,
				"the CPUs %llu-%llu are no range from low to high "
				"below %d",
				(unsigned long long)first, (unsigned long long)last, PMU_MASK_CPUS);
	for (int cpu = (int)first; cpu <= (int)last; cpu++) {
		if (pmu_mask_has(seen, cpu))
			return pmu_fail(EINVAL, "CPU %d is listed twice", cpu);
		if (request->n_cpus == PMU_ARRAY_LEN(request->cpu))
			return pmu_fail(EINVAL, "more than %zu CPUs are listed",
					PMU_ARRAY_LEN(request->cpu));
		pmu_mask_set(seen, cpu);
		request->cpu[request->n_cpus++] = cpu;
	}
	return 0;
}

static int parse_list(const char *text, struct pmu_pin_request *request)
{
	struct pmu_mask seen = { { 0 } };
	char item[48];
	size_t len;
	int rc;

	request->policy = PMU_PIN_LIST;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		if (len >= sizeof(item))
			return pmu_fail(EINVAL,
					"'%.20s...' in the list of CPUs is not a "
					"number or a range",
					text);
		memcpy(item, text, len);
		item[len] = '\0';
		rc = parse_range(item, request, &seen);
		if (rc || !text[len])
			return rc;
	}
}

static int parse_policy(const char *text, struct pmu_pin_request *request)
{
	const char *near;

	for (int i = 0; policy_names[i]; i++) {
		if (i == PMU_PIN_LIST || strcmp(text, policy_names[i]) != 0)
			continue;
		request->policy = (enum pmu_pin_policy)i;
		return 0;
	}
	near = pmu_closest(text, policy_names);
	if (near && !strcmp(near, policy_names[PMU_PIN_LIST]))
		near = "cpus:LIST";
	return pmu_fail(EINVAL, "'%.60s' is no way of pinning%s%s; choose " CHOICES, text,
			near ? ", did you mean " : "", near ? near : "");
}

int pmu_pin_parse(const char *text, struct pmu_pin_request *request)
{
	struct pmu_pin_request parsed = { .policy = PMU_PIN_NONE };
	int rc;

	if (!strncmp(text, "cpus:", 5))
		rc = parse_list(text + 5, &parsed);
	else
		rc = parse_policy(text, &parsed);
	if (!rc)
		*request = parsed;
	return rc;
}

int pmu_pin_check(const struct pmu_pin_request *request)
{
	struct pmu_mask mask;
	char allowed[128];

	/* without an answer the kernel's refusal comes with the first thread */
	if (request->policy != PMU_PIN_LIST || request->elsewhere || pmu_pinned_own_mask(&mask))
		return 0;
	for (unsigned int i = 0; i < request->n_cpus; i++) {
		if (pmu_mask_has(&mask, request->cpu[i]))
			continue;
		pmu_mask_format(&mask, allowed, sizeof(allowed));
		return pmu_fail(EINVAL, "CPU %d is not among those this process may use (%s)",
				request->cpu[i], allowed);
	}
	return 0;
}

int pmu_pinning_open(struct pmu_pinning **pinning, const struct pmu_pin_request *request,
		     const char *dir, const struct pmu_process *self)
{
	struct pmu_pinning *made;
	int rc;

	*pinning = NULL;
	rc = pmu_pin_check(request);
	if (rc)
		return rc;
	/* untouched pages cost nothing, and a forked child has a copy of its own */
	made = pmu_roots_alloc(sizeof(*made));
	if (!made)
		return pmu_fail(ENOMEM, "no memory for pinning");
	made->request = *request;
	pmu_claims_open(&made->claims,
			request->policy == PMU_PIN_NONE || request->elsewhere ? NULL : dir, self);
	*pinning = made;
	return 0;
}

void pmu_pinning_close(struct pmu_pinning *pinning)
{
	if (!pinning)
		return;
	pmu_claims_close(&pinning->claims);
	pmu_topology_free(pinning->topology);
	pmu_places_free(&pinning->places);
	pmu_roots_free(pinning, sizeof(*pinning));
}

/* What is not freed is still pointed to, so that leak checkers take it for what it is. */
static struct pmu_pinning *abandoned;

void pmu_pinning_abandon(struct pmu_pinning *pinning)
{
	if (pinning) {
		pinning->older = abandoned;
		abandoned = pinning;
	}
	pmu_pinned_disown();
}

/* Loaded now if it is not yet; NULL with a sentence. */
static struct pmu_topology *pinning_topology(struct pmu_pinning *pinning)
{
	if (!pinning->topology && pmu_topology_load(&pinning->topology))
		pinning->topology_failed = true;
	return pinning->topology;
}

static int order_places(struct pmu_pinning *pinning, const struct pmu_mask *mask)
{
	struct pmu_topology *topology = NULL;

	if (pinning->places.n)
		return 0;
	if (pinning->request.policy != PMU_PIN_LIST &&
	    (!pinning->request.elsewhere || secure_getenv("HWLOC_XMLFILE")))
		topology = pinning_topology(pinning);
	return pmu_places_order(&pinning->places, &pinning->request, topology, mask);
}

static void claim(struct pmu_pinning *pinning, int cpu)
{
	struct pmu_mask one = { { 0 } };

	if (pinning->request.policy == PMU_PIN_NONE || pmu_mask_has(&pinning->claims.mine, cpu) ||
	    pmu_claims_lock(&pinning->claims))
		return;
	pmu_mask_set(&one, cpu);
	pmu_claims_sift(&pinning->claims, &one);
	pmu_claims_unlock(&pinning->claims, cpu);
}

/* No session has claimed any processor of its core; a core that is not known counts as claimed. */
static PMU_COLD bool is_core_free(struct pmu_claims *claims, int cpu)
{
	char path[80], text[256];
	struct pmu_mask core;

	if (!claims->n)
		return true;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 cpu);
	if (pmu_sysfile_read(path, text, sizeof(text)) < 0 || pmu_mask_parse(text, &core))
		return false;
	pmu_claims_sift(claims, &core);
	for (size_t i = 0; i < PMU_ARRAY_LEN(core.word); i++)
		if (core.word[i] & claims->others.word[i])
			return false;
	return true;
}

/*
 * auto, the only thread so far: on a core of its own it is alone, whatever else the topology says,
 * and hwloc reads some hundred files for that.  Return: -1 where none was found soon.
 */
static int choose_first(struct pmu_pinning *pinning, const struct pmu_mask *mask)
{
	int cpu = -1, tries = 0;
	bool locked;

	if (pinning->n_pinned || pinning->n_bound || pmu_topology_is_given())
		return -1;
	locked = !pmu_claims_lock(&pinning->claims);
	do
		cpu = pmu_mask_next(mask, cpu + 1);
	while (cpu >= 0 && !is_core_free(&pinning->claims, cpu) && ++tries < FIRST_TRIES);
	if (tries == FIRST_TRIES)
		cpu = -1;
	if (locked)
		pmu_claims_unlock(&pinning->claims, cpu);
	return cpu;
}

/* auto: choosing and claiming are one step, or two sessions would choose the same. */
static int choose_unclaimed(struct pmu_pinning *pinning, const struct pmu_mask *mask)
{
	static const struct pmu_mask nobody;
	struct pmu_mask mine = *mask;
	bool locked;
	int cpu;

	/* one that we claimed for a thread that is gone costs no look at the file */
	for (size_t i = 0; i < PMU_ARRAY_LEN(mine.word); i++)
		mine.word[i] &= pinning->claims.mine.word[i];
	cpu = pmu_places_idle(&pinning->places, &mine, &nobody);
	if (cpu >= 0)
		return cpu;
	locked = !pmu_claims_lock(&pinning->claims);
	pmu_claims_sift(&pinning->claims, NULL);
	cpu = pmu_places_idle(&pinning->places, mask, &pinning->claims.others);
	if (locked)
		pmu_claims_unlock(&pinning->claims, cpu);
	return cpu;
}

/* Why choosing came to nothing. */
static const char *explain_unpinned(const struct pmu_pinning *pinning, const struct pmu_mask *mask)
{
	int cpu;

	if (pinning->request.policy == PMU_PIN_LIST)
		return "its own mask has none of the listed CPUs";
	for (size_t i = 0; i < pinning->places.n; i++) {
		cpu = pinning->places.place[i].cpu;
		if (pmu_mask_has(mask, cpu) && !pinning->places.on[cpu])
			return "other sessions have claimed every free processor";
	}
	return "more threads than processors";
}

static int not_pinned(struct pmu_pinning *pinning, const char *reason, char *why, size_t size)
{
	pinning->n_not_pinned++;
	snprintf(pinning->why_not, sizeof(pinning->why_not), "%s", reason);
	snprintf(why, size, "%s", reason);
	return -1;
}

static int placed(struct pmu_pinning *pinning, int cpu, unsigned int *counter)
{
	pinning->places.on[cpu]++;
	pmu_mask_set(&pinning->cpus, cpu);
	++*counter;
	return cpu;
}

/* All processors of another machine: its topology's, or as many as it has. */
static const struct pmu_mask *mask_elsewhere(struct pmu_pinning *pinning)
{
	const struct pmu_pu *pu = NULL;
	struct pmu_topology *topology = NULL;
	size_t n = 0;

	if (pmu_mask_next(&pinning->elsewhere, 0) >= 0)
		return &pinning->elsewhere;
	if (secure_getenv("HWLOC_XMLFILE"))
		topology = pinning_topology(pinning);
	if (topology)
		n = pmu_topology_machine(topology, &pu);
	for (size_t i = 0; i < n; i++)
		pmu_mask_set(&pinning->elsewhere, pu[i].cpu);
	for (unsigned int i = 0; !n && i < pinning->request.elsewhere; i++)
		pmu_mask_set(&pinning->elsewhere, (int)i);
	return &pinning->elsewhere;
}

/*
 * A thread that the program has bound to one processor is on the other machine's of that number.
 * Not where our parent process may run nowhere else either: that is a small machine, or the parent
 * is bound, too.  Return: -1: it is not bound.
 */
static int bound_elsewhere(const struct pmu_mask *there)
{
	struct pmu_mask mine, parents;
	int cpu;

	if (pmu_mask_of_thread(0, &mine) || pmu_mask_of_thread(getppid(), &parents))
		return -1;
	cpu = pmu_mask_single(&mine);
	return cpu >= 0 && pmu_mask_has(there, cpu) && !pmu_mask_equal(&mine, &parents) ? cpu : -1;
}

static int thread_elsewhere(struct pmu_pinning *pinning, char *why, size_t size)
{
	static const struct pmu_mask nobody;
	const struct pmu_mask *mask = mask_elsewhere(pinning);
	int cpu = bound_elsewhere(mask);

	if (cpu >= 0)
		return placed(pinning, cpu, &pinning->n_bound);
	if (pinning->request.policy == PMU_PIN_NONE)
		return -1;
	if (order_places(pinning, mask))
		return not_pinned(pinning, pmu_error_text(), why, size);
	cpu = pinning->request.policy == PMU_PIN_AUTO
		      ? pmu_places_idle(&pinning->places, mask, &nobody)
		      : pmu_places_turn(&pinning->places, mask);
	if (cpu < 0)
		return not_pinned(pinning, explain_unpinned(pinning, mask), why, size);
	return placed(pinning, cpu, &pinning->n_pinned);
}

int pmu_pinning_thread(struct pmu_pinning *pinning, char *why, size_t size)
{
	bool is_auto = pinning->request.policy == PMU_PIN_AUTO;
	struct pmu_mask mask;
	int cpu;

	snprintf(why, size, "%s", "");
	if (pinning->request.elsewhere)
		return thread_elsewhere(pinning, why, size);
	if (pmu_pinned_own_mask(&mask))
		return pinning->request.policy == PMU_PIN_NONE
			       ? -1
			       : not_pinned(pinning, "the kernel does not tell where it may run",
					    why, size);
	cpu = pmu_mask_single(&mask);
	if (cpu >= 0) {
		claim(pinning, cpu);
		return placed(pinning, cpu, &pinning->n_bound);
	}
	if (pinning->request.policy == PMU_PIN_NONE)
		return -1;
	if (is_auto)
		cpu = choose_first(pinning, &mask);
	if (cpu < 0 && order_places(pinning, &mask))
		return not_pinned(pinning, pmu_error_text(), why, size);
	if (cpu < 0)
		cpu = is_auto ? choose_unclaimed(pinning, &mask)
			      : pmu_places_turn(&pinning->places, &mask);
	if (cpu < 0)
		return not_pinned(pinning, explain_unpinned(pinning, &mask), why, size);
	if (pmu_pinned_bind(cpu, &mask))
		return not_pinned(pinning, pmu_error_text(), why, size);
	claim(pinning, cpu);
	return placed(pinning, cpu, &pinning->n_pinned);
}

void pmu_pinning_release(struct pmu_pinning *pinning, int cpu)
{
	if (cpu >= 0 && cpu < PMU_MASK_CPUS && pinning->places.on[cpu])
		pinning->places.on[cpu]--;
}

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

/* " on CPU 3", " on CPUs 0-1,4" */
static void format_cpus(const struct pmu_mask *cpus, char *text, size_t size)
{
	size_t len = (size_t)snprintf(text, size, " on CPU%s", plural(pmu_mask_count(cpus)));
	const char *between = " ";
	int last;

	for (int cpu = pmu_mask_next(cpus, 0); cpu >= 0;
	     cpu = pmu_mask_next(cpus, last + 1), between = ",") {
		for (last = cpu; pmu_mask_has(cpus, last + 1);)
			last++;
		if (len + sizeof(",8190-8191,...") > size) {
			snprintf(text + len, size - len, "%s...", between);
			return;
		}
		len += (size_t)snprintf(text + len, size - len, last > cpu ? "%s%d-%d" : "%s%d",
					between, cpu, last);
	}
}

void pmu_pinning_describe(const struct pmu_pinning *pinning, char *text, size_t size)
{
	const char *name = policy_names[pinning->request.policy];
	unsigned int n_bound = pinning->n_bound, n_not = pinning->n_not_pinned;
	unsigned int n = pinning->n_pinned + n_bound;
	char cpus[96], bound[48] = "", placed_text[192] = "", rest[160] = "";

	if (pinning->n_pinned && n_bound)
		snprintf(bound, sizeof(bound), ", %u of them bound before,", n_bound);
	else if (n_bound)
		snprintf(bound, sizeof(bound), " bound before");
	format_cpus(&pinning->cpus, cpus, sizeof(cpus));
	if (n)
		snprintf(placed_text, sizeof(placed_text), "%u thread%s%s%s", n, plural(n), bound,
			 cpus);
	if (n_not)
		snprintf(rest, sizeof(rest), "%s%u thread%s not pinned: %s", n ? "; " : "", n_not,
			 plural(n_not), pinning->why_not);
	if (!n && !n_not)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%s: %s%s%s", name, placed_text, rest,
			 pinning->topology_failed ? "; without a topology" : "");
}
