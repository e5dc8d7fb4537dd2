/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of several rows as one: by function, and by line and instruction in each. */
#include "report/model/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "report/model/block.h"
#include "report/model/fields.h"
#include "report/model/model.h"
#include "report/model/objects.h"

/** In the order of what a function has. */
enum spot_kind {
	SPOT_FUNCTION, /* name, object */
	SPOT_LINE,     /* of a function: file, "", line */
	SPOT_CODE,     /* of a function: path, build id, start, size */
	SPOT_ADDRESS,  /* of code: "", "", address */
	/* behind all functions, as they came: */
	SPOT_FRAME, /* name, object */
	SPOT_CALL,  /* of its caller's call, 0: of none: "", "", index of its frame's spot */
};

#define N_SPOT_KINDS (SPOT_CALL + 1)

struct spot {
	enum spot_kind kind;
	size_t above; /* 1 + the index of what it is of; 0 of a function */
	const char *name, *object;
	uint64_t number, size;
	uint64_t n_samples;
};

struct pmu_samples_sum {
	uint64_t n;
	struct pmu_sample_unit unit;
	bool is_mixed; /* of different events */
	bool has_calls;
	struct spot *spot;
	size_t n_spots, room;
	struct pmu_index by_key;       /* spots, from 1 */
	struct pmu_model_block *texts; /* theirs */
};

struct wanted {
	const struct pmu_samples_sum *sum;
	const struct spot *spot;
};

static bool is_wanted_spot(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct spot *a = wanted->spot, *b = &wanted->sum->spot[number - 1];

	return a->kind == b->kind && a->above == b->above && a->number == b->number &&
	       a->size == b->size && !strcmp(a->name, b->name) && !strcmp(a->object, b->object);
}

static uint32_t hash_spot(const struct spot *spot)
{
	return pmu_hash_text(spot->name, strlen(spot->name)) ^
	       pmu_hash_number((uint64_t)spot->above << 32 ^ spot->number) ^
	       2 * pmu_hash_text(spot->object, strlen(spot->object));
}

