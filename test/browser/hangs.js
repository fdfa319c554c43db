/* hangs.js - checks that the page names eight updates that wait for a row's lock and do not end, in a recording. */
import assert from "node:assert/strict";
import { share } from "../../ui/web/src/base/format.js";
import { check, map, violations } from "./kit.js";
import { Server, becomes, until } from "./server.js";
import { stillPage } from "./view.js";

const PROPERTIES = {
	module: "mysql", stat: "queries", decomposition: ["digest", "table", "latency"],
	measures: ["latency", "cputime", "offcpu", "io", "futex", "net", "sleep", "age"],
	weights: ["latency", "cputime", "io", "futex", "net", "sleep"], exemplars: 3, where: "database = shop",
};
const UPDATE = "update stock set v = v - ? where id = ?/stock", HOLDER = "select sleep ( ? )/none";
const OTHER = { ...PROPERTIES, decomposition: ["table", "latency"], measures: ["latency", "age"], weights: [], exemplars: 0 };
let server = null;		/* one for all of them; other: its second instrumentation */

/* All nine have run for some seconds, and both instrumentations say so.  They run for 22 s; then the recording begins again, and
 * nothing runs.  So there are 6 s left in which the page is paused. */
async function hanging() {
	const replies = await Promise.all([server.id, server.other].map((id) => server.get(`/ca/instrumentations/${id}/value/keys?duration=10`)));

	return replies.every(({ running }) => running?.count === 9 && running.oldest > 6e9 && running.oldest < 16e9);
}

async function start() {
	const started = await Server.start({ recording: "pile.hsr", properties: PROPERTIES });

	started.other = await started.create(OTHER);
	return started;
}

const hangs = (name, body) => check(name, async ({ page: other }) => {
	server ??= await start();
	await stillPage(other.context().browser(), server, body, () => until("a pile of queries", hanging, 60));
});

/** Called at the end of all checks. */
export const close = () => server?.stop();

const timeOf = ({ from, ncols, column }) => `start_time=${from}&duration=${ncols * column}`;

hangs("the key list has what runs, how many and for how long", async ({ page, grid, value }) => {
	const { keys, running } = await value(`keys?${timeOf(grid)}`), list = page.getByRole("region", { name: "Keys", exact: true });
	const seconds = (ns) => `${Number((ns / 1e9).toPrecision(3))} s`;

	assert.equal(running.count, 9);
	for (const [key, n] of [[UPDATE, 8], [HOLDER, 1]]) {
		const row = keys.find((one) => one.key === key), cells = list.locator(`tr[data-key="${key}"] .hangs`);

		assert.deepEqual([row.count, row.running], [0, n]);
		await becomes(() => cells.allTextContents(), [String(n), seconds(row.oldest)], key);
	}
	const [width, name] = await list.locator(`tr[data-key="${UPDATE}"]`).evaluate((tr) => [tr.clientWidth, tr.querySelector("button").clientWidth]);

	assert.ok(name > 0.6 * width, "there is room for the statement");
	const [side, oldest] = await Promise.all([page.locator(".side"), list.locator("tbody tr .hangs").last()].map((one) => one.boundingBox()));

	assert.ok(oldest.x + oldest.width <= side.x + side.width + 1, "and for the figures");
	assert.deepEqual(await violations(page), []);
});

hangs("Colour by key gives what hangs a hue", async ({ page }) => {
	const inked = () => map(page, "latency").locator("canvas.running").evaluate((canvas) => {
		const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), inks = new Set();

		for (let at = 0; at < data.length; at += 4)
			if (data[at + 3] === 255)
				inks.add([data[at], data[at + 1], data[at + 2]].join());
		return [...inks];
	});
	const [orange, blue] = ["230,159,0", "86,180,233"];	/* the first hues */

	assert.ok(!(await inked()).includes(orange));
	await page.getByRole("button", { name: "Colour by key" }).click();
	await until("its hue on the map", async () => {
		const inks = await inked();

		return inks.includes(orange) && inks.includes(blue);
	});
	await becomes(() => new URLSearchParams(new URL(page.url()).hash.slice(1)).getAll("key").slice(0, 2), [UPDATE, HOLDER], "the address has both");
});

