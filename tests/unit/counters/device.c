/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The msr device: paths, opening, locking, reading and writing, on ordinary files in place of
 * devices.
 */
#include "counters/msr/device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/backend.h"
#include "unit/part.h"

/* Registers of an ordinary file overlap unless they lie eight bytes apart. */
#define A 0x180
#define B 0x188
#define C 0x190

static char dir[] = "/tmp/pmu-device-XXXXXX";
static char template[64];
static struct pmu_machine_cpu cpus[] = { { .pu = { .cpu = 0 } },
					 { .pu = { .cpu = 1 } },
					 { .pu = { .cpu = 5 } } };
static struct pmu_machine machine = { .n_cpus = 3, .cpu = cpus };
static struct pmu_machine_from from;

static void make_file(int cpu)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/%d", dir, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/msr", dir, cpu);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 0x1000))
		exit(1);
	close(fd);
}

static uint64_t there(int cpu, off_t address)
{
	char path[96];
	uint64_t value = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/msr", dir, cpu);
	fd = open(path, O_RDONLY);
	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		value = UINT64_MAX;
	close(fd);
	return value;
}

static void replaces_the_number_by_hand(void)
{
	char path[64];

	is_int(pmu_msr_path("/dev/cpu/%d/msr", 12, path, sizeof(path)), 0, "the usual path");
	is_str(path, "/dev/cpu/12/msr", "has the number in it");
	is_int(pmu_msr_path("/x%s%n/%d/%d", 3, path, sizeof(path)), 0,
	       "a path with other things in it");
	is_str(path, "/x%s%n/3/%d", "is no format: only its first %d is replaced");
	is_int(pmu_msr_path("/dev/cpu/0/msr", 0, path, sizeof(path)), -EINVAL,
	       "a path without a %d is refused");
	has(pmu_error_text(), "no %d in '/dev/cpu/0/msr'", "and said so");
	is_int(pmu_msr_path("/dev/cpu/%d/msr", 12, path, 10), -ENAMETOOLONG,
	       "a path too long for its room");
}

static void reads_and_writes_each_processor(void)
{
	struct pmu_msr_device device;
	uint64_t value;

	is_int(pmu_msr_device_open(&device, &machine, &from), 0, "opens every processor");
	is_int(pmu_msr_write(&device, 5, A, 0x1122334455667788), 0, "writes");
	is_int(pmu_msr_read(&device, 5, A, &value), 0, "reads");
	is_u64(value, 0x1122334455667788, "what was written");
	is_u64(there(5, A), value, "in that processor's file");
	is_u64(there(1, A), 0, "and in no other");
	is_int(pmu_msr_read(&device, 3, A, &value), -ENXIO, "a processor that is not there");
	is_int(pmu_msr_read(&device, 1, 0x2000, &value), -EBADF,
	       "behind the end: this is no register");
	pmu_msr_write(&device, 5, A, 0);
	pmu_msr_device_close(&device);
}

static struct pmu_msr_op op(int cpu, uint32_t address, uint64_t value, uint64_t mask)
{
	return (struct pmu_msr_op){
		.cpu = cpu, .address = address, .write = true, .value = value, .mask = mask
	};
}

static void runs_operations_in_order(void)
{
	struct pmu_msr_op ops[] = { op(0, A, 0xff, UINT64_MAX),
				    op(0, A, 0x100, 0xf00),
				    op(1, B, 7, UINT64_MAX),
				    { .cpu = 0, .address = A } };
	struct pmu_msr_device device;
	struct pmu_msr_fault fault;
	uint64_t value[4];

	pmu_msr_device_open(&device, &machine, &from);
	is_int(pmu_msr_device_run(&device, ops, 4, value, false, &fault), 0, "four operations");
	is_u64(value[1], 0x1ff, "a mask leaves other bits as they are");
	is_u64(value[3], 0x1ff, "a read finds it");
	is_u64(there(1, B), 7, "all of them are done");
	pmu_msr_device_close(&device);
}

