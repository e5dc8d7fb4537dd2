/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of a thread.  A call of the library's runs freely: its return address on the stack is replaced by that of a
 * breakpoint instruction which is there anyway, so that no text changes that other threads execute.
 */
#include "oracle_thread.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "oracle_text.h"

#ifdef ORACLE_KNOWS_MACHINE

#define BREAKPOINT     0xccull
#define REGISTER(name) offsetof(struct user_regs_struct, name)

/* AMD64 Architecture Programmer's Manual vol. 2, 13.1.1: DR7 with L0 to L3, which stop where an instruction is executed. */
#define DEBUG_REGISTER(n) ((void *)(offsetof(struct user, u_debugreg) + 8 * (size_t)(n)))
#define LOCAL_BREAKPOINTS 0x55ul

/* A thread that is gone meanwhile has nothing more to say. */
static uint64_t get(const struct thread *self, size_t offset)
{
	errno = 0;
	return (uint64_t)ptrace(PTRACE_PEEKUSER, self->tid, (void *)offset, NULL);
}

static void set(const struct thread *self, size_t offset, uint64_t value)
{
	ptrace(PTRACE_POKEUSER, self->tid, (void *)offset, (void *)value);
}

static bool is_library(const struct thread *self, uint64_t ip)
{
	return space_is_library(self->process->space, ip);
}

static void come_to(struct thread *self, uint64_t ip)
{
	self->ip = ip;
	self->in_library = is_library(self, ip);
}

/* --- where no region is open --- */

static bool has_no_breakpoints; /* this machine, or not as many as it would take */

/* In the processor's registers, so that no text changes that other threads execute. */
static void set_breakpoints(struct thread *self)
{
	uint64_t address[N_CALLS_OF_IDLE];

	if (!calls_of_idle(self->process->space, address))
		has_no_breakpoints = true;
	for (size_t i = 0; i < N_CALLS_OF_IDLE && !has_no_breakpoints; i++)
		has_no_breakpoints = ptrace(PTRACE_POKEUSER, self->tid, DEBUG_REGISTER(i),
					    (void *)address[i]) != 0;
	self->has_breakpoints = !has_no_breakpoints;
}

static void stop_at_breakpoints(struct thread *self, bool stops)
{
	if (stops && !self->has_breakpoints)
		set_breakpoints(self);
	if (stops != self->stops_at_them && self->has_breakpoints)
		ptrace(PTRACE_POKEUSER, self->tid, DEBUG_REGISTER(7),
		       (void *)(stops ? LOCAL_BREAKPOINTS : 0));
	self->stops_at_them = stops && self->has_breakpoints;
}

/* The program's own code is what comes next. */
static void go_on(struct thread *self)
{
	bool is_idle = !self->n_calls && !self->n_handlers && !self->counted_until &&
		       !has_no_breakpoints && !regions_are_open(self->regions);

	stop_at_breakpoints(self, is_idle);
	self->pace = self->stops_at_them ? BY_CALLS : BY_STEPS;
	come_to(self, get(self, REGISTER(rip)));
}

void thread_start(struct thread *self)
{
	self->pace = self->is_librarys ? FREELY : BY_SYSCALLS;
	if (!self->is_librarys && self->process->has_library)
		go_on(self);
}

/* --- the library --- */

void thread_wait_for_library(struct thread *self)
{
	struct process *process = self->process;

	process->init = space_find_library(process->space);
	if (!process->init)
		return;
	process->init_text = (uint64_t)ptrace(PTRACE_PEEKTEXT, self->tid, (void *)process->init,
					      NULL);
	ptrace(PTRACE_POKETEXT, self->tid, (void *)process->init,
	       (void *)((process->init_text & ~0xffull) | BREAKPOINT));
}

bool thread_is_at_library(struct thread *self)
{
	struct process *process = self->process;

	if (!process->init || get(self, REGISTER(rip)) != process->init + 1)
		return false;
	ptrace(PTRACE_POKETEXT, self->tid, (void *)process->init, (void *)process->init_text);
	set(self, REGISTER(rip), process->init);
	return true;
}

/* --- calls --- */

