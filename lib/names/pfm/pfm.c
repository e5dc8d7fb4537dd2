/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks libpfm4 what a native event's name means on a CPU. */
#include "names/pfm/pfm.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#include "base/compiler.h"
#include "base/environ.h"
#include "base/error.h"
#include "base/lock.h"
#include "names/pfm/load.h"
#include "names/pfm/names.h"
#include "plan/select.h"

/*
 * Of an event select: USR, OS, INT, EN.  Of an uncore's: where OS is there is what resets the
 * occupancy.
 */
#define OURS_CORE   UINT64_C(0x530000)
#define OURS_UNCORE UINT64_C(0x520000)

/*
 * One thread at a time.  What the library knows is const once it is initialised, but
 * it does not promise that.
 */
static struct pmu_lock lock;

/* --- the library --- */

/*
 * libpfm4 encodes for other CPUs than this one, and for those of this one's family that are younger
 * than it, only where its initialisation finds LIBPFM_ENCODE_INACTIVE; it reads the variable once.
 * Names without "table::" in front, as programs that use it themselves write them, mean the same as
 * without it.
 */
static int initialise(void)
{
	static char inactive[] = "LIBPFM_ENCODE_INACTIVE=1";
	static bool tried;
	static int result;
	struct pmu_environ *copy;
	int rc = pmu_pfm_load();

	if (rc)
		return rc;
	if (!tried) {
		copy = pmu_environ_enter(inactive, getauxval(AT_SECURE) ? "LIBPFM_" : NULL);
		result = pmu_pfm_calls()->initialize();
		pmu_environ_leave(copy);
		tried = true;
	}
	if (result != PFM_SUCCESS)
		return pmu_fail(
			ENOTSUP,
			"there is no event to be found by name, as libpfm4 cannot be used (%s); try "
			"instructions, cycles, branches, page-faults or a raw code like r10e",
			pmu_pfm_calls()->strerror(result));
	return 0;
}

/* --- the CPU that has the events --- */

const struct pmu_cpu_model *pmu_pfm_own_model(void)
{
	struct pmu_cpu_id id;

	return pmu_cpu_identify(&id) ? NULL : pmu_cpu_model_find(&id);
}

static const char *model_name(const struct pmu_cpu_model *model)
{
	return model ? model->microarchitecture : "this CPU";
}

/* Boxes of one kind have a table each, all alike: "snb_unc_cbo2" is found by "snb_unc_cbo0". */
static bool same_table_kind(const char *a, size_t len_a, const char *b)
{
	size_t len_b = strlen(b);

	while (len_a && strchr("0123456789", a[len_a - 1]))
		len_a--;
	while (len_b && strchr("0123456789", b[len_b - 1]))
		len_b--;
	return len_a == len_b && !strncasecmp(a, b, len_a);
}

/* "snb::UOPS_ISSUED": is the table one of the model's? */
static int table_of_prefix(const char *prefix, size_t len, const struct pmu_cpu_model *model,
			   bool own, pfm_pmu_info_t *table)
{
	if (!pmu_pfm_table_by_name(prefix, len, table))
		return pmu_fail(EINVAL, "libpfm4 has no events of \"%.*s\"",
				(int)(len < 60 ? len : 60), prefix);
	if ((own && table->is_present) ||
	    (model && (!strcmp(table->name, model->pfm) || !strcmp(table->name, model->pfm_e))))
		return 0;
	if (model && model->pfm_uncore[0] && same_table_kind(prefix, len, model->pfm_uncore))
		return 0;
	return pmu_fail(EINVAL, "%s:: names events of %s, and this is about %s%s%s", table->name,
			table->desc, model_name(model),
			model && model->pfm[0] ? ", whose events are " : "",
			model && model->pfm[0] ? model->pfm : "");
}

