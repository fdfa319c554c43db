/* checks.js - what a person does with the page, and that the page tells what the API says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { address, cases, check, map, shots, violations } from "./kit.js";
import { close as closeShop } from "./shop.js";
import { Server, sleep, until } from "./server.js";

const MEASURES = ["latency", "cputime", "offcpu"];

/* ---- what the page shows ---- */

const picture = (page, measure) => page.evaluate((m) =>
	document.querySelector(`.map[data-measure="${m}"] canvas.cells`).toDataURL(), measure);
const press = (page, group, name) =>
	page.getByRole("group", { name: group }).getByRole("button", { name, exact: true }).click();
const shownUntil = (page) => page.locator(".statusline").getByText("until").textContent();
const pressed = (page, group) => page.getByRole("group", { name: group }).locator('[aria-pressed="true"]').textContent();

/** The read-out's row of a measure. */
async function readout(page, measure) {
	const data = await page.locator(`.readout tr[data-measure="${measure}"]`).evaluate((tr) => ({
		...tr.dataset, cells: [...tr.children].map((td) => td.textContent) }));

	return { from: Number(data.from), low: Number(data.low), n: Number(data.count), total: Number(data.total), cells: data.cells };
}

/** Waits for the page to have drawn what it has. */
async function settled(page) {
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	await sleep(60);
}

/** The view stands still; gives the grids that the API answered the page with, which is what it draws from. */
async function pause(t) {
	const { page } = t;

	t.asked.clear();
	await page.getByRole("button", { name: "Pause" }).click();
	await until("grids of the paused view", () => t.asked.size === MEASURES.length);
	const grids = {};

	for (const [measure, request] of t.asked)
		grids[measure] = await (await request.response()).json();
	await sleep(700);
	return grids;
}

/** Points at a used cell of a panel; gives where. */
async function pointAtCell(page, measure, least = 1) {
	const box = await map(page, measure).boundingBox();

	/* The newest columns may still be amended. */
	for (let x = Math.round(box.width * 0.85); x > 3; x -= 4)
		for (let y = box.height - 12; y > 8; y -= 5) {
			await page.mouse.move(box.x + x, box.y + y);
			await settled(page);
			let seen = await readout(page, measure);

			if (seen.n >= least) {	/* it may still have been that of the place before */
				await sleep(300);
				seen = await readout(page, measure);
			}
			if (seen.n >= least)
				return { x, y, box, seen };
			if (!(seen.total > 0))
				break;
		}
	throw new Error(`no used cell in ${measure}`);
}

const columnAt = (grid, from) => grid.columns[Math.round((from - grid.from) / grid.column)];
const countAt = (grid, from, low) => {
	const row = grid.edge.indexOf(low);

	return columnAt(grid, from).cells.find(([r]) => r === row)?.[1] ?? 0;
};

/** The colour of a cell, from the API alone. */
function colourOf(grids, measure, from, low) {
	const all = Object.values(grids);
	const { shade } = all.reduce((a, b) => b.shade.levels.at(-1) > a.shade.levels.at(-1) ? b : a);
	const grid = grids[measure];
	const density = countAt(grid, from, low) * grid.shade.scale[grid.edge.indexOf(low)];

	return shade.palette[Math.max(1, shade.levels.filter((level) => level <= density).length)];
}

/* ---- the truths ---- */

check("the page loads and is live, without an error on the console", async ({ page, errors }) => {
	await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
	assert.match(await page.title(), /MySQL .*statement.* Heatscope/);
	assert.deepEqual(errors, []);
});

check("latency, on-CPU and off-CPU lie one above the other on one time axis", async ({ page }) => {
	const boxes = await Promise.all(MEASURES.map((m) => map(page, m).boundingBox()));

	assert.equal(await page.locator(".map").count(), 3);
	assert.equal(await page.locator(".xaxis").count(), 1);
	for (const box of boxes)
		assert.deepEqual([box.x, box.width], [boxes[0].x, boxes[0].width]);
	assert.ok(boxes[0].y + boxes[0].height <= boxes[1].y && boxes[1].y + boxes[1].height <= boxes[2].y);
	const axes = await page.locator("svg.yaxis").evaluateAll((all) => all.map((svg) => svg.textContent));

	assert.equal(new Set(axes).size, 1, "one value axis for all");
});

check("a live view moves on", async ({ page }) => {
	const before = await shownUntil(page), drawn = await picture(page, "latency");

	await until("a later column", async () => await shownUntil(page) !== before, 6);
	await until("another picture", async () => await picture(page, "latency") !== drawn, 6);
});

check("pause stops the view and closes the streams; resume goes on", async (t) => {
	const { page } = t;

	await pause(t);
	const before = await shownUntil(page), drawn = await picture(page, "latency"), requests = t.values;

	await sleep(2500);
	assert.equal(await shownUntil(page), before);
	assert.equal(await picture(page, "latency"), drawn);
	assert.equal(t.values, requests, "nothing is asked while paused");
	assert.match(page.url(), /end=/);
	await page.getByRole("button", { name: "Resume" }).click();
	await until("live again", async () => await shownUntil(page) !== before, 8);
});

check("the read-out of a cell, in all three panels, says what the API says", async (t) => {
	const grids = await pause(t);

	for (const measure of MEASURES) {
		await pointAtCell(t.page, measure);
		for (const other of MEASURES) {
			const seen = await readout(t.page, other);

			assert.equal(seen.n, countAt(grids[other], seen.from, seen.low), `${other} while pointing at ${measure}`);
			assert.equal(seen.total, columnAt(grids[other], seen.from).count);
			assert.equal(seen.cells[2].replace(/,/g, ""), String(seen.n));
		}
	}
});

/* What the read-out says of a measure when the pointer is at each of these places. */
const readoutsAt = (page, measure, places) => page.evaluate(async ([m, all]) => {
	const target = document.querySelector(`.map[data-measure="${m}"]`), drawn = () => new Promise((done) => requestAnimationFrame(done));
	const seen = [];

	for (const { x, y } of all) {
		target.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
		await drawn();
		await drawn();
		const { from, low, count, total } = document.querySelector(`.readout tr[data-measure="${m}"]`).dataset;

		seen.push({ from: Number(from), low: Number(low), n: Number(count), total: Number(total) });
	}
	return seen;
}, [measure, places]);

/* What a read-out said, as value/raw has the same cell: its buckets added up, of all keys. */
async function rawCount(server, grids, measure, { from, low }) {
	const grid = grids[measure], high = grid.edge[grid.edge.indexOf(low) + 1] ?? Infinity;
	const { value } = await server.get(`/ca/instrumentations/${server.id}/value/raw?measure=${measure}&start_time=${from}&duration=${grid.column}`);

	return Object.values(value).flat().reduce((n, [[lo, hi], count]) => n + (lo >= low && hi < high ? count : 0), 0);
}

