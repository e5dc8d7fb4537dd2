/* SPDX-License-Identifier: BSD-3-Clause */
/* No thread or program inherits a pin: every way to start one, from a pinned thread. */
#include "session/spawn.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "base/compiler.h"
#include "machine/mask.h"
#include "machine/pin.h"
#include "machine/pinned.h"
#include "tap.h"

static struct pmu_mask all;
static int pinned_to;
static char program[4096]; /* this program: started with "mask" it tells its own */
static char all_text[256];

static struct pmu_mask own(void)
{
	struct pmu_mask mask;

	pmu_mask_of_thread(0, &mask);
	return mask;
}

static bool is_all(const struct pmu_mask *mask)
{
	return pmu_mask_equal(mask, &all);
}

static bool still_pinned(void)
{
	struct pmu_mask mask = own();

	return pmu_mask_single(&mask) == pinned_to;
}

static void *note_mask(void *mask)
{
	*(struct pmu_mask *)mask = own();
	return NULL;
}

static int note_mask_c11(void *mask)
{
	note_mask(mask);
	return 0;
}

static void threads_start_free(void)
{
	struct pmu_mask mask;
	pthread_t thread;
	thrd_t c11;

	if (PMU_TSAN) {
		skip("pthread_create",
		     "ThreadSanitizer's is in its place in a program of one piece");
		skip("thrd_create", "ThreadSanitizer does not know it and crashes in any program");
		return;
	}
	is_int(pthread_create(&thread, NULL, note_mask, &mask), 0, "pthread_create");
	pthread_join(thread, NULL);
	ok(is_all(&mask), "its thread has the original mask");
	ok(still_pinned(), "its caller is pinned again");
	is_int(thrd_create(&c11, note_mask_c11, &mask), thrd_success, "thrd_create");
	thrd_join(c11, NULL);
	ok(is_all(&mask), "its thread has the original mask");
	ok(still_pinned(), "its caller is pinned again");
}

static void attributes_are_respected(void)
{
	struct pmu_mask mask;
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t one;

	if (pinned_to >= CPU_SETSIZE) {
		skip("an affinity attribute", "CPU %d is beyond a cpu_set_t", pinned_to);
		return;
	}
	CPU_ZERO(&one);
	CPU_SET((size_t)pinned_to, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	is_int(pthread_create(&thread, &attr, note_mask, &mask), 0, "a thread with a mask");
	pthread_join(thread, NULL);
	is_int(pmu_mask_single(&mask), pinned_to, "has it");
	pthread_attr_destroy(&attr);
}

/* What a child wrote into the pipe. */
static const char *answer(int fd)
{
	static char text[256];
	ssize_t len = read(fd, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	close(fd);
	return text;
}

static void forks_start_free(void)
{
	static pid_t (*const how[])(void) = { fork, _Fork };
	static const char *const name[] = { "fork", "_Fork" };
	struct pmu_mask mask;
	int status;
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		fflush(stdout);
		status = -1;
		pid = how[i]();
		if (!pid) {
			mask = own();
			status = !is_all(&mask);
			/* where its parent was it may go by itself, and then that is its
			 * mask */
			memset(&mask, 0, sizeof(mask));
			pmu_mask_set(&mask, pinned_to);
			pmu_mask_apply(&mask);
			pmu_pin_lift();
			_exit(status || !still_pinned() ||
			      pmu_pin_original(0, sizeof(mask), &mask));
		}
		waitpid(pid, &status, 0);
		is_int(status, 0, name[i]);
		ok(still_pinned(), "its caller is pinned again");
	}
}

static void daemons_start_free(void)
{
	int to[2], status = -1;
	pid_t pid;

	if (pipe(to))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct pmu_mask mask = { { 0 } };
		char text[256];

		pmu_mask_set(&mask, pinned_to);
		pmu_pinned_bind(pinned_to, &all);
		if (daemon(1, 1))
			_exit(1);
		mask = own();
		pmu_mask_format(&mask, text, sizeof(text));
		(void)!write(to[1], text, strlen(text));
		_exit(0);
	}
	close(to[1]);
	waitpid(pid, &status, 0);
	is_str(answer(to[0]), all_text, "daemon");
}

