/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the formulas of Intel's metric files, which are Python's, and writes them in our language.
 */
#include "names/vendor/formula.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/compiler.h"
#include "base/error.h"

#define DEPTH_MAX 24
/*
 * Operations under each other, as a + b + c + ... are: writing goes down them, on a stack that may
 * be small.
 */
#define HEIGHT_MAX 120
#define NODES_MAX  1024
#define SHOWN      40

enum kind {
	NUMBER,
	NAME,
	NEGATE,
	MIN,
	MAX,
	MULTIPLY,
	DIVIDE,
	ADD,
	SUBTRACT,
	LESS,
	GREATER,
	CHOICE
};

/* How closely a kind binds its operands: one that binds less stands in parentheses. */
static const struct {
	uint8_t binding;
	const char *sign;
} kinds[] = {
	[NUMBER] = { 3, "" },  [NAME] = { 3, "" },     [NEGATE] = { 3, "-" },
	[MIN] = { 3, "min" },  [MAX] = { 3, "max" },   [MULTIPLY] = { 2, "*" },
	[DIVIDE] = { 2, "/" }, [ADD] = { 1, "+" },     [SUBTRACT] = { 1, "-" },
	[LESS] = { 0, "<" },   [GREATER] = { 0, ">" }, [CHOICE] = { 0, "if" },
};

struct node {
	enum kind kind;
	const struct node *a, *b; /* operands */
	const struct node *condition;
	unsigned int height; /* of what is below, and itself */
	const char *at;      /* NUMBER and NAME: in the formula */
	size_t len;
	double number;
};

struct reader {
	const char *text, *at;
	int depth, n_nodes, error;
	struct node *node; /* [NODES_MAX] */
};

/* --- reading --- */

static const struct node *intel_choice(struct reader *r);

static const struct node *refuse_formula(struct reader *r, const char *what)
{
	if (!r->error)
		r->error = pmu_fail(
			ENOTSUP, "its formula has %s at column %d, which formulas here cannot have",
			what, (int)(r->at - r->text) + 1);
	return &r->node[0];
}

static const struct node *add_node(struct reader *r, struct node node)
{
	if (r->error)
		return &r->node[0];
	if (node.a)
		node.height = node.a->height + 1;
	if (node.b && node.b->height >= node.height)
		node.height = node.b->height + 1;
	if (node.condition && node.condition->height >= node.height)
		node.height = node.condition->height + 1;
	if (node.height > HEIGHT_MAX)
		return refuse_formula(r, "too many operations in one another");
	if (r->n_nodes == NODES_MAX) {
		r->error = pmu_fail(ENOTSUP, "its formula has more than %d operations", NODES_MAX);
		return &r->node[0];
	}
	r->node[r->n_nodes] = node;
	return &r->node[r->n_nodes++];
}

static bool intel_accept(struct reader *r, char c)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
	if (!c || *r->at != c)
		return false;
	r->at++;
	return true;
}

static size_t name_word_length(const char *at)
{
	size_t len = 0;

	while (pmu_starts_word(at[len]) || (len && (pmu_is_digit(at[len]) || at[len] == '.')))
		len++;
	return len;
}

