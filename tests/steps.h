/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions around work that is known to the instruction: a machine that runs a list of steps,
 * written by hand so that no compiler puts anything else there, and a book of what each region
 * should have counted.
 */
#ifndef PMU_TESTS_STEPS_H
#define PMU_TESTS_STEPS_H

#include <pmu.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is known --- */

enum steps_event { STEPS_INSTRUCTIONS, STEPS_BRANCHES, STEPS_LOADS, STEPS_STORES, STEPS_EVENTS };

/**
 * Branches are all kinds: jumps taken or not, calls and returns.  Loads and stores are instructions
 * that do any.
 */
struct steps_cost {
	uint64_t of[STEPS_EVENTS];
};

/** Work: so much for each call with its return, and for each turn. */
struct steps_kernel {
	const char *name;
	void (*run)(uint64_t turns);
	struct steps_cost call, turn;
};

struct step {
	const void *argument;
	void *function;
	size_t length; /* the second argument */
};

/*
 * steps_run: each step is loaded, called, and jumped back from.  steps_loop and the others: nothing
 * at all for 0 turns. A turn of steps_mixed has a load, a store and a branch that is never taken.
 */
#if defined(__x86_64__) && defined(__LP64__)
__asm__(".text\n"
	".balign 64\n"
	".type steps_run, @function\n"
	"steps_run:\n"
	"	push	%rbx\n"
	"	mov	%rdi, %rbx\n"
	"1:	mov	(%rbx), %rdi\n"
	"	mov	8(%rbx), %rax\n"
	"	mov	16(%rbx), %rsi\n"
	"	add	$24, %rbx\n"
	"	test	%rax, %rax\n"
	"	je	2f\n"
	"	call	*%rax\n"
	"	jmp	1b\n"
	"2:	pop	%rbx\n"
	"	ret\n"
	".size steps_run, . - steps_run\n"
	".macro kernel name, body\n"
	"	.balign 64\n"
	"	.type \\name, @function\n"
	"\\name: lea	steps_memory(%rip), %rsi\n"
	"	test	%rdi, %rdi\n"
	"	je	2f\n"
	"1:	\\body\n"
	"	dec	%rdi\n"
	"	jnz	1b\n"
	"2:	ret\n"
	"	.size \\name, . - \\name\n"
	".endm\n"
	"kernel steps_loop\n"
	"kernel steps_load, \"mov (%rsi), %rax\"\n"
	"kernel steps_store, \"mov %rdi, (%rsi)\"\n"
	"kernel steps_mixed, \"mov (%rsi), %rax; add $1, %rax; mov %rax, (%rsi); cmp %rdi, %rdi; jne 2f\"\n"
	".local steps_memory\n"
	".comm steps_memory, 64, 64\n");
/*
 * What a step has, its call included; of a library call that and the name are the library's, and a
 * name's length.
 */
static const struct steps_cost steps_step = { { 8, 3, 3, 1 } }, steps_library = { { 6, 2, 3, 0 } },
			       steps_sized = { { 5, 2, 3, 0 } };
#define STEPS_CALL                 \
	{                          \
		{                  \
			4, 2, 1, 0 \
		}                  \
	}
#elif defined(__aarch64__) && defined(__LP64__)
__asm__(".text\n"
	".balign 64\n"
	".type steps_run, %function\n"
	"steps_run:\n"
	"	stp	x29, x30, [sp, #-32]!\n"
	"	mov	x29, sp\n"
	"	str	x19, [sp, #16]\n"
	"	mov	x19, x0\n"
	"1:	ldp	x0, x9, [x19], #16\n"
	"	ldr	x1, [x19], #8\n"
	"	cbz	x9, 2f\n"
	"	blr	x9\n"
	"	b	1b\n"
	"2:	ldr	x19, [sp, #16]\n"
	"	ldp	x29, x30, [sp], #32\n"
	"	ret\n"
	".size steps_run, . - steps_run\n"
	".macro kernel name, body\n"
	"	.balign 64\n"
	"	.type \\name, %function\n"
	"\\name: adrp	x1, steps_memory\n"
	"	add	x1, x1, :lo12:steps_memory\n"
	"	cbz	x0, 2f\n"
	"1:	\\body\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	1b\n"
	"2:	ret\n"
	"	.size \\name, . - \\name\n"
	".endm\n"
	"kernel steps_loop\n"
	"kernel steps_load, \"ldr x2, [x1]\"\n"
	"kernel steps_store, \"str x0, [x1]\"\n"
	"kernel steps_mixed, \"ldr x2, [x1]; add x2, x2, #1; str x2, [x1]; cmp x0, x0; b.ne 2f\"\n"
	".local steps_memory\n"
	".comm steps_memory, 64, 64\n");
