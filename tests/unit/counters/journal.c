/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Journals of registers: written, parsed with suspicion, put back once, by the right session only.
 */
#include "counters/msr/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "unit/part.h"

/* IA32_PERFEVTSEL2 and IA32_PERF_GLOBAL_CTRL: far enough apart for an ordinary file. */
#define SELECT 0x188u
#define GLOBAL 0x38fu

static char dir[] = "/tmp/pmu-journal-XXXXXX";
static char template[64], folder[64];
static struct pmu_machine_cpu cpus[] = { { .pu = { .cpu = 0 } }, { .pu = { .cpu = 1 } } };
static struct pmu_machine machine = {
	.id = { .vendor = "GenuineIntel", .family = 6, .model = 44, .stepping = 2 },
	.n_kinds = 1,
	.kind = { { .family = PMU_PERFMON_INTEL,
		    .version = 3,
		    .general = 0xf,
		    .general_bits = 48,
		    .fixed = 7,
		    .fixed_bits = 48 } },
	.n_cpus = 2,
	.cpu = cpus,
};
static struct pmu_machine_from from = { .msr_device = template };
static struct pmu_msr_device device;
static struct pmu_msr_op restore[] = {
	{ .cpu = 0, .address = SELECT, .write = true, .value = 0x41003c, .mask = UINT64_MAX },
	{ .cpu = 1, .address = GLOBAL, .write = true, .value = 0x1, .mask = 0xf },
};
static struct pmu_msr_program program = { .machine = &machine, .n_ops = 2, .op = restore };
static const char good[] =
	"pmu registers 1\ndevice /dev/cpu/%d/msr\nboot 1-2-3\ncpu GenuineIntel-6-44-2\n"
	"pid 4711 1234567 4026531836\nlock 5 97\nprogram solver\n"
	"write 0 188 000000000041003c ffffffffffffffff\n"
	"write 1 38f 0000000000000001 000000000000000f\nend 2\n";

static int parse(const char *text, struct pmu_msr_record *record)
{
	memset(record, 0, sizeof(*record));
	return pmu_msr_journal_parse(text, strlen(text), &machine, record);
}

static void says_how_to_put_everything_back(void)
{
	struct pmu_msr_record record;
	struct pmu_strbuf text = { 0 };

	is_int(parse(good, &record), 0, "a journal");
	is_str(record.device, "/dev/cpu/%d/msr", "of a device");
	is_str(record.program, "solver", "by a program");
	is_int(record.pid, 4711, "that was a process");
	is_u64(record.start_time, 1234567, "started then");
	is_u64(record.pid_ns, 4026531836, "in its namespace");
	ok(record.lock_device == 5 && record.lock_inode == 97, "and held a lock");
	is_int((long long)record.n_ops, 2, "has writes");
	is_u64(record.op[0].value, 0x41003c, "of old values");
	is_u64(record.op[1].mask, 0xf, "to some bits");
	ok(record.op[1].write && record.op[1].cpu == 1 && record.op[1].phase == PMU_MSR_RESTORE,
	   "on processors");
	pmu_msr_journal_print(&record, &text);
	is_str(pmu_strbuf_text(&text), good, "printed it is the same again");
	pmu_strbuf_free(&text);
	free(record.op);
}

static void refuses(const char *what, const char *old, const char *with, const char *why)
{
	struct pmu_msr_record record;
	char text[2048];
	const char *at = strstr(good, old);

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, with, at + strlen(old));
	is_int(parse(text, &record), -EINVAL, what);
	has(pmu_error_text(), why, "says so");
	ok(!record.op, "nothing is left of it");
}

