/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a region, opened: lines of source, below each its instructions, and what was sampled at each. */

const HOT = 0.1; /* of a function's samples: stands out */
const TAB = 4;

/* Columns, as the text has them: tabs depend on where a line begins. */
function untabbed(text) {
	let plain = "";

	for (const c of text)
		plain += c === "\t" ? " ".repeat(TAB - plain.length % TAB) : c;
	return plain;
}

function shareCell(n, all) {
	const cell = make("td.share", { title: n ? plural(n, "sample") : false }, n ? format.share(n / all) : "");

	cell.style.setProperty("--part", n / all);
	return cell;
}

function codeRow(kind, n, all, number, text) {
	const isHot = n >= HOT * all && (kind === "line" || kind === "in");

	return make("tr." + kind + (isHot ? ".hot" : ""), null, shareCell(n, all), make("td.number", null, number), make("td.code", null, text));
}

/* A row as the page's data has it: annotations.c says what is where. */
const LISTED = {
	remark: (n, all, number, text) => make("tr.remark", null, make("td", { colspan: 3 }, text)),
	file: (n, all, number, text) => codeRow("file", n, all, "", text),
	line: (n, all, number, text) => codeRow("line", n, all, number ? String(number) : NONE, untabbed(text)),
	in: (n, all, number, text, target) => codeRow("in", n, all, number, [text, target ? make("span.target", null, " <" + target + ">") : null]),
	fold: (n, all) => codeRow("gap", n, all, "", "…"),
	"folded-in": (n, all) => codeRow("in.gap", n, all, "", "…"),
	others: (n, all, number) => codeRow("gap", n, all, "", "in " + plural(number, "more file")),
};

function listingTable(rows, all) {
	return make("table.listing", null,
		make("thead", null, make("tr", null, ["share", "line", "source, and its instructions"].map(head => make("th", { scope: "col" }, head)))),
		make("tbody", null, rows.map(([kind, n, number = 0, text = "", target = ""]) => LISTED[kind](n, all, number, text, target))));
}

/* Made when it is opened: there may be many. */
function openListing(of, all) {
	const tables = make("div.listings", { tabindex: 0, role: "region", "aria-label": "source and instructions" },
		of.listings.map(rows => listingTable(rows, all)));
	const box = make("input", { type: "checkbox", checked: true, on: { change: () => tables.classList.toggle("plain", !box.checked) } });
	const some = of.listings.some(rows => rows.some(([kind]) => kind === "in")) && of.listings.some(rows => rows.some(([kind]) => kind === "line"));

	return [some ? make("label.choice", null, box, "instructions") : null, tables];
}

function listingOf(of, one, samples) {
	const details = make("details.annotated", { on: { toggle: () => {
		if (details.open && details.children.length === 1)
			details.append(...openListing(of, one.n).filter(Boolean));
	} } }, make("summary", { title: one.name + (one.object ? ", " + one.object : "") },
		make("span.part", null, format.share(one.n / samples.n)), named(one.name)));

	return details;
}

function annotationsOf(book, section, i) {
	const annotations = book.data.annotations, samples = section.data.rows.samples[i];
	const list = annotations ? annotations.of.filter(of => of.section === section.index && of.row === i) : [];

	if (!annotations)
		return make("p.note", null, "With --annotate the page also has the functions' source and instructions.");
	return list.length ? [make("h4", null, "Source and instructions"),
		make("p.note", null, "estimated: shares of each function's samples" +
			(samples.precise >= 2 ? "" : "; a sample is taken when an instruction has ended, so that the one before it took the time as a rule") +
			(annotations.left_out ? "; for " + plural(annotations.left_out, "function") + " of the report there was no room" : "")),
		list.sort((a, b) => a.function - b.function).map(of => listingOf(of, samples.functions[of.function], samples))] : null;
}
