/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking through JSON texts, good ones and bad ones. */
#include "names/json.h"

#include "unit/part.h"

static struct pmu_json json;

/* In memory that ends where the text does. */
static char *start(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	memcpy(copy, text, len);
	pmu_json_start(&json, copy, len);
	return copy;
}

/* The tokens of a walk, a letter each; '!' an error. */
static const char *walk(const char *text, size_t len)
{
	static const char letters[] = {
		[PMU_JSON_OBJECT] = '{',    [PMU_JSON_OBJECT_END] = '}', [PMU_JSON_ARRAY] = '[',
		[PMU_JSON_ARRAY_END] = ']', [PMU_JSON_STRING] = 's',     [PMU_JSON_NUMBER] = 'n',
		[PMU_JSON_WORD] = 'w',
	};
	static char trace[256];
	char *copy = start(text, len);
	enum pmu_json_kind kind;
	size_t n = 0;

	while ((kind = pmu_json_next(&json)) != PMU_JSON_END && n + 2 < sizeof(trace))
		trace[n++] = letters[kind];
	if (json.error)
		trace[n++] = '!';
	trace[n] = '\0';
	if (pmu_json_next(&json) != PMU_JSON_END)
		strcpy(trace, "goes on behind the end");
	free(copy);
	return trace;
}

static void walks(const char *text, const char *want)
{
	is_str(walk(text, strlen(text)), want, text);
}

static void good_texts(void)
{
	walks("{}", "{}");
	walks(" [ ] ", "[]");
	walks("\"a\"", "s");
	walks("17", "n");
	walks("\t\r\n null \n", "w");
	walks("{\"a\": 1, \"b\": [true, false, null], \"c\": {\"d\": \"e\"}}", "{n[www]{s}}");
	walks("[[], [[]], {}]", "[[][[]]{}]");
	walks("[0, -0, 10, 0.5, -1.25, 1e3, 2E+4, 3.5e-7, 123456789012345678901234567890]",
	      "[nnnnnnnnn]");
	walks("\xef\xbb\xbf{\"a\": \"b\"}", "{s}");
	walks("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\", \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"]",
	      "[ss]");
}

static void bad_texts(void)
{
	static const char *const bad[] = {
		"",
		" ",
		"\xef\xbb\xbf",
		"{",
		"[",
		"}",
		"]",
		"{]",
		"[}",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1,,2]",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\" 1}",
		"{\"a\":1,}",
		"{,}",
		"{a:1}",
		"{1:2}",
		"{\"a\":1 \"b\":2}",
		"{'a':1}",
		"1 2",
		"{} {}",
		"[] x",
		"01",
		"-",
		"+1",
		".5",
		"1.",
		"1e",
		"1e+",
		"-x",
		"0x10",
		"1.e5",
		"--1",
		"tru",
		"nul",
		"True",
		"NaN",
		"Infinity",
		"\"",
		"\"a",
		"\"\\\"",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u12g4\"",
		"\"\\",
		"\"a\nb\"",
		"\"a\tb\"",
		"\"\x80\"",
		"\"\xc0\xaf\"",
		"\"\xe0\x80\xaf\"",
		"\"\xed\xa0\x80\"",
		"\"\xf4\x90\x80\x80\"",
		"\"\xff\"",
		"\"\xc3\"",
		"\"\xe2\x82\"",
		"\"\xf0\x9f\x98\"",
		"/* c */ 1",
		"[1] // c",
		"\xef\xbb[]",
		"\xfe\xff",
	};
	size_t n = sizeof(bad) / sizeof(bad[0]);

	for (size_t i = 0; i < n; i++) {
		const char *trace = walk(bad[i], strlen(bad[i]));

		if (!ok(strchr(trace, '!'), "refused: %s", bad[i][0] == '\n' ? "newline" : bad[i]))
			diag("walked: %s", trace);
	}
	ok(strchr(walk("[1]\0", 4), '!'), "a NUL behind the end is refused");
	ok(strchr(walk("\"a\0b\"", 5), '!'), "a NUL in a string is refused");
	ok(strchr(walk("\"\\\0\"", 4), '!'), "an escaped NUL is refused");
}