/* Tables in which a bare name is looked for. */
static int tables_of_model(const char *name, const struct pmu_cpu_model *model, bool own,
			   pfm_pmu_info_t *table, int *n)
{
	const char *core[] = { model ? model->pfm : "", model ? model->pfm_e : "" };
	const char *uncore = model ? model->pfm_uncore : "";
	bool is_uncore = !strncasecmp(name, "UNC_", 4);

	*n = 0;
	if (is_uncore && uncore[0] && pmu_pfm_table_by_name(uncore, strlen(uncore), &table[*n]))
		++*n;
	for (size_t i = 0; !is_uncore && i < PMU_ARRAY_LEN(core); i++)
		if (core[i][0] && pmu_pfm_table_by_name(core[i], strlen(core[i]), &table[*n]))
			++*n;
	if (!*n && own &&
	    pmu_pfm_table_present(is_uncore ? PFM_PMU_TYPE_UNCORE : PFM_PMU_TYPE_CORE, &table[0]))
		*n = 1;
	if (!*n)
		return pmu_fail(
			ENOTSUP,
			"there is no event \"%.60s\", and libpfm4 does not know those %sof %s; try "
			"instructions, cycles, branches, page-faults or a raw code like r10e%s",
			name, is_uncore ? "outside the cores " : "", model_name(model),
			model && !strcmp(model->vendor, "GenuineIntel")
				? ", or set PMU_EVENT_FILES to a folder with Intel's event files"
			: model ? ", or set PMU_EVENT_FILES to a checkout of Linux that has its event files"
				: "");
	return 0;
}

/* --- encoding --- */

static void write_pfm_name(const pfm_pmu_info_t *table, const struct pmu_pfm_event *event,
			   struct pmu_strbuf *out)
{
	pmu_strbuf_addf(out, "%s::%s", table->name, event->name);
	if (event->by_number)
		pmu_strbuf_addf(out, ":0x%x", event->number);
	for (int i = 0; i < event->n_umasks && !event->by_number; i++)
		pmu_strbuf_addf(out, ":%s", event->umask[i]);
	for (int i = 0; i < event->n_modifiers; i++)
		pmu_strbuf_addf(out, ":%s", event->modifier[i]);
}

/* "i=0", as libpfm4 writes names out in full */
static bool is_off(const char *modifier)
{
	const char *value = strchr(modifier, '=');

	return value && !strcmp(value + 1, "0");
}

static void write_pfm_label(const struct pmu_pfm_event *event, char *label, size_t size)
{
	struct pmu_strbuf out = { 0 };

	pmu_strbuf_add(&out, event->name);
	for (int i = 0; i < event->n_umasks; i++)
		pmu_strbuf_addf(&out, ".%s", event->umask[i]);
	for (int i = 0; i < event->n_modifiers; i++)
		if (!is_off(event->modifier[i]))
			pmu_strbuf_addf(&out, ":%s", event->modifier[i]);
	/* a column's name has its limit: the rest is a tilde */
	if ((size_t)snprintf(label, size, "%s", pmu_strbuf_text(&out)) >= size && size > 1)
		label[size - 2] = '~';
	pmu_strbuf_free(&out);
}

static int refuse_pfm_event(const struct pmu_pfm_event *event, int error)
{
	switch (error) {
	case PFM_ERR_ATTR_SET:
		return pmu_fail(EINVAL, "%s: a modifier that the event has by itself, or twice",
				event->name);
	case PFM_ERR_ATTR_VAL:
		return pmu_fail(EINVAL,
				"%s: a modifier's value is out of its range (c= goes to 255)",
				event->name);
	case PFM_ERR_FEATCOMB:
	case PFM_ERR_UMASK:
		return pmu_fail(EINVAL, "%s: these parts of the event cannot be counted together",
				event->name);
	case PFM_ERR_NOTFOUND:
		return pmu_fail(ENOTSUP,
				"the program uses libpfm4 for this CPU's events only; set "
				"LIBPFM_ENCODE_INACTIVE=1 for %s",
				event->name);
	default:
		return pmu_fail(EINVAL, "%s: libpfm4 says %s", event->name,
				pmu_pfm_calls()->strerror(error));
	}
}

/* Codes as libpfm4 has them: the select, and what goes into a second register. */
static int get_codes(const pfm_pmu_info_t *table, const struct pmu_pfm_event *event,
		     uint64_t code[2])
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	struct pmu_strbuf name = { 0 };
	int error;

	write_pfm_name(table, event, &name);
	if (name.failed) {
		pmu_strbuf_free(&name);
		return pmu_fail(ENOMEM, "no memory for the name of an event");
	}
	error = pmu_pfm_calls()->get_os_event_encoding(pmu_strbuf_text(&name), PFM_PLM0 | PFM_PLM3,
						       PFM_OS_NONE, &arg);
	pmu_strbuf_free(&name);
	if (error != PFM_SUCCESS)
		return refuse_pfm_event(event, error);
	code[0] = arg.count > 0 ? arg.codes[0] : 0;
	code[1] = arg.count > 1 ? arg.codes[1] : 0;
	error = arg.count;
	free(arg.codes);
	if (error < 1 || error > 2)
		return pmu_fail(ENOTSUP, "%s takes %d registers", event->name, error);
	return 0;
}

