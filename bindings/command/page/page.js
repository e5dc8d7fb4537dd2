/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: what is chosen, and the panels that show it. */

/*
 * Blocks of data, by what the command has called them (pmu_page_data()); null where there is none.
 * They are read once; their text is of no more use then.
 */
function block(id) {
	const element = document.getElementById("data-" + id), text = element ? element.textContent : null;

	if (element)
		element.remove();
	return text === null ? null : JSON.parse(text);
}

/*
 * Panels beside each other, one is seen at a time: {id, title, key, has(book), make(page)}, and what make()
 * returns: {element, show(state)}, and where it has a use for them key(event), which tells whether it was one
 * of its own, print(begins) and chosen(state) of a region that was chosen.  A panel of its own is one more entry here,
 * one more file in local.mk and one more block() of data.
 */
const PANELS = [
	{
		id: "table", title: "Table", has: () => true,
		make: page => {
			page.table = new Table({
				select: node => page.select(node), open: node => page.open(node), sort: id => page.sort(id),
				change: n => page.tellRows(n),
			});
			return { element: page.table.frame, show: state => page.table.show(state) };
		},
	},
	{
		id: "flame", title: "Flame graph", has: book => book.kind !== "diff",
		make: page => {
			/* of a function its region is chosen */
			const flame = new Flame({ select: node => page.select(node >= flame.state.view.functionsFrom ? flame.state.view.row[node] : node) });
			const choice = make("select", { "aria-label": "width", on: { change: () => { page.measure = choice.value; flame.show(page.flameState()); } } });

			page.flameChoice = choice;
			return {
				element: make("div", null, make("label.choice", null, "width: ", choice), flame.element),
				show: () => {
					const state = page.flameState();

					choice.replaceChildren(...page.widths().map(column =>
						make("option", { value: column.id, selected: column === state.column }, column.title)));
					flame.show(state);
				},
			};
		},
	},
	{
		id: "timeline", title: "Timeline", has: book => Boolean(book.timeline),
		make: page => {
			const timeline = new Timeline(new TimelineData(page.book.timeline, page.book.sections), {
				select: (path, group) => page.selectRegion(path, group),
			});

			return {
				element: timeline.element, show: state => timeline.show(state), chosen: state => timeline.show(state),
				key: event => timeline.key(event), print: begins => timeline.print(begins),
			};
		},
	},
	{
		id: "roofline", title: "Roofline", has: book => Boolean(book.data.roofline),
		make: page => ({ element: drawRoofline(page.book, { select: path => page.selectPath(path) }), show: () => {} }),
	},
];

function isOfThread(thread, doubt) {
	return thread.thread === doubt.thread && (!isKnown(doubt.part) || thread.part === doubt.part);
}

/* Of functions, too, which have nothing else. */
const SAMPLES = { id: "samples", title: "samples", text: value => plural(value, "sample") };

const DETAILS = { report: reportDetail, series: seriesDetail, diff: diffDetail };

const KEYS = [
	["↑ ↓", "to the row above or below"], ["→ ←", "unfold and go in, fold and go out"], ["Enter", "to what there is on a row; in the flame graph: zoom"],
	["Page, Home, End", "further up or down"], ["/", "filter, and search in the flame graph"], ["1 2 3", "table, flame graph, and what else there is"],
	["Escape", "clears the filter, zooms out, closes"], ["?", "this"],
];

class Page {
	constructor(book) {
		this.book = book;
		this.views = new Map(); /* "section view": {view, tree, sort} */
		this.sectionIndex = book.first || 0;
		this.viewId = book.sections.length ? book.sections[this.sectionIndex].views[0].id : "";
		this.hidden = new Map(); /* columns of a section that were switched on or off */
		this.filter = "";
		this.flat = false;
		this.panels = PANELS.filter(panel => panel.has(book)).map(panel => ({ ...panel, made: null }));
		this.panelId = "table";
	}

	get section() {
		return this.book.sections[this.sectionIndex];
	}

	get panel() {
		return this.panels.find(panel => panel.id === this.panelId);
	}

	/* The view that is looked at, made when it is for the first time. */
	get current() {
		const key = this.sectionIndex + " " + this.viewId;

		if (!this.views.has(key)) {
			const { section } = this, view = section.views.find(one => one.id === this.viewId).make();

			view.id = this.viewId;
			view.marks = view.marks || (node => this.marks(section, view, node));
			view.title = view.title || (this.viewId === "regions" ? "region" : section.views.find(one => one.id === this.viewId).title + ", and their regions");
			this.views.set(key, { view, tree: new Tree(view), known: new Map(), sort: { id: view.sorted || "name", direction: view.sorted ? -1 : 1 } });
		}
		return this.views.get(key);
	}

