/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the file of ceilings; its schema stands in bench/ceilings/json.c. */
#include "bindings/command/roofline/ceilings.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/textfile.h"
#include "bindings/command/json/value.h"
#include "bindings/command/roofline/place.h"

#define SCHEMA      1
#define MAX_FILE    (((size_t)1 << 20) - 1) /* bytes: a real one has 8 KiB */
#define MAX_RATE    1e18                    /* a second, which nothing reaches */
#define MAX_THREADS 1000000
#define MAX_BITS    65536
#define MAX_NUMBERS 1000

struct reader {
	const char *where;
	int rc; /* the first error */
};

static void complain(struct reader *reader, const char *name)
{
	if (!reader->rc)
		reader->rc = pmu_fail(
			EINVAL,
			"not ceilings of pmu-bench: %s: \"%s\" is missing or makes no sense",
			reader->where, name);
}

/* Cut where there is no room. */
static void take_member_text(struct reader *reader, const struct pmu_value *object,
			     const char *name, char *out, size_t size)
{
	const char *text = pmu_value_text(pmu_value_member(object, name));

	if (!text || !*text)
		complain(reader, name);
	snprintf(out, size, "%s", text ? text : "");
}

static int64_t take_integer(struct reader *reader, const struct pmu_value *value, const char *name,
			    int64_t least, int64_t most)
{
	int64_t integer = pmu_value_integer(value);

	if (pmu_value_is(value, PMU_VALUE_INTEGER) && integer >= least && integer <= most)
		return integer;
	complain(reader, name);
	return least;
}

static double take_rate(struct reader *reader, const struct pmu_value *rates, size_t i)
{
	const struct pmu_value *median = pmu_value_member(pmu_value_at(rates, i), "median");
	double rate = pmu_value_number(median);

	if ((pmu_value_is(median, PMU_VALUE_INTEGER) || pmu_value_is(median, PMU_VALUE_REAL)) &&
	    rate > 0 && rate <= MAX_RATE)
		return rate;
	complain(reader, "median");
	return 1;
}

static struct pmu_ceilings_rate take_rates(struct reader *reader, const struct pmu_value *object)
{
	const struct pmu_value *rates = pmu_value_member(object, "rates");

	return (struct pmu_ceilings_rate){ take_rate(reader, rates, 0),
					   take_rate(reader, rates, 1) };
}

/* Return: how many; no more than there is room for. */
static unsigned int list_of(struct reader *reader, const struct pmu_value *root, const char *name,
			    size_t most, const struct pmu_value **list)
{
	size_t n;

	reader->where = name;
	*list = pmu_value_member(root, name);
	n = pmu_value_size(*list);
	if (!pmu_value_is(*list, PMU_VALUE_LIST) || n > most)
		complain(reader, name);
	return n > most ? 0 : (unsigned int)n;
}

/* --- the parts --- */

static void read_ceilings_head(struct reader *reader, const struct pmu_value *root,
			       struct pmu_ceilings *ceilings)
{
	const struct pmu_value *threads = pmu_value_member(root, "threads");
	const struct pmu_value *disturbed = pmu_value_member(root, "disturbed");

	take_member_text(reader, root, "machine", ceilings->machine, sizeof(ceilings->machine));
	take_member_text(reader, root, "host", ceilings->host, sizeof(ceilings->host));
	take_member_text(reader, root, "cpu", ceilings->cpu, sizeof(ceilings->cpu));
	ceilings->unix_s = take_integer(reader, pmu_value_member(root, "unix_s"), "unix_s", 0,
					INT64_MAX / 1000000000);
	take_integer(reader, pmu_value_at(threads, 0), "threads", 1, 1);
	ceilings->threads = (unsigned int)take_integer(reader, pmu_value_at(threads, 1), "threads",
						       1, MAX_THREADS);
	if (disturbed)
		ceilings->disturbed = (unsigned int)take_integer(reader, disturbed, "disturbed", 0,
								 MAX_NUMBERS);
}

static void read_flops(struct reader *reader, const struct pmu_value *root,
		       struct pmu_ceilings *ceilings)
{
	static const char *const precisions[] = {
		[PMU_DOUBLE] = "double", [PMU_SINGLE] = "single"
	};
	const struct pmu_value *list;

	ceilings->n_flops = list_of(reader, root, "flops", PMU_CEILINGS_MAX_FLOPS, &list);
	for (unsigned int i = 0; i < ceilings->n_flops; i++) {
		const struct pmu_value *item = pmu_value_at(list, i);
		const char *precision = pmu_value_text(pmu_value_member(item, "precision"));
		struct pmu_ceilings_flops *flops = &ceilings->flops[i];

		if (precision && !strcmp(precision, precisions[PMU_SINGLE]))
			flops->precision = PMU_SINGLE;
		else if (!precision || strcmp(precision, precisions[PMU_DOUBLE]) != 0)
			complain(reader, "precision");
		flops->vector_bits = (unsigned int)take_integer(
			reader, pmu_value_member(item, "vector_bits"), "vector_bits", 0, MAX_BITS);
		flops->rate = take_rates(reader, item);
	}
}

static void read_levels(struct reader *reader, const struct pmu_value *root,
			struct pmu_ceilings *ceilings)
{
	const struct pmu_value *list;

