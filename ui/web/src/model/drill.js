/* drill.js - finds the way from an instrumentation to a part of it, and back.
 *
 *      rectangle, key -> where-expression -> New, filled in -> a clone with a predicate
 *      predicates of all instrumentations -> pathTo(): those that this one is a part of, the widest first
 *
 * The path is read from the predicates: nothing else has to be kept, and it is there however one was made.
 */
import { amount, exact, exactParts } from "../base/format.js";
import { unitOf } from "../base/text.js";
import { labelsOf } from "./keys.js";

/** The terms that all have to hold. */
export function termsOf(predicate) {
	if (predicate?.and)
		return predicate.and.flatMap(termsOf);
	return Object.keys(predicate ?? {}).length ? [predicate] : [];
}

const texts = (inst) => termsOf(inst.predicate).map((term) => JSON.stringify(term));

/* Has `inner` all terms of `outer`, and more? */
function isPart(inner, outer) {
	const held = new Set(texts(inner)), wanted = texts(outer);

	return wanted.length < held.size && wanted.every((text) => held.has(text));
}

/* Of several with the same predicate, the one with the same fields and measures as this one; else the oldest. */
function likest(inst, some) {
	const shape = ({ decomposition, measures, granularity }) => JSON.stringify([decomposition, measures, granularity]);

	return some.find((other) => shape(other) === shape(inst)) ?? some[0];
}

/** The instrumentations of which this one is a part, the widest first, itself last. */
export function pathTo(inst, all) {
	const wider = all.filter((other) => other.module === inst.module && other.stat === inst.stat && isPart(inst, other));
	const most = Math.max(...wider.map((other) => texts(other).length));
	const nearest = wider.filter((other) => texts(other).length === most);

	return nearest.length ? [...pathTo(likest(inst, nearest), all), inst] : [inst];
}

const SIGNS = { eq: "=", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=" };

/** A term of an instrumentation's predicate as people read it: "latency > 10 ms". */
export function termText(term, inst, catalogue) {
	const [[op, operands]] = Object.entries(term);

	if (!SIGNS[op])
		return `(${operands.map((one) => termText(one, inst, catalogue)).join(` ${op} `)})`;
	const [field, value] = operands, unit = typeof value === "number" && unitOf(catalogue, inst, field);
	const text = typeof value !== "number" ? value : unit === "bytes" ? exact(value, unit) : amount(value, unit, 6);

	return `${field} ${SIGNS[op]} ${text}`;
}

/** The conditions that the second has in addition to the first; without a first, all of them, or "all". */
export function stepText(before, inst, catalogue) {
	const held = new Set(before ? texts(before) : []);
	const more = termsOf(inst.predicate).filter((term) => !held.has(JSON.stringify(term)));

	return more.map((term) => termText(term, inst, catalogue)).join(" and ") || "all";
}

/* ---- expressions, as `where` takes them ---- */

const PLAIN = /^[^\s()=!<>"']+$/;
const quoted = (text) => PLAIN.test(text) && !["and", "or"].includes(text.toLowerCase()) ? text : JSON.stringify(text);

/* As people type it: "10us". */
const typed = (value, unit) => exactParts(value, unit).join("").replace("µ", "u");

/** Values from low on and below high; null: no end. */
export const whereValues = (measure, unit, low, high) => [
	low > 0 && `${measure} >= ${typed(low, unit)}`, high !== null && `${measure} < ${typed(high, unit)}`,
].filter(Boolean).join(" and ");

/** An expression for these keys; "": their fields do not identify them.  The fields of keys beyond the cap, and of
 * those that a budget left out, are not known. */
export function whereKeys(fields, keys) {
	const parts = keys.map((key) => labelsOf(key, fields.length));

	if (!keys.length || parts.some((labels) => labels.length !== fields.length || labels.some((l) => l === "other" || l === "shed" || l === "")))
		return "";
	const one = (labels) => labels.map((label, i) => `${fields[i]} = ${quoted(label)}`).join(" and ");

	return keys.length === 1 ? one(parts[0]) : `(${parts.map((labels) => fields.length > 1 ? `(${one(labels)})` : one(labels)).join(" or ")})`;
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/* Is it one pair of parentheses? */
function isEnclosed(text) {
	const bare = [...text.replace(QUOTED, "")];
	let depth = 0;

	return bare[0] === "(" && bare.every((c, i) => {
		depth += (c === "(") - (c === ")");
		return depth > 0 || i === bare.length - 1;
	});
}

/** All of them; what has an `or` is kept together. */
export function whereAll(...expressions) {
	const some = expressions.filter(Boolean);

	return some.map((text) => some.length > 1 && / or /.test(text) && !isEnclosed(text) ? `(${text})` : text).join(" and ");
}
