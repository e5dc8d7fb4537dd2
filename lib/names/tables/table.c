/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads tables of events.
 *
 * A table says what is not as in the one that it stands upon.  All are in the order of units and
 * names, so that a table is read as a merge of its own lines and theirs, without anything kept.
 */
#include "names/tables/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/spelling.h"

#define MAX_DEPTH    4
#define NAME_LEN_MAX 160
#define UNIT_LEN_MAX 32
#define WORD_LEN_MAX 160
#define LAST_GENERAL 31
#define LAST_FIXED   31
#define SHOWN        80

/* --- tables by name --- */

bool pmu_table_find(const char *name, struct pmu_table *table)
{
	for (const struct pmu_table_place *place = pmu_table_place; place->name[0]; place++)
		if (!strcmp(place->name, name)) {
			*table = (struct pmu_table){ .name = place->name,
						     .text = pmu_table_text + place->at,
						     .len = place->len };
			return true;
		}
	return false;
}

/* --- lines --- */

/* A word or a line: a stretch of the text. */
struct span {
	const char *at;
	size_t len;
};

/* Cuts what is in front of the next @separator off. */
static struct span take_span(struct span *rest, char separator)
{
	const char *end = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
	struct span word = { rest->at, end ? (size_t)(end - rest->at) : rest->len };
	size_t gone = word.len + !!end;

	rest->at += gone;
	rest->len -= gone;
	return word;
}

/* One table while it is read, at one of its lines. */
struct stream {
	struct pmu_table table;
	struct span rest, words; /* behind the line; of the line behind its name */
	unsigned int line;
	bool ended, removed;
	struct span usual; /* counters of events that name none */
	char unit[UNIT_LEN_MAX], name[NAME_LEN_MAX];
};

static int wrong_table_line(const struct stream *stream, const char *what)
{
	return pmu_fail(EINVAL, "table %s:%u: %s", stream->table.name, stream->line, what);
}

static bool copy(char *to, size_t size, size_t at, struct span from)
{
	if (from.len >= size - at)
		return false;
	memcpy(to + at, from.at, from.len);
	to[at + from.len] = '\0';
	return true;
}

/* ".ANY" goes on with what the name before has up to its dot. */
static bool read_name(struct stream *stream, struct span word)
{
	size_t group = word.len && word.at[0] == '.' ? strcspn(stream->name, ".") : 0;

	return word.len && copy(stream->name, sizeof(stream->name), group, word);
}

/* "[CHA]" */
static bool read_unit(struct stream *stream, struct span line)
{
	struct span name = { line.at + 1, line.len - 2 };

	stream->name[0] = '\0';
	return line.len >= 2 && line.at[line.len - 1] == ']' &&
	       copy(stream->unit, sizeof(stream->unit), 0, name);
}

/* On to the next event, or one that is taken away. */
static int next_stream_event(struct stream *stream)
{
	while (stream->rest.len) {
		struct span line = take_span(&stream->rest, '\n'), word;

		stream->line++;
		if (!line.len || line.at[0] == '#' || line.at[0] == '=')
			continue;
		if (line.at[0] == '[') {
			if (!read_unit(stream, line))
				return wrong_table_line(stream, "no unit");
			continue;
		}
		word = take_span(&line, ' ');
		if (word.at[0] == '*') {
			stream->usual = line;
			continue;
		}
		stream->removed = word.len == 1 && word.at[0] == '-';
		if (stream->removed)
			word = take_span(&line, ' ');
		stream->words = line;
		return read_name(stream, word) ? 0 : wrong_table_line(stream, "no name");
	}
	stream->ended = true;
	return 0;
}

/* --- events --- */

static bool read_digits(const char *text, size_t len, unsigned int base, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned int digit = text[i] >= '0' && text[i] <= '9'
					     ? (unsigned int)(text[i] - '0')
				     : text[i] >= 'a' && text[i] <= 'f'
					     ? (unsigned int)(text[i] - 'a') + 10
					     : base;

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return len;
}

static bool read_hex_word(struct span word, uint64_t *value)
{
	return read_digits(word.at, word.len, 16, value);
}

/* "0-3,5" */
static bool read_counter_list(struct span list, uint64_t *counters)
{
	*counters = 0;
	while (list.len) {
		struct span to = take_span(&list, ','), from = take_span(&to, '-');
		uint64_t first, last;

		if (!read_digits(from.at, from.len, 10, &first))
			return false;
		last = first;
		if ((to.len && !read_digits(to.at, to.len, 10, &last)) || last > LAST_GENERAL ||
		    first > last)
			return false;
		for (; first <= last; first++)
			*counters |= UINT64_C(1) << first;
	}
	return true;
}

