/* SPDX-License-Identifier: BSD-3-Clause */
/* The session's groups: chosen, opened with their sources, changed and closed. */
#include "session/groups.h"
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "counters/valgrind/request.h"
#include "machine/mask.h"
#include "plan/fold.h"
#include "plan/formula_names.h"
#include "plan/resolve.h"
#include "session/choose.h"
#include "session/describe.h"
#include "session/require.h"
#include "session/sockets.h"

static int write_layout(unsigned int index)
{
	struct pmu_session_group *group = &pmu_session.group[index];
	int rc = pmu_table_group(&pmu_session.table, index, group->group.name, group->plan.n_slots,
				 &group->layout);

	if (rc < 0)
		return rc;
	for (unsigned int i = 0; i < group->plan.n_slots; i++) {
		struct pmu_store_slot *slot = &group->layout->slot[i];

		snprintf(slot->name, sizeof(slot->name), "%s", group->group.event[i].name);
		snprintf(slot->unit, sizeof(slot->unit), "%s", group->group.event[i].unit);
	}
	group->layout->absent = group->plan.absent;
	return 0;
}

/* The processors of PMU_COUNT=cpu: those the process may use. */
static void list_plan_cpus(struct pmu_plan *plan)
{
	static int *cpus; /* [PMU_MASK_CPUS], for all groups and sessions */
	struct pmu_mask mask;
	unsigned int n = 0;

	if (plan->scope != PMU_COUNT_CPU || pmu_mask_allowed(&mask) < 0)
		return;
	if (!cpus)
		cpus = pmu_pages_alloc(PMU_MASK_CPUS * sizeof(*cpus));
	if (!cpus)
		return;
	for (int cpu = pmu_mask_next(&mask, 0); cpu >= 0; cpu = pmu_mask_next(&mask, cpu + 1))
		cpus[n++] = cpu;
	plan->cpu = cpus;
	plan->n_cpus = n;
}

/* Where no group was asked for: the one that a forced source is made for, else CORE. */
static int default_group(struct pmu_group *group)
{
	const struct pmu_backend *forced = pmu_session.config.backend;
	const char *name = forced && forced->default_group ? forced->default_group : "CORE";

	return pmu_session_usual_group(name, &pmu_session.config.catalog, group);
}

static void refuse_open(struct pmu_session_group *group)
{
	char text[PMU_ERROR_MAX + 32];

	snprintf(text, sizeof(text), "%s\t%s\t", group->backend->name, pmu_error_text());
	pmu_session_tell(PMU_META_REFUSAL, text);
	if (!group->why[0])
		snprintf(group->why, sizeof(group->why), "%s: %s", group->backend->name,
			 pmu_error_text());
}

/* Sockets belong to no call: their counters run while it is the group's turn, whatever runs there. */
static void note_socket_turns(const struct pmu_session_group *group)
{
	char text[256];

	if (!pmu_session.config.rotate || !group->sockets || group->plan.scope != PMU_COUNT_THREAD)
		return;
	snprintf(
		text, sizeof(text),
		"%s counts whole sockets, which take turns by time: it has what they did in its own turns",
		group->group.name);
	pmu_session_tell(PMU_META_NOTE, text);
}

int pmu_session_open_group(struct pmu_session_group *group)
{
	int rc;

	while ((rc = group->backend->open(&group->source, &group->plan)) < 0) {
		/*
		 * The source could count this when it was chosen. What other groups count, and the
		 * times, are still of use.
		 */
		refuse_open(group);
		if (!group->backend->counts)
			return rc;
		pmu_session_choose_next(group);
	}
	group->layout->absent = group->plan.absent;
	group->is_open = true;
	if (group->was_open)
		pmu_sockets_resume(group);
	else
		pmu_sockets_open(group);
	if (!group->was_open)
		note_socket_turns(group);
	group->was_open = true;
	return 0;
}

bool pmu_session_any_open(void)
{
	for (struct pmu_thread *thread = pmu_session.threads; thread; thread = thread->next)
		if (pmu_thread_any_open(thread))
			return true;
	return false;
}