/* Every exec of the family, in a child that is pinned like its parent. */
enum exec_way {
	BY_EXECVE,
	BY_EXECV,
	BY_EXECVP,
	BY_EXECVPE,
	BY_EXECL,
	BY_EXECLP,
	BY_EXECLE,
	BY_FEXECVE,
	BY_EXECVEAT,
	N_WAYS
};

static const char *const way_name[N_WAYS] = {
	"execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat",
};

static void do_exec(enum exec_way way)
{
	char *argv[] = { program, (char *)"mask", (char *)"x y", NULL };
	char *envp[] = { (char *)"MASK_MARK=7", NULL };

	switch (way) {
	case BY_EXECVE:
		execve(program, argv, envp);
		break;
	case BY_EXECV:
		execv(program, argv);
		break;
	case BY_EXECVP:
		execvp(program, argv);
		break;
	case BY_EXECVPE:
		execvpe(program, argv, envp);
		break;
	case BY_EXECL:
		execl(program, program, "mask", "x y", (char *)NULL);
		break;
	case BY_EXECLP:
		execlp(program, program, "mask", "x y", (char *)NULL);
		break;
	case BY_EXECLE:
		execle(program, program, "mask", "x y", (char *)NULL, envp);
		break;
	case BY_FEXECVE:
		fexecve(open(program, O_RDONLY), argv, envp);
		break;
	case BY_EXECVEAT:
		execveat(AT_FDCWD, program, argv, envp, 0);
		break;
	case N_WAYS:
		break;
	}
	_exit(99);
}

static bool has_envp(enum exec_way way)
{
	return way == BY_EXECVE || way == BY_EXECVPE || way == BY_EXECLE || way == BY_FEXECVE ||
	       way == BY_EXECVEAT;
}

/* The mask of the program started, its second word and the environment it was given. */
static void is_answer(const char *got, enum exec_way way, const char *from)
{
	char want[320];

	snprintf(want, sizeof(want), "%s|x y|%s", all_text, has_envp(way) ? "7" : "-");
	ok(!strcmp(got, want), "%s after %s", way_name[way], from);
	if (strcmp(got, want))
		diag("got \"%s\", want \"%s\"", got, want);
}

/* Apart from its caller: a child of vfork might spoil the caller's variables. */
static __attribute__((noinline)) pid_t exec_in_vfork(enum exec_way way, int out)
{
	pid_t pid = vfork();

	if (pid)
		return pid;
	dup2(out, 1);
	do_exec(way);
	return 0;
}

static void programs_start_free(void)
{
	int to[2];
	pid_t pid;

	for (enum exec_way way = 0; way < N_WAYS; way++) {
		if (pipe(to))
			return;
		fflush(stdout);
		pid = exec_in_vfork(way, to[1]);
		close(to[1]);
		is_answer(answer(to[0]), way, "vfork");
		waitpid(pid, NULL, 0);
		ok(still_pinned(), "the parent is pinned as before");
		pmu_pin_lift();
		ok(!still_pinned(), "and its own bookkeeping is as before");
		pmu_pin_restore();
	}
}

/* A fork that our wrapper does not see, then exec. */
static void programs_of_raw_forks_start_free(void)
{
	int to[2];
	pid_t pid;

	if (pipe(to))
		return;
	fflush(stdout);
#ifdef SYS_fork
	pid = (pid_t)syscall(SYS_fork);
#else
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
	if (!pid) {
		dup2(to[1], 1);
		do_exec(BY_EXECVE);
	}
	close(to[1]);
	is_answer(answer(to[0]), BY_EXECVE, "a raw fork");
	waitpid(pid, NULL, 0);
}

static void failed_execs_change_nothing(void)
{
	char *argv[] = { program, NULL };
	int status = -1;
	pid_t pid;

	errno = 0;
	is_int(execve("/nonexistent/program", argv, environ), -1, "an exec that fails");
	is_int(errno, ENOENT, "says why");
	ok(still_pinned(), "and the thread is pinned as before");
	execlp("no-such-program-anywhere", "x", (char *)NULL);
	is_int(errno, ENOENT, "neither is there one in PATH");
	ok(still_pinned(), "and the thread is pinned as before");
	pid = vfork();
	if (!pid) {
		execv("/nonexistent/program", argv);
		_exit(still_pinned() ? errno : 0);
	}
	waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), ENOENT, "a child of vfork gets its pin back, too");
	pmu_pin_lift();
	ok(!still_pinned(), "its parent's bookkeeping is as before");
	pmu_pin_restore();
	ok(still_pinned(), "and its pin");
}

