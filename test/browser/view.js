/* view.js - reads what the page shows, and the API's values of the same place. */
import assert from "node:assert/strict";
import { map } from "./kit.js";
import { sleep, until } from "./server.js";

export const MEASURES = ["latency", "cputime", "offcpu"];

export const picture = (page, measure) => page.evaluate((m) =>
	document.querySelector(`.map[data-measure="${m}"] canvas.cells`).toDataURL(), measure);
export const press = (page, group, name) =>
	page.getByRole("group", { name: group }).getByRole("button", { name, exact: true }).click();
/** Chooses in the menu of the value axis; it is closed before and afterwards. */
export async function axis(page, label, value) {
	await page.locator(".toolbar summary", { hasText: "Axis" }).click();
	await page.getByLabel(label, { exact: true }).selectOption(value);
	await page.keyboard.press("Escape");
}
export const shownUntil = (page) => page.locator(".statusline").getByText("until").textContent();
export const pressed = (page, group) => page.getByRole("group", { name: group }).locator('[aria-pressed="true"]').textContent();

/** The read-out's row of a measure. */
export async function readout(page, measure) {
	const data = await page.locator(`.readout tr[data-measure="${measure}"]`).evaluate((tr) => ({
		...tr.dataset, cells: [...tr.children].map((td) => td.textContent) }));

	return { from: Number(data.from), low: Number(data.low), n: Number(data.count), total: Number(data.total), cells: data.cells };
}

/** Waits for the page to have drawn what it has. */
export async function settled(page) {
	/* Panels are drawn, and then their canvases painted, a few in a frame. */
	await page.evaluate(() => new Promise((done) => {
		const wait = (frames) => frames ? requestAnimationFrame(() => wait(frames - 1)) : done();

		wait(8);
	}));
	await sleep(60);
}

/** Counts the page's requests from here on, for quiet(). */
export function watchRequests(page) {
	const requests = page.requests = { begun: 0, open: new Set() };

	page.on("request", (request) => {
		if (/\/ca\//.test(request.url()) && !request.url().includes("/ca/stream")) {
			requests.begun++;
			requests.open.add(request);
		}
	});
	for (const event of ["requestfailed", "requestfinished"])
		page.on(event, (request) => requests.open.delete(request));
}

/** Waits until a page has asked for all that it needs, has it, and has drawn it. */
export async function quiet(page) {
	await until("the page has all that it asks for", async () => {
		const { begun } = page.requests;

		await sleep(400);
		await settled(page);
		return page.requests.begun === begun && page.requests.open.size === 0;
	}, 60);
}

/** Waits for a map to have the grid of the present view: until the page is drawn, the old picture may still be there. */
export async function redrawn(page, heatmap) {
	await settled(page);
	await until("its grid", async () => await heatmap.locator(".waiting").count() === 0);
}

/** The grids that the API returns to the page after a choice, in a view that stands still, or will: the page draws
 * these. */
export async function gridsAfter(t, choose) {
	t.asked.clear();
	await choose();
	await until("grids of the view", () => t.asked.size === MEASURES.length);
	await sleep(700);
	await quiet(t.page);
	const grids = {};

	for (const [measure, request] of t.asked)
		grids[measure] = await (await request.response()).json();
	return grids;
}

/** The view stands still; gives its grids. */
export const pause = (t) => gridsAfter(t, () => t.page.getByRole("button", { name: "Pause" }).click());

/** Points at a used cell of a panel; gives where. */
export async function pointAtCell(page, measure, least = 1) {
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

export const columnAt = (grid, from) => grid.columns[Math.round((from - grid.from) / grid.column)];
export const countAt = (grid, from, low) => {
	const row = grid.edge.indexOf(low);

	return columnAt(grid, from).cells.find(([r]) => r === row)?.[1] ?? 0;
};

/** The colours that a cell may have, from the API alone: one, or two if its number is at the edge of a level, but for rounding. */
function coloursOf(grids, measure, from, low) {
	const all = Object.values(grids);
	const { shade } = all.reduce((a, b) => b.shade.levels.at(-1) > a.shade.levels.at(-1) ? b : a);
	const grid = grids[measure];
	const density = countAt(grid, from, low) * grid.shade.scale[grid.edge.indexOf(low)] * (columnAt(grid, from).share ?? 1);

	return [1 - 1e-9, 1 + 1e-9].map((about) => shade.palette[Math.max(1, shade.levels.filter((level) => level <= density * about).length)]);
}

/** The colour that a map has at a place within it. */
const colourAt = (page, measure, x, y) => page.evaluate(([m, px, py]) => {
	const canvas = document.querySelector(`.map[data-measure="${m}"] canvas.cells`);
	const [r, g, b] = canvas.getContext("2d").getImageData(Math.floor(px * devicePixelRatio), Math.floor(py * devicePixelRatio), 1, 1).data;

	return `#${[r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}, [measure, x, y]);

/** The cell of a map that is pointed at has the colour of its number in the API: page and read-out may still be drawn. */
export async function hasItsColour(t, grids, measure, { x, y }) {
	let seen, colour, wanted;

	await until("the cell's colour", async () => {
		seen = await readout(t.page, measure);
		wanted = seen.n > 0 ? coloursOf(grids, measure, seen.from, seen.low) : [];
		return wanted.includes(colour = await colourAt(t.page, measure, x, y));
	}).catch(() => assert.equal(colour, wanted[0], `${measure} at ${x},${y}: ${JSON.stringify(seen)}`));
}

/** The measures of all maps, from top to bottom. */
export const maps = (page) => page.locator(".map").evaluateAll((all) => all.map((m) => m.dataset.measure));

/** Presses what is in the menu of the n-th panel. */
export const menuOf = async (page, n, name) => {
	const panel = page.locator(".panel").nth(n);

	await panel.locator(".menu summary").click();
	await panel.getByRole("button", { name, exact: true }).click();
};

/** A page of its own that shows a minute of a server's instrumentation and stands still.  ready: is the server's moment come?
 * grid: what the API answered the page with for the latency's map. */
export async function stillPage(browser, server, body, ready = () => sleep(1500)) {
	const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, colorScheme: "light" });
	const page = await context.newPage(), errors = [];
	const grids = (predicate) => page.waitForResponse((r) => {
		const { pathname, searchParams: q } = new URL(r.url());

		return pathname.endsWith("/value/grid") && q.get("measure") === "latency" && q.get("ncols") !== "1" && predicate(q);
	});

	page.setDefaultTimeout(30000);
	page.on("pageerror", (error) => errors.push(String(error)));
	watchRequests(page);
	try {
		await page.goto(`${server.url}/#inst=${server.id}&duration=60`);
		await map(page, "latency").locator("canvas.cells").waitFor();
		await ready();
		const [reply] = await Promise.all([grids((q) => q.has("end_time")), page.getByRole("button", { name: "Pause" }).click()]);
		const grid = await reply.json();

		await page.getByRole("button", { name: "Resume" }).waitFor();
		await sleep(900);
		await quiet(page);
		await body({ page, grid, grids, server, value: (what) => server.get(`/ca/instrumentations/${server.id}/value/${what}`) });
		assert.deepEqual(errors, []);
	} finally {
		await context.close();
	}
}
