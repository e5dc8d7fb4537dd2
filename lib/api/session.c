/* SPDX-License-Identifier: BSD-3-Clause */
/* The public calls that are about the session rather than a region. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/room.h"
#include "pmu.h"
#include "region/call.h"
#include "report/report.h"
#include "session/output.h"
#include "session/rotate.h"
#include "session/session.h"

static int need_session(void)
{
	return pmu_session.running ? 0
				   : pmu_fail(ENODEV, "nothing is being measured: no region was "
						      "entered, or measuring is switched off");
}

static int init(void *wanted)
{
	const struct pmu_options *options = wanted;
	int rc = pmu_call_enter();

	if (rc < 0)
		return rc;
	if (options && options->size < sizeof(options->size))
		rc = pmu_fail(EINVAL, "struct pmu_options: set size to sizeof(struct pmu_options)");
	else if (pmu_session.running)
		rc = pmu_fail(EALREADY, "a session is running; pmu_fini() ends it");
	else
		rc = pmu_session_start(options);
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_init(const struct pmu_options *options)
{
	return pmu_call_aside(init, (void *)(uintptr_t)options);
}

static int fini(void *unused)
{
	int rc = pmu_call_enter();

	(void)unused;
	if (rc < 0)
		return rc;
	rc = need_session();
	if (rc == 0)
		rc = pmu_call_end_session();
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_fini(void)
{
	return pmu_call_aside(fini, NULL);
}

static int report(void *where)
{
	const char *path = where;
	struct pmu_output output;
	struct pmu_model *model = NULL;
	int rc = pmu_call_enter();

	if (rc < 0)
		return rc;
	rc = need_session();
	if (rc == 0 && path && !*path)
		rc = pmu_fail(EINVAL, "a report needs a path");
	if (rc == 0 && path)
		rc = pmu_report_format_check(path);
	if (rc == 0)
		rc = pmu_session_model(&model);
	if (rc == 0)
		rc = pmu_output_prepare(&output, model, path);
	pmu_model_free(model);
	pmu_call_leave();
	/* Outside the lock: a pipe's reader may be slow, and other threads go on. */
	if (rc == 0)
		rc = pmu_output_send(&output);
	return rc;
}

static int report_in_room(void *where)
{
	int state, rc;

	/*
	 * A thread that ended while it writes would leave the lock on names and half a file behind.
	 */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	rc = pmu_with_room(report, where);
	pthread_setcancelstate(state, NULL);
	return rc;
}

PMU_API int pmu_report(const char *path)
{
	return pmu_call_aside(report_in_room, (void *)(uintptr_t)path);
}

/* --- for languages and tools --- */

struct wanted_text {
	const char *format;
	char **text;
};

static int report_text(void *wanted)
{
	const char *format = ((struct wanted_text *)wanted)->format;
	char **text = ((struct wanted_text *)wanted)->text;
	static const struct {
		const char *name;
		enum pmu_report_format format;
	} formats[] = {
		{ "text", PMU_REPORT_TEXT },
		{ "json", PMU_REPORT_JSON },
		{ "csv", PMU_REPORT_CSV },
	};
	struct pmu_strbuf out = { 0 };
	struct pmu_model *model;
	size_t i = 0;
	int rc;

	while (i < PMU_ARRAY_LEN(formats) && strcmp(format, formats[i].name))
		i++;
	if (i == PMU_ARRAY_LEN(formats))
		return pmu_fail(EINVAL, "a report has the format text, json or csv, not \"%s\"",
				format);
	rc = need_session();
	if (rc == 0)
		rc = pmu_session_model(&model);
	if (rc < 0)
		return rc;
	pmu_report_render(&out, model, formats[i].format, &pmu_session.config.report);
	pmu_model_free(model);
	if (!out.failed) {
		*text = out.text;
		return 0;
	}
	pmu_strbuf_free(&out);
	return pmu_fail(ENOMEM, "no memory for the report");
}

