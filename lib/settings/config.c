/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes in what the PMU_* variables say. */
#include "settings/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "counters/backend.h"
#include "counters/msr/device.h"
#include "machine/cpuid.h"
#include "plan/resolve.h"
#include "pmu.h"
#include "settings/refuse.h"
#include "settings/sample.h"
#include "store/place.h"
#include "store/read/list.h"

#define MAX_THREADS 1024u
#define MAX_REGIONS 65536u

static int take_switch(struct pmu_config *config, const char *text, bool *out)
{
	static const char *const off[] = { "0", "no", "off", "false", NULL };
	static const char *const on[] = { "1", "yes", "on", "true", NULL };

	for (int i = 0; off[i]; i++) {
		if (!strcasecmp(text, off[i]) || !strcasecmp(text, on[i])) {
			*out = !strcasecmp(text, on[i]);
			return 0;
		}
	}
	return REFUSE(config, text, "say 0 or 1");
}

static int take_enable(struct pmu_config *config, const char *text)
{
	config->later = !strcasecmp(text, "later");
	if (config->later)
		return 0;
	if (take_switch(config, text, &config->enable) < 0)
		return REFUSE(config, text, "say 0, 1 or later");
	return 0;
}

static int take_histogram(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->histogram);
}

static int take_wait(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->wait);
}

static int take_exact(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->exact);
}

static int take_require(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->require);
}

static int take_user_read(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->user_read);
}

static int take_rotate(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->rotate);
}

/* A number and its unit. */
struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 }
};
static const struct unit sizes[] = {
	{ "KiB", 1u << 10 }, { "MiB", 1u << 20 }, { "GiB", 1u << 30 }, { NULL, 0 }
};

/* A 0 needs no unit.  Return: is it that, and @most at most? */
static bool take_quantity(const char *text, const struct unit *units, uint64_t most, uint64_t *out)
{
	size_t digits = strspn(text, "0123456789");
	char number[24];
	uint64_t value;

	snprintf(number, sizeof(number), "%.*s", (int)(digits < 23 ? digits : 23), text);
	if (pmu_parse_u64(number, &value) < 0)
		return false;
	if (!text[digits] && value == 0) {
		*out = 0;
		return true;
	}
	for (; units->name; units++) {
		if (strcmp(text + digits, units->name) != 0 || value > most / units->factor)
			continue;
		*out = value * units->factor;
		return true;
	}
	return false;
}

/* No turn need be longer than a minute. */
#define MAX_TURN_NS UINT64_C(60000000000)

static int take_rotate_min(struct pmu_config *config, const char *text)
{
	if (take_quantity(text, times, MAX_TURN_NS, &config->rotate_ns))
		return 0;
	return REFUSE(config, text, "say a time up to 60s, as 100us or 1ms");
}

static int take_callers(struct pmu_config *config, const char *text)
{
	return take_switch(config, text, &config->callers);
}

static int copy_setting(const char *text, char *to, size_t size)
{
	if (strlen(text) >= size)
		return pmu_fail(EINVAL, "longer than %zu bytes", size - 1);
	strcpy(to, text);
	return 0;
}

static bool ends_with(const char *text, const char *ending)
{
	size_t len = strlen(text), part = strlen(ending);

	return len >= part && !strcmp(text + len - part, ending);
}

/* Formats of other programs' viewers are made of it later, by the command. */
static int take_trace(struct pmu_config *config, const char *text)
{
	static const char *const others[] = { ".pftrace", ".perfetto-trace", ".json", ".gz", NULL };

	for (int i = 0; others[i]; i++)
		if (ends_with(text, others[i]))
			return REFUSE(config, text,
				      "a program writes a trace of its own format, as run.trace; "
				      "'pmu report run.trace -o %s' makes this of it, and 'pmu run "
				      "--trace %s' at once",
				      text, text);
	return copy_setting(text, config->trace, sizeof(config->trace));
}

/* In whole pages of any machine's. */
static int take_trace_size(struct pmu_config *config, const char *text)
{
	uint64_t bytes;

	if (!take_quantity(text, sizes, UINT64_C(1) << 30, &bytes) || bytes < 65536)
		return REFUSE(config, text, "say a size from 64KiB to 1GiB, as 16MiB");
	config->trace_bytes = PMU_ALIGN_UP((uint32_t)bytes, 65536);
	return 0;
}

