/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's event files: the map, the files, names and modifiers. */
#include "names/vendor/vendor.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "names/vendor/map.h"
#include "plan/event.h"
#include "unit/part.h"

#define FILES TEST_SRCDIR "/tests/data/perfmon"

static struct pmu_event event;

static struct pmu_cpu_id cpu(uint32_t family, uint32_t model, uint32_t stepping)
{
	return (struct pmu_cpu_id){
		.vendor = "GenuineIntel", .family = family, .model = model, .stepping = stepping
	};
}

static int parse_in(const char *folder, uint32_t model, const char *text)
{
	struct pmu_catalog catalog = { .id = cpu(6, model, 4), .event_files = folder };
	int rc;

	catalog.model = pmu_cpu_model_find(&catalog.id);
	rc = pmu_event_parse(text, &catalog, &event);
	pmu_catalog_close(&catalog);
	return rc;
}

static void is_event(uint32_t model, const char *text, uint64_t config, const char *label)
{
	if (!is_int(parse_in(FILES, model, text), 0, text))
		diag("%s", pmu_error_text());
	is_u64(event.slot.config, config, "  its select");
	is_str(event.name, label, "  its name");
}

static void is_refused(uint32_t model, const char *text, const char *words)
{
	is_int(parse_in(FILES, model, text), -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

/* --- the map --- */

static int count_row(void *arg, const struct pmu_vendor_map_row *row)
{
	snprintf(arg, 200, "%s,%s,%x,%u", row->file, row->type, row->core_type, row->line);
	return 0;
}

static int rows_of(const char *map, const struct pmu_cpu_id *id, char *last)
{
	last[0] = '\0';
	return pmu_vendor_map_parse("mapfile.csv", map, strlen(map), id, count_row, last);
}

static void knows_whose_a_file_is(void)
{
	static const struct {
		const char *pattern;
		uint32_t family, model, stepping;
		int rows;
	} cases[] = {
		{ "GenuineIntel-6-55-[01234]", 6, 0x55, 4, 1 },
		{ "GenuineIntel-6-55-[01234]", 6, 0x55, 5, 0 },
		{ "GenuineIntel-6-55-[56789ABCDEF]", 6, 0x55, 0xb, 1 },
		{ "GenuineIntel-6-55-[5-9a-f]", 6, 0x55, 0xb, 1 },
		{ "GenuineIntel-6-55-[5-9a-f]", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-55", 6, 0x55, 4, 1 },
		{ "GenuineIntel-6-5", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-5", 6, 5, 4, 1 },
		{ "GenuineIntel-6-05", 6, 5, 4, 1 },
		{ "GenuineIntel-6-9a", 6, 0x9a, 0, 1 },
		{ "GenuineIntel-6-[9B]A", 6, 0xba, 0, 1 },
		{ "GenuineIntel-18-1", 0x12, 1, 0, 1 },
		{ "GenuineIntel-18-1", 0x18, 1, 0, 0 },
		{ "GenuineIntel-6-55-4-4", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-55-", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-.*", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-55-[0", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-55-[]", 6, 0x55, 4, 0 },
		{ "", 6, 0x55, 4, 0 },
		{ "AuthenticAMD-6-55", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-55-[[]", 6, 0x55, 4, 0 },
		/* as Linux writes them */
		{ "GenuineIntel-6-(4E|55|A6)", 6, 0x55, 4, 1 },
		{ "GenuineIntel-6-(4E|55|A6)", 6, 0x5e, 3, 0 },
		{ "GenuineIntel-6-(5|5)5", 6, 0x55, 4, 1 },
		{ "GenuineIntel-(6|7)-5+", 6, 0x55, 4, 1 },
		{ "GenuineIntel-6-5[[:xdigit:]]+", 6, 0x5f, 4, 1 },
		{ "GenuineIntel-6-([CD][[:xdigit:]]|[[:xdigit:]])", 6, 0x5f, 4, 0 },
		{ "GenuineIntel-6-([CD][[:xdigit:]]|[[:xdigit:]])", 6, 0xc1, 4, 1 },
		{ "GenuineIntel-6-([CD][[:xdigit:]]|[[:xdigit:]])", 6, 0x1, 4, 1 },
		{ "GenuineIntel-6-[[:xdigit:]G]5", 6, 0x55, 4, 1 },
		{ "GenuineIntel-6-((5)+|9)", 6, 0x55, 4, 1 },
		{ "GenuineIntel-6-(|5)5-4", 6, 0x5, 4, 1 },
		{ "GenuineIntel-6-(55", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-55)", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-(((5)))5", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-5++", 6, 0x55, 4, 0 },
		{ "+GenuineIntel-6-55", 6, 0x55, 4, 0 },
		{ "GenuineIntel-6-[[:digit:]]+", 6, 0x55, 4, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pmu_cpu_id id = cpu(cases[i].family, cases[i].model, cases[i].stepping);
		char map[128], last[200];

		snprintf(map, sizeof(map), "%s,V1,/A/b.json,core,,,\n", cases[i].pattern);
		is_int(rows_of(map, &id, last), cases[i].rows, cases[i].pattern);
	}
}

/* Arm's by MIDR_EL1 but for variant and revision, RISC-V's by three numbers. */
static void knows_other_processors(void)
{
	static const struct {
		const char *pattern;
		uint64_t midr;
		int rows;
	} arm[] = {
		{ "0x00000000410fd0c0", 0x413fd0c1, 1 }, { "0x00000000410fd0c0", 0x413fd0b1, 0 },
		{ "0x00000000410fd0c0", 0x423fd0c1, 0 }, { "0x00000000411fd0c2", 0x412fd0c0, 1 },
		{ "0x00000000411fd0c2", 0x411fd0c1, 0 }, { "0x00000000410fd0.*", 0x413fd0c1, 0 },
		{ "GenuineIntel-6-55", 0x413fd0c1, 0 },  { "", 0, 0 },
	};
	static const struct {
		const char *pattern;
		uint32_t vendor;
		uint64_t march, mimp;
		int rows;
	} riscv[] = {
		{ "0x5b7-0x0-0x0", 0x5b7, 0, 0, 1 },
		{ "0x5b7-0x0-0x0", 0x5b7, 0, 1, 0 },
		{ "0x489-0x8000000000000007-0x[[:xdigit:]]+", 0x489, UINT64_C(0x8000000000000007),
		  UINT64_MAX, 1 },
		{ "0x489-0x8000000000000007-0x[[:xdigit:]]+", 0x489, 7, 1, 0 },
		{ "0x67e-0x80000000db0000[89]0-0x1", 0x67e, UINT64_C(0x80000000db000090), 1, 1 },
	};
	char map[128], last[200];

	for (size_t i = 0; i < sizeof(arm) / sizeof(arm[0]); i++) {
		struct pmu_cpu_id id;

		pmu_cpu_midr(arm[i].midr, &id);
		snprintf(map, sizeof(map), "%s,v1,arm/a,core\n", arm[i].pattern);
		is_int(rows_of(map, &id, last), arm[i].rows, arm[i].pattern);
	}
	for (size_t i = 0; i < sizeof(riscv) / sizeof(riscv[0]); i++) {
		struct pmu_cpu_id id = { .vendor = "RISC-V",
					 .family = riscv[i].vendor,
					 .march = riscv[i].march,
					 .mimp = riscv[i].mimp };

		snprintf(map, sizeof(map), "%s,v1,a/b,core\n", riscv[i].pattern);
		is_int(rows_of(map, &id, last), riscv[i].rows, riscv[i].pattern);
	}
}

static void reads_the_map(void)
{
	static const char map[] =
		"\xef\xbb\xbf"
		"Family-model,Version,Filename,EventType\r\n"
		"GenuineIntel-6-97,V1,/ADL/e.json,hybridcore,0x20,0x000001,Atom\r\n\r\n"
		"GenuineIntel-6-97,V1,ADL/p.json,core";
	struct pmu_cpu_id id = cpu(6, 0x97, 2);
	char last[200], line[1200];

	is_int(rows_of(map, &id, last), 2, "a map of four lines, one of them empty");
	is_str(last, "ADL/p.json,core,0,4", "  the last without its columns and its end");
	is_int(rows_of("GenuineIntel-6-97,V1,/ADL/e.json,hybridcore,0x40\n", &id, last), 1,
	       "a core type");
	is_str(last, "ADL/e.json,hybridcore,40,1", "  is read");
	is_int(rows_of("x\nGenuineIntel-6-97,V1,/ADL/../../etc/x,core\n", &id, last), -EINVAL,
	       "a way out is refused");
	has(pmu_error_text(), "mapfile.csv:2: \"/ADL/../../etc/x\"", "  with its line");
	is_int(rows_of("GenuineIntel-6-97,V1,..,core\n", &id, last), -EINVAL,
	       "so is a shorter one");
	is_int(rows_of("GenuineIntel-6-97,V1,//,core\n", &id, last), -EINVAL, "and no file at all");
	is_int(rows_of("GenuineIntel-6-97,V1,/a,core,big\n", &id, last), -EINVAL,
	       "a core type that is no number");
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	is_int(rows_of(line, &id, last), -EINVAL, "a line that is too long");
	has(pmu_error_text(), "longer than", "  is told");
}

/* --- files of our own --- */

static char folder[64];

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void make_folder(const char *events)
{
	snprintf(folder, sizeof(folder), "/tmp/pmu-intel-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	write_file("mapfile.csv", "GenuineIntel-6-55-[01234],V1,/core.json,core,,,\n"
				  "GenuineIntel-6-55-[01234],V1,/gone.json,uncore,,,\n"
				  "GenuineIntel-6-3D,V1,/gone.json,core,,,\n");
	write_file("core.json", events);
}

static void remove_folder(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/core.json", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	unlink(path);
	rmdir(folder);
}

static void tells_what_is_wrong_with_a_file(void)
{
	static const struct {
		const char *events, *name, *words;
	} cases[] = {
		{ "{\"Events\": [\n{\"EventName\": \"A.B\",\n\"EventCode\" \"1\"}]}", "A.B",
		  "core.json:3: no colon" },
		{ "[{\"EventName\": \"A.B\"}", "A.B", "core.json:1: an array without an end" },
		{ "[] 1", "A.B", "something behind the end" },
		{ "17", "A.B", "no object and no array" },
		{ "", "A.B", "core.json:1: " },
		{ "[\n{\"EventName\": \"A.B\", \"EventCode\": \"0xzz\"}]", "A.B",
		  "core.json:2: EventCode of A.B" },
		{ "[{\"EventName\": \"A.B\"}]", "A.B", "EventCode of A.B" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"0x100\"}]", "A.B", "EventCode" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"0\", \"Counter\": \"0,1\"}]", "A.B",
		  "EventCode" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"1\", \"UMask\": \"0x100\"}]", "A.B",
		  "UMask" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"1\", \"UMaskExt\": \"256\"}]", "A.B",
		  "UMaskExt" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"1\", \"Invert\": \"2\"}]", "A.B",
		  "Invert" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"1\", \"Counter\": \"many\"}]", "A.B",
		  "Counter" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"1\", \"Counter\": {}}]", "A.B",
		  "Counter" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"1\", \"MSRIndex\": \"0x38f\", \"MSRValue\": \"1\"}]",
		  "A.B", "register 38FH" },
		{ "[{\"EventName\": \"A.B\", \"EventCode\": \"0x99999999999999999\"}]", "A.B",
		  "EventCode" },
		{ "[{\"EventName\": \"UNC_A\", \"EventCode\": \"1\", \"Unit\": \"../x\"}]", "UNC_A",
		  "Unit" },
		{ "[{\"EventName\": \"UNC_A\", \"EventCode\": \"1\", \"Unit\": \"IIO\", \"PortMask\": \"0x100\"}]",
		  "UNC_A", "PortMask" },
		{ "[{\"EventName\": \"UNC_A\", \"EventCode\": \"1\", \"Unit\": \"CHA\", \"FCMask\": \"1\"}]",
		  "UNC_A", "FCMask" },
		{ "[{\"EventName\": \"UNC_A\", \"EventCode\": \"1\", \"Unit\": \"iMC\", \"FILTER_VALUE\": \"1\"}]",
		  "UNC_A", "FILTER_VALUE" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_folder(cases[i].events);
		is_int(parse_in(folder, 0x55, cases[i].name), -EINVAL,
		       cases[i].events[0] ? cases[i].words : "an empty file");
		has(pmu_error_text(), cases[i].words, "  is what is told");
		remove_folder();
	}
}

/*
 * What one event is wrong about is no other's affair; other members, and more of them, do no harm.
 */
static void reads_what_is_right_beside_it(void)
{
	make_folder(
		"\xef\xbb\xbf{\"Header\": {\"Events\": [1, {}]}, \"Events\": [7, [], {\"EventName\": \"A.BAD\"},"
		"{\"Deep\": [{\"EventName\": \"NOT.ME\"}], \"EventName\": \"A.B\", \"EventCode\": \" 0xB7 , 0xBB\","
		"\"UMask\": 1, \"MSRIndex\": \"0X1A6,0x1a7\", \"MSRValue\": \"0x3FBFC00001\", \"Counter\": \"0-3\","
		"\"CounterMask\": \"na\", \"EdgeDetect\": true, \"BriefDescription\": \"a\\nb \\u00e9\"}], \"Z\": null}");
	is_int(parse_in(folder, 0x55, "a.b"), 0, "an event among odd ones");
	is_u64(event.slot.config, 0x401b7, "  its select");
	is_u64(event.slot.extra, 0x1a6, "  its second register");
	is_u64(event.slot.extra_value, 0x3fbfc00001, "  and what goes there");
	is_u64(event.slot.counters, 0xf, "  its counters");
	is_str(event.name, "A.B", "  its name as the file has it");
	is_int(parse_in(folder, 0x55, "NOT.ME"), -EINVAL, "what is deeper is no event");
	has(pmu_error_text(), "gone.json is not there", "  and a file that is missing is told");
	is_int(parse_in(folder, 0x3d, "UOPS_ISSUED.ANY"), -EINVAL,
	       "a CPU of which no file is there");
	has(pmu_error_text(), "gone.json is not there", "  is refused, though libpfm4 knows it");
	is_int(parse_in(folder, 0x2a, "UOPS_ISSUED.ANY"), 0,
	       "a CPU that the map lacks is left to libpfm4");
	is_int(parse_in("/nonexistent", 0x55, "UOPS_ISSUED.ANY"), -EINVAL, "no folder");
	has(pmu_error_text(), "/nonexistent/mapfile.csv", "  is told");
	is_int(parse_in("/nonexistent", 0x55, "cycles"), 0, "  and needed for native names only");
	is_int(parse_in("/nonexistent", 0x55, "skx::UOPS_ISSUED:ANY"), 0,
	       "  and not for those of a table of libpfm4");
	remove_folder();
}

/* --- events --- */

static void modifies(void)
{
	is_event(0x55, "UOPS_ISSUED.ANY", 0x010e, "UOPS_ISSUED.ANY");
	is_event(0x55, "uops_issued:any:I:c=0x1", 0x0180010e, "UOPS_ISSUED.ANY:c=1:i");
	is_event(0x55, "UOPS_ISSUED.ANY:e=1:t:i=0:k", 0x24010e, "UOPS_ISSUED.ANY:e:t:k");
	ok(!event.slot.user && event.slot.kernel, "  kernel only");
	is_event(0x55, "UOPS_ISSUED.ANY:intx:intxcp", 0x30000010e, "UOPS_ISSUED.ANY:intx:intxcp");
	is_event(0x55, "skx::UOPS_ISSUED:ANY", 0x010e, "UOPS_ISSUED.ANY");
	is_refused(0x55, "UOPS_ISSUED.ANY:c=256", "0 to 255");
	is_refused(0x55, "UOPS_ISSUED.ANY:c=1:c=2", "twice");
	is_refused(0x55, "UOPS_ISSUED.ANY:i=2", "0 or 1");
	is_refused(0x55, "UOPS_ISSUED.ANY:config1=1", "no config1=");
	is_refused(0x55, "UOPS_ISUED.ANY", "did you mean UOPS_ISSUED.ANY?");
	is_refused(0x55, "CPU_CLK_UNHALTED.REF_TSC:c=1", "only a fixed counter");
	/* a letter behind a dot is a name's */
	is_event(0x2c, "L2_LINES_IN.E_STATE", 0x04f1, "L2_LINES_IN.E_STATE");
}

static void knows_fixed_counters(void)
{
	is_event(0x2c, "INST_RETIRED.ANY", 0xc0, "INST_RETIRED.ANY");
	is_event(0x2c, "CPU_CLK_UNHALTED.THREAD", 0x3c, "CPU_CLK_UNHALTED.THREAD");
	is_event(0x2c, "CPU_CLK_UNHALTED.REF", 0x300, "CPU_CLK_UNHALTED.REF");
	is_event(0x1c, "INST_RETIRED.ANY", 0xc0, "INST_RETIRED.ANY");
	is_event(0x37, "INST_RETIRED.ANY", 0xc0, "INST_RETIRED.ANY");
	is_event(0x55, "CPU_CLK_UNHALTED.THREAD_ANY", 0x20003c, "CPU_CLK_UNHALTED.THREAD_ANY");
	is_event(0x55, "CPU_CLK_UNHALTED.REF_TSC", 0x300, "CPU_CLK_UNHALTED.REF_TSC");
	is_event(0x8f, "TOPDOWN.SLOTS", 0x400, "TOPDOWN.SLOTS");
	is_event(0x8f, "INST_RETIRED.PREC_DIST", 0xc0, "INST_RETIRED.PREC_DIST");
	is_event(0xbd, "TOPDOWN_BAD_SPECULATION.ALL", 0x73, "TOPDOWN_BAD_SPECULATION.ALL");
	is_event(0xbd, "TOPDOWN_FE_BOUND.ALL", 0x19c, "TOPDOWN_FE_BOUND.ALL");
	is_int(event.slot.core_types, PMU_SLOT_E, "  on the E cores alone");
}

/*
 * Numbered from 0 where a file has a "Fixed counter 0", else from 1; a mask beside code 00H says it
 * for sure.
 */
static void counts_fixed_counters_from_0_or_1(void)
{
	static const char one[] =
		"{\"EventName\": \"A.ONE\", \"EventCode\": \"0x0A\", \"Counter\": \"Fixed counter 1\"}";
	static const char sure[] =
		"{\"EventName\": \"A.SURE\", \"EventCode\": \"0x00\", \"UMask\": \"0x02\", "
		"\"Counter\": \"Fixed counter 1\"}";
	char events[512];

	snprintf(events, sizeof(events), "[%s, %s]", one, sure);
	make_folder(events);
	is_int(parse_in(folder, 0x55, "A.ONE"), 0, "number 1 of those from 1 on");
	is_u64(event.slot.config, 0xc0, "  is the first");
	is_int(parse_in(folder, 0x55, "A.SURE"), 0, "umask 02H");
	is_u64(event.slot.config, 0x3c, "  is the second, whatever its number");
	remove_folder();
	snprintf(
		events, sizeof(events),
		"[%s, {\"EventName\": \"A.N\", \"EventCode\": \"0xC0\", \"Counter\": \"32\"}, "
		"{\"EventName\": \"A.X\", \"EventCode\": \"0\", \"Counter\": \"Fixed counter 40\"}]",
		one);
	make_folder(events);
	is_int(parse_in(folder, 0x55, "A.ONE"), 0, "number 1 of those from 0 on");
	is_u64(event.slot.config, 0x3c, "  is the second");
	is_int(parse_in(folder, 0x55, "A.N"), 0, "32");
	is_u64(event.slot.config, 0xc0, "  is the first");
	is_int(parse_in(folder, 0x55, "A.X"), -EINVAL, "there are not so many");
	remove_folder();
}

static void knows_core_types(void)
{
	is_event(0x97, "INST_RETIRED.ANY", 0xc0, "INST_RETIRED.ANY");
	is_int(event.slot.core_types, 0, "  one code on both: both");
	is_event(0x97, "UOPS_ISSUED.ANY", 0x01ae, "UOPS_ISSUED.ANY");
	ok(!event.slot.core_types && event.slot.e_code.is_set && event.slot.e_code.config == 0x000e,
	   "  two codes: both, each by its own");
	is_event(0x97, "uops_issued_any:c=1", 0x10001ae, "UOPS_ISSUED.ANY:c=1");
	is_u64(event.slot.e_code.config, 0x100000e, "  with its modifiers on either");
	is_event(0x97, "cpu_atom/UOPS_ISSUED.ANY/", 0x000e, "cpu_atom/UOPS_ISSUED.ANY/");
	is_int(event.slot.core_types, PMU_SLOT_E, "  the E cores'");
	is_event(0x97, "cpu_core/UOPS_ISSUED.ANY/", 0x01ae, "cpu_core/UOPS_ISSUED.ANY/");
	is_int(event.slot.core_types, PMU_SLOT_P, "  the P cores'");
	is_event(0x97, "LD_BLOCKS.4K_ALIAS", 0x0403, "LD_BLOCKS.4K_ALIAS");
	is_int(event.slot.core_types, PMU_SLOT_E, "  of one kind alone");
	is_event(0xbe, "UOPS_ISSUED.ANY", 0x000e, "UOPS_ISSUED.ANY");
	is_int(event.slot.core_types, 0, "  E cores alone are no hybrid");
}

static void is_uncore(uint32_t model, const char *text, const char *pmu, uint64_t config,
		      uint64_t config1)
{
	if (!is_int(parse_in(FILES, model, text), 0, text))
		diag("%s", pmu_error_text());
	is_str(event.slot.pmu, pmu, "  its PMU");
	is_u64(event.slot.config, config, "  its code");
	is_u64(event.slot.config1, config1, "  its filter");
	ok(event.slot.kind == PMU_SLOT_UNCORE && event.slot.type == PMU_TYPE_NONE,
	   "  of the socket");
}

static void knows_the_uncore(void)
{
	is_uncore(0x55, "UNC_CHA_CLOCKTICKS", "uncore_cha", 0, 0);
	is_uncore(0x55, "UNC_M_CAS_COUNT.RD", "uncore_imc", 0x0304, 0);
	is_uncore(0x55, "UNC_UPI_CLOCKTICKS", "uncore_upi", 0x01, 0);
	is_uncore(0x55, "UNC_M2M_DIRECTORY_LOOKUP.ANY", "uncore_m2m", 0x012d, 0);
	/* ch_mask config:36-43, fc_mask config:44-46 */
	is_uncore(0x55, "UNC_IIO_TXN_REQ_OF_CPU.MEM_READ.PART1", "uncore_iio", 0x702000000484, 0);
	is_uncore(0x55, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "uncore_cha", 0x2135, 0x4043300000000);
	is_uncore(0x55, "UNC_CHA_TOR_INSERTS.IA_MISS:config1=0x3300000000:c=2:e:i", "uncore_cha",
		  0x2842135, 0x3300000000);
	is_str(event.name, "UNC_CHA_TOR_INSERTS.IA_MISS:c=2:i:e:config1=0x3300000000",
	       "  and its name");
	is_refused(0x55, "UNC_CHA_TOR_INSERTS.IA_MISS", "config1=");
	is_refused(0x55, "UNC_M_CAS_COUNT.RD:k", "belongs to the socket");
	is_refused(0x55, "UNC_M_CAS_COUNT.RD:t", "belongs to no thread");
	is_uncore(0x97, "UNC_CLOCK.SOCKET", "uncore_clock", 0xff, 0);
	is_uncore(0x97, "UNC_ARB_TRK_REQUESTS.ALL", "uncore_arb", 0x0181, 0);
	is_refused(0x97, "UNC_MC0_RDCAS_COUNT_FREERUN", "by itself");
}

/* --- lists --- */

struct seen {
	unsigned int n, e, uncore, deprecated;
};

static void see(void *arg, const struct pmu_vendor_event *e)
{
	struct seen *seen = arg;

	seen->n++;
	seen->e += e->core_type == PMU_SLOT_E;
	seen->uncore += e->unit[0] != '\0';
	seen->deprecated += e->deprecated;
}

static void lists_every_event(void)
{
	struct pmu_cpu_id id = cpu(6, 0x97, 2), other = cpu(6, 0x17, 6);
	struct pmu_vendor_files *files = NULL;
	struct seen seen = { 0 };

	if (!is_int(pmu_vendor_open(FILES, &id, &files), 0, "the files of a hybrid"))
		return;
	pmu_vendor_each(files, see, &seen);
	ok(seen.n > 20 && seen.e > 5 && seen.uncore > 2 && seen.e < seen.n, "events of every kind");
	has(pmu_vendor_missing(files), "alderlake_uncore_experimental.json is not there",
	    "what is missing is told");
	pmu_vendor_close(files);
	is_int(pmu_vendor_open(FILES, &other, &files), -ENODEV, "a CPU that the map does not have");
	has(pmu_error_text(), "GenuineIntel-6-17", "  is named");
}

UNIT_PART(intel)
{
	knows_whose_a_file_is();
	knows_other_processors();
	reads_the_map();
	tells_what_is_wrong_with_a_file();
	reads_what_is_right_beside_it();
	modifies();
	knows_fixed_counters();
	counts_fixed_counters_from_0_or_1();
	knows_core_types();
	knows_the_uncore();
	lists_every_event();
	return done_testing();
}
