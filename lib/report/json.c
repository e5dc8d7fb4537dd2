/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON, version 1 of the schema.
 *
 *   pmu_report    1; a reader refuses what it does not know.  Members may be added
 *                 without a new version: skip unknown ones
 *   version       of the library that measured
 *   program, command, host, pid     "" or null where several processes differ in it
 *   rank          among the processes of an MPI program, or null
 *   ranks         how many of them its launcher started, or null
 *   nth           the program's number in its process: 1, after an exec 2, ...; or null
 *   start_unix_ns, duration_ns
 *   off_ns        of duration_ns, in which measuring was switched off; only where it was, and not of
 *                 several processes
 *   attached      true: `pmu attach` made it, and duration_ns is for how long it watched; else not there.  With a pid of
 *                 0 it is of a machine or a cgroup: threads are processors, calls of a program its processes
 *   machine       {description, cpu}
 *   clock         {name, hz}: of all times in here; hz is null where unknown
 *   source        {name, detail}: what made the counts
 *   refused       [{source, why, mend}]: better sources, and what would help
 *   pinning
 *   died          null after a clean end, else a sentence
 *   run           {status, signal, start_unix_ns, elapsed_ns, user_ns, system_ns,
 *                 max_rss_bytes}: of the command that `pmu run` made this report of; only there.
 *                 status or signal is null; the times are of all processes that were waited for
 *                 in it, max_rss_bytes is of the largest
 *   parts         only where the report is of several processes: [{label, program, command,
 *                 host, pid, rank, nth, start_unix_ns, duration_ns, died}], by rank where each
 *                 has one, else by start.  "part" is an index into this list from here on,
 *                 and only there
 *   notes         [sentence]
 *   groups        [{name, read_ns, share_of, counts, metrics}]
 *     read_ns     what one read of the counters takes, two of them a call; null: none
 *     share_of    what its regions are ordered by and their shares are of: "cpu_ns" where several
 *                 threads are together and it is known of all, else "time_ns"; where valgrind
 *                 counted, the name of a count
 *     in_turns    true where groups take turns (PMU_ROTATE), and this one does; else not there
 *     counts      [{name, unit}]; the unit "" is a number of events.  With scope
 *                 "socket": counted for whole sockets, while at least one thread was
 *                 in the region there, and null in the threads' rows; "process": likewise
 *                 for all threads of the process
 *     socket_read_ns     what one read of a socket's counters takes, at the first begin
 *                 and the last end of a region there; only where some counts have
 *                 that scope
 *     metrics     [{name, unit, formula}]; a formula is over net counts, time
 *                 (seconds), calls and tsc_hz; with a count that has a scope the time of
 *                 a sum is that of the sockets
 *   threads       one for each thread, in the order of their first use of the library;
 *                 part after part
 *     part
 *     thread      its number, from 0; of its part
 *     name, tid, cpu     cpu: OS number of the one it was pinned to, or null
 *     core_type   the kinds of core it ran on, "P", "E" or "P+E"; only on a hybrid processor,
 *                 where it is known
 *     merged      0, or how many finished threads share this entry
 *     finished    true or false
 *     time_ns     from its first region to its end or this report; null, as what the kernel says of
 *                 it, where it was valgrind that ran
 *     start_ns, stop_ns  when it began and ended, since its process did; null where it is not
 *                 known; only where there are teams
 *     minor_faults, major_faults, voluntary_switches, involuntary_switches
 *     cpu_ns      of time_ns, how long it was on a processor; the rest it waited
 *   sockets       [{part, socket, time_ns}]: from their first region to this report; socket is the
 *                 number, from 0, null where it was not known, "process" where it is all
 *                 threads of the process, wherever they ran.  Here and in regions only
 *                 where some counts are the sockets' or the process's
 *   over_ranks    {ranks, time_ns, computing_ns, mpi_ns, longest, record}: only where there is a
 *                 process for each of several MPI ranks.  The times are of a rank in outermost
 *                 regions, of it in calls of MPI, and the rest of it, each as in regions;
 *                 longest: [{rank, host, computing_ns, mpi_ns}], those that compute longest.
 *                 record, only where ranks have made this report together: what it is made of,
 *                 in base64, for `pmu report`
 *   objects       [{path, build_id}]: programs and libraries that samples are in, as they were mapped; the
 *                 id in hexadecimal, null where they have none.  Only where samples were taken
 *   regions       in tree order: a region, then what is nested in it, that with most of the group's
 *                 share_of first
 *     name, path  the path has the names around it too, joined by '/'; '/' and '\' in
 *                 names have a '\' before them
 *     group       name of the group that counted; group, path and the flag "flat"
 *                 together tell a region from all others
 *     depth, parent      0 and null for an outermost region, else the path around it
 *     n_threads   threads that were in it; all that follows is the sum over them
 *     calls       begin/end pairs that have ended
 *     all_calls   only where there are others than calls: these, and those that other groups have
 *                 counted
 *     time_ns     inclusive of nested regions; null, as all that follows from it and the
 *                 counts are, where the region is open and no call of it has ended.  Where valgrind
 *                 counted, times are null and counts are not: its times are not the program's
 *     cpu_ns, blocked_ns, runnable_ns    parts of time_ns: on a processor; off it, asleep or waiting
 *                 for something; off it and waiting for a processor.  null where the thread is not
 *                 told when it is off its processor (PMU_WAIT)
 *     self_ns     without them
 *     self_cpu_ns of that, on a processor; null where it is not known
 *     time_own_ns how much of time_ns was about the library's own work: not taken out
 *     time_min_ns, time_mean_ns, time_max_ns, time_sd_ns    of a single call (but for
 *                 the mean of outermost calls, where the region is recursive)
 *     time_p50_ns, time_p90_ns, time_p99_ns, time_p99_9_ns    the time that so many of
 *                 a hundred calls (p99_9: 999 of a thousand) did not exceed, right to
 *                 8 percent; these and the next only with PMU_HISTOGRAM=1
 *     histogram   [[ns, calls]]: so many calls lasted about that long, right to 8
 *                 percent; shortest first, outermost calls that have ended
 *     share       0 to 1, of what all threads together have of the group's share_of; by thread: of
 *                 that thread's measured time, or where valgrind counted of its count
 *     open        begins without an end so far
 *     flags       "overlap"    ended after the region around it
 *                 "recursive"  was entered while it was open
 *                 "direct"     and never by way of another region
 *                 "flat"       beyond the limit of regions per thread: kept by name,
 *                              without the regions around it
 *                 "no_self"    self values cannot be known
 *                 "open"       had begun, but not ended
 *                 "interrupted"  interrupts were counted in it (the count "interrupts"):
 *                 instructions may
 *                              be too high by as many, and by one for each page fault
 *                 "short"      more than a tenth of the time, or of a count, was the
 *                              library's own cost
 *                 "team"       of "workers": see there
 *                 "program"    of several processes, and not measured itself: around the
 *                              regions of one program's processes; calls are processes
 *     raw         {count: as read}
 *     net         {count: without the library's own cost}
 *     self        {count: net without nested regions}
 *     turns       of a thread, where groups took turns: {n, calls, calls_square, counts: {count:
 *                 {sum, square, product}}}: of the n turns in which there were calls the sums of
 *                 these, of their squares, of what all calls of a turn counted (as read), of its
 *                 square, of its product with the calls
 *     estimated_calls    only with the next one: the calls that it is of, those of all groups that
 *                 take turns
 *     estimated   {count: {value, error, margin}} where groups took turns: the net count of all
 *                 calls, as many times what a call counted; its standard error; half of the
 *                 interval that holds the true value in 95 of 100 cases; null: not known
 *     least       {count: the least net count of a call}: its shortest path, each count for itself;
 *     of
 *                 outermost calls that have ended, but for those that regions overlap in; null
 *                 where there is none; only with PMU_EXACT=1
 *     metrics     {metric: value}
 *     samples     {n, period_ns, functions: [{name, object, n, lines: [{file, line, n}], code}]}: estimates,
 *                 from so many samples of where its own time goes, without nested regions, one each
 *                 period_ns of CPU time; by function, as demangled, of the program or library called
 *                 object, and by source line where that is known; most samples first.  Of a region
 *                 those of "workers", too.  Only where samples were taken in it.  In place of period_ns
 *                 {event, period, precise} where they are of an event, not of time: one each period of
 *                 it; precise_ip of perf_event_open(2): 0: taken at an instruction some way behind, 1:
 *                 always as far behind, 2 and 3: at the one that did it.  None where several processes
 *                 that are in one row had different events
 *                 code: [{object, start, size, addresses: [[offset, n]]}], where the function is in a
 *                 file: which of "objects", from 0; the function's first address there, as nm(1)
 *                 has it, and its bytes, null where they are not known; samples by the instruction
 *                 that they were taken at, so many bytes behind the start.  Several where one name
 *                 stands for several functions, or there were several builds
 *     over_parts  {time_ns, net: {count}}, each {n, sum, min, max, mean, imbalance,
 *                 min_part, max_part} over the n parts that have the region; where all
 *                 have ranks over the ranks, with all processes of one rank together, of
 *                 which the part is the first.  imbalance is max / mean - 1.  Only of
 *                 several processes
 *     team        what all threads did for the region: those that opened it, and others that worked
 *                 for it, at any depth; each piece of work once.  Only where a thread of the group
 *                 worked for another's region, and more than one was in this one
 *       others    true; false where each was in calls of its own alone
 *       time_ns, cpu_ns, blocked_ns, runnable_ns, time_own_ns, share    of all its threads together; null where a part of it is not
 *                 known
 *       n_threads most of its threads that lived at once; null where some are merged
 *       imbalance how much longer than the mean the slowest was at work for it (on a processor,
 *                 where that is known; null below a hundredth of its time), of the others, or
 *                 where there are none of all: max / mean - 1; threads that came after each other
 *                 count as one
 *       efficiency  cpu_ns, or where that is not known time_ns, without that of regions called
 *                 "wait (...)", of n_threads times the time of its openers, on average of those at
 *                 once; 0 to 1
 *       raw, net, metrics    null where a part of it lacks the count
 *       workers   [{part, thread, team_depth, and all from calls to metrics}]: what each of the
 *                 others did; calls are how often it came to work for it, 0 where it did so only
 *                 for regions in it.  It is in no other row
 *     threads     [{part, thread, team_depth, and all from calls to metrics}]: of each thread.
 *                 team_depth is there where it began the region at work for others': so many
 *                 regions of the path, from the outermost, are theirs.  A thread may be there
 *                 several times then, with different ones
 *     sockets     [{part, socket, and the same}]: of each socket; calls are the times that a
 *                 thread came in where none was, and the counts those of that scope
 *   doubts        [{text, region, part, parts: [part], thread, count}]; region is the path, the
 *   last
 *                 8 names of it, null where it is about a thread or all; part and thread are null
 *                 for
 *                 all, parts is there where it is of several but not all; count is null where it
 *                 cannot be counted
 *
 * null is unknown, never 0.  Times and counts are exact integers up to 2^64 - 1, other numbers have
 * as many digits as a double needs to come back.  Text is UTF-8; a byte that is not part of valid
 * UTF-8 stands as the four characters \xNN, and a backslash in front of what looks like that as
 * \x5c: different names stay different.
 */
#include <math.h>
#include <string.h>

#include "report/encode.h"
#include "report/json.h"
#include "report/json_put.h"
#include "report/model/histogram.h"
#include "report/model/measure.h"
#include "report/model/rows.h"
#include "report/model/samples.h"
#include "report/report.h"
#include "report/several.h"

static const struct {
	uint32_t flag;
	const char *name;
} flag_names[] = {
	{ PMU_ROW_OVERLAP, "overlap" },
	{ PMU_ROW_RECURSIVE, "recursive" },
	{ PMU_ROW_FLAT, "flat" },
	{ PMU_ROW_NO_SELF, "no_self" },
	{ PMU_ROW_OPEN, "open" },
	{ PMU_ROW_DIRECT, "direct" },
	{ PMU_ROW_PROGRAM, "program" },
	{ PMU_ROW_SHORT, "short" },
	{ PMU_ROW_INTERRUPTED, "interrupted" },
	{ PMU_ROW_TEAM, "team" },
};

static void put_head(struct pmu_strbuf *out, const struct pmu_model *model)
{
	pmu_strbuf_add(out, "{\n  \"pmu_report\": 1");
	put_text(out, ",\n  ", "version", model->version);
	put_text(out, ",\n  ", "program", model->program);
	put_text(out, ",\n  ", "command", model->command);
	put_text(out, ",\n  ", "host", model->host);
	put_i64(out, ",\n  ", "pid", model->pid);
	put_i64(out, ",\n  ", "rank", model->rank);
	put_known(out, ",\n  ", "ranks", model->n_ranks > 0, (uint64_t)model->n_ranks);
	put_known(out, ",\n  ", "nth", model->nth > 0, model->nth);
	put_u64(out, ",\n  ", "start_unix_ns", model->start_unix_ns);
	put_u64(out, ",\n  ", "duration_ns", model->duration_ns);
	if (model->off_ns)
		put_u64(out, ",\n  ", "off_ns", model->off_ns);
	if (model->is_attached)
		put_bool(out, ",\n  ", "attached", true);
	put_text(out, ",\n  \"machine\": {", "description", model->machine);
	put_text(out, ", ", "cpu", model->cpu);
	put_text(out, "},\n  \"clock\": {", "name", model->clock);
	put_double(out, ", ", "hz", model->clock_hz > 0 ? model->clock_hz : NAN);
	put_text(out, "},\n  \"source\": {", "name", model->source);
	put_text(out, ", ", "detail", model->source_detail);
	pmu_strbuf_add(out, "}");
}

void pmu_json_run(struct pmu_strbuf *out, const struct pmu_model_run *run)
{
	if (!run) {
		pmu_strbuf_add(out, "null");
		return;
	}
	put_i64(out, "{", "status", run->status);
	put_i64(out, ", ", "signal", run->signal > 0 ? run->signal : -1);
	put_known(out, ", ", "start_unix_ns", run->start_unix_ns, run->start_unix_ns);
	put_u64(out, ", ", "elapsed_ns", run->elapsed_ns);
	put_u64(out, ", ", "user_ns", run->user_ns);
	put_u64(out, ", ", "system_ns", run->system_ns);
	put_u64(out, ", ", "max_rss_bytes", run->max_rss);
	pmu_strbuf_add(out, "}");
}

static void put_parts(struct pmu_strbuf *out, const struct pmu_model *model)
{
	if (!model->n_parts)
		return;
	pmu_strbuf_add(out, ",\n  \"parts\": [");
	for (unsigned int i = 0; i < model->n_parts; i++) {
		const struct pmu_model_part *part = &model->part[i];

		next_line(out, !i, "    ");
		put_text(out, "{", "label", part->label);
		put_text(out, ", ", "program", part->program);
		put_text(out, ", ", "command", part->command);
		put_text(out, ", ", "host", part->host);
		put_i64(out, ", ", "pid", part->pid);
		put_i64(out, ", ", "rank", part->rank);
		put_known(out, ", ", "nth", part->nth > 0, part->nth);
		put_u64(out, ", ", "start_unix_ns", part->start_unix_ns);
		put_u64(out, ", ", "duration_ns", part->duration_ns);
		put_nullable(out, ", ", "died", part->died);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, false, "  ");
}

void pmu_json_refusals(struct pmu_strbuf *out, const struct pmu_model_refusal *refusal,
		       unsigned int n)
{
	pmu_strbuf_add(out, ",\n  \"refused\": [");
	for (unsigned int i = 0; i < n; i++) {
		next_line(out, !i, "    ");
		put_text(out, "{", "source", refusal[i].source);
		put_text(out, ", ", "why", refusal[i].why);
		put_text(out, ", ", "mend", refusal[i].mend);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !n, "  ");
}

static void put_remarks(struct pmu_strbuf *out, const struct pmu_model *model)
{
	pmu_json_refusals(out, model->refusal, model->n_refusals);
	put_text(out, ",\n  ", "pinning", model->pinning);
	put_nullable(out, ",\n  ", "died", model->died);
	if (model->run) {
		key(out, ",\n  ", "run");
		pmu_json_run(out, model->run);
	}
	put_parts(out, model);
	pmu_strbuf_add(out, ",\n  \"notes\": [");
	for (unsigned int i = 0; i < model->n_notes; i++) {
		next_line(out, !i, "    ");
		pmu_encode_json(out, model->note[i]);
	}
	end_list(out, !model->n_notes, "  ");
}

static void put_json_group(struct pmu_strbuf *out, const struct pmu_model_section *s)
{
	put_text(out, "{", "name", s->group);
	put_double(out, ", ", "read_ns", s->read_ns > 0 ? s->read_ns : NAN);
	put_text(out, ", ", "share_of", pmu_measure_key(s));
	if (s->in_turns)
		put_bool(out, ", ", "in_turns", true);
	if (s->sockets)
		put_double(out, ", ", "socket_read_ns",
			   s->socket_read_ns > 0 ? s->socket_read_ns : NAN);
	pmu_strbuf_add(out, ",\n     \"counts\": [");
	for (unsigned int i = 0; i < s->n_counts; i++) {
		put_text(out, i ? ", {" : "{", "name", s->count[i].name);
		put_text(out, ", ", "unit", s->count[i].unit);
		if (s->sockets >> i & 1)
			put_text(out, ", ", "scope", s->process >> i & 1 ? "process" : "socket");
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "],\n     \"metrics\": [");
	for (unsigned int i = 0; i < s->n_metrics; i++) {
		put_text(out, i ? ", {" : "{", "name", s->metric[i].name);
		put_text(out, ", ", "unit", s->metric[i].unit);
		put_text(out, ", ", "formula", s->metric[i].formula);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]}");
}

