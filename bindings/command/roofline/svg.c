/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline as a picture. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/roofline/labels.h"
#include "bindings/command/roofline/parts.h"
#include "report/cell.h"
#include "report/encode.h"

/* Pixels. */
#define WIDTH       960.0
#define HEIGHT      640.0
#define LEFT        72.0
#define RIGHT       936.0
#define TOP         64.0
#define BOTTOM      560.0
#define LETTER      6.6   /* of a text of 12, on average */
#define NAME_ALONG  110.0 /* a slope, from where a name begins */
#define FIRST_ALONG 12.0
#define NEXT_ALONG  130.0 /* where a line is too near to have it there */
#define GAP         15.0  /* between two lines with labels, at least */

#define LEAST       1e-30 /* of an axis */
#define MOST        1e30
#define MAX_DECADES 12.0
#define NAME_LENGTH 36 /* characters of a label */
#define DOTS        25 /* that are shown where nothing else is said */

struct picture {
	struct pmu_strbuf *out;
	const struct pmu_roofline *roofline;
	unsigned int threads;
	/* decimal logarithms of what the axes show: FLOP/byte, and FLOP/s */
	double x_least, x_most, y_least, y_most;
	struct pmu_labels *labels;
	bool *shown; /* [n_rows] */
	unsigned int n_left;
};

/* Light, and dark where the page is.  No variables: not all that show pictures know them. */
static const char style[] =
	"<style>\n"
	"text{font:12px system-ui,sans-serif;fill:#333}\n"
	".back{fill:#fff}.grid{stroke:#e4e4e4}.axis{stroke:#888;fill:none}\n"
	".title{font-size:16px;font-weight:600;fill:#111}.small{fill:#666}\n"
	".name,.on{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\n"
	".roof{stroke:#1f5fa8;stroke-width:2.5;fill:none}.ceiling{stroke:#7d9cc0;fill:none}\n"
	".one{stroke-dasharray:5 4}.on{fill:#1f4f86}.lead{stroke:#999}\n"
	".dot{fill:#c2410c;stroke:#fff;stroke-width:1.5}.name{fill:#111}\n"
	"@media (prefers-color-scheme:dark){\n"
	"text{fill:#ccc}.back{fill:#16181c}.grid{stroke:#2c3036}.axis{stroke:#777}\n"
	".title{fill:#f0f0f0}.small{fill:#999}\n"
	".roof{stroke:#6ea8ee}.ceiling{stroke:#4d6c92}.on{fill:#9cc3f2}.lead{stroke:#777}\n"
	".name,.on{stroke:#16181c}\n"
	".dot{fill:#fb923c;stroke:#16181c}.name{fill:#f0f0f0}\n"
	"}\n"
	"</style>\n";

/* --- texts --- */

/* U+FFFE and U+FFFF are no characters of XML. */
static bool is_no_character(const char *at, size_t n)
{
	return n == 3 && !memcmp(at, "\xef\xbf", 2) && (unsigned char)at[2] >= 0xbe;
}

/* Untrusted bytes; @most characters, or 0 for all. */
static void put_svg_text(struct pmu_strbuf *out, const char *text, size_t most)
{
	static const char *const entities[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"
	};
	struct pmu_strbuf line = { 0 };
	const char *at;
	size_t n, length = 0;

	pmu_encode_line(&line, text);
	out->failed |= line.failed;
	for (at = pmu_strbuf_text(&line); (n = pmu_utf8_next(at)) > 0; at += n) {
		unsigned char c = (unsigned char)*at;

		if (most && ++length > most) {
			pmu_strbuf_add(out, "\xe2\x80\xa6");
			break;
		}
		if (c < PMU_ARRAY_LEN(entities) && entities[c])
			pmu_strbuf_add(out, entities[c]);
		else if (is_no_character(at, n))
			pmu_strbuf_add(out, "?");
		else
			pmu_strbuf_add_n(out, at, n);
	}
	pmu_strbuf_free(&line);
}

static double text_width(const char *text, size_t most)
{
	struct pmu_strbuf line = { 0 };
	size_t n;

	pmu_encode_line(&line, text);
	n = pmu_utf8_width(pmu_strbuf_text(&line));
	pmu_strbuf_free(&line);
	return LETTER * (double)(most && n > most ? most + 1 : n);
}

