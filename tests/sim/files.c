/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated machine's files behave like /dev/cpu/N/msr and msr-safe's batch device. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"
#include "tap.h"

static struct sim_run sim;

static int open_cpu(int cpu)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/machine/cpu/%d/msr", sim.dir, cpu);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* What pread(2) returns, or a negative errno. */
static long get(int fd, uint32_t address, void *value, size_t size)
{
	ssize_t n = pread(fd, value, size, address);

	return n < 0 ? -errno : n;
}

static long put(int fd, uint32_t address, uint64_t value, size_t size)
{
	ssize_t n = pwrite(fd, &value, size, address);

	return n < 0 ? -errno : n;
}

static void eight_bytes_are_a_register(void)
{
	uint64_t value[2] = { 0 };
	int fd = open_cpu(3);

	if (!ok(fd >= 0, "a processor's registers open"))
		return;
	is_int(put(fd, 0x186, 0x4100c0, 8), 8, "a write of 8 bytes");
	is_int(get(fd, 0x186, value, 8), 8, "and a read");
	is_u64(value[0], 0x4100c0, "give the value back");
	is_int(get(fd, 0x186, value, 16), 16, "16 bytes");
	is_u64(value[1], 0x4100c0, "are the same register twice");
	is_int(get(fd, 0x186, value, 4), -EINVAL, "4 bytes are none");
	is_int(put(fd, 0x186, 0, 4), -EINVAL, "nor to write");
	is_int(get(fd, 0x999, value, 8), -EIO, "an unknown register");
	is_int(put(fd, 0x186, UINT64_C(1) << 40, 8), -EIO, "a reserved bit");
	is_int(get(fd, 0xc0010200u, value, 8), -EIO, "offsets above 2 GB arrive");
	close(fd);
	fd = open_cpu(24);
	ok(fd < 0 && errno == ENOENT, "no file for a processor that is not there");
}

static void commands_make_things_happen(void)
{
	uint64_t value = 0;
	int fd = open_cpu(3);

	is_int(sim_send(&sim, "count 3 0xc0 0 user 1000"), 0, "a command");
	get(fd, 0xc1, &value, 8);
	is_u64(value, 1000, "is counted by the counter that selects it");
	is_int(sim_send(&sim, "count 3 0xc0 0 user 1\ncount 3 0xc0 0 user 2\n"), 0, "two commands");
	get(fd, 0xc1, &value, 8);
	is_u64(value, 1003, "happen both");
	is_int(sim_send(&sim, "count 3 0xc0 0 root 1"), -EINVAL, "no such level");
	is_int(sim_send(&sim, "count 3 0xc0 0 user"), -EINVAL, "too few words");
	is_int(sim_send(&sim, "count 99 0xc0 0 user 1"), -ENXIO, "no such processor");
	is_int(sim_send(&sim, "sing"), -EINVAL, "no such command");
	is_int(sim_send(&sim, "set 3 0x38e 5"), 0, "past the rules");
	is_u64(sim_register(&sim, 3, 0x38e), 5, "even a read-only register");
	is_int(sim_send(&sim, "uncore 3 uncore 0x40 1 5"), 0, "outside the cores");
	is_int(sim_send(&sim, "energy 3 pkg 5"), -EINVAL, "Westmere measures no energy");
	close(fd);
}

static void every_access_is_logged(void)
{
	uint64_t value;
	int fd = open_cpu(15);
	char *log;

	sim_send(&sim, "forget");
	sim_send(&sim, "phase here");
	put(fd, 0x187, 0x41003c, 8);
	get(fd, 0x187, &value, 8);
	get(fd, 0x999, &value, 8);
	log = sim_log(&sim);
	is_str(log,
	       "1 phase here\n"
	       "2 cpu 15 write 187H 000000000041003C ok\n"
	       "3 cpu 15 read 187H 000000000041003C ok\n"
	       "4 cpu 15 read 999H - EIO\n",
	       "in order, with what came of it");
	free(log);
	close(fd);
}

static void faults_are_injected(void)
{
	uint64_t value;
	int fd = open_cpu(5), other;

	sim_send(&sim, "fail 5 0x38f write EPERM");
	is_int(put(fd, 0x38f, 0, 8), -EPERM, "one register of one processor");
	is_int(get(fd, 0x38f, &value, 8), 8, "for writing alone");
	sim_send(&sim, "fail 5 0x38f write 0");
	is_int(put(fd, 0x38f, 0xf, 8), 8, "mended");
	sim_send(&sim, "offline 5");
	is_int(get(fd, 0x38f, &value, 8), -ENXIO, "an open file of an offline processor");
	other = open_cpu(5);
	ok(other < 0 && errno == ENXIO, "which cannot be opened");
	sim_send(&sim, "online 5");
	sim_send(&sim, "refuse all EACCES");
	other = open_cpu(6);
	ok(other < 0 && errno == EACCES, "no permission");
	sim_send(&sim, "refuse all 0\nvanish");
	is_int(get(fd, 0x38f, &value, 8), -ENODEV, "devices that are gone");
	other = open_cpu(6);
	ok(other < 0 && errno == ENXIO, "cannot be opened");
	sim_send(&sim, "appear");
	is_int(get(fd, 0x38f, &value, 8), 8, "and back again");
	close(fd);
}