static void put_groups(struct pmu_strbuf *out, const struct pmu_model *model)
{
	pmu_strbuf_add(out, ",\n  \"groups\": [");
	for (unsigned int i = 0; i < model->n_sections; i++) {
		next_line(out, !i, "    ");
		put_json_group(out, &model->section[i]);
	}
	end_list(out, !model->n_sections, "  ");
}

/* Which part it is of, where there are several. */
static void put_json_part(struct pmu_strbuf *out, const struct pmu_model *model,
			  const struct pmu_model_thread *thread)
{
	if (!model->n_parts)
		return;
	put_u64(out, "", "part", thread->part);
	pmu_strbuf_add(out, ", ");
}

static void put_thread(struct pmu_strbuf *out, const struct pmu_model *model,
		       const struct pmu_model_thread *thread, bool life)
{
	pmu_strbuf_add(out, "{");
	put_json_part(out, model, thread);
	put_i64(out, "", "thread", thread->number);
	put_text(out, ", ", "name", thread->name);
	put_i64(out, ", ", "tid", thread->tid);
	put_i64(out, ", ", "cpu", thread->cpu);
	if (thread->core_type && *thread->core_type)
		put_text(out, ", ", "core_type", thread->core_type);
	put_u64(out, ", ", "merged", thread->n_merged);
	put_bool(out, ", ", "finished", thread->finished);
	put_known(out, ", ", "time_ns", !pmu_model_is_simulated(model), thread->time_ns);
	if (life) {
		put_i64(out, ", ", "start_ns", thread->start_ns);
		put_i64(out, ", ", "stop_ns", thread->stop_ns);
	}
	put_i64(out, ", ", "minor_faults", thread->minor_faults);
	put_i64(out, ", ", "major_faults", thread->major_faults);
	put_i64(out, ", ", "voluntary_switches", thread->voluntary_switches);
	put_i64(out, ", ", "involuntary_switches", thread->involuntary_switches);
	put_i64(out, ", ", "cpu_ns", thread->cpu_ns);
	pmu_strbuf_add(out, "}");
}

