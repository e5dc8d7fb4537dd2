/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every event outside the cores of the tables, against the formats of the kernel's PMUs: all that
 * an event says is in its PMU's fields, or it is refused with a reason.
 *
 * The trees are made here of what Linux has (arch/x86/events/intel/uncore_snb.c, uncore_snbep.c,
 * 6.12): names of PMUs and their formats.
 */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/perf/why.h"
#include "names/sysfs/format.h"
#include "names/tables/table.h"
#include "names/vendor/map.h"
#include "names/vendor/slot.h"
#include "names/vendor/vendor.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "unit/part.h"

/* --- the kernel's PMUs --- */

#define HEAD "event=config:0-7 umask=config:8-15 edge=config:18 inv=config:23 "
/* without an inversion */
#define PLAIN  "event=config:0-7 umask=config:8-15 edge=config:18 "
#define EIGHT  "thresh=config:24-31 "
#define COMMON HEAD EIGHT
#define UBOX   HEAD "thresh=config:24-28 "
#define BANDS                                                                      \
	"occ_invert=config:30 filter_band0=config1:0-7 filter_band1=config1:8-15 " \
	"filter_band2=config1:16-23 filter_band3=config1:24-31 "
#define PCU                                                                   \
	"event=config:0-7 occ_sel=config:14-15 edge=config:18 inv=config:23 " \
	"thresh=config:24-28 occ_edge=config:14-51 " BANDS
#define QPI                                                                         \
	"event=config:0-7,21 umask=config:8-15 edge=config:18 thresh=config:24-31 " \
	"match0=config1:0-31 match1=config1:32-63 mask0=config2:0-31 mask1=config2:32-63 "
#define IVT_CBOX                                                                          \
	PLAIN EIGHT "tid_en=config:19 filter_tid=config1:0-4 filter_link=config1:5-8 "    \
		    "filter_state=config1:17-22 filter_nid=config1:32-47 "                \
		    "filter_opc=config1:52-60 filter_c6=config1:61 filter_nc=config1:62 " \
		    "filter_isoc=config1:63 "
#define HSX_CBOX                                                                          \
	PLAIN EIGHT "tid_en=config:19 filter_tid=config1:0-5 filter_link=config1:6-8 "    \
		    "filter_state=config1:17-23 filter_nid=config1:32-47 "                \
		    "filter_opc=config1:52-60 filter_c6=config1:61 filter_nc=config1:62 " \
		    "filter_isoc=config1:63 "
#define MASK(bits) "event=config:0-7 umask=config:8-15," bits " edge=config:18 inv=config:23 "
#define IIO(ports, flows) \
	HEAD "thresh=config:24-35 ch_mask=config:" ports " fc_mask=config:" flows " "
#define SPR    MASK("32-55") EIGHT
#define CLIENT HEAD "cmask=config:24-28 "

struct made_pmu {
	const char *name, *formats;
};