/* What sources have found out while they counted. */
static void note_remarks(const struct pmu_session_group *group)
{
	char text[448];

	pmu_sockets_note_spoiled(group->sockets);
	while (group->is_open && group->backend->remark &&
	       group->backend->remark(group->source, text, sizeof(text)))
		pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

/*
 * If that fails, registers of this machine are not as they were: a note in the report that is made
 * now (@model, unless NULL), and in the store for one that is made later.
 */
static void put_group_back(const struct pmu_session_group *group, struct pmu_model *model)
{
	char text[PMU_ERROR_MAX + 64];

	if (!group->is_open || !group->backend->put_back)
		return;
	pmu_sockets_stop(group->sockets);
	if (!group->backend->put_back(group->source))
		return;
	snprintf(text, sizeof(text),
		 "not all registers could be put back: %s; try 'pmu msr restore'",
		 pmu_error_text());
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
	if (model)
		pmu_model_add_note(model, text);
}

void pmu_session_close_group(struct pmu_session_group *group)
{
	if (!group->is_open)
		return;
	/* a session that is ending has given its table away */
	if (pmu_session.running) {
		note_remarks(group);
		put_group_back(group, NULL);
	}
	group->is_open = false;
	pmu_sockets_stop(group->sockets);
	group->backend->close(group->source);
	group->source = NULL;
}

int pmu_session_change_group(unsigned int next)
{
	struct pmu_session_group *from = &pmu_session.group[pmu_session.current];
	struct pmu_session_group *to = &pmu_session.group[next];

	/*
	 * First: what threads begin from here on waits for the lock, and is counted in the new
	 * group.
	 */
	pmu_session.current = next;
	pmu_session_publish(pmu_session_next_epoch());
	if (pmu_session_is_exclusive(from))
		pmu_session_close_group(from);
	return to->is_open ? 0 : pmu_session_open_group(to);
}

/* The machine that is counted, if it is another one, or its devices are. */
static const struct pmu_machine_from *counted_machine(void)
{
	const struct pmu_machine_from *from = &pmu_session.config.from;

	return from->cpuid_file || from->topology || from->msr_device || from->msr_batch ? from
											 : NULL;
}

/*
 * Adds a count of interrupts, which may add to the instructions; a simulation has none. @why:
 * result: "" or why not
 */
static void count_interrupts(struct pmu_group *group, char *why, size_t size)
{
	const struct pmu_backend *forced = pmu_session.config.backend;

	why[0] = '\0';
	if (pmu_session.config.exact && !(forced && forced->simulated) &&
	    pmu_resolve_interrupts(group, &pmu_session.config.catalog) < 0)
		snprintf(why, size, "%s", pmu_error_text());
}

static bool is_name(struct pmu_group_span name, const char *text)
{
	return strlen(text) == name.len && !memcmp(text, name.at, name.len);
}

static bool is_simulated_name(const struct pmu_group *group, struct pmu_group_span name)
{
	for (unsigned int i = 0; i < group->n_events; i++)
		if (is_name(name, group->event[i].name))
			return true;
	return pmu_group_name_is_ours(name) && !is_name(name, "time") && !is_name(name, "tsc_hz");
}

/* Those that need something else than what is counted, as time, would only take room. */
static void keep_simulated_metrics(struct pmu_group *group)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < group->n_metrics; i++) {
		const char *rest = group->metric[i].formula;
		struct pmu_group_span name;
		bool known = true;

		while (known && pmu_group_name_next(rest, &name)) {
			known = is_simulated_name(group, name);
			rest = name.at + name.len + (name.at[name.len] == '"');
		}
		if (known)
			group->metric[kept++] = group->metric[i];
	}
	group->n_metrics = kept;
}

/*
 * Leaves in the group what a simulation can count of it, and adds the names of the rest.  Return: is there
 * anything?
 */
static bool keep_simulated(struct pmu_group *group, enum pmu_emulation emulated,
			   struct pmu_strbuf *lost)
{
	unsigned int kept = 0;
	struct pmu_plan plan;
	struct pmu_probe probe;

	pmu_group_plan(group, &plan);
	plan.scope = pmu_session.config.count;
	plan.emulated = emulated;
	if (!group->n_events || pmu_backend_valgrind.probe(&plan, &probe))
		return false;
	for (unsigned int i = 0; i < group->n_events; i++) {
		if (!probe.error[i])
			group->event[kept++] = group->event[i];
		else if (!lost->text || !strstr(lost->text, group->event[i].name))
			pmu_strbuf_addf(lost, "%s%s", lost->len ? ", " : "", group->event[i].name);
	}
	group->n_events = kept;
	keep_simulated_metrics(group);
	return true;
}

static void note_folded(const struct pmu_strbuf *lost)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "valgrind counts groups all at once: they take no turns%s%.400s%s",
		 lost->len ? "; of them it cannot count " : "", pmu_strbuf_text(lost),
		 lost->len > 400 ? "..." : "");
	pmu_session_tell(PMU_META_NOTE, text);
}

