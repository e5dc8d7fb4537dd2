/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups as text: what is read, for which models, and what is refused on which line. */
#include "names/file/file.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "tests/unit/names/shown.h"
#include "unit/part.h"

#define HEAD   "[group]\nabout = A test\n"
#define EVENTS "[events]\nI = instructions\nC = cycles\nM = branch-misses ?\n"

static struct pmu_group group;

static const struct pmu_cpu_model *model_of(uint32_t family, uint32_t model)
{
	struct pmu_cpu_id id = { .vendor = "GenuineIntel", .family = family, .model = model };

	return pmu_cpu_model_find(&id);
}

static int parse_for(const char *text, const struct pmu_cpu_model *model)
{
	struct pmu_catalog catalog = { .model = model, .sysfs = "" };

	pmu_error_clear();
	return pmu_group_file_parse(text, strlen(text), "x/T.group", "T", &catalog, &group);
}

static int parse(const char *text)
{
	return parse_for(text, model_of(6, 0x2a));
}

/* --- what is read --- */

static void reads_a_group(void)
{
	is_int(parse("\xef\xbb\xbf# a comment\r\n" HEAD "; another\n\n"
		     "[events]\nI = instructions ; behind a blank\nC=cycles\nBM\t=\tbranch-misses  ?\n"
		     "[metrics]\nCPI = C / I\nmiss rate [%] = 100 * BM / (I + 1e2)\nwait [s] = time * min(C, calls) / tsc_hz"),
	       0, "a group");
	is_str(group.name, "T", "  its name");
	is_str(group.about, "A test", "  what it is about");
	is_str(shown_events(&group), "instructions cycles branch-misses?", "  its events");
	is_str(shown_metrics(&group),
	       "CPI [] = cycles / instructions; miss rate [%] = 100 * \"branch-misses\" / (instructions + 1e2); "
	       "wait [s] = time * min(cycles, calls) / tsc_hz",
	       "  its metrics, over the columns");
	is_str(group.note, "", "  and nothing is missing");
	is_int(parse(HEAD), 0, "no events");
	is_int((int)group.n_events, 0, "  are a group, too");
	is_int(parse(""), 0, "and so is nothing");
}

static void a_group_can_stand_for_others(void)
{
	is_int(parse("[group]\nabout = A test\nGroups = CORE,  TWO\n"), 0, "groups");
	is_str(group.groups, "CORE,  TWO", "  as they stand there");
	is_str(group.about, "A test", "  the description is another key");
	is_int(parse("[group]\ngroups = CORE,,TWO\n"), -EINVAL, "one without a name");
	is_str(pmu_error_text(), "x/T.group:2: groups: names with commas between",
	       "  and its line");
	is_int(parse("[group]\ngroups = CORE,\n"), -EINVAL, "the last one");
	is_int(parse("[group]\ngroups = CORE\n" EVENTS), -EINVAL, "groups and events");
	is_str(pmu_error_text(), "x/T.group: a group that stands for others has no [events]",
	       "  that would be counted by nobody");
	is_str(group.groups, "", "  and then it stands for none");
}

static void codes_bear_their_alias(void)
{
	is_int(parse("[events]\nTAKEN = r20c4\nT2 = r20c4:k\nSLOW = cpu/event=0x0e,umask=0x01,cmask=1,inv/\n"
		     "NAMED = UOPS_ISSUED.ANY:c=1\n[metrics]\nx = TAKEN + T2 + SLOW + NAMED\n"),
	       0, "events by code and by name");
	is_str(shown_events(&group), "TAKEN T2:k SLOW UOPS_ISSUED.ANY:c=1", "  and their columns");
	is_str(shown_metrics(&group), "x [] = TAKEN + \"T2:k\" + SLOW + \"UOPS_ISSUED.ANY:c=1\"",
	       "  which formulas name");
}