static void stops_or_goes_on_at_a_failure(void)
{
	struct pmu_msr_op ops[] = { op(0, A, 1, UINT64_MAX), op(9, A, 2, UINT64_MAX),
				    op(0, C, 3, UINT64_MAX) };
	struct pmu_msr_device device;
	struct pmu_msr_fault fault;

	pmu_msr_device_open(&device, &machine, &from);
	is_int(pmu_msr_device_run(&device, ops, 3, NULL, false, &fault), -ENXIO,
	       "the second one fails");
	is_int((long long)fault.at, 1, "which is told by number");
	is_int(fault.op.cpu, 9, "and operation");
	is_u64(there(0, C), 0, "what comes behind it is not done");
	is_int(pmu_msr_device_run(&device, ops, 3, NULL, true, &fault), -ENXIO,
	       "or, where it is to go on,");
	is_u64(there(0, C), 3, "it is");
	is_int(fault.error, -ENXIO, "and the failure is told all the same");
	pmu_msr_device_close(&device);
}

/* An ordinary file has no ioctl for batches; nor has another version of the module. */
static void does_without_a_batch_that_fails(void)
{
	struct pmu_machine_from with = from;
	struct pmu_msr_op ops[] = { op(0, A, 0x10, 0xf0), op(1, A, 4, UINT64_MAX) };
	struct pmu_msr_device device;
	struct pmu_msr_fault fault;
	char path[96];

	snprintf(path, sizeof(path), "%s/0/msr", dir);
	with.msr_batch = path;
	is_int(pmu_msr_device_open(&device, &machine, &with), 0,
	       "opens a batch device that is none");
	ok(device.batch.fd >= 0, "which can be opened");
	is_int(pmu_msr_device_run(&device, ops, 2, NULL, false, &fault), 0, "runs one by one then");
	is_u64(there(1, A), 4, "and all of it");
	is_int(fault.error, 0, "without a fault");
	pmu_msr_device_close(&device);
	with.msr_batch = "/nonexistent/batch";
	is_int(pmu_msr_device_open(&device, &machine, &with), -ENOENT,
	       "a batch that was asked for must be there");
	has(pmu_error_text(), "/nonexistent/batch", "and is named");
}

static void says_what_is_not_there(void)
{
	struct pmu_machine_from nowhere = { .msr_device = "/nonexistent/%d/msr" };
	struct pmu_msr_device device;

	is_int(pmu_msr_device_open(&device, &machine, &nowhere), -ENOENT, "no such device");
	is_str(pmu_error_text(), "there is no /nonexistent/0/msr", "names it");
	is_str(pmu_msr_device_mend(NULL, -ENOENT), "modprobe msr",
	       "the usual one: load the module");
	has(pmu_msr_device_mend(NULL, -EACCES), "root", "without rights: who has them");
	has(pmu_msr_device_mend(NULL, -EPERM), "msr.allow_writes", "or what lets one write");
}

static void locks_out_other_sessions(void)
{
	struct pmu_msr_device one, two;
	pid_t pid;
	int status;

	pmu_msr_device_open(&one, &machine, &from);
	pmu_msr_device_open(&two, &machine, &from);
	is_int(pmu_msr_device_lock(&one, NULL), 0, "the first session locks the machine");
	is_int(pmu_msr_device_lock(&two, NULL), -EBUSY, "the second cannot");
	has(pmu_error_text(), "another session", "and says why");
	ok(pmu_msr_device_holds(&one) && !pmu_msr_device_holds(&two), "each knows whose it is");
	pid = fork();
	if (!pid) {
		pmu_msr_device_drop(&one);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is_int(pmu_msr_device_lock(&two, NULL), -EBUSY,
	       "a forked child that lets go of it unlocks nothing");
	pmu_msr_device_unlock(&one);
	is_int(pmu_msr_device_lock(&two, NULL), 0, "afterwards it can");
	pmu_msr_device_unlock(&two);
	pmu_msr_device_close(&one);
	pmu_msr_device_close(&two);
}

static int until_the_test_ends[2]; /* its writing end is this process's alone */

static void stay(void)
{
	char c;

	close(until_the_test_ends[1]);
	while (read(until_the_test_ends[0], &c, 1) > 0)
		;
	_exit(0);
}

/* A session in another process, which tells when it has the lock, and stays; so does its child. */
static pid_t other_session(bool with_child)
{
	struct pmu_msr_device other;
	int ready[2];
	pid_t pid;
	char c = 'x';

	if (pipe(ready))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		pmu_msr_device_open(&other, &machine, &from);
		c = pmu_msr_device_lock(&other, NULL) ? 'n' : 'y';
		if (with_child && !fork())
			stay();
		if (write(ready[1], &c, 1) == 1)
			stay();
		_exit(1);
	}
	close(ready[1]);
	ok(read(ready[0], &c, 1) == 1 && c == 'y', "another process has the lock");
	close(ready[0]);
	return pid;
}

