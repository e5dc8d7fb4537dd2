/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program sees of signals: printed, for a comparison. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preloaded.h"

sighandler_t bsd_signal(int signal, sighandler_t handler);
sighandler_t ssignal(int signal, sighandler_t handler);
sighandler_t sysv_signal(int signal, sighandler_t handler);
int __sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/* Old ways to say it are ways to say it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void handler(int signal)
{
	(void)signal;
}

static const char *name_of(sighandler_t what)
{
	if (what == SIG_DFL)
		return "default";
	if (what == SIG_IGN)
		return "ignored";
	if (what == SIG_ERR)
		return "error";
	return what == handler ? "handler" : "another";
}

static void print_action(const char *when, int signal, int rc, const struct sigaction *action)
{
	printf("%s %d: %d", when, signal, rc);
	if (rc == 0) {
		printf(" %s flags %#x restorer %d mask", name_of(action->sa_handler),
		       (unsigned int)action->sa_flags, action->sa_restorer != NULL);
		for (int i = 1; i <= SIGRTMAX; i++)
			if (sigismember(&action->sa_mask, i) == 1)
				printf(" %d", i);
	}
	printf("\n");
}

static void print_now(const char *when, int signal)
{
	struct sigaction now;
	int rc;

	memset(&now, 0, sizeof(now));
	rc = sigaction(signal, NULL, &now);
	print_action(when, signal, rc, &now);
}

/* Every signal there is, and some that are none. */
static int ask(void)
{
	for (int i = -1; i <= SIGRTMAX + 2; i++)
		print_now("at first", i);
	return 0;
}

static int set(void)
{
	for (int i = 0; i <= SIGRTMAX + 1; i++) {
		struct sigaction action = { .sa_handler = SIG_DFL,
					    .sa_flags = SA_RESTART | SA_NODEFER },
				 old;
		int rc;

		sigaddset(&action.sa_mask, SIGUSR2);
		memset(&old, 0, sizeof(old));
		rc = sigaction(i, &action, &old);
		print_action("before the default", i, rc, &old);
		print_now("the default", i);
		action.sa_handler = handler;
		rc = __sigaction(i, &action, &old);
		print_action("before the handler", i, rc, &old);
		print_now("the handler", i);
		action.sa_handler = SIG_IGN;
		rc = sigaction(i, &action, &old);
		print_action("before ignoring", i, rc, &old);
		print_now("ignored", i);
	}
	return 0;
}

static int set_by_others(void)
{
	static const struct {
		const char *name;
		sighandler_t (*set)(int signal, sighandler_t handler);
	} ways[] = { { "signal", signal },
		     { "bsd_signal", bsd_signal },
		     { "ssignal", ssignal },
		     { "sysv_signal", sysv_signal },
		     { "sigset", sigset } };
	static const int signals[] = { SIGTERM, SIGSEGV, SIGCHLD, SIGKILL, 0 };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		for (int k = 0; signals[k]; k++) {
			printf("%s %d: was %s\n", ways[i].name, signals[k],
			       name_of(ways[i].set(signals[k], SIG_DFL)));
			print_now(ways[i].name, signals[k]);
			printf("%s %d: was %s\n", ways[i].name, signals[k],
			       name_of(ways[i].set(signals[k], handler)));
			print_now(ways[i].name, signals[k]);
			printf("%s %d: was %s\n", ways[i].name, signals[k],
			       name_of(ways[i].set(signals[k], SIG_IGN)));
			printf("%s %d: was %s\n", ways[i].name, signals[k],
			       name_of(ways[i].set(signals[k], SIG_DFL)));
			print_now(ways[i].name, signals[k]);
		}
	return 0;
}

static int interrupt(void)
{
	printf("%d\n", siginterrupt(SIGTERM, 1));
	print_now("interrupted", SIGTERM);
	printf("%d\n", siginterrupt(SIGINT, 0));
	print_now("not interrupted", SIGINT);
	printf("%d\n", siginterrupt(SIGKILL, 0));
	return 0;
}

static int ask_errno(void)
{
	struct sigaction now;

	errno = 0;
	sigaction(SIGTERM, NULL, &now);
	signal(SIGTERM, SIG_DFL);
	printf("%d\n", errno);
	sigaction(9999, NULL, &now);
	printf("%d\n", errno);
	return 0;
}

const struct deed deeds_signals[] = {
	{ "ask", ask },
	{ "set", set },
	{ "set_by_others", set_by_others },
	{ "interrupt", interrupt },
	{ "ask_errno", ask_errno },
	{ NULL, NULL },
};