/* Three digits, and no power of ten where that is longer. */
static const char *short_number(struct pmu_cell *cell, double value)
{
	snprintf(cell->number, sizeof(cell->number), value >= 1000 && value < 1e6 ? "%.0f" : "%.3g",
		 value);
	return cell->number;
}

/* --- axes --- */

static double x_of(const struct picture *p, double intensity)
{
	double part = (log10(intensity) - p->x_least) / (p->x_most - p->x_least);

	return LEFT + (RIGHT - LEFT) * fmax(0, fmin(1, part));
}

static double y_of(const struct picture *p, double rate)
{
	double part = (log10(rate) - p->y_least) / (p->y_most - p->y_least);

	return BOTTOM - (BOTTOM - TOP) * fmax(0, fmin(1, part));
}

static bool is_drawn(const struct picture *p, unsigned int i)
{
	return p->shown[i] && pmu_roofline_has_place(&p->roofline->row[i]);
}

static void widen(double value, double factor, double *least, double *most)
{
	/* what is beyond was never measured */
	if (!(value > LEAST && value < MOST))
		return;
	*least = fmin(*least, log10(value / factor));
	*most = fmax(*most, log10(value * factor));
}

static double peak_in_picture(const struct picture *p, enum pmu_precision precision)
{
	const struct pmu_ceilings_flops *flops =
		p->roofline->ceilings ? pmu_ceilings_peak(p->roofline->ceilings, precision) : NULL;

	return flops ? pmu_ceilings_of(p->roofline->ceilings, &flops->rate, p->threads) : NAN;
}

static double bandwidth(const struct picture *p)
{
	const struct pmu_ceilings_level *memory =
		p->roofline->ceilings ? pmu_ceilings_memory(p->roofline->ceilings) : NULL;

	return memory ? pmu_ceilings_of(p->roofline->ceilings, &memory->rate, p->threads) : NAN;
}

/* No more than can be told apart, of which the largest matter. */
static void limit_range(double *least, double *most)
{
	if (!(*least < *most)) {
		*least = -1;
		*most = 2;
	}
	*least = fmax(*least, *most - MAX_DECADES);
}

static void find_range(struct picture *p)
{
	double peak = fmax(peak_in_picture(p, PMU_DOUBLE), peak_in_picture(p, PMU_SINGLE));

	p->x_least = p->y_least = INFINITY;
	p->x_most = p->y_most = -INFINITY;
	for (unsigned int i = 0; i < p->roofline->n_rows; i++)
		if (is_drawn(p, i)) {
			widen(p->roofline->row[i].intensity, 2, &p->x_least, &p->x_most);
			widen(p->roofline->row[i].flop_rate, 2, &p->y_least, &p->y_most);
		}
	widen(peak, 2, &p->y_least, &p->y_most);
	widen(peak / bandwidth(p), 8, &p->x_least, &p->x_most);
	/* the usual: from a daxpy in memory on */
	if (isfinite(peak)) {
		widen(0.05, 1, &p->x_least, &p->x_most);
		widen(peak / 100, 1, &p->y_least, &p->y_most);
	}
	limit_range(&p->x_least, &p->x_most);
	limit_range(&p->y_least, &p->y_most);
}

static void put_grid(struct picture *p)
{
	struct pmu_cell cell;

	for (double d = ceil(p->x_least); d <= p->x_most; d++) {
		double x = x_of(p, pow(10, d));

		pmu_strbuf_addf(p->out,
				"<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
				"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
				x, TOP, BOTTOM, x, BOTTOM + 18, short_number(&cell, pow(10, d)));
	}
	for (double d = ceil(p->y_least); d <= p->y_most; d++) {
		double y = y_of(p, pow(10, d));

		pmu_strbuf_addf(p->out,
				"<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>"
				"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
				LEFT, y, RIGHT, LEFT - 8, y + 4,
				short_number(&cell, pow(10, d - 9)));
	}
	pmu_strbuf_addf(p->out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", LEFT, TOP,
			BOTTOM, RIGHT);
	pmu_strbuf_addf(p->out,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">FLOP/byte</text>"
			"<text x=\"%.1f\" y=\"%.1f\">GFLOP/s</text>\n",
			(LEFT + RIGHT) / 2, BOTTOM + 38, LEFT - 48, TOP - 12);
}

/* --- ceilings --- */

/*
 * @top: what may be reached in arithmetic at most: a line of bandwidth ends there
 * @along: where its name begins, from its lower end
 */
