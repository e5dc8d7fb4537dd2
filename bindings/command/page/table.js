/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tree of rows as a table: sorted, filtered, folded; only the rows that are in sight are elements, so that
 * 100,000 are as fast as 100.
 */

const ROW_HEIGHT = 28; /* pixels, as page.css has it */
const COLUMN_WIDTHS = { usual: 88, mid: 112, wide: 168 };
const SPARE_ROWS = 12; /* above and below what is in sight */
const UNFOLDED_ROWS = 400; /* a larger tree begins folded */
const PRINTED_ROWS = 2000;

/* --- the order of rows --- */

class Tree {
	/* @view: {n, name, parent, path} */
	constructor(view) {
		this.view = view;
		this.folded = new Uint8Array(view.n);
		this.depth = new Int32Array(view.n);
		this.hasChildren = new Uint8Array(view.n);
		for (let i = 0; i < view.n; i++) {
			const parent = view.parent[i];

			if (parent >= 0) {
				this.depth[i] = this.depth[parent] + 1;
				this.hasChildren[parent] = 1;
			}
		}
		if (view.n > UNFOLDED_ROWS)
			this.fold(view.entity ? 0 : 2);
	}

	/* All rows from this depth on. */
	fold(depth) {
		for (let i = 0; i < this.view.n; i++)
			this.folded[i] = this.depth[i] >= depth ? 1 : 0;
	}

	unfold() {
		this.folded.fill(0);
	}

	/* Rows whose name (with a '/' in the text, whose path) has it, and what is around them.  null: all */
	matching(text) {
		const wanted = text.trim().toLowerCase(), { n, name, parent } = this.view;
		const pathOf = this.view.path && (this.view.byPath || wanted.includes("/")) ? this.view.path : null;

		if (!wanted)
			return null;
		const found = new Uint8Array(n); /* 1 around a match, 2 a match */

		for (let i = n - 1; i >= 0; i--) {
			if (name[i].toLowerCase().includes(wanted) || (pathOf && pathOf(i).toLowerCase().includes(wanted)))
				found[i] = 2;
			if (found[i] && parent[i] >= 0 && !found[parent[i]])
				found[parent[i]] = 1;
		}
		return found;
	}

	/* Children of each row in the order of @compare: {start[n + 2], child[n]}; -1's are at start[n]. */
	children(compare) {
		const { n, parent } = this.view, start = new Int32Array(n + 2), child = new Int32Array(n);

		for (let i = 0; i < n; i++)
			start[(parent[i] < 0 ? n : parent[i]) + 1]++;
		for (let i = 0; i <= n; i++)
			start[i + 1] += start[i];
		const next = start.slice();

		for (let i = 0; i < n; i++)
			child[next[parent[i] < 0 ? n : parent[i]]++] = i;
		if (compare)
			for (let i = 0; i <= n; i++)
				if (start[i + 1] - start[i] > 1)
					child.subarray(start[i], start[i + 1]).sort(compare);
		return { start, child };
	}

	/* @compare: of two rows, null: as they stand; @flat: a list, not a tree.  Return: rows in sight, in order. */
	order(compare, found, flat) {
		const n = this.view.n;

		if (flat) {
			const list = [];

			for (let i = 0; i < n; i++)
				if (!found || found[i] === 2)
					list.push(i);
			return Int32Array.from(compare ? list.sort(compare) : list);
		}
		const { start, child } = this.children(compare), list = [], stack = [];

		for (let k = start[n + 1] - 1; k >= start[n]; k--)
			stack.push(child[k]);
		while (stack.length) {
			const i = stack.pop();

			if (found && !found[i])
				continue;
			list.push(i);
			/* what is found is shown, folded or not */
			if (!this.folded[i] || (found && found[i] === 1))
				for (let k = start[i + 1] - 1; k >= start[i]; k--)
					stack.push(child[k]);
		}
		return Int32Array.from(list);
	}
}

