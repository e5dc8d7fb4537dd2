/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of Intel's events with modifiers behind them, looked up in a catalog's files. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "names/pfm/names.h"
#include "names/vendor/slot.h"
#include "names/vendor/vendor.h"
#include "plan/select.h"

#define SHOWN 80

/* --- the catalog's files --- */

bool pmu_vendor_whose(const struct pmu_catalog *catalog, struct pmu_cpu_id *id)
{
	*id = catalog->id;
	if (!catalog->model && !id->vendor[0] && pmu_cpu_identify(id))
		return false;
	if (catalog->model && !id->vendor[0])
		snprintf(id->vendor, sizeof(id->vendor), "%s", catalog->model->vendor);
	return true;
}

int pmu_vendor_of(struct pmu_catalog *catalog, const struct pmu_vendor_files **files)
{
	struct pmu_cpu_id id;

	if (!catalog || !catalog->event_files || !catalog->event_files[0])
		return -ENODEV;
	if (!catalog->files && catalog->files_error != -ENODEV)
		catalog->files_error = pmu_vendor_whose(catalog, &id)
					       ? pmu_vendor_open(catalog->event_files, &id,
								 &catalog->files)
					       : -ENODEV;
	*files = catalog->files;
	return catalog->files_error;
}

int pmu_vendor_tables_of(struct pmu_catalog *catalog, const struct pmu_vendor_files **files)
{
	struct pmu_cpu_id id;

	if (!catalog->tables && !catalog->tables_error)
		catalog->tables_error = pmu_vendor_whose(catalog, &id)
						? pmu_vendor_open_tables(&id, NULL,
									 &catalog->tables)
						: -ENODEV;
	*files = catalog->tables;
	return catalog->tables_error;
}

/* --- libpfm4's prefix: TABLE::EVENT --- */

/* Boxes of one kind have a table each, all alike: "snb_unc_cbo2" is "snb_unc_cbo0" too. */
static bool same_prefix_kind(const char *prefix, size_t len, const char *table)
{
	size_t n = strlen(table);

	while (len && isdigit((unsigned char)prefix[len - 1]))
		len--;
	while (n && isdigit((unsigned char)table[n - 1]))
		n--;
	return n && len == n && !strncasecmp(prefix, table, n);
}

static bool is_table(const char *prefix, size_t len, const char *table)
{
	return len && strlen(table) == len && !strncasecmp(prefix, table, len);
}

/*
 * Past the "snb::" of "snb::UOPS_ISSUED:ANY", where that is the catalog's CPU; false: it is libpfm4
 * that has to know.
 */
static bool skip_prefix(const char **text, const struct pmu_catalog *catalog, struct pmu_slot *slot)
{
	const struct pmu_cpu_model *model = catalog->model ? catalog->model : pmu_pfm_own_model();
	const char *colons = strstr(*text, "::");
	size_t len = colons ? (size_t)(colons - *text) : 0;

	if (!colons)
		return true;
	if (!model)
		return false;
	if (model->pfm_e[0] && is_table(*text, len, model->pfm))
		slot->core_types = PMU_SLOT_P;
	else if (is_table(*text, len, model->pfm_e))
		slot->core_types = PMU_SLOT_E;
	else if (!is_table(*text, len, model->pfm) &&
		 !same_prefix_kind(*text, len, model->pfm_uncore))
		return false;
	*text = colons + 2;
	return true;
}

/* --- modifiers --- */

enum modifier { CMASK, INVERT, EDGE, ANY_THREAD, IN_TX, IN_TXCP, CONFIG1, MODIFIERS };

/* In the order of the label. */
static const struct {
	const char *name;
	uint64_t largest;
	bool flag;
} modifiers[MODIFIERS] = {
	[CMASK] = { "c", 0xff, false },
	[INVERT] = { "i", 1, true },
	[EDGE] = { "e", 1, true },
	[ANY_THREAD] = { "t", 1, true },
	[IN_TX] = { "intx", 1, true },
	[IN_TXCP] = { "intxcp", 1, true },
	[CONFIG1] = { "config1", UINT64_MAX, false },
};

struct given {
	uint32_t mask; /* bits by enum modifier */
	uint64_t value[MODIFIERS];
};

