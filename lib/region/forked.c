/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A forked child that has used no region yet.  Most never do, or execute another program: such a
 * child has a store only at its end, written at once.
 */
#include "region/forked.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/main.h"
#include "base/time.h"
#include "region/selfcost/selfcost.h"
#include "region/slow.h"
#include "region/tree.h"
#include "session/lifecycle.h"
#include "store/brief.h"
#include "store/place.h"

/* --- waiting --- */

static bool is_plain_frame(const struct pmu_frame *frame)
{
	const struct pmu_node *node = frame->node;

	return frame->count == 1 && !node->detached &&
	       !(node->flags & (PMU_STORE_ROW_FLAT | PMU_STORE_ROW_TEAM));
}

/* Nothing but the times of regions, one in the other, has to go on. */
static bool is_plain_thread(const struct pmu_thread *self)
{
	const struct pmu_frame *frame;

	if (!self || !self->tree || self->tree->team || self->tree->skipped || self->read ||
	    self->noted || self->rotates || self->sockets || self->frame == self->tree->frames ||
	    self->frame > self->tree->frames + PMU_BRIEF_ROWS)
		return false;
	for (frame = self->frame; frame > self->tree->frames; frame--)
		if (!is_plain_frame(frame))
			return false;
	return true;
}

static bool is_plain_session(void)
{
	return pmu_session.kept && pmu_session.table.path[0] && !pmu_session.config.output[0] &&
	       pmu_session.n_groups == 1 && pmu_session.config.pin.policy == PMU_PIN_NONE &&
	       !pmu_session.texts.is_short;
}

int pmu_forked_wait(void)
{
	struct pmu_waiting *waiting = &pmu_session.waiting;
	int32_t pid = getpid();

	if (__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED) < 0 || pmu_session_is_ours())
		return 0;
	if (waiting->pid == pid)
		return 1;
	if (pmu_session.control.state != PMU_CONTROL_ON)
		return 0;
	if (pmu_own.inside || !is_plain_session() || !is_plain_thread(pmu_thread_self()))
		return 0;
	*waiting = (struct pmu_waiting){
		.pid = pid,
		.forked_from = pmu_session.pid,
		.start_unix_ns = pmu_time_now_ns(CLOCK_REALTIME),
		.boot_ns = pmu_time_now_ns(CLOCK_BOOTTIME),
		.start = pmu_clock_point_take(pmu_own.self->clock),
	};
	waiting->usage_known = pmu_usage_self(&waiting->usage) == 0;
	pmu_session.pid = pid;
	return 1;
}

/* --- its store --- */

/*
 * At an end /proc need not be asked for what tells this process from the next of its number: only
 * while it lives it matters that the time is the kernel's, and its namespace is its parent's where
 * it sees that one's number.
 */
static void who_am_i(struct pmu_process *self, enum pmu_next next)
{
	const struct pmu_waiting *waiting = &pmu_session.waiting;
	long hertz = sysconf(_SC_CLK_TCK);

	if (next == PMU_NEXT_EXEC || hertz <= 0 || getppid() != waiting->forked_from) {
		pmu_process_self(self);
		return;
	}
	*self = pmu_session.table.owner;
	self->pid = waiting->pid;
	self->start_time = waiting->boot_ns / (UINT64_C(1000000000) / (uint64_t)hertz);
}

static void fill_head(struct pmu_store_head *head, enum pmu_next next)
{
	const struct pmu_waiting *waiting = &pmu_session.waiting;
	struct pmu_process self;

	who_am_i(&self, next);
	pmu_store_fill_head(head, &self, pmu_own.self->clock, waiting->start_unix_ns,
			    &waiting->start);
	head->point[1] = pmu_clock_point_take(pmu_own.self->clock);
	PMU_PUBLISH(head->next, next);
}

static void fill_forked_thread(struct pmu_store_thread *thread, uint64_t ticks)
{
	const struct pmu_store_thread *parents = pmu_own.self->rows.record;
	struct pmu_usage now;

	*thread = (struct pmu_store_thread){
		.tid = pmu_session.waiting.pid,
		.cpu = -1,
		.start_ticks = pmu_session.waiting.start.ticks,
		.flags = PMU_THREAD_FORKED |
			 (parents->flags & PMU_THREAD_WAITS ? PMU_THREAD_WHOLE : 0),
		.missing = parents->missing,
		.minor_faults = -1,
		.major_faults = -1,
		.voluntary_switches = -1,
		.involuntary_switches = -1,
		.inner_ticks = parents->inner_ticks,
		.last_end = ticks,
	};
	PMU_PUBLISH(thread->state, PMU_THREAD_LIVE);
	PMU_PUBLISH(thread->outer_shift, pmu_own.self->rows.outer_shift);
	prctl(PR_GET_NAME, thread->name);
	if (!pmu_session.waiting.usage_known || pmu_usage_self(&now))
		return;
	pmu_usage_record(thread, &now, &pmu_session.waiting.usage);
}