static int take_trace_keep(struct pmu_config *config, const char *text)
{
	config->trace_first = !strcmp(text, "first");
	if (config->trace_first || !strcmp(text, "newest"))
		return 0;
	return REFUSE(config, text, "say newest or first");
}

static int take_trace_min(struct pmu_config *config, const char *text)
{
	if (take_quantity(text, times, MAX_TURN_NS, &config->trace_min_ns))
		return 0;
	return REFUSE(config, text, "say a time up to 60s, as 500ns or 1us");
}

/* hwloc reads HWLOC_XMLFILE by itself: the topology of the machine of the dump. */
static int take_topology(struct pmu_config *config)
{
	const char *text = secure_getenv("HWLOC_XMLFILE");
	int rc;

	if (!text || !*text)
		return 0;
	rc = copy_setting(text, config->topology, sizeof(config->topology));
	if (rc < 0)
		return pmu_fail(-rc, "HWLOC_XMLFILE: %s", pmu_error_text());
	config->from.topology = config->topology;
	return 0;
}

static int take_cpuid_file(struct pmu_config *config, const char *text)
{
	struct pmu_cpuid_dump dump;
	int rc = copy_setting(text, config->cpuid_file, sizeof(config->cpuid_file));

	if (rc < 0)
		return rc;
	if (pmu_cpuid_load(text, &dump) < 0)
		return -EINVAL;
	rc = dump.n_cpus ? pmu_cpu_identify_by(&dump.cpu[0], &config->id) : -ENODEV;
	config->pin.elsewhere = (unsigned int)dump.n_cpus;
	pmu_cpuid_dump_free(&dump);
	if (rc < 0)
		return REFUSE(config, text, "no CPUID leaf 1 in it");
	config->from.cpuid_file = config->cpuid_file;
	config->catalog.model = pmu_cpu_model_find(&config->id);
	config->catalog.id = config->id;
	return take_topology(config);
}

static int take_msr_device(struct pmu_config *config, const char *text)
{
	int rc = copy_setting(text, config->msr_device, sizeof(config->msr_device));

	if (rc < 0)
		return rc;
	if (!strstr(text, "%d"))
		return REFUSE(config, text,
			      "no %%d in it, which stands for the processor's number, as in %s",
			      PMU_MSR_DEVICE_DEFAULT);
	config->from.msr_device = config->msr_device;
	return 0;
}

static int take_msr_batch(struct pmu_config *config, const char *text)
{
	int rc = copy_setting(text, config->msr_batch, sizeof(config->msr_batch));

	if (rc == 0)
		config->from.msr_batch = config->msr_batch;
	return rc;
}

static int take_event_files(struct pmu_config *config, const char *text)
{
	int rc = copy_setting(text, config->event_files, sizeof(config->event_files));

	if (rc == 0)
		config->catalog.event_files = config->event_files;
	return rc;
}

/* Where the next group that is asked for goes; NULL without memory. */
static struct pmu_group *next_group(struct pmu_config *config)
{
	if (!config->group)
		config->group = pmu_roots_alloc(PMU_CONFIG_MAX_GROUPS * sizeof(*config->group));
	return config->group ? &config->group[config->n_groups] : NULL;
}

static int config_no_memory(void)
{
	return pmu_fail(ENOMEM, "no memory");
}

/* By name, into next_group(); it is not counted as one yet.  -ENOTSUP: this CPU has none of it. */
static int read_group(struct pmu_config *config, const char *name)
{
	struct pmu_group *group;
	int rc;

	if (config->n_groups == PMU_CONFIG_MAX_GROUPS)
		return pmu_fail(EINVAL, "more than %d groups", PMU_CONFIG_MAX_GROUPS);
	group = next_group(config);
	if (!group)
		return config_no_memory();
	rc = pmu_resolve_group(name, &config->catalog, group);
	return rc < 0 && rc != -ENOTSUP ? -EINVAL : rc;
}

/* What could not be counted becomes time only, with the last sentence as its note. */
static void add_time_only(struct pmu_config *config)
{
	struct pmu_group *group = &config->group[config->n_groups++];

	snprintf(group->note, sizeof(group->note), "%.*s", (int)sizeof(group->note) - 1,
		 pmu_error_text());
}

/* Without the blanks around it: "CORE, MEM". */
static const char *trim_group_name(char *name)
{
	size_t len;

	name += strspn(name, " \t");
	len = strlen(name);
	while (len && strchr(" \t", name[len - 1]))
		len--;
	name[len] = '\0';
	return name;
}