static void sections_are_for_cpus(void)
{
	static const char text[] =
		"[events Sandy Bridge, ivb]\nA = UOPS_ISSUED.ANY\n"
		"[events wsm, Beckton (Nehalem-EX)]\nB = UOPS_ISSUED.ANY\nA = r1c2\n"
		"[events]\nD = cycles\n"
		"[events Westmere]\nA = instructions\n"
		"[metrics wsm]\nwestmere = A / B\n"
		"[metrics]\na = A\nd = D\n";

	is_int(parse_for(text, model_of(6, 0x2a)), 0, "by the microarchitecture");
	is_str(shown_events(&group), "UOPS_ISSUED.ANY", "  Sandy Bridge has its section");
	is_str(shown_metrics(&group), "a [] = UOPS_ISSUED.ANY",
	       "  and the metrics that can be made of it");
	is_int(parse_for(text, model_of(6, 0x3e)), 0, "by libpfm4's name");
	is_str(shown_events(&group), "UOPS_ISSUED.ANY", "  ivb is ivb_ep as well");
	is_int(parse_for(text, model_of(6, 0x2c)), 0, "the first section that names it");
	is_str(shown_events(&group), "UOPS_ISSUED.ANY A", "  is Westmere's");
	is_str(shown_metrics(&group), "westmere [] = A / UOPS_ISSUED.ANY",
	       "  with metrics of its own");
	is_int(parse_for(text, model_of(6, 0x2e)), 0, "by the code name");
	is_str(shown_events(&group), "UOPS_ISSUED.ANY A", "  Nehalem-EX has its section");
	is_int(parse_for(text, model_of(6, 0x55)), 0, "another");
	is_str(shown_events(&group), "cycles", "  has what is for all");
	is_str(shown_metrics(&group), "d [] = cycles", "  and metrics of that");
	ok(group.of_the_rest && !group.note[0], "  which the group knows of itself");
	is_int(parse_for(text, model_of(6, 0x2e)), 0, "one that a section names");
	ok(!group.of_the_rest, "  has events of its own");
	is_int(parse_for(EVENTS, model_of(6, 0x2e)), 0, "the same events for all");
	ok(!group.of_the_rest, "  are everybody's own");
	is_int(parse_for("[events snb]\nA = cycles\n", model_of(6, 0x55)), -ENOTSUP,
	       "one that no section names");
	is_str(pmu_error_text(), "group T has no events of this CPU (Skylake)", "  is told so");
	is_int((int)group.n_events, 0, "  and has none");
}

/*
 * Counters of Golden Cove, Intel's event files: TOPDOWN.BAD_SPEC_SLOTS, L1D.REPLACEMENT,
 * TOPDOWN.BACKEND_BOUND_SLOTS.
 */
static void p_cores_have_their_limits(void)
{
	static const uint32_t counters[] = { 0x1, 0xf, 0, 0 };

	is_int(parse_for(
		       "[events]\nA = cpu_core/event=0xa4,umask=0x04/\nB = cpu_core/event=0x51,umask=0x01/\n"
		       "C = cpu_core/event=0xa4,umask=0x02/\nD = cpu_atom/event=0xa4,umask=0x04/\n",
		       model_of(6, 0x97)),
	       0, "events of a hybrid");
	for (unsigned int i = 0; i < group.n_events; i++)
		is_u64(group.event[i].slot.counters, counters[i], group.event[i].name);
}

static void arm_cores_have_one_name_in_common(void)
{
	struct pmu_cpu_id id;

	pmu_cpu_midr(0x410fd083, &id);
	is_int(parse_for("[events ARMv8]\nA = cycles\n", pmu_cpu_model_find(&id)), 0,
	       "Cortex-A72 is an ARMv8");
	is_int(parse_for("[events ARMv8]\nA = cycles\n", model_of(6, 0x55)), -ENOTSUP,
	       "  Skylake is none");
}

static void leaves_out_what_is_not_here(void)
{
	is_int(parse("[events]\nI = instructions\nX = NO_SUCH_EVENT ?\n[metrics]\nx = X / I\ny = I\n"),
	       0, "an optional event that does not exist");
	is_str(shown_events(&group), "instructions", "  is left out");
	is_str(shown_metrics(&group), "y [] = instructions", "  with its metric");
	has(group.note, "T without NO_SUCH_EVENT: ", "  and named");
	is_int(parse("[events]\nX = NO_SUCH_EVENT ?\n"), -ENOTSUP, "nothing is left");
	is_int(parse("[events]\nI = instructions\nX = NO_SUCH_EVENT\n"), -EINVAL,
	       "one that is needed");
	has(pmu_error_text(), "x/T.group:3: ", "  is a mistake");
	is_int(parse("[events]\nX = uncore_imc/cas_count_read/\n"), -ENOTSUP,
	       "one of a PMU that is not here");
	has(pmu_error_text(), "group T cannot be counted here: ", "  is none");
}

/* --- what is refused --- */

