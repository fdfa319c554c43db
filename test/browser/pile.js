/* pile.js URL ID KEY N - checks that the page names N queries of a key that wait while none of them ends.
 *
 * For test/e2e/hangs, with a real server.  It reads the line at the top, the key list, and the explanation of a
 * rectangle that it draws by mouse over the running exchanges.  Prints what it saw; exits with 1 if the key is missing.
 * HEATSCOPE_SHOTS=DIR keeps a picture.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { map, shots } from "./kit.js";
import { launch, visit } from "./launch.js";
import { until } from "./server.js";

const [url, id, key, n] = process.argv.slice(2);
const browser = await launch();

/* Over the newest quarter of the time, and the upper third of the values. */
async function drag(page) {
	const box = await map(page, "latency").boundingBox();

	await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.33);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 2, box.y + 2, { steps: 6 });
	const [reply] = await Promise.all([page.waitForResponse(/value\/explain/), page.mouse.up()]);

	return reply.json();
}

async function look(page) {
	const line = page.getByRole("region", { name: "Still running" });

	await visit(page, `${url}/#inst=${id}&duration=20&map=${id}:latency`);
	await map(page, "latency").locator("canvas.cells").waitFor();
	await until("the line that names them", async () => (await line.textContent()).endsWith(`${key} (${n})`));
	console.log(await line.textContent());
	const cells = page.locator(`.keys tr[data-key="${key}"] .hangs`);

	await until("its row in the key list", async () => (await cells.allTextContents())[0] === n);
	console.log(`${key}: ${(await cells.allTextContents()).join(" running, oldest ")}`);
	const { running, sentence } = await drag(page);

	assert.ok(running.values.some((one) => one.value === key && one.count === Number(n)), JSON.stringify(running));
	await until("the sentence", async () => (await page.locator(".explained .said").textContent()) === sentence);
	console.log(sentence);
}

try {
	const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });

	page.setDefaultTimeout(30000);
	try {
		await look(page);
	} finally {
		if (shots)
			await page.screenshot({ path: join(shots, `pile-${id}.png`) });
	}
} finally {
	await browser.close();
}
