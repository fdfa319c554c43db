import assert from "node:assert/strict";
import test from "node:test";
import { chosenAtFirst, choicesFor, exampleOf, isMeasured, requestOf, sameAs, whereProblem, whereWith } from "../../src/model/choices.js";
import { fieldOf, metricTitle, statusOf, subjectOf, titleOf, unitOf } from "../../src/base/text.js";

const catalogue = {
	modules: { mysql: { label: "MySQL" } },
	types: { string: { arity: "discrete" }, time: { arity: "numeric" } },
	fields: { statement: { label: "statement", type: "string" }, command: { label: "command", type: "string" }, latency: { label: "latency", type: "time" }, offcpu: { label: "off-CPU", type: "time" }, cputime: { label: "on-CPU", type: "time" } },
	metrics: [{ module: "mysql", stat: "queries", label: "queries", fields: ["command", "statement", "latency", "cputime", "offcpu"], unit: "queries" }],
	sources: [{ source: "db1", state: "active", metrics: [{ metric: "mysql.queries", state: "ok", reason: "" }] }],
};
const inst = { id: "1", module: "mysql", stat: "queries", decomposition: ["statement", "latency"], measures: ["latency"], granularity: 1, sources: [] };
const session = (change) => ({ catalogue, inst, error: null, live: true, state: { inst: null }, maps: [], shown: [{ linked: "live" }], ...change });

test("a title names metric and fields, not the measure", () => {
	assert.equal(titleOf(inst, catalogue), "MySQL queries by statement");
	assert.equal(titleOf({ ...inst, decomposition: ["latency"] }, catalogue), "MySQL queries");
	assert.equal(titleOf({ ...inst, "predicate-text": "latency > 10 ms" }, catalogue), "MySQL queries by statement where latency > 10 ms");
	assert.equal(metricTitle({ module: "mysql", stat: "queries", label: "MySQL queries" }, catalogue), "MySQL queries");
	assert.equal(metricTitle({ module: "disk", stat: "io" }, catalogue), "disk io");
	assert.equal(metricTitle({ module: "mysql", stat: "queries", label: "mysql queries" }, catalogue), "MySQL queries", "the module is named once");
});

test("metrics share names of fields, not what they mean", () => {
	const asked = { module: "postgresql", stat: "queries", label: "queries", fields: ["command", "statement", "cputime"], unit: "queries",
		own_fields: { command: { label: "how it was asked for", type: "string" }, cputime: { label: "CPU time, of one CPU", type: "percent" } } };
	const both = { ...catalogue, types: { ...catalogue.types, percent: { arity: "numeric" } }, metrics: [...catalogue.metrics, asked] };
	const of = ({ module, stat }) => ({ ...inst, module, stat, decomposition: ["command", "statement", "cputime"] });

	for (const metrics of [both.metrics, [...both.metrics].reverse()]) {
		assert.equal(titleOf(of(asked), { ...both, metrics }), "postgresql queries by how it was asked for and statement");
		assert.equal(titleOf(of(inst), { ...both, metrics }), "MySQL queries by command and statement");
	}
	assert.deepEqual([of(inst), of(asked)].map((one) => unitOf(both, one, "cputime")), ["ns", "%"]);
	assert.equal(exampleOf(both, asked, "cputime"), "cputime > 10");
	assert.equal(exampleOf(both, inst, "cputime"), "cputime > 10ms");
	assert.equal(fieldOf(both, null, "statement").label, "statement", "without a metric it is as all have it");
});

test("a map says what it is of where others are of something else, and how they differ where that is all the same", () => {
	const disk = { ...inst, id: "9", module: "disk", stat: "io" }, other = { ...inst, id: "8", decomposition: ["latency"] };
	const subjects = (...insts) => {
		const maps = insts.map((one) => ({ inst: one }));
		const session = { catalogue, shown: maps, mixed: insts.some(({ id }) => id !== insts[0].id) };

		return maps.map((map) => subjectOf({ ...map, session }));
	};

	assert.deepEqual(subjects(inst, inst), ["", ""]);
	assert.deepEqual(subjects(inst, disk), ["MySQL queries", "disk io"]);
	assert.deepEqual(subjects(inst, disk, other), ["MySQL queries by statement", "disk io", "MySQL queries"]);
	assert.equal(subjectOf({ label: "io", inst: disk, session: { catalogue, shown: [{ inst }], mixed: true } }), "disk", "what its measure says already is left out");
});

test("the status says what is wrong, and whose fault it is", () => {
	const silent = (sources) => statusOf(session({ catalogue: { ...catalogue, sources } })).text;

	assert.equal(statusOf(session()).word, "live");
	assert.match(statusOf(session({ error: { code: "UNREACHABLE" } })).text, /heatscoped does not answer/);
	assert.match(silent([]), /^No collector is connected: /);
	assert.match(silent([{ source: "db1", state: "gone", metrics: [] }]), /^No collector is connected; gone: db1/);
	assert.match(silent([{ source: "db1", state: "active", metrics: [{ metric: "mysql.queries", state: "unavailable", reason: "CAP_BPF is missing" }] }]), /db1: CAP_BPF is missing/);
	assert.match(statusOf(session({ inst: null, state: { inst: "9" } })).text, /no instrumentation 9/);
	assert.equal(statusOf(session({ shown: [{ linked: "live" }, { linked: "polling" }] })).word, "polling");
	assert.equal(statusOf(session({ live: false })).word, "paused");
	assert.match(statusOf(session({ inst: { ...inst, state: "suspended" } })).text, /heatscope set 1 --resume/);
	assert.match(statusOf(session({ inst: { ...inst, state: "failed", sources: [{ source: "db1", state: "failed", reason: "no memory" }] } })).text, /db1: no memory/);
});

