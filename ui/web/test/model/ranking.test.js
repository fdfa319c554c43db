import assert from "node:assert/strict";
import test from "node:test";
import { Ranking } from "../../src/model/ranking.js";

test("keys are asked for by the field that was chosen", async (t) => {
	const asked = [];

	t.mock.method(globalThis, "fetch", async (path) => {
		asked.push(new URL(path, "http://localhost").searchParams.get("by"));
		return Response.json({ keys: [], unit: "ns" });
	});
	const session = {
		inst: { id: "1", measures: ["latency"] }, span: { start: 0, duration: 60 }, state: { by: "statement" }, shown: [],
		reply: async (promise, take) => take(await promise), changed: () => {},
	};

	await new Ranking(session).refresh();
	assert.deepEqual(asked, ["statement"]);
});

test("running events come with the keys, if they are reported at all", async (t) => {
	let reply = { keys: [{ key: "update", count: 0, running: 8, oldest: 2e10 }], unit: "ns", running: { time: 60, count: 8, oldest: 2e10 } };

	t.mock.method(globalThis, "fetch", async () => Response.json(reply));
	const ranking = new Ranking({
		inst: { id: "1", measures: ["latency"] }, span: { start: 0, duration: 60 }, state: { by: null }, shown: [],
		reply: async (promise, take) => take(await promise), changed: () => {},
	});

	await ranking.refresh();
	assert.deepEqual([ranking.running.count, ranking.rows[0].running], [8, 8]);
	reply = { keys: [], unit: "ns" };
	await ranking.refresh();
	assert.equal(ranking.running, null);
});
