/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the JSON reader share. */
#ifndef PMU_COMMAND_JSON_READER_H
#define PMU_COMMAND_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "bindings/command/json/value.h"
#include "report/model/model.h"

struct pmu_json_reader {
	struct pmu_model *model;
	const struct pmu_value *regions;
	const struct pmu_model_object **object; /* [n_objects] */
	size_t n_objects;
	int rc;         /* the first error; every function does nothing after it */
	char where[64]; /* "regions[3]" */
};

/** pmu_json_complain() - say what is wrong and where, once: -EINVAL. */
void pmu_json_complain(struct pmu_json_reader *reader, const char *fmt, ...) PMU_PRINTF(2, 3);
/** pmu_json_no_memory() - the same for -ENOMEM. */
void pmu_json_no_memory(struct pmu_json_reader *reader);

/** pmu_json_alloc() - zeroed memory of the model; NULL without it, and after an error. */
void *pmu_json_alloc(struct pmu_json_reader *reader, size_t n, size_t size);

/*
 * Members by name.  One that is missing or of another type is complained of and read as
 * 0, "" or what is there; the functions of values take that, NULL included, for empty.
 */

/** pmu_json_get() - a member of any type; NULL where it is missing */
const struct pmu_value *pmu_json_get(struct pmu_json_reader *reader, const struct pmu_value *object,
				     const char *name);
/** pmu_json_is_null() - whether it is there and null; no complaint */
bool pmu_json_is_null(const struct pmu_value *object, const char *name);
/** pmu_json_copy() - a copy of @text with the bytes that the writer had to escape */
const char *pmu_json_copy(struct pmu_json_reader *reader, const char *text);
/** pmu_json_text() - such a copy of a member */
const char *pmu_json_text(struct pmu_json_reader *reader, const struct pmu_value *object,
			  const char *name);
/** pmu_json_int() - from 0 to @most */
int64_t pmu_json_int(struct pmu_json_reader *reader, const struct pmu_value *object,
		     const char *name, int64_t most);
/** pmu_json_u64() - from 0 to INT64_MAX, which is what JSON's integers hold here */
uint64_t pmu_json_u64(struct pmu_json_reader *reader, const struct pmu_value *object,
		      const char *name);
/** pmu_json_known() - from 0 to @most; -1 for null */
int64_t pmu_json_known(struct pmu_json_reader *reader, const struct pmu_value *object,
		       const char *name, int64_t most);
/** pmu_json_double() - NaN for null */
double pmu_json_double(struct pmu_json_reader *reader, const struct pmu_value *object,
		       const char *name);
const struct pmu_value *pmu_json_object(struct pmu_json_reader *reader,
					const struct pmu_value *object, const char *name);
const struct pmu_value *pmu_json_list(struct pmu_json_reader *reader,
				      const struct pmu_value *object, const char *name);
/** pmu_json_element() - element @i of a list called @name, which must be an object;
 * complaints name it from here on */
const struct pmu_value *pmu_json_element(struct pmu_json_reader *reader,
					 const struct pmu_value *list, size_t i, const char *name);

/*
 * The report's parts into the model.  Regions need the threads and the groups; doubts
 * come when the model is finished.
 */

/** pmu_json_read_head() - what ran, when, where */
void pmu_json_read_head(struct pmu_json_reader *reader, const struct pmu_value *root);
/** pmu_json_read_end() - how a command that `pmu run` started has ended; @object: of that alone */
void pmu_json_read_end(struct pmu_json_reader *reader, const struct pmu_value *object,
		       struct pmu_model_run *run);
/** pmu_json_read_parts() - the processes that it is of, where it is of several */
void pmu_json_read_parts(struct pmu_json_reader *reader, const struct pmu_value *root);
/**
 * pmu_json_read_part() - "part" of a thread, socket or row; 0 where the report is of one process
 */
unsigned int pmu_json_read_part(struct pmu_json_reader *reader, const struct pmu_value *item);
/** pmu_json_read_socket() - a socket's number; -1 not known; PMU_MODEL_PROCESS */
int pmu_json_read_socket(struct pmu_json_reader *reader, const struct pmu_value *item);
/** pmu_json_read_remarks() - sources that were refused, and notes */
void pmu_json_read_remarks(struct pmu_json_reader *reader, const struct pmu_value *root);
void pmu_json_read_doubts(struct pmu_json_reader *reader, const struct pmu_value *root);
void pmu_json_read_threads(struct pmu_json_reader *reader, const struct pmu_value *root);
/** pmu_json_read_groups() - sections with their columns, and room for all rows */
void pmu_json_read_groups(struct pmu_json_reader *reader, const struct pmu_value *root);
/** pmu_json_read_regions() - the threads' rows */
void pmu_json_read_regions(struct pmu_json_reader *reader, const struct pmu_value *root);
/** pmu_json_read_objects() - what samples' code is in; reports that are older have none */
void pmu_json_read_objects(struct pmu_json_reader *reader, const struct pmu_value *root);
/** pmu_json_read_samples() - "samples" of a row, which has them; NULL: none, and after an error */
const struct pmu_model_samples *pmu_json_read_samples(struct pmu_json_reader *reader,
						      const struct pmu_value *item);

/** pmu_json_read_ranks() - how all is spread over ranks that made it; of a finished model */
void pmu_json_read_ranks(struct pmu_json_reader *reader, const struct pmu_value *root);

#endif