static const struct tree {
	const char *tables; /* with blanks between */
	struct made_pmu pmu[20];
} trees[] = {
	{ "jaketown",
	  { { "uncore_cbox", COMMON "tid_en=config:19 filter_tid=config1:0-4 "
				    "filter_nid=config1:10-17 filter_state=config1:18-22 "
				    "filter_opc=config1:23-31 " },
	    { "uncore_ubox", UBOX },
	    { "uncore_pcu", PCU },
	    { "uncore_ha", COMMON },
	    { "uncore_imc", COMMON },
	    { "uncore_qpi", QPI "inv=config:23 " },
	    { "uncore_r2pcie", COMMON },
	    { "uncore_r3qpi", COMMON } } },
	{ "ivytown",
	  { { "uncore_cbox", IVT_CBOX },
	    { "uncore_ubox", UBOX },
	    { "uncore_pcu", "event=config:0-7 occ_sel=config:14-15 edge=config:18 "
			    "thresh=config:24-28 occ_edge=config:14-51 " BANDS },
	    { "uncore_ha", COMMON },
	    { "uncore_imc", COMMON },
	    { "uncore_irp", COMMON },
	    { "uncore_qpi", QPI },
	    { "uncore_r2pcie", COMMON },
	    { "uncore_r3qpi", COMMON } } },
	{ "haswellx broadwellx broadwellde",
	  { { "uncore_cbox", HSX_CBOX },
	    { "uncore_ubox", UBOX "filter_tid=config1:0 filter_cid=config1:5 " },
	    { "uncore_sbox", COMMON "tid_en=config:19 " },
	    { "uncore_pcu", PCU },
	    { "uncore_ha", COMMON },
	    { "uncore_imc", COMMON },
	    { "uncore_irp", COMMON },
	    { "uncore_qpi", QPI "inv=config:23 " },
	    { "uncore_r2pcie", COMMON },
	    { "uncore_r3qpi", COMMON } } },
	{ "knightslanding",
	  { { "uncore_cha", COMMON "qor=config:16 tid_en=config:19 filter_tid=config1:0-8 "
				   "filter_link=config1:12 filter_state=config1:18-20 "
				   "filter_local=config1:33 filter_all_op=config1:35 "
				   "filter_nnm=config1:37 filter_opc=config1:41-60 "
				   "filter_nc=config1:62 filter_isoc=config1:63 " },
	    { "uncore_imc_uclk", COMMON },
	    { "uncore_imc", COMMON },
	    { "uncore_edc_uclk", COMMON },
	    { "uncore_edc_eclk", COMMON },
	    { "uncore_m2pcie", COMMON } } },
	{ "skylakex cascadelakex",
	  { { "uncore_cha", COMMON "tid_en=config:19 filter_tid=config1:0-8 "
				   "filter_state=config1:17-26 filter_rem=config1:32 "
				   "filter_loc=config1:33 filter_all_op=config1:35 "
				   "filter_nm=config1:36 filter_not_nm=config1:37 "
				   "filter_opc0=config1:41-50 filter_opc1=config1:51-60 "
				   "filter_nc=config1:62 filter_isoc=config1:63 " },
	    { "uncore_ubox", UBOX },
	    { "uncore_iio", IIO("36-43", "44-46") },
	    { "uncore_irp", COMMON },
	    { "uncore_pcu", COMMON BANDS },
	    { "uncore_imc", COMMON },
	    { "uncore_upi", "event=config:0-7 umask=config:8-15,32-43,45-55 edge=config:18 "
			    "inv=config:23 thresh=config:24-31 " },
	    { "uncore_m2m", COMMON },
	    { "uncore_m3upi", COMMON } } },
	{ "snowridgex icelakex",
	  { { "uncore_cha", MASK("32-57") EIGHT "tid_en=config:19 filter_tid=config1:0-9 " },
	    { "uncore_ubox", UBOX },
	    { "uncore_iio", IIO("36-47", "48-50") },
	    { "uncore_irp", COMMON },
	    { "uncore_m2pcie", COMMON },
	    { "uncore_pcu", COMMON BANDS },
	    { "uncore_imc", COMMON },
	    { "uncore_m2m", MASK("32-39") EIGHT },
	    { "uncore_upi", SPR },
	    { "uncore_m3upi", COMMON } } },
	{ "sapphirerapids emeraldrapids",
	  { { "uncore_cha", SPR "tid_en=config:16 filter_tid=config1:0-9 " },
	    { "uncore_ubox", COMMON },
	    { "uncore_iio", IIO("36-47", "48-50") },
	    { "uncore_irp", SPR },
	    { "uncore_m2pcie", SPR },
	    { "uncore_pcu", COMMON },
	    { "uncore_imc", SPR },
	    { "uncore_m2m", SPR },
	    { "uncore_upi", SPR },
	    { "uncore_m3upi", SPR },
	    { "uncore_mdf", SPR },
	    { "uncore_cxlcm", SPR },
	    { "uncore_cxldp", SPR },
	    { "uncore_hbm", SPR } } },
	{ "graniterapids sierraforest grandridge clearwaterforest",
	  { { "uncore_cha", MASK("32-63") EIGHT "tid_en=config:16 filter_tid=config1:0-9 " },
	    { "uncore_ubox", COMMON },
	    { "uncore_iio", IIO("36-47", "48-50") },
	    { "uncore_irp", SPR },
	    { "uncore_pcu", COMMON },
	    { "uncore_imc", SPR },
	    { "uncore_upi", SPR },
	    { "uncore_mdf_sbo", COMMON },
	    { "uncore_cxlcm", SPR },
	    { "uncore_cxldp", SPR },
	    { "uncore_b2cmi", SPR },
	    { "uncore_b2cxl", SPR },
	    { "uncore_b2hot", COMMON },
	    { "uncore_b2upi", SPR } } },
	{ "sandybridge ivybridge haswell broadwell skylake icelake rocketlake tigerlake",
	  { { "uncore_cbox", CLIENT },
	    { "uncore_arb", CLIENT },
	    { "uncore_clock", "event=config:0-7 " } } },
	{ "alderlake",
	  { { "uncore_cbox", HEAD "threshold=config:24-29 " },
	    { "uncore_arb", HEAD "threshold=config:24-29 " },
	    { "uncore_clock", "event=config:0-7 " },
	    { "uncore_imc", "event=config:0-7 chmask=config:8-11 edge=config:18 " } } },
	{ "meteorlake arrowlake lunarlake pantherlake novalake",
	  { { "uncore_cbox", HEAD "threshold=config:24-29 " },
	    { "uncore_hac_arb", HEAD "threshold=config:24-29 " },
	    { "uncore_arb", HEAD "threshold=config:24-29 " },
	    { "uncore_hac_cbox", HEAD "threshold=config:24-29 " },
	    { "uncore_cncu", "event=config:0-7 " },
	    { "uncore_sncu", "event=config:0-7 " },
	    { "uncore_imc", "event=config:0-7 chmask=config:8-11 edge=config:18 " } } },
};

