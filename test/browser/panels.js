/* panels.js - checks maps of several instrumentations, and their places. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { address, check, map, shots, violations } from "./kit.js";
import { becomes, until } from "./server.js";
import { maps, MEASURES, menuOf, press, quiet, settled, shownUntil } from "./view.js";

const asTexts = (page) => address(page).getAll("map");

/* Adds another instrumentation, with its maps after those of the first; removes it at the end. */
async function withAnother(t, body) {
	const { page, server } = t;
	const other = await server.create({ module: "mysql", stat: "queries", decomposition: ["hostname", "latency"], measures: ["latency"] });

	try {
		await page.evaluate((hash) => { location.hash = hash; }, `duration=60&map=${server.id}:latency&map=${other}:latency&map=${server.id}:cputime`);
		await until("its maps", async () => String(await maps(page)) === "latency,latency,cputime");
		await page.locator(".map canvas.cells").nth(2).waitFor();
		await until("live", async () => await page.locator(".masthead .state").textContent() === "live");
		await body(other);
	} finally {
		await fetch(`${server.url}/ca/instrumentations/${other}`, { method: "DELETE" });
	}
}

check("maps of several instrumentations share time, cursor, zoom and one stream", async (t) => {
	const { page } = t;

	await withAnother(t, async () => {
		await until("one stream", () => t.open.size === 1);
		assert.equal(JSON.parse(new URL(t.streams.at(-1)).searchParams.get("views")).length, 3);
		assert.match(await page.locator(".panel h2").nth(1).textContent(), /^latency MySQL queries by host name$/);
		const boxes = await page.locator(".map").evaluateAll((all) => all.map((m) => m.getBoundingClientRect().toJSON()));

		for (const box of boxes)
			assert.deepEqual([box.x, box.width], [boxes[0].x, boxes[0].width]);
		t.asked.clear();
		await page.getByRole("button", { name: "Pause" }).click();
		await until("grids of the paused view", () => t.asked.size === 2);
		await quiet(page);
		await page.mouse.move(boxes[1].x + boxes[1].width - 30, boxes[1].y + 30);
		await settled(page);
		const times = await page.locator(".readout tr[data-from]").evaluateAll((rows) => rows.map((r) => r.dataset.from));

		assert.equal(times.length, 3);
		assert.equal(new Set(times).size, 1, "one time in all maps");
		await page.locator(".map").nth(1).focus();
		await page.keyboard.press("End");
		t.asked.clear();
		await page.keyboard.press("+");
		await until("half the time", () => address(page).get("duration") === "30");
		await until("all maps are asked for", () => t.asked.size === 2);
		for (const request of t.asked.values())
			assert.equal(new URL(request.url()).searchParams.get("duration"), "30");
		assert.deepEqual(await violations(page), []);
		if (shots)
			await page.screenshot({ path: join(shots, "several.png") });
	});
});

check("the key list is that of the map which has the focus", async (t) => {
	const { page, server } = t;

	await withAnother(t, async () => {
		const heading = page.locator(".keys h3");

		await until("of the first map", async () => /By kind of statement/.test(await heading.textContent()));
		await page.locator(".map").nth(1).focus();
		await until("of the second", async () => /By host name/.test(await heading.textContent()));
		await page.locator(".keys tbody button").first().click();
		await until("its keys are in the address", async () => address(page).get("of") === "hostname");
		await page.getByRole("button", { name: "show all" }).click();
		await page.getByRole("button", { name: "Colour by key" }).click();
		await until("all of its keys are", async () => address(page).get("of") === "hostname");
		await page.locator(".map").first().focus();
		await until("of the first again", async () => /By kind of statement/.test(await heading.textContent()));
		await becomes(() => page.locator('.keys tbody [aria-pressed="true"]').count(), 0, "what is no key of this one is not highlighted");
		assert.ok(server.id);
	});
});

