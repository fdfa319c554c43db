import assert from "node:assert/strict";
import test from "node:test";
import { Session } from "../../src/model/session.js";
import { changed } from "../../src/model/worksheet.js";

const INST = { module: "mysql", stat: "queries", decomposition: ["statement"], measures: ["latency", "size", "cputime"], granularity: 1, "retention-time": 600 };
const CATALOGUE = { metrics: [{ module: "mysql", stat: "queries", label: "MySQL queries", unit: "queries", fields: ["statement", "latency"] }],
	fields: { statement: { label: "statement", type: "string" }, latency: { label: "latency", type: "time" } },
	types: { string: { arity: "discrete" }, time: { arity: "numeric" } } };
const GRID = { unit: "ns", from: 940, column: 1, ncols: 60, nrows: 1, slot: 1, edge: [0, 10], columns: Array.from({ length: 60 }, () => ({ cells: [] })),
	shade: { levels: [1] }, summary: { count: 7 } };
const sheet = (id, more) => ({ id, name: id, ready: false, duration: 60, yscale: "auto", transfer: "log",
	panels: [{ instrumentation: { id: "1", ...INST }, measure: "latency" }], ...more });

const AWAY = Symbol("nothing answers");

/* A server that answers from a table, by path; a browser with an address and no more. */
async function page(t, hash, more = {}) {
	const answers = { "/ca": CATALOGUE, "/ca/instrumentations": [{ id: "1", ...INST }], "/ca/worksheets": [], "/ca/annotations": [], "/ca/alerts": [],
		...more };
	const location = { hash, pathname: "/" };
	const put = (_, __, address) => { location.hash = address.startsWith("#") ? address : ""; };

	Object.assign(globalThis, { location, history: { pushState: put, replaceState: put }, document: { hidden: false }, matchMedia: () => ({ matches: false }) });
	globalThis.fetch = async (address) => {
		const path = address.split("?")[0], kind = path.split("/").at(-1);
		const value = await (answers[path] ?? { grid: GRID, keys: { keys: [], unit: "ns" } }[kind]);

		if (value === AWAY)
			throw new TypeError("fetch failed");
		if (value instanceof Error)
			return { ok: false, status: 500, json: async () => ({ error: { code: "ECA_IO", message: value.message } }) };
		return { ok: true, status: 200, json: async () => value, body: new ReadableStream({}) };
	};
	const session = new Session(() => {});

	t.after(() => {
		document.hidden = true;
		session.stop();
		clearTimeout(session.soon);
	});
	await session.resume();
	return { session, answers, location };
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(ask) {
	for (let left = 100; left && !ask(); left--)
		await wait(20);
	assert.ok(ask(), String(ask));
}

const idsOf = (session) => [...new Set(session.maps.map(({ inst }) => inst?.id))].join();

test("a problem of the lists is shown as long as it lasts, also if the view stands still", async (t) => {
	const { session, answers } = await page(t, "#end=1000"), { "/ca": was } = answers;

	answers["/ca"] = new Error("the disk is full");
	await session.refreshLists();
	assert.equal(session.error.message, "the disk is full");
	answers["/ca"] = was;
	await session.refreshLists();
	assert.equal(session.error, null);
});

test("a link to what was made a moment ago shows it", async (t) => {
	const { session, answers, location } = await page(t, "#inst=1&end=1000");

	assert.equal(idsOf(session), "1");
	answers["/ca/instrumentations"] = ["1", "2"].map((id) => ({ id, ...INST }));
	location.hash = "#inst=2&end=1000";
	await session.follow();
	assert.equal(idsOf(session), "2");
});

test("a map that is added is summed up with its first columns", async (t) => {
	const { session } = await page(t, "#inst=1&end=1000");

	await until(() => session.maps[0].summary);
	session.arrangeAs([...session.panels, { ...session.panels[0], weight: null, measure: "cputime" }]);
	await until(() => session.maps.length === 4 && session.maps.at(-1).summary);
});

test("of what is chosen in a row the last is shown, whichever is answered first", async (t) => {
	let answer;
	const late = new Promise((done) => { answer = () => done(sheet("late")); });
	const { session } = await page(t, "#end=1000", { "/ca/worksheets": [sheet("late"), sheet("early")], "/ca/worksheets/late": late, "/ca/worksheets/early": sheet("early") });

	for (const choose of [() => session.library.open("early"), () => session.select("1")]) {
		const first = session.library.open("late");

		await choose();
		const { state } = session;

		answer();
		await first;
		assert.equal(session.state, state);
	}
});

test("what the way back leads to is shown, also where a worksheet is answered later", async (t) => {
	let answer;
	const late = new Promise((done) => { answer = () => done(sheet("late")); });
	const { session, location } = await page(t, "#inst=1&end=1000", { "/ca/worksheets": [sheet("late")], "/ca/worksheets/late": late });
	const opening = session.library.open("late");

	location.hash = "#inst=1&end=900";
	await session.follow();
	answer();
	await opening;
	assert.deepEqual([session.state.sheet, session.state.end], [null, 900]);
});

test("a view that stands still reports that its request failed, and repeats it until it succeeds", async (t) => {
	const { session, answers } = await page(t, "#inst=1&end=1000"), path = "/ca/instrumentations/1/value/grid";

	await until(() => session.maps.every((map) => map.grid));
	answers[path] = AWAY;
	session.set({ end: 900 });
	await until(() => session.error?.code === "UNREACHABLE");
	assert.equal(session.unlisted, null, "the lists are there");
	delete answers[path];
	await session.fetch(session.shown);
	assert.equal(session.error, null);
});

test("a shorter view of one whose last column reaches into the future ends at the present", async (t) => {
	const now = Math.ceil(Date.now() / 1000), { session } = await page(t, `#inst=1&end=${now + 5000}&duration=1000000`);

	await until(() => session.maps.every((map) => map.grid));
	session.set({ duration: 900 });
	assert.ok(session.state.end >= now - 1 && session.state.end < now + 60, `${session.state.end - now} s from now`);
	session.set({ duration: 900, end: 1000 });
	assert.equal(session.state.end, 1000);
	session.set({ duration: 300, end: null });
	assert.equal(session.state.end, null);
});

test("a panel with an axis of its own asks for it, and shares no axis with the others", async (t) => {
	const { session } = await page(t, "#end=1000&map=1:latency&map=1:cputime");

	await until(() => session.maps.every((map) => map.grid));
	assert.equal(session.maps[0].axis, session.maps[1].axis);
	session.arrangeAs(changed(session.panels, 1, { y: "linear" }));
	assert.equal(session.maps[1].grid, null, "what was there has the other axis' colours");
	await until(() => session.maps[1].grid);
	assert.deepEqual(session.maps.map((map) => map.parameters.yscale), [null, "linear"]);
	assert.notEqual(session.maps[0].axis, session.maps[1].axis);
});

test("a rectangle is explained again for another instrumentation, and goes if its map alone is removed", async (t) => {
	const asked = [];
	const { session } = await page(t, "#end=1000&map=1:latency&map=1:cputime", {
		"/ca": { ...CATALOGUE, fields: { ...CATALOGUE.fields, cputime: { label: "time on the CPU", type: "time" } } },
		"/ca/instrumentations": [{ id: "1", ...INST }, { id: "2", ...INST, measures: ["cputime", "latency"] }],
	});
	const fetch = globalThis.fetch;

	t.after(() => { globalThis.fetch = fetch; });
	globalThis.fetch = async (address, ...more) => {
		if (!address.includes("/explain"))
			return fetch(address, ...more);
		asked.push(address);
		return { ok: true, status: 200, json: async () => ({ values: [], measures: [], sentence: "s" }) };
	};
	await until(() => session.grids.length === 2);
	session.explain.draw(session.maps[0], { start: 950, end: 960, low: 1000, high: null });
	session.explain.ask();
	await until(() => session.explain.state === "said");
	session.select("2");
	await until(() => asked.length === 2 && session.explain.state === "said");
	const { map, start, end, low, high } = session.explain.rectangle;

	assert.deepEqual([map.inst.id, map.measure, start, end, low, high], ["2", "latency", 950, 960, 1000, null]);
	assert.match(asked[1], /instrumentations\/2\/.*measure=latency&start_time=950&end_time=960&ymin=1000/);
	session.set({ panels: [{ inst: "2", measure: "cputime", show: "map" }], inst: null });
	await until(() => session.maps.length === 1);
	assert.equal(session.explain.rectangle, null);
});
