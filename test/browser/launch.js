/* launch.js - starts Debian's Chromium without a screen and without its own traffic, and opens the page in it. */
import { chromium } from "playwright-core";

export const launch = (...more) => chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", ...more],
});

/** Opens it, and says what the server said where that is no page. */
export async function visit(page, url) {
	const reply = await page.goto(url, { waitUntil: "domcontentloaded" });

	if (reply && !reply.ok())
		throw new Error(`${url}: ${reply.status()}: ${(await reply.text()).slice(0, 300)}`);
}
