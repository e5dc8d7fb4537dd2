/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ functions without what matters least. */
#ifndef PMU_REPORT_NAME_H
#define PMU_REPORT_NAME_H

#include <stddef.h>

#include "base/strbuf.h"

/** Ways to shorten a name, each shorter than the one before it. */
enum pmu_name_shorter {
	PMU_NAME_NO_TEMPLATES,  /* "int ns::twice<>(int)" */
	PMU_NAME_NO_NAMESPACES, /* "thing::twice<>(int)": no return type either */
	PMU_NAME_NO_ARGUMENTS,  /* "thing::twice<>(...)" */
	PMU_NAME_NO_CLASS,      /* "twice<>(...)" */
	PMU_NAME_BARE,          /* "twice" */
	PMU_NAME_WAYS
};

/**
 * pmu_name_shorten() - append a name that was shortened; what is no C++ function's is appended as
 * it is
 *
 * Of an OpenMP region, "parallel ns::solve(int):0", the function's; barest it is "solve:0".
 */
void pmu_name_shorten(struct pmu_strbuf *out, const char *name, enum pmu_name_shorter how);

/**
 * pmu_name_fit() - append a name in as many characters as there are at most
 * @out: gets the first of the ways that fits; else the barest, its middle cut
 * @width: 8 at least
 */
void pmu_name_fit(struct pmu_strbuf *out, const char *name, unsigned int width);

/**
 * pmu_path_fit() - the same for a path: its names are shortened, then the outermost left out
 * @path: names joined by '/', in which '/' and '\' are escaped by '\'
 */
void pmu_path_fit(struct pmu_strbuf *out, const char *path, unsigned int width);

/**
 * pmu_path_add() - a name as a part of a path
 * @out: twice as many bytes as the name has; gets no NUL
 * Return: how many it took.
 */
size_t pmu_path_add(char *out, const char *name);

#endif
