/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups in turns: which one is counted, and how long. */
#include "session/rotate.h"

#include <stdio.h>
#include <unistd.h>

#include "session/attach.h"
#include "session/session.h"

/* A turn is so many times as long as the change to it took: half a percent of a thread's time. */
#define TURN_PER_CHANGE 200
/* The first changes are slow, as all that is done for the first time, and say little of those to come. */
#define FIRST_CHANGES 3

struct pmu_rotation pmu_rotation = { .due = UINT64_MAX };

/* Guarded by the session's lock. */
static struct {
	unsigned int group[PMU_CONFIG_MAX_GROUPS]; /* of this round, in the order of their turns */
	unsigned int n, next;
	uint64_t random;                    /* state of the generator, never 0 */
	struct pmu_clock_point start, turn; /* of all of it, of this turn */
	uint64_t n_changes, change_ticks, usual_ticks;
} rotation;

/* Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), with a multiplier. */
static uint64_t draw_number(uint64_t below)
{
	rotation.random ^= rotation.random >> 12;
	rotation.random ^= rotation.random << 25;
	rotation.random ^= rotation.random >> 27;
	return (rotation.random * 0x2545f4914f6cdd1du >> 32) % below;
}

static void swap(unsigned int *a, unsigned int *b)
{
	unsigned int was = *a;

	*a = *b;
	*b = was;
}

/* Each order is as likely as any other (Fisher, Yates), but no group has two turns on end. */
static void shuffle(void)
{
	for (unsigned int i = rotation.n - 1; i > 0; i--)
		swap(&rotation.group[i], &rotation.group[draw_number(i + 1)]);
	if (rotation.group[0] == pmu_session.current)
		swap(&rotation.group[0], &rotation.group[1 + draw_number(rotation.n - 1)]);
	rotation.next = 0;
}

static struct pmu_clock_point now(void)
{
	return pmu_clock_point_take(pmu_session.table.clock);
}

static double hz_until(const struct pmu_clock_point *last)
{
	return pmu_clock_hz(pmu_session.table.clock, &rotation.start, last);
}

/* How long a tick is shows with time: before that it is looked at each begin whether it is due. */
static void set_due(const struct pmu_clock_point *from, double ns)
{
	__atomic_store_n(&pmu_rotation.due, from->ticks + (uint64_t)(ns * hz_until(from) / 1e9),
			 __ATOMIC_RELAXED);
}

/* On a processor, or in all threads, every group's events would count at once. */
static const char *reason_against(const struct pmu_session_group *group)
{
	if (!group->backend->counts)
		return "nothing of it is counted";
	if (group->plan.scope == PMU_COUNT_PROCESS)
		return "with PMU_COUNT=process";
	return group->plan.scope == PMU_COUNT_CPU ? "with PMU_COUNT=cpu" : NULL;
}

static void note_out_of_turns(const struct pmu_session_group *group, const char *why)
{
	char text[256];

	snprintf(text, sizeof(text), "%s takes no part in the rotation of groups: %s",
		 group->group.name, why);
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

/* What one of them has of a region is a sample of all then. */
static void note_turns(void)
{
	char text[16];

	for (unsigned int i = 0; i < rotation.n; i++) {
		snprintf(text, sizeof(text), "%u", rotation.group[i]);
		pmu_table_meta(&pmu_session.table, PMU_META_TURNS, text);
	}
}

/* The session's first group is open; where that takes no part, another one may be of a source that has one at a time. */
static bool open_first_group(void)
{
	struct pmu_session_group *first = &pmu_session.group[rotation.group[0]];

	return first->is_open || pmu_session_open_group(first) == 0;
}

void pmu_rotation_start(void)
{
	const char *why;

	rotation.n = 0;
	pmu_rotation.group = 0;
	pmu_rotation.due = UINT64_MAX;
	if (!pmu_session.config.rotate)
		return;
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		why = reason_against(&pmu_session.group[i]);
		if (!why)
			rotation.group[rotation.n++] = i;
		else
			note_out_of_turns(&pmu_session.group[i], why);
	}
	if (rotation.n < 2) {
		pmu_table_meta(&pmu_session.table, PMU_META_NOTE,
			       "groups do not rotate: fewer than two of them can");
		rotation.n = 0;
		return;
	}
	rotation.random = (pmu_session.table.start_unix_ns ^ (uint64_t)getpid() << 40) | 1;
	rotation.n_changes = rotation.change_ticks = rotation.usual_ticks = 0;
	rotation.start = rotation.turn = now();
	/* the first of them begins: what is a single call has that one */
	if (!open_first_group()) {
		rotation.n = 0;
		return;
	}
	note_turns();
	pmu_session.current = pmu_rotation.group = rotation.group[0];
	rotation.next = rotation.n;
	set_due(&rotation.start, 0);
}

