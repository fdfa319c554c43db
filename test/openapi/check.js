// Holds the replies of a running heatscoped against the description that it delivers.
//
//     node check.js SOCKET ID FROM TO SOCKET SINGLE FROM TO
//
// ID is an instrumentation by statement and latency with data in FROM..TO; SINGLE, of another daemon, one with weights and exemplars, whose
// statements are kept in full.
//
// Prints TAP.  A reply must have a status and a type that the description names, and fit its schema; members that the
// schema does not name are a failure.
import http from "node:http";
import Ajv from "ajv/dist/2020.js";
import { Validator } from "@seriousme/openapi-schema-validator";
import { finish, ok } from "../kit/tap.mjs";

const [ofId, id, from, to, singleSocket, single, singleFrom, singleTo] = process.argv.slice(2);
let socketPath = ofId;

// Of a stream only the beginning.
function request(method, path, body, type = "application/json") {
	const headers = body === undefined ? {} : { "Content-Type": type, "Content-Length": Buffer.byteLength(body) };
	return new Promise((resolve, reject) => {
		const r = http.request({ socketPath, method, path, headers }, (reply) => {
			const pieces = [];
			const done = () => resolve({
				status: reply.statusCode, type: (reply.headers["content-type"] ?? "").split(";")[0],
				location: reply.headers.location, body: Buffer.concat(pieces),
			});
			reply.on("data", (piece) => {
				pieces.push(piece);
				if (reply.headers["content-type"]?.startsWith("text/event-stream")) {
					done();
					r.destroy();
				}
			});
			reply.on("end", done);
			reply.on("error", () => {});
		});
		r.on("error", reject);
		r.end(body);
	});
}

const document = JSON.parse((await request("GET", "/ca/openapi.json")).body);
const valid = await new Validator().validate(structuredClone(document));
ok("the description is OpenAPI 3.1", valid.valid ? null : JSON.stringify(valid.errors));

const ajv = new Ajv({ strict: false, allErrors: false, validateSchema: false, logger: false });
ajv.addSchema(document, "openapi");
const escaped = (part) => part.replaceAll("~", "~0").replaceAll("/", "~1");
const resolve = (o) => o.$ref ? o.$ref.slice(2).split("/").reduce((at, part) => at[part], document) : o;

// Why a reply is not what the operation promises; null: it is.
function misfit(path, method, reply) {
	const operation = document.paths[path]?.[method];
	const named = operation?.responses[reply.status] ? String(reply.status) : "default";
	if (!operation)
		return `there is no ${method} ${path}`;
	const response = resolve(operation.responses[named]);
	if (!response.content)
		return reply.body.length ? `${reply.status} has a body` : null;
	if (named === "default" && reply.status < 400)
		return `status ${reply.status} is not named`;
	if (!response.content[reply.type])
		return `type ${reply.type} is not named: ${reply.body}`;
	if (reply.type !== "application/json")
		return reply.body.length ? null : "the body is empty";
	const base = named === "default" ? "components/responses/Error"
		: `paths/${escaped(path)}/${method}/responses/${named}`;
	const validate = ajv.compile({ $ref: `openapi#/${base}/content/${escaped(reply.type)}/schema` });
	const json = JSON.parse(reply.body);
	return validate(json) ? null : `${ajv.errorsText(validate.errors)}: ${JSON.stringify(json)}`;
}

async function try_(what, path, method, { query = {}, body, type, status = 200, is = id } = {}) {
	const text = new URLSearchParams(query).toString();
	const reply = await request(method.toUpperCase(), path.replace(/{[a-z]+}/, is) + (text && `?${text}`), body, type);
	const why = reply.status === status ? misfit(path, method, reply) : `${reply.status} instead of ${status}: ${reply.body}`;
	ok(what, why);
	return reply;
}

// --- everything that is only read ---

const weighing = JSON.parse((await try_("POST of an instrumentation with weights", "/ca/instrumentations", "post",
	{ body: '{"module": "mysql", "stat": "queries", "weights": ["latency"]}', status: 201 })).body).id;

function parametersOf(path) {
	return (document.paths[path].get.parameters ?? []).map(resolve);
}

