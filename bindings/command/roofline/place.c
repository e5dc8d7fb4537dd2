/* SPDX-License-Identifier: BSD-3-Clause */
#include "bindings/command/roofline/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_PART 64 /* characters of a host's or a processor's name */

/* ASCII only: the locale has no say in file names. */
static void plain(char out[NAME_MAX_PART + 1], const char *name)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	size_t n = 0;

	for (; name[n] && n < NAME_MAX_PART; n++)
		out[n] = strchr(kept, name[n]) ? name[n] : '_';
	out[n] = '\0';
}

int pmu_ceilings_path(const char *host, const char *cpu, char *path, size_t size)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	char plain_host[NAME_MAX_PART + 1], plain_cpu[NAME_MAX_PART + 1];
	int folder, n;

	/* the XDG specification has relative ones passed over */
	if (cache && cache[0] == '/')
		folder = snprintf(path, size, "%s/pmu", cache);
	else if (home && home[0] == '/')
		folder = snprintf(path, size, "%s/.cache/pmu", home);
	else
		return -ENOENT;
	if (folder < 0 || (size_t)folder >= size)
		return -ENAMETOOLONG;
	plain(plain_host, host);
	plain(plain_cpu, cpu);
	n = snprintf(path + folder, size - (size_t)folder, "/ceilings-%s-%s.json", plain_host,
		     plain_cpu);
	return n < 0 || (size_t)n >= size - (size_t)folder ? -ENAMETOOLONG : folder;
}
