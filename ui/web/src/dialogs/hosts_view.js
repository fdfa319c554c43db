/* hosts_view.js - shows how the hosts are, those first that need attention, and compares one with the others. */
import { useEffect, useState } from "preact/hooks";
import * as api from "../net/api.js";
import { Choice } from "../base/controls.js";
import { aboutOf, compareHost, compareValue, isTroubled, keepsHosts, labelsText, LISTED_MAX, mappedFields, mapsText, stateName, summaryOf, withHosts } from "../model/hosts.js";
import { html } from "../base/html.js";
import { labelOf } from "../panels/sidebar.js";
import { pictureWidth, usePictureReply } from "../base/picture_reply.js";
import { keptSpan } from "../model/state.js";
import { requestOf } from "../model/worksheet.js";
import { useSorted } from "../base/sorted_table.js";

const AGAIN_MS = 3000;
const TOPS = [12, 24, 48];

/* The newest reply of /ca/sources, asked for again and again. */
function useSources() {
	const [got, setGot] = useState({});

	useEffect(() => {
		const reading = new AbortController();
		let timer;
		const ask = () => api.sources(reading.signal).then((reply) => setGot({ reply }), (problem) => setGot((old) => ({ ...old, problem: problem.message })))
			.finally(() => {
				if (!reading.signal.aborted)
					timer = setTimeout(ask, AGAIN_MS);
			});

		ask();
		return () => {
			reading.abort();
			clearTimeout(timer);
		};
	}, []);
	return got;
}

function Table({ session, reply, close }) {
	const { inst } = session, comparable = inst && session.current?.grid && keepsHosts(inst);
	const { rows, heads } = useSorted(reply.sources.slice(0, LISTED_MAX), [
		{ id: "source", head: "host", of: (s) => s.source, text: true }, { id: "state", head: "state", of: (s) => stateName(s.state), text: true },
		{ id: "about", head: "", of: null }, { id: "labels", head: "labels", of: labelsText, text: true },
		{ id: "version", head: "collector", of: (s) => s.version ?? "", text: true }, { id: "compare", head: "" }]);
	const compare = (host) => {
		close();
		compareHost(session, host);
	};

	return html`<table>
		<thead><tr>${heads}</tr></thead>
		<tbody>${rows.map((s) => html`<tr key=${s.source} data-source=${s.source} data-state=${s.state} class=${isTroubled(s) ? "troubled" : ""}>
			<th scope="row" title=${s.kernel}>${s.source}</th><td class="is">${stateName(s.state)}</td><td class="about">${aboutOf(s, reply.time)}</td>
			<td>${labelsText(s)}</td><td class=${s.version && s.version !== reply.version ? "other" : ""} title=${s.version && s.version !== reply.version ? `heatscoped is ${reply.version}` : null}>${s.version ?? "–"}</td>
			<td>${comparable && reply.sources.length > 1 && html`<button onClick=${() => compare(s.source)}>Against the rest</button>`}</td></tr>`)}</tbody>
	</table>
	${reply.sources.length > LISTED_MAX && html`<p class="muted">and ${reply.sources.length - LISTED_MAX} more; heatscope sources lists all</p>`}`;
}

/* An instrumentation that adds the hosts up cannot compare them: offers a copy that keeps them apart. */
function Apart({ session, close }) {
	const { inst, catalogue } = session, decomposition = inst && !keepsHosts(inst) ? withHosts(inst, catalogue) : null;
	const [problem, setProblem] = useState("");
	const copy = () => session.create({ ...requestOf(inst), decomposition }, inst).then(close, (e) => setProblem(e.message));

	if (!decomposition)
		return null;
	return html`<p class="muted">This instrumentation adds all hosts up. <button onClick=${copy}>Measure hosts apart</button> makes a copy of it by host.</p>
		${problem && html`<p class="problem" role="alert">${problem}</p>`}`;
}

