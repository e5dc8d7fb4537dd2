/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens, locks and checks the devices that registers are reached by. */
#include "counters/msr/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/retry.h"
#include "counters/msr/journal.h"

int pmu_msr_path(const char *template, int cpu, char *path, size_t size)
{
	const char *at = strstr(template, "%d");
	int n;

	if (!at)
		return pmu_fail(EINVAL, "no %%d in '%s', which stands for the processor's number",
				template);
	n = snprintf(path, size, "%.*s%d%s", (int)(at - template), template, cpu, at + 2);
	return n < 0 || (size_t)n >= size ? pmu_fail(ENAMETOOLONG, "'%s' is too long", template)
					  : 0;
}

/* --- the lock that is held --- */

/*
 * It is the process's, not the descriptor's: a child by whatever kind of fork does not hold it open
 * when its parent has died.  In return the kernel gives it up with any descriptor of the same file
 * that the process closes.
 */
static struct {
	struct pmu_msr_file file;
	pid_t pid; /* 0: not held */
} held;

/* By another process: then errno says so. */
static int set_lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_SETLK, &whole);
}

bool pmu_msr_file_is_ours(const struct pmu_msr_file *file)
{
	struct pmu_fd_identity now;
	int rc;

	if (file->fd < 0)
		return false;
	rc = pmu_fd_identify(file->fd, &now);
	/* a device that has gone cannot be examined, but the descriptor is open */
	return rc ? rc != -EBADF : pmu_fd_is(file->fd, &file->identity);
}

static bool is_held(void)
{
	return held.pid == getpid() && pmu_msr_file_is_ours(&held.file);
}

static void hold_on(void)
{
	int saved = errno;

	if (is_held())
		set_lock(held.file.fd);
	errno = saved;
}

/* Of a processor's registers. */
static void close_descriptor(int fd)
{
	close(fd);
	hold_on();
}

/* --- what is there --- */

static const char *wanted(const struct pmu_machine_from *from)
{
	return from ? from->msr_device : NULL;
}

/* The device of one processor, open or a negative errno. */
static int open_cpu_path(const char *template, int cpu, char *path, size_t size)
{
	int rc = pmu_msr_path(template, cpu, path, size);

	if (rc)
		return rc;
	do
		rc = PMU_RETRY(open(path, O_RDWR | O_CLOEXEC));
	while (rc < 0 && pmu_fd_more(errno));
	return rc < 0 ? -errno : rc;
}

static int refuse_device(const char *path, int cpu, int error)
{
	switch (error) {
	case -EINVAL:
	case -ENAMETOOLONG:
		return error;
	case -ENXIO:
	case -ENODEV:
		return pmu_fail(error, "CPU %d is offline or has no such registers (%s: %s)", cpu,
				path, strerror(-error));
	case -ENOENT:
		return pmu_fail(error, "there is no %s", path);
	default:
		return pmu_fail(error, "cannot open %s: %s", path, strerror(-error));
	}
}

/*
 * The template that can be opened for CPU 0 of the defaults; where neither can, the first and its
 * error.
 */
static const char *choose_path(const struct pmu_machine_from *from, int *error)
{
	static const char *const defaults[] = { PMU_MSR_DEVICE_DEFAULT, PMU_MSR_DEVICE_SAFE };
	char path[512];
	int fd;

	*error = 0;
	if (wanted(from))
		return wanted(from);
	for (size_t i = 0; i < PMU_ARRAY_LEN(defaults); i++) {
		fd = open_cpu_path(defaults[i], 0, path, sizeof(path));
		if (fd >= 0)
			close_descriptor(fd);
		/* CPU 0 may be offline: the others will tell */
		if (fd >= 0 || fd == -ENXIO)
			return defaults[i];
		if (i == 0 || (*error == -ENOENT && fd != -ENOENT))
			*error = fd;
	}
	return defaults[0];
}

int pmu_msr_device_try(const struct pmu_machine_from *from)
{
	char path[512];
	int error;
	const char *template = choose_path(from, &error);

	if (!error || pmu_msr_path(template, 0, path, sizeof(path)))
		return error;
	return refuse_device(path, 0, error);
}

const char *pmu_msr_device_mend(const struct pmu_machine_from *from, int error)
{
	switch (error) {
	case -ENOENT:
		return wanted(from) ? "" : "modprobe msr";
	case -EACCES:
		return "run as root, or load msr-safe and be in the group of its devices";
	case -EPERM:
		return "run with CAP_SYS_RAWIO; a kernel in lockdown, or booted with msr.allow_writes=off, lets "
		       "no program write registers (msr.allow_writes=on)";
	case -EIO:
		return "";
	case -EBUSY:
		return "wait for the other session to end";
	default:
		return "";
	}
}

/* --- open and close --- */