static void put_json_threads(struct pmu_strbuf *out, const struct pmu_model *model)
{
	bool life = pmu_model_has_teams(model);

	pmu_strbuf_add(out, ",\n  \"threads\": [");
	for (unsigned int i = 0; i < model->n_threads; i++) {
		next_line(out, !i, "    ");
		put_thread(out, model, &model->thread[i], life);
	}
	end_list(out, !model->n_threads, "  ");
}

static void put_json_socket(struct pmu_strbuf *out, int number)
{
	if (number == PMU_MODEL_PROCESS)
		put_text(out, "", "socket", "process");
	else
		put_i64(out, "", "socket", number);
}

static void put_sockets(struct pmu_strbuf *out, const struct pmu_model *model)
{
	if (!model->n_sockets)
		return;
	pmu_strbuf_add(out, ",\n  \"sockets\": [");
	for (unsigned int i = 0; i < model->n_sockets; i++) {
		const struct pmu_model_thread *socket = &model->thread[model->n_threads + i];

		next_line(out, !i, "    ");
		pmu_strbuf_add(out, "{");
		put_json_part(out, model, socket);
		put_json_socket(out, socket->number);
		put_u64(out, ", ", "time_ns", socket->time_ns);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, false, "  ");
}

static void put_json_counts(struct pmu_strbuf *out, const char *before, const char *name,
			    const struct pmu_model_section *s, const uint64_t *value,
			    uint32_t missing)
{
	key(out, before, name);
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < s->n_counts; i++)
		put_known(out, i ? ", " : "", s->count[i].name, !(missing >> i & 1), value[i]);
	pmu_strbuf_add(out, "}");
}

