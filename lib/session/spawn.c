/* SPDX-License-Identifier: BSD-3-Clause */
/* What starts threads and programs, wrapped so that these inherit no pin. */
#include "session/spawn.h"
#include "session/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/execl.h"
#include "base/fd.h"
#include "base/spawning.h"
#include "machine/pin.h"
#include "machine/pinned.h"
#include "session/enter.h"
#include "session/lifecycle.h"

/* Not declared by every libc that has them. */
pid_t _Fork(void);
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

/* The functions that ours stand in for. execl and its like end in one of the others. */
#define REALS(X)                  \
	X(pthread_create)         \
	X(thrd_create)            \
	X(fork)                   \
	X(_Fork)                  \
	X(daemon)                 \
	X(execve)                 \
	X(execv)                  \
	X(execvp)                 \
	X(execvpe)                \
	X(fexecve)                \
	X(execveat)               \
	X(posix_spawn)            \
	X(posix_spawnp)           \
	X(system)                 \
	X(popen)                  \
	X(sched_getaffinity)      \
	X(sched_setaffinity)      \
	X(pthread_getaffinity_np) \
	X(pthread_setaffinity_np)

/*
 * clang links the sanitizers' wrappers into the executable itself, as weak symbols that
 * ours override there (and that no search for the next one finds): then they are the
 * functions behind ours.  Hidden: those of another object are reached by the search, or
 * have called us.
 */
#define BEHIND(name) \
	extern __typeof__(name) __interceptor_##name __attribute__((weak, visibility("hidden")));
REALS(BEHIND)

enum real {
#define INDEX(name) REAL_##name,
	REALS(INDEX) N_REALS
};

static void *resolved[N_REALS];

static PMU_COLD void *resolve_real(enum real which)
{
	static const struct {
		const char *name;
		void (*here)(void);
	} table[N_REALS] = {
#define ROW(name) { #name, (void (*)(void))__interceptor_##name },
		REALS(ROW)
	};
	void *found = (void *)(uintptr_t)table[which].here;

	if (!found)
		found = dlsym(RTLD_NEXT, table[which].name);
	__atomic_store_n(&resolved[which], found, __ATOMIC_RELEASE);
	return found;
}

/* dlsym() is no function for signal handlers and children of vfork: all is looked up
 * before main. */
__attribute__((constructor(101))) static void resolve_all(void)
{
	int saved = errno;

	for (int which = 0; which < N_REALS; which++)
		resolve_real((enum real)which);
	errno = saved;
}

static void *real(enum real which)
{
	void *found = __atomic_load_n(&resolved[which], __ATOMIC_ACQUIRE);

	return likely(found) ? found : resolve_real(which); /* a constructor before ours */
}

#define REAL(name) ((__typeof__(&(name)))(uintptr_t)real(REAL_##name))

/* A libc without the function: no program can have linked against it. */
static int no_such(void)
{
	errno = ENOSYS;
	return -1;
}

/* Threads */

int pmu_spawn_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg)
{
	__typeof__(&pthread_create) next = REAL(pthread_create);
	int rc;

	if (unlikely(!next))
		return EAGAIN;
	pmu_pin_lift();
	rc = next(thread, attr, start, arg);
	pmu_pin_restore();
	return rc;
}

int pmu_spawn_c11(thrd_t *thread, thrd_start_t start, void *arg)
{
	__typeof__(&thrd_create) next = REAL(thrd_create);
	int rc;

	if (unlikely(!next))
		return thrd_error;
	pmu_pin_lift();
	rc = next(thread, start, arg);
	pmu_pin_restore();
	return rc;
}

/*
 * Child processes that continue in this program: the child keeps the original CPU mask, and the
 * original limit of descriptors.
 */

static void before_child(void)
{
	pmu_spawning_begin(pmu_fd_spawning());
	pmu_pin_lift();
}

static void after_child(void)
{
	pmu_pin_restore();
	pmu_spawning_end(pmu_fd_spawning());
}

static void in_child(void)
{
	pmu_spawning_forget(pmu_fd_spawning());
	pmu_pinned_forget();
}