test("a new instrumentation begins with latency, time on and off the CPU by statement", () => {
	const [metric] = catalogue.metrics;
	const choices = choicesFor(catalogue, metric);
	const request = requestOf(metric, choices, { ...chosenAtFirst(choices), retention: 3600 });

	assert.deepEqual(request.decomposition, ["statement", "latency"]);
	assert.deepEqual(request.measures, ["latency", "cputime", "offcpu"]);
	assert.equal(sameAs(request, [{ ...request, id: "4" }]).id, "4");
	assert.equal(sameAs(request, [inst]), undefined);
	assert.equal(sameAs(request, [{ ...request, id: "4", "predicate-text": "latency > 10 ms" }]), undefined);
});

test("the age of what still runs is never the first measure, in whichever order it is chosen", () => {
	const metric = { ...catalogue.metrics[0], fields: [...catalogue.metrics[0].fields, "age"] };
	const known = { ...catalogue, fields: { ...catalogue.fields, age: { label: "age", type: "time" } } };
	const choices = choicesFor(known, metric);
	const request = requestOf(metric, choices, { ...chosenAtFirst(choices), fields: [], measures: ["age", "latency"], retention: 3600 });

	assert.deepEqual(choices.measures, ["latency", "cputime", "offcpu", "age"]);
	assert.deepEqual([request.measures, request.decomposition], [["latency", "age"], ["latency"]]);
	assert.deepEqual([[], ["age"], ["age", "latency"]].map((m) => isMeasured(requestOf(metric, choices, { ...chosenAtFirst(choices), fields: [], measures: m }))), [false, false, true]);
});

test("an expression is asked for as it was written, and found again as the server writes it", () => {
	const [metric] = catalogue.metrics;
	const choices = choicesFor(catalogue, metric);
	const asked = (where) => requestOf(metric, choices, { ...chosenAtFirst(choices), where });
	const there = { ...asked(""), id: "4", "predicate-text": "latency > 10 ms" };

	assert.equal(asked("  latency > 10 ms ").where, "latency > 10 ms");
	assert.ok(!("where" in asked("  ")));
	assert.equal(sameAs(asked("latency > 10 ms"), [there]).id, "4");
	assert.equal(sameAs(asked("latency > 20 ms"), [there]), undefined);
	assert.equal(sameAs(asked("latency > 20 ms"), [inst]), undefined);
});

test("weights and exemplars are asked for where the first measure has them", () => {
	const metric = { ...catalogue.metrics[0], parts: ["cputime"], text: "digest" }, choices = choicesFor(catalogue, metric);
	const asked = (chosen) => requestOf(metric, choices, { ...chosenAtFirst(choices), ...chosen });

	assert.deepEqual(choices.weights(["latency"]), ["latency", "cputime"]);
	assert.deepEqual(choices.weights(["cputime"]), ["cputime"], "another first measure has only itself");
	assert.deepEqual(asked({ weights: ["cputime"] }).weights, ["latency", "cputime"]);
	assert.equal(asked({ exemplars: 5 }).exemplars, 5);
	assert.ok(!("weights" in asked({})) && !("exemplars" in asked({})));
	assert.equal(sameAs(asked({ exemplars: 5 }), [{ ...asked({}), id: "1" }]), undefined);
	assert.equal(sameAs(asked({ weights: ["cputime"], exemplars: 5 }), [{ ...asked({ weights: ["cputime"], exemplars: 5 }), id: "2" }]).id, "2");
	assert.ok(!choicesFor(catalogue, catalogue.metrics[0]).exemplars(["latency"]), "a metric without a text has none");
});

test("a part of an instrumentation begins as that one", () => {
	const metric = { ...catalogue.metrics[0], parts: ["cputime"], text: "digest" }, choices = choicesFor(catalogue, metric);
	const made = requestOf(metric, choices, { ...chosenAtFirst(choices), weights: ["cputime"], exemplars: 3, retention: 7200 });

	assert.deepEqual(requestOf(metric, choices, chosenAtFirst(choices, { ...made, id: "1" })), made);
});

test("a field is put into the expression, as it may be compared", () => {
	assert.equal(exampleOf(catalogue, catalogue.metrics[0], "statement"), "statement = …");
	assert.equal(exampleOf(catalogue, catalogue.metrics[0], "latency"), "latency > 10ms");
	assert.equal(exampleOf({ ...catalogue, fields: { pid: {} } }, catalogue.metrics[0], "pid"), "pid = …");
	assert.equal(whereWith(" ", "latency > 10ms"), "latency > 10ms");
	assert.equal(whereWith("statement = select ", "latency > 10ms"), "statement = select and latency > 10ms");
});

test("a refusal about the expression is shown with the expression, others are not", () => {
	assert.equal(whereProblem("where: character 11: latency needs a unit"), "character 11: latency needs a unit");
	assert.equal(whereProblem("predicate: value 9 for field \"latency\" is invalid"), "predicate: value 9 for field \"latency\" is invalid");
	assert.equal(whereProblem("more than one numeric decomposition specified"), "");
	assert.equal(whereProblem(""), "");
});