/* -ENOENT: it looks like none. */
static int read_modifier(const char *part, struct given *given)
{
	size_t len = strcspn(part, "=");

	for (int i = 0; i < MODIFIERS; i++) {
		if (strlen(modifiers[i].name) != len ||
		    strncasecmp(modifiers[i].name, part, len) != 0)
			continue;
		given->value[i] = 1;
		if ((part[len] || !modifiers[i].flag) &&
		    (!part[len] || pmu_parse_u64(part + len + 1, &given->value[i]) < 0 ||
		     given->value[i] > modifiers[i].largest))
			return pmu_fail(EINVAL, "\"%.*s\": %s=%s", SHOWN, part, modifiers[i].name,
					modifiers[i].flag ? "0 or 1"
					: i == CMASK      ? "0 to 255"
							  : "NUMBER");
		if (given->mask >> i & 1)
			return pmu_fail(EINVAL, "\"%.*s\" stands there twice", SHOWN, part);
		given->mask |= 1u << i;
		return 0;
	}
	return -ENOENT;
}

/* Parts @from on, every one of them a modifier. */
static int read_modifiers(const struct pmu_pfm_text *cut, int from, struct given *given)
{
	memset(given, 0, sizeof(*given));
	for (int i = from; i < cut->n_parts; i++) {
		int rc = cut->before[i] == ':' ? read_modifier(cut->part[i], given) : -ENOENT;

		if (rc)
			return rc;
	}
	return 0;
}

static int no_modifier(const struct pmu_vendor_event *event, enum modifier which, const char *why)
{
	return pmu_fail(EINVAL, "%.*s has no %s=: %s", SHOWN, event->name, modifiers[which].name,
			why);
}

/* Where the select of events has nothing but their number. */
static int apply_nothing(const struct pmu_vendor_event *event, const struct given *given,
			 const char *why)
{
	for (enum modifier i = 0; i < MODIFIERS; i++)
		if (given->mask >> i & 1)
			return no_modifier(event, i, why);
	return 0;
}

static int apply_core(const struct pmu_vendor_event *event, enum pmu_select_layout layout,
		      const struct given *given, struct pmu_slot *slot)
{
	struct pmu_select select;

	if (given->mask >> CONFIG1 & 1)
		return no_modifier(event, CONFIG1, "it is an event of the cores");
	for (enum modifier i = ANY_THREAD; i <= IN_TXCP; i++)
		if (given->mask >> i & 1 && layout == PMU_SELECT_AMD)
			return no_modifier(event, i, "AMD's processors have none");
	if (given->mask && layout == PMU_SELECT_INTEL && !(slot->config & 0xff))
		return pmu_fail(EINVAL, "%.*s: only a fixed counter counts it, without modifiers",
				SHOWN, event->name);
	pmu_select_decode(layout, slot->config, &select);
	if (given->mask >> CMASK & 1)
		select.cmask = (uint8_t)given->value[CMASK];
	if (given->mask >> INVERT & 1)
		select.invert = given->value[INVERT];
	if (given->mask >> EDGE & 1)
		select.edge = given->value[EDGE];
	if (given->mask >> ANY_THREAD & 1)
		select.any_thread = given->value[ANY_THREAD];
	if (given->mask >> IN_TX & 1)
		select.in_tx = given->value[IN_TX];
	if (given->mask >> IN_TXCP & 1)
		select.in_txcp = given->value[IN_TXCP];
	slot->config = pmu_select_encode(layout, &select);
	return 0;
}

/* On a hybrid to the code of either kind of cores. */
static int apply_cores(const struct pmu_vendor_event *event, const struct given *given,
		       struct pmu_slot *slot)
{
	struct pmu_slot of_e = *slot;
	int rc = apply_core(event, PMU_SELECT_INTEL, given, slot);

	if (rc || !slot->e_code.is_set)
		return rc;
	pmu_slot_use_e_code(&of_e);
	rc = apply_core(event, PMU_SELECT_INTEL, given, &of_e);
	pmu_slot_set_e_code(slot, &of_e);
	return rc;
}

static uint64_t put_modifier(uint64_t config, const struct given *given, enum modifier which,
			     unsigned int bit, uint64_t field)
{
	if (!(given->mask >> which & 1))
		return config;
	return (config & ~(field << bit)) | given->value[which] << bit;
}

