import assert from "node:assert/strict";
import test from "node:test";
import { query } from "../../src/net/api.js";
import { Explain, mostOf, INSIDE_MAX, notesOf, parametersOf, partsOf, rectangleParameters, saidOf, tellingMeasures, tellingValues, VALUES_MAX } from "../../src/model/explain.js";

const rectangle = { start: 102, end: 106, low: 10, high: 40 };

test("the request has the rectangle, the measure and the selection", () => {
	assert.equal(query(parametersOf({ map: { measure: "latency" }, ...rectangle }, ["a,b", "c"])),
		"?measure=latency&start_time=102&end_time=106&ymin=10&ymax=40&top=8&selected=a%5C%2Cb%2Cc");
	assert.equal(query(parametersOf({ map: { measure: "latency" }, ...rectangle, low: 0, high: null }, [], null)),
		"?measure=latency&start_time=102&end_time=106&ymin=0&top=8", "no upper edge, no limit");
});

const value = (name, significant, excess) => ({ field: "f", value: name, significant, excess });
const reply = (values, measures = []) => ({ values, measures, sentence: "s" });

test("the whole time shown is a baseline", () => {
	const { baseline_start, baseline_end } = parametersOf({ map: { measure: "latency" }, ...rectangle }, [], { start: 60, duration: 60 });

	assert.deepEqual([baseline_start, baseline_end], [60, 120]);
});

test("values are shown that are significant and more frequent inside, at most eight", () => {
	const told = reply([value("a", true, 5), value("b", true, -5), value("c", false, 9)]);

	assert.deepEqual(tellingValues(told).map((v) => v.value), ["a"]);
	assert.equal(tellingValues(reply(Array(20).fill(value("a", true, 1)))).length, VALUES_MAX);
});

test("measures are shown that are significant, also those that are less inside", () => {
	const measures = [{ measure: "io", significant: true, excess: -1 }, { measure: "net", significant: false, excess: 8 }];

	assert.deepEqual(tellingMeasures(reply([], measures)).map((m) => m.measure), ["io"]);
});

test("where nothing is significant the sentence is the reason", () => {
	assert.equal(saidOf(reply([value("a", false, 5)])), "nothing differs: s");
	assert.equal(saidOf(reply([value("a", true, 5)])), "s");
	assert.equal(saidOf(reply([], [{ significant: true }])), "s");
});

test("running events set a rectangle apart, even if nothing has ended", () => {
	assert.equal(saidOf({ ...reply([]), running: { count: 9 } }), "s");
	assert.equal(saidOf({ ...reply([]), running: { count: 0 } }), "nothing differs: s");
});

test("of what is inside the first values of each field are shown", () => {
	const values = ["digest", "table"].flatMap((field) => Array.from({ length: INSIDE_MAX + 2 }, (_, i) => ({ field, value: `${field} ${i}` })));

	assert.deepEqual(mostOf(values).map((v) => v.value), ["digest", "table"].flatMap((field) => Array.from({ length: INSIDE_MAX }, (_, i) => `${field} ${i}`)));
	assert.deepEqual(mostOf(undefined), []);
});

test("the limits of the answer are shown", () => {
	assert.deepEqual(notesOf({ lost: 0 }), []);
	assert.equal(notesOf({ lost: 3, sampled: 4, dropped: true, lower_bound: true }).length, 4);
});

/* A server that answers when the test says so; fetch() of each request: {url, signal, reply(status, body)}. */
function server(t) {
	const asked = [], fetch = globalThis.fetch;

	t.after(() => globalThis.fetch = fetch);
	globalThis.fetch = (url, { signal }) => new Promise((done, fail) => {
		signal.addEventListener("abort", () => fail(new Error("aborted")));
		asked.push({ url, signal, reply: (status, body) => done({ status, ok: status < 400, json: async () => body }) });
	});
	return asked;
}

const session = { changed() {} };
const mapOf = (measure) => ({ measure, inst: { id: "1", measures: ["latency"] }, selected: [], narrowed: {} });
const latency = mapOf("latency"), cputime = mapOf("cputime");
const settled = () => new Promise((done) => setTimeout(done, 10));

