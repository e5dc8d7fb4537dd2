/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline: what regions compute beside what the machine can, given how much they move for it. */

const ROOF = { width: 960, height: 560, left: 64, right: 940, top: 30, bottom: 500 };

/* Decades of both axes that show all regions and where the roof bends. */
function roofRange(roofline) {
	const x = [], y = [], peak = Math.max(...roofline.flops.map(flops => flops.rate || 0), 0);
	const memory = roofline.levels[roofline.levels.length - 1];

	for (const row of roofline.rows) {
		x.push(row.intensity / 2, row.intensity * 2);
		y.push(row.flop_rate / 2, row.flop_rate * 2);
	}
	if (peak > 0) {
		x.push(0.05);
		y.push(peak / 100, peak * 2);
		if (memory && memory.rate > 0)
			x.push(peak / memory.rate * 8);
	}
	const decades = list => {
		const most = Math.log10(largestOf(list));
		const least = Math.max(Math.log10(list.reduce((a, b) => Math.min(a, b), Infinity)), most - 12);

		return Number.isFinite(most) && Number.isFinite(least) && most > least ? [least, most] : [-1, 2];
	};

	return { x: decades(x), y: decades(y) };
}

class RoofPicture {
	constructor(book, on) {
		this.roofline = book.data.roofline;
		this.book = book;
		this.range = roofRange(this.roofline);
		this.taken = [];
		this.svg = draw("svg.roofline", {
			viewBox: "0 0 " + ROOF.width + " " + ROOF.height, role: "img", "aria-label": "roofline",
		});
		this.on = on;
	}

	x(intensity) {
		const [least, most] = this.range.x;

		return ROOF.left + (ROOF.right - ROOF.left) * (Math.log10(intensity) - least) / (most - least);
	}

	y(rate) {
		const [least, most] = this.range.y;

		return ROOF.bottom - (ROOF.bottom - ROOF.top) * (Math.log10(rate) - least) / (most - least);
	}

	grid() {
		for (let d = Math.ceil(this.range.x[0]); d <= this.range.x[1]; d++)
			this.svg.append(draw("path.grid", { d: "M" + this.x(10 ** d) + " " + ROOF.top + "V" + ROOF.bottom }),
				draw("text", { x: this.x(10 ** d), y: ROOF.bottom + 18, "text-anchor": "middle" }, String(Number((10 ** d).toPrecision(3)))));
		for (let d = Math.ceil(this.range.y[0]); d <= this.range.y[1]; d++)
			this.svg.append(draw("path.grid", { d: "M" + ROOF.left + " " + this.y(10 ** d) + "H" + ROOF.right }),
				draw("text", { x: ROOF.left - 8, y: this.y(10 ** d) + 4, "text-anchor": "end" }, String(Number((10 ** (d - 9)).toPrecision(3)))));
		this.svg.append(draw("path.axis", { d: "M" + ROOF.left + " " + ROOF.top + "V" + ROOF.bottom + "H" + ROOF.right }),
			draw("text", { x: (ROOF.left + ROOF.right) / 2, y: ROOF.bottom + 40, "text-anchor": "middle" }, "FLOP/byte"),
			draw("text", { x: 8, y: 16 }, "GFLOP/s"));
	}

	/* A text that is not to lie on another one.  Return: whether there was room. */
	label(x, y, text, anchor, name) {
		const width = 6.8 * text.length, left = anchor === "end" ? x - width : anchor === "middle" ? x - width / 2 : x;
		const box = [left, y - 11, left + width, y + 3];

		if (left < ROOF.left || box[2] > ROOF.width || box[1] < 0 ||
		    this.taken.some(one => one[0] < box[2] && one[2] > box[0] && one[1] < box[3] && one[3] > box[1]))
			return false;
		this.taken.push(box);
		this.svg.append(draw("text." + name, { x, y, "text-anchor": anchor }, text));
		return true;
	}

	/* Bytes a second: a slope up to @top. */
	slope(level, top, name) {
		const from = Math.max(10 ** this.range.x[0], 10 ** this.range.y[0] / level.rate);
		const to = Math.min(10 ** this.range.x[1], top / level.rate);

		if (!(to > from))
			return;
		const x1 = this.x(from), y1 = this.y(from * level.rate), x2 = this.x(to), y2 = this.y(to * level.rate);
		const angle = Math.atan2(y2 - y1, x2 - x1), length = Math.hypot(x2 - x1, y2 - y1);
		const text = level.name + " " + Number((level.rate / 1e9).toPrecision(3)) + " GB/s";

		this.svg.append(draw("path." + name, { d: "M" + x1 + " " + y1 + "L" + x2 + " " + y2 }));
		if (length < 7 * text.length + 20 || this.slopes.some(y => Math.abs(y - y1 + (x1 - ROOF.left) * Math.tan(angle)) < 16))
			return;
		this.slopes.push(y1 - (x1 - ROOF.left) * Math.tan(angle));
		this.svg.append(draw("text.on", {
			transform: "translate(" + (x1 + 14 * Math.cos(angle) + 5 * Math.sin(angle)) + " " +
				(y1 + 14 * Math.sin(angle) - 5 * Math.cos(angle)) + ") rotate(" + angle * 180 / Math.PI + ")",
		}, text));
	}

