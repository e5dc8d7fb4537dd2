/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All writes below a limit of the size of files: an error at most, never the signal that ends a
 * program.
 */
#include "base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/msr/journal.h"
#include "machine/claims.h"
#include "report/report.h"
#include "store/table.h"
#include "unit/part.h"

#define REGIONS 5000

static char dir[] = "/tmp/pmu-write-XXXXXX";
static char text[300];

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int new_file(void)
{
	return open(in_dir("file"), O_RDWR | O_CREAT | O_TRUNC, 0600);
}

/* --- functions that write: what they return beyond the limit --- */

static int bytes(void)
{
	return pmu_write_all(new_file(), text, sizeof(text));
}

static int bytes_further_on(void)
{
	return pmu_write_at(new_file(), text, sizeof(text), 100);
}

static int larger(void)
{
	return pmu_write_resize(new_file(), 1000);
}

static int room(void)
{
	int rc = pmu_write_reserve(new_file(), 0, 0, 1000);

	return rc == -EOPNOTSUPP || rc == -ENOSYS ? -EFBIG : rc;
}

static int report(void)
{
	return pmu_report_write_file(in_dir("run.json"), text, sizeof(text));
}

static int report_to_descriptor(void)
{
	char name[32];

	snprintf(name, sizeof(name), "/dev/fd/%d", new_file());
	return pmu_report_write_file(name, text, sizeof(text));
}

static int claims(void)
{
	static struct pmu_claims mine;
	struct pmu_process self;

	pmu_process_self(&self);
	pmu_claims_open(&mine, dir, &self);
	for (int cpu = 0; cpu < 8; cpu++) {
		if (pmu_claims_lock(&mine))
			return 1;
		pmu_claims_unlock(&mine, cpu);
	}
	pmu_claims_close(&mine);
	return 0;
}

static int journal(void)
{
	static struct pmu_machine machine = { .id = { .vendor = "GenuineIntel" } };
	static struct pmu_msr_op op[4] = { { .write = true } };
	static struct pmu_msr_device device;
	struct pmu_msr_program program = { .machine = &machine, .n_ops = 4, .op = op };
	struct pmu_msr_journal written;

	program.first[PMU_MSR_RESTORE + 1] = 4;
	if (pmu_msr_journal_write(&written, &device, &program))
		return 1;
	return strstr(written.why, strerror(EFBIG)) && !written.path[0] ? -EFBIG : 2;
}

static int store(void)
{
	static struct pmu_table table;
	char name[32];

	if (pmu_table_open(&table, PMU_CLOCK_MONOTONIC))
		return 1;
	for (int i = 0; i < REGIONS; i++) {
		int len = snprintf(name, sizeof(name), "region %d", i);

		if (!pmu_table_name(&table, name, (size_t)len))
			return 2;
	}
	return strstr(table.why, strerror(EFBIG)) ? -EFBIG : 3;
}

static const struct {
	const char *name;
	int (*write)(void);
	rlim_t middle;
	int result;
} writers[] = {
	{ "bytes", bytes, 100, -EFBIG },
	{ "bytes further on", bytes_further_on, 200, -EFBIG },
	{ "a new size", larger, 100, -EFBIG },
	{ "room", room, 100, -EFBIG },
	{ "a report", report, 100, -EFBIG },
	{ "a report to a descriptor", report_to_descriptor, 100, -EFBIG },
	{ "claims of processors", claims, 64, 0 },
	{ "a journal of registers", journal, 100, -EFBIG },
	{ "a store", store, 100000, -EFBIG },
};

static int below_limit(size_t i, rlim_t limit)
{
	const struct rlimit most = { limit, RLIM_INFINITY };
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		sigset_t pending;
		int rc;

		signal(SIGXFSZ, SIG_DFL);
		if (setrlimit(RLIMIT_FSIZE, &most))
			_exit(99);
		rc = writers[i].write();
		sigpending(&pending);
		_exit(rc != writers[i].result ? 1 : sigismember(&pending, SIGXFSZ) ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	if (system(command))
		diag("%s is not empty", dir);
}

static void raises_no_signal(void)
{
	char name[100];

	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		snprintf(name, sizeof(name), "%s at a limit of 0", writers[i].name);
		is_int(below_limit(i, 0), 0, name);
		snprintf(name, sizeof(name), "%s at one of %llu", writers[i].name,
			 (unsigned long long)writers[i].middle);
		is_int(below_limit(i, writers[i].middle), 0, name);
		clean();
	}
}

/* The program may have one waiting that it caused itself. */
static void leaves_the_program_its_own(void)
{
	const struct rlimit most = { 0, RLIM_INFINITY };
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGXFSZ);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGXFSZ);
		if (setrlimit(RLIMIT_FSIZE, &most) || bytes() != -EFBIG)
			_exit(99);
		sigpending(&set);
		_exit(!sigismember(&set, SIGXFSZ));
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, "a signal of the program's own goes on waiting");
}

UNIT_PART(write)
{
	if (!mkdtemp(dir))
		return skip_all("no folder for the test's files");
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("TMPDIR", dir, 1);
	raises_no_signal();
	leaves_the_program_its_own();
	clean();
	rmdir(dir);
	return done_testing();
}
