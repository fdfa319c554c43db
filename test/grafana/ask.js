// Asks a real heatscoped as Grafana asks a Prometheus: Grafana's own code runs the dashboards of conf/grafana.
//
//     node ask.js BUNDLE URL TO [ROUNDS]           BUNDLE: made by bundle.js.  TO: the second in which the hour that is shown ends; two
//                                                  instrumentations, statements and others, have data all along.
//                                                  ROUNDS: how often each query of an hour at 1 s is sent again to measure it; default 0
//
// Prints TAP, and with ROUNDS the times of each query: "# MEDIAN ms, at most MAX ms, BYTES: QUERY".
//
//   real         the Prometheus source, Grafana's data library, scenes (variables, times, panels and their requests)
//   stated here  what only Grafana has: how its page sends (backend), a dashboard's JSON as scenes (show), its server (promlib.js)
//   not asked    suggestions, which Grafana asks its own server for, and only with scopes
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import "./browser.js";
import { framesOf, isGet, requestOf } from "./promlib.js";
import { finish, ok } from "../kit/tap.mjs";

const [bundle, base, to, rounds = "0"] = process.argv.slice(2);
const g = createRequire(import.meta.url)(path.resolve(bundle));
g.loaded();
const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../conf/grafana");
const dashboards = fs.readdirSync(folder).filter((name) => name.endsWith(".json")).sort()
	.map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")));
const source = parse(fs.readFileSync(path.join(folder, "datasources.yaml"), "utf8")).datasources[0];
const hour = { from: (Number(to) - 3600) * 1000, to: Number(to) * 1000 };
const latency = "heatscope_mysql_queries_latency_seconds";

// ---- Grafana's page and server, as far as they stand between the source and heatscoped ----

const asked = [];		// { method, path, form, status, reply, panel, refId } of each request to heatscoped

async function send(method, path, form, of) {
	const query = new URLSearchParams(form).toString(), one = { method, path, form, ...of };
	try {
		const response = await fetch(`${base}/${path}${method === "GET" && query ? `?${query}` : ""}`, method === "GET" ? {} :
			{ method, headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: query });
		one.status = response.status;
		one.reply = await response.json();
	} catch (e) {		// Grafana's page would only draw nothing
		one.status = 0;
		one.reply = { status: "error", errorType: "no reply", error: `${e.message}: ${e.cause ?? ""}` };
	}
	asked.push(one);
	return one;
}

async function queryData({ queries, from, to }, panel) {
	const results = {};
	for (const query of queries) {
		const request = requestOf(query, Number(from), Number(to), g.rangeUtil.intervalToMs(source.jsonData.timeInterval), g.rangeUtil);
		const { status, reply } = await send(source.jsonData.httpMethod, request.path, request.form, { panel, refId: query.refId });
		results[query.refId] = reply.status === "success" ? { status, frames: framesOf(query, request, reply.data) } :
			{ status, error: `${reply.errorType}: ${reply.error}`, frames: [] };
	}
	return { results };
}

async function resource(path, { method, params, data }) {
	const form = Object.entries(data ?? params ?? {}).filter(([, value]) => value !== undefined).flatMap(([name, value]) =>
		Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]]);
	let one = await send(method === "GET" || isGet(path) ? "GET" : "POST", path, form);
	if (one.method === "POST" && [400, 405].includes(one.status))
		one = await send("GET", path, form);
	if (one.status !== 200)
		throw { status: one.status, data: one.reply };		// as Grafana's page throws it
	return one.reply;
}

const unknown = [];
async function answer(options) {
	const path = options.url.split("?")[0], start = `/api/datasources/uid/${source.uid}/resources/`;
	if (path === "/api/ds/query")
		return queryData(options.data, options.headers["X-Panel-Id"]);
	if (path === `/api/datasources/uid/${source.uid}/health`) {	// "Save & test"
		const sum = await send("POST", "api/v1/query", { query: "1+1", time: "4" }), built = await resource("api/v1/status/buildinfo", { method: "GET" });
		return { status: sum.reply.status === "success" ? "OK" : "ERROR", message: sum.reply.error ?? "", details: built.data };
	}
	if (path.startsWith(start))
		return resource(path.slice(start.length), options);
	unknown.push(options.url);
	throw { status: 404, data: {} };
}

