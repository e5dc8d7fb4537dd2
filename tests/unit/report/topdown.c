/* SPDX-License-Identifier: BSD-3-Clause */
/* Top-down analysis as a tree: which regions, which nodes, and which branch is marked. */
#include "report/text/topdown.h"

#include "report/encode.h"
#include "report/report.h"
#include "unit/model_sample.h"
#include "unit/part.h"

static const uint64_t ms = 1000000;

/* Metrics by their names, in percent. */
struct metric {
	const char *name;
	double value;
};

#define MAX_METRICS 16

/* A section with regions on one level, "r0" the longest. */
static void make_section(struct pmu_model *model, unsigned int at, const char *group,
			 const struct metric *metric, unsigned int n_regions)
{
	struct pmu_model_section *s = &model->section[at];

	s->group = group;
	s->metric = pmu_model_alloc(model, MAX_METRICS * sizeof(*s->metric));
	for (s->n_metrics = 0; metric[s->n_metrics].name; s->n_metrics++)
		s->metric[s->n_metrics] = (struct pmu_model_metric){
			.name = metric[s->n_metrics].name, .unit = "%", .formula = ""
		};
	for (unsigned int i = 0; i < n_regions; i++)
		sample_row(model, s, 0, -1, pmu_model_textf(model, "r%u", i), 10, (100 - i) * ms);
}

static void set_values(struct pmu_model *model, unsigned int at, const struct metric *metric)
{
	struct pmu_model_section *s = &model->section[at];

	for (unsigned int i = 0; i < s->n_rows; i++)
		for (unsigned int m = 0; m < s->n_metrics; m++)
			s->row[i].metric[m] = metric[m].value;
}

/* The trees of a report of one or two groups, the whole text where there is none; to be freed. */
static char *trees_of(const char *group, const struct metric *first, const struct metric *second,
		      unsigned int n_regions, const struct pmu_text_options *options)
{
	struct pmu_model *model = sample_head();
	struct pmu_strbuf out = { 0 };
	char *tree, *text, *who;

	sample_threads(model, 1, 10000 * ms);
	sample_sections(model, second ? 2 : 1, n_regions);
	make_section(model, 0, group, first, n_regions);
	if (second)
		make_section(model, 1, "TMA_MEMORY", second, n_regions);
	pmu_model_finish(model);
	set_values(model, 0, first);
	if (second)
		set_values(model, 1, second);
	pmu_write_text(&out, model, options);
	tree = strstr(pmu_strbuf_text(&out), "\n  top-down: ");
	who = tree ? strstr(tree, "\n  thread  ") : NULL;
	if (who)
		*who = '\0';
	text = strdup(tree ? tree : pmu_strbuf_text(&out));
	pmu_strbuf_free(&out);
	pmu_model_free(model);
	return text;
}

static const struct pmu_text_options plain = { .columns = 100 };

static void fits(const char *text, size_t columns)
{
	size_t widest = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		widest = pmu_utf8_width(line) > widest ? pmu_utf8_width(line) : widest;
		free(line);
		text += len + (text[len] == '\n');
	}
	ok(widest <= columns, "within %zu columns: %zu", columns, widest);
}

static const struct metric slots[] = {
	{ "retiring", 20 },       { "bad speculation", 4 },       { "front-end bound", 6 },
	{ "back-end bound", 70 }, { "memory bound", 55 },         { "core bound", 15 },
	{ "fetch latency", 12 },  { "used by the sibling", NAN }, { NULL, 0 }
};
static const struct metric memory[] = {
	{ "L1 bound", 3 }, { "L2 bound", 7.5 }, { "DRAM bound", 41.25 }, { NULL, 0 }
};