static int make_spot_room(struct pmu_samples_sum *sum)
{
	size_t room = sum->room ? 2 * sum->room : 32;
	struct spot *grown;

	if (sum->n_spots < sum->room)
		return 0;
	grown = reallocarray(sum->spot, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	sum->spot = grown;
	sum->room = room;
	return 0;
}

/* Return: 1 + the index of the spot, which has its samples now; 0 without memory. */
static size_t add_spot(struct pmu_samples_sum *sum, const struct spot *spot)
{
	const struct wanted wanted = { sum, spot };
	uint32_t hash = hash_spot(spot);
	struct pmu_index_place *found;
	struct spot made = *spot;

	if (pmu_index_reserve(&sum->by_key, 1) < 0 || make_spot_room(sum) < 0)
		return 0;
	found = pmu_index_find(&sum->by_key, hash, is_wanted_spot, &wanted);
	if (found->thing) {
		struct spot *at = &sum->spot[found->thing - 1];

		at->n_samples = pmu_add_capped(at->n_samples, spot->n_samples);
		return found->thing;
	}
	made.name = pmu_block_text(&sum->texts, spot->name, strlen(spot->name));
	made.object = pmu_block_text(&sum->texts, spot->object, strlen(spot->object));
	if (!made.name || !made.object)
		return 0;
	sum->spot[sum->n_spots++] = made;
	pmu_index_take(&sum->by_key, found, hash, sum->n_spots);
	return sum->n_spots;
}

static int add_line_spots(struct pmu_samples_sum *sum, size_t function,
			  const struct pmu_model_function *from)
{
	for (unsigned int i = 0; i < from->n_lines; i++) {
		const struct pmu_model_line *line = &from->line[i];
		const struct spot spot = {
			SPOT_LINE, function,       line->file ? line->file : "", "", line->line,
			0,         line->n_samples
		};

		if (!add_spot(sum, &spot))
			return -ENOMEM;
	}
	return 0;
}

/* It has the samples of its addresses. */
static int add_code(struct pmu_samples_sum *sum, size_t function, const struct pmu_model_code *code)
{
	struct spot spot = {
		SPOT_CODE,  function, code->object->path, code->object->build_id, code->start,
		code->size, 0
	};
	size_t at;

	for (unsigned int i = 0; i < code->n_addresses; i++)
		spot.n_samples = pmu_add_capped(spot.n_samples, code->address[i].n_samples);
	at = add_spot(sum, &spot);
	for (unsigned int i = 0; at && i < code->n_addresses; i++) {
		const struct pmu_model_address *address = &code->address[i];
		const struct spot of_address = { SPOT_ADDRESS,      at, "", "", address->address, 0,
						 address->n_samples };

		if (!add_spot(sum, &of_address))
			return -ENOMEM;
	}
	return at ? 0 : -ENOMEM;
}

static int add_function(struct pmu_samples_sum *sum, const struct pmu_model_function *from)
{
	const struct spot spot = { SPOT_FUNCTION,
				   0,
				   from->name ? from->name : "",
				   from->object ? from->object : "",
				   0,
				   0,
				   from->n_samples };
	size_t function = add_spot(sum, &spot);
	int rc = function ? add_line_spots(sum, function, from) : -ENOMEM;

	for (unsigned int i = 0; !rc && i < from->n_codes; i++)
		rc = add_code(sum, function, &from->code[i]);
	return rc;
}

/* What is of different events has no sum, whatever else comes. */
static int mix(struct pmu_samples_sum *sum)
{
	sum->is_mixed = true;
	sum->n = sum->n_spots = 0;
	sum->unit = (struct pmu_sample_unit){ .period = 0 };
	return 0;
}

static int add_call_spots(struct pmu_samples_sum *sum, const struct pmu_model_samples *from,
			  unsigned int i, size_t *spots)
{
	const struct pmu_model_call *call = &from->call[i];
	const struct pmu_model_frame *frame = &from->frame[call->frame];
	const struct spot of_frame = { SPOT_FRAME, 0, frame->name, frame->object, 0, 0, 0 };
	struct spot spot = { SPOT_CALL, 0, "", "", add_spot(sum, &of_frame), 0, call->n_samples };

	spot.above = call->caller ? spots[call->caller - 1] : 0;
	spots[i] = spot.number ? add_spot(sum, &spot) : 0;
	return spots[i] ? 0 : -ENOMEM;
}

static int add_all_calls(struct pmu_samples_sum *sum, const struct pmu_model_samples *from)
{
	size_t *spots = calloc(from->n_calls, sizeof(*spots));
	int rc = spots ? 0 : -ENOMEM;

	for (unsigned int i = 0; !rc && i < from->n_calls; i++)
		rc = add_call_spots(sum, from, i, spots);
	free(spots);
	return rc;
}

/* A call of which no more is known than its function. */
static int add_bare_call(struct pmu_samples_sum *sum, const char *name, const char *object,
			 uint64_t n_samples)
{
	const struct pmu_model_frame frame = { name, object };
	const struct pmu_model_call call = { 0, 0, n_samples };
	const struct pmu_model_samples from = { .frame = &frame, .call = &call };
	size_t spot;

	return add_call_spots(sum, &from, 0, &spot);
}

/* All or none: those that came before without callers are in calls from now on. */
static int begin_calls(struct pmu_samples_sum *sum)
{
	size_t n = sum->n_spots;
	int rc = 0;

	sum->has_calls = true;
	for (size_t i = 0; !rc && i < n; i++) {
		/* more spots may be elsewhere */
		const struct spot spot = sum->spot[i];

		if (spot.kind == SPOT_FUNCTION)
			rc = add_bare_call(sum, spot.name, spot.object, spot.n_samples);
	}
	return rc;
}

static int add_calls(struct pmu_samples_sum *sum, const struct pmu_model_samples *from)
{
	int rc = 0;

	if (from->n_calls)
		return add_all_calls(sum, from);
	for (unsigned int i = 0; sum->has_calls && !rc && i < from->n_functions; i++)
		rc = add_bare_call(sum, from->function[i].name, from->function[i].object,
				   from->function[i].n_samples);
	return rc;
}

int pmu_samples_sum_add(struct pmu_samples_sum **sum, const struct pmu_model_samples *samples)
{
	int rc = 0;

	if (!*sum)
		*sum = calloc(1, sizeof(**sum));
	if (!*sum)
		return -ENOMEM;
	if ((*sum)->is_mixed || !samples->n || !pmu_sample_unit_add(&(*sum)->unit, &samples->unit))
		return mix(*sum);
	(*sum)->n = pmu_add_capped((*sum)->n, samples->n);
	if (samples->n_calls && !(*sum)->has_calls)
		rc = begin_calls(*sum);
	for (unsigned int i = 0; !rc && i < samples->n_functions; i++)
		rc = add_function(*sum, &samples->function[i]);
	return rc ? rc : add_calls(*sum, samples);
}

/* --- the result --- */

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_samples(const struct spot *a, const struct spot *b)
{
	int order = by_number(b->n_samples, a->n_samples);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->object, b->object);
	if (!order)
		order = by_number(a->number, b->number);
	return order ? order : by_number(a->size, b->size);
}