const backend = { fetch: (options) => g.from(answer(options).then((data) => ({ data, status: 200, ok: true, config: options }))) };
const lookup = { replace: (text, scoped, format) => scoped?.__sceneObject ?
	g.sceneGraph.interpolate(scoped.__sceneObject.value.valueOf(), text, scoped, format) : text,
	getVariables: () => [], containsTemplate: (text) => text?.includes("$") };
const runRequest = (ds, request, query) => g.from(query ? query(request) : ds.query(request)).pipe(g.map(({ state = "Done", data, error, errors }) =>
	({ state: error ? "Error" : state, series: data, annotations: [], error, errors, request, timeRange: request.range })));

const settings = { id: 1, uid: source.uid, name: source.name, type: source.type, access: source.access, url: "/api/datasources/proxy/uid/x",
	jsonData: source.jsonData, meta: { id: "prometheus", metrics: true, annotations: true, info: {} }, readOnly: true };
g.setBackendSrv(backend);
g.setTemplateSrv(lookup);
g.setRunRequest(runRequest);
g.initDataSourceInstanceSettings({ [source.name]: settings }, source.name);
g.setDataSourcePluginImporter(async () => ({ DataSourceClass: g.PrometheusDatasource, components: {} }));
const ds = await g.getDataSourceInstance({ uid: source.uid });

// ---- a dashboard, as scenes ----

function variableOf(v) {
	const common = { name: v.name, label: v.label, value: v.current.value, text: v.current.text, includeAll: v.includeAll, isMulti: v.multi };
	return v.type === "datasource" ? new g.DataSourceVariable({ ...common, pluginId: v.query }) :
		new g.QueryVariable({ ...common, datasource: v.datasource, query: v.query, refresh: v.refresh, regex: v.regex, sort: v.sort, allValue: v.allValue });
}

// Shows a dashboard for a time, and returns when all panels have their data.  widthOf: the pixels of a panel; chosen: instrumentations.
async function show(dashboard, time, widthOf, chosen) {
	const first = asked.length;
	const panels = dashboard.panels.map((panel) => ({ panel, runner: new g.SceneQueryRunner({ queries: panel.targets, datasource: panel.datasource,
		maxDataPoints: panel.maxDataPoints, maxDataPointsFromWidth: true, minInterval: panel.interval }) }));
	const variables = dashboard.templating.list.map((v) => variableOf(v.type === "query" && chosen ? { ...v, current: { value: chosen, text: chosen } } : v));
	const scene = new g.EmbeddedScene({ $variables: new g.SceneVariableSet({ variables }),
		$timeRange: new g.SceneTimeRange({ from: new Date(time.from).toISOString(), to: new Date(time.to).toISOString(), timeZone: dashboard.timezone }),
		body: new g.SceneFlexLayout({ children: panels.map(({ runner }) => new g.SceneFlexItem({ $data: runner })) }) });
	scene.enrichDataRequest = (object) => ({ app: "dashboard", dashboardUID: dashboard.uid, panelId: panels.find(({ runner }) => runner === object).panel.id });
	panels.forEach(({ panel, runner }) => runner.setContainerWidth(widthOf(panel)));
	const ends = [scene.activate(), scene.state.body.activate()], variable = variables.find((v) => v instanceof g.QueryVariable);
	do		// the page shows panels when it knows the variables
		await new Promise((resolve) => setTimeout(resolve, 1));
	while (variables.some((v) => scene.state.$variables.isVariableLoadingOrWaitingToUpdate(v)));
	const shown = await Promise.all(panels.map(({ panel, runner }) => new Promise((resolve) => {
		runner.subscribeToState(({ data }) => ["Done", "Error"].includes(data?.state) && resolve({ panel, data }));
		ends.push(runner.parent.activate());
	})));
	ends.reverse().forEach((end) => end());
	return { panels: shown.map(({ panel, data }) => ({ panel, data, requests: asked.slice(first).filter((one) => one.panel === String(panel.id)) })),
		values: variable.state.options.map(({ value }) => value), error: variable.state.error };
}

