/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events as Intel, libpfm4, perf, LIKWID and AMD's manuals spell them. */
#include "names/spelling.h"

#include <ctype.h>

#include "base/error.h"
#include "names/pfm/pfm.h"
#include "names/vendor/vendor.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "tests/tap.h"

/* --- two names --- */

static void is_spelled(const char *a, const char *b, enum pmu_spelling want)
{
	if (!is_int(pmu_spelling_compare(a, b), want, a))
		diag("  and %s", b);
	is_int(pmu_spelling_compare(b, a), want, "  the other way round");
	if (want <= PMU_SPELLED_JOINED)
		ok(pmu_spelling_hash(a) == pmu_spelling_hash(b), "  of one hash");
}

static void names_are_compared_by_letters(void)
{
	is_spelled("UOPS_ISSUED.ANY", "uops_issued:any", PMU_SPELLED_SAME);
	is_spelled("UOPS_ISSUED.ANY", "UOPS_ISSUED_ANY", PMU_SPELLED_JOINED);
	is_spelled("ex_ret_instr", "ExRetInstr", PMU_SPELLED_JOINED);
	is_spelled("ls_misal_accesses", "LsMisalAccesses", PMU_SPELLED_JOINED);
	is_spelled("L2_RQSTS.DEMAND_DATA_RD_HIT", "L2_RQSTS:DMND_DATA_RD_HIT",
		   PMU_SPELLED_RESPELLED);
	is_spelled("OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_HIT.SNOOP_MISS",
		   "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT:SNP_MISS", PMU_SPELLED_RESPELLED);
	is_spelled("OFFCORE_RESPONSE_0.ANY", "OFFCORE_RESPONSE_1.ANY", PMU_SPELLED_OTHERWISE);
	is_spelled("UOPS_ISSUED.ANY", "UOPS_ISSUED.AN", PMU_SPELLED_OTHERWISE);
	is_spelled("DEMANDS", "DMNDS", PMU_SPELLED_OTHERWISE);
	is_spelled("", "A", PMU_SPELLED_OTHERWISE);
	is_spelled("._", "", PMU_SPELLED_JOINED);
}

static void what_a_text_may_be(void)
{
	ok(pmu_spelling_may_be("UOPS_ISSUED.ANY:c=1", "UOPS_ISSUED.ANY"), "with a modifier");
	ok(pmu_spelling_may_be("uops_issued_any", "UOPS_ISSUED.ANY"), "joined otherwise");
	ok(pmu_spelling_may_be("INST_RETIRED.ANY", "INST_RETIRED.ANY_P"), "the general twin");
	ok(!pmu_spelling_may_be("INST_RETIRED.ANY", "INST_RETIRED.ANY_PREC"), "not others");
	ok(!pmu_spelling_may_be("UOPS_ISSUED", "UOPS_ISSUED.ANY"), "nor more than was written");
}

/* --- every name of a processor --- */

enum spelling { LOWER, COLONS, UNDERSCORES, NOTHING, SPELLINGS };
static const char *const spelling_names[SPELLINGS] = { "lower case", "colons", "underscores",
						       "no joints" };

static void spell(enum spelling spelling, const char *name, char *out, size_t size)
{
	size_t len = 0;

	for (; *name && len + 1 < size; name++) {
		bool joint = *name == '.' || *name == ':' || *name == '_';

		if (spelling == NOTHING && joint)
			continue;
		out[len++] = spelling == LOWER                    ? (char)tolower(*name)
			     : spelling == COLONS && *name == '.' ? ':'
			     : spelling == UNDERSCORES && joint   ? '_'
								  : *name;
	}
	out[len] = '\0';
}

struct walk {
	struct pmu_catalog catalog;
	const struct pmu_vendor_files *files;
	unsigned int n, wrong[SPELLINGS], n_pfm, wrong_pfm;
};

/* "cpu_atom/NAME/" of a kind of cores */
static void say_cores(uint8_t core_type, const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s",
		 core_type == PMU_SLOT_P   ? "cpu_core/"
		 : core_type == PMU_SLOT_E ? "cpu_atom/"
					   : "",
		 name, core_type ? "/" : "");
}

static bool same(struct walk *walk, const char *a, const char *b)
{
	struct pmu_event of_a, of_b;
	int rc_a = pmu_event_parse(a, &walk->catalog, &of_a);
	int rc_b = pmu_event_parse(b, &walk->catalog, &of_b);

	if (rc_a == rc_b && (rc_a || (pmu_event_same_slot(&of_a.slot, &of_b.slot) &&
				      of_a.slot.counters == of_b.slot.counters)))
		return true;
	diag("%s is %d %llx, %s is %d %llx %s", a, rc_a, (unsigned long long)of_a.slot.config, b,
	     rc_b, (unsigned long long)of_b.slot.config, rc_a || rc_b ? pmu_error_text() : "");
	return false;
}

static void one_name(void *arg, const struct pmu_vendor_event *event)
{
	struct walk *walk = arg;
	char spelled[200], a[256], b[256];

	walk->n++;
	say_cores(event->core_type, event->name, a, sizeof(a));
	for (enum spelling i = 0; i < SPELLINGS; i++) {
		spell(i, event->name, spelled, sizeof(spelled));
		say_cores(event->core_type, spelled, b, sizeof(b));
		walk->wrong[i] += !same(walk, a, b);
	}
}

