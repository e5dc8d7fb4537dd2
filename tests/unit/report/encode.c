/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of any origin as valid UTF-8. */
#include "unit/part.h"

#include "report/encode.h"

static void is_utf8(const char *text, size_t want, const char *name)
{
	is_u64(pmu_utf8_next(text), want, name);
}

static void knows_valid_utf8(void)
{
	is_utf8("a", 1, "ASCII");
	is_utf8("", 0, "the end");
	is_utf8("\xc3\xa4", 2, "two bytes");
	is_utf8("\xe2\x82\xac", 3, "three bytes");
	is_utf8("\xf0\x9f\x98\x80", 4, "four bytes");
	is_utf8("\xf4\x8f\xbf\xbf", 4, "the last character");
	is_utf8("\xc0\xaf", 0, "overlong, two bytes");
	is_utf8("\xe0\x9f\xbf", 0, "overlong, three bytes");
	is_utf8("\xf0\x8f\xbf\xbf", 0, "overlong, four bytes");
	is_utf8("\xed\xa0\x80", 0, "a surrogate");
	is_utf8("\xf4\x90\x80\x80", 0, "beyond the last character");
	is_utf8("\xff", 0, "no lead byte");
	is_utf8("\x80", 0, "no lead byte either");
	is_utf8("\xe2\x82", 0, "cut off");
	is_utf8("\xf0\x9f\x98", 0, "cut off later");
	is_u64(pmu_utf8_width("a\xc3\xa4\xe2\x82\xac"), 3, "width in characters");
}

static void is_encoded(void (*encode)(struct pmu_strbuf *, const char *), const char *text,
		       const char *want)
{
	struct pmu_strbuf out = { 0 };

	encode(&out, text);
	is_str(pmu_strbuf_text(&out), want, "encoded as it should be");
	pmu_strbuf_free(&out);
}

static void shows_invalid_bytes(void)
{
	is_encoded(pmu_encode_plain,
		   "a\xff"
		   "b\xc3",
		   "a\\xffb\\xc3");
	is_encoded(pmu_encode_plain, "\xc3\xa4", "\xc3\xa4");
	is_encoded(pmu_encode_plain, "\\xff", "\\x5cxff");
	is_encoded(pmu_encode_plain, "\\xfg \\n \\", "\\xfg \\n \\");
	is_encoded(pmu_encode_plain, "\t\n\x01", "\t\n\x01");
	is_encoded(pmu_encode_plain, NULL, "");
}

static void shows_control_characters_on_terminals(void)
{
	is_encoded(pmu_encode_line, "a\n\tb\x1b[31m\x7f", "a\\n\\tb\\x1b[31m\\x7f");
	is_encoded(pmu_encode_line,
		   "\xc2\x9b"
		   "1m\xc2\xa0",
		   "\\xc2\\x9b1m\xc2\xa0");
}