static int apply_uncore(const struct pmu_vendor_event *event, const struct given *given,
			struct pmu_slot *slot)
{
	for (enum modifier i = ANY_THREAD; i <= IN_TXCP; i++)
		if (given->mask >> i & 1)
			return no_modifier(event, i, "it belongs to no thread");
	if (given->mask >> CONFIG1 & 1)
		slot->config1 = given->value[CONFIG1];
	else if (event->open_filter)
		return pmu_fail(
			EINVAL,
			"%.*s: which accesses it counts is said by a filter that the file leaves open; "
			"give its value as :config1=0x..",
			SHOWN, event->name);
	slot->config = put_modifier(slot->config, given, CMASK, 24, 0xff);
	slot->config = put_modifier(slot->config, given, INVERT, 23, 1);
	slot->config = put_modifier(slot->config, given, EDGE, 18, 1);
	return 0;
}

static int apply(const struct pmu_vendor_event *event, const struct pmu_cpu_id *id,
		 const struct given *given, struct pmu_slot *slot)
{
	if (pmu_cpu_is_intel(id))
		return event->unit[0] ? apply_uncore(event, given, slot)
				      : apply_cores(event, given, slot);
	if (event->unit[0])
		return apply_nothing(event, given, "its unit has none");
	if (pmu_cpu_arch(id) != PMU_ARCH_X86)
		return apply_nothing(event, given, "events of this processor have none");
	return apply_core(event, PMU_SELECT_AMD, given, slot);
}

/* --- names --- */

/* The first @n parts as they were written, but for the dots. */
static bool join_front_parts(const struct pmu_pfm_text *cut, int n, char *name, size_t size)
{
	size_t len = 0;

	for (int i = 0; i < n; i++) {
		len += (size_t)snprintf(name + len, size - len, "%s%s", i ? "." : "", cut->part[i]);
		if (len >= size)
			return false;
	}
	return true;
}

/*
 * How many parts are the name: as many as the files have an event of.  0: none; -EINVAL: with one
 * part less it is an event too, and the part a modifier.
 */
static int count_name_parts(const struct pmu_vendor_files *files, const struct pmu_pfm_text *cut,
			    struct given *given)
{
	char name[PMU_PFM_TEXT_MAX], shorter[PMU_PFM_TEXT_MAX];
	int bad = 0;

	for (int n = cut->n_parts; n > 0; n--) {
		struct given unused;
		int rc;

		if (!join_front_parts(cut, n, name, sizeof(name)) || !pmu_vendor_has(files, name))
			continue;
		rc = read_modifiers(cut, n, given);
		if (rc == -EINVAL)
			bad = rc;
		if (rc)
			continue;
		if (n > 1 && !read_modifiers(cut, n - 1, &unused) &&
		    join_front_parts(cut, n - 1, shorter, sizeof(shorter)) &&
		    pmu_vendor_has(files, shorter))
			return pmu_fail(
				EINVAL,
				"%s:%s can be read in two ways: write %s for the event, %s:%s=1 for the "
				"modifier",
				shorter, cut->part[n - 1], name, shorter, cut->part[n - 1]);
		return n;
	}
	return bad;
}

/* What the event has by itself. */
static uint64_t own_value(const struct pmu_vendor_event *event, const struct pmu_slot *slot,
			  enum modifier which)
{
	struct pmu_select select;

	/* in the same places in what is outside the cores */
	pmu_select_decode(PMU_SELECT_INTEL, slot->config, &select);
	switch (which) {
	case CMASK:
		return select.cmask;
	case INVERT:
		return select.invert;
	case EDGE:
		return select.edge;
	case CONFIG1:
		return event->unit[0] ? slot->config1 : 0;
	case ANY_THREAD:
		return select.any_thread;
	case IN_TX:
		return select.in_tx;
	default:
		return select.in_txcp;
	}
}

