/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu on` and `pmu off`: what a running process's store says is wanted of it. */
#define PMU_STORE_READER 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "base/retry.h"
#include "base/sysfile.h"
#include "bindings/command/command.h"
#include "bindings/command/top/find.h"
#include "store/read/snapshot.h"
#include "store/row.h"

/* A thread that makes calls has made one by then. */
#define LOOKS   200
#define LOOK_NS 1000000l

/** What is asked for. */
struct request {
	bool on;
	pid_t pid;   /* as it was given */
	bool is_run; /* a `pmu run`, of which it is all processes */
	bool any;    /* any store has been found */
};

static const char *word_of(const struct request *request)
{
	return request->on ? "on" : "off";
}

/* --- one store --- */

/* Return: its first page, for munmap(); NULL after a message. */
static struct pmu_store_head *map_head(const struct request *request, const char *path)
{
	struct pmu_store_head *head = MAP_FAILED;
	struct stat st;
	int fd = PMU_RETRY(open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));

	if (fd < 0 || fstat(fd, &st)) {
		pmu_command_error("process %d cannot be switched %s: its store %s: %s",
				  (int)request->pid, word_of(request), path, strerror(errno));
		goto close_store;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)PMU_STORE_HEAD_SIZE) {
		pmu_command_error("%s is not a store of this library", path);
		goto close_store;
	}
	head = mmap(NULL, PMU_STORE_HEAD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		pmu_command_error("cannot map %s: %s", path, strerror(errno));
	else if (pmu_store_check_head(head, (uint64_t)st.st_size)) {
		pmu_command_error("%s: %s", path, pmu_error_text());
		munmap(head, PMU_STORE_HEAD_SIZE);
		head = MAP_FAILED;
	}
close_store:
	if (fd >= 0)
		close(fd);
	return head == MAP_FAILED ? NULL : head;
}

static bool is_done(struct pmu_store_control *control, bool on)
{
	/* Pairs with the release in set_state() of session/control.c. */
	return (__atomic_load_n(&control->state, __ATOMIC_ACQUIRE) == PMU_CONTROL_ON) == on;
}

/*
 * What is wanted first, and the epoch behind it, as the process does it the other way round.
 * Return: whether a thread of the process has done it; else it comes with the next call.
 */
static bool ask_control(struct pmu_store_control *control, bool on)
{
	const struct timespec a_moment = { .tv_nsec = LOOK_NS };

	__atomic_store_n(&control->wanted, on ? PMU_WANTED_ON : PMU_WANTED_OFF, __ATOMIC_SEQ_CST);
	__atomic_store_n(&control->epoch, PMU_EPOCH_ASK, __ATOMIC_SEQ_CST);
	for (int look = 0; look < LOOKS && !is_done(control, on); look++)
		nanosleep(&a_moment, NULL);
	return is_done(control, on);
}

static void say_switched(const struct pmu_store_head *head, const char *how)
{
	struct pmu_strbuf out = { 0 };

	pmu_strbuf_addf(&out, "process %d: measuring %s\n", (int)head->pid, how);
	pmu_command_print(&out);
}

/* Return: 0 or PMU_EXIT_FAILED. */
static int switch_store(struct request *request, const char *path)
{
	struct pmu_store_head *head = map_head(request, path);
	struct pmu_store_control *control;
	int rc = 0;

	if (!head)
		return PMU_EXIT_FAILED;
	/* a child that has made no call since it was forked still has its parent's mapped */
	if (!request->is_run && !pmu_process_is_numbered(request->pid, head->pid)) {
		munmap(head, PMU_STORE_HEAD_SIZE);
		return 0;
	}
	request->any = true;
	control = pmu_store_control(head);
	if (__atomic_load_n(&control->state, __ATOMIC_ACQUIRE) == PMU_CONTROL_NONE) {
		pmu_command_error(
			"process %d cannot be switched %s: its libpmu is of a version that "
			"does not look, or may not map its store",
			(int)head->pid, word_of(request));
		rc = PMU_EXIT_FAILED;
	} else if (is_done(control, request->on) &&
		   (control->wanted == PMU_WANTED_OFF) != request->on) {
		say_switched(head, request->on ? "is on already" : "is off already");
	} else if (ask_control(control, request->on)) {
		say_switched(head, request->on ? "is on" : "is off");
	} else {
		say_switched(head, request->on ? "goes on with its next begin or end of a region"
					       : "goes off with its next begin or end of a region");
	}
	munmap(head, PMU_STORE_HEAD_SIZE);
	return rc;
}

/* --- processes --- */

/* Where nothing is found of it. */
static int refuse_control(const struct request *request)
{
	const int pid = (int)request->pid;

	if (kill(request->pid, 0) && errno == ESRCH)
		pmu_command_error("there is no process %d", pid);
	else if (errno == EPERM)
		pmu_command_error("process %d is another user's: only that user and root may "
				  "switch it %s",
				  pid, word_of(request));
	else
		pmu_command_error(
			"process %d is not being measured: it has to be linked with libpmu and to have "
			"used a region, or to be started by 'pmu run'",
			pid);
	return PMU_EXIT_FAILED;
}

static int switch_found(struct request *request, const struct pmu_top_wanted *wanted)
{
	struct pmu_top_paths paths = { 0 };
	int rc = pmu_top_find(wanted, &paths);

	if (rc < 0) {
		pmu_command_error("no memory");
		rc = PMU_EXIT_FAILED;
	}
	for (size_t i = 0; i < paths.n; i++)
		if (switch_store(request, paths.path[i]))
			rc = PMU_EXIT_FAILED;
	pmu_top_paths_free(&paths);
	return rc;
}

/* A process by itself, or all that a `pmu run` has started. */
static int switch_process(bool on, pid_t pid)
{
	struct request request = { .on = on, .pid = pid };
	int rc = switch_found(&request, &(struct pmu_top_wanted){ .pid = pid });

	request.is_run = !request.any && !rc;
	if (request.is_run)
		rc = switch_found(&request, &(struct pmu_top_wanted){ .run = pid });
	if (rc)
		return rc;
	errno = 0;
	return request.any ? 0 : refuse_control(&request);
}

/* But for --help none. */
static const struct pmu_option control_options[] = { { 0 } };

static int run_control(const struct pmu_command *self, int argc, char **argv)
{
	int status = 0;
	pid_t *pid = calloc((size_t)argc, sizeof(*pid));
	bool dashes = false;
	int n = 0, rc = 0;

	for (int i = 1; i < argc && !rc && pid; i++) {
		uint64_t number;

		if (!dashes && !strcmp(argv[i], "--"))
			dashes = true;
		else if (!dashes && argv[i][0] == '-')
			rc = pmu_command_option(self, control_options, NULL, argv, &i);
		else if (pmu_parse_u64(argv[i], &number) || !number || number > INT32_MAX)
			rc = pmu_command_usage_error(self, "'%s' is no process", argv[i]);
		else
			pid[n++] = (pid_t)number;
	}
	if (!rc && !n)
		rc = pmu_command_usage_error(self, "say which process");
	for (int i = 0; i < n && !rc; i++)
		status |= switch_process(self == &pmu_command_on, pid[i]);
	free(pid);
	return rc ? rc : status;
}

const struct pmu_command pmu_command_on = {
	.name = "on",
	.usage = "on PID...",
	.about = "go on measuring programs that run",
	.help = "Switches measuring on in processes that were switched off by 'pmu off', or started so by\n"
		"'pmu run --idle' or PMU_ENABLE=later.  Of a 'pmu run' it is all processes that it has started so far.\n",
	.dashes = "what follows are processes",
	.options = control_options,
	.more = "What begins from now on is measured.  An end of what had begun before is passed over.\n",
	.run = run_control,
};

const struct pmu_command pmu_command_off = {
	.name = "off",
	.usage = "off PID...",
	.about = "stop measuring programs that run",
	.help = "Switches measuring off in processes that are linked with libpmu or were started by 'pmu run': their\n"
		"calls return at once until 'pmu on'.  Of a 'pmu run' it is all processes that it has started so far.\n",
	.dashes = "what follows are processes",
	.options = control_options,
	.more = "Calls that are open then end there.  The report says how long measuring was off.\n",
	.run = run_control,
};