const SETTLED = 6;			/* seconds after which a column is amended no more */

check("a thousand cells anywhere in the maps are read out as value/grid and value/raw have them", async (t) => {
	const { page, server } = t;
	const grids = await pause(t), seen = new Map();
	let readings = 0;

	await sleep(1000 * SETTLED);
	for (const measure of MEASURES) {
		const box = await map(page, measure).boundingBox(), { columns, ncols } = grids[measure];
		const busy = [...columns.keys()].filter((i) => columns[i].count > 0 && i < ncols - SETTLED);

		const places = Array.from({ length: 400 }, () => ({
			x: box.x + (busy[Math.floor(Math.random() * busy.length)] + 0.1 + 0.8 * Math.random()) * box.width / ncols,
			y: box.y + 2 + Math.random() * (box.height - 4),
		}));

		for (const at of await readoutsAt(page, measure, places))
			if (at.total > 0 && grids[measure].edge.includes(at.low)) {
				readings++;
				assert.equal(at.n, countAt(grids[measure], at.from, at.low), `${measure} ${JSON.stringify(at)}`);
				seen.set(`${measure} ${at.from} ${at.low}`, { measure, ...at });
			}
	}
	const cells = [...seen.values()], used = cells.filter(({ n }) => n > 0);

	assert.ok(readings > 900 && used.length > 100, `${readings} readings, ${cells.length} cells, ${used.length} of them used`);
	for (const at of cells.filter(({ n }, i) => n > 0 || i % 10 === 0))
		assert.equal(at.n, await rawCount(server, grids, at.measure, at), JSON.stringify(at));
});

check("page, picture and report of one time agree cell by cell", async (t) => {
	const { server } = t;
	const grids = await pause(t), { latency } = grids, end = latency.from + (latency.ncols - SETTLED) * latency.column;
	const cellsOf = (edge, from, column, columns) => columns.flatMap(({ cells }, i) => from + i * column >= end ? [] :
		cells.map(([row, n]) => [Math.round(1000 * (from + i * column)), edge[row], n].join())).sort();
	const of = (m) => cellsOf(m.edge, m.from_ns / 1e9, m.column_ns / 1e9, m.columns);
	const range = ["-s", String(latency.from), "-e", String(end)];

	await sleep(1000 * SETTLED);
	const report = server.data("report", ...range);

	for (const measure of MEASURES) {
		const page = await server.get(`/ca/instrumentations/${server.id}/value/grid?measure=${measure}&start_time=${latency.from}` +
			`&end_time=${end}&ncols=${latency.ncols}`);
		const cells = cellsOf(grids[measure].edge, grids[measure].from, grids[measure].column, grids[measure].columns);

		assert.ok(cells.length > 20);
		assert.deepEqual(cells, cellsOf(page.edge, page.from, page.column, page.columns), `${measure}: the page and value/grid`);
		assert.deepEqual(cells, of(server.data("render", "-m", measure, ...range).maps[0]), `${measure}: the page and a picture`);
		assert.deepEqual(cells, of(report.maps.find((m) => m.measure === measure)), `${measure}: the page and a report`);
	}
});

check("a cell has the palette's colour that the API's numbers give", async (t) => {
	const grids = await pause(t);

	for (const measure of MEASURES) {
		const { x, y, seen } = await pointAtCell(t.page, measure, 2);
		const colour = await t.page.evaluate(([m, px, py]) => {
			const canvas = document.querySelector(`.map[data-measure="${m}"] canvas.cells`);
			const [r, g, b] = canvas.getContext("2d").getImageData(
				Math.floor(px * devicePixelRatio), Math.floor(py * devicePixelRatio), 1, 1).data;

			return `#${[r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("")}`;
		}, [measure, x, y]);

		assert.equal(colour, colourOf(grids, measure, seen.from, seen.low), measure);
	}
});

check("a click on a cell lists its keys, which add up to its count", async (t) => {
	await pause(t);
	const { x, y, box, seen } = await pointAtCell(t.page, "latency", 2);

	await t.page.mouse.click(box.x + x, box.y + y);
	const list = t.page.locator(".picked");

	await list.locator("[data-total]").waitFor();
	const counts = await list.locator("tbody tr td:nth-child(3)").allTextContents();
	const sum = counts.reduce((total, text) => total + Number(text.replace(/,/g, "")), 0);

	assert.equal(sum, seen.n, JSON.stringify(seen));
	assert.equal(Number((await list.locator("[data-total]").textContent()).replace(/,/g, "")), seen.n);
});

/* A rectangle over the upper part of a map, all of its time; gives what was asked. */
async function dragOver(page, measure, least) {
	const box = await map(page, measure).boundingBox();

	await page.mouse.move(box.x + box.width - 3, box.y + 2);
	await page.mouse.down();
	await page.mouse.move(box.x + 3, box.y + box.height * least, { steps: 5 });
	await map(page, measure).locator(".rectangle").waitFor();
	const [request] = await Promise.all([page.waitForRequest(/value\/explain/), page.mouse.up()]);

	return new URL(request.url());
}

check("a rectangle is dragged on a map, and what sets it apart is said as the API says it", async (t) => {
	const { page, server } = t;
	const { latency } = await pause(t);
	const said = page.locator(".explained .said"), rows = page.locator(".explained .values tbody tr");
	const asked = await dragOver(page, "latency", 0.45);
	const reply = await server.get(asked.pathname + asked.search);

	assert.equal(Number(asked.searchParams.get("start_time")), latency.from);
	assert.equal(Number(asked.searchParams.get("end_time")), latency.from + latency.ncols * latency.column);
	assert.ok(latency.edge.includes(Number(asked.searchParams.get("ymin"))), "whole rows");
	assert.ok(reply.inside.count > 0 && reply.outside.count > 0);
	await until("the sentence", async () => (await said.textContent()).endsWith(reply.sentence), 5);
	assert.equal(await rows.count(), reply.values.filter((v) => v.significant && v.excess > 0).length);
	assert.equal(await page.locator(".picked").count(), 0, "a drag is no click");
	await page.keyboard.press("Escape");
	await until("it is dropped", async () => await page.locator(".explained, .rectangle").count() === 0, 3);
});

