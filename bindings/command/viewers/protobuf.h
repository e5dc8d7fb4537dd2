/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protocol buffers as they are on the wire, for writers.
 *
 * Source: https://protobuf.dev/programming-guides/encoding
 */
#ifndef PMU_COMMAND_PROTOBUF_H
#define PMU_COMMAND_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/** pmu_protobuf_varint() - a bare number, as in a packed field: seven bits a byte, the least first */
void pmu_protobuf_varint(struct pmu_strbuf *out, uint64_t value);

/**
 * pmu_protobuf_u64() - a field of type uint64, uint32, int64, bool or enum; 0 is written, too
 * @field: its number, 1 to 2^29 - 1
 */
void pmu_protobuf_u64(struct pmu_strbuf *out, uint32_t field, uint64_t value);
/** pmu_protobuf_fixed64() - of type fixed64 */
void pmu_protobuf_fixed64(struct pmu_strbuf *out, uint32_t field, uint64_t value);
/** pmu_protobuf_double() - of type double */
void pmu_protobuf_double(struct pmu_strbuf *out, uint32_t field, double value);
/** pmu_protobuf_bytes() - of type bytes; of type string where these are UTF-8 */
void pmu_protobuf_bytes(struct pmu_strbuf *out, uint32_t field, const void *bytes, size_t len);
/** pmu_protobuf_text() - of type string */
void pmu_protobuf_text(struct pmu_strbuf *out, uint32_t field, const char *text);

/**
 * pmu_protobuf_begin() - of a message's type, or a packed one: what follows is in it
 * Return: for pmu_protobuf_end(); they nest.
 */
size_t pmu_protobuf_begin(struct pmu_strbuf *out, uint32_t field);
void pmu_protobuf_end(struct pmu_strbuf *out, size_t begun);

#endif
