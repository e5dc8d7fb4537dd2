/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of dead sessions: found, judged, put back. */
#include "counters/msr/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/owner.h"
#include "base/place.h"
#include "base/process.h"
#include "base/retry.h"
#include "counters/msr/registers.h"

/* --- those of dead sessions --- */

struct restoring {
	struct pmu_msr_device *device;
	const struct pmu_machine *machine;
	struct pmu_strbuf *said;
	char boot[40];
	int n_done, first_error;
	char holder[128];
};

static PMU_PRINTF(2, 3) void say_restoring(struct restoring *self, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	if (!self->said)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	pmu_strbuf_addf(self->said, "%s\n", line);
}

static void failed(struct restoring *self, int error)
{
	if (!self->first_error)
		self->first_error = error;
}

/* All of a file that is ours alone, or NULL with a sentence. */
static char *load_journal(int dir, const char *name, size_t *len)
{
	int fd = PMU_RETRY(openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
	struct stat st;
	char *text = NULL;
	ssize_t n;

	if (fd < 0) {
		pmu_fail(errno, "%s", strerror(errno));
		return NULL;
	}
	if (pmu_owner_stat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != pmu_owner_self() ||
	    st.st_mode & 077)
		pmu_fail(EPERM, "it is not a file of this user alone");
	else if (st.st_size > (off_t)PMU_MSR_JOURNAL_BYTES)
		pmu_fail(EFBIG, "it is too large");
	else
		text = malloc((size_t)st.st_size + 1);
	for (*len = 0; text && *len < (size_t)st.st_size; *len += (size_t)n) {
		n = PMU_RETRY(read(fd, text + *len, (size_t)st.st_size - *len));
		if (n <= 0)
			break;
	}
	close(fd);
	return text;
}

/*
 * All of its processors that are there.  Return: 0, or why the first one that is not could not be
 * opened, with a line.
 */
static int reach_recorded(struct restoring *self, const struct pmu_msr_record *record,
			  const char *name)
{
	int rc = 0, first = 0, cpu = -1;

	for (size_t i = 0; i < record->n_ops; i++) {
		if (record->op[i].cpu == cpu)
			continue;
		cpu = record->op[i].cpu;
		rc = pmu_msr_device_add(self->device, cpu);
		if (!rc || first)
			continue;
		first = rc;
		say_restoring(self, "%s: %s; the other processors' registers are put back", name,
			      pmu_error_text());
	}
	return first;
}

/* Writes all of it, whatever fails. */
static int put_record_back(struct restoring *self, const struct pmu_msr_record *record,
			   const char *name)
{
	struct pmu_msr_fault fault;
	char reg[64];
	int absent = reach_recorded(self, record, name), rc;

	rc = pmu_msr_device_run(self->device, record->op, record->n_ops, NULL, true, &fault);
	if (absent)
		return absent;
	if (rc) {
		pmu_msr_name(self->machine, fault.op.address, reg, sizeof(reg));
		say_restoring(
			self,
			"%s: cannot write %s (%XH) on CPU %d: %s; the other registers are put back",
			name, reg, fault.op.address, fault.op.cpu, strerror(-rc));
	} else {
		say_restoring(
			self,
			"the registers are as they were before %s (process %d), which ended without putting "
			"them back",
			record->program, record->pid);
	}
	return rc;
}

/* Not where we hold the lock that it held; else only what is known of its process tells. */
static bool may_be_alive(const struct restoring *self, const struct pmu_msr_record *record)
{
	const struct pmu_msr_file *lock = &self->device->lock;
	struct pmu_process process = { .pid = record->pid,
				       .start_time = record->start_time,
				       .pid_ns = record->pid_ns };

	if (record->lock_inode && pmu_msr_device_holds(self->device) &&
	    record->lock_inode == lock->identity.ino && record->lock_device == lock->identity.dev)
		return false;
	return pmu_process_liveness(&process) != PMU_PROCESS_DEAD;
}

static bool is_of(const struct restoring *self, const char *text, size_t len)
{
	const char *line = len ? memchr(text, '\n', len) : NULL;
	size_t n = strlen(self->device->path);

	return line && (size_t)(text + len - line) > n + 9 && !memcmp(line, "\ndevice ", 8) &&
	       !memcmp(line + 8, self->device->path, n) && line[8 + n] == '\n';
}

/* A boot's identity stands in the third line; what says another one has been reset since. */
static bool is_of_another_boot(const struct restoring *self, const char *text, size_t len)
{
	const char *line = len ? memmem(text, len, "\nboot ", 6) : NULL;
	size_t rest = line ? (size_t)(text + len - line) - 6 : 0;
	const char *stop = line ? memchr(line + 6, '\n', rest) : NULL;
	size_t n = strlen(self->boot);

	if (!stop || !n || !memcmp(line + 6, "unknown\n", rest < 8 ? rest : 8))
		return false;
	return (size_t)(stop - line) - 6 != n || memcmp(line + 6, self->boot, n) != 0;
}

/* One file.  What cannot be read as a journal of this device and CPU is left where it is. */
static void restore_file(struct restoring *self, int dir, const char *name)
{
	struct pmu_msr_record record = { .op = NULL };
	size_t len = 0;
	char *text = load_journal(dir, name, &len);
	int rc;

	if (!text) {
		say_restoring(self, "%s: %s", name, pmu_error_text());
		return;
	}
	if (is_of_another_boot(self, text, len)) {
		unlinkat(dir, name, 0);
	} else if (is_of(self, text, len)) {
		rc = pmu_msr_journal_parse(text, len, self->machine, &record);
		if (!rc && may_be_alive(self, &record))
			rc = pmu_fail(
				EBUSY,
				"%s (process %d) may still be using other files of these registers, perhaps "
				"in another container",
				record.program, record.pid);
		if (rc)
			say_restoring(self, "%s: %s", name, pmu_error_text());
		else
			rc = put_record_back(self, &record, name);
		if (rc)
			failed(self, rc);
		else
			self->n_done += !unlinkat(dir, name, 0);
	}
	free(record.op);
	free(text);
}

static bool is_journal(const char *name)
{
	size_t len = strlen(name), ending = strlen(PMU_MSR_JOURNAL_ENDING);

	return len > ending && !strcmp(name + len - ending, PMU_MSR_JOURNAL_ENDING);
}

/* Each journal in a folder, by its descriptor, which is closed. */
static void each_journal(struct restoring *self, int fd,
			 void (*act)(struct restoring *self, int dir, const char *name))
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (is_journal(entry->d_name))
			act(self, dirfd(dir), entry->d_name);
	closedir(dir);
}

