// SPDX-License-Identifier: BSD-3-Clause
// Looks at pages as a browser has them: page.mjs FOLDER CHROMIUM MODULES; a line "STATUS NAME" for each check.
import { createRequire } from "node:module";
import { existsSync, readFileSync, statSync } from "node:fs";

const [, , folder, chromium, modules] = process.argv;
const puppeteer = createRequire(modules + "/")("puppeteer-core");
const wrong = []; // what the browser complained of since the page was opened
let page;

function check(name, holds, got) {
	console.log((holds ? 0 : 1) + " " + name);
	if (!holds)
		console.error(name + ": got " + JSON.stringify(got));
}

function same(name, got, want) {
	check(name, JSON.stringify(got) === JSON.stringify(want), got);
}

async function open(name, width = 1440) {
	wrong.length = 0;
	await page.setViewport({ width, height: 900 });
	await page.goto("file://" + folder + "/" + name + ".html");
}

const texts = selector => page.$$eval(selector, list => list.map(one => one.textContent));
const text = async selector => (await texts(selector))[0];
const click = selector => page.$eval(selector, one => one.click());
const names = () => texts("tbody tr[data-node] > th > .name");
// Cells of a column, as they stand.
const cells = title => page.evaluate(wanted => {
	const at = [...document.querySelectorAll("thead th")].findIndex(one => one.querySelector("span")?.textContent === wanted);

	return [...document.querySelectorAll("tbody tr[data-node]")].map(row => row.children[at].textContent);
}, title);
const filter = words => page.$eval("#filter", (input, value) => {
	input.value = value;
	input.dispatchEvent(new Event("input"));
}, words);
const choose = (selector, value) => page.$eval(selector, (select, option) => {
	select.value = option;
	select.dispatchEvent(new Event("change"));
}, value);
const tab = id => click("#tab-" + id);
const sortBy = id => click("th[data-column='" + id + "'] button");

async function opened(name, width) {
	await open(name, width);
	same(name + ": the browser has nothing to complain of", wrong, []);
	same(name + ": nothing comes from elsewhere", await page.evaluate(() =>
		performance.getEntriesByType("resource").map(one => one.name)), []);
}

// --- a report ---

async function head() {
	const words = await text("#head");

	for (const wanted of ["./usual", "Made Up 9000", "perf, made up", "TSC, 2.500 GHz", "msr was not used: no rights — as root",
		"a note to be read", "1 doubt", "time ran backwards"])
		check("the head has: " + wanted, words.includes(wanted), words);
	same("a title", await page.title(), "usual – pmu");
	same("where the time goes, longest first", (await texts(".hotspot .name")).slice(0, 3), ["main", "solve", "exchange"]);
	check("and why", (await texts(".hotspot .why"))[1].includes("memory bound"), await texts(".hotspot .why"));
}

async function table() {
	same("regions in the order of the tree", await names(), ["main", "solve", "exchange", "read", "write"]);
	same("times", await cells("time"), ["9.000 s", "6.000 s", "2.000 s", "1.000 s", "500.0 ms"]);
	same("what is not known is blank, and not 0", await cells("self"), ["4.050 s", "4.000 s", "2.000 s", "1.000 s", ""]);
	same("counts, of which some are missing", await cells("instructions"), ["4.000 G", "4.000 G", "", "7", "4.000 G"]);
	same("energy in joules", (await cells("energy"))[0], "5.000 J");
	same("a doubt stands at its region", await texts("tr[data-node='1'] .mark"), ["? doubt"]);
	same("and a flag at its", await texts("tr[data-node='4'] .mark"), ["△ no self"]);
	same("rows are told", await text(".rows"), "5 rows");
}

async function sorting() {
	await sortBy("self_ns");
	same("sorted within what is around, unknown last", await names(), ["main", "solve", "exchange", "read", "write"]);
	await sortBy("self_ns");
	same("the other way, unknown still last", await names(), ["main", "read", "solve", "exchange", "write"]);
	same("which is told to those who do not see it", await page.$eval("th[data-column='self_ns']", one => one.getAttribute("aria-sort")), "ascending");
	await click("#flat");
	await sortBy("calls");
	same("as a list", await names(), ["exchange", "solve", "main", "read", "write"]);
	await sortBy("name");
	same("by name", await names(), ["exchange", "main", "read", "solve", "write"]);
	same("with where it is", await text("tr[data-node='2'] .quiet"), "main/solve");
	await click("#flat");
	await sortBy("time_ns");
}

