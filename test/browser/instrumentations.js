/* instrumentations.js - checks that an instrumentation can be created and deleted. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { check, shots, violations } from "./kit.js";
import { until } from "./server.js";

check("an instrumentation is created and deleted", async (t) => {
	const { page, server } = t;
	const ids = async () => (await server.get("/ca/instrumentations")).map((i) => i.id);
	const before = await ids();

	await page.getByRole("button", { name: "New" }).click();
	assert.match(await page.locator("form button.primary").textContent(), /existing/);
	await page.locator("select").last().selectOption({ label: "6 hours" });
	await page.getByLabel("host name").check();
	await page.locator("form button.primary").click();
	await until("one more", async () => (await ids()).length === before.length + 1);
	await until("it is shown", async () => /inst=/.test(page.url()) && await page.locator(".map").count() === 3);
	page.once("dialog", (dialog) => dialog.accept());
	await page.getByRole("button", { name: "Delete" }).click();
	await until("one less", async () => String(await ids()) === String(before));
	await until("the other is shown", async () => await page.locator(".map").count() === 3);
});

check("an instrumentation with an expression is created; an error in it is shown next to it", async (t) => {
	const { page, server } = t;
	const last = async () => (await server.get("/ca/instrumentations")).at(-1);
	const before = await last();
	const where = page.getByRole("textbox", { name: "Where" });

	await page.getByRole("button", { name: "New" }).click();
	await where.fill("latency > 10");
	await page.locator("form button.primary").click();
	await until("the refusal", async () => await where.getAttribute("aria-invalid") === "true");
	const described = (await where.getAttribute("aria-describedby")).split(" ").at(-1);

	assert.match(await page.locator(`#${described}`).textContent(), /^character 11: latency needs a unit/);
	assert.equal(await page.locator("form .problem").count(), 1, "it is said once");
	assert.equal((await last()).id, before.id);
	assert.deepEqual(await violations(page), []);
	if (shots)
		await page.screenshot({ path: join(shots, "where.png") });
	await where.fill("statement = select");
	assert.equal(await where.getAttribute("aria-invalid"), "false");
	await page.locator(".where").getByRole("button", { name: "latency", exact: true }).click();
	assert.equal(await where.inputValue(), "statement = select and latency > 10ms");
	await page.locator("form button.primary").click();
	await until("one more", async () => (await last()).id !== before.id);
	const made = await last();

	assert.deepEqual(made.predicate, { and: [{ eq: ["statement", "select"] }, { gt: ["latency", 10000000] }] });
	await until("its title", async () => (await page.title()).includes("where statement = select and latency > 10 ms"));
	await page.getByRole("button", { name: "New" }).click();
	await where.fill("statement = select and latency > 10 ms");
	await until("it is known", async () => /existing/.test(await page.locator("form button.primary").textContent()));
	await page.getByRole("button", { name: "Cancel" }).click();
	await page.getByRole("button", { name: "New" }).click();
	await where.press("Escape");
	await until("Escape is Cancel", async () => await where.count() === 0);
	page.once("dialog", (dialog) => dialog.accept());
	await page.getByRole("button", { name: "Delete" }).click();
	await until("one less", async () => (await last()).id === before.id);
});

check("the form takes the focus, Escape closes it, and the focus goes back to New", async ({ page }) => {
	const button = page.getByRole("button", { name: "New" }), form = page.locator("form.create");
	const focused = (locator) => locator.evaluate((element) => element === document.activeElement);
	const escape = (properties) => form.locator("select").first().evaluate((element, more) => {
		const event = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true, ...more });

		if (more.prevented)
			element.addEventListener("keydown", (e) => e.preventDefault(), { once: true });
		element.dispatchEvent(event);
		return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelectorAll("form.create").length))));
	}, properties);

	await button.click();
	await until("the first field has the focus", async () => await focused(form.getByLabel("Metric")));
	assert.equal(await escape({ isComposing: true }), 1, "an input method has it");
	assert.equal(await escape({ prevented: true }), 1, "something else has used it");
	await page.keyboard.press("Escape");
	await until("it is closed", async () => await form.count() === 0);
	assert.ok(await focused(button));
	await page.keyboard.press("Enter");
	await until("it is open again", async () => await focused(form.getByLabel("Metric")));
	await page.getByRole("button", { name: "Cancel" }).click();
	await until("Cancel closes it", async () => await form.count() === 0);
	assert.ok(await focused(button));
});

check("a link to an instrumentation that is gone says so above the form", async ({ page, server }) => {
	await page.goto(`${server.url}/#inst=4711`);
	await page.locator("form .problem").waitFor();
	assert.equal(await page.locator("form .problem").textContent(), "There is no instrumentation 4711; choose another, or create one.");
	assert.deepEqual(await violations(page), []);
});
