/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's or library's file: functions and lines of its addresses. */
#ifndef PMU_COMMAND_CODE_OBJECT_H
#define PMU_COMMAND_CODE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

struct pmu_code_object;

/** What is found; texts live as long as the object. */
struct pmu_code_found {
	uint64_t address; /* as nm(1) has it; without a file that can be read the offset */
	uint64_t start;   /* of the function around it; of no use where @has_start says no */
	uint64_t size;    /* of the function; 0: not known */
	bool has_start;
	const char *name;   /* as the symbol table has it; NULL: no symbol is there */
	const char *file;   /* NULL: no debugging information */
	const char *folder; /* in which it was compiled, for a relative @file; NULL: not known */
	uint32_t line;
};

/** pmu_code_object_open() - NULL where there is no such object, or nothing reads them */
struct pmu_code_object *pmu_code_object_open(const char *path);
void pmu_code_object_close(struct pmu_code_object *object);

/** pmu_code_object_why() - no file can be read, and what would help: a sentence; "": they can */
const char *pmu_code_object_why(void);

/** pmu_code_object_find() - @offset: of a byte in the file */
struct pmu_code_found pmu_code_object_find(struct pmu_code_object *object, uint64_t offset);

/** pmu_code_object_find_address() - the same, by its address as nm(1) has it */
struct pmu_code_found pmu_code_object_find_address(struct pmu_code_object *object,
						   uint64_t address);

/** pmu_code_object_build_id() - in hexadecimal; "": it has none */
const char *pmu_code_object_build_id(const struct pmu_code_object *object);

/** pmu_code_object_machine() - what it is compiled for: ELF's EM_X86_64 and so on; 0: not known */
unsigned int pmu_code_object_machine(const struct pmu_code_object *object);

/**
 * pmu_code_object_bytes() - what the file has at an address
 * @n: result: bytes from there on that are in the file; they live as long as @object
 * Return: NULL: none.
 */
const unsigned char *pmu_code_object_bytes(const struct pmu_code_object *object, uint64_t address,
					   uint64_t *n);

#endif