/* --- slots --- */

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/*
 * Which second register; Intel SDM vol. 4: MSR_OFFCORE_RSP_0 and _1, MSR_PEBS_LD_LAT,
 * MSR_PEBS_FRONTEND.
 */
static int fill_extra(const struct pmu_pfm_event *event, uint64_t value, struct pmu_slot *slot)
{
	static const struct {
		uint16_t code; /* umask and event */
		uint16_t address;
	} extras[] = {
		{ 0x01b7, 0x1a6 }, { 0x02b7, 0x1a7 }, { 0x01bb, 0x1a7 },
		{ 0x012a, 0x1a6 }, { 0x012b, 0x1a7 }, { 0x01c6, 0x3f7 },
		{ 0x03c6, 0x3f7 }, { 0x01cd, 0x3f6 }, { 0x100b, 0x3f6 },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(extras); i++) {
		if (extras[i].code == (slot->config & 0xffff)) {
			slot->extra = extras[i].address;
			slot->extra_value = value;
			slot->config1 = value;
			return 0;
		}
	}
	return value ? pmu_fail(ENOTSUP, "%s needs a second register that is not known",
				event->name)
		     : 0;
}

static int fill_pfm_core(const pfm_pmu_info_t *table, const struct pmu_pfm_event *event,
			 const uint64_t code[2], struct pmu_slot *slot)
{
	int rc = 0;

	slot->kind = PMU_SLOT_CORE;
	slot->type = PERF_TYPE_RAW;
	if (starts(table->name, "arm")) {
		slot->config = code[0] & 0xffff;
		return 0;
	}
	slot->config = code[0] & ~OURS_CORE;
	if (starts(table->name, "amd64"))
		return 0;
	if (!(slot->config & 0xff) && (slot->config >> 8 & 0xff) > PMU_PFM_MAX_PSEUDO)
		return pmu_fail(
			ENOTSUP,
			"%s is no event that a counter counts but a share of the pipeline's slots",
			event->name);
	if (code[1])
		rc = fill_extra(event, code[1], slot);
	if (!rc)
		pmu_pfm_limit(table->name, slot);
	return rc;
}

/* A name that chooses no slices, cores or threads means all of them. */
static uint64_t all_of_l3(uint64_t config, const struct pmu_cpu_model *model)
{
	bool masks = model && model->uncore == PMU_UNCORE_AMD_L3;
	enum pmu_select_layout layout = masks ? PMU_SELECT_AMD_L3 : PMU_SELECT_AMD_L3_19H;
	struct pmu_select select;

	pmu_select_decode(layout, config, &select);
	if (!select.threads)
		select.slices = select.threads = 0xff;
	return pmu_select_encode(layout, &select);
}

static int fill_uncore(const pfm_pmu_info_t *table, const struct pmu_pfm_event *event,
		       const uint64_t code[2], const struct pmu_cpu_model *model,
		       struct pmu_slot *slot)
{
	size_t len = strlen(table->name);

	slot->kind = PMU_SLOT_UNCORE;
	slot->type = PMU_TYPE_NONE;
	slot->config = code[0] & ~OURS_UNCORE;
	if (starts(table->name, "nhm_unc") || starts(table->name, "wsm_unc"))
		slot->unit = PMU_UNIT_UNCORE;
	else if (starts(table->name, "snb_unc_cbo") || starts(table->name, "ivb_unc_cbo"))
		slot->unit = PMU_UNIT_CBO;
	else if (len > 3 && !strcmp(table->name + len - 3, "_l3"))
		slot->unit = PMU_UNIT_L3;
	else
		return pmu_fail(ENOTSUP, "%s: %s cannot be counted yet", event->name, table->desc);
	if (slot->unit == PMU_UNIT_L3) {
		slot->config = all_of_l3(code[0] & ~UINT64_C(0x400000), model);
	} else if ((slot->config & 0xff) == 0xff) {
		/* the fixed counter's clock has no code */
		slot->unit = PMU_UNIT_CLOCK;
		slot->config = 0;
	}
	return 0;
}