check("a value that sets a rectangle apart is highlighted by its row", async (t) => {
	const { page } = t;
	const rows = page.locator(".explained .values tbody tr");
	let first;

	/* Half a minute is too short for any to be significant. */
	await page.route(/value\/explain/, async (route) => {
		const reply = await (await route.fetch()).json();

		first = Object.assign(reply.values[0], { significant: true, excess: 12 });
		await route.fulfill({ json: reply });
	});
	await pause(t);
	await dragOver(page, "latency", 0.45);
	await until("its row", async () => await rows.count() === 1, 5);
	assert.match(await rows.textContent(), new RegExp(`^${first.field}${first.value}.*12$`));
	assert.deepEqual(await violations(page), []);
	await rows.getByRole("button").click();
	await until("it is highlighted", async () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("key") === first.value, 5);
	if (shots)
		await page.screenshot({ path: join(shots, "explained.png") });
	await page.getByRole("button", { name: "Close the explanation" }).click();
	await until("it is dropped", async () => await page.locator(".explained, .rectangle").count() === 0, 3);
});

check("a rectangle is zoomed to, what is beyond the axis is told, and the browser's way back leads back", async (t) => {
	const { page } = t;
	const { latency } = await pause(t);
	const box = await map(page, "latency").boundingBox(), before = page.url();
	const hidden = page.locator(".panel", { has: map(page, "latency") }).locator(".beyond dd");

	await page.mouse.move(box.x + box.width - 3, box.y + 2);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.4, { steps: 5 });
	const [request] = await Promise.all([page.waitForRequest(/value\/explain/), page.mouse.up()]);
	const asked = new URL(request.url()).searchParams, start = Number(asked.get("start_time")), end = Number(asked.get("end_time"));

	t.asked.clear();
	await page.getByRole("button", { name: "Zoom" }).click();
	await until("its grids", () => t.asked.size === MEASURES.length);
	const shown = new URL(t.asked.get("latency").url()).searchParams;

	assert.deepEqual([Number(shown.get("end_time")), Number(shown.get("duration"))], [end, end - start]);
	const [, low, high] = address(page).get("values").split(":").map(Number);

	assert.ok(low >= latency.edge[0] && high > low);
	await sleep(500);
	const grid = await (await t.asked.get("latency").response()).json();
	const below = grid.columns.reduce((n, c) => n + c.cells.reduce((m, [row, k]) => m + (grid.edge[row + 1] <= low ? k : 0), 0), 0);

	assert.ok(below > 0);
	assert.equal(Number((await hidden.textContent()).split(" ")[0].replace(/,/g, "")), below);
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "zoomed.png") });
	await page.goBack();
	await until("where it was", async () => page.url() === before && await hidden.count() === 0, 5);
});

check("keys and the wheel zoom time and values around what is pointed at", async (t) => {
	const { page } = t;
	const drawn = () => until("its grid", async () => await map(page, "latency").locator(".waiting").count() === 0, 8);
	const pressed = async (key, what, is) => {
		await drawn();
		await page.keyboard.press(key);
		await until(what, async () => is(address(page)), 5);
	};

	await pause(t);
	await map(page, "latency").focus();
	await page.keyboard.press("End");
	await pressed("+", "half the time", (a) => a.get("duration") === "30");
	await pressed("-", "the time as it was", (a) => a.get("duration") === "60");
	await drawn();
	await page.keyboard.press("End");
	await pressed("]", "half the axis", (a) => a.has("values"));
	await pressed("0", "all of it", (a) => !a.has("values"));
	const box = await map(page, "latency").boundingBox();

	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.mouse.wheel(0, -100);
	await sleep(200);
	assert.ok(!address(page).has("duration") || address(page).get("duration") === "60", "the wheel alone is the page's");
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -100);
	await until("a shorter time", async () => address(page).get("duration") === "48", 5);
	await page.evaluate(() => document.activeElement.blur());
	await sleep(200);
	await page.mouse.wheel(0, -100);
	await sleep(300);
	assert.equal(address(page).get("duration"), "48", "without the focus the wheel is the browser's");
	await page.keyboard.up("Control");
});

check("an address whose values no axis has is drawn all the same", async (t) => {
	const { page } = t;

	await pause(t);
	for (const values of ["ns:0:5000000", "ns:0:1", "ns:1000000:9000000000000"]) {
		await page.evaluate((hash) => { location.hash = hash; }, `${new URL(page.url()).hash.replace(/&?values=[^&]*/, "")}&values=${values}`);
		await until(values, async () => await map(page, "latency").locator(".waiting").count() === 0 &&
			await page.locator(".panel", { has: map(page, "latency") }).locator(".yaxis text").count() > 1, 8);
	}
	await page.getByRole("button", { name: "linear" }).first().click();
	assert.ok(!address(page).has("values"), "another axis is all of it");
});

check("a threshold says how many events are above it, as the API's rows add up", async (t) => {
	const { page } = t;
	const { latency } = await pause(t);
	const input = page.getByLabel("Threshold"), over = page.locator(".panel", { has: map(page, "latency") }).locator(".over");
	const before = await page.evaluate(() => document.querySelector("canvas.marks").toDataURL());

	await input.fill("many");
	await input.press("Enter");
	await until("it is refused", async () => await input.getAttribute("aria-invalid") === "true", 3);
	await input.fill("1ms");
	await input.press("Enter");
	await over.waitFor();
	const from = latency.edge.findLast((edge) => edge !== null && edge <= 1e6);
	const sum = (least) => latency.columns.reduce((n, c) => n + c.cells.reduce((m, [row, k]) => m + (latency.edge[row] >= least ? k : 0), 0), 0);
	const part = 100 * sum(from) / sum(0), shown = await over.locator("dd").textContent();

	assert.ok(sum(from) > 0);
	assert.ok(Math.abs(parseFloat(shown.replace("<", "")) - part) <= Math.max(0.1, part / 100), `${shown} is not ${part}`);
	assert.equal(await input.inputValue(), "1 ms");
	assert.notEqual(await page.evaluate(() => document.querySelector("canvas.marks").toDataURL()), before, "its line");
	assert.equal(address(page).get("threshold"), "ns:1000000");
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "threshold.png") });
	await input.fill("");
	await input.press("Enter");
	await until("it is gone", async () => await over.count() === 0, 3);
});

check("the distribution beside a map has its rows", async (t) => {
	const { page } = t;
	const { latency } = await pause(t);
	const { width, rows } = await page.evaluate(() => {
		const canvas = document.querySelector(".plot .histogram"), { width, height } = canvas;
		const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);

		return { width, rows: Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => data[4 * (y * width + x) + 3] > 0).filter(Boolean).length) };
	});

	assert.equal(rows.length, await page.evaluate(() => document.querySelector("canvas.cells").height), "as high as the map");
	assert.equal(Math.max(...rows), width, "the densest row fills it");
	assert.ok(rows.some((n) => n > 0 && n < width) && rows.some((n) => n === 0));
	assert.ok(latency.columns.some((c) => c.count > 0));
});

