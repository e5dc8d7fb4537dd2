/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu doctor --noise`: what makes times vary here. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bindings/command/command.h"
#include "bindings/command/doctor/doctor.h"
#include "bindings/command/noise/noise.h"
#include "report/json_put.h"

#define WATCHED_NS 1000000000u

struct watched {
	struct pmu_noise_sample before, after;
	struct pmu_noise_run run;
	struct pmu_noise_work work;
	struct pmu_noise_findings findings;
};

static void subtract_time(struct timeval *from, const struct timeval *before)
{
	from->tv_sec -= before->tv_sec;
	from->tv_usec -= before->tv_usec;
}

static int watch_noise(struct watched *watched)
{
	struct rusage before, own;
	int rc = pmu_noise_sample(&watched->before, "");

	getrusage(RUSAGE_SELF, &before);
	if (!rc)
		rc = pmu_noise_work(WATCHED_NS, &watched->work);
	getrusage(RUSAGE_SELF, &own);
	if (!rc)
		rc = pmu_noise_sample(&watched->after, "");
	if (rc)
		return rc;
	subtract_time(&own.ru_utime, &before.ru_utime);
	subtract_time(&own.ru_stime, &before.ru_stime);
	rc = pmu_noise_between(&watched->before, &watched->after, &own, WATCHED_NS, &watched->run);
	return rc ? rc : pmu_noise_machine(&watched->after, &watched->run, &watched->findings);
}

static void unwatch(struct watched *watched)
{
	pmu_noise_sample_free(&watched->before);
	pmu_noise_sample_free(&watched->after);
	pmu_noise_findings_free(&watched->findings);
}

/* --- as text --- */

static void add_longer(struct pmu_strbuf *line, const char *words, double least_ns,
		       uint64_t time_ns)
{
	double percent = 100 * ((double)time_ns / least_ns - 1);

	pmu_strbuf_addf(line, percent < 9.95 ? "%s %.1f %%" : "%s %.0f %%", words, percent);
}

static void add_work(struct pmu_strbuf *out, const struct pmu_noise_work *work)
{
	struct pmu_strbuf line = { 0 };
	double least_ns = (double)work->least_ns;

	pmu_strbuf_addf(&line, "%.2f ms of work, done %zu times", least_ns / 1e6, work->n);
	if (work->cpu >= 0)
		pmu_strbuf_addf(&line, " on processor %d", work->cpu);
	add_longer(&line, ": half took up to", least_ns, work->median_ns);
	add_longer(&line, " longer, 99 % up to", least_ns, work->p99_ns);
	add_longer(&line, ", the longest", least_ns, work->most_ns);
	pmu_doctor_line(out, "work", pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
}

static void add_findings(struct pmu_strbuf *out, const struct pmu_noise_findings *findings,
			 enum pmu_noise_severity severity, const char *title)
{
	bool any = false;

	for (size_t i = 0; i < findings->n; i++) {
		const struct pmu_noise_finding *finding = &findings->finding[i];

		if (finding->severity != severity)
			continue;
		if (!any)
			pmu_strbuf_addf(out, "\n%s\n", title);
		any = true;
		pmu_doctor_line(out, finding->name, finding->text);
		if (finding->mend)
			pmu_doctor_advice(out,
					  severity == PMU_NOISE_QUIET ? "to use it" : "to stop it",
					  finding->mend);
	}
}

static int print_text(const struct watched *watched)
{
	struct pmu_strbuf out = { 0 }, machine = { 0 };

	pmu_strbuf_addf(&out, "Noise, looked at for %.1f s\n", watched->run.wall_s);
	pmu_doctor_machine(&machine);
	pmu_doctor_line(&out, "machine", pmu_strbuf_text(&machine));
	add_work(&out, &watched->work);
	add_findings(&out, &watched->findings, PMU_NOISE_DISTURBS, "Disturbs now");
	add_findings(&out, &watched->findings, PMU_NOISE_KNOW, "Worth knowing");
	add_findings(&out, &watched->findings, PMU_NOISE_QUIET, "Quiet");
	out.failed |= machine.failed;
	pmu_strbuf_free(&machine);
	return pmu_command_print(&out);
}

/* --- for programs --- */

/* Null is what is missing. */

/* Six digits: what is seen in so short a time has no more. */
static void put_seen(struct pmu_strbuf *out, const char *before, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", value);
	put_double(out, before, name, strtod(text, NULL));
}

static void put_noise_count(struct pmu_strbuf *out, const char *name, uint64_t value)
{
	put_known(out, ", ", name, value != PMU_NOISE_MISSING, value);
}

static void put_work(struct pmu_strbuf *out, const struct pmu_noise_work *work)
{
	key(out, "{\n    ", "work");
	put_i64(out, "{", "cpu", work->cpu);
	put_noise_count(out, "times", work->n);
	put_noise_count(out, "least_ns", work->least_ns);
	put_noise_count(out, "median_ns", work->median_ns);
	put_noise_count(out, "p99_ns", work->p99_ns);
	put_noise_count(out, "most_ns", work->most_ns);
	pmu_strbuf_add(out, "}");
}

static void put_run(struct pmu_strbuf *out, const struct pmu_noise_run *run)
{
	key(out, ",\n    ", "seen");
	put_seen(out, "{", "seconds", run->wall_s);
	put_seen(out, ", ", "other", run->other);
	put_seen(out, ", ", "steal", run->steal);
	put_seen(out, ", ", "siblings_s", run->sibling_s);
	put_seen(out, ", ", "interrupts_per_s", run->interrupts);
	put_seen(out, ", ", "most_interrupts_per_s", run->interrupted);
	put_seen(out, ", ", "waits", run->pressure);
	put_noise_count(out, "khz_min", run->khz_min);
	put_noise_count(out, "khz_max", run->khz_max);
	put_noise_count(out, "throttled_heat", run->throttles);
	put_noise_count(out, "throttled_quota", run->quota_throttled);
	pmu_strbuf_add(out, "}");
}

static void put_noise_settings(struct pmu_strbuf *out, const struct pmu_noise_sample *now)
{
	key(out, ",\n    ", "settings");
	put_known_text(out, "{", "governor", now->governor);
	put_known_text(out, ", ", "driver", now->driver);
	put_answer(out, ", ", "turbo", now->turbo);
	put_answer(out, ", ", "smt", now->smt);
	put_i64(out, ", ", "aslr", now->aslr);
	put_bool(out, ", ", "virtual", now->is_virtual);
	put_known_text(out, ", ", "huge_pages", now->huge_pages);
	put_known_text(out, ", ", "isolated", now->isolated);
	put_known_text(out, ", ", "tickless", now->tickless);
	put_seen(out, ", ", "quota", now->quota);
	put_u64(out, ", ", "processors", now->n_cpus);
	put_u64(out, ", ", "allowed", now->n_allowed);
	pmu_strbuf_add(out, "}");
}

static void put_findings(struct pmu_strbuf *out, const struct pmu_noise_findings *findings)
{
	pmu_strbuf_add(out, ",\n    \"findings\": [");
	for (size_t i = 0; i < findings->n; i++) {
		const struct pmu_noise_finding *finding = &findings->finding[i];

		next_line(out, !i, "      ");
		put_text(out, "{", "name", finding->name);
		put_text(out, ", ", "severity", pmu_noise_severity_name(finding->severity));
		put_text(out, ", ", "text", finding->text);
		put_known_text(out, ", ", "mend", finding->mend);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !findings->n, "    ");
}

static int print_json(const struct watched *watched)
{
	struct pmu_strbuf out = { 0 };

	pmu_doctor_json_head(&out);
	key(&out, ",\n  ", "noise");
	put_work(&out, &watched->work);
	put_run(&out, &watched->run);
	put_noise_settings(&out, &watched->after);
	put_findings(&out, &watched->findings);
	pmu_strbuf_add(&out, "}\n}\n");
	return pmu_command_print(&out);
}

int pmu_doctor_noise(bool json)
{
	struct watched *watched = calloc(1, sizeof(*watched));
	int rc;

	if (!watched || watch_noise(watched)) {
		pmu_command_error("--noise: no memory");
		rc = PMU_EXIT_FAILED;
	} else {
		rc = json ? print_json(watched) : print_text(watched);
	}
	if (watched)
		unwatch(watched);
	free(watched);
	return rc;
}