static pid_t fork_by(pid_t (*next)(void))
{
	/* A signal handler that interrupted this library may return into it in the child. */
	bool inside = pmu_session_inside();
	pid_t pid;

	before_child();
	pid = next();
	if (pid) {
		after_child();
	} else {
		in_child();
		pmu_session_child();
		if (inside)
			pmu_session_unshare();
	}
	return pid;
}

PMU_INTERPOSE pid_t fork(void)
{
	__typeof__(&fork) next = REAL(fork);

	return unlikely(!next) ? no_such() : fork_by(next);
}

PMU_INTERPOSE pid_t _Fork(void)
{
	__typeof__(&_Fork) next = REAL(_Fork);

	return unlikely(!next) ? no_such() : fork_by(next);
}

PMU_INTERPOSE int daemon(int nochdir, int noclose)
{
	__typeof__(&daemon) next = REAL(daemon);
	pid_t pid = getpid();
	int rc;

	if (unlikely(!next))
		return no_such();
	before_child();
	rc = next(nochdir, noclose);
	if (getpid() == pid) {
		after_child();
	} else {
		in_child();
		pmu_session_child();
	}
	return rc;
}

/* Other programs are started.  Async-signal-safe, so nothing is allocated. */

/* It may be a child of vfork(), which must leave nothing behind in its parent's memory. */
static void before_exec(void)
{
	pmu_spawning_wait(pmu_fd_spawning());
	pmu_pin_lift();
}

/*
 * Shared by the variadic and the plain functions: a call by name may reach a function of the
 * program's, which may in turn call a variadic one of ours.
 */
static int run_execve(const char *path, char *const argv[], char *const envp[])
{
	__typeof__(&execve) next = REAL(execve);
	int rc;

	before_exec();
	rc = likely(next) ? next(path, argv, envp) : (int)syscall(SYS_execve, path, argv, envp);
	pmu_pin_restore();
	return rc;
}

static int run_execv(const char *path, char *const argv[])
{
	__typeof__(&execv) next = REAL(execv);
	int rc;

	if (unlikely(!next))
		return run_execve(path, argv, environ);
	before_exec();
	rc = next(path, argv);
	pmu_pin_restore();
	return rc;
}

static int run_execvp(const char *file, char *const argv[])
{
	__typeof__(&execvp) next = REAL(execvp);
	int rc;

	if (unlikely(!next))
		return no_such();
	before_exec();
	rc = next(file, argv);
	pmu_pin_restore();
	return rc;
}

PMU_INTERPOSE int execve(const char *path, char *const argv[], char *const envp[])
{
	return run_execve(path, argv, envp);
}

PMU_INTERPOSE int execv(const char *path, char *const argv[])
{
	return run_execv(path, argv);
}

PMU_INTERPOSE int execvp(const char *file, char *const argv[])
{
	return run_execvp(file, argv);
}

PMU_INTERPOSE int execvpe(const char *file, char *const argv[], char *const envp[])
{
	__typeof__(&execvpe) next = REAL(execvpe);
	int rc;

	if (unlikely(!next))
		return no_such();
	before_exec();
	rc = next(file, argv, envp);
	pmu_pin_restore();
	return rc;
}

PMU_INTERPOSE int fexecve(int fd, char *const argv[], char *const envp[])
{
	__typeof__(&fexecve) next = REAL(fexecve);
	int rc;

	if (unlikely(!next))
		return no_such();
	before_exec();
	rc = next(fd, argv, envp);
	pmu_pin_restore();
	return rc;
}

PMU_INTERPOSE int execveat(int dir, const char *path, char *const argv[], char *const envp[],
			   int flags)
{
	__typeof__(&execveat) next = REAL(execveat);
	int rc;

	before_exec();
	rc = likely(next) ? next(dir, path, argv, envp, flags)
			  : (int)syscall(SYS_execveat, dir, path, argv, envp, flags);
	pmu_pin_restore();
	return rc;
}

