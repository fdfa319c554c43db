/* cells.js - checks that the page is live, and that its cells have the values of the API. */
import assert from "node:assert/strict";
import { check, map } from "./kit.js";
import { sleep, until } from "./server.js";
import { columnAt, countAt, hasItsColour, MEASURES, pause, picture, pointAtCell, readout, shownUntil } from "./view.js";

check("the page loads and is live, without an error on the console", async ({ page, errors }) => {
	await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
	assert.match(await page.title(), /MySQL .*statement.* Heatscope/);
	assert.deepEqual(errors, []);
});

check("latency, time on and off the CPU lie one above the other on one time axis", async ({ page }) => {
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

	await until("a later column", async () => await shownUntil(page) !== before);
	await until("another picture", async () => await picture(page, "latency") !== drawn);
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
	await until("live again", async () => await shownUntil(page) !== before);
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

/* The read-out of a measure with the pointer at each of these places. */
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

/* The count of the same cell by value/raw, to compare with a read-out: its buckets added up over all keys. */
async function rawCount(server, grids, measure, { from, low }) {
	const grid = grids[measure], high = grid.edge[grid.edge.indexOf(low) + 1] ?? Infinity;
	const { value } = await server.get(`/ca/instrumentations/${server.id}/value/raw?measure=${measure}&start_time=${from}&duration=${grid.column}`);

	return Object.values(value).flat().reduce((n, [[lo, hi], count]) => n + (lo >= low && hi < high ? count : 0), 0);
}

const SETTLED = 6;			/* seconds after which a column is no longer amended */

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

	for (const measure of MEASURES)
		await hasItsColour(t, grids, measure, await pointAtCell(t.page, measure, 2));
});

check("a click on a cell lists its keys, which add up to its count", async (t) => {
	await pause(t);
	await t.page.setViewportSize({ width: 1400, height: 700 });
	const { x, y, box, seen } = await pointAtCell(t.page, "latency", 2);

	await t.page.locator(".side").evaluate((side) => side.scrollTo(0, side.scrollHeight));
	assert.ok(await t.page.locator(".side").evaluate((side) => side.scrollTop) > 100, "the sidebar is scrolled down");
	await t.page.mouse.click(box.x + x, box.y + y);
	const list = t.page.locator(".picked");

	await list.locator("[data-total]").waitFor();
	await until("the list is in sight", () => list.evaluate((section) =>
		section.getBoundingClientRect().top >= section.closest(".side").getBoundingClientRect().top - 1));
	const counts = await list.locator("tbody tr td:nth-child(3)").allTextContents();
	const sum = counts.reduce((total, text) => total + Number(text.replace(/,/g, "")), 0);

	assert.equal(sum, seen.n, JSON.stringify(seen));
	assert.equal(Number((await list.locator("[data-total]").textContent()).replace(/,/g, "")), seen.n);
});
