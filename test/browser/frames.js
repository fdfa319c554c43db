/* frames.js URL MINUTES PANELS - watches a live page for minutes: the work of its main thread per frame, and its heap.
 *
 * Prints a line of JSON each minute, after the first, in which it settles: {minute, heap_mb, nodes, traced_s, p95_ms, frames: [{wall, cpu}]}
 * in ms.  A frame: the tasks of the renderer's main thread after the one that made the frame before, up to the one that makes it.
 */
import { launch, visit } from "./launch.js";
import { sleep } from "./server.js";

const [url, minutes, panels] = process.argv.slice(2);
const TRACED_S = 20;

/* Of Chromium's renderers the page's is the one that makes pictures; ts and dur in us. */
function pageOf(events) {
	const mains = events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain")
		.map(({ pid, tid }) => events.filter((e) => e.pid === pid && e.tid === tid && e.ph === "X").sort((a, b) => a.ts - b.ts))
		.map((all) => ({ tasks: all.filter((e) => e.name === "RunTask"), commits: all.filter((e) => e.name === "Commit") }));

	return mains.reduce((a, b) => b.commits.length > a.commits.length ? b : a);
}

function framesOf(events) {
	const { tasks, commits } = pageOf(events), frames = [];
	let wall = 0, cpu = 0, next = 0;

	for (const { ts, dur, tdur = dur } of tasks) {
		wall += dur;
		cpu += tdur;
		if (commits[next]?.ts < ts + dur) {
			frames.push({ wall: wall / 1000, cpu: cpu / 1000 });
			wall = cpu = 0;
			while (commits[next]?.ts < ts + dur)
				next++;
		}
	}
	return frames.slice(1);		/* of the first the beginning is missing */
}

const browser = await launch();

try {
	const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
	const devtools = await page.context().newCDPSession(page);
	const heap = async () => {
		await devtools.send("HeapProfiler.collectGarbage");
		return (await devtools.send("Runtime.getHeapUsage")).usedSize / 1e6;
	};

	await visit(page, url);
	await page.locator(".map canvas.cells").nth(Number(panels) - 1).waitFor({ timeout: 30000 });
	await page.waitForFunction(() => !document.querySelector(".map .waiting"), null, { timeout: 30000 });
	await devtools.send("HeapProfiler.enable");
	await sleep(60000);
	for (let minute = 1; minute <= Number(minutes); minute++) {
		const began = Date.now();

		await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
		await sleep(1000 * TRACED_S);
		const { traceEvents } = JSON.parse(await browser.stopTracing());
		const frames = framesOf(traceEvents), sorted = frames.map((f) => f.cpu).sort((a, b) => a - b);

		await sleep(Math.max(0, 58000 - (Date.now() - began)));
		console.log(JSON.stringify({
			minute, heap_mb: Number((await heap()).toFixed(3)), nodes: (await devtools.send("Memory.getDOMCounters")).nodes, traced_s: TRACED_S,
			p95_ms: sorted[Math.ceil(0.95 * sorted.length) - 1]?.toFixed(1), frames,
		}));
		await sleep(Math.max(0, 60000 - (Date.now() - began)));
	}
} finally {
	await browser.close();
}