	ceilings() {
		const { flops, levels } = this.roofline, memory = levels[levels.length - 1], used = [];
		const top = Math.max(...flops.map(one => one.rate || 0), 0);

		this.slopes = [];
		for (const one of [...flops].sort((a, b) => b.peak - a.peak || b.rate - a.rate)) {
			const y = this.y(one.rate), from = memory ? Math.max(ROOF.left, this.x(one.rate / memory.rate)) : ROOF.left;

			if (!isKnown(one.rate) || y > ROOF.bottom || used.some(other => Math.abs(other - y) < 15))
				continue;
			used.push(y);
			this.svg.append(draw("path." + (one.peak ? "roof" : "ceiling"), { d: "M" + from + " " + y + "H" + ROOF.right }));
			this.label(ROOF.right - 2, y - 5, one.name + ": " + Number((one.rate / 1e9).toPrecision(3)) + " GFLOP/s", "end", "on");
		}
		levels.slice().reverse().forEach(level => isKnown(level.rate) && top > 0 &&
			this.slope(level, top, level === memory ? "roof" : "ceiling"));
	}

	about(row) {
		const reached = row.bound ? ", " + format.share(row.reached) + " of what " + row.bound + " allows" : "";

		return Number(row.intensity.toPrecision(3)) + " FLOP/byte, " + Number((row.flop_rate / 1e9).toPrecision(3)) + " GFLOP/s" + reached;
	}

	dots() {
		const rows = this.book.data.sections.map(section => section.rows);

		for (const row of this.roofline.rows)
			this.taken.push([this.x(row.intensity) - 7, this.y(row.flop_rate) - 7, this.x(row.intensity) + 7, this.y(row.flop_rate) + 7]);
		for (const row of [...this.roofline.rows].sort((a, b) =>
			(rows[b.section].self_ns[b.row] || 0) - (rows[a.section].self_ns[a.row] || 0))) {
			const path = rows[row.section].path[row.row], name = visible(rows[row.section].name[row.row]);
			const x = this.x(row.intensity), y = this.y(row.flop_rate), short = name.length > 32 ? name.slice(0, 31) + "…" : name;
			const go = () => this.on.select(path);

			this.svg.append(draw("circle.dot", {
				cx: x, cy: y, r: 6, tabindex: "0", role: "button", "aria-label": path + ": " + this.about(row),
				on: { click: go, keydown: event => event.key === "Enter" && go() },
			}, draw("title", null, path + ": " + this.about(row))));
			[[10, 4, "start"], [-10, 4, "end"], [0, -10, "middle"], [0, 20, "middle"], [10, -10, "start"], [10, 18, "start"]]
				.some(([dx, dy, anchor]) => this.label(x + dx, y + dy, short, anchor, "dotname"));
		}
	}

	/* The same as words. */
	table() {
		const rows = this.book.data.sections.map(section => section.rows);

		return plainTable(["region", "FLOP/byte", "GFLOP/s", "GB/s", "bound by", "reached"], this.roofline.rows.map(row => [
			button(named(rows[row.section].name[row.row]), rows[row.section].path[row.row],
				() => this.on.select(rows[row.section].path[row.row]), { class: "link" }),
			String(Number(row.intensity.toPrecision(3))), String(Number((row.flop_rate / 1e9).toPrecision(3))),
			isKnown(row.byte_rate) ? String(Number((row.byte_rate / 1e9).toPrecision(3))) : "", row.bound || "",
			row.bound ? format.share(row.reached) : "",
		]), "roofs");
	}
}

function drawRoofline(book, on) {
	const { roofline } = book.data;

	if (!roofline.rows.length)
		return make("div", null, [roofline.no_flop, roofline.no_bytes].filter(Boolean).map(text => make("p.missing", null, text)));
	const picture = new RoofPicture(book, on);

	picture.grid();
	picture.ceilings();
	picture.dots();
	return make("div", null, picture.svg,
		roofline.why ? make("p.note", null, "No ceilings are drawn: " + roofline.why) :
			make("p.note", null, "Ceilings of " + plural(roofline.threads, "thread") + ", as pmu-bench has measured them."),
		picture.table());
}