	marks(section, view, node) {
		const i = view.row[node], marks = marksOf(view.flags[node] || []).map(flag => ["△ " + FLAGS[flag][0], FLAGS[flag][1]]);

		for (const doubt of i >= 0 ? section.doubts.get(i) || [] : [])
			if (view.id !== "threads" || !isKnown(doubt.thread) || isOfThread(this.book.data.threads[view.entity[node]], doubt))
				marks.push(["? doubt", doubt.text, "doubt"]);
		return marks;
	}

	columns() {
		const { view } = this.current, hidden = this.hidden.get(this.sectionIndex);

		return this.section.columns.filter(column => (view.cells[column.id] || column.draw) &&
			(hidden && hidden.has(column.id) ? hidden.get(column.id) : column.shown && (column.draw || this.isAnyKnown(column))));
	}

	/* What no row has is not worth a column, unless it is asked for. */
	isAnyKnown(column) {
		const { known, view } = this.current;

		if (!known.has(column.id))
			known.set(column.id, view.cells[column.id].some(isKnown));
		return known.get(column.id);
	}

	/* What frames can be as wide as: what adds up. */
	measures() {
		const { view } = this.current;

		return this.section.columns.filter(column => view.cells[column.id] &&
			/^(time_ns|cpu_ns|calls|net\.|all\.)/.test(column.id) && !/^±/.test(column.title));
	}

	/* Samples first, where there are some. */
	widths() {
		return [...(this.viewId === "regions" && this.section.data?.rows.samples ? [SAMPLES] : []), ...this.measures()];
	}

	/* Functions are made when they are looked at for the first time. */
	sampledState() {
		const { current } = this;

		if (!current.sampled) {
			const view = functionView(this.section.data, current.view);

			current.sampled = { view, tree: new Tree(view), column: SAMPLES };
		}
		return { ...current.sampled, filter: this.filter };
	}

	flameState() {
		const { view, tree } = this.current, widths = this.widths(), find = id => widths.find(one => one.id === id);
		const column = find(this.measure) || find(SAMPLES.id) || find(view.sorted) || widths[0];

		return column === SAMPLES ? this.sampledState() : { view, tree, column, filter: this.filter };
	}

	state() {
		const { view, tree, sort } = this.current;

		return { view, tree, sort, columns: this.columns(), flat: this.flat, filter: this.filter, path: this.path };
	}

	/* --- the frame --- */

	start() {
		const on = { select: path => this.selectPath(path), theme: () => this.theme(), help: () => this.help() };

		document.title = visible(this.book.title) + " – pmu";
		document.getElementById("head").append(...drawHead(this.book, on).flat(9).filter(Boolean));
		if (!this.book.sections.length) {
			document.getElementById("main").append(make("p.empty", null, "There is no region in this report."));
			return;
		}
		this.detail = make("aside", { id: "detail", tabindex: "-1", "aria-label": "the region that was chosen" });
		this.stage = make("div", { id: "stage", role: "tabpanel" });
		this.hot = make("div");
		document.getElementById("main").append(this.hot, this.makeTabs(), this.makeTools(),
			make("div.two", null, make("div.left", null, this.stage, this.printed = make("p.printed")), this.detail));
		this.drawHot();
		this.drawTools();
		this.showPanel("table");
		this.firstDetail();
		document.addEventListener("keydown", event => this.key(event));
		window.addEventListener("beforeprint", () => this.print(true));
		window.addEventListener("afterprint", () => this.print(false));
	}

	drawHot() {
		const first = this.section.views[0];

		if (this.book.kind === "diff" || this.viewId !== first.id)
			return;
		this.hot.replaceChildren(...[drawHot(this.book, this.section, this.current.view, { select: path => this.selectPath(path) }),
			drawRanks(this.book.data)].filter(Boolean));
	}

	/* Of the region with most time of its own, so that the place is not empty. */
	firstDetail() {
		const { view } = this.current, hot = this.book.kind === "diff" ? { list: view.n ? [0] : [] } : hotRegions(this.section, view);

		if (hot.list.length)
			this.select(hot.list[0]);
		else
			this.detail.replaceChildren(make("p.empty", null, "Choose a region to see all there is on it."));
		if (hot.list.length)
			this.table.select(hot.list[0], true);
	}

