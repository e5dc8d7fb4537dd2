/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of events: their form, and each event of them by its own name.
 *
 * TEST_EVENTS is a folder of the same events as comma-separated values, one file a table, and
 * TEST_EVENTS_LINUX one with folders amd, arm64 and riscv of them; without one what is compared
 * with it is left out.
 */
#include "names/tables/table.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "names/vendor/map.h"
#include "names/vendor/vendor.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "plan/select.h"
#include "tests/tap.h"

/* --- the form --- */

static const struct pmu_table made[] = {
	{ "upper",
	  "# a source\n"
	  "= lower\n"
	  "* k0-3\n"
	  "A.ONE 1 1 c10 i\n"
	  ".TWO 1 2 k2,4-5\n"
	  "B 2 0 f3 k\n"
	  "- C.GONE\n"
	  "[CHA]\n"
	  "UNC_X 5 ff xabcd FFilter1[3:0] r\n",
	  0 },
	{ "lower",
	  "# a source\n"
	  "A.ONE ff ff\n"
	  ".THREE 1 3 e t q d EABC1,ABC2\n"
	  "C.GONE 3 1\n"
	  ".STAYS 3 2 m1a6:3f80408000\n"
	  "[CHA]\n"
	  "UNC_W 4 1\n"
	  "[L3PMC]\n"
	  "l3 ac 3f n3 y2 a b\n"
	  "[QPI LL]\n"
	  "UNC_Q 0 1 p3 h7 s1 v20 u\n"
	  "[UMCPMC]\n"
	  "umc 5 0 w2\n"
	  "[hisi_sccl,l3c]\n"
	  "wr 8000000000000021 0 g\n",
	  0 },
	{ "round", "= round\nA 1 1\n", 0 },
	{ "alone", "= nobody\nA 1 1\n", 0 },
	{ "no_code", "A\n", 0 },
	{ "no_hex", "A 1 xyz\n", 0 },
	{ "no_word", "A 1 1 ?\n", 0 },
	{ "no_counters", "A 1 1 k3-1\n", 0 },
	{ "no_unit", "[CHA\nA 1 1\n", 0 },
	{ "no_fixed", "A 1 1 f99\n", 0 },
	{ "too_large", "A 1 10000000000000000\n", 0 },
};

static bool find_made(const char *name, struct pmu_table *table)
{
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (!strcmp(made[i].name, name)) {
			*table = made[i];
			table->len = strlen(table->text);
			return true;
		}
	return false;
}

static const struct pmu_vendor_entry *entry_of(const struct pmu_vendor_file *file, const char *unit,
					       const char *name)
{
	for (uint32_t i = 0; i < file->n; i++)
		if (!strcmp(file->entry[i].name, name) && !strcmp(file->entry[i].unit, unit))
			return &file->entry[i];
	return NULL;
}

