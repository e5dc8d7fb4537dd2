/* SPDX-License-Identifier: BSD-3-Clause */
/* A variable that is there for the time of a call. */
#include "base/environ.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/part.h"

static char setting[] = "TEST_LENT=yes";

static void is_there_for_a_while(void)
{
	struct pmu_environ *copy;
	char **before;

	setenv("TEST_OWN", "mine", 1);
	before = environ;
	copy = pmu_environ_enter(setting, NULL);
	is_str(getenv("TEST_LENT"), "yes", "there");
	is_str(getenv("TEST_OWN"), "mine", "beside the program's own");
	ok(environ != before, "in an array of ours");
	pmu_environ_leave(copy);
	is_str(getenv("TEST_LENT"), NULL, "gone");
	ok(environ == before, "the program's array is back");
}

static void wins_over_the_same_name(void)
{
	struct pmu_environ *copy;

	setenv("TEST_LENT", "no", 1);
	copy = pmu_environ_enter(setting, NULL);
	is_str(getenv("TEST_LENT"), "yes", "ours is found");
	pmu_environ_leave(copy);
	is_str(getenv("TEST_LENT"), "no", "the program's is untouched");
	unsetenv("TEST_LENT");
}

static void hides_variables(void)
{
	struct pmu_environ *copy;

	setenv("TEST_HIDDEN_A", "1", 1);
	copy = pmu_environ_enter(setting, "TEST_HIDDEN_");
	is_str(getenv("TEST_HIDDEN_A"), NULL, "hidden");
	is_str(getenv("TEST_OWN"), "mine", "others are not");
	pmu_environ_leave(copy);
	is_str(getenv("TEST_HIDDEN_A"), "1", "there again");
}

/* As another thread would while a library is initialised. */
static void takes_changes_over(void)
{
	struct pmu_environ *copy = pmu_environ_enter(setting, NULL);

	setenv("TEST_OWN", "changed", 1);
	pmu_environ_leave(copy);
	is_str(getenv("TEST_OWN"), "changed", "a new value");
	copy = pmu_environ_enter(setting, NULL);
	setenv("TEST_NEW", "grown", 1);
	pmu_environ_leave(copy);
	is_str(getenv("TEST_NEW"), "grown", "a new variable");
	is_str(getenv("TEST_LENT"), NULL, "what was lent does not stay with it");
}

static void *lend(void *arg)
{
	for (int i = 0; i < 200; i++) {
		struct pmu_environ *copy = pmu_environ_enter(setting, NULL);
		const char *lent = getenv("TEST_LENT");

		if (!lent || strcmp(lent, "yes"))
			*(int *)arg = 1;
		pmu_environ_leave(copy);
	}
	return NULL;
}

static void is_lent_to_one_at_a_time(void)
{
	char **before = environ;
	pthread_t thread[3];
	int wrong[3] = { 0 };

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, lend, &wrong[i]))
			exit(2);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	is_int(wrong[0] + wrong[1] + wrong[2], 0, "each of three threads finds it");
	ok(environ == before, "and none leaves it behind");
}

/* The thread that holds the lock does not come along into a child. */
static void a_child_is_not_locked_out(void)
{
	struct pmu_environ *copy = pmu_environ_enter(setting, NULL);
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		alarm(10);
		pmu_environ_leave(pmu_environ_enter(setting, NULL));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pmu_environ_leave(copy);
	is_int(status, 0, "a child can do the same");
}

UNIT_PART(environ)
{
	is_there_for_a_while();
	wins_over_the_same_name();
	hides_variables();
	takes_changes_over();
	is_lent_to_one_at_a_time();
	a_child_is_not_locked_out();
	return done_testing();
}