/* @slot: the event's own, without the modifiers; @prefix, "cpu_atom/" or "", is closed behind the name */
static void write_vendor_label(const struct pmu_vendor_event *event, const struct given *given,
			       const struct pmu_slot *slot, const char *prefix, char *label,
			       size_t size)
{
	struct pmu_strbuf out = { 0 };

	pmu_strbuf_addf(&out, "%s%s", prefix, event->name);
	for (enum modifier i = 0; i < MODIFIERS; i++) {
		if (!(given->mask >> i & 1) || given->value[i] == own_value(event, slot, i))
			continue;
		pmu_strbuf_addf(&out, ":%s", modifiers[i].name);
		if (!modifiers[i].flag || !given->value[i])
			pmu_strbuf_addf(&out, i == CONFIG1 ? "=0x%llx" : "=%llu",
					(unsigned long long)given->value[i]);
	}
	if (prefix[0])
		pmu_strbuf_add(&out, "/");
	/* a column's name has its limit: the rest is a tilde */
	if ((size_t)snprintf(label, size, "%s", pmu_strbuf_text(&out)) >= size && size > 1)
		label[size - 2] = '~';
	pmu_strbuf_free(&out);
}

/* Which cores' event it is, where its name alone would mean another. */
static const char *prefix_of(const struct pmu_vendor_files *files, const char *name, uint8_t wanted)
{
	struct pmu_slot by_name = { .core_types = 0 };

	if (!wanted ||
	    (!pmu_vendor_find(files, name, &by_name, NULL) && by_name.core_types == wanted))
		return "";
	return wanted == PMU_SLOT_E ? "cpu_atom/" : "cpu_core/";
}

/*
 * @devices: of the kernel that is there; NULL none
 * @said: NULL, or where it goes what the files say beside
 */
static int encode_vendor(const struct pmu_vendor_files *files, const struct pmu_pfm_text *cut,
			 const char *devices, struct pmu_slot *slot, char *label, size_t size,
			 struct pmu_vendor_event *said)
{
	char name[PMU_PFM_TEXT_MAX];
	struct pmu_vendor_event event;
	struct pmu_slot new = *slot, own;
	struct given given;
	int n = count_name_parts(files, cut, &given), rc;

	if (n < 0)
		return n;
	join_front_parts(cut, n ? n : cut->n_parts, name, sizeof(name));
	rc = pmu_vendor_find(files, name, &new, &event);
	if (rc)
		return rc;
	own = new;
	rc = apply(&event, pmu_vendor_cpu(files), &given, &new);
	if (!rc && event.unit[0] && devices && pmu_cpu_is_intel(pmu_vendor_cpu(files)))
		rc = pmu_intel_uncore_check(devices, event.name, &new);
	if (rc)
		return rc;
	write_vendor_label(&event, &given, &own,
			   new.core_types ? prefix_of(files, name, slot->core_types) : "", label,
			   size);
	*slot = new;
	if (said)
		*said = event;
	return 0;
}

/* --- kinds of cores --- */

#define CPUS       "/sys/devices/system/cpu"
#define MOST_KINDS 8

static bool same_slot_event(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->kind == b->kind && a->config == b->config && !strcmp(a->pmu, b->pmu);
}

/* On a core of that kind, by the same files or else by the tables. */
static bool is_same_on(const struct pmu_cpu_id *kind, const char *text,
		       const struct pmu_catalog *catalog, const struct pmu_slot *slot)
{
	struct pmu_catalog other = { .id = *kind,
				     .model = pmu_cpu_model_find(kind),
				     .event_files = catalog ? catalog->event_files : NULL };
	struct pmu_slot found = { .core_types = 0 };
	char label[PMU_PFM_TEXT_MAX];
	int rc = pmu_vendor_encode(text, &other, &found, label, sizeof(label));

	if (rc == -ENODEV)
		rc = pmu_vendor_encode_own(text, &other, &found, label, sizeof(label));
	pmu_catalog_close(&other);
	return !rc && same_slot_event(&found, slot);
}

int pmu_vendor_check_kinds(const char *text, const char *cpus, const struct pmu_catalog *catalog,
			   const struct pmu_slot *slot)
{
	struct pmu_cpu_id kind[MOST_KINDS];
	unsigned int n = pmu_cpu_kinds(cpus, kind, MOST_KINDS);

	for (unsigned int i = 0; i < n && n > 1; i++)
		if (!is_same_on(&kind[i], text, catalog, slot))
			return pmu_fail(
				ENOTSUP,
				"%.*s is not the same on all cores of this machine (%s, %s%s): "
				"write the one that is meant as its PMU has it, "
				"armv8_cortex_a72/event=0x../",
				SHOWN, text, kind[0].brand, kind[1].brand, n > 2 ? ", ..." : "");
	return 0;
}

