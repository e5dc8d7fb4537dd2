/* SPDX-License-Identifier: BSD-3-Clause */
/* Protocol buffers, byte by byte as the documentation of their encoding has it. */
#include "bindings/command/viewers/protobuf.h"

#include "unit/part.h"

static void is_bytes(struct pmu_strbuf *out, const char *hex, const char *name)
{
	struct pmu_strbuf got = { 0 };

	for (size_t i = 0; i < out->len; i++)
		pmu_strbuf_addf(&got, "%02x", (unsigned char)out->text[i]);
	if (!ok(!strcmp(pmu_strbuf_text(&got), hex), "%s", name))
		diag("got %s, want %s", pmu_strbuf_text(&got), hex);
	pmu_strbuf_free(&got);
	pmu_strbuf_free(out);
}

static void numbers(void)
{
	struct pmu_strbuf out = { 0 };

	pmu_protobuf_u64(&out, 1, 150);
	is_bytes(&out, "089601", "the example of the documentation");
	pmu_protobuf_u64(&out, 1, 0);
	is_bytes(&out, "0800", "nothing is a byte");
	pmu_protobuf_u64(&out, 1, 127);
	pmu_protobuf_u64(&out, 1, 128);
	is_bytes(&out, "087f088001", "where a second byte begins");
	pmu_protobuf_u64(&out, 2, UINT64_MAX);
	is_bytes(&out, "10ffffffffffffffffff01", "the largest, and -1");
	pmu_protobuf_u64(&out, 16, 1);
	is_bytes(&out, "800101", "a field whose tag takes two bytes");
	pmu_protobuf_u64(&out, (1u << 29) - 1, 1);
	is_bytes(&out, "f8ffffff0f01", "the last field there is");
	pmu_protobuf_fixed64(&out, 1, 0x0102030405060708);
	is_bytes(&out, "090807060504030201", "eight bytes, the least first");
	pmu_protobuf_double(&out, 1, -2.5);
	is_bytes(&out, "0900000000000004c0", "a double");
}

static void texts(void)
{
	struct pmu_strbuf out = { 0 };

	pmu_protobuf_text(&out, 2, "testing");
	is_bytes(&out, "120774657374696e67", "the example of the documentation");
	pmu_protobuf_text(&out, 2, "");
	is_bytes(&out, "1200", "an empty one");
	pmu_protobuf_bytes(&out, 2, "a\0b", 3);
	is_bytes(&out, "1203610062", "bytes");
}

static void messages(void)
{
	struct pmu_strbuf out = { 0 };
	size_t outer, inner;

	outer = pmu_protobuf_begin(&out, 3);
	pmu_protobuf_u64(&out, 1, 150);
	pmu_protobuf_end(&out, outer);
	is_bytes(&out, "1a03089601", "the example of the documentation");
	outer = pmu_protobuf_begin(&out, 6);
	pmu_protobuf_varint(&out, 3);
	pmu_protobuf_varint(&out, 270);
	pmu_protobuf_varint(&out, 86942);
	pmu_protobuf_end(&out, outer);
	is_bytes(&out, "3206038e029ea705", "numbers in one field");
	outer = pmu_protobuf_begin(&out, 1);
	inner = pmu_protobuf_begin(&out, 2);
	pmu_protobuf_end(&out, inner);
	inner = pmu_protobuf_begin(&out, 3);
	pmu_protobuf_u64(&out, 1, 1);
	pmu_protobuf_end(&out, inner);
	pmu_protobuf_end(&out, outer);
	is_bytes(&out, "0a0612001a020801", "in each other");
}

static void a_long_message_moves_by_more_than_a_byte(void)
{
	struct pmu_strbuf out = { 0 };
	char text[300];
	size_t begun;

	memset(text, 'x', sizeof(text));
	begun = pmu_protobuf_begin(&out, 1);
	pmu_protobuf_bytes(&out, 2, text, sizeof(text));
	pmu_protobuf_end(&out, begun);
	is_u64(out.len, 3 + 3 + sizeof(text), "its length");
	ok(!memcmp(out.text, "\x0a\xaf\x02\x12\xac\x02", 6), "the lengths stand before it");
	ok(!memcmp(out.text + 6, text, sizeof(text)), "and it is as it was");
	pmu_strbuf_free(&out);
}

static void nothing_is_moved_without_memory(void)
{
	struct pmu_strbuf out = { .failed = 1 };

	pmu_protobuf_end(&out, pmu_protobuf_begin(&out, 1));
	ok(out.failed && !out.text, "a buffer that has failed");
}

UNIT_PART(protobuf)
{
	numbers();
	texts();
	messages();
	a_long_message_moves_by_more_than_a_byte();
	nothing_is_moved_without_memory();
	return done_testing();
}
