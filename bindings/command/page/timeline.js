/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline: a lane for each thread, calls as slices in rows by how deep they are nested; on a canvas. */

const LANE_ROW = 19; /* pixels, one of them free */
const LANE_GAP = 7;
const LANE_HEAD = 20; /* above its rows, where there is no room beside them */
const PROCESS_HEAD = 26;
const AXIS_HEIGHT = 24;
const GUTTER = 172, GUTTER_FROM = 640; /* names beside the lanes, in panels as wide as this */
const UNFOLDED_HEIGHT = 520;
const TEXT_FROM = 26; /* narrower slices have no name */
const LETTER = 6.2;
const SHORTEST_SPAN = 20; /* ns */
const PRINTED_WIDTH = 760, PRINTED_HEIGHT = 6000;
const LOSSES_SEEN = 6;
const MATCHED = 0, CHOSEN = 1; /* Track.mark() */

const TIMELINE_KEYS = [
	["← →", "timeline: to what was before, or after"], ["+ −", "timeline: zoom in and out; as the wheel"], ["0", "timeline: all of it"],
	["Home, End", "timeline: its begin, its end"], ["↑ ↓", "timeline: a call in the row above, or below"], [", .", "timeline: the call before, or after"],
	["Enter", "timeline: zoom to the call"], ["Space", "timeline: fold the thread of the call, or unfold it"],
];

class Timeline {
	/* @on: {select(path, group)} */
	constructor(data, on) {
		this.data = data;
		this.on = on;
		this.from = 0;
		this.span = data.length;
		this.chosen = null; /* {lane, track, i} */
		this.told = make("p.told", { "aria-live": "polite" });
		this.range = make("span.range");
		this.canvas = make("canvas");
		this.axis = make("canvas.timeaxis", { "aria-hidden": true });
		this.heads = make("div.laneheads");
		this.space = make("div.lanespace", null, this.heads, this.canvas);
		this.scroller = make("div.lanes", {
			tabindex: "0", role: "application", "aria-roledescription": "timeline", "aria-label": this.about(),
			on: { scroll: () => this.later(), keydown: event => this.keyInside(event) },
		}, this.space);
		this.slice = make("div.slice");
		this.element = make("div.timeline", null, this.makeTools(), this.makeLosses(), this.told, this.axis, this.scroller, this.slice, this.makeText());
		this.fold(false);
		if (this.layout(1000) > UNFOLDED_HEIGHT)
			data.lanes.forEach((lane, i) => { lane.folded = i > 0; });
		this.listen();
	}

	/* --- the frame --- */

	about() {
		const { data } = this;

		return "timeline: " + plural(data.calls, "call") + " of " + plural(data.lanes.length, "thread") + " in " + format.time(data.length) +
			"; arrows, plus and minus move and zoom, ↑ and ↓ go from call to call; the same is in the table below";
	}

	makeTools() {
		return make("div.timetools", null,
			button("◂", "to what was before (←)", () => this.pan(-0.25), { "aria-label": "before" }),
			button("▸", "to what came after (→)", () => this.pan(0.25), { "aria-label": "after" }),
			button("−", "zoom out (−)", () => this.zoom(2), { "aria-label": "zoom out" }),
			button("+", "zoom in (+)", () => this.zoom(0.5), { "aria-label": "zoom in" }),
			button("all", "all of it (0)", () => this.fit()),
			button("fold threads", "outermost regions alone", () => this.fold(true)),
			button("unfold", "all that is nested", () => this.fold(false)),
			this.range);
	}

	makeLosses() {
		const list = timelineLosses(this.data.data).map(text => make("li.remark.is-missing", null, make("b", null, "△ missing: "), text));

		return make("div", null, make("ul.remarks", null, list.slice(0, LOSSES_SEEN)), list.length > LOSSES_SEEN ?
			make("details", null, make("summary", null, "and " + format.exact(list.length - LOSSES_SEEN) + " more"), make("ul.remarks", null, list.slice(LOSSES_SEEN))) : null);
	}

