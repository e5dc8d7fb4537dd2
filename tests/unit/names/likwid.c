/* SPDX-License-Identifier: BSD-3-Clause */
/* LIKWID's group files: what is read, what becomes one count, what is left out and why. */
#include "names/likwid/likwid.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "plan/formula.h"
#include "tests/unit/names/shown.h"
#include "unit/part.h"

#define TREES TEST_SRCDIR "/tests/data/sysfs/"
#define CORES                           \
	"FIXC0 INSTR_RETIRED_ANY\n"     \
	"FIXC1 CPU_CLK_UNHALTED_CORE\n" \
	"FIXC2 CPU_CLK_UNHALTED_REF\n"

static struct pmu_group group;

static struct pmu_catalog catalog_of(uint32_t model, uint32_t stepping, const char *sysfs)
{
	struct pmu_catalog catalog = { .id = { .vendor = "GenuineIntel",
					       .family = 6,
					       .model = model,
					       .stepping = stepping },
				       .sysfs = sysfs };

	catalog.model = pmu_cpu_model_find(&catalog.id);
	return catalog;
}

static int parse_on(const char *text, const char *sysfs)
{
	struct pmu_catalog catalog = catalog_of(0x55, 4, sysfs);
	int rc;

	pmu_error_clear();
	rc = pmu_likwid_parse(text, strlen(text), "x/T.txt", "T", &catalog, &group);
	pmu_catalog_close(&catalog);
	return rc;
}

/* Skylake, a server without what the kernel says of it */
static int parse(const char *text)
{
	return parse_on(text, "");
}

/* --- what is read --- */

static void reads_a_group(void)
{
	is_int(parse("SHORT  Cycles, made up\r\n"
		     "\n"
		     "# of cores\n"
		     "EVENTSET\n" CORES "PMC0  UOPS_ISSUED_ANY\n"
		     "PMC1:THRESHOLD=0x2:INVERT UOPS_ISSUED_ANY\t\n"
		     "\n\n"
		     "METRICS\n"
		     "Runtime (RDTSC) [s] time\n"
		     "Clock  speed [MHz] 1.E-06*(FIXC1/FIXC2)/inverseClock\n"
		     "Uops -(PMC0-PMC1:THRESHOLD=0x2:INVERT)/FIXC0+true\n"
		     "Most max(FIXC0,2*FIXC1)-false\n"
		     "\n"
		     "LONG\n"
		     "anything at all \001 time/\n"),
	       0, "a group");
	is_str(group.name, "likwid:T", "  its name");
	is_str(group.about, "Cycles, made up", "  what it is about");
	is_str(shown_events(&group),
	       "instructions cycles ref-cycles UOPS_ISSUED.ANY UOPS_ISSUED.ANY:c=2:i",
	       "  its events");
	is_str(shown_metrics(&group),
	       "Runtime (RDTSC) [s] = time; "
	       "Clock speed [MHz] = 1.E-06 * (\"cycles\" / \"ref-cycles\") / (1 / tsc_hz); "
	       "Uops [] = (-(\"UOPS_ISSUED.ANY\" - \"UOPS_ISSUED.ANY:c=2:i\") / \"instructions\") + "
	       "1; "
	       "Most [] = max(\"instructions\", 2 * \"cycles\") - 0",
	       "  its metrics, over the columns");
	is_str(group.note, "", "  and nothing is missing");
	ok(group.whole, "  and nothing may be, where all is required");
}

static void energy_is_in_joules(void)
{
	is_int(parse("EVENTSET\nPWR0 PWR_PKG_ENERGY\nPWR3 PWR_DRAM_ENERGY\n\n"
		     "METRICS\nEnergy [J] PWR0\nPower [W] (PWR0+PWR3)/time\n"),
	       0, "energy");
	is_str(shown_events(&group), "energy-pkg? energy-ram?", "  which a machine may lack");
	is_str(shown_metrics(&group),
	       "Energy [J] = (\"energy-pkg\" / 1e+06); "
	       "Power [W] = ((\"energy-pkg\" / 1e+06) + (\"energy-ram\" / 1e+06)) / time",
	       "  ours is microjoules");
}