check("the key list says what the API says, and a key is highlighted in its own hue", async (t) => {
	const { page, server } = t;
	const grids = await pause(t);
	const { from, column, ncols } = grids.latency;
	const { keys } = await server.get(
		`/ca/instrumentations/${server.id}/value/keys?measure=latency&start_time=${from}&duration=${column * ncols}`);

	await until("the key list", async () => await page.locator(".keys tbody tr").count() === keys.length);
	assert.deepEqual(await page.locator(".keys tbody tr").evaluateAll((rows) => rows.map((r) => r.dataset.key)), keys.map((k) => k.key));
	const before = await picture(page, "latency");

	await page.locator(".keys tbody button").first().click();
	await until("another picture", async () => await picture(page, "latency") !== before, 5);
	assert.equal(await page.locator('.keys tbody [aria-pressed="true"]').count(), 1);
	assert.match(page.url(), /key=/);
	await page.locator(".keys tbody button").nth(1).click({ modifiers: ["Shift"] });
	await until("two keys", async () => await page.locator('.keys tbody [aria-pressed="true"]').count() === 2, 5);
	if (shots)
		await page.screenshot({ path: join(shots, "keys.png") });
	await page.getByRole("button", { name: "show all" }).click();
	await until("the picture as it was", async () => await picture(page, "latency") === before, 5);
});

check("axis and colours change the picture, and are kept in the address", async (t) => {
	const { page } = t;

	await pause(t);
	const seen = new Set([await picture(page, "latency")]);
	const next = async (choose, what) => {
		await choose();
		await until(what, async () => !seen.has(await picture(page, "latency")), 5);
		seen.add(await picture(page, "latency"));
	};

	for (const transfer of ["linear", "sqrt", "rank"])
		await next(() => page.getByLabel("Colours").selectOption(transfer), transfer);
	await next(() => press(page, "Axis", "linear"), "a linear axis");
	assert.equal(await pressed(page, "Axis"), "linear");
	assert.match(page.url(), /y=linear/);
	assert.match(page.url(), /transfer=rank/);
	if (shots) {
		await sleep(1000);
		await page.screenshot({ path: join(shots, "linear.png") });
	}
});

check("the time range is cut into columns of whole slots", async (t) => {
	for (const [name, columns] of [["1 min", 60], ["15 min", 180], ["60 min", 360]]) {
		t.streams.length = 0;
		await press(t.page, "Range", name);
		await until(name, () => t.streams.length >= 1, 5);
		const asked = new URL(t.streams.at(-1)).searchParams;

		for (const view of JSON.parse(asked.get("views")))
			assert.equal(Number(view.ncols ?? asked.get("ncols")), columns);
	}
});

check("a figure and the report are downloaded as pictures", async (t) => {
	await pause(t);
	for (const name of [/^latency, PNG/, /^Report, PNG/]) {
		await t.page.locator("summary", { hasText: "Download" }).click();
		const [download] = await Promise.all([t.page.waitForEvent("download"), t.page.getByRole("link", { name }).click()]);
		const bytes = readFileSync(await download.path());

		assert.equal(bytes.subarray(1, 4).toString(), "PNG");
		assert.ok(bytes.readUInt32BE(16) >= 1000, "as wide as a figure");
		assert.match(download.suggestedFilename(), /^heatscope-mysql-queries-.*\.png$/);
		await t.page.locator("summary", { hasText: "Download" }).click();
	}
});

check("the numbers are downloaded as a page and as CSV", async (t) => {
	await pause(t);
	for (const [name, type, begin] of [[/^Report, HTML/, "html", "<!DOCTYPE html>"], [/^latency, CSV/, "csv", "time,low,high,count\r\n"]]) {
		await t.page.locator("summary", { hasText: "Download" }).click();
		const [download] = await Promise.all([t.page.waitForEvent("download"), t.page.getByRole("link", { name }).click()]);

		assert.ok(readFileSync(await download.path(), "utf8").startsWith(begin));
		assert.ok(download.suggestedFilename().endsWith(`.${type}`));
		await t.page.locator("summary", { hasText: "Download" }).click();
	}
});

check("dark mode follows the system, and can be chosen", async (t) => {
	const { page } = t;
	const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const theme = () => page.evaluate(() => document.documentElement.dataset.theme);

	assert.equal(await theme(), "light");
	const light = await background();

	await page.emulateMedia({ colorScheme: "dark" });
	await until("dark by the system", async () => await theme() === "dark", 5);
	assert.notEqual(await background(), light);
	await press(page, "Theme", "light");
	await until("light by choice", async () => await theme() === "light", 5);
	assert.equal(await background(), light);
});

check("the arrow keys move a cursor that is read out", async (t) => {
	const { page } = t;
	const spoken = () => page.locator("p[aria-live]").textContent();

	await pause(t);
	await map(page, "latency").focus();
	await page.keyboard.press("End");
	await until("the newest column is read out", async () => /latency/.test(await spoken()), 3);
	const first = await spoken();

	await page.keyboard.press("ArrowLeft");
	await until("the column before", async () => await spoken() !== first, 3);
	for (let i = 0; i < 20 && !/% of/.test(await spoken()); i++) {
		await page.keyboard.press("ArrowLeft");
		await settled(page);
	}
	const second = await spoken();

	await page.keyboard.press("ArrowUp");
	await until("the row above", async () => await spoken() !== second, 3);
	await page.keyboard.press("Escape");
	await until("silence", async () => await spoken() === "", 3);
});

check("the table view holds the same numbers", async (t) => {
	const { page } = t;
	const { latency } = await pause(t);

	await press(page, "View", "table");
	const rows = await page.locator(".sheet tbody tr").evaluateAll((all) => all.map((tr) => [...tr.children].map((td) => td.textContent)));

	assert.equal(rows.length, latency.ncols);
	[...latency.columns].reverse().forEach((column, i) =>
		assert.equal(rows[i][1].replace(/,/g, ""), column.state === "unobserved" ? "–" : String(column.count)));
});

check("the table view tells each map in the words of the API", async (t) => {
	const { page, server } = t;
	const grids = await pause(t), told = page.locator(".told dd");

	await press(page, "View", "table");
	await until("three narratives", async () => await told.count() === MEASURES.length, 5);
	for (const [i, measure] of MEASURES.entries()) {
		const { from, ncols, column } = grids[measure];
		const { narrative } = await server.get(`/ca/instrumentations/${server.id}/value/grid?measure=${measure}&start_time=${from}` +
			`&duration=${ncols * column}&ncols=${ncols}&narrative=true&utc_offset=0`);

		assert.match(narrative, /mode/);
		assert.equal((await told.nth(i).textContent()).split(".")[0], narrative.split(".")[0]);
	}
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "told.png") });
});