static void a_table_stands_upon_another(void)
{
	struct pmu_vendor_file file = { .n = 0 };
	const struct pmu_vendor_entry *e;

	is_int(pmu_table_read("upper", find_made, NULL, PMU_SLOT_E, &file), 0, "two tables");
	is_int(file.n, 11, "events of both, one of them gone");
	e = entry_of(&file, "", "A.ONE");
	ok(e && e->code == 1 && e->umask == 1 && e->cmask == 0x10 && e->invert && !e->edge,
	   "the upper one's where both have it");
	ok(e && e->counters == 0xf && e->core_type == PMU_SLOT_E, "counters that most have");
	e = entry_of(&file, "", "A.TWO");
	ok(e && e->umask == 2 && e->counters == 0x34, "counters of its own");
	e = entry_of(&file, "", "A.THREE");
	ok(e && e->edge && e->any && e->equal && e->deprecated && !e->counters, "one below");
	e = entry_of(&file, "", "B");
	ok(e && e->fixed == 3 && !e->counters, "a fixed counter's");
	ok(!entry_of(&file, "", "C.GONE"), "one that is taken away");
	e = entry_of(&file, "", "C.STAYS");
	ok(e && e->msr_index == 0x1a6 && e->msr_value == 0x3f80408000, "a second register");
	e = entry_of(&file, "CHA", "UNC_X");
	ok(e && e->umask_ext == 0xabcd && !strcmp(e->filter, "Filter1[3:0]") &&
		   !strcmp(e->counter_type, "FREERUN"),
	   "outside the cores");
	ok(entry_of(&file, "CHA", "UNC_W") != NULL, "of the same unit below");
	e = entry_of(&file, "QPI LL", "UNC_Q");
	ok(e && e->port_mask == 3 && e->fc_mask == 7 && e->ext_sel == 1 &&
		   e->filter_value == 0x20 && e->fixed_uncore,
	   "of a unit with a blank");
	e = entry_of(&file, "L3PMC", "l3");
	ok(e && e->slice == 3 && e->thread_mask == 2 && e->all_slices && e->all_cores, "of AMD's");
	e = entry_of(&file, "UMCPMC", "umc");
	ok(e && e->rd_wr_mask == 2 && !e->all_slices, "of its memory controllers");
	e = entry_of(&file, "hisi_sccl,l3c", "wr");
	ok(e && e->whole && e->code == UINT64_C(0x8000000000000021), "a code that is all of it");
	pmu_vendor_file_free(&file);
}

static void what_a_text_may_mean_is_read_alone(void)
{
	struct pmu_vendor_file file = { .n = 0 };

	is_int(pmu_table_read("upper", find_made, "a_one:c=1", 0, &file), 0, "what a_one may mean");
	is_int(file.n, 1, "and nothing else");
	ok(entry_of(&file, "", "A.ONE") != NULL, "it is A.ONE");
	pmu_vendor_file_free(&file);
}

static void is_refused(const char *name, const char *words)
{
	struct pmu_vendor_file file = { .n = 0 };

	is_int(pmu_table_read(name, find_made, NULL, 0, &file), -EINVAL, name);
	has(pmu_error_text(), words, "  and says so");
	pmu_vendor_file_free(&file);
}

static void what_is_wrong_is_named(void)
{
	is_refused("nothing", "there is no table nothing");
	is_refused("round", "stands upon more than");
	is_refused("alone", "there is no table nobody");
	is_refused("no_code", "no_code:1: no code and mask");
	is_refused("no_hex", "no_hex:1: no code and mask");
	is_refused("no_word", "no_word:1: a word");
	is_refused("no_counters", "no_counters:1: a word");
	is_refused("no_unit", "no_unit:1: no unit");
	is_refused("no_fixed", "no_fixed:1: a word");
	is_refused("too_large", "too_large:1: no code and mask");
}

/* --- the tables --- */

static void every_table_can_be_read(void)
{
	unsigned int n = 0, events = 0, wrong = 0;

	for (const struct pmu_table_place *p = pmu_table_place; p->name[0]; p++) {
		struct pmu_vendor_file file = { .n = 0 };

		if (strstr(p->name, "/mapfile"))
			continue;
		n++;
		if (pmu_table_read(p->name, pmu_table_find, NULL, 0, &file)) {
			diag("%s", pmu_error_text());
			wrong++;
		}
		events += file.n;
		pmu_vendor_file_free(&file);
	}
	ok(n >= 110 && events > 31000 && !wrong, "%u tables with %u events, %u wrong", n, events,
	   wrong);
}

static struct pmu_catalog catalog_of(uint32_t family, uint32_t model, uint32_t stepping)
{
	struct pmu_catalog catalog = { .id = { .vendor = "GenuineIntel",
					       .family = family,
					       .model = model,
					       .stepping = stepping } };

	catalog.model = pmu_cpu_model_find(&catalog.id);
	return catalog;
}