static void forget_call(struct thread *self)
{
	memmove(&self->call[0], &self->call[1], sizeof(self->call) - sizeof(self->call[0]));
	self->n_calls--;
}

static void call(struct thread *self, int function, bool by_program)
{
	struct user_regs_struct regs;
	uint64_t argument[2], back;

	ptrace(PTRACE_GETREGS, self->tid, NULL, &regs);
	argument[0] = regs.rdi;
	argument[1] = regs.rsi;
	if (self->n_calls == MAX_CALLS) /* left by longjmp() */
		forget_call(self);
	self->call[self->n_calls].sp = regs.rsp;
	self->call[self->n_calls].interrupted_ip = 0;
	if (space_read(self->tid, regs.rsp, &back, sizeof(back)) != sizeof(back))
		fail("thread %d has no stack at %#llx", self->tid, regs.rsp);
	self->call[self->n_calls].back = back;
	calls_enter(&self->call[self->n_calls++].call, function, self->tid, argument, self->regions,
		    by_program && !self->n_handlers);
	if (ptrace(PTRACE_POKEDATA, self->tid, (void *)regs.rsp,
		   (void *)space_trap(self->process->space)))
		fail("cannot write to the stack of thread %d: %s", self->tid, strerror(errno));
	self->pace = FREELY;
}

/* Others that are further in were left by longjmp(). */
static void returned(struct thread *self)
{
	uint64_t sp = get(self, REGISTER(rsp)) - sizeof(uint64_t);

	while (self->n_calls && self->call[self->n_calls - 1].sp != sp)
		self->n_calls--;
	if (!self->n_calls)
		fail("thread %d has returned from a call that nobody made", self->tid);
	self->n_calls--;
	calls_return(&self->call[self->n_calls].call, get(self, REGISTER(rax)), self->regions);
	set(self, REGISTER(rip), self->call[self->n_calls].back);
	self->was_free = false;
	go_on(self);
}

/* A handler that had interrupted the library has returned. */
static bool is_back_in_call(const struct thread *self, uint64_t ip)
{
	for (int i = 0; i < self->n_calls; i++)
		if (self->call[i].interrupted_ip == ip &&
		    self->call[i].interrupted_sp == get(self, REGISTER(rsp)))
			return true;
	return false;
}

static void count_until_return(struct thread *self)
{
	self->counted_until = get(self, REGISTER(rsp)) + sizeof(uint64_t);
}

/* --- steps --- */

/* Not by a return, nor from a signal handler. */
static bool is_called(const struct thread *self)
{
	unsigned char byte[2] = { 0 };

	space_read(self->tid, self->ip, byte, sizeof(byte));
	return byte[0] != 0xc3 && byte[0] != 0xc2 && !(byte[0] == 0xf3 && byte[1] == 0xc3) &&
	       !(byte[0] == 0x0f && byte[1] == 0x05);
}

/*
 * A function of the library is called.  Those that stand in for libc's functions, and those that a thread starts and ends
 * with, call back into the program before they return, or call public functions themselves.
 */
static void enter_library(struct thread *self, uint64_t ip, bool is_programs)
{
	int function = calls_find(self->process->space, ip);
	bool is_inside = function == FUNCTION_NONE && self->is_main;

	if (calls_is_counted(function))
		count_until_return(self);
	else if (function >= 0)
		call(self, function, is_programs);
	else if (is_programs && is_inside)
		call(self, CALL_INSIDE, is_programs);
}

/* A step ends with each turn of an instruction that repeats itself. */
static bool is_repeating(const struct thread *self, uint64_t ip)
{
	unsigned char byte[15];
	size_t n, i;
	bool repeats = false;

	if (ip != self->ip)
		return false;
	n = space_read(self->tid, ip, byte, sizeof(byte));
	for (i = 0; i < n && byte[i] && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", byte[i]);
	     i++)
		repeats |= byte[i] == 0xf2 || byte[i] == 0xf3;
	i += i < n && byte[i] >> 4 == 4; /* a REX prefix */
	/* ins, outs, movs, cmps, stos, lods, scas */
	return repeats && i < n &&
	       ((byte[i] >= 0x6c && byte[i] <= 0x6f) || (byte[i] >= 0xa4 && byte[i] <= 0xaf));
}