// ---- is it answered as it should be? ----

// Is a form as Grafana's server sends it, and the reply of heatscoped without an error?
function wrongRequest({ path, form, status, reply }, time) {
	const range = path === "api/v1/query_range", step = Number(form.step);
	if (/\$/.test(form.query))
		return `a variable is left: ${form.query}`;
	if (range && (form.start % step || form.end % step || form.start * 1000 > time.from || form.end * 1000 > time.to || form.start * 1000 <= time.from - 1000 * step))
		return `not aligned to the step: ${JSON.stringify(form)}`;
	if (status !== 200 || reply.status !== "success" || reply.data.resultType !== (range ? "matrix" : "vector"))
		return `${form.query}: ${status} ${JSON.stringify(reply).slice(0, 300)}`;
	return "";
}

const sum = (list) => list.reduce((a, b) => a + b, 0);
const isClose = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1);

// Returns a map from time to the sum of a frame's or of several frames' values there.
function totals(frames) {
	const at = new Map();
	for (const { fields, meta } of frames) {
		const cells = meta?.type === "heatmap-cells", times = fields[0].values;
		for (const field of cells ? fields.filter((f) => f.name === "count") : fields.slice(1))
			field.values.forEach((value, i) => at.set(times[i], (at.get(times[i]) ?? 0) + value));
	}
	return at;
}

// Does a panel have the data that it draws?  n: points of its time.
function wrongData({ panel, data, requests }, n) {
	const frames = data.series, step = Number(requests[0].form.step);
	if (data.state !== "Done" || data.errors?.length)
		return JSON.stringify(data.errors ?? data.state);
	if (requests.length !== panel.targets.length)
		return `${requests.length} requests of ${panel.targets.length} queries`;
	if (panel.type === "heatmap") {
		const [frame] = frames, names = frame.fields.map((f) => f.name), native = frame.meta.type === "heatmap-cells";
		if (frames.length !== 1 || native && names.join() !== "xMax,yMin,yMax,count,yLayout" || !native && (frame.meta.type !== "heatmap-rows" ||
			names[0] !== "Time" || names.at(-1) !== "+Inf" || names.slice(1, -1).some((name, i, all) => !(Number(name) > Number(all[i - 1] ?? 0)))))
			return `no heat map: ${frame.meta.type} of ${names}`;
		if (native && frame.fields[1].values.some((min, i) => !(min < frame.fields[2].values[i])))
			return "a cell without height";
		if ((native ? [frame.fields[3]] : frame.fields.slice(1)).some((f) => f.values.some((v) => !(v >= 0))))
			return "a cell of less than 0";
	} else if (frames.some(({ fields }) => fields.length !== 2 || fields[0].type !== "time" || fields[1].type !== "number"))
		return "no time series";
	else if (frames.some(({ fields }) => fields[1].values.some((v) => v < 0 || v === undefined)))
		return "a value of less than 0";
	const points = new Set(frames.flatMap(({ fields }) => fields[0].values));		// a column of cells is there if a statement ended in it
	if (points.size < (frames[0].meta.type === "heatmap-cells" ? 0.99 : 1) * n - 1 || [...points].some((ms) => ms % (step * 1000)))
		return `${points.size} points, of ${n}`;
	const legends = panel.targets.filter((t) => !t.legendFormat.includes("{{")).map((t) => t.legendFormat);
	if (panel.type === "timeseries" && legends.length && frames.map(({ fields }) => fields[1].config.displayNameFromDS).join() !== legends.join())
		return `its lines are ${frames.map(({ fields }) => fields[1].config.displayNameFromDS)}`;
	return "";
}

