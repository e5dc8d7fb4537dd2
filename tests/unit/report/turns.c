/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates of all calls, from those of a group's turns and from one in ten: how often the interval
 * holds what is true.
 */
#include "report/model/turns.h"

#include <math.h>
#include <stdlib.h>

#include "region/every.h"
#include "session/session.h"
#include "tap.h"

#define RUNS   1000
#define GROUPS 6
#define CALLS  4000

static uint64_t state = 20240717;

static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1du >> 32) % below;
}

/* --- programs: what their calls count --- */

/* Any of these as likely. */
static uint64_t even(uint64_t before)
{
	(void)before;
	return 1000 + draw(1000);
}

/* Most are short, one in ten is long. */
static uint64_t skewed(uint64_t before)
{
	(void)before;
	return draw(10) ? 500 + draw(100) : 5000 + draw(3000);
}

/* Most often as the one before: calls that follow each other are alike. */
static uint64_t alike(uint64_t before)
{
	return before && draw(20) ? before : 1000 + draw(9000);
}

static uint64_t constant(uint64_t before)
{
	(void)before;
	return 123457;
}

/* --- one run --- */

struct turn {
	double calls, count;
};

static void add(struct pmu_model_turns *turns, const struct turn *turn)
{
	turns->n += 1;
	turns->calls += turn->calls;
	turns->calls_square += turn->calls * turn->calls;
	turns->count[0].sum += turn->count;
	turns->count[0].square += turn->count * turn->count;
	turns->count[0].product += turn->count * turn->calls;
}

static void shuffle(unsigned int *order)
{
	for (unsigned int i = GROUPS - 1; i > 0; i--) {
		unsigned int k = (unsigned int)draw(i + 1), was = order[i];

		order[i] = order[k];
		order[k] = was;
	}
}

/* Turns of @least to twice as many calls; group 0 is the one that is looked at. */
static bool holds(uint64_t (*count_of)(uint64_t before), uint64_t least,
		  struct pmu_model_estimate *estimate, double *truth)
{
	_Alignas(struct pmu_model_turns) char
		room[sizeof(struct pmu_model_turns) + 3 * sizeof(double)] = { 0 };
	struct pmu_model_turns *turns = (void *)room;
	unsigned int order[GROUPS], at = GROUPS;
	uint64_t net = 0, calls = 0, last = 0;
	const struct pmu_model_section section = { .n_counts = 1 };
	struct pmu_model_row row = { .net = &net, .whole_calls = CALLS, .turns = turns };

	for (unsigned int i = 0; i < GROUPS; i++)
		order[i] = i;
	*truth = 0;
	for (uint64_t done = 0; done < CALLS;) {
		uint64_t n = least + draw(least + 1);
		struct turn turn = { 0, 0 };

		if (at == GROUPS) {
			shuffle(order);
			at = 0;
		}
		for (; n && done < CALLS; n--, done++) {
			last = count_of(last);
			turn.calls += 1;
			turn.count += (double)last;
		}
		*truth += turn.count;
		if (order[at++])
			continue;
		add(turns, &turn);
		calls += (uint64_t)turn.calls;
		net += (uint64_t)turn.count;
	}
	row.calls = calls;
	pmu_model_turns_estimate(&section, &row, estimate);
	return fabs(estimate->value - *truth) <= estimate->margin;
}

static void intervals_hold(uint64_t (*count_of)(uint64_t before), uint64_t least, int most,
			   const char *name)
{
	struct pmu_model_estimate estimate;
	double truth, error = 0, off = 0;
	int n = 0;

	for (int i = 0; i < RUNS; i++) {
		n += holds(count_of, least, &estimate, &truth);
		error += estimate.error / truth;
		off += (estimate.value - truth) / truth;
	}
	ok(n >= 930 && n <= most, "%s: the interval holds what is true in %d of %d runs", name, n,
	   RUNS);
	ok(fabs(off / RUNS) < 0.2 * error / RUNS, "%s: no side is preferred", name);
	diag("%s: standard error %.2f %%, off by %.3f %%", name, 100 * error / RUNS,
	     100 * off / RUNS);
}

/* --- one call in so many --- */

#define EVERY 10

/* Of a run: counts and times that differ, as the same calls' do. */
struct sample {
	struct pmu_model_turns *turns;
	uint64_t calls, net, time, all_net, all_time;
	double time_square;
};

static void measure(struct sample *sample, uint64_t count, uint64_t time)
{
	const struct turn turn = { 1, (double)count };

	add(sample->turns, &turn);
	sample->calls++;
	sample->net += count;
	sample->time += time;
	sample->time_square += (double)time * (double)time;
}

/* As the library draws them. */
struct drawing {
	struct pmu_node *node;
	struct pmu_every every;
};

static void begin_drawing(struct drawing *drawing, struct pmu_thread *self, uint32_t n)
{
	static struct pmu_node node, twin;

	self->random = draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
	drawing->node = &node;
	drawing->every = (struct pmu_every){ .node = { &node, &twin },
					     .left = pmu_every_first(self, n),
					     .span = 2 * n - 1 };
	node.every = twin.every = &drawing->every;
}

static bool is_measured(struct drawing *drawing, struct pmu_thread *self)
{
	return pmu_every_choose(self, drawing->node) == drawing->node;
}