/* A simulation has no lack of counters: groups that would take turns are one, as far as there is room. */
static void fold_simulated(struct pmu_config *config, enum pmu_emulation emulated)
{
	enum pmu_valgrind_tool tool = pmu_valgrind_tool();
	struct pmu_strbuf lost = { 0 };
	struct pmu_group *into = NULL;
	unsigned int n = 0;

	if (!config->rotate ||
	    (!emulated && tool != PMU_VALGRIND_CALLGRIND && tool != PMU_VALGRIND_COUNTER))
		return;
	for (unsigned int i = 0; i < config->n_groups; i++) {
		struct pmu_group *group = &config->group[i];
		bool simulated = keep_simulated(group, emulated, &lost);

		if (simulated && into && pmu_group_fold(into, group) == 0)
			continue;
		if (n != i)
			config->group[n] = *group;
		if (simulated && !into)
			into = &config->group[n];
		n++;
	}
	if (n < config->n_groups || lost.len)
		note_folded(&lost);
	pmu_strbuf_free(&lost);
	config->n_groups = n;
	config->rotate = n > 1;
}

int pmu_session_choose_groups(enum pmu_emulation emulated)
{
	const struct pmu_config *config = &pmu_session.config;
	char why[PMU_ERROR_MAX];
	int rc;

	if (!pmu_session.group)
		pmu_session.group = pmu_roots_alloc(PMU_CONFIG_MAX_GROUPS *
						    sizeof(*pmu_session.group));
	if (!pmu_session.group)
		return pmu_fail(ENOMEM, "no memory for a session");
	fold_simulated(&pmu_session.config, emulated);
	pmu_session.n_groups = config->n_groups ? config->n_groups : 1;
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		struct pmu_session_group *group = &pmu_session.group[i];

		memset(group, 0, sizeof(*group));
		if (config->n_groups)
			group->group = config->group[i];
		else if ((rc = default_group(&group->group)) < 0)
			return rc;
		count_interrupts(&group->group, why, sizeof(why));
		if (group->group.note[0])
			pmu_session_tell(PMU_META_NOTE, group->group.note);
		pmu_group_plan(&group->group, &group->plan);
		group->plan.scope = config->count;
		group->plan.by_kernel = !config->user_read;
		group->plan.from = counted_machine();
		group->plan.emulated = emulated;
		list_plan_cpus(&group->plan);
		pmu_session_choose(group, config->group_given);
		/* where nothing is counted there is nothing to add to */
		if (why[0] && group->backend->counts)
			pmu_session_tell(PMU_META_NOTE, why);
	}
	return 0;
}

int pmu_session_open_groups(void)
{
	int rc = pmu_session_choose_groups(PMU_EMULATION_NONE);

	for (unsigned int i = 0; i < pmu_session.n_groups && rc == 0; i++)
		rc = write_layout(i);
	if (rc < 0)
		return rc;
	pmu_resolve_close(&pmu_session.config.catalog);
	/*
	 * Opened after all groups are chosen: what an open group has taken could not be chosen by
	 * the next.
	 */
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		if (i > 0 && pmu_session_is_exclusive(&pmu_session.group[i]))
			continue;
		rc = pmu_session_open_group(&pmu_session.group[i]);
		if (rc < 0)
			return rc;
	}
	rc = pmu_session_require();
	return rc < 0 ? pmu_fail(-rc, "PMU_REQUIRE=1: %s", pmu_error_text()) : 0;
}

void pmu_session_close_groups(void)
{
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		struct pmu_session_group *group = &pmu_session.group[i];

		/*
		 * A thread that is still attached uses the source until it ends. Sources that write
		 * registers have put them back by now.
		 */
		if (!pmu_session.threads || pmu_session_is_exclusive(group))
			pmu_session_close_group(group);
		group->is_open = false;
		group->source = NULL;
		if (!pmu_session.threads)
			pmu_sockets_close(group->sockets);
		group->sockets = NULL;
		pmu_merge_forget(&group->merge);
	}
	pmu_session.n_groups = 0;
	for (const struct pmu_backend *const *backend = pmu_backends; *backend; backend++)
		if ((*backend)->end)
			(*backend)->end();
}

void pmu_session_note_remarks(void)
{
	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		note_remarks(&pmu_session.group[i]);
}

void pmu_session_put_back(struct pmu_model *model)
{
	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		put_group_back(&pmu_session.group[i], model);
}
