/* hosts.js - checks with three hosts: how they are, and one against the others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { address, check, shots, violations } from "./kit.js";
import { Server, becomes, sleep, until } from "./server.js";
import { stillPage } from "./view.js";

const PROPERTIES = { module: "mysql", stat: "queries", decomposition: ["statement", "hostname", "label.role", "latency"], measures: ["latency"] };
let server = null, second = null;	/* one for all of them */

async function start() {
	const s = await Server.start();

	s.replay("db2", "--label", "role=db", "--label", "zone=b");
	second = s.replay("web1", "--label", "role=web");
	await until("the labels are fields", async () => (await s.get("/ca")).fields["label.role"]);
	s.apart = await s.create(PROPERTIES);
	await until("events of all hosts", async () =>
		(await s.get(`/ca/instrumentations/${s.apart}/value/keys?duration=60&by=hostname`)).keys.length === 3, 40);
	await sleep(5000);
	return s;
}

const hosts = (name, body) => check(name, async ({ page: other }) => {
	server ??= await start();
	await stillPage(other.context().browser(), server, body);
});

/** Called at the end of all checks. */
export const close = () => server?.stop();

const dialogOf = (page) => page.getByRole("dialog", { name: "Hosts" });

async function open(page, inst = server.id) {
	await page.locator(".masthead select").first().selectOption(`inst ${inst}`);
	await page.locator(".map canvas.cells").first().waitFor();
	await page.getByRole("button", { name: "Hosts" }).click();
	await dialogOf(page).locator("tbody tr").first().waitFor();
}

hosts("the hosts are listed with labels, and one that goes away comes first", async ({ page }) => {
	const dialog = dialogOf(page), row = (name) => dialog.locator(`tr[data-source="${name}"]`);

	await open(page);
	assert.match(await dialog.locator(".said").textContent(), /^3 hosts: /);
	assert.match(await row("db2").textContent(), /role=db zone=b/);
	assert.deepEqual(await violations(page), []);
	second.removeAllListeners("exit");
	second.kill("SIGTERM");
	await until("it is away", async () => await row("web1").getAttribute("data-state") === "away");
	await until("it comes first", async () => await dialog.locator("tbody tr").first().getAttribute("data-source") === "web1");
	assert.match(await row("web1").locator(".about").textContent(), /^not connected for /);
	if (shots)
		await page.screenshot({ path: join(shots, "hosts.png") });
	assert.equal(await dialog.getByRole("button", { name: "Against the rest" }).count(), 0, "it adds the hosts up");
});

hosts("one host is compared with the rest in one step", async ({ page }) => {
	await open(page, server.apart);
	const asked = page.waitForResponse((r) => r.url().includes("/value/compare") && !r.url().includes("format=png"));

	await dialogOf(page).locator('tr[data-source="db2"]').getByRole("button", { name: "Against the rest" }).click();
	const reply = await asked, q = new URL(reply.url()).searchParams, dialog = page.getByRole("dialog", { name: "Compare" });

	assert.deepEqual(["by", "selected", "b_exclude", "b_start_time"].map((name) => q.get(name)), ["hostname", "db2", "true", null]);
	await until("its sentence", async () => await dialog.locator(".said").textContent() === (await reply.json()).sentence);
	await dialog.locator("img").waitFor();
	assert.equal(await dialog.getByLabel("A key").inputValue(), "=db2");
	if (shots)
		await page.screenshot({ path: join(shots, "host-against-rest.png") });
	await page.keyboard.press("Escape");
	await dialog.waitFor({ state: "detached" });
	assert.equal(address(page).get("by"), "hostname", "the keys are listed by host");
});

hosts("each host has a small map on one scale, and each leads to the comparison", async ({ page }) => {
	const dialog = dialogOf(page), replyOf = (of = "") => page.waitForResponse((r) => r.url().includes("/value/multiples") && r.url().includes(of) &&
		!r.url().includes("format=png"));

	await open(page, server.apart);
	let asked = replyOf();

	await dialog.getByRole("button", { name: "maps" }).click();
	let reply = await (await asked).json();

	assert.deepEqual(reply.keys.map(({ key }) => key).sort(), ["db1", "db2", "web1"]);
	assert.deepEqual(reply.keys.map(({ p99 }) => p99), reply.keys.map(({ p99 }) => p99).sort((a, b) => b - a), "the highest p99 first");
	const picture = dialog.locator("img");

	await until("its picture", async () => await picture.count() && picture.evaluate((img) => img.complete && img.naturalWidth >= 1200));
	for (const { key } of reply.keys)
		assert.ok((await picture.getAttribute("alt")).includes(`${key} p99 `));
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "hosts-maps.png") });
	await page.setViewportSize({ width: 390, height: 844 });
	await dialog.getByLabel("at most").selectOption({ index: 1 });
	await until("a picture as wide as a phone", () => picture.evaluate((img) => img.complete && img.naturalWidth === 400 * Math.ceil(devicePixelRatio)));
	await page.setViewportSize({ width: 1400, height: 1000 });
	asked = replyOf("by=label.role");		/* the wider window asks, too */
	await dialog.getByLabel("A map for each").selectOption("label.role");
	reply = await (await asked).json();
	assert.deepEqual(reply.keys.map(({ key }) => key).sort(), ["db", "none", "web"]);
	await dialog.getByRole("button", { name: "none" }).click();
	const compared = page.getByRole("dialog", { name: "Compare" });

	await compared.locator("img").waitFor();
	assert.equal(address(page).get("by"), "label.role");
	assert.equal(await compared.getByLabel("A key").inputValue(), "=none");
});

hosts("an instrumentation that adds the hosts up is copied by host", async ({ page }) => {
	await open(page);
	await dialogOf(page).getByRole("button", { name: "Measure hosts apart" }).click();
	await dialogOf(page).waitFor({ state: "detached" });
	await becomes(async () => (await server.get("/ca/instrumentations")).at(-1).decomposition.includes("hostname"), true);
	await server.delete(`/ca/instrumentations/${(await server.get("/ca/instrumentations")).at(-1).id}`);
});
