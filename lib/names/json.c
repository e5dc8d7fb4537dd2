/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON text, value by value.
 *
 * Source: RFC 8259; a byte order mark at the front is passed over, as its section 8.1 allows.
 */
#include "names/json.h"

#include <string.h>

/* Of inside[]: what the container is, and whether it has a value yet. */
#define IN_OBJECT 1
#define HAS_VALUE 2

static enum pmu_json_kind json_fail(struct pmu_json *json, const char *error)
{
	json->error = error;
	json->key = json->value = NULL;
	json->key_len = json->len = 0;
	return PMU_JSON_END;
}

static void skip_space(struct pmu_json *json)
{
	while (json->at < json->end &&
	       (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r'))
		json->at++;
}

/* --- strings --- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of the escape at @at; 0: it is none. */
static size_t escape_length(const char *at, const char *end)
{
	if (end - at < 2)
		return 0;
	if (at[1] && strchr("\"\\/bfnrt", at[1]))
		return 2;
	if (at[1] != 'u' || end - at < 6)
		return 0;
	for (int i = 2; i < 6; i++)
		if (!is_hex(at[i]))
			return 0;
	return 6;
}

/* Bytes of the character at @at, which is not ASCII; 0: no UTF-8 (RFC 3629, section 4). */
static size_t utf8_length(const char *at, const char *end)
{
	static const struct {
		unsigned char first, last;     /* of the first byte */
		unsigned char lowest, highest; /* the second */
		unsigned char len;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	const unsigned char *byte = (const unsigned char *)at;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (byte[0] < forms[i].first || byte[0] > forms[i].last)
			continue;
		if (end - at < forms[i].len || byte[1] < forms[i].lowest ||
		    byte[1] > forms[i].highest)
			return 0;
		for (int k = 2; k < forms[i].len; k++)
			if ((byte[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].len;
	}
	return 0;
}

/* From the quote at @at to behind the other one. */
static bool read_string(struct pmu_json *json, const char **text, size_t *len)
{
	const char *at = json->at + 1;

	while (at < json->end && *at != '"') {
		unsigned char c = (unsigned char)*at;
		size_t step = 1;

		if (c == '\\')
			step = escape_length(at, json->end);
		else if (c >= 0x80)
			step = utf8_length(at, json->end);
		else if (c < 0x20)
			step = 0;
		if (!step) {
			json->at = at;
			json_fail(json, c == '\\'  ? "an escape that there is not"
					: c < 0x20 ? "a control character in a string"
						   : "a byte that is no UTF-8");
			return false;
		}
		at += step;
	}
	if (at == json->end) {
		json_fail(json, "a string without an end");
		return false;
	}
	*text = json->at + 1;
	*len = (size_t)(at - *text);
	json->at = at + 1;
	return true;
}

/* --- numbers and words --- */

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* Behind the number at @at; NULL: it is none. */
static const char *number_end(const char *at, const char *end)
{
	const char *digits;

	if (at < end && *at == '-')
		at++;
	digits = at;
	at = skip_digits(at, end);
	if (at == digits || (*digits == '0' && at > digits + 1))
		return NULL;
	if (at < end && *at == '.') {
		digits = at + 1;
		at = skip_digits(digits, end);
		if (at == digits)
			return NULL;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		digits = at + 1;
		if (digits < end && (*digits == '+' || *digits == '-'))
			digits++;
		at = skip_digits(digits, end);
		if (at == digits)
			return NULL;
	}
	return at;
}

static const char *word_end(const char *at, const char *end)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if ((size_t)(end - at) >= strlen(words[i]) &&
		    !memcmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	return NULL;
}

static enum pmu_json_kind read_bare(struct pmu_json *json)
{
	bool number = *json->at == '-' || (*json->at >= '0' && *json->at <= '9');
	const char *behind = number ? number_end(json->at, json->end)
				    : word_end(json->at, json->end);

	if (!behind)
		return json_fail(json, number ? "a number that is written wrongly" : "no value");
	json->value = json->at;
	json->len = (size_t)(behind - json->at);
	json->at = behind;
	return number ? PMU_JSON_NUMBER : PMU_JSON_WORD;
}

/* --- the walk --- */

static enum pmu_json_kind enter_nested(struct pmu_json *json, bool object)
{
	if (json->depth == PMU_JSON_DEPTH_MAX)
		return json_fail(json, "objects and arrays too deep in each other");
	json->inside[json->depth++] = object ? IN_OBJECT : 0;
	json->at++;
	return object ? PMU_JSON_OBJECT : PMU_JSON_ARRAY;
}

static enum pmu_json_kind leave_nested(struct pmu_json *json, bool object)
{
	json->depth--;
	json->at++;
	return object ? PMU_JSON_OBJECT_END : PMU_JSON_ARRAY_END;
}

static enum pmu_json_kind read_json_value(struct pmu_json *json)
{
	if (json->at == json->end)
		return json_fail(json, "the text ends where a value should stand");
	if (*json->at == '{' || *json->at == '[')
		return enter_nested(json, *json->at == '{');
	if (*json->at != '"')
		return read_bare(json);
	return read_string(json, &json->value, &json->len) ? PMU_JSON_STRING : PMU_JSON_END;
}

static bool read_json_key(struct pmu_json *json)
{
	if (json->at == json->end || *json->at != '"') {
		json_fail(json, "no name of a member");
		return false;
	}
	if (!read_string(json, &json->key, &json->key_len))
		return false;
	skip_space(json);
	if (json->at == json->end || *json->at != ':') {
		json_fail(json, "no colon behind a member's name");
		return false;
	}
	json->at++;
	skip_space(json);
	return true;
}

static enum pmu_json_kind next_inside(struct pmu_json *json)
{
	unsigned char *inside = &json->inside[json->depth - 1];
	bool object = *inside & IN_OBJECT;

	if (json->at == json->end)
		return json_fail(json,
				 object ? "an object without an end" : "an array without an end");
	if (*json->at == (object ? '}' : ']'))
		return leave_nested(json, object);
	if (*inside & HAS_VALUE) {
		if (*json->at != ',')
			return json_fail(json, "no comma between two values");
		json->at++;
		skip_space(json);
	}
	*inside |= HAS_VALUE;
	if (object && !read_json_key(json))
		return PMU_JSON_END;
	return read_json_value(json);
}

void pmu_json_start(struct pmu_json *json, const char *text, size_t len)
{
	memset(json, 0, sizeof(*json));
	if (!len)
		text = "";
	json->text = json->at = text;
	json->end = text + len;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		json->at += 3;
}

enum pmu_json_kind pmu_json_next(struct pmu_json *json)
{
	json->key = json->value = NULL;
	json->key_len = json->len = 0;
	if (json->error)
		return PMU_JSON_END;
	skip_space(json);
	if (json->depth)
		return next_inside(json);
	if (!json->begun) {
		json->begun = true;
		return read_json_value(json);
	}
	if (json->at != json->end)
		return json_fail(json, "something behind the end");
	return PMU_JSON_END;
}

void pmu_json_skip(struct pmu_json *json)
{
	unsigned int depth = json->depth;

	while (depth && json->depth >= depth && pmu_json_next(json) != PMU_JSON_END)
		;
}

/* --- reading a string --- */

static unsigned int hex_value(char c)
{
	return c <= '9' ? (unsigned int)(c - '0') : ((unsigned int)c | 0x20) - 'a' + 10;
}

static unsigned int four_hex(const char *at)
{
	return hex_value(at[0]) << 12 | hex_value(at[1]) << 8 | hex_value(at[2]) << 4 |
	       hex_value(at[3]);
}

/*
 * \uXXXX, with its other half where it is one; halves alone and U+0000, which would end the text,
 * are U+FFFD.
 */
static unsigned int read_unicode(const char **at, const char *end)
{
	unsigned int code = four_hex(*at + 2), low;

	*at += 6;
	if (code >= 0xd800 && code <= 0xdbff && end - *at >= 6 && (*at)[0] == '\\' &&
	    (*at)[1] == 'u') {
		low = four_hex(*at + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*at += 6;
			return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return !code || (code >= 0xd800 && code <= 0xdfff) ? 0xfffd : code;
}

static size_t write_utf8(unsigned int code, char *out)
{
	unsigned int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };

	for (unsigned int i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(first[n] | code);
	return n;
}

/* One character at @at into @c.  Return: its bytes there. */
static size_t read_character(const char **at, const char *end, char c[4])
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	size_t len = 1;

	if (**at != '\\') {
		if ((unsigned char)**at >= 0x80)
			len = utf8_length(*at, end);
		memcpy(c, *at, len);
		*at += len;
		return len;
	}
	if ((*at)[1] == 'u')
		return write_utf8(read_unicode(at, end), c);
	c[0] = meant[strchr(letters, (*at)[1]) - letters];
	*at += 2;
	return 1;
}

bool pmu_json_string(const struct pmu_json *json, char *out, size_t size)
{
	const char *at = json->value, *end = at + json->len;
	size_t used = 0;

	if (!size)
		return false;
	while (at < end) {
		char c[4];
		size_t len = read_character(&at, end, c);

		if (used + len >= size) {
			out[used] = '\0';
			return false;
		}
		memcpy(out + used, c, len);
		used += len;
	}
	out[used] = '\0';
	return true;
}

unsigned int pmu_json_line(const struct pmu_json *json)
{
	unsigned int line = 1;

	for (const char *at = json->text; at < json->at; at++)
		line += *at == '\n';
	return line;
}
