/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Top-down analysis of a region: where the slots of the pipeline went, and which branch matters, as
 * lib/report/text/topdown.c has it.
 */

/* Values of its nodes, over all groups that have some: of each the first that is known.  null: none is. */
function topdownValues(data, path) {
	const values = new Array(data.topdown ? data.topdown.nodes.length : 0).fill(null);

	(data.topdown ? data.topdown.of : []).forEach((of, s) => {
		const rows = data.sections[s].rows, i = of ? rows.path.indexOf(path) : -1;

		if (i >= 0)
			of.forEach((node, m) => {
				const team = rows.team && rows.team[i], value = team ? team.metrics[m] : rows.metrics[m][i];

				if (node !== null && values[node] === null)
					values[node] = value;
			});
	});
	return values.some(isKnown) ? values : null;
}

/* What was counted anywhere; with what is around it. */
function topdownShown(data) {
	const shown = new Set();

	for (const of of data.topdown.of)
		for (const node of of || [])
			for (let at = node; at !== null && at >= 0; at = topdownParent(data.topdown.nodes, at))
				shown.add(at);
	return shown;
}

function topdownNamed(nodes, core, name) {
	return name ? nodes.findIndex(node => node.name === name && node.core === core) : -1;
}

function topdownParent(nodes, i) {
	return topdownNamed(nodes, nodes[i].core, nodes[i].parent);
}

/* Of what was not counted what is around it decides. */
function topdownCountedParent(nodes, values, i) {
	let at = topdownParent(nodes, i);

	while (at >= 0 && !isKnown(values[at]))
		at = topdownParent(nodes, at);
	return at;
}

/* {counts: Set of nodes above their thresholds, leaf: where to look first, -1 nowhere}; of a kind of core */
function topdownJudge(nodes, values, core) {
	const above = i => i >= 0 && isKnown(values[i]) && values[i] > nodes[i].above;
	const counts = new Set();
	let leaf = -1, next = -1;

	nodes.forEach((node, i) => {
		const around = topdownCountedParent(nodes, values, i);

		if (node.core === core && isKnown(values[i]) && (around < 0 || counts.has(around)) &&
		    (above(i) || above(topdownNamed(nodes, core, node.also))))
			counts.add(i);
	});
	do {
		next = -1;
		for (const i of counts)
			if (topdownCountedParent(nodes, values, i) === leaf && (next < 0 || values[i] > values[next]))
				next = i;
		leaf = next >= 0 ? next : leaf;
	} while (next >= 0);
	return { counts, leaf };
}

function topdownDepth(nodes, i) {
	const parent = topdownParent(nodes, i);

	return parent < 0 ? 0 : 1 + topdownDepth(nodes, parent);
}

function drawTopdownNode(nodes, values, i, judged) {
	const node = nodes[i], value = values[i], counts = judged.counts.has(i);
	const sign = i === judged.leaf ? "★ look here first" : counts ? "★" : "";
	const bar = make("div.tdbar", { "aria-hidden": "true" }, make("span"));
	const element = make("li" + (counts ? ".counts" : "") + (i === judged.leaf ? ".leaf" : ""),
		{ title: node.means }, make("span.tdname", null, node.name),
		make("span.tdvalue", null, isKnown(value) ? format.share(value / 100) : ""),
		isKnown(value) ? bar : make("div.tdnone"),
		make("span.tdsign", null, sign));

	bar.firstChild.style.width = Math.max(0, Math.min(100, value || 0)) + "%";
	element.style.setProperty("--depth", topdownDepth(nodes, i));
	return element;
}

function drawTopdown(data, path) {
	const values = topdownValues(data, path);

	if (!values)
		return null;
	const { nodes } = data.topdown, shown = topdownShown(data);

	return ["", "E cores"].map(core => {
		const judged = topdownJudge(nodes, values, core);
		const list = nodes.map((_, i) => i).filter(i => nodes[i].core === core && shown.has(i));

		if (!list.some(i => isKnown(values[i])))
			return null;
		return [
			core ? make("h4", null, core) : null,
			make("ul.topdown", null, list.map(i => drawTopdownNode(nodes, values, i, judged))),
			make("p.means", null, judged.leaf < 0 ? "No share is large enough to stand out." :
				nodes[judged.leaf].name + ": " + nodes[judged.leaf].means + "."),
		];
	});
}

/* "memory bound: the pipeline waited for loads or stores": what a list has room for; "" */
function topdownWord(data, path) {
	const values = topdownValues(data, path), judged = values && topdownJudge(data.topdown.nodes, values, "");

	if (!judged || judged.leaf < 0)
		return "";
	const { name, means } = data.topdown.nodes[judged.leaf];

	return name + ": " + means.split(";")[0];
}
