/* SPDX-License-Identifier: BSD-3-Clause */
/* A store becomes a report model: head, texts, sections, and what the reader has to say
 * itself. */
#define PMU_STORE_READER 1
#include "store/read/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "pmu.h"
#include "store/place.h"
#include "store/read/convert.h"

/* A shorter baseline says less about the rate than the clocks do now. */
#define GOOD_BASELINE_NS 1000000000u
#define MAX_METRICS      64u
#define DIED_NAMES       8u

static const char *const damage_text[PMU_DAMAGE_COUNT] = {
	[PMU_DAMAGE_CHUNK] = "a part of it is unreadable, and everything behind that is lost",
	[PMU_DAMAGE_KIND] = "parts of an unknown kind were left out",
	[PMU_DAMAGE_GROUP] = "groups with an impossible layout were left out",
	[PMU_DAMAGE_RECORD] = "texts that do not fit their place were left out",
	[PMU_DAMAGE_THREAD] = "impossible records of threads",
	[PMU_DAMAGE_ORPHANS] = "rows that belong to no thread were left out",
	[PMU_DAMAGE_ROWS] = "rows outside of their place were left out",
	[PMU_DAMAGE_PARENT] = "regions whose outer region is unknown stand at the top",
	[PMU_DAMAGE_NAME] = "regions whose name is unknown are shown as \"?\"",
	[PMU_DAMAGE_TORN] = "rows changed at every look: their counts are missing",
	[PMU_DAMAGE_CHURN] = "threads came and went at every look: some may count twice",
	[PMU_DAMAGE_HISTOGRAM] = "lengths of calls that belong to no row were left out",
	[PMU_DAMAGE_TURNS] =
		"sums over turns that belong to no row, or are no numbers, were left out",
	[PMU_DAMAGE_WAITS] = "waits that belong to no row were left out",
	[PMU_DAMAGE_LEAST] =
		"least counts that belong to no row, or are more than all of its calls counted, were left out",
	[PMU_DAMAGE_FLAGS] = "calls that another version kept in a way of its own were left out",
};

/* --- clock --- */

static bool stored_point(const struct pmu_store_head *head, struct pmu_clock_point *point)
{
	uint32_t seq;
	int i;

	for (i = 0; i < 1000; i++) {
		/* Pairs with the releases around and inside the renewal. */
		seq = __atomic_load_n(&head->point_seq, __ATOMIC_ACQUIRE);
		point->ticks = __atomic_load_n(&head->point[1].ticks, __ATOMIC_ACQUIRE);
		point->mono_ns = __atomic_load_n(&head->point[1].mono_ns, __ATOMIC_ACQUIRE);
		if (!(seq & 1) && __atomic_load_n(&head->point_seq, __ATOMIC_RELAXED) == seq)
			return true;
	}
	return false;
}

/*
 * The second point of the rate.  A stored one on a good baseline is better than now for a
 * program that is gone: the machine may have slept since, and only one of the two clocks
 * with it.  That of a clean end is what the program's own report took; by now each reading
 * would have another rate, and other last digits.
 */
static struct pmu_clock_point second_point(const struct pmu_store_head *head,
					   enum pmu_program_state state)
{
	struct pmu_clock_point point = head->point[0];
	bool stored = stored_point(head, &point);

	if (stored && __atomic_load_n(&head->ended, __ATOMIC_RELAXED) &&
	    point.mono_ns > head->point[0].mono_ns)
		return point;
	if (state == PMU_PROGRAM_RUNS ||
	    ((!stored || point.mono_ns < head->point[0].mono_ns + GOOD_BASELINE_NS) &&
	     pmu_process_boot(head->boot_id) == PMU_BOOT_THIS))
		return pmu_clock_point_take(head->clock_kind);
	return stored ? point : head->point[0];
}

static void set_model_clock(struct pmu_convert *convert, const struct pmu_store_head *head,
			    const struct pmu_clock_point *last)
{
	struct pmu_clock_point stored;
	double hz = pmu_convert_set_rate(convert, head->clock_kind, &head->point[0], last);

	convert->first_ticks = head->point[0].ticks;
	convert->last_ticks = last->ticks;
	if (convert->state != PMU_PROGRAM_RUNS)
		convert->last_ticks = stored_point(head, &stored) ? stored.ticks
								  : head->point[0].ticks;
	convert->model->clock = pmu_clock_name(head->clock_kind);
	convert->model->clock_hz = hz;
}

