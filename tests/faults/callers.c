/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which code makes a system call: our libraries' or the program's.  The stack is searched for return
 * addresses, from the innermost on; the first outside of libc and the loader decides.  Words left on
 * the stack by earlier calls are rarely among libc's few frames.
 */
#include "callers.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "registers.h"

#define MAX_CODE      96
#define MAX_THREADS   256
#define MAX_PROCESSES 128
#define STACK_BYTES   16384

enum owner {
	OWNER_NONE, /* no code */
	OWNER_LIBC,
	OWNER_OURS,
	OWNER_PROGRAM,
};

struct code {
	uint64_t start, end;
	enum owner owner;
};

struct process {
	pid_t pid;
	bool known;      /* what follows is as it is now */
	bool is_command; /* it runs our command */
	size_t n;
	struct code code[MAX_CODE];
};

struct callers {
	struct thread {
		pid_t tid, pid;
	} thread[MAX_THREADS];
	size_t n_threads;
	struct process process[MAX_PROCESSES];
	size_t n_processes;
};

/* --- threads and processes --- */

struct callers *callers_new(void)
{
	return calloc(1, sizeof(struct callers));
}

void callers_free(struct callers *callers)
{
	free(callers);
}

static pid_t process_id(pid_t tid)
{
	char path[64], line[256];
	int pid = tid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (file)
		fclose(file);
	return pid;
}

static struct thread *find_thread(struct callers *callers, pid_t tid)
{
	for (size_t i = 0; i < callers->n_threads; i++)
		if (callers->thread[i].tid == tid)
			return &callers->thread[i];
	return NULL;
}

void callers_know(struct callers *callers, pid_t tid)
{
	if (!find_thread(callers, tid) && callers->n_threads < MAX_THREADS)
		callers->thread[callers->n_threads++] = (struct thread){ tid, process_id(tid) };
}

void callers_gone(struct callers *callers, pid_t tid)
{
	struct thread *thread = find_thread(callers, tid);

	if (thread)
		*thread = callers->thread[--callers->n_threads];
	for (size_t i = 0; i < callers->n_processes; i++)
		if (callers->process[i].pid == tid)
			callers->process[i] = callers->process[--callers->n_processes];
}

void callers_kill_all(const struct callers *callers)
{
	for (size_t i = 0; i < callers->n_threads; i++)
		kill(callers->thread[i].pid, SIGKILL);
}

static struct process *process_of(struct callers *callers, pid_t tid)
{
	const struct thread *thread = find_thread(callers, tid);
	pid_t pid = thread ? thread->pid : tid;

	for (size_t i = 0; i < callers->n_processes; i++)
		if (callers->process[i].pid == pid)
			return &callers->process[i];
	if (callers->n_processes == MAX_PROCESSES)
		return NULL;
	callers->process[callers->n_processes].pid = pid;
	callers->process[callers->n_processes].known = false;
	return &callers->process[callers->n_processes++];
}

void callers_changed(struct callers *callers, pid_t tid)
{
	struct process *process = process_of(callers, tid);

	if (process)
		process->known = false;
}

void callers_exec(struct callers *callers, pid_t tid)
{
	struct thread *thread = find_thread(callers, tid);

	/* the thread that called it has the process's number now */
	if (thread)
		thread->pid = tid;
	callers_changed(callers, tid);
}

/* --- what code there is --- */

/* Libraries that nothing here uses but ours. */
static const char *const ours[] = { "libpmu", "libhwloc.", "libpfm.", "libcpuid.", "libjansson." };
static const char *const libc[] = {
	"libc.", "ld-linux", "libm.", "libdl.", "libpthread.", "[vdso]"
};

