/* looks.js - transfers, palettes and lines: what the legend, the read-out, the table and a picture say is what is seen. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { address, check, shots, violations } from "./kit.js";
import { becomes, sleep, until } from "./server.js";
import { columnAt, gridsAfter, hasItsColour, MEASURES, pause, pointAtCell, press, settled } from "./view.js";

const choose = (page, name, value) => () => page.getByLabel(name, { exact: true }).selectOption(value);

check("in every palette, and in parts of the column, a cell has the colour that the API's numbers give", async (t) => {
	const { page } = t, palettes = new Set();

	await pause(t);
	for (const [act, said] of [
		[choose(page, "Colours", "percent"), /% of the column/],
		[choose(page, "Palette", "fire"), /% of the column/],
		[() => press(page, "Theme", "dark"), /% of the column/],
		[choose(page, "Palette", "grey"), /% of the column/],
		[choose(page, "Colours", "sqrt"), /sqrt colours/],
	]) {
		const grids = await gridsAfter(t, act);

		palettes.add(grids.latency.shade.palette.join());
		await hasItsColour(t, grids, "latency", await pointAtCell(page, "latency", 2));
		assert.match(await page.locator(".legend h3").textContent(), said);
		if (shots)
			await page.screenshot({ path: join(shots, `colours-${palettes.size}.png`) });
	}
	assert.equal(palettes.size, 4, "light and dark fire, dark grey, and the usual");
	await becomes(() => [address(page).get("palette"), address(page).get("transfer")], ["grey", "sqrt"], "the address has both");
	assert.deepEqual(await violations(page), []);
});

check("colours show how much there is: legend, picture and distribution go by each event's value", async (t) => {
	const { page } = t, before = (await pause(t)).latency.shade.scale;
	const bars = () => page.locator(".panel canvas.histogram").first().evaluate((canvas) => canvas.toDataURL()), counted = await bars();

	await page.locator("summary", { hasText: "Maps" }).click();
	const grids = await gridsAfter(t, () => page.getByLabel("how much: each times its value").check());
	const { edge, shade, unit } = grids.latency, row = edge.findIndex((low) => low > 0);

	await page.keyboard.press("Escape");
	assert.equal(unit, "ns");
	assert.ok(Math.abs(shade.scale[row] / before[row] / ((edge[row] + edge[row + 1] - 1) / 2) - 1) < 1e-6, "the server's weights");
	await hasItsColour(t, grids, "latency", await pointAtCell(page, "latency", 2));
	assert.match(await page.locator(".legend").textContent(), /latency, added up, per cell.*s/);
	assert.notEqual(await bars(), counted);
	await becomes(() => address(page).get("weights"), "weight", "the address has it");
	assert.match(await page.locator(".toolbar .menu a", { hasText: "latency, PNG" }).evaluate((a) => a.href), /weights=weight/);
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "how-much.png") });
});

check("parts of the column live: each column that comes adds up to a hundred", async (t) => {
	const { page } = t, drawn = () => page.locator('.map[data-measure="latency"] canvas.cells').evaluate((canvas) => canvas.toDataURL());

	await choose(page, "Colours", "percent")();
	await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
	const before = await drawn();

	await until("the next columns", async () => await drawn() !== before);
	await sleep(2500);
	const grids = await pause(t);

	for (const measure of MEASURES)
		for (const { share, cells } of grids[measure].columns) {
			const sum = cells.reduce((all, [, n]) => all + n * share, 0);

			assert.ok(!cells.length || Math.abs(sum - 100) < 1e-6, `${sum}`);
		}
	assert.deepEqual(t.errors, []);
});

check("a picture that is downloaded has the palette and the colours that were chosen", async (t) => {
	const { page, server } = t;

	await pause(t);
	await gridsAfter(t, choose(page, "Colours", "percent"));
	await gridsAfter(t, choose(page, "Palette", "fire"));
	for (const name of ["latency, PNG", "Report, PNG"]) {
		const href = await page.locator(".toolbar .menu a", { hasText: name }).evaluate((a) => a.href), file = join(server.dir, "chosen.png");

		writeFileSync(file, Buffer.from(await (await fetch(href)).arrayBuffer()));
		const { drawn } = JSON.parse(server.do(join(process.env.HEATSCOPE_BUILD, "heatscope"), ["open", file, "--json"]));

		assert.deepEqual([drawn.transfer, drawn.palette], ["percent", "fire"], name);
	}
});

check("lines of the mean and of percentiles are chosen; read-out and table have their numbers", async (t) => {
	const { page } = t, { latency } = await pause(t);
	const marks = () => page.locator('.map[data-measure="latency"] canvas.marks').evaluate((canvas) => canvas.toDataURL());
	const flip = async (line) => {
		await page.locator("summary", { hasText: "Maps" }).click();
		await page.locator(".menu[open]").getByLabel(line, { exact: true }).click();
		await page.keyboard.press("Escape");
		await settled(page);
	};
	const shown = () => page.locator(".panel").first().locator("dt .step").evaluateAll((all) => all.map((i) => i.className));
	const seen = new Set([await marks()]);

	assert.deepEqual(await shown(), ["step p50", "step p99"]);
	for (const [line, lines] of [["mean", "mean,p50,p99"], ["p50", "mean,p99"], ["p99", "mean"], ["mean", "none"]]) {
		await flip(line);
		await becomes(() => address(page).get("lines"), lines, "the address has them");
		await becomes(shown, lines === "none" ? [] : lines.split(",").map((l) => `step ${l}`), "and the panel");
		await until(`with ${lines} another picture`, async () => !seen.has(await marks()));
		seen.add(await marks());
	}
	const { seen: { from } } = await pointAtCell(page, "latency"), column = columnAt(latency, from);
	const readout = await page.locator('.readout [data-line="mean"] b').textContent(), [, n, unit] = /^([\d.]+) (\S+)$/.exec(readout);
	const mean = Number(n) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];

	assert.ok(Math.abs(mean / (column.sum / column.count) - 1) < 0.01, `${readout}: ${column.sum / column.count} ns`);
	await press(page, "View", "table");
	const at = latency.columns.length - 1 - latency.columns.indexOf(column);

	assert.equal(await page.locator(".sheet tbody tr").nth(at).locator("td").nth(1).textContent(), readout);
	assert.deepEqual(await violations(page), []);
});

check("the page says what can be done with a map, and ? lists all keys", async ({ page }) => {
	const hint = page.locator(".hint"), isOpen = () => hint.evaluate((list) => list.open);

	await hint.waitFor();
	assert.match(await hint.locator("summary").innerText(), /^drag on a map: what is different there\?\s+click: its keys\s+\? all keys$/);
	assert.equal(await isOpen(), false);
	await page.keyboard.press("?");
	await becomes(isOpen, true, "it opens");
	assert.match(await hint.innerText(), /write a note at the time/);
	await page.getByLabel("Threshold").press("?");
	assert.equal(await isOpen(), true, "a question mark that is typed is one");
	await page.locator(".map").first().focus();
	await page.keyboard.press("?");
	await becomes(isOpen, false, "it closes");
});

check("the range goes to a time that is typed, and a text that is no time is marked", async ({ page }) => {
	const field = page.getByLabel("Go to a time"), end = () => Number(/end=(\d+)/.exec(page.url())?.[1]);
	const duration = Number(/duration=(\d+)/.exec(page.url())?.[1] ?? 300);

	await field.fill("1h");
	await field.press("Enter");
	const wanted = Date.now() / 1000 - 3600 + duration / 2;

	await until("the address has it", async () => Math.abs(end() - wanted) < 30);
	assert.equal(await field.inputValue(), "");
	await field.fill("soon");
	await field.press("Enter");
	await becomes(() => field.getAttribute("aria-invalid"), "true", "it is marked");
	assert.ok(Math.abs(end() - wanted) < 30);
	await page.goBack();
	await until("back to what was before", async () => !end());
});