/* It itself, or what it is of. */
static const struct spot *spot_of(const struct spot *spot, const struct spot *at,
				  enum spot_kind kind)
{
	while (at->kind > kind && at->above)
		at = &spot[at->above - 1];
	return at;
}

/* Functions with their lines behind them, then their code, each with its addresses; then what calls are made of. */
static int by_function(const void *a, const void *b, void *arg)
{
	const struct spot *spot = arg, *x = &spot[*(const size_t *)a],
			  *y = &spot[*(const size_t *)b];
	const struct spot *of_x, *of_y;

	if (x->kind >= SPOT_FRAME || y->kind >= SPOT_FRAME)
		return x->kind != y->kind ? (int)x->kind - (int)y->kind : (x > y) - (x < y);
	of_x = spot_of(spot, x, SPOT_FUNCTION);
	of_y = spot_of(spot, y, SPOT_FUNCTION);
	if (of_x != of_y)
		return by_samples(of_x, of_y);
	if (x->kind < SPOT_CODE || y->kind < SPOT_CODE)
		return x->kind != y->kind ? (int)x->kind - (int)y->kind : by_samples(x, y);
	of_x = spot_of(spot, x, SPOT_CODE);
	of_y = spot_of(spot, y, SPOT_CODE);
	if (of_x != of_y)
		return by_samples(of_x, of_y);
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : by_number(x->number, y->number);
}

/** Where the next of each goes. */
struct making {
	struct pmu_model *model;
	struct pmu_model_function *function; /* the last one, as the next */
	struct pmu_model_line *line;
	struct pmu_model_code *code;
	struct pmu_model_address *address;
	struct pmu_model_frame *frame;
	struct pmu_model_call *call;
	unsigned int *place; /* of a spot that is a frame or a call: 1 + where that is */
	unsigned int n_frames, n_calls;
	/* those of one file stand together often: they share its name */
	const char *file, *file_copy;
	bool failed;
};

static const char *file_name(struct making *making, const char *name)
{
	if (!making->file || strcmp(making->file, name) != 0) {
		making->file = name;
		making->file_copy = pmu_model_text(making->model, name, strlen(name));
	}
	return making->file_copy;
}

static void make_code(struct making *making, const struct spot *spot)
{
	struct pmu_model_function *function = making->function - 1;

	*making->code = (struct pmu_model_code){
		.object = pmu_model_object(making->model, spot->name, spot->object),
		.start = spot->number,
		.size = spot->size,
		.address = making->address,
	};
	making->failed |= !making->code->object;
	if (!function->n_codes++)
		function->code = making->code;
	making->code++;
}

/* @at: of the spot */
static void make_sum_frame(struct making *making, const struct spot *spot, size_t at)
{
	making->frame[making->n_frames++] = (struct pmu_model_frame){
		pmu_model_text(making->model, spot->name, strlen(spot->name)),
		pmu_model_text(making->model, spot->object, strlen(spot->object)),
	};
	making->place[at] = making->n_frames;
}

static void make_sum_call(struct making *making, const struct spot *spot, size_t at)
{
	making->call[making->n_calls++] = (struct pmu_model_call){
		.caller = spot->above ? making->place[spot->above - 1] : 0,
		.frame = making->place[spot->number - 1] - 1,
		.n_samples = spot->n_samples,
	};
	making->place[at] = making->n_calls;
}

