/* toolbar.js - what is looked at, and how. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import * as api from "./api.js";
import * as format from "./format.js";
import { PANELS_MAX, DURATIONS, TRANSFERS, weightOf } from "./state.js";
import { titleOf } from "./text.js";
import { pictureEnds } from "./zoom.js";

/** A row of buttons of which one is pressed; bare: they say what they are. */
function Choice({ label, bare, value, options, change }) {
	return html`<div class="choice" role="group" aria-label=${label}>${!bare && html`<span>${label}</span>`}
		${options.map(([v, text]) => html`<button key=${v} aria-pressed=${v === value} onClick=${() => change(v)}>${text}</button>`)}</div>`;
}

function Menu({ label, children }) {
	const close = (e) => {
		if (!e.currentTarget.contains(e.relatedTarget))
			e.currentTarget.open = false;
	};

	return html`<details class="menu" onFocusOut=${close}
		onKeyDown=${(e) => e.key === "Escape" && (e.currentTarget.open = false)}><summary>${label}</summary><div>${children}</div></details>`;
}

/* Which measures have a panel. */
function Panels({ session }) {
	const shown = session.measures;
	const flip = (m) => {
		const next = session.inst.measures.filter((name) => name === m ? !shown.includes(m) : shown.includes(name));

		if (next.length && next.length <= PANELS_MAX)
			session.set({ measures: next });
	};

	return html`<${Menu} label="Panels">${session.inst.measures.map((m) => html`<label key=${m}>
		<input type="checkbox" checked=${shown.includes(m)} onChange=${() => flip(m)}
			disabled=${shown.includes(m) ? shown.length === 1 : shown.length >= PANELS_MAX} />${session.catalogue.fields[m]?.label ?? m}</label>`)}<//>`;
}

/* What the cells of the first measure's map are. */
function Weights({ session }) {
	const { inst, state } = session, kept = inst.weights ?? [];
	const name = (w) => session.catalogue.fields[w]?.label ?? w;

	return kept.length > 0 && html`<label class="choice"><span>Cells</span>
		<select value=${kept.includes(state.weight) ? state.weight : ""} onChange=${(e) => session.set({ weight: e.target.value || null })}>
			<option value="">${session.unit}</option>${kept.map((w) => html`<option key=${w} value=${w}>${name(w)}</option>`)}</select></label>`;
}

function Downloads({ session }) {
	const { inst, span, state } = session;
	const theme = session.dark ? "dark" : "light";
	const look = { transfer: state.transfer, yscale: session.yscale, theme };
	const selected = api.keyList(session.selected);
	const label = (m) => session.catalogue.fields[m]?.label ?? m;
	const ends = (m) => {
		const unit = session.grids.get(m)?.unit;

		return pictureEnds(state.values, unit, session.axes.get(unit));
	};
	const take = (e) => api.download(e).catch((problem) => {
		session.error = problem;
		session.changed();
	});
	const name = (what, type) => `heatscope-${inst.module}-${inst.stat}-${what}.${type}`;

	return html`<${Menu} label="Download">
		${session.measures.map((m) => html`<a key=${m} onClick=${take} download=${name(m, "png")}
			href=${api.figureUrl(inst.id, span, { ...look, ...ends(m), measure: m, weight: weightOf(state, inst, m), selected })}>${label(m)}, PNG</a>`)}
		<a onClick=${take} download=${name("report", "png")} href=${api.reportUrl(inst.id, span, { theme })}>Report, PNG</a>
		<a onClick=${take} download=${name("report", "pdf")} href=${api.reportUrl(inst.id, span, { theme, format: "pdf" })}>Report, PDF</a>
		<a onClick=${take} download=${name("report", "html")} href=${api.reportUrl(inst.id, span, { format: "html" })}>Report, HTML</a>
		${session.measures.map((m) => html`<a key=${m} onClick=${take} download=${name(m, "csv")}
			href=${api.cellsUrl(inst.id, span, { measure: m, weight: weightOf(state, inst, m) })}>${label(m)}, CSV</a>`)}<//>`;
}