check("panels are added, moved, made higher and removed, by keys too, and the address keeps them", async (t) => {
	const { page, server } = t;
	const of = (measure) => `${server.id}:${measure}`;

	await menuOf(page, 0, "Move down");
	await until("the second is first", async () => String(await maps(page)) === "cputime,latency,offcpu");
	await becomes(() => asTexts(page), [of("cputime"), of("latency"), of("offcpu")], "the address has them");
	await page.getByRole("separator").first().focus();
	const before = (await map(page, "cputime").boundingBox()).height;

	for (let i = 0; i < 4; i++)
		await page.keyboard.press("ArrowDown");
	await until("higher", async () => (await map(page, "cputime").boundingBox()).height > before * 1.3);
	await becomes(() => asTexts(page)[0], `${of("cputime")}::2`, "the address has it");
	await menuOf(page, 2, "Remove");
	await until("two maps", async () => String(await maps(page)) === "cputime,latency");
	await page.locator("summary", { hasText: "Maps" }).click();
	await page.getByLabel("time off the CPU").check();
	await until("three again", async () => String(await maps(page)) === "cputime,latency,offcpu");
	await until("all have a picture", async () => await page.locator(".map .waiting").count() === 0);
	await page.reload();
	await page.locator(".map canvas.cells").nth(2).waitFor();
	assert.equal(String(await maps(page)), "cputime,latency,offcpu", "a link is the whole page");
	assert.equal(t.errors.length, 0);
});

check("a press on the text of a label in a menu is one on its box, and the menu stays open", async (t) => {
	const { page } = t, menu = page.locator("details.menu", { has: page.locator("summary", { hasText: "Maps" }) });
	const isOpen = () => menu.evaluate((details) => details.open);
	const pressText = async (label) => {		/* the middle of the label, which is not its box */
		const { x, y, width, height } = await label.boundingBox();

		await page.mouse.click(x + width * 0.75, y + height / 2);
	};

	await menu.locator("summary").click();
	const labels = menu.locator("label"), n = await labels.count();
	let pressed = 0;

	for (let i = 0; i < n; i++) {
		const label = labels.nth(i), box = label.locator("input");

		if (!await box.isVisible() || await box.isDisabled() || await box.getAttribute("type") !== "checkbox")
			continue;
		const was = await box.isChecked();

		await label.scrollIntoViewIfNeeded();
		await pressText(label);
		await until("the box has changed", async () => await box.isChecked() !== was);
		assert.ok(await isOpen(), "the menu is open");
		await pressText(label);
		await until("and back", async () => await box.isChecked() === was);
		await label.evaluate((one) => {
			one.click();
			one.click();
		});
		await settled(page);
		assert.equal(await box.isChecked(), was, "two presses before the page is drawn are two");
		pressed++;
	}
	assert.ok(pressed > 2, "there are labels to press");
	await page.mouse.click(5, 5);
	await becomes(isOpen, false, "a press outside the menu closes it");
	await menu.locator("summary").click();
	await page.keyboard.press("Escape");
	await becomes(isOpen, false, "so does Escape");
	assert.equal(t.errors.length, 0);
});

check("a panel is carried to another place by its handle, and by keys, which stay with it", async (t) => {
	const { page } = t, handle = page.getByRole("slider", { name: /^Place of latency/ });
	const centre = async (locator) => {
		const { x, y, width, height } = await locator.boundingBox();

		return [x + width / 2, y + height / 2];
	};
	const carry = async (y) => {
		await page.mouse.move(...await centre(handle));
		await page.mouse.down();
		await page.mouse.move((await centre(handle))[0], y, { steps: 6 });
	};

	await carry((await map(page, "cputime").boundingBox()).y + 5);
	await page.mouse.up();
	await settled(page);
	assert.equal(String(await maps(page)), String(MEASURES), "not beyond the middle of the next it stays");
	await carry((await page.locator(".panel").nth(2).boundingBox()).y + 20);
	await until("where it would go is shown", async () => await page.locator('.panel[data-drop="before"]').count() === 1);
	await page.mouse.up();
	await until("between the others", async () => String(await maps(page)) === "cputime,latency,offcpu");
	assert.equal(await page.locator(".panel[data-drop]").count(), 0);
	await becomes(() => asTexts(page).length, 3, "the address keeps it");
	await carry((await page.locator(".panel").nth(2).boundingBox()).y + 400);
	await page.keyboard.press("Escape");
	await page.mouse.up();
	await settled(page);
	await handle.focus();
	for (const [key, order] of [["ArrowUp", "latency,cputime,offcpu"], ["ArrowDown", "cputime,latency,offcpu"], ["ArrowDown", "cputime,offcpu,latency"],
		["ArrowDown", "cputime,offcpu,latency"]]) {
		await page.keyboard.press(key);
		await until(order, async () => String(await maps(page)) === order);
		await settled(page);
		assert.ok(await handle.evaluate((e) => e === document.activeElement), "the focus goes with it");
	}
	await becomes(() => handle.getAttribute("aria-valuetext"), "3 of 3", "its place is said");
	assert.deepEqual(await violations(page), []);
	assert.equal(t.errors.length, 0);
});