static void put_json_metrics(struct pmu_strbuf *out, const char *before,
			     const struct pmu_model_section *s, const double *metric)
{
	key(out, before, "metrics");
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < s->n_metrics; i++)
		put_double(out, i ? ", " : "", s->metric[i].name, metric ? metric[i] : NAN);
	pmu_strbuf_add(out, "}");
}

static void put_turns(struct pmu_strbuf *out, const char *before, const struct pmu_model_section *s,
		      const struct pmu_model_turns *turns)
{
	key(out, before, "turns");
	put_double(out, "{", "n", turns->n);
	put_double(out, ", ", "calls", turns->calls);
	put_double(out, ", ", "calls_square", turns->calls_square);
	key(out, ", ", "counts");
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < s->n_counts; i++) {
		key(out, i ? ", " : "", s->count[i].name);
		put_double(out, "{", "sum", turns->count[i].sum);
		put_double(out, ", ", "square", turns->count[i].square);
		put_double(out, ", ", "product", turns->count[i].product);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "}}");
}

static void put_estimate(struct pmu_strbuf *out, const struct pmu_model_estimate *estimate)
{
	put_double(out, "{", "value", estimate->value);
	put_double(out, ", ", "error", estimate->error);
	put_double(out, ", ", "margin", estimate->margin);
	pmu_strbuf_add(out, "}");
}