static void make_spot(struct making *making, const struct spot *spot, size_t at)
{
	switch (spot->kind) {
	case SPOT_FUNCTION:
		*making->function++ = (struct pmu_model_function){
			.name = pmu_model_text(making->model, spot->name, strlen(spot->name)),
			.object = pmu_model_text(making->model, spot->object, strlen(spot->object)),
			.n_samples = spot->n_samples,
			.line = making->line,
		};
		break;
	case SPOT_LINE:
		*making->line++ = (struct pmu_model_line){ file_name(making, spot->name),
							   (uint32_t)spot->number,
							   spot->n_samples };
		making->function[-1].n_lines++;
		break;
	case SPOT_CODE:
		make_code(making, spot);
		break;
	case SPOT_ADDRESS:
		*making->address++ = (struct pmu_model_address){ spot->number, spot->n_samples };
		making->code[-1].n_addresses++;
		break;
	case SPOT_FRAME:
		make_sum_frame(making, spot, at);
		break;
	case SPOT_CALL:
		make_sum_call(making, spot, at);
		break;
	}
}

static size_t *order_spots(const struct pmu_samples_sum *sum, size_t n[N_SPOT_KINDS])
{
	size_t *order = calloc(sum->n_spots + 1, sizeof(*order));

	for (size_t i = 0; order && i < sum->n_spots; i++) {
		order[i] = i;
		n[sum->spot[i].kind]++;
	}
	if (order && sum->n_spots)
		qsort_r(order, sum->n_spots, sizeof(*order), by_function, sum->spot);
	return order;
}

const struct pmu_model_samples *pmu_samples_sum_make(struct pmu_model *model,
						     const struct pmu_samples_sum *sum)
{
	struct pmu_model_samples *made = pmu_model_alloc(model, sizeof(*made));
	size_t n[N_SPOT_KINDS] = { 0 }, *order = order_spots(sum, n);
	struct making making = {
		.model = model,
		.function = pmu_model_alloc(model, n[SPOT_FUNCTION] * sizeof(*making.function)),
		.line = pmu_model_alloc(model, n[SPOT_LINE] * sizeof(*making.line)),
		.code = pmu_model_alloc(model, n[SPOT_CODE] * sizeof(*making.code)),
		.address = pmu_model_alloc(model, n[SPOT_ADDRESS] * sizeof(*making.address)),
		.frame = pmu_model_alloc(model, n[SPOT_FRAME] * sizeof(*making.frame)),
		.call = pmu_model_alloc(model, n[SPOT_CALL] * sizeof(*making.call)),
		.place = calloc(sum->n_spots + 1, sizeof(*making.place)),
	};

	making.failed = !made || !order || !making.function || !making.line || !making.code ||
			!making.address || !making.frame || !making.call || !making.place;
	if (!making.failed)
		*made = (struct pmu_model_samples){ .n = sum->n,
						    .unit = sum->unit,
						    .n_functions = (unsigned int)n[SPOT_FUNCTION],
						    .function = making.function,
						    .n_frames = (unsigned int)n[SPOT_FRAME],
						    .n_calls = (unsigned int)n[SPOT_CALL],
						    .frame = making.frame,
						    .call = making.call };
	for (size_t i = 0; !making.failed && i < sum->n_spots; i++)
		make_spot(&making, &sum->spot[order[i]], order[i]);
	free(order);
	free(making.place);
	return making.failed ? NULL : made;
}

void pmu_samples_sum_free(struct pmu_samples_sum *sum)
{
	if (!sum)
		return;
	pmu_index_free(&sum->by_key);
	pmu_block_free(&sum->texts);
	free(sum->spot);
	free(sum);
}

const struct pmu_model_samples *pmu_model_samples_add(struct pmu_model *model,
						      const struct pmu_model_samples *a,
						      const struct pmu_model_samples *b)
{
	const struct pmu_model_samples *of[] = { a, b }, *made = NULL;
	struct pmu_samples_sum *sum = NULL;
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++)
		rc = of[i] ? pmu_samples_sum_add(&sum, of[i]) : 0;
	if (!rc && sum)
		made = pmu_samples_sum_make(model, sum);
	pmu_samples_sum_free(sum);
	return made;
}
