/* tour.js URL DIR - follows doc/tutorial.md in a browser, from the page's address to the owner of the lock waits in
 * the slow mode.
 *
 *      DIR/1-open.png, 2-explained.png, 3-statement.png
 *
 * The page is that of scripts/demo, after its lock pile-up.  Prints TAP; dragging is one click.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, visit } from "./launch.js";
import { sleep, until } from "./server.js";
import { settled } from "./view.js";

const [url, dir] = process.argv.slice(2);
const CLICKS_MOST = 4;
const SLOW_NS = 4e8;			/* what a person sees as the slow mode: from there on */

let clicks = 0;

const counted = async (n, act) => {
	clicks += n;
	await act;
};

/* The read-out of a place of the map; null: it has no row there. */
async function rowAt(page, x, y) {
	await page.mouse.move(x, y);
	await settled(page);
	const { from, low } = await page.locator('.readout tr[data-measure="latency"]').evaluate((tr) => ({ ...tr.dataset }));

	return low === undefined || low === "" ? null : { from: Number(from), low: Number(low) };
}

/* The lowest place of the map that is slow. */
async function lowestSlow(page, { x, y, width, height }) {
	for (let at = y + height - 8; at > y; at -= 6) {
		const row = await rowAt(page, x + width / 2, at);

		if (row?.low >= SLOW_NS)
			return at;
	}
	throw new Error("the map reaches no slow queries");
}

/* Where the lock pile-up is on the page, as a person would draw a rectangle around it. */
async function rectangleOf(page, { from, to }) {
	const box = await page.locator('.map[data-measure="latency"]').boundingBox();
	const bottom = await lowestSlow(page, box), middle = (await rowAt(page, box.x + box.width / 2, bottom)).from + 0.5;
	const x = (time) => Math.min(box.x + box.width - 4, Math.max(box.x + 2, box.x + box.width / 2 + (time - middle) * box.width / 60));

	return { left: x(from), right: x(to), top: box.y + 3, bottom };
}

/* When: the seconds in which updates ended that had waited. */
async function pileUp(id) {
	const reply = await fetch(`${url}/ca/instrumentations/${id}/value/exemplars?duration=60`);
	const { exemplars } = await reply.json();
	const ends = exemplars.filter((e) => e.fields.digest?.startsWith("update") && e.measures.latency >= SLOW_NS).map((e) => e.time);

	assert.ok(ends.length, `no update among the slowest: ${JSON.stringify(exemplars.slice(0, 3))}`);
	return { from: Math.min(...ends) - 2, to: Math.max(...ends) + 2 };
}

async function main() {
	const found = (await (await fetch(`${url}/ca/instrumentations`)).json()).find((i) => i.decomposition.includes("digest"));
	const browser = await launch();
	const shot = (page, name) => page.screenshot({ path: join(dir, `${name}.png`) });

	mkdirSync(dir, { recursive: true });
	try {
		const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light" })).newPage();
		const started = Date.now();
		const side = page.getByRole("complementary", { name: "Details" });

		page.setDefaultTimeout(15000);
		await visit(page, url);
		await page.locator(".keys tbody tr").first().waitFor();
		await counted(1, page.getByRole("button", { name: "1 min", exact: true }).click());
		await page.locator(".exemplars tbody tr").first().waitFor();
		await sleep(1500);
		await shot(page, "1-open");

		const { left, right, top, bottom } = await rectangleOf(page, await pileUp(found.id));

		await page.mouse.move(left, bottom);
		await page.mouse.down();
		await page.mouse.move((left + right) / 2, (top + bottom) / 2);
		await page.mouse.move(right, top);
		await counted(1, page.mouse.up());
		await until("what sets it apart", async () => /futex/.test(await page.locator(".explained").textContent()));
		const said = await page.locator(".explained").textContent(), seconds = (Date.now() - started) / 1000;

		await shot(page, "2-explained");
		console.log(`# ${clicks} clicks, ${seconds.toFixed(1)} s: ${said}`);
		await counted(1, side.locator(".exemplars tbody button", { hasText: "update sbtest2" }).first().click());
		await page.locator(".exemplar code").waitFor();
		await page.locator(".exemplar").evaluate((section) => section.scrollIntoView({ block: "start" }));
		await shot(page, "3-statement");
		console.log(`# ${await page.locator(".exemplar").textContent()}`);

		assert.match(said, /update sbtest2 set k = k/, "the statement");
		assert.match(said, /tablesbtest2/, "its table");
		assert.ok(clicks <= CLICKS_MOST, `${clicks} clicks`);
	} finally {
		await browser.close();
	}
}

try {
	await main();
	console.log("ok 1 - from the address to whose lock waits it is in at most 4 clicks\n1..1");
} catch (e) {
	console.log(`not ok 1 - from the address to whose lock waits it is\n# ${String(e.stack).replaceAll("\n", "\n# ")}\n1..1`);
	process.exitCode = 1;
}
