/* shot.js URL FILE [WIDTH HEIGHT] - a picture of a live page, once its maps have drawn something. */
import { chromium } from "playwright-core";

const [url, file, width = "1400", height = "1100"] = process.argv.slice(2);
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync"],
});

try {
	const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });

	await page.goto(url, { waitUntil: "domcontentloaded" });
	await page.waitForSelector(".map canvas.cells", { timeout: 20000 });
	await page.waitForTimeout(3000);		/* grids, key list, the first live column */
	await page.screenshot({ path: file });
} finally {
	await browser.close();
}
