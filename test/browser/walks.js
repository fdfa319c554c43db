/* walks.js - walks at random by mouse over live data: no tab dies, the console has no error, and time goes on.
 *
 *     node test/browser/walks.js [WALKS [STEPS [SEED]]]        default 25 30 and a seed of its own, which is printed
 *
 * Each walk is a page of its own that takes STEPS steps: presses what can be pressed (buttons, menus, labels, choices), drags over
 * a map, turns the wheel, types, follows a link with any range.  The same seed takes the same choices; what it meets depends on the
 * data, which are live.  Prints TAP, a line for every walk; of one that fails the steps, and where it was.
 */
import { randomInt } from "node:crypto";
import { launch } from "./launch.js";
import { Server, sleep } from "./server.js";

const [WALKS = 25, STEPS = 30, SEED = randomInt(1 << 30)] = process.argv.slice(2).map(Number);
const VIEWPORT = { width: 1400, height: 1000 };
const PROPERTIES = {
	module: "mysql", stat: "queries", decomposition: ["statement", "table", "latency"],
	measures: ["latency", "cputime", "offcpu", "io", "futex", "net", "sleep", "age"],
	weights: ["latency", "cputime", "io", "futex", "net", "sleep"], exemplars: 3, where: "database = shop",
};

/* Buttons that remove the data, or leave the page: not pressed. */
const NOT_PRESSED = /^(Delete|Stop|Yes, delete|Off|tutorial|manual)/i;

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32, by Tommy Ettinger). */
function chance(seed) {
	let a = seed >>> 0;

	return () => {
		a = (a + 0x6d2b79f5) >>> 0;
		let t = Math.imul(a ^ (a >>> 15), a | 1);

		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}

const among = (random, list) => list[Math.floor(random() * list.length)];

/* ---- steps: each says in words what it did ---- */

async function press(page, random) {
	const places = await page.evaluate(() => [...document.querySelectorAll("button, summary, label, a, select, input, th, tr, li")]
		.filter((e) => e.checkVisibility?.() && !e.disabled)
		.map((e) => ({ name: (e.getAttribute("aria-label") ?? e.textContent).trim().slice(0, 40), tag: e.tagName, box: e.getBoundingClientRect().toJSON() }))
		.filter(({ box }) => box.width && box.height && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth));
	const allowed = places.filter(({ name }) => !NOT_PRESSED.test(name));

	if (!allowed.length)
		return "nothing to press";
	const { name, tag, box } = among(random, allowed);

	await page.mouse.click(box.x + random() * box.width, box.y + random() * box.height);
	return `press ${tag} "${name}"`;
}

const anywhere = (random) => [random() * VIEWPORT.width, random() * VIEWPORT.height];

async function placeIn(page, random, box) {
	box ??= { x: 0, y: 0, ...VIEWPORT };
	return [box.x + random() * box.width, box.y + random() * box.height];
}

async function someMap(page, random) {
	const maps = await page.locator("canvas.cells").all();

	/* It may go while it is looked for. */
	return maps.length ? among(random, maps).boundingBox({ timeout: 1000 }).catch(() => null) : null;
}

async function drag(page, random) {
	const box = await someMap(page, random);
	const from = await placeIn(page, random, box), to = await placeIn(page, random, random() < 0.8 ? box : null);

	await page.mouse.move(...from);
	await page.mouse.down();
	await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
	await page.mouse.move(...to);
	await page.mouse.up();
	return `drag ${from.map(Math.round)} to ${to.map(Math.round)}`;
}

async function wheel(page, random) {
	const at = await placeIn(page, random, await someMap(page, random)), key = among(random, [null, "Control", "Shift"]);
	const turn = Math.round((random() - 0.5) * 1200);

	await page.mouse.move(...at);
	if (key)
		await page.keyboard.down(key);
	await page.mouse.wheel(0, turn);
	if (key)
		await page.keyboard.up(key);
	return `wheel ${turn} ${key ?? ""} at ${at.map(Math.round)}`;
}

async function click(page, random) {
	const at = random() < 0.7 ? await placeIn(page, random, await someMap(page, random)) : anywhere(random);

	await page.mouse.click(...at, { clickCount: random() < 0.2 ? 2 : 1 });
	return `click ${at.map(Math.round)}`;
}

async function type(page, random) {
	const key = among(random, ["Escape", "Tab", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageDown", "Home", "5"]);

	await page.keyboard.press(key);
	return `key ${key}`;
}

/* Any range: ends in the past, now and a little ahead, of seconds to a year. */
async function follow(page, random) {
	const q = new URLSearchParams(new URL(page.url()).hash.slice(1));

	q.set("duration", Math.round(10 ** (1 + random() * 6.5)));
	if (random() < 0.5)
		q.set("end", Math.round(Date.now() / 1000 - (random() < 0.5 ? random() * 300 : random() * 90000)));
	else
		q.delete("end");
	await page.evaluate((hash) => { location.hash = hash; }, q.toString());
	return `link #${q}`;
}

const KINDS = [press, press, press, press, press, drag, drag, wheel, click, click, type, follow];

/* ---- a walk ---- */

const shownTime = (page) => page.locator(".statusline").innerText({ timeout: 5000 });

/* The page answers, and its footer shows another time after a while: it is live. */
async function goesOn(page, url) {
	await page.goto(url);
	await page.reload();
	await page.locator(".map canvas.cells").first().waitFor({ timeout: 15000 });
	const before = await shownTime(page);

	for (let left = 60; left > 0; left--) {
		await sleep(100);
		if (await shownTime(page) !== before)
			return;
	}
	throw new Error(`the footer stands still: ${before}`);
}

async function walk(browser, server, seed) {
	const random = chance(seed), steps = [], errors = [], refusals = [];
	const context = await browser.newContext({ viewport: VIEWPORT, acceptDownloads: true });
	const page = await context.newPage(), home = `${server.url}/#inst=${server.id}&duration=60`;

	page.setDefaultTimeout(8000);
	page.on("console", (message) => message.type() === "error" && errors.push(`${message.text()} ${message.location().url}`));
	page.on("pageerror", (error) => errors.push(String(error.stack)));
	page.on("response", async (reply) => {
		if (reply.status() >= 400)
			refusals.push(`refused: ${reply.url()}: ${await reply.text().catch(() => "")}`);
	});
	page.on("crash", () => errors.push("the tab died"));
	page.on("dialog", (dialog) => dialog.dismiss());
	context.on("page", (other) => other !== page && other.close());
	try {
		await page.goto(home);
		await page.locator(".map canvas.cells").first().waitFor();
		for (let i = 0; i < STEPS && !errors.length; i++) {
			steps.push(await among(random, KINDS)(page, random));
			await sleep(random() < 0.2 ? 400 : 30);
		}
		await sleep(300);
		steps.push(`at ${page.url()}`);
		if (!errors.length)
			await goesOn(page, home);
	} catch (error) {
		errors.push(String(error.stack));
	}
	await context.close();
	return { errors: errors.length ? [...errors, ...refusals] : [], steps };
}

async function main() {
	const server = await Server.start({ recording: "shop.hsr", properties: PROPERTIES });
	const browser = await launch();
	let failed = 0;

	for (const signal of ["SIGINT", "SIGTERM"])		/* or the daemons would go on without us */
		process.once(signal, () => server.stop().then(() => process.exit(1)));

	console.log(`# ${WALKS} walks of ${STEPS} steps, seed ${SEED}`);
	console.log(`1..${WALKS}`);
	for (let i = 0; i < WALKS; i++) {
		const { errors, steps } = await walk(browser, server, SEED + i);

		console.log(`${errors.length ? "not ok" : "ok"} ${i + 1} - walk ${SEED + i}`);
		if (errors.length)
			console.log([...errors, ...steps].join("\n").replace(/^/gm, "# "));
		failed += errors.length > 0;
	}
	await browser.close();
	await server.stop();
	process.exitCode = failed ? 1 : 0;
}

main().catch((error) => {
	console.log(`Bail out! ${error.message}`);
	process.exit(1);
});