static void trusts_nothing(void)
{
	refuses("another first line", "registers 1", "registers 2", "line 1");
	refuses("another CPU", "6-44-2", "6-45-2", "another CPU (GenuineIntel-6-45-2)");
	refuses("a register that no session writes", "write 0 188", "write 0 1a0",
		"line 8 writes 1A0H");
	refuses("the time stamp counter", "write 0 188", "write 0 10", "which no session programs");
	refuses("a processor beyond all", "write 1", "write 99999", "line 9");
	refuses("a number that is none", "41003c", "41003g", "line 8");
	refuses("a number too long", "000000000041003c", "10000000000000000", "line 8");
	refuses("a negative number", "write 1", "write -1", "line 9");
	refuses("something behind a write", "000f\n", "000f 1\n", "line 9");
	refuses("a wrong number of writes", "end 2", "end 3", "3 writes");
	refuses("no end", "end 2\n", "", "ends within line 10");
	refuses("something behind the end", "end 2\n", "end 2\n\n", "2 writes");
	refuses("a line without its end", "end 2\n", "end 2", "line 10");
	refuses("a missing line", "boot 1-2-3\n", "", "line 3 is not boot");
	refuses("a process that is none", "pid 4711", "pid -1", "line 5 is not pid");
	refuses("a process without its start", "4711 1234567 4026531836", "4711",
		"line 5 is not pid");
	refuses("a lock that is none", "lock 5 97", "lock 5 97 1", "line 6 is not lock");
	refuses("a boot that is too long", "1-2-3", "0123456789012345678901234567890123456789",
		"boot");
}

/* --- files --- */

static uint64_t there(int cpu, off_t address)
{
	char path[96];
	uint64_t value = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%d", dir, cpu);
	fd = open(path, O_RDONLY);
	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		value = UINT64_MAX;
	close(fd);
	return value;
}

static int n_files(void)
{
	DIR *open_dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	while (open_dir && (entry = readdir(open_dir)))
		n += entry->d_name[0] != '.';
	if (open_dir)
		closedir(open_dir);
	return n;
}

static void put_file(const char *name, const char *text, mode_t mode)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, mode))
		exit(1);
	close(fd);
}

/* The good one of this device and boot, @old replaced. */
static const char *ours(const char *old, const char *with)
{
	static char text[2048];
	char boot[64], changed[2048];
	const char *at;

	if (pmu_sysfile_read("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) < 0)
		snprintf(boot, sizeof(boot), "unknown");
	snprintf(changed, sizeof(changed), "pmu registers 1\ndevice %s\nboot %s\n%s", template,
		 boot, strstr(good, "cpu "));
	at = old ? strstr(changed, old) : NULL;
	if (at)
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - changed), changed, with,
			 at + strlen(old));
	else
		snprintf(text, sizeof(text), "%s", changed);
	return text;
}

static char *read_text(const char *path)
{
	char *text = calloc(1, 4096);
	int fd = open(path, O_RDONLY);

	if (!text || fd < 0 || read(fd, text, 4095) < 0)
		exit(1);
	close(fd);
	return text;
}

static void a_session_that_ends_well_leaves_none(void)
{
	struct pmu_msr_journal journal;

	is_int(pmu_msr_journal_write(&journal, &device, &program), 0, "a journal is written");
	ok(journal.path[0] && pmu_msr_journal_is_there(&journal), "and is there");
	is_int(n_files(), 1, "it alone, complete");
	pmu_msr_journal_remove(&journal);
	is_int(n_files(), 0, "until everything is back");
	ok(!pmu_msr_journal_is_there(&journal), "it knows that");
}

static void the_next_session_puts_back(void)
{
	struct pmu_msr_journal journal;
	struct pmu_strbuf said = { 0 };
	char holder[128], own[64];

	snprintf(own, sizeof(own), "%s (process %d", program_invocation_short_name, (int)getpid());
	pmu_msr_journal_write(&journal, &device, &program);
	pmu_msr_write(&device, 0, SELECT, 0x4100c0);
	pmu_msr_write(&device, 1, GLOBAL, 0x7fe);
	ok(pmu_msr_journal_holder(&device, &machine, holder, sizeof(holder)),
	   "a living session's tells whose it is");
	has(holder, own, "by program and process");
	is_int(pmu_msr_journal_restore(&device, &machine, &said), 1, "one journal is put back");
	is_u64(there(0, SELECT), 0x41003c, "the whole register");
	is_u64(there(1, GLOBAL), 0x7f1, "or our bits of it");
	has(pmu_strbuf_text(&said), "the registers are as they were before", "a line says so");
	is_int(n_files(), 0, "it is gone");
	is_int(pmu_msr_journal_restore(&device, &machine, NULL), 0,
	       "a second time there is nothing");
	pmu_strbuf_free(&said);
}

