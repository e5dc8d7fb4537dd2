/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kokkos before 3.7 reads KOKKOS_PROFILE_LIBRARY, later ones KOKKOS_TOOLS_LIBS; these take the other
 * one too, and say on standard error that it is deprecated.  `pmu run` sets the newer variable
 * alone, which may reach many programs.  In a process that has an older Kokkos it is said again
 * here under the name that this one knows.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/preload.h"
#include "bindings/preload/process/target.h"
#include "bindings/preload/symbols/plt.h"

#define NEWER "KOKKOS_TOOLS_LIBS"
#define OLDER "KOKKOS_PROFILE_LIBRARY"

/* void Kokkos::initialize(int &, char **): what a library of Kokkos' has */
#define INITIALIZE "_ZN6Kokkos10initializeERiPPc"

struct search {
	uintptr_t initialize; /* where it is, 0: nowhere */
	bool is_first, is_older;
};

/* Is there a segment with just these rights, and, if asked for, a text in it? */
static bool has_segment(const struct dl_phdr_info *info, ElfW(Word) rights, const char *text)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags == rights &&
		    (!text || memmem((const void *)(info->dlpi_addr + segment->p_vaddr),
				     segment->p_filesz, text, strlen(text) + 1)))
			return true;
	}
	return false;
}

/*
 * Texts are in a segment that can only be read, where the linker made one, else among the code: that
 * of a large program would all be paged in.
 */
static bool has_text(const struct dl_phdr_info *info, const char *text)
{
	return has_segment(info, has_segment(info, PF_R, NULL) ? PF_R : PF_R | PF_X, text);
}

static void look_for_dlopen(const struct plt_object *object, const struct plt_slot *slot,
			    void *data)
{
	(void)object;
	*(bool *)data |= !strcmp(slot->name, "dlopen");
}

/*
 * Linked into a program Kokkos has no symbols for others.  But it opens a tool by dlopen(), which
 * few programs call: only those are searched for its text.
 */
static bool opens_libraries(const struct dl_phdr_info *info)
{
	struct plt_object object;
	bool opens = false;

	if (plt_object_read(info, &object))
		plt_object_slots(&object, look_for_dlopen, &opens);
	return opens;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	bool is_program = search->is_first;

	(void)size;
	search->is_first = false;
	search->is_older = ((search->initialize && plt_info_has(info, search->initialize, 1, 0)) ||
			    (is_program && opens_libraries(info))) &&
			   has_text(info, OLDER) && !has_text(info, NEWER);
	return search->is_older;
}

static int is_cxx_runtime(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = plt_info_name(info);

	(void)size;
	(void)data;
	return !strncmp(name, "libstdc++.", 10) || !strncmp(name, "libc++.", 7);
}

static bool is_older_here(void)
{
	struct search search = { .is_first = true };

	if (!dl_iterate_phdr(is_cxx_runtime, NULL))
		return false;
	search.initialize = (uintptr_t)dlsym(RTLD_DEFAULT, INITIALIZE);
	if (!search.initialize)
		(void)dlerror();
	dl_iterate_phdr(look_at, &search);
	return search.is_older;
}

void preload_kokkos_start(void)
{
	const char *tool = getenv(NEWER), *older;
	bool is_older;

	/* where the user has named a tool, that one is it */
	if (!tool || !target_is_annotations(tool))
		return;
	is_older = is_older_here();
	older = getenv(OLDER);
	if (is_older && !(older && *older))
		setenv(OLDER, tool, true);
	else if (!is_older && older && !strcmp(older, tool))
		unsetenv(OLDER); /* of the process that has started this one */
}