/* What a group stands for and this processor has nothing of. */
struct left_out {
	struct pmu_strbuf names;
	char why[PMU_ERROR_MAX]; /* the first is */
};

static int add_member(struct pmu_config *config, const char *name, const char *member,
		      struct left_out *left_out)
{
	int rc = read_group(config, member);

	if (!rc && config->group[config->n_groups].groups[0])
		return pmu_fail(EINVAL, "%s stands for %s, which stands for others", name, member);
	if (!rc)
		config->n_groups++;
	if (rc != -ENOTSUP)
		return rc;
	if (!left_out->names.len)
		snprintf(left_out->why, sizeof(left_out->why), "%s", pmu_error_text());
	pmu_strbuf_addf(&left_out->names, "%s%s", left_out->names.len ? ", " : "", member);
	return 0;
}

/* Behind what the group has to say of itself. */
static void note_member_left_out(struct pmu_group *group, const char *name,
				 const struct left_out *left_out)
{
	size_t len = strlen(group->note);
	struct pmu_strbuf note = { 0 };

	if (!left_out->names.len)
		return;
	pmu_strbuf_addf(&note, "%s%s is without %s here: %s", len ? "; " : "", name,
			pmu_strbuf_text(&left_out->names), left_out->why);
	snprintf(group->note + len, sizeof(group->note) - len, "%.*s",
		 (int)(sizeof(group->note) - len - 1), pmu_strbuf_text(&note));
	pmu_strbuf_free(&note);
}

/*
 * @list: what a group of that name stands for.  Which groups there are depends on the processor:
 * those that it has nothing of are left out, and are named.
 */
static int add_members(struct pmu_config *config, const char *name, char *list)
{
	struct left_out left_out = { .why = "" };
	unsigned int first = config->n_groups;
	char *rest = list, *item;
	int rc = 0;

	while (!rc && (item = strsep(&rest, ",")))
		rc = add_member(config, name, trim_group_name(item), &left_out);
	if (!rc && config->n_groups == first) {
		snprintf(config->group[first].name, sizeof(config->group[first].name), "%s", name);
		pmu_fail(ENOTSUP, "%s cannot be counted here: %s", name, left_out.why);
		add_time_only(config);
	} else if (!rc) {
		note_member_left_out(&config->group[first], name, &left_out);
	}
	if (!rc && left_out.names.failed)
		rc = config_no_memory();
	pmu_strbuf_free(&left_out.names);
	return rc;
}

/* A group, or all that it stands for. */
static int add_named_group(struct pmu_config *config, const char *name)
{
	char own_name[PMU_GROUP_NAME_MAX], list[PMU_GROUP_LIST_MAX];
	int rc = read_group(config, name);
	const struct pmu_group *group;

	if (rc < 0 && rc != -ENOTSUP)
		return rc;
	group = &config->group[config->n_groups];
	if (rc) {
		add_time_only(config);
	} else if (group->groups[0]) {
		/* the first of them comes into its place */
		memcpy(own_name, group->name, sizeof(own_name));
		memcpy(list, group->groups, sizeof(list));
		return add_members(config, own_name, list);
	} else {
		config->n_groups++;
	}
	return 0;
}

static int take_group(struct pmu_config *config, const char *text)
{
	char list[PMU_CONFIG_TEXT_MAX], *rest = list, *name;
	int rc = 0;

	snprintf(list, sizeof(list), "%s", text);
	while ((name = strsep(&rest, ","))) {
		rc = add_named_group(config, trim_group_name(name));
		if (rc < 0)
			return rc;
	}
	config->group_given = true;
	return 0;
}

static int take_events(struct pmu_config *config, const char *text)
{
	struct pmu_group *group;

	if (config->n_groups == PMU_CONFIG_MAX_GROUPS)
		return pmu_fail(EINVAL, "more than %d groups with PMU_GROUP",
				PMU_CONFIG_MAX_GROUPS);
	group = next_group(config);
	if (!group)
		return config_no_memory();
	if (pmu_resolve_events(text, &config->catalog, group) < 0)
		return -EINVAL;
	config->n_groups++;
	config->group_given = true;
	return 0;
}