static void keep_msr_file(struct pmu_msr_file *file, int fd, const struct pmu_fd_limit *limit)
{
	file->fd = pmu_fd_park(fd, limit); /* closes the other number */
	hold_on();
	if (pmu_fd_identify(file->fd, &file->identity)) {
		close_descriptor(file->fd);
		file->fd = -1;
	}
}

static void close_file(struct pmu_msr_file *file)
{
	int saved = errno;

	if (pmu_msr_file_is_ours(file))
		close_descriptor(file->fd);
	file->fd = -1;
	errno = saved;
}

static int open_msr_place(struct pmu_msr_device *device, struct pmu_msr_place *place,
			  const struct pmu_fd_limit *limit)
{
	char path[512];
	int fd = open_cpu_path(device->path, place->cpu, path, sizeof(path));

	if (fd < 0)
		return refuse_device(path, place->cpu, fd);
	keep_msr_file(&place->file, fd, limit);
	return place->file.fd < 0 ? pmu_fail(EIO, "cannot examine %s", path) : 0;
}

static int open_msr_places(struct pmu_msr_device *device)
{
	struct pmu_fd_limit limit;
	int rc = 0;

	pmu_fd_begin(&limit);
	for (size_t i = 0; i < device->n_cpus && !rc; i++)
		if (device->at[i].file.fd < 0)
			rc = open_msr_place(device, &device->at[i], &limit);
	pmu_fd_end();
	return rc;
}

/* A batch device of one's own choice must be there; the usual one serves where it does. */
static int open_batch(struct pmu_msr_device *device, const struct pmu_machine_from *from)
{
	const char *asked = from ? from->msr_batch : NULL;
	struct pmu_fd_limit limit;
	int fd;

	if (!asked && wanted(from))
		return 0;
	fd = PMU_RETRY(open(asked ? asked : PMU_MSR_BATCH_DEFAULT, O_RDWR | O_CLOEXEC));
	if (fd < 0 && errno == EACCES)
		fd = PMU_RETRY(open(asked ? asked : PMU_MSR_BATCH_DEFAULT, O_RDONLY | O_CLOEXEC));
	if (fd < 0)
		return asked ? refuse_device(asked, 0, -errno) : 0;
	pmu_fd_begin(&limit);
	keep_msr_file(&device->batch, fd, &limit);
	pmu_fd_end();
	return 0;
}

/* The program may change its folder, and other programs' journals are told apart by the path. */
static int fix_path(struct pmu_msr_device *device, const char *template)
{
	char folder[sizeof(device->path)] = "";

	if (template[0] != '/' && !getcwd(folder, sizeof(folder)))
		return pmu_fail(errno, "cannot tell where '%s' is: %s", template, strerror(errno));
	if ((size_t)snprintf(device->path, sizeof(device->path), "%s%s%s", folder,
			     folder[0] ? "/" : "", template) >= sizeof(device->path))
		return pmu_fail(ENAMETOOLONG, "'%s' is too long", template);
	return 0;
}

int pmu_msr_device_open(struct pmu_msr_device *device, const struct pmu_machine *machine,
			const struct pmu_machine_from *from)
{
	int rc, error;

	memset(device, 0, sizeof(*device));
	device->batch.fd = device->lock.fd = -1;
	rc = fix_path(device, choose_path(from, &error));
	if (rc)
		return rc;
	device->at = calloc(machine->n_cpus, sizeof(*device->at));
	if (!device->at)
		return pmu_fail(ENOMEM, "no memory for the registers of %zu processors",
				machine->n_cpus);
	device->n_cpus = machine->n_cpus;
	for (size_t i = 0; i < machine->n_cpus; i++)
		device->at[i] = (struct pmu_msr_place){ .cpu = machine->cpu[i].pu.cpu,
							.file.fd = -1 };
	rc = open_msr_places(device);
	if (!rc)
		rc = open_batch(device, from);
	if (rc)
		pmu_msr_device_close(device);
	return rc;
}

static struct pmu_msr_place *find_msr_place(const struct pmu_msr_device *device, int cpu)
{
	size_t low = 0, high = device->n_cpus;