/* Of the machine that we run on. */
static int check_here(const char *text, const struct pmu_catalog *catalog,
		      const struct pmu_cpu_id *id, const struct pmu_slot *slot)
{
	if ((catalog && (catalog->model || catalog->id.vendor[0])) || slot->pmu[0] ||
	    pmu_cpu_arch(id) != PMU_ARCH_ARM)
		return 0;
	return pmu_vendor_check_kinds(text, CPUS, catalog, slot);
}

int pmu_vendor_encode(const char *text, struct pmu_catalog *catalog, struct pmu_slot *slot,
		      char *label, size_t size)
{
	const struct pmu_vendor_files *files = NULL;
	struct pmu_pfm_text cut;
	int rc = pmu_vendor_of(catalog, &files);

	/* asked-for files that are missing are an error, which libpfm4 is not to hide */
	if (rc && rc != -ENODEV && !strstr(text, "::"))
		return rc == -ENOENT ? -EINVAL : rc;
	if (rc || !skip_prefix(&text, catalog, slot))
		return -ENODEV;
	rc = pmu_pfm_cut(text, &cut);
	if (!rc)
		rc = encode_vendor(files, &cut, pmu_catalog_devices(catalog), slot, label, size,
				   catalog->said);
	return rc ? rc : check_here(text, catalog, pmu_vendor_cpu(files), slot);
}

/* What is near the name is told from all of them. */
static int no_such_event(const struct pmu_cpu_id *id, const struct pmu_pfm_text *cut,
			 struct pmu_slot *slot)
{
	char name[PMU_PFM_TEXT_MAX];
	struct pmu_vendor_files *all;
	struct pmu_slot unused = *slot;
	int rc = pmu_vendor_open_tables(id, NULL, &all);

	if (rc)
		return rc;
	join_front_parts(cut, cut->n_parts, name, sizeof(name));
	rc = pmu_vendor_find(all, name, &unused, NULL);
	pmu_vendor_close(all);
	return rc ? rc : -ENOENT;
}

static int encode_kept(const char *text, struct pmu_catalog *catalog, struct pmu_slot *slot,
		       char *label, size_t size)
{
	const struct pmu_vendor_files *tables;
	struct pmu_pfm_text cut;
	int rc = pmu_vendor_tables_of(catalog, &tables);

	if (!rc)
		rc = pmu_pfm_cut(text, &cut);
	return rc ? rc
		  : encode_vendor(tables, &cut, pmu_catalog_devices(catalog), slot, label, size,
				  catalog->said);
}

static int encode_alone(const struct pmu_cpu_id *id, const char *text,
			const struct pmu_catalog *catalog, struct pmu_slot *slot, char *label,
			size_t size)
{
	struct pmu_vendor_files *files;
	struct pmu_pfm_text cut;
	int rc = pmu_pfm_cut(text, &cut);

	if (!rc)
		rc = pmu_vendor_open_tables(id, text, &files);
	if (rc)
		return rc;
	rc = encode_vendor(files, &cut, pmu_catalog_devices(catalog), slot, label, size, NULL);
	pmu_vendor_close(files);
	return rc == -ENOENT ? no_such_event(id, &cut, slot) : rc;
}

int pmu_vendor_encode_own(const char *text, struct pmu_catalog *catalog, struct pmu_slot *slot,
			  char *label, size_t size)
{
	struct pmu_catalog here = { .model = NULL };
	struct pmu_cpu_id id;
	int rc;

	catalog = catalog ? catalog : &here;
	if (!pmu_vendor_whose(catalog, &id) || !skip_prefix(&text, catalog, slot))
		return -ENODEV;
	rc = catalog->keep_tables ? encode_kept(text, catalog, slot, label, size)
				  : encode_alone(&id, text, catalog, slot, label, size);
	return rc ? rc : check_here(text, catalog, &id, slot);
}
