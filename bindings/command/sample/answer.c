/* SPDX-License-Identifier: BSD-3-Clause */
/* A process's samples as bytes, and back. */
#include "bindings/command/sample/answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/sample/collector.h"

/* @flat: gets the hits without their chains, which nobody asks for.  Return: 0 or -ENOMEM. */
static int flatten(const struct pmu_sample_hits *hits, struct pmu_sample_hits *flat)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < hits->n; i++) {
		struct pmu_sample_at at = hits->of[i].at;

		at.chain = 0;
		rc = pmu_sample_hits_add(flat, hits->of[i].who, at, hits->of[i].n);
	}
	return rc;
}

void pmu_sample_answer_write(const struct pmu_sample_process *process, struct pmu_strbuf *out)
{
	const struct pmu_sample_maps *maps = &process->sums.maps;
	struct pmu_sample_hits flat = { .n = 0 };
	struct pmu_sample_answer head = {
		.version = PMU_SAMPLE_ANSWER_VERSION,
		.pid = process->pid,
		.unit = process->unit,
		.n_paths = maps->n_paths,
	};

	out->failed |= flatten(&process->sums.hits, &flat) < 0;
	head.n_hits = flat.n;
	pmu_strbuf_add_n(out, (const char *)&head, sizeof(head));
	for (size_t i = 0; i < flat.n; i++) {
		const struct pmu_sample_hit *hit = &flat.of[i];
		const struct pmu_sample_answer_hit said = { hit->who, hit->at.at, hit->n,
							    hit->at.file };

		pmu_strbuf_add_n(out, (const char *)&said, sizeof(said));
	}
	for (uint32_t i = 0; i < maps->n_paths; i++)
		pmu_strbuf_add_n(out, maps->path[i], strlen(maps->path[i]) + 1);
	pmu_sample_hits_free(&flat);
}

/* A path is of a file, or between brackets. */
static int read_path(const char *path, const char *prefix, uint32_t nth,
		     struct pmu_sample_maps *maps)
{
	struct pmu_strbuf whole = { 0 };
	int rc;

	pmu_strbuf_add(&whole, path[0] == '/' ? prefix : "");
	pmu_strbuf_add(&whole, path);
	/* where it lies does not matter: each gets its number */
	rc = whole.failed ? -ENOMEM : pmu_sample_maps_add(maps, nth, nth + 1, 0, whole.text);
	pmu_strbuf_free(&whole);
	return rc ? rc : maps->n_paths == nth + 1 ? 0 : -EINVAL;
}

static int read_paths(const char *bytes, const char *end, uint64_t n, const char *prefix,
		      struct pmu_sample_maps *maps)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *zero = memchr(bytes, '\0', (size_t)(end - bytes));
		int rc = zero && zero != bytes ? read_path(bytes, prefix, i, maps) : -EINVAL;

		if (rc)
			return rc;
		bytes = zero + 1;
	}
	return bytes == end ? 0 : -EINVAL;
}

static int read_hit(const struct pmu_sample_answer_hit *said, uint64_t n_paths,
		    struct pmu_sample_hits *hits)
{
	struct pmu_sample_at at = { .file = (uint32_t)said->file, .at = said->at };

	if (said->file >= PMU_SAMPLE_FILES + n_paths)
		return -EINVAL;
	return pmu_sample_hits_add(hits, said->who, at, said->n);
}

int pmu_sample_answer_read(const char *bytes, size_t len, const char *prefix,
			   struct pmu_sample_process *out)
{
	struct pmu_sample_answer_hit hit;
	struct pmu_sample_answer head;
	const char *at = bytes + sizeof(head);
	int rc;

	if (len < sizeof(head))
		return -EINVAL;
	memcpy(&head, bytes, sizeof(head));
	len -= sizeof(head);
	if (head.version != PMU_SAMPLE_ANSWER_VERSION || !pmu_sample_is_sound(&head.unit) ||
	    head.n_hits > len / sizeof(hit) || head.n_paths > len - head.n_hits * sizeof(hit))
		return -EINVAL;
	*out = (struct pmu_sample_process){ .pid = head.pid, .unit = head.unit };
	rc = read_paths(at + head.n_hits * sizeof(hit), at + len, head.n_paths, prefix,
			&out->sums.maps);
	for (uint64_t i = 0; i < head.n_hits && !rc; i++) {
		memcpy(&hit, at + i * sizeof(hit), sizeof(hit));
		rc = read_hit(&hit, head.n_paths, &out->sums.hits);
	}
	if (rc)
		pmu_sample_process_free(out);
	return rc;
}