/* What is not known stands last, whatever the direction. */
function comparer(column, view, direction) {
	const cells = column ? view.cells[column.id] : null;

	if (!cells)
		return (a, b) => direction * (view.name[a] < view.name[b] ? -1 : view.name[a] > view.name[b] ? 1 : a - b);
	const key = column.key ? cells.map(column.key) : cells;

	return (a, b) => {
		const x = key[a], y = key[b];

		if (x === y || (!isKnown(x) && !isKnown(y)))
			return a - b;
		if (!isKnown(x) || !isKnown(y))
			return isKnown(x) ? -1 : 1;
		return direction * (x - y);
	};
}

function largestOf(cells) {
	let largest = 0;

	for (let i = 0; i < cells.length; i++)
		if (cells[i] > largest)
			largest = cells[i];
	return largest;
}

/* --- the table --- */

class Table {
	/*
	 * @state: {view, columns, sort: {id, direction}, flat, filter}
	 * @on: {select(node), open(node), sort(id), change()}
	 */
	constructor(on) {
		this.on = on;
		this.lines = [];
		this.selected = -1;
		this.head = make("thead");
		this.body = make("tbody");
		this.above = make("tr.space", { "aria-hidden": "true" }, make("td"));
		this.below = make("tr.space", { "aria-hidden": "true" }, make("td"));
		this.cols = make("colgroup");
		this.table = make("table.tree", {
			role: "treegrid", tabindex: "0", "aria-label": "regions",
			on: { keydown: event => this.key(event) },
		}, this.cols, this.head, this.body);
		this.element = make("div.scroll", { on: { scroll: () => this.scrolled() } }, this.table);
		this.body.addEventListener("click", event => this.clicked(event));
		this.empty = make("p.empty", { hidden: true });
		this.frame = make("div.tableframe", null, this.element, this.empty);
	}

	show(state) {
		if (state.view !== this.view) {
			this.selected = -1;
			this.element.scrollTop = 0;
		}
		this.state = state;
		this.view = state.view;
		this.tree = state.tree;
		this.columns = state.columns;
		this.largest = this.columns.map(column => this.view.cells[column.id] ? largestOf(this.view.cells[column.id]) : 0);
		this.drawHead();
		this.arrange();
	}

	/* Again, after folding, sorting or filtering. */
	arrange() {
		const { sort, filter, flat } = this.state, column = this.columns.find(one => one.id === sort.id);
		const unsorted = sort.id === this.view.sorted && sort.direction < 0 && !flat;

		this.found = this.tree.matching(filter);
		this.order = this.tree.order(unsorted ? null : comparer(column, this.view, sort.direction), this.found, flat);
		this.first = -1;
		this.table.setAttribute("aria-rowcount", this.order.length + 1);
		this.empty.hidden = this.order.length > 0;
		this.empty.textContent = !this.view.n ? this.view.none || "There is no region in this report." :
			"Nothing has “" + visible(filter) + "” in its name.";
		this.element.style.setProperty("--rows", this.order.length);
		this.scrolled(true);
		this.on.change(this.order.length);
	}

	drawHead() {
		const { sort } = this.state;
		const head = (id, title, unit, about, left) => make("th" + (left ? ".left" : ""), {
			scope: "col", role: "columnheader", title: about, "data-column": id,
			"aria-sort": sort.id === id ? sort.direction < 0 ? "descending" : "ascending" : "none",
		}, make("button", { type: "button", on: { click: () => this.on.sort(id) } },
			make("span", { text: title }), unit ? make("small", { text: unit }) : null,
			make("span.arrow", { "aria-hidden": "true", text: sort.id === id ? sort.direction < 0 ? "▼" : "▲" : "" })));

		this.head.replaceChildren(make("tr", { role: "row", "aria-rowindex": 1 },
			head("name", this.view.title || "region", "", "", true),
			this.columns.map(column => head(column.id, column.title, column.unit, column.about))));
		const widths = this.columns.map(column => column.wide ? "wide" : column.bar || column.title.length > 10 || column.mid ? "mid" : "usual");

		this.cols.replaceChildren(make("col.first"), ...widths.map(width => make("col." + width)));
		this.table.style.setProperty("--columns", widths.reduce((sum, width) => sum + COLUMN_WIDTHS[width], 0) + "px");
	}

