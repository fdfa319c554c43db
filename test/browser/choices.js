/* choices.js - checks keys, axis, colours, time range, theme and table: the page shows the choices, and downloads
 * what it shows. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { address, check, map, shots, violations } from "./kit.js";
import { becomes, sleep, until } from "./server.js";
import { axis, MEASURES, pause, picture, press, pressed, settled } from "./view.js";

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
	await until("another picture", async () => await picture(page, "latency") !== before);
	await becomes(() => page.locator('.keys tbody [aria-pressed="true"]').count(), 1, "one is pressed");
	await until("the address has it", () => /key=/.test(page.url()));
	await page.locator(".keys tbody button").nth(1).click({ modifiers: ["Shift"] });
	await until("two keys", async () => await page.locator('.keys tbody [aria-pressed="true"]').count() === 2);
	if (shots)
		await page.screenshot({ path: join(shots, "keys.png") });
	await page.getByRole("button", { name: "show all" }).click();
	await until("the picture as it was", async () => await picture(page, "latency") === before);
});

check("the key list has the most time first, and is sorted by any column", async (t) => {
	const { page, server } = t;
	const { from, column, ncols } = (await pause(t)).latency;
	const { keys } = await server.get(`/ca/instrumentations/${server.id}/value/keys?start_time=${from}&duration=${column * ncols}`);
	const listed = () => page.locator(".keys tbody tr").evaluateAll((rows) => rows.map((r) => r.dataset.key));
	const head = (name) => page.locator(".keys thead").getByRole("button", { name, exact: true });
	const sorted = () => page.locator(".keys th[aria-sort]").evaluateAll((all) => all.map((th) => [th.dataset.column, th.ariaSort].join(" ")));
	const by = (value) => [...keys].sort((a, b) => value(b) - value(a)).map(({ key }) => key);
	const lists = (order) => until(`the keys are ${order}`, async () => isDeepStrictEqual(await listed(), order));

	await lists(by(({ sum }) => sum));
	assert.deepEqual(await sorted(), ["sum descending"]);
	const [first] = keys, row = page.locator(".keys tbody tr").first();

	assert.equal(await row.locator('[data-column="share"]').textContent(), `${(100 * first.sum_share).toFixed(1)} %`);
	assert.match(await row.locator('[data-column="sum"]').textContent(), / (s|ms)$/);
	assert.ok(Math.abs(await row.evaluate((tr) => tr.querySelector("i.share").offsetWidth / tr.offsetWidth) - first.sum_share) < 0.02, "the bar is its share");
	assert.deepEqual(await page.locator(".keys tbody button").evaluateAll((all) => all.filter((b) => b.scrollWidth > b.clientWidth).map((b) => b.textContent)), [],
		"no name is cut");
	await head("queries").click();
	await lists(by(({ count }) => count));
	assert.deepEqual(await sorted(), ["count descending"]);
	await head("p99").focus();
	await page.keyboard.press("Enter");
	await lists(by(({ p99 }) => p99));
	await page.keyboard.press("Enter");
	await until("the greatest is the last", async () => (await listed()).at(-1) === by(({ p99 }) => p99)[0]);
	assert.deepEqual(await sorted(), ["p99 ascending"]);
	await becomes(() => address(page).get("sort"), "p99:up", "the address has it");
	await head("key").click();
	await lists(keys.map(({ key }) => key).sort());
	assert.deepEqual(await violations(page), []);
});

check("keys are filtered by words where there are many", async (t) => {
	const { page } = t;
	const listed = () => page.locator(".keys tbody tr").evaluateAll((rows) => rows.map((r) => r.dataset.key));

	await pause(t);
	await page.locator(".keys tbody tr").first().waitFor();
	const all = await listed(), filter = page.getByLabel("Filter keys");

	assert.ok(all.length >= 10, `${all.length} keys`);
	await filter.fill("SEL");
	await becomes(listed, all.filter((key) => key.includes("sel")), "those with the word");
	await becomes(() => page.locator(".keys .filter span").textContent(), `${(await listed()).length} of ${all.length} keys`, "how many");
	await filter.fill("nothing like that");
	await until("no key", async () => /no key has this in its name/.test(await page.locator(".keys").textContent()));
	await filter.fill("");
	await becomes(listed, all, "all of them");
});

check("axis and colours change the picture, and are kept in the address", async (t) => {
	const { page } = t;

	await pause(t);
	const seen = new Set([await picture(page, "latency")]);
	const next = async (choose, what) => {
		await choose();
		await until(what, async () => !seen.has(await picture(page, "latency")));
		seen.add(await picture(page, "latency"));
	};

	for (const transfer of ["linear", "sqrt", "percent", "rank"])
		await next(() => page.getByLabel("Colours").selectOption(transfer), transfer);
	await axis(page, "Scale", "linear");
	await until("a linear axis", async () => !seen.has(await picture(page, "latency")));
	await until("the address has both", () => /y=linear/.test(page.url()) && /transfer=rank/.test(page.url()));
	if (shots) {
		await sleep(1000);
		await page.screenshot({ path: join(shots, "linear.png") });
	}
});

check("the time range is cut into columns of whole slots", async (t) => {
	for (const [name, columns] of [["1 min", 60], ["15 min", 180], ["1 h", 360]]) {
		t.streams.length = 0;
		await press(t.page, "Range", name);
		await until(name, () => t.streams.length >= 1);
		const asked = new URL(t.streams.at(-1)).searchParams;

		for (const view of JSON.parse(asked.get("views")))
			assert.equal(Number(view.ncols ?? asked.get("ncols")), columns);
	}
});

check("masthead and toolbar have one row each, whatever the range is", async ({ page, server }) => {
	const rows = async (name) => {
		const [boxes, right] = await page.locator(name).evaluate((bar) => [
			[...bar.children].filter((one) => one.offsetHeight > 20).map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2),
			Math.max(...[...bar.children].map((one) => one.getBoundingClientRect().right))]);

		assert.ok(right <= page.viewportSize().width, `it ends at ${right}`);
		return Math.max(...boxes) - Math.min(...boxes) < 4;
	};

	for (const width of [1400, 1360, 1920])
		for (const [duration, name] of [[60, "1 min"], [107, "1 min 47 s"], [5400, "1 h 30 min"], [50000, "13 h 53 min"]]) {
			await page.setViewportSize({ width, height: 900 });
			await page.goto(`${server.url}/#duration=${duration}`);
			await page.locator(".toolbar summary", { hasText: "Download" }).waitFor();
			await until(name, async () => await pressed(page, "Range") === name);
			for (const bar of [".toolbar", ".masthead"])
				assert.ok(await rows(bar), `${bar}, ${name} at ${width} px`);
		}
});

check("the status line is in sight, whatever the height of the window is", async ({ page, server }) => {
	for (const [width, height] of [[844, 390], [1024, 500], [1440, 600], [1440, 681], [1440, 900]]) {
		await page.setViewportSize({ width, height });
		await page.goto(`${server.url}/#duration=60`);
		await page.locator(".statusline", { hasText: "lost" }).waitFor();
		const covered = () => page.locator(".statusline > span").evaluateAll((spans) => spans.filter((span) => {
			const { left, right, top, bottom } = span.getBoundingClientRect();

			return bottom > innerHeight || !span.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
		}).map((span) => span.textContent));

		assert.deepEqual(await covered(), [], `${width} x ${height}`);
		await page.evaluate(() => scrollTo(0, 99999));
		assert.deepEqual(await covered(), [], `${width} x ${height}, at the end of the page`);
	}
});

check("each menu opens within the window, however narrow that is", async (t) => {
	const { page } = t, menus = page.locator("details.menu");

	for (const width of [320, 390, 600, 800, 1024, 1400]) {
		await page.setViewportSize({ width, height: 800 });
		await settled(page);
		for (const menu of await menus.all()) {
			await menu.locator("summary").click();
			await until("it is open", () => menu.evaluate((details) => details.open));
			await settled(page);
			const { left, right } = await menu.locator(":scope > div").evaluate((list) => list.getBoundingClientRect().toJSON());

			assert.ok(left >= 0 && right <= width, `${await menu.locator("summary").textContent()} at ${width} px: ${left} to ${right}`);
			await page.keyboard.press("Escape");
		}
	}
	assert.equal(t.errors.length, 0);
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
	for (const [name, type, begin] of [[/^Report, HTML/, "html", "<!DOCTYPE html>"], [/^latency, CSV/, "csv", "time,low_ns,high_ns,count\r\n"]]) {
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
	await until("dark by the system", async () => await theme() === "dark");
	assert.notEqual(await background(), light);
	await press(page, "Theme", "light");
	await until("light by choice", async () => await theme() === "light");
	assert.equal(await background(), light);
});

check("the arrow keys move a cursor that is read out", async (t) => {
	const { page } = t;
	const spoken = () => page.locator("p[aria-live]").textContent();

	await pause(t);
	await map(page, "latency").focus();
	await page.keyboard.press("End");
	await until("the newest column is read out", async () => /latency/.test(await spoken()));
	const first = await spoken();

	await page.keyboard.press("ArrowLeft");
	await until("the column before", async () => await spoken() !== first);
	for (let i = 0; i < 20 && !/% of/.test(await spoken()); i++) {
		await page.keyboard.press("ArrowLeft");
		await settled(page);
	}
	const second = await spoken();

	await page.keyboard.press("ArrowUp");
	await until("the row above", async () => await spoken() !== second);
	await page.keyboard.press("Escape");
	await until("silence", async () => await spoken() === "");
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

check("the table view describes each map in the words of the API", async (t) => {
	const { page, server } = t;
	const grids = await pause(t), narratives = page.locator(".narratives dd");

	await press(page, "View", "table");
	await until("three narratives", async () => await narratives.count() === MEASURES.length);
	for (const [i, measure] of MEASURES.entries()) {
		const { from, ncols, column } = grids[measure];
		const { narrative } = await server.get(`/ca/instrumentations/${server.id}/value/grid?measure=${measure}&start_time=${from}` +
			`&duration=${ncols * column}&ncols=${ncols}&narrative=true&utc_offset=0`);

		assert.match(narrative, /mode/);
		assert.equal((await narratives.nth(i).textContent()).split(".")[0], narrative.split(".")[0]);
	}
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "narratives.png") });
});

check("words that arrive when their maps are cleared, and before that is drawn, harm nothing", async (t) => {
	const { page } = t, errors = [];

	page.on("pageerror", (error) => errors.push(error.message));
	await pause(t);
	/* The page is drawn once a frame. Replies held back arrive in the very task that clears the maps. */
	await page.evaluate(() => {
		const real = globalThis.fetch;

		globalThis.held = [];
		globalThis.fetch = (path, options) => String(path).includes("narrative=true")
			? new Promise((reply) => { globalThis.held.push(reply); })
			: real(path, options);
	});
	await press(page, "View", "table");
	await page.waitForFunction((n) => globalThis.held.length >= n, MEASURES.length);
	await page.getByRole("group", { name: "Range" }).getByRole("button", { name: "5 min", exact: true }).evaluate((button) => {
		button.click();
		globalThis.held.forEach((reply) => reply({ ok: true, status: 200, json: async () => ({ narrative: "There is one mode." }) }));
	});
	await page.getByRole("region", { name: "Data table" }).waitFor();
	await settled(page);
	assert.deepEqual(errors, []);
});