/* As in msr-safe's msr_safe.h. */
struct op {
	uint16_t cpu, is_read;
	int32_t error;
	uint32_t address;
	uint64_t value, mask;
};

struct batch {
	uint32_t n, version;
	struct op *op;
};

#define BATCH _IOWR('c', 0xa2, struct batch)

static void a_batch_is_one_call(void)
{
	struct op op[] = {
		{ .cpu = 1, .address = 0x186, .value = 0x4300c0 },
		{ .cpu = 0, .address = 0x186, .value = 0x43003c },
		{ .cpu = 1, .is_read = 1, .address = 0x186 },
	};
	struct batch batch = { 3, 0, op };
	int fd = open(sim.batch, O_RDWR | O_CLOEXEC);
	char *log;

	if (!ok(fd >= 0, "the batch device opens"))
		return;
	sim_send(&sim, "forget");
	is_int(ioctl(fd, BATCH, &batch), 0, "three operations");
	is_u64(op[2].value, 0x4300c0, "a read finds what was written before");
	is_u64(op[0].mask, UINT64_MAX, "all bits may be written");
	log = sim_log(&sim);
	is_str(log,
	       "1 batch 3\n"
	       "2 cpu 0 write 186H 000000000043003C ok\n"
	       "3 cpu 1 write 186H 00000000004300C0 ok\n"
	       "4 cpu 1 read 186H 00000000004300C0 ok\n",
	       "each processor does its own, in order");
	free(log);
	op[1].address = 0x999;
	op[2].value = 0;
	ok(ioctl(fd, BATCH, &batch) < 0 && errno == EIO, "the first failure is the call's");
	ok(op[1].error == -EIO && !op[0].error, "the operation says which");
	is_u64(op[2].value, 0x4300c0, "the others are done");
	op[1].cpu = 99;
	op[2].value = 0;
	ok(ioctl(fd, BATCH, &batch) < 0 && errno == ENXIO && !op[2].value,
	   "no processor: nothing is done");
	batch.n = 0;
	ok(ioctl(fd, BATCH, &batch) < 0 && errno == EINVAL, "no operations");
	batch.n = 3;
	batch.op = (struct op *)8;
	ok(ioctl(fd, BATCH, &batch) < 0 && errno == EFAULT, "a bad address");
	close(fd);
}

static void state_has_all_registers(void)
{
	char *before = sim_state(&sim), *after;

	has(before, "0 186H 000000000043003C\n", "a select");
	has(before, "23 3C7H ", "the last processor's uncore");
	sim_send(&sim, "set 0 0x187 1");
	sim_send(&sim, "set 0 0x187 0");
	after = sim_state(&sim);
	is_str(after, before, "the same registers, the same text");
	free(before);
	free(after);
}

static void it_goes_away_with_its_owner(void)
{
	char dir[sizeof(sim.dir)], path[128];
	struct sim_run other;
	struct stat st;
	int report[2], n;
	pid_t pid;

	if (pipe(report))
		exit(1);
	pid = fork();
	if (!pid) {
		n = sim_start(&other, "core2", 0);
		(void)!write(report[1], other.dir, sizeof(other.dir));
		raise(n ? SIGTERM : SIGKILL);
	}
	n = (int)read(report[0], dir, sizeof(dir));
	waitpid(pid, &n, 0);
	ok(WTERMSIG(n) == SIGKILL, "whoever started it is killed");
	snprintf(path, sizeof(path), "%s/machine", dir);
	for (n = 0; n < 100 && rmdir(path); n++)
		usleep(100000);
	ok(stat(path, &st) && errno == ENOENT, "its files are gone soon after");
	rmdir(dir);
}

static void a_killed_one_is_cleared_away(void)
{
	struct sim_run other;
	struct stat st;

	if (!ok(!sim_start(&other, "core2", 0), "another starts"))
		return;
	kill(other.pid, SIGKILL);
	ok(sim_stop(&other) < 0, "killed, which is seen");
	ok(stat(other.dir, &st) && errno == ENOENT, "it leaves neither mount nor folder");
}

static void every_model_starts(void)
{
	static const char *const names[] = { "core2",       "nehalem",   "westmere",
					     "sandybridge", "skylake",   "icelake",
					     "zen3",        "alderlake", "zen4" };
	struct sim_run other;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (ok(!sim_start(&other, names[i], 0), "%s starts", names[i])) {
			ok(!access(other.cpuid, R_OK) && !access(other.topology, R_OK),
			   "its CPUID and topology are there");
			ok(sim_register(&other, 3, *names[i] == 'z' ? 0xc0010200u : 0x186) == 0,
			   "and its registers");
			is_int(sim_stop(&other), 0, "and it ends well");
		} else {
			diag("%s", other.why);
		}
	}
}

int main(void)
{
	int rc = sim_start(&sim, "westmere", SIM_BATCH);

	if (rc > 0)
		return skip_all(sim.why);
	if (!ok(!rc, "a machine starts")) {
		diag("%s", sim.why);
		return done_testing();
	}
	eight_bytes_are_a_register();
	commands_make_things_happen();
	every_access_is_logged();
	faults_are_injected();
	a_batch_is_one_call();
	state_has_all_registers();
	it_goes_away_with_its_owner();
	a_killed_one_is_cleared_away();
	every_model_starts();
	is_int(sim_stop(&sim), 0, "it ends well");
	return done_testing();
}
