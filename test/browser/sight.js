/* sight.js - a page of more maps than can be seen: what is painted of them, and what is held. */
import { check } from "./kit.js";
import { until } from "./server.js";

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
	}, 12);
});