for (const [path, item] of Object.entries(document.paths)) {
	if (!item.get || (path.includes("{") && !path.includes("{id}")))	// these are made first
		continue;
	const parameters = parametersOf(path), names = parameters.map((p) => p.name), query = {};
	if (names.includes("start_time"))
		Object.assign(query, { start_time: from, end_time: to });
	for (const p of parameters)
		if (p.required)
			query[p.name] = p.content ? JSON.stringify([{ instrumentation: id }]) : p.example;
	if (names.includes("b_start_time"))	// a comparison needs something to compare with
		query.b_start_time = from;
	const is = path.endsWith("/composition") ? weighing : id;
	const status = path.endsWith("/exemplars") ? 409 : 200;	// the recording of ID has none
	await try_(`GET ${path}`, path, "get", { query, is, status });
	if (names.includes("weight"))
		await try_(`GET ${path}?weight=latency`, path, "get", { query: { ...query, weight: "latency" }, is: weighing });
	for (const p of parameters) {
		const values = p.schema?.enum ?? [];
		for (const value of values)
			if (!["exclude", "isolate", "b_exclude"].includes(p.name))	// these need a selection
				await try_(`GET ${path}?${p.name}=${value}`, path, "get", { query: { ...query, [p.name]: value }, is, status });
	}
	if (names.includes("ndatapoints"))
		await try_(`GET ${path}?ndatapoints=2`, path, "get",
			{ query: { ...query, end_time: Number(from) + 5, ndatapoints: 2 } });
	if (names.includes("selected"))
		await try_(`GET ${path}?selected=select&exclude=true`, path, "get", { query: { ...query, selected: "select", exclude: true }, is });
	if (names.includes("stats"))
		await try_(`GET ${path}?measure=*`, path, "get", { query: { ...query, measure: "*" } });
	if (names.includes("by"))
		await try_(`GET ${path}?by=statement`, path, "get", { query: { ...query, by: "statement" } });
}

// --- what is asked for by a body ---

const rectangle = { start_time: Number(from), end_time: Number(to), ymin: 1000000, baseline_start: Number(from) - 20, baseline_end: Number(from) };
const explain = "/ca/instrumentations/{id}/value/explain";
await try_("POST of a rectangle", explain, "post", { body: JSON.stringify(rectangle) });
await try_("POST of one by a form", explain, "post",
	{ body: new URLSearchParams(rectangle).toString(), type: "application/x-www-form-urlencoded" });
await try_("POST of a rectangle to be composed", "/ca/instrumentations/{id}/value/composition", "post",
	{ body: JSON.stringify({ start_time: Number(from), end_time: Number(to), ymin: 1000000 }), is: weighing });
await try_("GET of one", explain, "get", { query: { ...rectangle, ymax: 1000000000, top: 1 } });

// --- notes ---

const note = JSON.parse((await try_("POST of a note", "/ca/annotations", "post",
	{ body: JSON.stringify({ text: "deploy 1.2.3", start_time: Number(from), end_time: Number(to), instrumentation: id }), status: 201 })).body);
const noted = { is: note.id };
await try_("GET of notes", "/ca/annotations", "get", { query: { start_time: from, end_time: to, instrumentation: id } });
await try_("a map with a note", "/ca/instrumentations/{id}/value/grid", "get", { query: { start_time: from, end_time: to } });
await try_("GET of a note", "/ca/annotations/{annotation}", "get", noted);
await try_("DELETE of a note", "/ca/annotations/{annotation}", "delete", { ...noted, status: 204 });
await try_("GET of a note that is gone", "/ca/annotations/{annotation}", "get", { ...noted, status: 404 });
await try_("a note without a text", "/ca/annotations", "post", { body: "{}", status: 409 });

// --- alerts ---

for (const rule of [{ percentile: 0.99, above: 100000000 }, { share: 0.01, above: 50000000, key: "select" }, { shape: true }]) {
	const alert = JSON.parse((await try_("POST of an alert", "/ca/alerts", "post",
		{ body: JSON.stringify({ name: "slow", instrumentation: id, ...rule }), status: 201 })).body);
	await try_("GET of alerts", "/ca/alerts", "get");
	await try_("GET of an alert", "/ca/alerts/{alert}", "get", { is: alert.id });
	await try_("DELETE of an alert", "/ca/alerts/{alert}", "delete", { is: alert.id, status: 204 });
}
await try_("an alert on nothing", "/ca/alerts", "post", { body: '{"name": "x"}', status: 409 });

// --- worksheets ---

const worksheet = { name: "Mine", panels: [{ instrumentation: { module: "mysql", stat: "queries" }, measure: "latency", show: "parts", size: 2 }] };
const sheet = JSON.parse((await try_("POST of a worksheet", "/ca/worksheets", "post", { body: JSON.stringify(worksheet), status: 201 })).body);