/* A small map of each host, or of each value of another field, on one scale: the time is what is shown when it is opened. */
function Maps({ session, close }) {
	const { inst, catalogue, state, current: { measure } } = session, fields = mappedFields(inst, catalogue);
	const [span] = useState(() => keptSpan(session.span, inst));
	const [by, setBy] = useState(fields[0]), [top, setTop] = useState(TOPS[0]);
	const parameters = { start_time: span.start, duration: span.duration, measure, by, top, transfer: state.transfer, palette: state.palette,
		yscale: state.y === "auto" ? null : state.y, theme: session.dark ? "dark" : "light", scale: devicePixelRatio > 1 ? 2 : 1 };
	const { reply, url, problem, busy } = usePictureReply(JSON.stringify([inst.id, parameters, pictureWidth()]), (signal) => Promise.all([
		api.multiples(inst.id, { ...parameters, scale: null }, signal), api.multiplesPicture(inst.id, { ...parameters, width: pictureWidth() }, signal)]));
	const compare = (value) => {
		close();
		compareValue(session, by, value);
	};

	return html`<div class="row">
			<label>A map for each <select value=${by} onChange=${(e) => setBy(e.target.value)}>${fields.map((f) => html`<option key=${f} value=${f}>${labelOf(session, inst, f)}</option>`)}</select></label>
			<label>at most <select value=${top} onChange=${(e) => setTop(Number(e.target.value))}>${TOPS.map((n) => html`<option key=${n} value=${n}>${n}</option>`)}</select></label></div>
		${problem ? html`<p class="problem" role="alert">${problem}</p>` : !reply && html`<p class="muted">asking …</p>`}
		${url && html`<img class=${busy ? "old" : ""} src=${url} alt=${mapsText(reply)} />
			<p class="against">${reply.keys.length > 1 && html`Against the rest: ${reply.keys.map(({ key }) => html`<button key=${key} onClick=${() => compare(key)}>${key || "(all)"}</button> `)}`}
				${reply.more > 0 && html`<span class="muted">and ${reply.more} more with a lower p99</span>`}</p>
			<p class="downloads">${["png", "pdf", "svg"].map((type) => html`<a key=${type} download=${`heatscope-${inst.module}-${inst.stat}-hosts.${type}`}
				onClick=${(e) => api.download(e).catch((why) => session.refuse(why))} href=${api.multiplesUrl(inst.id, { ...parameters, format: type })}>${type.toUpperCase()}</a>`)}</p>`}`;
}

const VIEWS = [["states", "states"], ["maps", "maps"]];

function Dialog({ session, close }) {
	const { reply, problem } = useSources(), [view, setView] = useState("states");
	const { inst, catalogue } = session, mapped = inst && session.current?.grid && mappedFields(inst, catalogue).length > 0;

	return html`<dialog class="hosts" aria-labelledby="hosts" onClose=${close} ref=${(dialog) => dialog && !dialog.open && dialog.showModal()}>
		<h2 id="hosts">Hosts <button type="button" class="plain" onClick=${close} aria-label="Close the hosts">×</button></h2>
		${mapped && html`<${Choice} label="View of the hosts" bare value=${view} options=${VIEWS} change=${setView} />`}
		${mapped && view === "maps" ? html`<${Maps} session=${session} close=${close} />` : html`<${States} session=${session} reply=${reply} problem=${problem} close=${close} />`}
	</dialog>`;
}

function States({ session, reply, problem, close }) {
	return html`<p class="said">${problem ?? (reply ? summaryOf(reply) : "asking …")}</p>
		${reply && reply.sources.length > 0 && html`<${Table} session=${session} reply=${reply} close=${close} />`}
		<${Apart} session=${session} close=${close} />`;
}

/** The button, and the dialogue while it is open. */
export function Hosts({ session }) {
	const [open, setOpen] = useState(false);

	return html`<button aria-haspopup="dialog" onClick=${() => setOpen(true)}>Hosts</button>
		${open && html`<${Dialog} session=${session} close=${() => setOpen(false)} />`}`;
}
