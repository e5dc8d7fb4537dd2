/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu version`: which one this is, how it was built, and what else a report of a mistake needs. */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/command.h"
#include "bindings/command/doctor/doctor.h"
#include "pmu.h"

/* --- how it was built --- */

#ifdef __clang__
#define COMPILER "" /* its version begins with its name */
#else
#define COMPILER "gcc "
#endif

#ifdef HAVE_ZLIB
#define WITH_ZLIB "zlib "
#else
#define WITH_ZLIB ""
#endif
#ifdef HAVE_NCURSES
#define WITH_NCURSES "ncurses "
#else
#define WITH_NCURSES ""
#endif
#ifdef HAVE_DW
#define WITH_ELFUTILS "elfutils "
#else
#define WITH_ELFUTILS ""
#endif
#ifdef LIBCPUID_SONAME
#define WITH_LIBCPUID "libcpuid "
#else
#define WITH_LIBCPUID ""
#endif
#ifdef VALGRIND_PLATFORM
#define WITH_VALGRIND "valgrind-tool "
#else
#define WITH_VALGRIND ""
#endif

static void add_build(struct pmu_strbuf *out)
{
	pmu_strbuf_add(out, "Built\n");
	pmu_doctor_line(out, "for", BUILD_HOST);
	pmu_doctor_line(out, "by", COMPILER __VERSION__);
	pmu_doctor_line(out, "flags", BUILD_FLAGS);
	pmu_doctor_line(out, "with",
			WITH_ZLIB WITH_NCURSES WITH_ELFUTILS WITH_LIBCPUID WITH_VALGRIND);
}

/* --- libraries --- */

/* How a library tells its version. */
union teller {
	const char *(*text)(void);
	unsigned int (*number)(void);
	void *found;
};

static void tell_text(const union teller *tell, char *text, size_t size)
{
	snprintf(text, size, "%s", tell->text());
}

/* 0x020800: that of the interface, which is not each release's */
static void tell_hwloc(const union teller *tell, char *text, size_t size)
{
	unsigned int version = tell->number();

	snprintf(text, size, "interface %u.%u", version >> 16, version >> 8 & 0xff);
}

/* 0x00040000 */
static void tell_pfm(const union teller *tell, char *text, size_t size)
{
	unsigned int version = tell->number();

	snprintf(text, size, "%u.%u", version >> 16, version & 0xffff);
}

static const struct {
	const char *name, *file; /* NULL: this program is linked with it, if with any */
	const char *symbol;
	void (*tell)(const union teller *tell, char *text, size_t size);
} libraries[] = {
	{ "hwloc", "libhwloc.so.15", "hwloc_get_api_version", tell_hwloc },
	{ "libpfm4", "libpfm.so.4", "pfm_get_version", tell_pfm },
#ifdef LIBCPUID_SONAME
	{ "libcpuid", LIBCPUID_SONAME, "cpuid_lib_version", tell_text },
#endif
	{ "jansson", NULL, "jansson_version_str", tell_text },
	{ "zlib", NULL, "zlibVersion", tell_text },
	{ "ncurses", NULL, "curses_version", tell_text },
};

static void add_libraries(struct pmu_strbuf *out)
{
	pmu_strbuf_add(out, "\nLibraries\n");
	pmu_doctor_line(out, "libc", gnu_get_libc_version());
	for (size_t i = 0; i < PMU_ARRAY_LEN(libraries); i++) {
		void *library = libraries[i].file ? dlopen(libraries[i].file, RTLD_NOW | RTLD_LOCAL)
						  : RTLD_DEFAULT;
		union teller teller = { .found = NULL };
		char text[128] = "not there";

		if (library || !libraries[i].file)
			teller.found = dlsym(library, libraries[i].symbol);
		if (teller.found)
			libraries[i].tell(&teller, text, sizeof(text));
		pmu_doctor_line(out, libraries[i].name, text);
	}
}

/* --- the command --- */

struct request {
	bool verbose;
};

static const struct pmu_option version_options[] = {
	{ "--verbose", 'v', PMU_OPTION_FLAG(struct request, verbose),
	  .help = "for reports of mistakes: also how it was built, its libraries, the machine and what can be counted there; no names of hosts, users or their folders" },
	{ 0 },
};

static int run_version(const struct pmu_command *self, int argc, char **argv)
{
	struct pmu_strbuf out = { 0 };
	struct request request = { .verbose = false };

	for (int i = 1; i < argc; i++) {
		int rc;

		if (argv[i][0] != '-')
			return pmu_command_usage_error(self, "version takes no '%s'", argv[i]);
		rc = pmu_command_option(self, version_options, &request, argv, &i);
		if (rc)
			return rc;
	}
	pmu_strbuf_addf(&out, "pmu (libpmu) %s\n", PMU_VERSION_STRING);
	if (request.verbose) {
		pmu_strbuf_add(&out, "\n");
		add_build(&out);
		add_libraries(&out);
		pmu_strbuf_add(&out, "\n");
		pmu_doctor_here(&out);
	}
	return pmu_command_print(&out);
}

const struct pmu_command pmu_command_version = {
	.name = "version",
	.usage = "version [--verbose]",
	.about = "tell the version",
	.help = "Tells the version, as 'pmu --version' does.\n",
	.options = version_options,
	.run = run_version,
};