const wide = () => 3840, usual = ({ gridPos }) => 1920 * gridPos.w / 24;
const measured = [];

for (const dashboard of dashboards) {
	const title = dashboard.uid, ofTitle = (shown, text) => shown.panels.find(({ panel }) => panel.title.includes(text)).data.series;

	for (const [what, time, widthOf, step, chosen] of [
		["an hour, each panel over a wide screen", hour, wide, "1", ["statements"]],
		["an hour, on a usual screen", hour, usual, "2,5,5,5,5"],
		["five minutes", { from: hour.to - 300000, to: hour.to }, usual, "1"],
		["an hour until a time between two steps", { from: hour.from - 1234, to: hour.to - 1234 }, usual, "2,5,5,5,5"],
	]) {
		const shown = await show(dashboard, time, widthOf, chosen);
		const steps = shown.panels.map(({ requests }) => [...new Set(requests.map(({ form }) => form.step))].join("/"));
		const wrong = (step.includes(",") ? steps.join() : [...new Set(steps)].join()) !== step ? `its steps are ${steps}` :
			shown.panels.flatMap(({ requests }) => requests).map((one) => wrongRequest(one, time)).find(Boolean);

		ok(`${title}: ${what}: ${sum(shown.panels.map(({ requests }) => requests.length))} queries at ${steps} s`, wrong);
		for (const one of shown.panels) {
			const { start, end, step } = one.requests[0].form;
			ok(`${title}: ${what}: ${one.panel.title}`, wrongData(one, (end - start) / step));
		}
		if (widthOf !== wide)
			continue;
		// Panels with the same step and range of rates agree.
		measured.push(...shown.panels.flatMap(({ requests }) => requests));
		const rows = totals(ofTitle(shown, "Latency")), lines = totals(ofTitle(shown, "per second")), parts = totals(ofTitle(shown, "time goes"));
		const unequal = [...lines].find(([ms, n]) => !isClose(rows.get(ms) ?? 0, n));
		ok(`${title}: the cells of a column are the statements of its time`, lines.size < 3590 ? `${lines.size} times` :
			unequal && `at ${unequal[0]}: ${unequal[1]}, and ${rows.get(unequal[0])}`);
		const shares = [...parts].filter(([ms]) => lines.get(ms) > 0), off = shares.find(([, share]) => Math.abs(share - 1) > 1e-6);
		ok(`${title}: the parts of the time add up to all of it`, shares.length < 3590 ? `${shares.length} times` : off && `${off[1]} at ${off[0]}`);
		const names = ofTitle(shown, "99th").map(({ fields }) => fields[1].config.displayNameFromDS).sort();
		ok(`${title}: a line for each kind of statement: ${names}`, ["select", "update", "commit"].every((name) => names.includes(name)) ? "" : "some are missing");
		ok(`${title}: the values of the variable`, shown.error ?? (shown.values.join() === "others,statements" ? "" : shown.values));
	}
	// Longer times: $__rate_interval is then 21s, 1m1s or 5m1s, as Go prints it.
	for (const [days, durations] of [[0.25, ["11s", "21s", "31s"]], [1, ["1m1s", "2m1s"]], [7, ["5m1s", "10m1s", "15m1s"]]]) {
		const time = { from: hour.to - days * 86400000, to: hour.to }, shown = await show(dashboard, time, usual);
		const requests = shown.panels.flatMap(({ requests }) => requests);
		const ranges = [...new Set(requests.map(({ form }) => /\[(.*?)\]/.exec(form.query)[1]))];
		ok(`${title}: ${days} days, with rates of ${ranges}`, requests.map((one) => wrongRequest(one, time)).find(Boolean) ??
			shown.panels.map(({ panel, data }) => data.series.some(({ fields }) => fields[0]?.values.length) ? "" : `${panel.title}: empty`).find(Boolean) ??
			(ranges.every((r) => durations.includes(r)) ? "" : `not of ${durations}`));
	}
	for (const chosen of [["statements"], ["others", "statements"]]) {
		const shown = await show(dashboard, hour, usual, chosen), requests = shown.panels.flatMap(({ requests }) => requests);
		const selector = `instrumentation=~"${chosen.length > 1 ? `(${chosen.join("|")})` : chosen}"`;
		ok(`${title}: chosen: ${chosen}`, requests.map((one) => wrongRequest(one, hour)).find(Boolean) ??
			requests.map(({ form }) => form.query.includes(selector) ? "" : form.query).find(Boolean) ??
			shown.panels.map((one) => wrongData(one, 700)).find(Boolean));
	}
}
const variable = asked.filter(({ panel, path }) => !panel && path === "api/v1/label/instrumentation/values");
ok("the values of the variable were asked for by GET, for the time that is shown", variable.length && variable.every(({ method, form, status }) => {
	const { start, end } = Object.fromEntries(form);
	return method === "GET" && status === 200 && Number(start) * 1000 <= hour.to && Number(end) * 1000 >= hour.to - 2000;
}) ? "" : JSON.stringify(variable));