static void a_tree_leads_to_what_matters(void)
{
	char *text = trees_of("TMA_SLOTS", slots, memory, 1, &plain);

	is_str(text,
	       "\n  top-down: where the slots of the pipeline went; * above the threshold for it, <-- "
	       "look here first\n"
	       "\n  r0, 200.0 ms\n"
	       "    front-end bound                   6.0% of slots  "
	       "##......................................\n"
	       "      fetch latency                  12.0% of slots  "
	       "#####...................................\n"
	       "    bad speculation                   4.0% of slots  "
	       "##......................................\n"
	       "    back-end bound                   70.0% of slots  "
	       "############################............ *\n"
	       "      memory bound                   55.0% of slots  "
	       "######################.................. *\n"
	       "        L1 bound                      3.0% of cycles "
	       "#.......................................\n"
	       "        L2 bound                      7.5% of cycles "
	       "###..................................... *\n"
	       "        DRAM bound                   41.3% of cycles "
	       "#################....................... * <--\n"
	       "      core bound                     15.0% of slots  "
	       "######.................................. *\n"
	       "    used by the sibling\n"
	       "    retiring                         20.0% of slots  "
	       "########................................\n"
	       "    DRAM bound: loads waited for memory: use caches better (blocks, layout, prefetching), and look\n"
	       "    at the groups MEM and NUMA, whether it is the bandwidth or the latency\n",
	       "whole lines, from two groups; what is above its threshold in a parent that is not, has no "
	       "mark");
	fits(text, 100);
	free(text);
}

static void any_width_will_do(void)
{
	for (unsigned int columns = 60; columns < 120; columns += 9) {
		const struct pmu_text_options narrow = { .columns = columns };
		char *text = trees_of("TMA_SLOTS", slots, memory, 1, &narrow);

		fits(text, columns);
		has(text, " * <--\n", "marks are there");
		ok(!strstr(text, " \n"), "no line ends in a blank");
		free(text);
	}
}

static void a_missing_node_is_blank_and_hides_nothing(void)
{
	static const struct metric level_1[] = { { "retiring", 30 },
						 { "bad speculation", 5 },
						 { "front-end bound", NAN },
						 { "back-end bound", 60 },
						 { NULL, 0 } };
	char *text = trees_of("TOPDOWN", level_1, memory, 1, &plain);

	has(text, "    front-end bound\n", "no value");
	has(text, "      memory bound\n        L1 bound ",
	    "a node that nobody counts, around others");
	has(text, "........ * <--\n", "whose mark goes by what is around it");
	has(text, "    DRAM bound: ", "and has its sentence");
	ok(!strstr(text, "core bound"), "what nobody counts is not there");
	free(text);
}

static void heavy_operations_make_retiring_count(void)
{
	static const struct metric heavy[] = { { "retiring", 40 },
					       { "light operations", 25 },
					       { "heavy operations", 15 },
					       { NULL, 0 } };
	char *text = trees_of("TMA_SLOTS", heavy, NULL, 1, &plain);

	has(text,
	    "    retiring                         40.0% of slots  ################........................ *\n",
	    "below its own threshold");
	has(text, "######.................................. * <--\n    heavy operations: ",
	    "for what is in it");
	free(text);
}

static void where_nothing_stands_out_that_is_said(void)
{
	static const struct metric even[] = { { "retiring", 65 },
					      { "bad speculation", -0.25 },
					      { "front-end bound", 15 },
					      { "back-end bound", 20 },
					      { NULL, 0 } };
	char *text = trees_of("TMA_SLOTS", even, NULL, 1, &plain);

	has(text, "    no share is large enough to stand out\n", "at a threshold is not above it");
	has(text, "  -0.3% of slots  ........................................\n",
	    "a negative share");
	free(text);
}

static void e_cores_have_a_tree_of_their_own(void)
{
	static const struct metric both[] = { { "back-end bound", 19 },
					      { "back-end bound, E core", 19 },
					      { "core bound, E core slots", 12 },
					      { NULL, 0 } };
	char *text = trees_of("TMA_SLOTS", both, NULL, 1, &plain);

	has(text,
	    "\n  r0, 100.0 ms\n    back-end bound                   19.0% of slots  "
	    "########................................\n    no share",
	    "of P cores");
	has(text,
	    "\n  r0, 100.0 ms, E cores\n    back-end bound                   19.0% of slots  "
	    "########................................ *\n      core bound ",
	    "and of E cores, which have thresholds of their own");
	free(text);
}

