/* SPDX-License-Identifier: BSD-3-Clause */
/* A function's instructions, with what was sampled at each. */
#include "bindings/command/annotate/listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/annotate/disassemble.h"
#include "bindings/command/annotate/parts.h"
#include "bindings/command/code/object.h"
#include "bindings/preload/symbols/symbols.h"

/* Bytes: a function that is longer is data, or of a damaged file. */
#define MOST_CODE (4u << 20)

/* Of a function's samples. */
#define LEAST_PIECE 0.05

/* --- what is at an address --- */

/* Of calls and jumps the operand is an address and nothing else, or on Arm comes last. */
static bool find_target(const char *text, uint64_t *target)
{
	const char *last = strrchr(text, ' ');
	char *end;

	if (!last || !strchr("jcblt", text[0]))
		return false;
	last += 1 + strspn(last + 1, "#");
	if (strncmp(last, "0x", 2) != 0)
		return false;
	errno = 0;
	*target = strtoull(last, &end, 16);
	return !*end && !errno;
}

static const char *name_target(struct pmu_annotate *annotate, struct pmu_code_object *code,
			       uint64_t target)
{
	struct pmu_code_found found = pmu_code_object_find_address(code, target);
	char *demangled;
	const char *said;

	if (!found.name || !found.has_start)
		return "";
	demangled = preload_demangle(found.name);
	if (target == found.start)
		said = pmu_annotate_said(annotate, "%s", demangled ? demangled : found.name);
	else
		said = pmu_annotate_said(annotate, "%s+0x%" PRIx64,
					 demangled ? demangled : found.name, target - found.start);
	free(demangled);
	return said;
}

static void fill_instruction(struct pmu_annotate *annotate, struct pmu_code_object *code,
			     uint64_t start, uint64_t size, const struct pmu_instruction *from,
			     struct pmu_listed_instruction *to)
{
	struct pmu_code_found found = pmu_code_object_find_address(code, from->address);
	uint64_t target;

	*to = (struct pmu_listed_instruction){ .address = from->address,
					       .size = from->size,
					       .text = from->text,
					       .target = "",
					       .file = found.line && found.file ? found.file : "",
					       .line = found.file ? found.line : 0,
					       .folder = found.folder };
	/* an address in the same function says more by itself */
	if (find_target(from->text, &target) && target - start >= size)
		to->target = name_target(annotate, code, target);
}

/* Both are by address.  A sample inside an instruction is that one's. */
static void place_samples(struct pmu_listing *listing)
{
	const struct pmu_model_code *code = listing->code;
	unsigned int k = 0;

	for (unsigned int i = 0; i < code->n_addresses; i++) {
		const struct pmu_model_address *at = &code->address[i];

		while (k < listing->n_instructions &&
		       listing->instruction[k].address + listing->instruction[k].size <=
			       at->address)
			k++;
		if (k == listing->n_instructions)
			return;
		if (at->address < listing->instruction[k].address)
			continue;
		listing->instruction[k].n_samples += at->n_samples;
		listing->n_samples += at->n_samples;
	}
}

/* --- a function --- */

static uint64_t code_size(const struct pmu_model_code *code, struct pmu_code_object *object)
{
	struct pmu_code_found found = pmu_code_object_find_address(object, code->start);

	if (code->size)
		return code->size;
	/* of an older report, or where no symbol is */
	return found.has_start && found.start == code->start ? found.size : 0;
}

static int list_instructions(struct pmu_annotate *annotate, struct pmu_code_object *object,
			     struct pmu_listing *listing)
{
	const struct pmu_model_code *code = listing->code;
	uint64_t there = 0, size = code_size(code, object);
	const unsigned char *bytes = pmu_code_object_bytes(object, code->start, &there);
	struct pmu_instruction *list;
	size_t n;
	int rc;

	if (!bytes || !size || size > there || size > MOST_CODE) {
		listing->why = "where the function ends is not known: there are no instructions";
		return 0;
	}
	rc = pmu_disassemble(pmu_code_object_machine(object), bytes, (size_t)size, code->start,
			     &annotate->blocks, &list, &n);
	if (rc == -ENOTSUP)
		listing->why = pmu_annotate_said(annotate, "%s", pmu_error_text());
	if (rc)
		return rc == -ENOTSUP ? 0 : rc;
	listing->instruction = pmu_block_array(&annotate->blocks, n, sizeof(*listing->instruction));
	if (!listing->instruction)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		fill_instruction(annotate, object, code->start, size, &list[i],
				 &listing->instruction[i]);
	listing->n_instructions = (unsigned int)n;
	place_samples(listing);
	return 0;
}

/* What is in no file that could be read when it was sampled. */
static const char *why_no_code(const struct pmu_annotate *annotate,
			       const struct pmu_model_function *function)
{
	static const struct {
		const char *object, *why;
	} known[] = {
		{ "[kernel]",
		  "it is the kernel's, whose code is not read: there are no instructions" },
		{ "[jit]",
		  "it was compiled at run time, and went with its process: there are no instructions" },
		{ "", "it is in no file: there are no instructions" },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(known); i++)
		if (!strcmp(function->object, known[i].object))
			return known[i].why;
	if (!annotate->model->objects)
		return "the report has no addresses of samples: record again with this version of pmu "
		       "run --sample for instructions";
	return "the report has no addresses in it: its file could not be read when it was sampled";
}

bool pmu_annotate_is_worth(const struct pmu_model_function *function, unsigned int nth)
{
	const struct pmu_model_code *code = &function->code[nth];
	uint64_t n = 0;

	for (unsigned int i = 0; i < code->n_addresses; i++)
		n += code->address[i].n_samples;
	return (double)n >= LEAST_PIECE * (double)function->n_samples;
}

int pmu_annotate_list(struct pmu_annotate *annotate, const struct pmu_model_function *function,
		      unsigned int nth, struct pmu_listing *listing)
{
	const struct pmu_annotate_object *object;
	int rc;

	*listing = (struct pmu_listing){ .function = function, .why = "", .doubt = "" };
	if (nth >= function->n_codes) {
		listing->why = why_no_code(annotate, function);
		return pmu_annotate_only_lines(annotate, listing);
	}
	listing->code = &function->code[nth];
	object = pmu_annotate_object(annotate, listing->code->object);
	if (!object)
		return -ENOMEM;
	listing->why = object->why;
	listing->doubt = object->doubt;
	listing->is_checked = !object->why[0];
	rc = object->why[0] ? 0 : list_instructions(annotate, object->code, listing);
	if (rc)
		return rc;
	return listing->n_instructions ? pmu_annotate_lines(annotate, listing, object)
				       : pmu_annotate_only_lines(annotate, listing);
}
