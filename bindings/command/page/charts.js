/* SPDX-License-Identifier: BSD-3-Clause */
/* Small pictures beside a region's numbers. */

/* Bars with names and numbers: [{name, value, text, about, sign, node}]; @mean: a line at that value; @whole: a bar of all the track */
function drawBars(list, options = {}) {
	const most = options.whole || Math.max(...list.map(one => isKnown(one.value) ? one.value : 0), 0);
	const bars = make("ol.bars", null, list.map(one => {
		const bar = make("span.barfill"), track = make("span.bartrack", { "aria-hidden": "true" }, bar);

		bar.style.width = most > 0 && isKnown(one.value) ? 100 * one.value / most + "%" : "0";
		if (isKnown(options.mean) && most > 0)
			track.append(markAt(options.mean / most));
		return make("li" + (one.sign ? ".signed" : ""), { title: one.about },
			named(one.name), track, make("span.barvalue", null, one.text, one.sign ? make("b.sign", null, " " + one.sign) : null));
	}));

	return bars;
}

function markAt(part) {
	const mark = make("span.barmean");

	mark.style.left = 100 * part + "%";
	return mark;
}

/* --- how long calls were --- */

const HISTOGRAM_WIDTH = 420, HISTOGRAM_HEIGHT = 110, HISTOGRAM_BARS = 60;

/* Buckets are narrower the shorter calls are: logarithmic, as many bars as can be told apart. */
function drawHistogram(buckets, percentiles) {
	const low = Math.log(Math.max(1, buckets[0][0])), high = Math.log(Math.max(2, buckets[buckets.length - 1][0]));
	const span = Math.max(high - low, 0.08), n = Math.min(HISTOGRAM_BARS, Math.max(1, Math.ceil(span / 0.08)));
	const bars = new Float64Array(n);

	for (const [ns, calls] of buckets)
		bars[Math.min(n - 1, Math.floor((Math.log(Math.max(1, ns)) - low) / span * n))] += calls;
	const most = Math.max(...bars), width = HISTOGRAM_WIDTH / n, bottom = HISTOGRAM_HEIGHT - 18;
	const at = i => Math.exp(low + span * i / n);
	const picture = draw("svg.histogram", {
		viewBox: "0 0 " + HISTOGRAM_WIDTH + " " + HISTOGRAM_HEIGHT, role: "img",
		"aria-label": "calls by their times, from " + format.time(buckets[0][0]) + " to " + format.time(buckets[buckets.length - 1][0]),
	});

	bars.forEach((calls, i) => {
		/* one call among millions is seen, too */
		const height = calls ? Math.max(2, (bottom - 14) * calls / most) : 0;

		if (calls)
			picture.append(draw("rect.barfill", {
				x: i * width + 0.5, y: bottom - height, width: Math.max(1, width - 1), height,
			}, draw("title", null, plural(calls, "call") + " of " + format.time(at(i)) + " to " + format.time(at(i + 1)))));
	});
	picture.append(draw("path.axis", { d: "M0 " + bottom + "H" + HISTOGRAM_WIDTH }));
	[0, n / 2, n].forEach((i, k) => picture.append(draw("text", {
		x: i * width, y: HISTOGRAM_HEIGHT - 4, "text-anchor": ["start", "middle", "end"][k],
	}, format.time(at(i)))));
	(percentiles || []).forEach(([name, ns], k) => {
		const x = (Math.log(Math.max(1, ns)) - low) / span * HISTOGRAM_WIDTH;

		if (isKnown(ns))
			picture.append(draw("path.mark", { d: "M" + x + " " + (10 + k * 2) + "V" + bottom }),
				draw("text.marked", { x: Math.min(x + 3, HISTOGRAM_WIDTH - 4), y: 9,
					"text-anchor": x > HISTOGRAM_WIDTH - 60 ? "end" : "start" }, name));
	});
	return picture;
}

/* --- intervals --- */

const INTERVAL_WIDTH = 160, INTERVAL_HEIGHT = 20;

/*
 * A change and where it is in 95 of 100 cases, on an axis from -@most to @most: right of the line in the
 * middle is more.  What is beyond the edge ends in an arrow.
 */
function drawInterval(change, low, high, most, about) {
	const middle = INTERVAL_WIDTH / 2, y = INTERVAL_HEIGHT / 2;
	const x = value => middle + Math.max(-1, Math.min(1, value / most)) * (middle - 6);
	const picture = draw("svg.interval", {
		viewBox: "0 0 " + INTERVAL_WIDTH + " " + INTERVAL_HEIGHT, role: "img", "aria-label": about,
	}, draw("title", null, about), draw("path.zero", { d: "M" + middle + " 1V" + (INTERVAL_HEIGHT - 1) }));

	if (isKnown(low) && isKnown(high))
		picture.append(draw("path.range", {
			d: "M" + x(low) + " " + (y - 4) + "v8M" + x(low) + " " + y + "H" + x(high) + "M" + x(high) + " " + (y - 4) + "v8",
		}));
	if (isKnown(change))
		picture.append(Math.abs(change) > most ?
			draw("path.point.beyond", { d: change > 0 ? "M" + (x(change) + 5) + " " + y + "l-9 -5v10z" : "M" + (x(change) - 5) + " " + y + "l9 -5v10z" }) :
			draw("circle.point", { cx: x(change), cy: y, r: 4 }));
	return picture;
}

/* --- runs --- */

const RUNS_WIDTH = 420, RUNS_HEIGHT = 90;

/* A value of each run, in their order; a band where the median is. */
function drawRuns(values, median, low, high, text) {
	const known = values.filter(isKnown), least = Math.min(...known), most = Math.max(...known);
	const room = most > least ? (most - least) * 0.1 : Math.max(1, most * 0.05);
	const y = value => 4 + (RUNS_HEIGHT - 8) * (1 - (value - least + room) / (most - least + 2 * room));
	const x = i => 12 + (RUNS_WIDTH - 24) * (values.length > 1 ? i / (values.length - 1) : 0.5);
	const picture = draw("svg.runs", {
		viewBox: "0 0 " + RUNS_WIDTH + " " + RUNS_HEIGHT, role: "img",
		"aria-label": plural(known.length, "run") + ", from " + text(least) + " to " + text(most),
	});

	if (isKnown(low) && isKnown(high))
		picture.append(draw("rect.band", { x: 0, width: RUNS_WIDTH, y: y(high), height: Math.max(1, y(low) - y(high)) }));
	if (isKnown(median))
		picture.append(draw("path.mark", { d: "M0 " + y(median) + "H" + RUNS_WIDTH }));
	values.forEach((value, i) => isKnown(value) && picture.append(
		draw("circle.point", { cx: x(i), cy: y(value), r: values.length > 60 ? 2 : 4 },
			draw("title", null, "run " + (i + 1) + ": " + text(value)))));
	return picture;
}