	/* as a rule they are numbered from 0 */
	if (cpu >= 0 && (size_t)cpu < high && device->at[cpu].cpu == cpu)
		return &device->at[cpu];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (device->at[middle].cpu == cpu)
			return &device->at[middle];
		if (device->at[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int pmu_msr_device_add(struct pmu_msr_device *device, int cpu)
{
	struct pmu_msr_place *at, made = { .cpu = cpu, .file.fd = -1 };
	struct pmu_fd_limit limit;
	size_t i;
	int rc;

	if (find_msr_place(device, cpu))
		return 0;
	at = realloc(device->at, (device->n_cpus + 1) * sizeof(*at));
	if (!at)
		return pmu_fail(ENOMEM, "no memory for the registers of CPU %d", cpu);
	device->at = at;
	pmu_fd_begin(&limit);
	rc = open_msr_place(device, &made, &limit);
	pmu_fd_end();
	if (rc)
		return rc;
	for (i = device->n_cpus; i > 0 && at[i - 1].cpu > cpu; i--)
		at[i] = at[i - 1];
	at[i] = made;
	device->n_cpus++;
	return 0;
}

void pmu_msr_device_drop(struct pmu_msr_device *device)
{
	for (size_t i = 0; i < device->n_cpus; i++)
		close_file(&device->at[i].file);
	close_file(&device->batch);
	close_file(&device->lock);
}

void pmu_msr_device_close(struct pmu_msr_device *device)
{
	pmu_msr_device_drop(device);
	free(device->at);
	free(device->ops);
	device->at = NULL;
	device->ops = NULL;
	device->n_cpus = device->ops_room = 0;
}

size_t pmu_msr_device_check(struct pmu_msr_device *device)
{
	size_t lost = 0;

	for (size_t i = 0; i < device->n_cpus; i++) {
		if (pmu_msr_file_is_ours(&device->at[i].file))
			continue;
		device->at[i].file.fd = -1;
		lost++;
	}
	if (!pmu_msr_file_is_ours(&device->batch))
		device->batch.fd = -1;
	return lost;
}

int pmu_msr_device_reopen(struct pmu_msr_device *device)
{
	return open_msr_places(device);
}

/* --- the lock --- */

/* CPU 0's, also for a process that may not run there; else the first that can be opened. */
static int open_first_cpu(const struct pmu_msr_device *device, const char *template)
{
	char path[512];
	int fd = open_cpu_path(template, 0, path, sizeof(path));

	if (fd < 0 && device->n_cpus)
		fd = open_cpu_path(template, device->at[0].cpu, path, sizeof(path));
	return fd;
}

/*
 * The registers of msr and of msr_safe are the same: a process that may use the first's device may
 * as a rule use the other's, too.
 */
static int open_lock(const struct pmu_msr_device *device)
{
	size_t len = strlen(device->path), end = strlen("/msr");
	char safe[sizeof(device->path) + sizeof("_safe")];
	int fd = -ENOENT;

	if (len >= end && !strcmp(device->path + len - end, "/msr")) {
		snprintf(safe, sizeof(safe), "%s_safe", device->path);
		fd = open_first_cpu(device, safe);
	}
	return fd < 0 ? open_first_cpu(device, device->path) : fd;
}

/* The kernel does not refuse a lock to the process that holds it. */
static bool is_taken_here(const struct pmu_msr_file *file)
{
	return is_held() && file->identity.dev == held.file.identity.dev &&
	       file->identity.ino == held.file.identity.ino;
}

/* Return: 0 or an errno. */
static int try_lock(const struct pmu_msr_file *file)
{
	if (is_taken_here(file))
		return EBUSY;
	if (!set_lock(file->fd))
		return 0;
	return errno == EACCES || errno == EAGAIN ? EBUSY : errno;
}

int pmu_msr_device_lock(struct pmu_msr_device *device, const struct pmu_machine *machine)
{
	struct pmu_msr_file file = { .fd = -1 };
	struct pmu_fd_limit limit;
	int fd = open_lock(device), rc;
	char holder[128] = "";

	if (fd < 0)
		return pmu_fail(fd, "cannot open the first processor's registers for a lock: %s",
				strerror(-fd));
	pmu_fd_begin(&limit);
	keep_msr_file(&file, fd, &limit);
	pmu_fd_end();
	if (file.fd < 0)
		return pmu_fail(EIO, "cannot examine the lock on the registers");
	rc = try_lock(&file);
	if (!rc) {
		device->lock = held.file = file;
		held.pid = getpid();
		return 0;
	}
	close_file(&file);
	if (rc != EBUSY)
		return pmu_fail(rc, "cannot lock the registers: %s", strerror(rc));
	if (machine)
		pmu_msr_journal_holder(device, machine, holder, sizeof(holder));
	return pmu_fail(EBUSY, "another session has this machine's counters%s%s",
			holder[0] ? ": " : "", holder);
}

void pmu_msr_device_unlock(struct pmu_msr_device *device)
{
	if (held.file.fd == device->lock.fd && held.pid == getpid())
		held.pid = 0;
	close_file(&device->lock);
}

bool pmu_msr_device_holds(const struct pmu_msr_device *device)
{
	return pmu_msr_file_is_ours(&device->lock);
}

int pmu_msr_fd(const struct pmu_msr_device *device, int cpu)
{
	const struct pmu_msr_place *place = find_msr_place(device, cpu);

	return place ? place->file.fd : -1;
}
