/* SPDX-License-Identifier: BSD-3-Clause */
/* When hwloc is loaded, and the error without it.  Each case has a process of its own. */
#include "machine/hwloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/topology.h"
#include "tests/tap.h"

static struct answer {
	int before, n_loads, flags, first, again;
	char text[PMU_ERROR_MAX];
} * answer;

static const char *instead; /* what is loaded in hwloc's place; NULL: itself */

void *dlopen(const char *name, int flags)
{
	void *found = dlsym(RTLD_NEXT, "dlopen");
	void *(*real)(const char *, int);

	memcpy(&real, &found, sizeof(real));
	if (!name || strcmp(name, "libhwloc.so.15") != 0)
		return real(name, flags);
	answer->n_loads++;
	answer->flags = flags;
	return real(instead ? instead : name, flags);
}

static int load(void)
{
	struct pmu_topology *topology;
	int rc = pmu_topology_load(&topology);

	pmu_topology_free(topology);
	return rc;
}

static void in_a_process(const char *library)
{
	int status = -1;
	pid_t pid;

	memset(answer, 0, sizeof(*answer));
	pid = fork();
	if (pid < 0)
		exit(2);
	if (!pid) {
		instead = library;
		answer->before = dlsym(RTLD_DEFAULT, "hwloc_topology_init") != NULL;
		answer->first = load();
		snprintf(answer->text, sizeof(answer->text), "%s", pmu_error_text());
		answer->again = load();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, library ? library : "libhwloc.so.15");
}

static void loads_once(void)
{
	in_a_process(NULL);
	is_int(answer->before, 0, "  it is not linked");
	is_int(answer->first, 0, "  a topology");
	is_int(answer->again, 0, "  another");
	is_int(answer->n_loads, 1, "  one loading");
	is_int(answer->flags, RTLD_NOW | RTLD_LOCAL, "  for nobody else");
}

static void says_what_is_missing(void)
{
	in_a_process("libpmu-test-missing.so.15");
	is_int(answer->first, -ENOTSUP, "  no topology");
	has(answer->text, "hwloc 2 (Debian: libhwloc15); libpmu-test-missing.so.15: ",
	    "  and it says what it needs, and why");
	is_int(answer->again, -ENOTSUP, "  nor another time");
	is_int(answer->n_loads, 1, "  it is looked for once");
}

static void wants_every_function(void)
{
	in_a_process("libc.so.6");
	is_int(answer->first, -ENOTSUP, "  a library of another kind is none");
	has(answer->text, "hwloc_topology_init", "  and it names what it lacks");
}

int main(void)
{
	answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (answer == MAP_FAILED)
		return 2;
	loads_once();
	says_what_is_missing();
	wants_every_function();
	return done_testing();
}