/* A folder that is not there, or has nothing for this CPU. */
static void goes_by_libpfm4_where_event_files_cannot_be_read(void)
{
	struct pmu_catalog unread = {
		.model = model_of(6, 0x2a),
		.id = { .vendor = "GenuineIntel", .family = 6, .model = 0x2a },
		.sysfs = "",
		.event_files = "/nonexistent",
	};
	static const char text[] = "[events]\nU = UOPS_ISSUED.ANY\n[metrics]\nm = U\n";

	is_int(pmu_group_file_parse(text, strlen(text), "x/T.group", "T", &unread, &group), 0,
	       "a native name");
	ok(group.n_events == 1 && group.event[0].slot.config == 0x10e, "  is libpfm4's");
	ok(strstr(group.note, "/nonexistent") != NULL, "  and why is told: %s", group.note);
	pmu_catalog_close(&unread);
}

static void refuses_with_a_line(void)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{ "I = instructions\n", "T.group:1: this stands in no section" },
		{ HEAD "[event]\n", "T.group:3: there is no section [event]" },
		{ "[events] x\n", "T.group:1: a section is written [NAME]" },
		{ "[events\n", "T.group:1: a section is written [NAME]" },
		{ "[]\n", "T.group:1: there is no section []" },
		{ "[events Sandy Brige]\n",
		  "T.group:1: no CPU is called \"Sandy Brige\"; did you mean Sandy Bridge?" },
		{ "[events snb,, ivb]\n", "T.group:1: no CPU is called \"\"" },
		{ "[group snb]\n", "T.group:1: [group] is for all CPUs" },
		{ EVENTS "[events]\n", "T.group:5: [events] stands there twice, first on line 1" },
		{ EVENTS "[metrics]\nx = I\n[events snb]\n",
		  "T.group:7: [events] stand before all [metrics]" },
		{ HEAD "title = x\n", "T.group:3: [group] has no \"title\", only about" },
		{ HEAD "about = x\n", "T.group:3: \"about\" stands there twice" },
		{ EVENTS "I = cycles\n", "T.group:5: \"I\" stands there twice" },
		{ EVENTS "J = instructions\n", "T.group:5: instructions is named twice" },
		{ "[events]\nI : instructions\n", "T.group:2: a ':' before the '='" },
		{ "[events]\nI:u = instructions\n", "T.group:2: a ':' before the '='" },
		{ "[events]\nI\n", "T.group:2: neither [SECTION] nor NAME = VALUE" },
		{ "[events]\n= cycles\n", "T.group:2: nothing stands before the '='" },
		{ "[events]\nI =\n", "T.group:2: nothing stands behind the '='" },
		{ "[events]\nI = ; cycles\n", "T.group:2: nothing stands behind the '='" },
		{ "[events]\nI = ?\n", "T.group:2: an event without a name" },
		{ "[events]\nI = instructions\n  C = cycles\n",
		  "T.group:3: a line that begins with a blank" },
		{ "[events]\n1I = instructions\n",
		  "T.group:2: \"1I\": an alias is made of letters" },
		{ "[events]\ntime = instructions\n",
		  "T.group:2: \"time\": an alias is made of letters" },
		{ "[events]\nI = instrutions\n",
		  "T.group:2: there is no event \"instrutions\"; did you mean instructions?" },
		{ "[events]\nI = cycles\x01\n",
		  "T.group:2: a control character, 01H, at column 11" },
		{ EVENTS "[metrics]\nx = I /\n",
		  "T.group:6: a value is missing at column 4 of the formula" },
		{ EVENTS "[metrics]\nx = I / K\n",
		  "T.group:6: unknown name \"K\" at column 5 of the formula" },
		{ EVENTS "[metrics]\nx = 9 * max / I\n",
		  "T.group:6: unknown name \"max\" at column 5 of the formula" },
		{ EVENTS "[metrics]\nx = if / I\n",
		  "T.group:6: unknown name \"if\" at column 1 of the formula" },
		{ EVENTS "[metrics snb]\nx = I\n[metrics]\ny = (I\n",
		  "T.group:8: expected ')' at column 3" },
		{ EVENTS "[metrics]\nx [% = I\n",
		  "T.group:6: \"x [%\": a unit is written behind the name" },
		{ EVENTS "[metrics]\n[%] = I\n", "T.group:6: a section is written [NAME]" },
		{ EVENTS "[metrics]\nx [a unit that is long] = I\n",
		  "T.group:6: a unit of more than 15 bytes" },
		/* of a section for another CPU */
		{ "[events wsm]\nI : cycles\n[events]\nI = cycles\n", "T.group:2: a ':'" },
		{ EVENTS "[metrics wsm]\nx = K\n", "T.group:6: unknown name \"K\"" },
		{ HEAD "[metrics]\nx = calls / time\n", "T.group: [metrics], and no [events]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		is_int(parse(cases[i].text), -EINVAL, cases[i].sentence);
		has(pmu_error_text(), cases[i].sentence, "  as its sentence says");
		ok(!group.n_events && !group.n_metrics, "  and nothing of it is left");
	}
}

