/* SPDX-License-Identifier: BSD-3-Clause */
/* posix_spawn() and its kin: programs that cannot load our libraries start without them. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/spawning.h"

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/process/fit.h"

#define FUNCTIONS(X)    \
	X(posix_spawn)  \
	X(posix_spawnp) \
	X(system)       \
	X(popen)

PRELOAD_BEHIND(FUNCTIONS)
#define BEHIND(name) ((__typeof__(&(name)))preload_behind(&behind[NEXT_##name]))

/* Both of them; @needs: of fit_needs() for what is started. */
static int spawn(__typeof__(&posix_spawn) next, size_t needs, pid_t *pid, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
		 char *const argv[], char *const envp[])
{
	char **fit = fit_take(needs, envp);
	int rc = ENOSYS;

	pmu_spawning_begin(&pmu_spawning_word);
	if (likely(next))
		rc = next(pid, path, actions, attr, argv, fit);
	pmu_spawning_end(&pmu_spawning_word);
	fit_give(fit, envp);
	return rc;
}

/*
 * A path that begins in another folder, which the actions may lead to, is looked at from here: it
 * is not found then.
 */
PRELOAD_STANDS_IN int posix_spawn(pid_t *pid, const char *path,
				  const posix_spawn_file_actions_t *actions,
				  const posix_spawnattr_t *attr, char *const argv[],
				  char *const envp[])
{
	return spawn(BEHIND(posix_spawn), fit_needs(AT_FDCWD, path, envp), pid, path, actions, attr,
		     argv, envp);
}

PRELOAD_STANDS_IN int posix_spawnp(pid_t *pid, const char *file,
				   const posix_spawn_file_actions_t *actions,
				   const posix_spawnattr_t *attr, char *const argv[],
				   char *const envp[])
{
	return spawn(BEHIND(posix_spawnp), fit_needs_command(file, envp), pid, file, actions, attr,
		     argv, envp);
}

PRELOAD_STANDS_IN int system(const char *command)
{
	__typeof__(&system) next = BEHIND(system);

	int rc = -1;

	if (command)
		fit_shell();
	pmu_spawning_begin(&pmu_spawning_word);
	if (likely(next))
		rc = next(command);
	else
		errno = ENOSYS;
	pmu_spawning_end(&pmu_spawning_word);
	return rc;
}

PRELOAD_STANDS_IN FILE *popen(const char *command, const char *type)
{
	__typeof__(&popen) next = BEHIND(popen);

	FILE *stream = NULL;

	fit_shell();
	pmu_spawning_begin(&pmu_spawning_word);
	if (likely(next))
		stream = next(command, type);
	else
		errno = ENOSYS;
	pmu_spawning_end(&pmu_spawning_word);
	return stream;
}
