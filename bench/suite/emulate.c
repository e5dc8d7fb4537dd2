/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu-bench --emulate`: this program once more, as `pmu run --emulate` runs it. */
#include "bench/suite/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE      (8 << 20)
#define CACHE_TEXT "8M"
#define CACHE_WAYS 16 /* of lines of 64 bytes */

/* The command that was installed, or built, with this program; else that of PATH. */
const char *emulate_command(char *path, size_t room)
{
	ssize_t len = readlink("/proc/self/exe", path, room - 1);
	char *slash;

	path[len > 0 ? len : 0] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash ? slash : path, room - (slash ? (size_t)(slash - path) : 0), "/pmu");
	return access(path, X_OK) == 0 ? path : "pmu";
}

static bool can_be_simulated(size_t cache)
{
	return cache >= CACHE_WAYS * 64 && (cache & (cache - 1)) == 0;
}

static bool cannot_be_simulated(size_t cache)
{
	if (!cache || can_be_simulated(cache))
		return false;
	fprintf(stderr,
		"pmu-bench: --cache %s: valgrind simulates caches of 1K, 2K, 4K and so on\n",
		size_text(cache));
	return true;
}

/*
 * A cache of known size; one that the user chose for valgrind stays, and the model then goes by
 * what --cache says.
 */
static bool choose_cache(size_t cache)
{
	const char *chosen = getenv("VALGRIND_OPTS");
	char both[4096];

	if (chosen && strstr(chosen, "--LL"))
		return false;
	snprintf(both, sizeof(both), "%s%s--LL=%zu,%d,64", chosen ? chosen : "",
		 chosen && *chosen ? " " : "", cache, CACHE_WAYS);
	return setenv("VALGRIND_OPTS", both, 1) == 0;
}

bool emulate_cache(struct options *options)
{
	if (cannot_be_simulated(options->cache))
		return false;
	if (choose_cache(options->cache ? options->cache : CACHE) && !options->cache)
		options->cache = CACHE;
	return true;
}

void emulate(const struct options *options, char **argv)
{
	static const char *const run[] = { "run", "--emulate", "--auto", "none", "-o" };
	const char *output = getenv("PMU_OUTPUT");
	const char *word[32 + SUITE_MAX_KERNELS];
	char self[4096], path[4096 + 8];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t n = 0;

	if (cannot_be_simulated(options->cache))
		return;
	self[len > 0 ? len : 0] = '\0';
	word[n++] = emulate_command(path, sizeof(path));
	for (size_t i = 0; i < sizeof(run) / sizeof(*run); i++)
		word[n++] = run[i];
	word[n++] = output && *output ? output : "none";
	word[n++] = "--";
	word[n++] = self;
	if (choose_cache(options->cache ? options->cache : CACHE) && !options->cache) {
		word[n++] = "--cache";
		word[n++] = CACHE_TEXT;
	}
	/* --emulate with them: where it is emulated already, it means nothing */
	for (char **argument = argv + 1; *argument; argument++) {
		if (n == sizeof(word) / sizeof(*word) - 1) {
			fputs("pmu-bench: too many arguments for --emulate\n", stderr);
			return;
		}
		word[n++] = *argument;
	}
	word[n] = NULL;
	execvp(word[0], (char **)(uintptr_t)word);
	fprintf(stderr, "pmu-bench: --emulate: cannot run %s: %s\n", word[0], strerror(errno));
}