static bool accept_word(struct reader *r, const char *word)
{
	size_t len;

	intel_accept(r, '\0');
	len = name_word_length(r->at);
	if (len != strlen(word) || memcmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* It is written as it stands; the value is for conditions. */
static const struct node *intel_number(struct reader *r)
{
	struct node node = { .kind = NUMBER, .at = r->at };
	double unit = 1;

	for (; pmu_is_digit(*r->at); r->at++)
		node.number = node.number * 10 + (*r->at - '0');
	if (*r->at == '.')
		for (r->at++; pmu_is_digit(*r->at); r->at++)
			node.number += (*r->at - '0') * (unit /= 10);
	if (*r->at == 'e' || *r->at == 'E') {
		r->at += 1 + (r->at[1] == '-' || r->at[1] == '+');
		for (; pmu_is_digit(*r->at); r->at++)
			node.number = NAN;
	}
	if (pmu_starts_word(*r->at) || *r->at == '.' || !pmu_is_digit(r->at[-1]))
		return refuse_formula(r, "a strange number");
	node.len = (size_t)(r->at - node.at);
	return add_node(r, node);
}

static const struct node *intel_of_two(struct reader *r, enum kind kind)
{
	struct node node = { .kind = kind };

	if (!intel_accept(r, '('))
		return refuse_formula(r, "a function without arguments");
	node.a = intel_choice(r);
	if (!intel_accept(r, ','))
		return refuse_formula(r, "a function that is not of two values");
	node.b = intel_choice(r);
	if (!intel_accept(r, ')'))
		return refuse_formula(r, *r->at == ',' ? "a function that is not of two values"
						       : "no closing parenthesis");
	return add_node(r, node);
}

static const struct node *intel_parenthesis(struct reader *r)
{
	const struct node *inside = intel_choice(r);

	return intel_accept(r, ')') ? inside : refuse_formula(r, "no closing parenthesis");
}

static const struct node *intel_word(struct reader *r)
{
	struct node node = { .kind = NAME, .at = r->at, .len = name_word_length(r->at) };
	char what[8];

	if (!node.len) {
		snprintf(what, sizeof(what), "\"%c\"", *r->at);
		return refuse_formula(r, *r->at > ' ' && *r->at <= '~' ? what : "no value");
	}
	r->at += node.len;
	return add_node(r, node);
}

static const struct node *intel_value(struct reader *r)
{
	const struct node *node;

	if (r->depth == DEPTH_MAX)
		return refuse_formula(r, "too many parentheses or choices in one another");
	r->depth++;
	if (intel_accept(r, '('))
		node = intel_parenthesis(r);
	else if (intel_accept(r, '-'))
		node = add_node(r, (struct node){ .kind = NEGATE, .a = intel_value(r) });
	else if (pmu_is_digit(*r->at))
		node = intel_number(r);
	else if (accept_word(r, "min"))
		node = intel_of_two(r, MIN);
	else if (accept_word(r, "max"))
		node = intel_of_two(r, MAX);
	else
		node = intel_word(r);
	r->depth--;
	return node;
}

static const struct node *intel_product(struct reader *r)
{
	const struct node *node = intel_value(r);

	while (!r->error) {
		enum kind kind = intel_accept(r, '*')   ? MULTIPLY
				 : intel_accept(r, '/') ? DIVIDE
							: NUMBER;

		if (kind == NUMBER)
			break;
		node = add_node(r, (struct node){ .kind = kind, .a = node, .b = intel_value(r) });
	}
	return node;
}

static const struct node *intel_sum(struct reader *r)
{
	const struct node *node = intel_product(r);

	while (!r->error) {
		enum kind kind = intel_accept(r, '+')   ? ADD
				 : intel_accept(r, '-') ? SUBTRACT
							: NUMBER;

		if (kind == NUMBER)
			break;
		node = add_node(r, (struct node){ .kind = kind, .a = node, .b = intel_product(r) });
	}
	return node;
}

static const struct node *intel_comparison(struct reader *r)
{
	const struct node *node = intel_sum(r);
	enum kind kind = intel_accept(r, '<') ? LESS : intel_accept(r, '>') ? GREATER : NUMBER;

	return kind == NUMBER
		       ? node
		       : add_node(r, (struct node){ .kind = kind, .a = node, .b = intel_sum(r) });
}

/* X if CONDITION else Y */
static const struct node *intel_choice(struct reader *r)
{
	struct node node = { .kind = CHOICE, .a = intel_comparison(r) };

	if (r->error || !accept_word(r, "if"))
		return node.a;
	node.condition = intel_comparison(r);
	if (!r->error && !accept_word(r, "else"))
		return refuse_formula(r, "an \"if\" without \"else\"");
	r->depth++; /* too deep is too deep for the value too */
	node.b = intel_choice(r);
	r->depth--;
	return add_node(r, node);
}

/* --- writing --- */

struct writer {
	struct pmu_intel_term *term;
	size_t n_terms;
	struct pmu_strbuf *out;
	int error;
};

static void cannot(struct writer *w, const char *why)
{
	if (!w->error)
		w->error = pmu_fail(ENOTSUP, "%s", why);
}

static struct pmu_intel_term *find_alias_term(struct writer *w, const struct node *node)
{
	char why[64 + SHOWN];

	for (size_t i = 0; i < w->n_terms; i++) {
		struct pmu_intel_term *term = &w->term[i];

		if (strlen(term->alias) != node->len ||
		    memcmp(term->alias, node->at, node->len) != 0)
			continue;
		if (term->why)
			cannot(w, term->why);
		return term;
	}
	snprintf(why, sizeof(why), "its formula has the unknown name \"%.*s\"",
		 (int)(node->len < SHOWN ? node->len : SHOWN), node->at);
	cannot(w, why);
	return NULL;
}

/* Of numbers alone; NaN: something counted is in it. */
static double constant_of(struct writer *w, const struct node *node)
{
	const struct pmu_intel_term *term;
	double a, b;

	if (node->kind == NUMBER)
		return node->number;
	if (node->kind == NAME) {
		term = find_alias_term(w, node);
		return term && !term->text ? term->number : NAN;
	}
	if (node->kind != LESS && node->kind != GREATER)
		return NAN;
	a = constant_of(w, node->a);
	b = constant_of(w, node->b);
	if (isnan(a) || isnan(b))
		return NAN;
	return node->kind == LESS ? a < b : a > b;
}

/* The operand that a choice comes down to; the choice itself where what is counted decides. */
static const struct node *chosen(struct writer *w, const struct node *node)
{
	while (node->kind == CHOICE && !w->error) {
		double condition = constant_of(w, node->condition);

		if (isnan(condition))
			break;
		node = condition != 0 ? node->a : node->b;
	}
	return node;
}

static void write_term(struct writer *w, const struct node *node)
{
	struct pmu_intel_term *term = find_alias_term(w, node);

	if (!term)
		return;
	term->used = true;
	/* numbers of things: whole ones */
	if (term->text)
		pmu_strbuf_add(w->out, term->text);
	else
		pmu_strbuf_addf(w->out, "%.0f", term->number);
}

static void write_intel_node(struct writer *w, const struct node *node, unsigned int binding);

/* "if(a < b, x, y)" */
static void write_choice(struct writer *w, const struct node *node)
{
	const struct node *condition = node->condition;

	if (condition->kind != LESS && condition->kind != GREATER)
		return cannot(w, "its formula chooses by what was counted and not compared");
	pmu_strbuf_add(w->out, "if(");
	write_intel_node(w, condition->a, 1);
	pmu_strbuf_addf(w->out, " %s ", kinds[condition->kind].sign);
	write_intel_node(w, condition->b, 1);
	pmu_strbuf_add(w->out, ", ");
	write_intel_node(w, node->a, 1);
	pmu_strbuf_add(w->out, ", ");
	write_intel_node(w, node->b, 1);
	pmu_strbuf_add(w->out, ")");
}

static void write_intel_node(struct writer *w, const struct node *node, unsigned int binding)
{
	unsigned int own;
	bool parentheses;

	node = chosen(w, node);
	if (w->error)
		return;
	if (node->kind == CHOICE)
		return write_choice(w, node);
	own = kinds[node->kind].binding;
	if (!own)
		cannot(w, "its formula computes with a comparison");
	if (w->error)
		return;
	parentheses = own < binding;
	if (parentheses)
		pmu_strbuf_add(w->out, "(");
	if (node->kind == NUMBER) {
		pmu_strbuf_add_n(w->out, node->at, node->len);
	} else if (node->kind == NAME) {
		write_term(w, node);
	} else if (node->kind == NEGATE) {
		pmu_strbuf_add(w->out, "-");
		write_intel_node(w, node->a, own);
	} else if (own == 3) {
		pmu_strbuf_addf(w->out, "%s(", kinds[node->kind].sign);
		write_intel_node(w, node->a, 1);
		pmu_strbuf_add(w->out, ", ");
		write_intel_node(w, node->b, 1);
		pmu_strbuf_add(w->out, ")");
	} else {
		/* from left to right: what stands on the right keeps its parentheses */
		write_intel_node(w, node->a, own);
		pmu_strbuf_addf(w->out, " %s ", kinds[node->kind].sign);
		write_intel_node(w, node->b, own + 1);
	}
	if (parentheses)
		pmu_strbuf_add(w->out, ")");
}

int pmu_intel_formula(const char *text, struct pmu_intel_term *term, size_t n_terms,
		      struct pmu_strbuf *out)
{
	struct reader r = { .text = text, .at = text };
	struct writer w = { .term = term, .n_terms = n_terms, .out = out };
	const struct node *root;

	if (strnlen(text, PMU_INTEL_FORMULA_MAX) == PMU_INTEL_FORMULA_MAX)
		return pmu_fail(ENOTSUP, "its formula is longer than %d characters",
				PMU_INTEL_FORMULA_MAX - 1);
	r.node = calloc(NODES_MAX, sizeof(*r.node));
	if (!r.node)
		return pmu_fail(ENOMEM, "no memory for a formula");
	root = intel_choice(&r);
	intel_accept(&r, '\0');
	if (!r.error && *r.at)
		refuse_formula(&r, "more than one value");
	w.error = r.error;
	if (!w.error)
		write_intel_node(&w, root, 1);
	free(r.node);
	if (!w.error && out->failed)
		return pmu_fail(ENOMEM, "no memory for a formula");
	return w.error;
}