/*
 * When a program was killed is not in its store.  It ran at least until the last of its regions
 * ended, and so did every thread that had not finished.
 */
static void find_last_moment(struct pmu_convert *convert)
{
	const struct pmu_raw *raw = convert->raw;

	if (convert->state == PMU_PROGRAM_RUNS)
		return;
	for (size_t i = 0; i < raw->n_threads; i++) {
		const struct pmu_store_thread *record = &raw->thread[i].record;
		uint64_t last = record->stop_ticks > record->last_end ? record->stop_ticks
								      : record->last_end;

		/* a merged set's stop is a sum */
		if (record->state != PMU_THREAD_MERGED && last > convert->last_ticks)
			convert->last_ticks = last;
	}
}

/* From the session's begin to now, or to the last moment that the store knows of. */
static void set_duration(struct pmu_convert *convert)
{
	find_last_moment(convert);
	if (convert->last_ticks > convert->first_ticks)
		convert->model->duration_ns = pmu_convert_ns(convert, convert->last_ticks -
									      convert->first_ticks);
}

/* --- off --- */

/* In the order of pmu_control_look()'s stores: less than it was, not more. */
static uint64_t off_ticks(const struct pmu_convert *convert,
			  const struct pmu_store_control *control)
{
	uint64_t most = convert->last_ticks > convert->first_ticks
				? convert->last_ticks - convert->first_ticks
				: 0;
	uint64_t off = __atomic_load_n(&control->off_ticks, __ATOMIC_ACQUIRE);
	uint64_t since = __atomic_load_n(&control->off_since, __ATOMIC_ACQUIRE);

	if (off > most)
		return most;
	if (since && convert->last_ticks > since)
		off += convert->last_ticks - since;
	return off < most ? off : most;
}

static const char *seconds(struct pmu_model *model, uint64_t ns)
{
	return ns < 1000000000u ? pmu_model_textf(model, "%.3g ms", (double)ns / 1e6)
				: pmu_model_textf(model, "%.1f s", (double)ns / 1e9);
}

/* Has measuring been switched off? */
static int add_off_note(struct pmu_convert *convert, const struct pmu_store_control *control)
{
	struct pmu_model *model = convert->model;
	uint32_t n_cut = __atomic_load_n(&control->n_cut, __ATOMIC_RELAXED);

	if (!__atomic_load_n(&control->n_off, __ATOMIC_RELAXED))
		return 0;
	model->off_ns = pmu_convert_ns(convert, off_ticks(convert, control));
	model->is_off = __atomic_load_n(&control->off_since, __ATOMIC_RELAXED);
	return pmu_model_add_note(
		model,
		pmu_model_textf(
			model,
			n_cut ? "measuring was off for %s of %s; calls that were open when it went off "
				"(%" PRIu32 ") have what was until then"
			      : "measuring was off for %s of %s",
			seconds(model, model->off_ns), seconds(model, model->duration_ns), n_cut));
}

/* --- texts --- */

/* Cuts a record at its tabs.  Return: how many of @most parts there are. */
static size_t split(struct pmu_model *model, const struct pmu_raw_text *meta, const char **part,
		    size_t most)
{
	const char *text = meta->text, *end = meta->text + meta->len, *tab;
	size_t n;

	for (n = 0; n < most && text <= end; n++) {
		tab = n + 1 < most ? memchr(text, '\t', (size_t)(end - text)) : NULL;
		if (!tab)
			tab = end;
		part[n] = pmu_model_text(model, text, (size_t)(tab - text));
		text = tab + 1;
	}
	return n;
}

static int add_refusal(struct pmu_convert *convert, const struct pmu_raw_text *meta)
{
	const char *part[3] = { "", "", "" };

	split(convert->model, meta, part, 3);
	return pmu_model_add_refusal(convert->model, part[0], part[1], part[2]);
}

