/* SPDX-License-Identifier: BSD-3-Clause */
/* Another object with NVTX, which initialises by itself. */
#include "nvtx_object.h"

void in_library(void);

void in_library(void)
{
	if (!nvtx_open())
		return;
	PUSH("in a library");
	POP();
}
