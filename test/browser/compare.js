/* compare.js - checks the comparison of two times, keys or measures. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { check, shots, violations } from "./kit.js";
import { until } from "./server.js";

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

check("on a phone the picture of a comparison is as wide as the phone, not a wide one made small", async ({ page }) => {
	await page.setViewportSize({ width: 390, height: 844 });
	await page.getByRole("button", { name: "Compare" }).click();
	const picture = page.getByRole("dialog", { name: "Compare" }).locator("img");

	await until("its picture", async () => await picture.count() && picture.evaluate((img) => img.complete && img.naturalWidth > 0));
	const { natural, shown } = await picture.evaluate((img) => ({ natural: img.naturalWidth / devicePixelRatio, shown: img.clientWidth }));

	assert.ok(natural <= 400 && shown >= 0.75 * natural, `${natural} px are shown in ${shown}`);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, "nothing is wider than the screen");
	const said = page.locator(".compare .said");

	assert.ok(await said.evaluate((p) => p.scrollWidth <= p.clientWidth), `all of the sentence can be read: ${await said.textContent()}`);
	if (shots)
		await page.screenshot({ path: join(shots, "compared-390.png") });
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
