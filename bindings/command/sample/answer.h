/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was sampled of a process so far, for another program of the same user: `pmu top`.  It asks at the socket to
 * which threads come.
 */
#ifndef PMU_COMMAND_SAMPLE_ANSWER_H
#define PMU_COMMAND_SAMPLE_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/samples.h"

#define PMU_SAMPLE_ANSWER_VERSION 2

/** The whole message, without descriptors: it has another size than a thread's hello. */
struct pmu_sample_question {
	uint32_t version;
	uint32_t reserved;
	char store[PMU_SAMPLES_STORE]; /* file name of the process's store */
};

/** What comes back: a byte, and a descriptor of memory with the answer; of a process that is not known none. */
struct pmu_sample_answer {
	uint32_t version;
	int32_t pid; /* as the collector sees it */
	struct pmu_sample_unit unit;
	uint64_t n_hits;  /* that follow, struct pmu_sample_answer_hit */
	uint64_t n_paths; /* that follow these, each with its NUL: files from PMU_SAMPLE_FILES on */
};

struct pmu_sample_answer_hit {
	uint64_t who, at, n; /* as in struct pmu_sample_hit, without its chain */
	uint64_t file;
};

struct pmu_sample_process;

/** pmu_sample_answer_write() - @out: empty */
void pmu_sample_answer_write(const struct pmu_sample_process *process, struct pmu_strbuf *out);

/**
 * pmu_sample_answer_read() - @len bytes, of which nothing is trusted
 * @prefix: before paths, where they are of another root; ""
 * @out: result, for pmu_sample_process_free()
 * Return: 0, -EINVAL, -ENOMEM: nothing is left.
 */
int pmu_sample_answer_read(const char *bytes, size_t len, const char *prefix,
			   struct pmu_sample_process *out);

#endif