static void edges_have_a_threshold(void)
{
	is_int(parse("EVENTSET\nPMC0:EDGEDETECT ARITH_DIVIDER_ACTIVE\n"
		     "PMC1:EDGEDETECT:KERNEL UOPS_ISSUED_STALL_CYCLES\n"
		     "PMC2:edgedetect:threshold=a UOPS_ISSUED_ANY\n"),
	       0, "options of a counter");
	is_str(shown_events(&group),
	       "ARITH.DIVIDER_ACTIVE:e UOPS_ISSUED.STALL_CYCLES:e:uk "
	       "UOPS_ISSUED.ANY:c=10:e",
	       "  1 where none is said");
	is_int(parse("EVENTSET\nPMC0 UOPS_ISSUED_ANY\n"
		     "PMC1:EDGEDETECT IDQ_UOPS_NOT_DELIVERED_CYCLES_LE_1_UOP_DELIV_CORE\n"),
	       0, "an event with a threshold of its own");
	has(group.note, "which has a threshold of 3 by itself", "  is left out");
}

static void counters_without_their_options_are_found(void)
{
	is_int(parse("EVENTSET\nPMC0:INVERT:THRESHOLD=1 UOPS_ISSUED_ANY\nPMC1 UOPS_ISSUED_ANY\n\n"
		     "METRICS\na PMC0/PMC1\nb PMC1/PMC0:INVERT:THRESHOLD=1\nc PMC1:EDGEDETECT\n"),
	       0, "a counter with options");
	is_str(shown_metrics(&group),
	       "a [] = \"UOPS_ISSUED.ANY:c=1:i\" / \"UOPS_ISSUED.ANY\"; "
	       "b [] = \"UOPS_ISSUED.ANY\" / \"UOPS_ISSUED.ANY:c=1:i\"",
	       "  may be named with and without");
	has(group.note, "x/T.txt:8: options that no counter of the EVENTSET has",
	    "  but not with others");
}

static void names_of_likwids_own_are_known(void)
{
	static const char cbox[] = "EVENTSET\nCBOX0C0:STATE=0x21 LLC_LOOKUP_ANY\n"
				   "CBOX1C0:STATE=21 LLC_LOOKUP_ANY\n";
	struct pmu_catalog haswell = catalog_of(0x3f, 2, "");

	is_int(parse("EVENTSET\nPMC0 UOPS_ISSUED_USED_CYCLES\n"
		     "PMC1 DTLB_LOAD_MISSES_CAUSES_A_WALK\n"),
	       0, "names that are no processor's");
	is_str(shown_events(&group), "UOPS_ISSUED.ANY:c=1 DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK",
	       "  are what they count");
	is_int(pmu_likwid_parse(cbox, strlen(cbox), "x", "T", &haswell, &group), 0, "states");
	is_str(shown_events(&group), "UNC_C_LLC_LOOKUP.ANY:config1=0x420000?", "  in every slice");
	is_u64(group.event[0].slot.config1, 0x21 << 17, "  are the filter's");
	pmu_catalog_close(&haswell);
}

/* --- boxes --- */

#define THREE                    \
	"MBOX0C0 CAS_COUNT_RD\n" \
	"MBOX1C0 CAS_COUNT_RD\n" \
	"MBOX2C0 CAS_COUNT_RD\n"
#define SIX                            \
	THREE "MBOX3C0 CAS_COUNT_RD\n" \
	      "MBOX4C0 CAS_COUNT_RD\n" \
	      "MBOX5C0 CAS_COUNT_RD\n"
#define SUM_OF_SIX "MBOX0C0+MBOX1C0+MBOX2C0+MBOX3C0+MBOX4C0+MBOX5C0"

static void sums_over_boxes_are_one_count(void)
{
	is_int(parse_on("EVENTSET\n" SIX "MBOX0C1 CAS_COUNT_WR\nMBOX1C1 CAS_COUNT_WR\n"
			"MBOX2C1 CAS_COUNT_WR\nMBOX3C1 CAS_COUNT_WR\nMBOX4C1 CAS_COUNT_WR\n"
			"MBOX5C1 CAS_COUNT_WR\n\n"
			"METRICS\n"
			"Read [GB] 1E-9*(" SUM_OF_SIX ")*64\n"
			"Both [GB] 1E-9*(" SUM_OF_SIX
			"+MBOX0C1+MBOX1C1+MBOX2C1+MBOX3C1+MBOX4C1+MBOX5C1)*64\n"
			"Less [] (" SUM_OF_SIX
			")-MBOX0C1-MBOX1C1-MBOX2C1-MBOX3C1-MBOX4C1-MBOX5C1\n",
			TREES "skylake-server"),
	       0, "two counts of six channels");
	is_str(shown_events(&group), "UNC_M_CAS_COUNT.RD? UNC_M_CAS_COUNT.WR?", "  are two");
	is_str(group.event[0].slot.pmu, "uncore_imc", "  of all boxes");
	is_str(shown_metrics(&group),
	       "Read [GB] = 1E-9 * \"UNC_M_CAS_COUNT.RD\" * 64; "
	       "Both [GB] = 1E-9 * (\"UNC_M_CAS_COUNT.RD\" + \"UNC_M_CAS_COUNT.WR\") * 64; "
	       "Less [] = \"UNC_M_CAS_COUNT.RD\" - \"UNC_M_CAS_COUNT.WR\"",
	       "  in formulas, too");
}

