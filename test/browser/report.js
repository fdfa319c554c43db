/* report.js FILE.html - opens an HTML report in a real browser without a network: it requests nothing, has no errors,
 * shows its picture in both themes, and axe finds nothing that keeps anybody from reading it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const url = `file://${process.argv[2]}`;
const wrong = [];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] });

async function open(options) {
	const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, offline: true, ...options });
	const page = await context.newPage();

	page.on("console", (m) => wrong.push(`console: ${m.text()}`));
	page.on("pageerror", (e) => wrong.push(`error: ${e}`));
	page.on("request", (r) => {
		if (r.url() !== url && !r.url().startsWith("data:"))
			wrong.push(`asks for ${r.url()}`);
	});
	await page.goto(url);
	return page;
}

async function look(colorScheme) {
	const page = await open({ colorScheme });
	const seen = await page.evaluate(() => {
		const image = document.querySelector("img");

		return { width: image.naturalWidth, alt: image.alt, page: getComputedStyle(document.body).backgroundColor,
			tables: document.querySelectorAll("table caption").length };
	});

	if (!(seen.width > 0 && seen.tables > 0 && /queries, \d+ lost$/.test(seen.alt)))
		wrong.push(`${colorScheme}: ${JSON.stringify(seen)}`);
	return seen;
}

try {
	const [light, dark] = [await look("light"), await look("dark")];

	if (light.page === dark.page)
		wrong.push(`both themes have the page ${light.page}`);
	for (const colorScheme of ["light", "dark"]) {
		const page = await open({ colorScheme, bypassCSP: true });	/* the page lets no script in, so neither axe */

		await page.evaluate(axe);
		for (const v of (await page.evaluate(() => window.axe.run())).violations)
			wrong.push(`${colorScheme}: ${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`);
	}
} finally {
	await browser.close();
}
wrong.forEach((what) => console.log(what));
process.exitCode = wrong.length ? 1 : 0;
