import assert from "node:assert/strict";
import test from "node:test";
import { query } from "../../src/net/api.js";
import { againstRest, alike, chosenFirst, comparable, differs, openComparison, optionOf, OTHERS, parametersOf, settled } from "../../src/model/compare.js";

const span = { start: 1000, duration: 60 };
const asked = (choice) => query(parametersOf({ ...chosenFirst("latency"), ...choice }, span));
const b = (part) => ({ with: { time: "", measure: "", key: "", ...part } });
const A = "?start_time=1000&duration=60&measure=latency";

test("at first it is against the time just before, in shares", () => {
	assert.equal(asked({}), `${A}&per=share&b_start_time=940`);
	assert.ok(differs(chosenFirst("latency")));
});

test("B is as A but for what is said of it", () => {
	assert.equal(asked(b({ time: "3600" })), `${A}&per=share&b_start_time=-2600`);
	assert.equal(asked(b({ measure: "cputime" })), `${A}&per=share&b_measure=cputime`);
	assert.equal(asked({ key: optionOf("a,b"), ...b({ key: optionOf("c") }) }), `${A}&selected=a%5C%2Cb&per=share&b_selected=c`);
	assert.equal(asked({ key: optionOf("x"), ...b({ key: OTHERS }) }), `${A}&selected=x&per=share&b_exclude=true`);
	assert.equal(asked({ per: "count", ...b({ key: optionOf("others") }) }), `${A}&per=count&b_selected=others`, "a key called others is one");
});

test("a key against the rest is at the same time", () => {
	assert.equal(query(parametersOf(againstRest("latency", "db1"), span, "hostname")), `${A}&selected=db1&by=hostname&per=share&b_exclude=true`);
});

test("keys that are listed by a field are asked for by it", () => {
	assert.equal(query(parametersOf({ ...chosenFirst("latency"), key: optionOf("x"), ...b({ key: OTHERS }) }, span, "statement")),
		`${A}&selected=x&by=statement&per=share&b_exclude=true`);
});

test("where B is as A there is nothing to ask", () => {
	assert.ok(!differs({ ...chosenFirst("latency"), ...b({}) }));
	assert.ok(!differs({ ...chosenFirst("latency"), ...b({ measure: "latency" }) }));
	assert.ok(!differs({ ...chosenFirst("latency"), key: optionOf("x"), ...b({ key: optionOf("x") }) }));
	assert.ok(differs({ ...chosenFirst("latency"), key: optionOf("x"), ...b({ key: OTHERS }) }));
});

test("all but nothing is no choice", () => {
	assert.equal(settled({ ...chosenFirst("latency"), ...b({ key: OTHERS }) }).with.key, "");
	const kept = { ...chosenFirst("latency"), key: optionOf("x"), ...b({ key: OTHERS }) };

	assert.equal(settled(kept), kept);
});

test("only measures of the same type are offered", () => {
	const catalogue = { metrics: [], fields: { latency: { type: "latency" }, cputime: { type: "latency" }, size: { type: "size" } } };

	assert.deepEqual(alike("latency", { measures: ["latency", "cputime", "size", "unknown"] }, catalogue), ["latency", "cputime"]);
});

test("measures of states are not offered: they have no events to compare", () => {
	const field = { type: "time" }, catalogue = { metrics: [{ module: "m", stat: "s", scope: "interval", point: "age" }, { module: "m", stat: "load", scope: "point" }],
		fields: { latency: field, age: field, cputime: field } };
	const inst = { module: "m", stat: "s", measures: ["latency", "cputime", "age"], "retention-time": 1000 };
	const session = { inst, catalogue, span, changed() {} };

	assert.deepEqual(comparable(inst, catalogue), ["latency", "cputime"]);
	assert.deepEqual(alike("cputime", inst, catalogue), ["latency", "cputime"]);
	openComparison(session, chosenFirst("age"));
	assert.equal(session.comparing.first.measure, "latency");
	openComparison({ ...session, inst: { ...inst, stat: "load" } }, chosenFirst("latency"));
	assert.deepEqual(comparable({ ...inst, stat: "load" }, catalogue), []);
});

test("B may begin at a date and time; until that is written there is nothing to ask", () => {
	const at = "2026-11-03T14:05:00", choice = (text) => ({ ...chosenFirst("latency"), ...b({ time: "at", at: text }) });

	assert.equal(asked(choice(at)), `${A}&per=share&b_start_time=${Date.parse(at) / 1000}`);
	assert.ok(differs(choice(at)) && !differs(choice("")) && !differs(choice("soon")));
});
