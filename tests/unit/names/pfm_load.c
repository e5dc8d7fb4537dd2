/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When libpfm4 is loaded, and what is left without it.  The library remembers: each case has a
 * process of its own.
 */
#include "names/pfm/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "names/pfm/pfm.h"
#include "names/terms.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "tests/tap.h"

#define NEEDED "native event names need libpfm4"

/* What a case found out. */
static struct answer {
	int n_loads, flags;
	int first, again, event, generic, raw, terms, forked;
	char text[PMU_ERROR_MAX], event_text[PMU_ERROR_MAX], forked_text[PMU_ERROR_MAX];
} * answer;

static const struct pmu_cpu_model *sandy_bridge;

/* --- in the loader's place --- */

static const char *instead; /* what is loaded in libpfm4's place; NULL: itself */
static void (*meanwhile)(void);

void *dlopen(const char *name, int flags)
{
	void *found = dlsym(RTLD_NEXT, "dlopen");
	void *(*real)(const char *, int);

	memcpy(&real, &found, sizeof(real));
	if (!name || strcmp(name, "libpfm.so.4") != 0)
		return real(name, flags);
	answer->n_loads++;
	answer->flags = flags;
	if (meanwhile)
		meanwhile();
	return real(instead ? instead : name, flags);
}

/* --- asking --- */

static int encode(const char *text)
{
	char label[PMU_EVENT_NAME_MAX];
	struct pmu_slot slot = { .user = true };

	return pmu_pfm_encode(text, sandy_bridge, &slot, label, sizeof(label));
}

static void ask(void)
{
	/* a processor of which the library has no table of its own */
	struct pmu_catalog core2 = { .id = { .vendor = "GenuineIntel", .family = 6, .model = 0x17 },
				     .sysfs = "" };
	char terms[] = "cpu/event=0x0e,umask=1/", *rest;
	struct pmu_event event;

	core2.model = pmu_cpu_model_find(&core2.id);
	answer->first = encode("UOPS_ISSUED.ANY");
	snprintf(answer->text, sizeof(answer->text), "%s", pmu_error_text());
	answer->again = encode("snb::UOPS_ISSUED:ANY");
	answer->event = pmu_event_parse("UOPS_ISSUED.ANY", &core2, &event);
	snprintf(answer->event_text, sizeof(answer->event_text), "%s", pmu_error_text());
	answer->generic = pmu_event_parse("instructions:uk", NULL, &event);
	answer->raw = pmu_event_parse("r10e", NULL, &event);
	answer->terms = pmu_terms_parse(terms, NULL, sandy_bridge, &event, &rest);
}

/* Another thread's, in the middle of the first one's loading. */
static void fork_and_ask(void)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(2);
	if (!pid) {
		meanwhile = NULL;
		answer->forked = encode("UOPS_ISSUED.ANY");
		snprintf(answer->forked_text, sizeof(answer->forked_text), "%s", pmu_error_text());
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void in_a_process(const char *library, void (*during)(void))
{
	int status = -1;
	pid_t pid;

	memset(answer, 0, sizeof(*answer));
	pid = fork();
	if (pid < 0)
		exit(2);
	if (!pid) {
		instead = library;
		meanwhile = during;
		ask();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, library ? library : "libpfm.so.4");
}

static void others_work(void)
{
	is_int(answer->generic, 0, "  a generic name");
	is_int(answer->raw, 0, "  a raw code");
	is_int(answer->terms, 0, "  perf's terms");
}

/* --- cases --- */

static void says_what_is_missing(void)
{
	in_a_process("libpmu-test-missing.so.4", NULL);
	is_int(answer->first, -ENOTSUP, "  a native name is not supported");
	has(answer->text, NEEDED " (Debian: libpfm4); libpmu-test-missing.so.4: ",
	    "  and says what it needs, and why");
	is_int(answer->event, -EINVAL, "  an event's text is refused");
	has(answer->event_text, NEEDED " (Debian: libpfm4)", "  with the same words");
	is_int(answer->again, -ENOTSUP, "  the next one neither");
	is_int(answer->n_loads, 1, "  it is looked for once");
	others_work();
}

static void wants_every_function(void)
{
	in_a_process("libc.so.6", NULL);
	is_int(answer->first, -ENOTSUP, "  a library of another kind is none");
	has(answer->text, NEEDED, "  and says so");
	has(answer->text, "pfm_initialize", "  and names what it lacks");
	others_work();
}

static void loads_once(void)
{
	in_a_process(NULL, NULL);
	is_int(answer->first, 0, "  a native name");
	is_int(answer->again, 0, "  another");
	is_int(answer->n_loads, 1, "  one loading");
	is_int(answer->flags, RTLD_NOW | RTLD_LOCAL, "  for nobody else");
	others_work();
}

/* The loader's lists may be half written in the child: it keeps off them, and does not wait. */
static void a_fork_in_the_middle_is_told(void)
{
	in_a_process(NULL, fork_and_ask);
	is_int(answer->forked, -ENOTSUP, "  not in the child");
	has(answer->forked_text, "when this process was forked", "  and says why");
	is_int(answer->first, 0, "  the parent has it");
	is_int(answer->n_loads, 1, "  one loading");
}

static void other_names_load_nothing(void)
{
	char terms[] = "cpu/event=0x0e,umask=1/", *rest;
	struct pmu_event event;

	memset(answer, 0, sizeof(*answer));
	is_int(pmu_event_parse("instructions:uk", NULL, &event), 0, "a generic name");
	is_int(pmu_event_parse("r10e", NULL, &event), 0, "a raw code");
	is_int(pmu_terms_parse(terms, NULL, sandy_bridge, &event, &rest), 0, "perf's terms");
	is_int(answer->n_loads, 0, "nothing is loaded for them");
}

int main(void)
{
	struct pmu_cpu_id id = {
		.vendor = "GenuineIntel", .family = 6, .model = 0x2a, .stepping = 7
	};

	sandy_bridge = pmu_cpu_model_find(&id);
	answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (!sandy_bridge || answer == MAP_FAILED)
		return 2;
	other_names_load_nothing();
	says_what_is_missing();
	wants_every_function();
	loads_once();
	a_fork_in_the_middle_is_told();
	return done_testing();
}
