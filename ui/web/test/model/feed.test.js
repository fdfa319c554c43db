import assert from "node:assert/strict";
import test from "node:test";
import { Feed } from "../../src/model/feed.js";

/* A server that sends what the test gives it; one event at a time. */
function server(t) {
	const opened = [], fetch = globalThis.fetch;

	t.after(() => globalThis.fetch = fetch);
	globalThis.fetch = async (url, { signal }) => {
		let out;
		const body = new ReadableStream({ start: (controller) => { out = controller; } });
		const send = (type, data) => out.enqueue(new TextEncoder().encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`));

		opened.push({ url, signal, send, end: () => out.close(),
			views: JSON.parse(new URL(url, "http://x").searchParams.get("views")) });
		return { ok: true, status: 200, body };
	};
	return opened;
}

const settled = () => new Promise((done) => setTimeout(done, 20));
const grid = (from) => ({ from, column: 1, ncols: 2, nrows: 1, edge: [0, 10], columns: [{ cells: [] }, { cells: [] }], shade: { levels: [1] } });

function feedOf(t, views) {
	const grids = [], states = [];
	const feed = new Feed(views, { grid: (i, one) => grids.push([i, one]), state: (i, state, why) => states.push([i, state, why?.message]) });

	t.after(() => feed.close());
	return { feed, grids, states };
}

const VIEWS = [{ id: "1", parameters: { measure: "a" } }, { id: "2", parameters: { measure: "b" } }];

test("several maps are fed by one stream, each with its own", async (t) => {
	const opened = server(t), { grids } = feedOf(t, VIEWS);

	await settled();
	assert.equal(opened.length, 1);
	assert.deepEqual(opened[0].views, [{ instrumentation: "1", measure: "a" }, { instrumentation: "2", measure: "b" }]);
	opened[0].send("grid", { view: 1, ...grid(50) });
	opened[0].send("column", { view: 0, from: 9, column: { cells: [] } });
	opened[0].send("grid", { view: 0, ...grid(7) });
	opened[0].send("column", { view: 1, from: 52, column: { cells: [[0, 3]] } });
	opened[0].send("shade", { view: 0, levels: [2] });
	await settled();
	assert.deepEqual(grids.map(([i, one]) => [i, one.from]), [[1, 50], [0, 7], [1, 51], [0, 7]], "a column before its grid is ignored");
	assert.deepEqual(grids[2][1].columns.at(-1).cells, [[0, 3]]);
	assert.deepEqual(grids[3][1].shade.levels, [2]);
});

test("a view that is gone is reported, and not requested again; the others go on", async (t) => {
	const opened = server(t), { states, grids } = feedOf(t, VIEWS);

	await settled();
	opened[0].send("gone", { view: 0, code: "ECA_NOENT", message: "there is none" });
	opened[0].send("grid", { view: 1, ...grid(50) });
	opened[0].send("column", { view: 1, from: 51, column: { cells: [[5, 1]] } });	/* no such row: requests all again */
	await settled();
	assert.deepEqual(states.filter(([i]) => i === 0).at(-1), [0, "lost", "there is none"]);
	assert.equal(opened.length, 2);
	assert.deepEqual(opened[1].views, [{ instrumentation: "2" }], "what all have in common is said once");
	assert.equal(new URL(opened[1].url, "http://x").searchParams.get("measure"), "b");
	opened[1].send("grid", { view: 0, ...grid(60) });
	await settled();
	assert.deepEqual(grids.at(-1)[0], 1, "numbers are the feed's, not the stream's");
});

test("while requests replace the stream, a view that is gone does not keep the others from a new one", async (t) => {
	const asked = [], opened = [], later = () => new Promise((done) => setImmediate(done)), { fetch } = globalThis;

	t.mock.timers.enable({ apis: ["setTimeout"] });
	t.after(() => globalThis.fetch = fetch);
	globalThis.fetch = async (url) => {
		if (url.startsWith("/ca/stream")) {
			opened.push(JSON.parse(new URL(url, "http://x").searchParams.get("views")).map((view) => view.instrumentation));
			return { ok: true, status: 200, body: new ReadableStream({ start: (out) => out.close() }) };
		}
		asked.push(url);
		return url.includes("/1/") ? { ok: false, status: 404, json: async () => ({ error: { code: "ECA_NOENT", message: "there is none" } }) }
			: { ok: true, status: 200, json: async () => grid(50) };
	};
	const { states } = feedOf(t, VIEWS);
	const pass = async (ms) => {
		await later();
		await later();
		t.mock.timers.tick(ms);
		await later();
		await later();
	};

	for (const ms of [500, 200])
		await pass(ms);
	assert.deepEqual(asked.map((url) => url.includes("/1/")), [true, false, false], "it is asked for once");
	await pass(3000);
	assert.deepEqual(opened, [["1", "2"], ["2"]]);
	assert.deepEqual(states.find(([i, state]) => i === 0 && state === "lost"), [0, "lost", "there is none"]);
});

test("a stream that cannot be read is let go, so that its connection is free for the next", async (t) => {
	const opened = server(t);

	feedOf(t, VIEWS);
	await settled();
	opened[0].send("column", null);
	await settled();
	assert.equal(opened[0].signal.aborted, true);
});

test("closed, it is silent and holds no stream", async (t) => {
	const opened = server(t), { feed, grids } = feedOf(t, VIEWS);

	await settled();
	feed.close();
	assert.equal(opened[0].signal.aborted, true);
	opened[0].send("grid", { view: 0, ...grid(7) });
	await settled();
	assert.deepEqual(grids, []);
});