static void put_estimates(struct pmu_strbuf *out, const char *before,
			  const struct pmu_model_section *s, const struct pmu_model_row *row)
{
	if (!row->estimate)
		return;
	put_u64(out, before, "estimated_calls", row->whole_calls);
	key(out, before, "estimated");
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < s->n_counts; i++) {
		key(out, i ? ", " : "", s->count[i].name);
		put_estimate(out, &row->estimate[i]);
	}
	pmu_strbuf_add(out, "}");
}

void pmu_json_flags(struct pmu_strbuf *out, uint32_t flags)
{
	bool first = true;

	pmu_strbuf_add(out, "[");
	for (size_t i = 0; i < PMU_ARRAY_LEN(flag_names); i++) {
		if (!(flags & flag_names[i].flag))
			continue;
		pmu_strbuf_add(out, first ? "" : ", ");
		pmu_encode_json(out, flag_names[i].name);
		first = false;
	}
	pmu_strbuf_add(out, "]");
}

uint32_t pmu_json_flag(const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(flag_names); i++)
		if (!strcmp(name, flag_names[i].name))
			return flag_names[i].flag;
	return 0;
}

void pmu_json_histogram(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < row->histogram->n; i++) {
		pmu_strbuf_add(out, i ? ", [" : "[");
		pmu_encode_u64(out, pmu_length_ns(row->histogram->bucket[i].bucket));
		pmu_strbuf_add(out, ", ");
		pmu_encode_u64(out, row->histogram->bucket[i].calls);
		pmu_strbuf_add(out, "]");
	}
	pmu_strbuf_add(out, "]");
}