static void end_session(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int lock_of_a_child(void)
{
	struct pmu_msr_device other;
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(pmu_msr_device_open(&other, &machine, &from)
			      ? 99
			      : -pmu_msr_device_lock(&other, NULL));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_dead_sessions_children_hold_nothing(void)
{
	struct pmu_msr_device device, more;
	pid_t pid;

	if (pipe(until_the_test_ends))
		exit(1);
	pid = other_session(false);
	pmu_msr_device_open(&device, &machine, &from);
	is_int(pmu_msr_device_lock(&device, NULL), -EBUSY, "which keeps this one out");
	end_session(pid);
	pid = other_session(true);
	is_int(pmu_msr_device_lock(&device, NULL), -EBUSY, "again");
	end_session(pid);
	is_int(pmu_msr_device_lock(&device, NULL), 0,
	       "killed it holds nothing, whatever its child has inherited");
	is_int(lock_of_a_child(), EBUSY, "now others are kept out");
	pmu_msr_device_open(&more, &machine, &from);
	pmu_msr_device_close(&more);
	is_int(lock_of_a_child(), EBUSY,
	       "also when other descriptors of the same registers were closed");
	pmu_msr_device_unlock(&device);
	is_int(lock_of_a_child(), 0, "and no longer");
	pmu_msr_device_close(&device);
	close(until_the_test_ends[0]);
	close(until_the_test_ends[1]);
}

static void msr_and_msr_safe_meet(void)
{
	struct pmu_machine_from plain = from;
	struct pmu_msr_device device;
	char path[2][96], safe[96];

	for (int cpu = 0; cpu < 2; cpu++) {
		snprintf(path[cpu], sizeof(path[cpu]), "%s/%d/msr_safe", dir, cpu ? 5 : 0);
		close(open(path[cpu], O_RDWR | O_CREAT, 0600));
	}
	snprintf(safe, sizeof(safe), "%s/1/msr_safe", dir);
	close(open(safe, O_RDWR | O_CREAT, 0600));
	pmu_msr_device_open(&device, &machine, &plain);
	is_int(pmu_msr_device_lock(&device, NULL), 0, "a session by msr, where msr_safe is there");
	snprintf(safe, sizeof(safe), "%s/%%d/msr_safe", dir);
	from.msr_device = safe;
	is_int(lock_of_a_child(), EBUSY, "keeps out one by msr_safe");
	from = plain;
	is_int(lock_of_a_child(), EBUSY, "and one by msr");
	pmu_msr_device_unlock(&device);
	pmu_msr_device_close(&device);
	unlink(path[0]);
	unlink(path[1]);
	snprintf(safe, sizeof(safe), "%s/1/msr_safe", dir);
	unlink(safe);
}

static void leaves_what_is_not_its_own_alone(void)
{
	struct pmu_msr_device device;
	int null = open("/dev/null", O_RDWR), fd;

	pmu_msr_device_open(&device, &machine, &from);
	fd = device.at[1].file.fd;
	dup2(null, fd);
	is_int((long long)pmu_msr_device_check(&device), 1,
	       "a descriptor that was replaced is noticed");
	is_int(pmu_msr_fd(&device, 1), -1, "and forgotten");
	is_int(pmu_msr_device_reopen(&device), 0, "it can be opened anew");
	ok(pmu_msr_fd(&device, 1) >= 0 && pmu_msr_fd(&device, 1) != fd, "by another number");
	pmu_msr_device_close(&device);
	ok(fcntl(fd, F_GETFD) >= 0, "the program's descriptor is still open");
	close(fd);
	pmu_msr_device_open(&device, &machine, &from);
	fd = device.at[1].file.fd;
	dup2(null, fd);
	pmu_msr_device_close(&device);
	ok(fcntl(fd, F_GETFD) >= 0, "also where nobody has looked before closing");
	close(fd);
	close(null);
}

static void adds_a_processor(void)
{
	struct pmu_msr_device device;
	uint64_t value;

	make_file(3);
	pmu_msr_device_open(&device, &machine, &from);
	is_int(pmu_msr_device_add(&device, 3), 0, "one more processor");
	is_int(pmu_msr_read(&device, 3, A, &value), 0, "is found");
	is_int(pmu_msr_read(&device, 5, A, &value), 0, "those behind it too");
	is_int(pmu_msr_device_add(&device, 77), -ENOENT, "one that is not there");
	pmu_msr_device_close(&device);
}

/* For events that no register counts, the refusal does not say how to get at registers. */
static void needs_no_device_to_refuse_what_no_register_counts(void)
{
	static const struct pmu_machine_from nowhere = { .msr_device = "/nonexistent/%d" };
	struct pmu_plan plan = { .n_slots = 3, .absent = 4, .from = &nowhere };
	struct pmu_probe got;

#if !defined(__x86_64__) && !defined(__i386__)
	skip("no device", "there are no such registers here");
	return;
#endif
	for (unsigned int i = 0; i < 3; i++) {
		plan.slot[i] = (struct pmu_slot){ .kind = PMU_SLOT_UNCORE,
						  .type = 14,
						  .unit = PMU_UNIT_NONE };
		snprintf(plan.slot[i].pmu, sizeof(plan.slot[i].pmu), "uncore_imc");
	}
	is_int(pmu_backend_msr.probe(&plan, &got), -ENOENT,
	       "events of a PMU that only the kernel knows");
	is_str(got.why, "no register that is known counts what the kernel calls uncore_imc",
	       "  why");
	is_str(got.mend, "", "  and nothing would help");
	ok(got.error[0] == -ENOENT && got.error[1] == -ENOENT && !got.error[2],
	   "  each that is wanted");
	plan.slot[1] = (struct pmu_slot){ .kind = PMU_SLOT_CORE,
					  .type = PERF_TYPE_HARDWARE,
					  .user = true };
	ok(pmu_backend_msr.probe(&plan, &got) && !strstr(got.why, "uncore_imc"),
	   "beside one of a core registers are asked for");
}

UNIT_PART(device)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(template, sizeof(template), "%s/%%d/msr", dir);
	from.msr_device = template;
	make_file(0);
	make_file(1);
	make_file(5);
	needs_no_device_to_refuse_what_no_register_counts();
	replaces_the_number_by_hand();
	reads_and_writes_each_processor();
	runs_operations_in_order();
	stops_or_goes_on_at_a_failure();
	does_without_a_batch_that_fails();
	says_what_is_not_there();
	locks_out_other_sessions();
	a_dead_sessions_children_hold_nothing();
	msr_and_msr_safe_meet();
	leaves_what_is_not_its_own_alone();
	adds_a_processor();
	for (int cpu = 0; cpu < 6; cpu++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%d/msr", dir, cpu);
		unlink(path);
		snprintf(path, sizeof(path), "%s/%d", dir, cpu);
		rmdir(path);
	}
	rmdir(dir);
	return done_testing();
}
