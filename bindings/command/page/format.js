/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and names for people, as lib/report/cell.c and pmu_encode_line() write them. */
"use strict";

const NONE = "–"; /* not known, which is not 0 */

const TIMES = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];
const ENERGIES = [[1, "µJ"], [1e3, "mJ"], [1e6, "J"], [1e9, "kJ"], [1e12, "MJ"]];
const THOUSANDS = [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"], [1e15, "P"], [1e18, "E"]];
const MANY = 1e7; /* from here on counts have four digits and a unit */

function isKnown(value) {
	return typeof value === "number" && Number.isFinite(value);
}

/* With so many decimals, and a comma after every third digit in front of them. */
function fixed(value, decimals) {
	const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
	const commas = whole.replace(/\B(?=(\d{3})+$)/g, ",");

	return (value < 0 ? "-" : "") + commas + (rest ? "." + rest : "");
}

function scaled(value, units) {
	let unit = 0;

	while (unit + 1 < units.length && Math.abs(value) / units[unit][0] >= 999.95)
		unit++;
	const part = value / units[unit][0];
	let decimals = 3;

	while (decimals > 0 && Math.abs(part) * 10 ** decimals >= 9999.5)
		decimals--;
	return fixed(part, decimals) + (units[unit][1] ? " " + units[unit][1] : "");
}

const format = {
	exact(value) {
		return isKnown(value) ? fixed(value, 0) : NONE;
	},
	/* @largest: of the column, whose numbers are all written in one way */
	count(value, largest) {
		if (!isKnown(value))
			return NONE;
		if (!Number.isInteger(value))
			return format.value(value);
		return (largest === undefined ? Math.abs(value) : largest) < MANY || Math.abs(value) < 1000
			? fixed(value, 0) : scaled(value, THOUSANDS);
	},
	time(ns) {
		if (!isKnown(ns))
			return NONE;
		if (Math.abs(ns) < 999.95)
			return fixed(ns, Math.abs(ns) < 99.95 && !Number.isInteger(ns) ? 1 : 0) + " ns";
		return scaled(ns, TIMES);
	},
	energy(microjoules) {
		return isKnown(microjoules) ? scaled(microjoules, ENERGIES) : NONE;
	},
	share(fraction) {
		if (!isKnown(fraction))
			return NONE;
		return fraction > 0 && fraction < 0.0005 ? "<0.1%" : fixed(100 * fraction, 1) + "%";
	},
	value(value) {
		const size = Math.abs(value);

		if (!isKnown(value))
			return NONE;
		if ((size > 0 && size < 0.01) || size >= 1e21)
			return value.toPrecision(2);
		if (size >= MANY)
			return scaled(value, THOUSANDS);
		return fixed(value, size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
	},
	/* A measure, by its unit. */
	measured(value, unit, largest) {
		if (unit === "ns")
			return format.time(value);
		if (unit === "uJ")
			return format.energy(value);
		return format.count(value, largest);
	},
	signed(value, text) {
		return value > 0 ? "+" + text : text;
	},
	bytes(value) {
		return isKnown(value) ? fixed(value / (1 << 20), 1) + " MiB" : NONE;
	},
	date(ns) {
		return isKnown(ns) && ns > 0 ? new Date(ns / 1e6).toLocaleString() : "";
	},
};

/*
 * What cannot be seen, or turns the text around it, is shown: names come from anywhere.
 * Letters of scripts that are read from right to left stay; the elements they are in keep them apart.
 */
function visible(text) {
	return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, c =>
		c === "\n" ? "\\n" : c === "\t" ? "\\t" :
			"\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function plural(n, word) {
	return format.exact(n) + " " + (n === 1 ? word : /(s|ch)$/.test(word) ? word + "es" : word + "s");
}
