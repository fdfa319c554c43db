/* ranking.js - requests the keys of the instrumentation looked at, most time first, and the sums of its maps. */
import * as api from "../net/api.js";
import { withOnCpu } from "./keys.js";
import { keptSpan } from "./state.js";

export class Ranking {
	constructor(session) {
		this.session = session;
		this.clear();
	}

	clear() {
		this.inst = null;		/* whose */
		this.rows = null;		/* KeyRow[] */
		this.measure = null;		/* theirs, */
		this.unit = "ns";		/* and its unit */
		this.lowerBound = false;
		this.least = 0;			/* a percentile below it is only known to be less */
		this.observed = true;		/* false: no source reported in the time */
		this.running = null;		/* {time, count, oldest} at the end of the time; null: running events are not reported */
	}

	async refresh() {
		const { session } = this, { inst, span, state: { by } } = session;

		if (!inst || !span)
			return;
		const ask = (measure) => api.keys(inst.id, keptSpan(span, inst), { measure, by });
		const of = inst.measures.includes("latency") ? "latency" : inst.measures[0];
		const both = of === "latency" && inst.measures.includes("cputime");

		await Promise.all([
			session.reply(Promise.all([ask(of), both ? ask("cputime") : null]), ([list, on]) => {
				if (session.inst?.id !== inst.id)
					return;
				this.inst = inst.id;
				this.rows = withOnCpu(list.keys, list.keys, on?.keys);
				this.measure = of;
				this.unit = list.unit;
				this.lowerBound = Boolean(list.lower_bound);
				this.least = list.least ?? 0;
				this.observed = list.observed > 0;
				this.running = list.running ?? null;
			}),
			...session.shown.map((map) => map.refreshSummary(span)),
		]);
	}
}
