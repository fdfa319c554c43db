import assert from "node:assert/strict";
import test from "node:test";
import { Ranking } from "../src/ranking.js";

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
