/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks through a JSON text without building anything: for large files inside a measured program.
 */
#ifndef PMU_NAMES_JSON_H
#define PMU_NAMES_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum pmu_json_kind {
	PMU_JSON_END,    /* of the text, or an error */
	PMU_JSON_OBJECT, /* { was read */
	PMU_JSON_OBJECT_END,
	PMU_JSON_ARRAY,
	PMU_JSON_ARRAY_END,
	PMU_JSON_STRING,
	PMU_JSON_NUMBER,
	PMU_JSON_WORD, /* true, false, null */
};

#define PMU_JSON_DEPTH_MAX 32

struct pmu_json {
	const char *text, *at, *end;
	unsigned int depth;
	unsigned char inside[PMU_JSON_DEPTH_MAX]; /* of the walker, like: */
	bool begun;
	/* Of the value that pmu_json_next() has come to: */
	const char *key; /* its member's name, raw; NULL in an array */
	size_t key_len;
	const char *value; /* STRING without its quotes, NUMBER, WORD: raw */
	size_t len;
	const char *error; /* NULL; what is wrong at @at */
};

/** pmu_json_start() - @text need not end in NUL */
void pmu_json_start(struct pmu_json *json, const char *text, size_t len);

/**
 * pmu_json_next() - the next value, or the end of an object or array.  END after an error, for
 * ever.
 */
enum pmu_json_kind pmu_json_next(struct pmu_json *json);

/** pmu_json_skip() - to the end of the object or array that has just begun */
void pmu_json_skip(struct pmu_json *json);

/**
 * pmu_json_string() - a STRING's text with its escapes undone, NUL-terminated
 * @out: may be where the string itself stands, with room for @len + 1: undone, it is never longer
 * @size: of @out; the text is cut there, between two characters
 *
 * \u0000 and halves of surrogate pairs are U+FFFD.
 *
 * Return: whether all fit.
 */
bool pmu_json_string(const struct pmu_json *json, char *out, size_t size);

/** pmu_json_line() - number of the line where the walker is, from 1 */
unsigned int pmu_json_line(const struct pmu_json *json);

#endif