	makeTabs() {
		this.tabs = make("div.tabs", { role: "tablist" }, this.panels.map(panel =>
			make("button", { type: "button", role: "tab", id: "tab-" + panel.id, "aria-selected": false, on: { click: () => this.showPanel(panel.id) } }, panel.title)));
		return this.tabs;
	}

	makeTools() {
		this.search = make("input", {
			type: "search", id: "filter", placeholder: "filter by name  ( / )", "aria-label": "filter by name", spellcheck: "false",
			on: { input: () => this.setFilter(this.search.value) },
		});
		this.rows = make("span.rows");
		this.tools = make("div.tools");
		return this.tools;
	}

	drawTools() {
		const { book, section } = this;
		const groups = book.sections.length > 1 ? make("label.choice", null, "group: ", make("select", {
			id: "group", on: { change: event => this.setSection(Number(event.target.value)) },
		}, book.sections.map((one, i) => make("option", { value: i, selected: i === this.sectionIndex }, one.group + (one.found ? " (" + one.found + ")" : ""))))) : null;
		const views = section.views.length > 1 ? make("label.choice", null, book.kind === "diff" ? "show: " : "rows: ", make("select", {
			id: "view", on: { change: event => this.setView(event.target.value) },
		}, section.views.map(one => make("option", { value: one.id, selected: one.id === this.viewId }, one.title)))) : null;

		this.tools.replaceChildren(...[groups, views, this.search,
			make("span.folding", null,
				button("fold", "fold all rows", () => this.foldAll(true), { id: "fold" }),
				button("unfold", "unfold all rows", () => this.foldAll(false), { id: "unfold" }),
				make("label.choice", { title: "all rows as one list, which sorting orders as a whole" }, make("input", {
					type: "checkbox", id: "flat", checked: this.flat, on: { change: event => { this.flat = event.target.checked; this.refresh(); } },
				}), " list")),
			this.makeChooser(), this.rows].filter(Boolean));
	}

	makeChooser() {
		const shown = new Set(this.columns().map(column => column.id)), { view } = this.current;

		return make("details.chooser", { id: "columns" }, make("summary", null, "columns"), make("div.choices", null,
			this.section.columns.filter(column => view.cells[column.id] || column.draw).map(column => make("label", { title: column.about },
				make("input", { type: "checkbox", value: column.id, checked: shown.has(column.id), on: { change: event => this.setColumn(column.id, event.target.checked) } }),
				" ", named(column.title), column.unit ? make("small", null, " " + column.unit) : null))));
	}

	/* --- what is chosen --- */

	showPanel(id) {
		const panel = this.panels.find(one => one.id === id);

		if (!panel)
			return;
		this.panelId = id;
		panel.made = panel.made || panel.make(this);
		this.stage.replaceChildren(panel.made.element);
		this.stage.setAttribute("aria-labelledby", "tab-" + id);
		for (const tab of this.tabs.children)
			tab.setAttribute("aria-selected", tab.id === "tab-" + id);
		document.body.dataset.panel = id;
		panel.made.show(this.state());
	}

	refresh() {
		this.showPanel(this.panelId);
	}

	setSection(index) {
		const path = this.path;

		this.sectionIndex = index;
		if (!this.section.views.some(view => view.id === this.viewId))
			this.viewId = this.section.views[0].id;
		this.drawTools();
		this.drawHot();
		this.refresh();
		this.show(this.find(path));
	}

	/* The row of a path, or of its last names; -1 */
	find(path) {
		const { view } = this.current;

		for (let i = 0; path && i < view.n; i++)
			if (view.row[i] >= 0 && (view.path(i) === path || lastNames(view.path(i), 8) === path))
				return i;
		return -1;
	}

	show(node) {
		if (node < 0)
			return;
		this.select(node);
		if (this.panelId === "table")
			this.table.reveal(node);
	}

	setView(id) {
		this.viewId = id;
		this.drawTools();
		this.refresh();
	}

	setColumn(id, on) {
		if (!this.hidden.has(this.sectionIndex))
			this.hidden.set(this.sectionIndex, new Map());
		this.hidden.get(this.sectionIndex).set(id, on);
		this.refresh();
	}

	setFilter(text) {
		this.filter = text;
		this.search.value = text;
		this.refresh();
	}

	sort(id) {
		const { sort } = this.current;

		/* numbers begin with the largest, names with A */
		sort.direction = sort.id === id ? -sort.direction : id === "name" ? 1 : -1;
		sort.id = id;
		this.refresh();
		speak("sorted by " + id);
		this.table.element.scrollTop = 0;
	}

