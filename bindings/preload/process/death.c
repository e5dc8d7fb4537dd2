/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Death by a signal: what was measured until then is kept.  A handler of ours stands where the
 * program has the default, and the functions that set and ask for handlers show the default.  All
 * that is to be known is in the kernel's own table (which of our two handlers it is, with the
 * program's flags and mask), so that signal handlers, other threads and children of vfork() may
 * change it at any time.
 *
 * What differs: /proc/self/status shows the signals as caught; a debugger sees each of them twice;
 * a thread that has no room left on its stack for a handler dies of SIGSEGV whatever the signal
 * was; a program that was started with rt_sigaction forbidden (seccomp) dies of that.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

/* Not declared by every libc that has them. */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t ssignal(int number, sighandler_t handler);
sighandler_t sysv_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);
sighandler_t sigset(int number, sighandler_t handler);

#define FUNCTIONS(X)     \
	X(sigaction)     \
	X(__sigaction)   \
	X(signal)        \
	X(bsd_signal)    \
	X(ssignal)       \
	X(sysv_signal)   \
	X(__sysv_signal) \
	X(sigset)        \
	X(siginterrupt)

PRELOAD_BEHIND(FUNCTIONS)
#define BEHIND(name) ((__typeof__(&(name)))preload_behind(&behind[NEXT_##name]))

static bool armed;

static bool is_armed(void)
{
	return __atomic_load_n(&armed, __ATOMIC_RELAXED);
}

/* signal(7): by default these do not end a process, or cannot be caught. */
static bool is_fatal(int number)
{
	static const int others[] = { SIGKILL,  SIGSTOP, SIGCHLD, SIGCONT, SIGURG,
				      SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU };

	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(others); i++)
		if (number == others[i])
			return false;
	return true;
}

/* --- the handlers --- */

/* As a pool does with its workers. */
static bool is_from_parent(int number, const siginfo_t *info)
{
	return number == SIGTERM && info && info->si_code <= 0 && info->si_pid == getppid();
}

/*
 * Put back first: should what follows hang, a second signal ends the program.  Raised again with
 * what the kernel said of it, the signal waits until the handler returns, and then strikes where it
 * did before: wait status and core are the program's own.  The first process of a container
 * survives what it always survived.
 */
static void die(int number, siginfo_t *info)
{
	__typeof__(&sigaction) next = BEHIND(sigaction);
	struct sigaction usual = { .sa_handler = SIG_DFL };
	int saved = errno;
	pid_t pid = getpid();
	long tid = syscall(SYS_gettid);

	next(number, &usual, NULL);
	if (preload_measured())
		pmu_checkpoint(is_from_parent(number, info) ? PMU_NEXT_STOP : PMU_NEXT_SIGNAL);
	if (!info || syscall(SYS_rt_tgsigqueueinfo, pid, tid, number, info) < 0)
		syscall(SYS_tgkill, pid, tid, number);
	errno = saved;
}

/* Where the program never said anything. */
static void die_of_untouched(int number, siginfo_t *info, void *context)
{
	(void)context;
	die(number, info);
}

/* Where it has set the default; the flags beside it are its own, and may promise no information. */
static void die_of_default(int number)
{
	die(number, NULL);
}

/* --- what the program sees of them --- */

static bool is_untouched(const struct sigaction *action)
{
	return action->sa_sigaction == die_of_untouched;
}

static void hide(struct sigaction *action)
{
	if (is_untouched(action)) {
		action->sa_handler = SIG_DFL;
		action->sa_flags = 0;
		action->sa_restorer = NULL;
	} else if (action->sa_handler == die_of_default) {
		action->sa_handler = SIG_DFL;
	}
}

/* --- start and stop --- */

void preload_death_start(void)
{
	__typeof__(&sigaction) next = BEHIND(sigaction);
	/* the mask stays empty: see hide() */
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART }, now;

	/* the kernel lets no default end the first process of a container */
	if (!next || getpid() == 1)
		return;
	ours.sa_sigaction = die_of_untouched;
	for (int number = 1; number <= SIGRTMAX; number++)
		if (is_fatal(number) && next(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			next(number, &ours, NULL);
	__atomic_store_n(&armed, true, __ATOMIC_RELAXED);
}

/*
 * What another thread sets between the two calls is undone: programs shut themselves in before they
 * start threads.
 */
void preload_death_stop(void)
{
	__typeof__(&sigaction) next = BEHIND(sigaction);
	struct sigaction now;

	__atomic_store_n(&armed, false, __ATOMIC_RELAXED);
	for (int number = 1; next && number <= SIGRTMAX; number++) {
		if (!is_fatal(number) || next(number, NULL, &now) < 0)
			continue;
		if (!is_untouched(&now) && now.sa_handler != die_of_default)
			continue;
		hide(&now);
		next(number, &now, NULL);
	}
}

/* --- what the program sets and sees --- */

static int set_action(enum next which, int number, const struct sigaction *action,
		      struct sigaction *old)
{
	__typeof__(&sigaction) next = (__typeof__(&sigaction))preload_behind(&behind[which]);
	struct sigaction ours;
	int rc;

	if (unlikely(!next)) {
		errno = ENOSYS;
		return -1;
	}
	if (action && action->sa_handler == SIG_DFL && is_armed() && is_fatal(number)) {
		ours = *action;
		ours.sa_handler = die_of_default;
		action = &ours;
	}
	rc = next(number, action, old);
	if (rc == 0 && old)
		hide(old);
	return rc;
}

PRELOAD_STANDS_IN int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	return set_action(NEXT_sigaction, number, action, old);
}

PRELOAD_STANDS_IN int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	return set_action(NEXT___sigaction, number, action, old);
}

static sighandler_t set_handler(enum next which, int number, sighandler_t handler)
{
	__typeof__(&signal) next = (__typeof__(&signal))preload_behind(&behind[which]);
	struct sigaction old;

	if (unlikely(!next)) {
		errno = ENOSYS;
		return SIG_ERR;
	}
	if (handler == SIG_DFL && is_armed() && is_fatal(number))
		handler = die_of_default;
	old.sa_handler = next(number, handler);
	hide(&old);
	return old.sa_handler;
}

#define SETS_HANDLER(name)                                                    \
	PRELOAD_STANDS_IN sighandler_t name(int number, sighandler_t handler) \
	{                                                                     \
		return set_handler(NEXT_##name, number, handler);             \
	}
SETS_HANDLER(signal)
SETS_HANDLER(bsd_signal)
SETS_HANDLER(ssignal)
SETS_HANDLER(sysv_signal)
SETS_HANDLER(__sysv_signal)
SETS_HANDLER(sigset)

/* It changes flags: from here on they are the program's. */
PRELOAD_STANDS_IN int siginterrupt(int number, int interrupt)
{
	int (*next)(int, int) = (int (*)(int, int))preload_behind(&behind[NEXT_siginterrupt]);
	__typeof__(&sigaction) set = BEHIND(sigaction);
	struct sigaction now;
	int saved = errno;

	if (unlikely(!next || !set)) {
		errno = ENOSYS;
		return -1;
	}
	if (is_armed() && set(number, NULL, &now) == 0 && is_untouched(&now)) {
		now.sa_handler = die_of_default;
		now.sa_flags &= ~(SA_SIGINFO | SA_ONSTACK | SA_RESTART);
		set(number, &now, NULL);
	}
	errno = saved;
	return next(number, interrupt);
}