/*
 * PMUs that Linux does not have: of CHACMS and M2HBM it has them by number alone, and Jaketown's
 * IRP not at all.  Which of Meteor Lake's two clocks is meant by NCU is not said.
 */
static struct {
	const char *pmu;
	bool seen;
} none[] = {
	{ "jaketown uncore_irp", false },
	{ "sapphirerapids uncore_m2hbm", false },
	{ "emeraldrapids uncore_m2hbm", false },
	{ "graniterapids uncore_chacms", false },
	{ "sierraforest uncore_chacms", false },
	{ "grandridge uncore_chacms", false },
	{ "clearwaterforest uncore_chacms", false },
	{ "meteorlake uncore_clock", false },
	{ "arrowlake uncore_clock", false },
	{ "lunarlake uncore_santa", false },
	{ "pantherlake uncore_santa", false },
};

/* --- trees --- */

static char folder[] = "/tmp/pmu-uncore-XXXXXX";

static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

static void put(const char *pmu, const char *name, const char *text, size_t len)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s_0/%s", folder, pmu, name);
	file = fopen(path, "w");
	if (!file)
		bail_out("no file in a folder of our own");
	fprintf(file, "%.*s\n", (int)len, text);
	fclose(file);
}

static void make_pmu(const struct made_pmu *pmu)
{
	char path[256], name[64];

	snprintf(path, sizeof(path), "%s/%s_0", folder, pmu->name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s_0/format", folder, pmu->name);
	mkdir(path, 0755);
	put(pmu->name, "type", "30", 2);
	put(pmu->name, "cpumask", "0", 1);
	for (const char *at = pmu->formats; *at;) {
		size_t word = strcspn(at, " "), before = strcspn(at, "=");

		snprintf(name, sizeof(name), "format/%.*s", (int)before, at);
		put(pmu->name, name, at + before + 1, word - before - 1);
		at += word + 1;
	}
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	return ftw->level ? remove(path) : 0;
}

static void make_tree(const struct tree *tree)
{
	nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
	for (const struct made_pmu *pmu = tree->pmu; pmu->name; pmu++)
		make_pmu(pmu);
}

static bool is_among(const char *word, const char *list)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static const struct tree *tree_of(const char *table)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		if (is_among(table, trees[i].tables))
			return &trees[i];
	return NULL;
}

static const struct made_pmu *pmu_of(const struct tree *tree, const char *name)
{
	for (const struct made_pmu *pmu = tree->pmu; pmu->name; pmu++)
		if (!strcmp(pmu->name, name))
			return pmu;
	return NULL;
}

/* --- an event against its fields --- */

/* What a term of the PMU's says of a slot; 0 where it has no such term. */
static uint64_t field(const struct made_pmu *pmu, const char *term, const struct pmu_slot *slot)
{
	size_t len = strlen(term);
	struct pmu_sysfs_format format;
	uint64_t word, value = 0;
	char text[64];
	int n = 0;

	for (const char *at = pmu->formats; *at; at += strcspn(at, " ") + 1) {
		if (strncmp(at, term, len) != 0 || at[len] != '=')
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(strcspn(at, " ") - len - 1),
			 at + len + 1);
		if (pmu_sysfs_format_parse(text, &format))
			return UINT64_MAX;
		word = format.config ? slot->config1 : slot->config;
		for (uint64_t bits = format.bits; bits; bits &= bits - 1, n++)
			value |= (uint64_t)((word & bits & -bits) != 0) << n;
		return value;
	}
	return 0;
}

/* The upper mask of the integrated I/O's is its two masks. */
static bool same_masks(const struct pmu_vendor_entry *e, const struct made_pmu *pmu,
		       const struct pmu_slot *slot)
{
	uint64_t umask = field(pmu, "umask", slot) | field(pmu, "occ_sel", slot) << 6 |
			 field(pmu, "chmask", slot);

	if (!strcmp(e->unit, "IIO"))
		return umask == e->umask && field(pmu, "ch_mask", slot) == e->port_mask &&
		       field(pmu, "fc_mask", slot) == e->fc_mask;
	return umask == (e->umask | e->umask_ext << 8) && !e->port_mask && !e->fc_mask;
}

