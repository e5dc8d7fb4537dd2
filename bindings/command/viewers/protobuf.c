/* SPDX-License-Identifier: BSD-3-Clause */
/* Protocol buffers as they are on the wire. */
#include "bindings/command/viewers/protobuf.h"

#include <string.h>

/* How a field's value is told from the next field. */
enum wire { VARINT, I64, LEN };

/* Of 64 bits, seven a byte. */
#define VARINT_MOST 10

/* Return: how many bytes. */
static size_t make_varint(unsigned char *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (unsigned char)(value | 0x80);
	to[n++] = (unsigned char)value;
	return n;
}

void pmu_protobuf_varint(struct pmu_strbuf *out, uint64_t value)
{
	unsigned char bytes[VARINT_MOST];

	pmu_strbuf_add_n(out, (const char *)bytes, make_varint(bytes, value));
}

static void put_tag(struct pmu_strbuf *out, uint32_t field, enum wire wire)
{
	pmu_protobuf_varint(out, (uint64_t)field << 3 | wire);
}

void pmu_protobuf_u64(struct pmu_strbuf *out, uint32_t field, uint64_t value)
{
	put_tag(out, field, VARINT);
	pmu_protobuf_varint(out, value);
}

void pmu_protobuf_fixed64(struct pmu_strbuf *out, uint32_t field, uint64_t value)
{
	char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(value >> 8 * i & 0xff);
	put_tag(out, field, I64);
	pmu_strbuf_add_n(out, bytes, sizeof(bytes));
}

void pmu_protobuf_double(struct pmu_strbuf *out, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pmu_protobuf_fixed64(out, field, bits);
}

void pmu_protobuf_bytes(struct pmu_strbuf *out, uint32_t field, const void *bytes, size_t len)
{
	put_tag(out, field, LEN);
	pmu_protobuf_varint(out, len);
	pmu_strbuf_add_n(out, bytes, len);
}

void pmu_protobuf_text(struct pmu_strbuf *out, uint32_t field, const char *text)
{
	pmu_protobuf_bytes(out, field, text, strlen(text));
}

size_t pmu_protobuf_begin(struct pmu_strbuf *out, uint32_t field)
{
	put_tag(out, field, LEN);
	return out->len;
}

/* The length stands before what it is of, and takes as many bytes as it needs: that is moved. */
void pmu_protobuf_end(struct pmu_strbuf *out, size_t begun)
{
	unsigned char bytes[VARINT_MOST];
	size_t len, n;

	if (out->failed)
		return;
	len = out->len - begun;
	n = make_varint(bytes, len);
	pmu_strbuf_add_n(out, (const char *)bytes, n);
	if (out->failed)
		return;
	memmove(out->text + begun + n, out->text + begun, len);
	memcpy(out->text + begun, bytes, n);
}