async function filtering() {
	await filter("EXCH");
	same("what matches, and what is around it", await names(), ["main", "solve", "exchange"]);
	same("how many", await text(".rows"), "3 of 5 rows");
	await filter("solve/ex");
	same("with a slash: the path", (await names()).at(-1), "exchange");
	await filter("nothing like it");
	check("nothing matches", (await text(".empty")).includes("nothing like it"), await text(".empty"));
	await page.focus("#filter");
	await page.keyboard.press("Escape");
	same("Escape clears it", (await names()).length, 5);
}

async function folding() {
	await click("#fold");
	same("folded to what is in the outermost", await names(), ["main", "solve", "read", "write"]);
	await click("#unfold");
	same("unfolded", (await names()).length, 5);
	await click("tr[data-node='1'] .fold");
	same("one folded", await names(), ["main", "solve", "read", "write"]);
	same("which is told, too", await page.$eval("#row-1", one => one.getAttribute("aria-expanded")), "false");
	await page.focus(".tree");
	await page.keyboard.press("ArrowRight");
	same("the right arrow unfolds", (await names()).length, 5);
	await page.keyboard.press("ArrowRight");
	same("and goes in", await text("[aria-selected='true'] .name"), "exchange");
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("ArrowLeft");
	same("the left one goes out, and folds", await names(), ["main", "solve", "read", "write"]);
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("End");
	same("End", await text("[aria-selected='true'] .name"), "write");
	await page.keyboard.press("Home");
	await page.keyboard.press("Enter");
	same("Enter goes to the region's numbers", await page.evaluate(() => document.activeElement.id), "detail");
}

async function columns() {
	await page.$eval("#columns input[value='self_ns']", one => one.click());
	same("a column less", await page.$("th[data-column='self_ns']"), null);
	await page.$eval("#columns input[value='min_ns']", one => one.click());
	check("and one more", await page.$("th[data-column='min_ns']") !== null);
	await page.$eval("#columns input[value='self_ns']", one => one.click());
}

async function detail() {
	await click("tr[data-node='1'] > th");
	const words = await text("#detail");

	for (const wanted of ["time ran backwards", "120 of 480", "33.33 M", "memory bound: ", "look here first", "group MEM",
		"longest 120.0% more", "memory, 53.3% reached"])
		check("the region has: " + wanted, words.includes(wanted), words);
	await click("tr[data-node='2'] > th");
	check("what is not known is told", (await text("#detail")).includes("it is not 0"), await text("#detail"));
	await click("tr[data-node='1'] > th");
	same("its calls' times as a histogram", await page.$$eval(".histogram rect", list => list.length), 5);
	same("its threads as bars", (await page.$$(".bars li")).length, 4);
	same("the longest is named", await texts(".bars .sign"), [" longest"]);
}

async function threads() {
	await choose("#view", "threads");
	await click("#fold");
	same("a row for each thread", (await names()).length, 4);
	await click("#unfold");
	same("with its regions", (await names()).slice(0, 4), ["thread 0 · usual · CPU 0", "main", "solve", "exchange"]);
	same("and what it had of them", (await cells("time")).slice(0, 4), ["10.00 s", "2.250 s", "3.300 s", "500.0 ms"]);
	same("a doubt about one thread stands at that one", await page.$$eval(".mark.doubt", list => list.length), 1);
	await click("tr[data-node='2'] > th");
	check("what the thread did", (await text("#detail")).includes("in thread 0"), await text("#detail"));
	await choose("#view", "regions");
}

async function groups() {
	await click("tr[data-node='4'] > th");
	await choose("#group", "2");
	same("of the same region", [await text("[aria-selected='true'] .name"), await text("#detail h2")], ["write", "write"]);
	same("another group's counts, and what it lacks", await cells("r"), ["3.000 G", "3.000 G", "", "7", "3.000 G"]);
	await choose("#group", "0");
}

