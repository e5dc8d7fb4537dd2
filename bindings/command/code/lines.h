/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols that are lines of a text: the kernel's, and those of compilers at run time. */
#ifndef PMU_COMMAND_CODE_LINES_H
#define PMU_COMMAND_CODE_LINES_H

#include "bindings/command/code/symbols.h"

/**
 * pmu_code_read_perf_map() - "START SIZE NAME" in hexadecimal, as of /tmp/perf-PID.map: Linux,
 * tools/perf/Documentation/jit-interface.txt
 * @text: names point into it; their ends are written there
 */
void pmu_code_read_perf_map(char *text, struct pmu_code_symbols *symbols);

/** pmu_code_read_kallsyms() - "ADDRESS TYPE NAME [MODULE]" of /proc/kallsyms; nothing where addresses are hidden */
void pmu_code_read_kallsyms(char *text, struct pmu_code_symbols *symbols);

#endif