static void boxes_that_the_machine_lacks_add_nothing(void)
{
	is_int(parse_on("EVENTSET\n" SIX "MBOX6C0 CAS_COUNT_RD\nMBOX7C0 CAS_COUNT_RD\n\n"
			"METRICS\nRead [B] (" SUM_OF_SIX "+MBOX6C0+MBOX7C0)*64\nTwice (" SUM_OF_SIX
			")/(MBOX7C0+" SUM_OF_SIX ")\n",
			TREES "skylake-server"),
	       0, "eight channels of six");
	is_str(shown_metrics(&group),
	       "Read [B] = \"UNC_M_CAS_COUNT.RD\" * 64; "
	       "Twice [] = \"UNC_M_CAS_COUNT.RD\" / \"UNC_M_CAS_COUNT.RD\"",
	       "  are the six");
}

static void boxes_apart_are_counts_of_their_own(void)
{
	is_int(parse_on("EVENTSET\n" THREE "\nMETRICS\nRead [B] (MBOX0C0+MBOX1C0+MBOX2C0)*64\n",
			TREES "skylake-server"),
	       0, "three channels of six");
	is_str(shown_events(&group),
	       "uncore_imc_0/UNC_M_CAS_COUNT.RD/? uncore_imc_1/UNC_M_CAS_COUNT.RD/? "
	       "uncore_imc_2/UNC_M_CAS_COUNT.RD/?",
	       "  are not all");
	is_str(group.event[2].slot.pmu, "uncore_imc_2", "  and each is a box");
	is_int(parse_on("EVENTSET\n" SIX "MBOX6C0 CAS_COUNT_RD\n\nMETRICS\nRead [B] " SUM_OF_SIX
			"\nFirst MBOX0C0/(" SUM_OF_SIX ")\nNone MBOX6C0/MBOX0C0\n",
			TREES "skylake-server"),
	       0, "one of them by itself");
	is_int((int)group.n_events, 6, "  tells them apart");
	has(shown_metrics(&group),
	    "First [] = \"uncore_imc_0/UNC_M_CAS_COUNT.RD/\" / (\"uncore_imc_0/",
	    "  in each formula");
	ok(!strstr(shown_metrics(&group), "None"),
	   "  and what needs a box that is not there is left out");
	has(group.note, "likwid:T without None: x/T.txt:13: ", "  and named");
}

static void of_a_machine_not_known_two_boxes_are_all(void)
{
	is_int(parse("EVENTSET\n" THREE "CBOX0C0 CLOCKTICKS\n\nMETRICS\n"
		     "Read [B] MBOX0C0+MBOX1C0+MBOX2C0\nClock [Hz] CBOX0C0/time\n"),
	       0, "without sysfs");
	is_str(shown_events(&group), "UNC_M_CAS_COUNT.RD? uncore_cha_0/UNC_CHA_CLOCKTICKS/?",
	       "  and one is one of them");
}

/* --- what is left out --- */

static void leaves_out(const char *line, const char *why)
{
	char text[512];

	snprintf(text, sizeof(text), "EVENTSET\nFIXC0 INSTR_RETIRED_ANY\n%s\n\nMETRICS\nx FIXC0\n",
		 line);
	is_int(parse(text), 0, line);
	is_str(shown_events(&group), "instructions", "  is not counted");
	has(group.note, "x/T.txt:3: ", "  and its line told");
	has(group.note, why, "  and the reason");
}