static const struct steps_cost steps_step = { { 5, 3, 2, 0 } }, steps_library = { { 3, 2, 2, 0 } },
			       steps_sized = { { 2, 2, 2, 0 } };
#define STEPS_CALL                 \
	{                          \
		{                  \
			4, 2, 0, 0 \
		}                  \
	}
#else
#error "no work of known length for this processor"
#endif

__attribute__((visibility("hidden"))) void steps_run(const struct step *step);
__attribute__((visibility("hidden"))) void steps_loop(uint64_t turns);
__attribute__((visibility("hidden"))) void steps_load(uint64_t turns);
__attribute__((visibility("hidden"))) void steps_store(uint64_t turns);
__attribute__((visibility("hidden"))) void steps_mixed(uint64_t turns);

static const struct steps_kernel steps_kernel[] = {
	{ "loop", steps_loop, STEPS_CALL, { { 2, 1, 0, 0 } } },
	{ "load", steps_load, STEPS_CALL, { { 3, 1, 1, 0 } } },
	{ "store", steps_store, STEPS_CALL, { { 3, 1, 0, 1 } } },
	{ "mixed", steps_mixed, STEPS_CALL, { { 7, 2, 1, 1 } } },
};
#define STEPS_KERNELS (sizeof(steps_kernel) / sizeof(*steps_kernel))

/* --- the book --- */

#define STEPS_MAX      4096
#define STEPS_OPEN     16
#define STEPS_PATHS    1024
#define STEPS_PATH_MAX 4096

/** A region on a path. */
struct steps_region {
	char path[STEPS_PATH_MAX];
	struct steps_cost want;
	uint64_t calls;
	unsigned int open;
	const char *name;
};

/** Of one thread; all zero before the first entry. */
struct steps_book {
	struct steps_region region[STEPS_PATHS];
	int n_regions;
	int last; /* found; it or the next one is often wanted again */
	struct steps_region *stack[STEPS_OPEN], *open[STEPS_OPEN];
	int depth, n_open;
	/* contexts that were entered: what was open before each stands still */
	struct {
		int depth, n_open;
		bool skipped;
	} entered[STEPS_OPEN];
	int n_entered, first_open, first_depth;
	bool sized; /* names are given with their lengths */
	struct step step[STEPS_MAX];
	int n_steps;
};

static struct steps_region *steps_region_at(struct steps_book *book, const char *path)
{
	for (int i = 0; i < book->n_regions; i++) {
		int at = (book->last + i) % book->n_regions;

		if (!strcmp(book->region[at].path, path))
			return &book->region[book->last = at];
	}
	if (book->n_regions == STEPS_PATHS)
		abort();
	strcpy(book->region[book->n_regions].path, path);
	return &book->region[book->n_regions++];
}

static struct steps_region *steps_region_below(struct steps_book *book, const char *above,
					       const char *name)
{
	char path[STEPS_PATH_MAX];

	if (strlen(above) + 1 + strlen(name) >= sizeof(path))
		abort();
	strcpy(path, above);
	strcat(path, above[0] ? "/" : "");
	strcat(path, name);
	return steps_region_at(book, path);
}

static void steps_add(struct steps_cost *to, const struct steps_cost *cost, uint64_t times)
{
	for (int i = 0; i < STEPS_EVENTS; i++)
		to->of[i] += times * cost->of[i];
}

static void steps_count(struct steps_book *book, const struct steps_cost *cost, uint64_t times)
{
	for (int i = book->first_open; i < book->n_open; i++)
		steps_add(&book->open[i]->want, cost, times);
}

static void steps_step_to(struct steps_book *book, void *function, const void *argument,
			  size_t length)
{
	if (book->n_steps == STEPS_MAX - 1)
		abort();
	book->step[book->n_steps++] = (struct step){ argument, function, length };
}

static struct steps_region *steps_find_open(struct steps_book *book, const char *name)
{
	for (int i = book->first_open; i < book->n_open; i++)
		if (!strcmp(book->open[i]->name, name))
			return book->open[i];
	return NULL;
}