/* Words of a letter and a number, and of a letter alone. */
static const struct {
	char letter;
	size_t offset;
} numbers[] = {
	{ 'x', offsetof(struct pmu_vendor_entry, umask_ext) },
	{ 'c', offsetof(struct pmu_vendor_entry, cmask) },
	{ 'p', offsetof(struct pmu_vendor_entry, port_mask) },
	{ 'h', offsetof(struct pmu_vendor_entry, fc_mask) },
	{ 's', offsetof(struct pmu_vendor_entry, ext_sel) },
	{ 'v', offsetof(struct pmu_vendor_entry, filter_value) },
	{ 'w', offsetof(struct pmu_vendor_entry, rd_wr_mask) },
	{ 'n', offsetof(struct pmu_vendor_entry, slice) },
	{ 'y', offsetof(struct pmu_vendor_entry, thread_mask) },
}, flags[] = {
	{ 'i', offsetof(struct pmu_vendor_entry, invert) },
	{ 'e', offsetof(struct pmu_vendor_entry, edge) },
	{ 't', offsetof(struct pmu_vendor_entry, any) },
	{ 'q', offsetof(struct pmu_vendor_entry, equal) },
	{ 'd', offsetof(struct pmu_vendor_entry, deprecated) },
	{ 'u', offsetof(struct pmu_vendor_entry, fixed_uncore) },
	{ 'a', offsetof(struct pmu_vendor_entry, all_slices) },
	{ 'b', offsetof(struct pmu_vendor_entry, all_cores) },
	{ 'g', offsetof(struct pmu_vendor_entry, whole) },
};

/* "1a6:3f80408000": a second register and what is in it */
static bool read_extra(struct span value, struct pmu_vendor_entry *entry)
{
	return read_hex_word(take_span(&value, ':'), &entry->msr_index) &&
	       read_hex_word(value, &entry->msr_value);
}

static bool read_fixed(struct span value, struct pmu_vendor_entry *entry)
{
	uint64_t n;

	if (!read_digits(value.at, value.len, 10, &n) || n > LAST_FIXED)
		return false;
	entry->fixed = (int)n;
	return true;
}

/* What is text in an event's words. */
struct texts {
	struct span filter, errata;
};

static bool read_word(struct span word, struct pmu_vendor_entry *entry, struct texts *texts)
{
	struct span value = { word.at + 1, word.len - 1 };

	for (size_t i = 0; i < PMU_ARRAY_LEN(numbers); i++)
		if (word.at[0] == numbers[i].letter)
			return read_hex_word(
				value, (uint64_t *)(void *)((char *)entry + numbers[i].offset));
	for (size_t i = 0; i < PMU_ARRAY_LEN(flags); i++)
		if (word.at[0] == flags[i].letter && word.len == 1)
			return *(bool *)(void *)((char *)entry + flags[i].offset) = true;
	switch (word.at[0]) {
	case 'k':
		return read_counter_list(value, &entry->counters);
	case 'f':
		return read_fixed(value, entry);
	case 'm':
		return read_extra(value, entry);
	case 'r':
		entry->counter_type = "FREERUN";
		return word.len == 1;
	case 'F':
		texts->filter = value;
		return value.len;
	case 'E':
		texts->errata = value;
		return value.len;
	default:
		return false;
	}
}

/* Counters as they are for most, unless the words say others. */
static bool read_usual(const struct stream *stream, struct pmu_vendor_entry *entry)
{
	struct span list = stream->usual;

	if (!list.len)
		return true;
	return take_span(&list, 'k').len == 0 && read_counter_list(list, &entry->counters);
}

static int read_table_event(const struct stream *stream, struct pmu_vendor_entry *entry,
			    struct texts *texts)
{
	struct span words = stream->words;

	*entry = (struct pmu_vendor_entry){ .about = "",
					    .filter = "",
					    .counter_type = "",
					    .errata = "",
					    .fixed = -1,
					    .at = stream->line };
	*texts = (struct texts){ .filter = { .len = 0 } };
	if (!read_hex_word(take_span(&words, ' '), &entry->code) ||
	    !read_hex_word(take_span(&words, ' '), &entry->umask))
		return wrong_table_line(stream, "no code and mask");
	if (!read_usual(stream, entry))
		return wrong_table_line(stream, "no counters");
	while (words.len) {
		struct span word = take_span(&words, ' ');

		if (!word.len || !read_word(word, entry, texts))
			return wrong_table_line(stream, "a word that is none");
	}
	return 0;
}

/* --- a table over others --- */

