/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls the functions of wrapped_lib.c and prints what they return; how often it called each goes
 * into the file TEST_CALLS.  TEST_PLUGINS: folder with the plugins.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "wrapped_lib.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

static FILE *calls;

static void called(const char *name, int n)
{
	if (calls)
		fprintf(calls, "%s %d\n", name, n);
}

/* --- values --- */

static void values(void)
{
	struct big a, b;
	struct huge huge;
	struct two_doubles two;
	struct four_floats four;
	struct mixed mixed;
	long double _Complex c;
	__int128 wide;

	printf("%d\n", w_ints(-1, 2, -3, 4, 5, -6, 7, -8, 9));
	printf("%g\n", w_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	printf("%g\n",
	       w_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
	printf("%.20Lg\n", w_long_double(1.0L / 3, 7, 1e-15L));
	c = w_complex(1.5L + 2 * I, 3 - 4 * I);
	printf("%Lg %Lg\n", creall(c), cimagl(c));
	wide = w_wide((__int128)1 << 100, -3, 12345678901234567LL);
	printf("%llx %llx\n", (unsigned long long)(wide >> 64), (unsigned long long)wide);
	two = w_two((struct two_doubles){ 1, 2 }, (struct four_floats){ 3, 4, 5, 6 });
	printf("%g %g\n", two.a, two.b);
	four = w_four((struct four_floats){ 1, 2, 3, 4 }, 1.5f);
	printf("%g %g %g %g\n", four.a, four.b, four.c, four.d);
	mixed = w_mixed((struct mixed){ 10, 1.5 }, (struct mixed){ 3, 0.25 });
	printf("%ld %g\n", mixed.a, mixed.b);
	for (int i = 0; i < 20; i++) {
		a.word[i] = i;
		b.word[i] = 1000 - i;
	}
	a = w_big(a, 3, b);
	for (int i = 0; i < 20; i++)
		printf("%ld ", a.word[i]);
	for (int i = 0; i < 62; i++)
		huge.word[i] = 7 * i;
	printf("%ld\n", w_huge(5, huge));
	for (const char *name =
		     "w_ints\0w_doubles\0w_many\0w_long_double\0w_complex\0w_wide\0w_two\0w_four\0w_mixed\0"
		     "w_big\0w_huge\0";
	     *name; name += strlen(name) + 1)
		called(name, 1);
}

static void variadic(void)
{
	char text[200];

	printf("%d\n",
	       w_sum(20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
	printf("%g\n", w_sum_doubles(12, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.));
	w_print(text, sizeof(text), "%d %g %s %Lg %ld %c %g %d %d %d %g %g %g %g %g %g %g %s", 1,
		2.5, "three", 4.5L, 5L, '6', 7.5, 8, 9, 10, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5,
		17.5, "end");
	printf("%s\n", text);
	called("w_sum", 1);
	called("w_sum_doubles", 1);
	called("w_print", 1);
}

#if defined(__x86_64__)
static __attribute__((target("avx"))) void avx(void)
{
	vector4 v[9], r;

	for (int i = 0; i < 9; i++)
		v[i] = (vector4){ i, 10 + i, 0, 1.0 / (i + 1) };
	r = w_avx(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], 0.5);
	printf("%.17g %.17g %.17g %.17g\n", r[0], r[1], r[2], r[3]);
	called("w_avx", 1);
}

static __attribute__((target("avx512f"))) void avx512(void)
{
	vector8 v[8], r;

	for (int i = 0; i < 8; i++)
		v[i] = (vector8){ i, 10 + i, 0, 0, 5 * i, 6 * i, 7, 1.0 / (i + 1) };
	r = w_avx512(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], 0.5);
	for (int i = 0; i < 8; i++)
		printf("%.17g\n", r[i]);
	called("w_avx512", 1);
}

static void vectors(void)
{
	if (__builtin_cpu_supports("avx"))
		avx();
	if (__builtin_cpu_supports("avx512f"))
		avx512();
}
#else
static void vectors(void)
{
}
#endif

/* --- control --- */

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void add(int i, void *data)
{
	*(long *)data += w_tail(i, 1);
}

static void control(void)
{
	int values[50];
	long sum = 0;

	for (int i = 0; i < 50; i++)
		values[i] = i * 7919 % 50;
	qsort(values, 50, sizeof(*values), compare);
	for (int i = 0; i < 50; i++)
		printf("%d ", values[i]);
	w_each(10, add, &sum);
	printf("%ld %ld\n", sum, w_deep(1000));
	errno = 5;
	printf("%d %d\n", w_errno(6), errno);
	printf("%ld\n", w_address());
	called("qsort", 1);
	called("w_each", 1);
	called("w_tail", 10);
	called("w_tail_end", 10);
	called("w_deep", 501);
	called("w_deeper", 500);
	called("w_errno", 1);
	called("w_address", 1);
}

/*
 * Left by longjmp(): 5 regions a time; then the same ones from further out, where nothing of them
 * may be open.
 */
static void jumps(void)
{
	volatile int rounds = 0;
	jmp_buf env;

	setjmp(env);
	if (rounds < 10) {
		rounds++;
		w_leave(env, 3);
	}
	usleep(100000);
	printf("%d %d\n", rounds, w_setjmp_inside(5));
	called("w_leave", 10 * 4 + 5 * 4);
	called("w_leave_deeper", 10 * 3 + 5 * 3);
	called("w_jump", 10 + 5);
	called("w_setjmp_inside", 1);
}

/* As longjmp() does, but without a call that the library could wrap. */
static void *leap_to[5];

static void leap(int i, void *data)
{
	(void)i;
	(void)data;
	__builtin_longjmp(leap_to, 1);
}

static __attribute__((noinline)) void leaps(void)
{
	static volatile int rounds;

	if (__builtin_setjmp(leap_to) == 0 || rounds < 20) {
		rounds++;
		w_each(1, leap, NULL);
	}
	w_tail(1, 2);
	printf("%d\n", rounds);
	called("w_each", 20);
	called("w_tail", 1);
	called("w_tail_end", 1);
}

/* --- stacks --- */

static ucontext_t back, on_small;

static void at_the_top(void)
{
	long sum = 0;

	for (long i = 0; i < 100; i++)
		sum += w_short_stack(i, 2, 3, 4, 5, 6, 7, 8);
	printf("%ld\n", sum);
}

/* A stack that ends where nothing more can be read. */
static void on_a_small_stack(void *where)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 16 * page;
	char *room = mmap(where, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	mprotect(room + size, page, PROT_NONE);
	for (size_t less = 0; less < 512; less += 16) {
		getcontext(&on_small);
		on_small.uc_stack.ss_sp = room;
		on_small.uc_stack.ss_size = size - less;
		on_small.uc_link = &back;
		makecontext(&on_small, at_the_top, 0);
		swapcontext(&back, &on_small);
	}
	munmap(room, size + page);
	called("w_short_stack", 100 * 32);
}

/* Anywhere, and where the first thread's stack could be if it were not limited. */
static void small_stack(void)
{
	uintptr_t near = ((uintptr_t)getauxval(AT_RANDOM) - (32u << 20)) & ~UINT64_C(0xffff);

	on_a_small_stack(NULL);
	on_a_small_stack((void *)near);
}

/*
 * Two coroutines take turns inside one wrapped call each, and a third one on the thread's own
 * stack.
 */
static ucontext_t turn[2], own;
static long turns;

static void swap(int i, void *data)
{
	int me = *(int *)data;

	(void)i;
	turns = 3 * turns + me;
	w_tail(me, 2);
	swapcontext(&turn[me], &own);
}

static void coroutine(int me)
{
	w_each(5, swap, &me);
	turns = -turns;
}

static void visit(int i, void *data)
{
	(void)data;
	for (int me = 0; me < 2 && i < 5; me++)
		swapcontext(&own, &turn[me]);
}

static void coroutines(void)
{
	for (int me = 0; me < 2; me++) {
		getcontext(&turn[me]);
		turn[me].uc_stack.ss_size = 65536;
		turn[me].uc_stack.ss_sp = malloc(65536);
		turn[me].uc_link = &own;
		makecontext(&turn[me], (void (*)(void))(uintptr_t)coroutine, 1, me);
	}
	w_each(6, visit, NULL);
	for (int me = 0; me < 2; me++)
		swapcontext(&own, &turn[me]);
	printf("%ld\n", turns);
	called("w_each", 3);
	called("w_tail", 10);
	called("w_tail_end", 10);
}

/* --- threads --- */

static void leave_thread(int i, void *data)
{
	if (i == 3)
		pthread_exit(data);
}

static void wait_to_be_cancelled(int i, void *data)
{
	(void)i;
	(void)data;
	for (;;)
		pause();
}

static void *work(void *data)
{
	for (int i = 0; i < 1000; i++)
		w_tail(i, 2);
	return data;
}

static void *leave_from_inside(void *data)
{
	w_each(10, leave_thread, data);
	return NULL;
}

static void *wait_inside(void *data)
{
	w_each(1, wait_to_be_cancelled, NULL);
	return data;
}

static void threads(void)
{
	pthread_t thread[6];
	void *result[6];

	for (intptr_t i = 0; i < 6; i++)
		pthread_create(&thread[i], NULL,
			       i < 4   ? work
			       : i < 5 ? leave_from_inside
				       : wait_inside,
			       (void *)i);
	usleep(100000);
	pthread_cancel(thread[5]);
	for (int i = 0; i < 6; i++)
		pthread_join(thread[i], &result[i]);
	for (int i = 0; i < 6; i++)
		printf("%ld ", (long)(intptr_t)result[i]);
	printf("\n");
	called("w_each", 2);
	called("w_tail", 4000);
	called("w_tail_end", 4000);
}

/* --- plugins --- */

static void handler(int signal)
{
	(void)signal;
	w_errno(0);
}

static void plugins(void)
{
	const char *folder = getenv("TEST_PLUGINS");
	char path[4096];
	long sum = 0;

	for (int i = 0; i < 4; i++) {
		long (*run)(long n);
		void *object;

		snprintf(path, sizeof(path), "%s/wrapped_plugin%d.so", folder, i % 2);
		object = dlopen(path, i < 2 ? RTLD_NOW : RTLD_LAZY);
		if (!object) {
			printf("%s\n", dlerror());
			return;
		}
		printf("%s", dlerror() ? "an error that is none\n" : "");
		run = (long (*)(long))(uintptr_t)dlsym(object, "plugin_run");
		sum = 5 * sum + run(10);
		dlclose(object);
	}
	printf("%ld\n", sum);
	called("w_tail", 40);
	called("w_tail_end", 40);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	called("w_errno", 1);
}

/* Objects come and go while others call. */
static void *come_and_go(void *data)
{
	char path[4096];
	long sum = 0;

	snprintf(path, sizeof(path), "%s/wrapped_plugin%d.so", getenv("TEST_PLUGINS"),
		 (int)(intptr_t)data % 2);
	for (int i = 0; i < 100; i++) {
		void *object = dlopen(path, RTLD_LAZY);
		long (*run)(long n) = (long (*)(long))(uintptr_t)dlsym(object, "plugin_run");

		sum += run(10);
		dlclose(object);
	}
	return (void *)sum;
}

static void busy(void)
{
	pthread_t thread[6];
	void *result[6];

	for (intptr_t i = 0; i < 6; i++)
		pthread_create(&thread[i], NULL, i < 4 ? come_and_go : work, (void *)i);
	for (int i = 0; i < 6; i++)
		pthread_join(thread[i], &result[i]);
	for (int i = 0; i < 6; i++)
		printf("%ld ", (long)(intptr_t)result[i]);
	printf("\n");
}

/* The same address everywhere, and that of the function: it may be compared. */
static void addresses(void)
{
	void *mine = (void *)(uintptr_t)w_tail_end;

	printf("%s\n", mine == dlsym(RTLD_DEFAULT, "w_tail_end") ? "the same" : "another");
	printf("%d %d\n", w_is_itself(), w_asks());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "values", values },         { "variadic", variadic }, { "vectors", vectors },
		{ "control", control },       { "jumps", jumps },       { "stacks", small_stack },
		{ "coroutines", coroutines }, { "threads", threads },   { "plugins", plugins },
		{ "addresses", addresses },   { "busy", busy },         { "leaps", leaps },
	};

	if (getenv("TEST_CALLS"))
		calls = fopen(getenv("TEST_CALLS"), "w");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (int j = 1; j < argc; j++)
			if (!strcmp(argv[j], parts[i].name))
				parts[i].run();
	if (calls)
		fclose(calls);
	return 7;
}