check("an instrumentation is created and deleted", async (t) => {
	const { page, server } = t;
	const ids = async () => (await server.get("/ca/instrumentations")).map((i) => i.id);
	const before = await ids();

	await page.getByRole("button", { name: "New" }).click();
	assert.match(await page.locator("form button.primary").textContent(), /existing/);
	await page.locator("select").last().selectOption({ label: "6 hours" });
	await page.getByLabel("host name").check();
	await page.locator("form button.primary").click();
	await until("one more", async () => (await ids()).length === before.length + 1);
	await until("it is shown", async () => /inst=/.test(page.url()) && await page.locator(".map").count() === 3);
	page.once("dialog", (dialog) => dialog.accept());
	await page.getByRole("button", { name: "Delete" }).click();
	await until("one less", async () => String(await ids()) === String(before));
	await until("the other is shown", async () => await page.locator(".map").count() === 3);
});

check("an instrumentation with an expression is created; what is wrong in it is said beside it", async (t) => {
	const { page, server } = t;
	const last = async () => (await server.get("/ca/instrumentations")).at(-1);
	const before = await last();
	const where = page.getByRole("textbox", { name: "Where" });

	await page.getByRole("button", { name: "New" }).click();
	await where.fill("latency > 10");
	await page.locator("form button.primary").click();
	await until("the refusal", async () => await where.getAttribute("aria-invalid") === "true", 5);
	const described = (await where.getAttribute("aria-describedby")).split(" ").at(-1);

	assert.match(await page.locator(`#${described}`).textContent(), /^character 11: latency needs a unit/);
	assert.equal(await page.locator("form .problem").count(), 1, "it is said once");
	assert.equal((await last()).id, before.id);
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "where.png") });
	await where.fill("statement = select");
	assert.equal(await where.getAttribute("aria-invalid"), "false");
	await page.locator(".where").getByRole("button", { name: "latency", exact: true }).click();
	assert.equal(await where.inputValue(), "statement = select and latency > 10ms");
	await page.locator("form button.primary").click();
	await until("one more", async () => (await last()).id !== before.id);
	const made = await last();

	assert.deepEqual(made.predicate, { and: [{ eq: ["statement", "select"] }, { gt: ["latency", 10000000] }] });
	await until("its title", async () => (await page.title()).includes("predicated on statement = select and latency > 10 ms"), 5);
	await page.getByRole("button", { name: "New" }).click();
	await where.fill("statement = select and latency > 10 ms");
	await until("it is known", async () => /existing/.test(await page.locator("form button.primary").textContent()), 5);
	await page.getByRole("button", { name: "Cancel" }).click();
	page.once("dialog", (dialog) => dialog.accept());
	await page.getByRole("button", { name: "Delete" }).click();
	await until("one less", async () => (await last()).id === before.id);
});

/* ---- maps of several instrumentations ---- */

const maps = (page) => page.locator(".map").evaluateAll((all) => all.map((m) => m.dataset.measure));
const asTexts = (page) => address(page).getAll("map");
const menuOf = async (page, n, name) => {
	const panel = page.locator(".panel").nth(n);

	await panel.locator(".menu summary").click();
	await panel.getByRole("button", { name, exact: true }).click();
};

/* Another instrumentation, with its maps beside those of the first; taken away at the end. */
async function withAnother(t, body) {
	const { page, server } = t;
	const other = await server.create({ module: "mysql", stat: "queries", decomposition: ["hostname", "latency"], measures: ["latency"] });

	try {
		await page.evaluate((hash) => { location.hash = hash; }, `duration=60&map=${server.id}:latency&map=${other}:latency&map=${server.id}:cputime`);
		await page.locator(".map canvas.cells").nth(2).waitFor();
		await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
		await body(other);
	} finally {
		await fetch(`${server.url}/ca/instrumentations/${other}`, { method: "DELETE" });
	}
}

check("maps of several instrumentations share time, cursor, zoom and one stream", async (t) => {
	const { page } = t;

	await withAnother(t, async () => {
		await until("one stream", () => t.open.size === 1, 5);
		assert.equal(JSON.parse(new URL(t.streams.at(-1)).searchParams.get("views")).length, 3);
		assert.match(await page.locator(".panel h2").nth(1).textContent(), /^latency MySQL queries by host name$/);
		const boxes = await page.locator(".map").evaluateAll((all) => all.map((m) => m.getBoundingClientRect().toJSON()));

		for (const box of boxes)
			assert.deepEqual([box.x, box.width], [boxes[0].x, boxes[0].width]);
		t.asked.clear();
		await page.getByRole("button", { name: "Pause" }).click();
		await until("grids of the paused view", () => t.asked.size === 2);
		await sleep(500);
		await page.mouse.move(boxes[1].x + boxes[1].width - 30, boxes[1].y + 30);
		await settled(page);
		const times = await page.locator(".readout tr[data-from]").evaluateAll((rows) => rows.map((r) => r.dataset.from));

		assert.equal(times.length, 3);
		assert.equal(new Set(times).size, 1, "one time in all maps");
		await page.locator(".map").nth(1).focus();
		await page.keyboard.press("End");
		t.asked.clear();
		await page.keyboard.press("+");
		await until("half the time", () => address(page).get("duration") === "30");
		await until("all maps are asked for", () => t.asked.size === 2);
		for (const request of t.asked.values())
			assert.equal(new URL(request.url()).searchParams.get("duration"), "30");
		assert.deepEqual(await violations(page), []);
		if (shots)
			await page.screenshot({ path: join(shots, "several.png") });
	});
});

check("the key list is that of the map which has the focus", async (t) => {
	const { page, server } = t;

	await withAnother(t, async () => {
		const heading = page.locator(".keys h3");

		await until("of the first map", async () => /By kind of statement/.test(await heading.textContent()), 5);
		await page.locator(".map").nth(1).focus();
		await until("of the second", async () => /By host name/.test(await heading.textContent()), 5);
		await page.locator(".keys tbody button").first().click();
		await until("its keys are in the address", async () => address(page).get("of") === "hostname", 5);
		await page.locator(".map").first().focus();
		await until("of the first again", async () => /By kind of statement/.test(await heading.textContent()), 5);
		assert.equal(await page.locator('.keys tbody [aria-pressed="true"]').count(), 0, "what is no key of this one is not highlighted");
		assert.ok(server.id);
	});
});

