/* SPDX-License-Identifier: BSD-3-Clause */
/* Without capstone: there are no instructions. */
#include <errno.h>

#include "base/error.h"
#include "bindings/command/annotate/disassemble.h"

int pmu_disassemble(unsigned int machine, const unsigned char *bytes, size_t n, uint64_t address,
		    struct pmu_model_block **blocks, struct pmu_instruction **list, size_t *n_list)
{
	(void)machine;
	(void)bytes;
	(void)n;
	(void)address;
	(void)blocks;
	*list = NULL;
	*n_list = 0;
	return pmu_fail(ENOTSUP,
			"instructions need capstone, which this pmu was built without (Debian: "
			"libcapstone-dev)");
}