static void is_code(uint32_t model, const char *text, uint64_t config)
{
	struct pmu_catalog catalog = catalog_of(6, model, 7);
	struct pmu_event event;

	is_int(pmu_event_parse(text, &catalog, &event), 0, text);
	is_u64(event.slot.config, config, "  its code");
}

/* Linux, arch/x86/events/perf_event.h: umask2 in bits 40 on; Intel SDM vol. 3B, 20.2.1 */
static void names_mean_what_intel_says(void)
{
	/* where libpfm4 4.13 has other codes */
	is_code(0x3c, "UOPS_RETIRED.TOTAL_CYCLES", 0x108001c2);
	is_code(0x3e, "MEM_LOAD_UOPS_LLC_MISS_RETIRED.LOCAL_DRAM", 0x03d3);
	/* processors that it does not know */
	is_code(0xcc, "cpu_core/UOPS_ISSUED.ANY/", 0x01ae);
	is_code(0xdd, "INST_RETIRED.ANY_P", 0xc0);
	/* however they are spelled */
	is_code(0x2a, "uops_issued.any", 0x010e);
	is_code(0x2a, "UOPS_ISSUED:ANY", 0x010e);
	is_code(0x2a, "UOPS_ISSUED.ANY:c=1:i", 0x0180010e);
	is_code(0x2a, "snb::UOPS_ISSUED:ANY", 0x010e);
}

static void what_is_near_is_named(void)
{
	struct pmu_catalog catalog = catalog_of(6, 0x8f, 8);
	struct pmu_event event;

	is_int(pmu_event_parse("UOPS_ISUED.ANY", &catalog, &event), -EINVAL, "a letter is missing");
	has(pmu_error_text(), "did you mean UOPS_ISSUED.ANY?", "the nearest is named");
}

/* --- the same events from elsewhere --- */

#define MAX_COLUMNS 20

struct csv {
	FILE *in;
	char head_line[1024], line[1024];
	char *head[MAX_COLUMNS], *cell[MAX_COLUMNS];
};

/* Cells between commas, some of them in quotes. */
static void cut_line(char *line, char *cell[MAX_COLUMNS])
{
	line[strcspn(line, "\r\n")] = '\0';
	for (int i = 0; i < MAX_COLUMNS; i++) {
		char *end = line;

		cell[i] = line;
		if (line && *line == '"') {
			cell[i] = ++line;
			end = strchr(line, '"');
			*end++ = '\0';
		}
		end = end ? strchr(end, ',') : NULL;
		if (end)
			*end++ = '\0';
		line = end;
	}
}

static bool csv_open(struct csv *csv, const char *folder, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.csv", folder, name);
	csv->in = fopen(path, "r");
	if (!csv->in || !fgets(csv->head_line, sizeof(csv->head_line), csv->in))
		return false;
	cut_line(csv->head_line, csv->head);
	return true;
}

static bool csv_next(struct csv *csv)
{
	if (!fgets(csv->line, sizeof(csv->line), csv->in)) {
		fclose(csv->in);
		return false;
	}
	cut_line(csv->line, csv->cell);
	return true;
}

static const char *csv_text(const struct csv *csv, const char *column)
{
	for (int i = 0; i < MAX_COLUMNS && csv->head[i]; i++)
		if (!strcmp(csv->head[i], column))
			return csv->cell[i] ? csv->cell[i] : "";
	return "";
}

static uint64_t csv_number(const struct csv *csv, const char *column)
{
	return strtoull(csv_text(csv, column), NULL, 0);
}

/* "0,1,2,3" as bits; "fixed counter 1" and "FIXED" are none. */
static uint64_t general_counters(const char *list)
{
	uint64_t bits = 0;

	for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
		if (*at >= '0' && *at <= '9')
			bits |= UINT64_C(1) << atoi(at);
	return bits;
}

