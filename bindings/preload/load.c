/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds libpmu, and starts the session. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/lost.h"
#include "base/write.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

#define LIBRARY "libpmu.so.0"

enum phase {
	UNSTARTED = 0,
	STARTING,
	STARTED, /* with or without success */
};

static int phase;
static unsigned int parts; /* enum preload_part; written before STARTED */
static bool measured;      /* there is a session; likewise, and it may end */
static pid_t session_pid;

/* Where libpmu's code lies. */
static uintptr_t library_first, library_size;

/* --- the functions behind ours --- */

/* The oldest version of libc on each machine: some functions are there under it alone. */
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

void *preload_next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		found = dlvsym(RTLD_NEXT, name, OLDEST);
	if (!found)
		(void)dlerror(); /* what the program asks for is what it did itself */
	return found;
}

void preload_behind_find(struct preload_behind *table, size_t n)
{
	int saved = errno;

	for (size_t i = 0; i < n; i++)
		if (!__atomic_load_n(&table[i].function, __ATOMIC_RELAXED))
			__atomic_store_n(&table[i].function, preload_next(table[i].name),
					 __ATOMIC_RELAXED);
	errno = saved;
}

/* --- settings: those that decide whether there is anything to do --- */

/*
 * Under 'pmu run --emulate' valgrind's own programs have what is preloaded, too.  In the one that
 * it runs, valgrind preloads something itself.
 */
static bool is_beside_valgrind(void)
{
	const char *log = getenv("PMU_VALGRIND_LOG"), *preloaded = getenv("LD_PRELOAD");

	return log && *log && !(preloaded && strstr(preloaded, "vgpreload_"));
}

bool preload_possible(void)
{
	static const char *const off[] = { "0", "no", "off", "false" };
	const char *enable = getenv("PMU_ENABLE");

	if (getauxval(AT_SECURE) || is_beside_valgrind())
		return false;
	for (size_t i = 0; enable && i < PRELOAD_ARRAY_LEN(off); i++)
		if (!strcasecmp(enable, off[i]))
			return false;
	return true;
}

static unsigned int wanted_parts(void)
{
	return preload_parts(getenv("PMU_AUTO"));
}

/* --- the library --- */

/* To the user, and to the command, which would take it for a program without regions. */
static void say_unmeasured(const char *why)
{
	const char *kept = getenv("PMU_STORE");
	char line[512];
	int len = snprintf(line, sizeof(line), "pmu: %s; the program runs unmeasured\n", why);

	if (len >= (int)sizeof(line))
		len = snprintf(line, sizeof(line),
			       "pmu: " LIBRARY " cannot be loaded; the program runs unmeasured\n");
	pmu_write_message(STDERR_FILENO, line, (size_t)len, false);
	if (kept && kept[0] == '/')
		pmu_lost_say(kept, why);
}

/*
 * Below the folder that this library is in.  A broken file says why; one that is not there has
 * nothing to say.
 */
static void *open_below(const char *below, char *why, size_t size)
{
	char path[4096];
	const char *slash;
	Dl_info here;
	void *library;
	int len;

	if (!dladdr(&phase, &here) || !here.dli_fname || !(slash = strrchr(here.dli_fname, '/')))
		return NULL;
	len = snprintf(path, sizeof(path), "%.*s/%s" LIBRARY, (int)(slash - here.dli_fname),
		       here.dli_fname, below);
	if (len >= (int)sizeof(path) || access(path, F_OK) < 0)
		return NULL;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library && !*why)
		snprintf(why, size, "%s", dlerror());
	return library;
}

/* The program's own first: there must be one session, not two. */
static void *open_library(char *why, size_t size)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);

	if (!library)
		library = open_below("", why, size);
	if (!library)
		library = open_below("../../lib/.libs/", why, size); /* where it was built */
	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library && !*why)
		snprintf(why, size, "%s", dlerror());
	return library;
}

static int find_code(struct dl_phdr_info *object, size_t size, void *data)
{
	const void *inside = data;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t first = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || (uintptr_t)inside - first >= segment->p_memsz)
			continue;
		library_first = first;
		library_size = segment->p_memsz;
		return 1;
	}
	return 0;
}

bool preload_is_libpmu(uintptr_t address)
{
	return address - library_first < library_size;
}