static bool encode_fixed(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text, bool unknown,
			 struct pmu_slot *slot, char *label, size_t size)
{
	const char *name;

	if (table->type != PFM_PMU_TYPE_CORE || starts(table->name, "arm") ||
	    starts(table->name, "amd64"))
		return false;
	name = pmu_pfm_fixed(text, unknown, slot);
	if (!name)
		return false;
	slot->kind = PMU_SLOT_CORE;
	slot->type = PERF_TYPE_RAW;
	snprintf(label, size, "%s", name);
	return true;
}

/* "INST_RETIRED.ANY:c=1" */
static bool has_modified_fixed(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text)
{
	struct pmu_pfm_text two = *text;
	struct pmu_slot unused = { .config = 0 };
	char label[64];

	if (text->n_parts < 3 || text->before[2] != ':')
		return false;
	two.n_parts = 2;
	return encode_fixed(table, &two, false, &unused, label, sizeof(label)) ||
	       encode_fixed(table, &two, true, &unused, label, sizeof(label));
}

static int encode_in(const pfm_pmu_info_t *table, const struct pmu_cpu_model *model,
		     const struct pmu_pfm_text *text, struct pmu_slot *slot, char *label,
		     size_t size)
{
	struct pmu_pfm_event event;
	uint64_t code[2] = { 0, 0 };
	int rc;

	if (encode_fixed(table, text, false, slot, label, size))
		return 0;
	rc = pmu_pfm_find(table, text, &event);
	if (rc == -ENOENT && encode_fixed(table, text, true, slot, label, size))
		return 0;
	if (rc == -ENOENT && has_modified_fixed(table, text))
		return pmu_fail(EINVAL, "%s.%s: only a fixed counter counts it, without modifiers",
				text->part[0], text->part[1]);
	if (!rc)
		rc = get_codes(table, &event, code);
	if (rc)
		return rc;
	write_pfm_label(&event, label, size);
	return table->type == PFM_PMU_TYPE_UNCORE ? fill_uncore(table, &event, code, model, slot)
						  : fill_pfm_core(table, &event, code, slot);
}

static bool same_pfm_code(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->config == b->config && a->extra == b->extra && a->extra_value == b->extra_value;
}

/*
 * Hybrid: an event that both kinds of core have is counted on both, each by its own code.
 */
static int encode_hybrid(const pfm_pmu_info_t table[2], const struct pmu_cpu_model *model,
			 const struct pmu_pfm_text *text, struct pmu_slot *slot, char *label,
			 size_t size)
{
	struct pmu_slot other = *slot;
	int e = encode_in(&table[1], model, text, &other, label, size);
	int p = encode_in(&table[0], model, text, slot, label, size);

	if (p && e)
		return p;
	if (p)
		*slot = other;
	if (p || e)
		slot->core_types = p ? PMU_SLOT_E : PMU_SLOT_P;
	else if (!same_pfm_code(slot, &other))
		pmu_slot_set_e_code(slot, &other);
	else if (slot->counters && other.counters)
		slot->counters &= other.counters;
	else
		slot->counters |= other.counters;
	return p ? encode_in(&table[1], model, text, &other, label, size) : 0;
}

/* Where the event is looked for, and how it is cut. */
static int find_tables(const char *text, const struct pmu_cpu_model *model, bool own,
		       struct pmu_pfm_text *cut, pfm_pmu_info_t table[2], int *n)
{
	const char *colons = strstr(text, "::");
	int rc = initialise();

	*n = 1;
	if (!rc && colons)
		rc = table_of_prefix(text, (size_t)(colons - text), model, own, &table[0]);
	else if (!rc)
		rc = tables_of_model(text, model, own, table, n);
	return rc ? rc : pmu_pfm_cut(colons ? colons + 2 : text, cut);
}

static int encode_pfm(const char *text, const struct pmu_cpu_model *model, struct pmu_slot *slot,
		      char *label, size_t size)
{
	struct pmu_pfm_text cut;
	pfm_pmu_info_t table[2];
	bool own = !model;
	int n, rc;

	if (own)
		model = pmu_pfm_own_model();
	rc = find_tables(text, model, own, &cut, table, &n);
	if (rc)
		return rc;
	if (n == 2)
		return encode_hybrid(table, model, &cut, slot, label, size);
	rc = encode_in(&table[0], model, &cut, slot, label, size);
	if (!rc && model && model->pfm_e[0])
		slot->core_types = !strcmp(table[0].name, model->pfm_e) ? PMU_SLOT_E : PMU_SLOT_P;
	return rc;
}

