/* connection.js - checks the connections that the page holds open, and how it sends its token. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { check, violations } from "./kit.js";
import { Server, until } from "./server.js";

check("a hidden page holds no stream", async (t) => {
	assert.equal(t.open.size, 1);
	await t.page.evaluate(() => {
		Object.defineProperty(document, "hidden", { value: true, configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
	});
	await until("no stream", () => t.open.size === 0);
	await t.page.evaluate(() => {
		delete document.hidden;
		document.dispatchEvent(new Event("visibilitychange"));
	});
	await until("one stream for three maps", () => t.open.size === 1);
});

check("where heatscoped wants a token the page asks once, and everything goes on", async ({ page: other }) => {
	const server = await Server.startBeyond();
	const context = await other.context().browser().newContext({ ignoreHTTPSErrors: true, acceptDownloads: true });
	const page = await context.newPage();
	const dialog = page.getByRole("dialog", { name: "Token" });
	const answer = async (token) => {
		await dialog.getByLabel("Token").fill(token);
		await dialog.getByRole("button", { name: "Go on" }).click();
	};

	try {
		await page.goto(`${server.url}/#duration=60`);
		await dialog.waitFor();
		assert.deepEqual(await violations(page), [], "dialogue");
		assert.equal(await page.locator(".map").count(), 0, "nothing is shown without it");
		await answer("0123456789abcdef");
		await dialog.getByText("not the token").waitFor();
		await answer(server.secret);
		await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
		assert.equal(await dialog.count(), 0);
		await page.getByText("Download", { exact: true }).click();
		const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Report, PDF").click()]);

		assert.equal(file.suggestedFilename(), "heatscope-mysql-queries-report.pdf");
		assert.equal(readFileSync(await file.path()).subarray(0, 5).toString(), "%PDF-");
		page.once("dialog", (sure) => sure.accept());
		await page.getByRole("button", { name: "Delete" }).click();
		await until("it is deleted", async () => await page.locator(".map").count() === 0);
		await page.reload();
		await page.getByText("New instrumentation").first().waitFor();
		assert.equal(await dialog.count(), 0, "asked once for the tab");
		assert.deepEqual(await context.cookies(), []);
	} finally {
		await context.close();
		await server.stop();
	}
});
