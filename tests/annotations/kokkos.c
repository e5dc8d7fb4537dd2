/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Kokkos does with a tool, without Kokkos: it finds the library by its variables, as newer
 * versions do or (-DOLDER) as those before 3.7 did, and calls it from kernels of threads, in regions,
 * sections, fences and deep copies.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct space {
	char name[64];
};
struct settings {
	bool requires_global_fencing;
	bool padding[255];
};
typedef void begin(const char *name, uint32_t device, uint64_t *id);
typedef void end(uint64_t id);

static struct {
	void (*init)(int, uint64_t, uint32_t, void *);
	void (*finalize)(void);
	void (*settings)(uint32_t, struct settings *);
	begin *begin_for, *begin_reduce, *begin_scan, *begin_fence;
	end *end_for, *end_reduce, *end_scan, *end_fence;
	void (*push)(const char *);
	void (*pop)(void);
	void (*create)(const char *, uint32_t *);
	void (*start)(uint32_t), (*stop)(uint32_t), (*destroy)(uint32_t);
	void (*begin_copy)(struct space, const char *, const void *, struct space, const char *,
			   const void *, uint64_t);
	void (*end_copy)(void);
} tool;

/* Source: Kokkos_Profiling.cpp and Kokkos_Core.cpp of Kokkos 3.4 and 4.4 */
static const char *named(void)
{
#ifdef OLDER
	return getenv("KOKKOS_PROFILE_LIBRARY");
#else
	const char *older = getenv("KOKKOS_PROFILE_LIBRARY"), *newer = getenv("KOKKOS_TOOLS_LIBS");

	if (older)
		fputs("Warning: environment variable 'KOKKOS_PROFILE_LIBRARY' is deprecated.\n",
		      stderr);
	if (older && newer && strcmp(older, newer) != 0)
		abort();
	return newer ? newer : older;
#endif
}

#ifdef LIBRARY
void initialize(int *argc, char **argv) __asm__("_ZN6Kokkos10initializeERiPPc");
void initialize(int *argc, char **argv)
#else
static void initialize(int *argc, char **argv)
#endif
{
	const char *name = named();
	struct settings settings = { .requires_global_fencing = true };
	void *library = name && *name ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : NULL;

	(void)argc;
	(void)argv;
	if (!library)
		return;
#define FIND(member, function) \
	tool.member = (__typeof__(tool.member))dlsym(library, "kokkosp_" function)
	FIND(init, "init_library");
	FIND(finalize, "finalize_library");
	FIND(settings, "request_tool_settings");
	FIND(begin_for, "begin_parallel_for");
	FIND(end_for, "end_parallel_for");
	FIND(begin_reduce, "begin_parallel_reduce");
	FIND(end_reduce, "end_parallel_reduce");
	FIND(begin_scan, "begin_parallel_scan");
	FIND(end_scan, "end_parallel_scan");
	FIND(begin_fence, "begin_fence");
	FIND(end_fence, "end_fence");
	FIND(push, "push_profile_region");
	FIND(pop, "pop_profile_region");
	FIND(create, "create_profile_section");
	FIND(start, "start_profile_section");
	FIND(stop, "stop_profile_section");
	FIND(destroy, "destroy_profile_section");
	FIND(begin_copy, "begin_deep_copy");
	FIND(end_copy, "end_deep_copy");
	if (tool.init)
		tool.init(0, 20211015, 0, NULL);
	if (tool.settings)
		tool.settings(1, &settings);
	if (settings.requires_global_fencing)
		puts("fences around each kernel");
}

#ifndef LIBRARY
static void kernel(begin *first, end *last, const char *name)
{
	uint64_t id = 0;

	if (first)
		first(name, 1, &id);
	if (last)
		last(id);
}

static void parallel_for(const char *name)
{
	kernel(tool.begin_for, tool.end_for, name);
}

static void *thread(void *data)
{
	for (int i = 0; i < 100; i++) {
		char name[16]; /* as of a std::string, in a place that others had */

		snprintf(name, sizeof(name), "kernel %d", i % 2);
		parallel_for(name);
	}
	return data;
}

static void copy(const char *to, const char *from)
{
	struct space host = { "Host" };

	if (tool.begin_copy)
		tool.begin_copy(host, to, NULL, host, from, NULL, 8);
	parallel_for("Kokkos::ViewCopy");
	if (tool.end_copy)
		tool.end_copy();
}

static void sections(void)
{
	uint32_t a = 0, b = 0;

	if (!tool.create)
		return;
	for (int i = 0; i < 3; i++) {
		tool.create("a", &a);
		tool.create("b", &b);
		tool.start(a);
		tool.start(b);
		tool.stop(a);
		tool.stop(b);
		tool.stop(b);
		tool.destroy(a);
		tool.start(a);
		tool.destroy(b);
	}
	tool.stop(70000);
	tool.start(0);
}

static void fences(void)
{
	kernel(tool.begin_fence, tool.end_fence, "wait");
	kernel(tool.begin_fence, tool.end_fence,
	       "Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence");
}

static void types(void)
{
	static const char *const labels[] = {
		"Z4mainEUliE0_", "7Functor/3Tag", "N3lib5SolveIdLi3EEE",
		"9TransposeIfE", "2norm",         "3D-solve",
		"Nothing",       "Zero",          "10x"
	};

	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
			parallel_for(labels[i]);
}

int main(int argc, char **argv)
{
	pthread_t other;

	initialize(&argc, argv);
	if (tool.push)
		tool.push("region");
	if (pthread_create(&other, NULL, thread, NULL))
		return 1;
	thread(NULL);
	pthread_join(other, NULL);
	kernel(tool.begin_reduce, tool.end_reduce, "dot");
	kernel(tool.begin_scan, tool.end_scan, "sum");
	if (tool.pop)
		tool.pop();
	copy("y", "x");
	copy("", "x");
	sections();
	fences();
	types();
	if (tool.pop)
		tool.pop(); /* one too many */
	if (tool.finalize)
		tool.finalize();
	puts("done");
	return 0;
}
#endif