static bool load_library(void)
{
	char why[400] = "";
	void *library = open_library(why, sizeof(why));
	bool known;

	if (library) {
		known = preload_forward_open(library);
		if (known)
			dl_iterate_phdr(find_code, dlsym(library, "pmu_init"));
		else
			snprintf(why, sizeof(why),
				 LIBRARY " is of another version than " PMU_VERSION_STRING);
	} else {
		known = false;
	}
	(void)dlerror();
	if (!known)
		say_unmeasured(why);
	return known;
}

/* --- the session --- */

/* Threads are pinned where PMU_PIN asks for it, and for a source that counts processors. */
static int start_session(void)
{
	const char *pin = getenv("PMU_PIN"), *source = getenv("PMU_BACKEND");
	bool asked = (pin && *pin) || (source && !strcmp(source, "msr"));
	struct pmu_options options = {
		.size = sizeof(options),
		.pin = asked ? NULL : "none",
		.events = wanted_parts() & PRELOAD_PAPI ? preload_papi_events() : NULL,
	};
	int rc = pmu_init(&options);

	/* a constructor of the program's may have been first */
	return rc == -EALREADY ? 0 : rc;
}

/* Groups take turns between calls of outermost regions: what is one call from start to end has one of them. */
static unsigned int without_lives(unsigned int wanted)
{
	const char *rotate = getenv("PMU_ROTATE"), *automatic = getenv("PMU_AUTO");

	/* with any other word for no the call below would go to the next group */
	if (!rotate || strcmp(rotate, "1") != 0 || (automatic && *automatic) ||
	    pmu_group_next() != -EALREADY)
		return wanted;
	pmu_note(
		"groups take turns between calls: main and threads, which are one call each, are no "
		"regions; PMU_AUTO=main,threads makes them");
	return wanted & ~(unsigned int)(PRELOAD_MAIN | PRELOAD_THREADS);
}

static void start_parts(void)
{
	preload_life_start();
	preload_death_start();
	if (parts & PRELOAD_LOCKS)
		preload_locks_start();
	if (parts & (PRELOAD_WRAP | PRELOAD_LOCKS))
		preload_wrap_start(parts & PRELOAD_WRAP ? getenv("PMU_WRAP") : NULL);
	if (parts & PRELOAD_KOKKOS)
		preload_kokkos_start();
}

static void start(void)
{
	int expected = UNSTARTED, saved = errno;

	/* Calls that come meanwhile, also this thread's own from in here, are not measured. */
	if (!__atomic_compare_exchange_n(&phase, &expected, STARTING, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	if (preload_possible() && load_library() && start_session() == 0) {
		session_pid = getpid();
		parts = without_lives(wanted_parts());
		if (parts & PRELOAD_LIKWID && preload_likwid_alone())
			parts = PRELOAD_LIKWID;
		measured = true;
		start_parts();
	}
	__atomic_store_n(&phase, STARTED, __ATOMIC_RELEASE);
	errno = saved;
}

/* Out of the way of what is asked again and again. */
static __attribute__((noinline, cold)) bool start_and_ask(enum preload_part part)
{
	start();
	return __atomic_load_n(&phase, __ATOMIC_ACQUIRE) == STARTED &&
	       __atomic_load_n(&parts, __ATOMIC_RELAXED) & (unsigned int)part;
}

bool preload_on(enum preload_part part)
{
	if (unlikely(__atomic_load_n(&phase, __ATOMIC_ACQUIRE) != STARTED))
		return start_and_ask(part);
	return __atomic_load_n(&parts, __ATOMIC_RELAXED) & (unsigned int)part;
}

bool preload_started(void)
{
	return __atomic_load_n(&phase, __ATOMIC_ACQUIRE) == STARTED;
}

static bool is_measured(void)
{
	return __atomic_load_n(&phase, __ATOMIC_ACQUIRE) == STARTED &&
	       __atomic_load_n(&measured, __ATOMIC_RELAXED);
}

bool preload_is_child(void)
{
	return is_measured() && getpid() != session_pid;
}

bool preload_measured(void)
{
	return is_measured() && getpid() == session_pid;
}

void preload_forked(void)
{
	session_pid = getpid();
	preload_life_go_on();
}

void preload_stop(const char *why)
{
	int saved = errno;

	if (!preload_measured())
		return;
	if (preload_life_waits())
		pmu_thread_attach();
	preload_main_end();
	/* what is open of the program's own ends with the measurement, and was not forgotten */
	pmu_checkpoint(PMU_NEXT_EXIT);
	pmu_note(why);
	pmu_fini();
	__atomic_store_n(&parts, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&measured, false, __ATOMIC_RELAXED);
	preload_death_stop();
	errno = saved;
}
