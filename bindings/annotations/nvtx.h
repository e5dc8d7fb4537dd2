/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVIDIA's NVTX 3: what the code in a program's objects and an injected library know of each other.
 *
 * Source: nvtxTypes.h and nvToolsExt.h of github.com/NVIDIA/NVTX, 3.1, and those of CUDA 13.0.
 */
#ifndef PMU_ANNOTATIONS_NVTX_H
#define PMU_ANNOTATIONS_NVTX_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Domains and registered strings are the injected library's: ours are names that stay. */
typedef const char *nvtx_handle;

struct nvtx_attributes {
	uint16_t version, size; /* size: of what the program has; at least this */
	uint32_t category;      /* 0: none */
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	union {
		const char *text;
		const wchar_t *wide;
		nvtx_handle registered;
	} message;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct nvtx_attributes) == 48,
	       "nvtxEventAttributes_t of version 3");

enum {
	NVTX_MESSAGE_TEXT = 1,
	NVTX_MESSAGE_WIDE = 2,
	NVTX_MESSAGE_REGISTERED = 3,
};

#define NVTX_EXPORT_CALLBACKS 1

struct nvtx_callbacks {
	size_t size;
	/* @functions: result: [*n] places of function pointers; of some there are none */
	int (*module_functions)(int module, void ****functions, unsigned int *n);
};

enum {
	NVTX_CORE = 1,
	NVTX_CORE2 = 5,
};

/* Places in NVTX_CORE. */
enum {
	NVTX_RANGE_START_EX = 4,
	NVTX_RANGE_START_A,
	NVTX_RANGE_START_W,
	NVTX_RANGE_END,
	NVTX_RANGE_PUSH_EX,
	NVTX_RANGE_PUSH_A,
	NVTX_RANGE_PUSH_W,
	NVTX_RANGE_POP,
	NVTX_NAME_CATEGORY_A,
	NVTX_NAME_CATEGORY_W,
};

/* Places in NVTX_CORE2. */
enum {
	NVTX_DOMAIN_RANGE_START_EX = 2,
	NVTX_DOMAIN_RANGE_END,
	NVTX_DOMAIN_RANGE_PUSH_EX,
	NVTX_DOMAIN_RANGE_POP,
	NVTX_DOMAIN_NAME_CATEGORY_A = 8,
	NVTX_DOMAIN_NAME_CATEGORY_W,
	NVTX_DOMAIN_REGISTER_STRING_A,
	NVTX_DOMAIN_REGISTER_STRING_W,
	NVTX_DOMAIN_CREATE_A,
	NVTX_DOMAIN_CREATE_W,
};

#endif
