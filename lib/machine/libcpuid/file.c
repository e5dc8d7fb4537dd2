/* SPDX-License-Identifier: BSD-3-Clause */
/* libcpuid's raw format: it reads and writes files by name, here ones without a name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/write.h"
#include "machine/libcpuid/load.h"
#include "machine/libcpuid/raw.h"

struct file {
	int fd;
	char path[32];
};

static int create_dump_file(struct file *file)
{
	file->fd = memfd_create("pmu cpuid", MFD_CLOEXEC);
	if (file->fd < 0)
		return pmu_fail(errno, "no room for a dump: %s", strerror(errno));
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	return 0;
}

/* --- here --- */

static int append_leaf(struct pmu_cpuid *cpuid, const struct pmu_cpuid_entry *entry)
{
	void *moved = realloc(cpuid->entry, (cpuid->n + 1) * sizeof(*entry));

	if (!moved)
		return pmu_fail(ENOMEM, "no memory for the leaves of CPUID");
	cpuid->entry = moved;
	cpuid->entry[cpuid->n++] = *entry;
	return 0;
}

static int take_here(void *context, size_t cpu, const struct pmu_cpuid_entry *entry)
{
	(void)cpu;
	return append_leaf(context, entry);
}

/* Subleaf 0 of some leaves is in two arrays. */
static void keep_one_of_each(struct pmu_cpuid *cpuid)
{
	size_t n = 0;

	pmu_cpuid_sort(cpuid);
	for (size_t i = 0; i < cpuid->n; i++)
		if (!n || cpuid->entry[n - 1].leaf != cpuid->entry[i].leaf ||
		    cpuid->entry[n - 1].subleaf != cpuid->entry[i].subleaf)
			cpuid->entry[n++] = cpuid->entry[i];
	cpuid->n = n;
}

int pmu_libcpuid_here(struct pmu_cpuid *cpuid)
{
	const struct pmu_libcpuid_calls *calls = pmu_libcpuid_load();
	struct pmu_cpuid_entry ours[PMU_CPUID_LIVE];
	struct cpu_raw_data_t raw;
	size_t n;
	int rc;

	memset(cpuid, 0, sizeof(*cpuid));
	if (!calls)
		return -ENOTSUP;
	if (calls->get_raw_data(&raw) < 0)
		return pmu_fail(ENODEV, "libcpuid cannot read this processor: %s", calls->error());
	rc = pmu_libcpuid_each(&raw, 0, take_here, cpuid);
	n = pmu_cpuid_read(ours, false);
	for (size_t i = 0; i < n && !rc; i++)
		if (!pmu_libcpuid_keeps(ours[i].leaf, ours[i].subleaf))
			rc = append_leaf(cpuid, &ours[i]);
	keep_one_of_each(cpuid);
	if (rc)
		pmu_cpuid_free(cpuid);
	return rc;
}

/* --- reading --- */

/* Where libcpuid stumbled first; its warning function is told nothing but a text. */
static size_t stumbled;

static void note_stumble(const char *message)
{
	const char *line = strstr(message, ", line ");

	if (!stumbled)
		stumbled = line ? strtoul(line + strlen(", line "), NULL, 10) : 1;
}

static int take_all(const struct cpu_raw_data_array_t *array, size_t n_cpus,
		    pmu_libcpuid_take *take, void *context)
{
	int rc = 0;

	for (size_t i = 0; i < n_cpus && i < array->num_raw && !rc; i++)
		rc = pmu_libcpuid_each(&array->raw[i], i, take, context);
	return rc;
}

/* Return: as the function; -EINVAL without a sentence. */
static int read_array(const struct pmu_libcpuid_calls *calls, const char *path,
		      struct cpu_raw_data_array_t *array)
{
	int rc;

	stumbled = 0;
	calls->set_warn(note_stumble);
	rc = calls->deserialize_all(array, path);
	calls->set_warn(NULL);
	if (rc < 0)
		return pmu_fail(EIO, "libcpuid cannot read the dump: %s", calls->error());
	return stumbled ? -EINVAL : 0;
}

int pmu_libcpuid_read(const struct pmu_libcpuid_text *text, pmu_libcpuid_take *take, void *context)
{
	const struct pmu_libcpuid_calls *calls = pmu_libcpuid_load();
	struct cpu_raw_data_array_t array = { .num_raw = 0 };
	struct file file;
	int rc;

	if (!calls)
		return -ENOTSUP;
	rc = create_dump_file(&file);
	if (rc)
		return rc;
	rc = pmu_write_all(file.fd, pmu_strbuf_text(&text->text), text->text.len);
	if (rc)
		pmu_fail(rc, "no room for a dump: %s", strerror(-rc));
	else
		rc = read_array(calls, file.path, &array);
	if (!rc)
		rc = take_all(&array, text->n_cpus, take, context);
	else if (rc == -EINVAL)
		pmu_fail(EINVAL, PMU_CPUID_NO_LEAF,
			 stumbled <= text->n_lines ? text->line[stumbled - 1] : stumbled);
	calls->free_all(&array);
	close(file.fd);
	return rc;
}

/* --- writing --- */

static int read_back(int fd, struct pmu_strbuf *out)
{
	char part[4096];
	ssize_t got;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return pmu_fail(errno, "cannot read a dump back: %s", strerror(errno));
	while ((got = PMU_RETRY(read(fd, part, sizeof(part)))) > 0)
		pmu_strbuf_add_n(out, part, (size_t)got);
	return got < 0 ? pmu_fail(errno, "cannot read a dump back: %s", strerror(errno)) : 0;
}

/* libcpuid reads no further than a line of 80 dashes. */
static void print_others(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out)
{
	pmu_strbuf_pad(out, out->len + 80, '-');
	pmu_strbuf_add(out, "\n");
	for (size_t i = 0; i < dump->n_cpus; i++) {
		pmu_cpuid_print_heading(i, out);
		for (size_t j = 0; j < dump->cpu[i].n; j++) {
			const struct pmu_cpuid_entry *entry = &dump->cpu[i].entry[j];

			if (!pmu_libcpuid_keeps(entry->leaf, entry->subleaf))
				pmu_cpuid_print_entry(entry, out);
		}
	}
}

int pmu_libcpuid_print(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out)
{
	const struct pmu_libcpuid_calls *calls = pmu_libcpuid_load();
	struct cpu_raw_data_array_t array = { .with_affinity = true };
	struct file file;
	size_t others = 0;
	int rc;

	if (!calls)
		return -ENOTSUP;
	array.raw = calloc(dump->n_cpus + !dump->n_cpus, sizeof(*array.raw));
	if (!array.raw)
		return pmu_fail(ENOMEM, "no memory for a dump");
	array.num_raw = (logical_cpu_t)dump->n_cpus;
	for (size_t i = 0; i < dump->n_cpus; i++)
		others += pmu_libcpuid_fill(&dump->cpu[i], &array.raw[i]);
	rc = create_dump_file(&file);
	if (rc)
		goto free_array;
	if (calls->serialize_all(&array, file.path) < 0)
		rc = pmu_fail(EIO, "libcpuid cannot write a dump: %s", calls->error());
	else
		rc = read_back(file.fd, out);
	close(file.fd);
	if (!rc && others)
		print_others(dump, out);
free_array:
	free(array.raw);
	return rc;
}