check("panels are added, moved, made higher and removed, by keys too, and the address keeps them", async (t) => {
	const { page, server } = t;
	const of = (measure) => `${server.id}:${measure}`;

	await menuOf(page, 0, "Move down");
	await until("the second is first", async () => String(await maps(page)) === "cputime,latency,offcpu", 5);
	assert.deepEqual(asTexts(page), [of("cputime"), of("latency"), of("offcpu")]);
	await page.getByRole("separator").first().focus();
	const before = (await map(page, "cputime").boundingBox()).height;

	for (let i = 0; i < 4; i++)
		await page.keyboard.press("ArrowDown");
	await until("higher", async () => (await map(page, "cputime").boundingBox()).height > before * 1.3, 5);
	assert.equal(asTexts(page)[0], `${of("cputime")}::2`);
	await menuOf(page, 2, "Remove");
	await until("two maps", async () => String(await maps(page)) === "cputime,latency", 5);
	await page.locator("summary", { hasText: "Maps" }).click();
	await page.getByLabel("time off the CPU").check();
	await until("three again", async () => String(await maps(page)) === "cputime,latency,offcpu", 5);
	await until("all have a picture", async () => await page.locator(".map .waiting").count() === 0, 5);
	await page.reload();
	await page.locator(".map canvas.cells").nth(2).waitFor();
	assert.equal(String(await maps(page)), "cputime,latency,offcpu", "a link is the whole page");
	assert.equal(t.errors.length, 0);
});

check("a panel whose instrumentation vanishes says so, and the others go on", async (t) => {
	const { page } = t;

	await withAnother(t, async (other) => {
		await fetch(`${t.server.url}/ca/instrumentations/${other}`, { method: "DELETE" });
		await page.locator(".gone").waitFor();
		assert.match(await page.locator(".gone").textContent(), new RegExp(`Instrumentation ${other} is gone`));
		assert.equal(await page.locator(".map").count(), 2);
		const before = await shownUntil(page);

		await until("the others go on", async () => await shownUntil(page) !== before, 6);
		assert.deepEqual(await violations(page), []);
		await menuOf(page, 1, "Remove");
		await until("it is away", async () => await page.locator(".gone").count() === 0, 5);
		assert.equal(asTexts(page).length, 2);
	});
});

/* ---- worksheets ---- */

const worksheetMenu = async (page, name) => {
	await page.locator(".masthead summary", { hasText: "Worksheet" }).click();
	await page.getByRole("button", { name, exact: true }).click();
};
const saved = async (server) => (await server.get("/ca/worksheets")).filter((w) => !w.ready);

check("a worksheet is saved, renamed, opened by a link, exported, imported and deleted", async (t) => {
	const { page, server } = t;
	const dialog = page.getByRole("dialog");
	const name = async (text) => {
		await dialog.getByLabel("Name").fill(text);
		assert.deepEqual(await violations(page), [], "dialogue");
		await dialog.locator("button.primary").click();
		await dialog.waitFor({ state: "detached" });
	};

	await menuOf(page, 2, "Remove");
	await worksheetMenu(page, "Save as …");
	await name("Two maps");
	await until("it is on the server", async () => (await saved(server))[0]?.name === "Two maps", 5);
	const [{ id }] = await saved(server);

	await until("its name is a link", async () => page.url().endsWith(`sheet=${id}&duration=60`), 5);
	await worksheetMenu(page, "Rename …");
	await name("Both");
	await until("renamed", async () => await page.title() === "Both – Heatscope", 5);
	await page.goto("about:blank");
	await page.goto(`${server.url}/#sheet=${id}`);
	await until("its maps", async () => String(await maps(page)) === "latency,cputime", 8);
	await page.locator(".map canvas.cells").nth(1).waitFor();
	assert.equal(await pressed(page, "Range"), "1 min", "the time range is the worksheet's");
	await page.locator(".masthead summary", { hasText: "Worksheet" }).click();
	const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
	const file = await download.path(), given = JSON.parse(readFileSync(file, "utf8"));

	assert.equal(download.suggestedFilename(), "both.worksheet.json");
	assert.deepEqual([given.schema, given.version, given.panels.length], ["heatscope-worksheet", 1, 2]);
	await page.getByLabel("Worksheet file").setInputFiles({ name: "b.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ ...given, name: "Again" })) });
	await until("imported and open", async () => await page.title() === "Again – Heatscope", 5);
	await page.getByLabel("Worksheet file").setInputFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from("{\"name\": \"x\", \"version\": 7}") });
	await page.getByText("it needs a newer one").waitFor();
	assert.equal((await saved(server)).length, 2);
	for (const left of [1, 0]) {
		page.once("dialog", (sure) => sure.accept());
		const [first] = await saved(server);

		await page.locator(".masthead .pick select").selectOption(`sheet ${first.id}`);
		await until("it is open", async () => (await page.title()).startsWith(first.name), 5);
		await worksheetMenu(page, "Delete worksheet");
		await until("deleted", async () => (await saved(server)).length === left, 5);
	}
	await until("its maps stay", async () => String(await maps(page)) === "latency,cputime", 5);
});

check("a worksheet of what is not measured says so, and measures it when a person says so", async (t) => {
	const { page, server } = t;
	const before = (await server.get("/ca/instrumentations")).length;
	const of = { module: "mysql", stat: "queries", decomposition: ["hostname"], measures: ["latency"] };
	const reply = await fetch(`${server.url}/ca/worksheets`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({
		name: "By host", panels: [{ instrumentation: of, measure: "latency" }, { instrumentation: { ...of, decomposition: ["statement"] }, measure: "latency" }] }) });
	const { id } = await reply.json();

	try {
		await page.goto(`${server.url}/#sheet=${id}`);
		const offer = page.getByRole("region", { name: "Not measured yet" });

		await offer.waitFor();
		assert.match(await offer.textContent(), /One instrumentation of this worksheet is not measured yet: MySQL queries by host name/);
		assert.equal(await page.locator(".map").count(), 1, "what is there is shown");
		assert.equal((await server.get("/ca/instrumentations")).length, before, "nothing is made silently");
		assert.deepEqual(await violations(page), []);
		if (shots)
			await page.screenshot({ path: join(shots, "missing.png") });
		await offer.getByRole("button", { name: "Measure it" }).click();
		await until("both maps", async () => await page.locator(".map").count() === 2 && await offer.count() === 0, 8);
		const all = await server.get("/ca/instrumentations");

		assert.equal(all.length, before + 1);
		await fetch(`${server.url}/ca/instrumentations/${all.at(-1).id}`, { method: "DELETE" });
	} finally {
		await fetch(`${server.url}/ca/worksheets/${id}`, { method: "DELETE" });
	}
});

