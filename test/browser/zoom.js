/* zoom.js - checks rectangle, zoom and threshold: looking at a part of the maps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { address, check, map, shots, violations } from "./kit.js";
import { becomes, sleep, until } from "./server.js";
import { axis, MEASURES, pause, quiet, redrawn } from "./view.js";

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
	await until("the sentence", async () => (await said.textContent()).endsWith(reply.sentence));
	assert.equal(await rows.count(), reply.values.filter((v) => v.significant && v.excess > 0).length);
	assert.equal(await page.locator(".picked").count(), 0, "a drag is no click");
	await page.keyboard.press("Escape");
	await until("it is dropped", async () => await page.locator(".explained, .rectangle").count() === 0);
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
	await until("its row", async () => await rows.count() === 1);
	assert.match(await rows.textContent(), new RegExp(`^${first.field}${first.value}.*12$`));
	assert.deepEqual(await violations(page), []);
	await quiet(page);		/* or what arrives moves the row between press and release */
	await rows.getByRole("button").click();
	await until(`${first.value} is highlighted`, () => address(page).get("key") === first.value);
	if (shots)
		await page.screenshot({ path: join(shots, "explained.png") });
	await page.getByRole("button", { name: "Close the explanation" }).click();
	await until("it is dropped", async () => await page.locator(".explained, .rectangle").count() === 0);
});

check("a rectangle is zoomed to, the events beyond the axis are shown, and the browser's way back leads back", async (t) => {
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
	await until("the address has its values", () => address(page).has("values"));
	const [, low, high] = address(page).get("values").split(":").map(Number);

	assert.ok(low >= latency.edge[0] && high > low);
	await quiet(page);
	const grid = await (await t.asked.get("latency").response()).json();
	const below = grid.columns.reduce((n, c) => n + c.cells.reduce((m, [row, k]) => m + (grid.edge[row + 1] <= low ? k : 0), 0), 0);

	assert.ok(below > 0);
	await becomes(async () => Number((await hidden.textContent()).split(" ")[0].replace(/,/g, "")), below, "as many are hidden");
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "zoomed.png") });
	await page.goBack();
	await until("where it was", async () => page.url() === before && await hidden.count() === 0);
});

