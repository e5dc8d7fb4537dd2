/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of any origin as valid UTF-8, and numbers whatever the program's locale. */
#ifndef PMU_REPORT_ENCODE_H
#define PMU_REPORT_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/*
 * All writers show a byte that is not part of valid UTF-8 as the four characters \xNN
 * (lower case). So that this can be undone, a backslash that stands before "x" and two
 * such digits becomes \x5c. What a format must not have is shown in the same way, each of its
 * bytes: pmu_decode() brings the text back.
 */

/** pmu_utf8_next() - bytes of the character at @text; 0 for an invalid one or NUL */
size_t pmu_utf8_next(const char *text);

/** pmu_utf8_width() - characters in valid UTF-8 */
size_t pmu_utf8_width(const char *text);

/** pmu_encode_plain() - append valid UTF-8; NULL is "" */
void pmu_encode_plain(struct pmu_strbuf *out, const char *text);

/**
 * pmu_encode_line() - for a terminal or a log: also control characters, and others that cannot be seen or change the
 * text's direction, as \n, \t or \xNN; no line that begins with it is a workflow command
 */
void pmu_encode_line(struct pmu_strbuf *out, const char *text);

/** pmu_begins_command() - would a line that begins with @text be a workflow command?  Then it is not broken there. */
bool pmu_begins_command(const char *text);

/** pmu_encode_json() - a JSON string with its quotes */
void pmu_encode_json(struct pmu_strbuf *out, const char *text);

/**
 * pmu_encode_csv() - a cell, in quotes where RFC 4180 asks for them; the same characters as \xNN, and so the first one
 * of "=", "+", "-" and "@" that it begins with, or a spreadsheet would take it for a formula
 */
void pmu_encode_csv(struct pmu_strbuf *out, const char *text);

/**
 * pmu_encode_double() - as few digits as come back as the same number, with a '.', as "%g" writes
 * it
 * Return: 0; -1 for NaN and infinities, which append nothing.
 */
int pmu_encode_double(struct pmu_strbuf *out, double value);

/** pmu_encode_u64() - decimal */
void pmu_encode_u64(struct pmu_strbuf *out, uint64_t value);

/** pmu_decode() - undo \xNN in place (for what reads a report).  Return: the new length.
 */
size_t pmu_decode(char *text);

#endif
