/* sight.js - checks which maps are painted, and which data is held, on a page with more maps than are visible. */
import assert from "node:assert/strict";
import { check } from "./kit.js";
import { until } from "./server.js";
import { shownUntil } from "./view.js";

const N = 12;

/* The page with twelve maps of one measure, live. */
async function open({ page, server }) {
	await page.evaluate((hash) => { location.hash = hash; }, `duration=60&${Array(N).fill(`map=${server.id}:latency`).join("&")}`);
	await page.locator(".map canvas.cells").nth(N - 1).waitFor({ state: "attached" });
	await until("the first is painted", async () => (await pictures(page))[0] !== null);
}

/* Of each map its canvases, as a text; null: they were never painted. */
const pictures = (page) => page.evaluate(() => [...document.querySelectorAll(".plot")].map((plot) => {
	const all = [...plot.querySelectorAll("canvas:not(.running)")];

	return all[0].width === Math.round(plot.querySelector(".map").clientWidth * devicePixelRatio) ? all.map((canvas) => canvas.toDataURL()).join() : null;
}));

const scrollTo = (page, i) => page.locator(".panel").nth(i).evaluate((panel) => panel.scrollIntoView());

check("a map out of sight is painted when it is scrolled to, and then as those are that were seen all the time", async (t) => {
	const { page } = t;

	await open(t);
	const [first, , ...rest] = await pictures(page);

	assert.notEqual(first, null);
	assert.equal(rest.at(-1), null, "the last was not seen yet");
	await page.getByRole("button", { name: "Pause" }).click();
	await until("it stands still", () => /end=/.test(page.url()));
	/* To columns that are complete: maps that ask one after the other may get a different present one. */
	await page.getByRole("button", { name: "Earlier" }).click();
	await scrollTo(page, N - 1);
	await until("the last is painted", async () => (await pictures(page))[N - 1] !== null);

	/* Data that came during the scrolling waits, at the end that is out of sight. */
	let end = 0;

	await until("the last is as the first", async () => {
		await scrollTo(page, end);
		end = N - 1 - end;
		const all = await pictures(page);

		return all[N - 1] === all[0];
	});
});

check("a live map that was scrolled away catches up when it is seen again", async (t) => {
	const { page } = t;

	await open(t);
	await scrollTo(page, N - 1);
	await until("the last is painted", async () => (await pictures(page))[N - 1] !== null);
	const before = await pictures(page), [left] = before, then = await shownUntil(page);

	await until("time goes on", async () => await shownUntil(page) !== then);
	await until("the last goes on", async () => (await pictures(page))[N - 1] !== before[N - 1]);
	assert.equal((await pictures(page))[0], left, "the first rests");
	await scrollTo(page, 0);
	await until("the first goes on, live", async () => (await pictures(page))[0] !== left);
	await page.getByRole("button", { name: "Pause" }).click();
	await until("the first is as the second", async () => {
		const [a, b] = await pictures(page);

		return a === b;
	});
});

check("printed, all maps are painted", async (t) => {
	const { page } = t;

	await open(t);
	assert.equal((await pictures(page)).at(-1), null);
	await until("all are painted, each when there is something of it", async () => {
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		return (await pictures(page)).every((picture) => picture !== null);
	});
});

check("columns that went out at the left are not held", async (t) => {
	const { page, server } = t, devtools = await page.context().newCDPSession(page);

	await page.addInitScript(() => {
		const parse = JSON.parse;

		globalThis.left = [];
		JSON.parse = (text) => {
			const value = parse(text);

			if (value?.columns && "view" in value)
				globalThis.left.push(...value.columns.slice(0, 2).map((column) => new WeakRef(column)));
			return value;
		};
	});
	await page.goto("about:blank");
	await page.goto(`${server.url}/#duration=60`);
	await page.locator(".map canvas.cells").nth(2).waitFor();
	await until("they are let go", async () => {
		await devtools.send("HeapProfiler.collectGarbage");
		const [all, held] = await page.evaluate(() => [globalThis.left.length, globalThis.left.filter((ref) => ref.deref()).length]);

		return all >= 6 && held === 0;
	});
});
