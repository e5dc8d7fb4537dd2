/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals are made before registers are written, and removed after they are put back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/place.h"
#include "base/process.h"
#include "base/retry.h"
#include "base/write.h"
#include "counters/msr/journal.h"

#define NAME_BYTES 80

static int no_journal(struct pmu_msr_journal *journal, const char *what, int error)
{
	snprintf(journal->why, sizeof(journal->why), "%.110s: %s", what, strerror(error));
	journal->path[0] = '\0';
	return 0;
}

/*
 * Under another name first: half a journal is none.  By the folder's descriptor: its path may have
 * another owner.
 */
static int write_file(int dir, const char *name, const struct pmu_strbuf *text)
{
	char draft[NAME_BYTES + 8];
	int fd, rc;

	snprintf(draft, sizeof(draft), "%s.new", name);
	fd = PMU_RETRY(
		openat(dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (fd < 0)
		return -errno;
	rc = fchmod(fd, 0600) ? -errno : pmu_write_all(fd, text->text, text->len);
	if (close(fd) && !rc && errno != EINTR)
		rc = -errno;
	if (!rc && renameat(dir, draft, dir, name))
		rc = -errno;
	if (rc)
		unlinkat(dir, draft, 0);
	return rc;
}

/* In the first folder that takes it. */
static int write_somewhere(struct pmu_msr_journal *journal, const struct pmu_strbuf *text)
{
	char folder[PMU_PLACE_MAX], name[NAME_BYTES], tried[PMU_PLACE_MAX] = "no folder for it";
	const char *why;
	struct timespec now;
	int dir, rc = -ENOENT;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(name, sizeof(name), "%ld-%lld.%09ld" PMU_MSR_JOURNAL_ENDING, (long)getpid(),
		 (long long)now.tv_sec, now.tv_nsec);
	for (size_t nth = 0; nth < PMU_N_PLACES && rc; nth++) {
		if (pmu_place_path(nth, folder))
			continue;
		dir = pmu_place_open(folder, 1, &why);
		if (dir < 0)
			continue;
		rc = write_file(dir, name, text);
		close(dir);
		snprintf(tried, sizeof(tried), "%s", folder);
		if (!rc)
			snprintf(journal->path, sizeof(journal->path), "%s/%s", folder, name);
	}
	return rc ? no_journal(journal, tried, -rc) : 0;
}

static void clean_name(char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			*name = '?';
}

static void fill_journal_record(struct pmu_msr_record *record, const struct pmu_msr_device *device,
				const struct pmu_msr_program *program)
{
	struct pmu_process owner;

	memset(record, 0, sizeof(*record));
	pmu_process_self(&owner);
	snprintf(record->device, sizeof(record->device), "%s", device->path);
	snprintf(record->boot, sizeof(record->boot), "%s",
		 owner.boot_id[0] ? owner.boot_id : "unknown");
	snprintf(record->program, sizeof(record->program), "%s", program_invocation_short_name);
	clean_name(record->program);
	clean_name(record->device);
	pmu_msr_journal_cpu(program->machine, record->cpu, sizeof(record->cpu));
	record->pid = owner.pid;
	record->start_time = owner.start_time;
	record->pid_ns = owner.pid_ns;
	if (pmu_msr_device_holds(device)) {
		record->lock_device = device->lock.identity.dev;
		record->lock_inode = device->lock.identity.ino;
	}
	record->op = program->op + program->first[PMU_MSR_RESTORE];
	record->n_ops = program->first[PMU_MSR_RESTORE + 1] - program->first[PMU_MSR_RESTORE];
}

int pmu_msr_journal_write(struct pmu_msr_journal *journal, const struct pmu_msr_device *device,
			  const struct pmu_msr_program *program)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_msr_record record;
	int rc;

	memset(journal, 0, sizeof(*journal));
	fill_journal_record(&record, device, program);
	pmu_msr_journal_print(&record, &text);
	rc = text.failed ? no_journal(journal, "no memory for it", ENOMEM)
			 : write_somewhere(journal, &text);
	pmu_strbuf_free(&text);
	return rc;
}

void pmu_msr_journal_remove(struct pmu_msr_journal *journal)
{
	int saved = errno;

	if (journal->path[0])
		unlink(journal->path);
	journal->path[0] = '\0';
	errno = saved;
}

bool pmu_msr_journal_is_there(const struct pmu_msr_journal *journal)
{
	return journal->path[0] && !access(journal->path, F_OK);
}
