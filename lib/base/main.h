/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libpmu-preload makes a region of a program's main.  Where the program marks its main, too, that is the same
 * call: this word, which is in libpmu-preload.so where that is loaded, tells libpmu so.
 */
#ifndef PMU_BASE_MAIN_H
#define PMU_BASE_MAIN_H

#define PMU_MAIN_NAME "main"

/** Not 0: the region main of the first thread was begun by libpmu-preload. */
extern int pmu_main_word __attribute__((weak));

#endif
