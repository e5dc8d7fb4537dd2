/* SPDX-License-Identifier: BSD-3-Clause */
/* Lends other libraries an environment in which a variable is set. */
#include "base/environ.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"

struct pmu_environ {
	char **before;
	char **during; /* the setting, then the program's */
	char *setting;
	const char *hidden;
	struct pmu_environ *older; /* keeps the copies reachable for leak checkers */
};

static struct pmu_environ *copies;
static struct pmu_lock lock;

static void fill_environ(struct pmu_environ *copy, size_t n)
{
	size_t k = 0;

	copy->during[k++] = copy->setting;
	for (size_t i = 0; i < n && copy->before[i]; i++)
		if (!copy->hidden ||
		    strncmp(copy->before[i], copy->hidden, strlen(copy->hidden)) != 0)
			copy->during[k++] = copy->before[i];
	copy->during[k] = NULL;
}

struct pmu_environ *pmu_environ_enter(char *setting, const char *hidden)
{
	struct pmu_environ *copy;
	char **before;
	size_t n = 0;

	pmu_lock_take(&lock);
	before = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
	while (before && before[n])
		n++;
	copy = malloc(sizeof(*copy) + (n + 2) * sizeof(char *));
	if (!copy) {
		pmu_lock_give(&lock);
		return NULL;
	}
	*copy = (struct pmu_environ){ .before = before,
				      .during = (char **)(copy + 1),
				      .setting = setting,
				      .hidden = hidden,
				      .older = copies };
	fill_environ(copy, n);
	copies = copy;
	__atomic_store_n(&environ, copy->during, __ATOMIC_RELEASE);
	return copy;
}

/* A variable that another thread has given a new value meanwhile. */
static void take_back_changes(struct pmu_environ *copy)
{
	for (size_t i = 0; copy->before && copy->before[i]; i++) {
		char *now = __atomic_load_n(&copy->during[i + 1], __ATOMIC_ACQUIRE);

		if (!now)
			break;
		if (now != copy->before[i])
			__atomic_store_n(&copy->before[i], now, __ATOMIC_RELEASE);
	}
}

/* environ has grown from our copy: what it took along of ours goes */
static void unset_ours(const struct pmu_environ *copy)
{
	size_t len = strcspn(copy->setting, "=");
	char name[64];

	if (len >= sizeof(name))
		return;
	memcpy(name, copy->setting, len);
	name[len] = '\0';
	if (getenv(name) == copy->setting + len + 1)
		unsetenv(name);
}

void pmu_environ_leave(struct pmu_environ *copy)
{
	char **expected;

	if (!copy)
		return;
	expected = copy->during;
	if (!__atomic_compare_exchange_n(&environ, &expected, copy->before, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED)) {
		unset_ours(copy);
	} else if (!copy->hidden) {
		take_back_changes(copy);
	}
	pmu_lock_give(&lock);
}