function Remove({ session }) {
	const remove = async () => {
		if (!confirm(`Delete instrumentation ${session.inst.id} (${session.title}) and all its data?`))
			return;
		try {
			await session.remove(session.inst.id);
		} catch (e) {
			session.error = e;
			session.changed();
		}
	};

	return html`<button onClick=${remove}>Delete</button>`;
}

/** Top line: name, instrumentations, state. */
export function Masthead({ session, status }) {
	const { catalogue, instrumentations, inst, state } = session;

	return html`<header class="masthead">
		<h1>Heatscope</h1>
		${catalogue && instrumentations?.length > 0 && html`<label class="pick"><span class="quiet">Instrumentation</span>
			<select value=${inst?.id ?? ""} onChange=${(e) => session.select(e.target.value)}>
				${!inst && html`<option value="">choose …</option>`}
				${instrumentations.map((i) => html`<option key=${i.id} value=${i.id}>${i.id}: ${titleOf(i, catalogue)}</option>`)}
			</select></label>`}
		${catalogue && html`<button aria-pressed=${session.creating} onClick=${() => { session.creating = !session.creating; session.changed(); }}>New</button>`}
		${inst && html`<${Remove} session=${session} />`}
		<span class="space" />
		<span class=${`state ${status.kind}`} role="status">${status.word}</span>
		<${Choice} label="Theme" value=${state.theme} options=${[["auto", "auto"], ["light", "light"], ["dark", "dark"]]}
			change=${(theme) => session.set({ theme })} />
	</header>`;
}

/* A line at a value, of the first panel's unit. */
function Threshold({ session }) {
	const { threshold } = session.state, unit = session.grids.get(session.measures[0])?.unit ?? threshold?.unit ?? "ns";
	const [wrong, setWrong] = useState(false);
	const change = ({ target: { value } }) => {
		const parsed = format.parse(value, unit);

		setWrong(Boolean(value.trim()) && !parsed);
		if (parsed || !value.trim())
			session.set({ threshold: parsed ? { unit, value: parsed } : null });
	};

	return html`<label class="threshold" title="A line, and the share of ${session.unit} from there on (s on the map)"><span aria-hidden="true">≥</span>
		<input aria-label="Threshold" placeholder=${`e.g. ${format.amount(unit === "ns" ? 1e7 : 64, unit)}`} aria-invalid=${wrong}
			value=${threshold?.unit === unit ? format.amount(threshold.value, unit, 4) : ""} onChange=${change} /></label>`;
}

/* The usual ones, and what was zoomed to. */
const ranges = (duration) => [...DURATIONS.map((r) => [r, `${r / 60} min`]),
	...DURATIONS.includes(duration) ? [] : [[duration, format.seconds(duration)]]];

export function Toolbar({ session }) {
	const { state } = session;

	return html`<div class="toolbar" role="toolbar" aria-label="View">
		<${Choice} label="Range" bare value=${state.duration} options=${ranges(state.duration)} change=${(duration) => session.set({ duration })} />
		<div class="choice" role="group" aria-label="Time">
			<button title="Earlier" aria-label="Earlier" onClick=${() => session.move(-0.25)}>◂</button>
			<button class="pause" aria-pressed=${!session.live} onClick=${() => session.pause()}>${session.live ? "Pause" : "Resume"}</button>
			<button title="Later" aria-label="Later" disabled=${session.live} onClick=${() => session.move(0.25)}>▸</button>
		</div>
		<${Choice} label="Axis" value=${state.y} options=${[["auto", "auto"], ["log", "log"], ["linear", "linear"]]} change=${(y) => session.set({ y, values: null })} />
		<button onClick=${() => session.fit()} title="Fit the value axis to what is shown (0 on the map)">Fit axis</button>
		<${Choice} label="Colours" value=${state.transfer} options=${TRANSFERS.map((t) => [t, t])} change=${(transfer) => session.set({ transfer })} />
		<${Weights} session=${session} />
		<${Choice} label="View" bare value=${state.view} options=${[["map", "map"], ["table", "table"]]} change=${(view) => session.set({ view })} />
		<span class="space" />
		<${Threshold} session=${session} />
		<${Panels} session=${session} />
		${session.span && html`<${Downloads} session=${session} />`}
	</div>`;
}
