/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as a page: its data, put together. */
#include <errno.h>

#include "base/compiler.h"
#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/page/data.h"
#include "bindings/command/page/page.h"
#include "bindings/command/page/timeline.h"
#include "bindings/command/roofline/roofline.h"
#include "report/json.h"
#include "report/json_put.h"
#include "report/text/topdown.h"

/* --- top-down analysis --- */

static bool has_topdown(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (pmu_topdown_is_section(&model->section[i]))
			return true;
	return false;
}

/* What a node of a tree is, and what other nodes of that tree it stands to. */
static void put_topdown_node(struct pmu_strbuf *out, const struct pmu_topdown_tree *tree,
			     const struct pmu_topdown_node *node)
{
	put_text(out, "{", "name", node->name);
	put_text(out, ",", "core", tree->core);
	put_text(out, ",", "parent", node->parent ? node->parent : "");
	put_double(out, ",", "above", node->above);
	put_text(out, ",", "of", node->of == PMU_OF_CYCLES ? "cycles" : "slots");
	put_text(out, ",", "also", node->also ? node->also : "");
	put_text(out, ",", "means", node->means);
	pmu_strbuf_add(out, "}");
}

/* Which node of which tree a metric is; null: none. */
static void put_node_of(struct pmu_strbuf *out, const char *metric)
{
	unsigned int tree = 0;
	int node = pmu_topdown_find(metric, &tree);

	for (unsigned int t = 0; t < tree; t++)
		node += node < 0 ? 0 : (int)pmu_topdown_trees[t].n;
	if (node < 0)
		pmu_strbuf_add(out, "null");
	else
		pmu_encode_u64(out, (uint64_t)node);
}

/* of: for each section null, or for each of its metrics the index of its node, null. */
static void put_nodes_of(struct pmu_strbuf *out, const struct pmu_model *model)
{
	key(out, ",\n  ", "of");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];
		bool is_one = pmu_topdown_is_section(s);

		pmu_strbuf_add(out, i ? "," : "");
		pmu_strbuf_add(out, is_one ? "[" : "null");
		for (unsigned int m = 0; is_one && m < s->n_metrics; m++) {
			pmu_strbuf_add(out, m ? "," : "");
			put_node_of(out, s->metric[m].name);
		}
		pmu_strbuf_add(out, is_one ? "]" : "");
	}
	pmu_strbuf_add(out, "]");
}

/* The nodes of top-down analysis, if any was counted. */
static void put_page_topdown(struct pmu_strbuf *out, const struct pmu_model *model)
{
	bool first = true;

	if (!has_topdown(model))
		return;
	key(out, ",\n ", "topdown");
	key(out, "{", "nodes");
	pmu_strbuf_add(out, "[");
	for (unsigned int t = 0; t < PMU_ARRAY_LEN(pmu_topdown_trees); t++)
		for (unsigned int i = 0; i < pmu_topdown_trees[t].n; i++) {
			next_line(out, first, "   ");
			first = false;
			put_topdown_node(out, &pmu_topdown_trees[t], &pmu_topdown_trees[t].node[i]);
		}
	pmu_strbuf_add(out, "]");
	put_nodes_of(out, model);
	pmu_strbuf_add(out, "}");
}

/* --- all of it --- */

static int put_roofline(struct pmu_strbuf *out, const struct pmu_model *model, const char *file,
			bool asked)
{
	char why[PMU_ERROR_MAX + 64] = "";
	struct pmu_ceilings ceilings;
	struct pmu_roofline roofline;
	int rc = pmu_ceilings_find(model, file, &ceilings, why, sizeof(why));

	if (rc && !why[0])
		return rc;
	rc = pmu_roofline_make(model, rc ? NULL : &ceilings, &roofline);
	if (!rc && (asked || pmu_roofline_is_measured(&roofline)))
		pmu_page_roofline(out, &roofline, why);
	pmu_roofline_free(&roofline);
	return rc;
}

/* It is worth having without them, too. */
static int put_annotations(struct pmu_strbuf *out, const struct pmu_model *model,
			   const struct pmu_annotate_request *request)
{
	int rc = pmu_page_annotations(out, model, request);

	if (!rc || rc == -ENOMEM)
		return rc;
	pmu_command_error("the page has no annotation: %s", pmu_error_text());
	return 0;
}

/* A page without its timeline is still worth having. */
static int put_timeline(struct pmu_strbuf *out, const struct pmu_page_beside *beside)
{
	struct pmu_strbuf json = { 0 };
	int rc = beside->n_stores ? pmu_page_timeline(&json, beside->store, beside->n_stores)
				  : -ENODATA;

	if (!rc)
		pmu_page_data(out, "timeline", &json);
	else if (rc != -ENODATA)
		pmu_command_error("the page has no timeline: %s", pmu_error_text());
	pmu_strbuf_free(&json);
	return out->failed ? -ENOMEM : 0;
}

int pmu_page_report(struct pmu_strbuf *out, const struct pmu_model *model,
		    const struct pmu_page_beside *beside)
{
	struct pmu_strbuf json = { 0 };
	int rc;

	pmu_json_before_regions(&json, model);
	pmu_page_sections(&json, model);
	put_page_topdown(&json, model);
	rc = put_roofline(&json, model, beside->ceilings, beside->roofline);
	if (!rc && beside->annotate)
		rc = put_annotations(&json, model, beside->annotate);
	pmu_json_after_regions(&json, model);
	if (!rc) {
		pmu_page_begin(out);
		pmu_page_data(out, "report", &json);
		rc = put_timeline(out, beside);
		pmu_page_end(out);
	}
	pmu_strbuf_free(&json);
	return rc;
}
