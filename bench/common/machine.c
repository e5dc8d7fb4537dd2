/* SPDX-License-Identifier: BSD-3-Clause */
/* Where figures were taken: the library's report knows the processor and what is below it. */
#include "bench/common/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/common/child.h"
#include "bench/common/report.h"
#include "pmu.h"

/* In a process of its own: there a session leaves nothing behind, neither pins nor settings. */
static void describe(int fd)
{
	static const char *const settings[] = { "PMU_BACKEND=clock", "PMU_PIN=none",
						"PMU_OUTPUT=none", NULL };
	char said[sizeof(((struct machine *)NULL)->description)];
	json_t *report;

	child_environment(settings);
	if (pmu_init(NULL) == 0 && report_now(&report) == 0) {
		report_text(said, sizeof(said),
			    json_object_get(json_object_get(report, "machine"), "description"));
		if (write(fd, said, strlen(said)) < 0)
			_exit(1);
	}
	pmu_fini();
	_exit(0);
}

static void ask_library(char *text, size_t size)
{
	size_t len = 0;
	ssize_t got;
	int fd[2];
	pid_t pid;

	if (pipe(fd) < 0)
		return;
	pid = fork();
	if (pid == 0)
		describe(fd[1]);
	close(fd[1]);
	while (pid > 0 && len < size - 1 && (got = read(fd[0], text + len, size - 1 - len)) > 0)
		len += (size_t)got;
	text[len] = '\0';
	close(fd[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

const struct machine *machine_here(void)
{
	static struct machine machine;
	struct utsname name;
	long n;

	if (machine.library[0])
		return &machine;
	ask_library(machine.description, sizeof(machine.description));
	if (uname(&name) == 0)
		snprintf(machine.kernel, sizeof(machine.kernel), "%.20s %.60s %.16s", name.sysname,
			 name.release, name.machine);
	n = sysconf(_SC_NPROCESSORS_ONLN);
	machine.processors = n > 0 ? (int)n : 0;
	snprintf(machine.library, sizeof(machine.library), "%d.%d.%d", pmu_version() >> 16,
		 pmu_version() >> 8 & 0xff, pmu_version() & 0xff);
	return &machine;
}

const char *machine_line(void)
{
	static char line[512];
	const struct machine *machine = machine_here();

	snprintf(line, sizeof(line), "%s; %s; libpmu %s",
		 machine->description[0] ? machine->description : "unknown machine",
		 machine->kernel[0] ? machine->kernel : "unknown kernel", machine->library);
	return line;
}