static int number_of_meta(const struct pmu_raw_text *meta)
{
	uint64_t number = 0;

	for (size_t i = 0; i < meta->len; i++) {
		if (meta->text[i] < '0' || meta->text[i] > '9' || number > INT32_MAX / 10 - 1)
			return -1;
		number = 10 * number + (uint64_t)(meta->text[i] - '0');
	}
	return meta->len ? (int)number : -1;
}

static int set_texts(struct pmu_convert *convert)
{
	struct pmu_model *model = convert->model;
	const char **const field[] = {
		[PMU_META_PROGRAM] = &model->program,
		[PMU_META_COMMAND] = &model->command,
		[PMU_META_HOST] = &model->host,
		[PMU_META_MACHINE] = &model->machine,
		[PMU_META_CPU] = &model->cpu,
		[PMU_META_SOURCE] = &model->source,
		[PMU_META_SOURCE_DETAIL] = &model->source_detail,
		[PMU_META_PINNING] = &model->pinning,
		[PMU_META_VERSION] = &model->version,
	};
	const struct pmu_raw_text *meta;
	const char *text;
	size_t i;
	int rc = 0;

	for (i = 0; i < convert->raw->n_meta && !rc; i++) {
		meta = &convert->raw->meta[i];
		text = pmu_model_text(model, meta->text, meta->len);
		if (meta->id < PMU_ARRAY_LEN(field) && field[meta->id])
			*field[meta->id] = text;
		else if (meta->id == PMU_META_RANK)
			model->rank = number_of_meta(meta);
		else if (meta->id == PMU_META_RANKS)
			model->n_ranks = number_of_meta(meta) > 0 ? number_of_meta(meta) : 0;
		else if (meta->id == PMU_META_FORKED)
			model->forked_from = number_of_meta(meta) > 0 ? number_of_meta(meta) : 0;
		else if (meta->id == PMU_META_NOTE)
			rc = pmu_model_add_note(model, text);
		else if (meta->id == PMU_META_REFUSAL)
			rc = add_refusal(convert, meta);
	}
	return rc;
}

/* --- sections --- */

/* Which counts are the sockets', and what reading them takes: the slowest of them. */
static void set_sockets(const struct pmu_convert *convert, uint32_t group,
			struct pmu_model_section *section)
{
	const struct pmu_raw *raw = convert->raw;
	uint32_t n_slots = raw->group[group].n_slots, read_ticks = 0, sockets = 0, process = 0;

	for (size_t i = 0; i < raw->n_threads; i++) {
		const struct pmu_raw_thread *thread = &raw->thread[i];

		if (thread->group != group)
			continue;
		sockets |= thread->record.sockets;
		if (thread->record.flags & PMU_THREAD_PROCESS)
			process |= thread->record.sockets;
		if (pmu_raw_is_socket(thread) && thread->record.read_ticks > read_ticks)
			read_ticks = thread->record.read_ticks;
	}
	section->sockets = n_slots ? sockets & UINT32_MAX >> (32 - n_slots) : 0;
	section->process = section->sockets & process;
	section->socket_read_ns = read_ticks * convert->ns_per_tick;
}

static int set_columns(struct pmu_convert *convert, uint32_t group,
		       struct pmu_model_section *section)
{
	const struct pmu_group_copy *copy = &convert->raw->group[group];
	const struct pmu_store_slot *slot = copy->group->slot;
	struct pmu_model *model = convert->model;
	unsigned int i;

	section->group = pmu_model_text(
		model, copy->group->name,
		pmu_text_field(copy->group->name, sizeof(copy->group->name)));
	section->read_ns = copy->group->read_ticks * convert->ns_per_tick;
	set_sockets(convert, group, section);
	section->n_counts = copy->n_slots;
	section->count = pmu_model_alloc(model, copy->n_slots * sizeof(*section->count));
	if (!section->count)
		return -ENOMEM;
	for (i = 0; i < copy->n_slots; i++) {
		section->count[i].name = pmu_model_text(
			model, slot[i].name, pmu_text_field(slot[i].name, sizeof(slot[i].name)));
		section->count[i].unit = pmu_model_text(
			model, slot[i].unit, pmu_text_field(slot[i].unit, sizeof(slot[i].unit)));
	}
	return 0;
}