check("keys and the wheel zoom time and values around what is pointed at", async (t) => {
	const { page } = t;
	const drawn = () => redrawn(page, map(page, "latency"));
	const pressed = async (key, what, is) => {
		await drawn();
		assert.ok(await map(page, "latency").evaluate((box) => box === document.activeElement), `the map has the focus before ${key}`);
		await page.keyboard.press(key);
		await until(what, async () => is(address(page)));
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
	await until("a shorter time", async () => address(page).get("duration") === "48");
	await page.evaluate(() => document.activeElement.blur());
	await sleep(200);
	await page.mouse.wheel(0, -100);
	await sleep(300);
	assert.equal(address(page).get("duration"), "48", "without the focus the wheel is the browser's");
	await page.keyboard.up("Control");
});

check("keys and the wheel move along both axes, and forward to now the view is live again", async (t) => {
	const { page } = t, latency = map(page, "latency");
	const end = () => Number(address(page).get("end")), low = () => Number(address(page).get("values")?.split(":")[1]);
	const drawn = () => redrawn(page, latency);
	const turn = async (key, x, y) => {
		if (key)
			await page.keyboard.down(key);
		await page.mouse.wheel(x, y);
		if (key)
			await page.keyboard.up(key);
		await sleep(200);
		await drawn();
	};

	await pause(t);
	const begun = end(), box = await latency.boundingBox();

	await latency.focus();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await turn("Shift", 0, -100);
	await until("earlier by a tenth", () => end() === begun - 6);
	await turn(null, -100, 0);
	await until("by another, sideways", () => end() === begun - 12);
	await page.keyboard.press(".");
	await until("by a quarter later", () => end() === begun + 3 || !address(page).has("end"));
	for (let i = 0; i < 20 && address(page).has("end"); i++)
		await turn("Shift", 0, 100);
	await until("it is live again", async () => !address(page).has("end") && await page.locator(".masthead .state").textContent() === "live");
	await latency.focus();
	await page.keyboard.press("End");
	await page.keyboard.press("]");
	await until("a part of the values", () => address(page).has("values"));
	await page.keyboard.press("}");
	await page.keyboard.press("}");
	await quiet(page);
	const high = low();

	await turn("Alt", 0, 100);
	await until("lower values", () => low() < high);
	await turn("Alt", 0, -100);
	await until("and higher ones again", () => low() > high * 0.99);
	assert.deepEqual(t.errors, []);
});

check("an address whose values no axis has is drawn all the same", async (t) => {
	const { page } = t;

	await pause(t);
	for (const values of ["ns:0:5000000", "ns:0:1", "ns:1000000:9000000000000"]) {
		await page.evaluate((hash) => { location.hash = hash; }, `${new URL(page.url()).hash.replace(/&?values=[^&]*/, "")}&values=${values}`);
		await until(values, async () => await map(page, "latency").locator(".waiting").count() === 0 &&
			await page.locator(".panel", { has: map(page, "latency") }).locator(".yaxis text").count() > 1);
	}
	await axis(page, "Scale", "linear");
	await until("another axis is all of it", () => !address(page).has("values"));
});

check("a threshold says how many events are above it, as the API's rows add up", async (t) => {
	const { page } = t;
	const { latency } = await pause(t);
	const input = page.getByLabel("Threshold"), over = page.locator(".panel", { has: map(page, "latency") }).locator(".over");
	const before = await page.evaluate(() => document.querySelector("canvas.marks").toDataURL());

	await input.fill("many");
	await input.press("Enter");
	await until("it is refused", async () => await input.getAttribute("aria-invalid") === "true");
	await input.fill("1ms");
	await input.press("Enter");
	await over.waitFor();
	const from = latency.edge.findLast((edge) => edge !== null && edge <= 1e6);
	const sum = (least) => latency.columns.reduce((n, c) => n + c.cells.reduce((m, [row, k]) => m + (latency.edge[row] >= least ? k : 0), 0), 0);
	const part = 100 * sum(from) / sum(0), shown = async () => parseFloat((await over.locator("dd").textContent()).replace("<", ""));

	assert.ok(sum(from) > 0);
	await until(`${part} %`, async () => Math.abs(await shown() - part) <= Math.max(0.1, part / 100));
	await becomes(() => input.inputValue(), "1 ms", "with its unit");
	await until("its line", async () => await page.evaluate(() => document.querySelector("canvas.marks").toDataURL()) !== before);
	await becomes(() => address(page).get("threshold"), "ns:1000000", "the address has it");
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "threshold.png") });
	await input.fill("1234.567 us");
	await input.press("Enter");
	await becomes(() => input.inputValue(), "1.234567 ms", "all of its digits");
	await input.fill("");
	await input.press("Enter");
	await until("it is gone", async () => await over.count() === 0);
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

/* Berlin, 2026-10-25: 03:00 UTC+02:00 becomes 02:00 UTC+01:00.  20:00 to 06:00 UTC are its 22:00 to 07:00. */
check("times follow the reader's clock over its change, in the page and in what heatscoped draws for it", async ({ page: other, server }) => {
	const context = await other.context().browser().newContext({ viewport: { width: 1400, height: 1000 }, timezoneId: "Europe/Berlin" });

	try {
		const page = await context.newPage();

		await page.goto(`${server.url}/#end=1792908000&duration=36000`);
		const caption = page.locator(".xaxis .zone").first();

		await until("the time axis", async () => /2026-10-24/.test(await caption.textContent()));
		assert.equal(await caption.textContent(), "2026-10-24, local time UTC+02:00, then UTC+01:00");
		assert.match(await page.locator(".statusline").getByText("until").textContent(), /until 2026-10-25 07:00:00 UTC\+01:00/);
		const ticks = await page.locator(".xaxis text:not(.zone)").allTextContents();

		assert.equal(ticks.filter((text) => text === "02:00").length, 2, ticks.join(" "));
		const [request] = await Promise.all([page.waitForRequest(/narrative=true/),
			page.getByRole("group", { name: "View" }).getByRole("button", { name: "table", exact: true }).click()]);
		const asked = new URL(request.url()).searchParams;

		assert.deepEqual([asked.get("time_zone"), asked.get("utc_offset")], ["Europe/Berlin", "3600"]);
	} finally {
		await context.close();
	}
});
