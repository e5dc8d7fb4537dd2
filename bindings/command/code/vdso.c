/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code that the kernel maps into every process: this process's is that of all of its architecture, and no other can
 * be measured.
 *
 * Source: vdso(7).
 */
#include "bindings/command/code/vdso.h"

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/write.h"

/* Sections' headers come last where there are some. */
static size_t size_of_image(const char *image)
{
	const ElfW(Ehdr) *head = (const void *)image;
	const ElfW(Phdr) *part = (const void *)(image + head->e_phoff);
	size_t size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		size_t end = part[i].p_offset + part[i].p_filesz;

		if (part[i].p_type == PT_LOAD && end > size)
			size = end;
	}
	return size;
}

int pmu_code_vdso(void)
{
	const char *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	int fd = image ? memfd_create("pmu-vdso", MFD_CLOEXEC) : -1;

	if (fd >= 0 && pmu_write_all(fd, image, size_of_image(image)) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}