/* How long its calls were. */
static void put_histogram(struct pmu_strbuf *out, const struct pmu_model_row *row,
			  const char *indent)
{
	for (unsigned int i = 0; i < PMU_PERCENTILES; i++) {
		uint64_t ns;
		bool known = pmu_row_percentile(row, pmu_percentiles[i].per_mille, &ns);

		put_known(out, i ? ", " : indent, pmu_percentiles[i].member, known, ns);
	}
	key(out, ", ", "histogram");
	pmu_json_histogram(out, row);
}

/* The number of others than calls is there where there are any. */
static void put_field(struct pmu_strbuf *out, const char *before, const struct pmu_field *field,
		      const struct pmu_model_row *row)
{
	struct pmu_number number = pmu_field_get(field, row);

	if (field->of & PMU_OF_ROW ||
	    (field->of & PMU_OF_SUM && row->thread < 0 && number.is_known))
		put_row_number(out, before, field->key, number);
}

/* As read, without the library's cost, without nested regions; a team's has not all of them. */
static void put_each_count(struct pmu_strbuf *out, const char *before,
			   const struct pmu_model_section *s, const struct pmu_model_row *row)
{
	for (unsigned int nth = 0; nth < PMU_COUNTS_FIELDS; nth++) {
		const struct pmu_counts_field *field = &pmu_counts_fields[nth];
		uint32_t missing;
		const uint64_t *value = pmu_counts_get(nth, row, &missing);

		if (field->key && (value || !field->is_self))
			put_json_counts(out, before, field->key, s, value, missing);
	}
}

