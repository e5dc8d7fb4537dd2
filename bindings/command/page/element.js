/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements.  All text goes in as text: nothing here, or anywhere, takes markup. */

/*
 * make() - an element
 * @what: "tag.class.class"
 * @options: attributes; on: {event: function}; text
 * @children: elements, or texts; null and undefined are left out
 */
function make(what, options, ...children) {
	return fill(document.createElement(what.split(".")[0]), what, options, children);
}

function draw(what, options, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", what.split(".")[0]), what, options, children);
}

function fill(element, what, options, children) {
	const classes = what.split(".").slice(1);

	if (classes.length)
		element.setAttribute("class", classes.join(" "));
	for (const [name, value] of Object.entries(options || {})) {
		if (name === "on")
			for (const [event, handler] of Object.entries(value))
				element.addEventListener(event, handler);
		else if (name === "text")
			element.textContent = visible(value);
		else if (value === true)
			element.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(name, visible(value));
	}
	for (const child of children.flat(9))
		if (child !== null && child !== undefined && child !== false && child !== "")
			element.append(child instanceof Node ? child : visible(child));
	return element;
}

/* A name among other text: on its own, in whichever direction it is read. */
function named(text, ...classes) {
	return make(["bdi.name", ...classes].join("."), { text });
}

function button(text, about, action, options) {
	return make("button", { type: "button", title: about, on: { click: action }, ...options }, text);
}

/* What is heard, not seen. */
function speak(text) {
	document.getElementById("spoken").textContent = visible(text);
}

/* "Title  value" lines; [title, value, about] each, left out where there is no value */
function facts(list, name) {
	const rows = list.filter(([, value]) => value !== null && value !== undefined && value !== "");

	return rows.length ? make("dl" + (name ? "." + name : ""), null, rows.map(([title, value, about]) =>
		make("div", { title: about }, make("dt", null, title),
			make("dd", null, value instanceof Node || Array.isArray(value) ? value : named(value))))) : null;
}

/* A table of texts and elements: heads, and rows of cells. */
function plainTable(heads, rows, name) {
	return make("table.plain" + (name ? "." + name : ""), null,
		make("thead", null, make("tr", null, heads.map(head => make("th", { scope: "col" }, head)))),
		make("tbody", null, rows.map(row => make("tr", null,
			row.map((cell, i) => make(i ? "td" : "th", i ? null : { scope: "row" }, cell))))));
}