static int take_backend(struct pmu_config *config, const char *text)
{
	const char *names[16] = { "auto" };
	const char *near;
	int n = 1;

	if (!strcmp(text, "auto"))
		return 0;
	config->backend = pmu_backend_find(text);
	if (config->backend)
		return 0;
	while (pmu_backends[n - 1] && n < 15) {
		names[n] = pmu_backends[n - 1]->name;
		n++;
	}
	near = pmu_closest(text, names);
	return REFUSE(config, text, "no such source of counts; %s%s%sthere are " PMU_BACKEND_NAMES,
		      near ? "did you mean " : "", near ? near : "", near ? "? " : "");
}

static int take_count(struct pmu_config *config, const char *text)
{
	if (!strcmp(text, "thread"))
		config->count = PMU_COUNT_THREAD;
	else if (!strcmp(text, "cpu"))
		config->count = PMU_COUNT_CPU;
	else if (!strcmp(text, "process"))
		config->count = PMU_COUNT_PROCESS;
	else
		return REFUSE(config, text, "say thread, cpu or process");
	return 0;
}

static int take_scope(struct pmu_config *config, const char *text)
{
	if (strcmp(text, "thread") && strcmp(text, "team"))
		return REFUSE(config, text, "say thread or team");
	config->teams = !strcmp(text, "team");
	return 0;
}

static int take_pin(struct pmu_config *config, const char *text)
{
	unsigned int elsewhere = config->pin.elsewhere;
	int rc = pmu_pin_parse(text, &config->pin);

	if (rc < 0)
		return rc;
	config->pin.elsewhere = elsewhere;
	config->pin_given = true;
	return pmu_pin_check(&config->pin);
}

static int check_formats(const char *text)
{
	char list[PMU_CONFIG_TEXT_MAX], *rest = list, *path;

	snprintf(list, sizeof(list), "%s", text);
	while ((path = strsep(&rest, ",")))
		if (pmu_report_format_check(path))
			return -EINVAL;
	return 0;
}

static int take_output(struct pmu_config *config, const char *text)
{
	if (strlen(text) >= sizeof(config->output))
		return pmu_fail(EINVAL, "longer than %zu bytes", sizeof(config->output) - 1);
	strcpy(config->output, text);
	return check_formats(text);
}

static int take_setting_number(struct pmu_config *config, const char *text, unsigned int most,
			       unsigned int *out)
{
	uint64_t value;

	if (pmu_parse_u64(text, &value) < 0 || value < 1 || value > most)
		return REFUSE(config, text, "say a number from 1 to %u", most);
	*out = (unsigned int)value;
	return 0;
}

static int take_max_threads(struct pmu_config *config, const char *text)
{
	return take_setting_number(config, text, 1000000, &config->max_threads);
}

static int take_max_regions(struct pmu_config *config, const char *text)
{
	return take_setting_number(config, text, 16777216, &config->max_regions);
}

/* Applied where stores are listed, in store/read/list.c. */
static int take_keep_days(struct pmu_config *config, const char *text)
{
	unsigned int days;

	return take_setting_number(config, text, 36500, &days);
}

static int take_keep_mib(struct pmu_config *config, const char *text)
{
	unsigned int mib;

	return take_setting_number(config, text, 1u << 20, &mib);
}

static int take_report(struct pmu_config *config, const char *text)
{
	char list[64], *rest = list, *word;

	snprintf(list, sizeof(list), "%s", text);
	while ((word = strsep(&rest, ","))) {
		if (!strcmp(word, "threads"))
			config->report.threads = true;
		else if (!strcmp(word, "all"))
			config->report.all = true;
		else if (!strcmp(word, "brief"))
			config->report.brief = true;
		else if (strcmp(word, "total"))
			return REFUSE(config, text, "say total, threads, all or brief");
	}
	return 0;
}

#define MEMBER(member) offsetof(struct pmu_options, member)

const struct pmu_config_var pmu_config_vars[] = {
#define VAR(name, values, fallback, about, member, take) { #name, member, take },
#include "settings/vars.h"
	{ NULL, 0, NULL },
};

/*
 * PMU_GROUP and PMU_EVENTS set the same thing: with an option for one of them, the variable of the
 * other is ignored.
 */
static bool is_about_counts(const struct pmu_config_var *var)
{
	return var->take == take_group || var->take == take_events;
}

static const char *option_text(const struct pmu_options *options, size_t offset)
{
	if (!options || !offset || options->size < offset + sizeof(char *))
		return NULL;
	return *(const char *const *)((const char *)options + offset);
}

/* Settings that there were once: why they are not any more, and what is so now. */
static const struct {
	const char *name, *now;
} gone[] = {
	{ "PMU_EVERY", "a call that is only counted costs about as much as a measured one: every "
		       "call is measured" },
};

