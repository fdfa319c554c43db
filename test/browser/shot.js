/* shot.js URL FILE [WIDTH HEIGHT] - takes a picture of a live page, once its maps have drawn something. */
import { launch, visit } from "./launch.js";

const [url, file, width = "1400", height = "1100"] = process.argv.slice(2);
const browser = await launch();

try {
	const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });

	await visit(page, url);
	await page.waitForSelector(".map canvas.cells", { timeout: 20000 });
	await page.waitForTimeout(3000);		/* grids, key list, the first live column */
	await page.screenshot({ path: file });
} finally {
	await browser.close();
}
