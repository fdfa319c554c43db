/* hosts.js - says how the hosts are in words, and whether an instrumentation keeps them apart.
 *
 *      /ca/sources --> summaryOf(): "3 hosts: 1 late, 2 reporting"      aboutOf(): "its newest data are late by 12 s"
 *
 * Pure.
 */
import { againstRest, openComparison } from "./compare.js";
import { arityOf, emptyText } from "../base/text.js";
import { amount, seconds } from "../base/format.js";

export const HOSTNAME = "hostname";
export const FIELDS_MAX = 4;		/* of an instrumentation */
export const LISTED_MAX = 200;

const STATES = { doubled: "with two collectors", losing: "losing events", clock: "with another time" };
const FINE = ["starting", "reporting", "idle"];

/** The word for a state. */
export const stateName = (state) => STATES[state] ?? state;

/** Needs the host attention? */
export const isTroubled = ({ state }) => !FINE.includes(state);

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

/** How many hosts have which state. */
export const summaryOf = ({ counts, sources }) => !sources.length ? "No collector has ever connected." :
	`${plural(sources.length, "host")}: ${Object.entries(counts).filter(([, n]) => n).map(([state, n]) => `${n} ${stateName(state)}`).join(", ")}`;

/* One unit, rounded down: it says how long, not when. */
const age = (s) => seconds(s < 10 ? Number(s.toFixed(1)) : s < 60 ? Math.floor(s) : s < 3600 ? 60 * Math.floor(s / 60) : s < 86400 ? 3600 * Math.floor(s / 3600) :
	86400 * Math.floor(s / 86400));

const ABOUT = {
	late: ({ late }) => `its newest data are late by ${age(late)}`,
	away: ({ away_since }, time) => away_since ? `not connected for ${age(Math.max(0, time - away_since))}` : "not connected",
	losing: ({ lost, lost_at }, time) => `${plural(lost, "event")} lost, the last ${age(Math.max(0, time - lost_at))} ago`,
	clock: ({ clock_offset }) => `its clock is ${clock_offset < 0 ? "slow" : "fast"} by ${age(Math.abs(clock_offset) < 60 ? Math.abs(clock_offset) : Math.round(Math.abs(clock_offset)))}`,
};

/** Says in words why a host needs attention; "": it does not. */
export const aboutOf = (source, time) => ABOUT[source.state]?.(source, time) ?? source.reason;

export const labelsText = ({ labels }) => Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(" ");

const discrete = (inst, catalogue) => inst.decomposition.filter((f) => arityOf(catalogue, inst, f) !== "numeric");

/** Does the instrumentation keep the hosts apart? */
export const keepsHosts = (inst) => inst.decomposition.includes(HOSTNAME);

/** The decomposition of a copy that does; null: it has as many fields as there may be. */
export const withHosts = (inst, catalogue) => discrete(inst, catalogue).length < FIELDS_MAX ? [...inst.decomposition, HOSTNAME] : null;

/** The fields of which each value may have a map: hostname first. */
export const mappedFields = (inst, catalogue) => discrete(inst, catalogue).sort((a, b) => (b === HOSTNAME) - (a === HOSTNAME));

/** Describes the maps for people who do not see them. */
export const mapsText = ({ keys, more, unit, observed }) => keys.length
	? `${keys.map(({ key, p99 }) => `${key} p99 ${amount(p99, unit)}`).join(", ")}${more ? ` and ${more} more` : ""}` : emptyText(observed > 0);

/** Compares one host with all others. */
export const compareHost = (session, host) => compareValue(session, HOSTNAME, host);

/** The same for a value of any field. */
export function compareValue(session, field, value) {
	if (discrete(session.inst, session.catalogue).length > 1)
		session.set({ by: field, keys: [], of: null });
	openComparison(session, againstRest(session.current.measure, value));
}
