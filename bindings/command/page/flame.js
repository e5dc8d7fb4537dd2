/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flame graph: each row as wide as what it has of a measure, what is nested in it below.  A click takes
 * all of the width for it.  Frames too narrow to see are no elements, so that there are never many.
 */

const FRAME_HEIGHT = 22; /* pixels, as page.css has it */
const NARROWEST = 2.5;

class Flame {
	/* @on: {select(node)} */
	constructor(on) {
		this.on = on;
		this.zoomed = -1;
		this.frames = make("div.frames", {
			role: "tree", "aria-label": "flame graph", on: { keydown: event => this.key(event) },
		});
		this.told = make("p.told", { "aria-live": "polite" });
		this.element = make("div.flame", null, this.told, this.frames);
		this.frames.addEventListener("click", event => this.clicked(event.target.closest(".frame")));
		this.frames.addEventListener("mouseover", event => this.tell(event.target.closest(".frame")));
		this.frames.addEventListener("mouseleave", () => this.tell(null));
		new ResizeObserver(() => this.state && this.frames.clientWidth !== this.width && this.draw()).observe(this.frames);
	}

	/* @state: {view, tree, column, filter} */
	show(state) {
		if (!this.state || state.view !== this.state.view)
			this.zoomed = -1;
		this.state = state;
		this.found = state.tree.matching(state.filter);
		this.measure();
		this.draw();
	}

	/* A row has at least what is nested in it: some overlap, some counts are missing. */
	measure() {
		const { view, column } = this.state, cells = view.cells[column.id] || [], n = view.n;
		const nested = new Float64Array(n), value = new Float64Array(n);

		this.missing = 0;
		this.total = 0;
		for (let i = n - 1; i >= 0; i--) {
			const known = isKnown(cells[i]);

			this.missing += !known && view.row[i] >= 0 ? 1 : 0;
			value[i] = Math.max(known ? cells[i] : 0, nested[i]);
			if (view.parent[i] >= 0)
				nested[view.parent[i]] += value[i];
			else
				this.total += value[i];
		}
		this.value = value;
	}

	draw() {
		const { view, tree } = this.state, n = view.n, elements = [], { start, child } = tree.children(
			(a, b) => this.value[b] - this.value[a] || a - b);
		const whole = this.zoomed >= 0 ? this.value[this.zoomed] : this.total;

		this.width = this.frames.clientWidth || 800;
		this.narrow = 0;
		this.deepest = 0;
		if (whole > 0) {
			const around = [];

			for (let at = this.zoomed; at >= 0; at = view.parent[at])
				around.unshift(at);
			elements.push(this.frame(-1, 0, this.width, 0));
			around.forEach((node, k) => elements.push(this.frame(node, 0, this.width, k + 1)));
			this.below(this.zoomed < 0 ? n : this.zoomed, 0, around.length + 1, this.width / whole, start, child, elements);
		}
		this.frames.style.height = (this.deepest + 1) * FRAME_HEIGHT + "px";
		this.frames.replaceChildren(...elements);
		if (elements.length)
			(this.frames.querySelector("[data-node='" + this.zoomed + "']") || elements[0]).tabIndex = 0;
		this.tell(null);
	}

	/* Without recursion: regions can be nested very deep. */
	below(node, x, depth, scale, start, child, elements) {
		const stack = [[node, x, depth]];

		while (stack.length) {
			const [around, left, level] = stack.pop();
			let at = left;

			for (let k = start[around]; k < start[around + 1]; k++) {
				const width = this.value[child[k]] * scale;

				if (width < NARROWEST) { /* and so are all that follow */
					this.narrow += start[around + 1] - k;
					break;
				}
				elements.push(this.frame(child[k], at, width, level));
				stack.push([child[k], at, level + 1]);
				at += width;
			}
		}
	}

	/* @node: -1 all */
	frame(node, left, width, level) {
		const { view } = this.state, name = node < 0 ? "all" : visible(view.name[node]);
		const match = this.found && node >= 0 && this.found[node] === 2;
		const element = make("div.frame", {
			role: "treeitem", tabindex: "-1", "data-node": node, "data-hue": node < 0 ? 0 : hueOf(view.name[node]),
			"aria-level": level + 1, "aria-label": this.about(node), title: this.about(node),
		}, make("bdi", null, (match ? "▸ " : "") + name));

		this.deepest = Math.max(this.deepest, level);
		element.classList.toggle("function", node >= view.functionsFrom);
		element.classList.toggle("match", Boolean(match));
		element.classList.toggle("dim", Boolean(this.found && !match));
		element.classList.toggle("zoomed", node === this.zoomed);
		element.style.left = 100 * left / this.width + "%";
		element.style.width = "calc(" + 100 * width / this.width + "% - 1px)";
		element.style.top = level * FRAME_HEIGHT + "px";
		return element;
	}