static bool says_all(const struct pmu_vendor_entry *e, const struct made_pmu *pmu,
		     const struct pmu_slot *slot)
{
	uint64_t event = field(pmu, "event", slot) | field(pmu, "use_occ_ctr", slot) << 7;
	uint64_t threshold = field(pmu, "thresh", slot) | field(pmu, "threshold", slot) |
			     field(pmu, "cmask", slot);

	if (e->fixed_uncore)
		return slot->config == 0xff && event == 0xff;
	return event == (e->code | e->ext_sel << 8) && same_masks(e, pmu, slot) &&
	       field(pmu, "edge", slot) == e->edge && field(pmu, "inv", slot) == e->invert &&
	       threshold == e->cmask && slot->config1 == e->filter_value << 32;
}

/* --- all of them --- */

enum outcome { SAYS_ALL, OPEN_FILTER, FREE_RUNNING, NO_PLACE, NO_PMU, WRONG, OUTCOMES };

static unsigned int total[OUTCOMES];

static bool is_none(const char *table, const char *pmu)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %s", table, pmu);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!strcmp(none[i].pmu, text))
			return none[i].seen = true;
	return false;
}

/* -ENOTSUP with a reason; what else is refused is wrong */
static enum outcome refused(int rc)
{
	if (rc == -ENOTSUP && strstr(pmu_error_text(), "counts by itself"))
		return FREE_RUNNING;
	if (rc == -ENOTSUP && strstr(pmu_error_text(), "has no place for its"))
		return NO_PLACE;
	diag("%s", pmu_error_text());
	return WRONG;
}

static enum outcome look_at(const struct pmu_vendor_files *files, const struct tree *tree,
			    const char *table, const struct pmu_vendor_entry *e)
{
	struct pmu_slot slot = { .core_types = 0 };
	struct pmu_vendor_event about;
	const struct made_pmu *pmu;
	int rc;

	pmu_error_clear();
	rc = pmu_vendor_find(files, e->name, &slot, &about);
	if (!rc && about.open_filter)
		return OPEN_FILTER;
	if (!rc)
		rc = pmu_intel_uncore_check(folder, e->name, &slot);
	if (rc)
		return refused(rc);
	pmu = pmu_of(tree, slot.pmu);
	if (!pmu && is_none(table, slot.pmu))
		return NO_PMU;
	if (pmu && says_all(e, pmu, &slot))
		return SAYS_ALL;
	diag("%s: %s of %s becomes %s/config=0x%llx,config1=0x%llx/", table, e->name, e->unit,
	     slot.pmu, (unsigned long long)slot.config, (unsigned long long)slot.config1);
	return WRONG;
}

static int one_row(void *arg, const struct pmu_vendor_map_row *row)
{
	char *table = arg;

	if (!strncmp(row->type, "uncore", 6) && !table[0])
		snprintf(table, 64, "%.*s", (int)strcspn(row->file, "_"), row->file);
	return 0;
}

/* The events of one processor's table. */
static void look_at_table(const struct pmu_cpu_id *id, const char *table)
{
	struct pmu_vendor_file file = { .n = 0 };
	struct pmu_vendor_files *files = NULL;
	const struct tree *tree = tree_of(table);
	unsigned int wrong = total[WRONG];
	char name[80];

	snprintf(name, sizeof(name), "%s_uncore", table);
	if (!tree || pmu_table_read(name, pmu_table_find, NULL, 0, &file) ||
	    pmu_vendor_open_tables(id, NULL, &files)) {
		ok(false, "%s has a tree and a table", table);
		return;
	}
	make_tree(tree);
	for (uint32_t i = 0; i < file.n; i++)
		total[look_at(files, tree, table, &file.entry[i])]++;
	ok(file.n && total[WRONG] == wrong, "%u events of %s", file.n, table);
	pmu_vendor_close(files);
	pmu_vendor_file_free(&file);
}

/* "GenuineIntel-6-55-[01234]": the first of the steppings */
static bool first_cpu(const char *line, struct pmu_cpu_id *id)
{
	char stepping[2] = "0";

	*id = (struct pmu_cpu_id){ .vendor = "GenuineIntel" };
	if (sscanf(line, "GenuineIntel-%u-%x-[%1[0-9A-F]", &id->family, &id->model, stepping) < 2)
		return false;
	id->stepping = (uint32_t)strtoul(stepping, NULL, 16);
	return true;
}

