/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libcpuid does: processors' identity, and dumps in its raw format.  These functions load it;
 * a program that is measured does not call them.  Where this was built without it, or it is not
 * found, every function returns -ENOTSUP with a sentence.
 */
#ifndef PMU_MACHINE_LIBCPUID_H
#define PMU_MACHINE_LIBCPUID_H

#include <stddef.h>

#include "base/strbuf.h"
#include "machine/cpu.h"
#include "machine/cpuid.h"

struct pmu_libcpuid_identity {
	struct pmu_cpu_id id; /* without the hypervisor's name: that leaf libcpuid does not keep */
	/* what fits best in its tables, "Gulftown (Xeon)", even if nothing fits well */
	char codename[64];
	size_t n_features;
	const char *feature[128]; /* "avx2", in libcpuid's order */
};

/** pmu_libcpuid_version() - "0.6.2"; "" with a sentence where it is not there. */
const char *pmu_libcpuid_version(void);

/**
 * pmu_libcpuid_identify() - the processor with these leaves
 *
 * Context: loads libcpuid.  One thread at a time.
 * Return: 0; -ENODEV: libcpuid does not know the vendor; -ENOTSUP.
 */
int pmu_libcpuid_identify(const struct pmu_cpuid *cpuid, struct pmu_libcpuid_identity *identity);

/** pmu_libcpuid_here() - the leaves that libcpuid keeps of the processor that runs this, and those
 * of pmu_cpuid_read().  Return: 0; -ENODEV; -ENOMEM; -ENOTSUP. */
int pmu_libcpuid_here(struct pmu_cpuid *cpuid);

/**
 * Lines of a dump in its raw format, for libcpuid to read: it has limits of its own, which it does
 * not check (0.6.2: a version of 8 bytes, a processor without a heading, the 65536th), so that it
 * gets nothing but lines of leaves, and before those of a processor a heading of ours.
 */
struct pmu_libcpuid_text {
	struct pmu_strbuf text;
	size_t n_cpus; /* with a heading */
	size_t n_lines;
	size_t *line; /* where each of them stands in the dump, from 1 */
};

/** pmu_libcpuid_knows() - whether @line, of @len bytes, begins as a leaf of its raw format does. */
bool pmu_libcpuid_knows(const char *line, size_t len);

/**
 * pmu_libcpuid_add() - such a line
 * @cpu: the processor of the leaf; in ascending order
 * @number: of the line in the dump
 * Return: 0; -EINVAL: no leaf is that long; -ENOMEM.
 */
int pmu_libcpuid_add(struct pmu_libcpuid_text *text, size_t cpu, const char *line, size_t len,
		     size_t number);

/** Takes a leaf of processor @cpu.  Return: 0, or what ends pmu_libcpuid_read(). */
typedef int pmu_libcpuid_take(void *context, size_t cpu, const struct pmu_cpuid_entry *entry);

/**
 * pmu_libcpuid_read() - the leaves in them
 * Return: 0; -EINVAL with a sentence that names the line; -ENOTSUP; -ENOMEM; what @take returned.
 */
int pmu_libcpuid_read(const struct pmu_libcpuid_text *text, pmu_libcpuid_take *take, void *context);
void pmu_libcpuid_text_free(struct pmu_libcpuid_text *text);

/**
 * pmu_libcpuid_print() - a dump in its raw format, followed by the leaves that it does not keep;
 * pmu_cpuid_parse() reads both
 * Return: 0; -ENOTSUP; -ENOMEM; the errno of a temporary file.
 */
int pmu_libcpuid_print(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out);

#endif