static bool same_numbers(const struct csv *csv, const struct pmu_vendor_entry *e)
{
	return e->code == csv_number(csv, "event") && e->umask == csv_number(csv, "umask") &&
	       e->umask_ext == csv_number(csv, "umask_ext") &&
	       e->cmask == csv_number(csv, "cmask") && e->invert == csv_number(csv, "inv") &&
	       e->edge == csv_number(csv, "edge") && e->any == csv_number(csv, "anythread") &&
	       e->msr_index == csv_number(csv, "msr_index") &&
	       (!e->msr_index || e->msr_value == csv_number(csv, "msr_value")) &&
	       e->port_mask == csv_number(csv, "port_mask") &&
	       e->fc_mask == csv_number(csv, "fc_mask") &&
	       e->ext_sel == csv_number(csv, "ext_sel") &&
	       e->filter_value == csv_number(csv, "filter_value") &&
	       e->deprecated == csv_number(csv, "deprecated");
}

/* @widest: of the whole file; of cores' events a table leaves it out */
static bool same_counters(const struct csv *csv, const struct pmu_vendor_entry *e, uint64_t widest)
{
	uint64_t counters = general_counters(csv_text(csv, "counters"));
	const char *fixed = strcasestr(csv_text(csv, "counters"), "fixed");

	if (!e->unit[0] && counters == widest)
		counters = 0;
	return e->counters == counters && (e->fixed >= 0 || e->fixed_uncore) == (fixed != NULL);
}

static uint64_t widest_of(const char *folder, const char *name)
{
	uint64_t widest = 0;
	struct csv csv;

	for (bool more = csv_open(&csv, folder, name) && csv_next(&csv); more;
	     more = csv_next(&csv))
		widest |= general_counters(csv_text(&csv, "counters"));
	return widest;
}

static void compare_table(const char *folder, const char *name, unsigned int *rows,
			  unsigned int *wrong)
{
	uint64_t widest = widest_of(folder, name);
	struct pmu_vendor_file file = { .n = 0 };
	char table[64];
	uint32_t n = 0;
	struct csv csv;

	snprintf(table, sizeof(table), "%s", name);
	for (char *at = table; *at; at++)
		*at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
	if (pmu_table_read(table, pmu_table_find, NULL, 0, &file))
		diag("%s", pmu_error_text());
	for (bool more = csv_open(&csv, folder, name) && csv_next(&csv); more;
	     more = csv_next(&csv)) {
		const struct pmu_vendor_entry *e = entry_of(&file, csv_text(&csv, "unit"),
							    csv_text(&csv, "name"));

		n++;
		if (e && same_numbers(&csv, e) && same_counters(&csv, e, widest))
			continue;
		++*wrong;
		diag("%s: %s is %s", name, csv_text(&csv, "name"), e ? "another" : "not there");
	}
	*rows += n;
	*wrong += file.n != n;
	pmu_vendor_file_free(&file);
}

/* An event's slot by its name, against its row. */
static bool resolves(const struct csv *csv, struct pmu_catalog *catalog, const char *prefix)
{
	struct pmu_select select;
	struct pmu_event event;
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s", prefix, csv_text(csv, "name"), prefix[0] ? "/" : "");
	if (pmu_event_parse(text, catalog, &event)) {
		/* refused: it needs a register beside its select */
		if (strstr(pmu_error_text(), "needs register"))
			return csv_number(csv, "msr_index") == 0x3e0;
		diag("%s", pmu_error_text());
		return false;
	}
	pmu_select_decode(PMU_SELECT_INTEL, event.slot.config, &select);
	if (strcasestr(csv_text(csv, "counters"), "fixed"))
		return true; /* tests/unit/names/intel.c */
	return select.event == csv_number(csv, "event") &&
	       select.umask == csv_number(csv, "umask") &&
	       select.umask2 == csv_number(csv, "umask_ext") &&
	       select.cmask == csv_number(csv, "cmask") &&
	       select.invert == csv_number(csv, "inv") && select.edge == csv_number(csv, "edge") &&
	       select.any_thread == csv_number(csv, "anythread") &&
	       event.slot.extra == csv_number(csv, "msr_index") &&
	       (!event.slot.extra || event.slot.extra_value == csv_number(csv, "msr_value"));
}