// --- flame graph, roofline, keys ---

const frames = () => texts(".frame bdi");
const widthOf = node => page.$eval(".frame[data-node='" + node + "']", one => Math.round(one.offsetWidth / one.parentNode.clientWidth * 100));

async function flame() {
	await tab("flame");
	same("frames", await frames(), ["all", "main", "solve", "read", "write", "exchange"]);
	same("as wide as their time", [await widthOf(1), await widthOf(2), await widthOf(3)], [67, 22, 11]);
	await click(".frame[data-node='1']");
	same("a click takes all of the width", [await widthOf(1), await widthOf(2)], [100, 33]);
	same("and leaves out what is beside it", await frames(), ["all", "main", "solve", "exchange"]);
	same("and chooses the region", await text("#detail h2"), "solve");
	await page.focus(".frame[tabindex='0']");
	await page.keyboard.press("Escape");
	same("Escape shows all again", (await frames()).length, 6);
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowRight");
	same("arrows go around", await page.evaluate(() => document.activeElement.textContent), "read");
	await page.keyboard.press("Enter");
	same("Enter zooms", await widthOf(3), 100);
	await click(".frame[data-node='-1']");
	await filter("exch");
	same("what is searched for is marked, not by colour alone", await texts(".frame.match"), ["▸ exchange"]);
	check("and how much it is", (await text(".told")).includes("1 match, 22.2%"), await text(".told"));
	await filter("");
	await choose("#stage select", "net.0");
	check("by a count; what has none is told", (await text(".told")).includes("1 region without a value"), await text(".told"));
	await tab("table");
}

async function roofline() {
	await tab("roofline");
	same("dots", (await page.$$(".dot")).length, 4);
	check("the roof", await page.$(".roof") !== null);
	check("the same as words", (await text(".roofs")).includes("memory"), await text(".roofs"));
	await page.$eval(".dot", one => one.focus());
	await page.keyboard.press("Enter");
	check("Enter on a dot chooses the region", ["main", "solve"].includes(await text("#detail h2")), await text("#detail h2"));
	await tab("table");
}

async function keys() {
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("/");
	same("/ goes to the filter", await page.evaluate(() => document.activeElement.id), "filter");
	await page.keyboard.press("Escape");
	await page.keyboard.press("2");
	check("2 is the flame graph", await page.$(".frames") !== null);
	await page.keyboard.press("1");
	await page.keyboard.press("?");
	check("? tells the keys", (await text("#help[open]") || "").includes("Escape"), await text("#help"));
	await page.keyboard.press("Escape");
	same("Escape closes it", await page.$("#help[open]"), null);
}

const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function themes() {
	const light = await background();

	await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
	const dark = await background();

	check("dark where the system is", light !== dark, [light, dark]);
	await click("#theme");
	same("and the switch turns it", await background(), light);
	await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
	await click("#theme");
	same("and back", await background(), dark);
	await click("#theme");
}

// --- widths, paper ---

