// Makes one file for Node of Grafana's own Prometheus source and of its scenes, the library of its dashboards.
//
//     node bundle.js OUT
//
// It bundles the packages themselves, at the versions of the lockfile.  Packages that only draw the page are not installed
// (the overrides in package.json put a package of one line in their place), which saves 300 MB; nothing.cjs stands for them, and is
// an error when it is called.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const { overrides } = JSON.parse(fs.readFileSync(path.join(here, "package.json"), "utf8"));
const absent = new Set(Object.keys(overrides));
const packageOf = (name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)[0];

await esbuild.build({
	entryPoints: [path.join(here, "grafana.js")], outfile: process.argv[2], bundle: true, platform: "node", format: "cjs", logLevel: "error",
	mainFields: ["module", "main"], define: { "process.env.NODE_ENV": '"production"' },
	plugins: [{
		name: "nothing",
		setup(build) {
			// As members of an object, functions that a package does not have are undefined.
			const members = async (name, kind) => ({ path: name, namespace: "members", pluginData: (await build.resolve(name, { resolveDir: here, kind })).path });
			build.onLoad({ filter: /.*/, namespace: "members" }, ({ pluginData }) =>
				({ contents: `module.exports = require(${JSON.stringify(pluginData)});`, resolveDir: here }));
			// plugin-compat asks by `typeof` which functions this version has.
			build.onResolve({ filter: /^@grafana\/runtime/ }, ({ path: name, importer, kind }) =>
				importer.includes("/plugin-compat/") ? members(name, kind) : undefined);
			// The same flags, without components.
			build.onResolve({ filter: /^@openfeature\/react-sdk$/ }, ({ kind }) => members("@openfeature/web-sdk", kind));
			build.onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
				absent.has(packageOf(name)) ? { path: name, namespace: "nothing", sideEffects: false } : undefined);
			build.onLoad({ filter: /.*/, namespace: "nothing" }, ({ path: name }) =>
				({ contents: `module.exports = require("./nothing.cjs").nothing(${JSON.stringify(name)});`, resolveDir: here }));
		},
	}],
});