int pmu_pfm_encode(const char *text, const struct pmu_cpu_model *model, struct pmu_slot *slot,
		   char *label, size_t size)
{
	int rc;

	pmu_lock_take(&lock);
	rc = encode_pfm(text, model, slot, label, size);
	pmu_lock_give(&lock);
	return rc;
}

/* --- in full --- */

/* Of "nhm::BR_INST_RETIRED:ALL_BRANCHES:e=0:u=1" event and masks. */
static void take_names(const char *full, struct pmu_strbuf *out)
{
	const char *at = strstr(full, "::");
	size_t len;

	for (at = at ? at + 2 : full; *at; at += len + (at[len] == ':')) {
		len = strcspn(at, ":");
		if (memchr(at, '=', len))
			continue;
		pmu_strbuf_add(out, out->len ? ":" : "");
		pmu_strbuf_add_n(out, at, len);
	}
}

static int spell_out_in(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text,
			struct pmu_strbuf *out)
{
	char *full = NULL;
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg), .fstr = &full };
	struct pmu_strbuf name = { 0 };
	struct pmu_pfm_event event;
	int rc = pmu_pfm_find(table, text, &event);

	if (rc)
		return rc;
	write_pfm_name(table, &event, &name);
	rc = pmu_pfm_calls()->get_os_event_encoding(pmu_strbuf_text(&name), PFM_PLM0 | PFM_PLM3,
						    PFM_OS_NONE, &arg);
	pmu_strbuf_free(&name);
	if (rc != PFM_SUCCESS)
		return -EINVAL;
	take_names(full ? full : "", out);
	for (int i = 0; i < event.n_modifiers; i++)
		pmu_strbuf_addf(out, ":%s", event.modifier[i]);
	free(arg.codes);
	free(full);
	return out->failed ? -ENOMEM : 0;
}

static int spell_out(const char *text, const struct pmu_cpu_model *model, struct pmu_strbuf *out)
{
	struct pmu_pfm_text cut;
	pfm_pmu_info_t table[2];
	int n, rc = find_tables(text, model ? model : pmu_pfm_own_model(), !model, &cut, table, &n);

	for (int i = 0; i < n && !rc; i++) {
		rc = spell_out_in(&table[i], &cut, out);
		if (rc != -ENOENT || i + 1 == n)
			break;
		rc = 0;
	}
	return rc;
}

int pmu_pfm_spell_out(const char *text, const struct pmu_cpu_model *model, char *full, size_t size)
{
	struct pmu_strbuf out = { 0 };
	int rc;

	pmu_lock_take(&lock);
	rc = spell_out(text, model, &out);
	pmu_lock_give(&lock);
	if (!rc && (size_t)snprintf(full, size, "%s", pmu_strbuf_text(&out)) >= size)
		rc = -EINVAL;
	pmu_strbuf_free(&out);
	return rc;
}

/* --- all of them --- */

static int each_of_tables(const struct pmu_cpu_model *model,
			  void (*each)(void *arg, const struct pmu_pfm_name *name), void *arg)
{
	pfm_pmu_info_t table[2];
	bool own = !model;
	int n, n_uncore, rc;

	if (own)
		model = pmu_pfm_own_model();
	rc = initialise();
	if (rc)
		return rc;
	if (tables_of_model("", model, own, table, &n))
		rc = pmu_fail(ENOTSUP, "libpfm4 does not know the events of %s", model_name(model));
	for (int i = 0; i < n; i++)
		pmu_pfm_each_of(&table[i], each, arg);
	/* a CPU without one has none to be named */
	if (!rc && !tables_of_model("UNC_", model, own, table, &n_uncore))
		pmu_pfm_each_of(&table[0], each, arg);
	return rc;
}

int pmu_pfm_each(const struct pmu_cpu_model *model,
		 void (*each)(void *arg, const struct pmu_pfm_name *name), void *arg)
{
	int rc;

	pmu_lock_take(&lock);
	rc = each_of_tables(model, each, arg);
	pmu_lock_give(&lock);
	return rc;
}