/* Presses at one place of the map and lets go at another; gives what the API was asked. */
async function drag(page, from, to) {
	await page.mouse.move(from.x, from.y);
	await page.mouse.down();
	await page.mouse.move(to.x, to.y, { steps: 6 });
	const [request] = await Promise.all([page.waitForRequest(/value\/explain/), page.mouse.up()]);

	return new URL(request.url()).searchParams;
}

/* Where on the map a column is, and a value. */
async function placeOf(page, grid, column, part) {
	const box = await map(page, "latency").boundingBox();

	return { x: box.x + box.width * (column + 0.5) / grid.ncols, y: box.y + box.height * part };
}

hangs("a rectangle over what runs selects it", async ({ page, grid, value }) => {
	const last = grid.columns.findLastIndex((c) => c.running), highest = grid.edge.at(-1);
	const asked = await drag(page, await placeOf(page, grid, last - 3, 0.2), await placeOf(page, grid, last, 0.01));
	const box = await page.locator(".map .rectangle").boundingBox(), { height } = await map(page, "latency").boundingBox();

	assert.ok(box.height > 0.15 * height, "it is as high as it was drawn");
	assert.equal(Number(asked.get("end_time")), grid.from + (last + 1) * grid.column);
	const reply = await value(`explain?${asked}`);

	assert.deepEqual([reply.running.count, reply.inside.count], [9, 0]);
	assert.ok(Number(asked.get("ymin")) > 1e8 && (highest === null || Number(asked.get("ymax")) > highest || !asked.has("ymax")));
	await page.keyboard.press("Escape");
	const open = await drag(page, await placeOf(page, grid, last - 3, 0.2), await placeOf(page, grid, last, -0.05));

	assert.ok(!open.has("ymax"), "drawn beyond the top it has no upper edge");
});

hangs("an explanation names what runs, and lists what ended inside", async ({ page, grid, value }) => {
	const last = grid.columns.findLastIndex((c) => c.running), explained = page.locator(".explained");
	const rows = (name) => explained.locator(`.${name} tbody tr`).evaluateAll((all) => all.map((tr) => [...tr.children].map((td) => td.textContent)));
	const above = await drag(page, await placeOf(page, grid, last - 2, 0.25), await placeOf(page, grid, last, -0.05));
	const reply = await value(`explain?${above}`);

	await until("its sentence", async () => (await explained.locator(".said").textContent()) === reply.sentence);
	assert.match(reply.sentence, /^9 queries ran at once/);
	assert.deepEqual((await rows("runs")).map(([field, name, n]) => [field, name, Number(n)]), [
		["digest", UPDATE.split("/")[0], 8], ["", HOLDER.split("/")[0], 1], ["table", "stock", 8], ["", "none", 1]]);
	assert.equal(await explained.locator(".contents, .parts").count(), 0, "nothing ended inside");
	await page.keyboard.press("Escape");
	const all = await value(`explain?${await drag(page, await placeOf(page, grid, last - 8, 0.99), await placeOf(page, grid, last, -0.05))}`);

	await until("what ended", async () => (await rows("contents")).length > 0);
	const orders = (await rows("contents")).filter((row) => row[3] && row[1] === "select v from orders where id = ?");

	assert.equal(Number(orders[0][2]), all.contents.find((one) => one.value === "select v from orders where id = ?").count);
	assert.equal(await explained.locator(".parts tbody tr").evaluateAll((trs) => trs.reduce((sum, tr) => sum + Number(tr.dataset.sum), 0)), all.composition.sum);
	assert.deepEqual(await violations(page), []);
});

