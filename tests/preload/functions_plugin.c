/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded and unloaded by functions.c: NAME differs from one to the other, the code does not. */
static volatile int sink;

static __attribute__((noinline)) void NAME(void)
{
	sink++;
}

void run(void);
void run(void)
{
	NAME();
	NAME();
}