static void put_slope(struct picture *p, const char *class, double bytes, double top,
		      const char *name, double along)
{
	double from = fmax(pow(10, p->x_least), pow(10, p->y_least) / bytes);
	double to = fmin(pow(10, p->x_most), top / bytes);
	double x = x_of(p, from), y = y_of(p, from * bytes), x2 = x_of(p, to);
	double y2 = y_of(p, to * bytes), angle = atan2(y2 - y, x2 - x),
	       length = hypot(x2 - x, y2 - y);
	struct pmu_cell cell;

	if (!(to > from))
		return;
	pmu_strbuf_addf(p->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x, y,
			x2, y2);
	if (!name || length < along + NAME_ALONG)
		return;
	pmu_strbuf_addf(p->out,
			"<text class=\"on\" transform=\"translate(%.1f %.1f) rotate(%.1f)\">",
			x + along * cos(angle) + 5 * sin(angle),
			y + along * sin(angle) - 5 * cos(angle), angle * 180 / M_PI);
	put_svg_text(p->out, name, 0);
	pmu_strbuf_addf(p->out, " %s GB/s</text>\n", short_number(&cell, bytes / 1e9));
	/* what lies along it, in pieces */
	for (double at = along; at < along + NAME_ALONG; at += 10)
		pmu_labels_take(p->labels,
				(struct pmu_box){ x + at * cos(angle) - 8, y + at * sin(angle) - 16,
						  x + at * cos(angle) + 8,
						  y + at * sin(angle) + 2 });
}

/*
 * A text above a line, else below it, as far to the right as nothing is.
 * Return: whether there is room.
 */
static bool find_place(struct picture *p, double y, double left, double width,
		       struct pmu_label *label)
{
	static const double bases[] = { -5, 14 };

	label->anchor = "end";
	for (size_t i = 0; i < PMU_ARRAY_LEN(bases); i++) {
		label->y = y + bases[i];
		for (label->x = RIGHT - 4; label->x - width > left; label->x -= 8)
			if (pmu_labels_take_free(p->labels,
						 (struct pmu_box){ label->x - width, label->y - 10,
								   label->x, label->y + 3 }))
				return true;
	}
	return false;
}

