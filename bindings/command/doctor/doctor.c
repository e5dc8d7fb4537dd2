/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu doctor`: what can be counted on this machine, what not and why, and what would
 * mend it. */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "bindings/command/command.h"
#include "bindings/command/doctor/doctor.h"
#include "bindings/command/run/run.h"
#include "bindings/preload/process/target.h"
#include "counters/backend.h"
#include "counters/valgrind/valgrind.h"
#include "machine/clock.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "machine/topology.h"
#include "plan/group.h"
#include "session/fit.h"
#include "store/place.h"
#include "store/read/list.h"

#define WIDTH          96
#define LABEL_COLUMN   14
#define SETTING_COLUMN 34
#define FEWER          "ask for fewer events"

/* --- machine --- */

static void add_processors(struct pmu_strbuf *line)
{
	struct pmu_topology *topology;
	const struct pmu_pu *pu;
	unsigned int n_cores, n_packages;
	size_t n;

	if (pmu_topology_load(&topology)) {
		pmu_strbuf_addf(line, ", %ld processors", sysconf(_SC_NPROCESSORS_ONLN));
		return;
	}
	n = pmu_topology_pus(topology, &pu);
	n_cores = pmu_topology_n_cores(topology);
	n_packages = pmu_topology_n_packages(topology);
	pmu_strbuf_addf(line, ", %zu processor%s for this process (%u core%s, %u socket%s)", n,
			n == 1 ? "" : "s", n_cores, n_cores == 1 ? "" : "s", n_packages,
			n_packages == 1 ? "" : "s");
	pmu_topology_free(topology);
}

void pmu_doctor_machine(struct pmu_strbuf *line)
{
	struct pmu_cpu_id id;
	bool known = !pmu_cpu_identify(&id);

	pmu_strbuf_add(line, known && id.brand[0] ? id.brand : "unknown processor");
	if (known)
		pmu_strbuf_addf(line, " (%s-%u-%u-%u)", id.vendor, id.family, id.model,
				id.stepping);
	add_processors(line);
	if (known && id.hypervisor)
		pmu_strbuf_addf(line, ", virtual machine%s%s%s", id.hypervisor_name[0] ? " (" : "",
				id.hypervisor_name, id.hypervisor_name[0] ? ")" : "");
}

static void add_doctor_machine(struct pmu_strbuf *out)
{
	struct pmu_strbuf line = { 0 };
	struct utsname name;

	pmu_doctor_machine(&line);
	pmu_strbuf_add(out, "Machine\n");
	pmu_doctor_line(out, "processor", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	if (!uname(&name)) {
		pmu_strbuf_addf(&line, "%s %s %s", name.sysname, name.release, name.machine);
		pmu_doctor_line(out, "kernel", pmu_strbuf_text(&line));
		pmu_strbuf_free(&line);
	}
	pmu_doctor_line(out, "clock", pmu_clock_name(pmu_clock_choose()));
}

/* --- sources --- */

/* A group to try each source with; others count nothing. */
static const struct {
	const char *backend;
	const char *group;
} tried_with[] = {
	{ "perf", "CORE" },
	{ "msr", "CORE" },
	{ "software", "SOFTWARE" },
	{ "nvml", "GPU" },
};

static int probe_source(void *arg, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	const struct pmu_backend *const *backend = arg;

	return pmu_backend_probe(*backend, plan, probe);
}

/* Opens the source as a thread of a program would.  Return: whether counts are read
 * without the kernel. */
static bool describe_source(const struct pmu_backend *backend, const struct pmu_plan *plan,
			    char *text, size_t size)
{
	struct pmu_attachment got = { 0 };
	pmu_read_fn *read = NULL;
	size_t thread_size;
	void *state, *thread;

	text[0] = '\0';
	/* nothing is programmed just to look */
	if (backend->exclusive || backend->open(&state, plan))
		return false;
	thread_size = PMU_ALIGN_UP(backend->thread_size(plan), 64);
	thread = aligned_alloc(64, thread_size ? thread_size : 64);
	if (thread) {
		memset(thread, 0, thread_size);
		if (!backend->attach(state, thread, -1, &read, &got)) {
			backend->describe(state, text, size);
			backend->detach(state, thread);
		}
		free(thread);
	}
	backend->close(state);
	return got.user_read;
}

static void add_names(struct pmu_strbuf *text, const struct pmu_group *group, uint32_t slots)
{
	const char *between = "";

	for (unsigned int i = 0; i < group->n_events; i++) {
		if (!(slots >> i & 1))
			continue;
		pmu_strbuf_addf(text, "%s%s", between, group->event[i].name);
		between = ", ";
	}
}

void pmu_doctor_line(struct pmu_strbuf *out, const char *label, const char *text)
{
	pmu_command_item(out, LABEL_COLUMN, WIDTH, label, text);
}

void pmu_doctor_advice(struct pmu_strbuf *out, const char *what_for, const char *advice)
{
	struct pmu_strbuf line = { 0 };

	pmu_strbuf_addf(&line, "%s: %s", what_for, advice);
	pmu_doctor_line(out, "", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
}

static void add_mend(struct pmu_strbuf *out, const char *mend)
{
	if (mend[0])
		pmu_doctor_advice(out, "to fix it", mend);
}

/* "not: cpu-migrations: why"; without a name what else the source has to say */
static void add_loss_words(struct pmu_strbuf *out, const struct pmu_fit_loss *loss)
{
	struct pmu_strbuf line = { 0 };

	if (!loss->why[0])
		return;
	if (loss->names[0])
		pmu_strbuf_addf(&line, "not: %s: ", loss->names);
	pmu_strbuf_add(&line, loss->why);
	pmu_doctor_line(out, "", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	/* what is tried here is not what the user asked for */
	if (strncmp(loss->mend, FEWER, strlen(FEWER)) != 0)
		add_mend(out, loss->mend);
}

static void add_usable(struct pmu_strbuf *out, const struct pmu_doctor_source *source)
{
	const struct pmu_backend *backend = source->backend;
	const struct pmu_group *group = &source->group;
	const struct pmu_fit *fit = &source->fit;
	const char *text = source->detail;
	struct pmu_strbuf line = { 0 };

	pmu_strbuf_addf(&line, "usable%s%s", text[0] ? ": " : "", text);
	if (backend->counts && !strstr(text, "read"))
		pmu_strbuf_addf(&line, "; read %s",
				source->user_read ? "in user space" : "by system calls");
	pmu_doctor_line(out, backend->name, pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	if (!backend->counts)
		return;
	pmu_strbuf_addf(&line, "counts of %s: ", group->name);
	add_names(&line, group, pmu_plan_mask(&fit->plan) & ~fit->plan.absent);
	pmu_doctor_line(out, "", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	for (size_t i = 0; i < PMU_ARRAY_LEN(fit->lost); i++)
		add_loss_words(out, &fit->lost[i]);
	add_loss_words(out, &fit->missing);
}

void pmu_doctor_try(const struct pmu_backend *backend, struct pmu_doctor_source *source)
{
	struct pmu_machine_from from;
	struct pmu_fit *fit = &source->fit;

	*source = (struct pmu_doctor_source){ .backend = backend };
	for (size_t i = 0; i < sizeof(tried_with) / sizeof(tried_with[0]); i++)
		if (!strcmp(tried_with[i].backend, backend->name))
			pmu_group_find(tried_with[i].group, NULL, &source->group);
	pmu_group_plan(&source->group, &fit->plan);
	fit->plan.from = pmu_command_machine(&from) ? &from : NULL;
	source->usable = !pmu_fit(&source->group, true, false, probe_source, (void *)&backend, fit);
	if (source->usable)
		source->user_read = describe_source(backend, &fit->plan, source->detail,
						    sizeof(source->detail));
	fit->plan.from = NULL;
}

static void add_counter_tool(struct pmu_strbuf *out)
{
	char folder[PATH_MAX], why[PATH_MAX + 64];
	struct pmu_strbuf line = { 0 };

	if (pmu_run_tool_find(folder, sizeof(folder), why, sizeof(why)))
		pmu_strbuf_add(
			&line,
			"instructions alone: pmu run --emulate=fast -- COMMAND; 5 to 15 times as long");
	else
		pmu_strbuf_addf(&line, "not usable: --emulate=fast: %s", why);
	pmu_doctor_line(out, "", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
}

/* One that needs another start of the program; false: it is as any other, also where it runs so. */
static bool add_simulated(struct pmu_strbuf *out, const struct pmu_backend *backend)
{
	char path[PATH_MAX];

	if (!backend->simulated || !pmu_valgrind_built())
		return false;
	if (target_search("valgrind", path, sizeof(path))) {
		pmu_doctor_line(
			out, backend->name,
			"on request: pmu run --emulate -- COMMAND; takes 20 to 100 times as long");
		add_counter_tool(out);
	} else {
		pmu_doctor_line(out, backend->name, "not usable: there is no valgrind in PATH");
		add_mend(out, "install the package of that name");
	}
	return true;
}

static void add_source(struct pmu_strbuf *out, const struct pmu_backend *backend)
{
	struct pmu_doctor_source source;
	struct pmu_strbuf line = { 0 };

	if (add_simulated(out, backend))
		return;
	pmu_doctor_try(backend, &source);
	if (source.usable) {
		add_usable(out, &source);
		return;
	}
	pmu_strbuf_addf(&line, "not usable: %s", source.fit.first.why);
	pmu_doctor_line(out, backend->name, pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	add_mend(out, source.fit.first.mend);
}

static void add_sources(struct pmu_strbuf *out)
{
	int i;

	pmu_strbuf_add(out, "\nSources of counts, best first\n");
	for (i = 0; pmu_backends[i]; i++)
		add_source(out, pmu_backends[i]);
}

/* --- settings --- */

static const struct setting {
	const char *name; /* as sysctl has it */
	const char *path;
	bool quiet; /* not a line where it does not exist */
	struct {
		int64_t at_least; /* the first that fits counts */
		const char *words;
	} meaning[4];
} settings[] = {
	{ "kernel.perf_event_paranoid",
	  "/proc/sys/kernel/perf_event_paranoid",
	  false,
	  { { 3, "users without rights may count nothing" },
	    { 2, "users may count at user level" },
	    { 1, "users may count at user and kernel level" },
	    { INT64_MIN, "users may also count what runs on a whole processor" } } },
	{ "kernel.perf_user_access",
	  "/proc/sys/kernel/perf_user_access",
	  true,
	  { { 1, "counters can be read in user space" },
	    { INT64_MIN, "counters are read by system calls; 1 would allow user space" } } },
	{ "kernel.nmi_watchdog",
	  "/proc/sys/kernel/nmi_watchdog",
	  true,
	  { { 1, "may hold one counter of each processor" }, { INT64_MIN, "holds no counter" } } },
	{ "kernel.perf_event_mlock_kb",
	  "/proc/sys/kernel/perf_event_mlock_kb",
	  true,
	  { { INT64_MIN, "KiB per processor for pages that counters are read through" } } },
};

static const char *meaning_of(const struct setting *setting, int64_t value)
{
	size_t i;

	for (i = 0; i < PMU_ARRAY_LEN(setting->meaning); i++)
		if (setting->meaning[i].words && value >= setting->meaning[i].at_least)
			return setting->meaning[i].words;
	return "";
}

bool pmu_doctor_setting(unsigned int i, struct pmu_doctor_setting *out)
{
	if (i >= PMU_ARRAY_LEN(settings))
		return false;
	*out = (struct pmu_doctor_setting){ .name = settings[i].name };
	out->error = pmu_sysfile_i64(settings[i].path, &out->value);
	out->meaning = out->error ? "" : meaning_of(&settings[i], out->value);
	return true;
}

static void add_setting(struct pmu_strbuf *out, const struct setting *setting)
{
	char text[160];
	int64_t value;
	int rc = pmu_sysfile_i64(setting->path, &value);

	if (rc && setting->quiet)
		return;
	if (rc)
		snprintf(text, sizeof(text), "cannot be read: %s", strerror(-rc));
	else
		snprintf(text, sizeof(text), "%" PRId64 ", %s", value, meaning_of(setting, value));
	pmu_command_item(out, SETTING_COLUMN, WIDTH, setting->name, text);
}

/* The x86 kernel's own switch for rdpmc, one for each kind of core. */
static void add_rdpmc(struct pmu_strbuf *out)
{
	static const char *const words[] = {
		"rdpmc is switched off: counts are read by system calls",
		"rdpmc is allowed for events of one's own", "rdpmc is allowed for everybody"
	};
	static const char *const pmus[] = { "cpu", "cpu_core", "cpu_atom" };
	char path[96], text[160];
	uint64_t value;
	size_t i;

	for (i = 0; i < PMU_ARRAY_LEN(pmus); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/rdpmc", pmus[i]);
		if (pmu_sysfile_u64(path, &value) || value >= PMU_ARRAY_LEN(words))
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 ", %s", value, words[value]);
		pmu_command_item(out, SETTING_COLUMN, WIDTH,
				 path + strlen("/sys/bus/event_source/"), text);
	}
}

static void add_limit(struct pmu_strbuf *out, const char *name, int resource, const char *unit,
		      rlim_t divisor)
{
	char text[160], part[2][32];
	struct rlimit limit;
	rlim_t value;
	int i;

	if (getrlimit((__rlimit_resource_t)resource, &limit))
		return;
	for (i = 0; i < 2; i++) {
		value = i ? limit.rlim_max : limit.rlim_cur;
		if (value == RLIM_INFINITY)
			snprintf(part[i], sizeof(part[i]), "unlimited");
		else
			snprintf(part[i], sizeof(part[i]), "%llu%s",
				 (unsigned long long)(value / divisor), unit);
	}
	snprintf(text, sizeof(text), "%s, can be raised to %s", part[0], part[1]);
	pmu_command_item(out, SETTING_COLUMN, WIDTH, name,
			 limit.rlim_cur == limit.rlim_max ? part[0] : text);
}

static void add_doctor_settings(struct pmu_strbuf *out)
{
	size_t i;

	pmu_strbuf_add(out, "\nSettings and limits\n");
	for (i = 0; i < PMU_ARRAY_LEN(settings); i++)
		add_setting(out, &settings[i]);
	add_rdpmc(out);
	add_limit(out, "open files (ulimit -n)", RLIMIT_NOFILE, "", 1);
	add_limit(out, "locked memory (ulimit -l)", RLIMIT_MEMLOCK, " KiB", 1024);
	add_limit(out, "size of a file (ulimit -f)", RLIMIT_FSIZE, " KiB", 1024);
}

/* --- stores --- */

static void add_room(struct pmu_strbuf *line, const char *dir)
{
	struct statvfs fs;

	if (!statvfs(dir, &fs))
		pmu_strbuf_addf(line, ", %llu MiB free",
				(unsigned long long)fs.f_bavail * fs.f_frsize >> 20);
}

struct store_counts {
	unsigned int left;
	unsigned int running;
};

static void count_store(struct store_counts *counts, const struct pmu_store_entry *entry)
{
	if (entry->liveness == PMU_PROCESS_ALIVE)
		counts->running++;
	else
		counts->left++;
}

/* Those in the folder @dir and those in others of this user. */
static void count_stores(const char *dir, struct store_counts *here, struct store_counts *elsewhere)
{
	struct pmu_store_entry *entry = NULL;
	size_t len = strlen(dir);
	int n = pmu_store_list(&entry), i;

	for (i = 0; i < n; i++) {
		const char *name = strrchr(entry[i].path, '/');
		bool is_here = len && name && (size_t)(name - entry[i].path) == len &&
			       !memcmp(entry[i].path, dir, len);

		count_store(is_here ? here : elsewhere, &entry[i]);
	}
	free(entry);
}

static void add_counts(struct pmu_strbuf *out, const char *label, const char *where,
		       const struct store_counts *counts)
{
	struct pmu_strbuf line = { 0 };

	pmu_strbuf_addf(&line, "%u left over, %u of running programs%s%s", counts->left,
			counts->running, where,
			counts->left || counts->running ? "; 'pmu report' lists them" : "");
	pmu_doctor_line(out, label, pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
}

static void add_stores(struct pmu_strbuf *out)
{
	struct store_counts here = { 0, 0 }, elsewhere = { 0, 0 };
	struct pmu_strbuf line = { 0 };
	char dir[512];

	pmu_strbuf_add(out, "\nStores\n");
	if (pmu_store_dir(1, dir, sizeof(dir))) {
		dir[0] = '\0';
		pmu_strbuf_addf(&line,
				"%s; results are kept in memory and lost with a program that "
				"is killed",
				pmu_error_text());
	} else {
		pmu_strbuf_add(&line, dir);
		add_room(&line, dir);
	}
	pmu_doctor_line(out, "folder", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	count_stores(dir, &here, &elsewhere);
	if (dir[0])
		add_counts(out, "now", "", &here);
	if (elsewhere.left || elsewhere.running)
		add_counts(out, "elsewhere", " in other folders of yours", &elsewhere);
}

void pmu_doctor_here(struct pmu_strbuf *out)
{
	add_doctor_machine(out);
	add_sources(out);
	add_doctor_settings(out);
}

struct request {
	bool noise, json;
};

static const struct pmu_option doctor_options[] = {
	{ "--noise", PMU_OPTION_FLAG(struct request, noise),
	  .help = "what makes times vary here instead, and how to stop it; looks for a second, in which one processor does the same work again and again" },
	{ "--json", PMU_OPTION_FLAG(struct request, json), .help = "for programs" },
	{ 0 },
};

static int run_doctor(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .noise = false };
	struct pmu_strbuf out = { 0 };

	for (int i = 1; i < argc; i++) {
		int rc = pmu_command_option(self, doctor_options, &request, argv, &i);

		if (rc)
			return rc;
	}
	if (request.noise)
		return pmu_doctor_noise(request.json);
	if (request.json)
		return pmu_doctor_json();
	pmu_doctor_here(&out);
	add_stores(&out);
	return pmu_command_print(&out);
}

const struct pmu_command pmu_command_doctor = {
	.name = "doctor",
	.usage = "doctor [--noise] [--json]",
	.about = "say what can be counted here, what not and why, and what would fix it",
	.help = "Tries every source of counts as a measured program would, and shows the settings of the\n"
		"machine that decide what they can do.  It changes none of them.\n",
	.options = doctor_options,
	.run = run_doctor,
};
