/* kit.js - gives the functions that the checks of the page share. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A folder for pictures of what was seen; undefined: none are kept. */
export const shots = process.env.HEATSCOPE_SHOTS;

/** The checks, in their order. */
export const cases = [];
export const check = (name, body) => cases.push({ name, body });

export const map = (page, measure) => page.locator(`.map[data-measure="${measure}"]`);
export const address = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1));

/** The findings of axe: obstacles that keep people from using the page. */
export async function violations(page) {
	await page.evaluate(AXE);
	const { violations: found } = await page.evaluate(() => globalThis.axe.run(document));

	return found.filter((v) => ["serious", "critical"].includes(v.impact))
		.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")}`);
}
