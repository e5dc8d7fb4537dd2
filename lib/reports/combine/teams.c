/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of ranks that are added up as they come: teams.  No thread works for another process's
 * region, so that what a team is in each of them adds up.
 */
#include <errno.h>
#include <math.h>

#include "report/model/block.h"
#include "report/model/finish.h"
#include "reports/combine/combining.h"

struct pmu_gathered_team {
	struct pmu_model_team team;
	bool is_counted; /* how many threads it has, in each of them */
	uint64_t raw[PMU_MODEL_MAX_COUNTS], net[PMU_MODEL_MAX_COUNTS];
};

struct pmu_gathered_team *pmu_gathered_team_new(struct pmu_model *model)
{
	struct pmu_gathered_team *to = pmu_model_alloc(model, sizeof(*to));

	if (!to)
		return NULL;
	to->is_counted = to->team.time_known = true;
	to->team.openers.is_known = to->team.openers.is_timed = true;
	to->team.workers = to->team.openers;
	to->team.all.raw = to->raw;
	to->team.all.net = to->net;
	return to;
}

static void add_team_side(struct pmu_model_side *to, const struct pmu_model_side *side)
{
	to->is_known &= side->is_known;
	to->is_timed &= side->is_timed;
	to->n += side->n;
	to->sum_ns = pmu_add_capped(to->sum_ns, side->sum_ns);
	to->most_ns = side->most_ns > to->most_ns ? side->most_ns : to->most_ns;
}

/* A region that one thread opened and no other worked for. */
static struct pmu_model_team alone(const struct pmu_model_row *sum,
				   const struct pmu_model_thread *opener, bool is_known)
{
	struct pmu_model_team team = {
		.time_known = is_known,
		.all = *sum,
		.openers = { .is_known = !opener->n_merged && opener->start_ns >= 0,
			     .is_timed = is_known,
			     .n = 1,
			     .sum_ns = sum->time_ns,
			     .most_ns = sum->time_ns },
		.workers = { .is_known = true, .is_timed = true },
	};

	team.all.flags = 0;
	team.n_threads = team.openers.is_known;
	return team;
}

void pmu_gathered_team_add(struct pmu_gathered_team *to, const struct pmu_joining *j,
			   const struct pmu_model_row *sum, const struct pmu_model_thread *opener,
			   bool is_known)
{
	const struct pmu_model_team team = sum->team ? *sum->team : alone(sum, opener, is_known);
	const struct pmu_columns columns = { j->old->n_counts, j->count_at };

	to->team.has_others |= team.has_others;
	to->team.all.flags |= team.all.flags;
	to->is_counted &= team.n_threads > 0;
	to->team.n_threads += team.n_threads;
	add_team_side(&to->team.openers, &team.openers);
	add_team_side(&to->team.workers, &team.workers);
	to->team.wait_cpu_ns = pmu_add_capped(to->team.wait_cpu_ns, team.wait_cpu_ns);
	to->team.wait_time_ns = pmu_add_capped(to->team.wait_time_ns, team.wait_time_ns);
	pmu_team_add(&to->team, &team.all, team.time_known, &columns, UINT32_MAX);
}

int pmu_gathered_team_end(struct pmu_gathered_team *from, const struct pmu_finishing *f,
			  struct pmu_model_row *sum)
{
	const struct pmu_model_section *s = f->section;
	struct pmu_model_team *team;

	if (!from->team.has_others && sum->n_threads < 2)
		return 0;
	team = &from->team;
	/* a socket that several counted is missing in the sum alone */
	team->all.missing |= sum->missing;
	team->n_threads = from->is_counted ? team->n_threads : 0;
	team->all.metric = pmu_block_array(&f->model->blocks, s->n_metrics, sizeof(double));
	for (unsigned int i = 0; team->all.metric && i < s->n_metrics; i++)
		team->all.metric[i] = NAN;
	sum->team = team;
	pmu_team_rate(f, sum);
	return team->all.metric ? 0 : -ENOMEM;
}