PMU_EXECL_DEFINE(PMU_INTERPOSE, run_execv, run_execvp, run_execve);

PMU_INTERPOSE int posix_spawn(pid_t *pid, const char *path,
			      const posix_spawn_file_actions_t *actions,
			      const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	__typeof__(&posix_spawn) next = REAL(posix_spawn);
	int rc;

	if (unlikely(!next))
		return ENOSYS;
	before_child();
	rc = next(pid, path, actions, attr, argv, envp);
	after_child();
	return rc;
}

PMU_INTERPOSE int posix_spawnp(pid_t *pid, const char *file,
			       const posix_spawn_file_actions_t *actions,
			       const posix_spawnattr_t *attr, char *const argv[],
			       char *const envp[])
{
	__typeof__(&posix_spawnp) next = REAL(posix_spawnp);
	int rc;

	if (unlikely(!next))
		return ENOSYS;
	before_child();
	rc = next(pid, file, actions, attr, argv, envp);
	after_child();
	return rc;
}

PMU_INTERPOSE int system(const char *command)
{
	__typeof__(&system) next = REAL(system);
	int rc;

	if (unlikely(!next))
		return no_such();
	before_child();
	rc = next(command);
	after_child();
	return rc;
}

PMU_INTERPOSE FILE *popen(const char *command, const char *type)
{
	__typeof__(&popen) next = REAL(popen);
	FILE *stream;

	if (unlikely(!next)) {
		no_such();
		return NULL;
	}
	before_child();
	stream = next(command, type);
	after_child();
	return stream;
}

/*
 * A thread is told the mask it would have without pinning. The real function is called first, so
 * that sizes, errors and masks of other threads are as without us.
 */

PMU_INTERPOSE int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask)
{
	__typeof__(&sched_getaffinity) next = REAL(sched_getaffinity);
	int rc;

	if (unlikely(!next))
		return no_such();
	rc = next(pid, size, mask);
	if (!rc)
		pmu_pin_original(pid, size, mask);
	return rc;
}

PMU_INTERPOSE int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *mask)
{
	__typeof__(&pthread_getaffinity_np) next = REAL(pthread_getaffinity_np);
	int rc;

	if (unlikely(!next))
		return ENOSYS;
	rc = next(thread, size, mask);
	if (!rc)
		pmu_pinned_original_pthread(thread, size, mask);
	return rc;
}

/* A mask that the program sets replaces our pin, which is forgotten. */

PMU_INTERPOSE int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *mask)
{
	__typeof__(&sched_setaffinity) next = REAL(sched_setaffinity);
	int rc;

	if (unlikely(!next))
		return no_such();
	rc = next(pid, size, mask);
	if (!rc)
		pmu_pinned_drop(pid);
	return rc;
}

PMU_INTERPOSE int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
	__typeof__(&pthread_setaffinity_np) next = REAL(pthread_setaffinity_np);
	int rc;

	if (unlikely(!next))
		return ENOSYS;
	rc = next(thread, size, mask);
	if (!rc)
		pmu_pinned_drop_pthread(thread);
	return rc;
}

/* Two addresses, and which of them is in the object that is searched first. */
struct order {
	uintptr_t ours;
	uintptr_t theirs;
	bool ours_first;
};

static bool object_has(const struct dl_phdr_info *object, uintptr_t address)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static int find_first(struct dl_phdr_info *object, size_t size, void *data)
{
	struct order *order = data;

	(void)size;
	order->ours_first = object_has(object, order->ours);
	return order->ours_first || object_has(object, order->theirs);
}

/*
 * Looking up pthread_create would do, were there no other wrappers before us that call us
 * (sanitizers, preloaded tools). Objects are listed in the order in which symbols are searched, and
 * what dlopen() loads comes after libc.
 */
bool pmu_spawn_in_scope(void)
{
	struct order order = {
		.ours = (uintptr_t)resolve_real,
		.theirs = (uintptr_t)dlsym(RTLD_NEXT, "pthread_create"),
	};

	return order.theirs && dl_iterate_phdr(find_first, &order) && order.ours_first;
}