static int parse_buf(struct pmu_strbuf *text)
{
	int rc = parse(pmu_strbuf_text(text));

	pmu_strbuf_free(text);
	return rc;
}

static void has_limits(void)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(&text, "[events]\nI = cycles ;");
	pmu_strbuf_pad(&text, text.len + PMU_GROUP_LINE_MAX - strlen("I = cycles ;"), 'x');
	is_int(parse_buf(&text), 0, "a line as long as it may be");
	pmu_strbuf_add(&text, "[events]\nI = cycles ;");
	pmu_strbuf_pad(&text, text.len + PMU_GROUP_LINE_MAX - strlen("I = cycles ;") + 1, 'x');
	is_int(parse_buf(&text), -EINVAL, "a byte more");
	has(pmu_error_text(), "T.group:2: a line of more than 190 bytes", "  is too much");
	pmu_strbuf_add(&text, "[events]\n");
	pmu_strbuf_pad(&text, text.len + PMU_GROUP_KEY_MAX, 'x');
	pmu_strbuf_add(&text, " = r10e\n[metrics]\nx = ");
	pmu_strbuf_pad(&text, text.len + PMU_GROUP_KEY_MAX, 'x');
	is_int(parse_buf(&text), 0, "the longest alias");
	is_int((int)strlen(group.event[0].name), PMU_GROUP_KEY_MAX, "  is not cut");
	pmu_strbuf_add(&text, "[events]\n");
	pmu_strbuf_pad(&text, text.len + PMU_GROUP_KEY_MAX + 1, 'x');
	pmu_strbuf_add(&text, " = r10e\n");
	is_int(parse_buf(&text), -EINVAL, "a longer one");
	pmu_strbuf_add(&text, "[events]\n");
	for (int i = 0; i <= PMU_MAX_SLOTS; i++)
		pmu_strbuf_addf(&text, "A%d = r%x\n", i, 0x100 + i);
	is_int(parse_buf(&text), -EINVAL, "too many events");
	pmu_strbuf_add(&text, EVENTS "[metrics]\n");
	for (int i = 0; i <= PMU_GROUP_MAX_METRICS; i++)
		pmu_strbuf_addf(&text, "m%d = I\n", i);
	is_int(parse_buf(&text), -EINVAL, "too many metrics");
	for (int i = 0; i <= PMU_GROUP_MAX_SECTIONS; i++)
		pmu_strbuf_add(&text, "[events snb]\n");
	is_int(parse_buf(&text), -EINVAL, "too many sections");
	has(pmu_error_text(), "T.group:65: more than 64 sections",
	    "  on the line of the first beyond");
	pmu_strbuf_pad(&text, PMU_GROUP_FILE_MAX, '\n');
	is_int(parse_buf(&text), 0, "a file as large as it may be");
	pmu_strbuf_pad(&text, PMU_GROUP_FILE_MAX + 1, '\n');
	is_int(parse_buf(&text), -EINVAL, "a larger one");
	is_int(pmu_group_file_parse("[events]\nI = cy\0cles\n", 21, "x/T.group", "T", NULL, &group),
	       -EINVAL, "a NUL");
}

static void formulas_have_room(void)
{
	struct pmu_strbuf text = { 0 };

	/* each name becomes a column's of 25 characters */
	pmu_strbuf_add(&text,
		       "[events snb]\nA = FP_COMP_OPS_EXE.SSE_FP_PACKED_DOUBLE\n[metrics]\nx = A");
	for (int i = 0; i < 20; i++)
		pmu_strbuf_add(&text, " + A");
	is_int(parse_buf(&text), -EINVAL, "a formula that gets too long");
	has(pmu_error_text(), "T.group:4: a formula that is longer than 511 bytes",
	    "  is refused rather than cut");
}

UNIT_PART(file)
{
	reads_a_group();
	a_group_can_stand_for_others();
	codes_bear_their_alias();
	sections_are_for_cpus();
	p_cores_have_their_limits();
	arm_cores_have_one_name_in_common();
	leaves_out_what_is_not_here();
	goes_by_libpfm4_where_event_files_cannot_be_read();
	refuses_with_a_line();
	has_limits();
	formulas_have_room();
	return done_testing();
}