static int report_text_in_room(void *wanted)
{
	const struct wanted_text *want = wanted;
	int rc = pmu_call_enter();

	if (rc < 0)
		return rc;
	rc = want->format && want->text ? pmu_with_room(report_text, wanted)
					: pmu_fail(EINVAL, "a report needs a format and a place");
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_report_text(const char *format, char **text)
{
	return pmu_call_aside(report_text_in_room, &(struct wanted_text){ format, text });
}

/* Hashes of the lines so far: a note in a loop is one note. */
#define MAX_NOTES 64
static uint32_t noted[MAX_NOTES];
static uint32_t n_noted, noted_session;

static int add_note(const char *text)
{
	size_t len = strlen(text);
	uint32_t hash = pmu_hash_text(text, len);

	if (noted_session != pmu_session.n_started)
		n_noted = 0;
	noted_session = pmu_session.n_started;
	for (uint32_t i = 0; i < n_noted; i++)
		if (noted[i] == hash)
			return 0;
	if (n_noted == MAX_NOTES)
		return pmu_fail(ENOSPC, "a report has room for %d notes", MAX_NOTES);
	noted[n_noted++] = hash;
	return pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

static int note_in_room(void *line)
{
	const char *text = line;
	int rc = pmu_call_enter();

	if (rc < 0)
		return rc;
	rc = need_session();
	if (rc == 0 && (!text || !*text || strlen(text) > 255 || strchr(text, '\n')))
		rc = pmu_fail(EINVAL, "a note is one line of 1 to 255 bytes");
	if (rc == 0)
		rc = add_note(text);
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_note(const char *text)
{
	return pmu_call_aside(note_in_room, (void *)(uintptr_t)text);
}

/* --- groups --- */

static int change_to(void *next)
{
	return pmu_session_change_group(*(const unsigned int *)next);
}

static int change(void *unused)
{
	unsigned int next;
	int rc = pmu_call_enter();

	(void)unused;
	if (rc < 0)
		return rc;
	rc = need_session();
	if (rc == 0 && pmu_session.n_groups < 2)
		rc = pmu_fail(ENOENT, "only one group is configured; PMU_GROUP=A,B sets two");
	/* what is preloaded asks so whether they do */
	if (rc == 0 && pmu_session.config.rotate)
		rc = pmu_rotation_is_on()
			     ? pmu_fail(EALREADY, "groups take turns by themselves: PMU_ROTATE=1")
			     : pmu_fail(ENOENT,
					"PMU_ROTATE=1, and fewer than two groups can take turns");
	if (rc == 0 && pmu_session_any_open())
		rc = pmu_fail(EBUSY, "a region is open; groups change between regions");
	if (rc == 0) {
		next = (pmu_session.current + 1) % pmu_session.n_groups;
		rc = pmu_with_room(change_to, &next);
	}
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_group_next(void)
{
	return pmu_call_aside(change, NULL);
}

/* Where groups take turns, each thread is in one. */
static unsigned int group_here(void)
{
	const struct pmu_thread *self = pmu_thread_self();

	return self && self->rotates && pmu_thread_is_current(self) ? self->group
								    : pmu_session.current;
}

struct wanted_name {
	unsigned int slot;
	const char *name;
};

static int count_name(void *wanted)
{
	struct wanted_name *want = wanted;
	const struct pmu_session_group *group;
	int rc = pmu_call_enter();

	if (rc < 0)
		return rc;
	if (pmu_session.running) {
		group = &pmu_session.group[group_here()];
		if (want->slot < group->plan.n_slots)
			want->name = group->group.event[want->slot].name;
	}
	pmu_call_leave();
	return 0;
}

PMU_API const char *pmu_count_name(unsigned int slot)
{
	struct wanted_name wanted = { slot, NULL };

	pmu_call_aside(count_name, &wanted);
	return wanted.name;
}

/* --- errors --- */

PMU_API const char *pmu_last_error(void)
{
	return pmu_error_text();
}

PMU_API const char *pmu_strerror(int code)
{
	return pmu_error_name(code);
}

PMU_API int pmu_version(void)
{
	return PMU_VERSION;
}