/* "GenuineIntel-6-55-[01234]", the first of the steppings */
static struct pmu_catalog first_cpu(const char *pattern)
{
	unsigned int family = 0, model = 0;
	char stepping[2] = "0";

	sscanf(pattern, "GenuineIntel-%u-%x-[%1[0-9A-F]", &family, &model, stepping);
	return catalog_of(family, model, (uint32_t)strtoul(stepping, NULL, 16));
}

static void by_name(const char *folder, const struct csv *map, unsigned int *rows,
		    unsigned int *wrong)
{
	struct pmu_catalog catalog = first_cpu(csv_text(map, "family_model"));
	uint64_t type = csv_number(map, "core_type");
	const char *prefix = type == 0x20 ? "cpu_atom/" : type == 0x40 ? "cpu_core/" : "";
	struct csv csv;

	for (bool more = csv_open(&csv, folder, csv_text(map, "file")) && csv_next(&csv); more;
	     more = csv_next(&csv)) {
		++*rows;
		if (resolves(&csv, &catalog, prefix))
			continue;
		++*wrong;
		diag("%s: %s", csv_text(map, "file"), csv_text(&csv, "name"));
	}
	pmu_catalog_close(&catalog);
}

/* --- AMD's, Arm's and RISC-V processors --- */

/* AMD's by what AMD says they are, as patterns of the map hold one another. */
static const struct {
	const char *file;
	uint32_t family, model;
} amd[] = {
	{ "amdzen1", 0x17, 0x01 }, { "amdzen1", 0x17, 0x18 }, { "amdzen2", 0x17, 0x31 },
	{ "amdzen2", 0x17, 0x71 }, { "amdzen3", 0x19, 0x01 }, { "amdzen3", 0x19, 0x21 },
	{ "amdzen4", 0x19, 0x11 }, { "amdzen4", 0x19, 0x61 }, { "amdzen5", 0x1a, 0x02 },
	{ "amdzen5", 0x1a, 0x44 },
};

/* The one of these, from @from on, that has the file. */
static bool next_amd(const char *file, size_t *from, struct pmu_cpu_id *id)
{
	for (; *from < sizeof(amd) / sizeof(amd[0]); ++*from)
		if (!strcmp(amd[*from].file, file)) {
			*id = (struct pmu_cpu_id){ .vendor = "AuthenticAMD",
						   .family = amd[*from].family,
						   .model = amd[*from].model };
			++*from;
			return true;
		}
	return false;
}

/* A processor that a line of the map is about. */
static bool cpu_of_pattern(const char *pattern, struct pmu_cpu_id *id)
{
	const char *class = strstr(pattern, "[89]");
	unsigned long long march = 0, mimp = 0x20;
	unsigned int vendor = 0;

	/* a variant and a revision that the map does not have */
	if (!strchr(pattern, '-')) {
		pmu_cpu_midr(strtoull(pattern, NULL, 16) | 0x100001, id);
		return id->vendor[0];
	}
	if (sscanf(pattern, "0x%x-0x%llx-0x%llx", &vendor, &march, &mimp) < 2)
		return false;
	*id = (struct pmu_cpu_id){ .vendor = "RISC-V",
				   .family = vendor,
				   .march = class ? march << 8 | 0x80 : march,
				   .mimp = mimp };
	return true;
}