static void others_are_left_alone(void)
{
	static const struct {
		const char *old, *with, *why;
	} cases[] = {
		{ "/tmp/", "/var/", "another device's" },
		{ "6-44-2", "6-44-3", "another CPU's" },
		{ "write 0 188", "write 0 1a0", "one that writes other registers" },
		{ "end 2\n", "", "half a one" },
	};

	pmu_msr_write(&device, 0, SELECT, 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put_file("1-1.registers", ours(cases[i].old, cases[i].with), 0600);
		ok(pmu_msr_journal_restore(&device, &machine, NULL) <= 0, "%s is not put back",
		   cases[i].why);
		is_u64(there(0, SELECT), 5, "no register is touched");
		is_int(n_files(), 1, "it stays");
	}
	put_file("1-1.registers", ours(NULL, NULL), 0644);
	is_int(pmu_msr_journal_restore(&device, &machine, NULL), 0,
	       "one that others may read is not ours");
	is_u64(there(0, SELECT), 5, "no register is touched");
	put_file("1-1.registers", good, 0600);
	is_int(pmu_msr_journal_restore(&device, &machine, NULL), 0, "one of another boot");
	is_u64(there(0, SELECT), 5, "has nothing to put back");
	is_int(n_files(), 0, "and is removed");
	put_file("1-1.registers", ours(NULL, NULL), 0600);
	is_int(pmu_msr_journal_restore(&device, &machine, NULL), 1, "the same of ours is put back");
	is_u64(there(0, SELECT), 0x41003c, "with its registers");
}

/*
 * By other device files than ours, as a container has them, its lock does not show that it lives.
 */
static void a_living_session_is_left_alone(void)
{
	struct pmu_msr_journal journal;
	struct pmu_strbuf said = { 0 };
	char *text, *lock;

	pmu_msr_write(&device, 0, SELECT, 5);
	pmu_msr_journal_write(&journal, &device, &program);
	text = read_text(journal.path);
	lock = strstr(text, "\nlock ");
	lock[6] = lock[6] == '1' ? '2' : '1';
	put_file(strrchr(journal.path, '/') + 1, text, 0600);
	is_int(pmu_msr_journal_restore(&device, &machine, &said), -EBUSY, "its process runs");
	has(pmu_strbuf_text(&said), "may still be using other files", "which is said");
	is_u64(there(0, SELECT), 5, "no register is touched");
	is_int(n_files(), 1, "the journal stays");
	pmu_msr_journal_remove(&journal);
	pmu_strbuf_free(&said);
	free(text);
}

static void one_that_cannot_be_put_back_stays(void)
{
	struct pmu_strbuf said = { 0 };

	/* a processor that is not there: the first of them */
	put_file("1-1.registers", ours("write 0", "write 7"), 0600);
	pmu_msr_write(&device, 1, GLOBAL, 0x7fe);
	is_int(pmu_msr_journal_restore(&device, &machine, &said), -ENOENT, "its error is told");
	has(pmu_strbuf_text(&said), "/7", "with the processor");
	is_u64(there(1, GLOBAL), 0x7f1, "the others' registers are put back all the same");
	is_int(n_files(), 1, "it stays for the next time");
	pmu_strbuf_free(&said);
	put_file("1-1.registers", "", 0600);
	is_int(pmu_msr_journal_restore(&device, &machine, NULL), 0, "an empty file is none");
}

static void make_file(int cpu)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/%d", dir, cpu);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 0x1000))
		exit(1);
	close(fd);
}

UNIT_PART(journal)
{
	char command[128];

	if (!mkdtemp(dir))
		return 1;
	snprintf(template, sizeof(template), "%s/%%d", dir);
	snprintf(folder, sizeof(folder), "%s/pmu", dir);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	/* the other folders hold nothing of ours */
	setenv("TMPDIR", dir, 1);
	make_file(0);
	make_file(1);
	for (int phase = 0; phase <= PMU_MSR_PHASES; phase++)
		program.first[phase] = phase <= PMU_MSR_RESTORE ? 0 : 2;
	if (pmu_msr_device_open(&device, &machine, &from) || pmu_msr_device_lock(&device, NULL))
		return 1;
	says_how_to_put_everything_back();
	trusts_nothing();
	a_session_that_ends_well_leaves_none();
	the_next_session_puts_back();
	others_are_left_alone();
	a_living_session_is_left_alone();
	one_that_cannot_be_put_back_stays();
	pmu_msr_device_unlock(&device);
	pmu_msr_device_close(&device);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	return done_testing();
}
