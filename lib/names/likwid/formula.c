/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LIKWID's formulas as ours: infix over counters' names, which become columns.
 *
 * Sums over the boxes of a unit are one column where the unit is counted as a whole: what has such
 * a sum in it and each box in no other place is the same with one name for it.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/likwid/parts.h"

#define DEPTH_MAX 24
#define NODES_MAX 2200 /* a line has no more characters than twice as many */
#define NONE      0    /* the first node is the root, which is no node's child or neighbour */

/* SUM and PRODUCT have any number of children, so that depth is that of parentheses. */
enum node_kind { SUM, PRODUCT, NEGATE, MINIMUM, MAXIMUM, NUMBER, NAME, TEXT };

struct node {
	uint8_t kind;
	char joint;   /* in front of it: + - * / */
	bool summed;  /* one column has it with those of the other boxes */
	bool gone;    /* and stands where another of them stood */
	int16_t name; /* NAME: counter */
	uint16_t child, last, next;
	struct pmu_likwid_span text; /* NUMBER; TEXT: what it stands for here */
};

struct parser {
	struct pmu_likwid_reading *r;
	const struct pmu_likwid_metric *metric;
	const char *at, *end;
	int depth, error;
	unsigned int n;
	bool missing; /* a counter of it is not counted */
	uint16_t uses[PMU_LIKWID_MAX_COUNTERS], summed[PMU_LIKWID_MAX_COUNTERS]; /* of families */
	struct node node[NODES_MAX]; /* [n]; make_node() clears each */
};

static uint16_t likwid_sum(struct parser *p);

static void likwid_fail(struct parser *p, int code, const char *what)
{
	if (p->error)
		return;
	p->error = pmu_fail(code, "%s at column %d of the formula \"%.*s\"", what,
			    (int)(p->at - p->metric->formula.at) + 1,
			    PMU_LIKWID_SHOW(p->metric->formula));
}

static uint16_t make_node(struct parser *p, enum node_kind kind)
{
	if (p->n == NODES_MAX) {
		likwid_fail(p, EINVAL, "too many operations");
		return NONE;
	}
	p->node[p->n] = (struct node){ .kind = (uint8_t)kind, .joint = '+', .name = -1 };
	return (uint16_t)p->n++;
}

static void adopt(struct parser *p, uint16_t parent, uint16_t child, char joint)
{
	struct node *of = &p->node[parent];

	if (p->error)
		return;
	p->node[child].joint = joint;
	if (of->last)
		p->node[of->last].next = child;
	else
		of->child = child;
	of->last = child;
}

/* --- words --- */

static char peek(const struct parser *p)
{
	return p->at < p->end ? *p->at : '\0';
}