check("a hidden page holds no stream", async (t) => {
	assert.equal(t.open.size, 1);
	await t.page.evaluate(() => {
		Object.defineProperty(document, "hidden", { value: true, configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
	});
	await until("no stream", () => t.open.size === 0, 5);
	await t.page.evaluate(() => {
		delete document.hidden;
		document.dispatchEvent(new Event("visibilitychange"));
	});
	await until("one stream for three maps", () => t.open.size === 1, 5);
});

check("where heatscoped wants a token the page asks once, and everything goes on", async ({ page: other }) => {
	const server = await Server.startBeyond();
	const context = await other.context().browser().newContext({ ignoreHTTPSErrors: true, acceptDownloads: true });
	const page = await context.newPage();
	const dialog = page.getByRole("dialog", { name: "Token" });
	const answer = async (token) => {
		await dialog.getByLabel("Token").fill(token);
		await dialog.getByRole("button", { name: "Go on" }).click();
	};

	try {
		await page.goto(`${server.url}/#duration=60`);
		await dialog.waitFor();
		assert.deepEqual(await violations(page), [], "dialogue");
		assert.equal(await page.locator(".map").count(), 0, "nothing is shown without it");
		await answer("0123456789abcdef");
		await dialog.getByText("not the token").waitFor();
		await answer(server.secret);
		await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
		assert.equal(await dialog.count(), 0);
		await page.getByText("Download", { exact: true }).click();
		const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Report, PDF").click()]);

		assert.equal(file.suggestedFilename(), "heatscope-mysql-queries-report.pdf");
		assert.equal(readFileSync(await file.path()).subarray(0, 5).toString(), "%PDF-");
		page.once("dialog", (sure) => sure.accept());
		await page.getByRole("button", { name: "Delete" }).click();
		await until("it is deleted", async () => await page.locator(".map").count() === 0);
		await page.reload();
		await page.getByText("New instrumentation").first().waitFor();
		assert.equal(await dialog.count(), 0, "asked once for the tab");
		assert.deepEqual(await context.cookies(), []);
	} finally {
		await context.close();
		await server.stop();
	}
});

check("two measures, and two times, are compared: the picture, the sentence and the numbers are heatscoped's", async (t) => {
	const { page, errors } = t;
	const replyOf = async (ask) => {
		const reply = page.waitForResponse((r) => r.url().includes("/value/compare") && !r.url().includes("format=png"));

		await ask();
		return (await reply).json();
	};
	const dialog = page.getByRole("dialog", { name: "Compare" });
	const first = await replyOf(() => page.getByRole("button", { name: "Compare" }).click());

	assert.equal(first.a.start_time - first.b.start_time, first.duration, "just before, as long");
	await dialog.getByLabel("B time").selectOption("");
	assert.match(await dialog.locator(".said").textContent(), /B is as A/);
	const reply = await replyOf(() => dialog.getByLabel("B measure").selectOption("offcpu"));

	await until("its sentence", async () => await dialog.locator(".said").textContent() === reply.sentence);
	assert.deepEqual([reply.a.measure, reply.b.measure], ["latency", "offcpu"]);
	const picture = dialog.locator("img");

	await until("its picture", () => picture.evaluate((img) => img.complete && img.naturalWidth >= 1200));
	assert.ok((await picture.getAttribute("alt")).includes(reply.sentence));
	await dialog.getByText("The numbers").click();
	assert.equal(await dialog.locator("tr[data-line]").count(), reply.lines.length);
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "compared.png") });
	const drawn = await picture.getAttribute("src");

	await dialog.getByLabel("map of").selectOption("overlay");
	await until("another picture", async () => await picture.getAttribute("src") !== drawn);
	await page.keyboard.press("Escape");
	await dialog.waitFor({ state: "detached" });
	assert.deepEqual(errors, []);
});

check("the comparison is used by keys alone", async ({ page }) => {
	await page.getByRole("button", { name: "Compare" }).focus();
	await page.keyboard.press("Enter");
	const dialog = page.getByRole("dialog", { name: "Compare" });

	await dialog.locator("img").waitFor();
	for (let i = 0; i < 20 && !await page.evaluate(() => document.activeElement.closest("label")?.textContent.startsWith("cells are")); i++)
		await page.keyboard.press("Tab");
	await page.keyboard.press("c");
	await until("counts", async () => (await dialog.getByText("PNG").getAttribute("href")).includes("per=count"));
	await page.keyboard.press("Escape");
	await dialog.waitFor({ state: "detached" });
	assert.equal(await page.evaluate(() => document.activeElement.textContent), "Compare", "the focus is where it was");
});

check("notes and what alerts fired are marks on all maps, read out at the cursor, and listed", async (t) => {
	const { page, server, errors } = t, list = page.locator(".noted"), marks = page.locator(".map .annotations i");
	const { from, ncols, column } = await server.get(`/ca/instrumentations/${server.id}/value/grid?duration=60&ncols=60`);
	const middle = from + ncols * column / 2 + 4;
	const ids = [];

	for (const note of [{ text: "deploy 1.2.3", time: middle + 0.5 }, { text: "backup", start_time: middle - 10, end_time: middle - 4 }])
		ids.push((await server.post("/ca/annotations", note)).id);
	const alert = (await server.post("/ca/alerts", { name: "always", instrumentation: server.id, percentile: 0.5, above: 1, window: 1, for: 1 })).id;

	await until("a live page hears of them", async () => await marks.count() === 3 * MEASURES.length, 15);
	await list.locator(`[data-alert="${alert}"] b`).getByText("firing").waitFor();
	assert.equal(await page.locator(".map .annotations b").count(), MEASURES.length, "what fires says so on every map");
	await pause(t);
	await page.locator(`.noted [data-annotation="${ids[0]}"] button`).first().click();
	await page.locator(`.noted .here[data-annotation="${ids[0]}"]`).waitFor();
	const box = await map(page, "latency").boundingBox();
	const line = await page.locator(`.map[data-measure="latency"] i[data-annotation="${ids[0]}"]`).boundingBox();

	await page.mouse.move(line.x + 3, box.y + box.height / 2);
	await page.locator('.map[data-measure="latency"] .annotations p').getByText("deploy 1.2.3").waitFor();
	if (shots)
		await page.screenshot({ path: join(shots, "noted.png") });
	await page.mouse.move(0, 0);
	await map(page, "latency").focus();
	await page.keyboard.press("End");
	const spoken = page.locator("p.quiet[aria-live]");

	for (let i = 0; i < 59 && !/; note: deploy 1\.2\.3/.test(await spoken.textContent()); i++) {
		await page.keyboard.press("ArrowLeft");
		await settled(page);
	}
	assert.match(await spoken.textContent(), /; note: deploy 1\.2\.3/, "by keys, too");
	assert.deepEqual(await violations(page), [], "light");
	await press(page, "Theme", "dark");
	await page.setViewportSize({ width: 390, height: 840 });
	await sleep(800);
	assert.deepEqual(await violations(page), [], "dark and narrow");
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, "nothing is wider than the screen");
	if (shots)
		await page.screenshot({ path: join(shots, "noted-390.png"), fullPage: true });
	await server.delete(`/ca/alerts/${alert}`);
	for (const { id } of await server.get("/ca/annotations"))
		await server.delete(`/ca/annotations/${id}`);
	await until("they are gone", async () => await marks.count() === 0, 15);
	assert.deepEqual(errors, []);
});

