/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's main as a region. */
#include <errno.h>
#include <stdlib.h>

#include "base/main.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/process/python.h"

#pragma weak preload_functions_end

typedef int main_function(int argc, char **argv, char **envp);
/* As libc has it since version 2.0; those before 2.34 use init and fini. */
typedef int start_function(main_function *program, int argc, char **argv, void (*init)(void),
			   void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

start_function __libc_start_main;

static main_function *program_main;

PRELOAD_STANDS_IN int pmu_main_word;

bool preload_is_main(const void *code)
{
	return code && code == (const void *)(uintptr_t)program_main;
}

/* Programs also end from inside libc, as by err(); then this is the way out that comes by here. */
void preload_main_end(void)
{
	if (preload_life_waits()) {
		pmu_checkpoint(PMU_NEXT_EXIT);
		return;
	}
	preload_life_end();
	if (preload_measured())
		preload_python_end();
	if (preload_functions_end && preload_measured())
		preload_functions_end();
	if (preload_measured()) {
		preload_wrap_end();
		preload_locks_end();
	}
}

static int measured_main(int argc, char **argv, char **envp)
{
	int saved = errno, rc;
	bool wanted = preload_on(PRELOAD_MAIN);

	if (preload_measured())
		atexit(preload_main_end);
	if (wanted) {
		preload_life_begin(PMU_MAIN_NAME, 0);
		__atomic_store_n(&pmu_main_word, 1, __ATOMIC_RELAXED);
	}
	preload_python_start();
	errno = saved;
	rc = program_main(argc, argv, envp);
	preload_life_end();
	return rc;
}

PRELOAD_STANDS_IN int __libc_start_main(main_function *program, int argc, char **argv,
					void (*init)(void), void (*fini)(void),
					void (*rtld_fini)(void), void *stack_end)
{
	start_function *next = (start_function *)preload_next("__libc_start_main");

	if (unlikely(!next))
		abort(); /* there is no libc that could start the program */
	program_main = program;
	if (preload_possible())
		program = measured_main;
	return next(program, argc, argv, init, fini, rtld_fini, stack_end);
}