await try_("GET of worksheets", "/ca/worksheets", "get");
await try_("GET of one that comes along", "/ca/worksheets/{worksheet}", "get", { is: "cpu" });
await try_("GET of a worksheet", "/ca/worksheets/{worksheet}", "get", { is: sheet.id });
await try_("PUT of its name", "/ca/worksheets/{worksheet}", "put", { is: sheet.id, body: '{"name": "Ours"}' });
await try_("POST of a clone", "/ca/worksheets/{worksheet}/clone", "post", { is: "cpu", body: '{"name": "Our CPU"}', status: 201 });
await try_("DELETE of a worksheet", "/ca/worksheets/{worksheet}", "delete", { is: sheet.id, status: 204 });
await try_("GET of a worksheet that is gone", "/ca/worksheets/{worksheet}", "get", { is: sheet.id, status: 404 });
await try_("a worksheet without panels", "/ca/worksheets", "post", { body: '{"name": "x"}', status: 409 });

// --- refusals ---

const one = "/ca/instrumentations/{id}";
await try_("GET of what is not there", one, "get", { is: "999", status: 404 });
await try_("a parameter out of its range", `${one}/value/heatmap/image`, "get", { query: { width: 9 }, status: 409 });
await try_("an unknown parameter, in a GET", `${one}/value/raw`, "get", { query: { _: 1, callback: "f" }, status: 200 });
await try_("a parameter given twice", `${one}/value/heatmap/image`, "get", { query: [["width", 20], ["width", 30]], status: 409 });
await try_("an unknown property", "/ca/instrumentations", "post", { body: '{"module": "mysql", "stat": "queries", "x": 1}', status: 409 });
await try_("a body that is no JSON", "/ca/instrumentations", "post", { body: "{", status: 409 });
await try_("another kind of body", "/ca/instrumentations", "post", { body: "x", type: "text/plain", status: 415 });
await try_("a body that is too long", "/ca/instrumentations", "post", { body: " ".repeat(70000), status: 413 });

// --- a life ---

const made = await try_("POST of an instrumentation", "/ca/instrumentations", "post",
	{ body: '{"module": "mysql", "stat": "queries", "predicate": {"and": [{"eq": ["statement", "select"]}, {"gt": ["latency", 1000]}]}}', status: 201 });
const copy = await try_("POST of a clone, by a form", `${one}/clone`, "post",
	{ body: "decomposition=statement&granularity=0.5", type: "application/x-www-form-urlencoded", status: 201 });
for (const reply of [made, copy]) {
	const is = JSON.parse(reply.body).id;
	ok(`its Location is ${reply.location}`, reply.location === `/ca/instrumentations/${is}` ? null : reply.location);
	await try_("PUT", one, "put", { body: '{"enabled": false, "retention-time": 77}', is });
	await try_("its raw value, a number or one per key", `${one}/value/raw`, "get", { query: { start_time: from, duration: 5 }, is });
	await try_("its heat map", `${one}/value/heatmap/image`, "get", { query: { start_time: from, duration: 5 }, is });
	await try_("its grid", `${one}/value/grid`, "get", { query: { start_time: from, duration: 5 }, is });
	await try_("DELETE", one, "delete", { is, status: 204 });
	await try_("DELETE again", one, "delete", { is, status: 404 });
}
// --- of single events, with texts, and of weights that are not 0: everything once more, of the other daemon ---

socketPath = singleSocket;

const filled = { exemplars: (r) => r.exemplars.some((e) => e.text) && r.exemplars.some((e) => !e.text), composition: (r) => r.sum > 0 && r.parts.some((p) => p.sum > 0),
	explain: (r) => r.values.length && r.measures.length, flame: () => true };
for (const [path, item] of Object.entries(document.paths)) {
	if (!item.get || !path.includes("{id}"))
		continue;
	const parameters = parametersOf(path), names = parameters.map((p) => p.name), query = {};
	if (names.includes("start_time"))
		Object.assign(query, { start_time: singleFrom, end_time: singleTo });
	for (const p of parameters)
		if (p.required)
			query[p.name] = p.example;
	if (names.includes("b_start_time"))
		query.b_start_time = singleFrom;
	if (path.endsWith("/explain"))
		query.ymin = 100000000;
	if (path.endsWith("/flame"))
		query.by = "digest";
	const reply = await try_(`GET ${path} of single events`, path, "get", { query, is: single });
	const holds = filled[path.split("/").pop()];
	if (holds && reply.type === "application/json")
		ok("which has what it can have", holds(JSON.parse(reply.body)) ? null : reply.body);
	for (const p of parameters.filter((p) => path.endsWith("/exemplars") && p.schema.enum))
		for (const value of p.schema.enum)
			await try_(`GET ${path}?${p.name}=${value} of single events`, path, "get", { query: { ...query, [p.name]: value }, is: single });
}
finish();