	scrolled(anew) {
		const rows = Math.ceil(this.element.clientHeight / ROW_HEIGHT) + 2 * SPARE_ROWS;
		const first = Math.max(0, Math.min(this.order.length - rows,
			Math.floor(this.element.scrollTop / ROW_HEIGHT) - SPARE_ROWS));

		/* a few rows further are in reserve */
		if (!anew && Math.abs(first - this.first) < SPARE_ROWS / 2 && first !== 0)
			return;
		this.drawRows(first, Math.min(this.order.length, first + rows), anew);
	}

	/* Lines that stay in sight stay as they are; those that leave it at one end come back at the other. */
	drawRows(first, last, anew) {
		const n = last - first, moved = first - this.first, same = !anew && n === this.shown && Math.abs(moved) < n;
		const from = same && moved < 0 ? 0 : same ? n - moved : 0, to = same && moved < 0 ? -moved : n;

		if (same && moved > 0)
			this.lines.push(...this.lines.splice(0, moved));
		else if (same && moved < 0)
			this.lines.unshift(...this.lines.splice(n + moved, -moved));
		while (this.lines.length < n)
			this.lines.push(this.makeLine());
		this.lines.length = n;
		this.first = first;
		this.shown = n;
		for (let k = from; k < to; k++)
			this.drawLine(this.lines[k], this.order[first + k], first + k);
		this.above.style.height = first * ROW_HEIGHT + "px";
		this.below.style.height = (this.order.length - last) * ROW_HEIGHT + "px";
		const rows = this.lines.slice(from, to).map(line => line.row);

		if (same)
			(from === 0 ? this.above : this.below)[from === 0 ? "after" : "before"](...rows);
		else
			this.body.replaceChildren(this.above, ...rows, this.below);
		this.table.setAttribute("aria-activedescendant", "row-" + this.selected);
	}

	makeLine() {
		const line = {
			fold: make("span.fold", { "aria-hidden": "true" }), name: make("bdi.name"), marks: make("span.marks"),
			around: make("bdi.quiet"), cells: [],
		};

		line.first = make("th", { scope: "row", role: "rowheader" }, line.fold, line.name, line.marks, line.around);
		line.row = make("tr", { role: "row" }, line.first);
		return line;
	}

	drawLine(line, node, index) {
		const { view, tree } = this, row = line.row, folds = tree.hasChildren[node] && !this.state.flat;
		const marks = view.marks ? view.marks(node) : [];

		row.id = "row-" + node;
		row.dataset.node = node;
		row.setAttribute("aria-rowindex", index + 2);
		row.setAttribute("aria-level", tree.depth[node] + 1);
		row.setAttribute("aria-selected", node === this.selected);
		if (folds)
			row.setAttribute("aria-expanded", !this.isFolded(node));
		else
			row.removeAttribute("aria-expanded");
		row.className = this.found && this.found[node] === 1 ? "around" : "";
		line.first.style.setProperty("--depth", this.state.flat ? 0 : Math.min(tree.depth[node], 40));
		line.fold.textContent = folds ? this.isFolded(node) ? "▸" : "▾" : "";
		line.name.textContent = visible(view.name[node]);
		line.around.textContent = visible(this.around(node));
		line.first.title = visible(view.path ? view.path(node) : view.name[node]);
		line.marks.replaceChildren(...marks.map(([text, about, kind]) => make("span.mark." + (kind || "flag"), { title: about }, text)));
		while (line.cells.length < this.columns.length)
			line.cells.push(row.appendChild(make("td", { role: "gridcell" })));
		while (line.cells.length > this.columns.length)
			line.cells.pop().remove();
		this.columns.forEach((column, c) => this.drawCell(line.cells[c], column, node, this.largest[c]));
	}

