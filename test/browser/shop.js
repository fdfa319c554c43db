/* shop.js - checks with a recording that has exemplars, weights, and statements that still run: of one query in a second, and of
 * what is a part of what. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { address, check, map, shots, violations } from "./kit.js";
import { Server, becomes, sleep, until } from "./server.js";
import { axis, press, quiet, stillPage } from "./view.js";

const PROPERTIES = {
	module: "mysql", stat: "queries", decomposition: ["statement", "table", "latency"],
	measures: ["latency", "cputime", "offcpu", "io", "futex", "net", "sleep", "age"],
	weights: ["latency", "cputime", "io", "futex", "net", "sleep"], exemplars: 3, where: "database = shop",
};
let server = null;		/* one for all of them */

const withShop = (body) => async ({ page: other }) => {
	server ??= await Server.start({ recording: "shop.hsr", properties: PROPERTIES });
	await stillPage(other.context().browser(), server, body);
};

const shop = (name, body) => check(name, withShop(body));

/** Called at the end of all checks. */
export const close = () => server?.stop();

const rangeOf = ({ from, ncols, column }) => `start_time=${from}&duration=${ncols * column}`;
const title = (page) => page.locator(".panel", { has: map(page, "latency") });
const sumsOf = (grid) => grid.columns.reduce((sums, { cells }) => {
	for (const [row, n] of cells)
		sums[row] += n;
	return sums;
}, new Array(grid.nrows).fill(0));

/* Over the upper part of the latency's map. */
async function drag(page) {
	const box = await map(page, "latency").boundingBox();

	await page.mouse.move(box.x + box.width - 4, box.y + 3);
	await page.mouse.down();
	await page.mouse.move(box.x + 4, box.y + box.height * 0.45, { steps: 5 });
	const [request] = await Promise.all([page.waitForRequest(/value\/explain/), page.mouse.up()]);

	return new URL(request.url()).searchParams;
}

shop("single events lie on the map, are stepped through by keys, and show their data", async ({ page, grid, value }) => {
	const { exemplars } = await value(`exemplars?${rangeOf(grid)}&n=300`);
	const dots = async (name) => [...(await map(page, "latency").locator(`.dots .${name}`).getAttribute("d")).matchAll(/M([\d.]+) ([\d.]+)/g)];
	const worst = exemplars.filter((e) => e.worst).sort((a, b) => a.time - b.time);
	const event = page.getByRole("region", { name: "Event", exact: true });

	assert.ok(worst.length > 5);
	await until("dots of the slowest", async () => (await dots("worst")).length > 0);
	const shown = [...await dots("worst"), ...await dots("drawn")].map(([, x, y]) => `${Math.floor(x / 14)} ${Math.floor(y / 14)}`);

	assert.ok(shown.length <= exemplars.length && new Set(shown).size >= shown.length - 2, `one in each square (${shown.length} of ${exemplars.length})`);
	assert.equal(await map(page, "cputime").locator(".dots").count(), 0, "only where the first measure is");
	await map(page, "latency").focus();
	for (const one of [worst.at(0), worst.at(1)]) {
		await page.keyboard.press("e");
		await event.locator("code, dl").first().waitFor();
		await until("its connection", async () => (await event.textContent()).includes(`connection${one.connection}`));
		assert.ok((await event.textContent()).includes(one.fields.digest === "none" ? one.fields.command : one.fields.digest));
	}
	const parts = await event.locator(".parts tbody tr").evaluateAll((rows) => rows.map((tr) => [tr.dataset.part, Number(tr.dataset.sum)]));

	assert.equal(parts.reduce((sum, [, n]) => sum + n, 0), worst[1].measures.latency, "the parts and the rest are its time");
	await page.keyboard.press("E");
	await until("the one before", async () => (await event.textContent()).includes(`connection${worst[0].connection}`));
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "exemplars.png") });
	await event.getByRole("button", { name: "Close the event" }).click();
	const slowest = page.locator(".exemplars tbody tr").first();

	await slowest.getByRole("button").click();
	assert.ok((await event.textContent()).includes(exemplars[0].fields.digest), "the list begins with the worst");
});

const number = (text) => Number(text.replace(/[^\d.]/g, ""));
const descending = (values) => [...values].sort((a, b) => b - a);

