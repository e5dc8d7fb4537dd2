/* SPDX-License-Identifier: BSD-3-Clause */
/* In a file of its own: a compiler that knew the calls would make other code of each. */
#include "bench/verify/bracket.h"

void bracket_pass(const struct bracket *bracket, const char *name, const struct kernel *kernel,
		  struct share *share)
{
	void (*pass)(struct share * share) = kernel->pass;
	struct bracket calls = *bracket;

	calls.begin(name);
	pass(share);
	calls.end(name);
	/* the last call is a call, not a jump behind what this function has to put back */
	__asm__ volatile("");
}