static void what_cannot_be_counted_is_left_out(void)
{
	leaves_out("TMP0 TEMP_CORE", "a level at a moment");
	leaves_out("MBOX0TMP0 DRAM_TEMP_CH0", "a level at a moment");
	leaves_out("PMC0 UOPS_ISUED_ANY", "no event of its cores \"UOPS_ISUED_ANY\"");
	leaves_out("PMC0 CAS_COUNT_RD", "no event of its cores");
	leaves_out("MBOX0C0 UOPS_ISSUED_ANY", "no event of that unit");
	leaves_out("CBOX0C0 CAS_COUNT_RD", "no event of that unit");
	leaves_out("XBOX0C0 CAS_COUNT_RD", "no counter is called \"XBOX0C0\"");
	leaves_out("PMC UOPS_ISSUED_ANY", "no counter is called \"PMC\"");
	leaves_out("PMC0C1 UOPS_ISSUED_ANY", "no counter is called \"PMC0C1\"");
	leaves_out("MBOX0X1 CAS_COUNT_RD", "no counter is called");
	leaves_out("PWR0 PWR_SUN_ENERGY", "no energy called");
	leaves_out("CBOX0C0:STATE=0x1 CLOCKTICKS", "STATE is for LLC_LOOKUP");
	leaves_out("PMC0:THRESHOLD=0x100 UOPS_ISSUED_ANY",
		   "THRESHOLD is 0x0 to 0xff, not \"0x100\"");
	leaves_out("PMC0:EDGEDETECT=1 UOPS_ISSUED_ANY", "has no value");
	leaves_out("PMC0:EDGES UOPS_ISSUED_ANY", "there is no option \"EDGES\"");
	leaves_out("CBOX0C0:STATE=0x400 LLC_LOOKUP_ANY", "STATE is 0x0 to 0x3ff");
	leaves_out("CBOX0C0:OPCODE=0x182 TOR_INSERTS_OPCODE", "the option OPCODE is for registers");
	leaves_out("FIXC1:EDGEDETECT CPU_CLK_UNHALTED_CORE", "without options");
}

static void a_metric_without_its_counter_is_left_out(void)
{
	is_int(parse("EVENTSET\nFIXC0 INSTR_RETIRED_ANY\nTMP0 TEMP_CORE\n\n"
		     "METRICS\nTemperature [C] TMP0\nboth TMP0+FIXC0\nCPI FIXC1/FIXC0\n"
		     "power FIXC0^2\nroot sqrt(FIXC0)\nodd FIXC0+\nnodes FIXC0/num_sockets\n"
		     "run FIXC0\n"),
	       0, "a counter that is left out");
	is_str(shown_metrics(&group), "run [] = \"instructions\"",
	       "  and formulas that are none of ours");
	has(group.note,
	    "likwid:T without TEMP_CORE, Temperature [C], both, CPI, power, root, odd, nodes:",
	    "  all of them named");
}

static void names_of_two_events_are_neithers(void)
{
	struct pmu_catalog catalog = catalog_of(0x2c, 2, "");
	static const char text[] =
		"EVENTSET\nUPMC0 UNC_QMC_NORMAL_READS_ANY\nPMC0 UOPS_ISSUED_ANY\n";

	is_int(pmu_likwid_parse(text, strlen(text), "x", "T", &catalog, &group), 0, "Westmere");
	is_str(group.event[group.n_events - 1].name, "UOPS_ISSUED.ANY", "  has its own names");
	pmu_catalog_close(&catalog);
}

/* --- what is refused --- */

static void is_refused(const char *text, int code, const char *words)
{
	is_int(parse(text), code, words);
	has(pmu_error_text(), words, "  and says so");
	is_int((int)group.n_events, 0, "  and has nothing");
}

static void what_is_no_group_is_refused_with_its_line(void)
{
	char text[16384] = "EVENTSET\n";
	size_t len = strlen(text);

	is_refused("", -EINVAL, "no EVENTSET with a counter");
	is_refused("SHORT x\n\nEVENTSET\n\n", -EINVAL, "no EVENTSET with a counter");
	is_refused("EVENTSET\nPMC0\n", -EINVAL, "x/T.txt:2: \"PMC0\" is not COUNTER EVENT");
	is_refused("EVENTSET\nPMC0 A B\n", -EINVAL, "x/T.txt:2: \"PMC0 A B\" is not");
	is_refused("EVENTSET\nPMC0\tA\n", -EINVAL, "x/T.txt:2: a control character, 09H");
	is_refused("EVENTSET\nPMC0 UOPS_ISSUED_ANY\n\nPMC1 UOPS_ISSUED_ANY\n", -EINVAL,
		   "x/T.txt:4: this stands in no section");
	is_refused("EVENTSET\nPMC0 UOPS_ISSUED_ANY\nPMC0:INVERT UOPS_ISSUED_ANY\n", -EINVAL,
		   "x/T.txt:3: PMC0 stands there twice, first on line 2");
	is_refused("EVENTSET\nPMC0 UOPS_ISSUED_ANY\n\nEVENTSET\n", -EINVAL,
		   "x/T.txt:4: EVENTSET stands there twice");
	is_refused("EVENTSET\nPMC0 UOPS_ISSUED_ANY\n\nMETRICS\ntime\n", -EINVAL,
		   "x/T.txt:5: \"time\" is not NAME FORMULA");
	is_refused("EVENTSET\nPMC0 NO_SUCH_EVENT\n", -ENOTSUP,
		   "group likwid:T cannot be counted here: x/T.txt:2: ");
	for (int i = 0; i < 17; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"PMC%d:THRESHOLD=%x UOPS_ISSUED_ANY\n", i, i + 1);
	is_refused(text, -ENOTSUP, "x/T.txt:18: more than 16 counts at once");
	memset(text, 'x', 5000);
	text[5000] = '\0';
	is_refused(text, -EINVAL, "x/T.txt:1: a line of more than 4094 bytes");
}