/* RISC-V SBI specification, chapter 11: firmware events; Linux's files name them by standard names. */
static bool firmware_code(const char *name, uint64_t *code)
{
	static const char *const names[] = {
		"FW_MISALIGNED_LOAD",
		"FW_MISALIGNED_STORE",
		"FW_ACCESS_LOAD",
		"FW_ACCESS_STORE",
		"FW_ILLEGAL_INSN",
		"FW_SET_TIMER",
		"FW_IPI_SENT",
		"FW_IPI_RECEIVED",
		"FW_FENCE_I_SENT",
		"FW_FENCE_I_RECEIVED",
		"FW_SFENCE_VMA_SENT",
		"FW_SFENCE_VMA_RECEIVED",
		"FW_SFENCE_VMA_ASID_SENT",
		"FW_SFENCE_VMA_ASID_RECEIVED",
		"FW_HFENCE_GVMA_SENT",
		"FW_HFENCE_GVMA_RECEIVED",
		"FW_HFENCE_GVMA_VMID_SENT",
		"FW_HFENCE_GVMA_VMID_RECEIVED",
		"FW_HFENCE_VVMA_SENT",
		"FW_HFENCE_VVMA_RECEIVED",
		"FW_HFENCE_VVMA_ASID_SENT",
		"FW_HFENCE_VVMA_ASID_RECEIVED",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name)) {
			*code = UINT64_C(1) << 63 | i;
			return true;
		}
	return false;
}

/* Metrics of Arm's standard: rows without a code, no events. */
static bool is_metric(const char *name)
{
	static const char *const metrics[] = { "backend_bound", "frontend_bound", "retiring",
					       "bad_speculation" };

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcmp(metrics[i], name))
			return true;
	return false;
}

/* Of UMC's rows the mask of reads and writes is missing; their names say it. */
static uint64_t rd_wr_of(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, ".rd")   ? 1
	       : len > 3 && !strcmp(name + len - 3, ".wr") ? 2
							   : 0;
}

/* What the kernel's PMU is to be told, by the places that its format files name. */
static uint64_t config_of(const struct csv *csv, const struct pmu_cpu_id *id)
{
	const char *unit = csv_text(csv, "unit");
	uint64_t code = csv_number(csv, "eventcode"), umask = csv_number(csv, "umask");
	uint64_t threads = csv_number(csv, "threadmask");

	if (!strcmp(unit, "L3PMC") && id->family == 0x17)
		return code | umask << 8 | UINT64_C(0xf) << 48 | UINT64_C(0xff) << 56;
	if (!strcmp(unit, "L3PMC") && !threads)
		return code | umask << 8 | UINT64_C(3) << 46 | UINT64_C(0xf) << 56;
	if (!strcmp(unit, "L3PMC"))
		return code | umask << 8 | csv_number(csv, "enallslices") << 46 |
		       csv_number(csv, "enallcores") << 47 | csv_number(csv, "sliceid") << 48 |
		       threads << 56;
	if (!strcmp(unit, "UMCPMC"))
		return code | rd_wr_of(csv_text(csv, "name")) << 8;
	if (!strcmp(unit, "DFPMC"))
		return (code & 0xff) | (umask & 0xff) << 8 | umask >> 8 << 24 | code >> 8 << 32;
	if (unit[0])
		return csv_number(csv, "configcode");
	if (!strcmp(id->vendor, "AuthenticAMD"))
		return (code & 0xff) | umask << 8 | csv_number(csv, "edgedetect") << 18 |
		       csv_number(csv, "invert") << 23 | csv_number(csv, "countermask") << 24 |
		       code >> 8 << 32;
	firmware_code(csv_text(csv, "name"), &code);
	return code;
}

static const char *pmu_of(const char *unit)
{
	return !strcmp(unit, "L3PMC")    ? "amd_l3"
	       : !strcmp(unit, "DFPMC")  ? "amd_df"
	       : !strcmp(unit, "UMCPMC") ? "amd_umc"
					 : unit;
}

