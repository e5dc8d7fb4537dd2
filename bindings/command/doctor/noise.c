/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu doctor --noise`: what makes times vary here. */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/doctor/doctor.h"
#include "bindings/command/json/made.h"
#include "bindings/command/noise/noise.h"
#include "pmu.h"

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

/* What is missing is null. */
static json_t *number_or_null(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *count_or_null(uint64_t value)
{
	return value == PMU_NOISE_MISSING ? json_null() : json_integer((json_int_t)value);
}

static json_t *flag(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

static json_t *work_object(const struct pmu_noise_work *work)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "cpu",
			 work->cpu < 0 ? json_null() : json_integer(work->cpu), "times",
			 count_or_null(work->n), "least_ns", count_or_null(work->least_ns),
			 "median_ns", count_or_null(work->median_ns), "p99_ns",
			 count_or_null(work->p99_ns), "most_ns", count_or_null(work->most_ns));
}

static json_t *settings_object(const struct pmu_noise_sample *now)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:i, s:i}", "governor",
			 pmu_json_known_text(now->governor), "driver",
			 pmu_json_known_text(now->driver), "turbo", flag(now->turbo), "smt",
			 flag(now->smt), "aslr",
			 now->aslr < 0 ? json_null() : json_integer(now->aslr), "virtual",
			 now->is_virtual, "huge_pages", pmu_json_known_text(now->huge_pages),
			 "isolated", pmu_json_known_text(now->isolated), "tickless",
			 pmu_json_known_text(now->tickless), "quota", number_or_null(now->quota),
			 "processors", (int)now->n_cpus, "allowed", (int)now->n_allowed);
}

static json_t *seen_object(const struct pmu_noise_run *run)
{
	return json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "seconds",
			 run->wall_s, "other", number_or_null(run->other), "steal",
			 number_or_null(run->steal), "siblings_s", number_or_null(run->sibling_s),
			 "interrupts_per_s", number_or_null(run->interrupts),
			 "most_interrupts_per_s", number_or_null(run->interrupted), "waits",
			 number_or_null(run->pressure), "khz_min", count_or_null(run->khz_min),
			 "khz_max", count_or_null(run->khz_max), "throttled_heat",
			 count_or_null(run->throttles), "throttled_quota",
			 count_or_null(run->quota_throttled));
}

static json_t *findings_list(const struct pmu_noise_findings *findings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < findings->n; i++) {
		const struct pmu_noise_finding *finding = &findings->finding[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s, s:o}", "name", finding->name, "severity",
				  pmu_noise_severity_name(finding->severity), "text", finding->text,
				  "mend", pmu_json_known_text(finding->mend ? finding->mend : "")));
	}
	return list;
}

static int print_json(const struct watched *watched)
{
	struct pmu_strbuf out = { 0 }, machine = { 0 };
	json_t *root;

	pmu_doctor_machine(&machine);
	root = json_pack("{s:i, s:s, s:s, s:{s:o, s:o, s:o, s:o}}", "pmu_doctor", 1, "version",
			 PMU_VERSION_STRING, "machine", pmu_strbuf_text(&machine), "noise", "work",
			 work_object(&watched->work), "seen", seen_object(&watched->run),
			 "settings", settings_object(&watched->after), "findings",
			 findings_list(&watched->findings));
	pmu_json_made(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6), &out);
	pmu_strbuf_free(&machine);
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