/* @slope: bytes a second: it begins where that line reaches it */
static void put_level(struct picture *p, const char *class, double rate, double slope,
		      const char *name)
{
	double y = y_of(p, rate), x = LEFT;
	struct pmu_label label;
	char text[96];
	struct pmu_cell cell;

	if (isfinite(slope))
		x = x_of(p, rate / slope);
	pmu_strbuf_addf(p->out, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>\n", class, x, y, RIGHT);
	if (!name)
		return;
	snprintf(text, sizeof(text), "%s: %s GFLOP/s", name, short_number(&cell, rate / 1e9));
	if (!find_place(p, y, x, text_width(text, 0), &label))
		return;
	pmu_strbuf_addf(p->out, "<text class=\"on\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
			label.x, label.y);
	put_svg_text(p->out, text, 0);
	pmu_strbuf_add(p->out, "</text>\n");
}

/* Lines that lie on each other are one, with the label of the first. */
static bool is_line_apart(double y, double *used, size_t *n)
{
	for (size_t i = 0; i < *n; i++)
		if (fabs(used[i] - y) < GAP)
			return false;
	used[(*n)++] = y;
	return true;
}

/* The peaks first; then what narrower vectors reach in double precision, where there is room. */
static void put_arithmetic(struct picture *p)
{
	const struct pmu_ceilings *ceilings = p->roofline->ceilings;
	double used[PMU_CEILINGS_MAX_FLOPS + PMU_N_PRECISIONS], y;
	char name[PMU_FLOPS_NAME_MAX];
	size_t n = 0;

	for (enum pmu_precision precision = 0; precision < PMU_N_PRECISIONS; precision++) {
		const struct pmu_ceilings_flops *peak = pmu_ceilings_peak(ceilings, precision);

		if (!peak)
			continue;
		pmu_ceilings_flops_name(peak, name, sizeof(name));
		y = y_of(p, peak_in_picture(p, precision));
		put_level(p, precision == PMU_DOUBLE ? "roof" : "ceiling",
			  peak_in_picture(p, precision), bandwidth(p),
			  is_line_apart(y, used, &n) ? name : NULL);
	}
	for (unsigned int i = ceilings->n_flops; i-- > 0;) {
		const struct pmu_ceilings_flops *flops = &ceilings->flops[i];
		double rate = pmu_ceilings_of(ceilings, &flops->rate, p->threads);

		if (flops->precision != PMU_DOUBLE || !is_line_apart(y_of(p, rate), used, &n))
			continue;
		pmu_ceilings_flops_name(flops, name, sizeof(name));
		put_level(p, "ceiling", rate, bandwidth(p), name);
	}
}

static void put_ceilings(struct picture *p)
{
	const struct pmu_ceilings *ceilings = p->roofline->ceilings;
	double top = fmax(peak_in_picture(p, PMU_DOUBLE), peak_in_picture(p, PMU_SINGLE));
	double roof = peak_in_picture(p, PMU_DOUBLE), used[PMU_CEILINGS_MAX_LEVELS];
	size_t n = 0;

	if (!ceilings || !isfinite(top))
		return;
	put_arithmetic(p);
	for (unsigned int i = ceilings->n_levels; i-- > 0;) {
		const struct pmu_ceilings_level *level = &ceilings->level[i];
		double rate = pmu_ceilings_of(ceilings, &level->rate, p->threads);
		bool memory = level == pmu_ceilings_memory(ceilings);
		/* how far up a line is, at any place */
		double y = log10(rate) / (p->y_most - p->y_least) * (BOTTOM - TOP);
		double along = is_line_apart(y, used, &n) || memory ? FIRST_ALONG : NEXT_ALONG;

		if (!memory || roof < top)
			put_slope(p, "ceiling", rate, top, memory ? NULL : level->name, along);
		if (memory)
			put_slope(p, "roof", rate, isfinite(roof) ? roof : top, level->name, along);
	}
}

/* Regions of one thread beside others of several have a roof of their own. */
static void put_one_thread(struct picture *p)
{
	const struct pmu_ceilings *ceilings = p->roofline->ceilings;
	const struct pmu_ceilings_level *memory = ceilings ? pmu_ceilings_memory(ceilings) : NULL;
	const struct pmu_ceilings_flops *peak = ceilings ? pmu_ceilings_peak(ceilings, PMU_DOUBLE)
							 : NULL;
	bool any = false;

	for (unsigned int i = 0; i < p->roofline->n_rows; i++)
		any |= is_drawn(p, i) && p->roofline->row[i].threads == 1;
	if (!any || p->threads == 1 || !memory || !peak)
		return;
	put_slope(p, "ceiling one", memory->rate.one, peak->rate.one, NULL, 0);
	put_level(p, "ceiling one", peak->rate.one, memory->rate.one, "1 thread, double precision");
}

/* --- regions --- */

static void put_hint(struct picture *p, const struct pmu_roofline_row *row)
{
	struct pmu_cell cell;

	pmu_strbuf_add(p->out, "<title>");
	put_svg_text(p->out, row->path, 0);
	pmu_strbuf_addf(p->out, ": %s FLOP/byte", short_number(&cell, row->intensity));
	pmu_strbuf_addf(p->out, ", %s GFLOP/s", short_number(&cell, row->flop_rate / 1e9));
	pmu_cell_share(&cell, row->reached);
	if (row->bound != PMU_BOUND_UNKNOWN)
		pmu_strbuf_addf(p->out, ", %s%s of what %s allows", cell.number, cell.unit,
				row->bound == PMU_BOUND_MEMORY ? "memory" : "compute");
	pmu_strbuf_add(p->out, "</title>");
}

static void put_dots(struct picture *p)
{
	for (unsigned int i = 0; i < p->roofline->n_rows; i++) {
		const struct pmu_roofline_row *row = &p->roofline->row[i];

		if (!is_drawn(p, i))
			continue;
		pmu_strbuf_addf(p->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\">",
				x_of(p, row->intensity), y_of(p, row->flop_rate));
		put_hint(p, row);
		pmu_strbuf_add(p->out, "</circle>\n");
	}
}

/* Return: whether there is room for it. */
static bool put_region_name(struct picture *p, const struct pmu_roofline_row *row)
{
	double x = x_of(p, row->intensity), y = y_of(p, row->flop_rate);
	struct pmu_label label;

	if (!pmu_labels_place(p->labels, x, y, text_width(row->name, NAME_LENGTH), &label))
		return false;
	if (label.is_far)
		pmu_strbuf_addf(p->out, "<path class=\"lead\" d=\"M%.1f %.1fL%.1f %.1f\"/>", x, y,
				label.x, label.y - 4);
	pmu_strbuf_addf(p->out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
			label.x, label.y, label.anchor);
	put_svg_text(p->out, row->name, NAME_LENGTH);
	pmu_strbuf_add(p->out, "</text>\n");
	return true;
}

/* No label is to lie on them, those of ceilings neither. */
static void take_dots(struct picture *p)
{
	for (unsigned int i = 0; i < p->roofline->n_rows; i++) {
		const struct pmu_roofline_row *row = &p->roofline->row[i];
		double x = x_of(p, row->intensity), y = y_of(p, row->flop_rate);

		if (is_drawn(p, i))
			pmu_labels_take(p->labels, (struct pmu_box){ x - 6, y - 6, x + 6, y + 6 });
	}
}

static void put_left_out(struct picture *p, unsigned int n_unnamed)
{
	if (!p->n_left && !n_unnamed)
		return;
	pmu_strbuf_addf(p->out, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\">", LEFT, HEIGHT - 16);
	if (p->n_left)
		pmu_strbuf_addf(p->out, "%u more regions with less time are not shown", p->n_left);
	if (n_unnamed)
		pmu_strbuf_addf(p->out, "%sfor %u names there was no room", p->n_left ? "; " : "",
				n_unnamed);
	pmu_strbuf_add(p->out, "</text>\n");
}

static void put_regions(struct picture *p)
{
	unsigned int n = 0, n_unnamed = 0;

	for (unsigned int i = 0; i < p->roofline->n_rows; i++)
		if (is_drawn(p, i)) {
			n++;
			n_unnamed += !put_region_name(p, &p->roofline->row[i]);
		}
	put_dots(p);
	put_left_out(p, n_unnamed);
	if (!n)
		pmu_strbuf_addf(
			p->out,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">no region has both "
			"operations and bytes</text>\n",
			(LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2);
}

/* --- all of it --- */

static void put_svg_head(struct picture *p)
{
	const struct pmu_model *model = p->roofline->model;

	pmu_strbuf_addf(p->out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
			"width=\"%.0f\" height=\"%.0f\" role=\"img\">\n<title>Roofline of ",
			WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_svg_text(p->out, model->program, 0);
	pmu_strbuf_addf(p->out,
			"</title>\n%s<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n",
			style);
	pmu_strbuf_addf(p->out, "<text class=\"title\" x=\"%.1f\" y=\"26\">", LEFT - 48);
	put_svg_text(p->out, model->program, 60);
	pmu_strbuf_addf(p->out,
			"</text><text class=\"small\" x=\"%.1f\" y=\"26\" text-anchor=\"end\">",
			RIGHT);
	put_svg_text(p->out, model->machine, 80);
	if (p->roofline->ceilings)
		pmu_strbuf_addf(p->out, "; ceilings of %u thread%s", p->threads,
				p->threads > 1 ? "s" : "");
	else
		pmu_strbuf_add(p->out, "; no ceilings: pmu-bench --ceilings measures them");
	pmu_strbuf_add(p->out, "</text>\n");
}

static void draw(struct picture *p)
{
	p->threads = pmu_roofline_threads(p->roofline);
	find_range(p);
	put_svg_head(p);
	put_grid(p);
	take_dots(p);
	put_ceilings(p);
	put_one_thread(p);
	put_regions(p);
	pmu_strbuf_add(p->out, "</svg>\n");
}

int pmu_roofline_write_svg(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
			   const struct pmu_text_options *options)
{
	struct pmu_text_options chosen = *options;
	struct picture p = {
		.out = out,
		.roofline = roofline,
		.labels = calloc(1, sizeof(*p.labels)),
		.shown = calloc((size_t)roofline->n_rows + 1, sizeof(*p.shown)),
	};
	int rc = -ENOMEM;

	if (!chosen.top && !chosen.all)
		chosen.top = DOTS;
	if (p.labels && p.shown) {
		p.labels->inside = (struct pmu_box){ LEFT + 2, TOP, RIGHT, BOTTOM - 2 };
		p.n_left = pmu_roofline_choose(roofline, &chosen, p.shown);
		draw(&p);
		rc = out->failed ? -ENOMEM : 0;
	}
	free(p.labels);
	free(p.shown);
	return rc;
}