static int times_in(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void the_longest_regions_have_trees(void)
{
	const struct pmu_text_options all = { .columns = 100, .all = true },
				      two = { .columns = 100, .top = 2 },
				      some = { .columns = 100, .filter = "r1?" },
				      brief = { .columns = 100, .brief = true };
	char *text = trees_of("TMA_SLOTS", slots, NULL, 12, &plain);

	is_int(times_in(text, "\n    back-end bound "), 10, "ten");
	has(text, "\n  r9, 91.00 ms\n", "the longest");
	has(text, "  and 2 more regions of at most 90.00 ms; PMU_REPORT=all shows all of them\n",
	    "and how many more");
	free(text);
	text = trees_of("TMA_SLOTS", slots, NULL, 12, &all);
	is_int(times_in(text, "\n    back-end bound "), 12, "all of them");
	free(text);
	text = trees_of("TMA_SLOTS", slots, NULL, 12, &two);
	is_int(times_in(text, "\n    back-end bound "), 2, "as many as were asked for");
	free(text);
	text = trees_of("TMA_SLOTS", slots, NULL, 12, &some);
	is_int(times_in(text, "\n    back-end bound "), 2, "those that were asked for");
	free(text);
	text = trees_of("TMA_SLOTS", slots, NULL, 12, &brief);
	ok(!strstr(text, "top-down:"), "rows alone have none");
	free(text);
}

static void a_long_path_ends_as_it_does(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_strbuf out = { 0 };

	sample_threads(model, 1, 10000 * ms);
	sample_sections(model, 1, 2);
	make_section(model, 0, "TMA_SLOTS", slots, 0);
	sample_row(model, model->section, 0, -1, SAMPLE_LONG_A, 1, 200 * ms);
	sample_row(model, model->section, 0, 0, SAMPLE_LONG_B "\xc3\xa4", 1, 100 * ms);
	pmu_model_finish(model);
	set_values(model, 0, slots);
	pmu_write_text(&out, model, &plain);
	has(pmu_strbuf_text(&out), "\n  ...", "the beginning is left out");
	has(pmu_strbuf_text(&out), "__other__and_goes_on_and_on\xc3\xa4, 100.0 ms\n",
	    "its end is not");
	fits(pmu_strbuf_text(&out), 100);
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

static void other_groups_have_none(void)
{
	char *text = trees_of("MINE", slots, NULL, 1, &plain);

	ok(!strstr(text, "top-down:"), "whatever their metrics are called");
	free(text);
}

static void the_table_is_sound(void)
{
	for (unsigned int t = 0; t < PMU_TOPDOWN_TREES; t++) {
		const struct pmu_topdown_tree *tree = &pmu_topdown_trees[t];

		for (unsigned int i = 0; i < tree->n; i++) {
			const struct pmu_topdown_node *node = &tree->node[i];
			bool parent = !node->parent, also = !node->also;

			for (unsigned int k = 0; k < tree->n; k++) {
				parent |= k < i && node->parent &&
					  !strcmp(tree->node[k].name, node->parent);
				also |= node->also && !strcmp(tree->node[k].name, node->also);
				if (k != i && !strcmp(tree->node[k].name, node->name))
					diag("%s stands there twice", node->name);
			}
			ok(parent && also && node->means[0] && node->above > 0, "%s%s", node->name,
			   t ? ", E cores" : "");
		}
	}
}

UNIT_PART(topdown)
{
	a_tree_leads_to_what_matters();
	any_width_will_do();
	a_missing_node_is_blank_and_hides_nothing();
	heavy_operations_make_retiring_count();
	where_nothing_stands_out_that_is_said();
	e_cores_have_a_tree_of_their_own();
	the_longest_regions_have_trees();
	a_long_path_ends_as_it_does();
	other_groups_have_none();
	the_table_is_sound();
	return done_testing();
}
