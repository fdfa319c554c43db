/* worksheets.js - checks that worksheets are saved and opened, and that the page shows which parts are not measured. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { address, check, shots, violations } from "./kit.js";
import { becomes, until } from "./server.js";
import { maps, menuOf, press, pressed, shownUntil } from "./view.js";

const worksheetMenu = async (page, name) => {
	await page.locator(".masthead summary", { hasText: "Worksheet" }).click();
	await page.getByRole("button", { name, exact: true }).click();
};
const saved = async (server) => (await server.get("/ca/worksheets")).filter((w) => !w.ready);

check("a worksheet is saved, renamed, opened by a link, exported, imported and deleted", async (t) => {
	const { page, server } = t;
	const dialog = page.getByRole("dialog");
	const name = async (text) => {
		await dialog.getByLabel("Name").fill(text);
		assert.deepEqual(await violations(page), [], "dialogue");
		await dialog.locator("button.primary").click();
		await dialog.waitFor({ state: "detached" });
	};

	await menuOf(page, 2, "Remove");
	await worksheetMenu(page, "Save as …");
	await name("Two maps");
	await until("it is on the server", async () => (await saved(server))[0]?.name === "Two maps");
	const [{ id }] = await saved(server);

	await until("its name is a link", async () => page.url().endsWith(`#sheet=${id}`));
	await worksheetMenu(page, "Rename …");
	await name("Both");
	await until("renamed", async () => await page.title() === "Both – Heatscope");
	await page.goto("about:blank");
	await page.goto(`${server.url}/#sheet=${id}`);
	await until("its maps", async () => String(await maps(page)) === "latency,cputime");
	await page.locator(".map canvas.cells").nth(1).waitFor();
	assert.equal(await pressed(page, "Range"), "1 min", "the time range is the worksheet's");
	await page.getByRole("button", { name: "Pause" }).click();
	await until("it stands still", () => address(page).has("end"));
	const end = address(page).get("end");

	await page.reload();
	await page.getByRole("button", { name: "Resume" }).waitFor();
	await page.locator(".map canvas.cells").nth(1).waitFor();
	await becomes(() => address(page).get("end"), end, "a link to a time of it leads to that time");
	await press(page, "Range", "5 min");
	await page.reload();
	await until("another range than the worksheet's, though it is the usual one", async () => await pressed(page, "Range") === "5 min");
	await page.locator(".masthead summary", { hasText: "Worksheet" }).click();
	const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
	const file = await download.path(), given = JSON.parse(readFileSync(file, "utf8"));

	assert.equal(download.suggestedFilename(), "both.worksheet.json");
	assert.deepEqual([given.schema, given.version, given.panels.length], ["heatscope-worksheet", 1, 2]);
	await page.getByLabel("Worksheet file").setInputFiles({ name: "b.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ ...given, name: "Again" })) });
	await until("imported and open", async () => await page.title() === "Again – Heatscope");
	await page.getByLabel("Worksheet file").setInputFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from("{\"name\": \"x\", \"version\": 7}") });
	await page.getByText("it needs a newer one").waitFor();
	await page.getByRole("button", { name: "Resume" }).click();	/* it stood still before another worksheet was opened, and so it does now */
	await page.getByLabel("Worksheet file").setInputFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from("{\"name\": \"x\", \"version\": 7}") });
	await page.getByText("it needs a newer one").waitFor();
	const before = await shownUntil(page);

	await until("the live view goes on", async () => await shownUntil(page) !== before);
	assert.ok(await page.getByText("it needs a newer one").isVisible(), "a refusal is there to be read");
	await page.getByRole("button", { name: "Close the message" }).click();
	await until("it was read", async () => await page.getByText("it needs a newer one").count() === 0);
	assert.equal((await saved(server)).length, 2);
	for (const left of [1, 0]) {
		page.once("dialog", (sure) => sure.accept());
		const [first] = await saved(server);

		await page.locator(".masthead .pick select").selectOption(`sheet ${first.id}`);
		await until("it is open", async () => (await page.title()).startsWith(first.name));
		await worksheetMenu(page, "Delete worksheet");
		await until("deleted", async () => (await saved(server)).length === left);
	}
	await until("its maps stay", async () => String(await maps(page)) === "latency,cputime");
});

check("a worksheet of what is not measured says so, and measures it when a person says so", async (t) => {
	const { page, server } = t;
	const before = (await server.get("/ca/instrumentations")).length;
	const of = { module: "mysql", stat: "queries", decomposition: ["hostname"], measures: ["latency"] };
	const reply = await fetch(`${server.url}/ca/worksheets`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({
		name: "By host", panels: [{ instrumentation: of, measure: "latency" }, { instrumentation: { ...of, decomposition: ["statement"] }, measure: "latency" }] }) });
	const { id } = await reply.json();

	try {
		await page.goto(`${server.url}/#sheet=${id}`);
		const offer = page.getByRole("region", { name: "Not measured yet" });

		await offer.waitFor();
		assert.match(await offer.textContent(), /One instrumentation of this worksheet is not measured yet: MySQL queries by host name/);
		assert.equal(await page.locator(".map").count(), 1, "what is there is shown");
		assert.equal((await server.get("/ca/instrumentations")).length, before, "nothing is made silently");
		assert.deepEqual(await violations(page), []);
		if (shots)
			await page.screenshot({ path: join(shots, "missing.png") });
		await offer.getByRole("button", { name: "Measure it" }).click();
		await until("both maps", async () => await page.locator(".map").count() === 2 && await offer.count() === 0);
		const all = await server.get("/ca/instrumentations");

		assert.equal(all.length, before + 1);
		await fetch(`${server.url}/ca/instrumentations/${all.at(-1).id}`, { method: "DELETE" });
	} finally {
		await fetch(`${server.url}/ca/worksheets/${id}`, { method: "DELETE" });
	}
});
