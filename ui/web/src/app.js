/* app.js - the page: masthead, toolbar, maps one above the other, side, status line. */
import { html, render } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { Ask } from "./ask.js";
import { domainOf } from "./axis.js";
import { Create } from "./create.js";
import { Explained } from "./explained.js";
import * as format from "./format.js";
import { usedRange } from "./grid.js";
import { Panel, XAxis } from "./panel.js";
import { Session } from "./session.js";
import { sharedShade } from "./shade.js";
import { KeyList, Legend, Picked, Readout, sentence, TableView } from "./side.js";
import { metricOf, statusOf, titleOf } from "./text.js";
import { Masthead, Toolbar } from "./toolbar.js";
import { domainAt } from "./zoom.js";

const NO_EVENTS = { low: 1e3, high: 1e9, under: false, over: false };

const kindOf = (grid) => `${grid?.unit} ${grid?.weight ?? ""}`;

/* One value axis for all panels of a unit, milliseconds with milliseconds, % with %; and one colour scale for those whose cells
 * are alike, counts or sums of a weight. */
function common(session, of) {
	const unit = of?.unit;
	const grids = session.measures.map((m) => session.grids.get(m)).filter((g) => g && g.unit === unit);
	const alike = grids.filter((g) => kindOf(g) === kindOf(of));
	const used = usedRange(grids);
	const kind = session.yscale ?? grids[0]?.shade.yscale ?? "log";
	const least = unit === "%" ? grids[0]?.edge.find((edge) => edge > 100) : 0;

	if (used)
		session.axes.set(unit, domainOf(used, kind, session.axes.get(unit), least));
	const shade = sharedShade(alike.map((g) => g.shade));

	/* Also a time without events has columns that nobody looked at. */
	const all = session.axes.get(unit) ?? (grids.length ? domainOf(NO_EVENTS, kind) : null);
	const { values } = session.state;
	const domain = all && values?.unit === unit ? domainAt(all, values) : all;

	return { all, domain, shade, sharedEdge: alike.find((g) => g.shade === shade)?.edge };
}

function Maps({ session }) {
	const grid = session.measures.map((m) => session.grids.get(m)).find(Boolean);
	const span = session.span && { ...session.span, column: grid.column };
	const kinds = new Map(session.measures.map((m) => session.grids.get(m)).map((g) => [kindOf(g), common(session, g)]));
	const { shade } = kinds.get(kindOf(grid)) ?? {};
	const running = session.measures.some((m) => session.grids.get(m)?.columns.some((c) => c.running));

	return html`<div class="work">
		<main class="maps" aria-label="Heat maps">
			${session.state.view === "table" ? html`<${TableView} session=${session} />` : html`
				${session.measures.map((m) => html`<${Panel} key=${m} session=${session} measure=${m} span=${span}
					...${kinds.get(kindOf(session.grids.get(m)))} />`)}
				<${XAxis} span=${span} slot=${grid?.slot} />`}
		</main>
		<aside class="side" aria-label="Details">
			<${Readout} session=${session} />
			<${Explained} session=${session} />
			<${Picked} session=${session} />
			<${KeyList} session=${session} />
			${shade && html`<${Legend} session=${session} grid=${grid} shade=${shade} running=${running} />`}
		</aside>
	</div>`;
}

function StatusLine({ session, status }) {
	const { inst } = session;
	const grid = session.measures.map((m) => session.grids.get(m)).find(Boolean);
	const newest = grid?.columns.findLast((c) => c.expected && c.state !== "in_progress");
	const lost = session.summaries.get(session.measures[0])?.lost;
	const total = session.summaries.get(session.measures[0])?.count;
	const active = (inst?.sources ?? []).filter((s) => s.state === "active" || s.state === "partial");

	return html`<footer class="statusline">
		${status.text && html`<span class=${`message ${status.kind}`} role="alert">${status.text}</span>`}
		${inst && html`<span>sources <b>${newest ? `${newest.reporting} of ${newest.expected}` : active.length}</b>${active.length ? `: ${active.map((s) => s.source).join(", ")}` : ""}</span>
			${total !== undefined && html`<span>${session.unit} <b>${format.count(total)}</b></span>`}
			<span class=${lost ? "warn" : ""}>lost <b>${lost === undefined ? "–" : format.count(lost)}</b></span>
			<span>slot <b>${format.seconds(inst.granularity)}</b></span>
			<span>kept <b>${format.seconds(inst["retention-time"])}</b></span>`}
		${session.span && html`<span>until <b>${format.clock(session.span.start + session.span.duration)}</b> ${format.zone(session.span.start)}</span>`}
	</footer>`;
}

/* Only what the keys point at is spoken; the pointer's way over the map is not. */
function Spoken({ session }) {
	return html`<p class="quiet" aria-live="polite">${session.speak && session.cursor ? sentence(session, session.cursor.measure) : ""}</p>`;
}

function App() {
	const [session, setSession] = useState(null);
	const [, redraw] = useState(0);

	useEffect(() => {
		let asked = 0;
		const made = new Session(() => {
			asked ||= requestAnimationFrame(() => {
				asked = 0;
				redraw((n) => n + 1);
			});
		});
		const scheme = matchMedia("(prefers-color-scheme: dark)");

		scheme.addEventListener("change", () => made.inst && made.show());
		setSession(made);
		made.start();
	}, []);
	if (!session)
		return null;
	document.documentElement.dataset.theme = session.dark ? "dark" : "light";
	const status = statusOf(session);
	const { inst, catalogue } = session;

	session.title = inst && catalogue ? titleOf(inst, catalogue) : "";
	session.unit = inst && catalogue ? metricOf(inst, catalogue)?.unit ?? "events" : "events";
	session.rowsUnit = session.grids.get(session.rowsOf)?.unit ?? "ns";
	document.title = session.title ? `${session.title} – Heatscope` : "Heatscope";
	return html`
		<${Masthead} session=${session} status=${status} />
		${inst && catalogue && !session.creating && html`<${Toolbar} session=${session} />`}
		${catalogue && (session.creating || !inst) && html`<${Create} session=${session} />`}
		${inst && catalogue && !session.creating && html`<${Maps} session=${session} />`}
		<${Spoken} session=${session} />
		<${Ask} session=${session} />
		<${StatusLine} session=${session} status=${status} />`;
}

render(html`<${App} />`, document.getElementById("page"));