/* The names of those below, from the heads of the tables. */
static int open_streams(const char *name, pmu_table_find_fn *find, struct stream *stream)
{
	char base[WORD_LEN_MAX];
	int n = 0;

	snprintf(base, sizeof(base), "%s", name);
	for (; base[0]; n++) {
		struct span rest;

		if (n == MAX_DEPTH)
			return pmu_fail(EINVAL, "table %s stands upon more than %d", name,
					MAX_DEPTH - 1);
		memset(&stream[n], 0, sizeof(stream[n]));
		if (!find(base, &stream[n].table))
			return pmu_fail(EINVAL, "there is no table %.*s", SHOWN, base);
		rest = stream[n].rest = (struct span){ stream[n].table.text, stream[n].table.len };
		base[0] = '\0';
		while (rest.len && (rest.at[0] == '#' || rest.at[0] == '=')) {
			struct span line = take_span(&rest, '\n');
			struct span upon = { line.at + 2, line.len - 2 };

			if (line.at[0] == '=' &&
			    (line.len < 3 || !copy(base, sizeof(base), 0, upon)))
				return wrong_table_line(&stream[n], "no table to stand upon");
		}
	}
	return n;
}

static int compare_streams(const struct stream *a, const struct stream *b)
{
	int order = strcmp(a->unit, b->unit);

	return order ? order : strcmp(a->name, b->name);
}

/*
 * The stream that is at the first event; of several at that event, the uppermost.  NULL: all have
 * ended.
 */
static struct stream *first_of(struct stream *stream, int n)
{
	struct stream *first = NULL;

	for (int i = 0; i < n; i++)
		if (!stream[i].ended && (!first || compare_streams(&stream[i], first) < 0))
			first = &stream[i];
	return first;
}

/* Past the event that @first is at, in all that have it. */
static int skip_stream_event(struct stream *stream, int n, const struct stream *first)
{
	bool same[MAX_DEPTH];
	int rc = 0;

	for (int i = 0; i < n; i++)
		same[i] = !stream[i].ended && !compare_streams(&stream[i], first);
	for (int i = 0; i < n && !rc; i++)
		if (same[i])
			rc = next_stream_event(&stream[i]);
	return rc;
}

typedef int visit_fn(void *arg, const struct stream *stream);

static int walk_streams(const char *name, pmu_table_find_fn *find, const char *text,
			visit_fn *visit, void *arg)
{
	struct stream stream[MAX_DEPTH], *first;
	int n = open_streams(name, find, stream), rc = n < 0 ? n : 0;

	for (int i = 0; i < n && !rc; i++)
		rc = next_stream_event(&stream[i]);
	while (!rc && (first = first_of(stream, n))) {
		if (!first->removed && (!text || pmu_spelling_may_be(text, first->name)))
			rc = visit(arg, first);
		if (!rc)
			rc = skip_stream_event(stream, n, first);
	}
	return rc;
}

/* --- into memory --- */

/* How much there is, and then where it goes. */
struct filling {
	struct pmu_vendor_file *file;
	size_t n_text;
	char *text; /* NULL while it is counted */
	uint8_t core_type;
	const char *unit;
};

static const char *keep_span(struct filling *filling, const char *text, size_t len)
{
	char *to = filling->text;

	memcpy(to, text, len);
	to[len] = '\0';
	filling->text += len + 1;
	return to;
}

static int count(void *arg, const struct stream *stream)
{
	struct filling *filling = arg;
	struct pmu_vendor_entry entry;
	struct texts texts;
	int rc = read_table_event(stream, &entry, &texts);

	if (rc)
		return rc;
	if (filling->file->n == PMU_VENDOR_MAX_EVENTS)
		return wrong_table_line(stream, "too many events");
	filling->file->n++;
	filling->n_text += strlen(stream->name) + strlen(stream->unit) + texts.filter.len +
			   texts.errata.len + 4;
	return 0;
}

static int fill_table_entry(void *arg, const struct stream *stream)
{
	struct filling *filling = arg;
	struct pmu_vendor_entry *entry = &filling->file->entry[filling->file->n++];
	struct texts texts;
	int rc = read_table_event(stream, entry, &texts);

	entry->file = filling->file;
	entry->core_type = filling->core_type;
	entry->name = keep_span(filling, stream->name, strlen(stream->name));
	if (!filling->unit || strcmp(filling->unit, stream->unit))
		filling->unit = keep_span(filling, stream->unit, strlen(stream->unit));
	entry->unit = filling->unit;
	if (texts.filter.len)
		entry->filter = keep_span(filling, texts.filter.at, texts.filter.len);
	if (texts.errata.len)
		entry->errata = keep_span(filling, texts.errata.at, texts.errata.len);
	return rc;
}

int pmu_table_read(const char *name, pmu_table_find_fn *find, const char *text, uint8_t core_type,
		   struct pmu_vendor_file *file)
{
	struct filling filling = { .file = file, .core_type = core_type };
	int rc = walk_streams(name, find, text, count, &filling);

	if (rc)
		return rc;
	file->text = filling.text = malloc(filling.n_text + 1);
	file->entry = calloc((size_t)file->n + 1, sizeof(*file->entry));
	if (!file->text || !file->entry)
		return pmu_fail(ENOMEM, "no memory for the events of %.*s", SHOWN, name);
	file->n = 0;
	file->zero_based = file->is_table = true;
	return walk_streams(name, find, text, fill_table_entry, &filling);
}
