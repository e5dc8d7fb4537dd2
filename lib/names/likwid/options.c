/* SPDX-License-Identifier: BSD-3-Clause */
/* Options behind a counter of LIKWID's. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/likwid/parts.h"

static const struct {
	const char *name;
	size_t offset; /* of a bool */
} flags[] = {
	{ "EDGEDETECT", offsetof(struct pmu_likwid_options, edge) },
	{ "INVERT", offsetof(struct pmu_likwid_options, invert) },
	{ "KERNEL", offsetof(struct pmu_likwid_options, kernel) },
	{ "ANYTHREAD", offsetof(struct pmu_likwid_options, any_thread) },
	{ "IN_TRANS", offsetof(struct pmu_likwid_options, in_tx) },
	{ "IN_TRANS_ABORTED", offsetof(struct pmu_likwid_options, in_tx_cp) },
};

static const struct {
	const char *name;
	unsigned int largest;
	size_t offset; /* of an unsigned int */
} numbers[] = {
	{ "THRESHOLD", 0xff, offsetof(struct pmu_likwid_options, threshold) },
	{ "STATE", 0x3ff, offsetof(struct pmu_likwid_options, state) },
	{ "MATCH0", 0xffff, offsetof(struct pmu_likwid_options, match0) },
	{ "MATCH1", 0x3fffff, offsetof(struct pmu_likwid_options, match1) },
};

/* LIKWID's options for registers that are not set here. */
static const char *const filters[] = {
	"OPCODE",     "MATCH2", "MATCH3", "MASK0",    "MASK1",      "MASK2",      "MASK3",
	"NID",        "TID",    "CID",    "SLICE",    "OCCUPANCY",  "OCC_FILTER", "OCC_EDGEDETECT",
	"OCC_INVERT", "CONFIG", "UMASK",  "PERF_PID", "PERF_FLAGS",
};

static bool option_is(struct pmu_likwid_span word, const char *name)
{
	return word.len == strlen(name) && !strncasecmp(word.at, name, word.len);
}

/* Always hexadecimal, 0x or not. */
static bool read_hex_option(struct pmu_likwid_span text, unsigned int largest, unsigned int *value)
{
	if (text.len > 2 && text.at[0] == '0' && (text.at[1] == 'x' || text.at[1] == 'X'))
		text.at += 2, text.len -= 2;
	*value = 0;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0 || *value > largest >> 4)
			return false;
		*value = *value << 4 | (unsigned int)digit;
	}
	return text.len && *value <= largest;
}

static int read_option(struct pmu_likwid_span text, struct pmu_likwid_options *options)
{
	const char *equals = memchr(text.at, '=', text.len);
	struct pmu_likwid_span name = { text.at, equals ? (size_t)(equals - text.at) : text.len };
	struct pmu_likwid_span value = { equals ? equals + 1 : NULL,
					 equals ? text.len - name.len - 1 : 0 };

	for (size_t i = 0; i < PMU_ARRAY_LEN(flags); i++) {
		if (!option_is(name, flags[i].name))
			continue;
		if (equals)
			return pmu_fail(EINVAL, "the option %s has no value", flags[i].name);
		*((bool *)(void *)((char *)options + flags[i].offset)) = true;
		return 0;
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(numbers); i++) {
		if (!option_is(name, numbers[i].name))
			continue;
		if (read_hex_option(value, numbers[i].largest,
				    (unsigned int *)(void *)((char *)options + numbers[i].offset)))
			return 0;
		return pmu_fail(EINVAL, "%s is 0x0 to 0x%x, not \"%.*s\"", numbers[i].name,
				numbers[i].largest, PMU_LIKWID_SHOW(value));
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(filters); i++)
		if (option_is(name, filters[i]))
			return pmu_fail(ENOTSUP,
					"the option %s is for registers that are not set here; an "
					"uncore event takes :config1=0x..",
					filters[i]);
	return pmu_fail(EINVAL, "there is no option \"%.*s\"", PMU_LIKWID_SHOW(name));
}

int pmu_likwid_options(struct pmu_likwid_span text, struct pmu_likwid_options *options)
{
	*options = (struct pmu_likwid_options){ .edge = false };
	while (text.len) {
		struct pmu_likwid_span one = { text.at + 1, text.len - 1 };
		const char *colon = memchr(one.at, ':', one.len);
		int rc;

		one.len = colon ? (size_t)(colon - one.at) : one.len;
		rc = read_option(one, options);
		if (rc)
			return rc;
		text.at += one.len + 1;
		text.len -= one.len + 1;
	}
	return 0;
}