shop("every table is sorted by its heads", async ({ page }) => {
	const sorted = (table) => table.locator("th[aria-sort]").evaluateAll((all) => all.map((th) => `${th.dataset.column} ${th.ariaSort}`));
	const head = (table, column) => table.locator(`thead [data-column="${column}"]`).getByRole("button");
	const tables = page.locator(".side table"), dumb = "thead th:not([scope=colgroup]):not(:has(button)), table:not(:has(thead))";

	await drag(page);
	await page.locator(".explained .contents").waitFor();
	await page.locator(".exemplars tbody button").first().click();
	await page.locator(".exemplar .parts").waitFor();
	assert.ok(await tables.count() >= 5);
	assert.equal(await page.locator(`:is(.side, .maps) :is(${dumb})`).count(), 0, "each table has heads, and each head sorts");

	const parts = page.locator(".explained .parts"), sums = () => parts.locator("tbody tr").evaluateAll((trs) => trs.map((tr) => Number(tr.dataset.sum)));
	const given = await sums();

	assert.ok(given.length > 2);
	assert.deepEqual([given, await sorted(parts)], [descending(given), []]);
	await head(parts, "sum").click();
	assert.deepEqual([await sums(), await sorted(parts)], [given, ["sum descending"]]);
	await head(parts, "sum").click();
	assert.deepEqual([await sums(), await sorted(parts)], [given.toReversed(), ["sum ascending"]]);
	assert.deepEqual(await sorted(page.locator(".exemplar .parts")), [], "another table keeps its order");
	const values = page.locator(".explained .contents"), names = () => values.locator("tbody th").allTextContents();

	await head(values, "value").focus();
	await page.keyboard.press("Enter");
	assert.deepEqual([await names(), await sorted(values)], [(await names()).sort(), ["value ascending"]]);
	assert.ok((await values.locator("tbody td:first-child").allTextContents())[0], "the first row has its field's name");
	const slowest = page.locator(".exemplars table"), times = () => slowest.locator("tbody td:first-child").allTextContents();

	await head(slowest, "time").click();
	await head(slowest, "time").click();
	const ended = (await times()).filter((text) => text !== "running");

	assert.deepEqual(ended, [...ended].sort(), "the first that ended is the first");
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "sorted.png") });
	await press(page, "View", "table");
	const sheet = page.locator(".sheet table"), counts = async () => (await sheet.locator("tbody tr td:nth-of-type(1)").allTextContents()).map(number);

	await head(sheet, "count").click();
	assert.deepEqual(await counts(), descending(await counts()));
	assert.ok(new Set(await counts()).size > 1);
	assert.equal(await page.locator(`.sheet :is(${dumb})`).count(), 0);
	assert.deepEqual(await violations(page), []);
});

shop("a click on a dot shows that event", async ({ page, grid, value }) => {
	const { exemplars: [worst] } = await value(`exemplars?${rangeOf(grid)}&n=1`);
	const box = await map(page, "latency").boundingBox();
	const [, x, y] = /M([\d.]+) ([\d.]+)/.exec(await map(page, "latency").locator(".dots .worst").getAttribute("d"));

	assert.ok(worst);
	await page.mouse.click(box.x + Number(x), box.y + Number(y));
	await page.getByRole("region", { name: "Event", exact: true }).waitFor();
	assert.equal(await page.locator(".picked").count(), 0, "it is not the cell that was meant");
});

