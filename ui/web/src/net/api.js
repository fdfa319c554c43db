/* api.js - requests values from heatscoped's HTTP interface (doc/api.md).
 *
 * Errors  every function throws ApiError: `code` is the server's (ECA_...), or "UNREACHABLE".
 */
import { readEvents } from "./events.js";
import { zoneOffset } from "../base/format.js";
import { fetchWithToken, held } from "./token.js";

/** @typedef {{start: number, duration: number}} Span   Unix seconds, seconds */

export class ApiError extends Error {
	constructor(code, message, status = 0) {
		super(message);
		this.code = code;
		this.status = status;
	}
}

/** Query string of what is not null; "?" included. */
export function query(parameters) {
	const q = new URLSearchParams();

	for (const [name, value] of Object.entries(parameters))
		if (value !== null && value !== undefined && value !== "")
			q.set(name, String(value));
	return q.toString() && `?${q}`;
}

async function request(method, path, body, signal) {
	let reply, value;

	try {
		reply = await fetchWithToken(path, {
			method,
			headers: body ? { "Content-Type": "application/json" } : {},
			body: body && JSON.stringify(body),
			signal,
		});
	} catch {
		throw new ApiError("UNREACHABLE", "heatscoped does not answer");
	}
	if (reply.status === 204)
		return null;
	try {
		value = await reply.json();
	} catch {
		throw new ApiError("ECA_IO", `${path}: the reply is not JSON (status ${reply.status})`, reply.status);
	}
	if (!reply.ok)
		throw new ApiError(value.error?.code ?? "ECA_IO", value.error?.message ?? `status ${reply.status}`, reply.status);
	return value;
}

const of = (id, what) => `/ca/instrumentations/${encodeURIComponent(id)}/value/${what}`;
const span = (s) => ({ start_time: s?.start, duration: s?.duration });

/** The reader's time zone, as the server's pictures and words want it: its name, and for a server that does not know it seconds east of UTC at a Unix time. */
const zoneAt = (time) => ({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, utc_offset: zoneOffset(time) });

/* The times of what is drawn and written are the reader's, as the page's are. */
const readersSpan = (s) => ({ ...span(s), ...(s && zoneAt(s.start + s.duration)) });
const readers = (parameters) => ({ ...zoneAt(parameters.end_time ?? parameters.start_time), ...parameters });

export const catalogue = () => request("GET", "/ca");

/** All sources, those first that need attention: {time, version, counts, sources}. */
export const sources = (signal) => request("GET", "/ca/sources", undefined, signal);
export const instrumentations = () => request("GET", "/ca/instrumentations");
export const create = (properties) => request("POST", "/ca/instrumentations", properties);
export const clone = (id, properties) => request("POST", `/ca/instrumentations/${encodeURIComponent(id)}/clone`, properties);
export const remove = (id) => request("DELETE", `/ca/instrumentations/${encodeURIComponent(id)}`);

const sheet = (id) => `/ca/worksheets/${encodeURIComponent(id)}`;

/** Without their panels. */
export const worksheets = () => request("GET", "/ca/worksheets");
export const worksheet = (id) => request("GET", sheet(id));
export const saveWorksheet = (properties) => request("POST", "/ca/worksheets", properties);
export const changeWorksheet = (id, properties) => request("PUT", sheet(id), properties);
export const cloneWorksheet = (id, properties) => request("POST", `${sheet(id)}/clone`, properties);
export const removeWorksheet = (id) => request("DELETE", sheet(id));

/** A grid; see grid.js for its shape. */
export const grid = (id, parameters) => request("GET", of(id, "grid") + query(parameters));

/** Notes and what fired, that touch a time; end null: until now, and later. */
export const annotations = (start_time, end_time) => request("GET", `/ca/annotations${query({ start_time, end_time })}`);
export const annotate = (note) => request("POST", "/ca/annotations", note);
export const removeAnnotation = (id) => request("DELETE", `/ca/annotations/${encodeURIComponent(id)}`);
export const alerts = () => request("GET", "/ca/alerts");

/** The same time and columns of a measure in words: {narrative}. */
export const narrative = (id, measure, { from, ncols, column }, signal) => request("GET", of(id, "grid") + query({
	measure, start_time: from, duration: ncols * column, ncols, narrative: true, ...zoneAt(from + ncols * column),
}), undefined, signal);

