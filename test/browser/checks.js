/* checks.js - runs all checks of the page in their order, each on a fresh page: it does what a user does, and
 * compares the page with the API. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { cases, check, shots, violations } from "./kit.js";
import { launch } from "./launch.js";
import { close as closeHangs } from "./hangs.js";
import { close as closeShop } from "./shop.js";
import { close as closeHosts } from "./hosts.js";
import "./cells.js";
import "./zoom.js";
import "./choices.js";
import "./looks.js";
import "./instrumentations.js";
import "./panels.js";
import "./worksheets.js";
import "./connection.js";
import "./compare.js";
import "./notes.js";
import "./sight.js";
import { Server, sleep, until } from "./server.js";
import { pause, press, quiet, watchRequests } from "./view.js";

/* ---- the last: of all views, and without a daemon ---- */

check("axe finds nothing serious: map, table, form; light and dark", async (t) => {
	const { page } = t;

	await pause(t);
	assert.deepEqual(await violations(page), [], "map, light");
	await press(page, "Theme", "dark");
	await sleep(800);
	assert.deepEqual(await violations(page), [], "map, dark");
	await press(page, "View", "table");
	assert.deepEqual(await violations(page), [], "table, dark");
	await page.getByRole("button", { name: "New" }).click();
	assert.deepEqual(await violations(page), [], "form, dark");
});

check("when heatscoped is gone the page says so", async (t) => {
	t.server.kill();
	await until("a clear word", async () => /heatscoped does not answer/.test(await t.page.locator(".statusline").textContent()));
	assert.equal(await t.page.locator(".masthead .state").textContent(), "no daemon");
});

/* ---- one fresh page for each ---- */

async function open(browser, server) {
	const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, colorScheme: "light", acceptDownloads: true });
	const page = await context.newPage();
	const t = { server, page, context, errors: [], asked: new Map(), streams: [], open: new Set(), values: 0 };

	page.setDefaultTimeout(30000);
	watchRequests(page);
	page.on("console", (message) => message.type() === "error" && t.errors.push(message.text()));
	page.on("pageerror", (error) => t.errors.push(String(error)));
	page.on("request", (request) => {
		const url = new URL(request.url());

		t.values += /\/value\//.test(url.pathname);
		if (url.pathname.endsWith("/value/grid") && url.searchParams.get("ncols") !== "1")
			t.asked.set(url.searchParams.get("measure"), request);
		if (url.pathname === "/ca/stream") {
			t.streams.push(request.url());
			t.open.add(request);
		}
	});
	for (const event of ["requestfailed", "requestfinished"])
		page.on(event, (request) => t.open.delete(request));
	await page.goto(`${server.url}/#duration=60`);
	await page.locator(".map canvas.cells").nth(2).waitFor();
	await until("its stream", () => t.open.size === 1);
	await sleep(900);
	await quiet(page);
	return t;
}

async function main() {
	const server = await Server.start();
	const browser = await launch();
	const only = process.argv[2];
	let failed = 0;

	console.log(`1..${cases.length}`);
	for (const [i, { name, body }] of cases.entries()) {
		let t, problem = null;

		if (only && !new RegExp(only).test(name))
			continue;
		try {
			t = await open(browser, server);
			await body(t);
		} catch (error) {
			problem = error;
		}
		failed += Boolean(problem);
		console.log(`${problem ? "not ok" : "ok"} ${i + 1} - ${name}`);
		if (problem)
			console.log(String(problem.stack).concat(t?.errors.length ? `\nconsole: ${t.errors.join("\n")}` : "").replace(/^/gm, "# "));
		if (shots && t)
			await t.page.screenshot({ path: join(shots, `${String(i + 1).padStart(2, "0")}.png`) });
		await t?.context.close();
	}
	if (failed)
		console.log(server.logs().replace(/^/gm, "# "));
	await browser.close();
	await server.stop();
	await closeShop();
	await closeHangs();
	await closeHosts();
	process.exitCode = failed ? 1 : 0;
}

main().catch((error) => {
	console.log(`Bail out! ${error.message}`);
	process.exit(1);
});
