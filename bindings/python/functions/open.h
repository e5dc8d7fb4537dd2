/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a thread is in. */
#ifndef PMU_PYTHON_OPEN_H
#define PMU_PYTHON_OPEN_H

#include "bindings/preload/functions/names.h"

#pragma GCC visibility push(hidden)

/** An open call: what it is known by, a frame or a code object. */
struct python_call {
	const void *what;
	struct preload_name *name; /* NULL: not measured */
};

/** A thread's. */
struct python_thread {
	struct python_call *top; /* the innermost; bottom: none */
	struct python_call *limit;
	struct python_call *bottom;
	unsigned int unpushed; /* calls inside the top that there was no memory for */
};

extern __thread struct python_thread *python_thread __attribute__((tls_model("initial-exec")));

/** python_open_begin() - a call of the calling thread begins */
void python_open_begin(const void *what, struct preload_name *name);

/** python_open_end() - the innermost call that is known by this ends; none: nothing happens */
void python_open_end(const void *what);

/** python_open_is_top() - is it the innermost? */
static inline bool python_open_is_top(const void *what)
{
	return python_thread && python_thread->top->what == what;
}

/** python_open_leave() - end what the calling thread has open, the innermost first */
void python_open_leave(void);

/** python_open_note() - say in the report what was left out */
void python_open_note(void);

#pragma GCC visibility pop

#endif