/** @returns {Promise<{keys: import("./keys.js").KeyRow[], lower_bound?: boolean}>} */
export const keys = (id, s, parameters) => request("GET", of(id, "keys") + query({ ...span(s), ...parameters }));

/**
 * The keys of exactly one cell: a picture that shows this one cell only, asked at its middle.
 * @returns {Promise<{present: Object<string, number>, total: number}>}
 */
export const cell = (id, measure, s, low, high, weight) =>
	request("GET", of(id, "heatmap/details") + query({
		...span(s), measure, weight, ymin: low, ymax: high, nbuckets: 1, width: 10, height: 10, x: 5, y: 5,
	}));

/** How a rectangle of time and value differs from the rest of its time. */
export const explain = (id, parameters, signal) => request("GET", of(id, "explain") + query(parameters), undefined, signal);

/** Two times, keys or measures against each other; see compare.js. */
export const compare = (id, parameters, signal) => request("GET", compareUrl(id, parameters), undefined, signal);
export const compareUrl = (id, parameters) => of(id, "compare") + query(readers(parameters));

async function picture(url, signal) {
	const reply = await fetchWithToken(url, { signal });

	if (!reply.ok)
		throw new ApiError("ECA_IO", `the picture: status ${reply.status}`, reply.status);
	return reply.blob();
}

/** Its picture, as a Blob. */
export const comparePicture = (id, parameters, signal) => picture(compareUrl(id, { ...parameters, format: "png" }), signal);

/** A small map per value of a field, those with the highest p99 first: {keys, more, unit}; and the page of maps. */
export const multiples = (id, parameters, signal) => request("GET", multiplesUrl(id, parameters), undefined, signal);
export const multiplesUrl = (id, parameters) => of(id, "multiples") + query(readers(parameters));
export const multiplesPicture = (id, parameters, signal) => picture(multiplesUrl(id, { ...parameters, format: "png" }), signal);

/** Single events that were kept, the worst first. */
export const exemplars = (id, parameters) => request("GET", of(id, "exemplars") + query(parameters));

/** A flame graph: the text of an SVG. */
export async function flame(id, parameters, signal) {
	const reply = await fetchWithToken(of(id, "flame") + query({ ...readers(parameters), format: "svg" }), { signal });

	if (!reply.ok)
		throw new ApiError("ECA_IO", (await reply.json().catch(() => null))?.error?.message ?? `status ${reply.status}`, reply.status);
	return reply.text();
}

/** Keys as the parameter `selected` wants them: a comma within a key is escaped.  Of no keys "", which is not sent. */
export const keyList = (keys) => keys.map((key) => key.replace(/[\\,]/g, "\\$&")).join(",");

/* Parameters that all views share stand once in the address, to keep it short. */
function viewsQuery(views) {
	const [{ parameters: first }] = views;
	const common = Object.entries(first).filter(([name, value]) => views.every(({ parameters }) => parameters[name] === value));
	const own = ({ id, parameters }) => ({ instrumentation: id, ...Object.fromEntries(
		Object.entries(parameters).filter(([name, value]) => value !== null && value !== undefined && !common.some(([same]) => same === name))) });

	return query({ ...Object.fromEntries(common), views: JSON.stringify(views.map(own)) });
}

/** Calls on(type, data) for each event of several grids, until the stream ends; throws where it breaks.  data.view: of which one. */
export const stream = (views, signal, on) =>
	readEvents(`/ca/stream${viewsQuery(views)}`, signal, (type, data) => on(type, JSON.parse(data)));

export const figureUrl = (id, s, parameters) => of(id, "heatmap/figure") + query({ ...readersSpan(s), ...parameters });
export const reportUrl = (id, s, parameters) => of(id, "report") + query({ ...readersSpan(s), ...parameters });
export const cellsUrl = (id, s, parameters) => of(id, "grid") + query({ ...span(s), format: "csv", ...parameters });

/** For a link to a file: where the server wants the token, the link alone would not do. */
export async function download(event) {
	const link = event.currentTarget;

	if (!held() || link.href.startsWith("blob:"))
		return;
	event.preventDefault();
	const reply = await fetchWithToken(link.href);

	if (!reply.ok)
		throw new ApiError("ECA_IO", `${link.download}: status ${reply.status}`, reply.status);
	const made = Object.assign(document.createElement("a"), { download: link.download, href: URL.createObjectURL(await reply.blob()) });

	made.click();
	setTimeout(() => URL.revokeObjectURL(made.href), 10000);
}