// ---- requests of the page besides panels: each must be answered, and with what heatscoped has ----

// Runs a function of Grafana and checks what it returns, and that the requests it makes are these: "METHOD PATH STATUS", sorted.
async function does(what, run, expected, requests) {
	const first = asked.length;
	let got;
	try {
		got = await run();
	} catch (e) {
		return ok(what, e.stack ?? JSON.stringify(e));
	}
	const sent = asked.slice(first).map(({ method, path, status }) => `${method} ${path} ${status}`).sort();
	ok(what, JSON.stringify(got) !== JSON.stringify(expected) ? `it gives ${JSON.stringify(got)}` :
		sent.join() !== requests.join() ? `it asks for: ${sent.join("\n")}` : "");
}

const shown = new g.SceneTimeRange({ from: new Date(hour.from).toISOString(), to: new Date(hour.to).toISOString() }).state.value;
const parts = ["cputime", "fault", "futex", "io", "net", "other", "runqwait", "sleep", "unsplit"];
const classic = ["_bucket", "_count", "_sum"].map((end) => latency + end), weights = parts.map((part) => `heatscope_mysql_queries_${part}_seconds_total`);
const names = [...weights, latency, ...classic].sort(), statements = ["begin", "commit", "delete", "insert", "lock", "none", "select", "unlock", "update"];
const texts = (list) => list.map(({ text }) => text).sort(), count = `${latency}_count`, values = (label) => `GET api/v1/label/${label}/values 200`;
// A source of its own for each: a source keeps what it has read.
const fresh = (jsonData) => new g.PrometheusDatasource({ ...settings, jsonData: { ...source.jsonData, ...jsonData } });
const start = async (of) => {
	await of.languageProvider.start(shown);
	const p = of.languageProvider, metadata = p.retrieveMetricsMetadata();
	return { metrics: [...p.retrieveMetrics()].sort(), histograms: p.retrieveHistogramMetrics(), labels: [...p.retrieveLabelKeys()].sort(),
		types: [metadata[latency]?.type, ...weights.map((name) => metadata[name]?.type)] };
};
const known = (labels) => ({ metrics: names, histograms: [`${latency}_bucket`], labels, types: ["histogram", ...weights.map(() => "counter")] });

await does("Save & test", () => fresh().testDatasource().then(({ status }) => status), "success", ["GET api/v1/status/buildinfo 200", "POST api/v1/query 200"]);
await does("the source begins: it has no exemplars", async () => {
	const of = fresh();
	await of.init();
	return of.exemplarsAvailable;
}, false, ["POST api/v1/query_exemplars 404"]);
await does("the editor begins: metrics, labels, types", () => start(fresh()), known(["__name__", "instrumentation", "le", "statement"]),
	["GET api/v1/label/__name__/values 200", "GET api/v1/metadata 200", "POST api/v1/labels 200"]);
