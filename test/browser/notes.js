/* notes.js - checks notes and alerts on the maps and in the sidebar. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { check, map, shots, violations } from "./kit.js";
import { becomes, sleep, until } from "./server.js";
import { MEASURES, pause, press, settled } from "./view.js";

check("notes and what alerts fired are marks on all maps, read out at the cursor, and listed", async (t) => {
	const { page, server, errors } = t, list = page.locator(".noted"), marks = page.locator(".map .annotations i");
	const { from, ncols, column } = await server.get(`/ca/instrumentations/${server.id}/value/grid?duration=60&ncols=60`);
	const middle = from + Math.round(ncols * column * 0.8);		/* 40 s before it is out of a live page's sight */
	const ids = [];

	for (const note of [{ text: "deploy 1.2.3", time: middle + 0.5 }, { text: "backup", start_time: middle - 10, end_time: middle - 4 }])
		ids.push((await server.post("/ca/annotations", note)).id);
	const alert = (await server.post("/ca/alerts", { name: "always", instrumentation: server.id, percentile: 0.5, above: 1, window: 5, for: 1 })).id;

	/* The first window may end 5 s from now, and is judged 2 s later.  The alert may have fired twice, if the recording was
	 * late in between. */
	await until("a live page hears of them", async () => await marks.count() >= 3 * MEASURES.length, 60);
	for (const id of ids)
		await becomes(() => page.locator(`.map .annotations i[data-annotation="${id}"]`).count(), MEASURES.length, "each note on every map");
	await list.locator(`[data-alert="${alert}"] b`).getByText("firing").waitFor();
	await becomes(() => page.locator(".map .annotations b").count(), MEASURES.length, "what fires says so on every map");
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
	await until("they are gone", async () => await marks.count() === 0);
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
