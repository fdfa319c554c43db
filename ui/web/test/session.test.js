import assert from "node:assert/strict";
import test from "node:test";
import { Session } from "../src/session.js";

/* What a session holds of what the pointer is on; nothing of it needs a page. */
function pointing(measure, grids) {
	return Object.assign(Object.create(Session.prototype), { cursor: measure && { measure, time: 5, value: 37 }, grids: new Map(grids) });
}

const GRIDS = [["latency", { unit: "ns" }], ["cputime", { unit: "ns" }], ["utilization", { unit: "%" }]];

test("a cursor's value is of its own unit only", () => {
	assert.equal(pointing("utilization", GRIDS).cursorOf("%").value, 37);
	assert.equal(pointing("cputime", GRIDS).cursorOf("ns").value, 37);
	assert.equal(pointing("utilization", GRIDS).cursorOf("ns"), null);
	assert.equal(pointing(null, GRIDS).cursorOf("ns"), null);
	assert.equal(pointing("gone", GRIDS).cursorOf("ns"), null);
});