await does("the same by series, as Grafana asks an old Prometheus", () => start(fresh({ seriesEndpoint: true })), known(["instrumentation", "le", "statement"]),
	["GET api/v1/metadata 200", "POST api/v1/series 200"]);
await does("the builder: labels of a metric", () => fresh().languageProvider.queryLabelKeys(shown, `{__name__="${count}"}`).then((l) => [...l].sort()),
	["__name__", "instrumentation", "statement"], ["POST api/v1/labels 200"]);
await does("the builder: values of a label of a metric", () =>
	fresh().languageProvider.queryLabelValues(shown, "statement", `{__name__="${count}",instrumentation="others"}`), statements, [values("statement")]);
await does("the builder: metrics with a label", () => fresh().languageProvider.queryLabelValues(shown, "__name__", '{instrumentation="others"}'),
	[latency, ...classic], [values("__name__")]);
await does("the builder by series: values of a label", () =>
	fresh({ seriesEndpoint: true }).languageProvider.queryLabelValues(shown, "statement", `${count}{instrumentation="others"}`), statements, ["POST api/v1/series 200"]);
await does("the metrics browser: series", () => fresh().languageProvider.resourceClient.querySeries(shown, `{__name__="${count}",statement=~"select|update"}`, 100)
	.then((list) => list.map((one) => `${one.__name__} ${one.instrumentation} ${one.statement}`).sort()),
	["others", "statements"].flatMap((i) => ["select", "update"].map((s) => `${count} ${i} ${s}`)), ["POST api/v1/series 200"]);
await does("a variable: label_names()", () => fresh().metricFindQuery("label_names()", { range: shown }).then(texts),
	["__name__", "instrumentation", "le", "statement"], ["POST api/v1/labels 200"]);
await does("a variable: label_names(metric)", () => fresh().metricFindQuery("label_names(cputime)", { range: shown }).then(texts),
	["instrumentation", "statement"], ["POST api/v1/labels 200"]);
await does("a variable: label_values(metric, label)", () =>
	fresh().metricFindQuery(`label_values(${count}{instrumentation="statements"}, statement)`, { range: shown }).then(texts), statements, [values("statement")]);
await does("a variable: metrics(pattern)", () => fresh().metricFindQuery("metrics(latency_seconds_)", { range: shown }).then(texts), [], [values("__name__")]);
await does("a variable: metrics(.*pattern.*)", () => fresh().metricFindQuery("metrics(.*latency_seconds_.*)", { range: shown }).then(texts),
	classic, [values("__name__")]);
await does("a variable: query_result()", () => fresh().metricFindQuery(`query_result(sum by (instrumentation) (increase(${count}[1h])))`, { range: shown })
	.then((list) => texts(list).map((text) => text.split(" ")[0])), ['{instrumentation="others"}', '{instrumentation="statements"}'], ["POST api/v1/query 200"]);
await does("a variable: series of a selector", () => fresh().metricFindQuery(`${count}{statement="commit"}`, { range: shown }).then(texts),
	["others", "statements"].map((i) => `${count}{instrumentation="${i}",statement="commit"}`), ["POST api/v1/series 200"]);
await does("a filter of the dashboard: its labels", () => fresh().getTagKeys({ filters: [], timeRange: shown, queries: dashboards[0].panels[3].targets })
	.then((list) => list.map(({ value }) => value).sort()), ["__name__", "instrumentation", "statement"], ["POST api/v1/labels 200"]);
await does("a filter of the dashboard: values of one, next to another filter", () => fresh().getTagValues({ key: "statement", timeRange: shown, queries: [],
	filters: [{ key: "instrumentation", operator: "=|", value: "", values: ["others", "statements"] }] }).then((list) => list.map(({ value }) => value)),
	statements, [values("statement")]);

