/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callgrind's format, for KCachegrind and callgrind_annotate: what regions have by themselves, and their
 * calls of each other with what those have; functions that samples saw in them, with their lines.
 *
 * Source: Valgrind, Callgrind Format Specification.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/viewers/viewers.h"
#include "report/encode.h"
#include "report/model/finish.h"

struct callgrind {
	struct pmu_strbuf *out;
	const struct pmu_stacks *stacks;
	struct pmu_stack_values values;
	uint64_t *all; /* [n_nodes][n_measures] with what is nested */
	uint64_t *total;
	uint64_t *line;         /* [n_measures] working space: zeros behind the first */
	bool *named;            /* [n_frames] the name stood before */
	const char **file;      /* [n_frames] of a function, NULL: not known */
	unsigned int next_file; /* the first number that no file has yet */
};

/* Numbers of files: regions have none, and must not be taken for functions that have none known. */
enum file { FILE_REGIONS = 1, FILE_UNKNOWN, FILE_OF_FRAME };

/* Beside the regions: around the outermost. */
#define ROOT "(root)"

/* --- the head --- */

/* Letters and digits alone: "branch-misses" is "BranchMisses". */
static void make_name(struct pmu_strbuf *out, const char *name)
{
	bool begins = true;

	for (; *name; name++) {
		char c = *name;

		if (!isalnum((unsigned char)c)) {
			begins = true;
			continue;
		}
		if (begins)
			c = (char)toupper((unsigned char)c);
		/* it begins with a letter */
		if (!out->len && isdigit((unsigned char)c))
			pmu_strbuf_add(out, "N");
		pmu_strbuf_add_n(out, &c, 1);
		begins = false;
	}
	if (!out->len)
		pmu_strbuf_add(out, "Count");
}

/* No two of them have the same: of several each has its number behind it. */
static void callgrind_event_name(const struct pmu_stacks *stacks, unsigned int m,
				 struct pmu_strbuf *out)
{
	unsigned int n_same = 0;

	make_name(out, stacks->measure[m].name);
	for (unsigned int i = 0; i < stacks->n_measures; i++) {
		struct pmu_strbuf other = { 0 };

		make_name(&other, stacks->measure[i].name);
		n_same += !strcmp(pmu_strbuf_text(&other), pmu_strbuf_text(out));
		out->failed |= other.failed;
		pmu_strbuf_free(&other);
	}
	if (n_same > 1)
		pmu_strbuf_addf(out, "X%u", m);
}

static bool callgrind_shows(const struct callgrind *c, unsigned int m)
{
	return !m || c->values.known[m];
}

static void put_events(struct callgrind *c)
{
	struct pmu_strbuf names = { 0 };

	for (unsigned int m = 0; m < c->stacks->n_measures; m++) {
		const struct pmu_stack_measure *measure = &c->stacks->measure[m];
		struct pmu_strbuf name = { 0 };

		if (!callgrind_shows(c, m))
			continue;
		callgrind_event_name(c->stacks, m, &name);
		pmu_strbuf_addf(&names, " %s", pmu_strbuf_text(&name));
		pmu_strbuf_addf(c->out, "event: %s : ", pmu_strbuf_text(&name));
		pmu_encode_line(c->out, measure->name);
		if (measure->unit[0]) {
			pmu_strbuf_add(c->out, " [");
			pmu_encode_line(c->out, measure->unit);
			pmu_strbuf_add(c->out, "]");
		}
		pmu_strbuf_add(c->out, "\n");
		c->out->failed |= name.failed;
		pmu_strbuf_free(&name);
	}
	pmu_strbuf_addf(c->out, "positions: line\nevents:%s\n", pmu_strbuf_text(&names));
	c->out->failed |= names.failed;
	pmu_strbuf_free(&names);
}

/* @value: [n_measures]; NULL: zeros */
static void put_costs(struct callgrind *c, const char *before, const uint64_t *value)
{
	pmu_strbuf_add(c->out, before);
	for (unsigned int m = 0; m < c->stacks->n_measures; m++) {
		if (!callgrind_shows(c, m))
			continue;
		pmu_strbuf_add(c->out, " ");
		pmu_encode_u64(c->out, value ? value[m] : 0);
	}
	pmu_strbuf_add(c->out, "\n");
}