/* Libpmu-preload's regions, which last as long as their thread. */
static bool is_life(const struct pmu_name *name)
{
	return !strcmp(name->text, PMU_MAIN_NAME) || !strcmp(name->text, "thread");
}

static void fill_forked_rows(struct pmu_brief *brief, uint64_t ticks, enum pmu_next next)
{
	uint64_t start = pmu_session.waiting.start.ticks;
	const struct pmu_frame *frame;

	for (frame = pmu_own.self->tree->frames + 1; frame <= pmu_own.self->frame; frame++) {
		const struct pmu_name *name = frame->node->name;

		brief->row[brief->n_rows++] = (struct pmu_brief_row){
			.name = name->text,
			.name_len = (uint32_t)name->len,
			.like = frame->node->row,
			.ticks = ticks - start,
			.ended = next == PMU_NEXT_EXIT && !brief->n_rows && is_life(name),
		};
	}
}

static void write_store(enum pmu_next next)
{
	struct pmu_waiting *waiting = &pmu_session.waiting;
	uint64_t ticks = pmu_clock_ticks(pmu_own.self->clock);
	struct pmu_brief brief = {
		.texts = &pmu_session.texts,
		.forked_from = waiting->forked_from,
		.group = pmu_session.group[0].layout,
		.n_slots = pmu_own.self->n_slots,
	};

	fill_head(&brief.head, next);
	fill_forked_thread(&brief.thread, ticks);
	fill_forked_rows(&brief, ticks, next);
	if (pmu_brief_write(&brief, pmu_session.table.path, waiting->path, sizeof(waiting->path)))
		pmu_store_say_lost("a forked process could not write its results at its end");
}

static void forget_store(void)
{
	if (pmu_session.waiting.path[0])
		unlink(pmu_session.waiting.path);
	pmu_session.waiting.path[0] = '\0';
}

void pmu_forked_checkpoint(enum pmu_next next)
{
	int saved = errno;

	if (pmu_own.inside || !pmu_thread_self() || pmu_session.waiting.pid != getpid())
		return;
	pmu_own.inside = 1;
	pmu_compiler_barrier();
	forget_store();
	if (next != PMU_NEXT_GOES_ON && next != PMU_NEXT_REPORTED)
		write_store(next);
	pmu_compiler_barrier();
	pmu_own.inside = 0;
	errno = saved;
}

/* --- a first call --- */

bool pmu_forked_inherits(void)
{
	struct pmu_thread *self;
	int saved = errno;
	bool inherits = false;

	if (pmu_own.inside || !__atomic_load_n(&pmu_session.running, __ATOMIC_ACQUIRE) ||
	    pmu_session_is_ours())
		return false;
	if (pmu_region_enter(&self) == 0) {
		inherits = self->read && self->frame > self->tree->frames;
		pmu_session_unbar();
	}
	errno = saved;
	return inherits;
}

/* Through a table, so that all of them are as many instructions. */
static const struct {
	int (*text)(const char *name);
	int (*sized)(const char *name, size_t len);
} public_calls[] = {
	[PMU_FORKED_BEGIN] = { pmu_region_begin, pmu_region_begin_n },
	[PMU_FORKED_END] = { pmu_region_end, pmu_region_end_n },
};

int pmu_forked_call(enum pmu_forked_call which, const char *name, size_t len)
{
	pmu_session_bar();
	pmu_cost_restart(pmu_own.self, pmu_way_of_length(len));
	pmu_session_unbar();
	return len == PMU_NAME_TERMINATED ? public_calls[which].text(name)
					  : public_calls[which].sized(name, len);
}

/* --- a session after all --- */

bool pmu_forked_waited(void)
{
	return pmu_session.waiting.pid && pmu_session.waiting.pid == pmu_session.pid;
}

void pmu_forked_take_up(struct pmu_thread *self)
{
	const struct pmu_waiting *waiting = &pmu_session.waiting;
	struct pmu_store_head *head = pmu_session.table.head;

	forget_store();
	PMU_PUBLISH(head->start_unix_ns, waiting->start_unix_ns);
	head->point[0] = pmu_session.table.start = waiting->start;
	self->rows.record->start_ticks = waiting->start.ticks;
	self->usage = waiting->usage;
	self->usage_known = waiting->usage_known;
	for (struct pmu_frame *frame = self->tree->frames + 1; frame <= self->frame; frame++)
		frame->node->start_ticks = waiting->start.ticks;
}