/* --- handlers --- */

static bool leaves_out_handlers;

void thread_leave_out_handlers(void)
{
	leaves_out_handlers = true;
}

static void begin_handler(struct thread *self)
{
	if (leaves_out_handlers && self->n_handlers < MAX_HANDLERS)
		self->handler[self->n_handlers++] = self->signalled_sp;
}

/* By its return, or by siglongjmp(). */
static void end_handlers(struct thread *self)
{
	uint64_t sp = get(self, REGISTER(rsp));

	while (self->n_handlers && sp >= self->handler[self->n_handlers - 1])
		self->n_handlers--;
}

/* Nothing has been executed since the signal. */
static bool is_in_handler(const struct thread *self)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, self->tid, NULL, &info) == 0 && info.si_code == SIGTRAP;
}

static void count(struct thread *self, uint64_t ip)
{
	if ((!self->in_library || self->counted_until) && !self->n_handlers &&
	    !is_repeating(self, ip))
		regions_step(self->regions, 1);
	if (self->counted_until && get(self, REGISTER(rsp)) == self->counted_until)
		self->counted_until = 0;
	if (self->n_handlers)
		end_handlers(self);
}

/* Return: nothing has been executed, or it is not to be looked at. */
static bool is_after_signal(struct thread *self, uint64_t ip)
{
	bool was_free = self->was_free;

	if (!self->signalled)
		return false;
	self->signalled = self->was_free = false;
	if (is_in_handler(self)) {
		begin_handler(self);
		come_to(self, ip);
	} else if (was_free) {
		self->pace = FREELY;
	} else {
		return false;
	}
	return true;
}

static void stepped(struct thread *self, uint64_t ip)
{
	bool was_library = self->in_library, is_entry;

	if (is_after_signal(self, ip))
		return;
	count(self, ip);
	if (self->n_calls && is_back_in_call(self, ip)) {
		self->pace = FREELY;
		return;
	}
	is_entry = !self->counted_until && is_library(self, ip) && (was_library || is_called(self));
	come_to(self, ip);
	if (is_entry)
		enter_library(self, ip, !was_library);
}

/* In one of calls_of_idle() by now. */
static void stopped_at_call(struct thread *self, uint64_t ip)
{
	uint64_t back = 0;

	stop_at_breakpoints(self, false);
	self->pace = BY_STEPS;
	come_to(self, ip);
	space_read(self->tid, get(self, REGISTER(rsp)), &back, sizeof(back));
	enter_library(self, ip, !is_library(self, back));
}

void thread_trapped(struct thread *self)
{
	uint64_t ip = get(self, REGISTER(rip));

	if (self->n_calls && ip == space_trap(self->process->space) + 1)
		returned(self);
	else if (self->pace == BY_STEPS)
		stepped(self, ip);
	else if (self->pace == BY_CALLS)
		stopped_at_call(self, ip);
}

void thread_signal(struct thread *self)
{
	if (self->pace == BY_SYSCALLS || self->pace == BY_CALLS || self->is_librarys)
		return;
	self->signalled = true;
	self->signalled_sp = get(self, REGISTER(rsp));
	if (self->pace == FREELY && self->n_calls) {
		self->was_free = true;
		self->call[self->n_calls - 1].interrupted_ip = get(self, REGISTER(rip));
		self->call[self->n_calls - 1].interrupted_sp = get(self, REGISTER(rsp));
		self->pace = BY_STEPS;
	}
}

void thread_go(struct thread *self, int signal)
{
	static const int request[] = {
		[BY_SYSCALLS] = PTRACE_SYSCALL,
		[BY_STEPS] = PTRACE_SINGLESTEP,
		[BY_CALLS] = PTRACE_CONT,
		[FREELY] = PTRACE_CONT,
	};

	/* ESRCH: killed meanwhile, as wait() will tell */
	if (ptrace(request[self->pace], self->tid, NULL, (void *)(long)signal) && errno != ESRCH)
		fail("cannot go on with thread %d: %s", self->tid, strerror(errno));
}

#endif