static bool begins(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

static enum owner owner_of_file(const struct process *process, const char *name)
{
	if (begins(name, libc, sizeof(libc) / sizeof(*libc)))
		return OWNER_LIBC;
	if (process->is_command || begins(name, ours, sizeof(ours) / sizeof(*ours)))
		return OWNER_OURS;
	return OWNER_PROGRAM;
}

static void load(struct process *process)
{
	char path[64], line[4096 + 128], exe[4096] = "";
	const char *slash;
	FILE *file;

	process->known = true;
	process->n = 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	if (readlink(path, exe, sizeof(exe) - 1) < 0)
		exe[0] = '\0';
	slash = strrchr(exe, '/');
	process->is_command = slash && !strcmp(slash, "/pmu");
	snprintf(path, sizeof(path), "/proc/%d/maps", process->pid);
	file = fopen(path, "re");
	while (file && process->n < MAX_CODE && fgets(line, sizeof(line), file)) {
		struct code *code = &process->code[process->n];
		unsigned long from, to;
		char *name;

		if (sscanf(line, "%lx-%lx %*c%*c%[x]", &from, &to, path) != 3)
			continue;
		name = strrchr(line, '/');
		name = name ? name + 1 : strchr(line, '[');
		if (!name)
			continue;
		*code = (struct code){ from, to, owner_of_file(process, name) };
		process->n++;
	}
	if (file)
		fclose(file);
}

static enum owner owner_of(const struct process *process, uint64_t at)
{
	for (size_t i = 0; i < process->n; i++)
		if (at >= process->code[i].start && at < process->code[i].end)
			return process->code[i].owner;
	return OWNER_NONE;
}

/* --- the stack --- */

#if FAULTS_HAVE_REGISTERS
static bool read_memory(pid_t tid, uint64_t at, void *bytes, size_t size)
{
	struct iovec here = { bytes, size }, there = { (void *)(uintptr_t)at, size };

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Is it behind a call? */
static bool is_return_address(pid_t tid, uint64_t at)
{
#if defined(__x86_64__)
	unsigned char code[7];

	if (!read_memory(tid, at - sizeof(code), code, sizeof(code)))
		return false;
	/* call rel32; call r/m64 of two, three, six and seven bytes */
	return code[2] == 0xe8 || (code[5] == 0xff && (code[6] & 0x38) == 0x10) ||
	       (code[4] == 0xff && (code[5] & 0x38) == 0x10) ||
	       (code[1] == 0xff && (code[2] & 0x38) == 0x10) ||
	       (code[0] == 0xff && (code[1] & 0x38) == 0x10);
#else
	uint32_t code;

	if (!read_memory(tid, at - sizeof(code), &code, sizeof(code)))
		return false;
	return code >> 26 == 0x25 || (code & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
#endif
}

/* The owner of the nearest frame that is not libc's. */
static enum owner caller_of(const struct process *process, pid_t tid, const struct registers *regs)
{
	static uint64_t word[STACK_BYTES / sizeof(uint64_t)];
	struct iovec here = { word, sizeof(word) };
	struct iovec there = { (void *)(uintptr_t)regs->FIELD_SP, sizeof(word) };
	enum owner owner = owner_of(process, regs->FIELD_PC);
	ssize_t n;

	if (owner == OWNER_LIBC)
		owner = owner_of(process, regs->FIELD_LINK);
	if (owner > OWNER_LIBC)
		return owner;
	/* near the top of the stack there is less */
	while ((n = process_vm_readv(tid, &here, 1, &there, 1, 0)) < 0 && here.iov_len > 64)
		here.iov_len = there.iov_len /= 2;
	for (ssize_t i = 0; i < n / (ssize_t)sizeof(*word); i++) {
		owner = owner_of(process, word[i]);
		if (owner > OWNER_LIBC && is_return_address(tid, word[i]))
			return owner;
	}
	return OWNER_NONE;
}

bool callers_are(struct callers *callers, pid_t tid, const struct registers *regs,
		 enum inject_whose whose)
{
	struct process *process = process_of(callers, tid);

	if (!process)
		return false;
	if (!process->known)
		load(process);
	return process->is_command == (whose == INJECT_COMMAND) &&
	       caller_of(process, tid, regs) == OWNER_OURS;
}
#else
bool callers_are(struct callers *callers, pid_t tid, const struct registers *regs,
		 enum inject_whose whose)
{
	(void)callers;
	(void)tid;
	(void)regs;
	(void)whose;
	return false;
}
#endif
