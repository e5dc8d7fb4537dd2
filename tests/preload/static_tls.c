/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * static_tls TEMPLATE [LIBRARY...]: with these libraries loaded, how large the initial-exec TLS of a
 * library may be that dlopen() loads: copies of TEMPLATE, with its program header changed.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP 16
#define MOST 8192

static char image[1 << 20];

static ElfW(Phdr) * tls_header(void)
{
	ElfW(Ehdr) *head = (ElfW(Ehdr) *)(void *)image;
	ElfW(Phdr) *phdr = (ElfW(Phdr) *)(void *)(image + head->e_phoff);

	for (int i = 0; i < head->e_phnum; i++)
		if (phdr[i].p_type == PT_TLS)
			return &phdr[i];
	return NULL;
}

/* In a process of its own: what was loaded once stays in the way. */
static int loads(const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(dlopen(path, RTLD_NOW) ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static int write_to(const char *path, size_t size)
{
	FILE *file = fopen(path, "w");

	return file && fwrite(image, 1, size, file) == size && !fclose(file);
}

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	size_t size = file ? fread(image, 1, sizeof(image), file) : 0;
	ElfW(Phdr) *tls = size ? tls_header() : NULL;
	unsigned int most = 0;

	if (!tls)
		return 99;
	for (int i = 2; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW)) {
			fprintf(stderr, "%s\n", dlerror());
			return 98;
		}
	for (unsigned int bytes = STEP; bytes <= MOST; bytes += STEP) {
		tls->p_memsz = bytes;
		if (!write_to("./sized.so", size))
			return 97;
		if (!loads("./sized.so"))
			break;
		most = bytes;
	}
	printf("%u\n", most);
	return 0;
}