static void take_sample(uint64_t (*count_of)(uint64_t before), struct sample *sample)
{
	static struct pmu_thread self;
	static struct drawing drawing;
	uint64_t last = 0;

	begin_drawing(&drawing, &self, EVERY);
	for (int i = 0; i < CALLS; i++) {
		uint64_t time;

		last = count_of(last);
		time = last / 2 + draw(200);
		sample->all_net += last;
		sample->all_time += time;
		if (is_measured(&drawing, &self))
			measure(sample, last, time);
	}
}

#define FIRST_RUNS  100000
#define FIRST_CALLS 40

static void each_call_is_as_likely(uint32_t n)
{
	static struct pmu_thread self;
	static struct drawing drawing;
	int measured[FIRST_CALLS] = { 0 };
	double mean = (double)FIRST_RUNS / n, deviation = sqrt(mean * (1 - 1.0 / n)), most = 0;

	for (int i = 0; i < FIRST_RUNS; i++) {
		begin_drawing(&drawing, &self, n);
		for (int k = 0; k < FIRST_CALLS; k++)
			measured[k] += is_measured(&drawing, &self);
	}
	for (int k = 0; k < FIRST_CALLS; k++)
		if (fabs(measured[k] - mean) > most)
			most = fabs(measured[k] - mean);
	ok(most < 5 * deviation,
	   "one call in %u: each of the first %d is measured as often, but for %.1f deviations", n,
	   FIRST_CALLS, most / deviation);
}

/* A report of it. */
static struct pmu_model *report(const struct sample *sample)
{
	struct pmu_model *model = pmu_model_new();
	struct pmu_model_row *row = pmu_model_alloc(model, sizeof(*row));
	uint64_t *counts = pmu_model_alloc(model, 2 * sizeof(*counts));
	double mean = (double)sample->time / (double)sample->calls;

	model->thread = pmu_model_alloc(model, sizeof(*model->thread));
	model->section = pmu_model_alloc(model, sizeof(*model->section));
	model->section->count = pmu_model_alloc(model, sizeof(*model->section->count));
	model->n_threads = model->n_sections = 1;
	model->section->n_counts = model->section->n_thread_rows = 1;
	model->section->group = "CORE";
	model->section->count->name = "instructions";
	model->section->thread_row = row;
	counts[0] = counts[1] = sample->net;
	*row = (struct pmu_model_row){
		.name = "kernel",
		.parent = -1,
		.calls = sample->calls,
		.unmeasured_calls = CALLS - sample->calls,
		.time_ns = sample->time,
		.sd_ns = sqrt(sample->time_square / (double)sample->calls - mean * mean),
		.raw = &counts[0],
		.net = &counts[1],
		.turns = sample->turns,
	};
	if (pmu_model_finish(model) < 0)
		exit(1);
	return model;
}

/* How good a thousand estimates of one thing were. */
struct score {
	int held;
	double error, off;
};

static void judge(struct score *score, const struct pmu_model_estimate *estimate, double truth)
{
	score->held += fabs(estimate->value - truth) <= estimate->margin;
	score->error += estimate->error / truth;
	score->off += (estimate->value - truth) / truth;
}

static void say(const struct score *score, int most, const char *name, const char *what)
{
	ok(score->held >= 930 && score->held <= most,
	   "%s, one call in %d: the interval holds the true %s in %d of %d runs", name, EVERY, what,
	   score->held, RUNS);
	ok(fabs(score->off / RUNS) < 0.2 * score->error / RUNS, "%s: no side is preferred", name);
	diag("%s: standard error of %s %.2f %%, off by %.3f %%", name, what,
	     100 * score->error / RUNS, 100 * score->off / RUNS);
}

static void samples_hold(uint64_t (*count_of)(uint64_t before), int most, const char *name)
{
	struct score count = { 0, 0, 0 }, time = { 0, 0, 0 };

	for (int i = 0; i < RUNS; i++) {
		_Alignas(struct pmu_model_turns) char
			room[sizeof(struct pmu_model_turns) + 3 * sizeof(double)] = { 0 };
		struct sample sample = { .turns = (void *)room };
		struct pmu_model *model;

		take_sample(count_of, &sample);
		model = report(&sample);
		judge(&count, &model->section->row->estimate[0], (double)sample.all_net);
		judge(&time, model->section->row->whole_time, (double)sample.all_time);
		pmu_model_free(model);
	}
	say(&count, most, name, "count");
	say(&time, most, name, "time");
}

int main(void)
{
	struct pmu_model_estimate estimate;
	double truth;

	intervals_hold(even, 1, 970, "even, a call a turn");
	intervals_hold(even, 10, 970, "even, turns of 10 to 20 calls");
	intervals_hold(skewed, 1, 970, "skewed, a call a turn");
	intervals_hold(skewed, 10, 970, "skewed, turns of 10 to 20 calls");
	/* rounds spread a group's turns more evenly than chance: the interval is wider than it need be */
	intervals_hold(alike, 10, RUNS, "alike, turns of 10 to 20 calls");
	samples_hold(even, 970, "even");
	samples_hold(skewed, 970, "skewed");
	/* gaps spread a sample more evenly than chance, as rounds do */
	samples_hold(alike, RUNS, "alike");
	each_call_is_as_likely(2);
	each_call_is_as_likely(3);
	each_call_is_as_likely(10);
	each_call_is_as_likely(1000);
	ok(holds(constant, 7, &estimate, &truth), "what is constant");
	ok(fabs(estimate.value - truth) < 0.5 && estimate.error == 0, "is known, for sure");
	return done_testing();
}