async function widths() {
	for (const width of [360, 2560])
		for (const id of ["table", "flame", "roofline"]) {
			await page.setViewport({ width, height: 800 });
			await tab(id);
			same("at " + width + " pixels the " + id + " is not wider than the page", await page.evaluate(() =>
				document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
		}
	await page.setViewport({ width: 360, height: 800 });
	await tab("table");
	check("at 360 pixels a number is beside the name", await page.evaluate(() => {
		const cell = document.querySelector("tr[data-node] td").getBoundingClientRect();

		return cell.left > 0 && cell.right <= 360;
	}));
	await page.setViewport({ width: 1440, height: 900 });
}

async function paper() {
	await page.pdf({ path: folder + "/usual.pdf", format: "A4" });
	check("it can be printed", statSync(folder + "/usual.pdf").size > 10000);
	await page.emulateMediaType("print");
	await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
	same("on paper all rows are there", (await names()).length, 5);
	same("and no switches", await page.$eval(".tools", one => getComputedStyle(one).display), "none");
	await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
	await page.emulateMediaType(null);
}

// --- names that are no names ---

async function hostile() {
	await opened("hostile");
	await tab("flame");
	await tab("table");
	for (const row of await page.$$("tr[data-node] > th"))
		await row.click();
	same("no name is run", await page.evaluate(() => window.broken), undefined);
	same("or becomes an element", await page.$$eval("img", list => list.length), 0);
	const shown = await names();

	same("the first is as it is", shown[0], "</script><img src=x onerror=\"window.broken=1\">");
	check("quotes", shown.includes("'\"`${window.broken=1}"), shown);
	check("entities stay what they are", shown.includes("a&lt;b&amp;c"), shown);
	check("control characters are shown", shown.some(name => name.startsWith("\\u0001\\u0007\\u001b[31mred")), shown);
	check("and what turns the text around", shown.includes("\\u202eright to left\\u202c"), shown);
	check("letters from right to left are letters", shown.some(name => name.startsWith("\u05e9")), shown);
	same("which turn nothing but themselves", await page.$eval("tr[data-node] .name", one => getComputedStyle(one).unicodeBidi), "isolate");
	check("names of JavaScript's", shown.includes("__proto__") && shown.includes("constructor"), shown);
	check("the title", (await page.title()).startsWith("</script>"), await page.title());
	await filter("</script>");
	same("it can be searched for", (await names()).length, 1);
	same("still nothing to complain of", wrong, []);
}

// --- many regions ---

async function large() {
	await opened("large");
	await click("#unfold");
	same("10,000 regions", await page.$eval(".tree", one => one.getAttribute("aria-rowcount")), "10001");
	check("few of them are elements", (await names()).length < 120, (await names()).length);
	await page.$eval(".scroll", one => { one.scrollTop = one.scrollHeight; });
	await page.waitForFunction(() => document.querySelector("tbody tr[aria-rowindex='10001']"));
	check("the last one is there at the end", true);
	await page.$eval(".scroll", one => { one.scrollTop = one.scrollHeight / 2; });
	await page.waitForFunction(() => document.querySelector("tbody tr[aria-rowindex='5001']"));
	const indexes = await page.$$eval("tbody tr[data-node]", list => list.map(one => Number(one.getAttribute("aria-rowindex"))));

	check("rows are in order, none twice", indexes.every((index, i) => !i || index === indexes[i - 1] + 1), indexes);
	await filter("region 777");
	check("filtered", (await names()).includes("region 7777"), await names());
	await filter("");
	await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
	check("on paper 2,000, and how many are not", (await text(".printed")).startsWith("8,000 more rows"), await text(".printed"));
	await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
	await tab("flame");
	check("a flame graph of what can be seen", (await frames()).length > 10 && (await text(".told")).includes("too narrow"), await text(".told"));
}

// --- the timeline ---

const range = () => text(".range");
const press = async (...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
	await drawn();
};
const drawn = () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
// A place of the timeline: a part of its width, and a row of so many pixels from the top.
const place = (part, y) => page.$eval(".lanespace canvas", (canvas, at, down) => {
	const box = canvas.getBoundingClientRect(), gutter = box.width >= 640 ? 172 : 0;

	return [box.x + gutter + at * (box.width - gutter), box.y + down];
}, part, y);
const hover = async (part, y) => {
	await page.mouse.move(...await place(part, y));
	await drawn();
};
const heads = () => texts(".lanehead");

async function openTimeline(name, width) {
	await opened(name, width);
	await tab("timeline");
	await drawn();
}

async function zooming() {
	await page.focus(".lanes");
	same("all of it at first", await range(), "0 ns to 1.000 s of 1.000 s");
	await press("+");
	same("+ zooms in", await range(), "250.0 ms to 750.0 ms of 1.000 s");
	await press("ArrowRight");
	same("the right arrow moves", await range(), "350.0 ms to 850.0 ms of 1.000 s");
	await press("End");
	same("End", await range(), "500.0 ms to 1.000 s of 1.000 s");
	await press("Home", "ArrowLeft");
	same("Home, and no further", await range(), "0 ns to 500.0 ms of 1.000 s");
	await press("-", "-");
	same("- zooms out, not further than all", await range(), "0 ns to 1.000 s of 1.000 s");
	await hover(0.5, 10);
	await page.mouse.wheel({ deltaY: -346.6 });
	await drawn();
	const [from, to] = (await range()).match(/[0-9.]+/g).map(Number);

	check("the wheel zooms at the pointer", Math.abs((from + to) / 2 - 500) < 5 && to - from < 600, await range());
	await page.mouse.down();
	await page.mouse.move(...await place(0.25, 10));
	await page.mouse.up();
	await drawn();
	check("dragging moves", Number((await range()).match(/[0-9.]+/)[0]) > from + 50, await range());
	await press("0");
	same("0 fits all", await range(), "0 ns to 1.000 s of 1.000 s");
	await page.evaluate(() => document.activeElement.blur());
	await press("+");
	same("without the focus, too", await range(), "250.0 ms to 750.0 ms of 1.000 s");
	await press("0");
}

async function timeline() {
	await open("usual");
	same("a page without a trace has no timeline", await page.$("#tab-timeline"), null);
	await openTimeline("timeline");
	same("losses are told", (await texts(".timeline .remark")).map(one => one.slice(0, 59)), [
		"△ missing: 1,234 calls of thread 1 are not here: the ring w", "△ missing: 1 call of thread 1 is not here: shorter than PMU"]);
	await zooming();
	await hover(0.35, 10 + 2 * 19);
	same("what is below the pointer", await text(".told"), "exchange: 100.0 ms, from 300.0 ms on, thread 0 · worker");
	await hover(0.5, 4 * 19 + 7 + 12);
	check("of several in a pixel it is told how many", /^solve: .*longest of \d+ calls/.test(await text(".told")), await text(".told"));
	await page.mouse.click(...await place(0.35, 10 + 19));
	await drawn();
	same("a click tells of the call", [await text(".slice h3"), await text(".slice .path")], ["solve", "main/solve"]);
	same("with its counts", await texts(".slicecounts td"), ["1.000 G", "700.0 M", "0.000 µJ"]);
	check("and calls of its own region in it", (await text(".slice")).includes("3 calls of the same region"), await text(".slice"));
	same("and chooses the region", await text("#detail h2"), "solve");
	await press("ArrowUp");
	same("the call above", await text(".slice h3"), "main");
	await press("ArrowDown");
	same("and below: what is missing is no 0", [await text(".slice h3"), await texts(".slicecounts td")], ["read", ["–", "-3", "0.000 µJ"]]);
	await press(".", ".");
	check("the next ones; one had not ended", (await text(".slice")).includes("had not ended"), await text(".slice"));
	await press(",", "Enter");
	check("Enter zooms to it", (await range()).startsWith("150.0 ms to 750.0 ms"), await range());
	await press("Escape");
	same("Escape shows all again", [await range(), await text(".slice")], ["0 ns to 1.000 s of 1.000 s", ""]);
	await folded();
	await filter("exch");
	await drawn();
	check("what is searched for is counted", (await text(".told")).startsWith("2 calls found, 200.0 ms together"), await text(".told"));
	await filter("");
	await drawn();
	const picture = () => page.$eval(".lanespace canvas", canvas => canvas.toDataURL()), before = await picture();

	await page.$$eval(".hotspot", list => list[2].click());
	await drawn();
	same("a region is chosen elsewhere", await text("#detail h2"), "exchange");
	check("its calls are marked", await picture() !== before);
	same("the same as a table", await texts(".astext tbody th"), ["thread 0 · worker", "thread 1 · worker"]);
	same("with calls as the report counts them", await texts(".astext tbody td:nth-child(2)"), ["8", "5,000"]);
	await press("?");
	check("? has its keys", (await text("#help[open]")).includes("timeline: zoom in and out"), await text("#help"));
	await press("Escape");
	await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
	check("on paper it is there", await page.$eval(".lanespace canvas", canvas => canvas.width > 100 && canvas.height > 80));
	await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
	same("still nothing to complain of", wrong, []);
}

const height = () => page.$eval(".lanespace", one => one.clientHeight);

async function folded() {
	const before = await height();

	await click(".lanehead");
	await drawn();
	same("a folded thread is one row", before - await height(), 3 * 19);
	same("and says so", await page.$$eval(".lanehead", list => list.map(one => one.getAttribute("aria-expanded"))), ["false", null]);
	await page.focus(".lanehead");
	await press("Enter");
	same("Enter unfolds it, and it keeps the focus", [await height(), await page.evaluate(() => document.activeElement.dataset.lane)], [before, "0"]);
	await page.$$eval(".timetools button", list => list.find(one => one.textContent === "fold threads").click());
	await drawn();
	same("all threads", before - await height(), 3 * 19);
	await page.$$eval(".timetools button", list => list.find(one => one.textContent === "unfold").click());
	await drawn();
}

async function otherTimelines() {
	await openTimeline("timeline-hostile", 360);
	same("no name is run", [await page.evaluate(() => window.broken), await page.$$eval("img, b", list => list.filter(one => one.textContent.includes("</")).length)], [undefined, 0]);
	same("processes are named", (await texts(".processhead")).slice(0, 1), ["rank 0: </script><img src=x onerror=\"window.broken=1\">"]);
	check("threads, with what turns the text", (await heads())[0].includes("</b>\\u202e"), await heads());
	same("at 360 pixels it is not wider than the page", await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
	await page.focus(".lanes");
	await press("ArrowDown", ".", ".");
	check("any name is told", (await text(".slice h3")).length > 0 && wrong.length === 0, [await text(".slice"), wrong]);
	await filter("</script>");
	await drawn();
	check("and found", (await text(".told")).startsWith("2 calls found"), await text(".told"));
	await openTimeline("timeline-large");
	check("a million calls", (await page.$eval(".lanes", one => one.getAttribute("aria-label"))).startsWith("timeline: 1,000,000 calls of 16 threads"));
	await page.focus(".lanes");
	const whole = await range();

	await press("+", "+", "+", "+", "+", "+", "+", "+", "ArrowRight");
	check("are zoomed and moved", await range() !== whole, await range());
	await press("0");
	same("and there again", await range(), whole);
	await filter("inner");
	await drawn();
	check("and searched", /^\d\d\d,\d\d\d calls found/.test(await text(".told")), await text(".told"));
	same("still nothing to complain of", wrong, []);
}

// Of a program that was traced: traced.json is its report.
async function traced() {
	const report = JSON.parse(readFileSync(folder + "/traced.json", "utf8"));
	const calls = Array.from(report.threads, () => 0);

	for (const region of report.regions)
		for (const own of region.threads)
			calls[own.thread] += own.calls;
	for (const name of ["traced", "traced-run"]) {
		await openTimeline(name);
		same(name + ": as many calls as in the report", await texts(".astext tbody td:nth-child(2)"), calls.map(n => n.toLocaleString("en")));
		same(name + ": nothing was lost", await texts(".timeline .remark"), []);
	}
	await page.focus(".lanes");
	await press("ArrowDown", "ArrowDown");
	same("its regions are those of the table", await text("#detail h2"), await text(".slice h3"));
	await openTimeline("programs");
	const processes = await texts(".processhead");

	check("of several programs each has its name", processes.includes("traced") && processes.includes("other"), processes);
	await page.focus(".lanes");
	await page.$$eval(".lanehead", list => list.filter(one => one.getAttribute("aria-expanded") === "false").forEach(one => one.click()));
	await drawn();
	for (const program of ["traced", "other"]) {
		for (let i = 0; i < 20 && !(await text(".slice") || "").includes("process" + program); i++)
			await press("ArrowDown");
		same("a region of " + program + " is that program's", (await text("#detail .path")).split(" / ")[0], program);
	}
}

// --- comparisons, repeated runs, nothing ---

async function comparison() {
	await opened("diff");
	await choose("#group", String((await texts("#group option")).findIndex(name => name.startsWith("CORE"))));
	const shown = await names(), changes = await cells("change"), at = shown.indexOf("exchange");

	check("what differs, with its sign and an arrow", changes[at + 1] === "▲ +100.0%", changes);
	check("and the other way", changes.includes("▼ -33.3%") || changes.includes("▼ -25.0%"), changes);
	same("new and gone regions say so", (await texts(".mark.verdict")).sort(), ["gone", "gone", "new"]);
	check("groups tell how much in them differs", (await texts("#group option")).some(name => /^CORE \(\d+ differ\)$/.test(name)), await texts("#group option"));
	check("a verdict", (await cells("verdict")).includes("differs"), await cells("verdict"));
	await choose("#view", "all");
	check("all measures", (await names()).length > shown.length);
	await choose("#view", "0");
	check("one measure of all regions", (await names()).includes("exchange"), await names());
	await sortBy("change");
	same("sorted by how much", (await cells("change"))[0], "▲ +100.0%");
	await filter("main/solve");
	check("regions by their paths", (await names()).includes("exchange"), await names());
	await page.setViewport({ width: 360, height: 800 });
	same("as narrow as a page can be", await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
	same("still nothing to complain of", wrong, []);
}

async function comparedSamples() {
	await opened("diff-sampled", 1440);
	const shown = await names(), at = shown.indexOf("memcpy  libc.so.6");

	check("a function whose share changed", at > 0, shown);
	same("in points", (await cells("change"))[at], "▲ +21.8 pts");
	check("as shares", (await cells("A"))[at] === "60.0%" && (await cells("B"))[at] === "81.8%", await cells("A"));
	same("is slower, and another one is not", (await texts(".mark")).slice(0, 2), ["slower", "same"]);
	await click("tr[data-node='" + at + "'] th");
	check("and its region's functions are in the detail", (await text("#detail")).includes("Where its own time went") &&
		(await text("#detail")).includes("differs30.00 ms → 90.00 ms, slower"), await text("#detail"));
	await choose("#view", "all");
	check("all of them", (await names()).includes("dgemm<double>  libblas.so"), await names());
	for (const width of [360, 1440]) {
		await opened("diff-sampled", width);
		check("compared samples, " + width + " pixels: nothing is wider", await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), width);
	}
}

async function repeated() {
	await opened("series");
	check("runs", (await text("#head")).includes("runs3"), await text("#head"));
	check("regions", (await names()).length > 0);
	same("every run is a dot", (await page.$$(".runs circle")).length, 3);
	await tab("flame");
	check("a flame graph of medians", (await frames()).length > 1);
}

async function sampled() {
	const bars = () => texts("#detail .bars .name");

	await opened("sampled");
	check("its own time by functions", (await text("#detail")).includes("Where its own time went"), await text("#detail"));
	await click("tr[data-node='1'] th");
	same("functions, then lines", (await bars()).slice(0, 4), ["dgemm<double>", "memcpy", "dgemm.c:42", "a.h:7"]);
	check("as shares", (await texts("#detail .barvalue"))[0].startsWith("99.0%"), await texts("#detail .barvalue"));
	check("which are estimates", (await text("#detail")).includes("estimated: shares of 300 samples"), await text("#detail"));
	await click("tr[data-node='0'] th");
	check("what was seen never is not shown", (await text("#detail")).includes("1 function more"), await text("#detail"));
	await click("tr[data-node='2'] th");
	check("of few samples there are no shares", (await text("#detail")).includes("2 samples") && !(await bars()).includes("few"), await bars());
	await tab("flame");
	same("regions, and functions in them", await frames(),
		["all", "main", "solve", "memcpy", "</script><img src=x onerror=\"window.broken=1\">", "rest", "few", "dgemm<double>", "memcpy"]);
	same("functions are told apart", await texts(".frame.function bdi").then(list => list.length), 5);
	check("and said to be estimates", (await text(".told")).includes("estimates"), await text(".told"));
	await click(".frame.function");
	same("a click on one chooses its region", await text("#detail h2"), "main");
	await choose("#stage select", "time_ns");
	same("by time there are regions alone", await frames(), ["all", "main", "solve"]);
	await choose("#stage select", "samples");
	same("and back", (await frames()).length, 9);
	for (const width of [360, 768, 1440]) {
		await opened("sampled", width);
		check("sampled, " + width + " pixels: nothing is wider", await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), width);
	}
}

/* Frames by what is around them: level by level, each level from left to right. */
async function called() {
	await opened("called");
	await tab("flame");
	await choose("#stage select", "samples");
	const levels = {};

	for (const [level, name] of await page.$$eval(".frame", list => list.map(one => [one.getAttribute("aria-level"), one.textContent])))
		(levels[level] = levels[level] || []).push(name);
	same("regions", [levels[1], levels[2], levels[3].slice(0, 1)], [["all"], ["main"], ["solve"]]);
	check("in them what is outermost", levels[4].includes("main") && levels[3].includes("main") && levels[3].includes("memcpy"), JSON.stringify(levels));
	check("  and in that what it had called", levels[5].includes("dgemm<double>") && levels[6].includes("dgemm<double>") && !levels[4].includes("dgemm<double>"), JSON.stringify(levels));
	check("as it is said", (await text(".told")).includes("what had called it"), await text(".told"));
	check("a frame has its stack", await page.$$eval(".frame.function", list => list.some(one => one.title.includes("main/solve: main › dgemm<double> › dgemm<double>: 97 samples"))),
		JSON.stringify(await page.$$eval(".frame.function", list => list.map(one => one.title))));
	await click(".frame.function");
	check("a click on one chooses its region", ["main", "solve"].includes(await text("#detail h2")), await text("#detail h2"));
}

async function annotated() {
	if (!existsSync(folder + "/annotated.html"))
		return;
	await opened("annotated");
	await click("tr[data-node='0'] th");
	check("functions can be opened", (await texts(".annotated > summary .name")).includes("burn"), await texts(".annotated > summary"));
	same("which are closed at first", (await page.$$(".listing")).length, 0);
	await page.$$eval(".annotated", list => list.find(one => one.querySelector("summary .name").textContent === "burn").querySelector("summary").click());
	await page.waitForSelector(".listing");
	const hot = await texts(".listing tr.line.hot .code");
	same("the line that takes the time stands out", hot, ["    while (n--) sum = sum / by + n; /* HOT </script><img src=x onerror=\"window.broken=1\"> \\u001b[31m */"]);
	check("with its share", parseFloat((await texts(".listing tr.line.hot .share"))[0]) >= 90, await texts(".listing tr.line.hot .share"));
	check("and what is around it", (await texts(".listing tr.line .code")).includes("    return sum;"), await texts(".listing tr.line .code"));
	if ((await page.$$(".listing tr.in")).length) {
		const shown = () => page.$$eval(".listing tr.in", list => list.filter(one => one.offsetHeight > 0).length);

		check("instructions stand below it", (await texts(".listing tr.in .code")).some(one => /^[a-z]/.test(one)), await texts(".listing tr.in .code"));
		check("with addresses", /^[0-9a-f]+$/.test((await texts(".listing tr.in:not(.gap) .number"))[0]), await texts(".listing tr.in .number"));
		check("and can be seen", await shown() > 0);
		await click(".annotated input[type=checkbox]");
		same("or not", await shown(), 0);
	}
	for (const width of [360, 768, 1440]) {
		await page.setViewport({ width, height: 900 });
		check("annotated, " + width + " pixels: nothing is wider", await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), width);
	}
	check("nothing of the source was done", await page.evaluate(() => window.broken === undefined));
	same("nor complained of", wrong, []);
}

async function nothing() {
	await opened("none");
	check("no region is told", (await text("#main")).includes("no region"), await text("#main"));
}

const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], protocolTimeout: 60000 });

page = await browser.newPage();
page.on("pageerror", error => wrong.push(String(error)));
page.on("console", message => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
await opened("usual");
for (const part of [head, table, sorting, filtering, folding, columns, detail, threads, groups, flame, roofline, keys, themes, widths, paper])
	await part();
same("still nothing to complain of", wrong, []);
for (const part of [hostile, large, timeline, otherTimelines, traced, comparison, comparedSamples, repeated, sampled, called, annotated, nothing])
	await part();
await browser.close();
