/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu doctor` for programs. */
#include <stdlib.h>

#include "base/place.h"
#include "bindings/command/command.h"
#include "bindings/command/doctor/doctor.h"
#include "bindings/command/json/made.h"
#include "machine/clock.h"
#include "pmu.h"
#include "store/place.h"

static json_t *slot_names(const struct pmu_doctor_source *source, uint32_t slots)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < source->group.n_events; i++)
		if (slots >> i & 1)
			json_array_append_new(list, json_string(source->group.event[i].name));
	return list;
}

static void append_loss(json_t *list, const struct pmu_fit_loss *loss)
{
	if (loss->why[0])
		json_array_append_new(list,
				      json_pack("{s:o, s:s, s:o}", "events",
						pmu_json_known_text(loss->names), "why", loss->why,
						"mend", pmu_json_known_text(loss->mend)));
}

static json_t *source_object(const struct pmu_backend *backend)
{
	struct pmu_doctor_source *source = calloc(1, sizeof(*source));
	json_t *losses = json_array(), *object;
	uint32_t counted;

	if (!source) {
		json_decref(losses);
		return NULL;
	}
	pmu_doctor_try(backend, source);
	counted = source->usable ? pmu_plan_mask(&source->fit.plan) & ~source->fit.plan.absent : 0;
	for (size_t i = 0; source->usable && i < PMU_ARRAY_LEN(source->fit.lost); i++)
		append_loss(losses, &source->fit.lost[i]);
	if (source->usable)
		append_loss(losses, &source->fit.missing);
	object = json_pack(
		"{s:s, s:b, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "name", backend->name, "usable",
		source->usable, "why",
		source->usable ? json_null() : pmu_json_known_text(source->fit.first.why), "mend",
		source->usable ? json_null() : pmu_json_known_text(source->fit.first.mend),
		"detail", pmu_json_known_text(source->detail), "user_read", source->user_read,
		"group", pmu_json_known_text(source->group.name), "counts",
		slot_names(source, counted), "missing", losses);
	free(source);
	return object;
}

static json_t *sources(void)
{
	json_t *list = json_array();

	for (int i = 0; pmu_backends[i]; i++)
		json_array_append_new(list, source_object(pmu_backends[i]));
	return list;
}

static json_t *settings(void)
{
	struct pmu_doctor_setting setting;
	json_t *list = json_array();

	for (unsigned int i = 0; pmu_doctor_setting(i, &setting); i++)
		json_array_append_new(
			list, json_pack("{s:s, s:o, s:o}", "name", setting.name, "value",
					setting.error ? json_null() : json_integer(setting.value),
					"meaning",
					setting.error ? json_null()
						      : pmu_json_known_text(setting.meaning)));
	return list;
}

static json_t *machine(void)
{
	struct pmu_strbuf line = { 0 };
	json_t *value;

	pmu_doctor_machine(&line);
	value = pmu_json_known_text(pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	return value;
}

int pmu_doctor_json(void)
{
	char place[PMU_PLACE_MAX] = "";
	struct pmu_strbuf out = { 0 };
	json_t *root;

	if (pmu_store_dir(0, place, sizeof(place)))
		place[0] = '\0';
	root = json_pack("{s:i, s:s, s:o, s:s, s:o, s:o, s:o}", "pmu_doctor", 1, "version",
			 PMU_VERSION_STRING, "machine", machine(), "clock",
			 pmu_clock_name(pmu_clock_choose()), "sources", sources(), "settings",
			 settings(), "stores", pmu_json_known_text(place));
	pmu_json_made(root, JSON_INDENT(2), &out);
	return pmu_command_print(&out);
}
