// Holds the dashboards of conf/grafana against the types that Grafana publishes, and the files for provisioning against one another.
//
//     node check.js               prints TAP
//
// A dashboard is compiled as the literal of a type, so that a member that Grafana does not have is an error, as is a wrong value.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { parse } from "yaml";
import { finish, ok } from "../kit/tap.mjs";

const here = path.dirname(fileURLToPath(import.meta.url)), folder = path.join(here, "../../conf/grafana");
const dashboards = fs.readdirSync(folder).filter((name) => name.endsWith(".json")).sort();
const read = (name) => fs.readFileSync(path.join(folder, name), "utf8");

// Returns the errors of the compiler for texts that are to be dashboards; "": none.
function errors(texts) {
	const options = { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
		target: ts.ScriptTarget.ES2022, types: [] };
	const files = new Map(texts.map((text, i) => [path.join(here, `checked${i}.ts`),
		`import type { Dashboard } from "./types.js";\nexport const dashboard: Dashboard = ${text};\n`]));
	const host = ts.createCompilerHost(options), { getSourceFile, fileExists } = host;
	host.fileExists = (name) => files.has(name) || fileExists(name);
	host.getSourceFile = (name, ...others) => files.has(name) ? ts.createSourceFile(name, files.get(name), ...others) : getSourceFile(name, ...others);
	const program = ts.createProgram([...files.keys()], options, host);
	return [...files.keys()].map((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name))
		.map((d) => `${d.file.getLineAndCharacterOfPosition(d.start).line}: ${ts.flattenDiagnosticMessageText(d.messageText, "\n")}`).join("\n"));
}

function shape(d) {
	const ids = d.panels.map((panel) => panel.id), taken = new Set();
	if (new Set(ids).size !== ids.length)
		return "two panels have one id";
	for (const { gridPos: { x, y, w, h }, targets, title, datasource } of d.panels) {
		if (new Set(targets.map((t) => t.refId)).size !== targets.length)
			return `${title}: two queries have one refId`;
		if ([datasource, ...targets.map((t) => t.datasource)].some((s) => s.type !== "prometheus" || s.uid !== "${source}"))
			return `${title}: its source is not the variable`;
		if (/\$(?!__rate_interval|instrumentation)/.test(targets.map((t) => t.expr).join()))
			return `${title}: an unknown variable`;
		for (let i = x; i < x + w; i++)
			for (let k = y; k < y + h; k++) {
				if (i >= 24 || taken.has(`${i},${k}`))
					return `${title} lies on another panel, or beyond the edge`;
				taken.add(`${i},${k}`);
			}
	}
	return "";
}

const wrong = [
	["a member that Grafana does not have", (d) => { d.panels[0].options.colour = {}; }],
	["a value that Grafana does not have", (d) => { d.panels[0].options.color.scale = "cubic"; }],
	["a format that the source does not have", (d) => { d.panels[0].targets[0].format = "picture"; }],
	["a type of panel that is not described", (d) => { d.panels[1].type = "heatmap"; }],
	["a number as text", (d) => { d.panels[1].gridPos.w = "12"; }],
	["no schemaVersion", (d) => { delete d.schemaVersion; }],
].map(([what, change]) => {
	const d = JSON.parse(read(dashboards[0]));
	change(d);
	return [what, JSON.stringify(d)];
});
const said = errors([...dashboards.map(read), ...wrong.map(([, text]) => text)]);
dashboards.forEach((name, i) => ok(`${name} has the types of Grafana`, said[i]));
wrong.forEach(([what], i) => ok(`refused: ${what}`, said[dashboards.length + i] ? "" : "it is not refused"));
for (const name of dashboards)
	ok(`${name}: panels side by side, each query with a name, the source a variable`, shape(JSON.parse(read(name))));
ok("dashboards have names of their own", new Set(dashboards.map((name) => JSON.parse(read(name)).uid)).size === dashboards.length ? "" : "two have one uid");

const sources = parse(read("datasources.yaml")), providers = parse(read("dashboards.yaml"));
ok("sources: two of Prometheus, with addresses and names of their own", sources.apiVersion === 1 && sources.datasources.length === 2 &&
	sources.datasources.every((s) => s.type === "prometheus" && s.access === "proxy" && new URL(s.url) && s.jsonData.httpMethod === "POST") &&
	new Set(sources.datasources.map((s) => s.uid)).size === 2 ? "" : JSON.stringify(sources));
ok("dashboards begin with heatscoped as their source", dashboards.every((name) => JSON.parse(read(name)).templating.list[0].current.value ===
	sources.datasources[0].uid) ? "" : "another uid");
ok("the provider reads the folder of the package", providers.apiVersion === 1 && providers.providers.every((p) => p.type === "file" &&
	p.options.path === "/usr/share/heatscope/grafana") ? "" : JSON.stringify(providers));
finish();