static void deep_and_long_formulas_end(void)
{
	static char text[8192];
	size_t len;

	snprintf(text, sizeof(text), "EVENTSET\nFIXC0 INSTR_RETIRED_ANY\n\nMETRICS\nx ");
	len = strlen(text);
	memset(text + len, '(', 3000);
	is_int(parse(text), 0, "three thousand parentheses");
	has(group.note, "too many parentheses", "  are too many");
	memset(text + len, '-', 3000);
	text[len + 3000] = '1';
	is_int(parse(text), 0, "three thousand signs");
	is_str(shown_metrics(&group), "x [] = 1", "  are one or none");
	for (size_t i = 0; i < 2000; i++)
		memcpy(text + len + 2 * i, "1+", 2);
	memcpy(text + len + 4000, "1", 2);
	is_int(parse(text), 0, "two thousand terms");
	is_int((int)group.n_metrics, 0, "  are too many");
}

static void groups_for_one_thread_a_core(void)
{
	static const char text[] = "REQUIRE_NOHT\nEVENTSET\nPMC0 UOPS_ISSUED_ANY\n";
	struct pmu_catalog catalog = catalog_of(0x55, 4, "");

	catalog.threads_per_core = 2;
	is_int(pmu_likwid_parse(text, strlen(text), "x", "T", &catalog, &group), -ENOTSUP,
	       "two threads");
	has(pmu_error_text(), "REQUIRE_NOHT", "  are refused");
	catalog.threads_per_core = 1;
	is_int(pmu_likwid_parse(text, strlen(text), "x", "T", &catalog, &group), 0, "one");
	pmu_catalog_close(&catalog);
}

/* --- by name --- */

static void is_found_in_a_folder(void)
{
	struct pmu_catalog catalog = catalog_of(0x55, 4, "");
	char folder[] = "/tmp/pmu-likwid-XXXXXX", path[64];
	FILE *file;

	ok(mkdtemp(folder) != NULL, "a folder");
	snprintf(path, sizeof(path), "%s/MINE.txt", folder);
	file = fopen(path, "w");
	fputs("EVENTSET\nFIXC0 INSTR_RETIRED_ANY\n", file);
	fclose(file);
	setenv("PMU_GROUP_PATH", folder, 1);
	is_int(pmu_group_find("LIKWID:mine", &catalog, &group), 0, "in PMU_GROUP_PATH");
	is_str(group.name, "likwid:MINE", "  by its file's name");
	is_int(pmu_group_find("likwid:OTHER", &catalog, &group), -EINVAL, "one that is not there");
	has(pmu_error_text(), "no folder of PMU_GROUP_PATH has a file OTHER.txt", "  says where");
	unlink(path);
	rmdir(folder);
	unsetenv("PMU_GROUP_PATH");
	pmu_catalog_close(&catalog);
}

UNIT_PART(likwid)
{
	reads_a_group();
	energy_is_in_joules();
	edges_have_a_threshold();
	counters_without_their_options_are_found();
	names_of_likwids_own_are_known();
	sums_over_boxes_are_one_count();
	boxes_that_the_machine_lacks_add_nothing();
	boxes_apart_are_counts_of_their_own();
	of_a_machine_not_known_two_boxes_are_all();
	what_cannot_be_counted_is_left_out();
	a_metric_without_its_counter_is_left_out();
	names_of_two_events_are_neithers();
	what_is_no_group_is_refused_with_its_line();
	deep_and_long_formulas_end();
	groups_for_one_thread_a_core();
	is_found_in_a_folder();
	return done_testing();
}