bool pmu_rotation_is_on(void)
{
	return rotation.n > 1;
}

/* From now on, as long as it is to be at least, and as the change to it was cheap. */
static void begin_turn(void)
{
	uint64_t least, cheap;

	rotation.turn = now();
	set_due(&rotation.turn, (double)pmu_session.config.rotate_ns);
	least = pmu_rotation.due;
	cheap = rotation.turn.ticks + rotation.usual_ticks * TURN_PER_CHANGE;
	/* without a least length each call has a turn of its own, whatever that costs */
	if (pmu_session.config.rotate_ns && rotation.n_changes >= FIRST_CHANGES && cheap > least)
		__atomic_store_n(&pmu_rotation.due, cheap, __ATOMIC_RELAXED);
}

/* One change in which the thread was off its processor says nothing of the next. */
static void account(uint64_t ticks)
{
	rotation.n_changes++;
	rotation.change_ticks += ticks;
	if (!rotation.usual_ticks || ticks < rotation.usual_ticks)
		rotation.usual_ticks = ticks;
	else
		rotation.usual_ticks += rotation.usual_ticks / 16;
}

/*
 * Registers have one group at a time: all threads change together, where none has a region open, else
 * later.  Return: whether they did.
 */
static bool change_all(unsigned int next)
{
	uint64_t from = pmu_clock_ticks(pmu_session.table.clock);

	if (pmu_session_any_open() || pmu_session_change_group(next))
		return false;
	account(pmu_clock_ticks(pmu_session.table.clock) - from);
	return true;
}

static bool is_exclusive(unsigned int group)
{
	return pmu_session_is_exclusive(&pmu_session.group[group]);
}

static void next_turn(void)
{
	unsigned int next;

	if (rotation.next == rotation.n)
		shuffle();
	next = rotation.group[rotation.next];
	if ((is_exclusive(pmu_session.current) || is_exclusive(next)) && !change_all(next))
		return;
	rotation.next++;
	pmu_session.current = next;
	__atomic_store_n(&pmu_rotation.group, next, __ATOMIC_RELAXED);
}

static void advance_turn(void)
{
	struct pmu_clock_point at = now();
	double least = (double)pmu_session.config.rotate_ns,
	       ns = (double)(at.mono_ns - rotation.turn.mono_ns);

	if (ns < least) {
		set_due(&at, least - ns);
		return;
	}
	if (at.ticks < pmu_rotation.due)
		return;
	next_turn();
	begin_turn();
}

/* The first time takes long, as the library's own work is measured: the turn begins behind that. */
static void turn_thread(struct pmu_thread *self, unsigned int to)
{
	bool is_new = !self->other || !self->other[to].attached;
	uint64_t from = pmu_clock_ticks(self->clock);

	if (pmu_turn_group(self, to))
		return;
	if (is_new)
		begin_turn();
	else
		account(pmu_clock_ticks(self->clock) - from);
}

void pmu_rotation_turn(struct pmu_thread *self)
{
	unsigned int to = self->turn;

	self->turn = PMU_TURN_NONE;
	if (to == PMU_TURN_NEXT) {
		advance_turn();
		to = pmu_session.current;
	}
	/* with all threads: it is attached anew */
	if (self->epoch != (uint32_t)pmu_session_epoch())
		return;
	if (to < pmu_session.n_groups && to != self->group && !is_exclusive(to) &&
	    !is_exclusive(self->group))
		turn_thread(self, to);
}

void pmu_rotation_remark(void)
{
	struct pmu_clock_point at = now();
	double hz = hz_until(&at);
	char text[160];

	if (!pmu_rotation_is_on() || !rotation.n_changes || !(hz > 0))
		return;
	snprintf(
		text, sizeof(text),
		"%u groups in turns: threads changed from one to another %llu time%s, in %.3g ms of their time",
		rotation.n, (unsigned long long)rotation.n_changes,
		rotation.n_changes == 1 ? "" : "s", (double)rotation.change_ticks / hz * 1e3);
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
	rotation.n = 0;
}