static void each_folder(struct restoring *self,
			void (*act)(struct restoring *self, int dir, const char *name))
{
	struct pmu_process owner;
	char path[PMU_PLACE_MAX];
	const char *why;
	int fd;

	pmu_process_self(&owner);
	snprintf(self->boot, sizeof(self->boot), "%s", owner.boot_id);
	for (size_t nth = 0; nth < PMU_N_PLACES; nth++) {
		if (pmu_place_path(nth, path))
			continue;
		fd = pmu_place_open(path, 0, &why);
		if (fd >= 0)
			each_journal(self, fd, act);
	}
}

int pmu_msr_journal_restore(struct pmu_msr_device *device, const struct pmu_machine *machine,
			    struct pmu_strbuf *said)
{
	struct restoring self = { .device = device, .machine = machine, .said = said };

	each_folder(&self, restore_file);
	return self.first_error ? self.first_error : self.n_done;
}

/* --- which session's, and whether there are any --- */

static void tell_holder(struct restoring *self, int dir, const char *name)
{
	struct pmu_msr_record record = { .op = NULL };
	size_t len = 0;
	char *text = load_journal(dir, name, &len);

	if (text && is_of(self, text, len) && !is_of_another_boot(self, text, len) &&
	    !pmu_msr_journal_parse(text, len, self->machine, &record) && !self->holder[0])
		snprintf(self->holder, sizeof(self->holder), "%s (process %d)", record.program,
			 record.pid);
	free(record.op);
	free(text);
}

bool pmu_msr_journal_holder(const struct pmu_msr_device *device, const struct pmu_machine *machine,
			    char *text, size_t size)
{
	/* nothing is done by it */
	struct restoring self = { .device = (struct pmu_msr_device *)(uintptr_t)device,
				  .machine = machine };

	each_folder(&self, tell_holder);
	snprintf(text, size, "%s", self.holder);
	return self.holder[0];
}

static void note_presence(struct restoring *self, int dir, const char *name)
{
	size_t len = 0;
	char *text = load_journal(dir, name, &len);

	self->n_done += text && !is_of_another_boot(self, text, len) && len &&
			memmem(text, len, "\ndevice /dev/", strlen("\ndevice /dev/"));
	free(text);
}

bool pmu_msr_journal_any(void)
{
	struct restoring self = { .n_done = 0 };

	each_folder(&self, note_presence);
	return self.n_done;
}
