/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Built with -finstrument-functions by functions.sh: each deed calls functions a known number of
 * times. Without a compiler's hooks it is an ordinary program.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define HIDDEN   __attribute__((no_instrument_function))
#define SMALL    (64 << 10)

static volatile int sink;
static jmp_buf env;
static sigjmp_buf sig_env;

static inline void leaf(void)
{
	sink++;
}

static NOINLINE void inner(void)
{
	leaf();
	leaf();
}

static NOINLINE void outer(void)
{
	for (int i = 0; i < 3; i++)
		inner();
}

/* --- recursion --- */

static NOINLINE int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int is_odd(int n);

static NOINLINE int is_even(int n)
{
	return n == 0 || is_odd(n - 1) + sink * 0;
}

static NOINLINE int is_odd(int n)
{
	return n != 0 && is_even(n - 1) + sink * 0;
}

static void deed_calls(void)
{
	for (int i = 0; i < 10; i++)
		outer();
	fib(10);
	outer();
}

static void deed_depth(void)
{
	is_even(5000);
}

/* --- jumps --- */

static void far_5(void)
{
	longjmp(env, 1);
}

static void far_4(void)
{
	far_5();
	sink++;
}

static NOINLINE void far_3(void)
{
	far_4();
	sink++;
}

static void far_2(void)
{
	far_3();
	sink++;
}

static void far_1(void)
{
	far_2();
	sink++;
}

/* Its frame is larger than all that were jumped over. */
static NOINLINE void large(void)
{
	volatile char room[20000];

	room[sink & 15] = 1;
	sink += room[sink & 15];
	leaf();
}

static NOINLINE void jumper(void)
{
	if (!setjmp(env))
		far_1();
	large();
	outer();
}

static void deed_jump(void)
{
	for (int i = 0; i < 50; i++)
		jumper();
	outer();
}

static NOINLINE void jump_out(int signal_number)
{
	leaf();
	siglongjmp(sig_env, signal_number);
}

static NOINLINE void raiser(void)
{
	raise(SIGUSR1);
	sink++;
}

static NOINLINE void catcher(void)
{
	if (!sigsetjmp(sig_env, 1))
		raiser();
	large();
}

/* A handler on a stack of its own that does not come back. */
static void deed_handler_jump(void)
{
	static char room[SMALL];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = jump_out, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++)
		catcher();
	outer();
}

/* --- handlers --- */

static NOINLINE void handler(int signal_number)
{
	sink += signal_number;
	leaf();
}

static NOINLINE void interrupted(void)
{
	raise(SIGUSR1);
	leaf();
}

static void deed_handler(void)
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 100; i++)
		interrupted();
}

/* --- other stacks --- */

static ucontext_t context[2];

static NOINLINE void step(void)
{
	leaf();
}

static NOINLINE void coroutine(void)
{
	for (int i = 0; i < 10; i++) {
		step();
		swapcontext(&context[1], &context[0]);
	}
}

static NOINLINE void scheduler(void)
{
	static char room[SMALL];

	getcontext(&context[1]);
	context[1].uc_stack.ss_sp = room;
	context[1].uc_stack.ss_size = sizeof(room);
	context[1].uc_link = &context[0];
	makecontext(&context[1], coroutine, 0);
	for (int i = 0; i < 11; i++) {
		swapcontext(&context[0], &context[1]);
		outer();
	}
}

static void deed_coroutine(void)
{
	scheduler();
	outer();
}

static volatile int n_given_up;

static NOINLINE void step_away(void)
{
	leaf();
	if (n_given_up < 5)
		swapcontext(&context[1], &context[0]);
}

static NOINLINE void never_resumed(void)
{
	step_away();
	sink++;
}

/*
 * Coroutines that are given up in the middle, one after the other on the same stack; the last one
 * ends.
 */
static void deed_given_up(void)
{
	static char room[SMALL];

	for (n_given_up = 0; n_given_up < 6; n_given_up++) {
		getcontext(&context[1]);
		context[1].uc_stack.ss_sp = room;
		context[1].uc_stack.ss_size = sizeof(room);
		context[1].uc_link = &context[0];
		makecontext(&context[1], never_resumed, 0);
		swapcontext(&context[0], &context[1]);
	}
}

static NOINLINE void go_back(void)
{
	leaf();
	setcontext(&context[0]);
}

