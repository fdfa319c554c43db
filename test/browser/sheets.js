/* sheets.js URL DIR [SECONDS] - takes pictures of each ready-made worksheet, wide and narrow, light and dark:
 * DIR/NAME-WIDTH-THEME.png
 *
 * It creates missing instrumentations, then waits SECONDS (60) for data to show.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, visit } from "./launch.js";

const [address, dir, seconds = "60"] = process.argv.slice(2);
const url = address.replace(/\/+$/, "");		/* as it is printed and pasted */
const TIMEOUT_MS = 60000;		/* a loaded machine is one to take pictures of, too */
const SIZES = [[1440, 900], [390, 844]];
const browser = await launch();

/* The page is about it: its panels are there, be they measured or not. */
async function open(page, { id, name }) {
	await visit(page, `${url}/#sheet=${id}`);
	await page.waitForFunction((title) => document.title === title, `${name} – Heatscope`, { timeout: TIMEOUT_MS });
}

/** Has what the worksheet lacks measured; true: there was something. */
async function measured(page, sheet) {
	const offer = page.getByRole("region", { name: "Not measured yet" });

	await open(page, sheet);
	await page.locator(".panel").first().waitFor();
	if (!await offer.count())
		return false;
	await offer.getByRole("button").click();
	await offer.waitFor({ state: "detached", timeout: TIMEOUT_MS });
	return true;
}

/* Not before all its maps have drawn something. */
async function take(page, sheet, path) {
	await open(page, sheet);
	await page.waitForFunction(() => document.querySelectorAll(".map").length === document.querySelectorAll(".map .marks").length &&
		!document.querySelector(".map .waiting"), null, { timeout: TIMEOUT_MS });
	await page.waitForTimeout(3000);	/* key list, the first live column */
	await page.screenshot({ path });
}

try {
	const sheets = (await (await fetch(`${url}/ca/worksheets`)).json()).filter((sheet) => sheet.ready);
	const page = await browser.newPage();
	let made = false;

	page.setDefaultTimeout(TIMEOUT_MS);
	mkdirSync(dir, { recursive: true });
	for (const sheet of sheets)
		made = await measured(page, sheet) || made;
	if (made)
		await page.waitForTimeout(1000 * Number(seconds));
	await page.close();
	for (const [width, height] of SIZES)
		for (const theme of ["light", "dark"]) {
			const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
			const page = await context.newPage();

			page.setDefaultTimeout(TIMEOUT_MS);
			for (const sheet of sheets)
				await take(page, sheet, join(dir, `${sheet.id}-${width}-${theme}.png`));
			await context.close();
		}
} finally {
	await browser.close();
}