// Explore asks for a range and an instant at once, and adds filters to the expression.
const explored = { requestId: "explore", app: "explore", range: shown, rangeRaw: shown.raw, timezone: "browser", intervalMs: 2000, maxDataPoints: 1900,
	scopedVars: {}, filters: [{ key: "statement", operator: "=~", value: "select|update" }],
	targets: [{ refId: "A", datasource: { uid: source.uid }, expr: `sum by (statement) (rate(${count}[$__rate_interval]))`, legendFormat: "__auto",
		range: true, instant: true, exemplar: true }] };
await does("Explore: a range, and its last values as a table", async () => {
	const { data, errors } = await g.lastValueFrom(fresh().query(explored));
	return errors ?? data.map(({ meta, fields }) =>
		[meta?.preferredVisualisationType, fields.map(({ name }) => name).join(), fields[0].values.length > 1700 || fields[0].values]);
}, [["graph", "Time,Value", true], ["graph", "Time,Value", true], ["rawPrometheus", "Time,statement,Value", [hour.to, hour.to]]],
	["POST api/v1/query 200", "POST api/v1/query_range 200"]);
// A source made by hand has no "Scrape interval" (then it is 15 s), and recording rules.
for (const [expr, sent] of [[`sum(rate(${count}[$__rate_interval]))`, "[1m0s]"], [`sum(increase(${count}[$__interval]))`, "[15s]"], [`sum(increase(${count}[\${__range}]))`, "[3600s]"],
	[`sum(rate(${count}[\${__rate_interval_ms}ms]))`, "[60000ms]"]]) {
	const { path, form } = requestOf({ expr, intervalMs: 15000, maxDataPoints: 1900 }, hour.from, hour.to, 15000, g.rangeUtil);
	const one = await send("POST", path, form);
	ok(`a source of 15 s: ${expr}`, !form.query.includes(sent) ? form.query : wrongRequest(one, hour) || (one.reply.data.result[0].values.length > 235 ? "" : "too few points"));
}
const complain = [console.log, console.error], said = [];
console.log = console.error = (text) => said.push(text);	// Grafana logs that there are no rules
await fresh({ disableRecordingRules: false }).init();
const rules = () => asked.filter(({ path }) => path === "api/v1/rules").map(({ method, status }) => `${method} ${status}`).join();
for (let tries = 100; tries && !rules(); tries--)
	await new Promise((resolve) => setTimeout(resolve, 100));
[console.log, console.error] = complain;
ok("a source that asks for recording rules", rules() === "GET 404" ? "" : `it asked for "${rules()}", and said: ${said}`);
ok("nothing else was asked", unknown.join());

// ---- how long an answer takes ----

// Returns the milliseconds until the last byte of a reply is there, which is only counted: fetch() would take longer than heatscoped.
function measure(path, form) {
	return new Promise((resolve, reject) => {
		const body = new URLSearchParams(form).toString(), begin = performance.now();
		http.request(`${base}/${path}`, { method: "POST", agent, headers: {
			"Content-Type": "application/x-www-form-urlencoded", "Content-Length": body.length, "Accept-Encoding": "gzip" } },		// as Go sends it
			(reply) => {
				let bytes = 0;
				reply.on("data", (chunk) => { bytes += chunk.length; });
				reply.on("end", () => resolve({ ms: performance.now() - begin, bytes }));
			}).on("error", reject).end(body);
	});
}

const agent = new http.Agent({ keepAlive: true });
for (const { path, form } of measured) {
	const times = [];
	let bytes;
	for (let i = 0; i < Number(rounds); i++) {
		const one = await measure(path, form);
		times.push(one.ms);
		bytes = one.bytes;
	}
	times.sort((a, b) => a - b);
	if (times.length)
		console.log(`# ${times[times.length >> 1].toFixed(1)} ms, at most ${times.at(-1).toFixed(1)} ms, ${bytes} bytes: ${form.query}`);
}
agent.destroy();
finish();