static int set_metrics(struct pmu_convert *convert, uint32_t group,
		       struct pmu_model_section *section)
{
	const struct pmu_raw *raw = convert->raw;
	struct pmu_model_metric *metric;
	const char *part[4];
	size_t i;

	section->metric = pmu_model_alloc(convert->model, MAX_METRICS * sizeof(*metric));
	if (!section->metric)
		return -ENOMEM;
	for (i = 0; i < raw->n_meta && section->n_metrics < MAX_METRICS; i++) {
		if (raw->meta[i].id != PMU_META_METRIC ||
		    split(convert->model, &raw->meta[i], part, 4) != 4 ||
		    strtoul(part[0], NULL, 10) != group)
			continue;
		metric = &section->metric[section->n_metrics++];
		*metric = (struct pmu_model_metric){ part[1], part[2], part[3] };
	}
	return 0;
}

/* Does it take turns with others? */
static bool is_in_turns(const struct pmu_raw *raw, uint32_t group)
{
	for (size_t i = 0; i < raw->n_meta; i++)
		if (raw->meta[i].id == PMU_META_TURNS &&
		    number_of_meta(&raw->meta[i]) == (int)group)
			return true;
	return false;
}

static bool has_threads(const struct pmu_raw *raw, uint32_t group)
{
	size_t i;

	for (i = 0; i < raw->n_threads; i++)
		if (raw->thread[i].group == group)
			return true;
	return false;
}

/* Groups that were never counted have no section, unless nothing was. */
static int make_model_sections(struct pmu_convert *convert)
{
	const struct pmu_raw *raw = convert->raw;
	struct pmu_model *model = convert->model;
	struct pmu_model_section *section;
	uint32_t group;
	int rc = 0;

	model->section = pmu_model_alloc(model, PMU_STORE_MAX_GROUPS * sizeof(*section));
	if (!model->section)
		return -ENOMEM;
	for (group = 0; group < PMU_STORE_MAX_GROUPS && !rc; group++) {
		if (!raw->has_group[group] || (raw->n_threads && !has_threads(raw, group)))
			continue;
		section = &model->section[model->n_sections++];
		section->index = group;
		section->in_turns = is_in_turns(raw, group);
		rc = set_columns(convert, group, section);
		if (!rc)
			rc = set_metrics(convert, group, section);
		if (!rc)
			rc = pmu_convert_section(convert, group, section);
	}
	return rc;
}

/* --- what the reader has to say --- */

static int add_notes(struct pmu_convert *convert)
{
	struct pmu_model *model = convert->model;
	uint64_t n;
	int i, rc = 0;

	if (!convert->ns_per_tick)
		rc = pmu_model_add_note(model, "the rate of the clock is not known: times could "
					       "not be converted and are shown as 0");
	if (!rc && convert->state == PMU_PROGRAM_UNKNOWN)
		rc = pmu_model_add_note(model,
					"the store comes from another machine, boot or container: "
					"whether "
					"the program still runs cannot be told from here");
	if (!rc && convert->other_user)
		rc = pmu_model_add_note(
			model,
			"a program was executed here as another user, who may not keep results beside "
			"those of this one: they are missing; try pmu run as that user");
	if (!rc && convert->next == PMU_NEXT_STOP)
		rc = pmu_model_add_note(model, "the process was ended by its parent (SIGTERM)");
	for (i = 0; i < (int)convert->raw->n_threads && !rc; i++)
		if (convert->raw->thread[i].record.flags & PMU_THREAD_FORKED) {
			rc = pmu_model_add_note(
				model, "forked: regions open then are measured from there on");
			break;
		}
	for (i = 0; i < PMU_DAMAGE_COUNT && !rc; i++) {
		n = convert->raw->damage[i];
		model->is_damaged |= n && i != PMU_DAMAGE_TORN;
		if (n && (i == PMU_DAMAGE_TORN || i == PMU_DAMAGE_CHURN))
			rc = pmu_model_add_note(model, damage_text[i]);
		else if (n)
			rc = pmu_model_add_note(
				model,
				pmu_model_textf(model, "the store is damaged: %s (%" PRIu64 ")",
						damage_text[i], n));
	}
	return rc;
}