static void shows_what_cannot_be_seen(void)
{
	is_encoded(pmu_encode_line,
		   "a\xe2\x80\xae"
		   "b\xe2\x81\xa9",
		   "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa9");
	is_encoded(pmu_encode_line, "\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xa9",
		   "\\xe2\\x80\\x8b\\xe2\\x80\\x8f\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
	is_encoded(pmu_encode_line, "\xef\xbb\xbf\xd8\x9c\xe2\x81\xa0",
		   "\\xef\\xbb\\xbf\\xd8\\x9c\\xe2\\x81\\xa0");
	is_encoded(pmu_encode_line, "\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xaf\xd8\x9b\xd7\x90",
		   "\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xaf\xd8\x9b\xd7\x90");
	is_encoded(pmu_encode_plain, "\xe2\x80\xae", "\xe2\x80\xae");
	is_encoded(pmu_encode_json, "\xe2\x80\xae", "\"\xe2\x80\xae\"");
}

static void is_no_command_of_a_runner(void)
{
	is_encoded(pmu_encode_line, "::stop-commands::x", "\\x3a:stop-commands::x");
	is_encoded(pmu_encode_line, " \xe3\x80\x80::error::", " \xe3\x80\x80\\x3a:error::");
	is_encoded(pmu_encode_line, "a::b, ::c", "a::b, ::c");
	is_encoded(pmu_encode_line, "a ##vso[x] ##[y] ##z", "a \\x23#vso[x] \\x23#[y] ##z");
	is_encoded(pmu_encode_plain, "::error::", "::error::");
}

static void escapes_json(void)
{
	is_encoded(pmu_encode_json, "\"\\\n\x01\x7f/", "\"\\\"\\\\\\n\\u0001\x7f/\"");
	is_encoded(pmu_encode_json, "\xff", "\"\\\\xff\"");
	is_encoded(pmu_encode_json, NULL, "\"\"");
}

static void quotes_csv_where_needed(void)
{
	is_encoded(pmu_encode_csv, "plain text", "plain text");
	is_encoded(pmu_encode_csv, "=1+2", "\\x3d1+2");
	is_encoded(pmu_encode_csv, "+a,b", "\"\\x2ba,b\"");
	is_encoded(pmu_encode_csv, "-", "\\x2d");
	is_encoded(pmu_encode_csv, "@a@=", "\\x40a@=");
	is_encoded(pmu_encode_csv, "\t=1", "\\x09=1");
	is_encoded(pmu_encode_csv, "\\x3d1", "\\x5cx3d1");
	is_encoded(pmu_encode_csv, "a\x1b\a\n", "a\\x1b\\x07\\x0a");
	is_encoded(pmu_encode_csv, "a,b", "\"a,b\"");
	is_encoded(pmu_encode_csv, "say \"x\"", "\"say \"\"x\"\"\"");
	is_encoded(pmu_encode_csv, "\r", "\\x0d");
	is_encoded(pmu_encode_csv, "", "");
}

static void is_number(double value, const char *want)
{
	struct pmu_strbuf out = { 0 };

	is_int(pmu_encode_double(&out, value), want[0] ? 0 : -1, "a number or not");
	is_str(pmu_strbuf_text(&out), want, want);
	pmu_strbuf_free(&out);
}

static void writes_numbers(void)
{
	struct pmu_strbuf out = { 0 };

	is_number(0.925, "0.925");
	is_number(-1.5e-30, "-1.5e-30");
	is_number(1e300, "1e+300");
	is_number(NAN, "");
	is_number(-INFINITY, "");
	is_number(2300492756, "2300492756");
	is_number(0.1 + 0.2, "0.30000000000000004");
	is_number(1.0 / 3, "0.3333333333333333");
	is_number(0x1p53 - 1, "9007199254740991");
	is_number(5e-324, "4.94065645841247e-324");
	pmu_encode_u64(&out, 0);
	pmu_encode_u64(&out, UINT64_MAX);
	is_str(pmu_strbuf_text(&out), "018446744073709551615", "all digits of 64 bits");
	pmu_strbuf_free(&out);
}

static void decodes_what_it_encoded(void)
{
	static const char *const hostile[] = { "=1", "\\x3d1", "\x1b[31m\a\r\n\t",
					       "-\xe2\x80\xae,\xff", "@\\x40\\" };
	char text[] = "\\xff \\x5cx41 \\x00 \\xF0 \\x4";

	is_u64(pmu_decode(text), strlen("\xff \\x41 \\x00 \\xF0 \\x4"), "length");
	is_str(text, "\xff \\x41 \\x00 \\xF0 \\x4", "bytes come back, nothing else changes");
	for (size_t i = 0; i < PMU_ARRAY_LEN(hostile); i++) {
		struct pmu_strbuf cell = { 0 };
		size_t quote;

		pmu_encode_csv(&cell, hostile[i]);
		quote = cell.text[0] == '"';
		cell.text[cell.len - quote] = '\0';
		pmu_decode(cell.text + quote);
		is_str(cell.text + quote, hostile[i], "so does a cell's text");
		pmu_strbuf_free(&cell);
	}
}

UNIT_PART(encode)
{
	knows_valid_utf8();
	shows_invalid_bytes();
	shows_control_characters_on_terminals();
	shows_what_cannot_be_seen();
	is_no_command_of_a_runner();
	escapes_json();
	quotes_csv_where_needed();
	writes_numbers();
	decodes_what_it_encoded();
	return done_testing();
}
