/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of code as instructions. */
#ifndef PMU_COMMAND_DISASSEMBLE_H
#define PMU_COMMAND_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

#include "report/model/block.h"

struct pmu_instruction {
	uint64_t address;
	uint32_t size;
	const char
		*text; /* "addq     $1, %rax", as GNU's tools write it; ".byte 0x06": it is none */
};

/**
 * pmu_disassemble() - all of some code
 * @machine: of its file, ELF's EM_X86_64 and so on
 * @bytes: @n, which stand at @address
 * @blocks: memory of the result
 * @list: result: [@n_list], one behind the other
 * Return: 0; -ENOTSUP with a sentence, -ENOMEM.
 */
int pmu_disassemble(unsigned int machine, const unsigned char *bytes, size_t n, uint64_t address,
		    struct pmu_model_block **blocks, struct pmu_instruction **list, size_t *n_list);

#endif