static void callgrind_put_head(struct callgrind *c)
{
	const struct pmu_model *model = c->stacks->model;

	pmu_strbuf_add(c->out,
		       "# callgrind format\nversion: 1\ncreator: libpmu " PACKAGE_VERSION "\n");
	if (model->pid > 0)
		pmu_strbuf_addf(c->out, "pid: %lld\n", (long long)model->pid);
	pmu_strbuf_add(c->out, "cmd: ");
	pmu_encode_line(c->out, model->command[0] ? model->command : model->program);
	pmu_strbuf_add(c->out, "\npart: 1\n");
	for (unsigned int i = 0; i < c->stacks->n_remarks; i++)
		pmu_strbuf_addf(c->out, "desc: %s\n", c->stacks->remark[i]);
	put_events(c);
	put_costs(c, "summary:", c->total);
}

/* --- regions --- */

/*
 * What stands before a function: object and file.  Regions are the program's, which has the number of the root;
 * what a function has has the function's.
 */
static void put_place(struct callgrind *c, const char *kind, unsigned int frame)
{
	const char *object = frame < c->stacks->n_frames ? c->stacks->frame[frame].object : NULL;
	const char *file = object ? c->file[frame] : NULL, *called = *kind == 'c' ? "c" : "";
	bool is_named = c->named[frame];

	if (!c->stacks->functions.n)
		return;
	pmu_strbuf_addf(c->out, "%sob=(%u)", called, object ? frame + 1 : c->stacks->n_frames + 1);
	if (object && !is_named) {
		pmu_strbuf_add(c->out, " ");
		pmu_encode_line(c->out, object[0] ? object : "???");
	}
	pmu_strbuf_addf(c->out, "\n%sfl=(%u)", called,
			!object ? FILE_REGIONS
			: !file ? FILE_UNKNOWN
				: FILE_OF_FRAME + frame);
	if (file && !is_named) {
		pmu_strbuf_add(c->out, " ");
		pmu_encode_line(c->out, file);
	}
	pmu_strbuf_add(c->out, "\n");
}

/* By number from the second time on.  @frame: n_frames stands for the root */
static void put_function(struct callgrind *c, const char *kind, unsigned int frame)
{
	bool is_root = frame == c->stacks->n_frames;

	put_place(c, kind, frame);
	pmu_strbuf_addf(c->out, "%s=(%u)", kind, frame + 1);
	if (!c->named[frame]) {
		pmu_strbuf_add(c->out, " ");
		pmu_encode_line(c->out, is_root ? ROOT : c->stacks->frame[frame].name);
	}
	c->named[frame] = true;
	pmu_strbuf_add(c->out, "\n");
}

static void put_call(struct callgrind *c, unsigned int node)
{
	size_t at = (size_t)node * c->stacks->n_measures;

	put_function(c, "cfn", c->stacks->node[node].frame);
	pmu_strbuf_add(c->out, "calls=");
	/* how often a function was called nobody knows, and readers take 0 calls for none at all */
	pmu_encode_u64(c->out, c->stacks->node[node].function ? 1 : c->values.calls[node]);
	pmu_strbuf_add(c->out, " 0\n");
	put_costs(c, "0", &c->all[at]);
}

/* Samples, which are the first measure: a function has no other. */
static void put_line(struct callgrind *c, uint32_t line, uint64_t n)
{
	char position[16];

	c->line[0] = n;
	snprintf(position, sizeof(position), "%u", line);
	put_costs(c, position, c->line);
}

/* What of it is known by lines, then the rest of all @n. */
static void put_lines(struct callgrind *c, const struct pmu_stack_node *node, uint64_t n)
{
	const struct pmu_model_function *function = node->function;
	const char *file = c->file[node->frame], *now = file;

	for (unsigned int i = 0; file && i < function->n_lines; i++) {
		const struct pmu_model_line *line = &function->line[i];

		if (!line->file[0] || line->n_samples > n)
			continue;
		if (strcmp(line->file, now)) {
			pmu_strbuf_addf(c->out, "fi=(%u) ", c->next_file++);
			pmu_encode_line(c->out, line->file);
			pmu_strbuf_add(c->out, "\n");
		}
		now = line->file;
		put_line(c, line->line, line->n_samples);
		n -= line->n_samples;
	}
	if (file && strcmp(now, file))
		pmu_strbuf_addf(c->out, "fe=(%u)\n", FILE_OF_FRAME + node->frame);
	if (n || !function->n_lines)
		put_line(c, 0, n);
}