	drawCell(cell, column, node, largest) {
		const value = this.view.cells[column.id] ? this.view.cells[column.id][node] : null;

		if (column.draw) {
			cell.replaceChildren(column.draw(value, node, this.view));
			cell.className = column.name ? column.name(value, node, this.view) : "";
			return;
		}
		cell.className = column.bar ? "bar" : "";
		cell.textContent = value === null || value === undefined ? "" : column.text(value, largest);
		if (column.bar)
			cell.style.setProperty("--part", isKnown(value) ? Math.max(0, Math.min(1, value)) : 0);
		if (isKnown(value) && Number.isInteger(value) && Math.abs(value) >= 1000)
			cell.title = column.title + ": " + format.exact(value);
		else
			cell.removeAttribute("title");
	}

	/* Where a row is, that does not stand below what is around it. */
	around(node) {
		const { view } = this, path = view.path ? view.path(node) : "", end = path.length - view.name[node].length;

		if (!(this.state.flat || view.byPath) || !path.endsWith(view.name[node]) || end < 2)
			return "";
		return path.slice(0, end - 1);
	}

	isFolded(node) {
		return this.tree.folded[node] && !(this.found && this.found[node] === 1);
	}

	/* --- what people do --- */

	clicked(event) {
		const row = event.target.closest("tr[data-node]");

		if (!row)
			return;
		const node = Number(row.dataset.node);

		if (event.target.closest(".fold") && this.tree.hasChildren[node])
			this.toggle(node);
		this.select(node);
	}

	toggle(node) {
		this.tree.folded[node] ^= 1;
		this.arrange();
	}

	select(node, quietly) {
		this.selected = node;
		for (const line of this.lines)
			line.row.setAttribute("aria-selected", Number(line.row.dataset.node) === node);
		this.table.setAttribute("aria-activedescendant", "row-" + node);
		if (!quietly)
			this.on.select(node);
	}

	/* Unfolds what is around it. */
	reveal(node) {
		let changed = false;

		for (let at = this.view.parent[node]; at >= 0; at = this.view.parent[at])
			if (this.tree.folded[at]) {
				this.tree.folded[at] = 0;
				changed = true;
			}
		if (changed)
			this.arrange();
		this.select(node, true);
		this.scrollTo(this.order.indexOf(node));
	}

	scrollTo(index) {
		const top = index * ROW_HEIGHT, room = this.element.clientHeight - 2 * ROW_HEIGHT;

		if (index < 0)
			return;
		if (top < this.element.scrollTop)
			this.element.scrollTop = top;
		else if (top > this.element.scrollTop + room - ROW_HEIGHT)
			this.element.scrollTop = top - room + ROW_HEIGHT;
		this.scrolled();
	}

	move(by) {
		const at = this.order.indexOf(this.selected);
		const to = Math.max(0, Math.min(this.order.length - 1, at < 0 ? 0 : at + by));

		if (!this.order.length)
			return;
		this.select(this.order[to]);
		this.scrollTo(to);
	}

	/* Left folds, or goes to what is around it; right unfolds, or goes in. */
	sideways(right) {
		const node = this.selected, folds = node >= 0 && this.tree.hasChildren[node] && !this.state.flat;

		if (node < 0)
			return;
		if (folds && Boolean(this.tree.folded[node]) === right)
			this.toggle(node);
		else if (right && folds)
			this.move(1);
		else if (!right && this.view.parent[node] >= 0 && !this.state.flat)
			this.move(this.order.indexOf(this.view.parent[node]) - this.order.indexOf(node));
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
		const keys = {
			ArrowDown: () => this.move(1), ArrowUp: () => this.move(-1),
			PageDown: () => this.move(page), PageUp: () => this.move(-page),
			Home: () => this.move(-this.order.length), End: () => this.move(this.order.length),
			ArrowRight: () => this.sideways(true), ArrowLeft: () => this.sideways(false),
			Enter: () => this.selected >= 0 && this.on.open(this.selected),
			" ": () => this.selected >= 0 && this.tree.hasChildren[this.selected] && this.toggle(this.selected),
		};

		if (event.target !== this.table || !keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
	}

	/* On paper there is no scrolling. */
	print(begins) {
		if (begins)
			this.drawRows(0, Math.min(this.order.length, PRINTED_ROWS), true);
		else
			this.scrolled(true);
		return begins ? Math.max(0, this.order.length - PRINTED_ROWS) : 0;
	}
}
