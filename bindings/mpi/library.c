/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI the program has, and how to speak with it; and which libpmu measures it. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "bindings/mpi/mpi.h"
#include "bindings/preload/process/target.h"

#define LIBPMU "libpmu.so.0"

/* --- symbols --- */

struct search {
	const char *name;
	void *found;
};

/* An object that is loaded already, in any scope of symbols. */
static int look_into(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *search = data;
	const char *slash = strrchr(object->dlpi_name, '/');
	void *library;

	(void)size;
	if (strncmp(slash ? slash + 1 : object->dlpi_name, "libmpi", 6) != 0)
		return 0;
	library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return 0;
	search->found = dlsym(library, search->name);
	dlclose(library); /* its own count stays */
	return search->found != NULL;
}

void *mpi_find(const char *name)
{
	struct search search = { .name = name, .found = dlsym(RTLD_NEXT, name) };

	if (!search.found)
		dl_iterate_phdr(look_into, &search);
	(void)dlerror();
	return search.found;
}

/* The program may have a copy of an object in itself, which then all libraries use. */
static mpi_word find_object(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	(void)dlerror();
	return (mpi_word)(found ? found : mpi_find(name));
}

void *mpi_pmu(const char *name)
{
	void *library = dlopen(LIBPMU, RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, name) : NULL;

	if (library)
		dlclose(library);
	(void)dlerror();
	return found;
}

bool mpi_has_preload(void)
{
	void *library = dlopen(PRELOAD_NAME, RTLD_LAZY | RTLD_NOLOAD);

	if (library)
		dlclose(library);
	(void)dlerror();
	return library;
}

/* --- implementations --- */

/* Open MPI's handles are addresses of its own objects. */
static bool take_open_mpi(struct mpi_library *mpi)
{
	mpi->world = find_object("ompi_mpi_comm_world");
	mpi->byte = find_object("ompi_mpi_byte");
	mpi->errors_return = find_object("ompi_mpi_errors_return");
	mpi->status_ignore = 0;
	return mpi->world && mpi->byte && mpi->errors_return;
}

/*
 * MPICH's are numbers, the same in all that share its ABI since 2014: Intel MPI, MVAPICH, Cray's.
 * Source: mpi.h of MPICH 3.1 and later; https://www.mpich.org/abi/
 */
static bool take_mpich(struct mpi_library *mpi)
{
	mpi->world = 0x44000000;
	mpi->byte = 0x4c00010d;
	mpi->errors_return = 0x54000001;
	mpi->status_ignore = 1;
	return true;
}

static const struct {
	const char *says; /* in what MPI_Get_library_version says */
	bool (*take)(struct mpi_library *mpi);
} implementations[] = {
	{ "Open MPI", take_open_mpi }, { "MPICH", take_mpich }, { "Intel(R) MPI", take_mpich },
	{ "MVAPICH", take_mpich },     { "CRAY", take_mpich },
};

/* The ABI of MPI 5, which an implementation may offer beside its own, has other numbers. */
static bool is_standard_abi(void)
{
	void *function = mpi_find("PMPI_Comm_rank");
	Dl_info info;

	return function && dladdr(function, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "libmpi_abi");
}

/* MPI_MAX_LIBRARY_VERSION_STRING: 256 of Open MPI, 8192 of MPICH. */
static char version[8192 + 1];

static bool find_implementation(struct mpi_library *mpi)
{
	int (*ask)(char *, int *) = (int (*)(char *, int *))mpi_find("PMPI_Get_library_version");
	int len = 0;

	if (!ask || ask(version, &len) || is_standard_abi())
		return false;
	for (size_t i = 0; i < PMU_ARRAY_LEN(implementations); i++)
		if (strstr(version, implementations[i].says))
			return implementations[i].take(mpi);
	return false;
}

const char *mpi_library_open(struct mpi_library *mpi)
{
	const struct {
		const char *name;
		void **to;
	} functions[] = {
		{ "PMPI_Initialized", (void **)&mpi->initialized },
		{ "PMPI_Finalized", (void **)&mpi->finalized },
		{ "PMPI_Comm_rank", (void **)&mpi->rank },
		{ "PMPI_Comm_size", (void **)&mpi->size },
		{ "PMPI_Comm_idup", (void **)&mpi->idup },
		{ "PMPI_Test", (void **)&mpi->test },
		{ "PMPI_Comm_set_errhandler", (void **)&mpi->set_errhandler },
		{ "PMPI_Send", (void **)&mpi->send },
		{ "PMPI_Recv", (void **)&mpi->receive },
	};

	if (!find_implementation(mpi))
		return "this MPI is not known here";
	for (size_t i = 0; i < PMU_ARRAY_LEN(functions); i++) {
		*functions[i].to = mpi_find(functions[i].name);
		if (!*functions[i].to)
			return "this MPI is older than MPI 3";
	}
	return NULL;
}