static void spawned_programs_start_free(void)
{
	char *argv[] = { program, (char *)"mask", (char *)"x y", NULL };
	char *envp[] = { (char *)"MASK_MARK=7", NULL };
	posix_spawn_file_actions_t actions;
	int to[2], rc;
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		if (pipe(to))
			return;
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, to[1], 1);
		fflush(stdout);
		rc = (i ? posix_spawnp : posix_spawn)(&pid, program, &actions, NULL, argv, envp);
		close(to[1]);
		is_int(rc, 0, i ? "posix_spawnp" : "posix_spawn");
		is_answer(answer(to[0]), BY_EXECVE, "posix_spawn");
		waitpid(pid, NULL, 0);
		posix_spawn_file_actions_destroy(&actions);
	}
	is_int(posix_spawn(&pid, "/nonexistent", NULL, NULL, argv, envp), ENOENT,
	       "posix_spawn of nothing");
	ok(still_pinned(), "the caller is pinned again");
}

static void shells_start_free(void)
{
	char command[5000], text[320] = "", want[320];
	FILE *pipe;

	snprintf(want, sizeof(want), "%s|x y|-", all_text);
	snprintf(command, sizeof(command), "'%s' mask 'x y'", program);
	fflush(stdout);
	pipe = popen(command, "r");
	ok(pipe && fgets(text, sizeof(text), pipe), "popen");
	if (pipe)
		pclose(pipe);
	text[strcspn(text, "\n")] = '\0';
	is_str(text, want, "its program has the original mask");
	snprintf(command, sizeof(command), "test \"$('%s' mask 'x y')\" = '%s'", program, want);
	is_int(system(command), 0, "system");
	ok(system(NULL) != 0, "there is a shell");
	ok(still_pinned(), "the caller is pinned again");
}

/* --- the mask that a pinned thread gets --- */

static bool tells_all(const unsigned char *mask, size_t size)
{
	size_t n = size < sizeof(all) ? size : sizeof(all);

	for (size_t i = n; i < size; i++)
		if (mask[i])
			return false;
	return !memcmp(mask, &all, n);
}

static void *ask_for_main(void *arg)
{
	unsigned char mask[sizeof(struct pmu_mask)];
	pthread_t thread = *(pthread_t *)arg;
	bool holds = !sched_getaffinity(getpid(), sizeof(mask), (cpu_set_t *)(void *)mask) &&
		     tells_all(mask, sizeof(mask));

	memset(mask, 0xff, sizeof(mask));
	holds = holds && !pthread_getaffinity_np(thread, sizeof(mask), (cpu_set_t *)(void *)mask) &&
		tells_all(mask, sizeof(mask));
	return holds ? arg : NULL;
}

static void pinned_threads_see_all(void)
{
	unsigned char mask[2 * sizeof(struct pmu_mask)];
	cpu_set_t *set = (cpu_set_t *)(void *)mask;
	pthread_t self = pthread_self(), thread;
	void *result = NULL;

	memset(mask, 0xff, sizeof(mask));
	is_int(sched_getaffinity(0, sizeof(mask), set), 0, "sched_getaffinity(0)");
	ok(tells_all(mask, sizeof(mask)), "tells the original mask, and zeroes after it");
	memset(mask, 0xff, sizeof(mask));
	is_int(sched_getaffinity(getpid(), sizeof(mask), set), 0, "by its tid");
	ok(tells_all(mask, sizeof(mask)), "the same");
	memset(mask, 0xff, sizeof(mask));
	is_int(pthread_getaffinity_np(self, sizeof(mask), set), 0, "pthread_getaffinity_np");
	ok(tells_all(mask, sizeof(mask)), "the same");
	errno = 0;
	is_int(sched_getaffinity(0, 1, set), -1, "a size that the kernel refuses");
	is_int(errno, EINVAL, "is refused as ever");
	is_int(pthread_getaffinity_np(self, 1, set), EINVAL, "by both");
	is_int(sched_getaffinity(0x7ffffff0, sizeof(mask), set), -1, "nobody's mask");
	is_int(errno, ESRCH, "as ever");
	pthread_create(&thread, NULL, ask_for_main, &self);
	pthread_join(thread, &result);
	ok(result != NULL, "another thread is told the same of it");
	ok(still_pinned(), "and the thread is where it was");
}