check("keys that come faster than the page is drawn are all counted", async (t) => {
	const { page, server } = t;
	const pressAll = (locator, key, times) => locator.evaluate((target, [k, n]) => {
		for (let i = 0; i < n; i++)
			target.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
	}, [key, times]);

	await pressAll(page.getByRole("separator").first(), "ArrowDown", 4);
	await becomes(() => asTexts(page)[0], `${server.id}:latency::2`, "all of them count");
	const upper = page.getByRole("slider", { name: /^Upper end of the values of latency/ }), all = Number(await upper.getAttribute("aria-valuemax"));

	await pressAll(upper, "ArrowDown", 4);
	const low = Number(await upper.getAttribute("aria-valuemin")), high = () => Number(address(page).get("values")?.split(":")[2]);

	await until(`a fifth less than ${all} of ${low}`, () => Math.abs(Math.log(all / high()) / Math.log(all / low) - 4 / 20) < 0.01);
});

check("a panel has a value axis of its own, which the address, a picture and a worksheet keep", async (t) => {
	const { page, server } = t, axes = () => page.locator("svg.yaxis").evaluateAll((all) => all.map((svg) => svg.textContent));

	const link = (name) => page.locator(".toolbar .menu a", { hasText: name });

	assert.equal(new Set(await axes()).size, 1);
	await menuOf(page, 1, "Linear axis here");
	await until("it has", async () => new Set(await axes()).size === 2);
	const [first, own, last] = await axes();

	assert.ok(first === last && own !== first && own.includes("0"));
	await becomes(() => asTexts(page)[1], `${server.id}:cputime::::linear`, "the address has it");
	assert.equal(new URL(await link("time on the CPU, linear axis, PNG").evaluate((a) => a.href)).searchParams.get("yscale"), "linear");
	assert.equal(new URL(await link("latency, PNG").evaluate((a) => a.href)).searchParams.get("yscale"), null);
	await page.locator(".panel").nth(1).locator(".menu summary").click();
	assert.equal(await page.locator(".panel").nth(1).getByRole("button", { name: "Linear axis here" }).getAttribute("aria-pressed"), "true");
	await page.keyboard.press("Escape");
	const { id } = await server.post("/ca/worksheets", { name: "Own axis", transfer: "percent",
		panels: ["linear", null].map((yscale) => ({ instrumentation: { module: "mysql", stat: "queries" }, measure: "latency", yscale })) });

	await page.goto(`${server.url}/#sheet=${id}`);
	await page.reload();
	await until("its panels", async () => String(await maps(page)) === "latency,latency");
	await until("one linear", async () => new Set(await axes()).size === 2);
	await page.getByRole("heading", { name: /per cell/ }).getByText("% of the column's").waitFor();
	await server.delete(`/ca/worksheets/${id}`);
	assert.equal(t.errors.length, 0);
});

check("a panel whose instrumentation vanishes says so, and the others go on", async (t) => {
	const { page } = t;

	await withAnother(t, async (other) => {
		await fetch(`${t.server.url}/ca/instrumentations/${other}`, { method: "DELETE" });
		await page.locator(".gone").waitFor();
		assert.match(await page.locator(".gone").textContent(), new RegExp(`Instrumentation ${other} is gone`));
		assert.equal(await page.locator(".map").count(), 2);
		const before = await shownUntil(page);

		await until("the others go on", async () => await shownUntil(page) !== before);
		assert.deepEqual(await violations(page), []);
		await page.locator(".panel.gone .menu summary").click();
		assert.ok(await page.locator(".panel.gone").getByText("Add a note").isDisabled(), "there is no time that it could be of");
		await press(page, "View", "table");
		await page.locator(".sheet tbody tr").first().waitFor();
		await press(page, "View", "map");
		await page.locator(".gone").waitFor();
		await menuOf(page, 1, "Remove");
		await until("it is away", async () => await page.locator(".gone").count() === 0);
		await becomes(() => asTexts(page).length, 2, "nor in the address");
	});
});
