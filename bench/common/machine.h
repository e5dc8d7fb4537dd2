/* SPDX-License-Identifier: BSD-3-Clause */
/* Where figures were taken: a time means little without its machine. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/** What there is to say in a few words; "" where it is not known. */
struct machine {
	char description[160]; /* "AMD EPYC, 2 processors, virtual machine (KVM)" */
	char kernel[100];      /* "Linux 6.1.0 x86_64" */
	char library[32];      /* version of the libpmu that is loaded */
	int processors;        /* that are online; 0: not known */
};

/** machine_here() - asked for once; the library has a session for that, in a process of its own */
const struct machine *machine_here(void);

/** machine_line() - all of it in one line for people */
const char *machine_line(void);

#endif