static pthread_barrier_t met, done;

static void *be_pinned(void *arg)
{
	struct pmu_mask mask;

	pmu_pinned_bind(pinned_to, &all);
	*(pid_t *)arg = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&done);
	/* main has bound us since then */
	pmu_pin_lift();
	mask = own();
	pmu_pin_restore();
	return (void *)(intptr_t)(1 + pmu_mask_single(&mask));
}

/* Even the CPU that we had chosen: then it is the program's choice. */
static void masks_that_the_program_sets_stand(void)
{
	struct pmu_mask one = { { 0 } }, told;
	cpu_set_t *set = (cpu_set_t *)(void *)&one;
	pthread_t thread;
	pid_t tid = 0;
	void *result;

	pmu_mask_set(&one, pinned_to);
	pthread_barrier_init(&met, NULL, 2);
	pthread_barrier_init(&done, NULL, 2);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, be_pinned, &tid);
		pthread_barrier_wait(&met);
		is_int(i ? sched_setaffinity(tid, sizeof(one), set)
			 : pthread_setaffinity_np(thread, sizeof(one), set),
		       0, i ? "sched_setaffinity of another thread" : "pthread_setaffinity_np");
		pthread_barrier_wait(&done);
		pthread_join(thread, &result);
		is_int((intptr_t)result - 1, pinned_to, "is never lifted");
	}
	is_int(sched_setaffinity(0, sizeof(one), set), 0, "sched_setaffinity of oneself");
	pmu_pin_lift();
	ok(still_pinned(), "is not lifted either");
	pmu_pin_restore();
	is_int(sched_getaffinity(0, sizeof(told), (cpu_set_t *)(void *)&told), 0, "and asked for");
	is_int(pmu_mask_single(&told), pinned_to, "it is told as it is");
	memset(&one, 0, sizeof(one));
	errno = 0;
	is_int(sched_setaffinity(0, sizeof(one), set), -1, "no CPU");
	is_int(errno, EINVAL, "is refused as ever");
}

/* --- */

static void is_in_scope(void)
{
	ok(pmu_spawn_in_scope(), "the program's calls reach our wrappers");
}

/* Started by a test: mask, second word, environment. */
static int tell_mask(const char *word)
{
	struct pmu_mask mask = own();
	const char *mark = getenv("MASK_MARK");
	char text[256];

	pmu_mask_format(&mask, text, sizeof(text));
	printf("%s|%s|%s\n", text, word, mark ? mark : "-");
	return 0;
}

int main(int argc, char **argv)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (argc == 3 && !strcmp(argv[1], "mask"))
		return tell_mask(argv[2]);
	pmu_mask_of_thread(0, &all);
	pinned_to = pmu_mask_next(&all, 0);
	pmu_mask_format(&all, all_text, sizeof(all_text));
	is_in_scope();
	if (len <= 0 || pmu_mask_count(&all) < 2) {
		skip("pins", "needs two CPUs and /proc");
		return done_testing();
	}
	unsetenv("MASK_MARK");
	setenv("PATH", "/usr/bin:/bin", 1); /* no folder that this user may not search */
	is_int(pmu_pinned_bind(pinned_to, &all), 0, "pinned");
	threads_start_free();
	attributes_are_respected();
	forks_start_free();
	daemons_start_free();
	programs_start_free();
	programs_of_raw_forks_start_free();
	failed_execs_change_nothing();
	spawned_programs_start_free();
	shells_start_free();
	pinned_threads_see_all();
	masks_that_the_program_sets_stand();
	return done_testing();
}