test("only what was asked last is answered; what is older is aborted", async (t) => {
	const asked = server(t), explain = new Explain(session);

	explain.draw(latency, rectangle);
	assert.ok(explain.drawn(latency) && !explain.drawn(cputime));
	explain.ask();
	assert.equal(explain.drawn(latency), false, "it is asked once");
	explain.draw(latency, { ...rectangle, end: 108 });
	explain.ask();
	await settled();
	assert.deepEqual(asked.map((one) => one.signal.aborted), [true, false]);
	assert.equal(explain.state, "asking");
	asked[1].reply(200, reply([]));
	await settled();
	assert.deepEqual([explain.state, explain.reply.sentence, explain.rectangle.end], ["said", "s", 108]);
});

test("switching the comparison with the whole time on sends a new request and removes the old answer", async (t) => {
	const asked = server(t), explain = new Explain({ ...session, span: { start: 60, duration: 60 } });

	explain.draw(latency, rectangle);
	explain.ask();
	await settled();
	asked[0].reply(200, reply([]));
	await settled();
	explain.widen(true);
	assert.deepEqual([explain.state, explain.reply], ["asking", null]);
	explain.widen(false);
	await settled();
	assert.deepEqual(asked.map(({ url }) => /baseline_start=60/.test(url)), [false, true, false]);
	assert.deepEqual([asked[1].signal.aborted, asked[2].signal.aborted], [true, false]);
});

test("a rectangle as long as the time shown has no baseline, and asks without one", async (t) => {
	const asked = server(t), explain = new Explain({ ...session, span: { start: 60, duration: 60 } });

	explain.wide = true;
	for (const [start, end, widens] of [[60, 120, false], [60, 119, true], [61, 120, true], [50, 130, false]]) {
		explain.draw(latency, { ...rectangle, start, end });
		assert.equal(explain.widens, widens, `${start} to ${end}`);
		explain.ask();
	}
	await settled();
	assert.deepEqual(asked.map(({ url }) => /baseline_start=60/.test(url)), [false, true, true, false]);
});

test("a rectangle and its baseline reach no farther back than its instrumentation keeps", async (t) => {
	const asked = server(t), explain = new Explain({ ...session, span: { start: 0, duration: 200000 } });
	const inst = { id: "2", "retention-time": 86400, tiers: [86400, 86400] };

	explain.draw({ ...latency, inst }, { start: 1000, end: 130600, low: 0, high: null });
	assert.deepEqual([explain.rectangle.start, explain.rectangle.end], [44200, 130600]);
	explain.draw({ ...latency, inst }, { start: 100000, end: 130600, low: 0, high: null });
	assert.equal(explain.rectangle.start, 100000);
	explain.widen(true);
	await settled();
	assert.match(asked[0].url, /baseline_start=113600&baseline_end=200000/);
});

test("a refusal is shown in the server's words", async (t) => {
	const asked = server(t), explain = new Explain(session);

	explain.draw(latency, rectangle);
	explain.ask();
	await settled();
	asked[0].reply(409, { error: { code: "ECA_STATE", message: "more than enough keys" } });
	await settled();
	assert.deepEqual([explain.state, explain.problem], ["failed", "more than enough keys"]);
});

test("dropped, it is silent", async (t) => {
	const asked = server(t), explain = new Explain(session);

	explain.draw(latency, rectangle);
	explain.ask();
	await settled();
	explain.drop();
	assert.equal(asked[0].signal.aborted, true);
	await settled();
	assert.deepEqual([explain.state, explain.rectangle, explain.problem], [null, null, null]);
});

test("parts are those that there are, greatest first, and what none is", () => {
	const parts = [{ weight: "io", sum: 0, share: 0 }, { weight: "cputime", sum: 2, share: 0.2 }, { weight: "futex", sum: 7, share: 0.7 }];

	assert.deepEqual(partsOf({ parts, rest: { sum: 1, share: 0.1 } }).map((p) => p.weight), ["futex", "cputime", "rest"]);
	assert.deepEqual(partsOf({ parts, rest: { sum: 0, share: 0 } }).map((p) => p.weight), ["futex", "cputime"]);
});

test("a rectangle without an upper edge is asked of without one", () => {
	assert.equal(query(rectangleParameters({ ...rectangle, high: null }, ["a"])),
		"?start_time=102&end_time=106&ymin=10&selected=a");
});
