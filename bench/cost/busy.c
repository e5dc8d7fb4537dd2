/* SPDX-License-Identifier: BSD-3-Clause */
#include "busy.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than the last level of most caches: every access goes to memory. */
#define MEMORY ((size_t)64 << 20)
#define LINE   64

static cpu_set_t allowed;

static int nth_allowed(int nth)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &allowed) && nth-- == 0)
			return cpu;
	return -1;
}

static bool pin_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	return cpu >= 0 && sched_setaffinity(0, sizeof(one), &one) == 0;
}

void busy_pin(int nth)
{
	if (!CPU_COUNT(&allowed) && sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	pin_to(nth_allowed(nth));
}

/* --- what spins --- */

static volatile uint64_t sink;

static void spin_on_integers(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (;;) {
		for (int i = 0; i < 1000; i++) {
			a += b ^ (uint64_t)i;
			b += c ^ a;
			c += d ^ b;
			d += a ^ c;
		}
		sink = a + b + c + d;
	}
}

static void spin_on_memory(void)
{
	char *memory = malloc(MEMORY);

	if (!memory)
		spin_on_integers();
	for (char of = 0;; of++)
		for (size_t at = 0; at < MEMORY; at += LINE)
			memory[at] = (char)(memory[at] + of);
}

static const struct kind {
	const char *name;
	void (*spin)(void);
} kinds[] = {
	{ "none", NULL },
	{ "integers", spin_on_integers },
	{ "memory", spin_on_memory },
};

static const struct kind *find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

bool busy_known(const char *kind)
{
	return find(kind) != NULL;
}

/* --- where --- */

/* "0,64" or "0-1": any of them but @cpu that the process may use; -1. */
static int sibling_of(int cpu)
{
	char path[96], list[256] = "", *at = list;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 cpu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (!fgets(list, sizeof(list), file))
		list[0] = '\0';
	fclose(file);
	while (*at >= '0' && *at <= '9') {
		long first = strtol(at, &at, 10),
		     last = *at == '-' ? strtol(at + 1, &at, 10) : first;

		for (long other = first; other <= last && other < CPU_SETSIZE; other++)
			if (other != cpu && CPU_ISSET((size_t)other, &allowed))
				return (int)other;
		at += *at == ',';
	}
	return -1;
}

static int another_than(int cpu)
{
	int first = nth_allowed(0);

	return first == cpu ? nth_allowed(1) : first;
}

static int busy_cpu;

static void *run(void *arg)
{
	const struct kind *kind = arg;

	if (pin_to(busy_cpu))
		kind->spin();
	return NULL;
}

bool busy_start(const char *name)
{
	const struct kind *kind = find(name);
	int cpu = sched_getcpu(), sibling = sibling_of(cpu);
	pthread_t id;

	busy_cpu = sibling >= 0 ? sibling : another_than(cpu);
	if (!kind || !kind->spin || busy_cpu < 0 ||
	    pthread_create(&id, NULL, run, (void *)(uintptr_t)kind))
		return false;
	pthread_detach(id);
	return true;
}