/*
 * A socket was counted for so long that something should have come of it: energy moves about once
 * in a millisecond.
 */
#define LONG_NS 3000000u

/* Bits of the sockets' counts that are known and 0 in every row, one of which is long. */
static uint32_t standing_still(const struct pmu_model *model,
			       const struct pmu_model_section *section)
{
	uint32_t looked = 0, moved = 0;

	for (unsigned int r = 0; r < section->n_thread_rows; r++) {
		const struct pmu_model_row *row = &section->thread_row[r];

		for (unsigned int i = 0; pmu_model_is_socket(model, row) && i < section->n_counts;
		     i++) {
			if (row->missing >> i & 1)
				continue;
			looked |= (uint32_t)(row->time_ns >= LONG_NS) << i;
			moved |= (uint32_t)(row->raw[i] != 0) << i;
		}
	}
	return section->sockets & ~section->process & looked & ~moved;
}

/* Virtual machines show counters of memory and energy that nothing is behind. */
static int note_standing(struct pmu_model *model)
{
	struct pmu_strbuf text = { 0 };
	int rc = 0;

	for (unsigned int s = 0; s < model->n_sections; s++) {
		uint32_t still = standing_still(model, &model->section[s]);

		for (unsigned int i = 0; i < model->section[s].n_counts; i++)
			if (still >> i & 1)
				pmu_strbuf_addf(&text, "%s%s", text.len ? ", " : "",
						model->section[s].count[i].name);
	}
	if (text.len) {
		pmu_strbuf_add(
			&text,
			" stayed 0 all the time: there was none of it, or this machine has nothing behind its "
			"counters, as virtual ones may");
		rc = text.failed ? -ENOMEM : pmu_model_add_note(model, pmu_strbuf_text(&text));
	}
	pmu_strbuf_free(&text);
	return rc;
}

static void list_open_regions(const struct pmu_model *model, struct pmu_strbuf *text)
{
	const struct pmu_model_row *row;
	unsigned int s, r, n = 0;

	for (s = 0; s < model->n_sections; s++) {
		for (r = 0; r < model->section[s].n_thread_rows; r++) {
			row = &model->section[s].thread_row[r];
			if (!row->n_open || pmu_model_is_socket(model, row) ||
			    model->thread[row->thread].finished)
				continue;
			if (n++ < DIED_NAMES)
				pmu_strbuf_addf(text, "%s%s (thread %d)",
						n == 1 ? "; open then: " : ", ", row->path,
						model->thread[row->thread].number);
		}
	}
	if (n > DIED_NAMES)
		pmu_strbuf_addf(text, " and %u more", n - DIED_NAMES);
	if (!n)
		pmu_strbuf_add(text, "; no region was open");
}

/*
 * SIGKILL and an exit_group instruction of the program's own, as Go's is, leave the same behind.
 * `pmu run` can tell for its own child; for a grandchild only that one's parent can.
 */
static int set_model_died(struct pmu_model *model, uint32_t next)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_addf(&text,
			next == PMU_NEXT_SIGNAL
				? "the program was killed by a signal: process %" PRId64
				: "the program did not end cleanly, or by a system call of its "
				  "own: process %" PRId64 " is gone",
			model->pid);
	list_open_regions(model, &text);
	if (!text.failed)
		model->died = pmu_model_text(model, pmu_strbuf_text(&text), text.len);
	pmu_strbuf_free(&text);
	return model->died ? 0 : -ENOMEM;
}

/*
 * Valgrind's tool runs as a program of its own, after which the system calls every thread that is
 * given no name.
 */
static void name_emulated_threads(struct pmu_model *model)
{
	static const char *const tools[] = { "callgrind-", "pmu-amd64-", "pmu-arm64-" };

	if (strcmp(model->source, "valgrind") != 0)
		return;
	for (unsigned int i = 0; i < model->n_threads; i++)
		for (size_t tool = 0; tool < PMU_ARRAY_LEN(tools); tool++)
			if (!strncmp(model->thread[i].name, tools[tool], strlen(tools[tool])))
				model->thread[i].name = model->program;
}