shop("a rectangle is drilled down to; the path leads back, and the predicate is the rectangle", async ({ page, grid, server: s }) => {
	const breadcrumbs = page.getByRole("navigation", { name: "Drilled down" });
	const asked = await drag(page), low = Number(asked.get("ymin")), high = Number(asked.get("ymax"));

	assert.ok(grid.edge.includes(low));
	await page.locator(".explained").getByRole("button", { name: "Drill down" }).click();
	assert.match(await page.getByRole("textbox", { name: "Where" }).inputValue(), /^database = shop and latency >= /);
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "drill.png") });
	await page.getByLabel(/^Of each slot keep/).selectOption("0");	/* a recording has those of its own predicate only */
	const [request] = await Promise.all([page.waitForRequest((r) => r.method() === "POST"), page.getByRole("button", { name: "Create" }).click()]);

	assert.ok(request.url().endsWith(`/ca/instrumentations/${s.id}/clone`));
	await breadcrumbs.waitFor();
	await until("the address has it", () => address(page).get("inst") !== s.id);
	const made = await s.get(`/ca/instrumentations/${address(page).get("inst")}`), { and: terms } = made.predicate;

	assert.deepEqual(terms.slice(0, 2), [{ eq: ["database", "shop"] }, { ge: ["latency", low] }]);
	assert.deepEqual(terms.slice(2), asked.has("ymax") ? [{ lt: ["latency", high] }] : []);
	assert.deepEqual([made.measures, made.weights, made.exemplars], [PROPERTIES.measures, PROPERTIES.weights, 0]);
	assert.match(await breadcrumbs.textContent(), /database = shop.*latency >= /);
	assert.deepEqual(await violations(page), []);
	await breadcrumbs.getByRole("button", { name: "database = shop" }).click();
	await until("the whole again", async () => address(page).get("inst") === s.id && await breadcrumbs.count() === 0);
	await fetch(`${s.url}/ca/instrumentations/${made.id}`, { method: "DELETE" });
});

shop("parts are how many ran at once, column by column, as the API has them", async ({ page, server: s }) => {
	const isActive = (r) => r.url().includes("/value/grid") && new URL(r.url()).searchParams.get("active") === "true";
	const places = `&map=${s.id}:latency&map=${s.id}:latency:::parts`;
	const [reply] = await Promise.all([page.waitForResponse(isActive), page.evaluate((more) => { location.hash += more; }, places)]);
	const { rows, columns, column, from, ncols, summary } = await reply.json(), parts = map(page, "parts");
	const sums = columns.map(({ cells }) => cells.reduce((sum, [, ns]) => sum + ns, 0));
	const fullest = sums.indexOf(Math.max(...sums)), read = page.getByRole("region", { name: "Parts of the column" });

	assert.deepEqual(rows, ["cputime", "io", "futex", "net", "sleep", "rest", "running"]);
	assert.equal(sums.reduce((a, b) => a + b), summary.sum);
	await until("painted", async () => await parts.locator("canvas.cells").count() === 1);
	const box = await parts.boundingBox();

	for (const i of [fullest, Math.max(0, fullest - 1)]) {
		await page.mouse.move(box.x + box.width * (i + 0.5) / ncols, box.y + 20);
		const wanted = columns[i].cells.map(([row, ns]) => [rows[row], ns / ((columns[i].known ?? column) * 1e9)]).sort((a, b) => b[1] - a[1]);

		await until(`column ${from + i * column}`, async () => {
			const shown = await read.locator("tbody tr").evaluateAll((all) => all.map((tr) => [tr.dataset.part, Number(tr.dataset.load)]));

			return shown.length === wanted.length && shown.every(([part, load], k) => part === wanted[k][0] && Math.abs(load - wanted[k][1]) < 1e-9);
		});
	}
	assert.match(await page.locator(".panel h2").nth(1).textContent(), /^parts of latency .*queries at once$/);
	assert.equal(await page.locator(".readout tbody tr").count(), 1, "they have a list of their own");
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "parts.png") });
	/* A setting for maps of values also applies to the map next to them, and nothing fails. */
	await axis(page, "Crop", "0.02");
	await title(page).locator(".cropped").waitFor();
	await page.getByLabel("Colours").selectOption("percent");
	await parts.focus();
	for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowUp", "e", "End", "Home", "+", "-"])
		await page.keyboard.press(key);
	await page.getByRole("button", { name: "table", exact: true }).click();
	await sleep(500);
	await page.getByRole("button", { name: "map", exact: true }).click();
	await page.getByRole("button", { name: "Resume" }).click();
	await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
	await until("painted live", async () => await parts.locator("canvas.cells").count() === 1);
	await sleep(2500);
});