static void every_event_is_in_its_fields_or_refused(void)
{
	char seen[2048] = " ", table[64], word[72];
	struct pmu_table map;
	struct pmu_cpu_id id;

	if (!pmu_table_find("intel/mapfile", &map))
		bail_out("no map of tables");
	for (const char *at = map.text, *end = map.text + map.len; at && at < end;
	     at = memchr(at, '\n', (size_t)(end - at)), at = at ? at + 1 : NULL) {
		table[0] = '\0';
		if (!first_cpu(at, &id) ||
		    pmu_vendor_map_parse("mapfile.csv", map.text, map.len, &id, one_row, table) <
			    0 ||
		    !table[0])
			continue;
		snprintf(word, sizeof(word), " %s ", table);
		if (strstr(seen, word))
			continue;
		strcat(seen, word + 1);
		look_at_table(&id, table);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ok(none[i].seen, "%s is asked for", none[i].pmu);
	ok(total[SAYS_ALL] > 8000 && !total[WRONG],
	   "%u events are in their fields, %u wait for a filter, %u count by themselves, %u have no "
	   "place, %u no PMU, %u are wrong",
	   total[SAYS_ALL], total[OPEN_FILTER], total[FREE_RUNNING], total[NO_PLACE], total[NO_PMU],
	   total[WRONG]);
}

/* --- by name --- */

static struct pmu_event event;

static int parse(const char *text, uint32_t model, const char *table)
{
	struct pmu_catalog catalog = {
		.id = { .vendor = "GenuineIntel", .family = 6, .model = model, .stepping = 4 },
		.sysfs = folder
	};
	int rc;

	make_tree(tree_of(table));
	catalog.model = pmu_cpu_model_find(&catalog.id);
	pmu_error_clear();
	rc = pmu_event_parse(text, &catalog, &event);
	pmu_catalog_close(&catalog);
	return rc;
}

static void what_the_format_lacks_is_refused(void)
{
	is_int(parse("UNC_M_CAS_COUNT.RD:c=255:i:e", 0x55, "skylakex"), 0, "all of a channel's");
	is_u64(event.slot.config, 0xff840304, "  in its places");
	is_int(parse("UNC_C_CLOCKTICKS:i", 0x3f, "haswellx"), -EINVAL, "no inversion");
	has(pmu_error_text(), "uncore_cbox has no place for its inversion", "  which is said");
	has(pmu_error_text(), "intel_uncore", "  with the module");
	is_int(parse("UNC_U_EVENT_MSG.DOORBELL_RCVD:c=32", 0x3f, "haswellx"), -EINVAL,
	       "a threshold of five bits");
	has(pmu_error_text(), "threshold (0x20000000)", "  which is said");
	is_int(parse("UNC_C_TOR_INSERTS.OPCODE:config1=0x1820000000000000", 0x3f, "haswellx"), 0,
	       "a filter in its place");
	is_u64(event.slot.config1, 0x1820000000000000, "  as it is given");
	is_int(parse("UNC_C_TOR_INSERTS.OPCODE:config1=0x1000000", 0x3f, "haswellx"), -EINVAL,
	       "one that is in none");
	has(pmu_error_text(), "filter (0x1000000)", "  which is said");
}

static void another_kernels_name_is_taken(void)
{
	is_int(parse("UNC_MDF_CLOCKTICKS", 0xad, "graniterapids"), 0, "Granite Rapids");
	is_str(event.slot.pmu, "uncore_mdf_sbo", "  as its kernel calls it");
}

static void what_the_kernel_lacks_names_the_module(void)
{
	struct pmu_cpu_id id = { .vendor = "GenuineIntel", .family = 6, .model = 0xad };
	struct pmu_probe probe = { .why = "" };
	char text[sizeof(probe.why) + sizeof(probe.mend) + 2];

	is_int(parse("UNC_CHACMS_CLOCKTICKS", 0xad, "graniterapids"), 0, "a PMU that Linux lacks");
	pmu_perf_explain_no_pmu_of(event.slot.pmu, &id, &probe);
	snprintf(text, sizeof(text), "%s; %s", probe.why, probe.mend);
	has(text, "no PMU called uncore_chacms", "  is refused where it is opened");
	has(text, "intel_uncore", "  with the module");
}

UNIT_PART(uncore)
{
	if (!mkdtemp(folder))
		bail_out("no folder");
	every_event_is_in_its_fields_or_refused();
	what_the_format_lacks_is_refused();
	another_kernels_name_is_taken();
	what_the_kernel_lacks_names_the_module();
	nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
	rmdir(folder);
	return done_testing();
}