/* The file of a function is that of its line with most samples, wherever that was first. */
static void find_files(struct callgrind *c)
{
	for (unsigned int i = 0; i < c->stacks->n_nodes; i++) {
		const struct pmu_stack_node *node = &c->stacks->node[i];

		if (node->function && node->function->n_lines && node->function->line->file[0] &&
		    !c->file[node->frame])
			c->file[node->frame] = node->function->line->file;
	}
	c->next_file = FILE_OF_FRAME + c->stacks->n_frames;
}

/* @node: -1: the root.  @next: [n_nodes] what stands beside a node; @first: what is nested in this one */
static void callgrind_put_node(struct callgrind *c, int node, int first, const int *next)
{
	const struct pmu_stacks *stacks = c->stacks;
	size_t at = node < 0 ? 0 : (size_t)node * stacks->n_measures;
	unsigned int frame = node < 0 ? stacks->n_frames : stacks->node[node].frame;

	pmu_strbuf_add(c->out, "\n");
	put_function(c, "fn", frame);
	if (node >= 0 && stacks->node[node].function)
		put_lines(c, &stacks->node[node], c->values.own[at]);
	else
		put_costs(c, "0", node < 0 ? NULL : &c->values.own[at]);
	for (; first >= 0; first = next[first])
		put_call(c, (unsigned int)first);
}

static int put_nodes(struct callgrind *c)
{
	unsigned int n = c->stacks->n_nodes;
	int *first = malloc((2 * (size_t)n + 1) * sizeof(*first));
	int *next = first ? first + n + 1 : NULL;

	if (!first)
		return -ENOMEM;
	for (unsigned int i = 0; i <= n; i++)
		first[i] = -1;
	/* first[0] is the root's */
	for (unsigned int i = n; i-- > 0;) {
		int *in = &first[c->stacks->node[i].parent + 1];

		next[i] = *in;
		*in = (int)i;
	}
	callgrind_put_node(c, -1, first[0], next);
	for (unsigned int i = 0; i < n; i++)
		callgrind_put_node(c, (int)i, first[i + 1], next);
	free(first);
	return 0;
}

static void add_nested(struct callgrind *c)
{
	unsigned int n_measures = c->stacks->n_measures;

	for (unsigned int i = c->stacks->n_nodes; i-- > 0;) {
		int parent = c->stacks->node[i].parent;
		uint64_t *to = parent < 0 ? c->total : &c->all[(size_t)parent * n_measures];

		for (unsigned int m = 0; m < n_measures; m++) {
			uint64_t *all = &c->all[(size_t)i * n_measures + m];

			*all = pmu_add_capped(*all, pmu_stack_own(&c->values, i, m));
			to[m] = pmu_add_capped(to[m], *all);
		}
	}
}

/* Regions have no lines of a source, and are all in one place. */
static void put_files(struct callgrind *c)
{
	if (c->stacks->functions.n)
		pmu_strbuf_addf(c->out, "\nfl=(%u) ???\nfl=(%u) (regions)\n", FILE_UNKNOWN,
				FILE_REGIONS);
	else
		pmu_strbuf_addf(c->out, "\nfl=(%u) ???\n", FILE_REGIONS);
}

int pmu_viewer_callgrind(struct pmu_strbuf *out, struct pmu_stacks *stacks,
			 const struct pmu_text_options *options)
{
	size_t n_measures = stacks->n_measures;
	struct callgrind c = { .out = out, .stacks = stacks };
	int rc = pmu_stacks_values(stacks, 0, &c.values);

	(void)options;
	c.all = calloc((stacks->n_nodes + 1) * n_measures, sizeof(*c.all));
	c.total = calloc(n_measures, sizeof(*c.total));
	c.line = calloc(n_measures, sizeof(*c.line));
	c.named = calloc((size_t)stacks->n_frames + 1, sizeof(*c.named));
	c.file = calloc((size_t)stacks->n_frames + 1, sizeof(*c.file));
	if (!rc && (!c.all || !c.total || !c.line || !c.named || !c.file))
		rc = -ENOMEM;
	if (!rc) {
		find_files(&c);
		add_nested(&c);
		callgrind_put_head(&c);
		pmu_strbuf_addf(out, "\nob=(%u) ", stacks->n_frames + 1);
		pmu_encode_line(out, stacks->model->program[0] ? stacks->model->program : "???");
		put_files(&c);
		rc = put_nodes(&c);
	}
	free(c.all);
	free(c.total);
	free(c.line);
	free(c.named);
	free(c.file);
	pmu_stack_values_free(&c.values);
	return rc;
}