/* Every prefix of a text ends in an error or is the whole of it. */
static void is_cut_anywhere(void)
{
	static const char text[] =
		"{\"a\": [1.5e3, \"\\u00e9\xc3\xa9\", true], \"b\": {\"c\": null}}";
	size_t n_good = 0;

	for (size_t len = 0; len < strlen(text); len++)
		n_good += !strchr(walk(text, len), '!');
	is_u64(n_good, 0, "no text that is cut off passes for a whole one");
}

static void is_deep(void)
{
	char text[2 * PMU_JSON_DEPTH_MAX + 3];

	memset(text, '[', PMU_JSON_DEPTH_MAX);
	memset(text + PMU_JSON_DEPTH_MAX, ']', PMU_JSON_DEPTH_MAX);
	ok(!strchr(walk(text, 2 * PMU_JSON_DEPTH_MAX), '!'), "as deep as it may be");
	memset(text, '[', PMU_JSON_DEPTH_MAX + 1);
	memset(text + PMU_JSON_DEPTH_MAX + 1, ']', PMU_JSON_DEPTH_MAX + 1);
	ok(strchr(walk(text, 2 * PMU_JSON_DEPTH_MAX + 2), '!'), "one deeper is refused");
	has(json.error, "deep", "  and says so");
}

static void names_members(void)
{
	static const char text[] = "{\"first\": 1, \"list\": [2], \"\": {\"in\": 3}}";
	char *copy = start(text, strlen(text));

	pmu_json_next(&json);
	ok(!json.key, "the outermost object has no name");
	pmu_json_next(&json);
	ok(json.key_len == 5 && !memcmp(json.key, "first", 5), "a member has");
	ok(json.len == 1 && json.value[0] == '1', "  and a value");
	pmu_json_next(&json);
	ok(json.key_len == 4 && !memcmp(json.key, "list", 4), "so has an array");
	pmu_json_next(&json);
	ok(!json.key && json.value[0] == '2', "what is in it has none");
	pmu_json_next(&json);
	pmu_json_next(&json);
	ok(json.key && !json.key_len, "a name may be empty");
	pmu_json_skip(&json);
	ok(!json.error && json.depth == 1, "an object is passed over");
	is_int(pmu_json_next(&json), PMU_JSON_OBJECT_END, "  up to what follows");
	free(copy);
}

static bool string_is(const char *raw, const char *want, size_t size)
{
	char out[64];
	char *copy = start(raw, strlen(raw));
	bool fits;

	memset(out, 'x', sizeof(out));
	pmu_json_next(&json);
	fits = pmu_json_string(&json, out, size);
	is_str(out, want, raw);
	free(copy);
	return fits;
}

static void reads_strings(void)
{
	char text[] = "\"\\u00e9 \\n\\u20ac\\uD83D\\uDE00.\" ", guard;

	ok(string_is("\"plain\"", "plain", 6), "  and fits");
	ok(!string_is("\"plain\"", "plai", 5), "  and does not fit");
	ok(!string_is("\"a\xc3\xa9\"", "a", 3), "  no half characters");
	ok(string_is("\"\"", "", 1), "  an empty one fits");
	ok(string_is("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 64), "  every escape");
	ok(string_is("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
		     "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 64),
	   "  of every length");
	ok(string_is("\"\\uD83Dx\\uDE00\\u0000\\uD83D\\u0041\"",
		     "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		     "A",
		     64),
	   "  halves and NULs replaced");
	pmu_json_start(&json, text, strlen(text));
	pmu_json_next(&json);
	guard = json.value[json.len + 1];
	ok(pmu_json_string(&json, text + 1, json.len + 1), "in its own place");
	is_str(text + 1, "\xc3\xa9 \n\xe2\x82\xac\xf0\x9f\x98\x80.", "  it is right");
	ok(json.value[json.len + 1] == guard, "  and nothing behind it is changed");
	is_int(pmu_json_next(&json), PMU_JSON_END, "  and the walk goes on");
	ok(!json.error, "  to the end");
}

static void tells_the_line(void)
{
	char *copy = start("[1,\n2,\r\n\n oops]", 15);

	while (pmu_json_next(&json) != PMU_JSON_END)
		;
	has(json.error, "no value", "what is wrong");
	is_int(pmu_json_line(&json), 4, "and the line where");
	free(copy);
}

UNIT_PART(json)
{
	good_texts();
	bad_texts();
	is_cut_anywhere();
	is_deep();
	names_members();
	reads_strings();
	tells_the_line();
	return done_testing();
}