	foldAll(fold) {
		const { tree, view } = this.current;

		if (fold)
			tree.fold(view.entity || this.book.kind === "diff" ? 0 : 1);
		else
			tree.unfold();
		this.refresh();
	}

	tellRows(n) {
		const { view } = this.current;

		this.rows.textContent = n === view.n ? plural(n, "row") : format.exact(n) + " of " + plural(view.n, "row");
	}

	select(node) {
		const { view } = this.current;

		this.path = view.row[node] >= 0 ? view.path(node) : "";
		this.detail.replaceChildren(...DETAILS[this.book.kind](this.book, this.section, view, node).flat(9).filter(Boolean));
		const { made } = this.panel;

		if (made && made.chosen)
			made.chosen(this.state());
	}

	/* A region of a group, while what is searched for stays. */
	selectRegion(path, group) {
		const sections = this.book.sections, regions = section => section.views[0].id;
		const at = sections.findIndex(section => section.group === group);

		if (at >= 0 && (at !== this.sectionIndex || this.viewId !== regions(sections[at]))) {
			this.sectionIndex = at;
			this.viewId = regions(sections[at]);
			this.drawTools();
		}
		const node = this.find(path);

		if (node >= 0)
			this.select(node);
	}

	/* A region by its path, wherever it is: in this group, or in another one. */
	selectPath(path) {
		this.viewId = this.section.views[0].id;
		for (let k = 0; k < this.book.sections.length && this.find(path) < 0; k++) {
			this.sectionIndex = k;
			this.viewId = this.section.views[0].id;
		}
		this.filter = this.search.value = "";
		this.drawTools();
		if (this.panelId !== "roofline")
			this.refresh();
		this.show(this.find(path));
	}

	open(node) {
		this.select(node);
		this.detail.focus();
		this.detail.scrollIntoView({ block: "nearest" });
	}

	/* --- keys, theme, help, print --- */

	key(event) {
		const typing = event.target.closest("input, select, textarea, dialog");

		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "Escape" && event.target === this.search) {
			this.setFilter("");
			this.search.blur();
		} else if (typing) {
			if (event.key === "Enter" && event.target === this.search && this.panelId === "table")
				this.table.table.focus();
		} else if (event.key === "/") {
			event.preventDefault();
			this.search.focus();
			this.search.select();
		} else if (event.key === "?") {
			this.help();
		} else if (event.key === "Escape" && this.filter) {
			this.setFilter("");
		} else if (event.key >= "1" && event.key <= String(this.panels.length)) {
			this.showPanel(this.panels[Number(event.key) - 1].id);
		} else if (this.panel.made && this.panel.made.key && this.panel.made.key(event)) {
			event.preventDefault();
		}
	}

	theme() {
		const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" :
			window.matchMedia("(prefers-color-scheme: dark)").matches;

		root.dataset.theme = dark ? "light" : "dark";
		speak(root.dataset.theme);
	}

	help() {
		const dialog = document.getElementById("help");

		dialog.replaceChildren(make("h2", null, "Keys"),
			plainTable(["key", "what it does"], [...KEYS, ...(this.book.timeline ? TIMELINE_KEYS : [])].map(([key, text]) => [make("kbd", null, key), text])),
			make("h2", null, "Signs"),
			make("ul", null, Object.values(FLAGS).filter(([name]) => name).map(([name, about]) =>
				make("li", null, make("b", null, "△ " + name), ": " + about)),
			make("li", null, make("b", null, "? doubt"), ": a reason not to trust a number blindly"),
			make("li", null, make("b", null, "~"), ": an estimate; a blank, or “–”, is not known, and not 0")),
			button("close", "close", () => dialog.close(), { id: "closehelp" }));
		dialog.showModal();
	}

	print(begins) {
		for (const folded of document.querySelectorAll("details.doubts, details.about"))
			folded.open = begins || folded.open;
		const left = this.panelId === "table" ? this.table.print(begins) : 0, { made } = this.panel;

		if (made && made.print)
			made.print(begins);

		this.printed.textContent = left ? plural(left, "more row") + " not printed: filter, or fold" : "";
	}
}

/* --- start --- */

const BOOKS = { report: reportBook, series: seriesBook, diff: diffBook };

function startPage() {
	for (const [id, make_] of Object.entries(BOOKS)) {
		const data = block(id);

		if (!data)
			continue;
		new Page({ ...make_(data), timeline: block("timeline") }).start();
		return;
	}
	document.getElementById("main").append(make("p.empty", null, "There is no data in this page."));
}

startPage();