static void warn_of_gone(struct pmu_strbuf *warnings)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(gone); i++) {
		const char *text = secure_getenv(gone[i].name);

		if (text && *text)
			pmu_strbuf_addf(warnings, "%s is gone: %s\n", gone[i].name, gone[i].now);
	}
}

/* Variables of ours that are not settings of the measured program's session. */
static bool known_elsewhere(const char *name, size_t len)
{
	static const char *const others[] = { "PMU_DISABLE", "PMU_TEST", NULL };

	for (int i = 0; others[i]; i++)
		if (!strncmp(name, others[i], len) || !strncmp(name, others[i], strlen(others[i])))
			return true;
	for (size_t i = 0; i < PMU_ARRAY_LEN(gone); i++)
		if (strlen(gone[i].name) == len && !strncmp(name, gone[i].name, len))
			return true;
	for (int i = 0; pmu_config_vars[i].name; i++)
		if (strlen(pmu_config_vars[i].name) == len &&
		    !strncmp(name, pmu_config_vars[i].name, len))
			return true;
	return false;
}

/*
 * A name one typing error away from one of ours is worth a warning; any other PMU_ may be the
 * program's.
 */
static void warn_of_slips(struct pmu_strbuf *warnings)
{
	const char *names[PMU_ARRAY_LEN(pmu_config_vars)];
	char name[64];

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		names[i] = pmu_config_vars[i].name;
	for (char **env = environ; env && *env; env++) {
		size_t len = strcspn(*env, "=");
		const char *near;

		if (strncmp(*env, "PMU", 3) || len >= sizeof(name) || known_elsewhere(*env, len))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, *env);
		near = pmu_closest(name, names);
		if (near)
			pmu_strbuf_addf(warnings, "%s is not a setting; did you mean %s?\n", name,
					near);
	}
}

static void set_defaults(struct pmu_config *config)
{
	memset(config, 0, offsetof(struct pmu_config, output));
	config->output[0] = config->cpuid_file[0] = config->msr_device[0] = config->msr_batch[0] =
		'\0';
	config->topology[0] = config->event_files[0] = config->trace[0] = '\0';
	config->enable = config->user_read = true;
	config->count = PMU_COUNT_THREAD;
	config->teams = config->wait = true;
	config->rotate_ns = 1000000;
	config->trace_bytes = 16u << 20;
	config->pin.policy = PMU_PIN_AUTO;
	config->max_threads = MAX_THREADS;
	config->max_regions = MAX_REGIONS;
	config->catalog.keep_absent = true;
}

int pmu_config_take(struct pmu_config *config, const struct pmu_options *options,
		    struct pmu_strbuf *warnings)
{
	bool counts_by_option = option_text(options, MEMBER(group)) ||
				option_text(options, MEMBER(events));

	set_defaults(config);
	for (const struct pmu_config_var *var = pmu_config_vars; var->name; var++) {
		const char *text = option_text(options, var->option);
		int rc;

		if (!var->take)
			continue;

		/* enable is at a non-zero offset: size comes first */
		if (!text && !(counts_by_option && is_about_counts(var)))
			text = secure_getenv(var->name);
		if (!text || !*text)
			continue;
		if (is_about_counts(var) && config->group_given)
			return pmu_fail(EINVAL, "PMU_GROUP and PMU_EVENTS both say what to count; "
						"set one of them");
		rc = var->take(config, text);
		if (rc < 0) {
			config->wrong = var;
			return rc;
		}
		if (!config->enable)
			return 0;
	}
	if (!getauxval(AT_SECURE))
		warn_of_slips(warnings);
	warn_of_gone(warnings);
	return 0;
}

int pmu_config_load(struct pmu_config *config, const struct pmu_options *options,
		    struct pmu_strbuf *warnings)
{
	int rc = pmu_config_take(config, options, warnings);

	if (rc == 0 || !config->wrong)
		return rc;
	if (config->wrong_value)
		return pmu_fail(-rc, "%s=%s: %s", config->wrong->name, config->wrong_value,
				pmu_error_text());
	return pmu_fail(-rc, "%s: %s", config->wrong->name, pmu_error_text());
}

void pmu_config_free(struct pmu_config *config)
{
	pmu_roots_free(config->group, PMU_CONFIG_MAX_GROUPS * sizeof(*config->group));
	config->group = NULL;
}