static bool is_as_written(const struct csv *csv, struct pmu_catalog *catalog)
{
	const char *name = csv_text(csv, "name"), *unit = csv_text(csv, "unit");
	struct pmu_event event;
	int rc = pmu_event_parse(name, catalog, &event);

	if (is_metric(name) && !csv_text(csv, "eventcode")[0])
		return rc == -EINVAL;
	if (rc) {
		diag("%s", pmu_error_text());
		return false;
	}
	return event.slot.config == config_of(csv, &catalog->id) && !event.slot.config1 &&
	       event.slot.kind == (unit[0] ? PMU_SLOT_UNCORE : PMU_SLOT_CORE) &&
	       event.slot.type == (unit[0] ? PMU_TYPE_NONE : PERF_TYPE_RAW) &&
	       !strcmp(event.slot.pmu, pmu_of(unit)) &&
	       /* a column's name has its limit */
	       !strncmp(event.name, name, strcspn(event.name, "~"));
}

/* @json: Linux's files, which are asked instead of the tables; NULL none */
static void compare_linux(const char *folder, const char *file, const struct pmu_cpu_id *id,
			  const char *json, unsigned int *rows, unsigned int *wrong)
{
	struct pmu_catalog catalog = { .id = *id,
				       .model = pmu_cpu_model_find(id),
				       .event_files = json };
	struct csv csv;

	for (bool more = csv_open(&csv, folder, file) && csv_next(&csv); more;
	     more = csv_next(&csv)) {
		++*rows;
		if (is_as_written(&csv, &catalog))
			continue;
		++*wrong;
		diag("%s: %s is another", file, csv_text(&csv, "name"));
	}
	pmu_catalog_close(&catalog);
}

/* One more line of a map, "0x00000000410fd020,v1,arm/cortex-a34,core". */
static bool next_row(FILE *map, char *line, size_t size, char **file)
{
	while (fgets(line, (int)size, map)) {
		char *rest = line;

		strsep(&rest, ",");
		strsep(&rest, ",");
		*file = strsep(&rest, ",");
		if (!*file || (strncmp(line, "0x", 2) != 0 && strncmp(line, "Auth", 4) != 0))
			continue;
		for (char *at = *file; *at; at++)
			*at = *at == '/' ? '-' : *at;
		return true;
	}
	return false;
}

/* @least: rows of all its files */
static void every_event_of_linux(const char *arch, unsigned int least)
{
	const char *top = getenv("TEST_EVENTS_LINUX"), *source = getenv("TEST_SRCDIR");
	char folder[512], path[600], line[512], seen[4096] = ",", key[100], *file;
	unsigned int rows = 0, wrong = 0, again = 0, *counted;
	FILE *map;

	snprintf(folder, sizeof(folder), "%s%s/%s",
		 top      ? top
		 : source ? source
			  : ".",
		 top ? "" : "/../shared/facts/events", arch);
	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	map = fopen(path, "r");
	if (!map) {
		skip("events from elsewhere", "there is no %s", path);
		return;
	}
	while (next_row(map, line, sizeof(line), &file)) {
		struct pmu_cpu_id id = { .family = 0 };
		size_t n = 0;

		if (!ok(!strcmp(arch, "amd") ? next_amd(file, &n, &id) : cpu_of_pattern(line, &id),
			"%s is understood", line))
			continue;
		/* several processors share a file: its rows are counted once */
		snprintf(key, sizeof(key), ",%s,", file);
		counted = strstr(seen, key) ? &again : &rows;
		if (counted == &rows)
			strcat(seen, key + 1);
		do {
			compare_linux(folder, file, &id, NULL, counted, &wrong);
			counted = &again;
		} while (!strcmp(arch, "amd") && next_amd(file, &n, &id));
	}
	fclose(map);
	ok(rows >= least && !wrong, "%s: %u events by their names, %u wrong", arch, rows, wrong);
}

