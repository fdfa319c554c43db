// build.js - src/ -> dist/ (or the folder given): one script, one style sheet, one page, no request elsewhere.
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

mkdirSync(out, { recursive: true });
await build({
	entryPoints: [join(here, "src/app.js"), join(here, "src/style.css")],
	outdir: out,
	bundle: true,
	minify: true,
	format: "esm",
	target: ["chrome109", "firefox115", "safari16"],
	legalComments: "none",
	logLevel: "warning",
});
for (const file of ["index.html", "icon.svg"])
	cpSync(join(here, "src", file), join(out, file));

// The bundle contains these two; their licences must be shipped with them.
const notice = ["preact", "htm"].map((name) =>
	`app.js contains ${name}:\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8")}`);
writeFileSync(join(out, "licences.txt"), notice.join("\n\n"));
