/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu doctor` for programs. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/place.h"
#include "bindings/command/command.h"
#include "bindings/command/doctor/doctor.h"
#include "machine/clock.h"
#include "pmu.h"
#include "report/json_put.h"
#include "store/place.h"

static void put_slots(struct pmu_strbuf *out, const struct pmu_doctor_source *source)
{
	uint32_t slots = 0;
	const char *before = "";

	if (source->usable)
		slots = pmu_plan_mask(&source->fit.plan) & ~source->fit.plan.absent;
	pmu_strbuf_add(out, ", \"counts\": [");
	for (unsigned int i = 0; i < source->group.n_events; i++) {
		if (!(slots >> i & 1))
			continue;
		pmu_strbuf_add(out, before);
		pmu_encode_json(out, source->group.event[i].name);
		before = ", ";
	}
	pmu_strbuf_add(out, "]");
}

static void put_loss(struct pmu_strbuf *out, bool *first, const struct pmu_fit_loss *loss)
{
	if (!loss->why[0])
		return;
	next_line(out, *first, "       ");
	put_known_text(out, "{", "events", loss->names);
	put_text(out, ", ", "why", loss->why);
	put_known_text(out, ", ", "mend", loss->mend);
	pmu_strbuf_add(out, "}");
	*first = false;
}

static void put_losses(struct pmu_strbuf *out, const struct pmu_doctor_source *source)
{
	bool first = true;

	pmu_strbuf_add(out, ",\n     \"missing\": [");
	for (size_t i = 0; source->usable && i < PMU_ARRAY_LEN(source->fit.lost); i++)
		put_loss(out, &first, &source->fit.lost[i]);
	if (source->usable)
		put_loss(out, &first, &source->fit.missing);
	end_list(out, first, "     ");
}

static void put_source(struct pmu_strbuf *out, const struct pmu_backend *backend)
{
	struct pmu_doctor_source *source = calloc(1, sizeof(*source));

	if (!source) {
		out->failed = 1;
		return;
	}
	pmu_doctor_try(backend, source);
	put_text(out, "{", "name", backend->name);
	put_bool(out, ", ", "usable", source->usable);
	put_known_text(out, ", ", "why", source->usable ? "" : source->fit.first.why);
	put_known_text(out, ", ", "mend", source->usable ? "" : source->fit.first.mend);
	put_known_text(out, ", ", "detail", source->detail);
	put_bool(out, ", ", "user_read", source->user_read);
	put_known_text(out, ", ", "group", source->group.name);
	put_slots(out, source);
	put_losses(out, source);
	pmu_strbuf_add(out, "}");
	free(source);
}

static void put_kernel_settings(struct pmu_strbuf *out)
{
	struct pmu_doctor_setting setting;
	unsigned int i = 0;

	pmu_strbuf_add(out, ",\n  \"settings\": [");
	for (; pmu_doctor_setting(i, &setting); i++) {
		next_line(out, !i, "    ");
		put_text(out, "{", "name", setting.name);
		if (setting.error)
			put_null(out, ", ", "value");
		else
			pmu_strbuf_addf(out, ", \"value\": %" PRId64, setting.value);
		put_known_text(out, ", ", "meaning", setting.error ? "" : setting.meaning);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !i, "  ");
}

void pmu_doctor_json_head(struct pmu_strbuf *out)
{
	struct pmu_strbuf machine = { 0 };

	pmu_doctor_machine(&machine);
	put_u64(out, "{\n  ", "pmu_doctor", 1);
	put_text(out, ",\n  ", "version", PMU_VERSION_STRING);
	put_known_text(out, ",\n  ", "machine", pmu_strbuf_text(&machine));
	out->failed |= machine.failed;
	pmu_strbuf_free(&machine);
}

int pmu_doctor_json(void)
{
	char place[PMU_PLACE_MAX] = "";
	struct pmu_strbuf out = { 0 };

	if (pmu_store_dir(0, place, sizeof(place)))
		place[0] = '\0';
	pmu_doctor_json_head(&out);
	put_text(&out, ",\n  ", "clock", pmu_clock_name(pmu_clock_choose()));
	pmu_strbuf_add(&out, ",\n  \"sources\": [");
	for (int i = 0; pmu_backends[i]; i++) {
		next_line(&out, !i, "    ");
		put_source(&out, pmu_backends[i]);
	}
	end_list(&out, false, "  ");
	put_kernel_settings(&out);
	put_known_text(&out, ",\n  ", "stores", place);
	pmu_strbuf_add(&out, "\n}\n");
	return pmu_command_print(&out);
}