/* What a sum and a thread's row have in common; @indent goes before each further line. */
static void put_measured(struct pmu_strbuf *out, const struct pmu_model_section *s,
			 const struct pmu_model_row *row, const char *indent)
{
	for (size_t i = 0; i < pmu_n_fields; i++)
		put_field(out, pmu_fields[i].place == 1 ? "" : ", ", &pmu_fields[i], row);
	key(out, ", ", "flags");
	pmu_json_flags(out, row->flags);
	if (row->histogram)
		put_histogram(out, row, indent);
	put_each_count(out, indent, s, row);
	if (row->turns && row->thread >= 0)
		put_turns(out, indent, s, row->turns);
	put_estimates(out, indent, s, row);
	if (row->least)
		put_json_counts(out, indent, "least", s, row->least->count, ~row->least->known);
	put_json_metrics(out, indent, s, row->metric);
	if (row->samples && row->samples->n) {
		key(out, indent, "samples");
		pmu_json_samples(out, row->samples, true);
	}
}

static void put_region(struct pmu_strbuf *out, const struct pmu_model_section *s,
		       const struct pmu_model_row *row)
{
	put_text(out, "{", "name", row->name);
	put_text(out, ", ", "path", row->path);
	put_text(out, ", ", "group", s->group);
	put_i64(out, ", ", "depth", row->depth);
	put_nullable(out, ", ", "parent", row->parent < 0 ? NULL : s->row[row->parent].path);
	put_u64(out, ", ", "n_threads", row->n_threads);
	pmu_strbuf_add(out, ",\n     ");
	put_measured(out, s, row, ",\n     ");
}

enum row_kind { THREADS, WORKERS, SOCKETS };

static enum row_kind kind_of_row(const struct pmu_model *model, const struct pmu_model_row *row)
{
	if (pmu_model_is_socket(model, row))
		return SOCKETS;
	return row->flags & PMU_ROW_TEAM ? WORKERS : THREADS;
}

/* The rows of sum @i that are of this kind. */
static void put_json_rows(struct pmu_strbuf *out, const struct pmu_model *model,
			  const struct pmu_model_section *s, const struct pmu_rows_by_sum *index,
			  unsigned int i, enum row_kind kind)
{
	static const char *const name[] = { "threads", "workers", "sockets" };
	bool first = true;

	pmu_strbuf_addf(out, ",\n     \"%s\": [", name[kind]);
	for (unsigned int k = index->start[i]; k < index->start[i + 1]; k++) {
		const struct pmu_model_row *row = &s->thread_row[index->row[k]];

		if (kind_of_row(model, row) != kind)
			continue;
		next_line(out, first, "       {");
		first = false;
		if (row->thread >= 0)
			put_json_part(out, model, &model->thread[row->thread]);
		if (kind == SOCKETS)
			put_json_socket(out, pmu_model_socket_number(model, row));
		else
			put_i64(out, "", "thread", pmu_model_thread_number(model, row));
		if (row->team_depth)
			put_i64(out, ", ", "team_depth", row->team_depth);
		pmu_strbuf_add(out, ", ");
		put_measured(out, s, row, ",\n        ");
		pmu_strbuf_add(out, "}");
	}
	end_list(out, first, "     ");
}