check("a note is written at the cursor by a key, of a rectangle by menu, and removed", async (t) => {
	const { page, server } = t, dialog = page.getByRole("dialog", { name: "Note" });
	const notes = () => server.get("/ca/annotations");
	const write = async () => {
		await page.locator('summary[aria-label^="Panel"]').nth(1).click();
		await page.getByRole("button", { name: "Add a note (n)" }).click();
	};
	const { latency } = await pause(t);

	await map(page, "latency").focus();
	await page.keyboard.press("End");
	for (let i = 0; i < 10; i++)
		await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("n");
	await dialog.waitFor();
	assert.deepEqual(await violations(page), [], "dialogue");
	await page.keyboard.type("failover");
	await page.keyboard.press("Enter");
	await dialog.waitFor({ state: "detached" });
	await page.locator(".noted").getByText("failover").waitFor();
	const at = latency.from + (latency.ncols - 11) * latency.column;

	assert.deepEqual((await notes()).map(({ text, start_time, end_time, instrumentation }) => [text, start_time, end_time, instrumentation]),
		[["failover", at, at, null]]);
	assert.ok(await page.evaluate(() => document.activeElement.classList.contains("map")), "the focus is where it was");
	const box = await map(page, "cputime").boundingBox();

	await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + box.height - 20, { steps: 4 });
	await page.mouse.up();
	await write();
	await dialog.getByLabel("Text").fill("of a rectangle");
	await dialog.getByLabel("Until").fill("2001-01-01T00:00:01");
	await dialog.getByRole("button", { name: "Save" }).click();
	await dialog.locator(".problem").waitFor();
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await dialog.waitFor({ state: "detached" });
	await write();
	await dialog.getByLabel("Text").fill("of a rectangle");
	await dialog.getByLabel("only on maps of").check();
	await dialog.getByRole("button", { name: "Save" }).click();
	await dialog.waitFor({ state: "detached" });
	const range = (await notes()).find(({ text }) => text === "of a rectangle");

	assert.equal(range.instrumentation, server.id);
	assert.ok(range.end_time - range.start_time >= 8, "as long as what was drawn");
	for (const text of ["failover", "of a rectangle"]) {
		page.once("dialog", (sure) => sure.accept());
		await page.getByRole("button", { name: `Remove note: ${text}` }).click();
		await page.locator(".noted li").getByText(text).waitFor({ state: "detached" });
	}
	assert.deepEqual(await notes(), []);
});

check("axe finds nothing serious: map, table, form; light and dark", async (t) => {
	const { page } = t;

	await pause(t);
	assert.deepEqual(await violations(page), [], "map, light");
	await press(page, "Theme", "dark");
	await sleep(800);
	assert.deepEqual(await violations(page), [], "map, dark");
	await press(page, "View", "table");
	assert.deepEqual(await violations(page), [], "table, dark");
	await page.getByRole("button", { name: "New" }).click();
	assert.deepEqual(await violations(page), [], "form, dark");
});

check("when heatscoped is gone the page says so", async (t) => {
	t.server.kill();
	await until("a clear word", async () => /heatscoped does not answer/.test(await t.page.locator(".statusline").textContent()), 20);
	assert.equal(await t.page.locator(".masthead .state").textContent(), "no daemon");
});

/* ---- one fresh page for each ---- */

async function open(browser, server) {
	const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, colorScheme: "light", acceptDownloads: true });
	const page = await context.newPage();
	const t = { server, page, context, errors: [], asked: new Map(), streams: [], open: new Set(), values: 0 };

	page.setDefaultTimeout(8000);
	page.on("console", (message) => message.type() === "error" && t.errors.push(message.text()));
	page.on("pageerror", (error) => t.errors.push(String(error)));
	page.on("request", (request) => {
		const url = new URL(request.url());

		t.values += /\/value\//.test(url.pathname);
		if (url.pathname.endsWith("/value/grid") && url.searchParams.get("ncols") !== "1")
			t.asked.set(url.searchParams.get("measure"), request);
		if (url.pathname === "/ca/stream") {
			t.streams.push(request.url());
			t.open.add(request);
		}
	});
	for (const event of ["requestfailed", "requestfinished"])
		page.on(event, (request) => t.open.delete(request));
	await page.goto(`${server.url}/#duration=60`);
	await page.locator(".map canvas.cells").nth(2).waitFor();
	await until("its stream", () => t.open.size === 1);
	await sleep(900);
	return t;
}

async function main() {
	const server = await Server.start();
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync"],
	});
	const only = process.argv[2];
	let failed = 0;

	console.log(`1..${cases.length}`);
	for (const [i, { name, body }] of cases.entries()) {
		let t, problem = null;

		if (only && !name.includes(only))
			continue;
		try {
			t = await open(browser, server);
			await body(t);
		} catch (error) {
			problem = error;
		}
		failed += Boolean(problem);
		console.log(`${problem ? "not ok" : "ok"} ${i + 1} - ${name}`);
		if (problem)
			console.log(String(problem.stack).concat(t?.errors.length ? `\nconsole: ${t.errors.join("\n")}` : "").replace(/^/gm, "# "));
		if (shots && t)
			await t.page.screenshot({ path: join(shots, `${String(i + 1).padStart(2, "0")}.png`) });
		await t?.context.close();
	}
	if (failed)
		console.log(server.logs().replace(/^/gm, "# "));
	await browser.close();
	await server.stop();
	await closeShop();
	process.exitCode = failed ? 1 : 0;
}

main().catch((error) => {
	console.log(`Bail out! ${error.message}`);
	process.exit(1);
});
