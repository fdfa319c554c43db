// Grafana's server between the page and a Prometheus: what it sends for a body of /api/ds/query or a path of resources, and the
// frames that it makes of the reply.
//
// The page leaves $__rate_interval, $__interval and the alignment of ranges to the server, which is written in Go and is in no
// package of npm.  So its rules are stated here, as Grafana 12 and 13 have them.  Where they come from (github.com/grafana/grafana):
//
//   pkg/promlib/models/query.go          the step: the range by maxDataPoints, rounded, but not less than the query's interval, else the
//                                        intervalMs that the page sends, nor so short that there are more than 11,000 points; start and
//                                        end are rounded down to a multiple of it; $__interval is the step; $__rate_interval is
//                                        max(intervalMs + interval of the source, 4 times that interval), as Go prints it (1m0s)
//   pkg/promlib/intervalv2               a least interval is not rounded
//   grafana-plugin-sdk-go, backend/gtime the table that rounds: that of @grafana/data
//   pkg/promlib/client/client.go         the forms; seconds as the shortest decimal number; which resources are asked by GET alone;
//                                        a POST that is refused with 400 or 405 is sent again as GET
//   pkg/promlib/converter, querydata     frames: a matrix of numbers is a frame per series, one of histograms a frame of cells
//   pkg/promlib/healthcheck.go, heuristics.go   "Save & test": 1+1 at 4 s, then buildinfo

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR = 365 * DAY;
const POINTS_MAX = 11000, POINTS_USUAL = 1500;

// As Go prints a time.Duration of whole milliseconds.
export function goDuration(ms) {
	if (ms < SECOND)
		return ms ? `${ms}ms` : "0s";
	const hours = Math.floor(ms / HOUR), minutes = Math.floor(ms % HOUR / MINUTE), seconds = ms % MINUTE / SECOND;
	return `${hours ? `${hours}h` : ""}${hours || minutes ? `${minutes}m` : ""}${seconds}s`;
}

// As Grafana prints an interval: its largest unit alone.
function formatInterval(ms) {
	const [unit, of] = [["y", YEAR], ["d", DAY], ["h", HOUR], ["m", MINUTE], ["s", SECOND], ["ms", 1]].find(([, of]) => ms >= of) ?? ["ms", 1];
	return `${Math.max(Math.floor(ms / of), 1)}${unit}`;
}

// Returns the request of one query of a body of /api/ds/query: { path, form }.  The interval of the source is in ms; rangeUtil is that of
// @grafana/data, whose roundInterval() is the same table.
export function requestOf(query, from, to, sourceInterval, { roundInterval, intervalToMs }) {
	const wanted = query.interval ? intervalToMs(query.interval) : 0, least = wanted || query.intervalMs || sourceInterval;
	const calculated = (to - from) / (query.maxDataPoints || POINTS_USUAL);
	const step = Math.max(calculated < least ? least : roundInterval(calculated), roundInterval((to - from) / POINTS_MAX)) * (query.intervalFactor || 1);
	const scrape = wanted || sourceInterval, range_s = Math.round((to - from) / SECOND);
	const rate_interval_ms = Math.max((query.intervalMs || SECOND) + scrape, 4 * scrape);
	const values = { rate_interval: goDuration(rate_interval_ms), rate_interval_ms, interval: formatInterval(step), interval_ms: step,
		range: `${range_s}s`, range_ms: to - from, range_s };
	const expr = query.expr.replace(/\$__(\w+)|\$\{__(\w+)\}/g, (all, a, b) => values[a ?? b] ?? all);
	const aligned = (ms) => String(Math.floor(ms / step) * step / SECOND);

	return query.instant ? { path: "api/v1/query", form: { query: expr, time: String(to / SECOND) } } :
		{ path: "api/v1/query_range", form: { query: expr, start: aligned(from), end: aligned(to), step: String(step / SECOND) } };
}

const ONLY_GET = ["api/v1/label/", "api/v1/metadata", "api/v1/rules", "api/v1/status/"];

// Is a resource asked by GET, although the source's method is POST?
export function isGet(path) {
	return ONLY_GET.some((start) => path.startsWith(start));
}

function number(text) {
	return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
}

function seriesName(labels, query, expr) {
	const { __name__: name = "", ...others } = labels;

	if (query.legendFormat && query.legendFormat !== "__auto")
		return query.legendFormat.replace(/\{\{\s*(.+?)\s*\}\}/g, (all, label) => labels[label] ?? "");
	return Object.keys(others).length ? `${name}{${Object.keys(others).sort().map((label) => `${label}="${others[label]}"`).join(", ")}}` : name || expr;
}

// Infinity and NaN are no JSON: Grafana sends null, and which one it stands for.
function field(name, type, values, more) {
	const entities = { NaN: [], Inf: [], NegInf: [] };
	values.forEach((value, i) => {
		if (typeof value === "number" && !Number.isFinite(value))
			entities[Number.isNaN(value) ? "NaN" : value > 0 ? "Inf" : "NegInf"].push(i);
	});
	return { schema: { name, type, typeInfo: { frame: type === "time" ? "time.Time" : "float64" }, ...more },
		values: values.map((value) => typeof value === "number" && !Number.isFinite(value) ? null : value), entities };
}

function frame(refId, name, meta, fields) {
	return { schema: { refId, name, meta, fields: fields.map((f) => f.schema) },
		data: { values: fields.map((f) => f.values), entities: fields.map((f) => Object.values(f.entities).some((list) => list.length) ? f.entities : null) } };
}

// Returns the frames of a reply to a query, as the page gets them.
export function framesOf(query, { form }, { resultType, result }) {
	const step = Number(form.step ?? 0) * SECOND, executedQueryString = `Expr: ${form.query}\nStep: ${goDuration(step)}`;
	const time = (name, values) => field(name, "time", values.map((s) => Math.round(s * SECOND)), { config: { interval: step } });

	if (resultType === "scalar")
		return [frame(query.refId, "", { type: "numeric-multi", custom: { resultType }, executedQueryString },
			[time("Time", [result[0]]), field("Value", "number", [number(result[1])], {})])];
	const frames = result.map(({ metric, values, value, histograms, histogram }) => {
		const cells = histograms ?? (histogram && [histogram]), points = values ?? (value && [value]), name = seriesName(metric, query, form.query);

		if (cells) {
			const rows = cells.flatMap(([at, { buckets = [] }]) => buckets.map((b) => [at, number(b[1]), number(b[2]), number(b[3]), b[0]]));
			return frame(query.refId, name, { type: "heatmap-cells", custom: { resultType }, executedQueryString },
				[time("xMax", rows.map((r) => r[0])), field("yMin", "number", rows.map((r) => r[1]), { labels: metric }),
					field("yMax", "number", rows.map((r) => r[2]), {}), field("count", "number", rows.map((r) => r[3]), {}),
					field("yLayout", "number", rows.map((r) => r[4]), {})]);
		}
		return frame(query.refId, name, { type: "timeseries-multi", typeVersion: [0, 1], custom: { resultType }, executedQueryString },
			[time("Time", points.map((p) => p[0])),
				field("Value", "number", points.map((p) => number(p[1])), { labels: metric, config: { displayNameFromDS: name } })]);
	});
	return frames.length ? frames : [frame(query.refId, "", { custom: { resultType }, executedQueryString }, [])];
}