shop("a flame graph of a rectangle is shown over the page", async ({ page }) => {
	const dialog = page.getByRole("dialog", { name: /^Flame graph of / });
	const asked = await drag(page);
	const [reply] = await Promise.all([page.waitForResponse(/value\/flame/), page.getByRole("button", { name: "Flame graph" }).click()]);
	const q = new URL(reply.url()).searchParams;

	for (const name of ["start_time", "end_time", "ymin", "ymax", "measure"])
		assert.equal(q.get(name), asked.get(name), name);
	const drawn = await until("its drawing", () => dialog.locator(".drawing").evaluate((div) => div.shadowRoot?.querySelector("svg")?.querySelectorAll("rect").length));

	assert.ok(drawn > 1);
	assert.deepEqual(await violations(page), []);
	const [other] = await Promise.all([page.waitForResponse(/value\/flame/), dialog.getByRole("combobox").selectOption("table")]);

	assert.equal(new URL(other.url()).searchParams.get("by"), "table");
	await page.keyboard.press("Escape");
	await until("closed", async () => await dialog.count() === 0);
});

shop("highlighted keys are shown alone or left out, and all get hues", async ({ page, grids, value, grid }) => {
	const keys = page.getByRole("region", { name: "Keys", exact: true });
	const only = (name) => keys.getByRole("button", { name, exact: true }).click();
	const { keys: rows } = await value(`keys?${rangeOf(grid)}`);

	await keys.getByRole("button", { name: "select/orders" }).click();
	const [alone] = await Promise.all([grids((q) => q.get("selected") === "select/orders" && !q.has("exclude") && q.has("end_time")), only("alone")]);
	const count = async (reply) => (await reply.json()).columns.reduce((sum, c) => sum + c.count, 0);

	assert.equal(await count(alone), rows.find((r) => r.key === "select/orders").count);
	const [left] = await Promise.all([grids((q) => q.get("exclude") === "true"), only("left out")]);

	assert.equal(await count(left), rows.filter((r) => r.key !== "select/orders").reduce((sum, r) => sum + r.count, 0));
	await becomes(() => address(page).get("only"), "exclude", "the address has it");
	assert.deepEqual(await violations(page), []);
	await keys.getByRole("button", { name: "show all" }).click();
	await keys.getByRole("button", { name: "Colour by key" }).click();
	await becomes(() => address(page).getAll("key"), rows.map((r) => r.key).slice(0, 7), "the address has them");
	assert.ok(!address(page).has("only"));
	await keys.getByRole("button", { name: "Drill down" }).click();
	assert.match(await page.getByRole("textbox", { name: "Where" }).inputValue(), /^database = shop and \(\(statement = /);
});

shop("a cropped axis says how many it leaves out, as the API's rows add up", async ({ page, grid }) => {
	const cropped = title(page).locator(".cropped"), sums = sumsOf(grid), total = sums.reduce((a, b) => a + b);

	await axis(page, "Crop", "0.02");
	await cropped.waitFor();
	const count = Number((await cropped.locator("dd").textContent()).split(" ")[0].replace(/,/g, ""));
	let above = 0, row = grid.nrows - 1;

	/* The map alone: its axis is that of two more, and crops no more than theirs. */
	while (row >= 0 && above + sums[row] <= 0.02 * total)
		above += sums[row--];
	assert.ok(count > 0 && count <= above, `${count} of at most ${above}`);
	assert.ok(sums.some((_, from) => sums.slice(from).reduce((a, b) => a + b, 0) === count), "whole rows");
	await becomes(() => address(page).get("crop"), "0.02", "the address has it");
	await page.getByText("Download", { exact: true }).click();
	assert.match(await page.locator(".menu a").first().getAttribute("href"), /[?&]crop=0.02/);
	await page.keyboard.press("Escape");
	assert.deepEqual(await violations(page), []);
	await axis(page, "Crop", "0");
	await until("all of it", async () => await cropped.count() === 0);
});

shop("the ends of the value axis are moved by keys and by the pointer", async ({ page }) => {
	const upper = page.getByRole("slider", { name: "Upper end of the values of latency" });
	const values = () => address(page).get("values")?.split(":").slice(1).map(Number);

	await upper.focus();
	const whole = Number(await upper.getAttribute("aria-valuenow"));

	for (let i = 0; i < 3; i++)
		await page.keyboard.press("ArrowDown");
	await until("a lower end", async () => values()?.[1] < whole);
	await quiet(page);
	assert.match(await upper.getAttribute("aria-valuetext"), /[mµ]?s$/);
	const [low, high] = values();

	await page.keyboard.down("Shift");
	await page.keyboard.up("Shift");
	await map(page, "latency").focus();
	await page.keyboard.press("{");
	await sleep(200);
	assert.deepEqual(values(), [low, high], "at the foot it goes no farther down");
	await page.keyboard.press("}");
	await until("farther up", async () => values()?.[0] > low);
	await upper.focus();
	await page.keyboard.press("End");
	const box = await page.getByRole("slider", { name: "Lower end of the values of latency" }).boundingBox();

	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width / 2, box.y - 60, { steps: 4 });
	await page.mouse.up();
	await until("the lower end has gone up", () => values()?.[0] > low && values()[1] > values()[0]);
	await map(page, "latency").focus();
	await page.keyboard.press("0");
	await until("all of it", async () => !address(page).has("values"));
});

shop("keys lead to the highest cell and to the lowest, and so does the maximum's button", async ({ page, grid }) => {
	const seen = () => page.locator('.readout tr[data-measure="latency"]').evaluate((tr) => ({ from: Number(tr.dataset.from), low: Number(tr.dataset.low) }));
	const rows = grid.columns.flatMap((c, i) => c.cells.map(([row]) => [row, i])), order = rows.map(([row]) => row).sort((a, b) => a - b);

	await map(page, "latency").focus();
	await page.keyboard.press("h");
	await until("the highest", async () => (await seen()).low === grid.edge[order.at(-1)]);
	const { from } = await seen(), top = rows.filter(([row]) => row === order.at(-1)).map(([, i]) => grid.from + i * grid.column);

	assert.ok(top.includes(from));
	await page.keyboard.press("l");
	await until("the lowest", async () => (await seen()).low === grid.edge[order[0]]);
	await title(page).getByTitle(/^Go to the highest/).click();
	await until("the highest again", async () => (await seen()).low === grid.edge[order.at(-1)]);
});

shop("what still runs is listed by its keys", async ({ page, grid }) => {
	const i = grid.columns.findLastIndex((c, at) => c.running && at < grid.ncols - 3);
	const [low, high, n] = grid.columns[i].running.at(-1);

	await map(page, "latency").focus();
	await page.keyboard.press("Home");
	for (let at = 0; at < i; at++)
		await page.keyboard.press("ArrowRight");
	const still = page.locator(".readout .still");

	/* Its age is a row like others, but where the axis has it depends on all that it shows: look down the column. */
	const box = await map(page, "latency").boundingBox(), x = box.x + box.width * (i + 0.5) / grid.ncols;

	for (let y = 1; y < box.height && !/ old/.test(await still.textContent()); y++)
		await page.mouse.move(x, box.y + y);
	assert.match(await still.textContent(), / old/);
	await page.keyboard.press("Enter");
	const picked = page.locator(".picked");

	await picked.getByText("still running").waitFor();
	assert.ok(high === null || high > low);
	assert.equal(Number(await picked.locator("[data-total]").last().textContent()), n);
	assert.ok(await picked.locator("table").last().locator("tbody tr").count() > 0);
	assert.deepEqual(await violations(page), []);
});

shop("New asks for what its time was, and for single events", async ({ page, server: s }) => {
	await page.getByRole("button", { name: "New" }).click();
	const weights = page.getByRole("group", { name: /^Added up along the latency/ });

	await weights.getByLabel("time on the CPU").check();
	await page.getByLabel(/^Of each slot keep/).selectOption("3");
	await page.getByRole("textbox", { name: "Where" }).fill("database = shop");
	assert.deepEqual(await violations(page), []);
	const [request] = await Promise.all([page.waitForRequest((r) => r.method() === "POST"), page.getByRole("button", { name: "Create" }).click()]);
	const asked = request.postDataJSON();

	assert.deepEqual([asked.weights, asked.exemplars], [["latency", "cputime"], 3]);
	const made = await until("it is there", async () => (await s.get("/ca/instrumentations")).find((i) => i.id !== s.id));

	assert.deepEqual([made.weights, made.exemplars], [["latency", "cputime"], 3]);
	await fetch(`${s.url}/ca/instrumentations/${made.id}`, { method: "DELETE" });
});
