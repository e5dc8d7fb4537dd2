/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool of valgrind's that counts each thread's instructions and nothing else, for
 * `pmu run --emulate=fast`.
 *
 * The count is where valgrind has room for what a tool keeps beside a thread's registers (shadow
 * registers): translated code reaches it as it reaches registers, and whatever becomes of these
 * becomes of it.  A new thread goes on from its parent's count, a forked child likewise.  What a
 * signal handler counts is gone when it returns, for then all registers are as they were before.
 */
#include "pub_tool_basics.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "valgrind.h"

#include "counters/valgrind/counter.h"

/* Which of the two copies of the registers. */
#define SHADOW 1

/* What is kept there. */
struct counter {
	ULong instructions;
	ULong paused;    /* not 0: they stand still, */
	ULong paused_at; /* here */
};

/*
 * A thread's signal handlers.  longjmp(3) leaves one without notice, but then the stack is above
 * where the handler began, or it is not the one for signals.
 */
struct handlers {
	UInt depth;    /* how many are open */
	Bool on_other; /* the outermost has the stack of sigaltstack(2) */
	Bool entering; /* it has not begun yet */
	Addr stack;    /* where it was when it began */
	ULong before;  /* instructions that were counted before it */
};
static struct handlers *handlers; /* [VG_N_THREADS] */

/* --- translated code --- */

/* Return: base + n, in code that is added to @out. */
static IRExpr *add_sum(IRSB *out, IRExpr *base, ULong n)
{
	IRTemp sum = newIRTemp(out->tyenv, Ity_I64);
	IRExpr *constant = IRExpr_Const(IRConst_U64(n));

	addStmtToIRSB(out, IRStmt_WrTmp(sum, IRExpr_Binop(Iop_Add64, base, constant)));
	return IRExpr_RdTmp(sum);
}

static IRExpr *add_load(IRSB *out, Int offset)
{
	IRTemp loaded = newIRTemp(out->tyenv, Ity_I64);

	addStmtToIRSB(out, IRStmt_WrTmp(loaded, IRExpr_Get(offset, Ity_I64)));
	return IRExpr_RdTmp(loaded);
}

/* Before each way out of a piece of code the count is what was executed up to there. */
static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest,
			IRType host)
{
	IRSB *out = deepCopyIRSBExceptStmts(in);
	Int offset = layout->total_sizeB * SHADOW + (Int)offsetof(struct counter, instructions);
	ULong seen = 0, stored = 0;
	IRExpr *before = NULL;

	(void)closure, (void)extents, (void)arch, (void)guest, (void)host;
	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *statement = in->stmts[i];

		if (statement->tag == Ist_IMark) {
			if (!seen++)
				before = add_load(out, offset);
		} else if (statement->tag == Ist_Exit && stored < seen) {
			addStmtToIRSB(out, IRStmt_Put(offset, add_sum(out, before, seen)));
			stored = seen;
		}
		addStmtToIRSB(out, statement);
	}
	if (stored < seen)
		addStmtToIRSB(out, IRStmt_Put(offset, add_sum(out, before, seen)));
	return out;
}

/* --- signal handlers --- */

static void load(ThreadId thread, struct counter *counter)
{
	VG_(get_shadow_regs_area)(thread, (UChar *)counter, SHADOW, 0, sizeof(*counter));
}

static void enter_handler(ThreadId thread, Int number, Bool on_other)
{
	struct handlers *own = &handlers[thread];
	struct counter counter;

	(void)number;
	if (own->depth++)
		return;
	load(thread, &counter);
	own->before = counter.instructions;
	own->on_other = on_other;
	own->entering = True;
}

static void leave_handler(ThreadId thread, Int number)
{
	(void)number;
	if (handlers[thread].depth)
		handlers[thread].depth--;
}

/* By now the handler's frame is on its stack. */
static void start_code(ThreadId thread, ULong blocks)
{
	struct handlers *own = &handlers[thread];

	(void)blocks;
	if (own->entering)
		own->stack = VG_(get_SP)(thread);
	own->entering = False;
}

static void end_thread(ThreadId thread)
{
	handlers[thread].depth = 0;
}

static Bool is_in_handler(ThreadId thread)
{
	struct handlers *own = &handlers[thread];
	Addr stack = VG_(get_SP)(thread), other = VG_(thread_get_altstack_min)(thread);

	if (own->depth && (own->on_other ? stack - other >= VG_(thread_get_altstack_size)(thread)
					 : stack > own->stack))
		own->depth = 0;
	return own->depth > 0;
}

/* --- requests --- */

static void answer(struct pmu_counter_answer *told, const struct counter *counter,
		   const struct handlers *in /* NULL: none */)
{
	if (counter->paused)
		told->instructions = counter->paused_at;
	else
		told->instructions = in ? in->before : counter->instructions;
	told->in_handler = in != NULL;
}

static void pause(struct counter *counter)
{
	if (counter->paused)
		return;
	counter->paused_at = counter->instructions;
	counter->paused = 1;
}

static void resume(struct counter *counter)
{
	if (counter->paused)
		counter->instructions = counter->paused_at;
	counter->paused = 0;
}

/*
 * In a handler nothing is paused: what it would change is as before when the handler returns, and
 * what was interrupted may be in the midst of its own requests.
 */
static Bool take_request(ThreadId thread, UWord *words, UWord *result)
{
	struct counter counter;
	Bool in_handler;

	if (!VG_IS_TOOL_USERREQ('P', 'M', words[0]))
		return False;
	load(thread, &counter);
	in_handler = is_in_handler(thread);
	if (words[0] == PMU_COUNTER_READ)
		answer((struct pmu_counter_answer *)words[1], &counter,
		       in_handler ? &handlers[thread] : NULL);
	else if (words[0] == PMU_COUNTER_PAUSE && !in_handler)
		pause(&counter);
	else if (words[0] == PMU_COUNTER_RESUME && !in_handler)
		resume(&counter);
	VG_(set_shadow_regs_area)(thread, SHADOW, 0, sizeof(counter), (const UChar *)&counter);
	*result = PMU_COUNTER_ANSWERS;
	return True;
}

/* --- start and end --- */

/*
 * Code that is translated beyond a branch (guest_chase) may have instructions in it that are
 * executed for both ways of the branch, with what they do held back: they would be counted.
 */
static void begin(void)
{
	VG_(clo_vex_control).guest_chase = False;
	handlers = VG_(calloc)("pmu.handlers", VG_N_THREADS, sizeof(*handlers));
}

static void end(Int status)
{
	(void)status;
}

static void introduce(void)
{
	VG_(details_name)("pmu");
	VG_(details_version)(NULL);
	VG_(details_description)("counts instructions for regions of libpmu");
	VG_(details_copyright_author)("See libpmu's bindings/valgrind/README.md.");
	VG_(details_bug_reports_to)("libpmu");
	VG_(basic_tool_funcs)(begin, instrument, end);
	VG_(needs_client_requests)(take_request);
	VG_(track_pre_deliver_signal)(enter_handler);
	VG_(track_post_deliver_signal)(leave_handler);
	VG_(track_start_client_code)(start_code);
	VG_(track_pre_thread_ll_exit)(end_thread);
}

VG_DETERMINE_INTERFACE_VERSION(introduce)