static bool likwid_accept(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* What LIKWID knows beside counters. */
static const struct {
	const char *name, *text;
	const char *why; /* not here */
} others[] = {
	{ "time", "time", NULL },
	{ "inverseClock", "(1 / tsc_hz)", NULL },
	{ "true", "1", NULL },
	{ "false", "0", NULL },
	{ "num_numadomains", NULL, "the number of NUMA nodes, which formulas here do not know," },
	{ "num_sockets", NULL, "the number of sockets, which formulas here do not know," },
};

/* PMC3 may be "PMC3:EDGEDETECT": the longest spelling that stands here; -1: none */
static int longest(const struct parser *p, size_t word)
{
	int found = -1, by_plain = -1;
	size_t len = 0;

	for (int i = 0; i < p->r->n_counters; i++) {
		const struct pmu_likwid_counter *c = &p->r->counter[i];
		size_t n = c->spelled.len;

		if (c->plain.len == word && !memcmp(c->plain.at, p->at, word))
			by_plain = i;
		if (n > len && n <= (size_t)(p->end - p->at) && !memcmp(c->spelled.at, p->at, n) &&
		    (p->at + n == p->end || !in_name(p->at[n]))) {
			found = i;
			len = n;
		}
	}
	/* without the options that its line has: no other counter is meant */
	return found >= 0 ? found : by_plain;
}

static uint16_t likwid_counter(struct parser *p, int i, size_t word)
{
	struct pmu_likwid_counter *c = &p->r->counter[i];
	size_t len = c->spelled.len;
	uint16_t node = make_node(p, NAME);

	if (len > (size_t)(p->end - p->at) || memcmp(c->spelled.at, p->at, len) != 0)
		len = word;
	p->at += len;
	if (peek(p) == ':')
		likwid_fail(p, EINVAL, "options that no counter of the EVENTSET has");
	if (p->error)
		return NONE;
	p->node[node].name = (int16_t)i;
	if (!c->counted)
		p->missing = true;
	else
		p->uses[c->family]++;
	return node;
}

static uint16_t text(struct parser *p, enum node_kind kind, const char *at, size_t len)
{
	uint16_t node = make_node(p, kind);

	if (!p->error)
		p->node[node].text = (struct pmu_likwid_span){ at, len };
	return node;
}

/* min(a,b); of LIKWID's other functions none has a use in its groups */
static uint16_t likwid_function(struct parser *p, struct pmu_likwid_span word)
{
	bool min = pmu_likwid_is(word, "min");
	bool max = pmu_likwid_is(word, "max");
	uint16_t node = make_node(p, min ? MINIMUM : MAXIMUM);

	if (!min && !max)
		likwid_fail(p, ENOTSUP, "a function that formulas here do not have");
	p->at += word.len + 1;
	if (++p->depth > DEPTH_MAX)
		likwid_fail(p, EINVAL, "too many parentheses");
	for (int i = 0; i < 2 && !p->error; i++) {
		adopt(p, node, likwid_sum(p), '+');
		if (!p->error && !likwid_accept(p, i ? ')' : ','))
			likwid_fail(p, EINVAL, i ? "expected ')'" : "expected ','");
	}
	p->depth--;
	return node;
}

static uint16_t likwid_word(struct parser *p)
{
	struct pmu_likwid_span word = { p->at, 0 };
	int i;

	while (p->at + word.len < p->end && in_name(p->at[word.len]))
		word.len++;
	if (p->at + word.len < p->end && p->at[word.len] == '(')
		return likwid_function(p, word);
	i = longest(p, word.len);
	if (i >= 0)
		return likwid_counter(p, i, word.len);
	for (size_t k = 0; k < PMU_ARRAY_LEN(others); k++) {
		if (!pmu_likwid_is(word, others[k].name))
			continue;
		if (others[k].why) {
			likwid_fail(p, ENOTSUP, others[k].why);
			return NONE;
		}
		p->at += word.len;
		return text(p, TEXT, others[k].text, strlen(others[k].text));
	}
	likwid_fail(p, ENOTSUP, "a name that is no counter of the EVENTSET");
	return NONE;
}

/* 1.0E-06, 1.E-06 */
static uint16_t likwid_number(struct parser *p)
{
	const char *from = p->at, *at = from;
	size_t n = 0;

	while (at < p->end && (isdigit((unsigned char)*at) || *at == '.'))
		n += isdigit((unsigned char)*at++) != 0;
	if (at < p->end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < p->end && (*at == '-' || *at == '+');
		n = at < p->end && isdigit((unsigned char)*at) ? n : 0;
		while (at < p->end && isdigit((unsigned char)*at))
			at++;
	}
	if (!n || (at < p->end && in_name(*at)))
		likwid_fail(p, EINVAL, "no number");
	p->at = at;
	return text(p, NUMBER, from, (size_t)(at - from));
}

/* --- grammar --- */

static uint16_t likwid_parenthesis(struct parser *p)
{
	uint16_t node;

	p->at++;
	if (++p->depth > DEPTH_MAX)
		likwid_fail(p, EINVAL, "too many parentheses");
	node = p->error ? NONE : likwid_sum(p);
	p->depth--;
	if (!p->error && !likwid_accept(p, ')'))
		likwid_fail(p, EINVAL, "expected ')'");
	return node;
}

static uint16_t likwid_primary(struct parser *p)
{
	if (peek(p) == '(')
		return likwid_parenthesis(p);
	if (isdigit((unsigned char)peek(p)) || peek(p) == '.')
		return likwid_number(p);
	if (isalpha((unsigned char)peek(p)))
		return likwid_word(p);
	likwid_fail(p, EINVAL,
		    p->at < p->end ? "expected a number, a counter or '('" : "a value is missing");
	return NONE;
}

static uint16_t likwid_factor(struct parser *p)
{
	bool minus = false;
	uint16_t node, negated;

	while (likwid_accept(p, '-'))
		minus = !minus;
	node = likwid_primary(p);
	if (!minus || p->error)
		return node;
	negated = make_node(p, NEGATE);
	adopt(p, negated, node, '+');
	return negated;
}

static uint16_t likwid_product(struct parser *p)
{
	uint16_t node = make_node(p, PRODUCT);
	char joint = '*';

	while (!p->error) {
		adopt(p, node, likwid_factor(p), joint);
		joint = peek(p);
		if (joint == '^' || joint == '%')
			likwid_fail(p, ENOTSUP, "an operator that formulas here do not have");
		if (joint != '*' && joint != '/')
			break;
		p->at++;
	}
	return node;
}

static uint16_t likwid_sum(struct parser *p)
{
	uint16_t node = make_node(p, SUM);
	char joint = '+';

	while (!p->error) {
		adopt(p, node, likwid_product(p), joint);
		joint = peek(p);
		if (joint != '+' && joint != '-')
			break;
		p->at++;
	}
	return node;
}

/* --- boxes --- */

/* The counter that a term is, and nothing else; -1 */
static int16_t sole_name(const struct parser *p, uint16_t term)
{
	const struct node *node = &p->node[term];

	while ((node->kind == PRODUCT || node->kind == SUM) && node->child == node->last)
		node = &p->node[node->child];
	return node->kind == NAME && p->r->counter[node->name].counted ? node->name : -1;
}

/*
 * One family in one sum: is each of its boxes there, once, with the same sign?  Those that the
 * machine lacks add nothing, and need not be.
 */
static bool has_all(const struct parser *p, const struct node *of, int family, char sign)
{
	for (int i = 0; i < p->r->n_counters; i++) {
		const struct pmu_likwid_counter *c = &p->r->counter[i];
		int n = 0;

		if (!c->counted || c->family != family)
			continue;
		for (uint16_t term = of->child; term; term = p->node[term].next)
			n += sole_name(p, term) == i && p->node[term].joint == sign;
		if (n != 1 && (n || !c->no_box))
			return false;
	}
	return true;
}

/* All of the family's terms but the first are gone with it. */
static void sum_family(struct parser *p, struct node *of, int family, char sign)
{
	bool first = true;

	for (uint16_t term = of->child; term; term = p->node[term].next) {
		int16_t name = sole_name(p, term);

		if (name < 0 || p->r->counter[name].family != family || p->node[term].joint != sign)
			continue;
		p->node[term].summed = true;
		p->node[term].gone = !first;
		p->summed[family]++;
		first = false;
	}
}

static void fold(struct parser *p, struct node *of)
{
	for (uint16_t term = of->child; term; term = p->node[term].next) {
		int16_t name = p->node[term].summed ? -1 : sole_name(p, term);
		int family = name < 0 ? -1 : p->r->counter[name].family;

		if (family >= 0 && !p->r->apart[family] &&
		    has_all(p, of, family, p->node[term].joint))
			sum_family(p, of, family, p->node[term].joint);
	}
}

/* A box that the machine lacks, where its count alone is asked for. */
static bool lacks_box(const struct parser *p)
{
	for (unsigned int i = 1; i < p->n; i++) {
		const struct node *node = &p->node[i];
		const struct pmu_likwid_counter *c;

		if (node->kind != NAME)
			continue;
		c = &p->r->counter[node->name];
		if (c->no_box && p->r->apart[c->family])
			return true;
	}
	return false;
}

/* --- writing --- */

static void write_likwid_node(const struct parser *p, uint16_t at, bool alone,
			      struct pmu_strbuf *out);

/* What stands for a counter, with columns for the names in quotes. */
static void write_parts(const struct parser *p, const struct pmu_likwid_counter *c,
			struct pmu_strbuf *out)
{
	struct pmu_likwid_span rest = c->stands_for;

	pmu_strbuf_add(out, "(");
	for (int i = 0; i < c->n_parts; i++) {
		const char *open = memchr(rest.at, '"', rest.len);
		const char *close = strchr(open + 1, '"');
		int slot = p->r->part[c->first_part + i].slot;

		pmu_strbuf_addf(out, "%.*s\"%s\"", (int)(open - rest.at), rest.at,
				p->r->group->event[slot].name);
		rest.len -= (size_t)(close + 1 - rest.at);
		rest.at = close + 1;
	}
	pmu_strbuf_addf(out, "%.*s)", (int)rest.len, rest.at);
}

static void write_column(const struct parser *p, const struct node *node, struct pmu_strbuf *out)
{
	const struct pmu_likwid_counter *c = &p->r->counter[node->name];
	const char *column;

	if (c->n_parts) {
		/* boxes that are counted at once have the parts of the first */
		write_parts(p, p->r->apart[c->family] ? c : &p->r->counter[c->family], out);
		return;
	}
	column = p->r->group->event[c->slot].name;
	pmu_strbuf_addf(out, c->per > 0 ? "(\"%s\" / %g)" : "\"%s\"", column, c->per);
}

static void write_joined(const struct parser *p, const struct node *node, bool alone,
			 struct pmu_strbuf *out)
{
	const char *open = "";

	for (uint16_t term = node->child; term; term = p->node[term].next) {
		char joint = p->node[term].joint;

		if (p->node[term].gone)
			continue;
		if (*open)
			pmu_strbuf_addf(out, " %c ", joint);
		else if (joint == '-')
			pmu_strbuf_add(out, "-");
		write_likwid_node(p, term, alone, out);
		open = " ";
	}
}

/* Of a sum or a product with one term that term. */
static bool is_one(const struct parser *p, const struct node *node)
{
	int n = 0;

	for (uint16_t term = node->child; term; term = p->node[term].next)
		n += !p->node[term].gone;
	return n == 1;
}

static void write_likwid_node(const struct parser *p, uint16_t at, bool alone,
			      struct pmu_strbuf *out)
{
	const struct node *node = &p->node[at];
	bool one;

	switch ((enum node_kind)node->kind) {
	case SUM:
	case PRODUCT:
		one = is_one(p, node);
		pmu_strbuf_add(out, alone || one ? "" : "(");
		write_joined(p, node, alone && one, out);
		pmu_strbuf_add(out, alone || one ? "" : ")");
		break;
	case NEGATE:
		pmu_strbuf_add(out, "-");
		write_likwid_node(p, node->child, false, out);
		break;
	case MINIMUM:
	case MAXIMUM:
		pmu_strbuf_add(out, node->kind == MINIMUM ? "min(" : "max(");
		write_likwid_node(p, node->child, true, out);
		pmu_strbuf_add(out, ", ");
		write_likwid_node(p, node->last, true, out);
		pmu_strbuf_add(out, ")");
		break;
	case NAME:
		write_column(p, node, out);
		break;
	default:
		pmu_strbuf_add_n(out, node->text.at, node->text.len);
	}
}

/* --- a metric --- */

static int translate_likwid(struct parser *p, struct pmu_strbuf *out)
{
	uint16_t root;

	p->n = 1;
	root = likwid_sum(p);
	if (!p->error && p->at < p->end)
		likwid_fail(p, EINVAL, "expected an operator");
	if (p->error)
		return p->error;
	if (p->missing)
		return 0;
	for (unsigned int i = 1; i < p->n; i++)
		if (p->node[i].kind == SUM)
			fold(p, &p->node[i]);
	if (out && lacks_box(p))
		return 0;
	if (out)
		write_likwid_node(p, root, true, out);
	for (int i = 0; i < p->r->n_counters && !out; i++)
		p->r->apart[i] |= p->uses[i] != p->summed[i];
	return 1;
}

int pmu_likwid_formula(struct pmu_likwid_reading *r, const struct pmu_likwid_metric *metric,
		       struct pmu_strbuf *out)
{
	/* not on the stack: a program's thread may have a small one */
	struct parser *p = malloc(sizeof(*p));
	int rc;

	if (!p)
		return pmu_fail(ENOMEM, "no memory for a formula");
	memset(p, 0, offsetof(struct parser, node[1]));
	p->r = r;
	p->metric = metric;
	p->at = metric->formula.at;
	p->end = p->at + metric->formula.len;
	rc = translate_likwid(p, out);
	free(p);
	return rc;
}