static void one_pfm(void *arg, const struct pmu_pfm_name *name)
{
	struct walk *walk = arg;
	char intel[256], pfm[300];

	snprintf(intel, sizeof(intel), "%s%s%s", name->event, name->umask[0] ? "." : "",
		 name->umask);
	if (!pmu_vendor_has(walk->files, intel))
		return;
	walk->n_pfm++;
	snprintf(pfm, sizeof(pfm), "%s::%s%s%s", name->table, name->event,
		 name->umask[0] ? ":" : "", name->umask);
	walk->wrong_pfm += !same(walk, intel, pfm);
}

static void names_of(uint32_t model, uint32_t stepping, const char *called)
{
	struct walk walk = { .catalog = { .id = { .vendor = "GenuineIntel",
						  .family = 6,
						  .model = model,
						  .stepping = stepping } } };
	struct pmu_vendor_files *files;

	walk.catalog.model = pmu_cpu_model_find(&walk.catalog.id);
	if (!is_int(pmu_vendor_open_tables(&walk.catalog.id, NULL, &files), 0, called))
		return;
	walk.files = files;
	pmu_vendor_each(files, one_name, &walk);
	for (enum spelling i = 0; i < SPELLINGS; i++)
		ok(walk.n > 100 && !walk.wrong[i], "%u names with %s, %u another event", walk.n,
		   spelling_names[i], walk.wrong[i]);
	if (!pmu_pfm_each(walk.catalog.model, one_pfm, &walk))
		ok(walk.n_pfm > 100 && !walk.wrong_pfm, "%u by libpfm4's names, %u another event",
		   walk.n_pfm, walk.wrong_pfm);
	pmu_vendor_close(files);
}

/* AMD PPR: ExRetInstr is PMCx0C0, LsMisalAccesses PMCx047, FpRetSseAvxOps PMCx003 */
static void names_of_amds_manuals_are_found(void)
{
	static const struct {
		const char *name;
		uint64_t config;
	} rows[] = {
		{ "ex_ret_instr", 0xc0 },
		{ "ExRetInstr", 0xc0 },
		{ "LsMisalAccesses", 0x47 },
		{ "ls_misal_accesses:c=1", 0x1000047 },
		{ "FpRetSseAvxOps_All", 0xff03 },
		{ "FP_RET_SSE_AVX_OPS_ALL", 0xff03 },
		{ "fp_ret_sse_avx_ops.all", 0xff03 },
		{ "RETIRED_SSE_AVX_FLOPS_ALL", 0xff03 }, /* LIKWID */
	};
	struct pmu_catalog zen2 = {
		.id = { .vendor = "AuthenticAMD", .family = 0x17, .model = 0x31 }
	};
	struct pmu_event event;

	zen2.model = pmu_cpu_model_find(&zen2.id);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		is_int(pmu_event_parse(rows[i].name, &zen2, &event), 0, rows[i].name);
		is_u64(event.slot.config, rows[i].config, "  its code");
	}
}

static void a_name_is_one_event_however_it_is_spelled(void)
{
	names_of(0x1a, 5, "Nehalem");
	names_of(0x3c, 3, "Haswell");
	names_of(0x55, 4, "Skylake-X");
	names_of(0x8f, 8, "Sapphire Rapids");
	names_of(0x97, 2, "Alder Lake");
	names_of(0xcc, 1, "Panther Lake");
}

/* --- libpfm4's own names --- */

static bool is_code(struct pmu_catalog *catalog, const char *text, uint64_t config)
{
	struct pmu_event event;
	int rc = pmu_event_parse(text, catalog, &event);

	return is_int(rc, 0, text) ? is_u64(event.slot.config, config, "  its code")
				   : (diag("%s", pmu_error_text()), false);
}

static void nothing(void *arg, const struct pmu_pfm_name *name)
{
	(void)arg;
	(void)name;
}

/* Intel's file has 04C4H where libpfm4 4.13 has 00C4H. */
static void short_names_of_libpfm4_are_the_tables(void)
{
	struct pmu_catalog nehalem = {
		.id = { .vendor = "GenuineIntel", .family = 6, .model = 0x1a, .stepping = 5 }
	};
	struct pmu_catalog zen2 = {
		.id = { .vendor = "AuthenticAMD", .family = 0x17, .model = 0x31 }
	};

	nehalem.model = pmu_cpu_model_find(&nehalem.id);
	zen2.model = pmu_cpu_model_find(&zen2.id);
	if (pmu_pfm_each(nehalem.model, nothing, NULL)) {
		diag("libpfm4 is not there: %s", pmu_error_text());
		return;
	}
	is_code(&nehalem, "BR_INST_RETIRED", 0x04c4);
	is_code(&nehalem, "nhm::BR_INST_RETIRED", 0x04c4);
	is_code(&nehalem, "br_inst_retired:c=1", 0x10004c4);
	is_code(&zen2, "RETIRED_SSE_AVX_FLOPS_ANY", 0xf03);
	is_code(&zen2, "RetiredSseAvxFlopsAny:c=1", 0x1000f03);
}

int main(void)
{
	names_are_compared_by_letters();
	what_a_text_may_be();
	a_name_is_one_event_however_it_is_spelled();
	names_of_amds_manuals_are_found();
	short_names_of_libpfm4_are_the_tables();
	return done_testing();
}