	titleOf(lane) {
		return (this.data.data.processes.length > 1 ? processTitle(this.data.data, lane.process) + ", " : "") + lane.title;
	}

	/* Of each thread, as words. */
	makeText() {
		const rows = this.data.lanes.map(lane => {
			const outer = lane.tracks[0], at = outer ? outer.longest(0, outer.n) : 0;

			return [this.titleOf(lane), format.exact(lane.calls),
				outer ? format.time(outer.covered[outer.n]) : "", outer ? named(this.data.regions.name[outer.region[at]]) : "",
				outer ? format.time(outer.end[at] - outer.begin[at]) : ""];
		});

		return make("details.astext", null, make("summary", null, "The threads as a table"),
			make("div.group", null, plainTable(["thread", "calls", "in regions", "longest", "took"], rows)));
	}

	listen() {
		const { canvas } = this;

		this.pointers = new Map();
		canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
		canvas.addEventListener("pointerdown", event => this.down(event));
		canvas.addEventListener("pointermove", event => this.move(event));
		canvas.addEventListener("pointerup", event => this.up(event, true));
		canvas.addEventListener("pointercancel", event => this.up(event, false));
		canvas.addEventListener("pointerleave", () => this.pointers.size || this.tell(null));
		new ResizeObserver(() => this.later()).observe(this.scroller);
		new MutationObserver(() => this.forgetColours()).observe(document.documentElement, { attributes: true });
		window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.forgetColours());
	}

	/* @state: {filter, path}: what is searched for, and the region that is chosen */
	show(state) {
		const { name, path } = this.data.regions, wanted = state.filter.trim().toLowerCase();
		const isFound = (one, i) => one.toLowerCase().includes(wanted) || (wanted.includes("/") && path[i].toLowerCase().includes(wanted));

		if (wanted !== this.wanted)
			this.data.mark(MATCHED, wanted ? name.map((one, i) => isFound(one, i) ? 1 : 0) : null);
		if (state.path !== this.path)
			this.data.mark(CHOSEN, state.path ? path.map(one => one === state.path ? 1 : 0) : null);
		this.wanted = wanted;
		this.path = state.path;
		this.later();
		this.tell(null);
	}

	/* --- lanes --- */

	/* Where lanes are.  Return: how high all of them are. */
	layout(width) {
		const { processes } = this.data.data;
		let top = 0, process = null;

		this.gutter = width >= GUTTER_FROM ? GUTTER : 0;
		this.places = []; /* {top, height, title, lane, tracks} */
		for (const lane of this.data.lanes) {
			if (processes.length > 1 && lane.process !== process) {
				this.places.push({ top, height: PROCESS_HEAD, title: processTitle(this.data.data, lane.process), lane: null, tracks: [] });
				top += PROCESS_HEAD;
			}
			process = lane.process;
			const tracks = lane.folded ? lane.tracks.slice(0, 1) : lane.tracks, head = this.gutter ? 0 : LANE_HEAD;
			const height = Math.max(1, tracks.length) * LANE_ROW + LANE_GAP + head;

			this.places.push({ top, height, title: lane.title, lane, tracks, rows: top + head });
			top += height;
		}
		return top;
	}

	/* Names of lanes that are in sight, as elements; an unchanged one stays, and so does the focus. */
	drawHeads(top, height) {
		const seen = this.places.filter(place => place.top + place.height > top && place.top < top + height);
		const key = JSON.stringify([this.gutter, ...seen.map(place => [place.top, place.title, place.lane && place.lane.folded])]);

		if (key === this.headsKey)
			return;
		const focused = this.heads.contains(document.activeElement) ? document.activeElement.dataset.lane : null;

		this.headsKey = key;
		this.heads.replaceChildren(...seen.map(place => {
			const lane = place.lane, head = lane ? button([make("span.fold", null, lane.tracks.length < 2 ? "·" : lane.folded ? "▸" : "▾"), named(place.title)],
				place.title + ": " + plural(lane.calls, "call"), () => this.foldLane(lane), {
					"aria-expanded": lane.tracks.length < 2 ? null : String(!lane.folded), "data-lane": this.data.lanes.indexOf(lane), class: "lanehead",
				}) : make("div.processhead", null, named(place.title));

			head.style.top = place.top + "px";
			head.style.width = lane && this.gutter ? this.gutter - 6 + "px" : "100%";
			return head;
		}));
		if (focused)
			(this.heads.querySelector("[data-lane='" + focused + "']") || this.scroller).focus();
	}

	fold(folded) {
		for (const lane of this.data.lanes)
			lane.folded = folded;
		this.later();
	}

	foldLane(lane) {
		lane.folded = !lane.folded;
		speak(lane.title + (lane.folded ? " folded" : " unfolded"));
		this.later();
	}

	/* --- drawing --- */

	forgetColours() {
		if (this.printing)
			return;
		this.colours = null;
		this.later();
	}

	readColours() {
		const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue("--" + name).trim();

		this.colours = { back: of("back"), text: of("text"), quiet: of("quiet"), line: of("line"), grid: of("grid"), link: of("link"),
			raised: of("raised"), hues: [0, 1, 2, 3, 4, 5, 6, 7].map(hue => of("f" + hue)) };
	}

	later() {
		this.frame = this.frame || requestAnimationFrame(() => {
			this.frame = 0;
			if (this.element.isConnected && !this.printing)
				this.draw();
		});
	}

	/* @most: the height of what is in sight; as high as its frame is on a screen */
	draw(most) {
		const width = Math.min(this.scroller.clientWidth || 800, most ? PRINTED_WIDTH : Infinity), total = this.layout(width);

		this.scroller.style.height = most ? "auto" : "calc(min(66vh, " + (total + 2) + "px))";
		this.space.style.height = Math.max(total, 1) + "px";
		const height = Math.min(total, most || this.scroller.clientHeight || 400), top = most ? 0 : this.scroller.scrollTop;

		this.width = Math.max(50, width - this.gutter);
		this.scale = this.width / this.span;
		if (!this.colours)
			this.readColours();
		this.drawHeads(top, height);
		this.drawAxis(width);
		this.context = this.sized(this.canvas, width, height);
		for (const place of this.places)
			if (place.top + place.height > top && place.top < top + height)
				this.drawPlace(place, top, width);
		this.drawChosen(top);
		this.range.textContent = format.time(this.from) + " to " + format.time(this.from + this.span) + " of " + format.time(this.data.length);
	}

	sized(canvas, width, height) {
		const ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");

		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = "12px system-ui, \"DejaVu Sans\", sans-serif";
		context.textBaseline = "middle";
		context.direction = "ltr";
		return context;
	}

	/* Ticks at 1, 2 or 5 of any unit, so far apart that their texts have room. */
	ticks() {
		const least = this.span * 90 / this.width, unit = 10 ** Math.floor(Math.log10(least));
		const step = [1, 2, 5, 10].map(n => n * unit).find(one => one >= least), list = [];

		for (let k = Math.ceil(this.from / step); k * step <= this.from + this.span && list.length < 100; k++)
			list.push(k * step);
		return list;
	}

	x(time) {
		return this.gutter + (time - this.from) * this.scale;
	}

	drawAxis(width) {
		const context = this.sized(this.axis, width, AXIS_HEIGHT);

		context.strokeStyle = this.colours.quiet;
		context.fillStyle = this.colours.quiet;
		context.beginPath();
		for (const time of this.ticks()) {
			const x = Math.round(this.x(time)) + 0.5;

			context.moveTo(x, AXIS_HEIGHT - 6);
			context.lineTo(x, AXIS_HEIGHT);
			const text = format.time(time);

			if (x + 3 + context.measureText(text).width < width)
				context.fillText(text, x + 3, AXIS_HEIGHT - 13);
		}
		context.stroke();
	}

	drawPlace(place, top, width) {
		const { context, colours } = this, bottom = Math.round(place.top + place.height - top) - 0.5;

		context.strokeStyle = colours.grid;
		context.beginPath();
		context.moveTo(0, bottom);
		context.lineTo(width, bottom);
		for (const time of place.lane ? this.ticks() : []) {
			context.moveTo(Math.round(this.x(time)) + 0.5, place.top - top);
			context.lineTo(Math.round(this.x(time)) + 0.5, bottom);
		}
		context.stroke();
		context.save();
		context.beginPath();
		context.rect(this.gutter, 0, this.width, this.canvas.height);
		context.clip();
		place.tracks.forEach((track, k) => this.drawTrack(place.lane, track, place.rows + k * LANE_ROW - top));
		context.restore();
		if (!this.printing)
			return; /* names are elements: on paper they would not shrink with the picture */
		context.fillStyle = colours.text;
		context.fillText(visible(place.title), 4, place.top - top + LANE_ROW / 2, (place.lane && this.gutter || width) - 8);
	}

	/*
	 * Neighbours that look the same are one rectangle.  What is together in a pixel is as high as it covers
	 * the pixel, in steps of a quarter, so that a gap is seen without colours.
	 */
	drawTrack(lane, track, y) {
		const { data, gutter } = this, run = { left: 0, right: -1, hue: 0, height: 0, dim: false, chosen: false };
		const isMarked = track.marked[MATCHED] || track.marked[CHOSEN];

		track.each(this.from, this.scale, this.width, (left, right, i, j, part) => {
			const hue = data.hue[track.region[i]], height = 2 + Math.ceil(part * 4) * (LANE_ROW - 4) / 4;
			const dim = Boolean(this.wanted) && !track.nMarked(MATCHED, i, j), chosen = Boolean(isMarked) && track.nMarked(CHOSEN, i, j) > 0;
			const alone = j === i + 1 && right - left > 2.5;

			if (!alone && run.right === left + gutter && run.hue === hue && run.height === height && run.dim === dim && run.chosen === chosen) {
				run.right = right + gutter;
				return;
			}
			this.drawRun(run, y);
			run.left = left + gutter;
			run.right = right + gutter - (alone ? 1 : 0); /* a gap to the next */
			run.hue = hue;
			run.height = height;
			run.dim = dim;
			run.chosen = chosen;
			if (!alone || right - left < TEXT_FROM)
				return;
			this.drawRun(run, y);
			run.right = -1;
			this.drawName(lane, track, i, left + gutter, right + gutter, y, dim);
		});
		this.drawRun(run, y);
	}

	drawRun(run, y) {
		const { context, colours } = this, bottom = y + LANE_ROW - 1, width = run.right - run.left;

		if (width <= 0)
			return;
		if (run.dim)
			context.globalAlpha = 0.35;
		context.fillStyle = colours.hues[run.hue];
		context.fillRect(run.left, bottom - run.height, width, run.height);
		if (run.dim)
			context.globalAlpha = 1;
		if (this.wanted && !run.dim) {
			context.fillStyle = colours.link;
			context.fillRect(run.left, bottom - 2, width, 2);
		}
		if (run.chosen) {
			context.fillStyle = colours.text;
			context.fillRect(run.left, bottom - LANE_ROW + 1, width, 2);
		}
	}

	drawName(lane, track, i, left, right, y, dim) {
		const { context, colours, data } = this, from = Math.max(left, this.gutter) + 4, room = Math.min(right, this.gutter + this.width) - from - 4;
		const flags = lane.flags[track.slice[i]], n = Math.floor(room / LETTER), { forOthers } = lane.rowOf(track.slice[i]);
		const text = (this.wanted && !dim ? "▸ " : "") + visible(data.regions.name[track.region[i]]) +
			(forOthers ? " (for others)" : flags & SLICE_OPEN ? " (not ended)" : flags & SLICE_PART && track.isCut(i) ? " (a part)" : "");

		if (n < 3)
			return;
		context.globalAlpha = dim ? 0.6 : 1;
		context.fillStyle = colours.text;
		context.fillText(text.length > n ? text.slice(0, n - 1) + "…" : text, from, y + LANE_ROW / 2, room);
		context.globalAlpha = 1;
	}

	rowOf(chosen) {
		const place = this.places.find(one => one.lane === chosen.lane), k = place ? place.tracks.indexOf(chosen.track) : -1;

		return k < 0 ? null : place.rows + k * LANE_ROW;
	}

	drawChosen(top) {
		const { chosen, context } = this, row = chosen ? this.rowOf(chosen) : null;

		if (row === null)
			return;
		const left = Math.max(this.x(chosen.track.begin[chosen.i]), this.gutter - 3);
		const right = Math.min(this.x(chosen.track.end[chosen.i]), this.gutter + this.width + 3);

		if (right < this.gutter || left > this.gutter + this.width)
			return;
		context.strokeStyle = this.colours.text;
		context.lineWidth = 2;
		context.strokeRect(left - 1, row - top, Math.max(3, right - left + 1), LANE_ROW - 2);
		context.lineWidth = 1;
	}

	/* --- where one is --- */

	/* @at: the time that stays where it is; the middle */
	zoom(factor, at) {
		const middle = at === undefined ? this.from + this.span / 2 : at;
		const span = Math.min(this.data.length, Math.max(Math.min(SHORTEST_SPAN, this.data.length), this.span * factor));

		this.go(middle - (middle - this.from) * span / this.span, span);
	}

	pan(part) {
		this.go(this.from + part * this.span, this.span);
	}

	go(from, span) {
		this.span = span;
		this.from = Math.max(0, Math.min(from, this.data.length - span));
		this.later();
	}

	fit() {
		this.go(0, this.data.length);
	}

	zoomTo(chosen) {
		const begin = chosen.track.begin[chosen.i], length = Math.max(chosen.track.end[chosen.i] - begin, SHORTEST_SPAN);

		this.go(begin - length * 0.1, Math.min(this.data.length, length * 1.2));
	}

	/* Moves as little as shows it. */
	reveal(chosen) {
		const { begin, end } = chosen.track, i = chosen.i, row = this.rowOf(chosen), { scrollTop, clientHeight } = this.scroller;

		if (end[i] < this.from || begin[i] > this.from + this.span || (end[i] - begin[i] < this.span && (begin[i] < this.from || end[i] > this.from + this.span)))
			this.go((begin[i] + end[i] - this.span) / 2, this.span);
		if (row !== null && (row < scrollTop || row + LANE_ROW > scrollTop + clientHeight))
			this.scroller.scrollTop = row - clientHeight / 2;
		this.later();
	}

	/* --- what is there --- */

	/* {lane, track, i, n, together}: of several in a pixel the longest; null: nothing */
	hit(event) {
		const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left - this.gutter, y = event.clientY - box.top + this.scroller.scrollTop;
		const place = (this.places || []).find(one => one.lane && y >= one.top && y < one.top + one.height);
		const k = place ? Math.floor((y - place.rows) / LANE_ROW) : -1, track = k >= 0 ? place.tracks[k] : null;

		if (!track || x < 0)
			return null;
		const [i, j] = track.at(this.from + (x - 1) / this.scale, this.from + (x + 1) / this.scale);

		return i < j ? { lane: place.lane, track, i: track.longest(i, j), n: j - i, together: track.covered[j] - track.covered[i] } : null;
	}

	words(hit) {
		const { lane, track, i } = hit, length = track.end[i] - track.begin[i];

		return visible(this.data.regions.name[track.region[i]]) + ": " + format.time(length) + ", from " + format.time(track.begin[i]) + " on, " + this.titleOf(lane) +
			(hit.n > 1 ? "; it is the longest of " + plural(hit.n, "call") + " here, of " + format.time(hit.together) + " together: zoom in to see them" : "");
	}

	tell(hit) {
		if (hit || (this.chosen && !this.wanted)) {
			this.told.textContent = this.words(hit || this.chosen);
			return;
		}
		if (this.wanted) {
			let n = 0, time = 0;

			for (const lane of this.data.lanes)
				for (const track of lane.tracks) {
					n += track.nMarked(MATCHED, 0, track.n);
					for (let i = 0; i < track.n; i++)
						time += track.marked[MATCHED][i + 1] > track.marked[MATCHED][i] ? track.end[i] - track.begin[i] : 0;
				}
			this.told.textContent = n ? plural(n, "call") + " found, " + format.time(time) + " together: underlined" : "No call's region has “" + visible(this.wanted) + "” in its name";
			return;
		}
		this.told.textContent = "The wheel, or two fingers, zooms; dragging moves; a click tells of a call. ? has the keys.";
	}

	choose(hit) {
		this.chosen = hit;
		this.slice.replaceChildren(...hit ? this.describe(hit) : []);
		this.later();
		if (!hit)
			return;
		this.on.select(this.data.regions.path[hit.track.region[hit.i]], hit.lane.process.groups[hit.lane.rowOf(hit.track.slice[hit.i]).group].name);
		this.tell(hit);
	}

	describe(hit) {
		const { lane, track, i } = hit, slice = track.slice[i], flags = lane.flags[slice], counts = lane.counts(slice), again = lane.again(slice);
		const notes = [];

		if (lane.rowOf(slice).forOthers)
			notes.push("Another thread had this region open: this is what was done for it here.");
		if (flags & SLICE_OPEN)
			notes.push("It had not ended; it began here or before.");
		if (flags & SLICE_PART)
			notes.push("A part of a call: up to a checkpoint.");
		if (flags & SLICE_BESIDE)
			notes.push("It ended after the region that it was begun in: it has a row of its own.");
		if (again)
			notes.push(plural(again, "call") + " of the same region in it.");
		if (!counts && !(flags & SLICE_OPEN) && this.data.data.without_counts && track.end[i] - track.begin[i] <= this.data.data.without_counts_ns)
			notes.push("Its counts are not in this page.");
		return [
			make("h3", null, named(this.data.regions.name[track.region[i]])),
			make("p.path", null, named(this.data.regions.path[track.region[i]])),
			facts([["begin", format.time(track.begin[i])], ["took", flags & SLICE_OPEN ? "" : format.time(track.end[i] - track.begin[i])],
				["thread", lane.title], ["process", this.data.data.processes.length > 1 ? processTitle(this.data.data, lane.process) : ""]], "numbers"),
			...notes.map(text => make("p.note", null, text)),
			counts && counts.length ? plainTable(["count", "of this call"], counts.map(count =>
				[named(count.name), format.measured(count.value, count.unit)]), "slicecounts") : null,
		].filter(Boolean);
	}

	/* --- keys --- */

	/* The call before or after the chosen one; of nothing the first in sight. */
	step(by) {
		const { chosen } = this;

		if (!chosen) {
			this.climb(1);
			return;
		}
		const i = chosen.i + by;

		if (i >= 0 && i < chosen.track.n)
			this.chooseAt(chosen.lane, chosen.track, i);
	}

	/* A call in the row above or below, at about the same time. */
	climb(by) {
		const rows = this.places.flatMap(place => place.tracks.map(track => ({ lane: place.lane, track }))), { chosen } = this;
		const at = chosen ? rows.findIndex(row => row.track === chosen.track) : -1, next = rows[at < 0 ? 0 : at + by];
		const time = chosen ? Math.max(this.from, chosen.track.begin[chosen.i]) : this.from;

		if (next && next.track.n)
			this.chooseAt(next.lane, next.track, next.track.nearest(time));
	}

	chooseAt(lane, track, i) {
		const hit = { lane, track, i, n: 1 };

		this.choose(hit);
		this.reveal(hit);
	}

	/* What also works when something else has the focus.  Return: was it one of ours? */
	key(event) {
		const keys = {
			ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
			"-": () => this.zoom(2), 0: () => this.fit(), ",": () => this.step(-1), ".": () => this.step(1),
		};

		if (!keys[event.key])
			return false;
		keys[event.key]();
		this.speakRange();
		return true;
	}

	speakRange() {
		speak(format.time(this.from) + " to " + format.time(this.from + this.span));
	}

	keyInside(event) {
		const keys = {
			Home: () => this.go(0, this.span), End: () => this.go(this.data.length, this.span), ArrowUp: () => this.climb(-1), ArrowDown: () => this.climb(1),
			Enter: () => this.chosen && this.zoomTo(this.chosen), " ": () => this.chosen && this.foldLane(this.chosen.lane),
			Escape: () => { this.choose(null); this.fit(); },
		};
		const onHead = event.target.closest(".lanehead") && (event.key === "Enter" || event.key === " ");

		if (event.ctrlKey || event.metaKey || event.altKey || onHead || (!keys[event.key] && !this.key(event)))
			return;
		event.preventDefault();
		event.stopPropagation();
		if (keys[event.key])
			keys[event.key]();
	}

	/* --- wheel and fingers --- */

	timeAt(clientX) {
		return this.from + Math.max(0, clientX - this.canvas.getBoundingClientRect().left - this.gutter) / this.scale;
	}

	wheel(event) {
		const unit = event.deltaMode === 1 ? 16 : 1;

		event.preventDefault();
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.pan(unit * (event.deltaX || event.deltaY) / this.width);
		else
			this.zoom(Math.exp(Math.max(-300, Math.min(300, unit * event.deltaY)) * (event.ctrlKey ? 0.01 : 0.002)), this.timeAt(event.clientX));
	}

	down(event) {
		if (event.button)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
		this.moved = this.pointers.size > 1 ? Infinity : 0;
		this.scroller.focus({ preventScroll: true });
	}

	move(event) {
		const pointer = this.pointers.get(event.pointerId);

		if (!pointer) {
			this.tell(this.hit(event));
			return;
		}
		const dx = event.clientX - pointer.x, dy = event.clientY - pointer.y, others = [...this.pointers.values()].filter(one => one !== pointer);

		this.moved += Math.abs(dx) + Math.abs(dy);
		if (others.length) {
			const before = Math.max(10, Math.abs(pointer.x - others[0].x)), now = Math.max(10, Math.abs(event.clientX - others[0].x));

			this.zoom(before / now, this.timeAt(others[0].x));
		} else if (this.moved > 4) {
			this.go(this.from - dx / this.scale, this.span);
			if (event.pointerType === "mouse")
				this.scroller.scrollTop -= dy;
		}
		pointer.x = event.clientX;
		pointer.y = event.clientY;
	}

	up(event, ended) {
		if (this.pointers.delete(event.pointerId) && ended && this.moved <= 4)
			this.choose(this.hit(event));
	}

	/* --- paper: all of it, as light as paper --- */

	print(begins) {
		const root = document.documentElement, { theme } = root.dataset;

		this.printing = begins;
		if (!begins) {
			this.go(this.kept.from, this.kept.span);
			this.forgetColours();
			return;
		}
		this.kept = { from: this.from, span: this.span };
		root.dataset.theme = "light";
		this.readColours();
		if (theme)
			root.dataset.theme = theme;
		else
			delete root.dataset.theme;
		this.from = 0;
		this.span = this.data.length;
		this.draw(PRINTED_HEIGHT);
	}
}