	about(node) {
		const { view, column } = this.state, value = node < 0 ? this.total : this.value[node];
		const name = node < 0 ? "all" : view.path ? view.path(node) : view.name[node];

		return name + ": " + column.text(value, value) + (this.total ? ", " + format.share(value / this.total) : "") +
			(node >= 0 && !isKnown((view.cells[column.id] || [])[node]) ? " (of what is nested in it: its own is not known)" : "");
	}

	/* The line above: the frame below the pointer, or what there is to say of all. */
	tell(frame) {
		const parts = [];

		if (frame) {
			this.told.textContent = visible(this.about(Number(frame.dataset.node)));
			return;
		}
		if (!(this.total > 0))
			parts.push("No region has a value of this");
		if (this.found)
			parts.push(this.foundPart());
		if (this.narrow)
			parts.push(plural(this.narrow, "frame") + " too narrow to be seen: a click on what is around makes room");
		if (this.missing)
			parts.push(plural(this.missing, "region") + " without a value");
		if (this.zoomed >= 0)
			parts.push("zoomed: Escape, or “all”, shows all again");
		if (!parts.length)
			parts.push("A click, or Enter, makes a frame as wide as all; arrows go around");
		if (this.state.view.functionsFrom !== undefined)
			parts.push("paler frames are functions, in which samples saw the region around them" + (this.state.view.called ? ", each in what had called it" : "") + ": estimates");
		this.told.textContent = parts.join("; ");
	}

	/* What is found in something that is found counts once. */
	foundPart() {
		const { view } = this.state, inside = new Uint8Array(view.n);
		let sum = 0, n = 0;

		for (let i = 0; i < view.n; i++) {
			const parent = view.parent[i], match = this.found[i] === 2;

			inside[i] = match || (parent >= 0 && inside[parent]) ? 1 : 0;
			n += match;
			if (match && !(parent >= 0 && inside[parent]))
				sum += this.value[i];
		}
		return plural(n, "match") + (this.total ? ", " + format.share(sum / this.total) : "");
	}

	zoom(node) {
		this.zoomed = node;
		this.draw();
	}

	clicked(frame) {
		if (!frame)
			return;
		const node = Number(frame.dataset.node);

		this.zoom(node);
		if (node >= 0)
			this.on.select(node);
	}

	key(event) {
		const frame = event.target.closest(".frame"), node = frame ? Number(frame.dataset.node) : -1;
		const level = frame ? frame.getAttribute("aria-level") : 0;
		const at = (which, from) => from && this.frames.querySelector(which);
		const keys = {
			Enter: () => this.clicked(frame),
			Escape: () => this.zoom(-1),
			Backspace: () => this.zoomed >= 0 && this.zoom(this.state.view.parent[this.zoomed]),
			ArrowUp: () => at("[data-node='" + (node < 0 ? -1 : this.state.view.parent[node]) + "']", frame),
			ArrowDown: () => [...this.frames.children].find(one => Number(one.dataset.node) >= 0 &&
				this.state.view.parent[Number(one.dataset.node)] === node),
			ArrowRight: () => this.beside(frame, level, 1),
			ArrowLeft: () => this.beside(frame, level, -1),
		};

		if (!keys[event.key])
			return;
		event.preventDefault();
		event.stopPropagation();
		const next = keys[event.key]();

		if (next instanceof Element)
			this.focus(next);
		else if (event.key === "Enter" || event.key === "Escape" || event.key === "Backspace")
			this.focus(this.frames.querySelector("[tabindex='0']"));
	}

	beside(frame, level, step) {
		const row = [...this.frames.querySelectorAll("[aria-level='" + level + "']")].sort(
			(a, b) => parseFloat(a.style.left) - parseFloat(b.style.left));

		return row[row.indexOf(frame) + step];
	}

	focus(frame) {
		if (!frame)
			return;
		for (const one of this.frames.querySelectorAll("[tabindex='0']"))
			one.tabIndex = -1;
		frame.tabIndex = 0;
		frame.focus();
		this.tell(frame);
	}
}

/* The same name has the same shade everywhere: one of eight of page.css. */
function hueOf(name) {
	let hash = 7;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
	return ((hash ^ hash >>> 15) >>> 0) % 8;
}