static void steps_name_to(struct steps_book *book, void *terminated, void *sized, const char *name)
{
	if (book->sized)
		steps_step_to(book, sized, name, strlen(name));
	else
		steps_step_to(book, terminated, name, 0);
}

__attribute__((unused)) static void steps_begin(struct steps_book *book, const char *name)
{
	struct steps_region *region = steps_find_open(book, name);
	const struct steps_cost *call = book->sized ? &steps_sized : &steps_library;

	steps_name_to(book, (void *)pmu_region_begin, (void *)pmu_region_begin_n, name);
	steps_count(book, call, 1);
	if (!region) {
		region = steps_region_below(
			book, book->depth ? book->stack[book->depth - 1]->path : "", name);
		region->name = name;
		steps_add(&region->want, call, 1);
		book->open[book->n_open++] = region;
	}
	region->open++;
	region->calls++;
	book->stack[book->depth++] = region;
}

__attribute__((unused)) static void steps_end(struct steps_book *book, const char *name)
{
	struct steps_region *region = steps_find_open(book, name);
	int at = book->depth;

	steps_name_to(book, (void *)pmu_region_end, (void *)pmu_region_end_n, name);
	while (at > 0 && book->stack[at - 1] != region)
		at--;
	if (at > 0)
		book->depth = at - 1;
	if (--region->open == 0) {
		for (int i = 0; i < book->n_open; i++)
			if (book->open[i] == region)
				book->open[i] = book->open[--book->n_open];
	}
	steps_count(book, book->sized ? &steps_sized : &steps_library, 1);
}

/** steps_work() - a kernel */
__attribute__((unused)) static void steps_work(struct steps_book *book,
					       const struct steps_kernel *kernel, uint64_t turns)
{
	steps_step_to(book, (void *)kernel->run, (const void *)(uintptr_t)turns, 0);
	steps_count(book, &steps_step, 1);
	steps_count(book, &kernel->call, 1);
	steps_count(book, &kernel->turn, turns);
}

/** steps_call() - another call of the library's, with one argument */
__attribute__((unused)) static void steps_call(struct steps_book *book, void *function,
					       const void *argument)
{
	steps_step_to(book, function, argument, 0);
	steps_count(book, &steps_library, 1);
}

/* A call without an argument: of its step one instruction less is the library's. */
static void steps_count_bare(struct steps_book *book)
{
	const struct steps_cost argument = { { 1 } };

	steps_count(book, &steps_library, 1);
	steps_count(book, &argument, 1);
}

/** steps_get() - ask for a context, and forget it */
__attribute__((unused)) static void steps_get(struct steps_book *book)
{
	steps_step_to(book, (void *)pmu_context_get, NULL, 0);
	steps_count_bare(book);
}

/**
 * steps_enter() - a context
 * @path: of its region, by which its work is found in the report; NULL: nothing changes
 */
__attribute__((unused)) static void steps_enter(struct steps_book *book, pmu_context_t context,
						const char *path)
{
	struct steps_region *region;

	steps_step_to(book, (void *)pmu_context_enter, (const void *)(uintptr_t)context, 0);
	steps_count(book, &steps_library, 1);
	book->entered[book->n_entered].depth = book->first_depth;
	book->entered[book->n_entered].n_open = book->first_open;
	book->entered[book->n_entered++].skipped = !path;
	if (!path)
		return;
	region = steps_region_at(book, path);
	region->name = "";
	region->calls++;
	book->first_depth = book->depth;
	book->first_open = book->n_open;
	book->stack[book->depth++] = book->open[book->n_open++] = region;
}

__attribute__((unused)) static void steps_leave(struct steps_book *book)
{
	steps_step_to(book, (void *)pmu_context_leave, NULL, 0);
	steps_count_bare(book);
	if (book->entered[--book->n_entered].skipped)
		return;
	book->depth = book->first_depth;
	book->n_open = book->first_open;
	book->first_depth = book->entered[book->n_entered].depth;
	book->first_open = book->entered[book->n_entered].n_open;
}

/** steps_go() - do what was listed */
__attribute__((unused)) static void steps_go(struct steps_book *book)
{
	book->step[book->n_steps].function = NULL;
	steps_run(book->step);
	book->n_steps = 0;
}

/**
 * steps_forget_names() - they lie in memory that the program changes: from now on only paths count
 */
__attribute__((unused)) static void steps_forget_names(struct steps_book *book)
{
	for (int i = 0; i < book->n_regions; i++)
		book->region[i].name = NULL;
}

#endif