/* The same by Linux's own files, as far as they are there. */
static void every_event_by_json(const char *arch, const char *linux_arch, const char *dir,
				const struct pmu_cpu_id *id)
{
	const char *source = getenv("TEST_SRCDIR");
	char json[512], folder[600], file[80];
	unsigned int rows = 0, wrong = 0;

	snprintf(json, sizeof(json), "%s/../shared/facts/kernel-events/6.12",
		 source ? source : ".");
	snprintf(folder, sizeof(folder), "%s/arch/%s/%s", json, linux_arch, dir);
	if (access(folder, R_OK)) {
		skip("events of files", "there is no %s", folder);
		return;
	}
	snprintf(file, sizeof(file), "%s", dir);
	for (char *at = file; *at; at++)
		*at = *at == '/' ? '-' : *at;
	snprintf(folder, sizeof(folder), "%s/../shared/facts/events/%s", source ? source : ".",
		 arch);
	compare_linux(folder, file, id, json, &rows, &wrong);
	ok(rows && !wrong, "%s: %u events by Linux's files, %u wrong", dir, rows, wrong);
}

static void events_of_files_are_the_same(void)
{
	struct pmu_cpu_id zen4 = { .vendor = "AuthenticAMD", .family = 0x19, .model = 0x11 };
	struct pmu_cpu_id zen5 = { .vendor = "AuthenticAMD", .family = 0x1a, .model = 0x02 };
	struct pmu_cpu_id u74 = { .vendor = "RISC-V",
				  .family = 0x489,
				  .march = UINT64_C(0x8000000000000007) };
	struct pmu_cpu_id c900 = { .vendor = "RISC-V", .family = 0x5b7 };
	struct pmu_cpu_id id;

	every_event_by_json("amd", "x86", "amdzen4", &zen4);
	every_event_by_json("amd", "x86", "amdzen5", &zen5);
	pmu_cpu_midr(0x413fd0c1, &id);
	every_event_by_json("arm64", "arm64", "arm/neoverse-n1", &id);
	pmu_cpu_midr(0x411fd401, &id);
	every_event_by_json("arm64", "arm64", "arm/neoverse-v1", &id);
	pmu_cpu_midr(0x410fd4f0, &id);
	every_event_by_json("arm64", "arm64", "arm/neoverse-n2-v2", &id);
	pmu_cpu_midr(0xc00fac30, &id);
	every_event_by_json("arm64", "arm64", "ampere/ampereone", &id);
	every_event_by_json("riscv", "riscv", "sifive/u74", &u74);
	every_event_by_json("riscv", "riscv", "thead/c900-legacy", &c900);
}

static void every_event_is_there(void)
{
	const char *folder = getenv("TEST_EVENTS"), *top = getenv("TEST_SRCDIR");
	unsigned int rows = 0, wrong = 0, named = 0, wrong_named = 0;
	char beside[512], seen[8192] = ",", file[80];
	struct csv map;

	snprintf(beside, sizeof(beside), "%s/../shared/facts/events/intel", top ? top : ".");
	if (!folder)
		folder = beside;
	if (!csv_open(&map, folder, "models")) {
		skip("events from elsewhere", "there is no %s", folder);
		return;
	}
	while (csv_next(&map)) {
		snprintf(file, sizeof(file), ",%s,", csv_text(&map, "file"));
		if (strstr(seen, file))
			continue;
		strcat(seen, file + 1);
		compare_table(folder, csv_text(&map, "file"), &rows, &wrong);
		/* Arrow Lake-H: its low-power cores look like its other E cores */
		if (!strstr(file, "_uncore") && !strstr(file, "arrowlake_crestmont"))
			by_name(folder, &map, &named, &wrong_named);
	}
	ok(rows > 27000 && !wrong, "%u events as they are elsewhere, %u wrong", rows, wrong);
	ok(named > 18000 && !wrong_named, "%u events of cores by their names, %u wrong", named,
	   wrong_named);
}

int main(void)
{
	a_table_stands_upon_another();
	what_a_text_may_mean_is_read_alone();
	what_is_wrong_is_named();
	every_table_can_be_read();
	names_mean_what_intel_says();
	what_is_near_is_named();
	every_event_is_there();
	every_event_of_linux("amd", 1534);
	every_event_of_linux("arm64", 2782);
	every_event_of_linux("riscv", 250);
	events_of_files_are_the_same();
	return done_testing();
}
