/* SPDX-License-Identifier: BSD-3-Clause */
/* Without elfutils' libdw: addresses have no names. */
#include <stddef.h>

#include "bindings/command/code/object.h"

struct pmu_code_object *pmu_code_object_open(const char *path)
{
	(void)path;
	return NULL;
}

const char *pmu_code_object_why(void)
{
	return "names of functions need elfutils, which this pmu was built without (Debian: libdw-dev)";
}

void pmu_code_object_close(struct pmu_code_object *object)
{
	(void)object;
}

struct pmu_code_found pmu_code_object_find(struct pmu_code_object *object, uint64_t offset)
{
	(void)object;
	return (struct pmu_code_found){ .address = offset };
}

struct pmu_code_found pmu_code_object_find_address(struct pmu_code_object *object, uint64_t address)
{
	(void)object;
	return (struct pmu_code_found){ .address = address };
}

const char *pmu_code_object_build_id(const struct pmu_code_object *object)
{
	(void)object;
	return "";
}

unsigned int pmu_code_object_machine(const struct pmu_code_object *object)
{
	(void)object;
	return 0;
}

const unsigned char *pmu_code_object_bytes(const struct pmu_code_object *object, uint64_t address,
					   uint64_t *n)
{
	(void)object;
	(void)address;
	*n = 0;
	return NULL;
}