/* --- all of it --- */

/*
 * _exit() and exec are clean ends too, and so is SIGTERM from a parent that has no more work for the
 * process.
 */
static bool ended_without_exit(uint32_t next)
{
	return next == PMU_NEXT_EXIT || next == PMU_NEXT_EXEC || next == PMU_NEXT_STOP;
}

/*
 * An exec keeps the pid.  A process that reads its own store is still the program that wrote it.
 */
static bool went_on_as_another(const struct pmu_store_head *head, uint32_t next)
{
	return next == PMU_NEXT_EXEC && head->pid != getpid();
}

static enum pmu_program_state program_state(const struct pmu_store_head *head)
{
	enum pmu_liveness liveness;
	uint32_t next;

	if (__atomic_load_n(&head->ended, __ATOMIC_RELAXED))
		return PMU_PROGRAM_ENDED;
	liveness = pmu_store_liveness(head);
	next = __atomic_load_n(&head->next, __ATOMIC_RELAXED);
	switch (liveness) {
	case PMU_PROCESS_ALIVE:
		return went_on_as_another(head, next) ? PMU_PROGRAM_ENDED : PMU_PROGRAM_RUNS;
	case PMU_PROCESS_DEAD:
		return ended_without_exit(next) ? PMU_PROGRAM_ENDED : PMU_PROGRAM_DIED;
	case PMU_PROCESS_FOREIGN:
		break;
	}
	return PMU_PROGRAM_UNKNOWN;
}

static int convert_all(struct pmu_convert *convert, const struct pmu_store_head *head)
{
	struct pmu_model *model = convert->model;
	int rc;

	model->pid = head->pid;
	model->nth = head->nth;
	convert->next = __atomic_load_n(&head->next, __ATOMIC_RELAXED);
	convert->other_user = __atomic_load_n(&head->other_user, __ATOMIC_RELAXED);
	model->start_unix_ns = head->start_unix_ns;
	set_duration(convert);
	convert->name = calloc(convert->raw->n_names + 1, sizeof(*convert->name));
	convert->histogram = calloc(1, sizeof(*convert->histogram));
	rc = convert->name && convert->histogram ? set_texts(convert) : -ENOMEM;
	if (!rc)
		rc = pmu_convert_threads(convert);
	if (!rc) {
		name_emulated_threads(model);
		rc = make_model_sections(convert);
	}
	if (!rc)
		rc = pmu_convert_doubts(convert);
	if (!rc)
		rc = add_off_note(convert, pmu_store_control(head));
	if (!rc)
		rc = add_notes(convert);
	if (!rc)
		rc = note_standing(model);
	if (!rc)
		rc = pmu_model_finish(model);
	if (!rc && convert->state == PMU_PROGRAM_DIED)
		rc = set_model_died(model, convert->next);
	return rc;
}

int pmu_store_snapshot(const struct pmu_store_view *view, const struct pmu_clock_point *last,
		       struct pmu_model **model)
{
	const struct pmu_store_head *head = pmu_store_head_of(view);
	struct pmu_convert convert = { 0 };
	struct pmu_clock_point now;
	struct pmu_raw raw = { 0 };
	int rc;

	if (!head)
		return pmu_fail(EINVAL, "not a store of this library: it is too short");
	rc = pmu_store_check_head(head, PMU_STORE_HEAD_SIZE);
	if (rc)
		return rc;
	convert.raw = &raw;
	convert.state = program_state(head);
	now = last ? *last : second_point(head, convert.state);
	rc = pmu_raw_read(view, convert.state == PMU_PROGRAM_RUNS, &raw);
	convert.model = rc ? NULL : pmu_model_new();
	if (convert.model) {
		set_model_clock(&convert, head, &now);
		rc = convert_all(&convert, head);
	} else {
		rc = -ENOMEM;
	}
	free(convert.thread_of);
	free(convert.name);
	free(convert.histogram);
	free(convert.doubt);
	pmu_raw_free(&raw);
	if (rc) {
		pmu_model_free(convert.model);
		return pmu_fail(rc, "no memory for the content of the store");
	}
	*model = convert.model;
	return 0;
}