/* Hidden, so no region: its own code, where setcontext() goes on, is in none. */
static HIDDEN NOINLINE void gone_back_to(int n)
{
	volatile int been = 0;

	getcontext(&context[0]);
	if (been++ < n)
		go_back();
	large();
	inner();
}

static void deed_setcontext(void)
{
	gone_back_to(5);
}

/* --- threads --- */

static NOINLINE void quit_inside(void)
{
	leaf();
	pthread_exit(NULL);
}

static NOINLINE void wait_inside(void)
{
	leaf();
	for (;;)
		pause();
}

static NOINLINE void tidy(void *arg)
{
	large();
	sink += arg != NULL;
}

/* What the thread still does when it has left its functions. */
static HIDDEN NOINLINE void *leave_inside(void *arg)
{
	pthread_cleanup_push(tidy, arg);
	if (arg)
		wait_inside();
	quit_inside();
	pthread_cleanup_pop(0);
	return NULL;
}

static void deed_leave(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, leave_inside, NULL);
	pthread_create(&thread[1], NULL, leave_inside, (void *)&sink);
	pthread_cancel(thread[1]);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
}

static NOINLINE void *work(void *arg)
{
	for (int i = 0; i < 1000; i++)
		inner();
	if (arg == &sink)
		quit_inside();
	if (arg)
		wait_inside();
	return NULL;
}

static void deed_threads(void)
{
	void *const how[4] = { NULL, (void *)&sink, (void *)&env, NULL };
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, how[i]);
	pthread_cancel(thread[2]);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

/* --- ends --- */

static NOINLINE void last_words(void)
{
	leaf();
}

static NOINLINE void quit(void)
{
	atexit(last_words);
	exit(0);
}

static void deed_exit(void)
{
	quit();
}

static void deed_fork(void)
{
	pid_t child;

	outer();
	child = fork();
	if (!child) {
		inner();
		exit(0);
	}
	waitpid(child, NULL, 0);
	outer();
}

/* --- objects that come and go --- */

static void deed_plugins(void)
{
	const char *const path[] = { getenv("TEST_PLUGIN_1"), getenv("TEST_PLUGIN_2") };
	uintptr_t at[2] = { 0, 0 };

	for (int i = 0; i < 6; i++) {
		void *plugin = path[i % 2] ? dlopen(path[i % 2], RTLD_NOW) : NULL;
		void (*run)(void) = plugin ? (void (*)(void))dlsym(plugin, "run") : NULL;

		if (!run) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		run();
		at[i % 2] = (uintptr_t)run;
		dlclose(plugin);
	}
	puts(at[0] == at[1] ? "the same address" : "other addresses");
}

/* --- times --- */

static NOINLINE void long_one(void)
{
	for (int i = 0; i < 30000; i++)
		sink++;
	inner();
}

static NOINLINE int short_recursive(int n)
{
	return n ? short_recursive(n - 1) + 1 : sink;
}

static void deed_times(void)
{
	for (int i = 0; i < 1500; i++)
		long_one();
	for (int i = 0; i < 1500; i++)
		short_recursive(10);
}

/* --- ends in the middle of the measuring --- */

static HIDDEN void in_a_while(void)
{
	struct itimerval once = { { 0, 0 }, { 0, 5000 + getpid() % 100 * 7 } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static NOINLINE void tiny(void)
{
	__asm__ volatile("");
}

static void deed_alarm(void)
{
	in_a_while();
	for (;;)
		tiny();
}

static HIDDEN void exit_now(int signal_number)
{
	(void)signal_number;
	exit(0);
}

static void deed_alarm_exit(void)
{
	signal(SIGALRM, exit_now);
	deed_alarm();
}

__attribute__((constructor)) static NOINLINE void before_main(void)
{
	leaf();
}

#define DEED(name)                 \
	{                          \
#name, deed_##name \
	}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	DEED(calls),      DEED(depth),     DEED(jump),       DEED(handler_jump),
	DEED(handler),    DEED(coroutine), DEED(threads),    DEED(exit),
	DEED(fork),       DEED(plugins),   DEED(times),      DEED(alarm),
	DEED(alarm_exit), DEED(given_up),  DEED(setcontext), DEED(leave),
};

HIDDEN static void by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (!strcmp(deeds[i].name, name))
			deeds[i].run();
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		by_name(argv[i]);
	return 0;
}