/* The share of the ended events above a value, as the page writes it. */
function aboveOf(grid, value) {
	const ended = grid.columns.flatMap(({ cells }) => cells), sum = (cells) => cells.reduce((n, [, count]) => n + count, 0);

	return share(sum(ended.filter(([row]) => (grid.edge[row + 1] ?? Infinity) > value)), sum(ended));
}

hangs("the maximum, the threshold and the slowest know of what runs", async ({ page, grid }) => {
	const oldest = Math.max(...grid.columns.map((c) => c.oldest ?? 0)), panel = page.locator(".panel", { has: map(page, "latency") });
	const seconds = (ns) => `${Number((ns / 1e9).toPrecision(3))} s`;
	const most = panel.getByTitle(/^Go to the highest/);

	assert.equal(await most.textContent(), `≥ ${seconds(oldest)}`);
	await most.click();
	await until("the cursor on the oldest", async () => / old$/.test(await page.locator(".readout .still").textContent()));
	await page.getByLabel("Threshold").fill("100 ms");
	await page.getByLabel("Threshold").press("Enter");
	let said;

	await until(`how many are above, ${aboveOf(grid, 1e8)} of those that ended`, async () => {
		said = await panel.locator(".over dd").textContent();
		return said === `${aboveOf(grid, 1e8)}, 9 running`;
	}).catch((e) => assert.fail(`${e.message}: ${said}`));
	await page.getByLabel("Threshold").fill("");
	await page.getByLabel("Threshold").press("Enter");
	const slowest = await page.locator(".exemplars tbody tr").evaluateAll((all) => all.map((tr) => [...tr.children].map((td) => td.textContent)));

	/* The holder began first. */
	assert.deepEqual(slowest.slice(0, 2).map(([when, , name]) => [when, name]), [["running", `1 × ${HOLDER}`], ["running", `8 × ${UPDATE}`]]);
	assert.ok(slowest.slice(2).length > 0 && slowest.slice(2).every(([when]) => /^\d\d:/.test(when)));
});

hangs("what has run for long is named in one line, and one click explains it", async ({ page, value }) => {
	const line = page.getByRole("region", { name: "Still running" });

	await until("the line", async () => /^9 running, oldest [\d.]+ s:update stock set v = v - \? where id = \?\/stock \(8\)$/
		.test(await line.textContent()));
	assert.deepEqual(await violations(page), []);
	const [request] = await Promise.all([page.waitForRequest(/value\/explain/), line.getByRole("button").click()]);
	const asked = new URL(request.url()).searchParams, end = Number(asked.get("end_time"));
	const { running, keys } = await value(`keys?start_time=${end - 5}&end_time=${end}`);

	assert.equal(running.time, end);
	assert.deepEqual([Number(asked.get("start_time")), asked.get("ymin"), asked.get("ymax")],
		[Math.floor(end - keys.find((row) => row.key === UPDATE).oldest / 1e9), "1000000000", null]);
	await until("its explanation", async () => /^9 queries ran at once/.test(await page.locator(".explained .said").textContent()));
	await page.locator(".map .rectangle").waitFor();
});

hangs("a rectangle stays when another instrumentation is chosen", async ({ page, grid, server: { id, other } }) => {
	const last = grid.columns.findLastIndex((c) => c.running), choice = page.getByRole("combobox", { name: /^Instrumentation/ });
	const asked = await drag(page, await placeOf(page, grid, last - 3, 0.2), await placeOf(page, grid, last, 0.02));
	const [request] = await Promise.all([page.waitForRequest(new RegExp(`/${other}/value/explain`)), choice.selectOption(`inst ${other}`)]);
	const again = new URL(request.url()).searchParams;

	for (const name of ["start_time", "end_time", "ymin", "ymax", "measure"])
		assert.equal(again.get(name), asked.get(name), name);
	await page.locator(".map .rectangle").waitFor();
	await Promise.all([page.waitForRequest(new RegExp(`/${id}/value/explain`)), page.goBack()]);
	await page.locator(".map .rectangle").waitFor();
});