static void put_json_team(struct pmu_strbuf *out, const struct pmu_model *model,
			  const struct pmu_model_section *s, const struct pmu_rows_by_sum *index,
			  unsigned int i)
{
	const struct pmu_model_team *team = s->row[i].team;

	if (!team)
		return;
	key(out, ",\n     ", "team");
	put_bool(out, "{", "others", team->has_others);
	for (size_t k = 0; k < pmu_n_fields; k++) {
		struct pmu_number number = pmu_field_get(&pmu_fields[k], &team->all);

		number.is_known &= team->time_known;
		if (pmu_fields[k].of & PMU_OF_TEAM)
			put_row_number(out, ", ", pmu_fields[k].key, number);
	}
	put_known(out, ", ", "n_threads", team->n_threads, team->n_threads);
	put_double(out, ", ", "imbalance", team->imbalance);
	put_double(out, ", ", "efficiency", team->efficiency);
	put_each_count(out, ",\n        ", s, &team->all);
	put_json_metrics(out, ",\n        ", s, team->all.metric);
	put_json_rows(out, model, s, index, i, WORKERS);
	pmu_strbuf_add(out, "}");
}

static void put_json_section(struct pmu_strbuf *out, const struct pmu_model *model,
			     const struct pmu_model_section *s, bool *first)
{
	struct pmu_rows_by_sum index;
	struct pmu_several_rows *parts = NULL;

	if (pmu_rows_by_sum(&index, s) < 0) {
		out->failed = 1;
		return;
	}
	out->failed |= model->several && model->several->open(&parts, model, s) < 0;
	for (unsigned int i = 0; i < s->n_rows && !out->failed; i++) {
		next_line(out, *first, "    ");
		*first = false;
		put_region(out, s, &s->row[i]);
		if (parts)
			model->several->put_json(out, parts, i);
		put_json_team(out, model, s, &index, i);
		put_json_rows(out, model, s, &index, i, THREADS);
		if (model->n_sockets)
			put_json_rows(out, model, s, &index, i, SOCKETS);
		pmu_strbuf_add(out, "}");
	}
	if (parts)
		model->several->close(parts);
	pmu_rows_by_sum_free(&index);
}

static void put_doubted(struct pmu_strbuf *out, const struct pmu_model_doubt *doubt)
{
	key(out, ", ", "parts");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < doubt->n_parts; i++)
		pmu_strbuf_addf(out, i ? ", %u" : "%u", doubt->parts[i]);
	pmu_strbuf_add(out, "]");
}

static void put_doubts(struct pmu_strbuf *out, const struct pmu_model *model)
{
	pmu_strbuf_add(out, ",\n  \"doubts\": [");
	for (unsigned int i = 0; i < model->n_doubts; i++) {
		const struct pmu_model_doubt *doubt = &model->doubt[i];

		next_line(out, !i, "    ");
		put_text(out, "{", "text", doubt->text);
		put_known_text(out, ", ", "region", doubt->region);
		if (model->n_parts)
			put_i64(out, ", ", "part", doubt->part);
		if (doubt->n_parts)
			put_doubted(out, doubt);
		put_i64(out, ", ", "thread", doubt->thread);
		put_known(out, ", ", "count", doubt->count > 0, doubt->count);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !model->n_doubts, "  ");
}

void pmu_json_before_regions(struct pmu_strbuf *out, const struct pmu_model *model)
{
	put_head(out, model);
	put_remarks(out, model);
	put_groups(out, model);
	put_json_threads(out, model);
	put_sockets(out, model);
	if (model->several)
		model->several->put_json_ranks(out, model);
}

void pmu_json_after_regions(struct pmu_strbuf *out, const struct pmu_model *model)
{
	put_doubts(out, model);
	pmu_strbuf_add(out, "\n}\n");
}

void pmu_write_json(struct pmu_strbuf *out, const struct pmu_model *model)
{
	bool first = true;

	pmu_json_before_regions(out, model);
	pmu_json_objects(out, model);
	pmu_strbuf_add(out, ",\n  \"regions\": [");
	for (unsigned int i = 0; i < model->n_sections; i++)
		put_json_section(out, model, &model->section[i], &first);
	end_list(out, first, "  ");
	pmu_json_after_regions(out, model);
}