	ceilings->n_levels = list_of(reader, root, "levels", PMU_CEILINGS_MAX_LEVELS, &list);
	for (unsigned int i = 0; i < ceilings->n_levels; i++) {
		const struct pmu_value *item = pmu_value_at(list, i);
		const struct pmu_value *bytes = pmu_value_member(item, "cache_bytes");
		const struct pmu_value *moves = pmu_value_member(item, "moves");
		struct pmu_ceilings_level *level = &ceilings->level[i];

		take_member_text(reader, item, "name", level->name, sizeof(level->name));
		if (!pmu_value_is(bytes, PMU_VALUE_NULL))
			level->bytes = (uint64_t)take_integer(reader, bytes, "cache_bytes", 1,
							      INT64_MAX);
		if (pmu_value_size(moves) == 0)
			complain(reader, "moves");
		for (size_t m = 0; m < pmu_value_size(moves); m++) {
			struct pmu_ceilings_rate rate = take_rates(reader, pmu_value_at(moves, m));

			level->rate.one = fmax(level->rate.one, rate.one);
			level->rate.all = fmax(level->rate.all, rate.all);
		}
	}
}

static int read_root(const struct pmu_value *root, struct pmu_ceilings *ceilings)
{
	const struct pmu_value *schema = pmu_value_member(root, "pmu_ceilings");
	struct reader reader = { .where = "the file" };

	if (!pmu_value_is(schema, PMU_VALUE_INTEGER))
		return pmu_fail(EINVAL, "not ceilings of pmu-bench: \"pmu_ceilings\" is missing");
	if (schema->integer != SCHEMA)
		return pmu_fail(ENOTSUP,
				"it is of another version of pmu-bench; 'pmu-bench --ceilings' "
				"measures again");
	read_ceilings_head(&reader, root, ceilings);
	read_flops(&reader, root, ceilings);
	read_levels(&reader, root, ceilings);
	return reader.rc;
}

int pmu_ceilings_parse(char *text, size_t len, struct pmu_ceilings *ceilings)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_value root;
	int rc = pmu_value_parse(text, len, &blocks, &root);

	*ceilings = (struct pmu_ceilings){ .threads = 0 };
	if (!rc)
		rc = read_root(&root, ceilings);
	pmu_block_free(&blocks);
	return rc;
}

/* --- the file --- */

static int read_ceilings_text(const char *path, char **text, size_t *len)
{
	int rc = pmu_textfile_read(path, MAX_FILE, text, len);

	if (rc == -ENOTSUP)
		return pmu_fail(EINVAL, "cannot read %s: it is not an ordinary file", path);
	if (rc == -EFBIG)
		return pmu_fail(EFBIG, "cannot read %s: it is too large", path);
	return rc ? pmu_fail(-rc, "cannot open %s: %s", path, strerror(-rc)) : 0;
}

int pmu_ceilings_read(const char *path, const char *host, const char *cpu,
		      struct pmu_ceilings *ceilings)
{
	char place[PATH_MAX], reason[PMU_ERROR_MAX];
	char *text;
	size_t len = 0;
	int rc;

	if (!path) {
		rc = pmu_ceilings_path(host, cpu, place, sizeof(place));
		if (rc < 0)
			return pmu_fail(ENOENT, "there is no home folder with ceilings");
		path = place;
	}
	rc = read_ceilings_text(path, &text, &len);
	if (!rc) {
		rc = pmu_ceilings_parse(text, len, ceilings);
		snprintf(reason, sizeof(reason), "%s", rc ? pmu_error_text() : "");
		if (rc)
			rc = pmu_fail(-rc, "cannot read %s: %s", path, reason);
	}
	free(text);
	return rc;
}

/* --- what they say --- */

double pmu_ceilings_of(const struct pmu_ceilings *ceilings, const struct pmu_ceilings_rate *rate,
		       unsigned int threads)
{
	if (threads >= ceilings->threads)
		return rate->all;
	return fmax(rate->one, fmin(rate->one * threads, rate->all));
}

const struct pmu_ceilings_flops *pmu_ceilings_peak(const struct pmu_ceilings *ceilings,
						   enum pmu_precision precision)
{
	const struct pmu_ceilings_flops *best = NULL;

	for (unsigned int i = 0; i < ceilings->n_flops; i++)
		if (ceilings->flops[i].precision == precision &&
		    (!best || ceilings->flops[i].rate.all > best->rate.all))
			best = &ceilings->flops[i];
	return best;
}

const struct pmu_ceilings_level *pmu_ceilings_memory(const struct pmu_ceilings *ceilings)
{
	for (unsigned int i = 0; i < ceilings->n_levels; i++)
		if (!strcmp(ceilings->level[i].name, PMU_CEILINGS_MEMORY))
			return &ceilings->level[i];
	return NULL;
}

void pmu_ceilings_flops_name(const struct pmu_ceilings_flops *flops, char *name, size_t size)
{
	char width[32] = "scalar";

	if (flops->vector_bits)
		snprintf(width, sizeof(width), "%u bits", flops->vector_bits);
	snprintf(name, size, "%s precision, %s",
		 flops->precision == PMU_SINGLE ? "single" : "double", width);
}
